//! The sync of SQLite's log, beside the writer.
//!
//! A commit is durable when its pages in the log are on the disk. Would the writer wait for that itself, all others would wait
//! for it meanwhile: it is the one thread that bounds the rate. So its COMMIT only hands the pages to the
//! kernel (`synchronous = normal`), and another thread syncs the log while the writer is at the next group: one sync for
//! all groups that were committed when it began. Then they are answered, and not before. Where nobody waits for the writer, it
//! syncs by itself: a hop to another thread would cost a lone write more than it gains.
//!
//! What follows from that, and what holds it:
//!
//! * A log is a sequence: what a later commit has read stands before it, and each frame's checksum goes on from the one before.
//!   After a loss of power recovery finds a beginning of it with all that was answered. (The engine itself syncs the head of a log that
//!   starts over, and the log before any of it is moved into the database file.)
//! * Readers see a commit some milliseconds before it is on the disk. Nobody may act on what a loss of power would undo, so
//!   [a read's answer](Synced::wait) waits until what it may have seen is there.
//! * A sync that fails is not tried again: the process ends, as with the engine's own. The kernel tells an open file of a failure
//!   once, and would say yes to who asks next. So there is one sync at a time, and who fails never gives its turn back.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::backup::beside;
use super::job::Job;
use super::sqlite;

/// Groups that are committed and wait for the sync at most; then the writer waits too.
const GROUPS_MAX: usize = 8;

/// Has what was written to the log by now on the disk.
pub(super) type Sync = Arc<dyn Fn() -> io::Result<()> + Send + std::marker::Sync>;

/// The sync of the log of this database, which the engine has opened.
pub(super) fn of_log(database: &Path) -> io::Result<Sync> {
    // The engine puts its log beside what a link leads to. It has no locks on it that closing another handle would give back.
    let log = File::open(beside(&database.canonicalize()?, "-wal"))?;
    Ok(Arc::new(move || log.sync_data()))
}

/// The writer's end, the syncing thread's, and that of those who read.
pub(super) fn ends(sync: Sync) -> (Committed, Syncing, Synced) {
    let (hand_over, handed) = sync_channel(GROUPS_MAX);
    let begun = Arc::new(AtomicU64::new(0));
    let synced = watch::Sender::new(0);
    let seen = Synced {
        begun: Arc::clone(&begun),
        synced: synced.subscribe(),
    };
    let done = Done {
        sync,
        turn: Arc::default(),
        synced,
    };
    let committed = Committed {
        begun,
        done: done.clone(),
        hand_over,
    };
    (committed, Syncing { done, handed }, seen)
}

/// A group whose commit stands in the log.
struct Group {
    number: u64,
    jobs: Vec<Job>,
}

#[derive(Clone)]
struct Done {
    sync: Sync,
    turn: Arc<Mutex<()>>,
    /// The last commit that is on the disk.
    synced: watch::Sender<u64>,
}

impl Done {
    /// Whether somebody syncs now: who comes next would wait for two.
    fn is_at_it(&self) -> bool {
        self.turn.try_lock().is_err()
    }

    /// Syncs the log, in which the commits up to this one stand.
    fn sync_up_to(&self, number: u64) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // A sync that began after this commit has taken it along.
        if *self.synced.borrow() >= number {
            return;
        }
        if let Err(error) = (self.sync)() {
            sqlite::end_process(&error.to_string());
        }
        self.synced.send_replace(number);
    }
}

/// What the writer does after a commit.
pub(super) struct Committed {
    /// Commits that have begun.
    begun: Arc<AtomicU64>,
    done: Done,
    hand_over: SyncSender<Group>,
}

impl Committed {
    /// Before a commit: from now on it may be seen.
    pub(super) fn begins(&self) {
        self.begun.fetch_add(1, Ordering::SeqCst);
    }

    /// The commit that was begun has failed: nobody has seen it, and nobody is to wait for it.
    pub(super) fn failed(&self) {
        self.begun.fetch_sub(1, Ordering::SeqCst);
        self.done.synced.send_modify(|_| {});
    }

    /// Answers these when their commit is on the disk. The writer waits for that itself where nobody waits for the writer, and the
    /// disk is free.
    pub(super) fn answer(&self, jobs: Vec<Job>, others_wait: bool) {
        let number = self.begun.load(Ordering::SeqCst);
        let mut group = Group { number, jobs };
        if others_wait || self.done.is_at_it() {
            group = match self.hand_over.try_send(group) {
                Ok(()) => return,
                Err(TrySendError::Full(group) | TrySendError::Disconnected(group)) => group,
            };
        }
        self.done.sync_up_to(group.number);
        answer(group);
    }
}

/// The thread that syncs.
pub(super) struct Syncing {
    done: Done,
    handed: Receiver<Group>,
}

impl Syncing {
    /// Until the writer has gone.
    pub(super) fn serve(self) {
        while let Ok(first) = self.handed.recv() {
            let more = self.handed.try_iter().take(GROUPS_MAX);
            let groups: Vec<Group> = std::iter::once(first).chain(more).collect();
            let last = groups.iter().map(|group| group.number).max();
            self.done.sync_up_to(last.unwrap_or_default());
            groups.into_iter().for_each(answer);
        }
    }
}

fn answer(group: Group) {
    group.jobs.into_iter().for_each(|job| job.answer(Ok(())));
}

