//! One departure through the gate is told once, wherever sources put it.

use domain::container::{ContainerState, QualityFlag};
use domain::event::{Change, EventName, difference};
use domain::report::{FacilityType, Mode, SourceKind, Verb};
use jiff::{SignedDuration, Timestamp};

use crate::telling::*;

fn landed() -> Vec<Told> {
    direct()[..8].to_vec()
}

fn out(place: &str, when: Timestamp, id: &str) -> Told {
    act(Verb::GateOut, place, when)
        .by(Mode::Truck)
        .laden()
        .id(id)
}

fn trucker(told: Told) -> Told {
    told.from("trucker", SourceKind::X12_214)
}

/// The gates that stand, in whatever order the claims come.
fn gates(more: &[Told]) -> Vec<String> {
    let mut story = landed();
    story.extend_from_slice(more);
    let told = state(&story);
    story.reverse();
    assert_eq!(state(&story), told, "in another order");
    let all = events(&told).into_iter();
    all.filter(|event| event.starts_with("full_out")).collect()
}

/// How often `full_out` fires from one state to the next, and the attribute that follows.
fn fired(before: &ContainerState, after: &ContainerState) -> (usize, Option<Timestamp>) {
    let changes = difference(Some(before), after);
    let fires = changes.iter().filter(|change| match change {
        Change::Stands(m) | Change::Replaced { after: m, .. } => m.slot.event == EventName::FullOut,
        _ => false,
    });
    let times = after.milestone_times();
    let (_, out) = times
        .iter()
        .find(|(name, _)| *name == "pod_full_out_at")
        .unwrap();
    (fires.count(), *out)
}

#[test]
fn a_gate_that_gets_its_place_later_is_told_once() {
    let early = at(23, 18);
    let late = early + SignedDuration::from_mins(5);
    let mut story = landed();
    let before = state(&story);
    story.push(out("", early, "a"));
    let unplaced = state(&story);
    assert_eq!(fired(&before, &unplaced), (1, Some(early)));
    story.push(out("USLAX", late, "b"));
    let placed = state(&story);
    let (times, shown) = fired(&unplaced, &placed);
    assert_eq!(times, 0, "the same gate, and now its place is known");
    assert_eq!(shown, placed.milestone(EventName::FullOut).map(|m| m.at));
    // And it is no news that the place is taken back.
    story.push(retract("b", day(24)));
    assert_eq!(fired(&placed, &state(&story)), (0, Some(early)));
}

#[test]
fn a_gate_at_two_ports_is_the_one_where_the_box_was_discharged() {
    let early = at(23, 18);
    let minutes = |n| early + SignedDuration::from_mins(n);
    let here = out("USLAX", minutes(5), "b");
    let there = out("USLGB", minutes(3), "c");
    assert_eq!(gates(&[here.clone(), there.clone()]), ["full_out USLAX"]);
    assert_eq!(
        gates(&[out("", early, "a"), here.clone(), there.clone()]),
        ["full_out USLAX"],
        "what names no place belongs to the one that stands"
    );
    let mut story = landed();
    story.extend([here.clone()]);
    let before = state(&story);
    story.push(there.clone());
    let after = state(&story);
    assert_eq!(fired(&before, &after), (0, Some(minutes(5))));
    assert_eq!(after.flags, [QualityFlag::PlacesDiffer]);
    // Somebody else may be hours off; where nobody names the port of discharge, what is told stands.
    let by_another = trucker(out("USLGB", at(23, 9), "d"));
    assert_eq!(gates(&[here, by_another]), ["full_out USLAX"]);
    assert_eq!(gates(&[there]), ["full_out USLGB"]);
}

#[test]
fn two_gates_of_one_day_are_two_when_the_box_was_moved_between_them() {
    let (first, second) = (at(23, 8), at(23, 16));
    let here = out("USLAX", first, "b");
    let there = out("USLGB", second, "c");
    let two = ["full_out USLAX", "full_out USLGB"];
    assert_eq!(
        gates(&[here.clone(), there.clone()]),
        two,
        "one source that tells of two gates hours apart means two"
    );
    let into_the_yard = act(Verb::GateIn, "USLGB", at(23, 10))
        .by(Mode::Truck)
        .laden();
    let by_another = trucker(there.clone());
    assert_eq!(gates(&[here.clone(), into_the_yard, by_another]), two);
    let yard = trucker(there.facility(FacilityType::OffDock));
    assert_eq!(gates(&[here.clone(), yard]), two);
    let next_day = trucker(out("USLGB", at(24, 9), "d"));
    assert_eq!(gates(&[here, next_day]), two);
}

/// When the box went out, in the order in which it did.
fn outs(more: &[Told]) -> Vec<Timestamp> {
    let mut story = landed();
    story.extend_from_slice(more);
    let told = state(&story);
    story.reverse();
    assert_eq!(told.milestones, state(&story).milestones);
    let outs = told.milestones.iter();
    let outs = outs.filter(|m| m.slot.event == EventName::FullOut);
    outs.map(|m| m.at).collect()
}

