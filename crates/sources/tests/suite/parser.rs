//! The parser's tables.

use domain::report::{
    Doubt, FacilityType, Mode, MoveHint, Precision, SourceKind, Verb, ZoneSource,
};
use serde_json::json;

use crate::told::{line, lines, only, only_as, profile, read, read_as, refused, sound_event, with};

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_standard_is_read_in_full() {
    let parsed = read(&fixture("standard.json"));
    assert_eq!(parsed.defects, []);
    assert_eq!(
        lines(&parsed),
        [
            "[0] Actual Document all 2026-03-01T09:00:00Z (2026-03-01T10:00:00 Offset Minute) nowhere BookingConfirmed [SHIPMENT/CONF/BKG]",
            "[1] Actual GateOut by Truck QSDU1000014 empty 2026-03-04T05:55:00Z (2026-03-04T06:55:00 Offset Minute) DEHAM [EQUIPMENT/GTOT]",
            "[2] Actual Load by Vessel QSDU1000014 laden 2026-03-08T01:40:00Z (2026-03-08T02:40:00 Offset Minute) DEHAM [EQUIPMENT/LOAD]",
            "[3] Estimated Arrive by Vessel QSDU1000014 2026-03-22T09:00:00Z (2026-03-22T05:00:00 Offset Minute) USNYC [TRANSPORT/ARRI]",
            "[3] Estimated Arrive by Vessel QSDU1000020 2026-03-22T09:00:00Z (2026-03-22T05:00:00 Offset Minute) USNYC [TRANSPORT/ARRI]",
            "[4] Planned Depart by Vessel all 2026-03-24T00:00:00Z (2026-03-23T20:00:00 Offset Minute) USNYC [TRANSPORT/DEPA]",
        ]
    );
    let load = &parsed.reports[2].report;
    assert_eq!(load.source, "qsd");
    assert_eq!(load.source_kind, SourceKind::Dcsa2);
    assert_eq!(
        load.source_event_id.as_deref(),
        Some("b1f5a7b0-0003-4c6e-9d0a-5a0f6a3c0003")
    );
    assert_eq!(
        load.reported_at,
        Some("2026-03-08T02:00:00Z".parse().unwrap())
    );
    let equipment = load.equipment.as_ref().unwrap();
    assert_eq!(equipment.iso_type.as_deref(), Some("45G1"));
    assert_eq!(equipment.seals, ["CR-11", "SH-22"]);
    assert_eq!(load.place.facility_code.as_deref(), Some("CTA"));
    assert_eq!(load.place.facility_list.as_deref(), Some("SMDG"));
    assert_eq!(load.place.name.as_deref(), Some("Hamburg"));
    assert_eq!(load.leg.vessel_name.as_deref(), Some("Quiet Harbour"));
    assert_eq!(load.leg.vessel_imo.unwrap().number(), 9_401_001);
    assert_eq!(load.leg.voyage_out.as_deref(), Some("610W"));
    assert_eq!(load.leg.voyage_in.as_deref(), Some("609E"));
    assert_eq!(load.leg.service.as_deref(), Some("NE2"));
    assert_eq!(load.leg.call_id.as_deref(), Some("tc-1"));
    assert_eq!(load.leg.sequence, Some(1));
    assert_eq!(load.references.bookings, ["QSDB700100"]);
    assert_eq!(load.references.bills, ["QSDL800200"]);
    assert_eq!(load.references.others, ["4500-17"]);
    assert_eq!(load.references.scac.unwrap().as_str(), "QSDU");
    assert_eq!(parsed.reports[0].report.references.bookings, ["QSDB700100"]);
    assert_eq!(
        parsed.reports[1].report.place.facility_type,
        Some(FacilityType::Depot)
    );
}

#[test]
fn one_event_about_two_boxes_makes_two_claims() {
    let parsed = read(&fixture("standard.json"));
    let keys: std::collections::HashSet<_> = parsed
        .reports
        .iter()
        .map(|located| located.report.key())
        .collect();
    assert_eq!(keys.len(), parsed.reports.len());
}

