//! Events that name nothing: whose they are is known by how the message came, and by what else is in it.

use domain::codes::ContainerNumber;
use domain::report::Report;
use serde_json::{Value, json};
use sources::ocean::parse_as;
use sources::{Parsed, Profile, Told};

use crate::told::{PROFILE, gazetteer, profile, read, received_at, sound_event, with};

const ONE: &str = "QSDU1000014";
const TWO: &str = "QSDU1000020";

/// The ship's departure, of which nobody says whose goods it has.
fn departure() -> Value {
    json!({ "eventType": "TRANSPORT", "transportEventTypeCode": "DEPA", "eventClassifierCode": "ACT",
        "eventDateTime": "2026-03-09T01:00:00+01:00", "transportCall": { "modeOfTransport": "VESSEL",
        "UNLocationCode": "DEHAM", "vessel": { "vesselName": "Quiet Harbour" } } })
}

/// A load that names this box, and these papers.
fn load(number: &str, papers: &[(&str, &str)]) -> Value {
    let papers: Vec<Value> = papers
        .iter()
        .map(|(kind, number)| json!({ "documentReferenceType": kind, "documentReferenceValue": number }))
        .collect();
    let id = format!("load-{number}-{}", papers.len());
    with(
        sound_event(),
        json!({ "eventID": id, "equipmentReference": number, "documentReferences": papers }),
    )
}

fn confirmed(booking: Option<&str>) -> Value {
    json!({ "eventType": "SHIPMENT", "shipmentEventTypeCode": "CONF", "eventClassifierCode": "ACT",
        "eventDateTime": "2026-03-01T01:00:00+01:00", "documentTypeCode": "BKG", "documentID": booking })
}

fn answer(events: &[Value]) -> Parsed {
    let message = json!(events).to_string();
    let told = Told::InAnswer;
    parse_as(
        told,
        &profile(""),
        message.as_bytes(),
        received_at(),
        &gazetteer(),
    )
}

fn unasked(events: &[Value]) -> Parsed {
    read(&json!(events).to_string())
}

/// What is claimed of the departure that stands last.
fn last(parsed: &Parsed) -> &Report {
    assert_eq!(parsed.defects, []);
    &parsed.reports.last().unwrap().report
}

/// Its box, bill and booking.
fn about(report: &Report) -> (Option<ContainerNumber>, Option<&str>, Option<&str>) {
    let number = report.equipment.as_ref().map(|equipment| equipment.number);
    let references = &report.references;
    assert!(references.bills.len() < 2 && references.bookings.len() < 2);
    (
        number,
        references.bills.first().map(String::as_str),
        references.bookings.first().map(String::as_str),
    )
}

fn box_of(number: &str) -> ContainerNumber {
    ContainerNumber::parse(number).unwrap()
}

#[test]
fn in_an_answer_it_is_about_what_was_asked() {
    let cases = [
        vec![departure()],
        vec![load(ONE, &[]), departure()],
        vec![load(ONE, &[]), load(TWO, &[]), departure()],
        vec![
            load(ONE, &[("TRD", "QSDL1")]),
            load(TWO, &[("TRD", "QSDL2")]),
            departure(),
        ],
        vec![load("a box", &[]), departure()],
    ];
    for events in cases {
        let parsed = answer(&events);
        let report = &parsed.reports.last().unwrap().report;
        assert_eq!(report.original, "TRANSPORT/DEPA");
        assert_eq!(about(report), (None, None, None), "{events:?}");
    }
    let parsed = answer(&[confirmed(None)]);
    assert_eq!(about(last(&parsed)), (None, None, None));
}

/// Else the claim of today would be another than that of yesterday, when the booking had one box.
#[test]
fn an_answer_that_names_a_second_box_says_the_same_of_the_ship() {
    let before = answer(&[load(ONE, &[]), departure()]);
    let after = answer(&[load(ONE, &[]), load(TWO, &[]), departure()]);
    assert_eq!(last(&before), last(&after));
}

#[test]
fn what_happened_to_a_box_is_not_told_without_the_box_in_an_answer_either() {
    let nameless = with(sound_event(), json!({ "equipmentReference": null }));
    let unknown = with(departure(), json!({ "eventType": "WEATHER" }));
    for event in [
        nameless,
        with(unknown, json!({ "transportEventTypeCode": null })),
    ] {
        let parsed = answer(&[load(ONE, &[]), event.clone()]);
        assert_eq!(
            (parsed.reports.len(), parsed.defects.len()),
            (1, 1),
            "{event}"
        );
    }
}

