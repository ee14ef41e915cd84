//! Listeners that come and go.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::event::EventName;
use domain::ids::{AccountId, WebhookId};
use domain::listener::ListenerName;
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tracking::webhooks::{Fetched, open_listener, take};

use crate::BOX;
use crate::ground::Ground;

/// How long a listener waits.
const WAIT: Duration = Duration::from_mins(1);
/// What comes without a wait comes within this.
const AT_ONCE: Duration = Duration::from_secs(40);

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

    /// Waits as the service does for one who asks. The second part is told when it has looked for the first time.
    fn wait(&self, listener: WebhookId) -> (JoinHandle<Vec<Fetched>>, Arc<Notify>) {
        let (tracking, account) = (self.ground.tracking().clone(), self.account);
        let looked = Arc::new(Notify::new());
        let look = Arc::clone(&looked);
        let waiting = tokio::spawn(async move {
            let go_on = || {
                look.notify_one();
                true
            };
            let taken = take(&tracking, account, listener, 10, WAIT, go_on).await;
            taken.unwrap().unwrap()
        });
        (waiting, looked)
    }

    /// What somebody gets who asks now.
    async fn taken(&self, listener: WebhookId) -> Vec<Fetched> {
        self.wait(listener).0.await.unwrap()
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
    let (abandoned, looked) = laptop.wait(listener);
    looked.notified().await;
    assert_eq!(laptop.open().await, listener);
    let began = Instant::now();
    let (anew, looked) = laptop.wait(listener);
    looked.notified().await;
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
    let first = laptop.taken(listener).await;
    assert_eq!(first.len(), 1);
    laptop.open().await;
    let again = laptop.taken(listener).await;
    assert_eq!(again[0].notification, first[0].notification);
    assert_eq!(again[0].body, first[0].body);
    assert!(again[0].claim_token > first[0].claim_token);
}
