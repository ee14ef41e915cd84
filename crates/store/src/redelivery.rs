//! Redeliveries: a window of time of one webhook, sent again step by step.
//!
//! A window may hold millions. So asking for it writes one row, and the row says how far the sending has come:
//! each step is a transaction that sends some and moves the row on. A step holds the row's lock, so nodes do not
//! do the same one twice, and a crash loses a step or none of it; nobody has to own the row in between.
//!
//! Two lists are walked side by side, both in the order of time: the notifications of the account, and its
//! events. Ids are of version 7, so events are found along their primary key, and what is older than the window is
//! not looked at. Of a window of millions a single one may be wanted; so a walk says how many rows it looks at, not
//! how many it finds, and gives back those that are not wanted too, for the caller to remember where it stands.

use domain::event::EventName;
use domain::ids::{
    AccountId, ContainerId, EventId, NotificationId, RedeliveryId, ShipmentId, TrackingRequestId,
    WebhookId,
};
use domain::webhook::DeliveryStatus;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::db::{Row, Value};
use crate::notification::{self, Notification};
use crate::{AccountTx, Error, Tx, mirror};

/// A window that is, or was, sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redelivery {
    /// Its id.
    pub id: RedeliveryId,
    /// Of which webhook.
    pub webhook: WebhookId,
    /// From this moment.
    pub from: Timestamp,
    /// Until before this one.
    pub until: Timestamp,
    /// These events only; empty: all.
    pub events: Vec<EventName>,
    /// Of notifications those with these statuses.
    pub statuses: Vec<DeliveryStatus>,
    /// Whether events without a notification for the webhook are sent too.
    pub missed: bool,
    /// How many there were to send when it was asked for; counted up to a bound.
    pub counted: u32,
    /// How many are on their way.
    pub redelivered: i64,
    /// The last notification that was sent.
    pub kept: (Timestamp, NotificationId),
    /// The last missed event that was sent.
    pub missed_until: EventId,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When the last of it was on its way.
    pub finished_at: Option<Timestamp>,
}

/// An event that a webhook was never told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Its id.
    pub id: EventId,
    /// What it tells.
    pub name: EventName,
    /// Type of the resource it refers to.
    pub reference_type: String,
    /// The container it is about.
    pub container: Option<ContainerId>,
    /// The shipment it is about.
    pub shipment: Option<ShipmentId>,
    /// The tracking request it is about.
    pub tracking_request: Option<TrackingRequestId>,
    /// Version of the thing it tells of.
    pub version: i64,
    /// When it was told to others.
    pub created_at: Timestamp,
}

/// A row that was looked at on the way through a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked<T> {
    /// The row.
    pub row: T,
    /// Whether it is to be sent.
    pub wanted: bool,
}

/// What a webhook can have been told.
#[derive(Clone, Copy, Debug)]
pub struct Hearing<'w> {
    /// The events it wants.
    pub events: &'w [EventName],
    /// Since when it is there: what is older was told to others at most.
    pub since: Timestamp,
    /// Notifications of finished deliveries from before this moment may be, or were, forgotten. Whether something between
    /// `since` and then was told is not known, so it is not taken for missed.
    pub remembered_since: Timestamp,
}

impl Redelivery {
    /// One that has sent nothing yet.
    pub fn begin(id: RedeliveryId, webhook: WebhookId, from: Timestamp, at: Timestamp) -> Self {
        Self {
            id,
            webhook,
            from,
            until: at,
            events: Vec::new(),
            statuses: Vec::new(),
            missed: false,
            counted: 0,
            redelivered: 0,
            kept: (from, NotificationId(Uuid::nil())),
            missed_until: EventId(first_id(from)),
            created_at: at,
            finished_at: None,
        }
    }
}

/// Adds a redelivery.
pub fn insert(a: &mut AccountTx, row: &Redelivery) -> Result<(), Error> {
    let events = mirror::text(&row.events)?;
    let statuses = words(&row.statuses);
    a.execute(
        "insert into redeliveries (account_id, id, webhook_id, from_at, until_at, events, statuses,
             missed, counted, redelivered, kept_at, kept_id, missed_id, created_at, finished_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
        &[
            row.id.into(),
            row.webhook.into(),
            row.from.into(),
            row.until.into(),
            (&events).into(),
            (&statuses).into(),
            row.missed.into(),
            row.counted.into(),
            row.redelivered.into(),
            row.kept.0.into(),
            row.kept.1.into(),
            row.missed_until.into(),
            row.created_at.into(),
            row.finished_at.into(),
        ],
    )?;
    Ok(())
}

