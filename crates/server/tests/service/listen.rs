//! `quayside listen`: what comes to a laptop is what would have been sent, and nothing is lost whoever dies.
//!
//! The witness is the program beside `listen`: a receiver of the test with a log of its own.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use store::testing::PgServer;

use crate::carrier::Carrier;
use crate::faults::{Dice, Driver, carrier, judge, profile, setting, settle};
use crate::receiver::Receiver;
use crate::service::{Service, free_address, signal};

/// Longest wait for something that takes a second or two.
const SOON: Duration = Duration::from_mins(1);

/// A lease that the machine does not let run out, where every attempt is counted.
const LEASE: Duration = Duration::from_secs(8);

/// Lines that were printed so far.
type Lines = Arc<Mutex<Vec<String>>>;

/// A running `quayside listen`, and the lines it printed: of attempts, and of what goes on around them.
struct Listening {
    child: Child,
    lines: Lines,
    said: Lines,
}

impl Listening {
    fn start(service: &Service, more: &[&str]) -> Self {
        let url = format!("http://{}", service.address);
        let arguments = [&["listen", "--name", "desk", "--url", &url][..], more].concat();
        let mut child = service
            .command(&arguments)
            .env("QUAYSIDE_API_KEY", &service.key)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = kept(child.stdout.take().unwrap());
        let said = kept(child.stderr.take().unwrap());
        Self { child, lines, said }
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// The lines of attempts, read.
    fn shown(&self) -> Vec<Value> {
        let lines = self.lines();
        let lines = lines.iter().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }

    /// How often something was said around attempts.
    fn times_said(&self, words: &str) -> usize {
        let said = self.said.lock().unwrap();
        said.iter().filter(|line| line.contains(words)).count()
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Ctrl-C; it must end by itself, in good order.
    fn interrupt(&mut self) {
        signal(self.child.id(), "INT");
        wait_until("the end after Ctrl-C", || {
            self.child.try_wait().unwrap().is_some()
        });
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let said = self.said.lock();
            eprintln!(
                "the listener said {said:#?}, it ended {:?}",
                self.child.try_wait()
            );
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn kept(printed: impl Read + Send + 'static) -> Lines {
    let lines = Lines::default();
    let kept = Arc::clone(&lines);
    std::thread::spawn(move || {
        for line in BufReader::new(printed).lines().map_while(Result::ok) {
            kept.lock().unwrap().push(line);
        }
    });
    lines
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
    let service = Service::install(&profile(&carrier.base));
    everybody_dies(&carrier, vec![service]);
}

/// The same listener asks now one node, now the other.
#[test]
fn nothing_is_lost_by_kill_9_of_the_listener_and_two_nodes_of_one_postgresql() {
    let server = PgServer::start().unwrap();
    let carrier = carrier();
    let database = [("QUAYSIDE_DATABASE", server.url())];
    let first = Service::install_with(&profile(&carrier.base), &database);
    let second = first.another_node();
    everybody_dies(&carrier, vec![first, second]);
}

fn everybody_dies(carrier: &Carrier, mut nodes: Vec<Service>) {
    nodes.iter_mut().for_each(Service::start);
    let mut dice = Dice(setting("SEED", 1));
    eprintln!("listen: SEED={}", dice.0);
    let place = free_address();
    let target = format!("http://{place}/hook");
    let forward = ["--json", "--forward-to", &target];
    let mut asked = 0;
    let mut listening = Listening::start(&nodes[asked], &forward);
    wait_until("the listener", || listeners(&nodes[0]) == 1);
    let mut driver = Driver::default();
    // The program beside the listener is started when some deliveries have waited for it already.
    driver.register_for(&nodes[0], Duration::from_millis(600));
    let receiver = Receiver::open_at(&place);
    for round in 0..usize::try_from(setting("LISTEN_KILLS", 6)).unwrap() {
        let moment = Duration::from_millis(100 + dice.below(900));
        driver.register_for(&nodes[round % nodes.len()], moment);
        if round % 3 == 2 {
            // Now the node that is asked, now another one.
            let struck = (asked + round / 3) % nodes.len();
            nodes[struck].kill();
            nodes[struck].start();
        } else {
            listening.kill();
            asked = (asked + 1) % nodes.len();
            listening = Listening::start(&nodes[asked], &forward);
        }
    }
    std::thread::scope(|scope| {
        let settling = scope.spawn(|| settle(&nodes[0], &driver, &receiver));
        while !settling.is_finished() {
            // What a killed one had asked for may be served behind its successor, and take the name over: whoever looks after
            // the program starts it again.
            if listening.has_ended() {
                listening = Listening::start(&nodes[asked], &forward);
            }
            std::thread::sleep(Duration::from_millis(250));
        }
    });
    judge(&nodes[0], &driver, carrier, &receiver);
    let log = receiver.log();
    eprintln!(
        "listen: {} accepted, {} arrivals, {} repeats",
        driver.accepted(),
        log.arrivals,
        log.repeats(),
    );
    listening.interrupt();
    assert_eq!(
        listeners(&nodes[0]),
        1,
        "the same name is the same listener"
    );
}

fn listeners(service: &Service) -> usize {
    let listed = service.call("GET", "/v2/webhooks", None).unwrap().body;
    let rows = listed["data"].as_array().unwrap().iter();
    let urls = rows.filter_map(|row| row["attributes"]["url"].as_str());
    urls.filter(|url| *url == "listen:desk").count()
}

/// Heads and bodies of requests, in the order in which they came.
pub type Heard = Arc<Mutex<Vec<(String, String)>>>;

/// A program that answers the first deliveries with these heads, one each, with what stands behind a head that is whole;
/// and all later ones with 204 after `pause`;
/// it keeps heads and bodies of all.
pub fn program(first: &'static [&'static str], pause: Duration) -> (String, Heard) {
    answering(move |place, _, _| {
        let answer = first.get(place).copied().unwrap_or_else(|| {
            std::thread::sleep(pause);
            "204 Fine"
        });
        let end = if answer.contains("\r\n\r\n") {
            ""
        } else {
            "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        };
        format!("{answer}{end}")
    })
}

/// A program that answers each request by its number, from 0, its head and its body.
fn answering(
    answer: impl Fn(usize, &str, &str) -> String + Send + Sync + 'static,
) -> (String, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let heard = Heard::default();
    let (kept, answer) = (Arc::clone(&heard), Arc::new(answer));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
            std::thread::spawn(move || take(stream, &kept, &*answer));
        }
    });
    (url, heard)
}

fn take(mut stream: TcpStream, kept: &Heard, answer: &dyn Fn(usize, &str, &str) -> String) {
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
        return;
    }
    let body = String::from_utf8(body).unwrap();
    let place = {
        let mut kept = kept.lock().unwrap();
        kept.push((head.clone(), body.clone()));
        kept.len() - 1
    };
    let answer = answer(place, &head, &body);
    let _ = write!(stream, "HTTP/1.1 {answer}");
}

