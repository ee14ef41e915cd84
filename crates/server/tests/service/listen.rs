//! `quayside listen`: what comes to a laptop is what would have been sent, and nothing is lost whoever dies.
//!
//! The witness is the program beside `listen`: a receiver of the test with a log of its own.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::faults::{Dice, Driver, carrier, judge, profile, setting, settle};
use crate::receiver::Receiver;
use crate::service::{Service, free_address};

/// Longest wait for something that takes a second or two.
const SOON: Duration = Duration::from_secs(30);

/// A running `quayside listen`, and the lines it printed.
struct Listening {
    child: Child,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Listening {
    fn start(service: &Service, more: &[&str]) -> Self {
        let url = format!("http://{}", service.address);
        let arguments = [&["listen", "--name", "desk", "--url", &url][..], more].concat();
        let mut child = service
            .command(&arguments)
            .env("QUAYSIDE_API_KEY", &service.key)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (printed, kept) = (child.stdout.take().unwrap(), Arc::clone(&lines));
        std::thread::spawn(move || {
            for line in BufReader::new(printed).lines().map_while(Result::ok) {
                kept.lock().unwrap().push(line);
            }
        });
        Self { child, lines }
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ctrl-C; it must end by itself, in good order.
    fn interrupt(&mut self) {
        let id = self.child.id().to_string();
        let sent = std::process::Command::new("kill")
            .args(["-s", "INT", &id])
            .status();
        assert!(sent.unwrap().success());
        wait_until("the end after Ctrl-C", || {
            self.child.try_wait().unwrap().is_some()
        });
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < SOON, "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A carrier that answers, a service that tracks it, and everybody dies in turn: the listener, the service, and
/// the program beside the listener, which comes last of all.
#[test]
fn nothing_is_lost_by_kill_9_of_the_listener_and_the_service() {
    let carrier = carrier();
    let mut service = Service::install(&profile(&carrier.base));
    service.start();
    let mut dice = Dice(setting("SEED", 1));
    eprintln!("listen: SEED={}", dice.0);
    let place = free_address();
    let target = format!("http://{place}/hook");
    let forward = ["--json", "--forward-to", &target];
    let mut listening = Listening::start(&service, &forward);
    wait_until("the listener", || listeners(&service) == 1);
    let mut driver = Driver::default();
    // The program beside the listener is started when some deliveries have waited for it already.
    driver.register_for(&service, Duration::from_millis(600));
    let receiver = Receiver::open_at(&place);
    for round in 0..setting("LISTEN_KILLS", 6) {
        let moment = Duration::from_millis(100 + dice.below(900));
        driver.register_for(&service, moment);
        if round % 3 == 2 {
            service.kill();
            service.start();
        } else {
            listening.kill();
            listening = Listening::start(&service, &forward);
        }
    }
    settle(&service, &driver, &receiver);
    judge(&service, &driver, &carrier, &receiver);
    let log = receiver.log();
    eprintln!(
        "listen: {} accepted, {} arrivals, {} repeats",
        driver.accepted(),
        log.arrivals,
        log.repeats(),
    );
    listening.interrupt();
    assert_eq!(listeners(&service), 1, "the same name is the same listener");
}

fn listeners(service: &Service) -> usize {
    let listed = service.call("GET", "/v2/webhooks", None).unwrap().body;
    let rows = listed["data"].as_array().unwrap().iter();
    let urls = rows.filter_map(|row| row["attributes"]["url"].as_str());
    urls.filter(|url| *url == "listen:desk").count()
}

/// Heads and bodies of requests, in the order in which they came.
type Heard = Arc<Mutex<Vec<(String, String)>>>;

/// A program that refuses the first `refusals` deliveries with 500 and keeps heads and bodies of all.
fn stubborn(refusals: usize) -> (String, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heard);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                if reader.read_line(&mut head).unwrap_or(0) == 0 {
                    break;
                }
            }
            let length = header(&head, "content-length").and_then(|text| text.parse().ok());
            let mut body = vec![0; length.unwrap_or(0)];
            if reader.read_exact(&mut body).is_err() {
                continue;
            }
            let mut kept = kept.lock().unwrap();
            kept.push((head, String::from_utf8(body).unwrap()));
            let status = if kept.len() <= refusals {
                "500 Oops"
            } else {
                "204 Fine"
            };
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
        }
    });
    (url, heard)
}

fn header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (known, value) = line.split_once(':')?;
        known
            .eq_ignore_ascii_case(name)
            .then(|| value.trim().to_owned())
    })
}

