//! Where the box stands in its life, from the milestones that stand, never from what came in last.
//!
//! The stages are asked from the last to the first, so that a report which comes late about an early stage
//! cannot take a box back. Inland moves take their terminal states from the ramp, not from the port, and a gate behind
//! which a train took the goods on is no collection, nor is one behind which the box came back into its yard. Where a bare
//! date stands beside a time of its day, the later stage counts: a date may mean the evening.

use jiff::Timestamp;

use super::pickup::Ashore;
use super::scribe::{Scribe, backing};
use crate::container::{CurrentStatus, Milestone, Pickup};
use crate::event::EventName;
use crate::journey::Journey;
use crate::provenance::{Backing, Subject};

/// The public `current_status`; `ready_at` is when the ramp said last that the box can be collected.
pub(crate) fn status(
    milestones: &[Milestone],
    journey: &Journey,
    progress: &Ashore<'_>,
    pickup: &Pickup,
    ready_at: impl FnOnce() -> Option<Timestamp>,
) -> CurrentStatus {
    let life = Life { milestones };
    if life.last(EventName::EmptyIn).is_some() {
        return CurrentStatus::EmptyReturned;
    }
    if life.last(EventName::Delivered).is_some() {
        return CurrentStatus::Delivered;
    }
    ashore(&life, journey, progress, pickup, ready_at)
        .or_else(|| afloat(&life, pickup, progress))
        .unwrap_or(CurrentStatus::New)
}

/// Tells what the status follows from: the milestone that makes the stage, or what is said about collecting.
pub(super) fn told(status: CurrentStatus, milestones: &[Milestone], scribe: &mut Scribe<'_>) {
    scribe.decided(|| {
        let last = |events: &[EventName]| {
            let mut of = milestones.iter().rev();
            let found = of.find(|m| events.contains(&m.slot.event));
            found.map(|milestone| Subject::Milestone(milestone.slot.clone()))
        };
        let mut follows = Vec::new();
        if matches!(
            status,
            CurrentStatus::Available | CurrentStatus::NotAvailable
        ) {
            follows.extend([Subject::Available, Subject::Holds]);
        }
        let port = (status == CurrentStatus::OnShip)
            .then(|| last(AT_THE_PORT))
            .flatten();
        follows.extend(port.or_else(|| last(makers(status))));
        Backing {
            follows,
            ..backing(Subject::Status, Vec::new(), Vec::new())
        }
    });
}

/// The milestones that can make a box be where this status says.
fn makers(status: CurrentStatus) -> &'static [EventName] {
    use CurrentStatus as S;
    use EventName as E;
    match status {
        S::New => &[],
        S::OnShip => ABOARD,
        S::Grounded | S::Available | S::NotAvailable | S::AwaitingInlandTransfer => {
            &[E::VesselArrived, E::VesselDischarged, E::RailUnloaded]
        }
        S::OnRail => ON_RAIL,
        S::OffDock => &[E::FullIn],
        S::PickedUp => &[E::FullOut],
        S::Delivered => &[E::Delivered],
        S::EmptyReturned => &[E::EmptyIn],
    }
}

const ON_RAIL: &[EventName] = &[
    EventName::RailLoaded,
    EventName::RailDeparted,
    EventName::RailArrived,
];

const ABOARD: &[EventName] = &[
    EventName::VesselLoaded,
    EventName::VesselDeparted,
    EventName::TransshipmentArrived,
    EventName::TransshipmentDischarged,
    EventName::TransshipmentLoaded,
    EventName::TransshipmentDeparted,
    EventName::FeederLoaded,
    EventName::FeederDeparted,
    EventName::FeederArrived,
    EventName::FeederDischarged,
];

const AT_THE_PORT: &[EventName] = &[EventName::VesselArrived, EventName::VesselBerthed];

struct Life<'m> {
    milestones: &'m [Milestone],
}

