//! Everything that was kept, read again by the command, over a world that many feeds told: nothing may change.
//!
//! Journeys of every kind are told by a line that is asked, and by terminals, hubs and railroads that nobody asks,
//! half of it before and half after the boxes are tracked. Then every document that an account can read is
//! compared byte by byte with what it was. `SEED` draws another world.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simulator::feeds::{self, Case, Feed};
use tempfile::TempDir;

use crate::carrier::Carrier;
use crate::faults::setting;
use crate::receiver::Receiver;
use crate::service::Service;

/// Each kind of journey once.
const JOURNEYS: u64 = 14;
/// Boxes that the line knows, at the least: a cancelled booking has none.
const BOXES_MIN: usize = 12;
/// Longest wait until all that was said is told.
const QUIET_MAX: Duration = Duration::from_mins(2);
/// Tries to stop a replay at work.
const STOPS_MAX: u32 = 12;

/// A service that has heard a whole world and told all of it.
struct World {
    service: Service,
    receiver: Receiver,
    _files: TempDir,
}

/// Who speaks in this world, with the ids of their profiles.
const FEEDS: [Feed; 8] = [
    Feed::Line,
    Feed::Quay,
    Feed::Gate,
    Feed::Hub,
    Feed::Forwarder,
    Feed::Road,
    Feed::Ramp,
    Feed::Terminal,
];

fn source(feed: Feed) -> String {
    format!("{feed:?}").to_lowercase()
}

/// How the terminal's interface is read.
const TERMINAL: &str = r#"id = "terminal"
protocol = "terminal-table"
[format]
kind = "json"
records = "units"
[columns]
container = "id"
as_of = "$.asOf"
locode = "$.port"
facility = "$.pier"
bill = "bill"
available = "ready"
holds = "holds"
fees = "fees"
last_free_day = "freeUntil"
appointment = "slot"
yard_location = "spot"
[moves]
vessel_discharged = "discharged"
full_out = "out"
[holds]
complete = true
name = "kind"
status = "state"
[fees]
complete = true
name = "kind"
amount = "sum"
currency_member = "money"
"#;

fn profiles(service: &Service) {
    for (id, sender) in [
        ("quay", "terminal"),
        ("gate", "terminal"),
        ("hub", "line"),
        ("forwarder", "line"),
        ("ramp", "railroad"),
    ] {
        let text = format!("id = {id:?}\nprotocol = \"edi\"\nsender = {sender:?}\n");
        service.profile(id, &text);
    }
    service.profile("road", "id = \"road\"\nprotocol = \"clm\"\n");
    service.profile("terminal", TERMINAL);
}

fn line(base: &str) -> String {
    format!(
        "id = \"line\"\nprotocol = \"dcsa-2\"\nscac = [\"HRNS\"]\n[line]\nname = \"Heron Line\"\nshort_name = \"Heron\"\n\
         [endpoint]\nbase = {base:?}\npath = \"/v2/events\"\n[numbers]\ncontainer = \"equipmentReference\"\n\
         [polling]\nrequests_per_minute = 100000\n"
    )
}

/// Everything the line says of a box, as one answer; while it is young, half of it.
fn book(cases: &[Case], grown: Arc<AtomicBool>) -> crate::carrier::Book {
    let told: BTreeMap<String, Vec<Value>> = cases
        .iter()
        .map(|case| {
            let own = case
                .messages
                .iter()
                .filter(|message| message.feed == Feed::Line);
            let events = own.flat_map(|message| -> Vec<Value> {
                let said: Value = serde_json::from_slice(&message.bytes).unwrap();
                said.as_array().cloned().unwrap_or_else(|| vec![said])
            });
            (case.number.to_string(), events.collect())
        })
        .collect();
    Arc::new(move |number: &str| {
        let events = told.get(number)?;
        let most = if grown.load(Ordering::SeqCst) {
            events.len()
        } else {
            events.len().div_ceil(2)
        };
        Some(json!(events[..most]))
    })
}

