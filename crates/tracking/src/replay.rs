//! Everything that was kept, read again: when a parser, a profile or a rule has become better.
//!
//! A replay goes over all messages, then over the watches, then over the shipments ([`store::replay`] says what
//! each walk does). Where nothing became better it changes nothing and tells nothing; where something did, the
//! corrected state stands at the end, with the events that lead there. Each step is kept in the transaction of
//! its work, so a replay can be stopped at any moment and gone on with later. A service may run meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::audit::Action;
use domain::ids::{AccountId, IdSource, RawMessageId, ShipmentId, WatchId};
use domain::report::Report;
use jiff::Timestamp;
use store::docket::Number;
use store::raw_message::RawMessage;
use store::replay::{Replay, Stage};
use store::{Key, Tx};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::audit::{self, Detail};
use crate::intake::{self, Elsewhere, Parts, Piece, Reading, Recalls, Said};
use crate::projection::{self, Rest};
use crate::{Tracking, id_source, vessels};

/// Messages read in one step, as far as their bytes allow it.
const MESSAGES_MAX: u32 = 256;
/// Bytes of the messages of one step; one that is longer is a step of its own.
const STEP_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// Watches looked at in one step.
const WATCHES_MAX: u32 = 256;
/// Shipments computed in one step.
const SHIPMENTS_MAX: u32 = 32;
/// Retractions looked at in one step when the messages are read.
const RECALLS_MAX: u32 = 256;
/// Watches out of which a message that is passed over is taken in one step.
const TAKEN_OUT_MAX: usize = 128;
/// Requests that wait, looked at when the shipments are done.
const REQUESTS_MAX: u32 = 10_000;

/// Goes on with the replay that had not ended, or begins one; `anew` begins one in any case. Returns when it has
/// ended, or after the step in hand when told to stop; `tell` hears of each step.
pub async fn replay(
    tracking: &Tracking,
    anew: bool,
    stop: &CancellationToken,
    mut tell: impl FnMut(&Replay),
) -> Result<Replay, store::Error> {
    let now = tracking.now();
    let by = tracking.whoever(now);
    let begin = move |tx: &mut Tx| {
        let (action, replay) = match store::replay::open(tx)? {
            Some(open) if !anew => (Action::ReplayResumed, open),
            _ => (Action::ReplayStarted, store::replay::begin(tx, now)?),
        };
        let detail = Detail::default()
            .with("stage", replay.stage.as_str())
            .with("done", replay.done)
            .with("total", replay.total);
        audit::note_for_all(tx, by, action, replay.number, detail);
        Ok::<_, store::Error>(replay)
    };
    let mut replay: Replay = tracking.store().write(Key::sightings(), begin).await?;
    tell(&replay);
    while replay.ended_at.is_none() && !stop.is_cancelled() {
        replay = match replay.stage {
            Stage::Reading => read(tracking, replay).await?,
            Stage::Settling => settle(tracking, replay).await?,
            Stage::Showing => show(tracking, replay).await?,
        };
        tell(&replay);
    }
    Ok(replay)
}

/// One step of the first walk.
async fn read(tracking: &Tracking, mut replay: Replay) -> Result<Replay, store::Error> {
    let after = replay.cursor.map(|(_, id)| RawMessageId(id));
    let store = tracking.store();
    let listed = store
        .read(move |tx| store::replay::messages(tx, after, MESSAGES_MAX))
        .await?;
    if listed.is_empty() {
        let_go_recalls(tracking, &replay).await?;
        return next(tracking, replay, Stage::Settling).await;
    }
    let (mut bytes, mut step) = (0, Vec::new());
    for (id, length) in listed {
        bytes += length;
        if bytes > STEP_BYTES_MAX && !step.is_empty() {
            break;
        }
        step.push(id);
    }
    replay.cursor = step.last().map(|id| (Uuid::nil(), id.0));
    replay.done += step.len() as u64;
    let mut touched = Touched::new();
    let read = match step[..] {
        [only] if bytes > STEP_BYTES_MAX => read_long(tracking, &replay, only, &mut touched).await,
        _ => read_together(tracking, &replay, step.clone(), &mut touched).await,
    };
    if let Err(error) = read {
        replay.passed += read_each(tracking, &replay, step, &mut touched, error).await?;
    }
    keep(tracking, replay).await
}

