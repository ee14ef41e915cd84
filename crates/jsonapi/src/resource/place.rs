//! How a place becomes a relationship. A place that is in no table has no resource and so no link: the
//! code stays readable in the attributes, and nothing points to a record that cannot be fetched.

use domain::codes::UnLocode;
use domain::container::Vessel;
use domain::ids::ReferenceId;
use domain::place::{Gazetteer, Terminal, TerminalKind};

use crate::wire::ToOne;

pub(crate) fn port(locode: Option<UnLocode>, gazetteer: &Gazetteer) -> ToOne {
    let known = locode.and_then(|code| gazetteer.port(code));
    ToOne::maybe(known.map(|port| ("port", port_id(port.locode))))
}

/// What a relationship to a place points to: the metropolitan area it lies in, else the port. The code beside
/// it in the attributes stays the one that was reported.
pub(crate) fn site(locode: Option<UnLocode>, gazetteer: &Gazetteer) -> ToOne {
    match locode.and_then(|code| gazetteer.metro_area(code)) {
        Some(area) => ToOne::to("metro_area", metro_area_id(area.locode)),
        None => port(locode, gazetteer),
    }
}

/// The record that [`site`] points to, as JSON text.
pub fn render_site(locode: UnLocode, gazetteer: &Gazetteer) -> Option<String> {
    if let Some(area) = gazetteer.metro_area(locode) {
        return Some(super::metro_area::render(area));
    }
    let port = gazetteer.port(locode)?;
    Some(super::port::render(port, gazetteer))
}

pub(crate) fn terminal(code: Option<&str>, gazetteer: &Gazetteer) -> ToOne {
    let known = code.and_then(|code| gazetteer.terminal(code));
    ToOne::maybe(known.map(|terminal| (terminal_type(terminal), terminal_id(&terminal.code))))
}

/// What a container's link to an installation points to: a `terminal`, be it a ramp.
pub(crate) fn facility(code: Option<&str>, gazetteer: &Gazetteer) -> ToOne {
    let known = code.and_then(|code| gazetteer.terminal(code));
    ToOne::maybe(known.map(|terminal| ("terminal", terminal_id(&terminal.code))))
}

pub(crate) fn vessel(vessel: Option<&Vessel>) -> ToOne {
    ToOne::maybe(vessel.and_then(super::vessel::id).map(|id| ("vessel", id)))
}

pub(crate) fn port_id(locode: UnLocode) -> ReferenceId {
    ReferenceId::named("port", locode.as_str())
}

pub(crate) fn metro_area_id(locode: UnLocode) -> ReferenceId {
    ReferenceId::named("metro_area", locode.as_str())
}

pub(crate) fn terminal_id(code: &str) -> ReferenceId {
    ReferenceId::named("terminal", code)
}

/// What shipments, events and routes call an installation: a ramp is a `rail_terminal` to them. By itself, and to a
/// [container](facility), it is a `terminal`: receivers know it under both names, each in its place.
pub(crate) fn terminal_type(terminal: &Terminal) -> &'static str {
    match terminal.kind {
        TerminalKind::Ocean => "terminal",
        TerminalKind::Rail => "rail_terminal",
    }
}

pub(crate) fn zone(locode: Option<UnLocode>, gazetteer: &Gazetteer) -> Option<&str> {
    locode.and_then(|code| gazetteer.zone(code))
}

pub(crate) fn name(locode: Option<UnLocode>, gazetteer: &Gazetteer) -> Option<&str> {
    locode
        .and_then(|code| gazetteer.port(code))
        .map(|port| port.name.as_str())
}
