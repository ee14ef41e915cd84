//! Recalls: events taken back by the id that their sender gave them, and by nothing else.
//!
//! A retraction may come without the box and the bill of what it takes back (DCSA 3.0: a retracted id and no payload). It has
//! to be filed wherever its event was, or those who follow it there never hear of it. So for ids of events that can be taken
//! back so it is kept under which watches they were filed: dockets of their numbers, and watches that asked for them. There
//! is a row for each, so that an id may be told under any number of them, and who tells it again writes nothing.
//!
//! A retraction may also come first, and an event may be told again under another watch. So the row of the id keeps the
//! retraction that buries the most, and whoever tells of the event takes it along.
//!
//! **Neither misses the other.** Who tells of an event under a watch that is new to it shares the row of its id until the end
//! of the transaction; who takes it back holds that row alone. So the second sees what the first has written. Rows of ids come
//! behind the watches, in the order of the ids: one order for all. Who takes back therefore holds no further watch behind
//! them, but files under those that come back in transactions of their own.
//!
//! **A replay reads retractions anew too.** What it has not read again counts as not there: it gives way to whatever is read,
//! and is handed to nobody; when all messages were read, it is let go. What was noted since the replay began stays.

use std::collections::{BTreeMap, BTreeSet};

use domain::ids::{AccountId, RawMessageId, WatchId};
use domain::report::Report;
use jiff::Timestamp;

use crate::db::{Row, Value, chunks, padded_pieces, placeholders, rows_of_values};
use crate::docket;
use crate::replay::Replay;
use crate::{Error, Tx, mirror};

/// Bytes of an id. What is longer is no id of anybody's, and is not kept.
const ID_BYTES_MAX: usize = 512;

/// Under which watches events are filed, by their sender's ids.
pub type Told = BTreeMap<String, BTreeSet<WatchId>>;

/// A retraction of which whoever tells of its event has to hear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recall {
    /// The message it stands in.
    pub raw: RawMessageId,
    /// What it says.
    pub report: Report,
    /// Where its event is told now: the watches under which it is to be filed too.
    pub watches: BTreeSet<WatchId>,
}

/// Notes under which watches, which are held, events of a source are filed. What takes them back comes back.
pub fn tell(
    tx: &mut Tx,
    owner: Option<AccountId>,
    source: &str,
    told: &Told,
    replay: Option<&Replay>,
) -> Result<Vec<Recall>, Error> {
    let owner = docket::source_of(owner);
    let whose = Whose {
        source,
        owner: &owner,
    };
    let told: BTreeMap<&str, &BTreeSet<WatchId>> = told
        .iter()
        .filter(|(id, _)| id.len() <= ID_BYTES_MAX)
        .map(|(id, watches)| (id.as_str(), watches))
        .collect();
    let elsewhere = note_places(tx, whose, &told)?;
    let is_new = |id: &&str| elsewhere.contains(*id);
    let (new, known): (Vec<&str>, Vec<&str>) = told.keys().copied().partition(is_new);
    note_ids(tx, whose, &new)?;
    let mut kept = kept(tx, whose, &new, "/*pg for share*/")?;
    // Who takes these back finds their watches.
    kept.extend(self::kept(tx, whose, &known, "")?);
    let seen = kept.into_iter().filter(|(_, kept)| kept.is_seen(replay));
    let recall = |(id, kept): (String, Kept)| Recall {
        raw: kept.raw,
        report: kept.report,
        watches: told.get(id.as_str()).copied().cloned().unwrap_or_default(),
    };
    Ok(seen.map(recall).collect())
}

