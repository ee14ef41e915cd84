//! A request as it is read and written: held, rendered with each change.

use domain::ids::{AccountId, TrackingRequestId};
use jiff::Timestamp;
use store::tracking_request::TrackingRequest;
use store::{AccountTx, Tx};

/// The request, held, and before it its watch: a poll that ends at the same time comes before or after. One that has no
/// watch goes on by what comes unasked.
pub(crate) fn find_held(
    tx: &mut Tx,
    account: AccountId,
    id: TrackingRequestId,
) -> Result<Option<TrackingRequest>, store::Error> {
    let found = store::tracking_request::find(&mut tx.account(account), id)?;
    if let Some(watch) = found.and_then(|row| row.watch) {
        store::watch::lock(tx, watch)?;
    }
    store::tracking_request::lock(&mut tx.account(account), id)
}

/// Writes a changed request with its next version and its document.
pub(crate) fn store_change(
    a: &mut AccountTx<'_>,
    row: &mut TrackingRequest,
    now: Timestamp,
) -> Result<(), store::Error> {
    row.version += 1;
    row.updated_at = now;
    row.document = render(a.account(), row);
    store::tracking_request::update(a, row).map(|_| ())
}

pub(crate) fn render(account: AccountId, row: &TrackingRequest) -> String {
    jsonapi::resource::tracking_request::render(&jsonapi::resource::tracking_request::View {
        id: row.id,
        account,
        number: &row.number,
        scac: row.scac,
        auto_detect: row.auto_detect,
        progress: &row.progress,
        ref_numbers: &row.ref_numbers,
        tags: &row.tags,
        updated_at: row.updated_at,
        version: row.version,
        shipment: row.shipment,
        customer: row.customer,
        custom_fields: &row.custom_fields,
    })
}
