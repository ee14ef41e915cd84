//! A bill of lading or booking: what its containers have in common.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::codes::UnLocode;
use crate::container::{ContainerState, Vessel};
use crate::event::EventName;
use crate::journey::Journey;
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
    /// The first estimate of that departure that the line reported.
    pub pol_original_etd: Option<Timestamp>,
    /// Actual departure.
    pub pol_atd: Option<Timestamp>,
    /// Estimated arrival at the port of discharge; `None` once arrived.
    pub pod_eta: Option<Timestamp>,
    /// The first estimate of that arrival that the line reported; stays after arrival.
    pub pod_original_eta: Option<Timestamp>,
    /// Actual arrival.
    pub pod_ata: Option<Timestamp>,
    /// Estimated arrival inland, the line's view; `None` once arrived.
    pub destination_eta: Option<Timestamp>,
    /// The first estimate of that arrival that the line reported; stays after arrival.
    pub destination_original_eta: Option<Timestamp>,
    /// Actual arrival inland, the line's view.
    pub destination_ata: Option<Timestamp>,
    /// Kind of feed behind the shown ETA.
    pub eta_source: Option<SourceKind>,
}

impl ShipmentState {
    /// Whether it is expected at another time than before, at another port, or on another vessel.
    pub fn is_expected_otherwise(&self, before: &Self) -> bool {
        let vessels = before.pod_vessel.as_ref().zip(self.pod_vessel.as_ref());
        self.pod_eta.is_some()
            && (self.pod_eta != before.pod_eta
                || self.port_of_discharge != before.port_of_discharge
                || vessels.is_some_and(|(before, after)| before.differs(after)))
    }
}

/// The shipment's truth from its containers', whatever their order.
///
/// A value that the containers do not agree on is the one most of them hold; among equally many the earliest
/// arrival for times and the lowest code for places, so that the order of containers cannot matter. A call
/// that happened for one container happened for all on the same vessel: where there is an actual arrival, or one of them
/// was put ashore, there is no estimate. Containers that came on another vessel than the shown one have no voice in either. What is
/// shown of a port or of the destination is told by the containers that go there: one ship calls at several, and an
/// arrival at another is none at the shown one.
pub fn shipment_state(containers: &[ContainerState]) -> ShipmentState {
    let journey = |part: fn(&Journey) -> Option<UnLocode>| most(containers, |c| part(&c.journey));
    let port_of_lading = journey(|j| j.port_of_lading);
    let port_of_discharge = journey(|j| j.port_of_discharge);
    let destination = journey(|j| j.destination);
    let going_by = |part: fn(&Journey) -> Option<UnLocode>, shown: Option<UnLocode>| {
        let goes_by =
            move |c: &&ContainerState| part(&c.journey).is_none_or(|own| Some(own) == shown);
        containers.iter().filter(goes_by)
    };
    let from_there = || going_by(|j| j.port_of_lading, port_of_lading);
    let to_there = || going_by(|j| j.port_of_discharge, port_of_discharge);
    let inland_there = || going_by(|j| j.destination, destination);
    let pod_vessel = most(to_there(), |c| c.journey.pod_vessel.clone());
    let on_it = |container: &&ContainerState| {
        let vessels = container
            .journey
            .pod_vessel
            .as_ref()
            .zip(pod_vessel.as_ref());
        !vessels.is_some_and(|(own, shown)| own.differs(shown))
    };
    let pod_ata = most(to_there().filter(on_it), |c| {
        time_of(c, &[EventName::VesselArrived])
    });
    let destination_ata = most(inland_there(), |c| c.inland_by_line.arrived);
    let has_come = |c: &ContainerState| {
        let told = [EventName::VesselBerthed, EventName::VesselDischarged];
        told.into_iter().any(|event| c.milestone(event).is_some())
    };
    let is_over = pod_ata.is_some() || to_there().filter(on_it).any(has_come);
    let eta = most(to_there().filter(on_it), shown_eta).filter(|_| !is_over);
    ShipmentState {
        port_of_lading,
        port_of_lading_terminal: most(from_there(), |c| c.journey.port_of_lading_terminal.clone()),
        port_of_discharge,
        pod_terminal: most(to_there(), |c| c.pickup.pod_terminal.clone()),
        destination,
        destination_terminal: most(inland_there(), |c| c.journey.destination_terminal.clone()),
        pol_etd: most(from_there(), |c| {
            estimate_of(c, EventName::EstimatedVesselDeparted)
        }),
        pol_original_etd: most(from_there(), |c| c.first_estimates.pol_departure),
        pol_atd: most(from_there(), departed_lading),
        pod_eta: eta.map(|(at, _)| at),
        pod_original_eta: most(to_there(), |c| c.first_estimates.pod_arrival),
        pod_ata,
        destination_eta: most(inland_there(), |c| c.inland_by_line.expected)
            .filter(|_| destination_ata.is_none()),
        destination_original_eta: most(inland_there(), |c| c.first_estimates.inland_arrival),
        destination_ata,
        eta_source: eta.map(|(_, source)| source),
        pod_vessel,
    }
}

/// The value that most containers hold; the least one among equals.
fn most<'s, T: Ord>(
    containers: impl IntoIterator<Item = &'s ContainerState>,
    held: impl Fn(&ContainerState) -> Option<T>,
) -> Option<T> {
    let mut votes: BTreeMap<T, usize> = BTreeMap::new();
    for value in containers.into_iter().filter_map(held) {
        *votes.entry(value).or_default() += 1;
    }
    let most = votes.values().copied().max()?;
    votes
        .into_iter()
        .find(|(_, count)| *count == most)
        .map(|(value, _)| value)
}

fn shown_eta(container: &ContainerState) -> Option<(Timestamp, SourceKind)> {
    let estimate = container.estimate(EventName::EstimatedVesselArrived)?;
    Some((estimate.at, estimate.source))
}

fn estimate_of(container: &ContainerState, event: EventName) -> Option<Timestamp> {
    container.estimate(event).map(|estimate| estimate.at)
}

fn time_of(container: &ContainerState, events: &[EventName]) -> Option<Timestamp> {
    events
        .iter()
        .find_map(|event| container.milestone(*event))
        .map(|milestone| milestone.at)
}

/// The departure from the port of lading, which is a transshipment's where a feeder brought the box there.
fn departed_lading(container: &ContainerState) -> Option<Timestamp> {
    let lading = container.journey.port_of_lading;
    let departed = [EventName::VesselDeparted, EventName::TransshipmentDeparted];
    container
        .milestones
        .iter()
        .find(|m| departed.contains(&m.slot.event) && m.slot.place == lading)
        .map(|milestone| milestone.at)
}
