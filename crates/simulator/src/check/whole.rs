//! Whether a receiver was told everything there is to tell: each public event, with all that belongs to it.
//!
//! Receivers are programs that were written against one example of each event. What an example has must
//! therefore come: the resource that the event is about, the box and its shipment, and where the event has them,
//! place, vessel and terminal. These come only when somebody told them, so they are looked for in the best
//! delivery of each event; box and shipment in every one.

use std::collections::BTreeSet;

use domain::event::EventName;
use serde_json::Value;

use super::told::{included, referenced, text};
use crate::receiver::Delivery;

/// Attributes of a container whose change is told with its old and new value.
const CHANGES: [&str; 9] = [
    "available_for_pickup",
    "pickup_lfd",
    "pickup_lfd_line",
    "pickup_lfd_terminal",
    "pickup_lfd_rail",
    "holds_at_pod_terminal",
    "fees_at_pod_terminal",
    "pickup_appointment_at",
    "pod_terminal",
];

/// What no delivery brought, or brought wrongly, as sentences.
pub fn gaps(deliveries: &[Delivery]) -> Vec<String> {
    let mut gaps: Vec<String> = EventName::ALL
        .into_iter()
        .filter_map(|event| gap(event, deliveries))
        .collect();
    gaps.extend(changes(deliveries));
    let unverified = deliveries.iter().filter(|delivery| !delivery.verified);
    gaps.extend(unverified.map(|delivery| {
        let Delivery { event, faults, .. } = delivery;
        format!("{event} is not verified: {faults:?}")
    }));
    gaps
}

fn gap(event: EventName, deliveries: &[Delivery]) -> Option<String> {
    let name = event.as_str();
    let mut told = deliveries.iter().filter(|d| d.event == name).peekable();
    if told.peek().is_none() {
        return Some(format!("{name} was never delivered"));
    }
    let (always, sometimes) = belongings(event);
    let mut fewest: Option<Vec<&str>> = None;
    for delivery in told {
        if referenced(&delivery.body).is_none() {
            return Some(format!("{name} does not include what it is about"));
        }
        let types = types(&delivery.body);
        if let Some(missing) = always.iter().find(|of| !has(&types, of)) {
            return Some(format!("{name} came without {missing}"));
        }
        let missing: Vec<&str> = sometimes
            .iter()
            .copied()
            .filter(|of| !has(&types, of))
            .collect();
        if fewest
            .as_ref()
            .is_none_or(|known| missing.len() < known.len())
        {
            fewest = Some(missing);
        }
    }
    let missing = fewest.filter(|missing| !missing.is_empty())?;
    Some(format!("{name} never came with {}", missing.join(" and ")))
}

/// Types that always come with an event, and those that come when they are known.
fn belongings(event: EventName) -> (&'static [&'static str], &'static [&'static str]) {
    use EventName as E;
    const MOVED: &[&str] = &["transport_event", "container", "shipment"];
    match event {
        E::TrackingRequestFailed
        | E::TrackingRequestAwaitingManifest
        | E::TrackingRequestTrackingStopped => (&["tracking_request"], &[]),
        E::TrackingRequestSucceeded => (&["tracking_request"], &["shipment", "container"]),
        E::ShipmentEstimatedArrival => (&["estimated_event", "shipment"], &["place"]),
        E::ContainerCreated => (&["container_created_event", "container", "shipment"], &[]),
        E::ContainerUpdated => (
            &["container_updated_event", "container", "shipment"],
            &["place", "terminal"],
        ),
        E::PodTerminalChanged => (
            &[
                "container_pod_terminal_changed_event",
                "container",
                "shipment",
            ],
            &["terminal"],
        ),
        E::VesselLoaded
        | E::VesselDeparted
        | E::VesselArrived
        | E::TransshipmentArrived
        | E::TransshipmentDischarged
        | E::TransshipmentLoaded
        | E::TransshipmentDeparted => (MOVED, &["place", "vessel"]),
        E::VesselBerthed | E::VesselDischarged => (MOVED, &["place", "terminal", "vessel"]),
        // Barges of this world have no names.
        E::FeederArrived | E::FeederDischarged | E::FeederLoaded | E::FeederDeparted => {
            (MOVED, &["place"])
        }
        E::FullOut => (MOVED, &["place", "terminal"]),
        E::EmptyOut
        | E::FullIn
        | E::EmptyIn
        | E::RailLoaded
        | E::RailDeparted
        | E::RailArrived
        | E::RailUnloaded
        | E::ArrivedAtInlandDestination
        | E::Available
        | E::NotAvailable
        | E::Delivered => (MOVED, &["place"]),
        E::EstimatedVesselDeparted
        | E::EstimatedVesselArrived
        | E::EstimatedArrivedAtInlandDestination
        | E::PickupLfdChanged
        | E::PickupLfdLineChanged
        | E::PickupLfdTerminalChanged
        | E::PickupLfdRailChanged
        | E::PickupAppointmentChanged => (MOVED, &[]),
    }
}

fn types(body: &Value) -> BTreeSet<&str> {
    included(body)
        .filter_map(|resource| text(resource, "/type"))
        .collect()
}

fn has(types: &BTreeSet<&str>, wanted: &str) -> bool {
    match wanted {
        "place" => ["port", "metro_area"].iter().any(|of| types.contains(of)),
        "terminal" => ["terminal", "rail_terminal"]
            .iter()
            .any(|of| types.contains(of)),
        other => types.contains(other),
    }
}

/// Changes that nobody was told of, and those that are not an old and a new value of their kind.
fn changes(deliveries: &[Delivery]) -> Vec<String> {
    let mut told: BTreeSet<&str> = BTreeSet::new();
    let mut wrong: BTreeSet<String> = BTreeSet::new();
    let updates = deliveries
        .iter()
        .filter(|delivery| delivery.event == EventName::ContainerUpdated.as_str());
    for delivery in updates {
        let changeset = referenced(&delivery.body)
            .and_then(|object| object.pointer("/attributes/changeset"))
            .and_then(Value::as_object);
        let Some(changeset) = changeset.filter(|changes| !changes.is_empty()) else {
            wrong.insert("container.updated came without a change".into());
            continue;
        };
        for (key, values) in changeset {
            told.extend(CHANGES.iter().filter(|known| *known == key));
            let good = values.as_array().is_some_and(|pair| {
                pair.len() == 2
                    && pair.first() != pair.last()
                    && pair.iter().all(|value| is_of(key, value, &delivery.body))
            });
            if !good {
                wrong.insert(format!("the change of {key} is {values}"));
            }
        }
    }
    let never = CHANGES.iter().filter(|key| !told.contains(*key));
    let never = never.map(|key| format!("no container.updated told a change of {key}"));
    never.chain(wrong).collect()
}

/// Whether a value is one of this attribute.
fn is_of(key: &str, value: &Value, body: &Value) -> bool {
    let terminal = |id: &str| {
        included(body).any(|resource| {
            let of_it = matches!(text(resource, "/type"), Some("terminal" | "rail_terminal"));
            of_it && text(resource, "/id") == Some(id)
        })
    };
    match (key, value) {
        ("holds_at_pod_terminal" | "fees_at_pod_terminal", value) => {
            value.is_array() || value.is_null()
        }
        (_, Value::Null) => true,
        ("available_for_pickup", value) => value.is_boolean(),
        ("pod_terminal", value) => value.as_str().is_some_and(terminal),
        (_, value) => value
            .as_str()
            .is_some_and(|time| time.parse::<jiff::Timestamp>().is_ok()),
    }
}
