//! From an actual move to the public event it stands for.
//!
//! One function per verb, each the table of the trade read aloud: verb, means of transport, laden or empty,
//! and the part that the place plays in the way. What is not in the table is no event; the report stays
//! readable as it came. No rule here looks at planned or estimated claims, so none of them can ever become
//! something that happened.

use jiff::Timestamp;

use super::Way;
use super::inland::is_on_carriage;
use super::legs::Part;
use crate::event::EventName;
use crate::report::{FacilityType, Mode, MoveHint, SourceKind, Verb};
use crate::timeline::claims::Claim;

/// The public events that an actual move stands for: none, one, or two (the last ramp is also the destination).
pub(crate) fn events(
    claim: &Claim<'_>,
    way: &Way<'_>,
    moves: &[Claim<'_>],
) -> [Option<EventName>; 2] {
    if !claim.is_actual() || claim.hint == Some(MoveHint::Shifting) {
        return [None, None];
    }
    let first = match claim.mode {
        _ if claim.verb == Verb::GateIn => gate_in(claim, way),
        _ if claim.verb == Verb::GateOut => gate_out(claim, way),
        _ if claim.verb == Verb::Pickup => pickup(claim, way),
        _ if claim.verb == Verb::Dropoff => dropoff(claim, way),
        Some(Mode::Vessel) => at_sea(claim, way),
        Some(Mode::Barge) => by_feeder(claim),
        Some(Mode::Rail) => by_rail(claim),
        Some(Mode::Truck) => by_truck(claim, way, moves),
        None => None,
    };
    let at_destination = first == Some(EventName::RailArrived)
        && claim.place.is_some()
        && claim.place == way.destination
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
    let marked = claim.hint == Some(MoveHint::Transshipment);
    let known = claim.place.and_then(|place| way.sea.at(place));
    match known {
        _ if marked => sea_event(claim.verb, Part::Transshipment, false),
        Some((stop, part)) => sea_event(claim.verb, *part, stop.fed),
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

/// Rail events need a place: guessing one has put boxes on wrong legs.
fn by_rail(claim: &Claim<'_>) -> Option<EventName> {
    if is_repositioning(claim) || claim.place.is_none() {
        return None;
    }
    match claim.verb {
        Verb::Load => Some(EventName::RailLoaded),
        Verb::Depart => Some(EventName::RailDeparted),
        Verb::Arrive => Some(EventName::RailArrived),
        Verb::Discharge => Some(EventName::RailUnloaded),
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
    let arrives = claim.verb == Verb::Arrive && claim.laden != Some(false) && at_door;
    (arrives && has_come_ashore(claim, way, moves)).then_some(EventName::Delivered)
}

fn gate_in(claim: &Claim<'_>, way: &Way<'_>) -> Option<EventName> {
    if claim.laden != Some(true) {
        return None; // empties: see `returned_empty`
    }
    if claim.hint == Some(MoveHint::Transshipment) {
        return None;
    }
    let after = comes_after_landing(claim, way);
    match claim.mode {
        Some(Mode::Rail) if after => claim.place.map(|_| EventName::RailArrived),
        Some(Mode::Vessel) => None,
        _ if after => is_other_yard(claim, way).then_some(EventName::FullIn),
        _ if way.aboard_since.is_some_and(|since| claim.at > since) => None,
        Some(Mode::Rail | Mode::Barge) => {
            let lading = way.sea.lading().map(|stop| stop.place);
            (lading.is_none() || claim.place == lading).then_some(EventName::FullIn)
        }
        _ => Some(EventName::FullIn),
    }
}

fn gate_out(claim: &Claim<'_>, way: &Way<'_>) -> Option<EventName> {
    match (claim.laden, claim.mode) {
        (Some(false), _) => goes_out_empty(claim, way).then_some(EventName::EmptyOut),
        (Some(true), _) if claim.hint == Some(MoveHint::Transshipment) => None,
        (Some(true), Some(Mode::Rail)) => (comes_after_landing(claim, way)
            || at_discharge(claim, way))
        .then_some(EventName::RailDeparted)
        .filter(|_| claim.place.is_some()),
        (Some(true), Some(Mode::Barge)) => {
            comes_after_landing(claim, way).then_some(EventName::FeederDeparted)
        }
        (Some(true), Some(Mode::Truck) | None) => {
            goes_out_full(claim, way).then_some(EventName::FullOut)
        }
        _ => None,
    }
}

fn pickup(claim: &Claim<'_>, way: &Way<'_>) -> Option<EventName> {
    let from_depot = claim.facility() != Some(FacilityType::CustomerLocation);
    (claim.laden == Some(false) && from_depot && goes_out_empty(claim, way))
        .then_some(EventName::EmptyOut)
}

fn dropoff(claim: &Claim<'_>, way: &Way<'_>) -> Option<EventName> {
    let at_customer = matches!(
        claim.facility(),
        Some(FacilityType::CustomerLocation) | None
    );
    let inbound = !matches!(claim.hint, Some(MoveHint::Transshipment | MoveHint::Export));
    let early = way.aboard_since.is_some_and(|since| claim.latest() < since)
        || (way.knows_the_sea() && !comes_after_landing(claim, way));
    (claim.laden == Some(true) && at_customer && inbound && !early).then_some(EventName::Delivered)
}

/// Empties go out at the beginning of a journey only.
fn goes_out_empty(claim: &Claim<'_>, way: &Way<'_>) -> bool {
    let before_sea = way.aboard_since.is_none_or(|since| claim.at <= since);
    before_sea && !comes_after_landing(claim, way)
}

/// A laden box leaves through the gate for import only once it came ashore: the port of discharge proves it
/// by itself, any other place needs a landing before.
fn goes_out_full(claim: &Claim<'_>, way: &Way<'_>) -> bool {
    if claim.hint == Some(MoveHint::Export) {
        return false;
    }
    if !way.knows_the_sea() {
        let at_terminal = matches!(
            claim.report.source_kind,
            SourceKind::Codeco | SourceKind::TerminalApi | SourceKind::RailApi
        );
        return at_terminal || claim.hint == Some(MoveHint::Import);
    }
    let exporting = way.aboard_since.is_some_and(|since| claim.latest() < since);
    !exporting && (comes_after_landing(claim, way) || at_discharge(claim, way))
}

fn at_discharge(claim: &Claim<'_>, way: &Way<'_>) -> bool {
    claim.place.is_some() && claim.place == way.sea.discharge().map(|stop| stop.place)
}

fn comes_after_landing(claim: &Claim<'_>, way: &Way<'_>) -> bool {
    way.landed_since
        .is_some_and(|landed| claim.latest() >= landed)
}

/// After discharge: a yard that is not the terminal the box was discharged at.
fn is_other_yard(claim: &Claim<'_>, way: &Way<'_>) -> bool {
    let Some(stop) = way.sea.discharge() else {
        return false;
    };
    if claim.place.is_some_and(|place| place != stop.place)
        || claim.facility() == Some(FacilityType::OffDock)
    {
        return true;
    }
    let landed_at = stop
        .discharge
        .and_then(|sight| sight.claim.report.place.facility_code.as_deref());
    let gate = claim.report.place.facility_code.as_deref();
    matches!((landed_at, gate), (Some(a), Some(b)) if a != b)
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

/// Whether this is the return of the empty. Only the **last** gate-in of a journey is: boxes that are drayed
/// between yards look like returns, and a return ends tracking. So nothing laden may follow it, no later
/// gate-in may exist, and something must have been unloaded before.
pub(crate) fn returned_empty(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    let at_depot = claim.facility() != Some(FacilityType::CustomerLocation);
    let returns = claim.is_actual()
        && claim.laden == Some(false)
        && match claim.verb {
            Verb::GateIn => true,
            Verb::Dropoff => at_depot,
            _ => false,
        };
    returns && was_unpacked(claim, way, moves) && !goes_on_laden(claim.latest(), moves)
}

fn was_unpacked(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    if claim.hint == Some(MoveHint::Export) {
        return false;
    }
    let emptied = moves.iter().any(|other| {
        other.is_actual()
            && other.at <= claim.latest()
            && (other.verb == Verb::Strip || is_import_exit(other, way, moves))
    });
    let alone = !way.knows_the_sea()
        && (matches!(
            claim.facility(),
            Some(FacilityType::Depot | FacilityType::OffDock)
        ) || claim.report.source_kind == SourceKind::Codeco
            || !moves
                .iter()
                .any(|other| other.is_actual() && !returns_nothing(other)));
    claim.hint == Some(MoveHint::Import) || comes_after_landing(claim, way) || emptied || alone
}

fn is_import_exit(other: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    matches!(
        events(other, way, moves)[0],
        Some(EventName::FullOut | EventName::Delivered)
    )
}

fn returns_nothing(other: &Claim<'_>) -> bool {
    other.verb == Verb::GateIn && other.laden == Some(false)
}

fn goes_on_laden(since: Timestamp, moves: &[Claim<'_>]) -> bool {
    moves.iter().any(|other| {
        other.is_actual()
            && other.laden == Some(true)
            && other.at > since
            && other.verb != Verb::Strip
    })
}
