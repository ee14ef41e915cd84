//! Each type once with everything filled and once with nothing known. The snapshots show the text as it is
//! stored; `check` compares it with what the type declares.

use domain::codes::{
    ContainerNumber, EquipmentHeight, EquipmentType, ImoNumber, Scac, SizeType, UnLocode,
};
use domain::container::{
    ContainerState, CurrentStatus, Estimate, Fee, FeeKind, Hold, HoldName, HoldStatus, LastFreeDay,
    LfdOwner, Milestone, Pickup, Rail, Slot, Vessel,
};
use domain::event::{Attribute as Changed, EventName};
use domain::ids::{ContainerId, ShipmentId, WebhookId};
use domain::journey::Journey;
use domain::place::{Gazetteer, Inside, Port, Terminal, TerminalKind};
use domain::report::{
    Classifier, Equipment, Leg, Mode, MoveHint, Occurred, Place, Precision, References, Report,
    SourceKind, Verb, ZoneSource,
};
use domain::shipment::ShipmentState;
use domain::shipping_line::ShippingLine;
use domain::tracking_request::{FailedReason, NumberKind, Progress, RequestStatus};
use domain::webhook::DeliveryStatus;
use jiff::Timestamp;
use serde_json::Value as Json;

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn locode(code: &str) -> UnLocode {
    UnLocode::parse(code).unwrap()
}

fn id<I: From<uuid::Uuid>>(number: u128) -> I {
    I::from(uuid::Uuid::from_u128(
        0x0190_0000_0000_7000_8000_0000_0000_0000 | number,
    ))
}

fn port(code: &str, name: &str, zone: &str) -> Port {
    Port {
        locode: locode(code),
        name: name.into(),
        state: (code == "USCHI").then(|| "IL".into()),
        coordinates: Some((33.75, -118.25)),
        zone: zone.into(),
        canonical: locode(code),
        metro_area: (code == "USCHI").then(|| locode(code)),
        inland: false,
        towns: Vec::new(),
    }
}

fn facility(code: &str, at: &str, kind: TerminalKind) -> Terminal {
    Terminal {
        code: code.into(),
        name: format!("Terminal {code}"),
        nickname: code.into(),
        port: locode(at),
        kind,
        firms_code: Some("Z999".into()),
        smdg_code: Some("TST".into()),
        bic_facility_code: None,
        zone: "America/Los_Angeles".into(),
        city: Some("Harbour".into()),
        state: Some("CA".into()),
    }
}

fn gazetteer() -> Gazetteer {
    Gazetteer::new(
        [
            port("CNSHA", "Shanghai", "Asia/Shanghai"),
            port("USLAX", "Los Angeles", "America/Los_Angeles"),
            port("USCHI", "Chicago", "America/Chicago"),
        ],
        [
            facility("USLAX-TST", "USLAX", TerminalKind::Ocean),
            facility("USCHI-R1", "USCHI", TerminalKind::Rail),
        ],
    )
}

fn vessel() -> Vessel {
    Vessel {
        imo: ImoNumber::parse("9321483"),
        name: Some("QUAY STAR".into()),
    }
}

fn milestone(event: EventName, place: &str, when: &str) -> Milestone {
    Milestone {
        slot: Slot {
            event,
            place: Some(locode(place)),
            leg: String::new(),
            occurrence: 0,
        },
        at: at(when),
        precision: Precision::Minute,
        zone: Some("America/Chicago".into()),
        locode: Some(locode(place)),
        terminal: None,
        vessel: None,
        voyage: None,
        source: SourceKind::Dcsa2,
        value: None,
    }
}

fn day(date: &str) -> LastFreeDay {
    LastFreeDay {
        date: date.parse().unwrap(),
        zone: Some("America/Chicago".into()),
    }
}

