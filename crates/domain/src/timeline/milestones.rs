//! Claims become milestones: one per event and place, whatever number of sources report it.
//!
//! What makes a milestone that milestone is its name and its canonical place, and nothing that a correction
//! may change: no time, no source's id, no sequence number, and no vessel either, because reports of one
//! lift name the ship by number, by name in two spellings, or not at all. A box does the same thing at the
//! same port once in a journey; where it can recur (available, not available) the occurrence counts.
//!
//! Values are taken per field. The time comes from the best claim ([`precedence`](super::precedence)), the
//! terminal and the vessel from the best claim that names one.

use jiff::SignedDuration;

use super::claims::Claim;
use super::precedence::{order, rank, weighed, winner};
use super::scribe::{Scribe, backing, statement};
use super::{gates, towns, transfer};
use crate::codes::UnLocode;
use crate::container::{Milestone, QualityFlag, Slot};
use crate::event::EventName;
use crate::journey::classify::{YardGate, events, looks_like_a_return, returned_empty};
use crate::journey::{Way, terminal, vessel};
use crate::place::Gazetteer;
use crate::provenance::{Backing, Part, Statement, Subject, Verdict};
use crate::report::Precision;

/// Two good sources that differ by more than this deserve a look.
const AGREEMENT_MAX: SignedDuration = SignedDuration::from_hours(24);
/// Claims about one happening lie within this of each other …
const ONE_HAPPENING_MAX: SignedDuration = SignedDuration::from_hours(12);
/// … and within this when one of them is a bare date.
const ONE_HAPPENING_DATED_MAX: SignedDuration = SignedDuration::from_hours(36);

/// An actual claim with its public name.
#[derive(Clone, Copy)]
pub(super) struct Named<'c, 'a> {
    pub event: EventName,
    pub place: Option<UnLocode>,
    /// Tells apart what happens twice at one place: empty, or [`OFF_DOCK`].
    pub leg: &'static str,
    pub claim: &'c Claim<'a>,
}

/// The leg behind a yard off the dock: the box leaves that yard as it left the terminal before.
const OFF_DOCK: &str = "off dock";

/// The milestones that stand, in the order they happened, and doubts about them.
pub(crate) fn milestones<'a>(
    moves: &[Claim<'a>],
    way: &Way<'a>,
    gazetteer: &Gazetteer,
    scribe: &mut Scribe<'a>,
) -> (Vec<Milestone>, Vec<QualityFlag>) {
    let mut flags = Vec::new();
    if way.sea.stops.iter().any(|(stop, _)| stop.misplaced) {
        flags.push(QualityFlag::PlacesDiffer);
    }
    let mut named = named(moves, way, scribe);
    let elsewhere = gates::drop_other_gates(&mut named, moves, way);
    if !elsewhere.is_empty() {
        flags.push(QualityFlag::PlacesDiffer);
    }
    scribe.put_aside(Verdict::Misplaced, || {
        elsewhere.iter().map(|gate| (gate.claim.report, None))
    });
    settle_places(&mut named);
    towns::settle_towns(&mut named, way);
    let second = transfer::drop_second_lifts(&mut named);
    scribe.put_aside(Verdict::SecondTerminal, || {
        second.iter().map(|lift| (lift.claim.report, None))
    });
    named.sort_by_key(|n| (n.event, n.place, n.leg));
    let mut milestones: Vec<Milestone> = named
        .chunk_by(|a, b| (a.event, a.place, a.leg) == (b.event, b.place, b.leg))
        .filter_map(|group| milestone(group, gazetteer, &mut flags, scribe))
        .collect();
    in_order_of_life(&mut milestones);
    (milestones, flags)
}

/// By time, and at one time in the order of a box's life.
pub(crate) fn in_order_of_life(milestones: &mut [Milestone]) {
    milestones.sort_by(|a, b| (a.at, &a.slot).cmp(&(b.at, &b.slot)));
}

fn named<'c, 'a>(
    moves: &'c [Claim<'a>],
    way: &Way<'a>,
    scribe: &mut Scribe<'a>,
) -> Vec<Named<'c, 'a>> {
    let mut named = Vec::with_capacity(moves.len());
    let yard_gate = YardGate::of(way, moves);
    for claim in moves {
        for event in events(claim, way, moves).into_iter().flatten() {
            // Whoever names which ramp of the city, the box arrives there once.
            let place = match event {
                EventName::ArrivedAtInlandDestination => way.destination_area,
                _ => claim.place,
            };
            let yard = event == EventName::FullOut && yard_gate.is_of(claim);
            named.push(Named {
                event,
                place,
                leg: if yard { OFF_DOCK } else { "" },
                claim,
            });
        }
    }
    let returns = empty_return(moves, way);
    scribe.put_aside(Verdict::NoReturn, || {
        let looks = moves.iter().filter(|c| looks_like_a_return(c));
        let others = looks.filter(|c| !returns.iter().any(|n| std::ptr::eq(n.claim, *c)));
        others.map(|claim| (claim.report, None))
    });
    named.extend(returns);
    named
}

