//! The return of the empty, which ends tracking and must therefore never be guessed.

use jiff::Timestamp;

use super::super::Way;
use super::events;
use super::gates::{at_discharge, comes_after_landing, comes_back_to_port, is_by_trucker};
use crate::event::EventName;
use crate::report::{FacilityType, Mode, MoveHint, SourceKind, Verb};
use crate::timeline::claims::Claim;
use crate::timeline::trip::share_papers;

/// Whether this is the return of the empty. Only the **last** gate-in of a journey is: boxes that are drayed
/// between yards look like returns, and a return ends tracking. So nothing laden may follow it, no later
/// gate-in may exist, and something must have been unloaded before, and not before the goods went to sea.
pub(crate) fn returned_empty(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    looks_like_a_return(claim)
        && way
            .aboard_since
            .is_none_or(|aboard| claim.latest() >= aboard)
        && was_unpacked(claim, way, moves)
        && !goes_on_laden(claim.latest(), way, moves)
}

/// Whether an empty came in somewhere, which by itself does not make it the return.
pub(crate) fn looks_like_a_return(claim: &Claim<'_>) -> bool {
    let at_depot = claim.facility() != Some(FacilityType::CustomerLocation);
    claim.is_actual()
        && claim.laden == Some(false)
        && match claim.verb {
            Verb::GateIn => true,
            Verb::Dropoff => at_depot,
            _ => false,
        }
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
    // While the goods are still expected, an import's empty is that of another trip.
    let at_sea = way.aboard_since.is_some()
        && (way.expected_ashore()).is_some_and(|ashore| claim.latest() < ashore);
    (claim.hint.is_some_and(MoveHint::is_import) && !at_sea)
        || comes_after_landing(claim, way)
        || is_told_by_its_line(claim, way, moves)
        || emptied
        || alone
}

/// Where nobody told of the landing and what followed: who carried these goods to sea says under their papers that the box came in
/// empty where they were expected, and when they were by whatever was planned last.
fn is_told_by_its_line(claim: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    let its_papers = &claim.report.references;
    let carries = |other: &Claim<'_>| {
        let goes = matches!(other.verb, Verb::Load | Verb::Depart);
        other.is_actual() && goes && other.is_by(Mode::Vessel)
    };
    let were_aboard = || {
        let mut carried = moves.iter().filter(|other| carries(other));
        carried.any(|other| share_papers(&other.report.references, its_papers))
    };
    let is_due = (way.expected_ashore_at_last()).is_some_and(|ashore| claim.latest() >= ashore);
    let speaks_for_line = claim.report.source_kind.speaks_for_line();
    speaks_for_line && is_due && at_discharge(claim, way) && were_aboard()
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

fn goes_on_laden(since: Timestamp, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    moves.iter().any(|other| {
        other.is_actual()
            && other.laden == Some(true)
            && other.at > since
            && other.verb != Verb::Strip
            && !other.report.is_seen_gone()
            && !may_be_the_empty(other, way, moves)
    })
}

/// Whether a trucker may tell of the empty that he returns, in the words for goods. Before the sea he brings the goods.
fn may_be_the_empty(other: &Claim<'_>, way: &Way<'_>, moves: &[Claim<'_>]) -> bool {
    match other.verb {
        Verb::GateIn => is_by_trucker(other) && comes_after_landing(other, way),
        Verb::Dropoff | Verb::Arrive => {
            other.is_by(Mode::Truck) && comes_back_to_port(other, way, moves)
        }
        _ => false,
    }
}
