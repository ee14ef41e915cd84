//! Legs: feeders, trains with two roads, terminals of one port, changes of plan.

use domain::container::CurrentStatus;
use domain::event::{Change, EventName, difference};
use domain::report::{FacilityType, Mode, MoveHint, SourceKind, Verb};

use crate::telling::*;

fn rail(verb: Verb, port: &str, when: jiff::Timestamp) -> Told {
    act(verb, port, when).by(Mode::Rail).laden()
}

/// A railroad that sees the train pass.
fn seen(verb: Verb, port: &str, when: jiff::Timestamp) -> Told {
    rail(verb, port, when).from("road", SourceKind::Clm)
}

fn ashore(told: &[Told]) -> Vec<String> {
    events(&state(told)).split_off(6)
}

#[test]
fn two_roads_with_an_interchange_between() {
    let mut story = direct()[..8].to_vec();
    story.push(est(Verb::Arrive, "USCHI", day(29)).by(Mode::Rail).of_bill());
    story.extend([
        seen(Verb::Load, "USLAX", at(21, 4)),
        seen(Verb::Depart, "USLAX", at(21, 20)),
        seen(Verb::Arrive, "USMEM", at(24, 2)),
        seen(Verb::Discharge, "USMEM", at(24, 6)),
        seen(Verb::Load, "USMEM", at(25, 3)).from("other road", SourceKind::Clm),
        seen(Verb::Depart, "USMEM", at(25, 9)).from("other road", SourceKind::Clm),
        seen(Verb::Arrive, "USCHI", at(27, 1)).from("other road", SourceKind::Clm),
        seen(Verb::Discharge, "USCHI", at(27, 5)).from("other road", SourceKind::Clm),
    ]);
    assert_eq!(
        ashore(&story),
        [
            "rail_loaded USLAX",
            "rail_departed USLAX",
            "rail_arrived USMEM",
            "rail_unloaded USMEM",
            "rail_loaded USMEM",
            "rail_departed USMEM",
            "rail_arrived USCHI",
            "arrived_at_inland_destination USCHI",
            "rail_unloaded USCHI",
        ]
    );
}

/// The road names the end of its way beside the place where it saw the train, and nobody has planned that.
#[test]
fn a_place_on_the_way_of_which_the_road_says_so_is_no_end() {
    let mut story = direct()[..8].to_vec();
    story.extend([
        seen(Verb::Load, "USLAX", at(21, 4)),
        seen(Verb::Depart, "USLAX", at(21, 20)),
        seen(Verb::Arrive, "USMEM", at(24, 2)).hint(MoveHint::Onward),
    ]);
    assert_eq!(ashore(&story).last().unwrap(), "rail_arrived USMEM");
    assert_eq!(state(&story).journey.destination, None);
    // Ready for the truck that takes it across the town, and gone with it.
    let gate = |hint: Option<MoveHint>| {
        let out = seen(Verb::GateOut, "USMEM", at(24, 12)).by(Mode::Truck);
        out.laden().with(|r| r.move_hint = hint)
    };
    story.push(seen(Verb::Available, "USMEM", at(24, 6)).hint(MoveHint::Onward));
    let ready = state(&story);
    assert_eq!(
        (ready.pickup.available, ready.status),
        (None, CurrentStatus::OnRail)
    );
    let out = "full_out USMEM".to_owned();
    let mut collected = story.clone();
    collected.push(gate(None));
    assert!(ashore(&collected).contains(&out));
    story.push(gate(Some(MoveHint::Onward)));
    assert!(!ashore(&story).contains(&out));
    // The road calls it the destination, or the empty comes back.
    let mut ends = story.clone();
    ends.push(seen(Verb::Arrive, "USMEM", at(24, 3)));
    assert!(ashore(&ends).contains(&out));
    let mut unpacked = story.clone();
    unpacked.push(
        seen(Verb::GateIn, "USMEM", at(27, 12))
            .by(Mode::Truck)
            .empty(),
    );
    assert!(ashore(&unpacked).contains(&out));
    story.push(seen(Verb::Arrive, "USCHI", at(27, 1)));
    let came = "arrived_at_inland_destination USCHI".to_owned();
    assert!(ashore(&story).contains(&came));
}

/// The first railroad unloads the box for the next one.
#[test]
fn off_the_train_inland_is_where_the_way_ends() {
    let unloaded = |told: &[Told]| {
        let times = state(told).milestone_times();
        let mut times = times.iter();
        times
            .find(|(name, _)| *name == "ind_rail_unloaded_at")
            .unwrap()
            .1
    };
    let mut story = direct()[..8].to_vec();
    story.push(est(Verb::Arrive, "USCHI", day(27)).by(Mode::Rail));
    story.extend([
        rail(Verb::Load, "USLAX", at(21, 4)),
        rail(Verb::Discharge, "USMEM", at(24, 2)),
    ]);
    story.push(rail(Verb::Load, "USMEM", at(25, 2)));
    assert_eq!(unloaded(&story), None);
    story.push(rail(Verb::Arrive, "USCHI", at(27, 1)));
    assert_eq!(unloaded(&story), None);
    story.push(rail(Verb::Discharge, "USCHI", at(27, 3)));
    assert_eq!(unloaded(&story), Some(at(27, 3)));
    // By the clock of another.
    story.pop();
    story.push(rail(Verb::Discharge, "USJOT", at(27, 0)));
    assert_eq!(unloaded(&story), Some(at(27, 0)));
    // Nobody told where it goes, or that it came there.
    story.pop();
    story.push(rail(Verb::Discharge, "USCHI", at(27, 3)));
    story.retain(|told| told.0.verb != Verb::Arrive || told.0.place.locode == Some(place("USLAX")));
    assert_eq!(unloaded(&story), Some(at(27, 3)));
}

