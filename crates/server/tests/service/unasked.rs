//! Messages that nobody asked for, from outside: a watched folder, pushes, uploads, imports.
//!
//! `SEED` sets the moments at which the process is killed.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::carrier::Carrier;
use crate::client;
use crate::service::{Service, free_address};

/// Files that are dropped while the process is killed.
const FILES: u32 = 40;
/// How often it is killed.
const KILLS: u64 = 4;
/// Longest time after the last start in which everything must be in place.
const SETTLE_MAX: Duration = Duration::from_mins(2);

/// A carrier that knows no number, and drops and pushes what it has to say.
struct Port {
    service: Service,
    spool: TempDir,
}

fn port() -> Port {
    let carrier = Carrier::open(Arc::new(|_| None));
    let spool = tempfile::tempdir().unwrap();
    let profile = include_str!("nowhere/profile.toml");
    let profile = profile.replace("https://api.nowhere.example", &carrier.base);
    let folder = spool.path().display();
    let doors = format!(
        "\n[drop]\nfolder = \"{folder}\"\n[inbound]\nproof = \"field\"\nfield = \"X-Key\"\n"
    );
    let secret = (
        "QUAYSIDE_SOURCES__SECRETS__NOWHERE__INBOUND",
        "s3cret".to_owned(),
    );
    // The tests look often.
    let unlimited = ("QUAYSIDE_RATE_LIMITS__DEFAULT", "0".to_owned());
    let service = Service::install_with(&(profile + &doors), &[secret, unlimited]);
    Port { service, spool }
}

fn bill(index: u32) -> String {
    format!("NWLX7{index:04}")
}

/// One box of this bill, loaded.
fn told(index: u32) -> Value {
    let number = domain::codes::ContainerNumber::parse(&format!("NWLU{index:06}")).unwrap();
    json!([{
        "eventID": format!("u-{index}"), "eventCreatedDateTime": "2026-04-05T05:00:00Z",
        "eventType": "EQUIPMENT", "eventClassifierCode": "ACT",
        "eventDateTime": "2026-04-05T03:20:00+08:00", "equipmentEventTypeCode": "LOAD",
        "equipmentReference": number.as_str(), "emptyIndicatorCode": "LADEN",
        "documentReferences": [
            {"documentReferenceType": "TRD", "documentReferenceValue": bill(index)}],
        "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": "CNNGB"},
    }])
}

/// Puts a file into the folder as a good sender does: written beside it, then renamed.
fn drop_file(folder: &Path, name: &str, bytes: &[u8]) {
    let beside = folder.join(format!("{name}.part"));
    std::fs::write(&beside, bytes).unwrap();
    std::fs::rename(beside, folder.join(name)).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .map(|entries| {
            let files = entries
                .flatten()
                .filter(|e| e.file_type().unwrap().is_file());
            files
                .map(|e| e.file_name().to_string_lossy().into_owned())
                .collect()
        })
        .unwrap_or_default();
    names.sort();
    names
}

