//! A clock that was set back makes nobody wait for the time that it has lost.
//!
//! It is looked for at a start, when nobody knows what the clock showed before, and whenever it turns out to show less than it
//! did. What is brought back, and by how much, the [store](store::set_back) knows.

use std::time::Duration;

use domain::ids::{NotificationId, WatchId};
use jiff::SignedDuration;
use store::{Key, set_back};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::Tracking;
use crate::clock::WAIT_MAX;

/// Deliveries looked at in one step.
const LOOKED_AT_MAX: u32 = 1_000;
/// Real time until what could not be looked at is tried again.
const AGAIN: Duration = Duration::from_mins(1);
/// Rows brought back in one transaction.
const STEP_MAX: u32 = 200;
/// Messages freed at once; more than nodes have in their hands.
const HELD_MAX: u32 = 10_000;
/// A clock that is corrected by no more than this makes nobody wait.
const STANDS_MAX: SignedDuration = SignedDuration::from_secs(1);

/// Looks after a start and whenever the clock was set back, until told to stop.
pub(super) async fn keep_time(tracking: Tracking, stop: CancellationToken) {
    let (mut shown, mut is_due) = (tracking.now(), true);
    while !stop.is_cancelled() {
        let now = tracking.now();
        is_due |= now < shown - STANDS_MAX;
        shown = now;
        if is_due {
            match bring_back(&tracking, &stop).await {
                Ok(()) => is_due = false,
                Err(error) => {
                    tracing::warn!(%error, "what a clock that was ahead has left waiting could not be looked for; it is tried again");
                }
            }
        }
        // It is due still where it could not be done.
        let wait = if is_due { AGAIN } else { WAIT_MAX };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = stop.cancelled() => {}
        }
    }
}

fn told(tracking: &Tracking, count: u64) {
    if count == 0 {
        return;
    }
    tracing::warn!(
        count,
        "the clock was ahead and has been set back: what was to wait does so from now on, and not until that time comes again"
    );
    tracking.nudges().read();
    tracking.nudges().poll();
    tracking.nudges().deliver();
}

/// Brings back what waits too long. What is due is not kept waiting by what others may have in hand.
async fn bring_back(tracking: &Tracking, stop: &CancellationToken) -> Result<(), store::Error> {
    told(tracking, due(tracking, stop).await?);
    told(tracking, held(tracking, stop).await?);
    Ok(())
}

/// Frees messages that nobody reads any more who had them in hand until a time that lies ahead. Whoever is still there has renewed
/// his lease a lease later. A store that is one process's own has no others: its start ends all leases.
async fn held(tracking: &Tracking, stop: &CancellationToken) -> Result<u64, store::Error> {
    let store = tracking.store();
    if !store.is_shared() {
        return Ok(0);
    }
    // What could not be read is left alone for longer than what is being read.
    let asked = (tracking.now(), tracking.watch_lease());
    let late = store.read(move |tx| set_back::messages(tx, asked, HELD_MAX));
    let late = late.await?;
    if late.is_empty() {
        return Ok(0);
    }
    let lease = Duration::try_from(tracking.delivery_lease()).unwrap_or(AGAIN);
    tokio::select! {
        () = tokio::time::sleep(lease) => {}
        () = stop.cancelled() => return Ok(0),
    }
    let now = tracking.now();
    let freed = store.write(Key::sightings(), move |tx| {
        store::raw_message::renew(tx, &late, now)
    });
    let freed = freed.await?.len();
    Ok(u64::try_from(freed).unwrap_or(u64::MAX))
}

/// Brings back what is due too late. How much there was.
async fn due(tracking: &Tracking, stop: &CancellationToken) -> Result<u64, store::Error> {
    let (now, store) = (tracking.now(), tracking.store());
    let [sent, asked] = [
        (now, tracking.delivery_lease()),
        (now, tracking.watch_lease()),
    ];
    let looking = store.read(move |tx| set_back::is_any_ahead(tx, now, asked.1));
    let is_any = looking.await?;
    let mut count = 0;
    if is_any {
        let bringing = store.write(Key::sightings(), move |tx| {
            set_back::bring_sources_back(tx, now)
        });
        count += bringing.await?;
    }
    let mut after = WatchId::from(Uuid::nil());
    while is_any && !stop.is_cancelled() {
        let ahead = store.read(move |tx| set_back::watches(tx, asked, after, STEP_MAX));
        let ahead = ahead.await?;
        let Some(last) = ahead.last() else { break };
        after = last.id;
        let keys = ahead.iter().map(|one| Key::watch(one.id)).collect();
        let bringing = store.write(Key::several(keys), move |tx| {
            set_back::bring_watches_back(tx, asked, &ahead)
        });
        count += bringing.await?;
    }
    let mut after = NotificationId::from(Uuid::nil());
    while !stop.is_cancelled() {
        let looking = store.read(move |tx| set_back::deliveries(tx, sent, after, LOOKED_AT_MAX));
        let set_back::Stretch { ahead, last } = looking.await?;
        let Some(last) = last else { break };
        after = last;
        if ahead.is_empty() {
            continue;
        }
        let bringing = store.write(Key::sightings(), move |tx| {
            set_back::bring_deliveries_back(tx, sent, &ahead)
        });
        count += bringing.await?;
    }
    Ok(count)
}
