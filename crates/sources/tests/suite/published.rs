//! The words and shapes of version 3 as it was published, 3.0.0, where they differ from those before.

use domain::report::{Doubt, Value, Verb};
use serde_json::{Value as Json, json};

use crate::told::{line, lines, only, read, with};

/// A ship's arrival with two papers, to be changed by a test.
fn arrival() -> Json {
    json!({
        "eventID": "A1",
        "eventDateTime": "2026-03-01T06:00:00-05:00",
        "eventUpdatedDateTime": "2026-03-01T19:00:00Z",
        "eventClassification": { "eventType": "TRANSPORT", "eventClassifier": "ACTUAL", "transportEventType": "ARRIVED" },
        "eventLocation": { "UNLocationCode": "USNYC", "facilityType": "PORT_TERMINAL" },
        "shipmentDetails": papers(&json!([])),
        "transportDetails": { "transportCall": { "modeOfTransport": "VESSEL",
            "vesselTransport": { "vesselIMONumber": "9401001", "vesselName": "Quiet Harbour" } } }
    })
}

fn papers(references: &Json) -> Json {
    json!({
        "documentReference": { "type": "BOOKING", "reference": "QSDB700100" },
        "additionalDocumentReferences": [{ "type": "TRANSPORT_DOCUMENT", "reference": "QSDL800200" }],
        "shipmentReferences": references
    })
}

/// Something that happened to a box.
fn happened(what: &str) -> Json {
    with(
        arrival(),
        json!({
            "eventClassification": { "eventType": "EQUIPMENT", "eventClassifier": "ACTUAL", "equipmentEventType": what },
            "equipmentDetails": { "equipmentReference": "QSDU1000014", "emptyIndicator": "LADEN" }
        }),
    )
}

#[test]
fn a_box_among_the_references_is_the_one_that_arrives() {
    let references =
        papers(&json!([{ "type": "EQUIPMENT_REFERENCE", "reference": "QSDU1000014" }]));
    let report = only(&with(arrival(), json!({ "shipmentDetails": references })));
    let number = report.equipment.unwrap().number;
    assert_eq!(number.as_str(), "QSDU1000014");
    assert!(report.references.others.is_empty());
}

/// An event with this id, of whoever the routing names.
fn routed(routing: &Json) -> Option<String> {
    only(&with(
        happened("LOADED"),
        json!({ "eventRouting": routing }),
    ))
    .source_event_id
}

#[test]
fn an_id_belongs_to_all_its_producers() {
    let one = json!({ "partyCode": "QSA", "codeListProvider": "SMDG", "codeListName": "LCL" });
    let two = json!({ "partyCode": "QSB", "codeListProvider": "SMDG", "codeListName": "LCL" });
    let id = |parties: Json| routed(&json!({ "originatingParties": parties })).unwrap();
    assert_eq!(id(json!([one])), "QSA/SMDG/LCL:A1");
    assert_eq!(id(json!(one)), "QSA/SMDG/LCL:A1");
    assert_eq!(id(json!([one, two])), "QSA/SMDG/LCL+QSB/SMDG/LCL:A1");
    assert_eq!(id(json!([two, one, two])), id(json!([one, two])));
    let elsewhere = json!({ "partyCode": "QSA", "codeListProvider": "NMFTA" });
    assert_eq!(id(json!([elsewhere])), "QSA/NMFTA:A1");
    let nameless = json!({ "codeListProvider": "SMDG", "partyFunction": "CA" });
    assert_eq!(id(json!([nameless])), "A1");
}

/// What was stored by the first dialects is taken back and corrected by the next message.
#[test]
fn the_id_of_a_party_that_is_told_by_its_code_alone_is_as_ever() {
    let code = json!({ "partyCode": "QSA" });
    let singular = routed(&json!({ "originatingParty": code }));
    assert_eq!(singular.as_deref(), Some("QSA:A1"));
    assert_eq!(routed(&json!({ "originatingParties": [code] })), singular);
    let listed = json!({ "partyCode": "QSA", "codeListProvider": "SMDG" });
    assert_eq!(routed(&json!({ "originatingParty": listed })), singular);
}

