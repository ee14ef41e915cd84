//! What one group says twice about a box keeps its order in the file.

use domain::report::{Classifier, Report, Value, Verb};

use super::{edifact_file, parse, profile, read, received_at, x12_file};
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

/// The days on which the ship is expected at the port of discharge, as two sets of one group tell them, and their places.
fn expected(days: [&str; 3]) -> Vec<(String, Option<u32>)> {
    let sets: Vec<String> = [("AE*20260301", days[0]), ("VD*20260303", days[1]), ("VA*20260304", days[2])]
        .iter()
        .map(|(status, day)| {
            format!(
                "B4***{status}*0000**QSDU*200011*L*45G1*CNSHA*UN*1\nR4*L*UN*CNSHA\nR4*D*UN*USLAX\nDTM*139*{day}*0600*LT"
            )
        })
        .collect();
    let file = x12_file("315", &sets.join("\nSE*6*0001\nST*315*0001\n"));
    let reports = read(&file, &gazetteer()).reports.into_iter();
    let planned = reports
        .map(|l| l.report)
        .filter(|r| r.classifier != Classifier::Actual);
    planned
        .map(|r| (r.occurred.unwrap().local.date().to_string(), r.position))
        .collect()
}

#[test]
fn a_date_that_an_earlier_set_told_otherwise_bears_its_place() {
    let day = |day: &str, place| (format!("2026-03-{day}"), place);
    assert_eq!(
        expected(["20260320", "20260319", "20260320"]),
        [day("20", None), day("19", Some(13)), day("20", Some(19))]
    );
    assert_eq!(
        expected(["20260320", "20260319", "20260319"]),
        [day("20", None), day("19", Some(13)), day("19", Some(13))],
        "said again it is the same word"
    );
    assert_eq!(
        expected(["20260320", "20260320", "20260320"]),
        [day("20", None), day("20", None), day("20", None)]
    );
}

/// The last free day that a report tells.
fn free_day(report: &Report) -> String {
    match &report.value {
        Some(Value::LastFreeDay(_, day)) => day.date.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_last_free_day_that_ends_at_24_is_the_date_before_it() {
    let told = group(&[
        "NF*20260320*0000",
        "NF*20260320*2359",
        "NF*20260320*2400",
        "NF*20260320*240000",
        "FT*20260320*2400",
    ]);
    for report in told {
        assert_eq!(free_day(&report), "2026-03-20", "{report:#?}");
    }
    for time in ["0000", "2359", "2400"] {
        let file = edifact_file(
            "IFTSTA",
            &format!(
                "BGM+23+Q1+9
                 DTM+137:202603060900:203
                 CNI+1+QSEB400
                 STS+1+NF:8:6
                 RFF+BM:QSEB400
                 DTM+334:20260320{time}:203
                 LOC+175+USLAX:139:6
                 EQD+CN+QSDU2000111+45G1:102:5+++5"
            ),
        );
        let parsed = read(&file, &gazetteer());
        let told: Vec<String> = parsed.reports.iter().map(|l| free_day(&l.report)).collect();
        assert_eq!(told, ["2026-03-20"], "{time}: {:#?}", parsed.defects);
    }
}

#[test]
fn a_sender_whose_times_mean_nothing_still_writes_the_date_before_24() {
    let b4 = "B4***NF*20260320*2400**QSDU*200011*L*45G1*USLAX*UN*1";
    let file = x12_file("315", &format!("{b4}\n{PLACES}"));
    let profile = profile("[quirks]\ndate_only = true\n");
    let parsed = parse(&profile, &file, received_at(), &gazetteer());
    let told: Vec<String> = parsed.reports.iter().map(|l| free_day(&l.report)).collect();
    assert_eq!(told, ["2026-03-20"], "{:#?}", parsed.defects);
}
