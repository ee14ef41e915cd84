//! `quayside backup FILE`: a copy of the embedded store, while the service runs.
//!
//! How the copy is made stands at the head of `store::backup`. On standard output comes one line when it is done, and on
//! standard error one that says what is not in it.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result};
use clap::Args;
use store::backup::{Made, Stop, backup};

use super::pipe::unless_closed;
use super::progress;
use super::serve::stopped_by_signal;
use crate::config::Settings;
use crate::{WrongUse, wire};

/// Copy the embedded store while the service runs.
#[derive(Debug, Args)]
pub struct Backup {
    /// The copy; a file that exists is not overwritten.
    file: PathBuf,
    /// Print nothing when the copy was made: for cron, which mails what is printed.
    #[arg(long)]
    quiet: bool,
}

const POSTGRES_HAS_ITS_OWN: &str = "backup is for the embedded store; this one is PostgreSQL's, whose own tools do \
     it: pg_dump --format=custom --file=FILE, with the address in `database`";

/// Runs it.
pub async fn run(settings: &Settings, wanted: &Backup) -> Result<()> {
    let store = wire::embedded(settings).ok_or(WrongUse(POSTGRES_HAS_ITS_OWN))?;
    let stop = stop_at_a_signal();
    let bar = progress::of_bytes();
    let (from, file, shown) = (store.clone(), wanted.file.clone(), bar.clone());
    let kept = u64::from(settings.health.disk_free_percent);
    let making = tokio::task::spawn_blocking(move || {
        backup(&from, &file, kept, &stop, &mut |step| {
            progress::show(&shown, step);
        })
    });
    let made = making.await.context("the backup broke off")?;
    bar.finish_and_clear();
    let made = made?;
    if wanted.quiet {
        return Ok(());
    }
    told(settings, &wanted.file, made)
}

fn told(settings: &Settings, file: &Path, made: Made) -> Result<()> {
    let Made { bytes, schema } = made;
    let file = file.display();
    let written = writeln!(io::stdout(), "{file}: {bytes} bytes, schema {schema}");
    let key = wire::main_key::place(settings);
    crate::log::say(format_args!(
        "the main key is not in it, and without the key it is of no use: keep {key} too, in another place"
    ));
    unless_closed(written.map_err(Into::into))
}

/// Set by SIGTERM and SIGINT: what was begun is cleared away before the end.
pub fn stop_at_a_signal() -> Stop {
    let stop = Stop::default();
    let stopping = Stop::clone(&stop);
    tokio::spawn(async move {
        if stopped_by_signal().await.is_ok() {
            stopping.store(true, Ordering::Relaxed);
        }
    });
    stop
}