/// Watches under which something of a step was marked: what was found of a message that is passed over stands there.
type Touched = BTreeSet<WatchId>;

/// What takes events back and was not read again is handed to nobody any more.
async fn let_go_recalls(tracking: &Tracking, replay: &Replay) -> Result<(), store::Error> {
    let readable: Vec<String> = tracking.sources().map(|one| one.id().to_owned()).collect();
    let mut next = Some(store::recall::RecallId::default());
    while let Some(after) = next {
        let (this, readable) = (replay.clone(), readable.clone());
        let let_go = move |tx: &mut Tx| {
            store::recall::let_go_unread(tx, &this, &readable, &after, RECALLS_MAX)
        };
        next = tracking.store().write(Key::dockets(), let_go).await?;
    }
    Ok(())
}

/// Reads the messages of a step that failed one by one, and passes over those that fail again: a replay is most wanted where
/// there is one that cannot be read. How many they were.
async fn read_each(
    tracking: &Tracking,
    replay: &Replay,
    step: Vec<RawMessageId>,
    touched: &mut Touched,
    failure: store::Error,
) -> Result<u64, store::Error> {
    let (several, mut last, mut passed) = (step.len() > 1, failure, 0);
    for message in step {
        if several {
            match read_together(tracking, replay, vec![message], touched).await {
                Ok(()) => continue,
                Err(error) => last = error,
            }
        }
        // The store is at fault, and would be at the next one too.
        if last.passes() {
            return Err(last);
        }
        pass_over(tracking, replay, message, touched, &last).await?;
        passed += 1;
    }
    Ok(passed)
}

async fn pass_over(
    tracking: &Tracking,
    replay: &Replay,
    message: RawMessageId,
    touched: &Touched,
    error: &store::Error,
) -> Result<(), store::Error> {
    tracing::warn!(raw_message = %message, %error, "a message cannot be read again; what was read of it before stays");
    let (store, this, now) = (tracking.store(), replay.clone(), tracking.now());
    let reason = "it could not be read again; the log says why";
    let note = move |tx: &mut Tx| store::replay::pass_over(tx, &this, message, now, reason);
    store.write(Key::dockets(), note).await?;
    let touched: Vec<WatchId> = touched.iter().copied().collect();
    for some in touched.chunks(TAKEN_OUT_MAX) {
        let (this, some) = (replay.clone(), some.to_vec());
        let take_out = move |tx: &mut Tx| store::replay::take_out(tx, &this, message, &some);
        store.write(Key::dockets(), take_out).await?;
    }
    Ok(())
}

/// The watch that asked for a message, or the account whose own it is; neither, where it is for everybody.
type Whose = (Option<WatchId>, Option<AccountId>);

