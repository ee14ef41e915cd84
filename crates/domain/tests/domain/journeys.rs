//! Which leg a report belongs to.

use domain::container::{CurrentStatus, QualityFlag};
use domain::event::EventName;
use domain::report::{Classifier, FacilityType, Mode, MoveHint, SourceKind, Verb};

use crate::telling::*;

const DIRECT: [&str; 8] = [
    "empty_out CNSHA",
    "full_in CNSHA",
    "vessel_loaded CNSHA",
    "vessel_departed CNSHA",
    "vessel_arrived USLAX",
    "vessel_discharged USLAX",
    "full_out USLAX",
    "empty_in USLAX",
];

const TRANSSHIPPED: [&str; 9] = [
    "vessel_loaded CNSHA",
    "vessel_departed CNSHA",
    "transshipment_arrived KRPUS",
    "transshipment_discharged KRPUS",
    "transshipment_loaded KRPUS",
    "transshipment_departed KRPUS",
    "vessel_arrived USLAX",
    "vessel_discharged USLAX",
    "full_out USLAX",
];

#[test]
fn a_direct_voyage_from_the_empty_to_the_empty() {
    let state = state(&direct());
    assert_eq!(events(&state), DIRECT);
    assert_eq!(state.status, CurrentStatus::EmptyReturned);
    assert_eq!(state.journey.port_of_lading, Some(place("CNSHA")));
    assert_eq!(state.journey.port_of_discharge, Some(place("USLAX")));
    assert_eq!(state.journey.transshipments, []);
    assert_eq!(state.journey.destination, None);
}

#[test]
fn a_change_of_ships_between() {
    let state = state(&transshipped());
    assert_eq!(events(&state), TRANSSHIPPED);
    assert_eq!(state.journey.transshipments, [place("KRPUS")]);
    let vessel = state.journey.pod_vessel.unwrap();
    assert_eq!(vessel.imo.unwrap().to_string(), SECOND);
}

/// The one mistake nobody forgives: at no moment of the story, and in no order of its last words, is the hub
/// called the port of discharge.
#[test]
fn a_hub_is_never_the_arrival_while_the_plan_goes_on() {
    let story = transshipped();
    for known in 4..=story.len() {
        for missing in 4..known {
            let mut heard = story[..known].to_vec();
            heard.remove(missing);
            let state = state(&heard);
            for event in events(&state) {
                let hub = event.ends_with("KRPUS") && event.starts_with("vessel_");
                assert!(!hub, "{known} known, {missing} missing: {event}");
            }
        }
    }
}

/// The plan names the ship that goes on, and nothing is known yet of where it goes.
#[test]
fn a_ship_that_goes_on_makes_a_hub_of_the_last_port_known() {
    let story = transshipped();
    let known = [&story[..1], &story[2..3], &story[4..8]].concat();
    let state = state(&known);
    assert_eq!(
        events(&state)[2..],
        [
            "transshipment_arrived KRPUS",
            "transshipment_discharged KRPUS"
        ]
    );
    assert_eq!(state.journey.port_of_discharge, None);
}

/// A discharge is often reported after the ship has left.
#[test]
fn the_last_port_stays_the_port_of_discharge_when_its_ship_leaves() {
    let mut story = direct()[..7].to_vec();
    story.push(
        act(Verb::Depart, "USLAX", at(21, 20))
            .aboard(FIRST)
            .of_bill(),
    );
    let left = state(&story);
    assert_eq!(events(&left).last().unwrap(), "vessel_arrived USLAX");
}

#[test]
fn a_call_on_the_way_that_nobody_saw_end_is_no_port_of_discharge_when_the_last_port_is_left() {
    let mut called = direct()[..7].to_vec();
    let call = act(Verb::Arrive, "KRPUS", at(7, 3));
    called.push(call.aboard(FIRST).of_bill());
    let came = events(&state(&called));
    assert_eq!(came.last().unwrap(), "vessel_arrived USLAX");
    let left = act(Verb::Depart, "USLAX", at(21, 20));
    called.push(left.aboard(FIRST).of_bill());
    assert_eq!(events(&state(&called)), came);
}

#[test]
fn a_lone_report_is_taken_for_what_it_says() {
    let lone = [
        (
            act(Verb::Arrive, "FRPAR", day(9)),
            vec!["vessel_arrived FRPAR"],
        ),
        (
            act(Verb::Discharge, "FRPAR", day(9)),
            vec!["vessel_discharged FRPAR"],
        ),
        (
            act(Verb::Load, "FRPAR", day(9)),
            vec!["vessel_loaded FRPAR"],
        ),
        (
            act(Verb::Depart, "FRPAR", day(9)),
            vec!["vessel_departed FRPAR"],
        ),
        (
            act(Verb::Discharge, "FRPAR", day(9)).hint(MoveHint::Transshipment),
            vec!["transshipment_discharged FRPAR"],
        ),
        (
            act(Verb::Load, "FRPAR", day(9)).hint(MoveHint::Shifting),
            vec![],
        ),
        (act(Verb::Load, "FRPAR", day(9)).empty(), vec![]),
        (est(Verb::Load, "FRPAR", day(9)).empty(), vec![]),
        (est(Verb::Load, "FRPAR", day(9)), vec![]),
        (pln(Verb::Arrive, "FRPAR", day(9)), vec![]),
    ];
    for (report, expected) in lone {
        let report = report.by(Mode::Vessel);
        assert_eq!(
            events(&state(std::slice::from_ref(&report))),
            expected,
            "{report:?}"
        );
    }
}