/// The watches of the event that this report takes back; none where it was not told yet. Whoever tells of it from now on
/// hears of the report.
pub fn take_back(
    tx: &mut Tx,
    owner: Option<AccountId>,
    raw: RawMessageId,
    report: &Report,
    replay: Option<&Replay>,
    now: Timestamp,
) -> Result<BTreeSet<WatchId>, Error> {
    let id = report.retracts.as_deref();
    let Some(id) = id.filter(|id| id.len() <= ID_BYTES_MAX) else {
        return Ok(BTreeSet::new());
    };
    let owner = docket::source_of(owner);
    let key: [Value<'_>; 3] = [(&report.source).into(), (&owner).into(), id.into()];
    // Holds the row, whoever writes it.
    let found = tx.returning(
        "insert into recalls (source, owner, event_id, read_by) values ($1, $2, $3, 0)
         on conflict (source, owner, event_id) do update set event_id = excluded.event_id
         returning event_id, raw_message_id, report, noted_at, read_by",
        &key,
        read,
    )?;
    let kept = found.into_iter().find_map(|(_, kept)| kept);
    let stands =
        kept.is_some_and(|kept| kept.is_seen(replay) && buries(&kept.report) > buries(report));
    if !stands {
        let text = mirror::text(report)?;
        let [source, owner, id] = key;
        let read_by = replay.map_or(0, |replay| replay.number);
        tx.execute(
            "update recalls set raw_message_id = $4, report = $5, noted_at = $6, read_by = $7
             where source = $1 and owner = $2 and event_id = $3",
            &[
                source,
                owner,
                id,
                raw.into(),
                (&text).into(),
                now.into(),
                read_by.into(),
            ],
        )?;
    }
    let watches = tx.query(
        "select watch_id from recall_places where source = $1 and owner = $2 and event_id = $3",
        &key,
        |row| row.id::<WatchId>("watch_id"),
    )?;
    Ok(watches.into_iter().collect())
}

/// An id among all that were taken back: its source, those whom it is told to, and the id.
pub type RecallId = (String, String, String);

/// Lets go of what this replay has not read again though it could have, among so many of what was taken back behind `after`.
/// The last that was looked at comes back.
pub fn let_go_unread(
    tx: &mut Tx,
    replay: &Replay,
    readable: &[String],
    after: &RecallId,
    limit: u32,
) -> Result<Option<RecallId>, Error> {
    let (source, owner, id) = after;
    let some = tx.query(
        "select source, owner, event_id, noted_at, read_by from recalls
         where report is not null and (source, owner, event_id) > ($1, $2, $3)
         order by source, owner, event_id limit $4",
        &[source.into(), owner.into(), id.into(), limit.into()],
        |row| {
            let id: RecallId = (row.get("source")?, row.get("owner")?, row.get("event_id")?);
            let noted_at: Option<Timestamp> = row.get("noted_at")?;
            Ok((id, is_seen(replay, noted_at, row.get("read_by")?)))
        },
    )?;
    for ((source, owner, id), is_seen) in &some {
        if *is_seen || !readable.contains(source) {
            continue;
        }
        // Others may have read it since.
        tx.execute(
            "update recalls set raw_message_id = null, report = null, noted_at = null
             where source = $1 and owner = $2 and event_id = $3 and read_by <> $4 and noted_at < $5
                 and not exists (select 1 from passed_over p
                     where p.replay = $4 and p.raw_message_id = recalls.raw_message_id)",
            &[
                source.into(),
                owner.into(),
                id.into(),
                replay.number.into(),
                replay.started_at.into(),
            ],
        )?;
    }
    Ok(some.into_iter().next_back().map(|(id, _)| id))
}

/// Whose ids they are.
#[derive(Clone, Copy)]
struct Whose<'w> {
    source: &'w str,
    owner: &'w str,
}

