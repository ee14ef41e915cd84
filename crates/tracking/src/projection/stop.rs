//! Tracking stopped and resumed by the account.
//!
//! A stopped shipment keeps what it knows and learns nothing more, also when another account keeps its watch
//! going; the projection leaves it alone. Its requests stop with it, each with its event, and the watch rests
//! when nobody else follows it. Resuming undoes all of that, and first of all catches up with what was reported
//! meanwhile. Either is a no-op where it is so already. A number that was asked for again meanwhile has another shipment by now;
//! the old one stays stopped then.
//!
//! The watch is held before the shipment, like in a projection: an answer that comes in at the same time is
//! settled before or after, never between. So are the requests, which their account may be changing.

use domain::audit::Action;
use domain::ids::{AccountId, IdSource, ShipmentId, TrackingRequestId, WatchId};
use domain::tracking_request::{self as machine, Happening};
use jiff::Timestamp;
use store::shipment::Shipment;
use store::{AccountTx, Tx};

use super::{LineSays, Rest, Work, rewrite, shipment};
use crate::Tracking;
use crate::audit::{self, Detail};
use crate::outbox;
use crate::polling::lines;
use crate::request::store_change;

/// Why a shipment is stopped that its account stopped.
const CANCELLED_BY_USER: &str = "cancelled_by_user";

/// Stops the tracking of a shipment. `None`: the account has none of this id.
pub(crate) fn stop(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    id: ShipmentId,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Option<Shipment>, store::Error> {
    let watches = hold(tx, account, id)?;
    let mut a = tx.account(account);
    let Some(mut row) = store::shipment::lock(&mut a, id)? else {
        return Ok(None);
    };
    if row.stopped.is_some() {
        return Ok(Some(row));
    }
    let mut work = Work::new(tracking, LineSays::nothing(), ids, now);
    let now = work.now;
    row.stopped = Some((now, CANCELLED_BY_USER.to_owned()));
    rewrite::shipment(&mut a, tracking, &mut row, now)?;
    shipment::forget_due(&mut a, id)?;
    let news = shipment::stop_requests(&mut a, &work, &row)?;
    outbox::publish(&mut a, &mut work.subscribers, &news, work.ids, now)?;
    let by = tracking.whoever(now);
    audit::note(&mut a, by, Action::TrackingStopped, id, detail(&row));
    for watch in watches {
        store::watch::rest_unless_followed(tx, watch)?;
    }
    Ok(Some(row))
}

/// Why the tracking of a shipment is not resumed.
#[derive(Debug, thiserror::Error)]
pub enum ResumeRefused {
    /// Its number was asked for again meanwhile: two shipments would tell of every move twice.
    #[error("tracking_request {0} tracks this number meanwhile, in another shipment")]
    FollowedElsewhere(TrackingRequestId),
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Resumes the tracking of a shipment. `None`: the account has none of this id.
pub(crate) fn resume(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    id: ShipmentId,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<(Option<Shipment>, Rest), ResumeRefused> {
    let watches = hold(tx, account, id)?;
    let mut a = tx.account(account);
    let Some(mut row) = store::shipment::lock(&mut a, id)? else {
        return Ok((None, Rest::default()));
    };
    if row.stopped.is_none() {
        return Ok((Some(row), Rest::default()));
    }
    if let Some(other) = followed_elsewhere(&mut a, id)? {
        return Err(ResumeRefused::FollowedElsewhere(other));
    }
    row.stopped = None;
    row.resumed_at = Some(now);
    rewrite::shipment(&mut a, tracking, &mut row, now)?;
    resume_requests(&mut a, id, now)?;
    let by = tracking.whoever(now);
    audit::note(&mut a, by, Action::TrackingResumed, id, detail(&row));
    for watch in watches {
        store::watch::pull_forward(tx, watch, account, now)?;
    }
    // Its source may have gone while nobody asked about it.
    lines::begin_shipment(tx, tracking, account, &row, ids, now)?;
    let mut work = Work::new(tracking, LineSays::nothing(), ids, now);
    work.resumes = true;
    shipment::refresh(tx, &mut work, account, &[id])?;
    let resumed = store::shipment::find(&mut tx.account(account), id)?;
    Ok((resumed, work.rest))
}

/// The request that has taken the place of those of a stopped shipment, where each of them has lost it.
fn followed_elsewhere(
    a: &mut AccountTx<'_>,
    shipment: ShipmentId,
) -> Result<Option<TrackingRequestId>, store::Error> {
    let mut taken_by = None;
    for row in store::tracking_request::of_shipment(a, shipment)? {
        let open = store::tracking_request::find_open(a, &row.number, row.docket, row.scac)?;
        match open {
            Some(open) if open.shipment != Some(shipment) => taken_by = Some(open.id),
            _ => return Ok(None),
        }
    }
    Ok(taken_by)
}

/// What is noted of a shipment.
fn detail(row: &Shipment) -> Detail {
    Detail::default()
        .with("number", row.number.as_str())
        .with("scac", row.scac.as_str())
}

/// One whose place another open request has taken meanwhile stays stopped: a number is open once.
fn resume_requests(
    a: &mut AccountTx<'_>,
    shipment: ShipmentId,
    now: Timestamp,
) -> Result<(), store::Error> {
    for mut row in store::tracking_request::of_shipment(a, shipment)? {
        let (progress, _) = machine::advance(row.progress, Happening::TrackingResumed, now);
        if progress == row.progress {
            continue;
        }
        if store::tracking_request::find_open(a, &row.number, row.docket, row.scac)?.is_some() {
            continue;
        }
        row.progress = progress;
        store_change(a, &mut row, now)?;
    }
    Ok(())
}

/// The watches that feed a shipment, held, and its requests with them.
fn hold(tx: &mut Tx, account: AccountId, id: ShipmentId) -> Result<Vec<WatchId>, store::Error> {
    let watches = store::shipment::watches_of(&mut tx.account(account), id)?;
    for watch in &watches {
        store::watch::lock(tx, *watch)?;
    }
    store::tracking_request::of_shipment(&mut tx.account(account), id)?;
    Ok(watches)
}
