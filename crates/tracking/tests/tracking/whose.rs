//! Whose journey a claim is of: boxes whose number was corrected, bookings that live on, and boxes that somebody saw before
//! anybody asked for them.

use domain::codes::Scac;
use domain::ids::AccountId;
use domain::tracking_request::{NumberKind, RequestStatus};
use jiff::SignedDuration;
use serde_json::{Value, json};
use store::Tx;
use tracking::Source;
use tracking::intake::{self, Message};
use tracking::request::{NewRequest, RequestRefused, create};

use crate::BOX;
use crate::filing::{BILL, loaded, message};
use crate::ground::Ground;

const OTHER_BOX: &str = "CSQU3054383";
const NOTHING: &str = "[]";
/// The line that the ground's carrier answers for.
const LINE: &str = "NWLX";

/// A terminal's list, dropped into a folder.
const TERMINAL: &str = r#"
id = "terminal"
protocol = "terminal-table"
terminal = "USLAX-W185"
[drop]
folder = "/nowhere"
[columns]
container = "Container"
as_of = "AsOf"
available = "Available"
[moves]
vessel_discharged = "Discharged"
full_out = "GateOut"
"#;

async fn seen(ground: &Ground, row: &str) {
    let text = format!("Container,AsOf,Available,Discharged,GateOut\n{row}\n");
    let message = Message {
        source: "terminal".into(),
        account: None,
        content_type: "text/csv".into(),
        bytes: text.into_bytes(),
    };
    intake::receive(ground.tracking(), message).await.unwrap();
    ground.drain().await;
}

async fn beside_a_terminal(answer: &str) -> (Ground, AccountId) {
    let mut ground = Ground::new(answer).await;
    let terminal = sources::Profile::parse(TERMINAL).unwrap();
    ground.start_again_with(vec![Source::unasked(terminal)]);
    let account = ground.account("A").await;
    (ground, account)
}

/// The same event in another issue.
fn issued(mut event: Value, id: &str, at: &str) -> Value {
    event["eventID"] = json!(id);
    event["eventCreatedDateTime"] = json!(at);
    event
}

/// The vessel calls, with all boxes of the bill.
fn vessel(code: &str, port: &str, at: &str) -> Value {
    json!({
        "eventID": format!("{code}-{port}"), "eventCreatedDateTime": at, "eventType": "TRANSPORT",
        "eventClassifierCode": "ACT", "eventDateTime": at, "transportEventTypeCode": code,
        "documentReferences": [{"documentReferenceType": "TRD", "documentReferenceValue": BILL}],
        "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": port,
            "vessel": {"vesselIMONumber": "9321483"}},
    })
}

async fn told_of(ground: &Ground, account: AccountId, number: &str) -> Vec<String> {
    let told = ground.told(account).await;
    let of_box = told.into_iter().find(|(of, _)| of == number);
    of_box.map(|(_, events)| events).unwrap_or_default()
}

/// The bill is followed, and this is what its line answered first.
async fn followed(answer: &str) -> (Ground, AccountId) {
    let ground = Ground::new(answer).await;
    let account = ground.account("A").await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    (ground, account)
}

/// The line is asked again, and answers this.
async fn a_day_later(ground: &Ground, answer: &str) {
    ground.answer(answer).await;
    ground.pass(SignedDuration::from_hours(25));
    ground.drain().await;
}