/// A slip of the pen, or the visit before.
#[test]
fn a_gate_days_before_the_ship_is_no_collection() {
    let mut story = direct()[..8].to_vec();
    let gate = |when| {
        let told = act(Verb::GateOut, "USLAX", when).by(Mode::Truck).laden();
        told.from("gate", SourceKind::Codeco)
    };
    story.push(gate(at(13, 9)));
    assert_eq!(ashore(&story), [""; 0]);
    assert_ne!(state(&story).status, CurrentStatus::PickedUp);
    // A ship that is told a day late.
    story.pop();
    story.push(gate(at(19, 9)));
    assert!(events(&state(&story)).contains(&"full_out USLAX".to_owned()));
}

#[test]
fn a_ramp_of_the_city_is_the_city() {
    let mut story = direct()[..8].to_vec();
    story.push(est(Verb::Arrive, "USCHI", day(27)).by(Mode::Rail).of_bill());
    story.push(rail(Verb::Depart, "USLAX", at(22, 0)));
    story.push(seen(Verb::Arrive, "USJOT", at(26, 3)));
    assert_eq!(
        ashore(&story),
        [
            "rail_departed USLAX",
            "rail_arrived USJOT",
            "arrived_at_inland_destination USCHI",
        ]
    );
}

/// A road reports every yard that the train leaves. Only where the box got on is a departure.
#[test]
fn a_train_that_passes_does_not_depart_again() {
    for kind in [SourceKind::Clm, SourceKind::X12_322] {
        let road = |told: Told| told.from("road", kind);
        let mut story = direct()[..8].to_vec();
        story.push(est(Verb::Arrive, "USCHI", day(27)).by(Mode::Rail).of_bill());
        story.extend([
            road(rail(Verb::Load, "USLAX", at(21, 4))),
            road(rail(Verb::Depart, "USLAX", at(21, 20))),
            road(rail(Verb::Depart, "USMEM", at(23, 20))),
            road(rail(Verb::Depart, "USOAK", at(24, 20))),
            road(rail(Verb::Arrive, "USCHI", at(27, 1))),
        ]);
        assert_eq!(
            ashore(&story),
            [
                "rail_loaded USLAX",
                "rail_departed USLAX",
                "rail_arrived USCHI",
                "arrived_at_inland_destination USCHI",
            ],
            "{kind:?}"
        );
    }
}

#[test]
fn a_gate_and_the_train_behind_it_are_one_move_by_the_trains_clock() {
    let gate = |verb, port, when| act(verb, port, when).by(Mode::Rail).laden().issued(day(50));
    let mut story = direct()[..8].to_vec();
    story.extend([
        gate(Verb::GateOut, "USLAX", at(22, 4)),
        rail(Verb::Depart, "USLAX", at(22, 9)),
        rail(Verb::Arrive, "USCHI", at(26, 3)),
        gate(Verb::GateIn, "USCHI", at(26, 8)).facility(FacilityType::Ramp),
    ]);
    let state = state(&story);
    let at_of = |event| state.milestone(event).unwrap().at;
    assert_eq!(at_of(EventName::RailDeparted), at(22, 9));
    assert_eq!(at_of(EventName::RailArrived), at(26, 3));
    assert_eq!(at_of(EventName::ArrivedAtInlandDestination), at(26, 3));
}

#[test]
fn a_box_that_comes_to_the_port_by_train_is_received_once() {
    let gate = rail(Verb::GateIn, "CNSHA", at(2, 8));
    let unloaded = rail(Verb::Discharge, "CNSHA", at(2, 20));
    let load = act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden();
    assert_eq!(
        events(&state(&[gate.clone(), load.clone()])),
        ["full_in CNSHA", "vessel_loaded CNSHA"]
    );
    assert_eq!(
        events(&state(&[gate.clone(), unloaded.clone(), load.clone()])),
        ["rail_unloaded CNSHA", "vessel_loaded CNSHA"]
    );
    let elsewhere = unloaded.from("other", SourceKind::X12_315);
    assert_eq!(
        events(&state(&[gate, elsewhere, load])),
        [
            "full_in CNSHA",
            "rail_unloaded CNSHA",
            "vessel_loaded CNSHA"
        ],
        "another source's train is another opinion"
    );
}

