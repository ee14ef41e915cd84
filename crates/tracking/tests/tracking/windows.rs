//! Windows that have to wait: for room, and for what is still being written.

use domain::event::EventName;
use domain::ids::{AccountId, ContainerId, NotificationId, RedeliveryId, WebhookId};
use domain::tracking_request::NumberKind;
use domain::webhook::DeliveryStatus;
use jiff::{SignedDuration, Timestamp};
use store::Key;
use store::event::Event;
use store::notification::{Notification, OrderKey};
use store::redelivery::Redelivery;
use tracking::webhooks::{ReplayRefused, Window, redeliver, replay};
use uuid::Uuid;

use crate::BOX;
use crate::ground::{Ground, LADEN};
use crate::receiver::{Arrival, Receiver};

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const OPEN: u128 = 1_000;

/// One of a thousand that are open for a webhook, all in one line.
fn open(webhook: WebhookId, number: u128, at: Timestamp) -> (Notification, OrderKey) {
    let about = Notification {
        id: NotificationId(Uuid::from_u128(1_000_000 + number)),
        webhook,
        event: EventName::VesselArrived,
        reference_type: "transport_event".into(),
        reference: Uuid::from_u128(1_000_000 + number),
        container: Some(ContainerId(Uuid::from_u128(7))),
        shipment: None,
        tracking_request: None,
        version: 1,
        created_at: at,
        status: DeliveryStatus::Pending,
    };
    let order = OrderKey {
        key: Uuid::from_u128(7),
        sequence: i64::try_from(number).unwrap(),
    };
    (about, order)
}

#[tokio::test(flavor = "multi_thread")]
async fn windows_that_wait_for_room_hold_up_nobody_else() {
    let ground = Ground::new("[]").await;
    let [full, other] = [ground.account("A").await, ground.account("B").await];
    let deaf = Receiver::open(&ground).await;
    deaf.refuses(500);
    let events = [EventName::VesselArrived];
    let blocked = deaf.subscribe(&ground, full, &events).await.webhook.id;
    let now = ground.tracking().now();
    let write = move |tx: &mut store::Tx| {
        let a = &mut tx.account(full);
        let rows: Vec<_> = (0..OPEN).map(|n| open(blocked, n, now)).collect();
        store::notification::insert(a, &rows)?;
        (0..200).try_for_each(|n| {
            let id = RedeliveryId(Uuid::from_u128(n));
            let row = Redelivery {
                missed: true,
                ..Redelivery::begin(id, blocked, now - HOUR, now)
            };
            store::redelivery::insert(a, &row)
        })
    };
    let store = ground.tracking().store();
    store.write(Key::account(full), write).await.unwrap();

    let receiver = Receiver::open(&ground).await;
    let events = [EventName::TrackingRequestFailed];
    let hook = receiver.subscribe(&ground, other, &events).await.webhook.id;
    ground.track(other, BOX, NumberKind::Container).await;
    ground.drain().await;
    assert_eq!(receiver.count(), 1);
    ground.pass(HOUR);
    let window = Window {
        from: now,
        until: ground.tracking().now(),
        events: Vec::new(),
        statuses: vec![DeliveryStatus::Succeeded],
        missed: false,
    };
    replay(ground.tracking(), other, hook, window)
        .await
        .unwrap();
    ground.drain().await;
    assert_eq!(receiver.count(), 2, "sent again");
    let waiting =
        store.read(move |tx| store::redelivery::under_way(&mut tx.account(full), blocked));
    let waiting: Result<u32, store::Error> = waiting.await;
    assert_eq!(waiting, Ok(200));
}

/// An event that was begun at this time.
fn begun(at: Timestamp, version: i64) -> Event {
    let milliseconds = u128::try_from(at.as_millisecond()).unwrap();
    Event {
        id: Uuid::from_u128((milliseconds << 80) | 0x7000_8000_0000_0000_0000).into(),
        resource: "transport_event".into(),
        name: EventName::VesselArrived,
        container: Some(ContainerId(Uuid::from_u128(7))),
        shipment: None,
        tracking_request: None,
        version,
        slot: None,
        created_at: at,
        invalidated_at: None,
        document: r#"{"type":"transport_event"}"#.into(),
    }
}

