//! Which railroads carry the box inland, and what they say at the ramp.
//!
//! Only a railroad's own messages name it for certain; an ocean carrier that reports "loaded on rail" does not
//! say on whose. So the carriers stay unknown until a railroad speaks, and two may follow each other: one takes
//! the box from the port, another brings it in.

use super::claims::{Claim, is_railroad};
use super::pickup::{Yard, last_heard};
use super::scribe::{Scribe, backing, statement};
use crate::codes::Scac;
use crate::container::Rail;
use crate::journey::Way;
use crate::journey::inland::is_on_carriage;
use crate::provenance::{Subject, Verdict};
use crate::report::{Mode, Report, Verb};

pub(crate) fn rail<'a>(moves: &[Claim<'a>], yard: &Yard<'_, 'a>, scribe: &mut Scribe<'a>) -> Rail {
    let way = yard.way;
    let by_railroad = |report: &Report| is_railroad(report.source_kind);
    let heard_at = last_heard(yard.readings, by_railroad, Subject::RailHeard, scribe);
    if heard_at.is_none() {
        return Rail::default();
    }
    let (holds, fees) = yard.at_the_ramp(scribe);
    let hauls: Vec<&Claim<'a>> = moves
        .iter()
        .filter(|claim| is_railroad(claim.report.source_kind) && claim.is_by(Mode::Rail))
        .filter(|claim| claim.is_actual() && is_on_carriage(way, claim))
        .collect();
    let taker = hauls.iter().copied().find(|claim| takes(claim));
    let bringer = hauls.iter().copied().rfind(|claim| brings(claim, way));
    Rail {
        pod_carrier: carrier(taker, Subject::PodRailCarrier, scribe),
        inland_carrier: carrier(bringer, Subject::InlandRailCarrier, scribe),
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

fn carrier<'a>(
    haul: Option<&Claim<'a>>,
    subject: Subject,
    scribe: &mut Scribe<'a>,
) -> Option<Scac> {
    let report = haul?.report;
    scribe.decided(|| {
        backing(
            subject,
            vec![statement(report, Verdict::Stands)],
            Vec::new(),
        )
    });
    report.references.scac
}
