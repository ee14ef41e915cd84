//! One record of each type, for the description of the API.

use domain::account::Permissions;
use domain::event::{Category, EventName};
use domain::infer::{Candidate, Decision, Inference};
use domain::report::{
    Classifier, Equipment, Leg, Mode, Occurred, Place, Precision, References, Report, SourceKind,
    Verb, ZoneSource,
};
use domain::route::{Call, Part, Passage};
use domain::shipping_line::ShippingLine;
use domain::source::{Budget, Failures, Standing, Subscribed, Trouble};
use domain::tracking_request::NumberKind;
use domain::webhook::DeliveryStatus;
use jiff::SignedDuration;
use jiff::civil::Date;

use super::places::{
    CHICAGO, LOS_ANGELES, PIER, RAMP, SHANGHAI, gazetteer, locode, pier_text, zone,
};
use super::told::{NUMBER, World, account as whose, container, shipment, webhook};
use super::voyage::{number, scac, vessels};
use super::{MOMENT, id, notification_id};
use crate::resource::{
    account, api_key, credential, document_schema, infer_number_results, metro_area, party, port,
    raw_event, route, search_result, shipping_line, source_state, user, vessel, webhook as hook,
    webhook_event_category, webhook_notification, webhook_notification_log,
};

/// The sample of this type.
pub(super) fn of(kind: &str) -> Option<String> {
    let world = World::at_news_of(EventName::ContainerUpdated, MOMENT);
    let places = gazetteer();
    let pier = |code: &str| places.terminal(code).map(|found| pier_text(found, &places));
    Some(match kind {
        "tracking_request" => world.request(EventName::TrackingRequestSucceeded),
        "shipment" => world.shipment(),
        "container" => world.container(),
        "transport_event" => world.transport_event(EventName::VesselDischarged),
        "estimated_event" => world.arrival(),
        "container_updated_event" => world.updated(),
        "container_created_event" => world.created(),
        "container_pod_terminal_changed_event" => world.pier_changed(),
        "raw_event" => claim(),
        "route" => way(false),
        "route_location" => way(true),
        "port" => port::render(places.port(locode(LOS_ANGELES))?, &places),
        "metro_area" => metro_area::render(places.port(locode(CHICAGO))?),
        "terminal" => pier(PIER)?,
        "rail_terminal" => pier(RAMP)?,
        "vessel" => vessel::render(vessels().get(1)?),
        "shipping_line" => shipping_line::render(&line()),
        "infer_number_results" => inferred(),
        "party" => company(),
        "account" => account::render(whose(), "Quay Imports"),
        "user" => user::render(id(7)),
        "search_result" => search_result::render(&result(), &places),
        "webhook" => subscription(),
        "webhook_notification" => notification(),
        "webhook_notification_log" => attempt(),
        "webhook_event_category" => {
            webhook_event_category::render(Category::TrackingRequest, |_| true)
        }
        "api_key" => key(),
        "credential" => shown(),
        "document_schema" => schema(),
        "source" => source(),
        _ => return super::custom_fields::of(kind),
    })
}

/// What the number of the sample bill tells.
fn inferred() -> String {
    let told = Inference {
        kind: NumberKind::BillOfLading,
        number: NUMBER.to_owned(),
        is_valid: Some(true),
        check_digit_fits: None,
        reason: None,
        decision: Decision::AutoSelect,
        candidates: vec![Candidate {
            scac: scac(),
            percent: 99,
        }],
    };
    infer_number_results::render(id(0x320), &told, |_| line().name)
}

/// A line that refused our credentials once.
fn source() -> String {
    let mut standing = Standing {
        asked_at: Some(MOMENT),
        heard_at: Some(MOMENT),
        ..Standing::default()
    };
    let why = "the carrier does not accept our credentials";
    standing.failed(Trouble::Unauthorized, why, Failures::default(), MOMENT);
    standing.answered(MOMENT);
    source_state::render(&source_state::View {
        id: "msc",
        protocol: "dcsa-2",
        login: "msc",
        lines: vec!["MSCU"],
        budget: Some(Budget {
            per_minute: 60,
            per_day: Some(100_000),
            ..Budget::default()
        }),
        standing: &standing,
        lag_seconds: 0,
        due: 0,
        unread: 0,
        quarantined: (1, Some(MOMENT)),
        subscription: Some(source_state::Subscription {
            standing: &Subscribed {
                id: Some("6c1f".into()),
                callback: "https://quay.example/inbound/msc".into(),
                told: true,
                secret_at: MOMENT,
                renewed_at: Some(MOMENT),
                failures: 0,
            },
            trouble: None,
        }),
        unmapped: 3,
        codes: vec![("EQUIPMENT/WAIT", 3, MOMENT)],
        defective: (212, Some(MOMENT)),
        defects: vec![source_state::Defects {
            place: "eventDateTime",
            times: 212,
            messages: 4,
            last_times: 53,
            reason: "\"28.11.2026 14:00\" is no time",
            first_at: MOMENT,
            last_at: MOMENT,
        }],
        now: MOMENT,
    })
}

fn key() -> String {
    api_key::render(&api_key::View {
        id: id(0x310),
        name: "warehouse",
        permissions: Permissions::ALL,
        key: "ct_live_…9xYz",
        last_used_at: Some(MOMENT),
        created_at: MOMENT,
    })
}

/// The same key, as its holder shows it.
fn shown() -> String {
    credential::render(&credential::View {
        key: id(0x310),
        name: "warehouse",
        account: whose(),
        created_at: MOMENT,
    })
}

/// The box, as a search finds it.
fn result() -> search_result::View<'static> {
    search_result::View {
        found: search_result::Found::Container {
            id: id(2),
            number: number(),
            shipment: id(1),
            scac: "MSCU",
        },
        ref_numbers: &[],
        created_at: MOMENT,
        updated_at: MOMENT,
    }
}

