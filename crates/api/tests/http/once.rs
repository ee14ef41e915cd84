//! Requests that were named by their caller.

use api::{Method, ROUTES};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Answer, Client};
use crate::house::House;
use crate::planted::plant;
use crate::rows::row;

const PATH: &str = "/v2/tracking_requests";

fn body(number: &str) -> Value {
    json!({"data": {"type": "tracking_request", "attributes": {
        "request_type": "bill_of_lading", "request_number": number, "scac": "MSCU"}}})
}

fn named(house: &House, name: &str) -> Client {
    house.client().header("Idempotency-Key", name)
}

fn replayed(answer: &Answer) -> bool {
    answer.header("idempotency-replayed") == Some("true")
}

/// From now on no commit stands that leaves a name without its answer: who is killed right behind it would be told for
/// days that the request is under way. What a name owes points at nothing until the commit.
fn commits_tell_all(house: &House) {
    for statement in [
        "create table nowhere (id integer primary key)",
        "create table owed (name text, nowhere integer references nowhere (id) deferrable initially deferred)",
        "create trigger taken after insert on kept_answers begin insert into owed values (new.key, 1); end",
        "create trigger answered after update on kept_answers when new.status is not null
         begin delete from owed where name = new.key; end",
        "create trigger given_back after delete on kept_answers begin delete from owed where name = old.key; end",
    ] {
        house.tamper(statement);
    }
}

#[tokio::test]
async fn every_named_operation_is_answered_the_same_again() {
    for route in ROUTES {
        if !matches!(route.method, Method::Post | Method::Patch) {
            continue;
        }
        let house = House::open().await;
        let planted = plant(&house).await;
        commits_tell_all(&house);
        let row = row(route, &planted);
        let client = named(&house, "again");
        let first = row.call(&client, route).await;
        assert!(first.status < 300, "{}: {}", route.path, first.body);
        assert!(!replayed(&first), "{}", route.path);
        let second = row.call(&client, route).await;
        let name = route.operation.name;
        assert!(replayed(&second), "{name}: {}", second.body);
        assert_eq!(
            (first.status, &first.body),
            (second.status, &second.body),
            "{name}"
        );
        for header in ["content-type", "location"] {
            assert_eq!(first.header(header), second.header(header), "{name}");
        }
    }
}

#[tokio::test]
async fn five_at_once_do_it_once() {
    let house = House::open().await;
    let mut together = JoinSet::new();
    for _ in 0..5 {
        let client = named(&house, "five");
        together.spawn(async move { client.send("POST", PATH, Some(&body("QUAY5"))).await });
    }
    let answers = together.join_all().await;
    let bodies: std::collections::HashSet<&str> =
        answers.iter().map(|answer| answer.body.as_str()).collect();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert!(answers.iter().all(|answer| answer.status == 201));
    assert_eq!(answers.iter().filter(|one| !replayed(one)).count(), 1);
    assert_eq!(house.get(PATH).await.ids().len(), 1);
}

/// Answers that are new each time as well.
#[tokio::test]
async fn five_at_once_are_told_the_same() {
    let house = House::open().await;
    let path = "/v2/tracking_requests/infer_number";
    let mut together = JoinSet::new();
    for _ in 0..5 {
        let client = named(&house, "five");
        let body = json!({"number": "MEDUAB123456"});
        together.spawn(async move { client.send("POST", path, Some(&body)).await });
    }
    let answers = together.join_all().await;
    let bodies: std::collections::HashSet<&str> =
        answers.iter().map(|answer| answer.body.as_str()).collect();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert_eq!(answers.iter().filter(|one| !replayed(one)).count(), 1);
}

/// What is told of it cannot be read for a while, once it is due again.
#[tokio::test]
async fn what_was_done_is_not_done_again_because_it_could_not_be_told() {
    let house = House::open().await;
    let planted = plant(&house).await;
    for statement in [
        "create table done (once integer)",
        "create trigger again after update on deliveries begin insert into done values (1); end",
        "create trigger unreadable after update on deliveries begin update attempts set number = -1; end",
    ] {
        house.tamper(statement);
    }
    let path = format!(
        "/v2/webhook_notifications/{}/redeliver",
        planted.notification
    );
    let client = named(&house, "redeliver");
    let failed = client.send("POST", &path, None).await;
    assert_eq!(failed.status, 500, "{}", failed.body);
    house.tamper("drop trigger unreadable");
    house.tamper("update attempts set number = 1");
    let told = client.send("POST", &path, None).await;
    assert_eq!(told.status, 202, "{}", told.body);
    assert_eq!(house.tamper("delete from done"), 1);
}

