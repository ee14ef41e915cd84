//! Dockets: what is said about one number by whoever was not asked.
//!
//! A push, a file or an upload carries boxes and bills of many accounts, and of some that nobody tracks yet. Each
//! of its reports is filed under the numbers it names, so that whoever tracks one of them, now or later, finds
//! it. A docket is a row among the watches, for reports hang on those; it is never due. There is one for each
//! number, shared by all accounts and all such sources, and one more for each account that brings messages of
//! its own.
//!
//! The shared docket is also what both sides hold: who files takes it before he looks for followers, and who
//! begins to follow takes it before he looks for reports. So neither misses the other.

use std::collections::BTreeMap;

use domain::ids::{AccountId, IdSource, ShipmentId, TrackingRequestId, WatchId};
use domain::tracking_request::NumberKind;
use jiff::Timestamp;

use crate::db::{Value, chunks, padded, pieces, placeholders, rows_of_values};
use crate::{Error, Tx};

/// Dockets of one kind that should be held at once at most: beyond it, who holds others may have to be waited for in a circle,
/// and be run again.
pub const NUMBERS_MAX: usize = 128;

/// A number that reports are filed under.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number {
    /// What kind of number.
    pub kind: NumberKind,
    /// The number.
    pub number: String,
}

/// Who follows a docket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followers {
    /// Shipments, with the docket that feeds them.
    pub shipments: Vec<(WatchId, AccountId, ShipmentId)>,
    /// Requests that wait, with the docket of their number.
    pub requests: Vec<(WatchId, AccountId, TrackingRequestId)>,
}

impl Followers {
    /// Those of other dockets too.
    pub fn extend(&mut self, others: Self) {
        self.shipments.extend(others.shipments);
        self.requests.extend(others.requests);
    }
}

