//! Everything that was kept, read again: when a parser, a profile or a rule has become better.
//!
//! A replay goes over all messages, then over the watches, then over the shipments ([`store::replay`] says what
//! each walk does). Where nothing became better it changes nothing and tells nothing; where something did, the
//! corrected state stands at the end, with the events that lead there. Each step is kept in the transaction of
//! its work, so a replay can be stopped at any moment and gone on with later. A service may run meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

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
use crate::intake::{self, Elsewhere, Parts, Piece, Reading, Recalls, Said, Turn};
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
/// How often the same is tried where the store ends the try though it is there: that took too long, or others were in the way.
const TRIES_MAX: u32 = 5;
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(200);

/// Who replays, and until when.
struct Driver<'r> {
    tracking: &'r Tracking,
    stop: &'r CancellationToken,
}

impl Driver<'_> {
    /// Tries again what may well succeed later, unless the store is away or nobody waits for it any more.
    async fn patiently<T>(
        &self,
        mut attempt: impl AsyncFnMut() -> Result<T, store::Error>,
    ) -> Result<T, store::Error> {
        let mut tries = 1;
        loop {
            match attempt().await {
                Err(error) if error.passes() && !self.ends_by(&error) && tries < TRIES_MAX => {
                    tracing::debug!(%error, tries, "a part of a replay is tried again");
                }
                ended => return ended,
            }
            tries += 1;
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = self.stop.cancelled() => {}
            }
        }
    }

    /// Whether nothing else is to be tried either: the store is away, or what might pass is not waited for any more.
    fn ends_by(&self, error: &store::Error) -> bool {
        error.is_away() || (error.passes() && self.stop.is_cancelled())
    }

    async fn read<T: Send + 'static>(
        &self,
        query: impl FnMut(&mut Tx) -> Result<T, store::Error> + Clone + Send + 'static,
    ) -> Result<T, store::Error> {
        let store = self.tracking.store();
        self.patiently(async || store.read(query.clone()).await)
            .await
    }

    async fn write<T: Send + 'static>(
        &self,
        key: Key,
        use_case: impl FnMut(&mut Tx) -> Result<T, store::Error> + Clone + Send + 'static,
    ) -> Result<T, store::Error> {
        let store = self.tracking.store();
        self.patiently(async || store.write(key.clone(), use_case.clone()).await)
            .await
    }

    /// How many records a stage has to do; 0 where the store does not count them in time, which is no reason not to begin.
    async fn count(&self, stage: Stage) -> Result<u64, store::Error> {
        let count = move |tx: &mut Tx| store::replay::count(tx, stage);
        match self.tracking.store().read(count).await {
            Err(error) if !self.ends_by(&error) => {
                let stage = stage.as_str();
                tracing::warn!(stage, %error, "what there is to do cannot be counted; how much is left is not told");
                Ok(0)
            }
            counted => counted,
        }
    }

    /// Passes over what cannot be brought up to date: it stays as it is, and the replay goes on to its end.
    fn pass_over(
        &self,
        replay: &mut Replay,
        record: &dyn Display,
        error: store::Error,
    ) -> Result<(), store::Error> {
        if self.ends_by(&error) {
            return Err(error);
        }
        let stage = replay.stage.as_str();
        tracing::warn!(stage, %record, %error, "what was read again cannot be brought to a record; it stays as it is");
        replay.unshown += 1;
        Ok(())
    }
}

