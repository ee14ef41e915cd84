//! `quayside key create`: prints the key once on standard output, and nothing else there.

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use domain::account::Permissions;
use domain::ids::AccountId;
use tracking::{Tracking, access};

use crate::config::Settings;
use crate::wire;

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Create a key and print it, this once.
    Create(Create),
}

/// Create a key.
#[derive(Debug, Args)]
pub struct Create {
    /// Name or id of the account.
    #[arg(long)]
    account: String,
    /// What the key may do: show, update or both.
    #[arg(long, default_value = "show,update", value_parser = permissions)]
    permissions: Permissions,
    /// A name to know it by.
    #[arg(long, default_value = "command line")]
    name: String,
}

/// Runs it.
pub async fn run(settings: &Settings, command: KeyCommand) -> Result<()> {
    let KeyCommand::Create(create) = command;
    let tracking = wire::service(settings)?;
    let account = find_account(&tracking, &create.account).await?;
    let made = access::create_key(&tracking, account, &create.name, create.permissions).await?;
    println!("{}", made.1);
    Ok(())
}

async fn find_account(tracking: &Tracking, wanted: &str) -> Result<AccountId> {
    let (name, id) = (
        wanted.to_owned(),
        wanted.parse::<uuid::Uuid>().ok().map(AccountId),
    );
    let found = tracking
        .store()
        .read(move |tx| match id {
            Some(id) => store::account::find(tx, id),
            None => store::account::find_by_name(tx, &name),
        })
        .await?;
    let account = found.with_context(|| format!("there is no account {wanted:?}"))?;
    Ok(account.id)
}

fn permissions(text: &str) -> Result<Permissions, String> {
    let mut found = Permissions {
        show: false,
        update: false,
    };
    for word in text.split(',') {
        match word.trim() {
            "show" => found.show = true,
            "update" => found.update = true,
            other => return Err(format!("{other:?} is neither show nor update")),
        }
    }
    Ok(found)
}
