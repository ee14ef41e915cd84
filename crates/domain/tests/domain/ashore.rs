//! Where a box stands once it is ashore, and whose word counts there.

use domain::container::{
    ContainerState, CurrentStatus, Hold, HoldName, HoldStatus, LastFreeDay, LfdOwner, QualityFlag,
};
use domain::event::EventName;
use domain::report::{FacilityType, Mode, MoveHint, SourceKind, Value, Verb};
use domain::shipment::shipment_state;
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

/// What the terminal at the port of discharge says.
fn pier(verb: Verb, when: Timestamp) -> Told {
    act(verb, "USLAX", when).from("pier", SourceKind::TerminalApi)
}

/// What the railroad says.
fn road(verb: Verb, port: &str, when: Timestamp) -> Told {
    act(verb, port, when).from("road", SourceKind::RailApi)
}

fn customs() -> Value {
    Value::Hold(Hold {
        name: HoldName::Customs,
        status: HoldStatus::Hold,
        description: None,
    })
}

fn free_until(owner: LfdOwner, date: &str) -> Value {
    Value::LastFreeDay(
        owner,
        LastFreeDay {
            date: date.parse().unwrap(),
            zone: Some("America/Los_Angeles".into()),
        },
    )
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
fn the_terminal_at_the_port_does_not_rule_a_box_at_the_ramp() {
    let mut story = landed();
    story.extend([
        pier(Verb::Available, at(21, 12)),
        pier(Verb::HoldSet, at(21, 12)).worth(customs()),
        pier(Verb::Fee, at(21, 12)).worth(demurrage(120)),
        pier(Verb::Appointment, at(21, 12)).worth(Value::Appointment(at(22, 0))),
    ]);
    story.extend(train());
    let silent = state(&story);
    assert_eq!(silent.pickup.available, None, "the ramp has said nothing");
    assert_eq!(silent.status, CurrentStatus::Grounded);
    assert_eq!((silent.pickup.holds, silent.pickup.fees), (vec![], vec![]));
    assert_eq!(silent.pickup.appointment, None);
    for hour in [15, 17, 19] {
        story.push(pier(Verb::NotAvailable, at(27, hour)));
        story.push(pier(Verb::HoldSet, at(27, hour)).worth(customs()));
        story.push(road(Verb::Available, "USJOT", at(27, hour + 1)));
    }
    story.push(road(Verb::Fee, "USJOT", at(27, 21)).worth(demurrage(40)));
    let free = state(&story);
    assert_eq!(
        words(&free),
        [
            ("available USLAX".into(), at(21, 12)),
            ("available USJOT".into(), at(27, 16)),
        ]
    );
    assert_eq!(free.status, CurrentStatus::Available);
    assert_eq!(free.pickup.holds, []);
    let owed: Vec<_> = free.pickup.fees.iter().map(|fee| fee.amount).collect();
    assert_eq!(owed, [Some(Decimal::from(40))]);
    assert_eq!(
        state_at(&story, at(29, 0)).flags,
        [],
        "the port's terminal may be silent now"
    );
    story.push(pier(Verb::NotAvailable, at(21, 20)).received(at(29, 0)));
    assert_eq!(
        words(&state(&story))[1],
        ("not_available USLAX".into(), at(21, 20)),
        "what was true before it left is told when it comes late"
    );
}

/// Found by a reviewer: what the terminal had cleared held the box again when the train left.
#[test]
fn a_hold_that_the_port_cleared_does_not_come_back_with_the_train() {
    let list = |held: &[Value], when| {
        let all = held.iter().filter_map(|value| match value {
            Value::Hold(hold) => Some(hold.clone()),
            _ => None,
        });
        pier(Verb::HoldSet, when).worth(Value::Holds(all.collect()))
    };
    let held = |story: &[Told]| state(story).pickup.holds.len();
    let mut story = landed();
    story.push(act(Verb::HoldSet, "USLAX", at(19, 12)).worth(customs()));
    story.push(list(&[customs()], at(20, 20)));
    story.push(list(&[], at(21, 8)));
    assert_eq!(held(&story), 0);
    story.extend(train());
    assert_eq!(held(&story), 0, "on the train and behind it");
    story.push(road(Verb::Available, "USCHI", at(27, 14)));
    assert_eq!(state(&story).status, CurrentStatus::Available);
    // The port goes on speaking of a box that it has no more.
    story.push(list(&[], at(29, 0)));
    story.push(act(Verb::HoldSet, "USCHI", at(28, 0)).worth(customs()));
    assert_eq!(held(&story), 1, "said since");
}

/// Found by a reviewer: customs still held the box, said the port's last list, and the train took the hold away.
#[test]
fn a_hold_that_the_port_still_named_goes_on_with_the_train() {
    let hold = |name| {
        let (status, description) = (HoldStatus::Hold, None);
        Hold {
            name,
            status,
            description,
        }
    };
    let (customs, usda) = (hold(HoldName::Customs), hold(HoldName::Usda));
    let list = |held: &[&Hold], when| {
        let all = held.iter().map(|hold| (*hold).clone()).collect();
        pier(Verb::HoldSet, when).worth(Value::Holds(all))
    };
    let held = |story: &[Told]| state(story).pickup.holds;
    let mut story = landed();
    for told in [&customs, &usda] {
        let told = Value::Hold(told.clone());
        story.push(act(Verb::HoldSet, "USLAX", at(19, 12)).worth(told));
    }
    story.push(list(&[&customs, &usda], at(20, 20)));
    story.push(list(&[&customs, &hold(HoldName::Tmf)], at(21, 8)));
    story.extend(train());
    let customs = std::slice::from_ref(&customs);
    assert_eq!(held(&story), customs, "the terminal's own fee stays there");
    story.push(act(Verb::HoldClear, "USCHI", at(28, 0)).worth(Value::Hold(customs[0].clone())));
    assert_eq!(held(&story), [], "released since");
}

#[test]
fn a_terminal_that_falls_silent_while_the_box_stands_there_is_marked() {
    let mut story = landed();
    story.push(pier(Verb::Available, at(21, 12)));
    let flags = state_at(&story, at(23, 0)).flags;
    assert_eq!(flags, [QualityFlag::TerminalStale]);
}

#[test]
fn a_lines_word_counts_at_a_ramp_that_says_nothing_itself() {
    let mut story = landed();
    story.push(pier(Verb::Available, at(21, 12)));
    story.extend(train());
    story.push(act(Verb::Available, "USCHI", at(27, 14)));
    let told = words(&state(&story));
    assert_eq!(told[1], ("available USCHI".into(), at(27, 14)));
    story.push(act(Verb::NotAvailable, "USLAX", at(27, 15)));
    assert_eq!(words(&state(&story)).len(), 2, "the port is behind it");
    story.push(road(Verb::NotAvailable, "USCHI", at(27, 13)));
    let ruled = state(&story);
    assert_eq!(ruled.pickup.available, Some(false));
    assert_eq!(words(&ruled).len(), 1);
}

#[test]
fn a_terminals_no_takes_back_the_yes_that_a_line_told_before() {
    let mut story = direct()[..8].to_vec();
    story.push(act(Verb::Available, "USLAX", at(20, 20)));
    story.push(pier(Verb::NotAvailable, at(21, 8)));
    let refused = settled(&story);
    let told = [
        ("available USLAX".into(), at(20, 20)),
        ("not_available USLAX".into(), at(21, 8)),
    ];
    assert_eq!(words(&refused), told);
    assert_eq!(refused.pickup.available, Some(false));
    story.push(act(Verb::Available, "USLAX", at(21, 9)));
    let ruled = settled(&story);
    assert_eq!(ruled.pickup.available, Some(false), "it rules from then on");
    assert_eq!(words(&ruled), told);
}

/// What nobody was told when the terminal spoke is no news behind it.
#[test]
fn a_lines_yes_that_comes_behind_the_terminals_no_is_not_told() {
    let mut story = direct()[..8].to_vec();
    story.push(pier(Verb::NotAvailable, at(21, 8)));
    story.push(act(Verb::Available, "USLAX", at(20, 20)).received(at(22, 0)));
    let refused = settled(&story);
    assert_eq!(
        (words(&refused), refused.pickup.available),
        (vec![], Some(false))
    );
}

/// Nobody tells of the train; the railroad says that the box can be had.
#[test]
fn a_ramp_that_says_yes_has_the_box() {
    let mut story = landed();
    story.push(pier(Verb::Available, at(21, 12)));
    story.push(road(Verb::NotAvailable, "USCHI", at(23, 0)));
    assert_eq!(state(&story).pickup.available, Some(true));
    story.push(road(Verb::Available, "USCHI", at(27, 14)));
    story.push(pier(Verb::NotAvailable, at(27, 15)));
    let free = state(&story);
    assert_eq!(free.pickup.available, Some(true));
    assert_eq!(
        words(&free),
        [
            ("available USLAX".into(), at(21, 12)),
            ("available USCHI".into(), at(27, 14)),
        ]
    );
}

#[test]
fn the_day_of_the_port_gives_way_to_the_day_of_the_ramp() {
    let until = |state: &ContainerState| {
        let day = state.pickup.last_free_day();
        day.map(|day| day.date.to_string())
    };
    let mut story = landed();
    let port = free_until(LfdOwner::Terminal, "2026-03-24");
    story.push(pier(Verb::LastFreeDay, at(21, 12)).worth(port));
    story.extend(train());
    let waits = state(&story);
    assert_eq!(until(&waits).as_deref(), Some("2026-03-24"));
    let later = free_until(LfdOwner::Terminal, "2026-03-30");
    story.push(pier(Verb::LastFreeDay, at(25, 0)).worth(later));
    assert_eq!(until(&state(&story)).as_deref(), Some("2026-03-24"));
    let ramp = free_until(LfdOwner::Rail, "2026-03-29");
    story.push(road(Verb::LastFreeDay, "USCHI", at(27, 14)).worth(ramp));
    let told = state(&story);
    assert_eq!(until(&told).as_deref(), Some("2026-03-29"));
    assert_eq!(told.pickup.lfd_terminal, None);
    let line = free_until(LfdOwner::Line, "2026-03-31");
    story.push(act(Verb::LastFreeDay, "USCHI", at(27, 15)).worth(line));
    assert_eq!(until(&state(&story)).as_deref(), Some("2026-03-31"));
}

/// The road that hands the box on at Chicago is asked as before, and goes on telling the free day of its own end.
#[test]
fn a_roads_free_day_on_the_way_gives_way_to_that_of_the_end() {
    let until = |date| free_until(LfdOwner::Rail, date);
    let day = |story: &[Told]| {
        settled(story)
            .pickup
            .lfd_rail
            .map(|day| day.date.to_string())
    };
    let [load, depart, ..] = train();
    let mut story = direct()[..8].to_vec();
    story.extend([plan("USMEM", 30, 20), load, depart]);
    let chicago = road(Verb::LastFreeDay, "USCHI", at(26, 9)).worth(until("2026-03-29"));
    story.push(chicago.clone());
    assert_eq!(
        day(&story).as_deref(),
        Some("2026-03-29"),
        "nobody told another"
    );
    let other = road(Verb::LastFreeDay, "USMEM", at(30, 9)).worth(until("2026-04-02"));
    story.push(other.from("other road", SourceKind::RailApi));
    assert_eq!(day(&story).as_deref(), Some("2026-04-02"));
    story.push(chicago.issued(at(31, 0)));
    assert_eq!(day(&story).as_deref(), Some("2026-04-02"));
}

#[test]
fn a_roads_free_day_of_before_the_ship_is_due_is_of_another_trip() {
    for (date, stands) in [("2026-01-30", false), ("2026-03-31", true)] {
        let mut story = direct()[..6].to_vec();
        story.push(plan("USCHI", 27, 10));
        let day = free_until(LfdOwner::Rail, date);
        story.push(road(Verb::LastFreeDay, "USCHI", at(17, 12)).worth(day));
        let pickup = settled(&story).pickup;
        assert_eq!(pickup.last_free_day().is_some(), stands, "{date}");
        assert_eq!(pickup.lfd_rail.is_some(), stands, "{date}");
    }
}

/// The line's stands before the terminal's, and a terminal's sheet may carry that of the trip before beside its own of this one.
#[test]
fn a_lines_free_day_of_before_the_ship_is_due_is_of_another_trip() {
    let mut story = direct()[..6].to_vec();
    let line = free_until(LfdOwner::Line, "2026-01-30");
    story.push(pier(Verb::LastFreeDay, at(17, 12)).worth(line));
    assert_eq!(settled(&story).pickup.lfd_line, None);
    story.extend(direct()[6..8].iter().cloned());
    let terminal = free_until(LfdOwner::Terminal, "2026-03-24");
    story.push(pier(Verb::LastFreeDay, at(21, 12)).worth(terminal));
    let pickup = settled(&story).pickup;
    let day = pickup.last_free_day().map(|day| day.date.to_string());
    assert_eq!(day.as_deref(), Some("2026-03-24"));
    let line = free_until(LfdOwner::Line, "2026-03-23");
    story.push(pier(Verb::LastFreeDay, at(21, 13)).worth(line));
    let pickup = settled(&story).pickup;
    let day = pickup.last_free_day().map(|day| day.date.to_string());
    assert_eq!(day.as_deref(), Some("2026-03-23"), "of this one");
}

#[test]
fn two_feeds_of_one_terminal_that_differ_do_not_take_turns() {
    let mut story = direct()[..8].to_vec();
    for hour in 1..6 {
        story.push(pier(Verb::Available, at(21, 2 * hour)));
        let gate = act(Verb::NotAvailable, "USLAX", at(21, 2 * hour + 1));
        story.push(gate.from("gate", SourceKind::X12_322));
    }
    let told = words(&state(&story));
    assert_eq!(
        told,
        [
            ("available USLAX".into(), at(21, 2)),
            ("not_available USLAX".into(), at(21, 3)),
        ]
    );
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

/// For export: the ramp at the port of lading says that the box can be fetched.
#[test]
fn words_where_the_voyage_begins_are_not_about_collecting_the_goods() {
    let mut story = direct()[..8].to_vec();
    story.push(road(Verb::Available, "CNSHA", at(4, 1)));
    story.push(road(Verb::NotAvailable, "CNSHA", at(21, 1)));
    let held = state(&story);
    assert_eq!((words(&held), held.pickup.available), (vec![], None));
}

/// Nobody tells of a ship: all that is known comes from railroads.
#[test]
fn a_ramp_is_heard_where_nothing_is_known_of_the_sea() {
    let free = road(Verb::Available, "USCHI", at(27, 14));
    let arrived = [rail(Verb::Arrive, "USCHI", at(27, 6)), free.clone()];
    for story in [vec![free.clone()], arrived.to_vec()] {
        let held = state(&story);
        assert_eq!(words(&held), [("available USCHI".into(), at(27, 14))]);
        assert_eq!(held.pickup.available, Some(true));
    }
}

/// A railroad that says so by mistake takes it back hours later; the terminal knows that the box is there.
#[test]
fn a_box_loaded_on_a_train_still_stands_in_the_port_until_it_leaves() {
    let mut story = landed();
    story.extend([
        pier(Verb::Available, at(21, 12)),
        pier(Verb::HoldSet, at(21, 12)).worth(customs()),
        pier(Verb::Appointment, at(21, 12)).worth(Value::Appointment(at(24, 0))),
    ]);
    story.push(train()[0].clone());
    story.push(pier(Verb::NotAvailable, at(22, 12)));
    let loaded = state(&story);
    assert_eq!(loaded.status, CurrentStatus::OnRail);
    assert_eq!(loaded.pickup.available, Some(false));
    assert_eq!(loaded.pickup.holds.len(), 1);
    assert_eq!(loaded.pickup.appointment, Some(at(24, 0)));
    story.push(train()[1].clone());
    let left = state(&story);
    assert_eq!(left.pickup.available, None);
    assert_eq!((left.pickup.holds, left.pickup.appointment), (vec![], None));
}

/// Railroads name all ramps of one harbour after one of its ports.
#[test]
fn a_box_loaded_on_a_train_next_door_still_stands_in_the_port_until_it_leaves() {
    for (ramp, is_here) in [("USLGB", true), ("USOAK", false)] {
        let mut story = landed();
        story.extend([
            pier(Verb::Available, at(21, 12)),
            pier(Verb::HoldSet, at(21, 12)).worth(customs()),
            pier(Verb::Appointment, at(21, 12)).worth(Value::Appointment(at(24, 0))),
            pier(Verb::Fee, at(21, 12)).worth(demurrage(80)),
            rail(Verb::Load, ramp, at(22, 10)),
        ]);
        let loaded = state(&story);
        assert_eq!(loaded.status, CurrentStatus::OnRail);
        let pickup = loaded.pickup;
        assert_eq!(pickup.available, is_here.then_some(true), "{ramp}");
        assert_eq!(pickup.holds.len(), usize::from(is_here), "{ramp}");
        assert_eq!(pickup.appointment.is_some(), is_here, "{ramp}");
        assert_eq!(pickup.fees.len(), usize::from(is_here), "{ramp}");
        story.push(rail(Verb::Depart, ramp, at(22, 20)));
        let left = state(&story).pickup;
        assert_eq!((left.available, left.fees), (None, vec![]), "{ramp}");
    }
}

/// A train, or the ramp itself, proves it well enough.
#[test]
fn a_ramp_is_heard_where_nobody_told_of_the_landing() {
    let free = road(Verb::Available, "USCHI", at(27, 14));
    let bound = est(Verb::Arrive, "USCHI", at(27, 6)).by(Mode::Rail);
    for by_train in [true, false] {
        let mut story = direct()[..6].to_vec();
        story.push(bound.clone().of_bill());
        story.extend(train()[2..].iter().filter(|_| by_train).cloned());
        story.push(free.clone());
        story.push(pier(Verb::NotAvailable, at(27, 20)));
        let held = state(&story);
        assert_eq!(words(&held), [("available USCHI".into(), at(27, 14))]);
        assert_eq!(held.pickup.available, Some(true));
    }
}

/// The line tells arrivals days late, or never.
#[test]
fn a_terminal_that_lets_the_box_go_has_it_whoever_told_of_the_landing() {
    let mut story = direct()[..6].to_vec();
    story.push(act(Verb::HoldSet, "USLAX", at(12, 0)).worth(customs()));
    story.push(pier(Verb::HoldSet, at(20, 8)).worth(Value::Holds(vec![])));
    story.push(
        pier(Verb::LastFreeDay, at(20, 8)).worth(free_until(LfdOwner::Terminal, "2026-03-24")),
    );
    let waits = settled(&story);
    assert_eq!(waits.status, CurrentStatus::OnShip);
    assert!(waits.pickup.lfd_terminal.is_none(), "no word of the box");
    assert_eq!(waits.pickup.holds.len(), 1);
    // Four days before the ship is due it speaks of another visit.
    let mut early = story.clone();
    early.push(pier(Verb::Available, at(15, 0)));
    assert_eq!(settled(&early).status, CurrentStatus::OnShip);
    assert!(settled(&early).pickup.lfd_terminal.is_none());
    story.push(pier(Verb::Available, at(20, 8)));
    let freed = settled(&story);
    assert_eq!(freed.status, CurrentStatus::Available);
    let day = freed.pickup.lfd_terminal.unwrap().date.to_string();
    assert_eq!(day, "2026-03-24");
    assert_eq!(freed.pickup.holds, []);
    let landed = |name| freed.milestones.iter().any(|m| m.slot.event == name);
    assert!(
        ![EventName::VesselArrived, EventName::VesselDischarged]
            .into_iter()
            .any(landed)
    );
}

/// The plan named another ramp, and nobody renewed it: once the box is back empty it goes there no more.
#[test]
fn a_plan_that_nobody_kept_ends_with_the_empty_return() {
    let mut story = direct()[..8].to_vec();
    story.extend([
        plan("USMEM", 25, 20),
        rail(Verb::Load, "USLAX", at(22, 6)),
        rail(Verb::Depart, "USLAX", at(22, 12)),
        rail(Verb::Arrive, "USCHI", at(26, 6)),
        rail(Verb::Discharge, "USCHI", at(26, 10)),
        truck(Verb::GateOut, "USCHI", at(27, 9)),
    ]);
    let back = act(Verb::GateIn, "USCHI", at(29, 9)).by(Mode::Truck);
    story.push(back.empty());
    let ended = settled(&story);
    assert_eq!(ended.journey.destination, Some(place("USCHI")));
    let inland = ended.milestone(EventName::ArrivedAtInlandDestination);
    assert_eq!(inland.unwrap().at, at(26, 6));
}

/// The road still tells the last trip, days before the ship is due.
#[test]
fn a_ramps_yes_of_before_the_ship_is_due_is_of_another_trip() {
    let mut story = direct()[..6].to_vec();
    story.push(plan("USCHI", 27, 10));
    story.push(road(Verb::Available, "USCHI", at(18, 0)));
    let at_sea = settled(&story);
    assert_eq!((words(&at_sea), at_sea.pickup.available), (vec![], None));
    story.push(pier(Verb::Available, at(20, 20)));
    let free = settled(&story);
    assert_eq!(words(&free), [("available USLAX".into(), at(20, 20))]);
    assert_eq!(free.pickup.available, Some(true));
}

/// A train to the port of lading is none that takes the box inland.
#[test]
fn a_train_before_the_voyage_takes_nothing_from_the_port_of_discharge() {
    let mut story = vec![
        rail(Verb::Depart, "CNZHZ", at(2, 9)),
        rail(Verb::Arrive, "CNSHA", at(3, 9)),
    ];
    story.extend(direct()[..8].to_vec());
    story.push(pier(Verb::Available, at(21, 12)));
    assert_eq!(state(&story).pickup.available, Some(true));
}

/// The box was here in February; the terminal still tells of that.
fn of_an_earlier_visit() -> Vec<Told> {
    vec![
        pier(Verb::Available, at(0, 12)),
        pier(Verb::Fee, at(0, 12)).worth(demurrage(450)),
        pier(Verb::Appointment, at(0, 12)).worth(Value::Appointment(day(-2))),
        pier(Verb::HoldSet, at(0, 12)).worth(customs()),
    ]
}

#[test]
fn what_a_terminal_said_before_the_box_set_out_is_of_an_earlier_visit() {
    let mut story = vec![
        est(Verb::Arrive, "USLAX", at(19, 5))
            .aboard(FIRST)
            .issued(day(-5))
            .received(day(-5)),
    ];
    story.extend(of_an_earlier_visit());
    let planned = state(&story);
    assert_eq!(words(&planned), []);
    assert_eq!(planned.pickup.available, None);
    assert_eq!(planned.pickup.fees, []);
    assert_eq!(planned.pickup.appointment, None);
    assert_eq!(planned.status, CurrentStatus::New);
    for told in &direct()[1..8] {
        story.push(told.clone());
        let held = state(&story);
        assert_eq!(words(&held), []);
        assert_eq!(
            (held.pickup.fees, held.pickup.holds, held.pickup.appointment),
            (vec![], vec![], None)
        );
    }
}

/// Found by a reviewer: the import's last word stood on the export's bill, whose port of discharge nobody had named.
#[test]
fn what_was_said_of_the_import_is_not_told_of_the_export_that_follows() {
    let mut story = vec![
        pier(Verb::NotAvailable, at(0, 10)),
        pier(Verb::Available, at(2, 10)),
    ];
    let out = act(Verb::GateOut, "USLAX", at(7, 8)).empty();
    story.push(out.hint(MoveHint::Export));
    let told = |story: &[Told]| {
        let held = state(story);
        (words(&held), held.pickup.available)
    };
    assert_eq!(told(&story), (vec![], None), "the empty went out since");
    story.push(act(Verb::Load, "USLAX", at(10, 8)).aboard(FIRST).laden());
    story.push(act(Verb::Depart, "USLAX", at(11, 8)).aboard(FIRST));
    assert_eq!(told(&story), (vec![], None));
    story.push(pier(Verb::Available, at(12, 0)));
    assert_eq!(told(&story), (vec![], None), "where it was put to sea");
}

#[test]
fn a_yes_that_is_said_while_the_box_is_at_sea_counts_when_it_lands() {
    let mut story = direct()[..6].to_vec();
    story.push(pier(Verb::Available, at(15, 0)));
    story.push(pier(Verb::HoldSet, at(15, 0)).worth(customs()));
    story.push(pier(Verb::Appointment, at(15, 0)).worth(Value::Appointment(at(21, 0))));
    let at_sea = state(&story);
    assert_eq!((words(&at_sea), at_sea.pickup.available), (vec![], None));
    assert_eq!(at_sea.pickup.holds.len(), 1, "customs look at the papers");
    assert_eq!(
        at_sea.pickup.appointment,
        Some(at(21, 0)),
        "it is for after the arrival"
    );
    story.push(pier(Verb::HoldClear, at(16, 0)));
    story.extend(direct()[6..8].to_vec());
    let ashore = state(&story);
    assert_eq!(words(&ashore).len(), 1);
    assert_eq!(ashore.status, CurrentStatus::Available);
}

/// A trucker calls what he arranged with the shipper by the same code.
#[test]
fn an_appointment_of_before_the_box_can_be_ashore_is_none_whoever_tells_it() {
    let appointment = |when| {
        let told = act(Verb::Appointment, "CNSHA", at(1, 2)).worth(Value::Appointment(when));
        told.from("trucker", SourceKind::X12_214)
    };
    let mut story = direct()[..6].to_vec();
    story.push(appointment(at(1, 8)));
    assert_eq!(settled(&story).pickup.appointment, None);
    story.push(appointment(at(21, 8)).issued(at(19, 0)));
    assert_eq!(settled(&story).pickup.appointment, Some(at(21, 8)));
}

/// Nobody told where the box came from; the terminal's row is of its last visit, whatever the landing shows.
#[test]
fn a_yes_of_days_before_the_landing_of_a_box_from_nowhere_is_of_an_earlier_visit() {
    let mut story = vec![pier(Verb::Available, at(10, 0))];
    story.push(pier(Verb::Fee, at(10, 0)).worth(demurrage(450)));
    story.extend(direct()[5..8].to_vec());
    let landed = state(&story);
    assert_eq!((words(&landed), landed.pickup.available), (vec![], None));
    assert_eq!(landed.pickup.fees, []);
    story.push(pier(Verb::Available, at(20, 20)));
    let free = state(&story);
    assert_eq!(words(&free), [("available USLAX".into(), at(20, 20))]);
}

#[test]
fn a_no_that_is_said_while_the_box_is_at_sea_is_true() {
    let mut story = direct()[..6].to_vec();
    story.push(pier(Verb::NotAvailable, at(15, 0)));
    assert_eq!(state(&story).pickup.available, Some(false));
}

/// The line tells of the landing hours or days after the terminal has the box, and estimates drift.
#[test]
fn a_yes_about_when_the_ship_is_expected_needs_no_word_of_its_arrival() {
    for yes in [at(17, 12), at(19, 12)] {
        let mut story = direct()[..6].to_vec();
        story.push(pier(Verb::Available, yes));
        story.push(pier(Verb::Fee, yes).worth(demurrage(120)));
        let before = state(&story);
        assert_eq!(words(&before), [("available USLAX".into(), yes)]);
        assert_eq!(before.pickup.available, Some(true));
        story.extend(direct()[6..8].to_vec());
        let landed = state(&story);
        assert_eq!(words(&landed), [("available USLAX".into(), yes)]);
        assert_eq!(landed.pickup.fees.len(), 1);
        assert_eq!(landed.status, CurrentStatus::Available);
    }
}

/// A 315 says NF of a marine terminal and of a ramp alike: the place tells whose day it is.
#[test]
fn a_notice_about_the_ramp_names_the_railroads_day() {
    let notice = |port, when: Timestamp| {
        act(Verb::LastFreeDay, port, when)
            .from("line", SourceKind::X12_315)
            .worth(free_until(LfdOwner::Terminal, "2026-03-31"))
    };
    let mut story = landed();
    story.extend(train());
    story.push(notice("USCHI", at(28, 6)));
    let days = |story: &[Told]| {
        let pickup = state(story).pickup;
        let date = |day: Option<LastFreeDay>| day.map(|day| day.date.to_string());
        (date(pickup.lfd_terminal), date(pickup.lfd_rail))
    };
    assert_eq!(days(&story), (None, Some("2026-03-31".into())));
    story.pop();
    story.push(notice("USLAX", at(28, 6)));
    assert_eq!(
        days(&story),
        (None, None),
        "said of the port when the box has left it"
    );
}

/// One says when it expects the box at the ramp, the other that it came: two clocks, and both are shown.
#[test]
fn the_line_and_the_railroad_do_not_overwrite_each_others_arrival_inland() {
    let views = |story: &[Told]| {
        let container = state(story);
        let shipment = shipment_state(std::slice::from_ref(&container));
        let came = container.milestone(EventName::ArrivedAtInlandDestination);
        (
            came.map(|milestone| milestone.at),
            shipment.destination_eta,
            shipment.destination_ata,
        )
    };
    let mut story = landed();
    assert_eq!(views(&story), (None, Some(at(27, 6)), None));
    story.push(
        road(Verb::Arrive, "USCHI", at(26, 3))
            .by(Mode::Rail)
            .laden(),
    );
    assert_eq!(views(&story), (Some(at(26, 3)), Some(at(27, 6)), None));
    story.push(rail(Verb::Arrive, "USCHI", at(26, 5)));
    let (_, expected, arrived) = views(&story);
    assert_eq!((expected, arrived), (None, Some(at(26, 5))));
    // Where no railroad speaks, the line's word is the only one, and both show it.
    let mut alone = landed();
    alone.push(rail(Verb::Arrive, "USCHI", at(26, 5)));
    assert_eq!(views(&alone), (Some(at(26, 5)), None, Some(at(26, 5))));
}

#[test]
fn a_box_that_the_ramp_is_ready_to_hand_out_is_off_the_train() {
    let mut story = landed();
    story.extend(train()[..3].to_vec());
    assert_eq!(state(&story).status, CurrentStatus::OnRail);
    // The railroad never tells the unloading.
    story.push(road(Verb::Available, "USCHI", at(27, 9)));
    let ready = state(&story);
    assert_eq!(ready.pickup.available, Some(true));
    assert_eq!(ready.status, CurrentStatus::Available);
    story.push(rail(Verb::Depart, "USCHI", at(28, 9)));
    assert_eq!(state(&story).status, CurrentStatus::OnRail, "it went on");
}

/// The state in either order of arrival.
fn settled(story: &[Told]) -> ContainerState {
    let found = state(story);
    let mut turned = story.to_vec();
    turned.reverse();
    assert_eq!(state(&turned), found);
    found
}

/// From there a truck takes it across the town, to the next train.
#[test]
fn a_box_that_is_ready_at_a_ramp_on_the_way_is_still_on_rail() {
    let mut story = direct()[..8].to_vec();
    let plan = est(Verb::Arrive, "USMEM", at(29, 6)).by(Mode::Rail);
    story.push(plan.of_bill());
    let [load, depart, ..] = train();
    story.extend([load, depart, rail(Verb::Arrive, "USCHI", at(26, 6))]);
    let sighted = |port, when| act(Verb::Available, port, when).from("road", SourceKind::Clm);
    story.push(sighted("USCHI", at(26, 12)));
    let on_the_way = settled(&story);
    assert_eq!(on_the_way.status, CurrentStatus::OnRail);
    assert_eq!(on_the_way.pickup.available, None);
    assert_eq!(words(&on_the_way), []);
    story.push(rail(Verb::Arrive, "USMEM", at(29, 3)));
    assert_eq!(settled(&story).status, CurrentStatus::OnRail);
    story.push(sighted("USMEM", at(29, 9)));
    assert_eq!(settled(&story).status, CurrentStatus::Available);
}

/// The line writes a time of its own for the arrival, the railroad tells none and says each day that the box is ready.
#[test]
fn a_train_that_is_told_behind_the_ramps_yes_does_not_take_the_box_back() {
    let [load, depart, ..] = train();
    let late = rail(Verb::Arrive, "USCHI", at(26, 12));
    for trains in [
        vec![load.clone(), depart.clone(), late.clone()],
        vec![late.clone()],
        vec![late.clone(), rail(Verb::Discharge, "USCHI", at(26, 13))],
    ] {
        let mut story = landed();
        story.extend(trains);
        for day in 26..30 {
            story.push(road(Verb::Available, "USCHI", at(day, 8)));
            let ready = settled(&story);
            assert_eq!(ready.status, CurrentStatus::Available, "{day}");
            assert_eq!(words(&ready), [("available USCHI".into(), at(26, 8))]);
        }
        story.push(rail(Verb::Depart, "USCHI", at(29, 20)));
        assert_eq!(settled(&story).status, CurrentStatus::OnRail, "it went on");
    }
    // What is told of a train elsewhere counts until the ramp says again that it has the box.
    let mut story = landed();
    story.extend([load, rail(Verb::Depart, "USLAX", at(26, 10)), late]);
    story.push(road(Verb::Available, "USCHI", at(26, 8)));
    assert_eq!(settled(&story).status, CurrentStatus::OnRail);
    story.push(road(Verb::Available, "USCHI", at(27, 8)));
    assert_eq!(settled(&story).status, CurrentStatus::Available);
}

/// A terminal on the river is another than the port's, and its gate is not the port's gate.
#[test]
fn a_box_on_a_barge_from_the_port_has_left_it() {
    let barge = |verb, port, when| act(verb, port, when).by(Mode::Barge).laden();
    let river = |verb, when| act(verb, "USMEM", when).from("river", SourceKind::TerminalApi);
    let mut story = direct()[..8].to_vec();
    story.extend([
        pier(Verb::Available, at(21, 12)),
        pier(Verb::Fee, at(21, 12)).worth(demurrage(120)),
        barge(Verb::Load, "USLAX", at(22, 8)),
    ]);
    let stands = |story: &[Told]| {
        let state = settled(story);
        (state.pickup.available, state.status)
    };
    let free = (Some(true), CurrentStatus::Available);
    let gone = (None, CurrentStatus::Grounded);
    assert_eq!(stands(&story), free, "it still stands in the port");
    let unloaded = barge(Verb::Discharge, "USMEM", at(26, 8));
    let without_departure = [&story[..], std::slice::from_ref(&unloaded)].concat();
    assert_eq!(stands(&without_departure), gone);
    story.push(barge(Verb::Depart, "USLAX", at(23, 8)));
    assert_eq!(stands(&story), gone);
    assert_eq!(state(&story).pickup.fees, []);
    let across = [&story[..], &[barge(Verb::Discharge, "USLAX", at(23, 18))]].concat();
    assert_eq!(stands(&across), free, "to another terminal of the port");
    story.push(unloaded);
    story.push(pier(Verb::NotAvailable, at(26, 12)));
    assert_eq!(stands(&story), gone);
    assert_eq!(
        words(&state(&story)),
        [("available USLAX".into(), at(21, 12))]
    );
    let day = free_until(LfdOwner::Terminal, "2026-04-01");
    story.push(river(Verb::Available, at(27, 8)));
    story.push(river(Verb::LastFreeDay, at(27, 8)).worth(day));
    assert_eq!(stands(&story), free);
    assert!(state(&story).pickup.lfd_terminal.is_some());
    story.push(truck(Verb::GateOut, "USMEM", at(28, 9)));
    let collected = state(&story);
    assert_eq!(collected.status, CurrentStatus::PickedUp);
    assert_eq!(full_outs(&story), ["full_out USMEM"]);
    let times = collected.milestone_times();
    let of = |name: &str| times.iter().find(|(n, _)| *n == name).unwrap().1;
    assert_eq!(of("pod_full_out_at"), None);
    assert_eq!(of("final_destination_full_out_at"), Some(at(28, 9)));
}

/// A barge that brought the goods to the sea took nothing away from the port.
#[test]
fn a_barge_before_the_sea_takes_no_box_out_of_its_yard() {
    let mut story = direct()[..8].to_vec();
    story.extend([
        act(Verb::Depart, "USLAX", at(2, 9)).by(Mode::Barge),
        act(Verb::Discharge, "CNSHA", at(3, 9))
            .by(Mode::Barge)
            .laden(),
        pier(Verb::Available, at(21, 12)),
    ]);
    assert_eq!(settled(&story).pickup.available, Some(true));
}

/// The line goes on issuing what it once expected.
#[test]
fn nobody_expects_a_box_that_is_known_to_be_there() {
    let expects = |story: &[Told]| {
        let names = state(story).estimates.into_iter().map(|e| e.event);
        names.collect::<Vec<_>>()
    };
    let inland = [EventName::EstimatedArrivedAtInlandDestination];
    let again = est(Verb::Arrive, "USCHI", day(30)).by(Mode::Rail).of_bill();
    let again = || again.clone().issued(at(29, 6));
    let mut story = landed();
    story.extend(train()[..2].to_vec());
    assert_eq!(expects(&story), inland);
    let unloaded = rail(Verb::Discharge, "USCHI", at(27, 10));
    let out = truck(Verb::GateOut, "USJOT", at(28, 9));
    for told in [
        vec![unloaded.clone()],
        vec![out.clone()],
        vec![unloaded, out],
    ] {
        let there = [&story[..], &told, &[again()]].concat();
        assert_eq!(expects(&there), [], "{told:?}");
    }
    let on_the_way = rail(Verb::Discharge, "USMEM", at(25, 10));
    let on_the_way = [&story[..], &[on_the_way, again()]].concat();
    assert_eq!(expects(&on_the_way), inland, "unloaded on the way");
    let out = truck(Verb::GateOut, "USLAX", at(21, 9)).from("pier", SourceKind::TerminalApi);
    let late = est(Verb::Arrive, "USLAX", day(22)).aboard(FIRST).of_bill();
    let collected = [&direct()[..6], &[out, late.issued(at(21, 12))]].concat();
    assert_eq!(full_outs(&collected), ["full_out USLAX"]);
    assert_eq!(expects(&collected), []);
}

/// What a line's 315 or IFTSTA tells of the box.
fn edi(verb: Verb, port: &str, when: Timestamp) -> Told {
    rail(verb, port, when).from("edi", SourceKind::X12_315)
}

/// An expected arrival by train, as it was said on a day.
fn plan(port: &str, on: i64, said: i64) -> Told {
    let plan = est(Verb::Arrive, port, at(on, 6)).by(Mode::Rail);
    plan.of_bill().issued(day(said))
}

/// On its way to Chicago by all plans, and unloaded in Memphis, which the line named later.
fn sent_to_memphis() -> Vec<Told> {
    let [load, depart, ..] = train();
    let mut story = direct()[..8].to_vec();
    story.extend([plan("USCHI", 28, 19), plan("USMEM", 25, 22), load, depart]);
    story.push(plan("USCHI", 27, 20).from("edi", SourceKind::X12_315));
    story.push(plan("USCHI", 27, 23).from("road", SourceKind::RailApi));
    story.push(rail(Verb::Arrive, "USMEM", at(25, 4)));
    story
}

fn ends_in(story: &[Told], port: &str) {
    let found = settled(story);
    assert_eq!(found.journey.destination, Some(place(port)), "{story:#?}");
    let came = found.milestone(EventName::ArrivedAtInlandDestination);
    let there = came.and_then(|milestone| milestone.slot.place);
    let expected = (port != "USCHI").then(|| place(port));
    assert_eq!(there, expected, "{story:#?}");
}

/// Chicago is where one railroad hands the box to the other, and the line adds that late. The first one's way ends there: it
/// notifies, counts free days and storage, gives a number, and a trucker fetches the box, as where the goods are collected.
#[test]
fn what_is_told_of_an_interchange_is_no_arrival() {
    let [load, depart, ..] = train();
    let mut story = direct()[..8].to_vec();
    story.extend([plan("USMEM", 30, 20), plan("USCHI", 27, 22), load, depart]);
    let stay = [
        rail(Verb::Arrive, "USCHI", at(26, 4)),
        edi(Verb::Discharge, "USCHI", at(26, 8)),
        road(Verb::Available, "USCHI", at(26, 9)),
        road(Verb::LastFreeDay, "USCHI", at(26, 9)).worth(free_until(LfdOwner::Rail, "2026-03-29")),
        act(Verb::LastFreeDay, "USCHI", at(26, 9)).worth(free_until(LfdOwner::Line, "2026-03-30")),
        road(Verb::Fee, "USCHI", at(26, 9)).worth(demurrage(40)),
        road(Verb::Appointment, "USCHI", at(26, 9)).worth(Value::Appointment(at(27, 12))),
        truck(Verb::GateOut, "USCHI", at(27, 15)).hint(MoveHint::Import),
    ];
    for told in stay {
        story.push(told);
        let there = settled(&story);
        assert_eq!(there.journey.destination, Some(place("USMEM")));
        let told = events(&there);
        let told = told.iter().filter(|event| {
            let is = |name: &str| event.starts_with(name);
            is("arrived_at_inland") || is("available") || is("full_out")
        });
        assert_eq!(told.collect::<Vec<_>>(), [""; 0]);
    }
    story.extend([
        truck(Verb::GateIn, "USCHI", at(27, 18)),
        rail(Verb::Load, "USCHI", at(28, 4)),
        rail(Verb::Arrive, "USMEM", at(30, 4)),
    ]);
    let came = "arrived_at_inland_destination USMEM".to_owned();
    assert!(events(&settled(&story)).contains(&came));
}

/// A plan of the line is seldom renewed, and of a bare date the morning may be over: the box goes there all the same.
#[test]
fn a_train_that_is_late_has_not_come_to_its_end_at_the_interchange() {
    let [load, depart, ..] = train();
    for expected in [plan("USMEM", 27, 20), plan("USMEM", 28, 20).dated()] {
        let mut story = direct()[..8].to_vec();
        story.extend([expected, load.clone(), depart.clone()]);
        for told in [
            rail(Verb::Arrive, "USCHI", at(28, 6)),
            edi(Verb::Discharge, "USCHI", at(28, 10)),
            road(Verb::Available, "USCHI", at(28, 12)),
            truck(Verb::GateOut, "USCHI", at(28, 15)),
        ] {
            story.push(told);
            let there = settled(&story);
            assert_eq!(there.journey.destination, Some(place("USMEM")));
            let arrived = there.milestone(EventName::ArrivedAtInlandDestination);
            assert!(arrived.is_none());
            assert_eq!((words(&there), full_outs(&story)), (vec![], vec![]));
        }
        story.push(rail(Verb::Arrive, "USMEM", at(31, 4)));
        let came = "arrived_at_inland_destination USMEM".to_owned();
        assert!(events(&settled(&story)).contains(&came));
    }
}

#[test]
fn a_plan_that_was_forgotten_for_a_week_is_none() {
    let mut story = direct()[..8].to_vec();
    story.push(plan("USMEM", 27, 20));
    story.extend(train());
    let came = "arrived_at_inland_destination USCHI".to_owned();
    assert!(!events(&settled(&story)).contains(&came));
    story.push(truck(Verb::GateOut, "USCHI", at(35, 8)));
    assert!(events(&settled(&story)).contains(&came));
    assert_eq!(full_outs(&story), ["full_out USCHI"]);
}

#[test]
fn a_plan_of_a_ramp_where_the_box_was_seen_leaving_is_over() {
    let mut story = direct()[..8].to_vec();
    story.push(plan("USCHI", 26, 22));
    story.extend(train()[..2].to_vec());
    story.push(rail(Verb::Depart, "USCHI", at(26, 23)));
    story.push(rail(Verb::Arrive, "USMEM", at(28, 4)));
    let came = "arrived_at_inland_destination USMEM".to_owned();
    assert!(events(&settled(&story)).contains(&came));
}

#[test]
fn a_box_ends_its_way_where_the_line_itself_calls_the_ramp_the_place_of_delivery() {
    let mut story = sent_to_memphis();
    ends_in(
        &[&story[..], &[edi(Verb::Discharge, "USMEM", at(25, 8))]].concat(),
        "USCHI",
    );
    story.push(edi(Verb::Discharge, "USMEM", at(25, 8)).hint(MoveHint::Delivery));
    ends_in(&story, "USMEM");
    let there = settled(&story);
    assert_eq!(there.status, CurrentStatus::Grounded);
    assert_eq!(there.estimates, []);
    story.push(road(Verb::Available, "USMEM", at(25, 12)));
    let day = free_until(LfdOwner::Rail, "2026-03-29");
    story.push(road(Verb::LastFreeDay, "USMEM", at(25, 12)).worth(day));
    let ready = settled(&story);
    assert_eq!(ready.status, CurrentStatus::Available);
    assert!(ready.pickup.lfd_rail.is_some());
    assert_eq!(words(&ready), [("available USMEM".into(), at(25, 12))]);
    story.push(truck(Verb::GateOut, "USMEM", at(26, 9)));
    assert_eq!(full_outs(&story), ["full_out USMEM"]);
    assert_eq!(settled(&story).status, CurrentStatus::PickedUp);
}

/// The railroad tells of the train, the line of the gate alone.
#[test]
fn a_gate_that_the_line_calls_the_place_of_delivery_ends_the_way_of_the_train_that_came_there() {
    let gate = truck(Verb::GateOut, "USMEM", at(26, 9)).from("edi", SourceKind::X12_315);
    let gate = gate.hint(MoveHint::Delivery);
    let mut story = sent_to_memphis();
    story.push(gate.clone());
    ends_in(&story, "USMEM");
    assert_eq!(full_outs(&story), ["full_out USMEM"]);
    let of_no_train = [&landed()[..], &train()[..2], &[gate]].concat();
    ends_in(&of_no_train, "USCHI");
}

#[test]
fn an_old_plan_is_none_until_somebody_makes_it_again_or_a_train_goes_on() {
    let mut story = sent_to_memphis();
    let word = edi(Verb::Discharge, "USMEM", at(25, 8)).hint(MoveHint::Delivery);
    story.push(word.clone());
    let with = |more: &[Told]| [&story[..], more].concat();
    let hub = |said| plan("USCHI", 29, said).from("hub", SourceKind::Iftsta);
    ends_in(&with(&[hub(24).received(day(40))]), "USMEM");
    for again in [
        plan("USCHI", 28, 26),
        plan("USCHI", 28, 26).dated(),
        plan("USCHI", 29, 26).from("edi", SourceKind::X12_315),
        hub(26),
    ] {
        ends_in(&with(&[again]), "USCHI");
    }
    // The line puts its own word right.
    let other = edi(Verb::Discharge, "USMEM", at(25, 8)).issued(at(25, 20));
    ends_in(&with(&[other]), "USCHI");
    ends_in(&with(&[hub(26), word.issued(at(26, 20))]), "USMEM");
    for train in [
        rail(Verb::Load, "USMEM", at(26, 4)),
        rail(Verb::Depart, "USMEM", at(25, 0)).dated(),
        rail(Verb::Arrive, "USSTL", at(27, 4)),
    ] {
        ends_in(&with(&[train]), "USCHI");
    }
    // The train that brought it goes on without it; and when the goods were taken out, the empty goes somewhere.
    ends_in(
        &with(&[rail(Verb::Depart, "USMEM", at(26, 4)).of_bill()]),
        "USMEM",
    );
    let emptied = act(Verb::GateIn, "USMEM", at(28, 9))
        .by(Mode::Truck)
        .empty();
    let taken = act(Verb::Load, "USMEM", at(30, 4)).by(Mode::Rail);
    ends_in(&with(&[emptied, taken]), "USMEM");
}
