//! Where the box stands in its life, from the milestones that stand, never from what came in last.
//!
//! The stages are asked from the last to the first, so that a report which comes late about an early stage
//! cannot take a box back. Inland moves take their terminal states from the ramp, not from the port.

use jiff::Timestamp;

use super::scribe::{Scribe, backing};
use crate::container::{CurrentStatus, HoldStatus, Milestone, Pickup};
use crate::event::EventName;
use crate::journey::Journey;
use crate::provenance::{Backing, Subject};

/// The public `current_status`.
pub(crate) fn status(
    milestones: &[Milestone],
    journey: &Journey,
    pickup: &Pickup,
) -> CurrentStatus {
    let life = Life { milestones };
    if life.last(EventName::EmptyIn).is_some() {
        return CurrentStatus::EmptyReturned;
    }
    if life.last(EventName::Delivered).is_some() {
        return CurrentStatus::Delivered;
    }
    ashore(&life, journey, pickup)
        .or_else(|| afloat(&life, pickup))
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

impl Life<'_> {
    fn last(&self, event: EventName) -> Option<Timestamp> {
        let of = self.milestones.iter().filter(|m| m.slot.event == event);
        of.map(|milestone| milestone.at).max()
    }

    fn last_of(&self, events: &[EventName]) -> Option<Timestamp> {
        events.iter().filter_map(|event| self.last(*event)).max()
    }
}

fn ashore(life: &Life<'_>, journey: &Journey, pickup: &Pickup) -> Option<CurrentStatus> {
    let discharged = life.last(EventName::VesselDischarged);
    let landed = discharged.or_else(|| life.last(EventName::VesselArrived));
    let after = |at: &Timestamp| landed.is_none_or(|landed| *at >= landed);
    let yard = life
        .last(EventName::FullIn)
        .filter(|at| landed.is_some() && after(at));
    if let Some(out) = life.last(EventName::FullOut) {
        let back = yard.is_some_and(|yard| yard > out);
        return Some(if back {
            CurrentStatus::OffDock
        } else {
            CurrentStatus::PickedUp
        });
    }
    let rail = life
        .last_of(ON_RAIL)
        .filter(|at| landed.is_some() && after(at));
    let unloaded = life.last(EventName::RailUnloaded).filter(after);
    match (rail, unloaded) {
        (rail, Some(unloaded)) if landed.is_some() && rail.is_none_or(|rail| rail <= unloaded) => {
            return Some(at_terminal(pickup));
        }
        (Some(_), _) => return Some(CurrentStatus::OnRail),
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

fn at_terminal(pickup: &Pickup) -> CurrentStatus {
    let held = pickup
        .holds
        .iter()
        .any(|hold| hold.status == HoldStatus::Hold);
    match pickup.available {
        Some(false) => CurrentStatus::NotAvailable,
        _ if held => CurrentStatus::NotAvailable,
        Some(true) => CurrentStatus::Available,
        None => CurrentStatus::Grounded,
    }
}

fn afloat(life: &Life<'_>, pickup: &Pickup) -> Option<CurrentStatus> {
    let arrived = life.last_of(AT_THE_PORT);
    if arrived.is_some() && pickup.available == Some(true) {
        return Some(at_terminal(pickup));
    }
    (arrived.is_some() || life.last_of(ABOARD).is_some()).then_some(CurrentStatus::OnShip)
}