#[test]
fn accents_are_understood() {
    let parsed = read(&fixture("accents.json"));
    assert_eq!(
        lines(&parsed),
        [
            "[0] Actual Load by Vessel QSDU1000014 laden 2026-03-08T01:40:00Z (2026-03-08T02:40:00 Location Minute) DEHAM for Transshipment [EQUIPMENT/LOAD] doubts [VesselUnknown]",
            "[1] Actual GateOut QSDU1000011 empty 2026-03-03T23:00:00Z (2026-03-04T00:00:00 Location Day) DEHAM [EQUIPMENT/GTOT] doubts [CheckDigit]",
            "[2] Planned Arrive by Vessel all 2026-03-23T00:00:00Z (2026-03-23T00:00:00 Unknown Minute) ZZZZ9 [TRANSPORT/ARRI] doubts [PlaceUnknown, ZoneUnknown]",
            "[3] Actual Document QSDU1000014 2026-03-22T10:00:00Z (2026-03-22T10:00:00 Utc Minute) USNYC [EQUIPMENT/WASH] doubts [DowngradedToEstimate, Unmapped]",
        ]
    );
    let first = &parsed.reports[0].report;
    assert_eq!(first.source_event_id.as_deref(), Some("70011"));
    assert_eq!(
        first.reported_at,
        Some("2026-03-08T02:00:00Z".parse().unwrap())
    );
    assert_eq!(
        parsed.reports[2].report.place.facility_code.as_deref(),
        Some("APM-7")
    );
    assert_eq!(
        parsed.reports[2].report.leg.vessel_name.as_deref(),
        Some("Quiet Harbour")
    );
    assert_eq!(parsed.reports[2].report.references.bills, ["QSDL800200"]);
    let places: Vec<_> = parsed
        .defects
        .iter()
        .map(|defect| defect.place.as_str())
        .collect();
    assert_eq!(places, ["[1].eventCreatedDateTime"], "{:?}", parsed.defects);
    assert_eq!(parsed.reports[1].report.reported_at, None);
}

#[test]
fn lists_by_kind_find_their_calls_and_their_booking() {
    let parsed = read(&fixture("grouped.json"));
    assert_eq!(parsed.defects, []);
    assert_eq!(
        lines(&parsed),
        [
            "transportEvent[0] Actual Depart by Vessel all 2026-03-09T00:00:00Z (2026-03-09T01:00:00 Offset Minute) DEHAM [TRANSPORT/DEPA]",
            "equipmentEvent[0] Actual Load by Vessel QSDU1000014 laden 2026-03-08T01:40:00Z (2026-03-08T02:40:00 Offset Minute) DEHAM [EQUIPMENT/LOAD]",
        ]
    );
    for located in &parsed.reports {
        assert_eq!(located.report.references.bookings, ["QSDB700100"]);
        assert_eq!(located.report.place.facility_code.as_deref(), Some("CTA"));
        assert_eq!(
            located.report.source_event_id, None,
            "one id for two happenings is no id"
        );
    }
}

#[test]
fn the_frame_of_version_3_is_read_too() {
    let parsed = read(&fixture("version-3.json"));
    assert_eq!(parsed.defects, []);
    assert_eq!(
        lines(&parsed),
        [
            "events[0] Actual Load by Vessel QSDU1000014 laden 2026-03-08T01:40:00Z (2026-03-08T01:40:00 Utc Minute) DEHAM for Transshipment [EQUIPMENT/LOAD]",
            "events[1] Actual Discharge QSDU1000014 2026-03-08T01:40:00Z (2026-03-08T01:40:00 Utc Minute) nowhere [EQUIPMENT/DISC]",
            "events[2] Actual Document QSDU1000014 2026-03-10T01:40:00Z (2026-03-10T01:40:00 Utc Minute) nowhere [READING/DETC]",
            "events[3] Actual Document all never nowhere [RETRACTION]",
        ]
    );
    let reports: Vec<_> = parsed
        .reports
        .iter()
        .map(|located| &located.report)
        .collect();
    assert!(
        reports
            .iter()
            .all(|report| report.source_kind == SourceKind::Dcsa3)
    );
    assert_eq!(reports[0].leg.voyage_out.as_deref(), Some("610W"));
    assert_eq!(reports[0].leg.service.as_deref(), Some("NE2"));
    assert_eq!(reports[0].references.bills, ["QSDL800200"]);
    assert_eq!(reports[1].retracts.as_deref(), Some("v3-2"));
    assert_eq!(reports[1].source_event_id, None);
    assert_eq!(reports[3].retracts.as_deref(), Some("b1-0"));
}

