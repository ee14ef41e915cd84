//! Watches: one number asked of one source, shared by every account that tracks it.

use domain::ids::WatchId;
use domain::tracking_request::NumberKind;
use jiff::Timestamp;
use uuid::Uuid;

use crate::{Error, Tx, stub};

/// One number at one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watch {
    /// Its id.
    pub id: WatchId,
    /// The source's profile id.
    pub source: String,
    /// What kind of number.
    pub kind: NumberKind,
    /// The number.
    pub number: String,
    /// When it was first wanted.
    pub created_at: Timestamp,
    /// When it is asked next; `None`: not asked any more.
    pub next_poll_at: Option<Timestamp>,
    /// Failures in a row.
    pub failures: u32,
    /// When it was last asked.
    pub last_attempted_at: Option<Timestamp>,
    /// When an answer last came.
    pub last_succeeded_at: Option<Timestamp>,
    /// When an answer last said something new.
    pub last_changed_at: Option<Timestamp>,
    /// Raised by each claim; results of earlier claims are dropped.
    pub claim_token: i64,
}

/// How a poll ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// When to ask next; `None`: no more.
    pub next_poll_at: Option<Timestamp>,
    /// Failures in a row.
    pub failures: u32,
    /// When it was asked.
    pub attempted_at: Timestamp,
    /// When it answered; `None` leaves the earlier time.
    pub succeeded_at: Option<Timestamp>,
    /// When it said something new; `None` leaves the earlier time.
    pub changed_at: Option<Timestamp>,
}

/// The watch for this source, kind and number: the one that exists, else this one.
pub fn find_or_insert(tx: &mut Tx, watch: &Watch) -> Result<Watch, Error> {
    stub()
}

/// The watch with this id.
pub fn find(tx: &mut Tx, id: WatchId) -> Result<Option<Watch>, Error> {
    stub()
}

/// Leases up to `limit` due watches, longest overdue first, leaving out those of `busy_sources`.
pub fn claim_due(
    tx: &mut Tx,
    now: Timestamp,
    lease_until: Timestamp,
    owner: Uuid,
    limit: u32,
    busy_sources: &[String],
) -> Result<Vec<Watch>, Error> {
    stub()
}

/// Records how a poll ended and gives the lease back; `false` when the claim is no longer the latest.
pub fn settle(tx: &mut Tx, id: WatchId, token: i64, settled: &Settled) -> Result<bool, Error> {
    stub()
}

/// Polls not later than `at`.
pub fn pull_forward(tx: &mut Tx, id: WatchId, at: Timestamp) -> Result<(), Error> {
    stub()
}

/// When the next watch is due.
pub fn next_due(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    stub()
}