#[test]
fn one_arrival_told_twice_under_two_ids_is_one() {
    let arrival = || {
        act(Verb::Arrive, "FRPAR", at(9, 13))
            .aboard(FIRST)
            .of_bill()
    };
    let loading = || est(Verb::Load, "FRPAR", at(-400, 0)).aboard(FIRST).empty();
    let story = [
        arrival().id("e2"),
        loading().id("e4"),
        arrival().id("e5").issued(at(9, 14)),
        loading().id("e7").issued(at(9, 14)),
    ];
    let state = state(&story);
    assert_eq!(events(&state), ["vessel_arrived FRPAR"]);
    assert_eq!(state.estimates, []);
}

#[test]
fn ports_where_the_ship_stops_and_the_box_does_not() {
    let mut story = direct();
    let on_the_way = |verb, on| act(verb, "KRPUS", day(on)).aboard(FIRST).of_bill();
    story.extend([on_the_way(Verb::Arrive, 7), on_the_way(Verb::Depart, 8)]);
    let beyond = |verb, on| est(verb, "USOAK", day(on)).aboard(FIRST).of_bill();
    story.extend([beyond(Verb::Arrive, 24), beyond(Verb::Depart, 25)]);
    story.push(act(Verb::Arrive, "USOAK", day(24)).aboard(FIRST).of_bill());
    story.push(act(Verb::Depart, "USLAX", day(22)).aboard(FIRST).of_bill());
    story.push(act(Verb::Arrive, "CNSHA", day(3)).aboard(FIRST).of_bill());
    assert_eq!(events(&state(&story)), DIRECT);
}

/// The plan had a discharge at the port where the ship only called.
#[test]
fn a_plan_that_the_facts_have_passed_makes_no_transshipment() {
    let mut story = direct();
    let on_the_way = |verb, on| act(verb, "KRPUS", day(on)).aboard(FIRST).of_bill();
    story.extend([on_the_way(Verb::Arrive, 7), on_the_way(Verb::Depart, 8)]);
    let planned = || pln(Verb::Discharge, "KRPUS", day(7)).aboard(FIRST).laden();
    let onward = || pln(Verb::Load, "KRPUS", day(10)).aboard(SECOND).laden();
    let marked = || planned().hint(MoveHint::Transshipment);
    for stale in [
        vec![planned()],
        vec![marked()],
        vec![planned(), onward()],
        vec![onward()],
    ] {
        let state = state(&[story.as_slice(), &stale].concat());
        assert_eq!(events(&state), DIRECT, "{stale:?}");
        assert_eq!(state.journey.transshipments, [], "{stale:?}");
    }
    // Still before it, or nobody told of the lifts.
    for until in [5, 6, 11] {
        let mut story = transshipped()[..until].to_vec();
        story.retain(|told| !matches!(told.0.verb, Verb::Discharge));
        story.extend([planned(), onward()]);
        let state = state(&story);
        assert_eq!(state.journey.transshipments, [place("KRPUS")], "{until}");
    }
    let told = [
        act(Verb::Load, "CNSHA", day(4)).by(Mode::Vessel).laden(),
        planned().with(|r| r.leg.vessel_imo = None),
        act(Verb::Discharge, "KRPUS", day(7))
            .by(Mode::Vessel)
            .laden(),
        act(Verb::Discharge, "USLAX", day(20))
            .by(Mode::Vessel)
            .laden(),
    ];
    assert_eq!(state(&told).journey.transshipments, [place("KRPUS")]);
}

/// A ship's departure is told for the whole bill, and the box was not aboard.
#[test]
fn a_box_left_behind_does_not_sail_with_its_sister() {
    // What is told of the ship.
    let came = act(Verb::Arrive, "CNSHA", at(3, 9)).aboard(FIRST).of_bill();
    let sailed = || [vec![came.clone()], direct()[4..7].to_vec()].concat();
    let with = |told: Vec<Told>| state(&[sailed(), told].concat());
    let gate = |on| {
        act(Verb::GateIn, "CNSHA", at(on, 8))
            .by(Mode::Truck)
            .laden()
    };
    let next = || pln(Verb::Load, "CNSHA", day(11)).aboard(SECOND).laden();
    let aboard = |state: &domain::container::ContainerState| {
        let mut told = events(state);
        told.retain(|event| !event.starts_with("full_in"));
        told
    };
    for behind in [vec![gate(7)], vec![next()], vec![gate(2), next()]] {
        let state = with(behind.clone());
        assert_eq!(aboard(&state), [""; 0], "{behind:?}");
        assert_eq!(state.estimates, [], "{behind:?}");
        let took = act(Verb::Depart, "CNSHA", at(11, 6)).aboard(SECOND);
        let state = with([behind.clone(), vec![took.of_bill()]].concat());
        assert_eq!(aboard(&state), ["vessel_departed CNSHA"], "{behind:?}");
        assert_eq!(state.milestones.last().unwrap().at, at(11, 6));
    }
    let sails = ["vessel_departed CNSHA", "vessel_arrived USLAX"];
    let newer = pln(Verb::Load, "CNSHA", day(4)).aboard(FIRST).laden();
    for (name, told) in [
        ("nothing of the box", vec![]),
        ("received before", vec![gate(2)]),
        (
            "clocks differ",
            vec![act(Verb::GateIn, "CNSHA", at(4, 23)).laden()],
        ),
        ("planned for this ship", vec![newer.clone()]),
        ("the newer plan", vec![next(), newer.issued(at(3, 0))]),
        (
            "planned before, for another",
            vec![pln(Verb::Load, "CNSHA", day(2)).aboard(SECOND).laden()],
        ),
        (
            "its own load",
            vec![
                next(),
                act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
            ],
        ),
    ] {
        let mut told = aboard(&with(told));
        told.retain(|event| event != "vessel_loaded CNSHA");
        assert_eq!(told, sails, "{name}");
    }
    // It was another time of the same sailing, or it comes by every week.
    let again = act(Verb::Depart, "CNSHA", at(11, 6))
        .aboard(FIRST)
        .of_bill()
        .from("other", SourceKind::CarrierApi);
    assert_eq!(aboard(&with(vec![gate(7), again])), sails);
    // The ship goes on behind the port of discharge, and the box comes into a yard there.
    let gone = act(Verb::Depart, "USLAX", at(21, 5))
        .aboard(FIRST)
        .of_bill();
    let yard = act(Verb::GateIn, "USLAX", at(24, 5))
        .by(Mode::Truck)
        .laden();
    assert_eq!(aboard(&with(vec![gone.clone(), yard.clone()])), sails);
    let only_there = vec![sailed()[3].clone(), gone];
    let without = aboard(&state(&only_there));
    let yard = [only_there, vec![yard]].concat();
    assert_eq!(
        aboard(&state(&yard)),
        without,
        "nothing is known further on"
    );
}

