//! A container brought up to date: the difference between what stood and what stands becomes event records
//! and news.

use std::collections::{BTreeSet, HashMap};

use domain::container::{ContainerState, Estimate, LfdOwner, Milestone, Vessel};
use domain::event::{Attribute, Change, EventName, difference};
use domain::ids::{ContainerId, EventId, ReferenceId, ReportId, ShipmentId};
use domain::report::SourceKind;
use jiff::Timestamp;
use jsonapi::linkage;
use jsonapi::resource::{
    container_created_event, container_pod_terminal_changed_event, container_updated_event,
    rescheduled, transport_event, vessel,
};
use store::AccountTx;
use store::container::{Container, finds_alike};
use store::event::Event;
use store::shipment::Shipment;

use super::Work;
use super::evidence::Computed;
use super::pen::{Pen, Rewritten};
use crate::Tracking;
use crate::custom_fields::staging;
use crate::outbox::{About, News};
use crate::polling::boxes;

/// Resource type of milestones, estimates and changes of dates.
const TRANSPORT_EVENT: &str = "transport_event";

/// One container of one account: what is known of it, and what was computed now.
pub(super) struct Refresh<'a> {
    pub(super) shipment: &'a Shipment,
    /// Whether the news that its request succeeded carry it: then it needs none of its own.
    pub(super) goes_with_request: bool,
    pub(super) computed: &'a Computed,
    pub(super) known: Option<Container>,
    /// Its transport events, oldest first.
    pub(super) events: Vec<EventId>,
    /// When its shipment ends if nothing more is heard, where this box is the one that waits for it.
    pub(super) ends_at: Option<Timestamp>,
}

impl Refresh<'_> {
    /// Gathers what changed and what is told of it, and returns the container's id.
    pub(super) fn apply(
        self,
        a: &mut AccountTx<'_>,
        work: &mut Work<'_>,
        pen: &mut Pen,
    ) -> Result<ContainerId, store::Error> {
        let before = self.known.as_ref().map(|container| &container.state);
        let changes = difference(before, &self.computed.state);
        let mut row = self.row(work);
        if self.known.is_none() {
            let joining = (row.id.0, row.number);
            row.custom_fields =
                staging::container_joins(a, self.shipment.id, joining, work.ids, work.now)?;
        }
        let mut telling = Telling::new(&row, self.shipment.id, self.computed, work);
        if self.known.is_none() && !self.goes_with_request {
            telling.created();
        }
        telling.changes(a, &changes)?;
        telling.estimates(before);
        let Telling {
            news,
            inserted,
            updated,
            vessels,
            ..
        } = telling;
        pen.travels.extend(self.new_vessels(row.id, &vessels));
        let (told, own): (BTreeSet<Vessel>, BTreeSet<Vessel>) = vessels
            .into_iter()
            .partition(|ship| self.computed.is_called_so(ship));
        pen.vessels.extend(told);
        let with_id = |ship: Vessel| Some((vessel::id(&ship)?, ship));
        pen.claimed.extend(own.into_iter().filter_map(with_id));
        let state = &self.computed.state;
        // What stood while its tracking was stopped was wanted by nobody.
        let wanted = before.filter(|_| !work.resumes);
        boxes::follow(a, work.tracking, wanted, state, work.ids, work.now)?;
        let id = row.id;
        let unchanged = changes.is_empty() && inserted.is_empty();
        self.write(work, row, &inserted, unchanged, pen);
        pen.new_events.extend(inserted);
        pen.events.extend(updated);
        pen.news.extend(news);
        Ok(id)
    }

    /// The vessels that are new to this box lead to it from now on.
    fn new_vessels(
        &self,
        id: ContainerId,
        named: &BTreeSet<Vessel>,
    ) -> Vec<(ContainerId, ReferenceId)> {
        let before = self.known.as_ref().map(|container| &container.state);
        let stood: Vec<&Vessel> = before
            .into_iter()
            .flat_map(|state| {
                let milestones = state.milestones.iter().filter_map(|m| m.vessel.as_ref());
                milestones.chain(state.estimates.iter().filter_map(|e| e.vessel.as_ref()))
            })
            .collect();
        named
            .iter()
            .filter(|vessel| !stood.contains(vessel))
            .filter_map(|new| Some((id, vessel::id(new)?)))
            .collect()
    }

    /// The row as it is to stand, not yet rendered. A changed state is a new version.
    fn row(&self, work: &mut Work<'_>) -> Container {
        let state = self.computed.state.clone();
        let asked_from = boxes::begins_at(work.tracking, &state, work.now);
        let moments = [self.computed.due, asked_from, self.ends_at];
        let next_due_at = moments.into_iter().flatten().min();
        match &self.known {
            Some(known) => {
                let changed = state.differs_from(&known.state);
                Container {
                    id: known.id,
                    shipment: known.shipment,
                    number: known.number,
                    ref_numbers: known.ref_numbers.clone(),
                    created_at: known.created_at,
                    updated_at: if changed { work.now } else { known.updated_at },
                    version: known.version + i64::from(changed),
                    next_due_at,
                    customer: known.customer,
                    custom_fields: known.custom_fields.clone(),
                    document: String::new(),
                    state,
                }
            }
            None => Container {
                id: work.ids.draw(),
                shipment: self.shipment.id,
                number: state.number,
                ref_numbers: Vec::new(),
                created_at: work.now,
                updated_at: work.now,
                version: 1,
                next_due_at,
                customer: None,
                custom_fields: Vec::new(),
                document: String::new(),
                state,
            },
        }
    }

    /// Gathers the row with its document, which names the events that are about to be written with it.
    fn write(
        self,
        work: &Work<'_>,
        mut row: Container,
        inserted: &[Event],
        unchanged: bool,
        pen: &mut Pen,
    ) {
        let line_checked_at = work
            .says
            .attempted_at
            .filter(|_| work.says.answered)
            .or(self.shipment.line_succeeded_at);
        let transport = inserted
            .iter()
            .filter(|event| event.resource == TRANSPORT_EVENT);
        let stood = self.events.iter().copied();
        let events: Vec<EventId> = stood.chain(transport.map(|event| event.id)).collect();
        row.document = self.render(work, &row, &events, line_checked_at);
        let Some(known) = &self.known else {
            pen.claimed.extend(self.computed.vessels());
            pen.new_containers.push(row);
            return;
        };
        let same = known.document == row.document && known.next_due_at == row.next_due_at;
        if !(same && unchanged) {
            pen.claimed.extend(self.computed.vessels());
            let found_as_before = finds_alike(known, &row);
            pen.containers.push(Rewritten {
                row,
                found_as_before,
            });
        }
    }

    fn render(
        &self,
        work: &Work<'_>,
        row: &Container,
        events: &[EventId],
        line_checked_at: Option<Timestamp>,
    ) -> String {
        let told = Told {
            line_checked_at,
            transport_events: events,
            raw_events: &self.computed.listed,
        };
        render(work.tracking, self.shipment, row, &told)
    }
}

