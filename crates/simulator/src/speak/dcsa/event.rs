//! How one record is written.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::dice::Dice;
use crate::mischief::{Said, Spelling};
use crate::world::voyage::{Code, Happening, Mode, Stop, Sure};
use crate::world::{Cargo, Shipment, World};

/// The record of a published word.
pub(super) fn of_said(shipment: &Shipment, said: &Said) -> Value {
    let Some(happening) = shipment.voyage.happenings.get(said.about) else {
        return Value::Null;
    };
    let Some(stop) = shipment.voyage.stops.get(happening.stop) else {
        return Value::Null;
    };
    let mut record = Map::new();
    record.insert("eventID".into(), json!(said.event_id));
    record.insert(
        "eventCreatedDateTime".into(),
        json!(said.word.created_at.to_string()),
    );
    record.insert(
        "eventClassifierCode".into(),
        json!(classifier(happening, said)),
    );
    record.insert("eventDateTime".into(), json!(time(stop, said)));
    match happening.code {
        Code::Arri | Code::Depa => transport(&mut record, happening, shipment),
        _ => equipment(&mut record, happening, shipment),
    }
    record.insert(
        "transportCall".into(),
        call(shipment, happening, stop, said),
    );
    record.insert("documentReferences".into(), documents(shipment));
    spelt(record, said.spelling)
}

/// Papers of the booking, and the records that nobody can use.
pub(super) fn papers(world: &World, shipment: &Shipment, now: Timestamp) -> Vec<Value> {
    let mut dice = Dice::about(world.seed(), &format!("papers {}", shipment.booking));
    let mut papers = vec![paper(
        shipment,
        &dice.uuid(),
        "CONF",
        ("BKG", &shipment.booking),
    )];
    if let Some(document) = &shipment.document {
        papers.push(paper(shipment, &dice.uuid(), "ISSU", ("TRD", document)));
    }
    if shipment.broken {
        let timeless = json!({
            "eventID": dice.uuid(),
            "eventCreatedDateTime": shipment.bill.known_from.to_string(),
            "eventType": "EQUIPMENT",
            "eventClassifierCode": "ACT",
            "equipmentEventTypeCode": "LOAD",
            "equipmentReference": shipment.cargo.first().map(|cargo| cargo.number.to_string()),
            "documentReferences": documents(shipment),
        });
        let strange = json!({
            "eventID": dice.uuid(),
            "eventType": "IOT",
            "eventDateTime": shipment.bill.known_from.to_string(),
            "geoLocation": { "latitude": "1.25", "longitude": "103.83" },
            "documentReferences": documents(shipment),
        });
        papers.extend([timeless, strange]);
    }
    papers.retain(|_| shipment.bill.known_from <= now);
    papers
}

fn paper(shipment: &Shipment, id: &str, code: &str, (kind, number): (&str, &str)) -> Value {
    json!({
        "eventID": id,
        "eventCreatedDateTime": shipment.bill.known_from.to_string(),
        "eventType": "SHIPMENT",
        "eventClassifierCode": "ACT",
        "eventDateTime": shipment.bill.known_from.to_string(),
        "shipmentEventTypeCode": code,
        "documentTypeCode": kind,
        "documentID": number,
        "documentReferences": documents(shipment),
    })
}

fn transport(record: &mut Map<String, Value>, happening: &Happening, shipment: &Shipment) {
    record.insert("eventType".into(), json!("TRANSPORT"));
    record.insert("transportEventTypeCode".into(), json!(code(happening.code)));
    if shipment.names_boxes {
        let boxes = shipment
            .cargo
            .iter()
            .map(|cargo| reference(&cargo.number.to_string()));
        record.insert("references".into(), Value::Array(boxes.collect()));
    }
}

fn equipment(record: &mut Map<String, Value>, happening: &Happening, shipment: &Shipment) {
    record.insert("eventType".into(), json!("EQUIPMENT"));
    record.insert("equipmentEventTypeCode".into(), json!(code(happening.code)));
    let laden = if happening.laden { "LADEN" } else { "EMPTY" };
    record.insert("emptyIndicatorCode".into(), json!(laden));
    if let Some(cargo) = happening.of.and_then(|of| shipment.cargo.get(of)) {
        describe(record, cargo, happening.laden);
    }
}

fn describe(record: &mut Map<String, Value>, cargo: &Cargo, laden: bool) {
    record.insert("equipmentReference".into(), json!(cargo.number.to_string()));
    record.insert("ISOEquipmentCode".into(), json!(cargo.iso_type));
    if laden {
        let seal = json!({ "sealNumber": cargo.seal, "sealSource": "CAR", "sealType": "BLT" });
        record.insert("seals".into(), json!([seal]));
    }
}

