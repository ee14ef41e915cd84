//! Changing the key that lies in the data directory: a new one takes its name, and the old one lies beside it.
//!
//! Three steps, each on disk before the next. The old key gets a second name by a link, which never takes the place of
//! another file. A new key is written under a name of its own. That name becomes the key's in one step. A kill after the
//! first leaves the same key under both names, which is no change; after the second a further file that sealed nothing and
//! is written anew; after the third the change is made. At no moment is a key that sealed anything without a name.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};

use super::key::{failed, sync_folder, write_new};
use super::{Keys, MainKey};
use crate::VaultError;

/// Why the files are not changed.
#[derive(Debug, thiserror::Error)]
pub enum FilesRefused {
    /// There is none to change.
    #[error("there is no main key at {0}")]
    None(String),
    /// There are two keys.
    #[error("a change of the main key is under way")]
    UnderWay,
    /// Another process is at it.
    #[error("another process is changing the main key")]
    AtWork,
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] VaultError),
}

/// Makes a new key under the name `main`; the one that was there is called `also` from then on.
pub fn change(main: &Path, also: &Path) -> Result<Keys, FilesRefused> {
    let old = MainKey::open_file(main)?;
    let old = old.ok_or_else(|| FilesRefused::None(main.display().to_string()))?;
    match std::fs::hard_link(main, also) {
        Err(other) if other.kind() != ErrorKind::AlreadyExists => {
            return Err(failed(also, other).into());
        }
        _ => sync_folder(also).map_err(|error| failed(also, error))?,
    }
    // Held until the end: two that change the key at once would lose one of theirs.
    let held = File::open(also).map_err(|error| failed(also, error))?;
    held.try_lock().map_err(|_| FilesRefused::AtWork)?;
    let same = |key: Option<MainKey>| key.as_ref() == Some(&old);
    if !same(MainKey::open_file(main)?) || !same(MainKey::open_file(also)?) {
        return Err(FilesRefused::UnderWay);
    }
    let next = next_to(main);
    renew(&next).map_err(|error| failed(&next, error))?;
    give_to_owner(main, &next).map_err(|error| failed(&next, error))?;
    std::fs::rename(&next, main).map_err(|error| failed(main, error))?;
    sync_folder(main).map_err(|error| failed(main, error))?;
    let new = MainKey::open_file(main)?;
    Ok(Keys {
        main: new.ok_or_else(|| FilesRefused::None(main.display().to_string()))?,
        also: Some(old),
    })
}

fn next_to(main: &Path) -> PathBuf {
    let mut next = main.as_os_str().to_owned();
    next.push(".next");
    next.into()
}

/// An operator often works as root on what a service of a lesser account is to open.
fn give_to_owner(main: &Path, next: &Path) -> std::io::Result<()> {
    let (theirs, ours) = (main.metadata()?, next.metadata()?);
    if (theirs.uid(), theirs.gid()) == (ours.uid(), ours.gid()) {
        return Ok(());
    }
    chown(next, Some(theirs.uid()), Some(theirs.gid()))
}

/// What a killed change has left there sealed nothing.
fn renew(next: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(next) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    write_new(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> Option<MainKey> {
        MainKey::open_file(path).unwrap()
    }

    #[test]
    fn a_change_of_the_files_goes_on_wherever_it_was_killed() {
        // After no step, after the link, and after the new key was written, whole or not.
        for (linked, written) in [
            (false, None),
            (true, None),
            (true, Some("")),
            (true, Some("AAAA")),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let [main, also] = ["main.key", "main.key.also"].map(|name| folder.path().join(name));
            let old = MainKey::make_file(&main).unwrap();
            if linked {
                std::fs::hard_link(&main, &also).unwrap();
            }
            if let Some(text) = written {
                std::fs::write(next_to(&main), text).unwrap();
            }
            let keys = change(&main, &also).unwrap();
            assert_eq!(read(&also).as_ref(), Some(&old));
            assert_eq!(keys.also.as_ref(), Some(&old));
            assert_eq!(read(&main).as_ref(), Some(&keys.main));
            assert_ne!(keys.main, old);
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
            let again = change(&main, &also);
            assert!(matches!(again, Err(FilesRefused::UnderWay)), "{again:?}");
            assert_eq!(read(&main), Some(keys.main));
            assert_eq!(read(&also), Some(old));
        }
    }

    #[test]
    fn who_comes_while_another_changes_the_files_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let [main, also] = ["main.key", "main.key.also"].map(|name| folder.path().join(name));
        let old = MainKey::make_file(&main).unwrap();
        std::fs::hard_link(&main, &also).unwrap();
        let held = File::open(&also).unwrap();
        held.lock().unwrap();
        let refused = change(&main, &also);
        assert!(matches!(refused, Err(FilesRefused::AtWork)), "{refused:?}");
        assert_eq!(read(&main), Some(old));
        drop(held);
        change(&main, &also).unwrap();
    }

    #[test]
    fn of_many_that_change_the_files_at_once_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let [main, also] = ["main.key", "main.key.also"].map(|name| folder.path().join(name));
        let old = MainKey::make_file(&main).unwrap();
        let changed: Vec<_> = std::thread::scope(|scope| {
            let at_once: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| change(&main, &also)))
                .collect();
            let ended = at_once.into_iter().map(|one| one.join().unwrap());
            ended.filter_map(Result::ok).collect()
        });
        assert_eq!(changed.len(), 1);
        assert_eq!(read(&main).as_ref(), Some(&changed[0].main));
        assert_eq!(read(&also), Some(old));
    }
}
