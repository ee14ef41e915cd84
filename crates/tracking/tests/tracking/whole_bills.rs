//! Bills of many boxes: each box is told, with the news of its request or by its own.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use domain::codes::ContainerNumber;
use domain::event::EventName;
use domain::ids::AccountId;
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use serde_json::Value;
use store::Slice;
use store::container::ContainerFilter;
use store::notification::{self, NotificationFilter};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracking::work;
use wiremock::ResponseTemplate;

use crate::BOX;
use crate::filing::{BILL, loaded, message};
use crate::ground::Ground;
use crate::recalled::eventually;
use crate::receiver::Receiver;

/// A bill of one box.
const SHORT: &str = "NWLX0043";
const AT: &str = "2026-04-05T05:00:00Z";
/// Boxes that news of a request carry in full.
const INCLUDED_MAX: usize = 1_000;
/// Numbers that one transaction of a message names.
const PIECE_MAX: usize = 128;
const EVENTS: [EventName; 2] = [
    EventName::TrackingRequestSucceeded,
    EventName::ContainerCreated,
];

/// The bill with this many boxes.
fn bill_of(boxes: usize) -> String {
    let moves: Vec<Value> = (0..boxes)
        .map(|place| {
            let number = ContainerNumber::parse(&format!("NWLU{place:06}")).unwrap();
            loaded(number.as_str(), AT, &[("TRD", BILL)])
        })
        .collect();
    message(&moves)
}

async fn stored(ground: &Ground, account: AccountId) -> BTreeSet<String> {
    let read = ground.tracking().store().read(move |tx| {
        let mut ids = BTreeSet::new();
        let filter = ContainerFilter::default();
        loop {
            let slice = Slice {
                offset: ids.len() as u64,
                limit: 100,
            };
            let page = store::container::page(&mut tx.account(account), &filter, slice)?;
            if page.rows.is_empty() {
                return Ok::<_, store::Error>(ids);
            }
            ids.extend(page.rows.iter().map(|row| row.id.to_string()));
        }
    });
    read.await.unwrap()
}

/// What a receiver heard of a bill.
#[derive(Debug, Default)]
struct Heard {
    /// With the news of the request.
    with_request: BTreeSet<String>,
    /// By news of their own, each as often as it was told.
    alone: Vec<String>,
}

impl Heard {
    fn by(receiver: &Receiver) -> Self {
        let mut heard = Self::default();
        for arrival in receiver.log() {
            let boxes = arrival.included("container");
            if arrival.event() == EventName::ContainerCreated.as_str() {
                heard.alone.extend(boxes);
            } else {
                heard.with_request.extend(boxes);
            }
        }
        heard
    }

    fn all(&self) -> BTreeSet<String> {
        let alone = self.alone.iter().cloned().collect();
        self.with_request.union(&alone).cloned().collect()
    }
}

async fn awaited() -> (Ground, AccountId, Receiver) {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    let receiver = Receiver::open(&ground).await;
    receiver.subscribe(&ground, account, &EVENTS).await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    (ground, account, receiver)
}

/// A message is worked off in several transactions, and its news go out while that goes on.
#[tokio::test(flavor = "multi_thread")]
async fn each_box_of_a_long_message_is_told() {
    for boxes in [PIECE_MAX - 1, PIECE_MAX + 1, 1_000] {
        let (ground, account, receiver) = awaited().await;
        let stop = CancellationToken::new();
        let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
        ground.push_for(None, &bill_of(boxes)).await;
        let alone = boxes.saturating_sub(PIECE_MAX);
        eventually("all is told", async || receiver.count() == 1 + alone).await;
        let (stored, heard) = (stored(&ground, account).await, Heard::by(&receiver));
        assert_eq!(stored.len(), boxes);
        let untold: Vec<_> = stored.difference(&heard.all()).cloned().collect();
        assert_eq!(untold, Vec::<String>::new(), "of {boxes}");
        let once: BTreeSet<&String> = heard.alone.iter().collect();
        assert_eq!((once.len(), heard.alone.len()), (alone, alone));
        stop.cancel();
        working.await.unwrap();
    }
}

/// An answer is worked off in one transaction, and news of a request carry only so many boxes.
#[tokio::test(flavor = "multi_thread")]
async fn boxes_that_do_not_go_with_the_request_are_told_alone() {
    let boxes = INCLUDED_MAX + 3;
    let ground = Ground::new(&bill_of(boxes)).await;
    let account = ground.account("A").await;
    let receiver = Receiver::open(&ground).await;
    receiver.subscribe(&ground, account, &EVENTS).await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    ground.drain().await;
    let (stored, heard) = (stored(&ground, account).await, Heard::by(&receiver));
    assert_eq!(
        (stored.len(), heard.with_request.len()),
        (boxes, INCLUDED_MAX)
    );
    assert_eq!(heard.alone.len(), 3, "each of the others once");
    assert_eq!(heard.all(), stored);
}

