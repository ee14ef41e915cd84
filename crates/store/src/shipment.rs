//! Shipments of an account, and the watches that feed them.

use std::collections::HashMap;

use domain::codes::{Scac, UnLocode};
use domain::ids::{AccountId, CustomFieldId, PartyId, ShipmentId, WatchId};
use domain::shipment::ShipmentState;
use domain::tracking_request::NumberKind;
use jiff::Timestamp;

use crate::db::{Row, Value, chunks, pieces, placeholders};
use crate::packed::{self, Packed};
use crate::page::Listing;
use crate::tally::List;
use crate::terms::{self, Kind};
use crate::{AccountTx, Error, Listed, Page, Slice, Tx, mirror};

mod filter;

pub use filter::ShipmentFilter;

/// A shipment with its state and rendered document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shipment {
    /// Its id.
    pub id: ShipmentId,
    /// Its number as asked for.
    pub number: String,
    /// The number as its line is asked for it.
    pub normalized_number: String,
    /// The line.
    pub scac: Scac,
    /// What kind of number.
    pub kind: NumberKind,
    /// What we hold true.
    pub state: ShipmentState,
    /// The client's references.
    pub ref_numbers: Vec<String>,
    /// The client's tags.
    pub tags: Vec<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Rises by one with each change.
    pub version: i64,
    /// When the line was last asked.
    pub line_attempted_at: Option<Timestamp>,
    /// When the line last answered.
    pub line_succeeded_at: Option<Timestamp>,
    /// When and why tracking stopped.
    pub stopped: Option<(Timestamp, String)>,
    /// When its account last resumed its tracking.
    pub resumed_at: Option<Timestamp>,
    /// The customer among the account's parties.
    pub customer: Option<PartyId>,
    /// The custom fields that are set, in the order in which they were first set.
    pub custom_fields: Vec<CustomFieldId>,
    /// The resource object as JSON text.
    pub document: String,
}

/// Adds a shipment.
pub fn insert(a: &mut AccountTx, shipment: &Shipment) -> Result<(), Error> {
    let texts = Texts::of(shipment)?;
    a.execute(
        "insert into shipments (account_id, id, number, normalized_number, scac, kind, ref_numbers,
             tags, updated_at, version, line_attempted_at, line_succeeded_at, stopped_at,
             stopped_reason, state, customer_id, custom_field_ids, document, pol, pod, pod_eta,
             pod_ata, resumed_at, sought, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
             $19, $20, $21, $22, $23, $24, $25)",
        &texts.values(shipment, Some(shipment.created_at)),
    )?;
    a.count(List::Shipments, 1);
    a.found_by(Kind::Shipment, shipment.id.0, &texts.sought);
    Ok(())
}

/// Replaces everything but the id and the time of creation; `false` when there is no such shipment.
pub fn update(a: &mut AccountTx, shipment: &Shipment) -> Result<bool, Error> {
    let texts = Texts::of(shipment)?;
    let before = a.returning(
        "update shipments set number = $3, normalized_number = $4, scac = $5, kind = $6,
             ref_numbers = $7, tags = $8, updated_at = $9, version = $10, line_attempted_at = $11,
             line_succeeded_at = $12, stopped_at = $13, stopped_reason = $14, state = $15,
             customer_id = $16, custom_field_ids = $17, document = $18, pol = $19, pod = $20,
             pod_eta = $21, pod_ata = $22, resumed_at = $23, sought_before = sought, sought = $24
         where account_id = $1 and id = $2
         returning sought_before",
        &texts.values(shipment, None),
        |row| row.get::<String>("sought_before"),
    )?;
    for before in &before {
        a.found_anew(Kind::Shipment, shipment.id.0, before, &texts.sought);
    }
    Ok(!before.is_empty())
}