fn world() -> World {
    let seed = setting("SEED", 20_261_121);
    eprintln!("SEED={seed}");
    let cases: Vec<Case> = (0..JOURNEYS)
        .filter_map(|index| feeds::case(seed, index, &FEEDS))
        .collect();
    assert_eq!(cases.len() as u64, JOURNEYS);
    let grown = Arc::new(AtomicBool::new(false));
    let carrier = Carrier::open(book(&cases, Arc::clone(&grown)));
    let receiver = Receiver::open();
    let mut service = Service::install(&line(&carrier.base));
    profiles(&service);
    let files = tempfile::tempdir().unwrap();
    import(&service, &cases, files.path(), false);
    service.start();
    service.subscribe(&receiver.url);
    for case in &cases {
        let body = json!({ "data": { "type": "tracking_request", "attributes": {
            "request_type": "container", "request_number": case.number.to_string(), "scac": "HRNS" } } });
        let answer = service
            .call("POST", "/v2/tracking_requests", Some(&body))
            .unwrap();
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    wait_until_quiet(&service, &receiver);
    service.kill();
    grown.store(true, Ordering::SeqCst);
    import(&service, &cases, files.path(), true);
    service.start();
    wait_until_quiet(&service, &receiver);
    // What has ended is not computed anew, and much of this world ended long ago.
    let listed = service
        .call("GET", "/v2/shipments?page[size]=100", None)
        .unwrap()
        .body;
    for shipment in listed["data"].as_array().unwrap() {
        let path = format!(
            "/v2/shipments/{}/resume_tracking",
            shipment["id"].as_str().unwrap()
        );
        let answer = service.call("PATCH", &path, None).unwrap();
        assert_eq!(
            answer.body["data"]["attributes"]["tracked"], true,
            "{}",
            answer.body
        );
    }
    wait_until_quiet(&service, &receiver);
    service.kill();
    // From here on it is looked at and nothing works in it.
    service.set("QUAYSIDE_ROLE", "api");
    World {
        service,
        receiver,
        _files: files,
    }
}

/// Takes in what every feed but the line says: the first half of each journey, or the second.
fn import(service: &Service, cases: &[Case], folder: &std::path::Path, later: bool) {
    let mut dropped: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (place, case) in cases.iter().enumerate() {
        let half = case.messages.len() / 2;
        for (index, message) in case.messages.iter().enumerate() {
            if message.feed == Feed::Line || (index >= half) != later {
                continue;
            }
            let id = source(message.feed);
            let path = folder.join(format!("{id}-{place:03}-{index:03}"));
            std::fs::write(&path, &message.bytes).unwrap();
            dropped
                .entry(id)
                .or_default()
                .push(path.display().to_string());
        }
    }
    for (id, files) in dropped {
        let mut arguments = vec!["import", "--source", id.as_str()];
        arguments.extend(files.iter().map(String::as_str));
        let printed = service.run(&arguments);
        let printed = String::from_utf8_lossy(&printed.stdout);
        // The terminal's answers are empty or pages at times.
        let put_aside = |line: &&str| line.contains("in quarantine") && id == "terminal";
        let unread = printed.lines().filter(|line| !line.contains(" read"));
        let unread: Vec<&str> = unread.filter(|line| !put_aside(line)).collect();
        assert!(unread.is_empty(), "{unread:?}");
        assert_eq!(printed.lines().count(), files.len());
    }
}

/// No source is being asked, and nothing is left to read.
fn is_read(service: &Service) -> bool {
    let sources = service.call("GET", "/v2/sources", None).unwrap();
    let rows = sources.body["data"].as_array().unwrap().iter();
    let idle = |name: &str, row: &Value| row["attributes"][name] == 0;
    rows.fold(true, |all, row| {
        all && idle("messages_unread", row) && idle("questions_due", row)
    })
}

/// Waits until nothing is to be delivered and nothing new arrived for a while.
fn wait_until_quiet(service: &Service, receiver: &Receiver) {
    let pending = "/v2/webhook_notifications?filter[status]=pending&page[size]=1";
    let began = Instant::now();
    let (mut arrived, mut still) = (0, 0);
    while still < 3 {
        std::thread::sleep(Duration::from_secs(1));
        let before = std::mem::replace(&mut arrived, receiver.log().arrivals);
        let answer = service.call("GET", pending, None).unwrap();
        let unsent = answer.body["meta"]["total"].as_u64().unwrap();
        let quiet = unsent == 0 && arrived == before && arrived > 0 && is_read(service);
        still = if quiet { still + 1 } else { 0 };
        assert!(
            began.elapsed() < QUIET_MAX,
            "{unsent} wait, {arrived} arrived"
        );
    }
}

/// Every document that the account can read, by its address.
fn documents(service: &mut Service) -> BTreeMap<String, String> {
    service.start();
    let mut found = BTreeMap::new();
    for list in [
        "containers?include=shipment",
        "shipments?include=containers",
        "tracking_requests?include=tracked_object",
        "webhook_notifications?include=reference_object",
    ] {
        read_all(service, list, &mut found);
    }
    let ids = ids(&found, "containers");
    assert!(ids.len() >= BOXES_MIN, "{} boxes", ids.len());
    for id in ids {
        read_all(
            service,
            &format!("containers/{id}/transport_events?sort=-created_at"),
            &mut found,
        );
        for path in ["raw_events", "map_geojson", "?include_meta=provenance"] {
            let path = format!("/v2/containers/{id}/{path}").replace("/?", "?");
            found.insert(path.clone(), service.document(&path));
        }
    }
    for id in ids_of_notifications(&found) {
        let path = format!("/v2/webhook_notifications/{id}/body");
        found.insert(path.clone(), service.document(&path));
    }
    service.kill();
    found
}

fn read_all(service: &Service, list: &str, found: &mut BTreeMap<String, String>) {
    for page in 1.. {
        let path = format!("/v2/{list}&page[size]=100&page[number]={page}");
        let text = service.document(&path);
        let listed: Value = serde_json::from_str(&text).unwrap();
        found.insert(path, text);
        if listed["links"]["next"].is_null() {
            return;
        }
    }
}

fn ids(found: &BTreeMap<String, String>, list: &str) -> BTreeSet<String> {
    let pages = found
        .iter()
        .filter(|(path, _)| path.starts_with(&format!("/v2/{list}?")));
    let rows = pages.flat_map(|(_, text)| {
        let listed: Value = serde_json::from_str(text).unwrap();
        listed["data"].as_array().cloned().unwrap()
    });
    rows.map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

fn ids_of_notifications(found: &BTreeMap<String, String>) -> BTreeSet<String> {
    ids(found, "webhook_notifications")
}

fn assert_same(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>, when: &str) {
    let addresses = |found: &BTreeMap<String, String>| found.keys().cloned().collect::<Vec<_>>();
    assert_eq!(addresses(before), addresses(after), "{when}");
    for (path, text) in before {
        assert_eq!(text, &after[path], "{when}: {path}");
    }
}

#[test]
fn a_replay_of_a_whole_world_changes_no_byte() {
    let World {
        mut service,
        receiver,
        ..
    } = world();
    let before = documents(&mut service);
    let told = receiver.log().arrivals;
    for arguments in [&["replay"][..], &["replay", "--anew"]] {
        let printed = service.tell(arguments);
        assert!(is_as_it_was(&printed), "{printed}");
        assert_same(&before, &documents(&mut service), &arguments.join(" "));
    }
    stopped_and_gone_on(&service);
    assert_same(&before, &documents(&mut service), "stopped and gone on");
    shows_how_far_it_is(&service);
    assert_same(&before, &documents(&mut service), "shown");
    // Nothing waits to be told either.
    service.set("QUAYSIDE_ROLE", "all");
    service.start();
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(receiver.log().arrivals, told, "nothing is told again");
    service.kill();
    service.set("QUAYSIDE_ROLE", "api");
    another_rank_counts_for_what_was_said_before(&mut service, &before);
}

/// One value of one box for which a lower rank tells another time.
struct Contested {
    path: String,
    attribute: &'static str,
    group: &'static str,
    stands: Value,
    loses: Value,
}

fn contested(found: &BTreeMap<String, String>) -> Contested {
    let minute = |said: &Value| said["precision"] == "minute";
    for (path, text) in found
        .iter()
        .filter(|(path, _)| path.contains("include_meta"))
    {
        let told: Value = serde_json::from_str(text).unwrap();
        for (attribute, group) in [
            ("pod_discharged_at", "lifts"),
            ("pol_vessel_loaded_at", "lifts"),
            ("pod_arrived_at", "sailings"),
            ("pol_vessel_departed_at", "sailings"),
        ] {
            let value = &told["meta"]["provenance"]["attributes"][attribute];
            let stands = &value["standing"][0];
            let others: Vec<&Value> = value["others"].as_array().into_iter().flatten().collect();
            // Whatever this source says of it, it is another time.
            let differs = |source: &Value| {
                let mut own = others.iter().filter(|other| other["source"] == *source);
                own.all(|other| other["value"] != stands["value"])
            };
            let mut losers = others.iter().filter(|other| {
                other["verdict"] == "outranked" && minute(other) && differs(&other["source"])
            });
            if let Some(loses) = losers.next().filter(|_| minute(stands)) {
                assert_eq!(told["data"]["attributes"][attribute], stands["value"]);
                return Contested {
                    path: path.clone(),
                    attribute,
                    group,
                    stands: stands.clone(),
                    loses: (*loses).clone(),
                };
            }
        }
    }
    panic!("nobody contradicts anybody in this world");
}

fn another_rank_counts_for_what_was_said_before(
    service: &mut Service,
    before: &BTreeMap<String, String>,
) {
    let Contested {
        path,
        attribute,
        group,
        stands,
        loses,
    } = contested(before);
    let wrong = ("QUAYSIDE_SOURCES__TRUST__NOBODY__LIFTS", "1");
    let refused = service
        .command(&["replay"])
        .env(wrong.0, wrong.1)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success());
    assert!(
        said.contains("settings: sources.trust.nobody: no source has this id"),
        "{said}"
    );
    let mut settings = String::from("[sources.trust]\n");
    for (source, rank) in [(&stands, 9), (&loses, 1)] {
        let id = source["source"]["id"].as_str().unwrap();
        let _ = writeln!(settings, "{id}.{group} = {rank}");
    }
    service.write("quayside.toml", &settings);
    let shown = |service: &mut Service| -> Value {
        service.start();
        let told = service.document(&path);
        service.kill();
        serde_json::from_str(&told).unwrap()
    };
    let asked = shown(service);
    let wins = &asked["meta"]["provenance"]["attributes"][attribute]["standing"][0];
    assert_eq!(
        wins["source"], loses["source"],
        "{attribute} of {path}: {settings}"
    );
    assert_ne!(wins["value"], stands["value"]);
    let stored = &asked["data"]["attributes"][attribute];
    assert_eq!(stored, &stands["value"], "nobody has computed it anew yet");
    let printed = service.tell(&["replay"]);
    assert!(is_as_it_was(&printed), "{printed}");
    let after = shown(service);
    assert_eq!(after["data"]["attributes"][attribute], wins["value"]);
}

/// Stopped politely and killed, it goes on where it was and comes to the same end. It is stopped sooner and later within the time
/// that it takes on this machine: on a fast one that is a tenth of a second.
fn stopped_and_gone_on(service: &Service) {
    let began = Instant::now();
    service.tell(&["replay", "--anew"]);
    let whole = began.elapsed();
    let mut polite = 0;
    let mut anew = true;
    for attempt in 1..=STOPS_MAX {
        let arguments: &[&str] = if anew {
            &["replay", "--anew"]
        } else {
            &["replay"]
        };
        let mut command = service.command(arguments);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(whole * attempt / (STOPS_MAX + 1));
        let killed = attempt % 3 == 0;
        if killed {
            let _ = child.kill();
        } else {
            let id = child.id().to_string();
            let _ = Command::new("kill").args(["-s", "INT", &id]).status();
        }
        let mut printed = String::new();
        let mut out = child.stdout.take().unwrap();
        out.read_to_string(&mut printed).unwrap();
        let status = child.wait().unwrap();
        if printed.contains("run it again to go on") {
            assert_eq!(status.code(), Some(1), "{printed}");
            polite += 1;
        }
        // One that came to its end is begun anew, so that there is something to stop.
        anew = status.success();
    }
    assert!(polite > 0, "none was stopped at work");
    let printed = service.tell(if anew {
        &["replay", "--anew"]
    } else {
        &["replay"]
    });
    assert!(printed.ends_with("every reading is as it was"), "{printed}");
}

/// Some messages were read, and no reading is another one.
fn is_as_it_was(printed: &str) -> bool {
    let read = printed.strip_prefix("messages read again: ");
    let read = read.and_then(|rest| rest.strip_suffix("; every reading is as it was"));
    read.and_then(|count| count.parse().ok())
        .is_some_and(|count: u64| count > 0)
}

/// On a terminal the steps can be seen; in a pipe there is one line.
fn shows_how_far_it_is(service: &Service) {
    let mut command = service.command(&[]);
    let settings: Vec<(String, String)> = command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_str()?.into(), value?.to_str()?.into())))
        .collect();
    let program = command.get_program().to_str().unwrap().to_owned();
    let folder = command.get_current_dir().unwrap().to_owned();
    command = Command::new("script");
    command.args(["-qec", &format!("{program} replay --anew"), "/dev/null"]);
    command
        .current_dir(folder)
        .envs(settings)
        .env("TERM", "xterm");
    let output = command.stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("reading") && shown.contains('/'), "{shown}");
}
