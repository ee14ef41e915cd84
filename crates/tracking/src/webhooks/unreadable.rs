//! Deliveries that cannot be read.
//!
//! A claim reads many deliveries of all accounts in one transaction. One row among them that no longer says what was written, by a
//! damaged disk or by a node of another version, would fail the whole claim, and the next one that meets it, for everybody and
//! for ever. So who could not claim looks at what was [picked](Picked) one by one, each in a read of its own, and puts off what
//! cannot be read. It is looked at again later: its document may have been written anew by then. Nothing of it is lost, it
//! counts as no attempt, and only its own line waits.

use std::sync::{Arc, Mutex, PoisonError};

use domain::ids::NotificationId;
use store::delivery::{Claim, PUT_OFF_FOR};
use store::{Key, Tx};

use super::body;
use crate::Tracking;

/// Counts deliveries that were put off because they cannot be read.
pub const PUT_OFF: &str = "quayside_deliveries_unreadable_total";

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
        if !is_of_this_row(&error) {
            break;
        }
        let now = tracking.now();
        let later = move |tx: &mut Tx| store::delivery::put_off(tx, notification, now);
        put_off += usize::from(write(tracking, notification, &error, later).await);
    }
    put_off
}

/// The same of one that is claimed, and could not be read as its attempt began.
pub(super) async fn put_off_claimed(tracking: &Tracking, claim: Claim, error: &store::Error) {
    if is_of_this_row(error) {
        let until = tracking.now() + PUT_OFF_FOR;
        let later = move |tx: &mut Tx| Ok(store::delivery::release(tx, &[claim], until)? > 0);
        write(tracking, claim.0, error, later).await;
    }
}

/// What is wrong with more than one row is not to be put off.
fn is_of_this_row(error: &store::Error) -> bool {
    matches!(
        error,
        store::Error::Unreadable { .. } | store::Error::Panicked(_)
    )
}

/// Whether it was put off; nobody else has it in hand then.
async fn write(
    tracking: &Tracking,
    notification: NotificationId,
    error: &store::Error,
    later: impl FnMut(&mut Tx) -> Result<bool, store::Error> + Send + 'static,
) -> bool {
    let key = Key::webhook(notification.0.into());
    match tracking.store().write(key, later).await {
        Ok(false) => false,
        Ok(true) => {
            metrics::counter!(PUT_OFF).increment(1);
            tracing::error!(%notification, %error, "a delivery cannot be read; it is kept and looked at again in ten minutes");
            true
        }
        Err(error) => {
            tracing::warn!(%notification, %error, "a delivery that cannot be read could not be put off");
            false
        }
    }
}
