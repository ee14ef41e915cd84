//! A vessel.

use domain::codes::ImoNumber;
use domain::container::Vessel;
use domain::ids::ReferenceId;
use serde::Serialize;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::{Moment, Resource, Shown};

const POSITION: &[Attribute] = &[
    Attribute::new("latitude", Shape::Number),
    Attribute::new("longitude", Shape::Number),
    Attribute::or_null("heading", Shape::Number),
    Attribute::new("timestamp", Shape::Moment),
    Attribute::new("estimated", Shape::Boolean),
];

/// What a vessel consists of.
pub const TYPE: Type = Type {
    name: "vessel",
    about: "A vessel, as named by carriers' messages.",
    attributes: &[
        Attribute::or_null("name", Shape::Text),
        Attribute::or_null("imo", Shape::Text).about("IMO number, seven digits."),
        Attribute::or_null("mmsi", Shape::Text),
        Attribute::or_null("latitude", Shape::Number),
        Attribute::or_null("longitude", Shape::Number),
        Attribute::or_null("nautical_speed_knots", Shape::Number),
        Attribute::or_null("navigational_heading_degrees", Shape::Number),
        Attribute::or_null("position_timestamp", Shape::Moment),
        Attribute::or_null("positions", Shape::Objects(POSITION)),
    ],
    relationships: &[],
    collection: None,
    versioned: false,
};

/// The id of a vessel: of its IMO number or, without one, of its name; `None` when it has neither.
pub fn id(vessel: &Vessel) -> Option<ReferenceId> {
    let code = match (vessel.imo, vessel.name.as_deref()) {
        (Some(imo), _) => imo.to_string(),
        (None, Some(name)) => name.trim().to_uppercase(),
        (None, None) => return None,
    };
    Some(ReferenceId::named("vessel", &code))
}

/// The resource object as JSON text; empty text for a vessel without number and name.
pub fn render(vessel: &Vessel) -> String {
    let attributes = Attributes {
        name: vessel.name.as_deref(),
        imo: vessel.imo.map(Shown),
        mmsi: None,
        latitude: None,
        longitude: None,
        nautical_speed_knots: None,
        navigational_heading_degrees: None,
        position_timestamp: None,
        positions: None,
    };
    id(vessel).map_or_else(String::new, |id| {
        Resource::new(TYPE.name, id, attributes, Relationships {}).text()
    })
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    name: Option<&'a str>,
    imo: Option<Shown<ImoNumber>>,
    mmsi: Option<&'a str>,
    latitude: Option<f64>,
    longitude: Option<f64>,
    nautical_speed_knots: Option<f64>,
    navigational_heading_degrees: Option<f64>,
    position_timestamp: Option<Moment>,
    positions: Option<Vec<()>>,
}
