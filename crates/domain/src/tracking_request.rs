//! A request to track one number, and the states it goes through.

use jiff::{SignedDuration, Timestamp};

use crate::event::EventName;

/// What kind of number a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NumberKind {
    /// Master bill of lading.
    BillOfLading,
    /// Booking.
    Booking,
    /// Container.
    Container,
}

impl NumberKind {
    /// `request_type` on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BillOfLading => "bill_of_lading",
            Self::Booking => "booking_number",
            Self::Container => "container",
        }
    }

    /// Reads `request_type`.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::BillOfLading, Self::Booking, Self::Container]
            .into_iter()
            .find(|k| k.as_str() == text)
    }
}

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestStatus {
    /// Waiting for the first answer.
    Pending,
    /// The line knows the number but has no data yet, or does not know it yet.
    AwaitingManifest,
    /// A shipment is tracked.
    Succeeded,
    /// It ended without a shipment.
    Failed,
    /// The shipment's tracking stopped.
    TrackingStopped,
}

impl RequestStatus {
    /// Every status.
    pub const ALL: [Self; 5] = [
        Self::Pending,
        Self::AwaitingManifest,
        Self::Succeeded,
        Self::Failed,
        Self::TrackingStopped,
    ];

    /// `status` on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::AwaitingManifest => "awaiting_manifest",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::TrackingStopped => "tracking_stopped",
        }
    }

    /// Reads a status; `created` is the reference's word for `succeeded`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "created" {
            return Some(Self::Succeeded);
        }
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Whether another request for the same number and line would be a duplicate.
    pub fn is_open(self) -> bool {
        matches!(
            self,
            Self::Pending | Self::AwaitingManifest | Self::Succeeded
        )
    }
}

/// Why a request failed, or what keeps it from succeeding while it is retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailedReason {
    /// The line could not be reached.
    ShippingLineUnreachable,
    /// Its answer could not be read.
    UnrecognizedResponse,
    /// A fault of ours.
    InternalProcessingError,
    /// The line does not know the number.
    NotFound,
    /// The line rejects its form.
    InvalidNumber,
    /// The booking is cancelled.
    BookingCancelled,
    /// The line withholds the data.
    DataUnavailable,
    /// The shipment already exists.
    Duplicate,
    /// Seven days without success.
    Expired,
    /// Fourteen tries without an answer.
    RetriesExhausted,
    /// No line could be inferred.
    ScacAutoDetectFailed,
}

impl FailedReason {
    /// Every reason.
    pub const ALL: [Self; 11] = [
        Self::ShippingLineUnreachable,
        Self::UnrecognizedResponse,
        Self::InternalProcessingError,
        Self::NotFound,
        Self::InvalidNumber,
        Self::BookingCancelled,
        Self::DataUnavailable,
        Self::Duplicate,
        Self::Expired,
        Self::RetriesExhausted,
        Self::ScacAutoDetectFailed,
    ];

    /// `failed_reason` on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ShippingLineUnreachable => "shipping_line_unreachable",
            Self::UnrecognizedResponse => "unrecognized_response",
            Self::InternalProcessingError => "internal_processing_error",
            Self::NotFound => "not_found",
            Self::InvalidNumber => "invalid_number",
            Self::BookingCancelled => "booking_cancelled",
            Self::DataUnavailable => "data_unavailable",
            Self::Duplicate => "duplicate",
            Self::Expired => "expired",
            Self::RetriesExhausted => "retries_exhausted",
            Self::ScacAutoDetectFailed => "scac_auto_detect_failed",
        }
    }

    /// Reads `failed_reason`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text)
    }
}

/// The part of a request that its state machine reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What kind of number.
    pub kind: NumberKind,
    /// Where it stands.
    pub status: RequestStatus,
    /// Last reason, also while still retrying.
    pub failed_reason: Option<FailedReason>,
    /// Whether temporary trouble is being retried.
    pub is_retrying: bool,
    /// Tries that failed for a temporary reason.
    pub retry_count: u32,
    /// When it was created.
    pub created_at: Timestamp,
}

/// What happened to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// The line answered with data.
    DataFound,
    /// The line knows the number but has no data about any container yet.
    FoundWithoutData,
    /// The line does not know the number.
    NotFound,
    /// Temporary trouble; the reason is one of the temporary ones.
    Trouble(FailedReason),
    /// The line rejects the number's form.
    InvalidNumber,
    /// The booking is cancelled.
    BookingCancelled,
    /// The line withholds the data.
    DataUnavailable,
    /// A shipment of this number exists already.
    ShipmentExists,
    /// No line could be inferred.
    CarrierNotInferred,
    /// Time passed (expiry after seven days).
    TimePassed,
    /// The shipment's tracking stopped.
    TrackingStopped,
    /// The shipment's tracking was resumed.
    TrackingResumed,
}

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