/// At the hub its sisters sail with the ship that it was planned for.
#[test]
fn a_box_that_is_rolled_at_a_hub_does_not_sail_with_its_sisters() {
    let of_bill = |verb, port, when, ship| act(verb, port, when).aboard(ship).of_bill();
    let plan = |ship, on, said| {
        let load = pln(Verb::Load, "KRPUS", day(on)).aboard(ship).laden();
        load.issued(day(said))
    };
    let eta = |ship, on| {
        let eta = est(Verb::Arrive, "USLAX", day(on)).aboard(ship).of_bill();
        eta.issued(day(8))
    };
    let sisters = vec![
        act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
        of_bill(Verb::Depart, "CNSHA", at(4, 20), FIRST),
        of_bill(Verb::Arrive, "KRPUS", at(7, 2), FIRST),
        plan(SECOND, 9, 1),
        of_bill(Verb::Depart, "KRPUS", at(9, 20), SECOND),
        of_bill(Verb::Arrive, "USLAX", at(22, 6), SECOND),
    ];
    let landed = || {
        act(Verb::Discharge, "KRPUS", at(7, 9))
            .aboard(FIRST)
            .laden()
    };
    let rolled = || vec![landed(), plan(THIRD, 16, 8), eta(THIRD, 29)];
    let with = |told: Vec<Told>| state(&[sisters.clone(), told].concat());
    let waits = with(rolled());
    assert_eq!(events(&waits), TRANSSHIPPED[..4]);
    assert_eq!(waits.journey.port_of_discharge, Some(place("USLAX")));
    let expected = waits.estimate(EventName::EstimatedVesselArrived).unwrap();
    assert_eq!(expected.at, day(29));
    let took = of_bill(Verb::Depart, "KRPUS", at(16, 20), THIRD);
    let came = of_bill(Verb::Arrive, "USLAX", at(29, 6), THIRD);
    let sailed = with([rolled(), vec![took, came]].concat());
    let times = |state: &domain::container::ContainerState| {
        let behind = state.milestones.iter().skip(4);
        let behind = behind.filter(|m| m.slot.event != EventName::TransshipmentLoaded);
        behind.map(|m| m.at).collect::<Vec<_>>()
    };
    assert_eq!(times(&sailed), [at(16, 20), at(29, 6)]);
    let with_them = [at(9, 20), at(22, 6)];
    let lift = act(Verb::Load, "KRPUS", at(9, 4)).aboard(SECOND).laden();
    for (name, told) in [
        ("nobody plans it otherwise", vec![landed()]),
        (
            "the newer plan",
            [rolled(), vec![plan(SECOND, 9, 9)]].concat(),
        ),
        ("its own load", [rolled(), vec![lift]].concat()),
    ] {
        assert_eq!(times(&with(told)), with_them, "{name}");
    }
    // Nobody tells that it was put ashore at the hub.
    let unknown = with(rolled()[1..].to_vec());
    assert_eq!(unknown.milestones.last().unwrap().at, at(22, 6));
}

#[test]
fn twins_of_a_port_are_one_port() {
    let mut story = direct();
    story.push(
        act(Verb::Load, "CNSGH", at(4, 4))
            .aboard(FIRST)
            .laden()
            .id("again"),
    );
    let state = state(&story);
    assert_eq!(events(&state), DIRECT);
    let loaded = state.milestone(EventName::VesselLoaded).unwrap();
    assert_eq!(
        loaded.locode,
        Some(place("CNSGH")),
        "shown as sent by the newer report"
    );
    assert_eq!(
        loaded.slot.place,
        Some(place("CNSHA")),
        "counted as its twin"
    );
}

#[test]
fn markers_of_the_source_beat_inference() {
    let story = [
        act(Verb::Load, "KRPUS", day(4))
            .aboard(FIRST)
            .hint(MoveHint::Transshipment),
        act(Verb::Discharge, "USLAX", day(20)).aboard(FIRST),
    ];
    assert_eq!(
        events(&state(&story)),
        ["transshipment_loaded KRPUS", "vessel_discharged USLAX"]
    );
}

#[test]
fn a_roll_keeps_the_ship_that_left_without_the_box_away() {
    let story = [
        pln(Verb::Depart, "CNSHA", day(4)).aboard(FIRST).of_bill(),
        pln(Verb::Arrive, "USLAX", day(20)).aboard(FIRST).of_bill(),
        act(Verb::Depart, "CNSHA", day(4)).aboard(FIRST).of_bill(),
        act(Verb::Load, "CNSHA", day(9)).aboard(SECOND).laden(),
        est(Verb::Arrive, "USLAX", day(25)).aboard(SECOND).of_bill(),
        act(Verb::Arrive, "USLAX", day(20)).aboard(FIRST).of_bill(),
    ];
    let state = state(&story);
    assert_eq!(events(&state), ["vessel_loaded CNSHA"]);
    let eta = state.estimate(EventName::EstimatedVesselArrived).unwrap();
    assert_eq!(eta.at, day(25));
}

