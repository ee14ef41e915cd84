//! A terminal that is asked: what holds a box, what is owed and until when it stands for free come by polling, and
//! an answer that leaves something out clears nothing.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::carrier::Carrier;
use crate::service::Service;

pub const BILL: &str = "NWLX00077";
pub const BOX: &str = "NWLU0000425";
/// Longest wait for something that is to happen at once.
const SOON_MAX: Duration = Duration::from_mins(2);

/// A terminal in the manner of APM Terminals.
struct Terminal {
    base: String,
    says: Arc<Mutex<Value>>,
    questions: Arc<Mutex<Vec<String>>>,
}

impl Terminal {
    fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let says = Arc::new(Mutex::new(json!([])));
        let questions = Arc::new(Mutex::new(Vec::new()));
        let (answers, log) = (Arc::clone(&says), Arc::clone(&questions));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &answers, &log);
            }
        });
        Self {
            base,
            says,
            questions,
        }
    }

    fn says(&self, rows: Value) {
        *self.says.lock().unwrap() = rows;
    }

    fn asked(&self) -> usize {
        self.questions.lock().unwrap().len()
    }
}

fn answer(mut stream: TcpStream, says: &Mutex<Value>, log: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    let mut head = String::new();
    for line in lines.by_ref().map_while(Result::ok) {
        if line.is_empty() {
            break;
        }
        head.push_str(&line.to_ascii_lowercase());
        head.push('\n');
    }
    let (status, body) = if first.starts_with("POST /oauth/") {
        (
            "200 OK",
            json!({"access_token": "pass", "expires_in": 1800}),
        )
    } else if !head.contains("authorization: bearer pass") {
        ("401 Unauthorized", json!({}))
    } else {
        log.lock().unwrap().push(first);
        ("200 OK", says.lock().unwrap().clone())
    };
    let body = body.to_string();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
}

pub fn ago(hours: i64) -> String {
    (Timestamp::now() - SignedDuration::from_hours(hours)).to_string()
}

/// What a line says about the box.
pub fn event(id: &str, code: &str, place: &str, hours: i64) -> Value {
    json!({
        "eventID": id, "eventCreatedDateTime": ago(1), "eventType": "EQUIPMENT",
        "eventClassifierCode": "ACT", "eventDateTime": ago(hours),
        "equipmentEventTypeCode": code, "equipmentReference": BOX, "emptyIndicatorCode": "LADEN",
        "documentReferences": [{"documentReferenceType": "TRD", "documentReferenceValue": BILL}],
        "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": place,
            "vessel": {"vesselIMONumber": "9321483"}},
    })
}

/// The line: the box was discharged yesterday.
fn told() -> Value {
    json!([
        event("t-1", "LOAD", "CNNGB", 20 * 24),
        event("t-2", "DISC", "USLAX", 24),
    ])
}

fn installed(terminal: &Terminal) -> Service {
    let service = without_terminal();
    service.write("sources.d/pier.toml", &mapping(terminal));
    service
}

