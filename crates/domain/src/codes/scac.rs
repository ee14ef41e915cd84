//! Standard Carrier Alpha Code (NMFTA): names the line, railroad or trucker.

use std::fmt;

/// Four letters or digits, upper case, beginning with a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scac([u8; 4]);

/// Why a text is no SCAC.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a SCAC is two to four letters, not {0:?}")]
pub struct InvalidScac(pub String);

impl Scac {
    /// Reads a code, ignoring case and surrounding space. Ocean carriers use four characters; shorter
    /// railroad marks (`FEC`) are padded inside and printed as they came.
    pub fn parse(text: &str) -> Result<Self, InvalidScac> {
        let trimmed = text.trim();
        let bytes = trimmed.as_bytes();
        let shape = (2..=4).contains(&bytes.len())
            && bytes.first().is_some_and(u8::is_ascii_alphabetic)
            && bytes.iter().all(u8::is_ascii_alphanumeric);
        if !shape {
            return Err(InvalidScac(text.chars().take(32).collect()));
        }
        let mut code = [b' '; 4];
        code.iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = from.to_ascii_uppercase());
        Ok(Self(code))
    }

    /// The code as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default().trim_end()
    }
}

impl fmt::Display for Scac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
