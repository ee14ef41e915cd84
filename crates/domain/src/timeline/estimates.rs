//! The estimate that is shown for each of the three calls people wait for: departure from the port of lading,
//! arrival at the port of discharge, arrival inland.
//!
//! An estimate is shown over a plan, whichever is newer; among estimates the newest issue wins, because an
//! estimate is an opinion about the future and the last opinion counts. Two exceptions stand where a party
//! knows better: a terminal's own schedule within three days before the ship, and the railroad inland. An
//! estimate that lies before something it must follow is no estimate, nor is one whose time has passed once anybody named a later
//! one, or that of a ship which another one has taken the place of. When the actual comes the call is
//! closed, also where only something behind it is told: an arrival is no longer estimated, and a departure keeps the last
//! estimate issued before it.

use std::cmp::Ordering;

use jiff::{SignedDuration, Timestamp};

use super::claims::{Claim, is_facility, is_railroad};
use super::milestones::{voyage_of, zone};
use super::readings::by_issue;
use super::scribe::{Scribe, backing, statement};
use crate::codes::UnLocode;
use crate::container::{Estimate, FirstEstimates, Milestone};
use crate::event::EventName;
use crate::journey::{Way, vessel};
use crate::place::Gazetteer;
use crate::provenance::{Backing, Part, Statement, Subject, Verdict};
use crate::report::{Classifier, Mode, Report, SourceKind, Verb};
use crate::trust::{self, Group, Trust};

/// How long before the arrival the terminal's schedule is the better one.
const TERMINAL_KNOWS_BEFORE: SignedDuration = SignedDuration::from_hours(72);
/// Rank of who knows better.
const BEST: u8 = 1;

/// The shown estimates, in the order of the way.
pub(crate) fn estimates<'a>(
    moves: &[Claim<'a>],
    way: &Way<'a>,
    milestones: &[Milestone],
    gazetteer: &Gazetteer,
    scribe: &mut Scribe<'a>,
) -> Vec<Estimate> {
    [
        EventName::EstimatedVesselDeparted,
        EventName::EstimatedVesselArrived,
        EventName::EstimatedArrivedAtInlandDestination,
    ]
    .into_iter()
    .filter_map(|event| {
        let call = Call::of(event, way, milestones, gazetteer);
        let best = moves
            .iter()
            .filter(|claim| call.admits(claim, way) && !call.is_over(claim, moves, way))
            .max_by(|a, b| call.order(a, b))?;
        scribe.decided(|| call.backing(best, moves, way));
        Some(estimate(event, best, gazetteer))
    })
    .collect()
}

/// The first estimate that the line issued for each of the three calls, whatever became of it. Older readings
/// of one claim count, so this looks at everything that was heard, oldest issue first.
pub(crate) fn first_estimates<'a>(
    readings: &[&'a Report],
    way: &Way<'a>,
    gazetteer: &Gazetteer,
    trust: &'a Trust,
) -> FirstEstimates {
    let expected: Vec<Claim<'_>> = readings
        .iter()
        .filter(|report| matches!(report.verb, Verb::Arrive | Verb::Eta | Verb::Depart))
        .filter(|report| !is_facility(report.source_kind) && report.source_kind != SourceKind::Ais)
        .filter_map(|report| Claim::of(report, gazetteer, trust))
        .filter(|claim| !claim.is_actual() && claim.laden != Some(false))
        .collect();
    let first = |event| {
        let call = Call {
            event,
            closed_at: None,
            not_before: None,
        };
        let mut about = expected.iter().filter(|claim| call.is_about(claim, way));
        about.next().map(|claim| claim.at)
    };
    FirstEstimates {
        pol_departure: first(EventName::EstimatedVesselDeparted),
        pod_arrival: first(EventName::EstimatedVesselArrived),
        inland_arrival: first(EventName::EstimatedArrivedAtInlandDestination),
    }
}

/// One call that people wait for, and what is known of it already.
struct Call {
    event: EventName,
    /// It happened.
    closed_at: Option<Timestamp>,
    /// The last thing it must follow.
    not_before: Option<Timestamp>,
}

