//! `quayside config show`: the settings in force, secrets replaced.

use anyhow::{Context as _, Result};

use crate::config::Settings;

/// Runs it.
pub fn run(settings: &Settings) -> Result<()> {
    let text = toml::to_string(&settings.shown()).context("settings cannot be written")?;
    print!("{text}");
    Ok(())
}
