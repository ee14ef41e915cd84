//! Calls counted by all nodes that share a database: one row for each account and bucket.

use domain::ids::AccountId;
use domain::rate::{Taken, Window};

use crate::db::unreadable;
use crate::{Error, Tx};

/// Asks for `wanted` calls of this account and bucket at the second `now`. Who asks holds the row, so that
/// nodes are judged one after the other.
pub fn take(
    tx: &mut Tx,
    account: AccountId,
    bucket: &str,
    now: u64,
    wanted: u32,
    limit: u32,
) -> Result<Taken, Error> {
    let mut window = match held(tx, account, bucket)? {
        Some(window) => window,
        None => first(tx, account, bucket)?,
    };
    let taken = window.take(now, wanted, limit);
    if taken.granted > 0 {
        let text = serde_json::to_string(window.seconds())
            .map_err(|error| Error::Refused(error.to_string()))?;
        tx.execute(
            "update rate_windows set seconds = $3 where account_id = $1 and bucket = $2",
            &[account.into(), bucket.into(), (&text).into()],
        )?;
    }
    Ok(taken)
}

fn first(tx: &mut Tx, account: AccountId, bucket: &str) -> Result<Window, Error> {
    tx.execute(
        "insert into rate_windows (account_id, bucket, seconds) values ($1, $2, '[]')
         on conflict do nothing",
        &[account.into(), bucket.into()],
    )?;
    Ok(held(tx, account, bucket)?.unwrap_or_default())
}

fn held(tx: &mut Tx, account: AccountId, bucket: &str) -> Result<Option<Window>, Error> {
    let found = tx.locking(
        "select seconds from rate_windows where account_id = $1 and bucket = $2
         /*pg for update*/",
        &[account.into(), bucket.into()],
        |row| {
            let text: String = row.get("seconds")?;
            let seconds =
                serde_json::from_str(&text).map_err(|error| unreadable("seconds", &error))?;
            Ok(Window::of(seconds))
        },
    )?;
    Ok(found.into_iter().next())
}
