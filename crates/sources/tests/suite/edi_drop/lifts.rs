//! When a box of a COARRI was lifted.

use domain::report::{Doubt, Verb};

use super::ways::{events, state};
use super::{edifact_file, read, x12_file};
use crate::told::gazetteer;

/// The time of the lift, whether it had only happened by then, and the defects.
fn lift(bgm: &str, heading: &str, of_box: &str) -> (Option<String>, bool, Vec<String>) {
    let segments = format!(
        "BGM+{bgm}+L1+9
         DTM+137:202603121600:203
         TDT+20+045W+1++QSEL:172+++9222270:146::QSE ONE
         LOC+11+DEHAM:139:6
         DTM+178:202603100400:203
         DTM+186:202603111400:203
         {heading}
         EQD+CN+QSDU2000111+45G1:102:5++3+5
         {of_box}
         LOC+9+DEHAM:139:6"
    );
    let parsed = read(&edifact_file("COARRI", &segments), &gazetteer());
    let lifts = parsed.reports.iter().map(|located| &located.report);
    let mut lifts = lifts.filter(|r| matches!(r.verb, Verb::Load | Verb::Discharge));
    let lift = lifts.next();
    let at = lift.and_then(|lift| lift.occurred.as_ref());
    (
        at.map(|at| at.at.to_string()),
        lift.is_some_and(|lift| lift.doubts.contains(&Doubt::AsOf)),
        parsed.defects.into_iter().map(|d| d.reason).collect(),
    )
}

/// Found by a tester: the hour at which the ship came or left, or the list was written, was told as that of the lift.
#[test]
fn a_lift_without_a_time_of_its_own_had_happened_when_the_list_was_written() {
    let by_then = || Some("2026-03-12T15:00:00Z".to_owned());
    for bgm in ["44", "46"] {
        assert_eq!(lift(bgm, "", "FTX+AAA"), (by_then(), true, vec![]), "{bgm}");
        let told = "17.03.2026 14?:35";
        let (at, as_of, defects) = lift(bgm, "", &format!("DTM+203:{told}:ZZZ"));
        assert_eq!((at, as_of), (by_then(), true), "{bgm}");
        assert_eq!(defects, ["DTM+203: \"17.03.2026 14:35\" is no time"]);
    }
    // What cannot be read of the box is not what is said of all.
    let of_all = "DTM+203:202603110100:203";
    let (at, as_of, defects) = lift("44", of_all, "DTM+203:2026-03-11:203");
    assert_eq!((at, as_of, defects.len()), (by_then(), true, 1));
    let own = lift("44", "", "DTM+203:202603110100:203");
    assert_eq!(own, (Some("2026-03-11T00:00:00Z".into()), false, vec![]));
    // The other one can be read.
    let both = "DTM+203:202603110100:203\nDTM+7:11.03.2026:203";
    let (at, as_of, defects) = lift("44", "", both);
    assert_eq!(at.as_deref(), Some("2026-03-11T00:00:00Z"));
    assert_eq!((as_of, defects.len()), (false, 1));
}

/// Found by a tester: of two times of a gate the one that cannot be read was dropped in silence.
#[test]
fn a_time_of_a_gate_that_cannot_be_read_is_told() {
    let gate = |times: &str| {
        let segments = format!(
            "BGM+36+G1+9
             EQD+CN+QSDU2000111+45G1:102:5++3+5
             {times}
             LOC+165+USLAX:139:6"
        );
        let parsed = read(&edifact_file("CODECO", &segments), &gazetteer());
        let at = parsed.reports.iter().map(|located| {
            let at = located.report.occurred.as_ref();
            at.map(|at| at.at.to_string()).unwrap_or_default()
        });
        let defects = parsed.defects.iter().map(|d| d.reason.clone());
        (at.collect::<Vec<_>>(), defects.collect::<Vec<_>>())
    };
    let at = vec!["2026-03-10T17:30:00Z".to_owned()];
    for (times, reason) in [
        (
            "DTM+7:202603101030:203\nDTM+203:20260310XX:203",
            "DTM+203: \"20260310XX\" is no time",
        ),
        (
            "DTM+7:10MAR2026:203\nDTM+203:202603101030:203",
            "DTM+7: \"10MAR2026\" is no time",
        ),
    ] {
        assert_eq!(gate(times), (at.clone(), vec![reason.to_owned()]));
    }
    assert_eq!(gate("DTM+7:20260310T1030:10"), (at.clone(), vec![]));
    assert_eq!(gate("DTM+7:20260310:102\nDTM+7:1030:401"), (at, vec![]));
}

