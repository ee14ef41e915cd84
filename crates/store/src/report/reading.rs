//! Reading back: what watches hold, each reading once.

use std::collections::HashMap;

use domain::ids::{RawMessageId, ReportId, WatchId};
use jiff::Timestamp;

use super::{Content, Standing, StoredReport};
use crate::db::{chunks, placeholders, unreadable};
use crate::{Error, Tx, mirror};

/// Times that links are read, when their reports go meanwhile. More often than that it is no replay.
const LOOKS_MAX: usize = 4;

/// All reports of these watches, by id. A reading that stands under several of them is given once: with the
/// lowest of its ids, and as of the watch that is named first.
pub fn of_watches(tx: &mut Tx, watches: &[WatchId]) -> Result<Vec<StoredReport>, Error> {
    let read = of_each(tx, &[watches])?;
    Ok(read.into_iter().flat_map(|(reports, _)| reports).collect())
}

/// For each of these sets of watches its [reports](of_watches), and what stands under its watches. All sets are read
/// together.
pub fn of_each(
    tx: &mut Tx,
    sets: &[&[WatchId]],
) -> Result<Vec<(Vec<StoredReport>, Standing)>, Error> {
    let mut wanted: Vec<WatchId> = sets.iter().flat_map(|set| set.iter().copied()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let held = Held::by(tx, &wanted)?;
    sets.iter().map(|set| held.told(set)).collect()
}

/// The message that each report of these watches stands in.
pub fn messages_of(
    tx: &mut Tx,
    watches: &[WatchId],
) -> Result<HashMap<ReportId, RawMessageId>, Error> {
    let mut messages = HashMap::new();
    for chunk in chunks(watches) {
        let places = placeholders(1, chunk.len());
        messages.extend(tx.query(
            &format!(
                "select report_id,
                     (select raw_message_id from reports where id = report_id) as raw_message_id
                 from filed_reports where watch_id in ({places}) and read_by >= 0"
            ),
            &chunk,
            |row| Ok((row.id::<ReportId>("report_id")?, row.id("raw_message_id")?)),
        )?);
    }
    Ok(messages)
}

/// What stands under these watches.
pub fn standing(tx: &mut Tx, watches: &[WatchId]) -> Result<Standing, Error> {
    let links = links(tx, watches)?;
    let standing = links.iter().flat_map(|(watch, of_watch)| {
        let reports = of_watch.iter().map(|link| link.report);
        reports.map(|report| (*watch, report))
    });
    Ok(Standing::of(standing.collect()))
}

/// Whether any report stands under one of these watches.
pub fn any(tx: &mut Tx, watches: &[WatchId]) -> Result<bool, Error> {
    for chunk in chunks(watches) {
        let places = placeholders(1, chunk.len());
        let found = tx.query_one(
            &format!(
                "select watch_id from filed_reports
                 where watch_id in ({places}) and read_by >= 0 limit 1"
            ),
            &chunk,
            |row| row.id::<WatchId>("watch_id"),
        )?;
        if found.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What watches hold, before it is read.
struct Held {
    /// By id, under each watch.
    links: HashMap<WatchId, Vec<Link>>,
    said: HashMap<ReportId, Said>,
}

struct Link {
    report: ReportId,
    content: Content,
}

struct Said {
    created_at: Timestamp,
    body: String,
}

impl Held {
    /// Links, then what they refer to: a body comes once, and no planner that takes a table for small can go through all
    /// of it, as it would for a join.
    ///
    /// Between the two a replay may settle a watch and take reports along. Links to them are then of before, and are
    /// read again, so that what it takes out and what it puts in are seen together.
    fn by(tx: &mut Tx, watches: &[WatchId]) -> Result<Self, Error> {
        let mut gone = None;
        for _ in 0..LOOKS_MAX {
            let links = links(tx, watches)?;
            let mut reports: Vec<ReportId> =
                links.values().flatten().map(|link| link.report).collect();
            reports.sort_unstable();
            reports.dedup();
            let said = said(tx, &reports)?;
            if said.len() == reports.len() {
                return Ok(Self { links, said });
            }
            gone = reports.into_iter().find(|id| !said.contains_key(id));
        }
        let found = gone.map_or_else(String::new, |id| format!("{id}, which is not in reports"));
        Err(unreadable("filed_reports.report_id", &found))
    }

    fn told(&self, set: &[WatchId]) -> Result<(Vec<StoredReport>, Standing), Error> {
        // The order of the watches first: of equal ids, the one as of the watch that is named first comes first.
        let mut links: Vec<(usize, WatchId, &Link)> = Vec::new();
        for (place, watch) in set.iter().enumerate() {
            let of_watch = self.links.get(watch).into_iter().flatten();
            links.extend(of_watch.map(|link| (place, *watch, link)));
        }
        let standing = links.iter().map(|(_, watch, link)| (*watch, link.report));
        let standing = Standing::of(standing.collect());
        links.sort_by_key(|(_, _, link)| link.report);
        let mut places: HashMap<Content, (usize, usize)> = HashMap::with_capacity(links.len());
        let mut told: Vec<StoredReport> = Vec::with_capacity(links.len());
        for (place, watch, link) in links {
            if let Some((first, at)) = places.get_mut(&link.content) {
                if place < *first
                    && let Some(one) = told.get_mut(*at)
                {
                    (*first, one.watch) = (place, watch);
                }
                continue;
            }
            let said = self.said.get(&link.report).ok_or(Error::Poisoned)?;
            places.insert(link.content, (place, told.len()));
            told.push(StoredReport {
                id: link.report,
                watch,
                report: mirror::value("body", &said.body)?,
                created_at: said.created_at,
            });
        }
        Ok((told, standing))
    }
}

/// What is told under these watches, by id under each of them.
fn links(tx: &mut Tx, watches: &[WatchId]) -> Result<HashMap<WatchId, Vec<Link>>, Error> {
    let mut links: HashMap<WatchId, Vec<Link>> = HashMap::with_capacity(watches.len());
    for chunk in chunks(watches) {
        let text = format!(
            "select watch_id, report_id, content from filed_reports
             where watch_id in ({}) and read_by >= 0",
            placeholders(1, chunk.len())
        );
        let rows = tx.query(&text, &chunk, |row| {
            let (report, content) = (row.id("report_id")?, row.digest("content")?);
            Ok((row.id("watch_id")?, Link { report, content }))
        })?;
        for (watch, link) in rows {
            links.entry(watch).or_default().push(link);
        }
    }
    for of_watch in links.values_mut() {
        of_watch.sort_unstable_by_key(|link| link.report);
    }
    Ok(links)
}

fn said(tx: &mut Tx, reports: &[ReportId]) -> Result<HashMap<ReportId, Said>, Error> {
    let mut said = HashMap::with_capacity(reports.len());
    for chunk in chunks(reports) {
        let text = format!(
            "select id, created_at, body from reports where id in ({})",
            placeholders(1, chunk.len())
        );
        said.extend(tx.query(&text, &chunk, |row| {
            let (created_at, body) = (row.get("created_at")?, row.unpacked("body")?);
            Ok((row.id("id")?, Said { created_at, body }))
        })?);
    }
    Ok(said)
}
