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

use rusqlite::hooks::Wal;

use super::sqlite::Connection;
use crate::Error;

/// Pages by which the log grows before the checkpointer is called.
const CALL_PAGES: usize = 6_000;
/// Pages of a log that is to start over.
const LONG_PAGES: usize = 10_000;
/// Pages of a log that the writer moves whole, because the checkpointer has fallen behind.
const BOUND_PAGES: usize = 24_000;
/// What came during one round is little enough for the writer.
const REST_PAGES: usize = 1_000;
/// Rounds that try to make it so little.
const ROUNDS_MAX: usize = 4;
/// Between two checkpoints of a quiet database.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(2);

/// What the writer knows of the log.
pub(super) struct Log {
    call: SyncSender<()>,
    rest_is_short: Arc<AtomicBool>,
    /// Its length when the checkpointer was called last.
    called_at: usize,
}

/// What the checkpointer hears of the writer.
pub(super) struct Calls {
    called: Receiver<()>,
    rest_is_short: Arc<AtomicBool>,
}

/// The two ends between the writer and the checkpointer.
pub(super) fn ends() -> (Log, Calls) {
    let (call, called) = std::sync::mpsc::sync_channel(1);
    let rest_is_short = Arc::new(AtomicBool::new(false));
    let log = Log {
        call,
        rest_is_short: Arc::clone(&rest_is_short),
        called_at: 0,
    };
    let calls = Calls {
        called,
        rest_is_short,
    };
    (log, calls)
}

impl Log {
    /// After each commit of the writer, with the length of the log.
    pub(super) fn committed(&mut self, log: &mut Wal, pages: usize) {
        // It has started over.
        self.called_at = self.called_at.min(pages);
        if self.rest_is_short.swap(false, Ordering::Relaxed) || pages >= BOUND_PAGES {
            if let Err(error) = log.checkpoint() {
                tracing::warn!(%error, "checkpoint failed; it is tried again");
            }
        } else if pages >= self.called_at + CALL_PAGES {
            self.called_at = pages;
            // A full channel means that it has been called already.
            let _ = self.call.try_send(());
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
        match move_most(&mut connection) {
            Ok(rest_is_short) => calls.rest_is_short.store(rest_is_short, Ordering::Relaxed),
            Err(error) => tracing::warn!(%error, "checkpoint failed; it is tried again"),
        }
    }
}

/// Moves what is in the log, more than once when it is long. Whether what came meanwhile is for the writer.
fn move_most(connection: &mut Connection) -> Result<bool, Error> {
    let mut moved = 0;
    for _ in 0..ROUNDS_MAX {
        let log = connection.checkpoint()?;
        if log < LONG_PAGES {
            return Ok(false);
        }
        if log.saturating_sub(moved) <= REST_PAGES {
            return Ok(true);
        }
        moved = log;
    }
    Ok(false)
}
