//! A line whose source is configured after its numbers were asked for, or under another name.

use domain::tracking_request::{NumberKind, RequestStatus};
use tokio_util::sync::CancellationToken;
use tracking::work::look_through;

use crate::BOX;
use crate::ground::{Ground, LADEN};

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
