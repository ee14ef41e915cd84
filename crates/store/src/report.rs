//! Reports: every reading of every claim, for good.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use domain::ids::{RawMessageId, ReportId, WatchId};
use domain::report::Report;
use jiff::Timestamp;

use crate::db::{Row, Value, chunks, pieces, placeholders, rows_of_values};
use crate::{Error, Tx, mirror};

/// A report as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReport {
    /// Its id.
    pub id: ReportId,
    /// The watch it came by.
    pub watch: WatchId,
    /// Insertion order inside the watch, from 0.
    pub index: i64,
    /// What was claimed.
    pub report: Report,
    /// When it was stored first.
    pub created_at: Timestamp,
}

/// A report and the watches under which it is filed.
#[derive(Clone, Copy, Debug)]
pub struct Filing<'a> {
    /// The report's id; the same under each watch.
    pub id: ReportId,
    /// The message it stands in.
    pub raw: RawMessageId,
    /// What is claimed.
    pub report: &'a Report,
    /// Where it is filed.
    pub watches: &'a [WatchId],
}

/// Stores readings under one watch; one that the watch already holds only has its last sight renewed. How many
/// were new.
pub fn insert(
    tx: &mut Tx,
    watch: WatchId,
    raw: RawMessageId,
    reports: &[(ReportId, Report)],
    now: Timestamp,
) -> Result<usize, Error> {
    let watches = [watch];
    let filings: Vec<Filing<'_>> = reports
        .iter()
        .map(|(id, report)| Filing {
            id: *id,
            raw,
            report,
            watches: &watches,
        })
        .collect();
    Ok(file(tx, &filings, now)?.len())
}

