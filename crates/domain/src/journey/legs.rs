//! Which stop plays which part: port of lading, transshipment, port of discharge, or none.
//!
//! The plan that a carrier publishes and the moves that happened are read together; a marker of the source
//! beats inference. The rules that keep a journey honest:
//!
//! * A vessel's stop is not the box's. A port where the ship called and the box stayed aboard plays no part:
//!   a part needs a load or discharge there, a change of vessel, or a marker.
//! * A box that is discharged twice was loaded between. Where nobody says so and both name one vessel, one
//!   of the two is an old plan (a change of destination): the actual stands, else the newer issue. The same
//!   holds of two ports that plans call the port of discharge, before anybody plans a lift.
//! * While a stop further on is still expected on another vessel, a discharge does not end the way. Calling a
//!   hub the port of discharge would be a false arrival, the one mistake nobody forgives. Proof of import (it
//!   left through the gate, or a railroad took it) ends the way.
//! * A box is aboard one vessel. A ship that was to take it and left without it (a roll) brings it nowhere. What is said of
//!   the ship for a whole bill is not of a box that came into the port when it was gone, or is to go with a later one.

use jiff::Timestamp;

use super::calls;
use super::stop::{Sight, Stop};
use crate::codes::UnLocode;
use crate::report::{Mode, MoveHint, SourceKind, Verb};
use crate::timeline::claims::{Claim, Ship, is_railroad};
use crate::timeline::milestones::is_one_happening;
use crate::timeline::trip::names;

/// The part of a stop in the way of the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Lading,
    Transshipment,
    Discharge,
    /// The vessel stopped, the box did not.
    Through,
}

/// The way at sea.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeaWay<'a> {
    pub stops: Vec<(Stop<'a>, Part)>,
    /// Vessels that left without the box.
    missed: Vec<Ship<'a>>,
}

impl<'a> SeaWay<'a> {
    pub fn of(moves: &[Claim<'a>]) -> Self {
        let mut stops = calls::stops(moves);
        let mut missed = missed_vessels(&stops);
        missed.extend(sailed_without_it(moves));
        if !missed.is_empty() {
            let missed_it =
                |claim: &Claim<'a>| claim.ship.is_some_and(|ship| ship.is_among(&missed));
            let kept: Vec<Claim<'a>> = moves.iter().filter(|c| !missed_it(c)).copied().collect();
            stops = calls::stops(&kept);
        }
        let parts = parts(&stops, moves);
        Self {
            stops: stops.into_iter().zip(parts).collect(),
            missed,
        }
    }

    pub fn at(&self, place: UnLocode) -> Option<&(Stop<'a>, Part)> {
        self.stops.iter().find(|(stop, _)| stop.place == place)
    }

    pub fn lading(&self) -> Option<&Stop<'a>> {
        self.playing(Part::Lading).next()
    }

