//! CLM: car location messages, a sighting of one box or car on each line of fixed columns.
//!
//! A file may begin with a header (`CLM…`) and end with a trailer (`EOM` and a count); lines may end early, as
//! trailing columns are optional. Roads differ in where their columns begin, so the [layout](Layout) is a setting
//! and the usual one is only its default.
//!
//! Lines about cars say nothing about boxes and are passed over. Letters that mean nothing to a box (`released`,
//! `bad order`) are documents; a letter in no table is one too, and counted. Two letters depend on the place:
//!
//! * `A`, an arrival at an intermediate point, and `P`, a departure **or passing**, are moves of the box only at a
//!   ramp or at its destination. Anywhere else a train has only gone by.
//! * Of several `P` of one run only the first is the departure; the next ramp is reached by an arrival.

mod layout;
mod line;
mod profile;

use std::collections::BTreeSet;

use domain::codes::ContainerNumber;
use domain::place::Gazetteer;
use jiff::Timestamp;

use crate::parsed::PART_REPORTS;
use crate::table::{CLAIMS_MAX, Finder};
use crate::{Defect, Parsed};
pub use layout::Layout;
use line::{Line, Lines};
pub use profile::Profile;

/// How many defects of one file are kept; the rest are counted.
const DEFECTS_MAX: usize = 1_000;

/// Reads one file. Equal arguments give equal results; nothing is asked of the outside.
pub fn parse(
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
) -> Parsed {
    let mut whole = Parsed::default();
    in_parts(profile, bytes, received_at, gazetteer, &mut |part| {
        whole.add(part);
    });
    whole
}

/// The same, some sightings at a time.
pub fn in_parts(
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
    give: &mut dyn FnMut(Parsed),
) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Some(reason) = no_list(bytes) {
        return give(broken(reason));
    }
    let mut lines = Lines {
        profile,
        received_at,
        finder: Finder::new(gazetteer),
        ramps: ramps(gazetteer),
        departed: BTreeSet::new(),
    };
    let (mut file, mut parsed, mut given) = (File::default(), Parsed::default(), 0);
    for (index, text) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let number = index + 1;
        if text.trim_ascii().is_empty() || file.is_frame(text, number, &mut parsed) {
            continue;
        }
        file.sightings += 1;
        if given + parsed.reports.len() >= CLAIMS_MAX {
            file.left_out += 1;
            continue;
        }
        lines.read(&Line { text, number }, &mut parsed);
        if parsed.reports.len() >= PART_REPORTS {
            given += parsed.reports.len();
            // Defects stay: there is a bound for those of a file.
            let reports = std::mem::take(&mut parsed.reports);
            give(Parsed {
                reports,
                ..Parsed::default()
            });
        }
    }
    file.end(&mut parsed);
    give(parsed);
}

/// Why this is no list of sightings at all.
fn no_list(bytes: &[u8]) -> Option<&'static str> {
    match bytes.trim_ascii_start().first() {
        None => Some("the file is empty; what was known stays as it was"),
        Some(b'<') => Some("this is a web page or XML, not a list of sightings"),
        Some(_) => None,
    }
}

/// What surrounds the sightings.
#[derive(Default)]
struct File {
    header: bool,
    /// Its line, what it counts, and how many sightings stand before it.
    trailer: Option<(usize, Option<usize>, usize)>,
    sightings: usize,
    left_out: usize,
}

impl File {
    /// Whether this line is the header or the trailer.
    fn is_frame(&mut self, text: &[u8], number: usize, parsed: &mut Parsed) -> bool {
        if text.starts_with(b"CLM") {
            self.header = true;
            return true;
        }
        if let Some(count) = text.strip_prefix(b"EOM") {
            let digits = count.trim_ascii();
            let digits = digits
                .get(..digits.len().min(8))
                .and_then(|text| std::str::from_utf8(text).ok());
            let count = digits.and_then(|text| text.trim().parse().ok());
            self.trailer = Some((number, count, self.sightings));
            return true;
        }
        if self.trailer.is_some() && parsed.defects.len() < DEFECTS_MAX {
            parsed.defects.push(Defect {
                place: format!("line {number}"),
                reason: "it stands behind the trailer; it is read all the same".into(),
            });
        }
        false
    }

    fn end(&self, parsed: &mut Parsed) {
        let mut tell =
            |place: String, reason: String| parsed.defects.push(Defect { place, reason });
        match self.trailer {
            Some((number, Some(count), before)) if count != before => tell(
                format!("line {number}"),
                format!("the trailer counts {count} sightings, there are {before}"),
            ),
            Some((number, None, _)) => {
                tell(format!("line {number}"), "the trailer has no count".into());
            }
            None if self.header => tell(
                "the end".into(),
                "there is a header and no trailer, so the file may not be whole".into(),
            ),
            _ => {}
        }
        if self.left_out > 0 {
            let reason = format!(
                "{} more sightings are left out: one file makes at most {CLAIMS_MAX} claims, so split it",
                self.left_out
            );
            tell("the end".into(), reason);
        }
    }
}

fn broken(reason: &str) -> Parsed {
    Parsed {
        defects: vec![Defect {
            place: "line 1".into(),
            reason: reason.to_owned(),
        }],
        envelope_broken: true,
        ..Parsed::default()
    }
}

/// Areas where boxes change between rail and something else: ramps, and ports with rails on the quay.
fn ramps(gazetteer: &Gazetteer) -> BTreeSet<domain::codes::UnLocode> {
    let terminals = gazetteer.terminals();
    terminals
        .map(|terminal| gazetteer.area(terminal.port))
        .collect()
}

/// Boxes that have left a ramp and not yet reached another.
type Running = BTreeSet<ContainerNumber>;
