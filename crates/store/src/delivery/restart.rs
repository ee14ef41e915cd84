//! Beginning what waits for a webhook again: it leads elsewhere, or is switched on.
//!
//! A receiver that was in trouble for a day may have a million deliveries that wait for another try. Changed in one statement
//! with their webhook they would hold the writer of SQLite for half a minute, PostgreSQL would end the statement before it is
//! done, at every try, and nobody could lead such a webhook elsewhere. So they are gone through in steps: along their lines where
//! they begin anew, and else as long as any wait. The first is taken with the change, and a row says how far it has come, for
//! whoever [goes on](go_on). A crash repeats a step or none, and what is changed by it is found as it should be.
//!
//! What is claimed before a step has come to it counts its tries from the first, as if the step had: of a webhook that leads elsewhere
//! it is [read](super::claimed) so, of one that is hurried its [claim](super::claim_due) writes it so. It is due only when its time
//! has come, or the step. What was tried since the beginning, and waits for what came of that, is not hurried by a step that comes
//! later.
//!
//! What is in hand at the beginning is with a receiver that the change was to mend: its attempt ends as it began, and is marked. When
//! it goes wrong, settling makes it due at once and lets it begin anew, as if it had waited. It is the delivery that is marked, and
//! not its webhook with a time: what begins later has its own schedule, however often somebody asks and whatever a clock says.
//! On PostgreSQL a claim may not have seen the beginning that was written beside it: what it holds is found by the hold, by the same
//! step or the next.

use domain::ids::{AccountId, NotificationId, WebhookId};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::db::{Row, Value, pieces, placeholders};
use crate::{AccountTx, Error, Tx, webhook};

/// Rows that one step looks at.
pub const RESTARTED_AT_ONCE_MAX: usize = 1_000;

/// A delivery begins its schedule anew: what it was refused and how often counts no more. Its attempts stay on record.
pub(super) const ANEW: &str =
    "attempts_before = attempts_before + attempts, attempts = 0, refusals = 0";

/// Those that a restart, `r`, has not come to yet.
pub(super) const AHEAD: &str =
    "(d.order_key, d.sequence, d.notification_id) > (r.order_key, r.sequence, r.notification_id)";

/// Whether a delivery was tried before its webhook was hurried, and no step has come to it yet.
pub(super) const TO_BE_HURRIED: &str = "attempts > 0 and exists (
    select 1 from restarts r where r.webhook_id = deliveries.webhook_id and not r.is_anew
        and not exists (select 1 from attempts t
            where t.notification_id = deliveries.notification_id and t.started_at >= r.begun_at))";

/// An attempt that began later than when what waits was begun again, which is at this place among the values; none where that is
/// null.
fn tried(later: Later, place: usize) -> String {
    let later = match later {
        Later::After => ">",
        Later::SameMoment => ">=",
    };
    format!(
        "select 1 from attempts t
         where t.notification_id = deliveries.notification_id and t.started_at {later} ${place}"
    )
}

