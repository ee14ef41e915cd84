//! Windows that are sent again, step by step.
//!
//! A step takes the next of both lists, what was sent and what was missed, in the order of time, and puts each
//! behind what is open in its line. It is one transaction, and the row of the redelivery moves on in it: a crash
//! repeats nothing and leaves nothing out. For what was missed a notification is made, as the outbox would have
//! made it at the time; its body is rendered when it is claimed, like any other, and shows what is true then.
//!
//! Sending a million at once would leave a million open deliveries, behind which all that happens meanwhile
//! would wait. So a step waits while [`OPEN_MAX`] deliveries of the webhook are open, whoever made them. A
//! webhook that is off is not walked at all; its redeliveries go on when it is on again.

use std::collections::HashMap;

use domain::ids::{AccountId, IdSource, RedeliveryId, WebhookId};
use domain::webhook::DeliveryStatus;
use jiff::Timestamp;
use store::notification::{Notification, OrderKey};
use store::redelivery::{self, Missed, Redelivery};
use store::webhook::Webhook;
use store::{AccountTx, Key, delivery};
use uuid::Uuid;

use super::redeliver::order_key;
use crate::{Tracking, id_source};

/// Notifications sent in one step.
const STEP_MAX: usize = 200;
/// Open deliveries of a webhook above which its redeliveries wait.
const OPEN_MAX: u32 = 1_000;
/// Redeliveries that take a step in one round.
const ROUND_MAX: u32 = 64;

/// Takes one step of each redelivery under way. Returns how many of them came further.
pub(crate) async fn advance(tracking: &Tracking) -> Result<usize, store::Error> {
    let under_way = tracking
        .store()
        .read(|tx| redelivery::next(tx, ROUND_MAX))
        .await?;
    let mut moved = 0;
    for (account, webhook, id) in under_way {
        moved += usize::from(step_of(tracking, account, webhook, id).await?);
    }
    if moved > 0 {
        tracking.nudges().deliver();
    }
    Ok(moved)
}

async fn step_of(
    tracking: &Tracking,
    account: AccountId,
    webhook: WebhookId,
    id: RedeliveryId,
) -> Result<bool, store::Error> {
    let now = tracking.now();
    let ids = id_source(now);
    tracking
        .store()
        .write(Key::webhook(webhook), move |tx| {
            let mut a = tx.account(account);
            let Some(row) = redelivery::lock(&mut a, id)? else {
                return Ok(false);
            };
            let hook = store::webhook::find(&mut a, webhook)?;
            let full = delivery::open_of(&mut a, webhook, OPEN_MAX)? >= OPEN_MAX;
            match hook.filter(|hook| hook.active && !full) {
                Some(hook) => step(&mut a, &hook, row, &mut ids.clone(), now).map(|()| true),
                None => Ok(false),
            }
        })
        .await
}

