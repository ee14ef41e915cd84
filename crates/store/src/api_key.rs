//! API keys: only digests, never the keys.

use domain::account::Permissions;
use domain::ids::{AccountId, ApiKeyId};
use jiff::Timestamp;

use crate::{AccountTx, Error, Tx, stub};

/// A key of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Its public id.
    pub id: ApiKeyId,
    /// Whose it is.
    pub account: AccountId,
    /// What people call it.
    pub name: String,
    /// Keyed digest of the whole key.
    pub digest: [u8; 32],
    /// Its last four characters, for people.
    pub last_four: String,
    /// What it may do.
    pub permissions: Permissions,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last used, roughly.
    pub last_used_at: Option<Timestamp>,
}

/// Adds a key.
pub fn insert(a: &mut AccountTx, key: &ApiKey) -> Result<(), Error> {
    stub()
}

/// The key with this digest, of any account: the account follows from it.
pub fn find_by_digest(tx: &mut Tx, digest: &[u8; 32]) -> Result<Option<ApiKey>, Error> {
    stub()
}

/// The account's keys, oldest first.
pub fn list(a: &mut AccountTx) -> Result<Vec<ApiKey>, Error> {
    stub()
}

/// Removes a key; `false` when there was none.
pub fn delete(a: &mut AccountTx, id: ApiKeyId) -> Result<bool, Error> {
    stub()
}

/// Records when keys were last used.
pub fn touch(tx: &mut Tx, used: &[(ApiKeyId, Timestamp)]) -> Result<(), Error> {
    stub()
}
