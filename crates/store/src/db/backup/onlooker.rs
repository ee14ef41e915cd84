//! Looking at a store, or at a copy of one, without having it.
//!
//! The store's lock is the service's alone: an onlooker who took it for a moment would have a start refused. It holds
//! another one, on the store's own file and shared with other onlookers, which only a restore wants for itself. The engine
//! deletes a log by its *name* when its last reader leaves: an onlooker of the store before would take away the log of
//! the one that was put in its place. This lock must be given back behind the connection, since closing a file gives back
//! what the engine has locked in it.
//!
//! What an onlooker reads, it reads from one snapshot, under which the log grows. So it has a watch over the log: half of
//! what is free on its disk, and [`GROWTH_BYTES_MAX`], are the most it may grow by.

use std::fs::File;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::{BackupError, Stop};
use crate::db::start;

/// By which the log may grow while somebody looks.
const GROWTH_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;
/// From this growth on it is moved by who caused it.
const GROWTH_BYTES_MOVED: u64 = 64 * 1024 * 1024;
/// Steps of the engine's machine between two looks at the log.
const STEPS_BETWEEN_LOOKS: i32 = 1_000_000;
/// Longest text of a fault, in characters.
const FAULT_CHARACTERS_MAX: usize = 200;
/// Longest wait for a lock of the engine's.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// How closely a store is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Every page, and what must hold within it.
    Quick,
    /// Also whether indexes hold what their tables do.
    Full,
}

/// The schema of a file, and the newest that this program knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Of the file.
    pub found: i64,
    /// Of this program.
    pub known: i64,
}

impl Schema {
    /// The file's, where this program can deal with it.
    pub(super) fn known_here(self, path: &Path) -> Result<i64, BackupError> {
        let Self { found, known } = self;
        if found > known {
            let path = path.to_owned();
            return Err(BackupError::Newer { path, found, known });
        }
        Ok(found)
    }
}

/// Somebody who looks at a store, or at a copy. The order of the members is the one in which they are given back.
#[derive(Debug)]
pub struct Onlooker {
    connection: Connection,
    path: PathBuf,
    watch: Arc<Watch>,
    /// Held, for the store itself.
    _shared: Option<File>,
}

/// Over the log, and over who wants it all to end.
#[derive(Debug)]
struct Watch {
    log: PathBuf,
    from: u64,
    growth_max: u64,
    stop: Stop,
}

impl Onlooker {
    /// Looks at the store of this folder, whether a service has it open or not.
    pub fn of_store(path: &Path, stop: &Stop) -> Result<Self, BackupError> {
        if super::restore::is_unfinished(path) {
            let path = path.to_owned();
            return Err(BackupError::Unfinished { path });
        }
        let shared = share(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(path, flags);
        let connection = opened.map_err(|error| BackupError::engine(path, &error))?;
        // A log that is there stays for the service's next start.
        let stays = has_log(path);
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, stays)
            .map_err(|error| BackupError::engine(path, &error))?;
        Self::over(connection, path, stop, Some(shared))
    }

    /// Looks at a file that nobody writes. Nothing is put beside it, unless its own log lies there.
    pub fn of_copy(path: &Path, stop: &Stop) -> Result<Self, BackupError> {
        if !path.is_file() {
            let path = path.to_owned();
            return Err(BackupError::Missing { path });
        }
        let still = !beside(path, "-wal").exists() && !beside(path, "-journal").exists();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let opened = Connection::open_with_flags(address(path, still), flags);
        let connection = opened.map_err(|error| BackupError::engine(path, &error))?;
        Self::over(connection, path, stop, None)
    }

    fn over(
        mut connection: Connection,
        path: &Path,
        stop: &Stop,
        shared: Option<File>,
    ) -> Result<Self, BackupError> {
        let failed = |error: rusqlite::Error| BackupError::engine(path, &error);
        connection.busy_timeout(WAIT_MAX).map_err(failed)?;
        let quiet = "pragma query_only = on; pragma trusted_schema = off;";
        connection.execute_batch(quiet).map_err(failed)?;
        let watch = Arc::new(Watch::over(path, stop));
        let watching = Arc::clone(&watch);
        connection
            .progress_handler(STEPS_BETWEEN_LOOKS, Some(move || watching.ends()))
            .map_err(failed)?;
        Ok(Self {
            connection,
            path: path.to_owned(),
            watch,
            _shared: shared,
        })
    }

    /// The schema of the file; an error where it is none of ours.
    pub fn schema(&self) -> Result<Schema, BackupError> {
        let ours = "select count(*) from sqlite_schema where type = 'table'
            and name in ('refinery_schema_history', 'accounts', 'deliveries')";
        if self.number(ours)? != 3 {
            let path = self.path.clone();
            return Err(BackupError::NotAStore { path });
        }
        let newest = "select coalesce(max(version), 0) from refinery_schema_history";
        Ok(Schema {
            found: self.number(newest)?,
            known: start::newest_schema(),
        })
    }

