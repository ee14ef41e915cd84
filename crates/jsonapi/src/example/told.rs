//! The sample world at one moment: its records as text, and the news about it.

use domain::container::{ContainerState, LfdOwner};
use domain::event::{Attribute as Changed, EventName};
use domain::ids::{AccountId, ContainerId, EventId, ShipmentId, TrackingRequestId, WebhookId};
use domain::place::Gazetteer;
use domain::report::SourceKind;
use domain::shipment::{ShipmentState, shipment_state};
use domain::tracking_request::{FailedReason, NumberKind, Progress, RequestStatus};
use domain::webhook::DeliveryStatus;
use jiff::Timestamp;
use uuid::Uuid;

use super::places::{LOS_ANGELES, PIER, gazetteer, pier_text, zone};
use super::voyage::{Voyage, customs_hold, exam_fee, scac, vessels};
use super::{id, notification_id};
use crate::linkage;
use crate::resource::{
    container, container_created_event, container_pod_terminal_changed_event,
    container_updated_event, estimated_event, place, render_site, rescheduled, shipment, terminal,
    tracking_request, transport_event, vessel, webhook_notification,
};

pub(super) const NUMBER: &str = "QUAY26034417";
const BOX: u128 = 1;
const BILL: u128 = 2;
const REQUEST: u128 = 3;
const HOOK: u128 = 4;
const ACCOUNT: u128 = 5;
const EVENT: u128 = 0x200;

/// The account's own references of the sample.
fn references() -> [String; 1] {
    ["PO-4711".to_owned()]
}

/// The sample world at the moment of telling.
pub(super) struct World {
    voyage: Voyage,
    state: ContainerState,
    gazetteer: Gazetteer,
}

/// What an event is about: type, id and text.
struct Reference {
    kind: &'static str,
    id: Uuid,
    text: String,
}

impl World {
    pub(super) fn at_news_of(event: EventName, told_at: Timestamp) -> Self {
        let voyage = Voyage::at_news_of(event, told_at);
        Self {
            state: voyage.state(),
            gazetteer: gazetteer(),
            voyage,
        }
    }

    /// What the delivery of `event` includes, and its notification.
    pub(super) fn news(
        &self,
        event: EventName,
    ) -> (Vec<String>, webhook_notification::View<'static>) {
        let reference = self.reference(event);
        let view = webhook_notification::View {
            id: notification_id(event, self.voyage.told_at),
            event,
            status: DeliveryStatus::Pending,
            created_at: self.voyage.told_at,
            webhook: webhook(),
            reference_type: reference.kind,
            reference: reference.id,
            version: self.version(),
            attempts: &[],
        };
        (self.included(event, reference), view)
    }

    fn included(&self, event: EventName, reference: Reference) -> Vec<String> {
        use EventName as E;
        let mut included = match event {
            E::TrackingRequestFailed | E::TrackingRequestAwaitingManifest => Vec::new(),
            E::ShipmentEstimatedArrival => vec![self.shipment()],
            _ => vec![self.shipment(), self.container()],
        };
        included.extend(self.places(&reference.text));
        included.push(reference.text);
        included
    }

    /// The places and the vessel that an event names.
    fn places(&self, reference: &str) -> Vec<String> {
        let named = |relationship| linkage::targets(reference, relationship).pop();
        let pier = named("terminal").and_then(|link| {
            let mut all = self.gazetteer.terminals();
            all.find(|known| terminal::id(&known.code).0 == link.id)
        });
        let site = named("location")
            .or_else(|| named("port"))
            .and_then(|link| {
                let mut all = self.gazetteer.ports();
                let is = |locode| {
                    [place::port_id(locode).0, place::metro_area_id(locode).0].contains(&link.id)
                };
                all.find(|known| is(known.locode))
            });
        let site = site.or_else(|| self.gazetteer.port(pier?.port));
        let ship = named("vessel").and_then(|link| {
            let vessels = vessels().into_iter();
            vessels
                .filter(|known| vessel::id(known).is_some_and(|id| id.0 == link.id))
                .map(|known| vessel::render(&known))
                .next()
        });
        let site = site.and_then(|site| render_site(site.locode, &self.gazetteer));
        let pier = pier.map(|found| pier_text(found, &self.gazetteer));
        site.into_iter().chain(pier).chain(ship).collect()
    }

