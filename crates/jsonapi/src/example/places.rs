//! Where the sample box goes: real places with the codes of the tables, so that the links of a sample lead
//! somewhere on every installation.

use domain::codes::UnLocode;
use domain::place::{Gazetteer, Inside, Port, Terminal, TerminalKind};

use crate::resource::terminal;

pub(super) const NANJING: &str = "CNNKG";
pub(super) const SHANGHAI: &str = "CNSHA";
pub(super) const BUSAN: &str = "KRPUS";
pub(super) const LOS_ANGELES: &str = "USLAX";
pub(super) const CHICAGO: &str = "USCHI";

/// Terminal of discharge.
pub(super) const PIER: &str = "USLAX-Y258";
/// Where the train ends.
pub(super) const RAMP: &str = "USCHI-I372";

/// Code, name, state, degrees north and east, zone.
type Row = (
    &'static str,
    &'static str,
    Option<&'static str>,
    (f64, f64),
    &'static str,
);

const PORTS: [Row; 5] = [
    (NANJING, "Nanjing", None, (32.15, 118.80), "Asia/Shanghai"),
    (SHANGHAI, "Shanghai", None, (31.36, 121.58), "Asia/Shanghai"),
    (BUSAN, "Busan", None, (35.08, 128.83), "Asia/Seoul"),
    (
        LOS_ANGELES,
        "Los Angeles",
        Some("CA"),
        (33.74, -118.26),
        "America/Los_Angeles",
    ),
    (
        CHICAGO,
        "Chicago",
        Some("IL"),
        (41.85, -87.65),
        "America/Chicago",
    ),
];

/// The places of the sample world.
pub(super) fn gazetteer() -> Gazetteer {
    let pier = Terminal {
        smdg_code: Some("TRAP".to_owned()),
        ..terminal(PIER, "TraPac Los Angeles", "TraPac LA", TerminalKind::Ocean)
    };
    Gazetteer::new(
        PORTS.into_iter().map(port),
        [
            pier,
            terminal(
                RAMP,
                "Union Pacific Railroad Chicago Global II",
                "Chicago Global II",
                TerminalKind::Rail,
            ),
        ],
    )
}

fn port((code, name, state, coordinates, zone): Row) -> Port {
    Port {
        locode: locode(code),
        name: name.to_owned(),
        state: state.map(ToOwned::to_owned),
        coordinates: Some(coordinates),
        zone: zone.to_owned(),
        canonical: locode(code),
        metro_area: (code == CHICAGO).then(|| locode(code)),
        inland: false,
        towns: Vec::new(),
    }
}

fn terminal(code: &str, name: &str, nickname: &str, kind: TerminalKind) -> Terminal {
    let (port, firms) = code.split_once('-').unwrap_or((code, ""));
    Terminal {
        code: code.to_owned(),
        name: name.to_owned(),
        nickname: nickname.to_owned(),
        port: locode(port),
        kind,
        firms_code: Some(firms.to_owned()),
        smdg_code: None,
        bic_facility_code: None,
        zone: zone(port).to_owned(),
        city: PORTS
            .iter()
            .find(|(known, ..)| *known == port)
            .map(|(_, name, ..)| (*name).to_owned()),
        state: PORTS
            .iter()
            .find(|(known, ..)| *known == port)
            .and_then(|(_, _, state, ..)| state.map(ToOwned::to_owned)),
    }
}

/// A terminal of the sample world, as its source tells all that a source may tell.
pub(super) fn pier_text(terminal: &Terminal, gazetteer: &Gazetteer) -> String {
    terminal::render(&terminal::View {
        terminal,
        provided: &Inside::ALL.into(),
        gazetteer,
    })
}

/// IANA zone of one of our places.
pub(super) fn zone(code: &str) -> &'static str {
    let found = PORTS.iter().find(|(port, ..)| *port == code);
    found.map_or("Etc/UTC", |(.., zone)| zone)
}

#[expect(
    clippy::expect_used,
    reason = "reads constants of this module, all of them in its tests"
)]
pub(super) fn locode(code: &str) -> UnLocode {
    UnLocode::parse(code).expect("a constant is a UN/LOCODE")
}
