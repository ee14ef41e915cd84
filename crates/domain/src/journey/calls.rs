//! Stops: everything said about the box and its vessel at one port, in the order of the way.
//!
//! A stop is a place, not a visit of a ship: reports of one stop name its vessel in many spellings or not at
//! all, so the vessel cannot tell stops apart, and a box does not come back to a port on one journey.
//!
//! The order of stops comes first from what is done there, and only then from sequence numbers and times.
//! Where a box is only loaded, its way begins; where it is only discharged, it ends; both is between. Wrong
//! times are common and wrong acts are rare, so that one bad clock cannot turn a journey round.

use jiff::{SignedDuration, Timestamp};

use super::stop::{Sight, Stop};
use crate::codes::UnLocode;
use crate::event::EventName;
use crate::report::{Mode, MoveHint, Verb};
use crate::timeline::claims::{Claim, Ship};
use crate::timeline::milestones::is_one_happening;
use crate::timeline::precedence::order;

/// The stops of the sea way in order. Moves of empties are repositioning and shifting is no move: neither
/// counts.
pub(crate) fn stops<'a>(moves: &[Claim<'a>]) -> Vec<Stop<'a>> {
    let mut stops: Vec<Stop<'a>> = Vec::with_capacity(8);
    for claim in moves.iter().filter(|claim| is_sea_call(claim)) {
        let Some(place) = claim.place else { continue };
        if let Some(stop) = stops.iter_mut().find(|stop| stop.place == place) {
            stop.see(claim);
        } else {
            let mut stop = Stop::new(place);
            stop.see(claim);
            stops.push(stop);
        }
    }
    mark_changes_of_ship(&mut stops);
    mark_misplaced(&mut stops);
    for stop in &mut stops {
        stop.fed = is_fed(stop, moves);
    }
    let sequenced = stops.iter().all(|stop| stop.sequence().is_some()) && sequence_fits(&stops);
    let late: Vec<(UnLocode, Timestamp)> = stops
        .iter()
        .filter_map(|stop| Some((stop.place, late_coming_before(stop, &stops)?)))
        .collect();
    stops.sort_by_key(|stop| {
        let sequence = if sequenced { stop.sequence() } else { None };
        let late = late.iter().find(|(place, _)| *place == stop.place);
        let at = late.map_or(stop.at(), |(_, came)| stop.at().max(*came));
        (stop.stage(), sequence, at, late.is_some(), stop.place)
    });
    stops
}

/// How long a time that is over may be an old one of what is still to come; then the plan is a forgotten one.
const LATE_MAX: SignedDuration = SignedDuration::from_hours(24 * 7);

/// Where a stop is only expected, by another ship than the one on which the box sailed, and that one came elsewhere at this time
/// or later: when it came there. The first ship is late, the time of the next is old, and the place lies behind. Where nobody
/// names the ship that comes here, the place lies behind if it did so in somebody's plan.
fn late_coming_before(stop: &Stop<'_>, stops: &[Stop<'_>]) -> Option<Timestamp> {
    if stop.acts().any(Sight::is_actual) {
        return None;
    }
    let is_late = |other: &Stop<'_>| {
        let late = other.at().duration_since(stop.at());
        (SignedDuration::ZERO..=LATE_MAX).contains(&late)
    };
    let came_with = |other: &Stop<'_>, ship: Ship<'_>| {
        let mut came = [&other.discharge, &other.arrive].into_iter().flatten();
        came.any(|sight| sight.is_actual() && sight.ship().is_some_and(|by| by.is(ship)))
    };
    let is_planned_before =
        |other: &Stop<'_>| !stop.brought_by.is_empty() || stop.is_planned_behind(other);
    let ships = stops.iter().filter_map(|stop| {
        let left = [&stop.load, &stop.depart].into_iter().flatten();
        let mut left = left.filter(|sight| sight.is_actual());
        left.find_map(Sight::ship)
    });
    let is_by_another = |ship: Ship<'_>| stop.brought_by.iter().all(|by| by.differs(ship));
    let sailed_on: Vec<Ship<'_>> = ships.filter(|ship| is_by_another(*ship)).collect();
    let late = stops
        .iter()
        .filter(|other| is_late(other) && is_planned_before(other))
        .filter(|other| sailed_on.iter().any(|ship| came_with(other, *ship)));
    late.map(Stop::at).max()
}