/// Writes what a projection changes of shipments, in few statements: all but what the account or its request said.
/// In the order of the ids, as they are locked.
pub fn write_projected(a: &mut AccountTx, shipments: &[&Shipment]) -> Result<(), Error> {
    let texts = shipments
        .iter()
        .map(|shipment| Ok((mirror::text(&shipment.state)?, document(shipment))));
    let texts = texts.collect::<Result<Vec<(String, Packed)>, Error>>()?;
    let rows = shipments.iter().zip(&texts);
    let rows: Vec<_> = rows
        .map(|(shipment, texts)| projected(shipment, texts))
        .collect();
    a.update_rows("shipments", &PROJECTED, &rows)
}

/// What [`write_projected`] writes, the id in front, with its types.
const PROJECTED: [(&str, &str); 13] = [
    ("id", "uuid"),
    ("updated_at", "timestamptz"),
    ("version", "bigint"),
    ("line_attempted_at", "timestamptz"),
    ("line_succeeded_at", "timestamptz"),
    ("stopped_at", "timestamptz"),
    ("stopped_reason", "text"),
    ("state", "text"),
    ("document", "bytea"),
    ("pol", "text"),
    ("pod", "text"),
    ("pod_eta", "timestamptz"),
    ("pod_ata", "timestamptz"),
];

fn document(shipment: &Shipment) -> Packed {
    Packed::of(packed::Kind::Shipment, &shipment.document)
}

fn projected<'v>(
    shipment: &'v Shipment,
    (state, document): &'v (String, Packed),
) -> [Value<'v>; 13] {
    let (held, stopped) = (&shipment.state, shipment.stopped.as_ref());
    [
        shipment.id.into(),
        shipment.updated_at.into(),
        shipment.version.into(),
        shipment.line_attempted_at.into(),
        shipment.line_succeeded_at.into(),
        stopped.map(|(at, _)| *at).into(),
        stopped.map(|(_, reason)| reason).into(),
        state.into(),
        document.into(),
        held.port_of_lading.as_ref().map(UnLocode::as_str).into(),
        held.port_of_discharge.as_ref().map(UnLocode::as_str).into(),
        held.pod_eta.into(),
        held.pod_ata.into(),
    ]
}

/// The shipment with this id.
pub fn find(a: &mut AccountTx, id: ShipmentId) -> Result<Option<Shipment>, Error> {
    a.query_one(
        &format!("select {COLUMNS} from shipments where account_id = $1 and id = $2"),
        &[id.into()],
        read,
    )
}

/// The shipment with this id, locked until the end of the transaction.
pub fn lock(a: &mut AccountTx, id: ShipmentId) -> Result<Option<Shipment>, Error> {
    let locked = a.locking(
        &format!(
            "select {COLUMNS} from shipments where account_id = $1 and id = $2 /*pg for update*/"
        ),
        &[id.into()],
        read,
    )?;
    Ok(locked.into_iter().next())
}

/// These shipments, locked until the end of the transaction, in the order of their ids. Unknown ids are left out.
pub fn lock_all(a: &mut AccountTx, ids: &[ShipmentId]) -> Result<Vec<Shipment>, Error> {
    let mut ordered = ids.to_vec();
    ordered.sort_unstable();
    let mut locked = Vec::with_capacity(ids.len());
    for chunk in chunks(&ordered) {
        let text = format!(
            "select {COLUMNS} from shipments where account_id = $1 and id in ({})
             order by id /*pg for update*/",
            placeholders(2, chunk.len())
        );
        locked.extend(a.locking(&text, &chunk, read)?);
    }
    Ok(locked)
}

/// Lets a watch feed a shipment; once is enough.
pub fn link_watch(a: &mut AccountTx, shipment: ShipmentId, watch: WatchId) -> Result<(), Error> {
    a.execute(
        "insert into shipment_watches (account_id, shipment_id, watch_id) values ($1, $2, $3)
         on conflict (account_id, shipment_id, watch_id) do nothing",
        &[shipment.into(), watch.into()],
    )?;
    Ok(())
}

