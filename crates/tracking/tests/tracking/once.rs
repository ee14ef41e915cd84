//! Requests that were named by their caller: what they did and what they answer stand together.

use std::any::Any;
use std::sync::Arc;

use domain::event::EventName;
use domain::ids::{AccountId, ShipmentId};
use domain::tracking_request::NumberKind;
use store::kept_answer::Asked;
use store::shipment::Shipment;
use store::tracking_request::TrackingRequest;
use tracking::Tracking;
use tracking::intake::{Accepted, Message, receive};
use tracking::once::{Sending, Shown, Standing};
use tracking::webhooks::{NewWebhook, Opened};
use uuid::Uuid;

use crate::BOX;
use crate::ground::{Ground, wanted};
use crate::sightings::BOUND;

/// One of these, as a use case returns it.
fn is_good(returned: &dyn Any) -> bool {
    let resumed = returned.downcast_ref::<Option<Shipment>>();
    returned.is::<TrackingRequest>()
        || returned.is::<Opened>()
        || resumed.is_some_and(Option::is_some)
}

fn shown() -> Shown {
    Shown {
        status: 201,
        media: "application/vnd.api+json".into(),
        location: None,
        body: b"{}".to_vec(),
    }
}

fn sending(tracking: &Tracking, account: AccountId, key: &str) -> Arc<Sending> {
    let asked = Asked {
        method: "POST".into(),
        path: "/v2/things".into(),
        key: key.into(),
    };
    let sending = Sending::new(tracking, account, asked, b"");
    sending.tell(Box::new(move |returned| is_good(returned).then(shown)));
    sending
}

/// Who asked is killed before he has closed the sending: whoever sends it again hears the answer all the same.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_stands_with_what_was_done() {
    let ground = Ground::new(BOUND).await;
    let account = ground.account("A").await;
    let tracking = ground.tracking();
    let named = |key: &str| tracking.once(sending(tracking, account, key));
    let wanted = wanted(BOX, NumberKind::Container);
    tracking::request::create(&named("track"), account, wanted)
        .await
        .unwrap();
    ground.drain().await;
    let wanted = NewWebhook {
        url: "https://example.com/hook".into(),
        active: true,
        events: vec![EventName::ContainerCreated],
        headers: Vec::new(),
    };
    tracking::webhooks::create(&named("subscribe"), account, wanted)
        .await
        .unwrap();
    let shipments = tracking
        .store()
        .read(move |tx| store::replay::shipments(tx, None, 10));
    let shipments = shipments.await.unwrap();
    let [(_, shipment)] = shipments.as_slice() else {
        panic!("{shipments:?}")
    };
    tracking::shipment::stop_tracking(tracking, account, *shipment)
        .await
        .unwrap();
    tracking::shipment::resume_tracking(&named("resume"), account, *shipment)
        .await
        .unwrap();
    for key in ["track", "subscribe", "resume"] {
        let again = sending(tracking, account, key).look().await.unwrap();
        assert!(matches!(again, Standing::Answered(_)), "{key}: {again:?}");
    }
}

/// Who opens the reception keeps the messages of all who come meanwhile. They are no part of what he named: neither are they
/// refused with it, nor is it done with them.
#[tokio::test]
async fn messages_that_come_beside_a_named_one_are_kept() {
    let ground = Ground::new(BOUND).await;
    let account = ground.account("A").await;
    let tracking = ground.tracking();
    let wanted = wanted(BOX, NumberKind::Container);
    let first = tracking.once(sending(tracking, account, "taken"));
    tracking::request::create(&first, account, wanted)
        .await
        .unwrap();
    let named = tracking.once(sending(tracking, account, "taken"));
    let message = |text: &str| Message {
        source: "hub".into(),
        account: None,
        content_type: "application/json".into(),
        bytes: text.as_bytes().to_vec(),
    };
    let (theirs, others) = tokio::join!(
        receive(&named, message("[1]")),
        receive(tracking, message("[2]"))
    );
    assert!(matches!(others, Ok(Accepted::Fresh(_))), "{others:?}");
    assert!(matches!(theirs, Ok(Accepted::Fresh(_))), "{theirs:?}");
}

/// Nothing good can be told of a shipment that is not there: the name is free again, and nobody had to give it back.
#[tokio::test]
async fn a_name_is_free_where_nothing_was_done() {
    let ground = Ground::new(BOUND).await;
    let account = ground.account("A").await;
    let tracking = ground.tracking();
    let named = tracking.once(sending(tracking, account, "resume"));
    let nobody = ShipmentId(Uuid::nil());
    let resumed = tracking::shipment::resume_tracking(&named, account, nobody).await;
    assert_eq!(resumed.unwrap(), None);
    let again = sending(tracking, account, "resume").look().await.unwrap();
    assert_eq!(again, Standing::Free);
}

/// Two that write nothing both did their work: the answer of the first stands, and the other is told so.
#[tokio::test]
async fn of_two_that_end_together_one_answer_stands() {
    let ground = Ground::new(BOUND).await;
    let account = ground.account("A").await;
    let tracking = ground.tracking();
    let [first, second] = [(); 2].map(|()| sending(tracking, account, "infer"));
    for one in [&first, &second] {
        assert_eq!(one.look().await.unwrap(), Standing::Free);
    }
    assert!(first.close(&shown()).await.unwrap());
    let other = Shown {
        body: b"other".to_vec(),
        ..shown()
    };
    assert!(!second.close(&other).await.unwrap());
    let stands = second.look().await.unwrap();
    assert_eq!(stands, Standing::Answered(shown()));
}
