//! Watches: one number asked of one source, shared by every account that tracks it.

mod lines;

use domain::ids::{AccountId, WatchId};
use domain::tracking_request::NumberKind;
use jiff::Timestamp;
use uuid::Uuid;

use crate::db::{Row, Value};
use crate::{Error, Tx};

/// One number at one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watch {
    /// Its id.
    pub id: WatchId,
    /// The source's profile id.
    pub source: String,
    /// What kind of number.
    pub kind: NumberKind,
    /// The number.
    pub number: String,
    /// When it was first wanted.
    pub created_at: Timestamp,
    /// When it is asked next; `None`: not asked any more.
    pub next_poll_at: Option<Timestamp>,
    /// Failures in a row.
    pub failures: u32,
    /// When it was last asked.
    pub last_attempted_at: Option<Timestamp>,
    /// When an answer last came.
    pub last_succeeded_at: Option<Timestamp>,
    /// When an answer last said something new; of a terminal or railroad, when one last named the box.
    pub last_changed_at: Option<Timestamp>,
    /// Raised by each claim; results of earlier claims are dropped.
    pub claim_token: i64,
    /// Who asked for it, in whose [line](claim_in_turn) it stands until it is answered; `None`: nobody in particular. Of several who
    /// asked, whose line is the shorter.
    pub asked_by: Option<AccountId>,
}

/// How a poll ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// When to ask next; `None`: no more.
    pub next_poll_at: Option<Timestamp>,
    /// Failures in a row.
    pub failures: u32,
    /// When it was asked.
    pub attempted_at: Timestamp,
    /// When it answered; `None` leaves the earlier time.
    pub succeeded_at: Option<Timestamp>,
    /// When it said something new, or named the box; `None` leaves the earlier time.
    pub changed_at: Option<Timestamp>,
}

/// The watch for this source, kind and number: the one that exists, else this one.
pub fn find_or_insert(tx: &mut Tx, watch: &Watch) -> Result<Watch, Error> {
    if let Some(known) = of_number(tx, &watch.source, watch.kind, &watch.number)? {
        return Ok(known);
    }
    tx.execute(
        "insert into watches (id, source, kind, number, created_at, next_poll_at, failures,
             last_attempted_at, last_succeeded_at, last_changed_at, claim_token, asked_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         on conflict (source, kind, number) do nothing",
        &[
            watch.id.into(),
            (&watch.source).into(),
            watch.kind.as_str().into(),
            (&watch.number).into(),
            watch.created_at.into(),
            watch.next_poll_at.into(),
            watch.failures.into(),
            watch.last_attempted_at.into(),
            watch.last_succeeded_at.into(),
            watch.last_changed_at.into(),
            watch.claim_token.into(),
            line_of(watch.asked_by).into(),
        ],
    )?;
    of_number(tx, &watch.source, watch.kind, &watch.number)?
        .ok_or_else(|| Error::Refused("a watch that was just stored is gone".into()))
}

/// The watch with this id.
pub fn find(tx: &mut Tx, id: WatchId) -> Result<Option<Watch>, Error> {
    tx.query_one(
        &format!("select {COLUMNS} from watches where id = $1"),
        &[id.into()],
        read,
    )
}

/// The watch of this number at this source.
pub fn of_number(
    tx: &mut Tx,
    source: &str,
    kind: NumberKind,
    number: &str,
) -> Result<Option<Watch>, Error> {
    tx.query_one(
        &format!("select {COLUMNS} from watches where source = $1 and kind = $2 and number = $3"),
        &[source.into(), kind.as_str().into(), number.into()],
        read,
    )
}

/// Holds the watch until the end of the transaction: who changes what hangs on it comes one after the other. Whether
/// there is one.
pub fn lock(tx: &mut Tx, id: WatchId) -> Result<bool, Error> {
    let held = tx.locking(
        "select id from watches where id = $1 /*pg for update*/",
        &[id.into()],
        |row| row.id::<WatchId>("id"),
    )?;
    Ok(!held.is_empty())
}

/// Leases up to `limit` due watches, leaving out those of `busy_sources`: the longest overdue of the source that waits
/// longest first.
pub fn claim_due(
    tx: &mut Tx,
    now: Timestamp,
    lease_until: Timestamp,
    owner: Uuid,
    limit: u32,
    busy_sources: &[String],
) -> Result<Vec<Watch>, Error> {
    let mut waiting = first_of_sources(tx, "", busy_sources)?;
    waiting.retain(|(due_at, _)| *due_at <= now);
    waiting.sort();
    let mut claimed = Vec::new();
    for (_, source) in waiting {
        let taken = u32::try_from(claimed.len()).unwrap_or(u32::MAX);
        let room = limit.saturating_sub(taken);
        if room == 0 {
            break;
        }
        let leasing = Leasing {
            source: &source,
            now,
            until: lease_until,
            owner,
        };
        claimed.extend(claim_of_source(tx, &leasing, now, room)?);
    }
    // Told in an order that does not depend on ids, so that a simulated run repeats on every engine.
    claimed.sort_by(|a, b| {
        (a.next_poll_at, &a.source, &a.number).cmp(&(b.next_poll_at, &b.source, &b.number))
    });
    Ok(claimed)
}

