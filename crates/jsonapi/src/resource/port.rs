//! A seaport, inland point or ramp city.

use domain::codes::UnLocode;
use domain::ids::ReferenceId;
use domain::place::{Gazetteer, Port, Terminal, TerminalKind};
use serde::Serialize;

use super::place;
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Resource, Shown, ToMany};

/// What a port consists of.
pub const TYPE: Type = Type {
    name: "port",
    about: "A seaport or an inland point.",
    attributes: &[
        Attribute::new("id", Shape::Id),
        Attribute::new("name", Shape::Text),
        Attribute::new("code", Shape::Text).about("UN/LOCODE."),
        Attribute::or_null("state_abbr", Shape::Text),
        Attribute::or_null("city", Shape::Text),
        Attribute::new("country_code", Shape::Text).about("ISO 3166-1, two letters."),
        Attribute::or_null("latitude", Shape::Number),
        Attribute::or_null("longitude", Shape::Number),
        Attribute::new("time_zone", Shape::Zone),
    ],
    relationships: &[Relationship::many("terminals", &["terminal"])],
    collection: Some("ports"),
    versioned: false,
};

/// The id of the port with this code.
pub fn id(locode: UnLocode) -> ReferenceId {
    place::port_id(locode)
}

/// The resource object as JSON text.
pub fn render(port: &Port, gazetteer: &Gazetteer) -> String {
    let id = id(port.locode);
    let attributes = Attributes {
        id: Shown(id),
        name: &port.name,
        code: Shown(port.locode),
        state_abbr: port.state.as_deref(),
        city: Some(&port.name),
        country_code: port.locode.country(),
        latitude: port.coordinates.map(|(latitude, _)| latitude),
        longitude: port.coordinates.map(|(_, longitude)| longitude),
        time_zone: &port.zone,
    };
    let terminals: Vec<ReferenceId> = gazetteer
        .terminals_in(port.locode)
        .filter(|terminal| matches!(terminal.kind, TerminalKind::Ocean))
        .map(|terminal: &Terminal| place::terminal_id(&terminal.code))
        .collect();
    let terminals = ToMany::to("terminal", &terminals);
    Resource::new(TYPE.name, id, attributes, Relationships { terminals })
        .linked("ports")
        .text()
}

#[derive(Serialize)]
struct Relationships {
    terminals: ToMany,
}

#[derive(Serialize)]
struct Attributes<'a> {
    id: Shown<ReferenceId>,
    name: &'a str,
    code: Shown<UnLocode>,
    state_abbr: Option<&'a str>,
    city: Option<&'a str>,
    country_code: &'a str,
    latitude: Option<f64>,
    longitude: Option<f64>,
    time_zone: &'a str,
}
