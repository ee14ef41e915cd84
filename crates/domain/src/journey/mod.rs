//! Which way a box goes: port of lading, transshipments, port of discharge, inland destination.
//!
//! A report says "discharged at Algeciras"; whether the world is told `vessel_discharged` or
//! `transshipment_discharged` depends on the way of the box, which no single report tells. So the way is
//! built first, from all reports together (planned, estimated and actual), in three steps:
//!
//! 1. `calls` gathers what is said about each port into a `stop`, and puts them in order;
//! 2. `legs` decides which part each stop plays, and which ships the box is not aboard;
//! 3. `inland` finds where the way goes after the port of discharge.
//!
//! Then `classify` gives each actual move its public name. A lone report has no way around it: an arrival is
//! then taken for the arrival, a loading for the loading, and the name is put right when more is known.

pub(crate) mod calls;
pub(crate) mod classify;
pub(crate) mod inland;
pub(crate) mod legs;
pub(crate) mod stop;

use jiff::Timestamp;

use crate::codes::UnLocode;
use crate::container::Vessel;
use crate::place::Gazetteer;
use crate::report::{Mode, Verb};
use crate::timeline::claims::Claim;

use inland::ARRIVAL_DRIFT_MAX;
use legs::SeaWay;
use stop::Stop;

/// The way of one box, as far as reports tell it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journey {
    /// Port of lading: where it is loaded on the first sea vessel.
    pub port_of_lading: Option<UnLocode>,
    /// Terminal there (our code).
    pub port_of_lading_terminal: Option<String>,
    /// Ports between, in order.
    pub transshipments: Vec<UnLocode>,
    /// Port of discharge: where the last sea vessel leaves it.
    pub port_of_discharge: Option<UnLocode>,
    /// Inland destination; `None` when the way ends at the port of discharge.
    pub destination: Option<UnLocode>,
    /// Terminal or ramp there (our code).
    pub destination_terminal: Option<String>,
    /// Vessel that brings it to the port of discharge.
    pub pod_vessel: Option<Vessel>,
}

/// The way of a box with the moves it was read from, for the rules that need both.
#[derive(Debug)]
pub(crate) struct Way<'a> {
    pub sea: SeaWay<'a>,
    /// First actual lift or departure that put it to sea.
    pub aboard_since: Option<Timestamp>,
    /// First actual discharge (else arrival, else leaving by land) at the port of discharge.
    pub landed_since: Option<Timestamp>,
    /// Where it goes inland, canonical.
    pub destination: Option<UnLocode>,
    /// The metropolitan area around it, else itself: a railroad names a ramp of the city that the line names.
    pub destination_area: Option<UnLocode>,
    /// Whether a customer's door, reached by truck, is that destination.
    pub ends_at_door: bool,
}

