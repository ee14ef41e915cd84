//! What is sealed with a key other than this one, found piece by piece, and replaced where it is still what was found.
//!
//! A row that was changed meanwhile is left as it is: whoever changed it has sealed it. So the walk may be killed anywhere,
//! may run on several nodes at once, and may be repeated.

use domain::ids::{AccountId, WebhookId};
use uuid::Uuid;

use crate::db::{Row, Value};
use crate::kept_answer::Asked;
use crate::{Error, Tx};

/// Where something lies sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// What API keys are digested with.
    ServerKey,
    /// The secret of a webhook.
    WebhookSecret(AccountId, WebhookId),
    /// The secrets that signed before it.
    RetiredSecrets(AccountId, WebhookId),
    /// The extra headers of a webhook.
    WebhookHeaders(AccountId, WebhookId),
    /// The secret of our subscription at this source.
    PushSecret(String),
    /// The one before it.
    PushSecretBefore(String),
    /// The answer that is kept for a request.
    Answer(AccountId, Asked),
}

/// How far the walk is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cursor {
    /// Before everything.
    #[default]
    Start,
    /// Behind this webhook.
    Webhooks(AccountId, WebhookId),
    /// Behind the subscription at this source.
    Subscriptions(String),
    /// Behind this answer.
    Answers(AccountId, Asked),
}

/// What a step of the walk found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What is sealed with another key, and where.
    pub found: Vec<(Place, Vec<u8>)>,
    /// Where to go on; `None` behind the last row.
    pub next: Option<Cursor>,
}

/// What is not sealed with this key among the next rows, `limit` at most of them.
pub fn sealed_otherwise(
    tx: &mut Tx,
    key_id: u8,
    after: &Cursor,
    limit: u32,
) -> Result<Piece, Error> {
    let is_other = |(_, sealed): &(Place, Vec<u8>)| {
        let first = sealed.first();
        first.is_some_and(|first| *first != key_id)
    };
    let (found, next) = match after {
        Cursor::Start => (
            server_key(tx)?,
            Some(Cursor::Webhooks(Uuid::nil().into(), Uuid::nil().into())),
        ),
        Cursor::Webhooks(account, after) => webhooks(tx, (*account, *after), limit)?,
        Cursor::Subscriptions(after) => subscriptions(tx, after, limit)?,
        Cursor::Answers(account, asked) => answers(tx, key_id, (*account, asked), limit)?,
    };
    Ok(Piece {
        found: found.into_iter().filter(is_other).collect(),
        next,
    })
}

type Rows = (Vec<(Place, Vec<u8>)>, Option<Cursor>);

fn server_key(tx: &mut Tx) -> Result<Vec<(Place, Vec<u8>)>, Error> {
    let sealed = super::server_key(tx)?;
    Ok(sealed
        .into_iter()
        .map(|sealed| (Place::ServerKey, sealed))
        .collect())
}

fn webhooks(
    tx: &mut Tx,
    (account, after): (AccountId, WebhookId),
    limit: u32,
) -> Result<Rows, Error> {
    let rows = tx.query(
        "select account_id, id, secret, retired_secrets, headers from webhooks
         where (account_id, id) > ($1, $2) order by account_id, id limit $3",
        &[account.into(), after.into(), limit.into()],
        |row| {
            let (account, id): (AccountId, WebhookId) = (row.id("account_id")?, row.id("id")?);
            let retired: Option<Vec<u8>> = row.get("retired_secrets")?;
            let sealed = [
                (Place::WebhookSecret(account, id), row.get("secret")?),
                (
                    Place::RetiredSecrets(account, id),
                    retired.unwrap_or_default(),
                ),
                (Place::WebhookHeaders(account, id), row.get("headers")?),
            ];
            Ok((account, id, sealed))
        },
    )?;
    let next = match rows.last() {
        Some((account, last, _)) => Cursor::Webhooks(*account, *last),
        None => Cursor::Subscriptions(String::new()),
    };
    let found = rows.into_iter().flat_map(|(_, _, sealed)| sealed);
    Ok((found.collect(), Some(next)))
}

fn subscriptions(tx: &mut Tx, after: &str, limit: u32) -> Result<Rows, Error> {
    let rows = tx.query(
        "select source, secret, secret_before from push_subscriptions
         where source > $1 order by source limit $2",
        &[after.into(), limit.into()],
        |row| {
            let source: String = row.get("source")?;
            let before: Option<Vec<u8>> = row.get("secret_before")?;
            let sealed = [
                (Place::PushSecret(source.clone()), row.get("secret")?),
                (
                    Place::PushSecretBefore(source.clone()),
                    before.unwrap_or_default(),
                ),
            ];
            Ok((source, sealed))
        },
    )?;
    let next = match rows.last() {
        Some((last, _)) => Cursor::Subscriptions(last.clone()),
        None => Cursor::Answers(Uuid::nil().into(), asked("", "", "")),
    };
    let found = rows.into_iter().flat_map(|(_, sealed)| sealed);
    Ok((found.collect(), Some(next)))
}

