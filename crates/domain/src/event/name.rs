//! Names of everything we tell the world: the 41 public events.

/// A public event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventName {
    /// `tracking_request.succeeded`
    TrackingRequestSucceeded,
    /// `tracking_request.failed`
    TrackingRequestFailed,
    /// `tracking_request.awaiting_manifest`
    TrackingRequestAwaitingManifest,
    /// `tracking_request.tracking_stopped`
    TrackingRequestTrackingStopped,
    /// `container.transport.empty_out`
    EmptyOut,
    /// `container.transport.full_in`
    FullIn,
    /// `container.transport.vessel_loaded`
    VesselLoaded,
    /// `container.transport.vessel_departed`
    VesselDeparted,
    /// `container.transport.vessel_arrived`
    VesselArrived,
    /// `container.transport.vessel_berthed`
    VesselBerthed,
    /// `container.transport.vessel_discharged`
    VesselDischarged,
    /// `container.transport.transshipment_arrived`
    TransshipmentArrived,
    /// `container.transport.transshipment_discharged`
    TransshipmentDischarged,
    /// `container.transport.transshipment_loaded`
    TransshipmentLoaded,
    /// `container.transport.transshipment_departed`
    TransshipmentDeparted,
    /// `container.transport.feeder_arrived`
    FeederArrived,
    /// `container.transport.feeder_discharged`
    FeederDischarged,
    /// `container.transport.feeder_loaded`
    FeederLoaded,
    /// `container.transport.feeder_departed`
    FeederDeparted,
    /// `container.transport.rail_loaded`
    RailLoaded,
    /// `container.transport.rail_departed`
    RailDeparted,
    /// `container.transport.rail_arrived`
    RailArrived,
    /// `container.transport.rail_unloaded`
    RailUnloaded,
    /// `container.transport.arrived_at_inland_destination`
    ArrivedAtInlandDestination,
    /// `container.transport.full_out`
    FullOut,
    /// `container.transport.empty_in`
    EmptyIn,
    /// `container.transport.available`
    Available,
    /// `container.transport.not_available`
    NotAvailable,
    /// `container.transport.delivered`
    Delivered,
    /// `container.transport.estimated.vessel_departed`
    EstimatedVesselDeparted,
    /// `container.transport.estimated.vessel_arrived`
    EstimatedVesselArrived,
    /// `container.transport.estimated.arrived_at_inland_destination`
    EstimatedArrivedAtInlandDestination,
    /// `shipment.estimated.arrival`
    ShipmentEstimatedArrival,
    /// `container.created`
    ContainerCreated,
    /// `container.updated`
    ContainerUpdated,
    /// `container.pod_terminal_changed`
    PodTerminalChanged,
    /// `container.pickup_lfd.changed`
    PickupLfdChanged,
    /// `container.pickup_lfd_line.changed`
    PickupLfdLineChanged,
    /// `container.pickup_lfd_terminal.changed`
    PickupLfdTerminalChanged,
    /// `container.pickup_lfd_rail.changed`
    PickupLfdRailChanged,
    /// `container.pickup_appointment.changed`
    PickupAppointmentChanged,
}

impl EventName {
    /// All of them, in the order of a container's life.
    pub const ALL: [Self; 41] = [
        Self::TrackingRequestSucceeded,
        Self::TrackingRequestFailed,
        Self::TrackingRequestAwaitingManifest,
        Self::TrackingRequestTrackingStopped,
        Self::EmptyOut,
        Self::FullIn,
        Self::VesselLoaded,
        Self::VesselDeparted,
        Self::VesselArrived,
        Self::VesselBerthed,
        Self::VesselDischarged,
        Self::TransshipmentArrived,
        Self::TransshipmentDischarged,
        Self::TransshipmentLoaded,
        Self::TransshipmentDeparted,
        Self::FeederArrived,
        Self::FeederDischarged,
        Self::FeederLoaded,
        Self::FeederDeparted,
        Self::RailLoaded,
        Self::RailDeparted,
        Self::RailArrived,
        Self::RailUnloaded,
        Self::ArrivedAtInlandDestination,
        Self::FullOut,
        Self::EmptyIn,
        Self::Available,
        Self::NotAvailable,
        Self::Delivered,
        Self::EstimatedVesselDeparted,
        Self::EstimatedVesselArrived,
        Self::EstimatedArrivedAtInlandDestination,
        Self::ShipmentEstimatedArrival,
        Self::ContainerCreated,
        Self::ContainerUpdated,
        Self::PodTerminalChanged,
        Self::PickupLfdChanged,
        Self::PickupLfdLineChanged,
        Self::PickupLfdTerminalChanged,
        Self::PickupLfdRailChanged,
        Self::PickupAppointmentChanged,
    ];

