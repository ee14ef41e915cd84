//! The same steel on another trip, and the ways in which it has passed for ours.

use domain::container::CurrentStatus;
use domain::event::EventName;
use domain::report::{FacilityType, Mode, MoveHint, SourceKind, Verb};
use jiff::SignedDuration;

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

/// Picked up at Los Angeles by the papers, and nothing told of the return.
fn picked_up() -> Vec<Told> {
    ours()[..9].to_vec()
}

fn gate(verb: Verb, port: &str, on: i64) -> Told {
    act(verb, port, day(on))
        .by(Mode::Truck)
        .from("gate", SourceKind::Codeco)
}

fn quay(verb: Verb, port: &str, on: i64) -> Told {
    act(verb, port, day(on))
        .aboard(SECOND)
        .laden()
        .from("quay", SourceKind::Coarri)
}

/// The truth before and after strays, whichever of them are told and in whatever order: they change nothing.
fn change_nothing(story: &[Told], strays: &[Told], name: &str) {
    let before = state(story);
    let mut told = story.to_vec();
    for stray in strays {
        told.push(stray.clone());
        assert_eq!(events(&state(&told)), events(&before), "{name}: {stray:?}");
    }
    told.reverse();
    let after = state(&told);
    let moments = |state: &domain::container::ContainerState| {
        let all = state.milestones.iter();
        all.map(|m| (m.slot.clone(), m.at)).collect::<Vec<_>>()
    };
    assert_eq!(moments(&after), moments(&before), "{name}");
    assert_eq!(after.journey, before.journey, "{name}");
    assert_eq!(after.status, before.status, "{name}");
}

/// A terminal that names no papers knows an export from a transshipment, and an empty holds no goods of ours.
#[test]
fn what_a_terminal_marks_as_export_behind_the_end_is_the_next_trips() {
    let landed = ours()[..8].to_vec();
    let out = gate(Verb::GateOut, "USLAX", 23)
        .laden()
        .hint(MoveHint::Import);
    let next = [
        gate(Verb::GateOut, "USLAX", 32)
            .empty()
            .hint(MoveHint::Export),
        gate(Verb::GateIn, "USLAX", 34)
            .laden()
            .hint(MoveHint::Export),
        quay(Verb::Load, "USLAX", 36).hint(MoveHint::Export),
    ];
    let mut collected = landed.clone();
    collected.push(out);
    assert_eq!(events(&state(&collected)).last().unwrap(), "full_out USLAX");
    change_nothing(&collected, &next, "collected without papers");
    change_nothing(&landed, &next, "not told of the collection");
    change_nothing(&landed, &next[2..], "only the load");
    change_nothing(&landed, &next[1..], "no empty told");
    change_nothing(
        &collected,
        &[
            quay(Verb::Discharge, "USLAX", 40),
            quay(Verb::Load, "USLAX", 60),
        ],
        "another ship behind a gate that is called import",
    );
}

/// After the collection another ship lands other goods.
#[test]
fn what_another_ship_lands_behind_the_collection_is_the_next_trips() {
    for port in ["USLAX", "USOAK"] {
        let next = [
            quay(Verb::Discharge, port, 38).hint(MoveHint::Import),
            gate(Verb::GateOut, port, 40).laden().hint(MoveHint::Import),
        ];
        change_nothing(&picked_up(), &next, port);
    }
    let mut collected = ours()[..8].to_vec();
    let out = |on| gate(Verb::GateOut, "USLAX", on).laden();
    collected.push(out(23).hint(MoveHint::Import));
    let next = [
        quay(Verb::Discharge, "USLAX", 38).hint(MoveHint::Import),
        out(40).hint(MoveHint::Import),
    ];
    change_nothing(&collected, &next, "one terminal tells both gates");
    let export = [gate(Verb::GateIn, "USOAK", 37)
        .laden()
        .hint(MoveHint::Export)];
    change_nothing(&picked_up(), &export, "an export goes into another port");
    let mut story = picked_up();
    story.push(quay(Verb::Discharge, "USLAX", 24).aboard(FIRST));
    let landed = state(&story);
    let landed = landed.milestone(EventName::VesselDischarged).unwrap();
    assert_eq!(
        landed.at,
        day(24),
        "our own ship's quay has the better clock"
    );
}

