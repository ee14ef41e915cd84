//! Who changed what, as calls leave it behind.

use api::{Method, ROUTES, Route};
use domain::account::Permissions;
use domain::audit::{Digest, INSTALLATION, Link};
use domain::ids::AccountId;
use serde_json::json;
use tracking::access::create_key;
use tracking::audit::{Kept, verify};

use crate::client::{Answer, Client};
use crate::house::House;
use crate::planted::plant;
use crate::rows::row;

/// What a call leaves behind, by its operation. A call that changes something stands here or among [`UNNOTED`].
const NOTED: &[(&str, &str)] = &[
    ("stop_tracking_shipment", "shipment.tracking_stopped"),
    ("resume_tracking_shipment", "shipment.tracking_resumed"),
    (
        "create_custom_field_definition",
        "custom_field_definition.created",
    ),
    (
        "update_custom_field_definition",
        "custom_field_definition.updated",
    ),
    (
        "delete_custom_field_definition",
        "custom_field_definition.deleted",
    ),
    ("create_custom_field_option", "custom_field_option.created"),
    ("update_custom_field_option", "custom_field_option.updated"),
    ("delete_custom_field_option", "custom_field_option.deleted"),
    ("create_webhook", "webhook.created"),
    ("update_webhook", "webhook.updated"),
    ("delete_webhook", "webhook.deleted"),
    ("rotate_webhook_secret", "webhook.secret_rotated"),
    ("redeliver_webhook", "redelivery.started"),
    ("open_listener", "webhook.created"),
    (
        "redeliver_webhook_notification",
        "webhook_notification.redelivered",
    ),
    ("create_api_key", "api_key.created"),
    ("delete_api_key", "api_key.deleted"),
    ("pause_source", "source.paused"),
    ("resume_source", "source.resumed"),
];

/// Calls that leave nothing behind: an account's own freight and words about it, what is tried and not stored, and what
/// a listener does all day.
const UNNOTED: &[&str] = &[
    "bring_source_message",
    "create_tracking_request",
    "update_tracking_request",
    "infer_number",
    "update_shipment",
    "update_container",
    "update_container_named_in_body",
    "refresh_container",
    "create_party",
    "update_party",
    "set_tracking_request_custom_field",
    "update_tracking_request_custom_field",
    "delete_tracking_request_custom_field",
    "set_shipment_custom_field",
    "update_shipment_custom_field",
    "delete_shipment_custom_field",
    "set_container_custom_field",
    "update_container_custom_field",
    "delete_container_custom_field",
    "create_custom_field",
    "update_custom_field",
    "delete_custom_field",
    "trigger_webhook",
    "take_deliveries",
    "settle_delivery",
];

/// The rows of a chain, oldest first.
async fn chain(house: &House, account: AccountId) -> Vec<Link> {
    let reading = house
        .tracking
        .store()
        .read(move |tx| store::audit::newest_of(&mut tx.account(account), 1_000));
    let rows: Vec<_> = reading.await.unwrap();
    rows.into_iter().rev().flatten().collect()
}

/// The account's rows and those of the installation.
async fn all(house: &House) -> Vec<Link> {
    let mut rows = chain(house, house.account).await;
    rows.extend(chain(house, INSTALLATION).await);
    rows
}

fn noted(route: &Route) -> Option<&'static str> {
    let mut table = NOTED.iter();
    let row = table.find(|(operation, _)| *operation == route.operation.name);
    row.map(|(_, action)| *action)
}

#[tokio::test]
async fn audit_chain() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let made = create_key(&house.tracking, house.account, "caller", Permissions::ALL);
    let (caller, key) = made.await.unwrap();
    let client = Client::new(house.address).key(&key);
    let mut known: Vec<Digest> = all(&house).await.iter().map(|row| row.hash).collect();
    let (ending, others): (Vec<&Route>, Vec<&Route>) = ROUTES
        .iter()
        .partition(|route| route.method == Method::Delete);
    for route in others.into_iter().chain(ending) {
        let operation = route.operation.name;
        let expected = noted(route);
        let decided = expected.is_some() || UNNOTED.contains(&operation);
        assert!(
            decided || route.method == Method::Get,
            "{operation} changes something: is it noted?"
        );
        let answer = row(route, &planted).call(&client, route).await;
        assert!(answer.status < 300, "{operation}: {}", answer.body);
        let rows = all(&house).await;
        let new: Vec<&Link> = rows
            .iter()
            .filter(|row| !known.contains(&row.hash))
            .collect();
        let told: Vec<_> = new
            .iter()
            .map(|row| (row.action.as_str(), row.actor.as_str()))
            .collect();
        let by = caller.id.to_string();
        let expected: Vec<_> = expected
            .map(|action| (action, by.as_str()))
            .into_iter()
            .collect();
        assert_eq!(told, expected, "{operation}");
        known.extend(new.iter().map(|row| row.hash));
    }
    let (mut chains, kept) = (Vec::new(), Kept::new());
    let walked = verify(house.tracking.store(), None, &kept, |chain| {
        chains.push(chain);
    });
    walked.await.unwrap();
    let rows: i64 = chains.iter().map(|chain| chain.stands.position).sum();
    assert_eq!(usize::try_from(rows).unwrap(), known.len());
    assert!(
        chains.iter().all(|chain| chain.broken.is_none()),
        "{chains:?}"
    );
}

