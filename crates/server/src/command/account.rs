//! `quayside account create NAME`: prints the id on standard output, and nothing else there.

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use domain::account::Plan;
use tracking::access;

use crate::config::Settings;
use crate::wire;

/// What can be done with accounts.
#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Create an account and print its id.
    Create(Create),
}

/// Create an account.
#[derive(Debug, Args)]
pub struct Create {
    /// Its name.
    name: String,
    /// Its plan: self_hosted, free or trial.
    #[arg(long, default_value = "self_hosted", value_parser = plan)]
    plan: Plan,
}

/// Longest name.
const NAME_CHARACTERS_MAX: usize = 255;

/// Runs it.
pub async fn run(settings: &Settings, command: AccountCommand) -> Result<()> {
    let AccountCommand::Create(create) = command;
    let name = create.name.trim();
    if name.is_empty() || name.chars().count() > NAME_CHARACTERS_MAX {
        bail!("the name of an account has 1 to {NAME_CHARACTERS_MAX} characters");
    }
    let tracking = wire::service(settings)?;
    let account = access::create_account(&tracking, name, create.plan).await?;
    println!("{}", account.id);
    Ok(())
}

fn plan(text: &str) -> Result<Plan, String> {
    Plan::parse(text).ok_or_else(|| format!("{text:?} is none of self_hosted, free and trial"))
}
