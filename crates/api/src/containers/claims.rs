//! The claims behind a container, as the projection weighed them.

use std::collections::HashSet;

use domain::ids::{ReportId, WatchId};
use jiff::Timestamp;
use jsonapi::linkage;
use store::container::Container;
use store::report::StoredReport;

use crate::call::Reading;
use crate::failure::Failure;

/// What a container is told from.
pub(crate) struct Behind {
    /// The watches that feed it.
    pub(crate) watches: Vec<WatchId>,
    /// What they hold about its shipment: all that was answered to questions, and of what came unasked only that which
    /// the container names as its own.
    pub(crate) stored: Vec<StoredReport>,
    /// When it is weighed: now, or when tracking stopped.
    pub(crate) as_of: Timestamp,
}

/// What this container is told from. One that is tracked no more learns nothing more: its watch may go on for another
/// account, and the box on its next trip, so that only what it names itself counts.
pub(crate) fn behind(reading: &mut Reading<'_>, container: &Container) -> Result<Behind, Failure> {
    let mut a = reading.account();
    let shipment = store::shipment::find(&mut a, container.shipment)?;
    let stopped_at = shipment.and_then(|shipment| shipment.stopped.map(|(at, _)| at));
    let feeds = store::shipment::feeds(&mut a, container.shipment)?;
    let watches: Vec<WatchId> = feeds.iter().map(|feed| feed.watch).collect();
    let mut stored = store::report::of_watches(reading.tx, &watches)?;
    let own = named(container);
    let asked = |watch| feeds.iter().any(|feed| feed.asked && feed.watch == watch);
    stored.retain(|row| own.contains(&row.id) || stopped_at.is_none() && asked(row.watch));
    let as_of = stopped_at.unwrap_or_else(|| reading.app.tracking.now());
    Ok(Behind {
        watches,
        stored,
        as_of,
    })
}

/// The claims that a container's own text names: what its state was computed from.
pub(crate) fn named(container: &Container) -> HashSet<ReportId> {
    let named = linkage::targets(&container.document, "raw_events");
    named.iter().map(|claim| ReportId(claim.id)).collect()
}