/// A line may leave out by what it goes. No ship goes to Chicago.
#[test]
fn what_goes_to_an_inland_place_by_nobody_knows_what_is_no_ships() {
    let bare = |classifier, verb| told(classifier, verb, "USCHI", day(25));
    let mut landed = direct()[..8].to_vec();
    let before = events(&state(&landed));
    landed.push(bare(Classifier::Actual, Verb::Arrive));
    landed.push(bare(Classifier::Actual, Verb::Discharge));
    landed.push(bare(Classifier::Estimated, Verb::Arrive).id("expected"));
    let after = state(&landed);
    assert_eq!(events(&after), before);
    assert_eq!(after.journey.port_of_discharge, Some(place("USLAX")));
    let ports = [("USOAK", true), ("ZZABC", true), ("USCHI", false)];
    for (port, is_ship) in ports {
        let arrived = act(Verb::Arrive, port, day(20)).laden();
        let told = events(&state(&[
            act(Verb::Load, "CNSHA", day(4)).aboard(FIRST).laden(),
            arrived,
        ]));
        assert_eq!(
            told.contains(&format!("vessel_arrived {port}")),
            is_ship,
            "{told:?}"
        );
    }
}

/// Be it that the call names the box: the standard has it of a transport event that it may, and it is the ship's all the same.
#[test]
fn a_ship_that_left_before_the_box_came_in_did_not_take_it() {
    let departs = |told: Told| {
        let story = [
            told,
            act(Verb::GateIn, "CNSHA", at(8, 20))
                .by(Mode::Truck)
                .laden(),
            pln(Verb::Load, "CNSHA", day(16)).aboard(SECOND).laden(),
            est(Verb::Arrive, "USLAX", day(30)).aboard(SECOND).of_bill(),
        ];
        events(&state(&story))
    };
    let left = || act(Verb::Depart, "CNSHA", at(7, 20)).aboard(FIRST);
    assert_eq!(departs(left().of_bill()), ["full_in CNSHA"]);
    assert_eq!(departs(left()), ["full_in CNSHA"]);
    // What a line's own message says of the box.
    let of_box = left().from("edi", SourceKind::X12_315);
    assert!(departs(of_box).contains(&"vessel_departed CNSHA".to_owned()));
}

#[test]
fn a_change_of_destination_moves_the_port_of_discharge() {
    let story = [
        act(Verb::Load, "CNSHA", day(4)).aboard(FIRST).laden(),
        est(Verb::Discharge, "USOAK", day(24))
            .aboard(FIRST)
            .laden()
            .issued(day(5)),
        est(Verb::Arrive, "USOAK", day(24))
            .aboard(FIRST)
            .of_bill()
            .issued(day(5)),
        est(Verb::Discharge, "USLAX", day(20))
            .aboard(FIRST)
            .laden()
            .issued(day(9)),
    ];
    assert_eq!(
        state(&story).journey.port_of_discharge,
        Some(place("USLAX"))
    );
    let mut landed = story.to_vec();
    landed.push(act(Verb::Discharge, "USLAX", day(20)).aboard(FIRST).laden());
    assert_eq!(
        events(&state(&landed)),
        ["vessel_loaded CNSHA", "vessel_discharged USLAX"]
    );
}

/// A plan that says which of its ports is the end, before anybody plans a lift.
#[test]
fn the_newest_plan_that_names_a_port_of_discharge_stands() {
    let end = |port, on, said| {
        est(Verb::Arrive, port, day(on))
            .by(Mode::Vessel)
            .hint(MoveHint::Import)
            .issued(day(said))
    };
    let aboard = |told: Told, ship: Option<&str>| match ship {
        Some(ship) => told.aboard(ship),
        None => told,
    };
    for ship in [Some(FIRST), None] {
        let mut story = vec![
            aboard(
                act(Verb::Load, "CNSHA", day(4)).by(Mode::Vessel).laden(),
                ship,
            ),
            aboard(end("USOAK", 22, 5), ship),
            aboard(end("USLAX", 20, 9), ship),
        ];
        let changed = state(&story);
        assert_eq!(changed.journey.port_of_discharge, Some(place("USLAX")));
        let eta = changed.estimate(EventName::EstimatedVesselArrived).unwrap();
        assert_eq!(eta.at, day(20));
        let back = [&story[..], &[aboard(end("USOAK", 22, 10), ship)]].concat();
        let back = state(&back).journey.port_of_discharge;
        assert_eq!(
            back,
            Some(place("USOAK")),
            "the newest, whichever is nearer"
        );
        let lift = act(Verb::Discharge, "USLAX", day(20)).by(Mode::Vessel);
        story.push(aboard(lift.laden(), ship));
        assert_eq!(
            events(&state(&story)),
            ["vessel_loaded CNSHA", "vessel_discharged USLAX"]
        );
    }
}

