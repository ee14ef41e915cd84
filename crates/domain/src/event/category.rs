//! What each event tells, in a sentence, and the groups in which they are shown to people.

use super::EventName;

/// A group of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// What becomes of tracking requests.
    TrackingRequest,
    /// From the depot to the first vessel.
    Origin,
    /// From vessel to vessel.
    Transshipment,
    /// Barges and feeder vessels.
    Feeder,
    /// At the port of discharge, and the end of the way.
    Destination,
    /// On rail.
    Rail,
    /// What is expected.
    Estimated,
    /// What a terminal, line or railroad says about collecting the box.
    ContainerUpdate,
}

impl Category {
    /// All of them, in the order of showing.
    pub const ALL: [Self; 8] = [
        Self::TrackingRequest,
        Self::Origin,
        Self::Transshipment,
        Self::Feeder,
        Self::Destination,
        Self::Rail,
        Self::Estimated,
        Self::ContainerUpdate,
    ];

    /// Its id on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TrackingRequest => "tracking-request-events",
            Self::Origin => "origin-events",
            Self::Transshipment => "transshipment-events",
            Self::Feeder => "feeder-events",
            Self::Destination => "destination-events",
            Self::Rail => "rail-events",
            Self::Estimated => "estimated-events",
            Self::ContainerUpdate => "container-update-events",
        }
    }

    /// What people read.
    pub fn name(self) -> &'static str {
        match self {
            Self::TrackingRequest => "Tracking Request Events",
            Self::Origin => "Origin Events",
            Self::Transshipment => "Transshipment Events",
            Self::Feeder => "Feeder Events",
            Self::Destination => "Destination Events",
            Self::Rail => "Rail Events",
            Self::Estimated => "Estimated Events",
            Self::ContainerUpdate => "Container Update Events",
        }
    }

    /// Its events, in the order of a box's life.
    pub fn events(self) -> impl Iterator<Item = EventName> {
        EventName::ALL
            .into_iter()
            .filter(move |event| event.category() == self)
    }
}

impl EventName {
    /// The group it belongs to.
    pub fn category(self) -> Category {
        use EventName as E;
        match self {
            E::TrackingRequestSucceeded
            | E::TrackingRequestFailed
            | E::TrackingRequestAwaitingManifest
            | E::TrackingRequestTrackingStopped => Category::TrackingRequest,
            E::EmptyOut | E::FullIn | E::VesselLoaded | E::VesselDeparted => Category::Origin,
            E::TransshipmentArrived
            | E::TransshipmentDischarged
            | E::TransshipmentLoaded
            | E::TransshipmentDeparted => Category::Transshipment,
            E::FeederArrived | E::FeederDischarged | E::FeederLoaded | E::FeederDeparted => {
                Category::Feeder
            }
            E::VesselArrived
            | E::VesselBerthed
            | E::VesselDischarged
            | E::Available
            | E::NotAvailable
            | E::FullOut
            | E::Delivered
            | E::EmptyIn => Category::Destination,
            E::RailLoaded
            | E::RailDeparted
            | E::RailArrived
            | E::RailUnloaded
            | E::ArrivedAtInlandDestination => Category::Rail,
            E::EstimatedVesselDeparted
            | E::EstimatedVesselArrived
            | E::EstimatedArrivedAtInlandDestination
            | E::ShipmentEstimatedArrival => Category::Estimated,
            E::ContainerCreated
            | E::ContainerUpdated
            | E::PodTerminalChanged
            | E::PickupLfdChanged
            | E::PickupLfdLineChanged
            | E::PickupLfdTerminalChanged
            | E::PickupLfdRailChanged
            | E::PickupAppointmentChanged => Category::ContainerUpdate,
        }
    }

