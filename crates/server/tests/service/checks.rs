//! `quayside check`: what it says to whom, and that it changes nothing.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output};

use serde_json::Value;
use store::testing::{PgServer, scratch_table, tamper};

use crate::backups::UNUSED;
use crate::service::Service;

const PROFILE: &str = include_str!("nowhere/profile.toml");
const KEY: &str = "data/main.key";
const STORE: &str = "data/quayside.db";
/// A key that no store was begun with: 32 bytes in base64.
const OTHER: &str = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=";

/// Exit code, and the verdict of each matter with what is said of it.
fn judged(service: &Service) -> (i32, BTreeMap<String, (String, String)>) {
    let output: Output = service.run(&["check", "--json"]);
    let told = String::from_utf8(output.stdout).unwrap();
    let matters = told.lines().map(|line| {
        let object: Value = serde_json::from_str(line).unwrap();
        let [matter, verdict, said] =
            ["matter", "verdict", "said"].map(|name| object[name].as_str().unwrap().to_owned());
        (matter, (verdict, said))
    });
    (output.status.code().unwrap(), matters.collect())
}

fn verdicts(judged: &BTreeMap<String, (String, String)>) -> Vec<(&str, &str)> {
    let pairs = judged.iter();
    pairs
        .map(|(matter, (verdict, _))| (matter.as_str(), verdict.as_str()))
        .collect()
}

const ALL: [&str; 7] = [
    "disk",
    "integrity",
    "main key",
    "schema",
    "settings",
    "sources",
    "store",
];

/// All good, but for these.
fn assert_verdicts(service: &Service, code: i32, but: &[(&str, &str)]) {
    let (ended, judged) = judged(service);
    assert_eq!(ended, code, "{judged:?}");
    let found = verdicts(&judged);
    let expected: Vec<(&str, &str)> = ALL
        .iter()
        .filter_map(
            |matter| match but.iter().find(|(named, _)| named == matter) {
                Some((_, "left out")) => None,
                Some(other) => Some(*other),
                None => Some((*matter, "good")),
            },
        )
        .collect();
    assert_eq!(found, expected, "{judged:?}");
}

