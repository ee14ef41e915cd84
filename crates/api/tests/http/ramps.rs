//! A ramp under its two names: a `terminal` by itself and to a container, a `rail_terminal` to shipments and events; and
//! what news of it carry.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::Client;
use crate::house::House;
use crate::rail_data::{BOX, LINE, follow, hear};
use crate::webhook_trials::opened;

/// Union Pacific's ramp in Chicago, by its FIRMS code.
const RAMP: &str = "I372";

/// A box that went from Los Angeles to the ramp by rail.
pub fn told() -> Value {
    let at = |id: &str, at: &str, kind: &str, code: &str, call: Value| {
        let mut event = json!({"eventID": id, "eventCreatedDateTime": "2026-03-01T00:00:00Z", "eventType": kind,
            "eventClassifierCode": "ACT", "eventDateTime": at, "equipmentReference": BOX,
            "references": [{"referenceType": "EQ", "referenceValue": BOX}],
            "emptyIndicatorCode": "LADEN", "transportCall": call});
        let code_of = match kind {
            "EQUIPMENT" => "equipmentEventTypeCode",
            _ => "transportEventTypeCode",
        };
        event[code_of] = code.into();
        event
    };
    let ship = |place: &str| json!({"modeOfTransport": "VESSEL", "UNLocationCode": place, "vessel": {"vesselIMONumber": "9321483"}});
    let train = json!({"modeOfTransport": "RAIL", "UNLocationCode": "USCHI",
        "facilityTypeCode": "RAMP", "facilityCode": RAMP});
    let (load, discharge) = ("2026-02-03T03:20:00+08:00", "2026-02-22T09:30:00-08:00");
    json!([
        at("r-1", load, "EQUIPMENT", "LOAD", ship("CNNGB")),
        at("r-2", discharge, "EQUIPMENT", "DISC", ship("USLAX")),
        at(
            "r-3",
            "2026-02-28T04:15:00-06:00",
            "TRANSPORT",
            "ARRI",
            train
        ),
    ])
}

/// A house where a box is told to have reached the ramp, and an account that follows it.
async fn house() -> (House, Client) {
    let house = House::hearing(&[LINE], opened()).await;
    let client = house.client();
    follow(&client).await;
    hear(&house, "hub", told()).await;
    (house, client)
}

fn link<'v>(resource: &'v Value, relationship: &str) -> &'v Value {
    &resource["relationships"][relationship]["data"]
}

fn included<'v>(document: &'v Value, kind: &str) -> Vec<&'v Value> {
    let all = document["included"].as_array().unwrap().iter();
    all.filter(|resource| resource["type"] == kind).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_calls_its_ramp_a_terminal_and_a_shipment_a_rail_terminal() {
    let (_house, client) = house().await;
    let asked = "/v2/containers?include=pickup_facility.metro_area,pod_terminal,shipment.destination_terminal,transport_events.terminal";
    let listed = client.get(asked).await;
    let document = listed.json();
    let ramp = link(&document["data"][0], "pickup_facility");
    assert_eq!(ramp["type"], "terminal");
    let shipment = included(&document, "shipment")[0];
    let same = link(shipment, "destination_terminal");
    assert_eq!(
        (&same["type"], &same["id"]),
        (&json!("rail_terminal"), &ramp["id"])
    );
    for kind in ["terminal", "rail_terminal"] {
        let found = included(&document, kind);
        let ramps: Vec<_> = found.iter().filter(|one| one["id"] == ramp["id"]).collect();
        assert_eq!(ramps.len(), 1, "{kind}: {}", listed.body);
        assert_eq!(ramps[0]["attributes"]["facility_type"], "rail");
    }
    assert_eq!(included(&document, "metro_area").len(), 1);
    let pairs = listed.included();
    let once: BTreeSet<_> = pairs.iter().collect();
    assert_eq!(once.len(), pairs.len(), "each once");
    let id = ramp["id"].as_str().unwrap();
    let alone = client.get(&format!("/v2/terminals/{id}")).await.json();
    let among = included(&document, "terminal");
    assert!(among.contains(&&alone["data"]), "{}", alone["data"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_calls_the_ramp_what_each_link_calls_it() {
    let (_house, client) = house().await;
    let sent = "/v2/webhook_notifications?filter[event]=container.transport.rail_arrived";
    let id = client.get(sent).await.ids().remove(0);
    let body = client
        .get(&format!("/v2/webhook_notifications/{id}/body"))
        .await;
    let document = body.json();
    let event = included(&document, "transport_event")[0];
    let ramp = link(event, "terminal");
    assert_eq!(ramp["type"], "rail_terminal");
    assert_eq!(included(&document, "rail_terminal")[0]["id"], ramp["id"]);
    let container = included(&document, "container")[0];
    assert_eq!(
        link(container, "pickup_facility"),
        &json!({"type": "terminal", "id": ramp["id"]})
    );
    let pairs = body.included();
    let once: BTreeSet<_> = pairs.iter().collect();
    assert_eq!(once.len(), pairs.len(), "each once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notification_is_shown_with_what_its_delivery_carries() {
    let (_house, client) = house().await;
    let all = client.get("/v2/webhook_notifications?page[size]=100").await;
    assert_eq!(all.ids().len(), 2, "{}", all.body);
    for id in all.ids() {
        let path = format!("/v2/webhook_notifications/{id}");
        let sent = client.get(&format!("{path}/body")).await;
        let shown = client.get(&path).await;
        assert_eq!(shown.included(), sent.included(), "{}", sent.body);
        assert!(shown.included().len() > 2, "{}", shown.body);
        let asked = client.get(&format!("{path}?include=webhook")).await;
        let kinds = asked.included().into_iter().map(|(kind, _)| kind);
        assert_eq!(kinds.collect::<Vec<_>>(), ["webhook"]);
        let none = client.get(&format!("{path}?include=")).await;
        assert!(none.included().is_empty(), "{}", none.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_route_tells_when_the_train_left_as_the_container_does() {
    let (house, client) = house().await;
    let mut left = told()[2].clone();
    left["eventID"] = "r-4".into();
    left["eventDateTime"] = "2026-02-24T20:00:00-08:00".into();
    left["transportEventTypeCode"] = "DEPA".into();
    left["transportCall"] = json!({"modeOfTransport": "RAIL", "UNLocationCode": "USLAX"});
    hear(&house, "hub", json!([left])).await;
    let listed = client.get("/v2/containers").await;
    let id = listed.ids().remove(0);
    let document = listed.json();
    let departed = &document["data"][0]["attributes"]["pod_rail_departed_at"];
    assert_eq!(departed, "2026-02-25T04:00:00Z", "{document}");
    let route = client.get(&format!("/v2/containers/{id}/route")).await;
    let route = route.json();
    let locations = included(&route, "route_location");
    let mut sides = locations.iter().map(|location| &location["attributes"]);
    let by_rail = sides.find(|side| side["outbound_mode"] == "rail").unwrap();
    assert_eq!(&by_rail["outbound_atd_at"], departed);
    assert!(by_rail["outbound_etd_at"].is_null());
}