#[test]
fn unasked_it_is_nobodys() {
    let other = json!({ "references": [{ "referenceType": "PO", "referenceValue": "4500-17" }] });
    let mut of_two = load(ONE, &[]);
    of_two["equipmentReference"] = json!(null);
    of_two["eventType"] = json!("TRANSPORT");
    of_two["transportEventTypeCode"] = json!("ARRI");
    of_two["references"] = json!([{ "referenceType": "EQ", "referenceValue": ONE },
        { "referenceType": "EQ", "referenceValue": "a box" }]);
    let cases = [
        vec![],
        vec![load(ONE, &[]), load(TWO, &[])],
        vec![
            load(ONE, &[("TRD", "QSDL1")]),
            load(TWO, &[("TRD", "QSDL2")]),
        ],
        // The box of one and the bill of another.
        vec![load(ONE, &[]), confirmed(Some("QSDB1"))],
        vec![load(ONE, &[]), with(departure(), other)],
        vec![load(ONE, &[]), load("a box", &[])],
        vec![of_two],
        // All on one booking, and a second bill.
        vec![
            load(ONE, &[("TRD", "QSDL1"), ("BKG", "QSDB1")]),
            load(TWO, &[("TRD", "QSDL2"), ("BKG", "QSDB1")]),
        ],
        // A second box that is named in an event which cannot be used.
        vec![
            load(ONE, &[]),
            with(load(TWO, &[]), json!({ "eventDateTime": null })),
        ],
        vec![
            load(ONE, &[]),
            with(load(TWO, &[]), json!({ "eventClassifierCode": null })),
        ],
    ];
    for mut events in cases {
        for at in [0, events.len()] {
            events.insert(at, departure());
            let parsed = unasked(&events);
            let place = format!("[{at}]");
            let mut refused = parsed.defects.iter().filter(|defect| defect.place == place);
            assert!(
                refused.any(|defect| defect.reason.contains("names no box")),
                "{events:?}: {:?}",
                parsed.defects
            );
            events.remove(at);
        }
    }
}

#[test]
fn unasked_it_is_about_the_one_thing_that_all_else_names() {
    let bill = ("TRD", "QSDL1");
    let booking = ("BKG", "QSDB1");
    let cases = [
        (vec![load(ONE, &[])], (Some(box_of(ONE)), None, None)),
        (
            vec![load(ONE, &[bill, booking])],
            (Some(box_of(ONE)), Some("QSDL1"), Some("QSDB1")),
        ),
        // The box that goes on two trips, be it under two bills.
        (
            vec![load(ONE, &[bill]), load(ONE, &[("TRD", "QSDL2"), booking])],
            (Some(box_of(ONE)), None, None),
        ),
        (
            vec![load(ONE, &[bill, booking]), load(TWO, &[bill])],
            (None, Some("QSDL1"), None),
        ),
        (
            vec![load(ONE, &[booking]), confirmed(Some("QSDB1"))],
            (None, None, Some("QSDB1")),
        ),
        // What was refused for its time alone names the same.
        (
            vec![
                load(ONE, &[]),
                with(load(ONE, &[]), json!({ "eventDateTime": null })),
            ],
            (Some(box_of(ONE)), None, None),
        ),
    ];
    for (events, expected) in cases {
        for at in [0, events.len()] {
            let mut events = events.clone();
            events.insert(at, departure());
            let parsed = unasked(&events);
            let place = format!("[{at}]");
            let told = parsed
                .reports
                .iter()
                .find(|located| located.position == place);
            assert_eq!(about(&told.unwrap().report), expected, "{events:?}");
        }
    }
}

/// A call of another ship is not the box's own word: its line may have planned it otherwise, or speak of another booking.
#[test]
fn unasked_a_box_is_lent_the_calls_of_its_own_ships_only() {
    let ship = |event: Value, name: &str| {
        let mut event = event;
        event["transportCall"]["vessel"] = json!({ "vesselName": name });
        event
    };
    let planned = |event: Value, id: &str| {
        with(
            event,
            json!({ "eventClassifierCode": "PLN", "eventID": id, "eventDateTime": "2026-03-16T01:00:00+01:00" }),
        )
    };
    let lifted = |name: &str| ship(load(ONE, &[]), name);
    let expected = |name: &str| planned(lifted(name), name);
    let left = |name: &str| ship(departure(), name);
    let leaves = |name: &str| with(left(name), json!({ "eventClassifierCode": "EST" }));
    let papers = |name: &str| ship(load(ONE, &[("BKG", "QSDB1")]), name);
    let cases = [
        (vec![lifted("Quiet Harbour")], left("Quiet Harbour"), true),
        (vec![expected("Quiet Harbour")], left("Quiet Harbour"), true),
        (vec![expected("Quiet Harbour")], left("Early Tide"), false),
        // To go with one, then with the other: neither is known to have it.
        (
            vec![expected("Early Tide"), expected("Quiet Harbour")],
            left("Early Tide"),
            false,
        ),
        (
            vec![expected("Early Tide"), expected("Quiet Harbour")],
            leaves("Early Tide"),
            true,
        ),
        (
            vec![lifted("Early Tide"), expected("Quiet Harbour")],
            left("Early Tide"),
            true,
        ),
        (
            vec![lifted("Early Tide"), expected("Quiet Harbour")],
            left("Quiet Harbour"),
            false,
        ),
    ];
    for (own, call, is_its) in cases {
        let mut events = own.clone();
        events.insert(0, call.clone());
        let parsed = unasked(&events);
        assert_eq!(
            parsed.reports.len(),
            own.len() + usize::from(is_its),
            "{own:?} {call}"
        );
        assert_eq!(parsed.defects.len(), usize::from(!is_its), "{own:?} {call}");
    }
    // Where nothing tells of a ship beside the box, any call may be its own.
    let mut plain = load(ONE, &[]);
    plain["transportCall"]["vessel"] = json!(null);
    assert_eq!(unasked(&[plain, left("Early Tide")]).reports.len(), 2);
    let mut of_none = departure();
    of_none["transportCall"]["vessel"] = json!(null);
    assert_eq!(
        unasked(&[lifted("Quiet Harbour"), of_none]).defects.len(),
        1
    );
    // Of the papers' ship, whichever it is, the ship's word is told and not the box's.
    let parsed = unasked(&[papers("Quiet Harbour"), left("Early Tide")]);
    assert_eq!(about(last(&parsed)), (None, None, Some("QSDB1")));
}

