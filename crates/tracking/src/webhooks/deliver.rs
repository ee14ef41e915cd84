//! Delivering: claim, send, record.
//!
//! One loop holds the [`desk`](super::desk), which says who may have how many attempts under way. Claims, attempts
//! and results run beside each other: while one claim is being committed, attempts end, their places are taken by
//! what was claimed before, and results are gathered into the next transaction. A claim also renders and stores
//! the bodies of first tries, so that nothing is sent that is not kept. What comes by [`express`](super::express) was
//! claimed and rendered as it was written. Order is the store's business: a delivery is not claimable while an earlier
//! one of its endpoint and container is open.
//!
//! While something is in hand the loop waits for nothing but the next thing to happen: what asks the store, to prolong
//! leases or to look at webhooks, goes on beside it. Results are kept until they are written: from the moment in which that
//! cannot be done until the last of them is, nothing is claimed, and nothing begins that could not be noted. The leases of
//! what has ended run out meanwhile, and a claim would take it up to send it again.

use std::collections::{HashMap, HashSet};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use domain::ids::{NotificationId, WebhookId};
use domain::webhook::{AttemptEnd, Verdict, is_refusal, is_success, tells_of_receiver, verdict};
use http::{HeaderMap, Request};
use http_body_util::Full;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use sources::outbound::{self, Answer, OutboundError, Unfinished};
use store::Key;
use store::delivery::{Attempt, Claim, Claimed, Outcome, Room, Settled};
use store::webhook::Webhook;
use tokio::sync::mpsc;
use tokio::task::{self, JoinError, JoinSet};
use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::body::RENDERED_BYTES_MAX;
use super::desk::{self, Desk, Ending, UNDER_WAY_MAX};
use super::secrets::{self, Keyring};
use super::send::{SENDER, post, put, readable};
use super::unreadable::{Picked, put_off_claimed, put_off_unreadable};
use super::{body, sign, subscription};
use crate::clock::WAIT_MAX;
use crate::{Tracking, VaultError};

/// Deliveries claimed, and results written, in one transaction.
const BATCH_MAX: usize = 128;
/// This many results at once are a sign of load.
const RESULTS_OF_LOAD: usize = 4;
/// How long results are gathered under load.
const RESULTS_WAIT: Duration = Duration::from_millis(10);
/// Wait after a claim that failed, and after the first try to write results that did; the longest after more of those.
const AFTER_FAILURE: Duration = Duration::from_millis(200);
const AFTER_FAILURES_MAX: Duration = Duration::from_secs(5);
/// Results that take longer to be written count as unwritten meanwhile: whoever hears nothing gets no error either.
const LONG: Duration = Duration::from_secs(1);
/// Tries to write results after a stop. What is not written then is sent again when its lease has run out.
const TRIES_AFTER_STOP: u32 = 4;
/// Time between two claims at most, while something is in hand.
const BUSY_WAIT: Duration = Duration::from_millis(250);
/// Time between two looks at the webhooks of what waits: another node may have changed them.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Time between two looks for attempts that linger.
const EASE_EVERY: Duration = Duration::from_millis(250);
/// Bytes kept of an answer, for people to look at.
pub(super) const ANSWER_BYTES_KEPT_MAX: usize = 2_048;

/// What is said of an answer of more bytes than are read.
pub(super) const TOO_LONG: &str = "answer_too_long";

/// Counts results that were dropped because the claim they were made with is no longer the latest, or the delivery is gone.
pub const RESULTS_DROPPED: &str = "quayside_delivery_results_dropped_total";

/// Delivers all that is due at this moment, and what becomes due by that, until nothing is. Returns how many
/// attempts were made.
pub(crate) async fn drain(tracking: &Tracking, owner: Uuid) -> Result<usize, store::Error> {
    let mut made = 0;
    loop {
        let room = Room::anywhere(BATCH_MAX);
        let claimed = claim(tracking, owner, room, Arc::default()).await?;
        let Brought { claimed, .. } = claimed.unwrap_or_default();
        if claimed.is_empty() {
            return Ok(made);
        }
        made += claimed.len();
        let mut attempts = JoinSet::new();
        for delivery in claimed {
            attempts.spawn(attempt(tracking.clone(), delivery));
        }
        let outcomes = attempts.join_all().await.into_iter().flatten();
        record(tracking, &Arc::new(outcomes.collect())).await?;
    }
}

