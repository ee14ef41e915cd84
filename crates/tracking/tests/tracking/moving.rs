//! A name that comes to mean a private address: the attempt after that is refused at the socket and on record, the
//! one after the name has come back is made, with the same bytes, and other receivers hear nothing of it.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};

use domain::event::EventName;
use domain::ids::WebhookId;
use domain::webhook::DeliveryStatus;
use sources::outbound::{Resolve, Resolving};
use tracking::webhooks::{NewWebhook, create};
use wiremock::ResponseTemplate;

use crate::delivering::World;
use crate::ground::Ground;
use crate::receiver::{Receiver, run};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const INSIDE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

/// Every name means the address that was said last.
struct Movable(Mutex<IpAddr>);

impl Resolve for Movable {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        let address = *self.0.lock().unwrap();
        Box::pin(async move { Ok(vec![address]) })
    }
}

/// A second webhook of the world's account, under a name.
async fn subscribe(world: &World, receiver: &Receiver) -> WebhookId {
    let wanted = NewWebhook {
        url: receiver.named("moving.example"),
        active: true,
        events: vec![EventName::TrackingRequestFailed],
        headers: Vec::new(),
    };
    let opened = create(world.ground.tracking(), world.account, wanted).await;
    opened.unwrap().webhook.id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_comes_to_mean_a_private_address_is_refused_on_record() {
    let names = Arc::new(Movable(Mutex::new(HERE)));
    let resolver = Arc::clone(&names) as Arc<dyn Resolve>;
    let world = World::on(Ground::resolving("[]", resolver).await).await;
    let moving = Receiver::open(&world.ground).await;
    let webhook = subscribe(&world, &moving).await;
    // Each attempt on a connection of its own: one that stays open goes to an address that had passed.
    let closing = |status| ResponseTemplate::new(status).insert_header("connection", "close");
    moving.answers(closing(500));
    world.news().await;
    let rows = world.notifications().await;
    let told = rows.iter().find(|row| row.webhook == webhook).unwrap();
    assert_eq!((moving.count(), world.receiver.count()), (1, 1));

    *names.0.lock().unwrap() = INSIDE;
    run(&world.ground, world.in_minutes(1)).await;
    assert_eq!(moving.count(), 1, "nobody was called");
    *names.0.lock().unwrap() = HERE;
    moving.answers(closing(200));
    run(&world.ground, world.in_minutes(10)).await;

    let log = moving.log();
    assert_eq!(log.len(), 2);
    assert_eq!((log[0].id(), &log[0].body), (log[1].id(), &log[1].body));
    let attempts = world.attempts(told.id).await;
    let seen: Vec<_> = attempts
        .iter()
        .map(|attempt| (attempt.status, attempt.reason.as_deref()))
        .collect();
    let refused = (None, Some("blocked_address"));
    assert_eq!(seen.first(), Some(&(Some(500), None)));
    assert_eq!(seen.last(), Some(&(Some(200), None)));
    assert!(
        seen.len() > 2 && seen[1..seen.len() - 1].iter().all(|it| *it == refused),
        "{seen:?}"
    );
    let shown = format!("{attempts:?}");
    assert!(
        !shown.contains("10.0.0.1"),
        "the inside of the network is told: {shown}"
    );
    assert_eq!(world.statuses().await, [DeliveryStatus::Succeeded; 2]);
    assert_eq!(world.receiver.count(), 1, "the other one was told once");
}