/// None of these is another trip.
#[test]
fn a_way_that_goes_on_is_not_cut() {
    let at_hub = |told: &[Told]| -> Vec<Told> {
        let named = told.iter().cloned();
        named.map(|told| told.bill("OURS")).collect()
    };
    let onward = |story: &mut Vec<Told>, hint: Option<MoveHint>| {
        let load = quay(Verb::Load, "KRPUS", 10);
        story.push(match hint {
            Some(hint) => load.hint(hint),
            None => load,
        });
    };
    let loaded = |story: &[Told]| {
        let state = state(story);
        assert!(
            state.milestone(EventName::TransshipmentLoaded).is_some(),
            "{:?}",
            events(&state)
        );
        assert!(state.milestone(EventName::FullOut).is_none());
    };
    let plan = &transshipped()[..8];
    for hint in [None, Some(MoveHint::Export), Some(MoveHint::Transshipment)] {
        let mut story = at_hub(plan);
        onward(&mut story, hint);
        loaded(&story);
    }
    // Nobody named what is behind the hub, and no gate was called import.
    let unplanned = &transshipped()[4..8];
    for hint in [None, Some(MoveHint::Transshipment)] {
        let mut story = at_hub(unplanned);
        onward(&mut story, hint);
        loaded(&story);
    }
    // Driven from one terminal of the hub to another.
    let mut driven = at_hub(unplanned);
    driven.push(
        act(Verb::GateOut, "KRPUS", day(8))
            .by(Mode::Truck)
            .laden()
            .bill("OURS"),
    );
    driven.push(gate(Verb::GateIn, "KRPUS", 9).laden());
    onward(&mut driven, None);
    loaded(&driven);
    // By a gate of which the papers name the way on.
    let mut passing = at_hub(unplanned);
    let out = act(Verb::GateOut, "KRPUS", day(8)).laden().bill("OURS");
    passing.push(out.hint(MoveHint::Onward));
    onward(&mut passing, None);
    loaded(&passing);
    // The papers name the way behind the hub after all.
    let mut after_all = at_hub(unplanned);
    onward(&mut after_all, Some(MoveHint::Export));
    after_all.extend(at_hub(&transshipped()[9..12]));
    loaded(&after_all);
}

/// A railroad names no papers. What a truck took from its ramp comes back to the port with other goods.
#[test]
fn a_train_back_to_the_port_is_the_next_trips() {
    let ramp = |verb, on| road(verb, "USCHI", day(on)).by(Mode::Truck);
    let mut story = ours()[..8].to_vec();
    story.push(
        est(Verb::Arrive, "USCHI", at(29, 6))
            .by(Mode::Rail)
            .of_bill()
            .bill("OURS"),
    );
    story.extend([
        road(Verb::Load, "USLAX", day(22)),
        road(Verb::Arrive, "USCHI", day(26)),
        ramp(Verb::GateOut, 28).hint(MoveHint::Import),
    ]);
    let collected = state(&story);
    assert_eq!(collected.status, CurrentStatus::PickedUp);
    for gap in [3, 10] {
        let mut told = story.clone();
        told.extend([
            ramp(Verb::GateIn, 28 + gap).hint(MoveHint::Export),
            road(Verb::Load, "USCHI", day(29 + gap)),
            road(Verb::Depart, "USCHI", at(29 + gap, 10)),
            road(Verb::Arrive, "USLAX", day(31 + gap)),
        ]);
        let next = state(&told);
        assert_eq!(events(&next), events(&collected), "{gap}");
        assert_eq!(next.journey, collected.journey, "{gap}");
        assert_eq!(next.status, CurrentStatus::PickedUp, "{gap}");
    }
    let late = [
        ramp(Verb::GateIn, 38).hint(MoveHint::Export),
        road(Verb::Load, "USCHI", day(39)),
        road(Verb::Depart, "USCHI", at(39, 10)),
    ];
    change_nothing(&story, &late, "ten days later");
    // Across the town, and on with another railroad.
    story.extend([
        ramp(Verb::GateIn, 29).hint(MoveHint::Export),
        road(Verb::Load, "USCHI", day(30)),
        road(Verb::Arrive, "USMEM", day(32)),
    ]);
    let went_on = state(&story);
    assert_eq!(went_on.journey.destination, Some(place("USMEM")));
    assert_eq!(went_on.status, CurrentStatus::OnRail);
}

