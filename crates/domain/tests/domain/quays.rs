//! Stops at a quay.

use domain::codes::UnLocode;
use domain::geography::Point;
use domain::report::{Report, SourceKind, Verb};
use domain::vessel::{Position, Quay, Seen, is_moved, last_sure, stops};
use jiff::{SignedDuration, Timestamp};

use crate::telling::{FIRST, SECOND, act, at};

const PIER: (f64, f64) = (33.735, -118.255);
const NEXT: (f64, f64) = (33.755, -118.275);
const FAR: (f64, f64) = (33.755, -118.171);

fn quay(terminal: &str, middle: (f64, f64)) -> Quay {
    Quay {
        port: UnLocode::parse("USLAX").unwrap(),
        terminal: terminal.into(),
        middle: Point::of(middle),
        radius_km: 1.0,
    }
}

fn seen(when: Timestamp, place: (f64, f64), knots: f64, moored: Option<bool>) -> Seen {
    Seen {
        position: Position {
            at: when,
            point: Point::of(place),
            heading: None,
            speed_knots: Some(knots),
        },
        moored,
    }
}

fn told(track: &[Seen]) -> Vec<String> {
    let quays = [quay("A", PIER), quay("B", NEXT), quay("C", FAR)];
    let found = stops(track, &quays);
    let each = found.iter();
    each.map(|stop| format!("{} {} {}", stop.quay.terminal, stop.from, stop.until))
        .collect()
}

#[test]
fn a_vessel_is_alongside_when_it_lies_still_at_a_quay() {
    let minute = |minutes| at(20, 5) + SignedDuration::from_mins(minutes);
    let still = |minutes, place| seen(minute(minutes), place, 0.1, None);
    let arriving = seen(minute(-30), PIER, 4.0, None);
    let short = [
        arriving,
        still(0, PIER),
        still(19, PIER),
        seen(minute(20), PIER, 3.0, None),
    ];
    assert_eq!(told(&short), [""; 0], "a pause is no stop");
    let long = [still(20, PIER), arriving, still(0, PIER), still(0, PIER)];
    assert_eq!(told(&long), ["A 2026-03-21T05:00:00Z 2026-03-21T05:20:00Z"]);
    let moved = [
        still(0, PIER),
        still(30, PIER),
        still(40, NEXT),
        still(80, NEXT),
    ];
    assert_eq!(told(&moved).len(), 2, "two quays are two stops");
    let off = [still(0, (33.6, -118.1)), still(60, (33.6, -118.1))];
    assert_eq!(told(&off), [""; 0], "drifting in the roads is none");
}

#[test]
fn the_vessels_own_word_counts_when_it_fits() {
    let one = |knots, moored| [seen(at(20, 5), PIER, knots, moored)];
    assert_eq!(told(&one(0.0, Some(true))).len(), 1);
    assert_eq!(told(&one(7.0, Some(true))), [""; 0], "forgotten");
    let anchored = [
        seen(at(20, 5), PIER, 0.0, Some(false)),
        seen(at(20, 7), PIER, 0.0, Some(false)),
    ];
    assert_eq!(told(&anchored), [""; 0], "at anchor");
}

#[test]
fn sightings_far_apart_are_two_stops() {
    let moored = |hour| seen(at(20, hour), PIER, 0.0, Some(true));
    assert_eq!(told(&[moored(1), moored(7)]).len(), 1);
    assert_eq!(told(&[moored(1), moored(8)]).len(), 2);
}

#[test]
fn a_position_tells_its_age() {
    let position = seen(at(20, 5), PIER, 0.0, None).position;
    assert_eq!(position.age(at(20, 7)), SignedDuration::from_hours(2));
    assert_eq!(position.age(at(20, 4)), SignedDuration::ZERO);
}

const AT_SEA: (f64, f64) = (30.0, -150.0);

#[test]
fn a_vessel_that_is_seen_at_sea_and_at_the_quay_in_turns_is_not_alongside() {
    let minute = |minutes| at(20, 5) + SignedDuration::from_mins(minutes);
    let moored = |minutes| seen(minute(minutes), PIER, 0.0, Some(true));
    let sails = |minutes| seen(minute(minutes), AT_SEA, 18.0, Some(false));
    let in_turns = |first: i64, every: i64| -> Vec<Seen> {
        let sea = (0..600).step_by(usize::try_from(every).unwrap());
        let quay = (first..600).step_by(5);
        sea.map(sails).chain(quay.map(moored)).collect()
    };
    for (first, every) in [(2, 5), (0, 5), (2, 30), (0, 60)] {
        assert_eq!(told(&in_turns(first, every)), [""; 0], "{first} {every}");
    }
    assert_eq!(told(&[moored(0), sails(2)]), [""; 0], "the quay first");
}

