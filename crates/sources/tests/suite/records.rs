//! Damage inside one record leaves all other records as they were.

use serde_json::Value;
use sources::{Parsed, ocean};

use crate::fuzz::{Dice, clock, leaf, places_of, setting};
use crate::inland;
use crate::messages::{messages, profile_of};
use crate::told::{gazetteer, received_at};

/// How many damages each message suffers.
const DAMAGES: u32 = 150;

/// Lists of records, as pointers, in the messages of these folders.
const LISTS: [(&str, &str, &[&str]); 6] = [
    ("dcsa-2", "import", &[""]),
    ("dcsa-3", "beta-journey", &[""]),
    ("dcsa-3", "sandbox-journey", &["/events"]),
    ("dcsa-3", "published-journey", &["/events"]),
    ("hmm", "one-object", &["/transportEvent", "/equipmentEvent"]),
    (
        "cosco",
        "container",
        &["/data/content/containers/0/containerCircleStatus"],
    ),
];

/// The same of terminals and railroads.
const LISTS_INLAND: [(&str, &str, &str); 2] = [
    ("bnsf", "units", "/intermodalUnits"),
    ("portal", "units", "/data/units"),
];

#[test]
fn a_damaged_record_changes_no_other() {
    let seed = seed();
    let (mut dice, gazetteer) = (Dice(seed), gazetteer());
    let all = messages();
    for (folder, name, lists) in LISTS {
        let profile = profile_of(folder);
        suffer(
            &mut dice,
            seed,
            &tree_of(&all, folder, name),
            lists,
            |text| ocean::parse(&profile, text, received_at(), &gazetteer),
        );
    }
}

#[test]
fn a_damaged_record_of_a_terminal_or_railroad_changes_no_other() {
    let seed = seed();
    let (mut dice, gazetteer) = (Dice(seed), gazetteer());
    let all = inland::messages();
    for (folder, name, list) in LISTS_INLAND {
        let profile = inland::profile_of(folder);
        suffer(
            &mut dice,
            seed,
            &tree_of(&all, folder, name),
            &[list],
            |text| profile.read(text, &gazetteer),
        );
    }
}

fn seed() -> u64 {
    let seed = setting("FUZZ_SEED").unwrap_or_else(clock);
    println!("FUZZ_SEED={seed}");
    seed
}

fn tree_of(all: &[(String, String, Vec<u8>)], folder: &str, name: &str) -> Value {
    let found = all
        .iter()
        .find(|(f, n, _)| (f.as_str(), n.as_str()) == (folder, name));
    serde_json::from_slice(&found.unwrap().2).unwrap()
}

fn suffer(
    dice: &mut Dice,
    seed: u64,
    whole: &Value,
    lists: &[&str],
    read: impl Fn(&[u8]) -> Parsed,
) {
    let read = |tree: &Value| read(tree.to_string().as_bytes());
    let before = read(whole);
    assert!(!before.reports.is_empty());
    for _ in 0..DAMAGES {
        let list: &&str = dice.of(lists);
        let length = whole.pointer(list).unwrap().as_array().unwrap().len();
        let record = format!("{list}/{}", dice.below(length));
        let mut damaged = whole.clone();
        damage(dice, damaged.pointer_mut(&record).unwrap());
        let after = read(&damaged);
        let position = position_of(&record);
        assert_eq!(
            others(&after, &position),
            others(&before, &position),
            "FUZZ_SEED={seed}: {record}: {}",
            damaged.pointer(&record).unwrap()
        );
    }
}

/// One value of the record becomes another, or the record loses all its members.
fn damage(dice: &mut Dice, record: &mut Value) {
    let mut places = Vec::new();
    places_of(record, &mut String::new(), &mut places);
    let place = dice.of(&places).clone();
    *record.pointer_mut(&place).unwrap() = leaf(dice);
}

/// `/events/3` as it stands in reports: `events[3]`.
fn position_of(pointer: &str) -> String {
    let parts = pointer.split('/').skip(1);
    let written = parts.map(|part| match part.parse::<usize>() {
        Ok(index) => format!("[{index}]"),
        Err(_) => format!(".{part}"),
    });
    written
        .collect::<String>()
        .trim_start_matches('.')
        .to_owned()
}

/// What was read elsewhere.
fn others(parsed: &Parsed, position: &str) -> Vec<String> {
    parsed
        .reports
        .iter()
        .filter(|located| !located.position.starts_with(position))
        .map(|located| format!("{located:?}"))
        .collect()
}