#[test]
fn what_is_taken_back_without_a_name_is_not_claimed() {
    let nameless = json!({ "eventID": null, "isRetracted": true });
    let (place, _) = refused(&with(sound_event(), nameless));
    assert_eq!(place, "[0].eventID");
    let no_ids = profile("[quirks]\nids_unusable = true");
    let named = with(sound_event(), json!({ "isRetracted": true }));
    let parsed = read_as(&no_ids, &format!("[{named}]"));
    assert_eq!((parsed.reports.len(), parsed.defects.len()), (0, 1));
    assert_eq!(only(&named).retracts.as_deref(), Some("sound-1"));
}

#[test]
fn codes_of_equipment() {
    let table = [
        ("LOAD", Verb::Load),
        ("DISC", Verb::Discharge),
        ("GTIN", Verb::GateIn),
        ("GTOT", Verb::GateOut),
        ("STUF", Verb::Stuff),
        ("STRP", Verb::Strip),
        ("PICK", Verb::Pickup),
        ("DROP", Verb::Dropoff),
        ("INSP", Verb::Inspect),
        ("RSEA", Verb::SealChange),
        ("RMVD", Verb::SealChange),
        ("AVPU", Verb::Available),
        ("AVDO", Verb::Document),
        ("CROS", Verb::Document),
        ("CUSS", Verb::HoldSet),
        ("CUSI", Verb::HoldSet),
        ("CUSR", Verb::HoldClear),
        ("gtin", Verb::GateIn),
        ("GATED_IN", Verb::GateIn),
    ];
    for (code, verb) in table {
        let report = only(&with(
            sound_event(),
            json!({ "equipmentEventTypeCode": code }),
        ));
        assert_eq!(report.verb, verb, "{code}");
        assert!(!report.doubts.contains(&Doubt::Unmapped), "{code}");
        let old = json!({ "equipmentEventTypeCode": null, "eventTypeCode": code });
        assert_eq!(
            only(&with(sound_event(), old)).verb,
            verb,
            "{code} under its old name"
        );
    }
}

#[test]
fn customs_codes_say_which_hold() {
    let hold = |code: &str| {
        line(&only(&with(
            sound_event(),
            json!({ "equipmentEventTypeCode": code, "reason": "x-ray" }),
        )))
    };
    assert!(hold("CUSS").contains("HoldSet") && hold("CUSS").contains("hold Customs Hold"));
    assert!(hold("CUSI").contains("HoldSet") && hold("CUSI").contains("hold Customs Pending"));
    assert!(hold("CUSR").contains("HoldClear") && hold("CUSR").contains("hold Customs"));
}

#[test]
fn papers() {
    let paper = |code: &str, document: &str| {
        only(&json!({
            "eventType": "SHIPMENT", "eventClassifierCode": "ACT",
            "eventDateTime": "2026-03-01T10:00:00Z", "shipmentEventTypeCode": code,
            "documentTypeCode": document, "documentID": "N-1"
        }))
    };
    let table = [
        ("HOLD", "CUS", "HoldSet all", " hold Customs Hold"),
        ("RELS", "CUS", "HoldClear all", " hold Customs Hold"),
        ("HOLD", "TRD", "HoldSet all", " hold Freight Hold"),
        ("RELS", "ARN", "HoldClear all", " hold Freight Hold"),
        ("CANC", "BKG", "Document all", " BookingCancelled"),
        ("VOID", "BKG", "Document all", " BookingCancelled"),
        ("CONF", "BKG", "Document all", " BookingConfirmed"),
        ("CANC", "TRD", "Document all", "nowhere ["),
        ("ISSU", "TRD", "Document all", "nowhere ["),
    ];
    for (code, document, verb, value) in table {
        let told = line(&paper(code, document));
        assert!(
            told.contains(verb) && told.contains(value),
            "{code} {document}: {told}"
        );
    }
    assert_eq!(paper("ISSU", "TRD").references.bills, ["N-1"]);
    assert_eq!(paper("CONF", "BKG").references.bookings, ["N-1"]);
    assert_eq!(paper("ISSU", "VGM").references.others, ["N-1"]);
    assert_eq!(paper("GONE", "TRD").doubts, [Doubt::Unmapped]);
}

