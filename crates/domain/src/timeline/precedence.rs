//! Whose word counts: the rank of a source for a milestone, and the order of claims about one milestone.
//!
//! The party that does the physical move has the clock in its hand; the carrier merges and keys it again;
//! EDI through a hub adds delay; AIS sees ships, not boxes. So the rank depends on the milestone, not only on
//! the source. Between claims of one rank the finer time wins, then the newer issue, then a fixed order of
//! content: an order that is total and in which arrival has no place.
//!
//! Two rules cut across ranks: a bare date never beats a time of the same local day, whoever says it; and who saw it
//! done when he looked stands behind everybody with a time of its own. Of such looks the first counts.

use std::cmp::Ordering;

use super::claims::{Claim, local_day};
use super::readings::by_issue;
use crate::event::EventName;
use crate::place::Gazetteer;
use crate::provenance::Verdict;
use crate::report::Precision;
use crate::trust::{self, Group};

/// Rank of who makes a claim, for a milestone; 1 is best, 0 is a person.
pub(crate) fn rank(event: EventName, claim: &Claim<'_>) -> u8 {
    trust::rank(Group::of(event), claim.report.source_kind, claim.ranks)
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
            claim.precision != Precision::Day
                && claim.report.is_as_of() == best.report.is_as_of()
                && local_day(claim.report, gazetteer) == day
        })
        .min_by(|a, b| order(event, a, b));
    Some(finer.unwrap_or(best))
}

/// The better claim first.
pub(crate) fn order(event: EventName, a: &Claim<'_>, b: &Claim<'_>) -> Ordering {
    weighed(event, a, b).0
}

/// The better claim first, and what the other one lacks.
pub(crate) fn weighed(event: EventName, a: &Claim<'_>, b: &Claim<'_>) -> (Ordering, Verdict) {
    let by_clock = a.report.is_as_of().cmp(&b.report.is_as_of());
    if by_clock.is_ne() {
        return (by_clock, Verdict::Coarser);
    }
    let by_rank = rank(event, a).cmp(&rank(event, b));
    if by_rank.is_ne() {
        return (by_rank, Verdict::Outranked);
    }
    let by_look = a.latest().cmp(&b.latest());
    if a.report.is_as_of() && by_look.is_ne() {
        return (by_look, Verdict::Repeats);
    }
    let by_precision = b.precision.cmp(&a.precision);
    if by_precision.is_ne() {
        return (by_precision, Verdict::Coarser);
    }
    (by_issue(b.report, a.report), Verdict::Older)
}
