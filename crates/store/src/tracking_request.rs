//! Requests to track a number.

use domain::codes::Scac;
use domain::ids::{AccountId, ShipmentId, TrackingRequestId, WatchId};
use domain::tracking_request::{NumberKind, Progress, RequestStatus};
use jiff::Timestamp;

use crate::{AccountTx, Error, Listed, Page, Slice, Tx, stub};

/// A request with its rendered document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackingRequest {
    /// Its id.
    pub id: TrackingRequestId,
    /// The number as asked for.
    pub number: String,
    /// The line; `None` until inferred.
    pub scac: Option<Scac>,
    /// Whether the line is to be inferred.
    pub auto_detect: bool,
    /// Where it stands.
    pub progress: Progress,
    /// The watch that answers it.
    pub watch: Option<WatchId>,
    /// The shipment that came of it.
    pub shipment: Option<ShipmentId>,
    /// The client's references.
    pub ref_numbers: Vec<String>,
    /// The client's tags.
    pub tags: Vec<String>,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Rises by one with each change.
    pub version: i64,
    /// The resource object as JSON text.
    pub document: String,
}

/// Which requests to list; nothing set lists all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestFilter {
    /// Any of these; empty: any.
    pub statuses: Vec<RequestStatus>,
    /// Exactly this number.
    pub number: Option<String>,
    /// This line.
    pub scac: Option<Scac>,
    /// This kind of number.
    pub kind: Option<NumberKind>,
    /// Created at or after, and at or before.
    pub created: (Option<Timestamp>, Option<Timestamp>),
    /// Changed at or after, and at or before.
    pub updated: (Option<Timestamp>, Option<Timestamp>),
    /// Part of the number or of a reference.
    pub q: Option<String>,
}

/// Adds a request. Conflict when an open one for the same number and line exists.
pub fn insert(a: &mut AccountTx, request: &TrackingRequest) -> Result<(), Error> {
    stub()
}

/// Replaces everything but the id and the time of creation; `false` when there is no such request.
pub fn update(a: &mut AccountTx, request: &TrackingRequest) -> Result<bool, Error> {
    stub()
}

/// The request with this id.
pub fn find(a: &mut AccountTx, id: TrackingRequestId) -> Result<Option<TrackingRequest>, Error> {
    stub()
}

/// The open request for this number and line.
pub fn find_open(
    a: &mut AccountTx,
    number: &str,
    scac: Option<Scac>,
) -> Result<Option<TrackingRequest>, Error> {
    stub()
}

/// All requests that a watch answers, of all accounts, locked, in id order.
pub fn of_watch(tx: &mut Tx, watch: WatchId) -> Result<Vec<(AccountId, TrackingRequest)>, Error> {
    stub()
}

/// The requests that led to a shipment, oldest first.
pub fn of_shipment(
    a: &mut AccountTx,
    shipment: ShipmentId,
) -> Result<Vec<TrackingRequest>, Error> {
    stub()
}

/// Requests still pending or awaiting a manifest that were created before `created_before`, oldest first.
pub fn overdue(
    tx: &mut Tx,
    created_before: Timestamp,
    limit: u32,
) -> Result<Vec<(AccountId, TrackingRequest)>, Error> {
    stub()
}

/// Requests by time of creation, newest first.
pub fn page(
    a: &mut AccountTx,
    filter: &RequestFilter,
    slice: Slice,
) -> Result<Page<Listed>, Error> {
    stub()
}

/// The documents of these requests, in the order of the ids; unknown ids are left out.
pub fn documents(a: &mut AccountTx, ids: &[TrackingRequestId]) -> Result<Vec<Listed>, Error> {
    stub()
}
