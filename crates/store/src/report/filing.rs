//! Filing: readings that a watch holds are seen again, the others are stored and linked to it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use domain::ids::{RawMessageId, ReportId, WatchId};
use domain::report::Report;
use jiff::Timestamp;

use super::{Content, Filing, Written};
use crate::db::{Row, Value, chunks, padded_pieces, pieces, placeholders, rows_of_values};
use crate::packed::Packed;
use crate::{Error, Tx, watch};

/// What no replay has found yet bears this number.
const TOLD: i64 = 0;

/// Stores readings under one watch, which is held; one that the watch has already only has its last sight renewed. How
/// many were new.
pub fn insert(
    tx: &mut Tx,
    watch: WatchId,
    raw: RawMessageId,
    reports: &[(ReportId, Report)],
    now: Timestamp,
) -> Result<usize, Error> {
    if !watch::lock(tx, watch)? {
        return Err(Error::Conflict {
            constraint: "reports belong to a watch".into(),
        });
    }
    let watches = [watch];
    let readings: Vec<(ReportId, Written)> = reports
        .iter()
        .map(|(id, report)| (*id, Written::of(report)))
        .collect();
    let filings: Vec<Filing<'_>> = readings
        .iter()
        .map(|(id, written)| Filing {
            id: *id,
            raw,
            written,
            watches: &watches,
        })
        .collect();
    Ok(file(tx, &filings, now)?.len())
}

