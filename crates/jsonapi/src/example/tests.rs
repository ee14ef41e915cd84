use serde_json::Value as Json;

use super::*;
use crate::resource::TYPES;

const BASE: &str = "https://quay.example/v2";

fn told(event: EventName) -> Json {
    serde_json::from_str(&delivery(event, BASE, MOMENT)).unwrap()
}

/// The types a delivery of this event includes, at least (what existing receivers were shown).
fn needed(event: EventName) -> Vec<&'static str> {
    use EventName as E;
    let mut kinds = match event {
        E::TrackingRequestFailed | E::TrackingRequestAwaitingManifest => {
            return vec!["tracking_request"];
        }
        E::TrackingRequestSucceeded | E::TrackingRequestTrackingStopped => {
            return vec!["shipment", "container", "tracking_request"];
        }
        E::ShipmentEstimatedArrival => {
            return vec!["shipment", "port", "vessel", "estimated_event"];
        }
        E::ContainerCreated => return vec!["shipment", "container", "container_created_event"],
        E::ContainerUpdated => {
            vec!["port", "terminal", "container_updated_event"]
        }
        E::PodTerminalChanged => vec!["terminal", "container_pod_terminal_changed_event"],
        E::VesselBerthed | E::VesselDischarged => {
            vec!["port", "terminal", "vessel", "transport_event"]
        }
        E::RailArrived | E::RailUnloaded | E::ArrivedAtInlandDestination => {
            vec!["port", "rail_terminal", "transport_event"]
        }
        E::FullOut | E::PickupLfdChanged => vec!["port", "terminal", "transport_event"],
        _ => vec!["port", "transport_event"],
    };
    let aboard = [".vessel_", ".transshipment_", ".feeder_"];
    if aboard.iter().any(|part| event.as_str().contains(part)) {
        kinds.push("vessel");
    }
    kinds.extend(["shipment", "container"]);
    kinds
}

#[test]
fn every_event_has_a_sample_with_all_it_names() {
    for event in EventName::ALL {
        let told = told(event);
        let name = event.as_str();
        assert_eq!(told["data"]["attributes"]["event"], name);
        assert_eq!(told["data"]["attributes"]["delivery_status"], "pending");
        let included = told["included"].as_array().unwrap();
        let kinds: Vec<&str> = included
            .iter()
            .map(|r| r["type"].as_str().unwrap())
            .collect();
        for kind in needed(event) {
            let inland = kind == "port" && kinds.contains(&"metro_area");
            assert!(
                inland || kinds.contains(&kind),
                "{name} lacks {kind}: {kinds:?}"
            );
        }
        let reference = &told["data"]["relationships"]["reference_object"]["data"];
        let same = |r: &&Json| r["id"] == reference["id"] && r["type"] == reference["type"];
        assert_eq!(included.iter().filter(same).count(), 1, "{name}");
    }
}

#[test]
fn a_last_free_day_is_told_by_whoever_says_it() {
    for (event, source) in [
        (EventName::PickupLfdLineChanged, "shipping_line"),
        (EventName::PickupLfdTerminalChanged, "terminal"),
        (EventName::PickupLfdRailChanged, "rail"),
        (EventName::PickupAppointmentChanged, "terminal"),
    ] {
        let told = told(event);
        let included = told["included"].as_array().unwrap();
        let record = included.iter().find(|r| r["type"] == "transport_event");
        let attributes = &record.unwrap()["attributes"];
        assert_eq!(attributes["data_source"], source, "{}", event.as_str());
    }
}

#[test]
fn nothing_is_included_twice_and_times_lie_before_the_telling() {
    for event in EventName::ALL {
        let told = told(event);
        let included = told["included"].as_array().unwrap();
        let ids: std::collections::BTreeSet<_> =
            included.iter().map(|r| r["id"].to_string()).collect();
        assert_eq!(ids.len(), included.len(), "{}", event.as_str());
        let of = |kind: &str| included.iter().find(|r| r["type"] == kind);
        let Some(happened) = of("transport_event") else {
            continue;
        };
        let estimated = event.as_str().contains("estimated");
        let at: Timestamp = happened["attributes"]["timestamp"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        assert_eq!(at > MOMENT, estimated, "{}: {at}", event.as_str());
    }
}

#[test]
fn the_box_shows_what_its_news_tell() {
    for (event, attribute) in [
        (EventName::VesselArrived, "pod_arrived_at"),
        (EventName::VesselDischarged, "pod_discharged_at"),
        (EventName::FullOut, "pod_full_out_at"),
        (EventName::EmptyIn, "empty_terminated_at"),
        (EventName::RailLoaded, "pod_rail_loaded_at"),
        (EventName::ArrivedAtInlandDestination, "ind_ata_at"),
        (EventName::Delivered, "delivered_at"),
    ] {
        let told = told(event);
        let included = told["included"].as_array().unwrap();
        let of = |kind: &str| &included.iter().find(|r| r["type"] == kind).unwrap()["attributes"];
        assert!(of("container")[attribute].is_string(), "{attribute}");
        assert_eq!(
            of("container")[attribute],
            of("transport_event")["timestamp"]
        );
    }
    let new_day = told(EventName::PickupLfdTerminalChanged);
    let text = new_day.to_string();
    assert!(text.contains("\"value\":\"2026-03-0"), "{text}");
}

#[test]
fn the_same_question_has_the_same_answer() {
    let once = document(
        EventName::VesselArrived,
        "https://quay.example/x?a=1",
        MOMENT,
    );
    assert_eq!(
        once,
        document(
            EventName::VesselArrived,
            "https://quay.example/x?a=1",
            MOMENT
        )
    );
    assert!(once.contains(r#""links":{"self":"https://quay.example/x?a=1"}"#));
}

#[test]
fn a_later_telling_is_another_notification() {
    let later = MOMENT + jiff::SignedDuration::from_secs(1);
    let ids = [MOMENT, later].map(|at| notification_id(EventName::VesselArrived, at).0);
    assert_ne!(ids[0], ids[1]);
    assert!(ids.iter().all(|id| id.get_version_num() == 7));
    assert!(
        ids.iter()
            .all(|id| id.get_variant() == uuid::Variant::RFC4122)
    );
}

#[test]
fn every_type_has_a_sample_of_its_own() {
    for kind in TYPES {
        let text = resource(kind.name)
            .unwrap_or_else(|| panic!("{} has no sample: add one in example::record", kind.name));
        crate::resource::check(kind, &text);
    }
    assert_eq!(resource("teapot"), None);
}
