//! When a request is sent a second time.
//!
//! Whoever is called closes a connection that lies idle when it likes, and a request may be on its way at that moment.
//! Nobody has refused anything then, and often nobody has even read it; without more, one delivery in so many would have
//! a failed attempt on record, and wait, with all that stands behind it, for a fault of nobody's.
//!
//! The pooled client helps with half of that: what it had not begun to write when it learned that the connection was
//! closed goes out on another one. Once the first byte is written it gives up, rightly, since it cannot know what a
//! second request would do. We do. So a request is sent once more, at once, when all of this holds:
//!
//! - The connection had carried an answer before. One that breaks when it is new breaks because somebody wants it so,
//!   or is in trouble, and will break again.
//! - Not one byte of an answer had come. A receiver that had begun to answer has seen the request.
//! - It does no harm: by its method, as a question does none, or because whoever is called can tell a request that
//!   comes twice ([`Limits::repeatable`](super::Limits::repeatable)). It may have been read, and done, before the
//!   connection ended.
//!
//! A `408` over a connection that had carried an answer before may be meant for the idle connection, and cross the request on
//! its way: it is taken like a close, for nobody has refused anything then either.
//!
//! The second time is the last, on a connection of its own that no pool had: all those in the pool may have gone the same
//! way, as they do when a receiver is restarted. It is resolved and judged like any other, within what is left of the
//! time that both have together.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use http::{Extensions, Method};
use hyper_util::client::legacy;

use super::Limits;

/// Longest head of an answer, with all that comes before it (answers of status 1xx, of which there may be any number).
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// What has come over a connection. The pool shows it with every answer, and with every failure.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// Whether there was ever an answer.
    has_answered: AtomicBool,
    /// Whether anything came since the last request was begun.
    since_written: AtomicBool,
    /// Whether the head of the answer to the last request is awaited, and how many bytes came meanwhile.
    awaits_head: AtomicBool,
    head_bytes: AtomicUsize,
    /// Whether it was ended otherwise than its protocol has it.
    torn: AtomicBool,
}

impl Heard {
    /// Something of a request is written.
    pub(super) fn written(&self) {
        // A long request is written in pieces, and an answer may have begun between two of them.
        if !self.0.awaits_head.swap(true, Ordering::Relaxed) {
            self.0.since_written.store(false, Ordering::Relaxed);
            self.0.head_bytes.store(0, Ordering::Relaxed);
        }
    }

    /// So many bytes came.
    pub(super) fn came(&self, bytes: usize) {
        self.0.since_written.store(true, Ordering::Relaxed);
        if self.0.awaits_head.load(Ordering::Relaxed) {
            self.0.head_bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Whether more came than a head may have, and no head yet.
    pub(super) fn is_endless(&self) -> bool {
        self.0.awaits_head.load(Ordering::Relaxed)
            && self.0.head_bytes.load(Ordering::Relaxed) > HEAD_BYTES_MAX
    }

    /// A secured connection was closed without the word for it.
    pub(super) fn tear(&self) {
        self.0.torn.store(true, Ordering::Relaxed);
    }

    /// The connection that these came over has carried an answer. Whether it had before.
    pub(super) fn answered(extensions: &Extensions) -> bool {
        let Some(Self(state)) = extensions.get() else {
            return false;
        };
        state.awaits_head.store(false, Ordering::Relaxed);
        state.has_answered.swap(true, Ordering::Relaxed)
    }

    /// Whether the connection that these came over was torn off.
    pub(super) fn is_torn(extensions: &Extensions) -> bool {
        let heard: Option<&Self> = extensions.get();
        heard.is_some_and(|Self(state)| state.torn.load(Ordering::Relaxed))
    }

    fn is_kept_and_silent(&self) -> bool {
        self.0.has_answered.load(Ordering::Relaxed) && !self.0.since_written.load(Ordering::Relaxed)
    }
}

/// Whether a request like this may be sent twice.
pub(super) fn is_harmless(method: &Method, limits: Limits) -> bool {
    limits.repeatable || method.is_idempotent()
}

/// Whether it was a kept connection that broke, before anything came of an answer.
pub(super) fn broke_when_kept(failure: &legacy::Error) -> bool {
    let mut shown = Extensions::new();
    if let Some(connection) = failure.connect_info() {
        connection.get_extras(&mut shown);
    }
    let heard = shown.get::<Heard>();
    heard.is_some_and(Heard::is_kept_and_silent)
}
