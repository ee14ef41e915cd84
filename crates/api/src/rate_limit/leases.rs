//! Room in a minute's calls, taken a piece at a time from what all nodes share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::ids::AccountId;
use domain::rate::Taken;
use tokio::sync::Mutex as Held;
use tracking::{Tracking, rates};

use crate::operation::Bucket;

/// Pieces of one account's room taken in a minute at most, by all nodes together.
pub(super) const LEASES_PER_MINUTE: u32 = 50;
/// A piece that is not used up is given up after so many seconds: its calls are counted for when it was taken.
const LEASE_SECONDS: u64 = 5;

type Key = (AccountId, Bucket);

#[derive(Default)]
pub(super) struct Leases {
    held: Mutex<HashMap<Key, Arc<Held<Lease>>>>,
}

/// What this node holds of an account's room.
#[derive(Default)]
struct Lease {
    calls: u32,
    /// When it was taken, or refused.
    asked_at: u64,
    /// What the shared window told then.
    told: Option<Taken>,
}

impl Leases {
    /// Takes room for one call. Those that come while the node asks wait for its answer.
    pub(super) async fn take(
        &self,
        tracking: &Tracking,
        key: Key,
        now: u64,
        limit: u32,
    ) -> Result<Taken, store::Error> {
        let held = self.of(key);
        let mut lease = held.lock().await;
        if lease.must_ask(now) {
            let piece = (limit / LEASES_PER_MINUTE).max(1);
            let (account, bucket) = key;
            let told = rates::take(tracking, account, bucket.as_str(), now, piece, limit).await?;
            *lease = Lease {
                calls: told.granted,
                asked_at: now,
                told: Some(told),
            };
        }
        Ok(lease.take())
    }

    pub(super) fn sweep(&self, now: u64) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|_, lease| match lease.try_lock() {
            Ok(lease) => lease.asked_at + LEASE_SECONDS > now,
            Err(_) => true,
        });
    }

    fn of(&self, key: Key) -> Arc<Held<Lease>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(held.entry(key).or_default())
    }
}

impl Lease {
    /// A refusal stands for the second in which it was given: asking again before could bring nothing.
    fn must_ask(&self, now: u64) -> bool {
        let old = now >= self.asked_at + LEASE_SECONDS || now < self.asked_at;
        match self.told {
            None => true,
            Some(told) if told.granted == 0 => now != self.asked_at,
            Some(_) => self.calls == 0 || old,
        }
    }

    fn take(&mut self) -> Taken {
        let granted = self.calls.min(1);
        self.calls -= granted;
        let told = self.told.unwrap_or(Taken {
            granted: 0,
            left: 0,
            frees_in: 1,
        });
        Taken {
            granted,
            left: told.left + self.calls,
            frees_in: told.frees_in,
        }
    }
}
