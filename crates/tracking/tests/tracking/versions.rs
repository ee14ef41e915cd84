//! Versions, as a receiver sees them that keeps the highest one of each record.

use domain::event::EventName;
use domain::tracking_request::NumberKind;
use domain::webhook::DeliveryStatus;
use jiff::SignedDuration;
use tracking::shipment;
use tracking::webhooks::{Window, replay};

use crate::ground::{Ground, LADEN};
use crate::receiver::{Arrival, Receiver, run};

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// From its manifest to its second stop: each is told under the request's own version, in order, once.
#[tokio::test(flavor = "multi_thread")]
async fn versions_of_a_request_rise_from_news_to_news() {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    let receiver = Receiver::open(&ground).await;
    let events: Vec<EventName> = EventName::ALL
        .into_iter()
        .filter(|event| event.as_str().starts_with("tracking_request."))
        .collect();
    let hook = receiver.subscribe(&ground, account, &events).await;
    let hook = hook.webhook.id;
    let start = ground.tracking().now();
    let bill = NumberKind::BillOfLading;
    let request = ground.track(account, "NWLX00042", bill).await;
    let mut expected = Vec::new();
    let version = async || ground.request(account, request).await.version;
    ground.drain().await;
    expected.push(version().await);

    // What follows waits for a receiver that is away.
    receiver.refuses(500);
    ground.answer(LADEN).await;
    ground.pass(DAY * 2);
    ground.drain().await;
    let row = ground.request(account, request).await;
    expected.push(row.version);
    let shipment = row.shipment.unwrap();
    for _ in 0..2 {
        ground.pass(SignedDuration::from_secs(1));
        let stopped = shipment::stop_tracking(ground.tracking(), account, shipment);
        stopped.await.unwrap().unwrap();
        expected.push(version().await);
        let resumed = shipment::resume_tracking(ground.tracking(), account, shipment);
        resumed.await.unwrap().unwrap();
    }
    ground.drain().await;
    let refused = receiver.count();
    assert_eq!(refused, 2, "one of a line at a time");
    receiver.refuses(200);
    run(&ground, ground.tracking().now() + DAY).await;

    let mut taken = receiver.log();
    taken.remove(1);
    let told: Vec<String> = taken.iter().map(Arrival::event).collect();
    let named = |event: &str| format!("tracking_request.{event}");
    let stopped = named("tracking_stopped");
    assert_eq!(
        told,
        [
            named("awaiting_manifest"),
            named("succeeded"),
            stopped.clone(),
            stopped
        ]
    );
    let versions: Vec<i64> = taken.iter().map(Arrival::version).collect();
    assert_eq!(versions, expected);
    assert!(
        versions.is_sorted_by(|one, next| one < next),
        "{versions:?}"
    );

    let window = |statuses, missed| Window {
        from: start,
        until: ground.tracking().now(),
        events: Vec::new(),
        statuses,
        missed,
    };
    let missed = replay(ground.tracking(), account, hook, window(Vec::new(), true)).await;
    assert_eq!(missed.unwrap().unwrap().counted, 0, "none was missed");
    let again = window(vec![DeliveryStatus::Succeeded], false);
    replay(ground.tracking(), account, hook, again)
        .await
        .unwrap();
    ground.drain().await;
    let mut again: Vec<i64> = receiver.log()[refused + 3..]
        .iter()
        .map(Arrival::version)
        .collect();
    // The first one has no shipment, and a line of its own.
    let alone = again.iter().position(|version| *version == versions[0]);
    again.remove(alone.unwrap());
    assert_eq!(again, versions[1..], "in the order of their line");
}
