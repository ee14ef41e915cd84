//! The main key is changed while the service works and is killed: keys open, deliveries are signed and answers are known all
//! the way, and in the end the key before opens nothing.

use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use store::testing::{PgServer, tamper};

use crate::client::{self, Answer};
use crate::listen::{Heard, header, program};
use crate::service::Service;

const PROFILE: &str = include_str!("nowhere/profile.toml");
const KEY: &str = "data/main.key";
const ALSO: &str = "data/main.key.also";
const STORE: &str = "data/quayside.db";
/// A main key: 32 bytes in base64.
const OLD: &str = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=";
const NEXT: &str = "QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkI=";
/// Answers that are kept: more than are sealed anew in one step.
const ANSWERS: usize = 150;
/// Longest wait for what the service does in the background.
const DONE_MAX: Duration = Duration::from_mins(1);
/// Everything that is sealed, by table and column.
const SEALED: [(&str, &str); 7] = [
    ("server_keys", "sealed"),
    ("webhooks", "secret"),
    ("webhooks", "retired_secrets"),
    ("webhooks", "headers"),
    ("push_subscriptions", "secret"),
    ("push_subscriptions", "secret_before"),
    ("kept_answers", "body"),
];

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < DONE_MAX, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A receiver with a header of its own whose secret was rotated a moment ago, and a request with its answer.
struct Witness {
    heard: Heard,
    secrets: [String; 2],
    verified: usize,
}

impl Witness {
    fn new(service: &Service) -> Self {
        let (url, heard) = program(&[], Duration::ZERO);
        let body = json!({"data": {"type": "webhook", "attributes": {
            "url": url, "events": ["tracking_request.failed"],
            "headers": [{"name": "X-Team", "value": "quay"}]}}});
        let made = service.call("POST", "/v2/webhooks", Some(&body)).unwrap();
        assert_eq!(made.status, 201, "{}", made.body);
        let id = made.body["data"]["id"].as_str().unwrap();
        let path = format!("/v2/webhooks/{id}/rotate_secret");
        let rotated = service.call("POST", &path, None).unwrap();
        let secret = |answer: &Answer| {
            let secret = &answer.body["data"]["attributes"]["secret"];
            secret.as_str().unwrap().to_owned()
        };
        Self {
            heard,
            secrets: [secret(&rotated), secret(&made)],
            verified: 0,
        }
    }

    /// The key opens, what was answered is answered again, and a delivery goes out with its header and is signed with both
    /// secrets.
    fn sees_all(&mut self, service: &Service) {
        for number in [0, ANSWERS - 1] {
            let again = named(service, number);
            assert_eq!(again.status, 201, "{}", again.body);
        }
        let made = service.track("TEST-TR-FAILED", "TEST").unwrap();
        assert_eq!(made.status, 201, "{}", made.body);
        // Its own and no other: what a killed node had sent and not yet noted comes a second time.
        let id = made.body["data"]["id"].as_str().unwrap();
        until("the delivery of its failure comes", || {
            let heard = self.heard.lock().unwrap();
            heard.iter().any(|(_, body)| body.contains(id))
        });
        let heard = self.heard.lock().unwrap().clone();
        for (head, body) in heard.iter().skip(self.verified) {
            let headers = ["webhook-id", "webhook-timestamp", "webhook-signature"]
                .map(|name| (name, header(head, name).unwrap()));
            let headers =
                headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            let headers: http::HeaderMap = headers.into_iter().collect();
            for secret in &self.secrets {
                let library = standardwebhooks::Webhook::new(secret).unwrap();
                library.verify(body.as_bytes(), &headers).unwrap();
            }
            assert_eq!(header(head, "x-team").unwrap(), "quay");
        }
        self.verified = heard.len();
    }
}

/// Sends the named request with this number, for the first time or again.
fn named(service: &Service, number: usize) -> Answer {
    let body = json!({"data": {"type": "tracking_request", "attributes": {
        "request_type": "bill_of_lading", "request_number": format!("NWLX{number:04}"),
        "scac": "MSCU"}}});
    let key = &service.key;
    let lines = format!("Authorization: Token {key}\r\nIdempotency-Key: name-{number:04}\r\n");
    let path = "/v2/tracking_requests";
    client::send(&service.address, "POST", path, &lines, Some(&body)).unwrap()
}

