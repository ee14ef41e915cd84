//! Sources: how each stands with us ([`Standing`]), and what waits for it.
//!
//! One row for each set of credentials. Who asks holds the row, so that all nodes share one budget and one trial of
//! the breaker. It is held last in a transaction: after watches, requests and shipments.

use std::collections::BTreeMap;

use domain::source::{Breaker, Pause, Spent, Standing, Tally, Trouble};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::db::{Row, Value, unreadable};
use crate::{Error, Tx};

/// Answers that follow each other closer than this are noted once: a busy source's row is not written at each.
pub const ANSWERS_NOTED_EVERY: SignedDuration = SignedDuration::from_secs(1);

/// How every source stands that was ever asked, heard or paused, by id.
pub fn all(tx: &mut Tx) -> Result<BTreeMap<String, Standing>, Error> {
    let rows = tx.query(
        &format!("select id, {COLUMNS} from sources order by id"),
        &[],
        |row| Ok((row.get::<String>("id")?, read(row)?)),
    )?;
    Ok(rows.into_iter().collect())
}

/// How this source stands; held until the end of the transaction.
pub fn hold(tx: &mut Tx, id: &str) -> Result<Standing, Error> {
    if let Some(found) = held(tx, id)? {
        return Ok(found);
    }
    tx.execute(
        "insert into sources (id) values ($1) on conflict do nothing",
        &[id.into()],
    )?;
    Ok(held(tx, id)?.unwrap_or_default())
}

/// Writes how a held source stands now.
pub fn save(tx: &mut Tx, id: &str, standing: &Standing) -> Result<(), Error> {
    let Standing {
        paused,
        breaker,
        wait_until,
        waits,
        spent,
        asked_at,
        answered_at,
        heard_at,
        troubles,
    } = standing;
    let trouble = breaker.trouble.map(Trouble::as_str);
    let troubles = written(troubles)?;
    tx.execute(
        "update sources set paused_at = $2, paused_reason = $3, failures = $4, openings = $5,
             open_until = $6, open_trouble = $7, trying_until = $8, wait_until = $9,
             minute_began = $10, in_minute = $11, day = $12, in_day = $13,
             asked_at = $14, answered_at = $15, heard_at = $16, troubles = $17, waits = $18
         where id = $1",
        &[
            id.into(),
            paused.as_ref().map(|paused| paused.at).into(),
            paused.as_ref().map(|paused| paused.reason.as_str()).into(),
            breaker.failures.into(),
            breaker.openings.into(),
            breaker.open_until.into(),
            trouble.into(),
            breaker.trying_until.into(),
            (*wait_until).into(),
            spent.minute_began.into(),
            spent.in_minute.into(),
            spent.day.into(),
            spent.in_day.into(),
            (*asked_at).into(),
            (*answered_at).into(),
            (*heard_at).into(),
            (&troubles).into(),
            (*waits).into(),
        ],
    )?;
    Ok(())
}

/// Notes that it answered: the breaker closes. Writes nothing where that is known already.
pub fn answered(tx: &mut Tx, id: &str, now: Timestamp) -> Result<(), Error> {
    let known_until = now.checked_sub(ANSWERS_NOTED_EVERY).unwrap_or(now);
    tx.execute(
        "update sources set answered_at = $2, failures = 0, openings = 0, open_until = null,
             open_trouble = null, trying_until = null, waits = 0
         where id = $1 and (answered_at is null or answered_at < $3
             or failures > 0 or open_until is not null or waits > 0)",
        &[id.into(), now.into(), known_until.into()],
    )?;
    Ok(())
}

/// Notes that messages of these sources came by themselves.
pub fn heard(tx: &mut Tx, sources: &BTreeMap<String, Timestamp>) -> Result<(), Error> {
    for (id, at) in sources {
        tx.execute(
            "insert into sources (id, heard_at) values ($1, $2)
             on conflict (id) do update set heard_at = excluded.heard_at
                 where sources.heard_at is null or sources.heard_at < excluded.heard_at",
            &[id.into(), (*at).into()],
        )?;
    }
    Ok(())
}

/// What waits for a source, or lies aside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Numbers that are due to be asked about.
    pub due: u64,
    /// Since when the first of them is.
    pub due_since: Option<Timestamp>,
    /// Messages that wait to be read.
    pub unread: u64,
    /// Since when the first of them does.
    pub unread_since: Option<Timestamp>,
    /// Messages in quarantine.
    pub quarantined: u64,
    /// When the last of them was put there.
    pub quarantined_at: Option<Timestamp>,
    /// Reports with a code that is in no table.
    pub unmapped: u64,
    /// How often something of its messages could not be used.
    pub defects: u64,
    /// When the last message of which that is so was read.
    pub defects_at: Option<Timestamp>,
}

