//! Which way a box goes: port of lading, transshipments, port of discharge, inland destination.

use crate::codes::UnLocode;
use crate::container::Vessel;

/// The way of one box, as far as reports tell it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journey {
    /// Port of lading: where it is loaded on the first sea vessel.
    pub port_of_lading: Option<UnLocode>,
    /// Terminal there (our code).
    pub port_of_lading_terminal: Option<String>,
    /// Ports between, in order.
    pub transshipments: Vec<UnLocode>,
    /// Port of discharge: where the last sea vessel leaves it.
    pub port_of_discharge: Option<UnLocode>,
    /// Inland destination; `None` when the way ends at the port of discharge.
    pub destination: Option<UnLocode>,
    /// Terminal or ramp there (our code).
    pub destination_terminal: Option<String>,
    /// Vessel that brings it to the port of discharge.
    pub pod_vessel: Option<Vessel>,
}
