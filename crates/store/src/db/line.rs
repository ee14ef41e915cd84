//! A connection to PostgreSQL that is made again when it is lost.

use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Tx;
use super::job::{Job, Ran};
use super::postgres::{Commit, Connector};
use super::told::Told;
use crate::Error;

/// Wait before the second try to connect; doubles.
const BACK_OFF_MIN: Duration = Duration::from_millis(50);
/// Wait between tries to connect at most.
const BACK_OFF_MAX: Duration = Duration::from_secs(2);

/// A connection that is made again when it is lost.
pub(super) struct Line {
    connector: Connector,
    tx: Option<Tx>,
    back_off: Duration,
    not_before: Instant,
    read_only: bool,
}

impl Line {
    pub(super) fn new(connector: Connector, read_only: bool) -> Self {
        Self {
            connector,
            tx: None,
            back_off: BACK_OFF_MIN,
            not_before: Instant::now(),
            read_only,
        }
    }

    /// Makes the connection when there is none.
    pub(super) fn connect(&mut self) -> Result<(), Error> {
        self.tx().map(drop)
    }

    pub(super) fn is_connected(&self) -> bool {
        self.tx.is_some()
    }

    /// For how long it is not tried again to connect; `None` where the last try did not fail.
    pub(super) fn rests_for(&self) -> Option<Duration> {
        let has_failed = self.tx.is_none() && self.back_off > BACK_OFF_MIN;
        has_failed.then(|| self.not_before.saturating_duration_since(Instant::now()))
    }

    /// The connection, made when there is none. While the server does not answer, callers are refused at once
    /// and it is tried again no more often than the back-off says.
    fn tx(&mut self) -> Result<&mut Tx, Error> {
        if self.tx.is_none() {
            if Instant::now() < self.not_before {
                return Err(Error::Unavailable("PostgreSQL does not answer".into()));
            }
            match self.connector.connect(self.read_only) {
                Ok(tx) => {
                    self.back_off = BACK_OFF_MIN;
                    self.tx = Some(tx);
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot connect to PostgreSQL");
                    self.not_before = Instant::now() + self.back_off;
                    self.back_off = (self.back_off * 2).min(BACK_OFF_MAX);
                    return Err(error);
                }
            }
        }
        self.tx.as_mut().ok_or(Error::Poisoned)
    }

    /// Sends words that begin, divide and end transactions. An error closes the connection.
    pub(super) fn words(&mut self, words: &str) -> Result<(), Error> {
        let said = self.tx().and_then(|tx| match tx.postgres() {
            Some(connection) => connection.words(words),
            None => Ok(()),
        });
        if said.is_err() {
            self.tx = None;
        }
        said
    }

    pub(super) fn commit(&mut self) -> Commit {
        let commit = match self.tx.as_mut().and_then(Tx::postgres) {
            Some(connection) => connection.commit(),
            None => Commit::Failed(Error::Poisoned),
        };
        match commit {
            Commit::Done => self.note_a_commit(),
            Commit::Unknown => self.tx = None,
            Commit::Failed(_) => {}
        }
        commit
    }

    /// A use case was refused by a server that takes none, or is not there. What was run again on a new connection was not.
    pub(super) fn note_a_refusal(&self, error: &Error) {
        if self.told().refused(Instant::now()).is_some() {
            tracing::error!(%error, "PostgreSQL takes no writes");
        }
    }

    fn note_a_commit(&self) {
        if self.told().taken(Instant::now()).is_some() {
            tracing::warn!("PostgreSQL takes writes again");
        }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        let told = self.connector.told.lock();
        told.unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn roll_back(&mut self) {
        if self.tx.is_some()
            && let Err(error) = self.words("rollback")
        {
            tracing::warn!(%error, "rollback failed; connecting anew");
        }
    }

    pub(super) fn run(&mut self, job: &mut Job) -> Result<Ran, Error> {
        let tx = self.tx()?;
        let ran = job.run(tx);
        let failure = tx.failure().cloned();
        let closed = tx
            .postgres()
            .is_some_and(|connection| connection.is_closed());
        if let Some(error @ Error::Unavailable(_)) = failure {
            self.tx = None;
            return Err(error);
        }
        if closed {
            self.tx = None;
            return Err(Error::Unavailable("the connection was lost".into()));
        }
        Ok(ran)
    }

    /// Runs a read without a snapshot; whether one statement was enough.
    pub(super) fn glance(&mut self, job: &mut Job) -> Result<bool, Error> {
        self.tx()?.glance();
        let ran = self.run(job);
        let too_short = self.tx.as_ref().is_some_and(Tx::too_short);
        if let Some(tx) = &mut self.tx {
            tx.snapshot();
        }
        ran.map(|_| !too_short)
    }

    /// A transaction has begun.
    pub(super) fn begin(&mut self, words: &str) -> Result<(), Error> {
        self.words(words)?;
        self.tx()?.begin_afterwards();
        Ok(())
    }

    /// The last statements before the commit.
    pub(super) fn write_afterwards(&mut self, shard: i64) -> Result<(), Error> {
        let written = self.tx()?.write_afterwards(shard);
        if let Err(Error::Unavailable(_)) = &written {
            self.tx = None;
        }
        written
    }

    pub(super) fn stained(&self) -> bool {
        self.tx.as_ref().is_some_and(Tx::stained)
    }

    pub(super) fn contended(&self) -> bool {
        let failure = self.tx.as_ref().and_then(Tx::failure);
        matches!(failure, Some(Error::Contended { .. }))
    }
}
