//! Changes to a request that its account asks for.

use domain::ids::{AccountId, TrackingRequestId};
use store::Key;
use store::tracking_request::TrackingRequest;

use super::{find_held, store_change};
use crate::Tracking;

/// What a caller may change later.
#[derive(Clone, Debug, Default)]
pub struct RequestPatch {
    /// New references.
    pub ref_numbers: Option<Vec<String>>,
    /// New tags.
    pub tags: Option<Vec<String>>,
}

/// Changes what a caller may change. `None`: this account has no such request.
pub async fn update(
    tracking: &Tracking,
    account: AccountId,
    id: TrackingRequestId,
    patch: RequestPatch,
) -> Result<Option<TrackingRequest>, store::Error> {
    let now = tracking.now();
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            let Some(mut row) = find_held(tx, account, id)? else {
                return Ok(None);
            };
            let mut a = tx.account(account);
            let before = (row.ref_numbers.clone(), row.tags.clone());
            row.ref_numbers = patch.ref_numbers.clone().unwrap_or(row.ref_numbers);
            row.tags = patch.tags.clone().unwrap_or(row.tags);
            if before != (row.ref_numbers.clone(), row.tags.clone()) {
                store_change(&mut a, &mut row, now)?;
            }
            Ok(Some(row))
        })
        .await
}
