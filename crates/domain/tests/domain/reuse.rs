//! The same steel on another trip, and the ways in which it has passed for ours.

use domain::container::CurrentStatus;
use domain::event::EventName;
use domain::report::{FacilityType, Mode, MoveHint, SourceKind, Verb};

use crate::telling::*;

fn ours() -> Vec<Told> {
    direct().into_iter().map(|told| told.bill("OURS")).collect()
}

fn road(verb: Verb, port: &str, when: jiff::Timestamp) -> Told {
    act(verb, port, when)
        .by(Mode::Rail)
        .laden()
        .from("road", SourceKind::Clm)
}

/// A railroad and a terminal know the box and not the bill.
#[test]
fn what_names_no_papers_counts_only_around_the_trip() {
    let before = events(&state(&ours()));
    let strays = [
        road(Verb::Arrive, "USCHI", day(-12)),
        road(Verb::Discharge, "USCHI", day(-11)),
        act(Verb::GateOut, "USCHI", day(-10))
            .by(Mode::Truck)
            .laden()
            .from("gate", SourceKind::Codeco),
        act(Verb::NotAvailable, "USLAX", day(-9)).from("terminal", SourceKind::TerminalApi),
        act(Verb::GateIn, "USOAK", day(30))
            .by(Mode::Truck)
            .laden()
            .from("gate", SourceKind::Codeco),
        act(Verb::Load, "USOAK", day(31))
            .by(Mode::Vessel)
            .laden()
            .from("quay", SourceKind::Coarri),
    ];
    for stray in &strays {
        let mut story = ours();
        story.push(stray.clone());
        let state = state(&story);
        assert_eq!(events(&state), before, "{stray:?}");
        assert_eq!(state.status, CurrentStatus::EmptyReturned, "{stray:?}");
    }
    let mut story = ours();
    story.extend(strays);
    assert_eq!(events(&state(&story)), before, "all together");
}

#[test]
fn a_gate_around_the_trip_counts_without_papers() {
    let mut story = ours();
    story.remove(1);
    story.push(
        act(Verb::GateOut, "CNSHA", at(-1, 8))
            .empty()
            .from("depot", SourceKind::Codeco),
    );
    assert_eq!(events(&state(&story))[0], "empty_out CNSHA");
}

/// The box was at sea: a train that carried it then carried somebody else's goods, on a date gone wrong.
#[test]
fn a_railroads_word_about_days_at_sea_is_dropped() {
    let mut story = ours()[..6].to_vec();
    story.push(road(Verb::Load, "USLAX", day(8)));
    story.push(road(Verb::Arrive, "USCHI", day(12)));
    let afloat = state(&story);
    assert_eq!(afloat.status, CurrentStatus::OnShip);
    assert!(afloat.milestone(EventName::RailArrived).is_none());
    assert!(
        afloat
            .milestone(EventName::ArrivedAtInlandDestination)
            .is_none()
    );

    let mut landed = ours()[..8].to_vec();
    landed.push(road(Verb::Load, "USLAX", at(19, 2)));
    assert!(state(&landed).milestone(EventName::RailLoaded).is_none());
    landed.push(road(Verb::Load, "USLAX", at(19, 16)));
    assert!(
        state(&landed).milestone(EventName::RailLoaded).is_some(),
        "clocks differ by a day"
    );
}

#[test]
fn an_empty_that_goes_out_after_its_return_is_the_next_trips() {
    let gate = |verb, on| {
        act(verb, "USLAX", day(on))
            .by(Mode::Truck)
            .from("gate", SourceKind::Codeco)
    };
    let story = [
        gate(Verb::GateOut, 3).laden().hint(MoveHint::Import),
        gate(Verb::GateIn, 6).empty(),
        gate(Verb::GateOut, 9).empty(),
    ];
    assert_eq!(events(&state(&story)), ["full_out USLAX", "empty_in USLAX"]);
    assert_eq!(
        events(&state(&story[1..])),
        ["empty_in USLAX", "empty_out USLAX"],
        "out of a depot where nothing is known of goods: ours may begin"
    );
}

/// Each of these ended the tracking of a box that was still on its way.
#[test]
fn false_returns() {
    let empty = |port: &str, when| {
        act(Verb::GateIn, port, when)
            .by(Mode::Truck)
            .empty()
            .from("gate", SourceKind::Codeco)
    };
    let loading = || act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST);
    let under_way = || vec![loading(), direct()[5].clone()];
    let with = |mut story: Vec<Told>, told: Told| {
        story.push(told);
        story
    };
    let stories = [
        (
            "before the voyage, as import",
            with(under_way(), empty("CNSHA", at(2, 0)).hint(MoveHint::Import)),
        ),
        (
            "before the voyage, into a depot",
            with(
                vec![loading()],
                empty("CNSHA", at(2, 0)).facility(FacilityType::Depot),
            ),
        ),
        (
            "while at sea, as import",
            with(
                under_way(),
                empty("USLAX", at(10, 0)).hint(MoveHint::Import),
            ),
        ),
        (
            "while at sea, into a depot",
            with(
                under_way(),
                empty("USLAX", at(10, 0)).facility(FacilityType::Depot),
            ),
        ),
        (
            "as export",
            with(
                direct()[..9].to_vec(),
                empty("USLAX", at(26, 0)).hint(MoveHint::Export),
            ),
        ),
        (
            "planned",
            with(
                direct()[..9].to_vec(),
                est(Verb::GateIn, "USLAX", at(26, 0)).empty(),
            ),
        ),
        (
            "at the customer",
            with(
                direct()[..9].to_vec(),
                act(Verb::Dropoff, "USLAX", at(24, 0))
                    .empty()
                    .facility(FacilityType::CustomerLocation),
            ),
        ),
        (
            "between two laden gates",
            with(direct()[..9].to_vec(), empty("USLAX", at(22, 0))),
        ),
    ];
    for (name, story) in stories {
        let state = state(&story);
        assert!(
            state.milestone(EventName::EmptyIn).is_none(),
            "{name}: {:?}",
            events(&state)
        );
        assert_ne!(state.status, CurrentStatus::EmptyReturned, "{name}");
    }
}

/// Found by the figure: where nobody told of the return, the next goods in the same steel went on as ours.
#[test]
fn the_next_trip_begins_without_a_return_that_was_told() {
    let quay = |verb, port, on| {
        act(verb, port, day(on))
            .laden()
            .from("quay", SourceKind::Coarri)
    };
    let ours = ours()[..9].to_vec();
    let before = events(&state(&ours));
    let mut story = ours.clone();
    story.extend([
        quay(Verb::Load, "USLAX", 33).by(Mode::Vessel),
        quay(Verb::Discharge, "KRPUS", 47).by(Mode::Vessel),
    ]);
    assert_eq!(
        events(&state(&story)),
        before,
        "a ship took goods of which no papers tell"
    );
    let mut story = ours;
    story.push(
        act(Verb::GateOut, "USLAX", day(29))
            .empty()
            .from("depot", SourceKind::Codeco),
    );
    story.push(
        act(Verb::GateIn, "USLAX", day(31))
            .laden()
            .from("gate", SourceKind::Codeco),
    );
    assert_eq!(events(&state(&story)), before, "an empty went out again");
}