impl Call {
    fn of(
        event: EventName,
        way: &Way<'_>,
        milestones: &[Milestone],
        gazetteer: &Gazetteer,
    ) -> Self {
        use EventName as E;
        let last = |names: &[EventName]| {
            let of = milestones.iter().filter(|m| names.contains(&m.slot.event));
            of.map(|milestone| milestone.at).max()
        };
        let left_by = [E::VesselDeparted, E::TransshipmentDeparted];
        let (closed_at, not_before) = match event {
            E::EstimatedVesselDeparted => {
                let lading = way.sea.lading().map(|stop| stop.place);
                let left = milestones
                    .iter()
                    .find(|m| left_by.contains(&m.slot.event) && m.slot.place == lading);
                let sailed = [
                    E::VesselArrived,
                    E::VesselDischarged,
                    E::TransshipmentArrived,
                ];
                (left.map(|m| m.at).or_else(|| last(&sailed)), None)
            }
            E::EstimatedVesselArrived => (
                last(&[E::VesselArrived, E::VesselDischarged]).or(way.landed_since),
                last(&[
                    E::VesselLoaded,
                    E::VesselDeparted,
                    E::TransshipmentArrived,
                    E::TransshipmentDischarged,
                    E::TransshipmentLoaded,
                    E::TransshipmentDeparted,
                ]),
            ),
            _ => (
                last(&[E::ArrivedAtInlandDestination, E::Delivered, E::EmptyIn])
                    .or_else(|| seen_inland(way, milestones, gazetteer)),
                last(&[E::VesselArrived, E::VesselDischarged, E::RailDeparted]),
            ),
        };
        Self {
            event,
            closed_at,
            not_before,
        }
    }

    fn admits(&self, claim: &Claim<'_>, way: &Way<'_>) -> bool {
        self.is_told_by(claim, way)
            && self.is_timely(claim)
            && !self.is_of_the_ship_before(claim, way)
    }

