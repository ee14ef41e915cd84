//! Whatever stands in a message, what is read of it can be kept and shown.

use std::sync::LazyLock;

use domain::place::Gazetteer;
use sources::{Parsed, Profile, Told};

use crate::told::{gazetteer, messages_in, received_at};

const EDI: &str = "id = \"hub\"\nprotocol = \"edi\"";
const DCSA: &str = "id = \"line\"\nprotocol = \"dcsa-2\"\nscac = \"QSDL\"\n[endpoint]\nbase = \"https://line.invalid\"";

static GAZETTEER: LazyLock<Gazetteer> = LazyLock::new(gazetteer);

/// A reading at once, and the same in parts.
fn read(profile: &str, message: &[u8]) -> [Parsed; 2] {
    let profile = Profile::parse(profile).unwrap();
    let whole = profile.read(message, received_at(), &GAZETTEER);
    let mut parts = Parsed::default();
    profile.read_in_parts(
        Told::Unasked,
        message,
        received_at(),
        &GAZETTEER,
        &mut |part| {
            parts.reports.extend(part.reports);
            parts.defects.extend(part.defects);
        },
    );
    [whole, parts]
}

/// Says nothing that a store refuses, a terminal obeys or a reader scrolls through.
fn assert_plain(name: &str, parsed: &Parsed) {
    // A reason may quote a character as it is written in a program; that is no such character.
    let shown = format!("{parsed:?}").replace("\\\\", "/");
    for sign in ["\\0", "\\u{1}", "\\u{1b}", "\\u{9b}", "\\u{85}"] {
        assert!(!shown.contains(sign), "{name}: {sign} in {shown}");
    }
    let longest = shown.split('"').map(str::len).max();
    assert!(longest < Some(2_000), "{name}: {longest:?}");
}

#[test]
fn a_code_with_a_zero_byte_costs_nothing_of_its_message() {
    let event = |id: &str, code: &str| {
        serde_json::json!({
            "eventID": id, "eventType": "EQUIPMENT", "eventClassifierCode": "ACT",
            "eventDateTime": "2026-03-10T12:00:00+08:00", "equipmentEventTypeCode": code,
            "equipmentReference": "QSDU2000105", "transportCall": {"UNLocationCode": "CNNGB"},
        })
    };
    let message = serde_json::json!([event("a", "LOAD"), event("b", "XX\0\u{1b}[2J\u{9b}2J")]);
    for parsed in read(DCSA, message.to_string().as_bytes()) {
        assert_eq!(parsed.reports.len(), 2);
        assert_eq!(parsed.reports[1].report.original, "EQUIPMENT/XX[2J2J");
        assert_plain("the event", &parsed);
    }
}

#[test]
fn no_element_of_an_edi_set_brings_a_control_character_along() {
    let x12 = "ISA*00*          *00*          *ZZ*QSELINE        *ZZ*QSEUSER        *260314*0600*U*00401*000000041*0*P*>~\
        GS*QO*QSELINE*QSEUSER*20260314*0600*41*X*004010~\
        ST*315*0001~B4***UV*20260310*0124**QSDU*200011*L*45G1*USLAX*UN*1~N9*BM*QSEB91~N9*BN*QSEK1~N9*SN*SEAL1~\
        Q2*9321483*XX**20260220***21500*K*221E***L*QUAY PIONEER~R4*L*UN*CNSHA*SHANGHAI*CN~DTM*140*20260220*0700~\
        R4*D*UN*USLAX*LOS ANGELES*US~R4*5*UN*USLAX*LOS ANGELES*US~SE*11*0001~GE*1*41~IEA*1*000000041~";
    let edifact = "UNB+UNOA:2+A+B+260314:0600+Q1'UNH+1+CODECO:D:95B:UN:SMDG20'BGM+34+G600+9'\
        TDT+20+221E+1++QSDU:172:20+++9321483:146:11:QUAY PIONEER'NAD+CA+QSDU:160:20'EQD+CN+QSDU2000111+45G1:102:5++3+5'\
        RFF+BN:QSEK600'DTM+7:202603100930:203'LOC+165+USLAX:139:6+TRAP:TER:ZZZ'SEL+SEAL77+CA'UNT+10+1'UNZ+1+Q1'";
    let long = "W".repeat(20_000);
    for (text, first, end) in [(x12, "B4*", ['*', '~']), (edifact, "BGM+", ['+', '\''])] {
        assert_eq!(read(EDI, text.as_bytes())[0].defects, []);
        let mut claims = 0;
        let (head, body) = text.split_at(text.find(first).unwrap());
        for bad in ["\0", "\u{1b}[2J", "\u{85}", &long] {
            for (place, _) in body.match_indices(end) {
                let (before, after) = body.split_at(place);
                let parsed = &read(EDI, format!("{head}{before}{bad}{after}").as_bytes())[0];
                claims += parsed.reports.len();
                assert_plain(text, parsed);
            }
        }
        assert!(claims > 50, "{claims}");
    }
}

#[test]
fn no_text_of_an_answer_brings_a_control_character_along() {
    for (kind, name, bytes) in messages_in("tests/messages") {
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        for bad in ["\\u0000", "\\u001b[2J", "\u{9b}"] {
            // Into the end of every text that is a value.
            let text = text.replace("\",", &format!("{bad}\","));
            let text = text.replace("\"\n", &format!("{bad}\"\n"));
            let parsed = &read(DCSA, text.as_bytes())[0];
            assert_plain(&format!("{kind}/{name}"), parsed);
        }
    }
}
