//! The body of a delivery, rendered once.
//!
//! It carries everything a receiver may want to look at without asking back: the event, the container, the
//! shipment, the request, and the places and the vessel the event names. News of a whole shipment carry its
//! containers, those that were there first where there are too many: a box that came with the shipment has no news of its
//! own, one that joined it later has.
//!
//! News of a shipment of a thousand boxes have megabytes, once for each webhook that hears them. So [one go](complete) renders
//! up to a number of bytes, reads such shipments one after the other, and leaves the rest for the next; and what is long
//! [stays in the store](leave_long) until its attempt begins.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use domain::codes::UnLocode;
use domain::ids::{
    AccountId, ContainerId, EventId, NotificationId, ReferenceId, ShipmentId, TrackingRequestId,
};
use domain::place::{Gazetteer, Terminal};
use domain::webhook::DeliveryStatus;
use jsonapi::linkage;
use jsonapi::resource::{render_site, terminal, webhook_notification};
use serde::Deserialize;
use store::delivery::{Body, Claimed};
use store::notification::Notification;
use store::{Listed, Tx};
use uuid::Uuid;

use crate::{Source, Tracking, vessels};

/// Containers that news of a shipment carry at most, up to some ten megabytes of them; the shipment names them all.
pub(crate) const CONTAINERS_INCLUDED_MAX: usize = 1_000;

/// Bytes of bodies that one transaction renders, and one body more.
pub(super) const RENDERED_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Bytes of a body that stays in hand until it is sent. A thousand deliveries may be in hand; those of one box have some six
/// thousand bytes.
const IN_HAND_BYTES_MAX: usize = 64 * 1024;

/// Renders and stores the bodies of those that are claimed for the first time, one at least and no more than some `bytes_max`
/// together. Takes out those that got none, and returns them. What is not among the `known` documents is read.
pub(super) fn complete(
    tx: &mut Tx,
    tracking: &Tracking,
    claimed: &mut Vec<Claimed>,
    mut known: Documents<'_>,
    bytes_max: usize,
) -> Result<Vec<Claimed>, store::Error> {
    let is_unmade = |delivery: &Claimed| delivery.body == Body::Unmade;
    let (whole, of_one): (Vec<&Claimed>, Vec<&Claimed>) = claimed
        .iter()
        .filter(|delivery| is_unmade(delivery))
        .partition(|delivery| is_of_request(&delivery.notification));
    known.read_for(tx, &of_one)?;
    let mut bytes = 0_usize;
    let mut fresh: HashMap<NotificationId, String> = HashMap::new();
    for delivery in of_one.into_iter().chain(whole) {
        if bytes >= bytes_max {
            break;
        }
        // One at a time: what is read for them is as long as they are.
        if is_of_request(&delivery.notification) {
            known.read_for(tx, &[delivery])?;
        }
        let body = render(tracking, &known, delivery);
        bytes = bytes.saturating_add(body.len());
        fresh.insert(delivery.notification.id, body);
    }
    if !fresh.is_empty() {
        let bodies: Vec<_> = fresh.iter().map(|(id, body)| (*id, body)).collect();
        store::delivery::store_bodies(tx, &bodies)?;
    }
    for delivery in claimed.iter_mut() {
        if let Some(body) = fresh.remove(&delivery.notification.id) {
            delivery.body = Body::InHand(body);
        }
    }
    Ok(claimed
        .extract_if(.., |delivery| is_unmade(delivery))
        .collect())
}

/// Lets go of bodies that are too long to wait in hand: they are stored.
pub(super) fn leave_long(claimed: &mut [Claimed]) {
    for delivery in claimed {
        let text = delivery.body.text();
        if text.is_some_and(|text| text.len() > IN_HAND_BYTES_MAX) {
            delivery.body = Body::Kept;
        }
    }
}

/// Whether these can be read: the bodies that they have, and what is needed for those that they have not yet.
pub(super) fn check(
    tx: &mut Tx,
    tracking: &Tracking,
    claimed: &[Claimed],
) -> Result<(), store::Error> {
    for delivery in claimed {
        match delivery.body {
            Body::InHand(_) => {}
            Body::Kept => drop(store::delivery::body(tx, delivery.notification.id)?),
            Body::Unmade => {
                let mut documents = Documents::default();
                documents.read_for(tx, &[delivery])?;
                render(tracking, &documents, delivery);
            }
        }
    }
    Ok(())
}

