//! Positions of vessels that come by themselves: kept with the vessel, and a stop at a quay told of the boxes that the
//! vessel brings there, where nobody better tells it.

use domain::ids::AccountId;
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use tracking::Source;
use tracking::intake::{self, Message};

use crate::BOX;
use crate::ground::Ground;

/// The box left Ningbo aboard 9321483 and is planned to leave it in Los Angeles.
const BOUND: &str = r#"[
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

const RECEIVER: &str = r#"
id = "receiver"
protocol = "ais"
[[quays]]
terminal = "USLAX-W185"
latitude = 33.7365
longitude = -118.2540
radius_km = 1.2
"#;

/// Half an hour at that quay. Only the first message tells the vessel's number.
fn alongside(mmsi: u32, imo: &str, from_minute: u32) -> String {
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

async fn hear(tracking: &tracking::Tracking, text: String) {
    let message = Message {
        source: "receiver".into(),
        account: None,
        content_type: "application/json".into(),
        bytes: text.into_bytes(),
    };
    intake::receive(tracking, message).await.unwrap();
    tracking::work::drain(tracking).await.unwrap();
}

async fn milestones(ground: &Ground, account: AccountId) -> Vec<String> {
    ground.told(account).await.remove(0).1
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vessel_that_lies_at_a_quay_is_seen_there_and_its_boxes_are_told() {
    let mut ground = Ground::new(BOUND).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let receiver = sources::Profile::parse(RECEIVER).unwrap();
    ground.start_again_with(vec![Source::unasked(receiver)]);
    ground.pass(SignedDuration::from_hours(14 * 24));
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