#[test]
fn transport_that_names_no_box_is_about_all_of_the_bill() {
    let event = json!({
        "eventType": "TRANSPORT", "eventClassifierCode": "ACT", "transportEventTypeCode": "DEPA",
        "eventDateTime": "2026-03-09T01:00:00+01:00", "transportCall": { "UNLocationCode": "DEHAM" },
        "documentReferences": [{ "documentReferenceType": "TRD", "documentReferenceValue": "QSDL800200" }]
    });
    assert_eq!(only(&event).equipment, None);
    let unreadable =
        json!({ "references": [{ "referenceType": "EQ", "referenceValue": "a box" }] });
    let (place, _) = refused(&with(event, unreadable));
    assert_eq!(
        place, "[0].references",
        "a box that cannot be read is not the whole bill"
    );
}

#[test]
fn move_hints() {
    let table = [
        (
            json!({ "isTransshipmentMove": true, "description": "Export" }),
            Some(MoveHint::Transshipment),
        ),
        (json!({ "isTransshipmentMove": false }), None),
        (json!({ "movementType": "IMPORT" }), Some(MoveHint::Import)),
        (
            json!({ "carrierSpecificData": { "transportationPhase": "Export" } }),
            Some(MoveHint::Export),
        ),
        (
            json!({ "carrierSpecificData": { "shipmentLocationType": "PTS" } }),
            Some(MoveHint::Transshipment),
        ),
        (
            json!({ "description": "Full Transshipment Positioned In" }),
            Some(MoveHint::Shifting),
        ),
        (
            json!({ "description": "Import Discharged from Vessel" }),
            Some(MoveHint::Import),
        ),
    ];
    for (change, hint) in table {
        assert_eq!(
            only(&with(sound_event(), change.clone())).move_hint,
            hint,
            "{change}"
        );
    }
}

#[test]
fn a_sentence_helps_only_where_the_code_does_not() {
    let missing = json!({ "equipmentEventTypeCode": "X9", "description": "Import to consignee",
        "emptyIndicatorCode": null });
    let report = only(&with(sound_event(), missing));
    assert_eq!(
        (report.verb, report.equipment.unwrap().laden),
        (Verb::GateOut, Some(true))
    );
    let clear = json!({ "description": "Empty received at CY" });
    assert_eq!(only(&with(sound_event(), clear)).verb, Verb::Load);
    let mode = |call: serde_json::Value| {
        let change = json!({ "description": "Export loaded on barge", "transportCall": call });
        only(&with(sound_event(), change)).leg.mode
    };
    assert_eq!(
        mode(json!({ "UNLocationCode": "DEHAM" })),
        Some(Mode::Barge)
    );
    assert_eq!(
        mode(json!({ "UNLocationCode": "DEHAM", "modeOfTransport": "RAIL" })),
        Some(Mode::Rail)
    );
    assert_eq!(
        mode(json!({ "UNLocationCode": "DEHAM", "modeOfTransport": "TRAIN" })),
        Some(Mode::Rail)
    );
}

#[test]
fn times() {
    let hamburg = [
        (
            "2026-03-08T02:40:00+01:00",
            "2026-03-08T01:40:00Z",
            ZoneSource::Offset,
            Precision::Minute,
        ),
        (
            "2026-03-08T02:40:00.123+0100",
            "2026-03-08T01:40:00.123Z",
            ZoneSource::Offset,
            Precision::Minute,
        ),
        (
            "2026-03-08t02:40z",
            "2026-03-08T02:40:00Z",
            ZoneSource::Utc,
            Precision::Minute,
        ),
        (
            "2026-03-08T02:40:00",
            "2026-03-08T01:40:00Z",
            ZoneSource::Location,
            Precision::Minute,
        ),
        (
            "2026 03 08 02:40:00",
            "2026-03-08T01:40:00Z",
            ZoneSource::Location,
            Precision::Minute,
        ),
        (
            "2026/03/08 02:40:00 +08:30",
            "2026-03-07T18:10:00Z",
            ZoneSource::Offset,
            Precision::Minute,
        ),
        (
            "20260308T024000",
            "2026-03-08T01:40:00Z",
            ZoneSource::Location,
            Precision::Minute,
        ),
        (
            "202603080240",
            "2026-03-08T01:40:00Z",
            ZoneSource::Location,
            Precision::Minute,
        ),
        (
            "2026-03-08T24:00:00+01:00",
            "2026-03-08T23:00:00Z",
            ZoneSource::Offset,
            Precision::Minute,
        ),
        (
            "2026-03-08 2:40 UTC",
            "2026-03-08T02:40:00Z",
            ZoneSource::Utc,
            Precision::Minute,
        ),
        (
            "2026-03-08",
            "2026-03-07T23:00:00Z",
            ZoneSource::Location,
            Precision::Day,
        ),
        (
            "20260308",
            "2026-03-07T23:00:00Z",
            ZoneSource::Location,
            Precision::Day,
        ),
        // The hour that summer time leaves out moves on; the one that comes twice is the first.
        (
            "2025-03-30T02:30:00",
            "2025-03-30T01:30:00Z",
            ZoneSource::Location,
            Precision::Minute,
        ),
        (
            "2025-10-26T02:30:00",
            "2025-10-26T00:30:00Z",
            ZoneSource::Location,
            Precision::Minute,
        ),
    ];
    for (text, at, zone, precision) in hamburg {
        let occurred = only(&with(sound_event(), json!({ "eventDateTime": text })))
            .occurred
            .unwrap();
        assert_eq!(occurred.at, at.parse().unwrap(), "{text}");
        assert_eq!(
            (occurred.zone_source, occurred.precision),
            (zone, precision),
            "{text}"
        );
    }
}