/// What a document says of a container that does not stand in its row.
pub(super) struct Told<'a> {
    pub(super) line_checked_at: Option<Timestamp>,
    pub(super) transport_events: &'a [EventId],
    pub(super) raw_events: &'a [ReportId],
}

/// The container's document.
pub(super) fn render(
    tracking: &Tracking,
    shipment: &Shipment,
    row: &Container,
    told: &Told<'_>,
) -> String {
    jsonapi::resource::container::render(&jsonapi::resource::container::View {
        id: row.id,
        shipment: shipment.id,
        state: &row.state,
        ref_numbers: &row.ref_numbers,
        created_at: row.created_at,
        updated_at: row.updated_at,
        version: row.version,
        line_checked_at: told.line_checked_at,
        transport_events: told.transport_events,
        raw_events: told.raw_events,
        customer: row.customer.or(shipment.customer),
        custom_fields: &row.custom_fields,
        gazetteer: tracking.gazetteer(),
    })
}

/// Turns changes into event records and news, in the order of telling.
struct Telling<'w, 'a> {
    work: &'w mut Work<'a>,
    computed: &'w Computed,
    container: ContainerId,
    shipment: ShipmentId,
    version: i64,
    pod_terminal: Option<String>,
    zone: Option<String>,
    news: Vec<News>,
    inserted: Vec<Event>,
    updated: Vec<Event>,
    vessels: BTreeSet<Vessel>,
    standing: Option<HashMap<String, Event>>,
}

impl<'w, 'a> Telling<'w, 'a> {
    fn new(
        row: &Container,
        shipment: ShipmentId,
        computed: &'w Computed,
        work: &'w mut Work<'a>,
    ) -> Self {
        let pod = row.state.journey.port_of_discharge;
        let zone = pod
            .and_then(|pod| work.tracking.gazetteer().zone(pod))
            .map(ToOwned::to_owned);
        Self {
            work,
            computed,
            container: row.id,
            shipment,
            version: row.version,
            pod_terminal: row.state.pickup.pod_terminal.clone(),
            zone,
            news: Vec::new(),
            inserted: Vec::new(),
            updated: Vec::new(),
            vessels: BTreeSet::new(),
            standing: None,
        }
    }

