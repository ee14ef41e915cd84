//! Known and new numbers have turns, and the new ones of each account.
//!
//! What a carrier may be asked is bounded, and an import brings a thousand numbers at once, all due from that moment. In the
//! order of their times the boxes that were tracked before would be asked about again when all of these were: hours later,
//! and a last free day may lie between. So of each source's questions every second one is about a number that was answered
//! before, and the others about those that never were: new ones, and those that fail again and again. Who needs less leaves it
//! to the other. The new ones stand in lines by who asked for them, one number of each line in turn: one account's
//! import is in the way of no other's first answer.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::ids::AccountId;
use store::watch::Turn;

/// Whose turn it is, by source.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<BTreeMap<String, Turn>>);

impl Turns {
    /// As it stands now.
    pub(super) fn all(&self) -> BTreeMap<String, Turn> {
        self.lock().clone()
    }

    /// Numbers of this source are asked about, of the new ones last one of this account: the next time it is the other way
    /// round, and another one's turn.
    pub(super) fn taken(&self, source: &str, passed: Option<AccountId>) {
        let mut turns = self.lock();
        let turn = turns.entry(source.to_owned()).or_default();
        *turn = Turn {
            new_first: !turn.new_first,
            passed,
        };
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Turn>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
