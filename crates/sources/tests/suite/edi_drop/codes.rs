//! Codes of holds, releases and availability that terminals and agencies send in a 315.

use domain::container::{Hold, HoldStatus};
use domain::report::{Doubt, Report, Verb};

use super::ways::state;
use super::{read, x12_file};
use crate::told::gazetteer;

const PLACES: &str = "N9*BM*QSEB702\nR4*L*UN*CNSHA\nR4*D*UN*CAVAN";

/// A 315 with these statuses: code and hour of the eleventh.
fn told(statuses: &[(&str, &str)]) -> Vec<u8> {
    let sets: Vec<String> = statuses
        .iter()
        .map(|(code, hour)| {
            format!("B4***{code}*20260311*{hour}00**QSDU*200011*L*45G1*CAVAN*UN*1\n{PLACES}")
        })
        .collect();
    x12_file("315", &sets.join("\nSE*5*0001\nST*315*0001\n"))
}

fn holds(statuses: &[(&str, &str)]) -> Vec<String> {
    let landed = ("UV", "01");
    let statuses = [&[landed], statuses].concat();
    let held = state(&[told(&statuses)]).pickup.holds;
    held.iter().map(described).collect()
}

fn described(hold: &Hold) -> String {
    let status = if hold.status == HoldStatus::Pending {
        "pending "
    } else {
        ""
    };
    let words = hold.description.as_deref().unwrap_or_default();
    format!("{status}{:?} {words}", hold.name)
}

/// Found by a tester: the agency's release held the box.
#[test]
fn what_agriculture_canada_releases_it_holds_no_more() {
    let held = ["Other agriculture canada"];
    for code in ["A1", "A3", "A4"] {
        assert_eq!(holds(&[(code, "02")]), held, "{code}");
        let none: [&str; 0] = [];
        assert_eq!(holds(&[(code, "02"), ("A2", "03")]), none, "{code}");
        assert_eq!(holds(&[("A2", "02"), (code, "03")]), held, "{code}");
    }
    assert_eq!(
        holds(&[("TC", "02"), ("A1", "02"), ("A2", "03")]),
        ["Other terminal charges"]
    );
}

#[test]
fn charges_that_are_paid_hold_no_more() {
    let none: [&str; 0] = [];
    assert_eq!(holds(&[("TC", "02"), ("NP", "03")]), none);
    assert_eq!(
        holds(&[("A1", "02"), ("TC", "02"), ("NP", "03")]),
        ["Other agriculture canada"]
    );
    // Found by a reviewer: a release of charges that nobody held it for took away the holds of others.
    for release in ["NP", "A2"] {
        assert_eq!(
            holds(&[("PU", "02"), (release, "03")]),
            ["Other other agency"],
            "{release}"
        );
    }
    assert_eq!(holds(&[("FD", "02")]), ["Freight "]);
    assert_eq!(holds(&[("FD", "02"), ("FP", "03")]), none);
}

#[test]
fn a_box_that_a_terminal_does_not_give_out_is_not_available() {
    let available = |statuses: &[(&str, &str)]| {
        let landed = ("UV", "01");
        state(&[told(&[&[landed], statuses].concat())])
            .pickup
            .available
    };
    assert_eq!(available(&[("AV", "02")]), Some(true));
    assert_eq!(available(&[("AV", "02"), ("DN", "03")]), Some(false));
}

/// Found by a tester: beside B4 a code in no table vanished.
#[test]
fn a_code_in_no_table_is_kept_wherever_it_stands() {
    let file = x12_file(
        "315",
        &format!(
            "B4***CT*20260311*0600**QSDU*200011*L*45G1*CAVAN*UN*1
             SG*CT***20260311*0600*LT
             SG*Z7***20260311*0500*LT
             SG*DN***20260311*0500*LT
             {PLACES}"
        ),
    );
    let parsed = read(&file, &gazetteer());
    assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
    let reports: Vec<Report> = parsed.reports.into_iter().map(|l| l.report).collect();
    let told: Vec<_> = reports
        .iter()
        .map(|r| {
            (
                r.original.as_str(),
                r.verb,
                r.doubts.contains(&Doubt::Unmapped),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("315/CT", Verb::HoldClear, false),
            ("315/Z7", Verb::Document, true),
            ("315/DN", Verb::NotAvailable, false),
        ]
    );
}
