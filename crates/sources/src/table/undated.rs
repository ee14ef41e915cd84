//! What fills a cell of dates and names none.
//!
//! A database that must have a date writes the first one that it knows: `0001-01-01` (.NET), `1900-01-01` (SQL), `12/30/1899`
//! (spreadsheets), the zero of a clock. People write that it is not known yet. Either is an empty cell, and no mistake.

use jiff::civil::Time;
use serde_json::Value;

use super::cell::Cell;
use super::date_parts::{month, number, part};
use super::epoch;

/// Year, month and day of the dates that stand for none. The first of spreadsheets is shown as the day before January.
const NULLS: [(i32, i32, i32); 8] = [
    (1, 1, 1),
    (1753, 1, 1),
    (1899, 12, 30),
    (1899, 12, 31),
    (1900, 1, 0),
    (1900, 1, 1),
    (1970, 1, 1),
    (9999, 12, 31),
];

/// Words for a date that nobody knows yet, without points.
const NOT_YET: [&str; 19] = [
    "TBD",
    "TBA",
    "TBC",
    "TBN",
    "PENDING",
    "TO BE DETERMINED",
    "TO BE ADVISED",
    "TO BE ANNOUNCED",
    "TO BE CONFIRMED",
    "TO BE NAMED",
    "NOT YET",
    "NOT YET KNOWN",
    "NOT YET AVAILABLE",
    "NOT YET DETERMINED",
    "NOT KNOWN",
    "NOT AVAILABLE",
    "NOT APPLICABLE",
    "NOT DETERMINED",
    "NOT SET",
];

/// How those of them begin that say of a thing that it has not happened. The others say that nobody knows when.
const TO_COME: [&str; 2] = ["PENDING", "NOT YET"];

/// Whether a cell in place of a date names none.
pub(super) fn is_undated(cell: &Cell) -> bool {
    match cell {
        Cell::Unknown => true,
        Cell::Text(text) | Cell::Number(text) => {
            is_zero(text) || is_not_yet(text) || is_null(text) || epoch::is_null(text)
        }
        Cell::Clock(local, _) => {
            let (date, time) = (local.date(), local.time());
            let day = (date.year().into(), date.month().into(), date.day().into());
            is_null_day(day, time == Time::midnight())
        }
        Cell::Nested(nested) => nested.iter().all(|value| match value {
            Value::Null => true,
            Value::Object(members) => members.is_empty(),
            _ => false,
        }),
        Cell::Flag(_) => false,
    }
}

/// Whether it says that something is still to come, of which nobody knows the date.
pub(super) fn is_to_come(cell: &Cell) -> bool {
    let text = cell.text().unwrap_or_default().to_uppercase();
    is_not_yet(&text) && TO_COME.iter().any(|word| text.trim().starts_with(word))
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'0')
}

fn is_not_yet(text: &str) -> bool {
    let word = text.replace('.', "").to_uppercase();
    NOT_YET.contains(&word.trim())
}

/// Whether a text is one of these dates, in whatever order its parts stand.
fn is_null(text: &str) -> bool {
    let mut rest = text;
    let Some((_, first)) = part(&mut rest) else {
        return false;
    };
    let compact = first
        .split_at_checked(4)
        .filter(|(_, behind)| behind.len() == 4)
        .and_then(|(year, behind)| Some((year, behind.split_at_checked(2)?)));
    let parts = match compact {
        Some((year, (month, day))) => Some((year, month, day)),
        None => part(&mut rest)
            .zip(part(&mut rest))
            .map(|((_, b), (_, c))| {
                if first.len() == 4 {
                    (first, b, c)
                } else {
                    (c, first, b)
                }
            }),
    };
    let told = |text: &str| number(text).or_else(|| month(text));
    let day = parts.and_then(|(year, a, b)| {
        let year = number(year).filter(|_| year.len() == 4)?;
        Some((year, told(a)?, told(b)?))
    });
    day.is_some_and(|day| is_null_day(day, is_midnight(rest)))
}

fn is_null_day((year, a, b): (i32, i32, i32), at_midnight: bool) -> bool {
    // No clock went then, and the last second of all is no time of day either.
    let is_of_no_clock = year <= 1 || year == 9999;
    let is_known = NULLS.contains(&(year, a, b)) || NULLS.contains(&(year, b, a));
    (year == 0 || is_known) && (at_midnight || is_of_no_clock)
}

/// Whether the time behind a date is its first moment, or is not told.
fn is_midnight(rest: &str) -> bool {
    let is_morning = rest.to_ascii_uppercase().contains("AM");
    let mut rest = rest;
    let all = std::iter::from_fn(|| part(&mut rest)).map(|(_, part)| part);
    let numbers = all.filter(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    let mut clock = numbers.take(3).enumerate();
    clock.all(|(place, part)| is_zero(part) || (place == 0 && is_morning && part == "12"))
}
