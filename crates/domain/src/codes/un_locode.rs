//! UN/LOCODE (UNECE Recommendation 16): names a port, an inland point or a city.

use std::fmt;

/// Two letters of the country and three of the place (letters, or digits 2–9), upper case.
///
/// That the code is well formed does not mean that the place exists: feeds invent some. The
/// [`Gazetteer`](crate::place::Gazetteer) knows which ones we can place on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnLocode([u8; 5]);

/// Why a text is no UN/LOCODE.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a UN/LOCODE is two letters and three letters or digits from 2 to 9, not {0:?}")]
pub struct InvalidUnLocode(pub String);

impl UnLocode {
    /// Reads a code, ignoring case and white space (`us lax` is seen in feeds). No place has 0 or 1 in its code, and those of
    /// depots have: `VER07` stands in Veracruz, and not in Venezuela.
    pub fn parse(text: &str) -> Result<Self, InvalidUnLocode> {
        Self::read(text, |digit| !matches!(digit, b'0' | b'1'))
    }

    /// Reads a code that was kept. Earlier those of depots were taken for one, too, and what is kept must be read.
    pub fn from_store(text: &str) -> Result<Self, InvalidUnLocode> {
        Self::read(text, |_| true)
    }

    fn read(text: &str, is_of_a_place: fn(u8) -> bool) -> Result<Self, InvalidUnLocode> {
        let mut code = [0u8; 5];
        let mut letters = text.bytes().filter(|b| !b.is_ascii_whitespace());
        for (place, slot) in code.iter_mut().enumerate() {
            let byte = letters.next().unwrap_or(0).to_ascii_uppercase();
            let fits = byte.is_ascii_uppercase()
                || (place >= 2 && byte.is_ascii_digit() && is_of_a_place(byte));
            if !fits {
                return Err(InvalidUnLocode(text.chars().take(32).collect()));
            }
            *slot = byte;
        }
        if letters.next().is_some() {
            return Err(InvalidUnLocode(text.chars().take(32).collect()));
        }
        Ok(Self(code))
    }

    /// The code as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Whether it has no digit. Few codes of places have one, and many of those that somebody made for a yard.
    pub fn is_letters(&self) -> bool {
        self.0.iter().all(u8::is_ascii_uppercase)
    }

    /// ISO 3166-1 alpha-2 code of the country.
    pub fn country(&self) -> &str {
        self.as_str().get(..2).unwrap_or_default()
    }
}

impl fmt::Display for UnLocode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `VER07` is a depot of Veracruz, and no place in Venezuela.
    #[test]
    fn a_place_has_letters_and_the_digits_from_two_to_nine() {
        let parsed = |text: &str| UnLocode::parse(text).ok().map(|code| code.to_string());
        assert_eq!(parsed("us lax").as_deref(), Some("USLAX"));
        assert_eq!(parsed("USQ29").as_deref(), Some("USQ29"));
        for text in [
            "VER07", "VER10", "VE1AA", "VE0AA", "V2ABC", "USLA", "USLAXX", "",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
        // What was kept when they were taken for one is read.
        let kept = UnLocode::from_store("VER07").unwrap();
        assert_eq!((kept.as_str(), kept.country()), ("VER07", "VE"));
        assert!(UnLocode::from_store("V2ABC").is_err());
    }
}
