//! Instants that programs count from the beginning of 1970: in milliseconds (13 digits), in seconds (10 digits), or as .NET
//! writes them (`/Date(1795671000000-0600)/`, in milliseconds; the offset only says how to show them).
//!
//! Such a number is read only where it can be no date: whoever calls has tried that. Ten digits of a text may be one that
//! nobody described (`2611251400`), so they are a count only in JSON's own number, or by the form `%s` of the mapping.

use domain::report::Precision;
use jiff::Timestamp;
use jiff::tz::Offset;

use super::cell::Cell;
use crate::ocean::dcsa::time::{self, SaidZone, WallClock, said_zone};

/// The form of a mapping for a count of seconds.
pub(super) const FORM: &str = "%s";

const MILLISECOND_DIGITS: usize = 13;
const SECOND_DIGITS: usize = 10;
/// The end of the first day that .NET knows, wherever it began; its clock stands there where no time was set.
const NULL_UNTIL_MILLISECOND: i64 = -62_135_510_400_000;

/// The instant in a cell, if it can be true.
pub(super) fn read(cell: &Cell, received_at: Timestamp) -> Option<WallClock> {
    let (at, offset) = match cell {
        Cell::Text(text) => match dot_net(text) {
            Some((count, offset)) => (Timestamp::from_millisecond(count).ok()?, offset),
            None => (milliseconds(text)?, Offset::UTC),
        },
        Cell::Number(text) => {
            let at = milliseconds(text).or_else(|| seconds(text));
            (at?, Offset::UTC)
        }
        _ => return None,
    };
    time::is_plausible(at, received_at).then(|| clock(at, offset))
}

/// The instant that a text means by the form `%s`.
pub(super) fn by_form(text: &str) -> Option<WallClock> {
    seconds(text).map(|at| clock(at, Offset::UTC))
}

/// Whether it is the zero of a clock.
pub(super) fn is_null(text: &str) -> bool {
    let count = dot_net(text).map(|(count, _)| count);
    let count = count.or_else(|| text.parse().ok());
    count.is_some_and(|count| count == 0 || count <= NULL_UNTIL_MILLISECOND)
}

fn clock(at: Timestamp, offset: Offset) -> WallClock {
    WallClock {
        local: offset.to_datetime(at),
        zone: SaidZone::Offset(offset),
        precision: Precision::Minute,
        ends: None,
    }
}

fn milliseconds(text: &str) -> Option<Timestamp> {
    Timestamp::from_millisecond(count(text, MILLISECOND_DIGITS)?).ok()
}

fn seconds(text: &str) -> Option<Timestamp> {
    Timestamp::from_second(count(text, SECOND_DIGITS)?).ok()
}

fn count(text: &str, digits: usize) -> Option<i64> {
    let is_count = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_count.then(|| text.parse().ok())?
}

/// The milliseconds of `/Date(…)/`, and with which offset they are shown.
fn dot_net(text: &str) -> Option<(i64, Offset)> {
    let told = text.strip_prefix("/Date(")?.strip_suffix(")/")?;
    // A minus in front is that of the count.
    let sign = told.rfind(['+', '-']).filter(|at| *at > 0);
    let (count, zone) = told.split_at_checked(sign.unwrap_or(told.len()))?;
    let offset = match said_zone(zone)? {
        SaidZone::Offset(offset) => offset,
        SaidZone::Nothing | SaidZone::Zulu => Offset::UTC,
    };
    let is_whole = zone.is_empty() || zone.len() == "-0600".len();
    is_whole.then_some((count.parse().ok()?, offset))
}
