//! Containers of an account.

use domain::codes::ContainerNumber;
use domain::container::ContainerState;
use domain::ids::{AccountId, ContainerId, ShipmentId};
use jiff::Timestamp;

use crate::{AccountTx, Error, Listed, Page, Slice, Tx, stub};

/// A container with its state and rendered document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// Its id.
    pub id: ContainerId,
    /// The shipment it travels in.
    pub shipment: ShipmentId,
    /// Its number.
    pub number: ContainerNumber,
    /// What we hold true.
    pub state: ContainerState,
    /// The client's references.
    pub ref_numbers: Vec<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Rises by one with each change.
    pub version: i64,
    /// When the passing of time alone may change it.
    pub next_due_at: Option<Timestamp>,
    /// The resource object as JSON text.
    pub document: String,
}

/// Which containers to list; nothing set lists all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerFilter {
    /// Exactly this number.
    pub number: Option<ContainerNumber>,
    /// Any of these statuses; empty: any.
    pub statuses: Vec<String>,
    /// Of this shipment.
    pub shipment: Option<ShipmentId>,
}

/// Adds a container. Conflict when the shipment already has one of this number.
pub fn insert(a: &mut AccountTx, container: &Container) -> Result<(), Error> {
    stub()
}

/// Replaces everything but the id and the time of creation; `false` when there is no such container.
pub fn update(a: &mut AccountTx, container: &Container) -> Result<bool, Error> {
    stub()
}

/// The container with this id.
pub fn find(a: &mut AccountTx, id: ContainerId) -> Result<Option<Container>, Error> {
    stub()
}

/// The containers of a shipment, by number.
pub fn of_shipment(a: &mut AccountTx, shipment: ShipmentId) -> Result<Vec<Container>, Error> {
    stub()
}

/// Containers by time of creation, newest first.
pub fn page(
    a: &mut AccountTx,
    filter: &ContainerFilter,
    slice: Slice,
) -> Result<Page<Listed>, Error> {
    stub()
}

/// The documents of these containers, in the order of the ids; unknown ids are left out.
pub fn documents(a: &mut AccountTx, ids: &[ContainerId]) -> Result<Vec<Listed>, Error> {
    stub()
}

/// Shipments with a container whose time has come, ordered, each once.
pub fn due(
    tx: &mut Tx,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<(AccountId, ShipmentId)>, Error> {
    stub()
}
