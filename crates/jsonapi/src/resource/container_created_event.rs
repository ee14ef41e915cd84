//! A box that became known after its shipment.

use domain::ids::{ContainerId, EventId, ShipmentId};
use jiff::Timestamp;
use serde::Serialize;

use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Moment, Resource, ToOne};

/// What a container created event consists of.
pub const TYPE: Type = Type {
    name: "container_created_event",
    about: "A box was added to a shipment.",
    attributes: &[
        Attribute::new("timestamp", Shape::Moment),
        Attribute::new("timezone", Shape::Zone),
    ],
    relationships: &[
        Relationship::one("container", &["container"]),
        Relationship::one("shipment", &["shipment"]),
    ],
    collection: None,
    versioned: false,
};

/// What a container created event is rendered from.
pub struct View {
    /// Its id.
    pub id: EventId,
    /// When the box became known.
    pub at: Timestamp,
    /// The box.
    pub container: ContainerId,
    /// Its shipment.
    pub shipment: ShipmentId,
}

/// The resource object as JSON text.
pub fn render(view: &View) -> String {
    let attributes = Attributes {
        timestamp: Moment(view.at),
        timezone: "Etc/UTC",
    };
    let relationships = Relationships {
        container: ToOne::to("container", view.container),
        shipment: ToOne::to("shipment", view.shipment),
    };
    Resource::new(TYPE.name, view.id, attributes, relationships).text()
}

#[derive(Serialize)]
struct Relationships {
    container: ToOne,
    shipment: ToOne,
}

#[derive(Serialize)]
struct Attributes {
    timestamp: Moment,
    timezone: &'static str,
}