/// What messages of one step say now. Commits are what a replay waits for, so they share them.
async fn read_together(
    tracking: &Tracking,
    replay: &Replay,
    ids: Vec<RawMessageId>,
    touched: &mut Touched,
) -> Result<(), store::Error> {
    let store = tracking.store();
    let find = move |tx: &mut Tx| {
        let found = ids.iter().map(|id| store::raw_message::find(tx, *id));
        found.collect::<Result<Vec<_>, store::Error>>()
    };
    let found = store.read(find).await?;
    let shared = tracking.clone();
    let parsed = tokio::task::spawn_blocking(move || {
        let read = |message: &RawMessage| {
            // Where nobody can read it now, what was read of it stays.
            let source = shared.source(&message.source)?;
            let mut reading = Reading::of(&shared, source, message);
            let reports = reading.take_reports(message.watch.is_none());
            Some(((message.watch, message.account), reading, reports))
        };
        found.iter().flatten().filter_map(read).collect::<Vec<_>>()
    });
    let parsed = parsed.await.map_err(|_| unparsed())?;
    let mut said: BTreeMap<Whose, Vec<(RawMessageId, Report)>> = BTreeMap::new();
    let mut readings = Vec::new();
    for (whose, mut reading, mut reports) in parsed {
        let raw = reading.raw();
        if let Some(source) = tracking.source(reading.source()) {
            let sightings = reading.take_sightings();
            reports = reading
                .with_stops(tracking, source, reports, &sightings, false)
                .await?;
        }
        let reports = reports.into_iter().map(|report| (raw, report));
        said.entry(whose).or_default().extend(reports);
        readings.push(reading);
    }
    let mut told = Vec::with_capacity(said.len());
    for (whose, said) in said {
        told.push((
            whose,
            vessels::told_of_boxes(tracking, whose.1, said).await?,
        ));
    }
    let pieces = told.into_iter().flat_map(|(whose, said)| {
        let pieces = intake::pieces(said.into_iter(), tracking.registry());
        pieces.map(move |piece| (whose, piece))
    });
    let (asked, unasked): (Vec<_>, Vec<_>) = pieces.partition(|((watch, _), _)| watch.is_some());
    // Dockets are held to the end of a transaction, in one order for all; so each piece has its own.
    for some in unasked.into_iter().map(|piece| vec![piece]).chain([asked]) {
        mark_all(tracking, replay, some, touched).await?;
    }
    let now = tracking.now();
    let close = move |tx: &mut Tx| readings.iter().try_for_each(|r| r.close_again(tx, now));
    store.write(Key::dockets(), close).await
}

/// What a long message says now.
async fn read_long(
    tracking: &Tracking,
    replay: &Replay,
    id: RawMessageId,
    touched: &mut Touched,
) -> Result<(), store::Error> {
    let store = tracking.store();
    let found = store.read(move |tx| store::raw_message::find(tx, id));
    let Some(message) = found.await? else {
        return Ok(());
    };
    let Some(source) = tracking.source(&message.source) else {
        return Ok(());
    };
    let whose = (message.watch, message.account);
    let (mut reading, mut count) = (Reading::begin(&message), 0);
    let mut parts = Parts::of(tracking, message);
    while let Some(part) = parts.next().await? {
        let (reports, sightings) = reading.add(part);
        count += reports.len();
        let reports = reading
            .with_stops(tracking, source, reports, &sightings, false)
            .await?;
        let said = reports.into_iter().map(|report| (id, report)).collect();
        let said = vessels::told_of_boxes(tracking, whose.1, said).await?;
        for piece in intake::pieces(said.into_iter(), tracking.registry()) {
            mark_all(tracking, replay, vec![(whose, piece)], touched).await?;
        }
    }
    reading.end(count, whose.0.is_none());
    let now = tracking.now();
    store
        .write(Key::dockets(), move |tx| reading.close_again(tx, now))
        .await
}

fn unparsed() -> store::Error {
    store::Error::Refused("the parser ended without a result".into())
}

/// Marks the readings of these pieces in one transaction, and what takes events back elsewhere in others.
async fn mark_all(
    tracking: &Tracking,
    replay: &Replay,
    pieces: Vec<(Whose, Piece)>,
    touched: &mut Touched,
) -> Result<(), store::Error> {
    if pieces.is_empty() {
        return Ok(());
    }
    let (now, this) = (tracking.now(), replay.clone());
    let drawn = id_source(now);
    let mark = move |tx: &mut Tx| {
        let (mut ids, mut marked) = (drawn.clone(), Marked::default());
        // Pieces come in the order of their watches: one order for all who hold several. They are held before what is
        // taken back.
        for watch in pieces.iter().filter_map(|((watch, _), _)| *watch) {
            store::watch::lock(tx, watch)?;
        }
        for (whose, piece) in &pieces {
            mark(tx, *whose, piece, &this, &mut marked, &mut ids, now)?;
        }
        Ok::<_, store::Error>(marked)
    };
    let marked = tracking.store().write(Key::dockets(), mark).await?;
    touched.extend(marked.watches);
    for (watch, said) in marked.elsewhere {
        touched.insert(watch);
        let (this, ids) = (replay.clone(), id_source(now));
        let mark = move |tx: &mut Tx| mark_at(tx, watch, &said, &this, &mut ids.clone(), now);
        tracking.store().write(Key::watch(watch), mark).await?;
    }
    Ok(())
}

