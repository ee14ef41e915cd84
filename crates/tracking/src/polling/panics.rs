//! A question that panics: a fault of ours, most likely at what one answer holds.
//!
//! Its claims end like those of an answer that cannot be taken in ([`settling`](super::settling)), and the source is told to be in
//! trouble. Else the lease would bring the number back as the one that is overdue the longest, with the same answer, and it would
//! be as if nothing had happened.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use store::watch::Watch;

use super::settling::put_off;
use super::{Came, Outcome, failures, standing};
use crate::Tracking;

/// The question panicked, with this message.
#[derive(Debug)]
pub(super) struct Panicked(String);

/// Waits for what a question comes to; a panic in it goes no further.
pub(super) async fn caught<Done>(asking: impl Future<Output = Done>) -> Result<Done, Panicked> {
    let mut asking = pin!(asking);
    poll_fn(|context| {
        // It is not polled again.
        let polled = catch_unwind(AssertUnwindSafe(|| asking.as_mut().poll(context)));
        match polled {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(Panicked(message(panic.as_ref())))),
        }
    })
    .await
}

/// Ends the claims of a question that panicked; those that it has ended itself stay as they are.
pub(super) async fn end(
    tracking: &Tracking,
    watches: &[Watch],
    Panicked(why): Panicked,
) -> Result<(), store::Error> {
    let Some(first) = watches.first() else {
        return Ok(());
    };
    let source = &first.source;
    tracing::error!(source, panic = %why, "a question panicked; what it was about is asked about again later");
    let outcome = Outcome {
        came: Came::unreadable(&format!("a fault of Quayside's own: {why}")),
        requests: 0,
        before: failures(watches),
    };
    let now = tracking.now();
    standing::note(tracking, tracking.login_of(source), outcome).await?;
    let mut failed = Ok(());
    for watch in watches {
        let panicked = store::Error::Panicked(why.clone());
        failed = put_off(tracking, watch, panicked, now).await.and(failed);
    }
    failed
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no message".into())
}
