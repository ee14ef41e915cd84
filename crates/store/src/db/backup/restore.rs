//! Putting a copy back.
//!
//! A copy is not laid over what is there: whoever is killed in the middle must leave the old store or the new one. It is
//! copied into a folder of its own, looked at, brought to this version's schema and told that it was put back, all under
//! the store's lock and beside the store. Then it is renamed to `quayside.db.next-TIME`, and with that rename everything is
//! decided: whoever opens the store next, the restore itself or any later start, first sets the old store aside, with its
//! log, into `set-aside-TIME`, and then gives the new one its name ([`finish`]). Each step of that can be done again.
//!
//! The old store is moved and not opened: it may be damaged, which is why somebody restores. Its log goes with it, before
//! the new one comes: the engine knows a log by its name, and would read the old one's last commits into the new store.
//! Setting it aside needs no flag and no answer. Who restores at three in the morning has lost enough; a store that was
//! set aside can be restored like any other copy, and taken away when the day is light.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::part::{Part, folder_of};
use super::{BackupError, Depth, Onlooker, Step, Stop, beside, pages};
use crate::db::start::{self, FileLock, make_folder, sync_folder};

/// Ends of names, behind that of the store.
const STAGING: &str = ".restoring";
const NEXT: &str = ".next-";
/// How the folder of a store that was set aside begins.
const ASIDE: &str = "set-aside-";
/// What makes up a store beside its file. What the engine shares in memory is made anew from the log.
const LOG: &str = "-wal";
const SHARED: &str = "-shm";
const LOCK: &str = ".lock";

/// A copy that lies ready, with the right to put it in place. Dropped, it is gone and the store stays what it was; where there
/// was none, no lock tells of one.
#[derive(Debug)]
pub struct Staged {
    store: PathBuf,
    staging: PathBuf,
    /// On the store that is there, against onlookers.
    _alone: Option<File>,
    lock: FileLock,
}

/// Takes the store's lock and copies `file` beside the store, when it is whole and of a schema that is known. Blocks.
pub fn stage(
    store: &Path,
    file: &Path,
    stop: &Stop,
    tell: &mut dyn FnMut(Step),
) -> Result<Staged, BackupError> {
    let looked = Onlooker::of_copy(file, stop)?;
    looked.schema()?.known_here(file)?;
    if is_same(store, file) {
        let path = store.to_owned();
        return Err(BackupError::Itself { path });
    }
    let lock = start::lock_file(store)?;
    finish(store)?;
    let staged = Staged {
        store: store.to_owned(),
        staging: beside(store, STAGING),
        _alone: alone(store)?,
        lock,
    };
    tell(Step::Checking);
    if let Some(found) = looked.fault(Depth::Full)? {
        let path = file.to_owned();
        return Err(BackupError::Damaged { path, found });
    }
    staged.clear();
    let failed = |error: std::io::Error| BackupError::io(&staged.staging, &error);
    make_folder(&staged.staging).map_err(failed)?;
    let part = Part::begin(&staged.path())?;
    // The service is stopped, and needs no room meanwhile.
    pages::copy(&looked, &part, 0, tell)?;
    part.name_it()?;
    staged.give_to_owner().map_err(failed)?;
    Ok(staged)
}

impl Staged {
    /// Where the copy lies: a store in a folder of its own, to be opened and closed before it is put in place.
    pub fn path(&self) -> PathBuf {
        let name = self.store.file_name().unwrap_or_default();
        self.staging.join(name)
    }

    /// Puts it in place. Where the store that was there lies now, if there was one.
    pub fn put_in_place(mut self, at: Timestamp) -> Result<Option<PathBuf>, BackupError> {
        let staged = self.path();
        let failed = |error: std::io::Error| BackupError::io(&staged, &error);
        if super::has_log(&staged) {
            let (path, reason) = (staged, "it is still open".to_owned());
            return Err(BackupError::Unusable { path, reason });
        }
        let file = File::open(&staged).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        let folder = folder_of(&self.store);
        let next = beside(&self.store, &format!("{NEXT}{}", free_stamp(folder, at)));
        std::fs::rename(&staged, &next).map_err(failed)?;
        self.lock.keep();
        sync_folder(folder).map_err(failed)?;
        let aside = finish(&self.store)?;
        Ok(aside)
    }

    /// An operator often restores as root what a service of a lesser account is to open.
    fn give_to_owner(&self) -> std::io::Result<()> {
        if !rustix::process::geteuid().is_root() {
            return Ok(());
        }
        let there = self.store.metadata();
        let owner = there.or_else(|_| folder_of(&self.store).metadata())?;
        for file in [self.path(), beside(&self.store, LOCK)] {
            chown(file, Some(owner.uid()), Some(owner.gid()))?;
        }
        Ok(())
    }