/// Delivers until told to stop; then gives back what waits and finishes the attempts that have begun.
pub(crate) async fn run(tracking: Tracking, owner: Uuid, stop: CancellationToken) {
    let (done, results) = mpsc::channel(UNDER_WAY_MAX);
    let unwritten = Arc::new(AtomicBool::new(false));
    let recorder = Recorder {
        tracking: tracking.clone(),
        unwritten: Arc::clone(&unwritten),
        stop: stop.clone(),
    };
    let recorder = tokio::spawn(recorder.record_all(results));
    tracking.express().open(owner);
    let every = tracking.lease_renewal();
    let mut sender = Sender {
        tracking,
        owner,
        attempts: JoinSet::new(),
        attempted: HashMap::new(),
        beside: JoinSet::new(),
        asking: Asking::default(),
        renewal: tokio::time::interval_at(tokio::time::Instant::now() + every, every),
        done,
        unwritten,
        hungry: true,
        looked_at: Instant::now(),
    };
    sender.run(&stop).await;
    sender.finish().await;
    if recorder.await.is_err() {
        tracing::error!(
            "the recorder of deliveries ended early; their leases will bring them back"
        );
    }
}

/// The loop's hands.
struct Sender {
    tracking: Tracking,
    owner: Uuid,
    attempts: JoinSet<Ending>,
    /// Which delivery each of them attempts.
    attempted: HashMap<task::Id, NotificationId>,
    /// What asks the store meanwhile.
    beside: JoinSet<Beside>,
    asking: Asking,
    /// When what is in hand is to be prolonged.
    renewal: Interval,
    done: mpsc::Sender<Outcome>,
    /// Whether there are results that the store has not taken.
    unwritten: Arc<AtomicBool>,
    /// Whether a claim may find something.
    hungry: bool,
    /// When a claim was last thought of.
    looked_at: Instant,
}

/// What is being asked of the store beside the loop.
#[derive(Default)]
struct Asking {
    /// That claims be prolonged.
    renews: bool,
    /// What webhooks are now.
    looks: bool,
    /// Whether something was halted since that was asked.
    looks_again: bool,
}

/// What was asked of the store beside the loop, and what it said.
enum Beside {
    /// These claims are to be prolonged: those that were, until then.
    Renewed(
        Vec<Claim>,
        Result<(Vec<NotificationId>, Timestamp), store::Error>,
    ),
    /// These webhooks were looked at: those that are active.
    Looked(Vec<WebhookId>, Result<Vec<Webhook>, store::Error>),
    Released,
}

/// A claim under way.
type Claiming = Pin<Box<dyn Future<Output = Option<(Room, Brought)>> + Send>>;

/// What a claim brought.
#[derive(Default)]
struct Brought {
    claimed: Vec<Claimed>,
    /// Whose deliveries it gave back, since their bodies would have been too long together.
    left_behind: Vec<WebhookId>,
}

impl Sender {
    async fn run(&mut self, stop: &CancellationToken) {
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut ease = tokio::time::interval(EASE_EVERY);
        ease.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut claiming: Option<Claiming> = None;
        while !stop.is_cancelled() {
            self.start_attempts();
            // A claim now would find what is in hand here.
            let is_overdue = self.at_desk(|desk| desk.is_overdue(self.tracking.now()));
            if is_overdue {
                self.renew();
            } else if self.hungry && claiming.is_none() {
                self.hungry = false;
                self.looked_at = Instant::now();
                claiming = self.claim();
            }
            let pause = if claiming.is_some() {
                WAIT_MAX
            } else if is_overdue {
                BUSY_WAIT
            } else {
                self.pause().await
            };
            let is_idle = self.at_desk(|desk| desk.is_idle());
            tokio::select! {
                Some(ended) = self.attempts.join_next_with_id() => self.ended(ended),
                Some(answer) = self.beside.join_next() => self.hear(answer),
                claimed = arrival(&mut claiming) => {
                    claiming = None;
                    self.take_in(claimed);
                }
                () = self.tracking.nudges().deliver_nudged() => self.hungry = true,
                () = self.tracking.express().filled() => {}
                () = tokio::time::sleep(pause) => self.hungry = true,
                _ = self.renewal.tick() => self.renew(),
                _ = look.tick(), if !is_idle => self.look(),
                _ = ease.tick(), if !is_idle => self.ease(),
                () = self.tracking.express().doubted() => self.look(),
                () = stop.cancelled() => {}
            }
        }
        // What the last claim brings is given back with the rest.
        if let Some(claiming) = claiming {
            let brought = claiming.await.map(|(_, brought)| brought);
            self.at_desk(|desk| desk.take_in(brought.unwrap_or_default().claimed));
        }
    }

    fn at_desk<T>(&self, what: impl FnOnce(&mut Desk) -> T) -> T {
        self.tracking.express().at_desk(what)
    }

