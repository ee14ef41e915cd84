//! What a node has in hand to deliver when its webhook changes.

use std::time::{Duration, Instant};

use domain::tracking_request::NumberKind;
use domain::webhook::DeliveryStatus;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracking::webhooks::{WebhookPatch, delete, rotate_secret, sign, update};
use tracking::work;
use wiremock::ResponseTemplate;

use crate::BOX;
use crate::delivering::World;
use crate::receiver::{Receiver, switch};
use crate::steady::{SOON_MAX, until, write_unheard};

/// Deliveries, each of a line of its own.
const ALL: usize = 40;
/// Of these, so many are under way at once to one that answers.
const UNDER_WAY: usize = 4;
/// Longer than anything else here takes, shorter than an answer may.
const SLOW: Duration = Duration::from_secs(10);

/// A service at work, whose receiver was quick until now, and has got more than it may have under way.
struct Busy {
    world: World,
    /// What it had heard before.
    before: usize,
    stop: CancellationToken,
    working: JoinHandle<()>,
}

impl Busy {
    /// From now on the receiver answers so.
    async fn with(answer: ResponseTemplate) -> Self {
        Self::once_begun(answer, UNDER_WAY).await
    }

    /// From now on the receiver answers so; it has heard so many.
    async fn once_begun(answer: ResponseTemplate, heard: usize) -> Self {
        let world = World::new().await;
        let request = world
            .ground
            .track(world.account, BOX, NumberKind::Container)
            .await;
        world.ground.drain().await;
        let stop = CancellationToken::new();
        let working = tokio::spawn(work::run(world.ground.tracking().clone(), stop.clone()));
        let hook = world.hook.webhook.id;
        let before = world.receiver.count() + 1;
        write_unheard(&world, hook, request, 10..11).await;
        until("it is known as quick", || world.receiver.count() == before).await;
        world.receiver.answers(answer);
        // Its answer has been heard, and no claim is under way.
        tokio::time::sleep(Duration::from_millis(300)).await;
        write_unheard(
            &world,
            hook,
            request,
            100..100 + i64::try_from(ALL).unwrap(),
        )
        .await;
        let begun = before + heard;
        until("some are under way", || world.receiver.count() >= begun).await;
        Self {
            world,
            before,
            stop,
            working,
        }
    }

    async fn patch(&self, patch: WebhookPatch) {
        let (account, id) = (self.world.account, self.world.hook.webhook.id);
        let changed = update(self.world.ground.tracking(), account, id, patch).await;
        changed.unwrap().unwrap();
    }

    /// What the receiver heard since it was slow.
    fn heard(&self) -> usize {
        self.world.receiver.count() - self.before
    }

    async fn end(self) -> World {
        self.stop.cancel();
        self.working.await.unwrap();
        self.world
    }
}

fn slow() -> ResponseTemplate {
    ResponseTemplate::new(200).set_delay(SLOW)
}

pub(crate) async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !holds().await {
        assert!(began.elapsed() < SOON_MAX, "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_goes_to_the_new_address() {
    let busy = Busy::with(slow()).await;
    let other = Receiver::open(&busy.world.ground).await;
    busy.patch(WebhookPatch {
        url: Some(other.named("127.0.0.1")),
        ..WebhookPatch::default()
    })
    .await;
    until("the rest is at the new one", || {
        other.count() == ALL - UNDER_WAY
    })
    .await;
    assert_eq!(busy.heard(), UNDER_WAY, "what was under way");
    busy.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_signed_with_the_new_secret() {
    let busy = Busy::with(slow()).await;
    let (account, id) = (busy.world.account, busy.world.hook.webhook.id);
    let rotated = rotate_secret(busy.world.ground.tracking(), account, id).await;
    let secret = rotated.unwrap().unwrap().secret;
    busy.world.receiver.refuses(200);
    until("all are sent", || busy.heard() == ALL).await;
    let world = busy.end().await;
    let log = world.receiver.log();
    let signed = log.iter().filter(|arrival| {
        let digest = sign::reference(&secret, &arrival.body);
        arrival.header("x-t49-webhook-signature") == Some(&digest)
    });
    assert_eq!(signed.count(), ALL - UNDER_WAY);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_one_that_is_paused_is_held_until_it_goes_on() {
    let busy = Busy::with(slow()).await;
    let hook = busy.world.hook.webhook.id;
    switch(&busy.world.ground, busy.world.account, hook, false).await;
    tokio::time::sleep(SLOW + Duration::from_secs(1)).await;
    assert_eq!(busy.heard(), UNDER_WAY);
    busy.world.receiver.refuses(200);
    switch(&busy.world.ground, busy.world.account, hook, true).await;
    until("the rest is sent", || busy.heard() == ALL).await;
    busy.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_deleted_is_called_no_more() {
    let busy = Busy::with(slow()).await;
    let (account, id) = (busy.world.account, busy.world.hook.webhook.id);
    assert!(
        delete(busy.world.ground.tracking(), account, id)
            .await
            .unwrap()
    );
    tokio::time::sleep(SLOW + Duration::from_secs(1)).await;
    assert_eq!(busy.heard(), UNDER_WAY);
    busy.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_gone_ends_one_delivery_and_the_rest_is_held() {
    // Its first answer may come before others are under way.
    let busy = Busy::once_begun(ResponseTemplate::new(410), 1).await;
    eventually("it is off", async || !busy.world.state().await.0).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!((1..=UNDER_WAY).contains(&busy.heard()));
    let of = async |status: DeliveryStatus| {
        let statuses = busy.world.statuses().await;
        statuses.iter().filter(|one| **one == status).count()
    };
    assert_eq!(of(DeliveryStatus::Failed).await, 1);
    assert_eq!(of(DeliveryStatus::Pending).await, ALL - 1);
    busy.world.receiver.refuses(200);
    let hook = busy.world.hook.webhook.id;
    switch(&busy.world.ground, busy.world.account, hook, true).await;
    eventually("the rest is sent", async || {
        of(DeliveryStatus::Pending).await == 0
    })
    .await;
    assert_eq!(of(DeliveryStatus::Failed).await, 1);
    busy.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_node_has_changed_is_noticed_within_a_second() {
    let busy = Busy::with(slow()).await;
    let (account, id) = (busy.world.account, busy.world.hook.webhook.id);
    // As another node would: nobody here is told of it.
    let store = busy.world.ground.tracking().store();
    let paused = store.write(store::Key::webhook(id), move |tx| {
        let a = &mut tx.account(account);
        let mut row = store::webhook::lock(a, id)?.unwrap();
        row.active = false;
        store::webhook::update(a, &row)
    });
    let paused: Result<bool, store::Error> = paused.await;
    assert!(paused.unwrap());
    tokio::time::sleep(SLOW + Duration::from_secs(1)).await;
    assert_eq!(busy.heard(), UNDER_WAY);
    busy.end().await;
}
