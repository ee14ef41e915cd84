//! Parameters other than the family of JSON:API: what they are called and what they hold.

use domain::moment;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::fmt::temporal::Pieces;

use super::dates::Dates;

/// A parameter of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its whole name: `filter[created_at][start]`.
    pub name: &'static str,
    /// What it may be called as well.
    pub also: &'static [&'static str],
    /// What it holds.
    pub holds: Holds,
    /// For the reference.
    pub about: &'static str,
}

/// What a parameter holds.
#[derive(Clone, Copy, Debug)]
pub enum Holds {
    /// Text of at most 255 characters, not blank.
    Text,
    /// The same, but blank text is empty: what it means that nothing is asked for, the operation says.
    TextOrBlank,
    /// An instant or a date, ISO 8601; a time without an offset is one of UTC.
    Moment,
    /// The end of a range of time: an instant, which without a fraction lasts to the end of its second, or a date, which
    /// lasts to its end (UTC).
    Until,
    /// A comma list of short texts.
    Texts,
    /// What a date must be: [days, bounds, or that there is one](Dates).
    Dates,
    /// Short text under a name of the caller's own, which stands behind the parameter's in brackets:
    /// `filter[custom_field][po]`.
    Named,
    /// `true` or `false`.
    Boolean,
    /// An id.
    Id,
    /// A finite number.
    Number,
    /// A date, ISO 8601.
    Date,
    /// A comma list of these words.
    Words(fn() -> Vec<&'static str>),
    /// The same, which may be empty.
    WordsOrNone(fn() -> Vec<&'static str>),
    /// One of these words.
    Word(fn() -> Vec<&'static str>),
}

impl Holds {
    /// Whether several values fit, with commas between.
    pub(super) const fn is_list(self) -> bool {
        matches!(
            self,
            Self::Texts | Self::Dates | Self::Words(_) | Self::WordsOrNone(_)
        )
    }
}

/// Longest text of a parameter, in characters.
pub const TEXT_CHARS_MAX: usize = 255;
/// Texts of one comma list at most.
pub const TEXTS_MAX: usize = 64;
/// Longest name of a caller's own, in bytes.
const NAME_BYTES_MAX: usize = 255;
/// Longest comma list, in characters.
const LIST_CHARS_MAX: usize = 2_048;

/// A value that fits its parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text, trimmed.
    Text(String),
    /// Texts, trimmed, at least one.
    Texts(Vec<String>),
    /// The caller's name, and the text under it.
    Named(String, String),
    /// An instant.
    Moment(Timestamp),
    /// What a date must be.
    Dates(Dates),
    /// True or false.
    Boolean(bool),
    /// An id.
    Id(uuid::Uuid),
    /// A number.
    Number(f64),
    /// A date.
    Date(Date),
    /// Words; of a parameter that holds [one](Holds::Word), that one.
    Words(Vec<&'static str>),
}

impl Value {
    /// The text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The texts.
    pub fn texts(&self) -> Option<&[String]> {
        match self {
            Self::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    /// The instant.
    pub fn moment(&self) -> Option<Timestamp> {
        match self {
            Self::Moment(at) => Some(*at),
            _ => None,
        }
    }

    /// What a date must be.
    pub fn dates(&self) -> Option<&Dates> {
        match self {
            Self::Dates(dates) => Some(dates),
            _ => None,
        }
    }

    /// True or false.
    pub fn boolean(&self) -> Option<bool> {
        match self {
            Self::Boolean(yes) => Some(*yes),
            _ => None,
        }
    }

    /// The id.
    pub fn id(&self) -> Option<uuid::Uuid> {
        match self {
            Self::Id(id) => Some(*id),
            _ => None,
        }
    }

    /// The number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The date.
    pub fn date(&self) -> Option<Date> {
        match self {
            Self::Date(date) => Some(*date),
            _ => None,
        }
    }

    /// The word of a parameter that holds one.
    pub fn word(&self) -> Option<&'static str> {
        self.words()?.first().copied()
    }

    /// The words.
    pub fn words(&self) -> Option<&[&'static str]> {
        match self {
            Self::Words(words) => Some(words),
            _ => None,
        }
    }
}

impl Parameter {
    /// A parameter.
    pub const fn new(name: &'static str, holds: Holds, about: &'static str) -> Self {
        Self {
            name,
            also: &[],
            holds,
            about,
        }
    }

    /// One that is called so as well.
    #[must_use]
    pub const fn or(mut self, also: &'static [&'static str]) -> Self {
        self.also = also;
        self
    }

    /// Whether a parameter that is called so is this one. Many clients write a list with `[]` behind its name, one time for
    /// each value.
    pub(super) fn is_called(&self, name: &str) -> bool {
        match self.holds {
            Holds::Named => self.own_name(name).is_some(),
            holds if holds.is_list() => self.has_name(name.strip_suffix("[]").unwrap_or(name)),
            _ => self.has_name(name),
        }
    }

    fn has_name(&self, name: &str) -> bool {
        self.name == name || self.also.contains(&name)
    }

    /// What stands in brackets behind the name.
    fn own_name<'n>(&self, name: &'n str) -> Option<&'n str> {
        let rest = name.strip_prefix(self.name)?;
        let own = rest.strip_prefix('[')?.strip_suffix(']')?;
        let fits = !own.is_empty() && !own.contains(['[', ']']) && own.len() <= NAME_BYTES_MAX;
        fits.then_some(own)
    }

    /// Whether it narrows a list: clients with a form send a filter that nobody filled in, and ask nothing by it.
    pub fn is_filter(&self) -> bool {
        self.name.starts_with("filter[")
    }

    /// Reads what stands under one of its names, a text for each time it is given.
    pub(super) fn read(&self, name: &str, given: &[&str]) -> Result<Value, String> {
        let text = given.join(",");
        let trimmed = text.trim();
        match self.holds {
            Holds::Text | Holds::Named if trimmed.is_empty() => Err("is blank".into()),
            // As it is described: with what stands around it.
            Holds::Text | Holds::TextOrBlank | Holds::Named
                if text.chars().count() > TEXT_CHARS_MAX =>
            {
                Err(format!("is longer than {TEXT_CHARS_MAX} characters"))
            }
            Holds::Text | Holds::TextOrBlank => Ok(Value::Text(trimmed.to_owned())),
            Holds::Named => {
                let own = self.own_name(name).unwrap_or_default();
                Ok(Value::Named(own.to_owned(), trimmed.to_owned()))
            }
            Holds::Moment => instant(trimmed)
                .map(Value::Moment)
                .ok_or_else(|| "must be an ISO 8601 time".into()),
            Holds::Until => last_instant(trimmed)
                .map(Value::Moment)
                .ok_or_else(|| "must be an ISO 8601 time".into()),
            Holds::Texts => texts(trimmed).map(Value::Texts),
            Holds::Dates => Dates::read(given).map(Value::Dates),
            Holds::Boolean => match trimmed {
                "true" => Ok(Value::Boolean(true)),
                "false" => Ok(Value::Boolean(false)),
                _ => Err("must be true or false".into()),
            },
            Holds::Id => trimmed
                .parse()
                .map(Value::Id)
                .map_err(|_| "must be an id".into()),
            Holds::Number => trimmed
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite())
                .map(Value::Number)
                .ok_or_else(|| "must be a number".into()),
            Holds::Date => trimmed
                .parse()
                .map(Value::Date)
                .map_err(|_| "must be a date".into()),
            Holds::WordsOrNone(_) if super::names(trimmed).next().is_none() => {
                Ok(Value::Words(Vec::new()))
            }
            Holds::Words(known) | Holds::WordsOrNone(known) => words(trimmed, &known()),
            Holds::Word(known) => {
                let known = known();
                let word = known.iter().find(|one| **one == trimmed);
                let word = word.map(|word| Value::Words(vec![*word]));
                word.ok_or_else(|| format!("must be one of: {}", known.join(", ")))
            }
        }
    }
}

