//! A ship's calls that a line tells without naming anything: of an answer they are what was asked.

use domain::tracking_request::NumberKind;
use serde_json::{Value, json};

use crate::BOX;
use crate::filing::{BILL, loaded, message};
use crate::ground::Ground;

const OTHER_BOX: &str = "CSQU3054383";
const LOADED: &str = "container.transport.vessel_loaded";
const DEPARTED: &str = "container.transport.vessel_departed";

fn departed() -> Value {
    json!({ "eventType": "TRANSPORT", "transportEventTypeCode": "DEPA", "eventClassifierCode": "ACT",
        "eventDateTime": "2026-04-05T20:00:00+08:00", "eventCreatedDateTime": "2026-04-05T13:00:00Z",
        "transportCall": { "modeOfTransport": "VESSEL", "UNLocationCode": "CNNGB",
        "vessel": { "vesselIMONumber": "9321483" } } })
}

fn load(number: &str) -> Value {
    loaded(number, "2026-04-05T05:00:00Z", &[])
}

fn told_of(numbers: &[&str], events: &[&str]) -> Vec<(String, Vec<String>)> {
    let events: Vec<String> = events.iter().map(ToString::to_string).collect();
    let mut told: Vec<_> = numbers
        .iter()
        .map(|n| (n.to_string(), events.clone()))
        .collect();
    told.sort();
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn in_an_answer_they_are_told_of_every_box_that_was_asked_about() {
    let cases = [
        (BILL, NumberKind::BillOfLading, vec![BOX]),
        (BILL, NumberKind::BillOfLading, vec![BOX, OTHER_BOX]),
        (BOX, NumberKind::Container, vec![BOX]),
    ];
    for (number, kind, boxes) in cases {
        let mut events: Vec<Value> = boxes.iter().map(|number| load(number)).collect();
        events.push(departed());
        let ground = Ground::new(&message(&events)).await;
        let account = ground.account("A").await;
        ground.track(account, number, kind).await;
        ground.drain().await;
        assert_eq!(
            ground.told(account).await,
            told_of(&boxes, &[LOADED, DEPARTED])
        );
    }
}

/// A question about one box follows that one, whatever else is in the answer.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_about_a_box_is_told_of_no_other() {
    let answer = message(&[load(BOX), load(OTHER_BOX), departed()]);
    let ground = Ground::new(&answer).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    assert_eq!(
        ground.told(account).await,
        told_of(&[BOX], &[LOADED, DEPARTED])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unasked_they_are_told_of_a_box_that_is_alone_in_the_message() {
    for (beside, events) in [
        (vec![load(BOX)], vec![LOADED, DEPARTED]),
        (vec![load(BOX), load("NWLU2000110")], vec![LOADED]),
    ] {
        let ground = Ground::new(&message(&[load(BOX)])).await;
        let account = ground.account("A").await;
        ground.track(account, BOX, NumberKind::Container).await;
        ground.drain().await;
        assert_eq!(ground.told(account).await, told_of(&[BOX], &[LOADED]));
        let pushed: Vec<Value> = beside.into_iter().chain([departed()]).collect();
        ground.push(&message(&pushed)).await;
        assert_eq!(ground.told(account).await, told_of(&[BOX], &events));
    }
}
