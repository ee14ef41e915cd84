//! Nothing accepted is lost by kill -9.
//!
//! Requests are registered without pause while the serving process is killed again and again. The witnesses
//! are outside: the driver knows which requests were answered with 201, the carrier knows what it answered,
//! the receiver knows what it was told. At the end every accepted request must have its shipment, every
//! report of the carrier must be there, and every event must have been told, each under one id with one body.
//!
//! `KILLS` sets the number of kills (20), `SEED` the moments of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::carrier::Carrier;
use crate::receiver::Receiver;
use crate::service::Service;

/// Boxes on one bill.
const BOXES: u32 = 2;
/// Longest time after the last start in which everything must be in place.
const SETTLE_MAX: Duration = Duration::from_mins(2);

#[test]
fn nothing_accepted_is_lost_by_kill() {
    let kills = setting("KILLS", 20);
    let mut dice = Dice(setting("SEED", 1));
    eprintln!("kills: KILLS={kills} SEED={}", dice.0);
    let carrier = Carrier::open(Arc::new(|number| bill_index(number).map(events_of_bill)));
    let receiver = Receiver::open();
    let mut service = Service::install(&profile(&carrier.base));
    service.start();
    service.subscribe(&receiver.url);
    let mut driver = Driver::default();
    for kill in 0..kills {
        let killer = service.kill_after(Duration::from_millis(60 + dice.below(400)));
        driver.register_until_gone(&service);
        killer.join().unwrap();
        service.start();
        if kill % 10 == 9 {
            eprintln!(
                "{} of {kills} kills, {} requests accepted",
                kill + 1,
                driver.accepted.len()
            );
        }
    }
    settle(&service, &driver, &receiver);
    judge(&service, &driver, &carrier, &receiver);
    eprintln!(
        "{} accepted, {} unknown, {} arrivals, {} repeats",
        driver.accepted.len(),
        driver.unknown,
        receiver.log().arrivals,
        receiver.log().arrivals - receiver.log().bodies.len(),
    );
}

/// Registers bills one after the other and keeps its own log.
#[derive(Default)]
struct Driver {
    next: u32,
    /// Request id by bill number, for answers seen as 201.
    accepted: BTreeMap<String, String>,
    /// Requests whose answer was not seen: they may exist or not.
    unknown: usize,
}

