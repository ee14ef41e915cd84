//! A long message read in parts says what it says when it is read at once.

use std::fmt::Write as _;

use sources::{Parsed, Profile};

use crate::told::{gazetteer, received_at};

const DCSA: &str = "id = \"line\"\nprotocol = \"dcsa-2\"\nscac = \"QSDL\"\n[endpoint]\nbase = \"https://line.invalid\"";
const EDI: &str = "id = \"hub\"\nprotocol = \"edi\"";
/// Enough for a message that is long.
const EVENTS: u32 = 1_500;

/// One event: some ids are used for two happenings, some are repeated word for word, some records are damaged.
fn event(number: u32) -> String {
    let id = match number % 50 {
        7 => 7,
        8 => number - 1,
        _ => number,
    };
    let at = if number % 50 == 8 { number - 1 } else { number };
    let time = match number % 100 {
        33 => "never".to_owned(),
        _ => format!("2026-03-{:02}T{:02}:00:00+08:00", 1 + at % 28, at % 24),
    };
    format!(
        "{{\"eventID\":\"e-{id}\",\"eventType\":\"EQUIPMENT\",\"eventClassifierCode\":\"ACT\",\
         \"eventDateTime\":\"{time}\",\"equipmentEventTypeCode\":\"LOAD\",\"equipmentReference\":\"QSDU{:06}\",\
         \"transportCall\":{{\"transportCallID\":\"call-{}\",\"UNLocationCode\":\"CNNGB\",\"modeOfTransport\":\"VESSEL\"}}}}",
        200_000 + at,
        number % 3
    )
}

fn events() -> String {
    let all: Vec<String> = (0..EVENTS).map(event).collect();
    all.join(",")
}

/// Both readings; the one in parts must come in parts.
fn read(profile: &str, message: &str) -> Parsed {
    let profile = Profile::parse(profile).unwrap();
    let gazetteer = gazetteer();
    let whole = profile.read(message.as_bytes(), received_at(), &gazetteer);
    let (mut parts, mut longest) = (Parsed::default(), 0);
    profile.read_in_parts(message.as_bytes(), received_at(), &gazetteer, &mut |part| {
        longest = longest.max(part.reports.len());
        parts.reports.extend(part.reports);
        parts.defects.extend(part.defects);
        parts.envelope_broken |= part.envelope_broken;
    });
    assert!(longest < 400, "{longest} at once");
    assert_eq!(parts.reports.len(), whole.reports.len());
    assert_eq!(parts.defects, whole.defects);
    assert!(parts == whole, "the reports differ");
    whole
}

#[test]
fn a_long_list_of_events() {
    let read = read(DCSA, &format!("[{}]", events()));
    assert!(read.reports.len() > 1_400 && !read.defects.is_empty());
    let id = |number: usize| read.reports[number].report.source_event_id.as_deref();
    assert_eq!(id(7), None, "one id for two happenings");
    // One record is damaged, so the 57th event is the 56th report.
    assert_eq!(id(56), None);
    assert_eq!(id(9), Some("e-9"));
}

#[test]
fn what_stands_behind_the_events_is_about_all_of_them() {
    let message = format!(
        "{{\"events\":[{}],\"carrierBookingReference\":\"QB77\"}}",
        events()
    );
    let read = read(DCSA, &message);
    let named = |bookings: &[String]| bookings == ["QB77"];
    assert!(
        read.reports
            .iter()
            .all(|l| named(&l.report.references.bookings))
    );
}

#[test]
fn damage_in_the_middle_costs_its_record() {
    let whole = format!("[{}]", events());
    let sick = whole.replacen("\"eventID\":\"e-700\"", "\"eventID\":\"e-700", 1);
    let read = read(DCSA, &sick);
    assert!(read.envelope_broken && read.reports.len() > 1_400);
    let first = &read.defects[0].place;
    assert!(first.starts_with("line 1 column "), "{first}");
}

#[test]
fn a_long_file_of_sets() {
    let mut file = String::from(
        "ISA*00*          *00*          *ZZ*QSDL           *ZZ*US             *260314*0600*U*00401*000000041*0*P*>~\
         GS*QO*QSDL*US*20260314*0600*41*X*004010~",
    );
    for set in 1..=2_000 {
        let what = if set % 97 == 0 {
            "VD"
        } else {
            "VD*20260310*0124"
        };
        let _ = write!(
            file,
            "ST*315*{set:07}~B4***{what}**QSDU*{:06}*L*45G1*CNSHA*UN~N9*BM*QSDL{set}~\
             R4*L*UN*CNSHA*SHANGHAI*CN~DTM*140*20260220*0700*LT~SE*5*{set:07}~",
            200_000 + set
        );
    }
    file.push_str("GE*2000*41~IEA*1*000000041~");
    assert!(read(EDI, &file).reports.len() > 1_900);
}
