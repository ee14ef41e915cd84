//! What an account does with its shipments: references, tags and customer, and whether they are tracked.

use domain::ids::{AccountId, PartyId, ShipmentId};
use jiff::Timestamp;
use store::shipment::Shipment;
use store::{AccountTx, Key};

use crate::intake;
use crate::parties::{self, CustomerRefused};
pub use crate::projection::ResumeRefused;
use crate::projection::{self, Left, rewrite};
use crate::{Tracking, id_source};

/// What a caller may change.
#[derive(Clone, Debug, Default)]
pub struct ShipmentPatch {
    /// New references.
    pub ref_numbers: Option<Vec<String>>,
    /// New tags.
    pub tags: Option<Vec<String>>,
    /// Another customer, or none. Containers without a customer of their own follow.
    pub customer: Option<Option<PartyId>>,
}

/// Changes what a caller may change. `None`: this account has no such shipment.
pub async fn update(
    tracking: &Tracking,
    account: AccountId,
    id: ShipmentId,
    patch: ShipmentPatch,
) -> Result<Option<Shipment>, CustomerRefused> {
    let now = tracking.now();
    let shared = tracking.clone();
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            let mut a = tx.account(account);
            if store::shipment::find(&mut a, id)?.is_none() {
                return Ok(None);
            }
            parties::accept(&mut a, patch.customer.flatten())?;
            Ok(change(&mut a, &shared, id, patch.clone(), now)?)
        })
        .await
}

/// The change itself; its customer was accepted.
pub(crate) fn change(
    a: &mut AccountTx<'_>,
    tracking: &Tracking,
    id: ShipmentId,
    patch: ShipmentPatch,
    now: Timestamp,
) -> Result<Option<Shipment>, store::Error> {
    let Some(before) = store::shipment::lock(a, id)? else {
        return Ok(None);
    };
    let mut row = patch.applied(before.clone());
    if row == before {
        return Ok(Some(row));
    }
    rewrite::shipment(a, tracking, &mut row, now)?;
    if row.customer != before.customer {
        hand_on(a, tracking, &row, now)?;
    }
    Ok(Some(row))
}

impl ShipmentPatch {
    fn applied(self, row: Shipment) -> Shipment {
        Shipment {
            ref_numbers: self.ref_numbers.unwrap_or(row.ref_numbers),
            tags: self.tags.unwrap_or(row.tags),
            customer: self.customer.unwrap_or(row.customer),
            ..row
        }
    }
}

/// Containers without a customer of their own show the shipment's.
fn hand_on(
    a: &mut AccountTx<'_>,
    tracking: &Tracking,
    shipment: &Shipment,
    now: Timestamp,
) -> Result<(), store::Error> {
    let inside = store::container::of_shipment(a, shipment.id)?;
    for mut row in inside.into_iter().filter(|row| row.customer.is_none()) {
        rewrite::container(a, tracking, shipment, &mut row, now)?;
    }
    Ok(())
}

/// Stops its tracking; one that is stopped stays as it is. `None`: this account has no such shipment.
pub async fn stop_tracking(
    tracking: &Tracking,
    account: AccountId,
    id: ShipmentId,
) -> Result<Option<Shipment>, store::Error> {
    let (now, shared) = (tracking.now(), tracking.clone());
    let ids = id_source(now);
    let stopped = tracking
        .store()
        .write(Key::account(account), move |tx| {
            projection::stop(tx, &shared, account, id, &mut ids.clone(), now)
        })
        .await?;
    tracking.nudges().deliver();
    Ok(stopped)
}

/// Resumes its tracking, and asks at once; one that is tracked stays as it is. `None`: this account has no
/// such shipment. Refused when its number was asked for again meanwhile.
pub async fn resume_tracking(
    tracking: &Tracking,
    account: AccountId,
    id: ShipmentId,
) -> Result<Option<Shipment>, ResumeRefused> {
    let (now, shared) = (tracking.now(), tracking.clone());
    let ids = id_source(now);
    let left = Left::default();
    let leaves = left.clone();
    let resumed = tracking
        .store()
        .write(Key::account(account), move |tx| {
            let ids = &mut ids.clone();
            let (resumed, rest) = projection::resume(tx, &shared, account, id, ids, now)?;
            leaves.put(rest);
            Ok::<_, ResumeRefused>(resumed)
        })
        .await?;
    intake::finish(tracking, left.take()).await;
    tracking.nudges().poll();
    tracking.nudges().deliver();
    Ok(resumed)
}
