//! When a train is expected, where a 322 tells several dates.

use domain::report::Classifier;

use super::{read, x12_file};
use crate::told::gazetteer;

/// Found by a tester: the later delivery was the estimate of the train's arrival.
#[test]
fn an_estimated_arrival_beats_an_estimated_delivery() {
    let expected = |set: &str, end: &str| {
        let file = x12_file(
            "322",
            &format!(
                "Q5*RL*20260310*1104*LT**SAINT PAUL*MN*US
                 N7*QSDU*2000111*43459*G*******CN
                 {set}
                 R4*5*UN*USSTP*SAINT PAUL*US***MN
                 R4*7*UN*USCHI*CHICAGO*US***IL
                 {end}"
            ),
        );
        let reports = read(&file, &gazetteer())
            .reports
            .into_iter()
            .map(|l| l.report);
        let told = reports.filter(|r| r.classifier == Classifier::Estimated);
        let told = told.map(|report| report.original.rsplit('/').next().unwrap().to_owned());
        told.collect::<Vec<_>>()
    };
    let (arrival, delivery) = ("DTM*371*20260312*0912*LT", "DTM*017*20260313*0800*LT");
    let both = format!("{arrival}\n{delivery}");
    let turned = format!("{delivery}\n{arrival}");
    for set in [&both, &turned] {
        assert_eq!(expected(set, ""), ["371"]);
        assert_eq!(expected("", set), ["371"]);
    }
    assert_eq!(expected(delivery, arrival), ["371"]);
    assert_eq!(expected(arrival, delivery), ["371"]);
    // Found by a reviewer: a date that cannot be read silenced the one that can.
    for unread in ["DTM*371", "DTM*371*2026031X*0912", "DTM*371*18990101*0912"] {
        assert_eq!(
            expected(&format!("{unread}\n{delivery}"), ""),
            ["017"],
            "{unread}"
        );
        assert_eq!(
            expected("", &format!("{unread}\n{delivery}")),
            ["017"],
            "{unread}"
        );
        assert_eq!(expected(unread, delivery), ["017"], "{unread}");
    }
    assert_eq!(expected(delivery, ""), ["017"]);
    assert_eq!(expected("", delivery), ["017"]);
}