async fn heard_by(ground: &Ground, hooks: usize, events: &[EventName]) -> (AccountId, Receiver) {
    let account = ground.account("A").await;
    let receiver = Receiver::open(ground).await;
    for _ in 0..hooks {
        receiver.subscribe(ground, account, events).await;
    }
    (account, receiver)
}

/// The bodies that are kept, by notification.
async fn kept(ground: &Ground, account: AccountId) -> BTreeMap<String, String> {
    let read = ground.tracking().store().read(move |tx| {
        let mut a = tx.account(account);
        let slice = Slice {
            offset: 0,
            limit: 100,
        };
        let page = notification::page(&mut a, &NotificationFilter::default(), slice)?;
        let mut kept = BTreeMap::new();
        for row in page.rows {
            let body = notification::find(&mut a, row.id)?.and_then(|(_, body)| body);
            kept.extend(body.map(|body| (row.id.to_string(), body)));
        }
        Ok::<_, store::Error>(kept)
    });
    read.await.unwrap()
}

/// Some two megabytes for each. A refused body is read from where it is kept; it is the same.
#[tokio::test(flavor = "multi_thread")]
async fn long_news_for_many_webhooks_are_rendered_some_at_a_time() {
    let ground = Ground::new(&bill_of(INCLUDED_MAX)).await;
    let hooks = 8;
    let (account, receiver) = heard_by(&ground, hooks, &EVENTS[..1]).await;
    ground.track(account, BILL, NumberKind::BillOfLading).await;
    let slowly = ResponseTemplate::new(503).set_delay(Duration::from_millis(500));
    receiver.answers(slowly);
    let tracking = ground.tracking().clone();
    let draining = tokio::spawn(async move { work::drain(&tracking).await.unwrap() });
    eventually("the first has come", async || receiver.count() > 0).await;
    let rendered = kept(&ground, account).await.len();
    assert!((1..hooks).contains(&rendered), "{rendered} at once");
    draining.await.unwrap();
    receiver.refuses(200);
    ground.pass(SignedDuration::from_mins(5));
    ground.drain().await;
    let (log, kept) = (receiver.log(), kept(&ground, account).await);
    assert_eq!((log.len(), kept.len()), (2 * hooks, hooks));
    for arrival in log {
        assert!(arrival.body == kept[&arrival.id()].as_bytes());
    }
}

/// A service at work whose receivers have heard of a short bill, which shows that they answer, and then of a long one.
struct Told {
    ground: Ground,
    account: AccountId,
    receiver: Receiver,
    hooks: usize,
    stop: CancellationToken,
    working: JoinHandle<()>,
}

impl Told {
    async fn of_both(events: &[EventName]) -> Self {
        let alone = loaded(BOX, AT, &[("TRD", SHORT)]);
        let ground = Ground::new(&message(&[alone])).await;
        let hooks = 8;
        let (account, receiver) = heard_by(&ground, hooks, events).await;
        ground.track(account, SHORT, NumberKind::BillOfLading).await;
        let stop = CancellationToken::new();
        let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
        eventually("the short bill is told", async || receiver.count() == hooks).await;
        ground.answer(&bill_of(INCLUDED_MAX)).await;
        ground.track(account, BILL, NumberKind::BillOfLading).await;
        let told = async || receiver.count() == 2 * hooks;
        eventually("the long bill is told", told).await;
        Self {
            ground,
            account,
            receiver,
            hooks,
            stop,
            working,
        }
    }

    async fn kept(&self) -> BTreeMap<String, String> {
        kept(&self.ground, self.account).await
    }

    async fn end(self) {
        self.stop.cancel();
        self.working.await.unwrap();
    }
}

/// What is short is sent without a claim by then.
#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_long_bill_is_rendered_some_at_a_time() {
    let told = Told::of_both(&[EVENTS[0], EventName::TrackingRequestTrackingStopped]).await;
    let (receiver, hooks, before) = (&told.receiver, told.hooks, told.kept().await);
    receiver.answers(ResponseTemplate::new(200).set_delay(Duration::from_millis(500)));
    told.ground.pass(SignedDuration::from_hours(24 * 57));
    let is_long = |body: &[u8]| body.len() > 1_000_000;
    let heard = || {
        let log = receiver.log().into_iter();
        log.filter(|arrival| is_long(&arrival.body)).count() - hooks
    };
    eventually("the end is told", async || heard() > 0).await;
    let now = told.kept().await;
    let fresh = now.iter().filter(|(id, _)| !before.contains_key(*id));
    let rendered = fresh.filter(|(_, body)| is_long(body.as_bytes())).count();
    assert!((1..hooks).contains(&rendered), "{rendered} at once");
    receiver.refuses(200);
    eventually("each has heard it", async || heard() == hooks).await;
    told.end().await;
}

/// Of the long bill there is more for them together than one transaction renders: each has its news all the same, while the
/// claims go on.
#[tokio::test(flavor = "multi_thread")]
async fn long_news_for_many_webhooks_all_arrive() {
    let told = Told::of_both(&EVENTS[..1]).await;
    let kept = told.kept().await;
    for arrival in told.receiver.log() {
        assert!(arrival.body == kept[&arrival.id()].as_bytes());
    }
    told.end().await;
}
