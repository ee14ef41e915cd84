//! Dates of an IFTSTA that stand behind all places of a transport, or before them, and not each behind its own.

use domain::report::{Classifier, Mode, Report};

use super::read;
use crate::told::gazetteer;

/// Function, qualifier, port, day and whether it happened, of the dates of the way; and what is wrong with others.
fn way(release: &str, stages: &str) -> (Vec<String>, Vec<String>) {
    way_with(
        release,
        "STS+1+31:8:6\nRFF+BM:QSEB400\nDTM+334:202603140900:203",
        stages,
    )
}

/// The same of a message with this status.
fn way_with(release: &str, status: &str, stages: &str) -> (Vec<String>, Vec<String>) {
    let segments = format!(
        "UNH+1+IFTSTA:D:{release}:UN
         BGM+23+Q1+9
         DTM+137:202603140930:203
         CNI+1+QSEB400
         {status}
         {stages}
         EQD+CN+QSDU2000111+45G1:102:5+++5
         UNT+9+1"
    );
    let lines = segments.lines().map(|line| format!("{}'\n", line.trim()));
    let parsed = read(lines.collect::<String>().as_bytes(), &gazetteer());
    let defects = parsed.defects.into_iter();
    let defects = defects.filter(|defect| defect.place.contains("DTM"));
    let reports = parsed.reports.into_iter().map(|located| located.report);
    let line = |report: Report| {
        let actual = report.classifier == Classifier::Actual;
        let told = report.original.strip_prefix("LOC+")?.to_owned();
        let port = report.place.locode?;
        let day = report.occurred?.local.date();
        let known = if actual { "actual" } else { "estimated" };
        Some(format!("{told} {port} {day} {known}"))
    };
    (
        reports.filter_map(line).collect(),
        defects.map(|defect| defect.reason).collect(),
    )
}

const SHIP: &str = "TDT+20+123+1++QSEL:172+++9222270:146:11:QSE ONE";
const LEFT: &str = "LOC+9+BEANR:139:6";
const REACHED: &str = "LOC+11+USLAX:139:6";

/// Found by a tester: the date of leaving was lost behind the port of discharge, and nobody was told.
#[test]
fn dates_behind_all_places_of_a_ship_are_of_the_port_that_it_leaves_and_of_the_one_it_reaches() {
    let foretold = [
        "9/133 BEANR 2026-03-02 estimated",
        "11/132 USLAX 2026-04-05 estimated",
    ];
    let happened = [
        "9/186 BEANR 2026-03-02 actual",
        "11/178 USLAX 2026-03-12 actual",
    ];
    let (etd, eta) = ("DTM+133:202603021000:203", "DTM+132:202604050900:203");
    let (atd, ata) = ("DTM+186:202603020900:203", "DTM+178:202603121200:203");
    for (stage, told) in [
        (format!("{SHIP}\n{LEFT}\n{REACHED}\n{etd}\n{eta}"), foretold),
        (format!("{SHIP}\n{LEFT}\n{REACHED}\n{eta}\n{etd}"), foretold),
        (format!("{SHIP}\n{REACHED}\n{LEFT}\n{eta}\n{etd}"), foretold),
        (format!("{SHIP}\n{etd}\n{eta}\n{LEFT}\n{REACHED}"), foretold),
        (
            format!("{SHIP}\nRFF+VON:1\n{LEFT}\n{REACHED}\n{atd}\n{ata}"),
            happened,
        ),
        (format!("{SHIP}\n{LEFT}\n{atd}\n{REACHED}\n{ata}"), happened),
    ] {
        for release in ["95B", "96A", "00B"] {
            let (mut dates, defects) = way(release, &stage);
            dates.sort_by_key(|date| !date.starts_with('9'));
            assert_eq!(dates, told, "{release} {stage}");
            assert!(defects.is_empty(), "{defects:#?}");
        }
    }
    // The port of discharge has another function, and the place of delivery is none of the ship's.
    let delivered = format!("{SHIP}\n{LEFT}\nLOC+12+USLAX:139:6\nLOC+7+USCHI:139:6\n{atd}\n{ata}");
    let (dates, _) = way("96A", &delivered);
    assert_eq!(
        dates,
        [
            "9/186 BEANR 2026-03-02 actual",
            "12/178 USLAX 2026-03-12 actual"
        ]
    );
}

