//! Group commit on SQLite.
//!
//! SQLite has one writer, and a durable commit costs a sync of the disk. So one thread owns the writing
//! connection and takes everything that is queued: one BEGIN IMMEDIATE, the use cases, one COMMIT, then all
//! answers. The commit in progress is the timer: while a group runs, the next one gathers, and none
//! [runs for long](GROUP_TIME_MAX). The disk is waited for
//! [beside the writer](super::sync).
//!
//! A savepoint around each use case would keep a copy of every page that it touches, a sixth of the writer's time,
//! for the few that fail after they have written. So there is none: such a one spoils its group, which is rolled
//! back and run again with savepoints, and harms nobody else. (Lanes on PostgreSQL do the same.)
//!
//! When the engine itself ends the transaction (disk full), savepoints are gone with it: each use case is run
//! again alone, so that those that still fit get through and the others hear why.
//!
//! On a full disk the log stands beside the database, and what room there is again would go to the log, write by write, until it is
//! full again: the checkpoint, which would free all of it, needs some room first. So once the disk was full nothing is
//! written until the log has been moved; everybody is refused at once meanwhile.

use std::slice::IterMut;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Tx;
use super::job::{Job, Ran};
use super::lane::GROUP_TIME_MAX;
use super::queue::Queue;
use super::sqlite::Connection;
use super::sync::Committed;
use super::told::{News, Told};
use crate::Error;

/// Use cases in one group at most.
const GROUP_MAX: usize = 256;
/// Between two looks whether there is room again.
const LOOK_FOR_ROOM_EVERY: Duration = Duration::from_millis(500);
/// There is one writer, so tallies need one row each.
const ONLY_SHARD: i64 = 0;

/// How a try to commit a group ended.
enum Tried {
    /// It stands.
    Committed,
    /// A use case failed after it had written; nothing stands.
    Spoiled,
}

/// The writing thread.
pub(super) struct Writer {
    pub(super) tx: Tx,
    pub(super) queue: Arc<Queue<Job>>,
    /// Since the disk was full: when the log may be tried to be moved next.
    pub(super) full: Option<Instant>,
    told: Told,
    committed: Committed,
}

impl Writer {
    pub(super) fn new(tx: Tx, queue: Arc<Queue<Job>>, committed: Committed) -> Self {
        Self {
            tx,
            queue,
            full: None,
            told: Told::default(),
            committed,
        }
    }

    /// Until the queue is closed and empty.
    pub(super) fn serve(mut self) {
        loop {
            let mut jobs = self.queue.take(GROUP_MAX);
            if jobs.is_empty() {
                return;
            }
            jobs.retain(|job| !job.abandoned());
            self.serve_group(jobs);
        }
    }

    fn serve_group(&mut self, jobs: Vec<Job>) {
        if self.has_room() {
            self.commit_together(jobs);
        } else {
            let full = || Err(Error::Unavailable("the disk is full".into()));
            for job in jobs {
                job.answer(full());
            }
        }
        self.note_a_full_disk();
    }

    /// Whether something may be written: where the disk was full, once the log is moved.
    fn has_room(&mut self) -> bool {
        let Some(not_before) = self.full else {
            return true;
        };
        if Instant::now() < not_before {
            return false;
        }
        let moved = self.tx.sqlite().map_or(Ok(()), Connection::move_log);
        match moved {
            Ok(()) => self.full = None,
            Err(_) => self.full = Some(Instant::now() + LOOK_FOR_ROOM_EVERY),
        }
        self.full.is_none()
    }

    fn note_a_full_disk(&mut self) {
        let now = Instant::now();
        if super::sqlite::was_full() && self.full.is_none() {
            self.full = Some(now);
        }
        let news = if self.full.is_some() {
            self.told.refused(now)
        } else {
            self.told.taken(now)
        };
        match news {
            Some(News::Refused) => {
                tracing::error!("the disk is full: nothing is written until there is room");
            }
            Some(News::Taken) => {
                tracing::warn!("there is room on the disk again: what comes is written");
            }
            None => {}
        }
    }

    fn commit_together(&mut self, mut jobs: Vec<Job>) {
        while jobs.len() > 1 {
            jobs = self.commit_some(jobs);
        }
        for job in jobs {
            self.commit_alone(job);
        }
    }

