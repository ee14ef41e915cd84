//! Polling: asking each carrier about the watches that are due.
//!
//! A watch is claimed by lease, asked about outside any transaction, and settled in the transaction that
//! holds the effect of the answer. Who loses the lease meanwhile loses the result with it: the settling
//! transaction finds another claim token and is rolled back.
//!
//! A carrier has a budget (requests a minute) and a breaker (five failures in a row pause it for a minute,
//! doubling to half an hour); a 429 pauses it for as long as it asks. A paused carrier's watches wait; the
//! others go on.

mod pause;
mod stage;

pub(crate) use pause::Pauses;

use domain::tracking_request::{FailedReason, Happening};
use jiff::{SignedDuration, Timestamp};
use sources::ocean::dcsa::{Polling, PullFailure, Question};
use store::Key;
use store::watch::{Settled, Watch};
use tracing::{info, warn};
use uuid::Uuid;

use crate::intake::Reading;
use crate::intake::answer::{self, Kept};
use crate::projection::{self, Following, LineSays, Stale};
use crate::{Source, Tracking, id_source};

/// How often a watch is looked at that nobody can be asked about.
const UNASKED_EVERY: SignedDuration = SignedDuration::from_hours(1);

/// Claims watches that are due, in order of their due time and number.
pub(crate) async fn claim(
    tracking: &Tracking,
    owner: Uuid,
    limit: u32,
) -> Result<Vec<Watch>, store::Error> {
    let now = tracking.now();
    let busy = tracking.pauses().paused(now);
    let lease = tracking.watch_lease();
    let key = Key::watch(domain::ids::WatchId(owner));
    tracking
        .store()
        .write(key, move |tx| {
            store::watch::claim_due(tx, now, now + lease, owner, limit, &busy)
        })
        .await
}

/// Asks about one claimed watch and settles it.
pub(crate) async fn ask(tracking: &Tracking, watch: Watch) -> Result<(), store::Error> {
    let source = tracking.source(&watch.source);
    let Some((source, polling)) = source.and_then(|s| Some((s, s.polling()?))) else {
        return settle_unasked(tracking, watch, tracking.now()).await;
    };
    let budget = polling.requests_per_minute;
    if let Err(free_at) = tracking.pauses().take(source.id(), budget, tracking.now()) {
        return give_back(tracking, &watch, free_at).await;
    }
    let question = Question {
        kind: watch.kind,
        number: watch.number.clone(),
    };
    let answer = source.pull(&question, tracking.now()).await;
    let now = tracking.now();
    match answer {
        Ok(payloads) => {
            tracking.pauses().answered(source.id());
            let kept = answer::keep(tracking, source, watch.id, payloads, now).await?;
            let answer = Answer::of(tracking, source, kept);
            settle(tracking, polling, watch, answer, now).await
        }
        Err(PullFailure::Throttled { retry_after }) => {
            let wait = retry_after.and_then(|wait| SignedDuration::try_from(wait).ok());
            let until = now + pause::bounded(wait.unwrap_or(SignedDuration::from_mins(1)));
            tracking.pauses().pause_until(source.id(), until);
            give_back(tracking, &watch, until).await
        }
        Err(failure) => {
            note_failure(tracking, source, &watch, &failure, now);
            settle(tracking, polling, watch, Answer::failed(&failure), now).await
        }
    }
}

/// What came of a question.
struct Answer {
    readings: Vec<Reading>,
    says: Happening,
    answered: bool,
}

impl Answer {
    /// An answer nothing of which can be read is trouble, however often it is repeated; only one that can be
    /// read may say that there is nothing.
    fn of(tracking: &Tracking, source: &Source, kept: Kept) -> Self {
        let read = |raw| answer::read(tracking, source, &raw);
        let readings: Vec<Reading> = kept.fresh.into_iter().map(read).collect();
        let some = !readings.is_empty() || !kept.seen.is_empty();
        let mut again = kept.seen.into_iter().map(read);
        let unreadable = some
            && readings.iter().all(Reading::is_unreadable)
            && again.all(|reading| reading.is_unreadable());
        let trouble = Happening::Trouble(FailedReason::UnrecognizedResponse);
        let says = if unreadable {
            trouble
        } else {
            Happening::DataFound
        };
        Self {
            readings,
            says,
            answered: !unreadable,
        }
    }

    fn failed(failure: &PullFailure) -> Self {
        let says = match failure {
            PullFailure::NotFound => Happening::NotFound,
            PullFailure::InvalidNumber => Happening::InvalidNumber,
            PullFailure::DataUnavailable => Happening::DataUnavailable,
            PullFailure::Unreadable(_) => Happening::Trouble(FailedReason::UnrecognizedResponse),
            PullFailure::Unauthorized
            | PullFailure::Throttled { .. }
            | PullFailure::Unreachable(_) => {
                Happening::Trouble(FailedReason::ShippingLineUnreachable)
            }
        };
        let answered = matches!(
            failure,
            PullFailure::NotFound | PullFailure::InvalidNumber | PullFailure::DataUnavailable
        );
        Self {
            readings: Vec::new(),
            says,
            answered,
        }
    }
}

