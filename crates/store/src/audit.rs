//! The audit's chains: rows that are added and never changed, and the head of each chain.
//!
//! Whoever notes something says so in the middle of its transaction; the row is written with the transaction's last
//! statements, with those of all use cases of the same commit, and is gone with a use case that fails. Only then the
//! chain's head is taken, and held until the commit: two that write to one chain come one after the other, whatever
//! node they are on, and whoever holds a head waits for nothing but tallies. Several heads are taken in the order of
//! their accounts.
//!
//! A head that is gone, or was set back, would have every change of its account refused: nobody could take away a key
//! that leaked. So the chain then goes on behind a gap, which stays and is found.

use domain::audit::{Entry, Head, INSTALLATION, Link};
use domain::ids::AccountId;

use crate::db::{Row, Value};
use crate::{AccountTx, Error, Tx};

/// What a transaction has noted so far.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// By the use case that runs.
    running: Vec<(AccountId, Entry)>,
    /// By those before it, which are to be committed.
    kept: Vec<(AccountId, Entry)>,
}

impl Notes {
    /// The use case that ran is to be committed.
    pub(crate) fn keep(&mut self) {
        self.kept.append(&mut self.running);
    }

    /// The use case that ran is not.
    pub(crate) fn forget(&mut self) {
        self.running.clear();
    }

    /// Writes them down, each behind the last of its chain.
    pub(crate) fn write(mut self, tx: &mut Tx) -> Result<(), Error> {
        // What one account noted stays in the order in which it came.
        self.kept.sort_by_key(|(account, _)| *account);
        for of_one in self.kept.chunk_by(|(one, _), (next, _)| one == next) {
            let Some((account, _)) = of_one.first() else {
                continue;
            };
            let entries = of_one.iter().map(|(_, entry)| entry);
            append(&mut tx.account(*account), entries)?;
        }
        Ok(())
    }
}

/// Notes a change of the account, in its transaction.
pub fn note(a: &mut AccountTx, entry: Entry) {
    let account = a.account();
    a.afterwards().audit.running.push((account, entry));
}

fn append<'e>(a: &mut AccountTx, entries: impl Iterator<Item = &'e Entry>) -> Result<(), Error> {
    let mut head = take(a)?;
    for entry in entries {
        let link = head.next(a.account(), entry);
        insert(a, &link)?;
        head = link.head();
    }
    a.execute(
        "update audit_heads set position = $2, hash = $3 where account_id = $1",
        &[head.position.into(), (&head.hash).into()],
    )?;
    Ok(())
}

/// The head of the chain, held until the transaction ends. Behind rows that the head does not know a place is left free.
fn take(a: &mut AccountTx) -> Result<Head, Error> {
    let mut held = hold(a)?;
    if held.is_none() {
        a.execute(
            "insert into audit_heads (account_id, position, hash) values ($1, $2, $3)
             on conflict (account_id) do nothing",
            &[Head::START.position.into(), (&Head::START.hash).into()],
        )?;
        held = hold(a)?;
    }
    let head = held.ok_or_else(|| Error::Refused("a chain has no head".into()))?;
    let unknown = last(a)?.filter(|last| *last > head.position);
    Ok(Head {
        position: unknown.map_or(head.position, |last| last.saturating_add(1)),
        ..head
    })
}

fn hold(a: &mut AccountTx) -> Result<Option<Head>, Error> {
    let held = a.locking(
        "select position, hash from audit_heads where account_id = $1 /*pg for update*/",
        &[],
        read_head,
    )?;
    Ok(held.into_iter().next())
}

fn insert(a: &mut AccountTx, link: &Link) -> Result<(), Error> {
    a.execute(
        "insert into audit (account_id, position, created_at, actor, action, subject_type,
             subject_id, detail, previous, hash)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        &[
            link.position.into(),
            link.at.into(),
            (&link.actor).into(),
            (&link.action).into(),
            (&link.subject_type).into(),
            (&link.subject).into(),
            (&link.detail).into(),
            (&link.previous).into(),
            (&link.hash).into(),
        ],
    )?;
    Ok(())
}

/// A row that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Its place.
    pub position: i64,
    /// The first of its columns that holds what it must not.
    pub column: String,
}

/// The head of the account's chain.
pub fn head(a: &mut AccountTx) -> Result<Option<Head>, Error> {
    a.query_one(
        "select position, hash from audit_heads where account_id = $1",
        &[],
        read_head,
    )
}

/// Position of the last row of the account's chain, whatever its head says.
pub fn last(a: &mut AccountTx) -> Result<Option<i64>, Error> {
    a.query_one(
        "select position from audit where account_id = $1 order by position desc limit 1",
        &[],
        |row| row.get("position"),
    )
}

