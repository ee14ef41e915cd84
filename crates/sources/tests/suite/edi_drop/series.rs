//! What one group says twice about a box keeps its order in the file.

use domain::report::{Report, Verb};

use super::{read, x12_file};
use crate::told::gazetteer;

const PLACES: &str = "N9*BM*QSEB200\nR4*L*UN*CNSHA\nR4*D*UN*USLAX\nR4*5*UN*USLAX";

/// One group with a set for each status.
fn group(statuses: &[&str]) -> Vec<Report> {
    let b4 = |status: &str| format!("B4***{status}**QSDU*200011*L*45G1*USLAX*UN*1");
    let sets: Vec<String> = statuses
        .iter()
        .map(|status| format!("{}\n{PLACES}", b4(status)))
        .collect();
    let file = x12_file("315", &sets.join("\nSE*6*0001\nST*315*0001\n"));
    let parsed = read(&file, &gazetteer());
    assert_eq!(
        parsed.reports.len(),
        statuses.len(),
        "{:#?}",
        parsed.defects
    );
    parsed.reports.into_iter().map(|l| l.report).collect()
}

#[test]
fn what_is_said_in_series_bears_its_place_in_the_file() {
    let told = group(&["NF*20260328*0000", "NF*20260325*0000", "PA*20260314*0500"]);
    let places: Vec<_> = told.iter().map(|report| report.position).collect();
    assert_eq!(places, [Some(4), Some(11), Some(18)]);
    let issued: Vec<_> = told.iter().map(|report| report.reported_at).collect();
    assert!(issued.iter().all(|at| *at == issued[0]), "{issued:?}");
}

/// A move is a claim that is corrected: said in two envelopes it is one reading.
#[test]
fn a_move_bears_none() {
    let told = group(&["UV*20260314*0500", "VA*20260314*0400"]);
    assert_eq!(told[0].verb, Verb::Discharge);
    assert!(told.iter().all(|report| report.position.is_none()));
}
