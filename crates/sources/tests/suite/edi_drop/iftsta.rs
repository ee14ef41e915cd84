//! What an IFTSTA says of itself, of its times and of its weights.

use domain::report::{Classifier, Doubt, Report, Verb};

use super::{edifact_file, read};
use crate::told::gazetteer;

/// An IFTSTA about one box, with these segments behind its BGM, behind its status and behind its box.
fn told(dated: &str, status: &str, measured: &str) -> Report {
    let file = edifact_file(
        "IFTSTA",
        &format!(
            "BGM+23+Q1+9
             {dated}
             CNI+1+QSEB400
             STS+1+21:8:6
             RFF+BM:QSEB400
             {status}
             LOC+175+USLAX:139:6
             EQD+CN+QSDU2000111+45G1:102:5+++5
             {measured}"
        ),
    );
    let parsed = read(&file, &gazetteer());
    let mut reports = parsed.reports.into_iter().map(|located| located.report);
    let first = reports.next();
    first.unwrap_or_else(|| panic!("{:#?}", parsed.defects))
}

#[test]
fn a_message_that_tells_only_its_day_is_as_old_as_its_interchange() {
    let written = |dated: &str| {
        let report = told(dated, "DTM+334:202603141100:203", "");
        report.reported_at.unwrap().to_string()
    };
    assert_eq!(written("DTM+137:20260314:102"), "2026-03-14T06:00:00Z");
    // Of an earlier day it is no later than that.
    assert_eq!(written("DTM+137:20260312:102"), "2026-03-12T23:59:00Z");
    assert_eq!(written("DTM+137:202603140930:203"), "2026-03-14T09:30:00Z");
}

/// Found by a tester: a message was as old as the end of its day, though it told the time beside the date.
#[test]
fn a_message_may_tell_the_day_and_the_time_of_its_writing_in_two_segments() {
    let written = |dated: &str| {
        let report = told(dated, "DTM+334:202603101100:203", "");
        report.reported_at.unwrap().to_string()
    };
    for dated in [
        "DTM+137:20260312:102\nDTM+137:143000:402",
        "DTM+137:20260312:102\nDTM+137:1430:401",
        "DTM+137:1430:401\nDTM+137:20260312:102",
    ] {
        assert_eq!(written(dated), "2026-03-12T14:30:00Z", "{dated}");
    }
    // What stands elsewhere is of something else.
    let apart = "DTM+137:20260312:102\nRFF+BN:QSEB401\nDTM+137:1430:401";
    assert_eq!(written(apart), "2026-03-12T23:59:00Z");
}

/// Found by a reviewer: the minute beside the date was not heard, and a time that cannot be read hid the one behind it.
#[test]
fn a_message_is_as_old_as_the_most_precise_time_of_its_day_that_can_be_read() {
    let written = |dated: &str| {
        let report = told(dated, "DTM+334:202603101100:203", "");
        report.reported_at.unwrap().to_string()
    };
    for dated in [
        "DTM+137:20260312:102\nDTM+137:202603121430:203",
        "DTM+137:202603121430:203\nDTM+137:20260312:102",
        "DTM+137::102\nDTM+137:202603121430:203",
        "DTM+137::102\nRFF+BN:QSEB401\nDTM+137:202603121430:203",
        "DTM+137:1430:401\nRFF+BN:QSEB401\nDTM+137:202603121430:203",
    ] {
        assert_eq!(written(dated), "2026-03-12T14:30:00Z", "{dated}");
    }
    let late = "DTM+137:20260312:102\nDTM+137:202603122400:203";
    assert_eq!(written(late), "2026-03-13T00:00:00Z", "the end of that day");
    // That of another day is of something else.
    let other = "DTM+137:20260312:102\nDTM+137:202603131430:203";
    assert_eq!(written(other), "2026-03-12T23:59:00Z");
}

#[test]
fn a_time_of_processing_is_no_time_of_the_happening() {
    let doubts = |status: &str| {
        let report = told("DTM+137:202603140930:203", status, "");
        assert_eq!(report.classifier, Classifier::Actual);
        report.doubts.contains(&Doubt::AsOf)
    };
    assert!(doubts("DTM+9:202603140500:203"));
    assert!(!doubts("DTM+334:202603140500:203"));
    assert!(!doubts("DTM+9:202603140500:203\nDTM+334:202603140400:203"));
}

