//! Listeners: which webhooks are fetched, and when somebody last asked.

use domain::ids::{AccountId, WebhookId};
use domain::listener::ListenerName;
use jiff::Timestamp;

use crate::db::Row;
use crate::webhook::note_disabled;
use crate::{AccountTx, Error, Tx};

/// A webhook whose deliveries are fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// What it is called, once in an account.
    pub name: ListenerName,
    /// The webhook.
    pub webhook: WebhookId,
    /// When somebody last asked for deliveries, roughly.
    pub asked_at: Timestamp,
    /// How often it was opened: the number of whoever did last.
    pub turn: i64,
}

/// Adds a listener to a webhook that is there; `false` when one of this name is there already.
pub fn insert(a: &mut AccountTx, listener: &Listener) -> Result<bool, Error> {
    let added = a.execute(
        "insert into listeners (account_id, name, webhook_id, asked_at, turn) values ($1, $2, $3, $4, $5)
         on conflict (account_id, name) do nothing",
        &[
            listener.name.as_str().into(),
            listener.webhook.into(),
            listener.asked_at.into(),
            listener.turn.into(),
        ],
    )?;
    Ok(added > 0)
}

/// The listener of this name.
pub fn named(a: &mut AccountTx, name: &ListenerName) -> Result<Option<Listener>, Error> {
    a.query_one(
        "select name, webhook_id, asked_at, turn from listeners
         where account_id = $1 and name = $2",
        &[name.as_str().into()],
        read,
    )
}

/// The listener of this webhook; `None` for a webhook that is sent to.
pub fn find(a: &mut AccountTx, webhook: WebhookId) -> Result<Option<Listener>, Error> {
    a.query_one(
        "select name, webhook_id, asked_at, turn from listeners
         where account_id = $1 and webhook_id = $2",
        &[webhook.into()],
        read,
    )
}

/// How many the account has.
pub fn count(a: &mut AccountTx) -> Result<u32, Error> {
    let counted = a.query_one(
        "select count(*) as listeners from listeners where account_id = $1",
        &[],
        |row| row.count("listeners"),
    )?;
    Ok(counted.unwrap_or(0))
}

/// Somebody asks who has found `before` as the time at which one did last, and this turn; `false` when another one has asked
/// or opened it since.
pub fn ask(
    a: &mut AccountTx,
    webhook: WebhookId,
    (before, turn): (Timestamp, i64),
    now: Timestamp,
) -> Result<bool, Error> {
    let asked = a.execute(
        "update listeners set asked_at = $3
         where account_id = $1 and webhook_id = $2 and asked_at = $4 and turn = $5",
        &[webhook.into(), now.into(), before.into(), turn.into()],
    )?;
    Ok(asked > 0)
}

/// Somebody opens it, whoever did before; the turn that is his. `None`: it is none, or gone.
pub fn take_over(
    a: &mut AccountTx,
    webhook: WebhookId,
    now: Timestamp,
) -> Result<Option<i64>, Error> {
    let turns = a.returning(
        "update listeners set asked_at = $3, turn = turn + 1
         where account_id = $1 and webhook_id = $2
         returning turn",
        &[webhook.into(), now.into()],
        |row| row.get("turn"),
    )?;
    Ok(turns.first().copied())
}

/// Switches off the active listeners of all accounts that nobody asked since `before`, with this reason. What
/// is open for them waits. How many.
pub fn retire_idle(
    tx: &mut Tx,
    before: Timestamp,
    reason: &str,
    now: Timestamp,
) -> Result<u64, Error> {
    // Locked first, as whoever opens one does: who has opened it meanwhile is seen by the update, which is a statement of its own.
    let idle = "select webhook_id from listeners where asked_at < $1";
    tx.locking(
        &format!(
            "select id from webhooks where active and id in ({idle})
             order by id /*pg for no key update*/"
        ),
        &[before.into()],
        |row| row.id::<WebhookId>("id"),
    )?;
    let retired = tx.returning(
        &format!(
            "update webhooks set active = false, disabled_reason = $2, disabled_at = $3,
                 updated_at = $3
             where active and id in ({idle}) returning account_id, id"
        ),
        &[before.into(), reason.into(), now.into()],
        |row| Ok((row.id::<AccountId>("account_id")?, row.id("id")?)),
    )?;
    for (account, webhook) in &retired {
        note_disabled(tx, *account, *webhook, reason, now);
    }
    Ok(retired.len() as u64)
}

fn read(row: &Row<'_>) -> Result<Listener, Error> {
    Ok(Listener {
        name: row.parsed("name", ListenerName::parse)?,
        webhook: row.id("webhook_id")?,
        asked_at: row.get("asked_at")?,
        turn: row.get("turn")?,
    })
}
