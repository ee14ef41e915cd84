//! Reference records (ports, terminals, shipping lines) by their id.

use std::collections::HashMap;

use domain::codes::{Scac, UnLocode};
use jsonapi::resource;
use sources::registry::Registry;
use tracking::Tracking;
use uuid::Uuid;

/// Where in the tables a record stands.
enum Place {
    Port(UnLocode),
    MetroArea(UnLocode),
    Terminal(String),
    Line(Scac),
}

/// The tables, found by id. The ids are made from the codes, so nothing is stored.
pub(crate) struct References(HashMap<Uuid, Place>);

impl References {
    pub(crate) fn of(registry: &Registry) -> Self {
        let gazetteer = registry.gazetteer();
        let named = |kind: &str, code: &str| domain::ids::ReferenceId::named(kind, code).0;
        let ports = gazetteer.ports().map(|port| {
            (
                named("port", port.locode.as_str()),
                Place::Port(port.locode),
            )
        });
        let areas = gazetteer.ports().filter(|port| port.is_metro_area());
        let areas = areas.map(|area| {
            let id = resource::metro_area::id(area.locode).0;
            (id, Place::MetroArea(area.locode))
        });
        let terminals = gazetteer.terminals().map(|terminal| {
            let id = resource::terminal::id(&terminal.code).0;
            (id, Place::Terminal(terminal.code.clone()))
        });
        let lines = registry.shipping_lines().map(|line| {
            (
                resource::shipping_line::id(line.scac).0,
                Place::Line(line.scac),
            )
        });
        Self(ports.chain(areas).chain(terminals).chain(lines).collect())
    }

    /// The port with this id.
    pub(crate) fn port(&self, id: Uuid) -> Option<UnLocode> {
        match self.0.get(&id)? {
            Place::Port(locode) => Some(*locode),
            _ => None,
        }
    }

    /// The resource with this type and id.
    pub(crate) fn document(&self, tracking: &Tracking, kind: &str, id: Uuid) -> Option<String> {
        let registry = tracking.registry();
        let gazetteer = registry.gazetteer();
        match (kind, self.0.get(&id)?) {
            ("port", Place::Port(locode)) => gazetteer
                .port(*locode)
                .map(|port| resource::port::render(port, gazetteer)),
            ("metro_area", Place::MetroArea(locode)) => {
                gazetteer.port(*locode).map(resource::metro_area::render)
            }
            ("terminal" | "rail_terminal", Place::Terminal(code)) => {
                gazetteer.terminal(code).and_then(|terminal| {
                    let view = resource::terminal::View {
                        terminal,
                        provided: &tracking.told_inside(terminal),
                        gazetteer,
                    };
                    resource::terminal::render_as(kind, &view)
                })
            }
            ("shipping_line", Place::Line(scac)) => registry
                .shipping_line(*scac)
                .map(resource::shipping_line::render),
            _ => None,
        }
    }
}
