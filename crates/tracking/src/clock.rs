//! The time, as an argument. The system's clock serves; nodes that share a database go by the [database's](database), and
//! a simulated world brings its own.

mod database;

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use domain::moment::whole_microseconds;
use jiff::{SignedDuration, Timestamp};

pub use database::DatabaseClock;

/// Longest real wait between two looks at the store: a missed nudge costs no more than this.
pub const WAIT_MAX: Duration = Duration::from_secs(1);

/// A machine's clock that is off by more than this from the database's is worth a warning, and not to be worked with.
pub const OFF_MAX: SignedDuration = SignedDuration::from_secs(5);

/// Where the time comes from.
pub trait Clock: Send + Sync + 'static {
    /// The time now, whole microseconds (the finest the stores keep).
    fn now(&self) -> Timestamp;

    /// How long to wait in real time until `at`; zero when it has passed.
    fn real_wait(&self, at: Timestamp) -> Duration;

    /// The time now in the world that calls come from: the machine's, whatever a simulated world shows.
    fn real_now(&self) -> Timestamp {
        SystemClock.now()
    }
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        whole_microseconds(Timestamp::now())
    }

    fn real_wait(&self, at: Timestamp) -> Duration {
        Duration::try_from(at.duration_since(self.now())).unwrap_or(Duration::ZERO)
    }
}

/// A clock that stands until it is set: for simulated worlds run as fast as they go, and for tests.
#[derive(Debug)]
pub struct ManualClock {
    microsecond: AtomicI64,
}

impl ManualClock {
    /// A clock that shows `start`.
    pub fn new(start: Timestamp) -> Self {
        Self {
            microsecond: AtomicI64::new(start.as_microsecond()),
        }
    }

    /// Moves the clock to `to`; never back.
    pub fn advance_to(&self, to: Timestamp) {
        self.microsecond
            .fetch_max(to.as_microsecond(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        let shown = self.microsecond.load(Ordering::SeqCst);
        Timestamp::from_microsecond(shown).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    fn real_wait(&self, at: Timestamp) -> Duration {
        if at <= self.now() {
            Duration::ZERO
        } else {
            WAIT_MAX
        }
    }
}

/// A clock that begins at a time of its own and runs faster (or slower) than the machine's.
#[derive(Debug)]
pub struct ScaledClock {
    start: Timestamp,
    began: Instant,
    speed: f64,
}

impl ScaledClock {
    /// A clock that shows `start` now and runs `speed` times as fast as the machine's; speeds below
    /// 0.001 count as that.
    pub fn new(start: Timestamp, speed: f64) -> Self {
        Self {
            start,
            began: Instant::now(),
            speed: speed.max(0.001),
        }
    }
}

impl Clock for ScaledClock {
    fn now(&self) -> Timestamp {
        let passed = self.began.elapsed().as_secs_f64() * self.speed;
        let passed = SignedDuration::try_from_secs_f64(passed).unwrap_or(SignedDuration::ZERO);
        whole_microseconds(self.start.checked_add(passed).unwrap_or(self.start))
    }

    fn real_wait(&self, at: Timestamp) -> Duration {
        let ahead = at.duration_since(self.now()).as_secs_f64() / self.speed;
        Duration::try_from_secs_f64(ahead.max(0.0)).unwrap_or(WAIT_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_stands_and_never_goes_back() {
        let start: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
        let clock = ManualClock::new(start);
        assert_eq!(clock.now(), start);
        let later = start + SignedDuration::from_hours(5);
        clock.advance_to(later);
        clock.advance_to(start);
        assert_eq!(clock.now(), later);
        assert_eq!(clock.real_wait(start), Duration::ZERO);
    }

    #[test]
    fn a_scaled_clock_runs_faster() {
        let start: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
        let clock = ScaledClock::new(start, 86_400.0);
        let wait = clock.real_wait(start + SignedDuration::from_hours(24));
        assert!(wait <= Duration::from_secs(1), "{wait:?}");
    }
}
