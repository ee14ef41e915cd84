//! What was sent is sent again, and what was missed is made up for, as a receiver with a log of its own sees it.

use std::collections::BTreeSet;

use domain::event::EventName;
use domain::ids::{AccountId, NotificationId, WebhookId};
use domain::tracking_request::NumberKind;
use domain::webhook::{DeliveryStatus, RETRY_DELAYS};
use jiff::{SignedDuration, Timestamp};
use store::redelivery::Redelivery;
use tracking::webhooks::{ReplayRefused, Window, redeliver, replay};

use crate::BOX;
use crate::delivering::World;
use crate::ground::{Ground, LADEN};
use crate::receiver::{Arrival, Receiver, run, switch};
use crate::stopping::DISCHARGED;

const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// A window that asks for what was missed is not done before.
const SETTLED_AFTER: SignedDuration = SignedDuration::from_secs(30);

/// Everything from `from` until now.
fn since(from: Timestamp, ground: &Ground) -> Window {
    Window {
        from,
        until: ground.tracking().now(),
        events: Vec::new(),
        statuses: vec![
            DeliveryStatus::Pending,
            DeliveryStatus::Succeeded,
            DeliveryStatus::Failed,
        ],
        missed: true,
    }
}

async fn replayed(
    ground: &Ground,
    account: AccountId,
    webhook: WebhookId,
    window: Window,
) -> Redelivery {
    let asked = replay(ground.tracking(), account, webhook, window).await;
    let asked = asked.unwrap().unwrap();
    ground.drain().await;
    let read = ground
        .tracking()
        .store()
        .read(move |tx| store::redelivery::of_webhook(&mut tx.account(account), webhook, 10));
    let rows = read.await.unwrap();
    let row = rows.into_iter().find(|row| row.id == asked.id).unwrap();
    assert_eq!(row.counted, asked.counted);
    row
}