/// A box by rail to Chicago, everything told.
fn inland_box() -> ContainerState {
    use EventName as E;
    ContainerState {
        journey: Journey {
            port_of_lading: Some(locode("CNSHA")),
            port_of_discharge: Some(locode("USLAX")),
            destination: Some(locode("USCHI")),
            destination_terminal: Some("USCHI-R1".into()),
            pod_vessel: Some(vessel()),
            ..Journey::default()
        },
        milestones: vec![
            milestone(E::EmptyOut, "CNSHA", "2026-01-01T01:00:00Z"),
            milestone(E::RailLoaded, "CNSHA", "2026-01-01T12:00:00Z"),
            milestone(E::FullIn, "CNSHA", "2026-01-02T01:00:00Z"),
            milestone(E::VesselLoaded, "CNSHA", "2026-01-03T01:00:00Z"),
            milestone(E::VesselDeparted, "CNSHA", "2026-01-04T01:00:00.987654Z"),
            milestone(E::VesselArrived, "USLAX", "2026-01-20T01:00:00Z"),
            milestone(E::VesselDischarged, "USLAX", "2026-01-21T01:00:00Z"),
            milestone(E::RailLoaded, "USLAX", "2026-01-22T01:00:00Z"),
            milestone(E::RailDeparted, "USLAX", "2026-01-22T05:00:00Z"),
            milestone(
                E::ArrivedAtInlandDestination,
                "USCHI",
                "2026-01-26T01:00:00Z",
            ),
            milestone(E::RailUnloaded, "USCHI", "2026-01-26T05:00:00Z"),
            milestone(E::FullOut, "USCHI", "2026-01-27T01:00:00Z"),
            milestone(E::Delivered, "USCHI", "2026-01-27T09:00:00Z"),
            milestone(E::EmptyIn, "USCHI", "2026-01-29T01:00:00Z"),
        ],
        estimates: vec![Estimate {
            event: E::EstimatedArrivedAtInlandDestination,
            at: at("2026-01-25T01:00:00Z"),
            zone: None,
            locode: None,
            vessel: None,
            voyage: None,
            source: SourceKind::Dcsa2,
        }],
        status: CurrentStatus::EmptyReturned,
        size_type: SizeType {
            equipment_type: Some(EquipmentType::OpenTop),
            length_ft: Some(40),
            height: Some(EquipmentHeight::HighCube),
        },
        gross_kg: Some("10000.5".parse().unwrap()),
        seals: vec!["SEAL1".into(), "SEAL2".into()],
        pickup: Pickup {
            pod_terminal: Some("USLAX-TST".into()),
            available: Some(true),
            holds: vec![Hold {
                name: HoldName::Usda,
                status: HoldStatus::Pending,
                description: Some("AG \"X\"".into()),
            }],
            fees: vec![
                fee(FeeKind::Demurrage, Some("125.50")),
                fee(FeeKind::Total, None),
            ],
            lfd_line: None,
            lfd_terminal: Some(day("2026-02-26")),
            lfd_rail: Some(day("2026-02-25")),
            appointment: Some(at("2026-01-27T00:30:00Z")),
            yard_location: Some("B12".into()),
            chassis: Some("DCLZ400123".into()),
            terminal_checked_at: Some(at("2026-01-27T00:00:00Z")),
        },
        rail: Rail {
            pod_carrier: Scac::parse("UPRR").ok(),
            inland_carrier: Scac::parse("BNSF").ok(),
            heard_at: Some(at("2026-01-26T06:00:00Z")),
            holds: Vec::new(),
            fees: vec![fee(FeeKind::Demurrage, Some("80"))],
        },
        ..unknown_box()
    }
}

fn fee(kind: FeeKind, amount: Option<&str>) -> Fee {
    Fee {
        kind,
        amount: amount.map(|amount| amount.parse().unwrap()),
        currency: "USD".into(),
    }
}

fn unknown_box() -> ContainerState {
    ContainerState::unknown(ContainerNumber::parse("CSQU3054383").unwrap())
}

fn box_text(state: &ContainerState) -> String {
    container::render(&container::View {
        id: id(1),
        shipment: id(2),
        state,
        ref_numbers: &["PO 7".into()],
        created_at: at("2026-01-01T00:00:00.5Z"),
        updated_at: at("2026-01-30T00:00:00Z"),
        version: 7,
        line_checked_at: Some(at("2026-01-30T00:00:00Z")),
        transport_events: &[id(11), id(12)],
        raw_events: &[id(21)],
        customer: Some(id(31)),
        custom_fields: &[id(41), id(42)],
        gazetteer: &gazetteer(),
    })
}

