//! `quayside account create NAME`, `account set NAME`, `account list`: each prints the ids of the accounts it
//! is about on standard output, and nothing else there but what `list` lists.

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use domain::account::{Feature, Plan, enabled};
use domain::audit::Actor;
use store::Store;
use store::account::Account;
use tracking::account::{Change, change};
use tracking::{Tracking, access};

use super::{columns, pipe};
use crate::config::Settings;
use crate::wire;

/// What can be done with accounts.
#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Create an account and print its id.
    Create(Create),
    /// Change an account's plan and features and print its id.
    Set(Set),
    /// List accounts, one a line: id, name, plan, since when, features that differ from the usual.
    List,
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

/// Change an account.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("change").args(["plan", "feature"]).required(true).multiple(true)))]
pub struct Set {
    /// Name or id of the account.
    name: String,
    /// Its plan from now on: self_hosted, free or trial.
    #[arg(long, value_parser = plan)]
    plan: Option<Plan>,
    /// A feature to switch, such as routing=off; can be given several times.
    #[arg(long, value_name = "FEATURE=on|off", value_parser = feature)]
    feature: Vec<(Feature, bool)>,
}

/// Longest name.
const NAME_CHARACTERS_MAX: usize = 255;

/// Runs it.
pub async fn run(settings: &Settings, command: AccountCommand) -> Result<()> {
    let tracking = wire::service(settings).await?.by(Actor::Operator);
    match command {
        AccountCommand::Create(wanted) => create(&tracking, wanted).await,
        AccountCommand::Set(wanted) => set(&tracking, wanted).await,
        AccountCommand::List => list(&tracking).await,
    }
}

async fn create(tracking: &Tracking, wanted: Create) -> Result<()> {
    let name = name_of("an account", &wanted.name)?;
    let created = access::create_account(tracking, name, wanted.plan).await;
    if let Err(store::Error::Conflict { .. }) = created {
        bail!("there is an account {name:?} already");
    }
    let account = created?;
    pipe::line(account.id)
}

/// A name as it can be listed, one line and one column each.
pub fn name_of<'n>(whom: &str, text: &'n str) -> Result<&'n str> {
    let name = text.trim();
    if name.is_empty() || name.chars().count() > NAME_CHARACTERS_MAX {
        bail!("the name of {whom} has 1 to {NAME_CHARACTERS_MAX} characters");
    }
    if name.chars().any(char::is_control) {
        bail!("the name of {whom} holds no tabs, line breaks or other control characters");
    }
    Ok(name)
}

async fn set(tracking: &Tracking, wanted: Set) -> Result<()> {
    let account = find(tracking.store(), &wanted.name).await?;
    let wanted = Change {
        plan: wanted.plan,
        features: wanted.feature,
    };
    let changed = change(tracking, account.id, wanted).await?;
    let account = changed.context("the account is gone")?;
    pipe::line(account.id)
}

async fn list(tracking: &Tracking) -> Result<()> {
    let accounts = tracking.store().read(store::account::list).await?;
    let rows: Vec<Vec<String>> = accounts.iter().map(row).collect();
    columns::print(&["ID", "NAME", "PLAN", "SINCE", "FEATURES"], &rows)
}

fn row(account: &Account) -> Vec<String> {
    let off = Feature::ALL
        .into_iter()
        .filter(|feature| !enabled(&account.features, *feature));
    let mut off: Vec<&str> = off
        .filter(|feature| feature.is_usual())
        .map(Feature::as_str)
        .collect();
    if enabled(&account.features, Feature::Sources) {
        off.push("sources=on");
    }
    vec![
        account.id.to_string(),
        account.name.clone(),
        account.plan.as_str().to_owned(),
        account.plan_since.to_string(),
        off.join(","),
    ]
}

/// The account of this name or id.
pub async fn find(store: &Store, wanted: &str) -> Result<Account> {
    let (name, id) = (wanted.to_owned(), wanted.parse::<uuid::Uuid>().ok());
    let found = store
        .read(move |tx| match id {
            Some(id) => store::account::find(tx, domain::ids::AccountId(id)),
            None => store::account::find_by_name(tx, &name),
        })
        .await?;
    found.with_context(|| format!("there is no account {wanted:?}"))
}

fn plan(text: &str) -> Result<Plan, String> {
    Plan::parse(text).ok_or_else(|| format!("{text:?} is none of self_hosted, free and trial"))
}

fn feature(text: &str) -> Result<(Feature, bool), String> {
    let known = Feature::ALL.map(Feature::as_str).join(", ");
    let unknown = || format!("{text:?} is none of {known} with =on or =off behind it");
    let (name, switch) = text.split_once('=').ok_or_else(unknown)?;
    let on = match switch {
        "on" => true,
        "off" => false,
        _ => return Err(unknown()),
    };
    Ok((Feature::parse(name).ok_or_else(unknown)?, on))
}