#[test]
fn a_second_terminal_of_the_port_tells_of_no_second_discharge() {
    let lift = |code: &str, when| {
        act(Verb::Discharge, "USLAX", when)
            .aboard(FIRST)
            .laden()
            .terminal(code)
    };
    let mut story = direct()[..7].to_vec();
    story.extend([lift("APM", at(20, 15)), lift("TRP", at(22, 9))]);
    let moved = state(&story);
    let found = moved.milestone(EventName::VesselDischarged).unwrap();
    assert_eq!(
        (found.at, found.terminal.as_deref()),
        (at(20, 15), Some("USLAX-APM"))
    );
    let quay = lift("TRP", at(22, 10)).from("quay", SourceKind::Coarri);
    story.push(quay.clone());
    let found = state(&story)
        .milestone(EventName::VesselDischarged)
        .unwrap()
        .at;
    assert_eq!(found, at(20, 15), "whoever tells of the second");

    let corrected = lift("APM", at(22, 9)).issued(day(30));
    let mut story = direct()[..7].to_vec();
    story.extend([lift("APM", at(20, 15)), corrected]);
    let found = state(&story)
        .milestone(EventName::VesselDischarged)
        .unwrap()
        .at;
    assert_eq!(found, at(22, 9), "one terminal: a correction");
}

#[test]
fn a_feeder_after_the_ocean() {
    let barge = |verb, port, on| act(verb, port, day(on)).by(Mode::Barge).laden();
    let mut story = direct()[..8].to_vec();
    story.extend([
        barge(Verb::Load, "USLAX", 22),
        barge(Verb::Depart, "USLAX", 23),
        barge(Verb::Arrive, "USOAK", 25),
        barge(Verb::Discharge, "USOAK", 26),
        act(Verb::GateOut, "USOAK", day(28)).by(Mode::Truck).laden(),
    ]);
    assert_eq!(
        ashore(&story),
        [
            "feeder_loaded USLAX",
            "feeder_departed USLAX",
            "feeder_arrived USOAK",
            "feeder_discharged USOAK",
            "full_out USOAK",
        ]
    );
}

/// The hub was to be a transshipment; the goods end there after all.
#[test]
fn a_change_of_destination_turns_a_transshipment_into_the_port_of_discharge() {
    let story = transshipped();
    let planned = &story[..8];
    assert!(events(&state(planned)).contains(&"transshipment_discharged KRPUS".into()));
    let gate = act(Verb::GateOut, "KRPUS", day(9)).by(Mode::Truck).laden();
    let driven = [planned, std::slice::from_ref(&gate)].concat();
    assert_eq!(
        state(&driven).journey.transshipments,
        [place("KRPUS")],
        "boxes are driven between terminals of a hub"
    );
    let mut changed = planned.to_vec();
    changed.push(gate.hint(MoveHint::Import));
    let after = state(&changed);
    assert_eq!(after.journey.port_of_discharge, Some(place("KRPUS")));
    assert_eq!(
        events(&after),
        [
            "vessel_loaded CNSHA",
            "vessel_departed CNSHA",
            "vessel_arrived KRPUS",
            "vessel_discharged KRPUS",
            "full_out KRPUS",
        ]
    );
    let told = difference(Some(&state(planned)), &after);
    let replaced = told.iter().filter(|c| matches!(c, Change::Replaced { .. }));
    assert_eq!(replaced.count(), 2, "{told:?}");
}

/// Found by a reviewer: an old end in the messages hid where the goods left for import.
#[test]
fn proof_of_import_beats_an_end_that_a_message_still_names() {
    let lifted = |verb, when| {
        let told = act(verb, "USLAX", when).aboard(FIRST).laden();
        told.hint(MoveHint::Onward)
    };
    let mut story = direct()[3..5].to_vec();
    story.push(lifted(Verb::Arrive, at(20, 5)));
    story.push(lifted(Verb::Discharge, at(20, 15)));
    let on_the_way = [
        "transshipment_arrived USLAX",
        "transshipment_discharged USLAX",
    ];
    assert_eq!(events(&state(&story)).split_off(2), on_the_way);
    let gate = act(Verb::GateOut, "USLAX", day(22)).by(Mode::Truck).laden();
    let cases = [
        (gate.clone(), "full_out USLAX"),
        (rail(Verb::Load, "USLAX", day(22)), "rail_loaded USLAX"),
    ];
    for (proof, told) in cases {
        let after = state(&[story.as_slice(), &[proof]].concat());
        assert_eq!(after.journey.port_of_discharge, Some(place("USLAX")));
        let landed = ["vessel_arrived USLAX", "vessel_discharged USLAX", told];
        assert_eq!(events(&after).split_off(2), landed);
    }
    // Between the terminals of a hub: its own message still names the end.
    story.push(gate.hint(MoveHint::Onward));
    let driven = state(&story);
    assert_eq!(driven.journey.port_of_discharge, None);
    assert_eq!(events(&driven).split_off(2), on_the_way);
    // Who says transshipment wants more.
    let said = |told: &Told| match told.0.move_hint {
        Some(MoveHint::Onward) => told.clone().hint(MoveHint::Transshipment),
        _ => told.clone(),
    };
    let mut said: Vec<Told> = story[..4].iter().map(said).collect();
    said.push(rail(Verb::Load, "USLAX", day(22)));
    assert_eq!(state(&said).journey.port_of_discharge, None);
}

