//! Known and new numbers have turns.
//!
//! What a carrier may be asked is bounded, and an import brings a thousand numbers at once, all due from that moment. In the
//! order of their times the boxes that were tracked before would be asked about again when all of these were: hours later,
//! and a last free day may lie between. So of each source's questions every second one is about a number that was answered
//! before, and the others about those that never were: new ones, and those that fail again and again. Who needs less leaves it
//! to the other.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The sources of which a number that was never answered has the next turn.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<BTreeSet<String>>);

impl Turns {
    /// The sources of which a new number comes first now.
    pub(super) fn new_first(&self) -> BTreeSet<String> {
        self.lock().clone()
    }

    /// Numbers of this source are asked about: the next time it is the other way round.
    pub(super) fn taken(&self, source: &str) {
        let mut new_next = self.lock();
        if !new_next.remove(source) {
            new_next.insert(source.to_owned());
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
