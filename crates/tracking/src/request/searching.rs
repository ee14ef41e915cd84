//! Whose lines are looked for, and how many at once.
//!
//! A question may take minutes, and a search asks several sources. So requests are looked into beside each other, and each source
//! has a few places of its own for it: who needs a slow one waits for it, and nobody else does. A few wait at its door; those
//! beyond them give up their own place here for some seconds, so that one source never holds all searches. They go on at that
//! source: the others were asked, and are not asked the same for as long as this one keeps them waiting. So do those who need a
//! source that may not be asked now, until it may. One whose search cannot be carried through is left alone for some time;
//! this node remembers it, for it may be the request that cannot be written.
//!
//! Nobody takes it all: a place is given to an account that has fewer than are free, here and at each source. So one alone has
//! half of them, and who comes afterwards finds one. Whose turn it is, [turns](super::turns) says.
//!
//! To look for more costs reads, so it is done when some searches have ended, when a request has come, and now and then.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::ids::{AccountId, TrackingRequestId};
use jiff::{SignedDuration, Timestamp};
use store::tracking_request::TrackingRequest;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;

use super::detect::{Asked, Postponed, Searched, due, search, seekers};
use super::turns::{Offered, PAGE_MAX, Turns};
use crate::{Source, Tracking};

/// Requests looked into at once on one node; half of them, where all are of one account.
const SEARCHES_MAX: usize = 128;
/// Searches that have ended, for which it is worth it to look for more by itself.
const ENDED_MIN: usize = 16;
/// Questions about lines to one source under way at once on one node, beside those about watches.
const SOURCE_QUESTIONS_MAX: usize = 4;
/// Searches that are at one source at once, those that wait for such a question among them: a quarter of all, and half of that
/// where these are of one account.
const AT_SOURCE_MAX: usize = 32;
/// Real time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long a request is left alone whose search came to no end: while the store is away or a source is crowded, and where it
/// is at fault itself. While a source is closed, no shorter and no longer than these: it may be opened by hand.
const SOON: SignedDuration = SignedDuration::from_secs(5);
const LATE: SignedDuration = SignedDuration::from_mins(10);
/// Requests that are left alone at once; the one that is left alone the shortest is forgotten first. Each is forgotten when
/// nobody has come to it for [`LATE`]: it may have its line, or be gone.
const LEFT_ALONE_MAX: usize = 10_000;

/// Finds lines for the requests that are due, one after the other, so that a run repeats. Returns how many searches came to
/// their end.
pub(crate) async fn detect_due(tracking: &Tracking) -> Result<usize, store::Error> {
    let places = Places::of(tracking);
    let (mut passed, mut done) = (None, 0);
    while let Some(account) = seekers(tracking, passed, 1).await?.pop() {
        passed = Some(account);
        done += detect_due_of(tracking, &places, account).await?;
    }
    Ok(done)
}

async fn detect_due_of(
    tracking: &Tracking,
    places: &Places,
    account: AccountId,
) -> Result<usize, store::Error> {
    let (mut after, mut done) = (None, 0);
    loop {
        let page = due(tracking, account, after, PAGE_MAX).await?;
        let is_end = page.len() < PAGE_MAX;
        for row in page {
            let (id, asked) = (row.id, Asked::default());
            after = Some((row.updated_at, id));
            let searched = search(tracking, places, account, row, asked).await;
            done += usize::from(matches!(searched, Ok(Searched::Through)));
            tell(id, &searched);
        }
        if is_end {
            return Ok(done);
        }
    }
}

/// Finds lines as requests come, until told to stop; then questions that have begun end, and no other begins.
pub(crate) async fn run(tracking: Tracking, stop: CancellationToken) {
    let mut desk = Desk {
        places: Arc::new(Places::of(&tracking)),
        searches: JoinSet::new(),
        in_hand: HashMap::new(),
        left_alone: BTreeMap::new(),
        turns: Turns::default(),
        ended: 0,
        is_told: true,
        tracking,
    };
    while !stop.is_cancelled() {
        if let Err(error) = desk.take_up().await {
            tracing::warn!(%error, "lines of requests could not be looked for");
        }
        desk.wait(&stop).await;
    }
    desk.places.close();
    desk.searches.join_all().await;
}