    /// The first fault that the engine finds; `None`: the file is whole.
    pub fn fault(&self, depth: Depth) -> Result<Option<String>, BackupError> {
        let pragma = match depth {
            Depth::Quick => "pragma quick_check(1)",
            Depth::Full => "pragma integrity_check(1)",
        };
        let found: rusqlite::Result<String> =
            self.connection.query_row(pragma, [], |row| row.get(0));
        let found = match found {
            Ok(found) => found,
            Err(error) => match self.failed(&error) {
                BackupError::Damaged { found, .. } => found,
                other => return Err(other),
            },
        };
        let line = found.replace('\n', " ");
        let short: String = line.chars().take(FAULT_CHARACTERS_MAX).collect();
        Ok((short != "ok").then_some(short))
    }

    /// Leaves. What the log has grown by meanwhile is moved into the store.
    pub fn leave(self) {
        if self.watch.growth() >= GROWTH_BYTES_MOVED {
            let moving = "pragma wal_checkpoint(passive)";
            let moved = self.connection.query_row(moving, [], |_| Ok(()));
            if let Err(error) = moved {
                tracing::warn!(%error, "the log is left to the service");
            }
        }
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// An error when it is time to end.
    pub(super) fn may_go_on(&self) -> Result<(), BackupError> {
        if self.watch.ends() {
            return Err(self.watch.reason(&self.path));
        }
        Ok(())
    }

    pub(super) fn failed(&self, error: &rusqlite::Error) -> BackupError {
        if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) {
            return self.watch.reason(&self.path);
        }
        BackupError::engine(&self.path, error)
    }

    fn number(&self, query: &str) -> Result<i64, BackupError> {
        let found = self.connection.query_row(query, [], |row| row.get(0));
        found.map_err(|error| self.failed(&error))
    }
}

impl Watch {
    fn over(path: &Path, stop: &Stop) -> Self {
        let log = beside(path, "-wal");
        let disk = rustix::fs::statvfs(path);
        let free = disk.map_or(u64::MAX, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
        Self {
            from: length(&log),
            log,
            growth_max: GROWTH_BYTES_MAX.min(free / 2),
            stop: Arc::clone(stop),
        }
    }

    fn growth(&self) -> u64 {
        length(&self.log).saturating_sub(self.from)
    }

    fn ends(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.growth() > self.growth_max
    }

    fn reason(&self, path: &Path) -> BackupError {
        if self.stop.load(Ordering::Relaxed) {
            return BackupError::Stopped;
        }
        BackupError::LogTooLong {
            path: path.to_owned(),
            megabytes: self.growth_max / 1_000_000,
        }
    }
}

/// Takes an onlooker's lock.
pub(in crate::db) fn share(path: &Path) -> Result<File, BackupError> {
    let failed = |error: std::io::Error| BackupError::io(path, &error);
    let unfinished = || BackupError::Unfinished {
        path: path.to_owned(),
    };
    let file = File::open(path).map_err(failed)?;
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Err(unfinished()),
        Err(error) => return Err(failed(error.into())),
    }
    // It may have been set aside in the meantime.
    let (ours, named) = (file.metadata(), path.metadata());
    let (ours, named) = (ours.map_err(failed)?, named.map_err(failed)?);
    if (ours.dev(), ours.ino()) != (named.dev(), named.ino()) {
        return Err(unfinished());
    }
    Ok(file)
}

/// Whether the store's log holds something.
pub(in crate::db) fn has_log(path: &Path) -> bool {
    length(&beside(path, "-wal")) > 0
}

/// What the engine, or we, put beside a file.
pub(in crate::db) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |about| about.len())
}

/// The file as the engine takes addresses. One that stands still is read without locks and without anything beside it.
fn address(path: &Path, still: bool) -> String {
    let bytes = path.as_os_str().as_bytes().iter();
    let name: String = bytes
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                char::from(*byte).to_string()
            }
            other => format!("%{other:02x}"),
        })
        .collect();
    format!("file:{name}{}", if still { "?immutable=1" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_signs_of_addresses_stays_a_name() {
        let path = Path::new("/a b/50%?x=1#.db");
        assert_eq!(address(path, false), "file:/a%20b/50%25%3fx%3d1%23.db");
        assert!(address(path, true).ends_with("?immutable=1"));
    }

    #[test]
    fn growth_ends_it_and_so_does_a_stop() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        std::fs::write(&path, "").unwrap();
        let stop = Stop::default();
        let mut watch = Watch::over(&path, &stop);
        watch.growth_max = 10;
        std::fs::write(&watch.log, [0; 10]).unwrap();
        assert!(!watch.ends());
        std::fs::write(&watch.log, [0; 11]).unwrap();
        assert!(watch.ends());
        let reason = watch.reason(&path);
        assert!(matches!(reason, BackupError::LogTooLong { .. }));
        std::fs::write(&watch.log, "").unwrap();
        stop.store(true, Ordering::Relaxed);
        assert!(watch.ends() && matches!(watch.reason(&path), BackupError::Stopped));
    }
}
