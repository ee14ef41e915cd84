//! A marine terminal, or a rail ramp (`rail_terminal`).

use domain::ids::ReferenceId;
use domain::place::{Gazetteer, Terminal, TerminalKind};
use serde::Serialize;

use super::place;
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Resource, Shown, ToOne};

/// What a marine terminal consists of.
pub const TYPE: Type = Type {
    name: "terminal",
    about: "A marine terminal.",
    attributes: ATTRIBUTES,
    relationships: &[Relationship::one("port", &["port"])],
    collection: Some("terminals"),
    versioned: false,
};

/// What a rail ramp consists of.
pub const RAIL_TYPE: Type = Type {
    name: "rail_terminal",
    about: "A rail ramp; it has all a terminal has.",
    attributes: ATTRIBUTES,
    relationships: &[
        Relationship::one("port", &["port"]),
        Relationship::one("metro_area", &["metro_area"]),
    ],
    collection: Some("terminals"),
    versioned: false,
};

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

/// `terminal` or `rail_terminal`.
pub fn type_of(terminal: &Terminal) -> &'static str {
    place::terminal_type(terminal)
}

/// The resource object as JSON text.
pub fn render(terminal: &Terminal, gazetteer: &Gazetteer) -> String {
    let id = place::terminal_id(&terminal.code);
    let port = ToOne::to("port", place::port_id(terminal.port));
    let attributes = attributes(terminal, id, gazetteer);
    match terminal.kind {
        TerminalKind::Ocean => Resource::new(TYPE.name, id, attributes, Port { port })
            .linked("terminals")
            .text(),
        TerminalKind::Rail => {
            let area = gazetteer.metro_area(terminal.port);
            let area = area.map(|area| ("metro_area", place::metro_area_id(area.locode)));
            let metro_area = ToOne::maybe(area);
            let relationships = Ramp { port, metro_area };
            Resource::new(RAIL_TYPE.name, id, attributes, relationships)
                .linked("terminals")
                .text()
        }
    }
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
struct Port {
    port: ToOne,
}

#[derive(Serialize)]
struct Ramp {
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