pub(super) fn texts(text: &str) -> Result<Vec<String>, String> {
    if text.chars().count() > LIST_CHARS_MAX {
        return Err(format!("is longer than {LIST_CHARS_MAX} characters"));
    }
    let texts: Vec<String> = super::names(text).map(str::to_owned).collect();
    match texts.len() {
        0 => Err("is blank".into()),
        given if given > TEXTS_MAX => Err(format!("names more than {TEXTS_MAX}")),
        _ => Ok(texts),
    }
}

/// A word or code without the equals sign that may stand before it: it says what is meant without it.
pub fn plain(word: &str) -> &str {
    word.strip_prefix('=').map_or(word, str::trim_start)
}

fn words(text: &str, known: &[&'static str]) -> Result<Value, String> {
    let found: Option<Vec<&'static str>> = super::names(text)
        .map(|word| {
            let word = plain(word);
            known.iter().copied().find(|one| *one == word)
        })
        .collect();
    found
        .filter(|words| !words.is_empty())
        .map(Value::Words)
        .ok_or_else(|| format!("must be any of: {}", known.join(", ")))
}

/// An instant with zone, a time of UTC without one, or a date (its first moment in UTC).
pub(super) fn instant(text: &str) -> Option<Timestamp> {
    match written(text)? {
        Written::Day(date) => moment::read(&format!("{date}T00:00:00Z")),
        Written::Time(at) => Some(at),
    }
}

/// As [`instant`], but a date is its last moment.
pub(super) fn last_instant(text: &str) -> Option<Timestamp> {
    match written(text)? {
        Written::Day(date) => moment::read(&format!("{date}T23:59:59.999999Z")),
        Written::Time(at) => Some(end_of_second(text, at)),
    }
}

enum Written {
    /// A date and nothing else.
    Day(Date),
    Time(Timestamp),
}

/// A date reads out of a whole time as well and would lose the rest: what stands behind it is asked first.
fn written(text: &str) -> Option<Written> {
    let text = with_its_plus(text);
    if let Some(at) = moment::read(&text) {
        return Some(Written::Time(at));
    }
    let pieces = Pieces::parse(&text).ok()?;
    if pieces.offset().is_some() || pieces.time_zone_annotation().is_some() {
        return None;
    }
    match pieces.time() {
        None => Some(Written::Day(pieces.date())),
        Some(_) => moment::read(&format!("{text}Z")).map(Written::Time),
    }
}

/// A plus sign of an offset that was sent unencoded has become a space by now. Between date and time a space is one.
fn with_its_plus(text: &str) -> String {
    match text.split_once(' ') {
        Some((day, rest)) if !day.contains(['T', 't']) => {
            format!("{day}T{}", rest.trim_start().replace(' ', "+"))
        }
        _ => text.replace(' ', "+"),
    }
}

fn end_of_second(text: &str, at: Timestamp) -> Timestamp {
    let rest = jiff::SignedDuration::from_micros(999_999);
    let end = at.checked_add(rest).ok();
    end.filter(|_| names_a_second(text)).unwrap_or(at)
}

/// Whether this time means all of its second, as the end of a range: it has no fraction. Times are shown in whole seconds,
/// and who asks until a time that was shown means what it was shown of.
pub fn names_a_second(text: &str) -> bool {
    !text.contains(['.', ','])
}
