//! A webhook for which more waits than one step begins again.

use domain::event::EventName;
use domain::ids::{ContainerId, NotificationId};
use domain::webhook::DeliveryStatus;
use store::Key;
use store::delivery::RESTARTED_AT_ONCE_MAX;
use store::notification::{Notification, OrderKey};
use tracking::webhooks::{WebhookPatch, update};
use uuid::Uuid;

use crate::ground::{Ground, LADEN};
use crate::receiver::Receiver;

const BOXES: usize = RESTARTED_AT_ONCE_MAX + 50;

#[tokio::test(flavor = "multi_thread")]
async fn all_that_waits_for_a_webhook_goes_where_it_leads_now() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let refuses = Receiver::open(&ground).await;
    let arrived = [EventName::VesselArrived];
    let hook = refuses.subscribe(&ground, account, &arrived).await;
    let hook = hook.webhook.id;
    let created_at = ground.tracking().now();
    let told = |number: usize| {
        let id = Uuid::from_u128(number as u128 + 1);
        let notification = Notification {
            id: NotificationId(id),
            webhook: hook,
            event: EventName::VesselArrived,
            reference_type: "transport_event".into(),
            reference: id,
            container: Some(ContainerId(id)),
            shipment: None,
            tracking_request: None,
            version: 1,
            created_at,
            status: DeliveryStatus::Pending,
        };
        let (key, sequence) = (id, 1);
        (notification, OrderKey { key, sequence })
    };
    let rows: Vec<_> = (0..BOXES).map(told).collect();
    let write = move |tx: &mut store::Tx| {
        store::notification::insert(&mut tx.account(account), &rows).map(|_| ())
    };
    let store = ground.tracking().store().clone();
    store.write(Key::account(account), write).await.unwrap();
    refuses.refuses(500);
    ground.drain().await;
    assert_eq!(refuses.count(), BOXES);

    let takes = Receiver::open(&ground).await;
    let patch = WebhookPatch {
        url: Some(takes.named("127.0.0.1")),
        ..WebhookPatch::default()
    };
    let changed = update(ground.tracking(), account, hook, patch).await;
    changed.unwrap().unwrap();
    ground.drain().await;
    assert_eq!((refuses.count(), takes.count()), (BOXES, BOXES));
}
