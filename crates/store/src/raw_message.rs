//! Raw messages: every payload as it was received, kept before it is parsed.

use domain::ids::{AccountId, RawMessageId, WatchId};
use jiff::Timestamp;

use crate::{Error, Tx, stub};

/// A payload as it was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawMessage {
    /// Its id.
    pub id: RawMessageId,
    /// The source's profile id.
    pub source: String,
    /// The watch whose question it answers.
    pub watch: Option<WatchId>,
    /// The account whose own it is (uploads, entries by hand).
    pub account: Option<AccountId>,
    /// What was asked; empty when it was pushed to us.
    pub question: String,
    /// Its media type.
    pub content_type: String,
    /// When it was received.
    pub received_at: Timestamp,
    /// Its bytes.
    pub body: Vec<u8>,
    /// SHA-256 of the bytes.
    pub digest: [u8; 32],
}

/// What became of a received payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// News: stored, to be parsed.
    Fresh,
    /// Nothing new: this message said the same.
    Seen(RawMessageId),
}

/// A part of a message that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Where in the message.
    pub place: String,
    /// What is wrong there.
    pub reason: String,
}

/// Stores a payload unless it says what the previous answer to the same question said (an answer), or what
/// this source sent at any time before (pushed, `question` empty).
pub fn receive(tx: &mut Tx, message: &RawMessage) -> Result<Receipt, Error> {
    stub()
}

/// Messages neither parsed nor quarantined, oldest first.
pub fn unparsed(tx: &mut Tx, limit: u32) -> Result<Vec<RawMessage>, Error> {
    stub()
}

/// The message with this id.
pub fn find(tx: &mut Tx, id: RawMessageId) -> Result<Option<RawMessage>, Error> {
    stub()
}

/// Marks a message as parsed and replaces its defects.
pub fn mark_parsed(
    tx: &mut Tx,
    id: RawMessageId,
    at: Timestamp,
    defects: &[Defect],
) -> Result<(), Error> {
    stub()
}

/// Puts a message aside: it could not be processed.
pub fn quarantine(
    tx: &mut Tx,
    id: RawMessageId,
    at: Timestamp,
    reason: &str,
    defects: &[Defect],
) -> Result<(), Error> {
    stub()
}

/// The defects of a message, in the order they were found.
pub fn defects(tx: &mut Tx, id: RawMessageId) -> Result<Vec<Defect>, Error> {
    stub()
}