    fn start_attempts(&mut self) {
        // What waits stays in hand, where its lease is renewed; what has ended is not.
        if self.has_unwritten() {
            return;
        }
        while let Some(delivery) = self.at_desk(|desk| desk.next(self.tracking.now())) {
            let (tracking, done) = (self.tracking.clone(), self.done.clone());
            let id = delivery.notification.id;
            let handle = self.attempts.spawn(async move {
                let Some(outcome) = attempt(tracking.clone(), delivery).await else {
                    return Ending::Refused;
                };
                let ending = ending_of(&outcome, tracking.attempt_limits());
                if outcome.verdict == Verdict::Gone {
                    // Before the recorder hears of it, who halts the webhook when it is written.
                    let webhook = outcome.webhook;
                    tracking.express().at_desk(|desk| desk.gone(webhook));
                }
                // The recorder outlives every attempt; a closed channel means that it panicked, and then
                // the lease brings the delivery back.
                let _ = done.send(outcome).await;
                ending
            });
            self.attempted.insert(handle.id(), id);
        }
    }

    /// Whether results of earlier attempts have to be written first.
    fn has_unwritten(&self) -> bool {
        self.unwritten.load(Ordering::Relaxed)
    }

    fn ended(&mut self, ended: Result<(task::Id, Ending), JoinError>) {
        let (task, ending) = ended.unwrap_or_else(|error| {
            tracing::error!(%error, "an attempt did not end; its lease brings it back");
            (error.id(), Ending::Refused)
        });
        if let Some(id) = self.attempted.remove(&task) {
            self.hungry |= self.at_desk(|desk| desk.ended(id, ending));
        }
    }

    /// A claim of what there is room for; `None` when there is no room at all.
    fn claim(&self) -> Option<Claiming> {
        if self.has_unwritten() {
            return None;
        }
        let mut room = self.at_desk(Desk::begin_claim);
        if room.all == 0 {
            return None;
        }
        room.all = room.all.min(BATCH_MAX);
        let (tracking, owner) = (self.tracking.clone(), self.owner);
        let unwritten = Arc::clone(&self.unwritten);
        Some(Box::pin(async move {
            match claim(&tracking, owner, room.clone(), unwritten).await {
                Ok(brought) => brought.map(|brought| (room, brought)),
                Err(error) => {
                    tracing::warn!(%error, "deliveries cannot be claimed");
                    // Here, where nobody else waits for it.
                    tokio::time::sleep(AFTER_FAILURE).await;
                    None
                }
            }
        }))
    }

    fn take_in(&mut self, brought: Option<(Room, Brought)>) {
        let Some((room, brought)) = brought else {
            self.hungry = true;
            return;
        };
        self.hungry |= !brought.claimed.is_empty();
        let is_halted = self.at_desk(|desk| {
            desk.claimed(&room, &brought.claimed);
            desk.left_behind(brought.left_behind.into_iter());
            desk.take_in(brought.claimed);
            desk.is_halted()
        });
        if is_halted {
            self.look();
        }
    }

    /// How long to wait before the next claim when nothing else asks for one. What becomes due meanwhile, a retry or what
    /// another node let go, is told by nobody; so whatever else happens does not put it off.
    async fn pause(&self) -> Duration {
        if self.has_unwritten() {
            // The recorder tells when it has written all.
            return WAIT_MAX;
        }
        if !self.at_desk(|desk| desk.is_idle()) {
            return BUSY_WAIT.saturating_sub(self.looked_at.elapsed());
        }
        let next = self.tracking.store().read(store::delivery::next_due).await;
        let next = next.ok().flatten();
        let wait = next.map_or(WAIT_MAX, |at| self.tracking.clock().real_wait(at));
        wait.clamp(Duration::from_millis(5), WAIT_MAX)
    }

    /// Prolongs what is in hand.
    fn renew(&mut self) {
        let claims = self.at_desk(|desk| desk.claims());
        if claims.is_empty() || self.asking.renews {
            return;
        }
        self.asking.renews = true;
        let (shared, asked) = (self.tracking.clone(), claims.clone());
        let (tracking, key) = (self.tracking.clone(), self.key());
        self.beside.spawn(async move {
            let renew = move |tx: &mut store::Tx| {
                // Of the moment in which it is written, however long it had to wait for that.
                let until = shared.now() + shared.delivery_lease();
                Ok((store::delivery::renew(tx, &claims, until)?, until))
            };
            let renewed = tracking.store().write(key, renew).await;
            if renewed.is_err() {
                // Here, where nobody else waits for it: what is overdue is asked for again at once.
                tokio::time::sleep(AFTER_FAILURE).await;
            }
            Beside::Renewed(asked, renewed)
        });
    }

