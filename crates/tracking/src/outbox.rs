//! The outbox: what must leave the house is written in the transaction of the change that caused it.
//!
//! One notification for each active webhook that subscribes to the event, with one delivery row beside it.
//! No other place creates a notification, but for [what was missed](crate::webhooks) and is asked for later. What is
//! written here is a reference (which event, about what, which version), not a body: the body is rendered once, when
//! the delivery is claimed for the first time (by [`express`](crate::webhooks) as it is written), stored before the
//! first try, and is the same bytes on every try after it.
//!
//! Deliveries keep order per endpoint and *order key*: the container; for an event without one its shipment,
//! else its tracking request. Inside a key the sequence is the version of that thing and the place of the event
//! among those of that version. It is not always the version that the receiver is shown: that one is of the record the
//! event tells of, and a request that stands in the line of its shipment has versions of its own.
//!
//! What could be told and was told to nobody must be found again: a webhook may ask later for what it missed. The
//! events of boxes and shipments are records of their own anyway; news of a request get one here.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use domain::event::EventName;
use domain::ids::{
    AccountId, ContainerId, IdSource, NotificationId, ShipmentId, TrackingRequestId,
};
use domain::webhook::DeliveryStatus;
use jiff::Timestamp;
use store::AccountTx;
use store::event::Event;
use store::notification::{Notification, OrderKey};
use store::webhook::Webhook;
use uuid::Uuid;

use crate::Tracking;
use crate::webhooks::{Dispatch, Documents};

/// Events of one version of one thing; more than this many would run into the next version's numbers.
const EVENTS_PER_VERSION_MAX: i64 = 1_000;
/// Between two events of a line there is room for this many that are delivered again.
const AGAIN_MAX: i64 = 1 << 20;

/// One event to be told.
#[derive(Clone, Debug)]
pub(crate) struct News {
    pub(crate) event: EventName,
    pub(crate) reference_type: &'static str,
    pub(crate) reference: Uuid,
    pub(crate) about: About,
    /// Version of the record it tells of, which the receiver is shown.
    pub(crate) version: i64,
    /// Version of what its line is of, by which the line is ordered: news of a request stand in the line of its
    /// shipment, once it has one.
    pub(crate) line_version: i64,
}

/// What an event is about; decides its order key and what its body includes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum About {
    Container(ContainerId, ShipmentId),
    Shipment(ShipmentId, Option<TrackingRequestId>),
    Request(TrackingRequestId),
}

impl About {
    fn order_key(self) -> Uuid {
        match self {
            Self::Container(container, _) => container.0,
            Self::Shipment(shipment, _) => shipment.0,
            Self::Request(request) => request.0,
        }
    }

    fn container(self) -> Option<ContainerId> {
        match self {
            Self::Container(container, _) => Some(container),
            Self::Shipment(..) | Self::Request(_) => None,
        }
    }

    fn shipment(self) -> Option<ShipmentId> {
        match self {
            Self::Container(_, shipment) | Self::Shipment(shipment, _) => Some(shipment),
            Self::Request(_) => None,
        }
    }

    fn request(self) -> Option<TrackingRequestId> {
        match self {
            Self::Container(..) => None,
            Self::Shipment(_, request) => request,
            Self::Request(request) => Some(request),
        }
    }
}

/// The active webhooks of the accounts that one transaction writes for, each account's read once.
#[derive(Default)]
pub(crate) struct Subscribers {
    by_account: HashMap<AccountId, Vec<Webhook>>,
}

impl Subscribers {
    fn of(&mut self, a: &mut AccountTx<'_>) -> Result<&[Webhook], store::Error> {
        match self.by_account.entry(a.account()) {
            Entry::Occupied(read) => Ok(read.into_mut()),
            Entry::Vacant(unread) => Ok(unread.insert(store::webhook::active(a)?)),
        }
    }
}

/// Writes the notifications of `news`, which is in the order of telling and holds all that is told of a version of a
/// thing. Returns how many.
pub(crate) fn publish(
    a: &mut AccountTx<'_>,
    subscribers: &mut Subscribers,
    news: &[News],
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<usize, store::Error> {
    let rows = written(a, subscribers, news, ids, now)?;
    store::notification::insert(a, &rows)?;
    Ok(rows.len())
}

/// As [`publish`]; what there is a place for goes to the desk without a claim, its body made of what is `known`.
pub(crate) fn dispatch(
    a: &mut AccountTx<'_>,
    (tracking, dispatch, known): (&Tracking, &mut Dispatch, Documents<'_>),
    subscribers: &mut Subscribers,
    news: &[News],
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<(), store::Error> {
    let rows = written(a, subscribers, news, ids, now)?;
    dispatch.write(a, tracking, &rows, known, now)
}

/// The notifications of `news`, for whom they are.
fn written(
    a: &mut AccountTx<'_>,
    subscribers: &mut Subscribers,
    news: &[News],
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Vec<(Notification, OrderKey)>, store::Error> {
    if news.is_empty() {
        return Ok(Vec::new());
    }
    record_of_requests(a, news, ids, now)?;
    let webhooks = subscribers.of(a)?;
    let mut rows = Vec::with_capacity(news.len() * webhooks.len());
    let mut told: HashMap<(Uuid, i64), i64> = HashMap::new();
    for one in news {
        let order_key = one.about.order_key();
        let ordinal = told.entry((order_key, one.line_version)).or_default();
        let key = OrderKey {
            key: order_key,
            sequence: (one.line_version * EVENTS_PER_VERSION_MAX
                + (*ordinal).min(EVENTS_PER_VERSION_MAX - 1))
                * AGAIN_MAX,
        };
        *ordinal += 1;
        for webhook in webhooks
            .iter()
            .filter(|webhook| webhook.events.contains(&one.event))
        {
            let id: NotificationId = ids.draw();
            let notification = Notification {
                id,
                webhook: webhook.id,
                event: one.event,
                reference_type: one.reference_type.to_owned(),
                reference: one.reference,
                container: one.about.container(),
                shipment: one.about.shipment(),
                tracking_request: one.about.request(),
                version: one.version,
                created_at: now,
                status: DeliveryStatus::Pending,
            };
            rows.push((notification, key));
        }
    }
    Ok(rows)
}

/// Records news of requests, as those of boxes are.
fn record_of_requests(
    a: &mut AccountTx<'_>,
    news: &[News],
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<(), store::Error> {
    let of_requests = news
        .iter()
        .filter(|one| one.reference_type == "tracking_request");
    let records: Vec<Event> = of_requests
        .map(|one| Event {
            id: ids.draw(),
            resource: one.reference_type.to_owned(),
            name: one.event,
            container: one.about.container(),
            shipment: one.about.shipment(),
            tracking_request: Some(TrackingRequestId(one.reference)),
            version: one.version,
            slot: None,
            created_at: now,
            invalidated_at: None,
            document: String::new(),
        })
        .collect();
    if records.is_empty() {
        return Ok(());
    }
    store::event::insert(a, &records)
}
