//! Zones that stand beside a time by a name of people, which means something only where its clock hangs.
//!
//! `CST` is the time of Chicago or of China, `EST` in July that of nobody. A name counts where the place goes by it at that moment;
//! else that of North America counts there, and one that the world has once counts everywhere. What is left is in doubt: the hour is
//! told as that of the place, and that nobody knows it.

use domain::report::ZoneSource;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::ocean::dcsa::time::SaidZone;
use crate::table::{american, called};

/// Names that one clock alone has.
const ONLY_THERE: &[(&str, &str)] = &[
    ("AEDT", "Australia/Sydney"),
    ("AEST", "Australia/Sydney"),
    ("CEST", "Europe/Berlin"),
    ("CET", "Europe/Berlin"),
    ("EEST", "Europe/Athens"),
    ("EET", "Europe/Athens"),
    ("HKT", "Asia/Hong_Kong"),
    ("JST", "Asia/Tokyo"),
    ("KST", "Asia/Seoul"),
    ("NZDT", "Pacific/Auckland"),
    ("NZST", "Pacific/Auckland"),
    ("SGT", "Asia/Singapore"),
    ("WEST", "Europe/Lisbon"),
    ("WET", "Europe/Lisbon"),
];

/// By which zone a clock is read that stands beside a name, where the clocks of its place are known to have this one.
pub(super) fn zone_called(
    name: &str,
    local: DateTime,
    here: Option<(TimeZone, ZoneSource)>,
) -> (TimeZone, ZoneSource) {
    let Some((zone, source)) = here else {
        // Nobody says where that is.
        let told = american(name).and_then(|clock| goes_by(name, local, &clock));
        let told = told.or_else(|| only_there(name, local));
        return (told.unwrap_or(TimeZone::UTC), ZoneSource::Unknown);
    };
    let is_known = source != ZoneSource::Unknown;
    match called(name, local, &zone).filter(|_| is_known) {
        Some(SaidZone::Offset(offset)) => return (TimeZone::fixed(offset), ZoneSource::Tag),
        Some(_) => return (zone, source),
        None => {}
    }
    let clock = american(name).filter(|_| is_american(&zone));
    let told = clock.and_then(|clock| goes_by(name, local, &clock));
    match told.or_else(|| only_there(name, local)) {
        Some(told) => (told, ZoneSource::Tag),
        None => (zone, ZoneSource::Unknown),
    }
}

fn only_there(name: &str, local: DateTime) -> Option<TimeZone> {
    let mut known = ONLY_THERE.iter();
    let (_, clock) = known.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    goes_by(name, local, &TimeZone::get(clock).ok()?)
}

/// The offset that a name tells of this clock, if the clock goes by it then.
fn goes_by(name: &str, local: DateTime, clock: &TimeZone) -> Option<TimeZone> {
    match called(name, local, clock)? {
        SaidZone::Offset(offset) => Some(TimeZone::fixed(offset)),
        _ => Some(clock.clone()),
    }
}

fn is_american(zone: &TimeZone) -> bool {
    let name = zone.iana_name().unwrap_or_default();
    name.starts_with("America/") || name == "Pacific/Honolulu"
}