/// What is later, where a clock may stand.
#[derive(Clone, Copy)]
enum Later {
    /// Who goes along the lines comes to each once.
    After,
    /// Who looks for what waits would come for ever to what fails in that moment.
    SameMoment,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restarted {
    /// Deliveries that were changed, but for what is in hand of a webhook that leads elsewhere.
    pub changed: u64,
    /// Whether there may be more, for [`go_on`].
    pub more: bool,
}

/// The webhook leads elsewhere: what was tried begins its schedule anew, and is due at once where it waits in nobody's hand.
/// What is in hand, leased for no longer than `lease`, does so when it goes wrong, even should the webhook lead back by then; numbers
/// stay as they are counted. The webhook is locked. Takes the first step.
pub fn lead_elsewhere(
    a: &mut AccountTx,
    webhook: WebhookId,
    now: Timestamp,
    lease: SignedDuration,
) -> Result<Restarted, Error> {
    begin(a, webhook, true, now, lease)
}

/// What was tried at this webhook, in nobody's hand, begins its schedule anew and is due at once: the wait was for what has changed,
/// and no try of it is spent by that. What is in hand, leased for no longer than `lease`, is marked: when it goes wrong it does so,
/// too. The webhook is locked. Takes the first step.
pub fn hurry(
    a: &mut AccountTx,
    webhook: WebhookId,
    now: Timestamp,
    lease: SignedDuration,
) -> Result<Restarted, Error> {
    begin(a, webhook, false, now, lease)
}

/// Those of these that are open begin their schedules anew and are due, but for what waits in line. What is being attempted is
/// marked, and begins anew when that goes wrong. Which are open.
pub(super) fn pull_forward(
    a: &mut AccountTx,
    ids: &[NotificationId],
    now: Timestamp,
) -> Result<Vec<NotificationId>, Error> {
    let open = lock(a, ids)?;
    for piece in pieces(&open) {
        let mut values = vec![now.into()];
        values.extend(piece.iter().map(|id| Value::from(*id)));
        let places = placeholders(3, piece.len());
        a.execute(
            &format!(
                "update deliveries set {ANEW}, is_hurried = lease_owner is not null,
                     due_at = case when lease_owner is null and due_at is not null then $2
                         else due_at end
                 where account_id = $1 and notification_id in ({places})"
            ),
            &values,
        )?;
    }
    Ok(open)
}

/// Locks those of these that are open, in the order in which all do; which are.
fn lock(a: &mut AccountTx, ids: &[NotificationId]) -> Result<Vec<NotificationId>, Error> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    let mut open = Vec::with_capacity(ids.len());
    for piece in pieces(&ids) {
        let values: Vec<Value<'_>> = piece.iter().map(|id| Value::from(*id)).collect();
        let places = placeholders(2, piece.len());
        open.extend(a.locking(
            &format!(
                "select notification_id from deliveries
                 where account_id = $1 and notification_id in ({places})
                 order by notification_id /*pg for update*/"
            ),
            &values,
            |row| row.id::<NotificationId>("notification_id"),
        )?);
    }
    Ok(open)
}

/// Takes the next step.
pub fn go_on(a: &mut AccountTx, webhook: WebhookId, now: Timestamp) -> Result<Restarted, Error> {
    let is_there = webhook::lock(a, webhook)?.is_some();
    match read(a, webhook)? {
        Some(way) if is_there => step(a, webhook, &way, None, now),
        _ => {
            end(a, webhook)?;
            let (changed, more) = (0, false);
            Ok(Restarted { changed, more })
        }
    }
}

/// The next webhooks of all accounts after this one that have more steps to be taken.
pub fn under_way(
    tx: &mut Tx,
    after: WebhookId,
    limit: u32,
) -> Result<Vec<(AccountId, WebhookId)>, Error> {
    tx.query(
        "select account_id, webhook_id from restarts where webhook_id > $1
         order by webhook_id limit $2",
        &[after.into(), limit.into()],
        |row| Ok((row.id("account_id")?, row.id("webhook_id")?)),
    )
}

/// A place in the order of lines.
#[derive(Clone, Copy)]
struct Place {
    order_key: Uuid,
    sequence: i64,
    id: NotificationId,
}

impl Place {
    const FIRST: Self = Self {
        order_key: Uuid::nil(),
        sequence: i64::MIN,
        id: NotificationId(Uuid::nil()),
    };

    fn read(row: &Row<'_>) -> Result<Self, Error> {
        Ok(Self {
            order_key: row.get("order_key")?,
            sequence: row.get("sequence")?,
            id: row.id("notification_id")?,
        })
    }
}

/// How far a restart has come.
struct Way {
    is_anew: bool,
    until: Place,
    /// When it began; `None` in its first step, before which nothing can have been tried since.
    begun_at: Option<Timestamp>,
}