#[test]
fn a_date_that_may_be_of_another_transport_is_a_defect_and_nothing_else() {
    let unused = |release: &str, stage: &str| {
        let (dates, defects) = way(release, stage);
        assert_eq!(defects.len(), 1, "{stage} {dates:#?}");
        assert!(defects[0].contains("is not used"), "{defects:#?}");
        dates
    };
    let (atd, ata) = ("DTM+186:202603020900:203", "DTM+178:202603121200:203");
    // A train from the port of discharge, in a directory that puts dates under each place.
    let lone = format!("{SHIP}\n{LEFT}\n{REACHED}\n{atd}");
    assert!(unused("00B", &lone).is_empty());
    let (dates, defects) = way("96A", &lone);
    assert_eq!(dates, ["9/186 BEANR 2026-03-02 actual"]);
    assert!(defects.is_empty());
    // It would leave after it arrived.
    let later = "DTM+186:202603130900:203";
    let onward = format!("{SHIP}\n{LEFT}\n{REACHED}\n{ata}\n{later}");
    for release in ["96A", "00B"] {
        // Of whoever goes on from there, of whom nothing else is told.
        let (dates, defects) = way(release, &onward);
        assert_eq!(dates, ["11/178 USLAX 2026-03-12 actual"]);
        assert!(defects.is_empty(), "{defects:#?}");
    }
    // Each place has dates of its own.
    let own = format!("{SHIP}\n{LEFT}\n{atd}\n{REACHED}\n{ata}\n{later}");
    let (dates, defects) = way("96A", &own);
    assert_eq!((dates.len(), defects.len()), (2, 0), "{defects:#?}");
    // A train goes from the port of discharge to its end.
    let train = format!("TDT+30++2\n{REACHED}\nLOC+7+USCHI:139:6\n{atd}\n{ata}");
    assert_eq!(unused("96A", &train), ["7/178 USCHI 2026-03-12 actual"]);
    // No ship reaches the place of delivery.
    let ahead = format!("{SHIP}\n{ata}\n{LEFT}\nLOC+7+USCHI:139:6");
    assert!(unused("96A", &ahead).is_empty());
    // Behind a ramp nobody says what left where.
    let ramp = format!("{SHIP}\n{LEFT}\n{REACHED}\nLOC+29+USCHI:139:6\nDTM+133:202603160900:203");
    let (dates, defects) = way("00B", &ramp);
    assert!(dates.is_empty() && defects.is_empty(), "{defects:#?}");
    // That it came there is no word of who goes on.
    let came = ramp.replace("DTM+133", "DTM+178");
    assert!(unused("00B", &came).is_empty());
}

