//! Where a container stands in its life (`current_status`).

/// The public values. `loaded` and `dropped` are accepted in filters and never given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CurrentStatus {
    /// Nothing known.
    New,
    /// Aboard, from loading at the port of lading until discharge at the port of discharge.
    OnShip,
    /// Discharged (or off the rail car inland); availability not told.
    Grounded,
    /// Said to be free to collect.
    Available,
    /// Said not to be free to collect, or held.
    NotAvailable,
    /// Discharged, with a way inland still before it.
    AwaitingInlandTransfer,
    /// On rail after the port of discharge.
    OnRail,
    /// Moved to a yard off the dock.
    OffDock,
    /// Collected by truck.
    PickedUp,
    /// Delivered.
    Delivered,
    /// The empty came back; tracking of the box ends.
    EmptyReturned,
}

impl CurrentStatus {
    /// Every value, in the order of a box's life.
    pub const ALL: [Self; 11] = [
        Self::New,
        Self::OnShip,
        Self::Grounded,
        Self::Available,
        Self::NotAvailable,
        Self::AwaitingInlandTransfer,
        Self::OnRail,
        Self::OffDock,
        Self::PickedUp,
        Self::Delivered,
        Self::EmptyReturned,
    ];

    /// Whether it stands where a ship put it ashore, or a train.
    pub(crate) fn is_grounded(self) -> bool {
        matches!(
            self,
            Self::Grounded | Self::Available | Self::NotAvailable | Self::AwaitingInlandTransfer
        )
    }

    /// As on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::OnShip => "on_ship",
            Self::Grounded => "grounded",
            Self::Available => "available",
            Self::NotAvailable => "not_available",
            Self::AwaitingInlandTransfer => "awaiting_inland_transfer",
            Self::OnRail => "on_rail",
            Self::OffDock => "off_dock",
            Self::PickedUp => "picked_up",
            Self::Delivered => "delivered",
            Self::EmptyReturned => "empty_returned",
        }
    }
}
