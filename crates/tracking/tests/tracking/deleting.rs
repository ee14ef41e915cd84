//! Webhooks deleted with a long history behind them.

use domain::event::EventName;
use domain::ids::{NotificationId, WebhookId};
use domain::webhook::DeliveryStatus;
use jiff::SignedDuration;
use store::notification::{Notification, NotificationFilter, OrderKey};
use store::{Key, Slice};
use tokio_util::sync::CancellationToken;
use tracking::webhooks::{Opened, delete, redeliver};
use tracking::{id_source, work};
use uuid::Uuid;

use crate::delivering::World;
use crate::recalled::eventually;
use crate::receiver::switch;

/// More than two pieces of those in which they are removed.
const HISTORY: usize = 1_250;
const PIECE: u32 = 500;
const NIL: WebhookId = WebhookId(Uuid::nil());

/// A receiver that was told something, and a webhook that is off and has this much to be told.
async fn with_a_history() -> (World, Opened) {
    let world = World::new().await;
    world.news().await;
    let events = [EventName::VesselArrived];
    let (ground, account) = (&world.ground, world.account);
    let hook = world.receiver.subscribe(ground, account, &events).await;
    let id = hook.webhook.id;
    switch(ground, account, id, false).await;
    let now = ground.tracking().now();
    let mut ids = id_source(now);
    let rows: Vec<_> = (0..HISTORY).map(|_| row(&mut ids, id, now)).collect();
    let insert =
        move |tx: &mut store::Tx| store::notification::insert(&mut tx.account(account), &rows);
    let store = ground.tracking().store();
    let told = store.write(Key::account(account), insert).await;
    assert_eq!(told.unwrap(), HISTORY);
    (world, hook)
}

fn row(
    ids: &mut domain::ids::IdSource,
    webhook: WebhookId,
    now: jiff::Timestamp,
) -> (Notification, OrderKey) {
    let id: NotificationId = ids.draw();
    let notification = Notification {
        id,
        webhook,
        event: EventName::VesselArrived,
        reference_type: "transport_event".into(),
        reference: Uuid::from_u128(id.0.as_u128().reverse_bits()),
        container: Some(id.0.into()),
        shipment: None,
        tracking_request: None,
        version: 1,
        created_at: now,
        status: DeliveryStatus::Pending,
    };
    let order = OrderKey {
        key: id.0,
        sequence: 1,
    };
    (notification, order)
}

/// How many notifications lie in the store, whoever may see them, and which deleted webhooks.
async fn left(world: &World) -> (usize, Vec<WebhookId>) {
    let tomorrow = world.in_days(1);
    let look = move |tx: &mut store::Tx| {
        let first = NotificationId(Uuid::nil());
        let lie = store::delivery::ended_before(tx, first, tomorrow, 9_999)?;
        Ok::<_, store::Error>((lie.len(), store::webhook::deleted(tx, NIL, 9)?))
    };
    world.ground.tracking().store().read(look).await.unwrap()
}

/// What the account sees of this webhook: whether it is there, and how many notifications are listed in all.
async fn seen(world: &World, hook: WebhookId) -> (bool, u64) {
    let account = world.account;
    let look = move |tx: &mut store::Tx| {
        let a = &mut tx.account(account);
        let slice = Slice {
            offset: 0,
            limit: 1,
        };
        let page = store::notification::page(a, &NotificationFilter::default(), slice)?;
        let found = store::webhook::find(a, hook)?;
        Ok::<_, store::Error>((found.is_some(), page.total))
    };
    world.ground.tracking().store().read(look).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_gone_at_once_and_its_history_in_pieces_also_after_a_crash() {
    let (mut world, hook) = with_a_history().await;
    let (account, hook) = (world.account, hook.webhook.id);
    let all = u64::try_from(HISTORY).unwrap() + 1;
    assert_eq!(seen(&world, hook).await, (true, all));
    assert!(
        delete(world.ground.tracking(), account, hook)
            .await
            .unwrap()
    );
    assert_eq!(seen(&world, hook).await, (false, 1));
    assert_eq!(
        left(&world).await,
        (HISTORY + 1, vec![hook]),
        "however much it was told, that is one small transaction"
    );

    // The first piece is removed, and then the service is killed.
    let piece =
        move |tx: &mut store::Tx| store::webhook::forget_history(tx, hook, Uuid::nil(), PIECE);
    let store = world.ground.tracking().store().clone();
    let next: Result<_, store::Error> = store.write(Key::webhook(hook), piece).await;
    assert!(next.unwrap().is_some());
    assert_eq!(left(&world).await, (HISTORY + 1 - 500, vec![hook]));
    world.ground.restart();
    world.ground.drain().await;
    assert_eq!(
        left(&world).await,
        (1, vec![hook]),
        "its row stays while somebody may write for it"
    );
    world.ground.pass(SignedDuration::from_secs(61));
    world.ground.drain().await;
    assert_eq!(left(&world).await, (1, vec![]));

    // What another webhook was told is there, and can be sent again.
    let told = world.notifications().await[0].id;
    let again = redeliver(world.ground.tracking(), account, told).await;
    assert!(again.unwrap().is_some());
    world.ground.drain().await;
    assert_eq!(world.receiver.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_works_removes_it_without_being_asked() {
    let (world, hook) = with_a_history().await;
    let (account, hook) = (world.account, hook.webhook.id);
    let stop = CancellationToken::new();
    let tracking = world.ground.tracking();
    let working = tokio::spawn(work::run(tracking.clone(), stop.clone()));
    // The first may be found as the work begins; the second is told.
    let first = world.hook.webhook.id;
    for (deleted, rest) in [(first, HISTORY), (hook, 0)] {
        assert!(delete(tracking, account, deleted).await.unwrap());
        let gone = async || left(&world).await.0 == rest;
        eventually("its history is removed", gone).await;
    }
    stop.cancel();
    working.await.unwrap();
}
