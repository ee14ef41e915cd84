//! `quayside check`: whether a start would succeed, and whether what is there is sound. Nothing is changed by it: no store is
//! made or migrated, no key is made, and a service that runs is not held up.
//!
//! One line for each matter. Matters that hang on one that is bad are left out: nobody wants to know whether a key opens a
//! file that is none.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use serde_json::json;
use store::backup::{Depth, Onlooker, Schema};
use store::{Database, OpenError, Store, disk};
use tracking::clock::{Clock as _, OFF_MAX, SystemClock};
use tracking::main_key::Stage;

use super::backup::stop_at_a_signal;
use super::pipe::unless_closed;
use super::{progress, rekey};
use crate::config::Settings;
use crate::wire;

/// Look whether everything is in order.
#[derive(Debug, Args)]
pub struct Check {
    /// Look whether every index holds what its table does, too; takes several times as long.
    #[arg(long)]
    full: bool,
    /// Print an object a line.
    #[arg(long)]
    json: bool,
    /// Print what is bad and nothing else: for cron, which mails what is printed.
    #[arg(long)]
    quiet: bool,
}

/// How a matter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Good,
    /// It works, and somebody should know.
    Mind,
    Bad,
}

impl Verdict {
    fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Mind => "mind",
            Self::Bad => "bad",
        }
    }
}

