//! The line `TEST`: one number succeeds, one fails, and both are told.

use domain::codes::Scac;
use domain::event::EventName;
use domain::tracking_request::{FailedReason, NumberKind, RequestStatus};
use jiff::SignedDuration;
use store::Slice;
use store::notification::NotificationFilter;
use tracking::trials::{FAILS, SUCCEEDS};
use tracking::webhooks::NewWebhook;

use crate::ground::Ground;

#[tokio::test(flavor = "multi_thread")]
async fn one_number_succeeds_with_a_box_and_one_fails_and_both_are_told() {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    let wanted = NewWebhook {
        url: "https://hooks.example/in".into(),
        active: true,
        events: vec![
            EventName::TrackingRequestSucceeded,
            EventName::TrackingRequestFailed,
        ],
        headers: vec![],
    };
    tracking::webhooks::create(ground.tracking(), account, wanted)
        .await
        .unwrap();
    let test = Scac::parse("TEST").ok();
    let kind = NumberKind::BillOfLading;
    let good = ground.ask_for(account, SUCCEEDS, kind, test).await;
    let bad = ground.ask_for(account, FAILS, kind, test).await;
    let pending = ground.request(account, good).await.progress.status;
    assert_eq!(pending, RequestStatus::Pending, "never within the answer");
    ground.drain().await;
    let good = ground.request(account, good).await;
    assert_eq!(good.progress.status, RequestStatus::Succeeded);
    assert!(good.shipment.is_some());
    let bad = ground.request(account, bad).await.progress;
    assert_eq!(bad.status, RequestStatus::Failed);
    assert_eq!(bad.failed_reason, Some(FailedReason::InvalidNumber));
    assert_eq!(ground.containers(account).await, 1);
    let read = ground.tracking().store().read(move |tx| {
        let slice = Slice {
            offset: 0,
            limit: 10,
        };
        let filter = NotificationFilter::default();
        store::notification::page(&mut tx.account(account), &filter, slice)
    });
    let told = read.await.unwrap();
    let mut names: Vec<String> = told
        .rows
        .iter()
        .map(|row| row.event.as_str().into())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["tracking_request.failed", "tracking_request.succeeded"]
    );
    // Asked again weeks later it says the same, so nothing happens.
    let before = ground.container_document(account).await;
    ground.pass(SignedDuration::from_hours(24 * 20));
    ground.drain().await;
    assert_eq!(ground.container_document(account).await, before);
    assert_eq!(ground.asked().await, 0, "no carrier is asked about it");
}