/// A gate of which the message itself names an end further on is one between the terminals of a hub, also where only the
/// plan names that end. One that is marked export is none of the import.
#[test]
fn a_gate_on_the_way_to_a_named_end_makes_no_port_of_discharge() {
    let landed = act(Verb::Discharge, "KRPUS", at(7, 9)).aboard(FIRST);
    let story = [
        act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
        landed.laden(),
        est(Verb::Arrive, "USLAX", day(20))
            .by(Mode::Vessel)
            .of_bill(),
    ];
    let gate = |kind| {
        let gate = act(Verb::GateOut, "KRPUS", day(8)).laden();
        gate.from("hub", kind).bill("OURS")
    };
    for gate in [
        gate(SourceKind::X12_315).hint(MoveHint::Onward),
        gate(SourceKind::Codeco).hint(MoveHint::Export),
    ] {
        let driven = state(&[story.as_slice(), &[gate]].concat());
        assert_eq!(driven.journey.transshipments, [place("KRPUS")]);
        assert_eq!(driven.journey.port_of_discharge, Some(place("USLAX")));
        assert_eq!(
            events(&driven),
            ["vessel_loaded CNSHA", "transshipment_discharged KRPUS"]
        );
    }
    // It ended there after all.
    let back = act(Verb::GateIn, "KRPUS", day(12)).by(Mode::Truck).empty();
    let gate = gate(SourceKind::X12_315).hint(MoveHint::Onward);
    let unpacked = state(&[story.as_slice(), &[gate, back]].concat());
    assert_eq!(unpacked.journey.port_of_discharge, Some(place("KRPUS")));
    assert_eq!(unpacked.status, CurrentStatus::EmptyReturned);
}

/// Found by a reviewer: each port where the ship stopped was a transshipment.
#[test]
fn a_ship_that_stops_on_the_way_to_a_named_end_lifts_nothing() {
    let mut story = direct()[3..5].to_vec();
    let call = |verb, when| act(verb, "KRPUS", when).aboard(FIRST);
    story.push(call(Verb::Arrive, at(7, 2)).hint(MoveHint::Onward));
    let sailing = state(&story);
    assert_eq!(
        events(&sailing),
        ["vessel_loaded CNSHA", "vessel_departed CNSHA"]
    );
    assert_eq!(sailing.journey.port_of_discharge, None, "nor does it end");
    story.push(call(Verb::Discharge, at(7, 9)).hint(MoveHint::Onward));
    assert_eq!(
        events(&state(&story)).split_off(2),
        [
            "transshipment_arrived KRPUS",
            "transshipment_discharged KRPUS"
        ]
    );
}

#[test]
fn a_roll_tells_the_estimates_of_the_new_ship() {
    let plan = |ship: &str, left, landed, issued| {
        [
            est(Verb::Depart, "CNSHA", day(left))
                .aboard(ship)
                .of_bill()
                .issued(day(issued)),
            est(Verb::Arrive, "USLAX", day(landed))
                .aboard(ship)
                .of_bill()
                .issued(day(issued)),
        ]
    };
    let before = plan(FIRST, 4, 20, 1).to_vec();
    let mut after = before.clone();
    after.extend(plan(SECOND, 9, 25, 3));
    let told = difference(Some(&state(&before)), &state(&after));
    let estimates: Vec<(EventName, jiff::Timestamp)> = told
        .iter()
        .filter_map(|change| match change {
            Change::Estimated(estimate) => Some((estimate.event, estimate.at)),
            _ => None,
        })
        .collect();
    assert_eq!(
        estimates,
        [
            (EventName::EstimatedVesselDeparted, day(9)),
            (EventName::EstimatedVesselArrived, day(25)),
        ]
    );
}

/// The ship still calls at the port where the box was to be put ashore before.
#[test]
fn a_call_at_the_port_of_discharge_of_before_is_no_transshipment() {
    let plan = |port, ship, arrives, issued| {
        [
            est(Verb::Arrive, port, day(arrives)).of_bill(),
            est(Verb::Discharge, port, day(arrives + 1)).laden(),
        ]
        .map(|told| told.aboard(ship).issued(day(issued)))
    };
    let mut before = direct()[3..5].to_vec();
    before.extend(plan("USLAX", FIRST, 20, 4));
    before.push(
        act(Verb::Arrive, "USLAX", at(20, 3))
            .aboard(FIRST)
            .of_bill(),
    );
    let told = |story: &[Told]| events(&state(story)).split_off(2);
    assert_eq!(told(&before), ["vessel_arrived USLAX"]);

    let mut changed = before.clone();
    changed.extend(plan("USOAK", FIRST, 24, 13));
    assert_eq!(told(&changed), [""; 0]);
    let end = state(&changed).journey.port_of_discharge;
    assert_eq!(end, Some(place("USOAK")));

    // Put ashore there after all.
    let mut landed = changed.clone();
    landed.push(
        act(Verb::Discharge, "USLAX", at(20, 9))
            .aboard(FIRST)
            .laden(),
    );
    assert_eq!(
        told(&landed),
        ["vessel_arrived USLAX", "vessel_discharged USLAX"]
    );
    // Another ship takes it on from there: a hub.
    let mut hub = before.clone();
    hub.push(pln(Verb::Load, "USLAX", day(22)).aboard(SECOND).laden());
    hub.extend(plan("USOAK", SECOND, 24, 13));
    assert_eq!(told(&hub), ["transshipment_arrived USLAX"]);
}