/// What waits for each source, or lies aside. Looks at what waits only, not at what is done.
pub fn backlogs(tx: &mut Tx, now: Timestamp) -> Result<BTreeMap<String, Backlog>, Error> {
    let mut found: BTreeMap<String, Backlog> = BTreeMap::new();
    let due = "select source, count(*) as many, min(next_poll_at) as since from watches
         where next_poll_at <= $1 group by source";
    for (source, many, since) in tx.query(due, &[now.into()], counted)? {
        let backlog = found.entry(source).or_default();
        (backlog.due, backlog.due_since) = (many, since);
    }
    let unread = "select source, count(*) as many, min(received_at) as since
         from unread_messages group by source";
    for (source, many, since) in tx.query(unread, &[], counted)? {
        let backlog = found.entry(source).or_default();
        (backlog.unread, backlog.unread_since) = (many, since);
    }
    let aside = "select source, count(*) as many, max(quarantined_at) as since from raw_messages
         where quarantined_at is not null group by source";
    for (source, many, since) in tx.query(aside, &[], counted)? {
        let backlog = found.entry(source).or_default();
        (backlog.quarantined, backlog.quarantined_at) = (many, since);
    }
    let unmapped = "select source, cast(sum(reports) as bigint) as many,
             max(last_at) as since
         from unmapped_codes group by source";
    for (source, many, _) in tx.query(unmapped, &[], counted)? {
        found.entry(source).or_default().unmapped = many;
    }
    let defects = "select source, cast(sum(times) as bigint) as many,
             max(last_at) as since
         from defective_places group by source";
    for (source, many, since) in tx.query(defects, &[], counted)? {
        let backlog = found.entry(source).or_default();
        (backlog.defects, backlog.defects_at) = (many, since);
    }
    Ok(found)
}

/// Ends every trial of a broken source: whoever made it is gone.
pub fn end_trials(tx: &mut Tx) -> Result<u64, Error> {
    tx.execute(
        "update sources set trying_until = null where trying_until is not null",
        &[],
    )
}

const COLUMNS: &str = "paused_at, paused_reason, failures, openings, open_until, open_trouble, \
    trying_until, wait_until, minute_began, in_minute, day, in_day, asked_at, answered_at, \
    heard_at, troubles, waits";

fn counted(row: &Row<'_>) -> Result<(String, u64, Option<Timestamp>), Error> {
    Ok((row.get("source")?, row.total("many")?, row.get("since")?))
}

fn held(tx: &mut Tx, id: &str) -> Result<Option<Standing>, Error> {
    let found = tx.locking(
        &format!("select {COLUMNS} from sources where id = $1 /*pg for update*/"),
        &[Value::from(id)],
        read,
    )?;
    Ok(found.into_iter().next())
}

fn read(row: &Row<'_>) -> Result<Standing, Error> {
    let paused: Option<Timestamp> = row.get("paused_at")?;
    let reason: Option<String> = row.get("paused_reason")?;
    let troubles: String = row.get("troubles")?;
    Ok(Standing {
        paused: paused.map(|at| Pause {
            at,
            reason: reason.unwrap_or_default(),
        }),
        breaker: Breaker {
            failures: row.count("failures")?,
            openings: row.count("openings")?,
            open_until: row.get("open_until")?,
            trouble: row.optional_parsed("open_trouble", Trouble::parse)?,
            trying_until: row.get("trying_until")?,
        },
        wait_until: row.get("wait_until")?,
        waits: row.count("waits")?,
        spent: Spent {
            minute_began: row.get("minute_began")?,
            in_minute: row.count("in_minute")?,
            day: row.get("day")?,
            in_day: row.count("in_day")?,
        },
        asked_at: row.get("asked_at")?,
        answered_at: row.get("answered_at")?,
        heard_at: row.get("heard_at")?,
        troubles: tallies(&troubles)?,
    })
}

/// A tally as it is stored.
#[derive(Serialize, Deserialize)]
struct Kept {
    count: u64,
    last_at: String,
    why: String,
}

fn written(troubles: &BTreeMap<Trouble, Tally>) -> Result<String, Error> {
    let kept = |tally: &Tally| Kept {
        count: tally.count,
        last_at: tally.last_at.to_string(),
        why: tally.why.clone(),
    };
    let kept: BTreeMap<&str, Kept> = troubles
        .iter()
        .map(|(kind, tally)| (kind.as_str(), kept(tally)))
        .collect();
    serde_json::to_string(&kept).map_err(|error| Error::Refused(error.to_string()))
}

fn tallies(text: &str) -> Result<BTreeMap<Trouble, Tally>, Error> {
    let kept: BTreeMap<String, Kept> =
        serde_json::from_str(text).map_err(|error| unreadable("troubles", &error))?;
    let read = kept.into_iter().map(|(kind, kept)| {
        let known = Trouble::parse(&kind).ok_or_else(|| unreadable("troubles", &kind))?;
        let last_at = kept.last_at.parse();
        let tally = Tally {
            count: kept.count,
            last_at: last_at.map_err(|_| unreadable("troubles", &kept.last_at))?,
            why: kept.why,
        };
        Ok((known, tally))
    });
    read.collect()
}
