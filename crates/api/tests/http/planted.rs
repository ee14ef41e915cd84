//! One bill of lading with two boxes, as if a line had told of it.

use domain::account::Permissions;
use domain::codes::{ContainerNumber, Scac, UnLocode};
use domain::container::{ContainerState, Vessel};
use domain::event::EventName;
use domain::ids::{
    AccountId, ApiKeyId, ContainerId, EventId, NotificationId, PartyId, RawMessageId, ReportId,
    ShipmentId, TrackingRequestId, WatchId, WebhookId,
};
use domain::journey::Journey;
use domain::listener::ListenerName;
use domain::report::{
    Classifier, Equipment, Leg, Occurred, Place, Precision, References, Report, SourceKind, Verb,
    ZoneSource,
};
use domain::shipment::ShipmentState;
use domain::tracking_request::{NumberKind, Progress, RequestStatus};
use domain::webhook::{DeliveryStatus, Verdict};
use jiff::Timestamp;
use jsonapi::resource::{self, webhook_notification};
use store::container::Container;
use store::delivery::Room;
use store::event::Event;
use store::notification::{Notification, OrderKey};
use store::raw_message::RawMessage;
use store::shipment::Shipment;
use store::tracking_request::TrackingRequest;
use store::watch::Watch;
use store::{Key, Tx};
use tracking::access::create_key;
use tracking::document_schemas::{NewSchema, Standing, add};
use tracking::parties::{self, NewParty};
use tracking::webhooks::{NewWebhook, create, open_listener};
use tracking::{Tracking, id_source};

use crate::house::{House, NOW};
use crate::planted_fields::{Fields, plant_fields};

/// What was planted.
#[derive(Clone, Debug)]
pub struct Planted {
    pub request: TrackingRequestId,
    pub shipment: ShipmentId,
    pub containers: [ContainerId; 2],
    pub event: EventId,
    pub report: ReportId,
    pub webhook: WebhookId,
    pub listener: WebhookId,
    pub party: PartyId,
    pub notification: NotificationId,
    pub key: ApiKeyId,
    pub fields: Fields,
}

pub const SCHEMA: &str = "arrival_notice@2026-01-05";
pub const BILL: &str = "QUAY00001";
pub const BOXES: [&str; 2] = ["CSQU3054383", "MSKU6011672"];

/// Plants it for the first account of the house.
pub async fn plant(house: &House) -> Planted {
    let tracking = &house.tracking;
    let wanted = NewWebhook {
        url: "https://hooks.example/in".into(),
        active: true,
        events: vec![EventName::VesselArrived],
        headers: vec![("X-Team".into(), "quay".into())],
    };
    let webhook = create(tracking, house.account, wanted).await.unwrap();
    let name = ListenerName::parse("laptop").unwrap();
    let events = vec![EventName::ContainerCreated];
    let listener = open_listener(tracking, house.account, name, events).await;
    let listener = listener.unwrap().opened;
    let key = create_key(tracking, house.account, "planted", Permissions::ALL);
    let key = key.await.unwrap();
    let company = NewParty {
        company_name: "Harbour Furniture".into(),
        customer: Some("HARBOUR".into()),
    };
    let party = parties::create(tracking, house.account, company);
    let party = party.await.unwrap();
    let schema = NewSchema {
        document_type: "arrival_notice".into(),
        version: jiff::civil::date(2026, 1, 5),
        label: None,
        standing: Standing::Current,
        bytes: br#"{"type":"object"}"#.to_vec(),
    };
    assert_eq!(add(tracking, schema).await.unwrap(), SCHEMA);
    let mut ids = id_source(now());
    let mut planted = Planted {
        request: ids.draw(),
        shipment: ids.draw(),
        containers: [ids.draw(), ids.draw()],
        event: ids.draw(),
        report: ids.draw(),
        webhook: webhook.webhook.id,
        listener: listener.webhook.id,
        party: party.id,
        notification: ids.draw(),
        key: key.0.id,
        fields: Fields::default(),
    };
    let watch: WatchId = ids.draw();
    let raw: RawMessageId = ids.draw();
    let (account, rows) = (house.account, planted.clone());
    let service = tracking.clone();
    let writing = tracking.store().write(Key::account(account), move |tx| {
        write_claims(tx, watch, raw, &rows);
        write_shipment(&service, tx.account(account), watch, &rows);
        write_attempt(tx, sent(&rows));
        Ok::<_, store::Error>(())
    });
    writing.await.unwrap();
    planted.fields = plant_fields(house, &planted).await;
    planted
}

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn scac() -> Scac {
    Scac::parse("MSCU").unwrap()
}

fn locode(code: &str) -> UnLocode {
    UnLocode::parse(code).unwrap()
}

fn vessel() -> Vessel {
    Vessel {
        imo: domain::codes::ImoNumber::parse("9321483"),
        name: Some("QUAY STAR".into()),
    }
}

