//! Times as EDI writes them: digits without a separator, local to the place unless a tag says otherwise.

use std::borrow::Cow;

use domain::report::{Occurred, Precision, ZoneSource};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan};

use super::zone_names::zone_called;

/// A wall clock and the zone that was said with it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Clock {
    pub(super) local: DateTime,
    pub(super) precision: Precision,
    pub(super) said: Option<Said>,
    /// The date as it is written, where the time is its 24:00.
    pub(super) ends: Option<Date>,
}

/// What stands beside a clock.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Said {
    Zone(TimeZone, ZoneSource),
    /// A name that means something only at some places, or nothing.
    Name(String),
}

impl Clock {
    /// Whether it was over when that was: a day is over at its end.
    pub(super) fn is_before(&self, then: &Self) -> bool {
        match self.precision {
            Precision::Day => self.local.date() < then.local.date(),
            _ => self.local <= then.local,
        }
    }

    /// Its date, at this time of the day (`HHMM`, `HHMMSS`).
    pub(super) fn at_time(&self, text: &str) -> Option<Self> {
        let date = self.local.date();
        let (time, late) = of_day(text).filter(|_| matches!(text.trim().len(), 4 | 6))?;
        let day = if late { date.tomorrow().ok()? } else { date };
        Some(Self {
            local: day.to_datetime(time),
            precision: Precision::Minute,
            said: None,
            ends: late.then_some(date),
        })
    }

    /// Only its date.
    pub(super) fn whole_day(self) -> Self {
        Self {
            local: (self.ends.unwrap_or(self.local.date())).to_datetime(Time::midnight()),
            precision: Precision::Day,
            said: None,
            ends: None,
        }
    }

    /// The instant it means. An hour that happens twice is taken the first time, one that is left out is moved
    /// on by the gap.
    pub(super) fn resolve(self, here: Option<(TimeZone, ZoneSource)>) -> Option<Occurred> {
        let unknown = (TimeZone::UTC, ZoneSource::Unknown);
        let (zone, zone_source) = match self.said {
            Some(Said::Zone(zone, source)) => (zone, source),
            Some(Said::Name(name)) => zone_called(&name, self.local, here),
            None => here.unwrap_or(unknown),
        };
        Some(Occurred {
            at: self.local.to_zoned(zone).ok()?.timestamp(),
            local: self.local,
            zone_source,
            precision: self.precision,
        })
    }
}

/// Date, time and zone tag of X12. Senders who know only the day write midnight, so that is what midnight means.
pub(super) fn x12(date: &str, time: &str, tag: &str) -> Option<Clock> {
    let date = day(date)?;
    let clock = match time.trim() {
        "" => None,
        time => Some(of_day(time)?),
    };
    let (time, late) = clock.unwrap_or((Time::midnight(), false));
    let midnight = clock.is_none_or(|(time, late)| time == Time::midnight() && !late);
    let ends = late.then_some(date);
    let date = if late { date.tomorrow().ok()? } else { date };
    Some(Clock {
        local: date.to_datetime(time),
        precision: if midnight {
            Precision::Day
        } else {
            Precision::Minute
        },
        said: if midnight { None } else { said(tag) },
        ends,
    })
}