struct Desk {
    tracking: Tracking,
    places: Arc<Places>,
    searches: JoinSet<Result<Searched, store::Error>>,
    in_hand: HashMap<Id, (AccountId, TrackingRequestId)>,
    /// Requests whose search came to no end.
    left_alone: BTreeMap<TrackingRequestId, LeftAlone>,
    turns: Turns,
    /// Searches that have ended since the last look.
    ended: usize,
    /// Whether there may be more than was seen.
    is_told: bool,
}

/// A request whose search came to no end.
struct LeftAlone {
    until: Timestamp,
    asked: Asked,
}

impl Desk {
    /// Gives the free places to requests, one of each account in turn.
    async fn take_up(&mut self) -> Result<(), store::Error> {
        let is_full = self.searches.len() >= SEARCHES_MAX;
        // Without room for more that are left alone, some would be looked into again and again.
        let is_worth_it = (self.ended >= ENDED_MIN || self.searches.is_empty())
            && self.left_alone.len() < LEFT_ALONE_MAX;
        if is_full || !(self.is_told || is_worth_it) {
            return Ok(());
        }
        let now = self.tracking.now();
        self.left_alone.retain(|_, left| left.until + LATE > now);
        let (tracking, mut turns) = (self.tracking.clone(), std::mem::take(&mut self.turns));
        let offering = turns.offer(&tracking, |account, row| self.offered(account, row, now));
        let looked = offering.await;
        (self.turns, self.ended, self.is_told) = (turns, 0, false);
        looked
    }

    fn offered(&mut self, account: AccountId, row: &TrackingRequest, now: Timestamp) -> Offered {
        let own = self.in_hand.values().filter(|(of, _)| *of == account);
        if own.count() >= SEARCHES_MAX.saturating_sub(self.searches.len()) {
            return Offered::NoRoom;
        }
        if self.knows(row.id, now) {
            return Offered::PassedOver;
        }
        self.begin(account, row.clone());
        Offered::Taken
    }

    fn begin(&mut self, account: AccountId, row: TrackingRequest) {
        let (tracking, places, id) = (self.tracking.clone(), Arc::clone(&self.places), row.id);
        let left = self.left_alone.remove(&id);
        let asked = left.map(|left| left.asked).unwrap_or_default();
        let searching = async move { search(&tracking, &places, account, row, asked).await };
        let searching = self.searches.spawn(searching);
        self.in_hand.insert(searching.id(), (account, id));
    }

    fn knows(&self, id: TrackingRequestId, now: Timestamp) -> bool {
        let left = self.left_alone.get(&id);
        let mut in_hand = self.in_hand.values();
        // One that seems to be left alone for longer is so by a clock that was set back.
        let is_left = |left: &LeftAlone| left.until > now && left.until <= now + LATE;
        left.is_some_and(is_left) || in_hand.any(|(_, one)| *one == id)
    }

    async fn wait(&mut self, stop: &CancellationToken) {
        let tracking = self.tracking.clone();
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => self.is_told = true,
            () = tracking.nudges().detect_nudged() => self.is_told = true,
            Some(ended) = self.searches.join_next_with_id() => match ended {
                Ok((task, searched)) => self.ended(task, searched),
                Err(panicked) => {
                    let why = store::Error::Panicked(panicked.to_string());
                    self.ended(panicked.id(), Err(why));
                }
            },
            () = stop.cancelled() => {}
        }
    }

    fn ended(&mut self, task: Id, searched: Result<Searched, store::Error>) {
        let Some((_, id)) = self.in_hand.remove(&task) else {
            return;
        };
        self.ended += 1;
        tell(id, &searched);
        let now = self.tracking.now();
        let (soon, late) = (now + SOON, now + LATE);
        let (until, asked) = match searched {
            Ok(Searched::Through) => return,
            Ok(Searched::Postponed(asked, Postponed::Crowded)) => (soon, asked),
            Ok(Searched::Postponed(asked, Postponed::UntilOpen(opens))) => {
                (opens.unwrap_or(late).clamp(soon, late), asked)
            }
            Err(error) if error.passes() => (soon, Asked::default()),
            Err(_) => (late, Asked::default()),
        };
        if self.left_alone.len() >= LEFT_ALONE_MAX {
            let first = self.left_alone.iter().min_by_key(|(_, left)| left.until);
            if let Some(first) = first.map(|(id, _)| *id) {
                self.left_alone.remove(&first);
            }
        }
        self.left_alone.insert(id, LeftAlone { until, asked });
    }
}

