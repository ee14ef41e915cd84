//! Notifications: one event for one webhook, written in the transaction that made the event.

use std::collections::{BTreeMap, HashSet};

use domain::event::EventName;
use domain::ids::{ContainerId, NotificationId, ShipmentId, TrackingRequestId, WebhookId};
use domain::webhook::DeliveryStatus;
use jiff::Timestamp;
use uuid::Uuid;

use crate::db::{Row, Value, pieces, rows_of_values};
use crate::page::{Clauses, Listing, Order, Range};
use crate::{AccountTx, Error, Page, Slice};

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
    pub created: Range,
    /// In which order, by time of creation.
    pub order: Order,
}

/// Adds notifications, each with its delivery, due when it was created. One that repeats webhook, event,
/// reference and version is left out. How many were added.
pub fn insert(
    a: &mut AccountTx,
    notifications: &[(Notification, OrderKey)],
) -> Result<usize, Error> {
    let mut added = HashSet::new();
    for piece in pieces(notifications) {
        added.extend(insert_piece(a, piece)?);
    }
    let fresh = notifications
        .iter()
        .filter(|(notification, _)| added.contains(&notification.id));
    let deliveries = in_line(fresh);
    for piece in pieces(&deliveries) {
        insert_deliveries(a, piece)?;
    }
    Ok(added.len())
}

/// The notification with this id, and its body when it was rendered.
pub fn find(
    a: &mut AccountTx,
    id: NotificationId,
) -> Result<Option<(Notification, Option<String>)>, Error> {
    a.query_one(
        &format!(
            "select {COLUMNS}, body from notifications
             left join bodies on bodies.notification_id = notifications.id
             where account_id = $1 and id = $2"
        ),
        &[id.into()],
        |row| Ok((read(row)?, row.get("body")?)),
    )
}

/// Notifications by time of creation, newest first unless the filter says otherwise.
pub fn page(
    a: &mut AccountTx,
    filter: &NotificationFilter,
    slice: Slice,
) -> Result<Page<Notification>, Error> {
    let mut clauses = Clauses::new();
    clauses.equal("status", filter.status.map(DeliveryStatus::as_str));
    clauses.equal("event", filter.event.map(EventName::as_str));
    clauses.equal("webhook_id", filter.webhook);
    clauses.equal("container_id", filter.container);
    clauses.between("created_at", filter.created);
    Listing::of("notifications", &clauses)
        .ordered(filter.order, true)
        .page(a, COLUMNS, slice, read)
}

pub(crate) const COLUMNS: &str = "id, webhook_id, event, reference_type, reference_id, \
    container_id, shipment_id, tracking_request_id, version, created_at, status";

/// A delivery to be: due, or waiting behind another one that is added with it.
struct Delivery<'n> {
    notification: &'n Notification,
    order: OrderKey,
    due_at: Option<Timestamp>,
}

/// Of several for one webhook and order key only the first is due; the end of each makes the next one due.
fn in_line<'n>(fresh: impl Iterator<Item = &'n (Notification, OrderKey)>) -> Vec<Delivery<'n>> {
    let mut lines: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (notification, order) in fresh {
        let line = lines.entry((notification.webhook, order.key)).or_default();
        line.push((order.sequence, notification.id, notification, *order));
    }
    let mut deliveries = Vec::new();
    for mut line in lines.into_values() {
        line.sort_by_key(|(sequence, id, ..)| (*sequence, *id));
        deliveries.extend(line.into_iter().enumerate().map(
            |(place, (.., notification, order))| Delivery {
                notification,
                order,
                due_at: (place == 0).then_some(notification.created_at),
            },
        ));
    }
    deliveries
}

fn insert_piece(
    a: &mut AccountTx,
    piece: &[(Notification, OrderKey)],
) -> Result<Vec<NotificationId>, Error> {
    let casts = [
        "uuid",
        "uuid",
        "text",
        "text",
        "uuid",
        "uuid",
        "uuid",
        "uuid",
        "bigint",
        "timestamptz",
        "text",
    ];
    let rows = rows_of_values(2, piece.len(), &casts).replace("($", "($1/*pg ::uuid*/, $");
    let values: Vec<Value<'_>> = piece.iter().flat_map(|(n, _)| values(n)).collect();
    a.returning(
        &format!(
            "insert into notifications (account_id, id, webhook_id, event, reference_type,
                 reference_id, container_id, shipment_id, tracking_request_id, version,
                 created_at, status)
             values {rows}
             on conflict (webhook_id, reference_id, event, version) do nothing
             returning id"
        ),
        &values,
        |row| row.id("id"),
    )
}

fn insert_deliveries(a: &mut AccountTx, piece: &[Delivery<'_>]) -> Result<(), Error> {
    let casts = ["uuid", "uuid", "uuid", "bigint", "timestamptz"];
    let rows = rows_of_values(2, piece.len(), &casts).replace("($", "($1/*pg ::uuid*/, 0, 0, 0, $");
    let values: Vec<Value<'_>> = piece
        .iter()
        .flat_map(|delivery| {
            [
                delivery.notification.id.into(),
                delivery.notification.webhook.into(),
                delivery.order.key.into(),
                delivery.order.sequence.into(),
                delivery.due_at.into(),
            ]
        })
        .collect();
    a.execute(
        &format!(
            "insert into deliveries (account_id, attempts, refusals, claim_token,
                 notification_id, webhook_id, order_key, sequence, due_at)
             values {rows}"
        ),
        &values,
    )?;
    Ok(())
}

fn values(notification: &Notification) -> [Value<'_>; 11] {
    [
        notification.id.into(),
        notification.webhook.into(),
        notification.event.as_str().into(),
        (&notification.reference_type).into(),
        notification.reference.into(),
        notification.container.into(),
        notification.shipment.into(),
        notification.tracking_request.into(),
        notification.version.into(),
        notification.created_at.into(),
        notification.status.as_str().into(),
    ]
}

pub(crate) fn read(row: &Row<'_>) -> Result<Notification, Error> {
    Ok(Notification {
        id: row.id("id")?,
        webhook: row.id("webhook_id")?,
        event: row.parsed("event", EventName::parse)?,
        reference_type: row.get("reference_type")?,
        reference: row.get("reference_id")?,
        container: row.optional_id("container_id")?,
        shipment: row.optional_id("shipment_id")?,
        tracking_request: row.optional_id("tracking_request_id")?,
        version: row.get("version")?,
        created_at: row.get("created_at")?,
        status: row.parsed("status", DeliveryStatus::parse)?,
    })
}