/// Before any time at which something can be due, 0001-01-01: what rests has none. That a time is asked for leads
/// PostgreSQL to the index of these times.
const EARLIEST: Timestamp = Timestamp::constant(-62_135_596_800, 0);

/// When the first watch of each source is due, except `left_out`: one look for each source. Along the times of all, one
/// would walk over everything that waits for a source that is left out. Each look names a source to begin at, the first as well: else
/// SQLite sorts all that has a time to find the first source.
fn first_of_sources(
    tx: &mut Tx,
    that: &'static str,
    left_out: &[String],
) -> Result<Vec<(Timestamp, String)>, Error> {
    let found = tx.query(&first_due_of_sources(that), &[EARLIEST.into()], |row| {
        Ok((
            row.get::<Option<Timestamp>>("due_at")?,
            row.get::<String>("line_source")?,
        ))
    })?;
    let open = found.into_iter().filter_map(|(due_at, source)| {
        let is_open = !left_out.contains(&source);
        due_at.filter(|_| is_open).map(|due_at| (due_at, source))
    });
    Ok(open.collect())
}

fn first_due_of_sources(that: &'static str) -> String {
    format!(
        "with recursive line (line_source) as (
             select (select source from watches
                     where source > '' and next_poll_at >= $1 order by source, next_poll_at limit 1)
             union all
             select (select source from watches
                     where next_poll_at >= $1 and source > line_source order by source, next_poll_at limit 1)
             from line where line_source is not null
         )
         select line_source, (
             select next_poll_at from watches
             where source = line_source and next_poll_at >= $1 {that}
             order by next_poll_at, number limit 1
         ) as due_at
         from line where line_source is not null"
    )
}

/// What is leased of one source, from when, until when and by whom.
#[derive(Clone, Copy, Debug)]
pub struct Leasing<'a> {
    /// The source.
    pub source: &'a str,
    /// The time: what is leased until then is free.
    pub now: Timestamp,
    /// The end of the lease.
    pub until: Timestamp,
    /// Who asks.
    pub owner: Uuid,
}

impl<'a> Leasing<'a> {
    /// What [`claim_that`] is given, and behind it what its condition names.
    fn given(&self, due_by: Timestamp, limit: u32, more: Option<Value<'a>>) -> Vec<Value<'a>> {
        let first = [
            self.source.into(),
            self.now.into(),
            due_by.into(),
            self.until.into(),
            self.owner.into(),
            limit.into(),
        ];
        first.into_iter().chain(more).collect()
    }
}

/// Leases up to `limit` more watches of one source that are due by `due_by`: what fits into a question that is asked
/// anyway.
pub fn claim_of_source(
    tx: &mut Tx,
    leasing: &Leasing<'_>,
    due_by: Timestamp,
    limit: u32,
) -> Result<Vec<Watch>, Error> {
    claim_that(tx, "", &leasing.given(due_by, limit, None))
}

/// Whose turn it is at a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Whether a number that was never answered comes first.
    pub new_first: bool,
    /// The account whose line of new numbers was asked about last.
    pub passed: Option<AccountId>,
}

impl Turn {
    /// This number is asked about: if it never was answered, its line has had its turn.
    pub fn pass(&mut self, asked: &Watch) {
        if asked.last_succeeded_at.is_none() {
            self.passed = Some(AccountId(line_of(asked.asked_by)));
        }
    }
}

/// As [`claim_of_source`], of what is due now, with turns for two kinds of numbers: those that were answered before, and those that
/// never were. Each has half, the second the smaller one, and what the other does not need. The new ones stand in [lines] by
/// account, which have turns as well. In the order of all these turns.
pub fn claim_in_turn(
    tx: &mut Tx,
    leasing: &Leasing<'_>,
    limit: u32,
    mut turn: Turn,
) -> Result<Vec<Watch>, Error> {
    let (new_first, half) = (turn.new_first, limit.div_ceil(2));
    let mut claimed: Vec<Watch> = Vec::new();
    let mut are_all_taken = [false; 2];
    for (of_new, share) in [(new_first, half), (!new_first, limit), (new_first, limit)] {
        let taken = u32::try_from(claimed.len()).unwrap_or(limit);
        let room = limit.saturating_sub(taken).min(share);
        let [all_known, all_new] = &mut are_all_taken;
        let is_all_taken = if of_new { all_new } else { all_known };
        if room == 0 || *is_all_taken {
            continue;
        }
        let some = if of_new {
            lines::claim(tx, leasing, room, turn.passed)?
        } else {
            let known = "and last_succeeded_at is not null";
            claim_that(tx, known, &leasing.given(leasing.now, room, None))?
        };
        *is_all_taken = some.len() < room as usize;
        if let Some(last) = some.last() {
            turn.pass(last);
        }
        claimed.extend(some);
    }
    Ok(claimed)
}