    /// Commits as many as come to their turn in time; those that are left.
    fn commit_some(&mut self, mut jobs: Vec<Job>) -> Vec<Job> {
        let mut turns = jobs.iter_mut();
        let mut tried = self.try_together(&mut turns, false);
        if let Ok(Tried::Spoiled) = tried {
            self.roll_back();
            turns = jobs.iter_mut();
            tried = self.try_together(&mut turns, true);
        }
        let behind = turns.len();
        let ran = jobs.len() - behind;
        // Where not even the first came to its turn, each has it alone.
        let left = jobs.split_off(if ran == 0 { behind } else { ran });
        if let Ok(Tried::Committed) = tried {
            self.answer(jobs);
            return left;
        }
        self.roll_back();
        for job in jobs {
            self.commit_alone(job);
        }
        left
    }

    /// An error means that the whole group is undone, or about to be. Those whose turn does not come in time are left.
    fn try_together(
        &mut self,
        turns: &mut IterMut<'_, Job>,
        divided: bool,
    ) -> Result<Tried, Error> {
        self.begin()?;
        let began = Instant::now();
        for job in turns {
            if divided {
                self.word("savepoint use_case")?;
            }
            let ran = self.run(job);
            if self.lost() {
                return Err(Error::Unavailable(
                    "the engine ended the transaction".into(),
                ));
            }
            let spoiled = ran == Ran::Refused && self.tx.stained();
            if spoiled && !divided {
                return Ok(Tried::Spoiled);
            }
            if spoiled {
                self.word("rollback to use_case")?;
            }
            if divided {
                self.word("release use_case")?;
            }
            if began.elapsed() > GROUP_TIME_MAX {
                break;
            }
        }
        self.commit()?;
        Ok(Tried::Committed)
    }

    fn commit(&mut self) -> Result<(), Error> {
        self.tx.write_afterwards(ONLY_SHARD)?;
        self.committed.begins();
        self.word("commit").inspect_err(|_| self.committed.failed())
    }

    /// What is committed is answered when it is on the disk.
    fn answer(&self, jobs: Vec<Job>) {
        self.committed.answer(jobs, !self.queue.is_empty());
    }

    fn commit_alone(&mut self, mut job: Job) {
        if let Err(error) = self.begin() {
            return job.answer(Err(error));
        }
        let ran = self.run(&mut job);
        let lost = self.lost();
        let ended = match (ran, lost) {
            (Ran::Refused, true) => Ok(()),
            (Ran::Refused, false) => {
                self.roll_back();
                // It was refused by what it saw, which may not be on the disk yet.
                return self.answer(vec![job]);
            }
            (Ran::Done, true) => Err(Error::Unavailable(
                "the engine ended the transaction".into(),
            )),
            (Ran::Done, false) => match self.commit() {
                Ok(()) => return self.answer(vec![job]),
                Err(error) => Err(error),
            },
        };
        self.roll_back();
        job.answer(ended);
    }

    fn begin(&mut self) -> Result<(), Error> {
        self.tx.begin_afterwards();
        self.word("begin immediate")
    }

    fn run(&mut self, job: &mut Job) -> Ran {
        self.clock(true);
        let ran = job.run(&mut self.tx);
        self.clock(false);
        ran
    }

    fn word(&mut self, word: &str) -> Result<(), Error> {
        self.tx
            .sqlite()
            .map_or(Ok(()), |connection| connection.word(word))
    }

    fn clock(&mut self, running: bool) {
        match self.tx.sqlite() {
            Some(connection) if running => connection.start_clock(),
            Some(connection) => connection.stop_clock(),
            None => {}
        }
    }

    fn lost(&mut self) -> bool {
        self.tx
            .sqlite()
            .is_some_and(|connection| connection.lost_transaction())
    }

