//! One segment: a slice of the file with its separators, and where it stands.

use std::borrow::Cow;
use std::fmt;

use crate::Syntax;

/// Where a segment stands in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Which segment it is, from 1; 0 is the file before its first.
    pub number: u32,
    /// Bytes before it.
    pub offset: usize,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            number,
            line,
            column,
            ..
        } = self;
        write!(f, "segment {number} (line {line} column {column})")
    }
}

/// One segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    pub(crate) body: &'a [u8],
    pub(crate) syntax: Syntax,
    /// Where it stands.
    pub place: Place,
}

impl<'a> Segment<'a> {
    /// Its name (`B4`, `UNH`); empty when it has none that could be one.
    pub fn tag(&self) -> &'a str {
        let end = self.body.iter().position(|&b| self.ends_tag(b));
        let tag = self.body.get(..end.unwrap_or(self.body.len()));
        tag.filter(|tag| is_tag(tag))
            .and_then(|tag| std::str::from_utf8(tag).ok())
            .unwrap_or_default()
    }

    /// Whether this is its name.
    pub fn is(&self, tag: &str) -> bool {
        self.body
            .strip_prefix(tag.as_bytes())
            .is_some_and(|rest| rest.first().is_none_or(|&b| self.ends_tag(b)))
    }

    /// An element, counted from 1 as the standards do. One that is not there is empty.
    pub fn element(&self, number: usize) -> Element<'a> {
        let bytes = split(self.body, self.syntax.element, self.syntax.release).nth(number);
        Element {
            bytes: bytes.unwrap_or_default(),
            syntax: self.syntax,
        }
    }

    /// All elements behind the name.
    pub fn elements(&self) -> impl Iterator<Item = Element<'a>> + use<'a> {
        let syntax = self.syntax;
        split(self.body, syntax.element, syntax.release)
            .skip(1)
            .map(move |bytes| Element { bytes, syntax })
    }

    /// The text of a whole element without the space around it. For elements that have no components.
    pub fn text(&self, number: usize) -> Cow<'a, str> {
        self.element(number).text()
    }

    /// The text of one component (both counted from 1) without the space around it.
    pub fn component(&self, number: usize, component: usize) -> Cow<'a, str> {
        self.element(number).component(component)
    }

    /// The separators it was read with.
    pub fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// Its bytes, name included, terminator left out.
    pub fn bytes(&self) -> &'a [u8] {
        self.body
    }

    fn ends_tag(&self, byte: u8) -> bool {
        byte == self.syntax.element || byte == self.syntax.component
    }
}

/// Two or three capitals and digits, a letter first.
pub(crate) fn is_tag(bytes: &[u8]) -> bool {
    (2..=3).contains(&bytes.len())
        && bytes.first().is_some_and(u8::is_ascii_uppercase)
        && bytes
            .iter()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

/// One element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element<'a> {
    bytes: &'a [u8],
    syntax: Syntax,
}

impl<'a> Element<'a> {
    /// Whether nothing stands there.
    pub fn is_empty(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }

    /// The whole element as one text.
    pub fn text(&self) -> Cow<'a, str> {
        read(self.bytes, self.syntax.release)
    }

    /// One component, counted from 1; empty when it is not there.
    pub fn component(&self, number: usize) -> Cow<'a, str> {
        let mut parts = split(self.bytes, self.syntax.component, self.syntax.release);
        let bytes = number.checked_sub(1).and_then(|index| parts.nth(index));
        read(bytes.unwrap_or_default(), self.syntax.release)
    }

    /// All components.
    pub fn components(&self) -> impl Iterator<Item = Cow<'a, str>> + use<'a> {
        let Syntax {
            component, release, ..
        } = self.syntax;
        split(self.bytes, component, release).map(move |bytes| read(bytes, release))
    }

    /// Its bytes as they stand in the file.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

/// Parts between separators that are not released.
fn split(bytes: &[u8], separator: u8, release: Option<u8>) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let bytes = rest?;
        let end = end_of_part(bytes, separator, release);
        rest = end.and_then(|end| bytes.get(end + 1..));
        bytes.get(..end.unwrap_or(bytes.len()))
    })
}

/// Where the first separator stands that is not released.
pub(crate) fn end_of_part(bytes: &[u8], separator: u8, release: Option<u8>) -> Option<usize> {
    let Some(release) = release else {
        return bytes.iter().position(|&b| b == separator);
    };
    let mut from = 0;
    loop {
        let rest = bytes.get(from..)?;
        let found = rest.iter().position(|&b| b == separator || b == release)?;
        if rest.get(found) == Some(&separator) {
            return Some(from + found);
        }
        from += found + 2;
    }
}

/// The text of a value: released, without line breaks that a transfer put in, and without the space around.
fn read(bytes: &[u8], release: Option<u8>) -> Cow<'_, str> {
    let breaks = |b: &u8| matches!(b, b'\r' | b'\n');
    let bytes = bytes.trim_ascii();
    let touched = bytes.iter().any(|b| breaks(b) || Some(*b) == release);
    if !touched {
        return latin(bytes);
    }
    let mut plain = Vec::with_capacity(bytes.len());
    let mut released = false;
    for &byte in bytes {
        if !released && Some(byte) == release {
            released = true;
        } else {
            if released || !breaks(&byte) {
                plain.push(byte);
            }
            released = false;
        }
    }
    Cow::Owned(latin(&plain).into_owned())
}

/// UTF-8, else Latin-1.
fn latin(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(text: &str, syntax: Syntax) -> Segment<'_> {
        Segment {
            body: text.as_bytes(),
            syntax,
            place: Place::default(),
        }
    }

    #[test]
    fn elements_count_from_one_and_what_is_not_there_is_empty() {
        let b4 = segment("B4***UV*20261103", Syntax::X12);
        assert_eq!(b4.tag(), "B4");
        assert_eq!((b4.text(3), b4.text(4)), ("UV".into(), "20261103".into()));
        assert_eq!((b4.text(1), b4.text(40)), ("".into(), "".into()));
        assert!(b4.is("B4") && !b4.is("B") && !b4.is("B40"));
    }

    #[test]
    fn a_released_separator_is_part_of_the_value() {
        let nad = segment("FTX+AAA+++A?+B ??:C?'D:x", Syntax::EDIFACT);
        assert_eq!(nad.component(4, 1), "A+B ?");
        assert_eq!(nad.component(4, 2), "C'D");
        assert_eq!(nad.component(4, 3), "x");
        assert_eq!(nad.component(4, 0), "");
        let end = segment("FTX+A?", Syntax::EDIFACT);
        assert_eq!(
            end.text(1),
            "A",
            "a release before nothing releases nothing"
        );
    }

    #[test]
    fn old_code_pages_and_wrapped_lines_are_read() {
        let name = Segment {
            body: b"N1*RR*M\xdcN\r\nCHEN ",
            syntax: Syntax::X12,
            place: Place::default(),
        };
        assert_eq!(name.text(2), "M\u{dc}NCHEN");
    }
}
