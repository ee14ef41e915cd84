//! Copies of a store that is being written, and what a service makes of one that was put back. The witnesses are outside:
//! the driver knows what was answered with 202 before a backup began, the receivers know what came, and how often.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::testing::{scratch_table, tamper};

use crate::carrier::Carrier;
use crate::client;
use crate::receiver::read_one;
use crate::service::Service;

const PROFILE: &str = include_str!("nowhere/profile.toml");
const KEY: &str = "data/main.key";
const STORE: &str = "data/quayside.db";
/// A table of the store into which no command here looks.
pub const UNUSED: &str = "document_schemas";
/// A key that no store was begun with: 32 bytes in base64.
const OTHER: &str = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=";
/// Longest wait for what must come: a delivery that failed twice is tried again after two minutes.
const PATIENCE: Duration = Duration::from_mins(5);
/// Boxes that are told before the first backup, and those for which there are requests.
const TOLD_FIRST: u32 = 8;
const BOXES: u32 = 60;
/// How often the store is copied while boxes are told.
const BACKUPS: u32 = 3;

/// A receiver that counts what comes under each id, and takes it or does not.
struct Counter {
    url: String,
    takes: Arc<AtomicBool>,
    came: Arc<Mutex<BTreeMap<String, Came>>>,
}

/// What came under one id.
#[derive(Clone, Default, Debug)]
struct Came {
    bodies: BTreeSet<[u8; 32]>,
    taken: u32,
}

impl Counter {
    fn open(takes: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let takes = Arc::new(AtomicBool::new(takes));
        let came = Arc::new(Mutex::new(BTreeMap::new()));
        let shared = (Arc::clone(&takes), Arc::clone(&came));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (takes, came) = shared.clone();
                std::thread::spawn(move || count(&stream, &takes, &came));
            }
        });
        Self { url, takes, came }
    }

    fn came(&self) -> BTreeMap<String, Came> {
        self.came.lock().unwrap().clone()
    }

    /// Ids of what was taken.
    fn taken(&self) -> BTreeSet<String> {
        let came = self.came().into_iter();
        let taken = came.filter(|(_, came)| came.taken > 0);
        taken.map(|(id, _)| id).collect()
    }
}

fn count(stream: &TcpStream, takes: &AtomicBool, came: &Mutex<BTreeMap<String, Came>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    while let Some((id, body)) = read_one(&mut reader) {
        let takes = takes.load(Ordering::SeqCst);
        {
            let mut came = came.lock().unwrap();
            let one = came.entry(id).or_default();
            one.bodies.insert(Sha256::digest(&body).into());
            one.taken += u32::from(takes);
        }
        let status = if takes { "200 OK" } else { "500 No" };
        if write!(writer, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").is_err() {
            return;
        }
    }
}

/// Answers what comes when it holds no more.
fn hold(stream: &TcpStream, came: &Mutex<Vec<String>>, holding: &AtomicBool) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    while let Some((id, _)) = read_one(&mut reader) {
        came.lock().unwrap().push(id);
        while holding.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(10));
        }
        if writer
            .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            .is_err()
        {
            return;
        }
    }
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what} never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn bill(index: u32) -> String {
    format!("NWLX8{index:04}")
}

fn number(index: u32) -> String {
    let number = domain::codes::ContainerNumber::parse(&format!("NWLU{index:06}")).unwrap();
    number.as_str().to_owned()
}

/// One box of this bill, loaded.
fn told(index: u32) -> Value {
    json!([{
        "eventID": format!("b-{index}"), "eventCreatedDateTime": "2026-04-05T05:00:00Z",
        "eventType": "EQUIPMENT", "eventClassifierCode": "ACT",
        "eventDateTime": "2026-04-05T03:20:00+08:00", "equipmentEventTypeCode": "LOAD",
        "equipmentReference": number(index), "emptyIndicatorCode": "LADEN",
        "documentReferences": [
            {"documentReferenceType": "TRD", "documentReferenceValue": bill(index)}],
        "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": "CNNGB"},
    }])
}

/// Pushes a box; whether it was accepted.
fn push(address: &str, index: u32) -> bool {
    let body = told(index);
    let answer = client::send(
        address,
        "POST",
        "/inbound/nowhere",
        "X-Key: s3cret\r\n",
        Some(&body),
    );
    answer.is_ok_and(|answer| answer.status == 202)
}

