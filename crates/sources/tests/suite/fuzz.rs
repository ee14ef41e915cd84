//! Mutated messages: whatever is done to one, no parser panics, and equal bytes are read alike.
//!
//! Every parser gets [`INPUTS`] inputs in a test run, or as many as `FUZZ` says:
//!
//! ```text
//! FUZZ=10000000 cargo test -p sources --profile fuzz --test suite fuzz
//! ```
//!
//! The seed is drawn from the clock and printed; `FUZZ_SEED` gives it, and so the same inputs again. An input
//! that panics is printed before the test fails.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use sources::ocean;

use crate::messages::{messages, profile_of};
use crate::told::{gazetteer, received_at};

/// Inputs for each parser where nothing else is said.
pub const INPUTS: u64 = 100_000;
/// Longer messages are no seeds: what is in them is in shorter ones too, and time is better spent on more.
const SEED_BYTES_MAX: usize = 3_000;
/// No input is longer.
const INPUT_BYTES_MAX: usize = 6_000;

/// What is put into messages: signs and words that mean something to a reader.
const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "\\",
    "null",
    "true",
    "-1e999",
    "1e400",
    "0",
    "\"\"",
    "{}",
    "[]",
    "[[[[",
    "\\ud800",
    "\\u0000",
    "\u{feff}",
    "é",
    "\u{1F6A2}",
    "2026-02-30",
    "24:00",
    "0000-00-00T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "\"eventID\":",
    "\"events\":[",
    "\"transportCall\":",
    "\"isRetracted\":true,",
    "\"retractedEventID\":\"1\",",
    "QSDU2000111",
    ",,,",
    " ,China",
    "EQ",
    "\r\n",
    "\t",
];

/// A small stream of numbers that is the same everywhere (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`, which may be 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end as u64).max(1)).unwrap()
    }

    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// A part of the bytes, most often a short one.
    fn part(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(bytes.len() + 1);
        let longest = if self.below(4) == 0 { 400 } else { 12 };
        start..(start + self.below(longest)).min(bytes.len())
    }
}

pub fn mutated(dice: &mut Dice, seeds: &[Vec<u8>]) -> Vec<u8> {
    mutated_with(dice, seeds, WORDS)
}

/// One of the seeds with up to six things done to it; `words` mean something to the reader.
pub fn mutated_with(dice: &mut Dice, seeds: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut bytes = dice.of(seeds).clone();
    for _ in 0..=dice.below(6) {
        let at = dice.below(bytes.len() + 1);
        match dice.below(8) {
            0 if at < bytes.len() => bytes[at] = dice.next().to_le_bytes()[0],
            1 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
            2 => drop(bytes.drain(dice.part(&bytes))),
            3 => {
                let again = bytes[dice.part(&bytes)].to_vec();
                bytes.splice(at..at, again);
            }
            4 => {
                let other = dice.of(seeds);
                let taken = other[dice.part(other)].to_vec();
                bytes.splice(at..at, taken);
            }
            5 => bytes.truncate(at),
            6 => {
                let place = dice.part(&bytes);
                bytes.splice(place, dice.of(words).bytes());
            }
            _ => drop(bytes.splice(at..at, dice.of(words).bytes())),
        }
    }
    bytes.truncate(INPUT_BYTES_MAX);
    bytes
}

/// A message that is still JSON: members of it are replaced, taken out, or put elsewhere.
pub fn rebuilt(dice: &mut Dice, seeds: &[Vec<u8>]) -> Vec<u8> {
    let seed: &Vec<u8> = dice.of(seeds);
    let mut tree: Value = serde_json::from_slice(seed).unwrap();
    for _ in 0..=dice.below(4) {
        let mut places = Vec::new();
        places_of(&tree, &mut String::new(), &mut places);
        let place = dice.of(&places).clone();
        let other: &String = dice.of(&places);
        let value = match dice.below(4) {
            0 => tree.pointer(other).unwrap().clone(),
            1 => Value::String(WORDS.iter().map(|_| *dice.of(WORDS)).take(2).collect()),
            _ => leaf(dice),
        };
        *tree.pointer_mut(&place).unwrap() = value;
    }
    let mut bytes = tree.to_string().into_bytes();
    bytes.truncate(INPUT_BYTES_MAX);
    bytes
}