fn without_terminal() -> Service {
    let carrier = Carrier::open(Arc::new(|number| (number == BILL).then(told)));
    let profile = include_str!("nowhere/profile.toml");
    let profile = profile.replace("https://api.nowhere.example", &carrier.base);
    // A shell cannot export the dash of its id.
    let named = |name: &str| format!("QUAYSIDE_SOURCES__SECRETS__APM_TERMINALS__{name}");
    let secrets =
        ["CLIENT_ID", "CLIENT_SECRET"].map(|name| (&*named(name).leak(), "known".to_owned()));
    let unlimited = ("QUAYSIDE_RATE_LIMITS__DEFAULT", "0".to_owned());
    let variables: Vec<(&'static str, String)> = secrets.into_iter().chain([unlimited]).collect();
    Service::install_with(&profile, &variables)
}

fn mapping(terminal: &Terminal) -> String {
    let mut templates = sources::terminal::templates().iter();
    let template = templates
        .find(|template| template.name == "apm-terminals")
        .unwrap();
    template
        .text
        .replace("https://api.apmterminals.com", &terminal.base)
        // A terminal that tells its last free day, as well as the day up to which storage is paid.
        .replace(
            "appointment = ",
            "last_free_day = \"lastFreeDay\"\nappointment = ",
        )
}

pub fn wait_for(what: &str, mut found: impl FnMut() -> Option<Value>) -> Value {
    let began = Instant::now();
    loop {
        if let Some(value) = found() {
            return value;
        }
        assert!(began.elapsed() < SOON_MAX, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub fn container(service: &Service) -> Option<Value> {
    let listed = service.call("GET", "/v2/containers", None).unwrap();
    listed.body["data"].as_array()?.first().cloned()
}

fn holds(container: &Value) -> Vec<String> {
    let holds = container["attributes"]["holds_at_pod_terminal"].as_array();
    let names = holds
        .into_iter()
        .flatten()
        .map(|hold| hold["name"].as_str().unwrap().to_owned());
    names.collect()
}

/// Asks for news, and waits until the terminal was asked and what it said was read.
fn refresh(service: &Service, terminal: &Terminal, id: &str) {
    wait_until_read(service);
    let before = terminal.asked();
    let path = format!("/v2/containers/{id}/refresh");
    let started = service.call("PATCH", &path, None).unwrap();
    assert_eq!(started.status, 200, "{}", started.body);
    wait_for("the terminal is asked again", || {
        (terminal.asked() > before).then_some(json!(1))
    });
    wait_until_read(service);
}

/// No question to the terminal is under way, and all that it said was read.
fn wait_until_read(service: &Service) {
    wait_for("what it said is read", || {
        let source = service
            .call("GET", "/v2/sources/apm-terminals", None)
            .unwrap();
        let attributes = &source.body["data"]["attributes"];
        (attributes["messages_unread"] == 0 && attributes["questions_due"] == 0)
            .then(|| attributes.clone())
    });
}

#[test]
fn holds_fees_and_free_days_come_by_polling_and_a_partial_answer_clears_nothing() {
    let terminal = Terminal::open();
    let free_day = (Timestamp::now() + SignedDuration::from_hours(96)).to_string();
    let (free_day, _) = free_day.split_at(10);
    let row = |rest: Value| {
        let mut row = json!({"containerId": BOX});
        row.as_object_mut()
            .unwrap()
            .extend(rest.as_object().unwrap().clone());
        json!([row])
    };
    terminal.says(row(json!({
        "readyForDelivery": false, "yardStatus": "YARD", "yardLocation": "B-12-3",
        "customsHold": true, "freightHold": false, "demurrageOwed": 120.5,
        "lastFreeDay": format!("{free_day}T00:00:00-08:00"),
        "storagePaidThroughDate": "2031-01-01",
    })));
    let mut service = installed(&terminal);
    service.start();
    assert_eq!(service.track(BILL, "NWLX").unwrap().status, 201);
    let held = wait_for("the hold comes", || {
        container(&service).filter(|container| holds(container) == ["customs"])
    });
    let id = held["id"].as_str().unwrap().to_owned();
    let attributes = &held["attributes"];
    assert_eq!(attributes["fees_at_pod_terminal"][0]["type"], "demurrage");
    assert_eq!(attributes["fees_at_pod_terminal"][0]["amount"], 120.5);
    let told = attributes["pickup_lfd"].as_str().unwrap_or_default();
    assert!(told.starts_with(free_day), "{attributes}");
    assert_eq!(attributes["available_for_pickup"], false);
    let question = terminal.questions.lock().unwrap()[0].clone();
    assert!(
        question.contains("facilityCode=USLAX") && question.contains(BOX),
        "{question}"
    );

    terminal.says(row(json!({"yardStatus": "YARD", "yardLocation": "C-01-1"})));
    refresh(&service, &terminal, &id);
    let moved = wait_for("the place in the yard is new", || {
        container(&service).filter(|c| c["attributes"]["location_at_pod_terminal"] == "C-01-1")
    });
    assert_eq!(holds(&moved), ["customs"]);
    assert_eq!(moved["attributes"]["pickup_lfd"], attributes["pickup_lfd"]);

    terminal.says(json!([]));
    refresh(&service, &terminal, &id);
    assert_eq!(
        holds(&container(&service).unwrap()),
        ["customs"],
        "a mistake clears nothing"
    );

    terminal.says(row(json!({"readyForDelivery": true, "customsHold": false})));
    refresh(&service, &terminal, &id);
    let free = wait_for("the box is free", || {
        container(&service).filter(|c| c["attributes"]["available_for_pickup"] == true)
    });
    assert_eq!(holds(&free), [""; 0]);
    let source = service
        .call("GET", "/v2/sources/apm-terminals", None)
        .unwrap();
    let attributes = &source.body["data"]["attributes"];
    assert_eq!(attributes["state"], "working", "{attributes}");
    assert_eq!(attributes["errors"], json!([]));
}

#[test]
fn a_source_is_paused_over_http_by_who_may_and_stays_so_after_a_restart() {
    let terminal = Terminal::open();
    let mut service = installed(&terminal);
    service.start();
    let refused = service
        .call("PATCH", "/v2/sources/nowhere/pause", None)
        .unwrap();
    assert_eq!(refused.status, 403, "{}", refused.body);
    service.kill();
    service.tell(&["account", "set", "Witness", "--feature", "sources=on"]);
    service.start();
    let paused = service
        .call("PATCH", "/v2/sources/nowhere/pause", None)
        .unwrap();
    assert_eq!(paused.status, 200, "{}", paused.body);
    assert_eq!(paused.body["data"]["attributes"]["state"], "paused");
    service.kill();
    let listed = service.tell(&["source", "list"]);
    assert!(listed.contains("nowhere\tdcsa-2\tpaused"), "{listed}");
    service.start();
    assert_eq!(service.track(BILL, "NWLX").unwrap().status, 201);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(container(&service), None);
    let resumed = service
        .call("PATCH", "/v2/sources/nowhere/resume", None)
        .unwrap();
    // It may have been asked already.
    let state = resumed.body["data"]["attributes"]["state"].clone();
    assert!(
        ["silent", "working"].contains(&state.as_str().unwrap()),
        "{state}"
    );
    wait_for("the line is asked", || container(&service));
}

#[test]
fn a_terminal_that_is_configured_while_the_service_runs_is_asked_about_boxes_that_are_known() {
    let terminal = Terminal::open();
    terminal.says(json!([{"containerId": BOX, "yardStatus": "YARD", "customsHold": true}]));
    let mut service = without_terminal();
    service.start();
    assert_eq!(service.track(BILL, "NWLX").unwrap().status, 201);
    wait_for("the line tells of the box", || container(&service));
    let whole = mapping(&terminal);
    service.write("sources.d/pier.toml", &whole[..whole.len() / 2]);
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(terminal.asked(), 0, "half a profile is none");
    service.write("sources.d/pier.toml", &whole);
    wait_for("the terminal tells of its hold", || {
        container(&service).filter(|container| holds(container) == ["customs"])
    });
    // What it told is read a moment before it is noted that it answered.
    wait_for("the terminal works", || {
        let listed = service
            .call("GET", "/v2/sources/apm-terminals", None)
            .unwrap();
        let state = listed.body["data"]["attributes"]["state"].clone();
        (state == "working").then_some(state)
    });
}

#[test]
fn the_folder_of_a_terminal_that_is_configured_while_the_service_runs_is_watched() {
    let terminal = Terminal::open();
    terminal.says(json!([]));
    let mut service = without_terminal();
    service.start_with_log("log");
    let spool = tempfile::tempdir().unwrap();
    let watches = format!(
        "{}\n[drop]\nfolder = {:?}\n",
        mapping(&terminal),
        spool.path()
    );
    service.write("sources.d/pier.toml", &watches);
    std::fs::write(spool.path().join("yard.json"), "[]").unwrap();
    wait_for("the file is worked off", || {
        let left = |below: &str| spool.path().join(below).join("yard.json").exists();
        (left("done") || left("quarantine")).then_some(json!(true))
    });
    // Two of them would read each other's files.
    let second = watches.replace("id = \"apm-terminals\"", "id = \"pier-two\"");
    assert_ne!(second, watches);
    service.write("sources.d/second.toml", &second);
    wait_for("the second is refused", || {
        let log = std::fs::read_to_string(service.path("log")).unwrap();
        let mut lines = log.lines();
        let told = lines.find(|line| line.contains("drop.folder is that of"))?;
        assert!(told.contains("pier.toml"), "{told}");
        Some(json!(true))
    });
}
