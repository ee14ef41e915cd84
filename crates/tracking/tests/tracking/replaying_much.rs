//! Windows larger than a step, and what is kept to be sent again.

use std::collections::{BTreeMap, BTreeSet};

use domain::event::EventName;
use domain::ids::{ContainerId, NotificationId};
use domain::webhook::DeliveryStatus;
use jiff::{SignedDuration, Timestamp};
use store::Key;
use store::event::Event;
use store::redelivery::Redelivery;
use tracking::webhooks::{Window, redeliver, replay};
use uuid::Uuid;

use crate::delivering::World;
use crate::ground::{Ground, LADEN};
use crate::receiver::{Arrival, Receiver, run, switch};

const DAY: SignedDuration = SignedDuration::from_hours(24);
const BOXES: u128 = 50;
const EVENTS: i64 = 1_250;
const OPEN_MAX: u32 = 1_000;

/// An event of one of the boxes, this many seconds after `start`; its version says which one it is.
fn event(start: Timestamp, number: i64) -> Event {
    let at = start + SignedDuration::from_secs(number);
    let milliseconds = u128::try_from(at.as_millisecond()).unwrap();
    let place = u128::try_from(number).unwrap();
    Event {
        id: Uuid::from_u128((milliseconds << 80) | (0x7000_8000_0000_0000_0000 + place)).into(),
        resource: "transport_event".into(),
        name: EventName::VesselArrived,
        container: Some(ContainerId(Uuid::from_u128(1 + place % BOXES))),
        shipment: None,
        tracking_request: None,
        version: number,
        slot: None,
        created_at: at,
        invalidated_at: None,
        document: format!(r#"{{"id":"{place}","type":"transport_event"}}"#),
    }
}

/// A window that is larger than a step and than what may be open; the service is restarted in the middle of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_window_waits_at_its_bound_and_outlives_a_restart() {
    let mut ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let receiver = Receiver::open(&ground).await;
    let arrived = [EventName::VesselArrived];
    let hook = receiver.subscribe(&ground, account, &arrived).await;
    let hook = hook.webhook.id;
    let start = ground.tracking().now();
    let planted: Vec<Event> = (0..EVENTS).map(|number| event(start, number)).collect();
    let write = move |tx: &mut store::Tx| store::event::insert(&mut tx.account(account), &planted);
    let store = ground.tracking().store().clone();
    store.write(Key::account(account), write).await.unwrap();
    ground.pass(DAY);

    receiver.refuses(500);
    let window = Window {
        from: start,
        until: ground.tracking().now(),
        events: Vec::new(),
        statuses: vec![DeliveryStatus::Failed],
        missed: true,
    };
    let asked = replay(ground.tracking(), account, hook, window).await;
    assert_eq!(i64::from(asked.unwrap().unwrap().counted), EVENTS);
    ground.drain().await;
    let state = || async {
        let read = store.read(move |tx| {
            let mut a = tx.account(account);
            let open = store::delivery::open_of(&mut a, hook, 5_000)?;
            let rows = store::redelivery::of_webhook(&mut a, hook, 1)?;
            Ok::<(u32, Redelivery), store::Error>((open, rows[0].clone()))
        });
        read.await.unwrap()
    };
    let (open, row) = state().await;
    assert_eq!((open, row.redelivered), (OPEN_MAX, i64::from(OPEN_MAX)));
    assert_eq!(row.finished_at, None);
    let refused = receiver.count();
    assert_eq!(
        refused,
        usize::try_from(BOXES).unwrap(),
        "the head of each line"
    );

    ground.restart();
    ground.drain().await;
    assert_eq!(state().await.1, row, "it waits on");
    receiver.refuses(200);
    run(&ground, ground.tracking().now() + DAY).await;
    ground.drain().await;
    let (open, row) = state().await;
    assert_eq!((open, row.redelivered), (0, EVENTS));
    assert!(row.finished_at.is_some());

    let taken = receiver.log().split_off(refused);
    let ids: BTreeSet<String> = taken.iter().map(Arrival::id).collect();
    assert_eq!((ids.len(), taken.len()), (1_250, 1_250), "each once");
    let mut lines: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for version in taken.iter().map(Arrival::version) {
        lines.entry(version % 50).or_default().push(version);
    }
    assert!(
        lines
            .values()
            .all(|line| line.is_sorted() && line.len() == 25)
    );
}