    /// Ends a transaction that still stands open.
    fn roll_back(&mut self) {
        if !self.lost()
            && let Err(error) = self.word("rollback")
        {
            tracing::error!(%error, "rollback failed");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::sqlite::Connection;
    use super::super::tx::Engine;
    use super::super::{Key, Tx, Value};
    use super::*;

    type Answer = tokio::sync::oneshot::Receiver<Result<u64, Error>>;

    fn committed() -> Committed {
        super::super::sync::ends(Arc::new(|| Ok(()))).0
    }

    fn insert(size: usize) -> (Job, Answer) {
        Job::new(Key::several(Vec::new()), move |tx| {
            let body = vec![7u8; size];
            tx.execute(
                "insert into things (body) values ($1)",
                &[Value::Bytes(&body)],
            )
        })
    }

    /// Runs these as one group on a file that may not grow beyond `pages`.
    fn group_on_a_small_disk(pages: u32, sizes: &[usize]) -> (Vec<Result<u64, Error>>, i64) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("small.db");
        let mut connection = Connection::writer(&path, None).unwrap();
        connection
            .raw()
            .execute_batch("create table things (body blob) strict")
            .unwrap();
        connection
            .raw()
            .pragma_update(None, "max_page_count", pages)
            .unwrap();
        let queue = Arc::new(Queue::new(100));
        let answers: Vec<Answer> = sizes
            .iter()
            .map(|size| {
                let (job, answer) = insert(*size);
                queue.push(0, job).unwrap();
                answer
            })
            .collect();
        queue.close();
        let tx = Tx::over(Engine::Sqlite(Box::new(connection)), false);
        Writer::new(tx, queue, committed()).serve();
        let answers = answers
            .into_iter()
            .map(|mut answer| answer.try_recv().unwrap())
            .collect();
        let stored = rusqlite::Connection::open(&path)
            .unwrap()
            .query_row("select count(*) from things", [], |row| row.get(0))
            .unwrap();
        (answers, stored)
    }

    #[test]
    fn a_full_disk_refuses_what_does_not_fit_and_nothing_else() {
        let (answers, stored) = group_on_a_small_disk(60, &[10, 10, 4_000_000, 10, 10]);
        for (place, answer) in answers.iter().enumerate() {
            match place {
                2 => assert!(matches!(answer, Err(Error::Unavailable(_))), "{answer:?}"),
                _ => assert_eq!(answer, &Ok(1)),
            }
        }
        assert_eq!(stored, 4);
    }

    #[test]
    fn after_a_full_disk_the_log_is_moved_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.db");
        let mut connection = Connection::writer(&path, None).unwrap();
        let table = "create table things (body blob) strict";
        connection.raw().execute_batch(table).unwrap();
        let pages = |connection: &mut Connection, pages: u32| {
            let set = connection
                .raw()
                .pragma_update(None, "max_page_count", pages);
            set.unwrap();
        };
        pages(&mut connection, 60);
        let tx = Tx::over(Engine::Sqlite(Box::new(connection)), false);
        let mut writer = Writer::new(tx, Arc::new(Queue::new(100)), committed());
        let write = |writer: &mut Writer, size| {
            let (job, mut answer) = insert(size);
            writer.serve_group(vec![job]);
            answer.try_recv().unwrap()
        };
        assert_eq!(write(&mut writer, 10), Ok(1));
        // Somebody else moves the log: it cannot be tried.
        let mut other = Connection::writer(&path, None).unwrap();
        assert!(write(&mut writer, 4_000_000).is_err());
        assert!(writer.full.is_some(), "it was full");
        writer.full = Some(Instant::now() + Duration::from_hours(1));
        let refused = write(&mut writer, 10);
        assert_eq!(refused, Err(Error::Unavailable("the disk is full".into())));
        writer.full = Some(Instant::now());
        assert_eq!(write(&mut writer, 10), Ok(1));
        assert!(writer.full.is_none());
        let left = other.checkpoint().unwrap();
        assert!(left.log < 60, "the log was moved, and began anew");
    }

    #[test]
    fn who_is_refused_alone_hears_it_when_what_it_saw_is_on_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.db");
        let mut connection = Connection::writer(&path, None).unwrap();
        let table = "create table things (body blob unique) strict";
        connection.raw().execute_batch(table).unwrap();
        let tx = Tx::over(Engine::Sqlite(Box::new(connection)), false);
        let queue = Arc::new(Queue::new(100));
        // The thread that syncs stands still.
        let (committed, _syncing, _) = super::super::sync::ends(Arc::new(|| Ok(())));
        let mut writer = Writer::new(tx, Arc::clone(&queue), committed);
        let (first, mut kept) = insert(10);
        let (same, mut refused) = insert(10);
        queue.push(0, same).unwrap();
        writer.serve_group(vec![first]);
        let job = queue.take(1);
        // Another one waits, so that the writer does not sync by itself.
        queue.push(0, insert(11).0).unwrap();
        writer.serve_group(job);
        assert!(kept.try_recv().is_err(), "the disk does not have it");
        assert!(refused.try_recv().is_err(), "it was refused by that");
    }

    #[test]
    fn with_room_for_all_a_group_is_committed_whole() {
        let (answers, stored) = group_on_a_small_disk(10_000, &[10, 10, 4_000_000, 10, 10]);
        assert!(answers.iter().all(|answer| answer == &Ok(1)));
        assert_eq!(stored, 5);
    }
}
