//! Requests that were named by their caller: what they did and what they answer stand together.

use std::any::Any;
use std::sync::Arc;

use domain::event::EventName;
use domain::ids::AccountId;
use domain::tracking_request::NumberKind;
use store::kept_answer::Asked;
use store::shipment::Shipment;
use store::tracking_request::TrackingRequest;
use store::webhook::Webhook;
use tracking::Tracking;
use tracking::intake::{Accepted, Message, receive};
use tracking::once::{Sending, Shown, Standing};
use tracking::webhooks::NewWebhook;

use crate::BOX;
use crate::ground::{Ground, wanted};
use crate::sightings::BOUND;

/// One of these rows, as a use case returns it.
fn is_row(returned: &dyn Any) -> bool {
    returned.is::<TrackingRequest>()
        || returned.is::<Webhook>()
        || returned.is::<Option<Shipment>>()
}

fn sending(tracking: &Tracking, account: AccountId, key: &str) -> Arc<Sending> {
    let asked = Asked {
        method: "POST".into(),
        path: "/v2/things".into(),
        key: key.into(),
    };
    let shown = || Shown {
        status: 201,
        media: "application/vnd.api+json".into(),
        location: None,
        body: b"{}".to_vec(),
    };
    let show = move |returned: &dyn Any| is_row(returned).then(shown);
    Sending::new(tracking, account, asked, b"", Box::new(show))
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
