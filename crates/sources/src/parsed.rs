//! What a connector makes of a message: claims, and what could not be used. The same for every protocol.

use domain::report::Report;

use crate::ais::Sighting;

/// Reports given at once of a long message.
pub(crate) const PART_REPORTS: usize = 256;

/// How a message came. What names nothing in an answer is about what was asked; else it is nobody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// In answer to a question about a number.
    InAnswer,
    /// By itself.
    Unasked,
}

/// What was read from one message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// What is claimed, in the order of the message.
    pub reports: Vec<Located>,
    /// Where vessels were seen; only positions of vessels give any.
    pub sightings: Vec<Sighting>,
    /// What could not be used.
    pub defects: Vec<Defect>,
    /// Which of them says why a message is put aside, where it is not the first.
    pub decisive: Option<usize>,
    /// Whether the message itself is damaged, so that parts of it may not have been found.
    pub envelope_broken: bool,
}

impl Parsed {
    /// Adds what was read behind it.
    pub(crate) fn add(&mut self, next: Self) {
        let breaks = next.envelope_broken && !self.envelope_broken;
        let decisive = next.decisive.map(|index| self.defects.len() + index);
        if breaks || self.decisive.is_none() {
            self.decisive = decisive.or(self.decisive);
        }
        self.reports.extend(next.reports);
        self.sightings.extend(next.sightings);
        self.defects.extend(next.defects);
        self.envelope_broken |= next.envelope_broken;
    }
}

/// A report and where in the message it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// Path in the message: `[3]`, `events[3]`; of an EDI file, its segment.
    pub position: String,
    /// What is claimed there.
    pub report: Report,
}

/// Something that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Path in the message (`[3].eventDateTime`), or line and column where there is none.
    pub place: String,
    /// What is wrong with it.
    pub reason: String,
}
