//! A request to track one number.

use domain::codes::Scac;
use domain::ids::{AccountId, CustomFieldId, PartyId, ShipmentId, TrackingRequestId};
use domain::tracking_request::{FailedReason, NumberKind, Progress, RequestStatus};
use jiff::Timestamp;
use serde::Serialize;

use super::shipping_line;
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Moment, Resource, Shown, ToMany, ToOne};

/// What a tracking request consists of.
pub const TYPE: Type = Type {
    name: "tracking_request",
    about: "A request to track one bill of lading, booking or container.",
    attributes: ATTRIBUTES,
    relationships: &[
        Relationship::one("tracked_object", &["shipment"]),
        Relationship::one("customer", &["party"]),
        Relationship::one("user", &["user"]),
        Relationship::one("account", &["account"]),
        Relationship::one("shipping_line", &["shipping_line"]),
        Relationship::many("custom_fields", &["custom_field"]),
    ],
    collection: Some("tracking_requests"),
    versioned: true,
};

/// What a tracking request is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: TrackingRequestId,
    /// Whose request it is.
    pub account: AccountId,
    /// The number as submitted.
    pub number: &'a str,
    /// The line, once known.
    pub scac: Option<Scac>,
    /// Whether the line was to be found by us.
    pub auto_detect: bool,
    /// Where it stands.
    pub progress: &'a Progress,
    /// The account's own references.
    pub ref_numbers: &'a [String],
    /// The account's own tags, for the shipment.
    pub tags: &'a [String],
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Rises by one for each change.
    pub version: i64,
    /// The shipment that came of it.
    pub shipment: Option<ShipmentId>,
    /// The customer.
    pub customer: Option<PartyId>,
    /// The custom fields that are set.
    pub custom_fields: &'a [CustomFieldId],
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let progress = view.progress;
    let attributes = Attributes {
        request_number: view.number,
        request_type: progress.kind.as_str(),
        scac: view.scac.map(Shown),
        auto_detect_vocc_scac: view.auto_detect,
        status: progress.status.as_str(),
        failed_reason: progress.told_reason().map(FailedReason::as_str),
        ref_numbers: view.ref_numbers,
        tags: view.tags,
        shipment_tags: view.tags,
        is_retrying: progress.is_retrying,
        retry_count: Some(progress.retry_count).filter(|&tries| tries > 0),
        created_at: Moment(progress.created_at),
        updated_at: Moment(view.updated_at),
    };
    let relationships = Relationships {
        tracked_object: ToOne::maybe(view.shipment.map(|id| ("shipment", id))),
        customer: ToOne::maybe(view.customer.map(|id| ("party", id))),
        user: ToOne::NONE,
        account: ToOne::to("account", view.account),
        shipping_line: ToOne::maybe(
            view.scac
                .map(|scac| ("shipping_line", shipping_line::id(scac))),
        ),
        custom_fields: ToMany::to("custom_field", view.custom_fields),
    };
    Resource::new(TYPE.name, view.id, attributes, relationships)
        .linked("tracking_requests")
        .versioned(view.version)
        .text()
}

#[derive(Serialize)]
struct Relationships {
    tracked_object: ToOne,
    customer: ToOne,
    user: ToOne,
    account: ToOne,
    shipping_line: ToOne,
    custom_fields: ToMany,
}

#[derive(Serialize)]
struct Attributes<'a> {
    request_number: &'a str,
    request_type: &'static str,
    scac: Option<Shown<Scac>>,
    auto_detect_vocc_scac: bool,
    status: &'static str,
    failed_reason: Option<&'static str>,
    ref_numbers: &'a [String],
    tags: &'a [String],
    shipment_tags: &'a [String],
    is_retrying: bool,
    retry_count: Option<u32>,
    created_at: Moment,
    updated_at: Moment,
}

/// Every `request_type`.
pub fn request_types() -> Vec<&'static str> {
    [
        NumberKind::BillOfLading,
        NumberKind::Booking,
        NumberKind::Container,
    ]
    .map(NumberKind::as_str)
    .to_vec()
}

/// Every `status`.
pub fn statuses() -> Vec<&'static str> {
    RequestStatus::ALL.map(RequestStatus::as_str).to_vec()
}

const ATTRIBUTES: &[Attribute] = &[
    Attribute::new("request_number", Shape::Text).about("As submitted."),
    Attribute::new("request_type", Shape::OneOf(request_types)),
    Attribute::or_null("scac", Shape::Text).about("Null until the line is found."),
    Attribute::new("auto_detect_vocc_scac", Shape::Boolean),
    Attribute::new("status", Shape::OneOf(statuses)),
    Attribute::or_null(
        "failed_reason",
        Shape::OneOf(|| FailedReason::ALL.map(FailedReason::as_str).to_vec()),
    )
    .about("Last reason, also while the number is still being retried."),
    Attribute::new("ref_numbers", Shape::Texts),
    Attribute::new("tags", Shape::Texts),
    Attribute::new("shipment_tags", Shape::Texts).about("The same as tags."),
    Attribute::new("is_retrying", Shape::Boolean),
    Attribute::or_null("retry_count", Shape::Integer).about("Tries that failed; null when none."),
    Attribute::new("created_at", Shape::Moment),
    Attribute::new("updated_at", Shape::Moment),
];
