//! The way of a container, read from the reports behind it.

use domain::ids::ContainerId;
use domain::report::Report;
use domain::route::Call as Stop;
use domain::timeline;
use jiff::Timestamp;
use store::container::Container;

use super::claims;
use crate::call::Reading;
use crate::failure::Failure;

/// A container with its way.
pub(crate) struct Way {
    pub(crate) container: Container,
    pub(crate) calls: Vec<Stop>,
    /// When it was so: now, or when tracking stopped.
    pub(crate) as_of: Timestamp,
}

/// The way of this container; `None` when the account has no such container.
pub(crate) fn of(reading: &mut Reading<'_>, id: ContainerId) -> Result<Option<Way>, Failure> {
    let Some(container) = store::container::find(&mut reading.account(), id)? else {
        return Ok(None);
    };
    let behind = claims::behind(reading, &container)?;
    let reports: Vec<Report> = behind.stored.into_iter().map(|row| row.report).collect();
    let tracking = &reading.app.tracking;
    let (gazetteer, trust) = (tracking.gazetteer(), tracking.trust());
    let as_of = behind.as_of;
    let calls = timeline::route(container.number, &reports, gazetteer, trust, as_of);
    Ok(Some(Way {
        container,
        calls,
        as_of,
    }))
}
