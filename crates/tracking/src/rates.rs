//! Room in a minute's calls, where several nodes give it out.

use domain::ids::AccountId;
use domain::rate::Taken;
use store::Key;

use crate::Tracking;

/// Asks for room for `wanted` calls of this account and bucket at the second `now` of the world's clock.
pub async fn take(
    tracking: &Tracking,
    account: AccountId,
    bucket: &'static str,
    now: u64,
    wanted: u32,
    limit: u32,
) -> Result<Taken, store::Error> {
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            store::rate_window::take(tx, account, bucket, now, wanted, limit)
        })
        .await
}