/// How much in the file is sealed with the key of this number, as somebody sees it who has the file and not the program.
fn sealed_with(service: &Service, number: u8) -> usize {
    let counts = SEALED.map(|(table, column)| {
        let of_key = format!("substr({column}, 1, 1) = x'{number:02x}'");
        let untouched = format!("update {table} set {column} = {column} where {of_key}");
        tamper(&service.path(STORE), &untouched).unwrap()
    });
    counts.into_iter().sum()
}

fn status(service: &Service) -> String {
    service.tell(&["rekey", "--status"])
}

fn assert_refused(output: &Output, saying: &str) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(78), "{said}");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    assert!(said.contains(saying), "{saying}: {said}");
}

/// The key before is the only one, or beside the present one, and is not let in.
fn assert_given_up(service: &Service, old: &str, new: &str) {
    std::fs::write(service.path(KEY), old).unwrap();
    assert_refused(&service.refused_start(), "is not the one of this store");
    std::fs::write(service.path(ALSO), new).unwrap();
    assert_refused(&service.refused_start(), "was given up");
    std::fs::write(service.path(KEY), new).unwrap();
    std::fs::write(service.path(ALSO), old).unwrap();
    assert!(status(service).starts_with("done: "));
    std::fs::remove_file(service.path(ALSO)).unwrap();
}