#[test]
fn a_name_of_five_capitals_is_no_code_beside_one() {
    let spoken = with(
        sound_event(),
        json!({ "eventLocation": { "locationName": "MIAMI" } }),
    );
    let place = only(&spoken).place;
    assert_eq!(place.locode.unwrap().as_str(), "DEHAM");
    let of_name = |name: &str| {
        let change = json!({
            "eventLocation": { "locationName": name },
            "transportCall": { "modeOfTransport": "VESSEL" },
        });
        let place = only(&with(sound_event(), change)).place;
        place.locode.map(|code| code.as_str().to_owned())
    };
    assert_eq!(of_name("MIAMI"), None);
    assert_eq!(of_name("USNYC").as_deref(), Some("USNYC"));
}

#[test]
fn times_that_are_none() {
    let cases = [
        json!(null),
        json!(""),
        json!("soon"),
        json!("08.03.2026 02:40"),
        json!("2026-13-01T00:00:00Z"),
        json!("2026-02-30T00:00:00Z"),
        json!("2026-03-08T25:00:00Z"),
        json!("1999-12-31T23:59:59Z"),
        json!("2028-03-15T12:00:01Z"),
        json!(1_772_934_000),
        json!(["2026-03-08"]),
        json!({}),
        json!("0001-01-01T00:00:00Z"),
        json!("9999-12-31T23:59:59Z"),
    ];
    for time in cases {
        let (place, reason) = refused(&with(sound_event(), json!({ "eventDateTime": time })));
        assert_eq!(place, "[0].eventDateTime", "{time}: {reason}");
    }
    for edge in ["2000-01-01T00:00:00Z", "2028-03-15T12:00:00Z"] {
        only(&with(sound_event(), json!({ "eventDateTime": edge })));
    }
}

#[test]
fn actuals_ahead_of_their_time_are_doubted() {
    let doubts = |time: &str, classifier: &str| {
        let change = json!({ "eventDateTime": time, "eventClassifierCode": classifier });
        only(&with(sound_event(), change)).doubts
    };
    assert_eq!(doubts("2026-03-15T12:00:00Z", "ACT"), []);
    assert_eq!(doubts("2026-03-16T12:00:00Z", "ACT"), [Doubt::InFuture]);
    assert_eq!(
        doubts("2026-03-16T12:00:01Z", "ACT"),
        [Doubt::DowngradedToEstimate]
    );
    assert_eq!(doubts("2026-04-16T12:00:01Z", "EST"), []);
}

#[test]
fn a_terminal_may_be_in_another_zone_than_its_port() {
    let here = json!({ "eventDateTime": "2026-03-08T02:40:00", "transportCall": { "UNLocationCode": "XXQQQ" } });
    let report = only(&with(sound_event(), here));
    assert_eq!(report.occurred.unwrap().zone_source, ZoneSource::Unknown);
    assert_eq!(report.doubts, [Doubt::PlaceUnknown, Doubt::ZoneUnknown]);
}

