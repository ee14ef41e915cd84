//! Where a box stands once it is ashore, and whose word counts there.

use domain::container::{CurrentStatus, Fee, FeeKind};
use domain::report::{FacilityType, Mode, SourceKind, Value, Verb};
use jiff::Timestamp;
use rust_decimal::Decimal;

use crate::telling::*;

/// Discharged at Los Angeles, and to go on to Chicago by rail.
fn landed() -> Vec<Told> {
    let mut story = direct()[..8].to_vec();
    story.push(
        est(Verb::Arrive, "USCHI", at(27, 6))
            .by(Mode::Rail)
            .of_bill(),
    );
    story
}

fn rail(verb: Verb, port: &str, when: Timestamp) -> Told {
    act(verb, port, when).by(Mode::Rail).laden()
}

fn truck(verb: Verb, port: &str, when: Timestamp) -> Told {
    act(verb, port, when).by(Mode::Truck).laden()
}

/// The train from Los Angeles to Chicago.
fn train() -> [Told; 4] {
    [
        rail(Verb::Load, "USLAX", at(22, 10)),
        rail(Verb::Depart, "USLAX", at(22, 20)),
        rail(Verb::Arrive, "USCHI", at(27, 6)),
        rail(Verb::Discharge, "USCHI", at(27, 10)),
    ]
}

/// What the railroad says.
fn road(verb: Verb, port: &str, when: Timestamp) -> Told {
    act(verb, port, when).from("road", SourceKind::RailApi)
}

fn demurrage(amount: i64) -> Value {
    Value::Fee(Fee {
        kind: FeeKind::Demurrage,
        amount: Some(Decimal::from(amount)),
        currency: "USD".into(),
    })
}

#[test]
fn a_dated_unloading_puts_the_box_on_the_ground() {
    let mut story = landed();
    story.extend(train());
    let unloaded = story.pop().unwrap();
    story.push(unloaded.dated());
    assert_eq!(state(&story).status, CurrentStatus::Grounded);
    story.push(road(Verb::Available, "USCHI", at(27, 14)));
    story.push(road(Verb::Fee, "USCHI", at(27, 15)).worth(demurrage(40)));
    let free = state(&story);
    assert_eq!(free.status, CurrentStatus::Available);
    assert_eq!(free.pickup.fees.len(), 1);
    // Put on the next train on that day.
    story.push(rail(Verb::Load, "USCHI", at(27, 18)));
    assert_eq!(state(&story).status, CurrentStatus::OnRail);
}

#[test]
fn a_dated_departure_by_rail_on_the_day_of_the_discharge_is_after_it() {
    let mut story = landed();
    story.push(rail(Verb::Depart, "USLAX", at(20, 22)).dated());
    assert_eq!(state(&story).status, CurrentStatus::OnRail);
}

#[test]
fn a_dated_gate_of_a_yard_is_behind_the_terminals_gate_of_that_day() {
    let mut story = direct()[..9].to_vec();
    let yard = truck(Verb::GateIn, "USLAX", at(23, 14)).facility(FacilityType::OffDock);
    story.push(yard.dated());
    assert_eq!(state(&story).status, CurrentStatus::OffDock);
    let out = truck(Verb::GateOut, "USLAX", at(23, 18)).facility(FacilityType::OffDock);
    story.push(out);
    assert_eq!(state(&story).status, CurrentStatus::PickedUp);
}
