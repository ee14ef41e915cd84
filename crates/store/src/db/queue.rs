//! A bounded queue between async callers and the threads that own connections.
//!
//! Each kind of work has its own share: intake that floods in cannot keep the API's writes out, nor the other
//! way round. They are taken in turns, too: what is short of its kind waits for no backlog of another. Results of deliveries,
//! which have a lease to meet, stood behind all that accounts had waiting.

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
    waiting: [VecDeque<T>; KINDS],
    /// Whose turn is next.
    turn: usize,
    closed: bool,
}

impl<T> Queue<T> {
    /// `waiting_max` entries of each kind.
    pub(super) fn new(waiting_max: usize) -> Self {
        Self {
            state: Mutex::new(State {
                waiting: Default::default(),
                turn: 0,
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
        let of_kind = state.of(kind);
        let waiting = of_kind.len();
        if waiting >= self.waiting_max {
            return Err(Error::Busy { waiting });
        }
        of_kind.push_back(entry);
        self.filled.notify_one();
        Ok(())
    }

    /// Waits for entries and takes up to `max` of them, each kind's oldest first; empty when the queue was closed.
    pub(super) fn take(&self, max: usize) -> Vec<T> {
        let mut state = self
            .filled
            .wait_while(self.lock(), |state| state.is_empty() && !state.closed)
            .unwrap_or_else(PoisonError::into_inner);
        state.take(max)
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// Puts an entry that was taken back to the front of its kind, for another to take; not into a closed queue, whose others may have gone.
    pub(super) fn give_back(&self, kind: usize, entry: T) -> Result<(), T> {
        let mut state = self.lock();
        if state.closed {
            return Err(entry);
        }
        state.of(kind).push_front(entry);
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
    fn is_empty(&self) -> bool {
        self.waiting.iter().all(VecDeque::is_empty)
    }

    /// What waits of this kind; one that is not known goes with the first.
    fn of(&mut self, kind: usize) -> &mut VecDeque<T> {
        let known = if kind < KINDS { kind } else { 0 };
        let [first, rest @ ..] = &mut self.waiting;
        known
            .checked_sub(1)
            .and_then(|behind| rest.get_mut(behind))
            .unwrap_or(first)
    }

    fn take(&mut self, max: usize) -> Vec<T> {
        let mut taken = Vec::new();
        while taken.len() < max && !self.is_empty() {
            let turn = self.turn;
            self.turn = (turn + 1) % KINDS;
            taken.extend(self.of(turn).pop_front());
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_of_its_kind_waits_for_no_backlog_of_another() {
        let queue = Queue::new(100);
        for entry in 0..100 {
            queue.push(0, entry).unwrap();
        }
        queue.push(2, 1_000).unwrap();
        queue.push(2, 1_001).unwrap();
        let taken = queue.take(5);
        let of = |kind: std::ops::Range<i32>| -> Vec<i32> {
            let of_kind = taken.iter().filter(|entry| kind.contains(entry));
            of_kind.copied().collect()
        };
        assert_eq!(of(1_000..1_002), [1_000, 1_001], "{taken:?}");
        assert_eq!(of(0..100), [0, 1, 2]);
        let rest = std::iter::from_fn(|| (!queue.is_empty()).then(|| queue.take(7)));
        let rest: Vec<i32> = rest.flatten().collect();
        assert_eq!(rest, (3..100).collect::<Vec<i32>>(), "each in its order");
    }

    #[test]
    fn a_kind_is_full_for_itself() {
        let queue = Queue::new(1);
        queue.push(0, 1).unwrap();
        assert!(matches!(queue.push(0, 2), Err(Error::Busy { waiting: 1 })));
        queue.push(1, 3).unwrap();
    }
}
