//! Gates and haulage stops: what goes in and out by road, rail or barge, and at which end of the way.

use jiff::{SignedDuration, Timestamp};

use super::super::Way;
use super::super::inland::{is_forgotten, last_call};
use super::super::stop::Sight;
use super::rail::{train_tells, was_unloaded};
use crate::container::{BACK_WITHIN, is_one_name};
use crate::event::EventName;
use crate::report::{FacilityType, Mode, MoveHint, SourceKind, Verb};
use crate::timeline::claims::{Claim, is_railroad};
use crate::timeline::milestones::is_one_happening;
use crate::timeline::precedence::order;

/// Two sources tell of one gate within this, where one of them does not say which gate it is.
const ONE_GATE_MAX: SignedDuration = SignedDuration::from_hours(1);

/// Through the gate, inwards, laden.
pub(super) fn gate_in(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> Option<EventName> {
    if claim.laden != Some(true) {
        return None; // empties: see `returned_empty`
    }
    if claim.hint == Some(MoveHint::Transshipment) {
        return None;
    }
    let after = comes_after_landing(claim, way);
    match claim.mode {
        Some(Mode::Rail) if after || is_known_import(claim, way) => (claim.place.is_some()
            && !train_tells(claim, Verb::Arrive, moves))
        .then_some(EventName::RailArrived),
        // An import whose ship nobody saw arrive does not set out.
        _ if names_inbound_ship(claim) && !after => None,
        _ if after => is_other_yard(claim, way, moves).then_some(EventName::FullIn),
        _ if way.aboard_since.is_some_and(|since| claim.at > since) => None,
        Some(Mode::Rail | Mode::Barge) => {
            let lading = way.sea.lading().map(|stop| stop.place);
            let received = lading.is_none() || claim.place == lading;
            (received && !was_unloaded(claim, moves)).then_some(EventName::FullIn)
        }
        _ => Some(EventName::FullIn),
    }
}

/// Whether its own message calls it import and names the ship beside the gate.
fn names_inbound_ship(claim: &Claim<'_>) -> bool {
    let by_ship = claim.report.leg.mode == Some(Mode::Vessel);
    by_ship && claim.hint.is_some_and(MoveHint::is_import)
}

/// Through the gate, outwards.
pub(super) fn gate_out(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> Option<EventName> {
    match (claim.laden, claim.mode) {
        (Some(false), _) => goes_out_empty(claim, way, moves).then_some(EventName::EmptyOut),
        (Some(true), _) if claim.hint == Some(MoveHint::Transshipment) => None,
        (Some(true), Some(Mode::Rail)) => (comes_after_landing(claim, way)
            || at_discharge(claim, way)
            || is_known_import(claim, way))
        .then_some(EventName::RailDeparted)
        .filter(|_| claim.place.is_some() && !train_tells(claim, Verb::Depart, moves)),
        (Some(true), Some(Mode::Barge)) => {
            let inbound = comes_after_landing(claim, way) || is_known_import(claim, way);
            inbound.then_some(EventName::FeederDeparted)
        }
        (Some(true), Some(Mode::Truck) | None) => (goes_out_full(claim, way)
            && !leaves_customer(claim, moves)
            && !goes_across_town(claim, way, moves))
        .then_some(EventName::FullOut),
        (None, Some(Mode::Truck) | None) => {
            takes_the_goods(claim, way, moves).then_some(EventName::FullOut)
        }
        _ => None,
    }
}

/// Where nobody says whether goods are in it: what leaves the port of discharge first after the landing are the goods, unless
/// something else was told of the box since.
fn takes_the_goods(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    let is_inward = !matches!(
        claim.hint,
        Some(MoveHint::Export | MoveHint::Transshipment | MoveHint::Onward)
    );
    let is_landed = || {
        way.sea.discharge().is_some_and(|stop| {
            let sight = stop.discharge.filter(Sight::is_actual);
            sight.is_some_and(|sight| sight.claim.laden != Some(false))
        })
    };
    let of_now = is_inward && at_discharge(claim, way) && comes_after_landing(claim, way);
    of_now
        && is_landed()
        && !moves
            .iter()
            .any(|other| tells_that_it_left(other, claim, way))
}

/// Whether the box had left before this gate, or came and went otherwise, or this is told as the exit of an empty elsewhere.
fn tells_that_it_left(other: &Claim<'_>, gate: &Claim<'_>, way: &Way<'_>) -> bool {
    if !other.is_actual() || !comes_after_landing(other, way) {
        return false;
    }
    let is_before = other.at <= gate.at;
    match other.verb {
        // Who says that it was laden tells of the same gate, be it by another clock or at the next yard's.
        Verb::GateOut if other.laden == Some(true) => is_before && !is_one_happening(other, gate),
        Verb::GateOut if other.laden == Some(false) => is_before || is_one_happening(other, gate),
        Verb::GateOut => other.at < gate.at,
        Verb::GateIn | Verb::Strip | Verb::Dropoff => is_before,
        Verb::Load | Verb::Depart | Verb::Arrive | Verb::Discharge => {
            is_before && (other.is_by(Mode::Rail) || other.is_by(Mode::Barge))
        }
        _ => false,
    }
}

/// Where nothing is known of the sea, the terminal's own word that the box is an import.
fn is_known_import(claim: &Claim<'_>, way: &Way<'_>) -> bool {
    claim.hint.is_some_and(MoveHint::is_import) && !way.knows_the_sea()
}

/// Collected at a haulage stop.
pub(super) fn pickup(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> Option<EventName> {
    let from_depot = claim.facility() != Some(FacilityType::CustomerLocation);
    (claim.laden == Some(false) && from_depot && goes_out_empty(claim, way, moves))
        .then_some(EventName::EmptyOut)
}

/// Left at a haulage stop.
pub(super) fn dropoff(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> Option<EventName> {
    let at_customer = matches!(
        claim.facility(),
        Some(FacilityType::CustomerLocation) | None
    );
    let inbound = !matches!(claim.hint, Some(MoveHint::Transshipment | MoveHint::Export));
    let early = way.aboard_since.is_some_and(|since| claim.latest() < since)
        || (way.knows_the_sea() && !comes_after_landing(claim, way));
    let delivers = claim.laden == Some(true) && at_customer && inbound && !early;
    (delivers && !comes_back_to_port(claim, way, moves)).then_some(EventName::Delivered)
}

/// Whether a 214 tells it, which cannot say of a gate whether the box goes through it laden.
pub(super) fn is_by_trucker(claim: &Claim<'_>) -> bool {
    claim.report.source_kind == SourceKind::X12_214
}

/// Whether a truck that was elsewhere with the box is back at the port of discharge: a trucker tells of the empty that he
/// returns in the words of a delivery, and not that it is empty. What came straight from the port, or from a yard where it
/// stood, stays a delivery: the customer may be in that town.
pub(super) fn comes_back_to_port(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    let Some(stop) = way.sea.discharge() else {
        return false;
    };
    let area = stop.acts().find_map(|sight| sight.claim.area);
    let in_area = claim.area.is_some() && claim.area == area;
    if claim.place != Some(stop.place) && !in_area {
        return false;
    }
    let earlier = || {
        let by_truck = moves
            .iter()
            .filter(|o| o.is_actual() && o.is_by(Mode::Truck));
        by_truck.filter(|other| other.at < claim.at && comes_after_landing(other, way))
    };
    let elsewhere = |other: &Claim<'_>| match other.place {
        Some(place) => place != stop.place,
        None => other.report.place.name.is_some(),
    };
    let left_port_before = |other: &Claim<'_>| {
        earlier().any(|gate| {
            gate.verb == Verb::GateOut
                && gate.place == Some(stop.place)
                && gate.at < other.at
                && !is_one_happening(gate, other)
        })
    };
    earlier()
        .filter(|other| elsewhere(other))
        .any(|other| match other.verb {
            Verb::Dropoff | Verb::Arrive => {
                other.facility() == Some(FacilityType::CustomerLocation)
            }
            Verb::GateOut => left_port_before(other) && !stood_in_a_yard(other, way, moves),
            _ => false,
        })
}

/// Whether the last that was told of the town before is that the goods came in there through a gate.
fn stood_in_a_yard(exit: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    let told = moves.iter().filter(|other| match other.verb {
        Verb::GateIn => other.laden.is_some(),
        Verb::GateOut | Verb::Dropoff | Verb::Strip => !is_one_happening(other, exit),
        _ => false,
    });
    let before = told.filter(|other| {
        other.is_actual()
            && other.latest() < exit.at
            && comes_after_landing(other, way)
            && is_one_town(other, exit)
    });
    before
        .max_by_key(|last| last.at)
        .is_some_and(|last| last.verb == Verb::GateIn && last.laden == Some(true))
}

/// What leaves the customer it was delivered to is the empty, whoever does not say so. What came there empty leaves laden.
fn leaves_customer(claim: &Claim<'_>, moves: &[Claim<'_>]) -> bool {
    moves.iter().any(|other| {
        other.is_actual()
            && other.verb == Verb::Dropoff
            && other.facility() == Some(FacilityType::CustomerLocation)
            && other.laden != Some(false)
            && other.report.source == claim.report.source
            && other.latest() < claim.at
            && is_one_town(other, claim)
    })
}

/// Two places that nobody names are not one.
fn is_one_town(a: &Claim<'_>, b: &Claim<'_>) -> bool {
    let names = (a.report.place.name.as_deref()).zip(b.report.place.name.as_deref());
    match (a.place, b.place) {
        (None, None) => names.is_some_and(|(a, b)| is_one_name(a, b)),
        (there, here) => there == here,
    }
}

/// Empties go out at the beginning of a journey only.
fn goes_out_empty(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    let before_sea = way.aboard_since.is_none_or(|since| claim.at <= since);
    before_sea && !comes_after_landing(claim, way) && !came_back(claim, moves)
}

/// The goods went out and the empty came back before: what leaves now is the next trip's.
fn came_back(claim: &Claim<'_>, moves: &[Claim<'_>]) -> bool {
    let before = |other: &&Claim<'_>| other.is_actual() && other.at < claim.at;
    let back = moves
        .iter()
        .filter(before)
        .filter(|other| other.verb == Verb::GateIn && other.laden == Some(false))
        .map(|other| other.at)
        .max();
    back.is_some_and(|back| {
        moves.iter().filter(before).any(|other| {
            other.verb == Verb::GateOut && other.laden == Some(true) && other.at < back
        })
    })
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
        return at_terminal || claim.hint.is_some_and(MoveHint::is_import);
    }
    let exporting = way.aboard_since.is_some_and(|since| claim.latest() < since);
    let at_port = at_discharge(claim, way) && !is_long_before_landing(claim, way);
    !exporting && (comes_after_landing(claim, way) || at_port)
}

