//! The bare store on SQLite: write-ahead log, full sync, prepared statements.

use std::path::Path;

use anyhow::Result;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::{Event, Received, STATES, State, slim};

const TABLES: &str = "
    pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = full;
    pragma cache_size = -65536; pragma wal_autocheckpoint = 8000;
    create table states (id integer primary key, status text not null, updated_at text not null,
        document text not null) strict;
    create index states_by_status on states (status);
    create index states_by_time on states (updated_at);
    create table events (id integer primary key, key blob not null unique, state integer not null,
        body text not null) strict;
    create table outbox (id integer primary key, state integer not null, version integer not null,
        reference text not null) strict;";

pub(super) struct Bare(Connection);

impl Bare {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut connection = Connection::open(path)?;
        connection.execute_batch(TABLES)?;
        let tx = connection.transaction()?;
        {
            let text = "insert into states values (?1, 'new', '2026-09-01T00:00:00Z', ?2)";
            let mut insert = tx.prepare(text)?;
            for number in 0..STATES {
                insert.execute(params![
                    number,
                    serde_json::to_string(&State::first(number))?
                ])?;
            }
        }
        tx.commit()?;
        connection.execute_batch("pragma wal_checkpoint(truncate)")?;
        Ok(Self(connection))
    }

    pub(super) fn take_in(&mut self, group: &[Received]) -> Result<()> {
        let tx = self
            .0
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for received in group {
            take(&tx, received)?;
        }
        Ok(tx.commit()?)
    }
}

fn take(tx: &Transaction<'_>, received: &Received) -> Result<()> {
    let event: Event<'_> = serde_json::from_str(&received.text)?;
    let slim = slim(&event);
    let insert = "insert into events (key, state, body) values (?1, ?2, ?3) on conflict do nothing";
    let fresh = tx
        .prepare_cached(insert)?
        .execute(params![received.key, received.state, slim])?;
    if fresh == 0 {
        return Ok(());
    }
    let select = "select document from states where id = ?1";
    let document: String = tx
        .prepare_cached(select)?
        .query_row([received.state], |row| row.get(0))?;
    let mut state: State = serde_json::from_str(&document)?;
    state.merge(&event);
    let update = "update states set status = ?2, updated_at = ?3, document = ?4 where id = ?1";
    tx.prepare_cached(update)?.execute(params![
        received.state,
        state.status,
        event.at,
        serde_json::to_string(&state)?,
    ])?;
    let tell = "insert into outbox (state, version, reference) values (?1, ?2, ?3)";
    tx.prepare_cached(tell)?
        .execute(params![received.state, state.version, slim])?;
    Ok(())
}