/// Rows of the account's chain behind `after`, or from its first, in their order.
pub fn links(
    a: &mut AccountTx,
    after: Option<i64>,
    limit: u32,
) -> Result<Vec<Result<Link, Damaged>>, Error> {
    a.query(
        &format!(
            "select {COLUMNS} from audit where account_id = $1 and position > $2
             order by position limit $3"
        ),
        &[after.unwrap_or(i64::MIN).into(), limit.into()],
        read,
    )
}

/// The newest rows of the account's chain, newest first.
pub fn newest_of(a: &mut AccountTx, limit: u32) -> Result<Vec<Result<Link, Damaged>>, Error> {
    a.query(
        &format!(
            "select {COLUMNS} from audit where account_id = $1 order by position desc limit $2"
        ),
        &[limit.into()],
        read,
    )
}

/// The newest rows of all chains, newest first.
pub fn newest(tx: &mut Tx, limit: u32) -> Result<Vec<Result<Link, Damaged>>, Error> {
    tx.query(
        &format!(
            "select {COLUMNS} from audit
             order by created_at desc, account_id desc, position desc limit $1"
        ),
        &[limit.into()],
        read,
    )
}

/// Rows and heads that are in no chain: nobody can read whose they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strays {
    /// Rows.
    pub rows: u64,
    /// Heads.
    pub heads: u64,
}

/// The next account behind `after` that has a head or rows, or both; the installation's chain is the first. With it what
/// stands between the two, which is whatever has an account that cannot be read.
pub fn next_chain(
    tx: &mut Tx,
    after: Option<AccountId>,
) -> Result<(Option<AccountId>, Strays), Error> {
    let next = match after {
        None => Some(INSTALLATION),
        Some(after) => [
            first_behind(tx, "audit_heads", after)?,
            first_behind(tx, "audit", after)?,
        ]
        .into_iter()
        .flatten()
        .min(),
    };
    let strays = Strays {
        rows: between(tx, "audit", after, next)?,
        heads: between(tx, "audit_heads", after, next)?,
    };
    Ok((next, strays))
}

/// Passes by ids that are too short or too long. Only an embedded store can hold such: there the bytes are counted, on
/// PostgreSQL the letters of what is always an id.
fn first_behind(
    tx: &mut Tx,
    table: &'static str,
    after: AccountId,
) -> Result<Option<AccountId>, Error> {
    tx.query_one(
        &format!(
            "select account_id from {table}
             where account_id > $1 and length(account_id/*pg ::text*/) = 16/*pg + 20*/
             order by account_id limit 1"
        ),
        &[after.into()],
        |row| row.id::<AccountId>("account_id"),
    )
}

/// How many rows of the table stand behind one account and before the next.
fn between(
    tx: &mut Tx,
    table: &'static str,
    after: Option<AccountId>,
    next: Option<AccountId>,
) -> Result<u64, Error> {
    let (bounds, values): (&str, Vec<Value<'_>>) = match (after, next) {
        (None, None) => return Ok(0),
        (None, Some(next)) => ("account_id < $1", vec![next.into()]),
        (Some(after), None) => ("account_id > $1", vec![after.into()]),
        (Some(after), Some(next)) => (
            "account_id > $1 and account_id < $2",
            vec![after.into(), next.into()],
        ),
    };
    let text = format!("select count(*) as strays from {table} where {bounds}");
    let found = tx.query_one(&text, &values, |row| row.count("strays"))?;
    Ok(found.map_or(0, u64::from))
}

const COLUMNS: &str = "account_id, position, created_at, actor, action, subject_type, subject_id, \
     detail, previous, hash";

/// A hash that is none is no row's: the walk says so, and nobody is kept from going on.
fn read_head(row: &Row<'_>) -> Result<Head, Error> {
    Ok(Head {
        position: row.get("position")?,
        hash: row.digest("hash").unwrap_or_default(),
    })
}

/// A row that somebody has damaged is one to be told of, and hides none of the others.
fn read(row: &Row<'_>) -> Result<Result<Link, Damaged>, Error> {
    match read_link(row) {
        Ok(link) => Ok(Ok(link)),
        Err(Error::Unreadable { column, .. }) => Ok(Err(Damaged {
            position: row.get("position")?,
            column,
        })),
        Err(other) => Err(other),
    }
}

fn read_link(row: &Row<'_>) -> Result<Link, Error> {
    Ok(Link {
        account: row.id("account_id")?,
        position: row.get("position")?,
        at: row.get("created_at")?,
        actor: row.get("actor")?,
        action: row.get("action")?,
        subject_type: row.get("subject_type")?,
        subject: row.get("subject_id")?,
        detail: row.get("detail")?,
        previous: row.digest("previous")?,
        hash: row.digest("hash")?,
    })
}
