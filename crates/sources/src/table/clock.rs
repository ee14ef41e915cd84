//! Dates and times as terminals write them.
//!
//! A date without a year is refused, and never takes the hour behind it for one: see [`date_parts`](super::date_parts).
//!
//! Forms that begin with the year are read as they stand. `03/04/2026` means two different days, so the mapping
//! says which part comes first; without it such a text is read only when one part can be no month.
//!
//! `26-Nov-28` means two days as well: some terminals write the year first, most the day. Where the mapping does not say it
//! (`dates = "day-first"`, or a form of its own) the one is meant that lies nearer to the receipt of the file, by [`NEARER_BY`]
//! at least: what a table speaks of is of these weeks, and a last free day that is two years off costs money.

use domain::container::LastFreeDay;
use domain::report::{Occurred, Precision, ZoneSource};
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::strtime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use super::cell::Cell;
use super::claims::quoted;
use super::date_parts::{Parts, has_no_year, month, number, parts, year};
use super::epoch;
use super::place::Found;
use super::time_of_day::{self, Zone};
use crate::free_day::free_day;
use crate::ocean::dcsa::time::{self, SaidZone, WallClock};

/// Which part of `03/04/2026` comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    MonthFirst,
    DayFirst,
}

/// How old a row of a table may be.
const OLD_ROWS: SignedDuration = SignedDuration::from_hours(3 * 366 * 24);
/// By how much one of two days is nearer to the receipt that is taken for the one that is meant. They lie a year apart or more.
const NEARER_BY: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Where and when something was written.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    /// The zone of the place; `None` where it is not known.
    pub(super) zone: Option<&'a TimeZone>,
    /// That of most of its state, where its own is not known.
    pub(super) near: Option<&'a TimeZone>,
    /// Whether the place lies in the United States or Canada.
    pub(super) is_american: bool,
    pub(super) received_at: Timestamp,
}

impl<'a> Written<'a> {
    pub(super) fn at(found: &'a Found, received_at: Timestamp) -> Self {
        Self {
            zone: found.zone.as_ref(),
            near: found.near.as_ref(),
            is_american: found.is_american,
            received_at,
        }
    }
}

/// Why a cell is no time, or no date, for whoever mends it.
pub(super) fn refusal(cell: &Cell, no: &str, received_at: Timestamp) -> String {
    match cell {
        Cell::Text(text) | Cell::Number(text) if has_no_year(text, received_at) => {
            format!("{} has no year", quoted(cell))
        }
        cell => format!("{} is no {no}", quoted(cell)),
    }
}

/// How a feed writes its times.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    /// Forms of its own, tried first.
    pub(super) formats: Vec<String>,
    pub(super) order: Option<Order>,
    /// `Z` stands behind local times.
    pub(super) z_is_local: bool,
    /// Midnight as the time of a list means that only the day is known.
    pub(super) midnight_is_day: bool,
    /// Times without an offset are in this zone, wherever the place is.
    pub(super) zone: Option<TimeZone>,
}

impl Clocks {
    /// The wall clock in a cell; `None` when it is no time. A program that knows only the day writes
    /// midnight behind it; on another clock than the place's that is a minute.
    pub(super) fn read(&self, cell: &Cell, at: Written<'_>) -> Option<WallClock> {
        let read = self.as_written(cell, at)?;
        let is_of_the_place = self.zone.as_ref().is_none_or(|own| Some(own) == at.zone);
        Some(day_at_midnight(read, is_of_the_place))
    }

    /// The wall clock of a cell that says when a list was true: midnight is a minute, unless the mapping says that it is a day.
    pub(super) fn as_of(&self, cell: &Cell, at: Written<'_>) -> Option<WallClock> {
        let read = self.as_written(cell, at)?;
        Some(day_at_midnight(read, self.midnight_is_day))
    }

    /// The wall clock in a cell as it stands there: midnight is a minute like others.
    fn as_written(&self, cell: &Cell, at: Written<'_>) -> Option<WallClock> {
        let text = match cell {
            Cell::Clock(local, timed) => return Some(clock(*local, *timed)),
            Cell::Text(text) | Cell::Number(text) => text,
            _ => return None,
        };
        let own = self.formats.iter().find_map(|form| by_form(form, text));
        let usual = || {
            let read = time::read(text).or_else(|| {
                let here = self.zone.as_ref().or(at.zone);
                in_words(text, self.order, Written { zone: here, ..at })
            });
            read.filter(|_| !has_no_year(text, at.received_at))
        };
        let read = own
            .or_else(usual)
            .or_else(|| epoch::read(cell, at.received_at))?;
        let zone = match read.zone {
            SaidZone::Zulu if self.z_is_local => SaidZone::Nothing,
            said => said,
        };
        Some(WallClock { zone, ..read })
    }

