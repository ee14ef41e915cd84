//! Reports: every reading of every claim, for good.

use std::collections::HashSet;

use domain::ids::{RawMessageId, ReportId, WatchId};
use domain::report::Report;
use jiff::Timestamp;

use crate::db::{Row, Value, pieces, placeholders, rows_of_values};
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

/// Stores readings; one that the watch already holds only has its last sight renewed. How many were new.
pub fn insert(
    tx: &mut Tx,
    watch: WatchId,
    raw: RawMessageId,
    reports: &[(ReportId, Report)],
    now: Timestamp,
) -> Result<usize, Error> {
    let readings = distinct(reports)?;
    let known = renew(tx, watch, &readings, now)?;
    let fresh: Vec<&Reading> = readings
        .iter()
        .filter(|reading| !known.contains(&reading.identity()))
        .collect();
    if fresh.is_empty() {
        return Ok(0);
    }
    let first = take_positions(tx, watch, fresh.len())?;
    let numbered: Vec<(i64, &Reading)> = (first..).zip(fresh).collect();
    let mut added = 0;
    for piece in pieces(&numbered) {
        added += insert_piece(tx, watch, raw, piece, now)?;
    }
    usize::try_from(added).map_err(|_| Error::Refused("more reports than fit".into()))
}

/// All reports of these watches, by id.
pub fn of_watches(tx: &mut Tx, watches: &[WatchId]) -> Result<Vec<StoredReport>, Error> {
    let mut reports = Vec::new();
    for piece in pieces(watches) {
        let ids: Vec<Value<'_>> = piece.iter().map(|id| Value::from(*id)).collect();
        let places = placeholders(1, ids.len());
        reports.extend(tx.query(
            &format!(
                "select id, watch_id, position, body, created_at from reports
                 where watch_id in ({places})"
            ),
            &ids,
            read,
        )?);
    }
    reports.sort_by_key(|report| report.id);
    Ok(reports)
}

/// What makes a reading: the claim's key and the digest of what is said.
type Identity = ([u8; 32], [u8; 32]);

struct Reading {
    id: ReportId,
    key: [u8; 32],
    content: [u8; 32],
    body: String,
}

impl Reading {
    fn identity(&self) -> Identity {
        (self.key, self.content)
    }
}

/// Each reading once, in the order given.
fn distinct(reports: &[(ReportId, Report)]) -> Result<Vec<Reading>, Error> {
    let mut seen = HashSet::new();
    let mut readings = Vec::with_capacity(reports.len());
    for (id, report) in reports {
        let (key, content) = (report.key().0, report.content().0);
        if seen.insert((key, content)) {
            readings.push(Reading {
                id: *id,
                key,
                content,
                body: mirror::text(report)?,
            });
        }
    }
    Ok(readings)
}

/// Renews the last sight of readings that are there; which ones.
fn renew(
    tx: &mut Tx,
    watch: WatchId,
    readings: &[Reading],
    now: Timestamp,
) -> Result<HashSet<Identity>, Error> {
    let mut known = HashSet::new();
    for piece in pieces(readings) {
        let rows = rows_of_values(3, piece.len(), &["bytea", "bytea"]);
        let mut values = vec![watch.into(), now.into()];
        values.extend(
            piece
                .iter()
                .flat_map(|r| [Value::from(&r.key), Value::from(&r.content)]),
        );
        known.extend(tx.returning(
            &format!(
                "with said (said_key, said_content) as (values {rows})
                 update reports set last_seen_at = $2 from said
                 where watch_id = $1 and key = said.said_key and content = said.said_content
                 returning key, content"
            ),
            &values,
            |row| Ok((row.digest("key")?, row.digest("content")?)),
        )?);
    }
    Ok(known)
}

/// The first of `count` positions that nobody else gets: the watch's row is locked by taking them.
fn take_positions(tx: &mut Tx, watch: WatchId, count: usize) -> Result<i64, Error> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let taken = tx.returning(
        "update watches set report_count = report_count + $2 where id = $1 returning report_count",
        &[watch.into(), count.into()],
        |row| row.get::<i64>("report_count"),
    )?;
    let after = taken.first().ok_or_else(|| Error::Conflict {
        constraint: "reports belong to a watch".into(),
    })?;
    Ok(after - count)
}

fn insert_piece(
    tx: &mut Tx,
    watch: WatchId,
    raw: RawMessageId,
    piece: &[(i64, &Reading)],
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
    ];
    let rows = rows_of_values(1, piece.len(), &casts);
    let values: Vec<Value<'_>> = piece
        .iter()
        .flat_map(|(position, reading)| {
            [
                watch.into(),
                (*position).into(),
                reading.id.into(),
                raw.into(),
                (&reading.key).into(),
                (&reading.content).into(),
                now.into(),
                now.into(),
                (&reading.body).into(),
            ]
        })
        .collect();
    tx.execute(
        &format!(
            "insert into reports (watch_id, position, id, raw_message_id, key, content,
                 created_at, last_seen_at, body)
             values {rows} on conflict (watch_id, key, content) do nothing"
        ),
        &values,
    )
}

fn read(row: &Row<'_>) -> Result<StoredReport, Error> {
    Ok(StoredReport {
        id: row.id("id")?,
        watch: row.id("watch_id")?,
        index: row.get("position")?,
        report: row.mirrored("body")?,
        created_at: row.get("created_at")?,
    })
}
