//! Webhook subscriptions and the schedule of their deliveries.

use jiff::{SignedDuration, Timestamp};

/// Delays after the first try, before jitter (0.8–1.2): 12 retries over 2.8 days.
pub const RETRY_DELAYS: [SignedDuration; 12] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_secs(30),
    SignedDuration::from_mins(2),
    SignedDuration::from_mins(10),
    SignedDuration::from_mins(30),
    SignedDuration::from_hours(1),
    SignedDuration::from_hours(2),
    SignedDuration::from_hours(4),
    SignedDuration::from_hours(8),
    SignedDuration::from_hours(12),
    SignedDuration::from_hours(16),
    SignedDuration::from_hours(24),
];

/// State of a notification on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeliveryStatus {
    /// Not yet delivered.
    Pending,
    /// Delivered.
    Succeeded,
    /// Given up.
    Failed,
}

impl DeliveryStatus {
    /// As on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
        }
    }

    /// Reads what [`as_str`](Self::as_str) writes.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Pending, Self::Succeeded, Self::Failed]
            .into_iter()
            .find(|s| s.as_str() == text)
    }
}

/// How one attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptEnd {
    /// An answer with this status; `retry_after` from its header, when given.
    Answered {
        /// HTTP status.
        status: u16,
        /// `Retry-After`, resolved to a duration.
        retry_after: Option<SignedDuration>,
    },
    /// No answer in time.
    TimedOut,
    /// No connection, reset, TLS trouble.
    Unreachable,
    /// The guard refused the address.
    Blocked,
}

/// What follows from an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Delivered.
    Succeeded,
    /// Try again at this time.
    RetryAt(Timestamp),
    /// Give this delivery up.
    Failed,
    /// 410: give it up and disable the endpoint.
    Gone,
}

/// What follows from attempt number `attempt` (from 1) that ended as `end` at `now`; `refusals_in_a_row`
/// counts the 4xx answers (other than 408, 409, 425, 429) up to and with this one; `jitter` is in 0.8–1.2.
pub fn verdict(
    attempt: u32,
    refusals_in_a_row: u32,
    end: &AttemptEnd,
    jitter: f64,
    now: Timestamp,
) -> Verdict {
    let _ = (attempt, refusals_in_a_row, end, jitter, now);
    Verdict::Failed
}
