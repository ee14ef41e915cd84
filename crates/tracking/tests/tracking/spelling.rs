//! Addresses that are written in letters which no request can carry: they are shown as they were written, and called
//! in the spelling that names and paths have on the wire.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use domain::event::EventName;
use domain::webhook::DeliveryStatus;
use sources::outbound::{Resolve, Resolving};
use tracking::webhooks::{WebhookPatch, trigger, update};

use crate::delivering::World;
use crate::ground::Ground;
use crate::receiver::Receiver;

/// Every name means this machine, and those that were asked for are kept.
#[derive(Default)]
struct Kept(Mutex<Vec<String>>);

impl Resolve for Kept {
    fn resolve<'a>(&'a self, host: &'a str) -> Resolving<'a> {
        self.0.lock().unwrap().push(host.to_owned());
        Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) })
    }
}

/// The address of `receiver` under a name and a path that have to be spelled anew.
fn odd(receiver: &Receiver) -> String {
    let address = receiver.named("Bücher.example");
    format!("{address}<Tür>`?an=<{{ä}}>\"")
}

const ON_THE_WIRE: &str = "/%3CT%C3%BCr%3E%60?an=%3C{%C3%A4}%3E%22";

#[tokio::test(flavor = "multi_thread")]
async fn an_address_in_letters_of_its_own_is_delivered_to_and_shown_as_written() {
    let names = Arc::new(Kept::default());
    let resolver = Arc::clone(&names) as Arc<dyn Resolve>;
    let world = World::on(Ground::resolving("[]", resolver).await).await;
    let url = odd(&world.receiver);
    let patch = WebhookPatch {
        url: Some(url.clone()),
        ..WebhookPatch::default()
    };
    let id = world.hook.webhook.id;
    let changed = update(world.ground.tracking(), world.account, id, patch).await;
    assert_eq!(changed.unwrap().unwrap().webhook.url, url);
    world.news().await;

    assert_eq!(world.statuses().await, [DeliveryStatus::Succeeded]);
    let log = world.receiver.log();
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].target, ON_THE_WIRE);
    let host = log[0].header("host").unwrap();
    assert!(host.starts_with("xn--bcher-kva.example:"), "{host}");
    assert_eq!(*names.0.lock().unwrap(), ["xn--bcher-kva.example"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_send_to_such_an_address_goes_the_same_way() {
    let names = Arc::new(Kept::default());
    let ground = Ground::resolving("[]", Arc::clone(&names) as Arc<dyn Resolve>).await;
    let receiver = Receiver::open(&ground).await;
    let event = EventName::ContainerUpdated;
    let tried = trigger(ground.tracking(), &odd(&receiver), event, None).await;
    assert_eq!(tried.unwrap().status, Some(200));
    assert_eq!(receiver.log()[0].target, ON_THE_WIRE);
    assert_eq!(*names.0.lock().unwrap(), ["xn--bcher-kva.example"]);
}
