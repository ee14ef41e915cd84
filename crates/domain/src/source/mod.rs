//! Where one source stands with us: whether it may be asked, and what came of it so far.
//!
//! A source is one set of credentials at one door. Four things can close it, each for its own reason, and whoever
//! looks after it must be able to tell them apart:
//!
//! * a **pause**: a person said so. Only a person ends it.
//! * the **breaker**: it failed too often, or refused our credentials. It opens again by itself, for one question,
//!   the *trial*; the answer to that decides.
//! * a **wait**: it asked us to (`429`, `Retry-After`). After it, one question is let through; where that is not
//!   answered either, the next wait is twice as long, until an answer comes.
//! * the **budget**: what may be asked in a minute or a day is asked.
//!
//! All of it is a value: it is read from the store, changed by what happens, and written back in the transaction
//! that holds the effect of what happened. So any number of nodes share one budget and one breaker, and a restart
//! forgets nothing. Time is an argument.

mod breaker;
mod budget;
mod interest;
mod subscription;

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

pub use breaker::{BREAKER_FIRST, BREAKER_LONGEST, Breaker, FAILURES_MAX, TRIAL_LASTS};
pub use budget::{Budget, Spent};
pub use interest::{Interest, Keeper, interest, interest_begins};
pub use subscription::{RENEWED_EVERY, RETRY_FIRST, RETRY_LONGEST, SECRET_LASTS, Step, Subscribed};

/// However long a source asks us to wait, it is asked again after this.
pub const WAIT_LONGEST: SignedDuration = SignedDuration::from_hours(1);
/// Wait after a source had enough and named no time.
pub const WAIT_UNNAMED: SignedDuration = SignedDuration::from_mins(1);
/// A second, doubled so often, is longer than the longest wait.
const WAIT_DOUBLINGS_MAX: u32 = 12;
/// Longest text that is kept about a trouble, in characters.
pub const WHY_CHARS_MAX: usize = 300;

/// Why a question found no answer, by what an operator does about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trouble {
    /// Our credentials are not accepted, or there are none: set them right.
    Unauthorized,
    /// They are good, and do not reach what was asked for: ask the source for the right.
    Refused,
    /// Asked too often: lower the budget, or buy more.
    RateLimited,
    /// No connection, no answer, or out of order: wait, or look at the way there.
    Unreachable,
    /// An answer that is not what was asked for: look at the profile.
    Unreadable,
}

impl Trouble {
    /// Every kind.
    pub const ALL: [Self; 5] = [
        Self::Unauthorized,
        Self::Refused,
        Self::RateLimited,
        Self::Unreachable,
        Self::Unreadable,
    ];

    /// As stored and as shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unauthorized => "unauthorized",
            Self::Refused => "refused",
            Self::RateLimited => "rate_limited",
            Self::Unreachable => "unreachable",
            Self::Unreadable => "unreadable",
        }
    }

    /// Reads what [`as_str`](Self::as_str) writes.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// What an operator does about it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Unauthorized => {
                "set its secrets right and start again, or resume it where they are right"
            }
            Self::Refused => {
                "its credentials do not reach these numbers: ask the source for the right"
            }
            Self::RateLimited => "lower requests_per_minute or requests_per_day in its profile",
            Self::Unreachable => {
                "it is tried again by itself; look at egress and DNS when it lasts"
            }
            Self::Unreadable => "look at what it sent and at the address in its profile",
        }
    }
}

/// How often a trouble was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Since the source was first asked.
    pub count: u64,
    /// The last time.
    pub last_at: Timestamp,
    /// What was said the last time.
    pub why: String,
}

/// How a number failed so far; nothing, where a question is about none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// In a row.
    pub in_a_row: u32,
    /// When it last did.
    pub last_at: Option<Timestamp>,
}

/// A person's word that a source is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Since when.
    pub at: Timestamp,
    /// Why, in the person's words; may be empty.
    pub reason: String,
}

/// What closes a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shut {
    /// A person.
    Paused,
    /// The breaker, for this trouble.
    Broken(Trouble),
    /// Nobody but the trial that is under way, after this trouble.
    Trying(Trouble),
    /// It asked us to wait.
    Waiting,
    /// The pause between two questions.
    Between,
    /// The budget of the minute.
    MinuteSpent,
    /// The budget of the day.
    DaySpent,
}

/// A source that may not be asked, and when it may; `None` waits for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed {
    /// What closes it.
    pub by: Shut,
    /// Until when.
    pub until: Option<Timestamp>,
}