/// A message whose port of discharge lies behind the ramp's town has only not called the ramp an end.
#[test]
fn a_gate_at_a_ramp_is_a_collection_whatever_port_its_message_names() {
    let mut story = ours()[..8].to_vec();
    story.extend([
        road(Verb::Load, "USLAX", day(22)),
        road(Verb::Arrive, "USCHI", day(26)),
        act(Verb::GateOut, "USCHI", day(28))
            .by(Mode::Truck)
            .laden()
            .hint(MoveHint::Onward)
            .bill("OURS"),
    ]);
    let next = [
        quay(Verb::Load, "USLAX", 45),
        quay(Verb::Discharge, "KRPUS", 60),
    ];
    change_nothing(&story, &next, "goods at sea again");
}

/// A trucker takes the empty back to the port, in the words that tell of a delivery.
#[test]
fn a_truck_that_comes_back_to_the_port_delivers_nothing() {
    let truck = |verb, port: &str, when| {
        act(verb, port, when)
            .by(Mode::Truck)
            .from("trucker", SourceKind::X12_214)
    };
    let door = |verb, port: &str, when| {
        truck(verb, port, when)
            .laden()
            .facility(FacilityType::CustomerLocation)
            .with(|r| r.place.name = Some("TOWN".into()))
    };
    // A town of the table, and one that is in none.
    for town in ["USOAK", ""] {
        let mut story = ours()[..8].to_vec();
        story.extend([
            truck(Verb::GateOut, "USLAX", at(23, 10)).laden(),
            door(Verb::Dropoff, town, at(23, 14)),
        ]);
        let delivered = state(&story);
        assert_eq!(delivered.status, CurrentStatus::Delivered);
        let back = [
            truck(Verb::GateOut, town, at(25, 10))
                .laden()
                .with(|r| r.place.name = Some("TOWN".into())),
            door(Verb::Arrive, "USLAX", at(25, 12)),
            door(Verb::Dropoff, "USLAX", at(25, 14)),
        ];
        change_nothing_of(EventName::Delivered, &story, &back, town);
    }
    let mut in_town = picked_up();
    in_town.push(door(Verb::Dropoff, "USLAX", at(23, 14)));
    assert_eq!(
        state(&in_town).milestone(EventName::Delivered).unwrap().at,
        at(23, 14),
        "the customer may be in the town of the port"
    );
    let mut dated = ours()[..8].to_vec();
    dated.push(truck(Verb::GateOut, "USLAX", at(23, 10)).laden());
    dated.push(door(Verb::Dropoff, "USLAX", at(23, 14)).dated());
    assert_eq!(
        events(&state(&dated)).split_off(6),
        ["delivered USLAX", "full_out USLAX"],
        "a bare date is no time before the gate"
    );
}