/// The last return of the empty: one happening, whatever else looked like one before.
fn empty_return<'c, 'a>(moves: &'c [Claim<'a>], way: &Way<'a>) -> Vec<Named<'c, 'a>> {
    let returns: Vec<&Claim<'a>> = moves
        .iter()
        .filter(|claim| returned_empty(claim, way, moves))
        .collect();
    let Some(last) = returns
        .iter()
        .copied()
        .max_by(|a, b| (a.at, a.place).cmp(&(b.at, b.place)))
    else {
        return Vec::new();
    };
    returns
        .into_iter()
        .filter(|claim| claim.place == last.place)
        .map(|claim| Named {
            event: EventName::EmptyIn,
            place: last.place,
            leg: "",
            claim,
        })
        .collect()
}

/// A claim without a place belongs to the milestone of its name that has one.
fn settle_places(named: &mut [Named<'_, '_>]) {
    let placed: Vec<Named<'_, '_>> = named
        .iter()
        .copied()
        .filter(|n| n.place.is_some())
        .collect();
    for unplaced in named.iter_mut().filter(|n| n.place.is_none()) {
        let nearest = placed
            .iter()
            .filter(|n| n.event == unplaced.event)
            .min_by_key(|n| (n.claim.at.duration_since(unplaced.claim.at).abs(), n.place));
        unplaced.place = nearest.and_then(|n| n.place);
    }
}

/// Whether two claims can be about one happening, by their times.
pub(crate) fn is_one_happening(a: &Claim<'_>, b: &Claim<'_>) -> bool {
    let dated = a.precision == Precision::Day || b.precision == Precision::Day;
    let limit = if dated {
        ONE_HAPPENING_DATED_MAX
    } else {
        ONE_HAPPENING_MAX
    };
    a.at.duration_since(b.at).abs() <= limit
}

fn milestone<'a>(
    group: &[Named<'_, 'a>],
    gazetteer: &Gazetteer,
    flags: &mut Vec<QualityFlag>,
    scribe: &mut Scribe<'a>,
) -> Option<Milestone> {
    let first = group.first()?;
    let event = first.event;
    let mut claims: Vec<&Claim<'a>> = group.iter().map(|named| named.claim).collect();
    claims.sort_by(|a, b| order(event, a, b));
    let best = winner(event, &claims, gazetteer)?;
    let timed = best.report.source_kind;
    if differ(event, &claims) {
        flags.push(QualityFlag::TimesDiffer);
    }
    if claims.iter().any(|claim| claim.is_in_future()) {
        flags.push(QualityFlag::InFuture);
    }
    let locode = best
        .report
        .place
        .locode
        .or_else(|| claims.iter().find_map(|claim| claim.report.place.locode));
    let slot = Slot {
        event,
        place: first.place,
        leg: first.leg.to_owned(),
        occurrence: 0,
    };
    let at_terminal = claims
        .iter()
        .find_map(|claim| Some((*claim, terminal(claim, gazetteer)?)));
    let aboard = naming_vessel(event, &claims);
    let voyage = naming_voyage(event, &claims);
    scribe.decided(|| {
        let givers = [
            (Part::Time, Some(best)),
            (
                Part::Terminal,
                at_terminal.as_ref().map(|(claim, _)| *claim),
            ),
            (Part::Vessel, aboard),
            (Part::Voyage, voyage.as_ref().map(|(claim, _)| *claim)),
        ];
        weighed_up(Subject::Milestone(slot.clone()), event, &claims, &givers)
    });
    Some(Milestone {
        slot,
        at: best.at,
        precision: best.precision,
        zone: zone(locode, gazetteer),
        locode,
        terminal: at_terminal.map(|(_, terminal)| terminal),
        vessel: aboard.and_then(vessel),
        voyage: voyage.map(|(_, voyage)| voyage),
        source: timed,
        value: None,
    })
}

