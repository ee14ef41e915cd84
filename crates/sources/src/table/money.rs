//! Amounts as terminals write them: `$1,234.50`, `USD 80`, `1.234,50`, `TBD`.

use rust_decimal::Decimal;

use super::mapping::Profile;
use super::words;

/// An amount that is owed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    /// Its kind is known, the sum is not yet.
    NotPosted,
    /// The sum, and the currency where the text has one.
    Posted(Decimal, Option<String>),
}

/// Larger sums are mistakes.
const AMOUNT_MAX: Decimal = Decimal::from_parts(100_000_000, 0, 0, false, 0);

/// Reads a text; `None` when it is no amount.
pub(super) fn amount(text: &str, profile: &Profile) -> Option<Amount> {
    if words::is_not_posted(text) {
        return Some(Amount::NotPosted);
    }
    let upper = text.to_uppercase();
    let paid = matches!(upper.trim(), "PAID" | "NONE" | "NO" | "NIL");
    let found = if paid {
        Decimal::ZERO
    } else {
        digits(&upper, profile.decimal_comma)?
    };
    let posted = Decimal::ZERO <= found && found <= AMOUNT_MAX;
    match () {
        () if !posted => None,
        () if found.is_zero() && profile.zero_is_unposted && !paid => Some(Amount::NotPosted),
        () => Some(Amount::Posted(found, currency(&upper))),
    }
}

/// Digits with their groups; letters and signs of money only before and behind them.
fn digits(text: &str, decimal_comma: bool) -> Option<Decimal> {
    let (group, point) = if decimal_comma {
        ('.', ',')
    } else {
        (',', '.')
    };
    let around =
        |c: char| c.is_ascii_alphabetic() || c.is_whitespace() || matches!(c, '$' | '€' | '£');
    let number = text.trim_matches(around);
    let number: String = number
        .chars()
        .filter(|c| *c != group && *c != ' ')
        .map(|c| if c == point { '.' } else { c })
        .collect();
    let plain = number.chars().all(|c| c.is_ascii_digit() || c == '.');
    plain.then(|| number.parse().ok())?
}

fn currency(text: &str) -> Option<String> {
    let letters: String = text.chars().filter(char::is_ascii_alphabetic).collect();
    let coded = letters.len() == 3 && letters.bytes().all(|byte| byte.is_ascii_uppercase());
    match () {
        () if coded => Some(letters),
        () if text.contains('€') => Some("EUR".into()),
        () if text.contains('£') => Some("GBP".into()),
        () => None,
    }
}
