//! The projection: what every account that follows a watch is to hold true, and what it is told about it.
//!
//! State is a function of the set of reports, so nothing here edits a state: each time, the state of each
//! container is computed anew from all reports of its shipment's watches, compared with the stored one, and
//! the difference is what is written and told. Run twice, the second run finds no difference.
//!
//! Order of locks: tracking requests of the watch (by id), then parties, then shipments (by id), then their
//! containers, then the dockets of boxes that become known. What is written at the end of the transaction, rows of the
//! audit among it, locks after all of these.

mod container;
mod ending;
mod entitlement;
mod open;
mod pen;
pub(crate) mod rewrite;
mod shipment;
mod stop;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::container::Vessel;
use domain::ids::{AccountId, IdSource, ShipmentId, TrackingRequestId, WatchId};
use domain::tracking_request::{Happening, Progress, RequestStatus};
use jiff::Timestamp;
use store::Tx;
use store::docket::Followers;
use store::tracking_request::TrackingRequest;

use crate::outbox::Subscribers;
use crate::request;
use crate::webhooks::Dispatch;
use crate::{Tracking, id_source};
use entitlement::Entitlements;
use evidence::Evidence;

mod evidence;

/// What the line's last answer means for requests that wait for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineSays {
    /// What happened, judged without a look at the reports we hold.
    pub(crate) happening: Option<Happening>,
    /// When the line was asked; `None` when this is not the end of a question.
    pub(crate) attempted_at: Option<Timestamp>,
    /// Whether it answered.
    pub(crate) answered: bool,
}

impl LineSays {
    /// The projection is not caused by an answer of the line.
    pub(crate) fn nothing() -> Self {
        Self {
            happening: None,
            attempted_at: None,
            answered: false,
        }
    }
}

/// Why a projection is not committed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stale {
    /// Another worker has taken the watch over; its result counts.
    #[error("another worker has taken over this watch")]
    ClaimLost,
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Stale {
    /// Whether it passes by itself: not what was to be read was at fault, but the store.
    pub(crate) fn passes(&self) -> bool {
        match self {
            Self::ClaimLost => true,
            Self::Store(error) => error.passes(),
        }
    }

    /// Whether nothing else can be done either: the store is out of reach, or another worker has the claim.
    pub(crate) fn is_away(&self) -> bool {
        match self {
            Self::ClaimLost => true,
            Self::Store(error) => error.is_away(),
        }
    }
}

/// Brings every account that follows `watch` up to date.
pub(crate) fn project(
    tx: &mut Tx,
    tracking: &Tracking,
    watch: WatchId,
    says: LineSays,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Following, store::Error> {
    let requests = store::tracking_request::of_watch(tx, watch)?;
    // Of the moment in which they are held: others may have written while this waited.
    let mut work = Work::new(tracking, says, ids, now);
    work.rest.dispatch = Dispatch::express();
    let mut following = Following::default();
    for (account, row) in requests {
        following.note(open::advance_request(tx, &mut work, account, row)?);
    }
    let mut shipments: BTreeMap<AccountId, Vec<ShipmentId>> = BTreeMap::new();
    for (account, shipment) in store::shipment::of_watch(tx, watch)? {
        shipments.entry(account).or_default().push(shipment);
    }
    for (account, shipments) in shipments {
        for seen in shipment::refresh(tx, &mut work, account, &shipments)? {
            following.open += 1;
            following.states.extend(seen);
        }
    }
    following.open += store::tracking_request::of_watch(tx, watch)?
        .iter()
        .filter(|(_, row)| row.progress.status.is_open())
        .count();
    following.rest = work.rest;
    Ok(following)
}

/// One of those who follow a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Follower {
    /// A request that waits for its answer.
    Request(AccountId, TrackingRequestId),
    /// A shipment that it feeds.
    Shipment(AccountId, ShipmentId),
}

impl Follower {
    /// Whose it is.
    pub(crate) fn account(self) -> AccountId {
        match self {
            Self::Request(account, _) | Self::Shipment(account, _) => account,
        }
    }
}

/// Everybody who follows a watch, which is held; in the order in which they are brought up to date.
pub(crate) fn followers(tx: &mut Tx, watch: WatchId) -> Result<BTreeSet<Follower>, store::Error> {
    let requests = store::tracking_request::of_watch(tx, watch)?.into_iter();
    let waiting = requests.filter(|(_, row)| row.progress.status.waits());
    let waiting = waiting.map(|(account, row)| Follower::Request(account, row.id));
    let fed = store::shipment::of_watch(tx, watch)?.into_iter();
    let fed = fed.map(|(account, shipment)| Follower::Shipment(account, shipment));
    Ok(waiting.chain(fed).collect())
}

