//! Free to be collected or not: each change of the word, and who may change it.

use jiff::Timestamp;

use super::super::claims::is_facility;
use super::super::milestones::zone;
use super::{Ashore, is_from_the_future};
use crate::container::{Milestone, Slot};
use crate::event::EventName;
use crate::place::Gazetteer;
use crate::report::{Classifier, Precision, Report, Verb};

/// `available` and `not_available`, each time the word changed.
pub(crate) fn availability_milestones(
    readings: &[&Report],
    ashore: &Ashore,
    gazetteer: &Gazetteer,
) -> Vec<Milestone> {
    let heard: Vec<&Report> = readings
        .iter()
        .copied()
        .filter(|report| !is_from_the_future(report))
        .collect();
    let mut milestones: Vec<Milestone> = Vec::new();
    for change in availability(&heard, ashore) {
        let event = if change.free {
            EventName::Available
        } else {
            EventName::NotAvailable
        };
        let place = change
            .report
            .place
            .locode
            .map(|code| gazetteer.canonical(code));
        let earlier = milestones
            .iter()
            .filter(|m| m.slot.event == event && m.slot.place == place);
        let occurrence = u32::try_from(earlier.count()).unwrap_or(u32::MAX);
        milestones.push(availability_milestone(
            Slot {
                event,
                place,
                leg: String::new(),
                occurrence,
            },
            &change,
            gazetteer,
        ));
    }
    milestones
}

fn availability_milestone(slot: Slot, change: &Change<'_>, gazetteer: &Gazetteer) -> Milestone {
    let place = &change.report.place;
    let terminal = place
        .locode
        .zip(place.facility_code.as_deref())
        .and_then(|(locode, code)| gazetteer.terminal_at(locode, code));
    Milestone {
        slot,
        at: change.at,
        precision: precision(change.report),
        zone: zone(place.locode, gazetteer),
        locode: place.locode,
        terminal: terminal.map(|terminal| terminal.code.clone()),
        vessel: None,
        voyage: None,
        source: change.report.source_kind,
        value: None,
    }
}

fn precision(report: &Report) -> Precision {
    let occurred = report.occurred.as_ref();
    occurred.map_or(Precision::Minute, |occurred| occurred.precision)
}

/// One change of the word on availability.
pub(super) struct Change<'a> {
    pub free: bool,
    at: Timestamp,
    report: &'a Report,
}

/// The changes of availability in the order they were told. Terminals and railroads decide; others count only
/// where no terminal or railroad ever spoke. After collection nothing changes any more.
pub(super) fn availability<'a>(readings: &[&'a Report], ashore: &Ashore) -> Vec<Change<'a>> {
    let words: Vec<(&'a Report, bool)> = readings
        .iter()
        .filter_map(|report| match report.verb {
            Verb::Available if is_actual(report) => Some((*report, true)),
            Verb::NotAvailable if is_actual(report) => Some((*report, false)),
            _ => None,
        })
        .collect();
    let facility = words
        .iter()
        .any(|(report, _)| is_facility(report.source_kind));
    let mut changes: Vec<Change<'a>> = Vec::new();
    for (report, free) in words {
        let at = report
            .occurred
            .as_ref()
            .map_or(report.issued_at(), |o| o.at);
        let speaks = is_facility(report.source_kind) || !facility;
        // What was true before it left is still told when the word comes late.
        let collected = ashore.collected_at.is_some_and(|out| at > out);
        if speaks && !collected && changes.last().is_none_or(|last| last.free != free) {
            changes.push(Change { free, at, report });
        }
    }
    changes
}

fn is_actual(report: &Report) -> bool {
    report.classifier == Classifier::Actual
}