/// A 214 cannot say that a box is empty: what its driver keys about the return takes nothing from the line's word of it.
#[test]
fn a_trucker_who_tells_of_the_return_too_does_not_undo_it() {
    let truck = |verb, port: &str, when| {
        act(verb, port, when)
            .by(Mode::Truck)
            .laden()
            .from("trucker", SourceKind::X12_214)
    };
    let door = |verb, port: &str, when| {
        let told = truck(verb, port, when).facility(FacilityType::CustomerLocation);
        told.with(|r| r.place.name = Some("ONTARIO".into()))
    };
    let back = act(Verb::GateIn, "USLAX", at(25, 15))
        .by(Mode::Truck)
        .empty()
        .id("back");
    let landed = || ours()[..8].to_vec();
    let mut delivered = landed();
    delivered.push(truck(Verb::GateOut, "USLAX", at(23, 10)));
    delivered.push(door(Verb::Dropoff, "", at(23, 14)));
    let mut returned = delivered.clone();
    returned.push(back.clone());
    let ended = state(&returned);
    assert_eq!(ended.status, CurrentStatus::EmptyReturned);
    let late = at(25, 15) + jiff::SignedDuration::from_mins(5);
    let strays = [
        truck(Verb::GateIn, "USLAX", late),
        door(Verb::Dropoff, "USLAX", late).id("drop"),
        door(Verb::Arrive, "USLAX", late).id("there"),
    ];
    for stray in &strays {
        let name = format!("{:?}", stray.0.verb);
        change_nothing(&delivered, std::slice::from_ref(stray), &name);
        change_nothing(&returned, std::slice::from_ref(stray), &name);
    }
    change_nothing(&returned, &strays, "all of them");
    // Who can say that it is laden is believed, and so is what drives on with it.
    let gate = truck(Verb::GateIn, "USLAX", late).from("gate", SourceKind::Codeco);
    let out = truck(Verb::GateOut, "USLAX", late).id("out");
    for laden in [gate, out] {
        let mut story = returned.clone();
        story.push(laden.clone());
        let told = state(&story);
        assert!(told.milestone(EventName::EmptyIn).is_none(), "{laden:?}");
    }
    // Before the sea it is the export that comes in.
    let export = vec![
        act(Verb::GateIn, "CNSHA", at(1, 8))
            .by(Mode::Truck)
            .empty()
            .from("depot", SourceKind::Codeco),
        truck(Verb::GateIn, "CNSHA", at(2, 8)),
    ];
    assert_eq!(events(&state(&export)), ["full_in CNSHA"]);
}

/// What leaves a customer is the empty; a place that nobody names is no customer's.
#[test]
fn what_leaves_no_known_customer_leaves_laden() {
    let truck = |verb, when| {
        act(verb, "", when)
            .by(Mode::Truck)
            .from("trucker", SourceKind::X12_214)
    };
    let left = |dropped: Told, town: Option<&str>| {
        let town = town.map(str::to_owned);
        let mut story = ours()[..8].to_vec();
        for told in [dropped, truck(Verb::GateOut, at(25, 10)).laden()] {
            let town = town.clone();
            story.push(told.with(|r| r.place.name = town));
        }
        state(&story).milestone(EventName::FullOut).is_some()
    };
    let dropped = truck(Verb::Dropoff, at(23, 14)).facility(FacilityType::CustomerLocation);
    assert!(!left(dropped.clone().laden(), Some("TOWN")));
    assert!(left(dropped.clone().laden(), None), "two unknown places");
    assert!(
        left(dropped.empty(), Some("TOWN")),
        "an empty to be stuffed"
    );
}