/// Rendered resources by id.
#[derive(Default)]
pub(crate) struct Documents<'d> {
    by_id: HashMap<Uuid, Cow<'d, str>>,
    /// What events among them name.
    named: HashMap<EventId, Named>,
}

impl<'d> Documents<'d> {
    /// Documents that whoever asks for bodies has in hand, as they are stored.
    pub(crate) fn in_hand(documents: impl Iterator<Item = (Uuid, &'d str)>) -> Self {
        Self {
            by_id: documents.map(|(id, text)| (id, text.into())).collect(),
            named: HashMap::new(),
        }
    }

    /// Reads what the bodies of these deliveries need besides.
    fn read_for(&mut self, tx: &mut Tx, deliveries: &[&Claimed]) -> Result<(), store::Error> {
        let mut wanted: HashMap<AccountId, Wanted> = HashMap::new();
        for delivery in deliveries {
            let wanted = wanted.entry(delivery.account).or_default();
            wanted.add(&delivery.notification);
        }
        let mut events = Vec::new();
        for (account, wanted) in wanted {
            events.extend(wanted.events.iter().copied());
            wanted.read(tx, account, self)?;
        }
        self.read_vessels(tx, &events)
    }

    fn take_in(&mut self, read: Vec<Listed>) {
        let read = read.into_iter();
        self.by_id
            .extend(read.map(|listed| (listed.id, listed.document.into())));
    }

    fn without_known<T: Ord + Copy + Into<Uuid>>(&self, mut ids: Vec<T>) -> Vec<T> {
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| !self.by_id.contains_key(&(*id).into()));
        ids
    }

    /// The vessels that these events name.
    fn read_vessels(&mut self, tx: &mut Tx, events: &[EventId]) -> Result<(), store::Error> {
        let named = events
            .iter()
            .filter_map(|event| Some((*event, Named::of(self.get(event.0)?))));
        let named: HashMap<EventId, Named> = named.collect();
        let vessels = named.values().filter_map(Named::vessel).collect();
        let vessels: Vec<ReferenceId> = self.without_known(vessels);
        let known = store::vessel::known(tx, &vessels)?.into_iter();
        self.by_id
            .extend(known.map(|(id, known)| (id.0, vessels::render(&known, None, None).into())));
        self.named.extend(named);
        Ok(())
    }

    fn get(&self, id: Uuid) -> Option<&str> {
        self.by_id.get(&id).map(AsRef::as_ref)
    }
}

/// Ids to read for one account.
#[derive(Default)]
struct Wanted {
    events: Vec<EventId>,
    containers: Vec<ContainerId>,
    shipments: Vec<ShipmentId>,
    requests: Vec<TrackingRequestId>,
    /// Shipments whose containers are told with them.
    whole: HashSet<ShipmentId>,
}

impl Wanted {
    fn add(&mut self, about: &Notification) {
        self.containers.extend(about.container);
        self.shipments.extend(about.shipment);
        self.requests.extend(about.tracking_request);
        if is_of_request(about) {
            self.whole.extend(about.shipment);
        } else {
            self.events.push(EventId(about.reference));
        }
    }

    fn read(
        mut self,
        tx: &mut Tx,
        account: AccountId,
        documents: &mut Documents<'_>,
    ) -> Result<(), store::Error> {
        let mut a = tx.account(account);
        let shipments = documents.without_known(self.shipments);
        documents.take_in(store::shipment::documents(&mut a, &shipments)?);
        let whole = self.whole.iter().filter_map(|id| documents.get(id.0));
        self.containers.extend(whole.flat_map(containers_of));
        let containers = documents.without_known(self.containers);
        documents.take_in(store::container::documents(&mut a, &containers)?);
        let events = documents.without_known(self.events);
        documents.take_in(store::event::documents(&mut a, &events)?);
        let requests = documents.without_known(self.requests);
        documents.take_in(store::tracking_request::documents(&mut a, &requests)?);
        Ok(())
    }
}

/// What a delivery of this notification carries, as these records stand now.
pub fn carried(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    about: &Notification,
) -> Result<Vec<String>, store::Error> {
    let mut wanted = Wanted::default();
    wanted.add(about);
    let events = wanted.events.clone();
    let mut documents = Documents::default();
    wanted.read(tx, account, &mut documents)?;
    documents.read_vessels(tx, &events)?;
    let carried = included(&documents, &Places::of(tracking), about).into_iter();
    Ok(carried.map(Cow::into_owned).collect())
}