#[test]
fn quirks_change_the_reading() {
    let z_is_local = profile("[quirks]\nz_is_local = true");
    let z = with(
        sound_event(),
        json!({ "eventDateTime": "2026-03-08T02:40:00Z" }),
    );
    let occurred = only_as(&z_is_local, &z).occurred.unwrap();
    assert_eq!(occurred.at, "2026-03-08T01:40:00Z".parse().unwrap());
    assert_eq!(occurred.zone_source, ZoneSource::Location);

    let date_only = profile("[quirks]\ndate_only = true");
    let occurred = only_as(&date_only, &z).occurred.unwrap();
    assert_eq!(occurred.at, "2026-03-07T23:00:00Z".parse().unwrap());
    assert_eq!(
        (occurred.precision, occurred.local.to_string()),
        (Precision::Day, "2026-03-08T00:00:00".into())
    );

    let late = with(
        sound_event(),
        json!({ "eventDateTime": "2026-03-07T24:00:00+01:00" }),
    );
    let midnight_is_date = profile("[quirks]\nmidnight_is_date = true");
    for dates in [&date_only, &midnight_is_date] {
        let occurred = only_as(dates, &late).occurred.unwrap();
        let told = (occurred.precision, occurred.local.to_string());
        assert_eq!(told, (Precision::Day, "2026-03-07T00:00:00".into()));
    }

    let no_ids = profile("[quirks]\nids_unusable = true");
    assert_eq!(only_as(&no_ids, &z).source_event_id, None);
    assert_eq!(only(&z).source_event_id.as_deref(), Some("sound-1"));

    let copies = profile("[quirks]\ncreated_is_event = true");
    assert_eq!(only_as(&copies, &z).reported_at, None);
}

#[test]
fn an_id_counts_when_it_means_one_happening() {
    let load = sound_event();
    let discharge = with(sound_event(), json!({ "equipmentEventTypeCode": "DISC" }));
    let later = with(
        sound_event(),
        json!({ "eventDateTime": "2026-03-08T04:40:00+01:00" }),
    );
    let ids = |events: &[&serde_json::Value]| -> Vec<Option<String>> {
        let events: Vec<_> = events.iter().map(ToString::to_string).collect();
        let parsed = read(&format!("[{}]", events.join(",")));
        parsed
            .reports
            .into_iter()
            .map(|located| located.report.source_event_id)
            .collect()
    };
    assert_eq!(ids(&[&load, &discharge]), [None, None]);
    let same = Some("sound-1".to_owned());
    assert_eq!(
        ids(&[&load, &later]),
        [same.clone(), same.clone()],
        "a new time is a correction"
    );
    assert_eq!(ids(&[&load, &load]), [same.clone(), same]);
}

#[test]
fn what_cannot_be_used_is_refused_alone() {
    let cases = [
        (
            json!({ "equipmentReference": null }),
            "[0].equipmentReference",
        ),
        (
            json!({ "equipmentReference": null, "transportDocumentReference": "QSDL800200" }),
            "[0].equipmentReference",
        ),
        (
            json!({ "equipmentReference": "unknown" }),
            "[0].equipmentReference",
        ),
        (
            json!({ "eventClassifierCode": null }),
            "[0].eventClassifierCode",
        ),
        (
            json!({ "eventClassifierCode": "REQ" }),
            "[0].eventClassifierCode",
        ),
    ];
    for (change, place) in cases {
        let event = with(sound_event(), change.clone());
        let parsed = read(&format!("[{},{event},{}]", sound_event(), sound_event()));
        assert_eq!(parsed.reports.len(), 2, "{change}");
        assert_eq!(
            parsed.defects[0].place,
            place.replace("[0]", "[1]"),
            "{change}: {:?}",
            parsed.defects
        );
        assert_eq!(parsed.defects.len(), 1);
    }
    let bare = json!({ "eventType": "TRANSPORT", "transportEventTypeCode": "ARRI", "eventClassifierCode": "ACT",
        "eventDateTime": "2026-03-08T02:40:00Z", "transportCall": { "UNLocationCode": "DEHAM" } });
    assert_eq!(refused(&bare).0, "[0]");
}

