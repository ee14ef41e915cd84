//! What existing clients know of the reference interface, against what is served: the table in
//! `docs/coverage.md`.
//!
//! `expected.csv` is the list of facts: operations, types, attributes (members with dots) and relationships, with
//! the mark of how each is known, and a reason where one is left out on purpose. The test fails when something is
//! neither served nor left out, and when something that is left out is served.

use std::fmt::Write as _;

use api::ROUTES;
use jsonapi::resource::named;
use jsonapi::schema::{Attribute, Shape};

use crate::openapi::current;

const EXPECTED: &str = include_str!("expected.csv");

/// One fact about the reference interface.
struct Fact {
    kind: &'static str,
    of: &'static str,
    name: &'static str,
    mark: &'static str,
    left_out: &'static str,
}

impl Fact {
    fn line(&self) -> String {
        format!("{},{},{}", self.kind, self.of, self.name)
    }

    fn is_served(&self) -> bool {
        match self.kind {
            "operation" => ROUTES.iter().any(|route| {
                route.path == format!("/v2{}", self.of) && route.method.as_str() == self.name
            }),
            "type" => named(self.of).is_some(),
            "relationship" => {
                named(self.of).is_some_and(|kind| kind.relationship(self.name).is_some())
            }
            "attribute" => named(self.of).is_some_and(|kind| holds(kind.attributes, self.name)),
            other => panic!("no kind of fact: {other}"),
        }
    }
}

fn holds(members: &[Attribute], path: &str) -> bool {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let found = members.iter().find(|member| member.name == first);
    found.is_some_and(|member| match member.shape {
        _ if rest.is_empty() => true,
        Shape::Object(inner) | Shape::Objects(inner) | Shape::Keyed(inner) => holds(inner, rest),
        _ => false,
    })
}

fn facts() -> Vec<Fact> {
    let lines = EXPECTED.lines().skip(1);
    lines
        .map(|line| {
            let parts: Vec<&'static str> = line.splitn(5, ',').collect();
            Fact {
                kind: parts[0],
                of: parts[1],
                name: parts[2],
                mark: parts[3],
                left_out: parts[4],
            }
        })
        .collect()
}

#[test]
fn nothing_of_the_reference_is_missing() {
    let facts = facts();
    assert!(facts.len() > 300);
    let missing = |fact: &&Fact| fact.left_out.is_empty() && !fact.is_served();
    let missing: Vec<String> = facts.iter().filter(missing).map(Fact::line).collect();
    assert!(missing.is_empty(), "not served: {missing:#?}");
    for fact in facts.iter().filter(|fact| !fact.left_out.is_empty()) {
        assert!(!fact.is_served(), "served after all: {}", fact.line());
    }
}

#[test]
fn the_table_in_docs_is_current() {
    current("coverage.md", &table(&facts()));
}

fn table(facts: &[Fact]) -> String {
    let mut text = String::from(HEAD);
    let state = |fact: &Fact| match fact.left_out {
        "" if fact.is_served() => "served".to_owned(),
        "" => "**missing**".to_owned(),
        why => format!("left out: {why}"),
    };
    text.push_str("## Operations\n\n| Operation | Known from | |\n|---|---|---|\n");
    for fact in facts.iter().filter(|fact| fact.kind == "operation") {
        let (method, path) = (fact.name, fact.of);
        let _ = writeln!(
            text,
            "| `{method} {path}` | {} | {} |",
            fact.mark,
            state(fact)
        );
    }
    for kind in facts.iter().filter(|fact| fact.kind == "type") {
        let _ = writeln!(text, "\n## {}\n\nThe type: {}.", kind.of, state(kind));
        let of = facts
            .iter()
            .filter(|fact| fact.of == kind.of && !fact.name.is_empty());
        let rows: Vec<String> = of
            .map(|fact| {
                format!(
                    "| `{}` | {} | {} | {} |",
                    fact.name,
                    fact.kind,
                    fact.mark,
                    state(fact)
                )
            })
            .collect();
        if !rows.is_empty() {
            text.push_str("\n| Name | | Known from | |\n|---|---|---|---|\n");
            text.push_str(&rows.join("\n"));
            text.push('\n');
        }
    }
    text
}

const HEAD: &str = "# Coverage

What clients of the reference interface use, and whether it is served here. This page is written by a test
(`crates/api/tests/http/coverage`), which compares the list of facts with the routes and the resource types, and fails
when something is missing.

Known from: **S** the specification, with its shape; **N** the specification, by name; **R** the published description
of the reference; **L** live answers of the reference only.

";
