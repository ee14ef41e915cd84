//! Texts as they are kept.

use super::wire::Text;

/// Longer texts are cut: no field of the trade is longer, and a hostile one must not be stored many times.
pub(crate) const TEXT_CHARS_MAX: usize = 255;

/// A text without the space around it; none when there is nothing else.
pub(super) fn trimmed<'t>(text: &'t Text<'_>) -> Option<&'t str> {
    let text = text.as_deref()?;
    let is_bare = |end: Option<&u8>| end.is_some_and(u8::is_ascii_graphic);
    let bytes = text.as_bytes();
    if is_bare(bytes.first()) && is_bare(bytes.last()) {
        return Some(text);
    }
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// A text that was meant: what forms are filled with when there is nothing to say counts as nothing.
pub(super) fn meant<'t>(text: &'t Text<'_>) -> Option<&'t str> {
    trimmed(text).filter(|text| !is_filler(text))
}

/// What forms are filled with when there is nothing to say.
fn is_filler(text: &str) -> bool {
    let any = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match text.len() {
        1 => any(&["0", "-"]),
        2 => any(&["na"]),
        3 => any(&["n/a", "tbd", "tba"]),
        4 => any(&["none", "null"]),
        6 => any(&["string"]),
        _ => false,
    }
}

/// A meant text as it is kept.
pub(super) fn clean(text: &Text<'_>) -> Option<String> {
    meant(text).map(cleaned)
}

/// Without control characters (a zero byte cannot be stored by every database) and not without end.
pub(crate) fn cleaned(text: &str) -> String {
    if text.len() <= TEXT_CHARS_MAX && !text.bytes().any(|byte| byte.is_ascii_control()) {
        return text.to_owned();
    }
    text.chars()
        .filter(|c| !c.is_control())
        .take(TEXT_CHARS_MAX)
        .collect()
}
