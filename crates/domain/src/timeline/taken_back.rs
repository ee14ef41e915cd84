//! Claims that their source takes back without naming an id, because it gives none.
//!
//! Two messages of the trade do this. A correction names the box, a number and a day of what it corrects (X12
//! ZC1), or the document, or only says once more what happened where and when (EDIFACT BGM 1225). And a line's
//! "load cancelled" (X12 315 `CA`) means the load at the same place within the last seven days. Either silences
//! claims of its own source only, and none that was issued after it.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::claims::Ship;
use crate::place::Gazetteer;
use crate::report::{Classifier, Mode, Report, Value, Verb, Withdrawal};

/// How old a load may be that is cancelled, or a lift of which nobody tells the time and the voyage.
const LOAD_AGE_MAX: SignedDuration = SignedDuration::from_hours(24 * 7);

/// The reports that are taken back, each with the one that does it.
pub(super) fn taken_back<'a>(
    reports: &[&'a Report],
    gazetteer: &Gazetteer,
) -> Vec<(&'a Report, &'a Report)> {
    let mut silenced = Vec::new();
    for by in reports {
        let before = reports
            .iter()
            .copied()
            .filter(|report| is_earlier(report, by));
        match &by.value {
            Some(Value::Withdraws(withdrawal)) => {
                let meant = meant(withdrawal, by, &before.collect::<Vec<_>>(), gazetteer);
                silenced.extend(meant.into_iter().map(|report| (report, *by)));
            }
            Some(Value::LoadCancelled) => {
                let loads = before.filter(|report| is_cancelled_load(report, by, gazetteer));
                silenced.extend(loads.map(|report| (report, *by)));
            }
            _ => {}
        }
    }
    silenced
}

/// The report that takes this one back.
pub(super) fn by_whom<'a>(
    report: &Report,
    silenced: &[(&'a Report, &'a Report)],
) -> Option<&'a Report> {
    let mut of_it = silenced
        .iter()
        .filter(|(other, _)| std::ptr::eq(*other, report));
    of_it.next().map(|(_, by)| *by)
}

/// Of the same source, about the same box, and not issued after the word that takes it back.
fn is_earlier(report: &Report, by: &Report) -> bool {
    let number = |report: &Report| report.equipment.as_ref().map(|e| e.number);
    let told_right = matches!(&by.value, Some(Value::Withdraws(w)) if w.replaced);
    let earlier = if told_right {
        report.written_at() < by.written_at()
    } else {
        report.written_at() <= by.written_at()
    };
    let takes_back = matches!(
        report.value,
        Some(Value::Withdraws(_) | Value::LoadCancelled)
    );
    !takes_back
        && earlier
        && report.source == by.source
        && report.source_kind == by.source_kind
        && number(report) == number(by)
}

/// The claims that are meant. Those that name the number and say the same in the source's words are, and of several those of
/// that day: it is the one on which it happened, or on which the former message was written. Where it is the day of none, they
/// are meant only if all are about one place and time. Else it is the claims of that day; of these, those that name the number; of these, those that say the same. A step that leaves none is left out, but
/// where neither day nor number finds any, only the same word about the same place and time is meant.
fn meant<'a>(
    withdrawal: &Withdrawal,
    by: &Report,
    reports: &[&'a Report],
    gazetteer: &Gazetteer,
) -> Vec<&'a Report> {
    let names_it = |report: &Report| {
        let wanted = withdrawal.reference.as_ref();
        wanted.is_some_and(|number| names(report, number))
    };
    let says_it = |report: &Report| withdrawal.original.as_ref() == Some(&report.original);
    let of_day = |report: &Report| {
        let occurred = report.occurred.as_ref();
        let day = occurred.map(|occurred| occurred.local.date());
        withdrawal.date.is_none() || withdrawal.date == day
    };
    let written_then = |report: &Report| {
        let written = report.reported_at.map(|at| at.to_zoned(TimeZone::UTC));
        withdrawal.date == written.map(|written| written.date())
    };
    if let Some(exact) = narrowed(reports, |report| names_it(report) && says_it(report)) {
        let of_its_day = narrowed(&exact, of_day).or_else(|| narrowed(&exact, written_then));
        let are_one = || {
            let first = exact.first();
            first.is_some_and(|first| exact.iter().all(|one| is_same_act(one, first, gazetteer)))
        };
        return match of_its_day {
            Some(of_its_day) => of_its_day,
            None if are_one() => exact,
            None => Vec::new(),
        };
    }
    let that_day = narrowed(reports, of_day).unwrap_or_default();
    let told = match narrowed(&that_day, names_it) {
        Some(named) => named,
        None if withdrawal.date.is_some() => that_day,
        None => {
            let is_it = |report: &Report| says_it(report) && is_same_act(report, by, gazetteer);
            return narrowed(reports, is_it).unwrap_or_default();
        }
    };
    narrowed(&told, says_it).unwrap_or(told)
}

