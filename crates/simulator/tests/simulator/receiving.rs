//! The receiver.

use std::fmt::Write;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use jiff::{SignedDuration, Timestamp};
use simulator::receiver::{Fault, Manners, Receiver};
use standardwebhooks::Webhook;

use crate::asking::{Answer, SetClock, send};

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const ID: &str = "0198aaaa-0000-7000-8000-000000000001";

fn now() -> Timestamp {
    "2026-03-05T12:00:00Z".parse().unwrap()
}

async fn receiver() -> Receiver {
    let receiver = Receiver::bind("127.0.0.1:0", SetClock::at(now()).clock())
        .await
        .unwrap();
    receiver.set_secret(SECRET);
    receiver
}

fn document(extra: &str) -> String {
    format!(
        r#"{{"data":{{"id":"{ID}","type":"webhook_notification","attributes":{{"event":"container.created"{extra}}}}}}}"#
    )
}

/// A request as a right sender makes it; `secret` signs.
fn signed(receiver: &Receiver, secret: &str, body: &str, at: Timestamp) -> http::request::Builder {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret.as_bytes());
    let mut digest = String::new();
    for byte in ring::hmac::sign(&key, body.as_bytes()).as_ref() {
        let _ = write!(digest, "{byte:02x}");
    }
    let standard = Webhook::new(secret)
        .unwrap()
        .sign(ID, at.as_second(), body.as_bytes())
        .unwrap();
    Request::post(receiver.url())
        .header("content-type", "application/json")
        .header("x-t49-webhook-signature", digest)
        .header("webhook-id", ID)
        .header("webhook-timestamp", at.as_second())
        .header("webhook-signature", standard)
}

async fn post(request: http::request::Builder, body: &str) -> Answer {
    send(
        request
            .body(Full::from(Bytes::from(body.to_owned())))
            .unwrap(),
    )
    .await
}

#[tokio::test]
async fn right_signatures_are_verified() {
    let receiver = receiver().await;
    let body = document("");
    assert_eq!(
        post(signed(&receiver, SECRET, &body, now()), &body)
            .await
            .status,
        200
    );
    let deliveries = receiver.deliveries();
    assert_eq!(deliveries.len(), 1);
    assert!(deliveries[0].verified, "{:?}", deliveries[0].faults);
    assert_eq!(
        (
            deliveries[0].event.as_str(),
            deliveries[0].notification_id.as_str()
        ),
        ("container.created", ID)
    );
    assert_eq!(*receiver.arrivals().borrow(), 1);
    receiver.stop().await;
}

