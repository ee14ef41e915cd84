//! What is odd about a file, and where.

use crate::Place;

/// Something odd that did not keep the data from being read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {flaw}")]
pub struct Note {
    /// The segment it is about, or before which something is missing.
    pub place: Place,
    /// What is odd.
    pub flaw: Flaw,
}

/// What can be odd.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// Segments between messages.
    #[error("segments stand outside a message; {0} is missing before them")]
    NoHeader(&'static str),
    /// A message, group or interchange was not closed.
    #[error("{0} is missing")]
    NoTrailer(&'static str),
    /// Something is closed that was not opened.
    #[error("there is nothing that {0} could close")]
    NothingToClose(&'static str),
    /// A trailer counts wrong.
    #[error("{tag} counts {told:?}, {counted} were read")]
    CountDiffers {
        /// The trailer.
        tag: &'static str,
        /// What it says.
        told: String,
        /// What there is.
        counted: usize,
    },
    /// Header and trailer have different control numbers.
    #[error("{tag} closes {trailer:?}, open is {header:?}")]
    ControlDiffers {
        /// The trailer.
        tag: &'static str,
        /// Control number of the header.
        header: String,
        /// That of the trailer.
        trailer: String,
    },
    /// Something that is no segment.
    #[error("{0} bytes are no segment")]
    NoSegment(usize),
    /// A segment of a hundred kilobytes is lost separators.
    #[error("a segment of {0} bytes is too long to be one")]
    TooLong(usize),
    /// The file ends inside a segment.
    #[error("the last segment is not terminated")]
    NotTerminated,
    /// A message with more segments than are read.
    #[error("only the first {0} segments of the message are read")]
    TooManySegments(usize),
    /// The envelope says nothing about separators; they were told from the text.
    #[error("the separators are not declared; they were told from the text")]
    SeparatorsGuessed,
}

/// Why nothing of a file can be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} column {column}: {reason}")]
pub struct Broken {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// What is missing.
    pub reason: &'static str,
}

/// What became of a message, for the answer to its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It was read.
    Usable,
    /// Nothing in it could be used.
    Unusable,
    /// Messages of its kind are not read here.
    Unsupported,
}
