//! What the column of availability says, and what it leaves open.

use domain::report::{Report, Value, Verb};
use domain::timeline::container_state;
use domain::trust::Trust;
use jiff::{SignedDuration, Timestamp};
use sources::table::{Profile, parse};

use crate::told::{gazetteer, received_at};

const AVAILABLE: &str = r#"
id = "pier"
protocol = "terminal-table"
terminal = "USOAK-Z985"
[columns]
container = "Box"
available = "Word"
"#;

const STATUS: &str = r#"
id = "pier"
protocol = "terminal-table"
terminal = "USOAK-Z985"
[columns]
container = "Box"
status = "Word"
"#;

fn read(mapping: &str, word: &str, received_at: Timestamp) -> Vec<Report> {
    let profile = Profile::parse(mapping).unwrap();
    let file = format!("Box|Word|Free|list\nQSDU1000014|{word}||\n");
    let parsed = parse(&profile, file.as_bytes(), received_at, &gazetteer());
    assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
    parsed.reports.into_iter().map(|l| l.report).collect()
}

/// What the sheets say that come one day after the other.
fn after(mapping: &str, words: &[&str]) -> Option<bool> {
    let days = words.iter().zip(0..);
    let told = days.flat_map(|(word, day)| {
        let received_at = received_at() + SignedDuration::from_hours(24 * day);
        read(mapping, word, received_at)
    });
    let told: Vec<Report> = told.collect();
    let number = told[0].equipment.as_ref().unwrap().number;
    let now = received_at() + SignedDuration::from_hours(24 * 9);
    let state = container_state(number, &told, &gazetteer(), Trust::USUAL, now);
    state.pickup.available
}

#[test]
fn the_usual_phrases_are_a_yes_or_a_no() {
    for (word, free) in [
        ("Available for Pickup", true),
        ("AVAILABLE FOR PICK-UP", true),
        ("Available for Delivery", true),
        ("Ready for pick up", true),
        ("Yes (See Note)", true),
        ("Yes - Wheeled", true),
        ("Avail", true),
        ("Available: Yes", true),
        ("Not available for pickup", false),
        ("Available for pickup: No", false),
        ("Available: No", false),
        ("NOTAVAIL", false),
        ("Not Avail.", false),
        ("OnHold", false),
        ("No longer available", false),
    ] {
        let told = read(AVAILABLE, word, received_at());
        let verb = if free {
            Verb::Available
        } else {
            Verb::NotAvailable
        };
        assert_eq!(told[0].verb, verb, "{word}");
        assert_eq!(after(STATUS, &[word]), Some(free), "{word}");
    }
}

#[test]
fn what_is_no_certain_yes_takes_the_word_of_yesterday_back() {
    for word in [
        "Delivered",
        "Off-dock",
        "LOADED ON VESSEL",
        "Out-Gated",
        "On Vessel",
        "Pending",
        "Available soon",
        "Available 12/01/2026",
        "Available after 12/01",
        "Available*",
        "YES*",
        "Yes - Hold?",
        "Was available",
        "AVAILABLE - PENDING FEES",
        "Ready for release",
    ] {
        let told = read(AVAILABLE, word, received_at());
        assert_ne!(told[0].verb, Verb::Available, "{word}");
        for mapping in [AVAILABLE, STATUS] {
            assert_ne!(after(mapping, &["Yes", word]), Some(true), "{word}");
        }
    }
    let told = read(AVAILABLE, "Off-dock", received_at());
    assert_eq!(told[0].value, Some(Value::AvailabilityUnclear));
    assert_eq!(told[0].original, "AVAILABLE/OFF-DOCK");
    assert_eq!(after(AVAILABLE, &["No", "Off-dock"]), None);
    assert_eq!(after(AVAILABLE, &["Yes", "Off-dock", "Yes"]), Some(true));
    // A blank says nothing.
    for blank in ["", "-", "N/A"] {
        assert_eq!(after(AVAILABLE, &["Yes", blank]), Some(true), "{blank}");
    }
}

/// Beside a column of its own, or happenings that tell of it, a status is no word on availability.
/// It may be when it will be.
#[test]
fn a_yes_with_a_date_behind_it_in_a_status_is_none() {
    let words = format!("{STATUS}[words.status]\n\"AVAILABLE\" = \"available\"\n");
    assert_eq!(after(&words, &["AVAILABLE"]), Some(true));
    assert_eq!(after(&words, &["AVAILABLE 12/31/2026"]), None);
    assert_eq!(after(&words, &["AVAILABLE", "AVAILABLE 12/31/2026"]), None);
}

#[test]
fn a_status_that_is_not_where_the_yes_stands_takes_none_back() {
    let unclear = |mapping: &str| {
        let told = read(mapping, "In yard", received_at());
        told.iter()
            .any(|r| r.value == Some(Value::AvailabilityUnclear))
    };
    let words = "[words.status]\nAV = \"available\"\n";
    assert!(unclear(STATUS));
    assert!(unclear(&format!("{STATUS}{words}")));
    assert!(!unclear(&format!("{STATUS}available = \"Free\"\n")));
    let moves = "[words.status]\nOA = \"full_out\"\n";
    assert!(!unclear(&format!("{STATUS}{moves}")));
    let events = "[events]\nlist = \"list\"\ncode = \"code\"\nat = \"at\"\n";
    assert!(!unclear(&format!("{STATUS}{events}")));
}
