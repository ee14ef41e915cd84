//! The main key and the store belong together: a start with a lost key or with another one is refused, and nothing is
//! sent, counted or made anew by it.

use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use store::testing::{PgServer, tamper};

use crate::service::Service;

const PROFILE: &str = include_str!("nowhere/profile.toml");
const KEY: &str = "data/main.key";
const STORE: &str = "data/quayside.db";
/// Keys that no store was begun with: 32 bytes in base64.
const OTHER: &str = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=";
const THIRD: &str = "QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkI=";
/// Nobody is there.
const HOOK: &str = "http://127.0.0.1:9/hook";
const NOTED: &str = "delete from key_check_values";
const PATH: &str = "/v2/webhooks";

/// The start was refused as a wrong setting is, with one line that holds all of this.
fn assert_refused(output: &Output, saying: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(78), "{said}");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    for part in saying {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(output.stdout.is_empty(), "a failure prints nothing there");
}

/// Served once with a webhook, and stopped.
fn with_a_webhook(mut service: Service) -> Service {
    service.start();
    service.subscribe(HOOK);
    service.kill();
    service
}

#[test]
fn a_lost_main_key_stops_the_start_and_no_new_one_is_made() {
    let mut service = Service::install(PROFILE);
    let (here, aside) = (service.path(KEY), service.path("aside"));
    std::fs::rename(&here, &aside).unwrap();
    for refused in [
        service.run(&["key", "list"]),
        service.run(&["account", "create", "Acme"]),
        service.run(&["migrate"]),
        service.refused_start(),
    ] {
        assert_refused(
            &refused,
            &["settings: main_key:", KEY, "QUAYSIDE_MAIN_KEY", "restore"],
        );
        assert!(!here.exists(), "no key is made for a store that has one");
    }
    for needs_none in [
        &["config", "show"][..],
        &["audit", "verify"],
        &["audit", "list", "--account", "Witness"],
    ] {
        service.tell(needs_none);
        assert!(!here.exists(), "{needs_none:?}");
    }
    std::fs::write(&here, "").unwrap();
    assert_refused(&service.refused_start(), &[KEY, "32 bytes in base64"]);
    std::fs::rename(&aside, &here).unwrap();
    service.start();
    assert_eq!(service.call("GET", PATH, None).unwrap().status, 200);
}

#[test]
fn another_main_key_stops_the_start() {
    let mut service = Service::install(PROFILE);
    let own = std::fs::read_to_string(service.path(KEY)).unwrap();
    std::fs::write(service.path(KEY), OTHER).unwrap();
    for refused in [service.run(&["key", "list"]), service.refused_start()] {
        assert_refused(&refused, &["settings: main_key:", KEY, "restore"]);
    }
    service.set("QUAYSIDE_MAIN_KEY", OTHER);
    let given = service.refused_start();
    assert_refused(&given, &["settings: main_key:", "QUAYSIDE_MAIN_KEY"]);
    let said = String::from_utf8_lossy(&given.stderr).into_owned();
    assert!(!said.contains(OTHER) && !said.contains(KEY), "{said}");
    service.set("QUAYSIDE_MAIN_KEY", own.trim());
    service.start();
    assert_eq!(service.call("GET", PATH, None).unwrap().status, 200);
}