    /// Looks whether webhooks are what they were when what waits for them was claimed.
    fn look(&mut self) {
        if self.asking.looks {
            self.asking.looks_again = true;
            return;
        }
        self.asking.looks_again = false;
        let doubted = self.at_desk(Desk::doubted);
        if doubted.is_empty() {
            return;
        }
        self.asking.looks = true;
        let (tracking, asked) = (self.tracking.clone(), doubted.clone());
        self.beside.spawn(async move {
            let look = move |tx: &mut store::Tx| store::webhook::active_among(tx, &asked);
            Beside::Looked(doubted, tracking.store().glance(look).await)
        });
    }

    /// Gives back what waits for receivers that linger.
    fn ease(&mut self) {
        let eased = self.at_desk(|desk| desk.ease(self.tracking.now()));
        self.let_go(eased);
    }

    /// There is room for others now.
    fn let_go(&mut self, claims: Vec<Claim>) {
        if claims.is_empty() {
            return;
        }
        self.hungry = true;
        let (tracking, key) = (self.tracking.clone(), self.key());
        self.beside.spawn(async move {
            release(tracking, key, claims).await;
            Beside::Released
        });
    }

    /// What was asked of the store beside the loop is answered.
    fn hear(&mut self, answer: Result<Beside, JoinError>) {
        match answer {
            Ok(Beside::Renewed(asked, renewed)) => {
                self.asking.renews = false;
                match renewed {
                    Ok((held, until)) => {
                        let held: HashSet<NotificationId> = held.into_iter().collect();
                        self.at_desk(|desk| desk.renewed(&asked, &held, until));
                    }
                    Err(error) => tracing::warn!(%error, "claims could not be prolonged"),
                }
            }
            Ok(Beside::Looked(doubted, looked)) => {
                self.asking.looks = false;
                match looked {
                    Ok(active) => {
                        let recalled = self.at_desk(|desk| desk.recall(&doubted, &active));
                        self.let_go(recalled);
                    }
                    Err(error) => {
                        tracing::warn!(%error, "webhooks of what waits cannot be looked at; the next look is in a second");
                    }
                }
                if self.asking.looks_again {
                    self.look();
                }
            }
            Ok(Beside::Released) => {}
            Err(error) => {
                tracing::error!(%error, "a question to the store did not end; it is asked again");
                self.asking = Asking::default();
            }
        }
    }

    fn key(&self) -> Key {
        Key::webhook(WebhookId(self.owner))
    }

    /// What has begun is finished, and its leases are renewed until then: another node would send it once more beside it.
    async fn finish(mut self) {
        self.tracking.express().close();
        let claims = self.at_desk(Desk::give_back);
        self.let_go(claims);
        while !self.attempts.is_empty() {
            tokio::select! {
                Some(ended) = self.attempts.join_next_with_id() => self.ended(ended),
                Some(answer) = self.beside.join_next() => self.hear(answer),
                _ = self.renewal.tick() => self.renew(),
            }
        }
        while self.beside.join_next().await.is_some() {}
    }
}

/// What is given back is due at once, for whoever claims it.
async fn release(tracking: Tracking, key: Key, claims: Vec<Claim>) {
    let shared = tracking.clone();
    let release = move |tx: &mut store::Tx| store::delivery::release(tx, &claims, shared.now());
    let released: Result<usize, store::Error> = tracking.store().write(key, release).await;
    if let Err(error) = released {
        tracing::warn!(%error, "claims could not be given back; they run out by themselves");
    }
}

/// The end of a claim; never, when none is under way.
async fn arrival(claiming: &mut Option<Claiming>) -> Option<(Room, Brought)> {
    match claiming {
        Some(claiming) => claiming.await,
        None => std::future::pending().await,
    }
}

/// Claims what is due; `None`: not while results are `unwritten`. What cannot be read is put off, and the rest claimed
/// without it.
async fn claim(
    tracking: &Tracking,
    owner: Uuid,
    room: Room,
    unwritten: Arc<AtomicBool>,
) -> Result<Option<Brought>, store::Error> {
    let due = Picked::default();
    let claimed = claim_all(tracking, owner, &room, &unwritten, &due).await;
    match claimed {
        Err(error) if !error.passes() && put_off_unreadable(tracking, &due).await > 0 => {
            claim_all(tracking, owner, &room, &unwritten, &due).await
        }
        claimed => claimed,
    }
}

