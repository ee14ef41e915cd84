//! Reads on SQLite: inline, on connections that are taken for the time of one snapshot.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::job::guarded;
use super::sqlite::Connection;
use super::tx::Engine;
use super::{Tx, backup};
use crate::Error;

/// Connections kept open.
const IDLE_MAX: usize = 8;

/// Reading connections of a SQLite file: as many as threads read at once, the warmest on top.
pub(super) struct Readers {
    path: PathBuf,
    /// Whether the file is somebody else's.
    beside: bool,
    idle: Mutex<Vec<Tx>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            beside: false,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// The same for one who does not have the file to himself, and leaves everything as it is.
    pub(super) fn beside(path: PathBuf) -> Self {
        Self {
            beside: true,
            ..Self::new(path)
        }
    }

    /// Where the file lies.
    pub(super) fn folder(&self) -> Option<&Path> {
        let folder = self.path.parent()?;
        Some(if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        })
    }

    pub(super) fn read<T, E, F>(&self, mut query: F) -> Result<T, E>
    where
        F: FnMut(&mut Tx) -> Result<T, E>,
        E: From<Error>,
    {
        let mut tx = self.take()?;
        begin(&mut tx)?;
        let result = guarded(&mut query, &mut tx);
        // Only a connection that is certainly out of its snapshot is used again.
        if end(&mut tx).is_ok() {
            self.give_back(tx);
        }
        result
    }

    fn take(&self) -> Result<Tx, Error> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        if let Some(tx) = idle {
            return Ok(tx);
        }
        let connection = Connection::reader(&self.path)?;
        if self.beside && backup::has_log(&self.path) {
            connection.leave_log()?;
        }
        Ok(Tx::over(Engine::Sqlite(Box::new(connection)), true))
    }

    fn give_back(&self, tx: Tx) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_MAX {
            idle.push(tx);
        }
    }
}

fn begin(tx: &mut Tx) -> Result<(), Error> {
    tx.fresh();
    tx.sqlite().map_or(Ok(()), |connection| {
        connection.start_clock();
        connection.word("begin")
    })
}

fn end(tx: &mut Tx) -> Result<(), Error> {
    tx.sqlite().map_or(Ok(()), |connection| {
        connection.stop_clock();
        connection.word("rollback")
    })
}