    /// The event's own record.
    fn reference(&self, event: EventName) -> Reference {
        use EventName as E;
        let own = event_id(event);
        let (kind, id, text) = match event {
            E::TrackingRequestSucceeded
            | E::TrackingRequestFailed
            | E::TrackingRequestAwaitingManifest
            | E::TrackingRequestTrackingStopped => {
                ("tracking_request", request().0, self.request(event))
            }
            E::ShipmentEstimatedArrival => ("estimated_event", own.0, self.arrival()),
            E::ContainerCreated => ("container_created_event", own.0, self.created()),
            E::ContainerUpdated => ("container_updated_event", own.0, self.updated()),
            E::PodTerminalChanged => (
                "container_pod_terminal_changed_event",
                own.0,
                self.pier_changed(),
            ),
            _ => ("transport_event", own.0, self.transport_event(event)),
        };
        Reference { kind, id, text }
    }

    pub(super) fn container(&self) -> String {
        let told = self.state.milestones.iter();
        let events: Vec<EventId> = told.map(|m| event_id(m.slot.event)).collect();
        container::render(&container::View {
            id: container(),
            shipment: shipment(),
            state: &self.state,
            ref_numbers: &references(),
            created_at: self.voyage.first_seen(),
            updated_at: self.voyage.told_at,
            version: self.version(),
            line_checked_at: Some(self.voyage.told_at),
            transport_events: &events,
            raw_events: &[],
            customer: None,
            custom_fields: &[],
            gazetteer: &self.gazetteer,
        })
    }

    fn shipment_state(&self) -> ShipmentState {
        shipment_state(std::slice::from_ref(&self.state))
    }

    pub(super) fn shipment(&self) -> String {
        let over = self.voyage.is_over();
        shipment::render(&shipment::View {
            id: shipment(),
            number: NUMBER,
            normalized_number: NUMBER,
            kind: NumberKind::BillOfLading,
            scac: scac(),
            line_name: "Quay Line",
            line_short_name: "Quay",
            state: &self.shipment_state(),
            ref_numbers: &references(),
            tags: &["spring".to_owned()],
            created_at: self.voyage.first_seen(),
            updated_at: self.voyage.told_at,
            version: self.version(),
            line_attempted_at: Some(self.voyage.told_at),
            line_succeeded_at: Some(self.voyage.told_at),
            stopped: over.then_some((self.voyage.told_at, "all_containers_terminated")),
            containers: &[container()],
            customer: None,
            customer_name: None,
            custom_fields: &[],
            gazetteer: &self.gazetteer,
        })
    }

    /// The request as it stands when `event` is told.
    pub(super) fn request(&self, event: EventName) -> String {
        use EventName as E;
        let (status, reason) = match event {
            E::TrackingRequestFailed => (RequestStatus::Failed, Some(FailedReason::NotFound)),
            E::TrackingRequestAwaitingManifest => (RequestStatus::AwaitingManifest, None),
            E::TrackingRequestTrackingStopped => (RequestStatus::TrackingStopped, None),
            _ => (RequestStatus::Succeeded, None),
        };
        let found = matches!(
            status,
            RequestStatus::Succeeded | RequestStatus::TrackingStopped
        );
        tracking_request::render(&tracking_request::View {
            id: request(),
            account: account(),
            number: NUMBER,
            scac: Some(scac()),
            auto_detect: false,
            progress: &Progress {
                kind: NumberKind::BillOfLading,
                status,
                failed_reason: reason,
                is_retrying: false,
                retry_count: 0,
                created_at: self.voyage.first_seen(),
            },
            ref_numbers: &references(),
            tags: &["spring".to_owned()],
            updated_at: self.voyage.told_at,
            version: self.version(),
            shipment: found.then(shipment),
            customer: None,
            custom_fields: &[],
        })
    }

    pub(super) fn transport_event(&self, event: EventName) -> String {
        if let Some(milestone) = self.voyage.milestone(event) {
            return transport_event::render(&transport_event::View {
                timestamp: Some(milestone.at),
                zone: milestone.zone.as_deref(),
                locode: milestone.locode,
                terminal: milestone.terminal.as_deref(),
                vessel: milestone.vessel.as_ref(),
                voyage: milestone.voyage.as_deref(),
                ..self.plain(event, milestone.source)
            });
        }
        match event {
            EventName::EstimatedVesselDeparted
            | EventName::EstimatedVesselArrived
            | EventName::EstimatedArrivedAtInlandDestination => self.estimated(event),
            _ => self.moved(event),
        }
    }

