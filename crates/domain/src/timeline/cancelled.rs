//! Whether a booking is cancelled: by the last word about it, not by any.
//!
//! Lines cancel a booking and confirm it again under the same number. A cancellation counts while its source does not take
//! it back, and while nothing is said to have happened later that a cancelled booking does not have: a confirmation, or
//! a laden box on its way.

use jiff::Timestamp;

use super::readings::retracted;
use crate::report::{Classifier, Report, Value, Verb};

/// When we heard of the cancellation that stands; `None` where none does.
pub fn booking_cancelled(reports: &[&Report]) -> Option<Timestamp> {
    let retracted = retracted(reports);
    let standing = || {
        let each = reports.iter().zip(&retracted);
        each.filter(|(_, gone)| !**gone).map(|(report, _)| *report)
    };
    let last = |says: fn(&Report) -> bool| {
        let said = standing().filter(|report| says(report));
        said.map(happened).max()
    };
    let alive = last(is_alive);
    let cancelled = standing().filter(|report| is_cancellation(report));
    cancelled
        .filter(|report| alive.is_none_or(|alive| alive <= happened(report)))
        .map(|report| report.received_at)
        .max()
}

fn is_cancellation(report: &Report) -> bool {
    report.value == Some(Value::BookingCancelled)
}

fn is_alive(report: &Report) -> bool {
    report.value == Some(Value::BookingConfirmed) || is_laden_move(report)
}

fn is_laden_move(report: &Report) -> bool {
    let laden = report.equipment.as_ref().and_then(|box_| box_.laden);
    report.classifier == Classifier::Actual
        && match report.verb {
            Verb::Load => laden != Some(false),
            Verb::GateIn => laden == Some(true),
            _ => false,
        }
}

/// When it happened, else when it was said.
fn happened(report: &Report) -> Timestamp {
    let occurred = report.occurred.as_ref().map(|occurred| occurred.at);
    occurred.unwrap_or_else(|| report.issued_at())
}
