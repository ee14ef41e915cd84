//! A bill from its boxes.

use domain::codes::ContainerNumber;
use domain::container::ContainerState;
use domain::report::{Mode, SourceKind, Verb};
use domain::shipment::{ShipmentState, shipment_state};

use crate::telling::*;

#[test]
fn most_boxes_decide_and_their_order_does_not() {
    let mut late = direct();
    late[6] = act(Verb::Arrive, "USLAX", at(21, 0)).aboard(FIRST);
    let most = state(&direct());
    let other = state(&late);
    let boxes = [most.clone(), other.clone(), most];
    let shipment = shipment_state(&boxes);
    assert_eq!(shipment.port_of_lading, Some(place("CNSHA")));
    assert_eq!(shipment.port_of_discharge, Some(place("USLAX")));
    assert_eq!(shipment.pol_atd, Some(at(4, 20)));
    assert_eq!(shipment.pod_ata, Some(at(20, 5)));
    assert_eq!(shipment.pod_eta, None);
    for turned in [[1, 0, 2], [2, 1, 0], [0, 2, 1]] {
        let turned: Vec<ContainerState> = turned.iter().map(|&i| boxes[i].clone()).collect();
        assert_eq!(shipment_state(&turned), shipment);
    }
    let tie = shipment_state(&[boxes[1].clone(), boxes[0].clone()]);
    assert_eq!(
        tie.pod_ata,
        Some(at(20, 5)),
        "the earliest among equally many"
    );
}

#[test]
fn before_the_arrival_there_is_an_estimate_and_its_source() {
    let shipment = shipment_state(&[state(&direct()[..6])]);
    assert_eq!(shipment.pod_eta, Some(at(19, 5)));
    assert!(shipment.eta_source.is_some());
    assert_eq!(shipment.pod_ata, None);
    assert_eq!(shipment_state(&[]), ShipmentState::default());
    let unknown = ContainerState::unknown(ContainerNumber::parse(BOX).unwrap());
    assert_eq!(shipment_state(&[unknown]), ShipmentState::default());
}

#[test]
fn a_box_that_came_on_another_ship_is_not_the_arrival_of_the_others() {
    let waits = state(&direct()[..6]);
    let early = |ship| {
        state(&[
            act(Verb::Load, "CNSHA", day(3)).aboard(ship).laden(),
            act(Verb::Arrive, "USLAX", day(17)).aboard(ship).of_bill(),
        ])
    };
    let shipment = |boxes: &[ContainerState]| {
        let shipment = shipment_state(boxes);
        let ship = shipment.pod_vessel.unwrap().imo.unwrap().to_string();
        (ship, shipment.pod_eta, shipment.pod_ata)
    };
    let (a, b) = (waits.clone(), waits.clone());
    assert_eq!(
        shipment(&[early(SECOND), a.clone(), b.clone()]),
        (FIRST.to_owned(), Some(at(19, 5)), None)
    );
    assert_eq!(
        shipment(&[early(FIRST), a.clone(), b]),
        (FIRST.to_owned(), None, Some(day(17))),
        "a call that happened for one box happened for all on that ship"
    );
    assert_eq!(
        shipment(&[early(SECOND), a, early(SECOND)]),
        (SECOND.to_owned(), None, Some(day(17)))
    );
}

/// One ship calls at Los Angeles and then at Oakland, where most of the boxes go.
#[test]
fn a_box_that_landed_at_a_port_on_the_way_is_not_the_arrival_of_those_that_go_on() {
    let to = |port, on: i64, told: &[Told]| {
        let mut story = vec![
            act(Verb::Load, "CNSHA", at(4, 3)).aboard(FIRST).laden(),
            est(Verb::Arrive, port, day(on)).aboard(FIRST),
            est(Verb::Discharge, port, day(on)).aboard(FIRST).laden(),
        ];
        story.extend_from_slice(told);
        state(&story)
    };
    let goes_on = || to("USOAK", 24, &[]);
    let lift = |port, on, pier| {
        act(Verb::Discharge, port, day(on))
            .aboard(FIRST)
            .laden()
            .terminal(pier)
    };
    let call = |port, on| act(Verb::Arrive, port, day(on)).aboard(FIRST);
    let landed = || to("USLAX", 20, &[call("USLAX", 20), lift("USLAX", 20, "APM")]);
    let shipment = shipment_state(&[landed(), goes_on(), goes_on()]);
    assert_eq!(shipment.port_of_discharge, Some(place("USOAK")));
    assert_eq!(shipment.pod_ata, None);
    assert_eq!(shipment.pod_eta, Some(day(24)));
    assert_eq!(shipment.pod_original_eta, Some(day(24)));
    assert_eq!(shipment.pod_terminal, None, "a terminal of Los Angeles");
    let there = to("USOAK", 24, &[call("USOAK", 24), lift("USOAK", 24, "OICT")]);
    let shipment = shipment_state(&[landed(), landed(), there.clone(), goes_on(), goes_on()]);
    assert_eq!((shipment.pod_ata, shipment.pod_eta), (Some(day(24)), None));
    assert_eq!(shipment.pod_terminal.as_deref(), Some("USOAK-OICT"));
    // The ship of those that go to the shown port, whichever brings more of the others.
    let by_second = |port, on| {
        state(&[
            act(Verb::Load, "CNSHA", day(3)).aboard(SECOND).laden(),
            est(Verb::Discharge, port, day(on)).aboard(SECOND).laden(),
            est(Verb::Arrive, port, day(on)).aboard(SECOND),
        ])
    };
    let boxes = [
        landed(),
        by_second("USOAK", 22),
        ContainerState {
            journey: domain::journey::Journey {
                pod_vessel: None,
                ..goes_on().journey
            },
            ..goes_on()
        },
    ];
    let shipment = shipment_state(&boxes);
    let ship = shipment.pod_vessel.unwrap().imo.unwrap();
    assert_eq!(ship.to_string(), SECOND);
}

