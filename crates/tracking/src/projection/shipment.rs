//! A shipment brought up to date: its containers, what they have in common, and when tracking ends.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use domain::codes::ContainerNumber;
use domain::container::ContainerState;
use domain::event::EventName;
use domain::ids::{AccountId, ContainerId, EventId, RawMessageId, ShipmentId, WatchId};
use domain::report::Report;
use domain::shipment::{ShipmentState, shipment_state};
use domain::tracking_request::{self as machine, Happening, NumberKind};
use store::Tx;
use store::container::Container;
use store::docket::{Followers, Number};
use store::event::Event;
use store::shipment::{Feed, Shipment};

use super::ending::End;
use super::evidence::{Computed, Reports, Subject};
use super::pen::{Pen, Rewritten};
use super::{Work, container, ending, open};
use crate::Tracking;
use crate::intake;
use crate::outbox::{About, News};
use crate::parties;
use crate::request::store_change;
use crate::vessels::{self, Call};
use crate::webhooks::CONTAINERS_INCLUDED_MAX;

/// Brings these shipments up to date, all together. Returns the states of the containers of each that is tracked
/// still.
pub(super) fn refresh(
    tx: &mut Tx,
    work: &mut Work<'_>,
    account: AccountId,
    ids: &[ShipmentId],
) -> Result<Vec<Vec<ContainerState>>, store::Error> {
    let mut tracked = Vec::with_capacity(ids.len());
    let locked = store::shipment::lock_all(&mut tx.account(account), ids)?;
    work.catch_up();
    for shipment in locked {
        if shipment.stopped.is_some() {
            forget_due(&mut tx.account(account), shipment.id)?;
        } else {
            tracked.push(shipment);
        }
    }
    let mut pen = Pen::default();
    let mut followed = Vec::with_capacity(tracked.len());
    for scene in scenes(tx, work, account, tracked)? {
        followed.extend(scene.refresh(tx, work, account, &mut pen)?);
    }
    pen.write(&mut tx.account(account), work)?;
    Ok(followed)
}

/// A shipment with all that is known of it.
struct Scene {
    shipment: Shipment,
    containers: BTreeMap<ContainerNumber, Container>,
    /// The transport events of its containers.
    events: HashMap<ContainerId, Vec<EventId>>,
    reports: Rc<Reports>,
    /// Whether a watch of it is asked about: each answer looks at its end.
    line_is_asked: bool,
}

/// One of its boxes: what is known of it, and what was computed now.
struct Boxed<'r> {
    known: Option<Container>,
    computed: Cow<'r, Computed>,
}

/// What is known of these shipments, read together.
fn scenes(
    tx: &mut Tx,
    work: &mut Work<'_>,
    account: AccountId,
    shipments: Vec<Shipment>,
) -> Result<Vec<Scene>, store::Error> {
    let mut a = tx.account(account);
    let ids: Vec<ShipmentId> = shipments.iter().map(|shipment| shipment.id).collect();
    let stored = store::container::of_shipments(&mut a, &ids)?;
    let boxes: Vec<ContainerId> = stored.iter().map(|container| container.id).collect();
    let mut events = store::event::ids_of_containers(&mut a, &boxes)?;
    let mut feeds = store::shipment::feeds_of(&mut a, &ids)?;
    let mut containers: HashMap<ShipmentId, BTreeMap<ContainerNumber, Container>> = HashMap::new();
    for container in stored {
        let of_shipment = containers.entry(container.shipment).or_default();
        of_shipment.insert(container.number, container);
    }
    let subjects: Vec<Subject> = shipments
        .iter()
        .map(|shipment| subject(shipment, feeds.remove(&shipment.id).unwrap_or_default()))
        .collect();
    let asked = subjects
        .iter()
        .map(|subject| subject.feeds.iter().any(|feed| feed.asked));
    let asked: Vec<bool> = asked.collect();
    let reports = work
        .evidence
        .of_all(tx, work.tracking, subjects, work.now)?;
    let scenes = shipments
        .into_iter()
        .zip(reports.into_iter().zip(asked))
        .map(|(shipment, (reports, line_is_asked))| {
            let containers = containers.remove(&shipment.id).unwrap_or_default();
            let ids = containers.values().map(|container| container.id);
            Scene {
                events: ids
                    .filter_map(|id| Some((id, events.remove(&id)?)))
                    .collect(),
                shipment,
                containers,
                reports,
                line_is_asked,
            }
        });
    Ok(scenes.collect())
}