/// The body of a delivery, of documents that were [read for it](Documents::read_for).
fn render(tracking: &Tracking, documents: &Documents<'_>, delivery: &Claimed) -> String {
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
    let included = included(documents, &Places::of(tracking), about);
    let included: Vec<&str> = included.iter().map(AsRef::as_ref).collect();
    webhook_notification::delivery_body(&view, tracking.base_url(), &included)
}

/// Where the places are, and who tells of what is inside them.
struct Places<'a> {
    gazetteer: &'a Gazetteer,
    sources: Vec<&'a Source>,
}

impl<'a> Places<'a> {
    fn of(tracking: &'a Tracking) -> Self {
        Self {
            gazetteer: tracking.gazetteer(),
            sources: tracking.sources().collect(),
        }
    }

    fn text(&self, pier: &Terminal) -> String {
        let sources = self.sources.iter().copied();
        terminal::render(&terminal::View {
            terminal: pier,
            provided: &Source::told_inside(sources, pier, self.gazetteer),
            gazetteer: self.gazetteer,
        })
    }
}

/// What goes with a notification, each once.
fn included<'d>(
    documents: &'d Documents<'_>,
    places: &Places<'_>,
    about: &Notification,
) -> Vec<Cow<'d, str>> {
    let shipment = about.shipment.and_then(|id| documents.get(id.0));
    let boxes = match (about.container, shipment) {
        (Some(id), _) => vec![id],
        (None, Some(whole)) if is_of_request(about) => containers_of(whole),
        (None, _) => Vec::new(),
    };
    let boxes = boxes.into_iter().filter_map(|id| documents.get(id.0));
    let request = about
        .tracking_request
        .filter(|id| id.0 != about.reference)
        .and_then(|id| documents.get(id.0));
    let reference = documents.get(about.reference);
    let named = match documents.named.get(&EventId(about.reference)) {
        Some(named) => Cow::Borrowed(named),
        None => Cow::Owned(reference.map(Named::of).unwrap_or_default()),
    };
    let discharged_at = || {
        shipment
            .filter(|_| is_of_discharge(about))
            .and_then(discharge)
    };
    let places = named.places(places, discharged_at);
    let places = places.into_iter().map(Cow::Owned);
    let vessel = named.vessel().and_then(|id| documents.get(id.0));
    let mut included: Vec<Cow<'d, str>> = shipment.map(Cow::Borrowed).into_iter().collect();
    included.extend(boxes.chain(request).map(Cow::Borrowed));
    included.extend(places);
    included.extend(vessel.into_iter().chain(reference).map(Cow::Borrowed));
    included
}

/// Whether it is about the box at the end of its voyage, and names no place but a terminal.
fn is_of_discharge(about: &Notification) -> bool {
    matches!(
        about.reference_type.as_str(),
        "container_updated_event" | "container_pod_terminal_changed_event"
    )
}

/// The port of discharge of a rendered shipment.
fn discharge(shipment: &str) -> Option<UnLocode> {
    #[derive(Deserialize)]
    struct Shipment {
        attributes: Voyage,
    }
    #[derive(Deserialize)]
    struct Voyage {
        port_of_discharge_locode: Option<String>,
    }
    let shipment: Shipment = serde_json::from_str(shipment).ok()?;
    UnLocode::from_store(&shipment.attributes.port_of_discharge_locode?).ok()
}

/// Whether its body carries the boxes of a shipment.
pub(super) fn is_of_shipment(about: &Notification) -> bool {
    is_of_request(about) && about.shipment.is_some()
}

fn is_of_request(about: &Notification) -> bool {
    about.reference_type == "tracking_request"
}

/// The containers that a rendered shipment names, as far as they go with its news. Ids sort as they were drawn, so the first
/// are those of the shipment's beginning, however it names them.
fn containers_of(shipment: &str) -> Vec<ContainerId> {
    let named = linkage::targets(shipment, "containers").into_iter();
    let mut named: Vec<ContainerId> = named.map(|link| ContainerId(link.id)).collect();
    if named.len() > CONTAINERS_INCLUDED_MAX {
        named.sort_unstable();
        named.truncate(CONTAINERS_INCLUDED_MAX);
    }
    named
}

/// The places and the vessel that a rendered event names.
#[derive(Clone, Default, Deserialize)]
struct Named {
    #[serde(default)]
    attributes: NamedAttributes,
    #[serde(default)]
    relationships: NamedRelationships,
}

#[derive(Clone, Default, Deserialize)]
struct NamedRelationships {
    #[serde(default)]
    terminal: Linked,
    #[serde(default)]
    vessel: Linked,
}

