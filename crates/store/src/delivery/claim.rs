//! Claiming what is due.

use std::collections::{HashMap, HashSet};

use domain::ids::{AccountId, NotificationId, WebhookId};
use jiff::Timestamp;
use uuid::Uuid;

use super::park::park;
use super::restart::{AHEAD, TO_BE_HURRIED};
use super::{Body, Claimed, Record, Room};
use crate::db::{Row, Value, pieces, placeholders};
use crate::notification;
use crate::webhook::Retired;
use crate::{Error, Tx};

/// Webhooks that one round takes from at most.
const WEBHOOKS_A_ROUND_MAX: usize = 64;
/// Rows of a webhook that one round looks at, at least.
const ROWS_LOOKED_AT_MIN: usize = 16;
/// Rounds of one claim at most; the next claim goes on.
pub(super) const ROUNDS_MAX: usize = 8;

/// Bytes up to which a body, as it is stored, is read with its claim: a claim brings many, and news of a shipment of a thousand
/// boxes has megabytes. Four times as many when it is unpacked.
const BODY_READ_MAX: usize = 16 * 1024;

/// Webhooks that are active, are sent to and have rows in the index of what is due, each with its earliest time and how
/// often it failed last. A loose scan: one step for each webhook, however many rows it has.
const DUE_WEBHOOKS: &str = "
    with recursive hook (hook_id) as (
        select (select webhook_id from deliveries where due_at is not null
                order by webhook_id limit 1)
        union all
        select (select webhook_id from deliveries
                where due_at is not null and webhook_id > hook.hook_id
                order by webhook_id limit 1)
        from hook where hook.hook_id is not null
    )
    select hook_id, account_id, (select min(due_at) from deliveries
                     where webhook_id = hook_id and due_at is not null) as earliest,
        (select failures from webhook_health h where h.webhook_id = hook_id) as failures
    from hook join webhooks on webhooks.id = hook_id
    where active and not exists (select 1 from listeners l where l.webhook_id = hook_id)";

/// Rows that stand before `d` in its line.
pub(super) const EARLIER: &str = "select 1 from deliveries e
    where e.webhook_id = d.webhook_id and e.order_key = d.order_key
        and (e.sequence, e.notification_id) < (d.sequence, d.notification_id)";

/// A webhook and an order key.
pub(super) type Line = (WebhookId, Uuid);

/// A due row.
pub(super) struct Candidate {
    pub(super) id: NotificationId,
    pub(super) line: Line,
    pub(super) is_head: bool,
}

/// Who claims, until when.
pub(super) struct Lease {
    pub(super) now: Timestamp,
    pub(super) until: Timestamp,
    pub(super) owner: Uuid,
}

/// Leases due deliveries where there is room for them, fairly over webhooks; never one with an earlier open
/// delivery of the same webhook and order key. They are read [apart](claimed), so that whoever cannot read one of them knows
/// which they were.
pub fn claim_due(
    tx: &mut Tx,
    now: Timestamp,
    lease_until: Timestamp,
    owner: Uuid,
    mut room: Room,
) -> Result<Vec<NotificationId>, Error> {
    let lease = Lease {
        now,
        until: lease_until,
        owner,
    };
    let mut claimed = Vec::new();
    for _ in 0..ROUNDS_MAX {
        if room.all == 0 || !round(tx, &lease, &mut room, &mut claimed)? {
            break;
        }
    }
    Ok(claimed)
}

/// When the next delivery to an active webhook is due.
pub fn next_due(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    let times = tx.query(DUE_WEBHOOKS, &[], |row| row.get::<Timestamp>("earliest"))?;
    Ok(times.into_iter().min())
}

/// Takes an equal share of each webhook that has something due; whether another round may find more.
fn round(
    tx: &mut Tx,
    lease: &Lease,
    room: &mut Room,
    claimed: &mut Vec<NotificationId>,
) -> Result<bool, Error> {
    let webhooks = due_webhooks(tx, lease, room)?;
    if webhooks.is_empty() {
        return Ok(false);
    }
    let share = room.all.div_ceil(webhooks.len());
    let candidates = candidates(tx, lease, &webhooks, share)?;
    let accounts: HashMap<WebhookId, (AccountId, Record)> = webhooks
        .iter()
        .map(|due| (due.id, (due.account, due.record)))
        .collect();
    let mut found: HashMap<WebhookId, usize> = HashMap::new();
    for candidate in &candidates {
        *found.entry(candidate.line.0).or_default() += 1;
    }
    let (heads, waiting): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|c| c.is_head);
    let parked = park(tx, &waiting)?;
    let mut taken = Vec::with_capacity(heads.len());
    let mut shares: HashMap<WebhookId, usize> = HashMap::new();
    for head in in_turns(heads) {
        let webhook = head.line.0;
        let Some((account, failed)) = accounts.get(&webhook).copied() else {
            continue;
        };
        let share_taken = shares.entry(webhook).or_default();
        if *share_taken < share && room.of(webhook, account, failed) > 0 {
            *share_taken += 1;
            room.fill(webhook, account, failed, 1);
            taken.push(head.id);
        }
    }
    take(tx, lease, &taken)?;
    claimed.extend(&taken);
    let progress = parked > 0 || !taken.is_empty();
    let more = webhooks.iter().any(|due| {
        let found = found.get(&due.id).copied().unwrap_or_default();
        found >= due.looked_at(share)
    });
    Ok(progress && more)
}

