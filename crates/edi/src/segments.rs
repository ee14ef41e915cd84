//! Bytes to segments: finding the next terminator, and getting back in step after damage.

use crate::envelope::Dialect;
use crate::segment::{Place, Segment, end_of_part};
use crate::{Broken, Flaw, Syntax};

/// Bytes of one segment.
pub const SEGMENT_BYTES_MAX: usize = 64 * 1024;
/// How far into a file its beginning is looked for: mail programs and gateways write before it.
const PREAMBLE_BYTES_MAX: usize = 64 * 1024;

/// Segments of a file, one after the other.
#[derive(Debug)]
pub(crate) struct Segments<'a> {
    dialect: &'static Dialect,
    bytes: &'a [u8],
    at: usize,
    syntax: Syntax,
    number: u32,
    line: u32,
    line_began: usize,
    counted: usize,
    /// Found at the beginning, not told yet.
    first: Option<(Place, Flaw)>,
}

/// What comes next.
pub(crate) enum Next<'a> {
    Segment(Segment<'a>),
    Odd(Place, Flaw),
}

impl<'a> Segments<'a> {
    /// Finds the beginning.
    pub fn open(bytes: &'a [u8], dialect: &'static Dialect) -> Result<Self, Broken> {
        let mut segments = Self {
            dialect,
            bytes,
            at: noise(bytes),
            syntax: Syntax::X12,
            number: 0,
            line: 1,
            line_began: 0,
            counted: 0,
            first: None,
        };
        let place = segments.place();
        let Some((ahead, syntax, declared)) = segments.beginning() else {
            return Err(Broken {
                line: place.line,
                column: place.column,
                reason: dialect.missing,
            });
        };
        segments.syntax = syntax;
        segments.at += ahead;
        segments.first = match (ahead, declared) {
            (0, true) => None,
            (0, false) if syntax == Syntax::EDIFACT => None, // a bare message; its separators are the usual ones
            (0, false) => Some((place, Flaw::SeparatorsGuessed)),
            _ => Some((place, Flaw::NoSegment(ahead))),
        };
        Ok(segments)
    }

    /// How far ahead the first interchange begins, else the first header of any level.
    fn beginning(&self) -> Option<(usize, Syntax, bool)> {
        let rest = self.rest();
        let searched = || word_starts(rest, PREAMBLE_BYTES_MAX);
        let declared = searched().find_map(|at| {
            let found = (self.dialect.declared)(rest.get(at..)?)?;
            Some((at, found.syntax, true))
        });
        let guessed = || {
            searched().find_map(|at| Some((at, (self.dialect.guessed)(rest.get(at..)?)?, false)))
        };
        // A lost declaration in front of whole messages must not cost them: the one that comes first counts.
        match (declared, guessed()) {
            (Some(declared), Some(guessed)) if guessed.0 < declared.0 => Some(guessed),
            (declared, guessed) => declared.or(guessed),
        }
    }

    /// The separators in force.
    pub fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// Where the next segment will begin; at the end, where the file ends.
    pub fn place(&mut self) -> Place {
        let passed = self.bytes.get(self.counted..self.at).unwrap_or_default();
        for (index, _) in passed.iter().enumerate().filter(|(_, b)| **b == b'\n') {
            self.line = self.line.saturating_add(1);
            self.line_began = self.counted + index + 1;
        }
        self.counted = self.at;
        let column = self.at.saturating_sub(self.line_began) + 1;
        Place {
            number: self.number.saturating_add(1),
            offset: self.at,
            line: self.line,
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    pub fn next(&mut self) -> Option<Next<'a>> {
        if let Some((place, flaw)) = self.first.take() {
            return Some(Next::Odd(place, flaw));
        }
        loop {
            self.at += noise(self.rest());
            if let Some(found) = (self.dialect.declared)(self.rest()) {
                // A new interchange may have separators of its own.
                self.syntax = found.syntax;
                self.at += found.declaration;
                self.at += noise(self.rest());
            }
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            let place = self.place();
            let end = end_of_part(rest, self.syntax.terminator, self.syntax.release);
            let body = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let next = self.read(body, place);
            if next.is_some() {
                self.first = (end.is_none() && !self.ends_with_line())
                    .then_some((place, Flaw::NotTerminated))
                    .filter(|_| self.at >= self.bytes.len());
                return next;
            }
        }
    }

    /// What a body is; nothing, when it is empty.
    fn read(&mut self, body: &'a [u8], place: Place) -> Option<Next<'a>> {
        let segment = Segment {
            body: body.trim_ascii_end(),
            syntax: self.syntax,
            place,
        };
        let named = !segment.tag().is_empty();
        if !named && let Some(ahead) = self.header_inside(body) {
            self.at += ahead;
            return Some(Next::Odd(place, Flaw::NoSegment(ahead)));
        }
        self.at = (self.at + body.len() + 1).min(self.bytes.len());
        if body.trim_ascii().is_empty() {
            return None;
        }
        self.number = self.number.saturating_add(1);
        Some(if body.len() > SEGMENT_BYTES_MAX {
            Next::Odd(place, Flaw::TooLong(body.len()))
        } else if named {
            Next::Segment(segment)
        } else {
            Next::Odd(place, Flaw::NoSegment(body.len()))
        })
    }

    /// Where in something that is no segment the next interchange, group or message begins.
    fn header_inside(&self, body: &[u8]) -> Option<usize> {
        let rest = self.rest();
        word_starts(body, PREAMBLE_BYTES_MAX).find(|&at| {
            let rest = rest.get(at..).unwrap_or_default();
            at > 0
                && (self.dialect.opens(rest, self.syntax.element)
                    || (self.dialect.declared)(rest).is_some())
        })
    }

    /// Where lines end segments, the last one needs no end.
    fn ends_with_line(&self) -> bool {
        matches!(self.syntax.terminator, b'\r' | b'\n')
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
}

/// Places where a word begins with a capital letter.
fn word_starts(bytes: &[u8], most: usize) -> impl Iterator<Item = usize> {
    let mut word = false;
    bytes
        .iter()
        .take(most)
        .enumerate()
        .filter_map(move |(at, byte)| {
            let starts = !word && byte.is_ascii_uppercase();
            word = byte.is_ascii_alphanumeric();
            starts.then_some(at)
        })
}

/// Bytes between segments that mean nothing: white space, line ends, the end mark of old systems, byte-order
/// marks.
fn noise(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    loop {
        rest = match rest {
            [0xef, 0xbb, 0xbf, rest @ ..]
            | [b' ' | b'\t' | b'\r' | b'\n' | 0x00 | 0x1a | 0x0c, rest @ ..] => rest,
            _ => return bytes.len() - rest.len(),
        };
    }
}
