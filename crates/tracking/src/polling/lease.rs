//! Claims that are kept while the question is under way.
//!
//! An answer may come in many slow pages, and a lease that ended meanwhile would let the same question be asked again, by
//! this node too, and the first answer count for nothing. Who stands still for longer than the lease loses it all the
//! same.

use std::pin::pin;
use std::time::Duration;

use domain::ids::WatchId;
use store::Key;
use tracing::warn;

use crate::Tracking;

/// A lease is renewed after this part of it.
const RENEWED_PART: i32 = 3;

/// Claimed watches, each with the token of its claim.
pub(super) type Claims = Vec<(WatchId, i64)>;

/// Waits until the question is answered and settled; its watches stay claimed as long.
pub(super) async fn kept<Done>(
    tracking: &Tracking,
    claims: Claims,
    asking: impl Future<Output = Done>,
) -> Done {
    let every = Duration::try_from(tracking.watch_lease() / RENEWED_PART);
    let every = every.unwrap_or(Duration::from_secs(1));
    let mut asking = pin!(asking);
    loop {
        tokio::select! {
            done = &mut asking => return done,
            () = tokio::time::sleep(every) => {}
        }
        tokio::select! {
            done = &mut asking => return done,
            () = renew(tracking, claims.clone()) => {}
        }
    }
}

async fn renew(tracking: &Tracking, claims: Claims) {
    let until = tracking.now() + tracking.watch_lease();
    let keys = claims.iter().map(|(id, _)| Key::watch(*id)).collect();
    let renewing = tracking.store().write(Key::several(keys), move |tx| {
        claims
            .iter()
            .try_for_each(|(id, token)| store::watch::renew(tx, *id, *token, until))
    });
    let renewed: Result<(), store::Error> = renewing.await;
    if let Err(error) = renewed {
        warn!(%error, "the lease of a watch could not be renewed");
    }
}
