//! A line whose source is configured after its numbers were asked for, or under another name.

use std::time::{Duration, Instant};

use domain::tracking_request::{NumberKind, RequestStatus};
use jiff::SignedDuration;
use store::testing::PgServer;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracking::work::{drain, look_through};

use crate::BOX;
use crate::ground::{Ground, LADEN, ended_by_store, store_on};

/// Longest wait for what is tried again.
const PATIENCE: Duration = Duration::from_mins(1);
const BILLS: [&str; 3] = ["NWLX1000", "NWLX2000", "NWLX3000"];

/// A start of the service with its carrier configured (again).
async fn start_with_carrier(ground: &mut Ground) {
    ground.start_again();
    look_through(ground.tracking().clone(), CancellationToken::new()).await;
    ground.drain().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_asked_about_when_its_line_can_be() {
    let mut ground = Ground::new(LADEN).await;
    ground.restart();
    let account = ground.account("A").await;
    let request = ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let waits = ground.request(account, request).await;
    assert_eq!(waits.progress.status, RequestStatus::Pending);
    start_with_carrier(&mut ground).await;
    let found = ground.request(account, request).await;
    assert_eq!(found.progress.status, RequestStatus::Succeeded);
    assert_eq!(ground.asked().await, 1);
    assert_eq!(ground.containers(account).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shipment_that_came_by_itself_is_asked_about_too() {
    let mut ground = Ground::new(LADEN).await;
    ground.restart_with_hub();
    let account = ground.account("A").await;
    let request = ground.track(account, BOX, NumberKind::Container).await;
    ground.push(LADEN).await;
    let found = ground.request(account, request).await;
    assert_eq!(found.progress.status, RequestStatus::Succeeded);
    assert_eq!(ground.asked().await, 0);
    start_with_carrier(&mut ground).await;
    assert_eq!(ground.asked().await, 1);
    // Once is enough: the next start finds that it is asked about.
    start_with_carrier(&mut ground).await;
    assert_eq!(ground.asked().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_under_another_name_takes_over() {
    let mut ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    assert_eq!(ground.asked().await, 1);
    ground.rename_carrier("nowhere-api");
    start_with_carrier(&mut ground).await;
    assert_eq!(ground.asked().await, 2);
    assert_eq!(ground.containers(account).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_shipment_is_asked_about_at_the_source_of_now() {
    let mut ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let request = ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let shipment = ground.request(account, request).await.shipment.unwrap();
    tracking::shipment::stop_tracking(ground.tracking(), account, shipment)
        .await
        .unwrap();
    ground.rename_carrier("nowhere-api");
    start_with_carrier(&mut ground).await;
    assert_eq!(ground.asked().await, 1, "nobody follows it");
    tracking::shipment::resume_tracking(ground.tracking(), account, shipment)
        .await
        .unwrap();
    ground.drain().await;
    assert_eq!(ground.asked().await, 2);
}

/// The service looks through what is tracked until all of it was looked at.
fn looking(ground: &Ground) -> JoinHandle<()> {
    tokio::spawn(look_through(
        ground.tracking().clone(),
        CancellationToken::new(),
    ))
}

/// Three bills that are tracked, and whose line nobody can be asked about.
async fn track_bills(ground: &Ground) {
    let account = ground.account("A").await;
    for bill in BILLS {
        ground.track(account, bill, NumberKind::BillOfLading).await;
        // One after the other, also by their ids.
        ground.pass(SignedDuration::from_secs(1));
    }
    ground.drain().await;
}

/// Waits until the carrier was asked so many questions.
async fn until_asked(ground: &Ground, questions: usize) {
    let began = Instant::now();
    while ground.asked().await < questions {
        assert!(began.elapsed() < PATIENCE, "{questions} are not asked");
        tokio::time::sleep(Duration::from_millis(20)).await;
        // The store may be away.
        let _ = drain(ground.tracking()).await;
    }
    assert_eq!(ground.asked().await, questions);
}

async fn until_over(looking: JoinHandle<()>) {
    let over = tokio::time::timeout(PATIENCE, looking).await;
    over.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_cannot_be_looked_at_keeps_no_other_waiting_and_is_tried_again() {
    let refused = (
        "create trigger poison before insert on watches when new.number = 'NWLX1000'
         begin select raise(abort, 'poison'); end",
        "drop trigger poison",
    );
    let unreadable = (
        "update tracking_requests set scac = '?' where number = 'NWLX1000'",
        "update tracking_requests set scac = 'NWLX' where number = 'NWLX1000'",
    );
    for (poison, remedy) in [refused, unreadable] {
        let mut ground = Ground::new("[]").await;
        ground.restart();
        track_bills(&ground).await;
        ground.tamper(poison);
        ground.start_again();
        let looking = looking(&ground);
        until_asked(&ground, 2).await;
        assert!(!looking.is_finished(), "{poison}");
        ground.tamper(remedy);
        until_over(looking).await;
        until_asked(&ground, 3).await;
    }
}

#[test]
fn a_look_that_the_store_ended_goes_on_when_the_store_is_back() {
    let server = PgServer::start().unwrap();
    let store = store_on(&server);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut ground = Ground::new("[]").await;
        ground.restart_on(store.clone());
        track_bills(&ground).await;
        // As when it is shut down.
        ended_by_store(&server, "57P01", "watches", "new.number = 'NWLX2000'");
        ground.start_again_on(store, Vec::new());
        let looking = looking(&ground);
        until_asked(&ground, 1).await;
        assert!(!looking.is_finished());
        let back = || server.administer(&["drop trigger ended on watches"]);
        tokio::task::block_in_place(back).unwrap();
        until_over(looking).await;
        until_asked(&ground, 3).await;
    });
}
