//! Results of deliveries while the store cannot write them.

use std::sync::mpsc;
use std::time::Duration;

use domain::ids::WebhookId;
use domain::tracking_request::NumberKind;
use domain::webhook::DeliveryStatus;
use store::{Error, Key};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracking::work;
use uuid::Uuid;
use wiremock::ResponseTemplate;

use crate::BOX;
use crate::delivering::World;
use crate::recalled::eventually;
use crate::steady::{until, write_unheard};

/// More use cases than may wait for the writer.
const CROWD: usize = 1_100;
/// The receiver takes so long, and longer than it takes to crowd the writer.
const ANSWERS_AFTER: Duration = Duration::from_secs(3);

/// Its answer comes while the writer refuses whatever is brought to it, and its lease does not run out: the clock of the
/// test stands still.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_accepted_is_noted_when_that_can_be_done_again_and_not_sent_again() {
    let world = World::new().await;
    let request = world
        .ground
        .track(world.account, BOX, NumberKind::Container)
        .await;
    world.ground.drain().await;
    let before = world.receiver.count();
    let slow = ResponseTemplate::new(200).set_delay(ANSWERS_AFTER);
    world.receiver.answers(slow);
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(world.ground.tracking().clone(), stop.clone()));
    write_unheard(&world, world.hook.webhook.id, request, 100..101).await;
    until("it is under way", || world.receiver.count() > before).await;

    let store = world.ground.tracking().store();
    let ((held, is_held), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
    let mut crowd = JoinSet::new();
    let holder = store.clone();
    crowd.spawn(async move {
        let key = Key::sightings();
        let hold = move |_: &mut store::Tx| {
            let _ = held.send(());
            // Until the other end is dropped.
            let _ = may_go.recv();
            Ok::<_, Error>(())
        };
        holder.write(key, hold).await
    });
    is_held.recv().unwrap();
    for _ in 0..CROWD {
        let store = store.clone();
        crowd.spawn(async move {
            let key = Key::webhook(WebhookId(Uuid::nil()));
            store.write(key, |_| Ok::<_, Error>(())).await
        });
    }
    tokio::time::sleep(ANSWERS_AFTER + Duration::from_secs(1)).await;
    drop(let_go);
    let refused = crowd.join_all().await.into_iter().filter(Result::is_err);
    assert!(refused.count() > 0, "the writer was not crowded");

    eventually("its result is written", async || {
        !world.statuses().await.contains(&DeliveryStatus::Pending)
    })
    .await;
    assert_eq!(world.receiver.count() - before, 1, "it was sent again");
    stop.cancel();
    working.await.unwrap();
}