/// Whether what is taken back happened at the time and place of this claim.
fn is_same_act(report: &Report, by: &Report, gazetteer: &Gazetteer) -> bool {
    let here = report.place.locode.zip(by.place.locode);
    let same_place = match here {
        Some((a, b)) => gazetteer.canonical(a) == gazetteer.canonical(b),
        None => report.place == by.place,
    };
    let same_time = if report.is_as_of() || by.is_as_of() {
        is_same_visit(report, by)
    } else {
        instant(report).is_some() && instant(report) == instant(by)
    };
    same_place && same_time
}

fn instant(report: &Report) -> Option<Timestamp> {
    report.occurred.as_ref().map(|occurred| occurred.at)
}

/// Whether both are of one visit of the box, where one of them tells only when it was written: it had happened by then. The list
/// that takes a lift back is written at another time than the one that told it.
fn is_same_visit(report: &Report, by: &Report) -> bool {
    let ships = Ship::of(&report.leg).zip(Ship::of(&by.leg));
    if ships.is_some_and(|(told, taken_back)| told.differs(taken_back)) {
        return false;
    }
    let voyages = (report.leg.voyage_out.as_ref()).zip(by.leg.voyage_out.as_ref());
    let same_voyage = voyages.map(|(told, taken_back)| told == taken_back);
    let (told, taken_back) = (instant(report), instant(by));
    let has_happened_by_then = told.zip(taken_back).is_none_or(|(told, taken_back)| {
        match (report.is_as_of(), by.is_as_of()) {
            (true, false) => taken_back <= told,
            (false, true) => told <= taken_back,
            _ => true,
        }
    });
    let apart = taken_back.unwrap_or_else(|| by.written_at());
    let is_near = told.is_some_and(|told| apart.duration_since(told).abs() <= LOAD_AGE_MAX);
    has_happened_by_then && same_voyage.unwrap_or(is_near)
}

fn narrowed<'a>(reports: &[&'a Report], keep: impl Fn(&Report) -> bool) -> Option<Vec<&'a Report>> {
    let kept: Vec<&Report> = reports.iter().copied().filter(|r| keep(r)).collect();
    (!kept.is_empty()).then_some(kept)
}

fn names(report: &Report, number: &String) -> bool {
    let references = &report.references;
    references.bills.contains(number)
        || references.bookings.contains(number)
        || references.others.contains(number)
}

fn is_cancelled_load(report: &Report, by: &Report, gazetteer: &Gazetteer) -> bool {
    let place = |report: &Report| report.place.locode.map(|code| gazetteer.canonical(code));
    let times = report.occurred.as_ref().zip(by.occurred.as_ref());
    let young = times.is_some_and(|(load, cancelled)| {
        // What was loaded since is another load, though it came with the same message. A bare date may mean the evening.
        let before = load.at <= cancelled.precision.latest(cancelled.at);
        before && cancelled.at.duration_since(load.at) <= LOAD_AGE_MAX
    });
    let ships = Ship::of(&report.leg).zip(Ship::of(&by.leg));
    let same_ship = ships.is_none_or(|(loaded, cancelled)| !loaded.differs(cancelled));
    report.verb == Verb::Load
        && report.classifier == Classifier::Actual
        && matches!(report.leg.mode, None | Some(Mode::Vessel))
        && place(report).is_some()
        && place(report) == place(by)
        && young
        && same_ship
}
