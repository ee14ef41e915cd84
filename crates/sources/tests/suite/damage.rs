//! Damage: nothing panics, and what is not damaged is read as before.

use domain::report::Report;
use proptest::prelude::*;
use serde_json::json;
use sources::ocean::parse;
use std::sync::LazyLock;

use crate::told::{gazetteer, profile, read, received_at, sound_event, with};

static GAZETTEER: LazyLock<domain::place::Gazetteer> = LazyLock::new(gazetteer);
static PROFILE: LazyLock<sources::ocean::dcsa::Profile> = LazyLock::new(|| profile(""));

/// Event `index` of a message, each with an id and a box of its own.
fn event(index: usize) -> String {
    let change = json!({
        "eventID": format!("id-{index}"),
        "equipmentReference": format!("QSDU{:06}", 100_000 + index),
        "references": [{ "referenceType": "PO", "referenceValue": "a{b}[c],{\"d" }]
    });
    with(sound_event(), change).to_string()
}

fn message(events: &[String]) -> String {
    format!("[\n{}\n]", events.join(",\n"))
}

fn ids(message: &str) -> Vec<(String, String)> {
    let parsed = read(message);
    let each = parsed.reports.into_iter();
    each.map(|l| (l.report.source_event_id.unwrap_or_default(), l.position))
        .collect()
}

#[test]
fn each_kind_of_damage_costs_one_record() {
    let whole: Vec<String> = (0..5).map(event).collect();
    let sick = &whole[2];
    let kinds = [
        (
            "a quote lost",
            sick.replacen("\"eventType\"", "eventType\"", 1),
        ),
        (
            "a closing quote lost",
            sick.replacen("\"EQUIPMENT\"", "\"EQUIPMENT", 1),
        ),
        (
            "a closing brace lost",
            sick.strip_suffix('}').unwrap().to_owned(),
        ),
        (
            "an opening brace lost",
            sick.strip_prefix('{').unwrap().to_owned(),
        ),
        ("a comma lost", sick.replacen("\",\"", "\" \"", 1)),
        ("a word for a value", sick.replacen("\"LOAD\"", "LOAD", 1)),
        ("cut off in the middle", sick[..sick.len() / 2].to_owned()),
        ("a proxy's note", "<h1>502 Bad Gateway</h1>".to_owned()),
        ("a lone surrogate", sick.replacen("LOAD", "\\ud800", 1)),
    ];
    for (kind, damaged) in kinds {
        let mut events = whole.clone();
        events[2] = damaged;
        let parsed = read(&message(&events));
        let left = ids(&message(&events));
        let expected: Vec<(String, String)> = [0, 1, 3, 4]
            .map(|n| (format!("id-{n}"), format!("[{n}]")))
            .to_vec();
        let found: Vec<_> = left.iter().map(|(id, _)| id.clone()).collect();
        let wanted: Vec<_> = expected.iter().map(|(id, _)| id.clone()).collect();
        assert_eq!(found, wanted, "{kind}");
        assert!(parsed.envelope_broken, "{kind}");
        assert_eq!(
            parsed
                .defects
                .first()
                .map(|d| d.place.starts_with("line 4 ") || d.place.starts_with("line 5 ")),
            Some(true),
            "{kind}: {:?}",
            parsed.defects
        );
    }
}

#[test]
fn a_transfer_that_broke_off_keeps_what_came() {
    for wrapper in ["", "{\"events\":"] {
        let text = format!(
            "{wrapper}{}",
            message(&(0..4).map(event).collect::<Vec<_>>())
        );
        let cut = text.rfind("\"equipmentReference\"").unwrap();
        let parsed = read(&text[..cut]);
        assert_eq!(parsed.reports.len(), 3, "{wrapper:?}");
        assert!(parsed.envelope_broken);
        assert_eq!(parsed.defects.len(), 1, "{:?}", parsed.defects);
    }
}

#[test]
fn searching_a_hopeless_message_ends() {
    let started = std::time::Instant::now();
    let hopeless = "[{\"a\":[{\"b\":".repeat(100_000);
    let parsed = read(&hopeless);
    assert!(parsed.envelope_broken && parsed.reports.is_empty());
    let heads = "{\"eventID\":\"x\",".repeat(200_000);
    read(&format!("[{heads}"));
    read(&"[".repeat(500_000));
    read(&format!("[{}", "{\"x\":{".repeat(300_000)));
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

/// A record beside a damaged one: as it was, but where the damage gave that one its id, neither keeps it.
fn beside(mut report: Report, damaged: &str) -> Report {
    let id = report.source_event_id.as_deref();
    if id.is_some_and(|id| damaged.contains(&format!("\"eventID\":\"{id}\""))) {
        report.source_event_id = None;
    }
    report
}

#[test]
fn a_record_whose_id_is_taken_by_damage_says_the_rest_as_before() {
    let mut events: Vec<String> = (0..3).map(event).collect();
    let before = read(&message(&events));
    events[0] = events[0].replace("\"id-0\"", "\"id-1\"");
    let after = read(&message(&events));
    let mut expected = before.reports[1].report.clone();
    assert_eq!(expected.source_event_id.take().as_deref(), Some("id-1"));
    assert_eq!(after.reports[1].report, expected);
    assert_eq!(after.reports[2].report, before.reports[2].report);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        parse(&PROFILE, &bytes, received_at(), &GAZETTEER);
    }

    #[test]
    fn no_json_like_text_makes_it_panic(text in "[\\[\\]{}\",:a-z0-9\\\\ \n]{0,200}") {
        parse(&PROFILE, text.as_bytes(), received_at(), &GAZETTEER);
    }

    #[test]
    fn damaged_messages_do_not_make_it_panic(at in 0usize..4000, with in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = message(&(0..4).map(event).collect::<Vec<_>>()).into_bytes();
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] = with }
        parse(&PROFILE, &bytes, received_at(), &GAZETTEER);
    }

    /// One byte of one record is overwritten; all other records are read exactly as before.
    #[test]
    fn other_records_do_not_change(sick in 0usize..5, at in 1usize..4000, with in 0x20u8..0x7f) {
        let whole: Vec<String> = (0..5).map(event).collect();
        let before = read(&message(&whole));
        let mut events = whole.clone();
        let mut bytes = events[sick].clone().into_bytes();
        let last = bytes.len() - 1;
        bytes[at % (last - 1) + 1] = with;
        events[sick] = String::from_utf8(bytes).unwrap();
        let after = read(&message(&events));
        let own = format!("QSDU{:06}", 100_000 + sick);
        for located in before.reports {
            let number = located.report.equipment.as_ref().unwrap().number;
            if number.as_str().starts_with(&own) {
                continue;
            }
            let expected = beside(located.report, &events[sick]);
            let same = after.reports.iter().find(|other| {
                other.report.equipment.as_ref().is_some_and(|e| e.number == number)
                    && other.report.source_event_id == expected.source_event_id
            });
            prop_assert_eq!(same.map(|other| &other.report), Some(&expected), "{}", &events[sick]);
        }
        // A damaged record may still be read, but it never becomes two.
        prop_assert!(after.reports.len() <= 5);
    }
}
