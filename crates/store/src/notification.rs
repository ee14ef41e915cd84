//! Notifications: one event for one webhook, written in the transaction that made the event.

use std::collections::{BTreeMap, HashSet};

use domain::event::EventName;
use domain::ids::{ContainerId, NotificationId, ShipmentId, TrackingRequestId, WebhookId};
use domain::webhook::DeliveryStatus;
use jiff::Timestamp;
use uuid::Uuid;

use crate::db::{Row, Value, chunks, pieces, placeholders, rows_of_values};
use crate::tally::List;
use crate::{AccountTx, Error};

mod page;

pub use page::{NotificationFilter, page};

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

/// Who takes deliveries into his hands as they are written, as if he had claimed them.
#[derive(Clone, Debug)]
pub struct Express {
    /// Notifications there is a place for.
    pub wanted: HashSet<NotificationId>,
    /// The owner of the lease.
    pub owner: Uuid,
    /// When the lease ends.
    pub until: Timestamp,
}

/// Adds notifications, each with its delivery, due when it was created. One that repeats webhook, event,
/// reference and version is left out. How many were added.
pub fn insert(
    a: &mut AccountTx,
    notifications: &[(Notification, OrderKey)],
) -> Result<usize, Error> {
    let deliveries = add(a, notifications)?;
    add_deliveries(a, &deliveries, None)?;
    Ok(deliveries.len())
}

/// As [`insert`], and leases those that are wanted and at the head of their line, under their first claim token. Which.
///
/// One that has anything open in its line is left to be claimed, whatever the order. So whoever calls writes alone for
/// these lines (he holds the container or the shipment): a row that another one is about to add is not seen.
pub fn insert_express(
    a: &mut AccountTx,
    notifications: &[(Notification, OrderKey)],
    express: &Express,
) -> Result<HashSet<NotificationId>, Error> {
    let mut deliveries = add(a, notifications)?;
    let heads: Vec<(WebhookId, Uuid)> = deliveries
        .iter()
        .filter(|delivery| express.takes(delivery))
        .map(Delivery::line)
        .collect();
    let busy = busy_lines(a, &heads)?;
    let mut leased = HashSet::new();
    for delivery in &mut deliveries {
        if express.takes(delivery) && !busy.contains(&delivery.line()) {
            delivery.due_at = Some(express.until);
            delivery.is_leased = true;
            leased.insert(delivery.notification.id);
        }
    }
    add_deliveries(a, &deliveries, Some(express.owner))?;
    Ok(leased)
}

impl Express {
    fn takes(&self, delivery: &Delivery<'_>) -> bool {
        delivery.due_at.is_some() && self.wanted.contains(&delivery.notification.id)
    }
}

/// Those of these lines that have something open.
fn busy_lines(
    a: &mut AccountTx,
    lines: &[(WebhookId, Uuid)],
) -> Result<HashSet<(WebhookId, Uuid)>, Error> {
    let mut by_webhook: BTreeMap<WebhookId, Vec<Uuid>> = BTreeMap::new();
    for (webhook, key) in lines {
        by_webhook.entry(*webhook).or_default().push(*key);
    }
    let mut busy = HashSet::new();
    for (webhook, keys) in by_webhook {
        for chunk in chunks(&keys) {
            let text = format!(
                "select order_key from deliveries
                 where account_id = $1 and webhook_id = $2 and order_key in ({})",
                placeholders(3, chunk.len())
            );
            let values: Vec<Value<'_>> = std::iter::once(webhook.into()).chain(chunk).collect();
            let open = a.query(&text, &values, |row| row.get::<Uuid>("order_key"))?;
            busy.extend(open.into_iter().map(|key| (webhook, key)));
        }
    }
    Ok(busy)
}

/// Adds notifications, and gives the deliveries of those that are new.
fn add<'n>(
    a: &mut AccountTx,
    notifications: &'n [(Notification, OrderKey)],
) -> Result<Vec<Delivery<'n>>, Error> {
    let mut added: HashSet<NotificationId> = HashSet::new();
    for piece in pieces(notifications) {
        added.extend(insert_piece(a, piece)?);
    }
    let fresh = notifications.iter();
    let fresh = fresh.filter(|(one, _)| added.contains(&one.id));
    for (one, _) in fresh.clone() {
        a.count(List::Notifications(one.webhook), 1);
    }
    Ok(in_line(fresh))
}