/// A header of a head.
pub fn header(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (known, value) = line.split_once(':')?;
        known
            .eq_ignore_ascii_case(name)
            .then(|| value.trim().to_owned())
    })
}

/// What a service says when the minute is used up.
pub const USED_UP: &str = "429 Too Many Requests\r\nRetry-After: 1\r\nContent-Length: 44\r\n\
    Connection: close\r\n\r\n{\"errors\":[{\"detail\":\"100 calls a minute\"}]}";

const OPENED: &str = "200 OK\r\nContent-Length: 76\r\nConnection: close\r\n\r\n\
    {\"data\":{\"id\":\"w1\",\"attributes\":{\"secret\":\"whsec_1\",\"events\":[]}},\"meta\":{}}";

#[test]
fn a_used_up_minute_is_waited_for() {
    let mut service = Service::install(&profile("http://127.0.0.1:9"));
    let (url, heard) = program(&[USED_UP, USED_UP, OPENED, USED_UP], Duration::ZERO);
    let address = url.trim_start_matches("http://").trim_end_matches("/hook");
    address.clone_into(&mut service.address);
    let listening = Listening::start(&service, &[]);
    wait_until("a question after the waits", || {
        heard.lock().unwrap().len() > 4
    });
    let heads: Vec<String> = heard.lock().unwrap().iter().map(first_line).collect();
    let open = "POST /v2/listeners HTTP/1.1";
    let take = "POST /v2/listeners/w1/take HTTP/1.1";
    assert_eq!(heads[..5], [open, open, open, take, take]);
    assert_eq!(listening.times_said("going on in 1 s"), 3);
    assert_eq!(listening.times_said("is not there"), 0);
}

