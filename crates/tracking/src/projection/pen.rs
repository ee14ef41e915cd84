//! What a projection is about to write.
//!
//! Shipments are brought up to date many at a time, and each statement costs a round trip or a compilation's worth of
//! work. So what is to be written is gathered over all of them, and written at the end in few statements: vessels,
//! containers, events, shipments, and last the news of all that.

use std::collections::{BTreeMap, BTreeSet};

use domain::container::Vessel;
use domain::ids::{ContainerId, ReferenceId};
use jsonapi::resource::vessel;
use store::AccountTx;
use store::container::{Container, Projected};
use store::event::Event;
use store::shipment::Shipment;

use super::Work;
use crate::outbox::{self, News};
use crate::webhooks::Documents;

/// Gathered rows of one account.
#[derive(Default)]
pub(super) struct Pen {
    pub(super) vessels: BTreeSet<Vessel>,
    /// Vessels that claims name, be it that no event does.
    pub(super) claimed: BTreeMap<ReferenceId, Vessel>,
    /// Which container travels on which vessel.
    pub(super) travels: Vec<(ContainerId, ReferenceId)>,
    pub(super) new_containers: Vec<Container>,
    pub(super) containers: Vec<Rewritten>,
    pub(super) new_events: Vec<Event>,
    /// Events that stand otherwise than before, or no longer.
    pub(super) events: Vec<Event>,
    pub(super) shipments: Vec<Shipment>,
    /// In the order of telling.
    pub(super) news: Vec<News>,
}

/// A container that was there before.
pub(super) struct Rewritten {
    pub(super) row: Container,
    /// Whether lists find it as before.
    pub(super) found_as_before: bool,
}

impl Pen {
    /// Writes everything.
    pub(super) fn write(
        self,
        a: &mut AccountTx<'_>,
        work: &mut Work<'_>,
    ) -> Result<(), store::Error> {
        remember(a, work, self.vessels, self.claimed)?;
        store::vessel::carries(a, &self.travels)?;
        for container in &self.new_containers {
            store::container::insert(a, container)?;
        }
        let mut projected: Vec<Projected<'_>> =
            self.containers.iter().map(Rewritten::as_row).collect();
        projected.sort_unstable_by_key(|one| one.container.id);
        store::container::write_projected(a, &projected)?;
        store::event::insert(a, &self.new_events)?;
        for event in &self.events {
            store::event::update(a, event)?;
        }
        store::shipment::write_projected(a, &by_id(&self.shipments, |one| one.id))?;
        // In the order of writing: what was written last stands.
        let rewritten = self.containers.iter().map(|one| &one.row);
        let containers = self.new_containers.iter().chain(rewritten);
        let containers = containers.map(|one| (one.id.0, one.document.as_str()));
        let shipments = self.shipments.iter();
        let shipments = shipments.map(|one| (one.id.0, one.document.as_str()));
        let events = self.new_events.iter().chain(&self.events);
        let events = events.map(|one| (one.id.0, one.document.as_str()));
        let known = Documents::in_hand(containers.chain(shipments).chain(events));
        let way = (work.tracking, &mut work.rest.dispatch, known);
        outbox::dispatch(
            a,
            way,
            &mut work.subscribers,
            &self.news,
            work.ids,
            work.now,
        )
    }
}

impl Rewritten {
    fn as_row(&self) -> Projected<'_> {
        Projected {
            container: &self.row,
            found_as_before: self.found_as_before,
        }
    }
}

fn by_id<T, I: Ord>(rows: &[T], id: impl Fn(&T) -> I) -> Vec<&T> {
    let mut ordered: Vec<&T> = rows.iter().collect();
    ordered.sort_unstable_by_key(|row| id(row));
    ordered
}

/// Vessels that events name can be asked for and are included in deliveries. So can those that only claims name, for the
/// claims and the way link to them; what events call a vessel stays its name, as each claim may spell it otherwise.
///
/// All are written at once: two who wrote first these and then those could wait for each other.
fn remember(
    a: &mut AccountTx<'_>,
    work: &mut Work<'_>,
    vessels: BTreeSet<Vessel>,
    mut claimed: BTreeMap<ReferenceId, Vessel>,
) -> Result<(), store::Error> {
    let unwritten = vessels
        .into_iter()
        .filter(|named| work.vessels.insert(named.clone()));
    let named = unwritten.filter_map(|named| Some(row(vessel::id(&named)?, &named)));
    let mut rows: Vec<store::vessel::Vessel> = named.collect();
    for row in &rows {
        claimed.remove(&row.id);
    }
    if !claimed.is_empty() {
        let ids: Vec<ReferenceId> = claimed.keys().copied().collect();
        let known = store::vessel::followed(a.tx(), &ids)?;
        claimed.retain(|id, _| !known.contains(id));
        rows.extend(claimed.iter().map(|(id, named)| row(*id, named)));
    }
    if rows.is_empty() {
        Ok(())
    } else {
        store::vessel::remember(a.tx(), &rows)
    }
}

fn row(id: ReferenceId, named: &Vessel) -> store::vessel::Vessel {
    store::vessel::Vessel {
        id,
        imo: named.imo.map(|imo| imo.to_string()),
        name: named.name.clone(),
        document: vessel::render(named),
    }
}
