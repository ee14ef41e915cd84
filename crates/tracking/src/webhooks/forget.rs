//! Notifications are kept for a time after their delivery ended, to be looked at and sent again, and then forgotten.

use domain::ids::{NotificationId, WebhookId};
use store::{Key, delivery};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Tracking;

/// Notifications looked at in one transaction.
const LOOKED_AT_MAX: u32 = 500;

/// Forgets what ended long enough ago, in small transactions, until none is left or `stop` says so. What is open
/// stays, however old, also while its webhook is off. How many were forgotten.
pub(crate) async fn forget_ended(
    tracking: &Tracking,
    stop: &CancellationToken,
) -> Result<u64, store::Error> {
    let before = tracking.notifications_kept_since();
    let mut after = NotificationId(Uuid::nil());
    let mut forgotten = 0;
    while !stop.is_cancelled() {
        let look =
            move |tx: &mut store::Tx| delivery::ended_before(tx, after, before, LOOKED_AT_MAX);
        let looked = tracking.store().read(look).await?;
        let Some((last, _)) = looked.last() else {
            break;
        };
        after = *last;
        let ended = looked.into_iter().filter(|(_, ended)| *ended);
        let ended: Vec<NotificationId> = ended.map(|(id, _)| id).collect();
        if !ended.is_empty() {
            forgotten += tracking
                .store()
                .write(Key::webhook(WebhookId(Uuid::nil())), move |tx| {
                    delivery::forget(tx, &ended, before)
                })
                .await?;
        }
    }
    Ok(forgotten)
}
