//! Express: deliveries that go to the desk without being claimed.
//!
//! A claim finds what is due, leases it, reads it back, reads the documents its body is made of, and costs a commit. For
//! what this node writes itself, for a receiver that keeps up, all that is known already. So whoever writes
//! notifications asks for places at the [desk] first. What gets a place is written as claimed, with its body, in the
//! transaction of the change; after the commit it is handed over. What gets none waits to be claimed, as everything
//! does that another node wrote.
//!
//! The desk gives places only for receivers that it knows to answer and of whose deliveries, as far as it knows, none
//! waits in the store: what is new must not overtake what is old for ever. Order inside a line is the store's
//! business here too: a delivery with an open one in its line gets no lease.
//!
//! A transaction that is rolled back, or a node that dies, loses nothing: the place is given back, or the lease runs
//! out.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::ids::{AccountId, NotificationId, WebhookId};
use jiff::Timestamp;
use store::AccountTx;
use store::delivery::{Body, Claim, Claimed, Record};
use store::notification::{self, Notification, OrderKey};
use store::webhook::Webhook;
use tokio::sync::Notify;
use uuid::Uuid;

use super::body::{self, Documents, RENDERED_BYTES_MAX};
use super::desk::{self, Desk};
use crate::Tracking;

/// The desk, and the way to it.
#[derive(Default)]
pub(crate) struct Express {
    counter: Mutex<Counter>,
    filled: Notify,
    doubted: Notify,
}

#[derive(Default)]
struct Counter {
    desk: Desk,
    /// Who sends here; nobody: no place is given.
    owner: Option<Uuid>,
}

impl Express {
    /// From now on `owner` sends what is handed over here; one sender at a time.
    pub(super) fn open(&self, owner: Uuid) {
        *self.lock() = Counter {
            desk: Desk::default(),
            owner: Some(owner),
        };
    }

    /// From now on nobody sends here.
    pub(super) fn close(&self) {
        self.lock().owner = None;
    }

    /// The desk, for a moment.
    pub(super) fn at_desk<T>(&self, what: impl FnOnce(&mut Desk) -> T) -> T {
        what(&mut self.lock().desk)
    }

    /// Nothing more goes to this webhook as it was: it has been changed, switched off or deleted.
    pub(super) fn halt(&self, webhook: WebhookId) {
        let mut counter = self.lock();
        // Where nobody sends, nothing is in hand.
        if counter.owner.is_some() {
            counter.desk.halt(webhook);
            self.doubted.notify_one();
        }
    }

    /// A webhook was halted.
    pub(super) async fn doubted(&self) {
        self.doubted.notified().await;
    }