/// The new ship is only planned: what was expected of the one before is over all the same.
#[test]
fn a_roll_that_is_only_planned_ends_the_estimates_of_the_ship_before() {
    let by_first = |told: Told, issued| told.aboard(FIRST).of_bill().issued(day(issued));
    let by_second = |told: Told| told.aboard(SECOND).issued(day(3));
    let before = vec![
        pln(Verb::Load, "CNSHA", day(4))
            .aboard(FIRST)
            .issued(day(1)),
        by_first(est(Verb::Depart, "CNSHA", day(4)), 1),
        by_first(est(Verb::Arrive, "USLAX", day(20)), 1),
    ];
    let mut after = before.clone();
    after.extend([
        by_second(pln(Verb::Load, "CNSHA", day(9)).laden()),
        by_second(pln(Verb::Depart, "CNSHA", day(9)).of_bill()),
        by_second(pln(Verb::Arrive, "USLAX", day(25)).of_bill()),
    ]);
    let shown = |story: &[Told]| {
        let estimates = state(story).estimates;
        estimates.iter().map(|e| e.at).collect::<Vec<_>>()
    };
    assert_eq!(shown(&before), [day(4), day(20)]);
    assert_eq!(shown(&after), [day(9), day(25)]);
    // Who says it anew means this ship after all.
    after.push(by_first(est(Verb::Arrive, "USLAX", day(21)), 5));
    assert_eq!(shown(&after), [day(9), day(21)]);
}

#[test]
fn what_nobody_told_is_left_out() {
    let story = [
        act(Verb::Load, "CNSHA", day(4)).aboard(FIRST).laden(),
        act(Verb::GateOut, "USLAX", day(23)).by(Mode::Truck).laden(),
        act(Verb::Discharge, "USLAX", day(20)).aboard(FIRST).laden(),
    ];
    assert_eq!(
        events(&state(&story)),
        [
            "vessel_loaded CNSHA",
            "vessel_discharged USLAX",
            "full_out USLAX"
        ]
    );
}

#[test]
fn moved_to_a_yard_off_the_dock_and_collected_there() {
    let mut story = direct()[..9].to_vec();
    let yard = |verb, when| {
        act(verb, "USLAX", when)
            .by(Mode::Truck)
            .laden()
            .facility(FacilityType::OffDock)
    };
    story.push(yard(Verb::GateIn, at(23, 14)));
    let parked = state(&story);
    assert_eq!(parked.status, CurrentStatus::OffDock);
    assert_eq!(ashore(&story), ["full_out USLAX", "full_in USLAX"]);
    story.push(yard(Verb::GateOut, at(25, 9)));
    let collected = state(&story);
    assert_eq!(collected.status, CurrentStatus::PickedUp);
    assert!(collected.milestone(EventName::EmptyIn).is_none());
    assert_eq!(
        ashore(&story),
        ["full_out USLAX", "full_in USLAX", "full_out USLAX"],
        "one for each leg"
    );
    let times = collected.milestone_times();
    let left = times.iter().find(|(name, _)| *name == "pod_full_out_at");
    assert_eq!(
        left.unwrap().1,
        Some(at(23, 9)),
        "the terminal's gate, not the yard's"
    );
}

#[test]
fn rail_before_the_sea_is_no_destination() {
    let mut story = vec![
        rail(Verb::Load, "USCHI", at(0, 1)),
        rail(Verb::Depart, "USCHI", at(0, 9)),
        rail(Verb::Arrive, "CNSHA", at(2, 1)),
        rail(Verb::Discharge, "CNSHA", at(2, 5)),
    ];
    story.extend(direct()[3..8].to_vec());
    let state = state(&story);
    assert_eq!(state.journey.destination, None);
    assert!(
        state
            .milestone(EventName::ArrivedAtInlandDestination)
            .is_none()
    );
    assert_eq!(
        events(&state)[..2],
        ["rail_loaded USCHI", "rail_departed USCHI"]
    );
}

/// Found by the figure: neither arrival nor discharge was ever told, the train was.
#[test]
fn what_leaves_the_port_by_land_proves_a_landing_that_nobody_told() {
    let mut story = direct()[..6].to_vec();
    story.extend([
        rail(Verb::Load, "USLAX", at(22, 4)),
        rail(Verb::Arrive, "USCHI", at(26, 3)),
        act(Verb::GateOut, "USCHI", day(28)).by(Mode::Truck).laden(),
        act(Verb::GateIn, "USCHI", day(31)).by(Mode::Truck).empty(),
    ]);
    assert_eq!(
        events(&state(&story)).split_off(4),
        [
            "rail_loaded USLAX",
            "rail_arrived USCHI",
            "arrived_at_inland_destination USCHI",
            "full_out USCHI",
            "empty_in USCHI",
        ]
    );
}

