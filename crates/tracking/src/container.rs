//! What an account changes of its containers.

use domain::ids::{AccountId, ContainerId, PartyId};
use store::Key;
use store::container::Container;

use crate::Tracking;
use crate::parties::{self, CustomerRefused};
use crate::projection::rewrite;

/// What a caller may change.
#[derive(Clone, Debug, Default)]
pub struct ContainerPatch {
    /// New references.
    pub ref_numbers: Option<Vec<String>>,
    /// A customer of its own, or none: the shipment's.
    pub customer: Option<Option<PartyId>>,
}

/// Changes what a caller may change. `None`: this account has no such container.
pub async fn update(
    tracking: &Tracking,
    account: AccountId,
    id: ContainerId,
    patch: ContainerPatch,
) -> Result<Option<Container>, CustomerRefused> {
    let now = tracking.now();
    let shared = tracking.clone();
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            let mut a = tx.account(account);
            let Some(found) = store::container::find(&mut a, id)? else {
                return Ok(None);
            };
            parties::accept(&mut a, patch.customer.flatten())?;
            let Some(shipment) = store::shipment::lock(&mut a, found.shipment)? else {
                return Ok(None);
            };
            // Read again: a projection may have written it before the shipment was held.
            let Some(before) = store::container::find(&mut a, id)? else {
                return Ok(None);
            };
            let mut row = patch.clone().applied(before.clone());
            // Who sends back what was shown gives the box no customer of its own: it goes on having its shipment's.
            if before.customer.is_none() && row.customer == shipment.customer {
                row.customer = None;
            }
            if row != before {
                rewrite::container(&mut a, &shared, &shipment, &mut row, now)?;
            }
            Ok(Some(row))
        })
        .await
}

impl ContainerPatch {
    fn applied(self, row: Container) -> Container {
        Container {
            ref_numbers: self.ref_numbers.unwrap_or(row.ref_numbers),
            customer: self.customer.unwrap_or(row.customer),
            ..row
        }
    }
}
