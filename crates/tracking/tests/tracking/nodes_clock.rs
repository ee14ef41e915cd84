//! Two nodes of one PostgreSQL whose machines do not agree on the time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use domain::account::Plan;
use domain::codes::Scac;
use domain::event::EventName;
use domain::ids::AccountId;
use domain::tracking_request::NumberKind;
use domain::webhook::DeliveryStatus;
use jiff::{SignedDuration, Timestamp};
use store::notification::{Notification, NotificationFilter};
use store::testing::PgServer;
use store::{Database, Error, Settings, Slice, Store};
use tokio_util::sync::CancellationToken;
use tracking::clock::{Clock, DatabaseClock, SystemClock};
use tracking::request::NewRequest;
use tracking::trials::FAILS;
use tracking::webhooks::NewWebhook;
use tracking::{Tracking, access, work};
use wiremock::ResponseTemplate;

use crate::ground::Ground;
use crate::receiver::{Arrival, Receiver};

/// Longer than a lease (30 s).
const FAR_OFF_SECONDS: i64 = 35;
/// Webhooks that are told of one event.
pub const WEBHOOKS: usize = 6;
/// How long the receiver takes to answer.
const ANSWERS_AFTER: Duration = Duration::from_secs(3);
/// Longest wait for all of it.
const PATIENCE: Duration = Duration::from_mins(1);

/// A machine whose clock is ahead of the database's by this many seconds.
#[derive(Clone, Default)]
pub struct Machine(Arc<AtomicI64>);

impl Machine {
    pub fn ahead_by(seconds: i64) -> Self {
        Self(Arc::new(seconds.into()))
    }

    /// From now on it is.
    pub fn set(&self, seconds_ahead: i64) {
        self.0.store(seconds_ahead, Ordering::SeqCst);
    }

    fn ahead(&self) -> SignedDuration {
        SignedDuration::from_secs(self.0.load(Ordering::SeqCst))
    }
}

impl Clock for Machine {
    fn now(&self) -> Timestamp {
        SystemClock.now() + self.ahead()
    }

    fn real_wait(&self, at: Timestamp) -> Duration {
        SystemClock.real_wait(at - self.ahead())
    }
}

/// Runs a proof on a runtime like the server's, with two doors to one database.
fn prove(proof: impl AsyncFnOnce(&Ground, [Store; 2])) {
    let server = PgServer::start().unwrap();
    let settings = Settings::new(Database::Postgres { url: server.url() });
    let stores = [(); 2].map(|()| Store::open(&settings).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async { proof(&Ground::new("[]").await, stores).await });
}

/// The clock of a node on this machine.
async fn clock_on(machine: Machine, store: &Store) -> Arc<dyn Clock> {
    let started = DatabaseClock::start(Arc::new(machine), "test".into(), store).await;
    started.unwrap()
}

/// An event happens that all webhooks of the account are told.
pub async fn news(node: &Tracking, receiver: &Receiver) -> AccountId {
    let account = access::create_account(node, "A", Plan::SelfHosted).await;
    let account = account.unwrap().id;
    for _ in 0..WEBHOOKS {
        let hook = NewWebhook {
            url: receiver.named("127.0.0.1"),
            active: true,
            events: vec![EventName::TrackingRequestFailed],
            headers: Vec::new(),
        };
        let made = tracking::webhooks::create(node, account, hook).await;
        made.unwrap();
    }
    let wanted = NewRequest {
        number: FAILS.into(),
        kind: NumberKind::BillOfLading,
        scac: Some(Scac::parse("TEST").unwrap()),
        auto_detect: false,
        ref_numbers: Vec::new(),
        tags: Vec::new(),
        customer: None,
        staged: Vec::new(),
    };
    let asked = tracking::request::create(node, account, wanted).await;
    asked.unwrap();
    account
}

pub async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub async fn notifications(node: &Tracking, account: AccountId) -> Vec<Notification> {
    let slice = Slice {
        offset: 0,
        limit: 100,
    };
    let read: Result<_, Error> = node
        .store()
        .read(move |tx| {
            let filter = NotificationFilter::default();
            store::notification::page(&mut tx.account(account), &filter, slice)
        })
        .await;
    read.unwrap().rows
}

/// The first node sends; the second, which begins in the middle of it, leaves it what it has in hand.
async fn send_together(ground: &Ground, stores: [Store; 2], ahead: [i64; 2]) {
    let receiver = Receiver::open(ground).await;
    receiver.answers(ResponseTemplate::new(200).set_delay(ANSWERS_AFTER));
    let [one, other] = stores;
    let [first, second] = ahead.map(Machine::ahead_by);
    let (first, second) = (clock_on(first, &one).await, clock_on(second, &other).await);
    let (one, other) = (ground.node_by(one, first), ground.node_by(other, second));
    let account = news(&one, &receiver).await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(one.clone(), stop.clone()));
    until("the first node sends", async || receiver.count() > 0).await;
    let joining = tokio::spawn(work::run(other, stop.clone()));
    until("all is delivered", async || {
        let rows = notifications(&one, account).await;
        rows.len() == WEBHOOKS
            && rows
                .iter()
                .all(|row| row.status == DeliveryStatus::Succeeded)
    })
    .await;
    stop.cancel();
    working.await.unwrap();
    joining.await.unwrap();

    let mut heard: BTreeMap<String, usize> = BTreeMap::new();
    for id in receiver.log().iter().map(Arrival::id) {
        *heard.entry(id).or_default() += 1;
    }
    assert_eq!(heard.len(), WEBHOOKS);
    let twice: Vec<_> = heard.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "sent more than once: {twice:?}");
}

#[test]
fn a_node_whose_machine_is_ahead_takes_nothing_that_another_has_in_hand() {
    prove(async |ground: &Ground, stores| {
        send_together(ground, stores, [0, FAR_OFF_SECONDS]).await;
    });
}

#[test]
fn what_a_node_whose_machine_is_behind_has_in_hand_stays_its_own() {
    prove(async |ground: &Ground, stores| {
        send_together(ground, stores, [-FAR_OFF_SECONDS, 0]).await;
    });
}

/// How far a clock is from the database's, which is this machine's.
fn off(clock: &dyn Clock) -> SignedDuration {
    clock.now().duration_since(Timestamp::now()).abs()
}

#[test]
fn the_time_is_the_databases_whatever_the_machine_shows() {
    prove(async |_: &Ground, [store, _]| {
        for seconds in [0, FAR_OFF_SECONDS, -FAR_OFF_SECONDS] {
            let clock = clock_on(Machine::ahead_by(seconds), &store).await;
            assert!(off(&*clock) < SignedDuration::from_secs(1), "{seconds}");
        }
    });
}

#[test]
fn a_machine_whose_clock_is_set_right_does_not_move_the_time() {
    prove(async |_: &Ground, [store, _]| {
        let machine = Machine::ahead_by(FAR_OFF_SECONDS);
        let clock = clock_on(machine.clone(), &store).await;
        machine.set(0);
        for _ in 0..20 {
            assert!(off(&*clock) < SignedDuration::from_secs(1));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
}
