//! Values, and why one is refused.

use rust_decimal::Decimal;

/// What is sent, and what is kept. Which of these a field can hold, its definition says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing: the field is cleared.
    Null,
    /// True or false.
    Boolean(bool),
    /// A number.
    Number(Decimal),
    /// Text; also a date, an instant, an option.
    Text(String),
    /// A list, of options.
    List(Vec<Value>),
    /// An object, a reference.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The number of these digits (`-1.50`, `15e-1`), when that many are kept.
    pub fn number(digits: &str) -> Result<Self, Refused> {
        let read = if digits.contains(['e', 'E']) {
            Decimal::from_scientific(digits)
        } else {
            Decimal::from_str_exact(digits)
        };
        read.map(Self::Number).map_err(|_| Refused::TooPrecise)
    }

    /// The value as one text, for looking it up; `None` for what is not one.
    pub fn plain(&self) -> Option<String> {
        match self {
            Self::Null | Self::List(_) | Self::Object(_) => None,
            Self::Boolean(yes) => Some(yes.to_string()),
            Self::Number(number) => Some(number.normalize().to_string()),
            Self::Text(text) => Some(text.clone()),
        }
    }

    /// The number.
    pub fn decimal(&self) -> Option<Decimal> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Why a value is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The definition wants a value and there is none.
    #[error("can't be blank")]
    Blank,
    /// Another kind of value than the definition holds.
    #[error("must be {0}")]
    Kind(&'static str),
    /// Text that is more than one line.
    #[error("holds control characters")]
    ControlCharacters,
    /// More digits than are kept.
    #[error("has more than {whole} digits before the point or {fraction} behind it", whole = super::WHOLE_DIGITS_MAX, fraction = super::FRACTION_DIGITS_MAX)]
    TooPrecise,
    /// Text that is longer than it may be.
    #[error("is longer than {0} characters")]
    TooLong(usize),
    /// Text that is shorter than it must be.
    #[error("is shorter than {0} characters")]
    TooShort(usize),
    /// Text that does not match the pattern.
    #[error("does not match the pattern {0}")]
    Pattern(String),
    /// A number that is too small.
    #[error("must be at least {0}")]
    TooSmall(Decimal),
    /// A number that is too great.
    #[error("must be at most {0}")]
    TooGreat(Decimal),
    /// No such option.
    #[error("names '{0}', which is no option of this field")]
    NoOption(String),
    /// An option that stands twice.
    #[error("names '{0}' twice")]
    Twice(String),
    /// More options than are kept.
    #[error("names more than {0} options")]
    TooMany(usize),
    /// A reference to another kind of record.
    #[error("must refer to a {0}")]
    ReferenceType(String),
    /// A reference to what is no record.
    #[error("refers to a type of which there are no records")]
    NoSuchType,
}
