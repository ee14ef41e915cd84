//! Containers of an account.

use domain::codes::{ContainerNumber, EquipmentHeight, UnLocode};
use domain::container::{ContainerState, LastFreeDay};
use domain::ids::{AccountId, ContainerId, CustomFieldId, PartyId, ShipmentId};
use jiff::Timestamp;

use crate::db::{Row, Value, chunks, placeholders, unreadable};
use crate::packed::{self, Packed};
use crate::page::Listing;
use crate::tally::List;
use crate::terms::{self, Kind};
use crate::{AccountTx, Error, Listed, Page, Slice, Tx, mirror};

mod filter;
mod kinds;
pub(crate) mod unnoted;

pub use filter::ContainerFilter;

/// What stands for no last free day: the last one there is, so that an index has one order on both engines.
const NO_LAST_FREE_DAY: &str = "9999-12-30T00:00:00Z";

/// A container with its state and rendered document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// Its id.
    pub id: ContainerId,
    /// The shipment it travels in.
    pub shipment: ShipmentId,
    /// Its number.
    pub number: ContainerNumber,
    /// What we hold true.
    pub state: ContainerState,
    /// The client's references.
    pub ref_numbers: Vec<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Rises by one with each change.
    pub version: i64,
    /// When the passing of time alone may change it.
    pub next_due_at: Option<Timestamp>,
    /// Its own customer among the account's parties; `None`: the shipment's.
    pub customer: Option<PartyId>,
    /// The custom fields that are set, in the order in which they were first set.
    pub custom_fields: Vec<CustomFieldId>,
    /// The resource object as JSON text.
    pub document: String,
}

/// Adds a container. Conflict when the shipment already has one of this number.
pub fn insert(a: &mut AccountTx, container: &Container) -> Result<(), Error> {
    let texts = Texts::of(container)?;
    a.execute(
        "insert into containers (account_id, id, shipment_id, number, status, ref_numbers,
             updated_at, version, next_due_at, state, customer_id, custom_field_ids, document,
             pol, pod, pickup_lfd, available, height, holds, fees, sought, created_at, scac)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
             $19, $20, $21, $22, coalesce((select scac from shipments where account_id = $1 and id = $3), ''))",
        &texts.values(container, Some(container.created_at)),
    )?;
    a.count(List::Containers, 1);
    a.found_by(Kind::Container, container.id.0, &texts.sought);
    Ok(())
}

/// Replaces everything but the id and the time of creation; `false` when there is no such container.
pub fn update(a: &mut AccountTx, container: &Container) -> Result<bool, Error> {
    let texts = Texts::of(container)?;
    let before = a.returning(
        "update containers set shipment_id = $3, number = $4, status = $5, ref_numbers = $6,
             updated_at = $7, version = $8, next_due_at = $9, state = $10, customer_id = $11,
             custom_field_ids = $12, document = $13, pol = $14, pod = $15, pickup_lfd = $16,
             available = $17, height = $18, holds = $19, fees = $20, sought_before = sought, sought = $21
         where account_id = $1 and id = $2
         returning sought_before",
        &texts.values(container, None),
        |row| row.get::<String>("sought_before"),
    )?;
    for before in &before {
        a.found_anew(Kind::Container, container.id.0, before, &texts.sought);
    }
    Ok(!before.is_empty())
}

/// A container as a projection changes it.
#[derive(Clone, Copy, Debug)]
pub struct Projected<'c> {
    /// As it is to stand.
    pub container: &'c Container,
    /// Whether all [by which lists find it](finds_alike) stands as before, but for the time of its change.
    pub found_as_before: bool,
}

/// Whether lists and the clock find both alike, but for the times of their changes.
pub fn finds_alike(before: &Container, after: &Container) -> bool {
    facets(before) == facets(after)
}

/// By which lists and the clock find it, beside what its account said and what it is born with.
fn facets(container: &Container) -> impl PartialEq {
    let held = &container.state;
    (
        (held.status, container.next_due_at, held.pickup.available),
        (
            held.journey.port_of_lading,
            held.journey.port_of_discharge,
            held.size_type.height,
        ),
        held.pickup.last_free_day().map(LastFreeDay::instant),
        (kinds::holds(&held.pickup), kinds::fees(&held.pickup)),
    )
}

