//! Deliveries while there is always something to do.

use std::time::{Duration, Instant};

use domain::event::EventName;
use domain::ids::{NotificationId, TrackingRequestId, WebhookId};
use domain::tracking_request::NumberKind;
use domain::webhook::DeliveryStatus;
use store::Key;
use store::notification::{Notification, OrderKey};
use tokio_util::sync::CancellationToken;
use tracking::work;
use uuid::Uuid;
use wiremock::ResponseTemplate;

use crate::BOX;
use crate::delivering::World;
use crate::receiver::Receiver;

/// Longest time until something must have happened.
pub(crate) const SOON_MAX: Duration = Duration::from_mins(1);
/// Deliveries that keep the sender busy: no more than it takes in hand at once from a receiver that keeps up.
const STEADY: i64 = 250;

/// Writes deliveries of this request's end as another node would: nobody here is told of them.
pub(crate) async fn write_unheard(
    world: &World,
    webhook: WebhookId,
    request: TrackingRequestId,
    versions: std::ops::Range<i64>,
) {
    let (account, now) = (world.account, world.ground.tracking().now());
    let rows: Vec<(Notification, OrderKey)> = versions
        .map(|version| {
            let own = |n: i64| Uuid::from_u128(webhook.0.as_u128() ^ u128::from(n.unsigned_abs()));
            let row = Notification {
                id: NotificationId(own(version)),
                webhook,
                event: EventName::TrackingRequestFailed,
                reference_type: "tracking_request".into(),
                reference: request.0,
                container: None,
                shipment: None,
                tracking_request: Some(request),
                version,
                created_at: now,
                status: DeliveryStatus::Pending,
            };
            let key = own(version + 1_000);
            (row, OrderKey { key, sequence: 1 })
        })
        .collect();
    let written = world
        .ground
        .tracking()
        .store()
        .write(Key::webhook(webhook), move |tx| {
            store::notification::insert(&mut tx.account(account), &rows)
        });
    written.await.unwrap();
}

pub(crate) async fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < SOON_MAX, "{what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_due_unheard_is_not_put_off_by_what_is_under_way() {
    let world = World::new().await;
    let request = world
        .ground
        .track(world.account, BOX, NumberKind::Container)
        .await;
    world.ground.drain().await;
    let other = Receiver::open(&world.ground).await;
    let events = [EventName::TrackingRequestFailed];
    let silent = other.subscribe(&world.ground, world.account, &events).await;
    let answer = ResponseTemplate::new(200).set_delay(Duration::from_millis(60));
    world.receiver.answers(answer);
    write_unheard(&world, world.hook.webhook.id, request, 100..100 + STEADY).await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(world.ground.tracking().clone(), stop.clone()));
    until("traffic is steady", || world.receiver.count() >= 100).await;
    // What is under way from now on takes its time, so that the news has until long after to be written.
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_secs(2));
    world.receiver.answers(slow);
    let before = other.count();
    write_unheard(&world, silent.webhook.id, request, 100..101).await;
    until("it is sent", || other.count() > before).await;
    let told = world.receiver.count();
    assert!(told < 200, "only after {told} of {STEADY} others");
    stop.cancel();
    working.await.unwrap();
}
