//! A time limit for use cases, which SQLite has not of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// When the running use case must be done, as milliseconds since the connection was opened; 0 is never.
#[derive(Clone, Debug)]
pub(super) struct Deadline {
    opened: Instant,
    at_ms: Arc<AtomicU64>,
}

impl Deadline {
    pub(super) fn new() -> Self {
        Self {
            opened: Instant::now(),
            at_ms: Arc::new(AtomicU64::new(0)),
        }
    }

    pub(super) fn set(&self, time: Duration) {
        let at = (self.opened.elapsed() + time).as_millis();
        self.at_ms
            .store(u64::try_from(at).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(super) fn clear(&self) {
        self.at_ms.store(0, Ordering::Relaxed);
    }

    pub(super) fn passed(&self) -> bool {
        let at = self.at_ms.load(Ordering::Relaxed);
        at != 0 && self.opened.elapsed().as_millis() > u128::from(at)
    }
}