fn tell(request: TrackingRequestId, searched: &Result<Searched, store::Error>) {
    if let Err(error) = searched {
        tracing::warn!(%request, %error, "the line of a request could not be looked for; it is tried again later");
    }
}

/// Room for questions about lines, by source.
pub(super) struct Places {
    by_source: BTreeMap<String, Room>,
}

/// That room, as one account finds it.
pub(super) struct PlacesOf<'p> {
    places: &'p Places,
    account: AccountId,
}

struct Room {
    asking: Semaphore,
    inside: Mutex<Inside>,
}

/// Those who ask, and those who wait until they may, by account.
#[derive(Default)]
struct Inside {
    by_account: BTreeMap<AccountId, usize>,
    is_closed: bool,
}

/// Why a source is not asked now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// Enough wait for it already.
    Crowded,
    /// No question begins any more, to no source.
    Closed,
}

/// A place for one question; it is given back with this.
pub(super) struct Place<'p> {
    _asking: SemaphorePermit<'p>,
    _stay: Stay<'p>,
}

/// Somebody is inside.
struct Stay<'p> {
    room: &'p Room,
    account: AccountId,
}

impl Places {
    fn of(tracking: &Tracking) -> Self {
        let sources = tracking.sources();
        let room = |source: &Source| {
            let room = Room {
                asking: Semaphore::new(SOURCE_QUESTIONS_MAX),
                inside: Mutex::default(),
            };
            (source.id().to_owned(), room)
        };
        Self {
            by_source: sources.map(room).collect(),
        }
    }

    /// No question begins any more.
    fn close(&self) {
        for room in self.by_source.values() {
            room.inside().is_closed = true;
            room.asking.close();
        }
    }

    /// For the searches of this account.
    pub(super) fn of_account(&self, account: AccountId) -> PlacesOf<'_> {
        PlacesOf {
            places: self,
            account,
        }
    }
}

impl PlacesOf<'_> {
    /// A place for one question, as soon as there is one.
    pub(super) async fn at(&self, source: &Source) -> Result<Place<'_>, NoPlace> {
        let room = self.places.by_source.get(source.id());
        let room = room.ok_or(NoPlace::Closed)?;
        let stay = room.enter(self.account)?;
        let asking = room.asking.acquire().await;
        asking
            .map(|asking| Place {
                _asking: asking,
                _stay: stay,
            })
            .map_err(|_| NoPlace::Closed)
    }
}

impl Room {
    fn enter(&self, account: AccountId) -> Result<Stay<'_>, NoPlace> {
        let mut inside = self.inside();
        if inside.is_closed {
            return Err(NoPlace::Closed);
        }
        let all: usize = inside.by_account.values().sum();
        let own = inside.by_account.get(&account).copied().unwrap_or_default();
        if own >= AT_SOURCE_MAX.saturating_sub(all) {
            return Err(NoPlace::Crowded);
        }
        inside.by_account.insert(account, own + 1);
        Ok(Stay {
            room: self,
            account,
        })
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Stay<'_> {
    fn drop(&mut self) {
        let mut inside = self.room.inside();
        if let Some(own) = inside.by_account.get_mut(&self.account) {
            *own -= 1;
            if *own == 0 {
                inside.by_account.remove(&self.account);
            }
        }
    }
}
