//! The use cases over a real store, with the clock set by hand and a carrier that answers as it is told.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that finds something else than it expects has failed"
)]

mod auditing;
mod clock_jumps;
mod companies;
mod configured_later;
mod corrected;
mod cut_terms;
mod defective;
mod deleting;
mod delivering;
mod detecting;
mod dropping;
mod ending;
mod filing;
mod finishing;
mod foreseeing;
mod ground;
mod hearing;
mod listening;
mod moving;
mod nameless;
mod naming;
mod nodes_clock;
mod once;
mod overdue;
mod poison;
mod proxied;
mod quays;
mod railroads;
mod recalled;
mod receiver;
mod refreshing;
mod replaying;
mod replaying_much;
mod rereading;
mod rereading_slowly;
mod restarting;
mod sightings;
mod spelling;
mod staged_fields;
mod standing;
mod steady;
mod stopping;
mod subscribing;
mod taken_back;
mod trials;
mod two_nodes;
mod undated;
mod unreadable;
mod unwritten;
mod versions;
mod voyages;
mod whole_bills;
mod whose;
mod windows;

use domain::tracking_request::{FailedReason, NumberKind, RequestStatus};
use jiff::SignedDuration;

use ground::{Ground, LADEN};

pub(crate) const BOX: &str = "NWLU0000425";

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_read_is_trouble_however_often_it_is_repeated() {
    let ground = Ground::new("{\"events\": ").await;
    let account = ground.account("A").await;
    let id = ground.track(account, BOX, NumberKind::Container).await;
    for tried in 1..=3 {
        ground.drain().await;
        let progress = ground.request(account, id).await.progress;
        assert_eq!(progress.status, RequestStatus::Pending);
        assert_eq!(
            progress.failed_reason,
            Some(FailedReason::UnrecognizedResponse)
        );
        assert!(progress.is_retrying);
        assert_eq!(progress.retry_count, tried);
        ground.pass(SignedDuration::from_hours(3));
    }
    ground.answer(LADEN).await;
    ground.drain().await;
    assert_eq!(
        ground.request(account, id).await.progress.status,
        RequestStatus::Succeeded
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_that_is_sent_as_an_answer_ends_no_request() {
    for busy in [
        r#"{"code":500,"message":"Service busy"}"#,
        r#"{"errors":[{"errorCode":9000,"message":"try later"}]}"#,
        r#"{"events":[{"eventType":"EQUIPMENT"}]}"#,
    ] {
        let ground = Ground::new(busy).await;
        let account = ground.account("A").await;
        let id = ground.track(account, BOX, NumberKind::Container).await;
        ground.drain().await;
        let progress = ground.request(account, id).await.progress;
        assert_eq!(progress.status, RequestStatus::Pending, "{busy}");
        let trouble = Some(FailedReason::UnrecognizedResponse);
        assert_eq!(progress.failed_reason, trouble, "{busy}");
        ground.answer(LADEN).await;
        ground.pass(SignedDuration::from_hours(3));
        ground.drain().await;
        let progress = ground.request(account, id).await.progress;
        assert_eq!(progress.status, RequestStatus::Succeeded, "{busy}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_list_ends_a_container_number_and_lets_a_bill_wait_for_seven_days() {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    let boxed = ground.track(account, BOX, NumberKind::Container).await;
    let bill = ground
        .track(account, "NWLX00042", NumberKind::BillOfLading)
        .await;
    ground.drain().await;
    let ended = ground.request(account, boxed).await.progress;
    assert_eq!(ended.status, RequestStatus::Failed);
    assert_eq!(ended.failed_reason, Some(FailedReason::NotFound));
    let waits = |status| status == RequestStatus::AwaitingManifest;
    assert!(waits(ground.request(account, bill).await.progress.status));
    ground.pass(SignedDuration::from_hours(24 * 7 - 1));
    ground.drain().await;
    assert!(waits(ground.request(account, bill).await.progress.status));
    ground.pass(SignedDuration::from_hours(2));
    ground.drain().await;
    assert_eq!(
        ground.request(account, bill).await.progress.status,
        RequestStatus::Failed
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_share_the_question_and_see_only_their_own() {
    let ground = Ground::new(LADEN).await;
    let (a, b) = (ground.account("A").await, ground.account("B").await);
    let first = ground.track(a, BOX, NumberKind::Container).await;
    ground.drain().await;
    assert_eq!(ground.asked().await, 1);
    let second = ground.track(b, BOX, NumberKind::Container).await;
    ground.drain().await;
    assert_eq!(
        ground.asked().await,
        2,
        "one question for the second account, not one for each"
    );
    for (account, id, other) in [(a, first, second), (b, second, first)] {
        let row = ground.request(account, id).await;
        assert_eq!(row.progress.status, RequestStatus::Succeeded);
        assert_eq!(ground.containers(account).await, 1);
        assert!(
            ground.find(account, other).await.is_none(),
            "another account's request was found"
        );
    }
    ground.pass(SignedDuration::from_hours(6));
    ground.drain().await;
    assert_eq!(
        ground.asked().await,
        3,
        "both accounts are served by one question"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_one_answer_leaves_out_stays_as_it_was() {
    let of = |number| filing::loaded(number, "2026-04-05T05:00:00Z", &[("TRD", filing::BILL)]);
    let (first, second) = (of(BOX), of("CSQU3054383"));
    let ground = Ground::new(&filing::message(&[first.clone(), second])).await;
    let account = ground.account("A").await;
    let bill = NumberKind::BillOfLading;
    ground.track(account, filing::BILL, bill).await;
    ground.drain().await;
    assert_eq!(ground.containers(account).await, 2);
    let told = ground.told(account).await;
    ground.answer(&filing::message(&[first])).await;
    ground.pass(SignedDuration::from_hours(30));
    ground.drain().await;
    assert_eq!(ground.containers(account).await, 2);
    assert_eq!(
        ground.told(account).await,
        told,
        "and nobody is told anything"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_reported_stays_when_the_carrier_falls_silent() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let id = ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let before = ground.container_document(account).await;
    for silence in ["[]", "{\"events\": ", "<html>busy</html>"] {
        ground.answer(silence).await;
        ground.pass(SignedDuration::from_hours(30));
        ground.drain().await;
        assert_eq!(
            ground.request(account, id).await.progress.status,
            RequestStatus::Succeeded
        );
        assert_eq!(
            ground.container_document(account).await,
            before,
            "after {silence}"
        );
    }
}
