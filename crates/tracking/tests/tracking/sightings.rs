//! Positions of vessels that come by themselves: kept with the vessel, and a stop at a quay told of the boxes that the
//! vessel brings there, where nobody better tells it.

use std::sync::mpsc;
use std::time::Duration;

use domain::codes::ImoNumber;
use domain::event::EventName;
use domain::geography::Point;
use domain::ids::{AccountId, EventId};
use domain::tracking_request::NumberKind;
use domain::vessel::Position;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use store::notification::NotificationFilter;
use store::testing::PgServer;
use store::vessel::stop::of_vessel;
use store::{Key, Slice, Tx};
use tokio::sync::oneshot;
use tracking::Source;
use tracking::intake::{self, Message};
use tracking::vessels::{Sighting, record_positions};
use tracking::webhooks::{self, NewWebhook, create};

use crate::BOX;
use crate::filing::BILL;
use crate::ground::{Ground, hub, store_on};

/// The box left Ningbo aboard 9321483 and is planned to leave it in Los Angeles.
pub(crate) const BOUND: &str = r#"[
    {"eventID": "e-1", "eventCreatedDateTime": "2026-04-05T05:00:00Z", "eventType": "EQUIPMENT",
     "eventClassifierCode": "ACT", "eventDateTime": "2026-04-05T03:20:00+08:00",
     "equipmentEventTypeCode": "LOAD", "equipmentReference": "NWLU0000425", "emptyIndicatorCode": "LADEN",
     "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": "CNNGB",
        "vessel": {"vesselIMONumber": "9321483"}}},
    {"eventID": "e-2", "eventCreatedDateTime": "2026-04-05T05:00:00Z", "eventType": "EQUIPMENT",
     "eventClassifierCode": "PLN", "eventDateTime": "2026-04-20T08:00:00-07:00",
     "equipmentEventTypeCode": "DISC", "equipmentReference": "NWLU0000425", "emptyIndicatorCode": "LADEN",
     "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": "USLAX",
        "vessel": {"vesselIMONumber": "9321483"}}}]"#;

pub(crate) const RECEIVER: &str = r#"
id = "receiver"
protocol = "ais"
[[quays]]
terminal = "USLAX-W185"
latitude = 33.7365
longitude = -118.2540
radius_km = 1.2
"#;

/// Half an hour at that quay. Only the first message tells the vessel's number.
pub(crate) fn alongside(mmsi: u32, imo: &str, from_minute: u32) -> String {
    let seen = |minute: u32, named: bool| {
        let imo = if named {
            format!(r#", "imo": "{imo}""#)
        } else {
            String::new()
        };
        format!(
            r#"{{"mmsi": {mmsi}{imo}, "lat": 33.7366, "lon": -118.2541, "sog": 0.1,
                 "time": "2026-04-19T10:{minute:02}:00Z"}}"#
        )
    };
    let lines = [
        seen(from_minute, true),
        seen(from_minute + 10, false),
        seen(from_minute + 25, false),
    ];
    format!("[{}]", lines.join(","))
}

pub(crate) async fn hear(tracking: &tracking::Tracking, text: String) {
    let message = Message {
        source: "receiver".into(),
        account: None,
        content_type: "application/json".into(),
        bytes: text.into_bytes(),
    };
    intake::receive(tracking, message).await.unwrap();
    tracking::work::drain(tracking).await.unwrap();
}

/// How many claims are on record about the box.
pub(crate) fn claims(document: &serde_json::Value) -> usize {
    let listed = document["relationships"]["raw_events"]["data"].as_array();
    listed.map_or(0, Vec::len)
}