#[derive(Clone, Default, Deserialize)]
struct NamedAttributes {
    #[serde(default)]
    location_locode: Option<String>,
    #[serde(default)]
    changeset: NamedChangeset,
}

#[derive(Clone, Default, Deserialize)]
struct NamedChangeset {
    /// The terminal before and after, where it changed.
    #[serde(default)]
    pod_terminal: Vec<Option<String>>,
}

/// Linkage of one, or of none.
#[derive(Clone, Default, Deserialize)]
struct Linked {
    #[serde(default)]
    data: Option<Link>,
}

#[derive(Clone, Deserialize)]
struct Link {
    id: String,
}

impl Linked {
    fn id(&self) -> Option<ReferenceId> {
        self.data.as_ref()?.id.parse().ok().map(ReferenceId)
    }
}

impl Named {
    fn of(document: &str) -> Self {
        serde_json::from_str(document).unwrap_or_default()
    }

    fn vessel(&self) -> Option<ReferenceId> {
        self.relationships.vessel.id()
    }

    /// The place, the terminal, and the terminal before when it changed. A terminal that stands for itself
    /// brings its port; where there is none either, that of the discharge stands in.
    fn places(
        &self,
        places: &Places<'_>,
        discharged_at: impl FnOnce() -> Option<UnLocode>,
    ) -> Vec<String> {
        let gazetteer = places.gazetteer;
        let locode = self.attributes.location_locode.as_deref();
        let locode = locode.and_then(|text| UnLocode::from_store(text).ok());
        let before = self.attributes.changeset.pod_terminal.iter().flatten();
        let mut named: Vec<ReferenceId> = self.relationships.terminal.id().into_iter().collect();
        named.extend(before.filter_map(|id| id.parse().ok().map(ReferenceId)));
        let mut terminals: Vec<&Terminal> = Vec::new();
        for id in named {
            let known = |t: &&Terminal| terminal::id(&t.code) == id;
            // Where the event happened, most likely.
            let here = locode.and_then(|port| gazetteer.terminals_in(port).find(known));
            let found = here.or_else(|| gazetteer.terminals().find(known));
            terminals.extend(found.filter(|t| !terminals.contains(t)));
        }
        let site = locode
            .or_else(|| terminals.first().map(|terminal| terminal.port))
            .or_else(discharged_at);
        let site = site.and_then(|locode| render_site(locode, gazetteer));
        let terminals = terminals.into_iter();
        site.into_iter()
            .chain(terminals.map(|found| places.text(found)))
            .collect()
    }
}

/// The id as text, for headers.
pub(super) fn id_text(id: NotificationId) -> String {
    id.to_string()
}

#[cfg(test)]
mod tests {
    use domain::event::EventName;
    use jsonapi::example;
    use serde_json::{Value, json};
    use sources::registry::Registry;
    use std::collections::BTreeSet;

    use super::*;

    /// The sample of an event, taken apart: what the store would have, and the notification.
    fn sample(event: EventName) -> (Documents<'static>, Notification, BTreeSet<String>) {
        let told = example::delivery(event, "https://quay.example/v2", example::MOMENT);
        let told: Value = serde_json::from_str(&told).unwrap();
        let id = |value: &Value| -> Uuid { value["id"].as_str().unwrap().parse().unwrap() };
        let mut documents = Documents::default();
        let mut of = HashMap::new();
        let mut names = BTreeSet::new();
        for one in told["included"].as_array().unwrap() {
            let kind = one["type"].as_str().unwrap();
            names.insert(name(one));
            if !["port", "metro_area", "terminal", "rail_terminal"].contains(&kind) {
                documents.by_id.insert(id(one), one.to_string().into());
                of.insert(kind.to_owned(), id(one));
            }
        }
        let reference = &told["data"]["relationships"]["reference_object"]["data"];
        let kind = reference["type"].as_str().unwrap();
        let is_of_box = !["tracking_request", "estimated_event"].contains(&kind);
        let about = Notification {
            id: NotificationId(id(&told["data"])),
            webhook: Uuid::nil().into(),
            event,
            reference_type: kind.to_owned(),
            reference: id(reference),
            container: of
                .get("container")
                .filter(|_| is_of_box)
                .map(|id| (*id).into()),
            shipment: of.get("shipment").map(|id| (*id).into()),
            tracking_request: of.get("tracking_request").map(|id| (*id).into()),
            version: 1,
            created_at: example::MOMENT,
            status: DeliveryStatus::Pending,
        };
        (documents, about, names)
    }