/// A ship that came from another stop of the way, and another ship that leaves: the box changes ships even
/// before anybody reports a lift. (Where the ship came from nowhere it is a roll at the port of lading.)
fn mark_changes_of_ship(stops: &mut [Stop<'_>]) {
    let changes: Vec<bool> = stops
        .iter()
        .map(|stop| {
            let came_along = |ship: &Ship<'_>| {
                stops
                    .iter()
                    .filter(|other| other.place != stop.place)
                    .any(|other| other.leaving.iter().any(|left| left.is(*ship)))
            };
            stop.brought_by.iter().any(came_along) && stop.other_ships().next().is_some()
        })
        .collect();
    for (stop, sails_on) in stops.iter_mut().zip(changes) {
        stop.sails_on = sails_on;
    }
}

/// One lift at two ports at about one time: one of them is a mistake. The port where something was expected
/// is believed, then the better source.
fn mark_misplaced(stops: &mut [Stop<'_>]) {
    mark_worse(stops, EventName::VesselDischarged, |stop| {
        stop.discharge.as_ref()
    });
    mark_worse(stops, EventName::VesselLoaded, |stop| stop.load.as_ref());
}

fn mark_worse<'a>(
    stops: &mut [Stop<'a>],
    event: EventName,
    lift: for<'s> fn(&'s Stop<'a>) -> Option<&'s Sight<'a>>,
) {
    let is_worse = |stop: &Stop<'a>, other: &Stop<'a>| {
        is_worse(event, (stop, lift(stop)), (other, lift(other)))
    };
    let worse: Vec<bool> = stops
        .iter()
        .map(|stop| stops.iter().any(|other| is_worse(stop, other)))
        .collect();
    for (stop, worse) in stops.iter_mut().zip(worse) {
        stop.misplaced |= worse;
    }
}

type Lift<'s, 'a> = (&'s Stop<'a>, Option<&'s Sight<'a>>);

fn is_worse(event: EventName, (stop, lift): Lift<'_, '_>, (other, lifted): Lift<'_, '_>) -> bool {
    let Some((a, b)) = lift.zip(lifted) else {
        return false;
    };
    let one_move = stop.place != other.place
        && a.is_actual()
        && b.is_actual()
        && !stop.changes_ship()
        && !other.changes_ship()
        && !a.ship().zip(b.ship()).is_some_and(|(a, b)| a.differs(b))
        && is_one_happening(&a.claim, &b.claim);
    one_move
        && (other.expected.cmp(&stop.expected))
            .then_with(|| order(event, &a.claim, &b.claim))
            .then_with(|| stop.place.cmp(&other.place))
            .is_gt()
}

fn is_sea_call(claim: &Claim<'_>) -> bool {
    let call = matches!(
        claim.verb,
        Verb::Load | Verb::Discharge | Verb::Arrive | Verb::Depart | Verb::Berth | Verb::Eta
    );
    call && claim.is_by(Mode::Vessel)
        && claim.laden != Some(false)
        && claim.hint != Some(MoveHint::Shifting)
}

/// Sequence numbers order the way only where no actual time contradicts them.
fn sequence_fits(stops: &[Stop<'_>]) -> bool {
    let actual = |stop: &Stop<'_>| {
        let times = stop.acts().filter(|s| s.is_actual()).map(|s| s.claim.at);
        times.min()
    };
    stops.iter().all(|a| {
        stops.iter().all(|b| match (actual(a), actual(b)) {
            (Some(first), Some(second)) if first < second => a.sequence() <= b.sequence(),
            _ => true,
        })
    })
}

fn is_fed(stop: &Stop<'_>, moves: &[Claim<'_>]) -> bool {
    moves.iter().any(|claim| {
        claim.is_by(Mode::Barge)
            && claim.place == Some(stop.place)
            && matches!(claim.verb, Verb::Discharge | Verb::Arrive)
            && claim.laden != Some(false)
            && stop
                .load
                .or(stop.depart)
                .is_some_and(|away| claim.at <= away.claim.at)
    })
}