/// Lets several watches feed a shipment.
pub fn link_watches(
    a: &mut AccountTx,
    shipment: ShipmentId,
    watches: &[WatchId],
) -> Result<(), Error> {
    for piece in pieces(watches) {
        let rows: Vec<String> = (3..3 + piece.len())
            .map(|place| format!("($1, $2, ${place})"))
            .collect();
        let mut values = vec![Value::from(shipment)];
        values.extend(piece.iter().map(|watch| Value::from(*watch)));
        let text = format!(
            "insert into shipment_watches (account_id, shipment_id, watch_id) values {}
             on conflict (account_id, shipment_id, watch_id) do nothing",
            rows.join(", ")
        );
        a.execute(&text, &values)?;
    }
    Ok(())
}

/// The watches that are asked for a shipment.
pub fn watches_of(a: &mut AccountTx, shipment: ShipmentId) -> Result<Vec<WatchId>, Error> {
    let feeds = feeds(a, shipment)?;
    let asked = feeds.into_iter().filter(|feed| feed.asked);
    Ok(asked.map(|feed| feed.watch).collect())
}

/// A watch that feeds a shipment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Feed {
    /// Whether a source is asked; else it is a docket ([`docket`](crate::docket)).
    pub asked: bool,
    /// Whether it is a docket of the account's own: what it uploaded.
    pub own: bool,
    /// Which one.
    pub watch: WatchId,
}

/// Everything that feeds a shipment: what is asked comes first.
pub fn feeds(a: &mut AccountTx, shipment: ShipmentId) -> Result<Vec<Feed>, Error> {
    let mut feeds = feeds_of(a, &[shipment])?;
    Ok(feeds.remove(&shipment).unwrap_or_default())
}

/// Everything that feeds each of these shipments: what is asked comes first. One that nothing feeds is left out.
pub fn feeds_of(
    a: &mut AccountTx,
    shipments: &[ShipmentId],
) -> Result<HashMap<ShipmentId, Vec<Feed>>, Error> {
    let mut feeds: HashMap<ShipmentId, Vec<Feed>> = HashMap::with_capacity(shipments.len());
    for chunk in chunks(shipments) {
        let text = format!(
            "select f.shipment_id, f.watch_id,
                 (select w.source from watches w where w.id = f.watch_id) as source
             from shipment_watches f
             where f.account_id = $1 and f.shipment_id in ({})",
            placeholders(2, chunk.len())
        );
        let found = a.query(&text, &chunk, |row| {
            let source: String = row.get("source")?;
            let feed = Feed {
                asked: !crate::docket::is_source_of_one(&source),
                own: crate::docket::is_source_of_an_own(&source),
                watch: row.id("watch_id")?,
            };
            Ok((row.id("shipment_id")?, feed))
        })?;
        for (shipment, feed) in found {
            feeds.entry(shipment).or_default().push(feed);
        }
    }
    for of_one in feeds.values_mut() {
        of_one.sort_unstable_by_key(|feed| (!feed.asked, feed.watch));
    }
    Ok(feeds)
}

/// The shipments that a watch feeds and whose tracking has not stopped, of all accounts, ordered.
pub fn of_watch(tx: &mut Tx, watch: WatchId) -> Result<Vec<(AccountId, ShipmentId)>, Error> {
    tx.query(
        "select w.account_id, w.shipment_id from shipment_watches w
         join shipments s on s.account_id = w.account_id and s.id = w.shipment_id
         where w.watch_id = $1 and s.stopped_at is null
         order by w.account_id, w.shipment_id",
        &[watch.into()],
        |row| Ok((row.id("account_id")?, row.id("shipment_id")?)),
    )
}

/// Shipments, newest first unless the filter says otherwise.
pub fn page(
    a: &mut AccountTx,
    filter: &ShipmentFilter,
    slice: Slice,
) -> Result<Page<Listed>, Error> {
    let words = filter.words();
    let clauses = filter.clauses(&words);
    Listing::of("shipments", &clauses)
        .ordered(filter.order, filter.asks_only_its_order())
        .kept(List::Shipments)
        .documents(a, slice)
}

