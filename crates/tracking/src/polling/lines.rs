//! Lines that can be asked, about what was tracked before they could.
//!
//! A request finds its source when it is made. When its line had none then, or the profile was given another id since,
//! nobody would ever be asked about it: the request would expire, and a shipment would hear only what comes by itself. So
//! everything that is tracked is looked through once after a start, the only time at which sources of lines change.
//!
//! What a source has said that is gone stays; a shipment keeps the old watch beside the new one for it.

use domain::codes::Scac;
use domain::ids::{AccountId, IdSource, ShipmentId, TrackingRequestId, WatchId};
use domain::tracking_request::NumberKind;
use jiff::Timestamp;
use store::asked::{self, Asked};
use store::shipment::Shipment;
use store::{Key, Tx};
use uuid::Uuid;

use super::looking::{Row, Step};
use crate::request::{self, store_change, watched};
use crate::{Source, Tracking, id_source};

/// Requests or shipments looked at in one step.
const STEP_MAX: u32 = 200;

/// Requests behind `after`, and those among them for which a source could be asked, and none is.
pub(super) async fn requests(
    tracking: &Tracking,
    after: Option<Row>,
) -> Result<Step, store::Error> {
    let after = after.map(|(account, id)| (account, TrackingRequestId(id)));
    let reading = tracking.store();
    let reading = reading.read(move |tx| asked::requests(tx, after, STEP_MAX));
    Ok(step(tracking, &reading.await?, |id| id.0))
}

/// The same of shipments.
pub(super) async fn shipments(
    tracking: &Tracking,
    after: Option<Row>,
) -> Result<Step, store::Error> {
    let after = after.map(|(account, id)| (account, ShipmentId(id)));
    let reading = tracking.store();
    let reading = reading.read(move |tx| asked::shipments(tx, after, STEP_MAX));
    Ok(step(tracking, &reading.await?, |id| id.0))
}

fn step<Id: Copy>(tracking: &Tracking, told: &[Asked<Id>], uuid: fn(Id) -> Uuid) -> Step {
    let row = |one: &Asked<Id>| (one.account, uuid(one.id));
    let unasked = told.iter().filter(|one| {
        let sources = one.sources.iter().map(String::as_str);
        // One that cannot be read is looked at by itself, and fails alone.
        one.line
            .is_none_or(|(scac, kind)| missing(tracking, scac, kind, sources).is_some())
    });
    Step {
        rows: unasked.map(row).collect(),
        last: told.last().map(row),
    }
}

/// The source to ask about a number, unless one of `asked` is configured for it.
fn missing<'t, 'a>(
    tracking: &'t Tracking,
    scac: Scac,
    kind: NumberKind,
    mut asked: impl Iterator<Item = &'a str>,
) -> Option<&'t Source> {
    let is_asked = asked.any(|id| {
        let source = tracking.source(id);
        source.is_some_and(|source| source.answers(scac, kind))
    });
    tracking.source_for(scac, kind).filter(|_| !is_asked)
}

/// Whether it is asked about from now on.
pub(super) async fn ask_for_request(
    tracking: &Tracking,
    account: AccountId,
    id: TrackingRequestId,
) -> Result<bool, store::Error> {
    let (shared, now) = (tracking.clone(), tracking.now());
    let ids = id_source(now);
    let asking = tracking.store().write(Key::account(account), move |tx| {
        begin_request(tx, &shared, account, id, &mut ids.clone(), now)
    });
    asking.await
}

fn begin_request(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    id: TrackingRequestId,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<bool, store::Error> {
    let Some(mut row) = request::find_held(tx, account, id)? else {
        return Ok(false);
    };
    let Some(scac) = row.scac.filter(|_| row.progress.status.waits()) else {
        return Ok(false);
    };
    let old = row.watch;
    let asked = source_of(tx, old)?;
    let kind = row.progress.kind;
    let Some(source) = missing(tracking, scac, kind, asked.iter().map(String::as_str)) else {
        return Ok(false);
    };
    let watch = watched(tx, account, source.id(), kind, &row.number, ids, now)?;
    row.watch = Some(watch.id);
    store_change(&mut tx.account(account), &mut row, now)?;
    if let Some(old) = old {
        store::watch::rest_unless_followed(tx, old)?;
    }
    Ok(true)
}

/// Whether it is asked about from now on.
pub(super) async fn ask_for_shipment(
    tracking: &Tracking,
    account: AccountId,
    id: ShipmentId,
) -> Result<bool, store::Error> {
    let (shared, now) = (tracking.clone(), tracking.now());
    let ids = id_source(now);
    let asking = tracking.store().write(Key::account(account), move |tx| {
        let found = store::shipment::find(&mut tx.account(account), id)?;
        match found.filter(|row| row.stopped.is_none()) {
            Some(row) => begin_shipment(tx, &shared, account, &row, &mut ids.clone(), now),
            None => Ok(false),
        }
    });
    asking.await
}

/// Whether a tracked shipment is asked about from now on, and was not before.
pub(crate) fn begin_shipment(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    row: &Shipment,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<bool, store::Error> {
    let mut asked = Vec::new();
    for watch in store::shipment::watches_of(&mut tx.account(account), row.id)? {
        asked.extend(source_of(tx, Some(watch))?);
    }
    let Some(source) = missing(
        tracking,
        row.scac,
        row.kind,
        asked.iter().map(String::as_str),
    ) else {
        return Ok(false);
    };
    let watch = watched(tx, account, source.id(), row.kind, &row.number, ids, now)?;
    store::shipment::link_watch(&mut tx.account(account), row.id, watch.id)?;
    Ok(true)
}

fn source_of(tx: &mut Tx, watch: Option<WatchId>) -> Result<Option<String>, store::Error> {
    let found = watch
        .map(|watch| store::watch::find(tx, watch))
        .transpose()?;
    Ok(found.flatten().map(|watch| watch.source))
}
