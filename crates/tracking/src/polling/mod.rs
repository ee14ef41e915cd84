//! Polling: asking each carrier about the watches that are due.
//!
//! A watch is claimed by lease, asked about outside any transaction, and settled in the transaction that
//! holds the effect of the answer. The lease is renewed while the question is under way. Who loses it all the
//! same loses the result with it: the settling transaction finds another claim token and is rolled back; only what
//! the question took out of the budget, and how the source did, is noted.
//!
//! Whether a source may be asked at all is told by how it stands ([`standing`]): paused, broken, asked to wait, or
//! asked enough. Its watches wait; those of the others go on. Each source has a few places of its own, so that one
//! that hangs takes none from the others.

pub(crate) mod boxes;
mod claim;
mod lease;
pub(crate) mod lines;
mod stage;
pub(crate) mod standing;

pub(crate) use claim::{Busy, Task, claim, next_due};
pub(crate) use standing::Outcome;

use domain::tracking_request::{FailedReason, Happening};
use jiff::{SignedDuration, Timestamp};
use sources::ocean::dcsa::{Payload, Polling, PullFailure, Question};
use store::Key;
use store::watch::{Settled, Watch};
use tracing::{info, warn};

use crate::intake::Reading;
use crate::intake::answer::{self, Kept};
use crate::projection::{self, Following, LineSays, Stale};
use crate::{Source, Tracking, id_source};

/// How often a watch is looked at that nobody can be asked about.
const UNASKED_EVERY: SignedDuration = SignedDuration::from_hours(1);

/// Does what was claimed, and settles it.
pub(crate) async fn ask(tracking: &Tracking, task: Task) -> Result<(), store::Error> {
    let claims = task.claims();
    let asking = async {
        match task {
            Task::Number(watch) => ask_number(tracking, watch).await,
            Task::Boxes(source, watches) => boxes::ask(tracking, &source, watches).await,
        }
    };
    lease::kept(tracking, claims, Box::pin(asking)).await
}

/// Asks about one claimed watch and settles it.
async fn ask_number(tracking: &Tracking, watch: Watch) -> Result<(), store::Error> {
    let source = tracking.source(&watch.source);
    let Some((source, polling)) = source.and_then(|s| Some((s, s.polling()?))) else {
        return settle_unasked(tracking, watch, tracking.now()).await;
    };
    let question = Question {
        kind: watch.kind,
        number: watch.number.clone(),
    };
    let pulled = source.pull(&question, tracking.now()).await;
    let now = tracking.now();
    let outcome = Outcome::of(&pulled);
    tell(&watch.source, &watch.number, &outcome);
    match pulled.answer {
        Ok(payloads) => {
            let fresh_until = fresh_until(&payloads, now);
            let kept = answer::keep(tracking, source, watch.id, payloads, now).await?;
            let answer = Answer::of(tracking, source, kept, outcome, fresh_until);
            settle(tracking, polling, watch, answer, now).await
        }
        Err(PullFailure::Throttled { .. }) => give_back(tracking, &watch, outcome, now).await,
        Err(failure) => {
            let answer = Answer::failed(&failure, outcome);
            settle(tracking, polling, watch, answer, now).await
        }
    }
}

/// Until when asking again would give the same, by the carrier's own word.
fn fresh_until(payloads: &[Payload], now: Timestamp) -> Option<Timestamp> {
    let longest = payloads.iter().filter_map(|page| page.fresh_for).max()?;
    now.checked_add(longest).ok()
}

/// What came of a question.
struct Answer {
    readings: Vec<Reading>,
    says: Happening,
    answered: bool,
    outcome: Outcome,
    fresh_until: Option<Timestamp>,
}

