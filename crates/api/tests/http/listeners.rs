//! Deliveries that are fetched: taken under a lease, with the bytes and signatures of a delivery that is sent,
//! and settled under the claim.

use std::time::Duration;

use api::Settings;
use domain::event::EventName;
use domain::ids::{AccountId, NotificationId};
use domain::webhook::DeliveryStatus;
use jiff::{SignedDuration, Timestamp, ToSpan as _};
use serde_json::{Value, json};
use store::Key;
use store::notification::{Notification, OrderKey};
use tracking::id_source;

use crate::client::Client;
use crate::house::{House, NOW, settings};
use crate::planted::{Planted, plant};

/// Something to fetch for a listener: news of the first planted box, one of them for each version.
async fn tell(house: &House, planted: &Planted, version: i64) -> NotificationId {
    let now: Timestamp = NOW.parse().unwrap();
    let id = id_source(now).draw();
    let row = Notification {
        id,
        webhook: planted.listener,
        event: EventName::ContainerCreated,
        reference_type: "container_created_event".into(),
        reference: planted.event.0,
        container: Some(planted.containers[0]),
        shipment: Some(planted.shipment),
        tracking_request: None,
        version,
        created_at: now,
        status: DeliveryStatus::Pending,
    };
    let order = OrderKey {
        key: planted.containers[0].0,
        sequence: version,
    };
    let account: AccountId = house.account;
    house
        .tracking
        .store()
        .write(Key::account(account), move |tx| {
            let rows = [(row.clone(), order)];
            store::notification::insert(&mut tx.account(account), &rows)
        })
        .await
        .unwrap();
    id
}