/// Sends the next of a redelivery that is held.
fn step(
    a: &mut AccountTx<'_>,
    hook: &Webhook,
    mut row: Redelivery,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<(), store::Error> {
    let limit = u32::try_from(STEP_MAX).unwrap_or(u32::MAX);
    let kept = redelivery::kept_after(a, &row, limit)?;
    let missed = redelivery::missed_after(a, &row, &hook.events, limit)?;
    let all = kept.len() + missed.len();
    let next = merged(kept, missed);
    for sent in &next {
        match sent {
            Sent::Kept(about) => row.kept = (about.created_at, about.id),
            Sent::Missed(event) => row.missed_until = event.id,
        }
    }
    send(a, hook.id, &next, ids, now)?;
    row.redelivered += i64::try_from(next.len()).unwrap_or(i64::MAX);
    row.finished_at = (all < STEP_MAX).then_some(now);
    redelivery::advance(a, &row)
}

/// One thing to send.
enum Sent {
    /// A notification that was sent before.
    Kept(Notification),
    /// An event that was not.
    Missed(Missed),
}

impl Sent {
    fn at(&self) -> Timestamp {
        match self {
            Self::Kept(about) => about.created_at,
            Self::Missed(event) => event.created_at,
        }
    }
}

/// The first of both lists, by time. Each list keeps its own order.
fn merged(kept: Vec<Notification>, missed: Vec<Missed>) -> Vec<Sent> {
    let mut kept = kept.into_iter().map(Sent::Kept).peekable();
    let mut missed = missed.into_iter().map(Sent::Missed).peekable();
    let mut next = Vec::with_capacity(STEP_MAX);
    while next.len() < STEP_MAX {
        let first = match (kept.peek(), missed.peek()) {
            (Some(one), Some(other)) if other.at() < one.at() => missed.next(),
            (Some(_), _) => kept.next(),
            (None, _) => missed.next(),
        };
        let Some(first) = first else { break };
        next.push(first);
    }
    next
}

/// Puts each behind what is open in its line.
fn send(
    a: &mut AccountTx<'_>,
    webhook: WebhookId,
    next: &[Sent],
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<(), store::Error> {
    let about: Vec<(Notification, bool)> = next
        .iter()
        .map(|sent| match sent {
            Sent::Kept(about) => (about.clone(), false),
            Sent::Missed(event) => (notification(event, webhook, ids, now), true),
        })
        .collect();
    let mut keys: Vec<Uuid> = about.iter().filter_map(|(one, _)| order_key(one)).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut tails: HashMap<Uuid, i64> = delivery::tails(a, webhook, &keys)?;
    let (mut again, mut fresh) = (Vec::new(), Vec::new());
    for (one, is_new) in about {
        let Some(key) = order_key(&one) else { continue };
        let tail = tails.entry(key).or_insert(0);
        *tail += 1;
        let order = OrderKey {
            key,
            sequence: *tail,
        };
        if is_new {
            fresh.push((one, order));
        } else {
            again.push((one.id, one.webhook, order));
        }
    }
    delivery::again(a, &again, now)?;
    store::notification::insert(a, &fresh)?;
    Ok(())
}

/// What the outbox would have written, but for the time.
fn notification(
    event: &Missed,
    webhook: WebhookId,
    ids: &mut IdSource,
    now: Timestamp,
) -> Notification {
    let request = event.tracking_request.map(|id| id.0);
    Notification {
        id: ids.draw(),
        webhook,
        event: event.name,
        reference_type: event.reference_type.clone(),
        reference: request.unwrap_or(event.id.0),
        container: event.container,
        shipment: event.shipment,
        tracking_request: event.tracking_request,
        version: event.version,
        created_at: now,
        status: DeliveryStatus::Pending,
    }
}

#[cfg(test)]
mod tests {
    use domain::event::EventName;
    use jiff::SignedDuration;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second)
    }

    fn missed(second: i64) -> Missed {
        Missed {
            id: Uuid::from_u128(u128::try_from(second).unwrap()).into(),
            name: EventName::ContainerUpdated,
            reference_type: "container_updated_event".into(),
            container: None,
            shipment: None,
            tracking_request: None,
            version: 1,
            created_at: at(second),
        }
    }

    fn kept(second: i64) -> Notification {
        let mut ids = id_source(at(second));
        notification(&missed(second), Uuid::nil().into(), &mut ids, at(second))
    }

    #[test]
    fn both_lists_are_sent_in_the_order_of_time() {
        let next = merged(
            vec![kept(1), kept(5)],
            vec![missed(2), missed(3), missed(9)],
        );
        let order: Vec<Timestamp> = next.iter().map(Sent::at).collect();
        assert_eq!(order, [1, 2, 3, 5, 9].map(at));
        let many = (0..150).map(|second| missed(2 * second)).collect();
        let next = merged((0..150).map(|second| kept(2 * second + 1)).collect(), many);
        let order: Vec<Timestamp> = next.iter().map(Sent::at).collect();
        let first = i64::try_from(STEP_MAX).unwrap();
        assert_eq!(order, (0..first).map(at).collect::<Vec<_>>());
    }
}