#[test]
fn a_producer_takes_back_only_its_own() {
    let of = |party: &str| json!({ "originatingParties": [{ "partyCode": party, "codeListProvider": "SMDG" }] });
    let loaded = with(happened("LOADED"), json!({ "eventRouting": of("QSA") }));
    let back = json!({ "eventRouting": of("QSB"), "eventID": "A1", "eventUpdatedDateTime": "2026-03-02T00:00:00Z",
        "isRetracted": true });
    let parsed = read(&json!([loaded, back]).to_string());
    let [loaded, back] = parsed.reports.as_slice() else {
        panic!("{parsed:?}");
    };
    assert!(!back.report.takes_back(&loaded.report));
}

#[test]
fn a_facility_in_a_group_of_its_own_is_the_facility() {
    let flat = json!({ "UNLocationCode": "USNYC", "facilityType": "PORT_TERMINAL",
        "facilityCode": "APM7", "facilityCodeListProvider": "SMDG" });
    let nested = json!({ "UNLocationCode": "USNYC", "facilityType": "PORT_TERMINAL",
        "facility": { "facilityCode": "APM7", "facilityCodeListProvider": "SMDG" } });
    let place = |spot: &Json| only(&with(arrival(), json!({ "eventLocation": spot }))).place;
    assert_eq!(place(&nested).facility_code.as_deref(), Some("APM7"));
    assert_eq!(place(&nested), place(&flat));
    let call = json!({ "transportCall": { "modeOfTransport": "VESSEL", "location": nested } });
    let of_call = json!({ "eventLocation": null, "transportDetails": call });
    assert_eq!(only(&with(arrival(), of_call)).place, place(&flat));
    let word = json!({ "UNLocationCode": "USNYC", "facility": "APM7" });
    assert_eq!(place(&word).name, None, "a facility is no town");
}

/// What a paper of this kind says.
fn paper(what: &str, kind: &str) -> domain::report::Report {
    only(&json!({
        "eventID": "S1", "eventDateTime": "2026-03-02T00:00:00Z", "eventUpdatedDateTime": "2026-03-02T00:00:00Z",
        "eventClassification": { "eventType": "SHIPMENT", "eventClassifier": "ACTUAL", "shipmentEventType": what },
        "shipmentDetails": { "documentReference": { "type": kind, "reference": "QSD-7" },
            "additionalDocumentReferences": [{ "type": "TRANSPORT_DOCUMENT", "reference": "QSDL800200" }] }
    }))
}

#[test]
fn customs_hold_and_release_under_each_of_their_names() {
    for kind in ["CUSTOMS", "CUSTOMS_CLEARANCE", "CUC", "CUS"] {
        for (what, verb) in [("ON_HOLD", "HoldSet"), ("RELEASED", "HoldClear")] {
            let told = line(&paper(what, kind));
            assert!(
                told.contains(&format!("{verb} all")) && told.contains("hold Customs Hold"),
                "{kind} {what}: {told}"
            );
        }
    }
    let pre = line(&paper("ON_HOLD", "PRE_ARRIVAL"));
    assert!(pre.contains("Document all"), "{pre}");
}

#[test]
fn seals_of_sources_in_words_and_none_at_all() {
    let seals = |seals: Json| {
        let details = json!({ "equipmentReference": "QSDU1000014", "emptyIndicator": "LADEN", "seals": seals });
        let event = with(happened("LOADED"), json!({ "equipmentDetails": details }));
        only(&event).equipment.unwrap().seals
    };
    let told = json!([
        { "number": "CUS111", "source": "CUSTOMS" },
        { "number": "VET444", "source": "VETERINARY" },
        { "number": "SHI222", "source": "SHIPPER" },
        { "number": "CAR333", "source": "CARRIER" }
    ]);
    assert_eq!(seals(told), ["CAR333", "SHI222", "CUS111", "VET444"]);
    let none = json!([
        { "number": "NOSEAL", "source": "SHI" }, { "number": "no seal" }, { "number": "No-Seal" },
        { "number": "NOSEAL7" }
    ]);
    assert_eq!(seals(none), ["NOSEAL7"]);
}

