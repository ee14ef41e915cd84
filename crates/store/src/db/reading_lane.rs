//! Reads on PostgreSQL: threads of their own, so that they never wait behind a commit.
//!
//! A snapshot costs two round trips, its begin and its end, and one statement is a snapshot of its own. So a
//! read that is likely to be one statement is run without; when it asks a second time it is run again from its
//! beginning on a snapshot, which it cannot tell (use cases may run twice).
//!
//! A server may have room for some connections and not for all. Who has none answers faster than anybody who reads, and
//! would take most of what comes to refuse it. So as long as another is connected, who is refused a connection gives back
//! what it has taken and stands aside until it has one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::job::Job;
use super::line::Line;
use super::queue::Queue;
use super::store::READS;
use crate::Error;

/// A reading thread: one snapshot for each query.
pub(super) struct ReadingLane {
    line: Line,
    queue: Arc<Queue<Job>>,
    connected: Connected,
}

/// How many reading threads are connected, and whether this one is counted among them.
struct Connected {
    all: Arc<AtomicUsize>,
    is_counted: bool,
}

impl ReadingLane {
    /// One of those that take from `queue`, of which so many are `connected`.
    pub(super) fn new(line: Line, queue: Arc<Queue<Job>>, connected: Arc<AtomicUsize>) -> Self {
        let connected = Connected {
            all: connected,
            is_counted: false,
        };
        Self {
            line,
            queue,
            connected,
        }
    }

    /// Until the queue is closed and empty.
    pub(super) fn serve(mut self) {
        while self.may_take() {
            let Some(job) = self.queue.take(1).pop() else {
                return;
            };
            if !job.abandoned() {
                self.serve_one(job);
            }
        }
    }

    /// Stands aside after a connection was refused, until there is one, or none of the others has any. `false`: the queue was
    /// closed meanwhile, and the others empty it.
    fn may_take(&mut self) -> bool {
        while let Some(span) = self.line.rests_for()
            && self.connected.has_others()
        {
            if self.queue.closed_within(span) {
                return false;
            }
            let connected = self.line.connect();
            self.connected.note(connected.is_ok());
        }
        true
    }

    fn serve_one(&mut self, mut job: Job) {
        let mut ended = self.read(&mut job);
        let is_refused = |line: &Line| line.rests_for().is_some();
        if let Err(Error::Unavailable(_)) = ended
            && !is_refused(&self.line)
        {
            // The connection was lost since it was used last.
            ended = self.read(&mut job);
        }
        self.connected.note(self.line.is_connected());
        if is_refused(&self.line) && self.connected.has_others() {
            match self.queue.give_back(READS, job) {
                Ok(()) => return,
                Err(kept) => job = kept,
            }
        }
        let snapshot = !job.glance;
        job.answer(ended);
        if snapshot {
            // Nothing was written: how the snapshot ends is no concern of the caller.
            self.line.roll_back();
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

impl Connected {
    fn note(&mut self, is_connected: bool) {
        match (self.is_counted, is_connected) {
            (false, true) => self.all.fetch_add(1, Ordering::Relaxed),
            (true, false) => self.all.fetch_sub(1, Ordering::Relaxed),
            (false, false) | (true, true) => return,
        };
        self.is_counted = is_connected;
    }

    fn has_others(&self) -> bool {
        self.all.load(Ordering::Relaxed) > usize::from(self.is_counted)
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.note(false);
    }
}