/// A service whose minute is used up when it is told how the first attempt went. It hands that out once more, as its lease has ended,
/// and what it is told then is lost on the way; at last somebody asks for the delivery again.
#[test]
fn what_the_program_has_taken_is_handed_to_it_again_only_when_somebody_asks_for_it() {
    let mut service = Service::install(&profile("http://127.0.0.1:9"));
    let due = AtomicU64::new(1);
    let (url, heard) = answering(move |_, head, body| {
        let said = |document: Value| {
            let text = document.to_string();
            let length = text.len();
            format!("200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}")
        };
        let told: Value = serde_json::from_str(body).unwrap();
        let settles = head.contains("/settle ").then(|| told["claim"].as_u64());
        if head.contains("/take ") {
            let claim = due.swap(0, Ordering::SeqCst);
            let attempt = if claim < 3 { 1 } else { 2 };
            let delivery = json!({"id": "d1", "claim": claim, "attempt": attempt, "headers": {},
                "body": "{}"});
            if claim == 0 {
                std::thread::sleep(Duration::from_millis(50));
            }
            let deliveries: Vec<Value> = (claim > 0).then_some(delivery).into_iter().collect();
            said(json!({"active": true, "lease_seconds": 30, "deliveries": deliveries}))
        } else if settles == Some(Some(1)) {
            due.store(2, Ordering::SeqCst);
            USED_UP.replace("Retry-After: 1", "Retry-After: 600")
        } else if settles == Some(Some(2)) {
            due.store(3, Ordering::SeqCst);
            said(json!({"counted": false, "delivery_status": null}))
        } else if settles.is_some() {
            said(json!({"counted": true, "delivery_status": "succeeded"}))
        } else {
            OPENED.to_owned()
        }
    });
    let address = url.trim_start_matches("http://").trim_end_matches("/hook");
    address.clone_into(&mut service.address);
    let (forward_to, taken) = program(&[], Duration::ZERO);
    let _listening = Listening::start(&service, &["--forward-to", &forward_to]);
    let told_of = |claim: u64| -> Option<Value> {
        let heard = heard.lock().unwrap();
        let told = heard.iter().filter(|(head, _)| head.contains("/settle "));
        let mut told = told.map(|(_, body)| serde_json::from_str::<Value>(body).unwrap());
        told.find(|told| told["claim"] == claim)
    };
    for claim in [2, 3] {
        wait_until("what is told of a claim", || told_of(claim).is_some());
        let told = told_of(claim).unwrap();
        assert_eq!(
            (&told["ending"], &told["status"]),
            (&json!("answered"), &json!(204))
        );
    }
    assert_eq!(
        taken.lock().unwrap().len(),
        2,
        "the first time and the last"
    );
}

fn first_line((head, _): &(String, String)) -> String {
    head.lines().next().unwrap().to_owned()
}