#[test]
fn what_boxes_tell_of_other_ports_of_lading_and_destinations_is_not_of_the_shown_ones() {
    let from = |port, on| {
        state(&[
            est(Verb::Depart, port, at(on, 2)).aboard(FIRST),
            act(Verb::Load, port, day(on)).aboard(FIRST).laden(),
            act(Verb::Depart, port, at(on, 5)).aboard(FIRST),
            est(Verb::Discharge, "USLAX", day(20)).aboard(FIRST).laden(),
        ])
    };
    let waits = || {
        state(&[
            est(Verb::Depart, "KRPUS", day(9)).aboard(FIRST),
            est(Verb::Discharge, "USLAX", day(20)).aboard(FIRST).laden(),
        ])
    };
    let shipment = shipment_state(&[from("CNSHA", 4), waits(), waits()]);
    assert_eq!(shipment.port_of_lading, Some(place("KRPUS")));
    assert_eq!((shipment.pol_atd, shipment.pol_etd), (None, Some(day(9))));
    let shipment = shipment_state(&[from("CNSHA", 4), from("KRPUS", 9), waits()]);
    assert_eq!(shipment.pol_atd, Some(at(9, 5)));
    assert_eq!(shipment.pol_original_etd, Some(day(9)));

    let inland = |port, on, came| {
        let mut story = direct()[..8].to_vec();
        story.push(est(Verb::Arrive, port, day(on)).by(Mode::Rail).of_bill());
        let train = act(Verb::Arrive, port, day(on)).by(Mode::Rail).laden();
        story.extend(Some(train).filter(|_| came));
        state(&story)
    };
    let boxes = [
        inland("USMEM", 25, true),
        inland("USCHI", 27, false),
        inland("USCHI", 27, false),
    ];
    let shipment = shipment_state(&boxes);
    assert_eq!(shipment.destination, Some(place("USCHI")));
    assert_eq!(shipment.destination_ata, None);
    assert_eq!(shipment.destination_eta, Some(day(27)));
    assert_eq!(shipment.destination_original_eta, Some(day(27)));
}

#[test]
fn another_port_or_ship_is_another_expectation_though_the_time_is_the_same() {
    let expected = |port, ship| {
        let eta = est(Verb::Arrive, port, day(20)).aboard(ship).of_bill();
        shipment_state(&[state(&[eta])])
    };
    let before = expected("USLAX", FIRST);
    assert!(!expected("USLAX", FIRST).is_expected_otherwise(&before));
    assert!(expected("USOAK", FIRST).is_expected_otherwise(&before));
    assert!(expected("USLAX", SECOND).is_expected_otherwise(&before));
    assert!(!ShipmentState::default().is_expected_otherwise(&before));
}

/// The line told no arrival, and the quay that it put one of the boxes ashore.
#[test]
fn nothing_is_expected_of_a_ship_that_puts_boxes_ashore() {
    let mut landed = direct()[..6].to_vec();
    landed.push(
        act(Verb::Discharge, "USLAX", at(18, 20))
            .aboard(FIRST)
            .laden()
            .from("quay", SourceKind::Coarri),
    );
    let (landed, aboard) = (state(&landed), state(&direct()[..6]));
    assert!(
        shipment_state(std::slice::from_ref(&aboard))
            .pod_eta
            .is_some()
    );
    let both = shipment_state(&[landed, aboard]);
    assert_eq!((both.pod_eta, both.pod_ata), (None, None));
}