/// A time of EDIFACT in one of its formats; without a format, told from its length.
pub(super) fn edifact(text: &str, format: &str) -> Option<Clock> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (date_digits, rest) = match (format, digits) {
        ("101" | "201" | "202" | "301" | "302", _) | ("", 6 | 10) => (6, 4),
        _ => (
            8,
            if matches!(format, "204" | "304") {
                6
            } else {
                4
            },
        ),
    };
    let date = day(text.get(..date_digits)?)?;
    let after = time_behind(text.get(date_digits..).unwrap_or_default());
    let after = without_separators(after)?;
    let length = after.bytes().take_while(u8::is_ascii_digit).count();
    let told = after.get(..length.min(rest)).unwrap_or_default();
    if told.is_empty() {
        // A period is known by the day on which it begins. What else stands behind a date is a time that cannot be read.
        let is_read = after.trim().is_empty() || format.starts_with('7');
        return is_read.then_some(Clock {
            local: date.to_datetime(Time::midnight()),
            precision: Precision::Day,
            said: None,
            ends: None,
        });
    }
    // Minutes behind a colon that was not escaped stand in the place of the format.
    if told.len() <= 2 && !matches!(format.len(), 0 | 3) {
        return None;
    }
    let (time, late) = of_day(told)?;
    let ends = late.then_some(date);
    let date = if late { date.tomorrow().ok()? } else { date };
    // Digits behind it are seconds, and parts of one.
    let digit = |c: char| c.is_ascii_digit();
    let tag = after.get(told.len()..).unwrap_or_default();
    let tag = tag.trim_start_matches(digit);
    let tag = match tag.strip_prefix(['.', ',']) {
        Some(parts) if parts.starts_with(digit) => parts.trim_start_matches(digit),
        _ => tag,
    };
    // Noon and midnight are twelve hours apart.
    if matches!(tag.trim().to_ascii_uppercase().as_str(), "AM" | "PM") {
        return None;
    }
    Some(Clock {
        local: date.to_datetime(time),
        precision: Precision::Minute,
        said: said(tag),
        ends,
    })
}

/// What stands behind a date, without the letter or blank that some write before the time (`20261118T1030`).
fn time_behind(date: &str) -> &str {
    let time = date.strip_prefix(['T', ' ']);
    let time = time.filter(|time| time.starts_with(|c: char| c.is_ascii_digit()));
    time.unwrap_or(date)
}

/// Hours, minutes and seconds that some set apart (`10:30`, `10.30.00`), as if nobody had; `None`: such a time cannot be read.
fn without_separators(time: &str) -> Option<Cow<'_, str>> {
    let separator = time.as_bytes().get(2).copied();
    let Some(separator @ (b':' | b'.')) = separator else {
        return Some(Cow::Borrowed(time));
    };
    let separator = char::from(separator);
    let end = time
        .find(|c: char| !c.is_ascii_digit() && c != separator)
        .unwrap_or(time.len());
    let (clock, behind) = time.split_at_checked(end)?;
    let parts: Vec<&str> = clock.split(separator).collect();
    let is_clock = matches!(parts.len(), 2 | 3) && parts.iter().all(|part| part.len() == 2);
    is_clock.then(|| Cow::Owned(parts.concat() + behind))
}

/// Whether a time can be true: not before 2000, not more than two years after it was told.
pub(super) fn is_plausible(at: Timestamp, received_at: Timestamp) -> bool {
    let first = Date::constant(2000, 1, 1).to_zoned(TimeZone::UTC);
    let last = received_at.to_zoned(TimeZone::UTC).checked_add(2.years());
    first.is_ok_and(|first| first.timestamp() <= at)
        && last.is_ok_and(|last| at <= last.timestamp())
}

