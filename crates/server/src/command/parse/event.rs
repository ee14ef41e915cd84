//! A public event as one line of JSON: the members are the same for all of them.

use domain::codes::{ContainerNumber, UnLocode};
use domain::container::{Estimate, LastFreeDay, LfdOwner, Milestone};
use domain::event::{Attribute, Change, EventName};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The line of a change that fires an event. What changes without a place in time happens `now`.
pub fn line(number: ContainerNumber, change: &Change, now: Timestamp) -> Option<Value> {
    let plain = |event: EventName| Line::of(number, event, now);
    let line = match change {
        Change::Stands(milestone)
        | Change::Replaced {
            after: milestone, ..
        } => Line::milestone(number, milestone),
        Change::Estimated(estimate) => Line::estimate(number, estimate),
        Change::LastFreeDay(owner, day) => plain(of_owner(*owner)).day(day.as_ref()),
        Change::CoalescedLastFreeDay(day) => plain(EventName::PickupLfdChanged).day(day.as_ref()),
        Change::Appointment(at) => Line {
            value: json!(at.map(|at| at.to_string())),
            ..plain(EventName::PickupAppointmentChanged)
        },
        Change::PodTerminal { after, .. } => Line {
            value: json!(after),
            ..plain(EventName::PodTerminalChanged)
        },
        Change::Updated(changeset) => Line {
            value: changeset.iter().map(name).collect(),
            ..plain(EventName::ContainerUpdated)
        },
        Change::Corrected { .. } | Change::Withdrawn(_) => return None,
    };
    Some(line.json())
}

struct Line {
    event: EventName,
    container: ContainerNumber,
    timestamp: Timestamp,
    timezone: Option<String>,
    location: Option<UnLocode>,
    value: Value,
}

impl Line {
    fn of(container: ContainerNumber, event: EventName, timestamp: Timestamp) -> Self {
        Self {
            event,
            container,
            timestamp,
            timezone: None,
            location: None,
            value: Value::Null,
        }
    }

    fn milestone(container: ContainerNumber, milestone: &Milestone) -> Self {
        Self {
            timezone: milestone.zone.clone(),
            location: milestone.locode,
            value: json!(milestone.value),
            ..Self::of(container, milestone.slot.event, milestone.at)
        }
    }

    fn estimate(container: ContainerNumber, estimate: &Estimate) -> Self {
        Self {
            timezone: estimate.zone.clone(),
            location: estimate.locode,
            ..Self::of(container, estimate.event, estimate.at)
        }
    }

    fn day(self, day: Option<&LastFreeDay>) -> Self {
        Self {
            timezone: day.and_then(|day| day.zone.clone()),
            value: json!(day.map(|day| day.date.to_string())),
            ..self
        }
    }

    fn json(&self) -> Value {
        json!({
            "event": self.event.as_str(),
            "container": self.container.as_str(),
            "timestamp": self.timestamp.to_string(),
            "timezone": self.timezone,
            "location": self.location.map(|locode| locode.to_string()),
            "value": self.value,
        })
    }
}

fn of_owner(owner: LfdOwner) -> EventName {
    match owner {
        LfdOwner::Line => EventName::PickupLfdLineChanged,
        LfdOwner::Terminal => EventName::PickupLfdTerminalChanged,
        LfdOwner::Rail => EventName::PickupLfdRailChanged,
    }
}

/// A changed attribute, by its name on the wire.
fn name(attribute: &Attribute) -> &'static str {
    match attribute {
        Attribute::AvailableForPickup(..) => "available_for_pickup",
        Attribute::PickupLfd(..) => "pickup_lfd",
        Attribute::PickupLfdOf(LfdOwner::Line, ..) => "pickup_lfd_line",
        Attribute::PickupLfdOf(LfdOwner::Terminal, ..) => "pickup_lfd_terminal",
        Attribute::PickupLfdOf(LfdOwner::Rail, ..) => "pickup_lfd_rail",
        Attribute::Holds(..) => "holds_at_pod_terminal",
        Attribute::Fees(..) => "fees_at_pod_terminal",
        Attribute::PickupAppointment(..) => "pickup_appointment_at",
        Attribute::PodTerminal(..) => "pod_terminal",
        Attribute::MilestoneTime(name, ..) => name,
    }
}
