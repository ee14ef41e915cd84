//! Who may depend on whom. The table in ARCHITECTURE.md is this one.
//!
//! Crates on one floor do not know each other, and no arrow points up. Tests of a crate obey the same table,
//! because a test that needs the floor above belongs to the floor above.

use std::collections::BTreeSet;

use crate::workspace::{Member, members};

/// A crate, and the crates of ours that it may name.
const FLOORS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("edi", &[]),
    ("sources", &["edi", "domain"]),
    ("store", &["domain"]),
    ("jsonapi", &["domain"]),
    ("tracking", &["store", "sources", "jsonapi", "domain"]),
    ("simulator", &["edi", "domain"]),
    (
        "api",
        &["tracking", "store", "jsonapi", "sources", "domain"],
    ),
    ("quayside", EVERYTHING),
    ("bench", EVERYTHING),
];

const EVERYTHING: &[&str] = &[
    "domain",
    "edi",
    "sources",
    "store",
    "jsonapi",
    "tracking",
    "simulator",
    "api",
];

/// What a crate must not know of, whoever wrote it: an entry ending in `*` is a prefix.
const ABSENT: &[(&str, &[&str])] = &[
    (
        "domain",
        &[
            "serde*", "tokio*", "async*", "futures*", "hyper*", "http*", "axum*", "tower*",
        ],
    ),
    (
        "domain",
        &[
            "rusqlite",
            "postgres",
            "refinery",
            "rand",
            "rand_chacha",
            "getrandom",
            "url",
        ],
    ),
    (
        "edi",
        &[
            "serde*", "tokio*", "async*", "hyper*", "http*", "jiff", "rand*", "rusqlite",
        ],
    ),
    ("jsonapi", &["tokio*", "hyper*", "http*", "axum*", "tower*"]),
    ("sources", &["axum*"]),
    ("tracking", &["axum*"]),
    ("simulator", &["hmac", "sha2"]),
];

/// The crates that speak to a database. Benchmarks measure the engines bare, to know their ceiling.
const DRIVERS: &[&str] = &["rusqlite", "postgres", "tokio-postgres", "refinery"];
const MAY_NAME_DRIVERS: &[&str] = &["store", "bench"];

#[test]
fn every_crate_has_a_floor() {
    let real: BTreeSet<String> = members().into_iter().map(|member| member.name).collect();
    let told: BTreeSet<String> = FLOORS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(
        real, told,
        "left: the workspace, right: the table of floors"
    );
}

#[test]
fn no_crate_knows_more_of_ours_than_its_floor_allows() {
    let members = members();
    let ours: BTreeSet<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let wrong: Vec<String> = members
        .iter()
        .flat_map(|member| {
            let allowed = allowed(&member.name);
            let named = member
                .dependencies
                .iter()
                .map(|dependency| &dependency.name);
            named
                .filter(|name| ours.contains(name.as_str()) && **name != member.name)
                .filter(|name| !allowed.contains(&name.as_str()))
                .map(|name| format!("{} must not know {name}", member.name))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_must_be_absent_is_absent() {
    let members = members();
    let wrong: Vec<String> = members.iter().flat_map(unwanted).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_store_names_a_database() {
    let members = members();
    let others = members
        .iter()
        .filter(|member| !MAY_NAME_DRIVERS.contains(&member.name.as_str()));
    let wrong: Vec<String> = others
        .flat_map(|member| {
            let named = member
                .dependencies
                .iter()
                .map(|dependency| &dependency.name);
            named
                .filter(|name| DRIVERS.contains(&name.as_str()))
                .map(|name| format!("{} names {name}", member.name))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn allowed(name: &str) -> &'static [&'static str] {
    let floor = FLOORS.iter().find(|(floor, _)| *floor == name);
    floor.map_or(&[], |(_, allowed)| allowed)
}

fn unwanted(member: &Member) -> Vec<String> {
    let banned: Vec<&str> = ABSENT
        .iter()
        .filter(|(name, _)| *name == member.name)
        .flat_map(|(_, banned)| banned.iter().copied())
        .collect();
    let shipped = member
        .dependencies
        .iter()
        .filter(|dependency| !dependency.dev);
    shipped
        .filter(|dependency| banned.iter().any(|ban| matches(ban, &dependency.name)))
        .map(|dependency| format!("{} must not know {}", member.name, dependency.name))
        .collect()
}

fn matches(ban: &str, name: &str) -> bool {
    match ban.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => ban == name,
    }
}
