//! What a clock that was ahead has left waiting for longer than was meant.
//!
//! Whatever waits has the time at which it is due. Written by a clock that was eight hours ahead (a machine that starts with its
//! hardware clock in local time, say), and read by one that was set right, "in five seconds" is "in eight hours". Beside each such time
//! stands another one that was written with it and cannot lie ahead: when the number was last asked for, when the attempt
//! began. By as much as that one lies ahead, both are brought back. What was never tried, or is to begin anew, was to be tried at
//! once, or after ten minutes where it could not be read. So nothing moves by more than it was to wait, nothing is done twice as
//! often, and it does not matter how often this is done, or who does it beside.

use domain::ids::{NotificationId, RawMessageId, WatchId};
use domain::source::Standing;
use jiff::{SignedDuration, Timestamp};

use crate::db::{Row, Value};
use crate::delivery::PUT_OFF_FOR;
use crate::push_subscription::{self, TOLD_AT};
use crate::{Error, Tx, source};

/// What lies ahead by less is left: nodes and threads do not read the clock at one moment, and a minute more costs little.
const AHEAD_MIN: SignedDuration = SignedDuration::from_mins(1);

/// A watch whose times lie ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AheadWatch {
    /// Its id.
    pub id: WatchId,
    next_poll_at: Option<Timestamp>,
    lease_until: Option<Timestamp>,
    claim_token: i64,
    /// When it was last asked for, or wanted first.
    touched_at: Timestamp,
}

/// A delivery whose times lie ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AheadDelivery {
    /// Its notification.
    pub id: NotificationId,
    due_at: Timestamp,
    is_leased: bool,
    /// Whether it waits for what came of an attempt.
    is_tried: bool,
    /// When it was last tried, or made.
    touched_at: Timestamp,
}

/// Whether a watch, a source or a subscription does: one look at all, for who then goes through them.
pub fn is_any_ahead(tx: &mut Tx, now: Timestamp, lease: SignedDuration) -> Result<bool, Error> {
    let [soon, leased] = borders(now, lease);
    let found = tx.query_one(
        &format!(
            "select 1 as ahead where exists (select 1 from watches where {WATCHES_AHEAD})
                 or exists (select 1 from sources where asked_at > $1)
                 or exists (select 1 from push_subscriptions where {TOLD_AT} > $1)"
        ),
        &[soon, leased],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// What is behind the first was not written by a clock that shows `now`, nor what is leased until behind the second.
fn borders<'v>(now: Timestamp, lease: SignedDuration) -> [Value<'v>; 2] {
    let soon = now + AHEAD_MIN;
    [soon.into(), (soon + lease).into()]
}

const WATCHES_AHEAD: &str = "(coalesce(last_attempted_at, created_at) > $1 or lease_until > $2)";
/// When a delivery was last tried, or made.
const TRIED_AT: &str = "coalesce(
    (select max(started_at) from attempts a where a.notification_id = d.notification_id),
    (select created_at from notifications n where n.id = d.notification_id))";

/// Up to `limit` watches behind `after` whose times lie ahead, by their ids; a lease that ends later than `lease` from now does.
pub fn watches(
    tx: &mut Tx,
    (now, lease): (Timestamp, SignedDuration),
    after: WatchId,
    limit: u32,
) -> Result<Vec<AheadWatch>, Error> {
    let [soon, leased] = borders(now, lease);
    tx.query(
        &format!(
            "select id, next_poll_at, lease_until, claim_token, coalesce(last_attempted_at, created_at) as touched_at
             from watches where id > $3 and {WATCHES_AHEAD} order by id limit $4"
        ),
        &[soon, leased, after.into(), limit.into()],
        |row| {
            Ok(AheadWatch {
                id: row.id("id")?,
                next_poll_at: row.get("next_poll_at")?,
                lease_until: row.get("lease_until")?,
                claim_token: row.get("claim_token")?,
                touched_at: row.get("touched_at")?,
            })
        },
    )
}

/// Brings those back that still are what they were. How many.
pub fn bring_watches_back(
    tx: &mut Tx,
    (now, lease): (Timestamp, SignedDuration),
    ahead: &[AheadWatch],
) -> Result<u64, Error> {
    let mut brought = 0;
    for watch in ahead {
        let by = ahead_by(watch.touched_at, now);
        let next = watch.next_poll_at.map(|at| back(at, by, now));
        let until = watch.lease_until.map(|at| at.min(now + lease));
        brought += tx.execute(
            "update watches set next_poll_at = $2, lease_until = $3,
                 created_at = case when created_at > $4 then $4 else created_at end,
                 last_attempted_at = case when last_attempted_at > $4 then $4 else last_attempted_at end,
                 last_succeeded_at = case when last_succeeded_at > $4 then $4 else last_succeeded_at end,
                 last_changed_at = case when last_changed_at > $4 then $4 else last_changed_at end
             where id = $1 and coalesce(last_attempted_at, created_at) = $5 and claim_token = $6
                 and coalesce(next_poll_at, created_at) = coalesce($7/*pg ::timestamptz*/, created_at)",
            &[
                watch.id.into(),
                next.into(),
                until.into(),
                now.into(),
                watch.touched_at.into(),
                watch.claim_token.into(),
                watch.next_poll_at.into(),
            ],
        )?;
    }
    Ok(brought)
}