    /// What it tells, in a sentence.
    pub fn about(self) -> &'static str {
        use EventName as E;
        match self {
            E::TrackingRequestSucceeded => {
                "The line knows the number; its shipment and containers are tracked from now on."
            }
            E::TrackingRequestFailed => "The request ended without a shipment; it says why.",
            E::TrackingRequestAwaitingManifest => {
                "The line has no data on the number yet; it is asked again until it has."
            }
            E::TrackingRequestTrackingStopped => "Nobody is asked about the shipment any more.",
            E::EmptyOut => "The empty box was handed out for loading with cargo.",
            E::FullIn => "The laden box came into the terminal of its departure.",
            E::VesselLoaded => "The box was lifted onto the vessel at the port of lading.",
            E::VesselDeparted => "The vessel left the port of lading with the box aboard.",
            E::VesselArrived => "The vessel reached the port of discharge.",
            E::VesselBerthed => "The vessel lies alongside at the port of discharge.",
            E::VesselDischarged => "The box was lifted off the vessel at the port of discharge.",
            E::TransshipmentArrived => "The vessel reached a port where the box changes vessels.",
            E::TransshipmentDischarged => "The box was lifted off to wait for its next vessel.",
            E::TransshipmentLoaded => "The box was lifted onto its next vessel.",
            E::TransshipmentDeparted => "The next vessel left the port of transshipment.",
            E::FeederArrived => "A feeder or barge reached a port with the box aboard.",
            E::FeederDischarged => "The box was lifted off a feeder or barge.",
            E::FeederLoaded => "The box was lifted onto a feeder or barge.",
            E::FeederDeparted => "A feeder or barge left a port with the box aboard.",
            E::RailLoaded => "The box was put on a rail car.",
            E::RailDeparted => "The train left a ramp with the box.",
            E::RailArrived => "The train reached a ramp, be it the last or one on the way.",
            E::RailUnloaded => "The box was taken off its rail car.",
            E::ArrivedAtInlandDestination => "The box reached the place where its inland way ends.",
            E::FullOut => "The laden box left the last terminal or ramp.",
            E::EmptyIn => "The empty box was given back.",
            E::Available => "The terminal or ramp is ready to hand the box out.",
            E::NotAvailable => {
                "The terminal or ramp, which was ready to hand the box out, will not for now."
            }
            E::Delivered => "The box reached the consignee's door.",
            E::EstimatedVesselDeparted => {
                "The vessel is expected to leave the port of lading at another time than before, or is another one."
            }
            E::EstimatedVesselArrived => {
                "The vessel is expected at the port of discharge at another time than before, or vessel or port is another one."
            }
            E::EstimatedArrivedAtInlandDestination => {
                "The box is expected at the end of its inland way at another time than before."
            }
            E::ShipmentEstimatedArrival => {
                "The shipment is expected at its port of discharge at another time than before, or vessel or port is another one."
            }
            E::ContainerCreated => "A box joined a shipment that was tracked already.",
            E::ContainerUpdated => {
                "Availability, holds, fees, free days, the appointment, the terminal or a time that was told changed; the changeset has old and new."
            }
            E::PodTerminalChanged => "The box will be, or was, discharged at another terminal.",
            E::PickupLfdChanged => "The last free day that counts changed.",
            E::PickupLfdLineChanged => "The line gave another last free day.",
            E::PickupLfdTerminalChanged => "The terminal gave another last free day.",
            E::PickupLfdRailChanged => "The railroad gave another last free day.",
            E::PickupAppointmentChanged => "The appointment to collect the box changed.",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_event_stands_in_one_group_with_a_sentence_of_its_own() {
        let grouped: Vec<EventName> = Category::ALL
            .into_iter()
            .flat_map(Category::events)
            .collect();
        assert_eq!(grouped.len(), EventName::ALL.len());
        let sentences: BTreeSet<&str> = grouped.iter().map(|event| event.about()).collect();
        assert_eq!(sentences.len(), EventName::ALL.len());
        assert!(sentences.iter().all(|sentence| sentence.ends_with('.')));
        assert!(
            Category::ALL
                .iter()
                .all(|group| group.events().next().is_some())
        );
    }
}
