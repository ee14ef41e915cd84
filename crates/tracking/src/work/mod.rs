//! Background work: reconcilers, each an idempotent function of stored state without input.
//!
//! Each one looks at what is due, claims some of it by lease, and acts; a timer and a nudge wake it. Nothing
//! depends on a nudge: one that is missed costs a second. In a simulated world the same functions are run by
//! hand with [`drain`], which does all that is due at the shown time and says when more will be.

mod cut_terms;
mod left;
mod questions;
mod set_back;

use std::time::{Duration, Instant};

use domain::ids::{AccountId, ShipmentId};
use domain::tracking_request::Happening;
use jiff::{SignedDuration, Timestamp};
use store::Key;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::main_key::Round;
use crate::polling::Busy;
use crate::polling::looking::Look;
use crate::projection::{self, Stale};
use crate::webhooks::{deliver, replay, restart};
use crate::{
    Tracking, access, entropy, heard, id_source, intake, main_key, once, parties, polling, request,
    subscribing, vessels, webhooks,
};
use questions::Questions;

/// Rows taken up in one round of housekeeping.
const HOUSEKEEPING_MAX: u32 = 64;
/// Rounds of what has come due in one round of housekeeping.
const REFRESHING_ROUNDS_MAX: u32 = 32;
/// How long what could not be brought up to date waits for the next try.
const PUT_OFF: SignedDuration = SignedDuration::from_mins(10);
/// Steps of telling a party's new name in one round of housekeeping.
const NAMES_ROUNDS_MAX: u32 = 100;
/// Real time between two rounds of housekeeping.
const HOUSEKEEPING_EVERY: Duration = Duration::from_secs(5);
/// Real time between two looks for notifications that were kept long enough, and for webhooks that were deleted.
const FORGETTING_EVERY: Duration = Duration::from_mins(5);
/// Rounds of housekeeping between two looks for deliveries that wait behind nobody (5 minutes).
const OVERLOOKED_ROUNDS: u32 = 60;
/// Open deliveries that one look for overlooked ones goes through.
const LOOKED_THROUGH_AT_ONCE: u32 = 1_000;

/// Real time until what could not be looked at after a start is tried again; doubled each time.
const LOOK_AGAIN_FIRST: Duration = Duration::from_secs(1);
/// The longest such wait.
const LOOK_AGAIN_LONGEST: Duration = Duration::from_mins(5);

/// Why a round of work could not be finished. Nothing is lost: the next round finds the same work.
#[derive(Debug, thiserror::Error)]
pub enum WorkFailed {
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Another worker took the same work.
    #[error("another worker took this work over")]
    Overtaken,
}

impl From<Stale> for WorkFailed {
    fn from(stale: Stale) -> Self {
        match stale {
            Stale::Store(error) => Self::Store(error),
            Stale::ClaimLost => Self::Overtaken,
        }
    }
}

/// Wakes workers before their timer does.
#[derive(Default)]
pub(crate) struct Nudges {
    poll: Notify,
    detect: Notify,
    deliver: Notify,
    listen: Notify,
    look: Notify,
    read: Notify,
    replay: Notify,
    restart: Notify,
    remove: Notify,
}

impl Nudges {
    /// A watch may be due.
    pub(crate) fn poll(&self) {
        self.poll.notify_one();
    }

    /// A source was taken up.
    pub(crate) fn look(&self) {
        self.look.notify_one();
    }

    /// A message waits to be read.
    pub(crate) fn read(&self) {
        self.read.notify_one();
    }

    pub(crate) async fn read_nudged(&self) {
        self.read.notified().await;
    }

    /// A request has no line yet.
    pub(crate) fn detect(&self) {
        self.detect.notify_one();
    }

    pub(crate) async fn detect_nudged(&self) {
        self.detect.notified().await;
    }

    /// A delivery may be due.
    pub(crate) fn deliver(&self) {
        self.deliver.notify_one();
        self.listen.notify_waiters();
    }

    /// A window is to be sent again.
    pub(crate) fn replay(&self) {
        self.replay.notify_one();
    }

    /// What waits for a webhook may be begun again.
    pub(crate) fn restart(&self) {
        self.restart.notify_one();
    }

