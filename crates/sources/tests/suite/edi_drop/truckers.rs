//! What a trucker's 214 says of the box, and what it leaves open.

use domain::report::{Classifier, Report, Verb};

use super::ways::{events, state};
use super::{read, x12_file};
use crate::told::gazetteer;

fn reports(file: &[u8]) -> Vec<Report> {
    let parsed = read(file, &gazetteer());
    assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
    parsed.reports.into_iter().map(|l| l.report).collect()
}

/// A shipment with these references and statuses: code, day, town.
fn shipment(references: &str, statuses: &[(&str, &str, &str)]) -> Vec<u8> {
    let statuses: Vec<String> = statuses
        .iter()
        .map(|(code, day, town)| format!("AT7*{code}*NS***202603{day}*1015*LT\nMS1*{town}*US"))
        .collect();
    x12_file(
        "214",
        &format!(
            "B10*PRO77*SHIP7*QSET\nL11*QSDU2000111*EQ\n{references}\nLX*1\n{}",
            statuses.join("\n")
        ),
    )
}

const OAKLAND: &str = "OAKLAND*CA";

/// Found by a tester: an empty that a trucker brought to the port was told as an export.
#[test]
fn a_box_that_a_trucker_brings_in_is_laden_only_where_the_message_shows_it() {
    let laden = |references: &str, statuses: &[(&str, &str, &str)]| {
        let reports = reports(&shipment(references, statuses));
        let gate = reports.last().unwrap();
        assert_eq!(gate.verb, Verb::GateIn);
        gate.equipment.as_ref().unwrap().laden
    };
    let gate = ("I1", "10", OAKLAND);
    assert_eq!(laden("", &[gate]), None);
    assert_eq!(laden("L11*QSEB300*BM", &[gate]), None);
    // The weight of an import stands beside the return of its empty, too.
    let import = "L11*QSEB300*BM\nAT8*G*L*42000*20";
    assert_eq!(laden(import, &[gate]), None);
    assert_eq!(laden("AT8*G*L*42000*20", &[gate]), Some(true));
    assert_eq!(laden("AT8*T*L*8000", &[gate]), None);
    assert_eq!(laden("L11*QSEK300*BN", &[gate]), Some(true));
    let shipped = ("AF", "09", "FRESNO*CA");
    assert_eq!(laden("L11*QSEK300*BN", &[shipped, gate]), Some(true));
    // Goods that were driven away before came for the consignee.
    let delivered = ("D1", "09", "FRESNO*CA");
    assert_eq!(laden("L11*QSEK300*BN", &[delivered, gate]), None);
    // What nobody knows is told as no event.
    assert_eq!(
        events(&state(&[shipment("", &[gate])])),
        Vec::<String>::new()
    );
    let exported = events(&state(&[shipment("L11*QSEK300*BN", &[gate])]));
    assert_eq!(exported, ["full_in USOAK"]);
}

/// Found by a tester: an export that its trucker handed in at the port was delivered there.
#[test]
fn an_export_that_is_unloaded_at_the_port_is_handed_in_there() {
    let way = [
        ("X3", "08", "FRESNO*CA"),
        ("AF", "08", "FRESNO*CA"),
        ("X1", "09", OAKLAND),
        ("D1", "09", OAKLAND),
    ];
    let told = |references: &str, statuses: &[(&str, &str, &str)]| {
        events(&state(&[shipment(references, statuses)]))
    };
    let booked = "L11*QSEK300*BN";
    assert_eq!(told(booked, &way), ["full_in USOAK"]);
    assert_eq!(told(booked, &way[..3]), Vec::<String>::new());
    let handed_in = reports(&shipment(booked, &way)).pop().unwrap();
    assert_eq!(handed_in.verb, Verb::GateIn);
    assert_eq!(handed_in.equipment.unwrap().laden, Some(true));
    // Goods of a bill are delivered, and so is what was collected at the port or goes to a town.
    let delivered = reports(&shipment("L11*QSEB300*BM", &way)).pop().unwrap();
    assert_eq!(delivered.verb, Verb::Dropoff);
    let both = format!("{booked}\nL11*QSEB300*BM");
    for (references, statuses) in [
        (both.as_str(), &way[..]),
        (booked, &[way[3]]),
        (booked, &[("AF", "08", "LONG BEACH*CA"), way[3]]),
        (booked, &[way[1], ("D1", "09", "CHICAGO*IL")]),
    ] {
        let last = reports(&shipment(references, statuses)).pop().unwrap();
        assert_eq!(last.verb, Verb::Dropoff, "{references} {statuses:?}");
    }
}

#[test]
fn the_arrival_that_a_trucker_expects_is_an_estimate() {
    for code in ["AG", "X2"] {
        let told = reports(&shipment("", &[(code, "16", "CHICAGO*IL")]));
        let expected = (Verb::Arrive, Classifier::Estimated);
        assert_eq!((told[0].verb, told[0].classifier), expected, "{code}");
        assert!(told[0].doubts.is_empty(), "{code}");
    }
}