/// Writes what a projection changes of containers, in few statements: all but what their account said, and what a
/// container is born with. SQLite enters a row anew into each index of which a column is written, be its value the same, so
/// columns that stand are left out.
pub fn write_projected(a: &mut AccountTx, containers: &[Projected<'_>]) -> Result<(), Error> {
    let (alike, otherwise): (Vec<_>, Vec<_>) =
        containers.iter().partition(|one| one.found_as_before);
    let packed = packed(&alike)?;
    let rows = alike.iter().zip(&packed);
    let rows: Vec<_> = rows
        .map(|(one, packed)| told(one.container, packed))
        .collect();
    a.update_rows("containers", &TOLD, &rows)?;
    let packed = self::packed(&otherwise)?;
    let rows = otherwise.iter().zip(&packed);
    let rows: Vec<_> = rows
        .map(|(one, packed)| projected(one.container, packed))
        .collect();
    a.update_rows("containers", &PROJECTED, &rows)
}

fn packed(containers: &[&Projected<'_>]) -> Result<Vec<(Packed, Packed)>, Error> {
    let each = containers.iter().map(|one| one.container);
    each.map(|container| Ok((state(container)?, document(container))))
        .collect()
}

/// What is written where it is found as before, the id in front, with its types.
const TOLD: [(&str, &str); 5] = [
    ("id", "uuid"),
    ("updated_at", "timestamptz"),
    ("version", "bigint"),
    ("state", "bytea"),
    ("document", "bytea"),
];

fn told<'v>(container: &'v Container, (state, document): &'v (Packed, Packed)) -> [Value<'v>; 5] {
    [
        container.id.into(),
        container.updated_at.into(),
        container.version.into(),
        state.into(),
        document.into(),
    ]
}

/// What [`write_projected`] writes otherwise, the id in front, with its types.
const PROJECTED: [(&str, &str); 14] = [
    ("id", "uuid"),
    ("status", "text"),
    ("updated_at", "timestamptz"),
    ("version", "bigint"),
    ("next_due_at", "timestamptz"),
    ("state", "bytea"),
    ("document", "bytea"),
    ("pol", "text"),
    ("pod", "text"),
    ("pickup_lfd", "timestamptz"),
    ("available", "boolean"),
    ("height", "text"),
    ("holds", "bigint"),
    ("fees", "bigint"),
];

fn state(container: &Container) -> Result<Packed, Error> {
    let text = mirror::text(&container.state)?;
    Ok(Packed::of(packed::Kind::State, &text))
}

fn document(container: &Container) -> Packed {
    Packed::of(packed::Kind::Container, &container.document)
}

fn projected<'v>(
    container: &'v Container,
    (state, document): &'v (Packed, Packed),
) -> [Value<'v>; 14] {
    let held = &container.state;
    let journey = &held.journey;
    [
        container.id.into(),
        held.status.as_str().into(),
        container.updated_at.into(),
        container.version.into(),
        container.next_due_at.into(),
        state.into(),
        document.into(),
        journey.port_of_lading.as_ref().map(UnLocode::as_str).into(),
        journey
            .port_of_discharge
            .as_ref()
            .map(UnLocode::as_str)
            .into(),
        last_free_day(held).into(),
        held.pickup.available.into(),
        held.size_type.height.map(EquipmentHeight::as_str).into(),
        kinds::holds(&held.pickup).into(),
        kinds::fees(&held.pickup).into(),
    ]
}

/// The container with this id.
pub fn find(a: &mut AccountTx, id: ContainerId) -> Result<Option<Container>, Error> {
    a.query_one(
        &format!("select {COLUMNS} from containers where account_id = $1 and id = $2"),
        &[id.into()],
        read,
    )
}

/// The containers of a shipment, by number.
pub fn of_shipment(a: &mut AccountTx, shipment: ShipmentId) -> Result<Vec<Container>, Error> {
    of_shipments(a, &[shipment])
}

/// The containers of these shipments, by shipment and number: in the order of their index, which is what makes a
/// planner that knows nothing of the table yet take that one.
pub fn of_shipments(a: &mut AccountTx, shipments: &[ShipmentId]) -> Result<Vec<Container>, Error> {
    let mut containers = Vec::new();
    for chunk in chunks(shipments) {
        let text = format!(
            "select {COLUMNS} from containers where account_id = $1 and shipment_id in ({})
             order by shipment_id, number",
            placeholders(2, chunk.len())
        );
        containers.extend(a.query(&text, &chunk, read)?);
    }
    Ok(containers)
}

/// Containers, newest first unless the filter says otherwise.
pub fn page(
    a: &mut AccountTx,
    filter: &ContainerFilter,
    slice: Slice,
) -> Result<Page<Listed>, Error> {
    let words = filter.words();
    let clauses = filter.clauses(&words);
    Listing::of("containers", &clauses)
        .ordered(filter.order, filter.asks_only_its_order())
        .kept(List::Containers)
        .documents(a, slice)
}

/// The documents of these containers, in the order of the ids; unknown ids are left out.
pub fn documents(a: &mut AccountTx, ids: &[ContainerId]) -> Result<Vec<Listed>, Error> {
    crate::page::documents(a, "containers", ids.iter().map(|id| id.0))
}