/// Where readings were marked, and where what takes events back is still to be.
#[derive(Default)]
struct Marked {
    watches: Touched,
    elsewhere: Elsewhere,
}

/// Marks the readings of one piece under the watch that asked, which is held, or the dockets of the numbers they name.
fn mark(
    tx: &mut Tx,
    (watch, account): Whose,
    piece: &[Said],
    replay: &Replay,
    marked: &mut Marked,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<(), store::Error> {
    let mut watches: Vec<Vec<WatchId>> = if let Some(watch) = watch {
        vec![vec![watch]; piece.len()]
    } else {
        let named = piece.iter().flat_map(|said| said.numbers.iter().cloned());
        let named: BTreeSet<Number> = named.collect();
        let named: Vec<Number> = named.into_iter().collect();
        let held = store::docket::hold(tx, account, &named, ids, now)?;
        let dockets: BTreeMap<Number, WatchId> = named.into_iter().zip(held).collect();
        let of = |said: &Said| {
            let numbers = said.numbers.iter();
            numbers.filter_map(|n| dockets.get(n).copied()).collect()
        };
        piece.iter().map(of).collect()
    };
    let recalls = Recalls::of(tx, account, piece, &mut watches, Some(replay), now)?;
    let piece = recalls.with(piece, &watches);
    let filings = intake::filings(piece.iter().copied(), ids);
    store::report::mark(tx, &filings, replay.number, now)?;
    marked.watches.extend(watches.into_iter().flatten());
    for (watch, said) in recalls.elsewhere {
        marked.elsewhere.entry(watch).or_default().extend(said);
    }
    Ok(())
}

/// Marks what takes events back under one more of their watches.
fn mark_at(
    tx: &mut Tx,
    watch: WatchId,
    said: &[Arc<Said>],
    replay: &Replay,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<(), store::Error> {
    store::watch::lock(tx, watch)?;
    let watches = [watch];
    let filings = intake::filings(said.iter().map(|said| (&**said, &watches[..])), ids);
    store::report::mark(tx, &filings, replay.number, now)
}

/// One step of the second walk.
async fn settle(tracking: &Tracking, mut replay: Replay) -> Result<Replay, store::Error> {
    let after = replay.cursor.map(|(_, id)| WatchId(id));
    let (store, this) = (tracking.store(), replay.clone());
    // A stop stands on sightings of other messages, which are not kept for good: it may not be found again.
    let sources = tracking
        .sources()
        .filter(|source| source.positions().is_none());
    let readable: Vec<String> = sources.map(|source| source.id().to_owned()).collect();
    let named = readable.clone();
    let (watches, unsettled) = store
        .read(move |tx| {
            let watches = store::replay::watches(tx, after, WATCHES_MAX)?;
            let unsettled = store::replay::unsettled(tx, &this, &named, &watches)?;
            Ok::<_, store::Error>((watches, unsettled))
        })
        .await?;
    let Some(last) = watches.last() else {
        return next(tracking, replay, Stage::Showing).await;
    };
    for watch in unsettled {
        let (this, readable) = (replay.clone(), readable.clone());
        let settled = store
            .write(Key::watch(watch), move |tx| {
                store::replay::settle(tx, &this, &readable, watch)
            })
            .await;
        match settled {
            Ok((gone, found)) => {
                replay.gone += gone;
                replay.found += found;
            }
            Err(error) => pass_over_record(&mut replay, &watch, error)?,
        }
    }
    replay.cursor = Some((Uuid::nil(), last.0));
    replay.done += watches.len() as u64;
    keep(tracking, replay).await
}

/// One step of the third walk.
async fn show(tracking: &Tracking, mut replay: Replay) -> Result<Replay, store::Error> {
    let after = replay.cursor;
    let after = after.map(|(account, id)| (AccountId(account), ShipmentId(id)));
    let store = tracking.store();
    let some = store
        .read(move |tx| store::replay::shipments(tx, after, SHIPMENTS_MAX))
        .await?;
    let Some((account, last)) = some.last().copied() else {
        show_waiting(tracking, &mut replay).await?;
        replay.ended_at = Some(tracking.now());
        return keep(tracking, replay).await;
    };
    replay.done += some.len() as u64;
    for of_one in some.chunk_by(|(account, _), (next, _)| account == next) {
        let Some((account, _)) = of_one.first().copied() else {
            continue;
        };
        let shipments: Vec<ShipmentId> = of_one.iter().map(|(_, shipment)| *shipment).collect();
        match refresh(tracking, account, shipments.clone()).await {
            Err(error) if !error.passes() => {}
            done => {
                done?;
                continue;
            }
        }
        for shipment in shipments {
            if let Err(error) = refresh(tracking, account, vec![shipment]).await {
                pass_over_record(&mut replay, &shipment, error)?;
            }
        }
    }
    replay.cursor = Some((account.0, last.0));
    keep(tracking, replay).await
}

async fn refresh(
    tracking: &Tracking,
    account: AccountId,
    shipments: Vec<ShipmentId>,
) -> Result<(), store::Error> {
    let (shared, now) = (tracking.clone(), tracking.now());
    let ids = id_source(now);
    let refresh = move |tx: &mut Tx| -> Result<_, store::Error> {
        let ids = &mut ids.clone();
        projection::refresh(tx, &shared, account, &shipments, ids, now)
    };
    let refreshing = tracking.store().write(Key::account(account), refresh);
    intake::finish(tracking, refreshing.await?).await;
    Ok(())
}

/// Passes over what cannot be brought up to date: it stays as it is, and the replay goes on to its end. Not where the
/// store is at fault, which would be at the next one too.
fn pass_over_record(
    replay: &mut Replay,
    record: &dyn std::fmt::Display,
    error: store::Error,
) -> Result<(), store::Error> {
    if error.passes() {
        return Err(error);
    }
    let stage = replay.stage.as_str();
    tracing::warn!(stage, %record, %error, "what was read again cannot be brought to a record; it stays as it is");
    replay.unshown += 1;
    Ok(())
}

/// Requests for which there is data now.
async fn show_waiting(tracking: &Tracking, replay: &mut Replay) -> Result<(), store::Error> {
    let store = tracking.store();
    let waiting = store
        .read(|tx| store::replay::waiting(tx, REQUESTS_MAX))
        .await?;
    for (account, request) in waiting {
        let (shared, now) = (tracking.clone(), tracking.now());
        let ids = id_source(now);
        let advance = move |tx: &mut Tx| -> Result<Rest, store::Error> {
            projection::advance(tx, &shared, account, request, &mut ids.clone(), now)
        };
        match store.write(Key::account(account), advance).await {
            Ok(rest) => intake::finish(tracking, rest).await,
            Err(error) => pass_over_record(replay, &request, error)?,
        }
    }
    Ok(())
}

async fn next(
    tracking: &Tracking,
    mut replay: Replay,
    stage: Stage,
) -> Result<Replay, store::Error> {
    replay.total = tracking
        .store()
        .read(move |tx| store::replay::count(tx, stage))
        .await?;
    (replay.stage, replay.cursor, replay.done) = (stage, None, 0);
    keep(tracking, replay).await
}

async fn keep(tracking: &Tracking, replay: Replay) -> Result<Replay, store::Error> {
    let kept = replay.clone();
    tracking
        .store()
        .write(Key::sightings(), move |tx| store::replay::keep(tx, &kept))
        .await?;
    Ok(replay)
}