/// Found by a reader: with a ship that came to a hub it was told that it had come to the port of discharge.
#[test]
fn what_happened_at_a_hub_happened_at_neither_port() {
    let status = |code: &str, here: &str, dates: &str| {
        format!("STS+1+{code}\nRFF+BM:QSEB400\n{dates}LOC+175+{here}:139:6")
    };
    let (atd, ata) = ("DTM+186:202603020900:203", "DTM+178:202603121200:203");
    let (etd, eta) = ("DTM+133:202603021000:203", "DTM+132:202604050900:203");
    let ports = format!("{LEFT}\n{REACHED}");
    for code in ["VA", "VD", "UV"] {
        for release in ["96A", "00B"] {
            let told = |here: &str, stage: &str| {
                let mut dates = way_with(release, &status(code, here, ""), stage).0;
                dates.sort_by_key(|date| !date.starts_with('9'));
                dates
            };
            for happened in [format!("{atd}\n{ata}"), atd.into(), ata.into()] {
                let ahead = format!("{SHIP}\n{happened}\n{ports}");
                assert!(told("HKHKG", &ahead).is_empty(), "{code} {ahead}");
            }
            let block = format!("{SHIP}\n{ports}\n{atd}\n{eta}");
            assert_eq!(told("HKHKG", &block), ["11/132 USLAX 2026-04-05 estimated"]);
            // What is expected is of the ports all the same.
            let plan = format!("{SHIP}\n{etd}\n{eta}\n{ports}");
            assert_eq!(told("HKHKG", &plan).len(), 2);
            // At the port that is left nothing has come to the other one.
            let ahead = format!("{SHIP}\n{atd}\n{ata}\n{ports}");
            assert_eq!(told("BEANR", &ahead), ["9/186 BEANR 2026-03-02 actual"]);
            assert_eq!(told("USLAX", &ahead).len(), 2);
        }
    }
    // A terminal's own code, or a name, is no other port.
    for place in ["LOC+165+W185:TER:ZZZ", "LOC+165+:::Los Angeles"] {
        let sts = format!("STS+1+VA\nRFF+BM:QSEB400\nDTM+334:202603121200:203\n{place}");
        let ahead = format!("{SHIP}\n{ata}\n{ports}");
        let (dates, _) = way_with("00B", &sts, &ahead);
        assert_eq!(dates, ["11/178 USLAX 2026-03-12 actual"], "{place}");
    }
    // Nor is the status's own time one of the ports, wherever it stands.
    let of_status = status("UV", "HKHKG", "DTM+334:202603121200:203\n");
    let (dates, defects) = way_with("00B", &of_status, &format!("{SHIP}\n{ports}\n{ata}"));
    assert!(
        dates.is_empty() && defects.is_empty(),
        "{dates:?} {defects:?}"
    );
    let later = status("UV", "HKHKG", "DTM+334:202603020600:203\n");
    let (dates, _) = way_with("00B", &later, &format!("{SHIP}\n{ports}\n{ata}"));
    assert_eq!(dates, ["11/178 USLAX 2026-03-12 actual"]);
}

#[test]
fn with_a_hub_among_the_places_nobody_says_which_of_them_is_left() {
    let (atd, eta) = ("DTM+186:202603120900:203", "DTM+132:202604050900:203");
    for hub in ["LOC+13+HKHKG:139:6", LEFT] {
        let block = format!(
            "{SHIP}\n{LEFT}\n{}\n{REACHED}\n{atd}\n{eta}",
            hub.replace("+9+", "+13+")
        );
        for release in ["96A", "00B"] {
            let (mut dates, _) = way(release, &block);
            let left = dates.iter().any(|date| date.starts_with("9/186"));
            assert_eq!(left, hub == LEFT, "{release} {dates:?}");
            dates.retain(|date| !date.starts_with('9'));
            assert_eq!(dates, ["11/132 USLAX 2026-04-05 estimated"]);
        }
    }
}

/// The dates that a line writes of a ship and of the train behind it.
#[test]
fn dates_of_who_goes_on_from_a_place_are_no_defect() {
    let legs = "LOC+11+USLAX:139:6\nDTM+178:202603121200:203\nDTM+133:202603140900:203
         LOC+29+USCHI:139:6\nDTM+132:202603180900:203\nDTM+133:202603190900:203
         LOC+7+USCHI:139:6\nDTM+132:202603200900:203";
    let (dates, defects) = way("00B", &format!("{SHIP}\n{LEFT}\n{legs}"));
    assert_eq!(
        dates,
        [
            "11/178 USLAX 2026-03-12 actual",
            "7/132 USCHI 2026-03-20 estimated"
        ]
    );
    assert!(defects.is_empty(), "{defects:#?}");
}