impl Driver {
    /// Registers one bill after the other until the service is gone, which may be in the middle of an answer.
    fn register_until_gone(&mut self, service: &Service) {
        loop {
            let number = bill_number(self.next);
            self.next += 1;
            let Ok(answer) = service.track(&number, "NWLX") else {
                self.unknown += 1;
                return;
            };
            assert_eq!(answer.status, 201, "{}", answer.body);
            let id = answer.body["data"]["id"].as_str().unwrap().to_owned();
            self.accepted.insert(number, id);
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Waits until every accepted request succeeded and every event it must cause has arrived.
fn settle(service: &Service, driver: &Driver, receiver: &Receiver) {
    let began = Instant::now();
    let expected = driver.accepted.len() * expected_events().len() * BOXES as usize;
    loop {
        let waiting = driver
            .accepted
            .values()
            .filter(|id| !succeeded(service, id))
            .count();
        let told = receiver
            .events()
            .iter()
            .filter(|(event, _)| is_milestone(event))
            .count();
        if waiting == 0 && told >= expected {
            return;
        }
        assert!(
            began.elapsed() < SETTLE_MAX,
            "{waiting} requests without a shipment, {told} of {expected} milestones told"
        );
        std::thread::sleep(Duration::from_millis(250));
    }
}

fn succeeded(service: &Service, id: &str) -> bool {
    let answer = service
        .call("GET", &format!("/v2/tracking_requests/{id}"), None)
        .unwrap();
    assert_eq!(
        answer.status, 200,
        "an accepted request is gone: {}",
        answer.body
    );
    answer.body["data"]["attributes"]["status"] == "succeeded"
}

fn judge(service: &Service, driver: &Driver, carrier: &Carrier, receiver: &Receiver) {
    let log = receiver.log();
    assert_eq!(log.altered, 0, "a repeat had other bytes");
    assert_eq!(log.misnamed, 0, "webhook-id was not the id in the body");
    let answered = carrier.answered();
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (event, number) in receiver.events() {
        told.entry(number).or_default().push(event);
    }
    for (number, request) in &driver.accepted {
        assert!(answered.contains(number), "{number} was never asked about");
        let path = format!("/v2/tracking_requests/{request}?include=tracked_object.containers");
        let tracked = service.call("GET", &path, None).unwrap().body;
        let containers: Vec<&Value> = tracked["included"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|resource| resource["type"] == "container")
            .collect();
        assert_eq!(containers.len(), BOXES as usize, "{number}: {tracked}");
        for container in containers {
            judge_container(service, container, &told);
        }
    }
}

fn judge_container(service: &Service, container: &Value, told: &BTreeMap<String, Vec<String>>) {
    let number = container["attributes"]["number"].as_str().unwrap();
    let id = container["id"].as_str().unwrap();
    let raw = service
        .call("GET", &format!("/v2/containers/{id}/raw_events"), None)
        .unwrap();
    let reports = raw.body["data"].as_array().unwrap().len();
    assert_eq!(
        reports,
        expected_events().len(),
        "{number}: reports lost or doubled"
    );
    let events: Vec<&String> = told
        .get(number)
        .into_iter()
        .flatten()
        .filter(|event| is_milestone(event))
        .collect();
    let once: BTreeSet<&String> = events.iter().copied().collect();
    assert_eq!(
        events.len(),
        once.len(),
        "{number}: told twice under two ids: {events:?}"
    );
    let expected: BTreeSet<String> = expected_events()
        .iter()
        .map(|event| format!("container.transport.{event}"))
        .collect();
    assert_eq!(
        once.into_iter().cloned().collect::<BTreeSet<_>>(),
        expected,
        "{number}"
    );
}

fn is_milestone(event: &str) -> bool {
    event
        .strip_prefix("container.transport.")
        .is_some_and(|name| expected_events().contains(&name))
}

fn expected_events() -> [&'static str; 7] {
    [
        "empty_out",
        "full_in",
        "vessel_loaded",
        "vessel_departed",
        "vessel_arrived",
        "vessel_discharged",
        "full_out",
    ]
}

/// One bill: each box with seven actual events.
fn events_of_bill(bill: u32) -> Value {
    let events =
        (0..BOXES).flat_map(|place| events_of_box(bill, &box_number(bill * BOXES + place)));
    Value::Array(events.collect())
}

fn events_of_box(bill: u32, number: &str) -> Vec<Value> {
    let equipment = |code: &str, empty: &str, at: &str, place: &str, mode: &str| {
        json!({ "eventType": "EQUIPMENT", "equipmentEventTypeCode": code, "equipmentReference": number,
            "emptyIndicatorCode": empty, "eventDateTime": at, "transportCall": call(place, mode) })
    };
    let transport = |code: &str, at: &str, place: &str| {
        json!({ "eventType": "TRANSPORT", "transportEventTypeCode": code, "eventDateTime": at,
            "references": [{ "referenceType": "EQ", "referenceValue": number }],
            "transportCall": call(place, "VESSEL") })
    };
    let mut events = vec![
        equipment(
            "GTOT",
            "EMPTY",
            "2026-04-01T09:10:00+08:00",
            "CNNGB",
            "TRUCK",
        ),
        equipment(
            "GTIN",
            "LADEN",
            "2026-04-03T17:45:00+08:00",
            "CNNGB",
            "TRUCK",
        ),
        equipment(
            "LOAD",
            "LADEN",
            "2026-04-05T03:20:00+08:00",
            "CNNGB",
            "VESSEL",
        ),
        transport("DEPA", "2026-04-05T12:00:00+08:00", "CNNGB"),
        transport("ARRI", "2026-04-22T06:00:00-07:00", "USOAK"),
        equipment(
            "DISC",
            "LADEN",
            "2026-04-23T10:00:00-07:00",
            "USOAK",
            "VESSEL",
        ),
        equipment(
            "GTOT",
            "LADEN",
            "2026-04-25T11:30:00-07:00",
            "USOAK",
            "TRUCK",
        ),
    ];
    for (index, event) in events.iter_mut().enumerate() {
        event["eventID"] = json!(format!("{number}-{index}"));
        event["eventClassifierCode"] = json!("ACT");
        event["eventCreatedDateTime"] = json!("2026-04-26T00:00:00Z");
        event["documentReferences"] = json!([
            { "documentReferenceType": "TRD", "documentReferenceValue": bill_number(bill) }
        ]);
    }
    events
}

fn call(place: &str, mode: &str) -> Value {
    json!({ "modeOfTransport": mode, "UNLocationCode": place, "facilityTypeCode": "POTE",
        "exportVoyageNumber": "012E", "importVoyageNumber": "012E",
        "vessel": { "vesselIMONumber": "9321483", "vesselName": "NOWHERE DAWN" } })
}

fn bill_number(index: u32) -> String {
    format!("NWLX{index:06}")
}

fn bill_index(number: &str) -> Option<u32> {
    number.strip_prefix("NWLX")?.parse().ok()
}

fn box_number(index: u32) -> String {
    let number = format!("NWLU{index:06}");
    domain::codes::ContainerNumber::parse(&number)
        .unwrap()
        .to_string()
}

fn profile(base: &str) -> String {
    include_str!("nowhere/profile.toml").replace("https://api.nowhere.example", base)
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// A small generator (splitmix64): the moments of the kills repeat with the seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)) % bound
    }
}
