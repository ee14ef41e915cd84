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
#[error("a UN/LOCODE is two letters and three letters or digits, not {0:?}")]
pub struct InvalidUnLocode(pub String);

impl UnLocode {
    /// Reads a code, ignoring case and white space (`us lax` is seen in feeds).
    pub fn parse(text: &str) -> Result<Self, InvalidUnLocode> {
        let mut code = [0u8; 5];
        let mut letters = text.bytes().filter(|b| !b.is_ascii_whitespace());
        for (place, slot) in code.iter_mut().enumerate() {
            let byte = letters.next().unwrap_or(0).to_ascii_uppercase();
            let fits = byte.is_ascii_uppercase() || (place >= 2 && byte.is_ascii_digit());
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