/// A pre-pull: out of the terminal into a yard elsewhere, and days later to the customer in the town of the port.
#[test]
fn what_stood_in_a_yard_elsewhere_is_delivered_in_the_port() {
    let truck = |verb, port: &str, when| {
        act(verb, port, when)
            .by(Mode::Truck)
            .laden()
            .from("trucker", SourceKind::X12_214)
    };
    for (port, name) in [("USLGB", None), ("", Some("CARSON"))] {
        let named = |told: Told| told.with(|r| r.place.name = name.map(str::to_owned));
        let into = truck(Verb::GateIn, port, at(21, 16)).from("yard", SourceKind::Codeco);
        let into = into.with(|r| r.place.name = name.map(str::to_lowercase));
        let story = [
            ours()[..8].to_vec(),
            vec![
                truck(Verb::GateOut, "USLAX", at(21, 10)),
                into,
                named(truck(Verb::GateOut, port, at(24, 10))).id("laden"),
                truck(Verb::Dropoff, "USLAX", at(24, 14)).facility(FacilityType::CustomerLocation),
            ],
        ]
        .concat();
        let delivered = state(&story);
        assert_eq!(delivered.status, CurrentStatus::Delivered, "{port:?}");
        let at_door = delivered.milestone(EventName::Delivered).unwrap();
        assert_eq!(at_door.at, at(24, 14), "{port:?}");
        // Out once more without having come in: what left there is the empty.
        let mut again = story.clone();
        again.truncate(11);
        again.push(named(truck(Verb::GateOut, port, at(27, 10))).id("empty"));
        again.push(
            truck(Verb::Dropoff, "USLAX", at(27, 14)).facility(FacilityType::CustomerLocation),
        );
        assert!(
            state(&again).milestone(EventName::Delivered).is_none(),
            "{port:?}"
        );
    }
}

/// Stripped in the port, or sent on by a terminal: the empty goes out and comes in at the depot.
#[test]
fn an_empty_that_is_driven_to_the_depot_is_back() {
    let empty = |verb, on| gate(verb, "USLAX", on).empty().id(&on.to_string());
    let out = || empty(Verb::GateOut, 25);
    let back = || empty(Verb::GateIn, 26);
    for story in [ours()[..8].to_vec(), picked_up()] {
        let returned = [story.as_slice(), &[out(), back()]].concat();
        let ended = state(&returned);
        assert_eq!(events(&ended).last().unwrap(), "empty_in USLAX");
        assert_eq!(ended.milestone(EventName::EmptyIn).unwrap().at, day(26));
        assert_eq!(ended.status, CurrentStatus::EmptyReturned);
        let next = [
            empty(Verb::GateOut, 29),
            gate(Verb::GateIn, "USLAX", 31).laden(),
            empty(Verb::GateIn, 60),
        ];
        change_nothing(&returned, &next, "and out again");
        let alone = [story.as_slice(), &[out()]].concat();
        change_nothing(
            &alone,
            &[empty(Verb::GateIn, 60)],
            "the next trip's return, of whose goods nobody told",
        );
    }
    let shipper = act(Verb::Dropoff, "USLAX", day(26)).by(Mode::Truck).empty();
    let stuffed = [
        out(),
        shipper.facility(FacilityType::CustomerLocation),
        gate(Verb::GateIn, "USLAX", 28).laden(),
    ];
    change_nothing(&picked_up(), &stuffed, "to the next shipper");
    let mut returned = picked_up();
    returned.push(empty(Verb::GateIn, 24));
    change_nothing(&returned, &[out(), back()], "it was back before");
}

fn change_nothing_of(event: EventName, story: &[Told], strays: &[Told], name: &str) {
    let told = |told: &[Told]| {
        let state = state(told);
        let all = state.milestones.iter().filter(|m| m.slot.event == event);
        let all = all.map(|m| (m.slot.clone(), m.at)).collect::<Vec<_>>();
        (all, state.status)
    };
    let mut after = story.to_vec();
    for stray in strays {
        after.push(stray.clone());
        assert_eq!(told(&after), told(story), "{name:?}: {stray:?}");
    }
}

