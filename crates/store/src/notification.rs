//! Notifications: one event for one webhook, written in the transaction that made the event.

use domain::event::EventName;
use domain::ids::{ContainerId, NotificationId, ShipmentId, TrackingRequestId, WebhookId};
use domain::webhook::DeliveryStatus;
use jiff::Timestamp;
use uuid::Uuid;

use crate::{AccountTx, Error, Page, Slice, stub};

/// One event for one webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// Its id; the receiver sees it and drops repeats by it.
    pub id: NotificationId,
    /// Whom it goes to.
    pub webhook: WebhookId,
    /// What it tells.
    pub event: EventName,
    /// Type of the resource it refers to.
    pub reference_type: String,
    /// Id of that resource.
    pub reference: Uuid,
    /// The container it is about.
    pub container: Option<ContainerId>,
    /// The shipment it is about.
    pub shipment: Option<ShipmentId>,
    /// The tracking request it is about.
    pub tracking_request: Option<TrackingRequestId>,
    /// Version of the resource it tells of.
    pub version: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// Whether it was delivered.
    pub status: DeliveryStatus,
}

/// Deliveries to one webhook with equal keys go out one after the other, by sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderKey {
    /// The container, else the shipment, else the tracking request.
    pub key: Uuid,
    /// Position; equal ones follow the order of the ids.
    pub sequence: i64,
}

/// Which notifications to list; nothing set lists all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotificationFilter {
    /// With this status.
    pub status: Option<DeliveryStatus>,
    /// Of this event.
    pub event: Option<EventName>,
    /// For this webhook.
    pub webhook: Option<WebhookId>,
    /// About this container.
    pub container: Option<ContainerId>,
    /// Created at or after, and at or before.
    pub created: (Option<Timestamp>, Option<Timestamp>),
}

/// Adds notifications, each with its delivery, due when it was created. One that repeats webhook, event,
/// reference and version is left out. How many were added.
pub fn insert(
    a: &mut AccountTx,
    notifications: &[(Notification, OrderKey)],
) -> Result<usize, Error> {
    stub()
}

/// The notification with this id, and its body when it was rendered.
pub fn find(
    a: &mut AccountTx,
    id: NotificationId,
) -> Result<Option<(Notification, Option<String>)>, Error> {
    stub()
}

/// Notifications by time of creation, newest first.
pub fn page(
    a: &mut AccountTx,
    filter: &NotificationFilter,
    slice: Slice,
) -> Result<Page<Notification>, Error> {
    stub()
}