/// The redeliveries of a webhook, the newest first.
pub fn of_webhook(
    a: &mut AccountTx,
    webhook: WebhookId,
    limit: u32,
) -> Result<Vec<Redelivery>, Error> {
    a.query(
        &format!(
            "select {COLUMNS} from redeliveries where account_id = $1 and webhook_id = $2
             order by created_at desc, id desc limit $3"
        ),
        &[webhook.into(), limit.into()],
        read,
    )
}

/// How many of a webhook are under way.
pub fn under_way(a: &mut AccountTx, webhook: WebhookId) -> Result<u32, Error> {
    let count = a.query_one(
        "select count(*) as open from redeliveries
         where account_id = $1 and webhook_id = $2 and finished_at is null",
        &[webhook.into()],
        |row| row.count("open"),
    )?;
    Ok(count.unwrap_or_default())
}

/// Those under way whose webhook is active, the oldest first: the next after this one, so that whoever goes through
/// all of them is held up by none.
pub fn next(
    tx: &mut Tx,
    after: RedeliveryId,
    limit: u32,
) -> Result<Vec<(AccountId, WebhookId, RedeliveryId)>, Error> {
    tx.query(
        "select r.account_id, r.webhook_id, r.id from redeliveries r
         join webhooks w on w.account_id = r.account_id and w.id = r.webhook_id
         where r.finished_at is null and w.active and r.id > $1 order by r.id limit $2",
        &[after.into(), limit.into()],
        |row| Ok((row.id("account_id")?, row.id("webhook_id")?, row.id("id")?)),
    )
}

/// One that is under way, locked; `None` when it is not, or another node holds it.
pub fn lock(a: &mut AccountTx, id: RedeliveryId) -> Result<Option<Redelivery>, Error> {
    let found = a.locking(
        &format!(
            "select {COLUMNS} from redeliveries
             where account_id = $1 and id = $2 and finished_at is null
             /*pg for update skip locked*/"
        ),
        &[id.into()],
        read,
    )?;
    Ok(found.into_iter().next())
}

/// Writes how far it has come.
pub fn advance(a: &mut AccountTx, row: &Redelivery) -> Result<(), Error> {
    a.execute(
        "update redeliveries set redelivered = $3, kept_at = $4, kept_id = $5, missed_id = $6,
             finished_at = $7
         where account_id = $1 and id = $2",
        &[
            row.id.into(),
            row.redelivered.into(),
            row.kept.0.into(),
            row.kept.1.into(),
            row.missed_until.into(),
            row.finished_at.into(),
        ],
    )?;
    Ok(())
}

/// Forgets those of a webhook that were finished before this time.
pub fn forget(a: &mut AccountTx, webhook: WebhookId, before: Timestamp) -> Result<u64, Error> {
    a.execute(
        "delete from redeliveries
         where account_id = $1 and webhook_id = $2 and finished_at < $3",
        &[webhook.into(), before.into()],
    )
}

/// The next `looked_at` notifications of the account in the window, by time; wanted are those of the webhook.
pub fn kept_after(
    a: &mut AccountTx,
    of: &Redelivery,
    looked_at: u32,
) -> Result<Vec<Looked<Notification>>, Error> {
    let Some(walk) = kept(of) else {
        return Ok(Vec::new());
    };
    let sql = walk.sql(&notification::columns(), looked_at);
    a.query(&sql, &walk.values, |row| {
        let wanted = row.get("wanted")?;
        notification::read(row).map(|row| Looked { row, wanted })
    })
}

/// Where a walk through a window ends for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalksTo {
    /// Where the window ends.
    ItsEnd,
    /// Before that: what lies behind is looked at by the next walk.
    Meanwhile,
}

/// The next `looked_at` events of the account in the window, by time; wanted are those that the webhook wants, was
/// never told, and that still stand.
pub fn missed_after(
    a: &mut AccountTx,
    of: &Redelivery,
    hearing: Hearing<'_>,
    walks_to: WalksTo,
    looked_at: u32,
) -> Result<Vec<Looked<Missed>>, Error> {
    let Some(walk) = missed(of, hearing, walks_to) else {
        return Ok(Vec::new());
    };
    let columns = "id, name, resource, container_id, shipment_id, tracking_request_id, version, \
        created_at";
    a.query(&walk.sql(columns, looked_at), &walk.values, |row| {
        let wanted = row.get("wanted")?;
        read_missed(row).map(|row| Looked { row, wanted })
    })
}