impl<'m> Life<'m> {
    fn milestones(&self, events: &'static [EventName]) -> impl Iterator<Item = &'m Milestone> {
        let all = self.milestones.iter();
        all.filter(move |m| events.contains(&m.slot.event))
    }

    fn last(&self, event: EventName) -> Option<Timestamp> {
        let of = self.milestones.iter().filter(|m| m.slot.event == event);
        of.map(|milestone| milestone.at).max()
    }

    fn last_of(&self, events: &[EventName]) -> Option<Timestamp> {
        events.iter().filter_map(|event| self.last(*event)).max()
    }
}

fn ashore(
    life: &Life<'_>,
    journey: &Journey,
    progress: &Ashore<'_>,
    pickup: &Pickup,
    ready_at: impl FnOnce() -> Option<Timestamp>,
) -> Option<CurrentStatus> {
    let discharged = life.last(EventName::VesselDischarged);
    let landed = discharged
        .or_else(|| life.last(EventName::VesselArrived))
        .or(progress.landed_since);
    let after = |m: &&Milestone| landed.is_none_or(|landed| m.latest() >= landed);
    let came_ashore = |m: &&Milestone| landed.is_some() && after(m);
    let yard = life.milestones(&[EventName::FullIn]).filter(came_ashore);
    let yard = yard.filter(|yard| !progress.is_back_behind(yard));
    let yard = yard.max_by_key(|m| m.latest());
    let gates = life.milestones(&[EventName::FullOut]);
    let gates = gates.filter(|gate| !progress.is_back_behind(gate));
    let collected = gates.filter(|gate| !progress.went_on_behind(&gate.slot));
    if let Some(out) = collected.max_by_key(|m| m.at) {
        return Some(if yard.is_some_and(|yard| is_behind(yard, out)) {
            CurrentStatus::OffDock
        } else {
            CurrentStatus::PickedUp
        });
    }
    let unloaded = life.milestones(&[EventName::RailUnloaded]).filter(after);
    let unloaded = unloaded.max_by_key(|m| m.latest());
    let mut rail = life.milestones(ON_RAIL).filter(came_ashore).peekable();
    let on_rail = rail.peek().is_some();
    match unloaded {
        Some(unloaded) if landed.is_some() && !rail.any(|m| rides_on(m, unloaded)) => {
            return Some(at_terminal(pickup));
        }
        _ if on_rail => {
            let free = pickup.available == Some(true);
            return Some(if free && is_behind_trains(ready_at(), life, progress) {
                at_terminal(pickup)
            } else {
                CurrentStatus::OnRail
            });
        }
        _ => {}
    }
    if yard.is_some() {
        return Some(CurrentStatus::OffDock);
    }
    discharged?;
    Some(if journey.destination.is_some() {
        CurrentStatus::AwaitingInlandTransfer
    } else {
        at_terminal(pickup)
    })
}

/// Whether the ramp at the end of the way said that the box can be collected after all that is told of trains: not every
/// railroad tells the unloading. That a train came there takes nothing back, whatever time a line gives to it.
fn is_behind_trains(ready_at: Option<Timestamp>, life: &Life<'_>, progress: &Ashore<'_>) -> bool {
    let trains = life.milestones(ON_RAIL);
    let away = trains.filter(|train| !progress.reaches_the_ramp(train));
    ready_at.is_some() && ready_at >= away.map(Milestone::latest).max()
}

/// Whether the box came into the yard after it left through this gate. The gate of the yard itself is behind it.
fn is_behind(yard: &Milestone, out: &Milestone) -> bool {
    let at = if out.slot.leg.is_empty() {
        yard.latest()
    } else {
        yard.at
    };
    at > out.at
}

/// Whether it is on a train after this unloading. What loads or leaves where it was unloaded came after that.
fn rides_on(rail: &Milestone, unloaded: &Milestone) -> bool {
    let away = matches!(
        rail.slot.event,
        EventName::RailLoaded | EventName::RailDeparted
    );
    if away && rail.slot.place == unloaded.slot.place {
        rail.at > unloaded.at
    } else {
        rail.at > unloaded.latest()
    }
}

fn at_terminal(pickup: &Pickup) -> CurrentStatus {
    let held = pickup.held_by().next().is_some();
    match pickup.available {
        Some(false) => CurrentStatus::NotAvailable,
        _ if held => CurrentStatus::NotAvailable,
        Some(true) => CurrentStatus::Available,
        None => CurrentStatus::Grounded,
    }
}

fn afloat(life: &Life<'_>, pickup: &Pickup, progress: &Ashore<'_>) -> Option<CurrentStatus> {
    let arrived = life.last_of(AT_THE_PORT);
    let arrived = arrived.or(progress.landed_at);
    if arrived.is_some() && pickup.available == Some(true) {
        return Some(at_terminal(pickup));
    }
    (arrived.is_some() || life.last_of(ABOARD).is_some()).then_some(CurrentStatus::OnShip)
}
