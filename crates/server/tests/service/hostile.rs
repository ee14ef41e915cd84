//! Receivers that do not behave, beside two that do: every attempt is on record with what came of it, nobody waits for
//! them, and nothing is lost once they are mended.
//!
//! The witnesses are outside: the good receivers, the hostile ones, which note what they were sent, and those that
//! stand in their places afterwards. A name that comes to mean a private address needs a resolver of the test's
//! own; that one is in the tests of `tracking`.

use std::collections::BTreeMap;
use std::io::{BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::faults::{bill_number, carrier, profile};
use crate::receiver::{Receiver, read_one};
use crate::service::Service;
use crate::tls;

/// Bills that are tracked, of two boxes each.
const BILLS: u32 = 8;
/// Each box is loaded once.
const TOLD: usize = 16;
/// Time of an attempt, as the test sets it.
const ATTEMPT_SECONDS: &str = "10";
/// Longer than any attempt, so that none is made twice however slow the machine is.
const LEASE_SECONDS: &str = "30";
/// What one receiver answers where nobody reads so much.
const FLOOD_BYTES: usize = 100 << 20;
/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_mins(2);
/// Name of a certificate that is trusted, of somebody else.
const ELSEWHERE: &str = "elsewhere.example";

/// What a hostile receiver was sent: bodies by notification id.
type Heard = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// Takes connections on a port of its own until the test process ends.
fn serve(take: impl Fn(TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let take = Arc::new(take);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let take = Arc::clone(&take);
            std::thread::spawn(move || take(stream));
        }
    });
    url
}

/// The same, once the request has been read.
fn serve_after_reading(heard: &Heard, take: impl Fn(TcpStream) + Send + Sync + 'static) -> String {
    let heard = Arc::clone(heard);
    serve(move |stream| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        if let Some((id, body)) = read_one(&mut reader) {
            let first = heard.lock().unwrap().insert(id, body.clone());
            assert!(first.is_none_or(|first| first == body), "other bytes");
            take(stream);
        }
    })
}

/// Never answers; ends when the sender does.
fn hangs(mut stream: TcpStream) {
    while stream.read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
}

/// Keeps every limit of time but the one over all.
fn dribbles(mut stream: TcpStream) {
    let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    while sent.is_ok() {
        std::thread::sleep(Duration::from_millis(100));
        sent = stream.write_all(b".");
    }
}

/// Answers 200 and a hundred megabytes; how many the sender let it write.
fn floods(mut stream: TcpStream) -> usize {
    let piece = vec![b'x'; 64 << 10];
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {FLOOD_BYTES}\r\n\r\n");
    let (mut sent, mut wrote) = (0, stream.write_all(head.as_bytes()));
    while wrote.is_ok() && sent < FLOOD_BYTES {
        wrote = stream.write_all(&piece);
        sent += piece.len();
    }
    sent
}

