//! One move inland that sources put in two towns of one metropolis.
//!
//! A railroad names the town of its ramp (Elwood, Joliet), a line the city whose ramp it is (Chicago). What both tell of about
//! one time is one arrival, one unloading or one collection; were both told, the box would be collected twice. It stands at
//! the place that was heard of first, so that a second source is never a second event, whichever comes first.
//!
//! Two moves in one metropolis are real as well: a train on from the ramp of another railroad. One source that names both
//! towns tells of two. At the port of discharge no towns are one: there the yard that a gate belongs to counts
//! ([`gates`](super::gates)).

use std::collections::BTreeSet;

use super::milestones::{Named, is_one_happening};
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
    inland.sort_by_key(|n| {
        (
            n.event,
            n.claim.area,
            n.leg,
            n.claim.report.received_at,
            n.place,
        )
    });
    for town in
        inland.chunk_by_mut(|a, b| (a.event, a.claim.area, a.leg) == (b.event, b.claim.area, b.leg))
    {
        settle(town);
    }
}

/// Of one name in one metropolis, in the order in which they were heard.
fn settle(told: &mut [&mut Named<'_, '_>]) {
    let places: BTreeSet<Option<UnLocode>> = told.iter().map(|n| n.place).collect();
    if places.len() < 2 {
        return;
    }
    let heard: Vec<Named<'_, '_>> = told.iter().map(|n| **n).collect();
    let is_one = |a: Option<UnLocode>, b: Option<UnLocode>| {
        let at = |place| heard.iter().filter(move |n| n.place == place);
        let by_one = at(a).any(|x| at(b).any(|y| x.claim.report.source == y.claim.report.source));
        !by_one && at(a).any(|x| at(b).any(|y| is_one_happening(x.claim, y.claim)))
    };
    for later in told {
        let first = heard
            .iter()
            .map(|n| n.place)
            .find(|place| *place == later.place || is_one(*place, later.place));
        later.place = first.unwrap_or(later.place);
    }
}

fn is_inland_move(event: EventName) -> bool {
    use EventName as E;
    matches!(
        event,
        E::RailLoaded | E::RailDeparted | E::RailArrived | E::RailUnloaded | E::FullOut
    )
}
