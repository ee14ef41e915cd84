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
    let mut places: Vec<UnLocode> = Vec::new();
    for place in told.iter().filter_map(|n| n.place) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let stands: Vec<(UnLocode, UnLocode)> = places
        .iter()
        .enumerate()
        .map(|(index, place)| {
            let mut before = places.iter().take(index);
            let first = before.find(|first| are_one(told, **first, *place));
            (*place, *first.unwrap_or(place))
        })
        .collect();
    for named in told {
        let settled = stands.iter().find(|(place, _)| named.place == Some(*place));
        named.place = settled.map(|(_, stands)| *stands).or(named.place);
    }
}

/// Whether what is told of these two places is one move: by different sources, and about one time.
fn are_one(told: &[&mut Named<'_, '_>], a: UnLocode, b: UnLocode) -> bool {
    let at = |place| told.iter().filter(move |n| n.place == Some(place));
    let sources =
        |place| -> BTreeSet<&str> { at(place).map(|n| n.claim.report.source.as_str()).collect() };
    sources(a).is_disjoint(&sources(b))
        && at(a).any(|x| at(b).any(|y| is_one_happening(x.claim, y.claim)))
}

fn is_inland_move(event: EventName) -> bool {
    use EventName as E;
    matches!(
        event,
        E::RailLoaded | E::RailDeparted | E::RailArrived | E::RailUnloaded | E::FullOut
    )
}
