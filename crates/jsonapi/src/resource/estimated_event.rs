//! A changed estimate of a shipment's arrival.

use domain::codes::UnLocode;
use domain::container::Vessel;
use domain::event::EventName;
use domain::ids::{EventId, ShipmentId};
use domain::place::Gazetteer;
use domain::report::SourceKind;
use jiff::Timestamp;
use serde::Serialize;

use super::{place, source};
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Moment, Resource, Shown, ToOne};

/// What an estimated event consists of.
pub const TYPE: Type = Type {
    name: "estimated_event",
    about: "A new estimate of a shipment's arrival at its port of discharge.",
    attributes: &[
        Attribute::new("created_at", Shape::Moment),
        Attribute::new("estimated_timestamp", Shape::Moment),
        Attribute::new("event", Shape::OneOf(|| vec!["shipment.estimated.arrival"])),
        Attribute::or_null("location_locode", Shape::Text),
        Attribute::or_null("timezone", Shape::Zone),
        Attribute::or_null("voyage_number", Shape::Text),
        Attribute::new("data_source", Shape::OneOf(source::words)),
    ],
    relationships: &[
        Relationship::one("shipment", &["shipment"]),
        Relationship::one("port", &["port"]),
        Relationship::one("vessel", &["vessel"]),
    ],
    collection: None,
    versioned: false,
};

/// What an estimated event is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: EventId,
    /// The estimate.
    pub estimated_at: Timestamp,
    /// The place.
    pub locode: Option<UnLocode>,
    /// IANA zone of the place.
    pub zone: Option<&'a str>,
    /// The vessel.
    pub vessel: Option<&'a Vessel>,
    /// Voyage number as sent.
    pub voyage: Option<&'a str>,
    /// Which kind of feed won.
    pub source: SourceKind,
    /// When it was recorded.
    pub created_at: Timestamp,
    /// The shipment.
    pub shipment: ShipmentId,
    /// Where the places are.
    pub gazetteer: &'a Gazetteer,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let attributes = Attributes {
        created_at: Moment(view.created_at),
        estimated_timestamp: Moment(view.estimated_at),
        event: EventName::ShipmentEstimatedArrival.as_str(),
        location_locode: view.locode.map(Shown),
        timezone: view.zone,
        voyage_number: view.voyage,
        data_source: source::word(view.source),
    };
    let relationships = Relationships {
        shipment: ToOne::to("shipment", view.shipment),
        port: place::port(view.locode, view.gazetteer),
        vessel: place::vessel(view.vessel),
    };
    Resource::new(TYPE.name, view.id, attributes, relationships).text()
}

#[derive(Serialize)]
struct Relationships {
    shipment: ToOne,
    port: ToOne,
    vessel: ToOne,
}

#[derive(Serialize)]
struct Attributes<'a> {
    created_at: Moment,
    estimated_timestamp: Moment,
    event: &'static str,
    location_locode: Option<Shown<UnLocode>>,
    timezone: Option<&'a str>,
    voyage_number: Option<&'a str>,
    data_source: &'static str,
}