/// The newest word about a port that nobody calls the end says nothing of where the box goes.
#[test]
fn a_port_where_the_ship_only_stops_takes_no_plan_back() {
    let story = [
        act(Verb::Load, "CNSHA", day(4)).aboard(FIRST).laden(),
        est(Verb::Arrive, "USLAX", day(20))
            .aboard(FIRST)
            .hint(MoveHint::Import)
            .issued(day(5)),
        est(Verb::Arrive, "KRPUS", day(8))
            .aboard(FIRST)
            .issued(day(7)),
        act(Verb::Arrive, "KRPUS", day(8)).aboard(FIRST),
    ];
    let state = state(&story);
    assert_eq!(events(&state), ["vessel_loaded CNSHA"]);
    assert_eq!(state.journey.port_of_discharge, Some(place("USLAX")));
}

#[test]
fn one_discharge_at_two_ports_is_believed_where_it_was_expected() {
    let mut story = direct();
    story.push(
        act(Verb::Discharge, "USLGB", at(20, 16))
            .by(Mode::Vessel)
            .laden()
            .from("edi", SourceKind::X12_315),
    );
    let told = state(&story);
    assert_eq!(events(&told), DIRECT);
    assert_eq!(told.flags, [QualityFlag::PlacesDiffer]);
    let lift = story.pop().unwrap();
    story.push(lift.hint(MoveHint::Transshipment));
    assert_eq!(events(&state(&story)), DIRECT, "whatever it is called");
}

#[test]
fn feeders_and_the_hub_they_feed() {
    let story = [
        act(Verb::Load, "CNSHA", day(1)).by(Mode::Barge).laden(),
        act(Verb::Depart, "CNSHA", day(2)).by(Mode::Barge),
        act(Verb::Arrive, "KRPUS", day(4)).by(Mode::Barge),
        act(Verb::Discharge, "KRPUS", at(4, 5))
            .by(Mode::Barge)
            .laden(),
        act(Verb::Load, "KRPUS", day(6)).aboard(FIRST).laden(),
        act(Verb::Depart, "KRPUS", day(7)).aboard(FIRST),
        act(Verb::Discharge, "USLAX", day(20)).aboard(FIRST).laden(),
    ];
    assert_eq!(
        events(&state(&story)),
        [
            "feeder_loaded CNSHA",
            "feeder_departed CNSHA",
            "feeder_arrived KRPUS",
            "feeder_discharged KRPUS",
            "transshipment_loaded KRPUS",
            "transshipment_departed KRPUS",
            "vessel_discharged USLAX",
        ]
    );
    let mut loading_unknown = story.to_vec();
    loading_unknown.remove(4);
    let before_it_is_told = events(&state(&loading_unknown));
    assert!(before_it_is_told.contains(&"transshipment_departed KRPUS".to_owned()));
}

#[test]
fn by_rail_to_an_inland_destination() {
    let mut story = direct();
    story.truncate(8);
    let rail = |verb, port, on| act(verb, port, day(on)).by(Mode::Rail).laden();
    story.extend([
        est(Verb::Arrive, "USCHI", day(27)).by(Mode::Rail).of_bill(),
        rail(Verb::Load, "USLAX", 22),
        rail(Verb::Depart, "USLAX", 23),
    ]);
    let under_way = state(&story);
    assert_eq!(under_way.status, CurrentStatus::OnRail);
    assert_eq!(under_way.journey.destination, Some(place("USCHI")));
    story.extend([
        rail(Verb::Arrive, "USCHI", 27),
        rail(Verb::Discharge, "USCHI", 28),
    ]);
    story.push(act(Verb::GateOut, "USCHI", day(30)).by(Mode::Truck).laden());
    let state = state(&story);
    assert_eq!(
        events(&state)[6..],
        [
            "rail_loaded USLAX",
            "rail_departed USLAX",
            "rail_arrived USCHI",
            "arrived_at_inland_destination USCHI",
            "rail_unloaded USCHI",
            "full_out USCHI"
        ]
    );
    assert_eq!(state.status, CurrentStatus::PickedUp);
    let times = state.milestone_times();
    let of = |name: &str| times.iter().find(|(n, _)| *n == name).unwrap().1;
    assert_eq!(of("pod_full_out_at"), None);
    assert_eq!(of("final_destination_full_out_at"), Some(day(30)));
    assert_eq!(of("ind_ata_at"), Some(day(27)));
}

/// The time is shown as one of the port of lading.
#[test]
fn the_gate_of_a_ramp_is_not_that_of_the_port_of_lading() {
    let ramp = || {
        vec![
            act(Verb::GateIn, "USCHI", day(1)).by(Mode::Truck).laden(),
            act(Verb::Load, "USCHI", day(2)).by(Mode::Rail).laden(),
        ]
    };
    let port = || act(Verb::GateIn, "USLGB", day(8)).by(Mode::Rail).laden();
    let sails = || act(Verb::Load, "USLGB", day(10)).aboard(FIRST).laden();
    let barge = |verb, port, on| act(verb, port, day(on)).by(Mode::Barge).laden();
    let near = || act(Verb::GateIn, "USLAX", day(9)).by(Mode::Truck).laden();
    for (name, told, shown) in [
        ("at the ramp", ramp()[..1].to_vec(), Some(day(1))),
        ("on the train", ramp(), None),
        (
            "in the port",
            [ramp(), vec![port(), sails()]].concat(),
            Some(day(8)),
        ),
        (
            "nobody tells of the port's gate",
            [ramp(), vec![sails()]].concat(),
            None,
        ),
        (
            "by barge",
            vec![
                ramp().remove(0),
                barge(Verb::Load, "USCHI", 2),
                barge(Verb::Discharge, "USLGB", 8),
                sails(),
            ],
            None,
        ),
        (
            "in a yard of the next port",
            vec![near(), sails()],
            Some(day(9)),
        ),
    ] {
        let state = state(&told);
        let times = state.milestone_times();
        let full_in = times.iter().find(|(name, _)| *name == "pol_full_in_at");
        assert_eq!(full_in.unwrap().1, shown, "{name}");
    }
}

