//! Events in words, for people who read along.

use domain::event::EventName;

/// Widest words, with their value: columns behind them stay where they are.
pub const WIDTH: usize = 39;

/// What happened, with the new value where the event has one. A name of a later version is shown as it can be read.
pub fn of(name: &str, value: Option<&str>) -> String {
    let Some(event) = EventName::parse(name) else {
        let last = name.trim_start_matches("container.");
        return last.replace(['_', '.'], " ");
    };
    let (words, whose) = label(event);
    let tells_value = whose.is_some() || event == EventName::PickupAppointmentChanged;
    let value = match value {
        Some(value) if tells_value => format!(" {}", minutes(value)),
        None if tells_value => " withdrawn".to_owned(),
        _ => String::new(),
    };
    let whose = whose.filter(|whose| !whose.is_empty());
    let whose = whose.map(|whose| format!(" ({whose})")).unwrap_or_default();
    format!("{words}{value}{whose}")
}

/// The words of an event; and of a last free day whose it is, which is nobody's for the one that counts.
fn label(event: EventName) -> (&'static str, Option<&'static str>) {
    use EventName as E;
    let words = match event {
        E::TrackingRequestSucceeded => "number found",
        E::TrackingRequestFailed => "request failed",
        E::TrackingRequestAwaitingManifest => "awaiting manifest",
        E::TrackingRequestTrackingStopped => "tracking stopped",
        E::EmptyOut => "empty out",
        E::FullIn => "full in",
        E::VesselLoaded => "vessel loaded",
        E::VesselDeparted => "vessel departed",
        E::VesselArrived => "vessel arrived",
        E::VesselBerthed => "vessel berthed",
        E::VesselDischarged => "vessel discharged",
        E::TransshipmentArrived => "transshipment arrived",
        E::TransshipmentDischarged => "transshipment discharged",
        E::TransshipmentLoaded => "transshipment loaded",
        E::TransshipmentDeparted => "transshipment departed",
        E::FeederArrived => "feeder arrived",
        E::FeederDischarged => "feeder discharged",
        E::FeederLoaded => "feeder loaded",
        E::FeederDeparted => "feeder departed",
        E::RailLoaded => "rail loaded",
        E::RailDeparted => "rail departed",
        E::RailArrived => "rail arrived",
        E::RailUnloaded => "rail unloaded",
        E::ArrivedAtInlandDestination => "arrived at inland destination",
        E::FullOut => "full out",
        E::EmptyIn => "empty in",
        E::Available => "available for pickup",
        E::NotAvailable => "not available for pickup",
        E::Delivered => "delivered",
        E::EstimatedVesselDeparted => "departure expected",
        E::EstimatedVesselArrived => "arrival expected",
        E::EstimatedArrivedAtInlandDestination => "arrival inland expected",
        E::ShipmentEstimatedArrival => "shipment expected",
        E::ContainerCreated => "box joined the shipment",
        E::ContainerUpdated => "holds, fees or dates changed",
        E::PodTerminalChanged => "terminal of discharge changed",
        E::PickupAppointmentChanged => "pickup appointment",
        E::PickupLfdChanged => return ("last free day", Some("")),
        E::PickupLfdLineChanged => return ("last free day", Some("line")),
        E::PickupLfdTerminalChanged => return ("last free day", Some("terminal")),
        E::PickupLfdRailChanged => return ("last free day", Some("railroad")),
    };
    (words, None)
}

/// `2026-03-04T05:06:07Z` as `2026-03-04 05:06`; a day as it is.
pub fn minutes(timestamp: &str) -> String {
    let shown = timestamp.chars().take(16);
    shown.map(|c| if c == 'T' { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_event_is_shown_by_its_name_and_all_fit_their_column() {
        for event in EventName::ALL {
            // A last free day is a day, an appointment a moment.
            let moment = (!event.as_str().contains("lfd")).then_some("2026-11-27T08:30:00Z");
            for value in [None, Some("2026-11-27"), moment] {
                let words = of(event.as_str(), value);
                assert!(!words.contains(['.', '_']), "{words}");
                assert!(words.chars().count() <= WIDTH, "{words}");
            }
        }
    }

    #[test]
    fn a_new_value_stands_behind_the_words() {
        let day = Some("2026-11-27");
        let rows = [
            (
                "container.pickup_lfd_terminal.changed",
                day,
                "last free day 2026-11-27 (terminal)",
            ),
            (
                "container.pickup_lfd.changed",
                day,
                "last free day 2026-11-27",
            ),
            (
                "container.pickup_lfd_rail.changed",
                None,
                "last free day withdrawn (railroad)",
            ),
            (
                "container.pickup_appointment.changed",
                Some("2026-11-27T08:30:00Z"),
                "pickup appointment 2026-11-27 08:30",
            ),
            (
                "container.transport.available",
                None,
                "available for pickup",
            ),
            (
                "container.sealed_again.changed",
                None,
                "sealed again changed",
            ),
        ];
        for (name, value, words) in rows {
            assert_eq!(of(name, value), words);
        }
    }
}