/// A landing is told late, and a ship comes early, by less.
const BEFORE_LANDING_MAX: SignedDuration = SignedDuration::from_hours(24 * 5);

/// So long before its ship that a landing which was told late does not explain it: of another visit, or a slip of the pen.
fn is_long_before_landing(claim: &Claim<'_>, way: &Way<'_>) -> bool {
    let Some(landed) = way.landed_since else {
        return false;
    };
    let came = way.expected_ashore().map_or(landed, |due| due.min(landed));
    let from = came.checked_sub(BEFORE_LANDING_MAX);
    from.is_ok_and(|from| claim.latest() < from)
}

/// From a ramp to which a train brought it, while another train is still to take it further: a truck carries it to the
/// other railroad, and nobody has collected it. Somebody has when it is unpacked or comes back empty from there.
fn goes_across_town(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    // A waybill names the end of the way as well, unless a train was told to have reached it here.
    let is_billed_further = claim.hint == Some(MoveHint::Onward)
        && is_railroad(claim.report.source_kind)
        && (claim.area.is_none() || claim.area != way.destination_area);
    let further = is_billed_further
        || last_call(way, moves).is_some_and(|call| {
            let ahead = call.latest() > claim.latest();
            let late = !call.is_actual() && !is_forgotten(call, claim.at);
            call.is_by(Mode::Rail) && call.area != claim.area && (ahead || late)
        });
    if !further || at_discharge(claim, way) {
        return false;
    }
    let actual = || moves.iter().filter(|other| other.is_actual());
    let brought = actual().any(|other| {
        other.is_by(Mode::Rail)
            && matches!(other.verb, Verb::Arrive | Verb::Discharge | Verb::GateIn)
            && other.laden != Some(false)
            && other.area.is_some()
            && other.area == claim.area
            && other.at <= claim.latest()
            && comes_after_landing(other, way)
    });
    let since = actual()
        .filter(|other| other.is_by(Mode::Rail) && other.laden != Some(false))
        .map(|other| other.at)
        .max();
    let unpacked = actual().any(|other| {
        let emptied = (other.laden == Some(false) && other.verb == Verb::GateIn)
            || matches!(other.verb, Verb::Strip | Verb::Dropoff);
        emptied && other.at > claim.at && since.is_none_or(|since| other.at > since)
    });
    brought && !unpacked
}

