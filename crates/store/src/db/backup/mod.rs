//! Copies of an embedded store: made while a service writes, looked at, and put back.
//!
//! **Made** by SQLite's online backup call, from one snapshot. `VACUUM INTO` was the other choice: it goes by way of SQL and
//! builds every index anew, which takes several times as long, tells nothing of its progress, and a copy with every page
//! where it was is what one wants to have of a store that may be damaged. The call as it is meant to be used, some pages at
//! a time and the snapshot given back between, begins anew whenever another process has written: beside a service that
//! writes steadily it never ends. So the snapshot is held from the first page to the last. It holds up nobody, but while it
//! lasts the log cannot start over and grows by all that is written. Therefore
//!
//! - nothing waits while it is held: pages are read and written at once, and the copy is looked at only afterwards;
//! - the copy is synced every few megabytes: one sync of gigabytes at the end would stand before each sync of the writer;
//! - growth has a bound ([`onlooker`]): a copy to a slow disk beside a busy service is given up with a line that says so;
//! - what the log has grown by is moved into the store by who made it grow. Left to the writer, it would stand still for
//!   all of it between two commits.
//!
//! The copy is one file that needs none beside it, written under another name beside the one it is to have, and named
//! when it is whole, looked at and synced ([`part`]).
//!
//! **Looked at** without taking the store's lock and without changing anything, beside a service or where none runs
//! ([`onlooker`]).
//!
//! **Put back** in a folder of its own first, and then by one rename that decides ([`restore`]).

mod onlooker;
mod pages;
mod part;
mod restore;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rusqlite::ErrorCode;

pub use onlooker::{Depth, Onlooker, Schema};
pub(super) use onlooker::{beside, has_log, share};
pub(super) use restore::finish;
pub use restore::{Staged, is_unfinished, stage};

use super::OpenError;
use part::Part;

/// Set by whoever wants the work to end before its time.
pub type Stop = Arc<AtomicBool>;

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Bytes that were copied, of how many.
    Copying(u64, u64),
    /// What was read or written is looked at.
    Checking,
}

/// A copy that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its length.
    pub bytes: u64,
    /// Its schema.
    pub schema: i64,
}

/// Why a store or a copy of one was not looked at, copied or put back. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// There is no such file.
    #[error("{path} is not there")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file of another kind, or one whose head is destroyed.
    #[error("{path} is no store of Quayside")]
    NotAStore {
        /// The file.
        path: PathBuf,
    },
    /// The engine found a fault in it.
    #[error("{path} is damaged: {found}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first fault.
        found: String,
    },
    /// It was written by a version to come.
    #[error(
        "{path} is of a newer version of Quayside (its schema is {found}, this version knows {known}): use that version"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// Nothing that exists is overwritten.
    #[error("{path} exists already: name another file, or move that one away")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Where the copy is to lie there is nothing.
    #[error("there is no folder {path}: make it, or name a file in another one")]
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// Another process is writing it.
    #[error("another backup is writing {path}: wait for its end, or name another file")]
    UnderWay {
        /// The file.
        path: PathBuf,
    },
    /// It would not fit.
    #[error(
        "a copy needs {megabytes} MB, and of the disk of {path} {free} MB may be used: what the service needs to be ready \
         (`health.disk_free_percent`) stays free where both lie on one disk"
    )]
    NoRoom {
        /// The file that was to be written.
        path: PathBuf,
        /// What it needs.
        megabytes: u64,
        /// What there is for it.
        free: u64,
    },
    /// A disk is full.
    #[error("no room is left on the disk of {path}: nothing of the copy was kept")]
    Full {
        /// The file that was written.
        path: PathBuf,
    },
    /// The service wrote more than may wait for a copy.
    #[error(
        "the service wrote more than {megabytes} MB during it, which wait in the log beside {path}: copy to a faster \
         disk, or at a quieter hour"
    )]
    LogTooLong {
        /// The store.
        path: PathBuf,
        /// How much the log may grow.
        megabytes: u64,
    },
    /// Somebody reads the store that is to be set aside.
    #[error(
        "{path} is being copied or checked by another process: wait for its end, and repeat the command"
    )]
    LookedAt {
        /// The store.
        path: PathBuf,
    },
    /// A restore is at its renames, or was ended between them.
    #[error(
        "a restore of {path} is under way or was interrupted: the next start of the service, or the same restore, finishes it"
    )]
    Unfinished {
        /// The store.
        path: PathBuf,
    },
    /// What is to be put back is what is there.
    #[error("{path} is the store itself")]
    Itself {
        /// The store.
        path: PathBuf,
    },
    /// Somebody wanted it to end.
    #[error("it was stopped; nothing was changed")]
    Stopped,
    /// Something else is wrong with a file.
    #[error("{path} cannot be used: {reason}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What the system or the engine says.
        reason: String,
    },
    /// The store cannot be taken over.
    #[error(transparent)]
    Open(#[from] OpenError),
}

impl BackupError {
    fn io(path: &Path, error: &std::io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            ErrorKind::NotFound => Self::Missing { path },
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::Full { path },
            _ => Self::Unusable {
                path,
                reason: error.to_string(),
            },
        }
    }

    /// What the engine said about this file. Unlike elsewhere in the store damage does not end the process: it is found
    /// in copies, and told.
    fn engine(path: &Path, error: &rusqlite::Error) -> Self {
        let (path, said) = (path.to_owned(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotAStore { path },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, found: said },
            Some(ErrorCode::DiskFull) => Self::Full { path },
            _ => Self::Unusable { path, reason: said },
        }
    }
}

/// Copies the store at `store` into a new file `target`, beside whoever has it open. Where both lie on one disk, `kept_percent` of it
/// stay free. Blocks.
pub fn backup(
    store: &Path,
    target: &Path,
    kept_percent: u64,
    stop: &Stop,
    tell: &mut dyn FnMut(Step),
) -> Result<Made, BackupError> {
    let looked = Onlooker::of_store(store, stop)?;
    let schema = looked.schema()?.known_here(store)?;
    let part = Part::begin(target)?;
    pages::copy(&looked, &part, kept_percent, tell)?;
    looked.leave();
    tell(Step::Checking);
    let copy = Onlooker::of_copy(part.path(), stop)?;
    let copied = copy.schema()?.found;
    let fault = match copy.fault(Depth::Quick)? {
        None if copied != schema => Some(format!("its schema is {copied}, the store's {schema}")),
        fault => fault,
    };
    if let Some(found) = fault {
        // The pages were copied as they are: this is the store's fault, or one of the disks'.
        let path = store.to_owned();
        let found = format!("a copy of it does not hold ({found}) and was not kept");
        return Err(BackupError::Damaged { path, found });
    }
    drop(copy);
    let bytes = part.name_it()?;
    Ok(Made { bytes, schema })
}
