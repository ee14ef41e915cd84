//! What happens on the water before the port of loading.
//!
//! A line names the port at which its ship takes the goods, and tells of the feeder that brings them there with the words of any
//! ship. Taken for the ship's own, the feeder's landing would be where the way at sea ends: an arrival that never was. So
//! what a message calls [pre-carriage](MoveHint::PreCarriage) is a feeder's, and so is what the same ship does at the place
//! where the box was loaded on it as on a feeder.
//!
//! Two things are left alone. A box that was loaded at that port and is put ashore there again did not come by a feeder (a
//! shut-out). And a ship that only comes to the port of loading may be the one that is to take the goods: unless it is known to
//! bring them, that is no move of theirs.

use super::claims::{Claim, Ship};
use super::scribe::Scribe;
use crate::provenance::Verdict;
use crate::report::{Mode, MoveHint, Verb};

/// Gives the feeder what is the feeder's.
pub(super) fn settle<'a>(moves: &mut Vec<Claim<'a>>, scribe: &mut Scribe<'a>) {
    if !moves.iter().any(is_told) && !moves.iter().any(loads_feeder) {
        return;
    }
    let by_feeder: Vec<bool> = moves.iter().map(|claim| is_fed(claim, moves)).collect();
    for (claim, is_fed) in moves.iter_mut().zip(by_feeder) {
        if is_fed {
            claim.mode = Some(Mode::Barge);
        }
    }
    let brings: Vec<Ship<'a>> = moves
        .iter()
        .filter(|claim| claim.is_by(Mode::Barge))
        .filter_map(|claim| claim.ship)
        .collect();
    for claim in moves.iter_mut().filter(|claim| is_call(claim)) {
        if claim.ship.is_some_and(|ship| ship.is_among(&brings)) {
            claim.mode = Some(Mode::Barge);
        }
    }
    scribe.put_aside(Verdict::Elsewhere, || {
        let calls: Vec<_> = moves.iter().filter(|claim| is_call(claim)).collect();
        calls.into_iter().map(|claim| (claim.report, None))
    });
    moves.retain(|claim| !is_call(claim));
}

fn is_told(claim: &Claim<'_>) -> bool {
    claim.hint == Some(MoveHint::PreCarriage) && claim.is_by(Mode::Vessel)
}

/// A ship that comes to the port of loading.
fn is_call(claim: &Claim<'_>) -> bool {
    is_told(claim) && !matches!(claim.verb, Verb::Load | Verb::Depart | Verb::Discharge)
}

fn loads_feeder(claim: &Claim<'_>) -> bool {
    claim.verb == Verb::Load && claim.is_actual() && claim.is_by(Mode::Barge)
}

fn is_fed(claim: &Claim<'_>, moves: &[Claim<'_>]) -> bool {
    let here = |other: &&Claim<'_>| other.place.is_some() && other.place == claim.place;
    match claim.verb {
        Verb::Discharge if is_told(claim) => {
            let lifts = |verb| {
                let lifts = moves.iter().filter(move |other| other.verb == verb);
                lifts.filter(|other| other.is_actual() && other.is_by(Mode::Vessel))
            };
            // A voyage that ended elsewhere since was another one.
            let has_ended = |load: &Claim<'_>| {
                let mut landings = lifts(Verb::Discharge).filter(|other| !here(other));
                landings.any(|landing| load.at < landing.at && landing.at < claim.at)
            };
            let mut loads = lifts(Verb::Load).filter(here);
            !loads.any(|load| load.at < claim.at && !has_ended(load))
        }
        Verb::Load | Verb::Depart if is_told(claim) => true,
        Verb::Depart => {
            let loads = moves.iter().filter(here).filter(|load| loads_feeder(load));
            let mut ships = loads.filter_map(|load| load.ship);
            claim.is_by(Mode::Vessel)
                && ships.any(|feeder| claim.ship.is_some_and(|ship| ship.is(feeder)))
        }
        _ => false,
    }
}