/// Pretty for people, after a comparison of the text with what its type declares.
pub(crate) fn check(kind: &Type, text: &str) -> String {
    let value: Json = serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert_eq!(value["type"], kind.name);
    let order = |part: &str, names: Vec<&str>| {
        let at = text.find(&format!("\"{part}\":{{")).unwrap();
        let mut rest = &text[at..];
        for name in &names {
            let key = format!("\"{name}\":");
            let found = rest.find(&key);
            rest =
                &rest[found.unwrap_or_else(|| panic!("{part}: {name} is not there, in order"))..];
        }
        let written = value[part].as_object().unwrap();
        assert_eq!(
            written.len(),
            names.len(),
            "{}: {part} written but not declared",
            kind.name
        );
    };
    order(
        "attributes",
        kind.attributes.iter().map(|a| a.name).collect(),
    );
    order(
        "relationships",
        kind.relationships.iter().map(|r| r.name).collect(),
    );
    for attribute in kind.attributes {
        let given = &value["attributes"][attribute.name];
        assert!(
            attribute.nullable || !given.is_null(),
            "{}.{}",
            kind.name,
            attribute.name
        );
        assert!(
            given.is_null() || fits(&attribute.shape, given),
            "{attribute:?} {given}"
        );
    }
    for relationship in kind.relationships {
        let data = &value["relationships"][relationship.name]["data"];
        assert_eq!(data.is_array(), relationship.many, "{}", relationship.name);
        let links = data
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![data.clone()]);
        for link in links.iter().filter(|link| !link.is_null()) {
            let target = link["type"].as_str().unwrap();
            assert!(
                relationship.targets.contains(&target),
                "{} → {target}",
                relationship.name
            );
        }
    }
    assert_eq!(
        value["links"]["self"].is_string(),
        kind.collection.is_some()
    );
    assert_eq!(value["meta"]["version"].is_i64(), kind.versioned);
    serde_json::to_string_pretty(&value).unwrap()
}

pub(crate) fn fits(shape: &crate::schema::Shape, value: &Json) -> bool {
    use crate::schema::Shape as S;
    let text = value.as_str();
    match shape {
        S::Text | S::Zone | S::Url => text.is_some(),
        S::Moment => text.is_some_and(|t| t.len() == 20 && t.ends_with('Z') && t.contains('T')),
        S::Date => text.is_some_and(|t| t.parse::<jiff::civil::Date>().is_ok()),
        S::Id => text.is_some_and(|t| t.parse::<uuid::Uuid>().is_ok()),
        S::Integer => value.is_i64() || value.is_u64(),
        S::Number => value.is_number(),
        S::Boolean => value.is_boolean(),
        S::OneOf(words) => text.is_some_and(|t| words().contains(&t)),
        S::Texts | S::TextsOrNulls | S::Words(_) => value
            .as_array()
            .is_some_and(|l| l.iter().all(Json::is_string)),
        S::Object(members) => {
            let there = |m: &crate::schema::Attribute| m.optional || value.get(m.name).is_some();
            value.is_object() && members.iter().all(there)
        }
        S::Objects(members) => value
            .as_array()
            .is_some_and(|l| l.iter().all(|v| fits(&S::Object(members), v))),
        S::Keyed(members) => value
            .as_object()
            .is_some_and(|o| o.values().all(|v| fits(&S::Object(members), v))),
        S::Any => true,
        S::Changeset => value.as_object().is_some_and(|o| {
            o.values()
                .all(|pair| pair.as_array().is_some_and(|p| p.len() == 2))
        }),
    }
}

#[test]
fn a_box_inland() {
    insta::assert_snapshot!(check(&container::TYPE, &box_text(&inland_box())));
}

#[test]
fn a_box_nothing_is_known_about() {
    insta::assert_snapshot!(check(&container::TYPE, &box_text(&unknown_box())));
}

#[test]
fn the_full_box_leaves_from_one_place() {
    let out = |state: &ContainerState| {
        let told: Json = serde_json::from_str(&box_text(state)).unwrap();
        let of = |name: &str| told["attributes"][name].is_string();
        (of("pod_full_out_at"), of("final_destination_full_out_at"))
    };
    assert_eq!(out(&inland_box()), (false, true));
    let mut to_port = inland_box();
    to_port.journey.destination = None;
    assert_eq!(out(&to_port), (true, false));
    let mut collected_early = inland_box();
    collected_early
        .milestones
        .retain(|m| m.slot.event != EventName::FullOut);
    assert_eq!(out(&collected_early), (false, false));
    collected_early.milestones.push(milestone(
        EventName::FullOut,
        "USLAX",
        "2026-01-23T01:00:00Z",
    ));
    assert_eq!(out(&collected_early), (true, false));
}

