//! Moving the files of a watched folder: only what was kept is put away.
//!
//! A rename takes whatever lies under a name. Between the look at a file and its move the sender may have put the next
//! one there: a status file is always called the same, and another node may have moved the first. So a file goes to
//! `.moving/` first, under a name that nobody else gives, and is looked at there. Only if its bytes are those that were
//! kept does it go on to `done/` or `quarantine/`. Another one stays there and is read like every file of the folder, and
//! so is what a crash leaves there.
//!
//! Who writes a file in place may write on after it was moved, since his handle goes with it. So what was moved is looked
//! at for some minutes more, and taken back when it has changed.
//!
//! The name in `done/` or `quarantine/` is made before anything is moved, and only where there is none: two nodes never
//! choose the same one, and where nothing can be written the file stays where it was dropped. A crash between the two
//! leaves an empty file under that name.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::entropy;
use crate::intake::MESSAGE_BYTES_MAX;

/// Where files are on their way.
const ON_THE_WAY: &str = ".moving";
/// Endings of names of transfers under way.
const UNDER_WAY: [&str; 5] = ["part", "tmp", "filepart", "crdownload", "partial"];
/// Longest name that is left as it is. A name has 255 bytes; an id and `.reason.txt` need their place.
const NAME_BYTES_MAX: usize = 200;
/// Longest ending that a name keeps when it is cut.
const ENDING_BYTES_MAX: usize = 16;
/// Numbers tried where a file of this name was moved before; then it gets an id.
const NUMBERS_MAX: u32 = 100;
/// Bytes of a file that are looked at together.
const PIECE_BYTES: usize = 64 * 1024;

/// What changes while a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) bytes: u64,
    changed: SystemTime,
}

impl Form {
    fn of(about: &Metadata) -> io::Result<Self> {
        Ok(Self {
            bytes: about.len(),
            changed: about.modified()?,
        })
    }

    /// When it was written.
    pub(super) fn written_at(&self) -> Option<Timestamp> {
        Timestamp::try_from(self.changed).ok()
    }

    fn at(path: &Path) -> io::Result<Self> {
        Self::of(&fs::symlink_metadata(path)?)
    }
}

/// What a file must be to be put away.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    /// It looks like this: nothing of it was kept.
    Form(Form),
    /// Its bytes, by SHA-256.
    Digest([u8; 32]),
}

impl Mark {
    fn is_of(&self, path: &Path, about: &Metadata) -> io::Result<bool> {
        if !about.is_file() {
            return Ok(false);
        }
        match self {
            Self::Form(form) => Ok(*form == Form::of(about)?),
            Self::Digest(digest) => Ok(*digest == digest_of(path)?),
        }
    }
}

/// What became of a file that was to be moved.
#[derive(Debug)]
pub(super) enum Put {
    /// It was moved.
    Away(Moved),
    /// Another one lay under its name. It is on its way, to be read.
    Another,
    /// Somebody else has moved it.
    Gone,
}

/// A file where it was moved to.
#[derive(Debug)]
pub(super) struct Moved {
    /// Where it is now.
    pub(super) path: PathBuf,
    /// As it was dropped.
    name: OsString,
    form: Form,
}

/// Those that were written first come first: of sheets that do not say as of when they are so, the last that is read counts.
pub(super) fn oldest_first(there: BTreeMap<PathBuf, Form>) -> Vec<(PathBuf, Form)> {
    let mut files: Vec<(PathBuf, Form)> = there.into_iter().collect();
    files.sort_by_key(|(_, form)| form.changed);
    files
}

/// The regular files of a folder that may be read, and those on their way.
pub(super) fn list(folder: &Path) -> io::Result<BTreeMap<PathBuf, Form>> {
    let mut there = BTreeMap::new();
    list_into(&mut there, folder, |path| !is_under_way(path))?;
    match list_into(&mut there, &folder.join(ON_THE_WAY), |_| true) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(there),
    }
}

fn list_into(
    there: &mut BTreeMap<PathBuf, Form>,
    folder: &Path,
    may_be_read: impl Fn(&Path) -> bool,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // Gone between two calls: another node was quicker.
        let Ok(about) = entry.metadata() else {
            continue;
        };
        if about.is_file() && may_be_read(&path) {
            there.insert(path, Form::of(&about)?);
        }
    }
    Ok(())
}

