//! The three parts of a date in a text, and that none of them is the time of day.
//!
//! Many a sheet leaves the year out, and what stands behind the day then is the hour: `11/22 10:00`, `26-Nov 2015`,
//! `26NOV10:15`. Taken for the year it makes a day of another one, and nobody is told. So a year stands as the other parts do:
//! behind the sign that stands between those (`11/22/26`), or behind a blank where they have one too (`22 Nov 26`), and
//! two digits before a colon are an hour. Four digits behind a blank may be a time as well; they are the year where it is one
//! of these years. Which year is meant where none is told nobody knows: such a text is no date.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The parts of a date as they stand, and what follows.
pub(super) struct Parts<'t> {
    pub(super) all: [&'t str; 3],
    pub(super) rest: &'t str,
}

/// The parts of the date with which a text begins; `None` where it has fewer, or one of them is none of a date.
pub(super) fn parts(text: &str, received_at: Timestamp) -> Option<Parts<'_>> {
    let split = Split::of(text)?;
    split.is_of_a_date(received_at).then_some(Parts {
        all: split.all,
        rest: split.rest,
    })
}

/// Whether a text names a day and a month, and no year.
pub(super) fn has_no_year(text: &str, received_at: Timestamp) -> bool {
    let Some(split) = Split::of(text) else {
        return false;
    };
    let ([a, b, c], [ab, bc]) = (split.all, split.between);
    let is_behind_word = !c.starts_with(|c: char| c.is_ascii_digit());
    if is_number(a) && a.len() == 4 {
        // `1122 0919`, and the time in front: `1015 11/22`.
        let is_bare = is_behind_word && is_time(b);
        let is_time_first = is_time(a) && !has_blank(bc) && names_a_day(b, c);
        return is_blank(ab) && (is_bare || is_time_first);
    }
    let is_told = match c {
        "" | "T" | "t" => false,
        _ => is_behind_word || split.is_of_a_date(received_at),
    };
    names_a_day(a, b) && !ab.contains(':') && !is_told
}

/// The first three runs of digits or letters.
struct Split<'t> {
    /// The third may be missing.
    all: [&'t str; 3],
    /// What stands before the second and the third.
    between: [&'t str; 2],
    rest: &'t str,
}

impl<'t> Split<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let mut rest = text;
        let ((_, a), (ab, b)) = (part(&mut rest)?, part(&mut rest)?);
        let (bc, c) = part(&mut rest).unwrap_or_default();
        Some(Self {
            all: [a, b, c],
            between: [ab, bc],
            rest,
        })
    }

    /// Whether the third part is one of a date that the others begin.
    fn is_of_a_date(&self, received_at: Timestamp) -> bool {
        let ([a, b, c], [ab, bc]) = (self.all, self.between);
        if c.is_empty() {
            return false;
        }
        let is_before_colon = self.rest.starts_with(':');
        if is_number(a) && a.len() == 4 {
            // The year is told. In `2015 11/26` it is the time, and in `2026-Nov 10:15` the day is missing.
            let is_time_first = is_blank(ab) && !has_blank(bc);
            return !is_time_first && (!is_before_colon || (bc == ab && !has_blank(bc)));
        }
        if ab.contains(':') || bc.contains(':') {
            return false;
        }
        // A time has three numbers at most, so that in `14MAR26:14:05:00` the first is none of it.
        if is_before_colon && c.len() != 4 && (has_blank(bc) || !has_three_numbers(self.rest)) {
            return false;
        }
        let is_near = || is_year_of_now(c, received_at);
        let is_named = month(a).or(month(b)).is_some();
        if !has_blank(bc) {
            let is_sign = matches!(bc, "" | "," | "'");
            let is_long = c.len() == 4 && matches!(bc, "." | "-" | "/") && is_near();
            return bc == ab || (is_named && (is_sign || is_long));
        }
        if bc != ab && !matches!(bc.trim(), "" | "," | "." | "'") {
            return false;
        }
        match (c.len(), has_blank(ab)) {
            (4, true) => is_near() || !is_time(c),
            // Behind a time stands no other one, and a comma is that of a sentence.
            (4, false) => {
                is_near() && (is_before_time(self.rest) || (is_named && bc.contains(',')))
            }
            (2, true) => !is_behind_hour(self.rest),
            _ => false,
        }
    }
}

