//! Tables of boxes: what terminals and railroads know about a box, one row each, in whatever form they give it.
//!
//! A terminal that has an interface, one that mails a spreadsheet and a person who exports a page all say the
//! same dozen things: may the box leave, what holds it, what is owed, until when it stands for free, where it is.
//! Only the words and the columns differ. So there is one reader for CSV, XLSX and JSON, and a **mapping** says
//! which column (or path) means what; a mapping is a settings file, and a source that nobody thought of is one
//! more file. `docs/sources/terminals.md` has every key.
//!
//! Four rules decide what a row is worth:
//!
//! * **Empty means unknown.** A blank, a dash or a missing member says nothing, and clears nothing.
//! * **Only a complete answer clears.** A list of holds or fees takes away what it does not name only if the
//!   mapping calls it complete; a word that says so (`NONE`) or an empty JSON list is an answer, a blank is not.
//! * **A snapshot is one reading.** Its claims are known by box and field, so the next snapshot replaces them
//!   and no other source's.
//! * **What is not understood is kept.** An unknown status becomes a document that is counted; a row that cannot
//!   be read is a defect with its place, and no other row suffers.
//!
//! Memory is bounded whatever arrives: rows are read one by one, spreadsheets are measured while they inflate,
//! a file makes at most [`CLAIMS_MAX`] claims, and of a long one they are given away [as they are made](in_parts).

mod availability;
mod beside_sum;
mod cell;
mod claims;
mod clock;
mod date_parts;
mod dated;
mod epoch;
mod equipment;
mod events;
mod fee_status;
mod hold_status;
mod lists;
pub(crate) mod mapping;
mod mass;
mod money;
mod nameless;
mod paid;
mod papers;
mod pieces;
mod place;
mod read;
mod row;
mod time_of_day;
mod undated;
mod whom;
mod window;
mod words;

use std::collections::BTreeMap;

use domain::place::Gazetteer;
use jiff::Timestamp;

use crate::{Defect, Parsed};
pub(crate) use clock::{american, called};
use equipment::written_whole;
pub(crate) use equipment::{equipment, joined};
use lists::Lists;
pub use mapping::Profile;
pub(crate) use place::{Finder, Found, Said, known_railroad, railroad};
use row::Reading;
pub(crate) use words::is_month;

/// How many claims one file may make; the rows that are left are told in a defect.
pub const CLAIMS_MAX: usize = 40_000;
/// Larger files are refused.
pub const FILE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Reads one file or answer. Equal arguments give equal results; nothing is asked of the outside, and nothing
/// in the bytes makes it fail.
pub fn parse(
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
) -> Parsed {
    if let Some(refused) = too_long(bytes) {
        return refused;
    }
    let held = Lists::Held(BTreeMap::new());
    let mut reading = Reading::new(profile, received_at, gazetteer, held);
    let read = read::rows(profile, bytes, &mut |row| reading.row(&row));
    finish(reading, read)
}

/// Files up to this length are given whole. Spreadsheets are packed.
const WHOLE_BYTES_MAX: usize = 16 * 1024;

/// Reads one file as [`parse`] does, and gives its claims some at a time. It is read twice for that; only lists that
/// several rows tell together come later than they would.
pub fn in_parts(
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
    give: &mut dyn FnMut(Parsed),
) {
    if bytes.len() <= WHOLE_BYTES_MAX {
        return give(parse(profile, bytes, received_at, gazetteer));
    }
    if let Some(refused) = too_long(bytes) {
        return give(refused);
    }
    let counted = Lists::Counted(BTreeMap::new());
    let mut counting = Reading::new(profile, received_at, gazetteer, counted);
    // What is wrong with the file is told when it is read again.
    let _ = read::rows(profile, bytes, &mut |row| {
        counting.row(&row);
        counting.forget();
    });
    let awaited = counting.into_lists().awaited();
    let mut reading = Reading::new(profile, received_at, gazetteer, awaited);
    let read = read::rows(profile, bytes, &mut |row| {
        reading.row(&row);
        reading.part().into_iter().for_each(&mut *give);
    });
    give(finish(reading, read));
}

fn too_long(bytes: &[u8]) -> Option<Parsed> {
    let length = bytes.len();
    (length > FILE_BYTES_MAX).then(|| {
        let reason = format!(
            "the file has {length} bytes; more than {FILE_BYTES_MAX} are not read, so split it"
        );
        refused(Parsed::default(), String::new(), reason)
    })
}

fn finish(reading: Reading<'_>, read: Result<(), read::Fault>) -> Parsed {
    let mut parsed = Parsed::default();
    reading.finish(&mut parsed);
    match read {
        Ok(()) => parsed,
        Err(fault) => refused(parsed, fault.place, fault.reason),
    }
}

fn refused(mut parsed: Parsed, place: String, reason: String) -> Parsed {
    parsed.envelope_broken = true;
    parsed.decisive = Some(parsed.defects.len());
    parsed.defects.push(Defect { place, reason });
    parsed
}
