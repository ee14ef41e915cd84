//! Beginning what waits for a webhook again: it leads elsewhere, or is switched on.
//!
//! A receiver that was in trouble for a day may have a million deliveries that wait for another try. Changed in one statement
//! with their webhook they would hold the writer of SQLite for half a minute, PostgreSQL would end the statement before it is
//! done, at every try, and nobody could lead such a webhook elsewhere. So they are gone through in steps: along their lines where
//! they begin anew, and else as long as any wait. The first is taken with the change, and a row says how far it has come, for
//! whoever [goes on](go_on). A crash repeats a step or none, and what is changed by it is found as it should be.
//!
//! What is claimed before a step has come to it is [read](super::claimed) as if it had: it counts its tries from the first. It is
//! due only when its time has come, or the step. What was tried since the beginning, and waits for what came of that, is not
//! hurried by a step that comes later.
//!
//! What is in hand is with a receiver that the change was to mend: its attempt ends as it began. When it went wrong, and had begun
//! before the webhook was [hurried], settling makes it due at once and lets it begin anew, as if it had waited.

use domain::ids::{AccountId, NotificationId, WebhookId};
use jiff::Timestamp;
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

/// An attempt of a delivery that began since its webhook was [hurried].
const TRIED_SINCE: &str = "select 1 from attempts t join webhooks w on w.id = deliveries.webhook_id
    where t.notification_id = deliveries.notification_id and t.started_at > w.hurried_at";

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restarted {
    /// Deliveries that were changed.
    pub changed: u64,
    /// Whether there may be more, for [`go_on`].
    pub more: bool,
}

/// The webhook leads elsewhere: what was tried begins its schedule anew, and is due at once where it waits in nobody's hand.
/// What is in hand may be given back untried. What is under way to the old address has a result of its own, and numbers stay as
/// they are counted. The webhook is locked. Takes the first step.
pub fn lead_elsewhere(
    a: &mut AccountTx,
    webhook: WebhookId,
    now: Timestamp,
) -> Result<Restarted, Error> {
    begin(a, webhook, true, now)
}

/// What waits for another try at this webhook, in nobody's hand, begins its schedule anew and is due at once: the wait was for what
/// has changed, and no try of it is spent by that. The webhook is locked. Takes the first step.
pub fn hurry(a: &mut AccountTx, webhook: WebhookId, now: Timestamp) -> Result<Restarted, Error> {
    begin(a, webhook, false, now)
}

/// What has begun at this webhook before `now` and goes wrong is tried again at once, and begins its schedule anew.
pub(super) fn hurried(a: &mut AccountTx, webhook: WebhookId, now: Timestamp) -> Result<(), Error> {
    a.execute(
        "update webhooks set hurried_at = $3 where account_id = $1 and id = $2",
        &[webhook.into(), now.into()],
    )?;
    Ok(())
}

/// Takes the next step.
pub fn go_on(a: &mut AccountTx, webhook: WebhookId, now: Timestamp) -> Result<Restarted, Error> {
    let is_there = webhook::lock(a, webhook)?.is_some();
    match read(a, webhook)? {
        Some(way) if is_there => step(a, webhook, &way, now),
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
}

/// One that is under way begins from the start, for all that it was for.
fn begin(
    a: &mut AccountTx,
    webhook: WebhookId,
    is_anew: bool,
    now: Timestamp,
) -> Result<Restarted, Error> {
    hurried(a, webhook, now)?;
    let before = read(a, webhook)?;
    let way = Way {
        is_anew: is_anew || before.is_some_and(|way| way.is_anew),
        until: Place::FIRST,
    };
    step(a, webhook, &way, now)
}

fn read(a: &mut AccountTx, webhook: WebhookId) -> Result<Option<Way>, Error> {
    a.query_one(
        "select is_anew, order_key, sequence, notification_id from restarts
         where account_id = $1 and webhook_id = $2",
        &[webhook.into()],
        |row| {
            Ok(Way {
                is_anew: row.get("is_anew")?,
                until: Place::read(row)?,
            })
        },
    )
}

fn step(
    a: &mut AccountTx,
    webhook: WebhookId,
    way: &Way,
    now: Timestamp,
) -> Result<Restarted, Error> {
    let next = if way.is_anew {
        next(a, webhook, way)?
    } else {
        waiting(a, webhook, now)?
    };
    let changed = next.iter().filter(|next| next.changes);
    let mut changed: Vec<NotificationId> = changed.map(|next| next.place.id).collect();
    changed.sort_unstable();
    let changed = change(a, &changed, way.is_anew, now)?;
    let more = next.len() >= RESTARTED_AT_ONCE_MAX;
    match next.last().filter(|_| more) {
        Some(last) => keep(a, webhook, way.is_anew, last.place)?,
        None => end(a, webhook)?,
    }
    Ok(Restarted { changed, more })
}

/// One that a step looks at.
struct Next {
    place: Place,
    changes: bool,
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
            let changes = row.get("was_tried")?;
            let place = Place::read(row)?;
            Ok(Next { place, changes })
        },
    )
}

/// The next that wait for a time: few among many that wait in line, and none of them once it is due.
fn waiting(a: &mut AccountTx, webhook: WebhookId, now: Timestamp) -> Result<Vec<Next>, Error> {
    a.query(
        &format!(
            "select order_key, sequence, notification_id from deliveries
             where account_id = $1 and webhook_id = $2 and due_at > $3 and lease_owner is null
                 and not exists ({TRIED_SINCE})
             order by due_at limit {RESTARTED_AT_ONCE_MAX}"
        ),
        &[webhook.into(), now.into()],
        |row| {
            let (place, changes) = (Place::read(row)?, true);
            Ok(Next { place, changes })
        },
    )
}

/// Changes these, as they stand when they are.
fn change(
    a: &mut AccountTx,
    ids: &[NotificationId],
    is_anew: bool,
    now: Timestamp,
) -> Result<u64, Error> {
    let waits = format!("lease_owner is null and due_at > $2 and not exists ({TRIED_SINCE})");
    let (at_once, which) = if is_anew {
        (
            format!("case when {waits} then $2 else due_at end"),
            "attempts > 0",
        )
    } else {
        ("$2".to_owned(), waits.as_str())
    };
    let mut changed = 0;
    for piece in pieces(ids) {
        let mut values = vec![now.into()];
        values.extend(piece.iter().map(|id| Value::from(*id)));
        let places = placeholders(3, piece.len());
        changed += a.execute(
            &format!(
                "update deliveries set {ANEW}, due_at = {at_once}
                 where account_id = $1 and notification_id in ({places}) and {which}"
            ),
            &values,
        )?;
    }
    Ok(changed)
}

fn keep(a: &mut AccountTx, webhook: WebhookId, is_anew: bool, until: Place) -> Result<(), Error> {
    a.execute(
        "insert into restarts
             (account_id, webhook_id, is_anew, order_key, sequence, notification_id)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (webhook_id) do update
             set is_anew = excluded.is_anew, order_key = excluded.order_key,
                 sequence = excluded.sequence, notification_id = excluded.notification_id",
        &[
            webhook.into(),
            is_anew.into(),
            Value::Id(until.order_key),
            until.sequence.into(),
            until.id.into(),
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
