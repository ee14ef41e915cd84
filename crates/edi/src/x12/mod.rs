//! X12: where its separators stand, its envelope, its acknowledgement (997).
//!
//! The header of an interchange (ISA) has a fixed width and declares the separators by their places: behind
//! `ISA`, in element 16, and behind that. Senders who trim the padding make it shorter; then the elements are
//! counted. Files without an ISA exist; then the separators are told from the first segments.

mod acknowledge;
mod answer;
mod outgoing;

pub use acknowledge::acknowledge;
pub use answer::{Answer, SetAnswer, answer};
pub use outgoing::{Envelope, Outgoing};

use crate::envelope::{Beginning, Dialect, Level, goes_on, guessed_terminator, separator_behind};
use crate::{Broken, Reader, Syntax};

/// The language.
pub static DIALECT: Dialect = Dialect {
    levels: [
        Level {
            header: "ISA",
            trailer: "IEA",
            control: 13,
        },
        Level {
            header: "GS",
            trailer: "GE",
            control: 6,
        },
        Level {
            header: "ST",
            trailer: "SE",
            control: 2,
        },
    ],
    declared,
    guessed,
    missing: "this is no X12: there is no ISA, GS or ST with separators that could be told",
};

/// Places of the element separators of an ISA of full width.
const SEPARATOR_PLACES: [usize; 16] = [
    3, 6, 17, 20, 31, 34, 50, 53, 69, 76, 81, 83, 89, 99, 101, 103,
];
/// Elements of an ISA.
const ISA_ELEMENTS: usize = 16;
/// Bytes of an ISA, trimmed or not, with its terminator and line end.
const ISA_BYTES_MAX: usize = 240;

/// Reads a file.
pub fn read(bytes: &[u8]) -> Result<Reader<'_>, Broken> {
    Reader::open(bytes, &DIALECT)
}

fn declared(bytes: &[u8]) -> Option<Beginning> {
    let element = separator_behind(bytes, "ISA")?;
    let head = bytes.get(..bytes.len().min(ISA_BYTES_MAX))?;
    let syntax = of_full_width(head, bytes, element)
        .or_else(|| of_trimmed(head, bytes, element))
        .or_else(|| of_what_follows(bytes, element))?;
    Some(Beginning {
        syntax: Syntax {
            repetition: repetition(head, syntax),
            ..syntax
        },
        declaration: 0,
    })
}

fn of_full_width(head: &[u8], bytes: &[u8], element: u8) -> Option<Syntax> {
    let stands = |place: &usize| head.get(*place) == Some(&element);
    if !SEPARATOR_PLACES.iter().all(stands) {
        return None;
    }
    checked(bytes, element, 104)
}

fn of_trimmed(head: &[u8], bytes: &[u8], element: u8) -> Option<Syntax> {
    let mut separators = head.iter().enumerate().filter(|(_, b)| **b == element);
    let (last, _) = separators.nth(ISA_ELEMENTS - 1)?;
    checked(bytes, element, last + 1)
}

/// Component separator and terminator at this place, when a segment or nothing follows.
fn checked(bytes: &[u8], element: u8, at: usize) -> Option<Syntax> {
    let (component, terminator) = (*bytes.get(at)?, *bytes.get(at + 1)?);
    let rest = bytes.get(at + 2..).unwrap_or_default();
    let syntax = Syntax {
        element,
        component,
        terminator,
        ..Syntax::X12
    };
    let ends = goes_on(rest, element) || rest.trim_ascii().is_empty();
    (syntax.is_usable() && ends).then_some(syntax)
}

/// An ISA that lost or gained elements: the terminator stands before the next segment.
fn of_what_follows(bytes: &[u8], element: u8) -> Option<Syntax> {
    let terminator = guessed_terminator(bytes, element)?;
    let syntax = Syntax {
        element,
        component: if terminator == b'>' { b':' } else { b'>' },
        terminator,
        ..Syntax::X12
    };
    syntax.is_usable().then_some(syntax)
}

/// Element 11 is the repetition separator since version 00402; before, a letter.
fn repetition(head: &[u8], syntax: Syntax) -> Option<u8> {
    let mut elements = head.split(|&b| b == syntax.element);
    let &[byte] = elements.nth(11)? else {
        return None;
    };
    let word = byte.is_ascii_alphanumeric() || byte == b' ';
    (!word && !syntax.is_special(byte)).then_some(byte)
}

fn guessed(bytes: &[u8]) -> Option<Syntax> {
    let mut levels = DIALECT.levels.iter();
    let element = levels.find_map(|level| separator_behind(bytes, level.header))?;
    of_what_follows(bytes, element)
}
