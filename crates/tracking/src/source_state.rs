//! How the sources are doing, for whoever looks after them, and the two things that person can do: pause and resume.
//!
//! All of it is read from the store, so every node tells the same, and a restart changes nothing.

use std::collections::BTreeMap;

use domain::audit::Action;
use domain::source::{Budget, Condition, Standing};
use jiff::Timestamp;
use store::defective_place::{self, DefectivePlace};
use store::push_subscription::PushSubscription;
use store::source::Backlog;
use store::unmapped_code::UnmappedCode;
use store::{Key, Tx};

use crate::audit::{self, Detail};
use crate::polling::standing;
use crate::{Source, Tracking};

/// Unmapped codes shown of a source in a list of sources.
pub const CODES_LISTED_MAX: u32 = 10;
/// Unmapped codes shown of one source.
pub const CODES_SHOWN_MAX: u32 = 200;

/// Places of defects shown of a source in a list of sources.
pub const PLACES_LISTED_MAX: u32 = 10;
/// Places of defects shown of one source: all that are kept.
pub const PLACES_SHOWN_MAX: u32 = 200;

/// How much is shown of a source.
#[derive(Clone, Copy)]
struct Extent {
    codes_max: u32,
    places_max: u32,
}

const LISTED: Extent = Extent {
    codes_max: CODES_LISTED_MAX,
    places_max: PLACES_LISTED_MAX,
};
const SHOWN: Extent = Extent {
    codes_max: CODES_SHOWN_MAX,
    places_max: PLACES_SHOWN_MAX,
};

/// One source, as it stands.
pub struct SourceState<'a> {
    /// What its profile says.
    pub source: &'a Source,
    /// What it may be asked; `None`: it is not asked.
    pub budget: Option<Budget>,
    /// What came of it so far.
    pub standing: Standing,
    /// What waits for it, or lies aside.
    pub backlog: Backlog,
    /// Our subscription at it, where we keep one.
    pub subscription: Option<PushSubscription>,
    /// Its most frequent codes that are in no table.
    pub codes: Vec<UnmappedCode>,
    /// Where something of its messages could not be used, as it was met last.
    pub defects: Vec<DefectivePlace>,
}

impl SourceState<'_> {
    /// How it is doing at `now`.
    pub fn condition(&self, now: Timestamp) -> Condition {
        self.standing
            .condition(self.budget.unwrap_or_default(), now)
    }

    /// For how many seconds the first of what waits has been waiting: a question that is due, or a message that is
    /// to be read.
    pub fn lag_seconds(&self, now: Timestamp) -> i64 {
        let since = [self.backlog.due_since, self.backlog.unread_since];
        let since = since.into_iter().flatten().min();
        since.map_or(0, |since| now.duration_since(since).as_secs().max(0))
    }
}

/// Every configured source, in the order of their files.
pub fn all<'a>(
    tx: &mut Tx,
    tracking: &'a Tracking,
    now: Timestamp,
) -> Result<Vec<SourceState<'a>>, store::Error> {
    of(tx, tracking.sources(), LISTED, now)
}

/// One of them.
pub fn find<'a>(
    tx: &mut Tx,
    tracking: &'a Tracking,
    id: &str,
    now: Timestamp,
) -> Result<Option<SourceState<'a>>, store::Error> {
    let named = tracking.source(id);
    let found = of(tx, named.into_iter(), SHOWN, now)?;
    Ok(found.into_iter().next())
}

fn of<'a>(
    tx: &mut Tx,
    sources: impl Iterator<Item = &'a Source>,
    extent: Extent,
    now: Timestamp,
) -> Result<Vec<SourceState<'a>>, store::Error> {
    let standings = store::source::all(tx)?;
    let mut backlogs = store::source::backlogs(tx, now)?;
    let state = |source: &'a Source| {
        let backlog = backlogs.remove(source.id()).unwrap_or_default();
        let codes = if backlog.unmapped > 0 {
            store::unmapped_code::of_source(tx, source.id(), extent.codes_max)?
        } else {
            Vec::new()
        };
        let defects = if backlog.defects > 0 {
            defective_place::of_source(tx, source.id(), extent.places_max)?
        } else {
            Vec::new()
        };
        let subscription = match source.push_rules() {
            Some(_) => store::push_subscription::find(tx, source.id())?,
            None => None,
        };
        Ok(SourceState {
            source,
            subscription,
            budget: standing::budget(source),
            standing: standing_of(source, &standings),
            backlog,
            codes,
            defects,
        })
    };
    sources.map(state).collect()
}

/// How a source stands: as its login does, but what came by itself is its own.
fn standing_of(source: &Source, standings: &BTreeMap<String, Standing>) -> Standing {
    let own = standings.get(source.id());
    let shared = standings.get(source.login()).cloned().unwrap_or_default();
    Standing {
        heard_at: own.and_then(|own| own.heard_at),
        ..shared
    }
}

/// Leaves a source alone until [`resume`], and with it all that share its login; `false`: there is none of this id.
/// Messages that come by themselves are taken in all the same: what was sent is not to be lost.
pub async fn pause(tracking: &Tracking, id: &str, reason: &str) -> Result<bool, store::Error> {
    let paused = pause_and_tell(tracking, id, reason, |_| Ok(Some(())));
    paused.await.map(|told| told.is_some())
}

/// The same, with what `tell` says of it in the same transaction.
pub async fn pause_and_tell<T: Send + 'static>(
    tracking: &Tracking,
    id: &str,
    reason: &str,
    tell: impl FnMut(&mut Tx) -> Result<Option<T>, store::Error> + Send + 'static,
) -> Result<Option<T>, store::Error> {
    let (now, reason) = (tracking.now(), reason.to_owned());
    let detail = Detail::default().with("reason", reason.as_str());
    let pausing = move |standing: &mut Standing| standing.pause(&reason, now);
    change(tracking, id, (Action::SourcePaused, detail), pausing, tell).await
}

/// Lets a source be asked again, whatever closed it but its budget; `false`: there is none of this id.
pub async fn resume(tracking: &Tracking, id: &str) -> Result<bool, store::Error> {
    let resumed = resume_and_tell(tracking, id, |_| Ok(Some(())));
    resumed.await.map(|told| told.is_some())
}

/// The same, with what `tell` says of it in the same transaction.
pub async fn resume_and_tell<T: Send + 'static>(
    tracking: &Tracking,
    id: &str,
    tell: impl FnMut(&mut Tx) -> Result<Option<T>, store::Error> + Send + 'static,
) -> Result<Option<T>, store::Error> {
    let noted = (Action::SourceResumed, Detail::default());
    let told = change(tracking, id, noted, Standing::resume, tell).await?;
    tracking.nudges().poll();
    Ok(told)
}

async fn change<T: Send + 'static>(
    tracking: &Tracking,
    id: &str,
    (action, detail): (Action, Detail),
    change: impl Fn(&mut Standing) + Send + 'static,
    mut tell: impl FnMut(&mut Tx) -> Result<Option<T>, store::Error> + Send + 'static,
) -> Result<Option<T>, store::Error> {
    let Some(source) = tracking.source(id) else {
        return Ok(None);
    };
    let login = source.login().to_owned();
    let (id, by) = (id.to_owned(), tracking.whoever(tracking.now()));
    let changing = tracking.store().write(Key::sightings(), move |tx| {
        let mut standing = store::source::hold(tx, &login)?;
        change(&mut standing);
        store::source::save(tx, &login, &standing)?;
        audit::note_for_all(tx, by, action, &id, detail.clone());
        tell(tx)
    });
    changing.await
}