/// What was forgotten while notifications were kept for a week lies within the two months for which they are kept now.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_forgotten_is_not_missed_when_more_is_kept_later() {
    let mut world = World::new().await;
    let start = world.ground.tracking().now();
    let hook = world.hook.webhook.id;
    world.ground.start_again_keeping(DAY * 7);
    world.news().await;
    world.ground.pass(DAY * 20);
    switch(&world.ground, world.account, hook, false).await;
    world.news().await;
    switch(&world.ground, world.account, hook, true).await;
    world.ground.drain().await;
    assert_eq!(
        world.notifications().await.len(),
        0,
        "the first is forgotten"
    );
    world.ground.start_again_keeping(DAY * 60);
    world.ground.pass(DAY * 5);
    let missed = Window {
        from: start,
        until: world.ground.tracking().now(),
        events: Vec::new(),
        statuses: Vec::new(),
        missed: true,
    };
    let asked = replay(world.ground.tracking(), world.account, hook, missed).await;
    assert_eq!(asked.unwrap().unwrap().counted, 1, "what it missed");
    world.ground.pass(DAY);
    world.ground.drain().await;
    let told = world.receiver.log();
    let told: BTreeSet<String> = told.iter().map(Arrival::reference).collect();
    assert_eq!((told.len(), world.receiver.count()), (2, 2), "each once");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ended_thirty_days_ago_is_forgotten_and_what_is_held_is_not() {
    let world = World::new().await;
    let start = world.ground.tracking().now();
    let hook = world.hook.webhook.id;
    world.news().await;
    world.news().await;
    let [old, used] = [0, 1].map(|place| id(&world, place));
    world.ground.pass(DAY * 20);
    redeliver(world.ground.tracking(), world.account, used)
        .await
        .unwrap();
    world.ground.drain().await;
    world.receiver.refuses(500);
    world.news().await;
    let held = id(&world, world.receiver.count() - 1);
    switch(&world.ground, world.account, hook, false).await;

    world.ground.pass(DAY * 10 - SignedDuration::from_secs(1));
    world.ground.drain().await;
    assert_eq!(world.notifications().await.len(), 3, "not a second early");
    world.ground.pass(SignedDuration::from_secs(2));
    world.ground.drain().await;
    let left = left(&world).await;
    assert_eq!(left, BTreeSet::from([used, held]));
    assert_eq!(world.attempts(old).await, []);
    assert_eq!(world.attempts(used).await.len(), 2);

    // What was forgotten is not taken for missed.
    let missed = Window {
        from: start,
        until: world.ground.tracking().now(),
        events: Vec::new(),
        statuses: Vec::new(),
        missed: true,
    };
    let asked = replay(world.ground.tracking(), world.account, hook, missed).await;
    assert_eq!(asked.unwrap().unwrap().counted, 0);
    world.ground.pass(DAY * 90);
    world.ground.drain().await;
    assert_eq!(self::left(&world).await, BTreeSet::from([held]));
    switch(&world.ground, world.account, hook, true).await;
    world.receiver.refuses(200);
    let before = world.receiver.count();
    world.ground.drain().await;
    assert_eq!(
        world.receiver.count(),
        before + 1,
        "held for months, and told"
    );
}

fn id(world: &World, place: usize) -> NotificationId {
    NotificationId(world.receiver.log()[place].id().parse().unwrap())
}

async fn left(world: &World) -> BTreeSet<NotificationId> {
    let rows = world.notifications().await;
    rows.iter().map(|row| row.id).collect()
}