fn subject(shipment: &Shipment, feeds: Vec<Feed>) -> Subject {
    Subject {
        kind: shipment.kind,
        number: shipment.number.clone(),
        scac: Some(shipment.scac),
        feeds,
        since: open::shipment_begun_since(shipment),
    }
}

impl Scene {
    /// The states of the containers that are on it, unless tracking ends.
    fn refresh(
        mut self,
        tx: &mut Tx,
        work: &mut Work<'_>,
        account: AccountId,
        pen: &mut Pen,
    ) -> Result<Option<Vec<ContainerState>>, store::Error> {
        self.follow_new_boxes(tx, work, account)?;
        if vessels::are_watched(work.tracking) {
            self.hear_of_stops(tx, work, account)?;
            self.let_go_of_moved_stops(tx, work, account)?;
        }
        let reports = Rc::clone(&self.reports);
        let boxes = self.boxes(tx, work, account, &reports)?;
        let before = &self.shipment;
        let named = boxes.iter().filter(|one| one.computed.is_named);
        let states = named.map(|one| one.computed.state.clone());
        let left = self.containers.values().map(|left| left.state.clone());
        let states: Vec<ContainerState> = states.chain(left).collect();
        let end = ending::end(before, &states, reports.heard(), work.now);
        let (ends, mut ends_at) = match end {
            End::Now(reason) => (Some(reason), None),
            End::At(moment) => (None, Some(moment).filter(|_| !self.line_is_asked)),
        };
        let mut linked: Vec<ContainerId> = Vec::new();
        for Boxed { known, computed } in boxes {
            let events = known
                .as_ref()
                .and_then(|known| self.events.remove(&known.id));
            let refreshed = container::Refresh {
                shipment: before,
                goes_with_request: before.version == 0 && linked.len() < CONTAINERS_INCLUDED_MAX,
                computed: &computed,
                known,
                events: events.unwrap_or_default(),
                ends_at: ends_at.take(),
            };
            linked.push(refreshed.apply(&mut tx.account(account), work, pen)?);
        }
        for mut left in std::mem::take(&mut self.containers).into_values() {
            linked.push(left.id);
            let next_due_at = ends_at.take();
            if left.next_due_at != next_due_at {
                left.next_due_at = next_due_at;
                pen.containers.push(Rewritten {
                    row: left,
                    found_as_before: false,
                });
            }
        }
        write(tx, work, account, before, (&linked, &states), ends, pen)?;
        Ok(ends.is_none().then_some(states))
    }