    /// A box that joins a shipment which is tracked already.
    fn created(&mut self) {
        let id: EventId = self.work.ids.draw();
        let document = container_created_event::render(&container_created_event::View {
            id,
            at: self.work.now,
            container: self.container,
            shipment: self.shipment,
        });
        self.tell(
            id,
            EventName::ContainerCreated,
            "container_created_event",
            None,
            document,
        );
    }

    fn changes(&mut self, a: &mut AccountTx<'_>, changes: &[Change]) -> Result<(), store::Error> {
        for change in changes {
            match change {
                Change::Stands(milestone) => self.stands(milestone, None),
                Change::Corrected { before, after } => self.corrected(a, before, after)?,
                Change::Withdrawn(milestone) => {
                    self.invalidate(a, milestone)?;
                }
                Change::Replaced { before, after } => {
                    let previous = self.invalidate(a, before)?;
                    self.stands(after, previous);
                }
                Change::Estimated(estimate) => self.estimated(estimate),
                Change::LastFreeDay(owner, _) => self.moved(lfd_event(*owner)),
                Change::CoalescedLastFreeDay(_) => self.moved(EventName::PickupLfdChanged),
                Change::Appointment(_) => self.moved(EventName::PickupAppointmentChanged),
                Change::PodTerminal { after, .. } => self.pod_terminal(after.as_deref()),
                Change::Updated(changeset) => self.changed(changeset),
            }
        }
        Ok(())
    }

    fn stands(&mut self, milestone: &Milestone, previous: Option<EventId>) {
        self.vessels.extend(milestone.vessel.clone());
        let id: EventId = self.work.ids.draw();
        let document = self.render_milestone(id, milestone, self.work.now, None, previous);
        let slot = Some(milestone.slot.text());
        self.tell(id, milestone.slot.event, TRANSPORT_EVENT, slot, document);
    }

    /// The record of a milestone that stands at another time changes; the event does not fire again.
    fn corrected(
        &mut self,
        a: &mut AccountTx<'_>,
        before: &Milestone,
        after: &Milestone,
    ) -> Result<(), store::Error> {
        match self.standing(a)?.remove(&before.slot.text()) {
            Some(mut event) => {
                // The record links to the ship that is named only now.
                if before.vessel != after.vessel {
                    self.vessels.extend(after.vessel.clone());
                }
                let previous = stood_in_for(&event);
                event.document =
                    self.render_milestone(event.id, after, event.created_at, None, previous);
                event.slot = Some(after.slot.text());
                self.updated.push(event);
            }
            // The record is gone (never so by our own doing): better told again than lost.
            None => self.stands(after, None),
        }
        Ok(())
    }

    fn invalidate(
        &mut self,
        a: &mut AccountTx<'_>,
        milestone: &Milestone,
    ) -> Result<Option<EventId>, store::Error> {
        let Some(mut event) = self.standing(a)?.remove(&milestone.slot.text()) else {
            return Ok(None);
        };
        let now = self.work.now;
        event.invalidated_at = Some(now);
        let previous = stood_in_for(&event);
        event.document =
            self.render_milestone(event.id, milestone, event.created_at, Some(now), previous);
        let id = event.id;
        self.updated.push(event);
        Ok(Some(id))
    }

    fn estimated(&mut self, estimate: &Estimate) {
        self.vessels.extend(estimate.vessel.clone());
        let id: EventId = self.work.ids.draw();
        let view = transport_event::View {
            timestamp: Some(estimate.at),
            zone: estimate.zone.as_deref(),
            locode: estimate.locode,
            vessel: estimate.vessel.as_ref(),
            voyage: estimate.voyage.as_deref(),
            source_event: self.computed.source_of_estimate(estimate),
            ..self.plain(id, estimate.event, estimate.source)
        };
        let document = transport_event::render(&view);
        self.tell(id, estimate.event, TRANSPORT_EVENT, None, document);
    }

    /// What is expected may name its ship better without being news.
    fn estimates(&mut self, before: Option<&ContainerState>) {
        let estimates = self.computed.state.estimates.iter();
        let named = estimates.filter_map(|estimate| {
            let stood = before.and_then(|state| state.estimate(estimate.event));
            let ship = stood.and_then(|stood| stood.vessel.as_ref());
            estimate.vessel.clone().filter(|new| ship != Some(new))
        });
        self.vessels.extend(named);
    }

