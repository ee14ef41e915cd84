//! When a watch is asked about next: often when something is about to happen, seldom when not.

use domain::container::{ContainerState, CurrentStatus};
use domain::event::EventName;
use domain::tracking_request::{RequestStatus, retry_after};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use sources::ocean::dcsa::Polling;

use crate::projection::Following;

/// Around an estimated arrival, this far on either side, the line is asked more often.
const NEAR_ARRIVAL: SignedDuration = SignedDuration::from_hours(48);

/// The next time; `None` when nobody follows the watch any more.
///
/// Pure: the jitter comes from the number and the time, so that a simulated run repeats.
pub(super) fn next_poll(
    following: &Following,
    intervals: &Polling,
    failures: u32,
    number: &str,
    now: Timestamp,
) -> Option<Timestamp> {
    if following.open == 0 {
        return None;
    }
    Some(now + jittered(interval(following, intervals, failures, now), number, now))
}

fn interval(
    following: &Following,
    intervals: &Polling,
    failures: u32,
    now: Timestamp,
) -> SignedDuration {
    let ordinary = ordinary(following, intervals, now);
    if failures > 0 {
        // Breaker, budget and pauses spare the source; nobody is left alone for longer than if it had answered.
        return retry_after(failures).min(ordinary);
    }
    ordinary
}

fn ordinary(following: &Following, intervals: &Polling, now: Timestamp) -> SignedDuration {
    let in_transit = following
        .states
        .iter()
        .map(|state| of_container(state, intervals, now))
        .min();
    let waits = following
        .waiting
        .iter()
        .map(|(status, tried)| match status {
            RequestStatus::Pending => retry_after((*tried).max(1)),
            _ => span(intervals.not_found),
        });
    waits
        .chain(in_transit)
        .min()
        .unwrap_or(span(intervals.in_transit))
}

fn of_container(state: &ContainerState, intervals: &Polling, now: Timestamp) -> SignedDuration {
    let arrival = state
        .milestone(EventName::VesselArrived)
        .map(|milestone| milestone.at)
        .or_else(|| {
            state
                .estimate(EventName::EstimatedVesselArrived)
                .map(|e| e.at)
        });
    let near = arrival.is_some_and(|at| now.duration_since(at).abs() <= NEAR_ARRIVAL);
    if near && state.status != CurrentStatus::EmptyReturned {
        span(intervals.near_arrival)
    } else {
        span(intervals.in_transit)
    }
}

/// Spreads questions over a tenth of the interval, so that watches registered together drift apart.
fn jittered(interval: SignedDuration, number: &str, now: Timestamp) -> SignedDuration {
    let digest = Sha256::digest(format!("{number}{}", now.as_second()).as_bytes());
    let draw = digest.first().copied().unwrap_or_default();
    interval.mul_f64(0.95 + f64::from(draw) / 2_550.0)
}

fn span(setting: std::time::Duration) -> SignedDuration {
    SignedDuration::try_from(setting).unwrap_or(SignedDuration::from_hours(24))
}
