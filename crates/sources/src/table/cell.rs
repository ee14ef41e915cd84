//! One cell of a table.

use jiff::civil::DateTime;
use serde_json::Value;

use crate::ocean::dcsa::text::{TEXT_CHARS_MAX, cleaned};

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
    Nested(Nested),
}

/// A list, or an object as a list of one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Nested {
    pub(super) all: Vec<Value>,
    is_object: bool,
}

impl Nested {
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.all.iter()
    }

    /// What it is, for a complaint.
    pub(super) fn kind(&self) -> &'static str {
        if self.is_object {
            "an object"
        } else {
            "a list"
        }
    }
}

/// What forms hold where there is nothing to say.
const FILLERS: [&str; 9] = [
    "-", "--", "---", "N/A", "NA", "NULL", "#N/A", "UNKNOWN", ".",
];

/// Of a cell's text so many bytes are looked at: some times what is kept of it.
const LOOKED_AT_BYTES: usize = 4 * 1024;

/// The text as far as it is looked at.
fn beginning(text: &str) -> &str {
    let mut end = LOOKED_AT_BYTES.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

impl Cell {
    /// A text without the space around it. A spreadsheet may show one text of megabytes in each of its cells, and of what is
    /// long only the beginning is kept: no more is looked at.
    pub(super) fn of_text(text: &str) -> Self {
        let text = beginning(text).trim();
        let is_filler = FILLERS.iter().any(|word| text.eq_ignore_ascii_case(word));
        if text.is_empty() || is_filler {
            return Self::Unknown;
        }
        // Lines in one cell are a list more often than a sentence.
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let text = lines.collect::<Vec<_>>().join("; ");
        Self::Text(cleaned(&text.replace('\t', " ")))
    }

    /// Whether more may have stood there than is kept.
    pub(super) fn may_be_cut(&self) -> bool {
        matches!(self, Self::Text(text) if text.chars().count() >= TEXT_CHARS_MAX)
    }

    /// A member of a JSON object.
    pub(super) fn of_json(value: Value) -> Self {
        match value {
            Value::Null => Self::Unknown,
            Value::Bool(flag) => Self::Flag(flag),
            Value::Number(number) => Self::Number(number.to_string()),
            Value::String(text) => Self::of_text(&text),
            Value::Array(all) => Self::Nested(Nested {
                all,
                is_object: false,
            }),
            object @ Value::Object(_) => Self::Nested(Nested {
                all: vec![object],
                is_object: true,
            }),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_text_only_the_beginning_is_looked_at() {
        assert_eq!(beginning(""), "");
        assert_eq!(beginning("short"), "short");
        // Whole letters, whatever they take.
        let long = "aé".repeat(1 << 20);
        let looked_at = beginning(&long);
        assert!(looked_at.len() <= LOOKED_AT_BYTES && looked_at.len() > LOOKED_AT_BYTES - 4);
        let (Cell::Text(of_all), Cell::Text(of_some)) =
            (Cell::of_text(&long), Cell::of_text(looked_at))
        else {
            panic!("no texts");
        };
        assert_eq!(of_all, of_some);
        let behind = format!("{}here", " ".repeat(1 << 20));
        assert_eq!(Cell::of_text(&behind), Cell::Unknown);
    }
}
