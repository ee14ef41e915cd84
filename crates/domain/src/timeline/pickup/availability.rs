//! Free to be collected or not: each change of the word, and who may change it.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::super::milestones::zone;
use super::super::scribe::{Scribe, backing, statement};
use super::ashore::Stand;
use super::series::in_order;
use super::{Ashore, desk, is_from_the_future, rules_the_yard};
use crate::container::{Milestone, Slot};
use crate::event::EventName;
use crate::place::Gazetteer;
use crate::provenance::{Statement, Subject, Verdict};
use crate::report::{Classifier, Precision, Report, Value, Verb};
use crate::trust::{Group, Trust};

/// `available` and `not_available`, each time the word changed. A terminal or ramp that says no before it ever said yes
/// takes nothing back: that is its answer until the box may leave, and no news. Nor is what nobody understands: it takes a word
/// back and says none.
pub(crate) fn availability_milestones<'a>(
    readings: &[&'a Report],
    ashore: &Ashore<'_>,
    gazetteer: &Gazetteer,
    trust: &Trust,
    scribe: &mut Scribe<'a>,
) -> Vec<Milestone> {
    let all = readings.iter().copied();
    let heard = in_order(all.filter(|report| {
        !is_from_the_future(report) && ashore.not_of_this_visit(report).is_none()
    }));
    let mut milestones: Vec<Milestone> = Vec::new();
    let changes = Stand::ALL.into_iter().flat_map(|stand| {
        let changes = availability(stand, &heard, ashore, trust, |_, _| ());
        let mut last = false;
        let words = changes.into_iter().filter_map(|c| Some((c.free?, c)));
        let news = words.filter(move |(free, _)| {
            let before = std::mem::replace(&mut last, *free);
            *free || before
        });
        news.collect::<Vec<_>>()
    });
    for (free, change) in changes {
        let event = if free {
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

/// The last word on availability where the box stands.
pub(super) fn available<'a>(
    readings: &[&'a Report],
    ashore: &Ashore<'_>,
    trust: &Trust,
    scribe: &mut Scribe<'a>,
) -> Option<bool> {
    let mut words: Vec<Statement<'a>> = Vec::new();
    let writes = scribe.is_writing();
    let stand = ashore.stand();
    let changes = availability(stand, readings, ashore, trust, |report, verdict| {
        words.extend(writes.then(|| told(report, verdict, trust)));
    });
    let last = changes.last()?;
    if writes {
        let elsewhere = readings
            .iter()
            .filter(|report| word(report).is_some() || is_unclear(report))
            .filter(|report| ashore.stand_of(report) != Some(stand));
        words.extend(elsewhere.map(|report| told(report, Verdict::Elsewhere, trust)));
    }
    scribe.decided(|| {
        let is_last = |s: &Statement<'a>| std::ptr::eq(s.report, last.report);
        let (standing, mut others): (Vec<_>, Vec<_>) = words.into_iter().partition(is_last);
        for earlier in others.iter_mut().filter(|s| s.verdict == Verdict::Stands) {
            earlier.verdict = Verdict::Older;
        }
        backing(Subject::Available, standing, others)
    });
    last.free
}

/// When the ramp of the inland destination said last that the box can be collected. Saying it again is no change, and is
/// true of its own time.
pub(super) fn ramps_last_yes(
    readings: &[&Report],
    ashore: &Ashore<'_>,
    trust: &Trust,
) -> Option<Timestamp> {
    let mut last = None;
    availability(Stand::Ramp, readings, ashore, trust, |report, verdict| {
        let counts = matches!(verdict, Verdict::Stands | Verdict::Repeats);
        if counts && word(report) == Some(true) && ashore.is_of_the_end(report) {
            last = last.max(Some(said_at(report)));
        }
    });
    last
}

fn told<'a>(report: &'a Report, verdict: Verdict, trust: &Trust) -> Statement<'a> {
    Statement {
        rank: Some(trust.rank(Group::Pickup, report)),
        ..statement(report, verdict)
    }
}

/// One change of the word on availability.
struct Change<'a> {
    /// `None` where the last word was taken back and none came in its place.
    free: Option<bool>,
    at: Timestamp,
    report: &'a Report,
}

