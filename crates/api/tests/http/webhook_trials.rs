//! Test sends, and looking at events before they happen.

use std::sync::Arc;

use domain::account::Feature;
use domain::event::EventName;
use serde_json::{Value, json};
use sources::outbound::{EgressSettings, Resolve, Resolving};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::house::House;
use crate::rail_data::LINE;

/// A receiver that answers once, with this.
async fn receiver(answer: &'static str) -> (String, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let heard = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut heard = Vec::new();
        let mut piece = [0; 4_096];
        loop {
            let read = socket.read(&mut piece).await.unwrap();
            heard.extend_from_slice(&piece[..read]);
            let text = String::from_utf8_lossy(&heard).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(": ")?;
                    let is_length = name.eq_ignore_ascii_case("content-length");
                    is_length.then(|| value.parse::<usize>().unwrap())
                });
                if length.is_some_and(|length| body.len() >= length) {
                    socket.write_all(answer.as_bytes()).await.unwrap();
                    return text;
                }
            }
        }
    });
    (format!("http://{address}/in"), heard)
}

pub fn opened() -> EgressSettings {
    EgressSettings {
        allow_http: true,
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        ..EgressSettings::default()
    }
}

async fn trigger(house: &House, body: Value) -> crate::client::Answer {
    let client = house.client();
    client
        .send("POST", "/v2/webhooks/trigger", Some(&body))
        .await
}

#[tokio::test]
async fn a_sample_goes_out_signed_and_the_answer_is_told() {
    let house = House::reaching(opened()).await;
    let (url, heard) = receiver(
        "HTTP/1.1 202 Accepted\r\ncontent-length: 4\r\nx-seen: yes\r\n\
             set-cookie: a=1\r\nset-cookie: b=2\r\n\r\nfine",
    )
    .await;
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let asked = json!({"url": url, "event": "container.updated", "secret": secret});
    let answer = trigger(&house, asked).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let told = answer.json();
    assert_eq!(told["url"], url);
    assert_eq!(
        (&told["succeeded"], &told["status_code"]),
        (&json!(true), &json!(202))
    );
    assert_eq!(
        (&told["error"], &told["response_body"]),
        (&Value::Null, &json!("fine"))
    );
    assert_eq!(told["response_headers"]["x-seen"], "yes");
    assert_eq!(told["response_headers"]["set-cookie"], "a=1, b=2");

    let heard = heard.await.unwrap();
    let (head, body) = heard.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, told["request_body"].as_str().unwrap());
    let sent: Value = serde_json::from_str(body).unwrap();
    assert_eq!(sent["data"]["attributes"]["event"], "container.updated");
    let named = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    };
    for (name, value) in told["request_headers"].as_object().unwrap() {
        assert_eq!(named(name), value.as_str(), "{name}");
        assert!(head.contains(&format!("\r\n{name}: ")), "{name}: {head}");
    }
    let reference = tracking::webhooks::sign::reference(secret, body.as_bytes());
    assert_eq!(named("x-t49-webhook-signature"), Some(reference.as_str()));
    assert_eq!(named("webhook-id"), sent["data"]["id"].as_str());
    let verifier = standardwebhooks::Webhook::new(secret).unwrap();
    let at = named("webhook-timestamp").unwrap().parse().unwrap();
    let signed = verifier.sign(named("webhook-id").unwrap(), at, body.as_bytes());
    assert_eq!(named("webhook-signature"), Some(signed.unwrap().as_str()));
}

/// As bytes on the wire: some receivers look for a name in the letters of the description.
#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_writes_the_names_of_its_headers_capitalised() {
    let house = House::hearing(&[LINE], opened()).await;
    let client = house.client();
    let (url, heard) = receiver("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let webhook = json!({"data": {"type": "webhook", "attributes": {
        "url": url, "events": ["tracking_request.failed"],
        "headers": [{"name": "x-team", "value": "quay"}]}}});
    let made = client.send("POST", "/v2/webhooks", Some(&webhook)).await;
    assert_eq!(
        made.json()["data"]["attributes"]["headers"][0]["name"],
        "X-Team"
    );
    let wanted = json!({"data": {"type": "tracking_request", "attributes": {
        "request_type": "bill_of_lading", "request_number": "TEST-TR-FAILED", "scac": "TEST"}}});
    let asked = client
        .send("POST", "/v2/tracking_requests", Some(&wanted))
        .await;
    assert_eq!(asked.status, 201, "{}", asked.body);
    tracking::work::drain(&house.tracking).await.unwrap();
    let heard = heard.await.unwrap();
    let (head, _) = heard.split_once("\r\n\r\n").unwrap();
    for name in [
        "Content-Type",
        "User-Agent",
        "Webhook-Id",
        "Webhook-Timestamp",
        "Webhook-Signature",
        "X-T49-Webhook-Signature",
        "X-Team",
    ] {
        assert!(head.contains(&format!("\r\n{name}: ")), "{name}: {head}");
    }
}

