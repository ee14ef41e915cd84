//! What one reading changed on a box.

use domain::container::{Fee, Hold, LfdOwner};
use domain::event::Attribute as Changed;
use domain::ids::{ContainerId, EventId, ShipmentId};
use domain::place::Gazetteer;
use jiff::Timestamp;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::container::{FeeItem, HoldItem, lfd};
use super::place;
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Moment, Resource, Shown, ToOne, moment};

/// What a container updated event consists of.
pub const TYPE: Type = Type {
    name: "container_updated_event",
    about: "Everything that one reading changed on a box, as pairs of old and new value.",
    attributes: &[
        Attribute::new("changeset", Shape::Changeset).about("[old, new] by attribute."),
        Attribute::new("timestamp", Shape::Moment).about("When the change was picked up."),
        Attribute::or_null("timezone", Shape::Zone),
        Attribute::new("data_source", Shape::OneOf(|| vec!["terminal"]))
            .about("Always this word, which clients know; who said a value stands in the container's provenance."),
    ],
    relationships: &[
        Relationship::one("container", &["container"]),
        Relationship::one("terminal", &["terminal", "rail_terminal"]),
        Relationship::one("shipment", &["shipment"]),
    ],
    collection: None,
    versioned: false,
};

/// What a container updated event is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: EventId,
    /// What changed, never empty.
    pub changeset: &'a [Changed],
    /// When the change was picked up.
    pub at: Timestamp,
    /// IANA zone of the terminal.
    pub zone: Option<&'a str>,
    /// Our code of the terminal.
    pub terminal: Option<&'a str>,
    /// The box.
    pub container: ContainerId,
    /// Its shipment.
    pub shipment: ShipmentId,
    /// Where the places are.
    pub gazetteer: &'a Gazetteer,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let attributes = Attributes {
        changeset: Changeset(view.changeset),
        timestamp: Moment(view.at),
        timezone: view.zone,
        data_source: "terminal",
    };
    let relationships = Relationships {
        container: ToOne::to("container", view.container),
        terminal: place::terminal(view.terminal, view.gazetteer),
        shipment: ToOne::to("shipment", view.shipment),
    };
    Resource::new(TYPE.name, view.id, attributes, relationships).text()
}

struct Changeset<'a>(&'a [Changed]);

impl Serialize for Changeset<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for change in self.0 {
            pair(&mut map, change)?;
        }
        map.end()
    }
}

fn pair<M: SerializeMap>(map: &mut M, change: &Changed) -> Result<(), M::Error> {
    match change {
        Changed::AvailableForPickup(old, new) => {
            map.serialize_entry("available_for_pickup", &(old, new))
        }
        Changed::PickupLfd(old, new) => {
            map.serialize_entry("pickup_lfd", &(lfd(old.as_ref()), lfd(new.as_ref())))
        }
        Changed::PickupLfdOf(owner, old, new) => {
            let key = match owner {
                LfdOwner::Line => "pickup_lfd_line",
                LfdOwner::Terminal => "pickup_lfd_terminal",
                LfdOwner::Rail => "pickup_lfd_rail",
            };
            map.serialize_entry(key, &(lfd(old.as_ref()), lfd(new.as_ref())))
        }
        Changed::Holds(old, new) => {
            map.serialize_entry("holds_at_pod_terminal", &(holds(old), holds(new)))
        }
        Changed::Fees(old, new) => {
            map.serialize_entry("fees_at_pod_terminal", &(fees(old), fees(new)))
        }
        Changed::PickupAppointment(old, new) => {
            map.serialize_entry("pickup_appointment_at", &(moment(*old), moment(*new)))
        }
        Changed::PodTerminal(old, new) => {
            let id =
                |code: &Option<String>| code.as_deref().map(|code| Shown(place::terminal_id(code)));
            map.serialize_entry("pod_terminal", &(id(old), id(new)))
        }
        Changed::MilestoneTime(name, old, new) => {
            map.serialize_entry(name, &(moment(*old), moment(*new)))
        }
    }
}

fn holds(list: &[Hold]) -> Vec<HoldItem<'_>> {
    list.iter().map(HoldItem::of).collect()
}

fn fees(list: &[Fee]) -> Vec<FeeItem<'_>> {
    list.iter().map(FeeItem::of).collect()
}

#[derive(serde::Serialize)]
struct Relationships {
    container: ToOne,
    terminal: ToOne,
    shipment: ToOne,
}

#[derive(serde::Serialize)]
struct Attributes<'a> {
    changeset: Changeset<'a>,
    timestamp: Moment,
    timezone: Option<&'a str>,
    data_source: &'static str,
}