/// What those who read know of the log.
#[derive(Clone, Debug)]
pub(super) struct Synced {
    begun: Arc<AtomicU64>,
    synced: watch::Receiver<u64>,
}

impl Synced {
    /// Waits until all is on the disk that somebody has seen who read until now.
    pub(super) async fn wait(&self) {
        let seen = self.begun.load(Ordering::SeqCst);
        if *self.synced.borrow() >= seen {
            return;
        }
        // One that was begun may have failed.
        let is_there = |synced: &u64| *synced >= seen.min(self.begun.load(Ordering::SeqCst));
        // An error says that the writer has gone: it has left nothing behind.
        let _ = self.synced.clone().wait_for(is_there).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use tokio::sync::oneshot;

    use super::super::Key;
    use super::*;
    use crate::Error;

    type Answer = oneshot::Receiver<Result<u32, Error>>;

    fn job() -> (Job, Answer) {
        Job::new(Key::several(Vec::new()), |_| Ok(7))
    }

    /// A disk that syncs when it is told to, and says each time that it was asked.
    fn slow_disk() -> (Sync, mpsc::Receiver<()>, mpsc::Sender<()>) {
        let (asked, asks) = mpsc::channel();
        let (go, goes) = mpsc::channel::<()>();
        let goes = std::sync::Mutex::new(goes);
        let sync: Sync = Arc::new(move || {
            asked.send(()).unwrap();
            goes.lock().unwrap().recv().unwrap();
            Ok(())
        });
        (sync, asks, go)
    }

    fn is_waiting(answer: &mut Answer) -> bool {
        matches!(answer.try_recv(), Err(oneshot::error::TryRecvError::Empty))
    }

    fn commit(committed: &Committed, others_wait: bool) -> Answer {
        let (job, answer) = job();
        committed.begins();
        committed.answer(vec![job], others_wait);
        answer
    }

    #[test]
    fn nobody_is_answered_before_the_disk_has_it_and_the_writer_goes_on_meanwhile() {
        let (sync, asks, go) = slow_disk();
        let (committed, syncing, _) = ends(sync);
        let mut first = commit(&committed, true);
        let thread = std::thread::spawn(move || syncing.serve());
        asks.recv().unwrap();
        // Two more groups while the disk is at the first: they need one sync between them, and it begins after theirs.
        let mut others = [commit(&committed, true), commit(&committed, true)];
        assert!(is_waiting(&mut first));
        go.send(()).unwrap();
        asks.recv().unwrap();
        assert!(first.blocking_recv().is_ok());
        assert!(others.iter_mut().all(is_waiting));
        go.send(()).unwrap();
        for answer in others {
            assert!(answer.blocking_recv().is_ok());
        }
        drop(committed);
        thread.join().unwrap();
        assert!(asks.recv().is_err(), "one for both");
    }

    #[test]
    fn while_a_failed_sync_ends_the_process_nobody_is_answered() {
        let (asked, asks) = mpsc::channel();
        let calls = AtomicU64::new(0);
        let sync: Sync = Arc::new(move || {
            if calls.fetch_add(1, Ordering::SeqCst) > 0 {
                return Ok(());
            }
            asked.send(()).unwrap();
            // As `end_process` does, it never comes back.
            loop {
                std::thread::park();
            }
        });
        let (committed, syncing, _) = ends(sync);
        let mut first = commit(&committed, true);
        std::thread::spawn(move || syncing.serve());
        asks.recv().unwrap();
        let (job, mut second) = job();
        std::thread::spawn(move || {
            committed.begins();
            committed.answer(vec![job], false);
        });
        std::thread::sleep(Duration::from_millis(50));
        assert!(is_waiting(&mut first));
        assert!(is_waiting(&mut second), "the kernel would have said yes");
    }

    #[test]
    fn a_lone_commit_is_synced_by_the_writer() {
        let (sync, asks, go) = slow_disk();
        let (committed, syncing, _) = ends(sync);
        go.send(()).unwrap();
        let mut answer = commit(&committed, false);
        assert!(answer.try_recv().is_ok());
        assert_eq!(asks.try_iter().count(), 1);
        assert!(syncing.handed.try_recv().is_err());
    }

    #[tokio::test]
    async fn a_read_waits_for_what_it_may_have_seen_and_for_no_more() {
        let (sync, asks, go) = slow_disk();
        let (committed, syncing, synced) = ends(sync);
        synced.wait().await;
        drop(commit(&committed, true));
        let thread = std::thread::spawn(move || syncing.serve());
        asks.recv().unwrap();
        let reads = tokio::spawn({
            let synced = synced.clone();
            async move { synced.wait().await }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!reads.is_finished(), "the disk does not have it yet");
        drop(commit(&committed, true));
        go.send(()).unwrap();
        reads.await.unwrap();
        asks.recv().unwrap();
        go.send(()).unwrap();
        drop(committed);
        thread.join().unwrap();
        synced.wait().await;
    }

    #[tokio::test]
    async fn a_commit_that_fails_is_waited_for_by_nobody() {
        let (sync, _asks, _go) = slow_disk();
        let (committed, _syncing, synced) = ends(sync);
        committed.begins();
        let reads = tokio::spawn({
            let synced = synced.clone();
            async move { synced.wait().await }
        });
        tokio::task::yield_now().await;
        assert!(!reads.is_finished());
        committed.failed();
        let ended = tokio::time::timeout(Duration::from_secs(5), reads).await;
        ended.expect("nobody waits").unwrap();
        synced.wait().await;
    }
}
