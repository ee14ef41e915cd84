//! A PostgreSQL of their own for tests, started by the tests themselves.
//!
//! One server is shared by everything that runs at the same time, also by processes (a test runner may start
//! one per test), and each [`PgServer`] is a database of its own on it. Who uses the server holds a shared
//! lock on a file, which the kernel takes back however the process ends; a small watchdog stops the server
//! and removes its data when nobody has held the lock for some seconds. It listens on a private socket only.
//!
//! A missing PostgreSQL is an error and not a reason to skip: half of what the store promises would go
//! unproved.

mod server;
mod side_door;

pub use side_door::{Unchanged, tamper};

use std::fs::File;
use std::sync::atomic::{AtomicU32, Ordering};

/// An empty database on a PostgreSQL that lives as long as tests use it. Dropping it removes the database.
#[derive(Debug)]
pub struct PgServer {
    name: String,
    address: server::Address,
    /// Shared: the server stays up while anybody holds it.
    _in_use: File,
}

/// Why there is no PostgreSQL to test on.
#[derive(Debug, thiserror::Error)]
#[error(
    "tests need PostgreSQL 15 or newer (initdb and postgres in /usr/lib/postgresql/*/bin or on \
     PATH), and an ordinary user `postgres` when they run as root: {0}"
)]
pub struct NoPostgres(String);

impl PgServer {
    /// An empty database; the server is started when it does not run. Blocks, and must not be called where
    /// async code runs.
    pub fn start() -> Result<Self, NoPostgres> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let (address, in_use) = server::running()?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{number}", std::process::id());
        server::administer(
            &address,
            &[&format!("drop database if exists {name} with (force)")],
        )?;
        server::administer(&address, &[&format!("create database {name}")])?;
        Ok(Self {
            name,
            address,
            _in_use: in_use,
        })
    }

    /// Where the database is, as `--database` takes it.
    pub fn url(&self) -> String {
        self.address.url(&self.name)
    }

    /// Runs statements as the administrator of the database, one after the other.
    pub fn administer(&self, statements: &[&str]) -> Result<(), NoPostgres> {
        server::administer_in(&self.address, &self.name, statements)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for PgServer {
    fn drop(&mut self) {
        let drop = format!("drop database if exists {} with (force)", self.name);
        // The watchdog removes what is left.
        let _ = server::administer(&self.address, &[&drop]);
    }
}
