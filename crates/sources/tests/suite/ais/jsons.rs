//! Positions as JSON.

use super::radio::Position;
use super::{FIVE, MMSI, OURS, PIER, berths, read, reasons, seconds};

/// A position report of the stream, lying still and saying nothing of its state.
fn still(second: i64) -> String {
    format!(
        "{{\"MessageType\":\"PositionReport\",\"MetaData\":{{\"MMSI\":{MMSI},\"latitude\":33.7365,\"longitude\":-118.254,\"time_utc\":\"{}\"}},\
         \"Message\":{{\"PositionReport\":{{\"UserID\":{MMSI},\"Latitude\":33.7365,\"Longitude\":-118.254,\"Sog\":0.0,\"NavigationalStatus\":15}}}}}}\n",
        time(second)
    )
}

fn named(second: i64) -> String {
    format!(
        "{{\"MessageType\":\"ShipStaticData\",\"MetaData\":{{\"MMSI\":{MMSI},\"latitude\":33.7365,\"longitude\":-118.254,\"time_utc\":\"{}\"}},\
         \"Message\":{{\"ShipStaticData\":{{\"UserID\":{MMSI},\"ImoNumber\":{OURS},\"Name\":\"PILOT FOUR\"}}}}}}\n",
        time(second)
    )
}

fn time(second: i64) -> String {
    let at = super::at(second).to_string();
    format!("{} +0000 UTC", at.replace('T', " ").replace('Z', ".25"))
}

#[test]
fn a_message_that_says_who_a_ship_is_says_not_where() {
    let text: String = (0..30)
        .map(|six| still(six * 360) + &named(six * 360 + 30))
        .collect();
    let parsed = read(&text);
    assert_eq!(seconds(&parsed).len(), 30, "one of each position");
    assert_eq!(berths(&parsed), [(OURS.to_string(), 0)]);
    let alone = read(&named(0));
    assert!(
        alone
            .sightings
            .iter()
            .all(|sighting| sighting.position.is_none())
    );
}

fn plain(more: &str) -> String {
    format!("{{\"mmsi\":{MMSI},\"lat\":33.7365,\"lon\":-118.254,{more}}}")
}

#[test]
fn the_forms_of_time_in_objects_are_read() {
    for time in [
        format!("\"timestamp\":{FIVE}"),
        format!("\"timestamp\":{FIVE}.5"),
        format!("\"timestamp\":\"{FIVE}\""),
        format!("\"timestamp\":{FIVE}000"),
        format!("\"timestamp\":\"{FIVE}000\""),
        "\"timestamp\":\"2026-03-14 05:00:00 GMT\"".into(),
        "\"timestamp\":\"2026-03-14T05:00:00\"".into(),
        "\"timestamp\":\"20260314050000\"".into(),
        "\"rxtime\":\"20260314050000\"".into(),
        format!("\"rxuxtime\":{FIVE}.3596"),
        "\"msgtime\":\"2026-03-14T05:00:00+00:00\"".into(),
        format!("\"timestamp\":45,\"time\":{FIVE}"),
    ] {
        let parsed = read(&plain(&time));
        assert_eq!(seconds(&parsed), [0], "{time} {:?}", parsed.defects);
    }
    for time in [
        "\"timestamp\":\"2026-03-14\"",
        "\"timestamp\":\"20260314\"",
        "\"timestamp\":\"03/04/2026 05:00:00\"",
        "\"timestamp\":\"soon\"",
    ] {
        let parsed = read(&plain(time));
        assert_eq!(seconds(&parsed), [0_i64; 0], "{time}");
        assert!(
            reasons(&parsed)[0].contains("not understood"),
            "{time} {:?}",
            parsed.defects
        );
    }
    assert!(reasons(&read(&plain("\"timestamp\":45")))[0].contains("has no time"));
}

#[test]
fn a_broken_line_or_element_costs_itself_only() {
    let good = |second: i64| plain(&format!("\"time\":{}", FIVE + second));
    for broken in [
        "{\"mmsi\": 21100",
        "{\"mmsi\": \"2110",
        "nonsense",
        "{\"a\":[{\"b\":",
    ] {
        let parsed = read(&format!(
            "{}\n{broken}\n{}\n{}\n",
            good(0),
            good(60),
            good(120)
        ));
        assert_eq!(seconds(&parsed), [0, 60, 120], "{broken}");
        assert!(!parsed.defects.is_empty());
    }
    let cut = format!("[{},{},{{\"mmsi\":2119", good(0), good(60));
    assert_eq!(seconds(&read(&cut)), [0, 60]);
    let within = format!("[{},{{\"mmsi\":2119,}},{}]", good(0), good(60));
    assert_eq!(seconds(&read(&within)), [0, 60]);
    let many = "{\"a\":\n".repeat(5_000);
    assert!(read(&many).defects.len() < 300);
}

