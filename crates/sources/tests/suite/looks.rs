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
    let told = |row: &str| {
        let file = format!("Box|As of|Status|Since\nQSDU1000014|{row}\n");
        let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
        assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
        let [located] = parsed.reports.as_slice() else {
            panic!("{parsed:?}");
        };
        let report = located.report.clone();
        assert_eq!(report.verb, Verb::GateOut);
        (report.occurred.unwrap().local.to_string(), report.doubts)
    };
    assert_eq!(
        told("03/10/2026 08:00|OUT|"),
        ("2026-03-10T08:00:00".into(), vec![Doubt::AsOf])
    );
    assert_eq!(
        told("03/10/2026 08:00|OUT|03/09/2026 17:20"),
        ("2026-03-09T17:20:00".into(), vec![])
    );
}