/// The lift of a list of D.95B, which has no time of writing in its heading; as a whole file, or without the envelope.
fn undated(bgm: &str, of_box: &str, is_sent: bool) -> (Option<String>, Vec<Doubt>, Vec<String>) {
    let segments = format!(
        "BGM+{bgm}+L1+9
         TDT+20+045W+1++QSEL:172+++9321483:146::QSE ONE
         LOC+9+DEHAM:139:6
         DTM+178:202603100400:203
         EQD+CN+QSDU2000111+45G1:102:5++3+5
         {of_box}
         LOC+11+DEHAM:139:6"
    );
    let mut file = edifact_file("COARRI", &segments);
    if !is_sent {
        let text = String::from_utf8(file).unwrap();
        let message: Vec<&str> = text.lines().filter(|line| !line.contains("Q41")).collect();
        file = message.join("\n").into_bytes();
    }
    let parsed = read(&file, &gazetteer());
    let mut lifts = parsed.reports.iter().map(|located| &located.report);
    let lift = lifts.find(|r| matches!(r.verb, Verb::Load | Verb::Discharge));
    (
        lift.and_then(|lift| Some(lift.occurred.as_ref()?.at.to_string())),
        lift.map(|lift| lift.doubts.clone()).unwrap_or_default(),
        parsed.defects.into_iter().map(|d| d.reason).collect(),
    )
}

/// Found by a reviewer: where the list itself tells no time of writing the lift was lost.
#[test]
fn a_list_without_a_time_of_writing_is_as_old_as_its_interchange() {
    let sent = Some("2026-03-14T06:00:00Z".to_owned());
    let by_then = vec![Doubt::AsOf, Doubt::ZoneUnknown];
    for bgm in ["98", "270"] {
        let told = undated(bgm, "FTX+AAA", true);
        assert_eq!(told, (sent.clone(), by_then.clone(), vec![]), "{bgm}");
        let (at, doubts, defects) = undated(bgm, "DTM+203:2026-03-10:203", true);
        assert_eq!((at, doubts), (sent.clone(), by_then.clone()), "{bgm}");
        assert_eq!(defects, ["DTM+203: \"2026-03-10\" is no time"]);
        let (at, _, defects) = undated(bgm, "FTX+AAA", false);
        assert_eq!(at, None);
        assert!(
            defects
                .iter()
                .any(|reason| reason.starts_with("there is no time of the lift")),
            "{defects:?}"
        );
    }
}

/// A list at a port, with its time of writing and that of the lift, where it tells them.
fn list(head: &str, port: &str, ship: &str, status: u8, written: &str, lifted: &str) -> Vec<u8> {
    let dtm = |qualifier: &str, at: &str| match at {
        "" => String::new(),
        at => format!("DTM+{qualifier}:2026{at}:203"),
    };
    let segments = format!(
        "BGM+{head}
         {}
         TDT+20+045W+1++QSEL:172+++{ship}
         LOC+175+{port}:139:6
         DTM+178:202603100400:203
         EQD+CN+QSDU2000111+45G1:102:5++{status}+5
         LOC+9+{port}:139:6
         LOC+11+{port}:139:6
         {}",
        dtm("137", written),
        dtm("203", lifted)
    );
    edifact_file("COARRI", &segments)
}

const ONE: &str = "9321483:146::QUAY PIONEER";
const OTHER: &str = "9074729:146::QUAY RUNNER";

