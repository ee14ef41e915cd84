//! `quayside source quarantine ID`: the messages of a source that could not be read, why, and their bytes for whoever has to ask
//! the sender what was meant.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use domain::ids::RawMessageId;
use store::Store;
use store::raw_message;
use tracking::Tracking;

use super::columns;

/// Show what could not be read of a source, one message a line, the newest first: id, when it came, why.
#[derive(Debug, Args)]
pub struct Quarantine {
    /// Its id.
    id: String,
    /// Messages at most.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Write the bytes of each as they came into this folder, under its id.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// Runs it. A source that is not configured any more may have left messages, too.
pub async fn run(tracking: &Tracking, wanted: Quarantine) -> Result<()> {
    let Quarantine { id, limit, save } = wanted;
    let store = tracking.store();
    let asked = id.clone();
    let found = store.read(move |tx| raw_message::quarantined(tx, &asked, limit));
    let found = found.await?;
    if found.is_empty() && tracking.source(&id).is_none() {
        bail!("there is no source {id:?} in sources.dir, and no message of it");
    }
    let mut rows = Vec::with_capacity(found.len());
    for aside in found {
        if let Some(folder) = &save {
            write_down(store, folder, aside.id).await?;
        }
        let (id, came) = (aside.id.to_string(), aside.received_at);
        rows.push(vec![id, format!("{came:.0}"), aside.reason]);
    }
    columns::print(&["ID", "CAME AT", "WHY"], &rows)
}

async fn write_down(store: &Store, folder: &Path, id: RawMessageId) -> Result<()> {
    let found = store.read(move |tx| raw_message::find(tx, id)).await?;
    let Some(message) = found else {
        return Ok(());
    };
    let path = folder.join(id.to_string());
    let mut options = OpenOptions::new();
    // What a partner sent is for nobody else on this machine, and a file that is there may be somebody's work.
    let file = options.write(true).create_new(true).mode(0o600).open(&path);
    let written = file.and_then(|mut file| file.write_all(&message.body));
    written.with_context(|| format!("{} cannot be written", path.display()))
}