fn shipment_text(state: &ShipmentState, stopped: Option<(Timestamp, &str)>) -> String {
    shipment::render(&shipment::View {
        id: id(2),
        number: "QUAY 0001",
        normalized_number: "QUAY0001",
        kind: NumberKind::BillOfLading,
        scac: Scac::parse("QUAY").unwrap(),
        line_name: "Quay Line",
        line_short_name: "Quay",
        state,
        ref_numbers: &[],
        tags: &["spring".into()],
        created_at: at("2026-01-01T00:00:00Z"),
        updated_at: at("2026-01-02T00:00:00Z"),
        version: 3,
        line_attempted_at: Some(at("2026-01-02T00:00:00Z")),
        line_succeeded_at: None,
        stopped,
        containers: &[id(1), id(3)],
        customer: Some(id(31)),
        custom_fields: &[id(41)],
        customer_name: Some("Quay Traders"),
        gazetteer: &gazetteer(),
    })
}

#[test]
fn a_shipment_with_everything() {
    let state = ShipmentState {
        port_of_lading: Some(locode("CNSHA")),
        port_of_lading_terminal: Some("nowhere".into()),
        port_of_discharge: Some(locode("USLAX")),
        pod_terminal: Some("USLAX-TST".into()),
        destination: Some(locode("USCHI")),
        destination_terminal: Some("USCHI-R1".into()),
        pod_vessel: Some(vessel()),
        pol_etd: Some(at("2026-01-04T00:00:00Z")),
        pol_original_etd: Some(at("2026-01-03T12:00:00Z")),
        pol_atd: Some(at("2026-01-04T01:00:00Z")),
        pod_eta: Some(at("2026-01-20T00:00:00Z")),
        pod_original_eta: Some(at("2026-01-18T00:00:00Z")),
        pod_ata: Some(at("2026-01-20T01:00:00Z")),
        destination_eta: Some(at("2026-01-26T00:00:00Z")),
        destination_original_eta: Some(at("2026-01-24T00:00:00Z")),
        destination_ata: None,
        eta_source: Some(SourceKind::Dcsa2),
    };
    let stopped = Some((at("2026-03-01T00:00:00Z"), "all_containers_terminated"));
    insta::assert_snapshot!(check(&shipment::TYPE, &shipment_text(&state, stopped)));
}

#[test]
fn a_shipment_nothing_is_known_about() {
    let text = shipment_text(&ShipmentState::default(), None);
    insta::assert_snapshot!(check(&shipment::TYPE, &text));
}

#[test]
fn a_tracking_request() {
    let mut progress = Progress {
        kind: NumberKind::Booking,
        status: RequestStatus::Pending,
        failed_reason: Some(FailedReason::ShippingLineUnreachable),
        is_retrying: true,
        retry_count: 3,
        created_at: at("2026-01-01T00:00:00Z"),
    };
    let text = |progress: &Progress, shipment: Option<ShipmentId>| {
        tracking_request::render(&tracking_request::View {
            id: id(5),
            account: id(6),
            number: "B-1",
            scac: None,
            auto_detect: true,
            progress,
            ref_numbers: &["R".into()],
            tags: &["t".into()],
            updated_at: at("2026-01-01T00:00:01Z"),
            version: 2,
            shipment,
            customer: None,
            custom_fields: &[],
        })
    };
    insta::assert_snapshot!(check(&tracking_request::TYPE, &text(&progress, None)));
    progress.retry_count = 0;
    let done = check(&tracking_request::TYPE, &text(&progress, Some(id(2))));
    assert!(done.contains("\"retry_count\": null"));
}

fn transport_event_text(known: bool) -> String {
    let vessel = vessel();
    transport_event::render(&transport_event::View {
        id: id(11),
        name: EventName::VesselArrived,
        timestamp: Some(at("2026-01-20T01:00:00Z")),
        zone: known.then_some("America/Los_Angeles"),
        locode: Some(locode(if known { "USLAX" } else { "ZZZZZ" })),
        terminal: known.then_some("USCHI-R1"),
        vessel: known.then_some(&vessel),
        voyage: known.then_some("12W"),
        source: SourceKind::Codeco,
        value: None,
        created_at: at("2026-01-20T02:00:00Z"),
        invalidated_at: None,
        shipment: id(2),
        container: id(1),
        source_event: known.then(|| id(21)),
        previous_version: known.then(|| id(12)),
        gazetteer: &gazetteer(),
    })
}

