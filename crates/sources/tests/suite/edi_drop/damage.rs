//! Damage inside one record leaves every other record as it was.

use domain::report::Report;
use proptest::prelude::*;
use sources::Parsed;
use std::sync::LazyLock;

use super::{edifact_file, read, x12_file};
use crate::told::gazetteer;

static GAZETTEER: LazyLock<domain::place::Gazetteer> = LazyLock::new(gazetteer);

const RECORDS: usize = 5;

/// A box of its own for each record.
fn number(record: usize) -> String {
    let digits = 200_010 + record;
    let number = domain::codes::ContainerNumber::from_feed(&format!("QSDU{digits}")).unwrap();
    number.0.to_string()
}

fn set(record: usize) -> String {
    let box_number = number(record);
    let (digits, check) = (&box_number[4..10], &box_number[10..]);
    format!(
        "ST*315*{record:04}~B4***UV*20260310*0124**QSDU*{digits}*L*45G1*USLAX*UN*{check}~N9*BM*QSEB9{record}~\
         R4*L*UN*CNSHA~DTM*140*20260220*0700~R4*D*UN*USLAX~R4*5*UN*USLAX~SE*8*{record:04}~"
    )
}

fn message(record: usize) -> String {
    format!(
        "UNH+{record}+IFTSTA:D:99B:UN'BGM+23+D{record}+9'CNI+1+QSEB9{record}'STS+1+29:REC24:6'\
         DTM+334:202603100930:203'LOC+175+USLAX:139:6'EQD+CN+{}+45G1++3+5'UNT+8+{record}'",
        number(record)
    )
}

fn file(records: &[String], edifact: bool) -> Vec<u8> {
    let (head, tail) = if edifact {
        ("UNB+UNOA:2+A+B+260314:0600+Q1'", "UNZ+5+Q1'")
    } else {
        (
            "ISA*00*          *00*          *ZZ*QSELINE        *ZZ*QSEUSER        *260314*0600*U*00401*000000041*0*P*>~\
             GS*QO*QSELINE*QSEUSER*20260314*0600*41*X*004010~",
            "GE*5*41~IEA*1*000000041~",
        )
    };
    format!("{head}{}{tail}", records.concat()).into_bytes()
}

fn records(edifact: bool) -> Vec<String> {
    (0..RECORDS)
        .map(if edifact { message } else { set })
        .collect()
}

/// The reports about one box.
fn about(parsed: &Parsed, number: &str) -> Vec<Report> {
    let reports = parsed.reports.iter().map(|located| &located.report);
    reports
        .filter(|report| {
            report
                .equipment
                .as_ref()
                .is_some_and(|e| e.number.as_str() == number)
        })
        .cloned()
        .collect()
}

fn others_stand(sick: usize, record: &[u8], edifact: bool) -> Result<(), TestCaseError> {
    let whole = records(edifact);
    let before = read(&file(&whole, edifact), &GAZETTEER);
    let text = String::from_utf8_lossy(record).into_owned();
    let mut damaged = whole;
    damaged[sick] = text;
    let after = read(&file(&damaged, edifact), &GAZETTEER);
    for other in (0..RECORDS).filter(|record| *record != sick) {
        let (wanted, found) = (
            about(&before, &number(other)),
            about(&after, &number(other)),
        );
        prop_assert!(!wanted.is_empty());
        prop_assert_eq!(wanted, found, "{}", damaged[sick]);
    }
    Ok(())
}

/// A number that has lost a digit is as long as one without its check digit, and that of another box.
#[test]
fn a_gap_in_a_number_makes_no_other_number() {
    for (edifact, of_box) in [(true, "EQD+CN+"), (false, "QSDU*")] {
        for sick in 0..RECORDS {
            let record = records(edifact)[sick].clone();
            let begins = record.find(of_box).unwrap() + of_box.len();
            for at in begins..begins + if edifact { 11 } else { 6 } {
                let mut record = record.clone().into_bytes();
                record[at] = b' ';
                others_stand(sick, &record, edifact).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_byte_overwritten(sick in 0..RECORDS, at in any::<prop::sample::Index>(), with in 0x20u8..0x7f, edifact in any::<bool>()) {
        let mut record = records(edifact)[sick].clone().into_bytes();
        // The record's own envelope stays readable; the ends of its segments are fair game.
        let end = if edifact { b'\'' } else { b'~' };
        let first = record.iter().position(|byte| *byte == end).unwrap();
        let last = record[..record.len() - 1].iter().rposition(|byte| *byte == end).unwrap();
        record[first + 1 + at.index(last - first - 1)] = with;
        others_stand(sick, &record, edifact)?;
    }

    #[test]
    fn segments_missing_repeated_or_elsewhere(sick in 0..RECORDS, a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>(), how in 0..3, edifact in any::<bool>()) {
        let end = if edifact { '\'' } else { '~' };
        let record = records(edifact)[sick].clone();
        let mut segments: Vec<&str> = record.split_inclusive(end).collect();
        // The record's own envelope stays readable.
        let inner = segments.len() - 2;
        let (a, b) = (1 + a.index(inner), 1 + b.index(inner));
        match how {
            0 => drop(segments.remove(a)),
            1 => segments.insert(b, segments[a]),
            _ => segments.swap(a, b),
        }
        others_stand(sick, segments.concat().as_bytes(), edifact)?;
    }
}

#[test]
fn what_is_no_edi_is_one_defect_with_its_place() {
    let parsed = read(b"\n<html>", &GAZETTEER);
    assert!(parsed.envelope_broken && parsed.reports.is_empty());
    assert_eq!(parsed.defects.len(), 1);
    assert_eq!(parsed.defects[0].place, "line 2 column 1");
}

/// Boxes and what is said of all of them were multiplied without a bound.
#[test]
fn what_one_message_says_of_each_of_its_boxes_has_a_bound() {
    const EACH: usize = 1_000;
    const CLAIMS_MAX: usize = 50_000;
    let boxes = (0..EACH).map(number);
    let eqds: Vec<String> = boxes
        .map(|number| format!("EQD+CN+{number}+45G1"))
        .collect();
    let status = "STS+1+29:REC24:6\nDTM+334:202603100930:203\nLOC+175+USLAX:139:6\n";
    let statuses = status.repeat(EACH);
    let body = format!("BGM+23+D1+9\nCNI+1+QSEB9\n{}\n{statuses}", eqds.join("\n"));
    let iftsta = read(&edifact_file("IFTSTA", &body), &GAZETTEER);
    let notes = "N9*ZZ*QSE\n".repeat(60 * EACH);
    let n7s = (0..EACH).map(|record| format!("N7*QSDU*{}", 200_010 + record));
    let n7s: Vec<String> = n7s.collect();
    let body = format!("Q5*AL*20260310*0730*LT\n{notes}{}", n7s.join("\n"));
    let ramp = read(&x12_file("322", &body), &GAZETTEER);
    let locs = "LOC+9+CNSHA:139:6\n".repeat(60 * EACH);
    let body = format!("BGM+98+D1+9\n{locs}{}", eqds.join("\n"));
    let quay = read(&edifact_file("COARRI", &body), &GAZETTEER);
    for (name, parsed, least) in [
        ("IFTSTA", iftsta, CLAIMS_MAX / 20),
        ("322", ramp, EACH / 20),
        ("COARRI", quay, EACH / 20),
    ] {
        let made = parsed.reports.len() + parsed.defects.len();
        assert!((least..=CLAIMS_MAX + 2).contains(&made), "{name}: {made}");
        let last = parsed.defects.last().unwrap();
        assert!(last.reason.contains("not read"), "{name}: {}", last.reason);
    }
}
