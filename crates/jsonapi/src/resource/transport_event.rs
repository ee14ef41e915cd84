//! Something that happened to a box, or an estimate of it.

use domain::codes::UnLocode;
use domain::container::Vessel;
use domain::event::EventName;
use domain::ids::{ContainerId, EventId, ReportId, ShipmentId};
use domain::place::Gazetteer;
use domain::report::SourceKind;
use jiff::Timestamp;
use serde::Serialize;

use super::{place, source};
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Moment, Resource, Shown, ToOne, moment};

/// What a transport event consists of.
pub const TYPE: Type = Type {
    name: "transport_event",
    about: "A milestone of a box, an estimate, or a changed pick-up date.",
    attributes: ATTRIBUTES,
    relationships: &[
        Relationship::one("shipment", &["shipment"]),
        Relationship::one("container", &["container"]),
        Relationship::one("vessel", &["vessel"]),
        Relationship::one("location", &["port", "metro_area"]),
        Relationship::one("terminal", &["terminal", "rail_terminal"]),
        Relationship::one("source_event", &["raw_event"]),
        Relationship::one("previous_version", &["transport_event"]),
    ],
    collection: None,
    versioned: false,
};

/// What a transport event is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: EventId,
    /// Which event.
    pub name: EventName,
    /// When it happened, or the estimate.
    pub timestamp: Option<Timestamp>,
    /// IANA zone of the place.
    pub zone: Option<&'a str>,
    /// The place.
    pub locode: Option<UnLocode>,
    /// Our code of the terminal.
    pub terminal: Option<&'a str>,
    /// The vessel.
    pub vessel: Option<&'a Vessel>,
    /// Voyage number as sent.
    pub voyage: Option<&'a str>,
    /// Which kind of feed won.
    pub source: SourceKind,
    /// The new date of `*.changed` events; of a last free day local midnight at its start, as everywhere.
    pub value: Option<Timestamp>,
    /// When it was recorded.
    pub created_at: Timestamp,
    /// When it was withdrawn.
    pub invalidated_at: Option<Timestamp>,
    /// The shipment.
    pub shipment: ShipmentId,
    /// The box.
    pub container: ContainerId,
    /// The claim that won.
    pub source_event: Option<ReportId>,
    /// The event that this one replaces.
    pub previous_version: Option<EventId>,
    /// Where the places are.
    pub gazetteer: &'a Gazetteer,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let attributes = Attributes {
        event: view.name.as_str(),
        timestamp: moment(view.timestamp),
        timezone: view.zone,
        location_locode: view.locode.map(Shown),
        voyage_number: view.voyage,
        data_source: source::word(view.source),
        created_at: Moment(view.created_at),
        value: moment(view.value),
        invalidated_at: moment(view.invalidated_at),
    };
    let relationships = Relationships {
        shipment: ToOne::to("shipment", view.shipment),
        container: ToOne::to("container", view.container),
        vessel: place::vessel(view.vessel),
        location: place::site(view.locode, view.gazetteer),
        terminal: place::terminal(view.terminal, view.gazetteer),
        source_event: ToOne::maybe(view.source_event.map(|id| ("raw_event", id))),
        previous_version: ToOne::maybe(view.previous_version.map(|id| (TYPE.name, id))),
    };
    Resource::new(TYPE.name, view.id, attributes, relationships).text()
}

#[derive(Serialize)]
struct Relationships {
    shipment: ToOne,
    container: ToOne,
    vessel: ToOne,
    location: ToOne,
    terminal: ToOne,
    source_event: ToOne,
    previous_version: ToOne,
}

#[derive(Serialize)]
struct Attributes<'a> {
    event: &'static str,
    timestamp: Option<Moment>,
    timezone: Option<&'a str>,
    location_locode: Option<Shown<UnLocode>>,
    voyage_number: Option<&'a str>,
    data_source: &'static str,
    created_at: Moment,
    value: Option<Moment>,
    invalidated_at: Option<Moment>,
}

fn names() -> Vec<&'static str> {
    let recorded = |name: &EventName| {
        use EventName as E;
        name.is_transport()
            || matches!(
                name,
                E::PickupLfdChanged
                    | E::PickupLfdLineChanged
                    | E::PickupLfdTerminalChanged
                    | E::PickupLfdRailChanged
                    | E::PickupAppointmentChanged
            )
    };
    EventName::ALL
        .iter()
        .filter(|name| recorded(name))
        .map(|name| name.as_str())
        .collect()
}

const ATTRIBUTES: &[Attribute] = &[
    Attribute::new("event", Shape::OneOf(names)),
    Attribute::or_null("timestamp", Shape::Moment)
        .about("When it happened; for estimated events the estimate."),
    Attribute::or_null("timezone", Shape::Zone).about("Null when the place is unknown."),
    Attribute::or_null("location_locode", Shape::Text).about("UN/LOCODE."),
    Attribute::or_null("voyage_number", Shape::Text),
    Attribute::new("data_source", Shape::OneOf(source::words)),
    Attribute::new("created_at", Shape::Moment).about("When it was recorded."),
    Attribute::or_null("value", Shape::Moment).about(
        "The new last free day, as local midnight at its start, or the new appointment; null when there is none any more.",
    ),
    Attribute::or_null("invalidated_at", Shape::Moment).about("When it was withdrawn."),
];
