//! Moves by rail, where the same road tells of every place that a train passes and of boxes it carried last month.
//!
//! Three habits of railroads need care:
//!
//! * A sighting is not a departure. A train is seen leaving every yard on its way; the box departed where it was
//!   put on the train, and where another road put it on again.
//! * A gate is not the train. A road that reports its gate and its train reports one departure twice; the train
//!   has the better clock.
//! * A number is used again. A road knows the box, not the bill: what it tells of the days the box spent at sea
//!   belongs to somebody else's goods.

use jiff::{SignedDuration, Timestamp};

use super::super::Way;
use super::super::inland::{ARRIVAL_DRIFT_MAX, is_on_carriage};
use super::is_repositioning;
use crate::event::EventName;
use crate::report::{Mode, SourceKind, Verb};
use crate::timeline::claims::{Claim, is_railroad};

/// A gate and a train of one place within this are one move.
const ONE_MOVE_MAX: SignedDuration = SignedDuration::from_hours(24);
/// Clocks of a road and a line differ by no more.
const BEFORE_LANDING_MAX: SignedDuration = SignedDuration::from_hours(24);

/// Rail events need a place: guessing one has put boxes on wrong legs.
pub(super) fn event(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> Option<EventName> {
    if is_repositioning(claim) || claim.place.is_none() {
        return None;
    }
    match claim.verb {
        Verb::Load => Some(EventName::RailLoaded),
        Verb::Depart => (!is_passing(claim, way, moves)).then_some(EventName::RailDeparted),
        Verb::Arrive => Some(EventName::RailArrived),
        Verb::Discharge => Some(EventName::RailUnloaded),
        _ => None,
    }
}

/// Whether a train's own report at the same place tells what this gate tells.
pub(super) fn train_tells(claim: &Claim<'_>, verb: Verb, moves: &[Claim<'_>]) -> bool {
    moves.iter().any(|other| {
        other.is_actual()
            && other.verb == verb
            && other.is_by(Mode::Rail)
            && other.place == claim.place
            && other.at.duration_since(claim.at).abs() <= ONE_MOVE_MAX
    })
}

/// Whether the source itself tells that a train or barge was unloaded here: then the gate is no second receipt.
pub(super) fn was_unloaded(claim: &Claim<'_>, moves: &[Claim<'_>]) -> bool {
    moves.iter().any(|other| {
        other.is_actual()
            && other.verb == Verb::Discharge
            && other.mode == claim.mode
            && other.report.source == claim.report.source
            && other.place == claim.place
            && other.at.duration_since(claim.at).abs() <= ONE_MOVE_MAX
    })
}

/// A railroad's word about a time at which the box was at sea.
pub(super) fn is_of_another_trip(claim: &Claim<'_>, way: &Way<'_>) -> bool {
    let (true, Some(aboard)) = (is_railroad(claim.report.source_kind), way.aboard_since) else {
        return false;
    };
    let landed = way
        .landed_since
        .map(|landed| (landed, BEFORE_LANDING_MAX))
        .or_else(|| Some((way.expected_ashore()?, ARRIVAL_DRIFT_MAX)));
    claim.at > aboard && landed.is_some_and(|(at, slack)| claim.latest() < earlier(at, slack))
}

fn earlier(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_sub(by).unwrap_or(at)
}

/// A sighting of a train that left with the box somewhere else, and did not take it up anew.
fn is_passing(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    let sighting = matches!(
        claim.report.source_kind,
        SourceKind::Clm | SourceKind::X12_322
    );
    if !sighting {
        return false;
    }
    let inland = is_on_carriage(way, claim);
    let on_this_side = |other: &&Claim<'_>| {
        other.is_actual()
            && other.is_by(Mode::Rail)
            && other.at < claim.at
            && is_on_carriage(way, other) == inland
    };
    let left = moves
        .iter()
        .filter(on_this_side)
        .filter(|other| other.verb == Verb::Depart && other.area != claim.area)
        .map(|other| other.at)
        .max();
    let taken_up = |since: Timestamp| {
        moves.iter().filter(on_this_side).any(|other| {
            matches!(other.verb, Verb::Load | Verb::Discharge | Verb::GateIn)
                && other.at > since
                && other.area == claim.area
        })
    };
    left.is_some_and(|since| !taken_up(since))
}
