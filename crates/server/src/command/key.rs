//! `quayside key create`, `key list`, `key delete ID`: prints the key once, what is listed, or the id of the
//! key that is gone, on standard output and nothing else there.

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use domain::account::Permissions;
use domain::audit::Actor;
use domain::ids::ApiKeyId;
use store::api_key::ApiKey;
use tracking::{Tracking, access};

use super::{account, columns, pipe};
use crate::config::Settings;
use crate::wire;

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Create a key and print it, this once.
    Create(Create),
    /// List keys, one a line: id, account, name, last four characters, permissions, last use.
    List(List),
    /// Delete a key and print its id; within a second it opens nothing any more.
    Delete(Delete),
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

/// List keys.
#[derive(Debug, Args)]
pub struct List {
    /// Name or id of the account; all of them when it is not given.
    #[arg(long)]
    account: Option<String>,
}

/// Delete a key.
#[derive(Debug, Args)]
pub struct Delete {
    /// Its id, as `key list` shows it.
    #[arg(value_parser = id)]
    id: uuid::Uuid,
}

/// Runs it.
pub async fn run(settings: &Settings, command: KeyCommand) -> Result<()> {
    let tracking = wire::service(settings).await?.by(Actor::Operator);
    match command {
        KeyCommand::Create(wanted) => create(&tracking, wanted).await,
        KeyCommand::List(wanted) => list(&tracking, wanted).await,
        KeyCommand::Delete(wanted) => delete(&tracking, ApiKeyId(wanted.id)).await,
    }
}

async fn create(tracking: &Tracking, wanted: Create) -> Result<()> {
    let name = account::name_of("a key", &wanted.name)?;
    let account = account::find(tracking.store(), &wanted.account).await?;
    let (made, key) = access::create_key(tracking, account.id, name, wanted.permissions).await?;
    // It is told this once. One that nobody saw would be of no use, and open a door all the same.
    if let Err(error) = pipe::shown(key) {
        access::delete_key(tracking, made.account, made.id).await?;
        return Err(error.context("the key could not be shown, and is deleted again"));
    }
    Ok(())
}

async fn list(tracking: &Tracking, wanted: List) -> Result<()> {
    let accounts = match &wanted.account {
        Some(name) => vec![account::find(tracking.store(), name).await?],
        None => tracking.store().read(store::account::list).await?,
    };
    let mut rows = Vec::new();
    for account in accounts {
        let id = account.id;
        let keys = tracking
            .store()
            .read(move |tx| store::api_key::list(&mut tx.account(id)))
            .await?;
        rows.extend(keys.iter().map(|key| row(&account.name, key)));
    }
    let headings = [
        "ID",
        "ACCOUNT",
        "NAME",
        "ENDS IN",
        "PERMISSIONS",
        "LAST USED",
    ];
    columns::print(&headings, &rows)
}

fn row(account: &str, key: &ApiKey) -> Vec<String> {
    let may = [
        (key.permissions.show, "show"),
        (key.permissions.update, "update"),
    ];
    let may: Vec<&str> = may
        .iter()
        .filter(|(may, _)| *may)
        .map(|one| one.1)
        .collect();
    let used = key.last_used_at.map_or("never".into(), |at| at.to_string());
    vec![
        key.id.to_string(),
        account.to_owned(),
        key.name.clone(),
        format!("…{}", key.last_four),
        may.join(","),
        used,
    ]
}

async fn delete(tracking: &Tracking, id: ApiKeyId) -> Result<()> {
    let found = tracking
        .store()
        .read(move |tx| store::api_key::find(tx, id))
        .await?;
    let key = found.with_context(|| format!("there is no key {id}"))?;
    if !access::delete_key(tracking, key.account, id).await? {
        bail!("there is no key {id}");
    }
    pipe::line(id)
}

fn id(text: &str) -> Result<uuid::Uuid, String> {
    let read = text.parse();
    read.map_err(|_| "a key is named by its id, the first column of `quayside key list`".to_owned())
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