/// The terminal's sheet comes each morning; the box was unloaded and brought back the evening before.
#[test]
fn a_sheet_that_finds_the_box_gone_takes_no_return_back() {
    let back = act(Verb::GateIn, "USLAX", at(23, 20))
        .by(Mode::Truck)
        .empty()
        .facility(FacilityType::Depot);
    let gone = act(Verb::GateOut, "USLAX", at(24, 8))
        .by(Mode::Truck)
        .laden()
        .from("pier", SourceKind::TerminalApi)
        .with(|r| r.original = "MOVE/OUT".into())
        .seen();
    for story in [direct()[..9].to_vec(), ours()[..9].to_vec()] {
        let mut story = story;
        story.push(back.clone());
        let before = state(&story);
        assert_eq!(before.status, CurrentStatus::EmptyReturned);
        story.push(gone.clone());
        let after = state(&story);
        assert_eq!(after.status, CurrentStatus::EmptyReturned);
        assert_eq!(events(&after), events(&before));
        // Goods that come in again are goods.
        story.push(
            act(Verb::GateIn, "USLAX", at(24, 9))
                .by(Mode::Truck)
                .laden()
                .from("pier", SourceKind::TerminalApi),
        );
        assert_ne!(state(&story).status, CurrentStatus::EmptyReturned);
    }
}

/// The quay and the gate of the port know no papers, and the depot tells nobody.
#[test]
fn the_goods_before_our_empty_went_out_are_not_ours() {
    let before = [
        act(Verb::Discharge, "CNSHA", day(-5))
            .aboard(SECOND)
            .laden()
            .from("quay", SourceKind::Coarri),
        act(Verb::GateOut, "CNSHA", day(-4))
            .by(Mode::Truck)
            .laden()
            .hint(MoveHint::Import)
            .from("gate", SourceKind::Codeco),
    ];
    for told in [2, 6, 10] {
        let mut story = ours()[..told].to_vec();
        let alone = state(&story);
        story.extend(before.clone());
        let with = state(&story);
        assert_eq!(events(&with), events(&alone), "{told}");
        assert_eq!(with.journey, alone.journey, "{told}");
        assert_eq!(with.status, alone.status, "{told}");
    }
}

/// The empty goes out under the booking, the ship is told of under the bill, and one message names both.
#[test]
fn the_goods_before_our_empty_went_out_are_not_ours_whatever_papers_each_message_names() {
    let booking =
        |told: Told, number: &str| told.with(|r| r.references.bookings = vec![number.to_owned()]);
    let mut story = vec![
        booking(
            act(Verb::GateOut, "CNSHA", at(1, 8))
                .by(Mode::Truck)
                .empty(),
            "BOOKED",
        ),
        booking(
            act(Verb::GateIn, "CNSHA", day(3))
                .by(Mode::Truck)
                .laden()
                .bill("OURS"),
            "BOOKED",
        ),
        act(Verb::Load, "CNSHA", at(4, 3))
            .aboard(FIRST)
            .laden()
            .bill("OURS"),
        act(Verb::Depart, "CNSHA", at(4, 20))
            .aboard(FIRST)
            .of_bill()
            .bill("OURS"),
    ];
    let alone = events(&state(&story));
    story.push(
        act(Verb::Discharge, "CNSHA", day(-5))
            .aboard(SECOND)
            .laden()
            .from("quay", SourceKind::Coarri),
    );
    assert_eq!(events(&state(&story)), alone);
}

/// Nobody names papers, and nobody told of the return.
#[test]
fn an_export_behind_the_import_is_another_trip() {
    let mut story = direct()[..9].to_vec();
    let import = events(&state(&story));
    let out = act(Verb::GateOut, "USLAX", day(32)).by(Mode::Truck).empty();
    story.push(out.clone());
    story.push(act(Verb::GateIn, "USLAX", day(34)).by(Mode::Truck).laden());
    story.push(act(Verb::Load, "USLAX", day(36)).aboard(SECOND).laden());
    story.push(act(Verb::Arrive, "KRPUS", day(50)).aboard(SECOND));
    let export = state(&story);
    assert_eq!(export.journey.port_of_lading, Some(place("USLAX")));
    assert_eq!(export.journey.port_of_discharge, Some(place("KRPUS")));
    assert_eq!(
        events(&export),
        [
            "empty_out USLAX",
            "full_in USLAX",
            "vessel_loaded USLAX",
            "vessel_arrived KRPUS"
        ]
    );
    // An empty that is only driven to a depot ends nothing.
    let mut story = direct()[..9].to_vec();
    story.push(out);
    story.push(act(Verb::GateIn, "USLAX", day(33)).by(Mode::Truck).empty());
    let driven = events(&state(&story));
    assert_eq!(driven[..import.len()], import[..]);
}