fn wait_until(what: &str, done: impl Fn() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < SETTLE_MAX, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn shipments(service: &Service) -> u64 {
    let listed = service.call("GET", "/v2/shipments?page[size]=1", None);
    let listed = listed.map(|answer| answer.body["meta"]["total"].as_u64());
    listed.ok().flatten().unwrap_or_default()
}

#[test]
fn files_that_are_dropped_while_the_process_is_killed_are_all_read_once() {
    let mut seed: u64 = std::env::var("SEED")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(1);
    eprintln!("SEED={seed}");
    let Port { mut service, spool } = port();
    service.start();
    for index in 0..FILES {
        assert_eq!(service.track(&bill(index), "NWLX").unwrap().status, 201);
    }
    for round in 0..KILLS {
        let share = FILES / u32::try_from(KILLS).unwrap();
        let first = u32::try_from(round).unwrap() * share;
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let killer = service.kill_after(Duration::from_millis(1_500 + (seed >> 33) % 4_500));
        for index in first..first + share {
            drop_file(
                spool.path(),
                &format!("{index}.json"),
                told(index).to_string().as_bytes(),
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        killer.join().unwrap();
        service.start();
    }
    let done = spool.path().join("done");
    // A kill between the taking of a name and the move to it leaves the name, empty.
    let moved = || {
        let all = names(&done).into_iter().map(|name| done.join(name));
        let whole = all.filter(|path| std::fs::metadata(path).is_ok_and(|about| about.len() > 0));
        whole.count()
    };
    wait_until("every file is read and moved", || {
        moved() == FILES as usize && shipments(&service) == u64::from(FILES)
    });
    assert_eq!(names(spool.path()), [""; 0]);
    assert_eq!(names(&spool.path().join("quarantine")), [""; 0]);
    let listed = service
        .call("GET", "/v2/containers?page[size]=1", None)
        .unwrap();
    assert_eq!(listed.body["meta"]["total"], FILES, "each once");
}

#[test]
fn what_cannot_be_read_stands_in_quarantine_with_a_reason_and_delays_nobody() {
    let Port { mut service, spool } = port();
    let metrics = free_address();
    service.set("QUAYSIDE_METRICS__LISTEN", &metrics);
    service.start_with_log("log");
    assert_eq!(service.track(&bill(1), "NWLX").unwrap().status, 201);
    drop_file(
        spool.path(),
        "a.html",
        b"<html><body>Service unavailable</body></html>",
    );
    drop_file(spool.path(), "b.json", b" \n");
    drop_file(spool.path(), "c.json", br#"[{"eventType": "EQUIPM"#);
    drop_file(spool.path(), "d.json", br#"{"hello": 1}"#);
    let long = std::fs::File::create(spool.path().join("e.part")).unwrap();
    long.set_len(100 * 1024 * 1024).unwrap();
    std::fs::rename(spool.path().join("e.part"), spool.path().join("e.json")).unwrap();
    drop_file(spool.path(), "f.json", told(1).to_string().as_bytes());
    std::fs::write(spool.path().join("half.part"), b"[").unwrap();
    let aside = spool.path().join("quarantine");
    wait_until("the bad ones are put aside", || names(&aside).len() == 10);
    wait_until("the good one is read", || shipments(&service) == 1);
    for (name, expected) in [
        ("a.html", "line 1 column 1"),
        ("b.json", "the message is empty"),
        ("c.json", "line 1"),
        ("d.json", "nothing here is an event"),
        ("e.json", "at most 20971520 are read"),
    ] {
        let reason = std::fs::read_to_string(aside.join(format!("{name}.reason.txt"))).unwrap();
        assert!(reason.contains(expected), "{name}: {reason}");
    }
    wait_until("the good one is moved", || {
        names(&spool.path().join("done")) == ["f.json"]
    });
    assert_eq!(names(spool.path()), ["half.part"]);
    let log = || std::fs::read_to_string(service.path("log")).unwrap();
    for (name, reason) in [
        ("b.json", "the message is empty"),
        ("e.json", "at most 20971520 are read"),
        ("d.json", "nothing here is an event"),
    ] {
        wait_until("what was put aside is in the log", || {
            let log = log();
            let mut lines = log
                .lines()
                .filter(|line| line.contains("was moved to quarantine/"));
            lines.any(|line| line.contains(name) && line.contains(reason))
        });
    }
    let counted = client::text(&metrics, "/metrics").unwrap();
    let refused = "\nquayside_files_refused_total 2\n";
    assert!(
        counted.contains(refused),
        "the empty and the long one: {counted}"
    );
    let told = service.tell(&["check"]);
    assert!(told.contains("nowhere: 3 in quarantine"), "{told}");
    service.kill();
    let listed = service.tell(&["source", "list"]);
    let ours = listed.lines().find(|line| line.starts_with("nowhere\t"));
    let (aside_and_defects, last) = ours.unwrap().rsplit_once('\t').unwrap();
    assert!(aside_and_defects.ends_with("\t3\t3"), "{listed}");
    assert!(last.contains("Z "), "when and where: {listed}");
}

/// One exchange with a body of bytes; status and body.
fn post(service: &Service, path: &str, lines: &str, body: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(&service.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_mins(1)))
        .unwrap();
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: x\r\n{lines}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let _ = stream.write_all(body);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer)
}

#[test]
fn a_push_is_let_in_by_its_proof_and_an_upload_by_its_key() {
    let Port {
        mut service,
        spool: _spool,
    } = port();
    service.start();
    assert_eq!(service.track(&bill(1), "NWLX").unwrap().status, 201);
    let body = told(1).to_string();
    let proof = "X-Key: s3cret\r\nContent-Type: application/json\r\n";
    let own = format!("Authorization: Token {}\r\n", service.key);
    // Ten million bytes of nothing, in ten thousand.
    let bomb = include_bytes!("unasked/bomb.gz");
    let packed = format!("{proof}Content-Encoding: gzip\r\n");
    for (path, lines, body, expected) in [
        ("/inbound/nowhere", "", body.as_bytes(), 401),
        ("/inbound/nowhere", "X-Key: s3cre\r\n", body.as_bytes(), 401),
        ("/inbound/nobody", proof, body.as_bytes(), 404),
        ("/inbound/nowhere", proof, b"", 400),
        ("/inbound/nowhere", &packed, bomb, 400),
        (
            "/inbound/nowhere",
            "Authorization: Token nokey\r\n",
            body.as_bytes(),
            401,
        ),
    ] {
        let (status, answer) = post(&service, path, lines, body);
        assert_eq!(status, expected, "{path} {lines}: {answer}");
    }
    let (status, _) = post(&service, "/inbound/nowhere", proof, &vec![b' '; 21 << 20]);
    assert_eq!(status, 413);
    assert_eq!(shipments(&service), 0);
    for known in [false, true] {
        let (status, answer) = post(&service, "/inbound/nowhere", proof, body.as_bytes());
        assert_eq!(status, 202, "{answer}");
        assert!(answer.contains(&format!("\"known\":{known}")), "{answer}");
    }
    wait_until("the push is read", || shipments(&service) == 1);
    assert_eq!(service.track(&bill(2), "NWLX").unwrap().status, 201);
    let (status, answer) = post(
        &service,
        "/inbound/nowhere",
        &own,
        told(2).to_string().as_bytes(),
    );
    assert_eq!(status, 202, "{answer}");
    wait_until("the upload is read", || shipments(&service) == 2);
    let probe = service.call("GET", "/inbound/nowhere", None).unwrap();
    assert_eq!(probe.status, 204);
    let other = service.call("DELETE", "/inbound/nowhere", None).unwrap();
    assert_eq!(other.status, 405);
}

#[test]
fn files_are_imported_by_hand() {
    let Port { service, spool } = port();
    let file = spool.path().join("by-hand.json");
    std::fs::write(&file, told(1).to_string()).unwrap();
    let file = file.to_str().unwrap();
    let printed = service.tell(&["import", file, "--source", "nowhere"]);
    assert!(printed.ends_with(" read"), "{printed}");
    let again = service.tell(&["import", file, "--source", "nowhere"]);
    assert!(again.ends_with(" read (taken in before)"), "{again}");
    let mut service = service;
    service.start();
    assert_eq!(service.track(&bill(1), "NWLX").unwrap().status, 201);
    assert_eq!(
        shipments(&service),
        1,
        "what came before the request counts at once"
    );
}

/// As it is where they lie in a watched folder.
#[test]
fn an_old_sheet_that_is_imported_again_is_known_by_its_bytes_and_time() {
    let Port { service, spool } = port();
    service.profile(
        "sheet",
        "id = \"sheet\"\nprotocol = \"terminal-table\"\nterminal = \"USLAX-W185\"\n\
         [columns]\ncontainer = \"Container\"\navailable = \"Available\"\n",
    );
    let sheet = |name: &str, word: &str| {
        let file = spool.path().join(name);
        std::fs::write(&file, format!("Container,Available\nNWLU0000425,{word}\n")).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (mon, tue) = (sheet("mon.csv", "NO"), sheet("tue.csv", "YES"));
    for (file, said) in [
        (&mon, " read"),
        (&tue, " read"),
        (&mon, " read (taken in before)"),
    ] {
        let told = service.tell(&["import", file, "--source", "sheet"]);
        assert!(told.ends_with(said), "{told}");
    }
    let rehearsed = service.tell(&["import", &mon, "--source", "sheet", "--dry-run"]);
    assert!(rehearsed.contains("\"known\":true"), "{rehearsed}");
}

#[test]
fn a_dry_run_prints_what_would_change_and_changes_nothing() {
    let Port {
        mut service,
        spool: _spool,
    } = port();
    service.start();
    assert_eq!(service.track(&bill(1), "NWLX").unwrap().status, 201);
    service.signal("TERM");
    service.wait();
    // Not in the watched folder: there the service itself would read it as soon as it is up again.
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("by-hand.json");
    let bad = json!([told(1)[0], {"eventID": "x", "eventType": "EQUIPMENT"}]);
    std::fs::write(&file, bad.to_string()).unwrap();
    let rehearse = [
        "import",
        file.to_str().unwrap(),
        "--source",
        "nowhere",
        "--dry-run",
    ];
    let printed = service.tell(&rehearse);
    let lines = undated(&printed);
    assert_eq!(lines[0]["reports"], 1, "{printed}");
    assert_eq!(lines[1]["refused"], "[1].eventClassifierCode", "{printed}");
    let events = &lines[2]["events"];
    assert_eq!(
        events[0]["event"], "container.transport.vessel_loaded",
        "{printed}"
    );
    let number = lines[2]["container"].clone();
    assert_eq!(
        lines[2]["changes"]["number"],
        json!([null, number]),
        "{printed}"
    );
    assert_eq!(
        undated(&service.tell(&rehearse)),
        undated(&printed),
        "it can be said again"
    );
    service.start();
    assert_eq!(shipments(&service), 0);
}

/// What a dry run printed, without the second in which it would have been written.
fn undated(printed: &str) -> Vec<Value> {
    let mut lines: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for line in &mut lines {
        if let Some(changes) = line["changes"].as_object_mut() {
            for of_now in ["created_at", "updated_at"] {
                assert!(changes.remove(of_now).is_some(), "{of_now}: {printed}");
            }
        }
    }
    lines
}

#[test]
fn what_cannot_be_read_is_named_in_the_log_and_can_be_looked_at() {
    let Port {
        mut service,
        spool: _spool,
    } = port();
    service.write("garbage", "[{\"eventType\": \"EQUIPMENT\"}]");
    let imported = service.run(&["import", "garbage", "--source", "nowhere"]);
    assert_eq!(imported.status.code(), Some(1));
    let said = String::from_utf8_lossy(&imported.stderr);
    let mut lines = said.lines();
    let line = lines.find(|line| line.contains("a message is put aside"));
    let texts = line.map(|line| line.matches("\"message\":").count());
    assert_eq!(texts, Some(1), "one member of a name: {said}");
    let folder = service.path("aside");
    std::fs::create_dir(&folder).unwrap();
    let ask = ["source", "quarantine", "nowhere", "--save", "aside"];
    let shown = service.tell(&ask);
    let members: Vec<&str> = shown.split('\t').collect();
    assert_eq!(members.len(), 3, "{shown}");
    assert!(said.contains(members[0]), "{said}");
    assert!(members[2].starts_with("[0]"), "{shown}");
    let saved = std::fs::read(folder.join(members[0])).unwrap();
    assert_eq!(saved, b"[{\"eventType\": \"EQUIPMENT\"}]");
    assert_eq!(
        service.run(&ask).status.code(),
        Some(1),
        "nothing is overwritten"
    );
    let stranger = service.run(&["source", "quarantine", "elsewhere"]);
    assert_eq!(stranger.status.code(), Some(1));
    service.start();
}

#[test]
fn a_receiver_that_the_settings_forbid_is_in_the_log_with_its_address_and_the_setting() {
    let Port {
        mut service,
        spool: _spool,
    } = port();
    let receiver = "[receiver]\naddress = \"10.9.8.7:10110\"\n";
    service.profile(
        "harbour",
        &format!("id = \"harbour\"\nprotocol = \"ais\"\n{receiver}"),
    );
    service.start_with_log("log");
    wait_until("it is told", || {
        let log = std::fs::read_to_string(service.path("log")).unwrap();
        let mut lines = log.lines().filter(|line| line.contains("ERROR"));
        lines.any(|line| line.contains("10.9.8.7:10110") && line.contains("egress.allow_networks"))
    });
}

const HUB: &str =
    "id = \"hub\"\nprotocol = \"edi\"\n[inbound]\nproof = \"field\"\nfield = \"X-Key\"\n";
const SET: &str = "ISA*00*          *00*          *ZZ*QSDL           *ZZ*US             *260314*0600*U*00401*000000041*0*P*>~\
    GS*QO*QSDL*US*20260314*0600*41*X*004010~ST*315*0001~B4***VD*20260310*0124**QSDU*200011*L*45G1*CNSHA*UN~SE*3*0001~\
    GE*1*41~IEA*1*000000041~";

#[test]
fn a_sender_of_edi_gets_its_answer_beside_the_folder_and_on_the_line() {
    let spool = tempfile::tempdir().unwrap();
    let (folder, out) = (spool.path().join("in"), spool.path().join("out"));
    std::fs::create_dir(&folder).unwrap();
    let doors = format!(
        "[drop]\nfolder = \"{}\"\nanswers = \"{}\"\n",
        folder.display(),
        out.display()
    );
    let secret = (
        "QUAYSIDE_SOURCES__SECRETS__HUB__INBOUND",
        "s3cret".to_owned(),
    );
    let mut service = Service::install_with(&format!("{HUB}{doors}"), &[secret]);
    service.start();
    drop_file(&folder, "status.edi", SET.as_bytes());
    drop_file(&folder, "note.edi", b"no EDI at all");
    wait_until("both files are put away", || {
        names(&folder.join("done")).len() == 1 && names(&folder.join("quarantine")).len() == 2
    });
    assert_eq!(names(&out), ["status.edi.997"]);
    let answer = std::fs::read_to_string(out.join("status.edi.997")).unwrap();
    assert!(
        answer.contains("AK5*A") && answer.contains("AK2*315*0001"),
        "{answer}"
    );

    let next = SET.replace("000000041", "000000042");
    let ask = "X-Key: s3cret\r\nAccept: application/edi-x12\r\n";
    let (status, answer) = post(&service, "/inbound/hub", ask, next.as_bytes());
    assert_eq!(status, 202, "{answer}");
    assert!(
        answer.contains("application/edi-x12") && answer.contains("AK5*A"),
        "{answer}"
    );
    let (status, answer) = post(
        &service,
        "/inbound/hub",
        "X-Key: s3cret\r\n",
        next.as_bytes(),
    );
    assert_eq!(status, 202, "{answer}");
    assert!(answer.contains("\"known\":true"), "{answer}");
}
