//! Dates of X12 that cannot be read.

use super::{read, x12_file};
use crate::told::gazetteer;

fn defects(code: &str, set: &str) -> (Vec<String>, usize) {
    let parsed = read(&x12_file(code, set), &gazetteer());
    let defects = parsed.defects.into_iter().map(|defect| defect.reason);
    (defects.collect(), parsed.reports.len())
}

/// Found by a tester: such a date was passed over in silence.
#[test]
fn a_date_of_the_way_that_cannot_be_read_is_a_defect() {
    for told in [
        "139*20261332*1030",
        "371*11/30/2026",
        "139*30112026*0800",
        "139*2026-12-05",
    ] {
        let (qualifier, rest) = told.split_once('*').unwrap();
        let date = rest.split('*').next().unwrap();
        let expected = format!("DTM*{qualifier}: {date:?} is no time");
        let of_315 = format!(
            "B4***VD*20260310*0700**QSDU*200011*L*45G1*CNSHA*UN*1
             R4*L*UN*CNSHA
             R4*D*UN*USLAX
             DTM*{told}"
        );
        assert_eq!(defects("315", &of_315), (vec![expected.clone()], 1));
        let of_322 = format!(
            "Q5*RL*20260310*0730*LT
             N7*QSDU*200011*43459*G*******CN
             N7*QSDU*200012*43459*G*******CN
             R4*5*UN*USLAX
             R4*7*UN*USCHI
             DTM*{told}"
        );
        assert_eq!(defects("322", &of_322), (vec![expected.clone()], 2));
    }
    let of_set = "Q5*RL*20260310*0730*LT
         N7*QSDU*200011*43459*G*******CN
         DTM*371*11/30/2026
         R4*5*UN*USLAX
         R4*7*UN*USCHI";
    let expected = "DTM*371: \"11/30/2026\" is no time".to_owned();
    assert_eq!(defects("322", of_set), (vec![expected], 1));
}

/// Found by a reviewer: the date of B4, or of the place, stood in for it, and a last free day was told of another day.
#[test]
fn what_stands_beside_the_status_is_not_told_at_its_date() {
    for (segment, expected) in [
        ("SG*NF***11/15/2026", "SG-04: \"11/15/2026\" is no time"),
        (
            "SG*AV***2026-11-12*0900",
            "SG-04: \"2026-11-12\" is no time",
        ),
        (
            "V9*DRM**11/13/2026*0900",
            "V9-03: \"11/13/2026\" is no time",
        ),
    ] {
        let set = |segment: &str| {
            format!(
                "B4***UV*20261110*0700**QSDU*200011*L*45G1*USLAX*UN*1
                 R4*D*UN*USLAX
                 DTM*140*20261110*0700
                 {segment}"
            )
        };
        let (_, without) = defects("315", &set(""));
        assert_eq!(
            defects("315", &set(segment)),
            (vec![expected.to_owned()], without)
        );
    }
}

/// Found by a tester: the date of the activity stood in for that of the status, and nobody was told.
#[test]
fn a_status_whose_own_date_cannot_be_read_says_so() {
    let set = "B4***VD*2026-03-10*0700**QSDU*200011*L*45G1*CNSHA*UN*1
         R4*5*UN*CNSHA
         DTM*140*20260310*0700";
    let expected = "B4-04: \"2026-03-10\" is no time".to_owned();
    assert_eq!(defects("315", set), (vec![expected], 1));
    let none = "B4***VD***QSDU*200011*L*45G1*CNSHA*UN*1
         R4*5*UN*CNSHA
         DTM*140*20260310*0700";
    assert!(
        !defects("315", none)
            .0
            .iter()
            .any(|d| d.starts_with("B4-04"))
    );
}
