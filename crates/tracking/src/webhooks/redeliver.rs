//! Sending again: one notification, or a window of time.
//!
//! One notification is made due in the transaction of the request. A window is only written down here; what it
//! holds is sent by [`replay`](super::replay), step by step. Both send what was sent before, byte for byte and
//! under the same id, so that a receiver which has it already can tell; `docs/decisions/0013-redelivery.md` has
//! what was weighed.

use domain::audit::Action;
use domain::event::EventName;
use domain::ids::{AccountId, NotificationId, WebhookId};
use domain::webhook::DeliveryStatus;
use jiff::{SignedDuration, Timestamp};
use store::Key;
use store::delivery;
use store::notification::{Notification, OrderKey};
use store::redelivery::{Hearing, Redelivery};
use store::webhook::Webhook;

use crate::audit::{self, Detail};
use crate::{Tracking, id_source};

/// How many notifications, and how many events, of the account are looked at to count a window when it is asked for;
/// what lies beyond is sent without being counted.
pub const COUNTED_MAX: u32 = 10_000;
/// Windows of one webhook under way at once.
pub const UNDER_WAY_MAX: u32 = 5;
/// How long a finished window is shown.
const SHOWN_FOR: SignedDuration = SignedDuration::from_hours(30 * 24);

/// What is to be sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// From this moment.
    pub from: Timestamp,
    /// Until before this one; what happens after the request is not part of it.
    pub until: Timestamp,
    /// These events only; empty: all.
    pub events: Vec<EventName>,
    /// Of what was sent before, those that stand so.
    pub statuses: Vec<DeliveryStatus>,
    /// Also what was never sent to this webhook: it was off, or had not asked for it yet.
    pub missed: bool,
}

/// Why a window is not sent again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayRefused {
    /// It ends before it begins.
    #[error("the window ends before it begins")]
    Empty,
    /// It has not begun: nothing of what is to come can be sent again.
    #[error("the window has not begun yet")]
    NotYet,
    /// Others have to be finished first.
    #[error("{UNDER_WAY_MAX} redeliveries of this webhook are under way; wait for one to finish")]
    TooMany,
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// A notification that is delivered again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redelivered {
    /// Its row.
    pub notification: Notification,
    /// Numbers of the attempts made so far.
    pub attempts: Vec<u32>,
}

/// Delivers one notification again. `None`: this account has no such notification.
pub async fn redeliver(
    tracking: &Tracking,
    account: AccountId,
    id: NotificationId,
) -> Result<Option<Redelivered>, store::Error> {
    let now = tracking.now();
    let by = tracking.whoever(now);
    let sent = tracking
        .store()
        .write(Key::webhook(WebhookId(id.0)), move |tx| {
            let mut a = tx.account(account);
            let Some((mut row, _)) = store::notification::find(&mut a, id)? else {
                return Ok(None);
            };
            if let Some(key) = order_key(&row) {
                let tails = delivery::tails(&mut a, row.webhook, &[key])?;
                let sequence = tails.get(&key).map_or(0, |tail| tail + 1);
                let order = OrderKey { key, sequence };
                delivery::again_now(&mut a, &(row.id, row.webhook, order), now)?;
                row.status = DeliveryStatus::Pending;
                let detail = Detail::default().with("webhook", row.webhook.to_string());
                audit::note(&mut a, by, Action::NotificationRedelivered, id, detail);
            }
            let attempts = delivery::attempt_numbers(&mut a, &[id])?;
            Ok::<_, store::Error>(Some(Redelivered {
                notification: row,
                attempts: attempts.into_iter().map(|(_, number)| number).collect(),
            }))
        })
        .await?;
    tracking.nudges().deliver();
    Ok(sent)
}