/// `CCYYMMDD` or `YYMMDD`.
fn day(text: &str) -> Option<Date> {
    let text = text.trim();
    let (year, rest) = match text.len() {
        8 => (number(text.get(..4)?)?, text.get(4..)?),
        6 => (2000 + number(text.get(..2)?)?, text.get(2..)?),
        _ => return None,
    };
    let (month, day) = (number(rest.get(..2)?)?, number(rest.get(2..)?)?);
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// `HHMM`, `HHMMSS` (parts of a second behind are left out), and with the zero before the hour missing. The
/// flag says that it is 24:00.
fn of_day(text: &str) -> Option<(Time, bool)> {
    let text = text.trim();
    if !text.is_ascii() {
        return None;
    }
    let padded = match text.len() {
        1 => format!("0{text}00"),
        2 => format!("{text}00"),
        3 | 5 => format!("0{text}"),
        _ => text.to_owned(),
    };
    let part = |from: usize| padded.get(from..from + 2).map_or(Some(0), number);
    let (hour, minute, second) = (part(0)?, part(2)?, part(4)?);
    if (hour, minute, second) == (24, 0, 0) {
        return Some((Time::midnight(), true));
    }
    let [hour, minute, second] = [hour, minute, second].map(|n| i8::try_from(n).ok());
    Some((Time::new(hour?, minute?, second?, 0).ok()?, false))
}

fn number(text: &str) -> Option<i16> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// What a tag says. `LT` says nothing: then the place decides.
fn said(tag: &str) -> Option<Said> {
    let tag = tag.trim().to_ascii_uppercase();
    if matches!(tag.as_str(), "" | "LT" | "LOCAL") {
        return None;
    }
    let from_greenwich = ["UTC", "GMT"].iter().find_map(|name| {
        let behind = tag.strip_prefix(name)?;
        behind.starts_with(['+', '-']).then_some(behind)
    });
    let known = offset(from_greenwich.unwrap_or(&tag)).or_else(|| zone(&tag));
    Some(match known {
        Some((zone, source)) => Said::Zone(zone, source),
        None => Said::Name(tag),
    })
}

/// The largest offset that clocks have.
const OFFSET_SECONDS_MAX: i32 = 14 * 3_600;

/// `+0530`, `-05`, `-5`, `05:30`.
fn offset(tag: &str) -> Option<(TimeZone, ZoneSource)> {
    let tag = tag.trim();
    let (sign, digits) = match tag.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, tag.strip_prefix('+')?),
    };
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let digits = if digits.len() % 2 == 1 {
        format!("0{digits}")
    } else {
        digits
    };
    let hours = i32::from(number(digits.get(..2)?)?);
    let minutes = i32::from(digits.get(2..4).and_then(number).unwrap_or(0));
    let seconds = sign * (hours * 3600 + minutes * 60);
    let offset = Offset::from_seconds(seconds).ok()?;
    let offset = (seconds.abs() <= OFFSET_SECONDS_MAX).then_some(offset)?;
    Some((TimeZone::fixed(offset), ZoneSource::Offset))
}