/// Found by the figure: a change of destination of which only the gate was told.
#[test]
fn a_gate_shows_where_the_box_left_a_ship_that_was_to_take_it_further() {
    let mut story = direct()[..5].to_vec();
    story.push(pln(Verb::Arrive, "USOAK", day(24)).aboard(FIRST).of_bill());
    story.push(pln(Verb::Discharge, "USOAK", day(24)).aboard(FIRST).laden());
    story.push(
        act(Verb::Arrive, "USLAX", at(20, 5))
            .aboard(FIRST)
            .of_bill(),
    );
    let passing = state(&story);
    assert!(
        passing.milestone(EventName::VesselArrived).is_none(),
        "a call on the way"
    );
    story.push(act(Verb::GateOut, "USLAX", day(23)).by(Mode::Truck).laden());
    assert_eq!(
        events(&state(&story)).split_off(4),
        ["vessel_arrived USLAX", "full_out USLAX"]
    );
}

/// Found by the figure: a bare date stands for midnight and means any minute of its day.
#[test]
fn a_date_does_not_turn_the_order_of_its_day_round() {
    let mut story = direct()[..3].to_vec();
    story.push(
        act(Verb::Load, "CNSHA", at(2, 22))
            .aboard(FIRST)
            .laden()
            .dated(),
    );
    assert_eq!(
        events(&state(&story)),
        ["empty_out CNSHA", "vessel_loaded CNSHA", "full_in CNSHA"]
    );
    let yard = |verb, when| {
        act(verb, "USLAX", when)
            .by(Mode::Truck)
            .laden()
            .facility(FacilityType::OffDock)
    };
    let mut story = direct()[..9].to_vec();
    story.push(yard(Verb::GateIn, at(23, 14)).dated());
    let state = state(&story);
    let left = state
        .milestones
        .iter()
        .find(|m| m.slot.event == EventName::FullOut);
    assert_eq!(
        left.unwrap().slot.leg,
        "",
        "out of the terminal, not out of the yard"
    );
}

/// Found by the figure: a feed without facilities and ids tells two gates in the same words.
#[test]
fn two_gates_in_the_same_words_are_two_where_the_box_came_in_between() {
    let hub = |verb, when| {
        act(verb, "USLAX", when)
            .by(Mode::Truck)
            .laden()
            .from("hub", SourceKind::X12_315)
    };
    let mut story = direct()[..8].to_vec();
    story.extend([
        hub(Verb::GateOut, at(23, 9)),
        hub(Verb::GateIn, at(23, 14)),
        hub(Verb::GateOut, at(25, 9)),
    ]);
    let found = state(&story);
    let gates: Vec<(&str, jiff::Timestamp)> = found
        .milestones
        .iter()
        .filter(|m| m.slot.event == EventName::FullOut)
        .map(|m| (m.slot.leg.as_str(), m.at))
        .collect();
    assert_eq!(gates, [("", at(23, 9)), ("off dock", at(25, 9))]);
    story.remove(9);
    assert_eq!(
        state(&story).milestone(EventName::FullOut).unwrap().at,
        at(25, 9),
        "without a gate between, the later is a correction"
    );
}

/// Found by the figure: a terminal told a time behind the yard's gate first, and then the right one.
#[test]
fn a_terminal_that_names_itself_puts_its_gate_right_across_the_gate_of_the_yard() {
    let pier = |when| {
        act(Verb::GateOut, "USLAX", when)
            .by(Mode::Truck)
            .laden()
            .terminal("TRAP")
            .from("pier", SourceKind::TerminalApi)
    };
    let yard = |verb, when| {
        act(verb, "USLAX", when)
            .by(Mode::Truck)
            .laden()
            .facility(FacilityType::OffDock)
    };
    let mut story = direct()[..8].to_vec();
    story.extend([
        pier(at(23, 19)).issued(at(23, 20)),
        yard(Verb::GateIn, at(23, 18)),
        pier(at(23, 14)).issued(at(24, 9)),
        yard(Verb::GateOut, at(25, 9)),
    ]);
    let found = state(&story);
    let gates: Vec<(&str, jiff::Timestamp)> = found
        .milestones
        .iter()
        .filter(|m| m.slot.event == EventName::FullOut)
        .map(|m| (m.slot.leg.as_str(), m.at))
        .collect();
    assert_eq!(gates, [("", at(23, 14)), ("off dock", at(25, 9))]);
}

/// Found by the figure: a hub that is a day off moved the beginning of the voyage before the gate.
#[test]
fn the_way_is_read_from_the_sources_that_stand_near() {
    let mut story = direct()[..5].to_vec();
    let early = act(Verb::Load, "CNSHA", at(1, 12)).aboard(FIRST).laden();
    story.push(early.from("hub", SourceKind::X12_315).issued(at(6, 0)));
    assert_eq!(
        events(&state(&story))[..3],
        ["empty_out CNSHA", "full_in CNSHA", "vessel_loaded CNSHA"]
    );
}