/// Shipments with a container whose time has come, ordered, each once.
pub fn due(tx: &mut Tx, now: Timestamp, limit: u32) -> Result<Vec<(AccountId, ShipmentId)>, Error> {
    tx.query(
        "select distinct account_id, shipment_id from (
             select account_id, shipment_id from containers where next_due_at <= $1
             order by next_due_at limit $2
         ) as due
         order by account_id, shipment_id",
        &[now.into(), limit.into()],
        |row| Ok((row.id("account_id")?, row.id("shipment_id")?)),
    )
}

/// Puts off what is due by `now` of a shipment.
pub fn put_off(
    a: &mut AccountTx,
    shipment: ShipmentId,
    now: Timestamp,
    until: Timestamp,
) -> Result<(), Error> {
    a.execute(
        "update containers set next_due_at = $4
         where account_id = $1 and shipment_id = $2 and next_due_at <= $3",
        &[shipment.into(), now.into(), until.into()],
    )?;
    Ok(())
}

/// Of the next `limit` containers of the account behind `after`, makes those due at `at` that are tracked and would have been due
/// later or never. The last that was looked at; `None`: there are no further ones.
pub fn pull_due(
    a: &mut AccountTx,
    at: Timestamp,
    after: ContainerId,
    limit: u32,
) -> Result<Option<ContainerId>, Error> {
    let looked_at: Vec<ContainerId> = a.query(
        "select id from containers where account_id = $1 and id > $2 order by id limit $3",
        &[after.into(), limit.into()],
        |row| row.id("id"),
    )?;
    let Some(last) = looked_at.last().copied() else {
        return Ok(None);
    };
    a.execute(
        "update containers set next_due_at = $2
         where account_id = $1 and id > $3 and id <= $4 and (next_due_at is null or next_due_at > $2)
             and shipment_id in (select id from shipments where account_id = $1 and stopped_at is null)",
        &[at.into(), after.into(), last.into()],
    )?;
    let is_full = looked_at.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(is_full.then_some(last))
}

const COLUMNS: &str = "id, shipment_id, number, ref_numbers, created_at, updated_at, version, \
    next_due_at, state, customer_id, custom_field_ids, document";

/// What is written as JSON text.
struct Texts {
    sought: terms::Texts,
    ref_numbers: String,
    state: Packed,
    document: Packed,
    custom_fields: String,
}

impl Texts {
    fn of(container: &Container) -> Result<Self, Error> {
        Ok(Self {
            sought: terms::Texts::of(container.number.as_str(), &container.ref_numbers, &[]),
            ref_numbers: mirror::text(&container.ref_numbers)?,
            state: state(container)?,
            document: document(container),
            custom_fields: mirror::text(&container.custom_fields)?,
        })
    }

    /// From `$2`; the time of creation, when it is written, is the last.
    fn values<'v>(
        &'v self,
        container: &'v Container,
        created_at: Option<Timestamp>,
    ) -> Vec<Value<'v>> {
        let journey = &container.state.journey;
        let height = container.state.size_type.height;
        let mut values = vec![
            container.id.into(),
            container.shipment.into(),
            container.number.as_str().into(),
            container.state.status.as_str().into(),
            (&self.ref_numbers).into(),
            container.updated_at.into(),
            container.version.into(),
            container.next_due_at.into(),
            (&self.state).into(),
            container.customer.into(),
            (&self.custom_fields).into(),
            (&self.document).into(),
            journey.port_of_lading.as_ref().map(UnLocode::as_str).into(),
            journey
                .port_of_discharge
                .as_ref()
                .map(UnLocode::as_str)
                .into(),
            last_free_day(&container.state).into(),
            container.state.pickup.available.into(),
            height.map(EquipmentHeight::as_str).into(),
            kinds::holds(&container.state.pickup).into(),
            kinds::fees(&container.state.pickup).into(),
            self.sought.as_str().into(),
        ];
        values.extend(created_at.map(Value::from));
        values
    }
}

fn last_free_day(state: &ContainerState) -> Option<Timestamp> {
    let day = state.pickup.last_free_day().map(LastFreeDay::instant);
    day.or_else(|| NO_LAST_FREE_DAY.parse().ok())
}

fn read(row: &Row<'_>) -> Result<Container, Error> {
    let number: String = row.get("number")?;
    let (number, _) =
        ContainerNumber::from_feed(&number).map_err(|error| unreadable("number", &error))?;
    Ok(Container {
        id: row.id("id")?,
        shipment: row.id("shipment_id")?,
        number,
        state: row.unpacked_mirrored("state")?,
        ref_numbers: row.mirrored("ref_numbers")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        version: row.get("version")?,
        next_due_at: row.get("next_due_at")?,
        customer: row.optional_id("customer_id")?,
        custom_fields: row.mirrored("custom_field_ids")?,
        document: row.unpacked("document")?,
    })
}