/// Bodies of this key stay where they are: there are many, and some are long.
fn answers(
    tx: &mut Tx,
    key_id: u8,
    (account, after): (AccountId, &Asked),
    limit: u32,
) -> Result<Rows, Error> {
    let rows = tx.query(
        "select account_id, method, path, key,
             case when substr(body, 1, 1) <> $6 then body end as body
         from kept_answers where (account_id, method, path, key) > ($1, $2, $3, $4)
         order by account_id, method, path, key limit $5",
        &[
            account.into(),
            (&after.method).into(),
            (&after.path).into(),
            (&after.key).into(),
            limit.into(),
            Value::Bytes(&[key_id]),
        ],
        |row| {
            let account: AccountId = row.id("account_id")?;
            let body: Option<Vec<u8>> = row.get("body")?;
            Ok((account, asked_of(row)?, body.unwrap_or_default()))
        },
    )?;
    let last = rows.last();
    let next = last.map(|(account, asked, _)| Cursor::Answers(*account, asked.clone()));
    let found = rows
        .into_iter()
        .map(|(account, asked, body)| (Place::Answer(account, asked), body));
    Ok((found.collect(), next))
}

fn asked_of(row: &Row<'_>) -> Result<Asked, Error> {
    Ok(Asked {
        method: row.get("method")?,
        path: row.get("path")?,
        key: row.get("key")?,
    })
}

fn asked(method: &str, path: &str, key: &str) -> Asked {
    Asked {
        method: method.into(),
        path: path.into(),
        key: key.into(),
    }
}

/// Puts `sealed` in the place of `found`; `false`: something else lies there by now, which stays.
pub fn replace(tx: &mut Tx, place: &Place, found: &[u8], sealed: &[u8]) -> Result<bool, Error> {
    let (found, sealed) = (Value::Bytes(found), Value::Bytes(sealed));
    let replaced = match place {
        Place::ServerKey => tx.execute(
            "update server_keys set sealed = $2 where id = 1 and sealed = $1",
            &[found, sealed],
        ),
        Place::WebhookSecret(account, id) => tx.account(*account).execute(
            "update webhooks set secret = $4 where account_id = $1 and id = $2 and secret = $3",
            &[(*id).into(), found, sealed],
        ),
        Place::RetiredSecrets(account, id) => tx.account(*account).execute(
            "update webhooks set retired_secrets = $4
             where account_id = $1 and id = $2 and retired_secrets = $3",
            &[(*id).into(), found, sealed],
        ),
        Place::WebhookHeaders(account, id) => tx.account(*account).execute(
            "update webhooks set headers = $4 where account_id = $1 and id = $2 and headers = $3",
            &[(*id).into(), found, sealed],
        ),
        Place::PushSecret(source) => tx.execute(
            "update push_subscriptions set secret = $3 where source = $1 and secret = $2",
            &[source.into(), found, sealed],
        ),
        Place::PushSecretBefore(source) => tx.execute(
            "update push_subscriptions set secret_before = $3
             where source = $1 and secret_before = $2",
            &[source.into(), found, sealed],
        ),
        Place::Answer(account, asked) => tx.account(*account).execute(
            "update kept_answers set body = $6
             where account_id = $1 and method = $2 and path = $3 and key = $4 and body = $5",
            &[
                (&asked.method).into(),
                (&asked.path).into(),
                (&asked.key).into(),
                found,
                sealed,
            ],
        ),
    };
    Ok(replaced? > 0)
}

/// How much is sealed with this key. Goes through everything that is sealed.
pub fn count_sealed_with(tx: &mut Tx, key_id: u8) -> Result<u64, Error> {
    let counted = tx.query_one(
        "select
             (select count(*) from server_keys where substr(sealed, 1, 1) = $1)
             + (select count(*) from webhooks where substr(secret, 1, 1) = $1)
             + (select count(*) from webhooks where substr(retired_secrets, 1, 1) = $1)
             + (select count(*) from webhooks where substr(headers, 1, 1) = $1)
             + (select count(*) from push_subscriptions where substr(secret, 1, 1) = $1)
             + (select count(*) from push_subscriptions where substr(secret_before, 1, 1) = $1)
             + (select count(*) from kept_answers where substr(body, 1, 1) = $1) as sealed",
        &[Value::Bytes(&[key_id])],
        |row| row.count("sealed"),
    )?;
    Ok(counted.map_or(0, u64::from))
}