#[test]
fn a_cancellation_that_is_confirmed_cancels_the_booking() {
    let cancelled = paper("CANCELLATION_CONFIRMED", "BOOKING");
    assert_eq!(cancelled.value, Some(Value::BookingCancelled));
    assert_eq!(cancelled.references.bookings, ["QSD-7"]);
    let of_bill = paper("CANCELLATION_CONFIRMED", "TRANSPORT_DOCUMENT");
    assert_eq!((of_bill.verb, of_bill.value), (Verb::Document, None));
    for asked in ["CANCELLATION_RECEIVED", "CANCELLATION_DECLINED"] {
        assert_eq!(paper(asked, "BOOKING").value, None, "{asked}");
    }
}

#[test]
fn steps_of_a_paper_are_papers_and_no_unknown_words() {
    let words = [
        "DECLINED",
        "UPDATE_RECEIVED",
        "UPDATE_CONFIRMED",
        "UPDATE_CANCELLED",
        "AMENDMENT_RECEIVED",
        "AMENDMENT_CONFIRMED",
        "AMENDMENT_DECLINED",
        "PENDING_AMENDMENT_CONFIRMATION",
        "PENDING_SURRENDER_FOR_AMENDMENT",
        "PENDING_SURRENDER_FOR_DELIVERY",
        "SURRENDERED_FOR_AMENDMENT",
        "SURRENDERED_FOR_DELIVERY",
    ];
    for word in words {
        for kind in ["BOOKING", "TRANSPORT_DOCUMENT", "SHIPPING_INSTRUCTIONS"] {
            let told = paper(word, kind);
            assert_eq!((told.verb, &told.value), (Verb::Document, &None), "{word}");
            assert_eq!(told.doubts, [], "{word} {kind}");
        }
    }
    assert_eq!(paper("UPENDED", "BOOKING").doubts, [Doubt::Unmapped]);
}

/// The empty that a depot has ready for a shipper is no cargo that a consignee may collect.
#[test]
fn an_empty_that_may_be_fetched_is_not_available() {
    let ready = |details: Json| {
        let facility = json!({ "UNLocationCode": "DEHAM", "facilityType": "DEPOT" });
        let change = json!({ "equipmentDetails": details, "eventLocation": facility, "transportDetails": null });
        only(&with(happened("AVAILABLE_FOR_PICKUP"), change))
    };
    let is_ready = |details: Json| {
        let report = ready(details);
        assert_eq!(report.doubts, [], "{}", line(&report));
        report.verb == Verb::Available
    };
    let number = "QSDU1000014";
    let empty = json!({ "equipmentReference": number, "emptyIndicator": "EMPTY" });
    let export = json!({ "equipmentReference": number, "transportPhase": "EXPORT" });
    let laden = json!({ "equipmentReference": number, "emptyIndicator": "LADEN" });
    let untold = json!({ "equipmentReference": number });
    let import = json!({ "equipmentReference": number, "transportPhase": "IMPORT" });
    assert!(!is_ready(empty.clone()) && !is_ready(export));
    assert!(is_ready(laden) && is_ready(untold) && is_ready(import));
    assert_eq!(ready(empty.clone()).equipment.unwrap().laden, Some(false));
    let of_old = lines(&read(
        &json!([{ "eventID": "a", "eventType": "EQUIPMENT", "eventClassifierCode": "ACT",
            "eventDateTime": "2026-03-08T02:40:00+01:00", "equipmentEventTypeCode": "AVPU",
            "equipmentReference": number, "emptyIndicatorCode": "EMPTY" }])
        .to_string(),
    ));
    assert!(of_old[0].contains("Actual Document"), "{of_old:?}");
}
