//! Which readings count: retractions and corrections, before anything is merged.
//!
//! Three things happen and none looks at the order of arrival:
//!
//! * **Retractions.** A tombstone silences every reading of the id it names, whether it came before or after
//!   them. Only a reading that its source issued later than the tombstone speaks again.
//! * **Words that take back** what they describe and do not name by an id: see `taken_back`.
//! * **Readings of one claim.** Reports with the same identity are readings of one claim, and the newest issue
//!   stands. Two exceptions: a bare date does not push out a time of the same day, and of what a source only saw done
//!   when it looked, the first look stands (`looked`).
//!
//! What pick-up feeds say (holds, fees, availability …) is a series, not a claim with corrections: "free, not
//! free, free" is three happenings. Those readings are all kept and read in [`pickup`](super::pickup).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::by_then;
use super::claims::{Claim, Ship, local_day};
use super::identity::Identity;
use super::looked;
use super::pre_carriage;
use super::scribe::Scribe;
use super::taken_back::{by_whom, taken_back};
use crate::codes::{ContainerNumber, ImoNumber, UnLocode};
use crate::container::is_one_ship;
use crate::place::Gazetteer;
use crate::provenance::Verdict;
use crate::report::{Classifier, Mode, Precision, Report, Verb};
use crate::trust::Trust;

/// Everything that counts for one box.
pub(crate) struct Heard<'a> {
    /// Moves, one claim per identity, sorted by time.
    pub moves: Vec<Claim<'a>>,
    /// All readings that were not retracted, sorted by issue.
    pub readings: Vec<&'a Report>,
}

/// Sorts out what counts for `number`.
pub(crate) fn heard<'a>(
    number: ContainerNumber,
    reports: &[&'a Report],
    gazetteer: &Gazetteer,
    trust: &'a Trust,
    scribe: &mut Scribe<'a>,
) -> Heard<'a> {
    let tombstones = tombstones(reports.iter().copied());
    let own = |r: &&Report| r.equipment.as_ref().is_none_or(|e| e.number == number);
    let claims = || {
        reports
            .iter()
            .copied()
            .filter(own)
            .filter(|r| r.retracts.is_none())
    };
    let mut readings: Vec<&Report> = claims()
        .filter(|report| !is_retracted(report, &tombstones))
        .collect();
    scribe.put_aside(Verdict::Retracted, || {
        let retracted = claims().filter(|report| is_retracted(report, &tombstones));
        retracted.map(|report| (report, None))
    });
    let silenced = taken_back(&readings, gazetteer);
    if !silenced.is_empty() {
        readings.retain(|report| by_whom(report, &silenced).is_none());
    }
    scribe.put_aside(Verdict::Retracted, || {
        silenced.iter().map(|(report, by)| (*report, Some(*by)))
    });
    let mut moves = standing_moves(&readings, gazetteer, trust, scribe);
    number_ships(&mut moves);
    pre_carriage::settle(&mut moves, scribe);
    by_then::settle(&mut moves);
    // What had happened by then stands before what happened then.
    moves.sort_by(|a, b| {
        let by_then = b.report.is_as_of().cmp(&a.report.is_as_of());
        (a.at.cmp(&b.at))
            .then(by_then)
            .then_with(|| by_issue(a.report, b.report))
    });
    readings.sort_by(|a, b| by_issue(a, b));
    Heard { moves, readings }
}

/// Oldest issue first; equal issues by when they were received, and what was received at once by its place in the message, else
/// by content, so that nothing hangs on the order in which it is read.
pub(crate) fn by_issue(a: &Report, b: &Report) -> Ordering {
    a.issue()
        .cmp(&b.issue())
        .then_with(|| a.received_at.cmp(&b.received_at))
        .then_with(|| a.position.cmp(&b.position))
        .then_with(|| by_content(a, b))
}

/// Any fixed order between different reports of one issue time. What they say is compared first and digested
/// only when that does not tell them apart: a carrier publishes its whole plan in one second.
pub(crate) fn by_content(a: &Report, b: &Report) -> Ordering {
    if std::ptr::eq(a, b) {
        return Ordering::Equal;
    }
    said(a).cmp(&said(b)).then_with(|| {
        if a == b {
            return Ordering::Equal;
        }
        a.content()
            .cmp(&b.content())
            .then_with(|| a.received_at.cmp(&b.received_at))
    })
}

type Said<'a> = (
    Verb,
    Classifier,
    Option<Timestamp>,
    Option<UnLocode>,
    &'a str,
    Option<&'a str>,
    Option<ContainerNumber>,
);

fn said(report: &Report) -> Said<'_> {
    (
        report.verb,
        report.classifier,
        report.occurred.as_ref().map(|occurred| occurred.at),
        report.place.locode,
        &report.source,
        report.source_event_id.as_deref(),
        report.equipment.as_ref().map(|equipment| equipment.number),
    )
}

type Tombstones<'a> = BTreeMap<(&'a str, &'a str), Option<Timestamp>>;

