//! When a line was heard, as tag blocks, hubs and loggers write it. What is not understood is never now.

use super::radio::{Position, tag};
use super::{FIVE, MMSI, PIER, berths, read, read_live, reasons, seconds};

fn line() -> String {
    Position::moored(MMSI, PIER).line()
}

#[test]
fn the_forms_of_time_that_loggers_write_are_read_live_or_not() {
    let line = line();
    for text in [
        format!("[2026-03-14 05:00:00.141] {line}"),
        format!("[2026-03-14T05:00:00Z] {line}"),
        format!("2026-03-14 05:00:00Z {line}"),
        format!("2026-03-14 05:00:00 {line}"),
        format!("2026-03-14T05:00:00 {line}"),
        format!("2026-03-14 05:00:00 UTC {line}"),
        format!("2026-03-14T06:00:00+01:00 {line}"),
        format!("2026-03-14 06:00:00 +0100 {line}"),
        format!("20260314050000 {line}"),
        format!("{FIVE} {line}"),
        format!("{FIVE},{line}"),
        format!("{FIVE}\t{line}"),
        format!("{FIVE}.25 {line}"),
        format!("r003669945,{FIVE},{line}"),
        format!("{line},{FIVE}"),
        format!("{line} {FIVE}.123"),
        format!("{line}\t{FIVE}"),
        format!("{line},20260314050000"),
        format!("{line},2026-03-14T05:00:00Z"),
        format!("{line},\"2026-03-14 05:00:00\""),
        format!(
            "{line} ( MSG: 1, REPEAT: 0, MMSI: {MMSI}, signalpower: -40.1, ppm: 0, timestamp: 20260314050000)"
        ),
        format!("\"2026-03-14T05:00:00Z\",\"{line}\""),
        format!("{}{line}", tag(&format!("s:shore,c:{FIVE}"))),
        format!("[2026-03-13 11:00:00] {}{line}", tag(&format!("c:{FIVE}"))),
        format!("{} {line}", tag(&format!("c:{FIVE}"))),
        format!(
            "<30>Mar 14 09:00:00 gate feed[7]: {}{line}",
            tag(&format!("c:{FIVE}"))
        ),
        format!("<30>1 2026-03-14T05:00:00Z gate feed - - - {line}"),
    ] {
        for parsed in [read(&text), read_live(&text)] {
            assert_eq!(seconds(&parsed), [0], "{text} {:?}", parsed.defects);
        }
    }
}

#[test]
fn a_time_that_is_not_understood_is_a_defect_and_never_now() {
    let line = line();
    for text in [
        format!("14/03/2026 05:00:00 {line}"),
        format!("03/04/2026 {line}"),
        format!("Mar 14 05:00:00 gate {line}"),
        format!("2026-03-14 05:00:00 CET {line}"),
        format!("2026-03-14 05:00:00 PM {line}"),
        format!("2026-03-14 {line}"),
        format!("20260314 {line}"),
        format!("{FIVE}000000 {line}"),
        format!("{line},14.03.2026 05:00"),
        format!("\\c:{FIVE}*00\\{line}"),
        format!("{}{line}", tag("s:sat,T:2026-03-14 05.00.00")),
    ] {
        let parsed = read_live(&text);
        assert_eq!(
            (seconds(&parsed).len(), berths(&parsed).len()),
            (0, 0),
            "{text}"
        );
        assert_eq!(parsed.defects.len(), 1, "{text}");
        assert!(
            reasons(&parsed)[0].contains("not understood"),
            "{text} {:?}",
            reasons(&parsed)
        );
        assert!(
            reasons(&read(&text))[0].contains("not understood"),
            "{text}"
        );
    }
}

#[test]
fn lines_without_a_time_are_of_now_only_where_the_profile_says_so() {
    let line = line();
    for text in [
        line.clone(),
        format!("{}{line}", tag("s:shore1,n:42")),
        format!("{line},s27064,d-106,S1053,r003669945"),
        format!("{}{line}", tag("s:a,i:|X=1|P=127.0.0.1:12086|")),
        format!("[session start] {line}"),
    ] {
        assert_eq!(seconds(&read_live(&text)), [111_600], "{text}");
        assert!(reasons(&read(&text))[0].contains("has no time"), "{text}");
    }
}

