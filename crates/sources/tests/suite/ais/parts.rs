//! Messages in more than one sentence.

use sources::Parsed;

use super::radio::{Position, tag, told};
use super::{FIVE, MMSI, OTHER, OURS, PIER, read, reasons, seconds};

const SECOND: u32 = 366_123_456;

fn ships(parsed: &Parsed) -> Vec<String> {
    let told = parsed.sightings.iter().filter_map(|sighting| sighting.imo);
    let mut told: Vec<String> = told.map(|imo| imo.to_string()).collect();
    told.sort();
    told
}

#[test]
fn the_parts_of_a_message_may_come_in_any_order() {
    let [first, second] = told(MMSI, OURS, "3");
    let time = tag(&format!("c:{FIVE}"));
    let parsed = read(&format!("{time}{second}\n{time}{first}\n"));
    assert_eq!(ships(&parsed), [OURS.to_string()]);
    assert_eq!(reasons(&parsed), [""; 0]);
    let parsed = read(&format!("{time}{first}\n{time}{first}\n{time}{second}\n"));
    assert_eq!(ships(&parsed), [OURS.to_string()], "heard by two receivers");
}

#[test]
fn messages_under_way_at_once_are_all_read() {
    let [a1, a2] = told(MMSI, OURS, "3");
    let [b1, b2] = told(SECOND, OTHER, "3");
    let both = [OURS.to_string(), OTHER.to_string()];
    for lines in [[&a1, &b1, &b2, &a2], [&a1, &b1, &a2, &b2]] {
        let text = lines
            .map(|line| format!("{}{line}\n", tag(&format!("c:{FIVE}"))))
            .concat();
        assert_eq!(ships(&read(&text)), both);
    }
    let grouped = [
        (1, "77", &a1),
        (1, "78", &b1),
        (2, "78", &b2),
        (2, "77", &a2),
    ];
    let text = grouped.map(|(index, group, line)| {
        format!("{}{line}\n", tag(&format!("g:{index}-2-{group},c:{FIVE}")))
    });
    let parsed = read(&text.concat());
    assert_eq!((ships(&parsed), reasons(&parsed)), (both.to_vec(), vec![]));
}

#[test]
fn a_part_that_never_finds_its_own_is_told_and_memory_is_bounded() {
    let [first, _] = told(MMSI, OURS, "3");
    let parsed = read(&format!("{first}\n"));
    assert!(
        reasons(&parsed)[0].contains("never came"),
        "{:?}",
        parsed.defects
    );
    let many: String = (0..2_000)
        .map(|one| told(MMSI + one, OURS, "3")[0].clone() + "\n")
        .collect();
    assert!(!read(&many).defects.is_empty());
}

#[test]
fn what_stands_behind_a_sentence_in_its_line_is_read_too() {
    let [first, second] = told(MMSI, OURS, "3");
    let time = tag(&format!("c:{FIVE}"));
    let parsed = read(&format!("{time}{first}{second}\n"));
    assert_eq!(
        (ships(&parsed), reasons(&parsed)),
        (vec![OURS.to_string()], vec![])
    );
    let one = Position::moored(MMSI, PIER).line();
    let two = Position::moored(SECOND, PIER).line();
    let later = tag(&format!("c:{}", FIVE + 10));
    assert_eq!(seconds(&read(&format!("{time}{one}{later}{two}"))), [0, 10]);
    assert_eq!(seconds(&read(&format!("{one}{two},{FIVE}"))), [0, 0]);
    let hub = format!("{one},r003669946,{FIVE}{two},r003669946,{}", FIVE + 5);
    assert_eq!(seconds(&read(&hub)), [0, 5]);
}