/// The documents of these shipments, in the order of the ids; unknown ids are left out.
pub fn documents(a: &mut AccountTx, ids: &[ShipmentId]) -> Result<Vec<Listed>, Error> {
    crate::page::documents(a, "shipments", ids.iter().map(|id| id.0))
}

const COLUMNS: &str = "id, number, normalized_number, scac, kind, ref_numbers, tags, created_at, \
    updated_at, version, line_attempted_at, line_succeeded_at, stopped_at, stopped_reason, state, \
    customer_id, custom_field_ids, document, resumed_at";

/// What is written as JSON text.
struct Texts {
    sought: terms::Texts,
    ref_numbers: String,
    tags: String,
    state: String,
    document: Packed,
    custom_fields: String,
}

impl Texts {
    fn of(shipment: &Shipment) -> Result<Self, Error> {
        let (references, tags) = (&shipment.ref_numbers, &shipment.tags);
        Ok(Self {
            sought: terms::Texts::of(&shipment.number, references, tags),
            ref_numbers: mirror::text(&shipment.ref_numbers)?,
            tags: mirror::text(&shipment.tags)?,
            state: mirror::text(&shipment.state)?,
            document: document(shipment),
            custom_fields: mirror::text(&shipment.custom_fields)?,
        })
    }

    /// From `$2`; the time of creation, when it is written, is the last.
    fn values<'v>(
        &'v self,
        shipment: &'v Shipment,
        created_at: Option<Timestamp>,
    ) -> Vec<Value<'v>> {
        let (state, stopped) = (&shipment.state, shipment.stopped.as_ref());
        let mut values = vec![
            shipment.id.into(),
            (&shipment.number).into(),
            (&shipment.normalized_number).into(),
            shipment.scac.as_str().into(),
            shipment.kind.as_str().into(),
            (&self.ref_numbers).into(),
            (&self.tags).into(),
            shipment.updated_at.into(),
            shipment.version.into(),
            shipment.line_attempted_at.into(),
            shipment.line_succeeded_at.into(),
            stopped.map(|(at, _)| *at).into(),
            stopped.map(|(_, reason)| reason).into(),
            (&self.state).into(),
            shipment.customer.into(),
            (&self.custom_fields).into(),
            (&self.document).into(),
            state.port_of_lading.as_ref().map(UnLocode::as_str).into(),
            state
                .port_of_discharge
                .as_ref()
                .map(UnLocode::as_str)
                .into(),
            state.pod_eta.into(),
            state.pod_ata.into(),
            shipment.resumed_at.into(),
            self.sought.as_str().into(),
        ];
        values.extend(created_at.map(Value::from));
        values
    }
}

fn read(row: &Row<'_>) -> Result<Shipment, Error> {
    let stopped_at: Option<Timestamp> = row.get("stopped_at")?;
    let reason: Option<String> = row.get("stopped_reason")?;
    Ok(Shipment {
        id: row.id("id")?,
        number: row.get("number")?,
        normalized_number: row.get("normalized_number")?,
        scac: row.parsed("scac", |text| Scac::parse(text).ok())?,
        kind: row.parsed("kind", NumberKind::parse)?,
        state: row.mirrored("state")?,
        ref_numbers: row.mirrored("ref_numbers")?,
        tags: row.mirrored("tags")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        version: row.get("version")?,
        line_attempted_at: row.get("line_attempted_at")?,
        line_succeeded_at: row.get("line_succeeded_at")?,
        stopped: stopped_at.map(|at| (at, reason.unwrap_or_default())),
        resumed_at: row.get("resumed_at")?,
        customer: row.optional_id("customer_id")?,
        custom_fields: row.mirrored("custom_field_ids")?,
        document: row.unpacked("document")?,
    })
}
