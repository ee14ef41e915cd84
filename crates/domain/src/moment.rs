//! Moments as people write them, and which of them can be kept.
//!
//! Every moment from outside is read here, so that none gets further that no store could keep: whoever sent it hears so at once.

use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;

/// The first one that can be kept: the beginning of the year 0. Years before it have no four digits.
pub const FIRST: Timestamp = Timestamp::constant(-62_167_219_200, 0);
/// The last one, in the evening of 30 December 9999: a day later it would be the year 10000 somewhere.
pub const LAST: Timestamp = Timestamp::MAX;

/// Reads a time with its offset. One in the last day of the year 9999 means "for ever" and is taken for the last there is.
pub fn read(text: &str) -> Option<Timestamp> {
    let at = text.parse().ok().or_else(|| for_ever(text))?;
    (at >= FIRST).then_some(at)
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
