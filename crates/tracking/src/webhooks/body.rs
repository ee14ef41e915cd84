//! The body of a delivery, rendered once.
//!
//! It carries everything a receiver may want to look at without asking back: the event, the container, the
//! shipment, the request, and the places and the vessel the event names.

use std::collections::HashMap;

use domain::ids::{
    AccountId, ContainerId, EventId, NotificationId, ReferenceId, ShipmentId, TrackingRequestId,
};
use domain::webhook::DeliveryStatus;
use jsonapi::resource::{render_site, terminal, webhook_notification};
use serde::Deserialize;
use store::Tx;
use store::delivery::Claimed;
use uuid::Uuid;

use crate::Tracking;

/// Renders and stores the bodies of those that are claimed for the first time.
pub(super) fn complete(
    tx: &mut Tx,
    tracking: &Tracking,
    claimed: &mut [Claimed],
) -> Result<(), store::Error> {
    let documents = Documents::read(tx, claimed)?;
    let mut fresh = Vec::new();
    for delivery in claimed
        .iter_mut()
        .filter(|delivery| delivery.body.is_none())
    {
        let body = render(tracking, &documents, delivery);
        fresh.push((delivery.notification.id, body.clone()));
        delivery.body = Some(body);
    }
    if fresh.is_empty() {
        return Ok(());
    }
    store::delivery::store_bodies(tx, &fresh)
}

/// Rendered resources by id.
#[derive(Default)]
struct Documents {
    by_id: HashMap<Uuid, String>,
}

impl Documents {
    fn read(tx: &mut Tx, claimed: &[Claimed]) -> Result<Self, store::Error> {
        let mut wanted: HashMap<AccountId, Wanted> = HashMap::new();
        for delivery in claimed.iter().filter(|delivery| delivery.body.is_none()) {
            wanted.entry(delivery.account).or_default().add(delivery);
        }
        let mut documents = Self::default();
        for (account, wanted) in wanted {
            wanted.read(tx, account, &mut documents)?;
        }
        documents.read_vessels(tx)?;
        Ok(documents)
    }

    fn read_vessels(&mut self, tx: &mut Tx) -> Result<(), store::Error> {
        let named = self
            .by_id
            .values()
            .filter_map(|document| Named::of(document).vessel());
        let mut named: Vec<ReferenceId> = named.collect();
        named.sort_unstable();
        named.dedup();
        for found in store::vessel::documents(tx, &named)? {
            self.by_id.insert(found.id, found.document);
        }
        Ok(())
    }

    fn get(&self, id: Uuid) -> Option<&str> {
        self.by_id.get(&id).map(String::as_str)
    }
}

/// Ids to read for one account.
#[derive(Default)]
struct Wanted {
    events: Vec<EventId>,
    containers: Vec<ContainerId>,
    shipments: Vec<ShipmentId>,
    requests: Vec<TrackingRequestId>,
}

impl Wanted {
    fn add(&mut self, delivery: &Claimed) {
        let about = &delivery.notification;
        self.containers.extend(about.container);
        self.shipments.extend(about.shipment);
        self.requests.extend(about.tracking_request);
        if about.reference_type != "tracking_request" {
            self.events.push(EventId(about.reference));
        }
    }

    fn read(
        mut self,
        tx: &mut Tx,
        account: AccountId,
        documents: &mut Documents,
    ) -> Result<(), store::Error> {
        unique(&mut self.events);
        unique(&mut self.containers);
        unique(&mut self.shipments);
        unique(&mut self.requests);
        let mut a = tx.account(account);
        let found = store::event::documents(&mut a, &self.events)?
            .into_iter()
            .chain(store::container::documents(&mut a, &self.containers)?)
            .chain(store::shipment::documents(&mut a, &self.shipments)?)
            .chain(store::tracking_request::documents(&mut a, &self.requests)?);
        documents
            .by_id
            .extend(found.map(|listed| (listed.id, listed.document)));
        Ok(())
    }
}

fn unique<T: Ord>(ids: &mut Vec<T>) {
    ids.sort_unstable();
    ids.dedup();
}

fn render(tracking: &Tracking, documents: &Documents, delivery: &Claimed) -> String {
    let about = &delivery.notification;
    let view = webhook_notification::View {
        id: about.id,
        event: about.event,
        status: DeliveryStatus::Pending,
        created_at: about.created_at,
        webhook: about.webhook,
        reference_type: &about.reference_type,
        reference: about.reference,
        version: about.version,
        attempts: &[],
    };
    let reference = documents.get(about.reference);
    let places = reference
        .map(|document| Named::of(document).places(tracking))
        .unwrap_or_default();
    let vessel = reference.and_then(|document| Named::of(document).vessel());
    let included: Vec<&str> = [
        about.shipment.and_then(|id| documents.get(id.0)),
        about.container.and_then(|id| documents.get(id.0)),
        about
            .tracking_request
            .filter(|id| id.0 != about.reference)
            .and_then(|id| documents.get(id.0)),
    ]
    .into_iter()
    .flatten()
    .chain(places.iter().map(String::as_str))
    .chain(vessel.and_then(|id| documents.get(id.0)))
    .chain(reference)
    .collect();
    webhook_notification::delivery_body(&view, tracking.base_url(), &included)
}

/// The places and the vessel that a rendered event names.
#[derive(Default, Deserialize)]
struct Named {
    #[serde(default)]
    attributes: NamedAttributes,
    #[serde(default)]
    relationships: HashMap<String, Linked>,
}

#[derive(Default, Deserialize)]
struct NamedAttributes {
    #[serde(default)]
    location_locode: Option<String>,
}

#[derive(Deserialize)]
struct Linked {
    #[serde(default)]
    data: Linkage,
}

/// Linkage of one, of many or of none; only the first kind names a place.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Linkage {
    One {
        id: String,
    },
    #[default]
    None,
    #[expect(
        dead_code,
        reason = "read past: linkage of many names no place of an event"
    )]
    Many(Vec<serde::de::IgnoredAny>),
}

impl Named {
    fn of(document: &str) -> Self {
        serde_json::from_str(document).unwrap_or_default()
    }

    fn linked(&self, name: &str) -> Option<ReferenceId> {
        match &self.relationships.get(name)?.data {
            Linkage::One { id } => id.parse().ok().map(ReferenceId),
            Linkage::None | Linkage::Many(_) => None,
        }
    }

    fn vessel(&self) -> Option<ReferenceId> {
        self.linked("vessel")
    }

    fn places(&self, tracking: &Tracking) -> Vec<String> {
        let gazetteer = tracking.gazetteer();
        let locode = self.attributes.location_locode.as_deref();
        let site = locode
            .and_then(|text| domain::codes::UnLocode::parse(text).ok())
            .and_then(|locode| render_site(locode, gazetteer));
        let terminal = self
            .linked("terminal")
            .and_then(|id| gazetteer.terminals().find(|t| terminal::id(&t.code) == id))
            .map(|terminal| terminal::render(terminal, gazetteer));
        site.into_iter().chain(terminal).collect()
    }
}

/// The id as text, for headers.
pub(super) fn id_text(id: NotificationId) -> String {
    id.to_string()
}