/// How one source stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Closed by hand.
    pub paused: Option<Pause>,
    /// Closed by failures.
    pub breaker: Breaker,
    /// Closed by its own wish.
    pub wait_until: Option<Timestamp>,
    /// How often in a row it asked us to wait, without an answer between.
    pub waits: u32,
    /// Used of its budget.
    pub spent: Spent,
    /// When it was last asked.
    pub asked_at: Option<Timestamp>,
    /// When it last answered.
    pub answered_at: Option<Timestamp>,
    /// When a message of it last came by itself.
    pub heard_at: Option<Timestamp>,
    /// What went wrong, by kind.
    pub troubles: BTreeMap<Trouble, Tally>,
}

impl Standing {
    /// Whether it may be asked at `now`, within this budget. Changes nothing.
    pub fn may_ask(&self, budget: Budget, now: Timestamp) -> Result<(), Closed> {
        if self.paused.is_some() {
            return Err(Closed {
                by: Shut::Paused,
                until: None,
            });
        }
        self.breaker.may_ask(now)?;
        if let Some(until) = self.wait_until.filter(|until| *until > now) {
            return Err(Closed {
                by: Shut::Waiting,
                until: Some(until),
            });
        }
        if self.waits > 0 {
            self.breaker.may_try(Trouble::RateLimited, now)?;
        }
        if let Some(asked_at) = self.asked_at
            // A clock that was set back, or another node's, closes nothing for longer than the pause.
            && now.duration_since(asked_at).abs() < budget.apart
        {
            return Err(Closed {
                by: Shut::Between,
                until: asked_at.checked_add(budget.apart).ok(),
            });
        }
        self.spent.room(budget, now).map(|_| ())
    }

    /// How many questions it may be asked at `now`; one while it is on trial, or where there is a pause between two.
    pub fn room(&self, budget: Budget, now: Timestamp) -> u32 {
        match self.may_ask(budget, now) {
            Err(_) => 0,
            Ok(()) if self.is_on_trial() || budget.apart.is_positive() => 1,
            Ok(()) => self.spent.room(budget, now).unwrap_or(0),
        }
    }

    /// Whether one question is to show that it answers again.
    pub fn is_on_trial(&self) -> bool {
        self.breaker.is_open() || self.waits > 0
    }

    /// Takes one question out of the budget. When the breaker is open and its time is over, or it asked us to wait, this
    /// question is the trial, and no other is let through until it has ended or [`TRIAL_LASTS`] has passed.
    pub fn ask(&mut self, budget: Budget, now: Timestamp) -> Result<(), Closed> {
        self.may_ask(budget, now)?;
        if self.is_on_trial() {
            self.breaker.tried(now);
        }
        self.spent.add(1, now);
        self.asked_at = Some(now);
        Ok(())
    }

    /// A question that was [taken out](Self::ask) of the budget was never sent: it is put back, and where it was to be the trial,
    /// another one is.
    pub fn unsent(&mut self, now: Timestamp) {
        self.breaker.trying_until = None;
        self.spent.take_back(1, now);
    }

    /// One answer took more requests than one (its pages): they count too.
    pub fn used(&mut self, more: u32, now: Timestamp) {
        self.spent.add(more, now);
    }

    /// It answered, were it only that it does not know the number.
    pub fn answered(&mut self, now: Timestamp) {
        self.breaker = Breaker::default();
        self.waits = 0;
        self.answered_at = self.answered_at.max(Some(now));
    }

    /// Something about it is to be looked at; no failure that would close it.
    pub fn met(&mut self, trouble: Trouble, why: &str, now: Timestamp) {
        let tally = self.troubles.entry(trouble).or_insert(Tally {
            count: 0,
            last_at: now,
            why: String::new(),
        });
        tally.count = tally.count.saturating_add(1);
        tally.last_at = now;
        tally.why = why.chars().take(WHY_CHARS_MAX).collect();
    }

    /// It did not answer as it should when it was asked about a number that had failed like this before.
    pub fn failed(&mut self, trouble: Trouble, why: &str, before: Failures, now: Timestamp) {
        self.met(trouble, why, now);
        // What failed before the source last answered says nothing of which of them fails now.
        let is_since = before.last_at > self.answered_at;
        let before = if is_since { before.in_a_row } else { 0 };
        self.breaker.failed(trouble, before, now);
    }

