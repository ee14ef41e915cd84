//! Corrections of the box itself.

use domain::codes::ContainerNumber;
use domain::report::{Report, Verb};
use domain::timeline::{renamed, retracted};

use crate::telling::*;

/// A valid number other than [`BOX`].
const OTHER: &str = "MSCU6639871";

fn of(told: Told, number: &str) -> Told {
    let (number, _) = ContainerNumber::from_feed(number).unwrap();
    told.with(|report| report.equipment.as_mut().unwrap().number = number)
}

fn load(on: i64) -> Told {
    act(Verb::Load, "CNSHA", day(4))
        .laden()
        .id("x1")
        .issued(day(on))
}

/// Which of these were renamed, whatever the order in which they came.
fn judged(told: &[Told]) -> Vec<bool> {
    let said = reports(told);
    let forward: Vec<&Report> = said.iter().collect();
    let backward: Vec<&Report> = said.iter().rev().collect();
    let mut reversed = renamed(&backward);
    reversed.reverse();
    assert_eq!(renamed(&forward), reversed);
    reversed
}

#[test]
fn an_event_that_is_issued_anew_for_another_box_is_not_about_the_first() {
    assert_eq!(judged(&[load(5), of(load(6), OTHER)]), [true, false]);
    let back_again = [load(5), of(load(6), OTHER), load(7)];
    assert_eq!(judged(&back_again), [false, true, false]);
}

#[test]
fn what_is_no_correction_of_the_box_leaves_both() {
    let same_issue = [load(5), of(load(5), OTHER)];
    let undated = |told: Told| told.with(|report| report.reported_at = None);
    let without_dates = [undated(load(5)), undated(of(load(6), OTHER))];
    let nameless = |told: Told| told.with(|report| report.source_event_id = None);
    let without_ids = [nameless(load(5)), nameless(of(load(6), OTHER))];
    let another_move = [
        load(5),
        of(act(Verb::Discharge, "USLAX", day(9)).id("x1"), OTHER),
    ];
    let from_another = [
        load(5),
        of(load(6), OTHER).with(|report| report.source = "other".into()),
    ];
    // A vessel's event is told to each of its boxes in turn.
    let departs = |on| act(Verb::Depart, "CNSHA", day(4)).id("v1").issued(day(on));
    let of_a_vessel = [departs(5), of(departs(6), OTHER)];
    for told in [
        same_issue,
        without_dates,
        without_ids,
        another_move,
        from_another,
        of_a_vessel,
    ] {
        assert_eq!(judged(&told), [false, false], "{told:?}");
    }
}

#[test]
fn what_its_source_took_back_by_its_id_is_retracted() {
    let said = reports(&[load(5), retract("x1", day(6)), load(7)]);
    let said: Vec<&Report> = said.iter().collect();
    assert_eq!(retracted(&said), [true, false, false]);
}
