//! The route: each call of the way with both its sides, from the moves that stand.
//!
//! The state keeps what clients are told (milestones, three estimates); a map wants every port with both
//! times of both sides. So the route is read from the same claims, by the same way, when somebody asks for it,
//! and costs the state no byte. Where a call is one of the three that people wait for, its estimate is the
//! shown one, so that map and shipment never disagree.

use std::cmp::Ordering;

use jiff::Timestamp;

use super::Said;
use super::claims::Claim;
use super::estimates::estimates;
use super::milestones::{milestones, voyage_of};
use super::readings::by_issue;
use super::scribe::Scribe;
use crate::codes::{ContainerNumber, UnLocode};
use crate::container::{Estimate, Milestone, after_sea};
use crate::event::EventName;
use crate::journey::legs::Part as Role;
use crate::journey::{Way, vessel};
use crate::place::Gazetteer;
use crate::report::{Classifier, Mode, Report, SourceKind, Verb};
use crate::route::{Call, Part, Passage};
use crate::trust::Trust;

/// The way of `number` call by call, computed from **all** `reports` about it; empty while no call is known.
pub fn route(
    number: ContainerNumber,
    reports: &[Report],
    gazetteer: &Gazetteer,
    trust: &Trust,
    now: Timestamp,
) -> Vec<Call> {
    let said = Said {
        number,
        reports,
        gazetteer,
        trust,
        now,
    };
    let nobody = &mut Scribe::silent();
    let moves = said.heard(nobody).moves;
    let way = Way::of(&moves);
    let (milestones, _) = milestones(&moves, &way, gazetteer, nobody);
    let shown = estimates(&moves, &way, &milestones, gazetteer, nobody);
    let view = View {
        moves: &moves,
        way: &way,
        milestones: &milestones,
        shown: &shown,
        gazetteer,
    };
    let mut calls = view.at_sea();
    calls.extend(view.inland());
    name_vessels_at_both_ends(&mut calls);
    settle_what_is_done(&mut calls);
    calls
}

struct View<'v, 'a> {
    moves: &'v [Claim<'a>],
    way: &'v Way<'a>,
    milestones: &'v [Milestone],
    shown: &'v [Estimate],
    gazetteer: &'v Gazetteer,
}

/// Which side of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    In,
    Out,
}

impl View<'_, '_> {
    fn at_sea(&self) -> Vec<Call> {
        let role = |role: Role| match role {
            Role::Lading => Some(Part::Lading),
            Role::Transshipment => Some(Part::Transshipment),
            Role::Discharge => Some(Part::Discharge),
            Role::Through => None,
        };
        let stops = self.way.sea.stops.iter();
        stops
            .filter_map(|(stop, played)| {
                let part = role(*played)?;
                let (comes, leaves) = (part != Part::Lading, part != Part::Discharge);
                Some(Call {
                    place: stop.place,
                    part,
                    terminal: self.terminal(stop.place),
                    inbound: comes.then(|| self.passage(stop.place, part, Side::In)),
                    outbound: if leaves {
                        Some(self.passage(stop.place, part, Side::Out))
                    } else {
                        self.by_train()
                    },
                })
            })
            .collect()
    }

    /// The train that took it on from the port of discharge, once it has left, as the container tells of it.
    fn by_train(&self) -> Option<Passage> {
        if self.way.ends_at_door {
            return None;
        }
        let mut ashore = after_sea(self.milestones);
        let left = ashore.find(|milestone| milestone.slot.event == EventName::RailDeparted)?;
        Some(Passage {
            mode: Some(Mode::Rail),
            actual_at: Some(left.at),
            done: true,
            ..Passage::default()
        })
    }

    /// The place inland, when the way goes on by rail or road; the port of discharge then has a leaving, too.
    fn inland(&self) -> Option<Call> {
        let place = self.way.destination?;
        let mode = if self.way.ends_at_door {
            Mode::Truck
        } else {
            Mode::Rail
        };
        let arrived = self.last(None, &[EventName::ArrivedAtInlandDestination]);
        let unloaded = [EventName::RailUnloaded, EventName::Delivered];
        Some(Call {
            place,
            part: Part::Inland,
            terminal: self.terminal(place),
            inbound: Some(Passage {
                mode: Some(mode),
                estimated_at: self.shown(EventName::EstimatedArrivedAtInlandDestination),
                actual_at: arrived,
                done: arrived.or_else(|| self.last(None, &unloaded)).is_some(),
                ..Passage::default()
            }),
            outbound: None,
        })
    }

    fn passage(&self, place: UnLocode, part: Part, side: Side) -> Passage {
        let named = self.best(place, side, |claim| vessel(claim).is_some());
        let told = self.best(place, side, |c| voyage_of(c, side == Side::In).is_some());
        let actual_at = self.last(Some(place), movement(side));
        Passage {
            mode: Some(Mode::Vessel),
            vessel: named.and_then(vessel),
            voyage: told.and_then(|claim| voyage_of(claim, side == Side::In)),
            estimated_at: self.estimated(place, part, side, actual_at),
            actual_at,
            done: actual_at.is_some()
                || (side == Side::In && self.last(Some(place), lifted()).is_some()),
        }
    }

