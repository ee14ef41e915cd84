//! The way of a container, call by call.
//!
//! Two types: the route, and its locations in order. Both exist only as answers; their ids are made from the
//! container's and stay the same as long as the calls do.

use domain::ids::{ContainerId, ReferenceId, ShipmentId};
use domain::place::Gazetteer;
use domain::report::Mode;
use domain::route::{Call, Part, Passage};
use jiff::Timestamp;
use serde::Serialize;

use super::place;
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Moment, Resource, ToMany, ToOne, moment};

/// What a route consists of.
pub const TYPE: Type = Type {
    name: "route",
    about: "The way of a container, as far as it was reported.",
    attributes: &[
        Attribute::new("created_at", Shape::Moment),
        Attribute::new("updated_at", Shape::Moment),
    ],
    relationships: &[
        Relationship::one("cargo", &["container"]),
        Relationship::one("shipment", &["shipment"]),
        Relationship::many("route_locations", &["route_location"]),
    ],
    collection: None,
    versioned: false,
};

/// What a location of a route consists of.
pub const LOCATION_TYPE: Type = Type {
    name: "route_location",
    about: "One call of a container's way, with its coming and its leaving.",
    attributes: &[
        Attribute::new("id", Shape::Id),
        Attribute::or_null("inbound_scac", Shape::Text),
        Attribute::or_null("inbound_mode", Shape::OneOf(modes)),
        Attribute::or_null("inbound_eta_at", Shape::Moment)
            .about("The last estimate, also after the arrival."),
        Attribute::or_null("inbound_ata_at", Shape::Moment),
        Attribute::or_null("inbound_voyage_number", Shape::Text),
        Attribute::or_null("outbound_scac", Shape::Text),
        Attribute::or_null("outbound_mode", Shape::OneOf(modes)),
        Attribute::or_null("outbound_etd_at", Shape::Moment)
            .about("The last estimate, also after the departure."),
        Attribute::or_null("outbound_atd_at", Shape::Moment),
        Attribute::or_null("outbound_voyage_number", Shape::Text),
        Attribute::new("created_at", Shape::Moment),
        Attribute::new("updated_at", Shape::Moment),
    ],
    relationships: &[
        Relationship::one("route", &["route"]),
        Relationship::one("location", &["port", "metro_area"]),
        Relationship::one("port", &["port"]),
        Relationship::one("facility", &["terminal", "rail_terminal"]),
        Relationship::one("inbound_vessel", &["vessel"]),
        Relationship::one("outbound_vessel", &["vessel"]),
    ],
    collection: None,
    versioned: false,
};

fn modes() -> Vec<&'static str> {
    vec!["vessel", "rail"]
}

/// What a route is rendered from.
pub struct View<'a> {
    /// The container.
    pub container: ContainerId,
    /// Its shipment.
    pub shipment: ShipmentId,
    /// The line, which carries it at sea.
    pub scac: Option<&'a str>,
    /// The railroads that take it away and bring it in, as far as they are known.
    pub railroads: (Option<&'a str>, Option<&'a str>),
    /// Its way.
    pub calls: &'a [Call],
    /// When the container became known.
    pub created_at: Timestamp,
    /// When the container last changed.
    pub updated_at: Timestamp,
    /// Where the places are.
    pub gazetteer: &'a Gazetteer,
}

impl View<'_> {
    fn id(&self) -> ReferenceId {
        ReferenceId::named("route", &self.container.to_string())
    }

    fn location_id(&self, call: &Call) -> ReferenceId {
        let part = match call.part {
            Part::Lading => "lading",
            Part::Transshipment => "transshipment",
            Part::Discharge => "discharge",
            Part::Inland => "inland",
        };
        let name = format!("{}/{}/{part}", self.container, call.place);
        ReferenceId::named("route_location", &name)
    }
}