    /// Places of which no source tells.
    fn unspoken(registry: &Registry) -> Places<'_> {
        Places {
            gazetteer: registry.gazetteer(),
            sources: Vec::new(),
        }
    }

    fn name(resource: &Value) -> String {
        format!("{} {}", resource["type"], resource["id"])
    }

    /// What the sample world shows is what a delivery brings, event by event, with the places of the tables.
    #[test]
    fn a_delivery_includes_what_its_sample_shows() {
        let registry = Registry::load(&[]).unwrap();
        for event in EventName::ALL {
            let (documents, about, expected) = sample(event);
            let told = included(&documents, &unspoken(&registry), &about);
            let names: Vec<String> = told
                .iter()
                .map(|text| name(&serde_json::from_str(text).unwrap()))
                .collect();
            let once: BTreeSet<String> = names.iter().cloned().collect();
            assert_eq!(once.len(), names.len(), "{}: each once", event.as_str());
            assert_eq!(once, expected, "{}", event.as_str());
        }
    }

    #[test]
    fn without_a_terminal_the_port_of_discharge_goes_with_it() {
        let registry = Registry::load(&[]).unwrap();
        for event in [EventName::ContainerUpdated, EventName::PodTerminalChanged] {
            let (mut documents, about, _) = sample(event);
            let text = documents.get(about.reference).unwrap();
            let mut reference: Value = serde_json::from_str(text).unwrap();
            reference["relationships"]["terminal"]["data"] = Value::Null;
            if let Some(changeset) = reference["attributes"].get_mut("changeset") {
                *changeset = json!({});
            }
            let text = reference.to_string().into();
            documents.by_id.insert(about.reference, text);
            documents.named.clear();
            let told = included(&documents, &unspoken(&registry), &about);
            let told = told.iter().map(|text| serde_json::from_str(text).unwrap());
            let kinds: Vec<String> = told.map(|one: Value| one["type"].to_string()).collect();
            assert!(kinds.contains(&"\"port\"".into()), "{kinds:?}");
            assert!(!kinds.contains(&"\"terminal\"".into()), "{kinds:?}");
        }
    }

    /// What joined later may stand before them in the shipment, and was told by itself.
    #[test]
    fn of_too_many_boxes_those_of_the_beginning_go_with_the_shipment() {
        let drawn: Vec<ContainerId> = (0..1_003).map(|n| Uuid::from_u128(n).into()).collect();
        let named = drawn.iter().rev();
        let named: Vec<Value> = named
            .map(|id| json!({"type": "container", "id": id.to_string()}))
            .collect();
        let shipment = json!({"relationships": {"containers": {"data": named}}});
        let carried = containers_of(&shipment.to_string());
        assert_eq!(carried, drawn[..CONTAINERS_INCLUDED_MAX]);
    }

    /// As it is fetched.
    #[test]
    fn a_terminal_provides_what_its_source_maps() {
        let registry = Registry::load(&[]).unwrap();
        let sheet = sources::terminal::templates().last().unwrap().text;
        let sheet = Source::unasked(sources::Profile::parse(sheet).unwrap());
        let places = Places {
            sources: vec![&sheet],
            ..unspoken(&registry)
        };
        for (code, is_told) in [("USOAK-Z985", true), ("USLAX-Y258", false)] {
            let pier = registry.gazetteer().terminal(code).unwrap();
            let told: Value = serde_json::from_str(&places.text(pier)).unwrap();
            let provided = &told["attributes"]["provided_data"];
            assert_eq!(provided["holds_at_pod_terminal"], is_told, "{code}");
        }
    }

    #[test]
    fn a_changed_terminal_brings_both() {
        let registry = Registry::load(&[]).unwrap();
        let id = |code: &str| terminal::id(code).to_string();
        let event = json!({
            "attributes": {"changeset": {"pod_terminal": [id("USLAX-W185"), id("USLAX-Y258")]}},
            "relationships": {"terminal": {"data": {"type": "terminal", "id": id("USLAX-Y258")}}},
        });
        let places = Named::of(&event.to_string()).places(&unspoken(&registry), || None);
        let kinds: Vec<String> = places
            .iter()
            .filter_map(|text| linkage::kind(text))
            .collect();
        assert_eq!(kinds.iter().filter(|kind| *kind == "terminal").count(), 2);
        assert_eq!(kinds.len(), 3, "and the place they stand in: {kinds:?}");
    }
}
