//! Polling: asking each carrier about the watches that are due.
//!
//! A watch is claimed by lease, asked about outside any transaction, and settled in the transaction that
//! holds the effect of the answer ([`settling`]). The lease is renewed while the question is under way. Who loses it all the
//! same loses the result with it: the settling transaction finds another claim token and is rolled back; only what
//! the question took out of the budget, and how the source did, is noted.
//!
//! Whether a source may be asked at all is told by how it stands ([`standing`]): paused, broken, asked to wait, or
//! asked enough. Its watches wait; those of the others go on. Each source has a few places of its own, so that one
//! that hangs takes none from the others. Of what it may be asked half is [kept](turns) for numbers that were answered before.

pub(crate) mod boxes;
mod claim;
mod lease;
pub(crate) mod lines;
pub(crate) mod looking;
mod panics;
mod refused;
mod settling;
mod stage;
pub(crate) mod standing;
mod turns;

pub(crate) use claim::{Busy, Task, claim, next_due};
pub(crate) use refused::Proofs;
pub(crate) use standing::{Came, Outcome};
pub(crate) use turns::Turns;

use std::sync::Arc;

use domain::source::Failures;
use domain::tracking_request::{FailedReason, Happening};
use jiff::Timestamp;
use sources::ocean::dcsa::{Payload, PullFailure, Question};
use store::raw_message::RawMessage;
use store::watch::Watch;
use tracing::warn;

use crate::intake::Reading;
use crate::intake::answer::{self, Kept};
use crate::projection::LineSays;
use crate::{Source, Tracking};
use settling::{end, give_back, settle, settle_unasked};

