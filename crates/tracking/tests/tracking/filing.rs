//! Messages that nobody asked for: filed under what they name, and found by whoever tracks it, now or later.

use std::time::{Duration, Instant};

use domain::ids::AccountId;
use domain::tracking_request::{NumberKind, RequestStatus};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tracking::intake::{Accepted, MESSAGE_BYTES_MAX, Message, MessageRefused, receive};
use tracking::work;

use crate::BOX;
use crate::ground::Ground;

pub(crate) const BILL: &str = "NWLX0042";
const OTHER_BOX: &str = "CSQU3054383";
/// Longest wait for what is done at once.
const SOON_MAX: Duration = Duration::from_mins(1);
/// What the carrier answers about a number it does not know.
const NOTHING: &str = "[]";

/// One move of a box at a time, under these references.
fn a_move(code: &str, number: &str, at: &str, references: &[(&str, &str)]) -> Value {
    let references: Vec<Value> = references
        .iter()
        .map(
            |(kind, value)| json!({"documentReferenceType": kind, "documentReferenceValue": value}),
        )
        .collect();
    let empty = matches!(code, "GTOT" | "GTIN");
    json!({
        "eventID": format!("{code}-{number}-{at}"), "eventCreatedDateTime": at, "eventType": "EQUIPMENT",
        "eventClassifierCode": "ACT", "eventDateTime": at, "equipmentEventTypeCode": code,
        "equipmentReference": number,
        "emptyIndicatorCode": if empty { "EMPTY" } else { "LADEN" },
        "documentReferences": references,
        "transportCall": if empty {
            json!({"modeOfTransport": "TRUCK", "UNLocationCode": "CNNGB"})
        } else {
            json!({"modeOfTransport": "VESSEL", "UNLocationCode": "CNNGB",
                "vessel": {"vesselIMONumber": "9321483"}})
        },
    })
}

pub(crate) fn loaded(number: &str, at: &str, references: &[(&str, &str)]) -> Value {
    a_move("LOAD", number, at, references)
}

pub(crate) fn message(moves: &[Value]) -> String {
    Value::Array(moves.to_vec()).to_string()
}

fn aboard(number: &str) -> (String, Vec<String>) {
    (
        number.to_owned(),
        vec!["container.transport.vessel_loaded".to_owned()],
    )
}

async fn status(
    ground: &Ground,
    account: AccountId,
    number: &str,
    kind: NumberKind,
) -> RequestStatus {
    let id = ground.track(account, number, kind).await;
    ground.request(account, id).await.progress.status
}