async fn claim_all(
    tracking: &Tracking,
    owner: Uuid,
    room: &Room,
    unwritten: &Arc<AtomicBool>,
    due: &Picked,
) -> Result<Option<Brought>, store::Error> {
    let (shared, room, due) = (tracking.clone(), room.clone(), due.clone());
    let (lease, unwritten) = (tracking.delivery_lease(), Arc::clone(unwritten));
    tracking
        .store()
        .write(Key::webhook(WebhookId(owner)), move |tx| {
            // It may have waited since before that was so, and longer than a lease.
            if unwritten.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let (now, room) = (shared.now(), room.clone());
            let ids = store::delivery::claim_due(tx, now, now + lease, owner, room)?;
            due.are(&ids);
            let mut claimed = store::delivery::claimed(tx, &ids)?;
            let documents = body::Documents::default();
            let left = body::complete(tx, &shared, &mut claimed, documents, RENDERED_BYTES_MAX)?;
            body::leave_long(&mut claimed);
            let claims: Vec<Claim> = left.iter().map(desk::claim_of).collect();
            store::delivery::release(tx, &claims, now)?;
            Ok(Some(Brought {
                claimed,
                left_behind: left.iter().map(|one| one.notification.webhook).collect(),
            }))
        })
        .await
}

/// Writes results as they come, many at once.
struct Recorder {
    tracking: Tracking,
    /// Whether there are results that the store has not taken.
    unwritten: Arc<AtomicBool>,
    stop: CancellationToken,
}

impl Recorder {
    async fn record_all(self, mut results: mpsc::Receiver<Outcome>) {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        while results.recv_many(&mut batch, BATCH_MAX).await > 0 {
            gather_results(&mut results, &mut batch).await;
            let outcomes = std::mem::take(&mut batch);
            let gone = outcomes.iter().filter(|one| one.verdict == Verdict::Gone);
            let gone: Vec<WebhookId> = gone.map(|one| one.webhook).collect();
            let is_more_due = self.record_each(outcomes).await;
            for webhook in gone {
                self.tracking.express().halt(webhook);
            }
            if is_more_due {
                self.tracking.nudges().deliver();
            }
            // Those that came meanwhile are to be written before a claim finds them.
            if results.is_empty() && self.unwritten.swap(false, Ordering::Relaxed) {
                self.tracking.nudges().deliver();
            }
        }
    }

    /// Writes results together, and one by one where all of them together cannot be, so that one that cannot be written costs
    /// no other. Whether something has become due by it.
    async fn record_each(&self, mut outcomes: Vec<Outcome>) -> bool {
        begun_by(self.tracking.now(), &mut outcomes);
        let outcomes = Arc::new(outcomes);
        let together = self.record_at_last(&outcomes).await;
        let error = match together {
            Ok(settled) => return settled.more,
            Err(error) if error.passes() || outcomes.len() == 1 => {
                unwritten_results(&error, &outcomes);
                return false;
            }
            Err(error) => error,
        };
        tracing::warn!(%error, results = outcomes.len(), "results of deliveries are written one by one");
        let mut more = false;
        for outcome in outcomes.iter() {
            let alone = Arc::new(vec![outcome.clone()]);
            match self.record_at_last(&alone).await {
                Ok(settled) => more |= settled.more,
                Err(error) => unwritten_results(&error, &alone),
            }
        }
        more
    }

    /// Writes results, again and again while the store is in trouble: who has accepted a delivery is not to get it again
    /// for that. A result that was written, and of which that is not known, is written under its claim once.
    async fn record_at_last(&self, outcomes: &Arc<Vec<Outcome>>) -> Result<Settled, store::Error> {
        let (mut wait, mut after_stop) = (AFTER_FAILURE, 0);
        loop {
            let mut recording = pin!(record(&self.tracking, outcomes));
            let soon = tokio::time::timeout(LONG, &mut recording).await;
            let recorded = if let Ok(recorded) = soon {
                recorded
            } else {
                self.unwritten.store(true, Ordering::Relaxed);
                recording.await
            };
            let error = match recorded {
                Err(error) if error.passes() && after_stop < TRIES_AFTER_STOP => error,
                ended => return ended,
            };
            self.unwritten.store(true, Ordering::Relaxed);
            tracing::warn!(%error, results = outcomes.len(), "results of deliveries cannot be written yet");
            after_stop += u32::from(self.stop.is_cancelled());
            tokio::time::sleep(wait).await;
            wait = (2 * wait).min(AFTER_FAILURES_MAX);
        }
    }
}

/// Nothing has begun later than now. What follows is due from the beginning of an attempt, and by one that began before the clock was set
/// back the next in its line would wait for the time that the clock has lost.
fn begun_by(now: Timestamp, outcomes: &mut [Outcome]) {
    for outcome in outcomes {
        outcome.attempt.started_at = outcome.attempt.started_at.min(now);
    }
}

/// Nothing is lost: the leases run out and the same bytes are sent again.
fn unwritten_results(error: &store::Error, outcomes: &[Outcome]) {
    let first = outcomes.first().map(|one| one.notification.to_string());
    let (results, first) = (outcomes.len(), first.unwrap_or_default());
    tracing::error!(%error, results, first, "results of deliveries could not be written");
}