/// Has a window of a webhook sent again. `None`: this account has no such webhook.
pub async fn replay(
    tracking: &Tracking,
    account: AccountId,
    webhook: WebhookId,
    window: Window,
) -> Result<Option<Redelivery>, ReplayRefused> {
    if window.until <= window.from {
        return Err(ReplayRefused::Empty);
    }
    if tracking.now() <= window.from {
        return Err(ReplayRefused::NotYet);
    }
    let row = row(tracking, webhook, window);
    let asked = row.clone();
    let kept_since = tracking.notifications_kept_since();
    let counted = tracking
        .store()
        .read(move |tx| {
            let remembered_since = kept_since.max(delivery::forgotten_until(tx)?);
            let mut a = tx.account(account);
            let Some(hook) = store::webhook::find(&mut a, webhook)? else {
                return Ok(None);
            };
            if store::redelivery::under_way(&mut a, webhook)? >= UNDER_WAY_MAX {
                return Err(ReplayRefused::TooMany);
            }
            let hearing = hearing(&hook, remembered_since);
            let counted = store::redelivery::count(&mut a, &asked, hearing, COUNTED_MAX)?;
            Ok(Some(counted))
        })
        .await;
    if let Err(ReplayRefused::TooMany) = counted {
        // They may stand still for what waits: that the receiver is there is said all the same.
        hurry(tracking, account, webhook).await?;
    }
    let Some(counted) = counted? else {
        return Ok(None);
    };
    let row = Redelivery { counted, ..row };
    let (by, shared) = (tracking.whoever(row.created_at), tracking.clone());
    let written = tracking
        .store()
        .write(Key::webhook(webhook), move |tx| {
            let mut a = tx.account(account);
            let Some(hook) = store::webhook::lock(&mut a, webhook)? else {
                return Ok(None);
            };
            store::redelivery::forget(&mut a, webhook, row.created_at - SHOWN_FOR)?;
            if store::redelivery::under_way(&mut a, webhook)? >= UNDER_WAY_MAX {
                return Err(ReplayRefused::TooMany);
            }
            store::redelivery::insert(&mut a, &row)?;
            // What waits for another try may do so for hours, and what is sent again would wait behind it: who asks says that
            // the receiver is there.
            if hook.active {
                delivery::hurry(&mut a, webhook, shared.now(), shared.delivery_lease())?;
            }
            audit::note(&mut a, by, Action::RedeliveryStarted, row.id, detail(&row));
            Ok(Some(row.clone()))
        })
        .await?;
    tracking.nudges().replay();
    tracking.nudges().restart();
    tracking.nudges().deliver();
    Ok(written)
}

/// Has what waits for another try at this webhook tried at once, if it is active.
async fn hurry(
    tracking: &Tracking,
    account: AccountId,
    webhook: WebhookId,
) -> Result<(), store::Error> {
    let shared = tracking.clone();
    tracking
        .store()
        .write(Key::webhook(webhook), move |tx| {
            let a = &mut tx.account(account);
            if store::webhook::lock(a, webhook)?.is_some_and(|hook| hook.active) {
                delivery::hurry(a, webhook, shared.now(), shared.delivery_lease())?;
            }
            Ok::<_, store::Error>(())
        })
        .await?;
    tracking.nudges().restart();
    tracking.nudges().deliver();
    Ok(())
}

fn row(tracking: &Tracking, webhook: WebhookId, window: Window) -> Redelivery {
    let now = tracking.now();
    let id = id_source(now).draw();
    Redelivery {
        until: window.until.min(now),
        events: window.events,
        statuses: window.statuses,
        missed: window.missed,
        ..Redelivery::begin(id, webhook, window.from, now)
    }
}

/// What is noted of a window.
fn detail(row: &Redelivery) -> Detail {
    let events = row.events.iter().map(|event| event.as_str());
    let statuses = row.statuses.iter().map(|status| status.as_str());
    Detail::default()
        .with("webhook", row.webhook.to_string())
        .with("from", row.from.to_string())
        .with("until", row.until.to_string())
        .with("events", events.collect::<Vec<_>>())
        .with("statuses", statuses.collect::<Vec<_>>())
        .with("missed", row.missed)
}

/// What this webhook can have been told.
pub(super) fn hearing(hook: &Webhook, remembered_since: Timestamp) -> Hearing<'_> {
    Hearing {
        events: &hook.events,
        since: hook.created_at,
        remembered_since,
    }
}

/// The key of the line that deliveries of this notification stand in.
pub(super) fn order_key(about: &Notification) -> Option<uuid::Uuid> {
    let shipment = about.shipment.map(|id| id.0);
    let request = about.tracking_request.map(|id| id.0);
    about.container.map(|id| id.0).or(shipment).or(request)
}