/// Goes on with the replay that had not ended, or begins one; `anew` begins one in any case. Returns when it has
/// ended, or after the step in hand when told to stop, at once where that is only tried again; `tell` hears of each step.
pub async fn replay(
    tracking: &Tracking,
    anew: bool,
    stop: &CancellationToken,
    mut tell: impl FnMut(&Replay),
) -> Result<Replay, store::Error> {
    let driver = Driver { tracking, stop };
    let now = tracking.now();
    let by = tracking.whoever(now);
    let goes_on = !anew && driver.read(store::replay::open).await?.is_some();
    let total = if goes_on {
        0
    } else {
        driver.count(Stage::Reading).await?
    };
    let begin = move |tx: &mut Tx| {
        let (action, replay) = match store::replay::open(tx)? {
            Some(open) if !anew => (Action::ReplayResumed, open),
            _ => (Action::ReplayStarted, store::replay::begin(tx, now, total)?),
        };
        let detail = Detail::default()
            .with("stage", replay.stage.as_str())
            .with("done", replay.done)
            .with("total", replay.total);
        audit::note_for_all(tx, by, action, replay.number, detail);
        Ok::<_, store::Error>(replay)
    };
    let mut replay: Replay = driver.write(Key::sightings(), begin).await?;
    tell(&replay);
    while replay.ended_at.is_none() && !stop.is_cancelled() {
        let kept = replay.clone();
        let step = match replay.stage {
            Stage::Reading => read(&driver, replay).await,
            Stage::Settling => settle(&driver, replay).await,
            Stage::Showing => show(&driver, replay).await,
        };
        replay = match step {
            // The next run begins this step again.
            Err(error) if driver.ends_by(&error) && !error.is_away() => kept,
            step => step?,
        };
        tell(&replay);
    }
    Ok(replay)
}

