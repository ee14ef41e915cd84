//! The time of a database that several nodes share: the one clock that all of them can see.
//!
//! A lease says "mine until then", and another node judges whether then has come. Were each of them to go by its own
//! machine, one that is 35 seconds ahead would take every fresh lease of 30 for expired, and send what another is sending.
//! So a node measures how its clock stands to the database's: before it begins, and then every minute.
//!
//! What passes between two measurements is told by the clock that cannot be set ([`Instant`]), not by the machine's. Who
//! heeds our warning sets the machine's clock, and a node that followed it would be wrong until the next measurement. The
//! other way around, a machine that slept has a right clock and an [`Instant`] that stood. The two then no longer agree,
//! whichever of them moved, and that is looked at every second.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use store::Store;

use super::{Clock, OFF_MAX, WAIT_MAX};

/// Real time between two measurements.
const MEASURE_EVERY: Duration = Duration::from_mins(1);
/// Questions of one measurement. The one that was answered soonest counts: it says most.
const QUESTIONS: usize = 5;
/// A correction by no more than this does not turn the clock back: it stands until the time has come.
const STANDS_MAX: Duration = Duration::from_secs(1);
/// The machine's clock was set, or the machine slept, when it moved by more than this against what passed.
const MOVED_MAX: SignedDuration = SignedDuration::from_secs(1);
/// What was told of a machine's clock holds while it is off by as much, give or take this.
const AS_TOLD: SignedDuration = SignedDuration::from_secs(2);

/// A clock that shows the time of a shared database, whatever the machine's own shows.
///
/// It shows later times only, but where it turns out to be more than a second ahead: then it goes back.
pub struct DatabaseClock {
    machine: Arc<dyn Clock>,
    began: Instant,
    /// The database's time at `began`, as far as it is known: microseconds since 1970.
    at_began: AtomicI64,
    /// The time that was shown last: microseconds since 1970.
    shown: AtomicI64,
}

/// An answer of the database: its time at some moment between the question and the answer.
#[derive(Debug)]
struct Reading {
    /// From `began` to the question.
    asked: Duration,
    /// From `began` to the answer.
    answered: Duration,
    time: Timestamp,
}

impl DatabaseClock {
    /// Measures, and goes on measuring every minute for as long as somebody holds the clock. When a later measurement
    /// fails, the last one stands, and the log says so. It also warns of a clock of the machine that is off, by the
    /// machine's `name`.
    ///
    /// Over a database that nobody shares it shows what the machine showed, and what has passed since.
    ///
    /// # Errors
    ///
    /// The database does not tell its time.
    pub async fn start(
        machine: Arc<dyn Clock>,
        name: String,
        store: &Store,
    ) -> Result<Arc<Self>, store::Error> {
        let clock = Arc::new(Self::over(machine));
        clock.measure(store).await?;
        let follower = Follower {
            clock: Arc::downgrade(&clock),
            store: store.clone(),
            log: Log {
                name,
                told: SignedDuration::ZERO,
                failing: false,
            },
        };
        tokio::spawn(follower.run(clock.off()));
        Ok(clock)
    }

    fn over(machine: Arc<dyn Clock>) -> Self {
        let at_began = machine.now().as_microsecond();
        Self {
            machine,
            began: Instant::now(),
            at_began: AtomicI64::new(at_began),
            shown: AtomicI64::new(i64::MIN),
        }
    }

    async fn measure(&self, store: &Store) -> Result<(), store::Error> {
        let mut readings = Vec::with_capacity(QUESTIONS);
        for _ in 0..QUESTIONS {
            let asked = self.began.elapsed();
            let Some(time) = store.time().await? else {
                return Ok(());
            };
            readings.push(Reading {
                asked,
                answered: self.began.elapsed(),
                time,
            });
        }
        if let Some(soonest) = readings.iter().min_by_key(|one| one.span()) {
            self.correct(soonest);
        }
        Ok(())
    }

    /// A clock that agrees with the answer is left alone: within the round trip, nobody knows better.
    fn correct(&self, reading: &Reading) {
        let time = reading.time.as_microsecond();
        let earliest = time.saturating_sub(micros(reading.answered));
        let latest = time.saturating_sub(micros(reading.asked));
        let known = self.at_began.load(Ordering::SeqCst);
        if !(earliest..=latest).contains(&known) {
            let middle = earliest.midpoint(latest);
            self.at_began.store(middle, Ordering::SeqCst);
        }
    }

    /// By how much the machine's clock is ahead.
    fn off(&self) -> SignedDuration {
        self.machine.now().duration_since(self.now())
    }
}

