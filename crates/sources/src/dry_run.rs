//! What a file would change, before it changes anything.

use std::collections::{BTreeMap, BTreeSet};

use domain::codes::ContainerNumber;
use domain::event::{Change, difference};
use domain::place::Gazetteer;
use domain::report::Report;
use domain::timeline::container_state;
use domain::trust::Trust;
use jiff::Timestamp;

use crate::Parsed;

/// What would be told about one box.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreseen {
    /// The box.
    pub number: ContainerNumber,
    /// Whether anything was known of it.
    pub known: bool,
    /// What would change, in the order in which it would be told; nothing when all of it is known.
    pub changes: Vec<Change>,
}

/// What the claims of a message would change, given all that is known: `known` gives the reports about a box.
/// Pure, like everything that decides about truth: the real thing does the same to the same reports.
pub fn dry_run(
    parsed: &Parsed,
    mut known: impl FnMut(ContainerNumber) -> Vec<Report>,
    gazetteer: &Gazetteer,
    trust: &Trust,
    now: Timestamp,
) -> Vec<Foreseen> {
    let mut told: BTreeMap<ContainerNumber, Vec<Report>> = BTreeMap::new();
    let mut shared: Vec<Report> = Vec::new();
    for report in parsed.reports.iter().map(|located| &located.report) {
        match &report.equipment {
            Some(gear) => told.entry(gear.number).or_default().push(report.clone()),
            None => shared.push(report.clone()),
        }
    }
    let numbers: BTreeSet<ContainerNumber> = told.keys().copied().collect();
    let foreseen = numbers.into_iter().map(|number| {
        let mut reports = known(number);
        let before = container_state(number, &reports, gazetteer, trust, now);
        let was_known = !reports.is_empty();
        reports.extend(told.remove(&number).unwrap_or_default());
        reports.extend(shared.iter().cloned());
        let after = container_state(number, &reports, gazetteer, trust, now);
        Foreseen {
            number,
            known: was_known,
            changes: difference(was_known.then_some(&before), &after),
        }
    });
    foreseen.collect()
}
