//! Listeners that come and go.

use std::time::{Duration, Instant};

use domain::event::EventName;
use domain::ids::{AccountId, WebhookId};
use domain::listener::ListenerName;
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use tokio::task::JoinHandle;
use tracking::webhooks::{Fetched, open_listener, take};

use crate::BOX;
use crate::ground::Ground;

/// How long a listener waits.
const WAIT: Duration = Duration::from_secs(20);
/// What comes without a wait comes within this.
const AT_ONCE: Duration = Duration::from_secs(10);

/// An account that listens, whose carrier knows nothing.
struct Laptop {
    ground: Ground,
    account: AccountId,
}

impl Laptop {
    async fn new() -> Self {
        let ground = Ground::new("[]").await;
        let account = ground.account("A").await;
        Self { ground, account }
    }

    /// Somebody starts to listen, a moment after whatever was before.
    async fn open(&self) -> WebhookId {
        self.ground.pass(SignedDuration::from_secs(1));
        let name = ListenerName::parse("laptop").unwrap();
        let events = vec![EventName::TrackingRequestFailed];
        let opened = open_listener(self.ground.tracking(), self.account, name, events).await;
        opened.unwrap().0.webhook.id
    }

    /// Waits as the service does for one who asks.
    fn wait(&self, listener: WebhookId) -> JoinHandle<Vec<Fetched>> {
        let (tracking, account) = (self.ground.tracking().clone(), self.account);
        tokio::spawn(async move {
            let taken = take(&tracking, account, listener, 10, WAIT, || true).await;
            taken.unwrap().unwrap()
        })
    }

    async fn news(&self) {
        self.ground
            .track(self.account, BOX, NumberKind::Container)
            .await;
        self.ground.drain().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_starts_anew_gets_what_comes_and_the_wait_before_gets_nothing() {
    let laptop = Laptop::new().await;
    let listener = laptop.open().await;
    let abandoned = laptop.wait(listener);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(laptop.open().await, listener);
    let began = Instant::now();
    let anew = laptop.wait(listener);
    laptop.news().await;
    assert_eq!(anew.await.unwrap().len(), 1);
    assert!(began.elapsed() < AT_ONCE);
    assert_eq!(abandoned.await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_starts_anew_gets_what_the_one_before_had_in_hand() {
    let laptop = Laptop::new().await;
    let listener = laptop.open().await;
    laptop.news().await;
    let first = laptop.wait(listener).await.unwrap();
    assert_eq!(first.len(), 1);
    laptop.open().await;
    let again = laptop.wait(listener).await.unwrap();
    assert_eq!(again[0].notification, first[0].notification);
    assert_eq!(again[0].body, first[0].body);
    assert!(again[0].claim_token > first[0].claim_token);
}
