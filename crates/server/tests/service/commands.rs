//! The commands as a script uses them: what stands on standard output, and how they end.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use store::testing::PgServer;

use crate::client;
use crate::listen::{USED_UP, program};
use crate::service::{Service, free_address, signal};

const PROFILE: &str = include_str!("nowhere/profile.toml");
const SAMPLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/service/nowhere/sample.json"
);
/// Longest time from a signal to the end.
const END_MAX: Duration = Duration::from_secs(30);
/// Longest wait until it is sure that writes are taken again: they have held for half a minute then.
const SURE_MAX: Duration = Duration::from_mins(2);

#[test]
fn an_account_prints_its_id_and_a_key_itself_and_nothing_else() {
    let service = Service::install(PROFILE);
    let id = service.tell(&["account", "create", "Acme"]);
    assert!(id.parse::<uuid::Uuid>().is_ok(), "{id}");
    let again = service.run(&["account", "create", "Acme"]);
    assert_ended(&again, 1, "there is an account \"Acme\" already");
    let by_name = service.tell(&["key", "create", "--account", "Acme"]);
    let by_id = service.tell(&["key", "create", "--account", &id, "--permissions", "show"]);
    for key in [&by_name, &by_id] {
        assert!(key.starts_with("ct_live_") && key.len() == 44, "{key}");
    }
    assert_ne!(by_name, by_id);
    let stranger = service.run(&["key", "create", "--account", "Nobody"]);
    assert_ended(&stranger, 1, "Nobody");
}

#[test]
fn a_name_with_a_line_break_is_refused() {
    let service = Service::install(PROFILE);
    service.tell(&["account", "create", "Acme"]);
    for name in ["Ac\tme", "Acme\nLtd", "Acme\u{1b}[2J"] {
        let account = service.run(&["account", "create", name]);
        let refusal = "holds no tabs, line breaks";
        assert_ended(&account, 1, &format!("the name of an account {refusal}"));
        let key = service.run(&["key", "create", "--account", "Acme", "--name", name]);
        assert_ended(&key, 1, &format!("the name of a key {refusal}"));
    }
    let blank = service.run(&["key", "create", "--account", "Acme", "--name", " "]);
    assert_ended(&blank, 1, "the name of a key has 1 to 255 characters");
    assert_eq!(service.tell(&["key", "list", "--account", "Acme"]), "");
}

#[test]
fn a_command_in_the_wrong_folder_makes_no_store() {
    let service = Service::empty_with(PROFILE, &[]);
    service.write("sample.json", "[]");
    let asked: [&[&str]; 10] = [
        &["account", "list"],
        &["account", "set", "Acme", "--plan", "free"],
        &["key", "list"],
        &["key", "create", "--account", "Acme"],
        &["source", "list"],
        &["audit", "list"],
        &["audit", "verify"],
        &["replay"],
        &["import", "sample.json", "--source", "nowhere"],
        &["import", "sample.json", "--source", "nowhere", "--dry-run"],
    ];
    for words in asked {
        let refused = service.run(words);
        assert_ended(&refused, 1, "data/quayside.db is not there");
    }
    assert!(!service.path("data").exists());
}

#[test]
fn what_is_made_for_the_data_is_its_owners_alone_and_what_is_there_stays() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;
    let mut service = Service::install(PROFILE);
    let mode = |service: &Service, name: &str| {
        let about = std::fs::metadata(service.path(name)).unwrap();
        about.permissions().mode() & 0o777
    };
    service.start();
    assert_eq!(mode(&service, "data"), 0o700);
    let files = [
        "data/quayside.db",
        "data/quayside.db-wal",
        "data/quayside.db-shm",
        "data/quayside.db.lock",
        "data/main.key",
    ];
    for file in files {
        assert_eq!(mode(&service, file), 0o600, "{file}");
    }
    service.kill();
    for (name, open) in [("data", 0o750), ("data/quayside.db", 0o640)] {
        set_permissions(service.path(name), Permissions::from_mode(open)).unwrap();
        service.tell(&["key", "list"]);
        assert_eq!(mode(&service, name), open, "{name}");
    }
}

