//! What the program beside us has taken, and the service does not know yet.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::desk::Taken;
use super::forward::Handed;

/// So many are remembered: what is more goes to the program again.
const REMEMBERED_MAX: usize = 1_000;

/// How those deliveries were handed over, by their id.
#[derive(Clone, Default)]
pub struct Accepted(Arc<Mutex<HashMap<String, Handed>>>);

impl Accepted {
    /// How this delivery was taken before.
    pub fn of(&self, delivery: &Taken) -> Option<Handed> {
        self.lock().get(&delivery.id).cloned()
    }

    /// Remembers it, if it was taken.
    pub fn keep(&self, delivery: &Taken, handed: &Handed) {
        let mut known = self.lock();
        if handed.is_accepted() && known.len() < REMEMBERED_MAX {
            known.insert(delivery.id.clone(), handed.clone());
        }
    }

    /// The service knows it now: should it come again, somebody has asked for that.
    pub fn forget(&self, delivery: &Taken) {
        self.lock().remove(&delivery.id);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Handed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
