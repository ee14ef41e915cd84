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
//! Who may write into the folder may make links there, too: by SFTP, say. A link where `done/` should be would lead what is written
//! to wherever the service may write, and one where it was would have a file of the service taken for one that lay there. So the
//! folders below are [opened](Opened) as what they are, never through a link, and all that is looked at, read, made, moved and
//! removed in them is so by its name in the folder that was opened, whatever the folder's name stands for by then. Nor is a file
//! read through a link.
//!
//! The name in `done/` or `quarantine/` is made before anything is moved, and only where there is none: two nodes never
//! choose the same one, and where nothing can be written the file stays where it was dropped. A crash between the two
//! leaves an empty file under that name.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use rustix::fs::{AtFlags, CWD, Dir, Mode as FileMode, OFlags, RenameFlags};
use rustix::io::Errno;
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

/// How a file is opened to be read: not where it is a link, and a pipe that somebody made there holds nobody up.
const TO_READ: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

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
    fn is_of(&self, spot: &Spot, about: &Metadata) -> io::Result<bool> {
        if !about.is_file() {
            return Ok(false);
        }
        match self {
            Self::Form(form) => Ok(*form == Form::of(about)?),
            // What was read is what is moved: another may have been put under its name meanwhile.
            Self::Digest(digest) => {
                let file = spot.open()?;
                Ok(*digest == digest_of(&file)? && spot.is_of(&file)?)
            }
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
    /// Whether a reason was made beside it.
    has_reason: bool,
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
    let watched = Opened::watched(folder)?;
    list_into(&mut there, &watched, |path| !is_under_way(path))?;
    match Opened::below(&folder.join(ON_THE_WAY)) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        ways => list_into(&mut there, &ways?, |_| true)?,
    }
    Ok(there)
}

