//! A status tells when it came about, or only how things stood when the terminal looked.

use domain::report::{Doubt, Verb};
use sources::table::{Profile, parse};

use crate::told::{gazetteer, received_at};

#[test]
fn a_status_without_a_time_of_its_own_is_one_of_the_look() {
    let mapping = r#"
id = "pier"
protocol = "terminal-table"
terminal = "USOAK-Z985"
[columns]
container = "Box"
as_of = "As of"
status = "Status"
status_at = "Since"
[words.status]
"OUT" = "full_out"
[times]
dates = "month-first"
"#;
    let profile = Profile::parse(mapping).unwrap();
    let parsed = |row: &str| {
        let file = format!("Box|As of|Status|Since\nQSDU1000014|{row}\n");
        parse(&profile, file.as_bytes(), received_at(), &gazetteer())
    };
    for to_come in ["NOT YET", "Pending", "not yet known"] {
        let parsed = parsed(&format!("03/10/2026 08:00|OUT|{to_come}"));
        assert!(parsed.reports.is_empty(), "{parsed:?}");
        let [defect] = parsed.defects.as_slice() else {
            panic!("{parsed:?}");
        };
        assert!(defect.reason.contains(to_come), "{defect:?}");
    }
    let told = |row: &str| {
        let parsed = parsed(row);
        assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
        let [located] = parsed.reports.as_slice() else {
            panic!("{parsed:?}");
        };
        let report = located.report.clone();
        assert_eq!(report.verb, Verb::GateOut);
        (report.occurred.unwrap().local.to_string(), report.doubts)
    };
    for unknown in ["", "N/A", "not known", "TBD"] {
        assert_eq!(
            told(&format!("03/10/2026 08:00|OUT|{unknown}")),
            ("2026-03-10T08:00:00".into(), vec![Doubt::AsOf])
        );
    }
    assert_eq!(
        told("03/10/2026 08:00|OUT|03/09/2026 17:20"),
        ("2026-03-09T17:20:00".into(), vec![])
    );
}

#[test]
fn a_status_may_have_its_time_behind_its_words() {
    let mapping = |since: &str| {
        let text = format!(
            r#"
id = "pier"
protocol = "terminal-table"
terminal = "USOAK-Z985"
[columns]
container = "Box"
as_of = "As of"
status = "Status"
{since}
[words.status]
"OUT" = "nothing"
"OUT-GATED" = "full_out"
"DELIVERED" = "full_out"
[times]
dates = "month-first"
"#
        );
        Profile::parse(&text).unwrap()
    };
    let told = |profile: &Profile, status: &str| {
        let file = format!(
            "Box|As of|Status|Since\nQSDU1000014|03/10/2026 08:00|{status}|03/08/2026 06:00\n"
        );
        let parsed = parse(profile, file.as_bytes(), received_at(), &gazetteer());
        assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
        let report = parsed.reports[0].report.clone();
        let at = report.occurred.map(|occurred| occurred.local.to_string());
        (report.verb, at.unwrap_or_default(), report.doubts)
    };
    for (status, at) in [
        ("Delivered 03/09/2026 18:02", "2026-03-09T18:02:00"),
        ("Out-Gated (03/09/2026 14:58)", "2026-03-09T14:58:00"),
    ] {
        let out = (Verb::GateOut, at.to_owned(), vec![]);
        for since in ["", "status_at = \"Status\""] {
            assert_eq!(told(&mapping(since), status), out, "{status} {since}");
        }
        // A column of its own has the word.
        let apart = told(&mapping("status_at = \"Since\""), status);
        assert_eq!(apart.1, "2026-03-08T06:00:00", "{status}");
    }
    let itself = mapping("status_at = \"Status\"");
    let looked = (
        Verb::GateOut,
        "2026-03-10T08:00:00".into(),
        vec![Doubt::AsOf],
    );
    assert_eq!(told(&itself, "Delivered"), looked);
    // What stands behind it and is no time makes it another status.
    for other in [
        "Delivered to CES 03/09/2026 18:02",
        "Delivered (~03/09/2026 18:02)",
        "Delivered03/09/2026 18:02",
        "Delivered by rail",
    ] {
        let (verb, _, doubts) = told(&itself, other);
        assert_eq!(
            (verb, doubts),
            (Verb::Document, vec![Doubt::Unmapped]),
            "{other}"
        );
    }
}