/// One that is under way begins from the start, for all that it was for.
fn begin(
    a: &mut AccountTx,
    webhook: WebhookId,
    is_anew: bool,
    now: Timestamp,
    lease: SignedDuration,
) -> Result<Restarted, Error> {
    let before = read(a, webhook)?;
    let way = Way {
        is_anew: is_anew || before.is_some_and(|way| way.is_anew),
        until: Place::FIRST,
        begun_at: None,
    };
    step(a, webhook, &way, Some(lease), now)
}

fn read(a: &mut AccountTx, webhook: WebhookId) -> Result<Option<Way>, Error> {
    a.query_one(
        "select is_anew, order_key, sequence, notification_id, begun_at from restarts
         where account_id = $1 and webhook_id = $2",
        &[webhook.into()],
        |row| {
            Ok(Way {
                is_anew: row.get("is_anew")?,
                until: Place::read(row)?,
                begun_at: row.get("begun_at")?,
            })
        },
    )
}

/// What is in hand is marked with the first, which names the lease. It is looked for after what waits, so that what is claimed beside
/// this is there or here, and locked with it, in the order in which everybody locks.
fn step(
    a: &mut AccountTx,
    webhook: WebhookId,
    way: &Way,
    lease: Option<SignedDuration>,
    now: Timestamp,
) -> Result<Restarted, Error> {
    let is_held = |a: &mut AccountTx| match lease {
        Some(lease) => in_hand(a, webhook, now, lease),
        None => Ok(Vec::new()),
    };
    // One time for all steps: what one has made due stands there, and is not looked at by the next.
    let begun_at = way.begun_at.unwrap_or(now);
    let (looked_at, last, changed) = if way.is_anew {
        let next = next(a, webhook, way)?;
        let tried = next.iter().filter(|next| next.was_tried);
        let tried: Vec<NotificationId> = tried.map(|next| next.place.id).collect();
        let held = is_held(a)?;
        lock(a, &[tried.as_slice(), &held].concat())?;
        let changed = begin_anew(a, &tried, way, now)?;
        pull_forward(a, &held, begun_at)?;
        (next.len(), next.last().map(|next| next.place), changed)
    } else {
        let mut ids = waiting(a, webhook, way, now)?;
        let looked_at = ids.len();
        ids.extend(is_held(a)?);
        ids.sort_unstable();
        ids.dedup();
        let open = pull_forward(a, &ids, begun_at)?;
        (looked_at, Some(Place::FIRST), open.len() as u64)
    };
    let more = looked_at >= RESTARTED_AT_ONCE_MAX;
    match last.filter(|_| more) {
        Some(until) => {
            let begun_at = Some(begun_at);
            let way = Way {
                until,
                begun_at,
                ..*way
            };
            keep(a, webhook, &way)?;
        }
        None => end(a, webhook)?,
    }
    Ok(Restarted { changed, more })
}

/// One along the lines.
struct Next {
    place: Place,
    was_tried: bool,
}

/// The next along the lines.
fn next(a: &mut AccountTx, webhook: WebhookId, way: &Way) -> Result<Vec<Next>, Error> {
    let Place {
        order_key,
        sequence,
        id,
    } = way.until;
    a.query(
        &format!(
            "select order_key, sequence, notification_id, attempts > 0 as was_tried
             from deliveries
             where account_id = $1 and webhook_id = $2
                 and (order_key, sequence, notification_id) > ($3, $4, $5)
             order by order_key, sequence, notification_id
             limit {RESTARTED_AT_ONCE_MAX}"
        ),
        &[
            webhook.into(),
            Value::Id(order_key),
            sequence.into(),
            id.into(),
        ],
        |row| {
            let (place, was_tried) = (Place::read(row)?, row.get("was_tried")?);
            Ok(Next { place, was_tried })
        },
    )
}

