//! Everything that was kept, read again.

use domain::ids::AccountId;
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use serde_json::Value;
use store::replay::{Replay, Stage};
use tokio_util::sync::CancellationToken;
use tracking::Tracking;
use tracking::replay::replay;

use crate::BOX;
use crate::filing::{BILL, loaded, message};
use crate::ground::Ground;

const OTHER_BOX: &str = "CSQU3054383";

/// A bill with one box by question, one by push, and a claim that is parked.
async fn told() -> (Ground, AccountId) {
    let answer = message(&[loaded(BOX, "2026-04-05T05:00:00Z", &[("TRD", BILL)])]);
    let ground = Ground::new(&answer).await;
    let account = ground.account("A").await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    let moves = [
        loaded(OTHER_BOX, "2026-04-05T06:00:00Z", &[("TRD", BILL)]),
        loaded(BOX, "2026-04-05T06:00:00Z", &[("TRD", "NWLX7777")]),
    ];
    ground.push(&message(&moves)).await;
    ground.push("<html>busy</html>").await;
    // Time passes between what was said and its being read again.
    ground.pass(SignedDuration::from_hours(1));
    (ground, account)
}

async fn run(ground: &Ground, tracking: &Tracking, anew: bool) -> Replay {
    // What is seen at the very moment at which a replay begins counts as seen after it.
    ground.pass(SignedDuration::from_mins(1));
    let stop = CancellationToken::new();
    replay(tracking, anew, &stop, |_| {}).await.unwrap()
}

/// Everything that the account holds and was told.
async fn held(ground: &Ground, account: AccountId) -> Vec<Value> {
    let read = ground.tracking().store().read(move |tx| {
        let a = &mut tx.account(account);
        let slice = store::Slice {
            offset: 0,
            limit: 50,
        };
        let boxes = store::container::ContainerFilter::default();
        let boxes = store::container::page(a, &boxes, slice)?.rows;
        let bills = store::shipment::ShipmentFilter::default();
        let bills = store::shipment::page(a, &bills, slice)?.rows;
        Ok::<_, store::Error>(boxes.into_iter().chain(bills).collect::<Vec<_>>())
    });
    let rows = read.await.unwrap();
    rows.iter()
        .map(|row| serde_json::from_str(&row.document).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nothing_became_better_nothing_changes() {
    let (ground, account) = told().await;
    let before = held(&ground, account).await;
    assert_eq!(before.len(), 3);
    for _ in 0..2 {
        let ended = run(&ground, ground.tracking(), false).await;
        assert!(ended.ended_at.is_some());
        assert_eq!((ended.gone, ended.found), (0, 0));
        assert_eq!(held(&ground, account).await, before);
    }
    // Nor when nobody can read the messages any more.
    let ended = run(&ground, &ground.without_carrier(), false).await;
    assert_eq!((ended.gone, ended.found), (0, 0));
    assert_eq!(held(&ground, account).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_better_reading_corrects_the_state() {
    let (ground, account) = told().await;
    let before = held(&ground, account).await;
    let loads = |documents: &[Value]| -> Vec<String> {
        let attribute = |d: &Value| {
            d.pointer("/attributes/pol_vessel_loaded_at")?
                .as_str()
                .map(str::to_owned)
        };
        let mut loads: Vec<String> = documents.iter().filter_map(attribute).collect();
        loads.sort();
        loads
    };
    assert_eq!(
        loads(&before),
        ["2026-04-05T05:00:00Z", "2026-04-05T06:00:00Z"]
    );
    let better = ground.read_by("[quirks]\nz_is_local = true\n");
    let ended = run(&ground, &better, false).await;
    // Three readings, of which two are filed under a box and a bill.
    assert_eq!((ended.gone, ended.found), (5, 5));
    let after = held(&ground, account).await;
    assert_eq!(
        loads(&after),
        ["2026-04-04T21:00:00Z", "2026-04-04T22:00:00Z"]
    );
    assert_eq!(after.len(), before.len());
    // And back again, by the profile of before.
    let ended = run(&ground, ground.tracking(), false).await;
    assert_eq!((ended.gone, ended.found), (5, 5));
    assert_eq!(loads(&held(&ground, account).await), loads(&before));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_that_is_stopped_goes_on_where_it_stopped() {
    let (ground, account) = told().await;
    let before = held(&ground, account).await;
    let better = ground.read_by("[quirks]\nz_is_local = true\n");
    let mut stages = Vec::new();
    for _ in 0..20 {
        // Stopped after each step.
        let stop = CancellationToken::new();
        let mut told = 0;
        let step = replay(&better, false, &stop, |_| {
            told += 1;
            if told == 2 {
                stop.cancel();
            }
        });
        let step = step.await.unwrap();
        assert_eq!(step.number, 1, "it is the same one");
        stages.push(step.stage);
        if step.stage == Stage::Settling && step.done == 0 {
            let unseen = held(&ground, account).await;
            assert_eq!(
                unseen, before,
                "what is found is not told before its watch is settled"
            );
        }
        if step.ended_at.is_some() {
            assert_eq!((step.gone, step.found), (5, 5));
            break;
        }
    }
    stages.dedup();
    assert_eq!(stages, [Stage::Reading, Stage::Settling, Stage::Showing]);
    assert_ne!(held(&ground, account).await, before);
    // One that is given up in the middle leaves nothing of itself behind.
    ground.pass(SignedDuration::from_mins(1));
    let stop = CancellationToken::new();
    let given_up = replay(ground.tracking(), false, &stop, |step| {
        if step.stage == Stage::Settling {
            stop.cancel();
        }
    });
    assert_eq!(given_up.await.unwrap().stage, Stage::Settling);
    let last = run(&ground, &better, true).await;
    assert_eq!(last.number, 3);
    let again = run(&ground, ground.tracking(), false).await;
    assert_eq!((again.gone, again.found), (5, 5));
    assert_eq!(held(&ground, account).await.len(), before.len());
}
