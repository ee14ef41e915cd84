//! The breaker of one source: after failures in a row it is left alone, longer each time, and then tried with one
//! question.
//!
//! A failure may be the source's or that of the number it was asked about: an answer that nobody can read, a fault that
//! one file sets off. Where a number has failed more often in a row than its source, and last since the source answered,
//! it is that number that fails: its own schedule spares the source, and the breaker is not told of it again before the
//! next answer. Else one bad number, asked about again after 10, 20, 40 and 80 seconds, would close the source for
//! everybody, again and again.

use jiff::{SignedDuration, Timestamp};

use super::{Closed, Shut, Trouble};

/// Failures in a row that open the breaker.
pub const FAILURES_MAX: u32 = 5;
/// How long it is left alone the first time.
pub const BREAKER_FIRST: SignedDuration = SignedDuration::from_mins(1);
/// How long at most.
pub const BREAKER_LONGEST: SignedDuration = SignedDuration::from_mins(30);
/// A trial that has not ended after this is as good as lost: who made it is gone. Longer than a question may take, all its
/// pages together: a slow trial is not joined by another.
pub const TRIAL_LASTS: SignedDuration = SignedDuration::from_mins(6);

/// Failures in a row and what follows from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Breaker {
    /// Failures in a row, of numbers that had not failed before it answered.
    pub failures: u32,
    /// How often in a row it has opened.
    pub openings: u32,
    /// Open until then; after that, one question is let through.
    pub open_until: Option<Timestamp>,
    /// What opened it.
    pub trouble: Option<Trouble>,
    /// The trial is under way until then.
    pub trying_until: Option<Timestamp>,
}

impl Breaker {
    /// Whether it has opened and no trial has closed it since.
    pub fn is_open(&self) -> bool {
        self.open_until.is_some()
    }

    pub(super) fn may_ask(&self, now: Timestamp) -> Result<(), Closed> {
        let Some(open_until) = self.open_until else {
            return Ok(());
        };
        let trouble = self.trouble.unwrap_or(Trouble::Unreachable);
        if open_until > now {
            return Err(Closed {
                by: Shut::Broken(trouble),
                until: Some(open_until),
            });
        }
        self.may_try(trouble, now)
    }

    /// Whether no trial is under way.
    pub(super) fn may_try(&self, trouble: Trouble, now: Timestamp) -> Result<(), Closed> {
        match self.trying_until.filter(|until| *until > now) {
            Some(until) => Err(Closed {
                by: Shut::Trying(trouble),
                until: Some(until),
            }),
            None => Ok(()),
        }
    }

    pub(super) fn tried(&mut self, now: Timestamp) {
        self.trying_until = now.checked_add(TRIAL_LASTS).ok();
    }

    /// Refused credentials open it at once: repeating them would get them locked. So does a failed trial. A source
    /// that only has enough of us is not broken. `before` is how often in a row the number had failed when it last did since
    /// the source answered: where it is that number's fault, it neither opens the breaker nor makes it last longer, and a
    /// trial with it is none: the next is as far away.
    pub(super) fn failed(&mut self, trouble: Trouble, before: u32, now: Timestamp) {
        self.trying_until = None;
        if trouble == Trouble::RateLimited {
            return;
        }
        let tells = before <= self.failures || trouble == Trouble::Unauthorized;
        if tells {
            self.failures = self.failures.saturating_add(1);
        }
        if self.open_until.is_some_and(|until| until > now) {
            return;
        }
        if !tells {
            if self.is_open() {
                let lasts = opening_lasts(self.openings.saturating_sub(1));
                self.open_until = now.checked_add(lasts).ok();
            }
            return;
        }
        let at_once = trouble == Trouble::Unauthorized || self.is_open();
        if self.failures < FAILURES_MAX && !at_once {
            return;
        }
        let lasts = opening_lasts(self.openings);
        self.openings = self.openings.saturating_add(1);
        self.open_until = now.checked_add(lasts).ok();
        self.trouble = Some(trouble);
    }
}

/// How long it is left alone after so many openings.
fn opening_lasts(openings: u32) -> SignedDuration {
    (BREAKER_FIRST * (1i32 << openings.min(5))).min(BREAKER_LONGEST)
}
