//! Watched folders: files that a source drops, each read once.
//!
//! A file is kept in the store first, like every message, and worked off by the same readers. Only then it is
//! moved, in one step: to `done/`, or to `quarantine/` with a file beside it that says why. Until it is moved it
//! lies where it was dropped, so a crash at any moment loses nothing; what was kept already is recognised by its
//! digest. Several nodes may watch one folder: who comes second finds the file known, or gone.
//!
//! Where the profile names a folder for answers, the sender of an X12 or EDIFACT file gets its 997 or CONTRL there,
//! whole under its name from the first moment, before the file itself is moved: a crash between the two writes the
//! same answer again.
//!
//! Files should be moved into the folder from beside it. One that is written in place is left alone until its
//! length and its time stay the same from one look to the next; names that begin with a dot or end like a
//! transfer under way are never read.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use domain::ids::RawMessageId;
use store::raw_message::Fate;
use tokio_util::sync::CancellationToken;

use super::{Accepted, MESSAGE_BYTES_MAX, Message, MessageRefused, receive};
use crate::{Source, Tracking};

/// Real time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Files of one folder that are in work at once.
const FILES_MAX: usize = 64;
/// Endings of names of transfers under way.
const UNDER_WAY: [&str; 5] = ["part", "tmp", "filepart", "crdownload", "partial"];
/// Names tried where a file of this name was moved before.
const NAMES_MAX: u32 = 10_000;

/// Watches the folders of all sources until told to stop.
pub(crate) async fn run(tracking: Tracking, stop: CancellationToken) {
    let mut folders = folders(&tracking);
    while !folders.is_empty() && !stop.is_cancelled() {
        for folder in &mut folders {
            folder.look(&tracking).await;
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
}

fn folders(tracking: &Tracking) -> Vec<Folder> {
    let sources = tracking.sources();
    sources
        .filter_map(|source| {
            Some(Folder {
                source: source.id().to_owned(),
                path: source.folder()?.to_owned(),
                files: BTreeMap::new(),
                out_of_reach: false,
            })
        })
        .collect()
}

/// One folder and what is known of its files.
struct Folder {
    source: String,
    path: PathBuf,
    files: BTreeMap<PathBuf, Stage>,
    /// Said once, not at every look.
    out_of_reach: bool,
}

/// How far a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Seen like this; it may still be written.
    Seen(Form),
    /// Kept; to be moved when it has been worked off.
    Kept(RawMessageId),
}

/// What changes while a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    bytes: u64,
    changed: SystemTime,
}

impl Folder {
    async fn look(&mut self, tracking: &Tracking) {
        let there = match list(&self.path).await {
            Ok(there) => there,
            Err(error) => {
                if !self.out_of_reach {
                    let (folder, source) = (self.path.display(), &self.source);
                    tracing::error!(%folder, source, %error, "a watched folder cannot be read");
                }
                self.out_of_reach = true;
                return;
            }
        };
        self.out_of_reach = false;
        self.files.retain(|path, _| there.contains_key(path));
        for (path, form) in there.into_iter().take(FILES_MAX) {
            let before = self.files.get(&path).copied();
            let next = match before {
                Some(Stage::Seen(seen)) if seen == form => {
                    self.take_in(tracking, &path, form).await
                }
                Some(Stage::Kept(id)) => self.put_away(tracking, &path, id).await,
                Some(Stage::Seen(_)) | None => Some(Stage::Seen(form)),
            };
            match next {
                Some(stage) => self.files.insert(path, stage),
                None => self.files.remove(&path),
            };
        }
    }

    /// Keeps a file that is whole. `None`: there is nothing more to do about it now.
    async fn take_in(&self, tracking: &Tracking, path: &Path, form: Form) -> Option<Stage> {
        if form.bytes > MESSAGE_BYTES_MAX as u64 {
            let bytes = usize::try_from(form.bytes).unwrap_or(usize::MAX);
            let reason = MessageRefused::TooLong { bytes }.to_string();
            self.move_to("quarantine", path, Some(reason)).await;
            return None;
        }
        let bytes = match tokio::fs::read(path).await {
            Ok(bytes) => bytes,
            Err(error) => {
                // Another node has moved it, or it may not be read yet.
                let file = path.display();
                tracing::warn!(%file, %error, "a file cannot be read; it is tried again");
                return Some(Stage::Seen(form));
            }
        };
        let message = Message {
            source: self.source.clone(),
            account: None,
            content_type: media_type(path).into(),
            bytes,
        };
        match receive(tracking, message).await {
            Ok(Accepted::Fresh(id) | Accepted::Known(id)) => Some(Stage::Kept(id)),
            Err(MessageRefused::Store(error)) => {
                let file = path.display();
                tracing::warn!(%file, %error, "a file cannot be kept; it is tried again");
                Some(Stage::Seen(form))
            }
            Err(refused) => {
                let reason = refused.to_string();
                self.move_to("quarantine", path, Some(reason)).await;
                None
            }
        }
    }

