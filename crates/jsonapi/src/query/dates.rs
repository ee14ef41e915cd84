//! What a list asks of a date: a day or several, bounds, and whether there is one at all.
//!
//! What is written beside each other in one value is one part: days with commas between are any of them, bounds hold all
//! together. Several parts (the name with `[]` behind it, once for each) hold all together too. Days are those of UTC. "Today"
//! is only known when the question is [put](Dates::asked): nothing here reads a clock.

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::value::{instant, last_instant, texts};

/// At or after the first, at or before the second.
pub type Span = (Option<Timestamp>, Option<Timestamp>);

/// A question about a date, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dates(Vec<Part>);

/// What a question leaves on the day on which it is put.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// That there is a date, or that there is none.
    pub present: Option<bool>,
    /// Within any of these, which do not touch each other, from the earliest; `Some` of none: no date fits.
    pub within: Option<Vec<Span>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Present(bool),
    /// All of these.
    Bounds(Vec<(Sign, When)>),
    /// Any of these.
    Days(Vec<When>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    After,
    From,
    Before,
    Until,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// The first and the last moment of what was written.
    Written(Timestamp, Timestamp),
    /// So many days after today.
    FromToday(i32),
}

/// The farthest that a day may be from today, a century.
const DAYS_AWAY_MAX: i32 = 36_525;
/// The next moment that the store can tell from one.
const NEXT: SignedDuration = SignedDuration::from_micros(1);
const WISH: &str = "must be dates with commas between, or >=, >, <= or < before each; or @exists or @not_exists alone. \
                    A date is ISO 8601, today, 3.days.ago or 3.days.from_now";

impl Dates {
    /// Reads what stands under one name, a text for each time it is given.
    pub(super) fn read(given: &[&str]) -> Result<Self, String> {
        texts(&given.join(","))?;
        let written = given.iter().filter(|text| !text.trim().is_empty());
        written
            .map(|text| part(text))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// What it leaves when today is this day.
    pub fn asked(&self, today: Date) -> Asked {
        let mut asked = Asked::default();
        for part in &self.0 {
            match part {
                Part::Present(present) if asked.present == Some(!present) => {
                    asked.within = Some(Vec::new());
                }
                Part::Present(present) => asked.present = Some(*present),
                Part::Bounds(bounds) => asked.narrow(&[between(bounds, today)]),
                Part::Days(days) => asked.narrow(&any_of(days, today)),
            }
        }
        asked
    }
}

impl Asked {
    /// Leaves what is also within any of these, which are in order and do not touch each other.
    pub fn narrow(&mut self, others: &[Span]) {
        let within = self.within.as_deref().unwrap_or(&[(None, None)]);
        let both = within
            .iter()
            .flat_map(|one| others.iter().filter_map(|other| common(*one, *other)));
        self.within = Some(both.collect());
    }
}

fn part(text: &str) -> Result<Part, String> {
    let words: Vec<&str> = super::names(text).collect();
    match words.as_slice() {
        ["@exists"] => return Ok(Part::Present(true)),
        ["@not_exists"] => return Ok(Part::Present(false)),
        _ => {}
    }
    let read: Option<Vec<_>> = words.iter().map(|word| bound(word)).collect();
    let read = read.filter(|read| !read.is_empty()).ok_or(WISH)?;
    let signed: Option<Vec<_>> = read
        .iter()
        .map(|(sign, when)| Some(((*sign)?, *when)))
        .collect();
    if let Some(bounds) = signed {
        return Ok(Part::Bounds(bounds));
    }
    // Either all have a sign, or none: what both together mean nobody could say.
    if read.iter().any(|(sign, _)| sign.is_some()) {
        return Err(WISH.into());
    }
    Ok(Part::Days(read.into_iter().map(|(_, when)| when).collect()))
}

/// A date and the sign before it; an equals sign before that says nothing. Some clients write what they mean by a sign behind
/// that of equality once more (`=>=`).
fn bound(text: &str) -> Option<(Option<Sign>, When)> {
    let text = text.strip_prefix('=').unwrap_or(text);
    let signs = [
        (">=", Sign::From),
        ("<=", Sign::Until),
        (">", Sign::After),
        ("<", Sign::Before),
    ];
    let signed = signs
        .into_iter()
        .find_map(|(written, sign)| Some((sign, text.strip_prefix(written)?)));
    let (sign, text) = match signed {
        Some((sign, rest)) => (Some(sign), rest),
        None => (None, text),
    };
    Some((sign, when(text.trim())?))
}

fn when(text: &str) -> Option<When> {
    if text == "today" {
        return Some(When::FromToday(0));
    }
    let away = [(".days.ago", -1), (".days.from_now", 1)]
        .into_iter()
        .find_map(|(unit, way)| Some((text.strip_suffix(unit)?, way)));
    match away {
        Some((days, way)) if super::is_digits(days) => {
            let days: i32 = days.parse().ok()?;
            (days <= DAYS_AWAY_MAX).then_some(When::FromToday(way * days))
        }
        Some(_) => None,
        None => Some(When::Written(instant(text)?, last_instant(text)?)),
    }
}

impl When {
    fn span(self, today: Date) -> (Timestamp, Timestamp) {
        match self {
            Self::Written(first, last) => (first, last),
            Self::FromToday(days) => {
                let day = today.saturating_add(days.days()).to_string();
                let first = instant(&day).unwrap_or(Timestamp::MIN);
                (first, last_instant(&day).unwrap_or(first))
            }
        }
    }
}

/// The narrowest span that the bounds leave; turned around, so that nothing lies in it, where they gainsay each other.
fn between(bounds: &[(Sign, When)], today: Date) -> Span {
    let (mut start, mut end): Span = (None, None);
    for (sign, when) in bounds {
        let (first, last) = when.span(today);
        match sign {
            Sign::From => start = start.max(Some(first)),
            Sign::After => start = start.max(Some(last.checked_add(NEXT).unwrap_or(last))),
            Sign::Until => end = earlier(end, Some(last)),
            Sign::Before => end = earlier(end, Some(first.checked_sub(NEXT).unwrap_or(first))),
        }
    }
    (start, end)
}

/// The spans of these days, from the earliest; those that touch are one.
fn any_of(days: &[When], today: Date) -> Vec<Span> {
    let mut spans: Vec<_> = days.iter().map(|when| when.span(today)).collect();
    spans.sort_unstable();
    let mut apart: Vec<(Timestamp, Timestamp)> = Vec::with_capacity(spans.len());
    for (first, last) in spans {
        match apart.last_mut() {
            Some((_, end)) if first.duration_since(*end) <= NEXT => *end = last.max(*end),
            _ => apart.push((first, last)),
        }
    }
    let spans = apart.into_iter();
    spans
        .map(|(first, last)| (Some(first), Some(last)))
        .collect()
}

/// What lies in both; `None`: nothing does.
fn common(one: Span, other: Span) -> Option<Span> {
    let (start, end) = (one.0.max(other.0), earlier(one.1, other.1));
    let empty = matches!((start, end), (Some(start), Some(end)) if start > end);
    (!empty).then_some((start, end))
}

/// The earlier of two ends, where there is one.
fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