/// Up to `limit` messages that are in somebody's hands until later than `lease` from now, each with the end of its lease. Who is
/// still there keeps them by a new one within that time; the others are nobody's, and [kept](crate::raw_message::renew) until now
/// they wait again.
pub fn messages(
    tx: &mut Tx,
    (now, lease): (Timestamp, SignedDuration),
    limit: u32,
) -> Result<Vec<(RawMessageId, Timestamp)>, Error> {
    let [_, leased] = borders(now, lease);
    tx.query(
        "select raw_message_id, lease_until from unread_messages where lease_until > $1
         order by lease_until limit $2",
        &[leased, limit.into()],
        |row| Ok((row.id("raw_message_id")?, row.get("lease_until")?)),
    )
}

/// What was found in a stretch of the deliveries.
#[derive(Debug)]
pub struct Stretch {
    /// Those whose times lie ahead.
    pub ahead: Vec<AheadDelivery>,
    /// The last that was looked at; `None` at the end.
    pub last: Option<NotificationId>,
}

/// Looks through up to `count` deliveries behind `after`: a million of them may wait for another try, each of which has its time. A
/// lease that ends later than `lease` from now lies ahead, and so does what is to be tried first and is due later than whatever was
/// [put off](PUT_OFF_FOR).
pub fn deliveries(
    tx: &mut Tx,
    (now, lease): (Timestamp, SignedDuration),
    after: NotificationId,
    count: u32,
) -> Result<Stretch, Error> {
    let [soon, leased] = borders(now, lease);
    let rows = tx.query(
        &format!(
            "select d.notification_id, d.due_at, d.lease_owner is not null as is_leased, d.attempts,
                 case when d.due_at > $1 then {TRIED_AT} end as touched_at,
                 coalesce(d.due_at > case when d.lease_owner is null then $1 else $2 end, false) as is_late
             from (select * from deliveries where notification_id > $3 order by notification_id limit $4) d
             order by d.notification_id"
        ),
        &[soon, leased, after.into(), count.into()],
        |row: &Row<'_>| {
            let is_late: bool = row.get("is_late")?;
            let (id, due_at) = (row.id("notification_id")?, row.get("due_at")?);
            let touched_at: Option<Timestamp> = row.get("touched_at")?;
            let late = touched_at.zip(due_at).filter(|_| is_late);
            let late = late.map(|(touched_at, due_at)| {
                Ok::<_, Error>(AheadDelivery {
                    id,
                    due_at,
                    is_leased: row.get("is_leased")?,
                    is_tried: row.get::<i64>("attempts")? > 0,
                    touched_at,
                })
            });
            Ok((id, late.transpose()?))
        },
    )?;
    let last = rows.last().map(|(id, _)| *id);
    let late = rows.into_iter().filter_map(|(_, late)| late);
    let ahead = late.filter(|one| one.is_ahead_of(now)).collect();
    Ok(Stretch { ahead, last })
}

impl AheadDelivery {
    /// Whether one that is late is so by a clock: a lease is, and what was touched later than now.
    fn is_ahead_of(&self, now: Timestamp) -> bool {
        let soon = now + AHEAD_MIN;
        let is_put_off = self.is_tried || self.due_at <= soon + PUT_OFF_FOR;
        self.is_leased || self.touched_at > soon || !is_put_off
    }
}

/// Brings those back that still are what they were, and their attempts: what is not ahead any more is brought back once. How many.
pub fn bring_deliveries_back(
    tx: &mut Tx,
    (now, lease): (Timestamp, SignedDuration),
    ahead: &[AheadDelivery],
) -> Result<u64, Error> {
    let mut brought = 0;
    for delivery in ahead {
        let due = match delivery {
            AheadDelivery {
                is_leased: true, ..
            } => now + lease,
            AheadDelivery {
                is_tried: false, ..
            } => now,
            tried => back(tried.due_at, ahead_by(tried.touched_at, now), now),
        };
        let is_same = tx.execute(
            "update deliveries set due_at = $2 where notification_id = $1 and due_at = $3",
            &[delivery.id.into(), due.into(), delivery.due_at.into()],
        )?;
        if is_same > 0 && !delivery.is_leased {
            tx.execute(
                "update attempts set started_at = $2 where notification_id = $1 and started_at > $2",
                &[delivery.id.into(), now.into()],
            )?;
        }
        brought += is_same;
    }
    Ok(brought)
}

/// Brings sources back, and our subscriptions at carriers: there are few of either. How many.
pub fn bring_sources_back(tx: &mut Tx, now: Timestamp) -> Result<u64, Error> {
    let mut brought = 0;
    for (id, seen) in source::all(tx)? {
        if seen.asked_at.is_some_and(|at| at > now + AHEAD_MIN) {
            let mut standing: Standing = source::hold(tx, &id)?;
            standing.set_back(now);
            source::save(tx, &id, &standing)?;
            brought += 1;
        }
    }
    for mut subscription in push_subscription::told_behind(tx, now + AHEAD_MIN)? {
        let standing = &mut subscription.standing;
        let by = ahead_by(standing.renewed_at.unwrap_or(standing.secret_at), now);
        standing.secret_at = standing.secret_at.min(now);
        standing.renewed_at = standing.renewed_at.map(|at| at.min(now));
        subscription.due_at = back(subscription.due_at, by, now);
        push_subscription::update(tx, &subscription)?;
        brought += 1;
    }
    Ok(brought)
}

fn ahead_by(at: Timestamp, now: Timestamp) -> SignedDuration {
    at.duration_since(now).max(SignedDuration::ZERO)
}

/// A time of waiting, so much earlier; what has passed by that is due now.
fn back(at: Timestamp, by: SignedDuration, now: Timestamp) -> Timestamp {
    at.checked_sub(by).map_or(now, |at| at.max(now))
}