/// In the days of a rotation a delivery carries what both secrets sign, and either of them verifies it.
#[tokio::test]
async fn a_rotated_secret_verifies_beside_the_new_one() {
    let (old, new) = (SECRET, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    let body = document("");
    let heads = |secret: &str, receiver: &Receiver| -> Vec<String> {
        let request = signed(receiver, secret, &body, now()).body(()).unwrap();
        let value = |name: &str| request.headers()[name].to_str().unwrap().to_owned();
        vec![value("x-t49-webhook-signature"), value("webhook-signature")]
    };
    for (held, verified) in [(old, true), (new, true), ("whsec_dGVzdA==", false)] {
        let receiver = receiver().await;
        receiver.set_secret(held);
        let (before, after) = (heads(old, &receiver), heads(new, &receiver));
        let request = Request::post(receiver.url())
            .header("x-t49-webhook-signature", &after[0])
            .header("x-t49-webhook-signature-previous", &before[0])
            .header("webhook-id", ID)
            .header("webhook-timestamp", now().as_second())
            .header("webhook-signature", format!("{} {}", after[1], before[1]));
        post(request, &body).await;
        assert_eq!(receiver.deliveries()[0].verified, verified, "{held}");
        receiver.stop().await;
    }
}

/// The vector that the reference prints nowhere: computed by `openssl dgst -sha256 -hmac`.
#[tokio::test]
async fn the_body_signature_is_what_openssl_computes() {
    let receiver = receiver().await;
    receiver.set_secret("whsec_dGVzdA==");
    let request = Request::post(receiver.url()).header(
        "x-t49-webhook-signature",
        "a58faf5fd121e68ce0220ae29606d6b0a24e762930112d91249bb44a35a29a86",
    );
    post(request, r#"{"data":{}}"#).await;
    assert!(
        !receiver.deliveries()[0]
            .faults
            .contains(&Fault::BodySignature)
    );
}

#[tokio::test]
async fn everything_wrong_is_seen() {
    let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let body = document("");
    let receiver = receiver().await;
    post(signed(&receiver, other, &body, now()), &body).await;
    let late = now() - SignedDuration::from_mins(6);
    post(signed(&receiver, SECRET, &body, late), &body).await;
    post(signed(&receiver, SECRET, &body, now()), &document(" ")).await;
    post(Request::post(receiver.url()), &body).await;
    let mut request = signed(&receiver, SECRET, &body, now());
    let fields = request.headers_mut().unwrap();
    let loud = fields["x-t49-webhook-signature"]
        .to_str()
        .unwrap()
        .to_uppercase();
    fields.insert("x-t49-webhook-signature", loud.parse().unwrap());
    post(request, &body).await;
    let mut request = signed(&receiver, SECRET, &body, now());
    request
        .headers_mut()
        .unwrap()
        .insert("webhook-id", "another".parse().unwrap());
    post(request, &body).await;
    let deliveries = receiver.deliveries();
    let faults: Vec<_> = deliveries
        .iter()
        .map(|delivery| delivery.faults.clone())
        .collect();
    assert_eq!(faults[0], [Fault::BodySignature, Fault::StandardSignature]);
    assert_eq!(faults[1], [Fault::TimeApart(360)]);
    assert_eq!(
        faults[2],
        [
            Fault::BodySignature,
            Fault::StandardSignature,
            Fault::NotIdentical
        ]
    );
    assert_eq!(faults[3].len(), 4);
    assert_eq!(faults[4], [Fault::BodySignature]);
    assert_eq!(
        faults[5],
        [
            Fault::StandardSignature,
            Fault::OtherId("another".into(), ID.into())
        ]
    );
    assert!(deliveries.iter().all(|delivery| !delivery.verified));
    assert!(!deliveries[0].repeat && deliveries[1].repeat);
}

#[tokio::test]
async fn it_misbehaves_when_told_to() {
    let receiver = receiver().await;
    let body = document("");
    let try_once = || async { post(signed(&receiver, SECRET, &body, now()), &body).await };
    receiver.behave(Manners::Fail {
        times: 2,
        status: 503,
        retry_after: Some(7),
    });
    let failed = try_once().await;
    assert_eq!(
        (
            failed.status,
            failed.headers["retry-after"].to_str().unwrap()
        ),
        (503, "7")
    );
    assert_eq!(try_once().await.status, 503);
    assert_eq!(try_once().await.status, 200);
    receiver.behave(Manners::Gone);
    assert_eq!(try_once().await.status, 410);
    receiver.behave(Manners::Redirect("http://127.0.0.1:1/".into()));
    let moved = try_once().await;
    assert_eq!(
        (moved.status, moved.headers["location"].to_str().unwrap()),
        (307, "http://127.0.0.1:1/")
    );
    receiver.behave(Manners::Hang {
        times: 1,
        pause: Duration::from_mins(1),
    });
    let noted = async {
        while receiver.deliveries().len() < 6 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        answer = try_once() => panic!("it answers {}", answer.status),
        () = noted => {}
    }
    assert_eq!(try_once().await.status, 200);
    let answered: Vec<u16> = receiver
        .deliveries()
        .iter()
        .map(|delivery| delivery.answered)
        .collect();
    assert_eq!(answered, [503, 503, 200, 410, 307, 0, 200]);
    assert!(
        receiver
            .deliveries()
            .iter()
            .skip(1)
            .all(|delivery| delivery.repeat && delivery.verified)
    );
}

#[tokio::test]
async fn the_log_survives_the_receiver() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arrivals.jsonl");
    let body = document("");
    for run in 1..=2 {
        let receiver = receiver().await;
        receiver.log_to(&path).unwrap();
        post(signed(&receiver, SECRET, &body, now()), &body).await;
        receiver.stop().await;
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), run);
        let line: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(
            (line["notification_id"].as_str(), line["verified"].as_bool()),
            (Some(ID), Some(true))
        );
    }
}