/// The effect of an answer and the end of the claim, in one transaction.
async fn settle(
    tracking: &Tracking,
    polling: &Polling,
    watch: Watch,
    answer: Answer,
    now: Timestamp,
) -> Result<(), store::Error> {
    let shared = tracking.clone();
    let intervals = polling.clone();
    let ids = id_source(now);
    let number = watch.number.clone();
    let settled = tracking
        .store()
        .write(Key::watch(watch.id), move |tx| {
            let mut ids = ids.clone();
            // A request that joins the watch meanwhile waits here, and then finds it settled and pulls it
            // forward: its number is never left unasked.
            store::watch::lock(tx, watch.id)?;
            let mut fresh = 0;
            for reading in &answer.readings {
                fresh += answer::write_reading(tx, watch.id, reading, &mut ids, now)?;
            }
            let says = LineSays {
                happening: Some(answer.says),
                attempted_at: Some(now),
                answered: answer.answered,
            };
            let following = projection::project(tx, &shared, watch.id, says, &mut ids, now)?;
            let settled = result(&watch, &answer, &following, fresh, &intervals, now);
            if !store::watch::settle(tx, watch.id, watch.claim_token, &settled)? {
                return Err(Stale::ClaimLost);
            }
            Ok(())
        })
        .await;
    match settled {
        Ok(()) => {
            tracking.nudges().deliver();
            Ok(())
        }
        Err(Stale::ClaimLost) => {
            info!(
                number,
                "another worker has taken this watch over; its answer counts"
            );
            Ok(())
        }
        Err(Stale::Store(error)) => Err(error),
    }
}

fn result(
    watch: &Watch,
    answer: &Answer,
    following: &Following,
    fresh: usize,
    intervals: &Polling,
    now: Timestamp,
) -> Settled {
    let failures = if answer.answered {
        0
    } else {
        watch.failures + 1
    };
    Settled {
        next_poll_at: stage::next_poll(following, intervals, failures, &watch.number, now),
        failures,
        attempted_at: now,
        succeeded_at: answer.answered.then_some(now),
        changed_at: (fresh > 0).then_some(now),
    }
}

/// A watch whose source is no longer configured: time passes for its shipments all the same, and it is looked
/// at again in an hour.
async fn settle_unasked(
    tracking: &Tracking,
    watch: Watch,
    now: Timestamp,
) -> Result<(), store::Error> {
    let (shared, ids) = (tracking.clone(), id_source(now));
    tracking
        .store()
        .write(Key::watch(watch.id), move |tx| {
            store::watch::lock(tx, watch.id)?;
            let says = LineSays::nothing();
            let mut ids = ids.clone();
            let following = projection::project(tx, &shared, watch.id, says, &mut ids, now)?;
            let followed = following.open > 0;
            let settled = Settled {
                next_poll_at: followed.then(|| now + UNASKED_EVERY),
                ..unanswered(&watch)
            };
            store::watch::settle(tx, watch.id, watch.claim_token, &settled).map(|_| ())
        })
        .await?;
    tracking.nudges().deliver();
    Ok(())
}

/// Ends a claim without an answer: the watch is due again at `at`.
async fn give_back(tracking: &Tracking, watch: &Watch, at: Timestamp) -> Result<(), store::Error> {
    let (id, token) = (watch.id, watch.claim_token);
    let settled = Settled {
        next_poll_at: Some(at),
        ..unanswered(watch)
    };
    tracking
        .store()
        .write(Key::watch(id), move |tx| {
            store::watch::settle(tx, id, token, &settled).map(|_| ())
        })
        .await
}

/// The line was not asked: all stays as it is.
fn unanswered(watch: &Watch) -> Settled {
    Settled {
        next_poll_at: None,
        failures: watch.failures,
        attempted_at: watch.last_attempted_at.unwrap_or(watch.created_at),
        succeeded_at: None,
        changed_at: None,
    }
}

fn note_failure(
    tracking: &Tracking,
    source: &Source,
    watch: &Watch,
    failure: &PullFailure,
    now: Timestamp,
) {
    match failure {
        PullFailure::NotFound | PullFailure::InvalidNumber | PullFailure::DataUnavailable => {
            tracking.pauses().answered(source.id());
        }
        trouble => {
            tracking.pauses().failed(source.id(), now);
            warn!(source = source.id(), number = watch.number, failure = %trouble, "the carrier did not answer");
        }
    }
}
