//! Percent codes, strictly: what a browser's encoder sends is understood, what none sends is refused.

use crate::error::ErrorItem;

use super::PARAMETERS_MAX;

/// A decoded parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) value: String,
}

impl Pair {
    /// Encoded again, brackets and commas written as such.
    pub(super) fn print(&self) -> String {
        format!("{}={}", encode(&self.name), encode(&self.value))
    }
}

pub(super) fn pairs(raw: &str) -> Result<Vec<Pair>, Vec<ErrorItem>> {
    let parts: Vec<&str> = raw.split('&').filter(|part| !part.is_empty()).collect();
    if parts.len() > PARAMETERS_MAX {
        let detail = format!("more than {PARAMETERS_MAX} query parameters");
        return Err(vec![ErrorItem::new(400, detail)]);
    }
    let mut pairs = Vec::with_capacity(parts.len());
    let mut faults = Vec::new();
    for part in parts {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        match (decode(name), decode(value)) {
            (Some(name), Some(value)) => pairs.push(Pair { name, value }),
            (name, _) => faults.push(ErrorItem::parameter(
                name.unwrap_or_else(|| printable(name_of(part))),
                "a query parameter is percent-encoded UTF-8 without control characters",
            )),
        }
    }
    if faults.is_empty() {
        Ok(pairs)
    } else {
        Err(faults)
    }
}

fn name_of(part: &str) -> &str {
    part.split_once('=').map_or(part, |(name, _)| name)
}

fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(255).collect()
}

/// `None` for a broken percent code, for bytes that are no UTF-8 and for control characters.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => hex(rest.next()?)? << 4 | hex(rest.next()?)?,
            b'+' => b' ',
            other => other,
        });
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|decoded| !decoded.chars().any(char::is_control))
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

fn upper_hex(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).map_or('0', |c| c.to_ascii_uppercase())
}

fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~[],:".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.extend([byte >> 4, byte & 15].map(upper_hex));
        }
    }
    out
}
