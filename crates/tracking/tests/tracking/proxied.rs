//! Deliveries that go out by the operator's proxy. What the proxy refuses is on record as its own and switches no webhook
//! off, least of all its 410; what it says of a receiver that cannot be reached counts like any other silence.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use domain::event::EventName;
use domain::ids::WebhookId;
use domain::webhook::{DeliveryStatus, WITHHELD_ATTEMPT_MAX};
use jiff::SignedDuration;
use sources::outbound::{EgressSettings, Resolve, Resolving};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tracking::webhooks::{NewWebhook, create};

use crate::delivering::World;
use crate::ground::{Ground, this_machine};
use crate::receiver::{Receiver, run};

/// Every name means a public address that nobody calls.
struct Far;
impl Resolve for Far {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        Box::pin(async { Ok(vec!["93.184.216.34".parse().unwrap()]) })
    }
}

/// A proxy that answers with the status it was last given, and at 200 leads to this machine.
struct Proxy {
    address: SocketAddr,
    status: Arc<AtomicU16>,
}

impl Proxy {
    async fn refusing(status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let status = Arc::new(AtomicU16::new(status));
        let answers = Arc::clone(&status);
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                tokio::spawn(tunnel(tcp, answers.load(Ordering::SeqCst)));
            }
        });
        Self { address, status }
    }

    fn answers(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    fn egress(&self) -> EgressSettings {
        EgressSettings {
            proxy: Some(format!("http://{}", self.address).parse().unwrap()),
            ..this_machine()
        }
    }
}

async fn tunnel(mut tcp: TcpStream, status: u16) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(tcp.read_u8().await.unwrap());
    }
    if status != 200 {
        let refusal = format!("HTTP/1.1 {status} No\r\ncontent-length: 0\r\n\r\n");
        tcp.write_all(refusal.as_bytes()).await.ok();
        return;
    }
    let head = String::from_utf8(head).unwrap();
    let target = head.split_whitespace().nth(1).unwrap();
    let port: u16 = target.rsplit(':').next().unwrap().parse().unwrap();
    let mut near = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    tcp.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok();
    copy_bidirectional(&mut tcp, &mut near).await.ok();
}

/// A world in which one more webhook is beyond the proxy.
async fn world(proxy: &Proxy) -> (World, Receiver, WebhookId) {
    let ground = Ground::behind("[]", Arc::new(Far), proxy.egress()).await;
    let world = World::on(ground).await;
    let beyond = Receiver::open(&world.ground).await;
    let wanted = NewWebhook {
        url: beyond.named("beyond.example"),
        active: true,
        events: vec![EventName::TrackingRequestFailed],
        headers: Vec::new(),
    };
    let opened = create(world.ground.tracking(), world.account, wanted).await;
    let webhook = opened.unwrap().webhook.id;
    (world, beyond, webhook)
}

async fn is_active(world: &World, webhook: WebhookId) -> bool {
    let account = world.account;
    let find = move |tx: &mut store::Tx| store::webhook::find(&mut tx.account(account), webhook);
    let found = world.ground.tracking().store().read(find).await;
    found.unwrap().unwrap().active
}

/// News every six hours for six days.
async fn six_days(world: &World) {
    let began = world.ground.tracking().now();
    for hours in (0..6 * 24).step_by(6) {
        run(&world.ground, began + SignedDuration::from_hours(hours)).await;
        world.news().await;
    }
}

/// What is on record for this webhook's notification with the most attempts.
async fn words(world: &World, webhook: WebhookId) -> Vec<(Option<u16>, Option<String>)> {
    let rows = world.notifications().await;
    let mut longest = Vec::new();
    for told in rows.iter().filter(|row| row.webhook == webhook) {
        let attempts = world.attempts(told.id).await;
        if attempts.len() > longest.len() {
            longest = attempts;
        }
    }
    let words = longest.into_iter().map(|one| (one.status, one.reason));
    words.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_410_of_the_proxy_switches_nothing_off_however_long_it_lasts() {
    let proxy = Proxy::refusing(410).await;
    let (world, beyond, webhook) = world(&proxy).await;
    six_days(&world).await;
    assert!(is_active(&world, webhook).await);
    assert_eq!(beyond.count(), 0);
    let words = words(&world, webhook).await;
    let refused = (None, Some("proxy_refused".to_owned()));
    let most = usize::try_from(WITHHELD_ATTEMPT_MAX).unwrap();
    assert_eq!(words.len(), most, "then the last is on record");
    let ended = world.notifications().await.into_iter();
    let ended = ended.filter(|row| row.webhook == webhook && row.status == DeliveryStatus::Failed);
    assert_eq!(ended.count(), 0, "what we kept in is not given up");
    assert!(words.iter().all(|word| *word == refused), "{words:?}");
    assert!(world.receiver.count() > 20, "what is inside went straight");

    proxy.answers(200);
    world.news().await;
    assert!(beyond.count() > 0);
    beyond.refuses(410);
    world.news().await;
    assert!(!is_active(&world, webhook).await, "this was its own word");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_the_proxy_cannot_reach_is_switched_off_after_five_days() {
    let proxy = Proxy::refusing(504).await;
    let (world, _beyond, webhook) = world(&proxy).await;
    six_days(&world).await;
    assert!(!is_active(&world, webhook).await);
    let words = words(&world, webhook).await;
    let unreached = (None, Some("proxy_connect".to_owned()));
    assert!(words.iter().all(|word| *word == unreached), "{words:?}");
}
