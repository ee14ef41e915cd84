//! Times as carriers write them.
//!
//! The standard wants a date, a time and an offset. Seen besides: no offset (the time is local at the
//! place), `Z` behind a local time (a setting of the feed), spaces and slashes in the date, only a date,
//! 24:00. The wall clock as sent is always kept, so that it can be read again when the place becomes known.

use domain::codes::UnLocode;
use domain::place::Gazetteer;
use domain::report::{Occurred, Precision, ZoneSource};
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::temporal::{Pieces, PiecesOffset};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan};

use super::profile::Quirks;

/// A wall clock and what was said about its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WallClock {
    pub(crate) local: DateTime,
    pub(crate) zone: SaidZone,
    pub(crate) precision: Precision,
}

/// What a text says about the zone of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SaidZone {
    /// Nothing.
    Nothing,
    /// `Z`.
    Zulu,
    /// `+05:30`.
    Offset(Offset),
}

/// Where a time was noted; its zone is used when the text names none.
#[derive(Clone, Copy)]
pub(crate) struct Spot<'a> {
    pub(crate) gazetteer: &'a Gazetteer,
    pub(crate) locode: Option<UnLocode>,
    pub(crate) facility: Option<&'a str>,
}

impl Spot<'_> {
    /// The terminal's zone, else the port's.
    fn zone(&self) -> Option<TimeZone> {
        let locode = self.locode?;
        let terminal = self
            .facility
            .and_then(|code| self.gazetteer.terminal_at(locode, code));
        let name = match terminal {
            Some(terminal) => terminal.zone.as_str(),
            None => self.gazetteer.zone(locode)?,
        };
        TimeZone::get(name).ok()
    }
}

/// Reads a text. The usual forms are the library's business; the odd ones are put into shape first.
pub(crate) fn read(text: &str) -> Option<WallClock> {
    let text = text.trim();
    from_pieces(text).or_else(|| from_pieces(&in_shape(text)?))
}

/// The instant that a wall clock means at a place. An hour that happens twice is taken the first time, one
/// that is left out is moved on by the gap.
pub(crate) fn resolve(clock: WallClock, spot: Spot<'_>, quirks: Quirks) -> Option<Occurred> {
    let midnight = quirks.midnight_is_date && clock.local.time() == Time::midnight();
    let date_only = quirks.date_only || midnight || clock.precision == Precision::Day;
    let (local, precision) = if date_only {
        (
            clock.local.date().to_datetime(Time::midnight()),
            Precision::Day,
        )
    } else {
        (clock.local, clock.precision)
    };
    // A date has no instant of its own, so a Z behind it says nothing about where its day began.
    let zulu_counts = !quirks.z_is_local && !date_only;
    let (zone, zone_source) = match clock.zone {
        SaidZone::Offset(offset) => (TimeZone::fixed(offset), ZoneSource::Offset),
        SaidZone::Zulu if zulu_counts => (TimeZone::UTC, ZoneSource::Utc),
        SaidZone::Zulu | SaidZone::Nothing => match spot.zone() {
            Some(zone) => (zone, ZoneSource::Location),
            None => (TimeZone::UTC, ZoneSource::Unknown),
        },
    };
    let at = local.to_zoned(zone).ok()?.timestamp();
    Some(Occurred {
        at,
        local,
        zone_source,
        precision,
    })
}

/// Whether a time can be true: not before 2000, not more than two years after it was told.
pub(crate) fn is_plausible(at: Timestamp, received_at: Timestamp) -> bool {
    let first = Date::constant(2000, 1, 1).to_zoned(TimeZone::UTC);
    let last = received_at.to_zoned(TimeZone::UTC).checked_add(2.years());
    first.is_ok_and(|first| first.timestamp() <= at)
        && last.is_ok_and(|last| at <= last.timestamp())
}

fn from_pieces(text: &str) -> Option<WallClock> {
    let pieces = Pieces::parse(text).ok()?;
    let (time, precision) = match pieces.time() {
        Some(time) => (time, Precision::Minute),
        None => (Time::midnight(), Precision::Day),
    };
    let zone = match pieces.offset() {
        None => SaidZone::Nothing,
        Some(PiecesOffset::Numeric(numeric)) => SaidZone::Offset(numeric.offset()),
        Some(_) => SaidZone::Zulu,
    };
    Some(WallClock {
        local: pieces.date().to_datetime(time),
        zone,
        precision,
    })
}

/// An odd text in the standard's form: year, month, day, then hour, minute, second, then the zone, with
/// whatever stood between them replaced. Only orders that begin with the year are read: `01/02/2026` means
/// two different days.
fn in_shape(text: &str) -> Option<String> {
    let mut rest = Cursor(text.as_bytes());
    let year = rest.digits(4, 4)?;
    rest.skip(b"-/. ");
    let month = rest.digits(1, 2)?;
    rest.skip(b"-/. ");
    let day = rest.digits(1, 2)?;
    let date = Date::new(
        i16::try_from(year).ok()?,
        i8::try_from(month).ok()?,
        i8::try_from(day).ok()?,
    );
    rest.skip(b"Tt ");
    let Some(hour) = rest.digits(1, 2) else {
        return rest
            .is_empty()
            .then(|| date.map(|date| date.to_string()).ok())?;
    };
    rest.skip(b":.h");
    let minute = rest.digits(2, 2)?;
    rest.skip(b":.");
    let second = rest.digits(2, 2).unwrap_or(0);
    rest.fraction();
    rest.skip(b" ");
    let zone = rest.zone()?;
    let (date, hour) = match (hour, minute, second) {
        (24, 0, 0) => (date.ok()?.tomorrow().ok()?, 0),
        _ => (date.ok()?, hour),
    };
    Some(format!("{date}T{hour:02}:{minute:02}:{second:02}{zone}"))
}

struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self, count: usize) {
        self.0 = self.0.get(count..).unwrap_or_default();
    }

    fn skip(&mut self, any_of: &[u8]) {
        let count = self
            .0
            .iter()
            .take_while(|byte| any_of.contains(byte))
            .count();
        self.take(count);
    }

    fn digits(&mut self, least: usize, most: usize) -> Option<u32> {
        let digits = self
            .0
            .iter()
            .take(most)
            .take_while(|byte| byte.is_ascii_digit());
        let (count, number) = digits.fold((0, 0), |(count, number), digit| {
            (count + 1, number * 10 + u32::from(digit - b'0'))
        });
        if count < least {
            return None;
        }
        self.take(count);
        Some(number)
    }

    fn fraction(&mut self) {
        if matches!(self.0.first(), Some(b'.' | b',')) {
            self.take(1);
            self.skip(b"0123456789");
        }
    }

    /// `Z`, `UTC`, `+8`, `+0830`, `-05:00`, or nothing.
    fn zone(&mut self) -> Option<String> {
        let sign = match self.0 {
            [] => return Some(String::new()),
            [b'Z' | b'z'] | b"UTC" | b"GMT" => return Some("Z".into()),
            [b'+', ..] => '+',
            [b'-', ..] => '-',
            _ => return None,
        };
        self.take(1);
        let hours = self.digits(1, 2)?;
        self.skip(b":");
        let minutes = self.digits(2, 2).unwrap_or(0);
        self.is_empty()
            .then(|| format!("{sign}{hours:02}:{minutes:02}"))
    }
}
