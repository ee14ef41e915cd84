//! Intake: from bytes to stored reports, and from there to the projections.
//!
//! 1. The payload is stored as received and committed. From here on nothing can be lost.
//! 2. It is parsed, outside any transaction. Parsing never fails: it gives reports and defects.
//! 3. Reports, projections, events, notifications and deliveries are one transaction. It can be repeated:
//!    a report that is there already is only seen again.
//!
//! A crash between 1 and 3 leaves a raw message that is not marked as parsed; [`resume`] takes those up.

use domain::ids::{IdSource, ReportId, WatchId};
use domain::report::Report;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use sources::ocean;
use sources::ocean::dcsa::Payload;
use store::raw_message::{Defect, RawMessage, Receipt};
use store::{Key, Tx};

use crate::projection::{self, LineSays, Stale};
use crate::{Source, Tracking, id_source};

/// Raw messages taken up again in one round after a crash.
const RESUME_MESSAGES_MAX: u32 = 64;

/// A payload that was parsed.
pub(crate) struct Reading {
    raw: RawMessage,
    reports: Vec<Report>,
    defects: Vec<Defect>,
    envelope_broken: bool,
}

impl Reading {
    /// Whether nothing of the message could be used.
    pub(crate) fn is_unreadable(&self) -> bool {
        self.envelope_broken && self.reports.is_empty()
    }
}

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

/// Step 2: reads a kept message.
pub(crate) fn read(tracking: &Tracking, source: &Source, raw: RawMessage) -> Reading {
    let parsed = ocean::parse(
        source.profile(),
        &raw.body,
        raw.received_at,
        tracking.gazetteer(),
    );
    Reading {
        reports: parsed
            .reports
            .into_iter()
            .map(|located| located.report)
            .collect(),
        defects: parsed
            .defects
            .into_iter()
            .map(|defect| Defect {
                place: defect.place,
                reason: defect.reason,
            })
            .collect(),
        envelope_broken: parsed.envelope_broken,
        raw,
    }
}

/// Step 3, first half: the reports of a reading, inside the transaction of their projection.
pub(crate) fn write_reading(
    tx: &mut Tx,
    watch: WatchId,
    reading: &Reading,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<usize, store::Error> {
    let reports: Vec<(ReportId, Report)> = reading
        .reports
        .iter()
        .map(|report| (ids.draw(), report.clone()))
        .collect();
    let fresh = store::report::insert(tx, watch, reading.raw.id, &reports, now)?;
    if reading.envelope_broken {
        let reason = reading
            .defects
            .first()
            .map_or("unreadable", |defect| defect.reason.as_str());
        store::raw_message::quarantine(tx, reading.raw.id, now, reason, &reading.defects)?;
    } else {
        store::raw_message::mark_parsed(tx, reading.raw.id, now, &reading.defects)?;
    }
    Ok(fresh)
}

/// Takes up raw messages that were kept before `kept_before` and not yet read: after a crash. Returns how
/// many. Younger ones may be in the hands of a worker.
pub(crate) async fn resume(tracking: &Tracking, kept_before: Timestamp) -> Result<usize, Stale> {
    let now = tracking.now();
    let waiting = tracking
        .store()
        .read(|tx| store::raw_message::unparsed(tx, RESUME_MESSAGES_MAX))
        .await?;
    let mut count = 0;
    for raw in waiting
        .into_iter()
        .filter(|raw| raw.received_at <= kept_before)
    {
        count += 1;
        let source = tracking
            .sources()
            .iter()
            .find(|source| source.id() == raw.source);
        match (source, raw.watch) {
            (Some(source), Some(watch)) => take_up(tracking, source, watch, raw, now).await?,
            _ => set_aside(tracking, raw, now).await?,
        }
    }
    Ok(count)
}

async fn take_up(
    tracking: &Tracking,
    source: &Source,
    watch: WatchId,
    raw: RawMessage,
    now: Timestamp,
) -> Result<(), Stale> {
    let reading = read(tracking, source, raw);
    let shared = tracking.clone();
    let ids = id_source(now);
    tracking
        .store()
        .write(Key::watch(watch), move |tx| {
            let mut ids = ids.clone();
            store::watch::lock(tx, watch)?;
            write_reading(tx, watch, &reading, &mut ids, now)?;
            projection::project(tx, &shared, watch, LineSays::nothing(), &mut ids, now)?;
            Ok::<_, Stale>(())
        })
        .await
}

/// A message whose source is no longer configured cannot be read; it is kept for when it is again.
async fn set_aside(tracking: &Tracking, raw: RawMessage, now: Timestamp) -> Result<(), Stale> {
    let reason = format!("source {:?} is not configured", raw.source);
    tracking
        .store()
        .write(Key::watch(WatchId(raw.id.0)), move |tx| {
            store::raw_message::quarantine(tx, raw.id, now, &reason, &[]).map_err(Stale::from)
        })
        .await
}