fn add_deliveries(
    a: &mut AccountTx,
    deliveries: &[Delivery<'_>],
    owner: Option<Uuid>,
) -> Result<(), Error> {
    for piece in pieces(deliveries) {
        insert_deliveries(a, piece, owner)?;
    }
    Ok(())
}

/// The notification with this id, and its body when it was rendered.
pub fn find(
    a: &mut AccountTx,
    id: NotificationId,
) -> Result<Option<(Notification, Option<String>)>, Error> {
    a.query_one(
        &format!(
            "select {}, body from notifications
             left join bodies on bodies.notification_id = notifications.id
             where account_id = $1 and id = $2 and {NOT_OF_DELETED}",
            columns()
        ),
        &[id.into()],
        |row| Ok((read(row)?, row.optional_unpacked("body")?)),
    )
}

/// What [`read`] reads.
pub(crate) fn columns() -> String {
    format!(
        "id, webhook_id, event, reference_type, reference_id, container_id, shipment_id, \
         tracking_request_id, version, created_at, {STATUS} as status"
    )
}

/// The open delivery of one notification.
macro_rules! delivery {
    () => {
        "(select 1 from deliveries d where d.notification_id = notifications.id limit 1)"
    };
}

/// Whose delivery has ended.
const NOT_OPEN: &str =
    "not exists (select 1 from deliveries d where d.notification_id = notifications.id)";
/// Which has failed when it was told last. In the words of the index of just these: hardly any is, and they are what is asked for.
const FAILED: &str = "status = 'failed'";
/// How a notification stands. As long as its delivery is open it is pending, whatever its row says; the row says how it
/// ended, and from the beginning how it will end if the first answer is a good one. So most rows are written once.
/// Its delivery is looked up for each: for `exists` PostgreSQL reads all that are open, for every page.
pub(crate) const STATUS: &str = concat!(
    "case when ",
    delivery!(),
    " is not null then 'pending' else notifications.status end"
);
/// Whose delivery is open, of a few notifications that are known.
const IS_OPEN: &str = concat!(delivery!(), " is not null");
/// The same as [`NOT_OPEN`] of these.
pub(crate) const HAS_ENDED: &str = concat!(delivery!(), " is null");

/// Whose webhook is [there](crate::webhook::delete). A list asks only where one is not: it is counted by its index alone else.
const NOT_OF_DELETED: &str =
    "webhook_id not in (select id from webhooks where deleted_at is not null)";

/// A delivery to be: due, or waiting behind another one that is added with it.
struct Delivery<'n> {
    notification: &'n Notification,
    order: OrderKey,
    due_at: Option<Timestamp>,
    is_leased: bool,
}

impl Delivery<'_> {
    fn line(&self) -> (WebhookId, Uuid) {
        (self.notification.webhook, self.order.key)
    }
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
                is_leased: false,
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
    ];
    let rows = rows_of_values(2, piece.len(), &casts);
    let rows = rows.replace("($", "($1/*pg ::uuid*/, 'succeeded', $");
    let values: Vec<Value<'_>> = piece.iter().flat_map(|(n, _)| values(n)).collect();
    a.returning(
        &format!(
            "insert into notifications (account_id, status, id, webhook_id, event, reference_type,
                 reference_id, container_id, shipment_id, tracking_request_id, version,
                 created_at)
             values {rows}
             on conflict (webhook_id, reference_id, event, version) do nothing
             returning id"
        ),
        &values,
        |row| row.id("id"),
    )
}

fn insert_deliveries(
    a: &mut AccountTx,
    piece: &[Delivery<'_>],
    owner: Option<Uuid>,
) -> Result<(), Error> {
    let casts = [
        "uuid",
        "uuid",
        "uuid",
        "bigint",
        "timestamptz",
        "bigint",
        "uuid",
    ];
    let rows = rows_of_values(2, piece.len(), &casts).replace("($", "($1/*pg ::uuid*/, 0, 0, $");
    let values: Vec<Value<'_>> = piece
        .iter()
        .flat_map(|delivery| {
            [
                delivery.notification.id.into(),
                delivery.notification.webhook.into(),
                delivery.order.key.into(),
                delivery.order.sequence.into(),
                delivery.due_at.into(),
                i64::from(delivery.is_leased).into(),
                owner.filter(|_| delivery.is_leased).into(),
            ]
        })
        .collect();
    a.execute(
        &format!(
            "insert into deliveries (account_id, attempts, refusals, notification_id, webhook_id,
                 order_key, sequence, due_at, claim_token, lease_owner)
             values {rows}"
        ),
        &values,
    )?;
    Ok(())
}

fn values(notification: &Notification) -> [Value<'_>; 10] {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Settings, Store};

    /// As a list asks for them.
    #[tokio::test(flavor = "multi_thread")]
    async fn what_has_failed_is_found_by_the_index_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = Store::open(&Settings::new(Database::Sqlite { path })).unwrap();
        for asked in ["id", "count(*)"] {
            let order = if asked == "id" {
                " order by created_at desc, id desc limit 26"
            } else {
                ""
            };
            let sql = format!(
                "explain query plan select {asked} from notifications
                 where account_id = $1 and {FAILED} and {NOT_OPEN}{order}"
            );
            let plan = store
                .read(move |tx| tx.query(&sql, &[Value::Null], |row| row.get::<String>("detail")));
            let steps: Vec<String> = plan.await.unwrap();
            let by_it = |step: &String| step.contains("notifications_failed");
            assert!(steps.iter().any(by_it), "{asked}: {steps:?}");
        }
    }
}