#[test]
fn a_main_key_is_changed_through_kills_and_everything_goes_on() {
    let mut service = Service::install(PROFILE);
    service.start();
    let mut witness = Witness::new(&service);
    let ids: Vec<Value> = (0..ANSWERS)
        .map(|number| named(&service, number).body["data"]["id"].clone())
        .collect();
    witness.sees_all(&service);
    assert!(status(&service).starts_with("no change: "));

    let begun = service.run(&["rekey"]);
    assert!(
        begun.status.success() && begun.stdout.is_empty(),
        "{begun:?}"
    );
    assert!(said(&begun).contains("restart the service"), "{begun:?}");
    let [new, old] = [KEY, ALSO].map(|name| std::fs::read_to_string(service.path(name)).unwrap());
    let again = service.run(&["rekey"]);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    assert_eq!(std::fs::read_to_string(service.path(KEY)).unwrap(), new);
    let shown = service.tell(&["config", "show"]);
    let places = [KEY, ALSO].map(|name| format!("(in {})\"", service.path(name).display()));
    assert!(places.iter().all(|place| shown.contains(place)), "{shown}");
    witness.sees_all(&service);
    service.kill();

    // Something in the middle cannot be sealed anew for a while.
    let stuck = "create trigger stuck before update on kept_answers when new.key = 'name-0120' and new.body <> old.body
        begin select raise(abort, 'not yet'); end";
    tamper(&service.path(STORE), stuck).unwrap();
    let all = sealed_with(&service, 1);
    assert!(all > ANSWERS, "{all}");
    for _ in 0..2 {
        service.start();
        until("some of it is sealed anew", || {
            sealed_with(&service, 1) < ANSWERS
        });
        witness.sees_all(&service);
        let left = sealed_with(&service, 1);
        assert!(left > 0 && left < all, "{left} of {all}");
        let told = format!("under way: {left} ");
        assert!(status(&service).starts_with(&told));
        let checked = service.tell(&["check"]);
        assert!(
            checked.contains(&format!("mind main key   {told}")),
            "{checked}"
        );
        service.kill();
    }
    tamper(&service.path(STORE), "drop trigger stuck").unwrap();
    // Killed at any moment of a start.
    for wait in [15, 25, 35, 45, 60] {
        let address = service.address.clone();
        let mut child = service
            .command(&["serve", "--listen", &address])
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    service.start();
    until("everything is sealed anew", || {
        status(&service).starts_with("done: ")
    });
    witness.sees_all(&service);
    service.kill();
    assert_eq!(sealed_with(&service, 1), 0);
    let checks =
        "update key_check_values set value = value where key_id = 1 or substr(value, 1, 1) = x'01'";
    assert_eq!(tamper(&service.path(STORE), checks).unwrap(), 0);
    assert_given_up(&service, &old, &new);

    service.start();
    witness.sees_all(&service);
    for (number, id) in ids.iter().enumerate() {
        assert_eq!(&named(&service, number).body["data"]["id"], id);
    }
    service.kill();
    let audit = service.tell(&["audit", "list"]);
    assert!(audit.contains("main_key.changed"), "{audit}");
    service.tell(&["audit", "verify"]);
}

#[test]
fn a_main_key_is_changed_without_a_service() {
    let mut service = Service::install(PROFILE);
    service.start();
    let mut witness = Witness::new(&service);
    named(&service, 0);
    named(&service, ANSWERS - 1);
    service.kill();
    let old = std::fs::read_to_string(service.path(KEY)).unwrap();
    let apart = "create table apart as select id, secret from webhooks";
    tamper(&service.path(STORE), apart).unwrap();
    // A change that was killed behind its first step.
    std::fs::hard_link(service.path(KEY), service.path(ALSO)).unwrap();
    service.tell(&["key", "list"]);
    let done = service.tell(&["rekey"]);
    assert!(done.contains("opened by no key: 0"), "{done}");
    let new = std::fs::read_to_string(service.path(KEY)).unwrap();
    assert_ne!(old, new);
    assert_eq!(std::fs::read_to_string(service.path(ALSO)).unwrap(), old);
    assert!(status(&service).starts_with("done: "));
    let again = service.run(&["rekey"]);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    assert!(said(&again).contains(ALSO), "{again:?}");
    assert_eq!(sealed_with(&service, 1), 0);
    // What a node seals that stood still while its key was given up opens where that key is still given, and is sealed anew.
    let back =
        "update webhooks set secret = (select secret from apart where apart.id = webhooks.id)";
    for statement in [back, "drop table apart"] {
        tamper(&service.path(STORE), statement).unwrap();
    }
    assert_eq!(sealed_with(&service, 1), 1);
    service.start();
    witness.sees_all(&service);
    until("it is sealed anew", || sealed_with(&service, 1) == 0);
    service.kill();
    assert_given_up(&service, &old, &new);
    service.start();
    witness.sees_all(&service);
    service.kill();

    // A change whose files were made and that was killed then; the copy is from before.
    service.tell(&["backup", "copy.db"]);
    std::fs::rename(service.path(KEY), service.path(ALSO)).unwrap();
    std::fs::write(service.path(KEY), OLD).unwrap();
    service.tell(&["rekey"]);
    assert!(status(&service).starts_with("done: "));
    std::fs::remove_file(service.path(ALSO)).unwrap();
    let copy = service.path("copy.db");
    let restore = ["restore", copy.to_str().unwrap()];
    assert_refused(&service.run(&restore), "is not the one of this store");
    for beside in [false, true] {
        let (main, also) = if beside { (OLD, &new) } else { (&*new, &new) };
        std::fs::write(service.path(KEY), main).unwrap();
        std::fs::write(service.path(ALSO), also).unwrap();
        service.tell(&restore);
        service.start();
        let stage = if beside { "done: " } else { "no change: " };
        until(stage, || status(&service).starts_with(stage));
        witness.sees_all(&service);
        service.kill();
    }
}

#[test]
fn a_key_that_is_none_is_refused_beside_one_that_fits() {
    let mut service = Service::install(PROFILE);
    std::fs::write(service.path(ALSO), "not a key").unwrap();
    assert_refused(&service.refused_start(), "settings: main_key_also: ");
    std::fs::remove_file(service.path(ALSO)).unwrap();
    service.set("QUAYSIDE_MAIN_KEY_ALSO", "c2hvcnQ=");
    assert_refused(&service.refused_start(), "settings: main_key_also: ");
    service.set("QUAYSIDE_MAIN_KEY_ALSO", OLD);
    std::fs::write(service.path(KEY), OLD).unwrap();
    assert_refused(&service.refused_start(), "is not the one of this store");
}

/// Runs commands at once; what each of them printed.
fn at_once(service: &Service, commands: &[Vec<&str>]) -> Vec<String> {
    std::thread::scope(|scope| {
        let run: Vec<_> = commands
            .iter()
            .map(|command| scope.spawn(|| service.tell(command)))
            .collect();
        let ended = run.into_iter().map(|one| one.join().unwrap());
        ended.collect()
    })
}

#[test]
fn nodes_that_begin_at_once_agree_on_keys_and_their_numbers() {
    let server = PgServer::start().unwrap();
    let settings = [
        ("QUAYSIDE_DATABASE", server.url()),
        ("QUAYSIDE_MAIN_KEY", OLD.to_owned()),
    ];
    let mut service = Service::empty_with(PROFILE, &settings);
    service.tell(&["migrate"]);
    let names = ["A", "B", "C", "D"];
    at_once(&service, &names.map(|name| vec!["account", "create", name]));
    service.set("QUAYSIDE_MAIN_KEY_ALSO", NEXT);
    let keys = at_once(
        &service,
        &names.map(|name| vec!["key", "create", "--account", name]),
    );
    let two_are_known = "do $$ begin if (select count(*) from key_check_values) <> 2 or
             (select count(*) from server_keys) <> 1 then
             raise exception 'nodes noted more than they had to'; end if; end $$";
    server.administer(&[two_are_known]).unwrap();
    service.start();
    for key in keys {
        service.key = key;
        assert_eq!(
            service.call("GET", "/v2/webhooks", None).unwrap().status,
            200
        );
    }
}

/// This node is killed and started with these keys.
fn restart(node: &mut Service, main: &str, also: &str) {
    node.kill();
    node.set("QUAYSIDE_MAIN_KEY", main);
    node.set("QUAYSIDE_MAIN_KEY_ALSO", also);
    node.start();
}

#[test]
fn the_main_key_of_nodes_is_changed_one_node_after_the_other() {
    let server = PgServer::start().unwrap();
    let settings = [
        ("QUAYSIDE_DATABASE", server.url()),
        ("QUAYSIDE_MAIN_KEY", OLD.to_owned()),
    ];
    let first = Service::install_with(PROFILE, &settings);
    let mut nodes = [first.another_node(), first];
    nodes.iter_mut().for_each(Service::start);
    let mut witness = Witness::new(&nodes[0]);
    let mut all_see = |nodes: &[Service; 2]| nodes.iter().for_each(|node| witness.sees_all(node));
    all_see(&nodes);

    let printed = nodes[0].run(&["rekey"]);
    let new = String::from_utf8(printed.stdout.clone())
        .unwrap()
        .trim()
        .to_owned();
    assert!(printed.status.success() && new.len() == OLD.len() && new != OLD);
    assert!(said(&printed).contains("1. main_key stays, main_key_also is the new key"));
    for node in 0..2 {
        restart(&mut nodes[node], OLD, &new);
        all_see(&nodes);
    }
    assert!(status(&nodes[0]).starts_with("prepared: "));
    let refused = nodes[0].run(&["rekey"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");

    restart(&mut nodes[0], &new, OLD);
    all_see(&nodes);
    // More than a lease: the other node says all the time that it seals with the old one still.
    std::thread::sleep(Duration::from_secs(5));
    assert!(status(&nodes[0]).starts_with("under way: "));
    all_see(&nodes);
    assert!(nodes.iter().all(Service::is_ready));
    let mut stale = nodes[1].another_node();
    stale.set("QUAYSIDE_MAIN_KEY", OLD);
    stale.set("QUAYSIDE_MAIN_KEY_ALSO", "");
    assert_refused(&stale.refused_start(), "settings: main_key_also: ");
    restart(&mut nodes[1], &new, OLD);
    all_see(&nodes);
    until("everything is sealed anew", || {
        status(&nodes[0]).starts_with("done: ")
    });
    all_see(&nodes);

    for node in 0..2 {
        restart(&mut nodes[node], &new, "");
        all_see(&nodes);
    }
    assert_refused(&stale.refused_start(), "is not the one of this store");
    let left = SEALED.map(|(table, column)| {
        format!("(select count(*) from {table} where substr({column}, 1, 1) = '\\x01')")
    });
    let none_is_left = format!(
        "do $$ begin if {} + (select count(*) from key_check_values where key_id = 1) > 0 then
             raise exception 'something of the old key is left'; end if; end $$",
        left.join(" + ")
    );
    server.administer(&[&none_is_left]).unwrap();
}
