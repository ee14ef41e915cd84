//! Deliveries: claimed by lease, settled in bulk, in order per endpoint and container.

use domain::ids::{AccountId, NotificationId};
use domain::webhook::Verdict;
use jiff::Timestamp;
use uuid::Uuid;

use crate::notification::Notification;
use crate::{AccountTx, Error, Tx, stub};

/// A delivery leased to the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// Whose it is.
    pub account: AccountId,
    /// What to deliver.
    pub notification: Notification,
    /// Where to.
    pub url: String,
    /// The signing secret, sealed.
    pub secret: Vec<u8>,
    /// Extra headers, sealed; empty when there are none.
    pub headers: Vec<u8>,
    /// Number of this attempt, from 1.
    pub attempt: u32,
    /// Refusals in a row before this attempt.
    pub refusals_in_a_row: u32,
    /// Shown when settling.
    pub claim_token: i64,
    /// The body, when it was rendered before.
    pub body: Option<String>,
}

/// One attempt, for people to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// From 1.
    pub number: u32,
    /// When it began.
    pub started_at: Timestamp,
    /// How long it took.
    pub duration_ms: u32,
    /// HTTP status of the answer.
    pub status: Option<u16>,
    /// Why it failed.
    pub reason: Option<String>,
    /// Headers of the answer, shortened.
    pub response_headers: String,
    /// Body of the answer, shortened.
    pub response_body: String,
}

/// How a claimed delivery went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Which.
    pub notification: NotificationId,
    /// From the claim; an outcome of an earlier claim is dropped.
    pub claim_token: i64,
    /// What happened.
    pub attempt: Attempt,
    /// What follows.
    pub verdict: Verdict,
    /// Refusals in a row, this attempt included.
    pub refusals_in_a_row: u32,
}

/// Leases up to `limit` due deliveries, fairly over webhooks; never one with an earlier open delivery of
/// the same webhook and order key.
pub fn claim_due(
    tx: &mut Tx,
    now: Timestamp,
    lease_until: Timestamp,
    owner: Uuid,
    limit: u32,
) -> Result<Vec<Claimed>, Error> {
    stub()
}

/// Keeps rendered bodies; the first one stays.
pub fn store_bodies(tx: &mut Tx, bodies: &[(NotificationId, String)]) -> Result<(), Error> {
    stub()
}

/// Records outcomes. How many counted; those of a claim that is no longer the latest are dropped.
pub fn settle(tx: &mut Tx, outcomes: &[Outcome]) -> Result<usize, Error> {
    stub()
}

/// When the next delivery to an active webhook is due.
pub fn next_due(tx: &mut Tx) -> Result<Option<Timestamp>, Error> {
    stub()
}

/// How many deliveries are open.
pub fn open_count(tx: &mut Tx) -> Result<u64, Error> {
    stub()
}

/// The attempts of a notification, first to last.
pub fn attempts(a: &mut AccountTx, id: NotificationId) -> Result<Vec<Attempt>, Error> {
    stub()
}