/// Under load the next results are a moment away, and a transaction of many costs little more than one of a
/// few. A lone result is written at once.
async fn gather_results(results: &mut mpsc::Receiver<Outcome>, batch: &mut Vec<Outcome>) {
    if (RESULTS_OF_LOAD..BATCH_MAX).contains(&batch.len()) {
        tokio::time::sleep(RESULTS_WAIT).await;
        while batch.len() < BATCH_MAX {
            let Ok(outcome) = results.try_recv() else {
                break;
            };
            batch.push(outcome);
        }
    }
}

async fn record(
    tracking: &Tracking,
    outcomes: &Arc<Vec<Outcome>>,
) -> Result<Settled, store::Error> {
    let Some(first) = outcomes.first() else {
        return Ok(Settled::default());
    };
    let (key, made) = (
        Key::webhook(WebhookId(first.notification.0)),
        outcomes.len(),
    );
    let shared = Arc::clone(outcomes);
    let settled = tracking
        .store()
        .write(key, move |tx| store::delivery::settle(tx, &shared))
        .await?;
    let dropped = made.saturating_sub(settled.counted);
    metrics::counter!(RESULTS_DROPPED).increment(u64::try_from(dropped).unwrap_or(u64::MAX));
    tracing::debug!(
        written = settled.counted,
        dropped,
        "results of deliveries written"
    );
    for one in &settled.disabled {
        tracking.express().halt(one.webhook);
    }
    warn_of_disabled(&settled);
    Ok(settled)
}

/// Warns of webhooks that settling has switched off.
pub(super) fn warn_of_disabled(settled: &Settled) {
    for one in &settled.disabled {
        let (webhook, account, reason) = (one.webhook, one.account, &one.reason);
        tracing::warn!(%webhook, %account, reason, "a webhook is switched off; what is open for it is held");
    }
}

/// One attempt. Never fails: whatever happens is its outcome. `None`: none was made, since there is nothing to send any more or
/// it cannot be read.
async fn attempt(tracking: Tracking, mut delivery: Claimed) -> Option<Outcome> {
    let text = body_of(&tracking, &mut delivery).await?;
    let started_at = tracking.now();
    let began = Instant::now();
    let sent = match request(&tracking, &delivery, started_at, text) {
        Ok(request) => tracking
            .outbound()
            .attempt(request, tracking.attempt_limits())
            .await
            .map_err(Unsent::Network),
        Err(unsent) => {
            if let Unsent::Unsigned(error) = &unsent {
                let (webhook, account) = (delivery.notification.webhook, delivery.account);
                tracing::error!(%webhook, %account, error, "a delivery cannot be signed; it is kept and tried again");
            }
            Err(unsent)
        }
    };
    let end = end_of(&sent, tracking.now());
    let refusals = refusals_in_a_row(delivery.refusals_in_a_row, &end);
    let jitter = jitter(&delivery);
    let number = delivery.attempts_before + delivery.attempt;
    Some(Outcome {
        notification: delivery.notification.id,
        claim_token: delivery.claim_token,
        webhook: delivery.notification.webhook,
        url: delivery.url,
        verdict: verdict(delivery.attempt, refusals, &end, jitter, tracking.now()),
        refusals_in_a_row: refusals,
        tells_of_receiver: tells_of_receiver(&end),
        attempt: seen(&sent, number, started_at, began.elapsed()),
    })
}

/// What is to be sent; a long body waited in the store. One that cannot be read now is given back, one that is damaged put off.
async fn body_of(tracking: &Tracking, delivery: &mut Claimed) -> Option<String> {
    if let Some(text) = delivery.body.take() {
        return Some(text);
    }
    let id = delivery.notification.id;
    let read = move |tx: &mut store::Tx| store::delivery::body(tx, id);
    match tracking.store().read(read).await {
        Ok(body) => body,
        Err(error) if error.passes() => {
            tracing::warn!(notification = %id, %error, "the body of a delivery could not be read; it is given back");
            tokio::time::sleep(AFTER_FAILURE).await;
            let (key, claim) = (Key::webhook(WebhookId(id.0)), desk::claim_of(delivery));
            release(tracking.clone(), key, vec![claim]).await;
            None
        }
        Err(error) => {
            put_off_claimed(tracking, desk::claim_of(delivery), &error).await;
            None
        }
    }
}

/// Why no whole answer came back.
enum Unsent {
    /// The secret or a header does not open. That is no fault of the receiver; an operator has to look.
    Unsigned(String),
    /// The address is none.
    Unaddressed(String),
    Network(Unfinished),
}