#[test]
fn a_single_false_sighting_delays_a_stop_and_does_not_end_one() {
    let minute = |minutes| at(20, 5) + SignedDuration::from_mins(minutes);
    let moored = |minutes| seen(minute(minutes), PIER, 0.0, Some(true));
    let false_one = |minutes| seen(minute(minutes), AT_SEA, 0.0, None);
    let other_quay = |minutes| seen(minute(minutes), FAR, 0.0, Some(true));
    let lies = |from: i64, to: i64| (from..=to).step_by(30).map(moored);
    let one = "A 2026-03-21T05:00:00Z 2026-03-21T08:00:00Z";
    let within: Vec<Seen> = lies(0, 180).chain([false_one(40)]).collect();
    assert_eq!(told(&within), [one]);
    let several: Vec<Seen> = lies(0, 180).chain((31..50).map(false_one)).collect();
    assert_eq!(told(&several), [one], "the other ship goes on");
    let elsewhere: Vec<Seen> = lies(0, 180).chain([other_quay(32)]).collect();
    assert_eq!(told(&elsewhere), [one], "at another quay");
    let moved: Vec<Seen> = lies(0, 30)
        .chain((32..=232).step_by(5).map(other_quay))
        .collect();
    assert_eq!(told(&moved).len(), 2, "it lies there");
    let before: Vec<Seen> = lies(0, 180).chain([false_one(-2)]).collect();
    assert_eq!(told(&before), [one]);
    let soon: Vec<Seen> = lies(0, 90).chain([false_one(-2)]).collect();
    assert_eq!(told(&soon), [""; 0], "nobody knows yet");
    let away: Vec<Seen> = lies(0, 60)
        .chain([seen(minute(90), (33.6, -118.2), 12.0, Some(false))])
        .chain(lies(120, 180))
        .collect();
    assert_eq!(told(&away).len(), 2, "it sailed and came back");
}

#[test]
fn a_sighting_that_says_nothing_of_motion_ends_no_stop_and_makes_none() {
    let minute = |minutes| at(20, 5) + SignedDuration::from_mins(minutes);
    let still = |minutes| seen(minute(minutes), PIER, 0.1, None);
    let silent = |minutes, place| {
        let mut seen = seen(minute(minutes), place, 0.0, None);
        seen.position.speed_knots = None;
        seen
    };
    let stays = [still(0), silent(10, PIER), still(25), silent(30, PIER)];
    assert_eq!(
        told(&stays),
        ["A 2026-03-21T05:00:00Z 2026-03-21T05:30:00Z"]
    );
    let nothing: Vec<Seen> = (0..60).map(|minutes| silent(minutes, PIER)).collect();
    assert_eq!(told(&nothing), [""; 0]);
    let roads = (33.6, -118.2);
    let away = [still(0), still(25), silent(60, roads), still(100)];
    let left = ["A 2026-03-21T05:00:00Z 2026-03-21T05:25:00Z"];
    assert_eq!(told(&away), left, "it is elsewhere");
}

#[test]
fn a_ship_that_was_far_away_is_there_when_it_can_have_come() {
    let minute = |minutes| at(20, 5) + SignedDuration::from_mins(minutes);
    // Another ship with the same radio, under way for an hour, and then ours lies at the quay.
    let sails = (-60..0).step_by(5);
    let sails = sails.map(|minutes| seen(minute(minutes), AT_SEA, 18.0, Some(false)));
    let moored = |until: i64| {
        let each = (1..=until).step_by(10);
        each.map(|minutes| seen(minute(minutes), PIER, 0.0, Some(true)))
    };
    let track: Vec<Seen> = sails.clone().chain(moored(12 * 60)).collect();
    assert_eq!(told(&track), [""; 0], "that it goes on is no proof");
    let track: Vec<Seen> = sails.chain(moored(40 * 60)).collect();
    assert_eq!(told(&track).len(), 1, "so long a way takes a day and more");
}