    pub fn discharge(&self) -> Option<&Stop<'a>> {
        self.playing(Part::Discharge).next()
    }

    /// Where the box is loaded on the ship that brings it to the end.
    pub fn last_loading(&self) -> Option<&Stop<'a>> {
        let end = self
            .stops
            .iter()
            .position(|(_, part)| *part == Part::Discharge)?;
        self.loadings_before(end).next()
    }

    /// The same where it is a hub. A load at the port of lading may be a feeder's, whose hub nobody told of yet.
    pub fn last_hub(&self) -> Option<&Stop<'a>> {
        let from = self.last_loading()?;
        let mut hubs = self.playing(Part::Transshipment);
        hubs.find(|hub| hub.place == from.place)
    }

    /// Where the box is loaded on the way to this stop, the last first.
    fn loadings_before(&self, index: usize) -> impl Iterator<Item = &Stop<'a>> {
        let before = self.stops.iter().take(index).rev();
        before
            .filter(|(_, part)| matches!(part, Part::Lading | Part::Transshipment))
            .map(|(stop, _)| stop)
    }

    pub fn playing(&self, wanted: Part) -> impl Iterator<Item = &Stop<'a>> {
        self.stops
            .iter()
            .filter(move |(_, part)| *part == wanted)
            .map(|(stop, _)| stop)
    }

    /// Whether a call is of a vessel that the box is not, or will not be, aboard at this stop.
    pub fn is_other_vessel(&self, claim: &Claim<'a>) -> bool {
        let Some(ship) = claim.ship else {
            return false;
        };
        if ship.is_among(&self.missed) {
            return true;
        }
        let Some(place) = claim.place else {
            return false;
        };
        let Some(index) = self.stops.iter().position(|(stop, _)| stop.place == place) else {
            return false;
        };
        let stop = self.stops.get(index).map(|(stop, _)| stop);
        let out = stop.and_then(Stop::outbound);
        let inbound = self.aboard_into(index);
        // Put ashore, and no word of what takes it on: not what brought it.
        let is_ashore = stop.is_some_and(|stop| {
            stop.load.is_none() && stop.discharge.is_some_and(|sight| sight.is_actual())
        });
        let brought = stop.and_then(Stop::inbound).filter(|_| is_ashore);
        let is = |ship_of: Option<Ship<'a>>| ship_of.is_some_and(|other| other.is(ship));
        let is_not = |ship_of: Option<Ship<'a>>| ship_of.is_some_and(|other| other.differs(ship));
        match claim.verb {
            Verb::Arrive | Verb::Berth | Verb::Eta => is(out) && is_not(inbound),
            Verb::Depart => (is(inbound) && (is_not(out) || is_ashore)) || is(brought),
            _ => false,
        }
    }

    /// Whether a claim that names no place may tell of a call or a discharge on the way: there is a hub, and its ship is not known
    /// to bring the box to the end and to no hub.
    pub fn may_be_at_a_hub(&self, claim: &Claim<'a>) -> bool {
        let comes_in = matches!(claim.verb, Verb::Arrive | Verb::Berth | Verb::Discharge);
        let brings = |stop: &Stop<'a>| {
            let both = claim.ship.zip(stop.inbound());
            both.is_some_and(|(ship, inbound)| inbound.is(ship))
        };
        let mut hubs = self.playing(Part::Transshipment).peekable();
        comes_in
            && hubs.peek().is_some()
            && (hubs.any(brings) || !self.discharge().is_some_and(brings))
    }

    /// The vessel that brings the box to a stop: the one it was loaded on before.
    fn aboard_into(&self, index: usize) -> Option<Ship<'a>> {
        self.loadings_before(index).find_map(Stop::outbound)
    }
}

/// Vessels named for loading or leaving where the box was loaded on another one.
fn missed_vessels<'a>(stops: &[Stop<'a>]) -> Vec<Ship<'a>> {
    let lifted: Vec<Ship<'a>> = stops
        .iter()
        .flat_map(|stop| [&stop.load, &stop.discharge])
        .flatten()
        .filter(|sight| sight.is_actual())
        .filter_map(Sight::ship)
        .collect();
    stops
        .iter()
        .filter_map(|stop| Some((stop, stop.load.filter(Sight::is_actual)?.ship()?)))
        .flat_map(|(stop, taken_by)| {
            let brought = |ship: &Ship<'a>| stop.changes_ship() && ship.is_among(&stop.brought_by);
            let left = stop.leaving.iter().copied();
            left.filter(move |ship| ship.differs(taken_by) && !brought(ship))
        })
        .filter(|ship| !ship.is_among(&lifted))
        .collect()
}

/// Ships whose departure is told, and not of this box: its own word is that it was still ashore, or is to go with another.
fn sailed_without_it<'a>(moves: &[Claim<'a>]) -> Vec<Ship<'a>> {
    let departures = moves
        .iter()
        .filter(|claim| claim.is_actual() && claim.verb == Verb::Depart && is_of_the_ship(claim));
    departures
        .filter(|departure| is_left_behind(departure, moves))
        .filter_map(|departure| departure.ship)
        .collect()
}

/// What a ship does is told for all that is aboard, and what is done with the box for the box. A transport event of DCSA is the
/// ship's, be it that it names boxes.
pub(crate) fn is_of_the_ship(claim: &Claim<'_>) -> bool {
    let is_call = matches!(claim.verb, Verb::Depart | Verb::Arrive);
    let is_dcsa = matches!(
        claim.report.source_kind,
        SourceKind::Dcsa2 | SourceKind::Dcsa3
    );
    claim.is_by(Mode::Vessel) && (claim.report.equipment.is_none() || (is_call && is_dcsa))
}

