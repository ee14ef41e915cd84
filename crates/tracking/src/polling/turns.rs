//! Known and new numbers have turns.
//!
//! What a carrier may be asked is bounded, and an import brings a thousand numbers at once, all due from that moment. In the
//! order of their times the boxes that were tracked before would be asked about again when all of these were: hours later,
//! and a last free day may lie between. So of each source's questions every second one is about a number that was asked about
//! before, and the others about those that never were. Who needs less leaves it to the other.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The sources of which a number that was never asked about has the next turn.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<BTreeSet<String>>);

impl Turns {
    /// Whether a new number of this source comes first now; the next time it is the other way round.
    pub(super) fn new_first(&self, source: &str) -> bool {
        let mut new_next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_its_turn = new_next.remove(source);
        if !is_its_turn {
            new_next.insert(source.to_owned());
        }
        is_its_turn
    }
}