#[test]
fn what_a_decoder_says_of_its_sentences_is_read() {
    let line = Position::moored(MMSI, PIER).line();
    let one = format!(
        "{{\"class\":\"AIS\",\"device\":\"AIS-catcher\",\"rxtime\":\"20260314050000\",\"mmsi\":{MMSI},\"type\":1,\"nmea\":[\"{line}\"]}}"
    );
    assert_eq!(seconds(&read(&one)), [0]);
    let full = one.replace(
        "\"type\":1",
        "\"rxuxtime\":1773464400.4,\"lat\":1.5,\"lon\":2.5,\"type\":1",
    );
    let parsed = read(&format!(
        "{{\"protocol\":\"jsonaiscatcher\",\"encodetime\":\"20260314060000\",\"msgs\":[{full}]}}"
    ));
    assert_eq!(seconds(&parsed), [0]);
    let position = parsed.sightings[0].position.unwrap();
    assert!(
        (position.point.latitude - 33.7365).abs() < 1e-4,
        "the sentence is what was heard"
    );
    let undated = one.replace("\"rxtime\":\"20260314050000\",", "");
    assert!(reasons(&read(&undated))[0].contains("has no time"));
    let bad = one.replace("AIVDM", "AIVXX");
    assert_eq!(reasons(&read(&bad)).len(), 1);
}

#[test]
fn lists_in_lists_are_read_in_the_units_their_head_names() {
    let answer = |format: &str, at: &str, place: (&str, &str), speed: &str| {
        format!(
            "[{{\"ERROR\":false,\"USERNAME\":\"X\",\"FORMAT\":\"{format}\",\"RECORDS\":1}},\
             [{{\"MMSI\":{MMSI},\"TIME\":\"{at}\",\"LONGITUDE\":{},\"LATITUDE\":{},\"COG\":900,\"SOG\":{speed},\"HEADING\":511,\"NAVSTAT\":0,\"IMO\":{OURS}}}]]",
            place.1, place.0
        )
    };
    let raw = read(&answer(
        "AIS",
        &FIVE.to_string(),
        ("20241900", "-70952400"),
        "104",
    ));
    let human = read(
        &answer(
            "HUMAN",
            "2026-03-14 05:00:00 GMT",
            ("33.7365", "-118.254"),
            "10.4",
        )
        .replace("900", "90"),
    );
    for parsed in [raw, human] {
        assert_eq!(seconds(&parsed), [0], "{:?}", parsed.defects);
        let position = parsed.sightings[0].position.unwrap();
        assert!((position.point.latitude - 33.7365).abs() < 1e-6);
        assert!((position.point.longitude + 118.254).abs() < 1e-6);
        assert_eq!(
            (position.speed_knots, position.heading),
            (Some(10.4), Some(90.0))
        );
    }
    for place in [("20241900", "-70952400"), ("\"33,7\"", "\"-118,2\"")] {
        let text = format!(
            "[{{\"mmsi\":{MMSI},\"time\":{FIVE},\"lat\":{},\"lon\":{}}}]",
            place.0, place.1
        );
        assert!(
            reasons(&read(&text))[0].contains("coordinates"),
            "{place:?}"
        );
    }
    let refused = read("[{\"ERROR\":true,\"ERROR_MESSAGE\":\"Too frequent requests!\"}]");
    assert!(
        reasons(&refused)[0].contains("Too frequent"),
        "{:?}",
        refused.defects
    );
    let deep = format!(
        "{}{}{}",
        "[".repeat(90),
        plain(&format!("\"time\":{FIVE}")),
        "]".repeat(90)
    );
    assert!(!read(&deep).defects.is_empty());
}

#[test]
fn knots_are_read_by_the_sign_of_the_feed() {
    let feed = |speed: &str, sign: &str| {
        let parsed = read(&plain(&format!(
            "\"SPEED\":{speed},\"COURSE\":\"327\",\"HEADING\":\"329\",\"STATUS\":\"5\",\"time\":{FIVE}{sign}"
        )));
        let sighting = parsed.sightings[0].clone();
        (sighting.position.unwrap().speed_knots, sighting.moored)
    };
    let sign = ",\"DSRC\":\"TER\",\"SHIP_ID\":\"359396\"";
    assert_eq!(feed("\"74\"", sign), (Some(7.4), Some(true)));
    assert_eq!(feed("\"7.4\"", sign), (Some(7.4), Some(true)));
    assert_eq!(feed("\"7.4\"", ""), (Some(7.4), Some(true)));
    assert_eq!(feed("\"74\"", ""), (None, None), "no ship is that fast");
    let parsed = read(&plain(&format!(
        "\"TrueHeading\":12,\"Cog\":270,\"time\":{FIVE}"
    )));
    assert_eq!(parsed.sightings[0].position.unwrap().heading, Some(12.0));
}
