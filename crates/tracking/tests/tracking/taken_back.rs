//! Events that their sender takes back by the id alone: no box is named, and no bill.

use domain::ids::AccountId;
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tracking::intake::{Message, receive};
use tracking::replay::replay;
use wiremock::{Mock, Request, ResponseTemplate};

use crate::BOX;
use crate::filing::{BILL, message};
use crate::ground::Ground;

/// A move in the frame of DCSA 3.0.
fn a_move(id: &str, code: &str, at: &str, place: &str) -> Value {
    json!({
        "metadata": {"eventID": id, "eventCreatedDateTime": at, "eventType": "EQUIPMENT"},
        "payload": {
            "equipmentEventTypeCode": code, "eventClassifierCode": "ACT", "eventDateTime": at,
            "equipmentReference": BOX, "emptyIndicatorCode": "LADEN",
            "relatedDocumentReferences": [{"type": "TRD", "value": BILL}],
            "transportCall": {"modeOfTransport": "VESSEL", "location": {"UNLocationCode": place}},
        },
    })
}

/// What takes an event back, and says nothing else.
fn retraction(of: &str) -> Value {
    json!({"metadata": {"eventID": format!("{of}-back"), "eventCreatedDateTime": "2026-04-05T00:00:00Z",
        "eventType": "EQUIPMENT", "retractedEventID": of}})
}

fn trip() -> [Value; 2] {
    [
        a_move("E1", "LOAD", "2026-04-01T05:00:00Z", "CNNGB"),
        a_move("E2", "DISC", "2026-04-04T05:00:00Z", "USLAX"),
    ]
}

fn only_loaded() -> Vec<(String, Vec<String>)> {
    let loaded = "container.transport.vessel_loaded".to_owned();
    vec![(BOX.to_owned(), vec![loaded])]
}

/// The carrier that is asked pushes the retraction.
async fn push_by_carrier(ground: &Ground) {
    let pushed = Message {
        source: "nowhere".into(),
        account: None,
        content_type: "application/json".into(),
        bytes: message(&[retraction("E2")]).into_bytes(),
    };
    receive(ground.tracking(), pushed).await.unwrap();
    ground.drain().await;
}

/// Two accounts that track the bill.
async fn tracked() -> (Ground, [AccountId; 2]) {
    let ground = Ground::new("[]").await;
    let accounts = [ground.account("A").await, ground.account("B").await];
    for account in accounts {
        ground.track(account, BILL, NumberKind::BillOfLading).await;
    }
    ground.drain().await;
    (ground, accounts)
}

/// What the carrier answers who asks for the bill, and who asks for the box.
async fn answer_each(ground: &Ground, of_bill: &[Value], of_box: &[Value]) {
    ground.carrier().reset().await;
    let answers = [
        ("transportDocumentReference", of_bill),
        ("equipmentReference", of_box),
    ];
    for (named, answer) in answers {
        let answer = ResponseTemplate::new(200).set_body_raw(message(answer), "application/json");
        let asks = move |asked: &Request| asked.url.query_pairs().any(|(name, _)| name == named);
        Mock::given(asks)
            .respond_with(answer)
            .mount(ground.carrier())
            .await;
    }
}

/// All messages are read again; how many readings are gone, and how many new.
async fn read_again(ground: &Ground) -> (u64, u64) {
    ground.pass(SignedDuration::from_hours(1));
    let replayed = replay(ground.tracking(), true, &CancellationToken::new(), |_| {}).await;
    let replayed = replayed.unwrap();
    (replayed.gone, replayed.found)
}