fn redirects(mut stream: TcpStream, to: &str) {
    let head = format!(
        "HTTP/1.1 307 Over There\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    let _ = stream.write_all(head.as_bytes());
}

/// Closes with bytes unread, so that the sender's side is reset.
fn resets(mut stream: TcpStream) {
    let _ = stream.read(&mut [0; 16]);
}

/// A receiver that does not behave.
struct Hostile {
    manner: &'static str,
    webhook: String,
    heard: Heard,
    /// What each of its attempts must show.
    status: Value,
    reason: Value,
}

#[test]
fn each_attempt_is_on_record_nobody_waits_and_nothing_is_lost() {
    let carrier = carrier();
    let mut service = Service::install(&profile(&carrier.base));
    service.set("QUAYSIDE_WEBHOOKS__ATTEMPT_SECONDS", ATTEMPT_SECONDS);
    service.set("QUAYSIDE_WORK__LEASE_SECONDS", LEASE_SECONDS);
    let (ours, theirs) = (tls::certificate("127.0.0.1"), tls::certificate(ELSEWHERE));
    let bundle = tempfile::NamedTempFile::new().unwrap();
    tls::trust(bundle.path(), &[&ours, &theirs]);
    service.set("SSL_CERT_FILE", &bundle.path().display().to_string());
    service.start();

    let good = Receiver::open();
    subscribe(&service, &good.url);
    let secured = Receiver::open_secured(&ours);
    subscribe(&service, &secured.url);
    let bait = Receiver::open();
    let flooded = Arc::new(AtomicUsize::new(0));
    let hostile = hostile(&service, &bait, &theirs, &flooded);

    for bill in 0..BILLS {
        let answer = service.track(&bill_number(bill), "NWLX").unwrap();
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    wait_until("the good receivers' deliveries", || {
        [&good, &secured]
            .iter()
            .all(|receiver| receiver.log().told.len() == TOLD)
    });
    // Each silence takes ten seconds, one after the other: the good ones were done long before.
    let silent = &hostile[0];
    let untried = notifications(&service, &silent.webhook)
        .iter()
        .filter(|id| logs(&service, id).is_empty())
        .count();
    assert!(untried > 0, "the good ones waited for {}", silent.manner);

    for one in &hostile {
        judge(&service, one);
    }
    assert_eq!(bait.log().arrivals, 0, "a redirect was followed");
    let most = flooded.load(Ordering::Relaxed);
    assert!((1..FLOOD_BYTES).contains(&most), "{most} bytes were taken");
    for one in &hostile {
        mend(&service, one);
    }
    for receiver in [&good, &secured] {
        let log = receiver.log();
        assert_eq!((log.told.len(), log.repeats(), log.misnamed), (TOLD, 0, 0));
    }
}

/// One of each kind, subscribed; the one that is silent first.
fn hostile(
    service: &Service,
    bait: &Receiver,
    theirs: &tls::Certified,
    flooded: &Arc<AtomicUsize>,
) -> Vec<Hostile> {
    let target = bait.url.clone();
    let most = Arc::clone(flooded);
    let floods = move |stream| {
        most.fetch_max(floods(stream), Ordering::Relaxed);
    };
    let all: [Heard; 6] = std::array::from_fn(|_| Heard::default());
    let [silent, dripping, flooding, pointing, broken, wrong] = all.clone();
    let misnamed = tls::serve(theirs, |mut stream| {
        let _ = stream.read(&mut [0; 16]);
    });
    let (none, no_answer) = (Value::Null, |why: &str| (Value::Null, json!(why)));
    let rows = [
        (
            "hangs",
            serve_after_reading(&silent, hangs),
            no_answer("timeout"),
        ),
        (
            "dribbles",
            serve_after_reading(&dripping, dribbles),
            (json!(200), json!("timeout")),
        ),
        (
            "floods",
            serve_after_reading(&flooding, floods),
            (json!(200), json!("answer_too_long")),
        ),
        (
            "redirects",
            serve_after_reading(&pointing, move |stream| redirects(stream, &target)),
            (json!(307), none),
        ),
        ("resets", serve(resets), no_answer("protocol")),
        (
            "wrong certificate",
            format!("https://{misnamed}/hook"),
            no_answer("tls"),
        ),
    ];
    let heard = [silent, dripping, flooding, pointing, broken, wrong];
    let rows = rows.into_iter().zip(heard);
    rows.map(|((manner, url, (status, reason)), heard)| Hostile {
        manner,
        webhook: subscribe(service, &url),
        heard,
        status,
        reason,
    })
    .collect()
}

/// At least one attempt is on record, and every one tells what it was.
fn judge(service: &Service, one: &Hostile) {
    let manner = one.manner;
    let mut told = Vec::new();
    wait_until("an attempt on record", || {
        let ids = notifications(service, &one.webhook);
        assert_eq!(ids.len(), TOLD, "{manner}");
        told = ids.iter().flat_map(|id| logs(service, id)).collect();
        !told.is_empty()
    });
    for log in told {
        let seen = &log["attributes"];
        assert_eq!(
            (&seen["status"], &seen["reason"]),
            (&one.status, &one.reason),
            "{manner}: {log}"
        );
        let kept = seen["response_body"].as_str().unwrap().len();
        assert!(kept <= 2_048, "{manner}: {kept} bytes were kept");
    }
}

/// Its owner gives another address and asks for what is open: all of it comes, with the bytes that were sent before.
fn mend(service: &Service, one: &Hostile) {
    let receiver = Receiver::open();
    let path = format!("/v2/webhooks/{}", one.webhook);
    let body = json!({"data": {"type": "webhook", "attributes": {"url": receiver.url}}});
    let answer = service.call("PATCH", &path, Some(&body)).unwrap();
    assert_eq!(answer.status, 200, "{}: {}", one.manner, answer.body);
    let window = json!({"from": "2020-01-01T00:00:00Z", "to": "2100-01-01T00:00:00Z", "status": ["pending"]});
    let mut asked = Instant::now();
    wait_until(one.manner, || {
        // One that was being attempted at that moment is asked for again.
        if asked.elapsed() > Duration::from_secs(1) {
            asked = Instant::now();
            let answer = service
                .call("POST", &format!("{path}/redeliver"), Some(&window))
                .unwrap();
            assert_eq!(answer.status, 202, "{}", answer.body);
        }
        receiver.log().told.len() == TOLD
    });
    let log = receiver.log();
    assert_eq!((log.altered, log.misnamed), (0, 0), "{}", one.manner);
    for (id, body) in one.heard.lock().unwrap().iter() {
        let told = log
            .told
            .get(id)
            .unwrap_or_else(|| panic!("{}: {id} is lost", one.manner));
        assert!(told.is(body), "{}: {id} came with other bytes", one.manner);
    }
}

/// Subscribes to loadings; the webhook's id.
fn subscribe(service: &Service, url: &str) -> String {
    let body = json!({"data": {"type": "webhook", "attributes":
        {"url": url, "events": ["container.transport.vessel_loaded"]}}});
    let answer = service.call("POST", "/v2/webhooks", Some(&body)).unwrap();
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.body["data"]["id"].as_str().unwrap().to_owned()
}

fn notifications(service: &Service, webhook: &str) -> Vec<String> {
    let path = format!("/v2/webhook_notifications?filter[webhook]={webhook}&page[size]=100");
    let path = path.replace('[', "%5B").replace(']', "%5D");
    let rows = listed(service, &path);
    rows.iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

fn logs(service: &Service, notification: &str) -> Vec<Value> {
    listed(
        service,
        &format!("/v2/webhook_notifications/{notification}/webhook_notification_logs"),
    )
}

fn listed(service: &Service, path: &str) -> Vec<Value> {
    let answer = service.call("GET", path, None).unwrap();
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["data"].as_array().unwrap().clone()
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what} never came");
        std::thread::sleep(Duration::from_millis(50));
    }
}
