//! The end of a claim: the effect of an answer, and when its number is asked about next.
//!
//! An answer is settled in one transaction. Where that fails for good, for one of those who follow or by what was answered, it
//! is settled [apart], so that nobody else waits for who cannot be told. Where even that fails, the claim is
//! ended all the same and what came of the question is noted. Else the lease would bring the number back as the one that is
//! overdue the longest; and while its source is on trial after a 429 or a failure, it would take every trial, none of which
//! ended, and no other number of the source would be asked.

use std::sync::Arc;

use domain::tracking_request::retry_after;
use jiff::{SignedDuration, Timestamp};
use sources::ocean::dcsa::Polling;
use store::Key;
use store::watch::{Settled, Watch};
use tracing::{info, warn};

use super::{Answer, Outcome, stage, standing};
use crate::intake::answer;
use crate::intake::apart::{self, Held};
use crate::intake::{close_all, finish, spread};
use crate::projection::{self, Following, LineSays, Stale};
use crate::{Tracking, id_source};

/// How often a watch is looked at that nobody can be asked about.
const UNASKED_EVERY: SignedDuration = SignedDuration::from_hours(1);

/// The effect of an answer and the end of the claim: at once, else apart.
pub(super) async fn settle(
    tracking: &Tracking,
    polling: &Polling,
    watch: Watch,
    answer: Answer,
    now: Timestamp,
) -> Result<(), store::Error> {
    let (watch, answer) = (Arc::new(watch), Arc::new(answer));
    let at_once = match spread(tracking, watch.id, &answer.readings).await {
        Ok(()) => settle_at_once(tracking, polling, &watch, &answer, now).await,
        Err(error) => Err(Stale::Store(error)),
    };
    let settled = match at_once {
        Err(stale) if !stale.is_away() => {
            settle_apart(tracking, polling, &watch, &answer, now).await
        }
        done => done,
    };
    tracking.nudges().deliver();
    let outcome = answer.outcome.clone();
    match settled {
        Ok(()) => Ok(()),
        Err(Stale::ClaimLost) => {
            let (number, login) = (&watch.number, tracking.login_of(&watch.source));
            info!(
                number,
                "another worker has taken this watch over; its answer counts"
            );
            standing::note(tracking, login, outcome).await
        }
        Err(Stale::Store(error)) => end(tracking, &watch, outcome, error, now).await,
    }
}

/// All in one transaction.
async fn settle_at_once(
    tracking: &Tracking,
    polling: &Polling,
    watch: &Arc<Watch>,
    answer: &Arc<Answer>,
    now: Timestamp,
) -> Result<(), Stale> {
    let (shared, intervals) = (tracking.clone(), polling.clone());
    let (watch, answer, ids) = (Arc::clone(watch), Arc::clone(answer), id_source(now));
    let rest = tracking
        .store()
        .write(Key::watch(watch.id), move |tx| {
            let mut ids = ids.clone();
            // A request that joins the watch meanwhile waits here, and then finds it settled and pulls it
            // forward: its number is never left unasked.
            store::watch::lock(tx, watch.id)?;
            let mut fresh = 0;
            for reading in answer.readings.iter() {
                fresh += answer::file_reading(tx, watch.id, reading, &mut ids, now)?;
            }
            let says = answer.line_says(now);
            let following = projection::project(tx, &shared, watch.id, says, &mut ids, now)?;
            let settled = result(&watch, &answer, &following, fresh, &intervals, now);
            close_all(tx, answer.readings.iter(), now)?;
            answer
                .outcome
                .note(tx, shared.login_of(&watch.source), now)?;
            if !store::watch::settle(tx, watch.id, watch.claim_token, &settled)? {
                return Err(Stale::ClaimLost);
            }
            Ok(following.rest)
        })
        .await?;
    finish(tracking, rest).await;
    Ok(())
}

/// Each reading and each of those who follow in a transaction of its own, the end of the claim in the last.
///
/// As long as somebody could be told, the watch is asked about as often as they need it; an answer that reached nobody, or
/// of which a part is missing, is asked for again later and later.
async fn settle_apart(
    tracking: &Tracking,
    polling: &Polling,
    watch: &Arc<Watch>,
    answer: &Arc<Answer>,
    now: Timestamp,
) -> Result<(), Stale> {
    let held = Held {
        watch: watch.id,
        claim: Some(watch.claim_token),
    };
    let says = answer.line_says(now);
    let apart = apart::take_in(tracking, held, &answer.readings, says, now).await?;
    let (shared, intervals) = (tracking.clone(), polling.clone());
    let (watch, answer) = (Arc::clone(watch), Arc::clone(answer));
    let ending = tracking.store().write(Key::watch(watch.id), move |tx| {
        held.hold(tx)?;
        apart.close(tx, &answer.readings, now)?;
        let following = &apart.following;
        let reached = apart.all_told || following.open > 0;
        let mut settled = if apart.all_filed && reached {
            result(&watch, &answer, following, apart.fresh, &intervals, now)
        } else {
            unsettled(&watch, now)
        };
        // Who came between two of the transactions found the watch due, as it was claimed.
        if apart.somebody_came(tx)? {
            settled.next_poll_at = Some(now);
        }
        answer
            .outcome
            .note(tx, shared.login_of(&watch.source), now)?;
        store::watch::settle(tx, watch.id, watch.claim_token, &settled)?;
        Ok(())
    });
    ending.await
}