async fn commit(ground: &Ground, account: AccountId, event: Event) {
    commit_all(ground, account, vec![event]).await;
}

async fn commit_all(ground: &Ground, account: AccountId, events: Vec<Event>) {
    let write = move |tx: &mut store::Tx| store::event::insert(&mut tx.account(account), &events);
    let store = ground.tracking().store();
    store.write(Key::account(account), write).await.unwrap();
}

async fn ask_for_missed(
    ground: &Ground,
    account: AccountId,
    hook: WebhookId,
    from: Timestamp,
    until: Timestamp,
) {
    let window = Window {
        from,
        until,
        events: Vec::new(),
        statuses: Vec::new(),
        missed: true,
    };
    let asked = replay(ground.tracking(), account, hook, window).await;
    assert!(asked.unwrap().is_some());
}

/// What is open after an outage may wait for hours yet, and leave no room, or stand before what is sent again: who asks for a
/// window says that the receiver is there again.
#[tokio::test(flavor = "multi_thread")]
async fn a_window_hurries_what_waits_before_it() {
    for waiting in [1, OPEN] {
        a_window_behind(waiting).await;
    }
}

async fn a_window_behind(waiting: u128) {
    let (ground, account, receiver, hook) = outage(waiting).await;
    let start = ground.tracking().now() - HOUR * 2;
    let ask = || replay(ground.tracking(), account, hook, failed_and_missed(start));
    receiver.refuses(200);
    ask().await.unwrap();
    ground.drain().await;
    let told = 1 + usize::try_from(waiting).unwrap() + 1;
    assert_eq!(
        receiver.count(),
        told,
        "all that was open, and what was missed"
    );
}

/// Five were asked for while the receiver was away, and stand still for what is open.
#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_is_one_too_many_hurries_what_waits_all_the_same() {
    let (ground, account, receiver, hook) = outage(OPEN).await;
    let start = ground.tracking().now() - HOUR * 2;
    let ask = || replay(ground.tracking(), account, hook, failed_and_missed(start));
    for _ in 0..5 {
        ask().await.unwrap();
        ground.drain().await;
    }
    let before = receiver.count();
    receiver.refuses(200);
    let refused = ask().await;
    assert!(
        matches!(refused, Err(ReplayRefused::TooMany)),
        "{refused:?}"
    );
    ground.drain().await;
    let told = usize::try_from(OPEN).unwrap() + 1;
    assert!(receiver.count() >= before + told, "{}", receiver.count());
}

fn failed_and_missed(start: Timestamp) -> Window {
    Window {
        from: start,
        until: start + HOUR + HOUR / 2,
        events: Vec::new(),
        statuses: vec![DeliveryStatus::Failed],
        missed: true,
    }
}

/// So many are open for a webhook, two hours old and in one line, the first of which was refused; an event of an hour ago was never
/// told to it.
async fn outage(waiting: u128) -> (Ground, AccountId, Receiver, WebhookId) {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    let receiver = Receiver::open(&ground).await;
    let events = [EventName::VesselArrived];
    let hook = receiver.subscribe(&ground, account, &events).await;
    let hook = hook.webhook.id;
    let start = ground.tracking().now();
    let write = move |tx: &mut store::Tx| {
        let rows: Vec<_> = (0..waiting).map(|n| open(hook, n, start)).collect();
        store::notification::insert(&mut tx.account(account), &rows)
    };
    let store = ground.tracking().store();
    store.write(Key::account(account), write).await.unwrap();
    commit(&ground, account, begun(start + HOUR, 7)).await;
    receiver.refuses(500);
    ground.pass(HOUR * 2);
    ground.drain().await;
    assert_eq!(receiver.count(), 1, "the head of the line");
    (ground, account, receiver, hook)
}