#[test]
fn a_template_that_nobody_filled_in_stops_the_start_and_names_file_and_member() {
    let service = Service::install(PROFILE);
    let mut templates = sources::ocean::templates().iter();
    let template = templates
        .find(|template| template.name == "evergreen")
        .unwrap();
    service.write("sources.d/evergreen.toml", template.text);
    let refused = service.run(&["serve"]);
    assert_ended(&refused, 78, "evergreen.toml: endpoint.base");
}

#[test]
fn accounts_are_changed_and_keys_listed_and_deleted() {
    let mut service = Service::install(PROFILE);
    let id = service.tell(&["account", "create", "Acme", "--plan", "trial"]);
    let set = [
        "account",
        "set",
        "Acme",
        "--plan",
        "free",
        "--feature",
        "routing=off",
        "--feature",
        "rail=off",
    ];
    assert_eq!(service.tell(&set), id);
    assert_eq!(
        service.tell(&["account", "set", &id, "--feature", "rail=on"]),
        id
    );
    let listed = service.tell(&["account", "list"]);
    let ours = listed.lines().find(|line| line.starts_with(&id)).unwrap();
    let columns: Vec<&str> = ours.split('\t').collect();
    assert_eq!(columns[..3], [id.as_str(), "Acme", "free"]);
    assert_eq!(columns[4], "routing");
    for (wrong, naming) in [
        (["account", "set", "Acme", "--feature=speed=on"], "speed=on"),
        (["account", "set", "Acme", "--plan=gold"], "gold"),
    ] {
        assert_ended(&service.run(&wrong), 2, naming);
    }
    assert_ended(&service.run(&["account", "set", "Acme"]), 2, "--plan");
    let stranger = ["account", "set", "Nobody", "--plan", "free"];
    assert_ended(&service.run(&stranger), 1, "Nobody");

    let key = service.tell(&["key", "create", "--account", "Acme", "--name", "ci"]);
    assert!(service.tell(&["key", "list"]).lines().count() > 1);
    let listed = service.tell(&["key", "list", "--account", "Acme"]);
    let columns: Vec<&str> = listed.split('\t').collect();
    assert_eq!(columns[1..3], ["Acme", "ci"]);
    assert_eq!(columns[3], format!("…{}", &key[40..]));
    assert_eq!(columns[4..], ["show,update", "never"]);
    assert!(!listed.contains(&key));
    service.start();
    let path = "/v2/tracking_requests";
    let opens = |service: &Service| {
        let answer = client::exchange(&service.address, "GET", path, Some(&key), None);
        answer.unwrap().status
    };
    assert_eq!(opens(&service), 200);
    let busy = service.run(&["key", "delete", columns[0]]);
    assert_ended(&busy, 1, "ask it over HTTP with a key, or stop it");
    service.signal("TERM");
    assert!(service.wait().success());
    let used = service.tell(&["key", "list", "--account", &id]);
    assert!(!used.ends_with("never"), "{used}");
    assert_eq!(service.tell(&["key", "delete", columns[0]]), columns[0]);
    assert_ended(
        &service.run(&["key", "delete", columns[0]]),
        1,
        "there is no key",
    );
    assert_eq!(service.tell(&["key", "list", "--account", &id]), "");
    service.start();
    assert_eq!(opens(&service), 401);
}

