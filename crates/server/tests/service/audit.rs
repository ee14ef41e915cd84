//! The audit as an operator sees it: who changed what, and what `audit verify` says to a store that somebody changed by
//! a side door.

use serde_json::{Value, json};
use store::testing::tamper;

use crate::service::Service;

const PROFILE: &str = include_str!("nowhere/profile.toml");

/// Rows of `audit list --json`, oldest first.
fn rows(service: &Service, more: &[&str]) -> Vec<Value> {
    let told = service.tell(&[&["audit", "list", "--json"], more].concat());
    let lines = told.lines().rev();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Exit code and last line of `audit verify`, and what stands before it.
fn verify(service: &Service, more: &[&str]) -> (Option<i32>, String, Vec<String>) {
    let output = service.run(&[&["audit", "verify"], more].concat());
    let told = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<String> = told.lines().map(str::to_owned).collect();
    let last = lines.pop().unwrap_or_default();
    (output.status.code(), last, lines)
}

#[test]
fn audit_chain() {
    let mut service = Service::install(PROFILE);
    let account = service.tell(&["account", "create", "Acme"]);
    let key = service.tell(&["key", "create", "--account", "Acme", "--name", "ci"]);
    let listed = service.tell(&["key", "list", "--account", "Acme"]);
    let id = listed.split('\t').next().unwrap();
    service.start();
    service.subscribe("http://127.0.0.1:9/hook");
    // Also beside the service.
    assert_eq!(verify(&service, &[]).0, Some(0));
    assert!(rows(&service, &["--account", "Acme"]).len() >= 2);
    service.kill();
    assert_eq!(service.tell(&["key", "delete", id]), id);
    service.tell(&["source", "pause", "nowhere", "--reason", "strike"]);
    let told: Vec<_> = rows(&service, &["--account", "Acme"])
        .iter()
        .map(|row| {
            (
                row["position"].clone(),
                row["actor"].clone(),
                row["action"].clone(),
            )
        })
        .collect();
    let by_operator =
        |position: u32, action: &str| (json!(position), json!("operator"), json!(action));
    assert_eq!(
        told,
        [
            by_operator(1, "account.created"),
            by_operator(2, "api_key.created"),
            by_operator(3, "api_key.deleted"),
        ]
    );
    service.write("notice.json", r#"{"type":"object"}"#);
    let add = ["document-schema", "add", "notice.json", "--type", "notice"];
    let add = [&add[..], &["--version", "2026-01-05"]].concat();
    service.tell(&add);
    service.tell(&[&add[..], &["--current"]].concat());
    service.tell(&["replay"]);
    let all = rows(&service, &[]);
    let of_all: Vec<_> = all
        .iter()
        .filter(|row| row["account_name"] == "(installation)")
        .map(|row| {
            (
                row["action"].as_str().unwrap(),
                row["subject"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        of_all,
        [
            ("source.paused", "nowhere"),
            ("document_schema.created", "notice@2026-01-05"),
            ("document_schema.updated", "notice@2026-01-05"),
            ("replay.started", "1"),
        ]
    );
    assert_eq!(all.len(), 10);
    assert!(!format!("{all:?}").contains(&key[30..]), "no key is told");
    let paused = all
        .iter()
        .find(|row| row["action"] == "source.paused")
        .unwrap();
    assert_eq!(
        (&paused["subject"], &paused["detail"]),
        (&json!("nowhere"), &json!({"reason": "strike"}))
    );
    let hook = all.iter().find(|row| row["action"] == "webhook.created");
    assert_eq!(hook.unwrap()["actor"].as_str().unwrap().len(), 36, "a key");
    let newest = service.tell(&["audit", "list", "--limit", "1"]);
    let columns: Vec<&str> = newest.split('\t').collect();
    assert_eq!(
        columns[1..6],
        ["(installation)", "4", "operator", "replay.started", "1"]
    );
    assert_eq!(
        service
            .run(&["audit", "list", "--limit", "0"])
            .status
            .code(),
        Some(2)
    );

    let whole = (
        Some(0),
        "chains: 3, rows that hold: 10, broken: 0".to_owned(),
        Vec::new(),
    );
    assert_eq!(verify(&service, &[]), whole);
    let of_one = (
        Some(0),
        "chains: 1, rows that hold: 3, broken: 0".to_owned(),
        Vec::new(),
    );
    assert_eq!(verify(&service, &["--account", &account]), of_one);
    let heads = service.tell(&["audit", "verify", "--heads"]);
    assert_eq!(heads.lines().count(), 3);
    service.write("heads", &heads);
    assert_eq!(verify(&service, &["--against", "heads"]), whole);

    let file = service.path("data/quayside.db");
    let tamper = |sql: &str| assert!(tamper(&file, sql).unwrap() > 0, "{sql}");
    tamper(
        "update audit set actor = 'quayside' where action = 'api_key.created' and detail like '%ci%'",
    );
    let broken = |rows: u32, line: &str| {
        let last = format!("chains: 3, rows that hold: {rows}, broken: 1");
        (Some(1), last, vec![line.to_owned()])
    };
    assert_eq!(verify(&service, &[]), broken(8, "Acme: row 2 was altered"));
    tamper("update audit set actor = 'operator' where actor = 'quayside'");
    assert_eq!(verify(&service, &[]), whole, "put back");
    tamper("delete from audit where account_id = zeroblob(16)");
    let missing = "(installation): rows 1 to 4 are missing";
    assert_eq!(verify(&service, &[]), broken(6, missing));
    // With its head it leaves no trace here; whoever kept the heads knows.
    tamper("delete from audit_heads where account_id = zeroblob(16)");
    assert_eq!(
        verify(&service, &[]).1,
        "chains: 3, rows that hold: 6, broken: 0"
    );
    assert_eq!(
        verify(&service, &["--against", "heads"]),
        broken(6, missing)
    );
    assert_eq!(verify(&service, &["--against", "nowhere"]).0, Some(1));
}

#[test]
fn what_belongs_to_nobody_is_told_and_keeps_no_chain_from_being_walked() {
    let service = Service::install(PROFILE);
    service.tell(&["account", "create", "Acme"]);
    service.tell(&["key", "create", "--account", "Acme", "--name", "ci"]);
    service.tell(&["source", "pause", "nowhere"]);
    let file = service.path("data/quayside.db");
    let tamper = |sql: &str| assert!(tamper(&file, sql).unwrap() > 0, "{sql}");
    // Behind the installation's chain and before all others.
    tamper(
        "update audit set account_id = x'0001' where action = 'api_key.created' and detail like '%ci%'",
    );
    let missing = "Acme: rows 2 to 2 are missing".to_owned();
    let nobodys = |rows: u32, heads: u32| {
        format!("rows in no chain: {rows}, heads: {heads}; their account_id is damaged")
    };
    let last = "chains: 3, rows that hold: 4, broken: 2".to_owned();
    assert_eq!(
        verify(&service, &[]),
        (Some(1), last.clone(), vec![missing, nobodys(1, 0)])
    );
    let of_one = verify(&service, &["--account", "Witness"]);
    assert_eq!(
        of_one.0,
        Some(0),
        "whose chain is whole has nothing to hear of it"
    );
    // Before the installation's.
    tamper(
        "update audit_heads set account_id = x'' where account_id in
             (select id from accounts where name = 'Acme')",
    );
    let (code, told, before) = verify(&service, &["--heads"]);
    assert_eq!((code, told), (Some(1), last));
    assert_eq!(before.last(), Some(&nobodys(1, 1)));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure_and_hides_none() {
    let service = Service::install(PROFILE);
    let unread = |arguments: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = service.command(arguments).stdout(writer).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), told)
    };
    let (verify, heads) = (["audit", "verify"], ["audit", "verify", "--heads"]);
    for command in [&["audit", "list"][..], &verify, &heads] {
        assert_eq!(unread(command), (Some(0), String::new()), "{command:?}");
    }
    let file = service.path("data/quayside.db");
    tamper(
        &file,
        "update audit set actor = 'nobody' where position = 1",
    )
    .unwrap();
    for command in [&verify[..], &heads] {
        assert_eq!(unread(command), (Some(1), String::new()), "{command:?}");
    }
}
