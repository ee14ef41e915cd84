//! A row of a search: what was found, told shortly.
//!
//! One type for three kinds of record, since that is what clients know; its id is the record's.

use domain::codes::{ContainerNumber, Scac, UnLocode};
use domain::ids::{ContainerId, ShipmentId, TrackingRequestId};
use domain::place::Gazetteer;
use domain::tracking_request::{FailedReason, RequestStatus};
use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

use super::{place, tracking_request};
use crate::schema::{Attribute, Shape, Type};
use crate::wire::{Moment, Resource, Shown, moment};

/// What a row of a search consists of.
pub const TYPE: Type = Type {
    name: "search_result",
    about: "A shipment, a container or a tracking request that was found; its id is the record's.",
    attributes: &[
        Attribute::new("entity_type", Shape::OneOf(entity_types))
            .about("What was found; cargo is a container."),
        Attribute::new("number", Shape::Text),
        Attribute::or_null("shipment_id", Shape::Id)
            .about("Of a container or a tracking request; null while there is none."),
        Attribute::or_null("scac", Shape::Text),
        Attribute::or_null("port_of_lading_name", Shape::Text).about("Of a shipment."),
        Attribute::or_null("port_of_discharge_name", Shape::Text).about("Of a shipment."),
        Attribute::or_null("containers_count", Shape::Integer).about("Of a shipment."),
        Attribute::or_null("tracking_stopped", Shape::Boolean).about("Of a shipment."),
        Attribute::or_null("tracking_stopped_reason", Shape::Text).about("Of a shipment."),
        Attribute::or_null("status", Shape::OneOf(tracking_request::statuses))
            .about("Of a tracking request."),
        Attribute::or_null("failed_reason", Shape::Text).about("Of a tracking request."),
        Attribute::new("ref_numbers", Shape::Texts),
        Attribute::new("created_at", Shape::Moment),
        Attribute::new("updated_at", Shape::Moment),
    ],
    relationships: &[],
    collection: None,
    versioned: false,
};

fn entity_types() -> Vec<&'static str> {
    vec!["shipment", "cargo", "tracking_request"]
}

/// What was found.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// What it is.
    pub found: Found<'a>,
    /// The client's references.
    pub ref_numbers: &'a [String],
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// What each kind of record tells.
#[derive(Clone, Debug)]
pub enum Found<'a> {
    /// A shipment.
    Shipment {
        /// Its id.
        id: ShipmentId,
        /// Its number as asked for.
        number: &'a str,
        /// The line.
        scac: Scac,
        /// Port of lading and port of discharge.
        ports: [Option<UnLocode>; 2],
        /// How many containers it has.
        containers: u64,
        /// Why tracking stopped, when it did.
        stopped: Option<&'a str>,
    },
    /// A container.
    Container {
        /// Its id.
        id: ContainerId,
        /// Its number.
        number: ContainerNumber,
        /// The shipment it travels in.
        shipment: ShipmentId,
        /// The line; empty when it is not known.
        scac: &'a str,
    },
    /// A tracking request.
    TrackingRequest {
        /// Its id.
        id: TrackingRequestId,
        /// The number as asked for.
        number: &'a str,
        /// The shipment that came of it.
        shipment: Option<ShipmentId>,
        /// The line; `None` until inferred.
        scac: Option<Scac>,
        /// Where it stands.
        status: RequestStatus,
        /// Why it failed.
        failed_reason: Option<FailedReason>,
    },
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>, gazetteer: &Gazetteer) -> String {
    let (id, attributes) = attributes(view, gazetteer);
    Resource::new(TYPE.name, id, attributes, Relationships {}).text()
}

fn attributes<'a>(view: &View<'a>, gazetteer: &'a Gazetteer) -> (Uuid, Attributes<'a>) {
    let nothing = Attributes {
        entity_type: "",
        number: String::new(),
        shipment_id: None,
        scac: None,
        port_of_lading_name: None,
        port_of_discharge_name: None,
        containers_count: None,
        tracking_stopped: None,
        tracking_stopped_reason: None,
        status: None,
        failed_reason: None,
        ref_numbers: view.ref_numbers,
        created_at: moment(Some(view.created_at)),
        updated_at: moment(Some(view.updated_at)),
    };
    match &view.found {
        Found::Shipment {
            id,
            number,
            scac,
            ports: [lading, discharge],
            containers,
            stopped,
        } => {
            let attributes = Attributes {
                entity_type: "shipment",
                number: (*number).to_owned(),
                scac: Some(scac.to_string()),
                port_of_lading_name: place::name(*lading, gazetteer),
                port_of_discharge_name: place::name(*discharge, gazetteer),
                containers_count: Some(*containers),
                tracking_stopped: Some(stopped.is_some()),
                tracking_stopped_reason: *stopped,
                ..nothing
            };
            (id.0, attributes)
        }
        Found::Container {
            id,
            number,
            shipment,
            scac,
        } => {
            let attributes = Attributes {
                entity_type: "cargo",
                number: number.to_string(),
                shipment_id: Some(Shown(*shipment)),
                scac: Some((*scac).to_owned()).filter(|scac| !scac.is_empty()),
                ..nothing
            };
            (id.0, attributes)
        }
        Found::TrackingRequest {
            id,
            number,
            shipment,
            scac,
            status,
            failed_reason,
        } => {
            let attributes = Attributes {
                entity_type: "tracking_request",
                number: (*number).to_owned(),
                shipment_id: shipment.map(Shown),
                scac: scac.map(|scac| scac.to_string()),
                status: Some(status.as_str()),
                failed_reason: failed_reason.map(FailedReason::as_str),
                ..nothing
            };
            (id.0, attributes)
        }
    }
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    entity_type: &'static str,
    number: String,
    shipment_id: Option<Shown<ShipmentId>>,
    scac: Option<String>,
    port_of_lading_name: Option<&'a str>,
    port_of_discharge_name: Option<&'a str>,
    containers_count: Option<u64>,
    tracking_stopped: Option<bool>,
    tracking_stopped_reason: Option<&'a str>,
    status: Option<&'static str>,
    failed_reason: Option<&'static str>,
    ref_numbers: &'a [String],
    created_at: Option<Moment>,
    updated_at: Option<Moment>,
}