/// For each report whether its source took it back by its id.
pub fn retracted(reports: &[&Report]) -> Vec<bool> {
    let tombstones = tombstones(reports.iter().copied());
    let each = reports.iter();
    each.map(|report| report.retracts.is_none() && is_retracted(report, &tombstones))
        .collect()
}

/// Per retracted id the issue time of its last tombstone; `None` when one of them has none of its own.
fn tombstones<'a>(reports: impl Iterator<Item = &'a Report>) -> Tombstones<'a> {
    let mut found: Tombstones<'_> = BTreeMap::new();
    for report in reports {
        let Some(id) = report.retracts.as_deref() else {
            continue;
        };
        found
            .entry((report.source.as_str(), id))
            .and_modify(|at| *at = at.and_then(|at| report.reported_at.map(|new| at.max(new))))
            .or_insert(report.reported_at);
    }
    found
}

fn is_retracted(report: &Report, tombstones: &Tombstones<'_>) -> bool {
    if tombstones.is_empty() {
        return false;
    }
    let mut named = report.withdrawable_as();
    named.any(|id| {
        tombstones
            .get(&(report.source.as_str(), id))
            .is_some_and(|buried| match (report.reported_at, buried) {
                (Some(spoken), Some(buried)) => spoken <= *buried,
                _ => true,
            })
    })
}

/// A reading of a claim, with the era that tells it from another claim in the same words.
type Reading<'a> = (Identity<'a>, usize, &'a Report);

fn standing_moves<'a>(
    all: &[&'a Report],
    gazetteer: &Gazetteer,
    trust: &'a Trust,
    scribe: &mut Scribe<'a>,
) -> Vec<Claim<'a>> {
    let gates = laden_gates_in(all, gazetteer);
    let landings = landings(all, gazetteer);
    let mut moves: Vec<Reading<'a>> = all
        .iter()
        .filter(|report| is_move(report.verb) && report.occurred.is_some())
        .map(|report| {
            (
                Identity::of(report),
                era(report, &gates, &landings, gazetteer),
                *report,
            )
        })
        .collect();
    // Of one claim, which is one source's, the source's own clock tells the newest.
    let newest_first = |a: &Report, b: &Report| {
        let written = b.written_at().cmp(&a.written_at());
        written.then_with(|| by_issue(b, a))
    };
    moves.sort_by(|a, b| {
        (a.0, a.1)
            .cmp(&(b.0, b.1))
            .then_with(|| newest_first(a.2, b.2))
    });
    moves
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .filter_map(|readings| {
            let stands = standing_reading(readings, all, gazetteer)?;
            for verdict in [Verdict::Corrected, Verdict::Repeats] {
                scribe.put_aside(verdict, || {
                    let others = readings.iter().map(|(_, _, report)| *report);
                    let others = others.filter(|report| !std::ptr::eq(*report, stands));
                    let others = others.filter(move |report| verdict == beside(report, stands));
                    others.map(move |report| (report, Some(stands)))
                });
            }
            let newest = readings.first().map(|(_, _, report)| report.issued_at());
            let same = readings.iter().map(|(_, _, report)| report);
            let same = same.filter(|report| report.place.locode == stands.place.locode);
            let first = same.map(|report| report.received_at).min();
            let claim = Claim::of(stands, gazetteer, trust)?;
            Some(Claim {
                said_last: newest.unwrap_or(claim.said_last),
                heard_first: first.unwrap_or(claim.heard_first),
                ..claim
            })
        })
        .collect()
}

/// What a reading of a claim is beside the one that stands.
fn beside(reading: &Report, stands: &Report) -> Verdict {
    let at = |report: &Report| report.occurred.as_ref().map(|occurred| occurred.at);
    if reading.is_as_of() && at(reading) >= at(stands) {
        Verdict::Repeats
    } else {
        Verdict::Corrected
    }
}

/// A gate through which the box came in laden.
struct GateIn<'a> {
    place: Option<UnLocode>,
    facility: Option<&'a str>,
    at: Timestamp,
}

/// When and where the box came in laden through a gate, as far as any reading says.
fn laden_gates_in<'a>(readings: &[&'a Report], gazetteer: &Gazetteer) -> Vec<GateIn<'a>> {
    let gates = readings.iter().filter(|r| is_laden_gate(r, Verb::GateIn));
    gates
        .filter_map(|report| {
            Some(GateIn {
                place: canonical(report, gazetteer),
                facility: report.place.facility_code.as_deref(),
                at: report.occurred.as_ref()?.at,
            })
        })
        .collect()
}

/// A laden box put ashore by a ship that is named.
struct Landing<'a> {
    place: Option<UnLocode>,
    at: Timestamp,
    ship: Ship<'a>,
}

