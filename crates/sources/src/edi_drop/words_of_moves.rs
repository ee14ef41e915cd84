//! What the text beside a status code names: `GATE OUT`, `OFFLOADED FROM VESSEL`.
//!
//! Many write X12's letters under a list of their own, and some mean something else by them. Their text tells which: a letter whose
//! text names other moves and not its own is none of X12's. So a word counts only where it names a move; `LOADED` beside a gate is
//! how full the box is, and the discharge in `PORT OF DISCHARGE` is a place.

use domain::report::Verb;

/// How words begin, and the moves that they may mean.
const MOVES: &[(&str, &[Verb])] = &[
    ("ARRIV", &[Verb::Arrive, Verb::GateIn]),
    (DELIVERED, &[Verb::Dropoff]),
    ("DEPART", &[Verb::Depart, Verb::GateOut]),
    ("DISCHARG", &[Verb::Discharge, Verb::Dropoff]),
    ("DELOAD", &[Verb::Discharge, Verb::Dropoff]),
    ("OFFLOAD", &[Verb::Discharge, Verb::Dropoff]),
    ("SAILED", &[Verb::Depart]),
    ("UNLOAD", &[Verb::Discharge, Verb::Dropoff]),
];
const LOADED: &str = "LOADED";
const DELIVERED: &str = "DELIVERED";
/// Where a box that is delivered comes in through a gate.
const YARDS: &[&str] = &["DEPOT", "PIER", "PORT", "RAMP", "TERMINAL", "YARD"];
/// The two words of a gate, in either order, and in one.
const GATES: &[(&str, Verb)] = &[("IN", Verb::GateIn), ("OUT", Verb::GateOut)];

/// Whether a text names moves, and this is none of them, or says that something was not done.
pub(super) fn deny(text: &str, verb: Verb) -> bool {
    let upper = text.to_ascii_uppercase();
    let words = upper.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    // `NOT LOADED - ROLLED`.
    if words.contains(&"NOT") {
        return true;
    }
    let gates = gates(&words);
    // What the place is of, and no move: `PORT OF DISCHARGE`.
    let before = std::iter::once("").chain(words.iter().copied());
    let moves = words
        .iter()
        .zip(before)
        .filter(|(_, before)| *before != "OF");
    let mut named: Vec<Verb> = Vec::new();
    for (word, _) in moves {
        let told = MOVES.iter().filter(|(start, _)| word.starts_with(start));
        named.extend(told.flat_map(|(_, verbs)| *verbs));
        if *word == DELIVERED && words.iter().any(|word| YARDS.contains(word)) {
            named.push(Verb::GateIn);
        }
        if *word == LOADED && gates.is_empty() {
            named.push(Verb::Load);
        }
    }
    named.extend(gates);
    !named.is_empty() && !named.contains(&verb)
}

/// The gates that it names.
fn gates(words: &[&str]) -> Vec<Verb> {
    let is_gate = |word: &str| matches!(word, "GATE" | "GATED");
    let pairs = words.windows(2).filter_map(|pair| match pair {
        [gate, way] | [way, gate] if is_gate(gate) => Some(*way),
        _ => None,
    });
    let ways = words.iter().filter_map(|word| {
        let behind = word
            .strip_prefix("GATED")
            .or_else(|| word.strip_prefix("GATE"));
        let before = || {
            word.strip_suffix("GATED")
                .or_else(|| word.strip_suffix("GATE"))
        };
        behind.filter(|way| !way.is_empty()).or_else(before)
    });
    let named = pairs.chain(ways);
    named
        .filter_map(|way| GATES.iter().find(|(word, _)| *word == way))
        .map(|(_, verb)| *verb)
        .collect()
}
