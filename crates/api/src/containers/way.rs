//! The way of a container, read from the reports behind it.

use std::collections::HashSet;

use domain::ids::ContainerId;
use domain::report::Report;
use domain::route::Call as Stop;
use domain::timeline;
use jsonapi::linkage;
use store::container::Container;
use uuid::Uuid;

use crate::call::Reading;
use crate::failure::Failure;

/// A container with its way.
pub(crate) struct Way {
    pub(crate) container: Container,
    pub(crate) calls: Vec<Stop>,
}

/// The way of this container; `None` when the account has no such container.
pub(crate) fn of(reading: &mut Reading<'_>, id: ContainerId) -> Result<Option<Way>, Failure> {
    let mut a = reading.account();
    let Some(container) = store::container::find(&mut a, id)? else {
        return Ok(None);
    };
    let feeds = store::shipment::feeds(&mut a, container.shipment)?;
    let watches: Vec<_> = feeds.iter().map(|feed| feed.watch).collect();
    let stored = store::report::of_watches(reading.tx, &watches)?;
    // Of what came unasked only that belongs here which the container names as its own.
    let own: HashSet<Uuid> = linkage::targets(&container.document, "raw_events")
        .iter()
        .map(|claim| claim.id)
        .collect();
    let asked = |watch| feeds.iter().any(|feed| feed.asked && feed.watch == watch);
    let reports: Vec<Report> = stored
        .into_iter()
        .filter(|row| asked(row.watch) || own.contains(&row.id.0))
        .map(|row| row.report)
        .collect();
    let tracking = &reading.app.tracking;
    let (gazetteer, now) = (tracking.gazetteer(), tracking.now());
    let calls = timeline::route(container.number, &reports, gazetteer, now);
    Ok(Some(Way { container, calls }))
}