fn has(told: &[String], event: &str) -> bool {
    told.iter().any(|one| one.ends_with(event))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_whose_number_was_corrected_arrives_no_more() {
    let load = |number, at| {
        let event = loaded(number, "2026-04-04T05:00:00Z", &[("TRD", BILL)]);
        issued(event, "x1", at)
    };
    let first = load(BOX, "2026-04-04T06:00:00Z");
    let departed = vessel("DEPA", "CNNGB", "2026-04-04T20:00:00Z");
    let (ground, account) = followed(&message(&[first.clone(), departed.clone()])).await;
    assert!(has(
        &told_of(&ground, account, BOX).await,
        "vessel_departed"
    ));
    let corrected = load(OTHER_BOX, "2026-04-05T06:00:00Z");
    let arrived = vessel("ARRI", "USLAX", "2026-04-06T20:00:00Z");
    a_day_later(&ground, &message(&[corrected, departed, arrived])).await;
    assert!(has(
        &told_of(&ground, account, OTHER_BOX).await,
        "vessel_arrived"
    ));
    let first = told_of(&ground, account, BOX).await;
    assert!(!has(&first, "vessel_arrived"), "{first:?}");
    let before = told_of(&ground, account, OTHER_BOX).await;
    // Who asks after that hears of one box.
    let later = ground.account("B").await;
    ground.track(later, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    assert_eq!(ground.told(later).await, [(OTHER_BOX.to_owned(), before)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_whose_only_claim_was_taken_back_arrives_no_more() {
    let load = |number| loaded(number, "2026-04-04T05:00:00Z", &[("TRD", BILL)]);
    let first = issued(load(BOX), "x1", "2026-04-04T06:00:00Z");
    let other = issued(load(OTHER_BOX), "x2", "2026-04-04T06:00:00Z");
    let (ground, account) = followed(&message(&[first.clone(), other.clone()])).await;
    let mut gone = issued(first, "x1", "2026-04-05T06:00:00Z");
    gone["isRetracted"] = json!(true);
    let arrived = vessel("ARRI", "USLAX", "2026-04-06T20:00:00Z");
    a_day_later(&ground, &message(&[gone, other, arrived])).await;
    assert!(has(
        &told_of(&ground, account, OTHER_BOX).await,
        "vessel_arrived"
    ));
    let first = told_of(&ground, account, BOX).await;
    assert!(!has(&first, "vessel_arrived"), "{first:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_booking_that_was_confirmed_again_is_followed() {
    let paper = |code: &str, at: &str| {
        json!({
            "eventID": format!("{code}-{at}"), "eventCreatedDateTime": at, "eventType": "SHIPMENT",
            "eventClassifierCode": "ACT", "eventDateTime": at, "shipmentEventTypeCode": code,
            "documentTypeCode": "BKG", "documentID": "K77",
            "documentReferences": [{"documentReferenceType": "BKG", "documentReferenceValue": "K77"}],
        })
    };
    let cancelled = [
        paper("CONF", "2026-03-01T00:00:00Z"),
        paper("CANC", "2026-03-10T00:00:00Z"),
    ];
    let ground = Ground::new(&message(&cancelled)).await;
    let account = ground.account("A").await;
    let ends = async |name: &str| {
        let account = ground.account(name).await;
        let request = ground.track(account, "K77", NumberKind::Booking).await;
        ground.drain().await;
        ground.request(account, request).await.progress.status
    };
    assert_eq!(ends("B").await, RequestStatus::Failed);
    let load = loaded(BOX, "2026-04-05T05:00:00Z", &[("BKG", "K77")]);
    let again = paper("CONF", "2026-03-12T00:00:00Z");
    let all = [&cancelled[..], &[again, load]].concat();
    // A line in trouble has not said that it stays cancelled.
    ground.break_down().await;
    let request = ground.track(account, "K77", NumberKind::Booking).await;
    ground.drain().await;
    let row = ground.request(account, request).await;
    assert_eq!(row.progress.status, RequestStatus::Pending);
    ground.answer(&message(&all)).await;
    ground.pass(SignedDuration::from_mins(1));
    ground.drain().await;
    let row = ground.request(account, request).await;
    assert_eq!(row.progress.status, RequestStatus::Succeeded);
    assert!(has(&told_of(&ground, account, BOX).await, "vessel_loaded"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_is_asked_for_is_not_on_the_journey_on_which_a_terminal_saw_it_before() {
    let (ground, account) = beside_a_terminal(NOTHING).await;
    seen(
        &ground,
        &format!("{BOX},2026-01-05T12:00:00Z,,2026-01-01T10:00:00Z,2026-01-05T10:00:00Z"),
    )
    .await;
    let request = ground.track(account, BOX, NumberKind::Container).await;
    let status = async || ground.request(account, request).await.progress.status;
    assert_eq!(
        status().await,
        RequestStatus::Pending,
        "the line is asked first"
    );
    assert_eq!(ground.told(account).await, []);
    let loaded = loaded(BOX, "2026-04-06T05:00:00Z", &[("TRD", BILL)]);
    ground.answer(&message(&[loaded])).await;
    ground.pass(SignedDuration::from_hours(25));
    ground.drain().await;
    assert_eq!(status().await, RequestStatus::Succeeded);
    let told = told_of(&ground, account, BOX).await;
    assert_eq!(told, ["container.transport.vessel_loaded"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_terminal_saw_lately_counts_once_the_line_was_asked() {
    let (ground, account) = beside_a_terminal(NOTHING).await;
    let here = format!("{BOX},2026-04-05T12:00:00Z,Y,2026-04-04T10:00:00Z,");
    seen(&ground, &here).await;
    let request = ground.track(account, BOX, NumberKind::Container).await;
    let status = async || ground.request(account, request).await.progress.status;
    assert_eq!(status().await, RequestStatus::Pending);
    ground.drain().await;
    assert_eq!(
        status().await,
        RequestStatus::Succeeded,
        "the line has nothing"
    );
    let told = told_of(&ground, account, BOX).await;
    assert!(
        has(&told, "vessel_discharged") && has(&told, "available"),
        "{told:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visit_that_is_over_opens_nothing() {
    let (ground, account) = beside_a_terminal(NOTHING).await;
    let over = "2026-04-05T12:00:00Z,,2026-04-01T10:00:00Z,2026-04-05T10:00:00Z";
    seen(&ground, &format!("{BOX},{over}")).await;
    let request = ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let row = ground.request(account, request).await;
    assert_ne!(row.progress.status, RequestStatus::Succeeded);
    assert_eq!(ground.told(account).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_bill_is_tracked_once_however_it_is_written() {
    let ground = Ground::new(NOTHING).await;
    let account = ground.account("A").await;
    let wanted = |number: &str, kind| NewRequest {
        number: number.into(),
        kind,
        scac: Some(Scac::parse(LINE).unwrap()),
        auto_detect: false,
        ref_numbers: Vec::new(),
        tags: Vec::new(),
        customer: None,
        staged: Vec::new(),
    };
    let ask = async |account, number: &str, kind| {
        create(ground.tracking(), account, wanted(number, kind)).await
    };
    let first = ask(account, "0042", NumberKind::BillOfLading).await;
    let first = first.unwrap().id;
    for written in ["NWLX0042", "nwlx0042", " 0042"] {
        let refused = ask(account, written, NumberKind::BillOfLading).await;
        let Err(RequestRefused::Duplicate { existing, .. }) = refused else {
            panic!("{written}: {refused:?}");
        };
        assert_eq!(existing, first, "{written}");
    }
    // Another number, and another account's. The line is asked as lines write it.
    let written = "nwlx-00\u{200b} 43";
    let other = ask(account, written, NumberKind::BillOfLading).await;
    let other = other.unwrap();
    assert_eq!(other.number, written);
    let read = move |tx: &mut Tx| store::watch::find(tx, other.watch.unwrap());
    let watch = ground.tracking().store().read(read).await.unwrap();
    assert_eq!(watch.unwrap().number, "NWLX0043");
    for none in ["---", "\u{2116}42"] {
        let refused = ask(account, none, NumberKind::Booking).await;
        assert!(
            matches!(refused, Err(RequestRefused::PaperNumberInvalid(_))),
            "{none}: {refused:?}"
        );
    }
    let other = ground.account("B").await;
    ask(other, "NWLX0042", NumberKind::BillOfLading)
        .await
        .unwrap();
}
