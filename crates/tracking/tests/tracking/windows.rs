//! Windows that have to wait for room.

use domain::event::EventName;
use domain::ids::{AccountId, ContainerId, NotificationId, RedeliveryId, WebhookId};
use domain::tracking_request::NumberKind;
use domain::webhook::DeliveryStatus;
use jiff::{SignedDuration, Timestamp};
use store::Key;
use store::notification::{Notification, OrderKey};
use store::redelivery::Redelivery;
use tracking::webhooks::{Window, replay};
use uuid::Uuid;

use crate::BOX;
use crate::ground::Ground;
use crate::receiver::Receiver;

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
