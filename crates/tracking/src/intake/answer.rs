//! Answers to questions: what they say belongs to the watch that asked.

use std::sync::Arc;

use domain::ids::{IdSource, ReportId, WatchId};
use domain::report::Report;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use sources::ocean::dcsa::Payload;
use store::raw_message::{RawMessage, Receipt};
use store::report::{self, Filing};
use store::{Key, Tx};

use super::apart::{self, Held};
use super::{Reading, close_all, count_unmapped, finish, recalls};
use crate::projection::{self, LineSays, Stale};
use crate::{Source, Tracking, id_source};

/// Payloads after they were kept.
pub(crate) struct Kept {
    /// New, or other than the answer before.
    pub(crate) fresh: Vec<RawMessage>,
    /// Equal to the previous answer to the same question: nothing to do, but still an answer of its kind.
    pub(crate) seen: Vec<RawMessage>,
}

/// Step 1: keeps the payloads of one answer.
pub(crate) async fn keep(
    tracking: &Tracking,
    source: &Source,
    watch: WatchId,
    payloads: Vec<Payload>,
    now: Timestamp,
) -> Result<Kept, store::Error> {
    let mut ids = id_source(now);
    let rows: Vec<RawMessage> = payloads
        .into_iter()
        .map(|payload| RawMessage {
            id: ids.draw(),
            source: source.id().to_owned(),
            watch: Some(watch),
            account: None,
            question: payload.question,
            content_type: payload.content_type,
            received_at: now,
            digest: Sha256::digest(&payload.bytes).into(),
            body: payload.bytes,
        })
        .collect();
    let kept = rows.clone();
    let receipts = tracking
        .store()
        .write(Key::watch(watch), move |tx| {
            rows.iter()
                .map(|row| store::raw_message::receive(tx, row))
                .collect::<Result<Vec<_>, _>>()
        })
        .await?;
    let (fresh, seen): (Vec<_>, Vec<_>) = kept
        .into_iter()
        .zip(receipts)
        .partition(|(_, receipt)| matches!(receipt, Receipt::Fresh));
    let rows = |pairs: Vec<(RawMessage, Receipt)>| pairs.into_iter().map(|(row, _)| row).collect();
    Ok(Kept {
        fresh: rows(fresh),
        seen: rows(seen),
    })
}

/// Step 2: reads a kept answer.
pub(crate) fn read(tracking: &Tracking, source: &Source, raw: &RawMessage) -> Reading {
    Reading::of(tracking, source, raw)
}

/// Step 3, first half: the reports of a reading, inside the transaction of their projection. How many were new.
///
/// The message goes on waiting to be read: it is [closed](super::close_all) when what follows from it is written.
pub(crate) fn file_reading(
    tx: &mut Tx,
    watch: WatchId,
    reading: &Reading,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<usize, store::Error> {
    let reports: Vec<(ReportId, &Report, report::Written)> = reading
        .reports
        .iter()
        .map(|report| (ids.draw(), report, report::Written::of(report)))
        .collect();
    let watches = [watch];
    let filings: Vec<Filing<'_>> = reports
        .iter()
        .map(|(id, _, said)| Filing {
            id: *id,
            raw: reading.raw,
            written: said,
            watches: &watches,
        })
        .collect();
    let fresh = report::file(tx, &filings, now)?;
    let new = || {
        let new = reports.iter().filter(|(id, ..)| fresh.contains(id));
        new.map(|(_, report, _)| *report)
    };
    count_unmapped(
        tx,
        &reading.source,
        new().map(|report| (reading.raw, report)),
        now,
    )?;
    let told = new().map(|report| (report, watches.as_slice()));
    for recall in recalls::along(tx, None, told, None)? {
        let id = ids.draw();
        report::insert(tx, watch, recall.raw, &[(id, recall.report)], now)?;
    }
    Ok(fresh.len())
}

/// Steps 2 and 3 for an answer that a crash left unread.
pub(super) async fn take_up(
    tracking: &Tracking,
    source: &Source,
    watch: WatchId,
    raw: &RawMessage,
) -> Result<(), Stale> {
    let readings: Arc<[Reading]> = Arc::from([read(tracking, source, raw)]);
    let taken = match recalls::spread(tracking, watch, &readings).await {
        Ok(()) => take_up_at_once(tracking, watch, &readings).await,
        unspread => unspread,
    };
    let taken = match taken {
        Err(error) if !error.is_away() => take_up_apart(tracking, watch, &readings).await,
        done => done.map_err(Stale::from),
    };
    tracking.nudges().deliver();
    taken
}

async fn take_up_at_once(
    tracking: &Tracking,
    watch: WatchId,
    readings: &Arc<[Reading]>,
) -> Result<(), store::Error> {
    let (now, readings) = (tracking.now(), Arc::clone(readings));
    let (shared, ids) = (tracking.clone(), id_source(now));
    let taking = tracking.store().write(Key::watch(watch), move |tx| {
        let mut ids = ids.clone();
        store::watch::lock(tx, watch)?;
        for reading in readings.iter() {
            file_reading(tx, watch, reading, &mut ids, now)?;
        }
        let says = LineSays::nothing();
        let following = projection::project(tx, &shared, watch, says, &mut ids, now)?;
        close_all(tx, readings.iter(), now)?;
        Ok::<_, store::Error>(following.rest)
    });
    finish(tracking, taking.await?).await;
    Ok(())
}

async fn take_up_apart(
    tracking: &Tracking,
    watch: WatchId,
    readings: &Arc<[Reading]>,
) -> Result<(), Stale> {
    let (now, says) = (tracking.now(), LineSays::nothing());
    let held = Held { watch, claim: None };
    let mut apart = apart::take_in(tracking, held, readings, says, now).await?;
    let (failed, readings) = (apart.take_failure(), Arc::clone(readings));
    let close = move |tx: &mut Tx| -> Result<(), Stale> {
        held.hold(tx)?;
        Ok(apart.close(tx, &readings, now)?)
    };
    tracking.store().write(Key::watch(watch), close).await?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}