    /// The boxes of which something is said. Those of which nothing is said any more are left in `containers`.
    fn boxes<'r>(
        &mut self,
        tx: &mut Tx,
        work: &mut Work<'_>,
        account: AccountId,
        reports: &'r Reports,
    ) -> Result<Vec<Boxed<'r>>, store::Error> {
        let mut boxes = Vec::new();
        for (number, computed) in reports.followed(self.shipment.kind, &self.shipment.number) {
            let known = self.containers.remove(number);
            if known.is_some() || computed.is_named {
                let computed = work.entitlements.cut(tx, account, computed)?;
                boxes.push(Boxed { known, computed });
            }
        }
        Ok(boxes)
    }

    /// A box that becomes known now is followed from now on, and what was said about it before counts.
    fn follow_new_boxes(
        &mut self,
        tx: &mut Tx,
        work: &mut Work<'_>,
        account: AccountId,
    ) -> Result<(), store::Error> {
        let shipment = &self.shipment;
        let registry = work.tracking.registry();
        let joining: Vec<Number> = self
            .reports
            .followed(shipment.kind, &shipment.number)
            .filter(|(_, computed)| computed.is_named)
            .map(|(number, _)| number)
            .filter(|number| {
                shipment.kind != NumberKind::Container && !self.containers.contains_key(number)
            })
            .map(|number| intake::number(registry, NumberKind::Container, number.as_str()))
            .collect();
        if joining.is_empty()
            || !intake::follow(tx, account, shipment.id, &joining, work.ids, work.now)?
        {
            return Ok(());
        }
        self.read_again(tx, work, account)
    }

    /// A stop that stands at another quay by now is told of the box no more where it was.
    fn let_go_of_moved_stops(
        &mut self,
        tx: &mut Tx,
        work: &mut Work<'_>,
        account: AccountId,
    ) -> Result<(), store::Error> {
        let shipment = &self.shipment;
        let registry = work.tracking.registry();
        // What was told of a stop is the account's own.
        let mut moved: BTreeMap<WatchId, Vec<Report>> = BTreeMap::new();
        for (number, computed) in self.reports.followed(shipment.kind, &shipment.number) {
            let label = [intake::number(
                registry,
                NumberKind::Container,
                number.as_str(),
            )];
            let stops = vessels::moved_of(tx, account, computed.claims())?;
            if !stops.is_empty() {
                let docket = store::docket::existing(tx, Some(account), &label)?;
                moved.extend(docket.into_iter().map(|docket| (docket, stops.clone())));
            }
        }
        let mut left = Vec::new();
        for (docket, stops) in moved {
            store::watch::lock(tx, docket)?;
            if store::report::take_out(tx, docket, &stops)? > 0 {
                left.push(docket);
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        let followers = store::docket::followers(tx, &left)?;
        self.leave_to_tell(work, account, followers);
        self.read_again(tx, work, account)
    }

    /// A box of which it becomes known now which ship brings it, or where to, is told of the ship's stop there that came
    /// before: who told of the stop could not know that it was for this box.
    fn hear_of_stops(
        &mut self,
        tx: &mut Tx,
        work: &mut Work<'_>,
        account: AccountId,
    ) -> Result<(), store::Error> {
        let gazetteer = work.tracking.gazetteer();
        let shipment = &self.shipment;
        let mut told: Vec<(RawMessageId, Report)> = Vec::new();
        for (number, computed) in self.reports.followed(shipment.kind, &shipment.number) {
            let known = self.containers.get(number);
            if known.is_none() && !computed.is_named {
                continue;
            }
            let before = known.and_then(|known| Call::of(&known.state, gazetteer));
            let call = Call::of(&computed.state, gazetteer);
            let Some(call) = call.filter(|call| before.as_ref() != Some(call)) else {
                continue;
            };
            let stops = vessels::stops_for(tx, work.tracking, account, *number, &call)?;
            told.extend(stops.into_iter().filter(|(_, stop)| !computed.says(stop)));
        }
        if told.is_empty() {
            return Ok(());
        }
        let followers = intake::file_in(tx, work.tracking, account, told, work.ids, work.now)?;
        self.leave_to_tell(work, account, followers);
        self.read_again(tx, work, account)
    }

    /// Who else follows what was filed hears of it in a transaction of his own.
    fn leave_to_tell(&self, work: &mut Work<'_>, account: AccountId, followers: Followers) {
        let own = (account, self.shipment.id);
        let others = followers.shipments.into_iter();
        let others = others.filter(|(_, account, shipment)| (*account, *shipment) != own);
        work.rest.others.shipments.extend(others);
        work.rest.others.requests.extend(followers.requests);
    }

    /// What is known with what was just filed or followed.
    fn read_again(
        &mut self,
        tx: &mut Tx,
        work: &mut Work<'_>,
        account: AccountId,
    ) -> Result<(), store::Error> {
        let feeds = store::shipment::feeds(&mut tx.account(account), self.shipment.id)?;
        let subject = subject(&self.shipment, feeds);
        self.reports = work.evidence.of(tx, work.tracking, subject, work.now)?;
        Ok(())
    }
}

/// Rules that wait have nothing to wait for once tracking has stopped.
pub(super) fn forget_due(a: &mut store::AccountTx<'_>, id: ShipmentId) -> Result<(), store::Error> {
    let waiting = store::container::of_shipment(a, id)?;
    for mut container in waiting.into_iter().filter(|one| one.next_due_at.is_some()) {
        container.next_due_at = None;
        store::container::update(a, &container)?;
    }
    Ok(())
}

/// Gathers the shipment when anything of it changed, tells its estimate, and stops it when its time has come.
fn write(
    tx: &mut Tx,
    work: &mut Work<'_>,
    account: AccountId,
    before: &Shipment,
    seen: (&[ContainerId], &[ContainerState]),
    stop: Option<&'static str>,
    pen: &mut Pen,
) -> Result<(), store::Error> {
    let now = work.now;
    let (linked, states) = seen;
    let mut after = before.clone();
    after.state = shipment_state(states);
    after.line_attempted_at = work.says.attempted_at.or(before.line_attempted_at);
    if work.says.answered {
        after.line_succeeded_at = after.line_attempted_at;
    }
    after.stopped = stop.map(|reason| (now, reason.to_owned()));
    let told = after.state != before.state || stop.is_some() || before.version == 0;
    let mut a = tx.account(account);
    let customer = parties::name(&mut a, before.customer)?;
    let customer = customer.as_deref();
    let relinked = !told && render(work.tracking, before, linked, customer) != before.document;
    if !told && !relinked && after.line_attempted_at == before.line_attempted_at {
        return Ok(());
    }
    if told || relinked {
        after.version += 1;
        after.updated_at = now;
    }
    after.document = render(work.tracking, &after, linked, customer);
    if let Some((event, news)) = estimated_arrival(work, &before.state, &after, states) {
        pen.new_events.push(event);
        pen.news.push(news);
    }
    if stop.is_some() {
        pen.news.extend(stop_requests(&mut a, work, &after)?);
    }
    pen.shipments.push(after);
    Ok(())
}

/// `shipment.estimated.arrival`, when the shown arrival changed: its time, its port, or the ship that comes.
fn estimated_arrival(
    work: &mut Work<'_>,
    before: &ShipmentState,
    after: &Shipment,
    states: &[ContainerState],
) -> Option<(Event, News)> {
    let eta = after
        .state
        .pod_eta
        .filter(|_| after.state.is_expected_otherwise(before))?;
    let id = work.ids.draw();
    let gazetteer = work.tracking.gazetteer();
    let locode = after.state.port_of_discharge;
    let view = jsonapi::resource::estimated_event::View {
        id,
        estimated_at: eta,
        locode,
        zone: locode.and_then(|locode| gazetteer.zone(locode)),
        vessel: after.state.pod_vessel.as_ref(),
        voyage: voyage_in(states, eta),
        source: after
            .state
            .eta_source
            .unwrap_or(domain::report::SourceKind::CarrierApi),
        created_at: work.now,
        shipment: after.id,
        gazetteer,
    };
    let event = Event {
        id,
        resource: "estimated_event".to_owned(),
        name: EventName::ShipmentEstimatedArrival,
        container: None,
        shipment: Some(after.id),
        tracking_request: None,
        version: after.version,
        slot: None,
        created_at: work.now,
        invalidated_at: None,
        document: jsonapi::resource::estimated_event::render(&view),
    };
    let news = News {
        event: EventName::ShipmentEstimatedArrival,
        reference_type: "estimated_event",
        reference: id.0,
        about: About::Shipment(after.id, None),
        version: after.version,
        line_version: after.version,
    };
    Some((event, news))
}

/// The voyage of the estimate that is shown.
fn voyage_in(states: &[ContainerState], eta: jiff::Timestamp) -> Option<&str> {
    states
        .iter()
        .filter_map(|state| state.estimate(EventName::EstimatedVesselArrived))
        .find(|estimate| estimate.at == eta)
        .and_then(|estimate| estimate.voyage.as_deref())
}

/// Every open request of a stopped shipment stops with it.
pub(super) fn stop_requests(
    a: &mut store::AccountTx<'_>,
    work: &Work<'_>,
    shipment: &Shipment,
) -> Result<Vec<News>, store::Error> {
    let mut news = Vec::new();
    for mut row in store::tracking_request::of_shipment(a, shipment.id)? {
        let (progress, event) =
            machine::advance(row.progress, Happening::TrackingStopped, work.now);
        if progress == row.progress {
            continue;
        }
        row.progress = progress;
        store_change(a, &mut row, work.now)?;
        news.extend(event.map(|event| News {
            event,
            reference_type: "tracking_request",
            reference: row.id.0,
            about: About::Shipment(shipment.id, Some(row.id)),
            version: row.version,
            line_version: shipment.version,
        }));
    }
    Ok(news)
}

/// The shipment's document.
pub(super) fn render(
    tracking: &Tracking,
    shipment: &Shipment,
    containers: &[ContainerId],
    customer_name: Option<&str>,
) -> String {
    let line = tracking.registry().shipping_line(shipment.scac);
    jsonapi::resource::shipment::render(&jsonapi::resource::shipment::View {
        id: shipment.id,
        number: &shipment.number,
        normalized_number: &shipment.normalized_number,
        kind: shipment.kind,
        scac: shipment.scac,
        line_name: line.map_or(shipment.scac.as_str(), |line| line.name.as_str()),
        line_short_name: line.map_or(shipment.scac.as_str(), |line| line.short_name.as_str()),
        state: &shipment.state,
        ref_numbers: &shipment.ref_numbers,
        tags: &shipment.tags,
        created_at: shipment.created_at,
        updated_at: shipment.updated_at,
        version: shipment.version,
        line_attempted_at: shipment.line_attempted_at,
        line_succeeded_at: shipment.line_succeeded_at,
        stopped: shipment
            .stopped
            .as_ref()
            .map(|(at, reason)| (*at, reason.as_str())),
        containers,
        customer: shipment.customer,
        custom_fields: &shipment.custom_fields,
        customer_name,
        gazetteer: tracking.gazetteer(),
    })
}