/// What was found, in order.
#[derive(Default)]
struct Found(Vec<(&'static str, Verdict, String)>);

impl Found {
    fn note(&mut self, matter: &'static str, verdict: Verdict, said: impl Display) {
        self.0.push((matter, verdict, said.to_string()));
    }

    /// What it says, when it is good. A matter that cannot be judged is bad.
    fn judge<T>(&mut self, matter: &'static str, judged: Result<T>) -> Option<T> {
        match judged {
            Ok(value) => Some(value),
            Err(error) => {
                self.note(matter, Verdict::Bad, format!("{error:#}"));
                None
            }
        }
    }

    fn is_good(&self, matter: &str) -> bool {
        let mut good = self
            .0
            .iter()
            .filter(|(_, verdict, _)| *verdict == Verdict::Good);
        good.any(|(named, _, _)| *named == matter)
    }

    fn count(&self, verdict: Verdict) -> usize {
        let alike = self.0.iter().filter(|(_, found, _)| *found == verdict);
        alike.count()
    }
}

/// Runs it. Exit code 1: something is bad.
pub async fn run(settings: &Settings, wanted: &Check) -> Result<ExitCode> {
    let mut found = Found::default();
    // Those that cannot be read have ended the program with a code of their own.
    found.note("settings", Verdict::Good, "can be read");
    sources(settings, &mut found);
    match wire::embedded(settings) {
        Some(path) => {
            embedded(settings, &path, wanted, &mut found).await;
            room(settings, &mut found);
        }
        None => shared(settings, &mut found).await,
    }
    let written = print(&found, wanted);
    unless_closed(written.map_err(Into::into))?;
    Ok(match found.count(Verdict::Bad) {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Sources that can be read are good, and what one of them cannot work without is to mind: the others work.
fn sources(settings: &Settings, found: &mut Found) {
    let looked = wire::profiles(&settings.sources.dir)
        .and_then(|profiles| wire::configured(settings, profiles));
    let Some(configured) = found.judge("sources", looked) else {
        return;
    };
    let (count, folder) = (configured.sources.len(), settings.sources.dir.display());
    found.note("sources", Verdict::Good, format!("{count} in {folder}"));
    for lack in configured.lacks {
        found.note("sources", Verdict::Mind, lack);
    }
    if !configured.outbound.trusts_anybody() {
        let line =
            "this machine has no trusted certificates: every call to an https address will fail";
        found.note("sources", Verdict::Mind, line);
    }
}

async fn embedded(settings: &Settings, path: &Path, wanted: &Check, found: &mut Found) {
    let shown = path.display();
    let looking = look(path, wanted.full, found).await;
    let Some(schema) = found.judge("store", looking) else {
        return;
    };
    let Schema { found: ours, known } = schema;
    if ours > known {
        let line = format!("{ours}, and this version knows {known}: use the one that wrote it");
        return found.note("schema", Verdict::Bad, line);
    }
    if ours < known {
        let line = format!("{ours}; the next start brings {shown} to {known}");
        found.note("schema", Verdict::Mind, line);
        return foresee(settings, found).await;
    }
    found.note("schema", Verdict::Good, ours);
    if found.is_good("integrity") {
        let opened = Store::beside(path).map_err(Into::into);
        if let Some(store) = found.judge("main key", opened) {
            main_key(settings, &store, found).await;
            aside(&store, found).await;
        }
    }
}

/// The key of a store that is to be brought up to date.
async fn foresee(settings: &Settings, found: &mut Found) {
    let foreseen = wire::main_key::foresee(settings).await;
    match found.judge("main key", foreseen) {
        None => {}
        Some(Some(stage)) => staged(settings, stage, found),
        Some(None) => {
            let line = "is looked at again when the store is of this version's schema";
            found.note("main key", Verdict::Mind, line);
        }
    }
}

/// Notes whether the file can be reached and is whole.
async fn look(path: &Path, full: bool, found: &mut Found) -> Result<Schema> {
    let is_there = wire::is_there(path)?;
    if !is_there && !path.with_file_name("main.key").exists() {
        return Err(anyhow!(
            "there is none at {}: if none was begun yet, `quayside migrate` makes one",
            path.display()
        ));
    }
    if is_there {
        store::may_write(path)?;
    }
    let stop = stop_at_a_signal();
    let bar = progress::of_time("checking");
    let from = path.to_owned();
    let depth = if full { Depth::Full } else { Depth::Quick };
    let looking = tokio::task::spawn_blocking(move || {
        let looked = Onlooker::of_store(&from, &stop)?;
        let schema = looked.schema()?;
        let fault = looked.fault(depth)?;
        looked.leave();
        Ok::<_, store::backup::BackupError>((schema, fault))
    });
    let looked = looking.await;
    bar.finish_and_clear();
    let (schema, fault) = looked??;
    found.note("store", Verdict::Good, path.display());
    match fault {
        None => found.note("integrity", Verdict::Good, "every page is sound"),
        Some(fault) => found.note("integrity", Verdict::Bad, fault),
    }
    Ok(schema)
}

async fn main_key(settings: &Settings, store: &Store, found: &mut Found) {
    let unbegun = tracking::main_key::may_be_made(store).await;
    let given = wire::main_key::given(settings);
    if let (Ok(true), Ok(None)) = (&unbegun, &given) {
        return found.note("main key", Verdict::Good, "is made by the first start");
    }
    let stage = wire::main_key::stage(settings, store).await;
    if let Some(stage) = found.judge("main key", stage) {
        staged(settings, stage, found);
    }
}

/// What a key is to the store that is one of its own.
fn staged(settings: &Settings, stage: Stage, found: &mut Found) {
    let opens = format!("opens the store: {}", wire::main_key::place(settings));
    match stage {
        Stage::Alone => found.note("main key", Verdict::Good, opens),
        _ => found.note("main key", Verdict::Mind, rekey::told(settings, stage)),
    }
}

/// Messages that could not be read are kept, and nobody looks at them unless told.
async fn aside(store: &Store, found: &mut Found) {
    let now = SystemClock.now();
    let read = store
        .read(move |tx| store::source::backlogs(tx, now))
        .await
        .map_err(Into::into);
    let Some(backlogs) = found.judge("sources", read) else {
        return;
    };
    for (source, backlog) in backlogs {
        let (count, at) = (backlog.quarantined, backlog.quarantined_at);
        if let (1.., Some(at)) = (count, at) {
            let line = format!(
                "{source}: {count} in quarantine, the last since {at:.0}; `quayside source quarantine {source}` says why"
            );
            found.note("sources", Verdict::Mind, line);
        }
    }
}

fn room(settings: &Settings, found: &mut Found) {
    let folder = &settings.data_dir;
    if !folder.exists() {
        return;
    }
    let free = disk::free_percent(folder);
    let free = free.with_context(|| format!("the disk of {}", folder.display()));
    let Some(free) = found.judge("disk", free) else {
        return;
    };
    let verdict = if free < u64::from(settings.health.disk_free_percent) {
        Verdict::Bad
    } else {
        Verdict::Good
    };
    let line = format!("{free} % free where {} lies", folder.display());
    found.note("disk", verdict, line);
}

async fn shared(settings: &Settings, found: &mut Found) {
    let url = settings.database.clone();
    let mut wanted = store::Settings::new(Database::Postgres { url });
    wanted.migrate = false;
    let store = match Store::open(&wanted) {
        Err(OpenError::NotMigrated { found: ours, known }) => {
            found.note("store", Verdict::Good, "PostgreSQL answers");
            let line = match ours {
                0 => format!("none yet; the next start makes {known}"),
                _ if ours == known => format!("{ours}; the next start finishes its migration"),
                _ => format!("{ours}; the next start brings it to {known}"),
            };
            match Store::may_migrate(&settings.database) {
                Ok(()) => found.note("schema", Verdict::Mind, line),
                Err(error) => found.note("schema", Verdict::Bad, error),
            }
            return foresee(settings, found).await;
        }
        Err(
            error @ (OpenError::Migration(_)
            | OpenError::NotOurMigration { .. }
            | OpenError::Newer { .. }),
        ) => {
            found.note("store", Verdict::Good, "PostgreSQL answers");
            return found.note("schema", Verdict::Bad, error);
        }
        opened => match found.judge("store", opened.map_err(Into::into)) {
            Some(store) => store,
            None => return,
        },
    };
    found.note("store", Verdict::Good, "PostgreSQL answers");
    found.note("schema", Verdict::Good, "is this version's");
    main_key(settings, &store, found).await;
    aside(&store, found).await;
    let told = store.time().await.map_err(Into::into);
    if let Some(Some(theirs)) = found.judge("clock", told) {
        let ahead = SystemClock.now().duration_since(theirs);
        let verdict = if ahead.abs() > OFF_MAX {
            Verdict::Bad
        } else {
            Verdict::Good
        };
        let line = format!("{} s ahead of the database's", ahead.as_secs());
        found.note("clock", verdict, line);
    }
}

fn print(found: &Found, wanted: &Check) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (matter, verdict, said) in &found.0 {
        if wanted.quiet && *verdict != Verdict::Bad {
            continue;
        }
        let verdict = verdict.as_str();
        if wanted.json {
            let object = json!({ "matter": matter, "verdict": verdict, "said": said });
            writeln!(out, "{object}")?;
        } else {
            writeln!(out, "{verdict:<5}{matter:<10} {said}")?;
        }
    }
    if !wanted.json && !wanted.quiet {
        let [good, mind, bad] =
            [Verdict::Good, Verdict::Mind, Verdict::Bad].map(|verdict| found.count(verdict));
        writeln!(out, "good: {good}, to mind: {mind}, bad: {bad}")?;
    }
    Ok(())
}
