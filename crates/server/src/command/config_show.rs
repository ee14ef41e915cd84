//! `quayside config show`: the settings in force, secrets replaced.

use anyhow::{Context as _, Result};

use super::pipe;
use crate::config::Settings;

/// Runs it.
pub fn run(settings: &Settings) -> Result<()> {
    let text = toml::to_string(&settings.shown()).context("settings cannot be written")?;
    pipe::line(text.trim_end())
}