pub(crate) async fn milestones(ground: &Ground, account: AccountId) -> Vec<String> {
    ground.told(account).await.remove(0).1
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vessel_that_lies_at_a_quay_is_seen_there_and_its_boxes_are_told() {
    let (ground, account) = arriving().await;
    hear(ground.tracking(), alongside(211_987_654, "9200000", 0)).await;
    assert!(
        !milestones(&ground, account)
            .await
            .contains(&"container.transport.vessel_berthed".into()),
        "another vessel"
    );
    hear(ground.tracking(), alongside(211_987_655, "9321483", 5)).await;
    let told = milestones(&ground, account).await;
    assert!(
        told.contains(&"container.transport.vessel_berthed".into()),
        "{told:?}"
    );
    // The radio is known now: what it says without its vessel's number counts too.
    let alone = r#"[{"mmsi": 211987655, "lat": 33.5, "lon": -118.0, "sog": 9.5, "time": "2026-04-19T12:00:00Z"}]"#;
    hear(ground.tracking(), alone.into()).await;
    let id = domain::container::Vessel {
        imo: domain::codes::ImoNumber::parse("9321483"),
        name: None,
    };
    let id = jsonapi::resource::vessel::id(&id).unwrap();
    let last = ground
        .tracking()
        .store()
        .read(move |tx| store::vessel::position::last(tx, &[id]));
    let last = last.await.unwrap();
    assert_eq!(last[&id].at.to_string(), "2026-04-19T12:00:00Z");
}

/// One position at that quay, as a live receiver sends it: nothing else in the message.
pub(crate) fn seen_at(time: &str, moored: Option<&str>) -> String {
    let status = moored.map_or(String::new(), |word| format!(r#", "status": {word}"#));
    format!(
        r#"[{{"mmsi": 211987655, "imo": "9321483", "lat": 33.7366, "lon": -118.2541, "sog": 0.1{status},
             "time": "2026-04-19T{time}:00Z"}}]"#
    )
}

const BERTHED: &str = "container.transport.vessel_berthed";

/// A box that the vessel brings, and the receiver; the day of the arrival.
pub(crate) async fn arriving() -> (Ground, AccountId) {
    let mut ground = Ground::new(BOUND).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let receiver = sources::Profile::parse(RECEIVER).unwrap();
    ground.start_again_with(vec![Source::unasked(receiver)]);
    ground.pass(SignedDuration::from_hours(14 * 24));
    (ground, account)
}

