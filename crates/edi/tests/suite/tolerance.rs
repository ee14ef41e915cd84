//! Files as they really come.

use edi::{Flaw, SEGMENT_BYTES_MAX, edifact, x12};

use crate::{all, bodies};

const ISA: &str = "ISA*00*          *00*          *ZZ*LINEONE        *02*FORWARDER      *261103*0915*U*00401*000000077*0*P*>~";

fn x12_file(isa: &str, terminator: &str) -> String {
    let inner = "GS*QO*LINEONE*FORWARDER*20261103*0915*77*X*004010~ST*315*0001~B4***VD*20261103~R4*L*UN*CNSHA~SE*4*0001~GE*1*77~IEA*1*000000077~";
    format!("{isa}{inner}").replace('~', terminator)
}

fn expected() -> Vec<Vec<String>> {
    vec![vec!["B4|||VD|20261103".into(), "R4|L|UN|CNSHA".into()]]
}

#[test]
fn x12_envelopes_of_all_sorts_read_the_same() {
    let trimmed = "ISA*00**00**ZZ*LINEONE*02*FORWARDER*261103*0915*U*00401*77*0*P*>~";
    let short = "ISA*00* *00* *ZZ*LINEONE*ZZ*FORWARDER*261103*0915*U*00401*000000077*0*P~";
    let files = [
        x12_file(ISA, "~"),
        x12_file(ISA, "~\n"),
        x12_file(ISA, "~\r\n"),
        x12_file(ISA, "\n"),
        x12_file(ISA, "\r\n"),
        x12_file(ISA, "\x1c"),
        x12_file(ISA, "~").replace('*', "|"),
        x12_file(ISA, "~").replace('*', "\x1d"),
        x12_file(trimmed, "~"),
        x12_file(trimmed, "~\r\n"),
        x12_file(trimmed, "\n"),
        format!("\u{feff}{}", x12_file(ISA, "~")),
        format!("\r\n  {}", x12_file(ISA, "~")),
        format!("{}\x1a", x12_file(ISA, "~\r\n")),
        format!("From: line@example.com\n\n{}", x12_file(ISA, "~")),
        x12_file(short, "~"),
        x12_file("", "~"),
        x12_file("", "\n"),
        x12_file(&ISA.replace("*U*", "*^*"), "~"),
    ];
    for file in files {
        let (messages, _) = all(x12::read(file.as_bytes()).unwrap());
        assert_eq!(bodies(&messages), expected(), "{file:?}");
    }
    let (_, notes) = all(x12::read(x12_file(ISA, "~").as_bytes()).unwrap());
    assert_eq!(notes, []);
}

#[test]
fn one_file_may_hold_interchanges_with_other_separators() {
    let file = format!(
        "{}{}\r\n{}",
        x12_file(ISA, "~"),
        x12_file(ISA, "\n").replace('*', "|"),
        x12_file(ISA, "~"),
    );
    let (messages, notes) = all(x12::read(file.as_bytes()).unwrap());
    assert_eq!(messages.len(), 3);
    assert!(bodies(&messages).iter().all(|body| *body == expected()[0]));
    assert_eq!(notes, []);
}

#[test]
fn wrong_counts_and_numbers_are_notes_with_their_place() {
    let file = x12_file(ISA, "~\n")
        .replace("SE*4*0001", "SE*9*0002")
        .replace("GE*1*77", "GE*3*78")
        .replace("IEA*1*", "IEA*x*");
    let (messages, notes) = all(x12::read(file.as_bytes()).unwrap());
    assert_eq!(bodies(&messages), expected());
    let of_set: Vec<String> = messages[0].notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        of_set,
        [
            "segment 6 (line 6 column 1): SE counts \"9\", 4 were read",
            "segment 6 (line 6 column 1): SE closes \"0002\", open is \"0001\"",
        ]
    );
    let outside: Vec<String> = notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        outside,
        [
            "segment 7 (line 7 column 1): GE counts \"3\", 1 were read",
            "segment 7 (line 7 column 1): GE closes \"78\", open is \"77\"",
            "segment 8 (line 8 column 1): IEA counts \"x\", 1 were read",
        ]
    );
}