    /// Whether its time has passed and somebody said since that the call is still to come.
    fn is_over(&self, claim: &Claim<'_>, moves: &[Claim<'_>], way: &Way<'_>) -> bool {
        let is_later =
            |other: &Claim<'_>| other.at > claim.at && other.report.issued_at() > claim.latest();
        let mut later = moves.iter().filter(|other| is_later(other));
        later.any(|other| self.admits(other, way))
    }

    /// Whether the load of the box was told since by another ship: the call of the one before is another's.
    fn is_of_the_ship_before(&self, claim: &Claim<'_>, way: &Way<'_>) -> bool {
        let from = match self.event {
            EventName::EstimatedVesselDeparted => way.sea.lading(),
            EventName::EstimatedVesselArrived => way.sea.last_loading(),
            _ => None,
        };
        from.is_some_and(|from| from.took_on_since(claim))
    }

    /// Whether it says when the call is expected.
    fn is_told_by(&self, claim: &Claim<'_>, way: &Way<'_>) -> bool {
        !claim.is_actual()
            && claim.laden != Some(false)
            && claim.report.source_kind != SourceKind::Ais
            && self.is_about(claim, way)
    }

    /// Whether the call was still open when it was said, and what it must follow lies before it.
    fn is_timely(&self, claim: &Claim<'_>) -> bool {
        let follows = |actual| claim.latest() >= actual;
        self.is_open_to(claim) && self.not_before.is_none_or(follows)
    }

    /// What the shown estimate was taken from, and what else is expected.
    fn backing<'a>(&self, best: &Claim<'a>, moves: &[Claim<'a>], way: &Way<'a>) -> Backing<'a> {
        let told = moves.iter().filter(|claim| self.is_told_by(claim, way));
        let judged = told.map(|claim| {
            let verdict = match () {
                () if std::ptr::eq(claim.report, best.report) => Verdict::Stands,
                () if !self.is_timely(claim)
                    || self.is_of_the_ship_before(claim, way)
                    || self.is_over(claim, moves, way) =>
                {
                    Verdict::Overtaken
                }
                () => self.weighed(best, claim).1,
            };
            let stands = verdict == Verdict::Stands;
            Statement {
                rank: Some(self.rank(claim)),
                gives: stands.then_some(Part::Time).into_iter().collect(),
                ..statement(claim.report, verdict)
            }
        });
        let (standing, others) = judged.partition(|s| s.verdict == Verdict::Stands);
        backing(Subject::Estimate(self.event), standing, others)
    }

    fn is_about(&self, claim: &Claim<'_>, way: &Way<'_>) -> bool {
        let arrives = matches!(claim.verb, Verb::Arrive | Verb::Eta);
        let place = claim.place;
        match self.event {
            EventName::EstimatedVesselDeparted => {
                claim.verb == Verb::Depart
                    && claim.is_by(Mode::Vessel)
                    && place.is_some()
                    && place == way.sea.lading().map(|stop| stop.place)
                    && !way.sea.is_other_vessel(claim)
            }
            EventName::EstimatedVesselArrived => {
                let by_sea =
                    claim.is_by(Mode::Vessel) || (claim.mode.is_none() && claim.verb == Verb::Eta);
                arrives
                    && by_sea
                    && place.is_some()
                    && place == way.sea.discharge().map(|stop| stop.place)
                    && !way.sea.is_other_vessel(claim)
            }
            _ => {
                let inland = !matches!(claim.mode, Some(Mode::Vessel | Mode::Barge));
                arrives && inland && claim.area.is_some() && claim.area == way.destination_area
            }
        }
    }

    fn is_open_to(&self, claim: &Claim<'_>) -> bool {
        match self.closed_at {
            None => true,
            Some(at) => {
                self.event == EventName::EstimatedVesselDeparted && claim.report.issued_at() <= at
            }
        }
    }

    /// The better estimate is the greater one.
    fn order(&self, a: &Claim<'_>, b: &Claim<'_>) -> Ordering {
        self.weighed(a, b).0
    }

    /// The better estimate is the greater one; and what the other lacks.
    fn weighed(&self, a: &Claim<'_>, b: &Claim<'_>) -> (Ordering, Verdict) {
        let firm = |claim: &Claim<'_>| claim.classifier != Classifier::Planned;
        let by_rank = firm(a)
            .cmp(&firm(b))
            .then_with(|| self.rank(b).cmp(&self.rank(a)));
        if by_rank.is_ne() {
            return (by_rank, Verdict::Outranked);
        }
        (by_issue(a.report, b.report), Verdict::Older)
    }

    /// 1 for who knows better than the others, else 2, unless its source was given another.
    fn rank(&self, claim: &Claim<'_>) -> u8 {
        let usual = trust::rank(Group::Estimates, claim.report.source_kind, None);
        let given = trust::rank(Group::Estimates, claim.report.source_kind, claim.ranks);
        if given == usual && self.knows_better(claim) {
            return BEST;
        }
        given
    }

    fn knows_better(&self, claim: &Claim<'_>) -> bool {
        let inland = self.event == EventName::EstimatedArrivedAtInlandDestination;
        match claim.report.source_kind {
            railroad if is_railroad(railroad) => inland,
            SourceKind::TerminalApi => {
                let ahead = claim.at.duration_since(claim.report.issued_at());
                !inland && ahead <= TERMINAL_KNOWS_BEFORE
            }
            _ => false,
        }
    }
}

/// When the box was last seen at the inland destination, though nobody told that it came there: off its train, or out through
/// the gate.
fn seen_inland(
    way: &Way<'_>,
    milestones: &[Milestone],
    gazetteer: &Gazetteer,
) -> Option<Timestamp> {
    let port = way.sea.discharge().map(|stop| stop.place);
    let is_there = |place: UnLocode| {
        Some(place) != port && way.destination_area == Some(gazetteer.area(place))
    };
    let seen = milestones.iter().filter(|m| {
        matches!(m.slot.event, EventName::RailUnloaded | EventName::FullOut)
            && m.slot.place.is_some_and(is_there)
            && way.landed_since.is_none_or(|landed| m.latest() >= landed)
    });
    seen.map(|milestone| milestone.at).max()
}

fn estimate(event: EventName, claim: &Claim<'_>, gazetteer: &Gazetteer) -> Estimate {
    let locode = claim.report.place.locode;
    let inbound = event != EventName::EstimatedVesselDeparted;
    Estimate {
        event,
        at: claim.at,
        zone: zone(locode, gazetteer),
        locode,
        vessel: vessel(claim),
        voyage: voyage_of(claim, inbound),
        source: claim.report.source_kind,
    }
}
