//! Who may be asked, as all nodes know it, and what came of asking.
//!
//! What stands is a login: a source has one of its own, or shares that of others. The rules are `domain::source`'s.
//! Here they meet the store: a question is taken out of the budget in the transaction that claims the watch, and what
//! came of it is noted in the one that settles the watch, or by itself where that one cannot be committed.

use domain::source::{Budget, Closed, Failures, Standing, Trouble};
use jiff::{SignedDuration, Timestamp};
use sources::ocean::dcsa::PullFailure;
use store::{Key, Tx};

use crate::source::Pulled;
use crate::{Source, Tracking};

/// What came of a question, for whoever looks after the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// What came.
    pub(crate) came: Came,
    /// What was sent for it.
    pub(crate) requests: u32,
    /// How its number had failed before.
    pub(crate) before: Failures,
}

/// What a source did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// Nothing: it was not asked.
    Nothing,
    /// It answered.
    Answer,
    /// It answered, and there is something about it that an operator has to look at.
    Refusal { why: String },
    /// It did not.
    Failure { trouble: Trouble, why: String },
    /// It asks to be left alone, for as long.
    Throttle {
        wait: Option<SignedDuration>,
        why: String,
    },
}

impl Outcome {
    /// Of an answer, or of none, to a question about a number that had failed like this before.
    pub(crate) fn of<Answer>(pulled: &Pulled<Answer>, before: Failures) -> Self {
        Self {
            came: pulled
                .answer
                .as_ref()
                .err()
                .map_or(Came::Answer, Came::instead),
            requests: pulled.requests,
            before,
        }
    }

    /// The same, where it is the profile that seems to ask wrongly.
    pub(crate) fn refusal(self, why: &str) -> Self {
        let why = why.to_owned();
        Self {
            came: Came::Refusal { why },
            ..self
        }
    }

    /// The same, where nothing of the answer can be read.
    pub(crate) fn unreadable(self, why: &str) -> Self {
        Self {
            came: Came::unreadable(why),
            ..self
        }
    }

    /// Writes it down for a login, last in the transaction that holds the effect of the answer.
    pub(crate) fn note(
        &self,
        tx: &mut Tx,
        login: &str,
        now: Timestamp,
    ) -> Result<(), store::Error> {
        // One was taken out of the budget before it was sent.
        let more = self.requests.saturating_sub(1);
        if self.came == Came::Answer && more == 0 {
            return store::source::answered(tx, login, now);
        }
        let mut standing = store::source::hold(tx, login)?;
        standing.used(more, now);
        match &self.came {
            Came::Nothing => standing.unsent(now),
            Came::Answer => standing.answered(now),
            Came::Refusal { why } => {
                standing.met(Trouble::Unreadable, why, now);
                standing.answered(now);
            }
            Came::Failure { trouble, why } => standing.failed(*trouble, why, self.before, now),
            Came::Throttle { wait, why } => standing.throttled(*wait, why, now),
        }
        store::source::save(tx, login, &standing)
    }
}

impl Came {
    /// An answer came, and nothing of it can be read.
    pub(crate) fn unreadable(why: &str) -> Self {
        Self::Failure {
            trouble: Trouble::Unreadable,
            why: why.to_owned(),
        }
    }

    fn instead(failure: &PullFailure) -> Self {
        let why = failure.to_string();
        let trouble = match failure {
            PullFailure::NotAsked => return Self::Nothing,
            PullFailure::NotFound | PullFailure::InvalidNumber(_) => return Self::Answer,
            PullFailure::Throttled { retry_after } => {
                return Self::Throttle {
                    wait: retry_after.and_then(|wait| SignedDuration::try_from(wait).ok()),
                    why,
                };
            }
            PullFailure::DataUnavailable => Trouble::Refused,
            PullFailure::Unauthorized | PullFailure::SecretMissing(_) => Trouble::Unauthorized,
            PullFailure::Unreachable(_) => Trouble::Unreachable,
            PullFailure::Unreadable(_) => Trouble::Unreadable,
        };
        Self::Failure { trouble, why }
    }
}

/// What this source may be asked; `None`: it is not asked at all.
pub(crate) fn budget(source: &Source) -> Option<Budget> {
    let polling = source.polling()?;
    Some(Budget {
        per_minute: polling.requests_per_minute,
        per_day: polling.requests_per_day,
        apart: source.asker().map_or(SignedDuration::ZERO, |asker| {
            SignedDuration::try_from(asker.asking().pause).unwrap_or_default()
        }),
    })
}

/// Takes one question out of a source's budget, apart from any watch.
pub(crate) async fn admit(
    tracking: &Tracking,
    source: &Source,
    budget: Budget,
) -> Result<Result<(), Closed>, store::Error> {
    let (login, now) = (source.login().to_owned(), tracking.now());
    let admitting = tracking.store().write(Key::sightings(), move |tx| {
        let mut standing = store::source::hold(tx, &login)?;
        let admitted = standing.ask(budget, now);
        if admitted.is_ok() {
            store::source::save(tx, &login, &standing)?;
        }
        Ok::<_, store::Error>(admitted)
    });
    admitting.await
}

/// Notes what came of a question, apart from any watch.
pub(crate) async fn note(
    tracking: &Tracking,
    login: &str,
    outcome: Outcome,
) -> Result<(), store::Error> {
    let (login, now) = (login.to_owned(), tracking.now());
    let noting = tracking
        .store()
        .write(Key::sightings(), move |tx| outcome.note(tx, &login, now));
    noting.await
}

/// The sources among ours that may not be asked at `now`, and until when.
pub(crate) fn closed(
    tracking: &Tracking,
    standings: &std::collections::BTreeMap<String, Standing>,
    now: Timestamp,
) -> Vec<(String, Closed)> {
    let asked = tracking.sources().filter(|source| !source.is_for_trials());
    asked
        .filter_map(|source| {
            let standing = standings.get(source.login())?;
            let closed = standing.may_ask(budget(source)?, now).err()?;
            Some((source.id().to_owned(), closed))
        })
        .collect()
}
