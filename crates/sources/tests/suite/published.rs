//! The words and shapes of version 3 as it was published, 3.0.0, where they differ from those before.

use serde_json::{Value as Json, json};

use crate::told::{only, with};

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

#[test]
fn a_box_among_the_references_is_the_one_that_arrives() {
    let references =
        papers(&json!([{ "type": "EQUIPMENT_REFERENCE", "reference": "QSDU1000014" }]));
    let report = only(&with(arrival(), json!({ "shipmentDetails": references })));
    let number = report.equipment.unwrap().number;
    assert_eq!(number.as_str(), "QSDU1000014");
    assert!(report.references.others.is_empty());
}
