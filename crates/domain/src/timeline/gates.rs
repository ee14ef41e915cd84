//! One departure through the gate that sources put in two ports.
//!
//! Los Angeles and Long Beach are one harbour to many who write events, and a trucker names the town of the road. The
//! goods leave by one gate, so what is told within the time of one happening is one departure, and the place that fits
//! the journey stands: the port of discharge. The other is put aside and marked; were both told, the box would be
//! collected twice.
//!
//! Two departures within half a day are real too: a dray to a yard, and on from there. They are two when the box was
//! moved in between, when the second leaves a yard off the dock, or when one source tells of both and more than an
//! hour apart, for nobody is that far off his own clock. A gate at the inland destination fits the journey as well and
//! is never put aside. Where nobody names the port of discharge, nothing is: what is told is then all there is.

use jiff::SignedDuration;

use super::claims::Claim;
use super::milestones::{Named, apart, is_one_happening};
use crate::event::EventName;
use crate::journey::Way;
use crate::report::Verb;

/// What one source tells of a departure and its correction differ by no more than this.
pub(super) const ONE_SOURCE_MAX: SignedDuration = SignedDuration::from_hours(1);

/// Takes out the gates of other ports that tell of the departure from the port of discharge, and gives them back.
pub(super) fn drop_other_gates<'c, 'a>(
    named: &mut Vec<Named<'c, 'a>>,
    moves: &[Claim<'a>],
    way: &Way<'a>,
) -> Vec<Named<'c, 'a>> {
    let Some(port) = way.sea.discharge().map(|stop| stop.place) else {
        return Vec::new();
    };
    let here: Vec<Named<'c, 'a>> = named
        .iter()
        .filter(|n| is_first_gate(n) && n.place == Some(port))
        .copied()
        .collect();
    let is_elsewhere = |n: &Named<'c, 'a>| {
        let inland = n.claim.area.is_some() && n.claim.area == way.destination_area;
        is_first_gate(n) && n.place.is_some_and(|place| place != port) && !inland
    };
    let is_same = |n: &Named<'c, 'a>| {
        here.iter().any(|gate| {
            is_one_departure(gate.claim, n.claim) && !moved_between(gate.claim, n.claim, moves)
        })
    };
    named
        .extract_if(.., |n| is_elsewhere(n) && is_same(n))
        .collect()
}

/// Not out of a yard off the dock, which is a leg of its own.
fn is_first_gate(named: &Named<'_, '_>) -> bool {
    named.event == EventName::FullOut && named.leg.is_empty()
}

fn is_one_departure(a: &Claim<'_>, b: &Claim<'_>) -> bool {
    if a.report.source == b.report.source {
        return apart(a, b) <= ONE_SOURCE_MAX;
    }
    is_one_happening(a, b)
}

/// Whether anybody tells that the laden box went into a place, or onto or off a train or ship, between the two.
fn moved_between(a: &Claim<'_>, b: &Claim<'_>, moves: &[Claim<'_>]) -> bool {
    let (from, until) = (a.at.min(b.at), a.latest().max(b.latest()));
    moves.iter().any(|claim| {
        let moves_on = matches!(claim.verb, Verb::GateIn | Verb::Load | Verb::Discharge);
        let between = claim.at > from && claim.at < until;
        moves_on && between && claim.is_actual() && claim.laden == Some(true)
    })
}
