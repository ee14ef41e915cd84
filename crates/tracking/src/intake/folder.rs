//! Watched folders: files that a source drops, each read once.
//!
//! A file is kept in the store first, like every message, and worked off by the same readers. Only then it is
//! [moved](moving): to `done/`, or to `quarantine/` with a file beside it that says why. Until then it
//! lies where it was dropped, so a crash at any moment loses nothing; what was kept already is recognised by its
//! digest. Several nodes may watch one folder: who comes second finds the file known, or gone.
//!
//! What was kept is a file as it was at that moment. When it looks otherwise at the next look, it is another one, of the same
//! name, and begins anew.
//!
//! A file that cannot be read, or not moved, stands in the way of nobody: it is named in the log once, tried again
//! after longer and longer rests, and counts for nothing among those in work.
//!
//! Where the profile names a folder for answers, the sender of an X12 or EDIFACT file gets its 997 or CONTRL there,
//! whole under its name from the first moment, before the file itself is moved: a crash between the two writes the
//! same answer again.
//!
//! Files should be moved into the folder from beside it. One that is written in place is left alone until its
//! length and its time stay the same from one look to the next; names that begin with a dot or end like a
//! transfer under way are never read. Who pauses for longer has half a file read first, and then, because it is looked at for
//! some time after it was moved, the whole.

mod moving;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::ids::RawMessageId;
use sha2::{Digest as _, Sha256};
use store::raw_message::Fate;
use tokio::task::{self, JoinSet};
use tokio_util::sync::CancellationToken;

use super::{Accepted, MESSAGE_BYTES_MAX, Message, MessageRefused, receive_file};
use crate::{Source, Tracking};
use moving::{Form, Mark, Moved, Put};

/// Real time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Files of one folder that are in work at once.
const FILES_MAX: usize = 64;
/// Looks at which a file rests that has failed often.
const RESTS_MAX: u32 = 15;
/// Looks at a file after it was moved (10 minutes).
const LOOKS_AFTER: u32 = 300;
/// Files of one folder that are looked at after they were moved; the oldest are let go.
const MOVED_MAX: usize = 1_024;

/// Counts the files that were put aside and of which nothing is kept.
pub const FILES_REFUSED: &str = "quayside_files_refused_total";

