//! API keys: only digests, never the keys.

use domain::account::Permissions;
use domain::ids::{AccountId, ApiKeyId};
use jiff::Timestamp;

use crate::db::{Row, Value, pieces, rows_of_values};
use crate::{AccountTx, Error, Tx};

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
    a.execute(
        "insert into api_keys (account_id, id, name, digest, last_four, may_show, may_update,
             created_at, last_used_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            key.id.into(),
            (&key.name).into(),
            (&key.digest).into(),
            (&key.last_four).into(),
            key.permissions.show.into(),
            key.permissions.update.into(),
            key.created_at.into(),
            key.last_used_at.into(),
        ],
    )?;
    Ok(())
}

/// The key with this digest, of any account: the account follows from it.
pub fn find_by_digest(tx: &mut Tx, digest: &[u8; 32]) -> Result<Option<ApiKey>, Error> {
    tx.query_one(
        "select account_id, id, name, digest, last_four, may_show, may_update, created_at, last_used_at
         from api_keys where digest = $1",
        &[digest.into()],
        read,
    )
}

/// The key with this id, of any account: for the operator.
pub fn find(tx: &mut Tx, id: ApiKeyId) -> Result<Option<ApiKey>, Error> {
    tx.query_one(
        "select account_id, id, name, digest, last_four, may_show, may_update, created_at, last_used_at
         from api_keys where id = $1",
        &[id.into()],
        read,
    )
}

/// The account's keys, oldest first.
pub fn list(a: &mut AccountTx) -> Result<Vec<ApiKey>, Error> {
    a.query(
        "select account_id, id, name, digest, last_four, may_show, may_update, created_at, last_used_at
         from api_keys where account_id = $1 order by created_at, id",
        &[],
        read,
    )
}

/// Removes a key; `false` when there was none.
pub fn delete(a: &mut AccountTx, id: ApiKeyId) -> Result<bool, Error> {
    let gone = a.execute(
        "delete from api_keys where account_id = $1 and id = $2",
        &[id.into()],
    )?;
    Ok(gone > 0)
}

/// Records when keys were last used.
pub fn touch(tx: &mut Tx, used: &[(ApiKeyId, Timestamp)]) -> Result<(), Error> {
    for piece in pieces(used) {
        let rows = rows_of_values(1, piece.len(), &["uuid", "timestamptz"]);
        let values: Vec<Value<'_>> = piece
            .iter()
            .flat_map(|(id, at)| [Value::from(*id), Value::from(*at)])
            .collect();
        tx.execute(
            &format!(
                "with used (key_id, used_at) as (values {rows})
                 update api_keys set last_used_at = used.used_at from used where id = used.key_id"
            ),
            &values,
        )?;
    }
    Ok(())
}

fn read(row: &Row<'_>) -> Result<ApiKey, Error> {
    Ok(ApiKey {
        id: row.id("id")?,
        account: row.id("account_id")?,
        name: row.get("name")?,
        digest: row.digest("digest")?,
        last_four: row.get("last_four")?,
        permissions: Permissions {
            show: row.get("may_show")?,
            update: row.get("may_update")?,
        },
        created_at: row.get("created_at")?,
        last_used_at: row.get("last_used_at")?,
    })
}
