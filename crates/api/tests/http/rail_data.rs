//! The railroad's last free day: who said it, over HTTP, and that an account without rail data finds it nowhere.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;

use domain::account::Feature;
use serde_json::{Value, json};
use tracking::intake::{self, Message};
use tracking::work;

use crate::client::Client;
use crate::house::House;
use crate::webhook_trials::opened;

pub const BOX: &str = "CSQU3054383";
/// Stands in nothing else that is told.
const FREE_DAY: &str = "2026-03-18";

const EVENTS: [&str; 6] = [
    "container.created",
    "container.updated",
    "container.pickup_lfd.changed",
    "container.pickup_lfd_rail.changed",
    "container.transport.rail_arrived",
    "container.transport.vessel_discharged",
];

pub const LINE: &str = r#"
id = "hub"
protocol = "dcsa-2"
scac = ["MSCU"]
[endpoint]
base = "https://hub.invalid"
"#;

pub const RAILROAD: &str = r#"
id = "road"
protocol = "rail-rest"
railroad = "UPRR"
[format]
kind = "json"
[columns]
container = "unit"
city = "city"
state = "state"
last_free_day = "free_until"
[moves]
rail_loaded = "loaded"
rail_arrived = "arrived"
"#;

fn line() -> Value {
    let lift = |id: &str, code: &str, at: &str, place: &str| {
        json!({"eventID": id, "eventCreatedDateTime": "2026-02-25T00:00:00Z", "eventType": "EQUIPMENT",
            "eventClassifierCode": "ACT", "eventDateTime": at, "equipmentEventTypeCode": code,
            "equipmentReference": BOX, "emptyIndicatorCode": "LADEN",
            "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": place,
                "vessel": {"vesselIMONumber": "9321483"}}})
    };
    json!([
        lift("r-1", "LOAD", "2026-02-03T03:20:00+08:00", "CNNGB"),
        lift("r-2", "DISC", "2026-02-22T09:30:00-08:00", "USLAX"),
    ])
}

fn railroad() -> Value {
    json!([{"unit": BOX, "city": "CHICAGO", "state": "IL", "free_until": FREE_DAY,
        "arrived": "2026-02-28T04:15:00"}])
}

pub async fn hear(house: &House, source: &str, told: Value) {
    let message = Message {
        source: source.into(),
        account: None,
        content_type: "application/json".into(),
        bytes: told.to_string().into_bytes(),
    };
    intake::receive(&house.tracking, message).await.unwrap();
    work::drain(&house.tracking).await.unwrap();
}

/// Takes every delivery.
fn receiver() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while lines.read_line(&mut line).is_ok_and(|read| read > 2) {
                let (name, value) = line.split_once(':').unwrap_or_default();
                if name.eq_ignore_ascii_case("content-length") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            let _ = lines.read_exact(&mut body);
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    url
}

/// Tracks the box, and is told everything about it.
pub async fn follow(client: &Client) {
    let wanted = json!({"data": {"type": "tracking_request", "attributes": {
        "request_type": "container", "request_number": BOX, "scac": "MSCU"}}});
    let asked = client
        .send("POST", "/v2/tracking_requests", Some(&wanted))
        .await;
    assert_eq!(asked.status, 201, "{}", asked.body);
    let webhook = json!({"data": {"type": "webhook", "attributes": {
        "url": receiver(), "active": true, "events": EVENTS}}});
    let made = client.send("POST", "/v2/webhooks", Some(&webhook)).await;
    assert_eq!(made.status, 201, "{}", made.body);
}

/// Every place where something about the box is served, with what is served there.
async fn told(client: &Client) -> Vec<(String, String)> {
    let listed = client.get("/v2/containers").await;
    let container = listed.ids().remove(0);
    let path = format!("/v2/containers/{container}");
    let mut paths = vec![
        "/v2/containers?include=shipment,transport_events,raw_events".to_owned(),
        format!("{path}?include_meta=provenance&include=transport_events,raw_events"),
        format!("{path}/transport_events?include_meta=provenance&include=container"),
        format!("{path}/raw_events"),
        "/v2/shipments?include=containers".to_owned(),
        "/v2/tracking_requests?include=tracked_object.containers".to_owned(),
        "/v2/webhook_notifications?include=reference_object.container&page[size]=100".to_owned(),
    ];
    let sent = client.get("/v2/webhook_notifications?page[size]=100").await;
    let bodies = sent.ids().into_iter();
    paths.extend(bodies.map(|id| format!("/v2/webhook_notifications/{id}/body")));
    let mut told = Vec::new();
    for path in paths {
        let answer = client.get(&path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        told.push((path, answer.body));
    }
    told
}

fn events(told: &[(String, String)]) -> Vec<String> {
    let bodies = told.iter().filter(|(path, _)| path.ends_with("/body"));
    let mut names: Vec<String> = bodies
        .map(|(_, body)| {
            let body: Value = serde_json::from_str(body).unwrap();
            body["data"]["attributes"]["event"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    names.sort();
    names
}

fn with_the_day(told: &[(String, String)]) -> Vec<&str> {
    let naming = told.iter().filter(|(_, body)| body.contains(FREE_DAY));
    naming.map(|(path, _)| path.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_railroads_free_day_is_told_with_its_source_and_only_where_rail_data_is_on() {
    let house = House::hearing(&[LINE, RAILROAD], opened()).await;
    let (with, without) = (house.client(), house.without(Feature::Rail).await);
    follow(&with).await;
    follow(&without).await;
    hear(&house, "hub", line()).await;
    hear(&house, "road", railroad()).await;

    let told_with = told(&with).await;
    let found = with_the_day(&told_with);
    for place in [
        "include_meta=provenance",
        "/v2/containers?",
        "/v2/shipments?",
        "/body",
    ] {
        assert!(
            found.iter().any(|path| path.contains(place)),
            "{place}: {found:?}"
        );
    }
    let provenance: Value = serde_json::from_str(&told_with[1].1).unwrap();
    let day = &provenance["meta"]["provenance"]["attributes"]["import_deadlines.pickup_lfd_rail"];
    let source = json!({"id": "road", "kind": "rail_api", "data_source": day["standing"][0]["source"]["data_source"]});
    assert_eq!(day["standing"][0]["source"], source, "{day}");
    let events_of = &provenance["meta"]["provenance"]["transport_events"];
    assert!(!events_of.as_object().unwrap().is_empty(), "{events_of}");

    let told_without = told(&without).await;
    assert_eq!(with_the_day(&told_without), [""; 0]);
    let arrived = told_without
        .iter()
        .any(|(_, body)| body.contains("2026-02-28T10:15:00Z"));
    assert!(arrived, "what else the railroad said is told");
    let only_with: Vec<String> = events(&told_with)
        .into_iter()
        .filter(|event| !events(&told_without).contains(event))
        .collect();
    let expected = [
        "container.pickup_lfd.changed",
        "container.pickup_lfd_rail.changed",
        "container.updated",
    ];
    assert_eq!(only_with, expected);
}
