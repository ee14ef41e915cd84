//! Parties: companies that an account deals with.
//!
//! A shipment's document carries its customer's name. When a party is renamed, the shipments that carry the
//! earlier name are gone through in the order of their ids; how far that went stands in the party's row, so
//! that it can be taken up again after a crash.

use domain::ids::{AccountId, PartyId, ShipmentId};
use jiff::Timestamp;

use crate::db::{Row, Value};
use crate::fold::{self, Part, Place};
use crate::page::Clauses;
use crate::{AccountTx, Error, Listed, Page, Slice, Tx};

/// A company.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// Its id.
    pub id: PartyId,
    /// Its name.
    pub company_name: String,
    /// What the account calls it as its customer; unique in the account.
    pub customer: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Its shipments up to this one carry its name; `None`: all do.
    pub told_until: Option<ShipmentId>,
    /// The resource object as JSON text.
    pub document: String,
}

/// Adds a party. Conflict when its `customer` is taken.
pub fn insert(a: &mut AccountTx, party: &Party) -> Result<(), Error> {
    a.execute(
        "insert into parties (account_id, id, company_name, customer, updated_at, told_until, document,
             created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        &values(party, Some(party.created_at)),
    )?;
    Ok(())
}

/// Replaces everything but the id and the time of creation; `false` when there is no such party. Conflict when
/// its `customer` is taken.
pub fn update(a: &mut AccountTx, party: &Party) -> Result<bool, Error> {
    let changed = a.execute(
        "update parties set company_name = $3, customer = $4, updated_at = $5, told_until = $6,
             document = $7
         where account_id = $1 and id = $2",
        &values(party, None),
    )?;
    Ok(changed > 0)
}

/// The party with this id.
pub fn find(a: &mut AccountTx, id: PartyId) -> Result<Option<Party>, Error> {
    a.query_one(
        &format!("select {COLUMNS} from parties where account_id = $1 and id = $2"),
        &[id.into()],
        read,
    )
}

/// The party with this id, locked until the end of the transaction: nobody renames it meanwhile.
pub fn lock(a: &mut AccountTx, id: PartyId) -> Result<Option<Party>, Error> {
    let locked = a.locking(
        &format!(
            "select {COLUMNS} from parties where account_id = $1 and id = $2 /*pg for update*/"
        ),
        &[id.into()],
        read,
    )?;
    Ok(locked.into_iter().next())
}

/// The party that the account calls by this name as its customer.
pub fn find_by_customer(a: &mut AccountTx, customer: &str) -> Result<Option<Party>, Error> {
    a.query_one(
        &format!("select {COLUMNS} from parties where account_id = $1 and customer = $2"),
        &[customer.into()],
        read,
    )
}

/// Parties by time of creation, newest first; of these only, where some are given.
pub fn page(a: &mut AccountTx, slice: Slice) -> Result<Page<Listed>, Error> {
    crate::page::listed(a, "parties", &Clauses::new(), slice)
}

/// Of those whose name contains this text a page, newest first: ids are drawn in the order of time.
pub fn page_named(a: &mut AccountTx, text: &str, slice: Slice) -> Result<Page<Listed>, Error> {
    let named = named(a, text)?;
    let offset = usize::try_from(slice.offset).unwrap_or(usize::MAX);
    let shown = named.iter().rev().skip(offset).take(slice.limit as usize);
    let shown: Vec<PartyId> = shown.copied().collect();
    let total = i64::try_from(named.len()).unwrap_or(i64::MAX);
    Ok(Page::new(documents(a, &shown)?, Some(total)))
}

/// All parties whose name contains this text, whatever the letter case, by id.
pub fn named(a: &mut AccountTx, text: &str) -> Result<Vec<PartyId>, Error> {
    let part = Part::new(text, Place::Anywhere);
    let named = fold::named(a, ("parties", "company_name"), &part)?;
    Ok(named.into_iter().map(PartyId).collect())
}

/// The documents of these parties, in the order of the ids; unknown ids are left out.
pub fn documents(a: &mut AccountTx, ids: &[PartyId]) -> Result<Vec<Listed>, Error> {
    crate::page::documents(a, "parties", ids.iter().map(|id| id.0))
}

/// Parties of all accounts with shipments that carry an earlier name, ordered.
pub fn renamed(tx: &mut Tx, limit: u32) -> Result<Vec<(AccountId, PartyId)>, Error> {
    tx.query(
        "select account_id, id from parties where told_until is not null
         order by account_id, id limit $1",
        &[limit.into()],
        |row| Ok((row.id("account_id")?, row.id("id")?)),
    )
}

/// The shipments of a customer after this one, by id.
pub fn shipments_after(
    a: &mut AccountTx,
    customer: PartyId,
    after: ShipmentId,
    limit: u32,
) -> Result<Vec<ShipmentId>, Error> {
    a.query(
        "select id from shipments where account_id = $1 and customer_id = $2 and id > $3
         order by id limit $4",
        &[customer.into(), after.into(), limit.into()],
        |row| row.id("id"),
    )
}

const COLUMNS: &str = "id, company_name, customer, created_at, updated_at, told_until, document";

/// From `$2`; the time of creation, when it is written, is the last.
fn values(party: &Party, created_at: Option<Timestamp>) -> Vec<Value<'_>> {
    let mut values = vec![
        party.id.into(),
        (&party.company_name).into(),
        (&party.customer).into(),
        party.updated_at.into(),
        party.told_until.into(),
        (&party.document).into(),
    ];
    values.extend(created_at.map(Value::from));
    values
}

fn read(row: &Row<'_>) -> Result<Party, Error> {
    Ok(Party {
        id: row.id("id")?,
        company_name: row.get("company_name")?,
        customer: row.get("customer")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        told_until: row.optional_id("told_until")?,
        document: row.get("document")?,
    })
}
