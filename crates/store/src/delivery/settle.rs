//! Settling what was tried.

use std::collections::{HashMap, HashSet};

use domain::ids::{NotificationId, WebhookId};
use domain::webhook::{DeliveryStatus, Verdict, WITHHELD_ATTEMPT_MAX};
use jiff::Timestamp;
use uuid::Uuid;

use super::Outcome;
use super::health::{self, Disabled, Leads};
use super::restart::ANEW;
use crate::db::{Value, pieces, placeholders, rows_of_values};
use crate::webhook::DELETED;
use crate::{Error, Tx};

/// So many outcomes are looked for together.
const HELD_AT_ONCE_MAX: usize = 100;
/// So many of a line are looked at for the next one, those among them that are heads beside the one that ends.
const HEADS_AT_ONCE_MAX: u32 = 3;

/// A delivery whose claim is still the one that the outcome names.
pub(super) struct Held<'o> {
    pub(super) outcome: &'o Outcome,
    /// What follows: what the outcome says, unless its [webhook was switched off](hold_what_is_off) already.
    pub(super) verdict: Verdict,
    pub(super) webhook: WebhookId,
    order_key: Uuid,
    /// Whether somebody said, while it was in hand, that the receiver is there.
    is_hurried: bool,
    /// How many tries are on record under numbers that are not counted: [the last that was withheld](number_apart) has one.
    apart: u32,
}

/// What came of settling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// How many outcomes counted; those of a claim that is no longer the latest are dropped.
    pub counted: usize,
    /// Whether something has become due by it, or will: the next in a line, or another try.
    pub more: bool,
    /// Those that are tried again at once, whatever their outcomes say: what went wrong has changed since.
    pub at_once: Vec<NotificationId>,
    /// Webhooks that were disabled by it.
    pub disabled: Vec<Disabled>,
}

/// Records outcomes.
pub fn settle(tx: &mut Tx, outcomes: &[Outcome]) -> Result<Settled, Error> {
    let leads = health::lock_failing(tx, outcomes)?;
    let mut held = lock(tx, outcomes)?;
    // What follows is due from the moment the attempts began: their length is real time, while the clock may be
    // a simulated one.
    let Some(at) = held
        .iter()
        .map(|held| held.outcome.attempt.started_at)
        .min()
    else {
        return Ok(Settled::default());
    };
    let moved = try_what_has_changed(&leads, &mut held, at);
    hold_what_is_off(&leads, &mut held, at);
    number_apart(tx, &mut held)?;
    record_attempts(tx, &held)?;
    try_again(tx, &held)?;
    begin_anew(tx, &moved)?;
    close(tx, &held, DeliveryStatus::Succeeded)?;
    close(tx, &held, DeliveryStatus::Failed)?;
    let goes_on_in_line = next_in_line(tx, &held, at)?;
    let disabled = health::note(tx, &held, &leads, at)?;
    let goes_on = |held: &Held<'_>| ending(held.verdict).is_none();
    Ok(Settled {
        counted: held.len(),
        more: goes_on_in_line || held.iter().any(goes_on),
        at_once: moved,
        disabled,
    })
}

/// How a verdict ends the delivery; `None`: it goes on.
pub(super) fn ending(verdict: Verdict) -> Option<DeliveryStatus> {
    match verdict {
        Verdict::Succeeded => Some(DeliveryStatus::Succeeded),
        Verdict::Failed | Verdict::Gone => Some(DeliveryStatus::Failed),
        Verdict::RetryAt(_) => None,
    }
}

/// Locks the rows whose claim the outcomes name, in the order of their ids. Those of a deleted webhook are named by nobody
/// any more.
fn lock<'o>(tx: &mut Tx, outcomes: &'o [Outcome]) -> Result<Vec<Held<'o>>, Error> {
    let mut by_id: HashMap<NotificationId, &Outcome> = outcomes
        .iter()
        .map(|outcome| (outcome.notification, outcome))
        .collect();
    let mut named: Vec<&Outcome> = by_id.values().copied().collect();
    named.sort_by_key(|outcome| outcome.notification);
    let mut held = Vec::with_capacity(named.len());
    for piece in pieces(&named) {
        let rows = rows_of_values(1, piece.len(), &["uuid", "bigint"]);
        let values: Vec<Value<'_>> = piece
            .iter()
            .flat_map(|o| [Value::from(o.notification), Value::from(o.claim_token)])
            .collect();
        let locked = tx.locking(
            &format!(
                "with named (named_id, named_token) as (values {rows})
                 select notification_id, webhook_id, order_key, is_hurried
                 from named join deliveries d
                     on notification_id = named_id and claim_token = named_token
                 where webhook_id not in ({DELETED})
                 order by notification_id /*pg for update of d*/"
            ),
            &values,
            |row| {
                let id: NotificationId = row.id("notification_id")?;
                let line = (row.id("webhook_id")?, row.get("order_key")?);
                Ok((id, line, row.get("is_hurried")?))
            },
        )?;
        for (id, (webhook, order_key), is_hurried) in locked {
            held.extend(by_id.remove(&id).map(|outcome| Held {
                outcome,
                verdict: outcome.verdict,
                webhook,
                order_key,
                is_hurried,
                apart: 0,
            }));
        }
    }
    Ok(held)
}

