//! Custom fields: what an account wants to keep on its own records, which no source tells.
//!
//! A [`Definition`] says on which kind of record a field can be set and what it holds; a *field* is one value on
//! one record; a [`Choice`] is an option of an `enum` or `enum_multi` definition. Three rules carry the rest:
//!
//! 1. A value is judged once, when it is set ([`Definition::accept`]), and kept in one form: dates as ISO 8601,
//!    instants in UTC, numbers as decimals. Changing a definition later judges nothing that stands.
//! 2. What people see is worked out when it is read ([`Definition::display`]), from the value, the format and the
//!    labels of that moment. A new label is seen at once and leaves every stored value valid.
//! 3. An option that is gone leaves its values: they show the stored string.

mod date;
mod definition;
mod display;
mod kind;
mod number;
mod rules;
mod value;

pub use date::{FORMAT_CHARS_MAX, FormatRefused};
pub use definition::{Choice, Definition};
pub use kind::{DataType, EntityKind};
pub use number::{FRACTION_DIGITS_MAX, WHOLE_DIGITS_MAX};
pub use rules::{PATTERN_CHARS_MAX, Rules, RulesRefused};
pub use value::{Refused, Value};

/// Definitions of one account at most.
pub const DEFINITIONS_MAX: u64 = 200;
/// What a reference can refer to: records of the account, and those that all share.
pub const REFERENCE_TYPES: [&str; 10] = [
    "shipment",
    "container",
    "tracking_request",
    "party",
    "port",
    "metro_area",
    "terminal",
    "rail_terminal",
    "shipping_line",
    "vessel",
];
/// Options of one definition at most.
pub const OPTIONS_MAX: u64 = 500;
/// Values of one account at most, staged ones apart.
pub const FIELDS_MAX: u64 = 1_000_000;
/// Values staged on one tracking request at most, for the shipment and for containers each.
pub const STAGED_MAX: usize = 100;
/// Longest slug of a definition, in characters.
pub const SLUG_CHARS_MAX: usize = 64;
/// Longest name, label or option, in characters.
pub const NAME_CHARS_MAX: usize = 255;
/// Longest description and longest text of a value, in characters.
pub const TEXT_CHARS_MAX: usize = 10_000;
/// Options of one `enum_multi` value at most.
pub const CHOSEN_MAX: usize = 100;

/// Whether a text can name a definition: letters, digits, `_`, `-` and `.`, at most [`SLUG_CHARS_MAX`].
pub fn is_slug(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=SLUG_CHARS_MAX).contains(&text.len()) && text.chars().all(fits)
}