/// A receiver takes its time, and the caller sends again meanwhile.
#[tokio::test]
async fn a_named_sample_that_is_asked_for_five_times_at_once_goes_out_once() {
    let house = House::reaching(opened()).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    let heard = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = Arc::clone(&heard);
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            tokio::spawn(async move {
                tokio::time::sleep(std::time::Duration::from_millis(300)).await;
                let mut piece = [0; 16_384];
                let _ = socket.read(&mut piece).await;
                let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                let _ = socket.write_all(answer.as_bytes()).await;
            });
        }
    });
    let mut together = tokio::task::JoinSet::new();
    for _ in 0..5 {
        let client = house.client().header("Idempotency-Key", "sample");
        let asked = json!({"url": url, "event": "container.updated"});
        together.spawn(async move {
            let path = "/v2/webhooks/trigger";
            client.send("POST", path, Some(&asked)).await
        });
    }
    let answers = together.join_all().await;
    assert!(answers.iter().all(|one| one.status == 200));
    let first = &answers[0].body;
    assert!(answers.iter().all(|one| one.body == *first));
    assert_eq!(heard.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[tokio::test]
async fn without_a_secret_nothing_is_signed_and_any_text_is_a_secret() {
    let house = House::reaching(opened()).await;
    let named = |told: &Value| -> Vec<String> {
        let headers = told["request_headers"].as_object().unwrap();
        headers.keys().map(|name| name.to_lowercase()).collect()
    };
    let standard_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    for (secret, reference, standard) in [
        (Value::Null, false, false),
        (json!(""), false, false),
        (json!(" 90a1 b2ä "), true, false),
        (json!("whsec_!"), true, false),
        (json!(standard_secret), true, true),
    ] {
        let (url, heard) = receiver(
            "HTTP/1.1 302 Found\r\nlocation: http://10.0.0.1/\r\ncontent-length: 0\r\n\r\n",
        )
        .await;
        let asked = json!({"url": url, "event": "tracking_request.failed", "secret": secret});
        let told = trigger(&house, asked).await.json();
        assert_eq!(
            (&told["succeeded"], &told["status_code"]),
            (&json!(false), &json!(302))
        );
        let names = named(&told);
        assert_eq!(
            names.contains(&"x-t49-webhook-signature".to_owned()),
            reference,
            "{secret}"
        );
        assert_eq!(
            names.contains(&"webhook-signature".to_owned()),
            standard,
            "{secret}"
        );
        // One signature of two is easily taken for a fault of the receiver.
        let left_out = "the secret is not whsec_ and base64, so webhook-signature was left out";
        let note = (reference && !standard).then_some(left_out);
        assert_eq!(told["note"], json!(note), "{secret}");
        let heard = heard.await.unwrap();
        assert_eq!(
            heard.to_lowercase().contains("x-t49-webhook-signature"),
            reference
        );
        if let Some(secret) = secret.as_str().filter(|_| reference) {
            let body = told["request_body"].as_str().unwrap();
            let expected = tracking::webhooks::sign::reference(secret, body.as_bytes());
            assert!(
                heard.contains(&expected),
                "keyed with the text to the letter"
            );
        }
    }
}

/// The head and a part of the answer came; a test send says so beside its failure.
#[tokio::test]
async fn what_came_of_an_answer_that_breaks_off_is_told() {
    let house = House::reaching(opened()).await;
    let (url, _heard) =
        receiver("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\nx-seen: yes\r\n\r\nstack trace").await;
    let told = trigger(&house, json!({"url": url, "event": "container.updated"})).await;
    let told = told.json();
    assert_eq!(
        (&told["succeeded"], &told["error"]),
        (&json!(false), &json!("protocol"))
    );
    assert_eq!(
        (&told["status_code"], &told["response_body"]),
        (&json!(200), &json!("stack trace"))
    );
    assert_eq!(told["response_headers"]["x-seen"], "yes");
}

#[tokio::test]
async fn the_guard_is_not_talked_round() {
    let house = House::open().await;
    for url in [
        "https://10.0.0.1/",
        "https://[::1]/",
        "https://hooks.example.com:22/",
    ] {
        let asked = json!({"url": url, "event": "container.updated"});
        let answer = trigger(&house, asked).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let told = answer.json();
        assert_eq!(
            (&told["succeeded"], &told["error"]),
            (&json!(false), &json!("blocked_address"))
        );
        assert_eq!(
            (&told["status_code"], &told["response_body"]),
            (&Value::Null, &Value::Null)
        );
        assert_eq!(told["response_headers"], Value::Null);
    }
}

#[tokio::test]
async fn a_name_that_leads_inside_is_blocked_without_its_address() {
    let house = House::resolving(Arc::new(Inside)).await;
    let asked = json!({"url": "https://hooks.example.com/", "event": "container.updated"});
    let answer = trigger(&house, asked).await;
    assert_eq!(answer.json()["error"], "blocked_address");
    assert!(!answer.body.contains("127.0.0.1"), "{}", answer.body);
}

#[tokio::test]
async fn what_is_no_trial_is_refused() {
    let house = House::open().await;
    let event = "container.updated";
    for (body, expected) in [
        (json!({"event": event}), "/url: url is required"),
        (json!({"url": " ", "event": event}), "/url: url is required"),
        (
            json!({"url": null, "event": event}),
            "/url: url is required",
        ),
        (
            json!({"url": 1, "event": event}),
            "/url: Url must be a string",
        ),
        (
            json!({"url": "http://hooks.example/", "event": event}),
            "/url: url is refused: http is not allowed here; the operator can allow it with egress.allow_http",
        ),
        (
            json!({"url": "https://a.example/"}),
            "/event: event is required",
        ),
        (
            json!({"url": "https://a.example/", "event": "x"}),
            "/event: Event names an event that does not exist, \"x\"; GET /v2/webhooks/events lists them",
        ),
        (
            json!({"url": "https://a.example/", "event": "document.extracted"}),
            "/event: Event names an event of documents, \"document.extracted\", which are not taken in here; leave it out",
        ),
        (
            json!({"url": "https://a.example/", "event": event, "secret": 1}),
            "/secret: Secret must be a string",
        ),
        (
            json!({"url": "https://a.example/", "event": event, "secret": "x".repeat(1_025)}),
            "/secret: Secret is longer than 1024 characters",
        ),
    ] {
        let told = trigger(&house, body.clone()).await.faults(422);
        assert_eq!(told, [expected], "{body}");
    }
    assert_eq!(trigger(&house, json!({})).await.faults(422).len(), 2);
    trigger(&house, json!([])).await.faults(400);
}

#[tokio::test]
async fn test_sends_have_a_limit_of_their_own() {
    let settings = api::Settings {
        rate_limits: api::RateLimits {
            trigger_per_minute: 10,
            ..api::RateLimits::NONE
        },
        ..crate::house::settings()
    };
    let house = House::with(settings).await;
    let asked = json!({"url": "https://10.0.0.1/", "event": "container.updated"});
    for _ in 0..10 {
        assert_eq!(trigger(&house, asked.clone()).await.status, 200);
    }
    let refused = trigger(&house, asked).await;
    refused.faults(429);
    assert!(refused.header("retry-after").is_some());
}

#[tokio::test]
async fn every_event_has_an_example() {
    let house = House::open().await;
    for event in EventName::ALL {
        let path = format!(
            "/v2/webhook_notifications/examples?event={}",
            event.as_str()
        );
        let answer = house.get(&path).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let told = answer.json();
        assert_eq!(told["data"]["type"], "webhook_notification");
        assert_eq!(told["data"]["attributes"]["event"], event.as_str());
        let own = format!(
            "{}/webhook_notifications/examples?event={}",
            crate::house::BASE,
            event.as_str()
        );
        assert_eq!(told["links"]["self"], own);
        assert!(!told["included"].as_array().unwrap().is_empty());
    }
    for query in [
        "",
        "?event=",
        "?event=teapot.boiled",
        "?event=container.created,container.updated",
    ] {
        let answer = house
            .get(&format!("/v2/webhook_notifications/examples{query}"))
            .await;
        let told = answer.faults(400);
        assert!(
            told.iter().all(|fault| fault.starts_with("event: ")),
            "{query}: {told:?}"
        );
        assert_eq!(answer.json()["errors"][0]["title"], "Bad Request");
    }
}

#[tokio::test]
async fn events_are_shown_in_groups_without_those_that_are_off() {
    let house = House::open().await;
    let told = house.get("/v2/webhooks/events").await.json();
    let first = &told["data"][0];
    assert_eq!(first["id"], "tracking-request-events");
    assert_eq!(first["attributes"]["name"], "Tracking Request Events");
    let names = |told: &Value| -> Vec<String> {
        let groups = told["data"].as_array().unwrap().iter();
        let events =
            groups.flat_map(|group| group["attributes"]["events"].as_array().unwrap().clone());
        events
            .map(|event| {
                assert!(event["description"].as_str().unwrap().ends_with('.'));
                event["name"].as_str().unwrap().to_owned()
            })
            .collect()
    };
    assert_eq!(names(&told).len(), 41);
    assert!(told.get("links").is_none() && told.get("meta").is_none());
    let sparse = house
        .get("/v2/webhooks/events?fields[webhook_event_category]=name")
        .await
        .json();
    assert!(sparse["data"][0]["attributes"].get("events").is_none());

    let without_rail = house.without(Feature::Rail).await;
    let told = without_rail.get("/v2/webhooks/events").await.json();
    assert_eq!(names(&told).len(), 40);
    assert!(!names(&told).contains(&"container.pickup_lfd_rail.changed".to_owned()));
}

#[tokio::test]
async fn addresses_of_the_sender_are_the_operators_word() {
    let house = House::open().await;
    let told = house.get("/v2/webhooks/ips").await.json();
    assert_eq!(
        told,
        json!({"webhook_notification_ips": [], "last_updated": "2026-03-01T12:00:00Z"})
    );
    let settings = api::Settings {
        webhook_sources: api::WebhookSources {
            addresses: vec!["203.0.113.7".parse().unwrap()],
            since: Some("2026-01-05T00:00:00Z".parse().unwrap()),
        },
        ..crate::house::settings()
    };
    let told = House::with(settings)
        .await
        .get("/v2/webhooks/ips")
        .await
        .json();
    assert_eq!(
        told,
        json!({"webhook_notification_ips": ["203.0.113.7"], "last_updated": "2026-01-05T00:00:00Z"})
    );
}

#[tokio::test]
async fn what_was_tried_is_listed() {
    let house = House::open().await;
    let planted = crate::planted::plant(&house).await;
    let path = format!("/v2/webhook_notifications/{}", planted.notification);
    let logs = house
        .get(&format!("{path}/webhook_notification_logs"))
        .await
        .json();
    assert_eq!(logs["meta"]["total"], 1);
    let told = &logs["data"][0]["attributes"];
    assert_eq!(
        *told,
        json!({
            "attempt": 1, "started_at": "2026-03-01T12:00:00Z", "duration_ms": 12, "status": 503,
            "reason": null, "response_headers": "retry-after: 60\n", "response_body": "busy",
            "next_attempt_at": "2026-03-01T12:01:00Z",
        })
    );
    let beyond = house
        .get(&format!("{path}/webhook_notification_logs?page[number]=2"))
        .await;
    assert_eq!(beyond.json()["data"], json!([]));
    let whole = house
        .get(&format!("{path}?include=webhook_notification_logs"))
        .await
        .json();
    let link = &whole["data"]["relationships"]["webhook_notification_logs"]["data"];
    assert_eq!(link[0]["id"], logs["data"][0]["id"]);
    assert_eq!(whole["included"], json!([logs["data"][0]]));
}

/// The record changes with the delivery; what was sent does not.
#[tokio::test]
async fn the_bytes_that_were_sent_can_be_read() {
    let house = House::open().await;
    let planted = crate::planted::plant(&house).await;
    let path = format!("/v2/webhook_notifications/{}", planted.notification);
    let bytes = house.get(&format!("{path}/body")).await;
    assert_eq!(bytes.status, 200);
    assert_eq!(bytes.body, crate::planted::sent(&planted));
    let told = bytes.json()["data"].clone();
    assert_eq!(told["id"], planted.notification.to_string());
    assert_eq!(told["attributes"]["delivery_status"], "pending");
}

#[tokio::test]
async fn a_new_secret_is_shown_once() {
    let house = House::open().await;
    let planted = crate::planted::plant(&house).await;
    let path = format!("/v2/webhooks/{}", planted.webhook);
    let before = house.get(&path).await.json()["data"]["attributes"]["secret"].clone();
    let rotated = house
        .client()
        .send("POST", &format!("{path}/rotate_secret"), None)
        .await;
    assert_eq!(rotated.status, 200, "{}", rotated.body);
    let secret = rotated.json()["data"]["attributes"]["secret"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        secret.starts_with("whsec_") && secret.len() > 40,
        "{secret}"
    );
    let after = house.get(&path).await.json()["data"]["attributes"]["secret"].clone();
    assert_ne!(before, after);
    assert_eq!(after, format!("whsec_…{}", &secret[secret.len() - 4..]));
}

/// Every name leads to this machine.
struct Inside;

impl Resolve for Inside {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        Box::pin(async { Ok(vec![std::net::Ipv4Addr::LOCALHOST.into()]) })
    }
}