fn list_into(
    there: &mut BTreeMap<PathBuf, Form>,
    folder: &Opened,
    may_be_read: impl Fn(&Path) -> bool,
) -> io::Result<()> {
    for entry in Dir::read_from(&folder.handle)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        let path = folder.path.join(name);
        if [".", ".."].map(OsStr::new).contains(&name) || !may_be_read(&path) {
            continue;
        }
        // Gone between two calls: another node was quicker.
        let Ok(about) = folder.about(name) else {
            continue;
        };
        if about.is_file() {
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
pub(super) fn read(folder: &Path, path: &Path, form: Form) -> io::Result<Option<Vec<u8>>> {
    let spot = Spot::of(folder, path)?;
    // No more than it had: what lies there now may be longer than anything that is read.
    let most = form.bytes + 1;
    let mut file = spot.open()?.take(most);
    let mut bytes = Vec::with_capacity(usize::try_from(most).unwrap_or_default());
    file.read_to_end(&mut bytes)?;
    let is_whole = bytes.len() as u64 == form.bytes && Form::of(&spot.about()?)? == form;
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
    let has_reason = reason.is_some();
    let mut place = Place::make(Opened::make(folder, below)?, &name, reason)?;
    let gone = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => Ok(Put::Gone),
        _ => Err(error),
    };
    let way = match Spot::of(folder, path).and_then(|spot| take(folder, spot, &name)) {
        Ok(way) => way,
        Err(error) => return gone(error),
    };
    let about = match way.about() {
        Ok(about) => about,
        Err(error) => return gone(error),
    };
    let form = Form::of(&about)?;
    match mark.is_of(&way, &about) {
        Ok(true) => {}
        Ok(false) => return Ok(Put::Another),
        Err(error) => return gone(error),
    }
    if let Err(error) = way.move_to(&place.below, &place.name) {
        return gone(error);
    }
    place.is_taken = true;
    let path = place.below.path.join(&place.name);
    Ok(Put::Away(Moved {
        path,
        name,
        form,
        has_reason,
    }))
}

/// Looks at a file that was moved. One that was written on since is on its way again, to be read; whether it is.
pub(super) fn take_back(folder: &Path, moved: &Moved) -> io::Result<bool> {
    let spot = Spot::of(folder, &moved.path)?;
    if Form::of(&spot.about()?)? == moved.form {
        return Ok(false);
    }
    let (from, name) = (spot.folder.try_clone()?, spot.name.clone());
    take(folder, spot, &moved.name)?;
    // The reason is that of the half.
    if moved.has_reason {
        from.remove(&reason_of(&name));
    }
    Ok(true)
}

/// Writes an answer under the name of its file and what it is. Who fetches answers never sees half of one, and one that was not
/// fetched yet is not written over by the answer to another file of the same name, whichever node writes it.
pub(super) fn write_answer(folder: &Path, name: &OsStr, answer: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let beside = folder.join(format!(".{}.part", new_id()));
    let written = fs::write(&beside, answer)
        .and_then(|()| put_answer(&beside, answer_paths(folder, name, answer), answer));
    if !matches!(written, Ok(true)) {
        let _ = fs::remove_file(beside);
    }
    written.map(|_| ())
}

/// Moves an answer to the first of these where no other lies; `false`: it lies there already.
fn put_answer(
    beside: &Path,
    paths: impl Iterator<Item = PathBuf>,
    answer: &[u8],
) -> io::Result<bool> {
    for path in paths {
        // Another node may have put something there at this moment, the same answer or another.
        match rename_to_free(beside, &path) {
            Ok(()) => return Ok(true),
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            Err(_) if is_this(&path, answer) => return Ok(false),
            Err(_) => {}
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Where an answer may lie, in the order of trying.
fn answer_paths(folder: &Path, name: &OsStr, answer: &[u8]) -> impl Iterator<Item = PathBuf> {
    let kind = if answer.starts_with(b"ISA") {
        ".997"
    } else {
        ".contrl"
    };
    let numbers = (2..NUMBERS_MAX).map(|number| format!(".{number}"));
    let numbers = std::iter::once(String::new()).chain(numbers);
    numbers
        .chain(std::iter::once_with(|| format!(".{}", new_id())))
        .map(move |number| {
            let mut name = fitting(name);
            name.push(number);
            name.push(kind);
            folder.join(name)
        })
}

/// Renames a file where nothing lies under that name. A file system that cannot do it in one step is looked at first.
fn rename_to_free(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match fs::symlink_metadata(to) {
            Ok(_) => Err(ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            Err(_) => fs::rename(from, to),
        },
        renamed => Ok(renamed?),
    }
}

/// Whether this answer lies there. What cannot be read is another.
fn is_this(path: &Path, answer: &[u8]) -> bool {
    let mut there = Vec::new();
    let most = answer.len() as u64 + 1;
    // By its path: who may write into a folder need not be able to list it.
    let opened = rustix::fs::open(path, TO_READ, FileMode::empty());
    let opened = opened.map_err(io::Error::from).map(File::from);
    let read = opened.and_then(|file| file.take(most).read_to_end(&mut there));
    read.is_ok() && there == answer
}

/// The name that a file was dropped under.
pub(super) fn name_of(folder: &Path, path: &Path) -> OsString {
    let name = path.file_name().unwrap_or_default();
    let own = name.to_str().filter(|_| is_on_the_way(folder, path));
    let own = own.and_then(|name| name.get(uuid::fmt::Hyphenated::LENGTH + 1..));
    // A sender who gives names there may leave none behind the id.
    let own = own.filter(|own| Path::new(own).file_name().is_some());
    own.map_or_else(|| name.to_owned(), OsString::from)
}

fn is_on_the_way(folder: &Path, path: &Path) -> bool {
    path.parent() == Some(folder.join(ON_THE_WAY).as_path())
}

/// Takes a file to where it is on its way, unless it is there already.
fn take(folder: &Path, spot: Spot, name: &OsStr) -> io::Result<Spot> {
    if is_on_the_way(folder, &spot.path()) {
        return Ok(spot);
    }
    let ways = Opened::make(folder, ON_THE_WAY)?;
    let name = fitting(name);
    let name: OsString = format!("{}-{}", new_id(), name.to_string_lossy()).into();
    spot.move_to(&ways, &name)?;
    Ok(Spot { folder: ways, name })
}

/// Where a file lies.
struct Spot {
    folder: Opened,
    name: OsString,
}

impl Spot {
    /// In the watched folder or in one below it, which is no link.
    fn of(folder: &Path, path: &Path) -> io::Result<Self> {
        let above = path.parent().unwrap_or(folder);
        let opened = if above == folder {
            Opened::watched(folder)?
        } else {
            Opened::below(above)?
        };
        Ok(Self {
            folder: opened,
            name: path.file_name().unwrap_or_default().to_owned(),
        })
    }

    fn path(&self) -> PathBuf {
        self.folder.path.join(&self.name)
    }

    fn about(&self) -> io::Result<Metadata> {
        self.folder.about(&self.name)
    }

    fn open(&self) -> io::Result<File> {
        self.folder.open(&self.name)
    }

    /// Whether it is this file that lies there. While it is open, no other has its number.
    fn is_of(&self, file: &File) -> io::Result<bool> {
        let (lies, read) = (self.about()?, file.metadata()?);
        Ok((lies.dev(), lies.ino()) == (read.dev(), read.ino()))
    }

    /// What lies there goes to that folder under this name, be it a link.
    fn move_to(&self, folder: &Opened, name: &OsStr) -> io::Result<()> {
        let (from, to) = (&self.folder.handle, &folder.handle);
        Ok(rustix::fs::renameat(from, &self.name, to, name)?)
    }
}

/// A folder that was opened.
struct Opened {
    path: PathBuf,
    handle: OwnedFd,
}

impl Opened {
    /// A folder as the operator names it: by a link, it may be.
    fn watched(folder: &Path) -> io::Result<Self> {
        Ok(Self::at(folder, OFlags::empty())?)
    }

    /// One below it, that is no link.
    fn below(path: &Path) -> io::Result<Self> {
        Self::at(path, OFlags::NOFOLLOW).map_err(|error| match error {
            Errno::NOTDIR | Errno::LOOP => not_a_folder(path),
            _ => error.into(),
        })
    }

    fn at(path: &Path, how: OFlags) -> Result<Self, Errno> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | how;
        let handle = rustix::fs::open(path, flags, FileMode::empty())?;
        let path = path.to_owned();
        Ok(Self { path, handle })
    }

    /// Makes one where the one above it is there: a watched folder that is away is not made anew.
    fn make(folder: &Path, name: &str) -> io::Result<Self> {
        let path = folder.join(name);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => Self::below(&path),
        }
    }

    fn try_clone(&self) -> io::Result<Self> {
        Ok(Self {
            path: self.path.clone(),
            handle: self.handle.try_clone()?,
        })
    }

    /// What lies there under this name, be it a link.
    fn about(&self, name: &OsStr) -> io::Result<Metadata> {
        let how = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
        self.opened(name, how)?.metadata()
    }

    fn open(&self, name: &OsStr) -> io::Result<File> {
        self.opened(name, TO_READ)
    }

    fn opened(&self, name: &OsStr, how: OFlags) -> io::Result<File> {
        let file = rustix::fs::openat(&self.handle, name, how, FileMode::empty())?;
        Ok(file.into())
    }

    /// Makes a file of a name that nobody has there; `false`: somebody has.
    fn create(&self, name: &OsStr, text: &str) -> io::Result<bool> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = FileMode::RUSR | FileMode::WUSR | FileMode::RGRP | FileMode::ROTH;
        match rustix::fs::openat(&self.handle, name, flags, mode) {
            Ok(file) => File::from(file).write_all(text.as_bytes()).map(|()| true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn remove(&self, name: &OsStr) {
        // Nothing but an empty file is left where that fails.
        let _ = rustix::fs::unlinkat(&self.handle, name, AtFlags::empty());
    }

    /// Makes an empty file under this name, or one like it that nobody has, and its reason beside it.
    fn new_name(&self, name: &OsStr, reason: Option<&str>) -> io::Result<OsString> {
        let numbers = (2..NUMBERS_MAX).map(|number| number.to_string());
        let others = numbers.chain([new_id()]).map(|ending| {
            let mut other = name.to_owned();
            other.push(format!(".{ending}"));
            other
        });
        for name in std::iter::once(name.to_owned()).chain(others) {
            if !self.create(&name, "")? {
                continue;
            }
            let Some(reason) = reason else {
                return Ok(name);
            };
            let written = self.create(&reason_of(&name), &format!("{reason}\n"));
            if matches!(written, Ok(true)) {
                return Ok(name);
            }
            self.remove(&name);
            written?;
        }
        Err(ErrorKind::AlreadyExists.into())
    }
}

/// A name that is made for a file; given up, with the reason beside it, unless the file is moved there.
struct Place {
    below: Opened,
    name: OsString,
    has_reason: bool,
    is_taken: bool,
}

impl Place {
    fn make(below: Opened, name: &OsStr, reason: Option<&str>) -> io::Result<Self> {
        let name = below.new_name(&fitting(name), reason)?;
        Ok(Self {
            below,
            name,
            has_reason: reason.is_some(),
            is_taken: false,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.is_taken {
            return;
        }
        if self.has_reason {
            self.below.remove(&reason_of(&self.name));
        }
        self.below.remove(&self.name);
    }
}

fn reason_of(name: &OsStr) -> OsString {
    let mut beside = name.to_owned();
    beside.push(".reason.txt");
    beside
}

fn not_a_folder(path: &Path) -> io::Error {
    let path = path.display();
    let why =
        format!("{path} is a link or no folder; remove it, and what was dropped is moved there");
    io::Error::new(ErrorKind::NotADirectory, why)
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

fn digest_of(file: &File) -> io::Result<[u8; 32]> {
    // A byte more than any that was kept: nothing else is read to its end.
    let mut file = file.take(MESSAGE_BYTES_MAX as u64 + 1);
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
    use std::fs::OpenOptions;
    use std::os::unix::fs::symlink;

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

    /// While its bytes were looked at.
    #[test]
    fn what_is_put_under_the_name_of_a_file_that_was_opened_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, path) = (folder.path(), folder.path().join("gate.json"));
        fs::write(&path, "first").unwrap();
        let spot = Spot::of(folder, &path).unwrap();
        let file = spot.open().unwrap();
        assert!(spot.is_of(&file).unwrap());
        let next = folder.join("next.json");
        fs::write(&next, "first").unwrap();
        fs::rename(&next, &path).unwrap();
        assert!(!spot.is_of(&file).unwrap());
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

    /// Nor do they write over what the other one answers to a file of that name.
    #[test]
    fn two_that_write_different_answers_leave_both() {
        const ROUNDS: usize = 1_000;
        let folder = tempfile::tempdir().unwrap();
        let together = std::sync::Barrier::new(2);
        let write = |answer: &[u8]| {
            for round in 0..ROUNDS {
                let below = folder.path().join(round.to_string());
                together.wait();
                write_answer(&below, OsStr::new("gate.edi"), answer).unwrap();
            }
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(|| write(b"ISA*2"));
            write(b"ISA*1");
            other.join().unwrap();
        });
        for round in 0..ROUNDS {
            let below = folder.path().join(round.to_string());
            assert_eq!(names(&below), ["gate.edi.2.997", "gate.edi.997"]);
        }
    }

    #[test]
    fn an_answer_that_was_not_fetched_stays() {
        let folder = tempfile::tempdir().unwrap();
        for answer in ["ISA*1", "ISA*2", "ISA*1", "ISA*2"] {
            write_answer(folder.path(), OsStr::new("gate.edi"), answer.as_bytes()).unwrap();
        }
        assert_eq!(names(folder.path()), ["gate.edi.2.997", "gate.edi.997"]);
        let kept = fs::read(folder.path().join("gate.edi.997")).unwrap();
        assert_eq!(kept, b"ISA*1");
    }

    /// Nothing that lies there holds anybody up, be it a pipe, and be all names taken.
    #[test]
    fn an_answer_finds_a_name_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("gate.edi.997");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        for number in 0..NUMBERS_MAX + 2 {
            let answer = format!("ISA*{number}");
            write_answer(folder.path(), OsStr::new("gate.edi"), answer.as_bytes()).unwrap();
        }
        let there = names(folder.path());
        assert!(there.contains(&"gate.edi.2.997".to_owned()), "{there:?}");
        assert_eq!(there.len(), NUMBERS_MAX as usize + 3);
    }

    /// A file may be called as a reason would be.
    #[test]
    fn a_file_without_a_reason_takes_no_other_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str, mark: Mark| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            put_away(folder.path(), &path, "done", mark, None).unwrap()
        };
        put("gate.json.reason.txt", "notes", mark(b"notes"));
        let another = put("gate.json", "two", mark(b"one"));
        assert!(matches!(another, Put::Another), "{another:?}");
        let done = folder.path().join("done");
        assert_eq!(names(&done), ["gate.json.reason.txt"]);
        let Put::Away(moved) = put("gate.json", "ha", mark(b"ha")) else {
            panic!("it was moved");
        };
        fs::write(&moved.path, "half").unwrap();
        assert!(take_back(folder.path(), &moved).unwrap());
        assert_eq!(names(&done), ["gate.json.reason.txt"]);
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

    /// What lies where a sender's link leads to.
    fn treasure(folder: &Path) -> PathBuf {
        let treasure = folder.join("treasure");
        fs::create_dir(&treasure).unwrap();
        fs::write(treasure.join("main.key"), "secret").unwrap();
        treasure
    }

    #[test]
    fn nothing_is_written_where_a_link_leads_to() {
        let world = tempfile::tempdir().unwrap();
        let treasure = treasure(world.path());
        let folder = world.path().join("drop");
        for linked in ["quarantine", ON_THE_WAY] {
            fs::create_dir(&folder).unwrap();
            symlink(&treasure, folder.join(linked)).unwrap();
            let path = folder.join("evil.toml");
            fs::write(&path, "evil").unwrap();
            let reason = Some("a reason");
            let put = put_away(&folder, &path, "quarantine", mark(b"evil"), reason);
            let error = put.unwrap_err();
            assert!(error.to_string().contains("is a link"), "{error}");
            assert_eq!(fs::read(&path).unwrap(), b"evil", "it stays");
            assert_eq!(names(&treasure), ["main.key"]);
            fs::remove_dir_all(&folder).unwrap();
        }
    }

    #[test]
    fn a_reason_is_not_written_through_a_link() {
        let world = tempfile::tempdir().unwrap();
        let treasure = treasure(world.path());
        let folder = world.path().join("drop");
        let quarantine = folder.join("quarantine");
        fs::create_dir_all(&quarantine).unwrap();
        for (name, target) in [("a.edi", "main.key"), ("b.edi", "new")] {
            let reason = quarantine.join(format!("{name}.reason.txt"));
            symlink(treasure.join(target), reason).unwrap();
            let path = folder.join(name);
            fs::write(&path, "").unwrap();
            let put = put_away(&folder, &path, "quarantine", mark(b""), Some("it is empty"));
            assert!(matches!(put, Ok(Put::Away(_))), "{put:?}");
            let beside = quarantine.join(format!("{name}.2.reason.txt"));
            assert_eq!(fs::read(beside).unwrap(), b"it is empty\n");
        }
        assert_eq!(names(&treasure), ["main.key"]);
        assert_eq!(fs::read(treasure.join("main.key")).unwrap(), b"secret");
    }

    #[test]
    fn nothing_is_read_through_a_link() {
        let world = tempfile::tempdir().unwrap();
        let treasure = treasure(world.path());
        let folder = world.path().join("drop");
        fs::create_dir(&folder).unwrap();
        symlink(treasure.join("main.key"), folder.join("a.edi")).unwrap();
        assert!(list(&folder).unwrap().is_empty());
        // It was a file when it was listed.
        let about = fs::metadata(treasure.join("main.key")).unwrap();
        let form = Form::of(&about).unwrap();
        assert!(read(&folder, &folder.join("a.edi"), form).is_err());
        symlink(&treasure, folder.join(ON_THE_WAY)).unwrap();
        assert!(list(&folder).is_err());
    }

    #[test]
    fn a_file_on_its_way_without_a_name_behind_the_id_is_moved() {
        let folder = tempfile::tempdir().unwrap();
        let ways = folder.path().join(ON_THE_WAY);
        fs::create_dir(&ways).unwrap();
        for own in ["", ".", ".."] {
            let name = format!("{}-{own}", new_id());
            let path = ways.join(&name);
            fs::write(&path, "one").unwrap();
            let put = put_away(folder.path(), &path, "done", mark(b"one"), None);
            assert!(matches!(put, Ok(Put::Away(_))), "{put:?}");
            assert!(names(&folder.path().join("done")).contains(&name));
        }
    }

    /// The folder of that name is now somewhere else, and a link leads to the treasure, which has a file of the name.
    fn swap(folder: &Path, treasure: &Path) {
        fs::rename(folder, folder.with_extension("before")).unwrap();
        symlink(treasure, folder).unwrap();
    }

    #[test]
    fn nothing_is_taken_back_through_a_link() {
        let world = tempfile::tempdir().unwrap();
        let treasure = treasure(world.path());
        fs::write(treasure.join("main.key.reason.txt"), "ours").unwrap();
        let folder = world.path().join("drop");
        fs::create_dir(&folder).unwrap();
        let path = folder.join("main.key");
        fs::write(&path, "rubbish").unwrap();
        let put = put_away(
            &folder,
            &path,
            "quarantine",
            mark(b"rubbish"),
            Some("it is"),
        );
        let Ok(Put::Away(moved)) = put else {
            panic!("{put:?}")
        };
        swap(&folder.join("quarantine"), &treasure);
        let error = take_back(&folder, &moved).unwrap_err();
        assert!(error.to_string().contains("is a link"), "{error}");
        assert_eq!(names(&treasure), ["main.key", "main.key.reason.txt"]);
        assert_eq!(fs::read(treasure.join("main.key")).unwrap(), b"secret");
    }

    #[test]
    fn nothing_that_was_on_its_way_is_read_or_moved_through_a_link() {
        let world = tempfile::tempdir().unwrap();
        let treasure = treasure(world.path());
        let folder = world.path().join("drop");
        let ways = folder.join(ON_THE_WAY);
        fs::create_dir_all(&ways).unwrap();
        fs::write(ways.join("main.key"), "secret").unwrap();
        let there = list(&folder).unwrap();
        let (path, form) = there.first_key_value().unwrap();
        swap(&ways, &treasure);
        assert!(read(&folder, path, *form).is_err());
        let put = put_away(&folder, path, "done", mark(b"secret"), None);
        assert!(put.is_err(), "{put:?}");
        assert_eq!(names(&treasure), ["main.key"]);
        assert_eq!(names(&folder.join("done")), [""; 0]);
    }

    /// Between the look at a file and its move.
    #[test]
    fn what_is_moved_is_moved_in_the_folder_that_was_opened() {
        let world = tempfile::tempdir().unwrap();
        let treasure = treasure(world.path());
        let folder = world.path().join("drop");
        let ways = folder.join(ON_THE_WAY);
        fs::create_dir_all(&ways).unwrap();
        fs::write(ways.join("main.key"), "rubbish").unwrap();
        let spot = Spot::of(&folder, &ways.join("main.key")).unwrap();
        swap(&ways, &treasure);
        let done = Opened::make(&folder, "done").unwrap();
        spot.move_to(&done, OsStr::new("main.key")).unwrap();
        let moved = fs::read(folder.join("done/main.key")).unwrap();
        assert_eq!(moved, b"rubbish");
        assert_eq!(names(&treasure), ["main.key"]);
    }
}