/// Found by a tester: the store had this version's schema by then, and the program of before could not open it any more.
#[test]
fn a_start_that_is_refused_leaves_the_store_to_the_version_before() {
    let mut service = Service::install(PROFILE);
    let own = std::fs::read_to_string(service.path(KEY)).unwrap();
    let older = "delete from refinery_schema_history where version = (select max(version) from refinery_schema_history)";
    tamper(&service.path(STORE), older).unwrap();
    let before = std::fs::read(service.path(STORE)).unwrap();
    let unchanged = |refused: &Output, saying: &str| {
        assert_refused(refused, &[saying]);
        let after = std::fs::read(service.path(STORE)).unwrap();
        assert!(before == after, "{saying}");
    };
    std::fs::write(service.path(KEY), OTHER).unwrap();
    unchanged(&service.refused_start(), "is not the one of this store");
    unchanged(
        &service.run(&["key", "list"]),
        "is not the one of this store",
    );
    unchanged(&service.run(&["migrate"]), "is not the one of this store");
    unchanged(&service.run(&["rekey"]), "is not the one of this store");
    std::fs::remove_file(service.path(KEY)).unwrap();
    unchanged(&service.refused_start(), "there is none");
    unchanged(&service.run(&["migrate"]), "there is none");
    // Who only looks needs no key, and changes nothing.
    let told = service.tell(&["audit", "verify"]);
    assert!(told.ends_with("broken: 0"), "{told}");
    assert!(service.tell(&["audit", "list"]).contains("account.created"));
    assert!(before == std::fs::read(service.path(STORE)).unwrap());
    std::fs::write(service.path(KEY), own).unwrap();
    service.write("sources.d/other.toml", "id = \"other\"\n");
    unchanged(&service.refused_start(), "other.toml");
    unchanged(&service.run(&["account", "list"]), "other.toml");
    unchanged(&service.run(&["migrate"]), "other.toml");

    // A version that is older by more than one says what it would take.
    for version in [998, 999] {
        let newer = format!(
            "insert into refinery_schema_history (version, name, applied_on, checksum) values ({version}, 'to_come', '2999-01-01T00:00:00Z', '0')"
        );
        tamper(&service.path(STORE), &newer).unwrap();
    }
    std::fs::remove_file(service.path("sources.d/other.toml")).unwrap();
    let newer = service.run(&["migrate"]);
    let said = String::from_utf8_lossy(&newer.stderr);
    assert!(said.contains("its schema is 999"), "{said}");

    // Nor does a command that is refused begin a store.
    service.write("sources.d/other.toml", "id = \"other\"\n");
    let fresh = service.path("fresh");
    service.set("QUAYSIDE_DATA_DIR", fresh.to_str().unwrap());
    for begins in [&["account", "create", "Acme"][..], &["migrate"]] {
        assert_refused(&service.run(begins), &["other.toml"]);
        assert!(!fresh.join("quayside.db").exists());
    }
}