fn request(
    tracking: &Tracking,
    delivery: &Claimed,
    at: Timestamp,
    text: String,
) -> Result<Request<Full<Bytes>>, Unsent> {
    let headers = headers(tracking, delivery, at, &text);
    let headers = headers.map_err(|error| Unsent::Unsigned(error.to_string()))?;
    post(&delivery.url, headers, text)
        .map_err(|_| Unsent::Unaddressed("the url cannot be read".to_owned()))
}

/// The headers of an attempt at this time, signatures among them.
pub(super) fn headers(
    tracking: &Tracking,
    delivery: &Claimed,
    at: Timestamp,
    text: &str,
) -> Result<HeaderMap, VaultError> {
    let about = &delivery.notification;
    let vault = tracking.vault();
    let keyring = secrets::keyring(
        vault,
        (delivery.account, about.webhook),
        &delivery.secret,
        delivery.retired.as_ref(),
        at,
    )?;
    let extra =
        subscription::open_headers(vault, delivery.account, about.webhook, &delivery.headers)?;
    let mut headers = HeaderMap::new();
    for (name, value) in &extra {
        put(&mut headers, name, value);
    }
    put(&mut headers, "content-type", "application/json");
    put(&mut headers, "user-agent", SENDER);
    put(&mut headers, "webhook-id", &body::id_text(about.id));
    put(
        &mut headers,
        "webhook-timestamp",
        &at.as_second().to_string(),
    );
    sign_with(&keyring, &mut headers, about.id, at, text.as_bytes());
    Ok(headers)
}

/// Every secret that is alive signs; the present one first.
fn sign_with(
    keyring: &Keyring,
    headers: &mut HeaderMap,
    id: NotificationId,
    at: Timestamp,
    body: &[u8],
) {
    let present = sign::reference(&keyring.present, body);
    put(headers, sign::REFERENCE_HEADER, &present);
    if !keyring.retired.is_empty() {
        let retired = keyring.retired.iter();
        let retired: Vec<String> = retired
            .map(|secret| sign::reference(secret, body))
            .collect();
        put(headers, sign::PREVIOUS_HEADER, &retired.join(" "));
    }
    let standard: Vec<String> = keyring
        .all()
        .map(|secret| sign::standard(secret, id, at, body))
        .collect();
    put(headers, "webhook-signature", &standard.join(" "));
}

/// What the desk makes of an outcome. Where an attempt has less time than makes a receiver sluggish, one that took it all was
/// silent.
fn ending_of(outcome: &Outcome, limits: outbound::Limits) -> Ending {
    let took = Duration::from_millis(u64::from(outcome.attempt.duration_ms));
    match outcome.verdict {
        Verdict::Succeeded => Ending::Accepted(took),
        _ if took >= desk::SLUGGISH.min(limits.whole) => Ending::Silent,
        _ => Ending::Refused,
    }
}

/// An answer that did not end counts for nothing, be its status 200 or 410: who gave it may not have finished.
fn end_of(sent: &Result<Answer, Unsent>, now: Timestamp) -> AttemptEnd {
    let unfinished = match sent {
        Ok(answer) if is_too_long(answer) => return AttemptEnd::TooLong,
        Ok(answer) => {
            return AttemptEnd::Answered {
                status: answer.status.as_u16(),
                retry_after: retry_after(&answer.headers, now),
            };
        }
        Err(Unsent::Unsigned(_)) => return AttemptEnd::Withheld,
        Err(Unsent::Unaddressed(_)) => return AttemptEnd::Unreachable,
        Err(Unsent::Network(unfinished)) => unfinished,
    };
    match &unfinished.error {
        OutboundError::Timeout(_) => AttemptEnd::TimedOut,
        OutboundError::BlockedAddress | OutboundError::BlockedPort(_) => AttemptEnd::Blocked,
        OutboundError::Proxy(failure) if !failure.is_of_target() => AttemptEnd::Withheld,
        _ => AttemptEnd::Unreachable,
    }
}

/// Whether a status that would have been a success was followed by more than is read. Whoever answers without end
/// has not understood what it was sent.
pub(super) fn is_too_long(answer: &Answer) -> bool {
    answer.truncated && is_success(answer.status.as_u16())
}

fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<SignedDuration> {
    let text = headers.get(http::header::RETRY_AFTER)?.to_str().ok()?;
    outbound::retry_after(text, now)
}

fn refusals_in_a_row(before: u32, end: &AttemptEnd) -> u32 {
    if is_refusal(end) { before + 1 } else { 0 }
}

/// 0.8 to 1.2, from the delivery and the attempt: spread over receivers, repeatable in a simulation.
fn jitter(delivery: &Claimed) -> f64 {
    let digest = Sha256::new()
        .chain_update(delivery.notification.id.0.as_bytes())
        .chain_update(delivery.attempt.to_be_bytes())
        .finalize();
    0.8 + f64::from(digest.first().copied().unwrap_or_default()) / 255.0 * 0.4
}

