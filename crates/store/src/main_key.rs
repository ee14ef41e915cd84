//! What tells whether a main key is this store's: its check value, and what lies here sealed.
//!
//! The key itself is never here. A store from before check values has none; what it holds sealed speaks for the key then.
//!
//! Each key has a number, with which everything begins that it sealed. While the main key is changed there are two, and each
//! says until when nodes seal with it.

mod resealing;

use domain::ids::{AccountId, WebhookId};
use jiff::Timestamp;

use crate::db::unreadable;
use crate::kept_answer::Asked;
use crate::{Error, Tx};

pub use resealing::{Cursor, Piece, Place, count_sealed_with, replace, sealed_otherwise};

/// A main key as the store knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its number.
    pub number: u8,
    /// What only it opens.
    pub check_value: Vec<u8>,
    /// Until when nodes seal with it, unless they say so again; `None`: it has only opened so far.
    pub seals_until: Option<Timestamp>,
}

/// A secret as it lies in the store, sealed, with the place that it was sealed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sealed {
    /// The secret of a webhook.
    Webhook(AccountId, WebhookId, Vec<u8>),
    /// The secret of our subscription at this source.
    Subscription(String, Vec<u8>),
    /// The answer that is kept for a request.
    Answer(AccountId, Asked, Vec<u8>),
}

/// The keys that the store knows, by number.
pub fn known(tx: &mut Tx) -> Result<Vec<Known>, Error> {
    tx.query(
        "select key_id, value, seals_until from key_check_values order by key_id",
        &[],
        |row| {
            let number = row.get::<i64>("key_id")?;
            Ok(Known {
                number: u8::try_from(number).map_err(|error| unreadable("key_id", &error))?,
                check_value: row.get("value")?,
                seals_until: row.get("seals_until")?,
            })
        },
    )
}

/// Whoever else decides about these keys waits for the end of this transaction.
pub fn lock(tx: &mut Tx) -> Result<(), Error> {
    tx.locking(
        "select key_id from key_check_values order by key_id /*pg for update*/",
        &[],
        |_| Ok(()),
    )?;
    Ok(())
}

/// Notes a check value; `false`: there is one, which stays. Waits for whoever is noting one.
pub fn note_check_value(tx: &mut Tx, key_id: u8, value: &[u8]) -> Result<bool, Error> {
    let noted = tx.execute(
        "insert into key_check_values (key_id, value) values ($1, $2)
         on conflict (key_id) do nothing",
        &[u32::from(key_id).into(), value.into()],
    )?;
    Ok(noted > 0)
}

/// Says that nodes seal with this key until then at least; `false`: the store does not know it.
pub fn seals(tx: &mut Tx, key_id: u8, until: Timestamp) -> Result<bool, Error> {
    let said = tx.execute(
        "update key_check_values
         set seals_until = case when seals_until > $2 then seals_until else $2 end
         where key_id = $1",
        &[u32::from(key_id).into(), until.into()],
    )?;
    Ok(said > 0)
}

/// Forgets a key.
pub fn forget(tx: &mut Tx, key_id: u8) -> Result<(), Error> {
    tx.execute(
        "delete from key_check_values where key_id = $1",
        &[u32::from(key_id).into()],
    )?;
    Ok(())
}

/// What API keys are digested with, sealed.
pub fn server_key(tx: &mut Tx) -> Result<Option<Vec<u8>>, Error> {
    tx.query_one("select sealed from server_keys where id = 1", &[], |row| {
        row.get("sealed")
    })
}

/// Notes what API keys are digested with; one that is there stays. Waits for whoever is noting one.
pub fn note_server_key(tx: &mut Tx, sealed: &[u8]) -> Result<(), Error> {
    tx.execute(
        "insert into server_keys (id, sealed) values (1, $1) on conflict (id) do nothing",
        &[sealed.into()],
    )?;
    Ok(())
}

/// Notes the digest of a key that is given up.
pub fn give_up(tx: &mut Tx, digest: &[u8; 32]) -> Result<(), Error> {
    tx.execute(
        "insert into given_up_keys (digest) values ($1) on conflict (digest) do nothing",
        &[digest.into()],
    )?;
    Ok(())
}

/// Whether the key of this digest was given up.
pub fn is_given_up(tx: &mut Tx, digest: &[u8; 32]) -> Result<bool, Error> {
    let found = tx.query_one(
        "select 1 as found from given_up_keys where digest = $1",
        &[digest.into()],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// Whether there is an account, whose keys only one main key knows.
pub fn has_accounts(tx: &mut Tx) -> Result<bool, Error> {
    let found = tx.query_one("select 1 as found from accounts limit 1", &[], |_| Ok(()))?;
    Ok(found.is_some())
}

/// The secrets that lie here, `limit` of each kind at most, oldest first. Answers only where there is no secret: they are
/// gone within days, and a store with webhooks has far more of them.
pub fn sealed(tx: &mut Tx, limit: u32) -> Result<Vec<Sealed>, Error> {
    let mut found = tx.query(
        "select account_id, id, secret from webhooks where deleted_at is null
         order by created_at, id limit $1",
        &[limit.into()],
        |row| {
            let (account, id) = (row.id("account_id")?, row.id("id")?);
            Ok(Sealed::Webhook(account, id, row.get("secret")?))
        },
    )?;
    found.extend(tx.query(
        "select source, secret from push_subscriptions order by source limit $1",
        &[limit.into()],
        |row| Ok(Sealed::Subscription(row.get("source")?, row.get("secret")?)),
    )?);
    if found.is_empty() {
        found = answers(tx, limit)?;
    }
    Ok(found)
}

fn answers(tx: &mut Tx, limit: u32) -> Result<Vec<Sealed>, Error> {
    tx.query(
        "select account_id, method, path, key, body from kept_answers where body is not null
         order by created_at limit $1",
        &[limit.into()],
        |row| {
            let asked = Asked {
                method: row.get("method")?,
                path: row.get("path")?,
                key: row.get("key")?,
            };
            Ok(Sealed::Answer(
                row.id("account_id")?,
                asked,
                row.get("body")?,
            ))
        },
    )
}
