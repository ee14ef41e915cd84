//! Group commit on PostgreSQL.
//!
//! A commit costs a sync, and every statement a round trip. A lane is a thread with one connection; the key's
//! hash picks the lane, so use cases of one key meet in one lane. It takes what is queued, **sorts it by key**
//! and runs it in one transaction without savepoints. Sorting is what keeps groups of several lanes and nodes
//! from deadlocking each other: everyone locks rows in the same order. A use case that fails after a write
//! spoils its group; the group is rolled back and run again with savepoints, which cost a round trip each.
//! Who loses a deadlock or a serialisation conflict is run again alone, a few times.
//!
//! A group ends after a [while](GROUP_TIME_MAX), however many are left: against a slow server hundreds of use cases take half a minute,
//! in which nobody hears anything, locks are held, and what the first has written is seen by nobody.
//!
//! A connection lost before COMMIT lost nothing that was promised: the group is run again on a new one. A
//! COMMIT without answer may or may not stand; it is never repeated, and its callers are told so.

use std::slice::IterMut;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::job::{Job, Ran};
use super::line::Line;
use super::postgres::Commit;
use super::queue::Queue;
use crate::Error;

/// Use cases in one group at most.
const GROUP_MAX: usize = 256;
/// No further use case of a group begins once it has run for this long: a commit costs little of that.
pub(super) const GROUP_TIME_MAX: Duration = Duration::from_millis(500);
/// Runs of a use case that keeps losing against others.
const TRIES_MAX: u32 = 5;

/// How a try to commit a group ended.
enum Tried {
    /// It stands.
    Committed,
    /// One of them spoiled it; nothing stands.
    Spoiled,
    /// The connection was lost before COMMIT; nothing stands.
    Lost(Error),
    /// The connection was lost during COMMIT.
    Unknown,
}

impl From<Commit> for Tried {
    fn from(commit: Commit) -> Self {
        match commit {
            Commit::Done => Self::Committed,
            Commit::Failed(_) => Self::Spoiled,
            Commit::Unknown => Self::Unknown,
        }
    }
}

/// A writing thread.
pub(super) struct Lane {
    /// Its own rows of the tallies.
    pub(super) shard: i64,
    pub(super) line: Line,
    pub(super) queue: Arc<Queue<Job>>,
}

impl Lane {
    /// Until the queue is closed and empty.
    pub(super) fn serve(mut self) {
        loop {
            let mut jobs = self.queue.take(GROUP_MAX);
            if jobs.is_empty() {
                return;
            }
            jobs.retain(|job| !job.abandoned());
            self.in_groups(jobs);
        }
    }

    /// One that needs several keys runs between groups, so that equal keys keep their order.
    fn in_groups(&mut self, jobs: Vec<Job>) {
        let mut group = Vec::with_capacity(jobs.len());
        for job in jobs {
            if job.key.alone() {
                self.together(std::mem::take(&mut group));
                self.alone(job);
            } else {
                group.push(job);
            }
        }
        self.together(group);
    }

    fn together(&mut self, mut group: Vec<Job>) {
        group.sort_by(|a, b| a.key.cmp(&b.key));
        while group.len() > 1 {
            group = self.some_together(group);
        }
        for job in group {
            self.alone(job);
        }
    }

    /// Runs as many as come to their turn in time; those that are left.
    fn some_together(&mut self, mut group: Vec<Job>) -> Vec<Job> {
        let mut turns = group.iter_mut();
        let mut tried = self.try_plain(&mut turns);
        if let Tried::Lost(_) = tried {
            turns = group.iter_mut();
            tried = self.try_plain(&mut turns);
        }
        let behind = turns.len();
        let ran = group.len() - behind;
        match tried {
            Tried::Committed => {
                let left = group.split_off(ran);
                answer_all(group, &Ok(()));
                left
            }
            Tried::Unknown => {
                let left = group.split_off(ran);
                answer_all(group, &Err(Error::UnknownOutcome));
                left
            }
            Tried::Lost(error) => {
                self.line.note_a_refusal(&error);
                answer_all(group, &Err(error));
                Vec::new()
            }
            Tried::Spoiled => self.with_savepoints(group),
        }
    }

    /// Those whose turn does not come in time are left.
    fn try_plain(&mut self, turns: &mut IterMut<'_, Job>) -> Tried {
        if let Err(error) = self.line.begin("begin") {
            return Tried::Lost(error);
        }
        let began = Instant::now();
        for job in turns {
            match self.line.run(job) {
                Err(error) => return Tried::Lost(error),
                Ok(Ran::Refused) if self.line.stained() => {
                    self.line.roll_back();
                    return Tried::Spoiled;
                }
                Ok(_) => {}
            }
            if began.elapsed() > GROUP_TIME_MAX {
                break;
            }
        }
        self.commit_with_afterwards()
    }