    /// The instant that a wall clock means at this place. On the clock of most of its state it is near, and not sure.
    pub(super) fn resolve(&self, clock: WallClock, at: Written<'_>) -> Option<Occurred> {
        let whole_day = clock.precision == Precision::Day;
        let (zone, zone_source) = match clock.zone {
            SaidZone::Offset(offset) => (TimeZone::fixed(offset), ZoneSource::Offset),
            SaidZone::Zulu if !whole_day => (TimeZone::UTC, ZoneSource::Utc),
            SaidZone::Zulu | SaidZone::Nothing => self.local(at.zone, at.near),
        };
        Some(Occurred {
            at: clock.local.to_zoned(zone).ok()?.timestamp(),
            local: clock.local,
            zone_source,
            precision: clock.precision,
        })
    }

    /// The day that a wall clock means as a last free day where the place has this zone, whichever clock it is written on.
    pub(super) fn day(&self, clock: WallClock, place: Option<&TimeZone>) -> Option<LastFreeDay> {
        let here = place.or(self.zone.as_ref());
        let written_in = match clock.zone {
            SaidZone::Offset(offset) => TimeZone::fixed(offset),
            SaidZone::Zulu => TimeZone::UTC,
            SaidZone::Nothing => self.local(place, None).0,
        };
        let at = clock.local.to_zoned(written_in).ok()?.timestamp();
        Some(LastFreeDay {
            date: (clock.ends).unwrap_or_else(|| free_day(clock.local, at, here)),
            zone: here.and_then(TimeZone::iana_name).map(str::to_owned),
        })
    }

    fn local(&self, place: Option<&TimeZone>, near: Option<&TimeZone>) -> (TimeZone, ZoneSource) {
        match (&self.zone, place) {
            (Some(zone), _) => (zone.clone(), ZoneSource::Tag),
            (None, Some(zone)) => (zone.clone(), ZoneSource::Location),
            (None, None) => {
                let near = near.cloned().unwrap_or(TimeZone::UTC);
                (near, ZoneSource::Unknown)
            }
        }
    }
}

fn day_at_midnight(read: WallClock, is_day: bool) -> WallClock {
    let precision = if is_day && is_midnight(&read) {
        Precision::Day
    } else {
        read.precision
    };
    WallClock { precision, ..read }
}

/// Whether it is the first minute of a day, without a zone of its own.
fn is_midnight(clock: &WallClock) -> bool {
    clock.zone == SaidZone::Nothing
        && clock.ends.is_none()
        && clock.local.time() == Time::midnight()
}

const FIRST_YEAR_OF_FOUR_DIGITS: i16 = 1_000;

/// Whether a form of a mapping can be read: it must give a date back that was written with it.
pub(super) fn is_form(form: &str) -> bool {
    if form == epoch::FORM {
        return true;
    }
    let sample = DateTime::constant(2026, 11, 23, 17, 45, 0, 0);
    let Ok(written) = strtime::format(form, sample) else {
        return false;
    };
    by_form(form, &written).is_some_and(|read| read.local.date() == sample.date())
}

/// Reads a text by a form of a mapping. A year of `%Y` has four digits: the library takes two for one of the first century.
fn by_form(form: &str, text: &str) -> Option<WallClock> {
    if form == epoch::FORM {
        return epoch::by_form(text);
    }
    let read = strtime::parse(form, text).ok()?;
    let date = read.to_date().ok()?;
    if date.year() < FIRST_YEAR_OF_FOUR_DIGITS {
        return None;
    }
    let offset = read.offset().map_or(SaidZone::Nothing, SaidZone::Offset);
    let timed = read.hour().is_some();
    let time = if timed {
        read.to_time().ok()?
    } else {
        Time::midnight()
    };
    Some(WallClock {
        zone: offset,
        ..clock(date.to_datetime(time), timed)
    })
}

