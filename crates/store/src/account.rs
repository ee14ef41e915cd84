//! Tenants.

use domain::account::Plan;
use domain::ids::AccountId;
use jiff::Timestamp;

use crate::db::{Row, unreadable};
use crate::{Error, Tx};

/// A tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Its name; unique.
    pub name: String,
    /// Its plan.
    pub plan: Plan,
    /// Since when it has this plan.
    pub plan_since: Timestamp,
    /// Features switched on or off beyond the plan.
    pub features: Vec<(String, bool)>,
    /// When it was created.
    pub created_at: Timestamp,
}

/// Adds an account. Conflict when the name is taken.
pub fn insert(tx: &mut Tx, account: &Account) -> Result<(), Error> {
    let features = features_text(account)?;
    tx.execute(
        "insert into accounts (id, name, plan, plan_since, features, created_at)
         values ($1, $2, $3, $4, $5, $6)",
        &[
            account.id.into(),
            (&account.name).into(),
            account.plan.as_str().into(),
            account.plan_since.into(),
            (&features).into(),
            account.created_at.into(),
        ],
    )?;
    Ok(())
}

/// The account with this id.
pub fn find(tx: &mut Tx, id: AccountId) -> Result<Option<Account>, Error> {
    tx.query_one(
        "select id, name, plan, plan_since, features, created_at from accounts where id = $1",
        &[id.into()],
        read,
    )
}

/// The account with this id, locked until the end of the transaction.
pub fn lock(tx: &mut Tx, id: AccountId) -> Result<Option<Account>, Error> {
    let locked = tx.locking(
        "select id, name, plan, plan_since, features, created_at from accounts where id = $1
         /*pg for no key update*/",
        &[id.into()],
        read,
    )?;
    Ok(locked.into_iter().next())
}

/// The account with this name.
pub fn find_by_name(tx: &mut Tx, name: &str) -> Result<Option<Account>, Error> {
    tx.query_one(
        "select id, name, plan, plan_since, features, created_at from accounts where name = $1",
        &[name.into()],
        read,
    )
}

/// All accounts, by name.
pub fn list(tx: &mut Tx) -> Result<Vec<Account>, Error> {
    tx.query(
        "select id, name, plan, plan_since, features, created_at from accounts order by name",
        &[],
        read,
    )
}

/// Changes name, plan and features; `false` when there is no such account.
pub fn update(tx: &mut Tx, account: &Account) -> Result<bool, Error> {
    let features = features_text(account)?;
    let changed = tx.execute(
        "update accounts set name = $2, plan = $3, plan_since = $4, features = $5 where id = $1",
        &[
            account.id.into(),
            (&account.name).into(),
            account.plan.as_str().into(),
            account.plan_since.into(),
            (&features).into(),
        ],
    )?;
    Ok(changed > 0)
}

fn read(row: &Row<'_>) -> Result<Account, Error> {
    let features: String = row.get("features")?;
    Ok(Account {
        id: row.id("id")?,
        name: row.get("name")?,
        plan: row.parsed("plan", Plan::parse)?,
        plan_since: row.get("plan_since")?,
        features: serde_json::from_str(&features)
            .map_err(|error| unreadable("features", &error))?,
        created_at: row.get("created_at")?,
    })
}

fn features_text(account: &Account) -> Result<String, Error> {
    serde_json::to_string(&account.features).map_err(|error| Error::Refused(error.to_string()))
}