fn ids(log: &[Arrival]) -> Vec<String> {
    log.iter().map(Arrival::id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_notification_comes_again_with_the_same_bytes() {
    let world = World::new().await;
    world.news().await;
    let first = world.receiver.log().remove(0);
    let id = NotificationId(first.id().parse().unwrap());
    world.ground.pass(HOUR);
    let sent = redeliver(world.ground.tracking(), world.account, id).await;
    let sent = sent.unwrap().unwrap().notification;
    assert_eq!(sent.status, DeliveryStatus::Pending);
    assert_eq!(world.statuses().await, [DeliveryStatus::Pending]);
    world.ground.drain().await;
    let log = world.receiver.log();
    assert_eq!(log.len(), 2);
    assert_eq!((log[1].id(), &log[1].body), (first.id(), &first.body));
    assert_eq!(log[1].at.duration_since(first.at), HOUR);
    assert_eq!(world.statuses().await, [DeliveryStatus::Succeeded]);
    let numbers: Vec<u32> = world.attempts(id).await.iter().map(|a| a.number).collect();
    assert_eq!(numbers, [1, 2], "the record goes on");

    let stranger = world.ground.account("B").await;
    let theirs = redeliver(world.ground.tracking(), stranger, id).await;
    assert_eq!(theirs, Ok(None));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_given_up_begins_its_schedule_anew() {
    let world = World::new().await;
    world.receiver.refuses(500);
    world.news().await;
    run(&world.ground, world.in_days(4)).await;
    let tries = 1 + RETRY_DELAYS.len();
    assert_eq!(world.receiver.count(), tries);
    let id = NotificationId(world.receiver.log()[0].id().parse().unwrap());
    let again = async || {
        let sent = redeliver(world.ground.tracking(), world.account, id).await;
        sent.unwrap().unwrap();
    };
    again().await;
    world.ground.drain().await;
    assert_eq!(world.receiver.count(), tries + 1);
    // Asked again while it waits for its next try, it is due at once, from the first step.
    world.ground.pass(SignedDuration::from_secs(1));
    again().await;
    world.ground.drain().await;
    assert_eq!(world.receiver.count(), tries + 2);
    world.receiver.refuses(200);
    run(&world.ground, world.in_days(1)).await;
    let waits = world.receiver.waits();
    assert!(waits.last().unwrap().as_secs() <= 6, "{waits:?}");
    assert_eq!(world.receiver.count(), tries + 3);
    assert_eq!(world.statuses().await, [DeliveryStatus::Succeeded]);
    let record = world.attempts(id).await;
    let numbers: Vec<u32> = record.iter().map(|attempt| attempt.number).collect();
    let expected: Vec<u32> = (1..=u32::try_from(tries + 3).unwrap()).collect();
    assert_eq!(numbers, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_is_sent_again_by_status_and_time() {
    let world = World::new().await;
    world.news().await;
    world.ground.pass(HOUR * 24);
    let second_day = world.ground.tracking().now();
    world.receiver.refuses(410);
    world.news().await;
    world.receiver.refuses(200);
    let hook = world.hook.webhook.id;
    switch(&world.ground, world.account, hook, true).await;
    world.ground.pass(HOUR);
    world.news().await;
    world.ground.pass(HOUR);
    let first_three = ids(&world.receiver.log());

    let failed = Window {
        statuses: vec![DeliveryStatus::Failed],
        missed: false,
        ..since(Timestamp::UNIX_EPOCH, &world.ground)
    };
    let done = replayed(&world.ground, world.account, hook, failed).await;
    assert_eq!((done.counted, done.redelivered), (1, 1));
    assert_eq!(done.finished_at, Some(world.ground.tracking().now()));
    assert_eq!(ids(&world.receiver.log())[3..], first_three[1..2]);

    let later = since(second_day, &world.ground);
    let done = replayed(&world.ground, world.account, hook, later).await;
    assert_eq!((done.counted, done.redelivered), (2, 2));
    let heard: BTreeSet<String> = ids(&world.receiver.log())[4..].iter().cloned().collect();
    assert_eq!(heard, first_three[1..].iter().cloned().collect());
    for arrival in world.receiver.log() {
        let first = world.receiver.log();
        let first = first.iter().find(|one| one.id() == arrival.id()).unwrap();
        assert_eq!(arrival.body, first.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_missed_while_off_or_before_subscribing_is_made_up_for_once() {
    let world = World::new().await;
    let start = world.ground.tracking().now();
    let hook = world.hook.webhook.id;
    world.news().await;
    switch(&world.ground, world.account, hook, false).await;
    for _ in 0..3 {
        world.ground.pass(HOUR);
        world.news().await;
    }
    switch(&world.ground, world.account, hook, true).await;
    world.ground.pass(HOUR);
    assert_eq!(world.receiver.count(), 1, "none was sent, none was kept");
    let missed = Window {
        statuses: Vec::new(),
        ..since(start, &world.ground)
    };
    let done = replayed(&world.ground, world.account, hook, missed.clone()).await;
    assert_eq!((done.counted, done.redelivered), (3, 3));
    let log = world.receiver.log();
    assert_eq!(log.len(), 4);
    assert_eq!(ids(&log).iter().collect::<BTreeSet<_>>().len(), 4);
    assert!(
        log.iter()
            .all(|arrival| arrival.event() == "tracking_request.failed")
    );
    let requests: BTreeSet<String> = log.iter().map(Arrival::reference).collect();
    assert_eq!(requests.len(), 4, "each of another request");
    world.ground.pass(HOUR);
    let done = replayed(&world.ground, world.account, hook, missed.clone()).await;
    assert_eq!((done.counted, done.redelivered), (0, 0), "once");

    // Another webhook comes late, and asks for what was before it; its own events only.
    let late = Receiver::open(&world.ground).await;
    let events = [EventName::TrackingRequestFailed];
    let late_hook = late.subscribe(&world.ground, world.account, &events).await;
    let deaf = Receiver::open(&world.ground).await;
    let events = [EventName::ContainerUpdated];
    let deaf_hook = deaf.subscribe(&world.ground, world.account, &events).await;
    world.ground.pass(HOUR);
    for (receiver, hook, expected) in [(&late, late_hook, 4), (&deaf, deaf_hook, 0)] {
        let window = missed.clone();
        let done = replayed(&world.ground, world.account, hook.webhook.id, window).await;
        assert_eq!(done.redelivered, expected);
        assert_eq!(i64::try_from(receiver.count()).unwrap(), expected);
    }
    let references: Vec<String> = log.iter().map(Arrival::reference).collect();
    let made_up: Vec<String> = late.log().iter().map(Arrival::reference).collect();
    assert_eq!(
        made_up.iter().collect::<BTreeSet<_>>(),
        references.iter().collect::<BTreeSet<_>>()
    );
}

/// A box has a line: what is sent again stands in it in the order of time, before what happens after.
#[tokio::test(flavor = "multi_thread")]
async fn a_replay_keeps_the_order_of_a_box() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let start = ground.tracking().now();
    let receiver = Receiver::open(&ground).await;
    let all: Vec<EventName> = EventName::ALL
        .into_iter()
        .filter(|event| event.as_str().starts_with("container."))
        .collect();
    let hook = receiver.subscribe(&ground, account, &all).await.webhook.id;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    ground.answer(DISCHARGED).await;
    // It is away while the box is discharged.
    switch(&ground, account, hook, false).await;
    ground.pass(HOUR * 24);
    ground.drain().await;
    switch(&ground, account, hook, true).await;
    ground.pass(HOUR);
    let before = receiver.count();
    assert_eq!(before, 1, "the box was loaded");

    receiver.refuses(500);
    let asked = replay(ground.tracking(), account, hook, since(start, &ground)).await;
    let counted = usize::try_from(asked.unwrap().unwrap().counted).unwrap();
    assert!(counted > before);
    ground.drain().await;
    assert_eq!(receiver.count(), before + 1, "one of a line at a time");
    receiver.refuses(200);
    run(&ground, ground.tracking().now() + HOUR).await;
    let log = receiver.log();
    let again = &log[before + 1..];
    assert_eq!(again.len(), counted);
    assert_eq!(
        ids(&again[..before]),
        ids(&log[..before]),
        "the same again, first"
    );
    let versions: Vec<i64> = again.iter().map(Arrival::version).collect();
    assert!(versions.is_sorted(), "{versions:?}");
    assert!(versions.first() < versions.last());
    let discharged = "container.transport.vessel_discharged";
    assert!(again[before..].iter().any(|one| one.event() == discharged));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_waits_for_a_webhook_that_is_off_and_five_are_the_most() {
    let world = World::new().await;
    let start = world.ground.tracking().now();
    let hook = world.hook.webhook.id;
    world.news().await;
    world.ground.pass(HOUR);
    switch(&world.ground, world.account, hook, false).await;
    let window = since(start, &world.ground);
    let done = replayed(&world.ground, world.account, hook, window.clone()).await;
    assert_eq!(
        (done.counted, done.redelivered, done.finished_at),
        (1, 0, None)
    );
    let ask = || replay(world.ground.tracking(), world.account, hook, window.clone());
    for _ in 0..4 {
        assert!(ask().await.is_ok());
    }
    assert!(matches!(ask().await, Err(ReplayRefused::TooMany)));
    let empty = Window {
        until: start,
        ..window.clone()
    };
    let refused = replay(world.ground.tracking(), world.account, hook, empty).await;
    assert!(matches!(refused, Err(ReplayRefused::Empty)));
    assert_eq!(world.receiver.count(), 1);
    switch(&world.ground, world.account, hook, true).await;
    world.ground.pass(SETTLED_AFTER);
    world.ground.drain().await;
    assert!(world.receiver.count() >= 2, "it goes on");
    assert!(ask().await.is_ok(), "the five are done");
}