#[test]
fn a_number_is_tracked_with_and_without_a_running_service() {
    let mut service = Service::install(PROFILE);
    let good = ["track", "TEST-TR-SUCCEEDED", "--scac", "TEST"];
    let told = service.tell(&good);
    let lines: Vec<&str> = told.lines().collect();
    assert!(
        lines.iter().any(|line| line.contains("succeeded")),
        "{told}"
    );
    let ended = &lines[lines.len() - 2..];
    assert_eq!(
        ended,
        ["Shanghai → Los Angeles", "CSQU3054383  new"],
        "{told}"
    );
    let failed = service.run(&["track", "TEST-TR-FAILED", "--scac", "TEST"]);
    assert_eq!(failed.status.code(), Some(1), "{}", said(&failed));
    let told = String::from_utf8_lossy(&failed.stdout).into_owned();
    assert!(told.contains("failed: invalid number"), "{told}");
    assert_ended(
        &service.run(&["track", "B1234567", "--scac", "ZZZZ"]),
        1,
        "not recognized",
    );
    assert_ended(
        &service.run(&["track", "B1234567", "--type", "house"]),
        2,
        "house",
    );
    let keys = service.tell(&["key", "list"]);
    assert!(!keys.contains("quayside track"), "its key is gone: {keys}");
    service.start();
    assert_ended(&service.run(&good), 1, "--url");
    let through = format!("http://{}", service.address);
    let through = [&good[..], &["--url", &through]].concat();
    assert_ended(&service.run(&through), 1, "QUAYSIDE_API_KEY");
    let mut command = service.command(&through);
    let done = command
        .env("QUAYSIDE_API_KEY", &service.key)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", said(&done));
    let told = String::from_utf8_lossy(&done.stdout);
    assert!(
        told.contains("CSQU3054383"),
        "the open request is followed: {told}"
    );
}

#[test]
fn a_number_is_tracked_on_when_the_minute_is_used_up() {
    const CREATED: &str = "201 Created\r\nContent-Length: 20\r\nConnection: close\r\n\r\n\
        {\"data\":{\"id\":\"r1\"}}";
    const SUCCEEDED: &str = "200 OK\r\nContent-Length: 74\r\nConnection: close\r\n\r\n\
        {\"data\":{\"attributes\":{\"request_number\":\"B1234567\",\"status\":\"succeeded\"}}}";
    let answers: &[&str] = &[USED_UP, CREATED, USED_UP, SUCCEEDED];
    let (url, heard) = program(answers, Duration::ZERO);
    let service = Service::install(PROFILE);
    let url = url.trim_end_matches("/hook");
    let mut track = service.command(&["track", "B1234567", "--url", url]);
    let done = track.env("QUAYSIDE_API_KEY", "k1").output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(told.contains("B1234567  succeeded"), "{told}");
    assert_eq!(said(&done).matches("going on in 1 s").count(), 2);
    assert_eq!(heard.lock().unwrap().len(), 4);
}

