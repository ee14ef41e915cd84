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
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::profile::Quirks;

/// A wall clock and what was said about its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WallClock {
    pub(crate) local: DateTime,
    pub(crate) zone: SaidZone,
    pub(crate) precision: Precision,
    /// The date as it is written, where the time is its 24:00.
    pub(crate) ends: Option<Date>,
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
    let usual = as_written_by_most(text.as_bytes());
    usual.or_else(|| from_pieces(text)).or_else(|| {
        let (text, ends) = in_shape(text)?;
        let read = from_pieces(&text)?;
        Some(WallClock { ends, ..read })
    })
}

/// `2026-03-15T09:10:00+08:00`, with `Z` or nothing in place of the offset: what nearly all write, read without
/// the library's choices.
fn as_written_by_most(text: &[u8]) -> Option<WallClock> {
    let (clock, zone) = text.split_at_checked(19)?;
    let [
        y1,
        y2,
        y3,
        y4,
        b'-',
        o1,
        o2,
        b'-',
        d1,
        d2,
        b'T',
        h1,
        h2,
        b':',
        m1,
        m2,
        b':',
        s1,
        s2,
    ] = clock
    else {
        return None;
    };
    let year = i16::from(two(*y1, *y2)?) * 100 + i16::from(two(*y3, *y4)?);
    let date = Date::new(year, two(*o1, *o2)?, two(*d1, *d2)?).ok()?;
    let time = Time::new(two(*h1, *h2)?, two(*m1, *m2)?, two(*s1, *s2)?, 0).ok()?;
    let zone = match zone {
        [] => SaidZone::Nothing,
        [b'Z'] => SaidZone::Zulu,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (two(*h1, *h2)?, two(*m1, *m2)?);
            if hours > 24 || minutes > 59 {
                return None;
            }
            let seconds = i32::from(hours) * 3_600 + i32::from(minutes) * 60;
            let seconds = if *sign == b'-' { -seconds } else { seconds };
            SaidZone::Offset(Offset::from_seconds(seconds).ok()?)
        }
        _ => return None,
    };
    Some(WallClock {
        local: date.to_datetime(time),
        zone,
        precision: Precision::Minute,
        ends: None,
    })
}

/// A number of two digits.
fn two(tens: u8, ones: u8) -> Option<i8> {
    let is_number = tens.is_ascii_digit() && ones.is_ascii_digit();
    is_number.then(|| i8::try_from((tens - b'0') * 10 + (ones - b'0')).ok())?
}

/// The wall clock with the offset that an id says of it, which is made up of it (`ACT2026-03-11T08:00:00:00+09:00`); MSC's are.
pub(super) fn with_offset_in(id: &str, clock: WallClock) -> WallClock {
    let text = id.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let said = || {
        let (written, zone) = text.split_at_checked(text.rfind(['+', '-'])?)?;
        let seconds = written.get(.."2026-03-11T08:00:00".len())?;
        read(&format!("{seconds}{zone}"))
    };
    let offset =
        said().filter(|said| said.local == clock.local && matches!(said.zone, SaidZone::Offset(_)));
    WallClock {
        zone: offset.map_or(clock.zone, |said| said.zone),
        ..clock
    }
}

/// The instant that a wall clock means at a place. An hour that happens twice is taken the first time, one
/// that is left out is moved on by the gap.
pub(crate) fn resolve(clock: WallClock, spot: Spot<'_>, quirks: Quirks) -> Option<Occurred> {
    let midnight = quirks.midnight_is_date && clock.local.time() == Time::midnight();
    let date_only = quirks.date_only || midnight || clock.precision == Precision::Day;
    let (local, precision) = if date_only {
        // The date as it is written: the wall clock of 24:00 stands on the next.
        let date = clock.ends.unwrap_or(clock.local.date());
        (date.to_datetime(Time::midnight()), Precision::Day)
    } else {
        (clock.local, clock.precision)
    };
    // A date has no instant of its own, so a Z behind it says nothing about where its day began.
    let zulu_counts = !quirks.z_is_local && !date_only;
    let (at, zone_source) = match clock.zone {
        SaidZone::Offset(offset) => (offset.to_timestamp(local), ZoneSource::Offset),
        SaidZone::Zulu if zulu_counts => (Offset::UTC.to_timestamp(local), ZoneSource::Utc),
        SaidZone::Zulu | SaidZone::Nothing => match spot.zone() {
            Some(zone) => (zone.to_timestamp(local), ZoneSource::Location),
            None => (Offset::UTC.to_timestamp(local), ZoneSource::Unknown),
        },
    };
    let at = at.ok()?;
    Some(Occurred {
        at,
        local,
        zone_source,
        precision,
    })
}