fn is_left_behind(departure: &Claim<'_>, moves: &[Claim<'_>]) -> bool {
    let (Some(ship), Some(port)) = (departure.ship, departure.place) else {
        return false;
    };
    let is_it = |claim: &Claim<'_>| claim.ship.is_some_and(|other| other.is(ship));
    let own = || {
        let named = moves.iter().filter(|c| c.report.equipment.is_some());
        named.filter(|claim| !is_of_the_ship(claim))
    };
    let at_sea = |claim: &Claim<'_>| claim.is_by(Mode::Vessel) && claim.laden != Some(false);
    let was_at_sea = own().any(|claim| {
        let lands = claim.verb == Verb::Discharge && claim.place == Some(port);
        at_sea(claim) && (lands || (claim.is_actual() && claim.at <= departure.latest()))
    });
    let came_with_it = moves.iter().any(|claim| {
        let leaves = matches!(claim.verb, Verb::Load | Verb::Depart);
        leaves && is_it(claim) && claim.place != Some(port) && claim.at < departure.at
    });
    let aboard_it = own().any(|claim| claim.is_actual() && is_it(claim));
    let goes_on = moves.iter().any(|claim| {
        let comes = matches!(claim.verb, Verb::Arrive | Verb::Discharge | Verb::Eta);
        comes && at_sea(claim) && claim.place != Some(port) && claim.at > departure.at
    });
    // The time was a mistake, or it is a ship that comes by every week.
    let sails_again = moves.iter().any(|claim| {
        let leaves = claim.is_actual() && claim.verb == Verb::Depart && claim.place == Some(port);
        leaves && is_it(claim) && claim.at > departure.latest()
    });
    if came_with_it || aboard_it || sails_again || !goes_on {
        return false;
    }
    // What came to a hub by sea waits there only where its own word is that it was put ashore.
    let waits_at_hub = own().any(|claim| {
        let landed = claim.is_actual() && claim.verb == Verb::Discharge && at_sea(claim);
        landed && claim.place == Some(port) && claim.at <= departure.latest()
    });
    let loads = || own().filter(|c| c.verb == Verb::Load && at_sea(c) && c.place == Some(port));
    let meant = loads().filter(|c| is_it(c)).map(|c| c.report.issued_at());
    let meant = meant.max();
    let is_to_go_with_another = loads().any(|load| {
        load.at > departure.latest()
            && load.ship.is_some_and(|other| other.differs(ship))
            && meant.is_none_or(|meant| meant < load.report.issued_at())
    });
    ((!was_at_sea || waits_at_hub) && is_to_go_with_another)
        || (!was_at_sea && own().any(|claim| comes_in_after(claim, departure)))
}

/// Whether the box came into the port when the ship was gone.
fn comes_in_after(claim: &Claim<'_>, departure: &Claim<'_>) -> bool {
    claim.is_actual()
        && claim.verb == Verb::GateIn
        && claim.laden == Some(true)
        && claim.hint != Some(MoveHint::Transshipment)
        && !claim.hint.is_some_and(MoveHint::is_import)
        && claim.place == departure.place
        && claim.at > departure.latest()
        && !is_one_happening(claim, departure)
}

fn parts(stops: &[Stop<'_>], moves: &[Claim<'_>]) -> Vec<Part> {
    let start = start(stops);
    let end = end(stops, start, moves);
    let before_end = |index: usize| end.is_none_or(|end| index < end);
    let after_start = |index: usize| start.is_none_or(|start| index > start);
    stops
        .iter()
        .enumerate()
        .map(|(index, stop)| {
            if start == Some(index) {
                Part::Lading
            } else if end == Some(index) {
                Part::Discharge
            } else if after_start(index)
                && before_end(index)
                && !stop.misplaced
                && takes_part(stop, stops.get(index + 1..).unwrap_or_default())
            {
                Part::Transshipment
            } else {
                Part::Through
            }
        })
        .collect()
}

