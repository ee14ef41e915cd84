//! What an account's plan is measured by: the places that its containers and open requests take.
//!
//! Requests that come together are judged one after the other: who is to be judged holds the account's row
//! until the request is written. On SQLite the one writer is that lock.

use domain::account::{Plan, takes_a_place};
use domain::container::CurrentStatus;
use domain::ids::AccountId;

use crate::db::placeholders;
use crate::{AccountTx, Error, Tx};

/// The account's plan, with the account held until the transaction ends when that plan has a cap.
pub fn held(tx: &mut Tx, account: AccountId) -> Result<Option<Plan>, Error> {
    let capped = tx.locking(
        "select plan from accounts where id = $1 and plan <> 'self_hosted'
         /*pg for no key update*/",
        &[account.into()],
        |row| row.parsed("plan", Plan::parse),
    )?;
    Ok(capped.into_iter().next())
}

/// Places taken: one by each container that was not collected yet and whose shipment is still tracked, and
/// one by each request that waits for its first data.
pub fn places_taken(a: &mut AccountTx) -> Result<u32, Error> {
    let done: Vec<&str> = CurrentStatus::ALL
        .into_iter()
        .filter(|status| !takes_a_place(*status))
        .map(CurrentStatus::as_str)
        .collect();
    let values: Vec<_> = done.iter().map(|status| (*status).into()).collect();
    let taken = a.query_one(
        &format!(
            "select (select count(*) from containers c
                 join shipments s on s.account_id = c.account_id and s.id = c.shipment_id
                 where c.account_id = $1 and s.stopped_at is null and c.status not in ({}))
               + (select count(*) from tracking_requests where account_id = $1
                 and status in ('pending', 'awaiting_manifest')) as taken",
            placeholders(2, done.len()),
        ),
        &values,
        |row| row.count("taken"),
    )?;
    Ok(taken.unwrap_or(0))
}
