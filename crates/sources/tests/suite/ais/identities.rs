//! Which ship a radio is aboard.

use super::radio::{Position, told_at};
use super::{MMSI, OTHER, OURS, PIER, at, berths, read, read_as};

fn moored(mmsi: u32, from: i64, to: i64) -> String {
    let minutes = (from..=to).step_by(5);
    let each = minutes.map(|minute| Position::moored(mmsi, PIER).at(minute * 60));
    each.collect()
}

#[test]
fn a_number_that_many_radios_send_carries_no_ship() {
    for mmsi in [
        0,
        1_193_046,
        123_456_789,
        111_111_111,
        222_222_222,
        777_777_777,
        992_111_234,
        2_110_010,
    ] {
        let text = told_at(mmsi, OURS, 0) + &moored(mmsi, 1, 41);
        assert!(berths(&read(&text)).is_empty(), "{mmsi}");
        let json = format!(
            "[{{\"mmsi\":{mmsi},\"imo\":{OURS},\"lat\":33.7365,\"lon\":-118.254,\"sog\":0,\"status\":5,\"time\":1773464400}}]"
        );
        let parsed = read(&json);
        assert!(berths(&parsed).is_empty(), "{mmsi}");
        assert!(
            parsed
                .sightings
                .iter()
                .all(|sighting| sighting.imo.is_none()),
            "{mmsi}"
        );
    }
    let ours = told_at(MMSI, OURS, 0) + &moored(MMSI, 1, 41);
    assert_eq!(berths(&read(&ours)), [(OURS.to_string(), 60)]);
}

#[test]
fn a_profile_gives_no_ship_to_a_number_that_many_radios_send() {
    let one = |mmsi: &str| {
        sources::ais::Profile::parse(&format!(
            "id = \"sea\"\nprotocol = \"ais\"\n[vessels]\n\"{mmsi}\" = \"9321483\""
        ))
    };
    assert!(one("211987654").is_ok());
    assert!(one("123456789").is_err() && one("000000000").is_err());
}

#[test]
fn who_said_it_last_by_the_time_of_the_message_has_the_radio_within_a_file_too() {
    let (ours, other) = (told_at(MMSI, OURS, 0), told_at(MMSI, OTHER, 7_200));
    let lies = moored(MMSI, 1, 36);
    for text in [
        format!("{ours}{lies}{other}"),
        format!("{other}{lies}{ours}"),
        format!("{lies}{other}{ours}"),
    ] {
        let parsed = read(&text);
        assert_eq!(berths(&parsed), [(OURS.to_string(), 60)]);
        let last = parsed
            .sightings
            .iter()
            .max_by_key(|sighting| sighting.at)
            .unwrap();
        assert_eq!(
            last.imo.unwrap().to_string(),
            OTHER.to_string(),
            "the radio is the other's now"
        );
        assert_eq!((last.at, last.position), (at(7_200), None));
    }
    let before = format!("{lies}{other}");
    assert_eq!(
        berths(&read(&before)),
        [(OTHER.to_string(), 60)],
        "before the first word it may be that one's"
    );
    let listed = format!("[vessels]\n\"{MMSI}\" = \"{OURS}\"\n");
    let parsed = read_as(&listed, lies.as_bytes());
    assert_eq!(berths(&parsed), [(OURS.to_string(), 60)]);
}
