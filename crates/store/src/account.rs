//! Tenants.

use domain::account::Plan;
use domain::ids::AccountId;
use jiff::Timestamp;

use crate::{Error, Tx, stub};

/// A tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// Its name; unique.
    pub name: String,
    /// Its plan.
    pub plan: Plan,
    /// Features switched on or off beyond the plan.
    pub features: Vec<(String, bool)>,
    /// When it was created.
    pub created_at: Timestamp,
}

/// Adds an account. Conflict when the name is taken.
pub fn insert(tx: &mut Tx, account: &Account) -> Result<(), Error> {
    stub()
}

/// The account with this id.
pub fn find(tx: &mut Tx, id: AccountId) -> Result<Option<Account>, Error> {
    stub()
}

/// The account with this name.
pub fn find_by_name(tx: &mut Tx, name: &str) -> Result<Option<Account>, Error> {
    stub()
}

/// All accounts, by name.
pub fn list(tx: &mut Tx) -> Result<Vec<Account>, Error> {
    stub()
}

/// Changes name, plan and features; `false` when there is no such account.
pub fn update(tx: &mut Tx, account: &Account) -> Result<bool, Error> {
    stub()
}
