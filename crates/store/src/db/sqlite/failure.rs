//! What SQLite's failures mean.

use std::cell::Cell;
use std::io::Write as _;
use std::sync::mpsc;
use std::time::Duration;

use rusqlite::{ErrorCode, ffi};

use crate::Error;

/// How long the last line may take to be written.
const LAST_WORDS_MAX: Duration = Duration::from_secs(1);

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(code, message) = &error else {
            return Self::Refused(error.to_string());
        };
        let text = message.clone().unwrap_or_else(|| error.to_string());
        if is_damage(code.extended_code) {
            end_process(&text);
        }
        if code.code == ErrorCode::DiskFull {
            FULL.set(true);
        }
        match code.code {
            ErrorCode::ConstraintViolation => constraint(code.extended_code, text),
            ErrorCode::OperationInterrupted => Self::TimedOut,
            ErrorCode::DiskFull
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::OutOfMemory => Self::Unavailable(text),
            _ => Self::Refused(text),
        }
    }
}

thread_local! {
    /// Whether a connection of this thread has met a full disk.
    static FULL: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread has met a full disk since it was last asked.
pub(in crate::db) fn was_full() -> bool {
    FULL.take()
}

/// Unique and foreign keys are conflicts between callers; the other constraints are faults of ours.
fn constraint(extended_code: i32, text: String) -> Error {
    match extended_code {
        ffi::SQLITE_CONSTRAINT_UNIQUE
        | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
        | ffi::SQLITE_CONSTRAINT_FOREIGNKEY => Error::Conflict { constraint: text },
        _ => Error::Refused(text),
    }
}

/// A failed sync or a damaged page: what is on the disk is no longer known.
fn is_damage(extended_code: i32) -> bool {
    let fsync_failed = matches!(
        extended_code,
        ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC
    );
    fsync_failed
        || matches!(
            extended_code & 0xff,
            ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB
        )
}

/// A failed sync must never be tried again: the kernel may have thrown the pages away and would then say yes.
/// The only safe state is the one that recovery finds after a new start.
pub(in crate::db) fn end_process(reason: &str) -> ! {
    last_words(format!(
        "quayside: the database file cannot be trusted any more ({reason}), so it is left alone from here on (exit code 70). \
         Look at the disk and at the kernel's log before the next start"
    ));
    std::process::exit(70)
}

/// A line on standard error that does not go by the log, which another thread writes when it comes to it. Nor is it waited
/// for for long: it may be a pipe that nobody reads.
fn last_words(line: String) {
    let (told, hear) = mpsc::sync_channel(1);
    let writing = std::thread::Builder::new().name("last words".into());
    let begun = writing.spawn(move || {
        let _ = writeln!(std::io::stderr(), "{line}");
        let _ = told.send(());
    });
    if begun.is_ok() {
        let _ = hear.recv_timeout(LAST_WORDS_MAX);
    }
}
