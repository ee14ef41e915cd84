//! Event resources of an account: what was told to the world.

use domain::event::EventName;
use domain::ids::{ContainerId, EventId, ShipmentId};
use jiff::Timestamp;

use crate::{AccountTx, Error, Listed, Page, Slice, stub};

/// An event with its rendered document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// Its type on the wire (`transport_event`, `estimated_event`, …).
    pub resource: String,
    /// Its name.
    pub name: EventName,
    /// The container it is about.
    pub container: Option<ContainerId>,
    /// The shipment it is about.
    pub shipment: Option<ShipmentId>,
    /// The milestone it records, as text.
    pub slot: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it ceased to stand.
    pub invalidated_at: Option<Timestamp>,
    /// The resource object as JSON text.
    pub document: String,
}

/// Adds events.
pub fn insert(a: &mut AccountTx, events: &[Event]) -> Result<(), Error> {
    stub()
}

/// Replaces everything but the id and the time of creation; `false` when there is no such event.
pub fn update(a: &mut AccountTx, event: &Event) -> Result<bool, Error> {
    stub()
}

/// The events of a container that record a milestone and stand, oldest first.
pub fn standing(a: &mut AccountTx, container: ContainerId) -> Result<Vec<Event>, Error> {
    stub()
}

/// The event with this id.
pub fn find(a: &mut AccountTx, id: EventId) -> Result<Option<Event>, Error> {
    stub()
}

/// Ids of the transport events of a container, oldest first.
pub fn ids_of_container(a: &mut AccountTx, container: ContainerId) -> Result<Vec<EventId>, Error> {
    stub()
}

/// The transport events of a container, newest first.
pub fn page_of_container(
    a: &mut AccountTx,
    container: ContainerId,
    slice: Slice,
) -> Result<Page<Listed>, Error> {
    stub()
}

/// The documents of these events, in the order of the ids; unknown ids are left out.
pub fn documents(a: &mut AccountTx, ids: &[EventId]) -> Result<Vec<Listed>, Error> {
    stub()
}
