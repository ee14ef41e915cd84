//! Requests that name no line.

use domain::ids::AccountId;
use domain::tracking_request::{FailedReason, NumberKind, RequestStatus};
use jiff::SignedDuration;

use crate::BOX;
use crate::ground::{Ground, LADEN};

const BILL: NumberKind = NumberKind::BillOfLading;
const BOXED: NumberKind = NumberKind::Container;

/// Line, status and reason of a request after all that is due is done.
async fn found(
    ground: &Ground,
    account: AccountId,
    number: &str,
    kind: NumberKind,
) -> (Option<String>, RequestStatus, Option<FailedReason>) {
    let id = ground.ask_for(account, number, kind, None).await;
    let row = ground.request(account, id).await;
    assert_eq!(
        (row.scac, row.progress.status),
        (None, RequestStatus::Pending)
    );
    ground.drain().await;
    let row = ground.request(account, id).await;
    let scac = row.scac.map(|scac| scac.to_string());
    (scac, row.progress.status, row.progress.failed_reason)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sure_number_gets_its_line_without_a_question() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let told = found(&ground, account, "MEDUAB123456", BILL).await;
    assert_eq!(told, (Some("MSCU".into()), RequestStatus::Pending, None));
    assert_eq!(ground.asked().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_line_that_knows_a_box_is_its_line() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let told = found(&ground, account, BOX, BOXED).await;
    assert_eq!(told, (Some("NWLX".into()), RequestStatus::Succeeded, None));
    assert_eq!(ground.containers(account).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_nobody_knows_fails_and_a_guess_that_nobody_confirms_too() {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    let failed = |scac| {
        (
            scac,
            RequestStatus::Failed,
            Some(FailedReason::ScacAutoDetectFailed),
        )
    };
    for (number, kind) in [
        (BOX, BOXED),
        ("TCLU4255604", BOXED),
        ("123456789", BILL),
        ("QUAY00001", BILL),
        ("NWLX00042", BILL),
        ("EGLV123456789012", BILL), // sure, but the line does not answer to bills
    ] {
        let told = found(&ground, account, number, kind).await;
        assert_eq!(told, failed(None), "{number}");
    }
    assert_eq!(
        ground.asked().await,
        3,
        "both boxes, and the bill that begins with the line's code"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_is_tried_again() {
    let ground = Ground::new("[]").await;
    ground.break_down().await;
    let account = ground.account("A").await;
    let id = ground.ask_for(account, BOX, BOXED, None).await;
    ground.drain().await;
    ground.drain().await;
    let progress = ground.request(account, id).await.progress;
    assert_eq!(progress.status, RequestStatus::Pending);
    assert_eq!((progress.is_retrying, progress.retry_count), (true, 1));
    ground.answer(LADEN).await;
    ground.pass(SignedDuration::from_mins(2));
    ground.drain().await;
    let row = ground.request(account, id).await;
    assert_eq!(row.progress.status, RequestStatus::Succeeded);
    assert_eq!(
        (row.progress.is_retrying, row.progress.retry_count),
        (false, 0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_never_answers_ends_the_search_after_about_a_day() {
    let ground = Ground::new("[]").await;
    ground.break_down().await;
    let account = ground.account("A").await;
    let id = ground.ask_for(account, BOX, BOXED, None).await;
    let mut hours = 0;
    while ground.request(account, id).await.progress.status == RequestStatus::Pending {
        ground.drain().await;
        ground.pass(SignedDuration::from_hours(1));
        hours += 1;
        assert!(hours < 48, "never ended");
    }
    assert!((12..=36).contains(&hours), "{hours}");
    let reason = ground.request(account, id).await.progress.failed_reason;
    assert_eq!(reason, Some(FailedReason::RetriesExhausted));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_is_followed_already_fails_as_duplicate() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, BOXED).await;
    ground.drain().await;
    let told = found(&ground, account, BOX, BOXED).await;
    let duplicate = Some(FailedReason::Duplicate);
    assert_eq!(told, (None, RequestStatus::Failed, duplicate));
    let other = ground.account("B").await;
    let told = found(&ground, other, BOX, BOXED).await;
    assert_eq!(
        told.1,
        RequestStatus::Succeeded,
        "another account's request is its own"
    );
}
