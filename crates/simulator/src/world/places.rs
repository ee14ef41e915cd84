//! The places of this world: real ports, their clocks, and a terminal where we name one.

use domain::codes::UnLocode;
use jiff::tz::TimeZone;

/// A port or inland point.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// UN/LOCODE.
    pub(crate) code: &'static str,
    /// English name.
    pub(crate) name: &'static str,
    /// IANA zone.
    pub(crate) zone: &'static str,
    /// SMDG codes of terminals there; empty where this carrier sends none.
    pub(crate) terminals: &'static [&'static str],
    /// A second code under which carriers name the same port.
    pub(crate) twin: Option<&'static str>,
}

/// All of them.
pub(crate) const PLACES: &[Place] = &[
    place("CNSHA", "Shanghai", "Asia/Shanghai", &[], Some("CNSGH")),
    place("CNNGB", "Ningbo", "Asia/Shanghai", &[], Some("CNNBO")),
    place("HKHKG", "Hong Kong", "Asia/Hong_Kong", &["HITHK"], None),
    place("KRPUS", "Busan", "Asia/Seoul", &[], Some("KRBNP")),
    place("SGSIN", "Singapore", "Asia/Singapore", &[], None),
    place("LKCMB", "Colombo", "Asia/Colombo", &[], None),
    place("NLRTM", "Rotterdam", "Europe/Amsterdam", &[], None),
    place("DEHAM", "Hamburg", "Europe/Berlin", &["CTA", "CTB"], None),
    place("DEDUI", "Duisburg", "Europe/Berlin", &[], None),
    place(
        "USLAX",
        "Los Angeles",
        "America/Los_Angeles",
        &["TRAP", "WBCT"],
        None,
    ),
    place("USOAK", "Oakland", "America/Los_Angeles", &["B58"], None),
    place(
        "USNYC",
        "New York",
        "America/New_York",
        &["MAHER", "PNCT"],
        Some("USEWR"),
    ),
    place("USSAV", "Savannah", "America/New_York", &["GCMT"], None),
    place("USCHI", "Chicago", "America/Chicago", &[], None),
    place("USJOT", "Joliet", "America/Chicago", &[], None),
    place("USMEM", "Memphis", "America/Chicago", &[], None),
];

const fn place(
    code: &'static str,
    name: &'static str,
    zone: &'static str,
    terminals: &'static [&'static str],
    twin: Option<&'static str>,
) -> Place {
    Place {
        code,
        name,
        zone,
        terminals,
        twin,
    }
}

impl Place {
    /// The place with this code.
    pub(crate) fn of(code: &str) -> Option<&'static Self> {
        PLACES.iter().find(|place| place.code == code)
    }

    /// Its code as the domain has it.
    pub(crate) fn locode(&self) -> Option<UnLocode> {
        UnLocode::parse(self.code).ok()
    }

    /// Its clock.
    pub(crate) fn clock(&self) -> TimeZone {
        TimeZone::get(self.zone).unwrap_or(TimeZone::UTC)
    }
}

/// The main code of a port that has two; any other code unchanged.
pub(crate) fn main_code(code: &str) -> &str {
    PLACES
        .iter()
        .find(|place| place.twin == Some(code))
        .map_or(code, |place| place.code)
}
