//! X12 and EDIFACT: text to segments and back. What the segments mean is somebody else's business.
//!
//! Both languages have one shape: segments made of elements made of components, inside messages, inside
//! groups, inside interchanges, each opened by a header and closed by a trailer that counts. So there is one
//! [`Reader`] for both, told by a [`Dialect`] what the six envelope segments are called.
//!
//! **Nothing is assumed to be in order.** Separators are read from where the file declares them, or told from
//! the text when it does not. A trailer that is missing, a count that is wrong, a message outside any envelope
//! costs a [`Note`] with its place, never the data. A segment that ran into the next one costs these two and
//! nothing behind them. Only a file in which no separators can be found is refused as a whole ([`Broken`]).
//!
//! **Nothing is copied.** A [`Segment`] is a slice of the file and its separators; values are borrowed unless a
//! release character has to be taken out or bytes are no UTF-8 (then they are read as Latin-1, which is what
//! old systems send). Messages come one by one, so that the size of a file does not decide what it costs.
//!
//! **Bounds.** A segment has at most [`SEGMENT_BYTES_MAX`], a message at most [`SEGMENTS_PER_MESSAGE_MAX`];
//! what is beyond is left out with a note. Notes themselves are bounded by [`NOTES_MAX`].
//!
//! [`Writer`] is the other direction, and can make the mistakes that real senders make. [`x12::acknowledge`]
//! and [`edifact::acknowledge`] answer a file with a 997 or a CONTRL; both can be read back.

pub mod edifact;
mod envelope;
mod note;
mod reader;
mod segment;
mod segments;
mod syntax;
mod writer;
pub mod x12;

pub use envelope::Dialect;
pub use note::{Broken, Flaw, Judgement, Note};
pub use reader::{Message, NOTES_MAX, Reader, SEGMENTS_PER_MESSAGE_MAX};
pub use segment::{Element, Place, Segment};
pub use segments::SEGMENT_BYTES_MAX;
pub use syntax::Syntax;
pub use writer::{Habits, Writer};
