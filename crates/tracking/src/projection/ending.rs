//! When tracking ends by itself.
//!
//! Each box has an end of its own: some days after its return, weeks after it was collected, weeks after it
//! arrived. A shipment ends with the last of its boxes, for that box's reason; or when the line has had nothing
//! new to say for weeks. Who resumes a shipment gets every window anew, and who begins to track an old one gets
//! the long windows from that day.

use domain::container::{ContainerState, CurrentStatus};
use domain::event::EventName;
use domain::tracking_request::NumberKind;
use jiff::{SignedDuration, Timestamp};
use store::shipment::Shipment;

/// After the last empty return the line is asked for this long still: corrections come late.
const AFTER_RETURN: SignedDuration = SignedDuration::from_hours(7 * 24);
/// After it was collected a box is followed for this long.
const AFTER_FULL_OUT: SignedDuration = SignedDuration::from_hours(56 * 24);
/// After it arrived where its way by the line ends, a box is followed for this long.
const AFTER_ARRIVAL: SignedDuration = SignedDuration::from_hours(56 * 24);
/// Without any news from the line for this long, tracking stops.
const QUIET_MAX: SignedDuration = SignedDuration::from_hours(56 * 24);

/// What the line said last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heard {
    /// When it last said anything new.
    pub(super) at: Option<Timestamp>,
    /// When it last said that the booking is cancelled.
    pub(super) cancelled_at: Option<Timestamp>,
}

/// Why tracking ends at `now`, if it does: a word of `line_tracking_stopped_reason`.
pub(super) fn reason(
    shipment: &Shipment,
    states: &[ContainerState],
    heard: Heard,
    now: Timestamp,
) -> Option<&'static str> {
    if is_cancelled(shipment, heard) {
        return Some("booking_cancelled");
    }
    let ends: Option<Vec<_>> = states.iter().map(|state| end(shipment, state)).collect();
    let last = ends.and_then(|ends| ends.into_iter().max());
    if let Some((_, reason)) = last.filter(|(at, _)| *at <= now) {
        return Some(reason);
    }
    let quiet_since = heard
        .at
        .map_or(begun(shipment), |at| at.max(begun(shipment)));
    (now.duration_since(quiet_since) >= QUIET_MAX).then_some("no_updates_at_line")
}

/// A cancellation that was known when the account resumed its shipment does not end it again.
fn is_cancelled(shipment: &Shipment, heard: Heard) -> bool {
    shipment.kind == NumberKind::Booking
        && heard
            .cancelled_at
            .is_some_and(|at| shipment.resumed_at.is_none_or(|resumed| at > resumed))
}

/// When a box needs no more following, and why; `None` while nobody can say.
fn end(shipment: &Shipment, state: &ContainerState) -> Option<(Timestamp, &'static str)> {
    let at = |event| state.milestone(event).map(|milestone| milestone.at);
    if state.status == CurrentStatus::EmptyReturned
        && let Some(returned) = at(EventName::EmptyIn)
    {
        let from = shipment.resumed_at.map_or(returned, |at| at.max(returned));
        return Some((from + AFTER_RETURN, "all_containers_terminated"));
    }
    let begun = begun(shipment);
    if let Some(out) = at(EventName::FullOut).or(at(EventName::Delivered)) {
        return Some((out.max(begun) + AFTER_FULL_OUT, "past_full_out_window"));
    }
    let arrived = match state.journey.destination {
        Some(_) => at(EventName::ArrivedAtInlandDestination),
        None => at(EventName::VesselArrived),
    };
    arrived.map(|arrived| (arrived.max(begun) + AFTER_ARRIVAL, "past_arrival_window"))
}

/// From when on the account wants it followed.
fn begun(shipment: &Shipment) -> Timestamp {
    shipment.resumed_at.unwrap_or(shipment.created_at)
}