#[test]
fn gates_by_train_are_rail_moves_ashore_and_receipts_before() {
    let story = [
        act(Verb::GateIn, "CNSHA", day(2)).by(Mode::Rail).laden(),
        act(Verb::Load, "CNSHA", day(4)).aboard(FIRST).laden(),
        act(Verb::Discharge, "USLAX", day(20)).aboard(FIRST).laden(),
        act(Verb::GateOut, "USLAX", day(22)).by(Mode::Rail).laden(),
        act(Verb::GateIn, "USCHI", day(26))
            .by(Mode::Rail)
            .laden()
            .facility(FacilityType::Ramp),
    ];
    assert_eq!(
        events(&state(&story)),
        [
            "full_in CNSHA",
            "vessel_loaded CNSHA",
            "vessel_discharged USLAX",
            "rail_departed USLAX",
            "rail_arrived USCHI",
            "arrived_at_inland_destination USCHI"
        ]
    );
}

#[test]
fn a_box_that_is_used_again_keeps_its_journeys_apart() {
    let mut story: Vec<Told> = direct().into_iter().map(|t| t.bill("OLD1")).collect();
    let before = events(&state(&story));
    story.push(act(Verb::GateOut, "USLAX", day(33)).by(Mode::Truck).empty());
    assert_eq!(
        events(&state(&story)),
        before,
        "an empty that goes out again is no news"
    );

    let next = [
        act(Verb::GateIn, "USLAX", day(35)).by(Mode::Truck).laden(),
        act(Verb::Load, "USLAX", day(37)).aboard(SECOND).laden(),
        act(Verb::Depart, "USLAX", day(38)).aboard(SECOND),
        est(Verb::Arrive, "CNSHA", day(60)).aboard(SECOND),
    ];
    story.extend(next.map(|t| t.bill("NEW2")));
    let state = state(&story);
    assert_eq!(
        events(&state),
        [
            "empty_out USLAX",
            "full_in USLAX",
            "vessel_loaded USLAX",
            "vessel_departed USLAX"
        ]
    );
    assert_eq!(state.status, CurrentStatus::OnShip);
    assert_eq!(state.journey.port_of_discharge, Some(place("CNSHA")));
}

/// A box that is asked for by its number names the papers of all its trips.
#[test]
fn two_bills_are_two_trips_whatever_is_told_between_them() {
    let next = [
        act(Verb::GateOut, "USLAX", day(33)).by(Mode::Truck).empty(),
        act(Verb::GateIn, "USLAX", day(35)).by(Mode::Truck).laden(),
        act(Verb::Load, "USLAX", day(37)).aboard(SECOND).laden(),
        act(Verb::Depart, "USLAX", day(38)).aboard(SECOND),
        act(Verb::Discharge, "KRPUS", day(52))
            .aboard(SECOND)
            .laden(),
    ];
    let next: Vec<Told> = next.into_iter().map(|told| told.bill("NEW2")).collect();
    let first: Vec<Told> = direct().into_iter().map(|t| t.bill("OLD1")).collect();
    for (name, before, from) in [
        ("the empty went out under the next bill", &first[..], 0),
        ("no return", &first[..9], 0),
        ("no empty at all", &first[..9], 1),
        ("only the ships", &first[..9], 2),
    ] {
        let next = &next[from..];
        let both = state(&[before, next].concat());
        assert_eq!(events(&both), events(&state(next)), "{name}");
        assert_eq!(both.journey, state(next).journey, "{name}");
        let turned: Vec<Told> = [next, before].concat();
        assert_eq!(events(&state(&turned)), events(&both), "{name}");
    }
    let planned = pln(Verb::Load, "USLAX", day(37)).aboard(SECOND);
    for before in [&first[..], &first[..9]] {
        let released = [before, &next[..1]].concat();
        assert_eq!(events(&state(&released)), events(&state(before)));
        let booked = [released, vec![planned.clone().bill("NEW2")]].concat();
        assert_eq!(
            events(&state(&booked)),
            ["empty_out USLAX"],
            "it is to sail"
        );
    }
    // An empty came in before, and nobody told of the return between the two.
    let came_in = act(Verb::GateIn, "CNSHA", day(0)).by(Mode::Truck).empty();
    for came_in in [came_in.clone(), came_in.bill("OLD0")] {
        let before = [vec![came_in], first[..9].to_vec()].concat();
        let released = [&before[..], &next[..1]].concat();
        let told = events(&state(&released));
        assert!(told.contains(&"vessel_arrived USLAX".into()), "{told:?}");
        assert!(told.contains(&"full_out USLAX".into()), "{told:?}");
    }
    // One trip, of which two numbers are told.
    let mut one = direct();
    for told in &mut one[5..] {
        *told = told.clone().bill("OTHER");
    }
    for told in &mut one[..5] {
        *told = told.clone().bill("OLD1");
    }
    assert_eq!(events(&state(&one)), DIRECT, "the second after the sea");
}

#[test]
fn deliveries_at_the_door() {
    let mut story = direct();
    story.truncate(9);
    story.push(
        act(Verb::Dropoff, "USCHI", day(24))
            .by(Mode::Truck)
            .laden()
            .facility(FacilityType::CustomerLocation),
    );
    let state = state(&story);
    assert_eq!(events(&state).last().unwrap(), "delivered USCHI");
    assert_eq!(state.status, CurrentStatus::Delivered);
}