fn names(service: &Service) -> Vec<String> {
    let entries = std::fs::read_dir(service.path("data")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn a_sound_store_is_told_to_be_sound_beside_a_service_and_without_one() {
    let mut service = Service::install(PROFILE);
    let before = (names(&service), std::fs::read(service.path(STORE)).unwrap());
    assert_verdicts(&service, 0, &[]);
    let told = service.tell(&["check", "--full"]);
    assert!(told.ends_with("good: 7, to mind: 0, bad: 0"), "{told}");
    let after = (names(&service), std::fs::read(service.path(STORE)).unwrap());
    assert!(before == after, "{:?} {:?}", before.0, after.0);
    service.start();
    assert_verdicts(&service, 0, &[]);
    assert!(service.is_ready());
    service.kill();
    let log = std::fs::read(service.path("data/quayside.db-wal")).unwrap();
    assert!(!log.is_empty());
    assert_verdicts(&service, 0, &[]);
    let still = std::fs::read(service.path("data/quayside.db-wal")).unwrap();
    assert!(log == still, "the log is left to the next start");
}

#[test]
fn what_is_bad_is_named_and_ends_with_1() {
    let service = Service::install(PROFILE);
    service.write(
        "sources.d/other.toml",
        "id = \"other\"\nscac = [\"OTHR\"]\n",
    );
    assert_verdicts(&service, 1, &[("sources", "bad")]);
    std::fs::remove_file(service.path("sources.d/other.toml")).unwrap();

    let own = std::fs::read_to_string(service.path(KEY)).unwrap();
    std::fs::write(service.path(KEY), OTHER).unwrap();
    assert_verdicts(&service, 1, &[("main key", "bad")]);
    std::fs::remove_file(service.path(KEY)).unwrap();
    assert_verdicts(&service, 1, &[("main key", "bad")]);
    assert!(!service.path(KEY).exists(), "none is made");
    std::fs::write(service.path(KEY), own).unwrap();

    let older = "delete from refinery_schema_history where version = (select max(version) from refinery_schema_history)";
    let newer = "insert into refinery_schema_history (version, name, applied_on, checksum) values (999, 'to_come', '', '0')";
    tamper(&service.path(STORE), newer).unwrap();
    assert_verdicts(&service, 1, &[("schema", "bad"), ("main key", "left out")]);
    tamper(
        &service.path(STORE),
        "delete from refinery_schema_history where version = 999",
    )
    .unwrap();
    tamper(&service.path(STORE), older).unwrap();
    assert_verdicts(&service, 0, &[("schema", "mind")]);
    let own = std::fs::read_to_string(service.path(KEY)).unwrap();
    std::fs::write(service.path(KEY), OTHER).unwrap();
    assert_verdicts(&service, 1, &[("schema", "mind"), ("main key", "bad")]);
    std::fs::write(service.path(KEY), own).unwrap();

    scratch_table(&service.path(STORE), UNUSED).unwrap();
    let (code, judged) = judged(&service);
    assert_eq!(
        (code, judged["integrity"].0.as_str()),
        (1, "bad"),
        "{judged:?}"
    );
    std::fs::write(
        service.path(STORE),
        "not a store, whatever its name says; long enough to have a head of SQLite's, were it one.",
    )
    .unwrap();
    let left_out = [
        ("integrity", "left out"),
        ("schema", "left out"),
        ("main key", "left out"),
    ];
    assert_verdicts(&service, 1, &[&[("store", "bad")], &left_out[..]].concat());
}

#[test]
fn a_user_of_postgresql_who_may_not_bring_it_up_to_date_is_named() {
    let server = PgServer::start().unwrap();
    let clerk = format!("keeper_{}", server.name());
    server
        .administer(&[&format!("create role {clerk} login")])
        .unwrap();
    let url = server.url().replace("//postgres@", &format!("//{clerk}@"));
    let service = Service::empty_with(PROFILE, &[("QUAYSIDE_DATABASE", url)]);
    let (code, may_not) = judged(&service);
    assert_eq!(
        (code, may_not["schema"].0.as_str()),
        (1, "bad"),
        "{may_not:?}"
    );
    let refused = service.run(&["migrate"]);
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(
        told.contains(&clerk) && told.contains("may not make tables in schema public"),
        "{told}"
    );
    server
        .administer(&[&format!("grant create on schema public to {clerk}")])
        .unwrap();
    let (code, may) = judged(&service);
    assert_eq!((code, may["schema"].0.as_str()), (0, "mind"), "{may:?}");
    service.tell(&["migrate"]);
}

/// What is to mind, and all that is told.
fn minded(service: &Service) -> (Vec<String>, String) {
    let told = service.tell(&["check"]);
    let lines = told.lines().filter(|line| line.starts_with("mind"));
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    (lines, told)
}

#[test]
fn what_a_source_cannot_work_without_is_named() {
    let auth =
        "\n[auth]\nkind = \"headers\"\nheaders = { Consumer-Key = \"key\", Again = \"key\" }\n";
    let mut service = Service::install(&format!("{PROFILE}{auth}"));
    service.write("file", "");
    let [gone, file] = ["gone", "file"].map(|name| service.path(name).display().to_string());
    let drop = format!("[drop]\nfolder = {gone:?}\nanswers = {file:?}\n");
    let inbound = "[inbound]\nproof = \"bearer\"\nsecret = \"word\"\n";
    service.write(
        "sources.d/harbour.toml",
        &format!("id = \"harbour-line\"\nprotocol = \"edi\"\n{drop}{inbound}"),
    );
    let (lines, told) = minded(&service);
    assert!(told.contains("good sources    2 in "), "{told}");
    let expected = [
        "nowhere: no secret \"key\" (QUAYSIDE_SOURCES__SECRETS__NOWHERE__KEY_FILE)".to_owned(),
        "harbour-line: no secret \"word\" (QUAYSIDE_SOURCES__SECRETS__HARBOUR_LINE__WORD_FILE)"
            .to_owned(),
        format!("harbour-line: drop.folder {gone} is not there"),
        format!("harbour-line: drop.answers {file} is no folder"),
    ];
    let expected = expected.map(|said| format!("mind sources    {said}"));
    assert_eq!(lines, expected, "{told}");
    let quiet = service.run(&["check"]).stderr;
    assert!(quiet.is_empty(), "{}", String::from_utf8_lossy(&quiet));
    let start = service.run(&["source", "list"]);
    let logged = String::from_utf8_lossy(&start.stderr).into_owned();
    assert!(
        logged.contains("the source cannot be asked") && logged.contains("NOWHERE__KEY_FILE"),
        "{logged}"
    );

    for name in ["gone", "file"] {
        let _ = std::fs::remove_file(service.path(name));
        std::fs::create_dir(service.path(name)).unwrap();
    }
    service.set("QUAYSIDE_SOURCES__SECRETS__NOWHERE__KEY", "k");
    service.set("QUAYSIDE_SOURCES__SECRETS__HARBOUR_LINE__WORD", "w");
    assert_eq!(minded(&service).0, Vec::<String>::new());
}

#[test]
fn sources_that_share_a_login_unawares_and_a_machine_that_trusts_nobody_are_named() {
    let auth = "\n[auth]\nkind = \"headers\"\nheaders = { Consumer-Key = \"key\" }\n";
    let mut service = Service::install(&format!("{PROFILE}{auth}"));
    let twin = PROFILE
        .replace("nowhere", "elsewhere")
        .replace("NWLX", "ELSX");
    service.profile("elsewhere", &format!("{twin}{auth}"));
    service.write("none.pem", "");
    std::fs::create_dir(service.path("none")).unwrap();
    let [file, folder] = ["none.pem", "none"].map(|name| service.path(name).display().to_string());
    service.set("QUAYSIDE_SOURCES__SECRETS__NOWHERE__KEY", "k");
    service.set("QUAYSIDE_SOURCES__SECRETS__ELSEWHERE__KEY", "other");
    assert_eq!(minded(&service).0, Vec::<String>::new());
    service.set("QUAYSIDE_SOURCES__SECRETS__ELSEWHERE__KEY", "k");
    service.set("SSL_CERT_FILE", &file);
    service.set("SSL_CERT_DIR", &folder);
    let (lines, told) = minded(&service);
    let expected = [
        "elsewhere: its secrets are those of nowhere too: name one auth.login in both profiles, so that they share its budget",
        "this machine has no trusted certificates: every call to an https address will fail",
    ];
    let expected = expected.map(|said| format!("mind sources    {said}"));
    assert_eq!(lines, expected, "{told}");
    assert!(service.run(&["check"]).stderr.is_empty());
    let start = service.run(&["source", "list"]);
    let logged = String::from_utf8_lossy(&start.stderr).into_owned();
    for said in ["these have the same secrets", "no trusted certificates"] {
        assert_eq!(logged.matches(said).count(), 1, "{logged}");
    }
}

#[test]
fn two_profiles_of_one_line_are_named() {
    let service = Service::install(PROFILE);
    let twin = PROFILE.replace("nowhere", "elsewhere");
    service.profile("elsewhere", &twin);
    let (lines, told) = minded(&service);
    let expected = "elsewhere: nowhere answers for the line NWLX too: what both could be asked is asked of that one, and what this \
        one is sent is told beside it; name each line and kind of number in one";
    assert_eq!(lines, [format!("mind sources    {expected}")], "{told}");
    let start = service.run(&["source", "list"]);
    let logged = String::from_utf8_lossy(&start.stderr).into_owned();
    assert!(
        logged.contains("both profiles answer for this line"),
        "{logged}"
    );
}

#[test]
fn where_nothing_was_begun_nothing_is_begun() {
    let service = Service::empty_with(PROFILE, &[]);
    let left_out = ["disk", "integrity", "schema", "main key"].map(|matter| (matter, "left out"));
    assert_verdicts(&service, 1, &[&[("store", "bad")], &left_out[..]].concat());
    assert!(!service.path("data").exists());
    service.tell(&["migrate"]);
    assert_verdicts(&service, 0, &[]);
    assert!(!service.path(KEY).exists());
    let mut service = service;
    service.set("QUAYSIDE_LISTEN", "nowhere");
    let wrong = service.run(&["check"]);
    assert_eq!(wrong.status.code(), Some(78));
}

#[test]
fn a_shared_database_is_looked_at_and_left_as_it_is() {
    let server = PgServer::start().unwrap();
    let database = [("QUAYSIDE_DATABASE", server.url())];
    let service = Service::empty_with(PROFILE, &database);
    let (code, empty) = judged(&service);
    assert_eq!(code, 0, "{empty:?}");
    assert_eq!(empty["schema"].0, "mind", "{empty:?}");
    assert!(empty["schema"].1.starts_with("none yet"), "{empty:?}");
    assert_eq!(empty["main key"].0, "mind", "{empty:?}");
    let made = "do $$ begin if exists (select 1 from pg_tables where tablename = 'accounts')
        then raise exception 'it was migrated'; end if; end $$";
    server.administer(&[made]).unwrap();
    service.tell(&["account", "create", "Acme"]);
    let (code, sound) = judged(&service);
    let expected = [
        "clock", "main key", "schema", "settings", "sources", "store",
    ];
    assert_eq!(
        verdicts(&sound),
        expected.map(|matter| (matter, "good")),
        "{sound:?}"
    );
    assert_eq!(code, 0);
    let older = "delete from refinery_schema_history where version = (select max(version) from refinery_schema_history)";
    server.administer(&[older]).unwrap();
    let (code, older) = judged(&service);
    assert_eq!(
        (code, older["main key"].0.as_str()),
        (0, "good"),
        "{older:?}"
    );
    // The numbers by which the changelog says what to do.
    let (verdict, said) = &older["schema"];
    let (found, known) = said.split_once("; the next start brings it to ").unwrap();
    let [found, known] = [found, known].map(|schema| schema.parse::<u32>().unwrap());
    assert_eq!((verdict.as_str(), found + 1), ("mind", known));
    std::fs::write(service.path(KEY), OTHER).unwrap();
    let (code, foreign) = judged(&service);
    assert_eq!(
        (code, foreign["main key"].0.as_str()),
        (1, "bad"),
        "{foreign:?}"
    );
}

/// Who may do nothing on this machine. Root may write what nobody may, so these commands are his.
const NOBODY: u32 = 65_534;

/// A command of this installation, by a user who is not root.
fn by_another(service: &Service, arguments: &[&str]) -> (Option<i32>, String) {
    let wanted = service.command(arguments);
    // What was built may lie where only its owner may go.
    let program = service.path("program");
    if !program.exists() {
        std::fs::copy(wanted.get_program(), &program).unwrap();
    }
    let mut command = Command::new(program);
    command.args(arguments).current_dir(service.path("."));
    for (name, value) in wanted.get_envs() {
        command.env(name, value.unwrap());
    }
    if rustix::process::getuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

/// Gives the installation to that user.
fn give(service: &Service) {
    if !rustix::process::getuid().is_root() {
        return;
    }
    let given = Command::new("chown")
        .args(["-R", &format!("{NOBODY}:{NOBODY}")])
        .arg(service.path(""))
        .status();
    assert!(given.unwrap().success());
}

fn set_mode(service: &Service, name: &str, mode: u32) {
    std::fs::set_permissions(service.path(name), Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_store_that_this_user_may_not_reach_is_not_told_to_be_missing() {
    let service = Service::install(PROFILE);
    give(&service);
    set_mode(&service, "data", 0o000);
    for arguments in [&["check"][..], &["key", "list"]] {
        let (code, said) = by_another(&service, arguments);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("run the command as the user"), "{said}");
        assert!(said.contains("Permission denied"), "{said}");
        assert!(!said.contains("is not there"), "{said}");
    }
    set_mode(&service, "data", 0o700);
}

#[test]
fn a_store_that_this_user_may_not_write_is_bad_and_is_not_opened() {
    let service = Service::install(PROFILE);
    give(&service);
    assert_eq!(by_another(&service, &["check"]).0, Some(0));
    for (name, kept, closed) in [(STORE, 0o600, 0o400), ("data", 0o700, 0o500)] {
        set_mode(&service, name, closed);
        let cannot = format!("{name} cannot be written: Permission denied");
        for arguments in [&["check"][..], &["migrate"], &["serve"]] {
            let (code, said) = by_another(&service, arguments);
            assert!(code == Some(1) && said.contains(&cannot), "{said}");
        }
        set_mode(&service, name, kept);
    }
    assert_eq!(by_another(&service, &["check"]).0, Some(0));
}

#[test]
fn a_quiet_check_prints_what_is_bad_and_nothing_else() {
    let service = Service::install(PROFILE);
    let lacking = "\n[auth]\nkind = \"headers\"\nheaders = { Consumer-Key = \"key\" }\n";
    for profile in [PROFILE.to_owned(), format!("{PROFILE}{lacking}")] {
        service.write("sources.d/carrier.toml", &profile);
        let good = service.run(&["check", "--quiet"]);
        let is_silent = good.stdout.is_empty() && good.stderr.is_empty();
        assert!(good.status.success() && is_silent, "{good:?}");
    }
    std::fs::remove_file(service.path(KEY)).unwrap();
    let bad = service.run(&["check", "--quiet"]);
    let told = String::from_utf8(bad.stdout).unwrap();
    assert_eq!(bad.status.code(), Some(1), "{told}");
    assert!(told.starts_with("bad  main key"), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
}

#[test]
fn a_terminal_that_is_in_no_table_is_named_with_those_of_its_port() {
    let service = Service::install(PROFILE);
    let table = |code: &str| {
        format!(
            "id = \"pier\"\nprotocol = \"terminal-table\"\nterminal = {code:?}\n\
             [columns]\ncontainer = \"Unit\"\navailable = \"Available\"\n"
        )
    };
    let feed = |code: &str| {
        format!(
            "id = \"harbour\"\nprotocol = \"ais\"\n[[quays]]\nterminal = {code:?}\n\
             latitude = 33.7\nlongitude = -118.2\nradius_km = 1.0\n"
        )
    };
    service.profile("pier", &table("USOAK-Z985"));
    service.profile("harbour", &feed("USLAX-W185"));
    assert_verdicts(&service, 0, &[]);
    service.profile("pier", &table("USOAK-Z98"));
    service.profile("harbour", &feed("USLAX-W1"));
    let told = service.tell(&["check"]);
    for (source, code, known) in [
        ("pier", "USOAK-Z98", "USOAK-Z985"),
        ("harbour", "USLAX-W1", "USLAX-W185"),
    ] {
        let begins = format!("mind sources    {source}: terminal {code:?} is in no table; ");
        let line = told.lines().find(|line| line.starts_with(&begins));
        assert!(line.is_some_and(|line| line.contains(known)), "{told}");
        let start = service.run(&["source", "list"]);
        let logged = String::from_utf8_lossy(&start.stderr).into_owned();
        let mut lines = logged.lines();
        let warned = lines.any(|line| line.contains("in no table") && line.contains(code));
        assert!(warned, "{logged}");
    }
}

#[test]
fn a_source_that_cannot_be_what_its_profile_says_is_refused_with_the_key() {
    let mut service = Service::install(PROFILE);
    service.profile("test", "id = \"quayside-trials\"\nprotocol = \"edi\"\n");
    let refused = service.refused_start();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(78), "{said}");
    assert!(
        said.contains("test.toml") && said.contains("TEST"),
        "{said}"
    );

    service.profile("test", "id = \"edi\"\nprotocol = \"edi\"\n");
    let signed = format!("{PROFILE}\n[push]\nsecret = \"raw\"\n");
    service.profile("carrier", &signed);
    service.set("QUAYSIDE_SOURCES__SECRETS__NOWHERE__PUSH", "short");
    let refused = service.refused_start();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(78), "{said}");
    let key = "settings: sources.secrets.nowhere.push: the secret has fewer than 16 bytes";
    assert!(said.contains(key), "{said}");
}

#[test]
fn two_profiles_that_watch_one_folder_are_refused_with_both_names() {
    let service = Service::install(PROFILE);
    std::fs::create_dir(service.path("spool")).unwrap();
    let of = |id: &str, folder: &str| {
        let folder = service.path(folder).display().to_string();
        format!("id = \"{id}\"\nprotocol = \"edi\"\n[drop]\nfolder = {folder:?}\n")
    };
    service.profile("quay-a", &of("quay-a", "spool"));
    assert_verdicts(&service, 0, &[]);
    service.profile("quay-b", &of("quay-b", "sources.d/../spool/"));
    let (_, judged) = judged(&service);
    let (verdict, said) = &judged["sources"];
    assert_eq!(verdict, "bad");
    assert!(
        said.contains("quay-a.toml") && said.contains("quay-b.toml"),
        "{said}"
    );
    assert_eq!(service.refused_start().status.code(), Some(78));
}