/// No source is busy, and nobody who asked is waited for.
fn all_that_waits(now: Timestamp) -> store::raw_message::Others<'static> {
    store::raw_message::Others {
        answered_before: now,
        busy_sources: &[],
        known_sources: None,
        turns: None,
        before: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_pushed_under_a_bill_reaches_every_account_that_tracks_it() {
    let ground = Ground::new(NOTHING).await;
    let (a, b, stranger) = (
        ground.account("A").await,
        ground.account("B").await,
        ground.account("C").await,
    );
    let waiting = ground.track(a, BILL, NumberKind::BillOfLading).await;
    ground.track(b, BILL, NumberKind::BillOfLading).await;
    ground
        .track(stranger, "NWLX9999", NumberKind::BillOfLading)
        .await;
    ground.drain().await;
    let at = "2026-04-05T05:00:00Z";
    let moves = [
        loaded(BOX, at, &[("TRD", "0042")]),
        loaded(OTHER_BOX, at, &[("TRD", BILL)]),
    ];
    ground.push(&message(&moves)).await;
    for account in [a, b] {
        let both = [aboard(OTHER_BOX), aboard(BOX)];
        assert_eq!(
            ground.told(account).await,
            both,
            "with the line's code and without"
        );
    }
    assert_eq!(ground.told(stranger).await, []);
    let progress = ground.request(a, waiting).await.progress;
    assert_eq!(progress.status, RequestStatus::Succeeded);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_made_later_finds_what_came_earlier() {
    let ground = Ground::new(NOTHING).await;
    let account = ground.account("A").await;
    ground.break_down().await;
    let at = "2026-04-05T05:00:00Z";
    ground
        .push(&message(&[loaded(BOX, at, &[("BKG", "K77")])]))
        .await;
    for (number, kind) in [("K77", NumberKind::Booking), (BOX, NumberKind::Container)] {
        let status = status(&ground, account, number, kind).await;
        assert_eq!(status, RequestStatus::Succeeded, "{number}");
    }
    assert_eq!(ground.told(account).await, [aboard(BOX), aboard(BOX)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_becomes_known_later_brings_what_was_said_about_it_before() {
    let ground = Ground::new(NOTHING).await;
    let account = ground.account("A").await;
    // Said of the box alone; nobody knows yet on which bill it goes.
    let out = a_move("GTOT", BOX, "2026-04-01T05:00:00Z", &[]);
    ground.push(&message(&[out])).await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    assert_eq!(ground.told(account).await, []);
    let answer = message(&[loaded(BOX, "2026-04-05T05:00:00Z", &[("TRD", BILL)])]);
    ground.answer(&answer).await;
    ground.pass(SignedDuration::from_hours(25));
    ground.drain().await;
    let told = ground.told(account).await;
    let names = [
        "container.transport.empty_out",
        "container.transport.vessel_loaded",
    ];
    assert_eq!(told, [(BOX.to_owned(), names.map(str::to_owned).to_vec())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_of_another_voyage_is_parked_until_a_journey_fits() {
    let answer = message(&[
        a_move("GTOT", BOX, "2026-04-01T05:00:00Z", &[("TRD", BILL)]),
        loaded(BOX, "2026-04-05T05:00:00Z", &[("TRD", BILL)]),
    ]);
    let ground = Ground::new(&answer).await;
    let account = ground.account("A").await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    let before = ground.told(account).await;
    // The voyage before, and one under another bill at the same time.
    let earlier = a_move("GTIN", BOX, "2026-02-01T05:00:00Z", &[]);
    let foreign = loaded(BOX, "2026-04-04T05:00:00Z", &[("TRD", "NWLX7777")]);
    ground.push(&message(&[earlier, foreign])).await;
    assert_eq!(ground.told(account).await, before);
    let raw_events = ground.container_document(account).await;
    let raw_events = raw_events
        .pointer("/relationships/raw_events/data")
        .unwrap();
    assert_eq!(raw_events.as_array().unwrap().len(), 2);
    // The other bill is tracked: there the claim fits.
    ground.answer(NOTHING).await;
    let other = ground.account("B").await;
    ground
        .track(other, "NWLX7777", NumberKind::BillOfLading)
        .await;
    assert_eq!(ground.told(other).await, [aboard(BOX)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_account_uploads_is_its_own() {
    let ground = Ground::new(NOTHING).await;
    let (owner, other) = (ground.account("A").await, ground.account("B").await);
    for account in [owner, other] {
        ground.track(account, BILL, NumberKind::BillOfLading).await;
    }
    ground.drain().await;
    let body = message(&[loaded(BOX, "2026-04-05T05:00:00Z", &[("TRD", BILL)])]);
    ground.push_for(Some(owner), &body).await;
    ground.drain().await;
    assert_eq!(ground.told(owner).await, [aboard(BOX)]);
    assert_eq!(ground.told(other).await, []);
    // A request of the owner made later finds it, another account's does not.
    for (account, expected) in [
        (owner, RequestStatus::Succeeded),
        (other, RequestStatus::Pending),
    ] {
        let found = status(&ground, account, BOX, NumberKind::Container).await;
        assert_eq!(found, expected);
    }
    // A box that joins the owner's shipment by its own upload is followed by it alone, too.
    let more = message(&[loaded(OTHER_BOX, "2026-04-05T06:00:00Z", &[("TRD", BILL)])]);
    ground.push_for(Some(owner), &more).await;
    ground.drain().await;
    assert_eq!(ground.told(owner).await.len(), 3);
    assert_eq!(ground.told(other).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_claim_by_question_and_by_push_is_one() {
    let body = message(&[loaded(BOX, "2026-04-05T05:00:00Z", &[("TRD", BILL)])]);
    let ground = Ground::new(&body.replace("LOAD-", "L-")).await;
    let account = ground.account("A").await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    let before = ground.container_document(account).await;
    ground.push(&body).await;
    assert_eq!(ground.told(account).await, [aboard(BOX)]);
    let after = ground.container_document(account).await;
    assert_eq!(before.pointer("/attributes"), after.pointer("/attributes"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_taken_in_once_and_read_after_a_crash() {
    let ground = Ground::new(NOTHING).await;
    let account = ground.account("A").await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    let body = message(&[loaded(BOX, "2026-04-05T05:00:00Z", &[("TRD", BILL)])]);
    let Accepted::Fresh(first) = ground.push_for(None, &body).await else {
        panic!("the first time it is news")
    };
    // Whoever took it up is gone; nothing of it has been read.
    let now = ground.tracking().now();
    let claimed = ground
        .tracking()
        .store()
        .write(store::Key::sightings(), move |tx| {
            let until = now + SignedDuration::from_mins(3);
            store::raw_message::claim(tx, now, until, all_that_waits(now))
        })
        .await;
    let claimed: Vec<store::raw_message::Claimed> = claimed.unwrap_or_else(|e: store::Error| {
        panic!("{e}");
    });
    assert_eq!(claimed[0].message.id, first);
    ground.drain().await;
    assert_eq!(ground.told(account).await, [], "it is in somebody's hands");
    ground.pass(SignedDuration::from_mins(4));
    ground.drain().await;
    assert_eq!(ground.told(account).await, [aboard(BOX)]);
    assert_eq!(ground.push(&body).await, Accepted::Known(first));
}

/// What a killed run had in hand, on a store of one node, is read by the next start without a wait: pushes and answers to questions.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_crash_left_in_hand_is_read_by_the_next_start() {
    let ground = Ground::new(NOTHING).await;
    let account = ground.account("A").await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    let body = message(&[loaded(BOX, "2026-04-05T05:00:00Z", &[("TRD", BILL)])]);
    ground.push_for(None, &body).await;
    ground.tamper("update unread_messages set lease_until = '2999-01-01T00:00:00.000000Z', asked = 1, short = 0");
    ground.drain().await;
    assert_eq!(ground.told(account).await, [], "it is in somebody's hands");
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    let began = Instant::now();
    while ground.told(account).await.is_empty() {
        assert!(began.elapsed() < SOON_MAX);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(ground.told(account).await, [aboard(BOX)]);
    stop.cancel();
    working.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_fails_again_and_again_is_put_aside_and_the_next_one_is_read() {
    let ground = Ground::new(NOTHING).await;
    ground.push_for(None, "[]").await;
    for _ in 0..5 {
        let now = ground.tracking().now();
        let claimed = ground
            .tracking()
            .store()
            .write(store::Key::sightings(), move |tx| {
                store::raw_message::claim(tx, now, now, all_that_waits(now))
            })
            .await;
        let claimed: Result<Vec<_>, store::Error> = claimed;
        assert_eq!(claimed.unwrap().len(), 1);
    }
    ground.drain().await;
    let account = ground.account("A").await;
    let body = message(&[loaded(BOX, "2026-04-05T05:00:00Z", &[])]);
    ground.push(&body).await;
    let read = status(&ground, account, BOX, NumberKind::Container).await;
    assert_eq!(read, RequestStatus::Succeeded);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_is_refused() {
    let ground = Ground::new(NOTHING).await;
    let message = |source: &str, bytes: Vec<u8>| Message {
        source: source.into(),
        account: None,
        content_type: String::new(),
        bytes,
    };
    let long = vec![b'x'; MESSAGE_BYTES_MAX + 1];
    for (given, expected) in [
        (
            message("nobody", b"[]".to_vec()),
            "no source \"nobody\" is configured",
        ),
        (message("hub", b" \r\n".to_vec()), "the message is empty"),
        (
            message("hub", long),
            "the message has 20971521 bytes; at most 20971520 are read",
        ),
    ] {
        let refused: MessageRefused = receive(ground.tracking(), given).await.unwrap_err();
        assert_eq!(refused.to_string(), expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_file_is_filed_in_pieces_and_nothing_of_it_is_lost() {
    let ground = Ground::new(NOTHING).await;
    let account = ground.account("A").await;
    let moves: Vec<Value> = (0..700)
        .map(|n| {
            let number = domain::codes::ContainerNumber::parse(&format!("MSCU{:06}", n % 350));
            let at = if n < 350 {
                "2026-04-05T05:00:00Z"
            } else {
                "2026-04-05T06:00:00Z"
            };
            let bill = format!("LONG{}", n % 50);
            loaded(number.unwrap().as_str(), at, &[("TRD", &bill)])
        })
        .collect();
    ground
        .track(account, "LONG7", NumberKind::BillOfLading)
        .await;
    ground.push(&message(&moves)).await;
    assert_eq!(ground.told(account).await.len(), 7);
    ground
        .track(account, "LONG49", NumberKind::BillOfLading)
        .await;
    assert_eq!(ground.told(account).await.len(), 14);
}
