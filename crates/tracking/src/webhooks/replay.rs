//! Windows that are sent again, step by step.
//!
//! A step takes the next of both lists, what was sent and what was missed, in the order of time, and puts each
//! behind what is open in its line. It is one transaction, and the row of the redelivery moves on in it: a crash
//! repeats nothing and leaves nothing out. For what was missed a notification is made, as the outbox would have
//! made it at the time; its body is rendered when it is claimed, like any other, and shows what is true then.
//!
//! Sending a million at once would leave a million open deliveries, behind which all that happens meanwhile
//! would wait. So a step waits while [`OPEN_MAX`] deliveries of the webhook are open, whoever made them. A
//! webhook that is off is not walked at all; its redeliveries go on when it is on again. A round goes through all
//! windows, page by page: those that wait, however many, hold up nobody else's. Of an account one takes a step in a round, the
//! oldest that can: who asks for thousands of windows waits for his own, and others wait for one step of his.
//!
//! Ids and times are drawn before the commit. So what happened before the end of a window may come to light after it
//! was asked for, behind ids that are passed already. Whoever looks for what was missed therefore goes no further than
//! [`SETTLED_AFTER`] before now, in both lists, and is done when that is the end of the window. One that has come so far before its
//! end has settled is left alone until it has.
//!
//! Of a window little may be wanted. A step looks at [`LOOKED_AT_MAX`] rows of either list and remembers how far it
//! came, whether it found something or not: no transaction is longer for a window that is larger.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use domain::ids::{AccountId, EventId, IdSource, NotificationId, RedeliveryId, WebhookId};
use domain::webhook::DeliveryStatus;
use jiff::{SignedDuration, Timestamp};
use store::notification::{Notification, OrderKey};
use store::redelivery::{self, Hearing, Looked, Missed, Redelivery, WalksTo};
use store::{AccountTx, Key, Tx, delivery};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::redeliver::{hearing, order_key};
use crate::{Tracking, id_source};

/// Notifications sent in one step.
const STEP_MAX: usize = 200;
/// Rows of either list looked at in one step.
const LOOKED_AT_MAX: usize = 1_000;
/// Open deliveries of a webhook above which its redeliveries wait.
const OPEN_MAX: u32 = 1_000;
/// Redeliveries that are looked at together.
const PAGE_MAX: u32 = 64;
/// By then what was begun at a moment stands or never will: more than a use case waits and takes. A statement ends
/// after 5 seconds and an idle transaction after 15 on PostgreSQL; SQLite, which gives a use case 10, has one writer.
const SETTLED_AFTER: SignedDuration = SignedDuration::from_secs(30);
/// Wait of a redelivery of which a step has failed, in which others of its account have their turn: longer than a step or a round
/// takes, or it would have every turn.
const AFTER_FAILURE: SignedDuration = SignedDuration::from_secs(30);

/// Goes through redeliveries under way, round by round.
#[derive(Default)]
pub(crate) struct Rounds {
    /// Until when nothing is to be done for some: their end has not settled, or a step of theirs has just failed. Nothing is lost
    /// with it but a step that finds nothing to do.
    waits: Arc<HashMap<RedeliveryId, Timestamp>>,
}

impl Rounds {
    /// Takes a round, until told to stop: a step of one redelivery of each account. Returns how many steps were taken; when there
    /// was none, nothing can go on for now.
    pub(crate) async fn advance(
        &mut self,
        tracking: &Tracking,
        stop: &CancellationToken,
    ) -> Result<usize, store::Error> {
        let now = tracking.now();
        Arc::make_mut(&mut self.waits).retain(|_, until| *until > now);
        let (mut steps, mut after) = (0, RedeliveryId(Uuid::nil()));
        let mut had_their_turn = Arc::new(BTreeSet::new());
        let mut rooms = HashMap::new();
        while !stop.is_cancelled() {
            let skipped = (Arc::clone(&had_their_turn), Arc::clone(&self.waits));
            let known = rooms;
            let read = tracking.store().read(move |tx| {
                let (mut rooms, (had_their_turn, waits)) = (known.clone(), &skipped);
                let page = page(tx, after, had_their_turn, waits, &mut rooms)?;
                Ok::<_, store::Error>((page, rooms))
            });
            let page;
            (page, rooms) = read.await?;
            let Some(last) = page.last() else { break };
            after = last.id;
            for turn in page.iter().filter(|turn| turn.can_go_on) {
                if stop.is_cancelled() {
                    break;
                }
                if !Arc::make_mut(&mut had_their_turn).insert(turn.account) {
                    continue;
                }
                let waits_until = match step_of(tracking, turn).await {
                    Ok(Went::On | Went::ToItsEnd) => None,
                    Ok(Went::AsFarAsSettled(until)) => Some(until),
                    Ok(Went::Nowhere) => continue,
                    Err(error) => {
                        let redelivery = turn.id;
                        tracing::warn!(%redelivery, %error, "a redelivery could not go on; it is tried again soon");
                        Some(tracking.now() + AFTER_FAILURE)
                    }
                };
                steps += 1;
                if let Some(until) = waits_until {
                    Arc::make_mut(&mut self.waits).insert(turn.id, until);
                }
                tracking.nudges().deliver();
            }
        }
        Ok(steps)
    }
}