/// The next that wait for a time, were tried and have come to it since the beginning, or are held by somebody who had not seen it, and
/// then those that were tried and had come to it before, or whose lease had run out: few among many that wait in line. None is of
/// either once it is due as of the beginning, or has begun anew. They are looked for by two stretches: as one they would be read
/// again, with all that is due, in each step. The second goes along an index of those that were tried, for there may be a million
/// beside them that were not.
fn waiting(
    a: &mut AccountTx,
    webhook: WebhookId,
    way: &Way,
    now: Timestamp,
) -> Result<Vec<NotificationId>, Error> {
    let begun_at = way.begun_at.unwrap_or(now);
    // Whoever takes this step may be behind whoever took the first.
    let now = now.max(begun_at);
    let tried_since = tried(Later::SameMoment, 5);
    let mut found = Vec::new();
    for (stretch, which) in [
        (
            "due_at > $3",
            "(attempts > 0 or (due_at > $4 and lease_owner is null))",
        ),
        (
            "due_at is not null and attempts > 0 and due_at <= $3",
            "due_at <= $4",
        ),
    ] {
        let left = RESTARTED_AT_ONCE_MAX - found.len();
        if left == 0 {
            break;
        }
        found.extend(a.query(
            &format!(
                "select notification_id from deliveries
                 where account_id = $1 and webhook_id = $2 and {stretch} and {which}
                     and not exists ({tried_since})
                 order by due_at limit {left}"
            ),
            &[
                webhook.into(),
                begun_at.into(),
                now.into(),
                way.begun_at.into(),
            ],
            |row| row.id::<NotificationId>("notification_id"),
        )?);
    }
    Ok(found)
}

/// What is in hand, at whatever node: among what comes to its time soon, which is when the lease ends.
fn in_hand(
    a: &mut AccountTx,
    webhook: WebhookId,
    now: Timestamp,
    lease: SignedDuration,
) -> Result<Vec<NotificationId>, Error> {
    // Twice, for one whose clock is ahead.
    let latest = now.checked_add(lease.saturating_mul(2));
    let latest = latest.unwrap_or(Timestamp::MAX);
    a.query(
        "select notification_id from deliveries
         where account_id = $1 and webhook_id = $2 and due_at > $3 and due_at <= $4
             and lease_owner is not null",
        &[webhook.into(), now.into(), latest.into()],
        |row| row.id("notification_id"),
    )
}

/// Those of these that were tried begin their schedule anew, and are due where they wait in nobody's hand for an attempt before.
fn begin_anew(
    a: &mut AccountTx,
    ids: &[NotificationId],
    way: &Way,
    now: Timestamp,
) -> Result<u64, Error> {
    let tried_since = tried(Later::After, 3);
    let mut changed = 0;
    for piece in pieces(&lock(a, ids)?) {
        let mut values = vec![now.into(), way.begun_at.into()];
        values.extend(piece.iter().map(|id| Value::from(*id)));
        let places = placeholders(4, piece.len());
        changed += a.execute(
            &format!(
                "update deliveries set {ANEW},
                     due_at = case when lease_owner is null and due_at > $2
                         and not exists ({tried_since}) then $2 else due_at end
                 where account_id = $1 and notification_id in ({places}) and attempts > 0"
            ),
            &values,
        )?;
    }
    Ok(changed)
}

fn keep(a: &mut AccountTx, webhook: WebhookId, way: &Way) -> Result<(), Error> {
    let Place {
        order_key,
        sequence,
        id,
    } = way.until;
    a.execute(
        "insert into restarts
             (account_id, webhook_id, is_anew, order_key, sequence, notification_id, begun_at)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (webhook_id) do update
             set is_anew = excluded.is_anew, order_key = excluded.order_key,
                 sequence = excluded.sequence, notification_id = excluded.notification_id,
                 begun_at = excluded.begun_at",
        &[
            webhook.into(),
            way.is_anew.into(),
            Value::Id(order_key),
            sequence.into(),
            id.into(),
            way.begun_at.into(),
        ],
    )?;
    Ok(())
}

fn end(a: &mut AccountTx, webhook: WebhookId) -> Result<(), Error> {
    a.execute(
        "delete from restarts where account_id = $1 and webhook_id = $2",
        &[webhook.into()],
    )?;
    Ok(())
}
