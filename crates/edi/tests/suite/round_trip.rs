//! What is written is read again, whatever the separators, the habits and the values.

use edi::{Habits, Syntax, Writer, edifact, x12};
use proptest::prelude::*;

use crate::all;

type Segment = (String, Vec<Vec<String>>);

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[A-Z0-9]{0,6}",
        2 => "[ -~]{0,8}",
        1 => "[ -~äöüŞ]{0,8}",
    ]
}

fn segment() -> impl Strategy<Value = Segment> {
    let tag = "[A-Z][A-Z0-9]{1,2}".prop_filter("an envelope", |tag| {
        let envelope = ["ISA", "IEA", "GS", "GE", "ST", "SE"];
        !envelope.contains(&tag.as_str()) && !tag.starts_with("UN")
    });
    let element = prop::collection::vec(value(), 1..4);
    (tag, prop::collection::vec(element, 0..7))
}

fn bodies() -> impl Strategy<Value = Vec<Vec<Segment>>> {
    prop::collection::vec(prop::collection::vec(segment(), 1..6), 1..4)
}

/// Five different bytes that are no part of words.
fn syntax(release: bool) -> impl Strategy<Value = Syntax> {
    let bytes: Vec<u8> = b"!#$%&'()*+,/:;<=>?@[]^_`{|}~\x1c\x1d\x1f".to_vec();
    Just(bytes).prop_shuffle().prop_map(move |bytes| Syntax {
        element: bytes[0],
        component: bytes[1],
        repetition: Some(bytes[2]),
        release: release.then_some(bytes[3]),
        terminator: bytes[4],
    })
}

fn habits() -> impl Strategy<Value = Habits> {
    (
        prop::sample::select(vec!["", "\n", "\r\n"]),
        any::<[bool; 3]>(),
    )
        .prop_map(|(line_end, [byte_order_mark, trimmed, declared])| Habits {
            line_end,
            byte_order_mark,
            trimmed,
            declared,
            ..Habits::default()
        })
}

fn write(writer: &mut Writer, segments: &[Segment]) {
    for (tag, elements) in segments {
        let borrowed: Vec<Vec<&str>> = elements
            .iter()
            .map(|components| components.iter().map(String::as_str).collect())
            .collect();
        let slices: Vec<&[&str]> = borrowed.iter().map(Vec::as_slice).collect();
        writer.composite(tag, &slices);
    }
}

/// What a reader should see of a value: no space around it; in X12 a space for each separator.
fn seen(value: &str, syntax: Syntax) -> String {
    let plain: String = match syntax.release {
        Some(_) => value.to_owned(),
        None => value
            .chars()
            .map(|c| match u8::try_from(c) {
                Ok(byte) if byte.is_ascii() && syntax.is_special(byte) => ' ',
                _ => c,
            })
            .collect(),
    };
    plain
        .trim_matches(|c: char| c.is_ascii_whitespace())
        .to_owned()
}

fn expect_same(
    messages: &[edi::Message<'_>],
    bodies: &[Vec<Segment>],
    syntax: Syntax,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(messages.len(), bodies.len());
    for (message, body) in messages.iter().zip(bodies) {
        prop_assert!(message.notes.is_empty(), "{:?}", message.notes);
        prop_assert_eq!(message.body.len(), body.len());
        for (segment, (tag, elements)) in message.body.iter().zip(body) {
            prop_assert_eq!(segment.tag(), tag);
            for (number, components) in (1..).zip(elements) {
                for (component, told) in (1..).zip(components) {
                    let read = segment.component(number, component);
                    prop_assert_eq!(read, seen(told, syntax), "{} {} {}", tag, number, component);
                }
            }
        }
    }
    Ok(())
}

pub fn x12_envelope(control: &str) -> x12::Envelope {
    x12::Envelope {
        sender: ["ZZ".into(), "LINEONE".into()],
        receiver: ["02".into(), "FORWARDER".into()],
        date: "20261103".into(),
        time: "0915".into(),
        control: control.into(),
        functional_code: "QO".into(),
        version: "004010".into(),
    }
}

pub fn edifact_envelope(control: &str) -> edifact::Envelope {
    edifact::Envelope {
        sender: ["LINEONE".into(), "ZZZ".into()],
        receiver: ["FORWARDER".into(), String::new()],
        date: "261103".into(),
        time: "0915".into(),
        control: control.into(),
        asks_for_answer: true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn x12(bodies in bodies(), syntax in syntax(false), habits in habits()) {
        let mut outgoing = x12::Outgoing::begin(x12_envelope("77"), syntax, habits);
        for (number, body) in bodies.iter().enumerate() {
            outgoing.set("315", &format!("{number:04}"), |writer| write(writer, body));
        }
        let file = outgoing.finish();
        let (messages, notes) = all(x12::read(&file).unwrap());
        prop_assert!(notes.is_empty(), "{:?}", notes);
        expect_same(&messages, &bodies, syntax)?;
        prop_assert_eq!(messages[0].interchange.unwrap().text(6), "LINEONE");
        prop_assert_eq!(messages[0].syntax_of_body(), Some(syntax.terminator));
    }

    #[test]
    fn edifact(bodies in bodies(), syntax in syntax(true), habits in habits()) {
        let mut outgoing = edifact::Outgoing::begin(edifact_envelope("77"), syntax, habits);
        for (number, body) in bodies.iter().enumerate() {
            outgoing.message(&number.to_string(), &["IFTSTA", "D", "99B", "UN"], |w| write(w, body));
        }
        let file = outgoing.finish();
        let (messages, notes) = all(edifact::read(&file).unwrap());
        prop_assert!(notes.is_empty(), "{:?}", notes);
        expect_same(&messages, &bodies, syntax)?;
    }

    /// What was read and is written again is read the same.
    #[test]
    fn a_reading_written_again_is_the_same(bodies in bodies(), syntax in syntax(true)) {
        let mut outgoing = edifact::Outgoing::begin(edifact_envelope("1"), syntax, Habits::default());
        outgoing.message("1", &["CODECO"], |writer| write(writer, &bodies[0]));
        let first = outgoing.finish();
        let mut again = Writer::new(syntax, Habits::default());
        again.raw(&first[..9]);
        let (messages, _) = all(edifact::read(&first).unwrap());
        for segment in messages[0].interchange.iter().chain(&messages[0].header).chain(&messages[0].body).chain(&messages[0].trailer) {
            let told: Vec<Vec<String>> = segment.elements()
                .map(|element| element.components().map(std::borrow::Cow::into_owned).collect())
                .collect();
            write(&mut again, &[(segment.tag().to_owned(), told)]);
        }
        let again = again.finish();
        let (second, _) = all(edifact::read(&again).unwrap());
        prop_assert_eq!(crate::bodies(&second), crate::bodies(&messages));
    }
}

trait Body {
    fn syntax_of_body(&self) -> Option<u8>;
}

impl Body for edi::Message<'_> {
    fn syntax_of_body(&self) -> Option<u8> {
        self.body.first().map(|segment| segment.syntax().terminator)
    }
}
