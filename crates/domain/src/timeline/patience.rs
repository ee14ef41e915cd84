//! Claims that wait: good enough when nobody says better within a time, and never better than who knows.
//!
//! * What AIS sees of an arrival or departure fills a gap, it does not open the story (12 h).
//! * What a message tells on the side (the dates in the plan of a 315) counts as happened only where nobody
//!   tells it directly (6 h after it was first heard).
//! * Reaching the customer's door is the delivery only when nobody reports the unloading there (7 days).
//!
//! How long a claim has waited is told by `now`, which is an argument.

use jiff::{SignedDuration, Timestamp};

use super::claims::Claim;
use crate::report::{Classifier, Doubt, FacilityType, Mode, Report, SourceKind, Verb};

/// A ship's own position speaks for an arrival only when nobody else did for this long.
const AIS_WAIT: SignedDuration = SignedDuration::from_hours(12);
/// What is told on the side counts when nobody told it directly for this long.
const DERIVED_WAIT: SignedDuration = SignedDuration::from_hours(6);
/// An arrival at the door counts as delivery when no unloading was reported for this long.
const DOOR_WAIT: SignedDuration = SignedDuration::from_hours(24 * 7);

/// AIS fills a gap, it does not open the story: it waits its turn, except for the berth that only it sees.
pub(super) fn is_too_early_for_ais(claim: &Claim<'_>, now: Timestamp) -> bool {
    claim.report.source_kind == SourceKind::Ais
        && claim.classifier == Classifier::Actual
        && claim.verb != Verb::Berth
        && now.duration_since(claim.at) < AIS_WAIT
}

/// The moves without those that still wait, or waited in vain.
pub(super) fn without_waiting<'a>(
    moves: Vec<Claim<'a>>,
    readings: &[&'a Report],
    now: Timestamp,
) -> Vec<Claim<'a>> {
    let waits = |claim: &Claim<'a>| {
        if is_derived(claim) {
            return moves.iter().any(|other| tells_directly(other, claim))
                || now.duration_since(first_heard(claim, readings)) < DERIVED_WAIT;
        }
        is_at_the_door(claim)
            && (moves.iter().any(|other| is_unloaded(other, claim))
                || now.duration_since(claim.at) < DOOR_WAIT)
    };
    let waiting: Vec<bool> = moves.iter().map(waits).collect();
    let both = moves.into_iter().zip(waiting);
    both.filter(|(_, waits)| !waits)
        .map(|(claim, _)| claim)
        .collect()
}

/// When a report comes to count by the passing of time alone.
pub(super) fn due(report: &Report) -> Option<Timestamp> {
    let at = report.occurred.as_ref()?.at;
    if report.source_kind == SourceKind::Ais {
        return at.checked_add(AIS_WAIT).ok();
    }
    if report.classifier == Classifier::Actual && report.doubts.contains(&Doubt::Derived) {
        return report.received_at.checked_add(DERIVED_WAIT).ok();
    }
    let door = is_door(report) && report.classifier == Classifier::Actual;
    door.then(|| at.checked_add(DOOR_WAIT).ok()).flatten()
}

fn is_derived(claim: &Claim<'_>) -> bool {
    claim.is_actual() && claim.report.doubts.contains(&Doubt::Derived)
}

/// The same move at the same place, from a message that is about it.
fn tells_directly(other: &Claim<'_>, claim: &Claim<'_>) -> bool {
    other.is_actual()
        && !other.report.doubts.contains(&Doubt::Derived)
        && (other.verb, other.mode, other.place) == (claim.verb, claim.mode, claim.place)
}

/// A plan is repeated with every message; it has been waiting since the first.
fn first_heard(claim: &Claim<'_>, readings: &[&Report]) -> Timestamp {
    let same = readings.iter().filter(|report| {
        report.verb == claim.report.verb
            && report.classifier == claim.report.classifier
            && report.doubts.contains(&Doubt::Derived)
            && report.place.locode == claim.report.place.locode
            && report.source == claim.report.source
    });
    let first = same.map(|report| report.received_at).min();
    first.unwrap_or(claim.report.received_at)
}

/// EDI tells arriving at a door and unloading there apart; other sources tell the delivery only.
fn is_door(report: &Report) -> bool {
    matches!(
        report.source_kind,
        SourceKind::X12_315 | SourceKind::X12_322 | SourceKind::X12_214 | SourceKind::Iftsta
    ) && report.verb == Verb::Arrive
        && report.leg.mode == Some(Mode::Truck)
        && report.place.facility_type == Some(FacilityType::CustomerLocation)
}

fn is_at_the_door(claim: &Claim<'_>) -> bool {
    claim.is_actual() && is_door(claim.report)
}

/// Goods left at a door, at the time of the arrival or after it.
fn is_unloaded(other: &Claim<'_>, arrived: &Claim<'_>) -> bool {
    other.is_actual()
        && other.verb == Verb::Dropoff
        && other.laden != Some(false)
        && other.latest() >= arrived.at
}
