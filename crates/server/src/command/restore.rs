//! `quayside restore FILE`: a copy takes the place of the embedded store.
//!
//! Everything that can be refused is refused before anything changes; what was there is set aside and never overwritten.
//! How a restore that is killed leaves the old store or the new one stands at the head of `store::backup`.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result};
use clap::Args;
use store::backup::{BackupError, Staged, Stop, stage};
use store::{Database, OpenError, Store};
use tracking::clock::{Clock as _, SystemClock};
use tracking::restore::{Released, begin_again};

use super::backup::stop_at_a_signal;
use super::progress;
use crate::config::Settings;
use crate::{WrongUse, wire};

/// Put a copy of the embedded store in its place.
#[derive(Debug, Args)]
pub struct Restore {
    /// What `quayside backup` made.
    file: PathBuf,
}

const POSTGRES_HAS_ITS_OWN: &str = "restore is for the embedded store; this one is PostgreSQL's, whose own tools do \
     it: pg_restore --clean --if-exists --dbname=ADDRESS FILE, with every node stopped";
const STOP_IT: &str = "a running service has this store open: stop it, and repeat the command";

/// Runs it.
pub async fn run(settings: &Settings, wanted: &Restore) -> Result<()> {
    let store = wire::embedded(settings).ok_or(WrongUse(POSTGRES_HAS_ITS_OWN))?;
    // Whoever has no key learns it before a long copy and not behind it; what is not there needs none.
    let is_there = wire::is_there(&wanted.file)?;
    if is_there && wire::main_key::given(settings)?.is_none() {
        return Err(wire::main_key::missing_here(settings).into());
    }
    let stop = stop_at_a_signal();
    let bar = progress::of_bytes();
    let (into, file, shown) = (store.clone(), wanted.file.clone(), bar.clone());
    let stopping = Stop::clone(&stop);
    let staging = tokio::task::spawn_blocking(move || {
        stage(&into, &file, &stopping, &mut |step| {
            progress::show(&shown, step);
        })
    });
    let staged = staging.await.context("the restore broke off");
    bar.finish_and_clear();
    let staged = staged?.map_err(explained)?;
    let released = prepare(settings, &staged, wanted).await?;
    // From the next line on it is decided.
    if stop.load(Ordering::Relaxed) {
        return Err(BackupError::Stopped.into());
    }
    let aside = staged.put_in_place(SystemClock.now())?;
    let Released {
        deliveries,
        messages,
        questions,
    } = released;
    let (file, store) = (wanted.file.display(), store.display());
    if let Some(aside) = aside {
        let aside = aside.display();
        crate::log::say(format_args!(
            "the store that was there is set aside in {aside}: take it away when nobody misses anything"
        ));
    }
    crate::log::say(format_args!(
        "{file} is restored to {store}; given up as under way: {deliveries} deliveries, {messages} messages, \
         {questions} questions to sources"
    ));
    Ok(())
}

/// The copy is opened in its own folder, where it is brought to this version's schema and told that time has gone on.
async fn prepare(settings: &Settings, staged: &Staged, wanted: &Restore) -> Result<Released> {
    let path = staged.path();
    let store = Store::open(&store::Settings::new(Database::Sqlite { path }))?;
    wire::main_key::stage(settings, &store).await?;
    let file = wanted.file.display().to_string();
    Ok(begin_again(&store, SystemClock.now(), &file).await?)
}

fn explained(error: BackupError) -> anyhow::Error {
    let in_use = matches!(error, BackupError::Open(OpenError::InUse { .. }));
    let error = anyhow::Error::from(error);
    if in_use {
        error.context(STOP_IT)
    } else {
        error
    }
}