/// The changes of availability at one stand, in the order they were told. Terminals and railroads decide; others count
/// only until a terminal or railroad spoke of that stand while the box was there. After it left nothing changes any more.
/// What becomes of each word is `heard`.
///
/// Each source has a word of its own, and saying it again is no change: else two feeds of one terminal that differ
/// would take turns with every reading. Words that nobody understands take back their source's own word of the same place,
/// unless another one who counts says the same.
fn availability<'a>(
    stand: Stand,
    readings: &[&'a Report],
    ashore: &Ashore<'_>,
    trust: &Trust,
    mut heard: impl FnMut(&'a Report, Verdict),
) -> Vec<Change<'a>> {
    let words: Vec<(&'a Report, Option<bool>)> = readings
        .iter()
        .map(|report| (*report, word(report)))
        .filter(|(report, free)| free.is_some() || is_unclear(report))
        .filter(|(report, _)| ashore.stand_of(report) == Some(stand))
        .collect();
    let rulers = || {
        let known = words.iter().filter(|(_, free)| free.is_some());
        let rulers = known.map(|(report, _)| *report);
        rulers.filter(|r| rules_the_yard(r, trust) && untimely(stand, r, ashore).is_none())
    };
    let ruled_from = rulers().map(said_at).min();
    let heard_from = rulers().map(|report| report.received_at).min();
    // What others said, and we heard, before them has been told.
    let is_ruled = |report: &Report| {
        ruled_from.is_some_and(|from| said_at(report) >= from)
            || heard_from.is_some_and(|from| report.received_at > from)
    };
    let counts = |by: &Report, now: &Report| !is_ruled(now) || rules_the_yard(by, trust);
    let mut changes: Vec<Change<'a>> = Vec::new();
    let mut last_words = LastWords::default();
    for (report, free) in words.iter().copied() {
        let at = said_at(report);
        let standing = changes.last().and_then(|last| last.free);
        // What was true before it left is still told when the word comes late.
        let verdict = if !counts(report, report) {
            Verdict::Outranked
        } else if let Some(verdict) = untimely(stand, report, ashore) {
            verdict
        } else if last_words.leave(standing, report, free, |by| counts(by, report)) {
            Verdict::Repeats
        } else {
            changes.push(Change { free, at, report });
            Verdict::Stands
        };
        heard(report, verdict);
    }
    changes
}

/// The last word of each source.
#[derive(Default)]
struct LastWords<'a>(BTreeMap<&'a str, (&'a Report, bool)>);

impl<'a> LastWords<'a> {
    /// Takes a word, `None` for one that nobody understands. Whether it leaves as it is what `standing` says.
    fn leave(
        &mut self,
        standing: Option<bool>,
        report: &'a Report,
        free: Option<bool>,
        counts: impl Fn(&Report) -> bool,
    ) -> bool {
        let source = report.source.as_str();
        if let Some(free) = free {
            let before = self.0.insert(source, (report, free));
            let is_old = before.is_some_and(|(_, before)| before == free);
            return standing.is_some() && (is_old || standing == Some(free));
        }
        let is_own = |(by, _): &(&Report, bool)| desk(by) == desk(report);
        let Some((_, before)) = self.0.get(source).copied().filter(is_own) else {
            return true;
        };
        self.0.remove(source);
        let is_said = |(by, word): &(&Report, bool)| Some(*word) == standing && counts(by);
        standing != Some(before) || self.0.values().any(is_said)
    }
}

/// Why a word does not count at its time: the box was not there yet, or not any more.
fn untimely(stand: Stand, report: &Report, ashore: &Ashore<'_>) -> Option<Verdict> {
    let at = said_at(report);
    let gone = |left: Option<Timestamp>| left.is_some_and(|left| at > left);
    match stand {
        _ if gone(ashore.collected_at) => Some(Verdict::AfterCollection),
        Stand::Port if gone(ashore.left_port_at) => Some(Verdict::Elsewhere),
        Stand::Ramp
            if ashore
                .inland_since
                .is_none_or(|since| latest(report) < since) =>
        {
            Some(Verdict::Elsewhere)
        }
        Stand::Port | Stand::Ramp => None,
    }
}

/// Whether the box was still at the port when a terminal there said this.
pub(super) fn is_timely(report: &Report, ashore: &Ashore<'_>) -> bool {
    untimely(Stand::Port, report, ashore).is_none()
}

/// What a report says about availability; `None` when nothing.
pub(super) fn word(report: &Report) -> Option<bool> {
    match report.verb {
        Verb::Available if is_actual(report) => Some(true),
        Verb::NotAvailable if is_actual(report) => Some(false),
        _ => None,
    }
}

/// Whether a report says something of availability that nobody understands.
pub(super) fn is_unclear(report: &Report) -> bool {
    report.value == Some(Value::AvailabilityUnclear) && is_actual(report)
}

fn said_at(report: &Report) -> Timestamp {
    let occurred = report.occurred.as_ref();
    occurred.map_or(report.issued_at(), |occurred| occurred.at)
}

/// The last moment that it can mean: a bare date may mean the evening.
fn latest(report: &Report) -> Timestamp {
    precision(report).latest(said_at(report))
}

fn is_actual(report: &Report) -> bool {
    report.classifier == Classifier::Actual
}