    /// It asks to be left alone; for `wait`, where it named a time. An answer of a kind: the breaker counts no
    /// failure. Each trial that ends so doubles the wait; what else was under way only ends in the same one.
    pub fn throttled(&mut self, wait: Option<SignedDuration>, why: &str, now: Timestamp) {
        if self.waits == 0 || self.breaker.trying_until.is_some() {
            self.waits = self.waits.saturating_add(1);
        }
        self.failed(Trouble::RateLimited, why, Failures::default(), now);
        let shortest = SignedDuration::from_secs(1);
        let named = wait.unwrap_or(WAIT_UNNAMED).clamp(shortest, WAIT_LONGEST);
        let doublings = self.waits.saturating_sub(1).min(WAIT_DOUBLINGS_MAX);
        let wait = (named * (1i32 << doublings)).min(WAIT_LONGEST);
        self.wait_until = self.wait_until.max(now.checked_add(wait).ok());
    }

    /// It was asked by a clock that was ahead, which shows `now` since. What closes it closes it for as long as was meant, and nothing
    /// lies ahead any more.
    pub fn set_back(&mut self, now: Timestamp) {
        let ahead = self.asked_at.map(|at| at.duration_since(now));
        let ahead = ahead.unwrap_or_default().max(SignedDuration::ZERO);
        let Breaker {
            open_until,
            trying_until,
            ..
        } = &mut self.breaker;
        for until in [open_until, trying_until, &mut self.wait_until] {
            *until = until.and_then(|until| until.checked_sub(ahead).ok());
        }
        for at in [
            &mut self.asked_at,
            &mut self.answered_at,
            &mut self.heard_at,
        ] {
            *at = at.map(|at| at.min(now));
        }
    }

    /// A person closes it.
    pub fn pause(&mut self, reason: &str, now: Timestamp) {
        let at = self.paused.as_ref().map_or(now, |paused| paused.at);
        let reason = reason.chars().take(WHY_CHARS_MAX).collect();
        self.paused = Some(Pause { at, reason });
    }

    /// A person opens it: whatever closed it is forgotten, but not what was spent, nor that it has not answered since: else the
    /// failures of numbers that failed before would be taken for their own, and would not close it again.
    pub fn resume(&mut self) {
        self.paused = None;
        self.breaker = Breaker {
            failures: self.breaker.failures,
            ..Breaker::default()
        };
        self.waits = 0;
        self.wait_until = None;
    }
}

/// How a source is doing, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Condition {
    /// It answers, or its messages come.
    Working,
    /// Nothing was heard of it yet.
    Silent,
    /// It failed since it last answered, and is still asked.
    Failing,
    /// The breaker is open.
    Broken,
    /// The breaker is open or it asked us to wait, and the trial is due or under way.
    Trying,
    /// It asked us to wait.
    Waiting,
    /// Its budget is used up.
    Spent,
    /// A person closed it.
    Paused,
}

impl Condition {
    /// Every one, the best first.
    pub const ALL: [Self; 8] = [
        Self::Working,
        Self::Silent,
        Self::Failing,
        Self::Broken,
        Self::Trying,
        Self::Waiting,
        Self::Spent,
        Self::Paused,
    ];

    /// As shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Silent => "silent",
            Self::Failing => "failing",
            Self::Broken => "broken",
            Self::Trying => "trying",
            Self::Waiting => "waiting",
            Self::Spent => "spent",
            Self::Paused => "paused",
        }
    }
}

impl Standing {
    /// How it is doing at `now`.
    pub fn condition(&self, budget: Budget, now: Timestamp) -> Condition {
        match self.may_ask(budget, now).err().map(|closed| closed.by) {
            Some(Shut::Paused) => Condition::Paused,
            Some(Shut::Broken(_)) => Condition::Broken,
            Some(Shut::Trying(_)) => Condition::Trying,
            Some(Shut::Waiting) => Condition::Waiting,
            Some(Shut::MinuteSpent | Shut::DaySpent) => Condition::Spent,
            _ if self.is_on_trial() => Condition::Trying,
            _ if self.breaker.failures > 0 => Condition::Failing,
            _ if self.last_success().is_none() => Condition::Silent,
            _ => Condition::Working,
        }
    }

    /// When it last answered, or a message of it last came.
    pub fn last_success(&self) -> Option<Timestamp> {
        self.answered_at.max(self.heard_at)
    }
}

#[cfg(test)]
mod tests;