/// A truck is loaded at a depot, and a box stripped at a freight station: no ship comes there.
#[test]
fn a_lift_at_a_depot_is_no_ships_unless_one_is_named() {
    use FacilityType::{Depot, FreightStation, OffDock, PortTerminal};
    let mut home = direct();
    home.truncate(9);
    let told = events(&state(&home));
    for kind in [Depot, FreightStation, OffDock] {
        for verb in [Verb::Load, Verb::Discharge, Verb::Arrive, Verb::Depart] {
            let lift = act(verb, "USCHI", day(24)).laden().facility(kind);
            let mut story = home.clone();
            story.push(lift.clone());
            assert_eq!(events(&state(&story)), told, "{verb:?} {kind:?}");
            assert_eq!(events(&state(&[lift])), [""; 0], "{verb:?} {kind:?}");
        }
    }
    let loaded = act(Verb::Load, "CNSHA", day(4)).laden();
    let at_port = loaded.clone().facility(PortTerminal);
    let named = loaded
        .facility(OffDock)
        .with(|r| r.leg.vessel_name = Some("Quiet Harbour".into()));
    for lift in [at_port, named] {
        assert_eq!(events(&state(&[lift])), ["vessel_loaded CNSHA"]);
    }
}

#[test]
fn a_lift_without_a_ship_does_not_bring_back_the_ship_of_an_old_plan() {
    let quay = |hour| {
        act(Verb::Load, "CNSHA", at(9, hour))
            .by(Mode::Vessel)
            .laden()
            .from("quay", SourceKind::TerminalApi)
    };
    let sailed = act(Verb::Depart, "CNSHA", day(4)).aboard(FIRST).of_bill();
    for hour in [2, 4] {
        for sister in [vec![], vec![sailed.clone()]] {
            let mut story = vec![
                pln(Verb::Load, "CNSHA", day(4)).aboard(FIRST).laden(),
                pln(Verb::Depart, "CNSHA", day(4)).aboard(FIRST).of_bill(),
                pln(Verb::Arrive, "USLAX", day(20)).aboard(FIRST).of_bill(),
                quay(hour),
                act(Verb::Load, "CNSHA", at(9, 3)).aboard(SECOND).laden(),
                est(Verb::Arrive, "USLAX", day(25)).aboard(SECOND).of_bill(),
                act(Verb::Arrive, "USLAX", day(20)).aboard(FIRST).of_bill(),
            ];
            story.extend(sister);
            let waits = state(&story);
            assert_eq!(events(&waits), ["vessel_loaded CNSHA"], "{hour}");
            let expected = waits.estimate(EventName::EstimatedVesselArrived);
            assert_eq!(expected.unwrap().at, day(25));
            story.push(act(Verb::Arrive, "USLAX", day(25)).aboard(SECOND).of_bill());
            let came = state(&story);
            assert_eq!(
                events(&came),
                ["vessel_loaded CNSHA", "vessel_arrived USLAX"]
            );
            assert_eq!(
                came.milestone(EventName::VesselArrived).unwrap().at,
                day(25)
            );
        }
    }
}

#[test]
fn the_ship_that_put_the_box_ashore_at_a_hub_leaves_without_it() {
    let left = |on, hour, ship| {
        act(Verb::Depart, "KRPUS", at(on, hour))
            .aboard(ship)
            .of_bill()
    };
    // What is expected of the next ship, the load and departure, and arrival and discharge at the hub.
    let mut story = transshipped()[3..8].to_vec();
    let ashore = events(&state(&story));
    story.push(left(7, 20, FIRST));
    assert_eq!(events(&state(&story)), ashore);
    story.push(left(10, 22, SECOND));
    let sailed = state(&story);
    let departed = sailed.milestone(EventName::TransshipmentDeparted);
    assert_eq!(departed.unwrap().at, at(10, 22));
}

/// The time of the next ship is old: it was told before the first one was late.
#[test]
fn a_ship_that_is_late_makes_no_end_of_the_hub() {
    let mut story = transshipped()[3..6].to_vec();
    for told in [
        act(Verb::Arrive, "KRPUS", at(23, 2))
            .aboard(FIRST)
            .of_bill(),
        act(Verb::Discharge, "KRPUS", at(23, 9))
            .aboard(FIRST)
            .laden(),
    ] {
        story.push(told);
        let late = state(&story);
        assert_eq!(events(&late), TRANSSHIPPED[..story.len() - 1]);
        assert_eq!(late.journey.port_of_discharge, Some(place("USLAX")));
    }
}

/// The feeder is not named yet.
#[test]
fn a_ship_that_is_late_makes_no_end_of_the_hub_where_nobody_names_the_next() {
    let mut story = vec![
        pln(Verb::Arrive, "KRPUS", day(7)).aboard(FIRST).of_bill(),
        pln(Verb::Arrive, "USLAX", day(9))
            .by(Mode::Vessel)
            .of_bill(),
        act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
        act(Verb::Depart, "CNSHA", at(4, 20))
            .aboard(FIRST)
            .of_bill(),
        act(Verb::Arrive, "KRPUS", at(10, 2))
            .aboard(FIRST)
            .of_bill(),
    ];
    let late = state(&story);
    assert_eq!(late.journey.port_of_discharge, Some(place("USLAX")));
    assert!(late.milestone(EventName::VesselArrived).is_none());
    story.push(
        act(Verb::Discharge, "KRPUS", at(10, 9))
            .aboard(FIRST)
            .laden(),
    );
    let late = state(&story);
    assert_eq!(late.journey.port_of_discharge, Some(place("USLAX")));
    assert!(late.milestone(EventName::VesselDischarged).is_none());
    // Where the plan came there first, the ship is where it was to bring the box.
    story[0] = pln(Verb::Arrive, "KRPUS", day(10)).aboard(FIRST).of_bill();
    let came = state(&story);
    assert_eq!(came.journey.port_of_discharge, Some(place("KRPUS")));
}