/// One that is due now and is to show whether its source answers: one of which it answered when it was last asked about it, where
/// such a one is due.
pub fn claim_for_trial(tx: &mut Tx, leasing: &Leasing<'_>) -> Result<Vec<Watch>, Error> {
    let of_known = "and failures = 0 and last_succeeded_at is not null";
    let answered = claim_that(tx, of_known, &leasing.given(leasing.now, 1, None))?;
    if answered.is_empty() {
        return claim_of_source(tx, leasing, leasing.now, 1);
    }
    Ok(answered)
}

/// As [`claim_of_source`], of those that failed as often in a row as `first`.
pub fn claim_alike(
    tx: &mut Tx,
    leasing: &Leasing<'_>,
    first: &Watch,
    due_by: Timestamp,
    limit: u32,
) -> Result<Vec<Watch>, Error> {
    let given = leasing.given(due_by, limit, Some(first.failures.into()));
    claim_that(tx, "and failures = $7", &given)
}

fn claim_that(tx: &mut Tx, that: &'static str, given: &[Value]) -> Result<Vec<Watch>, Error> {
    let mut claimed = tx.returning(
        &format!(
            "with due as materialized (
                 select id as due_id from watches
                 where source = $1 and next_poll_at <= $3
                     and (lease_until is null or lease_until <= $2) {that}
                 order by next_poll_at, number limit $6
                 /*pg for update skip locked*/
             )
             update watches set lease_owner = $5, lease_until = $4, claim_token = claim_token + 1
             from due where id = due.due_id
             returning {COLUMNS}"
        ),
        given,
        read,
    )?;
    claimed.sort_by(|a, b| (a.next_poll_at, &a.number).cmp(&(b.next_poll_at, &b.number)));
    Ok(claimed)
}

/// Holds a claim longer; one that has ended, or is another's by now, stays as it is.
pub fn renew(tx: &mut Tx, id: WatchId, token: i64, lease_until: Timestamp) -> Result<(), Error> {
    tx.execute(
        "update watches set lease_until = $3
         where id = $1 and claim_token = $2 and lease_until is not null",
        &[id.into(), token.into(), lease_until.into()],
    )?;
    Ok(())
}

/// Gives a claim back unused: the watch is due at `due_at` and was not asked. One that rests by now goes on resting.
pub fn give_back(tx: &mut Tx, id: WatchId, token: i64, due_at: Timestamp) -> Result<(), Error> {
    tx.execute(
        "update watches set lease_owner = null, lease_until = null,
             next_poll_at = case when next_poll_at is not null then $3/*pg ::timestamptz*/ end
         where id = $1 and claim_token = $2",
        &[id.into(), token.into(), due_at.into()],
    )?;
    Ok(())
}

/// Ends every claim: whoever held them is gone. How many.
pub fn release_all(tx: &mut Tx) -> Result<u64, Error> {
    tx.execute(
        "update watches set lease_owner = null, lease_until = null, claim_token = claim_token + 1
         where lease_until is not null",
        &[],
    )
}

/// Records how a poll ended and gives the lease back; `false` when the claim is no longer the latest.
pub fn settle(tx: &mut Tx, id: WatchId, token: i64, settled: &Settled) -> Result<bool, Error> {
    let changed = tx.execute(
        "update watches set next_poll_at = $3, failures = $4, last_attempted_at = $5,
             last_succeeded_at = coalesce($6, last_succeeded_at),
             last_changed_at = coalesce($7, last_changed_at),
             lease_owner = null, lease_until = null, claim_token = claim_token + 1
         where id = $1 and claim_token = $2",
        &[
            id.into(),
            token.into(),
            settled.next_poll_at.into(),
            settled.failures.into(),
            settled.attempted_at.into(),
            settled.succeeded_at.into(),
            settled.changed_at.into(),
        ],
    )?;
    Ok(changed > 0)
}