/// Stores readings under their watches, which the caller holds; one that a watch has already only has its last sight
/// renewed. Which of them were new to at least one of their watches.
///
/// Seen is a report, and with it the reading under each watch that holds it.
pub fn file(tx: &mut Tx, filings: &[Filing<'_>], now: Timestamp) -> Result<Vec<ReportId>, Error> {
    let known = known(tx, &places(filings))?;
    renew(tx, &known, now)?;
    let found = tell_found(tx, &known)?;
    let mut fresh = Fresh::of(filings, known)?;
    fresh.store(tx, TOLD, now)?;
    for filing in filings.iter().filter(|filing| filing.is_among(&found)) {
        if !fresh.new.contains(&filing.id) {
            fresh.new.push(filing.id);
        }
    }
    Ok(fresh.new)
}

/// What a [replay](crate::replay) reads: readings that a watch has are marked with its number; new ones are stored
/// with a minus before it, and not told until their watch is settled. The caller holds the watches.
pub fn mark(tx: &mut Tx, filings: &[Filing<'_>], replay: i64, now: Timestamp) -> Result<(), Error> {
    let mut known = HashMap::new();
    for piece in pieces(&places(filings)) {
        let rows = rows_of_values(2, piece.len(), &["uuid", "bytea"]);
        let mut values = vec![replay.into()];
        values.extend(piece.iter().flat_map(Place::values));
        known.extend(tx.returning(
            &format!(
                "with said (said_watch, said_content) as (values {rows})
                 update filed_reports
                 set read_by = case when read_by < 0 then -$1/*pg ::bigint*/ else $1 end
                 from said
                 where watch_id = said.said_watch and content = said.said_content
                 returning watch_id, content, report_id"
            ),
            &values,
            |row| Ok((place(row)?, row.id("report_id")?)),
        )?);
    }
    Fresh::of(filings, known)?.store(tx, -replay, now)
}

/// Takes readings out of a watch, which is held: what they told is told otherwise now. How many it held.
pub fn take_out(tx: &mut Tx, watch: WatchId, reports: &[Report]) -> Result<usize, Error> {
    let mut gone: Vec<ReportId> = Vec::new();
    for report in reports {
        let content: Content = report.content().0;
        gone.extend(tx.returning(
            "delete from filed_reports where watch_id = $1 and content = $2 returning report_id",
            &[watch.into(), (&content).into()],
            |row| row.id::<ReportId>("report_id"),
        )?);
    }
    // One order for all who write to reports.
    gone.sort_unstable();
    let_go(tx, &gone)?;
    Ok(gone.len())
}

/// These reports stand under one watch less, which is held. Those that stand under none are gone.
pub(crate) fn let_go(tx: &mut Tx, reports: &[ReportId]) -> Result<(), Error> {
    let mut alone: Vec<ReportId> = Vec::new();
    for (id, filed) in file_under(tx, -1, reports)? {
        alone.extend((filed <= 0).then_some(id));
    }
    for chunk in chunks(&alone) {
        let places = placeholders(1, chunk.len());
        tx.execute(
            &format!("delete from reports where id in ({places})"),
            &chunk,
        )?;
    }
    Ok(())
}

/// Where a reading may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Place {
    watch: WatchId,
    content: Content,
}

impl Place {
    fn values(&self) -> [Value<'_>; 2] {
        [self.watch.into(), (&self.content).into()]
    }
}

fn place(row: &Row<'_>) -> Result<Place, Error> {
    Ok(Place {
        watch: row.id("watch_id")?,
        content: row.digest("content")?,
    })
}

/// Each place that these filings name, once.
fn places(filings: &[Filing<'_>]) -> Vec<Place> {
    let all = filings.iter().flat_map(|filing| {
        let watches = filing.watches.iter().copied();
        watches.map(|watch| Place {
            watch,
            content: filing.written.content,
        })
    });
    let mut seen = HashSet::new();
    all.filter(|place| seen.insert(*place)).collect()
}

impl Filing<'_> {
    /// Whether one of its places is among these.
    fn is_among(&self, places: &HashSet<Place>) -> bool {
        let content = self.written.content;
        let mut own = self.watches.iter().map(|watch| Place {
            watch: *watch,
            content,
        });
        !places.is_empty() && own.any(|place| places.contains(&place))
    }
}

/// The reports that stand in these places. Each is looked up by itself: a planner that takes the table for small would
/// go through all of it for a join.
fn known(tx: &mut Tx, places: &[Place]) -> Result<HashMap<Place, ReportId>, Error> {
    let mut known = HashMap::new();
    for piece in padded_pieces(places) {
        let rows = rows_of_values(1, piece.len(), &["uuid", "bytea"]);
        let values: Vec<Value<'_>> = piece.iter().flat_map(Place::values).collect();
        let found = tx.query(
            &format!(
                "with said (watch_id, content) as (values {rows})
                 select watch_id, content,
                     (select report_id from filed_reports f
                      where f.watch_id = said.watch_id and f.content = said.content) as report_id
                 from said"
            ),
            &values,
            |row| Ok((place(row)?, row.optional_id::<ReportId>("report_id")?)),
        )?;
        known.extend(
            found
                .into_iter()
                .filter_map(|(place, id)| Some((place, id?))),
        );
    }
    Ok(known)
}

/// What a [replay](crate::replay) found in these places, and has not told yet, is told from now on, since it is said now. In
/// which of them that was.
fn tell_found(tx: &mut Tx, known: &HashMap<Place, ReportId>) -> Result<HashSet<Place>, Error> {
    let mut held: Vec<Place> = known.keys().copied().collect();
    held.sort_unstable();
    let mut found = HashSet::new();
    for piece in padded_pieces(&held) {
        let rows = rows_of_values(2, piece.len(), &["uuid", "bytea"]);
        let mut values = vec![TOLD.into()];
        values.extend(piece.iter().flat_map(Place::values));
        found.extend(tx.returning(
            &format!(
                "with said (said_watch, said_content) as (values {rows})
                 update filed_reports set read_by = $1/*pg ::bigint*/
                 from said
                 where watch_id = said.said_watch and content = said.said_content and read_by < 0
                 returning watch_id, content"
            ),
            &values,
            place,
        )?);
    }
    Ok(found)
}

/// Renews the last sight of reports.
fn renew(tx: &mut Tx, known: &HashMap<Place, ReportId>, now: Timestamp) -> Result<(), Error> {
    let seen: BTreeSet<ReportId> = known.values().copied().collect();
    let seen: Vec<ReportId> = seen.into_iter().collect();
    for chunk in chunks(&seen) {
        let text = format!(
            "update reports set last_seen_at = $1 where id in ({})",
            placeholders(2, chunk.len())
        );
        let values: Vec<Value<'_>> = std::iter::once(now.into()).chain(chunk).collect();
        tx.execute(&text, &values)?;
    }
    Ok(())
}

/// These reports stand under so many watches more. Under how many they stand now.
fn file_under(tx: &mut Tx, more: i64, reports: &[ReportId]) -> Result<Vec<(ReportId, i64)>, Error> {
    let mut filed = Vec::with_capacity(reports.len());
    for chunk in chunks(reports) {
        let text = format!(
            "update reports set filed = filed + $1 where id in ({}) returning id, filed",
            placeholders(2, chunk.len())
        );
        let values: Vec<Value<'_>> = std::iter::once(more.into()).chain(chunk).collect();
        filed.extend(tx.returning(&text, &values, |row| Ok((row.id("id")?, row.get("filed")?)))?);
    }
    Ok(filed)
}

/// What is to be written.
struct Fresh<'r> {
    /// Readings that were new to one of their watches, by the ids they were given.
    new: Vec<ReportId>,
    reports: Vec<Unsaid<'r>>,
    links: Vec<(Place, ReportId)>,
    /// Reports that were there, and under how many watches more they stand.
    elsewhere: BTreeMap<ReportId, i64>,
}

