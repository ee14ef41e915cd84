//! Answers to files, written and read back.

use edi::edifact::{Action, Answered};
use edi::{Habits, Judgement, Message, Syntax, edifact, x12};

use crate::all;
use crate::round_trip::{edifact_envelope, x12_envelope};

fn group_of(codes: &[(&str, &str)], habits: Habits) -> Vec<u8> {
    let mut outgoing = x12::Outgoing::begin(x12_envelope("77"), Syntax::X12, habits);
    for (code, control) in codes {
        outgoing.set(code, control, |writer| {
            writer.segment("B4", &["", "", "VD"]);
        });
    }
    outgoing.finish()
}

fn judge(message: &Message<'_>) -> Judgement {
    match message.header.map(|header| header.text(1)).as_deref() {
        Some("315") => Judgement::Usable,
        Some("322") => Judgement::Unusable,
        _ => Judgement::Unsupported,
    }
}

fn answered(file: &[u8]) -> Vec<x12::Answer> {
    let answer = x12::acknowledge(file, "20261104", "0800", judge).unwrap();
    let (messages, notes) = all(x12::read(&answer).unwrap());
    assert_eq!(notes, []);
    assert!(messages.iter().all(|message| message.notes.is_empty()));
    let isa = messages[0].interchange.unwrap();
    assert_eq!(
        (isa.text(6), isa.text(8)),
        ("FORWARDER".into(), "LINEONE".into())
    );
    assert_eq!((isa.text(5), isa.text(7)), ("02".into(), "ZZ".into()));
    assert_eq!(messages[0].group.unwrap().text(1), "FA");
    messages
        .iter()
        .map(|message| x12::answer(message).unwrap())
        .collect()
}

#[test]
fn a_good_group_is_accepted() {
    let file = group_of(&[("315", "0001"), ("315", "0002")], Habits::default());
    let answer = &answered(&file)[0];
    assert_eq!(
        (answer.functional_code.as_str(), answer.control.as_str()),
        ("QO", "77")
    );
    assert_eq!(answer.verdict, "A");
    assert_eq!(
        (answer.included, answer.received, answer.accepted),
        (Some(2), Some(2), Some(2))
    );
    let sets: Vec<_> = answer
        .sets
        .iter()
        .map(|s| (s.control.as_str(), s.verdict.as_str()))
        .collect();
    assert_eq!(sets, [("0001", "A"), ("0002", "A")]);
}

#[test]
fn wrong_counts_are_accepted_with_errors() {
    let habits = Habits {
        miscounted: true,
        ..Habits::default()
    };
    let answer = &answered(&group_of(&[("315", "0001")], habits))[0];
    assert_eq!((answer.verdict.as_str(), answer.included), ("E", Some(2)));
    assert_eq!(answer.sets[0].verdict, "E");
    assert_eq!(answer.sets[0].errors, ["4"]);
    let other = group_of(&[("315", "0001")], Habits::default());
    let other = String::from_utf8(other)
        .unwrap()
        .replace("SE*3*0001", "SE*3*0009");
    assert_eq!(answered(other.as_bytes())[0].sets[0].errors, ["3"]);
}

#[test]
fn what_cannot_be_used_is_rejected_and_the_rest_is_not() {
    let file = group_of(
        &[("315", "1"), ("322", "2"), ("850", "3")],
        Habits::default(),
    );
    let answer = &answered(&file)[0];
    assert_eq!((answer.verdict.as_str(), answer.accepted), ("P", Some(1)));
    let sets: Vec<_> = answer
        .sets
        .iter()
        .map(|s| (s.verdict.as_str(), s.errors.clone()))
        .collect();
    assert_eq!(
        sets,
        [
            ("A", vec![]),
            ("R", vec!["5".to_owned()]),
            ("R", vec!["1".to_owned()])
        ]
    );
    assert_eq!(
        answered(&group_of(&[("850", "3")], Habits::default()))[0].verdict,
        "R"
    );
}

#[test]
fn acknowledgements_and_bare_sets_are_not_answered() {
    let answer = x12::acknowledge(
        &group_of(&[("315", "1")], Habits::default()),
        "20261104",
        "0800",
        judge,
    );
    assert_eq!(
        x12::acknowledge(&answer.unwrap(), "20261104", "0800", judge),
        None
    );
    let bare = Habits {
        bare: true,
        ..Habits::default()
    };
    assert_eq!(
        x12::acknowledge(&group_of(&[("315", "1")], bare), "20261104", "0800", judge),
        None
    );
    assert_eq!(x12::acknowledge(b"<html>", "20261104", "0800", judge), None);
}

#[test]
fn each_interchange_gets_its_own_answer() {
    let mut file = group_of(&[("315", "1")], Habits::default());
    let second = group_of(
        &[("315", "9")],
        Habits {
            line_end: "\r\n",
            ..Habits::default()
        },
    );
    file.extend(second);
    let answers = answered(&file);
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[1].sets[0].control, "9");
}

fn interchange(asks: bool, kinds: &[&str]) -> Vec<u8> {
    let envelope = edifact::Envelope {
        asks_for_answer: asks,
        ..edifact_envelope("A7")
    };
    let mut outgoing = edifact::Outgoing::begin(envelope, Syntax::EDIFACT, Habits::default());
    for (number, kind) in (1..).zip(kinds) {
        outgoing.message(&number.to_string(), &[kind, "D", "99B", "UN"], |writer| {
            writer.segment("BGM", &["23"]);
        });
    }
    outgoing.finish()
}

fn judge_edifact(message: &Message<'_>) -> Judgement {
    match message.header.map(|h| h.component(2, 1)).as_deref() {
        Some("IFTSTA") => Judgement::Usable,
        _ => Judgement::Unsupported,
    }
}

#[test]
fn a_contrl_tells_message_by_message() {
    let file = interchange(true, &["IFTSTA", "ORDERS"]);
    let answer =
        edifact::acknowledge(&file, "261104", "0800", Answered::Asking, judge_edifact).unwrap();
    let (messages, notes) = all(edifact::read(&answer).unwrap());
    assert_eq!(notes, []);
    let unb = messages[0].interchange.unwrap();
    assert_eq!(
        (unb.component(2, 1), unb.component(3, 1)),
        ("FORWARDER".into(), "LINEONE".into())
    );
    let answer = edifact::answer(&messages[0]).unwrap();
    assert_eq!(
        (
            answer.control.as_str(),
            answer.sender.as_str(),
            answer.action
        ),
        ("A7", "LINEONE", Action::Acknowledged)
    );
    let told: Vec<_> = answer
        .messages
        .iter()
        .map(|m| (m.kind.as_str(), m.action, m.error.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("IFTSTA", Action::Acknowledged, ""),
            ("ORDERS", Action::Rejected, "14")
        ]
    );
}

#[test]
fn only_who_asks_is_answered_unless_all_are() {
    let file = interchange(false, &["IFTSTA"]);
    let answer = |answered| edifact::acknowledge(&file, "261104", "0800", answered, judge_edifact);
    assert_eq!(answer(Answered::Asking), None);
    let all_of_it = answer(Answered::All).unwrap();
    assert_eq!(
        edifact::acknowledge(&all_of_it, "261104", "0800", Answered::All, judge_edifact),
        None
    );
}