fn call(shipment: &Shipment, happening: &Happening, stop: &Stop, said: &Said) -> Value {
    let mut call = Map::new();
    let id = format!("{}-{}", shipment.booking, happening.stop + 1);
    call.insert("transportCallID".into(), json!(id));
    call.insert("UNLocationCode".into(), json!(said.place));
    call.insert("facilityTypeCode".into(), json!(stop.facility));
    call.insert("otherFacility".into(), json!(stop.place.name));
    call.insert("modeOfTransport".into(), json!(mode(stop.mode)));
    if let Some(sequence) = stop.sequence {
        call.insert("transportCallSequenceNumber".into(), json!(sequence));
    }
    if let Some(terminal) = stop.terminal {
        call.insert("facilityCode".into(), json!(terminal));
        call.insert("facilityCodeListProvider".into(), json!("SMDG"));
    }
    if let Some(voyage) = &stop.voyage {
        call.insert("exportVoyageNumber".into(), json!(voyage));
        call.insert("importVoyageNumber".into(), json!(voyage));
        call.insert("carrierServiceCode".into(), json!(stop.service));
    }
    if let Some(vessel) = stop.vessel {
        let vessel = json!({ "vesselIMONumber": vessel.imo(), "vesselName": vessel.name });
        call.insert("vessel".into(), vessel);
    }
    Value::Object(call)
}

fn documents(shipment: &Shipment) -> Value {
    let one = |kind: &str, number: &str| json!({ "documentReferenceType": kind, "documentReferenceValue": number });
    let mut all = vec![one("BKG", &shipment.booking)];
    all.extend(
        shipment
            .document
            .as_deref()
            .map(|number| one("TRD", number)),
    );
    Value::Array(all)
}

fn reference(number: &str) -> Value {
    json!({ "referenceType": "EQ", "referenceValue": number })
}

/// An estimate after the fact borrows the plan's happening, but is no plan.
fn classifier(happening: &Happening, said: &Said) -> &'static str {
    match happening.sure {
        Sure::Actual => "ACT",
        Sure::Planned if said.counts => "PLN",
        Sure::Planned | Sure::Estimated => "EST",
    }
}

fn time(stop: &Stop, said: &Said) -> String {
    let local = said.word.at.to_zoned(stop.place.clock());
    let form = match said.spelling {
        Spelling::Zulu => return said.word.at.to_string(),
        Spelling::DateOnly => "%Y-%m-%d",
        Spelling::NoOffset => "%Y-%m-%dT%H:%M:%S",
        Spelling::Slashes => "%Y/%m/%d %H:%M:%S %:z",
        Spelling::Spaces => "%Y %m %d %H:%M:%S",
        _ => "%Y-%m-%dT%H:%M:%S%:z",
    };
    local.strftime(form).to_string()
}

/// The same record as a careless programmer would write it.
fn spelt(mut record: Map<String, Value>, spelling: Spelling) -> Value {
    match spelling {
        Spelling::NoId => {
            record.remove("eventID");
        }
        Spelling::NoImo => {
            if let Some(vessel) =
                member(&mut record, "transportCall").and_then(|call| call.get_mut("vessel"))
            {
                vessel["vesselIMONumber"] = json!("0000000");
            }
        }
        Spelling::OtherKeys => {
            rename(&mut record, "eventID", "eventId");
            if let Some(call) = member(&mut record, "transportCall") {
                rename(call, "UNLocationCode", "unLocationCode");
                rename(call, "transportCallID", "transportCallId");
            }
        }
        Spelling::LowerCase => soften(&mut record),
        Spelling::Nulls => {
            for key in [
                "delayReasonCode",
                "changeRemark",
                "eventLocation",
                "seals",
                "references",
            ] {
                record.entry(key).or_insert(Value::Null);
            }
            if let Some(call) = member(&mut record, "transportCall") {
                for key in ["facilityCode", "vessel", "location", "carrierServiceCode"] {
                    call.entry(key).or_insert(Value::Null);
                }
            }
        }
        _ => {}
    }
    Value::Object(record)
}

fn member<'r>(record: &'r mut Map<String, Value>, key: &str) -> Option<&'r mut Map<String, Value>> {
    record.get_mut(key).and_then(Value::as_object_mut)
}

fn rename(record: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = record.remove(from) {
        record.insert(to.into(), value);
    }
}

fn soften(record: &mut Map<String, Value>) {
    for key in ["eventType", "emptyIndicatorCode", "eventClassifierCode"] {
        if let Some(Value::String(text)) = record.get_mut(key) {
            *text = capitalised(text);
        }
    }
    if let Some(Value::String(text)) =
        member(record, "transportCall").and_then(|call| call.get_mut("modeOfTransport"))
    {
        *text = capitalised(text);
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().collect();
    first + &letters.as_str().to_lowercase()
}

fn code(code: Code) -> &'static str {
    match code {
        Code::Gtin => "GTIN",
        Code::Gtot => "GTOT",
        Code::Load => "LOAD",
        Code::Disc => "DISC",
        Code::Avpu => "AVPU",
        Code::Arri => "ARRI",
        Code::Depa => "DEPA",
    }
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Vessel => "VESSEL",
        Mode::Barge => "BARGE",
        Mode::Rail => "RAIL",
        Mode::Truck => "TRUCK",
    }
}
