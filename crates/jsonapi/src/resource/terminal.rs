//! A marine terminal or a rail ramp. Both are a `terminal` by themselves and to a container; a ramp that a shipment, an
//! event or a route names is a `rail_terminal`, with the same in it.

use domain::ids::ReferenceId;
use domain::place::{Gazetteer, Terminal, TerminalKind};
use serde::Serialize;

use super::place;
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Resource, Shown, ToOne};

/// What a marine terminal consists of.
pub const TYPE: Type = Type {
    name: "terminal",
    about: "A marine terminal or a rail ramp; `facility_type` says which.",
    attributes: ATTRIBUTES,
    relationships: RELATIONSHIPS,
    collection: Some("terminals"),
    versioned: false,
};

/// What a rail ramp consists of, where its type says that it is one.
pub const RAIL_TYPE: Type = Type {
    name: "rail_terminal",
    about: "A rail ramp that a shipment, an event or a route names: the terminal of the same id, under another type.",
    attributes: ATTRIBUTES,
    relationships: RELATIONSHIPS,
    collection: Some("terminals"),
    versioned: false,
};

const RELATIONSHIPS: &[Relationship] = &[
    Relationship::one("port", &["port"]),
    Relationship::one("metro_area", &["metro_area"]),
];

const ATTRIBUTES: &[Attribute] = &[
    Attribute::new("id", Shape::Id),
    Attribute::new("name", Shape::Text),
    Attribute::new("nickname", Shape::Text),
    Attribute::or_null("firms_code", Shape::Text),
    Attribute::or_null("smdg_code", Shape::Text),
    Attribute::or_null("bic_facility_code", Shape::Text),
    Attribute::or_null("street", Shape::Text),
    Attribute::or_null("city", Shape::Text),
    Attribute::or_null("state", Shape::Text),
    Attribute::or_null("state_abbr", Shape::Text),
    Attribute::or_null("zip", Shape::Text),
    Attribute::or_null("country", Shape::Text),
    Attribute::new(
        "facility_type",
        Shape::OneOf(|| vec!["ocean_terminal", "rail"]),
    ),
    Attribute::new("provided_data", Shape::Object(PROVIDED))
        .about("What a source of this installation reports from inside the terminal."),
];

const PROVIDED: &[Attribute] = &[
    Attribute::new("pickup_lfd", Shape::Boolean),
    Attribute::new("pickup_lfd_notes", Shape::Text),
    Attribute::new("pod_full_out_at", Shape::Boolean),
    Attribute::new("available_for_pickup", Shape::Boolean),
    Attribute::new("available_for_pickup_notes", Shape::Text),
    Attribute::new("fees_at_pod_terminal", Shape::Boolean),
    Attribute::new("fees_at_pod_terminal_notes", Shape::Text),
    Attribute::new("holds_at_pod_terminal", Shape::Boolean),
    Attribute::new("holds_at_pod_terminal_notes", Shape::Text),
    Attribute::new("pickup_appointment_at", Shape::Boolean),
    Attribute::new("pickup_appointment_at_notes", Shape::Text),
    Attribute::new("location_at_pod_terminal", Shape::Boolean),
    Attribute::new("location_at_pod_terminal_notes", Shape::Text),
    Attribute::new("pod_full_out_chassis_number", Shape::Boolean),
    Attribute::new("pod_full_out_chassis_number_notes", Shape::Text),
];

/// The id under which the terminal with our `code` is served.
pub fn id(code: &str) -> ReferenceId {
    place::terminal_id(code)
}

/// The resource object as JSON text, under the type that shipments, events and routes link to.
pub fn render(terminal: &Terminal, gazetteer: &Gazetteer) -> String {
    text(place::terminal_type(terminal), terminal, gazetteer)
}

/// The same under this type; `None` where nothing links to the terminal under it.
pub fn render_as(kind: &str, terminal: &Terminal, gazetteer: &Gazetteer) -> Option<String> {
    let known = [TYPE.name, place::terminal_type(terminal)];
    let kind = known.into_iter().find(|known| *known == kind)?;
    Some(text(kind, terminal, gazetteer))
}

fn text(kind: &'static str, terminal: &Terminal, gazetteer: &Gazetteer) -> String {
    let id = place::terminal_id(&terminal.code);
    let area = gazetteer.metro_area(terminal.port);
    let relationships = Relationships {
        port: ToOne::to("port", place::port_id(terminal.port)),
        metro_area: ToOne::maybe(
            area.map(|area| ("metro_area", place::metro_area_id(area.locode))),
        ),
    };
    Resource::new(kind, id, attributes(terminal, id, gazetteer), relationships)
        .linked("terminals")
        .text()
}

fn attributes<'a>(
    terminal: &'a Terminal,
    id: ReferenceId,
    gazetteer: &'a Gazetteer,
) -> Attributes<'a> {
    Attributes {
        id: Shown(id),
        name: &terminal.name,
        nickname: &terminal.nickname,
        firms_code: terminal.firms_code.as_deref(),
        smdg_code: terminal.smdg_code.as_deref(),
        bic_facility_code: terminal.bic_facility_code.as_deref(),
        street: None,
        city: terminal.city.as_deref(),
        state: None,
        state_abbr: terminal.state.as_deref(),
        zip: None,
        country: Some(gazetteer.country(terminal.port.country())),
        facility_type: match terminal.kind {
            TerminalKind::Ocean => "ocean_terminal",
            TerminalKind::Rail => "rail",
        },
        provided_data: Provided::default(),
    }
}

#[derive(Serialize)]
struct Relationships {
    port: ToOne,
    metro_area: ToOne,
}

#[derive(Serialize)]
struct Attributes<'a> {
    id: Shown<ReferenceId>,
    name: &'a str,
    nickname: &'a str,
    firms_code: Option<&'a str>,
    smdg_code: Option<&'a str>,
    bic_facility_code: Option<&'a str>,
    street: Option<&'a str>,
    city: Option<&'a str>,
    state: Option<&'a str>,
    state_abbr: Option<&'a str>,
    zip: Option<&'a str>,
    country: Option<&'a str>,
    facility_type: &'static str,
    provided_data: Provided,
}

/// Nothing, as long as no source speaks for a terminal.
#[derive(Default, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one for each attribute that may be told"
)]
struct Provided {
    pickup_lfd: bool,
    pickup_lfd_notes: &'static str,
    pod_full_out_at: bool,
    available_for_pickup: bool,
    available_for_pickup_notes: &'static str,
    fees_at_pod_terminal: bool,
    fees_at_pod_terminal_notes: &'static str,
    holds_at_pod_terminal: bool,
    holds_at_pod_terminal_notes: &'static str,
    pickup_appointment_at: bool,
    pickup_appointment_at_notes: &'static str,
    location_at_pod_terminal: bool,
    location_at_pod_terminal_notes: &'static str,
    pod_full_out_chassis_number: bool,
    pod_full_out_chassis_number_notes: &'static str,
}