/// Between the ends: does the box leave its ship here? What was planned here counts until facts lie behind it.
fn takes_part(stop: &Stop<'_>, later: &[Stop<'_>]) -> bool {
    let awaited = is_awaited(stop, later);
    let counts = |sight: &&Sight<'_>| awaited || sight.is_actual();
    let discharge = stop.discharge.filter(|_| !is_discharged_later(stop, later));
    let lifts = [&stop.load, &discharge].into_iter().flatten();
    let marked = stop.acts().filter(|sight| sight.transshipment);
    if lifts.chain(marked).any(|sight| counts(&sight)) {
        return true;
    }
    let brought_by = stop.inbound();
    let landed = later.iter().filter_map(|stop| stop.discharge);
    let mut landed_by = landed.filter(Sight::is_actual).filter_map(|s| s.ship());
    if brought_by.is_some_and(|ship| landed_by.any(|by| by.is(ship))) {
        return false;
    }
    let onward = stop
        .outbound()
        .or_else(|| later.iter().find_map(Stop::inbound));
    matches!((brought_by, onward), (Some(a), Some(b)) if a.differs(b))
}

/// A discharge that is only planned, of which a plan or its ship's doing says now that it is further on: nobody loads between.
fn is_discharged_later(stop: &Stop<'_>, later: &[Stop<'_>]) -> bool {
    let planned = stop.discharge.is_some_and(|sight| !sight.is_actual());
    let mut next = later.iter().filter(|next| next.discharge.is_some());
    planned && stop.load.is_none() && next.any(|next| one_vessel(stop, next))
}

/// Whether nothing happened behind the stop yet. A ship that only came there may not have the box aboard, where another
/// one is to take it from here.
fn is_awaited(stop: &Stop<'_>, later: &[Stop<'_>]) -> bool {
    let happened = later.iter().flat_map(Stop::acts).filter(|s| s.is_actual());
    let mut happened = happened.map(|sight| sight.claim.verb);
    let lift = |verb| matches!(verb, Verb::Load | Verb::Discharge);
    !happened.any(|verb| stop.load.is_none() || lift(verb))
}

/// Where the way begins: the first load that is no transshipment, else the first departure.
fn start(stops: &[Stop<'_>]) -> Option<usize> {
    let mut loads = stops
        .iter()
        .enumerate()
        .filter(|(_, stop)| stop.only_loads() && !stop.misplaced && !is_on_the_way(stop))
        .filter(|(index, stop)| !is_old_origin(stops, *index, stop));
    let load = loads.next();
    let mut departures = stops.iter().enumerate().filter(|(_, stop)| {
        stop.load.is_none()
            && stop.discharge.is_none()
            && stop.depart.is_some()
            && !stop.changes_ship()
            && !is_on_the_way(stop)
    });
    match (load, departures.next()) {
        (Some((index, loaded)), Some((first, departed))) => {
            let vessels = (departed.outbound(), loaded.outbound());
            let other = matches!(vessels, (Some(a), Some(b)) if a.differs(b));
            Some(if first < index && other { first } else { index })
        }
        (Some((index, _)), None) => Some(index),
        (None, departure) => departure.map(|(index, _)| index),
    }
}

/// Whether anybody says that the way goes on from here.
fn is_on_the_way(stop: &Stop<'_>) -> bool {
    stop.is_marked_transshipment() || stop.is_before_a_named_end()
}

/// A planned loading that another port's loading took the place of, with no discharge between.
fn is_old_origin(stops: &[Stop<'_>], index: usize, stop: &Stop<'_>) -> bool {
    let Some(load) = stop.load.filter(|load| !load.is_actual()) else {
        return false;
    };
    let mut later = stops.iter().skip(index + 1).filter(|s| s.only_loads());
    later.any(|next| {
        next.load.is_some_and(|other| {
            let one_vessel = matches!((load.ship(), other.ship()), (Some(a), Some(b)) if a.is(b));
            !other.transshipment
                && (other.is_actual() || (one_vessel && other.issued > load.issued))
        })
    })
}

/// Where the way ends: the last stop that looks like an end, else the last one that a ship of the box comes to.
fn end(stops: &[Stop<'_>], start: Option<usize>, moves: &[Claim<'_>]) -> Option<usize> {
    let mut end: Option<usize> = None;
    let mut passed: Option<usize> = None;
    for (index, stop) in stops.iter().enumerate() {
        if start.is_some_and(|start| index <= start) || !may_end(stop, moves) {
            continue;
        }
        if stop.discharge.is_none() && stop.depart.is_some() {
            passed = Some(index);
        } else if end
            .and_then(|e| stops.get(e))
            .is_none_or(|e| goes_on(e, stop, moves))
        {
            end = Some(index);
        }
    }
    let both = end.zip(passed);
    let both = both.and_then(|(ends, passes)| stops.get(ends).zip(stops.get(passes)));
    match both {
        Some((here, next)) if only_called_before(here, next, moves) => passed,
        _ => end.or(passed),
    }
}

/// The ship called here without a word of the box and came to `next` since: that it has left from there makes this no end.
fn only_called_before(here: &Stop<'_>, next: &Stop<'_>, moves: &[Claim<'_>]) -> bool {
    let came = |stop: &Stop<'_>| {
        stop.arrive
            .filter(Sight::is_actual)
            .map(|seen| seen.claim.at)
    };
    let is_before = matches!((came(here), came(next)), (Some(here), Some(next)) if here < next);
    here.discharge.is_none() && is_before && one_vessel(here, next) && !is_left_here(here, moves)
}

fn may_end(stop: &Stop<'_>, moves: &[Claim<'_>]) -> bool {
    let sails_on = stop.load.is_some() || stop.changes_ship() || stop.is_marked_transshipment();
    (stop.discharge.is_some() || stop.arrive.is_some())
        && !stop.misplaced
        && (!sails_on || ends_here_after_all(stop, moves))
        && (!stop.is_before_a_named_end() || has_left_the_way(stop, moves))
}

/// A message named an end further on, and the goods left for import here: what it named is old.
fn has_left_the_way(stop: &Stop<'_>, moves: &[Claim<'_>]) -> bool {
    is_left_here(stop, moves) || ends_here_after_all(stop, moves)
}

