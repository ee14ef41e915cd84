//! Reports: every reading of every claim, for good.

use domain::ids::{RawMessageId, ReportId, WatchId};
use domain::report::Report;
use jiff::Timestamp;

use crate::{Error, Tx, stub};

/// A report as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReport {
    /// Its id.
    pub id: ReportId,
    /// The watch it came by.
    pub watch: WatchId,
    /// Insertion order inside the watch, from 0.
    pub index: i64,
    /// What was claimed.
    pub report: Report,
    /// When it was stored first.
    pub created_at: Timestamp,
}

/// Stores readings; one that the watch already holds only has its last sight renewed. How many were new.
pub fn insert(
    tx: &mut Tx,
    watch: WatchId,
    raw: RawMessageId,
    reports: &[(ReportId, Report)],
    now: Timestamp,
) -> Result<usize, Error> {
    stub()
}

/// All reports of these watches, by id.
pub fn of_watches(tx: &mut Tx, watches: &[WatchId]) -> Result<Vec<StoredReport>, Error> {
    stub()
}
