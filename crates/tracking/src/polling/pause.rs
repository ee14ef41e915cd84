//! Which carriers are to be left alone, and for how long: budget, breaker and `Retry-After`.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};

/// Failures in a row that open the breaker.
const FAILURES_MAX: u32 = 5;
const BREAKER_FIRST: SignedDuration = SignedDuration::from_mins(1);
const BREAKER_LONGEST: SignedDuration = SignedDuration::from_mins(30);
/// Longest pause that a carrier's `Retry-After` is given.
const PAUSE_LONGEST: SignedDuration = SignedDuration::from_hours(1);
const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// State of every carrier's door.
#[derive(Default)]
pub(crate) struct Pauses {
    doors: Mutex<HashMap<String, Door>>,
}

#[derive(Default)]
struct Door {
    failures: u32,
    closed_until: Option<Timestamp>,
    minute_began: Option<Timestamp>,
    asked_in_minute: u32,
}

impl Pauses {
    /// Carriers that may not be asked at `now`.
    pub(crate) fn paused(&self, now: Timestamp) -> Vec<String> {
        let doors = self.doors();
        let mut closed: Vec<String> = doors
            .iter()
            .filter(|(_, door)| door.closed_until.is_some_and(|until| until > now))
            .map(|(source, _)| source.clone())
            .collect();
        closed.sort();
        closed
    }

    /// When this carrier may be asked again, if it may not at `now`.
    pub(crate) fn closed_until(&self, source: &str, now: Timestamp) -> Option<Timestamp> {
        let doors = self.doors();
        let closed = doors.get(source).and_then(|door| door.closed_until);
        closed.filter(|until| *until > now)
    }

    /// When the first paused carrier may be asked again.
    pub(crate) fn next_opening(&self, now: Timestamp) -> Option<Timestamp> {
        self.doors()
            .values()
            .filter_map(|door| door.closed_until)
            .filter(|until| *until > now)
            .min()
    }

    /// Takes one question out of the carrier's budget for this minute; the error tells when there is more.
    pub(crate) fn take(
        &self,
        source: &str,
        per_minute: u32,
        now: Timestamp,
    ) -> Result<(), Timestamp> {
        let mut doors = self.doors();
        let door = doors.entry(source.to_owned()).or_default();
        let began = door
            .minute_began
            .filter(|began| now.duration_since(*began) < MINUTE);
        let began = began.unwrap_or_else(|| {
            door.asked_in_minute = 0;
            now
        });
        door.minute_began = Some(began);
        if per_minute > 0 && door.asked_in_minute >= per_minute {
            return Err(began + MINUTE);
        }
        door.asked_in_minute += 1;
        Ok(())
    }

    /// The carrier answered: the breaker closes.
    pub(crate) fn answered(&self, source: &str) {
        if let Some(door) = self.doors().get_mut(source) {
            door.failures = 0;
        }
    }

    /// The carrier did not answer; the fifth time in a row opens the breaker.
    pub(crate) fn failed(&self, source: &str, now: Timestamp) {
        let mut doors = self.doors();
        let door = doors.entry(source.to_owned()).or_default();
        door.failures += 1;
        if door.failures >= FAILURES_MAX {
            let doublings = (door.failures - FAILURES_MAX).min(5);
            let pause = BREAKER_FIRST * (1i32 << doublings);
            door.closed_until = Some(now + pause.min(BREAKER_LONGEST));
        }
    }

    /// The carrier asks to be left alone until then.
    pub(crate) fn pause_until(&self, source: &str, until: Timestamp) {
        let mut doors = self.doors();
        let door = doors.entry(source.to_owned()).or_default();
        door.closed_until = Some(door.closed_until.map_or(until, |known| known.max(until)));
    }

    fn doors(&self) -> MutexGuard<'_, HashMap<String, Door>> {
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `Retry-After` as far as we follow it.
pub(crate) fn bounded(wait: SignedDuration) -> SignedDuration {
    wait.clamp(SignedDuration::from_secs(1), PAUSE_LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes)
    }

    #[test]
    fn the_breaker_opens_after_five_and_doubles_to_half_an_hour() {
        let pauses = Pauses::default();
        for _ in 0..4 {
            pauses.failed("a", at(0));
        }
        assert!(pauses.paused(at(0)).is_empty());
        let mut lasts = Vec::new();
        for _ in 0..7 {
            pauses.failed("a", at(0));
            lasts.push(
                pauses
                    .next_opening(at(0))
                    .unwrap()
                    .duration_since(at(0))
                    .as_mins(),
            );
        }
        assert_eq!(lasts, [1, 2, 4, 8, 16, 30, 30]);
        assert_eq!(pauses.paused(at(29)), ["a"]);
        assert!(pauses.paused(at(30)).is_empty());
        pauses.answered("a");
        pauses.failed("a", at(31));
        assert!(pauses.paused(at(31)).is_empty());
    }

    #[test]
    fn a_budget_is_per_minute_and_per_carrier() {
        let pauses = Pauses::default();
        assert!(pauses.take("a", 2, at(0)).is_ok());
        assert!(pauses.take("a", 2, at(0)).is_ok());
        assert_eq!(pauses.take("a", 2, at(0)), Err(at(1)));
        assert!(pauses.take("b", 2, at(0)).is_ok());
        assert!(pauses.take("a", 2, at(1)).is_ok());
        assert!(pauses.take("c", 0, at(1)).is_ok());
    }

    #[test]
    fn a_carrier_is_not_left_alone_for_longer_than_an_hour() {
        assert_eq!(bounded(SignedDuration::from_hours(9)), PAUSE_LONGEST);
        assert_eq!(bounded(SignedDuration::ZERO), SignedDuration::from_secs(1));
    }
}