/// The plan went on from here and the goods did not (a change of destination). A gate alone is no proof, boxes
/// are driven between the terminals of a hub: it must be called import, or the box be unpacked or back empty.
fn ends_here_after_all(stop: &Stop<'_>, moves: &[Claim<'_>]) -> bool {
    let Some(landed) = stop.discharge.filter(Sight::is_actual) else {
        return false;
    };
    let loaded = stop.load.is_some_and(|load| load.is_actual());
    let proves = |claim: &Claim<'_>| {
        let import = claim.verb == Verb::GateOut && claim.hint.is_some_and(MoveHint::is_import);
        claim.is_actual() && claim.at >= landed.claim.at && (is_unpacking(claim) || import)
    };
    let leaves = |claim: &Claim<'_>| leaves_by_land(claim, stop, landed.claim.at);
    !loaded && moves.iter().any(leaves) && moves.iter().any(proves)
}

fn is_unpacking(claim: &Claim<'_>) -> bool {
    match claim.verb {
        Verb::Strip => true,
        Verb::GateIn => claim.laden == Some(false),
        Verb::Dropoff => claim.laden == Some(true),
        _ => false,
    }
}

/// Only a gate told of the leaving, and its message still named the way on from here: the box was unpacked in this port,
/// and nothing was told of its coming to the next.
fn is_unpacked_short_of(next: &Stop<'_>, here: &Stop<'_>, moves: &[Claim<'_>]) -> bool {
    let unpacked_here = |claim: &Claim<'_>| is_unpacking(claim) && claim.place == Some(here.place);
    let reached = [&next.discharge, &next.arrive];
    let reached = reached.into_iter().flatten().any(Sight::is_actual);
    !reached && moves.iter().any(unpacked_here) && ends_here_after_all(here, moves)
}

/// Whether the way goes on from `here` to `next`, both of which look like its end.
fn goes_on(here: &Stop<'_>, next: &Stop<'_>, moves: &[Claim<'_>]) -> bool {
    let one_vessel = one_vessel(here, next);
    match (&here.discharge, &next.discharge) {
        _ if is_left_here(here, moves) || is_unpacked_short_of(next, here, moves) => false,
        (Some(first), Some(second)) if first.is_actual() && !second.is_actual() => {
            !one_vessel && !first.terminal
        }
        (Some(first), Some(second)) if !first.is_actual() && !second.is_actual() => {
            !one_vessel || second.issued >= first.issued
        }
        (None | Some(_), None) if is_old_end(next, here) => false,
        (Some(first), None) => !one_vessel && !first.terminal,
        (Some(_) | None, Some(_)) | (None, None) => true,
    }
}

/// A port of discharge that a plan named, and a newer plan named another one. Only plans that say which of
/// their ports is the end are compared: a ship is expected at many.
fn is_old_end(old: &Stop<'_>, new: &Stop<'_>) -> bool {
    let ends = (old.arrive.as_ref(), new.arrive.as_ref());
    let (Some(before), Some(after)) = ends else {
        return false;
    };
    let other_vessel = matches!((old.inbound(), new.inbound()), (Some(a), Some(b)) if a.differs(b));
    let named = before.named_end.zip(after.named_end);
    !other_vessel && !before.is_actual() && named.is_some_and(|(before, after)| before < after)
}

/// Proof of import at a stop that the ship reached.
fn is_left_here(here: &Stop<'_>, moves: &[Claim<'_>]) -> bool {
    let reached = [&here.discharge, &here.arrive];
    let reached = reached.into_iter().flatten().find(|s| s.is_actual());
    let left = reached.is_some_and(|sight| left_for_import(here, sight.claim.at, moves));
    left && !goes_over_land(here, moves)
}

/// Whether a ship takes the box on from another port, to which it goes over land: across Panama, or from one sea of Arabia to the
/// other. Who planned that knew of it before the box was landed, or names the papers of the landing: else it is the next export of
/// the steel.
fn goes_over_land(here: &Stop<'_>, moves: &[Claim<'_>]) -> bool {
    let Some(landed) = here.discharge.filter(Sight::is_actual) else {
        return false;
    };
    let papers = &landed.claim.report.references;
    // A port that a ship is to bring the box to is a hub, and its plan an old one.
    let comes_by_sea = |port: UnLocode| {
        moves.iter().any(|claim| {
            matches!(claim.verb, Verb::Arrive | Verb::Discharge)
                && claim.is_by(Mode::Vessel)
                && claim.laden != Some(false)
                && claim.place == Some(port)
        })
    };
    moves.iter().any(|load| {
        let takes_on = load.verb == Verb::Load
            && load.is_by(Mode::Vessel)
            && load.laden != Some(false)
            && load.place.is_some_and(|port| {
                port != here.place && (load.is_actual() || !comes_by_sea(port))
            })
            && load.at > landed.claim.latest();
        let known = load.report.issued_at() <= landed.claim.at;
        takes_on
            && (known
                || names(&load.report.references).any(|name| names(papers).any(|n| n == name)))
    })
}

