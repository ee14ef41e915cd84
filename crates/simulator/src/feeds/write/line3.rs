//! DCSA Track & Trace 3 in its three dialects: the beta of 2023, the sandbox, and the published model.

use serde_json::{Map, Value, json};

use super::super::tell::{Mark, Telling};
use super::super::way::{Act, Way};
use super::local;
use crate::dice::named;
use crate::world::voyage::{Mode, Sure};

/// Which of them the line of this way speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Dialect {
    Beta,
    Sandbox,
    Published,
}

impl Dialect {
    /// The dialect of a way: each speaks one, always the same.
    pub(in super::super) fn of(way: &Way) -> Self {
        match named(&way.bill) % 3 {
            0 => Self::Beta,
            1 => Self::Sandbox,
            _ => Self::Published,
        }
    }

    /// Whether an event is put right under its own id.
    pub(in super::super) fn revises(self) -> bool {
        self != Self::Beta
    }

    fn word(self, code: &'static str, word: &'static str) -> &'static str {
        if self == Self::Published { word } else { code }
    }
}

pub(super) fn message(way: &Way, telling: &Telling) -> Vec<u8> {
    let dialect = Dialect::of(way);
    let message = match dialect {
        Dialect::Beta => json!([beta(way, telling)]),
        Dialect::Sandbox | Dialect::Published => {
            json!({ "events": [event(dialect, way, telling)] })
        }
    };
    message.to_string().into_bytes()
}

/// The beta has an envelope around each event, and takes one back by naming its id.
fn beta(way: &Way, telling: &Telling) -> Value {
    let mut metadata = json!({
        "eventID": telling.id,
        "eventCreatedDateTime": telling.issued_at.to_string(),
        "eventType": kind(telling),
        "publisher": { "partyName": "Heron Line", "carrierCode": "HRN", "carrierCodeListProvider": "SMDG" },
        "publisherRole": "CA",
    });
    if telling.mark == Mark::TakesBack
        && let Some(metadata) = metadata.as_object_mut()
    {
        metadata.insert("eventID".into(), json!(format!("{}-back", telling.id)));
        metadata.insert("retractedEventID".into(), json!(telling.id));
        return json!({ "metadata": metadata });
    }
    let what = &telling.what;
    let mut payload = Map::new();
    payload.insert(
        "eventClassifierCode".into(),
        json!(classifier(Dialect::Beta, telling)),
    );
    payload.insert("eventDateTime".into(), json!(moment(telling)));
    let (member, code) = code(Dialect::Beta, telling);
    payload.insert(format!("{member}Code"), json!(code));
    let mut call = call(way, telling);
    call.insert(
        "location".into(),
        json!({ "locationType": "UNLO", "UNLocationCode": telling.place.code }),
    );
    call.insert("facilityTypeCode".into(), json!(what.facility));
    call.extend(facility(telling));
    if let Some(ship) = what.ship {
        let voyage = format!("{}E", ship.voyage);
        call.insert("carrierExportVoyageNumber".into(), json!(voyage));
        call.insert("carrierImportVoyageNumber".into(), json!(voyage));
        let vessel = json!({ "vesselIMONumber": ship.vessel.imo(), "name": ship.vessel.name });
        call.insert("vessel".into(), vessel);
    }
    payload.insert("transportCall".into(), Value::Object(call));
    payload.insert(
        "relatedDocumentReferences".into(),
        json!([{ "type": "BKG", "value": way.booking }, { "type": "TRD", "value": way.bill }]),
    );
    if is_transport(telling) {
        let boxes = json!([{ "type": "EQ", "value": way.number.to_string() }]);
        payload.insert("references".into(), boxes);
    } else {
        payload.insert("equipmentReference".into(), json!(way.number.to_string()));
        payload.insert("ISOEquipmentCode".into(), json!("45G1"));
        payload.insert("emptyIndicatorCode".into(), json!(laden(telling)));
    }
    json!({ "metadata": metadata, "payload": payload })
}

