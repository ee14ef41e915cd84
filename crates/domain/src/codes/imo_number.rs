//! IMO ship identification number.

use std::fmt;

/// Seven digits whose last is the check digit (weights 7 to 2; the last digit of the sum).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImoNumber(u32);

impl ImoNumber {
    /// Reads `9321483` or `IMO 9321483`. Placeholders (0000000, 1111111, 9999999) and numbers with a
    /// wrong check digit are `None`: feeds carry many, and a wrong ship is worse than none.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.trim().trim_start_matches("IMO").trim();
        if digits.len() != 7 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let sum: u32 = digits
            .bytes()
            .take(6)
            .zip((2..=7).rev())
            .map(|(d, w)| u32::from(d - b'0') * w)
            .sum();
        let value: u32 = digits.parse().ok()?;
        let placeholder = matches!(value, 0 | 1_111_111 | 9_999_999);
        (sum % 10 == value % 10 && !placeholder).then_some(Self(value))
    }

    /// The number without the letters.
    pub fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for ImoNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:07}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_ships_have_numbers() {
        assert_eq!(
            ImoNumber::parse("9321483")
                .map(|n| n.to_string())
                .as_deref(),
            Some("9321483")
        );
        assert_eq!(ImoNumber::parse("IMO 9321483"), ImoNumber::parse("9321483"));
        for wrong in [
            "9321484", "0000000", "1111111", "9999999", "", "932148", "93214833", "93214x3",
        ] {
            assert_eq!(ImoNumber::parse(wrong), None, "{wrong}");
        }
    }
}
