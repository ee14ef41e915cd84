//! Mutated files of both languages: whatever is done to one, nothing panics, and equal bytes are read alike.
//! Commands and seeds are those of [`crate::fuzz`].

use std::panic::{AssertUnwindSafe, catch_unwind};

use sources::edi_drop::{acknowledge, parse};

use super::messages::messages;
use super::{profile, received_at};
use crate::fuzz::{Dice, INPUTS, clock, mutated_with, setting};
use crate::told::gazetteer;

const X12_WORDS: &[&str] = &[
    "*",
    "~",
    ">",
    "~\n",
    "\r\n",
    "\u{feff}",
    "ISA*",
    "GS*QO*",
    "ST*315*",
    "SE*",
    "GE*1*",
    "IEA*1*",
    "B4*",
    "Q5*",
    "N7*",
    "W2*",
    "R4*5*UN*",
    "DTM*140*",
    "V9*",
    "ZC1*",
    "AT7*",
    "BAX*",
    "99999999",
    "2400",
    "0",
    "é",
    "\0",
    "20260230",
    "QSDU2000111",
    "UV",
    "HR",
    "CA",
];
const EDIFACT_WORDS: &[&str] = &[
    "+",
    ":",
    "'",
    "?",
    "??",
    "?'",
    "'\r\n",
    "\u{feff}",
    "UNA:+.? '",
    "UNB+",
    "UNH+1+IFTSTA",
    "UNT+",
    "UNZ+",
    "CNI+",
    "STS+1+",
    "EQD+CN+",
    "LOC+175+",
    "DTM+334:",
    "TDT+20+",
    "RFF+BM:",
    "BGM+34+",
    "99999999",
    "é",
    "\0",
    "20260230",
    "QSDU2000111",
    "139",
    ":203",
];

fn try_language(name: &str, is_of: impl Fn(&[u8]) -> bool, words: &[&str]) {
    let seed = setting("FUZZ_SEED").unwrap_or_else(clock);
    let inputs = setting("FUZZ").unwrap_or(INPUTS);
    println!("{name}: FUZZ_SEED={seed}, {inputs} inputs");
    let files = messages().into_iter().map(|message| message.file);
    let seeds: Vec<Vec<u8>> = files.filter(|file| is_of(file)).collect();
    assert!(seeds.len() >= 20, "{name} has too few seeds");
    let (mut dice, profile, gazetteer) = (Dice(seed), profile(""), gazetteer());
    let mut read = 0u64;
    for input in 0..inputs {
        let bytes = mutated_with(&mut dice, &seeds, words);
        let parse = || parse(&profile, &bytes, received_at(), &gazetteer);
        let answer = || acknowledge(&profile, &bytes, received_at(), &gazetteer);
        let both = || (parse(), (input % 16 == 0).then(answer));
        let Ok((parsed, _)) = catch_unwind(AssertUnwindSafe(both)) else {
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
    }
    assert!(
        read > inputs / 20 && read < inputs,
        "{read} read of {inputs}"
    );
}

#[test]
fn no_mutated_x12_makes_it_panic() {
    try_language("x12", |file| file.windows(2).any(|w| w == b"ST"), X12_WORDS);
}

#[test]
fn no_mutated_edifact_makes_it_panic() {
    try_language(
        "edifact",
        |file| file.windows(3).any(|w| w == b"UNH"),
        EDIFACT_WORDS,
    );
}