impl Answer {
    /// An answer nothing of which can be read is trouble, however often it is repeated; only one that can be
    /// read may say that there is nothing.
    fn of(
        tracking: &Tracking,
        source: &Source,
        kept: Kept,
        outcome: Outcome,
        fresh_until: Option<Timestamp>,
    ) -> Self {
        let read = |raw| answer::read(tracking, source, &raw);
        let readings: Vec<Reading> = kept.fresh.into_iter().map(read).collect();
        let some = !readings.is_empty() || !kept.seen.is_empty();
        let mut again = kept.seen.into_iter().map(read);
        let unreadable = some
            && readings.iter().all(Reading::is_unreadable)
            && again.all(|reading| reading.is_unreadable());
        let (says, outcome) = if unreadable {
            let trouble = Happening::Trouble(FailedReason::UnrecognizedResponse);
            let why = readings.iter().find_map(Reading::first_defect);
            let why = why.unwrap_or("nothing of its answer can be read");
            (trouble, Outcome::unreadable(why, outcome.requests()))
        } else {
            (Happening::DataFound, outcome)
        };
        Self {
            readings,
            says,
            answered: !unreadable,
            outcome,
            fresh_until,
        }
    }

    fn failed(failure: &PullFailure, outcome: Outcome) -> Self {
        let says = match failure {
            PullFailure::NotFound => Happening::NotFound,
            PullFailure::InvalidNumber => Happening::InvalidNumber,
            PullFailure::DataUnavailable => Happening::DataUnavailable,
            PullFailure::Unreadable(_) => Happening::Trouble(FailedReason::UnrecognizedResponse),
            PullFailure::Unauthorized
            | PullFailure::SecretMissing(_)
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
            outcome,
            fresh_until: None,
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
    let (number, outcome) = (watch.number.clone(), answer.outcome.clone());
    let login = tracking.login_of(&watch.source).to_owned();
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
            answer
                .outcome
                .note(tx, shared.login_of(&watch.source), now)?;
            if !store::watch::settle(tx, watch.id, watch.claim_token, &settled)? {
                return Err(Stale::ClaimLost);
            }
            Ok(following.dispatch)
        })
        .await;
    match settled {
        Ok(dispatch) => {
            dispatch.send(tracking);
            tracking.nudges().deliver();
            Ok(())
        }
        Err(Stale::ClaimLost) => {
            info!(
                number,
                "another worker has taken this watch over; its answer counts"
            );
            standing::note(tracking, &login, outcome).await
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
    let next = stage::next_poll(following, intervals, failures, &watch.number, now);
    Settled {
        next_poll_at: next.max(next.and(answer.fresh_until)),
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
    let dispatch = tracking
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
            store::watch::settle(tx, watch.id, watch.claim_token, &settled)?;
            Ok::<_, store::Error>(following.dispatch)
        })
        .await?;
    dispatch.send(tracking);
    tracking.nudges().deliver();
    Ok(())
}

/// Ends a claim without an answer: the source had enough of us, and the watch stays due.
async fn give_back(
    tracking: &Tracking,
    watch: &Watch,
    outcome: Outcome,
    now: Timestamp,
) -> Result<(), store::Error> {
    let (id, token) = (watch.id, watch.claim_token);
    let due_at = watch.next_poll_at.unwrap_or(now);
    let login = tracking.login_of(&watch.source).to_owned();
    tracking
        .store()
        .write(Key::watch(id), move |tx| {
            outcome.note(tx, &login, now)?;
            store::watch::give_back(tx, id, token, due_at)
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

/// Every trouble is worth a line in the log: the store keeps the last of each kind only.
fn tell(source: &str, number: &str, outcome: &Outcome) {
    match outcome {
        Outcome::Answered { .. } => {}
        Outcome::Failed { trouble, why, .. } => {
            let trouble = trouble.as_str();
            warn!(source, number, trouble, why, "the source did not answer");
        }
        Outcome::Throttled { wait, .. } => {
            let seconds = wait.map(|wait| wait.as_secs());
            warn!(source, seconds, "the source asks us to wait");
        }
    }
}