/// The line tells of its ships and, of the box, only that the empty was taken up at the customer's.
#[test]
fn an_empty_that_is_taken_up_behind_the_goods_makes_them_nobody_elses() {
    let line = |told: Told| told.bill("OURS");
    let mut story = vec![
        line(
            act(Verb::Depart, "CNSHA", at(4, 20))
                .aboard(FIRST)
                .of_bill(),
        ),
        line(
            act(Verb::Arrive, "USLAX", at(20, 5))
                .aboard(FIRST)
                .of_bill(),
        ),
        act(Verb::Discharge, "USLAX", at(20, 15))
            .aboard(FIRST)
            .laden()
            .from("quay", SourceKind::Coarri),
        act(Verb::GateOut, "USLAX", day(23))
            .by(Mode::Truck)
            .laden()
            .from("gate", SourceKind::Codeco),
    ];
    let before = events(&state(&story));
    assert!(before.contains(&"full_out USLAX".to_owned()), "{before:?}");
    story.push(line(
        act(Verb::Pickup, "USLAX", day(26)).by(Mode::Truck).empty(),
    ));
    story.push(line(
        pln(Verb::Arrive, "USOAK", day(27)).aboard(FIRST).of_bill(),
    ));
    let after = events(&state(&story));
    assert!(after.starts_with(&before), "{after:?}");
}

/// A gate that says of the same box five minutes later that it is empty.
#[test]
fn a_gate_that_errs_about_what_is_in_the_box_begins_no_trip() {
    let mut story = direct()[..9].to_vec();
    let gate = |verb, when| act(verb, "USLAX", when).by(Mode::Truck);
    story.push(
        gate(Verb::GateOut, at(23, 9) + SignedDuration::from_mins(5))
            .empty()
            .from("gate", SourceKind::Codeco),
    );
    story.push(
        gate(Verb::GateIn, at(23, 12))
            .laden()
            .from("yard", SourceKind::Codeco),
    );
    story.push(
        gate(Verb::GateOut, day(25))
            .laden()
            .from("yard", SourceKind::Codeco),
    );
    story.push(
        gate(Verb::GateIn, day(28))
            .empty()
            .facility(FacilityType::Depot),
    );
    let told = state(&story);
    assert_eq!(told.journey.port_of_discharge, Some(place("USLAX")));
    assert_eq!(told.status, CurrentStatus::EmptyReturned);
}

/// Lines whose moves of the box name no papers go on with its next voyage, and nobody saw the empty go out.
#[test]
fn goods_that_move_long_after_the_return_are_of_the_next_trip() {
    let whole = events(&state(&direct()));
    let with = |more: &[Told]| {
        let mut story = direct();
        story.extend_from_slice(more);
        events(&state(&story))
    };
    let train = |on| act(Verb::Load, "USLAX", day(on)).by(Mode::Rail).laden();
    assert_eq!(whole.last().unwrap(), "empty_in USLAX");
    let mut under_papers = ours();
    under_papers.push(train(40).bill("NEXT"));
    assert_eq!(events(&state(&under_papers)), whole);
    let next = act(Verb::Load, "USLAX", day(40)).aboard(SECOND).laden();
    assert_eq!(with(&[next]), ["vessel_loaded USLAX"]);
    // Within days the goods are the same, and what came in was not the empty; so are goods of whose papers nothing is known.
    for same in [train(29), train(40)] {
        assert!(!with(&[same]).contains(&"empty_in USLAX".to_owned()));
    }
}
