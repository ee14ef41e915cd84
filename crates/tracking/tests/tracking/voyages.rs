//! What a projection leaves for maps: which boxes a vessel carries, and which report stands behind an event.

use domain::codes::ImoNumber;
use domain::container::Vessel;
use domain::ids::{AccountId, ContainerId, EventId, ReferenceId};
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use jsonapi::linkage;
use jsonapi::resource::vessel;
use serde_json::{Value, json};

use crate::BOX;
use crate::ground::{Ground, LADEN};

#[tokio::test(flavor = "multi_thread")]
async fn a_vessel_leads_to_the_box_it_carries_and_an_event_to_its_report() {
    let ground = Ground::new(LADEN).await;
    let (account, other) = (ground.account("A").await, ground.account("B").await);
    let number = "NWLU0000425";
    ground.track(account, number, NumberKind::Container).await;
    ground.drain().await;
    let document = ground.container_document(account).await.to_string();
    let own = linkage::identity(&document).unwrap().id;
    let named = Vessel {
        imo: ImoNumber::parse("9321483"),
        name: None,
    };
    let ship = vessel::id(&named).unwrap();
    let store = ground.tracking().store();
    for (account, expected) in [(account, vec![ContainerId(own)]), (other, Vec::new())] {
        let carried = store
            .read(move |tx| store::vessel::carried(&mut tx.account(account), ship, 9))
            .await;
        let carried: Result<_, store::Error> = carried;
        let carried = carried.unwrap().into_iter().map(|one| one.container);
        assert_eq!(carried.collect::<Vec<_>>(), expected);
    }
    let claims = linkage::targets(&document, "raw_events");
    let events: Vec<EventId> = linkage::targets(&document, "transport_events")
        .iter()
        .map(|event| EventId(event.id))
        .collect();
    let found: Result<_, store::Error> = store
        .read(move |tx| store::event::documents(&mut tx.account(account), &events))
        .await;
    let found = found.unwrap();
    assert!(!found.is_empty());
    for event in found {
        let source = linkage::targets(&event.document, "source_event");
        assert_eq!(source, claims, "{}", event.document);
    }
}

fn ship(imo: &str) -> ReferenceId {
    let named = Vessel {
        imo: ImoNumber::parse(imo),
        name: None,
    };
    vessel::id(&named).unwrap()
}

/// Whether this ship can be had, and how many boxes of the account it carries.
async fn known(ground: &Ground, account: AccountId, imo: &str) -> (bool, usize) {
    let ship = ship(imo);
    let reading = ground.tracking().store().read(move |tx| {
        let found = store::vessel::find(tx, ship)?;
        let carried = store::vessel::carried(&mut tx.account(account), ship, 9)?;
        Ok::<_, store::Error>((found.is_some(), carried.len()))
    });
    reading.await.unwrap()
}

/// How many transport events the account's box has.
async fn events(ground: &Ground, account: AccountId) -> usize {
    let document = ground.container_document(account).await.to_string();
    linkage::targets(&document, "transport_events").len()
}

/// The same lift, of which nobody says the ship.
fn without_ship() -> String {
    let named = r#",
        "vessel": {"vesselIMONumber": "9321483"}"#;
    assert!(LADEN.contains(named));
    LADEN.replace(named, "")
}

/// The line tells this first, and that a day later.
async fn told_later(first: &str, later: &str) -> (Ground, AccountId) {
    let ground = Ground::new(first).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    ground.answer(later).await;
    ground.pass(SignedDuration::from_hours(24));
    ground.drain().await;
    (ground, account)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ship_that_only_a_correction_names_can_be_had_and_leads_to_the_box() {
    let named = LADEN.replace("2026-04-05T05:00:00Z", "2026-04-05T06:00:00Z");
    let (ground, account) = told_later(&without_ship(), &named).await;
    assert_eq!(events(&ground, account).await, 1, "it is corrected");
    assert_eq!(known(&ground, account, "9321483").await, (true, 1));
}

/// The lift, and a sailing of the box.
fn with_sailing(lift: &str, kind: &str, place: &str, ship: &Value) -> String {
    let mut told: Vec<Value> = serde_json::from_str(lift).unwrap();
    told.push(
        json!({"eventID": "e-2", "eventCreatedDateTime": "2026-04-05T05:00:00Z",
        "eventType": "TRANSPORT", "eventClassifierCode": "PLN",
        "eventDateTime": "2026-04-25T08:00:00-07:00", "transportEventTypeCode": kind,
        "references": [{"referenceType": "EQ", "referenceValue": BOX}],
        "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": place, "vessel": ship}}),
    );
    Value::Array(told).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ship_whose_number_comes_to_an_estimate_can_be_had_though_nothing_is_told() {
    let arrival = |ship: &Value| with_sailing(&without_ship(), "ARRI", "USLAX", ship);
    let named = json!({"vesselName": "QUAY STAR"});
    let numbered = json!({"vesselName": "QUAY STAR", "vesselIMONumber": "9321483"});
    let (ground, account) = told_later(&arrival(&named), &arrival(&numbered)).await;
    assert_eq!(events(&ground, account).await, 2, "the number is no news");
    assert_eq!(known(&ground, account, "9321483").await, (true, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ship_that_only_a_claim_names_can_be_had() {
    let ship = json!({"vesselName": "QUAY MOON", "vesselIMONumber": "9074729"});
    let planned = with_sailing(LADEN, "DEPA", "KRPUS", &ship);
    let (ground, account) = told_later(LADEN, &planned).await;
    assert!(known(&ground, account, "9074729").await.0);
}
