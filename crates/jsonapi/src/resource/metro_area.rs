//! An inland metropolitan area: what carriers mean by "Chicago", wherever the ramp is.

use domain::codes::UnLocode;
use domain::ids::ReferenceId;
use domain::place::Port;
use serde::Serialize;

use super::place;
use crate::schema::{Attribute, Shape, Type};
use crate::wire::{Resource, Shown};

/// What a metropolitan area consists of.
pub const TYPE: Type = Type {
    name: "metro_area",
    about: "An inland metropolitan area with one or more rail ramps.",
    attributes: &[
        Attribute::new("id", Shape::Id),
        Attribute::new("name", Shape::Text),
        Attribute::new("code", Shape::Text).about("UN/LOCODE."),
        Attribute::or_null("state_abbr", Shape::Text),
        Attribute::new("country_code", Shape::Text).about("ISO 3166-1, two letters."),
        Attribute::or_null("latitude", Shape::Number),
        Attribute::or_null("longitude", Shape::Number),
        Attribute::new("time_zone", Shape::Zone),
    ],
    relationships: &[],
    collection: Some("metro_areas"),
    versioned: false,
};

/// The id of the area with this code.
pub fn id(locode: UnLocode) -> ReferenceId {
    place::metro_area_id(locode)
}

/// The resource object as JSON text.
pub fn render(area: &Port) -> String {
    let id = id(area.locode);
    let attributes = Attributes {
        id: Shown(id),
        name: &area.name,
        code: Shown(area.locode),
        state_abbr: area.state.as_deref(),
        country_code: area.locode.country(),
        latitude: area.coordinates.map(|(latitude, _)| latitude),
        longitude: area.coordinates.map(|(_, longitude)| longitude),
        time_zone: &area.zone,
    };
    Resource::new(TYPE.name, id, attributes, Relationships {})
        .linked("metro_areas")
        .text()
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    id: Shown<ReferenceId>,
    name: &'a str,
    code: Shown<UnLocode>,
    state_abbr: Option<&'a str>,
    country_code: &'a str,
    latitude: Option<f64>,
    longitude: Option<f64>,
    time_zone: &'a str,
}
