//! A shipment brought up to date: its containers, what they have in common, and when tracking ends.

use std::collections::BTreeMap;
use std::rc::Rc;

use domain::codes::ContainerNumber;
use domain::container::ContainerState;
use domain::event::EventName;
use domain::ids::{AccountId, ContainerId, ShipmentId};
use domain::shipment::{ShipmentState, shipment_state};
use domain::tracking_request::{self as machine, Happening, NumberKind};
use store::Tx;
use store::docket::Number;
use store::event::Event;
use store::shipment::Shipment;

use super::evidence::{Reports, Subject};
use super::{Work, container, ending};
use crate::Tracking;
use crate::intake;
use crate::outbox::{self, About, News};
use crate::parties;
use crate::request::store_change;

/// Brings the shipment up to date and returns the states of its containers; `None` when it is not tracked any
/// more.
pub(super) fn refresh(
    tx: &mut Tx,
    work: &mut Work<'_>,
    account: AccountId,
    id: ShipmentId,
) -> Result<Option<Vec<ContainerState>>, store::Error> {
    let Some(before) = store::shipment::lock(&mut tx.account(account), id)? else {
        return Ok(None);
    };
    if before.stopped.is_some() {
        forget_due(&mut tx.account(account), id)?;
        return Ok(None);
    }
    let mut stored: BTreeMap<ContainerNumber, store::container::Container> =
        store::container::of_shipment(&mut tx.account(account), id)?
            .into_iter()
            .map(|container| (container.number, container))
            .collect();
    let reports = evidence(tx, work, account, &before, &stored)?;
    let shipment_is_new = before.version == 0;
    let mut linked: Vec<ContainerId> = Vec::new();
    let mut states = Vec::new();
    for (number, computed) in reports.followed(before.kind, &before.number) {
        let known = stored.remove(number);
        let computed = work.entitlements.cut(tx, account, computed)?;
        let refreshed = container::Refresh {
            shipment: &before,
            shipment_is_new,
            computed: &computed,
            known,
        };
        linked.push(refreshed.apply(&mut tx.account(account), work)?);
        states.push(computed.state.clone());
    }
    for (_, left) in stored {
        linked.push(left.id);
        states.push(left.state);
    }
    let ends = ending::reason(&before, &states, reports.heard(), work.now);
    write(tx, work, account, &before, &linked, &states, ends)?;
    Ok(ends.is_none().then_some(states))
}

/// What is said about the shipment. A box that becomes known now is followed from now on, and what was said
/// about it before counts.
fn evidence(
    tx: &mut Tx,
    work: &mut Work<'_>,
    account: AccountId,
    shipment: &Shipment,
    stored: &BTreeMap<ContainerNumber, store::container::Container>,
) -> Result<Rc<Reports>, store::Error> {
    let (kind, number) = (shipment.kind, shipment.number.clone());
    let mut subject = Subject {
        kind,
        number,
        scac: Some(shipment.scac),
        feeds: store::shipment::feeds(&mut tx.account(account), shipment.id)?,
    };
    let (tracking, now) = (work.tracking, work.now);
    let reports = work.evidence.of(tx, tracking, &subject, now)?;
    let joining: Vec<Number> = reports
        .followed(kind, &shipment.number)
        .map(|(number, _)| number)
        .filter(|number| kind != NumberKind::Container && !stored.contains_key(number))
        .map(|number| intake::number(tracking.registry(), NumberKind::Container, number.as_str()))
        .collect();
    if joining.is_empty() || !intake::follow(tx, account, shipment.id, &joining, work.ids, now)? {
        return Ok(reports);
    }
    subject.feeds = store::shipment::feeds(&mut tx.account(account), shipment.id)?;
    work.evidence.of(tx, tracking, &subject, now)
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

/// Writes the shipment when anything of it changed, tells its estimate, and stops it when its time has come.
fn write(
    tx: &mut Tx,
    work: &mut Work<'_>,
    account: AccountId,
    before: &Shipment,
    linked: &[ContainerId],
    states: &[ContainerState],
    stop: Option<&'static str>,
) -> Result<(), store::Error> {
    let now = work.now;
    let mut after = before.clone();
    after.state = shipment_state(states);
    after.line_attempted_at = work.says.attempted_at.or(before.line_attempted_at);
    if work.says.answered {
        after.line_succeeded_at = after.line_attempted_at;
    }
    after.stopped = stop.map(|reason| (now, reason.to_owned()));
    let told = after.state != before.state || stop.is_some() || before.version == 0;
    let customer = parties::name(&mut tx.account(account), before.customer)?;
    let customer = customer.as_deref();
    let relinked = render(work.tracking, before, linked, customer) != before.document;
    if !told && !relinked && after.line_attempted_at == before.line_attempted_at {
        return Ok(());
    }
    if told || relinked {
        after.version += 1;
        after.updated_at = now;
    }
    after.document = render(work.tracking, &after, linked, customer);
    let mut a = tx.account(account);
    let mut news = estimated_arrival(&mut a, work, &before.state, &after, states)?;
    store::shipment::update(&mut a, &after)?;
    if stop.is_some() {
        news.extend(stop_requests(&mut a, work, &after)?);
    }
    outbox::publish(&mut a, &mut work.subscribers, &news, work.ids, now).map(|_| ())
}

/// `shipment.estimated.arrival`, when the shown arrival at the port of discharge changed.
fn estimated_arrival(
    a: &mut store::AccountTx<'_>,
    work: &mut Work<'_>,
    before: &ShipmentState,
    after: &Shipment,
    states: &[ContainerState],
) -> Result<Vec<News>, store::Error> {
    let (Some(eta), true) = (after.state.pod_eta, after.state.pod_eta != before.pod_eta) else {
        return Ok(Vec::new());
    };
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
    store::event::insert(a, std::slice::from_ref(&event))?;
    Ok(vec![News {
        event: EventName::ShipmentEstimatedArrival,
        reference_type: "estimated_event",
        reference: id.0,
        about: About::Shipment(after.id, None),
        version: after.version,
    }])
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
            version: shipment.version,
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