/// Of an account one window goes on at a time: others wait for a step of it, not for all that it asked for.
#[tokio::test(flavor = "multi_thread")]
async fn windows_of_one_account_hold_up_nobody_elses() {
    let before = told_before_anothers(3, 450).await;
    assert!(before < 900, "{before} of the other account first");
}

/// So it is with windows that end within a step: an account has one step in a round, whatever comes of it.
#[tokio::test(flavor = "multi_thread")]
async fn short_windows_of_one_account_hold_up_nobody_elses() {
    let before = told_before_anothers(8, 150).await;
    assert!(before <= 600, "{before} of the other account first");
}

/// How many an account is told, with a window for each of so many webhooks, before the last of another's, which asks last.
async fn told_before_anothers(webhooks: i64, events: i64) -> usize {
    const ANOTHERS: i64 = 450;
    const FIRST: i64 = 10_000;
    let ground = Ground::new(LADEN).await;
    let [many, one] = [ground.account("A").await, ground.account("B").await];
    let receiver = Receiver::open(&ground).await;
    let start = ground.tracking().now();
    let second = |n| start + SignedDuration::from_secs(n);
    let mut windows = Vec::new();
    for (account, webhooks, events, first) in
        [(many, webhooks, events, 0), (one, 1, ANOTHERS, FIRST)]
    {
        for _ in 0..webhooks {
            let names = [EventName::VesselArrived];
            let hook = receiver.subscribe(&ground, account, &names).await;
            windows.push((account, hook.webhook.id));
        }
        let planted = (1..=events).map(|n| begun(second(n), first + n));
        commit_all(&ground, account, planted.collect()).await;
    }
    ground.pass(HOUR);
    for (account, hook) in windows {
        ask_for_missed(&ground, account, hook, start, ground.tracking().now()).await;
    }
    ground.pass(HOUR);
    ground.drain().await;
    let log = receiver.log();
    let all = usize::try_from(webhooks * events + ANOTHERS).unwrap();
    assert_eq!(log.len(), all, "all of it in the end");
    let last = log.iter().rposition(|one| one.version() >= FIRST).unwrap();
    last + 1 - usize::try_from(ANOTHERS).unwrap()
}

/// A window whose end has not settled is left alone until it has, and what was asked for after it goes on meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_waits_for_its_end_holds_up_none_of_its_account() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let receiver = Receiver::open(&ground).await;
    let names = [EventName::VesselArrived];
    let start = ground.tracking().now();
    let mut hooks = Vec::new();
    for _ in 0..2 {
        let hook = receiver.subscribe(&ground, account, &names).await;
        hooks.push(hook.webhook.id);
    }
    let planted = (1..=450).map(|n| begun(start + SignedDuration::from_secs(n), n));
    commit_all(&ground, account, planted.collect()).await;
    ground.pass(HOUR);
    let now = ground.tracking().now();
    ask_for_missed(
        &ground,
        account,
        hooks[0],
        now - SignedDuration::from_secs(9),
        now,
    )
    .await;
    ask_for_missed(&ground, account, hooks[1], start, now - HOUR / 2).await;
    ground.drain().await;
    assert_eq!(receiver.count(), 450, "all of the second");
    let under_way = async |hook| {
        let store = ground.tracking().store();
        let read =
            store.read(move |tx| store::redelivery::under_way(&mut tx.account(account), hook));
        let open: Result<u32, store::Error> = read.await;
        open.unwrap()
    };
    assert_eq!(
        [under_way(hooks[0]).await, under_way(hooks[1]).await],
        [1, 0]
    );
    ground.pass(SignedDuration::from_secs(30));
    ground.drain().await;
    assert_eq!(under_way(hooks[0]).await, 0);
}

