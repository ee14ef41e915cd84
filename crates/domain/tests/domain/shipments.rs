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
