//! Telling the operator what is wrong with the proxy.
//!
//! Accounts are told one word for each attempt, and the operator has to know more: a 407 is mended by nobody else. But
//! whatever goes out meets the same proxy, thousands of deliveries in a minute, so it is said once in a while.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::error::ProxyFailure;

/// Nothing is said again within this time.
const SAID_ONCE_IN: Duration = Duration::from_mins(1);

/// When something was last said.
#[derive(Debug, Default)]
pub(super) struct Complaint(Mutex<Option<Instant>>);

impl Complaint {
    /// Says it, unless something was said just now or the proxy has said that it is about the target.
    pub(super) fn make(&self, failure: &ProxyFailure) {
        if failure.is_of_target() && *failure != ProxyFailure::Stalled {
            return;
        }
        let Ok(mut said) = self.0.lock() else {
            return;
        };
        if said.is_none_or(|at| at.elapsed() >= SAID_ONCE_IN) {
            *said = Some(Instant::now());
            tracing::warn!(%failure, "a call did not get out (egress.proxy); nothing more is said of it for a minute");
        }
    }
}