/// The first of each webhook, then the second of each: where an account has room for a few, that is for all its webhooks.
fn in_turns(heads: Vec<Candidate>) -> impl Iterator<Item = Candidate> {
    let mut turns: HashMap<WebhookId, usize> = HashMap::new();
    let mut ordered = Vec::with_capacity(heads.len());
    for head in heads {
        let turn = turns.entry(head.line.0).or_default();
        *turn += 1;
        ordered.push((*turn, head));
    }
    ordered.sort_by_key(|(turn, _)| *turn);
    ordered.into_iter().map(|(_, head)| head)
}

/// A webhook with something due, and how much of it there is room for.
pub(super) struct Due {
    id: WebhookId,
    account: AccountId,
    record: Record,
    room: usize,
}

impl Due {
    pub(super) fn of(id: WebhookId, account: AccountId, room: usize) -> Self {
        Self {
            id,
            account,
            record: Record::Answered,
            room,
        }
    }

    /// How many of its rows one round looks at. Some must be looked at even when there is room for one only:
    /// those that wait in line stand among them, and are parked by the look.
    pub(super) fn looked_at(&self, share: usize) -> usize {
        self.room.min(share).max(ROWS_LOOKED_AT_MIN)
    }
}

/// Some of the webhooks with something due and room for it; another part each time, and another one first, so that none is
/// left out for long. What is not known to answer shares few places, and after a start that is everybody: those that failed
/// last have [a part](super::Failing) of them and come last, or those that would answer wait for hundreds that hang; but for two
/// claims of seven, where they come first, or they would wait for as long as others have something due.
fn due_webhooks(tx: &mut Tx, lease: &Lease, room: &Room) -> Result<Vec<Due>, Error> {
    let all = tx.query(DUE_WEBHOOKS, &[], |row| {
        let (id, account) = (row.id("hook_id")?, row.id("account_id")?);
        let record = Record::read(row)?;
        let due = Due {
            id,
            account,
            record,
            room: room.of(id, account, record),
        };
        let comes_last = record == Record::Failed && !room.webhooks.contains_key(&id);
        Ok((due, row.get::<Timestamp>("earliest")?, comes_last))
    })?;
    let due = all
        .into_iter()
        .filter(|(due, earliest, _)| *earliest <= lease.now && due.room > 0);
    let (last, first): (Vec<_>, Vec<_>) = due.partition(|(_, _, comes_last)| *comes_last);
    let turn = usize::try_from(lease.now.as_microsecond().unsigned_abs()).unwrap_or(0);
    let in_turn = |part: Vec<(Due, Timestamp, bool)>| {
        let mut part: Vec<Due> = part.into_iter().map(|(due, ..)| due).collect();
        let places = part.len().max(1);
        part.rotate_left(turn % places);
        part
    };
    let (mut due, mut then) = (in_turn(first), in_turn(last));
    // Seven, since times may be of whole seconds.
    if turn % 7 < 2 {
        std::mem::swap(&mut due, &mut then);
    }
    due.extend(then);
    due.truncate(room.all.min(WEBHOOKS_A_ROUND_MAX));
    Ok(due)
}

/// Due rows, up to `share` of each webhook, locked; those that others hold
/// are skipped.
pub(super) fn candidates(
    tx: &mut Tx,
    lease: &Lease,
    webhooks: &[Due],
    share: usize,
) -> Result<Vec<Candidate>, Error> {
    let limit = |due: &Due| i64::try_from(due.looked_at(share)).unwrap_or(i64::MAX);
    let places = webhooks.len().next_power_of_two();
    let last = webhooks.last().into_iter().cycle();
    let arms: Vec<String> = (0..places).map(|arm| candidates_of(2 * arm + 2)).collect();
    let mut values = vec![lease.now.into()];
    for due in webhooks.iter().chain(last).take(places) {
        values.extend([Value::from(due.id), limit(due).into()]);
    }
    let mut seen = HashSet::new();
    let mut found = tx.locking(&arms.join(" union all "), &values, |row| {
        Ok(Candidate {
            id: row.id("notification_id")?,
            line: (row.id("webhook_id")?, row.get("order_key")?),
            is_head: row.get("is_head")?,
        })
    })?;
    found.retain(|candidate| seen.insert(candidate.id));
    Ok(found)
}