/// How much there is to send among the next `looked_at` of either list.
pub fn count(
    a: &mut AccountTx,
    of: &Redelivery,
    hearing: Hearing<'_>,
    looked_at: u32,
) -> Result<u32, Error> {
    let mut count = 0u32;
    let missed = missed(of, hearing, WalksTo::ItsEnd);
    for walk in [kept(of), missed].into_iter().flatten() {
        let looked = walk.sql("1 as one", looked_at);
        let found = a.query_one(
            &format!("select count(*) as found from ({looked}) as looked where wanted"),
            &walk.values,
            |row| row.count("found"),
        )?;
        count = count.saturating_add(found.unwrap_or_default());
    }
    Ok(count)
}

const COLUMNS: &str = "id, webhook_id, from_at, until_at, events, statuses, missed, counted, \
    redelivered, kept_at, kept_id, missed_id, created_at, finished_at";

/// A way through a list of the account, in the order of time.
struct Walk<'v> {
    table: &'static str,
    /// Which part of the list, along an index.
    range: &'static str,
    order: &'static str,
    /// What is to be sent of it.
    wanted: String,
    /// From `$2` on; `$1` is the account.
    values: Vec<Value<'v>>,
}

impl Walk<'_> {
    fn sql(&self, columns: &str, looked_at: u32) -> String {
        let Self {
            table,
            range,
            order,
            wanted,
            ..
        } = self;
        format!(
            "select {columns}, ({wanted}) as wanted from {table}
             where account_id = $1 and {range} order by {order} limit {looked_at}"
        )
    }
}

fn kept(of: &Redelivery) -> Option<Walk<'_>> {
    if of.statuses.is_empty() {
        return None;
    }
    let mut values: Vec<Value<'_>> = vec![
        of.webhook.into(),
        of.kept.0.into(),
        of.kept.1.into(),
        of.until.into(),
    ];
    let statuses = of.statuses.iter().map(|status| status.as_str());
    let statuses = listed(&mut values, statuses);
    let mut of_events = String::new();
    if !of.events.is_empty() {
        let events = listed(&mut values, of.events.iter().map(|event| event.as_str()));
        of_events = format!(" and event in ({events})");
    }
    Some(Walk {
        table: "notifications",
        range: "created_at >= $3 and created_at < $5 and (created_at, id) > ($3, $4)",
        order: "created_at, id",
        wanted: format!(
            "webhook_id = $2 and {} in ({statuses}){of_events}",
            notification::STATUS
        ),
        values,
    })
}

/// Ids of one use case run ahead of its time, by a millisecond for each 4,096 that it draws.
const AHEAD_MAX: SignedDuration = SignedDuration::from_secs(2);

/// An event is told once, so its notification is known by the event; news of a request refer to the request, and
/// are told apart by its version. Where the walk ends for good it looks a little further by id: the time of an event
/// decides whether it is of the window.
fn missed<'v>(of: &'v Redelivery, hearing: Hearing<'_>, walks_to: WalksTo) -> Option<Walk<'v>> {
    let asked = |event: &&EventName| of.events.is_empty() || of.events.contains(event);
    let names: Vec<&'static str> = hearing
        .events
        .iter()
        .filter(asked)
        .map(|event| event.as_str())
        .collect();
    if !of.missed || names.is_empty() {
        return None;
    }
    let last = match walks_to {
        WalksTo::ItsEnd => of.until.checked_add(AHEAD_MAX).unwrap_or(Timestamp::MAX),
        WalksTo::Meanwhile => of.until,
    };
    let mut values: Vec<Value<'_>> = vec![
        of.webhook.into(),
        of.missed_until.into(),
        Value::Id(first_id_from(last)),
        of.from.into(),
        of.until.into(),
        hearing.since.into(),
        hearing.remembered_since.into(),
    ];
    let names = listed(&mut values, names.into_iter());
    let wanted = format!(
        "created_at >= $5 and created_at < $6 and (created_at < $7 or created_at >= $8)
             and invalidated_at is null and name in ({names})
             and not exists (
                 select 1 from notifications n
                 where n.webhook_id = $2 and n.reference_id = coalesce(e.tracking_request_id, e.id)
                     and n.event = e.name
                     and (e.tracking_request_id is null or n.version = e.version)
             )"
    );
    Some(Walk {
        table: "events e",
        range: "id > $3 and id < $4",
        order: "id",
        wanted,
        values,
    })
}

