//! What a file said of a box before, and whether it says it otherwise now.
//!
//! One envelope has one stamp, and a line sends several statuses of a box in one: the ship is late when the box is loaded
//! and on time again when it sails. Of two words issued at once the later one in the file counts, so it bears its place there.
//! A move is a claim that is corrected, and the same in whichever set of whichever file it stands. So it bears a place only
//! where an earlier set of its file says the like, and says it otherwise.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use domain::codes::ContainerNumber;
use domain::report::{Classifier, Report, Verb};

use crate::Parsed;

/// What was said of the boxes of one file, set by set.
#[derive(Debug, Default)]
pub(super) struct SaidBefore {
    told: RefCell<Told>,
}

#[derive(Debug, Default)]
struct Told {
    /// Which set is read, from 1.
    set: u32,
    /// How many claims are remembered, at most.
    claims: usize,
    about: HashMap<About, Words>,
}

/// Of what two sets may speak differently: the box, the kind of move, and whether it happened.
type About = (ContainerNumber, Verb, bool);

/// What the last two sets said of it that told anything: a digest of each claim, and the place that it bears.
#[derive(Debug, Default)]
struct Words {
    set: u32,
    before: Option<HashMap<u64, Option<u32>>>,
    now: HashMap<u64, Option<u32>>,
}

/// Claims of one file that are remembered. What stands behind so many is told as if each of its sets were the first.
const CLAIMS_MAX: usize = 200_000;

impl SaidBefore {
    /// Takes its place in the file from each move that no earlier set told otherwise. What is said in series keeps it.
    pub(super) fn place(&self, set: &mut Parsed) {
        let mut told = self.told.borrow_mut();
        told.set = told.set.saturating_add(1);
        for report in set.reports.iter_mut().map(|located| &mut located.report) {
            if !report.verb.is_about_pickup() {
                report.position = told.place(report);
            }
        }
    }
}

impl Told {
    fn place(&mut self, report: &Report) -> Option<u32> {
        let number = report.equipment.as_ref()?.number;
        if self.claims >= CLAIMS_MAX {
            return None;
        }
        self.claims += 1;
        let happened = report.classifier == Classifier::Actual;
        let words = self.about.entry((number, report.verb, happened));
        let words = words.or_default();
        if words.set != self.set {
            let before = std::mem::take(&mut words.now);
            words.before = (words.set > 0).then_some(before);
            words.set = self.set;
        }
        let said = digest(report);
        let before = words.before.as_ref();
        let place = before.and_then(|before| {
            let same = before.get(&said).copied();
            same.unwrap_or(report.position)
        });
        words.now.insert(said, place);
        place
    }
}

/// What a claim says of where, when and by what.
fn digest(report: &Report) -> u64 {
    let mut said = DefaultHasher::new();
    let occurred = report.occurred.as_ref();
    occurred.map(|o| (o.at, o.precision)).hash(&mut said);
    (report.classifier, &report.original).hash(&mut said);
    let (place, leg) = (&report.place, &report.leg);
    (place.locode, &place.facility_code, &place.name).hash(&mut said);
    (leg.mode, leg.vessel_imo, &leg.vessel_name).hash(&mut said);
    (&leg.voyage_out, &leg.voyage_in).hash(&mut said);
    said.finish()
}