    /// Moves a file that was worked off. `None`: it is gone.
    async fn put_away(&self, tracking: &Tracking, path: &Path, id: RawMessageId) -> Option<Stage> {
        let read = tracking
            .store()
            .read(move |tx| store::raw_message::fate(tx, id));
        let stays = match read.await {
            Ok(Some(_)) if !self.answer(tracking, path, id).await => true,
            Ok(Some(Fate::Read)) => self.move_to("done", path, None).await,
            Ok(Some(Fate::Quarantined(reason))) => {
                let reason = format!("{reason}\nKept as message {id}.");
                self.move_to("quarantine", path, Some(reason)).await
            }
            Ok(None) => true,
            Err(error) => {
                tracing::warn!(%error, "a message cannot be looked up");
                true
            }
        };
        stays.then_some(Stage::Kept(id))
    }

    /// Writes the answer that the sender is due, if any. Whether nothing is left to do about it.
    async fn answer(&self, tracking: &Tracking, path: &Path, id: RawMessageId) -> bool {
        let source = tracking.source(&self.source);
        let Some(folder) = source.and_then(Source::answer_folder).map(Path::to_owned) else {
            return true;
        };
        let read = tracking.store();
        let read = read.read(move |tx| store::raw_message::find(tx, id)).await;
        let (shared, name) = (tracking.clone(), path.file_name().map(OsStr::to_owned));
        let written = tokio::task::spawn_blocking(move || {
            let Some(message) = read.map_err(std::io::Error::other)? else {
                return Ok(());
            };
            let source = shared.source(&message.source);
            let (bytes, at) = (&message.body, message.received_at);
            let answer = source.and_then(|s| s.acknowledge(bytes, at, shared.gazetteer()));
            answer.map_or(Ok(()), |answer| {
                write_answer(&folder, &name.unwrap_or_default(), &answer)
            })
        });
        match written.await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                let file = path.display();
                tracing::error!(%file, %error, "the answer to a file cannot be written; it is tried again");
                false
            }
            Err(_) => false,
        }
    }

    /// Moves a file into a folder below; whether it is still where it was.
    async fn move_to(&self, below: &'static str, path: &Path, reason: Option<String>) -> bool {
        let (folder, path) = (self.path.join(below), path.to_owned());
        let file = path.clone();
        let moved =
            tokio::task::spawn_blocking(move || move_aside(&folder, &path, reason.as_deref()));
        match moved.await {
            Ok(Ok(())) => false,
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => false,
            Ok(Err(error)) => {
                let file = file.display();
                tracing::error!(%file, %error, "a file cannot be moved to {below}/; it is tried again");
                true
            }
            Err(_) => true,
        }
    }
}

/// The regular files of a folder that may be read.
async fn list(folder: &Path) -> std::io::Result<BTreeMap<PathBuf, Form>> {
    let mut entries = tokio::fs::read_dir(folder).await?;
    let mut there = BTreeMap::new();
    while let Some(entry) = entries.next_entry().await? {
        let path = entry.path();
        // Gone between two calls: another node was quicker.
        let Ok(about) = entry.metadata().await else {
            continue;
        };
        if about.is_file() && !is_under_way(&path) {
            let form = Form {
                bytes: about.len(),
                changed: about.modified()?,
            };
            there.insert(path, form);
        }
    }
    Ok(there)
}

fn is_under_way(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let ending = ending.to_ascii_lowercase();
    name.starts_with('.') || UNDER_WAY.contains(&ending.as_str())
}

fn media_type(path: &Path) -> &'static str {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "json" => "application/json",
        "csv" => "text/csv",
        "edi" | "x12" => "application/edi-x12",
        "edifact" => "application/edifact",
        _ => "application/octet-stream",
    }
}

/// Moves a file, under a name that nobody has there, the reason first: a file in quarantine is never without.
fn move_aside(folder: &Path, path: &Path, reason: Option<&str>) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default();
    let target = free_name(folder, name);
    if let Some(reason) = reason {
        let mut beside = target.clone().into_os_string();
        beside.push(".reason.txt");
        std::fs::write(beside, format!("{reason}\n"))?;
    }
    std::fs::rename(path, target)
}

/// Writes an answer under the name of its file and what it is. Who fetches answers never sees half of one.
fn write_answer(folder: &Path, name: &OsStr, answer: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let is_x12 = answer.starts_with(b"ISA");
    let mut name = name.to_owned();
    name.push(if is_x12 { ".997" } else { ".contrl" });
    let mut beside = OsStr::new(".").to_owned();
    beside.push(&name);
    beside.push(".part");
    let beside = folder.join(beside);
    std::fs::write(&beside, answer)?;
    std::fs::rename(beside, folder.join(name))
}

fn free_name(folder: &Path, name: &OsStr) -> PathBuf {
    let plain = folder.join(name);
    if !plain.exists() {
        return plain;
    }
    let numbered = (2..NAMES_MAX).map(|number| {
        let mut other = name.to_owned();
        other.push(format!(".{number}"));
        folder.join(other)
    });
    numbered
        .into_iter()
        .find(|path| !path.exists())
        .unwrap_or(plain)
}
