//! Answers kept for requests that may be sent again: one row for each account, method, path and key.
//!
//! The row is written in the transaction of what the request does, first without and then with its answer, so
//! that neither stands without the other. Another request of the same key that comes meanwhile waits at the
//! row's unique key until that transaction ends.

use domain::ids::AccountId;
use jiff::Timestamp;
use uuid::Uuid;

use crate::db::{Row, unreadable};
use crate::{AccountTx, Error, Tx};

/// What a kept answer is found by, in its account.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Asked {
    /// Method of the request.
    pub method: String,
    /// Path of the request.
    pub path: String,
    /// The caller's own name for it.
    pub key: String,
}

/// A request of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// Digest of the body.
    pub fingerprint: [u8; 32],
    /// Which of several sendings it is.
    pub sending: Uuid,
    /// When it came.
    pub created_at: Timestamp,
    /// Its answer; `None` while it is on its way.
    pub answer: Option<Answer>,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Status.
    pub status: u16,
    /// Media type.
    pub media: String,
    /// Address of what was created.
    pub location: Option<String>,
    /// The body, sealed.
    pub body: Vec<u8>,
}

/// The request of this key, unless it came before `kept_since`.
pub fn find(
    a: &mut AccountTx,
    asked: &Asked,
    kept_since: Timestamp,
) -> Result<Option<Reserved>, Error> {
    a.query_one(
        "select fingerprint, sending, created_at, status, media, location, body from kept_answers
         where account_id = $1 and method = $2 and path = $3 and key = $4 and created_at >= $5",
        &[
            (&asked.method).into(),
            (&asked.path).into(),
            (&asked.key).into(),
            kept_since.into(),
        ],
        read,
    )
}

/// Takes the key for this request; `false` when another one has had it since `kept_since`.
pub fn reserve(
    a: &mut AccountTx,
    asked: &Asked,
    wanted: &Reserved,
    kept_since: Timestamp,
) -> Result<bool, Error> {
    let taken = a.execute(
        "insert into kept_answers (account_id, method, path, key, fingerprint, sending, created_at)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (account_id, method, path, key) do update
             set fingerprint = $5, sending = $6, created_at = $7, status = null, media = null,
                 location = null, body = null
             where kept_answers.created_at < $8",
        &[
            (&asked.method).into(),
            (&asked.path).into(),
            (&asked.key).into(),
            (&wanted.fingerprint).into(),
            wanted.sending.into(),
            wanted.created_at.into(),
            kept_since.into(),
        ],
    )?;
    Ok(taken > 0)
}

/// Keeps the answer of this sending; `false` when the key is not its own.
pub fn finish(
    a: &mut AccountTx,
    asked: &Asked,
    sending: Uuid,
    answer: &Answer,
) -> Result<bool, Error> {
    let kept = a.execute(
        "update kept_answers set status = $6, media = $7, location = $8, body = $9
         where account_id = $1 and method = $2 and path = $3 and key = $4 and sending = $5",
        &[
            (&asked.method).into(),
            (&asked.path).into(),
            (&asked.key).into(),
            sending.into(),
            answer.status.into(),
            (&answer.media).into(),
            (&answer.location).into(),
            (&answer.body).into(),
        ],
    )?;
    Ok(kept > 0)
}

/// Gives the key back: the request was refused, and may be sent again.
pub fn release(a: &mut AccountTx, asked: &Asked, sending: Uuid) -> Result<(), Error> {
    a.execute(
        "delete from kept_answers
         where account_id = $1 and method = $2 and path = $3 and key = $4 and sending = $5",
        &[
            (&asked.method).into(),
            (&asked.path).into(),
            (&asked.key).into(),
            sending.into(),
        ],
    )?;
    Ok(())
}

/// Forgets up to `limit` of those that came before `before`, of all accounts; how many.
pub fn sweep(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<usize, Error> {
    let old = tx.query(
        "select account_id, method, path, key from kept_answers where created_at < $1
         order by created_at limit $2",
        &[before.into(), limit.into()],
        |row| {
            let asked = Asked {
                method: row.get("method")?,
                path: row.get("path")?,
                key: row.get("key")?,
            };
            Ok((row.id::<AccountId>("account_id")?, asked))
        },
    )?;
    for (account, asked) in &old {
        tx.account(*account).execute(
            "delete from kept_answers
             where account_id = $1 and method = $2 and path = $3 and key = $4 and created_at < $5",
            &[
                (&asked.method).into(),
                (&asked.path).into(),
                (&asked.key).into(),
                before.into(),
            ],
        )?;
    }
    Ok(old.len())
}

fn read(row: &Row<'_>) -> Result<Reserved, Error> {
    let status: Option<i64> = row.get("status")?;
    let answer = match status {
        None => None,
        Some(status) => Some(Answer {
            status: u16::try_from(status).map_err(|error| unreadable("status", &error))?,
            media: row.get::<Option<String>>("media")?.unwrap_or_default(),
            location: row.get("location")?,
            body: row.get::<Option<Vec<u8>>>("body")?.unwrap_or_default(),
        }),
    };
    Ok(Reserved {
        fingerprint: row.digest("fingerprint")?,
        sending: row.get("sending")?,
        created_at: row.get("created_at")?,
        answer,
    })
}