    /// A last free day or an appointment that moved.
    fn moved(&mut self, event: EventName) {
        let id: EventId = self.work.ids.draw();
        let plain = transport_event::View {
            timestamp: Some(self.work.now),
            ..self.plain(id, event, SourceKind::TerminalApi)
        };
        let document = transport_event::render(&rescheduled(plain, &self.computed.state));
        self.tell(id, event, TRANSPORT_EVENT, None, document);
    }

    fn pod_terminal(&mut self, terminal: Option<&str>) {
        let id: EventId = self.work.ids.draw();
        let said = self
            .computed
            .source_of_pod_terminal(self.work.tracking, self.work.now);
        let view = container_pod_terminal_changed_event::View {
            id,
            at: self.work.now,
            terminal,
            container: self.container,
            shipment: self.shipment,
            // Nobody says any longer: the line said so that it comes there.
            source: said.unwrap_or(SourceKind::CarrierApi),
            gazetteer: self.work.tracking.gazetteer(),
        };
        let document = container_pod_terminal_changed_event::render(&view);
        let resource = "container_pod_terminal_changed_event";
        self.tell(id, EventName::PodTerminalChanged, resource, None, document);
    }

    fn changed(&mut self, changeset: &[Attribute]) {
        let id: EventId = self.work.ids.draw();
        let document = container_updated_event::render(&container_updated_event::View {
            id,
            changeset,
            at: self.work.now,
            zone: self.zone.as_deref(),
            terminal: self.pod_terminal.as_deref(),
            container: self.container,
            shipment: self.shipment,
            gazetteer: self.work.tracking.gazetteer(),
        });
        self.tell(
            id,
            EventName::ContainerUpdated,
            "container_updated_event",
            None,
            document,
        );
    }

    fn tell(
        &mut self,
        id: EventId,
        name: EventName,
        resource: &'static str,
        slot: Option<String>,
        document: String,
    ) {
        self.inserted.push(Event {
            id,
            resource: resource.to_owned(),
            name,
            container: Some(self.container),
            shipment: Some(self.shipment),
            tracking_request: None,
            version: self.version,
            slot,
            created_at: self.work.now,
            invalidated_at: None,
            document,
        });
        self.news.push(News {
            event: name,
            reference_type: resource,
            reference: id.0,
            about: About::Container(self.container, self.shipment),
            version: self.version,
            line_version: self.version,
        });
    }

    fn render_milestone(
        &self,
        id: EventId,
        milestone: &Milestone,
        created_at: Timestamp,
        invalidated_at: Option<Timestamp>,
        previous_version: Option<EventId>,
    ) -> String {
        transport_event::render(&transport_event::View {
            timestamp: Some(milestone.at),
            zone: milestone.zone.as_deref(),
            locode: milestone.locode,
            terminal: milestone.terminal.as_deref(),
            vessel: milestone.vessel.as_ref(),
            voyage: milestone.voyage.as_deref(),
            source_event: self.computed.source_of_milestone(milestone),
            created_at,
            invalidated_at,
            previous_version,
            ..self.plain(id, milestone.slot.event, milestone.source)
        })
    }

    /// A transport event of this container with everything else left open.
    fn plain(&self, id: EventId, name: EventName, source: SourceKind) -> transport_event::View<'a> {
        transport_event::View {
            id,
            name,
            timestamp: None,
            zone: None,
            locode: None,
            terminal: None,
            vessel: None,
            voyage: None,
            source,
            value: None,
            created_at: self.work.now,
            invalidated_at: None,
            shipment: self.shipment,
            container: self.container,
            source_event: None,
            previous_version: None,
            gazetteer: self.work.tracking.gazetteer(),
        }
    }

    fn standing(
        &mut self,
        a: &mut AccountTx<'_>,
    ) -> Result<&mut HashMap<String, Event>, store::Error> {
        let standing = match self.standing.take() {
            Some(read) => read,
            None => store::event::standing(a, self.container)?
                .into_iter()
                .filter_map(|event| Some((event.slot.clone()?, event)))
                .collect(),
        };
        Ok(self.standing.insert(standing))
    }
}

/// The record that this one stands in for: that does not change with what is said of it later.
fn stood_in_for(event: &Event) -> Option<EventId> {
    let mut named = linkage::targets(&event.document, "previous_version").into_iter();
    named.next().map(|previous| EventId(previous.id))
}

fn lfd_event(owner: LfdOwner) -> EventName {
    match owner {
        LfdOwner::Line => EventName::PickupLfdLineChanged,
        LfdOwner::Terminal => EventName::PickupLfdTerminalChanged,
        LfdOwner::Rail => EventName::PickupLfdRailChanged,
    }
}