/// Polls not later than `at`, for this account. A number that rested, and of which nothing was ever told, is a new one again. Who
/// joins a watch holds it before: PostgreSQL judges by what is committed whether it is due, and neither sees nor waits for a
/// transaction that lets it rest.
pub fn pull_forward(
    tx: &mut Tx,
    id: WatchId,
    account: AccountId,
    at: Timestamp,
) -> Result<(), Error> {
    let line = lines::shorter(tx, id, account, at)?;
    tx.execute(
        "update watches set asked_by = $3,
             next_poll_at = case when next_poll_at <= $2 then next_poll_at else $2/*pg ::timestamptz*/ end,
             last_succeeded_at = case when next_poll_at is null and last_changed_at is null
                 and not exists (select 1 from filed_reports where watch_id = $1) then null
                 else last_succeeded_at end
         where id = $1 and (next_poll_at is null or next_poll_at > $2 or last_succeeded_at is null)",
        &[id.into(), at.into(), line.into()],
    )?;
    Ok(())
}

/// Polls at `at` what rests, for this account; what is polled anyway keeps its time, and stands in the shorter line. The watch is
/// held.
pub fn wake(tx: &mut Tx, id: WatchId, account: AccountId, at: Timestamp) -> Result<(), Error> {
    let line = lines::shorter(tx, id, account, Timestamp::MAX)?;
    tx.execute(
        "update watches set next_poll_at = coalesce(next_poll_at, $2), asked_by = $3
         where id = $1
             and (next_poll_at is null or (last_succeeded_at is null and asked_by <> $3))",
        &[id.into(), at.into(), line.into()],
    )?;
    Ok(())
}

/// Asks no more when no open request and no tracked shipment needs it; whether that is so. The watch is held.
pub fn rest_unless_followed(tx: &mut Tx, id: WatchId) -> Result<bool, Error> {
    let changed = tx.execute(
        "update watches set next_poll_at = null
         where id = $1
             and not exists (
                 select 1 from tracking_requests r where r.watch_id = $1
                     and r.status in ('pending', 'awaiting_manifest', 'succeeded'))
             and not exists (
                 select 1 from shipment_watches w
                 join shipments s on s.account_id = w.account_id and s.id = w.shipment_id
                 where w.watch_id = $1 and s.stopped_at is null)",
        &[id.into()],
    )?;
    Ok(changed > 0)
}

/// When the next watch is due, leaving out those of `closed_sources`, leased or not.
pub fn next_due(tx: &mut Tx, closed_sources: &[String]) -> Result<Option<Timestamp>, Error> {
    // A leased watch is not due before its lease ends. Few are leased at a time.
    let due = first_of_sources(tx, "and lease_until is null", closed_sources)?;
    let due = due.into_iter().map(|(due_at, _)| due_at).min();
    let leased = tx.query(
        "select source, next_poll_at, lease_until from watches
         where next_poll_at is not null and lease_until is not null",
        &[],
        |row| {
            let due_at = row.get::<Timestamp>("next_poll_at")?;
            Ok((
                row.get::<String>("source")?,
                due_at.max(row.get("lease_until")?),
            ))
        },
    )?;
    // Also one whose lease has run out is claimed only when its source is open.
    let leased = leased
        .into_iter()
        .filter(|(source, _)| !closed_sources.contains(source));
    Ok(leased.map(|(_, due_at)| due_at).chain(due).min())
}

const COLUMNS: &str = "id, source, kind, number, created_at, next_poll_at, failures, \
    last_attempted_at, last_succeeded_at, last_changed_at, claim_token, asked_by";

/// The line of this account's numbers. Nobody in particular has one, too.
fn line_of(account: Option<AccountId>) -> Uuid {
    account.map_or(Uuid::nil(), |account| account.0)
}

fn read(row: &Row<'_>) -> Result<Watch, Error> {
    Ok(Watch {
        id: row.id("id")?,
        source: row.get("source")?,
        kind: row.parsed("kind", NumberKind::parse)?,
        number: row.get("number")?,
        created_at: row.get("created_at")?,
        next_poll_at: row.get("next_poll_at")?,
        failures: row.count("failures")?,
        last_attempted_at: row.get("last_attempted_at")?,
        last_succeeded_at: row.get("last_succeeded_at")?,
        last_changed_at: row.get("last_changed_at")?,
        claim_token: row.get("claim_token")?,
        asked_by: Some(row.id("asked_by")?).filter(|account| *account != AccountId(Uuid::nil())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Settings, Store};

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_due_of_each_source_is_looked_up_and_nothing_sorted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = Store::open(&Settings::new(Database::Sqlite { path })).unwrap();
        let plan = store.read(|tx| {
            let sql = format!("explain query plan {}", first_due_of_sources(""));
            tx.query(&sql, &[Value::Null], |row| row.get::<String>("detail"))
        });
        let steps: Vec<String> = plan.await.unwrap();
        let sorts = steps.iter().any(|step| step.contains("TEMP B-TREE"));
        let scans = steps.iter().any(|step| step.starts_with("SCAN watches"));
        assert!(!sorts && !scans, "{steps:?}");
    }
}