/// Ends a claim whose answer was not settled. What came of the question is noted all the same, in transactions of their own:
/// else one number of which no answer can be taken in would keep its source on trial, and take every trial of it.
pub(super) async fn end(
    tracking: &Tracking,
    watch: &Watch,
    outcome: Outcome,
    failure: store::Error,
    now: Timestamp,
) -> Result<(), store::Error> {
    if failure.is_away() {
        return Err(failure);
    }
    let login = tracking.login_of(&watch.source);
    standing::note(tracking, login, outcome).await?;
    put_off(tracking, watch, failure, now).await
}

/// Ends a claim that cannot be settled: its number is asked about later and later.
pub(super) async fn put_off(
    tracking: &Tracking,
    watch: &Watch,
    failure: store::Error,
    now: Timestamp,
) -> Result<(), store::Error> {
    if failure.is_away() {
        return Err(failure);
    }
    let (source, number, error) = (&watch.source, &watch.number, failure);
    warn!(source, number, %error, "an answer cannot be taken in; the number is asked about again later");
    let (id, token, settled) = (watch.id, watch.claim_token, unsettled(watch, now));
    let putting_off = tracking.store().write(Key::watch(id), move |tx| {
        store::watch::settle(tx, id, token, &settled).map(drop)
    });
    putting_off.await
}

/// It answered, and that is as good as no answer.
fn unsettled(watch: &Watch, now: Timestamp) -> Settled {
    let failures = watch.failures.saturating_add(1);
    Settled {
        next_poll_at: Some(now + retry_after(failures)),
        failures,
        attempted_at: now,
        succeeded_at: None,
        changed_at: None,
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
        changed_at: (fresh > 0 && answer.is_whole).then_some(now),
    }
}

/// A watch whose source is no longer configured, or asks no longer about such numbers: time passes for its shipments all the
/// same, and it is looked at again in an hour.
pub(super) async fn settle_unasked(
    tracking: &Tracking,
    watch: Watch,
    now: Timestamp,
) -> Result<(), store::Error> {
    let watch = Arc::new(watch);
    let (shared, row, ids) = (tracking.clone(), Arc::clone(&watch), id_source(now));
    let looking = tracking.store().write(Key::watch(watch.id), move |tx| {
        store::watch::lock(tx, row.id)?;
        let says = LineSays::nothing();
        let mut ids = ids.clone();
        let following = projection::project(tx, &shared, row.id, says, &mut ids, now)?;
        let followed = following.open > 0;
        let settled = Settled {
            next_poll_at: followed.then(|| now + UNASKED_EVERY),
            ..unanswered(&row)
        };
        store::watch::settle(tx, row.id, row.claim_token, &settled)?;
        Ok::<_, store::Error>(following.rest)
    });
    match looking.await {
        Ok(rest) => finish(tracking, rest).await,
        Err(error) if error.is_away() => return Err(error),
        Err(_) => look_apart(tracking, &watch, now).await?,
    }
    tracking.nudges().deliver();
    Ok(())
}

/// The same for each of those who follow it by itself, where it cannot be done at once.
async fn look_apart(
    tracking: &Tracking,
    watch: &Watch,
    now: Timestamp,
) -> Result<(), store::Error> {
    let held = Held {
        watch: watch.id,
        claim: Some(watch.claim_token),
    };
    let says = LineSays::nothing();
    match apart::take_in(tracking, held, &Arc::from([]), says, now).await {
        Ok(_) | Err(Stale::ClaimLost) => {}
        Err(Stale::Store(error)) => return put_off(tracking, watch, error, now).await,
    }
    let (id, token) = (watch.id, watch.claim_token);
    let settled = Settled {
        next_poll_at: Some(now + UNASKED_EVERY),
        ..unanswered(watch)
    };
    let ending = tracking.store().write(Key::watch(id), move |tx| {
        store::watch::settle(tx, id, token, &settled).map(drop)
    });
    ending.await
}

/// Ends a claim without an answer: the source had enough of us, and the watch stays due, behind all that are due now. It may be
/// this number that the source has enough of, and then another one is the next trial.
pub(super) async fn give_back(
    tracking: &Tracking,
    watch: &Watch,
    outcome: Outcome,
    now: Timestamp,
) -> Result<(), store::Error> {
    let (id, token) = (watch.id, watch.claim_token);
    let login = tracking.login_of(&watch.source).to_owned();
    let noted = outcome.clone();
    let giving_back = tracking.store().write(Key::watch(id), move |tx| {
        store::watch::give_back(tx, id, token, now)?;
        // The source's row is the last that is held, here as everywhere.
        noted.note(tx, &login, now)
    });
    match giving_back.await {
        Ok(()) => Ok(()),
        Err(error) => end(tracking, watch, outcome, error, now).await,
    }
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
