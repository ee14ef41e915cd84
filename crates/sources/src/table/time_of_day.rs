//! The time of day behind a date, and what is said of its zone: `2:05 PM`, `14:05:09.250 -05:00`, `1405 UTC`.
//!
//! All of it must be understood. Half of the day and the zone stand last, and whoever reads only the digits before them
//! is wrong by hours; so a text of which anything is left over is refused.

use jiff::civil::{Date, Time};

use crate::ocean::dcsa::time::{SaidZone, said_zone};

/// What stands behind a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeOfDay<'t> {
    hour: i32,
    minute: i32,
    second: i32,
    pub(super) zone: Zone<'t>,
}

/// How a text names its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone<'t> {
    /// By its offset, or not at all.
    Said(SaidZone),
    /// By an abbreviation, which means something only where its clock hangs.
    Called(&'t str),
}

/// No place is further from Greenwich.
const OFFSET_SECONDS_MAX: i32 = 14 * 3_600;
/// As long as abbreviations of zones are: `PT`, `AKST`.
const CALLED_LETTERS: std::ops::RangeInclusive<usize> = 2..=5;

impl TimeOfDay<'_> {
    /// The date and the time of the clock; 24:00 is the beginning of the next day.
    pub(super) fn on(&self, date: Date) -> Option<(Date, Time)> {
        if (self.hour, self.minute, self.second) == (24, 0, 0) {
            return Some((date.tomorrow().ok()?, Time::midnight()));
        }
        let time = Time::new(
            i8::try_from(self.hour).ok()?,
            i8::try_from(self.minute).ok()?,
            i8::try_from(self.second).ok()?,
            0,
        );
        Some((date, time.ok()?))
    }
}

/// Reads what stands behind a date.
pub(super) fn read(text: &str) -> Option<TimeOfDay<'_>> {
    let text = behind_date(text.trim_end_matches([' ', '.', ',', ';']))?;
    let (face, rest) = face(text)?;
    let (afternoon, behind) = half(rest);
    let hour = match (afternoon, face.hour) {
        // Some write `00:30 PM` for half past noon.
        (Some(true), 0..=11) => face.hour + 12,
        (Some(false), 12) => 0,
        (Some(_), 13..) => return None,
        _ => face.hour,
    };
    let zone = zone(behind)?;
    let is_said = zone != Zone::Said(SaidZone::Nothing);
    // `14-05` is no hour with a zone, and `08:00-10:00` is a time until another one.
    let is_until = afternoon.is_none() && face.second.is_none() && rest.starts_with('-');
    let is_hour_alone = afternoon.is_none() && face.minute.is_none();
    if is_said && (is_until || is_hour_alone) {
        return None;
    }
    Some(TimeOfDay {
        hour,
        minute: face.minute.unwrap_or(0),
        second: face.second.unwrap_or(0),
        zone,
    })
}

/// Without what separates the two. A dash may; a minus belongs to a zone, and a date alone has none.
fn behind_date(text: &str) -> Option<&str> {
    // `2026-03-20T14:05 CT`.
    let by_letter = text.strip_prefix(['T', 't']);
    let text = by_letter
        .filter(|time| time.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(text);
    let separates = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '@' | '|');
    let apart = text.trim_start_matches(separates);
    let Some(joined) = apart.strip_prefix('-') else {
        return Some(apart);
    };
    let is_dash = apart.len() == text.len() || joined.starts_with(char::is_whitespace);
    is_dash.then(|| joined.trim_start())
}

/// The numbers of a clock, as far as they are told.
struct Face {
    hour: i32,
    minute: Option<i32>,
    second: Option<i32>,
}

fn face(text: &str) -> Option<(Face, &str)> {
    let (hour, rest) = digits(text);
    if matches!(hour.len(), 3 | 4) {
        let number: i32 = hour.parse().ok()?; // 1405
        let face = Face {
            hour: number / 100,
            minute: Some(number % 100),
            second: None,
        };
        return Some((face, rest));
    }
    let mut face = Face {
        hour: two(hour)?,
        minute: None,
        second: None,
    };
    let Some((sign, minute, rest)) = behind_sign(rest, &[':', '.']) else {
        return Some((face, rest));
    };
    face.minute = Some(two(minute)?);
    let Some((_, second, rest)) = behind_sign(rest, &[sign]) else {
        return Some((face, rest));
    };
    face.second = Some(two(second)?);
    let rest = match behind_sign(rest, &['.', ',', ':']) {
        // Some write thousandths as a fourth number.
        Some((':', fraction, _)) if fraction.len() != 3 => rest,
        Some((_, _, behind)) => behind,
        None => rest,
    };
    Some((face, rest))
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}

/// One of these signs with digits behind it, and what follows.
fn behind_sign<'t>(text: &'t str, signs: &[char]) -> Option<(char, &'t str, &'t str)> {
    let sign = text.chars().next().filter(|c| signs.contains(c))?;
    let (number, rest) = digits(text.strip_prefix(sign)?);
    (!number.is_empty()).then_some((sign, number, rest))
}

fn two(digits: &str) -> Option<i32> {
    (digits.len() <= 2).then(|| digits.parse().ok())?
}

/// Whether it says the second half of the day, and what stands behind that.
fn half(text: &str) -> (Option<bool>, &str) {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_alphabetic() && c != '.');
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    match word.replace('.', "").to_ascii_uppercase().as_str() {
        "AM" | "A" => (Some(false), rest),
        "PM" | "P" => (Some(true), rest),
        _ => (None, text),
    }
}

fn zone(text: &str) -> Option<Zone<'_>> {
    let text = text.trim();
    let bare = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    let text = bare.unwrap_or(text);
    let upper = text.to_ascii_uppercase();
    if matches!(upper.as_str(), "LT" | "LOCAL") {
        return Some(Zone::Said(SaidZone::Nothing));
    }
    let from_greenwich = ["UTC", "GMT"].iter().find_map(|name| {
        let behind = upper.strip_prefix(name)?;
        behind.starts_with(['+', '-']).then_some(behind)
    });
    let said = said_zone(from_greenwich.unwrap_or(&upper));
    let is_called =
        CALLED_LETTERS.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphabetic());
    match said {
        Some(SaidZone::Offset(offset)) if offset.seconds().abs() > OFFSET_SECONDS_MAX => None,
        Some(said) => Some(Zone::Said(said)),
        None => is_called.then_some(Zone::Called(text)),
    }
}