    /// As on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TrackingRequestSucceeded => "tracking_request.succeeded",
            Self::TrackingRequestFailed => "tracking_request.failed",
            Self::TrackingRequestAwaitingManifest => "tracking_request.awaiting_manifest",
            Self::TrackingRequestTrackingStopped => "tracking_request.tracking_stopped",
            Self::EmptyOut => "container.transport.empty_out",
            Self::FullIn => "container.transport.full_in",
            Self::VesselLoaded => "container.transport.vessel_loaded",
            Self::VesselDeparted => "container.transport.vessel_departed",
            Self::VesselArrived => "container.transport.vessel_arrived",
            Self::VesselBerthed => "container.transport.vessel_berthed",
            Self::VesselDischarged => "container.transport.vessel_discharged",
            Self::TransshipmentArrived => "container.transport.transshipment_arrived",
            Self::TransshipmentDischarged => "container.transport.transshipment_discharged",
            Self::TransshipmentLoaded => "container.transport.transshipment_loaded",
            Self::TransshipmentDeparted => "container.transport.transshipment_departed",
            Self::FeederArrived => "container.transport.feeder_arrived",
            Self::FeederDischarged => "container.transport.feeder_discharged",
            Self::FeederLoaded => "container.transport.feeder_loaded",
            Self::FeederDeparted => "container.transport.feeder_departed",
            Self::RailLoaded => "container.transport.rail_loaded",
            Self::RailDeparted => "container.transport.rail_departed",
            Self::RailArrived => "container.transport.rail_arrived",
            Self::RailUnloaded => "container.transport.rail_unloaded",
            Self::ArrivedAtInlandDestination => "container.transport.arrived_at_inland_destination",
            Self::FullOut => "container.transport.full_out",
            Self::EmptyIn => "container.transport.empty_in",
            Self::Available => "container.transport.available",
            Self::NotAvailable => "container.transport.not_available",
            Self::Delivered => "container.transport.delivered",
            Self::EstimatedVesselDeparted => "container.transport.estimated.vessel_departed",
            Self::EstimatedVesselArrived => "container.transport.estimated.vessel_arrived",
            Self::EstimatedArrivedAtInlandDestination => {
                "container.transport.estimated.arrived_at_inland_destination"
            }
            Self::ShipmentEstimatedArrival => "shipment.estimated.arrival",
            Self::ContainerCreated => "container.created",
            Self::ContainerUpdated => "container.updated",
            Self::PodTerminalChanged => "container.pod_terminal_changed",
            Self::PickupLfdChanged => "container.pickup_lfd.changed",
            Self::PickupLfdLineChanged => "container.pickup_lfd_line.changed",
            Self::PickupLfdTerminalChanged => "container.pickup_lfd_terminal.changed",
            Self::PickupLfdRailChanged => "container.pickup_lfd_rail.changed",
            Self::PickupAppointmentChanged => "container.pickup_appointment.changed",
        }
    }

    /// Reads a name of the wire.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.as_str() == text)
    }

    /// Those that a pattern of the wire means, in their order: `*` all of them, `container.transport.*` those whose names begin
    /// so. `None` for what is no pattern, and for a beginning that no name has.
    pub fn matching(pattern: &str) -> Option<Vec<Self>> {
        let family = pattern.strip_suffix('*')?;
        let is_whole = family.is_empty() || (family.len() > 1 && family.ends_with('.'));
        let all = Self::ALL.into_iter();
        let meant: Vec<Self> = all
            .filter(|name| name.as_str().starts_with(family))
            .collect();
        (is_whole && !meant.is_empty()).then_some(meant)
    }

    /// Every pattern that means some.
    pub const PATTERNS: [&str; 12] = [
        "*",
        "tracking_request.*",
        "shipment.*",
        "shipment.estimated.*",
        "container.*",
        "container.transport.*",
        "container.transport.estimated.*",
        "container.pickup_lfd.*",
        "container.pickup_lfd_line.*",
        "container.pickup_lfd_terminal.*",
        "container.pickup_lfd_rail.*",
        "container.pickup_appointment.*",
    ];

    /// Names of the reference interface for what never happens here: its documents. Clients that ask for every name there is send
    /// them along.
    pub const OF_DOCUMENTS: [&str; 4] = [
        "document.extracted",
        "document.extraction_failed",
        "document_representation.created",
        "document_representation.failed",
    ];

    /// Whether it is a `container.transport.*` event.
    pub fn is_transport(self) -> bool {
        self.as_str().starts_with("container.transport.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_happens_is_no_event() {
        for name in EventName::OF_DOCUMENTS {
            assert_eq!(EventName::parse(name), None, "{name}");
        }
    }

    #[test]
    fn every_pattern_means_some_and_nothing_else_does() {
        for pattern in EventName::PATTERNS {
            assert!(EventName::matching(pattern).is_some(), "{pattern}");
        }
        for name in EventName::ALL.map(EventName::as_str) {
            for (dot, _) in name.match_indices('.') {
                let pattern = format!("{}.*", &name[..dot]);
                assert!(EventName::PATTERNS.contains(&pattern.as_str()), "{pattern}");
            }
        }
        assert_eq!(EventName::matching("*").unwrap(), EventName::ALL);
        let requests = EventName::matching("tracking_request.*").unwrap();
        assert_eq!(requests.len(), 4);
        for none in [
            "",
            "**",
            ".*",
            "*.*",
            "container*",
            "container.updated.*",
            "container.",
        ] {
            assert_eq!(EventName::matching(none), None, "{none}");
        }
    }
}
