//! A bounded queue between async callers and the threads that own connections.
//!
//! Each kind of work has its own share: intake that floods in cannot keep the API's writes out, nor the other
//! way round.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::Error;

/// How many kinds of work there are.
const KINDS: usize = 4;

#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    filled: Condvar,
    closing: Condvar,
    waiting_max: usize,
}

#[derive(Debug)]
struct State<T> {
    entries: VecDeque<(usize, T)>,
    waiting: [usize; KINDS],
    closed: bool,
}

impl<T> Queue<T> {
    /// `waiting_max` entries of each kind.
    pub(super) fn new(waiting_max: usize) -> Self {
        Self {
            state: Mutex::new(State {
                entries: VecDeque::new(),
                waiting: [0; KINDS],
                closed: false,
            }),
            filled: Condvar::new(),
            closing: Condvar::new(),
            waiting_max,
        }
    }

    /// Adds an entry, or says why not.
    pub(super) fn push(&self, kind: usize, entry: T) -> Result<(), Error> {
        let mut state = self.lock();
        if state.closed {
            return Err(Error::Unavailable("the store is closing".into()));
        }
        let waiting = state.waiting.get(kind).copied().unwrap_or_default();
        if waiting >= self.waiting_max {
            return Err(Error::Busy { waiting });
        }
        state.count(kind, waiting + 1);
        state.entries.push_back((kind, entry));
        self.filled.notify_one();
        Ok(())
    }

    /// Waits for entries and takes up to `max` of them, oldest first; empty when the queue was closed.
    pub(super) fn take(&self, max: usize) -> Vec<T> {
        let mut state = self
            .filled
            .wait_while(self.lock(), |state| {
                state.entries.is_empty() && !state.closed
            })
            .unwrap_or_else(PoisonError::into_inner);
        state.take(max)
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().entries.is_empty()
    }

    /// Puts an entry that was taken back to the front, for another to take; not into a closed queue, whose others may have gone.
    pub(super) fn give_back(&self, kind: usize, entry: T) -> Result<(), T> {
        let mut state = self.lock();
        if state.closed {
            return Err(entry);
        }
        let waiting = state.waiting.get(kind).copied().unwrap_or_default();
        state.count(kind, waiting + 1);
        state.entries.push_front((kind, entry));
        self.filled.notify_one();
        Ok(())
    }

    /// Lets no more in; what is inside is still taken out.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_all();
        self.closing.notify_all();
    }

    /// Waits for so long, or until it is closed; whether it is.
    pub(super) fn closed_within(&self, span: Duration) -> bool {
        let waited = self
            .closing
            .wait_timeout_while(self.lock(), span, |state| !state.closed);
        waited.map_or_else(
            |broken| broken.into_inner().0.closed,
            |(state, _)| state.closed,
        )
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    fn take(&mut self, max: usize) -> Vec<T> {
        let count = self.entries.len().min(max);
        let taken: Vec<(usize, T)> = self.entries.drain(..count).collect();
        taken
            .into_iter()
            .map(|(kind, entry)| {
                let waiting = self.waiting.get(kind).copied().unwrap_or_default();
                self.count(kind, waiting.saturating_sub(1));
                entry
            })
            .collect()
    }

    fn count(&mut self, kind: usize, waiting: usize) {
        if let Some(slot) = self.waiting.get_mut(kind) {
            *slot = waiting;
        }
    }
}