fn clock(local: DateTime, timed: bool) -> WallClock {
    WallClock {
        local: if timed {
            local
        } else {
            local.date().to_datetime(Time::midnight())
        },
        zone: SaidZone::Nothing,
        precision: if timed {
            Precision::Minute
        } else {
            Precision::Day
        },
        ends: None,
    }
}

/// `3/20/2026 2:05 PM`, `20-Mar-26`, `2026-Mar-20`, `Mar 20, 2026 14:05 UTC`; the zone is that of the clocks where it was written.
fn in_words(text: &str, order: Option<Order>, at: Written<'_>) -> Option<WallClock> {
    let Parts {
        all: [a, b, c],
        rest,
    } = parts(text, at.received_at)?;
    let date = date(a, b, c, order, at.received_at)?;
    if !rest.contains(char::is_alphanumeric) {
        return Some(clock(date.to_datetime(Time::midnight()), false));
    }
    let told = time_of_day::read(rest)?;
    let (on, time) = told.on(date)?;
    let local = on.to_datetime(time);
    let zone = match told.zone {
        Zone::Said(said) => said,
        Zone::Called(name) => called_at(name, local, at)?,
    };
    Some(WallClock {
        zone,
        ends: (on != date).then_some(date),
        ..clock(local, true)
    })
}

/// The day that three parts mean.
fn date(a: &str, b: &str, c: &str, order: Option<Order>, received_at: Timestamp) -> Option<Date> {
    let day_last = |month| day_of(year(a)?, month, number(c)?);
    match (month(a), month(b)) {
        (Some(month), _) => day_of(year(c)?, month, number(b)?),
        (None, Some(month)) if a.len() == 4 => day_last(month),
        (None, Some(month)) => {
            let day_first = day_of(year(c)?, month, number(a)?);
            either(day_first, day_last(month), c, order, received_at)
        }
        // Its time has something behind it that only people write: `2026-03-20 14:05 CT`.
        (None, None) if a.len() == 4 => day_of(year(a)?, number(b)?, number(c)?),
        (None, None) => {
            let (month, day) = in_order(number(a)?, number(b)?, order)?;
            let usual = day_of(year(c)?, month, day);
            // `26/11/28` may begin with the year, too, where nobody says what it begins with.
            let is_open = order.is_none() && a.len() == 2;
            let year_first = is_open.then(|| day_of(year(a)?, number(b)?, number(c)?));
            either(usual, year_first.flatten(), c, order, received_at)
        }
    }
}

/// Of two days the only one, or the one that is nearer by far: the first where the mapping says what comes first, or `last` has
/// four digits and is the year.
fn either(
    usual: Option<Date>,
    year_first: Option<Date>,
    last: &str,
    order: Option<Order>,
    received_at: Timestamp,
) -> Option<Date> {
    let is_told = last.len() != 2 || order == Some(Order::DayFirst);
    let year_first = year_first.filter(|_| !is_told);
    let (Some(usual), Some(year_first)) = (usual, year_first) else {
        return usual.or(year_first);
    };
    let away = |day: Date| {
        let at = day
            .to_zoned(TimeZone::UTC)
            .map(|day| day.timestamp())
            .ok()?;
        Some(at.duration_since(received_at).abs())
    };
    let (usual_away, year_first_away) = (away(usual)?, away(year_first)?);
    match () {
        () if usual == year_first => Some(usual),
        () if usual_away + NEARER_BY <= year_first_away => Some(usual),
        // A year or two ago is an old row as well as a year in front; nobody has rows of many years ago, or of years ahead.
        () if year_first_away + NEARER_BY <= usual_away => {
            let is_no_old_row = usual > year_first || usual_away > OLD_ROWS;
            is_no_old_row.then_some(year_first)
        }
        () => None,
    }
}

