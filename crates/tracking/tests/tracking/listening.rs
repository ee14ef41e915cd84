//! Listeners that come and go.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::event::EventName;
use domain::ids::AccountId;
use domain::listener::ListenerName;
use domain::tracking_request::NumberKind;
use domain::webhook::Verdict;
use jiff::SignedDuration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tracking::webhooks::{FetchRefused, Fetched, Handed, Whose, open_listener, settle, take};

use crate::BOX;
use crate::ground::Ground;

/// How long a listener waits.
const WAIT: Duration = Duration::from_mins(1);
/// What comes without a wait comes within this.
const AT_ONCE: Duration = Duration::from_secs(40);

const SHOWN: (Handed, Duration) = (Handed::Shown, Duration::ZERO);

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
    async fn open(&self) -> Whose {
        self.ground.pass(SignedDuration::from_secs(1));
        let name = ListenerName::parse("laptop").unwrap();
        let events = vec![EventName::TrackingRequestFailed];
        let opened = open_listener(self.ground.tracking(), self.account, name, events).await;
        let opened = opened.unwrap();
        Whose {
            account: self.account,
            webhook: opened.opened.webhook.id,
            turn: Some(opened.turn),
            key: None,
        }
    }

    /// Waits as the service does for one who asks. The second part is told when it has looked for the first time.
    fn wait(&self, whose: Whose) -> (JoinHandle<Result<Vec<Fetched>, FetchRefused>>, Arc<Notify>) {
        let tracking = self.ground.tracking().clone();
        let looked = Arc::new(Notify::new());
        let look = Arc::clone(&looked);
        let waiting = tokio::spawn(async move {
            let go_on = || {
                look.notify_one();
                true
            };
            let taken = take(&tracking, whose, 10, WAIT, go_on).await;
            taken.map(|taken| taken.unwrap().deliveries)
        });
        (waiting, looked)
    }

    /// What somebody gets who asks now.
    async fn taken(&self, whose: Whose) -> Vec<Fetched> {
        self.wait(whose).0.await.unwrap().unwrap()
    }

    async fn news(&self) {
        self.news_of(BOX).await;
    }

    async fn news_of(&self, number: &str) {
        self.ground
            .track(self.account, number, NumberKind::Container)
            .await;
        self.ground.drain().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_starts_anew_gets_what_comes_and_the_wait_before_is_told() {
    let laptop = Laptop::new().await;
    let first = laptop.open().await;
    let (abandoned, looked) = laptop.wait(first);
    looked.notified().await;
    let second = laptop.open().await;
    assert_eq!(second.webhook, first.webhook);
    let began = Instant::now();
    let (anew, looked) = laptop.wait(second);
    looked.notified().await;
    laptop.news().await;
    assert_eq!(anew.await.unwrap().unwrap().len(), 1);
    assert!(began.elapsed() < AT_ONCE);
    let told = abandoned.await.unwrap();
    assert!(matches!(told, Err(FetchRefused::TakenOver)), "{told:?}");
}

/// As a program that knows of no turns.
#[tokio::test(flavor = "multi_thread")]
async fn who_shows_no_turn_gets_nothing_in_the_wait_that_was_taken_over() {
    let laptop = Laptop::new().await;
    let first = Whose {
        turn: None,
        ..laptop.open().await
    };
    let (abandoned, looked) = laptop.wait(first);
    looked.notified().await;
    laptop.open().await;
    assert_eq!(abandoned.await.unwrap().unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_starts_anew_gets_what_the_one_before_had_in_hand() {
    let laptop = Laptop::new().await;
    let before = laptop.open().await;
    laptop.news().await;
    let first = laptop.taken(before).await;
    assert_eq!(first.len(), 1);
    let after = laptop.open().await;
    let claim = (first[0].notification, first[0].claim_token);
    let late = settle(laptop.ground.tracking(), before, claim, SHOWN).await;
    assert!(matches!(late, Err(FetchRefused::TakenOver)), "{late:?}");
    let again = laptop.taken(after).await;
    assert_eq!(again[0].notification, first[0].notification);
    assert_eq!(again[0].body, first[0].body);
    assert!(again[0].claim_token > first[0].claim_token);
    let claim = (again[0].notification, again[0].claim_token);
    let settled = settle(laptop.ground.tracking(), after, claim, SHOWN).await;
    assert_eq!(settled.unwrap(), Some(Verdict::Succeeded));
}

/// Two that are as long as bills of hundreds of boxes.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_handed_over_at_once_has_a_bound_in_bytes() {
    let laptop = Laptop::new().await;
    let whose = laptop.open().await;
    for number in [BOX, "MSCU6639870"] {
        laptop.news_of(number).await;
    }
    assert_eq!(laptop.taken(whose).await.len(), 2);
    laptop
        .ground
        .tamper("update bodies set body = cast(replace(hex(zeroblob(1500000)), '0', '7') as blob)");
    let whose = laptop.open().await;
    let mut told = Vec::new();
    for _ in 0..2 {
        let taken = laptop.taken(whose).await;
        let [one] = &taken[..] else {
            panic!("{} at once", taken.len());
        };
        assert_eq!(one.body.len(), 3_000_000);
        let claim = (one.notification, one.claim_token);
        let settled = settle(laptop.ground.tracking(), whose, claim, SHOWN).await;
        assert_eq!(settled.unwrap(), Some(Verdict::Succeeded));
        told.push(one.notification);
    }
    assert_ne!(told[0], told[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_that_cannot_be_read_hides_no_other() {
    let laptop = Laptop::new().await;
    let whose = laptop.open().await;
    for number in [BOX, "MSCU6639870"] {
        laptop.news_of(number).await;
    }
    let first = laptop.taken(whose).await;
    assert_eq!(first.len(), 2);
    let bad = first[0].notification.0.simple();
    laptop.ground.tamper(&format!(
        "update bodies set body = x'0fffff' where notification_id = x'{bad}'"
    ));
    let whose = laptop.open().await;
    let taken = laptop.taken(whose).await;
    let taken: Vec<_> = taken.iter().map(|one| one.notification).collect();
    assert_eq!(taken, [first[1].notification]);
}
