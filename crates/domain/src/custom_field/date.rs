//! Days and instants: reading what people write, and showing what is kept.
//!
//! A field's format is tried first, both ways. It is written either with directives, `%d/%m/%Y`, or with the
//! letters that spreadsheets use, `DD/MM/YYYY`. What the format does not read is read leniently, but never
//! guessed: `02/03/2026` names two days, so without a format it is refused.
//!
//! A day is the day as written: `2026-02-26T23:30:00-08:00` is the 26th, wherever it is read. An instant is kept
//! in UTC to the second; one without an offset is taken for UTC.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::{strtime, temporal::Pieces};
use jiff::tz::Offset;

/// Longest format, in characters.
pub const FORMAT_CHARS_MAX: usize = 64;

/// Longest text that is tried as a day or an instant, in bytes.
const READ_BYTES_MAX: usize = 64;

/// Directives that a format can have.
const DIRECTIVES: &str = "YymdeHIMSpbBhaAjFTRD%";
/// Those of them that `-` writes without a zero in front.
const UNPADDED: &str = "mdeHIMS";

/// How a day without ambiguity is written, beside ISO 8601.
const DAYS: [&str; 8] = [
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d %b %Y",
    "%d-%b-%Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%Y%m%d",
];

/// Why a format is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatRefused {
    /// Longer than it may be.
    #[error("is longer than {FORMAT_CHARS_MAX} characters")]
    TooLong,
    /// No format of numbers.
    #[error("must be a format like #,##0.00 or %.2f")]
    Number,
    /// No format of days.
    #[error("must be a format like YYYY-MM-DD or %d/%m/%Y")]
    Date,
}

/// How a day or an instant is shown and first tried to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DateFormat(String);

impl DateFormat {
    /// Reads `%d/%m/%Y` or `DD/MM/YYYY`.
    pub(super) fn parse(format: &str) -> Result<Self, FormatRefused> {
        let directives = if format.contains('%') {
            format.to_owned()
        } else {
            of_letters(format).ok_or(FormatRefused::Date)?
        };
        let known = Self(directives);
        if known.is_known() {
            Ok(known)
        } else {
            Err(FormatRefused::Date)
        }
    }

    fn is_known(&self) -> bool {
        let mut directives = 0;
        let mut letters = self.0.chars();
        while let Some(letter) = letters.next() {
            if letter == '%' {
                directives += 1;
                let unpadded = letters.clone().next() == Some('-');
                if unpadded {
                    letters.next();
                }
                let known = if unpadded { UNPADDED } else { DIRECTIVES };
                if !letters.next().is_some_and(|d| known.contains(d)) {
                    return false;
                }
            }
        }
        directives > 0
    }

    pub(super) fn show(&self, at: DateTime) -> Option<String> {
        strtime::format(&self.0, at).ok()
    }

    fn day(&self, text: &str) -> Option<Date> {
        strtime::parse(&self.0, text).ok()?.to_date().ok()
    }

    fn instant(&self, text: &str) -> Option<DateTime> {
        let read = strtime::parse(&self.0, text).ok()?;
        let day = read.to_date().ok()?;
        let time = read.to_time().unwrap_or(Time::midnight());
        Some(day.to_datetime(time))
    }
}

/// The letters of spreadsheets as directives, and what stands in brackets as it is. Right behind hours both `MM` and `mm` are minutes,
/// else months; hours are those of half a day where `A` tells which half. `None` where other letters are left, which people
/// take for a part of the day, or where one part stands twice.
fn of_letters(format: &str) -> Option<String> {
    const LETTERS: [(&str, &str); 22] = [
        ("YYYY", "%Y"),
        ("yyyy", "%Y"),
        ("YY", "%y"),
        ("yy", "%y"),
        ("MMMM", "%B"),
        ("MMM", "%b"),
        ("MM", "%m"),
        ("M", "%-m"),
        ("dddd", "%A"),
        ("ddd", "%a"),
        ("DD", "%d"),
        ("dd", "%d"),
        ("D", "%-d"),
        ("d", "%-d"),
        ("HH", "%H"),
        ("H", "%-H"),
        ("hh", "%H"),
        ("h", "%-H"),
        ("mm", "%m"),
        ("ss", "%S"),
        ("A", "%p"),
        ("a", "%p"),
    ];
    let mut outside = format.split('[').map(|part| {
        let literal = part.split_once(']');
        literal.map_or(part, |(_, behind)| behind)
    });
    let in_halves = outside.any(|part| part.contains(['A', 'a']));
    let mut out = String::new();
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = format;
    while let Some(next) = rest.chars().next() {
        if let Some((literal, behind)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
            out.push_str(literal);
            rest = behind;
            continue;
        }
        let found = LETTERS
            .iter()
            .find(|(letters, _)| rest.starts_with(letters));
        let Some((letters, directive)) = found else {
            // As ISO 8601 has them.
            if next.is_ascii_alphabetic() && !matches!(next, 'T' | 'Z') {
                return None;
            }
            out.push(next);
            rest = rest.get(next.len_utf8()..).unwrap_or_default();
            continue;
        };
        let is_behind_hours = parts.last().is_some_and(|last| last.ends_with(['H', 'I']));
        let directive = match *directive {
            "%m" if is_behind_hours => "%M",
            "%H" if in_halves => "%I",
            "%-H" if in_halves => "%-I",
            other => other,
        };
        let part = directive.trim_start_matches(['%', '-']);
        rest = rest.get(letters.len()..).unwrap_or_default();
        // `DDD` is the day of the year, which none of these is.
        if parts.contains(&part) || rest.starts_with(next) {
            return None;
        }
        parts.push(part);
        out.push_str(directive);
    }
    Some(out)
}

/// The day a text names.
pub(super) fn day(text: &str, format: Option<&DateFormat>) -> Option<Date> {
    let text = short(text)?;
    let ways = DAYS.iter().map(|way| DateFormat((*way).to_owned()));
    format
        .and_then(|format| format.day(text))
        .or_else(|| Pieces::parse(text).ok().map(|pieces| pieces.date()))
        .or_else(|| ways.into_iter().find_map(|way| way.day(text)))
        .filter(|day| (1..=9999).contains(&day.year()))
}

/// The instant a text names, in UTC to the second.
pub(super) fn instant(text: &str, format: Option<&DateFormat>) -> Option<DateTime> {
    let text = short(text)?;
    format
        .and_then(|format| format.instant(text))
        .or_else(|| match Pieces::parse(text) {
            Ok(pieces) => of_pieces(&pieces),
            Err(_) => day(text, None).map(|day| day.to_datetime(Time::midnight())),
        })
        .and_then(|at| at.with().subsec_nanosecond(0).build().ok())
        .filter(|at| (1..=9999).contains(&at.year()))
}

/// A zone beside an offset says where that was; one without is refused: its offset is not the same all year.
fn of_pieces(pieces: &Pieces<'_>) -> Option<DateTime> {
    let offset = pieces.to_numeric_offset();
    if offset.is_none() && pieces.time_zone_annotation().is_some() {
        return None;
    }
    let time = pieces.time().unwrap_or(Time::midnight());
    let seconds = offset.unwrap_or(Offset::UTC).seconds();
    let at = pieces.date().to_datetime(time);
    at.checked_sub(SignedDuration::from_secs(seconds.into()))
        .ok()
}

fn short(text: &str) -> Option<&str> {
    let trimmed = text.trim();
    (trimmed.len() <= READ_BYTES_MAX).then_some(trimmed)
}
