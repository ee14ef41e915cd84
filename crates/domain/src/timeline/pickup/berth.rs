//! At which terminal of the port of discharge the box is, or will be, put ashore.
//!
//! Where a ship is expected changes often, and back. A forecast that moves the terminal has stood for a time before
//! anything else was said: its age alone proves nothing, because one that was taken back within the hour grows old,
//! too.
//!
//! Many lines name the port and no terminal. Then it is the yard that speaks of the box as of one of its own: what a
//! terminal says in its list, it says of what comes ashore there. The first to let it be collected counts, else the first to
//! speak, so that two which name the box, because one of them is mistaken, do not take turns; nor does a terminal's list that
//! says no of a box which has left.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::super::scribe::{Scribe, backing, statement};
use super::availability::{is_timely, word};
use super::{Yard, is_from_the_future};
use crate::codes::UnLocode;
use crate::journey::stop::Sight;
use crate::journey::terminal;
use crate::place::Gazetteer;
use crate::provenance::{Subject, Verdict};
use crate::report::{Mode, Report, SourceKind, Verb};

/// How long a forecast of another berth must stand before it moves the terminal of discharge.
pub(crate) const BERTH_FORECAST_WAIT: SignedDuration = SignedDuration::from_hours(12);

/// Our code of the terminal of discharge: where it was discharged, else where its ship arrived, else where it
/// is expected, else whose yard speaks of it. Before the discharge a reading that moves it may be the forecast of a berth,
/// so it waits.
pub(super) fn pod_terminal<'a>(yard: &Yard<'_, 'a>, scribe: &mut Scribe<'a>) -> Option<String> {
    let stop = yard.way.sea.discharge()?;
    let actual = [&stop.discharge, &stop.arrive]
        .into_iter()
        .flatten()
        .filter(|sight: &&Sight<'a>| sight.is_actual())
        .find_map(|sight| Some((sight.claim.report, terminal(&sight.claim, yard.gazetteer)?)));
    let mut forecasts = Vec::new();
    let (by, code) = if let Some(found) = actual {
        found
    } else {
        forecasts = berth_forecasts(yard, stop.place);
        let expected = standing_forecast(&forecasts, yard.now);
        let (report, code) = expected.or_else(|| first_yard(yard, stop.place))?;
        (report, code.to_owned())
    };
    scribe.decided(|| {
        let others = forecasts
            .iter()
            .filter(|(report, _)| !std::ptr::eq(*report, by));
        let others = others.map(|(report, _)| {
            let waits = report.issued_at() > by.issued_at();
            let verdict = if waits {
                Verdict::Waits
            } else {
                Verdict::Older
            };
            statement(report, verdict)
        });
        let others = others.collect();
        let standing = vec![statement(by, Verdict::Stands)];
        backing(Subject::PodTerminal, standing, others)
    });
    Some(code)
}

/// What is said about the berth at a port, oldest issue first, with our code of the terminal.
fn berth_forecasts<'y, 'a>(yard: &Yard<'y, 'a>, place: UnLocode) -> Vec<(&'a Report, &'y str)> {
    let readings = yard.readings.iter().copied();
    readings
        .filter(|report| is_berth_forecast(report))
        .filter_map(|report| Some((report, terminal_there(report, place, yard.gazetteer)?)))
        .collect()
}

/// The first terminal of the port that lets the box be collected on this visit, else the last one that did, else the first that
/// speaks of it. That a box cannot be had says nobody's yard, and one that takes its yes back for a day has the box as before:
/// it moves when another one lets it go. What is said when the box has left counts no more.
fn first_yard<'y, 'a>(yard: &Yard<'y, 'a>, place: UnLocode) -> Option<(&'a Report, &'y str)> {
    let readings = yard.readings.iter().copied();
    let told: Vec<(&'a Report, &'y str)> = readings
        .filter(|report| {
            report.source_kind == SourceKind::TerminalApi
                && !is_from_the_future(report)
                && yard.ashore.not_of_this_visit(report).is_none()
        })
        .filter_map(|report| Some((report, terminal_there(report, place, yard.gazetteer)?)))
        .collect();
    let word = |report: &Report| word(report).filter(|_| is_timely(report, yard.ashore));
    let mut frees: BTreeMap<&str, Frees> = BTreeMap::new();
    for (report, code) in &told {
        if let Some(word) = word(report) {
            frees
                .entry(*code)
                .or_default()
                .hear(report.issued_at(), word);
        }
    }
    let speaks = told
        .into_iter()
        .filter(|(report, _)| report.verb != Verb::NotAvailable);
    speaks.min_by_key(|(report, code)| {
        let lets_go = word(report) == Some(true) && !yard.ashore.is_of_a_strange_yard(report);
        let frees = frees.get(code).filter(|_| lets_go);
        let rank = match frees.map(|frees| frees.taken_back_at) {
            Some(None) => (0, None),
            Some(Some(at)) => (1, Some(Reverse(at))),
            None => (2, None),
        };
        (rank, report.issued_at())
    })
}

/// Whether a terminal lets the box be collected, as far as it was heard.
#[derive(Default)]
struct Frees {
    said_at: Option<Timestamp>,
    /// When its last yes was taken back.
    taken_back_at: Option<Timestamp>,
}

impl Frees {
    /// Hears the words of one terminal in the order in which they were issued; of two at once a yes is the last.
    fn hear(&mut self, at: Timestamp, word: bool) {
        if word {
            self.said_at = self.said_at.max(Some(at));
            self.taken_back_at = self.taken_back_at.filter(|no| *no > at);
        } else if self.said_at.is_some_and(|said| said < at) {
            self.taken_back_at.get_or_insert(at);
        }
    }
}

/// Our code of the terminal that a report names in this port.
fn terminal_there<'y>(
    report: &Report,
    port: UnLocode,
    gazetteer: &'y Gazetteer,
) -> Option<&'y str> {
    let place = &report.place;
    let (locode, code) = place.locode.zip(place.facility_code.as_deref())?;
    let is_here = gazetteer.canonical(locode) == port;
    let found = gazetteer.terminal_at(locode, code).filter(|_| is_here)?;
    Some(found.code.as_str())
}

/// The last that has stood long enough; the first counts at once.
fn standing_forecast<'y, 'a>(
    forecasts: &[(&'a Report, &'y str)],
    now: Timestamp,
) -> Option<(&'a Report, &'y str)> {
    let mut runs = forecasts.chunk_by(|(_, a), (_, b)| a == b).peekable();
    let mut standing = runs.peek()?.first()?;
    while let Some(run) = runs.next() {
        let first = run.first()?;
        let next = runs.peek().and_then(|next| next.first());
        let until = next.map_or(now, |(report, _)| report.issued_at().min(now));
        if until.duration_since(first.0.issued_at()) >= BERTH_FORECAST_WAIT {
            standing = first;
        }
    }
    Some(*standing)
}

/// Whether a reading says at which terminal the ship is expected.
pub(crate) fn is_berth_forecast(report: &Report) -> bool {
    let empty = report.equipment.as_ref().and_then(|e| e.laden) == Some(false);
    let inland = matches!(
        report.leg.mode,
        Some(Mode::Rail | Mode::Truck | Mode::Barge)
    );
    matches!(report.verb, Verb::Arrive | Verb::Discharge | Verb::Berth)
        && report.place.facility_code.is_some()
        && !empty
        && !inland
}