/// When, where and by which ship the box was put ashore, as far as any reading says; in the order of time.
fn landings<'a>(readings: &[&'a Report], gazetteer: &Gazetteer) -> Vec<Landing<'a>> {
    let landed = readings.iter().filter(|report| {
        report.verb == Verb::Discharge
            && report.classifier == Classifier::Actual
            && report.leg.mode == Some(Mode::Vessel)
            && report.equipment.as_ref().and_then(|e| e.laden) != Some(false)
    });
    let mut landings: Vec<Landing<'_>> = landed
        .filter_map(|report| {
            Some(Landing {
                place: canonical(report, gazetteer),
                at: by_then::earliest(report)?,
                ship: Ship::of(&report.leg)?,
            })
        })
        .collect();
    landings.sort_by_key(|landing| landing.at);
    landings
}

/// Landings by two ships that lie closer are one, of which one source names another ship.
const LANDED_AGAIN_MIN: SignedDuration = SignedDuration::from_hours(72);

/// Out of the terminal and out of the yard behind it read as one claim where a feed names no facility and no id, and so do
/// the gates of two trips of one box. What came in between tells them apart, a gate in or another ship that landed the box again:
/// readings on both its sides are two claims, and neither corrects the other.
/// Where a feed does name the facility, only the gate of that one does.
fn era(
    report: &Report,
    gates: &[GateIn<'_>],
    landings: &[Landing<'_>],
    gazetteer: &Gazetteer,
) -> usize {
    if report.source_event_id.is_some() || !is_laden_gate(report, Verb::GateOut) {
        return 0;
    }
    let here = canonical(report, gazetteer);
    let left = report.occurred.as_ref().map(|occurred| occurred.at);
    let facility = report.place.facility_code.as_deref();
    let before = gates.iter().filter(|gate| {
        gate.place == here
            && Some(gate.at) < left
            && (facility.is_none() || gate.facility == facility)
    });
    let landed = landings
        .iter()
        .filter(|landing| landing.place == here && Some(landing.at) < left);
    let again = landed.clone().zip(landed.skip(1)).filter(|(first, next)| {
        next.at.duration_since(first.at) > LANDED_AGAIN_MIN && next.ship.differs(first.ship)
    });
    before.count() + again.count()
}

fn is_laden_gate(report: &Report, verb: Verb) -> bool {
    report.verb == verb
        && report.classifier == Classifier::Actual
        && report.equipment.as_ref().and_then(|e| e.laden) == Some(true)
}

fn canonical(report: &Report, gazetteer: &Gazetteer) -> Option<UnLocode> {
    report.place.locode.map(|code| gazetteer.canonical(code))
}

/// The reading that stands among readings of one claim, newest first; `all` is everything that counts of the box.
fn standing_reading<'a>(
    readings: &[Reading<'a>],
    all: &[&'a Report],
    gazetteer: &Gazetteer,
) -> Option<&'a Report> {
    let each = readings.iter().map(|(_, _, report)| *report);
    let count = if each.clone().next()?.is_as_of() {
        looked::of_one_visit(each.clone(), all, gazetteer)
    } else {
        readings.len()
    };
    let visit = each.clone().take(count);
    let Some(newest) = visit.clone().find(|report| !report.is_as_of()) else {
        return looked::first(visit);
    };
    if newest.occurred.as_ref()?.precision != Precision::Day {
        return Some(newest);
    }
    let day = local_day(newest, gazetteer);
    let mut timed = visit.filter(|report| !report.is_as_of());
    let finer = timed.find(|report| {
        report.classifier == newest.classifier
            && (report.occurred.as_ref()).is_some_and(|o| o.precision != Precision::Day)
            && local_day(report, gazetteer) == day
    });
    Some(finer.unwrap_or(newest))
}

/// Gives ships that are only named the number that other reports give to the name, where all agree on it.
fn number_ships(moves: &mut [Claim<'_>]) {
    let mut known: Vec<(&str, ImoNumber)> = Vec::new();
    for leg in moves.iter().map(|claim| &claim.report.leg) {
        if let Some(pair) = leg.vessel_name.as_deref().zip(leg.vessel_imo)
            && !known.contains(&pair)
        {
            known.push(pair);
        }
    }
    for claim in moves {
        if let Some(Ship::Named(name)) = claim.ship {
            let called = known.iter().filter(|(known, _)| is_one_ship(known, name));
            let mut numbers = called.map(|(_, number)| *number);
            if let Some(number) = numbers.next()
                && numbers.all(|other| other == number)
            {
                claim.ship = Some(Ship::Numbered(number));
            }
        }
    }
}

fn is_move(verb: Verb) -> bool {
    match verb {
        Verb::GateIn
        | Verb::GateOut
        | Verb::Load
        | Verb::Discharge
        | Verb::Arrive
        | Verb::Depart
        | Verb::Berth
        | Verb::Strip
        | Verb::Pickup
        | Verb::Dropoff
        | Verb::Eta => true,
        Verb::Stuff
        | Verb::SealChange
        | Verb::Inspect
        | Verb::Available
        | Verb::NotAvailable
        | Verb::HoldSet
        | Verb::HoldClear
        | Verb::Fee
        | Verb::LastFreeDay
        | Verb::Appointment
        | Verb::Document
        | Verb::Position
        | Verb::Customs => false,
    }
}