/// Watches the folders of all sources, also of those that are taken up later, until told to stop. Each has a task of its own: one
/// that hangs, on a disk that is not there any more, holds up no other.
pub(crate) async fn run(tracking: Tracking, stop: CancellationToken) {
    let mut watched: BTreeMap<String, task::Id> = BTreeMap::new();
    let mut watching = JoinSet::new();
    while !stop.is_cancelled() {
        for folder in folders(&tracking) {
            if let Entry::Vacant(new) = watched.entry(folder.source.clone()) {
                let watch = watch(folder, tracking.clone(), stop.clone());
                new.insert(watching.spawn(watch).id());
            }
        }
        tokio::select! {
            // A task that panicked is begun anew at the next look.
            Some(ended) = watching.join_next_with_id(), if !watching.is_empty() => {
                let task = ended.map_or_else(|error| error.id(), |(task, ())| task);
                watched.retain(|_, watch| *watch != task);
            }
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
    while watching.join_next().await.is_some() {}
}

async fn watch(mut folder: Folder, tracking: Tracking, stop: CancellationToken) {
    while !stop.is_cancelled() {
        folder.look(&tracking).await;
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
}

fn folders(tracking: &Tracking) -> impl Iterator<Item = Folder> {
    let sources = tracking.sources();
    sources.filter_map(|source| {
        Some(Folder {
            source: source.id().to_owned(),
            path: source.folder()?.to_owned(),
            files: BTreeMap::new(),
            moved: VecDeque::new(),
            out_of_reach: false,
        })
    })
}

/// One folder and what is known of its files.
struct Folder {
    source: String,
    path: PathBuf,
    files: BTreeMap<PathBuf, Known>,
    /// Who writes them may not have ended yet; each with the looks that are left.
    moved: VecDeque<(Moved, u32)>,
    /// Said once, not at every look.
    out_of_reach: bool,
}

/// What is known of a file.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// As it was at the last look.
    form: Form,
    /// Kept in this form; to be moved when it has been worked off.
    kept: Option<Kept>,
    trouble: Option<Trouble>,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    id: RawMessageId,
    digest: [u8; 32],
}

/// A file that could not be worked off.
#[derive(Clone, Copy, Debug, Default)]
struct Trouble {
    failures: u32,
    /// Looks at which it is left alone.
    rests: u32,
}

impl Trouble {
    /// After one more failure.
    fn worse(self) -> Self {
        let rests = (1_u32 << self.failures.min(31)) - 1;
        Self {
            failures: self.failures.saturating_add(1),
            rests: rests.min(RESTS_MAX),
        }
    }
}

/// How far a file comes at one look.
enum Step {
    /// It waits to be worked off, or was written meanwhile.
    Waits,
    /// It is kept now.
    Kept(Kept),
    /// It was worked off and moved.
    Away(Moved),
    /// Another lies under its name, or nothing: the next look tells.
    Gone,
    /// It is tried again.
    Failed(Failure),
}

/// Why a file is not worked off: what cannot be done to it.
struct Failure {
    cannot: &'static str,
    why: String,
}

fn failed(cannot: &'static str, why: &impl ToString) -> Step {
    let why = why.to_string();
    Step::Failed(Failure { cannot, why })
}

impl Folder {
    async fn look(&mut self, tracking: &Tracking) {
        let folder = self.path.clone();
        let there = match in_background(move || moving::list(&folder)).await {
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
        self.look_after().await;
        self.files.retain(|path, _| there.contains_key(path));
        let mut in_work = 0;
        for (path, form) in moving::oldest_first(there) {
            if let Some(known) = self.turn(&path, form, &mut in_work) {
                let step = match known.kept {
                    None => self.take_in(tracking, &path, form).await,
                    Some(kept) => self.put_away(tracking, &path, kept).await,
                };
                self.note(&path, step);
            }
        }
    }

    /// What is known of a file whose turn it is. The others wait, rest, or have changed since the last look.
    fn turn(&mut self, path: &Path, form: Form, in_work: &mut usize) -> Option<Known> {
        let has_room = *in_work < FILES_MAX;
        let known = match self.files.entry(path.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(first) => {
                if has_room {
                    *in_work += 1;
                    first.insert(Known {
                        form,
                        kept: None,
                        trouble: None,
                    });
                }
                return None;
            }
        };
        if let Some(trouble) = &mut known.trouble {
            if trouble.rests > 0 {
                trouble.rests -= 1;
                return None;
            }
        } else if has_room {
            *in_work += 1;
        } else {
            return None;
        }
        if known.form != form {
            (known.form, known.kept) = (form, None);
            return None;
        }
        Some(*known)
    }

    fn note(&mut self, path: &Path, step: Step) {
        let file = path.display();
        let Some(known) = self.files.get_mut(path) else {
            return;
        };
        if let Step::Failed(Failure { cannot, why }) = &step {
            if known.trouble.is_none() {
                let source = &self.source;
                tracing::error!(%file, source, error = why, "a file cannot be {cannot}; it is tried again");
            }
            known.trouble = Some(known.trouble.unwrap_or_default().worse());
            return;
        }
        let goes_on = matches!(step, Step::Kept(_) | Step::Away(_));
        if goes_on && known.trouble.take().is_some() {
            tracing::info!(%file, "a file that could not be worked off can be now");
        }
        match step {
            Step::Kept(kept) => known.kept = Some(kept),
            Step::Away(moved) => {
                self.files.remove(path);
                if self.moved.len() >= MOVED_MAX {
                    self.moved.pop_front();
                }
                self.moved.push_back((moved, LOOKS_AFTER));
            }
            Step::Gone => drop(self.files.remove(path)),
            Step::Waits | Step::Failed(_) => {}
        }
    }

    /// Keeps a file that is whole.
    async fn take_in(&self, tracking: &Tracking, path: &Path, form: Form) -> Step {
        if form.bytes > MESSAGE_BYTES_MAX as u64 {
            let bytes = usize::try_from(form.bytes).unwrap_or(usize::MAX);
            let reason = MessageRefused::TooLong { bytes }.to_string();
            return self.refuse(path, Mark::Form(form), reason).await;
        }
        let (folder, file) = (self.path.clone(), path.to_owned());
        let read = in_background(move || {
            let bytes = moving::read(&folder, &file, form)?;
            Ok(bytes.map(|bytes| (<[u8; 32]>::from(Sha256::digest(&bytes)), bytes)))
        });
        let (digest, bytes) = match read.await {
            Ok(Some(read)) => read,
            Ok(None) => return Step::Waits,
            // Another node has moved it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Step::Gone,
            Err(error) => return failed("read", &error),
        };
        let message = Message {
            source: self.source.clone(),
            account: None,
            content_type: media_type(Path::new(&moving::name_of(&self.path, path))).into(),
            bytes,
        };
        match receive_file(tracking, message, form.written_at()).await {
            Ok(Accepted::Fresh(id) | Accepted::Known(id)) => Step::Kept(Kept { id, digest }),
            Err(MessageRefused::Store(error)) => failed("kept", &error),
            Err(refused) => {
                let mark = Mark::Digest(digest);
                self.refuse(path, mark, refused.to_string()).await
            }
        }
    }

    /// Puts a file aside of which nothing is kept: it is in no quarantine of messages, and counted here alone.
    async fn refuse(&self, path: &Path, mark: Mark, reason: String) -> Step {
        let step = self.set_aside(path, mark, reason.clone(), None).await;
        if matches!(step, Step::Away(_)) {
            metrics::counter!(FILES_REFUSED).increment(1);
        }
        step
    }

    /// Moves a file that was worked off.
    async fn put_away(&self, tracking: &Tracking, path: &Path, kept: Kept) -> Step {
        let id = kept.id;
        let read = tracking
            .store()
            .read(move |tx| store::raw_message::fate(tx, id));
        let fate = match read.await {
            Ok(Some(fate)) => fate,
            Ok(None) => return Step::Waits,
            Err(error) => return failed("looked up", &error),
        };
        if let Err(error) = self.answer(tracking, path, id).await {
            return failed("answered", &error);
        }
        let mark = Mark::Digest(kept.digest);
        match fate {
            Fate::Read => self.move_to("done", path, mark, None).await,
            Fate::Quarantined(reason) => self.set_aside(path, mark, reason, Some(id)).await,
        }
    }

    /// Writes the answer that the sender is due, if any.
    async fn answer(&self, tracking: &Tracking, path: &Path, id: RawMessageId) -> io::Result<()> {
        let source = tracking.source(&self.source);
        let Some(folder) = source.and_then(Source::answer_folder).map(Path::to_owned) else {
            return Ok(());
        };
        let read = tracking.store();
        let read = read.read(move |tx| store::raw_message::find(tx, id)).await;
        let (shared, name) = (tracking.clone(), moving::name_of(&self.path, path));
        in_background(move || {
            let Some(message) = read.map_err(io::Error::other)? else {
                return Ok(());
            };
            let source = shared.source(&message.source);
            let (bytes, at) = (&message.body, message.received_at);
            let answer = source.and_then(|s| s.acknowledge(bytes, at, shared.gazetteer()));
            answer.map_or(Ok(()), |answer| {
                moving::write_answer(&folder, &name, &answer)
            })
        })
        .await
    }

    /// Moves a file to `quarantine/`, and says so with the message that was kept of it, if any.
    async fn set_aside(
        &self,
        path: &Path,
        mark: Mark,
        reason: String,
        kept: Option<RawMessageId>,
    ) -> Step {
        let told = kept.map_or_else(
            || reason.clone(),
            |id| format!("{reason}\nKept as message {id}."),
        );
        let step = self.move_to("quarantine", path, mark, Some(told)).await;
        if matches!(step, Step::Away(_)) {
            let (file, source) = (path.display(), &self.source);
            let raw_message = kept.map(tracing::field::display);
            tracing::warn!(%file, source, raw_message, reason, "a file was moved to quarantine/");
        }
        step
    }

    /// Moves a file that bears this mark into a folder below.
    async fn move_to(
        &self,
        below: &'static str,
        path: &Path,
        mark: Mark,
        reason: Option<String>,
    ) -> Step {
        let (folder, path) = (self.path.clone(), path.to_owned());
        let moved =
            in_background(move || moving::put_away(&folder, &path, below, mark, reason.as_deref()));
        match moved.await {
            Ok(Put::Away(moved)) => Step::Away(moved),
            Ok(Put::Another | Put::Gone) => Step::Gone,
            Err(error) if below == "done" => failed("moved to done/", &error),
            Err(error) => failed("moved to quarantine/", &error),
        }
    }

    /// Takes back what was written on after it was moved.
    async fn look_after(&mut self) {
        if self.moved.is_empty() {
            return;
        }
        let (folder, moved) = (self.path.clone(), std::mem::take(&mut self.moved));
        let looked = in_background(move || {
            let still_there = |(moved, looks): (Moved, u32)| {
                match moving::take_back(&folder, &moved) {
                    Ok(false) => looks.checked_sub(1).map(|left| (moved, left)),
                    Ok(true) => {
                        let file = moved.path.display();
                        tracing::warn!(%file, "a file was written on after it was moved; it is read again");
                        None
                    }
                    // Somebody has cleared it away.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                    Err(_) => looks.checked_sub(1).map(|left| (moved, left)),
                }
            };
            Ok(moved.into_iter().filter_map(still_there).collect())
        });
        match looked.await {
            Ok(moved) => self.moved = moved,
            Err(error) => tracing::warn!(%error, "files that were moved cannot be looked at"),
        }
    }
}

/// Beside the workers: a file system may take its time.
async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(io::Error::other)?
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_fails_rests_for_longer_and_longer_and_not_for_ever() {
        let mut trouble = Trouble::default();
        let mut rests = Vec::new();
        for _ in 0..40 {
            trouble = trouble.worse();
            rests.push(trouble.rests);
        }
        assert_eq!(rests[..6], [0, 1, 3, 7, 15, 15]);
        assert_eq!(rests[39], 15);
    }
}