#[test]
fn a_shore_station_writes_the_time_of_a_line_before_it() {
    let line = line();
    let dated = format!("$PGHP,1,2026,3,14,5,0,0,250,338,2,,1,09*12\n{line}\n{line}\n");
    let parsed = read(&dated);
    assert_eq!(seconds(&parsed), [0]);
    assert_eq!(
        parsed.defects.len(),
        1,
        "of the next line, and not of those behind it"
    );
    let wrong = format!("$PGHP,1,2026,3,40,5,0,0\n{line}\n");
    assert!(seconds(&read_live(&wrong)).is_empty(), "never now");
    // Found by a reviewer: its checksum was not looked at.
    let torn = dated.replace("3,14,5", "3,12,5");
    assert!(seconds(&read(&torn)).is_empty(), "a torn time is none");
    let without = dated.replace("*12", "");
    assert_eq!(seconds(&read(&without)), [0], "taken at its word");
}

#[test]
fn of_two_times_behind_a_station_the_one_beside_it_counts() {
    let hub = format!(
        "{},d-109,S2105,t050056.00,T56.13,r003669946,{},{}",
        line(),
        FIVE,
        FIVE - 59
    );
    assert_eq!(seconds(&read(&hub)), [0]);
}

#[test]
fn what_a_live_source_says_last_of_a_moment_is_where_the_ship_is() {
    let first = Position::sails(MMSI, (33.7, -118.2), 12.0).line();
    let last = Position::sails(MMSI, (33.71, -118.21), 11.0).line();
    let parsed = read_live(&format!("{first}\n{last}\n"));
    assert_eq!(parsed.sightings.len(), 1);
    let position = parsed.sightings[0].position.unwrap();
    assert!((position.point.latitude - 33.71).abs() < 1e-4);
}

#[test]
fn a_file_is_of_lines_wherever_a_sentence_stands_in_it() {
    let line = Position::moored(MMSI, PIER).at(0);
    for text in [
        format!("[session start]\n{line}"),
        format!("[2026-03-14 04:59:00] opened\n{line}"),
        format!("<30>Mar 14 05:00:01 gate feed[3]: {line}"),
        format!("alert! resumed {line}"),
    ] {
        let parsed = read(&text);
        assert_eq!(seconds(&parsed), [0], "{text}");
        assert!(!parsed.envelope_broken, "{text}");
    }
    assert!(read("<html><body>not now</body></html>").envelope_broken);
}

#[test]
fn what_is_no_text_of_positions_is_named() {
    for (bytes, name) in [
        (&b"\x1f\x8b\x08\0\0\0\0\0"[..], "gzip"),
        (b"PK\x03\x04\x14\0\0\0", "zip"),
        (b"MMSI,BaseDateTime,LAT,LON,SOG\n211987654,2026-03-14T05:00:00,33.7,-118.2,0.0\n", "table"),
        (b"# Timestamp;Type;MMSI;Latitude;Longitude\n14/03/2026 05:00:00;Class A;211987654;33.7;-118.2\n", "table"),
    ] {
        let parsed = super::read_as("", bytes);
        assert_eq!(parsed.defects.len(), 1, "{name} {:?}", parsed.defects);
        assert!(reasons(&parsed)[0].contains(name), "{:?}", parsed.defects);
        assert!(parsed.envelope_broken);
    }
}

#[test]
fn a_position_of_a_radio_that_lost_its_place_is_a_defect() {
    let parsed = read(&Position::moored(MMSI, (0.0, 0.0)).at(0));
    assert_eq!(seconds(&parsed), [0_i64; 0]);
    assert!(reasons(&parsed)[0].contains("0/0"), "{:?}", parsed.defects);
    let json = format!("[{{\"mmsi\":{MMSI},\"lat\":0,\"lon\":0.0,\"time\":{FIVE}}}]");
    assert!(reasons(&read(&json))[0].contains("0/0"));
}

#[test]
fn where_the_bow_points_is_its_heading_and_no_ship_goes_a_hundred_knots() {
    let one = Position::sails(MMSI, PIER, 9.0);
    for (heading, told) in [(123, 123.0), (511, 90.0)] {
        let parsed = read(&Position { heading, ..one }.at(0));
        assert_eq!(parsed.sightings[0].position.unwrap().heading, Some(told));
    }
    let fast = Position {
        knots: 102.2,
        ..Position::moored(MMSI, PIER)
    };
    let parsed = read(&fast.at(0));
    assert_eq!(parsed.sightings[0].position.unwrap().speed_knots, None);
    assert_eq!(
        parsed.sightings[0].moored, None,
        "and its word of lying still is not"
    );
}
