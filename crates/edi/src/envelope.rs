//! What the envelope segments of a language are called and how its separators are found.

use crate::Syntax;
use crate::segment::is_tag;

/// One language: the names of its envelope segments, and how a file tells its separators.
#[derive(Debug)]
pub struct Dialect {
    /// Interchange, group, message, outermost first.
    pub(crate) levels: [Level; 3],
    /// The separators that are declared here (`ISA…`, `UNA…`, `UNB…`).
    pub(crate) declared: fn(&[u8]) -> Option<Beginning>,
    /// The separators of a file whose declaration is lost, from a header at this place.
    pub(crate) guessed: fn(&[u8]) -> Option<Syntax>,
    /// What is said when there is neither.
    pub(crate) missing: &'static str,
}

/// Header and trailer of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    pub header: &'static str,
    pub trailer: &'static str,
    /// Element of the header with the control number; a trailer has its count first and the number second.
    pub control: usize,
}

/// Declared separators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Beginning {
    pub syntax: Syntax,
    /// Bytes that only declare and are no segment (`UNA:+.? '`).
    pub declaration: usize,
}

/// The part of an envelope that a segment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Header(usize),
    Trailer(usize),
    Body,
}

pub(crate) const INTERCHANGE: usize = 0;
pub(crate) const GROUP: usize = 1;
pub(crate) const MESSAGE: usize = 2;

impl Dialect {
    pub(crate) fn part(&self, tag: &str) -> Part {
        for (level, names) in self.levels.iter().enumerate() {
            if tag == names.header {
                return Part::Header(level);
            }
            if tag == names.trailer {
                return Part::Trailer(level);
            }
        }
        Part::Body
    }

    /// Whether a header of this language stands here, with this separator.
    pub(crate) fn opens(&self, bytes: &[u8], element: u8) -> bool {
        let separator = |tag: &str| separator_behind(bytes, tag);
        let mut levels = self.levels.iter();
        levels.any(|level| separator(level.header) == Some(element))
    }
}

/// The byte behind a name, where it can separate elements.
pub(crate) fn separator_behind(bytes: &[u8], tag: &str) -> Option<u8> {
    let separator = *bytes.strip_prefix(tag.as_bytes())?.first()?;
    let word = separator.is_ascii_alphanumeric() || matches!(separator, b' ' | b'\r' | b'\n');
    (!word).then_some(separator)
}

/// Whether a text goes on with a segment: its name and the separator of elements.
pub(crate) fn goes_on(bytes: &[u8], element: u8) -> bool {
    let rest = bytes.trim_ascii_start();
    let end = rest.iter().take(4).position(|&b| b == element);
    end.and_then(|end| rest.get(..end)).is_some_and(is_tag)
}

/// Bytes of a header in which its terminator is looked for.
const HEADER_BYTES_MAX: usize = 2048;
/// Terminators that are tried before anything else that is no letter, digit or space.
const USUAL_TERMINATORS: &[u8] = b"~'\n\r!|^";

/// The byte that ends the segment which begins here, told from what follows it.
pub(crate) fn guessed_terminator(bytes: &[u8], element: u8) -> Option<u8> {
    let head = bytes.get(..bytes.len().min(HEADER_BYTES_MAX))?;
    let ends = |byte: u8| {
        let at = head.iter().position(|&b| b == byte)?;
        let rest = bytes.get(at + 1..).unwrap_or_default();
        goes_on(rest, element).then_some(byte)
    };
    let usual = USUAL_TERMINATORS.iter().find_map(|&byte| ends(byte));
    let other = |&byte: &u8| {
        let possible = !byte.is_ascii_alphanumeric() && byte != b' ' && byte != element;
        possible.then(|| ends(byte)).flatten()
    };
    usual
        .filter(|&byte| byte != element)
        .or_else(|| head.iter().find_map(other))
}
