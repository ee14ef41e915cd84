//! Notifications are kept for a time after their delivery ended, to be looked at and sent again, and then forgotten. What a
//! deleted webhook has left behind is forgotten at once, whatever its state.
//!
//! Either is done in small transactions, so that nobody who writes waits long, and found again after a crash.

use domain::ids::{NotificationId, WebhookId};
use jiff::SignedDuration;
use store::{Key, delivery};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Tracking;

/// Notifications looked at in one transaction.
const LOOKED_AT_MAX: u32 = 500;
/// Notifications of a deleted webhook removed in one transaction.
const REMOVED_MAX: u32 = 500;
/// Deleted webhooks found together.
const WEBHOOKS_MAX: u32 = 64;
/// The row of a deleted webhook stays this long at least: whoever read it before and writes for it has ended by then. A use
/// case takes no more than some ten seconds.
const LINGERS: SignedDuration = SignedDuration::from_mins(1);

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

/// Removes what deleted webhooks have left behind, in small transactions, until nothing is left or `stop` says so; and the
/// webhooks themselves that were deleted a while ago. How many of these.
pub(crate) async fn forget_deleted(
    tracking: &Tracking,
    stop: &CancellationToken,
) -> Result<u64, store::Error> {
    let (mut forgotten, mut after) = (0, WebhookId(Uuid::nil()));
    while !stop.is_cancelled() {
        let look = move |tx: &mut store::Tx| store::webhook::deleted(tx, after, WEBHOOKS_MAX);
        let deleted = tracking.store().read(look).await?;
        let Some(last) = deleted.last() else {
            break;
        };
        after = *last;
        for id in deleted {
            match forget_webhook(tracking, id, stop).await {
                Ok(gone) => forgotten += u64::from(gone),
                Err(error) => {
                    tracing::warn!(webhook = %id, %error, "a deleted webhook could not be removed; the next round goes on");
                }
            }
        }
    }
    Ok(forgotten)
}

/// The history first; whether the webhook is gone with it.
async fn forget_webhook(
    tracking: &Tracking,
    webhook: WebhookId,
    stop: &CancellationToken,
) -> Result<bool, store::Error> {
    let key = Key::webhook(webhook);
    let mut from = Some(Uuid::nil());
    while let Some(first) = from.filter(|_| !stop.is_cancelled()) {
        let forget = move |tx: &mut store::Tx| {
            store::webhook::forget_history(tx, webhook, first, REMOVED_MAX)
        };
        from = tracking.store().write(key.clone(), forget).await?;
    }
    let before = tracking.now() - LINGERS;
    let forget = move |tx: &mut store::Tx| store::webhook::forget(tx, webhook, before);
    tracking.store().write(key, forget).await
}
