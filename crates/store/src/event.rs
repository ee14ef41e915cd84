//! Event resources of an account: what was told to the world.

use std::collections::HashMap;

use domain::event::EventName;
use domain::ids::{ContainerId, EventId, ShipmentId, TrackingRequestId};
use jiff::Timestamp;

use crate::db::{Row, Value, chunks, pieces, placeholders, rows_of_values};
use crate::packed::{Kind, Packed};
use crate::page::{Clauses, Listing, Order};
use crate::{AccountTx, Error, Listed, Page, Slice};

/// An event with its rendered document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// Its type on the wire (`transport_event`, `estimated_event`, …).
    pub resource: String,
    /// Its name.
    pub name: EventName,
    /// The container it is about.
    pub container: Option<ContainerId>,
    /// The shipment it is about.
    pub shipment: Option<ShipmentId>,
    /// The request it is about, where it is news of a request: such a row has no document, the request has.
    pub tracking_request: Option<TrackingRequestId>,
    /// Version of the thing it tells of.
    pub version: i64,
    /// The milestone it records, as text.
    pub slot: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it ceased to stand.
    pub invalidated_at: Option<Timestamp>,
    /// The resource object as JSON text.
    pub document: String,
}

/// Adds events.
pub fn insert(a: &mut AccountTx, events: &[Event]) -> Result<(), Error> {
    for piece in pieces(events) {
        let casts = [
            "uuid",
            "text",
            "text",
            "uuid",
            "uuid",
            "text",
            "timestamptz",
            "timestamptz",
            "bytea",
            "uuid",
            "bigint",
        ];
        let rows = rows_of_values(2, piece.len(), &casts).replace("($", "($1/*pg ::uuid*/, $");
        let documents: Vec<Packed> = piece.iter().map(document).collect();
        let values: Vec<Value<'_>> = piece.iter().zip(&documents).flat_map(values).collect();
        a.execute(
            &format!(
                "insert into events (account_id, id, resource, name, container_id, shipment_id,
                     slot, created_at, invalidated_at, document, tracking_request_id, version)
                 values {rows}"
            ),
            &values,
        )?;
    }
    Ok(())
}

/// Replaces what may change: everything but the id, the time of creation, the request and the version; `false` when there is no such event.
pub fn update(a: &mut AccountTx, event: &Event) -> Result<bool, Error> {
    let changed = a.execute(
        "update events set resource = $3, name = $4, container_id = $5, shipment_id = $6,
             slot = $7, invalidated_at = $8, document = $9
         where account_id = $1 and id = $2",
        &[
            event.id.into(),
            (&event.resource).into(),
            event.name.as_str().into(),
            event.container.into(),
            event.shipment.into(),
            (&event.slot).into(),
            event.invalidated_at.into(),
            (&document(event)).into(),
        ],
    )?;
    Ok(changed > 0)
}

/// The events of a container that record a milestone and stand, oldest first.
pub fn standing(a: &mut AccountTx, container: ContainerId) -> Result<Vec<Event>, Error> {
    a.query(
        &format!(
            "select {COLUMNS} from events
             where account_id = $1 and container_id = $2 and resource = 'transport_event'
                 and slot is not null and invalidated_at is null
             order by created_at, id"
        ),
        &[container.into()],
        read,
    )
}

/// What a transport event that stands records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its id.
    pub id: EventId,
    /// Its name.
    pub name: EventName,
    /// The milestone it records, as text.
    pub slot: Option<String>,
}

/// What the transport events of a container record that stand, oldest first.
pub fn records(a: &mut AccountTx, container: ContainerId) -> Result<Vec<Record>, Error> {
    a.query(
        "select id, name, slot from events
         where account_id = $1 and container_id = $2 and resource = 'transport_event'
             and invalidated_at is null
         order by created_at, id",
        &[container.into()],
        |row| {
            Ok(Record {
                id: row.id("id")?,
                name: row.parsed("name", EventName::parse)?,
                slot: row.get("slot")?,
            })
        },
    )
}

/// The event with this id.
pub fn find(a: &mut AccountTx, id: EventId) -> Result<Option<Event>, Error> {
    a.query_one(
        &format!("select {COLUMNS} from events where account_id = $1 and id = $2"),
        &[id.into()],
        read,
    )
}

/// Ids of the transport events of a container, oldest first.
pub fn ids_of_container(a: &mut AccountTx, container: ContainerId) -> Result<Vec<EventId>, Error> {
    let mut ids = ids_of_containers(a, &[container])?;
    Ok(ids.remove(&container).unwrap_or_default())
}

/// Ids of the transport events of each of these containers, oldest first. One without any is left out.
pub fn ids_of_containers(
    a: &mut AccountTx,
    containers: &[ContainerId],
) -> Result<HashMap<ContainerId, Vec<EventId>>, Error> {
    let mut ids: HashMap<ContainerId, Vec<EventId>> = HashMap::with_capacity(containers.len());
    for chunk in chunks(containers) {
        let text = format!(
            "select container_id, id from events
             where account_id = $1 and container_id in ({}) and resource = 'transport_event'
             order by container_id, created_at, id",
            placeholders(2, chunk.len())
        );
        let found: Vec<(ContainerId, EventId)> = a.query(&text, &chunk, |row| {
            Ok((row.id("container_id")?, row.id("id")?))
        })?;
        for (container, event) in found {
            ids.entry(container).or_default().push(event);
        }
    }
    Ok(ids)
}

/// The transport events of a container, by time of creation.
pub fn page_of_container(
    a: &mut AccountTx,
    container: ContainerId,
    order: Order,
    slice: Slice,
) -> Result<Page<Listed>, Error> {
    let mut clauses = Clauses::new();
    clauses.equal("container_id", Some(container));
    clauses.equal("resource", Some("transport_event"));
    Listing::of("events", &clauses)
        .ordered(order, true)
        .documents(a, slice)
}

/// The documents of these events, in the order of the ids; unknown ids are left out.
pub fn documents(a: &mut AccountTx, ids: &[EventId]) -> Result<Vec<Listed>, Error> {
    crate::page::documents(a, "events", ids.iter().map(|id| id.0))
}

const COLUMNS: &str = "id, resource, name, container_id, shipment_id, tracking_request_id, version, slot, \
     created_at, invalidated_at, document";

fn document(event: &Event) -> Packed {
    Packed::of(Kind::Event, &event.document)
}

fn values<'v>((event, document): (&'v Event, &'v Packed)) -> [Value<'v>; 11] {
    [
        event.id.into(),
        (&event.resource).into(),
        event.name.as_str().into(),
        event.container.into(),
        event.shipment.into(),
        (&event.slot).into(),
        event.created_at.into(),
        event.invalidated_at.into(),
        document.into(),
        event.tracking_request.into(),
        event.version.into(),
    ]
}

fn read(row: &Row<'_>) -> Result<Event, Error> {
    Ok(Event {
        id: row.id("id")?,
        resource: row.get("resource")?,
        name: row.parsed("name", EventName::parse)?,
        container: row.optional_id("container_id")?,
        shipment: row.optional_id("shipment_id")?,
        tracking_request: row.optional_id("tracking_request_id")?,
        version: row.get("version")?,
        slot: row.get("slot")?,
        created_at: row.get("created_at")?,
        invalidated_at: row.get("invalidated_at")?,
        document: row.unpacked("document")?,
    })
}
