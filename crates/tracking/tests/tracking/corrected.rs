//! Milestones that turn out to have been elsewhere, at another time: what their records point back to.

use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use serde_json::{Value, json};
use store::{Order, Slice};

use crate::BOX;
use crate::ground::{Ground, LADEN};

/// The carrier's claim as it says it the next time: where and when.
fn said_again(hour: u8, place: &str, minute: u8) -> String {
    LADEN
        .replace("T05:00:00Z", &format!("T{hour:02}:00:00Z"))
        .replace("CNNGB", place)
        .replace("T03:20:00", &format!("T03:{minute}:00"))
}

/// The records of the box, oldest first: where, at which minute, whether it stands, and what it points back to.
async fn records(ground: &Ground, account: domain::ids::AccountId) -> Vec<(Value, Value)> {
    let container = ground.container_document(account).await;
    let container = container["id"].as_str().unwrap().parse().unwrap();
    let all = Slice {
        offset: 0,
        limit: 9,
    };
    let read = ground.tracking().store().read(move |tx| {
        let a = &mut tx.account(account);
        store::event::page_of_container(
            a,
            domain::ids::ContainerId(container),
            Order::default(),
            all,
        )
    });
    let page = read.await.unwrap();
    let documents = page.rows.iter().map(|row| &row.document);
    let mut records: Vec<Value> = documents
        .map(|text| serde_json::from_str(text).unwrap())
        .collect();
    records.sort_by_key(|record: &Value| record["id"].to_string());
    let ids: Vec<Value> = records.iter().map(|record| record["id"].clone()).collect();
    let place_of = |id: &Value| ids.iter().position(|known| known == id);
    let told = records.iter().map(|record| {
        let previous = &record["relationships"]["previous_version"]["data"]["id"];
        let shown = &record["attributes"];
        let stands = shown["invalidated_at"].is_null();
        let what = json!([shown["location_locode"], shown["timestamp"], stands]);
        (what, json!(place_of(previous)))
    });
    told.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_points_back_to_the_one_it_stands_in_for_whatever_becomes_of_it() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let (first, later) = ("2026-04-04T19:20:00Z", "2026-04-04T19:40:00Z");
    let none = Value::Null;
    let steps = [
        (None, vec![(json!(["CNNGB", first, true]), none.clone())]),
        (
            Some(said_again(6, "CNSHA", 20)),
            vec![
                (json!(["CNNGB", first, false]), none.clone()),
                (json!(["CNSHA", first, true]), json!(0)),
            ],
        ),
        // Another time is the same record, and it still stands in for the first.
        (
            Some(said_again(7, "CNSHA", 40)),
            vec![
                (json!(["CNNGB", first, false]), none.clone()),
                (json!(["CNSHA", later, true]), json!(0)),
            ],
        ),
        (
            Some(said_again(8, "CNTAO", 40)),
            vec![
                (json!(["CNNGB", first, false]), none),
                (json!(["CNSHA", later, false]), json!(0)),
                (json!(["CNTAO", later, true]), json!(1)),
            ],
        ),
    ];
    for (answer, expected) in steps {
        if let Some(answer) = answer {
            ground.answer(&answer).await;
            ground.pass(SignedDuration::from_hours(25));
            ground.drain().await;
        }
        assert_eq!(records(&ground, account).await, expected);
    }
}
