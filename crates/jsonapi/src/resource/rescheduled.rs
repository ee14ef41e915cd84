//! A last free day or an appointment that moved: where, whose and what it is now.

use domain::container::{ContainerState, LastFreeDay, LfdOwner};
use domain::event::EventName;
use domain::report::SourceKind;

use super::transport_event::View;

/// The event `plain` with what the box, as it stands now, makes of it. A last free day is at the ramp where it is the
/// railroad's, else at the port of discharge; so is an appointment.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the view is changed in some members and given on"
)]
pub fn rescheduled<'a>(plain: View<'a>, state: &'a ContainerState) -> View<'a> {
    let (journey, pickup) = (&state.journey, &state.pickup);
    let owner = match plain.name {
        EventName::PickupLfdLineChanged => Some(LfdOwner::Line),
        EventName::PickupLfdTerminalChanged => Some(LfdOwner::Terminal),
        EventName::PickupLfdRailChanged => Some(LfdOwner::Rail),
        EventName::PickupLfdChanged => pickup.owner_of_last_free_day(),
        _ => None,
    };
    let day = match owner {
        Some(LfdOwner::Line) => pickup.lfd_line.as_ref(),
        Some(LfdOwner::Terminal) => pickup.lfd_terminal.as_ref(),
        Some(LfdOwner::Rail) => pickup.lfd_rail.as_ref(),
        None => None,
    };
    let source = match owner {
        Some(LfdOwner::Line) => SourceKind::CarrierApi,
        Some(LfdOwner::Rail) => SourceKind::RailApi,
        Some(LfdOwner::Terminal) | None => SourceKind::TerminalApi,
    };
    let (locode, terminal) = if owner == Some(LfdOwner::Rail) {
        (journey.destination, &journey.destination_terminal)
    } else {
        (journey.port_of_discharge, &pickup.pod_terminal)
    };
    let (value, zone) = if plain.name == EventName::PickupAppointmentChanged {
        let zone = locode.and_then(|place| plain.gazetteer.zone(place));
        (pickup.appointment, zone)
    } else {
        let zone = day.and_then(|day| day.zone.as_deref());
        (day.map(LastFreeDay::instant), zone)
    };
    View {
        zone,
        locode,
        terminal: terminal.as_deref(),
        source,
        value,
        ..plain
    }
}
