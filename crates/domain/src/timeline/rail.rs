//! Which railroads carry the box inland, and what they say at the ramp.
//!
//! Only a railroad's own messages name it for certain; an ocean carrier that reports "loaded on rail" does not
//! say on whose. So the carriers stay unknown until a railroad speaks, and two may follow each other: one takes
//! the box from the port, another brings it in.

use super::claims::{Claim, is_railroad};
use super::pickup::{Ashore, at_the_ramp};
use crate::codes::Scac;
use crate::container::Rail;
use crate::journey::Way;
use crate::journey::inland::is_on_carriage;
use crate::report::{Mode, Report, Verb};

pub(crate) fn rail(
    moves: &[Claim<'_>],
    readings: &[&Report],
    way: &Way<'_>,
    ashore: &Ashore,
) -> Rail {
    let told = readings.iter().filter(|r| is_railroad(r.source_kind));
    let heard_at = told.map(|report| report.received_at).max();
    if heard_at.is_none() {
        return Rail::default();
    }
    let (holds, fees) = at_the_ramp(readings, ashore);
    let hauls: Vec<&Claim<'_>> = moves
        .iter()
        .filter(|claim| is_railroad(claim.report.source_kind) && claim.is_by(Mode::Rail))
        .filter(|claim| claim.is_actual() && is_on_carriage(way, claim))
        .collect();
    Rail {
        pod_carrier: hauls.iter().find(|c| takes(c)).and_then(|c| carrier(c)),
        inland_carrier: hauls
            .iter()
            .rfind(|c| brings(c, way))
            .and_then(|c| carrier(c)),
        heard_at,
        holds,
        fees,
    }
}

fn takes(claim: &Claim<'_>) -> bool {
    let away = matches!(claim.verb, Verb::Load | Verb::Depart | Verb::GateOut);
    away && claim.report.references.scac.is_some()
}

fn brings(claim: &Claim<'_>, way: &Way<'_>) -> bool {
    let here = claim.area.is_some() && claim.area == way.destination_area;
    let in_or_off = matches!(claim.verb, Verb::Arrive | Verb::Discharge | Verb::GateIn);
    here && in_or_off && claim.report.references.scac.is_some()
}

fn carrier(claim: &Claim<'_>) -> Option<Scac> {
    claim.report.references.scac
}