    /// A webhook was deleted.
    pub(crate) fn remove(&self) {
        self.remove.notify_one();
    }

    /// A delivery may be due, for whoever fetches it: wakes all that wait at this moment.
    pub(crate) fn listened(&self) -> Notified<'_> {
        self.listen.notified()
    }

    pub(crate) async fn deliver_nudged(&self) {
        self.deliver.notified().await;
    }
}

/// Works until told to stop, then finishes what has begun.
pub async fn run(tracking: Tracking, stop: CancellationToken) {
    let owner = Uuid::from_bytes(entropy::random_bytes());
    // No worker of this node has anything in hand yet.
    if let Err(error) = intake::begin(&tracking).await {
        tracing::warn!(%error, "messages that an earlier run had in hand wait until its leases have run out");
    }
    if let Err(error) = end_claims(&tracking).await {
        tracing::warn!(%error, "deliveries and questions that an earlier run had in hand wait until its leases have run out");
    }
    let mut workers = JoinSet::new();
    workers.spawn(deliver::run(tracking.clone(), owner, stop.clone()));
    workers.spawn(keep_polling(tracking.clone(), owner, stop.clone()));
    workers.spawn(intake::run(tracking.clone(), stop.clone()));
    workers.spawn(intake::folder::run(tracking.clone(), stop.clone()));
    workers.spawn(intake::receiver::run(tracking.clone(), stop.clone()));
    workers.spawn(keep_subscribing(tracking.clone(), stop.clone()));
    workers.spawn(keep_looking(tracking.clone(), stop.clone()));
    workers.spawn(request::run(tracking.clone(), stop.clone()));
    workers.spawn(keep_replaying(tracking.clone(), stop.clone()));
    workers.spawn(keep_restarting(tracking.clone(), stop.clone()));
    workers.spawn(keep_forgetting(tracking.clone(), stop.clone()));
    workers.spawn(keep_removing(tracking.clone(), stop.clone()));
    workers.spawn(keep_sealing_anew(tracking.clone(), stop.clone()));
    workers.spawn(work_off_cut_terms(tracking.clone(), stop.clone()));
    workers.spawn(keep_notes(tracking.clone(), stop.clone()));
    workers.spawn(set_back::keep_time(tracking.clone(), stop.clone()));
    workers.spawn(keep_house(tracking, stop));
    workers.join_all().await;
}

/// Ends the claims of whoever had the embedded store before: nobody else can have it, so he is gone, and what waits behind what he had
/// in hand need not wait for his leases.
async fn end_claims(tracking: &Tracking) -> Result<(), store::Error> {
    if tracking.store().is_shared() {
        return Ok(());
    }
    let now = tracking.now();
    let ending = tracking.store().write(Key::sightings(), move |tx| {
        let deliveries = store::delivery::release_sent(tx, now)?;
        Ok::<_, store::Error>((deliveries, store::watch::release_all(tx)?))
    });
    let (deliveries, watches) = ending.await?;
    if deliveries + watches > 0 {
        tracing::info!(
            deliveries,
            watches,
            "an earlier run was cut off: what it had in hand is taken up again"
        );
    }
    Ok(())
}

/// Does everything that is due at the shown time, and what becomes due by that, until nothing is. One watch
/// after the other, in order, so that a run repeats. Returns when more will be due.
pub async fn drain(tracking: &Tracking) -> Result<Option<Timestamp>, WorkFailed> {
    let owner = Uuid::from_bytes(entropy::random_bytes());
    webhooks::forget_deleted(tracking, &CancellationToken::new()).await?;
    webhooks::forget_ended(tracking, &CancellationToken::new()).await?;
    vessels::forget_radios(tracking).await?;
    let mut windows = replay::Rounds::default();
    loop {
        housekeeping(tracking).await?;
        let read = intake::read_all(tracking).await?;
        let detected = request::detect_due(tracking).await?;
        let tasks = polling::claim(tracking, owner, &Busy::new()).await?;
        let asked = tasks.len();
        for task in tasks {
            polling::ask(tracking, task).await?;
        }
        let subscribed = subscribing::advance(tracking).await?;
        let replayed = windows.advance(tracking, &CancellationToken::new()).await?;
        let restarted = restart::advance(tracking, &CancellationToken::new()).await?;
        let sent = deliver::drain(tracking, owner).await?;
        if read + detected + asked + subscribed + replayed + restarted + sent == 0 {
            return next_due(tracking).await;
        }
    }
}