fn one_vessel(here: &Stop<'_>, next: &Stop<'_>) -> bool {
    matches!((here.inbound(), next.inbound()), (Some(a), Some(b)) if a.is(b))
}

/// Proof that the box entered the country here: it left through the gate laden, or a train took it. A gate of which the
/// message itself names an end further on may be one between the terminals of a hub.
fn left_for_import(stop: &Stop<'_>, since: Timestamp, moves: &[Claim<'_>]) -> bool {
    let leaves = |claim: &Claim<'_>| leaves_by_land(claim, stop, since);
    let onward = |claim: &Claim<'_>| claim.hint == Some(MoveHint::Onward);
    moves.iter().any(|claim| leaves(claim) && !onward(claim))
}

/// Not as export: only a railroad, which calls a cross-town leg so, may mean the goods that came.
fn leaves_by_land(claim: &Claim<'_>, stop: &Stop<'_>, since: Timestamp) -> bool {
    let inland = !matches!(claim.mode, Some(Mode::Vessel | Mode::Barge));
    let leaves = matches!(claim.verb, Verb::GateOut | Verb::Load | Verb::Depart);
    let exported = claim.verb == Verb::GateOut
        && claim.hint == Some(MoveHint::Export)
        && !is_railroad(claim.report.source_kind);
    claim.is_actual()
        && leaves
        && inland
        && !exported
        && claim.laden != Some(false)
        && claim.place == Some(stop.place)
        && claim.latest() >= since
        && claim.hint != Some(MoveHint::Transshipment)
}
