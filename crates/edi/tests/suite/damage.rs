//! Damage: nothing panics, and what is not damaged is read as before.

use edi::{Dialect, Habits, Syntax, edifact, x12};
use proptest::prelude::*;

use crate::round_trip::{edifact_envelope, x12_envelope};
use crate::{all, bodies};

const SETS: usize = 5;

fn x12_file(habits: Habits) -> Vec<u8> {
    let mut outgoing = x12::Outgoing::begin(x12_envelope("77"), Syntax::X12, habits);
    for number in 0..SETS {
        outgoing.set("315", &format!("{number:04}"), |writer| {
            writer.segment("B4", &["", "", "VD", "20261103", &number.to_string()]);
            writer.segment("N9", &["BM", "LONE12345"]);
            writer.segment("R4", &["L", "UN", "CNSHA", "SHANGHAI"]);
        });
    }
    outgoing.finish()
}

fn edifact_file(habits: Habits) -> Vec<u8> {
    let mut outgoing = edifact::Outgoing::begin(edifact_envelope("77"), Syntax::EDIFACT, habits);
    for number in 0..SETS {
        outgoing.message(
            &number.to_string(),
            &["IFTSTA", "D", "99B", "UN"],
            |writer| {
                writer.segment("BGM", &["23", &number.to_string()]);
                writer.composite("RFF", &[&["BM", "LONE'12+34?5"]]);
                writer.composite("LOC", &[&["9"], &["CNSHA", "139", "6"]]);
            },
        );
    }
    outgoing.finish()
}

/// First and last byte of each message, both envelope segments included.
fn spans(file: &[u8], dialect: &'static Dialect) -> Vec<(usize, usize)> {
    let (messages, _) = all(edi::Reader::open(file, dialect).unwrap());
    messages
        .iter()
        .map(|message| {
            let trailer = message.trailer.unwrap();
            let end = trailer.place.offset + trailer.bytes().len();
            (message.place().offset, end)
        })
        .collect()
}

/// All messages but one.
fn without(mut bodies: Vec<Vec<String>>, sick: usize) -> Vec<Vec<String>> {
    bodies.remove(sick);
    bodies
}

fn others_stand(
    file: &[u8],
    damaged: &[u8],
    sick: usize,
    dialect: &'static Dialect,
) -> Result<(), TestCaseError> {
    let (whole, _) = all(edi::Reader::open(file, dialect).unwrap());
    let (left, _) = all(edi::Reader::open(damaged, dialect).unwrap());
    let left = bodies(&left);
    for other in without(bodies(&whole), sick) {
        prop_assert!(left.contains(&other), "{:?} is gone from {:?}", other, left);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for dialect in [&x12::DIALECT, &edifact::DIALECT] {
            if let Ok(reader) = edi::Reader::open(&bytes, dialect) {
                bodies(&all(reader).0);
            }
        }
    }

    #[test]
    fn no_words_of_the_language_make_it_panic(text in "(ISA|GS|ST|SE|GE|IEA|UNA|UNB|UNH|UNT|[*+:~'? >\n]|[A-Z0-9]){0,60}") {
        for dialect in [&x12::DIALECT, &edifact::DIALECT] {
            if let Ok(reader) = edi::Reader::open(text.as_bytes(), dialect) {
                bodies(&all(reader).0);
            }
        }
    }

    /// One byte of one message is overwritten, its own end included; all others are read as before.
    #[test]
    fn a_byte_overwritten_costs_its_message(sick in 0..SETS, at in any::<prop::sample::Index>(), with in any::<u8>(), edifact in any::<bool>()) {
        let (file, dialect) = file(edifact);
        let (from, to) = spans(&file, dialect)[sick];
        let mut damaged = file.clone();
        damaged[from + at.index(to - from)] = with;
        others_stand(&file, &damaged, sick, dialect)?;
    }

    /// A piece of one message is cut out or written twice.
    #[test]
    fn a_piece_lost_or_repeated_costs_its_message(sick in 0..SETS, a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>(), repeat in any::<bool>(), edifact in any::<bool>()) {
        let (file, dialect) = file(edifact);
        let (from, to) = spans(&file, dialect)[sick];
        let (a, b) = (from + a.index(to - from), from + b.index(to - from));
        let (a, b) = (a.min(b), a.max(b));
        let middle: &[u8] = if repeat { &file[a..b] } else { &[] };
        let damaged = [&file[..a + (b - a) * usize::from(repeat)], middle, &file[b..]].concat();
        others_stand(&file, &damaged, sick, dialect)?;
    }
}

fn file(edifact: bool) -> (Vec<u8>, &'static Dialect) {
    let habits = Habits::default();
    if edifact {
        (edifact_file(habits), &edifact::DIALECT)
    } else {
        (x12_file(habits), &x12::DIALECT)
    }
}

#[test]
fn hopeless_files_end() {
    let started = std::time::Instant::now();
    for hopeless in [
        "ISA*".repeat(500_000),
        "?ST*".repeat(500_000),
        "UNB+".repeat(500_000),
        "?UNH+1'".repeat(300_000),
        format!("ST*315*1~{}", "B4*~".repeat(600_000)),
        format!("UNH+1'{}", "?".repeat(2_000_000)),
    ] {
        for dialect in [&x12::DIALECT, &edifact::DIALECT] {
            if let Ok(reader) = edi::Reader::open(hopeless.as_bytes(), dialect) {
                let (messages, notes) = all(reader);
                assert!(notes.len() <= edi::NOTES_MAX);
                assert!(
                    messages
                        .iter()
                        .all(|m| m.body.len() <= edi::SEGMENTS_PER_MESSAGE_MAX)
                );
            }
        }
    }
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