#[test]
fn a_transport_event() {
    insta::assert_snapshot!(check(&transport_event::TYPE, &transport_event_text(true)));
}

/// What an event about a changed date says of this box.
fn rescheduled_text(name: EventName, state: &ContainerState) -> Json {
    let gazetteer = gazetteer();
    let plain = transport_event::View {
        id: id(11),
        name,
        timestamp: Some(at("2026-01-20T01:00:00Z")),
        zone: None,
        locode: None,
        terminal: None,
        vessel: None,
        voyage: None,
        source: SourceKind::Codeco,
        value: None,
        created_at: at("2026-01-20T02:00:00Z"),
        invalidated_at: None,
        shipment: id(2),
        container: id(1),
        source_event: None,
        previous_version: None,
        gazetteer: &gazetteer,
    };
    let text = transport_event::render(&rescheduled(plain, state));
    check(&transport_event::TYPE, &text);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_changed_date_is_told_as_the_container_bears_it_and_where_it_counts() {
    let mut state = inland_box();
    let of_box: Json = serde_json::from_str(&box_text(&state)).unwrap();
    let of_box = &of_box["attributes"];
    let (terminal, rail) = (
        &of_box["import_deadlines"]["pickup_lfd_terminal"],
        &of_box["import_deadlines"]["pickup_lfd_rail"],
    );
    for (name, value, source, place, facility) in [
        (
            EventName::PickupLfdRailChanged,
            rail,
            "rail",
            "USCHI",
            "rail_terminal",
        ),
        (
            EventName::PickupLfdTerminalChanged,
            terminal,
            "terminal",
            "USLAX",
            "terminal",
        ),
        (
            EventName::PickupLfdChanged,
            &of_box["pickup_lfd"],
            "terminal",
            "USLAX",
            "terminal",
        ),
        (
            EventName::PickupAppointmentChanged,
            &of_box["pickup_appointment_at"],
            "terminal",
            "USLAX",
            "terminal",
        ),
    ] {
        let told = rescheduled_text(name, &state);
        let said = &told["attributes"];
        assert!(value.is_string(), "{name:?}: {of_box}");
        assert_eq!(&said["value"], value, "{name:?}");
        assert_eq!(said["data_source"], source, "{name:?}");
        assert_eq!(said["location_locode"], place, "{name:?}");
        let terminal = &told["relationships"]["terminal"]["data"]["type"];
        assert_eq!(*terminal, facility, "{name:?}");
    }
    let appointment = rescheduled_text(EventName::PickupAppointmentChanged, &state);
    assert_eq!(
        appointment["attributes"]["timezone"],
        of_box["pod_timezone"]
    );
    state.pickup.lfd_terminal = None;
    let coalesced = rescheduled_text(EventName::PickupLfdChanged, &state);
    assert_eq!(coalesced["attributes"]["location_locode"], "USCHI");
    state.pickup.lfd_rail = None;
    let none = rescheduled_text(EventName::PickupLfdRailChanged, &state);
    assert_eq!(none["attributes"]["value"], Json::Null);
}

#[test]
fn a_place_in_no_table_is_named_but_not_linked() {
    let text = check(&transport_event::TYPE, &transport_event_text(false));
    assert!(text.contains("\"location_locode\": \"ZZZZZ\""));
    assert!(
        text.contains("\"location\": {\n      \"data\": null"),
        "{text}"
    );
}

#[test]
fn the_other_events() {
    let (container, shipment): (ContainerId, ShipmentId) = (id(1), id(2));
    let now = at("2026-01-20T02:00:00Z");
    let places = gazetteer();
    let estimated = estimated_event::render(&estimated_event::View {
        id: id(31),
        estimated_at: at("2026-01-21T00:00:00Z"),
        locode: Some(locode("USLAX")),
        zone: Some("America/Los_Angeles"),
        vessel: Some(&vessel()),
        voyage: None,
        source: SourceKind::Iftsta,
        created_at: now,
        shipment,
        gazetteer: &places,
    });
    let created = container_created_event::render(&container_created_event::View {
        id: id(32),
        at: now,
        container,
        shipment,
    });
    let moved =
        container_pod_terminal_changed_event::render(&container_pod_terminal_changed_event::View {
            id: id(33),
            at: now,
            terminal: Some("USLAX-TST"),
            container,
            shipment,
            source: SourceKind::TerminalApi,
            gazetteer: &places,
        });
    let texts = [
        check(&estimated_event::TYPE, &estimated),
        check(&container_created_event::TYPE, &created),
        check(&container_pod_terminal_changed_event::TYPE, &moved),
    ];
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn a_changeset_of_everything() {
    let hold = Hold {
        name: HoldName::Customs,
        status: HoldStatus::Hold,
        description: None,
    };
    let changeset = [
        Changed::AvailableForPickup(None, Some(true)),
        Changed::PickupLfd(None, Some(day("2026-02-26"))),
        Changed::PickupLfdOf(
            LfdOwner::Terminal,
            Some(day("2026-02-25")),
            Some(day("2026-02-26")),
        ),
        Changed::Holds(vec![hold], vec![]),
        Changed::Fees(vec![], vec![fee(FeeKind::Exam, Some("0.10"))]),
        Changed::PickupAppointment(None, Some(at("2026-01-27T00:30:00Z"))),
        Changed::PodTerminal(None, Some("USLAX-TST".into())),
        Changed::MilestoneTime("pod_discharged_at", None, Some(at("2026-01-21T01:00:00Z"))),
    ];
    let text = container_updated_event::render(&container_updated_event::View {
        id: id(34),
        changeset: &changeset,
        at: at("2026-01-27T00:00:00Z"),
        zone: Some("America/Los_Angeles"),
        terminal: Some("USLAX-TST"),
        container: id(1),
        shipment: id(2),
        gazetteer: &gazetteer(),
    });
    assert!(text.contains("\"amount\":0.1,"), "to the digit: {text}");
    insta::assert_snapshot!(check(&container_updated_event::TYPE, &text));
}

fn claim(verb: Verb, mode: Option<Mode>, hint: Option<MoveHint>, laden: Option<bool>) -> Report {
    Report {
        source: "QUAY".into(),
        source_kind: SourceKind::Dcsa2,
        source_event_id: None,
        retracts: None,
        reported_at: None,
        received_at: at("2026-01-20T02:00:00Z"),
        verb,
        classifier: Classifier::Actual,
        occurred: Some(Occurred {
            at: at("2026-01-20T08:00:00Z"),
            local: "2026-01-20T00:00:00".parse().unwrap(),
            zone_source: ZoneSource::Location,
            precision: Precision::Day,
        }),
        equipment: Some(Equipment {
            number: ContainerNumber::parse("CSQU3054383").unwrap(),
            iso_type: None,
            laden,
            seals: vec![],
            gross_kg: None,
        }),
        place: Place {
            locode: Some(locode("USLAX")),
            facility_code: Some("TST".into()),
            ..Place::default()
        },
        leg: Leg {
            mode,
            vessel_name: Some("QUAY STAR".into()),
            voyage_out: Some("12W".into()),
            voyage_in: Some("11E".into()),
            ..Leg::default()
        },
        move_hint: hint,
        references: References::default(),
        original: "EQUIPMENT/DISC".into(),
        value: None,
        doubts: vec![],
        position: None,
    }
}

fn claim_text(report: &Report) -> String {
    raw_event::render(&raw_event::View {
        id: id(21),
        index: 4,
        report,
        created_at: at("2026-01-20T02:00:00Z"),
        invalidated_at: None,
        container: Some(id(1)),
        gazetteer: &gazetteer(),
    })
}

#[test]
fn a_claim() {
    let report = claim(Verb::Discharge, Some(Mode::Vessel), None, Some(true));
    insta::assert_snapshot!(check(&raw_event::TYPE, &claim_text(&report)));
}

/// Whoever counts on it reads no claims that cannot fit.
#[test]
fn no_claim_is_shorter_than_is_said() {
    let barest = Report {
        source: String::new(),
        source_kind: SourceKind::Ais,
        occurred: None,
        equipment: None,
        place: Place::default(),
        leg: Leg::default(),
        original: String::new(),
        ..claim(Verb::Customs, None, None, None)
    };
    let text = raw_event::render(&raw_event::View {
        id: id(21),
        index: 4,
        report: &barest,
        created_at: at("2026-01-20T02:00:00Z"),
        invalidated_at: None,
        container: None,
        gazetteer: &gazetteer(),
    });
    assert!(text.len() >= raw_event::TEXT_BYTES_MIN, "{}", text.len());
}

#[test]
fn words_of_claims() {
    use {Mode as M, MoveHint as H, Verb as V};
    for (verb, mode, hint, laden, expected) in [
        (V::GateIn, Some(M::Truck), None, Some(true), Some("full_in")),
        (V::GateIn, None, None, Some(false), Some("empty_in")),
        (V::GateOut, None, None, Some(false), Some("empty_out")),
        (V::GateOut, None, Some(H::Import), None, Some("full_out")),
        (V::GateOut, None, Some(H::Delivery), None, Some("full_out")),
        (V::GateOut, None, None, None, None),
        (
            V::Load,
            Some(M::Vessel),
            Some(H::Transshipment),
            None,
            Some("transshipment_loaded"),
        ),
        (
            V::Discharge,
            Some(M::Vessel),
            Some(H::Onward),
            None,
            Some("transshipment_discharged"),
        ),
        // Whether the box left its ship there only the whole way tells.
        (V::Arrive, Some(M::Vessel), Some(H::Onward), None, None),
        (V::Load, Some(M::Barge), None, None, Some("feeder_loaded")),
        (V::Load, Some(M::Vessel), Some(H::Shifting), None, None),
        (
            V::Discharge,
            Some(M::Rail),
            None,
            None,
            Some("rail_unloaded"),
        ),
        (
            V::Depart,
            Some(M::Vessel),
            None,
            None,
            Some("vessel_departed"),
        ),
        (V::Arrive, Some(M::Truck), None, None, None),
        (V::Dropoff, None, None, Some(true), Some("delivered")),
        (V::Dropoff, None, None, Some(false), None),
        (V::Available, None, None, None, Some("available")),
        (V::Customs, None, None, None, None),
    ] {
        let text = claim_text(&claim(verb, mode, hint, laden));
        check(&raw_event::TYPE, &text);
        let value: Json = serde_json::from_str(&text).unwrap();
        assert_eq!(
            value["attributes"]["event"].as_str(),
            expected,
            "{verb:?} {mode:?} {hint:?}"
        );
    }
}

#[test]
fn an_estimate_with_time_and_unknown_zone() {
    let mut report = claim(Verb::Arrive, Some(Mode::Vessel), None, None);
    report.classifier = Classifier::Planned;
    if let Some(when) = &mut report.occurred {
        when.precision = Precision::Minute;
        when.zone_source = ZoneSource::Unknown;
    }
    let value: Json = serde_json::from_str(&claim_text(&report)).unwrap();
    let told = &value["attributes"];
    assert_eq!(told["estimated"], true);
    assert_eq!(told["estimated_at"], "2026-01-20T08:00:00Z");
    assert!(told["estimated_on"].is_null() && told["actual_at"].is_null());
    assert!(told["timezone"].is_null());
    assert_eq!(told["voyage_number"], "11E");
}

/// Null says that the times are the local clock read as UTC, so it stands nowhere else.
#[test]
fn the_zone_of_a_claim_is_null_only_beside_a_local_clock() {
    use ZoneSource::{Location, Offset, Tag, Unknown, Utc};
    let (instant, clock) = ("2026-01-19T16:00:00Z", "2026-01-20T00:00:00Z");
    let there = Some(locode("USLAX"));
    let here = Some("America/Los_Angeles");
    for (place, source, precision, zone, timestamp) in [
        (there, Offset, Precision::Minute, here, instant),
        (there, Offset, Precision::Day, here, instant),
        (there, Unknown, Precision::Minute, None, instant),
        (None, Offset, Precision::Minute, Some("Etc/UTC"), instant),
        (None, Utc, Precision::Minute, Some("Etc/UTC"), instant),
        (None, Tag, Precision::Hour, Some("Etc/UTC"), instant),
        (None, Location, Precision::Minute, Some("Etc/UTC"), instant),
        (None, Unknown, Precision::Minute, None, instant),
        // A date of an unknown place began at no known instant.
        (None, Offset, Precision::Day, None, clock),
        (None, Tag, Precision::Day, None, clock),
    ] {
        let mut report = claim(Verb::Arrive, Some(Mode::Vessel), None, None);
        report.place = Place {
            locode: place,
            ..Place::default()
        };
        report.occurred = Some(Occurred {
            at: at(instant),
            local: "2026-01-20T00:00:00".parse().unwrap(),
            zone_source: source,
            precision,
        });
        let text = claim_text(&report);
        check(&raw_event::TYPE, &text);
        let value: Json = serde_json::from_str(&text).unwrap();
        let told = &value["attributes"];
        let case = format!("{place:?} {source:?} {precision:?}");
        assert_eq!(told["timezone"].as_str(), zone, "{case}");
        assert_eq!(told["timestamp"], timestamp, "{case}");
    }
}

#[test]
fn reference_records() {
    let places = gazetteer();
    let line = ShippingLine {
        scac: Scac::parse("QUAY").unwrap(),
        name: "Quay Line".into(),
        short_name: "Quay".into(),
        alternative_scacs: vec![Scac::parse("QYLN").unwrap()],
        bill_of_lading_support: true,
        booking_support: true,
        container_support: false,
        bill_of_lading_prefixes: vec![],
        container_owner_prefixes: vec![],
        not_provided: Some(vec!["seal_number".into()]),
    };
    let texts = [
        check(
            &port::TYPE,
            &port::render(places.port(locode("USLAX")).unwrap(), &places),
        ),
        check(
            &terminal::TYPE,
            &terminal::render(&terminal::View {
                terminal: places.terminal("USLAX-TST").unwrap(),
                provided: &[Inside::Availability, Inside::Holds].into(),
                gazetteer: &places,
            }),
        ),
        check(
            &terminal::RAIL_TYPE,
            &terminal::render(&terminal::View {
                terminal: places.terminal("USCHI-R1").unwrap(),
                provided: &[].into(),
                gazetteer: &places,
            }),
        ),
        check(
            &metro_area::TYPE,
            &metro_area::render(places.port(locode("USCHI")).unwrap()),
        ),
        check(&vessel::TYPE, &vessel::render(&vessel())),
        check(&shipping_line::TYPE, &shipping_line::render(&line)),
    ];
    insta::assert_snapshot!(texts.join("\n"));
    let unknown = ShippingLine {
        not_provided: None,
        ..line
    };
    let text = shipping_line::render(&unknown);
    check(&shipping_line::TYPE, &text);
    assert!(
        text.contains("\"seal_number\":false") && !text.contains("true,\"seal_number_notes\""),
        "nothing is known of its habits: {text}"
    );
    let nameless = Vessel {
        imo: None,
        name: None,
    };
    assert_eq!(vessel::render(&nameless), "");
}

#[test]
fn a_webhook_and_its_delivery() {
    let hook: WebhookId = id(41);
    let text = webhook::render(&webhook::View {
        id: hook,
        url: "https://hooks.example/in?a=1",
        active: false,
        events: &[EventName::VesselArrived],
        secret: "whsec_…abcd",
        headers: &[("X-Team".into(), "quay".into())],
        created_at: at("2026-01-01T00:00:00Z"),
        disabled_reason: Some("gone"),
    });
    let view = webhook_notification::View {
        id: id(42),
        event: EventName::VesselArrived,
        status: DeliveryStatus::Succeeded,
        created_at: at("2026-01-01T00:00:00Z"),
        webhook: hook,
        reference_type: "transport_event",
        reference: id(11),
        version: 3,
        attempts: &[1],
    };
    let texts = [
        check(&webhook::TYPE, &text),
        check(
            &webhook_notification::TYPE,
            &webhook_notification::render(&view),
        ),
        webhook_notification::delivery_body(&view, "https://quay.example/v2", &["{}", "{}"]),
    ];
    assert!(texts[2].contains(r#""delivery_status":"pending""#));
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn every_type_is_named_once_and_targets_are_types_or_known_gaps() {
    let later = ["party", "custom_field", "user", "account"];
    let names: std::collections::BTreeSet<_> = TYPES.iter().map(|kind| kind.name).collect();
    assert_eq!(names.len(), TYPES.len());
    for kind in TYPES {
        for target in kind.relationships.iter().flat_map(|r| r.targets) {
            assert!(
                named(target).is_some() || later.contains(target),
                "{target}"
            );
        }
    }
}
