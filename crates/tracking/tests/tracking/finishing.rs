//! What a node has under way to receivers when it is told to stop.

use std::time::Duration;

use domain::tracking_request::NumberKind;
use domain::webhook::DeliveryStatus;
use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;
use tracking::work;
use wiremock::ResponseTemplate;

use crate::BOX;
use crate::delivering::World;
use crate::recalled::eventually;
use crate::steady::{until, write_unheard};

/// By the world's clock. A third of it passes in real time between two renewals.
const LEASE: SignedDuration = SignedDuration::from_millis(900);
/// How long the answer takes that is waited for: longer than some renewals.
const SLOW: Duration = Duration::from_secs(8);

/// Another node could claim it as soon as its lease has run out.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_under_way_at_a_stop_stays_leased_until_it_has_ended() {
    let mut world = World::new().await;
    world.ground.start_again_leasing(LEASE);
    let request = world
        .ground
        .track(world.account, BOX, NumberKind::Container)
        .await;
    world.ground.drain().await;
    let before = world.receiver.count();
    let slow = ResponseTemplate::new(200).set_delay(SLOW);
    world.receiver.answers(slow);
    let stop = CancellationToken::new();
    let tracking = world.ground.tracking();
    let working = tokio::spawn(work::run(tracking.clone(), stop.clone()));
    write_unheard(&world, world.hook.webhook.id, request, 100..101).await;
    let sent = || world.receiver.count() > before;
    until("it is sent", sent).await;
    stop.cancel();
    for _ in 0..4 {
        world.ground.pass(LEASE * 2 / 3);
        let lasts = tracking.now() + LEASE / 2;
        eventually("its lease is not renewed", async || {
            let due = tracking.store().read(store::delivery::next_due).await;
            let due: Option<Timestamp> = due.expect("the store can be read");
            due.expect("it has ended unrenewed") > lasts
        })
        .await;
    }
    working.await.unwrap();
    assert_eq!(world.receiver.count(), before + 1);
    let statuses = world.statuses().await;
    assert!(!statuses.contains(&DeliveryStatus::Pending), "{statuses:?}");
}

/// Found by a tester: each kill silenced all receivers, and what stood in line behind what was in hand, for as long as a lease.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_run_had_in_hand_is_taken_up_at_the_start() {
    let world = World::new().await;
    let request = world
        .ground
        .track(world.account, BOX, NumberKind::Container)
        .await;
    world.ground.drain().await;
    let before = world.receiver.count();
    write_unheard(&world, world.hook.webhook.id, request, 100..101).await;
    let tracking = world.ground.tracking();
    let (now, owner) = (tracking.now(), uuid::Uuid::from_u128(7));
    let until_then = now + SignedDuration::from_hours(1);
    let claiming = tracking.store().write(store::Key::sightings(), move |tx| {
        let room = store::delivery::Room::anywhere(9);
        store::delivery::claim_due(tx, now, until_then, owner, room)
    });
    let claimed: Result<_, store::Error> = claiming.await;
    assert_eq!(claimed.unwrap().len(), 1);
    let working = tokio::spawn(work::run(tracking.clone(), CancellationToken::new()));
    until("it is sent", || world.receiver.count() > before).await;
    working.abort();
}
