//! What is left of an exchange that did not end.

use bytes::Bytes;
use http::response::Parts;

use super::Answer;
use super::error::OutboundError;

/// A failure, and what had come of the answer before it. That is for people to look at: an answer that did not end is
/// none, whatever its status says.
#[derive(Clone, Debug)]
pub struct Unfinished {
    /// What went wrong.
    pub error: OutboundError,
    /// The head, and as much of the body as came, as it was packed; `None` when not even the head did.
    pub begun: Option<Box<Answer>>,
}

impl Unfinished {
    /// The head had come, and this much of the body.
    pub(super) fn after(error: OutboundError, head: Parts, body: Bytes) -> Self {
        let begun = Answer {
            status: head.status,
            headers: head.headers,
            body,
            truncated: true,
        };
        Self {
            error,
            begun: Some(Box::new(begun)),
        }
    }
}

impl From<OutboundError> for Unfinished {
    /// Nothing had come.
    fn from(error: OutboundError) -> Self {
        Self { error, begun: None }
    }
}