    fn commit_with_afterwards(&mut self) -> Tried {
        match self.line.write_afterwards(self.shard) {
            Ok(()) => self.line.commit().into(),
            Err(error @ Error::Unavailable(_)) => Tried::Lost(error),
            Err(_) => {
                self.line.roll_back();
                Tried::Spoiled
            }
        }
    }

    /// Those that are left, as without.
    fn with_savepoints(&mut self, mut group: Vec<Job>) -> Vec<Job> {
        let mut losers = Vec::new();
        let mut turns = group.iter_mut();
        let tried = self.try_with_savepoints(&mut turns, &mut losers);
        let behind = turns.len();
        let ran = group.len() - behind;
        match tried {
            Tried::Committed => {
                let left = group.split_off(ran);
                let (again, done) = split(group, &losers);
                answer_all(done, &Ok(()));
                for job in again {
                    self.alone(job);
                }
                left
            }
            Tried::Unknown => {
                let left = group.split_off(ran);
                answer_all(group, &Err(Error::UnknownOutcome));
                left
            }
            Tried::Lost(_) | Tried::Spoiled => {
                for job in group {
                    self.alone(job);
                }
                Vec::new()
            }
        }
    }

    fn try_with_savepoints(
        &mut self,
        turns: &mut IterMut<'_, Job>,
        losers: &mut Vec<usize>,
    ) -> Tried {
        let mut words = "release use_case; savepoint use_case";
        if let Err(error) = self.line.begin("begin; savepoint use_case") {
            return Tried::Lost(error);
        }
        let began = Instant::now();
        for (place, job) in turns.enumerate() {
            if place > 0
                && let Err(error) = self.line.words(words)
            {
                return Tried::Lost(error);
            }
            words = match self.line.run(job) {
                Err(error) => return Tried::Lost(error),
                Ok(Ran::Done) => "release use_case; savepoint use_case",
                Ok(Ran::Refused) => {
                    if self.line.contended() {
                        losers.push(place);
                    }
                    "rollback to use_case"
                }
            };
            if began.elapsed() > GROUP_TIME_MAX {
                break;
            }
        }
        // The last words matter too: a refused use case must not be committed.
        if let Err(error) = self.line.words(words) {
            return Tried::Lost(error);
        }
        self.commit_with_afterwards()
    }

    fn alone(&mut self, mut job: Job) {
        let mut lost = false;
        for tries in 1..=TRIES_MAX {
            let ended = self.try_alone(&mut job);
            match ended {
                Err(Error::Contended { .. }) if tries < TRIES_MAX => pause(tries),
                Err(Error::Contended { .. }) => {
                    return job.answer(Err(Error::Contended { tries }));
                }
                Err(Error::Unavailable(_)) if !lost => lost = true,
                ended => {
                    if let Err(error @ Error::Unavailable(_)) = &ended {
                        self.line.note_a_refusal(error);
                    }
                    return job.answer(ended);
                }
            }
        }
        job.answer(Err(Error::Contended { tries: TRIES_MAX }));
    }

    fn try_alone(&mut self, job: &mut Job) -> Result<(), Error> {
        self.line.begin("begin")?;
        match self.line.run(job)? {
            Ran::Done => self.commit_alone(),
            Ran::Refused => {
                let contended = self.line.contended();
                self.line.roll_back();
                if contended {
                    Err(Error::Contended { tries: 1 })
                } else {
                    Ok(())
                }
            }
        }
    }
}

impl Lane {
    fn commit_alone(&mut self) -> Result<(), Error> {
        if let Err(error) = self.line.write_afterwards(self.shard) {
            self.line.roll_back();
            return Err(error);
        }
        match self.line.commit() {
            Commit::Done => Ok(()),
            Commit::Failed(error) => Err(error),
            Commit::Unknown => Err(Error::UnknownOutcome),
        }
    }
}

/// Losers wait a little longer each time, so that the winner gets through.
fn pause(tries: u32) {
    std::thread::sleep(Duration::from_millis(u64::from(tries) * 7));
}

fn split(group: Vec<Job>, losers: &[usize]) -> (Vec<Job>, Vec<Job>) {
    let mut again = Vec::new();
    let mut done = Vec::new();
    for (place, job) in group.into_iter().enumerate() {
        if losers.contains(&place) {
            again.push(job);
        } else {
            done.push(job);
        }
    }
    (again, done)
}

fn answer_all(group: Vec<Job>, ended: &Result<(), Error>) {
    for job in group {
        job.answer(ended.clone());
    }
}