/// Nobody tells when it came to the yard.
#[test]
fn the_gate_of_a_yard_that_names_no_facility_is_not_that_of_the_terminal() {
    let (first, second) = (at(23, 4), at(25, 0));
    let gate = |when: Timestamp, id: &str| out("USLAX", when, id).from("gate", SourceKind::Codeco);
    let (from_quay, from_yard) = (gate(first, "g1"), gate(second, "g2"));
    let quay = out("USLAX", first, "a").facility(FacilityType::PortTerminal);
    let yard = out("USLAX", second, "b").facility(FacilityType::OffDock);
    let all = [
        from_quay.clone(),
        quay.clone(),
        from_yard.clone(),
        yard.clone(),
    ];
    assert_eq!(outs(&all), [first, second]);
    assert_eq!(
        outs(&[from_quay, yard.clone()]),
        [first, second],
        "each belongs to what is nearer"
    );
    assert_eq!(outs(&[from_yard, yard.clone()]), [second], "it went once");
    let soon = first + SignedDuration::from_hours(7);
    let yard = out("USLAX", soon, "b").facility(FacilityType::OffDock);
    let both = [gate(first, "g1"), quay, yard.clone(), gate(soon, "g2")];
    assert_eq!(outs(&both), [first, soon]);
    assert_eq!(
        outs(&[gate(first, "g1"), yard.clone()]),
        [first, soon],
        "hours apart they are not one"
    );
    let last = at(30, 9);
    let elsewhere = out("USCHI", last, "c").facility(FacilityType::InlandTerminal);
    assert_eq!(
        outs(&[gate(first, "g1"), yard, elsewhere]),
        [first, soon, last],
        "what is told of another town says nothing of these"
    );
}

#[test]
fn the_gate_of_the_inland_destination_is_a_gate_of_its_own() {
    let mut story = landed();
    story.push(pln(Verb::Arrive, "USCHI", day(28)).by(Mode::Rail));
    story.push(out("USLAX", at(23, 8), "b"));
    story.push(trucker(out("USCHI", at(23, 18), "c")));
    let told = events(&state(&story));
    assert!(told.contains(&"full_out USLAX".to_owned()), "{told:?}");
    assert!(told.contains(&"full_out USCHI".to_owned()), "{told:?}");
}

/// A line that names with each move the voyage of the goods names it with their gates, too.
#[test]
fn a_gate_of_which_the_ship_is_named_is_a_gate() {
    let by_ship = |told: Told| match told.0.verb {
        Verb::GateIn | Verb::GateOut => told.aboard(FIRST),
        _ => told,
    };
    let named: Vec<Told> = direct().into_iter().map(by_ship).collect();
    assert_eq!(events(&state(&named)), events(&state(&direct())));
}

/// A 315 need not say whether the box is laden; an empty that goes out has a code of its own.
#[test]
fn what_leaves_the_port_first_after_the_landing_are_the_goods() {
    let untold = |on| act(Verb::GateOut, "USLAX", at(on, 9)).by(Mode::Truck);
    let goes_out = |more: &[Told]| {
        let mut story = landed();
        story.extend_from_slice(more);
        let told = events(&state(&story));
        told.iter().filter(|one| *one == "full_out USLAX").count()
    };
    assert_eq!(goes_out(&[untold(23)]), 1);
    assert_eq!(goes_out(&[untold(19)]), 0, "before the ship");
    assert_eq!(goes_out(&[untold(23), untold(25)]), 1);
    let laden = act(Verb::GateOut, "USLAX", at(22, 9))
        .by(Mode::Truck)
        .laden();
    assert_eq!(goes_out(&[laden, untold(25)]), 1);
    let empty = act(Verb::GateIn, "USLAX", at(22, 9))
        .by(Mode::Truck)
        .empty();
    assert_eq!(goes_out(&[empty, untold(25)]), 0);
    let other_clock = act(Verb::GateOut, "USLAX", at(23, 10))
        .by(Mode::Truck)
        .empty();
    assert_eq!(
        goes_out(&[untold(23), other_clock.from("gate", SourceKind::Codeco)]),
        0
    );
    let inland = act(Verb::Arrive, "USCHI", at(25, 9)).by(Mode::Rail).laden();
    assert_eq!(goes_out(&[inland, untold(38)]), 0);
    let by_rail = act(Verb::Depart, "USLAX", at(22, 9)).by(Mode::Rail).laden();
    assert_eq!(goes_out(&[by_rail, untold(25)]), 0);
    // What goes with it does not speak against it: the truck it was put on, the trucker's own clock, the next yard's gate.
    let on_truck = act(Verb::Load, "USLAX", at(23, 8)).by(Mode::Truck).laden();
    assert_eq!(goes_out(&[on_truck, untold(23)]), 1);
    let trucker = act(Verb::GateOut, "USLAX", at(23, 13))
        .by(Mode::Truck)
        .laden();
    let trucker = trucker.from("dray", SourceKind::X12_214);
    let mut both = landed();
    both.extend([untold(23), trucker]);
    let out = state(&both).milestones;
    let out = out
        .iter()
        .filter(|one| one.slot.event.as_str() == "container.transport.full_out");
    assert_eq!(out.map(|one| one.at).collect::<Vec<_>>(), [at(23, 9)]);
    let next_yard = act(Verb::GateOut, "USLGB", at(23, 15))
        .by(Mode::Truck)
        .laden();
    assert_eq!(goes_out(&[untold(23), next_yard]), 1);
    let mut afloat = landed();
    afloat.truncate(7);
    afloat.push(untold(23));
    assert!(!events(&state(&afloat)).contains(&"full_out USLAX".to_owned()));
}