#[test]
fn what_is_missing_is_told_by_what_comes_next() {
    let whole = x12_file(ISA, "~");
    let two = whole.replace("SE*4*0001~", "ST*315*0002~B4***VA~SE*3*0002~");
    let (messages, _) = all(x12::read(two.as_bytes()).unwrap());
    assert_eq!(messages.len(), 2, "a header closes what is open");
    assert_eq!(messages[0].notes[0].flaw, Flaw::NoTrailer("SE"));
    let headless = whole.replace("ST*315*0001~", "");
    let (messages, _) = all(x12::read(headless.as_bytes()).unwrap());
    assert_eq!(bodies(&messages), expected());
    assert_eq!(messages[0].notes[0].flaw, Flaw::NoHeader("ST"));
    let cut = &whole[..whole.find("SE*").unwrap()];
    let (messages, notes) = all(x12::read(cut.as_bytes()).unwrap());
    assert_eq!(bodies(&messages), expected());
    let flaws: Vec<Flaw> = notes.into_iter().map(|note| note.flaw).collect();
    assert_eq!(flaws, [Flaw::NoTrailer("GE"), Flaw::NoTrailer("IEA")]);
    let stray = whole.replace("GE*1*77~", "GE*1*77~GE*1*77~SE*1*1~");
    let (_, notes) = all(x12::read(stray.as_bytes()).unwrap());
    let flaws: Vec<Flaw> = notes.into_iter().map(|note| note.flaw).collect();
    assert_eq!(
        flaws,
        [Flaw::NothingToClose("GE"), Flaw::NothingToClose("SE")]
    );
}

const MESSAGE: &str = "UNH+1+IFTSTA:D:99B:UN'BGM+23+A?'1'RFF+BM:X?+Y'UNT+4+1'";

fn expected_edifact() -> Vec<Vec<String>> {
    vec![vec!["BGM|23|A'1".into(), "RFF|BM:X+Y".into()]]
}

#[test]
fn edifact_envelopes_of_all_sorts_read_the_same() {
    let unb = "UNB+UNOA:2+LINEONE+FORWARDER+261103:0915+77'";
    let whole = format!("{unb}{MESSAGE}UNZ+1+77'");
    let grouped = format!("{unb}UNG+IFTSTA+A+B+261103:0915+5+UN+D:99B'{MESSAGE}UNE+1+5'UNZ+1+77'");
    let files = [
        whole.clone(),
        whole.replace('\'', "'\n").replace("?'\n", "?'"),
        whole.replace('\'', "'\r\n").replace("?'\r\n", "?'"),
        format!("UNA:+.? '{whole}"),
        format!("UNA:+.? '\r\n{whole}"),
        format!("\u{feff}UNA:+.? '{whole}"),
        format!("junk\n{whole}"),
        MESSAGE.to_owned(),
        format!("\r\n{MESSAGE}"),
        format!("{unb}{MESSAGE}"),
        grouped,
        whole
            .replace("?'", "\u{1}")
            .replace('\'', "~")
            .replace('\u{1}', "?'")
            .replacen("UNB", "UNA:+.? ~UNB", 1),
    ];
    for file in files {
        let (messages, _) = all(edifact::read(file.as_bytes()).unwrap());
        assert_eq!(bodies(&messages), expected_edifact(), "{file:?}");
    }
    let (_, notes) = all(edifact::read(MESSAGE.as_bytes()).unwrap());
    assert_eq!(notes, [], "a bare message is nothing odd");
}

#[test]
fn level_b_has_control_characters_for_separators() {
    let file = "UNB\x1dUNOB\x1f2\x1dA\x1dB\x1d261103\x1f0915\x1d7\x1cUNH\x1d1\x1dIFTSTA\x1cBGM\x1d23\x1dIt's 5+5?\x1cUNT\x1d3\x1d1\x1cUNZ\x1d1\x1d7\x1c";
    let (messages, notes) = all(edifact::read(file.as_bytes()).unwrap());
    assert_eq!(bodies(&messages), [["BGM|23|It's 5+5?"]]);
    assert_eq!(notes, []);
}

#[test]
fn what_is_neither_is_refused_with_its_place() {
    let page = "\n\n<html><body>Bad Gateway</body></html>";
    assert_eq!(
        x12::read(page.as_bytes()).unwrap_err().to_string(),
        "line 3 column 1: this is no X12: there is no ISA, GS or ST with separators that could be told"
    );
    for nothing in [
        "",
        "\u{feff}",
        "ISA",
        "ISA*",
        "{\"a\":1}",
        "ISAAC NEWTON",
        "UNA",
    ] {
        assert!(x12::read(nothing.as_bytes()).is_err(), "{nothing:?}");
        assert!(edifact::read(nothing.as_bytes()).is_err(), "{nothing:?}");
    }
}

#[test]
fn a_segment_without_an_end_costs_itself() {
    let whole = x12_file(ISA, "~");
    let long = format!("N9*BM*{}~R4*L", "9".repeat(SEGMENT_BYTES_MAX));
    let file = whole.replace("R4*L", &long);
    let (messages, _) = all(x12::read(file.as_bytes()).unwrap());
    assert_eq!(bodies(&messages), expected());
    assert!(matches!(messages[0].notes[0].flaw, Flaw::TooLong(_)));
}
