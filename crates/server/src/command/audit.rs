//! `quayside audit verify`, `audit list`: whether the record of who changed what is whole, and what it says. The results
//! are on standard output and nothing else is.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use domain::audit::{Digest, Head, INSTALLATION, Link, hex};
use domain::ids::AccountId;
use serde_json::{Value, json};
use store::Store;
use store::audit::{Damaged, Strays};
use tracking::audit::{Kept, Verified, verify};

use super::pipe::unless_closed;
use super::{account, columns};
use crate::config::Settings;
use crate::wire;

/// What can be done with the audit.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Compute every hash anew and tell whether the chains hold. Exit code 1: one does not.
    Verify(Verify),
    /// List rows, newest first: time, account, place in its chain, who, what, to what, what is different.
    List(List),
}

/// Compute every hash anew.
#[derive(Debug, Args)]
pub struct Verify {
    /// Name or id of the account; all chains when it is not given.
    #[arg(long)]
    account: Option<String>,
    /// Print where each chain stands, to be kept elsewhere: account, place and hash of its last row.
    #[arg(long)]
    heads: bool,
    /// What --heads printed on an earlier day: the chains must still lead there.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

/// List rows.
#[derive(Debug, Args)]
pub struct List {
    /// Name or id of the account; all chains when it is not given.
    #[arg(long)]
    account: Option<String>,
    /// Rows at most.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=ROWS_MAX))]
    limit: u32,
    /// Print an object a line, with the hashes.
    #[arg(long)]
    json: bool,
}

/// Rows listed at most.
const ROWS_MAX: i64 = 10_000;
/// Longest file of kept heads: a line for each account.
const HEADS_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Runs it.
pub async fn run(settings: &Settings, command: AuditCommand) -> Result<ExitCode> {
    // No key is needed to look: whoever looks at a copy need not have one. So it stays at the schema that it has.
    let store = wire::look_at(settings)?;
    match command {
        AuditCommand::Verify(wanted) => verify_chains(&store, wanted).await,
        AuditCommand::List(wanted) => {
            list(&store, wanted).await?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn verify_chains(store: &Store, wanted: Verify) -> Result<ExitCode> {
    let kept = wanted.against.as_deref().map_or(Ok(Kept::new()), kept)?;
    let account = of(store, wanted.account.as_deref()).await?;
    let names = names(store).await?;
    let (mut chains, mut rows, mut broken) = (0_u64, 0_i64, 0_u64);
    let mut told = Ok(());
    let walking = verify(store, account, &kept, |chain| {
        chains += 1;
        rows += chain.stands.position;
        if wanted.heads && chain.broken.is_none() {
            say(&mut told, &head_line(&chain));
        }
        if let Some(found) = &chain.broken {
            broken += 1;
            let line = format!("{}: {found}", name(&names, chain.account));
            say(&mut told, &line);
        }
    });
    let strays = walking.await?;
    if strays != Strays::default() {
        broken += 1;
        let Strays { rows, heads } = strays;
        let line = format!("rows in no chain: {rows}, heads: {heads}; their account_id is damaged");
        say(&mut told, &line);
    }
    if broken > 0 || !wanted.heads {
        let line = format!("chains: {chains}, rows that hold: {rows}, broken: {broken}");
        say(&mut told, &line);
    }
    unless_closed(told.map_err(Into::into))?;
    Ok(if broken > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// A line on standard output, unless one before it could not be written. All chains are walked all the same: the exit
/// code is true for who has closed the pipe too.
fn say(told: &mut io::Result<()>, line: &str) {
    if told.is_ok() {
        *told = writeln!(io::stdout(), "{line}");
    }
}

fn head_line(chain: &Verified) -> String {
    let Head { position, hash } = chain.stands;
    format!("{}\t{position}\t{}", chain.account, hex(&hash))
}

/// What `--heads` printed; other lines of its output are passed by.
fn kept(file: &Path) -> Result<Kept> {
    let unreadable = || format!("{} cannot be read", file.display());
    let length = std::fs::metadata(file).with_context(unreadable)?.len();
    if length > HEADS_BYTES_MAX {
        bail!(
            "{} has {length} bytes, {HEADS_BYTES_MAX} are the most",
            file.display()
        );
    }
    let text = std::fs::read_to_string(file).with_context(unreadable)?;
    // The lines of chains that were broken have no columns.
    let lines = (1..).zip(text.lines());
    let columns = lines.filter(|(_, line)| line.contains('\t'));
    let heads = columns.map(|(number, line)| {
        kept_head(line)
            .with_context(|| format!("line {number} of {} cannot be read", file.display()))
    });
    let kept = heads.collect::<Result<Kept>>()?;
    if kept.is_empty() {
        bail!("{} holds no line of audit verify --heads", file.display());
    }
    Ok(kept)
}

fn kept_head(line: &str) -> Option<(AccountId, Head)> {
    let mut columns = line.split('\t');
    let account: uuid::Uuid = columns.next()?.parse().ok()?;
    let position = columns.next()?.parse().ok()?;
    let hash = digest(columns.next()?)?;
    Some((AccountId(account), Head { position, hash }))
}

fn digest(text: &str) -> Option<Digest> {
    let pairs = (0..text.len()).step_by(2).map(|at| text.get(at..at + 2));
    let bytes = pairs.map(|pair| u8::from_str_radix(pair?, 16).ok());
    bytes.collect::<Option<Vec<u8>>>()?.try_into().ok()
}

async fn list(store: &Store, wanted: List) -> Result<()> {
    let account = of(store, wanted.account.as_deref()).await?;
    let (names, limit) = (names(store).await?, wanted.limit);
    let reading = store.read(move |tx| match account {
        Some(account) => store::audit::newest_of(&mut tx.account(account), limit),
        None => store::audit::newest(tx, limit),
    });
    let rows = reading.await?;
    if !wanted.json {
        let rows: Vec<Vec<String>> = rows.iter().map(|read| row(&names, read)).collect();
        let headings = [
            "TIME", "ACCOUNT", "PLACE", "WHO", "WHAT", "TO WHAT", "DETAIL",
        ];
        return columns::print(&headings, &rows);
    }
    let lines = rows.into_iter().map(|row| match row {
        Ok(link) => format!("{}\n", object(&names, &link)),
        Err(Damaged { position, column }) => {
            format!("{}\n", json!({ "position": position, "damaged": column }))
        }
    });
    let text: String = lines.collect();
    let written = io::stdout().write_all(text.as_bytes());
    unless_closed(written.map_err(Into::into))
}

fn row(names: &Names, read: &Result<Link, Damaged>) -> Vec<String> {
    let link = match read {
        Ok(link) => link,
        Err(Damaged { position, column }) => {
            return vec![format!(
                "row {position} cannot be read: its {column} is damaged"
            )];
        }
    };
    vec![
        format!("{:.0}", link.at),
        name(names, link.account),
        link.position.to_string(),
        link.actor.clone(),
        link.action.clone(),
        link.subject.clone(),
        link.detail.clone(),
    ]
}

fn object(names: &Names, link: &Link) -> Value {
    json!({
        "account": link.account.to_string(),
        "account_name": name(names, link.account),
        "position": link.position,
        "at": link.at.to_string(),
        "actor": link.actor,
        "action": link.action,
        "subject_type": link.subject_type,
        "subject": link.subject,
        "detail": serde_json::from_str(&link.detail).unwrap_or(Value::String(link.detail.clone())),
        "previous": hex(&link.previous),
        "hash": hex(&link.hash),
    })
}

type Names = BTreeMap<AccountId, String>;

async fn names(store: &Store) -> Result<Names> {
    let accounts = store.read(store::account::list).await?;
    let named = accounts
        .into_iter()
        .map(|account| (account.id, account.name));
    Ok(named.collect())
}

fn name(names: &Names, account: AccountId) -> String {
    match names.get(&account) {
        Some(name) => name.clone(),
        None if account == INSTALLATION => "(installation)".to_owned(),
        None => account.to_string(),
    }
}

async fn of(store: &Store, wanted: Option<&str>) -> Result<Option<AccountId>> {
    match wanted {
        Some(wanted) => Ok(Some(account::find(store, wanted).await?.id)),
        None => Ok(None),
    }
}