/// Brings one of those who follow `watch` up to date, where all of them together cannot be. The shipment that a request
/// opened comes back with it.
pub(crate) fn project_one(
    tx: &mut Tx,
    tracking: &Tracking,
    watch: WatchId,
    follower: Follower,
    says: LineSays,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<(Following, Option<Follower>), store::Error> {
    let held = match follower {
        Follower::Shipment(..) => None,
        Follower::Request(account, request) => {
            store::tracking_request::lock(&mut tx.account(account), request)?
        }
    };
    // Of the moment in which it is held, as above.
    let mut work = Work::new(tracking, says, ids, now);
    work.rest.dispatch = Dispatch::express();
    let mut following = Following::default();
    let (account, shipment, opened) = match follower {
        Follower::Shipment(account, shipment) => (account, Some(shipment), None),
        Follower::Request(account, request) => {
            // It may have been given another watch meanwhile.
            if let Some(row) = held.filter(|row| row.watch == Some(watch)) {
                following.note(open::advance_request(tx, &mut work, account, row)?);
            }
            let row = store::tracking_request::find(&mut tx.account(account), request)?;
            let is_open = |row: &TrackingRequest| row.progress.status.is_open();
            following.open += usize::from(row.as_ref().is_some_and(is_open));
            let shipment = row.and_then(|row| row.shipment);
            let opened = shipment.map(|shipment| Follower::Shipment(account, shipment));
            (account, shipment, opened)
        }
    };
    if let Some(shipment) = shipment {
        for seen in shipment::refresh(tx, &mut work, account, &[shipment])? {
            following.open += 1;
            following.states.extend(seen);
        }
    }
    following.rest = work.rest;
    Ok((following, opened))
}

/// Brings shipments of an account up to date: something was said about them, or a rule that waits has come due.
pub(crate) fn refresh(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    shipments: &[ShipmentId],
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Rest, store::Error> {
    let says = LineSays::nothing();
    let mut work = Work::new(tracking, says, ids, now);
    work.rest.dispatch = Dispatch::express();
    shipment::refresh(tx, &mut work, account, shipments)?;
    Ok(work.rest)
}

/// Looks whether what is said unasked lets a request that waits go on, and brings its shipment up to date. What is to
/// be sent of it waits to be claimed.
pub(crate) fn advance(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    request: TrackingRequestId,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Rest, store::Error> {
    let held = request::find_held(tx, account, request)?;
    // Without a line there is no shipment; the line is looked for elsewhere.
    let Some(row) = held.filter(|row| row.scac.is_some()) else {
        return Ok(Rest::default());
    };
    let mut work = Work::new(tracking, LineSays::nothing(), ids, now);
    open::advance_request(tx, &mut work, account, row)?;
    let row = store::tracking_request::find(&mut tx.account(account), request)?;
    if let Some(shipment) = row.and_then(|row| row.shipment) {
        shipment::refresh(tx, &mut work, account, &[shipment])?;
    }
    Ok(work.rest)
}

pub(crate) use open::{conclude, expired_before};
pub use stop::ResumeRefused;
pub(crate) use stop::{resume, stop};

/// What one run of the projection carries along.
struct Work<'a> {
    tracking: &'a Tracking,
    ids: &'a mut IdSource,
    now: Timestamp,
    says: LineSays,
    /// Whether tracking is resumed by this transaction.
    resumes: bool,
    evidence: Evidence,
    subscribers: Subscribers,
    entitlements: Entitlements,
    rest: Rest,
    /// Vessels written by this transaction already.
    vessels: BTreeSet<Vessel>,
}

impl<'a> Work<'a> {
    fn new(tracking: &'a Tracking, says: LineSays, ids: &'a mut IdSource, now: Timestamp) -> Self {
        let mut work = Self {
            tracking,
            ids,
            now,
            says,
            resumes: false,
            evidence: Evidence::default(),
            subscribers: Subscribers::default(),
            entitlements: Entitlements::default(),
            rest: Rest::default(),
            vessels: BTreeSet::new(),
        };
        work.catch_up();
        work
    }

    /// What is written from here on is of this moment, and so are its ids: windows of redelivery go by both. One that waited,
    /// for an answer to be kept or for what another one holds, would be told of before what that one wrote, and of the time
    /// before a webhook was switched off that is not told of it.
    fn catch_up(&mut self) {
        let now = self.tracking.now();
        if now > self.now {
            self.now = now;
            *self.ids = id_source(now);
            // What was switched on while this waited is told of what is written from here on.
            self.subscribers = Subscribers::default();
        }
    }
}

/// Who still follows a watch after a projection, and how far their boxes are: decides when it is asked next.
#[derive(Debug, Default)]
pub(crate) struct Following {
    /// Requests that are still open, and shipments that are still tracked.
    pub(crate) open: usize,
    /// Requests that wait for data.
    pub(crate) waiting: Vec<(RequestStatus, u32)>,
    /// States of the containers that are followed through it.
    pub(crate) states: Vec<domain::container::ContainerState>,
    /// What is left to be done after the commit.
    pub(crate) rest: Rest,
}

/// What a projection leaves to be done after its commit ([`intake::finish`](crate::intake::finish)).
#[derive(Debug, Default)]
#[must_use = "what is leased and not sent waits until its lease runs out, and others are not told what was filed"]
pub(crate) struct Rest {
    dispatch: Dispatch,
    /// Others who follow the dockets under which it filed something, or took something out.
    others: Followers,
}

impl Rest {
    /// Sends what is to be sent. Those who are to be brought up to date come back.
    pub(crate) fn send(self, tracking: &Tracking) -> Followers {
        self.dispatch.send(tracking);
        self.others
    }
}

/// Where a use case leaves its [`Rest`], when it returns the row that it wrote and nothing else: of that row the answer of a
/// named request is made inside the transaction ([`once`](crate::once)).
#[derive(Clone, Debug, Default)]
pub(crate) struct Left(Arc<Mutex<Rest>>);

impl Left {
    /// What is left now; what an earlier run left was never committed.
    pub(crate) fn put(&self, rest: Rest) {
        *self.lock() = rest;
    }

    /// To be done after the commit.
    pub(crate) fn take(&self) -> Rest {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Rest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Following {
    fn note(&mut self, stands: Progress) {
        if stands.status.waits() {
            self.waiting.push((stands.status, stands.retry_count));
        }
    }

    /// Those who follow it too. What was left to be done was done.
    pub(crate) fn extend(&mut self, others: Self) {
        self.open += others.open;
        self.waiting.extend(others.waiting);
        self.states.extend(others.states);
    }
}