fn seen(
    sent: &Result<Answer, Unsent>,
    number: u32,
    started_at: Timestamp,
    took: Duration,
) -> Attempt {
    let (answer, reason) = match sent {
        Ok(answer) => (
            Some(answer),
            is_too_long(answer).then(|| TOO_LONG.to_owned()),
        ),
        Err(Unsent::Unsigned(reason) | Unsent::Unaddressed(reason)) => (None, Some(reason.clone())),
        Err(Unsent::Network(unfinished)) => (
            unfinished.begun.as_deref(),
            Some(unfinished.error.code().to_owned()),
        ),
    };
    let headers = answer.map(|answer| header_text(&answer.headers));
    let body = answer.map(|answer| readable(&answer.body, ANSWER_BYTES_KEPT_MAX));
    Attempt {
        number,
        started_at,
        duration_ms: u32::try_from(took.as_millis()).unwrap_or(u32::MAX),
        status: answer.map(|answer| answer.status.as_u16()),
        reason,
        response_headers: headers.unwrap_or_default(),
        response_body: body.unwrap_or_default(),
    }
}

fn header_text(headers: &HeaderMap) -> String {
    let lines = headers.iter().map(|(name, value)| {
        let value = readable(value.as_bytes(), ANSWER_BYTES_KEPT_MAX);
        format!("{name}: {value}\n")
    });
    readable(lines.collect::<String>().as_bytes(), ANSWER_BYTES_KEPT_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_kept_of_an_answer_are_within_their_bytes() {
        let mut headers = HeaderMap::new();
        let value = http::HeaderValue::from_bytes(&[0xff; 682]).unwrap();
        for name in ["x-a", "x-b", "x-c"] {
            headers.insert(name, value.clone());
        }
        let kept = header_text(&headers);
        assert!(kept.starts_with("x-a: "));
        assert!(kept.len() <= ANSWER_BYTES_KEPT_MAX, "{}", kept.len());
    }

    #[test]
    fn one_that_takes_all_the_time_that_an_attempt_has_was_silent() {
        let outcome = |duration_ms| Outcome {
            notification: NotificationId(Uuid::nil()),
            claim_token: 1,
            webhook: WebhookId(Uuid::nil()),
            url: String::new(),
            attempt: Attempt {
                number: 1,
                started_at: Timestamp::UNIX_EPOCH,
                duration_ms,
                status: None,
                reason: None,
                response_headers: String::new(),
                response_body: String::new(),
            },
            verdict: Verdict::RetryAt(Timestamp::UNIX_EPOCH),
            refusals_in_a_row: 0,
            tells_of_receiver: true,
        };
        let mut limits = outbound::Limits::DELIVERY;
        let told = |duration, limits| ending_of(&outcome(duration), limits);
        assert_eq!(told(4_000, limits), Ending::Refused);
        assert_eq!(told(5_000, limits), Ending::Silent);
        limits.whole = Duration::from_secs(2);
        assert_eq!(told(1_900, limits), Ending::Refused);
        assert_eq!(told(2_000, limits), Ending::Silent);
    }

    #[test]
    fn refusals_count_in_a_row() {
        let answered = |status| AttemptEnd::Answered {
            status,
            retry_after: None,
        };
        assert_eq!(refusals_in_a_row(3, &answered(404)), 4);
        assert_eq!(refusals_in_a_row(3, &answered(429)), 0);
        assert_eq!(refusals_in_a_row(3, &answered(410)), 0);
        assert_eq!(refusals_in_a_row(3, &answered(500)), 0);
        assert_eq!(refusals_in_a_row(3, &AttemptEnd::TimedOut), 0);
    }

    #[test]
    fn a_secret_that_does_not_open_is_no_fault_of_the_receiver() {
        let now = Timestamp::UNIX_EPOCH;
        let end = end_of(&Err(Unsent::Unsigned("no such key".into())), now);
        assert_eq!(end, AttemptEnd::Withheld);
        assert!(!tells_of_receiver(&end));
        let end = end_of(&Err(Unsent::Unaddressed("no url".into())), now);
        assert!(tells_of_receiver(&end));
    }

    #[test]
    fn retry_after_is_read_where_it_can_be() {
        let now: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(retry_after(&headers, now), None);
        put(&mut headers, "retry-after", "Sat Nov 21 10:05:00 2026");
        let wait = SignedDuration::from_mins(5);
        assert_eq!(retry_after(&headers, now), Some(wait));
        put(&mut headers, "retry-after", "soon");
        assert_eq!(retry_after(&headers, now), None);
    }
}
