//! What could not be used of a source, counted by the place in general, so that an operator sees which column broke, and when.
//!
//! A terminal that renames a column or writes its dates otherwise fails in every row: that is one place here. Only messages
//! with defects are counted, so a sound one costs nothing.
//!
//! Places are in the sender's words, of whom there may be any number. So of each source [`PLACES_MAX`] are kept by name, and
//! what comes beyond is counted together, as [`REST`]. A place that was not met for [`KEPT`] makes room for one that is.

use std::collections::BTreeMap;

use domain::ids::RawMessageId;
use jiff::{SignedDuration, Timestamp};

use crate::db::{Row, Value, pieces, placeholders, rows_of_values};
use crate::{Error, Tx};

/// Places of one source that are counted each by itself.
pub const PLACES_MAX: usize = 199;
/// What stands at places beyond these.
pub const REST: &str = "other places";
/// How long a place that is not met any more is kept from those that are new.
const KEPT: SignedDuration = SignedDuration::from_hours(90 * 24);

/// A place in the messages of a source of which something could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefectivePlace {
    /// Where it is, in general: a column, a member, a segment.
    pub place: String,
    /// How often something there could not be used.
    pub times: u64,
    /// In how many messages.
    pub messages: u64,
    /// How often in the last of them.
    pub last_times: u64,
    /// When the first was read.
    pub first_at: Timestamp,
    /// When the last was read.
    pub last_at: Timestamp,
    /// What was wrong the last time.
    pub reason: String,
    /// The last message.
    pub example: RawMessageId,
}

/// How often something could not be used at one place of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Where, in general.
    pub place: String,
    /// The message.
    pub raw: RawMessageId,
    /// How often.
    pub times: u32,
    /// What was wrong the last time.
    pub reason: String,
}

/// Counts what could not be used of messages of a source, message by message. Whoever counts for the same source
/// meanwhile waits.
pub fn count(tx: &mut Tx, source: &str, tallies: &[Tally], now: Timestamp) -> Result<(), Error> {
    if tallies.is_empty() {
        return Ok(());
    }
    let mut kept = hold(tx, source)?;
    if kept.len() >= PLACES_MAX && tallies.iter().any(|met| !kept.contains_key(&met.place)) {
        make_room(tx, source, &mut kept, now)?;
    }
    let mut counted: BTreeMap<&str, Count<'_>> = BTreeMap::new();
    for met in tallies {
        let has_room = kept.len() < PLACES_MAX || kept.contains_key(&met.place);
        let place = if has_room { &met.place } else { REST };
        if has_room {
            kept.insert(met.place.clone(), now);
        }
        counted
            .entry(place)
            .or_insert_with(|| Count::of(met))
            .add(met);
    }
    let counted: Vec<(&str, Count<'_>)> = counted.into_iter().collect();
    pieces(&counted).try_for_each(|piece| write(tx, source, piece, now))
}

/// The places of a source, those first that were met last; at most `limit`.
pub fn of_source(tx: &mut Tx, source: &str, limit: u32) -> Result<Vec<DefectivePlace>, Error> {
    tx.query(
        "select place, times, messages, last_times, first_at, last_at, reason, raw_message_id
         from defective_places where source = $1
         order by last_at desc, last_times desc, place limit $2",
        &[source.into(), limit.into()],
        read,
    )
}

/// What is written of one place at once.
struct Count<'t> {
    times: u64,
    messages: u32,
    last_times: u64,
    last: &'t Tally,
}

impl<'t> Count<'t> {
    fn of(first: &'t Tally) -> Self {
        Self {
            times: 0,
            messages: 1,
            last_times: 0,
            last: first,
        }
    }

    fn add(&mut self, met: &'t Tally) {
        if met.raw != self.last.raw {
            self.messages += 1;
            self.last_times = 0;
        }
        self.times += u64::from(met.times);
        self.last_times += u64::from(met.times);
        self.last = met;
    }
}

/// The places of a source, and when each was met last; held, in an order that is the same for all.
fn hold(tx: &mut Tx, source: &str) -> Result<BTreeMap<String, Timestamp>, Error> {
    let held = tx.locking(
        "select place, last_at from defective_places where source = $1
         order by place /*pg for update*/",
        &[source.into()],
        |row| Ok((row.get::<String>("place")?, row.get("last_at")?)),
    )?;
    let named = held.into_iter().filter(|(place, _)| place != REST);
    Ok(named.collect())
}

/// Lets go of what was not met for long.
fn make_room(
    tx: &mut Tx,
    source: &str,
    kept: &mut BTreeMap<String, Timestamp>,
    now: Timestamp,
) -> Result<(), Error> {
    let is_old = |last_at: Timestamp| now.duration_since(last_at) > KEPT;
    let old = kept.iter().filter(|(_, last_at)| is_old(**last_at));
    let old: Vec<&String> = old.map(|(place, _)| place).collect();
    for piece in pieces(&old) {
        let places = placeholders(2, piece.len());
        let named = piece.iter().map(|place| Value::from(*place));
        let values: Vec<Value<'_>> = std::iter::once(source.into()).chain(named).collect();
        tx.execute(
            &format!("delete from defective_places where source = $1 and place in ({places})"),
            &values,
        )?;
    }
    kept.retain(|_, last_at| !is_old(*last_at));
    Ok(())
}

fn write(
    tx: &mut Tx,
    source: &str,
    piece: &[(&str, Count<'_>)],
    now: Timestamp,
) -> Result<(), Error> {
    let casts = [
        "text",
        "text",
        "bigint",
        "bigint",
        "bigint",
        "timestamptz",
        "timestamptz",
        "text",
        "uuid",
    ];
    let rows = rows_of_values(1, piece.len(), &casts);
    let values: Vec<Value<'_>> = piece
        .iter()
        .flat_map(|(place, count)| {
            [
                source.into(),
                (*place).into(),
                number(count.times),
                count.messages.into(),
                number(count.last_times),
                now.into(),
                now.into(),
                (&count.last.reason).into(),
                count.last.raw.into(),
            ]
        })
        .collect();
    tx.execute(
        &format!(
            "insert into defective_places (source, place, times, messages, last_times, first_at,
                 last_at, reason, raw_message_id)
             values {rows}
             on conflict (source, place) do update set
                 times = defective_places.times + excluded.times,
                 messages = defective_places.messages + excluded.messages,
                 last_times = excluded.last_times, last_at = excluded.last_at,
                 reason = excluded.reason, raw_message_id = excluded.raw_message_id"
        ),
        &values,
    )?;
    Ok(())
}

fn number(count: u64) -> Value<'static> {
    i64::try_from(count).unwrap_or(i64::MAX).into()
}

fn read(row: &Row<'_>) -> Result<DefectivePlace, Error> {
    Ok(DefectivePlace {
        place: row.get("place")?,
        times: row.total("times")?,
        messages: row.total("messages")?,
        last_times: row.total("last_times")?,
        first_at: row.get("first_at")?,
        last_at: row.get("last_at")?,
        reason: row.get("reason")?,
        example: row.id("raw_message_id")?,
    })
}