fn write_claims(tx: &mut Tx, watch: WatchId, raw: RawMessageId, planted: &Planted) {
    let watched = Watch {
        id: watch,
        source: "MSCU".into(),
        kind: NumberKind::BillOfLading,
        number: BILL.into(),
        created_at: now(),
        next_poll_at: None,
        failures: 0,
        last_attempted_at: None,
        last_succeeded_at: None,
        last_changed_at: None,
        claim_token: 0,
        asked_by: None,
    };
    store::watch::find_or_insert(tx, &watched).unwrap();
    let message = RawMessage {
        id: raw,
        source: "MSCU".into(),
        watch: Some(watch),
        account: None,
        question: "q".into(),
        content_type: "application/json".into(),
        received_at: now(),
        body: b"[]".to_vec(),
        digest: [1; 32],
    };
    store::raw_message::receive(tx, &message).unwrap();
    let reports = [(planted.report, report())];
    store::report::insert(tx, watch, raw, &reports, now()).unwrap();
    let vessels = [store::vessel::Vessel {
        id: resource::vessel::id(&vessel()).unwrap(),
        imo: Some("9321483".into()),
        name: Some("QUAY STAR".into()),
        document: resource::vessel::render(&vessel()),
    }];
    store::vessel::remember(tx, &vessels).unwrap();
}

fn report() -> Report {
    Report {
        source: "MSCU".into(),
        source_kind: SourceKind::Dcsa2,
        source_event_id: Some("e-1".into()),
        retracts: None,
        reported_at: None,
        received_at: now(),
        verb: Verb::Arrive,
        classifier: Classifier::Actual,
        occurred: Some(Occurred {
            at: now(),
            local: "2026-03-01T04:00:00".parse().unwrap(),
            zone_source: ZoneSource::Offset,
            precision: Precision::Minute,
        }),
        equipment: Some(Equipment {
            number: ContainerNumber::parse(BOXES[0]).unwrap(),
            iso_type: None,
            laden: Some(true),
            seals: vec![],
            gross_kg: None,
        }),
        place: Place {
            locode: Some(locode("USLAX")),
            ..Place::default()
        },
        leg: Leg {
            vessel_imo: vessel().imo,
            vessel_name: vessel().name,
            ..Leg::default()
        },
        move_hint: None,
        references: References::default(),
        original: "TRANSPORT/ARRI".into(),
        value: None,
        doubts: vec![],
        position: None,
    }
}

fn write_shipment(
    service: &Tracking,
    mut a: store::AccountTx<'_>,
    watch: WatchId,
    planted: &Planted,
) {
    let state = ShipmentState {
        port_of_lading: Some(locode("CNSHA")),
        port_of_discharge: Some(locode("USLAX")),
        pod_vessel: Some(vessel()),
        pod_ata: Some(now()),
        ..ShipmentState::default()
    };
    let document = resource::shipment::render(&resource::shipment::View {
        id: planted.shipment,
        number: BILL,
        normalized_number: BILL,
        kind: NumberKind::BillOfLading,
        scac: scac(),
        line_name: "Mediterranean Shipping Company",
        line_short_name: "MSC",
        state: &state,
        ref_numbers: &[],
        tags: &[],
        created_at: now(),
        updated_at: now(),
        version: 1,
        line_attempted_at: None,
        line_succeeded_at: None,
        stopped: None,
        containers: &planted.containers,
        customer: None,
        custom_fields: &[],
        customer_name: None,
        gazetteer: service.gazetteer(),
    });
    let shipment = Shipment {
        id: planted.shipment,
        number: BILL.into(),
        normalized_number: BILL.into(),
        scac: scac(),
        kind: NumberKind::BillOfLading,
        state,
        ref_numbers: vec![],
        tags: vec![],
        created_at: now(),
        updated_at: now(),
        version: 1,
        line_attempted_at: None,
        line_succeeded_at: None,
        stopped: None,
        resumed_at: None,
        customer: None,
        custom_fields: Vec::new(),
        document,
    };
    store::shipment::insert(&mut a, &shipment).unwrap();
    store::shipment::link_watch(&mut a, planted.shipment, watch).unwrap();
    for (place, number) in BOXES.iter().enumerate() {
        let container = container(service, planted, place, number);
        store::container::insert(&mut a, &container).unwrap();
    }
    store::event::insert(&mut a, &[event(service, planted)]).unwrap();
    let request = request(a.account(), planted);
    store::tracking_request::insert(&mut a, &request).unwrap();
    let told = [(notification(planted), order(planted))];
    assert_eq!(store::notification::insert(&mut a, &told).unwrap(), 1);
}

fn container(service: &Tracking, planted: &Planted, place: usize, number: &str) -> Container {
    let number = ContainerNumber::parse(number).unwrap();
    let state = ContainerState {
        journey: Journey {
            port_of_discharge: Some(locode("USLAX")),
            ..Journey::default()
        },
        ..ContainerState::unknown(number)
    };
    let (events, reports): (&[EventId], &[ReportId]) = match place {
        0 => (&[planted.event], &[planted.report]),
        _ => (&[], &[]),
    };
    let document = resource::container::render(&resource::container::View {
        id: planted.containers[place],
        shipment: planted.shipment,
        state: &state,
        ref_numbers: &[],
        created_at: now(),
        updated_at: now(),
        version: 1,
        line_checked_at: None,
        transport_events: events,
        raw_events: reports,
        customer: None,
        custom_fields: &[],
        gazetteer: service.gazetteer(),
    });
    Container {
        id: planted.containers[place],
        shipment: planted.shipment,
        number,
        state,
        ref_numbers: vec![],
        created_at: now(),
        updated_at: now(),
        version: 1,
        next_due_at: None,
        customer: None,
        custom_fields: Vec::new(),
        document,
    }
}

