//! Changes to a request that its account asks for.

use domain::ids::{AccountId, PartyId, TrackingRequestId};
use store::Key;
use store::tracking_request::TrackingRequest;

use super::{find_held, store_change};
use crate::Tracking;
use crate::parties::{self, CustomerRefused};
use crate::shipment::{self, ShipmentPatch};

/// What a caller may change later.
#[derive(Clone, Debug, Default)]
pub struct RequestPatch {
    /// New references, under each name that they were sent by: of two lists the first that is not what stands is meant, for
    /// clients send back what they were shown.
    pub ref_numbers: Vec<Vec<String>>,
    /// New tags, in the same way.
    pub tags: Vec<Vec<String>>,
    /// Another customer, or none. The shipment, when it is there already, gets it too.
    pub customer: Option<Option<PartyId>>,
}

/// Changes what a caller may change. `None`: this account has no such request.
pub async fn update(
    tracking: &Tracking,
    account: AccountId,
    id: TrackingRequestId,
    patch: RequestPatch,
) -> Result<Option<TrackingRequest>, CustomerRefused> {
    let (now, shared) = (tracking.now(), tracking.clone());
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            let Some(before) = find_held(tx, account, id)? else {
                return Ok(None);
            };
            let mut a = tx.account(account);
            parties::accept(&mut a, patch.customer.flatten())?;
            let mut row = patch.clone().applied(before.clone());
            if row != before {
                store_change(&mut a, &mut row, now)?;
            }
            // Who sends back what was shown takes no customer away that the shipment was given since.
            let is_new = row.customer != before.customer;
            if let (true, Some(shipment)) = (is_new, row.shipment) {
                let of_shipment = ShipmentPatch {
                    customer: patch.customer,
                    ..ShipmentPatch::default()
                };
                shipment::change(&mut a, &shared, shipment, of_shipment, now)?;
            }
            Ok(Some(row))
        })
        .await
}

impl RequestPatch {
    fn applied(self, row: TrackingRequest) -> TrackingRequest {
        TrackingRequest {
            ref_numbers: changed(self.ref_numbers, row.ref_numbers),
            tags: changed(self.tags, row.tags),
            customer: self.customer.unwrap_or(row.customer),
            ..row
        }
    }
}

/// The first list that changes something, and one that is empty only where no other does.
fn changed(sent: Vec<Vec<String>>, stood: Vec<String>) -> Vec<String> {
    let changing = sent.into_iter().filter(|list| *list != stood);
    let (empty, full): (Vec<_>, Vec<_>) = changing.partition(Vec::is_empty);
    full.into_iter().chain(empty).next().unwrap_or(stood)
}