impl Clock for DatabaseClock {
    fn now(&self) -> Timestamp {
        let at_began = self.at_began.load(Ordering::SeqCst);
        let time = at_began.saturating_add(micros(self.began.elapsed()));
        let last = self.shown.fetch_max(time, Ordering::SeqCst);
        let time = if last.saturating_sub(micros(STANDS_MAX)) > time {
            self.shown.store(time, Ordering::SeqCst);
            time
        } else {
            time.max(last)
        };
        Timestamp::from_microsecond(time).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    fn real_wait(&self, at: Timestamp) -> Duration {
        Duration::try_from(at.duration_since(self.now())).unwrap_or(Duration::ZERO)
    }

    fn real_now(&self) -> Timestamp {
        self.now()
    }
}

impl Reading {
    fn span(&self) -> Duration {
        self.answered.saturating_sub(self.asked)
    }
}

/// Keeps a clock right until nobody holds it.
struct Follower {
    clock: Weak<DatabaseClock>,
    store: Store,
    log: Log,
}

impl Follower {
    /// `off` is by how much the machine's clock was ahead when it was measured.
    async fn run(mut self, mut off: SignedDuration) {
        self.log.measured(off);
        let mut asked = Instant::now();
        loop {
            tokio::time::sleep(WAIT_MAX).await;
            let Some(clock) = self.clock.upgrade() else {
                return;
            };
            let moved = (clock.off() - off).abs() > MOVED_MAX;
            if !moved && asked.elapsed() < MEASURE_EVERY {
                continue;
            }
            asked = Instant::now();
            match clock.measure(&self.store).await {
                Ok(()) => {
                    off = clock.off();
                    self.log.measured(off);
                }
                Err(error) => self.log.failed(&error),
            }
        }
    }
}

/// Tells the operator what is new, and not every minute.
struct Log {
    /// What the machine is called.
    name: String,
    /// How far ahead its clock is, as far as was told.
    told: SignedDuration,
    /// Whether the last measurement failed.
    failing: bool,
}

impl Log {
    fn measured(&mut self, off: SignedDuration) {
        self.failing = false;
        if !self.is_news(off) {
            return;
        }
        let (name, by) = (&self.name, off.abs().as_secs_f64());
        let side = if off.is_negative() {
            "behind"
        } else {
            "ahead of"
        };
        if off.abs() > OFF_MAX {
            tracing::warn!(
                "the clock of {name} is {by:.1} s {side} the database's; work goes on by the database's: \
                 synchronise the clocks of both machines"
            );
        } else {
            tracing::info!("the clock of {name} agrees with the database's again");
        }
    }

    /// Whether it is to be told that the clock is off by this much; it then counts as told.
    fn is_news(&mut self, off: SignedDuration) -> bool {
        let is_far = off.abs() > OFF_MAX;
        let was_far = !self.told.is_zero();
        let news = (is_far || was_far) && (off - self.told).abs() > AS_TOLD;
        if news {
            self.told = if is_far { off } else { SignedDuration::ZERO };
        }
        news
    }

    fn failed(&mut self, error: &store::Error) {
        if !self.failing {
            self.failing = true;
            tracing::warn!(%error, "the database does not tell its time; what was measured last stands");
        }
    }
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::ManualClock;
    use super::*;

    fn start() -> Timestamp {
        "2026-03-01T00:00:00Z".parse().unwrap()
    }

    /// On a machine that shows the start.
    fn clock() -> DatabaseClock {
        DatabaseClock::over(Arc::new(ManualClock::new(start())))
    }

    /// An answer, half a second after a question that was asked at once, that the clock is to show `time` at its start.
    fn reading(time: Timestamp) -> Reading {
        Reading {
            asked: Duration::ZERO,
            answered: Duration::from_millis(500),
            time: time + SignedDuration::from_millis(250),
        }
    }

    fn at_began(clock: &DatabaseClock) -> SignedDuration {
        let micros = clock.at_began.load(Ordering::SeqCst);
        let time = Timestamp::from_microsecond(micros).unwrap();
        time.duration_since(start())
    }

    #[test]
    fn the_answer_counts_for_the_middle_of_the_round_trip() {
        for off in [-35, 35].map(SignedDuration::from_secs) {
            let clock = clock();
            clock.correct(&reading(start() + off));
            assert_eq!(at_began(&clock), off);
            let shown = clock.now().duration_since(start());
            assert!((off..off + SignedDuration::from_secs(5)).contains(&shown));
            let counted = clock.real_now().duration_since(start());
            assert!(counted >= shown, "nodes count calls by the same minute");
            assert!(counted < off + SignedDuration::from_secs(5));
        }
    }

    #[test]
    fn what_agrees_within_the_round_trip_is_left_alone() {
        let clock = clock();
        for millis in [-250, -100, 0, 250] {
            clock.correct(&reading(start() + SignedDuration::from_millis(millis)));
            assert_eq!(at_began(&clock), SignedDuration::ZERO, "{millis}");
        }
        let beyond = SignedDuration::from_millis(251);
        clock.correct(&reading(start() + beyond));
        assert_eq!(at_began(&clock), beyond);
    }

    #[test]
    fn a_small_correction_makes_it_stand_and_a_large_one_turns_it_back() {
        let clock = clock();
        let before = clock.now();
        clock.correct(&reading(before - SignedDuration::from_millis(900)));
        assert_eq!(clock.now(), before);
        clock.correct(&reading(before - SignedDuration::from_secs(60)));
        assert!(clock.now() < before);
        clock.correct(&reading(before + SignedDuration::from_secs(60)));
        assert!(clock.now() > before);
    }

    #[test]
    fn a_clock_that_is_off_is_told_once_for_each_change() {
        let mut log = Log {
            name: String::new(),
            told: SignedDuration::ZERO,
            failing: false,
        };
        let told = [0, 4, 6, 5, 7, 35, 35, 36, -35, -34, 1, 0, -4, -6, -5, 0]
            .map(|seconds| log.is_news(SignedDuration::from_secs(seconds)));
        let news = [2, 5, 8, 10, 13, 15];
        let places: Vec<usize> = (0..told.len()).filter(|at| told[*at]).collect();
        assert_eq!(places, news);
    }
}