    /// Something was handed over.
    pub(super) async fn filled(&self) {
        self.filled.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Counter> {
        self.counter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a transaction has written to be sent. To be [sent off](Self::send) after its commit; dropped, it gives its
/// places back.
#[derive(Debug, Default)]
#[must_use = "what is leased and not sent waits until its lease runs out"]
pub(crate) struct Dispatch {
    /// Whether places are asked for. Else everything waits to be claimed, and there is nothing to send.
    express: bool,
    parcels: Vec<Parcels>,
    /// Deliveries that wait to be claimed.
    waiting: usize,
}

impl Dispatch {
    /// Asks for places at the desk.
    pub(crate) fn express() -> Self {
        Self {
            express: true,
            ..Self::default()
        }
    }

    /// Hands over what has a place and tells of the rest.
    pub(crate) fn send(self, tracking: &Tracking) {
        for parcels in self.parcels {
            parcels.hand_over();
        }
        if self.waiting > 0 {
            tracking.nudges().deliver();
        }
    }

    /// Writes notifications, those with a place as claimed. `known` are documents that need not be read for their bodies.
    pub(crate) fn write(
        &mut self,
        a: &mut AccountTx<'_>,
        tracking: &Tracking,
        rows: &[(Notification, OrderKey)],
        known: Documents<'_>,
        now: Timestamp,
    ) -> Result<(), store::Error> {
        let held = self
            .express
            .then(|| Parcels::hold(tracking, a.account(), rows));
        let Some(mut parcels) = held.flatten() else {
            self.waiting += notification::insert(a, rows)?;
            return Ok(());
        };
        // What this transaction read of them may be what they were. What changes from here on is looked at before anything
        // of theirs begins: they have places.
        let present = store::webhook::active_among(a.tx(), &parcels.webhooks())?;
        parcels.keep(&present);
        let express = notification::Express {
            wanted: parcels.wanted(),
            owner: parcels.owner,
            until: now + tracking.delivery_lease(),
        };
        let leased = notification::insert_express(a, rows, &express)?;
        self.waiting += rows.len() - leased.len();
        let leased = (&leased, now, express.until);
        self.waiting += parcels.fill(a, rows, leased, &present, known)?;
        self.parcels.push(parcels);
        Ok(())
    }
}

/// Deliveries of one account with places at the desk.
struct Parcels {
    tracking: Tracking,
    owner: Uuid,
    places: Vec<(NotificationId, WebhookId)>,
    claimed: Vec<Claimed>,
}

impl Parcels {
    /// Holds places for as many of these as there are; `None`: for none.
    fn hold(
        tracking: &Tracking,
        account: AccountId,
        rows: &[(Notification, OrderKey)],
    ) -> Option<Self> {
        let mut counter = tracking.express().lock();
        let owner = counter.owner?;
        // News of a whole shipment may have megabytes: a claim renders some of them at a time.
        let (whole, of_one): (Vec<_>, Vec<_>) = rows
            .iter()
            .map(|(notification, _)| notification)
            .partition(|notification| body::is_of_shipment(notification));
        let places: Vec<_> = of_one
            .into_iter()
            .map(|notification| (notification.id, notification.webhook))
            .filter(|(_, webhook)| counter.desk.promise(*webhook, account))
            .collect();
        let behind = whole.iter().map(|notification| notification.webhook);
        counter.desk.left_behind(behind);
        drop(counter);
        (!places.is_empty()).then(|| Self {
            tracking: tracking.clone(),
            owner,
            places,
            claimed: Vec::new(),
        })
    }

    /// Where they go, each once.
    fn webhooks(&self) -> Vec<WebhookId> {
        let webhooks: BTreeSet<WebhookId> =
            self.places.iter().map(|(_, webhook)| *webhook).collect();
        webhooks.into_iter().collect()
    }

    /// Gives back the places of webhooks that are not among these.
    fn keep(&mut self, present: &[Webhook]) {
        let is_present = |webhook: WebhookId| present.iter().any(|one| one.id == webhook);
        let (kept, gone) = std::mem::take(&mut self.places)
            .into_iter()
            .partition(|(_, webhook)| is_present(*webhook));
        self.withdraw(gone);
        self.places = kept;
    }

    fn withdraw(&self, places: Vec<(NotificationId, WebhookId)>) {
        let mut counter = self.tracking.express().lock();
        // The places of an earlier sender went with its desk.
        if counter.owner == Some(self.owner) {
            for (_, webhook) in places {
                counter.desk.withdraw(webhook);
            }
        }
    }

    fn wanted(&self) -> HashSet<NotificationId> {
        self.places.iter().map(|(id, _)| *id).collect()
    }

    /// Puts in what was leased, with its body. What would be too long together is given back; how much.
    fn fill(
        &mut self,
        a: &mut AccountTx<'_>,
        rows: &[(Notification, OrderKey)],
        (leased, now, until): (&HashSet<NotificationId>, Timestamp, Timestamp),
        webhooks: &[Webhook],
        known: Documents<'_>,
    ) -> Result<usize, store::Error> {
        let account = a.account();
        let leased = rows
            .iter()
            .map(|(notification, _)| notification)
            .filter(|notification| leased.contains(&notification.id));
        self.claimed = leased
            .filter_map(|notification| {
                let to = webhooks.iter().find(|to| to.id == notification.webhook)?;
                Some(claimed(account, notification, to, until))
            })
            .collect();
        let (claimed, most) = (&mut self.claimed, RENDERED_BYTES_MAX);
        let left = body::complete(a.tx(), &self.tracking, claimed, known, most)?;
        body::leave_long(claimed);
        let claims: Vec<Claim> = left.iter().map(desk::claim_of).collect();
        store::delivery::release(a.tx(), &claims, now)?;
        let behind = left.iter().map(|one| one.notification.webhook);
        let express = self.tracking.express();
        express.at_desk(|desk| desk.left_behind(behind));
        Ok(left.len())
    }

    fn hand_over(mut self) {
        let (claimed, places) = (
            std::mem::take(&mut self.claimed),
            std::mem::take(&mut self.places),
        );
        let express = self.tracking.express();
        let mut counter = express.lock();
        // A sender that has gone gives nothing back: the leases run out.
        if counter.owner == Some(self.owner) {
            // In one step: what a halted webhook has in hand or in writing is looked at, and there is no moment between.
            for (_, webhook) in places {
                counter.desk.withdraw(webhook);
            }
            counter.desk.take_in(claimed);
            express.filled.notify_one();
        }
    }
}

impl std::fmt::Debug for Parcels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.places).finish()
    }
}

impl Drop for Parcels {
    fn drop(&mut self) {
        let places = std::mem::take(&mut self.places);
        self.withdraw(places);
    }
}

/// As a first claim would give it.
fn claimed(
    account: AccountId,
    notification: &Notification,
    to: &Webhook,
    leased_until: Timestamp,
) -> Claimed {
    Claimed {
        account,
        notification: notification.clone(),
        url: to.url.clone(),
        secret: to.secret.clone(),
        retired: to.retired.clone(),
        headers: to.headers.clone(),
        attempt: 1,
        attempts_before: 0,
        refusals_in_a_row: 0,
        record: Record::Answered,
        claim_token: 1,
        leased_until,
        body: Body::Unmade,
    }
}
