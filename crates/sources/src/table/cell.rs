//! One cell of a table.

use jiff::civil::DateTime;
use serde_json::Value;

use crate::ocean::dcsa::text::cleaned;

/// What stands in a cell. Blanks and fillers are [`Unknown`](Self::Unknown).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Cell {
    /// Nothing is said.
    #[default]
    Unknown,
    /// A text.
    Text(String),
    /// A spreadsheet's or JSON's own number, with a point where it has a fraction.
    Number(String),
    /// A spreadsheet's or JSON's own yes or no.
    Flag(bool),
    /// A spreadsheet's date and time, and whether the time of day means anything.
    Clock(DateTime, bool),
    /// A JSON list or object.
    Nested(Vec<Value>),
}

/// What forms hold where there is nothing to say.
const FILLERS: [&str; 9] = [
    "-", "--", "---", "N/A", "NA", "NULL", "#N/A", "UNKNOWN", ".",
];

impl Cell {
    /// A text without the space around it.
    pub(super) fn of_text(text: &str) -> Self {
        let text = text.trim();
        let is_filler = FILLERS.iter().any(|word| text.eq_ignore_ascii_case(word));
        if text.is_empty() || is_filler {
            return Self::Unknown;
        }
        // Lines in one cell are a list more often than a sentence.
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let text = lines.collect::<Vec<_>>().join("; ");
        Self::Text(cleaned(&text.replace('\t', " ")))
    }

    /// A member of a JSON object.
    pub(super) fn of_json(value: Value) -> Self {
        match value {
            Value::Null => Self::Unknown,
            Value::Bool(flag) => Self::Flag(flag),
            Value::Number(number) => Self::Number(number.to_string()),
            Value::String(text) => Self::of_text(&text),
            Value::Array(list) => Self::Nested(list),
            object @ Value::Object(_) => Self::Nested(vec![object]),
        }
    }

    /// Its text, when it has one.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) | Self::Number(text) => Some(text.clone()),
            Self::Flag(flag) => Some(if *flag { "true" } else { "false" }.to_owned()),
            Self::Clock(clock, _) => Some(clock.to_string()),
            Self::Unknown | Self::Nested(_) => None,
        }
    }
}