async fn take(client: &Client, planted: &Planted, body: Value) -> Vec<Value> {
    let path = format!("/v2/listeners/{}/take", planted.listener);
    let answer = client.send("POST", &path, Some(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["deliveries"].as_array().unwrap().clone()
}

async fn settle(client: &Client, planted: &Planted, taken: &Value, how: Value) -> Value {
    let path = format!("/v2/listeners/{}/settle", planted.listener);
    let mut body = how;
    body["id"] = taken["id"].clone();
    body["claim"] = taken["claim"].clone();
    let answer = client.send("POST", &path, Some(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

fn later(house: &House, seconds: i64) {
    let now = house.tracking.now();
    let wait = SignedDuration::from_secs(seconds);
    house.clock.advance_to(now + wait);
}

#[tokio::test]
async fn a_name_is_a_listener_and_its_secret_is_shown_once() {
    let house = House::open().await;
    let client = house.client();
    let open = async |body: Value| client.send("POST", "/v2/listeners", Some(&body)).await;
    let first = open(json!({"name": "ada.laptop", "events": ["container.updated"]})).await;
    assert_eq!(first.status, 200, "{}", first.body);
    let first = first.json()["data"].clone();
    let shown = &first["attributes"];
    assert_eq!(shown["url"], "listen:ada.laptop");
    assert_eq!(shown["events"], json!(["container.updated"]));
    assert!(!shown["secret"].as_str().unwrap().contains('…'), "in full");
    let again = open(json!({"name": "ada.laptop"})).await.json()["data"].clone();
    assert_eq!(again["id"], first["id"]);
    let shown = &again["attributes"];
    assert!(shown["secret"].as_str().unwrap().contains('…'), "masked");
    assert_eq!(
        shown["events"].as_array().unwrap().len(),
        EventName::ALL.len()
    );

    let path = format!("/v2/webhooks/{}", first["id"].as_str().unwrap());
    let patch = |attributes: Value| json!({"data": {"type": "webhook", "attributes": attributes}});
    let moved = patch(json!({"url": "https://hooks.example/in"}));
    let refused = client.send("PATCH", &path, Some(&moved)).await;
    let told = refused.faults(422);
    assert!(
        told[0].contains("nothing is sent to a listener"),
        "{told:?}"
    );
    // Who sends back all that he read changes what he changed.
    let mut as_read = shown.clone();
    as_read["active"] = json!(false);
    let off = client.send("PATCH", &path, Some(&patch(as_read))).await;
    assert_eq!(off.status, 200, "{}", off.body);
    assert_eq!(off.json()["data"]["attributes"]["active"], false);
    let on = open(json!({"name": "ada.laptop"})).await.json();
    assert_eq!(on["data"]["attributes"]["active"], true, "taken up again");

    let neighbour = house.neighbour().await;
    let theirs = json!({"name": "ada.laptop"});
    let theirs = neighbour.send("POST", "/v2/listeners", Some(&theirs)).await;
    assert_ne!(theirs.json()["data"]["id"], first["id"]);
}

/// Found by a tester: the wait of a key that was deleted got what came afterwards, for up to twenty seconds.
#[tokio::test]
async fn who_waits_gets_nothing_once_his_key_is_deleted() {
    let house = House::open().await;
    let owner = house.client();
    let planted = plant(&house).await;
    let body = json!({"data": {"type": "api_key", "attributes": {"name": "laptop"}}});
    let made = owner.send("POST", "/v2/api_keys", Some(&body)).await.json()["data"].clone();
    let holder = Client::new(house.address).key(made["attributes"]["key"].as_str().unwrap());
    let path = format!("/v2/listeners/{}/take", planted.listener);
    let waiting = json!({"wait_seconds": 20});
    let deleting = async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        let key = format!("/v2/api_keys/{}", made["id"].as_str().unwrap());
        assert_eq!(owner.send("DELETE", &key, None).await.status, 204);
        tell(&house, &planted, 1).await;
    };
    let (answer, ()) = tokio::join!(holder.send("POST", &path, Some(&waiting)), deleting);
    answer.faults(401);
    let left = take(&owner, &planted, json!({})).await;
    assert_eq!(left.len(), 1, "it waits for who may have it");
}

#[tokio::test]
async fn who_was_taken_over_is_told_when_he_shows_his_turn() {
    let house = House::open().await;
    let client = house.client();
    let planted = plant(&house).await;
    let open = async || {
        let body = json!({"name": "laptop", "events": ["container.created"]});
        let answer = client.send("POST", "/v2/listeners", Some(&body)).await;
        let opened = answer.json();
        (opened["data"]["id"].clone(), opened["meta"]["turn"].clone())
    };
    let (id, first) = open().await;
    assert_eq!(id, planted.listener.to_string());
    tell(&house, &planted, 1).await;
    let taken = take(&client, &planted, json!({"turn": first})).await;
    let (_, second) = open().await;
    assert!(second.as_i64() > first.as_i64());
    let gone = async |verb: &str, body: Value| {
        let path = format!("/v2/listeners/{}/{verb}", planted.listener);
        let told = client.send("POST", &path, Some(&body)).await.faults(410);
        assert!(told[0].contains("another program listens by this name now"));
    };
    gone("take", json!({"turn": first})).await;
    let mut settled = json!({"ending": "shown", "turn": first});
    settled["id"] = taken[0]["id"].clone();
    settled["claim"] = taken[0]["claim"].clone();
    gone("settle", settled).await;
    let again = take(&client, &planted, json!({"turn": second})).await;
    assert_eq!(again[0]["id"], taken[0]["id"]);
    let ended = json!({"ending": "shown", "turn": second});
    let ended = settle(&client, &planted, &again[0], ended).await;
    assert_eq!(ended["delivery_status"], "succeeded");
    assert_eq!(
        take(&client, &planted, json!({})).await.len(),
        0,
        "as before"
    );
}

#[tokio::test]
async fn names_events_and_their_number_are_bounded() {
    let house = House::open().await;
    let client = house.client();
    let open = async |body: Value| client.send("POST", "/v2/listeners", Some(&body)).await;
    for bad in [
        json!({}),
        json!({"name": ""}),
        json!({"name": "a b"}),
        json!({"name": 5}),
    ] {
        open(bad).await.faults(422);
    }
    open(json!({"name": "a", "events": ["container.lost"]}))
        .await
        .faults(422);
    for n in 0..20 {
        assert_eq!(open(json!({"name": format!("n{n}")})).await.status, 200);
    }
    let told = open(json!({"name": "n20"})).await.faults(422);
    assert!(told[0].contains("20 listeners"), "{told:?}");
    assert_eq!(open(json!({"name": "n3"})).await.status, 200, "a known one");
}

#[tokio::test]
async fn what_is_taken_is_what_would_have_been_sent() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let client = house.client();
    let secret = format!("/v2/webhooks/{}/rotate_secret", planted.listener);
    let secret = client.send("POST", &secret, None).await.json();
    let secret = secret["data"]["attributes"]["secret"]
        .as_str()
        .unwrap()
        .to_owned();
    let id = tell(&house, &planted, 1).await;
    let taken = take(&client, &planted, json!({})).await;
    assert_eq!(taken.len(), 1);
    let (headers, body) = (&taken[0]["headers"], taken[0]["body"].as_str().unwrap());
    let header = |name: &str| headers[name].as_str().unwrap().to_owned();
    assert_eq!(header("webhook-id"), id.to_string());
    assert_eq!(header("content-type"), "application/json");
    assert_eq!(
        header("x-t49-webhook-signature"),
        tracking::webhooks::sign::reference(&secret, body.as_bytes())
    );
    let verifier = standardwebhooks::Webhook::new(&secret).unwrap();
    let at = header("webhook-timestamp").parse().unwrap();
    let signed = verifier.sign(&id.to_string(), at, body.as_bytes());
    assert!(
        header("webhook-signature")
            .split(' ')
            .any(|one| one == signed.as_deref().unwrap())
    );
    let told: Value = serde_json::from_str(body).unwrap();
    assert_eq!(told["data"]["id"], id.to_string());
    assert_eq!(told["data"]["attributes"]["event"], "container.created");
}

#[tokio::test]
async fn a_lease_runs_out_an_answer_is_on_record_and_order_is_kept() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let client = house.client();
    let first = tell(&house, &planted, 1).await;
    let second = tell(&house, &planted, 2).await;
    let all = || json!({"most": 16});
    let taken = take(&client, &planted, all()).await;
    assert_eq!(taken.len(), 1, "one of a box at a time");
    assert_eq!(taken[0]["id"], first.to_string());
    assert!(take(&client, &planted, all()).await.is_empty(), "leased");
    later(&house, 31);
    let again = take(&client, &planted, all()).await;
    assert_eq!(again[0]["body"], taken[0]["body"], "the same bytes");
    assert_eq!(again[0]["attempt"], 1, "nobody told of the first");

    let good = json!({"ending": "answered", "status": 200});
    let late = settle(&client, &planted, &taken[0], good.clone()).await;
    assert_eq!(late["counted"], false, "{late}");
    let bad = json!({"ending": "answered", "status": 500, "duration_ms": 12,
        "response_headers": "server: mine\n", "response_body": "no\u{7}"});
    let failed = settle(&client, &planted, &again[0], bad).await;
    assert_eq!(failed["delivery_status"], "pending");
    let next: Timestamp = failed["next_attempt_at"].as_str().unwrap().parse().unwrap();
    assert_eq!(
        next,
        house.tracking.now() + 1.second(),
        "a laptop's schedule"
    );
    assert!(
        take(&client, &planted, all()).await.is_empty(),
        "the second waits in line"
    );

    later(&house, 1);
    let third = take(&client, &planted, all()).await;
    assert_eq!(
        (&third[0]["id"], &third[0]["attempt"]),
        (&json!(first.to_string()), &json!(2))
    );
    let back = settle(
        &client,
        &planted,
        &third[0],
        json!({"ending": "given_back"}),
    )
    .await;
    assert_eq!(back["counted"], true);
    let fourth = take(&client, &planted, all()).await;
    assert_eq!(fourth[0]["attempt"], 2, "giving back is no attempt");
    let done = settle(&client, &planted, &fourth[0], good.clone()).await;
    assert_eq!(done["delivery_status"], "succeeded");
    let twice = settle(&client, &planted, &fourth[0], good).await;
    assert_eq!(twice["counted"], false);
    assert_eq!(
        take(&client, &planted, all()).await[0]["id"],
        second.to_string()
    );

    let logs = format!("/v2/webhook_notifications/{first}/webhook_notification_logs");
    let logs = client.get(&logs).await.json();
    let rows = logs["data"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{logs}");
    let told = rows[0]["attributes"].to_string();
    assert!(
        told.contains("500") && told.contains("no\\\\u{7}"),
        "{told}"
    );
}

#[tokio::test]
async fn a_slow_attempt_keeps_its_lease_and_an_answer_may_ask_for_patience() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let client = house.client();
    tell(&house, &planted, 1).await;
    let taken = take(&client, &planted, json!({})).await;
    let under_way = || json!({"ending": "under_way"});
    for _ in 0..3 {
        later(&house, 20);
        let held = settle(&client, &planted, &taken[0], under_way()).await;
        assert_eq!(held["counted"], true);
        let until: Timestamp = held["next_attempt_at"].as_str().unwrap().parse().unwrap();
        assert_eq!(until, house.tracking.now() + 30.seconds());
        assert!(take(&client, &planted, json!({})).await.is_empty());
    }
    let busy = json!({"ending": "answered", "status": 503,
        "response_headers": "server: mine\nRetry-After: 40\n"});
    let told = settle(&client, &planted, &taken[0], busy).await;
    let next: Timestamp = told["next_attempt_at"].as_str().unwrap().parse().unwrap();
    assert_eq!(next, house.tracking.now() + 40.seconds());
    later(&house, 39);
    assert!(take(&client, &planted, json!({})).await.is_empty());
    later(&house, 1);
    let again = take(&client, &planted, json!({})).await;
    assert_eq!(again[0]["attempt"], 2, "renewals are no attempts");
    later(&house, 31);
    let other = take(&client, &planted, json!({})).await;
    assert_eq!(other.len(), 1, "the lease has run out");
    let lost = settle(&client, &planted, &again[0], under_way()).await;
    assert_eq!(lost["counted"], false);
}

/// As of an attempt that the service makes itself.
#[tokio::test]
async fn what_came_of_an_answer_that_was_no_success_is_on_record() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let client = house.client();
    let id = tell(&house, &planted, 1).await;
    for (ending, reason) in [
        ("broken", "protocol"),
        ("timed_out", "timeout"),
        ("too_long", "answer_too_long"),
    ] {
        let taken = take(&client, &planted, json!({})).await;
        let how = json!({"ending": ending, "status": 201, "response_headers": "x-seen: yes\n",
            "response_body": "half"});
        let settled = settle(&client, &planted, &taken[0], how).await;
        assert_eq!(settled["delivery_status"], "pending", "{ending}");
        let path = format!("/v2/webhook_notifications/{id}/webhook_notification_logs");
        let logs = client.get(&path).await.json();
        let rows = logs["data"].as_array().unwrap().iter();
        let mut rows = rows.map(|row| &row["attributes"]);
        let row = rows.find(|row| row["reason"] == reason).unwrap();
        assert_eq!(row["status"], 201, "{logs}");
        assert_eq!(row["response_headers"], "x-seen: yes\n");
        assert_eq!(row["response_body"], "half");
        later(&house, 60);
    }
}

#[tokio::test]
async fn what_cannot_be_settled_is_refused_at_its_place() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let client = house.client();
    let path = format!("/v2/listeners/{}/settle", planted.listener);
    let id = "0190c000-0000-7000-8000-000000000001";
    for (body, pointer) in [
        (json!({"id": "x", "claim": 1, "ending": "shown"}), "/id"),
        (json!({"id": id, "ending": "shown"}), "/claim"),
        (json!({"id": id, "claim": "7", "ending": "shown"}), "/claim"),
        (
            json!({"id": id, "claim": 1, "ending": "answered", "status": "200"}),
            "/status",
        ),
        (json!({"id": id, "claim": 1, "ending": "eaten"}), "/ending"),
        (
            json!({"id": id, "claim": 1, "ending": "answered"}),
            "/status",
        ),
        (
            json!({"id": id, "claim": 1, "ending": "answered", "status": 99}),
            "/status",
        ),
        (
            json!({"id": id, "claim": 1, "ending": "broken", "status": 99}),
            "/status",
        ),
        (
            json!({"id": id, "claim": 1, "ending": "too_long"}),
            "/status",
        ),
    ] {
        let answer = client.send("POST", &path, Some(&body)).await;
        assert_eq!(answer.faults(422).len(), 1, "{body}");
        assert_eq!(answer.json()["errors"][0]["source"]["pointer"], pointer);
    }
    let path = format!("/v2/listeners/{}/take", planted.listener);
    for body in [
        json!({"most": 0}),
        json!({"most": 17}),
        json!({"wait_seconds": 21}),
    ] {
        client.send("POST", &path, Some(&body)).await.faults(422);
    }
    // A webhook that is sent to is no listener: nothing of it can be fetched.
    let other = format!("/v2/listeners/{}/take", planted.webhook);
    client
        .send("POST", &other, Some(&json!({})))
        .await
        .faults(404);
}

#[tokio::test]
async fn waiting_ends_with_the_first_delivery_and_with_the_service() {
    // Long enough that the question has been read before the connection would be closed.
    let house = House::with(Settings {
        drain_notice: Duration::from_secs(1),
        ..settings()
    })
    .await;
    let planted = plant(&house).await;
    let client = house.client();
    let (waiting, known) = (client.clone(), planted.clone());
    let waiting =
        tokio::spawn(async move { take(&waiting, &known, json!({"wait_seconds": 20})).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!waiting.is_finished(), "there is nothing yet");
    let id = tell(&house, &planted, 1).await;
    assert_eq!(waiting.await.unwrap()[0]["id"], id.to_string());
    let waiting =
        tokio::spawn(async move { take(&client, &planted, json!({"wait_seconds": 20})).await });
    tokio::time::sleep(Duration::from_millis(500)).await;
    house.stop.cancel();
    let ended = tokio::time::timeout(Duration::from_secs(15), waiting).await;
    assert!(ended.unwrap().unwrap().is_empty(), "a stop is not held up");
}
