//! Whose word counts: the rank of a source for a milestone, and the order of claims about one milestone.
//!
//! The party that does the physical move has the clock in its hand; the carrier merges and keys it again;
//! EDI through a hub adds delay; AIS sees ships, not boxes. So the rank depends on the milestone, not only on
//! the source. Between claims of one rank the finer time wins, then the newer issue, then a fixed order of
//! content: an order that is total and in which arrival has no place.
//!
//! One rule cuts across ranks: a bare date never beats a time of the same local day, whoever says it.

use std::cmp::Ordering;

use super::claims::{Claim, local_day};
use super::readings::by_issue;
use crate::event::EventName;
use crate::place::Gazetteer;
use crate::report::{Precision, SourceKind};

/// Rank of a source for a milestone; 1 is best, 0 is a person.
pub(crate) fn rank(event: EventName, source: SourceKind) -> u8 {
    if source == SourceKind::Manual {
        return 0;
    }
    let trusted: &[&[SourceKind]] = match physical(event) {
        Physical::Lift => &[QUAY, CARRIER, EDI],
        Physical::Sail => &[CARRIER, QUAY, EDI, &[SourceKind::Ais]],
        Physical::Berth => &[QUAY, &[SourceKind::Ais], CARRIER, EDI],
        Physical::Gate => &[GATE, CARRIER, EDI, &[SourceKind::X12_214]],
        Physical::Depot => &[CARRIER, GATE, EDI],
        Physical::Rail => &[&[SourceKind::RailApi], RAIL_EDI, CARRIER, EDI],
        Physical::Door => &[CARRIER, EDI, &[SourceKind::X12_214]],
    };
    (1..)
        .zip(trusted)
        .find(|(_, kinds)| kinds.contains(&source))
        .map_or(9, |(rank, _)| rank)
}

/// The claim whose time the milestone takes.
pub(crate) fn winner<'c, 'a>(
    event: EventName,
    claims: &[&'c Claim<'a>],
    gazetteer: &Gazetteer,
) -> Option<&'c Claim<'a>> {
    let best = claims.iter().copied().min_by(|a, b| order(event, a, b))?;
    if best.precision != Precision::Day {
        return Some(best);
    }
    let day = local_day(best.report, gazetteer);
    let finer = claims
        .iter()
        .copied()
        .filter(|claim| {
            claim.precision != Precision::Day && local_day(claim.report, gazetteer) == day
        })
        .min_by(|a, b| order(event, a, b));
    Some(finer.unwrap_or(best))
}

/// The better claim first.
pub(crate) fn order(event: EventName, a: &Claim<'_>, b: &Claim<'_>) -> Ordering {
    rank(event, a.report.source_kind)
        .cmp(&rank(event, b.report.source_kind))
        .then_with(|| b.precision.cmp(&a.precision))
        .then_with(|| by_issue(b.report, a.report))
}

const CARRIER: &[SourceKind] = &[SourceKind::Dcsa2, SourceKind::Dcsa3, SourceKind::CarrierApi];
const QUAY: &[SourceKind] = &[SourceKind::Coarri, SourceKind::TerminalApi];
const GATE: &[SourceKind] = &[SourceKind::Codeco, SourceKind::TerminalApi];
const EDI: &[SourceKind] = &[SourceKind::X12_315, SourceKind::Iftsta, SourceKind::X12_322];
const RAIL_EDI: &[SourceKind] = &[SourceKind::Clm, SourceKind::X12_322];

/// What happens physically, which decides who holds the clock.
enum Physical {
    Lift,
    Sail,
    Berth,
    Gate,
    Depot,
    Rail,
    Door,
}

fn physical(event: EventName) -> Physical {
    use EventName as E;
    match event {
        E::VesselLoaded
        | E::VesselDischarged
        | E::TransshipmentLoaded
        | E::TransshipmentDischarged
        | E::FeederLoaded
        | E::FeederDischarged => Physical::Lift,
        E::VesselBerthed => Physical::Berth,
        E::FullIn | E::FullOut => Physical::Gate,
        E::EmptyOut | E::EmptyIn => Physical::Depot,
        E::RailLoaded
        | E::RailDeparted
        | E::RailArrived
        | E::RailUnloaded
        | E::ArrivedAtInlandDestination => Physical::Rail,
        E::Delivered => Physical::Door,
        _ => Physical::Sail,
    }
}