/// Places for these words, which join the values.
fn listed<'v>(values: &mut Vec<Value<'v>>, words: impl Iterator<Item = &'static str>) -> String {
    let first = values.len() + 2;
    values.extend(words.map(|word| -> Value<'v> { Value::Text(word) }));
    let places = first..values.len() + 2;
    let places: Vec<String> = places.map(|place| format!("${place}")).collect();
    places.join(", ")
}

/// The smallest id of version 7 that is drawn at this time.
pub(crate) fn first_id(at: Timestamp) -> Uuid {
    let milliseconds = u128::try_from(at.as_millisecond()).unwrap_or_default();
    Uuid::from_u128(milliseconds << 80)
}

/// The smallest id that nothing from before this time has. Where it is a whole millisecond, nothing of it is before.
fn first_id_from(at: Timestamp) -> Uuid {
    let whole = at.checked_add(SignedDuration::from_micros(999));
    first_id(whole.unwrap_or(at))
}

fn words(statuses: &[DeliveryStatus]) -> String {
    let words: Vec<&str> = statuses.iter().map(|status| status.as_str()).collect();
    words.join(",")
}

fn read(row: &Row<'_>) -> Result<Redelivery, Error> {
    let statuses: String = row.get("statuses")?;
    Ok(Redelivery {
        id: row.id("id")?,
        webhook: row.id("webhook_id")?,
        from: row.get("from_at")?,
        until: row.get("until_at")?,
        events: row.mirrored("events")?,
        statuses: statuses
            .split(',')
            .filter_map(DeliveryStatus::parse)
            .collect(),
        missed: row.get("missed")?,
        counted: row.count("counted")?,
        redelivered: row.get("redelivered")?,
        kept: (row.get("kept_at")?, row.id("kept_id")?),
        missed_until: row.id("missed_id")?,
        created_at: row.get("created_at")?,
        finished_at: row.get("finished_at")?,
    })
}

fn read_missed(row: &Row<'_>) -> Result<Missed, Error> {
    Ok(Missed {
        id: row.id("id")?,
        name: row.parsed("name", EventName::parse)?,
        reference_type: row.get("resource")?,
        container: row.optional_id("container_id")?,
        shipment: row.optional_id("shipment_id")?,
        tracking_request: row.optional_id("tracking_request_id")?,
        version: row.get("version")?,
        created_at: row.get("created_at")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Settings, Store};

    /// How the embedded store goes through a list.
    async fn plan(store: &Store, sql: String, values: usize) -> Vec<String> {
        store
            .read(move |tx| {
                let values = vec![Value::Id(Uuid::nil()); values];
                tx.query(&format!("explain query plan {sql}"), &values, |row| {
                    row.get::<String>("detail")
                })
            })
            .await
            .unwrap()
    }

    /// Neither list is sorted, and none is read from its beginning: a step costs what it looks at.
    #[tokio::test(flavor = "multi_thread")]
    async fn both_lists_are_walked_along_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = Store::open(&Settings::new(Database::Sqlite { path })).unwrap();
        let at = Timestamp::UNIX_EPOCH;
        let row = Redelivery {
            events: vec![EventName::VesselArrived],
            statuses: vec![DeliveryStatus::Failed],
            missed: true,
            ..Redelivery::begin(Uuid::nil().into(), Uuid::nil().into(), at, at)
        };
        let hearing = Hearing {
            events: &EventName::ALL,
            since: at,
            remembered_since: at,
        };
        for (walk, index) in [
            (kept(&row).unwrap(), "notifications_listed"),
            (
                missed(&row, hearing, WalksTo::ItsEnd).unwrap(),
                "sqlite_autoindex_events_1",
            ),
        ] {
            let sql = walk.sql("id", 9);
            let steps = plan(&store, sql, walk.values.len() + 1).await;
            assert!(steps[0].starts_with("SEARCH"), "{steps:?}");
            assert!(steps[0].contains(index), "{steps:?}");
            assert!(steps[0].contains("(account_id=? AND "), "{steps:?}");
            let others = &steps[1..];
            let sorted = others.iter().any(|step| step.contains("TEMP B-TREE"));
            assert!(!sorted, "{steps:?}");
            let scanned = others.iter().any(|step| step.starts_with("SCAN"));
            assert!(!scanned, "{steps:?}");
        }
    }
}