/// A redelivery whose turn it may be.
struct Turn {
    account: AccountId,
    webhook: WebhookId,
    id: RedeliveryId,
    can_go_on: bool,
}

/// The next redeliveries after this one. Whether there is room is asked for here already: one that waits costs a look,
/// and no place among those who write. It is not asked for those whose turn it is not in this round.
fn page(
    tx: &mut Tx,
    after: RedeliveryId,
    had_their_turn: &BTreeSet<AccountId>,
    waits: &HashMap<RedeliveryId, Timestamp>,
    rooms: &mut HashMap<WebhookId, u32>,
) -> Result<Vec<Turn>, store::Error> {
    let mut turns = Vec::new();
    for (account, webhook, id) in redelivery::next(tx, after, PAGE_MAX)? {
        let its_turn = !had_their_turn.contains(&account) && !waits.contains_key(&id);
        let has_room = match rooms.get(&webhook) {
            Some(known) => *known > 0,
            None if its_turn => {
                let room = room(&mut tx.account(account), webhook)?;
                rooms.insert(webhook, room);
                room > 0
            }
            None => false,
        };
        turns.push(Turn {
            account,
            webhook,
            id,
            can_go_on: its_turn && has_room,
        });
    }
    Ok(turns)
}

/// How many more deliveries of a webhook may be open.
fn room(a: &mut AccountTx<'_>, webhook: WebhookId) -> Result<u32, store::Error> {
    let open = delivery::open_of(a, webhook, OPEN_MAX)?;
    Ok(OPEN_MAX.saturating_sub(open))
}

/// How far a step has taken a redelivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Went {
    /// There is more of it.
    On,
    /// It is done.
    ToItsEnd,
    /// What is left of it will have settled at this time.
    AsFarAsSettled(Timestamp),
    /// Another node holds it, its webhook was switched off, or there is no room.
    Nowhere,
}

async fn step_of(tracking: &Tracking, turn: &Turn) -> Result<Went, store::Error> {
    let Turn {
        account,
        webhook,
        id,
        ..
    } = *turn;
    let now = tracking.now();
    let kept_since = tracking.notifications_kept_since();
    let ids = id_source(now);
    tracking
        .store()
        .write(Key::webhook(webhook), move |tx| {
            let mut a = tx.account(account);
            let Some(row) = redelivery::lock(&mut a, id)? else {
                return Ok(Went::Nowhere);
            };
            let hook = store::webhook::find(&mut a, webhook)?;
            let room = room(&mut a, webhook)?;
            let Some(hook) = hook.filter(|hook| hook.active && room > 0) else {
                return Ok(Went::Nowhere);
            };
            let remembered_since = kept_since.max(delivery::hold_forgotten_until(a.tx())?);
            let hearing = hearing(&hook, remembered_since);
            let room = usize::try_from(room).unwrap_or(usize::MAX).min(STEP_MAX);
            step(&mut a, hearing, row, room, &mut ids.clone(), now)
        })
        .await
}