async fn next_due(tracking: &Tracking) -> Result<Option<Timestamp>, WorkFailed> {
    heard::write(tracking).await?;
    let watch = polling::next_due(tracking, &Busy::new()).await?;
    let delivery = tracking.store().read(store::delivery::next_due).await?;
    Ok([watch, delivery].into_iter().flatten().min())
}

/// Asks sources. Each has places of its own, so that one that hangs takes none from the others.
async fn keep_polling(tracking: Tracking, owner: Uuid, stop: CancellationToken) {
    let mut questions = Questions::default();
    while !stop.is_cancelled() {
        questions.make_room();
        let claimed = polling::claim(&tracking, owner, questions.busy()).await;
        let tasks = claimed.unwrap_or_else(|error| {
            tracing::warn!(%error, "watches cannot be claimed");
            Vec::new()
        });
        let idle = tasks.is_empty();
        for task in tasks {
            let (tracking, source) = (tracking.clone(), task.source().to_owned());
            questions.begin(source, async move {
                if let Err(error) = polling::ask(&tracking, task).await {
                    tracing::warn!(%error, "a watch could not be settled; its lease will bring it back");
                }
            });
        }
        if idle {
            wait_for_watch(&tracking, &mut questions, &stop).await;
        }
    }
    while questions.one_ends().await {}
}

/// Keeps our subscriptions at carriers.
async fn keep_subscribing(tracking: Tracking, stop: CancellationToken) {
    while !stop.is_cancelled() {
        if let Err(error) = subscribing::advance(&tracking).await {
            tracing::warn!(%error, "subscriptions at carriers could not be looked at");
        }
        tokio::select! {
            () = tokio::time::sleep(HOUSEKEEPING_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
}

/// Looks through what is tracked after a start, and again for each source that is taken up later.
async fn keep_looking(tracking: Tracking, stop: CancellationToken) {
    while !stop.is_cancelled() {
        look_through(tracking.clone(), stop.clone()).await;
        tokio::select! {
            () = tracking.nudges().look.notified() => {}
            () = stop.cancelled() => {}
        }
    }
}

/// What a start does: sources that were configured while nobody looked are asked about what is tracked already, and what
/// nothing would bring up to date again is. What cannot be looked at is tried again, more and more slowly, until all was.
pub async fn look_through(tracking: Tracking, stop: CancellationToken) {
    let mut look = Look::new();
    let mut again = LOOK_AGAIN_FIRST;
    let mut is_through = look.go_on(&tracking, &stop).await;
    // Behind the first look: what is asked about from now on is not left. And before the next: a row that cannot be looked at
    // keeps nothing from its end.
    look_for_left(&tracking, &stop).await;
    while !is_through && !stop.is_cancelled() {
        tokio::select! {
            () = tokio::time::sleep(again) => again = (again * 2).min(LOOK_AGAIN_LONGEST),
            () = tracking.nudges().look.notified() => {
                look = Look::new();
                again = LOOK_AGAIN_FIRST;
            }
            () = stop.cancelled() => {}
        }
        is_through = look.go_on(&tracking, &stop).await;
    }
}

/// Brings up to date what nothing comes back to.
async fn look_for_left(tracking: &Tracking, stop: &CancellationToken) {
    let mut again = LOOK_AGAIN_FIRST;
    while let Err(error) = left::look_through(tracking, stop).await {
        tracing::warn!(%error, "what is tracked could not be looked through for what nothing comes back to; it goes on soon");
        tokio::select! {
            () = tokio::time::sleep(again) => again = (again * 2).min(LOOK_AGAIN_LONGEST),
            () = stop.cancelled() => return,
        }
    }
}

/// Lets rows be found by all that they hold, once for a store that an earlier version wrote.
async fn work_off_cut_terms(tracking: Tracking, stop: CancellationToken) {
    let mut again = LOOK_AGAIN_FIRST;
    while let Err(error) = cut_terms::work_off(&tracking, &stop).await {
        tracing::warn!(%error, "by what rows are found could not be looked at; it goes on soon");
        tokio::select! {
            () = tokio::time::sleep(again) => again = (again * 2).min(LOOK_AGAIN_LONGEST),
            () = stop.cancelled() => return,
        }
    }
}

/// Sends windows of webhooks again.
async fn keep_replaying(tracking: Tracking, stop: CancellationToken) {
    let mut windows = replay::Rounds::default();
    while !stop.is_cancelled() {
        match windows.advance(&tracking, &stop).await {
            Ok(0) => {}
            Ok(_) => continue,
            Err(error) => tracing::warn!(%error, "redeliveries could not be taken further"),
        }
        tokio::select! {
            () = tokio::time::sleep(crate::clock::WAIT_MAX) => {}
            () = tracking.nudges().replay.notified() => {}
            () = stop.cancelled() => {}
        }
    }
}

/// Begins again what waits for webhooks that lead elsewhere, or are on again.
async fn keep_restarting(tracking: Tracking, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match restart::advance(&tracking, &stop).await {
            Ok(0) => {}
            Ok(_) => continue,
            Err(error) => {
                tracing::warn!(%error, "what waits for webhooks could not be begun again");
            }
        }
        tokio::select! {
            () = tokio::time::sleep(crate::clock::WAIT_MAX) => {}
            () = tracking.nudges().restart.notified() => {}
            () = stop.cancelled() => {}
        }
    }
}

/// Removes what deleted webhooks have left behind.
async fn keep_removing(tracking: Tracking, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match webhooks::forget_deleted(&tracking, &stop).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "deleted webhooks are gone with all they were told"),
            Err(error) => tracing::warn!(%error, "deleted webhooks could not be looked for"),
        }
        tokio::select! {
            () = tokio::time::sleep(FORGETTING_EVERY) => {}
            () = tracking.nudges().remove.notified() => {}
            () = stop.cancelled() => {}
        }
    }
}

