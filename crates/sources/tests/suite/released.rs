//! Columns of a release that tell when it was given, where others say yes.

use domain::report::{Value, Verb};
use sources::table::{Profile, parse};

use crate::told::{gazetteer, received_at};

const MAPPING: &str = r#"
id = "pier"
protocol = "terminal-table"
terminal = "USOAK-Z985"
[columns]
container = "Box"
[holds.released]
customs = "Customs Released"
[holds.flags]
usda = "USDA Hold"
"#;

const MONTH_FIRST: &str = "[times]\ndates = \"month-first\"\n";

/// What the columns say of their holds; `None` for words that are only kept. It is noon of the 15th of March, by Greenwich.
fn said(times: &str, cells: &str) -> Vec<Option<Verb>> {
    let profile = Profile::parse(&format!("{MAPPING}{times}")).unwrap();
    let file = format!("Box|Customs Released|USDA Hold\nQSDU1000014|{cells}\n");
    let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
    assert!(parsed.defects.is_empty(), "{cells}: {:?}", parsed.defects);
    let reports = parsed.reports.into_iter().map(|located| located.report);
    let told = reports.map(|report| match (report.verb, report.value) {
        (Verb::Document, None) => None,
        (verb, Some(Value::Hold(_))) => Some(verb),
        other => panic!("{cells}: {other:?}"),
    });
    told.collect()
}

/// Found by a tester: the terminals that write when a release was given held every box for good.
#[test]
fn a_release_may_be_told_by_its_date() {
    for cell in [
        "03/14/2026",
        "03/14/2026 10:05",
        "2026-03-14T09:00:00Z",
        "2026-03-15T09:15:00+13:00",
        "14-Mar-26 0905",
        // Of today, wherever in the day it was.
        "03/15/2026",
        "Yes 03/14/2026",
        "YES (03/14/2026 10:05)",
        "y - 03/14/2026",
        "Released 03/14/2026 09:00",
    ] {
        let told = said(MONTH_FIRST, &format!("{cell}|"));
        assert_eq!(told, [Some(Verb::HoldClear)], "{cell}");
    }
}

#[test]
fn a_date_that_is_still_to_come_or_cannot_be_read_whole_releases_nothing() {
    for cell in [
        "03/16/2026",
        "2026-03-15T12:01:00Z",
        "Yes 03/16/2026",
        "Released 03/20/2026 09:00",
        "Released: 2026-03-16",
        "9999-12-31T00:00:00",
        "03/14/2026 by clerk",
        "Yes 14/13/2026",
        "No 03/14/2026",
        "Exam 03/14/2026",
        "12 03/14/2026",
    ] {
        let told = said(MONTH_FIRST, &format!("{cell}|"));
        assert_eq!(told, [None], "{cell}");
    }
    // Nobody says which month it is.
    assert_eq!(said("", "03/04/2026|"), [None]);
    // What programs write that have no date.
    for cell in ["0001-01-01T00:00:00", "1900-01-01", "01/01/1970"] {
        let told = said(MONTH_FIRST, &format!("{cell}|"));
        assert!(told.iter().all(Option::is_none), "{cell}: {told:?}");
    }
    assert_eq!(said(MONTH_FIRST, "-|"), []);
    // Since when it is held does not release it.
    assert_eq!(said(MONTH_FIRST, "|03/14/2026"), [None]);
}

/// A clock of an unknown place may be half a day behind.
#[test]
fn where_the_clock_is_not_known_a_release_is_one_when_its_time_is_over_everywhere() {
    let mapping = MAPPING.replace("terminal = \"USOAK-Z985\"\n", "");
    let mapping = mapping.replace("[columns]\n", "[columns]\nlocode = \"Port\"\n");
    let profile = Profile::parse(&mapping).unwrap();
    for (cell, released) in [
        ("2026-03-15 11:00", false),
        ("2026-03-14 23:00", true),
        // The word says it, unless its day is ahead everywhere.
        ("Released 2026-03-15 13:00", true),
        ("Released 2026-03-16 03:00", false),
    ] {
        let file = format!("Box|Port|Customs Released\nQSDU1000014|XZZZZ|{cell}\n");
        let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
        let mut reports = parsed.reports.iter().map(|located| located.report.verb);
        let is_cleared = reports.any(|verb| verb == Verb::HoldClear);
        assert_eq!(is_cleared, released, "{cell}");
    }
}

#[test]
fn a_release_that_is_granted_is_given() {
    for word in ["GRANTED", "Approved", "Authorised"] {
        let told = said(MONTH_FIRST, &format!("{word}|"));
        assert_eq!(told, [Some(Verb::HoldClear)], "{word}");
    }
    // The end of a release is none, and of a hold nobody knows what was approved.
    for word in ["EXPIRED", "CANCELLED", "Removed"] {
        assert_eq!(said(MONTH_FIRST, &format!("{word}|")), [None], "{word}");
    }
    assert_eq!(said(MONTH_FIRST, "|Approved"), [None]);
}
