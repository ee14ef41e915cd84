//! Reads on PostgreSQL: threads of their own, so that they never wait behind a commit.
//!
//! A snapshot costs two round trips, its begin and its end, and one statement is a snapshot of its own. So a
//! read that is likely to be one statement is run without; when it asks a second time it is run again from its
//! beginning on a snapshot, which it cannot tell (use cases may run twice).

use std::sync::Arc;

use super::job::Job;
use super::line::Line;
use super::queue::Queue;
use crate::Error;

/// A reading thread: one snapshot for each query.
pub(super) struct ReadingLane {
    pub(super) line: Line,
    pub(super) queue: Arc<Queue<Job>>,
}

impl ReadingLane {
    /// Until the queue is closed and empty.
    pub(super) fn serve(mut self) {
        loop {
            let Some(mut job) = self.queue.take(1).pop() else {
                return;
            };
            if job.abandoned() {
                continue;
            }
            let mut ended = self.read(&mut job);
            if let Err(Error::Unavailable(_)) = ended {
                ended = self.read(&mut job);
            }
            let snapshot = !job.glance;
            job.answer(ended);
            if snapshot {
                // Nothing was written: how the snapshot ends is no concern of the caller.
                self.line.roll_back();
            }
        }
    }

    fn read(&mut self, job: &mut Job) -> Result<(), Error> {
        if job.glance && self.line.glance(job)? {
            return Ok(());
        }
        job.glance = false;
        self.line
            .words("begin isolation level repeatable read read only")?;
        self.line.run(job).map(|_| ())
    }
}