/// A paper is the bill's: the one box that is on it does not make it known.
#[test]
fn unasked_a_paper_without_a_number_is_that_of_the_papers_all_else_names() {
    let parsed = unasked(&[load(ONE, &[("BKG", "QSDB1")]), confirmed(None)]);
    assert_eq!(about(last(&parsed)), (None, None, Some("QSDB1")));
    let parsed = unasked(&[load(ONE, &[]), confirmed(None)]);
    assert_eq!((parsed.reports.len(), parsed.defects.len()), (1, 1));
}

/// Behind the damage may stand whatever else it was about.
#[test]
fn in_a_damaged_message_it_is_nobodys() {
    let message = format!("[{},{},", load(ONE, &[]), departure());
    let parsed = read(&message);
    assert_eq!(parsed.reports.len(), 1);
    assert!(parsed.envelope_broken && parsed.defects.iter().any(|d| d.place == "[1]"));
}

#[test]
fn a_long_message_is_read_alike() {
    let mut events: Vec<Value> = (0..1_000)
        .map(|number| with(load(ONE, &[]), json!({ "eventID": format!("e-{number}") })))
        .collect();
    events.insert(0, departure());
    for (other, reports) in [(ONE, 1_002), (TWO, 1_001)] {
        events.push(load(other, &[]));
        let message = json!(events).to_string();
        let profile = Profile::parse(PROFILE).unwrap();
        let mut parts = Parsed::default();
        let told = Told::Unasked;
        profile.read_in_parts(
            told,
            message.as_bytes(),
            received_at(),
            &gazetteer(),
            &mut |part| {
                parts.reports.extend(part.reports);
                parts.defects.extend(part.defects);
            },
        );
        let whole = unasked(&events);
        assert!(message.len() > 300_000 && parts.reports == whole.reports);
        assert_eq!(
            (parts.defects, whole.reports.len()),
            (whole.defects, reports)
        );
        events.pop();
    }
}

#[test]
fn the_papers_of_a_shipment_are_those_of_the_events_beside_it() {
    let shipment =
        json!({ "eventID": "s-1", "carrierBookingReference": "QSDB1", "carrierID": "QSDU" });
    let transport =
        json!({ "eventID": "s-1", "modeOfTransportCode": "Vessel", "vesselImoNumber": "9401001" });
    let events = json!([departure()]);
    for message in [
        json!({ "shipment": shipment, "transport": transport, "transportEvent": events }),
        json!({ "transportEvent": events, "Shipment": shipment, "equipment": { "ISOEquipmentCode": "45G1" } }),
    ] {
        let parsed = read(&message.to_string());
        assert_eq!(
            about(last(&parsed)),
            (None, None, Some("QSDB1")),
            "{message}"
        );
        assert_eq!(parsed.reports.len(), 1);
    }
    let own = json!({ "shipment": shipment, "carrierBookingReference": "QSDB2", "transportEvent": events });
    assert_eq!(
        about(last(&read(&own.to_string()))),
        (None, None, Some("QSDB2"))
    );
    let holds = json!({ "shipment": { "eventID": "s-1", "equipmentEvent": [sound_event()] }, "transportEvent": [] });
    assert_eq!(read(&holds.to_string()).reports.len(), 1);
    let legs = json!({ "shipment": { "shipmentID": "s-1", "carrierBookingReference": "QSDB1",
        "legs": [with(departure(), json!({ "eventID": "leg-1" }))] }, "equipmentEvents": [sound_event()] });
    let parsed = read(&legs.to_string());
    let told: Vec<_> = parsed
        .reports
        .iter()
        .map(|located| about(&located.report))
        .collect();
    assert_eq!(told.len(), 2, "{:?}", parsed.defects);
    let broken = json!({ "shipment": with(confirmed(Some("QSDB1")), json!({ "eventDateTime": null })),
        "transportEvent": [] });
    assert_eq!(
        read(&broken.to_string()).defects[0].place,
        "shipment.eventDateTime"
    );
}
