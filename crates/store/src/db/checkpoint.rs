//! Moving the write-ahead log into the database file.
//!
//! A checkpoint takes time, and whoever makes it makes others wait. So a second connection does it beside the
//! writer, passively (it waits for nobody), every two seconds and sooner when the log has grown by some.
//!
//! Beside a writer that never rests it never comes to the log's end, and only a log that is moved whole starts over.
//! Therefore the writer moves the last few pages itself, between two commits, when the checkpointer says that it has
//! moved all but those of its last, short round; and all of it when the log has grown long all the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use rusqlite::ErrorCode;
use rusqlite::hooks::Wal;

use super::sqlite::{Checkpointed, Connection};
use crate::Error;

/// Of a log that is used.
pub(super) const LENGTHS: Lengths = Lengths {
    call: 6_000,
    long: 10_000,
    bound: 24_000,
    rest: 1_000,
};
/// Rounds of the checkpointer that try to leave little.
const ROUNDS_MAX: usize = 4;
/// Between two checkpoints of a quiet database.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(2);

/// When something is done about a log, in pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    /// By which it grows before the checkpointer is called.
    call: usize,
    /// From which on it is to start over.
    long: usize,
    /// Which the writer moves whole, because the checkpointer has fallen behind.
    bound: usize,
    /// That came during one round and are few enough for the writer.
    rest: usize,
}

/// What the writer knows of the log.
pub(super) struct Log {
    lengths: Lengths,
    call: SyncSender<()>,
    rest_is_short: Arc<AtomicBool>,
    /// Its length when the checkpointer was called last.
    called_at: usize,
    /// Its length when the writer last tried to move it for being too long.
    tried_at: usize,
}

/// What the checkpointer hears of the writer.
pub(super) struct Calls {
    lengths: Lengths,
    called: Receiver<()>,
    rest_is_short: Arc<AtomicBool>,
}

/// The two ends between the writer and the checkpointer.
pub(super) fn ends(lengths: Lengths) -> (Log, Calls) {
    let (call, called) = std::sync::mpsc::sync_channel(1);
    let rest_is_short = Arc::new(AtomicBool::new(false));
    let log = Log {
        lengths,
        call,
        rest_is_short: Arc::clone(&rest_is_short),
        called_at: 0,
        tried_at: 0,
    };
    let calls = Calls {
        lengths,
        called,
        rest_is_short,
    };
    (log, calls)
}

impl Log {
    /// After each commit of the writer, with the length of the log.
    pub(super) fn committed(&mut self, log: &mut Wal, pages: usize) {
        // It may have started over.
        self.called_at = self.called_at.min(pages);
        self.tried_at = self.tried_at.min(pages);
        let Lengths {
            call, bound, rest, ..
        } = self.lengths;
        // Somebody who reads for long may be in the way: not every commit tries again.
        let too_long = pages >= bound && pages >= self.tried_at + rest;
        if too_long || self.rest_is_short.swap(false, Ordering::Relaxed) {
            self.tried_at = pages;
            self.move_all(log);
        } else if pages >= self.called_at + call {
            self.called_at = pages;
            // A full channel means that it has been called already.
            let _ = self.call.try_send(());
        }
    }

    fn move_all(&self, log: &mut Wal) {
        match log.checkpoint() {
            Ok(()) => {}
            // The checkpointer is at it: at the next commit.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                self.rest_is_short.store(true, Ordering::Relaxed);
            }
            Err(error) => {
                // A sync that failed is not tried again: told in the store's words, it ends the process.
                let error = Error::from(error);
                tracing::warn!(%error, "checkpoint failed; it is tried again");
            }
        }
    }
}

/// The checkpointer, until the writer has gone.
pub(super) fn serve(mut connection: Connection, calls: &Calls) {
    loop {
        match calls.called.recv_timeout(CHECKPOINT_EVERY) {
            Err(RecvTimeoutError::Disconnected) => return,
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
        }
        match move_most(&mut connection, calls.lengths) {
            Ok(rest_is_short) => calls.rest_is_short.store(rest_is_short, Ordering::Relaxed),
            Err(error) => tracing::warn!(%error, "checkpoint failed; it is tried again"),
        }
    }
}

/// Moves what is in the log, more than once when it is long. Whether what came meanwhile is for the writer.
fn move_most(connection: &mut Connection, lengths: Lengths) -> Result<bool, Error> {
    let mut before = 0;
    for _ in 0..ROUNDS_MAX {
        let Checkpointed { log, moved } = connection.checkpoint()?;
        // What somebody still reads in the log cannot be moved.
        if log < lengths.long || moved < log {
            return Ok(false);
        }
        if log.saturating_sub(before) <= lengths.rest {
            return Ok(true);
        }
        before = log;
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Lengths = Lengths {
        call: 60,
        long: 100,
        bound: 1_000,
        rest: 20,
    };

    /// A file, and a writer on it with this log.
    fn written(log: Log) -> (tempfile::TempDir, Connection) {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Connection::writer(&folder.path().join("log.db"), Some(log)).unwrap();
        let raw = writer.raw();
        raw.execute_batch("create table things (id integer primary key, body blob) strict")
            .unwrap();
        (folder, writer)
    }

    /// Some four pages.
    fn write(writer: &mut Connection, id: i64) {
        let text = "insert or replace into things (id, body) values (?1, randomblob(30000))";
        writer.raw().execute(text, [id]).unwrap();
    }

    fn pages_of_log(folder: &tempfile::TempDir) -> u64 {
        let log = std::fs::metadata(folder.path().join("log.db-wal")).unwrap();
        log.len() / 8_192
    }

    #[test]
    fn a_log_that_nobody_moves_does_not_outgrow_its_bound() {
        let (log, calls) = ends(SHORT);
        let (folder, mut writer) = written(log);
        for n in 0..1_000 {
            write(&mut writer, n % 50);
        }
        let pages = pages_of_log(&folder);
        assert!((1_000..1_100).contains(&pages), "{pages}");
        drop(calls);
    }

    #[test]
    fn a_log_starts_over_under_a_writer_that_never_rests() {
        let (log, calls) = ends(SHORT);
        let (folder, mut writer) = written(log);
        let path = folder.path().join("log.db");
        let mut checkpointer = Connection::writer(&path, None).unwrap();
        for n in 0..1_000 {
            writer.word("begin immediate").unwrap();
            write(&mut writer, n % 50);
            // It never meets the end of the log: the writer is always in the middle of something.
            if calls.called.try_recv().is_ok() {
                let short = move_most(&mut checkpointer, calls.lengths).unwrap();
                calls.rest_is_short.store(short, Ordering::Relaxed);
            }
            writer.word("commit").unwrap();
        }
        let pages = pages_of_log(&folder);
        assert!(pages < 200, "{pages}");
    }

    #[test]
    fn what_is_still_read_is_not_left_to_the_writer() {
        let (log, calls) = ends(SHORT);
        let (folder, mut writer) = written(log);
        let path = folder.path().join("log.db");
        let mut reader = Connection::reader(&path).unwrap();
        let mut checkpointer = Connection::writer(&path, None).unwrap();
        write(&mut writer, 1);
        let count = "begin; select count(*) from things";
        reader.raw().execute_batch(count).unwrap();
        for n in 0..50 {
            write(&mut writer, n);
        }
        assert!(!move_most(&mut checkpointer, calls.lengths).unwrap());
        reader.word("rollback").unwrap();
        assert!(move_most(&mut checkpointer, calls.lengths).unwrap());
    }
}