fn is_under_way(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let ending = ending.to_ascii_lowercase();
    name.starts_with('.') || UNDER_WAY.contains(&ending.as_str())
}

/// The bytes of a file; `None`: it is not what it was when it was listed, or was written meanwhile.
pub(super) fn read(path: &Path, form: Form) -> io::Result<Option<Vec<u8>>> {
    // No more than it had: what lies there now may be longer than anything that is read.
    let most = form.bytes + 1;
    let mut file = File::open(path)?.take(most);
    let mut bytes = Vec::with_capacity(usize::try_from(most).unwrap_or_default());
    file.read_to_end(&mut bytes)?;
    let is_whole = bytes.len() as u64 == form.bytes && Form::at(path)? == form;
    Ok(is_whole.then_some(bytes))
}

/// Moves a file that bears this mark to `below`, under a name that nobody has there, with the reason beside it.
pub(super) fn put_away(
    folder: &Path,
    path: &Path,
    below: &str,
    mark: Mark,
    reason: Option<&str>,
) -> io::Result<Put> {
    let name = name_of(folder, path);
    let mut place = Place::make(&folder.join(below), &name, reason)?;
    let gone = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => Ok(Put::Gone),
        _ => Err(error),
    };
    let way = match take(folder, path, &name) {
        Ok(way) => way,
        Err(error) => return gone(error),
    };
    let about = match fs::symlink_metadata(&way) {
        Ok(about) => about,
        Err(error) => return gone(error),
    };
    let form = Form::of(&about)?;
    if !mark.is_of(&way, &about)? {
        return Ok(Put::Another);
    }
    if let Err(error) = fs::rename(&way, &place.path) {
        return gone(error);
    }
    place.is_taken = true;
    let path = place.path.clone();
    Ok(Put::Away(Moved { path, name, form }))
}

/// Looks at a file that was moved. One that was written on since is on its way again, to be read; whether it is.
pub(super) fn take_back(folder: &Path, moved: &Moved) -> io::Result<bool> {
    if Form::at(&moved.path)? == moved.form {
        return Ok(false);
    }
    take(folder, &moved.path, &moved.name)?;
    // The reason, if there is one, is that of the half.
    let _ = fs::remove_file(reason_of(&moved.path));
    Ok(true)
}

