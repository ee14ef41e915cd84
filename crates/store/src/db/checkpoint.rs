//! Moving the write-ahead log into the database file.
//!
//! A checkpoint takes time, and whoever makes it makes others wait. So a second connection does it beside the
//! writer, passively (it waits for nobody), every two seconds and sooner when the writer has done much. A
//! passive checkpoint beside a writer that never rests cannot start the log over, which then grows without
//! end; therefore the writer checkpoints by itself as well, but only when the log has grown large.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::sqlite::Connection;
use crate::Error;

/// Pages after which the writer checkpoints itself: a bound for the log when the checkpointer falls behind.
pub(super) const AUTOMATIC_CHECKPOINT_PAGES: u32 = 8_000;
/// Between two checkpoints of a quiet database.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(2);

/// Until the writer has gone.
pub(super) fn serve(mut connection: Connection, nudged: &Receiver<()>) {
    loop {
        match nudged.recv_timeout(CHECKPOINT_EVERY) {
            Err(RecvTimeoutError::Disconnected) => return,
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
        }
        let moved = connection
            .raw()
            .query_row("pragma wal_checkpoint(passive)", [], |_| Ok(()));
        if let Err(error) = moved.map_err(Error::from) {
            tracing::warn!(%error, "checkpoint failed; it is tried again");
        }
    }
}