    fn estimated(
        &self,
        place: UnLocode,
        part: Part,
        side: Side,
        actual_at: Option<Timestamp>,
    ) -> Option<Timestamp> {
        let waited_for = match (part, side) {
            (Part::Lading, Side::Out) => self.shown(EventName::EstimatedVesselDeparted),
            (Part::Discharge, Side::In) => self.shown(EventName::EstimatedVesselArrived),
            _ => None,
        };
        waited_for.or_else(|| {
            let expected = self.about(place, side).filter(|claim| {
                let in_time = actual_at.is_none_or(|at| claim.report.issued_at() <= at);
                !claim.is_actual() && in_time && claim.report.source_kind != SourceKind::Ais
            });
            expected.max_by(|a, b| firmest(a, b)).map(|claim| claim.at)
        })
    }

    /// What is said about the vessel's call on this side.
    fn about(&self, place: UnLocode, side: Side) -> impl Iterator<Item = &Claim<'_>> {
        let verbs: &[Verb] = match side {
            Side::In => &[Verb::Arrive, Verb::Eta, Verb::Berth],
            Side::Out => &[Verb::Depart],
        };
        self.moves.iter().filter(move |claim| {
            let by_sea =
                claim.is_by(Mode::Vessel) || (claim.mode.is_none() && claim.verb == Verb::Eta);
            claim.place == Some(place)
                && verbs.contains(&claim.verb)
                && by_sea
                && claim.laden != Some(false)
                && !self.way.sea.is_other_vessel(claim)
                && !self.is_of_the_ship_before(claim, side)
        })
    }

    /// Whether it is expected at the end of the way of a ship that another one has taken the place of.
    fn is_of_the_ship_before(&self, claim: &Claim<'_>, side: Side) -> bool {
        let sea = &self.way.sea;
        let ends = side == Side::In && claim.place == sea.discharge().map(|stop| stop.place);
        let from = sea.last_hub().filter(|_| ends && !claim.is_actual());
        from.is_some_and(|from| from.took_on_since(claim))
    }

    fn best(
        &self,
        place: UnLocode,
        side: Side,
        tells: impl Fn(&Claim<'_>) -> bool,
    ) -> Option<&Claim<'_>> {
        let lift = match side {
            Side::In => Verb::Discharge,
            Side::Out => Verb::Load,
        };
        let lifts = self.moves.iter().filter(move |claim| {
            claim.place == Some(place) && claim.verb == lift && claim.is_by(Mode::Vessel)
        });
        let lifted = lifts.filter(|c| tells(c)).max_by(|a, b| firmest(a, b));
        let called = || self.about(place, side).filter(|c| tells(c));
        lifted.or_else(|| called().max_by(|a, b| firmest(a, b)))
    }

    fn last(&self, place: Option<UnLocode>, events: &[EventName]) -> Option<Timestamp> {
        let of = self.milestones.iter().filter(|milestone| {
            events.contains(&milestone.slot.event)
                && (place.is_none() || milestone.slot.place == place)
        });
        of.map(|milestone| milestone.at).max()
    }

    fn shown(&self, event: EventName) -> Option<Timestamp> {
        let shown = self.shown.iter().find(|estimate| estimate.event == event);
        shown.map(|estimate| estimate.at)
    }

    fn terminal(&self, place: UnLocode) -> Option<String> {
        let here = self.moves.iter().rev().filter(|c| c.place == Some(place));
        let named = |classifier: Option<Classifier>| {
            here.clone()
                .filter(|c| classifier.is_none_or(|wanted| c.classifier == wanted))
                .filter(|c| !matches!(c.verb, Verb::GateIn | Verb::GateOut))
                .find_map(|claim| crate::journey::terminal(claim, self.gazetteer))
        };
        named(Some(Classifier::Actual)).or_else(|| named(None))
    }
}

/// Actual over estimated over planned, then the newer issue.
fn firmest(a: &Claim<'_>, b: &Claim<'_>) -> Ordering {
    a.classifier
        .cmp(&b.classifier)
        .then_with(|| by_issue(a.report, b.report))
}

fn movement(side: Side) -> &'static [EventName] {
    match side {
        Side::In => &[EventName::VesselArrived, EventName::TransshipmentArrived],
        Side::Out => &[EventName::VesselDeparted, EventName::TransshipmentDeparted],
    }
}

fn lifted() -> &'static [EventName] {
    &[
        EventName::VesselBerthed,
        EventName::VesselDischarged,
        EventName::TransshipmentDischarged,
        EventName::TransshipmentLoaded,
    ]
}

/// A vessel that is named at one end of a leg is the vessel at its other end.
fn name_vessels_at_both_ends(calls: &mut [Call]) {
    for index in 1..calls.len() {
        let (before, after) = calls.split_at_mut(index);
        let (Some(from), Some(to)) = (before.last_mut(), after.first_mut()) else {
            continue;
        };
        if from.part == Part::Discharge {
            let mode = to.inbound.as_ref().and_then(|passage| passage.mode);
            from.outbound.get_or_insert_default().mode = mode;
        } else if let (Some(out), Some(inbound)) = (&mut from.outbound, &mut to.inbound) {
            let numbered = |p: &Passage| p.vessel.as_ref().is_some_and(|v| v.imo.is_some());
            if inbound.vessel.is_none() || (numbered(out) && !numbered(inbound)) {
                inbound.vessel.clone_from(&out.vessel);
            } else if out.vessel.is_none() {
                out.vessel.clone_from(&inbound.vessel);
            }
        }
    }
}

/// What lies before something that happened has happened.
fn settle_what_is_done(calls: &mut [Call]) {
    let mut further = false;
    for call in calls.iter_mut().rev() {
        for passage in [&mut call.outbound, &mut call.inbound]
            .into_iter()
            .flatten()
        {
            passage.done |= further;
            further = passage.done;
        }
    }
}
