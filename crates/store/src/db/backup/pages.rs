//! Page by page from a snapshot into a part.

use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, ffi};

use super::part::Part;
use super::{BackupError, Onlooker, Step};
use crate::disk::Disk;

/// Pages copied between two looks at the watch: two megabytes.
const PAGES_A_STEP: i32 = 256;
/// Steps between two syncs: some sixty megabytes.
const STEPS_A_SYNC: u32 = 32;
/// Waits for a lock of the engine's at most, and how long one is.
const WAITS_MAX: u32 = 500;
const WAIT: Duration = Duration::from_millis(10);

/// Copies everything that the onlooker sees into the part, as one file that needs none beside it.
pub(super) fn copy(
    from: &Onlooker,
    part: &Part,
    kept_percent: u64,
    tell: &mut dyn FnMut(Step),
) -> Result<(), BackupError> {
    let source = from.connection();
    let word = |words: &str| {
        let done = source.execute_batch(words);
        done.map_err(|error| from.failed(&error))
    };
    // One snapshot for all steps.
    word("begin; select count(*) from sqlite_schema")?;
    let copied = look_for_room(from, part, kept_percent);
    let copied = copied.and_then(|()| copy_all(from, part, tell));
    // A snapshot that cannot be given back ends with its connection.
    let _ = word("rollback");
    copied?;
    alone(part)
}

/// Refuses what would fill the disk before the first page: a service whose disk is full takes nothing in any more.
fn look_for_room(from: &Onlooker, part: &Part, kept_percent: u64) -> Result<(), BackupError> {
    let bytes = "select page_count * page_size from pragma_page_count, pragma_page_size";
    let bytes = from.connection().query_row(bytes, [], |row| row.get(0));
    let bytes: i64 = bytes.map_err(|error| from.failed(&error))?;
    let disk = |path: &Path| Disk::of(path).map_err(|error| BackupError::io(path, &error));
    let (to, store) = (disk(part.path())?, disk(from.path())?);
    match to.shortage(bytes.unsigned_abs(), store, kept_percent) {
        None => Ok(()),
        Some(found) => Err(BackupError::NoRoom {
            path: part.path().to_owned(),
            megabytes: found.wanted.div_ceil(1_000_000),
            free: found.free / 1_000_000,
        }),
    }
}

fn copy_all(from: &Onlooker, part: &Part, tell: &mut dyn FnMut(Step)) -> Result<(), BackupError> {
    // One call reads the one and writes the other.
    let failed = |error: rusqlite::Error| {
        if is_of_writing(&error) {
            return BackupError::engine(part.path(), &error);
        }
        from.failed(&error)
    };
    let page: i64 = from
        .connection()
        .query_row("pragma page_size", [], |row| row.get(0))
        .map_err(failed)?;
    let page = page.unsigned_abs();
    let mut to = target(part, "pragma journal_mode = off; pragma synchronous = off;")?;
    let backup = Backup::new(from.connection(), &mut to).map_err(failed)?;
    let (mut steps, mut waits) = (0_u32, 0);
    loop {
        from.may_go_on()?;
        let done = match backup.step(PAGES_A_STEP).map_err(failed)? {
            StepResult::Done => true,
            StepResult::More => false,
            _ if waits < WAITS_MAX => {
                waits += 1;
                std::thread::sleep(WAIT);
                continue;
            }
            _ => {
                let (path, reason) = (from.path().to_owned(), "it is locked".to_owned());
                return Err(BackupError::Unusable { path, reason });
            }
        };
        steps += 1;
        if done || steps.is_multiple_of(STEPS_A_SYNC) {
            part.sync()?;
        }
        let progress = backup.progress();
        let [all, left] = [progress.pagecount, progress.remaining].map(i32::unsigned_abs);
        tell(Step::Copying(
            u64::from(all.saturating_sub(left)) * page,
            u64::from(all) * page,
        ));
        if done {
            return Ok(());
        }
    }
}

fn is_of_writing(error: &rusqlite::Error) -> bool {
    let codes = [
        ffi::SQLITE_FULL,
        ffi::SQLITE_IOERR_WRITE,
        ffi::SQLITE_IOERR_TRUNCATE,
        ffi::SQLITE_IOERR_FSYNC,
    ];
    let code = error.sqlite_error().map(|found| found.extended_code);
    code.is_some_and(|code| codes.contains(&code))
}

/// The copy says of itself, as the store does, that it has a log: then nobody could read it where nothing can be written
/// beside it, and a file beside it of that name would be taken for a part of it.
fn alone(part: &Part) -> Result<(), BackupError> {
    let failed = |error: rusqlite::Error| BackupError::engine(part.path(), &error);
    let to = target(
        part,
        "pragma locking_mode = exclusive; pragma synchronous = off;",
    )?;
    let mode: String = to
        .query_row("pragma journal_mode = delete", [], |row| row.get(0))
        .map_err(failed)?;
    if mode != "delete" {
        let (path, reason) = (part.path().to_owned(), format!("its log stays: {mode}"));
        return Err(BackupError::Unusable { path, reason });
    }
    to.close().map_err(|(_, error)| failed(error))?;
    part.sync()
}

/// Without the engine's locks: the part has one of its own, and disks of networks, on which a copy may well lie, have not
/// always any.
fn target(part: &Part, words: &str) -> Result<Connection, BackupError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags_and_vfs(part.path(), flags, "unix-none");
    let set = opened.and_then(|to| to.execute_batch(words).map(|()| to));
    set.map_err(|error| BackupError::engine(part.path(), &error))
}
