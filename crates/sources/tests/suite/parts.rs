//! A long message read in parts says what it says when it is read at once.

use std::fmt::Write as _;

use domain::report::Value;
use sources::{Parsed, Profile, Told};

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

/// A reading at once, and one in parts, which must come in parts.
fn both(profile: &str, message: &[u8]) -> (Parsed, Parsed) {
    let profile = Profile::parse(profile).unwrap();
    let gazetteer = gazetteer();
    let whole = profile.read(message, received_at(), &gazetteer);
    let (mut parts, mut longest) = (Parsed::default(), 0);
    profile.read_in_parts(
        Told::Unasked,
        message,
        received_at(),
        &gazetteer,
        &mut |part| {
            longest = longest.max(part.reports.len()).max(part.sightings.len());
            parts.reports.extend(part.reports);
            parts.sightings.extend(part.sightings);
            let decisive = part.decisive.map(|index| parts.defects.len() + index);
            parts.decisive = parts.decisive.or(decisive);
            parts.defects.extend(part.defects);
            parts.envelope_broken |= part.envelope_broken;
        },
    );
    assert!(longest <= 1_000, "{longest} at once");
    (whole, parts)
}

/// The same where the order is kept too.
fn read(profile: &str, message: &str) -> Parsed {
    let (whole, parts) = both(profile, message.as_bytes());
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

const TABLE: &str = "id = \"yard\"\nprotocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n[columns]\n\
    container = \"Box\"\nas_of = \"At\"\navailable = \"Free\"\nholds = \"Holds\"\n[holds]\ncomplete = true\n";

/// Rows of boxes with their holds, one on each row. Those of the first and of every hundredth box stand in two rows:
/// beside each other, or at both ends of the file.
fn rows() -> String {
    let row = |number: u32, hold: &str| {
        let box_number =
            domain::codes::ContainerNumber::parse(&format!("QSDU{number:06}")).unwrap();
        let at = if number % 70 == 3 {
            "never"
        } else {
            "2026-03-14T08:00"
        };
        format!("{box_number},{at},N,{hold}\n")
    };
    let mut file = String::from("Box,At,Free,Holds\n");
    for number in 200_000..201_500 {
        file.push_str(&row(number, "CUSTOMS"));
        if number % 100 == 50 {
            file.push_str(&row(number, "FREIGHT"));
        }
    }
    for number in (200_000..201_500).step_by(100) {
        file.push_str(&row(number, "FREIGHT"));
    }
    file
}

#[test]
fn a_long_table_with_lists_over_several_rows() {
    let (whole, parts) = both(TABLE, rows().as_bytes());
    assert_eq!(parts.defects, whole.defects);
    assert!(!whole.defects.is_empty() && whole.reports.len() > 2_900);
    // Lists that wait for their last row come later; nothing else moves.
    let sorted = |parsed: &Parsed| {
        let mut told: Vec<String> = parsed.reports.iter().map(|l| format!("{l:?}")).collect();
        told.sort();
        told
    };
    assert!(sorted(&parts) == sorted(&whole), "the reports differ");
    let two = |parsed: &Parsed| {
        let lists = parsed
            .reports
            .iter()
            .filter_map(|l| l.report.value.as_ref());
        let holds = lists.filter(|value| matches!(value, Value::Holds(holds) if holds.len() == 2));
        holds.count()
    };
    assert_eq!((two(&whole), two(&parts)), (30, 30));
}

#[test]
fn a_long_table_without_such_lists_keeps_its_order() {
    let table = TABLE.replace("complete = true", "complete = false");
    assert!(read(&table, &rows()).reports.len() > 1_400);
}

#[test]
fn a_table_that_breaks_off_says_so_in_parts_too() {
    let (whole, parts) = both(TABLE, "a,b,c\n".repeat(10_000).as_bytes());
    assert!(parts == whole && whole.envelope_broken);
}

#[test]
fn a_long_list_of_sightings() {
    let mut file = String::from("CLM\n");
    for number in 0..1_500 {
        let hour = if number % 90 == 7 { "99" } else { "08" };
        let _ = writeln!(
            file,
            "1QSDU{number:06}20260314{hour}00U  {:<70}",
            "CHICAGO  IL"
        );
    }
    file.push_str("EOM00001499\n");
    let read = read("id = \"road\"\nprotocol = \"clm\"", &file);
    assert!(!read.reports.is_empty() && read.defects.len() > 10);
}

#[test]
fn a_long_list_of_positions() {
    let list: Vec<String> = (0..3_000)
        .map(|number| {
            let (mmsi, time) = (200_000_000 + number % 40, 1_773_000_000 + number);
            format!(
                "{{\"mmsi\":{mmsi},\"imo\":9321483,\"lat\":37.8,\"lon\":-122.3,\"time\":{time}}}"
            )
        })
        .collect();
    let profile = "id = \"sea\"\nprotocol = \"ais\"";
    let listed = read(profile, &format!("[{}]", list.join(",")));
    assert_eq!(listed.sightings.len(), 3_000);
    let lines = read(profile, &list.join("\n"));
    assert!(lines == listed);
    let sick = list.join(",").replacen("37.8", "1e999", 1);
    let (sick, parts) = both(profile, format!("[{sick}]").as_bytes());
    assert!(sick == parts && !sick.envelope_broken);
    assert_eq!((sick.sightings.len(), sick.defects.len()), (2_999, 1));
}