/// Sends the next of a redelivery that is held, `room` at most.
fn step(
    a: &mut AccountTx<'_>,
    hearing: Hearing<'_>,
    mut row: Redelivery,
    room: usize,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Went, store::Error> {
    let looked_at = u32::try_from(LOOKED_AT_MAX).unwrap_or(u32::MAX);
    let settled = settled(&row, now);
    let kept = redelivery::kept_after(a, &settled, looked_at)?;
    let walks_to = if settled.until == row.until {
        WalksTo::ItsEnd
    } else {
        WalksTo::Meanwhile
    };
    let missed = redelivery::missed_after(a, &settled, hearing, walks_to, looked_at)?;
    let step = merged(kept, missed, room);
    let is_done = step.is_last && walks_to == WalksTo::ItsEnd;
    row.kept = step.kept_until.unwrap_or(row.kept);
    row.missed_until = step.missed_until.unwrap_or(row.missed_until);
    let sent = send(a, row.webhook, &step.next, ids, now)?;
    row.redelivered += i64::try_from(sent).unwrap_or(i64::MAX);
    row.finished_at = is_done.then_some(now);
    redelivery::advance(a, &row)?;
    Ok(match (step.is_last, is_done) {
        (true, true) => Went::ToItsEnd,
        // What has settled ends with a whole millisecond, so that the window's end may have to wait for the next one.
        (true, false) => {
            let next = now + SignedDuration::from_millis(1);
            Went::AsFarAsSettled(next.max(row.until + SETTLED_AFTER))
        }
        (false, _) => Went::On,
    })
}

/// The part of a window that has settled: nothing comes to light in it any more. It ends with a whole millisecond,
/// as ids do, so that the next step takes up where it ends. What was sent before is no news: where nothing
/// missed is asked for, there is nothing to wait for.
fn settled(row: &Redelivery, now: Timestamp) -> Redelivery {
    let settled = (now - SETTLED_AFTER).as_millisecond();
    let settled = Timestamp::from_millisecond(settled).unwrap_or(Timestamp::MIN);
    let until = if row.missed {
        row.until.min(settled)
    } else {
        row.until
    };
    Redelivery {
        until,
        ..row.clone()
    }
}

/// One thing to send.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sent {
    /// A notification that was sent before.
    Kept(Notification),
    /// An event that was not.
    Missed(Missed),
}

/// What a step sends, and how far it comes in either list.
#[derive(Debug, Default, PartialEq, Eq)]
struct Step {
    next: Vec<Sent>,
    kept_until: Option<(Timestamp, NotificationId)>,
    missed_until: Option<EventId>,
    is_last: bool,
}

impl Step {
    fn pass_kept(&mut self, looked: Looked<Notification>) {
        self.kept_until = Some((looked.row.created_at, looked.row.id));
        let wanted = looked.wanted.then_some(Sent::Kept(looked.row));
        self.next.extend(wanted);
    }

    fn pass_missed(&mut self, looked: Looked<Missed>) {
        self.missed_until = Some(looked.row.id);
        let wanted = looked.wanted.then_some(Sent::Missed(looked.row));
        self.next.extend(wanted);
    }
}

/// The first of both lists, by time, until `room` are to be sent. Each list keeps its own order. Where one list
/// ends because no more of it was looked at, the other one goes no further: what follows in the first may be
/// earlier.
fn merged(kept: Vec<Looked<Notification>>, missed: Vec<Looked<Missed>>, room: usize) -> Step {
    let (kept_cut, missed_cut) = (kept.len() >= LOOKED_AT_MAX, missed.len() >= LOOKED_AT_MAX);
    let (mut kept, mut missed) = (kept.into_iter().peekable(), missed.into_iter().peekable());
    let mut step = Step::default();
    while step.next.len() < room {
        let missed_first = match (kept.peek(), missed.peek()) {
            (Some(one), Some(other)) => other.row.created_at < one.row.created_at,
            (Some(_), None) if !missed_cut => false,
            (None, Some(_)) if !kept_cut => true,
            (one, other) => {
                let at_the_end = one.is_none() && other.is_none();
                step.is_last = at_the_end && !kept_cut && !missed_cut;
                break;
            }
        };
        if missed_first {
            missed
                .next()
                .into_iter()
                .for_each(|looked| step.pass_missed(looked));
        } else {
            kept.next()
                .into_iter()
                .for_each(|looked| step.pass_kept(looked));
        }
    }
    step
}

