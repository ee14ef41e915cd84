//! Terminals that have fallen silent.
//!
//! What a terminal said stands until it says something else: a feed that stops, or an answer that is empty by
//! mistake, must not free a box. But availability, holds and fees change by the hour, so after a day of silence
//! they are marked, and the mark goes with the next reading or when the box leaves. A terminal that the box has left
//! is not asked any more, and its silence tells nothing.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{Ashore, is_from_the_future};
use crate::container::Pickup;
use crate::report::{Report, SourceKind};

/// A reading of a terminal counts as fresh for this long.
const FRESH: SignedDuration = SignedDuration::from_hours(24);

/// Whether what the terminal said about a box in its yard is too old to be relied on.
pub(crate) fn is_stale(
    pickup: &Pickup,
    readings: &[&Report],
    ashore: &Ashore<'_>,
    now: Timestamp,
) -> bool {
    let says = pickup.available.is_some() || !pickup.holds.is_empty() || !pickup.fees.is_empty();
    let waits = ashore.collected_at.is_none();
    let here = readings.iter().copied();
    let here = here.filter(|report| ashore.is_said_here(report));
    says && waits && stale_at(here).is_some_and(|at| at <= now)
}

/// When the last reading of each that speaks for a terminal stops being fresh: one of them may be where the box stands.
pub(crate) fn each_stale_at<'a>(
    readings: impl Iterator<Item = &'a Report>,
) -> impl Iterator<Item = Timestamp> {
    let mut spoken: BTreeMap<_, Vec<&Report>> = BTreeMap::new();
    for report in readings.filter(|report| report.source_kind == SourceKind::TerminalApi) {
        let (place, source) = (&report.place, report.source.as_str());
        let whose = (source, place.locode, place.facility_code.as_deref());
        spoken.entry(whose).or_default().push(report);
    }
    spoken
        .into_values()
        .filter_map(|said| stale_at(said.into_iter()))
}

/// When the last reading of a terminal stops being fresh; `None` when no terminal spoke.
fn stale_at<'a>(readings: impl Iterator<Item = &'a Report>) -> Option<Timestamp> {
    let told = readings
        .filter(|report| report.source_kind == SourceKind::TerminalApi)
        .filter(|report| !is_from_the_future(report));
    let last = told.map(Report::issued_at).max()?;
    last.checked_add(FRESH).ok()
}
