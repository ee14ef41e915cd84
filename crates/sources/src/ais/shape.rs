//! In which form the positions of a file stand.
//!
//! Not the first byte says it: loggers begin their lines with `[` and `<` as lists and web pages do. Where a sentence of a radio
//! stands in a file it is one of lines, unless it is JSON, in which decoders quote sentences.

use super::nmea;

/// A form that is read.
pub(super) enum Shape<'b> {
    Lines,
    /// From its first object or list on.
    Json(&'b [u8]),
}

/// The form of a file; the error says what it is instead.
pub(super) fn of(bytes: &[u8]) -> Result<Shape<'_>, &'static str> {
    let bare = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = bare.trim_ascii_start();
    let is_lines = || nmea::is_in(bytes);
    match text {
        [] => Err("the file is empty; what was known stays as it was"),
        [0x1f, 0x8b, ..] => Err("this is a gzip file; unpack it, positions are read as text"),
        [b'P', b'K', 3, 4, ..] => Err("this is a zip file; unpack it, positions are read as text"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            Err("this is text in UTF-16; positions are read in UTF-8")
        }
        [b'[' | b'{', ..] if begins_json(text) || !is_lines() => Ok(Shape::Json(text)),
        _ if is_lines() => Ok(Shape::Lines),
        [b'<', ..] => Err("this is a web page or XML, not positions"),
        _ if is_table(text) => Err("this is a table; tables of AIS positions are not read"),
        _ => Ok(Shape::Lines),
    }
}

/// `[{`, `{"`: a logger writes a word or a date behind its bracket.
fn begins_json(text: &[u8]) -> bool {
    let mut rest = text
        .iter()
        .skip(1)
        .filter(|byte| !byte.is_ascii_whitespace());
    matches!(rest.next(), Some(b'[' | b'{' | b'"' | b']' | b'}'))
}

/// Columns of the first line that make a table.
const COLUMNS_MIN: usize = 4;

/// Whether the first line names columns, and one of them the radio.
fn is_table(text: &[u8]) -> bool {
    let head = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut separators = [b',', b';', b'\t'].iter();
    let has_columns =
        separators.any(|separator| head.split(|byte| byte == separator).count() >= COLUMNS_MIN);
    let head = head.to_ascii_lowercase();
    has_columns && head.windows(4).any(|word| word == b"mmsi")
}