/// A list that calls Los Angeles Long Beach and names no ship, and a plan that was given up for another.
#[test]
fn what_one_expects_elsewhere_makes_no_hub_of_the_port_of_discharge() {
    let mut story = direct()[..8].to_vec();
    let came = events(&state(&story));
    story.push(
        est(Verb::Arrive, "USLGB", at(20, 0))
            .by(Mode::Vessel)
            .from("list", SourceKind::TerminalApi),
    );
    let state_of_both = state(&story);
    assert_eq!(
        state_of_both.journey.port_of_discharge,
        Some(place("USLAX"))
    );
    assert_eq!(events(&state_of_both), came);
    let plan = |port, on, issued| {
        pln(Verb::Arrive, port, day(on))
            .by(Mode::Vessel)
            .of_bill()
            .issued(day(issued))
    };
    let changed = state(&[
        plan("USOAK", 21, 1),
        plan("USLAX", 20, 5),
        act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
        act(Verb::Arrive, "USLAX", at(22, 5))
            .aboard(FIRST)
            .of_bill(),
        act(Verb::Discharge, "USLAX", at(22, 15))
            .aboard(FIRST)
            .laden(),
    ]);
    assert_eq!(changed.journey.port_of_discharge, Some(place("USLAX")));
}

#[test]
fn a_ship_that_is_late_makes_no_end_of_the_hub_where_nobody_told_of_the_load() {
    let all = transshipped();
    let late = state(&[
        all[3].clone(),
        all[5].clone(),
        act(Verb::Arrive, "KRPUS", at(23, 2))
            .aboard(FIRST)
            .of_bill(),
    ]);
    assert_eq!(late.journey.port_of_discharge, Some(place("USLAX")));
    assert!(late.milestone(EventName::VesselArrived).is_none());
}

#[test]
fn a_second_ship_that_is_late_makes_no_end_of_its_hub() {
    let mut story = transshipped()[4..10].to_vec();
    story.push(est(Verb::Arrive, "USOAK", day(20)).aboard(THIRD).of_bill());
    story.push(
        act(Verb::Arrive, "USLAX", at(22, 6))
            .aboard(SECOND)
            .of_bill(),
    );
    let late = state(&story);
    assert_eq!(late.journey.port_of_discharge, Some(place("USOAK")));
    assert_eq!(events(&late).last().unwrap(), "transshipment_arrived USLAX");
}

/// Across Panama, or from one sea of Arabia to the other.
#[test]
fn a_box_that_goes_over_land_to_its_next_ship_is_not_landed_for_import() {
    let train = |verb, port, hour| act(verb, port, at(25, hour)).by(Mode::Rail).laden();
    let mut story = vec![
        act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
        pln(Verb::Load, "PAMIT", day(27)).aboard(SECOND).laden(),
        est(Verb::Arrive, "USSAV", day(31)).aboard(SECOND).of_bill(),
        act(Verb::Discharge, "PABLB", at(24, 9))
            .aboard(FIRST)
            .laden(),
    ];
    for told in [
        train(Verb::Load, "PABLB", 4),
        train(Verb::Depart, "PABLB", 8),
        train(Verb::Arrive, "PAMIT", 14),
    ] {
        story.push(told);
        let across = state(&story);
        let port = across.journey.port_of_discharge;
        assert_eq!(port, Some(place("USSAV")), "{:?}", events(&across));
        assert!(across.milestone(EventName::VesselDischarged).is_none());
        let inland = across.milestone(EventName::ArrivedAtInlandDestination);
        assert!(inland.is_none());
    }
    story.push(act(Verb::Load, "PAMIT", at(27, 4)).aboard(SECOND).laden());
    story.push(
        act(Verb::Discharge, "USSAV", at(31, 18))
            .aboard(SECOND)
            .laden(),
    );
    let came = events(&state(&story));
    assert_eq!(came.last().unwrap(), "vessel_discharged USSAV");
}

/// Another port of discharge was agreed on, and the plan by way of the hub is an old one.
#[test]
fn a_hub_that_the_box_never_came_to_is_no_way_over_land() {
    let mut story = vec![
        act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
        est(Verb::Arrive, "KRPUS", day(17)).aboard(FIRST).of_bill(),
        pln(Verb::Load, "KRPUS", day(20)).aboard(SECOND).laden(),
        est(Verb::Arrive, "USLAX", day(30)).aboard(SECOND).of_bill(),
        act(Verb::Discharge, "USOAK", at(15, 9))
            .aboard(FIRST)
            .laden(),
    ];
    let gate = act(Verb::GateOut, "USOAK", at(16, 9)).by(Mode::Truck);
    story.push(gate.laden());
    let left = state(&story);
    assert_eq!(left.journey.port_of_discharge, Some(place("USOAK")));
    let told = events(&left);
    assert!(told.contains(&"vessel_discharged USOAK".into()), "{told:?}");
}

/// Three ships: the time of the second is old, and the third is expected long after.
#[test]
fn a_hub_that_was_to_come_after_a_late_one_is_not_behind_the_end() {
    let expected = |port, on, ship| est(Verb::Arrive, port, day(on)).aboard(ship).of_bill();
    let story = [
        act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
        pln(Verb::Load, "KRPUS", day(24)).aboard(SECOND).laden(),
        expected("USOAK", 20, SECOND),
        expected("USLAX", 31, THIRD),
        act(Verb::Arrive, "KRPUS", at(23, 2))
            .aboard(FIRST)
            .of_bill(),
    ];
    let late = state(&story);
    assert_eq!(late.journey.port_of_discharge, Some(place("USLAX")));
}