pub(super) fn at_discharge(claim: &Claim<'_>, way: &Way<'_>) -> bool {
    claim.place.is_some() && claim.place == way.sea.discharge().map(|stop| stop.place)
}

pub(super) fn comes_after_landing(claim: &Claim<'_>, way: &Way<'_>) -> bool {
    way.landed_since
        .is_some_and(|landed| claim.latest() >= landed)
}

fn had_left(claim: &Claim<'_>, moves: &[Claim<'_>]) -> bool {
    exits_before(claim, moves).next().is_some()
}

/// Into the yard that it left, after an exam elsewhere: later it is another journey's.
fn comes_back(claim: &Claim<'_>, moves: &[Claim<'_>]) -> bool {
    let is_back = |exit: &Claim<'_>| {
        exit.latest() <= claim.at && claim.at.duration_since(exit.at) <= BACK_WITHIN
    };
    claim.hint != Some(MoveHint::Export) && exits_before(claim, moves).any(is_back)
}

/// Laden departures by road from the same place.
fn exits_before<'m, 'a>(
    claim: &'m Claim<'a>,
    moves: &'m [Claim<'a>],
) -> impl Iterator<Item = &'m Claim<'a>> {
    moves.iter().filter(|other| {
        other.is_actual()
            && other.verb == Verb::GateOut
            && other.laden == Some(true)
            && matches!(other.mode, Some(Mode::Truck) | None)
            && other.hint != Some(MoveHint::Export)
            && other.place == claim.place
            && other.at <= claim.latest()
    })
}