fn day_of(year: i16, month: i32, day: i32) -> Option<Date> {
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// Names of zones that have none in the tables, with their hours ahead of UTC.
const NAMED_BY_PEOPLE: [(&str, i32); 11] = [
    ("SGT", 8),
    ("MYT", 8),
    ("GST", 4),
    ("ICT", 7),
    ("TRT", 3),
    ("BRT", -3),
    ("ART", -3),
    ("UYT", -3),
    ("PET", -5),
    ("COT", -5),
    ("ECT", -5),
];

/// What an abbreviation says at a place. Where nobody knows its clock, the names of those of North America are names of its own,
/// if it lies there: `ET` is the hour of New York, be the place in a part of Ontario that keeps another one.
fn called_at(name: &str, local: DateTime, at: Written<'_>) -> Option<SaidZone> {
    if let Some(here) = at.zone {
        return called(name, local, here);
    }
    let near = at.near.cloned().into_iter();
    let mut clocks = near.chain(american(name)).filter(|_| at.is_american);
    clocks.find_map(|clock| match called(name, local, &clock)? {
        // The place has no zone to read it by.
        SaidZone::Nothing => Some(SaidZone::Offset(first_offset(local, &clock))),
        said => Some(said),
    })
}

/// The clock of North America with this name: `ET`, `EST` or `EDT`.
pub(crate) fn american(name: &str) -> Option<TimeZone> {
    let name = name.to_ascii_uppercase();
    let zone = match name.as_str() {
        "PT" | "PST" | "PDT" => "America/Los_Angeles",
        "MT" | "MST" | "MDT" => "America/Denver",
        "CT" | "CST" | "CDT" => "America/Chicago",
        "ET" | "EST" | "EDT" => "America/New_York",
        "AT" | "AST" | "ADT" => "America/Halifax",
        "NT" | "NST" | "NDT" => "America/St_Johns",
        _ => return None,
    };
    TimeZone::get(zone).ok()
}

/// By which offset a wall clock is taken: an hour that happens twice the first time.
fn first_offset(local: DateTime, zone: &TimeZone) -> Offset {
    match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset,
        AmbiguousOffset::Gap { before, .. } | AmbiguousOffset::Fold { before, .. } => before,
    }
}

/// What an abbreviation says where the clocks have this zone. It counts where they go by it at that moment: PST is
/// nobody's time in Oakland's summer, and IST that of three countries. Whoever writes `PT` means the clock as it goes.
pub(crate) fn called(name: &str, local: DateTime, here: &TimeZone) -> Option<SaidZone> {
    let offsets = match here.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => [offset; 2],
        AmbiguousOffset::Gap { before, after } | AmbiguousOffset::Fold { before, after } => {
            [before, after]
        }
    };
    offsets.into_iter().find_map(|offset| {
        let at = offset.to_timestamp(local).ok()?;
        let goes_by = here.to_offset_info(at);
        let usual = goes_by.abbreviation();
        let either = (usual.len() == 3).then(|| usual.replace(['S', 'D'], ""));
        // Where the tables of zones have a number for a name, people have one all the same.
        let is_by_name = !usual.starts_with(|c: char| c.is_ascii_alphabetic())
            && NAMED_BY_PEOPLE.iter().any(|(known, hours)| {
                known.eq_ignore_ascii_case(name) && offset.seconds() == hours * 3_600
            });
        match () {
            () if goes_by.offset() != offset => None,
            () if usual.eq_ignore_ascii_case(name) || is_by_name => Some(SaidZone::Offset(offset)),
            () => (either?.eq_ignore_ascii_case(name)).then_some(SaidZone::Nothing),
        }
    })
}

