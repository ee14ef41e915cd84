//! One box, one journey: telling the trip we follow from those before and after it.
//!
//! A container number is used again, often within days, and a feed that is asked by container number tells
//! the trips one after the other. A trip ends with the return of the empty; the next begins when the empty
//! goes out again **and** goods move in it. Only both together end a trip: empties that are moved between
//! depots after the return are nobody's news, and a return that the same bill's goods follow was no return. Goods that move
//! more than a week after the return of an import are the next trip's, be it that nobody saw the empty go out. Where
//! papers are named and nobody told of the return, `next_trip` finds where ours has ended, and where the next one is told
//! under other papers.
//!
//! Of several trips the last one at sea is followed; where some of them name a bill or booking, one of those,
//! because a report that names none may belong to anybody.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use super::claims::Claim;
use super::next_trip::{leaves_by_truck, next_trip, next_trip_under};
use super::readings::Heard;
use crate::report::{FacilityType, Mode, MoveHint, References, Report, Value, Verb};

/// Reports without a reference are taken from this long before the trip …
const BEFORE_MAX: SignedDuration = SignedDuration::from_hours(24 * 7);
/// … until this long after the empty came back.
const AFTER_RETURN_MAX: SignedDuration = SignedDuration::from_hours(24);

/// Keeps what belongs to the trip we follow.
pub(crate) fn bind(heard: Heard<'_>) -> Heard<'_> {
    let heard = within_papers(heard);
    let starts = starts(&heard.moves);
    if starts.is_empty() {
        return heard;
    }
    let trips = trips(&heard.moves, &starts);
    let Some(followed) = followed(&heard.moves, &trips) else {
        return heard;
    };
    let named = named_references(&heard.moves, followed);
    let belongs = |report: &Report, at: Timestamp| {
        if is_named(&report.references) && shares(&report.references, &named) {
            return true;
        }
        followed.contains(at) && (!is_named(&report.references) || named.is_empty())
            || (followed.contains(at) && !belongs_elsewhere(&heard.moves, &trips, followed, report))
    };
    Heard {
        moves: heard
            .moves
            .iter()
            .filter(|claim| belongs(claim.report, claim.at))
            .copied()
            .collect(),
        readings: heard
            .readings
            .iter()
            .filter(|report| belongs(report, time_of(report)))
            .copied()
            .collect(),
    }
}

/// Where papers are named, what names none counts only around them: a terminal or a railroad knows the box, and
/// told of it before these goods and after them.
fn within_papers(heard: Heard<'_>) -> Heard<'_> {
    // The time of what is taken back is none of the goods.
    let takes_back = |report: &Report| matches!(report.value, Some(Value::Withdraws(_)));
    let named = heard.readings.iter().filter(|r| is_named(&r.references));
    let named = named.filter(|report| !takes_back(report));
    let times = named.filter_map(|report| report.occurred.as_ref().map(|o| o.at));
    let Some(first) = times.min() else {
        return heard;
    };
    let from = first.checked_sub(BEFORE_MAX).unwrap_or(first);
    let lingers = named_return(&heard.moves).and_then(|at| at.checked_add(AFTER_RETURN_MAX).ok());
    let until = [lingers, next_trip(&heard.moves)];
    let until = until.into_iter().flatten().min().unwrap_or(Timestamp::MAX);
    let counts =
        |report: &Report| is_named(&report.references) || (from..until).contains(&time_of(report));
    let set_out_at = empty_set_out_at(&heard.moves);
    let is_of_before = |claim: &Claim<'_>| {
        let moves_goods =
            claim.laden == Some(true) || claim.is_by(Mode::Vessel) || claim.verb == Verb::Discharge;
        !is_named(&claim.report.references)
            && moves_goods
            && claim.laden != Some(false)
            && claim.is_actual()
            && set_out_at.is_some_and(|out| claim.latest() < out)
    };
    Heard {
        moves: (heard.moves.iter().copied())
            .filter(|claim| counts(claim.report) && !is_of_before(claim))
            .collect(),
        readings: (heard.readings.into_iter())
            .filter(|report| counts(report))
            .collect(),
    }
}

/// When our empty went out, where those who name the papers tell of that first, and that the goods go to sea under the same papers
/// after it: what moved in the box until then are the goods before, whoever did not tell of their end.
fn empty_set_out_at(moves: &[Claim<'_>]) -> Option<Timestamp> {
    let named = || moves.iter().filter(|c| is_named(&c.report.references));
    let at_sea = |claim: &Claim<'_>| claim.is_by(Mode::Vessel) && claim.laden != Some(false);
    let mut happened = named().filter(|claim| claim.is_actual());
    let first = happened.find(|c| is_exit(c) || is_goods_move(c) || at_sea(c))?;
    // One message names the booking of the empty, another one the bill of the load, a third both.
    let each = named().map(|claim| names(&claim.report.references).collect());
    let together = named_together(each);
    let is_of_first =
        |papers: &BTreeSet<&str>| names(&first.report.references).any(|name| papers.contains(name));
    let papers: Vec<&str> = together.into_iter().filter(is_of_first).flatten().collect();
    let goes_to_sea = || {
        let mut later = named().filter(|claim| claim.at > first.at && at_sea(claim));
        later.any(|claim| shares(&claim.report.references, &papers))
    };
    (is_set_out(first) && goes_to_sea()).then_some(first.at)
}

/// An empty that goes out of a depot or terminal, and not of a customer's yard.
fn is_set_out(claim: &Claim<'_>) -> bool {
    let facility = claim.report.place.facility_type;
    is_exit(claim) && facility != Some(FacilityType::CustomerLocation)
}

/// The return of the empty in the words of somebody who names the papers, when no goods of these papers follow.
fn named_return(moves: &[Claim<'_>]) -> Option<Timestamp> {
    let mut named = moves
        .iter()
        .filter(|claim| claim.is_actual() && is_named(&claim.report.references));
    let last = named.rfind(|claim| is_return(claim) || is_goods_move(claim))?;
    (is_return(last) && moves.iter().any(|c| is_goods_move(c) && c.at < last.at))
        .then(|| last.latest())
}

fn time_of(report: &Report) -> Timestamp {
    report
        .occurred
        .as_ref()
        .map_or(report.issued_at(), |occurred| occurred.at)
}

/// The time a trip takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Trip {
    from: Timestamp,
    until: Timestamp,
}

impl Trip {
    fn contains(&self, at: Timestamp) -> bool {
        self.from <= at && at < self.until
    }
}

/// When each trip but the first begins: the empty goes out after a return, and goods follow; goods follow long after it; or other
/// papers show it.
fn starts(moves: &[Claim<'_>]) -> Vec<Timestamp> {
    let mut returned: Option<usize> = None;
    let mut starts = Vec::new();
    for (index, claim) in moves.iter().enumerate().filter(|(_, c)| c.is_actual()) {
        if is_return(claim) || (returned.is_none() && was_emptied_before(claim, moves)) {
            returned = returned.or(Some(index));
        } else if is_goods_move(claim) && !claim.report.is_seen_gone() {
            let Some(back) = returned.take() else {
                continue;
            };
            let between = moves.get(back..index).unwrap_or_default();
            let out = between.iter().rfind(|c| c.is_actual() && is_exit(c));
            // The empty that goes out names the papers of its own trip.
            let before = moves.get(..=back).unwrap_or_default();
            let after = moves.get(index..).unwrap_or_default();
            let unseen = || is_next_without_exit(before, claim).then_some(claim.at);
            let start = out.map(|out| out.at).or_else(unseen);
            starts.extend(start.filter(|_| !continues(before, after)));
        }
    }
    let mut by_papers = starts_by_papers(moves);
    by_papers.sort_unstable();
    for start in by_papers {
        // The same trip as another, unless goods came between the two.
        let come_between = |other: Timestamp| {
            let (from, until) = (start.min(other), start.max(other));
            let mut told = moves.iter().filter(|c| from <= c.at && c.at < until);
            told.any(comes_out)
        };
        if starts.iter().copied().all(come_between) {
            starts.push(start);
        }
    }
    starts.sort_unstable();
    starts
}

/// Whether goods that move so long after this return of the empty, be it that nobody told when it went out again, are others than
/// those which were landed and driven away before it: they go to a ship, or have papers of their own.
fn is_next_without_exit(until_the_return: &[Claim<'_>], goods: &Claim<'_>) -> bool {
    let lands = goods.verb == Verb::Discharge && goods.is_by(Mode::Vessel);
    if !is_for_a_ship(goods) && !lands && !is_named(&goods.report.references) {
        return false;
    }
    let happened = || until_the_return.iter().filter(|claim| claim.is_actual());
    let Some(back) = happened().next_back() else {
        return false;
    };
    let is_landed = |claim: &&Claim<'_>| {
        claim.verb == Verb::Discharge && claim.is_by(Mode::Vessel) && claim.laden != Some(false)
    };
    let landed = happened().rfind(is_landed).map(|claim| claim.at);
    let mut away = happened().filter(|claim| leaves_by_truck(claim));
    landed.is_some_and(|landed| away.any(|claim| claim.latest() >= landed))
        && goods.at.duration_since(back.latest()) > BEFORE_MAX
}

/// Goods that were driven away need this long at least until the next empty goes out.
const EMPTIED_AFTER: SignedDuration = SignedDuration::from_hours(12);

/// Whether this empty goes out after the goods were landed and driven away, so that they were taken out, whoever told of that; and
/// goods for a ship come in behind it.
fn was_emptied_before(exit: &Claim<'_>, moves: &[Claim<'_>]) -> bool {
    if !is_set_out(exit) {
        return false;
    }
    let happened = || moves.iter().filter(|claim| claim.is_actual());
    let mut last = happened().filter(|claim| claim.at < exit.at);
    let Some(away) = last.rfind(|claim| is_goods_move(claim)) else {
        return false;
    };
    let is_import = !matches!(
        away.hint,
        Some(MoveHint::Export | MoveHint::Transshipment | MoveHint::Onward)
    );
    let is_driven_away = away.verb == Verb::GateOut && away.is_by(Mode::Truck) && is_import;
    if !is_driven_away || exit.at.duration_since(away.at) < EMPTIED_AFTER {
        return false;
    }
    let is_landed = |claim: &Claim<'_>| {
        claim.verb == Verb::Discharge && claim.laden != Some(false) && claim.at < away.at
    };
    let mut later = happened().filter(|claim| claim.at > exit.at);
    let next = later.find(|claim| is_return(claim) || is_goods_move(claim));
    happened().any(is_landed) && next.is_some_and(is_for_a_ship)
}

/// Goods that come in for a ship, or onto it.
fn is_for_a_ship(claim: &Claim<'_>) -> bool {
    match claim.verb {
        Verb::GateIn => claim.laden == Some(true) && !claim.hint.is_some_and(MoveHint::is_import),
        Verb::Load => claim.is_by(Mode::Vessel),
        _ => false,
    }
}

/// Whether goods came, where a ship or a truck brings them.
fn comes_out(claim: &Claim<'_>) -> bool {
    let lands = claim.is_by(Mode::Vessel) && claim.verb == Verb::Arrive;
    let is_taken = claim.laden == Some(true) && claim.verb == Verb::GateOut;
    let comes = lands || is_taken || claim.verb == Verb::Discharge;
    claim.is_actual() && claim.laden != Some(false) && comes
}

/// When a trip begins under papers of its own, where nobody told of the return before it.
fn starts_by_papers(moves: &[Claim<'_>]) -> Vec<Timestamp> {
    let named = moves.iter().filter(|c| is_named(&c.report.references));
    let named = named.map(|claim| names(&claim.report.references).collect());
    let trips = named_together(named);
    let is_of = |claim: &Claim<'_>, trip: &BTreeSet<&str>| {
        names(&claim.report.references).any(|name| trip.contains(name))
    };
    let pairs = trips
        .iter()
        .flat_map(|one| trips.iter().map(move |other| (one, other)));
    pairs
        .filter(|(one, other)| one != other)
        .filter_map(|(one, other)| next_trip_under(moves, &|c| is_of(c, one), &|c| is_of(c, other)))
        .collect()
}

/// Papers that are named together, however many claims lie between.
pub(crate) fn named_together<N: Ord>(each: impl Iterator<Item = BTreeSet<N>>) -> Vec<BTreeSet<N>> {
    let mut together: Vec<BTreeSet<N>> = Vec::new();
    for mut named in each {
        if named.is_empty() || together.iter().any(|known| named.is_subset(known)) {
            continue;
        }
        let (known, apart): (Vec<_>, Vec<_>) =
            together.into_iter().partition(|k| !k.is_disjoint(&named));
        together = apart;
        named.extend(known.into_iter().flatten());
        together.push(named);
    }
    together
}

fn is_return(claim: &Claim<'_>) -> bool {
    claim.laden == Some(false) && matches!(claim.verb, Verb::GateIn | Verb::Dropoff)
}

pub(crate) fn is_exit(claim: &Claim<'_>) -> bool {
    claim.laden == Some(false) && matches!(claim.verb, Verb::GateOut | Verb::Pickup)
}

pub(crate) fn is_goods_move(claim: &Claim<'_>) -> bool {
    let lift = matches!(
        claim.verb,
        Verb::Load | Verb::Discharge | Verb::GateIn | Verb::GateOut
    );
    claim.laden == Some(true) && lift
}

/// Whether the goods after are of a bill or booking that was named before.
fn continues(before: &[Claim<'_>], after: &[Claim<'_>]) -> bool {
    let known: Vec<&str> = before
        .iter()
        .flat_map(|c| names(&c.report.references))
        .collect();
    let next = after.iter().find(|c| is_named(&c.report.references));
    next.is_some_and(|claim| shares(&claim.report.references, &known))
}

fn trips(moves: &[Claim<'_>], starts: &[Timestamp]) -> Vec<Trip> {
    let mut from = Timestamp::MIN;
    let mut begun = Timestamp::MIN;
    let mut trips = Vec::with_capacity(starts.len() + 1);
    for &start in starts {
        // What ends this trip happened in it, and no goods of it moved behind.
        let last = moves
            .iter()
            .filter(|c| c.is_actual() && begun <= c.at && c.at < start)
            .rfind(|c| is_return(c) || (is_goods_move(c) && !c.report.is_seen_gone()));
        let linger = last
            .filter(|c| is_return(c))
            .and_then(|c| c.at.checked_add(AFTER_RETURN_MAX).ok())
            .map_or(start, |at| at.min(start));
        begun = start;
        trips.push(Trip {
            from,
            until: linger,
        });
        from = start.checked_sub(BEFORE_MAX).unwrap_or(start).max(linger);
    }
    trips.push(Trip {
        from,
        until: Timestamp::MAX,
    });
    trips
}

fn followed(moves: &[Claim<'_>], trips: &[Trip]) -> Option<Trip> {
    let at_sea = |trip: &&Trip| {
        moves.iter().any(|claim| {
            claim.is_by(Mode::Vessel) && claim.laden != Some(false) && trip.contains(claim.at)
        })
    };
    let named = |trip: &&Trip| !named_references(moves, **trip).is_empty();
    trips
        .iter()
        .rev()
        .filter(at_sea)
        .find(named)
        .or_else(|| trips.iter().rev().find(at_sea))
        .or_else(|| trips.first())
        .copied()
}

fn named_references<'a>(moves: &[Claim<'a>], trip: Trip) -> Vec<&'a str> {
    moves
        .iter()
        .filter(|claim| claim.is_actual() && trip.contains(claim.at))
        .flat_map(|claim| names(&claim.report.references))
        .collect()
}

/// A report that names references only another trip knows.
fn belongs_elsewhere(moves: &[Claim<'_>], trips: &[Trip], followed: Trip, report: &Report) -> bool {
    trips
        .iter()
        .filter(|trip| **trip != followed)
        .any(|trip| shares(&report.references, &named_references(moves, *trip)))
}

pub(crate) fn names(references: &References) -> impl Iterator<Item = &str> {
    let all = references.bills.iter().chain(&references.bookings);
    all.map(String::as_str)
}

pub(crate) fn is_named(references: &References) -> bool {
    names(references).next().is_some()
}

/// Whether both name a bill or booking in common.
pub(crate) fn share_papers(one: &References, other: &References) -> bool {
    let known: Vec<&str> = names(other).collect();
    shares(one, &known)
}

fn shares(references: &References, known: &[&str]) -> bool {
    names(references).any(|name| known.contains(&name))
}
