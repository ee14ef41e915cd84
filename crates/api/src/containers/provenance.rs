//! `include_meta=provenance`: who said what stands in the answer.
//!
//! It is worked out when somebody asks, from the reports as they are stored, by the functions that decide the
//! state itself; nothing of it is kept. So an answer without it costs what it always did.

use std::collections::{HashMap, HashSet};

use domain::account::{Feature, enabled};
use domain::container::{ContainerState, LfdOwner};
use domain::event::EventName;
use domain::ids::{ContainerId, EventId};
use domain::provenance::Subject;
use domain::report::Report;
use domain::timeline;
use jsonapi::linkage;
use jsonapi::provenance::{Kept, View, render};
use jsonapi::query::{Holds, Parameter, Query};
use store::event::Record;

use super::claims::{self, Behind};
use crate::call::Reading;
use crate::failure::Failure;

/// What an operation that can tell it understands.
pub(crate) const PARAMETER: Parameter = Parameter::new(
    "include_meta",
    Holds::Words(|| vec!["provenance"]),
    "What to say in `meta` about the answer. `provenance`: who said each value, when, and what else was said.",
);

/// Whether it was asked for.
pub(crate) fn is_wanted(query: &Query) -> bool {
    query.value(PARAMETER.name).is_some()
}

/// Of a container and all its transport events that stand.
pub(crate) fn of_container(
    reading: &mut Reading<'_>,
    id: ContainerId,
) -> Result<Option<String>, Failure> {
    told(reading, id, None)
}

/// Of those transport events of a container that are shown.
pub(crate) fn of_events(
    reading: &mut Reading<'_>,
    id: ContainerId,
    shown: &[String],
) -> Result<Option<String>, Failure> {
    let ids = shown.iter().filter_map(|text| linkage::identity(text));
    let ids: HashSet<EventId> = ids.map(|identity| EventId(identity.id)).collect();
    told(reading, id, Some(&ids))
}

fn told(
    reading: &mut Reading<'_>,
    id: ContainerId,
    only: Option<&HashSet<EventId>>,
) -> Result<Option<String>, Failure> {
    if !is_wanted(reading.query) {
        return Ok(None);
    }
    let Some(container) = store::container::find(&mut reading.account(), id)? else {
        return Ok(None);
    };
    let Behind {
        watches,
        mut stored,
        as_of,
    } = claims::behind(reading, &container)?;
    // Exactly what the state was computed from: more may have been said since.
    let named = claims::named(&container);
    stored.retain(|row| named.contains(&row.id));
    let messages = store::report::messages_of(reading.tx, &watches)?;
    let records = store::event::records(&mut reading.account(), id)?;
    let (ids, reports): (Vec<_>, Vec<Report>) =
        stored.into_iter().map(|row| (row.id, row.report)).unzip();
    let tracking = &reading.app.tracking;
    let (mut state, mut provenance) = timeline::provenance(
        container.number,
        &reports,
        tracking.gazetteer(),
        tracking.trust(),
        as_of,
    );
    // What the container does not show its provenance does not tell.
    if !enabled(&reading.caller.features, Feature::Rail) {
        state.pickup.lfd_rail = None;
        provenance.conceal(&Subject::LastFreeDay(LfdOwner::Rail));
    }
    let places = reports.iter().map(std::ptr::from_ref).zip(ids);
    let kept: HashMap<*const Report, Kept> = places
        .map(|(report, raw_event)| {
            let raw_message = messages.get(&raw_event).copied();
            let kept = Kept {
                raw_event,
                raw_message,
            };
            (report, kept)
        })
        .collect();
    let mut events = told_by(&records, &state);
    events.retain(|(event, _)| only.is_none_or(|only| only.contains(event)));
    Ok(Some(render(&View {
        provenance: &provenance,
        state: &state,
        kept: &kept,
        events: &events,
        whole: only.is_none(),
    })))
}

/// Which value each event tells. Of estimates and dates, which are told again and again, the newest event.
fn told_by(records: &[Record], state: &ContainerState) -> Vec<(EventId, Subject)> {
    let slots: HashMap<String, Subject> = state
        .milestones
        .iter()
        .map(|m| (m.slot.text(), Subject::Milestone(m.slot.clone())))
        .collect();
    let newest: HashMap<EventName, EventId> = records
        .iter()
        .map(|record| (record.name, record.id))
        .collect();
    records
        .iter()
        .filter_map(|record| {
            let subject = match &record.slot {
                Some(slot) => slots.get(slot).cloned()?,
                None if newest.get(&record.name) == Some(&record.id) => {
                    of_date(record.name, state)?
                }
                None => return None,
            };
            Some((record.id, subject))
        })
        .collect()
}

fn of_date(event: EventName, state: &ContainerState) -> Option<Subject> {
    use EventName as E;
    let pickup = &state.pickup;
    Some(match event {
        E::EstimatedVesselDeparted
        | E::EstimatedVesselArrived
        | E::EstimatedArrivedAtInlandDestination => Subject::Estimate(event),
        E::PickupLfdLineChanged => Subject::LastFreeDay(LfdOwner::Line),
        E::PickupLfdTerminalChanged => Subject::LastFreeDay(LfdOwner::Terminal),
        E::PickupLfdRailChanged => Subject::LastFreeDay(LfdOwner::Rail),
        E::PickupLfdChanged => Subject::LastFreeDay(pickup.owner_of_last_free_day()?),
        E::PickupAppointmentChanged => Subject::Appointment,
        _ => return None,
    })
}