#[test]
fn a_schema_prints_its_full_version_and_keeps_its_content() {
    let service = Service::install(PROFILE);
    service.write("notice.json", r#"{"type":"object"}"#);
    let add = |more: &[&'static str]| {
        let place = ["document-schema", "add", "notice.json", "--type", "notice"];
        [&place[..], &["--version", "2026-01-05"], more].concat()
    };
    for standing in [&[][..], &["--draft"], &["--current", "--label", "Notice"]] {
        assert_eq!(service.tell(&add(standing)), "notice@2026-01-05");
    }
    assert_ended(
        &service.run(&add(&["--draft", "--current"])),
        2,
        "--current",
    );
    service.write("notice.json", r#"{"type":"array"}"#);
    assert_ended(&service.run(&add(&[])), 1, "another content");
    service.write("notice.json", r#"{"type":"text"}"#);
    assert_ended(&service.run(&add(&[])), 1, "/type must be a type");
}

#[test]
fn what_cannot_be_used_ends_the_start_with_one_line_and_a_code() {
    let service = Service::install(PROFILE);
    assert_ended(&service.run(&["serve", "--role", "cook"]), 2, "--role");
    assert_ended(
        &service.run(&["serve", "--database", "mysql://here"]),
        78,
        "settings: database:",
    );
    assert_ended(
        &service.run(&["migrate", "--config", "nowhere.toml"]),
        78,
        "nowhere.toml",
    );
    service.write("quayside.toml", "[egres]\nallow_http = true\n");
    let misspelt = service.run(&["config", "show"]);
    assert_ended(&misspelt, 78, "`egres`");
    assert_eq!(said(&misspelt).trim().lines().count(), 1);
    service.write("quayside.toml", "");
    service.write(
        "sources.d/other.toml",
        "id = \"other\"\nscac = [\"OTHR\"]\n",
    );
    assert_ended(&service.run(&["account", "create", "A"]), 78, "other.toml");
}

#[test]
fn a_folder_of_profiles_that_was_named_and_is_not_there_ends_the_start() {
    let service = Service::install(PROFILE);
    let mut start = service.command(&["serve", "--listen", "127.0.0.1:0"]);
    start.env("QUAYSIDE_SOURCES__DIR", service.path("sources.b"));
    assert_ended(&start.output().unwrap(), 78, "settings: sources.dir:");
    // The usual one may be missing: nobody has named it.
    let mut make = service.command(&["account", "create", "Acme"]);
    make.env_remove("QUAYSIDE_SOURCES__DIR");
    let empty = tempfile::tempdir().unwrap();
    let made = make.current_dir(empty.path()).output().unwrap();
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
}

/// By the defaults it would begin a store of its own.
#[test]
fn settings_that_are_there_and_cannot_be_read_end_every_command() {
    let service = Service::install(PROFILE);
    let file = service.path("quayside.toml");
    let ended = || {
        let ended = service
            .command(&["account", "list"])
            .current_dir(service.path(""))
            .output();
        assert_ended(
            &ended.unwrap(),
            78,
            "settings: quayside.toml cannot be read: ",
        );
    };
    std::fs::create_dir(&file).unwrap();
    ended();
    std::fs::remove_dir(&file).unwrap();
    std::os::unix::fs::symlink("nowhere", &file).unwrap();
    ended();
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, b"listen = \"127.0.0.1:0\" # \xe9\n").unwrap();
    ended();
    let named = ["account", "list", "--config", "/nope.toml"];
    assert_ended(
        &service.run(&named),
        78,
        "settings: /nope.toml cannot be read: ",
    );
}

#[test]
fn what_is_wrong_is_said_once_and_in_the_words_of_who_typed_it() {
    let service = Service::install(PROFILE);
    assert_ended(
        &service.run(&["key", "delete", "nosuch"]),
        2,
        "a key is named by its id, the first column of `quayside key list`",
    );
    let mut list = service.command(&["account", "list"]);
    let refused = list.env("QUAYSIDE_MAIN_KEY_FILE", "/nope");
    let refused = refused.output().unwrap();
    let no_file = "QUAYSIDE_MAIN_KEY_FILE names /nope, which cannot be read: No such file";
    assert_ended(&refused, 78, no_file);
    assert_eq!(said(&refused).matches("No such file").count(), 1);
}

/// Lists have tabs and no heading where a program reads them, and columns under a heading on a terminal.
#[test]
fn lists_are_for_a_reader_at_a_terminal_or_for_a_program() {
    let service = Service::install(PROFILE);
    service.tell(&["account", "create", "Harbour & Daughters"]);
    for (list, heading, tabs) in [
        ("account", "ID ", 4),
        ("key", "ID ", 5),
        ("source", "ID ", 9),
        ("audit", "TIME ", 6),
    ] {
        let piped = service.run(&[list, "list"]).stdout;
        let piped = String::from_utf8(piped).unwrap();
        for line in piped.lines() {
            assert_eq!(line.matches('\t').count(), tabs, "{line}");
        }
        let shown = on_a_terminal(&service, &format!("{list} list"));
        let mut lines = shown.lines();
        assert!(lines.next().unwrap().starts_with(heading), "{shown}");
        assert_eq!(lines.count(), piped.lines().count(), "{shown}");
        assert!(!shown.contains('\t'), "{shown}");
        assert!(shown.lines().all(|line| line.trim_end() == line), "{shown}");
    }
}

/// What a command shows to somebody who looks.
fn on_a_terminal(service: &Service, words: &str) -> String {
    let quayside = service.command(&[]);
    let program = quayside.get_program().to_string_lossy().into_owned();
    let mut script = std::process::Command::new("script");
    script.args([
        "-qec",
        &format!("stty cols 80; exec {program} {words}"),
        "/dev/null",
    ]);
    for (name, value) in quayside.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    if let Some(folder) = quayside.get_current_dir() {
        script.current_dir(folder);
    }
    let shown = script.stdin(Stdio::null()).output().unwrap();
    assert!(shown.status.success(), "{}", said(&shown));
    String::from_utf8(shown.stdout).unwrap().replace('\r', "")
}

#[test]
fn a_key_that_could_not_be_shown_is_deleted_again() {
    let service = Service::install(PROFILE);
    service.tell(&["account", "create", "Acme"]);
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut make = service.command(&["key", "create", "--account", "Acme"]);
    let made = make.stdout(full).output().unwrap();
    assert_ended(&made, 1, "the key could not be shown, and is deleted again");
    assert_eq!(service.tell(&["key", "list", "--account", "Acme"]), "");
    service.tell(&["key", "create", "--account", "Acme"]);
    let full = std::fs::File::options().write(true).open("/dev/full");
    let mut list = service.command(&["key", "list"]);
    let listed = list.stdout(full.unwrap()).output().unwrap();
    assert_ended(&listed, 1, "standard output cannot be written");
}

#[test]
fn a_variable_that_is_no_text_is_refused_where_it_is_ours() {
    let service = Service::install(PROFILE);
    let no_text = || std::ffi::OsStr::from_bytes(b"\xff");
    let mut list = service.command(&["account", "list"]);
    let listed = list.env("SOMEBODYS", no_text()).output().unwrap();
    assert_eq!(listed.status.code(), Some(0), "{}", said(&listed));
    let mut list = service.command(&["account", "list"]);
    let refused = list.env("QUAYSIDE_LOG", no_text()).output().unwrap();
    assert_ended(&refused, 78, "QUAYSIDE_LOG is no UTF-8");
}

#[test]
fn a_store_that_is_damaged_ends_the_start_and_says_so() {
    let service = Service::install(PROFILE);
    service.tell(&["account", "create", "Acme"]);
    let store = service.path("data/quayside.db");
    let mut bytes = std::fs::read(&store).unwrap();
    bytes[..64].fill(0x5a);
    std::fs::write(&store, bytes).unwrap();
    // Never without a word, whoever is quicker.
    for _ in 0..5 {
        let ended = service.run(&["serve", "--listen", "127.0.0.1:0"]);
        assert_ended(&ended, 70, "cannot be trusted any more");
    }
}

#[test]
fn a_start_that_waits_for_its_store_hears_a_signal() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://nobody@{}/nothing", silent.local_addr().unwrap());
    let service = Service::install(PROFILE);
    let mut start = service.command(&["serve", "--listen", "127.0.0.1:0", "--database", &url]);
    let mut child = start.stderr(Stdio::null()).spawn().unwrap();
    // It is taken, and hears nothing.
    let taken = silent.accept().unwrap();
    signal(child.id(), "TERM");
    let began = Instant::now();
    let ended = loop {
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        if began.elapsed() > END_MAX {
            child.kill().unwrap();
            panic!("it goes on");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(ended.code(), Some(0));
    drop(taken);
}

#[test]
fn what_an_editor_keeps_beside_a_profile_is_no_profile() {
    let service = Service::install(PROFILE);
    service.write("sources.d/.#nowhere.toml", "half a");
    service.tell(&["account", "create", "Acme"]);
}

#[test]
fn the_settings_in_force_are_shown_without_secrets() {
    let service = Service::install(PROFILE);
    service.write(
        "quayside.toml",
        "database = \"postgres://user:hidden@host/name\"\n[sources.secrets.nowhere]\nkey = \"hidden\"\n",
    );
    let shown = service.tell(&["config", "show"]);
    let table: toml::Table = shown.parse().unwrap();
    assert_eq!(table["work"]["lease_seconds"].as_integer(), Some(2));
    assert!(table["database"].as_str().unwrap().ends_with("@host/name"));
    assert!(!shown.contains("hidden"), "{shown}");
}

#[test]
fn a_message_is_read_without_a_store_and_a_reader_may_leave() {
    let service = Service::install(PROFILE);
    let reports = lines(&service.tell(&["parse", SAMPLE]));
    assert!(
        reports
            .iter()
            .all(|line| line["verb"].is_string() || line["defect"].is_string())
    );
    let events = service.tell(&["parse", "--events", "--now", "2026-06-01T00:00:00Z", SAMPLE]);
    assert!(!events.is_empty());
    for event in lines(&events) {
        let members: Vec<&String> = event.as_object().unwrap().keys().collect();
        let expected = [
            "container",
            "event",
            "location",
            "timestamp",
            "timezone",
            "value",
        ];
        assert_eq!(members, expected, "{event}");
    }
    assert_ended(&service.run(&["parse", "nothing.json"]), 1, "nothing.json");
    service.write("yard.csv", "Box,Where\nNWLU0000425,A1\n");
    let unknown = lines(&service.tell(&["parse", "yard.csv", SAMPLE]));
    assert_eq!(unknown[0]["place"], "yard.csv");
    let why = unknown[0]["defect"].as_str().unwrap();
    assert!(why.contains("--as") && why.contains("--profile"), "{why}");
    assert_eq!(unknown.len(), 1 + reports.len(), "the next file is read");
    let messages = concat!(env!("CARGO_MANIFEST_DIR"), "/../sources/tests/messages");
    let first = |file: &str, with: &[&str]| {
        let file = format!("{messages}/{file}");
        let call: Vec<&str> = ["parse"]
            .iter()
            .chain(with)
            .copied()
            .chain([file.as_str()])
            .collect();
        lines(&service.tell(&call)).remove(0)
    };
    let loaded = first("cosco/bill.json", &[]);
    assert_eq!(
        loaded["original"], "LOADED AT FIRST POL",
        "it tells what it is"
    );
    let published = first("dcsa-3/published-journey.json", &["--as", "dcsa-3"]);
    assert_eq!(published["verb"], "gate_out");
    let by_template = first("msc/z-is-local.json", &["--profile", "msc"]);
    assert_eq!(by_template["zone_source"], "location");
    assert_eq!(first("msc/z-is-local.json", &[])["zone_source"], "utc");
    let yard = format!("{messages}/../inland/apm-terminals/local-times.json");
    let told = lines(&service.tell(&["parse", "--profile", "apm-terminals", &yard]));
    let values: Vec<&serde_json::Value> = told.iter().map(|line| &line["value"]).collect();
    let names = |value: &serde_json::Value| value["holds"][1]["name"].clone();
    assert!(
        values.iter().any(|value| names(value) == "customs"),
        "{values:?}"
    );
    let fee = serde_json::json!({ "fee": { "type": "demurrage", "amount": "150.00", "currency_code": "USD" } });
    assert!(values.contains(&&fee), "{values:?}");
    let booked = serde_json::json!({ "appointment": "2026-03-14T16:00:00Z" });
    assert!(values.contains(&&booked), "{values:?}");
    let rail = format!("{messages}/../inland/cn/last-happening.json");
    let told = lines(&service.tell(&["parse", "--profile", "cn", &rail]));
    let day = serde_json::json!({ "last_free_day": "2026-03-18", "of": "rail", "zone": "America/Toronto" });
    assert!(told.iter().any(|line| line["value"] == day), "{told:?}");
    let many: Vec<&str> = ["parse"].into_iter().chain([SAMPLE; 200]).collect();
    let mut child = service
        .command(&many)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let left = child.wait_with_output().unwrap();
    assert!(left.status.success(), "{}", said(&left));
    assert_eq!(said(&left), "");
}

#[test]
fn a_second_service_is_refused_and_a_signal_ends_the_first_in_order() {
    let mut service = Service::install(PROFILE);
    service.start();
    let second = service.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_ended(&second, 1, "already served");
    let taken = service.run(&["serve", "--data-dir", "other", "--listen", &service.address]);
    assert_ended(&taken, 1, "listen");
    let began = Instant::now();
    service.signal("TERM");
    while ready(&service) == Some(200) {
        assert!(began.elapsed() < END_MAX, "still ready after the signal");
        std::thread::sleep(Duration::from_millis(10));
    }
    let status = service.wait();
    assert!(status.success(), "{status}");
    assert!(began.elapsed() < END_MAX, "{:?}", began.elapsed());
}

#[test]
fn a_start_that_listens_everywhere_warns_of_the_links_and_an_address_below_a_path_is_refused() {
    let service = Service::install(PROFILE);
    let address = free_address();
    let port = address.rsplit(':').next().unwrap();
    let serving = service
        .command(&["serve", "--listen", &format!("0.0.0.0:{port}")])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while client::exchange(&address, "GET", "/health/ready", None, None).is_err() {
        assert!(began.elapsed() < END_MAX);
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(serving.id(), "TERM");
    let said = said(&serving.wait_with_output().unwrap());
    let warned: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("base_url is not set"))
        .collect();
    assert_eq!(warned.len(), 1, "{said}");
    assert!(
        warned[0].contains(&format!("http://0.0.0.0:{port}/v2")),
        "{said}"
    );

    service.write(
        "quayside.toml",
        "base_url = \"https://example.com/boxes/v2\"\n",
    );
    assert_ended(
        &service.run(&["serve"]),
        78,
        "base_url: \"https://example.com/boxes/v2\" has a path",
    );
}

#[test]
fn metrics_are_served_beside_the_api_and_not_by_it() {
    let mut service = Service::install(PROFILE);
    let address = free_address();
    service.set("QUAYSIDE_METRICS__LISTEN", &address);
    service.start();
    let began = Instant::now();
    loop {
        let metrics = client::text(&address, "/metrics").unwrap();
        let counted = metrics.contains("quayside_deliveries_open 0")
            && metrics.contains("quayside_source_defects{source=\"nowhere\"} 0");
        if counted && metrics.contains("quayside_build_info{version=") {
            break;
        }
        assert!(began.elapsed() < END_MAX, "{metrics}");
        std::thread::sleep(Duration::from_millis(20));
    }
    let metrics = client::text(&address, "/metrics").unwrap();
    for counter in [
        "quayside_api_panics_total",
        "quayside_delivery_results_dropped_total",
        "quayside_deliveries_unreadable_total",
    ] {
        assert!(metrics.contains(&format!("\n{counter} 0\n")), "{metrics}");
        assert!(metrics.contains(&format!("# HELP {counter} ")), "{metrics}");
    }
    let beside = client::exchange(&service.address, "GET", "/metrics", None, None);
    assert_eq!(beside.unwrap().status, 404);
}

#[test]
fn who_begins_to_ask_for_metrics_and_stops_there_holds_nobody_up() {
    let mut service = Service::install(PROFILE);
    let address = free_address();
    service.set("QUAYSIDE_METRICS__LISTEN", &address);
    service.start();
    client::text(&address, "/metrics").unwrap();
    let mut begun = Vec::new();
    for _ in 0..300 {
        let mut stream = std::net::TcpStream::connect(&address).unwrap();
        let _ = stream.write_all(b"GET /met");
        begun.push(stream);
    }
    let began = Instant::now();
    let told =
        |answer: std::io::Result<client::Answer>| answer.is_ok_and(|told| told.status == 200);
    while !told(client::exchange(&address, "GET", "/metrics", None, None)) {
        assert!(began.elapsed() < Duration::from_secs(40));
        std::thread::sleep(Duration::from_millis(200));
    }
    // All of them were sent away, not the few that made room.
    for mut stream in begun {
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let ended = stream.read_to_end(&mut Vec::new());
        assert!(!ended.is_err_and(|why| why.kind() == std::io::ErrorKind::WouldBlock));
    }
}

#[test]
fn a_connection_that_is_refused_is_in_the_log() {
    let service = Service::install(PROFILE);
    let address = free_address();
    let mut serve = service.command(&["serve", "--listen", &address]);
    serve.env("QUAYSIDE_HTTP__CONNECTIONS_PER_ADDRESS_MAX", "1");
    serve.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = serve.spawn().unwrap();
    let began = Instant::now();
    let mut begun = loop {
        match TcpStream::connect(&address) {
            Ok(stream) => break stream,
            Err(error) => assert!(began.elapsed() < END_MAX, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    // A head that has begun is no idle connection, which would make room.
    begun.write_all(b"GET /health/li").unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let refused = client::exchange(&address, "GET", "/health/live", None, None);
    signal(child.id(), "TERM");
    let log = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    child.wait().unwrap();
    assert_eq!(refused.unwrap().status, 503, "{log}");
    let line = log
        .lines()
        .find(|line| line.contains("a connection is refused"))
        .unwrap_or_else(|| panic!("{log}"));
    for told in [
        "WARN",
        "127.0.0.1",
        "http.connections_per_address_max",
        "\"most\":1",
    ] {
        assert!(line.contains(told), "{line}");
    }
}

/// Ends all other sessions.
const LEAVE: &str = "select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()";

#[test]
fn a_database_that_takes_nothing_is_told_once_in_half_a_minute_and_that_it_takes_writes_again() {
    let server = PgServer::start().unwrap();
    let settings = [("QUAYSIDE_DATABASE", server.url())];
    let mut service = Service::install_with(PROFILE, &settings);
    service.start_with_log("log");
    let began = Instant::now();
    let alter = format!("alter database {}", server.name());
    let closed = format!("{alter} set default_transaction_read_only = on");
    let opened = format!("{alter} reset default_transaction_read_only");
    server.administer(&[&closed, LEAVE]).unwrap();
    let mut refused = 0;
    while refused < 20 {
        assert!(began.elapsed() < END_MAX, "{refused}");
        let answer = service.track("NWLX70001", "NWLX").unwrap();
        refused += u32::from(answer.status == 503);
    }
    let may_write = "set default_transaction_read_only = off";
    server.administer(&[may_write, &opened, LEAVE]).unwrap();
    let log = || std::fs::read_to_string(service.path("log")).unwrap();
    while !log().contains("PostgreSQL takes writes again") {
        assert!(began.elapsed() < SURE_MAX, "{}", log());
        std::thread::sleep(Duration::from_millis(20));
    }
    let most = 1 + usize::try_from(began.elapsed().as_secs()).unwrap() / 30;
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    let log = log();
    let objects = log.lines().filter(|line| line.starts_with('{'));
    for line in objects.flat_map(lines) {
        let fields = &line["fields"];
        let error = fields["error"].as_str().unwrap_or_default();
        if error.contains("the database is unavailable") {
            let message = fields["message"].as_str().unwrap().to_owned();
            *told.entry(message).or_default() += 1;
        }
    }
    assert!(told.contains_key("a request failed"), "{told:?}");
    assert!(told.values().all(|count| *count <= most), "{told:?}");
    assert_eq!(told["PostgreSQL takes no writes"], 1);
    assert_eq!(log.matches("PostgreSQL takes writes again").count(), 1);
}

#[test]
fn a_full_disk_of_postgres_is_told_once_with_why_though_a_write_gets_through_now_and_then() {
    let server = PgServer::start().unwrap();
    let settings = [("QUAYSIDE_DATABASE", server.url())];
    let mut service = Service::install_with(PROFILE, &settings);
    service.start_with_log("log");
    let full = [
        "create function no_room() returns trigger language plpgsql as
         $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$",
        "create trigger no_room before insert on tracking_requests for each row
         when (new.number = 'NWLX70001') execute function no_room()",
    ];
    server.administer(&full).unwrap();
    for round in 0..5 {
        assert_eq!(service.track("NWLX70001", "NWLX").unwrap().status, 503);
        let other = format!("NWLX7100{round}");
        assert_eq!(service.track(&other, "NWLX").unwrap().status, 201);
    }
    service.signal("TERM");
    service.wait();
    let log = std::fs::read_to_string(service.path("log")).unwrap();
    let told: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("PostgreSQL takes"))
        .collect();
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].contains("takes no writes") && told[0].contains("could not extend file"));
}

fn ready(service: &Service) -> Option<u16> {
    let answer = client::exchange(&service.address, "GET", "/health/ready", None, None);
    answer.ok().map(|answer| answer.status)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn assert_ended(output: &Output, code: i32, naming: &str) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(said.contains(naming), "{said}");
    assert!(output.stdout.is_empty(), "a failure prints nothing there");
}

/// Requests come to such a node, so it is the one that knows.
#[test]
fn a_node_that_only_answers_writes_down_when_keys_were_used() {
    let mut service = Service::install(include_str!("nowhere/profile.toml"));
    service.set("QUAYSIDE_ROLE", "api");
    service.start();
    let asked = service.call("GET", "/v2/shipments", None).unwrap();
    assert_eq!(asked.status, 200, "{}", asked.body);
    service.signal("TERM");
    assert!(service.wait().success());
    let listed = service.tell(&["key", "list"]);
    assert!(!listed.contains("never"), "{listed}");
}
