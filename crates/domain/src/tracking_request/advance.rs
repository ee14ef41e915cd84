//! The state machine of a tracking request, and the schedule of its tries.
//!
//! Two waits must not be mixed up. *Trouble* (no answer, or one that cannot be read) is retried fourteen times
//! over about a day while the request stays pending. *An answer without data* is news of the line: a bill or
//! booking may simply be too young, so it is asked again on a longer schedule until seven days are over; a
//! container number that the line does not know will not become known, and fails at once.

use jiff::{SignedDuration, Timestamp};

use super::{FailedReason, Happening, NumberKind, Progress, RequestStatus};
use crate::event::EventName;

/// How long a request may stay without success.
pub const OPEN_DAYS_MAX: i64 = 7;
/// Tries that may fail for a temporary reason.
pub const TRIES_MAX: u32 = 14;

/// The next state of a request, and the event it fires, if any. Pure; `now` is the time of the happening.
///
/// A happening that means nothing in the present state changes nothing (it may be repeated safely). A request
/// that ended stays ended: only a stopped one goes on, when its shipment's tracking is resumed.
pub fn advance(
    progress: Progress,
    happening: Happening,
    now: Timestamp,
) -> (Progress, Option<EventName>) {
    match progress.status {
        RequestStatus::Pending | RequestStatus::AwaitingManifest => {
            while_waiting(progress, happening, now)
        }
        RequestStatus::Succeeded if happening == Happening::TrackingStopped => (
            Progress {
                status: RequestStatus::TrackingStopped,
                ..progress
            },
            Some(EventName::TrackingRequestTrackingStopped),
        ),
        RequestStatus::TrackingStopped if happening == Happening::TrackingResumed => (
            Progress {
                status: RequestStatus::Succeeded,
                ..progress
            },
            None,
        ),
        RequestStatus::Succeeded | RequestStatus::Failed | RequestStatus::TrackingStopped => {
            (progress, None)
        }
    }
}

fn while_waiting(
    progress: Progress,
    happening: Happening,
    now: Timestamp,
) -> (Progress, Option<EventName>) {
    match happening {
        Happening::DataFound => succeeded(progress),
        Happening::FoundWithoutData => awaiting_manifest(progress, None, now),
        Happening::NotFound if progress.kind == NumberKind::Container => {
            failed(progress, FailedReason::NotFound)
        }
        Happening::NotFound => awaiting_manifest(progress, Some(FailedReason::NotFound), now),
        Happening::Trouble(reason) => troubled(progress, reason, now),
        Happening::InvalidNumber => failed(progress, FailedReason::InvalidNumber),
        Happening::BookingCancelled => failed(progress, FailedReason::BookingCancelled),
        Happening::DataUnavailable => failed(progress, FailedReason::DataUnavailable),
        Happening::ShipmentExists => failed(progress, FailedReason::Duplicate),
        Happening::CarrierNotInferred => failed(progress, FailedReason::ScacAutoDetectFailed),
        Happening::TimePassed if is_expired(&progress, now) => expired(progress),
        Happening::TimePassed | Happening::TrackingStopped | Happening::TrackingResumed => {
            (progress, None)
        }
    }
}

fn succeeded(progress: Progress) -> (Progress, Option<EventName>) {
    let next = Progress {
        status: RequestStatus::Succeeded,
        failed_reason: None,
        is_retrying: false,
        ..progress
    };
    (next, Some(EventName::TrackingRequestSucceeded))
}

fn failed(progress: Progress, reason: FailedReason) -> (Progress, Option<EventName>) {
    let next = Progress {
        status: RequestStatus::Failed,
        failed_reason: Some(reason),
        is_retrying: false,
        ..progress
    };
    (next, Some(EventName::TrackingRequestFailed))
}

/// The line answered, so trouble is over; the event is told the first time only.
fn awaiting_manifest(
    progress: Progress,
    reason: Option<FailedReason>,
    now: Timestamp,
) -> (Progress, Option<EventName>) {
    let next = Progress {
        status: RequestStatus::AwaitingManifest,
        failed_reason: reason,
        is_retrying: false,
        retry_count: 0,
        ..progress
    };
    if is_expired(&progress, now) {
        return expired(next);
    }
    let first = progress.status == RequestStatus::Pending;
    (
        next,
        first.then_some(EventName::TrackingRequestAwaitingManifest),
    )
}

/// Temporary trouble ends a request only while the line never answered; a request that awaits its manifest
/// has an answer, and its own end.
fn troubled(
    progress: Progress,
    reason: FailedReason,
    now: Timestamp,
) -> (Progress, Option<EventName>) {
    if is_expired(&progress, now) {
        return expired(progress);
    }
    let next = Progress {
        failed_reason: Some(reason),
        is_retrying: true,
        retry_count: progress.retry_count.saturating_add(1),
        ..progress
    };
    if progress.status == RequestStatus::Pending && next.retry_count >= TRIES_MAX {
        return failed(next, FailedReason::RetriesExhausted);
    }
    (next, None)
}

/// A number that the line never knew was not found; anything else ran out of time.
fn expired(progress: Progress) -> (Progress, Option<EventName>) {
    let unknown = progress.status == RequestStatus::AwaitingManifest
        && progress.failed_reason == Some(FailedReason::NotFound);
    failed(
        progress,
        if unknown {
            FailedReason::NotFound
        } else {
            FailedReason::Expired
        },
    )
}

fn is_expired(progress: &Progress, now: Timestamp) -> bool {
    let open = SignedDuration::from_hours(24 * OPEN_DAYS_MAX);
    now.duration_since(progress.created_at) >= open
}

/// Wait after the first failure; each later wait is twice the one before, so that fourteen tries lie within
/// 22 h 45 min.
const RETRY_FIRST: SignedDuration = SignedDuration::from_secs(10);

/// When a request that failed for a temporary reason is tried again: 14 tries over about 24 hours,
/// exponential. `tried` counts failures so far, from 1. Jitter is the caller's (0.8–1.2).
pub fn retry_after(tried: u32) -> SignedDuration {
    let doublings = tried.clamp(1, TRIES_MAX - 1) - 1;
    RETRY_FIRST * 2_i32.pow(doublings)
}
