//! Results of deliveries while the store cannot write them.

use std::collections::HashSet;
use std::sync::mpsc;
use std::time::Duration;

use domain::ids::{TrackingRequestId, WebhookId};
use domain::tracking_request::NumberKind;
use domain::webhook::DeliveryStatus;
use store::{Error, Key, Store};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tracking::{LEASE_DEFAULT, work};
use uuid::Uuid;
use wiremock::ResponseTemplate;

use crate::BOX;
use crate::delivering::World;
use crate::recalled::eventually;
use crate::steady::{SOON_MAX, until, write_unheard};

/// More use cases than may wait for the writer.
const CROWD: usize = 1_100;
/// The receiver takes so long, and longer than it takes to crowd the writer.
const ANSWERS_AFTER: Duration = Duration::from_secs(7);
/// Deliveries, each of a line of its own.
const ALL: usize = 40;
/// Of these, so many are under way at once to one that answers.
const UNDER_WAY: usize = 4;

/// A service at work, whose receiver has answered once.
struct AtWork {
    world: World,
    request: TrackingRequestId,
    /// What it had heard before.
    before: usize,
    stop: CancellationToken,
    working: JoinHandle<()>,
}

impl AtWork {
    async fn new() -> Self {
        let world = World::new().await;
        let request = world
            .ground
            .track(world.account, BOX, NumberKind::Container)
            .await;
        world.ground.drain().await;
        let stop = CancellationToken::new();
        let working = tokio::spawn(work::run(world.ground.tracking().clone(), stop.clone()));
        // Counted first: it may have come before the writing is told to be done.
        let before = world.receiver.count() + 1;
        write_unheard(&world, world.hook.webhook.id, request, 10..11).await;
        let at_work = Self {
            world,
            request,
            before,
            stop,
            working,
        };
        at_work.settles("it has answered").await;
        at_work
    }

    /// So many are to be told, and the first answers, which take their time, come while the writer is crowded.
    async fn is_told(&self, all: usize) -> Crowd {
        let (world, hook) = (&self.world, self.world.hook.webhook.id);
        let slow = ResponseTemplate::new(200).set_delay(ANSWERS_AFTER);
        world.receiver.answers(slow);
        let versions = 100..100 + i64::try_from(all).unwrap();
        write_unheard(world, hook, self.request, versions).await;
        let begun = all.min(UNDER_WAY);
        // One that took long to answer before gets them one by one at first.
        until("they are under way", || self.heard() >= begun).await;
        world.receiver.refuses(200);
        let crowd = Crowd::before(world.ground.tracking().store()).await;
        let heard = self.heard();
        let waits = all - heard;
        assert!(heard <= begun + 1, "{waits} wait for the answers");
        tokio::time::sleep(ANSWERS_AFTER + Duration::from_secs(1)).await;
        crowd
    }

    /// What the receiver heard since it had answered once.
    fn heard(&self) -> usize {
        self.world.receiver.count().saturating_sub(self.before)
    }

    async fn settles(&self, what: &str) {
        eventually(what, async || {
            !self
                .world
                .statuses()
                .await
                .contains(&DeliveryStatus::Pending)
        })
        .await;
    }

    async fn end(self) {
        self.stop.cancel();
        self.working.await.unwrap();
    }
}

/// Keeps the writer so busy that it refuses whatever is brought to it.
struct Crowd {
    all: JoinSet<Result<(), Error>>,
    let_go: mpsc::Sender<()>,
}

impl Crowd {
    /// Returns once the writer refuses.
    async fn before(store: &Store) -> Self {
        let ((held, is_held), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
        let mut all = JoinSet::new();
        let holder = store.clone();
        all.spawn(async move {
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
            all.spawn(async move {
                let key = Key::webhook(WebhookId(Uuid::nil()));
                store.write(key, |_| Ok::<_, Error>(())).await
            });
        }
        let first = all.join_next().await.unwrap().unwrap();
        assert!(first.is_err(), "the writer is not crowded");
        Self { all, let_go }
    }

    async fn goes(self) {
        drop(self.let_go);
        self.all.join_all().await;
    }
}

/// Its answer comes while the writer refuses whatever is brought to it, and its lease does not run out: the clock of the
/// test stands still.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_accepted_is_noted_when_that_can_be_done_again_and_not_sent_again() {
    let at_work = AtWork::new().await;
    at_work.is_told(1).await.goes().await;
    at_work.settles("its result is written").await;
    assert_eq!(at_work.heard(), 1, "it was sent again");
    at_work.end().await;
}

/// The leases of all of them run out before anything can be written again.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_accepted_is_noted_however_long_nothing_can_be_written() {
    let at_work = AtWork::new().await;
    let crowd = at_work.is_told(ALL).await;
    at_work.world.ground.pass(LEASE_DEFAULT * 2);
    crowd.goes().await;
    at_work.settles("the results are written").await;
    let log = at_work.world.receiver.log();
    let log = &log[at_work.before..];
    let bodies: HashSet<&[u8]> = log.iter().map(|arrival| &arrival.body[..]).collect();
    assert_eq!(bodies.len(), ALL);
    assert_eq!(log.len(), ALL, "some were sent again");
    for row in at_work.world.notifications().await {
        let attempts = at_work.world.attempts(row.id).await;
        assert_eq!(attempts.len(), 1, "of {}", row.id.0);
    }
    at_work.end().await;
}

/// What was accepted is noted at the end. What has waited is given back, or its lease runs out when that was refused.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_while_results_wait_to_be_written_comes_to_its_end() {
    let at_work = AtWork::new().await;
    let crowd = at_work.is_told(ALL).await;
    // More than those of the beginning, while the first result was being refused.
    let heard = at_work.heard();
    at_work.stop.cancel();
    crowd.goes().await;
    let ended = tokio::time::timeout(SOON_MAX, at_work.working).await;
    ended.expect("it does not end").unwrap();
    let world = &at_work.world;
    let told = || world.receiver.count() - at_work.before;
    assert_eq!(told(), heard, "nothing begins after the stop");
    world.ground.pass(LEASE_DEFAULT * 2);
    world.ground.drain().await;
    assert_eq!(told(), ALL, "each once");
    assert!(!world.statuses().await.contains(&DeliveryStatus::Pending));
}