/// The refused one is tried again with the same bytes and is on record; every request carries signatures that a
/// library other than ours accepts.
#[test]
fn each_attempt_is_shown_recorded_and_signed() {
    let service = patient();
    let (url, heard) = program(&["500 Oops"], Duration::ZERO);
    let listening = Listening::start(&service, &["--json", "--forward-to", &url]);
    wait_until("the listener", || listeners(&service) == 1);
    let listed = service.call("GET", "/v2/webhooks", None).unwrap().body;
    let id = listed["data"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/v2/webhooks/{id}/rotate_secret");
    let made = service.call("POST", &path, Some(&json!({}))).unwrap().body;
    let secret = made["data"]["attributes"]["secret"].as_str().unwrap();
    service.track("TEST-TR-SUCCEEDED", "TEST").unwrap();
    wait_until("the second try", || {
        listening
            .shown()
            .iter()
            .any(|line| line["attempt"] == 2 && line["outcome"] == "delivered")
    });
    let shown = listening.shown();
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

const SUCCEEDED: &str = "tracking_request.succeeded";
const FAILED: &str = "tracking_request.failed";

/// A service whose leases are longer.
fn patient() -> Service {
    let mut service = Service::install(include_str!("nowhere/profile.toml"));
    service.set("QUAYSIDE_WORK__LEASE_SECONDS", &LEASE.as_secs().to_string());
    service.start();
    service
}

/// A service that tells a listener of one event, and the program beside it; the notification's id.
fn told_once(url: &str) -> (Service, Listening, String) {
    let service = patient();
    let more = ["--json", "--events", SUCCEEDED, "--forward-to", url];
    let listening = Listening::start(&service, &more);
    wait_until("the listener", || listeners(&service) == 1);
    service.track("TEST-TR-SUCCEEDED", "TEST").unwrap();
    wait_until("the first attempt", || !listening.lines().is_empty());
    let line: Value = serde_json::from_str(&listening.lines()[0]).unwrap();
    let id = line["id"].as_str().unwrap().to_owned();
    (service, listening, id)
}

fn attempts(service: &Service, id: &str) -> usize {
    let path = format!("/v2/webhook_notifications/{id}/webhook_notification_logs");
    let logs = service.call("GET", &path, None).unwrap().body;
    logs["data"].as_array().unwrap().len()
}

/// The program takes longer than a lease. Nobody else makes the attempt meanwhile, so it comes once; and once more
/// when it is sent again.
#[test]
fn a_slow_program_is_waited_for_and_what_is_sent_again_comes_once() {
    let (url, heard) = program(&[], LEASE * 5 / 4);
    let (service, listening, id) = told_once(&url);
    assert_eq!(heard.lock().unwrap().len(), 1, "its lease was prolonged");
    let path = format!("/v2/webhook_notifications/{id}/redeliver");
    let answer = service.call("POST", &path, Some(&json!({}))).unwrap();
    assert!((200..300).contains(&answer.status), "{}", answer.body);
    wait_until("the second attempt", || listening.lines().len() == 2);
    std::thread::sleep(LEASE * 3 / 2);
    let heard = heard.lock().unwrap().clone();
    assert_eq!(heard.len(), 2, "once more");
    assert_eq!(heard[0].1, heard[1].1, "the same bytes");
    assert_eq!((listening.lines().len(), attempts(&service, &id)), (2, 2));
}

#[test]
fn a_program_may_ask_for_patience() {
    let (url, heard) = program(&["503 Busy\r\nRetry-After: 10"], Duration::ZERO);
    let (service, listening, id) = told_once(&url);
    wait_until("the second attempt", || listening.lines().len() == 2);
    let lines = listening.lines();
    let at = |line: &str, name: &str| -> jiff::Timestamp {
        let line: Value = serde_json::from_str(line).unwrap();
        line[name].as_str().unwrap().parse().unwrap()
    };
    let first = at(&lines[0], "time");
    let (told, came) = (at(&lines[0], "next_attempt_at"), at(&lines[1], "time"));
    // Without the header it would have been a second.
    assert!(told.duration_since(first).as_secs() >= 2, "{lines:?}");
    assert!(came >= told, "{lines:?}");
    assert_eq!(
        (heard.lock().unwrap().len(), attempts(&service, &id)),
        (2, 2)
    );
}

#[test]
fn without_a_program_beside_it_deliveries_are_shown_once() {
    let service = patient();
    let ends = [
        "--events",
        "tracking_request.succeeded,tracking_request.failed",
    ];
    let mut listening = Listening::start(&service, &ends);
    wait_until("the listener", || listeners(&service) == 1);
    service.track("TEST-TR-SUCCEEDED", "TEST").unwrap();
    wait_until("the line", || !listening.lines().is_empty());
    listening.interrupt();
    let lines = listening.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("tracking_request.succeeded"), "{lines:?}");
    assert!(!lines[0].contains('\x1b'), "no colors in a pipe: {lines:?}");
    let mut again = Listening::start(&service, &ends);
    service.track("TEST-TR-FAILED", "TEST").unwrap();
    wait_until("the next line", || !again.lines().is_empty());
    again.interrupt();
    let lines = again.lines();
    assert_eq!(lines.len(), 1, "the first was shown once: {lines:?}");
    assert!(lines[0].contains("tracking_request.failed"), "{lines:?}");
}

/// Two that take each other's deliveries would both believe that they have all.
#[test]
fn who_is_taken_over_is_told_and_ends() {
    let (url, heard) = program(&[], Duration::ZERO);
    let (service, mut first, _) = told_once(&url);
    let more = ["--json", "--events", FAILED, "--forward-to", &url];
    let mut second = Listening::start(&service, &more);
    wait_until("the end of the first", || {
        first.child.try_wait().unwrap().is_some()
    });
    assert_eq!(first.child.wait().unwrap().code(), Some(1));
    wait_until("why it ended", || {
        first.times_said("another program listens by this name now") == 1
    });
    service.track("TEST-TR-FAILED", "TEST").unwrap();
    wait_until("the next line", || !second.lines().is_empty());
    assert_eq!(second.shown()[0]["outcome"], "delivered");
    assert_eq!(first.lines().len(), 1);
    assert_eq!(heard.lock().unwrap().len(), 2);
    second.interrupt();
}

/// What is shown is what is on record of the same attempt.
#[test]
fn an_answer_that_breaks_off_is_shown_and_kept_as_far_as_it_came() {
    let (url, _) = program(
        &["410 Gone\r\nX-Seen: yes\r\nContent-Length: 1000\r\n\r\nstack trace"],
        Duration::ZERO,
    );
    let (service, listening, id) = told_once(&url);
    wait_until("the second attempt", || listening.lines().len() == 2);
    let shown = listening.shown();
    assert_eq!(
        (
            &shown[0]["status"],
            &shown[0]["reason"],
            &shown[0]["outcome"]
        ),
        (&json!(410), &json!("protocol"), &json!("retry"))
    );
    assert_eq!(
        (&shown[1]["status"], &shown[1]["reason"]),
        (&json!(204), &Value::Null)
    );
    let path = format!("/v2/webhook_notifications/{id}/webhook_notification_logs");
    let logs = service.call("GET", &path, None).unwrap().body;
    let rows = logs["data"].as_array().unwrap().iter();
    let rows: Vec<&Value> = rows.map(|row| &row["attributes"]).collect();
    let broken = rows.iter().find(|row| row["reason"] == "protocol").unwrap();
    assert_eq!(broken["status"], 410, "{logs}");
    assert_eq!(broken["response_body"], "stack trace");
    let headers = broken["response_headers"].as_str().unwrap();
    assert!(headers.contains("x-seen: yes"), "{headers}");
}

/// Nobody wonders why nothing comes.
#[test]
fn that_a_listener_is_paused_is_said_once_and_that_it_goes_on() {
    let (url, heard) = program(&[], Duration::ZERO);
    let (service, listening, _) = told_once(&url);
    let listed = service.call("GET", "/v2/webhooks", None).unwrap().body;
    let id = listed["data"][0]["id"].as_str().unwrap().to_owned();
    let switch = |active: bool| {
        let attributes = json!({"active": active, "events": [SUCCEEDED, FAILED]});
        let body = json!({"data": {"type": "webhook", "attributes": attributes}});
        let path = format!("/v2/webhooks/{id}");
        let answer = service.call("PATCH", &path, Some(&body)).unwrap();
        assert_eq!(answer.status, 200, "{}", answer.body);
    };
    switch(false);
    wait_until("the pause", || listening.times_said("is paused") == 1);
    switch(true);
    wait_until("its end", || {
        listening.times_said("the listener goes on") == 1
    });
    service.track("TEST-TR-FAILED", "TEST").unwrap();
    wait_until("the next line", || listening.lines().len() == 2);
    assert_eq!(heard.lock().unwrap().len(), 2);
    assert_eq!(listening.times_said("is paused"), 1);
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
    let cases: [(&str, &str, &[&str], i32, &str); 13] = [
        (&here, "", &[], 1, "QUAYSIDE_API_KEY is empty"),
        (
            "http://127.0.0.1:0",
            &reader,
            &[],
            2,
            "ports are 1 to 65535",
        ),
        (
            &here,
            &service.key,
            &["--forward-to", "http://localhost:0/hook"],
            2,
            "ports are 1 to 65535",
        ),
        (
            &here,
            &service.key,
            &["--forward-to", "http://localhost:70000/hook"],
            2,
            "ports are 1 to 65535",
        ),
        (
            &here,
            &service.key,
            &["--forward-to", "http://localhost:/hook"],
            2,
            "ports are 1 to 65535",
        ),
        (
            &here,
            &service.key,
            &["--forward-to", "http://ada:secret@localhost:3000/hook"],
            2,
            "no user name or password",
        ),
        ("localhost:8049", &service.key, &[], 2, "such as http://"),
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
            2,
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
