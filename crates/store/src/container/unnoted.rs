//! Containers that were stored before lists were filtered by holds and fees.
//!
//! What they are held by and owe stands in their states, which are packed, so that no migration can read it. Lists must be right
//! from the first answer on, so the start that migrates looks at all of them, in [steps](step) of which each is a transaction of
//! its own, before anybody is served. How far that has come is a row, which goes at the end: a start that was broken off is
//! gone on with by the next one, and one after that asks for the row and finds none.

use domain::container::ContainerState;
use domain::ids::{AccountId, ContainerId};

use super::kinds;
use crate::db::Row;
use crate::{Error, Tx};

/// Containers looked at in one step.
const STEP_MAX: u32 = 2_000;

/// Whether some are left to look at.
pub(crate) fn any(tx: &mut Tx) -> Result<bool, Error> {
    reached(tx).map(|place| place.is_some())
}

/// Looks at the next ones, and how many they were; `None`: none is left.
pub(crate) fn step(tx: &mut Tx) -> Result<Option<u64>, Error> {
    let Some((account, id)) = reached(tx)? else {
        return Ok(None);
    };
    let looked_at = tx.query(
        "select account_id, id, state from containers where (account_id, id) > ($1, $2)
         order by account_id, id limit $3",
        &[account.into(), id.into(), STEP_MAX.into()],
        |row| Ok((place(row, "id")?, kinds_of(row))),
    )?;
    for (place, (holds, fees)) in &looked_at {
        // Most are held by nothing and owe nothing, as their columns say already.
        if (*holds, *fees) != (0, 0) {
            note(tx, *place, *holds, *fees)?;
        }
    }
    let Some(((account, id), _)) = looked_at.last() else {
        tx.execute("delete from unnoted_holds", &[])?;
        return Ok(None);
    };
    tx.execute(
        "update unnoted_holds set account_id = $1, container_id = $2",
        &[(*account).into(), (*id).into()],
    )?;
    Ok(Some(looked_at.len() as u64))
}

/// A container, or how far the walk has come: to this one.
type Place = (AccountId, ContainerId);

fn reached(tx: &mut Tx) -> Result<Option<Place>, Error> {
    tx.query_one(
        "select account_id, container_id from unnoted_holds",
        &[],
        |row| place(row, "container_id"),
    )
}

fn place(row: &Row<'_>, id: &str) -> Result<Place, Error> {
    Ok((row.id("account_id")?, row.id(id)?))
}

/// A state that cannot be read keeps nobody from the others: it is told of when its box is asked for.
fn kinds_of(row: &Row<'_>) -> (i64, i64) {
    let state: Result<ContainerState, _> = row.unpacked_mirrored("state");
    state.map_or((0, 0), |state| {
        (kinds::holds(&state.pickup), kinds::fees(&state.pickup))
    })
}

fn note(tx: &mut Tx, (account, id): Place, holds: i64, fees: i64) -> Result<(), Error> {
    tx.account(account).execute(
        "update containers set holds = $3, fees = $4 where account_id = $1 and id = $2",
        &[id.into(), holds.into(), fees.into()],
    )?;
    Ok(())
}