/// Takes a run of digits or of letters, with what stands before it and separates.
pub(super) fn part<'t>(rest: &mut &'t str) -> Option<(&'t str, &'t str)> {
    let start = rest.find(|c: char| c.is_ascii_alphanumeric())?;
    let (between, text) = rest.split_at(start);
    let digit = text.bytes().next()?.is_ascii_digit();
    let same = |c: char| c.is_ascii_alphanumeric() && c.is_ascii_digit() == digit;
    let end = text.find(|c| !same(c)).unwrap_or(text.len());
    let (part, after) = text.split_at(end);
    *rest = after;
    Some((between, part))
}

pub(super) fn number(text: &str) -> Option<i32> {
    (text.len() <= 4 && is_number(text)).then(|| text.parse().ok())?
}

pub(super) fn year(text: &str) -> Option<i16> {
    let number = i16::try_from(number(text)?).ok()?;
    match text.len() {
        2 => Some(2000 + number),
        4 => Some(number),
        _ => None,
    }
}

pub(super) fn month(text: &str) -> Option<i32> {
    const MONTHS: [&str; 12] = [
        "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
    ];
    let start = text.get(..3)?.to_ascii_uppercase();
    let index = MONTHS.iter().position(|month| *month == start)?;
    i32::try_from(index + 1).ok()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn has_blank(between: &str) -> bool {
    between.contains(char::is_whitespace)
}

fn is_blank(between: &str) -> bool {
    has_blank(between) && between.trim().is_empty()
}

/// Whether two parts may be a day and its month, in whatever order.
fn names_a_day(a: &str, b: &str) -> bool {
    let up_to = |text: &str, last: i32| {
        text.len() <= 2 && number(text).is_some_and(|number| (1..=last).contains(&number))
    };
    match (month(a), month(b)) {
        (Some(_), _) => up_to(b, 31),
        (None, Some(_)) => up_to(a, 31),
        (None, None) => up_to(a, 31) && up_to(b, 31) && (up_to(a, 12) || up_to(b, 12)),
    }
}

/// Whether four digits may be a time of day.
fn is_time(text: &str) -> bool {
    let four = number(text).filter(|_| text.len() == 4);
    four.is_some_and(|number| number <= 2400 && number % 100 < 60)
}

/// A table tells of these weeks; old rows and what is planned lie within so many years.
const YEARS_BACK: i16 = 3;
const YEARS_AHEAD: i16 = 2;

fn is_year_of_now(text: &str, received_at: Timestamp) -> bool {
    let now = TimeZone::UTC.to_datetime(received_at).year();
    let years = now.saturating_sub(YEARS_BACK)..=now.saturating_add(YEARS_AHEAD);
    year(text).is_some_and(|year| years.contains(&year))
}

/// Whether a time of day stands apart at the beginning of a text.
fn is_before_time(rest: &str) -> bool {
    let behind = rest.trim_start_matches([' ', ',']);
    behind.len() < rest.len() && behind.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether what stands before this is an hour by it: `10 AM`, `10h15`, `10.15`, `10 15`.
fn is_behind_hour(rest: &str) -> bool {
    let behind = rest.trim();
    let is_minute = is_number(behind) && behind.len() <= 2;
    let is_joined = behind
        .strip_prefix('.')
        .is_some_and(|more| !more.is_empty());
    is_minute || is_joined || behind.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Whether three numbers of two digits stand here behind colons.
fn has_three_numbers(rest: &str) -> bool {
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != ':');
    let clock = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    let mut numbers = clock.split(':').skip(1);
    numbers.clone().count() == 3 && numbers.all(|number| number.len() == 2)
}