pub fn event(service: &Tracking, planted: &Planted) -> Event {
    let document = resource::transport_event::render(&resource::transport_event::View {
        id: planted.event,
        name: EventName::VesselArrived,
        timestamp: Some(now()),
        zone: Some("America/Los_Angeles"),
        locode: Some(locode("USLAX")),
        terminal: None,
        vessel: Some(&vessel()),
        voyage: None,
        source: SourceKind::Dcsa2,
        value: None,
        created_at: now(),
        invalidated_at: None,
        shipment: planted.shipment,
        container: planted.containers[0],
        source_event: Some(planted.report),
        previous_version: None,
        gazetteer: service.gazetteer(),
    });
    Event {
        id: planted.event,
        resource: "transport_event".into(),
        name: EventName::VesselArrived,
        container: Some(planted.containers[0]),
        shipment: Some(planted.shipment),
        tracking_request: None,
        version: 1,
        slot: Some("container.transport.vessel_arrived|USLAX||0".into()),
        created_at: now(),
        invalidated_at: None,
        document,
    }
}

fn request(account: AccountId, planted: &Planted) -> TrackingRequest {
    let progress = Progress {
        kind: NumberKind::BillOfLading,
        status: RequestStatus::Succeeded,
        failed_reason: None,
        is_retrying: false,
        retry_count: 0,
        created_at: now(),
    };
    let document = resource::tracking_request::render(&resource::tracking_request::View {
        id: planted.request,
        account,
        number: BILL,
        scac: Some(scac()),
        auto_detect: false,
        progress: &progress,
        ref_numbers: &[],
        tags: &[],
        updated_at: now(),
        version: 1,
        shipment: Some(planted.shipment),
        customer: None,
        custom_fields: &[],
    });
    TrackingRequest {
        id: planted.request,
        number: BILL.into(),
        scac: Some(scac()),
        auto_detect: false,
        progress,
        watch: None,
        docket: None,
        shipment: Some(planted.shipment),
        ref_numbers: vec![],
        tags: vec![],
        updated_at: now(),
        version: 1,
        customer: None,
        custom_fields: Vec::new(),
        document,
    }
}

/// What was sent for the notification.
pub fn sent(planted: &Planted) -> String {
    let about = notification(planted);
    let view = webhook_notification::View {
        id: about.id,
        event: about.event,
        status: about.status,
        created_at: about.created_at,
        webhook: about.webhook,
        reference_type: &about.reference_type,
        reference: about.reference,
        version: about.version,
        attempts: &[],
    };
    webhook_notification::delivery_body(&view, "http://127.0.0.1/v2", &[])
}

/// The endpoint was busy when the notification came; it will come again.
fn write_attempt(tx: &mut Tx, body: String) {
    let until = now() + jiff::SignedDuration::from_secs(30);
    let room = Room::anywhere(1);
    let due = store::delivery::claim_due(tx, now(), until, uuid::Uuid::nil(), room).unwrap();
    let claimed = store::delivery::claimed(tx, &due).unwrap();
    let sent = (claimed[0].notification.id, body);
    store::delivery::store_bodies(tx, &[sent]).unwrap();
    let outcome = store::delivery::Outcome {
        notification: claimed[0].notification.id,
        claim_token: claimed[0].claim_token,
        webhook: claimed[0].notification.webhook,
        url: claimed[0].url.clone(),
        attempt: store::delivery::Attempt {
            number: 1,
            started_at: now(),
            duration_ms: 12,
            status: Some(503),
            reason: None,
            response_headers: "retry-after: 60\n".into(),
            response_body: "busy".into(),
        },
        verdict: Verdict::RetryAt(now() + jiff::SignedDuration::from_secs(60)),
        refusals_in_a_row: 0,
        tells_of_receiver: true,
    };
    assert_eq!(store::delivery::settle(tx, &[outcome]).unwrap().counted, 1);
}

/// The notification.
pub fn notification(planted: &Planted) -> Notification {
    Notification {
        id: planted.notification,
        webhook: planted.webhook,
        event: EventName::VesselArrived,
        reference_type: "transport_event".into(),
        reference: planted.event.0,
        container: Some(planted.containers[0]),
        shipment: Some(planted.shipment),
        tracking_request: None,
        version: 1,
        created_at: now(),
        status: DeliveryStatus::Pending,
    }
}

/// Its place in the order.
pub fn order(planted: &Planted) -> OrderKey {
    OrderKey {
        key: planted.containers[0].0,
        sequence: 1,
    }
}
