//! Numbers digit for digit.
//!
//! A [`Node`](super::Node) holds what 64 bits hold. A decimal of eighteen digits is more than a fraction of 64
//! bits can tell apart, so whoever keeps decimals asks for the digits as they were written.

use serde_json::value::RawValue;

use crate::linkage::Members;

/// The number at this path of a body that was read without fault; `None` when there is none.
pub fn digits(body: &[u8], path: &[&str]) -> Option<String> {
    let mut at: &RawValue = serde_json::from_slice(body).ok()?;
    for step in path {
        at = match step.parse::<usize>() {
            Ok(place) => *serde_json::from_str::<Vec<&RawValue>>(at.get())
                .ok()?
                .get(place)?,
            Err(_) => serde_json::from_str::<Members<'_>>(at.get())
                .ok()?
                .get(step)?,
        };
    }
    let text = at.get().trim();
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        .then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_they_were_written() {
        let body = br#"{"data":{"x":[{"\u0061":123456789012.123456},"1"]}}"#;
        let at = |path: &[&str]| digits(body, path);
        assert_eq!(
            at(&["data", "x", "0", "a"]).as_deref(),
            Some("123456789012.123456")
        );
        for nowhere in [
            &["data", "x", "1"][..],
            &["data", "y"],
            &["data", "x", "2"],
            &["data"],
        ] {
            assert_eq!(at(nowhere), None);
        }
    }
}
