//! `quayside import FILE… --source ID`: takes files in as if the source had dropped them.
//!
//! Each file is kept first and then worked off, so that the command can be repeated: a file that was taken in
//! before is only noted. What follows, shipments, events and deliveries, is the same as for a file that came by
//! a folder; deliveries are made by the service. With `--dry-run` nothing is written: what would change is printed,
//! one JSON object a line.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use domain::ids::AccountId;
use jiff::Timestamp;
use serde_json::{Value, json};
use store::raw_message::Fate;
use tracking::Tracking;
use tracking::intake::{self, Accepted, MESSAGE_BYTES_MAX, Message};

use super::account;
use super::parse::event;
use super::pipe;
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
    /// Write nothing, and print what would change: the values of each box before and after, the events that would be
    /// told, and what would be refused.
    #[arg(long)]
    dry_run: bool,
}

/// Runs it.
pub async fn run(settings: &Settings, import: Import) -> Result<()> {
    let tracking = wire::service(settings).await?;
    let account = match &import.account {
        Some(name) => Some(account::find(tracking.store(), name).await?.id),
        None => None,
    };
    let mut aside = 0;
    for file in &import.files {
        let found = found(&import.source, account, file)?;
        let read = if import.dry_run {
            rehearse(&tracking, found, file).await?
        } else {
            take_in(&tracking, found, file).await?
        };
        aside += usize::from(!read);
    }
    if !import.dry_run {
        // The source was heard.
        tracking::work::write_notes(&tracking).await;
    }
    match aside {
        0 => Ok(()),
        _ => bail!(
            "{aside} of {} files stand in quarantine",
            import.files.len()
        ),
    }
}

/// A file as a message, and when it was written.
type Found = (Message, Option<Timestamp>);

fn found(source: &str, account: Option<AccountId>, file: &Path) -> Result<Found> {
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
    let written = about.modified().ok();
    Ok((message, written.and_then(|at| Timestamp::try_from(at).ok())))
}

/// Whether the file was read.
async fn take_in(tracking: &Tracking, (message, written_at): Found, file: &Path) -> Result<bool> {
    let name = file.display();
    let accepted = intake::receive_file(tracking, message, written_at).await;
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
    pipe::line(format_args!("{name}: {id} {told}"))?;
    Ok(!matches!(fate, Some(Fate::Quarantined(_))))
}

/// Prints what would change. Whether the file would be read.
async fn rehearse(tracking: &Tracking, (message, written_at): Found, file: &Path) -> Result<bool> {
    let name = file.display().to_string();
    let foreseen = intake::foresee(tracking, message, written_at).await;
    let foreseen = foreseen.with_context(|| name.clone())?;
    let now = tracking.now();
    pipe::line(json!({
        "file": name, "reports": foreseen.reports, "refused": foreseen.defects.len(),
        "known": foreseen.known, "quarantine": foreseen.aside, "boxes": foreseen.boxes.len(),
    }))?;
    for defect in &foreseen.defects {
        pipe::line(json!({"refused": defect.place, "reason": defect.reason}))?;
    }
    for foreseen in &foreseen.boxes {
        let events = foreseen.changes.iter();
        let events: Vec<Value> = events
            .filter_map(|change| event::line(foreseen.number, change, now))
            .collect();
        pipe::line(json!({
            "container": foreseen.number.as_str(), "account": foreseen.account.to_string(),
            "known": foreseen.before.is_some(),
            "changes": changes(foreseen.before.as_deref(), &foreseen.after), "events": events,
        }))?;
    }
    Ok(!foreseen.aside)
}

/// The attributes that differ, each with its value before and after.
fn changes(before: Option<&str>, after: &str) -> Value {
    let attributes = |document: &str| {
        let document: Value = serde_json::from_str(document).unwrap_or_default();
        document.get("attributes").cloned().unwrap_or_default()
    };
    let before = before.map_or(Value::Null, attributes);
    let Value::Object(after) = attributes(after) else {
        return Value::Null;
    };
    let old = |name: &str| before.get(name).cloned().unwrap_or_default();
    let changed = after
        .into_iter()
        .map(|(name, new)| (old(&name), name, new))
        .filter(|(old, _, new)| old != new)
        .map(|(old, name, new)| (name, json!([old, new])));
    Value::Object(changed.collect())
}