/// Found by a reviewer: what happened between a lift and the writing of its list stood before the lift, or was lost.
#[test]
fn a_lift_stands_before_what_must_come_after_it() {
    let gate = |laden: &str| {
        let segments = format!(
            "BGM+36+G1+9
             EQD+CN+QSDU2000111+45G1:102:5++3{laden}
             DTM+7:202603110900:203
             LOC+165+USLAX:139:6"
        );
        edifact_file("CODECO", &segments)
    };
    let landed = list("98+L1+9", "USLAX", ONE, 3, "03121600", "");
    let sailed = x12_file(
        "315",
        "B4***VD*20260311*0800**QSDU*200011*L*45G1*CNSHA*UN*1
         Q2*9321483********045W****QUAY PIONEER
         R4*L*UN*CNSHA*SHANGHAI*CN
         R4*D*UN*USLAX
         R4*5*UN*CNSHA",
    );
    for (files, told) in [
        (
            vec![landed.clone(), gate("+5")],
            ["vessel_discharged USLAX", "full_out USLAX"],
        ),
        (
            vec![landed, gate("")],
            ["vessel_discharged USLAX", "full_out USLAX"],
        ),
        (
            vec![list("46+L1+9", "CNSHA", ONE, 2, "03121600", ""), sailed],
            ["vessel_loaded CNSHA", "vessel_departed CNSHA"],
        ),
        (
            vec![
                list("98+L1+9", "SGSIN", ONE, 6, "03121600", ""),
                list("270+L2+9", "SGSIN", OTHER, 6, "03121600", "03111000"),
            ],
            [
                "transshipment_discharged SGSIN",
                "transshipment_loaded SGSIN",
            ],
        ),
    ] {
        let found = state(&files);
        assert_eq!(events(&found), told);
        let [lift, next] = found.milestones.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(lift.at, next.at, "{told:?}: it had happened by then");
    }
}

/// Found by a reviewer: a list that takes lifts back without their times left them.
#[test]
fn a_lift_without_its_time_is_taken_back() {
    let told = |written: &str, lifted: &str| list("98+L1+9", "USLAX", ONE, 3, written, lifted);
    let by = |head: &str, ship: &str, written: &str| list(head, "USLAX", ship, 3, written, "");
    for (first, cancels, stands) in [
        (told("03121600", ""), by("98+L2+1", ONE, "03121800"), false),
        (told("03121600", ""), by("98+L2+3", ONE, ""), false),
        (told("03121600", ""), by("98+L1+1", ONE, ""), false),
        (told("", ""), by("98+L2+1", ONE, ""), false),
        (
            told("03121600", "03110900"),
            by("98+L2+1", ONE, "03121800"),
            false,
        ),
        (
            told("03121600", ""),
            list("98+L2+1", "USLAX", ONE, 3, "03121800", "03110900"),
            false,
        ),
        // After all that was told by the first list.
        (
            told("03121600", ""),
            list("98+L2+1", "USLAX", ONE, 3, "03131800", "03130900"),
            true,
        ),
        (told("03121600", ""), by("98+L2+1", OTHER, "03121800"), true),
        (told("03121600", ""), by("46+L2+1", ONE, "03121800"), true),
        (
            told("03121600", ""),
            list("98+L2+1", "USOAK", ONE, 3, "03121800", ""),
            true,
        ),
    ] {
        let found = events(&state(&[first.clone(), cancels.clone()]));
        let expected = if stands {
            vec!["vessel_discharged USLAX"]
        } else {
            Vec::new()
        };
        let cancels = String::from_utf8(cancels).unwrap();
        assert_eq!(found, expected, "{cancels}");
    }
    // Without an envelope its number is enough.
    let text = String::from_utf8(by("98+L1+1", ONE, "")).unwrap();
    let message: Vec<&str> = text.lines().filter(|line| !line.contains("Q41")).collect();
    let files = [told("03121600", ""), message.join("\n").into_bytes()];
    assert_eq!(events(&state(&files)), Vec::<String>::new());
    // The lift as it was, told again.
    let files = [told("03121600", ""), by("98+L2+5", ONE, "03121800")];
    assert_eq!(events(&state(&files)), ["vessel_discharged USLAX"]);
}
