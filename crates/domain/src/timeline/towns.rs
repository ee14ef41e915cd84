//! One move inland that sources put in two towns of one metropolis.
//!
//! A railroad names the town of its ramp (Elwood, Joliet), a line the city whose ramp it is (Chicago). What both tell of about
//! one time is one arrival, one unloading or one collection; were both told, the box would be collected twice. It stands at
//! the place that was heard of first, so that a second source is never a second event, whichever comes first.
//!
//! Two moves in one metropolis are real as well: a train on from the ramp of another railroad. Two railroads tell of two, and so does
//! one source that names both towns, and not to correct itself. At the port of discharge no towns are one: there the yard that a gate belongs to counts
//! ([`gates`](super::gates)).

use super::claims::{Claim, is_railroad};
use super::gates::ONE_SOURCE_MAX;
use super::milestones::{Named, apart, is_one_happening};
use crate::codes::UnLocode;
use crate::event::EventName;
use crate::journey::Way;

/// Gives what is told of one inland move the place at which it stands.
pub(super) fn settle_towns(named: &mut [Named<'_, '_>], way: &Way<'_>) {
    let port = way
        .sea
        .discharge()
        .and_then(|stop| stop.acts().find_map(|sight| sight.claim.area));
    let mut inland: Vec<&mut Named<'_, '_>> = named
        .iter_mut()
        .filter(|n| is_inland_move(n.event) && n.place.is_some())
        .filter(|n| n.claim.area.is_some() && n.claim.area != port)
        .collect();
    inland.sort_by_key(|n| (n.event, n.claim.area, n.leg, n.claim.heard_first, n.place));
    for town in
        inland.chunk_by_mut(|a, b| (a.event, a.claim.area, a.leg) == (b.event, b.claim.area, b.leg))
    {
        settle(town);
    }
}

/// Of one name in one metropolis, in the order in which they were heard.
fn settle(told: &mut [&mut Named<'_, '_>]) {
    let mut places: Vec<UnLocode> = Vec::new();
    for place in told.iter().filter_map(|n| n.place) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    // The places of each move; it stands at the first of them.
    let mut moves: Vec<Vec<UnLocode>> = Vec::new();
    for place in places {
        match moves.iter_mut().find(|one| are_one(told, one, place)) {
            Some(one) => one.push(place),
            None => moves.push(vec![place]),
        }
    }
    for named in told {
        let of = moves
            .iter()
            .find(|one| named.place.is_some_and(|place| one.contains(&place)));
        named.place = of.and_then(|one| one.first().copied()).or(named.place);
    }
}

/// Whether what is told of a place is the move that these places tell of: about one time, and neither of them by two railroads nor
/// by one source as two.
fn are_one(told: &[&mut Named<'_, '_>], these: &[UnLocode], place: UnLocode) -> bool {
    let theirs = || {
        let there = told
            .iter()
            .filter(|n| n.place.is_some_and(|place| these.contains(&place)));
        there.map(|n| n.claim)
    };
    let its = || {
        let there = told.iter().filter(|n| n.place == Some(place));
        there.map(|n| n.claim)
    };
    let is_two = |x: &Claim<'_>, y: &Claim<'_>| {
        let roads = is_railroad(x.report.source_kind) && is_railroad(y.report.source_kind);
        if x.report.source == y.report.source {
            apart(x, y) > ONE_SOURCE_MAX
        } else {
            roads
        }
    };
    !theirs().any(|x| its().any(|y| is_two(x, y)))
        && theirs().any(|x| its().any(|y| is_one_happening(x, y)))
}

fn is_inland_move(event: EventName) -> bool {
    use EventName as E;
    matches!(
        event,
        E::RailLoaded | E::RailDeparted | E::RailArrived | E::RailUnloaded | E::FullOut
    )
}