/// The dockets of these numbers, in the order of the numbers, held until the end of the transaction; made where
/// there are none. `owner`: whose own they are; `None` are the shared ones.
pub fn hold(
    tx: &mut Tx,
    owner: Option<AccountId>,
    numbers: &[Number],
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Vec<WatchId>, Error> {
    let source = source_of(owner);
    let found = find(tx, owner, numbers, true)?;
    let mut missing: Vec<&Number> = numbers
        .iter()
        .zip(&found)
        .filter(|(_, found)| found.is_none())
        .map(|(number, _)| number)
        .collect();
    if missing.is_empty() {
        return Ok(found.into_iter().flatten().collect());
    }
    // One order for all who make dockets at the same time.
    missing.sort_unstable();
    missing.dedup();
    let made = insert(tx, &source, &missing, ids, now)?;
    let held: Vec<WatchId> = if made.len() == missing.len() {
        let ours = numbers.iter().zip(found);
        ours.filter_map(|(number, found)| found.or_else(|| made.get(number).copied()))
            .collect()
    } else {
        // Another one made some of them meanwhile.
        let found = find(tx, owner, numbers, true)?;
        found.into_iter().flatten().collect()
    };
    if held.len() == numbers.len() {
        Ok(held)
    } else {
        Err(Error::Refused("a docket that was just made is gone".into()))
    }
}

/// The dockets of these numbers that there are.
pub fn existing(
    tx: &mut Tx,
    owner: Option<AccountId>,
    numbers: &[Number],
) -> Result<Vec<WatchId>, Error> {
    let found = find(tx, owner, numbers, false)?;
    Ok(found.into_iter().flatten().collect())
}

/// Who follows these dockets: shipments that are tracked, and requests that wait for data.
pub fn followers(tx: &mut Tx, dockets: &[WatchId]) -> Result<Followers, Error> {
    let mut followers = Followers::default();
    for piece in pieces(dockets) {
        let ids = padded(piece.iter().map(|id| Value::from(*id)).collect());
        let places = placeholders(1, ids.len());
        followers.shipments.extend(tx.query(
            &format!(
                "select w.watch_id, s.account_id, s.id from shipment_watches w
                 join shipments s on s.account_id = w.account_id and s.id = w.shipment_id
                 where w.watch_id in ({places}) and s.stopped_at is null"
            ),
            &ids,
            |row| Ok((row.id("watch_id")?, row.id("account_id")?, row.id("id")?)),
        )?);
        followers.requests.extend(tx.query(
            &format!(
                "select docket_id, account_id, id from tracking_requests
                 where docket_id in ({places}) and status in ('pending', 'awaiting_manifest')"
            ),
            &ids,
            |row| Ok((row.id("docket_id")?, row.id("account_id")?, row.id("id")?)),
        )?);
    }
    followers.shipments.sort_unstable();
    followers.requests.sort_unstable();
    Ok(followers)
}

/// Whether a watch with this source is a docket.
pub(crate) fn is_source_of_one(source: &str) -> bool {
    source.starts_with('/')
}

/// Whether a watch with this source is a docket of an account's own.
pub(crate) fn is_source_of_an_own(source: &str) -> bool {
    is_source_of_one(source) && source.len() > 1
}

/// What stands as the source of a docket.
pub(crate) fn source_of(owner: Option<AccountId>) -> String {
    owner.map_or_else(|| "/".to_owned(), |account| format!("/{account}"))
}

/// For each number its docket, if there is one.
fn find(
    tx: &mut Tx,
    owner: Option<AccountId>,
    numbers: &[Number],
    held: bool,
) -> Result<Vec<Option<WatchId>>, Error> {
    let source = source_of(owner);
    let mut known: Vec<(Number, WatchId)> = Vec::new();
    let mut by_kind: BTreeMap<NumberKind, Vec<&str>> = BTreeMap::new();
    for one in numbers {
        by_kind.entry(one.kind).or_default().push(&one.number);
    }
    for (kind, numbers) in by_kind {
        // One kind after the other, each in the order of ids: one order for all who hold dockets. A planner that takes
        // the table for small would go through all of it for a join with a list of kinds and numbers.
        for chunk in chunks(&numbers) {
            let text = format!(
                "select id, number from watches
                 where source = $1 and kind = $2 and number in ({})
                 order by id {}",
                placeholders(3, chunk.len()),
                if held { "/*pg for update*/" } else { "" }
            );
            let mut values = vec![Value::from(&source), kind.as_str().into()];
            values.extend(chunk);
            let read = |row: &crate::db::Row<'_>| {
                let number = row.get("number")?;
                Ok((Number { kind, number }, row.id("id")?))
            };
            known.extend(if held {
                tx.locking(&text, &values, read)?
            } else {
                tx.query(&text, &values, read)?
            });
        }
    }
    known.sort_unstable();
    let id_of = |number| {
        let place = known.binary_search_by(|(one, _)| one.cmp(number)).ok()?;
        known.get(place).map(|(_, id)| *id)
    };
    Ok(numbers.iter().map(id_of).collect())
}

fn insert(
    tx: &mut Tx,
    source: &str,
    numbers: &[&Number],
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<BTreeMap<Number, WatchId>, Error> {
    let mut made = BTreeMap::new();
    for piece in pieces(numbers) {
        let drawn: Vec<WatchId> = piece.iter().map(|_| ids.draw()).collect();
        let casts = [
            "uuid",
            "text",
            "text",
            "text",
            "timestamptz",
            "bigint",
            "bigint",
        ];
        let rows = rows_of_values(1, piece.len(), &casts);
        let values: Vec<Value<'_>> = piece
            .iter()
            .zip(&drawn)
            .flat_map(|(one, id)| {
                [
                    (*id).into(),
                    source.into(),
                    one.kind.as_str().into(),
                    (&one.number).into(),
                    now.into(),
                    0_i64.into(),
                    0_i64.into(),
                ]
            })
            .collect();
        let text = format!(
            "insert into watches (id, source, kind, number, created_at, failures, claim_token)
             values {rows} on conflict (source, kind, number) do nothing
             returning id, kind, number"
        );
        made.extend(tx.returning(&text, &values, |row| {
            let kind = row.parsed("kind", NumberKind::parse)?;
            let number = row.get("number")?;
            Ok((Number { kind, number }, row.id("id")?))
        })?);
    }
    Ok(made)
}