/// The refused one is tried again with the same bytes and is on record; every request carries signatures that a
/// library other than ours accepts.
#[test]
fn each_attempt_is_shown_recorded_and_signed() {
    let mut service = Service::install(include_str!("nowhere/profile.toml"));
    service.start();
    let (url, heard) = stubborn(1);
    let listening = Listening::start(&service, &["--json", "--forward-to", &url]);
    wait_until("the listener", || listeners(&service) == 1);
    let listed = service.call("GET", "/v2/webhooks", None).unwrap().body;
    let id = listed["data"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/v2/webhooks/{id}/rotate_secret");
    let made = service.call("POST", &path, Some(&json!({}))).unwrap().body;
    let secret = made["data"]["attributes"]["secret"].as_str().unwrap();
    service.track("TEST-TR-SUCCEEDED", "TEST").unwrap();
    let outcomes = || -> Vec<Value> {
        let lines = listening.lines();
        let lines = lines.iter().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    };
    wait_until("the second try", || {
        outcomes()
            .iter()
            .any(|line| line["attempt"] == 2 && line["outcome"] == "delivered")
    });
    let shown = outcomes();
    let first = shown.iter().find(|line| line["status"] == 500).unwrap();
    assert_eq!(
        (&first["outcome"], &first["attempt"]),
        (&json!("retry"), &json!(1))
    );
    assert!(first["next_attempt_at"].is_string(), "{first}");
    let id = first["id"].as_str().unwrap();
    let second = shown
        .iter()
        .find(|line| line["attempt"] == 2 && line["id"] == id);
    assert_eq!(second.unwrap()["status"], 204);

    let heard = heard.lock().unwrap().clone();
    let of_id = heard
        .iter()
        .filter(|(head, _)| header(head, "webhook-id").as_deref() == Some(id));
    let bodies: Vec<&String> = of_id.map(|(_, body)| body).collect();
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[0], bodies[1], "the same bytes");
    for (head, body) in &heard {
        let named = |name| header(head, name).unwrap();
        let mut headers = http::HeaderMap::new();
        for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
            headers.insert(name, named(name).parse().unwrap());
        }
        let library = standardwebhooks::Webhook::new(secret).unwrap();
        library.verify(body.as_bytes(), &headers).unwrap();
        assert_eq!(named("x-t49-webhook-signature").len(), 64);
        assert_eq!(named("content-type"), "application/json");
    }
    let logs = format!("/v2/webhook_notifications/{id}/webhook_notification_logs");
    let logs = service.call("GET", &logs, None).unwrap().body;
    assert_eq!(logs["data"].as_array().unwrap().len(), 2, "{logs}");
    let told = service
        .call("GET", &format!("/v2/webhook_notifications/{id}"), None)
        .unwrap();
    assert_eq!(
        told.body["data"]["attributes"]["delivery_status"],
        "succeeded"
    );
}

#[test]
fn without_a_program_beside_it_deliveries_are_shown_once() {
    let mut service = Service::install(include_str!("nowhere/profile.toml"));
    service.start();
    let mut listening = Listening::start(&service, &["--events", "tracking_request.succeeded"]);
    wait_until("the listener", || listeners(&service) == 1);
    service.track("TEST-TR-SUCCEEDED", "TEST").unwrap();
    wait_until("the line", || !listening.lines().is_empty());
    listening.interrupt();
    let lines = listening.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("tracking_request.succeeded"), "{lines:?}");
    assert!(!lines[0].contains('\x1b'), "no colors in a pipe: {lines:?}");
    let mut again = Listening::start(&service, &["--events", "tracking_request.succeeded"]);
    std::thread::sleep(Duration::from_millis(500));
    again.interrupt();
    assert_eq!(again.lines(), Vec::<String>::new(), "shown once");
}

#[test]
fn who_may_not_listen_is_told_why() {
    let mut service = Service::install(include_str!("nowhere/profile.toml"));
    let reader = service.tell(&[
        "key",
        "create",
        "--account",
        "Witness",
        "--permissions",
        "show",
    ]);
    service.start();
    let here = format!("http://{}", service.address);
    let nowhere = format!("http://{}", free_address());
    let cases: [(&str, &str, &[&str], i32, &str); 6] = [
        (&here, "ct_live_nonsense", &[], 1, "does not know the key"),
        (&here, &reader, &[], 1, "the permission update is needed"),
        (&nowhere, &reader, &[], 1, "is not there"),
        (&here, &service.key, &["--name", "a b"], 2, "--name"),
        (
            &here,
            &service.key,
            &["--events", "container.lost"],
            2,
            "container.lost",
        ),
        (
            &here,
            &service.key,
            &["--forward-to", "localhost:3000"],
            1,
            "http://localhost:3000/hook",
        ),
    ];
    for (url, key, more, code, naming) in cases {
        let arguments = [&["listen", "--url", url][..], more].concat();
        let mut command = service.command(&arguments);
        let done = command.env("QUAYSIDE_API_KEY", key).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(code), "{said}");
        assert!(said.contains(naming), "{said}");
        assert!(done.stdout.is_empty());
    }
    let silent = service.run(&["listen", "--url", &here]);
    let said = String::from_utf8_lossy(&silent.stderr).into_owned();
    assert!(said.contains("QUAYSIDE_API_KEY"), "{said}");
}
