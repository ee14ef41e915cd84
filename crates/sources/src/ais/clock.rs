//! Times as those write them who keep what radios say: loggers, hubs, decoders.
//!
//! Whoever names no zone means UTC, as all of AIS does. A time that stands there and cannot be read is told apart from none: a
//! line of an old log must not become one of now because its date is written in a way that nobody knows.

use domain::report::Precision;
use jiff::Timestamp;
use jiff::tz::Offset;

use crate::ocean::dcsa::time::{self, SaidZone};

/// What is said of a position whose time cannot be read.
pub(super) const UNREAD: &str = "the time of a position is not understood: 2026-03-14T05:00:00Z, \
    seconds since 1970 and 20260314050000 are read, in UTC";

/// What stands where a time may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    Silent,
    At(Timestamp),
    /// A time or a date that is not understood.
    Unread,
}

impl Clock {
    /// This, or where it is silent the other.
    pub(super) fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Silent => other(),
            told => told,
        }
    }

    /// A time that is understood goes before one that is not.
    pub(super) fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::At(_), _) | (Self::Unread, Self::Silent | Self::Unread) => self,
            (_, other) => other,
        }
    }
}

/// The time in what was written around a sentence.
pub(super) fn find(text: &str) -> Clock {
    let apart = |letter: char| letter.is_whitespace() || ",;|\"'[](){}=".contains(letter);
    let mut words = text.split(apart).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        if let Some(at) = epoch(word) {
            return Clock::At(at);
        }
        let mut whole = word.to_owned();
        if is_date(word)
            && let Some(clock) = words.next_if(|word| has_colon(word))
        {
            whole = format!("{word} {clock}");
        }
        let zone = words.peek().copied().unwrap_or_default();
        if is_offset(zone) {
            whole.push_str(zone);
        }
        let is_elsewhere = is_zone(zone) && !whole.ends_with('Z') && !whole.contains('+');
        if let Some(at) = read(&whole).filter(|_| !is_elsewhere) {
            return Clock::At(at);
        }
        if looks_dated(word) {
            return Clock::Unread;
        }
    }
    Clock::Silent
}

/// One time: seconds or milliseconds since 1970, `20260314050000`, or a date with a time of day in the usual order.
pub(super) fn read(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Some(at) = epoch(text) {
        return Some(at);
    }
    let zoned = [" UTC", " GMT"];
    let text = zoned
        .iter()
        .find_map(|zone| text.strip_suffix(*zone))
        .unwrap_or(text);
    // A date alone would be its midnight.
    let clock = time::read(text.trim()).filter(|clock| clock.precision != Precision::Day)?;
    let offset = match clock.zone {
        SaidZone::Offset(offset) => offset,
        SaidZone::Zulu | SaidZone::Nothing => Offset::UTC,
    };
    offset.to_timestamp(clock.local).ok()
}

/// Ten digits are seconds, with or without a fraction, and thirteen are milliseconds.
pub(super) fn epoch(text: &str) -> Option<Timestamp> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let number = whole.parse().ok()?;
    match whole.len() {
        10 => Timestamp::from_second(number).ok(),
        13 => Timestamp::from_millisecond(number).ok(),
        _ => None,
    }
}

fn has_colon(text: &str) -> bool {
    text.contains(':')
}

/// `2026-03-14`.
fn is_date(word: &str) -> bool {
    !has_colon(word) && !word.contains('T') && looks_dated(word)
}

/// `+0100`, `Z`.
fn is_offset(word: &str) -> bool {
    let sign = word.strip_prefix(['+', '-']);
    let digits = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b':')
    };
    sign.is_some_and(|rest| rest.len() >= 4 && digits(rest)) || matches!(word, "Z" | "UTC" | "GMT")
}

/// `CET`, `PM`, `MSK`: what makes the time behind which it stands another one.
fn is_zone(word: &str) -> bool {
    (2..=4).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_uppercase())
        && word.ends_with(['T', 'M', 'K'])
}

/// How many digits a number has that is a time in some form: seconds to nanoseconds since 1970, and a date with its time of day.
const NUMBERS_OF_TIME: [usize; 7] = [10, 12, 13, 14, 16, 17, 19];
/// `20260314`.
const DATE_DIGITS: usize = 8;

/// Whether this is a date or a time of day in some form: with colons or the year at one end, or a long number. Numbers behind a
/// letter name things (`r003669945`).
pub(super) fn looks_dated(word: &str) -> bool {
    let runs: Vec<&str> = word
        .split(|letter: char| !letter.is_ascii_digit())
        .filter(|run| !run.is_empty())
        .collect();
    let lengths: Vec<usize> = runs.iter().map(|run| run.len()).collect();
    let begins = word.starts_with(|first: char| first.is_ascii_digit());
    let is_of_day = has_colon(word)
        && word
            .split(':')
            .zip(word.split(':').skip(1))
            .any(|(hour, minute)| {
                let hour = hour.bytes().rev().take_while(u8::is_ascii_digit).count();
                let minute = minute.bytes().take_while(u8::is_ascii_digit).count();
                (1..=2).contains(&hour) && minute == 2
            });
    let is_date = word.contains(['-', '/', '.'])
        && matches!(
            lengths.as_slice(),
            [4, 1..=2, 1..=2, ..] | [1..=2, 1..=2, 4, ..]
        );
    let is_number = begins
        && lengths.first().is_some_and(|length| {
            NUMBERS_OF_TIME.contains(length)
                || (*length == DATE_DIGITS && (word.starts_with("19") || word.starts_with("20")))
        });
    is_of_day || is_date || is_number
}
