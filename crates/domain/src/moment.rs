//! Moments as people write them, and which of them can be kept.
//!
//! Every moment from outside is read here, so that none gets further that no store could keep: whoever sent it hears so at once.

use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;

/// The first one that can be kept: the beginning of the year 0. Years before it have no four digits.
pub const FIRST: Timestamp = Timestamp::constant(-62_167_219_200, 0);
/// The last one, in the evening of 30 December 9999: a day later it would be the year 10000 somewhere.
pub const LAST: Timestamp = Timestamp::MAX;

/// Reads a time with its offset. One in the last day of the year 9999 means "for ever" and is taken for the last there is.
pub fn read(text: &str) -> Option<Timestamp> {
    let at = text.parse().ok().or_else(|| for_ever(text))?;
    (at >= FIRST).then_some(at)
}

/// A moment as text in UTC: `2026-02-26T05:00:00Z`, with six digits behind the second where they are asked for. Each change writes
/// dozens of them, so the digits are set one by one: by the formatter they were three parts in a hundred of a store's
/// writing thread.
#[derive(Clone, Copy, Debug)]
pub struct Spelled {
    letters: [u8; 27],
    length: usize,
}

impl Spelled {
    /// To the second; what is less is left out. From [`FIRST`] on.
    pub fn to_seconds(at: Timestamp) -> Self {
        let mut spelled = Self::begun(at);
        spelled.put(b'Z');
        spelled
    }

    /// To the microsecond, always 27 characters, so that text order is time order. From [`FIRST`] on.
    pub fn to_microseconds(at: Timestamp) -> Self {
        let mut spelled = Self::begun(at);
        let micros = TimeZone::UTC.to_datetime(at).subsec_nanosecond() / 1000;
        spelled.put(b'.');
        spelled.digits(micros, 100_000);
        spelled.put(b'Z');
        spelled
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        let written = self.letters.get(..self.length).unwrap_or_default();
        std::str::from_utf8(written).unwrap_or_default()
    }

    fn begun(at: Timestamp) -> Self {
        let utc = TimeZone::UTC.to_datetime(at);
        let mut spelled = Self {
            letters: [0; 27],
            length: 0,
        };
        for (value, first, behind) in [
            (i32::from(utc.year()), 1000, Some(b'-')),
            (i32::from(utc.month()), 10, Some(b'-')),
            (i32::from(utc.day()), 10, Some(b'T')),
            (i32::from(utc.hour()), 10, Some(b':')),
            (i32::from(utc.minute()), 10, Some(b':')),
            (i32::from(utc.second()), 10, None),
        ] {
            spelled.digits(value, first);
            if let Some(sign) = behind {
                spelled.put(sign);
            }
        }
        spelled
    }

    /// The digits of a number, the first of which counts so much.
    fn digits(&mut self, value: i32, first: i32) {
        let mut counts = first;
        while counts > 0 {
            let digit = (value / counts).rem_euclid(10);
            self.put(b'0' + u8::try_from(digit).unwrap_or_default());
            counts /= 10;
        }
    }

    fn put(&mut self, letter: u8) {
        if let Some(place) = self.letters.get_mut(self.length) {
            *place = letter;
            self.length += 1;
        }
    }
}

/// As stores keep it and tell it apart: without what is less than a microsecond.
#[must_use]
pub fn whole_microseconds(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}

fn for_ever(text: &str) -> Option<Timestamp> {
    let pieces = Pieces::parse(text).ok()?;
    let at = pieces.date().to_datetime(pieces.time()?);
    let offset = pieces.to_numeric_offset()?;
    let is_beyond = at.year() == 9999 && offset.to_timestamp(at).is_err();
    is_beyond.then_some(LAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_spelled_as_the_formatter_does() {
        let seconds = [
            -62_167_219_200,
            -1,
            0,
            951_782_400,
            1_772_082_000,
            253_402_207_200,
        ];
        for second in seconds {
            for nanosecond in [0, 1_000, 999_999_000, 500_000_000] {
                let at = Timestamp::new(second, nanosecond).unwrap();
                assert_eq!(Spelled::to_seconds(at).as_str(), format!("{at:.0}"));
                assert_eq!(Spelled::to_microseconds(at).as_str(), format!("{at:.6}"));
            }
        }
    }

    #[test]
    fn what_can_be_kept_is_read() {
        for (text, expected) in [
            ("2026-03-01T12:00:00Z", Some("2026-03-01T12:00:00Z")),
            ("2026-03-01T12:00:00+02:00", Some("2026-03-01T10:00:00Z")),
            ("0000-01-01T00:00:00Z", Some("0000-01-01T00:00:00Z")),
            ("-000001-12-31T23:00:00-01:00", Some("0000-01-01T00:00:00Z")),
            ("-000001-12-31T23:59:59Z", None),
            ("-000001-12-31T23:59:59.999999999Z", None),
            ("0000-01-01T00:00:00+00:01", None),
            ("-009999-01-01T00:00:00Z", None),
            (
                "9999-12-31T00:00:00Z",
                Some("9999-12-30T22:00:00.999999999Z"),
            ),
            (
                "9999-12-31T23:59:59.999999Z",
                Some("9999-12-30T22:00:00.999999999Z"),
            ),
            (
                "9999-12-31T23:59:59-23:00",
                Some("9999-12-30T22:00:00.999999999Z"),
            ),
            ("9999-12-30T22:00:00Z", Some("9999-12-30T22:00:00Z")),
            ("9999-12-32T00:00:00Z", None),
            ("9999-12-31T00:00:00", None),
            ("9999-12-31", None),
            ("2026-03-01", None),
            ("yesterday", None),
        ] {
            let expected = expected.map(|at| at.parse::<Timestamp>().unwrap());
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
