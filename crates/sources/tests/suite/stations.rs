//! What railroads tell of stations that no table has, and which of several words of theirs counts.

use domain::report::{Report, Value, Verb};
use sources::rail;
use sources::table::{Profile, parse};

use crate::told::{gazetteer, received_at};

/// What an answer tells by a template, and its defects.
fn told(template: &str, answer: &str) -> (Vec<Report>, Vec<String>) {
    let mut known = rail::templates().iter();
    let text = known.find(|known| known.name == template).unwrap().text;
    read(text, answer)
}

fn read(mapping: &str, answer: &str) -> (Vec<Report>, Vec<String>) {
    let profile = Profile::parse(mapping).unwrap();
    let parsed = parse(&profile, answer.as_bytes(), received_at(), &gazetteer());
    let defects = parsed.defects.into_iter().map(|defect| defect.reason);
    let reports = parsed.reports.into_iter().map(|located| located.report);
    (reports.collect(), defects.collect())
}

/// Verbs of the customs hold in an answer of Canadian National.
fn customs(holds: &str) -> Vec<Verb> {
    let answer = format!(
        r#"{{"ThirdPartyIntermodalShipment": {{"Equipment": [{{"EquipmentId": "QSDU100001", "LoadEmpty": "L", {holds}}}]}}}}"#
    );
    let (reports, defects) = told("cn", &answer);
    assert!(defects.is_empty(), "{defects:?}");
    let holds = reports
        .iter()
        .filter(|told| matches!(told.value, Some(Value::Hold(_))));
    holds.map(|told| told.verb).collect()
}

/// Found by a tester: a release without a time stood first, and the hold behind it vanished.
#[test]
fn of_customs_words_the_first_that_has_a_time_counts() {
    for (holds, verb) in [
        (
            r#""CustomsHolds": [{"Description": "RELEASED", "Timestamp": null},
                {"Description": "CUSTOMS HOLD", "Timestamp": "2026-03-10 10:00 ET"}]"#,
            Verb::HoldSet,
        ),
        (
            r#""CustomsHolds": [{"Description": "RELEASED"}, {"Description": "CUSTOMS HOLD", "Timestamp": "2026-03-10 10:00 ET"}]"#,
            Verb::HoldSet,
        ),
        (
            r#""CustomsHolds": [{"Description": "RELEASED", "Timestamp": "2026-03-11 10:00 ET"},
                {"Description": "CUSTOMS HOLD", "Timestamp": "2026-03-10 10:00 ET"}]"#,
            Verb::HoldClear,
        ),
        (
            r#""CustomsHolds": [{"Description": "CUSTOMS HOLD", "Timestamp": " "}, {"Description": "RELEASED"}]"#,
            Verb::HoldSet,
        ),
        (
            r#""CustomsHold": {"Description": "RELEASED"}"#,
            Verb::HoldClear,
        ),
    ] {
        assert_eq!(customs(holds), [verb], "{holds}");
    }
}
