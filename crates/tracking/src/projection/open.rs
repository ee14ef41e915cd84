//! What an answer of the line, or the passing of time, does to a request that waits.

use domain::container::CurrentStatus;
use domain::event::EventName;
use domain::ids::{AccountId, IdSource, ShipmentId, TrackingRequestId, WatchId};
use domain::shipment::ShipmentState;
use domain::tracking_request::{
    self as machine, Happening, NumberKind, Progress, RequestStatus, number,
};
use jiff::{SignedDuration, Timestamp};
use store::Tx;
use store::shipment::{Feed, Shipment};
use store::tracking_request::TrackingRequest;

use super::Work;
use super::evidence::{Computed, Reports, Subject};
use crate::custom_fields::staging;
use crate::intake;
use crate::outbox::{self, About, News, Subscribers};
use crate::parties;
use crate::request::{self, store_change};
use crate::{Source, Tracking, id_source};

/// A box is asked for by its number at most so long after its journey began, where nothing but sightings is known of it.
const ASKED_AFTER_MAX: SignedDuration = SignedDuration::from_hours(30 * 24);
/// A request waits for its shipment at most so long.
const WAITS_MAX: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Moves one request on, opening its shipment when there is data. Returns where it stands.
pub(super) fn advance_request(
    tx: &mut Tx,
    work: &mut Work<'_>,
    account: AccountId,
    mut row: TrackingRequest,
) -> Result<Progress, store::Error> {
    if !row.progress.status.waits() {
        return Ok(row.progress);
    }
    let subject = subject(tx, work.tracking, account, &row)?;
    let reports = work.evidence.of(tx, work.tracking, subject, work.now)?;
    let Some(happening) = judge(&row, &reports, work.says.happening) else {
        return Ok(row.progress);
    };
    let (progress, event) = machine::advance(row.progress, happening, work.now);
    if progress == row.progress {
        return Ok(progress);
    }
    row.progress = progress;
    if progress.status == RequestStatus::Succeeded {
        row.shipment = Some(open_shipment(tx, work, account, &row)?);
    }
    let Work {
        subscribers,
        ids,
        now,
        ..
    } = work;
    settle(tx, account, subscribers, &mut row, event, ids, *now)?;
    Ok(progress)
}

/// What feeds a request: its watch, and the dockets of its number.
fn subject(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    row: &TrackingRequest,
) -> Result<Subject, store::Error> {
    let label = intake::number(tracking.registry(), row.progress.kind, &row.number);
    let own = store::docket::existing(tx, Some(account), &[label])?;
    let feed = |asked, own, watch| Feed { asked, own, watch };
    let asked = row.watch.map(|watch| feed(true, false, watch));
    let shared = row.docket.map(|watch| feed(false, false, watch));
    let own = own.into_iter().map(|watch| feed(false, true, watch));
    Ok(Subject {
        kind: row.progress.kind,
        number: row.number.clone(),
        scac: row.scac,
        feeds: asked.into_iter().chain(shared).chain(own).collect(),
        since: begun_since(row.progress.kind, row.progress.created_at),
    })
}

/// What opened the shipment has not become too old since it was asked for.
pub(super) fn shipment_begun_since(shipment: &Shipment) -> Option<Timestamp> {
    begun_since(shipment.kind, shipment.created_at - WAITS_MAX)
}

/// The same steel goes on many voyages: a box that is asked for by its own number is on one that began after this.
fn begun_since(kind: NumberKind, asked_at: Timestamp) -> Option<Timestamp> {
    (kind == NumberKind::Container).then_some(asked_at - ASKED_AFTER_MAX)
}

/// What happened to one request without a look at reports: a long wait came to its end, or the search for its
/// line. One that found its data meanwhile is left alone.
pub(crate) fn conclude(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    id: TrackingRequestId,
    happening: Happening,
) -> Result<(), store::Error> {
    let Some(mut row) = request::find_held(tx, account, id)? else {
        return Ok(());
    };
    let now = tracking.now();
    let ids = &mut id_source(now);
    let (progress, event) = machine::advance(row.progress, happening, now);
    if progress == row.progress {
        return Ok(());
    }
    row.progress = progress;
    let mut subscribers = Subscribers::default();
    settle(tx, account, &mut subscribers, &mut row, event, ids, now)
}

