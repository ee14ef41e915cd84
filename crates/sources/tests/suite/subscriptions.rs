//! Asking a carrier to send by itself.

use domain::tracking_request::NumberKind;
use serde_json::json;
use sources::ocean::dcsa::push::{
    Subscription, SubscriptionFailure, SubscriptionWish, Subscriptions,
};
use sources::ocean::dcsa::{PullFailure, Question};
use wiremock::matchers::{body_json, header, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::puller::{now, puller, puller_of};

const AUTH: &str = "[auth]\nkind = \"headers\"\nheaders = { \"X-Key\" = \"key\" }\n[push]";

fn wish() -> SubscriptionWish {
    SubscriptionWish {
        callback: "https://quayside.example/push/qsd".parse().unwrap(),
        about: Some(Question {
            kind: NumberKind::Booking,
            number: "QSDB700100".into(),
        }),
    }
}

fn told(id: &str) -> serde_json::Value {
    json!({ "subscriptionID": id, "callbackUrl": "https://quayside.example/push/qsd", "more": 1 })
}

fn subscription(id: &str) -> Subscription {
    Subscription {
        id: id.into(),
        callback: Some("https://quayside.example/push/qsd".into()),
    }
}

#[tokio::test]
async fn one_is_made_kept_and_ended() {
    let server = MockServer::start().await;
    let at = "/tnt/v2/event-subscriptions";
    let filters = json!({
        "callbackUrl": "https://quayside.example/push/qsd",
        "eventType": ["SHIPMENT", "TRANSPORT", "EQUIPMENT"],
        "carrierBookingReference": "QSDB700100",
    });
    let with = |name: &str, value: &str| {
        let mut body = filters.clone();
        body[name] = json!(value);
        body
    };
    let answers = [
        (
            Mock::given(method("POST"))
                .and(path(at))
                .and(body_json(with("secret", "c2VjcmV0"))),
            ResponseTemplate::new(201).set_body_json(told("s/1")),
        ),
        (
            Mock::given(method("GET")).and(path(at)),
            ResponseTemplate::new(200)
                .set_body_json(json!([told("s/1"), told("s2"), { "odd": 1 }])),
        ),
        (
            Mock::given(method("GET")).and(path(format!("{at}/s%2F1"))),
            ResponseTemplate::new(200).set_body_json(told("s/1")),
        ),
        (
            Mock::given(method("PUT"))
                .and(path(format!("{at}/s%2F1")))
                .and(body_json(with("subscriptionID", "s/1"))),
            ResponseTemplate::new(200).set_body_json(told("s/1")),
        ),
        (
            Mock::given(method("PUT"))
                .and(path(format!("{at}/s%2F1/secret")))
                .and(body_json(json!({ "secret": "bmV3" }))),
            ResponseTemplate::new(204),
        ),
        (
            Mock::given(method("DELETE")).and(path(format!("{at}/s%2F1"))),
            ResponseTemplate::new(204),
        ),
    ];
    for (mock, answer) in answers {
        mock.and(header("x-key", "k-1"))
            .respond_with(answer)
            .expect(1)
            .mount(&server)
            .await;
    }
    let subscriptions = Subscriptions::of(&puller(&server, AUTH));
    let made = subscriptions
        .create(&wish(), &"c2VjcmV0".into(), now())
        .await;
    assert_eq!(made, Ok(subscription("s/1")));
    let listed = subscriptions.list(now()).await;
    assert_eq!(listed, Ok(vec![subscription("s/1"), subscription("s2")]));
    assert_eq!(
        subscriptions.get("s/1", now()).await,
        Ok(subscription("s/1"))
    );
    assert_eq!(subscriptions.renew("s/1", &wish(), now()).await, Ok(()));
    assert_eq!(
        subscriptions
            .replace_secret("s/1", &"bmV3".into(), now())
            .await,
        Ok(())
    );
    assert_eq!(subscriptions.delete("s/1", now()).await, Ok(()));
}

#[tokio::test]
async fn the_beta_of_version_3_has_its_own_names() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/tnt/v3/event-subscriptions"))
        .and(body_json(json!({
            "callbackUrl": "https://quayside.example/push/qsd",
            "eventTypes": ["SHIPMENT", "TRANSPORT", "EQUIPMENT"],
            "documentReference": "QSDB700100",
            "documentTypeCodes": ["BKG"],
            "secret": "c2VjcmV0",
        })))
        .respond_with(ResponseTemplate::new(201).set_body_json(told("b1")))
        .expect(1)
        .mount(&server)
        .await;
    let beta = "protocol = \"dcsa-3\"\ndialect = \"3.0.0-beta-1\"";
    let subscriptions = Subscriptions::of(&puller_of(&server, beta, "[push]"));
    let made = subscriptions
        .create(&wish(), &"c2VjcmV0".into(), now())
        .await;
    assert_eq!(made, Ok(subscription("b1")));
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let refusals = [
        (501, SubscriptionFailure::NotOffered),
        (404, SubscriptionFailure::Gone),
        (400, SubscriptionFailure::Refused("no such filter".into())),
        (401, PullFailure::Unauthorized.into()),
        (
            500,
            PullFailure::Unreachable("it answers 500".into()).into(),
        ),
    ];
    for (status, failure) in refusals {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(status).set_body_string("no such\n filter");
        Mock::given(method("PUT"))
            .respond_with(answer)
            .mount(&server)
            .await;
        let subscriptions = Subscriptions::of(&puller(&server, "[push]"));
        let refused = subscriptions.renew("s1", &wish(), now()).await;
        assert_eq!(refused, Err(failure), "{status}");
    }
    let server = MockServer::start().await;
    Mock::given(method("DELETE"))
        .respond_with(ResponseTemplate::new(410))
        .mount(&server)
        .await;
    let subscriptions = Subscriptions::of(&puller(&server, "[push]"));
    assert_eq!(
        subscriptions.delete("s1", now()).await,
        Ok(()),
        "what is gone is ended"
    );
    let by_hand = Subscriptions::of(&puller(&server, ""));
    assert_eq!(by_hand.list(now()).await, Err(SubscriptionFailure::ByHand));
}

#[tokio::test]
async fn a_list_is_read_to_its_end_or_not_at_all() {
    let server = MockServer::start().await;
    let page = |id: &str, next: &str| {
        ResponseTemplate::new(200)
            .set_body_json(json!({ "subscriptions": [told(id)] }))
            .insert_header("Next-Page-Cursor", next)
    };
    let second = ResponseTemplate::new(200).set_body_json(json!([told("s2")]));
    Mock::given(method("GET"))
        .and(query_param("cursor", "a"))
        .respond_with(second)
        .mount(&server)
        .await;
    Mock::given(method("GET"))
        .respond_with(page("s1", "a"))
        .mount(&server)
        .await;
    let subscriptions = Subscriptions::of(&puller(&server, "[push]"));
    let listed = subscriptions.list(now()).await;
    assert_eq!(listed, Ok(vec![subscription("s1"), subscription("s2")]));
    let impatient = Subscriptions::of(&puller(&server, "pages_max = 1\n[push]"));
    impatient.list(now()).await.unwrap_err();
}
