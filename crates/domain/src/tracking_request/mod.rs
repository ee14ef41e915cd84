//! A request to track one number, and the states it goes through.

mod advance;
pub mod number;

pub use advance::{OPEN_DAYS_MAX, TRIES_MAX, advance, retry_after};

use jiff::Timestamp;

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
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::BillOfLading, Self::Booking, Self::Container];

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
        Self::ALL.into_iter().find(|k| k.as_str() == text)
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

    /// Whether it waits for data.
    pub fn waits(self) -> bool {
        matches!(self, Self::Pending | Self::AwaitingManifest)
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

impl Progress {
    /// The reason as clients are told it. A request that awaits its manifest has not failed; that the line does not know its
    /// number is kept for its end.
    pub fn told_reason(&self) -> Option<FailedReason> {
        let waits = self.status == RequestStatus::AwaitingManifest && !self.is_retrying;
        self.failed_reason.filter(|_| !waits)
    }
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
