//! One event for one webhook, and the body that is delivered for it.

use domain::event::EventName;
use domain::ids::{NotificationId, ReferenceId, WebhookId};
use domain::webhook::DeliveryStatus;
use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

use super::webhook::event_names;
use super::webhook_notification_log;
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Moment, Resource, Shown, ToMany, ToOne, text};

/// What can be the reference object of a notification.
pub const REFERENCE_TYPES: &[&str] = &[
    "tracking_request",
    "estimated_event",
    "transport_event",
    "container_updated_event",
    "container_created_event",
    "container_pod_terminal_changed_event",
];

/// What a webhook notification consists of.
pub const TYPE: Type = Type {
    name: "webhook_notification",
    about: "One event for one webhook.",
    attributes: &[
        Attribute::new("id", Shape::Id),
        Attribute::new("event", Shape::OneOf(event_names)),
        Attribute::new(
            "delivery_status",
            Shape::OneOf(|| vec!["pending", "succeeded", "failed"]),
        ),
        Attribute::new("created_at", Shape::Moment),
    ],
    relationships: &[
        Relationship::one("webhook", &["webhook"]),
        Relationship::one("reference_object", REFERENCE_TYPES),
        Relationship::many("webhook_notification_logs", &["webhook_notification_log"]),
    ],
    collection: None,
    versioned: true,
};

/// What a webhook notification is rendered from.
#[derive(Clone)]
pub struct View<'a> {
    /// Its id; the receiver's idempotency key.
    pub id: NotificationId,
    /// Which event.
    pub event: EventName,
    /// Where its delivery stands.
    pub status: DeliveryStatus,
    /// When it happened here.
    pub created_at: Timestamp,
    /// For which webhook.
    pub webhook: WebhookId,
    /// Type of what it is about, one of [`REFERENCE_TYPES`].
    pub reference_type: &'a str,
    /// Id of what it is about.
    pub reference: Uuid,
    /// Version of the resource it tells about.
    pub version: i64,
    /// Attempts made so far, by their numbers; a delivery names none.
    pub attempts: &'a [u32],
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let attributes = Attributes {
        id: Shown(view.id),
        event: view.event.as_str(),
        delivery_status: view.status.as_str(),
        created_at: Moment(view.created_at),
    };
    let reference = REFERENCE_TYPES
        .iter()
        .find(|kind| **kind == view.reference_type);
    let logs: Vec<ReferenceId> = view
        .attempts
        .iter()
        .map(|number| webhook_notification_log::id(view.id, *number))
        .collect();
    let relationships = Relationships {
        webhook: ToOne::to("webhook", view.webhook),
        reference_object: ToOne::maybe(reference.map(|kind| (*kind, view.reference))),
        webhook_notification_logs: ToMany::to(webhook_notification_log::TYPE.name, &logs),
    };
    Resource::new(TYPE.name, view.id, attributes, relationships)
        .versioned(view.version)
        .text()
}

/// The body of the delivery: the same bytes on every try, so the status is always `pending`.
/// `base_url` ends in the version (`https://host/v2`); `included` are resource texts.
pub fn delivery_body(view: &View<'_>, base_url: &str, included: &[&str]) -> String {
    let own = format!("{base_url}/webhook_notifications/{}", view.id);
    document(view, &own, included)
}

/// The same document under another address.
pub(crate) fn document(view: &View<'_>, address: &str, included: &[&str]) -> String {
    let pending = View {
        status: DeliveryStatus::Pending,
        attempts: &[],
        ..view.clone()
    };
    format!(
        r#"{{"data":{},"links":{{"self":{}}},"included":[{}]}}"#,
        render(&pending),
        text(&address),
        included.join(","),
    )
}

#[derive(Serialize)]
struct Relationships {
    webhook: ToOne,
    reference_object: ToOne,
    webhook_notification_logs: ToMany,
}

#[derive(Serialize)]
struct Attributes {
    id: Shown<NotificationId>,
    event: &'static str,
    delivery_status: &'static str,
    created_at: Moment,
}
