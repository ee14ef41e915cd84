//! A new name told to the shipments that carry the old one, step by step.

use domain::ids::{AccountId, PartyId};
use jiff::Timestamp;
use store::party::Party;
use store::{AccountTx, Key};

use crate::Tracking;
use crate::projection::rewrite;

/// Shipments written again in one transaction.
const STEP_SHIPMENTS_MAX: u32 = 64;
/// Renamed parties taken up in one round.
const ROUND_PARTIES_MAX: u32 = 64;

/// Takes one step for each party that was renamed and is not told everywhere. Returns how many there were.
pub(crate) async fn retell_renamed(tracking: &Tracking) -> Result<usize, store::Error> {
    let now = tracking.now();
    let renamed = tracking
        .store()
        .read(|tx| store::party::renamed(tx, ROUND_PARTIES_MAX))
        .await?;
    let count = renamed.len();
    for (account, id) in renamed {
        step_of(tracking, account, id, now).await?;
    }
    Ok(count)
}

async fn step_of(
    tracking: &Tracking,
    account: AccountId,
    id: PartyId,
    now: Timestamp,
) -> Result<(), store::Error> {
    let shared = tracking.clone();
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            let mut a = tx.account(account);
            match store::party::lock(&mut a, id)? {
                Some(party) => step(&mut a, &shared, party, now).map(|_| ()),
                None => Ok(()),
            }
        })
        .await
}

/// The next shipments of a held party get its name; the party's row says how far it went.
pub(super) fn step(
    a: &mut AccountTx<'_>,
    tracking: &Tracking,
    mut party: Party,
    now: Timestamp,
) -> Result<Party, store::Error> {
    let Some(after) = party.told_until else {
        return Ok(party);
    };
    let next = store::party::shipments_after(a, party.id, after, STEP_SHIPMENTS_MAX)?;
    for id in &next {
        if let Some(mut row) = store::shipment::lock(a, *id)? {
            rewrite::shipment(a, tracking, &mut row, now)?;
        }
    }
    let done = next.len() < STEP_SHIPMENTS_MAX as usize;
    party.told_until = next.last().copied().filter(|_| !done);
    store::party::update(a, &party)?;
    Ok(party)
}
