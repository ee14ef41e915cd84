//! What a clock that was ahead has left waiting for longer than was meant.
//!
//! Whatever waits has the time at which it is due. Written by a clock that was eight hours ahead (a machine that starts with its
//! hardware clock in local time, say), and read by one that was set right, "in five seconds" is "in eight hours". Beside each such time
//! stands another one that was written with it and cannot lie ahead: when the number was last asked for, when the attempt
//! began. By as much as that one lies ahead, both are brought back. So nothing moves by more than it was to wait, nothing is done
//! twice as often, and it does not matter how often this is done, or who does it beside.

use domain::ids::{NotificationId, WatchId};
use domain::source::Standing;
use jiff::{SignedDuration, Timestamp};

use crate::db::{Row, Value};
use crate::{Error, Tx, push_subscription, source};

/// What lies ahead by less is left: nodes and threads do not read the clock at one moment, and a minute more costs little.
const AHEAD_MIN: SignedDuration = SignedDuration::from_mins(1);

/// A watch whose times lie ahead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AheadWatch {
    /// Its id.
    pub id: WatchId,
    next_poll_at: Option<Timestamp>,
    lease_until: Option<Timestamp>,
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
    /// When it was last tried, or made.
    touched_at: Timestamp,
}

/// Whether any of them does: one look at all, for who then goes through them.
pub fn is_any_ahead(tx: &mut Tx, now: Timestamp, lease: SignedDuration) -> Result<bool, Error> {
    let [soon, leased] = borders(now, lease);
    let deliveries = deliveries_ahead();
    let found = tx.query_one(
        &format!(
            "select 1 as ahead where exists (select 1 from watches where {WATCHES_AHEAD})
                 or exists (select 1 from deliveries d where {deliveries})
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
const TOLD_AT: &str = "coalesce(renewed_at, secret_at)";

/// Attempts are looked up for those only that are due later: few. They stay as they were written; one that lies behind the time at
/// which it is tried again says that this was brought back.
fn deliveries_ahead() -> String {
    format!(
        "d.due_at > $1 and (d.lease_owner is null or d.due_at > $2)
             and (d.lease_owner is not null or ({TRIED_AT} > $1 and {TRIED_AT} <= d.due_at))"
    )
}

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
            "select id, next_poll_at, lease_until, coalesce(last_attempted_at, created_at) as touched_at
             from watches where id > $3 and {WATCHES_AHEAD} order by id limit $4"
        ),
        &[soon, leased, after.into(), limit.into()],
        |row| {
            Ok(AheadWatch {
                id: row.id("id")?,
                next_poll_at: row.get("next_poll_at")?,
                lease_until: row.get("lease_until")?,
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
             where id = $1 and coalesce(last_attempted_at, created_at) = $5",
            &[
                watch.id.into(),
                next.into(),
                until.into(),
                now.into(),
                watch.touched_at.into(),
            ],
        )?;
    }
    Ok(brought)
}

/// Up to `limit` deliveries behind `after` whose times lie ahead, by their ids; a lease that ends later than `lease` from now does.
pub fn deliveries(
    tx: &mut Tx,
    (now, lease): (Timestamp, SignedDuration),
    after: NotificationId,
    limit: u32,
) -> Result<Vec<AheadDelivery>, Error> {
    let ([soon, leased], ahead) = (borders(now, lease), deliveries_ahead());
    tx.query(
        &format!(
            "select d.notification_id, d.due_at, d.lease_owner is not null as is_leased, {TRIED_AT} as touched_at
             from deliveries d where d.notification_id > $3 and {ahead}
             order by d.notification_id limit $4"
        ),
        &[soon, leased, after.into(), limit.into()],
        |row: &Row<'_>| {
            Ok(AheadDelivery {
                id: row.id("notification_id")?,
                due_at: row.get("due_at")?,
                is_leased: row.get("is_leased")?,
                touched_at: row.get("touched_at")?,
            })
        },
    )
}

/// Brings those back that still are what they were. How many.
pub fn bring_deliveries_back(
    tx: &mut Tx,
    (now, lease): (Timestamp, SignedDuration),
    ahead: &[AheadDelivery],
) -> Result<u64, Error> {
    let mut brought = 0;
    for delivery in ahead {
        let due = if delivery.is_leased {
            now + lease
        } else {
            back(delivery.due_at, ahead_by(delivery.touched_at, now), now)
        };
        brought += tx.execute(
            "update deliveries set due_at = $2 where notification_id = $1 and due_at = $3",
            &[delivery.id.into(), due.into(), delivery.due_at.into()],
        )?;
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
