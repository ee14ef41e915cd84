//! `quayside migrate`: brings the store to this version's schema.

use anyhow::Result;

use crate::config::Settings;
use crate::wire;

/// Runs it. `serve` does the same at its start; this is for those who want it done apart.
pub fn run(settings: &Settings) -> Result<()> {
    drop(wire::open_store(settings)?);
    crate::log::say(format_args!("the store is at this version's schema"));
    Ok(())
}