/// One that is sent again goes behind what is open in its line. What stands there and waits for another try does so no longer.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_sent_again_hurries_what_waits_before_it() {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    let receiver = Receiver::open(&ground).await;
    let names = [EventName::VesselArrived];
    let hook = receiver
        .subscribe(&ground, account, &names)
        .await
        .webhook
        .id;
    let start = ground.tracking().now();
    let write = async |number| {
        let (about, order) = open(hook, number, start);
        let store = ground.tracking().store();
        let write = move |tx: &mut store::Tx| {
            store::notification::insert(&mut tx.account(account), &[(about.clone(), order)])
        };
        store.write(Key::account(account), write).await.unwrap();
    };
    write(1).await;
    ground.drain().await;
    receiver.refuses(500);
    write(2).await;
    ground.drain().await;
    assert_eq!(receiver.count(), 2, "the second is refused");
    // Asking spends no try of what it hurries.
    receiver.refuses(404);
    let first = NotificationId(Uuid::from_u128(1_000_001));
    for _ in 0..9 {
        redeliver(ground.tracking(), account, first).await.unwrap();
        ground.drain().await;
    }
    receiver.refuses(200);
    redeliver(ground.tracking(), account, first).await.unwrap();
    ground.drain().await;
    let told: Vec<String> = receiver.log().iter().map(Arrival::id).collect();
    let told = told.iter().map(|id| Uuid::parse_str(id).unwrap());
    let told: Vec<u128> = told.map(|id| id.as_u128() - 1_000_000).collect();
    assert_eq!(told[..2], [1, 2]);
    assert_eq!(told[2..told.len() - 2], [2; 9]);
    assert_eq!(told[told.len() - 2..], [2, 1]);
}

/// Ids and times are drawn before the commit: what is begun before the end of a window may come to light after it was
/// asked for, and after what was begun later.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_still_being_written_when_a_window_is_asked_for_is_part_of_it() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let receiver = Receiver::open(&ground).await;
    let events = [EventName::VesselArrived];
    let hook = receiver.subscribe(&ground, account, &events).await;
    let hook = hook.webhook.id;
    let second = SignedDuration::from_secs(1);
    let start = ground.tracking().now();
    ground.pass(HOUR);
    let asked_at = ground.tracking().now();
    commit(&ground, account, begun(start + second, 1)).await;
    commit(&ground, account, begun(asked_at - second * 2, 4)).await;
    // Told at the time, while others were on their way.
    let (mut told, order) = open(hook, 9, asked_at - second * 4);
    told.version = 3;
    let write = move |tx: &mut store::Tx| {
        store::notification::insert(&mut tx.account(account), &[(told.clone(), order)])
    };
    let store = ground.tracking().store();
    store.write(Key::account(account), write).await.unwrap();
    ground.drain().await;

    let window = Window {
        from: start,
        until: asked_at,
        events: Vec::new(),
        statuses: vec![DeliveryStatus::Succeeded],
        missed: true,
    };
    replay(ground.tracking(), account, hook, window)
        .await
        .unwrap();
    let finished = async || {
        let read = store.read(move |tx| {
            let rows = store::redelivery::of_webhook(&mut tx.account(account), hook, 1)?;
            Ok::<_, store::Error>(rows[0].finished_at)
        });
        read.await.unwrap()
    };
    let versions = || -> Vec<i64> { receiver.log().iter().map(Arrival::version).collect() };
    ground.drain().await;
    assert_eq!(versions(), [3, 1], "what is settled goes out at once");
    assert_eq!(finished().await, None);

    commit(&ground, account, begun(asked_at - second * 5, 2)).await;
    commit(&ground, account, begun(asked_at + second, 9)).await;
    ground.pass(second * 29);
    ground.drain().await;
    assert_eq!(finished().await, None);
    ground.pass(second);
    ground.drain().await;
    assert_eq!(
        versions()[2..],
        [2, 3, 4],
        "all of the window, in the order of time"
    );
    assert_eq!(finished().await, Some(asked_at + second * 30));
}
