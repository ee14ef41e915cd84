//! DCSA Track & Trace 2.2: one event in an array.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::super::Condition;
use super::super::tell::Telling;
use super::super::way::{Act, Way};
use super::local;
use crate::dice::Dice;
use crate::world::voyage::{Mode, Sure};

/// An event in its array, and now and then one before it that nobody can use.
pub(super) fn message(way: &Way, telling: &Telling) -> (Vec<u8>, Condition) {
    let event = event(way, telling);
    let mut dice = Dice::about(0, &telling.id);
    let (events, condition) = if dice.per_mille(DAMAGED) {
        let broken = json!({ "eventID": format!("{}-0", telling.id), "eventType": "EQUIPMENT",
            "eventClassifierCode": "ACT", "eventDateTime": "soon", "equipmentEventTypeCode": "LOAD",
            "equipmentReference": way.number.to_string() });
        (json!([broken, event]), Condition::Damaged)
    } else {
        (json!([event]), Condition::Sound)
    };
    (events.to_string().into_bytes(), condition)
}

/// Messages of a thousand with an event that nobody can use.
const DAMAGED: u32 = 60;

fn event(way: &Way, telling: &Telling) -> Value {
    let what = &telling.what;
    let mut event = Map::new();
    event.insert("eventID".into(), json!(telling.id));
    event.insert(
        "eventCreatedDateTime".into(),
        json!(telling.issued_at.to_string()),
    );
    let sure = match telling.sure {
        Sure::Actual => "ACT",
        Sure::Planned => "PLN",
        Sure::Estimated => "EST",
    };
    event.insert("eventClassifierCode".into(), json!(sure));
    let form = if telling.day_only {
        "%Y-%m-%d"
    } else {
        "%Y-%m-%dT%H:%M:%S%:z"
    };
    event.insert(
        "eventDateTime".into(),
        json!(local(telling.at, telling.place, form)),
    );
    let transport = match what.act {
        Act::Arrive => Some("ARRI"),
        Act::Depart => Some("DEPA"),
        _ => None,
    };
    if let Some(code) = transport {
        event.insert("eventType".into(), json!("TRANSPORT"));
        event.insert("transportEventTypeCode".into(), json!(code));
        let boxes = json!([{ "referenceType": "EQ", "referenceValue": way.number.to_string() }]);
        event.insert("references".into(), boxes);
    } else {
        let code = match what.act {
            Act::GateIn => "GTIN",
            Act::GateOut => "GTOT",
            Act::Load => "LOAD",
            Act::Deliver => "DROP",
            _ => "DISC",
        };
        event.insert("eventType".into(), json!("EQUIPMENT"));
        event.insert("equipmentEventTypeCode".into(), json!(code));
        event.insert("equipmentReference".into(), json!(way.number.to_string()));
        let laden = if what.laden { "LADEN" } else { "EMPTY" };
        event.insert("emptyIndicatorCode".into(), json!(laden));
    }
    event.insert("transportCall".into(), call(way, telling));
    event.insert(
        "documentReferences".into(),
        json!([
            { "documentReferenceType": "BKG", "documentReferenceValue": way.booking },
            { "documentReferenceType": "TRD", "documentReferenceValue": way.bill },
        ]),
    );
    Value::Object(event)
}

/// The booking is cancelled.
pub(super) fn cancellation(way: &Way, at: Timestamp) -> Vec<u8> {
    json!([{
        "eventID": format!("{}-cancelled", way.booking),
        "eventCreatedDateTime": at.to_string(),
        "eventType": "SHIPMENT",
        "eventClassifierCode": "ACT",
        "eventDateTime": at.to_string(),
        "shipmentEventTypeCode": "CANC",
        "documentTypeCode": "BKG",
        "documentID": way.booking,
        "documentReferences": [
            { "documentReferenceType": "BKG", "documentReferenceValue": way.booking },
        ],
    }])
    .to_string()
    .into_bytes()
}

fn call(way: &Way, telling: &Telling) -> Value {
    let what = &telling.what;
    let mut call = Map::new();
    let number = what.call.unwrap_or(0);
    call.insert(
        "transportCallID".into(),
        json!(format!("{}-{number}", way.booking)),
    );
    if let Some(number) = what.call {
        call.insert("transportCallSequenceNumber".into(), json!(number));
    }
    call.insert("UNLocationCode".into(), json!(telling.place.code));
    call.insert("facilityTypeCode".into(), json!(what.facility));
    if let Some(terminal) = what.terminal {
        call.insert("facilityCode".into(), json!(terminal));
        call.insert("facilityCodeListProvider".into(), json!("SMDG"));
    }
    let mode = match what.mode {
        Mode::Vessel => "VESSEL",
        Mode::Barge => "BARGE",
        Mode::Rail => "RAIL",
        Mode::Truck => "TRUCK",
    };
    call.insert("modeOfTransport".into(), json!(mode));
    if let Some(ship) = what.ship {
        let vessel =
            json!({ "vesselIMONumber": ship.vessel.imo(), "vesselName": ship.vessel.name });
        call.insert("vessel".into(), vessel);
        call.insert(
            "exportVoyageNumber".into(),
            json!(format!("{}E", ship.voyage)),
        );
        call.insert(
            "importVoyageNumber".into(),
            json!(format!("{}E", ship.voyage)),
        );
    }
    Value::Object(call)
}
