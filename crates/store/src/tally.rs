//! How long an account's lists are, without counting.
//!
//! Every answer of a list tells how many rows there are over all pages, and counting them costs more than reading
//! a page as soon as there are some thousands. So the lengths are kept: a row that comes or goes is noted in the
//! transaction that it belongs to, and the notes of all use cases of one commit are written by its **last
//! statement**, summed and in the order of their keys.
//!
//! That they come last and in order is what keeps them harmless. Every writer of an account meets on its tallies;
//! were they changed where the rows are, two transactions could each hold what the other one waits for. As it is,
//! who waits for a tally holds up nobody who has one. And since each writing thread has rows of its own
//! (`shard`), threads of one node do not wait for each other at all; the length is the sum of the few shards.
//!
//! Nothing but a deleted account takes rows from these lists behind their functions' backs, and then the tallies go
//! too. Of notifications each webhook has a list of its own, since with a deleted one all of them are gone at once.

use std::borrow::Cow;
use std::collections::BTreeMap;

use domain::ids::{AccountId, WebhookId};

use crate::db::{Value, pieces, placeholders, rows_of_values};
use crate::{AccountTx, Error, Tx};

/// A list whose length is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum List {
    Shipments,
    Containers,
    TrackingRequests,
    CustomFields,
    /// Those of one webhook.
    Notifications(WebhookId),
}

impl List {
    /// As stored.
    pub(crate) fn name(self) -> Cow<'static, str> {
        match self {
            Self::Shipments => "shipments".into(),
            Self::Containers => "containers".into(),
            Self::TrackingRequests => "tracking_requests".into(),
            Self::CustomFields => "custom_fields".into(),
            Self::Notifications(webhook) => format!("notifications:{}", webhook.0.simple()).into(),
        }
    }
}

/// What a transaction has counted so far.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// By the use case that runs.
    running: BTreeMap<(AccountId, List), i64>,
    /// By those before it, which are to be committed.
    kept: BTreeMap<(AccountId, List), i64>,
}

impl Tally {
    pub(crate) fn add(&mut self, account: AccountId, list: List, rows: i64) {
        *self.running.entry((account, list)).or_default() += rows;
    }

    /// The use case that ran is to be committed.
    pub(crate) fn keep(&mut self) {
        for (key, rows) in std::mem::take(&mut self.running) {
            *self.kept.entry(key).or_default() += rows;
        }
    }

    /// The use case that ran is not.
    pub(crate) fn forget(&mut self) {
        self.running.clear();
    }

    pub(crate) fn pending(&self, account: AccountId, list: List) -> i64 {
        let of = |counted: &BTreeMap<_, i64>| counted.get(&(account, list)).copied();
        of(&self.running).unwrap_or(0) + of(&self.kept).unwrap_or(0)
    }

    /// Writes it down.
    pub(crate) fn write(self, tx: &mut Tx, shard: i64) -> Result<(), Error> {
        let counted: Vec<_> = self
            .kept
            .into_iter()
            .filter(|(_, rows)| *rows != 0)
            .collect();
        for piece in pieces(&counted) {
            let rows = rows_of_values(1, piece.len(), &["uuid", "text", "bigint", "bigint"]);
            let names: Vec<_> = piece.iter().map(|((_, list), _)| list.name()).collect();
            let values: Vec<Value<'_>> = piece
                .iter()
                .zip(&names)
                .flat_map(|(((account, _), rows), name)| {
                    let (account, name) = (Value::from(*account), Value::from(name.as_ref()));
                    [account, name, shard.into(), (*rows).into()]
                })
                .collect();
            tx.execute(
                &format!(
                    "insert into tallies (account_id, list, shard, rows) values {rows}
                     on conflict (account_id, list, shard)
                     do update set rows = tallies.rows + excluded.rows"
                ),
                &values,
            )?;
        }
        Ok(())
    }
}

/// A column `total` for a statement that reads rows of this list, whose account is `$1`.
pub(crate) fn total_of(list: List) -> String {
    let list = list.name();
    format!(
        "(select coalesce(sum(rows), 0)/*pg ::bigint*/ from tallies
          where account_id = $1 and list = '{list}') as total"
    )
}

/// Rows of the list.
pub(crate) fn length(a: &mut AccountTx, list: List) -> Result<i64, Error> {
    lengths(a, &[list])
}

/// Rows of these lists together.
pub(crate) fn lengths(a: &mut AccountTx, lists: &[List]) -> Result<i64, Error> {
    let mut rows = lists.iter().map(|list| a.uncounted(*list)).sum();
    for piece in pieces(lists) {
        let names: Vec<_> = piece.iter().map(|list| list.name()).collect();
        let names: Vec<Value<'_>> = names
            .iter()
            .map(|name| Value::from(name.as_ref()))
            .collect();
        let places = placeholders(2, names.len());
        let stored = a.query_one(
            &format!(
                "select coalesce(sum(rows), 0)/*pg ::bigint*/ as total from tallies
                 where account_id = $1 and list in ({places})"
            ),
            &names,
            |row| row.get::<i64>("total"),
        )?;
        rows += stored.unwrap_or(0);
    }
    Ok(rows)
}

/// The list is no more, nor is what was in it.
pub(crate) fn forget(a: &mut AccountTx, list: List) -> Result<(), Error> {
    a.execute(
        "delete from tallies where account_id = $1 and list = $2",
        &[list.name().as_ref().into()],
    )?;
    Ok(())
}
