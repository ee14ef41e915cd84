//! What the program beside us has taken, and the service does not know yet.
//!
//! It is remembered for the attempt that it was: one that the service has heard of is followed by the next number, so what comes with
//! another is a delivery of its own, which somebody has asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::desk::Taken;
use super::forward::Handed;

/// So many are remembered: for what is more, another one is forgotten and would go to the program again.
const REMEMBERED_MAX: usize = 1_000;

/// How those deliveries were handed over, by their id.
#[derive(Clone, Default)]
pub struct Accepted(Arc<Mutex<HashMap<String, Known>>>);

/// One that was taken.
struct Known {
    attempt: u64,
    handed: Handed,
    took: Duration,
}

impl Accepted {
    /// How this attempt was taken before, and how long that took.
    pub fn of(&self, delivery: &Taken) -> Option<(Handed, Duration)> {
        let known = self.lock();
        let known = known.get(&delivery.id)?;
        (known.attempt == delivery.attempt).then(|| (known.handed.clone(), known.took))
    }

    /// Remembers it, if it was taken.
    pub fn keep(&self, delivery: &Taken, handed: &Handed, took: Duration) {
        if !handed.is_accepted() {
            return;
        }
        let mut known = self.lock();
        if known.len() >= REMEMBERED_MAX && !known.contains_key(&delivery.id) {
            let one = known.keys().next().cloned();
            one.and_then(|one| known.remove(&one));
        }
        let (attempt, handed) = (delivery.attempt, handed.clone());
        let taken = Known {
            attempt,
            handed,
            took,
        };
        known.insert(delivery.id.clone(), taken);
    }

    /// The service knows this attempt now, and those before it.
    pub fn forget(&self, delivery: &Taken) {
        let mut known = self.lock();
        let its = known.get(&delivery.id);
        if its.is_some_and(|its| its.attempt <= delivery.attempt) {
            known.remove(&delivery.id);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
