//! What one source may be asked in a minute and in a day, and what of it is used.

use jiff::{SignedDuration, Timestamp};

use super::{Closed, Shut};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const DAY_SECONDS: i64 = 86_400;

/// What may be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Requests in a minute; 0 is no limit.
    pub per_minute: u32,
    /// Requests in a day, by UTC; `None` is no limit.
    pub per_day: Option<u32>,
    /// The least time from one question to the next; zero is none.
    pub apart: SignedDuration,
}

/// What is used of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// When the counted minute began: with its first request.
    pub minute_began: Option<Timestamp>,
    /// Requests in it.
    pub in_minute: u32,
    /// The counted day, as days since 1970 by UTC.
    pub day: i64,
    /// Requests in it.
    pub in_day: u32,
}

impl Spent {
    /// How many more requests there may be at `now`: at least one, or when there will be.
    pub fn room(&self, budget: Budget, now: Timestamp) -> Result<u32, Closed> {
        let (minute, day) = (self.in_minute(now), self.in_day(now));
        let today = budget
            .per_day
            .map_or(u32::MAX, |most| most.saturating_sub(day));
        if today == 0 {
            let tomorrow = (day_of(now) + 1) * DAY_SECONDS;
            return Err(Closed {
                by: Shut::DaySpent,
                until: Timestamp::from_second(tomorrow).ok(),
            });
        }
        let now_left = match budget.per_minute {
            0 => u32::MAX,
            most => most.saturating_sub(minute),
        };
        if now_left == 0 {
            let began = self.minute_began.unwrap_or(now);
            return Err(Closed {
                by: Shut::MinuteSpent,
                until: began.checked_add(MINUTE).ok(),
            });
        }
        Ok(today.min(now_left))
    }

    /// Counts requests.
    pub(super) fn add(&mut self, requests: u32, now: Timestamp) {
        self.in_minute = self.in_minute(now).saturating_add(requests);
        if !self.is_in_minute(now) {
            self.minute_began = Some(now);
        }
        self.in_day = self.in_day(now).saturating_add(requests);
        self.day = day_of(now);
    }

    /// Requests that were counted and not made.
    pub(super) fn take_back(&mut self, requests: u32, now: Timestamp) {
        self.in_minute = self.in_minute(now).saturating_sub(requests);
        self.in_day = self.in_day(now).saturating_sub(requests);
        self.day = day_of(now);
    }

    /// Requests of the minute that `now` is in.
    pub fn in_minute(&self, now: Timestamp) -> u32 {
        if self.is_in_minute(now) {
            self.in_minute
        } else {
            0
        }
    }

    /// Requests of the day that `now` is in.
    pub fn in_day(&self, now: Timestamp) -> u32 {
        if self.day == day_of(now) {
            self.in_day
        } else {
            0
        }
    }

    fn is_in_minute(&self, now: Timestamp) -> bool {
        self.minute_began
            .is_some_and(|began| now.duration_since(began).abs() < MINUTE)
    }
}

fn day_of(at: Timestamp) -> i64 {
    at.as_second().div_euclid(DAY_SECONDS)
}
