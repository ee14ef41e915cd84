//! Numbers: decimal(18,6), and how they are shown.
//!
//! A format is either a picture, `#,##0.00` with text around it, or a `printf` directive, `%.2f` or `%d`. Rounding
//! is for display only and goes away from zero at the half, as people do it.

use rust_decimal::{Decimal, RoundingStrategy};

use super::date::FormatRefused;
use super::value::Refused;

/// Digits before the point at most.
pub const WHOLE_DIGITS_MAX: u32 = 12;
/// Digits behind the point at most.
pub const FRACTION_DIGITS_MAX: u32 = 6;

/// The number in its shortest form, when it fits.
pub(super) fn fitting(number: Decimal) -> Result<Decimal, Refused> {
    let shortest = number.normalize();
    let whole_max = Decimal::from(10_u64.pow(WHOLE_DIGITS_MAX));
    if shortest.scale() > FRACTION_DIGITS_MAX || shortest.abs() >= whole_max {
        return Err(Refused::TooPrecise);
    }
    Ok(shortest)
}

/// How a number is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NumberFormat {
    before: String,
    grouped: bool,
    places: u32,
    after: String,
}

impl NumberFormat {
    /// Reads `#,##0.00 kg` or `%.2f kg`.
    pub(super) fn parse(format: &str) -> Result<Self, FormatRefused> {
        let read = Self::printf(format).or_else(|| Self::picture(format));
        read.ok_or(FormatRefused::Number)
    }

    fn printf(format: &str) -> Option<Self> {
        let (before, directive) = format.split_once('%')?;
        let (places, after) = if let Some(after) = directive.strip_prefix('d') {
            (0, after)
        } else {
            let (digit, after) = directive.strip_prefix('.')?.split_once('f')?;
            (digit.parse().ok()?, after)
        };
        let plain = !before.contains('%') && !after.replace("%%", "").contains('%');
        (plain && places <= FRACTION_DIGITS_MAX).then(|| Self {
            before: before.to_owned(),
            grouped: false,
            places,
            after: after.replace("%%", "%"),
        })
    }

    fn picture(format: &str) -> Option<Self> {
        let of_picture = |c: char| matches!(c, '#' | '0' | ',' | '.');
        let begin = format.find(['#', '0'])?;
        let (before, rest) = format.split_at(begin);
        let end = rest.find(|c| !of_picture(c)).unwrap_or(rest.len());
        let (picture, after) = rest.split_at(end);
        let (whole, fraction) = picture.split_once('.').unwrap_or((picture, ""));
        let grouped = match whole {
            "0" | "#" => false,
            "#,##0" | "#,###" => true,
            _ => return None,
        };
        let places = u32::try_from(fraction.len()).ok()?;
        let whole_places = fraction.chars().all(|c| c == '0') && !picture.ends_with('.');
        let plain = !after.contains(['#', '0']);
        (whole_places && plain && places <= FRACTION_DIGITS_MAX).then(|| Self {
            before: before.to_owned(),
            grouped,
            places,
            after: after.to_owned(),
        })
    }

    pub(super) fn show(&self, number: Decimal) -> String {
        let away = RoundingStrategy::MidpointAwayFromZero;
        let rounded = number.round_dp_with_strategy(self.places, away);
        let digits = format!("{:.*}", self.places as usize, rounded.abs());
        let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
        let sign = if rounded.is_sign_negative() && !rounded.is_zero() {
            "-"
        } else {
            ""
        };
        let whole = if self.grouped {
            in_thousands(whole)
        } else {
            whole.to_owned()
        };
        let point = if fraction.is_empty() { "" } else { "." };
        format!(
            "{sign}{}{whole}{point}{fraction}{}",
            self.before, self.after
        )
    }
}

fn in_thousands(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