/// Does what was claimed, and settles it.
pub(crate) async fn ask(tracking: &Tracking, task: Task) -> Result<(), store::Error> {
    let (claims, watches) = (task.claims(), task.watches().to_vec());
    let asking = async {
        match task {
            Task::Number(watch) => ask_number(tracking, watch).await,
            Task::Boxes(source, watches) => boxes::ask(tracking, &source, watches).await,
        }
    };
    let asking = panics::caught(Box::pin(asking));
    match lease::kept(tracking, claims, asking).await {
        Ok(done) => done,
        Err(panicked) => panics::end(tracking, &watches, panicked).await,
    }
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
    let since = source.unknown_since(&watch);
    let pulled = source.pull(&question, since, tracking.now()).await;
    let now = tracking.now();
    let mut outcome = Outcome::of(&pulled, failures(std::slice::from_ref(&watch)));
    let refusal = refused::of_profile(tracking, source, &question, &pulled);
    if let Some(why) = &refusal {
        outcome = outcome.refusal(why);
    }
    tell(&watch.source, &watch.number, &outcome);
    match pulled.answer {
        Ok(payloads) => {
            let fresh_until = fresh_until(&payloads, now);
            match answer::keep(tracking, source, watch.id, payloads, now).await {
                Ok(kept) => {
                    let answer = Answer::of(tracking, source, &kept, outcome, fresh_until);
                    if answer.tells {
                        tracking.proofs().told(source, &question);
                    }
                    settle(tracking, polling, watch, answer, now).await
                }
                Err(error) => end(tracking, &watch, outcome, error, now).await,
            }
        }
        Err(PullFailure::Throttled { .. }) => give_back(tracking, &watch, outcome, now).await,
        // Its profile asks no longer about such numbers: as if it were not configured.
        Err(PullFailure::NotAsked) => {
            standing::note(tracking, tracking.login_of(&watch.source), outcome).await?;
            settle_unasked(tracking, watch, now).await
        }
        Err(failure) => {
            let mut answer = Answer::failed(&failure, outcome);
            if refusal.is_some() {
                answer.says = Happening::Trouble(FailedReason::UnrecognizedResponse);
                answer.answered = false;
            }
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
    readings: Arc<[Reading]>,
    says: Happening,
    answered: bool,
    /// Whether all of it could be read.
    is_whole: bool,
    /// Whether it says anything, be it what was said before.
    tells: bool,
    outcome: Outcome,
    fresh_until: Option<Timestamp>,
}

impl Answer {
    /// An answer nothing of which can be read is trouble, however often it is repeated; only one that can be
    /// read may say that there is nothing.
    fn of(
        tracking: &Tracking,
        source: &Source,
        kept: &Kept,
        outcome: Outcome,
        fresh_until: Option<Timestamp>,
    ) -> Self {
        let read = |raw: &RawMessage| answer::read(tracking, source, raw);
        let readings: Vec<Reading> = kept.fresh.iter().map(read).collect();
        let some = !readings.is_empty() || !kept.seen.is_empty();
        // What was seen before is read once more only where nothing new can be, or nothing new tells anything.
        let mut is_read = !readings.iter().all(Reading::is_unreadable);
        let mut tells = readings.iter().any(Reading::says_something);
        let mut again = kept.seen.iter().map(read);
        while !(is_read && tells)
            && let Some(reading) = again.next()
        {
            is_read |= !reading.is_unreadable();
            tells |= reading.says_something();
        }
        let unreadable = some && !is_read;
        // Where nothing is new nobody asks, and what was seen before is not read once more.
        let mut beside = kept.seen.iter().filter(|_| !readings.is_empty()).map(read);
        let is_whole = readings.iter().all(Reading::is_sound) && beside.all(|it| it.is_sound());
        let (says, outcome) = if unreadable {
            let trouble = Happening::Trouble(FailedReason::UnrecognizedResponse);
            let why = readings.iter().find_map(Reading::first_defect);
            let why = why.unwrap_or("nothing of its answer can be read");
            (trouble, outcome.unreadable(why))
        } else {
            (Happening::DataFound, outcome)
        };
        Self {
            readings: readings.into(),
            says,
            answered: !unreadable,
            is_whole,
            tells,
            outcome,
            fresh_until,
        }
    }

    fn failed(failure: &PullFailure, outcome: Outcome) -> Self {
        let says = match failure {
            PullFailure::NotFound => Happening::NotFound,
            PullFailure::InvalidNumber(_) => Happening::InvalidNumber,
            PullFailure::DataUnavailable => Happening::DataUnavailable,
            PullFailure::Unreadable(_) => Happening::Trouble(FailedReason::UnrecognizedResponse),
            PullFailure::Unauthorized
            | PullFailure::SecretMissing(_)
            | PullFailure::Throttled { .. }
            | PullFailure::NotAsked
            | PullFailure::Unreachable(_) => {
                Happening::Trouble(FailedReason::ShippingLineUnreachable)
            }
        };
        let answered = matches!(
            failure,
            PullFailure::NotFound | PullFailure::InvalidNumber(_) | PullFailure::DataUnavailable
        );
        Self {
            readings: Arc::from([]),
            says,
            answered,
            is_whole: true,
            tells: false,
            outcome,
            fresh_until: None,
        }
    }

    fn line_says(&self, now: Timestamp) -> LineSays {
        LineSays {
            happening: Some(self.says),
            attempted_at: Some(now),
            answered: self.answered,
        }
    }
}

/// How what one question was about had failed before: of several, the one that failed least. Where it fails too, it is the source
/// that fails, or one of the others beside it.
fn failures(watches: &[Watch]) -> Failures {
    let failures = watches.iter().map(|watch| Failures {
        in_a_row: watch.failures,
        last_at: watch.last_attempted_at.filter(|_| watch.failures > 0),
    });
    failures
        .min_by_key(|before| (before.in_a_row, before.last_at))
        .unwrap_or_default()
}

/// Every trouble is worth a line in the log: the store keeps the last of each kind only.
fn tell(source: &str, number: &str, outcome: &Outcome) {
    match &outcome.came {
        Came::Nothing | Came::Answer => {}
        Came::Refusal { why } => warn!(source, number, why, "the source refuses the question"),
        Came::Failure { trouble, why } => {
            let trouble = trouble.as_str();
            warn!(source, number, trouble, why, "the source did not answer");
        }
        Came::Throttle { wait, .. } => {
            let seconds = wait.map(|wait| wait.as_secs());
            warn!(source, seconds, "the source asks us to wait");
        }
    }
}
