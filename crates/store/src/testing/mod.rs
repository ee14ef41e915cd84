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

pub use side_door::{Unchanged, scratch_table, tamper};

use std::fs::File;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Longest wait until somebody waits for a lock, and the time between two looks.
const WAITING_MAX: Duration = Duration::from_mins(1);
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Of the stores of tests: nobody's lock or statement runs out because the machine stood still.
pub const PATIENCE: u32 = 15;

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

    /// Blocks until so many sessions wait for what others hold: whoever is to come second has come.
    pub fn until_waiting(&self, sessions: u32) -> Result<(), NoPostgres> {
        let fewer = format!(
            "do $$ begin if (select count(*) from pg_stat_activity
                 where datname = current_database() and wait_event_type = 'Lock') < {sessions}
             then raise exception 'fewer than {sessions} wait'; end if; end $$"
        );
        let began = Instant::now();
        loop {
            match self.administer(&[&fewer]) {
                Err(_) if began.elapsed() < WAITING_MAX => std::thread::sleep(LOOK_EVERY),
                looked => return looked,
            }
        }
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
