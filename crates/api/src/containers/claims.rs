//! The claims behind a container, as the projection weighed them.

use std::collections::HashSet;

use domain::ids::{ReportId, WatchId};
use jsonapi::linkage;
use store::container::Container;
use store::report::StoredReport;

use crate::call::Reading;
use crate::failure::Failure;

/// The watches that feed a container, and what they hold about its shipment: all that was answered to questions,
/// and of what came unasked only that which the container names as its own.
pub(crate) fn behind(
    reading: &mut Reading<'_>,
    container: &Container,
) -> Result<(Vec<WatchId>, Vec<StoredReport>), Failure> {
    let feeds = store::shipment::feeds(&mut reading.account(), container.shipment)?;
    let watches: Vec<WatchId> = feeds.iter().map(|feed| feed.watch).collect();
    let mut stored = store::report::of_watches(reading.tx, &watches)?;
    let own = named(container);
    let asked = |watch| feeds.iter().any(|feed| feed.asked && feed.watch == watch);
    stored.retain(|row| asked(row.watch) || own.contains(&row.id));
    Ok((watches, stored))
}

/// The claims that a container's own text names: what its state was computed from.
pub(crate) fn named(container: &Container) -> HashSet<ReportId> {
    let named = linkage::targets(&container.document, "raw_events");
    named.iter().map(|claim| ReportId(claim.id)).collect()
}