    fn clear(&self) {
        let staged = self.path();
        // Only what is ours: the folder goes when nothing else is in it.
        for end in ["", LOG, SHARED, LOCK, ".part"] {
            let _ = std::fs::remove_file(beside(&staged, end));
        }
        let _ = std::fs::remove_dir(&self.staging);
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Whether a restore was ended before its last rename: the next start does it.
pub fn is_unfinished(store: &Path) -> bool {
    decided(store).is_ok_and(|next| next.is_some())
}

/// Does the rest of a restore that was decided, under the store's lock. Where the store from before was set aside.
pub(in crate::db) fn finish(store: &Path) -> Result<Option<PathBuf>, BackupError> {
    let failed = |error: std::io::Error| BackupError::io(store, &error);
    let Some((next, stamp)) = decided(store).map_err(failed)? else {
        return Ok(None);
    };
    let folder = folder_of(store);
    let aside = folder.join(format!("{ASIDE}{stamp}"));
    for end in [LOG, ""] {
        let old = beside(store, end);
        if let (true, Some(name)) = (old.exists(), old.file_name()) {
            make_folder(&aside).map_err(failed)?;
            std::fs::rename(&old, aside.join(name)).map_err(failed)?;
        }
    }
    match std::fs::remove_file(beside(store, SHARED)) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let set_aside = aside.is_dir();
    if set_aside {
        sync_folder(&aside).map_err(failed)?;
    }
    sync_folder(folder).map_err(failed)?;
    std::fs::rename(&next, store).map_err(failed)?;
    sync_folder(folder).map_err(failed)?;
    Ok(set_aside.then_some(aside))
}

/// The store that is to take the place of the one that is there, and the time in its name.
fn decided(store: &Path) -> std::io::Result<Option<(PathBuf, String)>> {
    let name = store.file_name().unwrap_or_default().to_string_lossy();
    let begins = format!("{name}{NEXT}");
    let mut newest = None;
    let entries = match std::fs::read_dir(folder_of(store)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        if let Some(stamp) = name.to_str().and_then(|name| name.strip_prefix(&begins)) {
            newest = newest.max(Some((entry.path(), stamp.to_owned())));
        }
    }
    Ok(newest)
}

/// A time that no store was set aside at yet.
fn free_stamp(folder: &Path, at: Timestamp) -> String {
    let stamp = at.strftime("%Y%m%dT%H%M%SZ").to_string();
    let later = (2..).map(|number: u64| format!("{stamp}-{number}"));
    let mut stamps = std::iter::once(stamp.clone()).chain(later);
    let free = stamps.find(|stamp| !folder.join(format!("{ASIDE}{stamp}")).exists());
    free.unwrap_or(stamp)
}

fn is_same(store: &Path, file: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(store).is_some_and(|store| real(file) == Some(store))
}

/// Keeps onlookers away from the store that is there.
fn alone(store: &Path) -> Result<Option<File>, BackupError> {
    let file = match File::open(store) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| BackupError::io(store, &error))?,
    };
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(Errno::WOULDBLOCK) => {
            let path = store.to_owned();
            Err(BackupError::LookedAt { path })
        }
        Err(error) => Err(BackupError::io(store, &error.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp::UNIX_EPOCH;
    const STAMP: &str = "19700101T000000Z";

    fn content(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_restore_that_was_decided_is_finished_from_wherever_it_stopped() {
        // What was moved already when the process died.
        for moved in [&[][..], &[LOG], &[LOG, ""]] {
            let folder = tempfile::tempdir().unwrap();
            let store = folder.path().join("quayside.db");
            let aside = folder.path().join(format!("{ASIDE}{STAMP}"));
            std::fs::write(beside(&store, &format!("{NEXT}{STAMP}")), "new").unwrap();
            make_folder(&aside).unwrap();
            std::fs::write(beside(&store, SHARED), "old shared").unwrap();
            for (end, held) in [(LOG, "old log"), ("", "old")] {
                let here = if moved.contains(&end) {
                    aside.join("quayside.db")
                } else {
                    store.clone()
                };
                std::fs::write(beside(&here, end), held).unwrap();
            }
            assert!(is_unfinished(&store));
            assert_eq!(finish(&store).unwrap(), Some(aside.clone()));
            assert_eq!(content(&store), "new");
            assert!(!beside(&store, LOG).exists() && !beside(&store, SHARED).exists());
            assert_eq!(content(&aside.join("quayside.db")), "old");
            assert_eq!(content(&aside.join("quayside.db-wal")), "old log");
            assert!(!is_unfinished(&store) && finish(&store).unwrap().is_none());
        }
    }

    #[test]
    fn two_stores_of_one_second_are_set_aside_in_two_folders() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(free_stamp(folder.path(), AT), STAMP);
        make_folder(&folder.path().join(format!("{ASIDE}{STAMP}"))).unwrap();
        assert_eq!(free_stamp(folder.path(), AT), format!("{STAMP}-2"));
    }
}