    fn estimated(&self, event: EventName) -> String {
        let estimate = self.voyage.estimate(event);
        transport_event::render(&transport_event::View {
            timestamp: Some(estimate.at),
            zone: estimate.zone.as_deref(),
            locode: estimate.locode,
            vessel: estimate.vessel.as_ref(),
            voyage: estimate.voyage.as_deref(),
            ..self.plain(event, estimate.source)
        })
    }

    /// A last free day or an appointment that moved.
    fn moved(&self, event: EventName) -> String {
        let plain = transport_event::View {
            timestamp: Some(self.voyage.told_at),
            ..self.plain(event, SourceKind::TerminalApi)
        };
        transport_event::render(&rescheduled(plain, &self.state))
    }

    pub(super) fn arrival(&self) -> String {
        let estimate = self.voyage.estimate(EventName::EstimatedVesselArrived);
        estimated_event::render(&estimated_event::View {
            id: event_id(EventName::ShipmentEstimatedArrival),
            estimated_at: estimate.at,
            locode: estimate.locode,
            zone: estimate.zone.as_deref(),
            vessel: estimate.vessel.as_ref(),
            voyage: estimate.voyage.as_deref(),
            source: estimate.source,
            created_at: self.voyage.told_at,
            shipment: shipment(),
            gazetteer: &self.gazetteer,
        })
    }

    pub(super) fn created(&self) -> String {
        container_created_event::render(&container_created_event::View {
            id: event_id(EventName::ContainerCreated),
            at: self.voyage.told_at,
            container: container(),
            shipment: shipment(),
        })
    }

    /// The release at the terminal: free to collect, the hold gone, the exam charged, a later day.
    pub(super) fn updated(&self) -> String {
        let now = &self.state.pickup;
        let changeset = [
            Changed::AvailableForPickup(Some(false), Some(true)),
            Changed::PickupLfdOf(LfdOwner::Terminal, None, now.lfd_terminal.clone()),
            Changed::Holds(vec![customs_hold()], Vec::new()),
            Changed::Fees(Vec::new(), vec![exam_fee()]),
        ];
        container_updated_event::render(&container_updated_event::View {
            id: event_id(EventName::ContainerUpdated),
            changeset: &changeset,
            at: self.voyage.told_at,
            zone: Some(zone(LOS_ANGELES)),
            terminal: Some(PIER),
            container: container(),
            shipment: shipment(),
            gazetteer: &self.gazetteer,
        })
    }

    pub(super) fn pier_changed(&self) -> String {
        container_pod_terminal_changed_event::render(&container_pod_terminal_changed_event::View {
            id: event_id(EventName::PodTerminalChanged),
            at: self.voyage.told_at,
            terminal: Some(PIER),
            container: container(),
            shipment: shipment(),
            source: SourceKind::CarrierApi,
            gazetteer: &self.gazetteer,
        })
    }

    fn plain(&self, event: EventName, source: SourceKind) -> transport_event::View<'_> {
        transport_event::View {
            id: event_id(event),
            name: event,
            timestamp: None,
            zone: None,
            locode: None,
            terminal: None,
            vessel: None,
            voyage: None,
            source,
            value: None,
            created_at: self.voyage.told_at,
            invalidated_at: None,
            shipment: shipment(),
            container: container(),
            source_event: None,
            previous_version: None,
            gazetteer: &self.gazetteer,
        }
    }

    /// Every change so far was a version.
    fn version(&self) -> i64 {
        let told = self.state.milestones.len();
        i64::try_from(told).unwrap_or_default() + 1
    }

    /// When the box was lifted off the vessel.
    pub(super) fn discharged_at(&self) -> Timestamp {
        let lifted = self.state.milestone(EventName::VesselDischarged);
        lifted.map_or(self.voyage.told_at, |milestone| milestone.at)
    }
}

fn event_id(event: EventName) -> EventId {
    let place = EventName::ALL.iter().position(|name| *name == event);
    id(EVENT + place.unwrap_or_default() as u128)
}

pub(super) fn container() -> ContainerId {
    id(BOX)
}

pub(super) fn shipment() -> ShipmentId {
    id(BILL)
}

fn request() -> TrackingRequestId {
    id(REQUEST)
}

pub(super) fn account() -> AccountId {
    id(ACCOUNT)
}

pub(super) fn webhook() -> WebhookId {
    id(HOOK)
}
