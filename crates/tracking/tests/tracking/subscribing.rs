//! Subscriptions at a carrier that sends by itself.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::audit::INSTALLATION;
use domain::tracking_request::NumberKind;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderMap;
use jiff::SignedDuration;
use sha2::Sha256;
use store::push_subscription::{self, PushSubscription};
use tracking::subscribing::admits;
use wiremock::matchers::{method, path, path_regex};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::BOX;
use crate::ground::{Ground, LADEN};

const AT: &str = "/v2/event-subscriptions";
const PUSH: &str = "[push]\nsubscribe = true\n";

/// The carrier makes subscriptions, and takes what is put.
async fn offers(carrier: &MockServer, listed: serde_json::Value) {
    let made = serde_json::json!({"subscriptionID": "s-1", "callbackUrl": "http://127.0.0.1/inbound/nowhere"});
    let mocks = [
        (
            Mock::given(method("GET")).and(path(AT)),
            ResponseTemplate::new(200).set_body_json(listed),
        ),
        (
            Mock::given(method("POST")).and(path(AT)),
            ResponseTemplate::new(201).set_body_json(made.clone()),
        ),
        (
            Mock::given(method("PUT")).and(path_regex(format!("^{AT}/[^/]+$"))),
            ResponseTemplate::new(200).set_body_json(made),
        ),
        (
            Mock::given(method("PUT")).and(path_regex(format!("^{AT}/[^/]+/secret$"))),
            ResponseTemplate::new(204),
        ),
    ];
    for (mock, answer) in mocks {
        mock.respond_with(answer)
            .with_priority(1)
            .mount(carrier)
            .await;
    }
}

async fn kept(ground: &Ground) -> Option<PushSubscription> {
    let reading = ground
        .tracking()
        .store()
        .read(|tx| push_subscription::find(tx, "nowhere"));
    reading.await.unwrap()
}

/// The secrets that the carrier was told, in order.
async fn secrets(carrier: &MockServer) -> Vec<String> {
    let asked = carrier.received_requests().await.unwrap();
    let told = asked.iter().filter_map(|request| {
        let body: serde_json::Value = serde_json::from_slice(&request.body).ok()?;
        Some(body.get("secret")?.as_str()?.to_owned())
    });
    told.collect()
}

/// How many calls of this kind there were.
async fn calls(carrier: &MockServer, verb: &str) -> usize {
    let asked = carrier.received_requests().await.unwrap();
    let same = asked
        .iter()
        .filter(|request| request.method.as_str() == verb);
    same.filter(|request| request.url.path().starts_with(AT))
        .count()
}

async fn is_let_in(ground: &Ground, secret: &str, id: &str) -> bool {
    let mut mac = Hmac::<Sha256>::new_from_slice(&STANDARD.decode(secret).unwrap()).unwrap();
    mac.update(LADEN.as_bytes());
    let digest = mac.finalize().into_bytes();
    let digits = digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    let mut headers = HeaderMap::new();
    headers.insert(
        "Notification-Signature",
        format!("sha256={digits}").parse().unwrap(),
    );
    headers.insert("Subscription-ID", id.parse().unwrap());
    let tracking = ground.tracking();
    let source = tracking
        .sources()
        .find(|source| source.id() == "nowhere")
        .unwrap();
    admits(tracking, source, &headers, LADEN.as_bytes())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_is_made_at_need_kept_alive_and_its_secret_changed() {
    let ground = Ground::with(LADEN, PUSH).await;
    offers(ground.carrier(), serde_json::json!([])).await;
    ground.drain().await;
    assert_eq!(kept(&ground).await, None, "nothing is wanted of it yet");
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let made = kept(&ground).await.unwrap();
    assert_eq!(
        (made.standing.id.as_deref(), made.trouble.as_deref()),
        (Some("s-1"), None)
    );
    let first = secrets(ground.carrier()).await.remove(0);
    assert!(is_let_in(&ground, &first, "s-1").await);
    assert!(!is_let_in(&ground, &first, "s-2").await, "not ours");
    assert!(!is_let_in(&ground, &STANDARD.encode([7; 32]), "s-1").await);
    assert!(
        !made
            .secret
            .windows(first.len())
            .any(|part| part == first.as_bytes()),
        "sealed"
    );

    ground.pass(SignedDuration::from_hours(25));
    ground.drain().await;
    assert_eq!(calls(ground.carrier(), "POST").await, 1);
    assert_eq!(calls(ground.carrier(), "PUT").await, 1, "renewed");

    for _ in 0..30 {
        ground.pass(SignedDuration::from_hours(25));
        ground.drain().await;
    }
    let told = secrets(ground.carrier()).await;
    assert_eq!(told.len(), 2, "{told:?}");
    assert_ne!(told[0], told[1]);
    assert!(is_let_in(&ground, &told[1], "s-1").await);
    assert!(
        is_let_in(&ground, &first, "s-1").await,
        "what was under way counts too"
    );
    let [by, action, source, detail] =
        ["quayside", "source.secret_changed", "nowhere", "{}"].map(str::to_owned);
    let row = (by, action, source, detail);
    assert_eq!(
        noted(&ground).await,
        [row.clone(), row],
        "the first and its change are on record, and no secret"
    );
}

/// What the audit tells of what belongs to no account.
async fn noted(ground: &Ground) -> Vec<(String, String, String, String)> {
    let store = ground.tracking().store();
    let rows = store.read(|tx| store::audit::links(&mut tx.account(INSTALLATION), None, 9));
    let rows: Vec<_> = rows.await.unwrap();
    let rows = rows.into_iter().flatten();
    rows.map(|row| (row.actor, row.action, row.subject, row.detail))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_there_already_is_taken_over_and_one_that_is_gone_made_anew() {
    let ground = Ground::with(LADEN, PUSH).await;
    let ours = serde_json::json!([
        {"subscriptionID": "else", "callbackUrl": "https://elsewhere.example/"},
        {"subscriptionID": "lost", "callbackUrl": "http://127.0.0.1/inbound/nowhere"},
    ]);
    offers(ground.carrier(), ours).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    assert_eq!(
        kept(&ground).await.unwrap().standing.id.as_deref(),
        Some("lost")
    );
    assert_eq!(calls(ground.carrier(), "POST").await, 0);

    ground.carrier().reset().await;
    Mock::given(path_regex("event-subscriptions/lost"))
        .respond_with(ResponseTemplate::new(404))
        .with_priority(1)
        .mount(ground.carrier())
        .await;
    ground.pass(SignedDuration::from_hours(25));
    ground.drain().await;
    let gone = kept(&ground).await.unwrap();
    assert_eq!(gone.standing.id, None);
    assert!(gone.trouble.unwrap().contains("no such subscription"));
    offers(ground.carrier(), serde_json::json!([])).await;
    ground.pass(SignedDuration::from_mins(2));
    ground.drain().await;
    assert_eq!(
        kept(&ground).await.unwrap().standing.id.as_deref(),
        Some("s-1")
    );
}
