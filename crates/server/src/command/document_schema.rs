//! `quayside document-schema add`: prints the id of the version, and nothing else.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use domain::audit::Actor;
use jiff::civil::Date;
use tracking::document_schemas::{NewSchema, SCHEMA_BYTES_MAX, Standing, add};

use super::pipe;
use crate::config::Settings;
use crate::wire;

/// What can be done with schemas of documents.
#[derive(Debug, Subcommand)]
pub enum DocumentSchemaCommand {
    /// Load a version from a JSON Schema file, or change how a loaded one stands.
    Add(Add),
}

/// Load a version.
#[derive(Debug, Args)]
pub struct Add {
    /// The JSON Schema.
    file: PathBuf,
    /// Which documents it describes: `bill_of_lading`.
    #[arg(long = "type", value_name = "TYPE")]
    document_type: String,
    /// Names the version: `2026-01-05`.
    #[arg(long, value_name = "DATE")]
    version: Date,
    /// What people call the type; its title in the file unless said.
    #[arg(long)]
    label: Option<String>,
    /// It is in force from now on, in place of the one before.
    #[arg(long, conflicts_with = "draft")]
    current: bool,
    /// It is still being worked on.
    #[arg(long)]
    draft: bool,
}

/// Runs it.
pub async fn run(settings: &Settings, command: DocumentSchemaCommand) -> Result<()> {
    let DocumentSchemaCommand::Add(wanted) = command;
    let bytes =
        read(&wanted.file).with_context(|| format!("{} cannot be read", wanted.file.display()))?;
    let tracking = wire::service(settings).await?.by(Actor::Operator);
    let new = NewSchema {
        document_type: wanted.document_type,
        version: wanted.version,
        label: wanted.label,
        standing: match (wanted.current, wanted.draft) {
            (true, _) => Standing::Current,
            (false, true) => Standing::Draft,
            (false, false) => Standing::Kept,
        },
        bytes,
    };
    let id = add(&tracking, new)
        .await
        .with_context(|| format!("{} is not loaded", wanted.file.display()))?;
    pipe::line(id)
}

/// No more of a file than is looked at, so that a wrong name costs nothing.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let most = u64::try_from(SCHEMA_BYTES_MAX).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    file.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
