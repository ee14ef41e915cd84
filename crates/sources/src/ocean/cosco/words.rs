//! Sentences to moves.

use domain::report::{Mode, MoveHint, Verb};

/// What a sentence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) verb: Verb,
    pub(super) laden: Option<bool>,
    pub(super) mode: Option<Mode>,
    pub(super) hint: Option<MoveHint>,
}

/// The move of a sentence; none when it is in no table. Where a part of it is enough, only that is compared:
/// the same move is written with and without dashes, as `Gate-In` and `Gate in`.
pub(super) fn of(sentence: &str) -> Option<Move> {
    let words = sentence.to_ascii_uppercase().replace('-', " ");
    let says = |part: &str| words.contains(part);
    let verb = match () {
        () if says("EMPTY") && (says("DESPATCH") || says("DISPATCH")) => Verb::GateOut,
        () if says("EMPTY") && says("RETURN") => Verb::GateIn,
        () if says("CARGO RECEIVED") => Verb::Document,
        () if says("GATE IN") => Verb::GateIn,
        () if says("GATE OUT") => Verb::GateOut,
        () if says("DISCHARGED") || says("UNLOADED") => Verb::Discharge,
        () if says("LOADED") => Verb::Load,
        () if says("DEPART") => Verb::Depart,
        () if says("ARRIV") => Verb::Arrive,
        () if says("STUFF") => Verb::Stuff,
        () if says("STRIP") => Verb::Strip,
        () if says("AVAILABLE") => Verb::Available,
        () => return None,
    };
    let empty = says("EMPTY");
    let on_quay = says(" POL") || says(" POD");
    let by_ship = matches!(
        verb,
        Verb::Load | Verb::Discharge | Verb::Arrive | Verb::Depart
    ) && on_quay;
    let moved = matches!(
        verb,
        Verb::GateIn | Verb::GateOut | Verb::Load | Verb::Discharge
    );
    Some(Move {
        verb,
        laden: moved.then_some(!empty),
        mode: by_ship.then_some(Mode::Vessel),
        hint: hint(&words).filter(|_| !empty),
    })
}

fn hint(words: &str) -> Option<MoveHint> {
    let says = |part: &str| words.contains(part);
    match () {
        () if says("T/S") || says("TRANSSHIP") || says("TRANSHIP") => Some(MoveHint::Transshipment),
        () if says("FIRST POL") => Some(MoveHint::Export),
        () if says("LAST POD") || says("FINAL") => Some(MoveHint::Import),
        () => None,
    }
}

/// The means of transport by the carrier's word; a blank is none.
pub(super) fn mode(word: &str) -> Option<Mode> {
    match word.trim().to_ascii_uppercase().as_str() {
        "VESSEL" => Some(Mode::Vessel),
        "BARGE" | "FEEDER" => Some(Mode::Barge),
        "RAIL" | "TRAIN" => Some(Mode::Rail),
        "TRUCK" | "ROAD" => Some(Mode::Truck),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences() {
        let rows = [
            (
                "Empty Equipment Despatched",
                Verb::GateOut,
                Some(false),
                None,
                None,
            ),
            (
                "Gate-In at First POL",
                Verb::GateIn,
                Some(true),
                None,
                Some(MoveHint::Export),
            ),
            ("Cargo Received", Verb::Document, None, None, None),
            (
                "Loaded at First POL",
                Verb::Load,
                Some(true),
                Some(Mode::Vessel),
                Some(MoveHint::Export),
            ),
            (
                "Discharged at T/S POD",
                Verb::Discharge,
                Some(true),
                Some(Mode::Vessel),
                Some(MoveHint::Transshipment),
            ),
            (
                "LOADED AT T/S POL",
                Verb::Load,
                Some(true),
                Some(Mode::Vessel),
                Some(MoveHint::Transshipment),
            ),
            (
                "Discharged at Last POD",
                Verb::Discharge,
                Some(true),
                Some(Mode::Vessel),
                Some(MoveHint::Import),
            ),
            (
                "Gate-out from Last POD",
                Verb::GateOut,
                Some(true),
                None,
                Some(MoveHint::Import),
            ),
            (
                "Gate-in at Final Hub",
                Verb::GateIn,
                Some(true),
                None,
                Some(MoveHint::Import),
            ),
            (
                "Empty Equipment Returned",
                Verb::GateIn,
                Some(false),
                None,
                None,
            ),
        ];
        for (sentence, verb, laden, mode, hint) in rows {
            let expected = Move {
                verb,
                laden,
                mode,
                hint,
            };
            assert_eq!(of(sentence), Some(expected), "{sentence}");
        }
        assert_eq!(of("Rolled to the next sailing"), None);
        assert_eq!(mode(" "), None);
        assert_eq!(mode("rail"), Some(Mode::Rail));
    }
}
