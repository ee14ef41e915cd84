//! Recalls: events taken back by the id that their sender gave them, and by nothing else.
//!
//! A retraction may come without the box and the bill of what it takes back (DCSA 3.0: a retracted id and no payload). It has
//! to be filed under the numbers of its event, or those who track them never hear of it. So ids of events that can be taken
//! back so are kept with the numbers under which they were filed.
//!
//! A retraction may also come first, and an event may be told again under other numbers. So the row keeps the retraction
//! that was issued last, for good, and whoever tells of the event takes it along. Both sides write the same row, which the
//! second waits for: neither misses the other.

use std::collections::{BTreeMap, BTreeSet};

use domain::ids::{AccountId, RawMessageId};
use domain::report::Report;
use domain::tracking_request::NumberKind;

use crate::db::{Row, Value, pieces, rows_of_values, unreadable};
use crate::docket::{self, Number};
use crate::{Error, Tx, mirror};

/// Bytes of an id. What is longer is no id of anybody's, and is not kept.
const ID_BYTES_MAX: usize = 512;
/// Numbers kept of one event: more than a reader takes of one.
const NUMBERS_MAX: usize = 512;

/// The numbers of events by their sender's ids.
pub type Told = BTreeMap<String, BTreeSet<Number>>;

/// A retraction of which whoever tells of its event has to hear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recall {
    /// The message it stands in.
    pub raw: RawMessageId,
    /// What it says.
    pub report: Report,
    /// The numbers of the event, under which it is to be filed.
    pub numbers: BTreeSet<Number>,
}

/// Notes under which numbers events of a source are filed. What takes them back comes back, with all their numbers.
pub fn tell(
    tx: &mut Tx,
    owner: Option<AccountId>,
    source: &str,
    told: &Told,
) -> Result<Vec<Recall>, Error> {
    let owner = docket::source_of(owner);
    let mut events: Vec<(&str, &BTreeSet<Number>, String)> = Vec::with_capacity(told.len());
    for (id, numbers) in told.iter().filter(|(id, _)| id.len() <= ID_BYTES_MAX) {
        events.push((id, numbers, text(numbers)?));
    }
    let mut recalls = Vec::new();
    for piece in pieces(&events) {
        let rows = rows_of_values(1, piece.len(), &["text", "text", "text", "text"]);
        let values: Vec<Value<'_>> = piece
            .iter()
            .flat_map(|(id, _, numbers)| {
                [source.into(), (&owner).into(), (*id).into(), numbers.into()]
            })
            .collect();
        let known: Vec<Known> = tx.returning(
            &format!(
                "insert into recalls (source, owner, event_id, numbers) values {rows}
                 on conflict (source, owner, event_id) do update
                     set numbers = coalesce(recalls.numbers, excluded.numbers)
                 returning event_id, numbers, raw_message_id, report"
            ),
            &values,
            read,
        )?;
        let mut known: BTreeMap<String, Known> =
            known.into_iter().map(|one| (one.id.clone(), one)).collect();
        for (id, numbers, _) in piece {
            let Some(known) = known.remove(*id) else {
                continue;
            };
            let all: BTreeSet<Number> = known.numbers.union(numbers).cloned().collect();
            let has_room = known.numbers.len() < NUMBERS_MAX;
            if has_room && !numbers.is_subset(&known.numbers) {
                let written = text(&all)?;
                tx.execute(
                    "update recalls set numbers = $4
                     where source = $1 and owner = $2 and event_id = $3",
                    &[
                        source.into(),
                        (&owner).into(),
                        (*id).into(),
                        (&written).into(),
                    ],
                )?;
            }
            recalls.extend(known.recall.map(|(raw, report)| Recall {
                raw,
                report,
                numbers: all,
            }));
        }
    }
    Ok(recalls)
}

/// The numbers of the event that this report takes back; none where it was not told yet. Whoever tells of it from now on
/// hears of the report.
pub fn take_back(
    tx: &mut Tx,
    owner: Option<AccountId>,
    raw: RawMessageId,
    report: &Report,
) -> Result<BTreeSet<Number>, Error> {
    let id = report.retracts.as_deref();
    let Some(id) = id.filter(|id| id.len() <= ID_BYTES_MAX) else {
        return Ok(BTreeSet::new());
    };
    let owner = docket::source_of(owner);
    let key = [(&report.source).into(), (&owner).into(), id.into()];
    // Holds the row, whoever writes it.
    let found: Vec<Known> = tx.returning(
        "insert into recalls (source, owner, event_id) values ($1, $2, $3)
         on conflict (source, owner, event_id) do update set event_id = excluded.event_id
         returning event_id, numbers, raw_message_id, report",
        &key,
        read,
    )?;
    let known = found.into_iter().next();
    let kept = known.as_ref().and_then(|known| known.recall.as_ref());
    if kept.is_none_or(|(_, kept)| kept.issued_at() < report.issued_at()) {
        let text = mirror::text(report)?;
        let [source, owner, id] = key;
        tx.execute(
            "update recalls set raw_message_id = $4, report = $5
             where source = $1 and owner = $2 and event_id = $3",
            &[source, owner, id, raw.into(), (&text).into()],
        )?;
    }
    Ok(known.map(|known| known.numbers).unwrap_or_default())
}

/// What is known of an id.
struct Known {
    id: String,
    numbers: BTreeSet<Number>,
    recall: Option<(RawMessageId, Report)>,
}

fn read(row: &Row<'_>) -> Result<Known, Error> {
    let numbers: Option<String> = row.get("numbers")?;
    let raw: Option<RawMessageId> = row.optional_id("raw_message_id")?;
    let report: Option<String> = row.get("report")?;
    let report = report
        .map(|text| mirror::value("report", &text))
        .transpose()?;
    Ok(Known {
        id: row.get("event_id")?,
        numbers: numbers.map_or_else(|| Ok(BTreeSet::new()), |text| numbers_in(&text))?,
        recall: raw.zip(report),
    })
}

fn text(numbers: &BTreeSet<Number>) -> Result<String, Error> {
    let pairs: Vec<(&str, &str)> = numbers
        .iter()
        .take(NUMBERS_MAX)
        .map(|one| (one.kind.as_str(), one.number.as_str()))
        .collect();
    let text = serde_json::to_string(&pairs);
    text.map_err(|error| Error::Refused(format!("numbers that cannot be written: {error}")))
}

fn numbers_in(text: &str) -> Result<BTreeSet<Number>, Error> {
    let pairs: Vec<(String, String)> =
        serde_json::from_str(text).map_err(|error| unreadable("numbers", &error))?;
    let number = |(kind, number): (String, String)| {
        let kind = NumberKind::parse(&kind).ok_or_else(|| unreadable("numbers", &kind))?;
        Ok(Number { kind, number })
    };
    pairs.into_iter().map(number).collect()
}