#[test]
fn events_are_found_wherever_they_are() {
    let event = sound_event();
    let table = [
        (format!("[{event}]"), "[0]"),
        (format!("{event}"), ""),
        (format!("{{\"events\":[{event}]}}"), "events[0]"),
        (
            format!("{{\"data\":{{\"list\":[{event}]}}}}"),
            "data.list[0]",
        ),
        (format!("[[{event}]]"), "[0][0]"),
        (
            format!("{{\"payload2\":[[{{\"inner\":{event}}}]]}}"),
            "payload2[0][0].inner",
        ),
        (format!("\u{feff}[{event}]"), "[0]"),
    ];
    for (message, position) in table {
        let parsed = read(&message);
        assert_eq!(parsed.defects, [], "{message}");
        assert!(!parsed.envelope_broken);
        assert_eq!(parsed.reports[0].position, position);
        assert_eq!(parsed.reports[0].report, only(&event));
    }
}

#[test]
fn messages_without_events() {
    for empty in ["[]", "{\"events\":[]}", " [ ] "] {
        let parsed = read(empty);
        assert_eq!(
            (parsed.reports.len(), parsed.defects.len()),
            (0, 0),
            "{empty}: {parsed:?}"
        );
    }
    let table = [
        ("{}", "the message"),
        ("[{}]", "[0]"),
        ("[null, 7, \"x\", true]", "[0]"),
        (
            "{\"statusCode\":500,\"errors\":[{\"reason\":\"none\"}]}",
            "the message",
        ),
        ("null", "the message"),
    ];
    for (message, place) in table {
        let parsed = read(message);
        assert!(
            parsed.reports.is_empty() && !parsed.envelope_broken,
            "{message}"
        );
        assert_eq!(parsed.defects[0].place, place, "{message}");
    }
    for broken in ["", "<html>busy</html>", "[", "{\"events\":"] {
        let parsed = read(broken);
        assert!(parsed.envelope_broken, "{broken}");
        assert_eq!(parsed.defects.len(), 1, "{broken}: {:?}", parsed.defects);
        assert!(
            parsed.defects[0].place.starts_with("line 1 column"),
            "{broken}: {:?}",
            parsed.defects
        );
    }
}

#[test]
fn null_everywhere_is_as_if_missing() {
    let mut event = sound_event();
    let names = [
        "seals",
        "references",
        "documentReferences",
        "eventLocation",
        "description",
        "reason",
        "documentID",
        "isTransshipmentMove",
        "carrierSpecificData",
        "ISOEquipmentCode",
    ];
    for name in names {
        event[name] = json!(null);
    }
    assert_eq!(only(&event), only(&sound_event()));
    for name in names {
        for odd in [
            json!(7),
            json!([]),
            json!({}),
            json!([[null]]),
            json!([{}]),
            json!(true),
        ] {
            let event = with(sound_event(), json!({ name: odd }));
            let report = only(&event);
            assert_eq!(
                (report.verb, report.occurred),
                (Verb::Load, only(&sound_event()).occurred),
                "{event}"
            );
        }
    }
}

#[test]
fn zero_bytes_and_endless_texts_do_not_get_through() {
    let change = json!({ "transportCall": { "UNLocationCode": "DEHAM", "modeOfTransport": "VESSEL",
        "vessel": { "vesselName": format!("A\u{0}B{}", "x".repeat(2000)) } } });
    let name = only(&with(sound_event(), change)).leg.vessel_name.unwrap();
    assert!(
        name.starts_with("ABxxx") && name.chars().count() == 255,
        "{name}"
    );
}

#[test]
fn an_old_code_page_costs_a_letter_not_the_message() {
    let event = sound_event()
        .to_string()
        .replace("Quiet Harbour", "Hafen M\u{1}nchen");
    let bytes: Vec<u8> = format!("[{event}]")
        .bytes()
        .map(|b| if b == 1 { 0xfc } else { b })
        .collect();
    let gazetteer = crate::told::gazetteer();
    let parsed =
        sources::ocean::parse(&profile(""), &bytes, crate::told::received_at(), &gazetteer);
    assert_eq!(
        (parsed.reports.len(), parsed.defects.len()),
        (1, 1),
        "{parsed:?}"
    );
    assert!(parsed.defects[0].place.starts_with("byte "));
    assert!(!parsed.envelope_broken);
}

#[test]
fn the_same_message_gives_the_same_reading() {
    let message = fixture("accents.json");
    let profile = profile("");
    assert_eq!(read_as(&profile, &message), read_as(&profile, &message));
}
