//! A bill of lading or booking: what its containers have in common.

use domain::codes::Scac;
use domain::ids::{ContainerId, CustomFieldId, PartyId, ShipmentId};
use domain::place::Gazetteer;
use domain::shipment::ShipmentState;
use domain::tracking_request::NumberKind;
use jiff::Timestamp;
use serde::Serialize;

use super::place;
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Moment, Resource, Shown, ToMany, ToOne, moment};

/// What a shipment consists of.
pub const TYPE: Type = Type {
    name: "shipment",
    about: "A bill of lading or booking, and what its containers have in common.",
    attributes: ATTRIBUTES,
    relationships: &[
        Relationship::many("containers", &["container"]),
        Relationship::one("port_of_lading", &["port"]),
        Relationship::one("port_of_lading_terminal", &["terminal"]),
        Relationship::one("port_of_discharge", &["port"]),
        Relationship::one("pod_terminal", &["terminal", "rail_terminal"]),
        Relationship::one("destination", &["port", "metro_area"]),
        Relationship::one("destination_terminal", &["terminal", "rail_terminal"]),
        Relationship::one("customer", &["party"]),
        Relationship::one("line_tracking_stopped_by_user", &["user"]),
        Relationship::many("custom_fields", &["custom_field"]),
    ],
    collection: Some("shipments"),
    versioned: true,
};

/// What a shipment is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: ShipmentId,
    /// The number as submitted.
    pub number: &'a str,
    /// The number as asked of the line.
    pub normalized_number: &'a str,
    /// What kind of number it is.
    pub kind: NumberKind,
    /// The line.
    pub scac: Scac,
    /// The line's full name.
    pub line_name: &'a str,
    /// What people call the line.
    pub line_short_name: &'a str,
    /// What we hold true.
    pub state: &'a ShipmentState,
    /// The account's own references.
    pub ref_numbers: &'a [String],
    /// The account's own tags.
    pub tags: &'a [String],
    /// When it became known.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Rises by one for each change.
    pub version: i64,
    /// When the line was last asked.
    pub line_attempted_at: Option<Timestamp>,
    /// When the line last answered with data.
    pub line_succeeded_at: Option<Timestamp>,
    /// When and why tracking stopped.
    pub stopped: Option<(Timestamp, &'a str)>,
    /// Its boxes.
    pub containers: &'a [ContainerId],
    /// The customer.
    pub customer: Option<PartyId>,
    /// The custom fields that are set.
    pub custom_fields: &'a [CustomFieldId],
    /// The customer's name.
    pub customer_name: Option<&'a str>,
    /// Where the places are.
    pub gazetteer: &'a Gazetteer,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let state = view.state;
    let terminal = |code: &Option<String>| place::terminal(code.as_deref(), view.gazetteer);
    let relationships = Relationships {
        containers: ToMany::to("container", view.containers),
        port_of_lading: place::port(state.port_of_lading, view.gazetteer),
        port_of_lading_terminal: terminal(&state.port_of_lading_terminal),
        port_of_discharge: place::port(state.port_of_discharge, view.gazetteer),
        pod_terminal: terminal(&state.pod_terminal),
        destination: place::site(state.destination, view.gazetteer),
        destination_terminal: terminal(&state.destination_terminal),
        customer: ToOne::maybe(view.customer.map(|id| ("party", id))),
        line_tracking_stopped_by_user: ToOne::NONE,
        custom_fields: ToMany::to("custom_field", view.custom_fields),
    };
    Resource::new(TYPE.name, view.id, attributes(view), relationships)
        .linked("shipments")
        .versioned(view.version)
        .text()
}

fn attributes<'a>(view: &View<'a>) -> Attributes<'a> {
    let state = view.state;
    let vessel = state.pod_vessel.as_ref();
    let not_yet =
        |eta: Option<Timestamp>, ata: Option<Timestamp>| moment(eta.filter(|_| ata.is_none()));
    Attributes {
        bill_of_lading_number: view.number,
        normalized_number: view.normalized_number,
        shipping_line_scac: Shown(view.scac),
        shipping_line_name: view.line_name,
        shipping_line_short_name: view.line_short_name,
        customer_name: view.customer_name,
        ref_numbers: view.ref_numbers,
        tags: view.tags,
        created_at: Moment(view.created_at),
        updated_at: Moment(view.updated_at),
        tracked: view.stopped.is_none(),
        port_of_lading_locode: state.port_of_lading.map(Shown),
        port_of_lading_name: place::name(state.port_of_lading, view.gazetteer),
        port_of_discharge_locode: state.port_of_discharge.map(Shown),
        port_of_discharge_name: place::name(state.port_of_discharge, view.gazetteer),
        destination_locode: state.destination.map(Shown),
        destination_name: place::name(state.destination, view.gazetteer),
        pod_vessel_name: vessel.and_then(|vessel| vessel.name.as_deref()),
        pod_vessel_imo: vessel.and_then(|vessel| vessel.imo).map(Shown),
        pol_etd_at: moment(state.pol_etd),
        pol_atd_at: moment(state.pol_atd),
        pol_original_etd_at: moment(state.pol_original_etd),
        pod_eta_at: not_yet(state.pod_eta, state.pod_ata),
        pod_original_eta_at: moment(state.pod_original_eta),
        pod_ata_at: moment(state.pod_ata),
        destination_eta_at: not_yet(state.destination_eta, state.destination_ata),
        destination_original_eta_at: moment(state.destination_original_eta),
        destination_ata_at: moment(state.destination_ata),
        pol_timezone: place::zone(state.port_of_lading, view.gazetteer),
        pod_timezone: place::zone(state.port_of_discharge, view.gazetteer),
        destination_timezone: place::zone(state.destination, view.gazetteer),
        line_tracking_last_attempted_at: moment(view.line_attempted_at),
        line_tracking_last_succeeded_at: moment(view.line_succeeded_at),
        line_tracking_stopped_at: moment(view.stopped.map(|(at, _)| at)),
        line_tracking_stopped_reason: view.stopped.map(|(_, reason)| reason),
    }
}