/// A line's own words of the ship that brings the box to the port of loading which they name.
fn fed(verb: Verb, port: &str, when: jiff::Timestamp) -> Told {
    let told = act(verb, port, when).hint(MoveHint::PreCarriage);
    told.laden().aboard("9344564")
}

#[test]
fn a_feeder_that_lands_at_the_port_of_loading_is_no_arrival() {
    let mut story = vec![
        fed(Verb::Load, "VNHPH", at(1, 10)),
        fed(Verb::Depart, "VNHPH", at(1, 22)),
        est(Verb::Arrive, "USLAX", day(30)),
        fed(Verb::Arrive, "CNSHA", at(4, 6)),
        fed(Verb::Discharge, "CNSHA", at(4, 12)),
    ];
    let fed_there = [
        "feeder_loaded VNHPH",
        "feeder_departed VNHPH",
        "feeder_arrived CNSHA",
        "feeder_discharged CNSHA",
    ];
    assert_eq!(events(&state(&story)), fed_there);
    assert_eq!(
        state(&story).journey.port_of_discharge.unwrap().as_str(),
        "USLAX"
    );
    story.extend([
        act(Verb::Load, "CNSHA", at(6, 3)).laden().aboard("9811000"),
        act(Verb::Depart, "CNSHA", at(6, 20))
            .laden()
            .aboard("9811000"),
    ]);
    let at_sea = state(&story);
    let taken_on = ["transshipment_loaded CNSHA", "transshipment_departed CNSHA"];
    assert_eq!(events(&at_sea)[4..], taken_on);
    assert_eq!(at_sea.journey.port_of_lading.unwrap().as_str(), "CNSHA");
    let shown = at_sea.milestone_times();
    assert_eq!(shown[2].1, Some(at(6, 3)));
    assert_eq!(shown[3].1, Some(at(6, 20)));
}

/// Found by a reviewer: the port of loading was that of the voyage before, too.
#[test]
fn a_feeder_lands_a_box_where_a_voyage_before_began() {
    let terminal = |told: Told| told.from("pier", SourceKind::Coarri);
    let before = [
        terminal(act(Verb::Load, "CNSHA", at(1, 3)).laden().aboard("9811000")),
        terminal(
            act(Verb::Discharge, "USLAX", at(14, 3))
                .laden()
                .aboard("9811000"),
        ),
    ];
    let now = [
        est(Verb::Arrive, "USOAK", day(60)),
        fed(Verb::Discharge, "CNSHA", at(40, 12)),
    ];
    let told = events(&state(&[&before[..], &now].concat()));
    let landed_there = ["vessel_discharged CNSHA", "vessel_arrived CNSHA"];
    assert!(
        told.iter()
            .all(|event| !landed_there.contains(&event.as_str())),
        "{told:?}"
    );
    assert!(
        told.contains(&"feeder_discharged CNSHA".to_owned()),
        "{told:?}"
    );
}

#[test]
fn the_ship_that_is_told_as_a_feeder_where_it_loads_leaves_as_one() {
    let loaded = act(Verb::Load, "VNHPH", at(1, 10))
        .laden()
        .aboard("9344564");
    let story = [
        loaded.by(Mode::Barge),
        act(Verb::Depart, "VNHPH", at(1, 22))
            .laden()
            .aboard("9344564"),
        act(Verb::Depart, "CNSHA", at(6, 20))
            .laden()
            .aboard("9811000"),
    ];
    let told = [
        "feeder_loaded VNHPH",
        "feeder_departed VNHPH",
        "vessel_departed CNSHA",
    ];
    assert_eq!(events(&state(&story)), told);
}

#[test]
fn a_ship_that_only_comes_to_the_port_of_loading_brings_nothing() {
    let call = || act(Verb::Arrive, "CNSHA", at(3, 0)).hint(MoveHint::PreCarriage);
    let mut story = vec![
        call().aboard("9811000"),
        est(Verb::Arrive, "USLAX", day(30)),
    ];
    assert_eq!(events(&state(&story)), Vec::<String>::new());
    story.push(act(Verb::Load, "CNSHA", at(3, 9)).laden().aboard("9811000"));
    assert_eq!(events(&state(&story)), ["vessel_loaded CNSHA"]);
    // Put ashore again: no feeder brought it.
    story.push(fed(Verb::Discharge, "CNSHA", at(3, 15)));
    let told = events(&state(&story));
    assert!(
        told.iter().all(|event| !event.starts_with("feeder")),
        "{told:?}"
    );
}