/// Stores readings under their watches; one that a watch already holds only has its last sight renewed. Which
/// of them were new to at least one of their watches.
pub fn file(tx: &mut Tx, filings: &[Filing<'_>], now: Timestamp) -> Result<Vec<ReportId>, Error> {
    let readings = distinct(filings)?;
    let known = renew(tx, &readings, now)?;
    let fresh: Vec<&Reading> = readings
        .iter()
        .filter(|reading| !known.contains(&reading.identity()))
        .collect();
    if fresh.is_empty() {
        return Ok(Vec::new());
    }
    let numbered = number(tx, &fresh)?;
    for piece in pieces(&numbered) {
        insert_piece(tx, piece, TOLD, now)?;
    }
    let mut ids: Vec<ReportId> = fresh.iter().map(|reading| reading.id).collect();
    ids.dedup();
    Ok(ids)
}

/// What no replay has found yet bears this number.
const TOLD: i64 = 0;

/// What a [replay](crate::replay) reads: readings that are there are marked with its number; new ones are stored
/// with a minus before it, and not told until their watch is settled.
pub fn mark(tx: &mut Tx, filings: &[Filing<'_>], replay: i64, now: Timestamp) -> Result<(), Error> {
    let readings = distinct(filings)?;
    let mut known = HashSet::new();
    for piece in pieces(&readings) {
        let rows = rows_of_values(2, piece.len(), &["uuid", "bytea", "bytea"]);
        let mut values = vec![replay.into()];
        values.extend(piece.iter().flat_map(Reading::values));
        known.extend(tx.returning(
            &format!(
                "with said (said_watch, said_key, said_content) as (values {rows})
                 update reports set read_by = case when read_by < 0 then -$1/*pg ::bigint*/ else $1 end
                 from said
                 where watch_id = said.said_watch and key = said.said_key
                     and content = said.said_content
                 returning watch_id, key, content"
            ),
            &values,
            identity,
        )?);
    }
    let fresh: Vec<&Reading> = readings
        .iter()
        .filter(|reading| !known.contains(&reading.identity()))
        .collect();
    let numbered = number(tx, &fresh)?;
    for piece in pieces(&numbered) {
        insert_piece(tx, piece, -replay, now)?;
    }
    Ok(())
}

/// All reports of these watches, by id. A reading that stands under several of them is given once: with the
/// lowest of its ids, and as of the watch that is named first.
pub fn of_watches(tx: &mut Tx, watches: &[WatchId]) -> Result<Vec<StoredReport>, Error> {
    Ok(of_each(tx, &[watches])?.pop().unwrap_or_default().0)
}

/// For each of these sets of watches its [reports](of_watches), and how many rows they are under its watches, those
/// under another watch of the set included. All sets are read together.
pub fn of_each(tx: &mut Tx, sets: &[&[WatchId]]) -> Result<Vec<(Vec<StoredReport>, i64)>, Error> {
    let mut wanted: Vec<WatchId> = sets.iter().flat_map(|set| set.iter().copied()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut rows: HashMap<WatchId, Vec<Unread>> = HashMap::with_capacity(wanted.len());
    for chunk in chunks(&wanted) {
        let text = format!(
            "select id, watch_id, position, body, created_at, key, content from reports
             where watch_id in ({}) and read_by >= 0",
            placeholders(1, chunk.len())
        );
        for row in tx.query(&text, &chunk, unread)? {
            rows.entry(row.watch).or_default().push(row);
        }
    }
    sets.iter()
        .map(|set| {
            let of_set = set.iter().filter_map(|watch| rows.get(watch)).flatten();
            let mut of_set: Vec<&Unread> = of_set.collect();
            let count = i64::try_from(of_set.len()).unwrap_or(i64::MAX);
            of_set.sort_by_key(|row| row.id);
            Ok((once(set, &of_set)?, count))
        })
        .collect()
}

/// The message that each report of these watches stands in.
pub fn messages_of(
    tx: &mut Tx,
    watches: &[WatchId],
) -> Result<HashMap<ReportId, RawMessageId>, Error> {
    let mut messages = HashMap::new();
    for piece in pieces(watches) {
        let ids: Vec<Value<'_>> = piece.iter().map(|id| Value::from(*id)).collect();
        let places = placeholders(1, ids.len());
        messages.extend(tx.query(
            &format!(
                "select id, raw_message_id from reports
                 where watch_id in ({places}) and read_by >= 0"
            ),
            &ids,
            |row| Ok((row.id::<ReportId>("id")?, row.id("raw_message_id")?)),
        )?);
    }
    Ok(messages)
}

/// How many reports these watches hold together: another number means that there are others.
pub fn count_of(tx: &mut Tx, watches: &[WatchId]) -> Result<i64, Error> {
    let mut count = 0;
    for piece in pieces(watches) {
        let ids: Vec<Value<'_>> = piece.iter().map(|id| Value::from(*id)).collect();
        let places = placeholders(1, ids.len());
        let found = tx.query(
            &format!("select report_count from watches where id in ({places})"),
            &ids,
            |row| row.get::<i64>("report_count"),
        )?;
        count += found.iter().sum::<i64>();
    }
    Ok(count)
}

/// A row before its body is read.
struct Unread {
    id: ReportId,
    watch: WatchId,
    index: i64,
    created_at: Timestamp,
    identity: Identity,
    body: String,
}

fn unread(row: &Row<'_>) -> Result<Unread, Error> {
    Ok(Unread {
        id: row.id("id")?,
        watch: row.id("watch_id")?,
        index: row.get("position")?,
        created_at: row.get("created_at")?,
        identity: (row.digest("key")?, row.digest("content")?),
        body: row.get("body")?,
    })
}

fn once(watches: &[WatchId], rows: &[&Unread]) -> Result<Vec<StoredReport>, Error> {
    let place = |id: WatchId| watches.iter().position(|watch| *watch == id);
    let mut places: HashMap<Identity, usize> = HashMap::with_capacity(rows.len());
    let mut kept: Vec<StoredReport> = Vec::with_capacity(rows.len());
    for row in rows {
        match places.get(&row.identity).and_then(|at| kept.get_mut(*at)) {
            Some(first) if place(row.watch) < place(first.watch) => {
                (first.watch, first.index) = (row.watch, row.index);
            }
            Some(_) => {}
            None => {
                places.insert(row.identity, kept.len());
                kept.push(StoredReport {
                    id: row.id,
                    watch: row.watch,
                    index: row.index,
                    report: mirror::value("body", &row.body)?,
                    created_at: row.created_at,
                });
            }
        }
    }
    Ok(kept)
}

/// What makes a reading: the claim's key and the digest of what is said.
type Identity = ([u8; 32], [u8; 32]);

struct Reading {
    watch: WatchId,
    id: ReportId,
    raw: RawMessageId,
    key: [u8; 32],
    content: [u8; 32],
    body: Rc<str>,
}

impl Reading {
    fn identity(&self) -> (WatchId, Identity) {
        (self.watch, (self.key, self.content))
    }

    fn values(&self) -> [Value<'_>; 3] {
        [
            self.watch.into(),
            (&self.key).into(),
            (&self.content).into(),
        ]
    }
}

/// Each reading once under each of its watches, in the order given.
fn distinct(filings: &[Filing<'_>]) -> Result<Vec<Reading>, Error> {
    let mut seen = HashSet::new();
    let mut readings = Vec::with_capacity(filings.len());
    for filing in filings {
        let (key, content) = (filing.report.key().0, filing.report.content().0);
        let mut body: Option<Rc<str>> = None;
        for watch in filing.watches {
            if !seen.insert((*watch, (key, content))) {
                continue;
            }
            let text = match &body {
                Some(text) => Rc::clone(text),
                None => Rc::from(mirror::text(filing.report)?),
            };
            body = Some(Rc::clone(&text));
            readings.push(Reading {
                watch: *watch,
                id: filing.id,
                raw: filing.raw,
                key,
                content,
                body: text,
            });
        }
    }
    Ok(readings)
}

/// Renews the last sight of readings that are there; which ones.
fn renew(
    tx: &mut Tx,
    readings: &[Reading],
    now: Timestamp,
) -> Result<HashSet<(WatchId, Identity)>, Error> {
    let mut known = HashSet::new();
    for piece in pieces(readings) {
        let rows = rows_of_values(2, piece.len(), &["uuid", "bytea", "bytea"]);
        let mut values = vec![now.into()];
        values.extend(piece.iter().flat_map(Reading::values));
        known.extend(tx.returning(
            &format!(
                "with said (said_watch, said_key, said_content) as (values {rows})
                 update reports set last_seen_at = $1 from said
                 where watch_id = said.said_watch and key = said.said_key
                     and content = said.said_content
                 returning watch_id, key, content"
            ),
            &values,
            identity,
        )?);
    }
    Ok(known)
}

fn identity(row: &Row<'_>) -> Result<(WatchId, Identity), Error> {
    let identity = (row.digest("key")?, row.digest("content")?);
    Ok((row.id("watch_id")?, identity))
}

/// Gives each reading a position in its watch that nobody else gets: the watch's row is locked by taking them.
fn number<'r>(tx: &mut Tx, fresh: &[&'r Reading]) -> Result<Vec<(i64, &'r Reading)>, Error> {
    let mut wanted: BTreeMap<WatchId, i64> = BTreeMap::new();
    for reading in fresh {
        *wanted.entry(reading.watch).or_default() += 1;
    }
    let wanted: Vec<(WatchId, i64)> = wanted.into_iter().collect();
    let mut next: HashMap<WatchId, i64> = HashMap::with_capacity(wanted.len());
    for piece in pieces(&wanted) {
        next.extend(take_positions(tx, piece)?);
    }
    fresh
        .iter()
        .map(|reading| {
            let place = next.get_mut(&reading.watch).ok_or(Error::Conflict {
                constraint: "reports belong to a watch".into(),
            })?;
            *place += 1;
            Ok((*place - 1, *reading))
        })
        .collect()
}

/// The first of the positions that each of these watches gives.
fn take_positions(tx: &mut Tx, wanted: &[(WatchId, i64)]) -> Result<Vec<(WatchId, i64)>, Error> {
    let rows = rows_of_values(1, wanted.len(), &["uuid", "bigint"]);
    let values: Vec<Value<'_>> = wanted
        .iter()
        .flat_map(|(watch, count)| [(*watch).into(), (*count).into()])
        .collect();
    let counts: HashMap<WatchId, i64> = wanted.iter().copied().collect();
    tx.returning(
        &format!(
            "with wanted (wanted_id, wanted_count) as (values {rows})
             update watches set report_count = report_count + wanted_count from wanted
             where id = wanted_id
             returning id, report_count"
        ),
        &values,
        |row| {
            let (id, after): (WatchId, i64) = (row.id("id")?, row.get("report_count")?);
            Ok((id, after - counts.get(&id).copied().unwrap_or_default()))
        },
    )
}

fn insert_piece(
    tx: &mut Tx,
    piece: &[(i64, &Reading)],
    read_by: i64,
    now: Timestamp,
) -> Result<u64, Error> {
    let casts = [
        "uuid",
        "bigint",
        "uuid",
        "uuid",
        "bytea",
        "bytea",
        "timestamptz",
        "timestamptz",
        "text",
        "bigint",
    ];
    let rows = rows_of_values(1, piece.len(), &casts);
    let values: Vec<Value<'_>> = piece
        .iter()
        .flat_map(|(position, reading)| {
            [
                reading.watch.into(),
                (*position).into(),
                reading.id.into(),
                reading.raw.into(),
                (&reading.key).into(),
                (&reading.content).into(),
                now.into(),
                now.into(),
                Value::Text(&reading.body),
                read_by.into(),
            ]
        })
        .collect();
    tx.execute(
        &format!(
            "insert into reports (watch_id, position, id, raw_message_id, key, content,
                 created_at, last_seen_at, body, read_by)
             values {rows} on conflict (watch_id, key, content) do nothing"
        ),
        &values,
    )
}
