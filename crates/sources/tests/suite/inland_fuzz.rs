//! The readers of terminals, railroads and vessels get mutated messages as those of carriers do ([`fuzz`](crate::fuzz)).

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use crate::fuzz::{Dice, INPUTS, clock, mutated, mutated_with, rebuilt, setting};
use crate::inland::{Profile, messages, profile_of};
use crate::sheets;
use crate::told::gazetteer;

fn try_reader(kinds: &[&str], more: &[Vec<u8>], inputs: u64) {
    let seed = setting("FUZZ_SEED").unwrap_or_else(clock);
    println!("{kinds:?}: FUZZ_SEED={seed}, {inputs} inputs");
    let profiles: Vec<Profile> = kinds.iter().map(|kind| profile_of(kind)).collect();
    let of_kinds = messages()
        .into_iter()
        .filter(|(kind, ..)| kinds.contains(&kind.as_str()));
    let mut seeds: Vec<Vec<u8>> = of_kinds.map(|(.., bytes)| bytes).collect();
    seeds.extend_from_slice(more);
    seeds.retain(|bytes| !bytes.is_empty());
    let is_json = |bytes: &&Vec<u8>| serde_json::from_slice::<Value>(bytes).is_ok();
    let trees: Vec<Vec<u8>> = seeds.iter().filter(is_json).cloned().collect();
    let (mut dice, gazetteer) = (Dice(seed), gazetteer());
    let mut read = 0u64;
    for input in 0..inputs {
        let bytes = match input % 2 {
            0 if !trees.is_empty() => rebuilt(&mut dice, &trees),
            _ => mutated(&mut dice, &seeds),
        };
        let profile = &profiles[dice.below(profiles.len())];
        let parse = || profile.read(&bytes, &gazetteer);
        let Ok(parsed) = catch_unwind(AssertUnwindSafe(parse)) else {
            panic!(
                "FUZZ_SEED={seed}, input {input}: {}",
                String::from_utf8_lossy(&bytes)
            );
        };
        if input % 64 == 0 {
            assert_eq!(parsed, parse(), "FUZZ_SEED={seed}, input {input}");
        }
        read += u64::from(!parsed.reports.is_empty() || !parsed.sightings.is_empty());
    }
    assert!(
        read > inputs / 100,
        "only {read} of {inputs} were read at all"
    );
}

fn inputs() -> u64 {
    setting("FUZZ").unwrap_or(INPUTS)
}

#[test]
fn no_mutated_file_of_a_terminal_makes_it_panic() {
    let kinds = ["availability-sheet", "two-states", "line-days"];
    try_reader(&kinds, &[], inputs());
}

#[test]
fn no_mutated_answer_of_a_terminal_or_railroad_makes_it_panic() {
    try_reader(
        &["portal", "apm-terminals", "bnsf", "up", "cn"],
        &[],
        inputs(),
    );
}

#[test]
fn no_mutated_sighting_of_a_railroad_makes_it_panic() {
    try_reader(&["clm", "clm-narrow"], &[], inputs());
}

#[test]
fn no_mutated_position_of_a_vessel_makes_it_panic() {
    try_reader(&["ais"], &[], inputs());
}

/// What means something to the reader of a sheet.
const CELL_WORDS: &[&str] = &[
    "<row r=\"1\">",
    "</row>",
    "<c r=\"A1\"",
    "<c r=\"XFD1048576\" t=\"s\">",
    "</c>",
    "<v>",
    "</v>",
    "r=\"ZZZZZZZ99999999999\"",
    " t=\"e\"",
    " t=\"n\"",
    " t=\"d\"",
    " s=\"4294967296\"",
    "<si>",
    "<t/>",
    "<is>",
    "-1",
    "0",
    "1e308",
    "-693594",
    "2958466",
    "99999999999",
    "NaN",
    "2026-02-30T24:00:00",
    "&amp;",
    "&#x0;",
    "<!--",
    "<![CDATA[",
    "é",
];

/// Damage to the package is mostly found by its checksums, so half of the inputs are damaged before they are packed.
#[test]
fn no_mutated_spreadsheet_makes_it_panic() {
    without_traces_of_libraries();
    let inputs = inputs();
    try_reader(&["availability-sheet"], &[sheets::sound()], inputs / 2);
    let seed = setting("FUZZ_SEED").unwrap_or_else(clock);
    println!("inside: FUZZ_SEED={seed}");
    let mut dice = Dice(seed);
    let whole = sheets::parts().map(<[u8]>::to_vec);
    assert_eq!(sheets::read_parts(&whole).defects, []);
    let mut read = 0u64;
    for _ in 0..inputs / 2 {
        let mut parts = whole.clone();
        let damaged = dice.below(parts.len());
        parts[damaged] = mutated_with(&mut dice, &whole[damaged..=damaged], CELL_WORDS);
        read += u64::from(!sheets::read_parts(&parts).reports.is_empty());
    }
    assert!(read > inputs / 100, "only {read} of {inputs} were read");
}

/// The reader of spreadsheets falls over some of them, which is caught and makes a defect. What it would print of each
/// takes longer than all else.
fn without_traces_of_libraries() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let ours = panic
            .location()
            .is_none_or(|place| !place.file().contains("calamine"));
        if ours {
            usual(panic);
        }
    }));
}