/// Data that we hold counts more than an answer that has none: absence is not deletion.
fn judge(row: &TrackingRequest, reports: &Reports, says: Option<Happening>) -> Option<Happening> {
    // A line that is in trouble has said nothing.
    let is_heard = says.is_some_and(|says| !matches!(says, Happening::Trouble(_)));
    let mut followed = reports.followed(row.progress.kind, &row.number);
    if followed.any(|(_, computed)| opens(row, computed, is_heard)) {
        return Some(Happening::DataFound);
    }
    // What was cancelled before somebody asks for it may be confirmed again by now: the line is heard first.
    if reports.booking_cancelled() && (is_heard || row.watch.is_none()) {
        return Some(Happening::BookingCancelled);
    }
    match says {
        Some(Happening::DataFound) if reports.is_empty() => Some(Happening::NotFound),
        Some(Happening::DataFound) => Some(Happening::FoundWithoutData),
        other => other,
    }
}

/// Whether what is known of a box opens a shipment for it.
///
/// Who asks for a box by its number means its journey of now. A terminal that saw it does not say on which that was; where
/// its line can be asked, the line is heard first, and a visit that is over was another journey. So may one be of which the
/// line told whoever asked before.
fn opens(row: &TrackingRequest, computed: &Computed, is_heard: bool) -> bool {
    let is_over = is_over(computed.state.status);
    let whose_is_known = if is_heard {
        computed.is_of_line || !is_over
    } else {
        computed.is_of_line && !is_over
    };
    let is_of_now =
        row.progress.kind != NumberKind::Container || row.watch.is_none() || whose_is_known;
    computed.is_named && is_of_now
}

fn is_over(status: CurrentStatus) -> bool {
    use CurrentStatus as S;
    matches!(status, S::PickedUp | S::Delivered | S::EmptyReturned)
}

/// Writes the request and tells its event.
fn settle(
    tx: &mut Tx,
    account: AccountId,
    subscribers: &mut Subscribers,
    row: &mut TrackingRequest,
    event: Option<EventName>,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<(), store::Error> {
    let mut a = tx.account(account);
    store_change(&mut a, row, now)?;
    let Some(event) = event else { return Ok(()) };
    // A shipment that is just being opened has version 0 until its containers are in; its request's event
    // is the first of its order key.
    let (about, line_version) = match row.shipment {
        Some(shipment) => (About::Shipment(shipment, Some(row.id)), 0),
        None => (About::Request(row.id), row.version),
    };
    let news = News {
        event,
        reference_type: "tracking_request",
        reference: row.id.0,
        about,
        version: row.version,
        line_version,
    };
    outbox::publish(&mut a, subscribers, &[news], ids, now).map(|_| ())
}

fn open_shipment(
    tx: &mut Tx,
    work: &mut Work<'_>,
    account: AccountId,
    row: &TrackingRequest,
) -> Result<ShipmentId, store::Error> {
    let id = work.ids.draw();
    let sole = match row.watch {
        Some(watch) => sole_scac(work.tracking, tx, watch)?,
        None => None,
    };
    let Some(scac) = row.scac.or(sole) else {
        return Err(store::Error::Refused(
            "a request without a line cannot open a shipment".into(),
        ));
    };
    let mut a = tx.account(account);
    let custom_fields = staging::shipment_opens(&mut a, row.id, id, work.ids, work.now)?;
    let shipment = Shipment {
        id,
        number: row.number.clone(),
        normalized_number: number::asked_of(row.progress.kind, &row.number),
        scac,
        kind: row.progress.kind,
        state: ShipmentState::default(),
        ref_numbers: row.ref_numbers.clone(),
        tags: row.tags.clone(),
        created_at: work.now,
        updated_at: work.now,
        version: 0,
        line_attempted_at: work.says.attempted_at,
        line_succeeded_at: None,
        stopped: None,
        resumed_at: None,
        customer: row.customer,
        custom_fields,
        document: String::new(),
    };
    if let Some(customer) = shipment.customer {
        parties::hold(&mut a, customer)?;
    }
    store::shipment::insert(&mut a, &shipment)?;
    if let Some(watch) = row.watch {
        store::shipment::link_watch(&mut a, id, watch)?;
    }
    let label = intake::number(work.tracking.registry(), shipment.kind, &shipment.number);
    intake::follow(tx, account, id, &[label], work.ids, work.now)?;
    Ok(id)
}

/// The line of the watch's source, when the request does not name one.
fn sole_scac(
    tracking: &Tracking,
    tx: &mut Tx,
    watch: WatchId,
) -> Result<Option<domain::codes::Scac>, store::Error> {
    let watch = store::watch::find(tx, watch)?;
    let source = watch.and_then(|watch| tracking.sources().find(|s| s.id() == watch.source));
    Ok(source.and_then(Source::scac))
}

/// The time a request was created before which it has expired at `now`: seven days.
pub(crate) fn expired_before(now: Timestamp) -> Timestamp {
    now - WAITS_MAX
}
