//! A panic in a handler is a fault of ours: it is counted, logged and answered, and ends nothing else.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use crate::failure::Failure;

/// Counts handlers that ended in a panic.
pub const PANICS: &str = "quayside_api_panics_total";

/// Runs a future; a panic in it becomes a failure.
pub(crate) async fn caught<T>(
    future: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let mut future = pin!(future);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)));
        polled.unwrap_or_else(|_| {
            metrics::counter!(PANICS).increment(1);
            Poll::Ready(Err(Failure::Panicked))
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_becomes_a_failure() {
        let broken = async {
            let empty: [u8; 0] = [];
            assert!(!empty.is_empty(), "planted");
            Ok(())
        };
        assert!(matches!(caught(broken).await, Err(Failure::Panicked)));
        assert!(caught(async { Ok(1) }).await.is_ok());
    }
}
