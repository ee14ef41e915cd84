//! Stays at a quay, as claims tell of them.

use jiff::Timestamp;

use crate::report::Report;

/// Whether two claims of stops put one stay at different places: their source was set right meanwhile, its quays or the
/// terminals that it names, and only the later word counts. A vessel lies at one quay at a time, so what a source tells
/// of the same time is the same stay.
pub fn is_moved(one: &Report, other: &Report) -> bool {
    let vessel = one.leg.vessel_imo;
    one.source == other.source
        && vessel.is_some()
        && vessel == other.leg.vessel_imo
        && one.place != other.place
        && are_at_once(span(one), span(other))
}

/// From when it lay still until that was sure. How long it stayed is not told.
fn span(stop: &Report) -> Option<(Timestamp, Timestamp)> {
    let from = stop.occurred.as_ref()?.at;
    Some((from, stop.reported_at.unwrap_or(from).max(from)))
}

fn are_at_once(one: Option<(Timestamp, Timestamp)>, other: Option<(Timestamp, Timestamp)>) -> bool {
    one.zip(other)
        .is_some_and(|(one, other)| one.0 <= other.1 && other.0 <= one.1)
}
