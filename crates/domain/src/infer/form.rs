//! Forms that lines give their numbers: a prefix and a mask for the rest.

use crate::codes::Scac;
use crate::tracking_request::NumberKind;

/// One form of one line's numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberForm {
    /// The line.
    pub scac: Scac,
    /// What kind of number has this form.
    pub kind: NumberKind,
    /// What it begins with; may be empty.
    pub prefix: String,
    /// What follows.
    pub rest: Mask,
    /// How sure it is that a number of this form is the line's, in percent.
    pub percent: u8,
}

impl NumberForm {
    /// Whether a number in capitals has this form.
    pub fn fits(&self, number: &str) -> bool {
        number
            .strip_prefix(self.prefix.as_str())
            .is_some_and(|rest| self.rest.fits(rest))
    }
}

/// One sign for each character: `9` a digit, `A` a letter, `X` either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask(String);

/// A sign in a mask that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a mask is made of 9, A and X, not {0:?}")]
pub struct InvalidMask(pub String);

impl Mask {
    /// Reads a mask.
    pub fn parse(text: &str) -> Result<Self, InvalidMask> {
        let good = !text.is_empty() && text.chars().all(|c| matches!(c, '9' | 'A' | 'X'));
        good.then(|| Self(text.to_owned()))
            .ok_or_else(|| InvalidMask(text.to_owned()))
    }

    fn fits(&self, text: &str) -> bool {
        let fits = |(sign, c): (char, char)| match sign {
            '9' => c.is_ascii_digit(),
            'A' => c.is_ascii_alphabetic(),
            _ => c.is_ascii_alphanumeric(),
        };
        self.0.len() == text.len() && self.0.chars().zip(text.chars()).all(fits)
    }
}
