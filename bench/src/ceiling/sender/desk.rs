//! The smallest sender's tables on either engine: messages, an outbox, attempts.

use std::path::Path;

use anyhow::Result;
use postgres::{Client, NoTls, Statement};
use rusqlite::{Connection, TransactionBehavior, params};
use uuid::Uuid;

use super::Note;

/// Writes a group of notes in one durable commit.
pub(super) trait Desk {
    fn write(&mut self, notes: &[Note]) -> Result<()>;
}

pub(super) struct SqliteDesk(Connection);

const SQLITE_TABLES: &str = "
    pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = full;
    pragma cache_size = -65536; pragma wal_autocheckpoint = 8000;
    create table messages (number integer primary key, id blob not null unique, payload blob not null) strict;
    create table outbox (id blob primary key, due integer not null) strict, without rowid;
    create table attempts (number integer primary key, id blob not null, status integer not null) strict;";

impl SqliteDesk {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let connection = Connection::open(path)?;
        connection.execute_batch(SQLITE_TABLES)?;
        Ok(Self(connection))
    }
}

impl Desk for SqliteDesk {
    fn write(&mut self, notes: &[Note]) -> Result<()> {
        let tx = self
            .0
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for note in notes {
            match note {
                Note::Message { id, body, .. } => {
                    tx.prepare_cached("insert into messages (id, payload) values (?1, ?2)")?
                        .execute(params![id.as_bytes(), &body[..]])?;
                    tx.prepare_cached("insert into outbox values (?1, 0)")?
                        .execute([id.as_bytes()])?;
                }
                Note::Attempt { id, status } => {
                    tx.prepare_cached("insert into attempts (id, status) values (?1, ?2)")?
                        .execute(params![id.as_bytes(), status])?;
                    tx.prepare_cached("delete from outbox where id = ?1")?
                        .execute([id.as_bytes()])?;
                }
            }
        }
        Ok(tx.commit()?)
    }
}

pub(super) struct PostgresDesk {
    client: Client,
    messages: Statement,
    outbox: Statement,
    attempts: Statement,
    settled: Statement,
}

const POSTGRES_TABLES: &str = "
    create table messages (id uuid primary key, payload bytea not null);
    create table outbox (id uuid primary key, due bigint not null);
    create table attempts (number bigint generated always as identity primary key, id uuid not null,
        status integer not null);";

impl PostgresDesk {
    pub(super) fn make_tables(url: &str) -> Result<()> {
        Ok(Client::connect(url, NoTls)?.batch_execute(POSTGRES_TABLES)?)
    }

    pub(super) fn open(url: &str) -> Result<Self> {
        let mut client = Client::connect(url, NoTls)?;
        Ok(Self {
            messages: client
                .prepare("insert into messages select * from unnest($1::uuid[], $2::bytea[])")?,
            outbox: client
                .prepare("insert into outbox select id, 0 from unnest($1::uuid[]) as n(id)")?,
            attempts: client.prepare(
                "insert into attempts (id, status) select * from unnest($1::uuid[], $2::int[])",
            )?,
            settled: client.prepare("delete from outbox where id = any($1::uuid[])")?,
            client,
        })
    }
}

impl Desk for PostgresDesk {
    fn write(&mut self, notes: &[Note]) -> Result<()> {
        let (fresh, bodies): (Vec<Uuid>, Vec<&[u8]>) =
            notes.iter().filter_map(Note::message).unzip();
        let (done, statuses): (Vec<Uuid>, Vec<i32>) =
            notes.iter().filter_map(Note::attempt).unzip();
        let mut tx = self.client.transaction()?;
        if !fresh.is_empty() {
            tx.execute(&self.messages, &[&fresh, &bodies])?;
            tx.execute(&self.outbox, &[&fresh])?;
        }
        if !done.is_empty() {
            tx.execute(&self.attempts, &[&done, &statuses])?;
            tx.execute(&self.settled, &[&done])?;
        }
        Ok(tx.commit()?)
    }
}

impl Note {
    fn message(&self) -> Option<(Uuid, &[u8])> {
        match self {
            Self::Message { id, body, .. } => Some((*id, body)),
            Self::Attempt { .. } => None,
        }
    }

    fn attempt(&self) -> Option<(Uuid, i32)> {
        match self {
            Self::Message { .. } => None,
            Self::Attempt { id, status } => Some((*id, i32::from(*status))),
        }
    }
}
