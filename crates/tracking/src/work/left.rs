//! Shipments that nothing comes back to: no line is asked about them, and no due time of a box waits for their end.
//!
//! The projection leaves none behind, but an earlier version did: what only came by itself ended with a message or not at
//! all. So everything that is tracked is looked through once after a start, and what is found is brought up to date: it
//! ends, or its due time is stored.

use domain::ids::ShipmentId;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::refresh_one;
use crate::Tracking;

/// Shipments looked at in one step.
const STEP_MAX: u32 = 200;

/// Looks through everything that is tracked.
pub(super) async fn look_through(
    tracking: &Tracking,
    stop: &CancellationToken,
) -> Result<(), store::Error> {
    let (mut after, mut count) = (None, 0u64);
    while !stop.is_cancelled() {
        let step = tracking
            .store()
            .read(move |tx| store::asked::without_due_time(tx, after, STEP_MAX));
        let step = step.await?;
        let Some((account, last, _)) = step.last() else {
            break;
        };
        after = Some((*account, *last));
        for (account, shipment, _) in step.into_iter().filter(|(_, _, is_left)| *is_left) {
            if stop.is_cancelled() {
                break;
            }
            let refreshed = refresh_one(tracking, account, shipment).await;
            count += u64::from(is_refreshed(shipment, refreshed)?);
        }
        tracking.nudges().deliver();
    }
    if count > 0 {
        info!(
            count,
            "shipments that nothing would have ended were brought up to date"
        );
    }
    Ok(())
}

/// One that cannot be brought up to date keeps no other from it.
fn is_refreshed(
    shipment: ShipmentId,
    refreshed: Result<(), store::Error>,
) -> Result<bool, store::Error> {
    match refreshed {
        Ok(()) => Ok(true),
        Err(error) if error.is_away() => Err(error),
        Err(error) => {
            warn!(%shipment, %error, "a shipment that nothing comes back to could not be brought up to date; the next start tries again");
            Ok(false)
        }
    }
}