fn candidates_of(webhook: usize) -> String {
    let limit = webhook + 1;
    format!(
        "select * from (
            select notification_id, webhook_id, order_key, not exists ({EARLIER}) as is_head
            from deliveries d where webhook_id = ${webhook} and due_at <= $1
            order by due_at limit ${limit} /*pg for update of d skip locked*/
        ) as webhook_{webhook}"
    )
}

/// What [was hurried](super::hurry), and no step has come to, begins its schedule anew here: what comes of the attempt that follows is
/// the receiver's as it is now, and counts as that.
pub(super) fn take(tx: &mut Tx, lease: &Lease, heads: &[NotificationId]) -> Result<(), Error> {
    let if_hurried =
        |then: &str, or: &str| format!("case when {TO_BE_HURRIED} then {then} else {or} end");
    let (before, attempts, refusals) = (
        if_hurried("attempts_before + attempts", "attempts_before"),
        if_hurried("0", "attempts"),
        if_hurried("0", "refusals"),
    );
    for piece in pieces(heads) {
        let mut values = vec![lease.until.into(), lease.owner.into()];
        values.extend(piece.iter().map(|id| Value::from(*id)));
        let places = placeholders(3, piece.len());
        tx.execute(
            &format!(
                "update deliveries
                 set due_at = $1, lease_owner = $2, claim_token = claim_token + 1,
                     attempts_before = {before}, attempts = {attempts}, refusals = {refusals},
                     is_hurried = false
                 where notification_id in ({places})"
            ),
            &values,
        )?;
    }
    Ok(())
}

/// What the sender needs of these open deliveries, in the order of the claim; those of a deleted webhook are left out. Long bodies
/// stay where they are kept.
pub fn claimed(tx: &mut Tx, ids: &[NotificationId]) -> Result<Vec<Claimed>, Error> {
    let mut found = HashMap::with_capacity(ids.len());
    for piece in pieces(ids) {
        let values: Vec<Value<'_>> = piece.iter().map(|id| Value::from(*id)).collect();
        let places = placeholders(1, values.len());
        let rows = tx.query(
            &format!(
                "select n.id, n.webhook_id, n.event, n.reference_type, n.reference_id,
                     n.container_id, n.shipment_id, n.tracking_request_id, n.version,
                     n.created_at, 'pending' as status, d.account_id, d.attempts, d.attempts_before,
                     d.refusals, d.claim_token, d.due_at, r.webhook_id is not null as is_anew,
                     (select failures from webhook_health h where h.webhook_id = d.webhook_id)
                         as failures,
                     w.url, w.secret, w.retired_secrets, w.retired_until, w.headers,
                     b.notification_id is not null as is_rendered,
                     case when length(b.body) <= {BODY_READ_MAX} then b.body end as body
                 from deliveries d
                 join notifications n on n.id = d.notification_id
                 join webhooks w on w.id = d.webhook_id
                 left join bodies b on b.notification_id = d.notification_id
                 left join restarts r on r.webhook_id = d.webhook_id and r.is_anew and {AHEAD}
                 where d.notification_id in ({places}) and w.deleted_at is null"
            ),
            &values,
            read,
        )?;
        found.extend(
            rows.into_iter()
                .map(|claimed| (claimed.notification.id, claimed)),
        );
    }
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}

fn read(row: &Row<'_>) -> Result<Claimed, Error> {
    let (tried, before) = (row.count("attempts")?, row.count("attempts_before")?);
    let (tried, before, refusals) = if row.get("is_anew")? {
        (0, before.saturating_add(tried), 0)
    } else {
        (tried, before, row.count("refusals")?)
    };
    Ok(Claimed {
        account: row.id("account_id")?,
        notification: notification::read(row)?,
        url: row.get("url")?,
        secret: row.get("secret")?,
        retired: Retired::read(row)?,
        headers: row.get("headers")?,
        attempt: tried + 1,
        attempts_before: before,
        refusals_in_a_row: refusals,
        record: Record::read(row)?,
        claim_token: row.get("claim_token")?,
        leased_until: row.get("due_at")?,
        body: match row.optional_unpacked("body")? {
            Some(text) => Body::InHand(text),
            None if row.get("is_rendered")? => Body::Kept,
            None => Body::Unmade,
        },
    })
}
