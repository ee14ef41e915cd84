//! A file that has no name before it is whole.
//!
//! It is written beside its target, for its owner alone, under the target's name and `.part`; then synced, renamed, and the
//! folder synced. Whoever is killed meanwhile leaves the part, which the next one for the same target takes over. Two that
//! write at once would spoil each other's, so a part is locked while it is written, and whoever gets the lock makes sure
//! that the name still leads to the file he has.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::{BackupError, beside};
use crate::db::start::{FILE_MODE, sync_folder};

/// How often the name may lead elsewhere.
const TRIES_MAX: usize = 4;

/// A file that is being written.
pub(super) struct Part {
    file: File,
    path: PathBuf,
    target: PathBuf,
    named: bool,
}

impl Part {
    /// Begins one for this target, empty.
    pub(super) fn begin(target: &Path) -> Result<Self, BackupError> {
        refuse_existing(target)?;
        let folder = folder_of(target);
        if !folder.is_dir() {
            let path = folder.to_owned();
            return Err(BackupError::NoFolder { path });
        }
        let path = beside(target, ".part");
        let file = take(&path)?;
        Ok(Self {
            file,
            path,
            target: target.to_owned(),
            named: false,
        })
    }

    /// Where it lies.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What was written so far is on the disk.
    pub(super) fn sync(&self) -> Result<(), BackupError> {
        let synced = self.file.sync_data();
        synced.map_err(|error| BackupError::io(&self.path, &error))
    }

    /// Gives it the target's name, for good. Its length.
    pub(super) fn name_it(mut self) -> Result<u64, BackupError> {
        let failed = |error: std::io::Error| BackupError::io(&self.target, &error);
        self.file.sync_all().map_err(failed)?;
        let bytes = self.file.metadata().map_err(failed)?.len();
        refuse_existing(&self.target)?;
        std::fs::rename(&self.path, &self.target).map_err(failed)?;
        sync_folder(folder_of(&self.target)).map_err(failed)?;
        self.named = true;
        Ok(bytes)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.named {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// The folder that this file lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Also a link that leads nowhere is something.
fn refuse_existing(target: &Path) -> Result<(), BackupError> {
    if target.symlink_metadata().is_ok() {
        let path = target.to_owned();
        return Err(BackupError::Exists { path });
    }
    Ok(())
}

fn take(path: &Path) -> Result<File, BackupError> {
    let failed = |error: std::io::Error| BackupError::io(path, &error);
    for _ in 0..TRIES_MAX {
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).write(true);
        let file = options.mode(FILE_MODE).open(path).map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            // Some file systems of networks have no locks, and are good enough for a copy.
            Ok(()) | Err(Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            Err(_) => break,
        }
        let ours = file.metadata().map_err(failed)?;
        let named = path.symlink_metadata();
        if named.is_ok_and(|named| (named.dev(), named.ino()) == (ours.dev(), ours.ino())) {
            file.set_len(0).map_err(failed)?;
            return Ok(file);
        }
    }
    let path = path.to_owned();
    Err(BackupError::UnderWay { path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_one_writer_and_a_left_one_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("copy.db");
        let left = folder.path().join("copy.db.part");
        std::fs::write(&left, "left by one that was killed").unwrap();
        let first = Part::begin(&target).unwrap();
        assert_eq!(left.metadata().unwrap().len(), 0);
        let second = Part::begin(&target);
        assert!(matches!(second, Err(BackupError::UnderWay { .. })));
        first.name_it().unwrap();
        assert!(target.exists() && !left.exists());
        let third = Part::begin(&target);
        assert!(matches!(third, Err(BackupError::Exists { .. })));
        std::fs::remove_file(&target).unwrap();
        drop(Part::begin(&target).unwrap());
        assert!(!target.exists() && !left.exists(), "nothing is left");
    }
}