async fn berthed_at(ground: &Ground, account: AccountId) -> Option<String> {
    let document = ground.container_document(account).await;
    let told = milestones(ground, account).await.contains(&BERTHED.into());
    let at = document["attributes"]["pod_berthed_at"]
        .as_str()
        .map(str::to_owned);
    told.then(|| at.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_seen_across_messages_in_whatever_order_they_come() {
    for order in [["10:05", "10:15", "10:30"], ["10:30", "10:05", "10:15"]] {
        let (ground, account) = arriving().await;
        for time in &order[..2] {
            hear(ground.tracking(), seen_at(time, None)).await;
        }
        let told = milestones(&ground, account).await;
        let early = told.contains(&BERTHED.into());
        assert_eq!(
            early,
            order[0] == "10:30",
            "25 minutes are a stop, 10 are none: {told:?}"
        );
        hear(ground.tracking(), seen_at(order[2], None)).await;
        let told = milestones(&ground, account).await;
        assert!(told.contains(&BERTHED.into()), "{order:?}: {told:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_that_lasts_is_one_claim_and_a_replay_changes_nothing() {
    let (ground, account) = arriving().await;
    for time in ["10:05", "10:20", "10:40", "11:00", "11:20", "13:00"] {
        hear(ground.tracking(), seen_at(time, None)).await;
    }
    let berthed = berthed_at(&ground, account).await;
    assert!(berthed.is_some());
    let before = ground.container_document(account).await;
    assert_eq!(claims(&before), 3, "load, planned discharge and the stop");
    ground.pass(SignedDuration::from_hours(100 * 24));
    let stop = tokio_util::sync::CancellationToken::new();
    let ended = tracking::replay::replay(ground.tracking(), true, &stop, |_| ())
        .await
        .unwrap();
    assert_eq!((ended.gone, ended.found), (0, 0));
    assert_eq!(berthed_at(&ground, account).await, berthed);
}

/// When it berthed, by each event that is on record of it.
async fn berthed_when(ground: &Ground, account: AccountId, document: &Value) -> Vec<Value> {
    let events = document["relationships"]["transport_events"]["data"].as_array();
    let ids = events
        .unwrap()
        .iter()
        .map(|event| event["id"].as_str().unwrap());
    let ids: Vec<EventId> = ids.map(|id| EventId(id.parse().unwrap())).collect();
    let store = ground.tracking().store();
    let read = store.read(move |tx| store::event::documents(&mut tx.account(account), &ids));
    let read = read.await.unwrap().into_iter();
    let events = read.map(|event| serde_json::from_str::<Value>(&event.document).unwrap());
    let berthed = events.filter(|event| event["attributes"]["event"] == BERTHED);
    berthed
        .map(|event| event["attributes"]["timestamp"].clone())
        .collect()
}

/// The quay is worked for days, and a message looks one day around.
#[tokio::test(flavor = "multi_thread")]
async fn a_ship_that_lies_for_days_has_berthed_when_it_came() {
    // A receiver every hour; one that is heard more rarely, and says that it is moored; several sightings in a message.
    for (every_minutes, moored, together) in [(60, None, 1), (300, Some("5"), 1), (20, None, 4)] {
        let (ground, account) = arriving().await;
        let came = ground.tracking().now() + SignedDuration::from_mins(every_minutes);
        let mut waiting = Vec::new();
        for _ in 0..(60 * 60 / every_minutes) {
            ground.pass(SignedDuration::from_mins(every_minutes));
            let now = ground.tracking().now();
            waiting
                .push(seen_at("00:00", moored).replace("2026-04-19T00:00:00Z", &now.to_string()));
            if waiting.len() == together {
                let parts = waiting
                    .drain(..)
                    .map(|one| one.trim_matches(['[', ']']).to_owned());
                let parts: Vec<String> = parts.collect();
                hear(ground.tracking(), format!("[{}]", parts.join(","))).await;
            }
        }
        let document = ground.container_document(account).await;
        assert_eq!(
            claims(&document),
            3,
            "every {every_minutes} minutes: one claim of the stop"
        );
        let at = berthed_when(&ground, account, &document).await;
        assert_eq!(
            at,
            [json!(came.to_string())],
            "every {every_minutes} minutes"
        );
        let vessel = ship("9321483").id;
        let store = ground.tracking().store();
        let kept = store
            .read(move |tx| store::vessel::stop::kept(tx, vessel, account, Timestamp::UNIX_EPOCH));
        assert_eq!(
            kept.await.unwrap().len(),
            1,
            "every {every_minutes} minutes: stops kept"
        );
        // Of what is read again when no sighting is kept any more, a part tells nothing.
        ground.pass(SignedDuration::from_hours(100 * 24));
        read_again(&ground).await;
        let document = ground.container_document(account).await;
        assert_eq!(
            claims(&document),
            3,
            "every {every_minutes} minutes: after a replay"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vessel_at_anchor_beside_the_quay_is_not_alongside() {
    let (ground, account) = arriving().await;
    for time in ["10:05", "10:20", "10:40"] {
        hear(ground.tracking(), seen_at(time, Some("1"))).await;
    }
    assert_eq!(berthed_at(&ground, account).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_the_vessel_before_it_has_the_box_is_not_the_boxs() {
    // Planned only: to be loaded days after that call, and to arrive half a month later.
    let planned = BOUND
        .replace("\"ACT\"", "\"PLN\"")
        .replace("2026-04-05T03:20:00+08:00", "2026-04-24T03:20:00+08:00")
        .replace("2026-04-20T08:00:00-07:00", "2026-05-10T08:00:00-07:00")
        .replace("}}}]", "}}}, EXPECTED]");
    let expected = r#"{"eventID": "e-3", "eventCreatedDateTime": "2026-04-05T05:00:00Z", "eventType": "TRANSPORT",
         "eventClassifierCode": "EST", "eventDateTime": "2026-05-10T05:00:00-07:00",
         "transportEventTypeCode": "ARRI",
         "documentReferences": [{"documentReferenceType": "TRD", "documentReferenceValue": "NWLX0042"}],
         "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": "USLAX",
            "vessel": {"vesselIMONumber": "9321483"}}}"#;
    let planned = planned.replace("EXPECTED", expected);
    for (answer, is_told) in [(planned.as_str(), false), (BOUND, true)] {
        let mut ground = Ground::new(answer).await;
        let account = ground.account("A").await;
        ground.track(account, BILL, NumberKind::BillOfLading).await;
        ground.drain().await;
        let receiver = sources::Profile::parse(RECEIVER).unwrap();
        ground.start_again_with(vec![Source::unasked(receiver)]);
        let before = claims(&ground.container_document(account).await);
        ground.pass(SignedDuration::from_hours(14 * 24));
        hear(ground.tracking(), alongside(211_987_655, "9321483", 5)).await;
        let told = ground.told(account).await;
        let told = told
            .iter()
            .any(|(_, events)| events.iter().any(|event| event == BERTHED));
        assert_eq!(told, is_told);
        let after = claims(&ground.container_document(account).await);
        assert_eq!(after - before, usize::from(is_told), "claims of the stop");
    }
}

/// One event of the voyage, as the hub tells it.
fn voyage(id: &str, number: &str, kind: (&str, &str, &str), at: (&str, &str)) -> Value {
    let (event, code, classifier) = kind;
    let (place, time) = at;
    let mut told = json!({
        "eventID": format!("{id}-{number}"), "eventCreatedDateTime": "2026-04-05T05:00:00Z",
        "eventType": event, "eventClassifierCode": classifier, "eventDateTime": time,
        "documentReferences": [
            {"documentReferenceType": "TRD", "documentReferenceValue": "NWLX0042"}],
        "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": place,
            "vessel": {"vesselIMONumber": "9321483"}},
    });
    if event == "EQUIPMENT" {
        told["equipmentEventTypeCode"] = json!(code);
        told["equipmentReference"] = json!(number);
        told["emptyIndicatorCode"] = json!("LADEN");
    } else {
        told["transportEventTypeCode"] = json!(code);
    }
    told
}

/// Taken aboard in Ningbo.
pub(crate) fn aboard(number: &str) -> Value {
    let load = ("EQUIPMENT", "LOAD", "ACT");
    voyage("load", number, load, ("CNNGB", "2026-04-05T03:20:00+08:00"))
}

/// To be set ashore in Los Angeles.
pub(crate) fn bound(number: &str) -> Value {
    let discharge = ("EQUIPMENT", "DISC", "PLN");
    let there = ("USLAX", "2026-04-20T08:00:00-07:00");
    voyage("disc", number, discharge, there)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_told_of_boxes_that_are_known_to_be_bound_there_later() {
    let mut told = Vec::new();
    for stop_comes_first in [false, true] {
        let mut ground = Ground::new(&Value::from(vec![aboard(BOX)]).to_string()).await;
        let account = ground.account("A").await;
        ground.track(account, BOX, NumberKind::Container).await;
        ground.drain().await;
        ground.start_again_with(vec![
            crate::ground::hub(),
            Source::unasked(sources::Profile::parse(RECEIVER).unwrap()),
        ]);
        ground.pass(SignedDuration::from_hours(14 * 24));
        for stops in [stop_comes_first, !stop_comes_first] {
            if stops {
                hear(ground.tracking(), alongside(211_987_655, "9321483", 5)).await;
            } else {
                ground
                    .push(&Value::from(vec![bound(BOX)]).to_string())
                    .await;
            }
            ground.pass(SignedDuration::from_secs(60));
        }
        let document = ground.container_document(account).await;
        let at = berthed_at(&ground, account).await;
        told.push((milestones(&ground, account).await, at, claims(&document)));
    }
    assert!(told[0].0.contains(&BERTHED.into()), "{told:?}");
    assert_eq!(told[0], told[1], "the order in which they came");
}

/// A ship that is followed.
fn ship(imo: &str) -> store::vessel::Vessel {
    let named = domain::container::Vessel {
        imo: ImoNumber::parse(imo),
        name: None,
    };
    store::vessel::Vessel {
        id: jsonapi::resource::vessel::id(&named).unwrap(),
        imo: Some(imo.into()),
        name: None,
        document: "{}".into(),
    }
}

/// Boxes that are settled together look for the stops of their ships in the order of the boxes.
#[test]
fn who_keeps_stops_of_two_ships_is_in_nobodys_way_who_looks_for_them_in_another_order() {
    let server = PgServer::start().unwrap();
    let [settler, store] = [(); 2].map(|()| store_on(&server));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut ground = Ground::new("[]").await;
        let receiver = sources::Profile::parse(RECEIVER).unwrap();
        ground.start_again_on(store.clone(), vec![Source::unasked(receiver)]);
        let account = ground.account("A").await;
        ground.pass(SignedDuration::from_hours(14 * 24));
        let mut ships = ["9321483", "9074729"].map(ship);
        ships.sort_by_key(|ship| ship.id);
        let [first, last] = [ships[0].id, ships[1].id];
        let follow = move |tx: &mut Tx| store::vessel::remember(tx, &ships);
        let followed: Result<(), store::Error> = store.write(Key::sightings(), follow).await;
        followed.unwrap();
        let ((shared, is_shared), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
        let mut runs = 0;
        let settling = tokio::spawn(async move {
            let settle = move |tx: &mut Tx| {
                runs += 1;
                of_vessel(tx, last, account, Timestamp::UNIX_EPOCH)?;
                let _ = shared.send(());
                // Until the other end is dropped.
                let _ = may_go.recv();
                let stops = of_vessel(tx, first, account, Timestamp::UNIX_EPOCH)?;
                Ok::<_, store::Error>((runs, stops.len()))
            };
            settler.write(Key::account(account), settle).await
        });
        is_shared.recv().unwrap();
        let [one, other] = [(211_987_655, "9321483"), (211_987_654, "9074729")]
            .map(|(mmsi, imo)| alongside(mmsi, imo, 5));
        let both = format!("{},{}", one.trim_end_matches(']'), &other[1..]);
        let tracking = ground.tracking().clone();
        let hearing = tokio::spawn(async move { hear(&tracking, both).await });
        tokio::task::block_in_place(|| server.until_waiting(1)).unwrap();
        drop(let_go);
        let settled = settling.await.unwrap();
        assert_eq!(
            settled,
            Ok((1, 1)),
            "how often it ran, and stops of the first"
        );
        hearing.await.unwrap();
    });
}

/// A box whose ship is alongside.
async fn berthed() -> (Ground, AccountId) {
    let (mut ground, account) = arriving().await;
    ground.start_again_with(vec![
        crate::ground::hub(),
        Source::unasked(sources::Profile::parse(RECEIVER).unwrap()),
    ]);
    hear(ground.tracking(), alongside(211_987_655, "9321483", 5)).await;
    assert!(berthed_at(&ground, account).await.is_some());
    (ground, account)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_is_asked_for_after_its_ship_has_berthed_is_told_what_is_kept_of_the_stop() {
    let (ground, first) = berthed().await;
    let other = "CSQU3054383";
    let second = ground.account("B").await;
    let said = Value::from(vec![aboard(other), bound(other)]).to_string();
    ground.answer(&said).await;
    ground.track(second, other, NumberKind::Container).await;
    ground.drain().await;
    assert_eq!(
        berthed_at(&ground, second).await,
        berthed_at(&ground, first).await
    );
    // A box that goes there with another ship has nothing of it.
    let elsewhere = said.replace("9321483", "9200005");
    ground
        .answer(&elsewhere.replace(other, "TRLU9000009"))
        .await;
    let third = ground.account("C").await;
    ground
        .track(third, "TRLU9000009", NumberKind::Container)
        .await;
    ground.drain().await;
    assert_eq!(berthed_at(&ground, third).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_know_where_the_ship_brings_the_box_hears_nothing_of_a_stop_that_is_found_for_another()
 {
    let mut ground = Ground::new(&Value::from(vec![aboard(BOX)]).to_string()).await;
    let (knows, follows) = (ground.account("A").await, ground.account("B").await);
    for account in [knows, follows] {
        ground.track(account, BOX, NumberKind::Container).await;
    }
    ground.drain().await;
    ground.start_again_with(vec![
        crate::ground::hub(),
        Source::unasked(sources::Profile::parse(RECEIVER).unwrap()),
    ]);
    ground.pass(SignedDuration::from_hours(14 * 24));
    hear(ground.tracking(), alongside(211_987_655, "9321483", 5)).await;
    for account in [knows, follows] {
        assert_eq!(claims(&ground.container_document(account).await), 1);
    }
    // Only the one account knows where the ship brings the box.
    let own = Value::from(vec![bound(BOX)]).to_string();
    ground.push_for(Some(knows), &own).await;
    ground.drain().await;
    assert_eq!(claims(&ground.container_document(knows).await), 3);
    assert_eq!(claims(&ground.container_document(follows).await), 1);
}

/// What one account says of its ship is that account's own, and it may be wrong.
#[tokio::test(flavor = "multi_thread")]
async fn a_ship_that_only_one_account_puts_the_box_on_does_not_arrive_for_the_others() {
    for expected in [true, false] {
        let gate = ("EQUIPMENT", "GTIN", "ACT");
        let mut by_line = vec![voyage(
            "in",
            BOX,
            gate,
            ("CNNGB", "2026-04-04T08:00:00+08:00"),
        )];
        by_line.extend(expected.then(|| bound(BOX)));
        for event in &mut by_line {
            event["transportCall"]["vessel"] = Value::Null;
        }
        let by_line = Value::from(by_line).to_string();
        let mut ground = Ground::new(&by_line).await;
        let (mistaken, follows) = (ground.account("A").await, ground.account("B").await);
        for account in [mistaken, follows] {
            ground.track(account, BOX, NumberKind::Container).await;
        }
        ground.drain().await;
        ground.start_again_with(vec![
            crate::ground::hub(),
            Source::unasked(sources::Profile::parse(RECEIVER).unwrap()),
        ]);
        ground.pass(SignedDuration::from_hours(24));
        let own = Value::from(vec![aboard(BOX), bound(BOX)]).to_string();
        let own = own.replace("2026-04-05T05:00:00Z", "2026-04-06T05:00:00Z");
        ground.push_for(Some(mistaken), &own).await;
        ground.drain().await;
        ground.pass(SignedDuration::from_hours(13 * 24));
        hear(ground.tracking(), alongside(211_987_655, "9321483", 5)).await;
        assert!(berthed_at(&ground, mistaken).await.is_some());
        let document = ground.container_document(follows).await;
        assert_eq!(claims(&document), 1 + usize::from(expected));
        assert_eq!(berthed_at(&ground, follows).await, None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_of_an_earlier_voyage_is_not_told_of_a_box_that_is_bound_there_later() {
    let (ground, _) = berthed().await;
    let other = "CSQU3054383";
    // Aboard since the call after, and collected before the call.
    let later = voyage(
        "load",
        other,
        ("EQUIPMENT", "LOAD", "ACT"),
        ("CNNGB", "2026-05-01T03:20:00+08:00"),
    );
    let mut collected = voyage(
        "out",
        other,
        ("EQUIPMENT", "GTOT", "ACT"),
        ("USLAX", "2026-04-12T08:00:00-07:00"),
    );
    collected["transportCall"] = json!({"modeOfTransport": "TRUCK", "UNLocationCode": "USLAX"});
    for (name, said) in [
        ("later", vec![later, bound(other)]),
        ("collected", vec![aboard(other), bound(other), collected]),
    ] {
        let account = ground.account(name).await;
        ground.pass(SignedDuration::from_hours(24));
        ground.answer(&Value::from(said).to_string()).await;
        ground.track(account, other, NumberKind::Container).await;
        ground.drain().await;
        assert_eq!(berthed_at(&ground, account).await, None, "{name}");
    }
}

/// What a stream sends of a ship: its number and no position.
pub(crate) fn word(mmsi: u32, imo: &str, day: u32) -> String {
    format!(
        r#"{{"MessageType": "ShipStaticData",
             "MetaData": {{"MMSI": {mmsi}, "time_utc": "2026-04-{day:02}T08:00:00Z"}},
             "Message": {{"ShipStaticData": {{"UserID": {mmsi}, "ImoNumber": {imo}}}}}}}"#
    )
}

/// Moored at that quay, and no word of the vessel's number.
pub(crate) fn moored_there(mmsi: u32) -> String {
    format!(
        r#"[{{"mmsi": {mmsi}, "lat": 33.7366, "lon": -118.2541, "sog": 0.0, "status": 5,
             "time": "2026-04-19T10:00:00Z"}}]"#
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_radio_that_told_its_vessel_without_a_position_is_known() {
    let (ground, account) = arriving().await;
    hear(ground.tracking(), word(211_987_655, "9321483", 18)).await;
    hear(ground.tracking(), moored_there(211_987_655)).await;
    assert!(berthed_at(&ground, account).await.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_many_radios_send_is_no_ships_whatever_was_said_of_it() {
    for (mmsi, is_ours) in [(123_456_789, false), (211_987_655, true)] {
        let (ground, account) = arriving().await;
        let there = Sighting {
            imo: ImoNumber::parse("9321483").unwrap(),
            mmsi: Some(mmsi.to_string()),
            position: Position {
                at: "2026-04-18T10:00:00Z".parse().unwrap(),
                point: Point::of((33.0, -119.0)),
                heading: None,
                speed_knots: Some(12.0),
            },
        };
        let told = record_positions(ground.tracking(), &[there]).await;
        assert_eq!(told, Ok(1));
        hear(ground.tracking(), moored_there(mmsi)).await;
        assert_eq!(
            berthed_at(&ground, account).await.is_some(),
            is_ours,
            "{mmsi}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_radio_that_passed_on_to_another_ship_speaks_for_that_one() {
    let at_sea = |imo: &str, day: u32| {
        format!(
            r#"[{{"mmsi": 211987655, "imo": {imo}, "lat": 30.0, "lon": -130.0, "sog": 18,
                 "time": "2026-04-{day:02}T09:00:00Z"}}]"#
        )
    };
    // Nobody follows the other ship. It says who it is last, whether that comes last or first.
    let (ours, other) = ("9321483", "9200005");
    for (said, is_ours) in [
        ([at_sea(ours, 8), at_sea(other, 18)], false),
        ([word(211_987_655, other, 18), at_sea(ours, 8)], false),
        ([at_sea(other, 8), word(211_987_655, ours, 18)], true),
    ] {
        let (ground, account) = arriving().await;
        for message in said {
            hear(ground.tracking(), message).await;
        }
        hear(ground.tracking(), moored_there(211_987_655)).await;
        assert_eq!(berthed_at(&ground, account).await.is_some(), is_ours);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_gives_a_ship_nothing_of_what_its_radio_said_aboard_another() {
    let word = |imo: &str, day: u32| word(211_987_655, imo, day);
    let undated = |imo: &str| word(imo, 18).replace(r#", "time_utc": "2026-04-18T08:00:00Z""#, "");
    let there = || moored_there(211_987_655);
    let (ours, other) = ("9321483", "9200005");
    for (said, is_ours) in [
        // It was the other's that day, and may have been.
        (vec![word(other, 8), there(), word(ours, 21)], false),
        (vec![there(), word(ours, 21)], false),
        (vec![there(), undated(ours)], false),
        // It was ours already, whenever we came to know.
        (vec![there(), word(ours, 18)], true),
    ] {
        let (ground, account) = arriving().await;
        ground.pass(SignedDuration::from_hours(5 * 24));
        for message in &said {
            hear(ground.tracking(), message.clone()).await;
        }
        assert_eq!(berthed_at(&ground, account).await, None, "{said:?}");
        read_again(&ground).await;
        let told = berthed_at(&ground, account).await;
        assert_eq!(told.is_some(), is_ours, "{said:?}");
    }
}

pub(crate) async fn read_again(ground: &Ground) {
    let stop = tokio_util::sync::CancellationToken::new();
    tracking::replay::replay(ground.tracking(), true, &stop, |_| ())
        .await
        .unwrap();
}

/// A thousand ships that no report named, each with its radio.
fn strangers(ground: &Ground) -> Vec<Sighting> {
    let ship = |number: u32| {
        let digits = format!("9{number:05}");
        let sum: u32 = digits
            .bytes()
            .zip((2..=7).rev())
            .map(|(digit, by)| u32::from(digit - b'0') * by)
            .sum();
        Sighting {
            imo: ImoNumber::parse(&format!("{digits}{}", sum % 10)).unwrap(),
            mmsi: Some(format!("211{number:06}")),
            position: Position {
                at: ground.tracking().now(),
                point: Point {
                    latitude: 33.7,
                    longitude: -118.2,
                },
                heading: None,
                speed_knots: None,
            },
        }
    };
    (0..1_000).map(ship).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn positions_of_ships_that_nobody_follows_take_no_turn_of_the_writer() {
    let ground = Ground::new("[]").await;
    let tracking = ground.tracking();
    assert_eq!(record_positions(tracking, &strangers(&ground)).await, Ok(0));
    ground.pass(SignedDuration::from_mins(6));
    let ((told, is_held), (let_go, may_go)) = (oneshot::channel(), oneshot::channel::<()>());
    let store = tracking.store().clone();
    let (mut told, mut may_go) = (Some(told), Some(may_go));
    let holding = tokio::spawn(async move {
        let hold = move |_: &mut Tx| {
            told.take().unwrap().send(()).unwrap();
            let _ = may_go.take().unwrap().blocking_recv();
            Ok::<_, store::Error>(())
        };
        store.write(Key::sightings(), hold).await
    });
    is_held.await.unwrap();
    let again = strangers(&ground);
    let recording = record_positions(tracking, &again);
    let recorded = tokio::time::timeout(Duration::from_secs(15), recording).await;
    assert_eq!(recorded.ok(), Some(Ok(0)), "the writer is taken");
    let_go.send(()).unwrap();
    holding.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn radios_of_ships_that_nobody_follows_are_forgotten_when_they_are_silent_for_long() {
    let ground = Ground::new("[]").await;
    let tracking = ground.tracking();
    assert_eq!(record_positions(tracking, &strangers(&ground)).await, Ok(0));
    for (days, left) in [(89, 9), (2, 0)] {
        ground.pass(SignedDuration::from_hours(days * 24));
        ground.drain().await;
        let now = tracking.now();
        let silent = tracking
            .store()
            .read(move |tx| store::vessel::silent_radios(tx, now, 9));
        let silent: Result<Vec<String>, store::Error> = silent.await;
        assert_eq!(silent.unwrap().len(), left);
    }
}

/// A terminal's list, dropped into a folder.
fn list_of(terminal: &str) -> Source {
    let profile = format!(
        "id = \"{terminal}\"\nprotocol = \"terminal-table\"\nterminal = \"{terminal}\"\n[drop]\nfolder = \"/nowhere\"\n\
         [columns]\ncontainer = \"Container\"\nas_of = \"AsOf\"\navailable = \"Available\"\n\
         [moves]\nvessel_discharged = \"Discharged\"\n"
    );
    Source::unasked(sources::Profile::parse(&profile).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn another_terminal_is_told_with_who_named_it() {
    let mut ground = Ground::new(BOUND).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    ground.start_again_with(vec![list_of("USLAX-W185"), list_of("USLAX-Y258")]);
    let wanted = NewWebhook {
        url: "http://127.0.0.1:9/".into(),
        active: true,
        events: vec![EventName::PodTerminalChanged],
        headers: Vec::new(),
    };
    let _: webhooks::Opened = create(ground.tracking(), account, wanted).await.unwrap();
    ground.pass(SignedDuration::from_hours(15 * 24));
    for (terminal, row) in [
        ("USLAX-Y258", "2026-04-19T09:00:00Z,yes,"),
        ("USLAX-W185", "2026-04-20T03:00:00Z,,2026-04-20T01:00:00Z"),
    ] {
        let message = Message {
            source: terminal.into(),
            account: None,
            content_type: "text/csv".into(),
            bytes: format!("Container,AsOf,Available,Discharged\n{BOX},{row}\n").into_bytes(),
        };
        intake::receive(ground.tracking(), message).await.unwrap();
        ground.drain().await;
    }
    let read = ground.tracking().store().read(move |tx| {
        let slice = Slice {
            offset: 0,
            limit: 9,
        };
        let a = &mut tx.account(account);
        let told = store::notification::page(a, &NotificationFilter::default(), slice)?;
        let ids: Vec<EventId> = told.rows.iter().map(|row| EventId(row.reference)).collect();
        store::event::documents(a, &ids)
    });
    let told: Vec<String> = read
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.document)
        .collect();
    let [told] = told.as_slice() else {
        panic!("{told:?}")
    };
    let told: serde_json::Value = serde_json::from_str(told).unwrap();
    assert_eq!(told["type"], "container_pod_terminal_changed_event");
    assert_eq!(told["attributes"]["data_source"], "terminal");
}

/// What an account brings with its key.
async fn bring(ground: &Ground, account: AccountId, source: &str, text: &str) {
    let message = Message {
        source: source.into(),
        account: Some(account),
        content_type: "application/json".into(),
        bytes: text.as_bytes().to_vec(),
    };
    intake::receive(ground.tracking(), message).await.unwrap();
    ground.drain().await;
}

async fn last_seen(ground: &Ground) -> Option<Position> {
    let vessel = ship("9321483").id;
    let store = ground.tracking().store();
    let reading = store.read(move |tx| store::vessel::position::last(tx, &[vessel]));
    reading.await.unwrap().remove(&vessel)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_account_brings_moves_and_names_no_ship_for_others() {
    let (mut ground, account) = arriving().await;
    let receiver = sources::Profile::parse(RECEIVER).unwrap();
    ground.start_again_with(vec![Source::unasked(receiver), hub()]);
    let stranger = ground.account("B").await;
    let number = "NWLU0000446";
    ground.track(stranger, number, NumberKind::Container).await;
    ground.drain().await;
    let named = || async {
        let vessel = ship("9321483").id;
        let store = ground.tracking().store();
        let known = store.read(move |tx| store::vessel::find(tx, vessel));
        known.await.unwrap().unwrap().name
    };
    let before = named().await;
    bring(
        &ground,
        stranger,
        "receiver",
        &alongside(211_987_655, "9321483", 0),
    )
    .await;
    assert_eq!(last_seen(&ground).await, None);
    // Nor is its radio known by that.
    let alone = r#"[{"mmsi": 211987655, "lat": 33.5, "lon": -118.0, "sog": 9.5, "time": "2026-04-19T12:00:00Z"}]"#;
    hear(ground.tracking(), alone.into()).await;
    assert_eq!(last_seen(&ground).await, None);
    let berthed = "container.transport.vessel_berthed".to_owned();
    assert!(!milestones(&ground, account).await.contains(&berthed));
    // What it says of its own box stands for its own box, under the name that it gives the ship.
    let own = BOUND
        .replace("NWLU0000425", number)
        .replace(
            r#""vesselIMONumber": "9321483""#,
            r#""vesselIMONumber": "9321483", "vesselName": "CALL 555""#,
        )
        .replace("e-1", "own-1")
        .replace("e-2", "own-2");
    bring(&ground, stranger, "hub", &own).await;
    let told = ground.told(stranger).await;
    assert!(
        told.iter()
            .any(|(_, events)| events.iter().any(|event| event.ends_with("vessel_loaded"))),
        "{told:?}"
    );
    assert_eq!(named().await, before);
    // Where everybody hears it, the ship is called so.
    let shared = own
        .replace("own-", "all-")
        .replace("05:00:00Z", "06:00:00Z")
        .replace("CALL 555", "QUAY MERIDIAN");
    ground.push(&shared).await;
    assert_eq!(named().await.as_deref(), Some("QUAY MERIDIAN"));
}