/// Writes an answer under the name of its file and what it is. Who fetches answers never sees half of one.
pub(super) fn write_answer(folder: &Path, name: &OsStr, answer: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let is_x12 = answer.starts_with(b"ISA");
    let mut name = fitting(name);
    name.push(if is_x12 { ".997" } else { ".contrl" });
    // Another node may write the answer to the same file at this moment.
    let beside = folder.join(format!(".{}.part", new_id()));
    let written = fs::write(&beside, answer).and_then(|()| fs::rename(&beside, folder.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(beside);
    }
    written
}

/// The name that a file was dropped under.
pub(super) fn name_of(folder: &Path, path: &Path) -> OsString {
    let name = path.file_name().unwrap_or_default();
    let own = name.to_str().filter(|_| is_on_the_way(folder, path));
    let own = own.and_then(|name| name.get(uuid::fmt::Hyphenated::LENGTH + 1..));
    own.map_or_else(|| name.to_owned(), OsString::from)
}

fn is_on_the_way(folder: &Path, path: &Path) -> bool {
    path.parent() == Some(folder.join(ON_THE_WAY).as_path())
}

/// Takes a file to where it is on its way, unless it is there already.
fn take(folder: &Path, path: &Path, name: &OsStr) -> io::Result<PathBuf> {
    if is_on_the_way(folder, path) {
        return Ok(path.to_owned());
    }
    let ways = folder.join(ON_THE_WAY);
    make_folder(&ways)?;
    let name = fitting(name);
    let way = ways.join(format!("{}-{}", new_id(), name.to_string_lossy()));
    fs::rename(path, &way)?;
    Ok(way)
}

/// A name that is made for a file; given up, with the reason beside it, unless the file is moved there.
struct Place {
    path: PathBuf,
    is_taken: bool,
}

impl Place {
    fn make(folder: &Path, name: &OsStr, reason: Option<&str>) -> io::Result<Self> {
        make_folder(folder)?;
        let path = new_name(folder, &fitting(name))?;
        let place = Self {
            path,
            is_taken: false,
        };
        if let Some(reason) = reason {
            fs::write(reason_of(&place.path), format!("{reason}\n"))?;
        }
        Ok(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.is_taken {
            // Nothing but an empty file is left where that fails.
            let _ = fs::remove_file(reason_of(&self.path));
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn reason_of(path: &Path) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".reason.txt");
    beside.into()
}

/// Makes an empty file under this name, or one like it that nobody has.
fn new_name(folder: &Path, name: &OsStr) -> io::Result<PathBuf> {
    let plain = std::iter::once(folder.join(name));
    let numbers = (2..NUMBERS_MAX).map(|number| number.to_string());
    let others = numbers.chain([new_id()]).map(|ending| {
        let mut other = name.to_owned();
        other.push(format!(".{ending}"));
        folder.join(other)
    });
    for path in plain.chain(others) {
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Makes a folder where the one above it is there: a watched folder that is away is not made anew.
fn make_folder(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// A name with room for what is put behind it: cut before its ending where it is too long.
fn fitting(name: &OsStr) -> OsString {
    if name.len() <= NAME_BYTES_MAX {
        return name.to_owned();
    }
    let name = name.to_string_lossy();
    let ending = name.rfind('.').and_then(|at| name.get(at..));
    let ending = ending.filter(|ending| ending.len() <= ENDING_BYTES_MAX);
    let ending = ending.unwrap_or_default();
    let most = name.floor_char_boundary(NAME_BYTES_MAX - ending.len());
    format!("{}{ending}", name.get(..most).unwrap_or_default()).into()
}

fn digest_of(path: &Path) -> io::Result<[u8; 32]> {
    // A byte more than any that was kept: nothing else is read to its end.
    let mut file = File::open(path)?.take(MESSAGE_BYTES_MAX as u64 + 1);
    let (mut digest, mut piece) = (Sha256::new(), vec![0; PIECE_BYTES]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(digest.finalize().into()),
            read => digest.update(piece.get(..read).unwrap_or_default()),
        }
    }
}

fn new_id() -> String {
    Uuid::from_bytes(entropy::random_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        let mut names: Vec<String> = entries.map(|entry| name(entry).unwrap()).collect();
        names.sort();
        names
    }

    fn mark(bytes: &[u8]) -> Mark {
        Mark::Digest(Sha256::digest(bytes).into())
    }

    #[test]
    fn another_file_under_the_name_is_left_to_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, path) = (folder.path(), folder.path().join("gate.json"));
        // The first was kept; the next one lies there when it is to be moved.
        fs::write(&path, "next").unwrap();
        let put = put_away(folder, &path, "done", mark(b"first"), None).unwrap();
        assert!(matches!(put, Put::Another), "{put:?}");
        assert_eq!(names(&folder.join("done")), [""; 0], "nobody has read it");
        let there: Vec<PathBuf> = list(folder).unwrap().into_keys().collect();
        assert_eq!(there.len(), 1, "it is read like every file");
        assert_eq!(fs::read(&there[0]).unwrap(), b"next");
        assert_eq!(name_of(folder, &there[0]), "gate.json");
        let put = put_away(folder, &there[0], "done", mark(b"next"), None).unwrap();
        assert!(matches!(put, Put::Away(_)), "{put:?}");
        assert_eq!(names(&folder.join("done")), ["gate.json"]);
        assert!(list(folder).unwrap().is_empty());
    }

    #[test]
    fn what_was_written_first_is_read_first() {
        let folder = tempfile::tempdir().unwrap();
        for (name, hour) in [
            ("avail_9.csv", 9),
            ("avail_10.csv", 10),
            ("avail_11.csv", 11),
        ] {
            let file = File::create(folder.path().join(name)).unwrap();
            let written = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(hour * 3600);
            file.set_modified(written).unwrap();
        }
        let there = oldest_first(list(folder.path()).unwrap()).into_iter();
        let names: Vec<OsString> = there
            .map(|(path, _)| name_of(folder.path(), &path))
            .collect();
        assert_eq!(names, ["avail_9.csv", "avail_10.csv", "avail_11.csv"]);
    }

    #[test]
    fn a_file_that_another_node_has_moved_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gate.json");
        let reason = Some("a reason");
        let put = put_away(folder.path(), &path, "quarantine", mark(b""), reason).unwrap();
        assert!(matches!(put, Put::Gone), "{put:?}");
        assert_eq!(names(&folder.path().join("quarantine")), [""; 0]);
    }

    #[test]
    fn files_of_one_name_stand_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gate.json");
        for text in ["one", "two", "three"] {
            fs::write(&path, text).unwrap();
            let put = put_away(folder.path(), &path, "done", mark(text.as_bytes()), None);
            assert!(matches!(put, Ok(Put::Away(_))), "{put:?}");
        }
        let done = folder.path().join("done");
        assert_eq!(names(&done), ["gate.json", "gate.json.2", "gate.json.3"]);
        assert_eq!(fs::read(done.join("gate.json")).unwrap(), b"one");
    }

    #[test]
    fn the_longest_name_finds_room_for_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        for letter in ["a", "é"] {
            let stem = letter.repeat(250 / letter.len());
            let path = folder.path().join(format!("{stem}.json"));
            for _ in 0..2 {
                fs::write(&path, "no").unwrap();
                let reason = Some("a reason");
                let put = put_away(folder.path(), &path, "quarantine", mark(b"no"), reason);
                assert!(matches!(put, Ok(Put::Away(_))), "{put:?}");
            }
            write_answer(folder.path(), path.file_name().unwrap(), b"UNB").unwrap();
        }
        let aside = names(&folder.path().join("quarantine"));
        assert_eq!(aside.len(), 8, "{aside:?}");
        assert!(aside[0].ends_with("a.json"), "{aside:?}");
    }

    /// Nodes that share the folder may both answer a file that both have read.
    #[test]
    fn two_that_write_one_answer_are_not_in_each_others_way() {
        let folder = tempfile::tempdir().unwrap();
        let answer = vec![b'U'; 100_000];
        let write = || {
            for _ in 0..200 {
                write_answer(folder.path(), OsStr::new("gate.edi"), &answer).unwrap();
                let seen = fs::read(folder.path().join("gate.edi.contrl")).unwrap();
                assert_eq!(seen.len(), answer.len(), "half of one");
            }
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(write);
            write();
            other.join().unwrap();
        });
        assert_eq!(names(folder.path()), ["gate.edi.contrl"]);
    }

    #[test]
    fn where_nothing_can_be_written_a_file_stays_where_it_was_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gate.json");
        fs::write(&path, "one").unwrap();
        fs::write(folder.path().join("done"), "in the way").unwrap();
        put_away(folder.path(), &path, "done", mark(b"one"), None).unwrap_err();
        assert_eq!(names(folder.path()), ["done", "gate.json"]);
    }

    #[test]
    fn what_is_written_on_after_it_was_moved_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("slow.json");
        fs::write(&path, "ha").unwrap();
        let mut writer = OpenOptions::new().append(true).open(&path).unwrap();
        let put = put_away(
            folder.path(),
            &path,
            "quarantine",
            mark(b"ha"),
            Some("a half"),
        );
        let Ok(Put::Away(moved)) = put else {
            panic!("{put:?}")
        };
        assert!(!take_back(folder.path(), &moved).unwrap());
        io::Write::write_all(&mut writer, b"lf").unwrap();
        assert!(take_back(folder.path(), &moved).unwrap());
        assert_eq!(names(&folder.path().join("quarantine")), [""; 0]);
        let there: Vec<PathBuf> = list(folder.path()).unwrap().into_keys().collect();
        assert_eq!(fs::read(&there[0]).unwrap(), b"half");
        assert_eq!(name_of(folder.path(), &there[0]), "slow.json");
    }
}
