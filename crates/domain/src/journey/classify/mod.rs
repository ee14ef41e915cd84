//! From an actual move to the public event it stands for.
//!
//! One function per verb, each the table of the trade read aloud: verb, means of transport, laden or empty,
//! and the part that the place plays in the way. What is not in the table is no event; the report stays
//! readable as it came. No rule here looks at planned or estimated claims, so none of them can ever become
//! something that happened.

mod empties;
mod gates;
mod rail;

use super::Way;
use super::inland::is_on_carriage;
use super::legs::Part;
use crate::event::EventName;
use crate::report::{FacilityType, Mode, MoveHint, Verb};
use crate::timeline::claims::Claim;
pub(crate) use empties::{looks_like_a_return, returned_empty};
pub(crate) use gates::YardGate;
use gates::{
    at_discharge, comes_after_landing, comes_back_to_port, dropoff, gate_in, gate_out, pickup,
};

/// The public events that an actual move stands for: none, one, or two (the last ramp is also the destination).
pub(crate) fn events(
    claim: &Claim<'_>,
    way: &Way<'_>,
    moves: &[Claim<'_>],
) -> [Option<EventName>; 2] {
    let counts = claim.is_actual() && claim.hint != Some(MoveHint::Shifting);
    if !counts || rail::is_of_another_trip(claim, way) {
        return [None, None];
    }
    let first = match claim.mode {
        _ if claim.verb == Verb::GateIn => gate_in(claim, way, moves),
        _ if claim.verb == Verb::GateOut => gate_out(claim, way, moves),
        _ if claim.verb == Verb::Pickup => pickup(claim, way, moves),
        _ if claim.verb == Verb::Dropoff => dropoff(claim, way, moves),
        Some(Mode::Vessel) => at_sea(claim, way),
        Some(Mode::Barge) => by_feeder(claim),
        Some(Mode::Rail) => rail::event(claim, way, moves),
        Some(Mode::Truck) => by_truck(claim, way, moves),
        None => None,
    };
    let at_destination = first == Some(EventName::RailArrived)
        && claim.area.is_some()
        && claim.area == way.destination_area
        && is_on_carriage(way, claim);
    [
        first,
        at_destination.then_some(EventName::ArrivedAtInlandDestination),
    ]
}

fn at_sea(claim: &Claim<'_>, way: &Way<'_>) -> Option<EventName> {
    if is_repositioning(claim) || way.sea.is_other_vessel(claim) {
        return None;
    }
    let known = claim.place.and_then(|place| way.sea.at(place));
    // A lift that another port has rightly is none here, whatever it is called.
    // Where the way is known to have ended, a message that still names the end of before has not heard of it.
    // A ship that calls on the way to the end which its message names says nothing of the box; a lift does.
    let says_so = match claim.hint {
        Some(MoveHint::Transshipment) => true,
        Some(MoveHint::Onward) => claim.verb == Verb::Discharge || known.is_none(),
        _ => false,
    };
    let marked =
        says_so && !known.is_some_and(|(stop, part)| stop.misplaced || *part == Part::Discharge);
    match known {
        _ if marked => sea_event(claim.verb, Part::Transshipment, false),
        Some((stop, part)) => sea_event(claim.verb, *part, stop.fed),
        None if way.sea.may_be_at_a_hub(claim) => None,
        None => sea_event(claim.verb, lone_part(claim.verb), false),
    }
}

fn sea_event(verb: Verb, part: Part, fed: bool) -> Option<EventName> {
    use EventName as E;
    match (verb, part) {
        (Verb::Load, Part::Lading) if fed => Some(E::TransshipmentLoaded),
        (Verb::Depart, Part::Lading) if fed => Some(E::TransshipmentDeparted),
        (Verb::Load, Part::Lading) => Some(E::VesselLoaded),
        (Verb::Depart, Part::Lading) => Some(E::VesselDeparted),
        (Verb::Arrive, Part::Discharge) => Some(E::VesselArrived),
        (Verb::Berth, Part::Discharge) => Some(E::VesselBerthed),
        (Verb::Discharge, Part::Discharge) => Some(E::VesselDischarged),
        (Verb::Arrive, Part::Transshipment) => Some(E::TransshipmentArrived),
        (Verb::Discharge, Part::Transshipment) => Some(E::TransshipmentDischarged),
        (Verb::Load, Part::Transshipment) => Some(E::TransshipmentLoaded),
        (Verb::Depart, Part::Transshipment) => Some(E::TransshipmentDeparted),
        _ => None,
    }
}

/// A claim without a place stands alone.
fn lone_part(verb: Verb) -> Part {
    match verb {
        Verb::Load | Verb::Depart => Part::Lading,
        _ => Part::Discharge,
    }
}

fn by_feeder(claim: &Claim<'_>) -> Option<EventName> {
    match claim.verb {
        Verb::Load => Some(EventName::FeederLoaded),
        Verb::Depart => Some(EventName::FeederDeparted),
        Verb::Arrive => Some(EventName::FeederArrived),
        Verb::Discharge => Some(EventName::FeederDischarged),
        _ => None,
    }
}

/// A truck's arrival is an event only where it is the delivery.
fn by_truck(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> Option<EventName> {
    let at_door = match claim.facility() {
        Some(FacilityType::CustomerLocation) => true,
        None => way.ends_at_door && claim.place == way.destination,
        Some(_) => false,
    };
    let arrives = claim.verb == Verb::Arrive
        && claim.laden != Some(false)
        && at_door
        && !comes_back_to_port(claim, way, moves);
    (arrives && has_come_ashore(claim, way, moves)).then_some(EventName::Delivered)
}

fn has_come_ashore(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    comes_after_landing(claim, way)
        || !way.knows_the_sea()
        || moves.iter().any(|other| {
            other.verb == Verb::GateOut
                && other.is_actual()
                && other.laden == Some(true)
                && other.at <= claim.latest()
                && at_discharge(other, way)
        })
}

/// Empties on vessels and trains are the line's own business.
fn is_repositioning(claim: &Claim<'_>) -> bool {
    claim.laden == Some(false)
}
