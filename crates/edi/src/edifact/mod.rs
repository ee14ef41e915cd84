//! EDIFACT: where its separators stand, its envelope, its acknowledgement (CONTRL).
//!
//! `UNA` declares six separators by their places; without it the usual ones hold, or those of level B when the
//! text shows them. Files that are one bare message (`UNH` … `UNT`) are common and read like any other.

mod acknowledge;
mod answer;
mod outgoing;

pub use acknowledge::{Answered, acknowledge};
pub use answer::{Action, Answer, MessageAnswer, answer};
pub use outgoing::{Envelope, Outgoing};

use crate::envelope::{Beginning, Dialect, Level, separator_behind};
use crate::{Broken, Reader, Syntax};

/// The language.
pub static DIALECT: Dialect = Dialect {
    levels: [
        Level {
            header: "UNB",
            trailer: "UNZ",
            control: 5,
        },
        Level {
            header: "UNG",
            trailer: "UNE",
            control: 5,
        },
        Level {
            header: "UNH",
            trailer: "UNT",
            control: 1,
        },
    ],
    declared,
    guessed,
    missing: "this is no EDIFACT: there is no UNA, UNB, UNG or UNH",
};

/// Bytes of a UNA.
const UNA_BYTES: usize = 9;

/// Reads a file.
pub fn read(bytes: &[u8]) -> Result<Reader<'_>, Broken> {
    Reader::open(bytes, &DIALECT)
}

fn declared(bytes: &[u8]) -> Option<Beginning> {
    if let Some(syntax) = of_una(bytes) {
        return Some(Beginning {
            syntax,
            declaration: UNA_BYTES,
        });
    }
    let syntax = usual(separator_behind(bytes, "UNB")?)?;
    Some(Beginning {
        syntax,
        declaration: 0,
    })
}

fn of_una(bytes: &[u8]) -> Option<Syntax> {
    let service = bytes.get(..UNA_BYTES)?.strip_prefix(b"UNA")?;
    let &[
        component,
        element,
        _decimal,
        release,
        repetition,
        terminator,
    ] = service
    else {
        return None;
    };
    let syntax = Syntax {
        element,
        component,
        repetition: Some(repetition).filter(|&b| b != b' '),
        release: Some(release).filter(|&b| b != b' '),
        terminator,
    };
    let word = component.is_ascii_alphanumeric() || component == b' ';
    (syntax.is_usable() && !word).then_some(syntax)
}

fn usual(element: u8) -> Option<Syntax> {
    [Syntax::EDIFACT, Syntax::EDIFACT_B]
        .into_iter()
        .find(|syntax| syntax.element == element)
}

fn guessed(bytes: &[u8]) -> Option<Syntax> {
    let mut levels = DIALECT.levels.iter();
    usual(levels.find_map(|level| separator_behind(bytes, level.header))?)
}