#[test]
fn a_weight_without_a_unit_is_no_weight() {
    let weight = |measured: &str| {
        let report = told(
            "DTM+137:202603140930:203",
            "DTM+334:202603141100:203",
            measured,
        );
        let gear = report.equipment.unwrap();
        gear.gross_kg.map(|kilograms| kilograms.to_string())
    };
    assert_eq!(weight("MEA+AAE+G+KGM:24500").as_deref(), Some("24500"));
    assert_eq!(weight("MEA+AAE+G+:24500"), None);
    let second = "MEA+AAE+G+:24500\nMEA+AAE+G+KGM:24510";
    assert_eq!(weight(second).as_deref(), Some("24510"));
    // Of the equipment, as newer directories have it.
    assert_eq!(weight("MEA+AAE+AET+KGM:24520").as_deref(), Some("24520"));
    let verified = "MEA+AAE+AET+KGM:24520\nMEA+AAE+VGM+KGM:24530";
    assert_eq!(weight(verified).as_deref(), Some("24530"));
}

/// Found by a reviewer: it was told at the time of another date.
#[test]
fn a_status_whose_own_time_cannot_be_read_is_told_at_no_other() {
    let segments = "BGM+23+Q1+9
         CNI+1+QSEB400
         STS+1+UV
         DTM+334:12.11.2026:203
         DTM+178:202611100700:203
         LOC+175+USOAK:139:6
         EQD+CN+QSDU2000111+45G1:102:5+++5";
    let parsed = read(&edifact_file("IFTSTA", segments), &gazetteer());
    let told = parsed.reports.iter();
    let told = told.filter(|located| located.report.verb == Verb::Discharge);
    assert_eq!(told.count(), 0, "{parsed:?}");
    let reasons = parsed.defects.iter().map(|defect| defect.reason.as_str());
    let reasons: Vec<&str> = reasons.collect();
    assert!(
        reasons.contains(&"DTM+334: \"12.11.2026\" is no time"),
        "{reasons:?}"
    );
}

/// Found by a tester: a carrier's own `I` with the text `DELIVERED` was X12's, and told of a gate-in.
#[test]
fn letters_of_a_carriers_own_list_mean_nothing_that_their_text_denies() {
    let said = |sts: &str| {
        let segments = format!(
            "BGM+23+Q1+9
             CNI+1+QSEB400
             STS+1+{sts}
             DTM+334:202603101100:203
             LOC+175+USOAK:139:6
             EQD+CN+QSDU2000111+45G1:102:5+++5"
        );
        let parsed = read(&edifact_file("IFTSTA", &segments), &gazetteer());
        let report = &parsed.reports[0].report;
        (report.verb, report.doubts.contains(&Doubt::Unmapped))
    };
    assert_eq!(said("I::87:DELIVERED"), (Verb::Document, true));
    assert_eq!(said("I::87:GATE OUT"), (Verb::Document, true));
    assert_eq!(said("UV::87:LOADED ON VESSEL"), (Verb::Document, true));
    assert_eq!(said("I::87:GATE IN"), (Verb::GateIn, false));
    assert_eq!(said("I::87"), (Verb::GateIn, false));
    assert_eq!(
        said("UV::87:DISCHARGED FROM VESSEL"),
        (Verb::Discharge, false)
    );
    assert_eq!(said("I:::GATE OUT"), (Verb::GateIn, false), "X12's own");
    // Found by a reviewer: words that only look like another move denied their own, and other writings of a gate did not.
    for (sts, verb) in [
        ("UV::87:OFFLOADED FROM VESSEL", Verb::Discharge),
        ("UV::87:UNLOADED", Verb::Discharge),
        ("UR::87:DELOADED FROM RAIL", Verb::Discharge),
        ("I::87:FULL DELIVERED TO TERMINAL", Verb::GateIn),
        ("OA::87:OUTGATE LOADED", Verb::GateOut),
        ("OA::87:GATED OUT FROM PORT OF DISCHARGE", Verb::GateOut),
        ("AE::87:LOADED ON BOARD", Verb::Load),
        ("RD::87:EMPTY REDELIVERED", Verb::GateIn),
    ] {
        assert_eq!(said(sts), (verb, false), "{sts}");
    }
    for sts in [
        "I::87:OUT-GATE",
        "I::87:OUT GATE",
        "I::87:GATED OUT",
        "I::87:OUTGATED",
        "OA::87:IN-GATE",
        "AE::87:OFFLOADED",
        "AE::87:NOT LOADED - ROLLED",
    ] {
        assert_eq!(said(sts), (Verb::Document, true), "{sts}");
    }
}
