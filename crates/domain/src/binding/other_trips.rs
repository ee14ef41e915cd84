//! Whose trip it is that is told under papers which nobody tied to ours.
//!
//! A booking and a bill cannot be compared, so that papers alone prove nothing: the moves of the box do. Papers that are
//! named together are of one trip, and for each such trip it is asked whether it began after ours had ended, or ended
//! before ours began. What proves neither may be ours.

use std::collections::{BTreeMap, BTreeSet};
use std::ptr::from_ref;

use jiff::Timestamp;

use super::{Papers, about, time};
use crate::codes::ContainerNumber;
use crate::place::Gazetteer;
use crate::report::{Mode, References, Report, Verb};
use crate::timeline::claims::Claim;
use crate::timeline::next_trip::next_trip_under;
use crate::timeline::readings::heard;
use crate::timeline::scribe::Scribe;
use crate::timeline::trip::{is_exit, is_goods_move, is_named, named_together, names};
use crate::trust::Trust;

/// What is others' of the claims about one box.
#[derive(Debug, Default)]
pub(super) struct OtherTrips {
    papers: BTreeSet<String>,
    /// When the first of them that follow ours began.
    from: Option<Timestamp>,
}

impl OtherTrips {
    /// What names no papers, or only a number that is a haulier's or a railroad's own, is theirs once their trip has begun.
    pub fn has(&self, claim: &Report, papers: &Papers<'_>) -> bool {
        let is_theirs = plain(&claim.references, papers).any(|paper| self.papers.contains(&paper));
        let tells_whose =
            !claim.references.bookings.is_empty() || papers.bills_of(claim).next().is_some();
        is_theirs || (!tells_whose && self.from.is_some_and(|from| from <= time(claim)))
    }
}

/// By box, where `told` is ours and the papers that are named `besides` are not tied to it.
pub(super) fn of(
    told: &[&Report],
    besides: &[&Report],
    papers: &Papers<'_>,
    gazetteer: &Gazetteer,
) -> BTreeMap<ContainerNumber, OtherTrips> {
    let others = besides.iter().map(|claim| {
        let named = plain(&claim.references, papers);
        named.filter(|paper| !papers.has(paper)).collect()
    });
    let trips = named_together(others);
    let mut found = BTreeMap::new();
    if trips.is_empty() {
        return found;
    }
    let named = besides.iter().filter(|c| is_named(&c.references));
    let boxes = named.filter_map(|claim| claim.equipment.as_ref());
    let boxes: BTreeSet<ContainerNumber> = boxes.map(|equipment| equipment.number).collect();
    for number in boxes {
        if !about(number, told).is_empty() {
            // What is told of the whole bill is told of each of its boxes.
            let is_of_it = |claim: &&&Report| {
                let equipment = claim.equipment.as_ref();
                equipment.is_none_or(|equipment| equipment.number == number)
            };
            let ours: Vec<&Report> = told.iter().filter(is_of_it).copied().collect();
            let besides = about(number, besides);
            let others = judged(number, (&ours, &besides), &trips, papers, gazetteer);
            found.insert(number, others);
        }
    }
    found
}

fn judged(
    number: ContainerNumber,
    (ours, besides): (&[&Report], &[&Report]),
    trips: &[BTreeSet<String>],
    papers: &Papers<'_>,
    gazetteer: &Gazetteer,
) -> OtherTrips {
    let all = [ours, besides].concat();
    let silent = &mut Scribe::silent();
    let moves = heard(number, &all, gazetteer, Trust::USUAL, silent).moves;
    let own: BTreeSet<*const Report> = ours.iter().map(|own| from_ref(*own)).collect();
    let is_ours = |claim: &Claim<'_>| own.contains(&from_ref(claim.report));
    let named: BTreeMap<*const Report, Vec<String>> = besides
        .iter()
        .filter(|claim| !own.contains(&from_ref(**claim)))
        .map(|claim| (from_ref(*claim), plain(&claim.references, papers).collect()))
        .collect();
    // Of a booking of a hundred boxes most trips are of another box.
    let of_the_box: BTreeSet<&String> = named.values().flatten().collect();
    let is_of_the_box = |trip: &&BTreeSet<String>| trip.iter().any(|p| of_the_box.contains(p));
    let mut others = OtherTrips::default();
    for trip in trips.iter().filter(is_of_the_box) {
        let is_theirs = |claim: &Claim<'_>| {
            let papers = named.get(&from_ref(claim.report));
            papers.is_some_and(|papers| papers.iter().any(|paper| trip.contains(paper)))
        };
        if !moves.iter().any(is_theirs) {
            continue;
        }
        let follows = next_trip_under(&moves, &is_ours, &is_theirs);
        if follows.is_some()
            || next_trip_under(&moves, &is_theirs, &is_ours).is_some()
            || is_over_before_our_pick_up(&moves, &is_ours, &is_theirs)
        {
            others.papers.extend(trip.iter().cloned());
            others.from = others.from.into_iter().chain(follows).min();
        }
    }
    others
}

/// Our empty went out before any goods of ours moved, and they did since or are to go aboard: what was told until then is of the
/// goods before.
fn is_over_before_our_pick_up(
    moves: &[Claim<'_>],
    is_ours: &dyn Fn(&Claim<'_>) -> bool,
    is_theirs: &dyn Fn(&Claim<'_>) -> bool,
) -> bool {
    let happened = || moves.iter().filter(|claim| claim.is_actual());
    let mut ours = happened().filter(|claim| is_ours(claim));
    let Some(out) = ours.find(|claim| is_exit(claim) || is_goods_move(claim)) else {
        return false;
    };
    let tells = |claim: &&Claim<'_>| is_goods_move(claim) || claim.verb == Verb::GateIn;
    let mut theirs = happened().filter(|claim| is_theirs(claim)).peekable();
    let are_to_load = |claim: &Claim<'_>| {
        claim.verb == Verb::Load && claim.is_by(Mode::Vessel) && is_ours(claim) && claim.at > out.at
    };
    is_exit(out)
        && (ours.any(is_goods_move) || moves.iter().any(are_to_load))
        && theirs.peek().is_some()
        && theirs.all(|claim| claim.latest() < out.at)
        && happened()
            .filter(|claim| is_theirs(claim))
            .any(|c| tells(&c))
}

fn plain(references: &References, papers: &Papers<'_>) -> impl Iterator<Item = String> {
    names(references).map(|paper| papers.plain(paper))
}