/// The two later ones have one frame, and other words in it.
fn event(dialect: Dialect, way: &Way, telling: &Telling) -> Value {
    let what = &telling.what;
    let published = dialect == Dialect::Published;
    let name = |code: &str, plain: &str| if published { plain } else { code }.to_owned();
    let (member, code) = code(dialect, telling);
    let mut classification = Map::new();
    classification.insert(name("eventTypeCode", "eventType"), json!(kind(telling)));
    classification.insert(
        name("eventClassifierCode", "eventClassifier"),
        json!(classifier(dialect, telling)),
    );
    classification.insert(name(&format!("{member}Code"), member), json!(code));
    let typed = name("typeCode", "type");
    let document = |kind: &str, number: &str| {
        let mut document = Map::new();
        document.insert(typed.clone(), json!(kind));
        document.insert("reference".into(), json!(number));
        Value::Object(document)
    };
    let mut equipment = Map::new();
    equipment.insert("equipmentReference".into(), json!(way.number.to_string()));
    if !is_transport(telling) {
        equipment.insert("ISOEquipmentCode".into(), json!("45G1"));
        equipment.insert(
            name("emptyIndicatorCode", "emptyIndicator"),
            json!(laden(telling)),
        );
    }
    let mut location = facility(telling);
    location.insert("UNLocationCode".into(), json!(telling.place.code));
    let facility = if published {
        facility_word(what.facility)
    } else {
        what.facility
    };
    location.insert(name("facilityTypeCode", "facilityType"), json!(facility));
    let mut call = call(way, telling);
    if let Some(ship) = what.ship {
        let voyage = json!({ "carrierVoyageNumber": format!("{}E", ship.voyage) });
        call.insert("exportVoyageNumberOrReference".into(), voyage.clone());
        call.insert("importVoyageNumberOrReference".into(), voyage);
        let vessel =
            json!({ "vesselIMONumber": ship.vessel.imo(), "vesselName": ship.vessel.name });
        call.insert("vesselTransport".into(), vessel);
    }
    json!({
        "eventRouting": { "originatingParty": { "partyCode": "HRN", "codeListProvider": "SMDG" } },
        "eventID": telling.id,
        "eventDateTime": moment(telling),
        "eventUpdatedDateTime": telling.issued_at.to_string(),
        "isRetracted": telling.mark == Mark::TakesBack,
        "eventClassification": classification,
        "shipmentDetails": {
            "documentReference": document("BKG", &way.booking),
            "additionalDocumentReferences": [document("TRD", &way.bill)],
        },
        "equipmentDetails": equipment,
        "eventLocation": location,
        "transportDetails": { "transportCall": call },
    })
}

fn kind(telling: &Telling) -> &'static str {
    if is_transport(telling) {
        "TRANSPORT"
    } else {
        "EQUIPMENT"
    }
}

fn is_transport(telling: &Telling) -> bool {
    matches!(telling.what.act, Act::Arrive | Act::Depart)
}

fn classifier(dialect: Dialect, telling: &Telling) -> &'static str {
    match telling.sure {
        Sure::Actual => dialect.word("ACT", "ACTUAL"),
        Sure::Planned => dialect.word("PLN", "PLANNED"),
        Sure::Estimated => dialect.word("EST", "ESTIMATED"),
    }
}

/// The member that has the code, and the code.
fn code(dialect: Dialect, telling: &Telling) -> (&'static str, &'static str) {
    match telling.what.act {
        Act::Arrive => ("transportEventType", dialect.word("ARRI", "ARRIVED")),
        Act::Depart => ("transportEventType", dialect.word("DEPA", "DEPARTED")),
        Act::GateIn => ("equipmentEventType", dialect.word("GTIN", "GATED_IN")),
        Act::GateOut => ("equipmentEventType", dialect.word("GTOT", "GATED_OUT")),
        Act::Load => ("equipmentEventType", dialect.word("LOAD", "LOADED")),
        Act::Deliver => ("equipmentEventType", dialect.word("DROP", "DROPPED_OFF")),
        Act::Discharge | Act::Berth => ("equipmentEventType", dialect.word("DISC", "DISCHARGED")),
    }
}

fn laden(telling: &Telling) -> &'static str {
    if telling.what.laden { "LADEN" } else { "EMPTY" }
}

fn moment(telling: &Telling) -> String {
    let form = if telling.day_only {
        "%Y-%m-%d"
    } else {
        "%Y-%m-%dT%H:%M:%S%:z"
    };
    local(telling.at, telling.place, form)
}

fn facility(telling: &Telling) -> Map<String, Value> {
    let mut facility = Map::new();
    if let Some(terminal) = telling.what.terminal {
        facility.insert("facilityCode".into(), json!(terminal));
        facility.insert("facilityCodeListProvider".into(), json!("SMDG"));
    }
    facility
}

fn facility_word(code: &str) -> &str {
    match code {
        "POTE" => "PORT_TERMINAL",
        "DEPO" => "DEPOT",
        "INTE" => "INLAND_TERMINAL",
        "OFFD" => "OFF_DOCK_STORAGE",
        "CLOC" => "CUSTOMER_LOCATION",
        "RAMP" => "RAMP",
        other => other,
    }
}

fn call(way: &Way, telling: &Telling) -> Map<String, Value> {
    let what = &telling.what;
    let number = what.call.unwrap_or(0);
    let mut call = Map::new();
    call.insert(
        "transportCallReference".into(),
        json!(format!("{}-{number}", way.booking)),
    );
    if let Some(number) = what.call {
        call.insert("transportCallSequenceNumber".into(), json!(number));
    }
    let mode = match what.mode {
        Mode::Vessel => "VESSEL",
        Mode::Barge => "BARGE",
        Mode::Rail => "RAIL",
        Mode::Truck => "TRUCK",
    };
    call.insert("modeOfTransport".into(), json!(mode));
    call
}