fn in_order(a: i32, b: i32, order: Option<Order>) -> Option<(i32, i32)> {
    match order {
        Some(Order::MonthFirst) => Some((a, b)),
        Some(Order::DayFirst) => Some((b, a)),
        None if a > 12 && b <= 12 => Some((b, a)),
        None if b > 12 && a <= 12 => Some((a, b)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_march(zone: Option<&TimeZone>) -> Written<'_> {
        Written {
            zone,
            near: None,
            is_american: true,
            received_at: "2026-03-15T12:00:00Z".parse().unwrap(),
        }
    }

    fn read(clocks: &Clocks, text: &str) -> Option<String> {
        let clock = clocks.read(&Cell::Text(text.into()), in_march(None))?;
        let day = clock.precision == Precision::Day;
        Some(if day {
            clock.local.date().to_string()
        } else {
            clock.local.to_string()
        })
    }

    #[test]
    fn a_day_is_never_guessed() {
        let unsaid = Clocks::default();
        assert_eq!(read(&unsaid, "03/04/2026"), None);
        assert_eq!(read(&unsaid, "13/04/2026").as_deref(), Some("2026-04-13"));
        assert_eq!(read(&unsaid, "03/24/26").as_deref(), Some("2026-03-24"));
        assert_eq!(read(&unsaid, "13/14/2026"), None);
        let order = |order| Clocks {
            order: Some(order),
            ..Clocks::default()
        };
        let (us, eu) = (order(Order::MonthFirst), order(Order::DayFirst));
        assert_eq!(read(&us, "03/04/2026").as_deref(), Some("2026-03-04"));
        assert_eq!(read(&eu, "03/04/2026").as_deref(), Some("2026-04-03"));
        assert_eq!(read(&us, "13/04/2026"), None);
    }

    /// In March 2026.
    #[test]
    fn of_two_days_that_a_text_with_short_years_means_the_near_one_is_read_or_none() {
        let unsaid = Clocks::default();
        for (text, day) in [
            // Only one of both can be meant.
            ("28-Mar-26", Some("2026-03-28")),
            ("28-MAR-26 0700", Some("2026-03-28T07:00:00")),
            ("26-Mar-28", Some("2026-03-28")),
            ("26-Apr-02 1015", Some("2026-04-02T10:15:00")),
            ("28MAR26", Some("2026-03-28")),
            ("26/03/28", Some("2026-03-28")),
            ("28/03/26", Some("2026-03-28")),
            // 2026 or 2027, and one of them is a year away.
            ("26-Mar-27", Some("2026-03-27")),
            ("27-Mar-26", Some("2026-03-27")),
            ("26/03/27", Some("2026-03-27")),
            // An old row, or this February.
            ("26-Feb-25", None),
            // Half a year ahead or half a year ago.
            ("25-Sep-26", None),
            ("27-Sep-26", Some("2026-09-27")),
            // One day, and one that is no day.
            ("26-Mar-26", Some("2026-03-26")),
            ("31-Mar-26", Some("2026-03-31")),
            ("26-Feb-31", Some("2031-02-26")),
            // The year has four digits, wherever it stands.
            ("2026-Dec-02", Some("2026-12-02")),
            ("2026-Mar-28 0700", Some("2026-03-28T07:00:00")),
            ("26-Mar-2028", Some("2028-03-26")),
            ("Mar 26, 28", Some("2028-03-26")),
        ] {
            assert_eq!(read(&unsaid, text).as_deref(), day, "{text}");
        }
        let order = |order| Clocks {
            order: Some(order),
            ..Clocks::default()
        };
        let day_first = order(Order::DayFirst);
        for (text, day) in [
            ("27-Mar-26", Some("2026-03-27")),
            ("26-Mar-28", Some("2028-03-26")),
            ("26/03/28", Some("2028-03-26")),
        ] {
            assert_eq!(read(&day_first, text).as_deref(), day, "{text}");
        }
        // Where the month is first of three numbers, nothing is said of how one with a name is written.
        let month_first = order(Order::MonthFirst);
        assert_eq!(read(&month_first, "26/03/28"), None);
        assert_eq!(
            read(&month_first, "27-Mar-26").as_deref(),
            Some("2026-03-27")
        );
        assert_eq!(
            read(&month_first, "26-Mar-28").as_deref(),
            Some("2026-03-28")
        );
        let told = |forms: &[&str]| Clocks {
            formats: forms.iter().map(|form| (*form).to_owned()).collect(),
            ..Clocks::default()
        };
        let long_and_short = told(&["%d-%b-%Y", "%d-%b-%y"]);
        for text in ["27-Mar-26", "27-MAR-2026"] {
            assert_eq!(
                read(&long_and_short, text).as_deref(),
                Some("2026-03-27"),
                "{text}"
            );
        }
        let year_first = told(&["%y-%b-%d"]);
        assert_eq!(
            read(&year_first, "26-Mar-27").as_deref(),
            Some("2026-03-27")
        );
    }

    #[test]
    fn what_people_write() {
        let us = Clocks {
            order: Some(Order::MonthFirst),
            ..Clocks::default()
        };
        for (text, expected) in [
            ("2026-03-20", "2026-03-20"),
            ("20260320", "2026-03-20"),
            ("2026-03-20 14:05", "2026-03-20T14:05:00"),
            ("3/20/2026 2:05 PM", "2026-03-20T14:05:00"),
            ("3/20/2026 12:05 am", "2026-03-20T00:05:00"),
            ("3/20/2026 00:05 pm", "2026-03-20T12:05:00"),
            ("03/20/26 1405", "2026-03-20T14:05:00"),
            ("3/20/2026 24:00", "2026-03-21T00:00:00"),
            ("20-Mar-2026", "2026-03-20"),
            ("Mar 20, 2026 14:05:09", "2026-03-20T14:05:09"),
            ("20 March 2026", "2026-03-20"),
        ] {
            assert_eq!(read(&us, text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "soon",
            "3/20",
            "3/20/202",
            // The 74th day of the year, or a digit is missing.
            "2026074",
            "2026-074",
            "2026031",
            "99/99/9999",
            "3/20/2026 25:00",
            "1/1/2026 13 PM",
        ] {
            assert_eq!(read(&us, text), None, "{text}");
        }
    }

    #[test]
    fn midnight_stands_for_its_day() {
        let us = Clocks {
            order: Some(Order::MonthFirst),
            formats: vec!["%d.%m.%y %H:%M".into()],
            ..Clocks::default()
        };
        for text in [
            "3/20/2026 0:00",
            "03/20/2026 12:00:00 AM",
            "2026-03-20T00:00:00",
            "2026-03-20 00:00",
            "20.03.26 00:00",
        ] {
            assert_eq!(read(&us, text).as_deref(), Some("2026-03-20"), "{text}");
        }
        for (text, told) in [
            ("3/20/2026 0:01", "2026-03-20T00:01:00"),
            ("3/19/2026 24:00", "2026-03-20T00:00:00"),
            // On another clock than the place's it is a minute like others.
            ("2026-03-20T00:00:00Z", "2026-03-20T00:00:00"),
            ("2026-03-20T00:00:00-07:00", "2026-03-20T00:00:00"),
        ] {
            assert_eq!(read(&us, text).as_deref(), Some(told), "{text}");
        }
        let office = Clocks {
            zone: Some(TimeZone::UTC),
            ..Clocks::default()
        };
        let text = Cell::Text("2026-03-20 00:00".into());
        let oakland = TimeZone::get("America/Los_Angeles").unwrap();
        let there = office.read(&text, in_march(Some(&oakland))).unwrap();
        assert_eq!(there.precision, Precision::Minute);
        let here = office.read(&text, in_march(Some(&TimeZone::UTC))).unwrap();
        assert_eq!(here.precision, Precision::Day);
    }

    /// The moment that a text means in Oakland.
    fn moment(text: &str) -> Option<String> {
        let oakland = TimeZone::get("America/Los_Angeles").unwrap();
        let us = Clocks {
            order: Some(Order::MonthFirst),
            ..Clocks::default()
        };
        let read = us.read(&Cell::Text(text.into()), in_march(Some(&oakland)))?;
        let occurred = us.resolve(read, in_march(Some(&oakland)))?;
        Some(occurred.at.to_string())
    }

    #[test]
    fn what_stands_behind_a_time_is_read_or_the_time_is_refused() {
        let afternoon = Some("2026-03-14T21:05:00Z");
        for text in [
            "03/14/2026 02:05:00 PM",
            "3/14/2026, 2:05:00 p.m.",
            "03/14/2026 2:05P",
            "03/14/2026 02:05:00.000 PM",
            "Mar 14 2026 02:05:00:000PM",
            "14-Mar-2026:14:05:00",
            "03/14/2026 - 14:05",
            "03/14/2026 @ 14.05",
            "03/14/2026 14:05 LT",
            // The place's own zone, by its name of that day.
            "03/14/2026 02:05:00 PM PDT",
            "03/14/2026 02:05 PM (pdt)",
            "03/14/2026 14:05 PT",
            "2026-03-14 14:05 PT",
            "2026-03-14 02:05 PM PDT",
            // Another clock.
            "03/14/2026 21:05:00 UTC",
            "03/14/2026 21:05:00Z",
            "03/14/2026 09:05:00 PM GMT",
            "03/14/2026 21:05 +00:00",
            "03/14/2026 14:05 -07:00",
            "03/14/2026 14:05:00-0700",
            "Mar 14 2026 14:05:00 GMT-0700",
            "14-Mar-2026 16:05 -5",
        ] {
            assert_eq!(moment(text).as_deref(), afternoon, "{text}");
        }
        // An hour that happens twice is the one that the abbreviation says.
        for (text, at) in [
            ("11/01/2026 01:30 AM PDT", "2026-11-01T08:30:00Z"),
            ("11/01/2026 01:30 AM PST", "2026-11-01T09:30:00Z"),
            ("01/14/2026 02:05 PM PST", "2026-01-14T22:05:00Z"),
        ] {
            assert_eq!(moment(text).as_deref(), Some(at), "{text}");
        }
        for text in [
            // Not the name of the place's clock on that day, or of another place.
            "03/14/2026 02:05:00 PM PST",
            "03/14/2026 02:05:00 PM EDT",
            "03/14/2026 02:05:00 PM IST",
            "03/14/2026 02:05:00 PM WHENEVER",
            "03/14/2026 14:05:00 or later",
            "03/14/2026 14:05:00 17",
            "03/14/2026 14:05 - 16:05",
            "03/14/2026 14:05 (+1 day)",
            "03/14/2026 14:05 +25:00",
            "03/14/2026 14:05:00 +",
            "03/14/2026 -07:00",
            "03/14/2026 14-05",
            "03/14/2026 Z",
            "03/14/2026 PM",
            // From when until when.
            "03/14/2026 08:00-10:00",
            "03/14/2026 0800-1000",
            "03/14/2026 08:00 -16:00",
            "03/14/2026 08:00-16:00 PDT",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
        // What people call a zone that has a number in the tables.
        for (zone, text, at) in [
            (
                "Asia/Singapore",
                "14-Mar-2026 14:05 SGT",
                Some("2026-03-14T06:05:00Z"),
            ),
            (
                "America/Sao_Paulo",
                "14-Mar-2026 14:05 BRT",
                Some("2026-03-14T17:05:00Z"),
            ),
            ("America/Sao_Paulo", "14-Mar-2026 14:05 SGT", None),
        ] {
            let (clocks, here) = (Clocks::default(), TimeZone::get(zone).unwrap());
            let read = clocks.read(&Cell::Text(text.into()), in_march(Some(&here)));
            let read = read.and_then(|clock| clocks.resolve(clock, in_march(Some(&here))));
            let read = read.map(|occurred| occurred.at.to_string());
            assert_eq!(read.as_deref(), at, "{zone}: {text}");
        }
        let nowhere = Clocks::default();
        let text = Cell::Text("14-Mar-2026 14:05 PDT".into());
        let somewhere = Written {
            is_american: false,
            ..in_march(None)
        };
        assert_eq!(nowhere.read(&text, somewhere), None, "nobody knows whose");
    }

    #[test]
    fn forms_of_a_mapping_are_tried_first() {
        assert!(is_form("%d.%m.%y %H:%M") && is_form("%Y%j"));
        assert!(!is_form("%H:%M") && !is_form("%Q") && !is_form("words"));
        let clocks = Clocks {
            formats: vec!["%d.%m.%y %H:%M".into()],
            ..Clocks::default()
        };
        assert_eq!(
            read(&clocks, "03.04.26 07:15").as_deref(),
            Some("2026-04-03T07:15:00")
        );
        // For a terminal that writes one abbreviation all year.
        let form = "%m/%d/%Y %I:%M:%S %p PST";
        let clocks = Clocks {
            formats: vec![form.into()],
            ..Clocks::default()
        };
        assert!(is_form(form));
        assert_eq!(
            read(&clocks, "07/14/2026 02:05:00 PM PST").as_deref(),
            Some("2026-07-14T14:05:00")
        );
    }

    fn free_day(text: &str, place: Option<&str>) -> String {
        let zone = place.map(|name| TimeZone::get(name).unwrap());
        let clocks = Clocks {
            order: Some(Order::MonthFirst),
            ..Clocks::default()
        };
        let clock = clocks.read(&Cell::Text(text.into()), in_march(zone.as_ref()));
        let clock = clock.unwrap();
        clocks.day(clock, zone.as_ref()).unwrap().date.to_string()
    }

    #[test]
    fn a_last_free_day_is_not_moved_by_a_z() {
        for text in [
            "2026-03-20",
            "2026-03-20T00:00:00Z",
            "2026-03-20T00:00:00",
            "2026-03-20T00:00:00-07:00",
            "2026-03-20T23:59:00",
            "2026-03-21T06:59:59Z",
            "2026-03-20T07:00:00Z",
            "03/21/2026 06:59:59 UTC",
            "03/21/2026 06:59:59Z",
            "03/21/2026 06:59 +00:00",
            "03/20/2026 11:59 PM PDT",
        ] {
            assert_eq!(
                free_day(text, Some("America/Los_Angeles")),
                "2026-03-20",
                "{text}"
            );
        }
    }

    /// A head office may write its own clock, and free days are those of the place all the same.
    #[test]
    fn a_last_free_day_on_another_clock_than_the_places_is_the_day_at_the_place() {
        let clocks = Clocks {
            zone: TimeZone::get("America/Chicago").ok(),
            ..Clocks::default()
        };
        let oakland = TimeZone::get("America/Los_Angeles").unwrap();
        let day = |text: &str, place: Option<&TimeZone>| {
            let clock = clocks
                .read(&Cell::Text(text.into()), in_march(place))
                .unwrap();
            let day = clocks.day(clock, place).unwrap();
            (day.date.to_string(), day.zone)
        };
        for (text, date) in [
            // Half past ten in the evening in Oakland, on two clocks.
            ("2026-03-25T05:30:00Z", "2026-03-24"),
            ("2026-03-25T00:30:00", "2026-03-24"),
            ("2026-03-24", "2026-03-24"),
            ("2026-03-24T23:59:00", "2026-03-24"),
        ] {
            let told = day(text, Some(&oakland));
            let here = Some("America/Los_Angeles".to_owned());
            assert_eq!(told, (date.to_owned(), here), "{text}");
        }
        let told = day("2026-03-25T05:30:00Z", None);
        let office = Some("America/Chicago".to_owned());
        assert_eq!(
            told,
            ("2026-03-25".to_owned(), office),
            "nobody knows where"
        );
    }

    #[test]
    fn a_last_free_day_that_ends_at_24_is_the_date_before_it() {
        for text in [
            "2026-03-20T24:00:00",
            "2026-03-20 24:00",
            "2026-03-20T24:00:00Z",
            "2026-03-20T24:00:00-07:00",
            "20-Mar-2026 24:00",
            "20-Mar-2026 2400",
        ] {
            for place in [Some("America/Los_Angeles"), Some("Asia/Shanghai"), None] {
                assert_eq!(free_day(text, place), "2026-03-20", "{text} in {place:?}");
            }
        }
    }

    #[test]
    fn a_last_free_day_is_the_day_at_the_place_whichever_offset_it_is_written_with() {
        for (text, place, day) in [
            // The end of the first of March in Los Angeles, on four clocks.
            ("2026-03-02T07:59:59Z", "America/Los_Angeles", "2026-03-01"),
            (
                "2026-03-02T07:59:59+00:00",
                "America/Los_Angeles",
                "2026-03-01",
            ),
            (
                "2026-03-02T02:59:59-05:00",
                "America/Los_Angeles",
                "2026-03-01",
            ),
            (
                "2026-03-01T23:59:59-08:00",
                "America/Los_Angeles",
                "2026-03-01",
            ),
            // Its beginning in Rotterdam, as a program writes it in UTC.
            (
                "2026-02-28T23:00:00+00:00",
                "Europe/Amsterdam",
                "2026-03-01",
            ),
            // A bare date that a program gave a time and a zone.
            (
                "2026-03-01T00:00:00+00:00",
                "America/Los_Angeles",
                "2026-03-01",
            ),
            (
                "2026-03-01T23:59:59+00:00",
                "America/Los_Angeles",
                "2026-03-01",
            ),
            ("2026-03-01T23:59:59Z", "Asia/Shanghai", "2026-03-01"),
            // In winter London's own clock is UTC; in summer the feed may go on writing it.
            ("2026-03-01T17:00:00+00:00", "Europe/London", "2026-03-01"),
            ("2026-07-01T23:59:59+00:00", "Europe/London", "2026-07-01"),
            // The offset of the winter, all year round.
            (
                "2026-07-01T23:59:59-08:00",
                "America/Los_Angeles",
                "2026-07-01",
            ),
        ] {
            assert_eq!(free_day(text, Some(place)), day, "{text} in {place}");
        }
        for text in ["2026-03-01T23:30:00-08:00", "2026-03-01T23:30:00Z"] {
            assert_eq!(free_day(text, None), "2026-03-01", "{text} somewhere");
        }
    }
}
