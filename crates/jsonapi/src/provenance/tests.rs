//! The object fits its declaration, and is bounded.

use domain::codes::ContainerNumber;
use domain::place::Gazetteer;
use domain::report::{
    Classifier, Equipment, Leg, Mode, Occurred, Place, Precision, References, SourceKind, Value,
    Verb, ZoneSource,
};
use domain::timeline::provenance;
use domain::trust::Trust;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;

use super::*;
use crate::resource::tests::fits;

fn number() -> ContainerNumber {
    ContainerNumber::parse("CSQU3054383").unwrap()
}

fn said(verb: Verb, minute: i64, value: Option<Value>) -> Report {
    let at = Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minute);
    Report {
        source: "yard".into(),
        source_kind: SourceKind::TerminalApi,
        source_event_id: (verb == Verb::Discharge).then(|| "d".into()),
        retracts: None,
        reported_at: Some(at),
        received_at: at,
        verb,
        classifier: Classifier::Actual,
        occurred: Some(Occurred {
            at,
            local: at.to_zoned(jiff::tz::TimeZone::UTC).datetime(),
            zone_source: ZoneSource::Utc,
            precision: Precision::Minute,
        }),
        equipment: Some(Equipment {
            number: number(),
            iso_type: Some("22G1".into()),
            laden: Some(true),
            seals: vec![format!("S{minute}")],
            gross_kg: Some(20_000.into()),
        }),
        place: Place::default(),
        leg: Leg {
            mode: Some(Mode::Vessel),
            ..Leg::default()
        },
        move_hint: None,
        references: References::default(),
        original: format!("{verb:?}"),
        value,
        doubts: Vec::new(),
        position: None,
    }
}

fn told(reports: &[Report]) -> Json {
    let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(400);
    let gazetteer = Gazetteer::default();
    let (state, provenance) = provenance(number(), reports, &gazetteer, Trust::USUAL, now);
    let slots = state
        .milestones
        .iter()
        .map(|m| Subject::Milestone(m.slot.clone()));
    let events: Vec<(EventId, Subject)> = slots
        .map(|subject| (EventId(uuid::Uuid::nil()), subject))
        .collect();
    let text = render(&View {
        provenance: &provenance,
        state: &state,
        kept: &HashMap::new(),
        events: &events,
        whole: true,
    });
    let value: Json = serde_json::from_str(&text).unwrap();
    assert!(fits(&Shape::Object(MEMBERS), &value), "{value:#}");
    value
}

#[test]
fn a_feed_that_repeats_itself_is_cut_and_counted() {
    let again = |minute| said(Verb::Discharge, minute, None);
    let reports: Vec<Report> = (0..200).map(again).collect();
    let value = told(&reports);
    let discharged = &value["attributes"]["pod_discharged_at"];
    assert_eq!(discharged["basis"], "corrected");
    assert_eq!(discharged["standing"][0]["value"], "1970-01-01T03:19:00Z");
    assert_eq!(discharged["others"].as_array().unwrap().len(), OTHERS_MAX);
    assert_eq!(discharged["others_left_out"], 199 - OTHERS_MAX);
    assert_eq!(discharged["others"][0]["value"], "1970-01-01T03:18:00Z");
    assert!(value.to_string().len() < 64 * 1024);
}

#[test]
fn a_story_of_every_value_fits_its_declaration() {
    let day = domain::container::LastFreeDay {
        date: "1970-01-09".parse().unwrap(),
        zone: None,
    };
    let value = told(&[
        said(Verb::Discharge, 1, None),
        said(Verb::Available, 2, None),
        said(
            Verb::LastFreeDay,
            3,
            Some(Value::LastFreeDay(LfdOwner::Terminal, day)),
        ),
        said(Verb::Document, 4, Some(Value::YardLocation("C12".into()))),
        said(Verb::HoldSet, 5, Some(Value::Holds(Vec::new()))),
        said(Verb::Fee, 6, Some(Value::Fees(Vec::new()))),
    ]);
    let attributes = value["attributes"].as_object().unwrap();
    for name in [
        "pod_discharged_at",
        "current_status",
        "equipment_type",
        "weight_in_lbs",
        "seal_number",
        "available_for_pickup",
        "holds_at_pod_terminal",
        "fees_at_pod_terminal",
        "pickup_lfd",
        "import_deadlines.pickup_lfd_terminal",
        "location_at_pod_terminal",
        "terminal_checked_at",
    ] {
        assert!(attributes.contains_key(name), "{name}: {value:#}");
    }
    assert_eq!(attributes["available_for_pickup"]["stale"], true);
    assert_eq!(attributes["pod_discharged_at"]["stale"], false);
    assert_eq!(value["transport_events"].as_object().unwrap().len(), 1);
}