#[tokio::test]
async fn a_name_belongs_to_one_body_one_path_and_one_account() {
    let house = House::open().await;
    let client = named(&house, "name");
    let first = client.send("POST", PATH, Some(&body("QUAY1"))).await;
    assert_eq!(first.status, 201, "{}", first.body);
    let other = client.send("POST", PATH, Some(&body("QUAY2"))).await;
    other.faults(422);
    let webhook = json!({"data": {"type": "webhook", "attributes": {
        "url": "https://hooks.example/in", "events": ["container.updated"]}}});
    let elsewhere = client.send("POST", "/v2/webhooks", Some(&webhook)).await;
    assert_eq!(elsewhere.status, 201, "{}", elsewhere.body);
    let neighbour = house.neighbour().await.header("Idempotency-Key", "name");
    let theirs = neighbour.send("POST", PATH, Some(&body("QUAY1"))).await;
    assert_eq!(theirs.status, 201);
    assert!(!replayed(&theirs));
    let id = first.json()["data"]["id"].as_str().unwrap().to_owned();
    let read = client.get(&format!("{PATH}/{id}")).await;
    assert_eq!(read.status, 200, "reads are not named");
}

#[tokio::test]
async fn a_refusal_is_not_kept() {
    let house = House::open().await;
    commits_tell_all(&house);
    let client = named(&house, "repaired");
    client
        .send("POST", PATH, Some(&body(" ")))
        .await
        .faults(422);
    let plain = house.client();
    let open = plain.send("POST", PATH, Some(&body("QUAY3"))).await;
    assert_eq!(open.status, 201);
    // Refused inside the transaction, after the name was taken in it.
    let duplicate = client.send("POST", PATH, Some(&body("QUAY3"))).await;
    assert_eq!(duplicate.json()["errors"][0]["code"], "duplicate");
    let repaired = client.send("POST", PATH, Some(&body("QUAY4"))).await;
    assert_eq!(repaired.status, 201, "{}", repaired.body);
    let unknown = format!("{PATH}/{}", uuid::Uuid::nil());
    let patch = json!({"data": {"type": "tracking_request", "attributes": {}}});
    for _ in 0..2 {
        let missing = client.send("PATCH", &unknown, Some(&patch)).await;
        missing.faults(404);
        assert!(!replayed(&missing));
    }
}

#[tokio::test]
async fn what_cannot_be_a_name_is_refused() {
    let house = House::open().await;
    for bad in ["", "two words", "ümlaut", &"n".repeat(256)] {
        let client = named(&house, bad);
        client
            .send("POST", PATH, Some(&body("Q")))
            .await
            .faults(400);
    }
    let twice = named(&house, "a").header("Idempotency-Key", "b");
    twice.send("POST", PATH, Some(&body("Q"))).await.faults(400);
    let longest = named(&house, &"n".repeat(255));
    let good = longest.send("POST", PATH, Some(&body("Q"))).await;
    assert_eq!(good.status, 201, "{}", good.body);
}

#[tokio::test]
async fn an_answer_is_kept_for_three_days() {
    use tracking::clock::Clock;
    let house = House::open().await;
    let client = named(&house, "old");
    let send = || client.send("POST", "/v2/api_keys", Some(&KEY));
    let first = send().await;
    assert_eq!(first.status, 201, "{}", first.body);
    let hours = jiff::SignedDuration::from_hours;
    house.clock.advance_to(house.clock.now() + hours(72));
    assert!(replayed(&send().await));
    let later = house.clock.now() + jiff::SignedDuration::from_secs(1);
    house.clock.advance_to(later);
    let again = send().await;
    assert_eq!(again.status, 201);
    assert!(!replayed(&again) && again.body != first.body);
}

static KEY: std::sync::LazyLock<Value> =
    std::sync::LazyLock::new(|| json!({"data": {"type": "api_key", "attributes": {"name": "a"}}}));
