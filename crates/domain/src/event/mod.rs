//! What the world is told: public events are the difference between two states.

mod category;
mod difference;
mod name;

pub use category::Category;
pub use difference::difference;
pub use name::EventName;

use jiff::Timestamp;

use crate::container::{Estimate, Fee, Hold, LastFreeDay, LfdOwner, Milestone};

/// One difference between two states of a container, in the order in which it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A milestone that did not stand before: its event fires.
    Stands(Milestone),
    /// A milestone that stands again at another time, place detail or source, or whose place nobody knew before:
    /// its record changes, its event does not fire again.
    Corrected {
        /// As it stood.
        before: Milestone,
        /// As it stands.
        after: Milestone,
    },
    /// A milestone that no longer stands; nothing takes its place.
    Withdrawn(Milestone),
    /// A milestone that stands under another name or place (a port thought the last was not): the old record
    /// is invalidated, the new event fires and points back to it.
    Replaced {
        /// What stood.
        before: Milestone,
        /// What stands.
        after: Milestone,
    },
    /// An estimate changed by a minute or more, or is the first: `container.transport.estimated.*`.
    Estimated(Estimate),
    /// A source's last free day changed: `container.pickup_lfd_{line,terminal,rail}.changed`.
    LastFreeDay(LfdOwner, Option<LastFreeDay>),
    /// The coalesced last free day changed: `container.pickup_lfd.changed`.
    CoalescedLastFreeDay(Option<LastFreeDay>),
    /// `container.pickup_appointment.changed`.
    Appointment(Option<Timestamp>),
    /// The terminal of discharge changed: `container.pod_terminal_changed` (our terminal codes).
    PodTerminal {
        /// Before.
        before: Option<String>,
        /// After.
        after: Option<String>,
    },
    /// `container.updated`: everything one reading changed, in one changeset, never empty.
    Updated(Vec<Attribute>),
}

/// One member of a changeset: the attribute with its old and new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// `available_for_pickup`
    AvailableForPickup(Option<bool>, Option<bool>),
    /// `pickup_lfd`, coalesced.
    PickupLfd(Option<LastFreeDay>, Option<LastFreeDay>),
    /// `pickup_lfd_line`, `pickup_lfd_terminal`, `pickup_lfd_rail`
    PickupLfdOf(LfdOwner, Option<LastFreeDay>, Option<LastFreeDay>),
    /// `holds_at_pod_terminal`
    Holds(Vec<Hold>, Vec<Hold>),
    /// `fees_at_pod_terminal`
    Fees(Vec<Fee>, Vec<Fee>),
    /// `pickup_appointment_at`
    PickupAppointment(Option<Timestamp>, Option<Timestamp>),
    /// `pod_terminal` (our terminal codes)
    PodTerminal(Option<String>, Option<String>),
    /// A time of a milestone was corrected or withdrawn: the container attribute it fills
    /// (`pod_discharged_at`), old and new.
    MilestoneTime(&'static str, Option<Timestamp>, Option<Timestamp>),
}