/// What went wrong at an address to which the webhook does not lead any more goes to the present one at once: neither the
/// wait nor the end was that one's doing. So does what had begun before somebody said that the receiver is there. Which
/// deliveries.
fn try_what_has_changed(
    leads: &HashMap<WebhookId, Leads>,
    held: &mut [Held<'_>],
    at: Timestamp,
) -> Vec<NotificationId> {
    let went_wrong = |held: &&mut Held<'_>| held.verdict != Verdict::Succeeded;
    let moved = held.iter_mut().filter(went_wrong).filter(|held| {
        let leads = leads.get(&held.webhook);
        held.is_hurried || leads.is_some_and(|leads| !leads.went_here(held))
    });
    let moved = moved.map(|held| {
        held.verdict = Verdict::RetryAt(at);
        held.outcome.notification
    });
    moved.collect()
}

/// An endpoint that answers 410 ends the delivery that it refuses so, and is switched off; what was under way to it at
/// that moment gets the same answer, and is held with all the rest that is open.
fn hold_what_is_off(leads: &HashMap<WebhookId, Leads>, held: &mut [Held<'_>], at: Timestamp) {
    let mut off: HashSet<WebhookId> = HashSet::new();
    for held in held.iter_mut().filter(|held| held.verdict == Verdict::Gone) {
        let leads = leads.get(&held.webhook);
        let is_there = leads.is_some_and(|leads| leads.to_where_it_went(held));
        if !is_there || !off.insert(held.webhook) {
            held.verdict = Verdict::RetryAt(at);
        }
    }
}

/// What was withheld again and again has one number, so the receiver's own would be told over it: that one gets the next, and
/// what follows is counted from there.
fn number_apart(tx: &mut Tx, held: &mut [Held<'_>]) -> Result<(), Error> {
    let may_be_taken = |held: &&mut Held<'_>| {
        let outcome = held.outcome;
        outcome.tells_of_receiver && outcome.attempt.number >= WITHHELD_ATTEMPT_MAX
    };
    let mut late: Vec<&mut Held<'_>> = held.iter_mut().filter(may_be_taken).collect();
    for piece in late.chunks_mut(HELD_AT_ONCE_MAX) {
        let rows = rows_of_values(1, piece.len(), &["uuid", "bigint"]);
        let values: Vec<Value<'_>> = piece
            .iter()
            .flat_map(|held| {
                let outcome = held.outcome;
                [outcome.notification.into(), outcome.attempt.number.into()]
            })
            .collect();
        let taken = tx.query(
            &format!(
                "with tried (tried_id, tried_number) as (values {rows})
                 select notification_id from tried
                 join attempts on notification_id = tried_id and number = tried_number"
            ),
            &values,
            |row| row.id::<NotificationId>("notification_id"),
        )?;
        let taken: HashSet<NotificationId> = taken.into_iter().collect();
        let of_taken = piece
            .iter_mut()
            .filter(|held| taken.contains(&held.outcome.notification));
        of_taken.for_each(|held| held.apart = 1);
    }
    Ok(())
}

/// One that was withheld again and again at the end of [its part](WITHHELD_ATTEMPT_MAX) of the schedule has one number, and the
/// last is on record.
fn record_attempts(tx: &mut Tx, held: &[Held<'_>]) -> Result<(), Error> {
    let casts = [
        "uuid",
        "bigint",
        "timestamptz",
        "bigint",
        "bigint",
        "text",
        "text",
        "text",
    ];
    for piece in pieces(held) {
        let rows = rows_of_values(1, piece.len(), &casts);
        let values: Vec<Value<'_>> = piece
            .iter()
            .flat_map(|held| {
                let attempt = &held.outcome.attempt;
                [
                    held.outcome.notification.into(),
                    (attempt.number + held.apart).into(),
                    attempt.started_at.into(),
                    attempt.duration_ms.into(),
                    attempt.status.into(),
                    (&attempt.reason).into(),
                    (&attempt.response_headers).into(),
                    (&attempt.response_body).into(),
                ]
            })
            .collect();
        tx.execute(
            &format!(
                "insert into attempts (notification_id, number, started_at, duration_ms, status,
                     reason, response_headers, response_body)
                 values {rows}
                 on conflict (notification_id, number) do update
                     set started_at = excluded.started_at, duration_ms = excluded.duration_ms,
                         status = excluded.status, reason = excluded.reason,
                         response_headers = excluded.response_headers,
                         response_body = excluded.response_body"
            ),
            &values,
        )?;
    }
    Ok(())
}

/// The token is raised, so that the same outcome, told twice, counts once. What was withheld, which was not the receiver's doing,
/// goes up the schedule only [so far](WITHHELD_ATTEMPT_MAX): what is left of it is for the receiver.
fn try_again(tx: &mut Tx, held: &[Held<'_>]) -> Result<(), Error> {
    let again: Vec<(&Outcome, u32, Timestamp)> = held
        .iter()
        .filter_map(|held| match held.verdict {
            Verdict::RetryAt(at) => Some((held.outcome, held.apart, at)),
            Verdict::Succeeded | Verdict::Failed | Verdict::Gone => None,
        })
        .collect();
    for piece in pieces(&again) {
        let casts = ["uuid", "timestamptz", "bigint", "bigint", "bigint"];
        let rows = rows_of_values(1, piece.len(), &casts);
        let values: Vec<Value<'_>> = piece
            .iter()
            .flat_map(|(outcome, apart, at)| {
                let most = if outcome.tells_of_receiver {
                    u32::MAX
                } else {
                    WITHHELD_ATTEMPT_MAX - 1
                };
                [
                    outcome.notification.into(),
                    (*at).into(),
                    outcome.refusals_in_a_row.into(),
                    most.into(),
                    (*apart).into(),
                ]
            })
            .collect();
        tx.execute(
            &format!(
                "with again (again_id, again_at, refused, most, apart) as (values {rows})
                 update deliveries set due_at = again.again_at, refusals = again.refused,
                     attempts = attempts + case when attempts < again.most then 1 else 0 end,
                     attempts_before = attempts_before + again.apart,
                     claim_token = claim_token + 1, lease_owner = null, is_hurried = false
                 from again where notification_id = again.again_id"
            ),
            &values,
        )?;
    }
    Ok(())
}

/// These begin their schedule anew.
fn begin_anew(tx: &mut Tx, ids: &[NotificationId]) -> Result<(), Error> {
    for piece in pieces(ids) {
        let values: Vec<Value<'_>> = piece.iter().map(|id| Value::from(*id)).collect();
        let places = placeholders(1, piece.len());
        tx.execute(
            &format!("update deliveries set {ANEW} where notification_id in ({places})"),
            &values,
        )?;
    }
    Ok(())
}

/// Takes the row of what is done away and writes how it ended, where that does not stand there from the beginning.
fn close(tx: &mut Tx, held: &[Held<'_>], status: DeliveryStatus) -> Result<(), Error> {
    let done: Vec<NotificationId> = held
        .iter()
        .filter(|held| ending(held.verdict) == Some(status))
        .map(|held| held.outcome.notification)
        .collect();
    for piece in pieces(&done) {
        let ids = piece.iter().map(|id| Value::from(*id));
        let mut values = vec![status.as_str().into()];
        values.extend(ids.clone());
        let places = placeholders(2, piece.len());
        tx.execute(
            &format!(
                "update notifications set status = $1 where id in ({places}) and status <> $1"
            ),
            &values,
        )?;
        let ids: Vec<Value<'_>> = ids.collect();
        let places = placeholders(1, piece.len());
        tx.execute(
            &format!("delete from deliveries where notification_id in ({places})"),
            &ids,
        )?;
    }
    Ok(())
}

/// Makes the new head of each line that lost its head due, when it was parked. Whether there is any new head.
///
/// A line may have two heads, when one was placed just as another came. Where both end at once, each is ended in sight of the
/// other, so it is the first that is parked behind them that is made due. One too many does no harm: a claim parks it again.
fn next_in_line(tx: &mut Tx, held: &[Held<'_>], at: Timestamp) -> Result<bool, Error> {
    let mut lines: Vec<(WebhookId, Uuid)> = held
        .iter()
        .filter(|held| ending(held.verdict).is_some())
        .map(|held| (held.webhook, held.order_key))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let of_line = "where e.webhook_id = line_webhook and e.order_key = line_key
                   order by e.sequence, e.notification_id";
    let mut heads: Vec<NotificationId> = Vec::new();
    for piece in pieces(&lines) {
        let rows = rows_of_values(1, piece.len(), &["uuid", "uuid"]);
        let values = piece.iter();
        let values: Vec<Value<'_>> = values
            .flat_map(|(webhook, key)| [Value::from(*webhook), Value::Id(*key)])
            .collect();
        let found = tx.query(
            &format!(
                "with line (line_webhook, line_key) as (values {rows})
                 select coalesce(
                     (select first.notification_id from (
                          select e.notification_id, e.due_at from deliveries e {of_line}
                          limit {HEADS_AT_ONCE_MAX}
                      ) as first where first.due_at is null limit 1),
                     (select e.notification_id from deliveries e {of_line} limit 1)
                 ) as head_id
                 from line"
            ),
            &values,
            |row| row.optional_id::<NotificationId>("head_id"),
        )?;
        heads.extend(found.into_iter().flatten());
    }
    heads.sort_unstable();
    for piece in pieces(&heads) {
        let mut values = vec![at.into()];
        values.extend(piece.iter().map(|id| Value::from(*id)));
        let places = placeholders(2, piece.len());
        tx.execute(
            &format!(
                "update deliveries set due_at = $1
                 where due_at is null and notification_id in ({places})"
            ),
            &values,
        )?;
    }
    Ok(!heads.is_empty())
}