/// A zone tag of X12 (element 623).
fn zone(tag: &str) -> Option<(TimeZone, ZoneSource)> {
    if matches!(tag, "GM" | "UT" | "UTC" | "GMT" | "Z" | "ZZZ") {
        return Some((TimeZone::UTC, ZoneSource::Utc));
    }
    let told = |zone: TimeZone| Some((zone, ZoneSource::Tag));
    if let Some(hours) = number(tag).filter(|_| tag.len() == 2) {
        // 01 to 12 lie east of Greenwich; 13 stands for twelve hours west, 24 for one.
        let hours = match hours {
            1..=12 => hours,
            13..=24 => hours - 25,
            _ => return None,
        };
        let offset = Offset::from_seconds(i32::from(hours) * 3600).ok()?;
        return told(TimeZone::fixed(offset));
    }
    let mut letters = tag.chars();
    let (civil, standard) = match letters.next()? {
        'E' => ("America/New_York", -300),
        'C' => ("America/Chicago", -360),
        'M' => ("America/Denver", -420),
        'P' => ("America/Los_Angeles", -480),
        'A' => ("America/Anchorage", -540),
        'H' => ("Pacific/Honolulu", -600),
        'N' => ("America/St_Johns", -210),
        'T' => ("America/Halifax", -240),
        _ => return None,
    };
    let minutes = match (letters.next()?, letters.next()) {
        ('T', None) => return told(TimeZone::get(civil).ok()?),
        ('S', None) => standard,
        ('D' | 'P', None) => standard + 60,
        _ => return None,
    };
    told(TimeZone::fixed(Offset::from_seconds(minutes * 60).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(clock: Option<Clock>) -> String {
        let here = TimeZone::get("Asia/Shanghai").unwrap();
        let here = Some((here, ZoneSource::Location));
        clock
            .and_then(|clock| clock.resolve(here))
            .map_or("none".into(), |o| {
                format!("{} {:?} {:?}", o.at, o.zone_source, o.precision)
            })
    }

    #[test]
    fn times_of_x12() {
        for (date, time, tag, expected) in [
            (
                "20261103",
                "1255",
                "",
                "2026-11-03T04:55:00Z Location Minute",
            ),
            (
                "20261103",
                "125530",
                "LT",
                "2026-11-03T04:55:30Z Location Minute",
            ),
            ("261103", "0900", "GM", "2026-11-03T09:00:00Z Utc Minute"),
            (
                "20261103",
                "915",
                "",
                "2026-11-03T01:15:00Z Location Minute",
            ),
            (
                "20261103",
                "12553099",
                "",
                "2026-11-03T04:55:30Z Location Minute",
            ),
            ("20261103", "", "", "2026-11-02T16:00:00Z Location Day"),
            (
                "20261103",
                "0000",
                "PT",
                "2026-11-02T16:00:00Z Location Day",
            ),
            (
                "20261103",
                "2400",
                "",
                "2026-11-03T16:00:00Z Location Minute",
            ),
            ("20260703", "0900", "PT", "2026-07-03T16:00:00Z Tag Minute"),
            ("20260703", "0900", "PS", "2026-07-03T17:00:00Z Tag Minute"),
            ("20261103", "0900", "PD", "2026-11-03T16:00:00Z Tag Minute"),
            ("20261103", "0900", "ET", "2026-11-03T14:00:00Z Tag Minute"),
            ("20261103", "0900", "AT", "2026-11-03T18:00:00Z Tag Minute"),
            ("20260703", "0900", "TD", "2026-07-03T12:00:00Z Tag Minute"),
            ("20261103", "0900", "08", "2026-11-03T01:00:00Z Tag Minute"),
            ("20261103", "0900", "20", "2026-11-03T14:00:00Z Tag Minute"),
            ("20261103", "2560", "", "none"),
            ("20261303", "0900", "", "none"),
            ("", "0900", "", "none"),
            ("2026110", "", "", "none"),
        ] {
            assert_eq!(at(x12(date, time, tag)), expected, "{date} {time} {tag}");
        }
    }

    #[test]
    fn times_of_edifact() {
        for (text, format, expected) in [
            (
                "202611031255",
                "203",
                "2026-11-03T04:55:00Z Location Minute",
            ),
            (
                "202611030955-0800",
                "205",
                "2026-11-03T17:55:00Z Offset Minute",
            ),
            (
                "20261103125530",
                "204",
                "2026-11-03T04:55:30Z Location Minute",
            ),
            ("20261103", "102", "2026-11-02T16:00:00Z Location Day"),
            ("2611031255", "201", "2026-11-03T04:55:00Z Location Minute"),
            ("202611031255UTC", "303", "2026-11-03T12:55:00Z Utc Minute"),
            (
                "202611031255+05",
                "303",
                "2026-11-03T07:55:00Z Offset Minute",
            ),
            (
                "20261103125530-0330",
                "304",
                "2026-11-03T16:25:30Z Offset Minute",
            ),
            ("202611031255", "", "2026-11-03T04:55:00Z Location Minute"),
            ("2026-11-03", "203", "none"),
            ("", "203", "none"),
            // Found by a reviewer: the minutes were lost, and so was a zone behind seconds.
            (
                "20261103T12:55",
                "203",
                "2026-11-03T04:55:00Z Location Minute",
            ),
            (
                "20261103 12.55.30",
                "204",
                "2026-11-03T04:55:30Z Location Minute",
            ),
            (
                "20261103 12:55+01:00",
                "303",
                "2026-11-03T11:55:00Z Offset Minute",
            ),
            ("20261103T12:5", "203", "none"),
            ("20261103 02:30 PM", "203", "none"),
            ("20261103T12", "55", "none"),
            ("20261103125530Z", "203", "2026-11-03T12:55:00Z Utc Minute"),
            (
                "20261103125530EST",
                "303",
                "2026-11-03T04:55:00Z Unknown Minute",
            ),
            ("261103125530Z", "302", "2026-11-03T12:55:00Z Utc Minute"),
            (
                "20261103125530.123Z",
                "204",
                "2026-11-03T12:55:30Z Utc Minute",
            ),
        ] {
            assert_eq!(at(edifact(text, format)), expected, "{text} {format}");
        }
    }
}
