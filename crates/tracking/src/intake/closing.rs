//! The end of step 3: messages have been read, or stand in quarantine; what could not be used of them is counted by source.
//!
//! The count is written last, after all that follows from a message: many answers of one source are taken in at once, and while a
//! column of it is broken all of them write the same row.

use std::collections::BTreeMap;

use domain::ids::RawMessageId;
use jiff::Timestamp;
use sources::{general_place, reason_for_all};
use store::Tx;
use store::defective_place::{self, Tally};

use super::Reading;

/// Closes messages at their first reading. What one account has brought is nobody else's to see, and one that was closed
/// meanwhile is counted already.
pub(crate) fn close_all<'r>(
    tx: &mut Tx,
    readings: impl Iterator<Item = &'r Reading>,
    now: Timestamp,
) -> Result<(), store::Error> {
    let (sound, others): (Vec<&Reading>, Vec<&Reading>) = readings.partition(|one| one.is_sound());
    let sound: Vec<RawMessageId> = sound.iter().map(|reading| reading.raw).collect();
    store::raw_message::mark_sound(tx, &sound)?;
    let mut counted: BTreeMap<&str, Vec<Tally>> = BTreeMap::new();
    for reading in others {
        let is_first = reading.close(tx, now)?;
        if is_first && reading.owner.is_none() {
            let of_source = counted.entry(&reading.source).or_default();
            of_source.extend(tallies(reading));
        }
    }
    let mut counted = counted.into_iter();
    counted.try_for_each(|(source, met)| defective_place::count(tx, source, &met, now))
}

/// What could not be used of one message: all rows of a column are one.
fn tallies(reading: &Reading) -> impl Iterator<Item = Tally> {
    let mut met: BTreeMap<String, (u32, &str)> = BTreeMap::new();
    for defect in &reading.defects {
        let place = general_place(&defect.place, &defect.reason);
        let (times, reason) = met.entry(place).or_default();
        (*times, *reason) = (*times + 1, &defect.reason);
    }
    met.into_iter().map(|(place, (times, reason))| Tally {
        place,
        raw: reading.raw,
        times,
        reason: reason_for_all(reason),
    })
}