/// Notes watches of events. Which events were not told under all of them before.
fn note_places(
    tx: &mut Tx,
    whose: Whose<'_>,
    told: &BTreeMap<&str, &BTreeSet<WatchId>>,
) -> Result<BTreeSet<String>, Error> {
    let pairs = told
        .iter()
        .flat_map(|(id, watches)| watches.iter().map(|watch| (*id, *watch)));
    let pairs: Vec<(&str, WatchId)> = pairs.collect();
    let mut new = BTreeSet::new();
    for piece in padded_pieces(&pairs) {
        let rows = rows_of_values(3, piece.len(), &["text", "uuid"]);
        let mut values: Vec<Value<'_>> = vec![whose.source.into(), whose.owner.into()];
        values.extend(
            piece
                .iter()
                .flat_map(|(id, watch)| [Value::from(*id), (*watch).into()]),
        );
        // What pads a piece is in conflict with itself.
        new.extend(tx.returning(
            &format!(
                "with said (event_id, watch_id) as (values {rows})
                 insert into recall_places (source, owner, event_id, watch_id)
                 select $1/*pg ::text*/, $2/*pg ::text*/, event_id, watch_id from said where true
                 on conflict (source, owner, event_id, watch_id) do nothing
                 returning event_id"
            ),
            &values,
            |row| row.get::<String>("event_id"),
        )?);
    }
    Ok(new)
}

/// Makes rows of ids that have none.
fn note_ids(tx: &mut Tx, whose: Whose<'_>, ids: &[&str]) -> Result<(), Error> {
    for piece in padded_pieces(ids) {
        let rows = rows_of_values(3, piece.len(), &["text"]);
        let mut values: Vec<Value<'_>> = vec![whose.source.into(), whose.owner.into()];
        values.extend(piece.iter().map(|id| Value::from(*id)));
        tx.execute(
            &format!(
                "with said (event_id) as (values {rows})
                 insert into recalls (source, owner, event_id, read_by)
                 select $1/*pg ::text*/, $2/*pg ::text*/, event_id, 0 from said where true
                 on conflict (source, owner, event_id) do nothing"
            ),
            &values,
        )?;
    }
    Ok(())
}

/// What takes these events back.
fn kept(
    tx: &mut Tx,
    whose: Whose<'_>,
    ids: &[&str],
    lock: &str,
) -> Result<Vec<(String, Kept)>, Error> {
    let mut kept = Vec::new();
    for chunk in chunks(ids) {
        let text = format!(
            "select event_id, raw_message_id, report, noted_at, read_by from recalls
             where source = $1 and owner = $2 and event_id in ({})
             order by event_id /*pg collate \"C\"*/ {lock}",
            placeholders(3, chunk.len())
        );
        let mut values: Vec<Value<'_>> = vec![whose.source.into(), whose.owner.into()];
        values.extend(chunk);
        let found = if lock.is_empty() {
            tx.query(&text, &values, read)?
        } else {
            tx.locking(&text, &values, read)?
        };
        kept.extend(found.into_iter().filter_map(|(id, kept)| Some((id, kept?))));
    }
    Ok(kept)
}

/// A retraction that is kept.
struct Kept {
    raw: RawMessageId,
    report: Report,
    noted_at: Option<Timestamp>,
    read_by: i64,
}

impl Kept {
    /// Whether it is there to who reads now.
    fn is_seen(&self, replay: Option<&Replay>) -> bool {
        replay.is_none_or(|replay| is_seen(replay, self.noted_at, self.read_by))
    }
}

/// Whether a replay has read it, or it was noted since the replay began.
fn is_seen(replay: &Replay, noted_at: Option<Timestamp>, read_by: i64) -> bool {
    read_by == replay.number || noted_at.is_some_and(|at| at >= replay.started_at)
}

/// How much a retraction buries: all that was issued before it, and where it does not say when it was issued, all.
fn buries(report: &Report) -> (bool, Option<Timestamp>) {
    (report.reported_at.is_none(), report.reported_at)
}

fn read(row: &Row<'_>) -> Result<(String, Option<Kept>), Error> {
    let raw: Option<RawMessageId> = row.optional_id("raw_message_id")?;
    let report: Option<String> = row.get("report")?;
    let report = report
        .map(|text| mirror::value("report", &text))
        .transpose()?;
    let (noted_at, read_by) = (row.get("noted_at")?, row.get("read_by")?);
    let kept = raw.zip(report).map(|(raw, report)| Kept {
        raw,
        report,
        noted_at,
        read_by,
    });
    Ok((row.get("event_id")?, kept))
}