/// 2000-01-01T00:00:00Z, in seconds since 1970.
const FIRST_SECOND: i64 = 946_684_800;

/// Whether a time can be true: not before 2000, not more than two years after it was told.
pub(crate) fn is_plausible(at: Timestamp, received_at: Timestamp) -> bool {
    // Two years have at least this many days; only what lies beyond needs the calendar.
    const NEAR: SignedDuration = SignedDuration::from_hours(730 * 24);
    if at.as_second() < FIRST_SECOND {
        return false;
    }
    let last = || received_at.to_zoned(TimeZone::UTC).checked_add(2.years());
    at.duration_since(received_at) <= NEAR || last().is_ok_and(|last| at <= last.timestamp())
}

/// What stands behind a time: `Z`, `UTC`, `+8`, `+0830`, `-05:00`, or nothing; `None` when it is anything else.
pub(crate) fn said_zone(text: &str) -> Option<SaidZone> {
    let zone = Cursor(text.as_bytes()).zone()?;
    from_pieces(&format!("2000-01-01T00:00{zone}")).map(|read| read.zone)
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
        ends: None,
    })
}

/// An odd text in the standard's form: year, month, day, then hour, minute, second, then the zone, with
/// whatever stood between them replaced. Only orders that begin with the year are read: `01/02/2026` means
/// two different days. With it the date of which the time is 24:00.
fn in_shape(text: &str) -> Option<(String, Option<Date>)> {
    let mut rest = Cursor(text.as_bytes());
    let year = rest.digits(4, 4)?;
    // Where nothing stands between them, both have two digits: 2026074 is the 74th day of its year, or a digit was lost.
    let least = |apart: bool| if apart { 1 } else { 2 };
    let apart = rest.skip(b"-/. ");
    let month = rest.digits(least(apart), 2)?;
    let apart = rest.skip(b"-/. ");
    let day = rest.digits(least(apart), 2)?;
    let date = Date::new(
        i16::try_from(year).ok()?,
        i8::try_from(month).ok()?,
        i8::try_from(day).ok()?,
    );
    rest.skip(b"Tt ");
    let Some(hour) = rest.digits(1, 2) else {
        return rest
            .is_empty()
            .then(|| date.map(|date| (date.to_string(), None)).ok())?;
    };
    rest.skip(b":.h");
    let minute = rest.digits(2, 2)?;
    rest.skip(b":.");
    let second = rest.digits(2, 2).unwrap_or(0);
    rest.fraction();
    rest.skip(b" ");
    let zone = rest.zone()?;
    let date = date.ok()?;
    let ends = ((hour, minute, second) == (24, 0, 0)).then_some(date);
    let (date, hour) = match ends {
        Some(date) => (date.tomorrow().ok()?, 0),
        None => (date, hour),
    };
    let text = format!("{date}T{hour:02}:{minute:02}:{second:02}{zone}");
    Some((text, ends))
}

struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self, count: usize) {
        self.0 = self.0.get(count..).unwrap_or_default();
    }

    /// Whether there was any.
    fn skip(&mut self, any_of: &[u8]) -> bool {
        let count = self
            .0
            .iter()
            .take_while(|byte| any_of.contains(byte))
            .count();
        self.take(count);
        count > 0
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