/// What the line said about the discharge.
fn claim() -> String {
    let world = World::at_news_of(EventName::VesselDischarged, MOMENT);
    let at = world.discharged_at();
    let local = at.in_tz(zone(LOS_ANGELES)).map(|there| there.datetime());
    let report = Report {
        source: scac().to_string(),
        source_kind: SourceKind::Dcsa2,
        source_event_id: None,
        retracts: None,
        reported_at: Some(MOMENT),
        received_at: MOMENT,
        verb: Verb::Discharge,
        classifier: Classifier::Actual,
        occurred: local.ok().map(|local| Occurred {
            at,
            local,
            zone_source: ZoneSource::Location,
            precision: Precision::Minute,
        }),
        equipment: Some(Equipment {
            number: number(),
            iso_type: None,
            laden: Some(true),
            seals: Vec::new(),
            gross_kg: None,
        }),
        place: Place {
            locode: Some(locode(LOS_ANGELES)),
            facility_code: Some("TRAP".to_owned()),
            ..Place::default()
        },
        leg: Leg {
            mode: Some(Mode::Vessel),
            vessel_name: vessels().pop().and_then(|vessel| vessel.name),
            vessel_imo: vessels().pop().and_then(|vessel| vessel.imo),
            voyage_in: Some("027E".to_owned()),
            ..Leg::default()
        },
        move_hint: None,
        references: References::default(),
        original: "EQUIPMENT/DISC".to_owned(),
        value: None,
        doubts: Vec::new(),
        position: None,
    };
    raw_event::render(&raw_event::View {
        id: id(0x300),
        index: 11,
        report: &report,
        created_at: MOMENT,
        invalidated_at: None,
        container: Some(container()),
        gazetteer: &gazetteer(),
    })
}

/// The way of the sample box, or its last call.
fn way(last: bool) -> String {
    let ship = vessels().pop();
    let passage = |estimated_at| {
        Some(Passage {
            mode: Some(Mode::Vessel),
            vessel: ship.clone(),
            voyage: Some("027E".to_owned()),
            estimated_at: Some(estimated_at),
            actual_at: Some(estimated_at),
            done: true,
        })
    };
    let call = |code, part, inbound, outbound| Call {
        place: locode(code),
        part,
        terminal: None,
        inbound,
        outbound,
    };
    let sea = SignedDuration::from_hours(24 * 14);
    let left = MOMENT.checked_sub(sea).unwrap_or(MOMENT);
    let calls = [
        call(SHANGHAI, Part::Lading, None, passage(left)),
        call(LOS_ANGELES, Part::Discharge, passage(MOMENT), None),
    ];
    let view = route::View {
        container: container(),
        shipment: shipment(),
        scac: Some("QUAY"),
        railroads: (None, None),
        calls: &calls,
        created_at: left,
        updated_at: MOMENT,
        gazetteer: &gazetteer(),
    };
    match calls.last().filter(|_| last) {
        Some(call) => route::render_location(&view, call),
        None => route::render(&view),
    }
}

fn line() -> ShippingLine {
    ShippingLine {
        scac: scac(),
        name: "Quay Line".to_owned(),
        short_name: "Quay".to_owned(),
        alternative_scacs: Vec::new(),
        bill_of_lading_support: true,
        booking_support: true,
        container_support: true,
        bill_of_lading_prefixes: vec!["QUAY".to_owned()],
        container_owner_prefixes: Vec::new(),
        not_provided: Some(Vec::new()),
    }
}

/// What an arrival notice holds.
fn schema() -> String {
    document_schema::render(&document_schema::View {
        document_type: "arrival_notice",
        version: Date::constant(2026, 1, 5),
        label: "Arrival notice",
        description: Some("What a line tells the consignee before the vessel arrives."),
        payload: r#"{"type":"object","properties":{"bill_of_lading_number":{"type":"string"},"container_numbers":{"type":"array","items":{"type":"string"}}},"required":["bill_of_lading_number"]}"#,
        current: true,
        draft: false,
        active_at: Some(MOMENT),
        created_at: MOMENT,
        updated_at: MOMENT,
    })
}

/// As it is read: the secret is masked.
fn subscription() -> String {
    hook::render(&hook::View {
        id: webhook(),
        url: "https://hooks.example.com/quayside",
        active: true,
        events: &[EventName::VesselArrived, EventName::ContainerUpdated],
        secret: "whsec_…Ql4=",
        headers: &[("X-Team".to_owned(), "imports".to_owned())],
        created_at: MOMENT,
        disabled_reason: None,
    })
}

/// A first try that met a busy receiver.
fn attempt() -> String {
    webhook_notification_log::render(&webhook_notification_log::View {
        notification: notification_id(EventName::VesselDischarged, MOMENT),
        attempt: 1,
        started_at: MOMENT,
        duration_ms: 142,
        status: Some(503),
        reason: None,
        response_headers: "content-type: text/plain\nretry-after: 60\n",
        response_body: "busy",
        next_attempt_at: MOMENT.checked_add(SignedDuration::from_secs(60)).ok(),
    })
}

fn company() -> String {
    party::render(&party::View {
        id: id(6),
        company_name: "Harbour Furniture Ltd",
        customer: Some("HARBOUR"),
        created_at: MOMENT,
        updated_at: MOMENT,
    })
}

fn notification() -> String {
    let event = EventName::VesselDischarged;
    let (_, view) = World::at_news_of(event, MOMENT).news(event);
    webhook_notification::render(&webhook_notification::View {
        status: DeliveryStatus::Succeeded,
        attempts: &[1],
        ..view
    })
}
