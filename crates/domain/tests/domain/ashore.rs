//! Where a box stands once it is ashore, and whose word counts there.

use domain::container::{ContainerState, CurrentStatus, Fee, FeeKind};
use domain::event::EventName;
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

/// The words on availability that were told.
fn words(state: &ContainerState) -> Vec<(String, Timestamp)> {
    let is_word = |m: &&domain::container::Milestone| {
        matches!(m.slot.event, EventName::Available | EventName::NotAvailable)
    };
    let name = |m: &domain::container::Milestone| {
        let event = m.slot.event.as_str().rsplit('.').next().unwrap();
        format!("{event} {}", m.slot.place.unwrap())
    };
    let told = state.milestones.iter().filter(is_word);
    told.map(|m| (name(m), m.at)).collect()
}

fn full_outs(story: &[Told]) -> Vec<String> {
    let mut all = events(&state(story));
    all.retain(|event| event.starts_with("full_out"));
    all
}

#[test]
fn a_dray_to_a_ramp_is_not_the_collection() {
    for with_gate_in in [false, true] {
        let mut story = landed();
        story.push(truck(Verb::GateOut, "USLAX", at(21, 9)));
        assert_eq!(state(&story).status, CurrentStatus::PickedUp);
        if with_gate_in {
            let ramp = truck(Verb::GateIn, "USLAX", at(21, 14)).facility(FacilityType::Ramp);
            story.push(ramp);
            assert_eq!(state(&story).status, CurrentStatus::OffDock);
        }
        let stages = [
            CurrentStatus::OnRail,
            CurrentStatus::OnRail,
            CurrentStatus::OnRail,
            CurrentStatus::Grounded,
        ];
        for (told, stage) in train().into_iter().zip(stages) {
            story.push(told);
            assert_eq!(state(&story).status, stage, "{with_gate_in}");
        }
        story.push(act(Verb::Available, "USCHI", at(27, 14)));
        let free = state(&story);
        assert_eq!(words(&free), [("available USCHI".into(), at(27, 14))]);
        assert_eq!(free.pickup.available, Some(true));
        assert_eq!(free.status, CurrentStatus::Available);
        story.push(truck(Verb::GateOut, "USCHI", at(28, 9)));
        story.push(road(Verb::NotAvailable, "USCHI", at(28, 12)));
        let collected = state(&story);
        assert_eq!(collected.status, CurrentStatus::PickedUp);
        assert_eq!(words(&collected).len(), 1, "it has left");
    }
}

/// A date stands for any minute of its day.
#[test]
fn a_dray_and_a_train_of_one_day_are_told_in_either_precision() {
    let dray = truck(Verb::GateOut, "USLAX", at(22, 9));
    for (dray, load) in [
        (dray.clone().dated(), rail(Verb::Load, "USLAX", at(22, 18))),
        (dray.clone(), rail(Verb::Load, "USLAX", at(22, 18)).dated()),
    ] {
        let mut story = landed();
        story.extend([dray, load]);
        assert_eq!(state(&story).status, CurrentStatus::OnRail);
    }
}

#[test]
fn a_cross_town_leg_between_two_trains_is_not_the_collection() {
    let mut story = landed();
    let onward = est(Verb::Arrive, "USMEM", at(30, 6)).by(Mode::Rail);
    story.push(onward.of_bill());
    story.extend(train());
    story.push(truck(Verb::GateOut, "USCHI", at(27, 15)));
    assert_eq!(full_outs(&story), [""; 0], "it is to go on from here");
    assert_ne!(state(&story).status, CurrentStatus::PickedUp);
    let mut unpacked = story.clone();
    unpacked.push(
        act(Verb::GateIn, "USCHI", at(29, 9))
            .by(Mode::Truck)
            .empty(),
    );
    assert_eq!(
        full_outs(&unpacked),
        ["full_out USCHI"],
        "the empty proves that it was collected after all"
    );
    story.push(truck(Verb::GateIn, "USCHI", at(27, 18)));
    story.push(rail(Verb::Load, "USCHI", at(28, 4)));
    assert_eq!(state(&story).status, CurrentStatus::OnRail);
    story.extend([
        rail(Verb::Arrive, "USMEM", at(30, 4)),
        rail(Verb::Discharge, "USMEM", at(30, 8)),
        road(Verb::Available, "USMEM", at(30, 9)),
    ]);
    let free = state(&story);
    assert_eq!(words(&free), [("available USMEM".into(), at(30, 9))]);
    assert_eq!(free.status, CurrentStatus::Available);
    story.push(truck(Verb::GateOut, "USMEM", at(31, 9)));
    assert_eq!(full_outs(&story), ["full_out USMEM"]);
    assert_eq!(state(&story).status, CurrentStatus::PickedUp);
}

/// The plan named nothing beyond Chicago when the box left the ramp there.
#[test]
fn a_gate_out_at_the_last_ramp_known_is_the_collection_until_a_train_goes_on() {
    let mut story = landed();
    story.extend(train());
    story.push(truck(Verb::GateOut, "USCHI", at(27, 15)));
    assert_eq!(state(&story).status, CurrentStatus::PickedUp);
    // The train goes on without the box.
    story.push(rail(Verb::Depart, "USCHI", at(27, 18)).of_bill());
    assert_eq!(state(&story).status, CurrentStatus::PickedUp);
    story.pop();
    story.extend([
        rail(Verb::Load, "USCHI", at(28, 4)),
        rail(Verb::Arrive, "USMEM", at(30, 4)),
    ]);
    assert_eq!(state(&story).status, CurrentStatus::OnRail);
}

#[test]
fn a_box_collected_at_the_port_stays_collected_whatever_a_railroad_says_later() {
    let collected = direct()[..9].to_vec();
    for stray in [
        vec![road(Verb::Load, "USCHI", at(40, 0)).by(Mode::Rail)],
        vec![road(Verb::Arrive, "USLAX", at(25, 0)).by(Mode::Rail)],
        vec![
            road(Verb::Depart, "USLAX", at(24, 0))
                .by(Mode::Rail)
                .empty(),
        ],
        vec![
            road(Verb::Depart, "USCHI", at(40, 0)).by(Mode::Rail),
            road(Verb::Arrive, "USMEM", at(43, 0)).by(Mode::Rail),
            road(Verb::Available, "USMEM", at(43, 5)),
        ],
    ] {
        let mut story = collected.clone();
        story.extend(stray);
        let held = state(&story);
        assert_eq!(held.status, CurrentStatus::PickedUp);
        assert_eq!(words(&held), []);
    }
    let mut delivered = collected;
    delivered.extend([
        truck(Verb::Dropoff, "USOAK", at(24, 0)).facility(FacilityType::CustomerLocation),
        road(Verb::Load, "USLAX", at(25, 0)).by(Mode::Rail),
        road(Verb::Available, "USLAX", at(26, 0)),
    ]);
    assert_eq!(state(&delivered).status, CurrentStatus::Delivered);
    assert_eq!(words(&state(&delivered)), []);
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
