//! Forgetting notifications whose delivery ended long ago, with their bodies and attempts.
//!
//! They are walked by id, which is the order of their creation. One that is open, held or sent again not long ago
//! stays; so a walk says how many rows it looks at, not how many it forgets.
//!
//! Up to which moment was ever forgotten is written down with the forgetting. How long they are kept is a setting, and when it
//! is raised, what is gone lies within the new time: without the note it would look as if it had never been sent.

use domain::ids::{AccountId, NotificationId};
use domain::webhook::DeliveryStatus;
use jiff::Timestamp;

use crate::db::{Row, Value, pieces, placeholders};
use crate::notification::HAS_ENDED;
use crate::redelivery::first_id;
use crate::tally::List;
use crate::{Error, Tx};

/// The next `looked_at` notifications of all accounts after this one that were created before that time; each with
/// whether its delivery ended before it too.
pub fn ended_before(
    tx: &mut Tx,
    after: NotificationId,
    before: Timestamp,
    looked_at: u32,
) -> Result<Vec<(NotificationId, bool)>, Error> {
    tx.query(
        &format!(
            "select id, ({}) as ended from notifications
             where id > $3 and id < $4 order by id limit {looked_at}",
            ended()
        ),
        &[
            before.into(),
            DeliveryStatus::Pending.as_str().into(),
            after.into(),
            Value::Id(first_id(before)),
        ],
        |row| Ok((row.id("id")?, row.get("ended")?)),
    )
}

/// Notifications from before this moment may have been forgotten.
pub fn forgotten_until(tx: &mut Tx) -> Result<Timestamp, Error> {
    let until = tx.query_one(FORGOTTEN, &[], read_until)?;
    Ok(until.unwrap_or(Timestamp::UNIX_EPOCH))
}

/// The same, and nothing later is forgotten until the transaction ends.
pub fn hold_forgotten_until(tx: &mut Tx) -> Result<Timestamp, Error> {
    let held = tx.locking(&format!("{FORGOTTEN} /*pg for share*/"), &[], read_until)?;
    Ok(held.into_iter().next().unwrap_or(Timestamp::UNIX_EPOCH))
}

const FORGOTTEN: &str = "select until_at from forgotten where what = 'notifications'";

fn read_until(row: &Row<'_>) -> Result<Timestamp, Error> {
    row.get("until_at")
}

/// Forgets those of these notifications whose delivery ended before this time; how many.
pub fn forget(tx: &mut Tx, ids: &[NotificationId], before: Timestamp) -> Result<u64, Error> {
    tx.execute(
        "update forgotten set until_at = $1 where what = 'notifications' and until_at < $1",
        &[before.into()],
    )?;
    let mut forgotten = 0;
    for piece in pieces(ids) {
        let mut values = vec![before.into(), DeliveryStatus::Pending.as_str().into()];
        values.extend(piece.iter().map(|id| Value::from(*id)));
        let places = placeholders(3, piece.len());
        let gone = tx.returning(
            &format!(
                "delete from notifications where id in ({places}) and {}
                 returning account_id, webhook_id",
                ended()
            ),
            &values,
            |row| {
                let account: AccountId = row.id("account_id")?;
                Ok((account, row.id("webhook_id")?))
            },
        )?;
        forgotten += gone.len() as u64;
        for (account, webhook) in gone {
            tx.account(account).count(List::Notifications(webhook), -1);
        }
    }
    Ok(forgotten)
}

/// What is open has a delivery. Whoever sends a notification again writes `pending` into it too, so that one which is
/// being forgotten at that moment is looked at anew.
fn ended() -> String {
    format!(
        "status <> $2 and created_at < $1 and {HAS_ENDED} and not exists (
             select 1 from attempts where notification_id = notifications.id and started_at >= $1
         )"
    )
}
