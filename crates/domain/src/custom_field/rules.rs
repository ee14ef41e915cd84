//! What an account demands of values beyond their type.
//!
//! Patterns come from clients and run in our process, so the engine must not be one that can be made to
//! backtrack: `regex` matches in time linear in the text, and what a pattern compiles to is bounded here. It
//! knows neither look-around nor back-references; a pattern that needs them is refused when the definition is
//! made, not when the first value is set.

use regex::{Regex, RegexBuilder};
use rust_decimal::Decimal;

use super::value::Refused;
use super::{DataType, TEXT_CHARS_MAX};

/// Longest pattern, in characters.
pub const PATTERN_CHARS_MAX: usize = 500;
/// What a pattern may compile to at most, in bytes; its cache while matching may take as much again.
const PATTERN_COMPILED_BYTES_MAX: usize = 256 * 1024;
/// Nesting of groups in a pattern at most.
const PATTERN_NESTING_MAX: u32 = 32;

/// Demands on values; the default demands nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Whether the field can be cleared.
    pub required: Option<bool>,
    /// What a text must match somewhere.
    pub pattern: Option<String>,
    /// Least number.
    pub min: Option<Decimal>,
    /// Greatest number.
    pub max: Option<Decimal>,
    /// Shortest text, in characters.
    pub min_length: Option<u32>,
    /// Longest text, in characters.
    pub max_length: Option<u32>,
}

/// Why demands are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RulesRefused {
    /// A demand that values of this type cannot meet.
    #[error("has {rule}, which is not for {}", kind.as_str())]
    NotForType {
        /// The demand.
        rule: &'static str,
        /// The type.
        kind: DataType,
    },
    /// The pattern is longer than it may be.
    #[error("has a pattern of more than {PATTERN_CHARS_MAX} characters")]
    PatternTooLong,
    /// The pattern cannot be used.
    #[error("has a pattern that cannot be used: {0}")]
    Pattern(String),
    /// The least is greater than the greatest.
    #[error("has {0} above {1}")]
    Crossed(&'static str, &'static str),
    /// A text cannot be that long.
    #[error("has a length above {TEXT_CHARS_MAX}")]
    LengthTooGreat,
}

impl Rules {
    /// Whether a definition of this type can have these demands.
    pub fn check(&self, kind: DataType) -> Result<(), RulesRefused> {
        let of_text = [
            ("pattern", self.pattern.is_some()),
            ("min_length", self.min_length.is_some()),
            ("max_length", self.max_length.is_some()),
        ];
        let of_number = [("min", self.min.is_some()), ("max", self.max.is_some())];
        let odd = of_text
            .into_iter()
            .filter(|_| kind != DataType::ShortText)
            .chain(of_number.into_iter().filter(|_| kind != DataType::Number))
            .find(|(_, given)| *given);
        if let Some((rule, _)) = odd {
            return Err(RulesRefused::NotForType { rule, kind });
        }
        if self.min.zip(self.max).is_some_and(|(min, max)| min > max) {
            return Err(RulesRefused::Crossed("min", "max"));
        }
        let lengths = self.min_length.zip(self.max_length);
        if lengths.is_some_and(|(min, max)| min > max) {
            return Err(RulesRefused::Crossed("min_length", "max_length"));
        }
        let lengths = [self.min_length, self.max_length];
        let too_great = |length: u32| usize::try_from(length).is_ok_and(|l| l > TEXT_CHARS_MAX);
        if lengths.into_iter().flatten().any(too_great) {
            return Err(RulesRefused::LengthTooGreat);
        }
        self.pattern
            .as_deref()
            .map_or(Ok(()), |pattern| compiled(pattern).map(|_| ()))
    }

    /// Whether the field cannot be cleared.
    pub fn is_required(&self) -> bool {
        self.required == Some(true)
    }

    pub(super) fn judge_text(&self, text: &str) -> Result<(), Refused> {
        let length = text.chars().count();
        let longer = |max: &u32| usize::try_from(*max).is_ok_and(|max| length > max);
        let shorter = |min: &u32| usize::try_from(*min).is_ok_and(|min| length < min);
        if let Some(max) = self.max_length.filter(longer) {
            return Err(Refused::TooLong(max as usize));
        }
        if let Some(min) = self.min_length.filter(shorter) {
            return Err(Refused::TooShort(min as usize));
        }
        let Some(pattern) = &self.pattern else {
            return Ok(());
        };
        // A stored pattern compiled once; one that no longer does matches nothing.
        if compiled(pattern).is_ok_and(|regex| regex.is_match(text)) {
            Ok(())
        } else {
            Err(Refused::Pattern(pattern.clone()))
        }
    }

    pub(super) fn judge_number(&self, number: Decimal) -> Result<(), Refused> {
        if let Some(min) = self.min.filter(|min| number < *min) {
            return Err(Refused::TooSmall(min));
        }
        if let Some(max) = self.max.filter(|max| number > *max) {
            return Err(Refused::TooGreat(max));
        }
        Ok(())
    }
}

fn compiled(pattern: &str) -> Result<Regex, RulesRefused> {
    if pattern.chars().count() > PATTERN_CHARS_MAX {
        return Err(RulesRefused::PatternTooLong);
    }
    RegexBuilder::new(pattern)
        .size_limit(PATTERN_COMPILED_BYTES_MAX)
        .dfa_size_limit(PATTERN_COMPILED_BYTES_MAX)
        .nest_limit(PATTERN_NESTING_MAX)
        .build()
        .map_err(|why| RulesRefused::Pattern(last_line(&why.to_string())))
}

/// The engine draws the place of the fault over several lines; the last one says what it is.
fn last_line(why: &str) -> String {
    let line = why.lines().last().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}
