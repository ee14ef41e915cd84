//! A bill from its boxes.

use domain::codes::ContainerNumber;
use domain::container::ContainerState;
use domain::report::Verb;
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