/// After discharge: a yard that is not the terminal the box was discharged at.
fn is_other_yard(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    let Some(stop) = way.sea.discharge() else {
        return false;
    };
    if is_by_trucker(claim) && comes_back_to_port(claim, way, moves) {
        return false;
    }
    if claim.place.is_some_and(|place| place != stop.place)
        || claim.facility() == Some(FacilityType::OffDock)
    {
        return true;
    }
    let landed_at = stop
        .discharge
        .and_then(|sight| sight.claim.report.place.facility_code.as_deref());
    let gate = claim.report.place.facility_code.as_deref();
    if let (Some(landed_at), Some(gate)) = (landed_at, gate) {
        return landed_at != gate || comes_back(claim, moves);
    }
    // A gate that tells only of imports, or a box that had left before.
    let told =
        claim.report.source_kind == SourceKind::Codeco && claim.hint == Some(MoveHint::Import);
    told || had_left(claim, moves)
}

/// How the box left a yard off the dock, where it had been taken after it left the terminal.
pub(crate) struct YardGate<'m, 'a> {
    /// When it was taken there.
    since: Option<Timestamp>,
    /// Laden departures that say which gate they are of.
    known: Vec<&'m Claim<'a>>,
}

impl<'m, 'a> YardGate<'m, 'a> {
    pub(crate) fn of(way: &Way<'_>, moves: &'m [Claim<'a>]) -> Self {
        let known = moves.iter().filter(|claim| {
            claim.is_actual()
                && claim.verb == Verb::GateOut
                && claim.laden == Some(true)
                && comes_after_landing(claim, way)
                && names_its_gate(claim)
        });
        Self {
            since: in_the_yard_since(way, moves),
            known: known.collect(),
        }
    }

    /// Whether this departure is of the yard. Where nobody told that the box came there, one that does not say which gate it is of
    /// is of the one that is nearest in time.
    pub(crate) fn is_of(&self, claim: &Claim<'_>) -> bool {
        let is_of_yard = |claim: &Claim<'_>| claim.facility() == Some(FacilityType::OffDock);
        if is_of_yard(claim) || self.since.is_some_and(|since| claim.at >= since) {
            return true;
        }
        if names_its_gate(claim) {
            return false;
        }
        let away = |gate: &Claim<'_>| gate.at.duration_since(claim.at).abs();
        let of_town = || self.known.iter().filter(|gate| gate.place == claim.place);
        let nearest = of_town().min_by_key(|gate| (away(gate), is_of_yard(gate)));
        let knows_terminal = of_town().any(|gate| !is_of_yard(gate));
        nearest.is_some_and(|gate| {
            let is_near = if knows_terminal {
                is_one_happening(gate, claim)
            } else {
                away(gate) <= ONE_GATE_MAX
            };
            is_of_yard(gate) && is_near
        })
    }
}

/// Whether it says of which gate it is.
fn names_its_gate(claim: &Claim<'_>) -> bool {
    claim.facility().is_some() || claim.report.place.facility_code.is_some()
}

/// When the box was taken to a yard off the dock, by the source that stands nearest to its gate.
fn in_the_yard_since(way: &Way<'_>, moves: &[Claim<'_>]) -> Option<Timestamp> {
    let taken_there = |claim: &&Claim<'_>| {
        claim.is_actual()
            && claim.verb == Verb::GateIn
            && claim.laden == Some(true)
            && !matches!(claim.mode, Some(Mode::Rail | Mode::Barge))
            && comes_after_landing(claim, way)
            && is_other_yard(claim, way, moves)
    };
    let told = moves.iter().filter(taken_there);
    let nearest = told.min_by(|a, b| order(EventName::FullIn, a, b))?;
    Some(nearest.latest())
}