/// The railroad names the town of its ramp, the line the city: nobody collects a box twice.
#[test]
fn a_ramp_that_is_called_by_two_towns_of_one_city_is_one() {
    let at_ramp = |town: &str, by: fn(Told) -> Told| {
        [
            by(rail(Verb::Arrive, town, at(26, 8))),
            by(rail(Verb::Discharge, town, at(26, 12))),
            by(act(Verb::GateOut, town, at(27, 9)).by(Mode::Truck).laden()),
        ]
    };
    let road = at_ramp("USJOT", |told| told.from("road", SourceKind::RailApi));
    let line = at_ramp("USCHI", |told| told);
    let one_city = [
        "rail_arrived",
        "arrived_at_inland_destination",
        "rail_unloaded",
        "full_out",
    ];
    let heard = |first: &[Told], then: &[Told]| {
        let mut story = direct()[..8].to_vec();
        story.push(est(Verb::Arrive, "USCHI", day(26)).by(Mode::Rail).of_bill());
        story.push(seen(Verb::Depart, "USLAX", at(21, 20)));
        story.extend(first.iter().map(|told| told.clone().received(at(27, 12))));
        let before = state(&story);
        story.extend(then.iter().map(|told| told.clone().received(at(27, 20))));
        let after = state(&story);
        (ashore(&story), difference(Some(&before), &after))
    };
    for (first, then) in [(&road, &line), (&line, &road)] {
        let (told, news) = heard(first, then);
        let names = told.iter().filter_map(|one| one.split(' ').next());
        let names: Vec<&str> = names.filter(|name| *name != "rail_departed").collect();
        assert_eq!(names, one_city, "{told:?}");
        let again = |one: &Change| {
            matches!(
                one,
                Change::Stands(_) | Change::Withdrawn(_) | Change::Replaced { .. }
            )
        };
        assert!(!news.iter().any(again), "{news:?}");
    }
    // Whose time is corrected later is no later heard for that.
    for (first, then, town) in [(&road, &line, "USJOT"), (&line, &road, "USCHI")] {
        let mut story = direct()[..8].to_vec();
        story.extend(first.iter().map(|told| told.clone().received(at(27, 12))));
        story.extend(then.iter().map(|told| told.clone().received(at(27, 20))));
        let arrived = |story: &[Told]| {
            let told = state(story).milestones.into_iter();
            let arrived = told.filter(|one| one.slot.event == EventName::RailArrived);
            arrived.map(|one| one.slot.text()).collect::<Vec<_>>()
        };
        let before = arrived(&story);
        assert_eq!(before.len(), 1);
        assert!(before[0].contains(town), "{before:?}");
        let corrected = first[0].clone().received(at(28, 6));
        story.push(
            corrected
                .with(|report| report.occurred.as_mut().unwrap().at = at(26, 9))
                .issued(at(28, 6)),
        );
        assert_eq!(arrived(&story), before);
    }
    // A road that names both towns tells of two: it was taken from one ramp to the other.
    let mut two = direct()[..8].to_vec();
    two.extend([
        seen(Verb::Arrive, "USJOT", at(26, 2)),
        seen(Verb::Arrive, "USCHI", at(26, 9)),
    ]);
    let arrivals = ashore(&two);
    let arrivals = arrivals
        .iter()
        .filter(|one| one.starts_with("rail_arrived"));
    assert_eq!(arrivals.count(), 2);
    // So do two roads, of which one took it on from the other.
    two.pop();
    two.push(seen(Verb::Arrive, "USCHI", at(26, 9)).from("other road", SourceKind::Clm));
    let arrivals = ashore(&two);
    let arrivals = arrivals
        .iter()
        .filter(|one| one.starts_with("rail_arrived"));
    assert_eq!(arrivals.count(), 2);
    // The line that repeats one of them does not make them one, whenever it is heard.
    for received in [at(26, 8), at(26, 20)] {
        let mut story: Vec<Told> = two
            .iter()
            .map(|told| told.clone().received(at(26, 10)))
            .collect();
        let repeats = act(Verb::Arrive, "USCHI", at(26, 9)).by(Mode::Rail);
        story.push(repeats.received(received));
        let arrivals = ashore(&story);
        let arrivals = arrivals
            .iter()
            .filter(|one| one.starts_with("rail_arrived"));
        assert_eq!(arrivals.count(), 2, "{received}");
    }
    // Nor does it join the two towns of one road, each of which could be its own.
    let mut story = direct()[..8].to_vec();
    story.push(
        act(Verb::Arrive, "USCHI", at(26, 8))
            .by(Mode::Rail)
            .received(at(26, 9)),
    );
    story.push(seen(Verb::Arrive, "USJOT", at(26, 2)).received(at(26, 10)));
    story.push(seen(Verb::Arrive, "USEWI", at(26, 9)).received(at(26, 10)));
    let arrivals = ashore(&story);
    let arrivals = arrivals
        .iter()
        .filter(|one| one.starts_with("rail_arrived"));
    assert_eq!(arrivals.count(), 2);
    // A source that corrects the town of its move tells of one.
    let mut corrected = direct()[..8].to_vec();
    corrected.extend(road.iter().cloned());
    corrected.extend(line.iter().cloned());
    corrected.push(
        act(Verb::GateOut, "USJOT", at(27, 9))
            .by(Mode::Truck)
            .laden(),
    );
    let told = ashore(&corrected);
    assert_eq!(
        told.iter()
            .filter(|one| one.starts_with("full_out"))
            .count(),
        1
    );
}
