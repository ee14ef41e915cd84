//! The README's first steps, as a new user takes them: every `sh` block of that section is run by a shell against
//! a freshly started service, each line must succeed.
//!
//! What differs from the page: the program is the one under test, the port is a free one, and the line
//! `quayside serve` goes to the background, as the reader's first terminal does.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::service::free_address;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
const ADDRESS: &str = "127.0.0.1:8049";

/// Runs before the page: fails at the first line that fails, or when something never comes, and ends the service
/// at the end.
const BEFORE: &str = "set -euo pipefail
(sleep 120; kill $$) >/dev/null 2>&1 &
quayside() { \"$QUAYSIDE\" \"$@\"; }
trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
";
/// In place of `quayside serve`.
const SERVE: &str = "\"$QUAYSIDE\" serve &
until curl -sf http://127.0.0.1:8049/health/ready >/dev/null; do kill -0 $!; sleep 0.1; done
";

#[test]
fn the_first_steps_of_the_readme_work() {
    let page = std::fs::read_to_string(README).unwrap();
    let address = free_address();
    let steps = steps(&page);
    for needed in [
        "TEST-TR-SUCCEEDED",
        "TEST-TR-FAILED",
        "include=",
        "quayside serve",
        "key create",
        "custom_field_definitions",
    ] {
        assert!(steps.contains(needed), "the first steps lack {needed}");
    }
    let script = format!("{BEFORE}{}", run_here(&steps)).replace(ADDRESS, &address);
    let folder = tempfile::tempdir().unwrap();
    let mut shell = Command::new("bash");
    shell
        .current_dir(folder.path())
        .env("QUAYSIDE", env!("CARGO_BIN_EXE_quayside"))
        .env("QUAYSIDE_LISTEN", &address)
        .env("QUAYSIDE_HEALTH__DISK_FREE_PERCENT", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut shell = shell.spawn().expect("bash is on the machine");
    let mut entrance = shell.stdin.take().unwrap();
    entrance.write_all(script.as_bytes()).unwrap();
    drop(entrance);
    let done = shell.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{script}\n{said}\n{errors}");
    for seen in [
        "\"status\":\"succeeded\"",
        "\"failed_reason\":\"invalid_number\"",
        "\"type\":\"container\"",
        "\"decision\":\"auto_select\"",
        "\"value\":\"PO-4711\"",
        "whsec_",
    ] {
        assert!(said.contains(seen), "{seen} was never printed:\n{said}");
    }
}

/// The `sh` blocks of the section, one after the other.
fn steps(page: &str) -> String {
    let (_, section) = page.split_once("\n## First steps\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let blocks = section.split("```sh\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().unwrap());
    blocks.collect::<Vec<_>>().join("\n")
}

fn run_here(steps: &str) -> String {
    let lines = steps.lines().map(|line| match line {
        "quayside serve" => SERVE.to_owned(),
        built if built.starts_with("cargo build") || built.starts_with("alias ") => String::new(),
        line => format!("{line}\n"),
    });
    lines.collect()
}
