//! A marine terminal or a rail ramp. Both are a `terminal` by themselves and to a container; a ramp that a shipment, an
//! event or a route names is a `rail_terminal`, with the same in it.

use std::collections::BTreeSet;

use domain::ids::ReferenceId;
use domain::place::{Gazetteer, Inside, Terminal, TerminalKind};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

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
        .about(
            "What the sources that are configured for this very terminal report from inside it. One that names its \
             terminals row by row, or sends EDI, is not counted.",
        ),
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

/// What a terminal is rendered from.
pub struct View<'a> {
    /// The terminal.
    pub terminal: &'a Terminal,
    /// What its sources tell of boxes.
    pub provided: &'a BTreeSet<Inside>,
    /// Where the places are.
    pub gazetteer: &'a Gazetteer,
}

/// The resource object as JSON text, under the type that shipments, events and routes link to.
pub fn render(view: &View<'_>) -> String {
    text(place::terminal_type(view.terminal), view)
}

/// The same under this type; `None` where nothing links to the terminal under it.
pub fn render_as(kind: &str, view: &View<'_>) -> Option<String> {
    let known = [TYPE.name, place::terminal_type(view.terminal)];
    let kind = known.into_iter().find(|known| *known == kind)?;
    Some(text(kind, view))
}

fn text(kind: &'static str, view: &View<'_>) -> String {
    let View {
        terminal,
        gazetteer,
        ..
    } = *view;
    let id = place::terminal_id(&terminal.code);
    let area = gazetteer.metro_area(terminal.port);
    let relationships = Relationships {
        port: ToOne::to("port", place::port_id(terminal.port)),
        metro_area: ToOne::maybe(
            area.map(|area| ("metro_area", place::metro_area_id(area.locode))),
        ),
    };
    Resource::new(kind, id, attributes(view, id), relationships)
        .linked("terminals")
        .text()
}

fn attributes<'a>(view: &View<'a>, id: ReferenceId) -> Attributes<'a> {
    let View {
        terminal,
        provided,
        gazetteer,
    } = *view;
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
        provided_data: Provided(provided),
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
    provided_data: Provided<'a>,
}

/// True for what the sources of the terminal tell. Whoever finds no holds knows by it whether there are none.
struct Provided<'a>(&'a BTreeSet<Inside>);

impl Provided<'_> {
    /// The name of its member.
    fn name(inside: Inside) -> &'static str {
        match inside {
            Inside::LastFreeDay => "pickup_lfd",
            Inside::FullOut => "pod_full_out_at",
            Inside::Availability => "available_for_pickup",
            Inside::Fees => "fees_at_pod_terminal",
            Inside::Holds => "holds_at_pod_terminal",
            Inside::Appointment => "pickup_appointment_at",
            Inside::YardLocation => "location_at_pod_terminal",
            Inside::Chassis => "pod_full_out_chassis_number",
        }
    }
}

impl Serialize for Provided<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let told: Vec<&str> = self.0.iter().copied().map(Self::name).collect();
        let mut map = serializer.serialize_map(Some(PROVIDED.len()))?;
        for member in PROVIDED {
            if matches!(member.shape, Shape::Boolean) {
                map.serialize_entry(member.name, &told.contains(&member.name))?;
            } else {
                map.serialize_entry(member.name, "")?;
            }
        }
        map.end()
    }
}
