//! Shipments of an account, and the watches that feed them.

use domain::codes::Scac;
use domain::ids::{AccountId, ShipmentId, WatchId};
use domain::shipment::ShipmentState;
use domain::tracking_request::NumberKind;
use jiff::Timestamp;

use crate::{AccountTx, Error, Listed, Page, Slice, Tx, stub};

/// A shipment with its state and rendered document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shipment {
    /// Its id.
    pub id: ShipmentId,
    /// Its number as asked for.
    pub number: String,
    /// The number without the line's prefix and separators.
    pub normalized_number: String,
    /// The line.
    pub scac: Scac,
    /// What kind of number.
    pub kind: NumberKind,
    /// What we hold true.
    pub state: ShipmentState,
    /// The client's references.
    pub ref_numbers: Vec<String>,
    /// The client's tags.
    pub tags: Vec<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Rises by one with each change.
    pub version: i64,
    /// When the line was last asked.
    pub line_attempted_at: Option<Timestamp>,
    /// When the line last answered.
    pub line_succeeded_at: Option<Timestamp>,
    /// When and why tracking stopped.
    pub stopped: Option<(Timestamp, String)>,
    /// The resource object as JSON text.
    pub document: String,
}

/// Which shipments to list; nothing set lists all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShipmentFilter {
    /// Part of the number, a reference, or the number of one of its containers.
    pub q: Option<String>,
    /// Exactly this number.
    pub number: Option<String>,
    /// Only those whose tracking stopped, or only the others.
    pub tracking_stopped: Option<bool>,
}

/// Adds a shipment.
pub fn insert(a: &mut AccountTx, shipment: &Shipment) -> Result<(), Error> {
    stub()
}

/// Replaces everything but the id and the time of creation; `false` when there is no such shipment.
pub fn update(a: &mut AccountTx, shipment: &Shipment) -> Result<bool, Error> {
    stub()
}

/// The shipment with this id.
pub fn find(a: &mut AccountTx, id: ShipmentId) -> Result<Option<Shipment>, Error> {
    stub()
}

/// The shipment with this id, locked until the end of the transaction.
pub fn lock(a: &mut AccountTx, id: ShipmentId) -> Result<Option<Shipment>, Error> {
    stub()
}

/// The shipment of this number and line whose tracking has not stopped.
pub fn find_tracked(
    a: &mut AccountTx,
    number: &str,
    scac: Scac,
) -> Result<Option<Shipment>, Error> {
    stub()
}

/// Lets a watch feed a shipment; once is enough.
pub fn link_watch(a: &mut AccountTx, shipment: ShipmentId, watch: WatchId) -> Result<(), Error> {
    stub()
}

/// The watches that feed a shipment.
pub fn watches_of(a: &mut AccountTx, shipment: ShipmentId) -> Result<Vec<WatchId>, Error> {
    stub()
}

/// The shipments that a watch feeds, of all accounts, ordered.
pub fn of_watch(tx: &mut Tx, watch: WatchId) -> Result<Vec<(AccountId, ShipmentId)>, Error> {
    stub()
}

/// Shipments by time of creation, newest first.
pub fn page(
    a: &mut AccountTx,
    filter: &ShipmentFilter,
    slice: Slice,
) -> Result<Page<Listed>, Error> {
    stub()
}

/// The documents of these shipments, in the order of the ids; unknown ids are left out.
pub fn documents(a: &mut AccountTx, ids: &[ShipmentId]) -> Result<Vec<Listed>, Error> {
    stub()
}
