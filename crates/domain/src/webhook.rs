//! Webhook subscriptions and the schedule of their deliveries.

use jiff::{SignedDuration, Timestamp};

/// Webhooks of one account at most, beside its listeners: each event is written once for each that wants it, in the
/// transaction of the change.
pub const WEBHOOKS_MAX: u32 = 500;

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
    /// A status that would have been a success, before more than anybody reads.
    TooLong,
    /// The guard refused the address.
    Blocked,
    /// It did not get out: the operator's own proxy failed, or would not have it.
    Withheld,
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

/// Whether an answer with this status means that the delivery was taken. A redirect is no such answer.
pub fn is_success(status: u16) -> bool {
    matches!(status, 200 | 201 | 202 | 204)
}

/// An endpoint none of whose deliveries succeeded since some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The first failure after the last success, or after what failed before it [lapsed](FAILURES_LAPSE_AFTER).
    pub since: Timestamp,
    /// The last failure.
    pub last: Timestamp,
    /// How many.
    pub failures: u32,
}

/// A failure after this long without another one is a first failure: the longest wait between two attempts is two days, and
/// what failed before an endpoint was mended says nothing of how it fares since.
pub const FAILURES_LAPSE_AFTER: SignedDuration = SignedDuration::from_hours(3 * 24);

impl Failing {
    /// Without a success for this long ...
    const HOPELESS_AFTER: SignedDuration = SignedDuration::from_hours(5 * 24);
    /// ... and with this many failures, an endpoint is given up.
    const HOPELESS_FAILURES_MIN: u32 = 20;

    /// Whether the endpoint is to be disabled: five days, and enough failures that a quiet account is not
    /// judged by one bad afternoon.
    pub fn is_hopeless(&self) -> bool {
        self.last.duration_since(self.since) >= Self::HOPELESS_AFTER
            && self.failures >= Self::HOPELESS_FAILURES_MIN
    }
}

/// Refusals in a row that end a delivery.
pub const REFUSALS_MAX: u32 = 8;
/// The least wait after an answer that asks for patience, and after silence.
const PATIENCE_MIN: SignedDuration = SignedDuration::from_secs(60);
/// The step of the schedule beyond which what is [withheld](AttemptEnd::Withheld) does not go, from 1: an hour. It was kept in by
/// us, so it is neither given up for that nor left waiting for a day after we were mended, and what it then needs of the
/// schedule is left.
pub const WITHHELD_ATTEMPT_MAX: u32 = 6;
/// `Retry-After` may always ask for this much.
const RETRY_AFTER_ALWAYS: SignedDuration = SignedDuration::from_hours(1);

/// What follows from attempt number `attempt` (from 1) that ended as `end` at `now`; `refusals_in_a_row`
/// counts the 4xx answers (other than 408, 409, 410, 425, 429) up to and with this one; `jitter` is in 0.8–1.2.
pub fn verdict(
    attempt: u32,
    refusals_in_a_row: u32,
    end: &AttemptEnd,
    jitter: f64,
    now: Timestamp,
) -> Verdict {
    match end {
        AttemptEnd::Answered { status, .. } if is_success(*status) => return Verdict::Succeeded,
        AttemptEnd::Answered { status: 410, .. } => return Verdict::Gone,
        _ => {}
    }
    if is_refusal(end) && refusals_in_a_row >= REFUSALS_MAX {
        return Verdict::Failed;
    }
    let place = match end {
        AttemptEnd::Withheld => attempt.min(WITHHELD_ATTEMPT_MAX),
        _ => attempt,
    };
    let step = usize::try_from(place.saturating_sub(1))
        .ok()
        .and_then(|failed| RETRY_DELAYS.get(failed));
    let Some(step) = step else {
        return Verdict::Failed;
    };
    let wait = wait(*step, end, jitter);
    now.checked_add(wait)
        .map_or(Verdict::Failed, Verdict::RetryAt)
}

/// Whether an answer refuses the request itself, so that repeating it is not likely to help. One that says that the endpoint is
/// gone says nothing of the request.
pub fn is_refusal(end: &AttemptEnd) -> bool {
    matches!(
        end,
        AttemptEnd::Answered {
            status: 400..=499,
            ..
        }
    ) && !matches!(
        end,
        AttemptEnd::Answered {
            status: 408 | 409 | 410 | 425 | 429,
            ..
        }
    )
}

/// Whether an attempt says anything about the receiver. What our own proxy keeps from it is not the receiver's failure,
/// and must not switch its webhook off.
pub fn tells_of_receiver(end: &AttemptEnd) -> bool {
    match end {
        AttemptEnd::Answered { .. }
        | AttemptEnd::TimedOut
        | AttemptEnd::Unreachable
        | AttemptEnd::TooLong
        | AttemptEnd::Blocked => true,
        AttemptEnd::Withheld => false,
    }
}

/// The step with its jitter; longer where the receiver asks for it, within reason.
fn wait(step: SignedDuration, end: &AttemptEnd, jitter: f64) -> SignedDuration {
    let jittered = SignedDuration::try_from_secs_f64(step.as_secs_f64() * jitter.clamp(0.8, 1.2));
    let jittered = jittered.unwrap_or(step);
    let floor = if asks_for_patience(end) {
        PATIENCE_MIN
    } else {
        SignedDuration::ZERO
    };
    jittered.max(asked(step, end)).max(floor)
}

/// The wait that an answer asks for, within reason: an hour, or twice the step where that is more.
pub(crate) fn asked(step: SignedDuration, end: &AttemptEnd) -> SignedDuration {
    let asked = match end {
        AttemptEnd::Answered { retry_after, .. } => retry_after.unwrap_or_default(),
        _ => SignedDuration::ZERO,
    };
    asked.min(step.saturating_mul(2).max(RETRY_AFTER_ALWAYS))
}

fn asks_for_patience(end: &AttemptEnd) -> bool {
    match end {
        AttemptEnd::Answered { status, .. } => matches!(status, 429 | 502 | 503 | 504),
        // Everything goes by the one proxy: what ails it is not mended by more calls.
        AttemptEnd::TimedOut | AttemptEnd::Withheld => true,
        AttemptEnd::Unreachable | AttemptEnd::TooLong | AttemptEnd::Blocked => false,
    }
}
