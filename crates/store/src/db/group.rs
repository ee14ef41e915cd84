//! Group commit on SQLite.
//!
//! SQLite has one writer, and a durable commit costs a sync of the disk. So one thread owns the writing
//! connection and takes everything that is queued: one BEGIN IMMEDIATE, a savepoint around each use case, one
//! COMMIT, then all answers. The commit in progress is the timer: while the disk syncs, the next group
//! gathers. A use case that fails or panics is rolled back to its own savepoint and harms nobody else.
//!
//! When the engine itself ends the transaction (disk full), savepoints are gone with it: each use case is run
//! again alone, so that those that still fit get through and the others hear why.

use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use super::Tx;
use super::job::{Job, Ran};
use super::queue::Queue;
use crate::Error;

/// Use cases in one group at most.
const GROUP_MAX: usize = 256;
/// Use cases after which the checkpointer is nudged.
const CHECKPOINT_AFTER: usize = 1_000;

/// The writing thread.
pub(super) struct Writer {
    pub(super) tx: Tx,
    pub(super) queue: Arc<Queue<Job>>,
    pub(super) checkpoint: SyncSender<()>,
}

impl Writer {
    /// Until the queue is closed and empty.
    pub(super) fn serve(mut self) {
        let mut since_checkpoint = 0;
        loop {
            let mut jobs = self.queue.take(GROUP_MAX);
            if jobs.is_empty() {
                return;
            }
            since_checkpoint += jobs.len();
            jobs.retain(|job| !job.abandoned());
            self.commit_together(jobs);
            if since_checkpoint >= CHECKPOINT_AFTER {
                since_checkpoint = 0;
                // A full channel means that it has been nudged already.
                let _ = self.checkpoint.try_send(());
            }
        }
    }

    fn commit_together(&mut self, mut jobs: Vec<Job>) {
        if jobs.len() < 2 || self.try_together(&mut jobs).is_err() {
            self.roll_back();
            jobs.into_iter().for_each(|job| self.commit_alone(job));
            return;
        }
        jobs.into_iter().for_each(|job| job.answer(Ok(())));
    }

    /// An error means that the whole group is undone, or about to be.
    fn try_together(&mut self, jobs: &mut [Job]) -> Result<(), Error> {
        self.word("begin immediate")?;
        for job in jobs {
            self.word("savepoint use_case")?;
            let ran = self.run(job);
            if self.lost() {
                return Err(Error::Unavailable(
                    "the engine ended the transaction".into(),
                ));
            }
            if ran == Ran::Refused && self.tx.stained() {
                self.word("rollback to use_case")?;
            }
            self.word("release use_case")?;
        }
        self.word("commit")
    }

    fn commit_alone(&mut self, mut job: Job) {
        if let Err(error) = self.word("begin immediate") {
            return job.answer(Err(error));
        }
        let ran = self.run(&mut job);
        let lost = self.lost();
        let ended = match (ran, lost) {
            (Ran::Refused, _) => Ok(()),
            (Ran::Done, true) => Err(Error::Unavailable(
                "the engine ended the transaction".into(),
            )),
            (Ran::Done, false) => self.word("commit"),
        };
        self.roll_back();
        job.answer(ended);
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
