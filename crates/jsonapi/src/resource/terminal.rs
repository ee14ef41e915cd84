//! A marine terminal, or a rail ramp (`rail_terminal`).

use domain::ids::ReferenceId;
use domain::place::{Terminal, TerminalKind};
use serde::Serialize;

use super::place;
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Resource, Shown, ToOne};

/// What a marine terminal consists of.
pub const TYPE: Type = Type {
    name: "terminal",
    about: "A marine terminal.",
    attributes: &[
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
        Attribute::or_null("provided_data", Shape::Object(&[]))
            .about("What the terminal is known to report; null while nothing is known."),
    ],
    relationships: &[Relationship::one("port", &["port"])],
    collection: Some("terminals"),
    versioned: false,
};

/// What a rail ramp consists of.
pub const RAIL_TYPE: Type = Type {
    name: "rail_terminal",
    about: "A rail ramp.",
    attributes: &[
        Attribute::new("id", Shape::Id),
        Attribute::new("name", Shape::Text),
        Attribute::new("nickname", Shape::Text),
        Attribute::or_null("firms_code", Shape::Text),
        Attribute::or_null("city", Shape::Text),
    ],
    relationships: &[
        Relationship::one("port", &["port"]),
        Relationship::one("metro_area", &["metro_area"]),
    ],
    collection: None,
    versioned: false,
};

/// The id under which the terminal with our `code` is served.
pub fn id(code: &str) -> ReferenceId {
    place::terminal_id(code)
}

/// `terminal` or `rail_terminal`.
pub fn type_of(terminal: &Terminal) -> &'static str {
    place::terminal_type(terminal)
}

/// The resource object as JSON text.
pub fn render(terminal: &Terminal) -> String {
    let id = place::terminal_id(&terminal.code);
    let port = ToOne::to("port", place::port_id(terminal.port));
    match terminal.kind {
        TerminalKind::Ocean => Resource::new(TYPE.name, id, ocean(terminal, id), Port { port })
            .linked("terminals")
            .text(),
        TerminalKind::Rail => {
            let metro_area = ToOne::NONE;
            Resource::new(
                RAIL_TYPE.name,
                id,
                ramp(terminal, id),
                Ramp { port, metro_area },
            )
            .text()
        }
    }
}

fn ocean(terminal: &Terminal, id: ReferenceId) -> Attributes<'_> {
    Attributes {
        id: Shown(id),
        name: &terminal.name,
        nickname: &terminal.nickname,
        firms_code: terminal.firms_code.as_deref(),
        smdg_code: terminal.smdg_code.as_deref(),
        bic_facility_code: terminal.bic_facility_code.as_deref(),
        street: None,
        city: None,
        state: None,
        state_abbr: None,
        zip: None,
        country: Some(terminal.port.country()),
        facility_type: "ocean_terminal",
        provided_data: None,
    }
}

fn ramp(terminal: &Terminal, id: ReferenceId) -> RampAttributes<'_> {
    RampAttributes {
        id: Shown(id),
        name: &terminal.name,
        nickname: &terminal.nickname,
        firms_code: terminal.firms_code.as_deref(),
        city: None,
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
struct RampAttributes<'a> {
    id: Shown<ReferenceId>,
    name: &'a str,
    nickname: &'a str,
    firms_code: Option<&'a str>,
    city: Option<&'a str>,
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
    provided_data: Option<()>,
}
