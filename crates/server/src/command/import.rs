//! `quayside import FILE… --source ID`: takes files in as if the source had dropped them.
//!
//! Each file is kept first and then worked off, so that the command can be repeated: a file that was taken in
//! before is only noted. What follows, shipments, events and deliveries, is the same as for a file that came by
//! a folder; deliveries are made by the service.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use domain::ids::AccountId;
use store::raw_message::Fate;
use tracking::Tracking;
use tracking::intake::{self, Accepted, MESSAGE_BYTES_MAX, Message};

use super::account;
use crate::config::Settings;
use crate::wire;

/// Take in files of a source.
#[derive(Debug, Args)]
pub struct Import {
    /// Files to take in.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Id of the source whose profile reads them.
    #[arg(long, value_name = "ID")]
    source: String,
    /// Name or id of the account whose own they are; without it they are for all that track their numbers.
    #[arg(long)]
    account: Option<String>,
}

/// Runs it.
pub async fn run(settings: &Settings, import: Import) -> Result<()> {
    let tracking = wire::service(settings)?;
    let account = match &import.account {
        Some(name) => Some(account::find(&tracking, name).await?.id),
        None => None,
    };
    let mut aside = 0;
    for file in &import.files {
        aside += usize::from(!take_in(&tracking, &import.source, account, file).await?);
    }
    match aside {
        0 => Ok(()),
        _ => bail!(
            "{aside} of {} files stand in quarantine",
            import.files.len()
        ),
    }
}

/// Whether the file was read.
async fn take_in(
    tracking: &Tracking,
    source: &str,
    account: Option<AccountId>,
    file: &Path,
) -> Result<bool> {
    let name = file.display();
    let about = std::fs::metadata(file).with_context(|| format!("{name} cannot be read"))?;
    if about.len() > MESSAGE_BYTES_MAX as u64 {
        bail!(
            "{name} has {} bytes; at most {MESSAGE_BYTES_MAX} are read",
            about.len()
        );
    }
    let message = Message {
        source: source.to_owned(),
        account,
        content_type: String::new(),
        bytes: std::fs::read(file).with_context(|| format!("{name} cannot be read"))?,
    };
    let accepted = intake::receive(tracking, message).await;
    let (id, known) = match accepted.with_context(|| name.to_string())? {
        Accepted::Fresh(id) => (id, ""),
        Accepted::Known(id) => (id, " (taken in before)"),
    };
    intake::settle(tracking).await?;
    let fate = tracking.store();
    let fate = fate
        .read(move |tx| store::raw_message::fate(tx, id))
        .await?;
    let told = match &fate {
        Some(Fate::Read) => format!("read{known}"),
        Some(Fate::Quarantined(reason)) => format!("in quarantine: {reason}{known}"),
        None => "kept; another node is reading it".to_owned(),
    };
    println!("{name}: {id} {told}");
    Ok(!matches!(fate, Some(Fate::Quarantined(_))))
}
