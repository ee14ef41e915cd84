//! What senders are answered.

use edi::edifact::Action;
use edi::{edifact, x12};
use sources::edi_drop::acknowledge;

use super::{edifact_file, profile, received_at, x12_file};
use crate::told::gazetteer;

const GOOD: &str = "B4***VD*20260301*0700**QSDU*200011*L**CNSHA*UN";

fn answer(more: &str, file: &[u8]) -> Option<Vec<u8>> {
    acknowledge(&profile(more), file, received_at(), &gazetteer())
}

fn set_answer(file: &[u8]) -> x12::SetAnswer {
    let bytes = answer("", file).unwrap();
    let message = x12::read(&bytes).unwrap().next().unwrap();
    x12::answer(&message).unwrap().sets.remove(0)
}

#[test]
fn a_997_says_what_became_of_each_set() {
    assert_eq!(set_answer(&x12_file("315", GOOD)).verdict, "A");
    let miscounted = String::from_utf8(x12_file("315", GOOD))
        .unwrap()
        .replace("SE*3", "SE*30");
    assert_eq!(set_answer(miscounted.as_bytes()).verdict, "E");
    assert_eq!(set_answer(&x12_file("315", "B4***VD")).verdict, "R");
    assert_eq!(set_answer(&x12_file("850", "BEG*00")).errors, ["1"]);
}

#[test]
fn a_contrl_is_for_those_who_ask() {
    let file = edifact_file(
        "CODECO",
        "BGM+34+1+9\nEQD+CN+QSDU2000111+45G1++3+4\nDTM+7:202603010700:203\nLOC+165+USLAX:139:6",
    );
    assert_eq!(answer("", &file), None);
    let asking = String::from_utf8(file.clone())
        .unwrap()
        .replacen("+Q41'", "+Q41++++1'", 1);
    for bytes in [
        answer("", asking.as_bytes()),
        answer("acknowledge = \"always\"", &file),
    ] {
        let bytes = bytes.unwrap();
        let message = edifact::read(&bytes).unwrap().next().unwrap();
        let told = edifact::answer(&message).unwrap();
        assert_eq!(
            (told.control.as_str(), told.action),
            ("Q41", Action::Acknowledged)
        );
        assert_eq!(told.messages[0].action, Action::Acknowledged);
    }
}

#[test]
fn nobody_is_answered_who_must_not_be() {
    assert_eq!(
        answer("acknowledge = \"never\"", &x12_file("315", GOOD)),
        None
    );
    assert_eq!(answer("", b"<html>"), None);
    let own = answer("", &x12_file("315", GOOD)).unwrap();
    assert_eq!(
        answer("acknowledge = \"always\"", &own),
        None,
        "an answer is not answered"
    );
    let twice = answer("", &x12_file("315", GOOD)).unwrap();
    assert_eq!(own, twice, "one file, one answer");
}
