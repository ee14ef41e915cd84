//! A machine whose clock was hours ahead and is set right: what was to be tried in seconds is tried in seconds.

use std::sync::Arc;
use std::time::Duration;

use domain::ids::{AccountId, NotificationId};
use domain::webhook::DeliveryStatus;
use jiff::SignedDuration;
use store::notification::{Notification, OrderKey};
use store::testing::PgServer;
use store::{Key, Slice};
use tokio_util::sync::CancellationToken;
use tracking::clock::SystemClock;
use tracking::{Tracking, intake, work};
use uuid::Uuid;
use wiremock::ResponseTemplate;

use crate::ground::{Ground, store_on};
use crate::nodes_clock::{Machine, WEBHOOKS, news, notifications, until};
use crate::receiver::Receiver;

/// How long a receiver takes that has something in hand when the clock is set right.
const ANSWERS_AFTER: Duration = Duration::from_secs(3);
/// A clock in the local time of a harbour, read as UTC.
const AHEAD_SECONDS: i64 = 8 * 3600;

fn on(machine: &Machine, ground: &Ground) -> Tracking {
    let store = ground.tracking().store().clone();
    ground.node_by(store, Arc::new(machine.clone()))
}

/// Tries of all that the account is told that have ended.
async fn tries(service: &Tracking, account: AccountId) -> u64 {
    let rows = notifications(service, account).await;
    let counting = service.store().read(move |tx| {
        let a = &mut tx.account(account);
        let slice = Slice {
            offset: 0,
            limit: 1,
        };
        let of_each = rows
            .iter()
            .map(|row| store::delivery::attempts(a, row.id, slice));
        let counts = of_each.map(|found| found.map(|found| found.total));
        counts.sum::<Result<u64, store::Error>>()
    });
    counting.await.unwrap()
}

/// The clock is set right while the service runs, or between two of its lives.
async fn all_is_told_soon(is_stopped_meanwhile: bool) {
    let ground = Ground::new("[]").await;
    let receiver = Receiver::open(&ground).await;
    receiver.answers(ResponseTemplate::new(500));
    let machine = Machine::ahead_by(AHEAD_SECONDS);
    let service = on(&machine, &ground);
    let account = news(&service, &receiver).await;
    let stop = CancellationToken::new();
    let mut working = tokio::spawn(work::run(service.clone(), stop.clone()));
    until("each was tried", async || {
        tries(&service, account).await == WEBHOOKS as u64
    })
    .await;
    receiver.answers(ResponseTemplate::new(200));
    if is_stopped_meanwhile {
        stop.cancel();
        (&mut working).await.unwrap();
    }
    machine.set(0);
    if is_stopped_meanwhile {
        let service = on(&machine, &ground);
        working = tokio::spawn(work::run(service, CancellationToken::new()));
    }
    until("each is tried again", async || {
        let rows = notifications(&service, account).await;
        let is_told = |row: &Notification| row.status == DeliveryStatus::Succeeded;
        rows.iter().all(is_told)
    })
    .await;
    working.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_does_not_wait_for_a_time_that_the_clock_has_lost_while_the_service_runs() {
    all_is_told_soon(false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nor_after_a_start() {
    all_is_told_soon(true).await;
}

/// It had it in hand by the database's clock, which was ahead.
#[test]
fn a_message_that_a_node_took_with_it_is_read_when_the_clock_is_set_right() {
    let server = PgServer::start().unwrap();
    let store = store_on(&server);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut ground = Ground::new("[]").await;
        ground.start_again_leasing(SignedDuration::from_secs(1));
        let gone = ground.node_by(store.clone(), Arc::new(Machine::ahead_by(AHEAD_SECONDS)));
        let message = intake::Message {
            source: "hub".into(),
            account: None,
            content_type: "application/json".into(),
            bytes: b"[]".to_vec(),
        };
        intake::receive(&gone, message).await.unwrap();
        drop(gone);
        let held = format!(
            "update unread_messages set lease_until = now() + interval '{AHEAD_SECONDS} seconds'"
        );
        server.administer(&[&held]).unwrap();
        let node = ground.node_by(store.clone(), Arc::new(SystemClock));
        let working = tokio::spawn(work::run(node, CancellationToken::new()));
        until("it is read", async || {
            let unread = store.read(store::raw_message::unread_count);
            unread.await == Ok(0)
        })
        .await;
        working.abort();
    });
}

/// The first of a line is with its receiver when the clock is set right, the second waits for that.
#[tokio::test(flavor = "multi_thread")]
async fn what_ends_after_the_clock_was_set_back_leaves_its_line_no_wait() {
    let ground = Ground::new("[]").await;
    let receiver = Receiver::open(&ground).await;
    receiver.answers(ResponseTemplate::new(200).set_delay(ANSWERS_AFTER));
    let machine = Machine::ahead_by(AHEAD_SECONDS);
    let service = on(&machine, &ground);
    let account = news(&service, &receiver).await;
    let working = tokio::spawn(work::run(service.clone(), CancellationToken::new()));
    until("the first ones are under way", async || {
        receiver.count() >= WEBHOOKS
    })
    .await;
    let mut second = notifications(&service, account).await.remove(0);
    let key = second.tracking_request.unwrap().0;
    second.id = NotificationId(Uuid::from_u128(7));
    second.version += 1;
    let line = OrderKey {
        key,
        sequence: i64::MAX,
    };
    let written = service.store().write(Key::account(account), move |tx| {
        store::notification::insert(&mut tx.account(account), &[(second.clone(), line)])
    });
    assert_eq!(written.await, Ok(1));
    machine.set(0);
    until("both of the line are told", async || {
        receiver.count() > WEBHOOKS
    })
    .await;
    working.abort();
}