/// One step of the first walk.
async fn read(driver: &Driver<'_>, mut replay: Replay) -> Result<Replay, store::Error> {
    let after = replay.cursor.map(|(_, id)| RawMessageId(id));
    let listed = driver
        .read(move |tx| store::replay::messages(tx, after, MESSAGES_MAX))
        .await?;
    if listed.is_empty() {
        let_go_recalls(driver, &mut replay).await?;
        return next(driver, replay, Stage::Settling).await;
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
    let is_long = step.len() == 1 && bytes > STEP_BYTES_MAX;
    if step.len() > 1 {
        let tracking = driver.tracking;
        match read_together(tracking, &replay, step.clone(), &mut touched).await {
            Ok(()) => step.clear(),
            Err(error) if driver.ends_by(&error) => return Err(error),
            // One of them may be at fault.
            Err(error) => {
                tracing::debug!(%error, messages = step.len(), "messages are read again one by one");
            }
        }
    }
    for message in step {
        read_alone(driver, &mut replay, message, is_long, &mut touched).await?;
    }
    keep(driver, replay).await
}

/// Watches under which something of a step was marked: what was found of a message that is passed over stands there.
type Touched = BTreeSet<WatchId>;

/// What takes events back and was not read again is handed to nobody any more.
async fn let_go_recalls(driver: &Driver<'_>, replay: &mut Replay) -> Result<(), store::Error> {
    let readable = driver.tracking.sources().map(|one| one.id().to_owned());
    let readable: Vec<String> = readable.collect();
    let mut next = Some(store::recall::RecallId::default());
    while let Some(after) = next {
        let (this, readable) = (replay.clone(), readable.clone());
        let let_go = move |tx: &mut Tx| {
            store::recall::let_go_unread(tx, &this, &readable, &after, RECALLS_MAX)
        };
        next = match driver.write(Key::dockets(), let_go).await {
            Ok(next) => next,
            Err(error) => {
                driver.pass_over(replay, &"what takes events back", error)?;
                None
            }
        };
    }
    Ok(())
}

/// Reads a message by itself, and passes over one that cannot be read: a replay is most wanted where there is such a one.
async fn read_alone(
    driver: &Driver<'_>,
    replay: &mut Replay,
    message: RawMessageId,
    is_long: bool,
    touched: &mut Touched,
) -> Result<(), store::Error> {
    let (tracking, this) = (driver.tracking, replay.clone());
    let read = driver.patiently(async || {
        if is_long {
            read_long(tracking, &this, message, touched).await
        } else {
            read_together(tracking, &this, vec![message], touched).await
        }
    });
    match read.await {
        Ok(()) => Ok(()),
        Err(error) if driver.ends_by(&error) => Err(error),
        Err(error) => pass_over(driver, replay, message, touched, &error).await,
    }
}

async fn pass_over(
    driver: &Driver<'_>,
    replay: &mut Replay,
    message: RawMessageId,
    touched: &Touched,
    error: &store::Error,
) -> Result<(), store::Error> {
    tracing::warn!(raw_message = %message, %error, "a message cannot be read again; what was read of it before stays");
    let (this, now) = (replay.clone(), driver.tracking.now());
    let reason = "it could not be read again; the log says why";
    let note = move |tx: &mut Tx| store::replay::pass_over(tx, &this, message, now, reason);
    // Without the note, what was read of it would go.
    driver.write(Key::dockets(), note).await?;
    replay.passed += 1;
    let touched: Vec<WatchId> = touched.iter().copied().collect();
    for some in touched.chunks(TAKEN_OUT_MAX) {
        let together = take_out(replay, message, some);
        let store = driver.tracking.store();
        match store.write(Key::dockets(), together).await {
            Ok(()) => continue,
            Err(error) if driver.ends_by(&error) => return Err(error),
            Err(error) => {
                tracing::debug!(%error, "half a message is taken out of one watch after the other");
            }
        }
        for watch in some {
            let alone = take_out(replay, message, &[*watch]);
            if let Err(error) = driver.write(Key::watch(*watch), alone).await {
                driver.pass_over(replay, watch, error)?;
            }
        }
    }
    Ok(())
}

/// Takes what was found in a message out of these watches.
fn take_out(
    replay: &Replay,
    message: RawMessageId,
    watches: &[WatchId],
) -> impl FnMut(&mut Tx) -> Result<(), store::Error> + Clone + Send + use<> {
    let (this, watches) = (replay.clone(), watches.to_vec());
    move |tx| store::replay::take_out(tx, &this, message, &watches)
}

/// The watch that asked for a message, or the account whose own it is; neither, where it is for everybody.
type Whose = (Option<WatchId>, Option<AccountId>);

/// What a message of theirs says, by whose it is: what is told of an account's box nobody has asked for.
fn by_whom(
    whose: Whose,
    told: vessels::Told,
) -> impl Iterator<Item = (Whose, Vec<(RawMessageId, Report)>)> {
    let told = told.into_iter();
    told.map(move |(account, said)| match whose {
        (asked, own) if own == account => ((asked, own), said),
        _ => ((None, account), said),
    })
}

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
                .with_stops(tracking, source, reports, &sightings, Turn::Again)
                .await?;
        }
        let reports = reports.into_iter().map(|report| (raw, report));
        said.entry(whose).or_default().extend(reports);
        readings.push(reading);
    }
    let mut told = Vec::with_capacity(said.len());
    for (whose, said) in said {
        let of_boxes = vessels::told_of_boxes(tracking, whose.1, said).await?;
        told.extend(by_whom(whose, of_boxes));
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
            .with_stops(tracking, source, reports, &sightings, Turn::Again)
            .await?;
        let said = reports.into_iter().map(|report| (id, report)).collect();
        let said = vessels::told_of_boxes(tracking, whose.1, said).await?;
        for (whose, said) in by_whom(whose, said) {
            for piece in intake::pieces(said.into_iter(), tracking.registry()) {
                mark_all(tracking, replay, vec![(whose, piece)], touched).await?;
            }
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
        let held = intake::Dockets::hold(tx, account, &named, ids, now)?;
        let dockets: BTreeMap<Number, WatchId> =
            named.into_iter().zip(held.to_file_under()).collect();
        if account.is_some() {
            // Who follows them is shown it in the end, and has to be led there.
            held.followers(tx)?;
        }
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
async fn settle(driver: &Driver<'_>, mut replay: Replay) -> Result<Replay, store::Error> {
    let after = replay.cursor.map(|(_, id)| WatchId(id));
    // A stop stands on sightings of other messages, which are not kept for good: it may not be found again.
    let sources = driver.tracking.sources();
    let readable = sources.filter(|source| source.positions().is_none());
    let readable: Vec<String> = readable.map(|source| source.id().to_owned()).collect();
    let watches = driver
        .read(move |tx| store::replay::watches(tx, after, WATCHES_MAX))
        .await?;
    let Some(last) = watches.last().copied() else {
        return next(driver, replay, Stage::Showing).await;
    };
    replay.done += watches.len() as u64;
    for watch in unsettled(driver, &replay, &readable, watches).await? {
        let (this, readable) = (replay.clone(), readable.clone());
        let settle = move |tx: &mut Tx| store::replay::settle(tx, &this, &readable, watch);
        match driver.write(Key::watch(watch), settle).await {
            Ok((gone, found)) => {
                replay.gone += gone;
                replay.found += found;
            }
            Err(error) => driver.pass_over(&mut replay, &watch, error)?,
        }
    }
    replay.cursor = Some((Uuid::nil(), last.0));
    keep(driver, replay).await
}

/// Which of these watches are to be settled; all, where the store cannot say it of all at once: one of them may be at fault.
async fn unsettled(
    driver: &Driver<'_>,
    replay: &Replay,
    readable: &[String],
    watches: Vec<WatchId>,
) -> Result<Vec<WatchId>, store::Error> {
    let (this, readable, asked) = (replay.clone(), readable.to_vec(), watches.clone());
    let ask = move |tx: &mut Tx| store::replay::unsettled(tx, &this, &readable, &asked);
    match driver.tracking.store().read(ask).await {
        Err(error) if !driver.ends_by(&error) => {
            tracing::debug!(%error, "watches are settled without being asked");
            Ok(watches)
        }
        asked => asked,
    }
}

/// One step of the third walk.
async fn show(driver: &Driver<'_>, mut replay: Replay) -> Result<Replay, store::Error> {
    let after = replay.cursor;
    let after = after.map(|(account, id)| (AccountId(account), ShipmentId(id)));
    let tracking = driver.tracking;
    let some = driver
        .read(move |tx| store::replay::shipments(tx, after, SHIPMENTS_MAX))
        .await?;
    let Some((account, last)) = some.last().copied() else {
        show_waiting(driver, &mut replay).await?;
        replay.ended_at = Some(tracking.now());
        return keep(driver, replay).await;
    };
    replay.done += some.len() as u64;
    for of_one in some.chunk_by(|(account, _), (next, _)| account == next) {
        let Some((account, _)) = of_one.first().copied() else {
            continue;
        };
        let shipments: Vec<ShipmentId> = of_one.iter().map(|(_, shipment)| *shipment).collect();
        match refresh(tracking, account, shipments.clone()).await {
            Ok(()) => continue,
            Err(error) if driver.ends_by(&error) => return Err(error),
            // One of them may be at fault.
            Err(error) => {
                tracing::debug!(%account, %error, "shipments are shown one by one");
            }
        }
        for shipment in shipments {
            let alone = driver
                .patiently(async || refresh(tracking, account, vec![shipment]).await)
                .await;
            if let Err(error) = alone {
                driver.pass_over(&mut replay, &shipment, error)?;
            }
        }
    }
    replay.cursor = Some((account.0, last.0));
    keep(driver, replay).await
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

/// Requests for which there is data now.
async fn show_waiting(driver: &Driver<'_>, replay: &mut Replay) -> Result<(), store::Error> {
    let tracking = driver.tracking;
    let waiting = match driver
        .read(|tx| store::replay::waiting(tx, REQUESTS_MAX))
        .await
    {
        Ok(waiting) => waiting,
        Err(error) => return driver.pass_over(replay, &"requests that wait", error),
    };
    for (account, request) in waiting {
        let (shared, now) = (tracking.clone(), tracking.now());
        let ids = id_source(now);
        let advance = move |tx: &mut Tx| -> Result<Rest, store::Error> {
            projection::advance(tx, &shared, account, request, &mut ids.clone(), now)
        };
        match driver.write(Key::account(account), advance).await {
            Ok(rest) => intake::finish(tracking, rest).await,
            Err(error) => driver.pass_over(replay, &request, error)?,
        }
    }
    Ok(())
}

async fn next(
    driver: &Driver<'_>,
    mut replay: Replay,
    stage: Stage,
) -> Result<Replay, store::Error> {
    replay.total = driver.count(stage).await?;
    (replay.stage, replay.cursor, replay.done) = (stage, None, 0);
    keep(driver, replay).await
}

async fn keep(driver: &Driver<'_>, replay: Replay) -> Result<Replay, store::Error> {
    let kept = replay.clone();
    driver
        .write(Key::sightings(), move |tx| store::replay::keep(tx, &kept))
        .await?;
    Ok(replay)
}