async fn assert_only_loaded(ground: &Ground, accounts: [AccountId; 2], when: &str) {
    for account in accounts {
        assert_eq!(ground.told(account).await, only_loaded(), "{when}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retraction_that_names_nothing_but_an_id_is_heard_by_all_who_heard_the_event() {
    let (ground, accounts) = tracked().await;
    ground.push(&message(&trip())).await;
    for account in accounts {
        let told = ground.told(account).await;
        assert_eq!(told[0].1.len(), 2, "loaded and discharged");
    }
    ground.push(&message(&[retraction("E2")])).await;
    assert_only_loaded(&ground, accounts, "after the retraction").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retraction_that_comes_before_its_event_waits_for_it() {
    let (ground, accounts) = tracked().await;
    ground.push(&message(&[retraction("E2")])).await;
    ground.push(&message(&trip())).await;
    assert_only_loaded(&ground, accounts, "the event came last").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_is_told_again_under_other_numbers_stays_taken_back() {
    let (ground, accounts) = tracked().await;
    let mut of_another = trip();
    of_another[1]["payload"]["relatedDocumentReferences"][0]["value"] = json!("NWLX9999");
    ground.push(&message(&of_another)).await;
    ground.push(&message(&[retraction("E2")])).await;
    ground.push(&message(&trip())).await;
    assert_only_loaded(&ground, accounts, "under both bills").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_asked_for_is_taken_back_by_a_push_too() {
    for comes_first in [false, true] {
        let ground = Ground::new("[]").await;
        let account = ground.account("A").await;
        if comes_first {
            push_by_carrier(&ground).await;
        }
        ground.answer(&message(&trip())).await;
        ground.track(account, BILL, NumberKind::BillOfLading).await;
        ground.drain().await;
        if !comes_first {
            push_by_carrier(&ground).await;
        }
        assert_eq!(ground.told(account).await, only_loaded(), "{comes_first}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retraction_is_found_again_when_everything_is_read_again() {
    let (ground, accounts) = tracked().await;
    ground.push(&message(&trip())).await;
    ground.push(&message(&[retraction("E2")])).await;
    ground.pass(SignedDuration::from_hours(1));
    let replayed = replay(ground.tracking(), true, &CancellationToken::new(), |_| {}).await;
    assert_eq!(replayed.unwrap().gone, 0);
    assert_only_loaded(&ground, accounts, "after the replay").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_account_has_brought_takes_back_nothing_that_is_everybodys() {
    let (ground, [a, b]) = tracked().await;
    ground.push(&message(&trip())).await;
    let before = [ground.told(a).await, ground.told(b).await];
    ground
        .push_for(Some(a), &message(&[retraction("E2")]))
        .await;
    ground.drain().await;
    assert_eq!([ground.told(a).await, ground.told(b).await], before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retraction_in_the_answer_to_one_is_heard_by_who_asked_for_another_number() {
    let ground = Ground::new("[]").await;
    let accounts = [ground.account("A").await, ground.account("B").await];
    answer_each(&ground, &trip(), &trip()).await;
    let [a, b] = accounts;
    ground.track(a, BILL, NumberKind::BillOfLading).await;
    ground.track(b, BOX, NumberKind::Container).await;
    ground.drain().await;
    for account in accounts {
        let told = ground.told(account).await;
        assert_eq!(told[0].1.len(), 2, "loaded and discharged");
    }
    answer_each(&ground, &[retraction("E2")], &trip()).await;
    ground.pass(SignedDuration::from_hours(24));
    ground.drain().await;
    assert_only_loaded(&ground, accounts, "after the answer about the bill").await;
    for replay in ["first", "second"] {
        assert_eq!(read_again(&ground).await, (0, 0), "the {replay} replay");
        assert_only_loaded(&ground, accounts, replay).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_names_another_number_than_was_asked_for_is_taken_back_where_it_was_asked_for() {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    let mut arrived = a_move("E2", "DISC", "2026-04-04T05:00:00Z", "USLAX");
    arrived["metadata"]["eventType"] = json!("TRANSPORT");
    let payload = arrived["payload"].as_object_mut().unwrap();
    for key in [
        "equipmentEventTypeCode",
        "equipmentReference",
        "emptyIndicatorCode",
    ] {
        payload.remove(key);
    }
    payload.insert("transportEventTypeCode".into(), json!("ARRI"));
    let [loaded, _] = trip();
    ground.answer(&message(&[loaded, arrived])).await;
    ground
        .track(account, "NWLXB0077", NumberKind::Booking)
        .await;
    ground.drain().await;
    let told = ground.told(account).await;
    assert_eq!(told[0].1.len(), 2, "loaded and arrived: {told:?}");
    push_by_carrier(&ground).await;
    assert_eq!(ground.told(account).await, only_loaded());
    assert_eq!(read_again(&ground).await, (0, 0));
    assert_eq!(ground.told(account).await, only_loaded());
}

/// A parser takes a plain event for a retraction, or reads the time of a retraction as hours too late; a better one reads
/// it as it is.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_never_taken_back_stands_again_when_it_is_read_better() {
    let mut late = retraction("E2");
    late["metadata"]["eventCreatedDateTime"] = json!("2026-04-05T20:00:00Z");
    let truths = [
        json!({"metadata": {"eventID": "E9"}}),
        retraction("E9"),
        retraction("E2"),
    ];
    for truth in truths {
        let (ground, accounts) = tracked().await;
        let mut told = trip();
        // Said anew after what takes it back, and before what it is read as.
        told[1]["metadata"]["eventCreatedDateTime"] = json!("2026-04-05T12:00:00Z");
        ground.push(&message(std::slice::from_ref(&late))).await;
        // It has the lowest id.
        ground.pass(SignedDuration::from_mins(1));
        ground.push(&message(&told)).await;
        assert_only_loaded(&ground, accounts, "read badly").await;
        let body = message(std::slice::from_ref(&truth));
        ground.tamper(&format!(
            "update raw_messages set body = cast('{body}' as blob), body_bytes = {}
             where id = (select min(id) from raw_messages where source = 'hub')",
            body.len()
        ));
        let whom = format!("{truth}");
        assert_eq!(read_again(&ground).await.0, 2, "{whom}");
        for account in accounts {
            let told = ground.told(account).await;
            assert_eq!(told[0].1.len(), 2, "loaded and discharged: {whom}");
        }
        assert_eq!(read_again(&ground).await, (0, 0), "{whom}");
        // Nor does it come back with who tells of the event next.
        let mut of_another = told.clone();
        of_another[1]["payload"]["relatedDocumentReferences"][0]["value"] = json!("NWLX9999");
        ground.push(&message(&of_another)).await;
        let third = ground.account("C").await;
        ground
            .track(third, "NWLX9999", NumberKind::BillOfLading)
            .await;
        ground.drain().await;
        let told = ground.told(third).await;
        let discharged = "container.transport.vessel_discharged";
        assert_eq!(told[0].1, [discharged], "{whom}");
    }
}
