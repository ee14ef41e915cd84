//! Availability, appointments, seals and mass over time.

use domain::event::EventName;
use domain::report::{Precision, SourceKind, Value, Verb};
use rust_decimal::Decimal;

use crate::telling::*;

fn terminal(verb: Verb, when: jiff::Timestamp) -> Told {
    act(verb, "USLAX", when).from("terminal", SourceKind::TerminalApi)
}

#[test]
fn each_change_of_availability_is_told_once() {
    let mut story = direct()[..8].to_vec();
    let word = |free: bool, hour| {
        terminal(
            if free {
                Verb::Available
            } else {
                Verb::NotAvailable
            },
            at(21, hour),
        )
    };
    story.extend([
        word(false, 1),
        word(false, 2),
        word(true, 3),
        word(false, 4),
        word(true, 5),
    ]);
    let state = state(&story);
    let slots: Vec<(EventName, u32, jiff::Timestamp)> = state.milestones[6..]
        .iter()
        .map(|m| (m.slot.event, m.slot.occurrence, m.at))
        .collect();
    assert_eq!(
        slots,
        [
            (EventName::NotAvailable, 0, at(21, 1)),
            (EventName::Available, 0, at(21, 3)),
            (EventName::NotAvailable, 1, at(21, 4)),
            (EventName::Available, 1, at(21, 5)),
        ]
    );
    assert_eq!(state.pickup.available, Some(true));
}

#[test]
fn after_collection_availability_stays_as_it_was() {
    let mut story = direct()[..9].to_vec();
    story.push(terminal(Verb::Available, at(21, 0)));
    story.push(terminal(Verb::NotAvailable, at(24, 0)));
    assert_eq!(state(&story).pickup.available, Some(true));
}

#[test]
fn the_last_appointment_and_the_last_place_in_the_yard_stand() {
    let mut story = direct()[..8].to_vec();
    let appointment =
        |on| terminal(Verb::Appointment, day(on)).worth(Value::Appointment(day(on + 2)));
    story.extend([appointment(22), appointment(21)]);
    story.push(terminal(Verb::Document, day(21)).worth(Value::YardLocation("A12".into())));
    let pickup = state(&story).pickup;
    assert_eq!(pickup.appointment, Some(day(24)));
    assert_eq!(pickup.yard_location.as_deref(), Some("A12"));
    assert_eq!(pickup.terminal_checked_at, Some(at(22, 1)));
}

#[test]
fn seals_are_a_union_and_masses_must_be_possible() {
    let sealed = |told: Told, seals: &[&str], kg: i64| {
        let seals: Vec<String> = seals.iter().map(|s| (*s).to_owned()).collect();
        told.with(|r| {
            let equipment = r.equipment.as_mut().unwrap();
            equipment.seals = seals;
            equipment.gross_kg = Some(Decimal::from(kg));
        })
    };
    let load = || act(Verb::Load, "CNSHA", day(4)).aboard(FIRST).laden();
    let story = [
        sealed(load(), &["CAR1", "SHI1"], 24_000),
        sealed(
            act(Verb::Discharge, "USLAX", day(20)).aboard(FIRST).laden(),
            &["SHI1"],
            400_000,
        ),
        sealed(terminal(Verb::GateIn, day(21)), &[], 24_650),
    ];
    let state = state(&story);
    assert_eq!(state.seals, ["CAR1", "SHI1"]);
    assert_eq!(state.gross_kg, Some(Decimal::from(24_650)));
    assert!(
        state
            .milestones
            .iter()
            .all(|m| m.precision == Precision::Minute)
    );
}
