//! Container number (ISO 6346).

use std::fmt;

/// Owner code, category and serial with its check digit: `MSCU6639870`.
///
/// Three owner letters, the category `U` (`J` and `Z` name gear and chassis), six digits, check digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContainerNumber([u8; 11]);

/// Why a text is no container number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidContainerNumber {
    /// Not four letters and six or seven digits.
    #[error("a container number is four letters and seven digits, not {0:?}")]
    Shape(String),
    /// The fourth letter is no equipment category.
    #[error("{0} has the category {1:?}; a container has U, J or Z")]
    Category(String, char),
    /// The last digit does not fit the rest.
    #[error("{given} has the check digit {found}, {expected} would fit")]
    CheckDigit {
        /// The number as given, normalised.
        given: String,
        /// Its last digit.
        found: u8,
        /// What ISO 6346 computes.
        expected: u8,
    },
}

impl ContainerNumber {
    /// What a person types: spaces, dashes and lower case are fine, a missing check digit is computed, a
    /// wrong one is refused. Six digits of which some stand apart are refused too: what is missing may be any of the seven.
    pub fn parse(text: &str) -> Result<Self, InvalidContainerNumber> {
        let (number, given) = Self::shape(text)?;
        let expected = number.expected_check_digit();
        match given {
            Some(found) if found != expected => Err(InvalidContainerNumber::CheckDigit {
                given: number.to_string(),
                found,
                expected,
            }),
            _ => Ok(number.with_check_digit(expected)),
        }
    }

    /// What a feed sends: as [`parse`](Self::parse), but a wrong check digit stands (it is still what the
    /// carrier sent) and is told by the second value being `false`.
    pub fn from_feed(text: &str) -> Result<(Self, bool), InvalidContainerNumber> {
        let (number, given) = Self::shape(text)?;
        let expected = number.expected_check_digit();
        let fits = given.is_none_or(|digit| digit == expected);
        Ok((number.with_check_digit(given.unwrap_or(expected)), fits))
    }

    /// The number as text, eleven characters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The four letters that name the owner: `MSCU`.
    pub fn owner_prefix(&self) -> &str {
        self.as_str().get(..4).unwrap_or_default()
    }

    /// Whether the last digit is the one ISO 6346 computes.
    pub fn check_digit_fits(&self) -> bool {
        self.0
            .last()
            .is_some_and(|digit| digit - b'0' == self.expected_check_digit())
    }

    fn shape(text: &str) -> Result<(Self, Option<u8>), InvalidContainerNumber> {
        let shape_error = || InvalidContainerNumber::Shape(text.chars().take(32).collect());
        let compact: Vec<u8> = text
            .bytes()
            .filter(|b| !b.is_ascii_whitespace() && *b != b'-')
            .map(|b| b.to_ascii_uppercase())
            .take(12)
            .collect();
        let letters = compact.iter().take(4).all(u8::is_ascii_uppercase);
        let digits = compact.iter().skip(4).all(u8::is_ascii_digit);
        if !(letters && digits && (10..=11).contains(&compact.len())) {
            return Err(shape_error());
        }
        if compact.len() == 10 && !ends_with_a_serial(text) {
            return Err(shape_error());
        }
        let mut number = [b'0'; 11];
        number
            .iter_mut()
            .zip(&compact)
            .for_each(|(to, from)| *to = *from);
        let category = compact.get(3).copied().unwrap_or_default();
        if !matches!(category, b'U' | b'J' | b'Z') {
            let shown = String::from_utf8_lossy(&compact).into_owned();
            return Err(InvalidContainerNumber::Category(
                shown,
                char::from(category),
            ));
        }
        Ok((Self(number), compact.get(10).map(|digit| digit - b'0')))
    }

    /// ISO 6346 annex A: letters count 10 to 38 without the multiples of 11; position n weighs 2^n; the sum
    /// modulo 11, and 10 counts as 0.
    fn expected_check_digit(&self) -> u8 {
        let sum: u32 = self
            .0
            .iter()
            .take(10)
            .enumerate()
            .map(|(position, &byte)| letter_value(byte) << position)
            .sum();
        u8::try_from(sum % 11 % 10).unwrap_or(0)
    }

    fn with_check_digit(mut self, digit: u8) -> Self {
        if let Some(last) = self.0.last_mut() {
            *last = b'0' + digit;
        }
        self
    }
}

/// Whether the six digits at the end of a text stand together.
fn ends_with_a_serial(text: &str) -> bool {
    let text = text.trim_end_matches(|c: char| c.is_ascii_whitespace() || c == '-');
    text.bytes().rev().take(6).all(|byte| byte.is_ascii_digit())
}

fn letter_value(byte: u8) -> u32 {
    match byte {
        b'0'..=b'9' => u32::from(byte - b'0'),
        b'A' => 10,
        b'B'..=b'K' => u32::from(byte - b'B') + 12,
        b'L'..=b'U' => u32::from(byte - b'L') + 23,
        _ => u32::from(byte.saturating_sub(b'V')) + 34,
    }
}

impl fmt::Display for ContainerNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits() {
        for good in ["CSQU3054383", "MSKU6011672", "TCLU 425560-4", "mscu6639870"] {
            ContainerNumber::parse(good).unwrap_or_else(|e| panic!("{good}: {e}"));
        }
        assert_eq!(
            ContainerNumber::parse("CSQU305438").unwrap().as_str(),
            "CSQU3054383"
        );
        assert!(matches!(
            ContainerNumber::parse("CSQU3054384"),
            Err(InvalidContainerNumber::CheckDigit {
                expected: 3,
                found: 4,
                ..
            })
        ));
        assert!(!ContainerNumber::from_feed("CSQU3054384").unwrap().1);
        for whole in [
            "CSQU 305438",
            "CSQU-305438 ",
            "csqu305438-",
            "CSQU 305 438 3",
        ] {
            let number = ContainerNumber::parse(whole).unwrap_or_else(|e| panic!("{whole}: {e}"));
            assert_eq!(number.as_str(), "CSQU3054383", "{whole}");
        }
        for bad in [
            "",
            "CSQU",
            // One of seven digits is missing, and nobody knows which.
            "CSQU30543 3",
            "CSQU30 4383",
            "CSQU 305 438",
            "CSQU30543",
            "CSQX3054383",
            "12345678901",
            "CSQU30543833",
            "CSQÜ305438",
        ] {
            assert!(ContainerNumber::parse(bad).is_err(), "{bad}");
        }
    }
}
