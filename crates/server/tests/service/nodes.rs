//! What several nodes over one database promise together: one minute of calls, one effect for a named request.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use store::testing::PgServer;

use crate::client::{self, Answer};
use crate::service::{Service, free_address};

const PROFILE: &str = include_str!("nowhere/profile.toml");
const PATH: &str = "/v2/tracking_requests";
/// Calls of one account in a minute, as the test sets it.
const LIMIT: usize = 200;
/// Longest wait for the first metrics.
const TOLD_MAX: Duration = Duration::from_secs(30);
/// How long a call is made again that is to be made later.
const LATER_MAX: Duration = Duration::from_mins(1);
/// Right answers too where a disk takes seconds: another request of this name is being answered still, or nobody can
/// answer now.
const LATER: [u16; 2] = [409, 503];

fn nodes(server: &PgServer) -> [Service; 2] {
    let settings = [
        ("QUAYSIDE_DATABASE", server.url()),
        ("QUAYSIDE_RATE_LIMITS__DEFAULT", LIMIT.to_string()),
    ];
    let first = Service::install_with(PROFILE, &settings);
    let second = first.another_node();
    let mut nodes = [first, second];
    nodes.iter_mut().for_each(Service::start);
    nodes
}

#[test]
fn nodes_share_a_minute_within_five_in_a_hundred() {
    let server = PgServer::start().unwrap();
    let nodes = nodes(&server);
    let mut accepted = 0;
    let began = Instant::now();
    // Both at once, each from two callers: half as much again as there is room for.
    let answers: Vec<u16> = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..4)
            .map(|caller| {
                let node = &nodes[caller % 2];
                scope.spawn(move || {
                    let call = || node.call("GET", "/v2/shipping_lines", None).unwrap();
                    let answers = (0..LIMIT * 3 / 8).map(|_| until_answered(call).status);
                    answers.collect::<Vec<u16>>()
                })
            })
            .collect();
        let told = callers.into_iter().map(|caller| caller.join().unwrap());
        told.flatten().collect()
    });
    for status in &answers {
        assert!([200, 429].contains(status), "{status}");
        accepted += usize::from(*status == 200);
    }
    eprintln!("{accepted} of {} calls within {LIMIT}", answers.len());
    assert!(accepted * 100 >= LIMIT * 95, "{accepted}");
    // On a machine that takes a minute for it, the window has moved on.
    let in_one_window = began.elapsed() < Duration::from_secs(55);
    assert!(
        accepted * 100 <= LIMIT * 105 || !in_one_window,
        "{accepted}"
    );
}

/// Nodes wait for each other's writes, and give up in time where the disk takes long.
fn until_answered(mut call: impl FnMut() -> Answer) -> Answer {
    let began = Instant::now();
    loop {
        let answer = call();
        if !LATER.contains(&answer.status) || began.elapsed() > LATER_MAX {
            return answer;
        }
    }
}

fn send(address: &str, key: &str, name: &str, body: &Value) -> std::io::Result<Answer> {
    let lines = format!("Authorization: Token {key}\r\nIdempotency-Key: {name}\r\n");
    client::send(address, "POST", PATH, &lines, Some(body))
}

#[test]
fn a_named_request_is_done_once_by_all_nodes_and_after_a_kill() {
    let server = PgServer::start().unwrap();
    let mut nodes = nodes(&server);
    for round in 0..8 {
        let body = json!({"data": {"type": "tracking_request", "attributes": {
            "request_type": "bill_of_lading", "request_number": format!("NWLX{round}"),
            "scac": "MSCU"}}});
        let name = format!("round-{round}");
        let killed = nodes[0].kill_after(Duration::from_millis(round * 3));
        let at_once: Vec<std::io::Result<Answer>> = std::thread::scope(|scope| {
            let callers: Vec<_> = (0..5)
                .map(|caller| {
                    let node = &nodes[caller % 2];
                    let (address, key) = (node.address.clone(), node.key.clone());
                    let (name, body) = (&name, &body);
                    scope.spawn(move || send(&address, &key, name, body))
                })
                .collect();
            let told = callers.into_iter().map(|caller| caller.join().unwrap());
            told.collect()
        });
        killed.join().unwrap();
        nodes[0].start();
        let again =
            until_answered(|| send(&nodes[0].address, &nodes[0].key, &name, &body).unwrap());
        assert_eq!(again.status, 201, "{}", again.body);
        for answer in at_once.into_iter().flatten() {
            if LATER.contains(&answer.status) {
                continue;
            }
            assert_eq!(answer.status, 201, "{}", answer.body);
            assert_eq!(answer.body["data"]["id"], again.body["data"]["id"]);
        }
    }
    let listed = nodes[1].call("GET", PATH, None).unwrap();
    let listed = listed.body["data"].as_array().unwrap().len();
    assert_eq!(listed, 8, "each was done once");
}

#[test]
fn a_node_tells_how_its_machines_clock_stands_to_the_databases() {
    let server = PgServer::start().unwrap();
    let address = free_address();
    let settings = [
        ("QUAYSIDE_DATABASE", server.url()),
        ("QUAYSIDE_METRICS__LISTEN", address.clone()),
    ];
    let mut node = Service::install_with(PROFILE, &settings);
    node.start();
    let began = Instant::now();
    let ahead: f64 = loop {
        let metrics = client::text(&address, "/metrics").unwrap();
        let mut lines = metrics.lines();
        if let Some(told) =
            lines.find_map(|line| line.strip_prefix("quayside_clock_ahead_seconds "))
        {
            break told.parse().unwrap();
        }
        assert!(began.elapsed() < TOLD_MAX, "{metrics}");
        std::thread::sleep(Duration::from_millis(20));
    };
    // The server of the tests has this machine's clock.
    assert!(ahead.abs() < 1.0, "{ahead}");
}