/// What a milestone was taken from, and what the other claims lack beside the one whose time it took.
fn weighed_up<'a>(
    subject: Subject,
    event: EventName,
    claims: &[&Claim<'a>],
    givers: &[(Part, Option<&Claim<'a>>)],
) -> Backing<'a> {
    let mut standing = Vec::new();
    let mut others = Vec::new();
    let timed = givers.first().and_then(|(_, claim)| *claim);
    for claim in claims {
        let gave = |giver: Option<&Claim<'a>>| giver.is_some_and(|g| std::ptr::eq(g, *claim));
        let gives: Vec<Part> = givers
            .iter()
            .filter(|(_, giver)| gave(*giver))
            .map(|(part, _)| *part)
            .collect();
        let stands = gives.contains(&Part::Time);
        let told = Statement {
            rank: Some(rank(event, claim)),
            verdict: match timed {
                _ if stands => Verdict::Stands,
                Some(best) => lack(event, best, claim),
                None => Verdict::Older,
            },
            contradicts: timed.is_some_and(|best| contradicts(claim, best)),
            gives,
            ..statement(claim.report, Verdict::Stands)
        };
        if told.gives.is_empty() {
            others.push(told);
        } else {
            standing.push(told);
        }
    }
    standing.sort_by_key(|s| s.verdict);
    backing(subject, standing, others)
}

/// What a claim lacks beside the one that won. Where the better source told only the day, a finer time of that
/// day won all the same: then the better source is the coarser one.
fn lack(event: EventName, best: &Claim<'_>, claim: &Claim<'_>) -> Verdict {
    let (order, lacks) = weighed(event, best, claim);
    if order.is_gt() {
        return Verdict::Coarser;
    }
    lacks
}

/// IANA zone of a place, as text of its own.
pub(crate) fn zone(locode: Option<UnLocode>, gazetteer: &Gazetteer) -> Option<String> {
    gazetteer.zone(locode?).map(str::to_owned)
}

fn differ(event: EventName, claims: &[&Claim<'_>]) -> bool {
    let Some(best) = claims.first() else {
        return false;
    };
    claims.iter().any(|claim| {
        rank(event, claim) <= 2
            && claim.report.source_kind != best.report.source_kind
            && contradicts(claim, best)
    })
}

/// Whether a claim is so far from the best that both cannot be right. What was seen done later may be as old.
fn contradicts(claim: &Claim<'_>, best: &Claim<'_>) -> bool {
    let is_later_look = claim.report.is_as_of() && claim.at >= best.at;
    !is_later_look && apart(claim, best) > AGREEMENT_MAX
}

/// How far apart two claims are at the least: a bare date may mean any minute of its day.
pub(super) fn apart(a: &Claim<'_>, b: &Claim<'_>) -> SignedDuration {
    let (first, second) = if a.at <= b.at { (a, b) } else { (b, a) };
    second.at.duration_since(first.latest())
}

/// The claim that names the vessel.
fn naming_vessel<'c, 'a>(event: EventName, claims: &[&'c Claim<'a>]) -> Option<&'c Claim<'a>> {
    if !is_aboard(event) {
        return None;
    }
    let mut all = claims.iter().copied();
    let numbered = all.find(|claim| claim.report.leg.vessel_imo.is_some());
    numbered.or_else(|| claims.iter().copied().find(|claim| vessel(claim).is_some()))
}

/// The claim that names the voyage, and the voyage.
fn naming_voyage<'c, 'a>(
    event: EventName,
    claims: &[&'c Claim<'a>],
) -> Option<(&'c Claim<'a>, String)> {
    if !is_aboard(event) {
        return None;
    }
    let mut all = claims.iter();
    all.find_map(|claim| Some((*claim, voyage_of(claim, is_inbound(event))?)))
}

/// The voyage a claim names: on arrival the import voyage, on departure the export voyage, else the other.
pub(crate) fn voyage_of(claim: &Claim<'_>, inbound: bool) -> Option<String> {
    let leg = &claim.report.leg;
    let (first, second) = if inbound {
        (&leg.voyage_in, &leg.voyage_out)
    } else {
        (&leg.voyage_out, &leg.voyage_in)
    };
    first.clone().or_else(|| second.clone())
}

fn is_inbound(event: EventName) -> bool {
    use EventName as E;
    matches!(
        event,
        E::VesselArrived
            | E::VesselBerthed
            | E::VesselDischarged
            | E::TransshipmentArrived
            | E::TransshipmentDischarged
            | E::FeederArrived
            | E::FeederDischarged
    )
}

fn is_aboard(event: EventName) -> bool {
    use EventName as E;
    is_inbound(event)
        || matches!(
            event,
            E::VesselLoaded
                | E::VesselDeparted
                | E::TransshipmentLoaded
                | E::TransshipmentDeparted
                | E::FeederLoaded
                | E::FeederDeparted
        )
}
