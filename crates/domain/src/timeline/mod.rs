//! All claims about a container folded into one truth. (essay to be written here)

use jiff::Timestamp;

use crate::codes::ContainerNumber;
use crate::container::ContainerState;
use crate::place::Gazetteer;
use crate::report::Report;

/// The truth about `number`, computed from **all** `reports` about it (those of its bill included).
///
/// Pure: order and repetition of `reports` do not matter, and nothing is read but the arguments.
/// `now` decides only rules that wait (6 h, 12 h, 7 days); [`due`] tells when it matters next.
pub fn container_state(
    number: ContainerNumber,
    reports: &[Report],
    gazetteer: &Gazetteer,
    now: Timestamp,
) -> ContainerState {
    let _ = (reports, gazetteer, now);
    ContainerState::unknown(number)
}

/// The next moment after `now` at which [`container_state`] may change by the passing of time alone.
pub fn due(number: ContainerNumber, reports: &[Report], now: Timestamp) -> Option<Timestamp> {
    let _ = (number, reports, now);
    None
}