#[test]
fn a_node_without_the_main_key_of_its_postgresql_is_refused() {
    let server = PgServer::start().unwrap();
    let settings = [("QUAYSIDE_DATABASE", server.url())];
    let first = Service::install_with(PROFILE, &settings);
    let mut second = first.another_node();
    let elsewhere = first.path("elsewhere");
    second.set("QUAYSIDE_DATA_DIR", elsewhere.to_str().unwrap());
    assert_refused(
        &second.refused_start(),
        &["elsewhere/main.key", "QUAYSIDE_MAIN_KEY"],
    );
    assert!(!elsewhere.join("main.key").exists());
    second.set("QUAYSIDE_MAIN_KEY", OTHER);
    assert_refused(&second.refused_start(), &["QUAYSIDE_MAIN_KEY"]);
    // Nor does it bring a database of before to its schema, beside nodes that run.
    let newest = "version = (select max(version) from refinery_schema_history)";
    let (away, back) = (
        format!("create table newest as select * from refinery_schema_history where {newest}"),
        "insert into refinery_schema_history select * from newest",
    );
    let older = format!("delete from refinery_schema_history where {newest}");
    server.administer(&[&away, &older]).unwrap();
    let saying = ["is not the one of this store", "QUAYSIDE_MAIN_KEY"];
    assert_refused(&second.refused_start(), &saying);
    server.administer(&[back, "drop table newest"]).unwrap();
    let own = std::fs::read_to_string(first.path(KEY)).unwrap();
    second.set("QUAYSIDE_MAIN_KEY", own.trim());
    second.start();
    assert_eq!(second.call("GET", PATH, None).unwrap().status, 200);
    server.administer(&[&replaced(OTHER_VALUE)]).unwrap();
    let began = Instant::now();
    while second.is_ready() {
        // Its last answer counts for a moment.
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "its database is another one now"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What no key seals, in the form of a sealed value.
const OTHER_VALUE: &str =
    "'\\x01000102030405060708090a0b0c0d0e0f1011121314151617181920212223242526'";

fn replaced(value: &str) -> String {
    format!("update key_check_values set value = {value}")
}

#[test]
fn of_nodes_that_begin_a_store_with_several_keys_one_wins() {
    let server = PgServer::start().unwrap();
    let settings = [("QUAYSIDE_DATABASE", server.url())];
    let service = Service::empty_with(PROFILE, &settings);
    service.tell(&["migrate"]);
    let begun: Vec<_> = (0..4)
        .map(|number| {
            let data = service.path(&format!("data-{number}"));
            let mut command = service.command(&["account", "list"]);
            command.env("QUAYSIDE_DATA_DIR", data);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let ended: Vec<Output> = begun
        .into_iter()
        .map(|child| child.wait_with_output().unwrap())
        .collect();
    let (won, lost): (Vec<_>, Vec<_>) = ended.iter().partition(|output| output.status.success());
    assert_eq!(won.len(), 1, "{ended:?}");
    for refused in lost {
        assert_eq!(refused.status.code(), Some(78), "{refused:?}");
    }
}

#[test]
fn a_store_from_before_is_adopted_by_the_key_that_opens_its_secrets() {
    let service = with_a_webhook(Service::install(PROFILE));
    let file = service.path(STORE);
    let own = std::fs::read_to_string(service.path(KEY)).unwrap();
    assert_eq!(tamper(&file, NOTED).unwrap(), 1, "it was noted");
    std::fs::write(service.path(KEY), OTHER).unwrap();
    assert_refused(&service.refused_start(), &[KEY, "restore"]);
    std::fs::remove_file(service.path(KEY)).unwrap();
    assert_refused(&service.refused_start(), &[KEY, "restore"]);
    std::fs::write(service.path(KEY), own).unwrap();
    service.tell(&["key", "list"]);
    assert_eq!(tamper(&file, NOTED).unwrap(), 1, "it is noted now");
}

#[test]
fn a_store_from_before_that_seals_nothing_is_adopted_by_the_key_that_is_there() {
    let service = Service::install(PROFILE);
    let file = service.path(STORE);
    assert_eq!(tamper(&file, NOTED).unwrap(), 1);
    let own = std::fs::read_to_string(service.path(KEY)).unwrap();
    std::fs::remove_file(service.path(KEY)).unwrap();
    assert_refused(&service.run(&["key", "list"]), &[KEY, "restore"]);
    assert!(!service.path(KEY).exists());
    std::fs::write(service.path(KEY), own).unwrap();
    service.tell(&["key", "list"]);
    for other in [OTHER, THIRD] {
        std::fs::write(service.path(KEY), other).unwrap();
        assert_refused(&service.run(&["key", "list"]), &[KEY]);
    }
}

#[test]
fn a_store_that_is_gone_or_empty_is_not_begun_anew_under_its_key() {
    let mut service = with_a_webhook(Service::install(PROFILE));
    let (store, aside) = (service.path(STORE), service.path("aside"));
    let refused = |service: &Service, saying: &str| {
        for output in [service.run(&["migrate"]), service.refused_start()] {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(70), "{said}");
            assert!(said.contains(saying) && said.contains("restore"), "{said}");
        }
        assert!(!service.run(&["check"]).status.success());
    };
    // Nothing is left in the log by a command that ends.
    service.tell(&["migrate"]);
    service.tell(&["backup", "copy.db", "--quiet"]);
    std::fs::rename(&store, &aside).unwrap();
    refused(&service, "quayside.db is gone");
    assert!(!store.exists());
    service.tell(&["restore", "copy.db"]);
    assert!(service.run(&["check"]).status.success());
    std::fs::remove_file(&store).unwrap();
    // Also without the lock, where a log is left: it would be brought into the new one.
    std::fs::remove_file(service.path("data/quayside.db.lock")).unwrap();
    service.write("data/quayside.db-wal", "what was committed last");
    let migrated = service.run(&["migrate"]);
    assert_eq!(migrated.status.code(), Some(70), "{migrated:?}");
    assert!(!store.exists());
    std::fs::remove_file(service.path("data/quayside.db-wal")).unwrap();
    std::fs::write(&store, "").unwrap();
    refused(&service, "it has 0 bytes");
    assert_eq!(std::fs::metadata(&store).unwrap().len(), 0);
    std::fs::rename(&aside, &store).unwrap();
    service.start();
    assert_eq!(service.call("GET", PATH, None).unwrap().status, 200);
}

#[test]
fn a_main_key_may_lie_there_before_the_first_start_which_says_that_a_store_is_begun() {
    let service = Service::empty_with(PROFILE, &[]);
    std::fs::create_dir(service.path("data")).unwrap();
    std::fs::write(service.path(KEY), OTHER).unwrap();
    let first = service.run(&["account", "create", "Acme"]);
    let said = String::from_utf8_lossy(&first.stderr).into_owned();
    assert!(first.status.success(), "{said}");
    assert!(said.contains("a new, empty one was begun"), "{said}");
    let second = service.run(&["account", "list"]);
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(second.status.success() && !said.contains("begun"), "{said}");
}