/// What a node without background work does too: requests come to it, and it seals.
pub async fn attend(tracking: Tracking, stop: CancellationToken) {
    tokio::join!(
        keep_notes(tracking.clone(), stop.clone()),
        keep_sealing(tracking, stop),
    );
}

/// Writes down what requests were noted by, to the last.
async fn keep_notes(tracking: Tracking, stop: CancellationToken) {
    while !stop.is_cancelled() {
        write_notes(&tracking).await;
        tokio::select! {
            () = tokio::time::sleep(HOUSEKEEPING_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
    write_notes(&tracking).await;
}

/// While the main key is changed this node says with which one it seals.
async fn keep_sealing(tracking: Tracking, stop: CancellationToken) {
    while !stop.is_cancelled() {
        say_it_seals(&tracking).await;
        tokio::select! {
            () = tokio::time::sleep(tracking.lease_renewal()) => {}
            () = stop.cancelled() => {}
        }
    }
}

/// Seals anew what the main key before has sealed. Nodes that were started before get a lease's time to say that they seal with
/// it still.
async fn keep_sealing_anew(tracking: Tracking, stop: CancellationToken) {
    let since = Instant::now();
    while !stop.is_cancelled() {
        say_it_seals(&tracking).await;
        if !tracking.store().is_shared() || since.elapsed() > tracking.lease_renewal() * 3 {
            seal_anew(&tracking, &stop).await;
        }
        tokio::select! {
            () = tokio::time::sleep(tracking.lease_renewal()) => {}
            () = stop.cancelled() => {}
        }
    }
}

async fn say_it_seals(tracking: &Tracking) {
    if let Err(error) = main_key::say_it_seals(tracking).await {
        tracing::warn!(%error, "it could not be said with which main key this node seals");
    }
}

async fn seal_anew(tracking: &Tracking, stop: &CancellationToken) {
    let by = tracking.whoever(tracking.now());
    let sealing = main_key::reseal(tracking.store(), tracking.vault(), by, stop, |_| ());
    match sealing.await {
        Ok(Round::Over(count, lost)) => tracing::info!(
            count,
            lost,
            "everything is sealed with the main key; the one before is no longer needed: take main_key_also out of the \
             settings, or the file main.key.also away"
        ),
        Ok(_) => {}
        Err(error) => {
            tracing::warn!(%error, "what the main key before has sealed could not all be sealed anew");
        }
    }
}

/// Forgets notifications that were kept long enough, and radios that were silent for long.
async fn keep_forgetting(tracking: Tracking, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match webhooks::forget_ended(&tracking, &stop).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "old notifications are forgotten"),
            Err(error) => tracing::warn!(%error, "old notifications could not be forgotten"),
        }
        if let Err(error) = vessels::forget_radios(&tracking).await {
            tracing::warn!(%error, "radios that were silent for long could not be forgotten");
        }
        tokio::select! {
            () = tokio::time::sleep(FORGETTING_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
}

async fn wait_for_watch(tracking: &Tracking, questions: &mut Questions, stop: &CancellationToken) {
    let next = polling::next_due(tracking, questions.busy())
        .await
        .ok()
        .flatten();
    let longest = crate::clock::WAIT_MAX;
    let pause = next.map_or(longest, |at| tracking.clock().real_wait(at).min(longest));
    tokio::select! {
        () = tokio::time::sleep(pause.max(Duration::from_millis(5))) => {}
        () = tracking.nudges().poll.notified() => {}
        true = questions.one_ends() => {}
        () = stop.cancelled() => {}
    }
}

async fn keep_house(tracking: Tracking, stop: CancellationToken) {
    let mut round = 0u32;
    while !stop.is_cancelled() {
        if round.is_multiple_of(OVERLOOKED_ROUNDS) {
            wake_overlooked(&tracking, &stop).await;
            retire_listeners(&tracking).await;
        }
        round = round.wrapping_add(1);
        if let Err(error) = housekeeping(&tracking).await {
            tracing::warn!(%error, "housekeeping could not be finished");
        }
        if let Err(error) = once::sweep(&tracking).await {
            tracing::warn!(%error, "old answers could not be forgotten");
        }
        tokio::select! {
            () = tokio::time::sleep(HOUSEKEEPING_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
}

/// Writes what was only noted while something came in: when keys were last used, and when sources were last heard.
pub async fn write_notes(tracking: &Tracking) {
    if let Err(error) = access::write_key_uses(tracking).await {
        tracing::warn!(%error, "last uses of keys could not be written");
    }
    if let Err(error) = heard::write(tracking).await {
        tracing::warn!(%error, "when sources were last heard could not be written");
    }
}

/// Listeners that nobody asks any more.
async fn retire_listeners(tracking: &Tracking) {
    match webhooks::retire_listeners(tracking).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "listeners that nobody asks are switched off"),
        Err(error) => tracing::warn!(%error, "idle listeners could not be looked for"),
    }
}

/// Deliveries that wait in line with nobody before them. There should be none; each is worth a line in the log.
async fn wake_overlooked(tracking: &Tracking, stop: &CancellationToken) {
    match find_overlooked(tracking, stop).await {
        Ok(0) => {}
        Ok(count) => {
            tracing::error!(count, "deliveries waited behind nobody; they are due again");
            tracking.nudges().deliver();
        }
        Err(error) => tracing::warn!(%error, "overlooked deliveries could not be looked for"),
    }
}

async fn find_overlooked(
    tracking: &Tracking,
    stop: &CancellationToken,
) -> Result<u64, store::Error> {
    let mut woken = 0;
    let mut after = Some(Uuid::nil());
    while let Some(from) = after.filter(|_| !stop.is_cancelled()) {
        let store = tracking.store();
        let found = store
            .read(move |tx| store::delivery::overlooked(tx, from, LOOKED_THROUGH_AT_ONCE))
            .await?;
        after = found.until;
        if !found.heads.is_empty() {
            let now = tracking.now();
            let key = Key::webhook(domain::ids::WebhookId(Uuid::nil()));
            woken += store
                .write(key, move |tx| store::delivery::wake(tx, &found.heads, now))
                .await?;
        }
    }
    Ok(woken)
}

/// Rules that came due, requests that waited too long.
async fn housekeeping(tracking: &Tracking) -> Result<(), WorkFailed> {
    let refreshed = refresh_due(tracking).await?;
    let expired = expire_overdue(tracking).await?;
    tell_new_names(tracking).await?;
    if refreshed + expired > 0 {
        tracking.nudges().deliver();
    }
    Ok(())
}

/// New names of parties, told to their shipments.
async fn tell_new_names(tracking: &Tracking) -> Result<(), WorkFailed> {
    for _ in 0..NAMES_ROUNDS_MAX {
        if parties::retell_renamed(tracking).await? == 0 {
            break;
        }
    }
    Ok(())
}

/// Containers for which a rule that waits has come due. Where there are more than one look finds it goes straight on: of an account
/// with many that come due together nobody else waits for minutes.
async fn refresh_due(tracking: &Tracking) -> Result<usize, WorkFailed> {
    let (mut count, mut before) = (0, Vec::new());
    for _ in 0..REFRESHING_ROUNDS_MAX {
        let now = tracking.now();
        let due = tracking
            .store()
            .read(move |tx| store::container::due(tx, now, HOUSEKEEPING_MAX))
            .await?;
        // What is due again as soon as it was brought up to date has its turn in the next round.
        if due.is_empty() || due == before {
            break;
        }
        count += due.len();
        if !refresh_each(tracking, &due).await? {
            break;
        }
        before = due;
    }
    Ok(count)
}

/// Whether the store took them.
async fn refresh_each(
    tracking: &Tracking,
    due: &[(AccountId, ShipmentId)],
) -> Result<bool, WorkFailed> {
    let mut is_there = true;
    for &(account, shipment) in due {
        match refresh_one(tracking, account, shipment).await {
            Ok(()) => {}
            // Not the shipment is at fault, but the store: the next round finds it due again.
            Err(error) if error.is_away() => {
                is_there = false;
                tracing::warn!(%shipment, %error, "a shipment whose time has come could not be brought up to date yet");
            }
            Err(error) => {
                tracing::warn!(%shipment, %error, "a shipment whose time has come could not be brought up to date; it is put off");
                put_off(tracking, account, shipment).await?;
            }
        }
    }
    Ok(is_there)
}

async fn refresh_one(
    tracking: &Tracking,
    account: AccountId,
    shipment: ShipmentId,
) -> Result<(), store::Error> {
    let shared = tracking.clone();
    // Of its own moment: windows trust that what is drawn is written soon.
    let now = tracking.now();
    let ids = id_source(now);
    let refreshing = tracking.store().write(Key::account(account), move |tx| {
        projection::refresh(tx, &shared, account, &[shipment], &mut ids.clone(), now)
    });
    intake::finish(tracking, refreshing.await?).await;
    Ok(())
}

/// What stands behind a shipment that cannot be brought up to date comes first the next time.
async fn put_off(
    tracking: &Tracking,
    account: AccountId,
    shipment: ShipmentId,
) -> Result<(), store::Error> {
    let now = tracking.now();
    let putting_off = tracking.store().write(Key::account(account), move |tx| {
        store::container::put_off(&mut tx.account(account), shipment, now, now + PUT_OFF)
    });
    putting_off.await
}

/// Requests that waited for seven days.
async fn expire_overdue(tracking: &Tracking) -> Result<usize, WorkFailed> {
    let now = tracking.now();
    let before = projection::expired_before(now);
    let overdue = tracking
        .store()
        .read(move |tx| store::tracking_request::overdue(tx, before, HOUSEKEEPING_MAX))
        .await?;
    let count = overdue.len();
    for (account, row) in overdue {
        let shared = tracking.clone();
        let expire = move |tx: &mut store::Tx| -> Result<(), store::Error> {
            projection::conclude(tx, &shared, account, row.id, Happening::TimePassed)
        };
        if let Err(error) = tracking.store().write(Key::account(account), expire).await {
            tracing::warn!(request = %row.id, %error, "a request that waited too long could not be ended; the next round goes on");
        }
    }
    Ok(count)
}
