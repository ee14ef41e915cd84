//! What tells whether a main key is this store's: its check value, and what lies here sealed.
//!
//! The key itself is never here. A store from before check values has none; what it holds sealed speaks for the key then.

use domain::ids::{AccountId, WebhookId};

use crate::kept_answer::Asked;
use crate::{Error, Tx};

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

/// The check value of this key; `None`: none was noted yet.
pub fn check_value(tx: &mut Tx, key_id: u8) -> Result<Option<Vec<u8>>, Error> {
    tx.query_one(
        "select value from key_check_values where key_id = $1",
        &[u32::from(key_id).into()],
        |row| row.get("value"),
    )
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
