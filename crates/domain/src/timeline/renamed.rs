//! Which boxes a bill still has, when a source corrects a number or takes back the only word about a box.
//!
//! Readings of one claim are compared box by box, so a correction of the box itself has to be seen before the claims are
//! dealt out: the same event, issued anew for another box, is no longer about the first. Only moves of boxes count here,
//! each of which is one box's; the event of a vessel is many boxes', and a source may tell it to each of them in turn.
//!
//! A box that no standing claim names is on the bill no more: what is said of the whole bill is not said of it. A load that is
//! cancelled leaves it there: it was rolled.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::codes::ContainerNumber;
use crate::report::{Report, Verb};

/// For each report whether its source said since that it was another box.
pub fn renamed(reports: &[&Report]) -> Vec<bool> {
    // Most evidence is of one box, and is asked about with every report that comes.
    if !names_two_boxes(reports) {
        return vec![false; reports.len()];
    }
    let newest = newest_boxes(reports);
    let each = reports.iter();
    each.map(|report| is_of_another_box(report, &newest))
        .collect()
}

fn names_two_boxes(reports: &[&Report]) -> bool {
    let boxes = reports
        .iter()
        .filter_map(|report| report.equipment.as_ref());
    let mut numbers = boxes.map(|equipment| equipment.number);
    let first = numbers.next();
    numbers.any(|number| Some(number) != first)
}

/// The last issue of an event, and the boxes that it names.
type Newest<'a> = BTreeMap<(&'a str, &'a str, Verb), (Timestamp, BTreeSet<ContainerNumber>)>;

fn newest_boxes<'a>(reports: &[&'a Report]) -> Newest<'a> {
    let mut newest: Newest<'_> = BTreeMap::new();
    for report in reports {
        let Some((event, number, issued)) = event_of(report) else {
            continue;
        };
        let (last, boxes) = newest
            .entry(event)
            .or_insert_with(|| (issued, BTreeSet::new()));
        if *last < issued {
            *last = issued;
            boxes.clear();
        }
        if *last == issued {
            boxes.insert(number);
        }
    }
    newest
}

fn is_of_another_box(report: &Report, newest: &Newest<'_>) -> bool {
    event_of(report).is_some_and(|(event, number, issued)| {
        let last = newest.get(&event);
        last.is_some_and(|(last, boxes)| issued < *last && !boxes.contains(&number))
    })
}

/// A box's move that its source names by an id and dates: which event, which box, when issued.
fn event_of(report: &Report) -> Option<((&str, &str, Verb), ContainerNumber, Timestamp)> {
    let id = report.source_event_id.as_deref()?;
    let number = report.equipment.as_ref()?.number;
    let is_own = is_of_one_box(report.verb) && report.retracts.is_none();
    let event = (report.source.as_str(), id, report.verb);
    is_own.then_some((event, number, report.reported_at?))
}

fn is_of_one_box(verb: Verb) -> bool {
    matches!(
        verb,
        Verb::GateIn
            | Verb::GateOut
            | Verb::Load
            | Verb::Discharge
            | Verb::Stuff
            | Verb::Strip
            | Verb::Pickup
            | Verb::Dropoff
    )
}