/// A report that no watch of its filing holds.
struct Unsaid<'r> {
    id: ReportId,
    raw: RawMessageId,
    body: &'r Packed,
    /// Under how many watches it stands.
    filed: i64,
}

impl<'r> Fresh<'r> {
    /// Goes through the filings in their order, so that a reading given twice is stored once. `held`: what stands where.
    fn of(filings: &[Filing<'r>], mut held: HashMap<Place, ReportId>) -> Result<Self, Error> {
        let mut fresh = Self {
            new: Vec::new(),
            reports: Vec::new(),
            links: Vec::new(),
            elsewhere: BTreeMap::new(),
        };
        for filing in filings {
            let places = filing.watches.iter().map(|watch| Place {
                watch: *watch,
                content: filing.written.content,
            });
            let (mut missing, mut earlier) = (Vec::new(), None::<ReportId>);
            for place in places {
                match held.get(&place) {
                    Some(id) => earlier = Some(earlier.map_or(*id, |lowest| lowest.min(*id))),
                    None => missing.push(place),
                }
            }
            missing.sort_unstable();
            missing.dedup();
            if missing.is_empty() {
                continue;
            }
            let id = earlier.unwrap_or(filing.id);
            let filed = i64::try_from(missing.len()).unwrap_or(i64::MAX);
            if earlier.is_some() {
                *fresh.elsewhere.entry(id).or_default() += filed;
            } else {
                fresh.reports.push(Unsaid {
                    id,
                    raw: filing.raw,
                    body: filing.written.body()?,
                    filed,
                });
            }
            held.extend(missing.iter().map(|place| (*place, id)));
            fresh
                .links
                .extend(missing.into_iter().map(|place| (place, id)));
            fresh.new.push(filing.id);
        }
        Ok(fresh)
    }

    fn store(&self, tx: &mut Tx, read_by: i64, now: Timestamp) -> Result<(), Error> {
        for piece in pieces(&self.reports) {
            insert_reports(tx, piece, now)?;
        }
        for piece in padded_pieces(&self.links) {
            insert_links(tx, &piece, read_by)?;
        }
        let mut by_number: BTreeMap<i64, Vec<ReportId>> = BTreeMap::new();
        for (id, more) in &self.elsewhere {
            by_number.entry(*more).or_default().push(*id);
        }
        for (more, ids) in by_number {
            file_under(tx, more, &ids)?;
        }
        Ok(())
    }
}

fn insert_reports(tx: &mut Tx, piece: &[Unsaid<'_>], now: Timestamp) -> Result<u64, Error> {
    let casts = [
        "uuid",
        "uuid",
        "timestamptz",
        "timestamptz",
        "bigint",
        "bytea",
    ];
    let rows = rows_of_values(1, piece.len(), &casts);
    let values: Vec<Value<'_>> = piece
        .iter()
        .flat_map(|report| {
            [
                report.id.into(),
                report.raw.into(),
                now.into(),
                now.into(),
                report.filed.into(),
                report.body.into(),
            ]
        })
        .collect();
    tx.execute(
        &format!(
            "insert into reports (id, raw_message_id, created_at, last_seen_at, filed, body)
             values {rows}"
        ),
        &values,
    )
}

fn insert_links(tx: &mut Tx, piece: &[(Place, ReportId)], read_by: i64) -> Result<u64, Error> {
    let rows = rows_of_values(2, piece.len(), &["uuid", "bytea", "uuid"]);
    let mut values = vec![read_by.into()];
    values.extend(piece.iter().flat_map(|(place, report)| {
        let [watch, content] = place.values();
        [watch, content, (*report).into()]
    }));
    // What pads a piece is in conflict with itself.
    tx.execute(
        &format!(
            "with said (watch_id, content, report_id) as (values {rows})
             insert into filed_reports (watch_id, content, report_id, read_by)
             select watch_id, content, report_id, $1/*pg ::bigint*/ from said where true
             on conflict (watch_id, content) do nothing"
        ),
        &values,
    )
}