impl<'a> Way<'a> {
    pub fn of(moves: &[Claim<'a>]) -> Self {
        let sea = SeaWay::of(moves);
        let mut way = Self {
            aboard_since: aboard_since(&sea),
            landed_since: landed_since(&sea, moves),
            sea,
            destination: None,
            destination_area: None,
            ends_at_door: false,
        };
        if let Some(last) = inland::last_call(&way, moves) {
            way.destination = last.place;
            way.destination_area = last.area;
            way.ends_at_door = last.is_by(Mode::Truck);
        }
        way
    }

    /// When it is first expected at the port of discharge; the actual where there is one.
    pub fn expected_ashore(&self) -> Option<Timestamp> {
        expected_ashore(&self.sea)
    }

    /// When it is expected there by the last of what is planned.
    pub fn expected_ashore_at_last(&self) -> Option<Timestamp> {
        sights_ashore(&self.sea).max()
    }

    /// Whether anything at all is known of the sea.
    pub fn knows_the_sea(&self) -> bool {
        !self.sea.stops.is_empty()
    }

    /// The public description of this way.
    pub fn journey(&self, moves: &[Claim<'a>], gazetteer: &Gazetteer) -> Journey {
        let lading = self.sea.lading();
        let discharge = self.sea.discharge();
        Journey {
            port_of_lading: lading.map(|stop| stop.place),
            port_of_lading_terminal: lading.and_then(|stop| terminal_of(stop, gazetteer)),
            transshipments: self
                .sea
                .playing(legs::Part::Transshipment)
                .map(|stop| stop.place)
                .collect(),
            port_of_discharge: discharge.map(|stop| stop.place),
            destination: self.destination,
            destination_terminal: inland::last_call(self, moves)
                .and_then(|claim| terminal(claim, gazetteer)),
            pod_vessel: discharge.and_then(|stop| vessel_into(stop, self.sea.last_hub())),
        }
    }
}

/// Our code of the terminal that a claim names.
pub(crate) fn terminal(claim: &Claim<'_>, gazetteer: &Gazetteer) -> Option<String> {
    let place = &claim.report.place;
    let found = gazetteer.terminal_at(place.locode?, place.facility_code.as_deref()?)?;
    Some(found.code.clone())
}

/// The vessel that a claim names.
pub(crate) fn vessel(claim: &Claim<'_>) -> Option<Vessel> {
    let leg = &claim.report.leg;
    (leg.vessel_imo.is_some() || leg.vessel_name.is_some()).then(|| Vessel {
        imo: leg.vessel_imo,
        name: leg.vessel_name.clone(),
    })
}

fn terminal_of(stop: &Stop<'_>, gazetteer: &Gazetteer) -> Option<String> {
    [&stop.load, &stop.depart]
        .into_iter()
        .flatten()
        .find_map(|sight| terminal(&sight.claim, gazetteer))
}

/// The vessel that brings the box to this stop from the last hub.
fn vessel_into(stop: &Stop<'_>, hub: Option<&Stop<'_>>) -> Option<Vessel> {
    let sights = [&stop.discharge, &stop.arrive].into_iter().flatten();
    let mut named = sights.map(|sight| sight.claim);
    let told = named.find(|claim| vessel(claim).is_some())?;
    let other = hub.filter(|from| !told.is_actual() && from.took_on_since(&told));
    let load = other.and_then(|from| from.load.as_ref()?.named());
    vessel(&load.unwrap_or(told))
}

fn aboard_since(sea: &SeaWay<'_>) -> Option<Timestamp> {
    sea.stops
        .iter()
        .filter(|(_, part)| matches!(part, legs::Part::Lading | legs::Part::Transshipment))
        .flat_map(|(stop, _)| [&stop.load, &stop.depart])
        .flatten()
        .filter(|sight| sight.is_actual() && sight.claim.verb != Verb::Arrive)
        .map(|sight| sight.claim.latest())
        .min()
}

fn expected_ashore(sea: &SeaWay<'_>) -> Option<Timestamp> {
    sights_ashore(sea).min()
}

fn sights_ashore(sea: &SeaWay<'_>) -> impl Iterator<Item = Timestamp> {
    let stop = sea.discharge().into_iter();
    let sights = stop.flat_map(|stop| [&stop.arrive, &stop.discharge]);
    sights.flatten().map(|sight| sight.claim.at)
}

fn landed_since(sea: &SeaWay<'_>, moves: &[Claim<'_>]) -> Option<Timestamp> {
    let stop = sea.discharge()?;
    [&stop.discharge, &stop.arrive]
        .into_iter()
        .flatten()
        .find(|sight| sight.is_actual())
        .map(|sight| sight.claim.at)
        .or_else(|| left_by_land(sea, stop.place, moves))
}

/// Where nobody told of the landing: the first move by which goods that were at sea leave the port by land.
fn left_by_land(sea: &SeaWay<'_>, port: UnLocode, moves: &[Claim<'_>]) -> Option<Timestamp> {
    let aboard = aboard_since(sea)?;
    // Not what a feed tells of the steel while the goods are still far off.
    let due = expected_ashore(sea).and_then(|at| at.checked_sub(ARRIVAL_DRIFT_MAX).ok());
    let earliest = due.map_or(aboard, |due| due.max(aboard));
    let leaves = |claim: &&Claim<'_>| {
        let away = matches!(claim.verb, Verb::Load | Verb::Depart | Verb::GateOut);
        let by_land = !matches!(claim.mode, Some(Mode::Vessel));
        claim.is_actual()
            && away
            && by_land
            && claim.laden != Some(false)
            && claim.place == Some(port)
            && claim.at > earliest
    };
    moves.iter().filter(leaves).map(|claim| claim.at).min()
}
