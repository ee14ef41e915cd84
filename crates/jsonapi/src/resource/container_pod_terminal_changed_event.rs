//! The terminal of discharge changed.

use domain::ids::{ContainerId, EventId, ShipmentId};
use domain::place::Gazetteer;
use domain::report::SourceKind;
use jiff::Timestamp;
use serde::Serialize;

use super::{place, source};
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Moment, Resource, ToOne};

/// What a container pod terminal changed event consists of.
pub const TYPE: Type = Type {
    name: "container_pod_terminal_changed_event",
    about: "The terminal at the port of discharge changed; the terminal is the new one.",
    attributes: &[
        Attribute::new("timestamp", Shape::Moment),
        Attribute::new("data_source", Shape::OneOf(source::words)),
    ],
    relationships: &[
        Relationship::one("container", &["container"]),
        Relationship::one("shipment", &["shipment"]),
        Relationship::one("terminal", &["terminal", "rail_terminal"]),
    ],
    collection: None,
    versioned: false,
};

/// What a container pod terminal changed event is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: EventId,
    /// When the change was seen.
    pub at: Timestamp,
    /// Our code of the new terminal.
    pub terminal: Option<&'a str>,
    /// The box.
    pub container: ContainerId,
    /// Its shipment.
    pub shipment: ShipmentId,
    /// Which kind of feed said so.
    pub source: SourceKind,
    /// Where the places are.
    pub gazetteer: &'a Gazetteer,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let attributes = Attributes {
        timestamp: Moment(view.at),
        data_source: source::word(view.source),
    };
    let relationships = Relationships {
        container: ToOne::to("container", view.container),
        shipment: ToOne::to("shipment", view.shipment),
        terminal: place::terminal(view.terminal, view.gazetteer),
    };
    Resource::new(TYPE.name, view.id, attributes, relationships).text()
}

#[derive(Serialize)]
struct Relationships {
    container: ToOne,
    shipment: ToOne,
    terminal: ToOne,
}

#[derive(Serialize)]
struct Attributes {
    timestamp: Moment,
    data_source: &'static str,
}
