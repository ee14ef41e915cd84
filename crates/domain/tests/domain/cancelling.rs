//! Bookings that are cancelled, and those that were.

use domain::report::{Report, Value, Verb};
use domain::timeline::booking_cancelled;
use jiff::{SignedDuration, Timestamp};

use crate::telling::*;

fn paper(on: i64, value: Value) -> Told {
    act(Verb::Document, "", day(on)).of_bill().worth(value)
}

fn cancelled(on: i64) -> Told {
    paper(on, Value::BookingCancelled)
}

fn confirmed(on: i64) -> Told {
    paper(on, Value::BookingConfirmed)
}

/// When the cancellation that stands was heard, whatever the order in which all of it came.
fn judged(told: &[Told]) -> Option<Timestamp> {
    let said = reports(told);
    let forward: Vec<&Report> = said.iter().collect();
    let backward: Vec<&Report> = said.iter().rev().collect();
    assert_eq!(booking_cancelled(&forward), booking_cancelled(&backward));
    booking_cancelled(&forward)
}

/// A word of this day was heard an hour later.
fn heard(on: i64) -> Timestamp {
    day(on) + SignedDuration::from_hours(1)
}

#[test]
fn the_last_word_about_a_booking_counts() {
    assert_eq!(judged(&[confirmed(1)]), None);
    assert_eq!(judged(&[cancelled(5)]), Some(heard(5)));
    assert_eq!(judged(&[confirmed(1), cancelled(5)]), Some(heard(5)));
    let again = [confirmed(1), cancelled(5), confirmed(7)];
    assert_eq!(judged(&again), None);
    let at_last = [cancelled(5), confirmed(7), cancelled(9)];
    assert_eq!(judged(&at_last), Some(heard(9)));
}

#[test]
fn a_laden_box_on_its_way_is_of_a_booking_that_lives() {
    let load = act(Verb::Load, "CNSHA", day(9));
    let gate = act(Verb::GateIn, "CNSHA", day(9));
    for (moved, is_cancelled) in [
        (load.clone().laden(), false),
        (load.clone(), false),
        (load.clone().empty(), true),
        (gate.clone().laden(), false),
        (gate.empty(), true),
        (pln(Verb::Load, "CNSHA", day(9)).laden(), true),
        (act(Verb::Load, "CNSHA", day(4)).laden(), true),
    ] {
        let judged = judged(&[cancelled(5), moved.clone()]);
        assert_eq!(judged.is_some(), is_cancelled, "{moved:?}");
    }
}

#[test]
fn a_cancellation_that_was_taken_back_is_none() {
    let told = [cancelled(5).id("s2"), retract("s2", day(6))];
    assert_eq!(judged(&told), None);
}