fn profile(base: &str) -> String {
    let door = "\n[inbound]\nproof = \"field\"\nfield = \"X-Key\"\n";
    PROFILE.replace("https://api.nowhere.example", base) + door
}

fn secret() -> (&'static str, String) {
    let name = "QUAYSIDE_SOURCES__SECRETS__NOWHERE__INBOUND";
    (name, "s3cret".to_owned())
}

/// A new installation with the main key of this one, and nothing else of it.
fn heir(of: &Service, profile: &str, variables: &[(&'static str, String)]) -> Service {
    let mut heir = Service::empty_with(profile, variables);
    std::fs::create_dir(heir.path("data")).unwrap();
    std::fs::copy(of.path(KEY), heir.path(KEY)).unwrap();
    heir.key.clone_from(&of.key);
    heir
}

fn listed(service: &Service, path: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    for page in 1.. {
        let path = format!("{path}page[size]=100&page[number]={page}");
        let path = path.replace('[', "%5B").replace(']', "%5D");
        let answer = service.call("GET", &path, None).unwrap();
        assert_eq!(answer.status, 200, "{}", answer.body);
        let mut of_page = answer.body["data"].as_array().unwrap().clone();
        let last = of_page.len() < 100;
        rows.append(&mut of_page);
        if last {
            break;
        }
    }
    rows
}

fn boxes(service: &Service) -> BTreeSet<String> {
    let rows = listed(service, "/v2/containers?");
    let numbers = rows.iter().map(|row| row["attributes"]["number"].as_str());
    numbers.map(|number| number.unwrap().to_owned()).collect()
}

/// Ids of the notifications that stand like this.
fn standing(service: &Service, status: &str) -> BTreeSet<String> {
    let path = format!("/v2/webhook_notifications?filter[status]={status}&");
    let rows = listed(service, &path);
    rows.iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn restore(service: &Service, file: &Path) {
    let restored = service.run(&["restore", file.to_str().unwrap()]);
    assert!(restored.status.success(), "{}", said(&restored));
}

#[test]
fn what_was_accepted_before_a_backup_is_in_it_and_only_what_was_not_confirmed_is_sent_again() {
    let carrier = Carrier::open(Arc::new(|_| None));
    let (good, late) = (Counter::open(true), Counter::open(false));
    let profile = profile(&carrier.base);
    let mut service = Service::install_with(&profile, &[secret()]);
    service.start();
    service.subscribe(&good.url);
    service.subscribe(&late.url);
    for index in 0..BOXES {
        assert_eq!(service.track(&bill(index), "NWLX").unwrap().status, 201);
    }
    for index in 0..TOLD_FIRST {
        assert!(push(&service.address, index));
    }
    wait_until("the first boxes", || {
        good.taken().len() >= TOLD_FIRST as usize
    });
    wait_until("refused attempts", || {
        late.came().len() >= TOLD_FIRST as usize
    });
    // What is confirmed and on record before the copies are made.
    let mut confirmed = BTreeSet::new();
    wait_until("results on record", || {
        confirmed = standing(&service, "succeeded");
        confirmed.len() >= TOLD_FIRST as usize
    });
    let seen_by_late = late.came();

    // Boxes are told all the while.
    let next = Arc::new(AtomicU32::new(TOLD_FIRST));
    let stop = Arc::new(AtomicBool::new(false));
    let (counting, stopping, address) = (next.clone(), stop.clone(), service.address.clone());
    let pusher = std::thread::spawn(move || {
        for index in TOLD_FIRST..BOXES {
            if stopping.load(Ordering::SeqCst) {
                break;
            }
            assert!(push(&address, index));
            counting.store(index + 1, Ordering::SeqCst);
        }
    });
    let mut accepted = 0;
    for copy in 0..BACKUPS {
        accepted = next.load(Ordering::SeqCst);
        let made = service.run(&["backup", &format!("copy-{copy}.db")]);
        let stdout = String::from_utf8_lossy(&made.stdout).into_owned();
        assert!(made.status.success(), "{}", said(&made));
        assert!(stdout.starts_with(&format!("copy-{copy}.db: ")), "{stdout}");
        assert_eq!(stdout.lines().count(), 1, "{stdout}");
        assert!(said(&made).contains("data/main.key"), "{}", said(&made));
        assert_eq!(said(&made).lines().count(), 1, "no progress in a pipe");
    }
    stop.store(true, Ordering::SeqCst);
    pusher.join().unwrap();
    assert!(accepted > TOLD_FIRST, "nothing was written meanwhile");
    let copy = service.path(&format!("copy-{}.db", BACKUPS - 1));
    let mode = copy.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    for end in [".part", "-wal", "-shm", "-journal"] {
        let beside = format!("{}{end}", copy.display());
        assert!(!Path::new(&beside).exists(), "{beside}");
    }
    service.kill();

    let mut heir = heir(&service, &profile, &[secret()]);
    restore(&heir, &copy);
    let before = good.came();
    late.takes.store(true, Ordering::SeqCst);
    heir.start();
    let expected: BTreeSet<String> = (0..accepted).map(number).collect();
    wait_until("every box that was accepted", || {
        boxes(&heir).is_superset(&expected)
    });
    wait_until("everything that was open", || {
        standing(&heir, "pending").is_empty()
    });
    let after = good.came();
    for id in &confirmed {
        if let Some(before) = before.get(id) {
            assert_eq!(after[id].taken, before.taken, "{id} was confirmed");
        }
    }
    let late = late.came();
    for (id, before) in &seen_by_late {
        assert_eq!(late[id].taken, 1, "{id} was not confirmed");
        assert_eq!(late[id].bodies, before.bodies, "{id} has the bytes it had");
    }
    let told = standing(&heir, "succeeded").len();
    assert!(
        told >= 2 * accepted as usize,
        "{told} of {accepted} at both"
    );
    heir.kill();
    let verified = heir.tell(&["audit", "verify"]);
    assert!(verified.ends_with("broken: 0"), "{verified}");
    let newest = heir.tell(&["audit", "list", "--limit", "1"]);
    assert!(newest.contains("operator\tstore.restored"), "{newest}");
}

#[test]
fn what_was_in_hand_when_the_copy_was_made_is_taken_up_at_once() {
    let hanging = Arc::new(AtomicBool::new(true));
    let (asked, held) = (Arc::new(AtomicU32::new(0)), Arc::clone(&hanging));
    let counted = Arc::clone(&asked);
    let carrier = Carrier::open(Arc::new(move |bill| {
        counted.fetch_add(1, Ordering::SeqCst);
        while held.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let index = bill.strip_prefix("NWLX8")?.parse().ok()?;
        Some(told(index))
    }));
    let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", receiver.local_addr().unwrap());
    let came = Arc::new(Mutex::new(Vec::<String>::new()));
    let (counting, holding) = (Arc::clone(&came), Arc::clone(&hanging));
    // It answers when nobody waits any more.
    std::thread::spawn(move || {
        for stream in receiver.incoming().flatten() {
            let (counting, holding) = (Arc::clone(&counting), Arc::clone(&holding));
            std::thread::spawn(move || hold(&stream, &counting, &holding));
        }
    });
    // Leases that outlast any patience.
    let lease = ("QUAYSIDE_WORK__LEASE_SECONDS", "3600".to_owned());
    let variables = [secret(), lease];
    let mut service = Service::install_with(&profile(&carrier.base), &variables);
    service.start();
    service.subscribe(&url);
    for index in [1, 2] {
        assert_eq!(service.track(&bill(index), "NWLX").unwrap().status, 201);
    }
    wait_until("two questions", || asked.load(Ordering::SeqCst) >= 2);
    assert!(push(&service.address, 1));
    wait_until("a delivery in hand", || !came.lock().unwrap().is_empty());
    service.tell(&["backup", "copy.db"]);
    service.kill();
    let asked_before = asked.load(Ordering::SeqCst);
    let in_hand = came.lock().unwrap().clone();
    hanging.store(false, Ordering::SeqCst);
    let mut heir = heir(&service, &profile(&carrier.base), &variables);
    let restored = heir.run(&["restore", service.path("copy.db").to_str().unwrap()]);
    let line = said(&restored);
    assert!(
        line.contains("2 questions to sources") && !line.contains(" 0 deliveries"),
        "{line}"
    );
    heir.start();
    wait_until("what was in hand", || {
        let came = came.lock().unwrap();
        in_hand.iter().all(|id| came[in_hand.len()..].contains(id))
    });
    wait_until("the question", || {
        asked.load(Ordering::SeqCst) > asked_before
    });
    wait_until("its box", || boxes(&heir).contains(&number(2)));
}

/// The files of a data directory with their bytes, but for the lock, which holds nothing.
fn content(service: &Service) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(service.path("data")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let kept = paths.filter(|path| path.extension().is_none_or(|end| end != "lock"));
    kept.map(|path| {
        let bytes = if path.is_dir() {
            Vec::new()
        } else {
            std::fs::read(&path).unwrap()
        };
        (path, bytes)
    })
    .collect()
}

/// It ended with this code and one line that holds all of this.
fn assert_refused(output: &Output, code: i32, saying: &[&str]) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    for part in saying {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(output.stdout.is_empty(), "a failure prints nothing there");
}

#[test]
fn what_cannot_be_restored_is_refused_and_nothing_is_changed() {
    let service = Service::install(PROFILE);
    service.tell(&["backup", "copy.db"]);
    let copy = std::fs::read(service.path("copy.db")).unwrap();
    let put = |name: &str, bytes: &[u8]| {
        std::fs::write(service.path(name), bytes).unwrap();
    };
    put("text.db", b"no store at all, but a text that is longer than a head of SQLite's, which has one hundred bytes in all.");
    put("short.db", &copy[..copy.len() / 2]);
    put("scratched.db", &copy);
    scratch_table(&service.path("scratched.db"), UNUSED).unwrap();
    put("newer.db", &copy);
    tamper(
        &service.path("newer.db"),
        "insert into refinery_schema_history (version, name, applied_on, checksum) values (999, 'to_come', '', '0')",
    )
    .unwrap();
    tamper(
        &service.path("foreign.db"),
        "create table things (id integer)",
    )
    .unwrap();
    let before = content(&service);
    for (file, saying) in [
        ("nothing.db", "nothing.db is not there"),
        ("text.db", "text.db is no store of Quayside"),
        ("foreign.db", "foreign.db is no store of Quayside"),
        ("short.db", "short.db is damaged"),
        ("scratched.db", "scratched.db is damaged"),
        ("newer.db", "schema is 999"),
        (STORE, "is the store itself"),
    ] {
        assert_refused(&service.run(&["restore", file]), 1, &[saying]);
        assert_eq!(content(&service), before, "{file}");
    }
    let sole = Service::empty_with(PROFILE, &[]);
    let file = service.path("copy.db");
    let file = file.to_str().unwrap();
    let keyless = ["settings: main_key:", KEY, "QUAYSIDE_MAIN_KEY"];
    assert_refused(&sole.run(&["restore", file]), 78, &keyless);
    let nothing = sole.run(&["restore", "nothing.db"]);
    assert_refused(&nothing, 1, &["nothing.db is not there"]);
    assert!(!sole.path("data").exists());
    let own = std::fs::read(service.path(KEY)).unwrap();
    std::fs::write(service.path(KEY), OTHER).unwrap();
    let before = content(&service);
    let foreign = ["settings: main_key:", KEY, "is not the one"];
    assert_refused(&service.run(&["restore", file]), 78, &foreign);
    assert_eq!(content(&service), before);
    std::fs::write(service.path(KEY), own).unwrap();
    let elsewhere = ["restore", file, "--database", "postgres://x@127.0.0.1:1/x"];
    assert_refused(
        &service.run(&elsewhere),
        2,
        &["pg_restore --clean --if-exists"],
    );
}

#[test]
fn a_restore_that_is_refused_on_a_new_machine_leaves_it_new() {
    let service = Service::install(PROFILE);
    service.tell(&["backup", "copy.db"]);
    let [copy, damaged] = ["copy.db", "damaged.db"].map(|name| service.path(name));
    std::fs::copy(&copy, &damaged).unwrap();
    scratch_table(&damaged, UNUSED).unwrap();
    let [copy, damaged] = [&copy, &damaged].map(|path| path.to_str().unwrap());
    // A lock, a main key and no store would say that a store was lost.
    let key = std::fs::read_to_string(service.path(KEY)).unwrap();
    for (key, file, code, saying) in [
        (key.trim(), damaged, 1, "damaged.db is damaged"),
        (OTHER, copy, 78, "is not the one of this store"),
    ] {
        let given = [("QUAYSIDE_MAIN_KEY", key.to_owned())];
        let sole = Service::empty_with(PROFILE, &given);
        assert_refused(&sole.run(&["restore", file]), code, &[saying]);
        assert!(!sole.path("data").exists());
        sole.tell(&["account", "create", "Acme"]);
    }
    let heir = heir(&service, PROFILE, &[]);
    assert_refused(&heir.run(&["restore", damaged]), 1, &["is damaged"]);
    let left = std::fs::read_dir(heir.path("data")).unwrap();
    let left: Vec<PathBuf> = left.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [heir.path(KEY)]);
    heir.tell(&["account", "create", "Acme"]);
}

#[test]
fn a_running_service_is_not_restored_under_and_goes_on() {
    let mut service = Service::install(PROFILE);
    service.start();
    service.tell(&["backup", "copy.db"]);
    let refused = service.run(&["restore", "copy.db"]);
    assert_refused(
        &refused,
        1,
        &["a running service has this store open: stop it"],
    );
    service.subscribe("http://127.0.0.1:9/hook");
    assert_eq!(listed(&service, "/v2/webhooks?").len(), 1);
    let names: BTreeSet<_> = content(&service).into_keys().collect();
    assert!(!names.iter().any(|name| name.is_dir()), "{names:?}");
}

#[test]
fn a_backup_overwrites_nothing_and_leaves_nothing_half() {
    let service = Service::install(PROFILE);
    service.write("here.db", "precious");
    std::os::unix::fs::symlink("/nowhere/at/all", service.path("link.db")).unwrap();
    for (file, code, saying) in [
        ("here.db", 1, "here.db exists already"),
        ("link.db", 1, "link.db exists already"),
        ("none/copy.db", 1, "there is no folder none"),
    ] {
        assert_refused(&service.run(&["backup", file]), code, &[saying]);
    }
    assert_eq!(std::fs::read(service.path("here.db")).unwrap(), b"precious");
    let elsewhere = ["backup", "x.db", "--database", "postgres://x@127.0.0.1:1/x"];
    assert_refused(&service.run(&elsewhere), 2, &["pg_dump"]);
    let full = service.run(&["backup", "/dev/full/copy.db"]);
    assert_refused(&full, 1, &["there is no folder /dev/full"]);
    assert!(!service.path("x.db").exists() && !service.path("x.db.part").exists());

    // One that was killed leaves a part, which counts for nothing and is taken over.
    service.write("copy.db.part", "the beginning of something");
    service.tell(&["backup", "copy.db"]);
    assert!(!service.path("copy.db.part").exists());

    // A store that does not hold gives no backup.
    scratch_table(&service.path(STORE), UNUSED).unwrap();
    let damaged = service.run(&["backup", "worse.db"]);
    assert_refused(&damaged, 1, &["quayside.db is damaged", "was not kept"]);
    for name in ["worse.db", "worse.db.part"] {
        assert!(!service.path(name).exists(), "{name}");
    }
    let none = Service::empty_with(PROFILE, &[]);
    assert_refused(
        &none.run(&["backup", "x.db"]),
        1,
        &["data/quayside.db is not there"],
    );
    assert!(!none.path("data").exists());
}

#[test]
fn a_quiet_backup_says_nothing_when_the_copy_was_made() {
    let service = Service::install(PROFILE);
    let made = service.run(&["backup", "copy.db", "--quiet"]);
    let is_silent = made.stdout.is_empty() && made.stderr.is_empty();
    assert!(made.status.success() && is_silent, "{made:?}");
    let again = service.run(&["backup", "copy.db", "--quiet"]);
    assert_refused(&again, 1, &["copy.db exists already"]);
}

#[test]
fn a_full_disk_leaves_no_copy() {
    let service = Service::install(PROFILE);
    // The shell's limit of a file's length stands for the disk's: half of the store.
    let built = service.command(&["backup", "copy.db"]);
    let program = built.get_program().to_owned();
    let kilobytes = service.path(STORE).metadata().unwrap().len() / 2_048;
    let mut limited = service.command(&[]);
    let script = format!(
        "trap '' XFSZ; ulimit -f {kilobytes}; exec {} backup copy.db",
        program.to_str().unwrap()
    );
    let mut command = std::process::Command::new("bash");
    command.args(["-c", &script]).current_dir(service.path("."));
    for (name, value) in limited.stdin(Stdio::null()).get_envs() {
        command.env(name, value.unwrap());
    }
    let full = command.output().unwrap();
    assert_refused(&full, 1, &["copy.db.part"]);
    for name in ["copy.db", "copy.db.part"] {
        assert!(!service.path(name).exists(), "{name}");
    }
}

/// The service would not be ready any more.
#[test]
fn a_copy_that_would_fill_the_disk_of_the_store_is_not_begun() {
    let service = Service::install(PROFILE);
    let mut backup = service.command(&["backup", "copy.db"]);
    backup.env("QUAYSIDE_HEALTH__DISK_FREE_PERCENT", "99");
    let refused = backup.current_dir(service.path(".")).output().unwrap();
    assert_refused(&refused, 1, &["MB may be used", "copy.db.part"]);
    for name in ["copy.db", "copy.db.part"] {
        assert!(!service.path(name).exists(), "{name}");
    }
}

#[test]
fn a_restore_that_was_cut_off_before_its_last_rename_is_finished_by_any_command() {
    let service = Service::install(PROFILE);
    service.tell(&["backup", "copy.db"]);
    std::fs::remove_file(service.path(STORE)).unwrap();
    let next = service.path("data/quayside.db.next-20260301T000000Z");
    std::fs::rename(service.path("copy.db"), next).unwrap();
    assert_eq!(accounts(&service), ["Witness".to_owned()].into());
}

fn accounts(service: &Service) -> BTreeSet<String> {
    let told = service.tell(&["account", "list"]);
    let names = told.lines().map(|line| line.split('\t').nth(1).unwrap());
    names.map(str::to_owned).collect()
}

/// The folder of a store that was set aside, the newest.
fn set_aside(service: &Service) -> PathBuf {
    let found = content(service).into_keys().rfind(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("set-aside-")
    });
    found.unwrap()
}

#[test]
fn the_store_that_was_there_is_set_aside_with_its_log_and_can_be_restored_too() {
    let mut service = Service::install(PROFILE);
    service.tell(&["backup", "copy.db"]);
    service.start();
    let body = json!({"data": {"type": "webhook", "attributes":
        {"url": "http://127.0.0.1:9/hook", "events": ["container.created"]}}});
    let made = service.call("POST", "/v2/webhooks", Some(&body)).unwrap();
    assert_eq!(made.status, 201, "{}", made.body);
    service.kill();
    let log = service
        .path("data/quayside.db-wal")
        .metadata()
        .unwrap()
        .len();
    assert!(log > 0, "its last commits stand in the log only");
    restore(&service, Path::new("copy.db"));
    let aside = set_aside(&service);
    assert!(aside.join("quayside.db-wal").metadata().unwrap().len() == log);
    service.start();
    assert_eq!(
        listed(&service, "/v2/webhooks?").len(),
        0,
        "the log is not the copy's"
    );
    service.kill();
    restore(&service, &aside.join("quayside.db"));
    service.start();
    assert_eq!(listed(&service, "/v2/webhooks?").len(), 1);
}

#[test]
fn what_root_restores_belongs_to_whom_the_store_belonged() {
    let service = Service::install(PROFILE);
    service.tell(&["backup", "copy.db"]);
    let (somebody, group) = (Some(65_534), Some(65_534));
    if chown(service.path(STORE), somebody, group).is_err() {
        // Only root gives files away, and only to root does this matter.
        return;
    }
    restore(&service, Path::new("copy.db"));
    let of = |name: &str| {
        let about = service.path(name).metadata().unwrap();
        (about.uid(), about.permissions().mode() & 0o777)
    };
    assert_eq!(of(STORE), (65_534, 0o600));
    assert_eq!(of("data/quayside.db.lock").0, 65_534);
}

#[test]
fn a_restore_that_is_killed_leaves_the_old_store_or_the_new_one() {
    let service = Service::install(PROFILE);
    let old: BTreeSet<String> = ["Witness".to_owned()].into();
    service.tell(&["backup", "old.db"]);
    service.tell(&["account", "create", "Later"]);
    let new: BTreeSet<String> = ["Later".to_owned(), "Witness".to_owned()].into();
    service.tell(&["backup", "new.db"]);
    let (mut killed, mut kept, mut replaced) = (0, 0, 0);
    for round in 0..12_u64 {
        let (file, before, after) = if accounts(&service) == old {
            ("new.db", &old, &new)
        } else {
            ("old.db", &new, &old)
        };
        let mut command = service.command(&["restore", file]);
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(10 + 23 * round));
        let _ = child.kill();
        killed += u32::from(!child.wait().unwrap().success());
        let found = accounts(&service);
        kept += u32::from(found == *before);
        replaced += u32::from(found == *after);
        assert!(found == *before || found == *after, "{found:?}");
    }
    assert_eq!(kept + replaced, 12);
    assert!(killed > 0, "none was killed at work");
    restore(&service, Path::new("old.db"));
    assert_eq!(accounts(&service), old);
    let left = content(&service).into_keys().filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.contains(".restoring") || name.contains(".next-")
    });
    assert_eq!(left.count(), 0, "nothing of the killed ones is left");
}
