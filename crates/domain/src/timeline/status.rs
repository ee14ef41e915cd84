//! Where the box stands in its life, from the milestones that stand, never from what came in last.
//!
//! The stages are asked from the last to the first, so that a report which comes late about an early stage
//! cannot take a box back. Inland moves take their terminal states from the ramp, not from the port.

use jiff::Timestamp;

use crate::container::{CurrentStatus, HoldStatus, Milestone, Pickup};
use crate::event::EventName;
use crate::journey::Journey;

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
    let moving = [
        EventName::RailLoaded,
        EventName::RailDeparted,
        EventName::RailArrived,
    ];
    let rail = life
        .last_of(&moving)
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
    use EventName as E;
    let arrived = life.last_of(&[E::VesselArrived, E::VesselBerthed]);
    if arrived.is_some() && pickup.available == Some(true) {
        return Some(at_terminal(pickup));
    }
    let aboard = [
        E::VesselLoaded,
        E::VesselDeparted,
        E::TransshipmentArrived,
        E::TransshipmentDischarged,
        E::TransshipmentLoaded,
        E::TransshipmentDeparted,
        E::FeederLoaded,
        E::FeederDeparted,
        E::FeederArrived,
        E::FeederDischarged,
    ];
    (arrived.is_some() || life.last_of(&aboard).is_some()).then_some(CurrentStatus::OnShip)
}