/// The route as JSON text.
pub fn render(view: &View<'_>) -> String {
    let locations: Vec<ReferenceId> = view.calls.iter().map(|c| view.location_id(c)).collect();
    let attributes = Attributes {
        created_at: Moment(view.created_at),
        updated_at: Moment(view.updated_at),
    };
    let relationships = Relationships {
        cargo: ToOne::to("container", view.container),
        shipment: ToOne::to("shipment", view.shipment),
        route_locations: ToMany::to(LOCATION_TYPE.name, &locations),
    };
    Resource::new(TYPE.name, view.id(), attributes, relationships).text()
}

/// One location as JSON text.
pub fn render_location(view: &View<'_>, call: &Call) -> String {
    let id = view.location_id(call);
    let inbound = Side::of(call.inbound.as_ref(), view.scac, view.railroads.1);
    let outbound = Side::of(call.outbound.as_ref(), view.scac, view.railroads.0);
    let attributes = LocationAttributes {
        id: id.to_string(),
        inbound_scac: inbound.scac,
        inbound_mode: inbound.mode,
        inbound_eta_at: moment(inbound.estimated_at),
        inbound_ata_at: moment(inbound.actual_at),
        inbound_voyage_number: inbound.voyage,
        outbound_scac: outbound.scac,
        outbound_mode: outbound.mode,
        outbound_etd_at: moment(outbound.estimated_at),
        outbound_atd_at: moment(outbound.actual_at),
        outbound_voyage_number: outbound.voyage,
        created_at: Moment(view.created_at),
        updated_at: Moment(view.updated_at),
    };
    let vessel = |passage: &Option<Passage>| {
        place::vessel(passage.as_ref().and_then(|passage| passage.vessel.as_ref()))
    };
    let relationships = LocationRelationships {
        route: ToOne::to(TYPE.name, view.id()),
        location: place::site(Some(call.place), view.gazetteer),
        port: place::port(Some(call.place), view.gazetteer),
        facility: place::terminal(call.terminal.as_deref(), view.gazetteer),
        inbound_vessel: vessel(&call.inbound),
        outbound_vessel: vessel(&call.outbound),
    };
    Resource::new(LOCATION_TYPE.name, id, attributes, relationships).text()
}

/// One side of a call as it is written.
#[derive(Default)]
struct Side<'a> {
    scac: Option<&'a str>,
    mode: Option<&'static str>,
    estimated_at: Option<Timestamp>,
    actual_at: Option<Timestamp>,
    voyage: Option<&'a str>,
}

impl<'a> Side<'a> {
    fn of(passage: Option<&'a Passage>, line: Option<&'a str>, railroad: Option<&'a str>) -> Self {
        let Some(passage) = passage else {
            return Self::default();
        };
        let (scac, mode) = match passage.mode {
            Some(Mode::Vessel | Mode::Barge) => (line, Some("vessel")),
            Some(Mode::Rail) => (railroad, Some("rail")),
            Some(Mode::Truck) | None => (None, None),
        };
        Self {
            scac,
            mode,
            estimated_at: passage.estimated_at,
            actual_at: passage.actual_at,
            voyage: passage.voyage.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct Attributes {
    created_at: Moment,
    updated_at: Moment,
}

#[derive(Serialize)]
struct Relationships {
    cargo: ToOne,
    shipment: ToOne,
    route_locations: ToMany,
}

#[derive(Serialize)]
struct LocationRelationships {
    route: ToOne,
    location: ToOne,
    port: ToOne,
    facility: ToOne,
    inbound_vessel: ToOne,
    outbound_vessel: ToOne,
}

#[derive(Serialize)]
struct LocationAttributes<'a> {
    id: String,
    inbound_scac: Option<&'a str>,
    inbound_mode: Option<&'static str>,
    inbound_eta_at: Option<Moment>,
    inbound_ata_at: Option<Moment>,
    inbound_voyage_number: Option<&'a str>,
    outbound_scac: Option<&'a str>,
    outbound_mode: Option<&'static str>,
    outbound_etd_at: Option<Moment>,
    outbound_atd_at: Option<Moment>,
    outbound_voyage_number: Option<&'a str>,
    created_at: Moment,
    updated_at: Moment,
}
