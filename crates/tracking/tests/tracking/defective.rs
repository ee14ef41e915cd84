//! What could not be used of what a source says is counted by its place, once for each message.

use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use serde_json::Value;
use store::defective_place::DefectivePlace;
use tokio_util::sync::CancellationToken;
use tracking::replay::replay;
use tracking::source_state;

use crate::BOX;
use crate::filing::{BILL, loaded, message};
use crate::ground::Ground;

const CARRIER: &str = "nowhere";

/// A move whose time is written as its carrier writes it from today on.
fn broken(hour: u32) -> Value {
    let mut event = loaded(BOX, "2026-04-05T05:00:00Z", &[("TRD", BILL)]);
    event["eventID"] = format!("broken-{hour}").into();
    event["eventDateTime"] = format!("05.04.2026 {hour:02}h").into();
    event
}

async fn defects(ground: &Ground, source: &'static str) -> Vec<DefectivePlace> {
    let (shared, now) = (ground.tracking().clone(), ground.tracking().now());
    let reading = ground.tracking().store().read(move |tx| {
        let found = source_state::find(tx, &shared, source, now)?;
        Ok::<_, store::Error>(found.map(|state| state.defects))
    });
    reading.await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_not_be_used_of_an_answer_is_counted_once() {
    let sound = loaded(BOX, "2026-04-05T05:00:00Z", &[("TRD", BILL)]);
    let ground = Ground::new(&message(&[sound.clone(), broken(6), broken(7)])).await;
    let account = ground.account("A").await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    let met = defects(&ground, CARRIER).await;
    let [time] = met.as_slice() else {
        panic!("one place: {met:?}")
    };
    let told = (
        time.place.as_str(),
        time.times,
        time.messages,
        time.last_times,
    );
    assert_eq!(told, ("eventDateTime", 2, 1, 2));
    assert!(time.reason.contains("05.04.2026 07h"), "{}", time.reason);
    // What is asked about again and answered alike, and what is read again, is counted already.
    ground.pass(SignedDuration::from_hours(13));
    ground.drain().await;
    let stop = CancellationToken::new();
    replay(ground.tracking(), true, &stop, |_| {})
        .await
        .unwrap();
    assert_eq!(defects(&ground, CARRIER).await, met);
    ground.answer(&message(&[sound.clone(), broken(8)])).await;
    ground.pass(SignedDuration::from_hours(13));
    ground.drain().await;
    let met = defects(&ground, CARRIER).await;
    let told = (met[0].times, met[0].messages, met[0].last_times);
    assert_eq!(told, (3, 2, 1));
    ground.answer(&message(&[sound])).await;
    ground.pass(SignedDuration::from_hours(13));
    ground.drain().await;
    assert_eq!(
        defects(&ground, CARRIER).await,
        met,
        "a sound one raises nothing"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_not_be_used_of_pushes_that_come_together_is_counted_of_each() {
    let ground = Ground::new("[]").await;
    for hours in [[6, 7].as_slice(), &[8], &[]] {
        let said: Vec<Value> = hours.iter().map(|hour| broken(*hour)).collect();
        let sound = loaded(BOX, "2026-04-05T05:00:00Z", &[("TRD", BILL)]);
        let said = [said, vec![sound]].concat();
        ground.push_for(None, &message(&said)).await;
        // What comes in one moment has no order, and one of them is the last.
        ground.pass(SignedDuration::from_secs(1));
    }
    // What one account brings is nobody else's to see.
    let account = ground.account("A").await;
    ground.push_for(Some(account), &message(&[broken(9)])).await;
    ground.drain().await;
    let met = defects(&ground, "hub").await;
    let told = met
        .iter()
        .map(|at| (at.place.as_str(), at.times, at.messages, at.last_times));
    assert_eq!(told.collect::<Vec<_>>(), [("eventDateTime", 3, 2, 1)]);
}