/// A radio that does not know yet where it is sends the last place it knew, more than once.
#[test]
fn what_was_seen_for_a_moment_keeps_no_ship_away_from_where_it_lies() {
    let second = |seconds| at(20, 5) + SignedDuration::from_secs(seconds);
    let started = [0, 30].map(|seconds| seen(second(seconds), AT_SEA, 0.0, Some(false)));
    let moored = (1..=24).map(|tens| seen(second(tens * 600), PIER, 0.0, Some(true)));
    let track: Vec<Seen> = started.into_iter().chain(moored).collect();
    assert_eq!(told(&track).len(), 1);
    let positions: Vec<Position> = track.iter().map(|seen| seen.position).collect();
    assert_eq!(last_sure(&positions), positions.last().copied());
}

/// Two radios of one ship, and a false place before.
#[test]
fn where_a_ship_was_seen_to_be_it_stays_though_another_one_is_seen_for_as_long() {
    let minute = |minutes| at(20, 5) + SignedDuration::from_mins(minutes);
    let moored = |minutes, place| seen(minute(minutes), place, 0.0, Some(true));
    let false_one = seen(minute(-2), (37.9, -123.5), 0.0, Some(false));
    let ours = (0..=120)
        .step_by(10)
        .map(|minutes| moored(minutes + 1, PIER));
    let oakland = (37.795, -122.3);
    let others = (0..=120)
        .step_by(5)
        .map(|minutes| moored(minutes + 125, oakland));
    let track: Vec<Seen> = [false_one].into_iter().chain(ours).chain(others).collect();
    let positions: Vec<Position> = track.iter().map(|seen| seen.position).collect();
    assert_eq!(last_sure(&positions).map(|last| last.at), Some(minute(121)));
}

#[test]
fn while_a_place_is_in_doubt_the_last_one_before_it_is_where_a_ship_is() {
    let minute = |minutes| at(20, 5) + SignedDuration::from_mins(minutes);
    let here = |minutes: i64| seen(minute(minutes), PIER, 8.5, Some(false));
    let far = |minutes: i64| seen(minute(minutes), AT_SEA, 8.5, Some(false));
    let last = |track: &[Seen]| {
        let positions: Vec<Position> = track.iter().map(|seen| seen.position).collect();
        last_sure(&positions)
    };
    assert_eq!(last(&[]), None);
    assert_eq!(last(&[far(0)]), Some(far(0).position));
    let came: Vec<Seen> = (0..5).map(here).chain([far(6)]).collect();
    assert_eq!(last(&came), Some(here(4).position));
    let back: Vec<Seen> = came.iter().copied().chain([here(9)]).collect();
    assert_eq!(last(&back), Some(here(9).position));
    let stays: Vec<Seen> = came.iter().copied().chain((7..100).map(far)).collect();
    assert_eq!(last(&stays), Some(here(4).position));
    let long: Vec<Seen> = came.iter().copied().chain((7..3_000).map(far)).collect();
    assert_eq!(last(&long), Some(far(2_999).position), "it can have come");
    // A single one before many is the false one.
    let single: Vec<Seen> = [far(0)].into_iter().chain((1..130).map(here)).collect();
    assert_eq!(last(&single), Some(here(129).position));
}

/// A stop that began at this minute and was sure 20 minutes later.
fn stop(quay: &str, minute: i64, imo: &str, source: &str) -> Report {
    let from = at(20, 5) + SignedDuration::from_mins(minute);
    let told = act(Verb::Berth, "USLAX", from).aboard(imo);
    let told = told.from(source, SourceKind::Ais).with(|report| {
        report.place.facility_code = Some(quay.into());
        report.reported_at = Some(from + SignedDuration::from_mins(20));
    });
    told.0
}

#[test]
fn a_stay_is_moved_where_its_source_tells_the_same_time_of_another_quay() {
    let stood = stop("A", 0, FIRST, "receiver");
    for (minute, quay, imo, source, moved) in [
        (0, "B", FIRST, "receiver", true),
        (20, "B", FIRST, "receiver", true),
        (-20, "B", FIRST, "receiver", true),
        (21, "B", FIRST, "receiver", false),
        (0, "A", FIRST, "receiver", false),
        (5, "A", FIRST, "receiver", false),
        (0, "B", SECOND, "receiver", false),
        (0, "B", FIRST, "another", false),
    ] {
        let told = stop(quay, minute, imo, source);
        assert_eq!(
            is_moved(&stood, &told),
            moved,
            "{minute} {quay} {imo} {source}"
        );
        assert_eq!(
            is_moved(&told, &stood),
            moved,
            "{minute} {quay} {imo} {source}"
        );
    }
}