/// A value that stands where another was.
pub fn leaf(dice: &mut Dice) -> Value {
    match dice.below(7) {
        0 => Value::Null,
        1 => json!(dice.next()),
        2 => json!(-1.5),
        3 => json!([]),
        4 => json!({}),
        5 => json!(true),
        _ => json!(dice.of(WORDS)),
    }
}

/// Pointers to every value of a tree.
pub fn places_of(tree: &Value, here: &mut String, places: &mut Vec<String>) {
    places.push(here.clone());
    let members: Vec<(String, &Value)> = match tree {
        Value::Array(values) => (0..).map(|i: usize| i.to_string()).zip(values).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value))
            .collect(),
        _ => return,
    };
    let length = here.len();
    for (name, value) in members {
        here.push('/');
        here.push_str(&name);
        places_of(value, here, places);
        here.truncate(length);
    }
}

pub fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is a number, not {text:?}")),
    )
}

pub fn clock() -> u64 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    u64::try_from(since.as_nanos() % u128::from(u64::MAX)).unwrap()
}

/// Tries a parser with messages of these folders.
fn try_parser(profile: &str, folders: &[&str]) {
    let seed = setting("FUZZ_SEED").unwrap_or_else(clock);
    let inputs = setting("FUZZ").unwrap_or(INPUTS);
    println!("{profile}: FUZZ_SEED={seed}, {inputs} inputs");
    let seeds: Vec<Vec<u8>> = messages()
        .into_iter()
        .filter(|(folder, _, bytes)| {
            folders.contains(&folder.as_str()) && bytes.len() <= SEED_BYTES_MAX
        })
        .map(|(.., bytes)| bytes)
        .collect();
    assert!(seeds.len() >= 4, "{profile} has too few seeds");
    let (mut dice, profile, gazetteer) = (Dice(seed), profile_of(profile), gazetteer());
    let (mut read, mut broken) = (0u64, 0u64);
    for input in 0..inputs {
        let bytes = match input % 2 {
            0 => mutated(&mut dice, &seeds),
            _ => rebuilt(&mut dice, &seeds),
        };
        let parse = || ocean::parse(&profile, &bytes, received_at(), &gazetteer);
        let Ok(parsed) = catch_unwind(AssertUnwindSafe(parse)) else {
            panic!(
                "FUZZ_SEED={seed}, input {input}: {}",
                String::from_utf8_lossy(&bytes)
            );
        };
        if input % 64 == 0 {
            assert_eq!(parsed, parse(), "FUZZ_SEED={seed}, input {input}");
        }
        assert!(
            parsed.reports.len() <= bytes.len(),
            "FUZZ_SEED={seed}, input {input}"
        );
        read += u64::from(!parsed.reports.is_empty());
        broken += u64::from(parsed.envelope_broken);
    }
    // Mutations that only ever broke the envelope, or never did, would try half a parser.
    assert!(
        read > inputs / 20 && broken > inputs / 20,
        "{read} read, {broken} broken of {inputs}"
    );
}

#[test]
fn no_mutated_message_of_version_2_makes_it_panic() {
    try_parser(
        "dcsa-2",
        &[
            "dcsa-2",
            "known-wrong",
            "msc",
            "cma-cgm",
            "hmm",
            "hapag-lloyd",
        ],
    );
}

#[test]
fn no_mutated_message_of_version_3_makes_it_panic() {
    try_parser("dcsa-3", &["dcsa-3", "maersk-3"]);
}

#[test]
fn no_mutated_message_of_cosco_makes_it_panic() {
    try_parser("cosco", &["cosco"]);
}