/// It took minutes for a megabyte: each date was compared with all of its place.
#[test]
fn many_dates_before_the_places_are_looked_at_once_each() {
    let etd = "DTM+133:202603021000:203\n".repeat(60_000);
    let atd = "DTM+186:202603020900:203\n".repeat(60_000);
    let stage = format!("{SHIP}\n{etd}{LEFT}\n{atd}{REACHED}");
    let (dates, _) = way("00B", &stage);
    assert!(dates.len() >= 60_000, "{}", dates.len());
    // Nor is each of many ports of loading looked for among all of them.
    let ladings = "LOC+9+NLRTM:139:6\n".repeat(60_000);
    let elsewhere = "STS+1+VD\nDTM+334:202603120900:203\nLOC+175+BEANR:139:6";
    let (dates, _) = way_with("00B", elsewhere, &format!("{SHIP}\n{ladings}{REACHED}"));
    assert!(dates.is_empty());
}

#[test]
fn a_date_of_the_way_that_is_no_time_is_a_defect_once() {
    let boxes = "EQD+CN+QSDU2000111+45G1:102:5+++5\nEQD+CN+QSEU4000040+45G1:102:5+++5";
    for date in ["DTM+132:SOON:203", "DTM+132:203603010000:203"] {
        let (dates, defects) = way("00B", &format!("{SHIP}\n{REACHED}\n{date}\n{boxes}"));
        assert_eq!((dates.len(), defects.len()), (0, 1), "{date} {defects:#?}");
    }
    let (dates, defects) = way("00B", &format!("{SHIP}\n{REACHED}\nDTM+132::203"));
    assert_eq!((dates.len(), defects.len()), (0, 0));
}

/// What a transport tells before its places was a time of the status where that has none, and stays one.
#[test]
fn a_status_without_a_time_has_that_of_its_transport() {
    let file = super::edifact_file(
        "IFTSTA",
        &format!(
            "BGM+23+Q1+9
             CNI+1+QSEB400
             STS+1+1:8:6
             {SHIP}
             DTM+178:202603121200:203
             {LEFT}
             {REACHED}
             EQD+CN+QSDU2000111+45G1:102:5+++5"
        ),
    );
    let parsed = read(&file, &gazetteer());
    assert!(parsed.defects.is_empty(), "{:#?}", parsed.defects);
    let told = &parsed.reports[0].report;
    assert_eq!(told.original, "IFTSTA/1");
    assert_eq!(told.leg.mode, Some(Mode::Vessel));
    let at = told.occurred.as_ref().unwrap().at;
    assert_eq!(at.to_string(), "2026-03-12T19:00:00Z");
}

/// Both times of a call may stand with a status that tells of one: each is at its own.
#[test]
fn what_left_did_so_when_it_left_and_not_when_it_came() {
    let (came, left) = ("DTM+178:202603020400:203", "DTM+186:202603020900:203");
    let at = |code: &str, dates: &str| {
        let sts = format!("BGM+23+Q1+9\nCNI+1+QSEB400\nSTS+1+{code}:8:6");
        let file = format!("{sts}\n{dates}\nLOC+175+NLRTM\nEQD+CN+QSDU2000111+45G1:102:5+++5");
        let parsed = read(&super::edifact_file("IFTSTA", &file), &gazetteer());
        assert!(parsed.defects.is_empty(), "{:#?}", parsed.defects);
        let told = &parsed.reports[0].report;
        told.occurred.as_ref().unwrap().at.to_string()
    };
    let both = format!("{came}\n{left}");
    for code in ["24", "VD", "AE", "OA"] {
        assert_eq!(at(code, &both), "2026-03-02T08:00:00Z", "{code}");
        assert_eq!(at(code, came), "2026-03-02T03:00:00Z", "{code}: as it is");
    }
    for code in ["1", "VA", "UV", "31"] {
        assert_eq!(at(code, &both), "2026-03-02T03:00:00Z", "{code}");
    }
}
