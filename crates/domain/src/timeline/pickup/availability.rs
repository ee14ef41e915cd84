//! Free to be collected or not: each change of the word, and who may change it.

use jiff::Timestamp;

use super::super::milestones::zone;
use super::super::scribe::{Scribe, backing, statement};
use super::series::in_order;
use super::{Ashore, is_from_the_future, rules_the_yard};
use crate::container::{Milestone, Slot};
use crate::event::EventName;
use crate::place::Gazetteer;
use crate::provenance::{Statement, Subject, Verdict};
use crate::report::{Classifier, Precision, Report, Verb};
use crate::trust::{Group, Trust};

/// `available` and `not_available`, each time the word changed. A terminal that says no before it ever said yes takes
/// nothing back: that is its answer until the box may leave, and no news.
pub(crate) fn availability_milestones<'a>(
    readings: &[&'a Report],
    ashore: &Ashore,
    gazetteer: &Gazetteer,
    trust: &Trust,
    scribe: &mut Scribe<'a>,
) -> Vec<Milestone> {
    let all = readings.iter().copied();
    let heard = in_order(all.filter(|report| !is_from_the_future(report)));
    let mut milestones: Vec<Milestone> = Vec::new();
    let changes = availability(&heard, ashore, trust, |_, _| ()).into_iter();
    for change in changes.skip_while(|change| !change.free) {
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
        let slot = Slot {
            event,
            place,
            leg: String::new(),
            occurrence,
        };
        scribe.decided(|| {
            let standing = vec![told(change.report, Verdict::Stands, trust)];
            backing(Subject::Milestone(slot.clone()), standing, Vec::new())
        });
        milestones.push(availability_milestone(slot, &change, gazetteer));
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

/// The last word on availability.
pub(super) fn available<'a>(
    readings: &[&'a Report],
    ashore: &Ashore,
    trust: &Trust,
    scribe: &mut Scribe<'a>,
) -> Option<bool> {
    let mut words: Vec<Statement<'a>> = Vec::new();
    let writes = scribe.is_writing();
    let changes = availability(readings, ashore, trust, |report, verdict| {
        words.extend(writes.then(|| told(report, verdict, trust)));
    });
    let last = changes.last()?;
    scribe.decided(|| {
        let is_last = |s: &Statement<'a>| std::ptr::eq(s.report, last.report);
        let (standing, mut others): (Vec<_>, Vec<_>) = words.into_iter().partition(is_last);
        for earlier in others.iter_mut().filter(|s| s.verdict == Verdict::Stands) {
            earlier.verdict = Verdict::Older;
        }
        backing(Subject::Available, standing, others)
    });
    Some(last.free)
}

fn told<'a>(report: &'a Report, verdict: Verdict, trust: &Trust) -> Statement<'a> {
    Statement {
        rank: Some(trust.rank(Group::Pickup, report)),
        ..statement(report, verdict)
    }
}

/// One change of the word on availability.
struct Change<'a> {
    free: bool,
    at: Timestamp,
    report: &'a Report,
}

/// The changes of availability in the order they were told. Terminals and railroads decide; others count only
/// where no terminal or railroad spoke while the box was there. After collection nothing changes any more. What
/// becomes of each word is `heard`.
fn availability<'a>(
    readings: &[&'a Report],
    ashore: &Ashore,
    trust: &Trust,
    mut heard: impl FnMut(&'a Report, Verdict),
) -> Vec<Change<'a>> {
    let words: Vec<(&'a Report, bool)> = readings
        .iter()
        .filter_map(|report| match report.verb {
            Verb::Available if is_actual(report) => Some((*report, true)),
            Verb::NotAvailable if is_actual(report) => Some((*report, false)),
            _ => None,
        })
        .collect();
    let is_late = |report: &Report| ashore.collected_at.is_some_and(|out| said_at(report) > out);
    let ruled = words
        .iter()
        .any(|(report, _)| rules_the_yard(report, trust) && !is_late(report));
    let mut changes: Vec<Change<'a>> = Vec::new();
    for (report, free) in words {
        let at = said_at(report);
        // What was true before it left is still told when the word comes late.
        let verdict = if ruled && !rules_the_yard(report, trust) {
            Verdict::Outranked
        } else if is_late(report) {
            Verdict::AfterCollection
        } else if changes.last().is_some_and(|last| last.free == free) {
            Verdict::Repeats
        } else {
            changes.push(Change { free, at, report });
            Verdict::Stands
        };
        heard(report, verdict);
    }
    changes
}

fn said_at(report: &Report) -> Timestamp {
    let occurred = report.occurred.as_ref();
    occurred.map_or(report.issued_at(), |occurred| occurred.at)
}

fn is_actual(report: &Report) -> bool {
    report.classifier == Classifier::Actual
}
