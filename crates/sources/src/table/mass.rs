//! The gross mass of a box: a number, and the unit that stands beside it, in a column of its own or in the mapping.

use rust_decimal::Decimal;

use super::cell::Cell;
use super::claims::quoted;
use super::mapping::{Field, Profile};
use super::money;
use super::row::Row;

/// Kilograms of a pound.
const POUND_KG: Decimal = Decimal::from_parts(45_359_237, 0, 0, false, 8);
/// A box has a maximum of some 36 t by ISO 668, and no vessel lifts one of twice that: more is a mistake.
const MASS_MAX_KG: Decimal = Decimal::from_parts(80_000, 0, 0, false, 0);

/// In what a mass is told that has no unit beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Kilogram,
    Pound,
    Tonne,
}

/// The mass in a row, in kilograms; `Err` says which column is wrong, and why.
pub(super) fn of_row(profile: &Profile, row: &Row) -> Result<Option<Decimal>, (Field, String)> {
    let slot = profile.fields.get(&Field::GrossMass);
    let cell = slot.map_or(&Cell::Unknown, |slot| row.cell(*slot));
    let text = match cell {
        Cell::Unknown => return Ok(None),
        Cell::Nested(_) => {
            return Err((Field::GrossMass, format!("{} is no mass", quoted(cell))));
        }
        cell => cell.text().unwrap_or_default(),
    };
    // As for money: a number of a spreadsheet or of JSON has a point.
    let is_comma = profile.decimal_comma && !matches!(cell, Cell::Number(_));
    match mass(&text, unit(profile, row)?, is_comma) {
        // A box that was not weighed.
        Some(mass) if mass.is_zero() => Ok(None),
        Some(mass) => Ok(Some(mass)),
        None => {
            let reason = format!("{} is no mass of a box that can be read", quoted(cell));
            Err((Field::GrossMass, reason))
        }
    }
}

/// The unit that a column of its own names, else that of the mapping.
fn unit(profile: &Profile, row: &Row) -> Result<Unit, (Field, String)> {
    let usual = if profile.pounds {
        Unit::Pound
    } else {
        Unit::Kilogram
    };
    let slot = profile.fields.get(&Field::MassUnit);
    let cell = slot.map_or(&Cell::Unknown, |slot| row.cell(*slot));
    if *cell == Cell::Unknown {
        return Ok(usual);
    }
    let named = cell.text().and_then(|text| named(&text));
    named.ok_or_else(|| {
        let reason = format!("{} is no unit of a mass", quoted(cell));
        (Field::MassUnit, reason)
    })
}

/// The unit in the words of terminals, and by the codes of EDI.
fn named(text: &str) -> Option<Unit> {
    match text.trim_end_matches('.').to_uppercase().as_str() {
        "L" | "LB" | "LBS" | "LBR" | "P" | "POUND" | "POUNDS" => Some(Unit::Pound),
        "K" | "KG" | "KGS" | "KGM" | "KILO" | "KILOS" | "KILOGRAM" | "KILOGRAMS" => {
            Some(Unit::Kilogram)
        }
        "MT" | "TNE" | "TONNE" | "TONNES" => Some(Unit::Tonne),
        _ => None,
    }
}

/// A mass in kilograms, or zero; the unit of the text counts before that of its column.
fn mass(text: &str, usual: Unit, is_comma: bool) -> Option<Decimal> {
    let upper = text.to_uppercase();
    let is_digit = |c: char| c.is_ascii_digit();
    let (_, behind) = upper.split_at(upper.find(|c| is_digit(c) || matches!(c, '.' | ','))?);
    let is_of_number = |c: char| is_digit(c) || matches!(c, '.' | ',') || c.is_whitespace();
    let end = behind.find(|c| !is_of_number(c));
    let (number, rest) = behind.split_at(end.unwrap_or(behind.len()));
    // Of two numbers nobody knows to which one the unit belongs.
    if rest.contains(is_digit) {
        return None;
    }
    let amount = money::digits(number.trim(), is_comma)?;
    let word: String = upper.chars().filter(char::is_ascii_alphabetic).collect();
    let unit = match word.as_str() {
        // Nobody says whose tons.
        "T" | "TON" | "TONS" => return None,
        "MT" | "TONNE" | "TONNES" | "METRICTONS" => Unit::Tonne,
        _ if upper.contains("KG") => Unit::Kilogram,
        _ if upper.contains("LB") => Unit::Pound,
        _ => usual,
    };
    let mass = match unit {
        Unit::Kilogram => amount,
        Unit::Pound => amount.checked_mul(POUND_KG)?,
        Unit::Tonne => amount.checked_mul(Decimal::ONE_THOUSAND)?,
    };
    let mass = mass.round_dp(3).normalize();
    (Decimal::ZERO <= mass && mass <= MASS_MAX_KG).then_some(mass)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mass_is_in_the_unit_beside_it() {
        for (text, usual, kg) in [
            ("22,020", Unit::Kilogram, Some("22020")),
            ("22020 KG", Unit::Pound, Some("22020")),
            ("1000", Unit::Pound, Some("453.592")),
            ("1000 gross", Unit::Pound, Some("453.592")),
            ("1,000 lbs", Unit::Kilogram, Some("453.592")),
            ("19 MT", Unit::Kilogram, Some("19000")),
            ("6.1 MT", Unit::Pound, Some("6100")),
            ("22.02 tonnes", Unit::Kilogram, Some("22020")),
            // Short ones or long ones.
            ("24.3 T", Unit::Kilogram, None),
            ("24.3 tons", Unit::Kilogram, None),
            ("22000 KG (VGM)", Unit::Kilogram, Some("22000")),
            // Another one's point, two units, more than a box can weigh.
            ("22,02 tonnes", Unit::Kilogram, None),
            ("48,500 lb / 22,000 kg", Unit::Kilogram, None),
            ("220,200 kg", Unit::Kilogram, None),
            ("0.00 KG", Unit::Kilogram, Some("0")),
            ("VGM", Unit::Kilogram, None),
        ] {
            let read = mass(text, usual, false).map(|mass| mass.to_string());
            assert_eq!(read.as_deref(), kg, "{text} {usual:?}");
        }
        let with_comma = |text| mass(text, Unit::Kilogram, true).map(|mass| mass.to_string());
        assert_eq!(with_comma("22,02 tonnes").as_deref(), Some("22020"));
        assert_eq!(with_comma("22.020 kg").as_deref(), Some("22020"));
    }
}
