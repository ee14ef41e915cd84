//! Deleting a webhook: at once for everybody, and in pieces for its history.
//!
//! A webhook that was busy for a month has hundreds of thousands of notifications, each with body and attempts. Removed in one
//! statement with their webhook they would hold the writer of SQLite for seconds, and PostgreSQL would end the statement before
//! it is done, at every try. So the row is marked, which is as quick for a long history as for none, and what hangs on it goes
//! later, piece by piece; the row goes last. A crash in between loses nothing, because what is marked is found again. Nodes may
//! work at the same webhook together: each passes over what another holds.
//!
//! From the mark on, the webhook is there for nobody:
//!
//! - It is **off** in the same statement, and nothing switches it on again, since it cannot be found to be changed. So whatever
//!   asks for active webhooks (the outbox, express, claims, redeliveries) needs no rule of its own.
//! - Whatever else reads or changes webhooks leaves out those with `deleted_at`; nothing keeps a second one from having the
//!   same address. Its secrets are gone from the row.
//! - A listener's name and an endpoint's record of failures go at once: a name is to be free again.
//! - Its notifications are not found and not listed. Attempts are asked for by those who have found the notification.
//! - Its open deliveries are not counted, and not woken: they would be written once more only to be removed. A result that
//!   comes in after the mark is dropped, like one whose claim was lost; a claim made at the same moment hands nothing out.
//! - Redeliveries under way are not found with their webhook off, and go with its row.
//!
//! A transaction of PostgreSQL that read the webhook before the mark may still write notifications for it, as long as the
//! row is there. So the row stays for a while, [`before`](forget) which whoever began has ended; then it goes with the little that
//! came so late. The schema's own rule stands beside it: with an account goes all that is its own, marked or not. Whether there
//! is a deleted webhook at all is answered by an index that is nearly always empty.

use domain::ids::{AccountId, NotificationId, WebhookId};
use jiff::Timestamp;
use uuid::Uuid;

use crate::db::{Value, pieces, placeholders};
use crate::tally::{self, List};
use crate::{AccountTx, Error, Tx};

/// Webhooks that were deleted and still have a row.
pub(crate) const DELETED: &str = "select id from webhooks where deleted_at is not null";

/// Deletes a webhook: from now on it is there for nobody. What it leaves behind is [forgotten](forget_history) later.
/// `false` when there was none.
pub fn delete(a: &mut AccountTx, id: WebhookId, now: Timestamp) -> Result<bool, Error> {
    let deleted = a.execute(
        "update webhooks set active = false, deleted_at = $3, secret = $4, headers = $4,
             retired_secrets = null, retired_until = null
         where account_id = $1 and id = $2 and deleted_at is null",
        &[id.into(), now.into(), Value::Bytes(&[])],
    )?;
    if deleted == 0 {
        return Ok(false);
    }
    a.execute(
        "delete from listeners where account_id = $1 and webhook_id = $2",
        &[id.into()],
    )?;
    a.tx().execute(
        "delete from webhook_health where webhook_id = $1",
        &[id.into()],
    )?;
    Ok(true)
}

/// Whether the account has one that was deleted and still has a row.
pub(crate) fn has_deleted(a: &mut AccountTx) -> Result<bool, Error> {
    let found = a.query_one(
        &format!("select exists ({DELETED} and account_id = $1) as found"),
        &[],
        |row| row.get::<bool>("found"),
    )?;
    Ok(found.unwrap_or(false))
}

/// The next deleted webhooks of all accounts after this one.
pub fn deleted(tx: &mut Tx, after: WebhookId, limit: u32) -> Result<Vec<WebhookId>, Error> {
    tx.query(
        &format!("{DELETED} and id > $1 order by id limit $2"),
        &[after.into(), limit.into()],
        |row| row.id("id"),
    )
}

/// Forgets up to `most` notifications of a deleted webhook, with all that belongs to them, of what they refer to `from`
/// this id on: what was removed already is not walked through again. Where to go on; `None`: that was the last of them.
pub fn forget_history(
    tx: &mut Tx,
    webhook: WebhookId,
    from: Uuid,
    most: u32,
) -> Result<Option<Uuid>, Error> {
    let found = tx.locking(
        &format!(
            "select id, reference_id from notifications
             where webhook_id = $1 and reference_id >= $2 and webhook_id in ({DELETED})
             order by reference_id limit {most} /*pg for update skip locked*/"
        ),
        &[webhook.into(), Value::Id(from)],
        |row| {
            Ok((
                row.id::<NotificationId>("id")?,
                row.get::<Uuid>("reference_id")?,
            ))
        },
    )?;
    for piece in pieces(&found) {
        let ids: Vec<Value<'_>> = piece.iter().map(|(id, _)| Value::from(*id)).collect();
        let places = placeholders(1, ids.len());
        tx.execute(
            &format!("delete from notifications where id in ({places})"),
            &ids,
        )?;
    }
    let is_last = found.len() < usize::try_from(most).unwrap_or(usize::MAX);
    let last = found.last().map(|(_, reference)| *reference);
    Ok(last.filter(|_| !is_last))
}

/// Forgets a webhook that was deleted before this moment and whose history is gone; whether it is forgotten now.
pub fn forget(tx: &mut Tx, webhook: WebhookId, before: Timestamp) -> Result<bool, Error> {
    let forgotten = tx.returning(
        "delete from webhooks where id = $1 and deleted_at < $2
             and not exists (select 1 from notifications n where n.webhook_id = $1)
         returning account_id",
        &[webhook.into(), before.into()],
        |row| row.id::<AccountId>("account_id"),
    )?;
    for account in &forgotten {
        tally::forget(&mut tx.account(*account), List::Notifications(webhook))?;
    }
    Ok(!forgotten.is_empty())
}
