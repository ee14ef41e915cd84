//! Deliveries that cannot be read.
//!
//! A claim reads many deliveries of all accounts in one transaction. One row among them that no longer says what was written, by a
//! damaged disk or by a node of another version, would fail the whole claim, and the next one that meets it, for everybody and
//! for ever. So who could not claim looks at what was [picked](Picked) one by one, each in a read of its own, and puts off what
//! cannot be read. It is looked at again later: its document may have been written anew by then. Nothing of it is lost, it
//! counts as no attempt, and only its own line waits.

use std::sync::{Arc, Mutex, PoisonError};

use domain::ids::NotificationId;
use jiff::SignedDuration;
use store::Key;

use super::body;
use crate::Tracking;

/// Counts deliveries that were put off because they cannot be read.
pub const PUT_OFF: &str = "quayside_deliveries_unreadable_total";

/// Time until one that could not be read is looked at again.
const AGAIN_AFTER: SignedDuration = SignedDuration::from_mins(10);

/// What the latest run of a claim has picked, for whoever hears that it failed.
#[derive(Clone, Default)]
pub(super) struct Picked(Arc<Mutex<Vec<NotificationId>>>);

impl Picked {
    pub(super) fn are(&self, ids: &[NotificationId]) {
        ids.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn take(&self) -> Vec<NotificationId> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Puts off those of the picked that cannot be read; how many.
pub(super) async fn put_off_unreadable(tracking: &Tracking, picked: &Picked) -> usize {
    let mut put_off = 0;
    for notification in picked.take() {
        let shared = tracking.clone();
        let read = tracking.store().read(move |tx| {
            let claimed = store::delivery::claimed(tx, &[notification])?;
            body::check(tx, &shared, &claimed)
        });
        let Err(error) = read.await else { continue };
        // What is wrong with more than this row is not to be put off.
        if !matches!(
            error,
            store::Error::Unreadable { .. } | store::Error::Panicked(_)
        ) {
            break;
        }
        let now = tracking.now();
        let key = Key::webhook(notification.0.into());
        let later = tracking.store().write(key, move |tx| {
            store::delivery::put_off(tx, notification, (now, now + AGAIN_AFTER))
        });
        match later.await {
            Ok(true) => {
                put_off += 1;
                metrics::counter!(PUT_OFF).increment(1);
                tracing::error!(%notification, %error, "a delivery cannot be read; it is kept and looked at again in ten minutes");
            }
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(%notification, %error, "a delivery that cannot be read could not be put off");
            }
        }
    }
    put_off
}
