//! A carrier that is in no table is added by a profile and a sample file alone (ARCHITECTURE.md has the steps).

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::carrier::Carrier;
use crate::service::Service;

const PROFILE: &str = include_str!("nowhere/profile.toml");
const SAMPLE: &str = include_str!("nowhere/sample.json");

#[test]
fn a_profile_and_a_sample_are_enough_to_track_through_a_new_carrier() {
    let sample: Value = serde_json::from_str(SAMPLE).unwrap();
    let carrier = Carrier::open(Arc::new(move |number| {
        (number == "NWLX00042").then(|| sample.clone())
    }));
    let mut service =
        Service::install(&PROFILE.replace("https://api.nowhere.example", &carrier.base));
    service.start();
    let created = service.track("NWLX00042", "NWLX").unwrap();
    assert_eq!(created.status, 201, "{}", created.body);
    assert_eq!(created.body["data"]["attributes"]["status"], "pending");
    let id = created.body["data"]["id"].as_str().unwrap().to_owned();
    let path = format!("/v2/tracking_requests/{id}?include=tracked_object.containers");
    let tracked = wait_for(&service, &path, "succeeded");
    let included = tracked["included"].as_array().unwrap();
    let shipment = included
        .iter()
        .find(|resource| resource["type"] == "shipment")
        .unwrap();
    assert_eq!(shipment["attributes"]["bill_of_lading_number"], "NWLX00042");
    assert_eq!(shipment["attributes"]["shipping_line_name"], "Nowhere Line");
    let mut numbers: Vec<(&str, &str)> = included
        .iter()
        .filter(|resource| resource["type"] == "container")
        .map(|c| {
            (
                text(&c["attributes"]["number"]),
                text(&c["attributes"]["current_status"]),
            )
        })
        .collect();
    numbers.sort_unstable();
    assert_eq!(
        numbers,
        [("NWLU0000425", "on_ship"), ("NWLU0000446", "new")]
    );
    let unknown = service.track("NWLX00043", "NWLX").unwrap();
    let id = unknown.body["data"]["id"].as_str().unwrap().to_owned();
    wait_for(
        &service,
        &format!("/v2/tracking_requests/{id}"),
        "awaiting_manifest",
    );
    let refused = service.track("NWLX00042", "NWLX").unwrap();
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert_eq!(refused.body["errors"][0]["code"], "duplicate");
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn wait_for(service: &Service, path: &str, status: &str) -> Value {
    let began = Instant::now();
    loop {
        let answer = service.call("GET", path, None).unwrap();
        if answer.body["data"]["attributes"]["status"] == status {
            return answer.body;
        }
        assert!(
            began.elapsed() < Duration::from_mins(2),
            "never {status}: {}",
            answer.body
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}
