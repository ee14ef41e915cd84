//! Rules of the house that a text search can judge.

use std::path::Path;

use crate::workspace::{entries, members, root, shipped_code};

/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &[
    "util", "utils", "helper", "helpers", "common", "manager", "misc",
];

/// Lines that the comment at the head of a crate has at least.
const ESSAY_LINES_MIN: usize = 3;

/// Floors that are told the time and are given their ids.
const TIMELESS: &[&str] = &["domain", "jsonapi", "store"];
const CLOCKS: &[&str] = &[
    "Timestamp::now",
    "Zoned::now",
    "SystemTime::now",
    "getrandom::",
];

/// The one crate that builds a client for the outside world.
const OUTBOUND: &str = "sources";
const CLIENTS: &[&str] = &[
    "hyper_util::client",
    "client::legacy",
    "hyper::client",
    "reqwest",
];

#[test]
fn every_crate_begins_with_what_it_is_for() {
    let libraries = members()
        .into_iter()
        .map(|member| member.folder.join("src/lib.rs"));
    let silent: Vec<String> = libraries
        .filter(|path| path.exists() && essay_lines(path) < ESSAY_LINES_MIN)
        .map(|path| path.display().to_string())
        .collect();
    assert!(
        silent.is_empty(),
        "no essay at the head of {}",
        silent.join(", ")
    );
}

#[test]
fn no_file_or_folder_has_an_empty_name() {
    let wrong: Vec<String> = ["crates", "bench"]
        .iter()
        .flat_map(|folder| entries(&root().join(folder)))
        .filter(|path| stem(path).is_some_and(|stem| EMPTY_NAMES.contains(&stem.as_str())))
        .map(|path| path.display().to_string())
        .collect();
    assert!(
        wrong.is_empty(),
        "the trade has better words for {}",
        wrong.join(", ")
    );
}

#[test]
fn the_lower_floors_read_no_clock_and_draw_no_numbers() {
    assert_absent(TIMELESS, CLOCKS);
}

#[test]
fn only_the_guarded_client_reaches_out() {
    let names: Vec<String> = members().into_iter().map(|member| member.name).collect();
    let others: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| ![OUTBOUND, "bench"].contains(name))
        .collect();
    assert_absent(&others, CLIENTS);
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    let manifests = members()
        .into_iter()
        .map(|member| member.folder.join("Cargo.toml"));
    let without: Vec<String> = manifests
        .filter(|path| !takes_lints(path))
        .map(|path| path.display().to_string())
        .collect();
    assert!(
        without.is_empty(),
        "no `[lints] workspace = true` in {}",
        without.join(", ")
    );
}

fn assert_absent(crates: &[&str], words: &[&str]) {
    let members = members();
    let judged = members
        .iter()
        .filter(|member| crates.contains(&member.name.as_str()));
    let wrong: Vec<String> = judged
        .flat_map(shipped_code)
        .flat_map(|(path, text)| {
            let found = words.iter().filter(|word| text.contains(**word));
            found
                .map(|word| format!("{} says {word}", path.display()))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn essay_lines(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .take_while(|line| line.starts_with("//!"))
        .count()
}

fn takes_lints(path: &Path) -> bool {
    let manifest: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let lints = manifest
        .get("lints")
        .and_then(|lints| lints.get("workspace"));
    lints == Some(&toml::Value::Boolean(true))
}

fn stem(path: &Path) -> Option<String> {
    Some(path.file_stem()?.to_string_lossy().into_owned())
}
