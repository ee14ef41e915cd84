//! Whose lines are looked for, and how many at once.
//!
//! A question may take minutes, and a search asks several sources. So requests are looked into beside each other, and each source
//! has a few places of its own for it: who needs a slow one waits for it, and nobody else does. A few wait at its door; those
//! beyond them give up their own place here for some seconds, so that one source never holds all searches. They go on at that
//! source: the others were asked, and are not asked the same for as long as this one keeps them waiting. So do those who need a
//! source that may not be asked now, until it may. One whose search cannot be carried through is left alone for some time;
//! this node remembers it, for it may be the request that cannot be written.
//!
//! Who looks for more goes on behind the requests that were seen last, and begins again at the end: however many wait for one
//! source, all others have their turn. To look costs reads, so it is done when there are some free places, when a request
//! has come, and now and then.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use domain::ids::{AccountId, TrackingRequestId};
use jiff::{SignedDuration, Timestamp};
use store::tracking_request::TrackingRequest;
use tokio::sync::{Semaphore, SemaphorePermit, TryAcquireError};
use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;

use super::detect::{Asked, Postponed, Searched, due, search};
use crate::{Source, Tracking};

/// Requests looked into at once on one node.
const SEARCHES_MAX: usize = 64;
/// Free places for which it is worth it to look for more by itself.
const FREE_MIN: usize = 16;
/// Requests read at once, and reads of one look.
const PAGE_MAX: usize = 64;
const PAGES_MAX: usize = 32;
/// Questions about lines to one source under way at once on one node, beside those about watches.
const SOURCE_QUESTIONS_MAX: usize = 4;
/// Searches that wait for such a question at one source. With those under way a quarter of all.
const SOURCE_WAITING_MAX: usize = 12;
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
    let (mut after, mut done) = (None, 0);
    loop {
        let page = due(tracking, after, PAGE_MAX).await?;
        let is_end = page.len() < PAGE_MAX;
        for (account, row) in page {
            let (id, asked) = (row.id, Asked::default());
            after = Some((row.updated_at, id));
            let searched = search(tracking, &places, account, row, asked).await;
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
        seen: None,
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
    in_hand: HashMap<Id, TrackingRequestId>,
    /// Requests whose search came to no end.
    left_alone: BTreeMap<TrackingRequestId, LeftAlone>,
    /// When the request changed that was seen last, and its id; `None`: it begins with the first.
    seen: Option<(Timestamp, TrackingRequestId)>,
    /// Whether there may be more than was seen.
    is_told: bool,
}

/// A request whose search came to no end.
struct LeftAlone {
    until: Timestamp,
    asked: Asked,
}

impl Desk {
    /// Fills the free places with requests behind those that were seen last, once around at most.
    async fn take_up(&mut self) -> Result<(), store::Error> {
        let mut room = SEARCHES_MAX.saturating_sub(self.searches.len());
        // Without room for more that are left alone, some would be looked into again and again.
        let is_full = self.left_alone.len() >= LEFT_ALONE_MAX;
        if room == 0 || ((room < FREE_MIN || is_full) && !self.is_told) {
            return Ok(());
        }
        let now = self.tracking.now();
        self.left_alone.retain(|_, left| left.until + LATE > now);
        let mut is_last_round = self.seen.is_none();
        for _ in 0..PAGES_MAX {
            let page = due(&self.tracking, self.seen, PAGE_MAX).await?;
            let is_end = page.len() < PAGE_MAX;
            for (account, row) in page {
                if room == 0 {
                    break;
                }
                self.seen = Some((row.updated_at, row.id));
                if !self.knows(row.id, now) {
                    self.begin(account, row);
                    room -= 1;
                }
            }
            if room == 0 || (is_end && is_last_round) {
                break;
            }
            if is_end {
                (self.seen, is_last_round) = (None, true);
            }
        }
        self.is_told = false;
        Ok(())
    }

    fn begin(&mut self, account: AccountId, row: TrackingRequest) {
        let (tracking, places, id) = (self.tracking.clone(), Arc::clone(&self.places), row.id);
        let left = self.left_alone.remove(&id);
        let asked = left.map(|left| left.asked).unwrap_or_default();
        let searching = async move { search(&tracking, &places, account, row, asked).await };
        let searching = self.searches.spawn(searching);
        self.in_hand.insert(searching.id(), id);
    }

    fn knows(&self, id: TrackingRequestId, now: Timestamp) -> bool {
        let left = self.left_alone.get(&id);
        left.is_some_and(|left| left.until > now) || self.in_hand.values().any(|one| *one == id)
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
        let Some(id) = self.in_hand.remove(&task) else {
            return;
        };
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

struct Room {
    asking: Semaphore,
    /// Those who ask, and those who wait until they may.
    inside: Semaphore,
}

/// Why a source is not asked now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// Enough wait for it already.
    Crowded,
    /// No question begins any more, to no source.
    Closed,
}

impl Places {
    fn of(tracking: &Tracking) -> Self {
        let sources = tracking.sources();
        let room = |source: &Source| {
            let room = Room {
                asking: Semaphore::new(SOURCE_QUESTIONS_MAX),
                inside: Semaphore::new(SOURCE_QUESTIONS_MAX + SOURCE_WAITING_MAX),
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
            room.inside.close();
            room.asking.close();
        }
    }

    /// A place for one question, as soon as there is one; it is given back with what is returned.
    pub(super) async fn at(&self, source: &Source) -> Result<[SemaphorePermit<'_>; 2], NoPlace> {
        let room = self.by_source.get(source.id()).ok_or(NoPlace::Closed)?;
        let inside = room.inside.try_acquire().map_err(|why| match why {
            TryAcquireError::NoPermits => NoPlace::Crowded,
            TryAcquireError::Closed => NoPlace::Closed,
        })?;
        let asking = room.asking.acquire().await;
        asking
            .map(|asking| [asking, inside])
            .map_err(|_| NoPlace::Closed)
    }
}