/// Puts each behind what is open in its line. How many: what another node has told of meanwhile is not told twice.
fn send(
    a: &mut AccountTx<'_>,
    webhook: WebhookId,
    next: &[Sent],
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<usize, store::Error> {
    let about = next.iter().map(|sent| match sent {
        Sent::Kept(about) => (about.clone(), false),
        Sent::Missed(event) => (notification(event, webhook, ids, now), true),
    });
    let about = by_version(about.collect());
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
    let told = store::notification::insert(a, &fresh)?;
    Ok(again.len() + told)
}

/// In their line, those that tell of one record go by its versions, each at the place of another of them. What was written of
/// it in one moment, or made up for later, stands in either list as its time and its id fell out.
fn by_version(about: Vec<(Notification, bool)>) -> Vec<(Notification, bool)> {
    let mut of_record: HashMap<(Uuid, bool), Vec<usize>> = HashMap::new();
    for (place, (one, _)) in about.iter().enumerate() {
        let of_request = one.reference_type == "tracking_request";
        if let Some(line) = order_key(one) {
            of_record.entry((line, of_request)).or_default().push(place);
        }
    }
    let mut about: Vec<_> = about.into_iter().map(Some).collect();
    for places in of_record.into_values() {
        let rows = places.iter().filter_map(|at| about.get_mut(*at)?.take());
        let mut rows: Vec<_> = rows.collect();
        rows.sort_by_key(|(one, _)| one.version);
        for (place, row) in places.into_iter().zip(rows) {
            if let Some(free) = about.get_mut(place) {
                *free = Some(row);
            }
        }
    }
    about.into_iter().flatten().collect()
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

    fn looked<T>(rows: impl IntoIterator<Item = T>) -> Vec<Looked<T>> {
        let rows = rows.into_iter();
        rows.map(|row| Looked { row, wanted: true }).collect()
    }

    fn seconds(step: &Step) -> Vec<i64> {
        let times = step.next.iter().map(|sent| match sent {
            Sent::Kept(about) => about.created_at,
            Sent::Missed(event) => event.created_at,
        });
        times.map(Timestamp::as_second).collect()
    }

    #[test]
    fn both_lists_are_sent_in_the_order_of_time() {
        let step = merged(
            looked([kept(1), kept(5)]),
            looked([missed(2), missed(3), missed(9)]),
            STEP_MAX,
        );
        assert_eq!(seconds(&step), [1, 2, 3, 5, 9]);
        assert!(step.is_last);
        assert_eq!(step.missed_until, Some(missed(9).id));
        let step = merged(
            looked((0..150).map(|second| kept(2 * second + 1))),
            looked((0..150).map(|second| missed(2 * second))),
            STEP_MAX,
        );
        assert_eq!(seconds(&step), (0..200).collect::<Vec<_>>());
        assert_eq!(step.missed_until, Some(missed(198).id));
        assert_eq!(step.kept_until.map(|(time, _)| time), Some(at(199)));
        assert!(!step.is_last);
    }

    /// The news of a request stand in the line of its shipment, and have versions of their own.
    #[test]
    fn what_is_told_of_one_record_goes_by_its_versions() {
        let shipment = |second, version| {
            let event = Missed {
                shipment: Some(Uuid::from_u128(1).into()),
                version,
                ..missed(second)
            };
            let mut ids = id_source(at(second));
            notification(&event, Uuid::nil().into(), &mut ids, at(second))
        };
        let request = |second, version| Notification {
            reference_type: "tracking_request".into(),
            ..shipment(second, version)
        };
        let rows = [shipment(1, 6), request(2, 9), shipment(3, 5), request(4, 8)];
        let again = by_version(rows.map(|row| (row, false)).into());
        let versions: Vec<i64> = again.iter().map(|(row, _)| row.version).collect();
        assert_eq!(versions, [5, 8, 6, 9]);
    }

    #[test]
    fn what_is_not_wanted_is_passed_by() {
        let mut rows = looked((1..10).map(kept));
        for passed in &mut rows[3..] {
            passed.wanted = false;
        }
        let step = merged(rows, looked([missed(5)]), STEP_MAX);
        assert_eq!(seconds(&step), [1, 2, 3, 5]);
        assert_eq!(step.kept_until.map(|(time, _)| time), Some(at(9)));
        assert!(step.is_last);
    }

    #[test]
    fn a_list_that_was_cut_holds_the_other_back() {
        let cut = i64::try_from(LOOKED_AT_MAX).unwrap();
        let mut rows = looked((0..cut).map(kept));
        for passed in &mut rows {
            passed.wanted = false;
        }
        let step = merged(rows, looked([missed(7), missed(cut + 7)]), STEP_MAX);
        assert_eq!(seconds(&step), [7]);
        assert_eq!(step.missed_until, Some(missed(7).id));
        assert_eq!(step.kept_until.map(|(time, _)| time), Some(at(cut - 1)));
        assert!(!step.is_last);
        let step = merged(looked([kept(3)]), looked((0..cut).map(missed)), 9);
        assert_eq!(seconds(&step), [0, 1, 2, 3, 3, 4, 5, 6, 7]);
    }
}