fn attribute(answer: &Answer, name: &str) -> String {
    assert!(answer.status < 300, "{}", answer.body);
    let found = answer.json()["data"]["attributes"][name].clone();
    found.as_str().unwrap().to_owned()
}

fn address(answer: &Answer) -> String {
    let id = answer.json()["data"]["id"].as_str().unwrap().to_owned();
    format!("/v2/webhooks/{id}")
}

#[tokio::test]
async fn no_row_tells_a_secret() {
    let house = House::open().await;
    let client = house.client();
    let of = |kind: &str, attributes| json!({"data": {"type": kind, "attributes": attributes}});
    let key = of("api_key", json!({"name": "ci"}));
    let key = client.send("POST", "/v2/api_keys", Some(&key)).await;
    let hook = json!({
        "url": "https://hooks.example/services/T0KEN", "active": true,
        "events": ["container.created"], "headers": [{"name": "X-Pass", "value": "s3same"}],
    });
    let made = client
        .send("POST", "/v2/webhooks", Some(&of("webhook", hook)))
        .await;
    let path = address(&made);
    let change = json!({
        "url": "https://hooks.example/services/N3W", "events": ["shipment.estimated.arrival"],
        "headers": [{"name": "X-Pass", "value": "0pen"}],
    });
    let changed = of("webhook", change);
    let changed = client.send("PATCH", &path, Some(&changed)).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let rotated = client
        .send("POST", &format!("{path}/rotate_secret"), None)
        .await;
    let listener = client
        .send("POST", "/v2/listeners", Some(&json!({"name": "laptop"})))
        .await;
    let secrets = [
        attribute(&key, "key"),
        attribute(&made, "secret"),
        attribute(&rotated, "secret"),
        attribute(&listener, "secret"),
        house.key.clone(),
        "T0KEN".into(),
        "N3W".into(),
        "s3same".into(),
        "0pen".into(),
        "X-Pass".into(),
    ];
    let rows = all(&house).await;
    assert!(rows.len() >= 7, "{rows:?}");
    for row in &rows {
        let told = format!("{row:?}");
        for secret in &secrets {
            let tail = &secret[secret.len().saturating_sub(12)..];
            assert!(!told.contains(tail), "{told} tells {secret}");
        }
    }
    let told = rows.iter().find(|row| row.action == "webhook.updated");
    let told: serde_json::Value = serde_json::from_str(&told.unwrap().detail).unwrap();
    assert_eq!(
        told,
        json!({"path": "changed", "headers": "changed",
            "events_added": ["shipment.estimated.arrival"], "events_removed": ["container.created"]})
    );
}

#[tokio::test]
async fn what_is_refused_or_done_before_is_not_noted() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let client = house.client();
    let stop = format!("/v2/shipments/{}/stop_tracking", planted.shipment);
    let before = all(&house).await.len();
    for _ in 0..3 {
        assert_eq!(client.send("PATCH", &stop, None).await.status, 200);
    }
    assert_eq!(all(&house).await.len(), before + 1, "stopped once");
    let neighbour = house.neighbour().await;
    let hook = format!("/v2/webhooks/{}", planted.webhook);
    let rotate = format!("{hook}/rotate_secret");
    neighbour.send("DELETE", &hook, None).await.faults(404);
    neighbour.send("POST", &rotate, None).await.faults(404);
    let named = client.header("Idempotency-Key", "once");
    for _ in 0..2 {
        assert_eq!(named.send("POST", &rotate, None).await.status, 200);
    }
    let rows = all(&house).await;
    assert_eq!(rows.len(), before + 2, "rotated once: {rows:?}");
}