#[derive(Serialize)]
struct Relationships {
    containers: ToMany,
    port_of_lading: ToOne,
    port_of_lading_terminal: ToOne,
    port_of_discharge: ToOne,
    pod_terminal: ToOne,
    destination: ToOne,
    destination_terminal: ToOne,
    customer: ToOne,
    line_tracking_stopped_by_user: ToOne,
    custom_fields: ToMany,
}

#[derive(Serialize)]
struct Attributes<'a> {
    bill_of_lading_number: &'a str,
    normalized_number: &'a str,
    shipping_line_scac: Shown<Scac>,
    shipping_line_name: &'a str,
    shipping_line_short_name: &'a str,
    customer_name: Option<&'a str>,
    ref_numbers: &'a [String],
    tags: &'a [String],
    created_at: Moment,
    updated_at: Moment,
    tracked: bool,
    port_of_lading_locode: Option<Shown<domain::codes::UnLocode>>,
    port_of_lading_name: Option<&'a str>,
    port_of_discharge_locode: Option<Shown<domain::codes::UnLocode>>,
    port_of_discharge_name: Option<&'a str>,
    destination_locode: Option<Shown<domain::codes::UnLocode>>,
    destination_name: Option<&'a str>,
    pod_vessel_name: Option<&'a str>,
    pod_vessel_imo: Option<Shown<domain::codes::ImoNumber>>,
    pol_etd_at: Option<Moment>,
    pol_atd_at: Option<Moment>,
    pol_original_etd_at: Option<Moment>,
    pod_eta_at: Option<Moment>,
    pod_original_eta_at: Option<Moment>,
    pod_ata_at: Option<Moment>,
    destination_eta_at: Option<Moment>,
    destination_original_eta_at: Option<Moment>,
    destination_ata_at: Option<Moment>,
    pol_timezone: Option<&'a str>,
    pod_timezone: Option<&'a str>,
    destination_timezone: Option<&'a str>,
    line_tracking_last_attempted_at: Option<Moment>,
    line_tracking_last_succeeded_at: Option<Moment>,
    line_tracking_stopped_at: Option<Moment>,
    line_tracking_stopped_reason: Option<&'a str>,
}

const ATTRIBUTES: &[Attribute] = &[
    Attribute::new("bill_of_lading_number", Shape::Text).about("The number as submitted."),
    Attribute::new("normalized_number", Shape::Text).about("The number as asked of the line."),
    Attribute::new("shipping_line_scac", Shape::Text),
    Attribute::new("shipping_line_name", Shape::Text),
    Attribute::new("shipping_line_short_name", Shape::Text),
    Attribute::or_null("customer_name", Shape::Text),
    Attribute::new("ref_numbers", Shape::Texts),
    Attribute::new("tags", Shape::Texts),
    Attribute::new("created_at", Shape::Moment),
    Attribute::new("updated_at", Shape::Moment),
    Attribute::new("tracked", Shape::Boolean).about("Whether it is still being tracked."),
    Attribute::or_null("port_of_lading_locode", Shape::Text),
    Attribute::or_null("port_of_lading_name", Shape::Text),
    Attribute::or_null("port_of_discharge_locode", Shape::Text),
    Attribute::or_null("port_of_discharge_name", Shape::Text),
    Attribute::or_null("destination_locode", Shape::Text)
        .about("Null when the way ends at the port of discharge."),
    Attribute::or_null("destination_name", Shape::Text),
    Attribute::or_null("pod_vessel_name", Shape::Text),
    Attribute::or_null("pod_vessel_imo", Shape::Text),
    Attribute::or_null("pol_etd_at", Shape::Moment),
    Attribute::or_null("pol_atd_at", Shape::Moment),
    Attribute::or_null("pol_original_etd_at", Shape::Moment).about("The first the line reported."),
    Attribute::or_null("pod_eta_at", Shape::Moment).about("Null once arrived."),
    Attribute::or_null("pod_original_eta_at", Shape::Moment)
        .about("The first the line reported; stays after arrival."),
    Attribute::or_null("pod_ata_at", Shape::Moment),
    Attribute::or_null("destination_eta_at", Shape::Moment).about("Null once arrived."),
    Attribute::or_null("destination_original_eta_at", Shape::Moment)
        .about("The first the line reported; stays after arrival."),
    Attribute::or_null("destination_ata_at", Shape::Moment),
    Attribute::or_null("pol_timezone", Shape::Zone),
    Attribute::or_null("pod_timezone", Shape::Zone),
    Attribute::or_null("destination_timezone", Shape::Zone),
    Attribute::or_null("line_tracking_last_attempted_at", Shape::Moment),
    Attribute::or_null("line_tracking_last_succeeded_at", Shape::Moment),
    Attribute::or_null("line_tracking_stopped_at", Shape::Moment),
    Attribute::or_null(
        "line_tracking_stopped_reason",
        Shape::OneOf(|| {
            vec![
                "all_containers_terminated",
                "past_arrival_window",
                "past_full_out_window",
                "no_updates_at_line",
                "cancelled_by_user",
                "booking_cancelled",
            ]
        }),
    ),
];
