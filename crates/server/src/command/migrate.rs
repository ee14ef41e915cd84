//! `quayside migrate`: brings the store to this version's schema, where a start on it would not be refused.

use anyhow::Result;

use crate::config::Settings;
use crate::wire;

/// Runs it. `serve` does the same at its start; this is for those who want it done apart.
pub async fn run(settings: &Settings) -> Result<()> {
    drop(wire::own_store(settings).await?);
    crate::log::say(format_args!("the store is at this version's schema"));
    Ok(())
}
