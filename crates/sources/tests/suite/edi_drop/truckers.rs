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

/// Found by a reviewer: with one status in each message, as many truckers send, an export was delivered at the port.
#[test]
fn what_is_unloaded_at_a_port_under_a_booking_may_be_either() {
    let told =
        |statuses: &[(&str, &str, &str)]| events(&state(&[shipment("L11*QSEK300*BN", statuses)]));
    let none: [&str; 0] = [];
    assert_eq!(told(&[("D1", "09", OAKLAND)]), none);
    assert_eq!(told(&[("X1", "02", OAKLAND)]), none);
    // What is brought in behind it may be the empty.
    let back = ("I1", "10", OAKLAND);
    assert_eq!(told(&[("D1", "09", OAKLAND), back]), none);
    let handed_in = told(&[("AF", "08", "FRESNO*CA"), ("D1", "09", OAKLAND), back]);
    assert_eq!(handed_in, ["full_in USOAK"]);
    // A town of the harbour may be the shipper's or the terminal's.
    let savannah = ("D1", "09", "SAVANNAH*GA");
    assert_eq!(told(&[("AF", "08", "GARDEN CITY*GA"), savannah]), none);
    let garden_city = ("D1", "09", "GARDEN CITY*GA");
    assert_eq!(
        told(&[("AF", "08", "MACON*GA"), garden_city]),
        ["full_in USSAV"]
    );
    // Of a town with a ramp, and of which nobody knows a terminal, neither.
    let jersey_city = ("D1", "09", "JERSEY CITY*NJ");
    assert_eq!(told(&[("AF", "08", "ALLENTOWN*PA"), jersey_city]), none);
    // Beside a bill the door is meant, also in a town of the harbour.
    let delivered = shipment("L11*QSEB300*BM", &[("D1", "09", "ELIZABETH*NJ")]);
    assert_eq!(events(&state(&[delivered])), ["delivered "]);
}

/// Found by a reviewer: towns that have a ramp and no quay were seaports.
#[test]
fn no_ship_comes_to_a_town_that_has_only_a_ramp() {
    let fetched = [
        ("X3", "08", "SAN BERNARDINO*CA"),
        ("AF", "08", "SAN BERNARDINO*CA"),
    ];
    for (town, place) in [
        ("CITY OF INDUSTRY*CA", "USJID"),
        ("COMMERCE*CA", "USCRC"),
        ("KEARNY*NJ", "USXHE"),
        ("NORTH BERGEN*NJ", "USNBN"),
        ("LANGHORNE*PA", "USXHS"),
        ("HARAHAN*LA", "USHRJ"),
    ] {
        let way = [&fetched[..], &[("D1", "09", town)]].concat();
        let told = events(&state(&[shipment("L11*QSEK300*BN", &way)]));
        assert_eq!(told, [format!("delivered {place}")]);
    }
}

/// Statuses with their day and time: code, date and time, town.
fn timed(references: &str, statuses: &[(&str, &str, &str)]) -> Vec<u8> {
    let statuses: Vec<String> = statuses
        .iter()
        .map(|(code, at, town)| format!("AT7*{code}*NS***{at}\nMS1*{town}*US"))
        .collect();
    x12_file(
        "214",
        &format!(
            "B10*PRO77*SHIP7*QSET\nL11*QSDU2000111*EQ\n{references}\nLX*1\n{}",
            statuses.join("\n")
        ),
    )
}

/// Found by a reviewer: a bare day was its midnight, before all else of that day.
#[test]
fn a_bare_day_is_no_earlier_than_the_hours_of_that_day() {
    let told =
        |statuses: &[(&str, &str, &str)]| events(&state(&[timed("L11*QSEK300*BN", statuses)]));
    let (fetched, day) = (("AF", "20260309*1000", "FRESNO*CA"), "20260309");
    assert_eq!(told(&[fetched, ("D1", day, OAKLAND)]), ["full_in USOAK"]);
    let midnight = ("D1", "20260309*0000", OAKLAND);
    assert_eq!(told(&[fetched, midnight]), ["full_in USOAK"]);
    let none: [&str; 0] = [];
    let before = ("D1", "20260308", OAKLAND);
    assert_eq!(told(&[fetched, before]), none);
    let delivered = ("D1", "20260309*1500", "FRESNO*CA");
    let back = told(&[delivered, ("I1", day, OAKLAND)]);
    assert!(!back.contains(&"full_in USOAK".to_owned()), "{back:?}");
}

/// Found by a reviewer: what was shown of one box counted for the others of its shipment.
#[test]
fn what_a_shipment_shows_of_one_box_it_shows_of_no_other() {
    let way = |code: &str, day: &str, town: &str, serial: &str, check: &str| {
        format!("AT7*{code}*NS***202603{day}*1015*LT\nMS1*{town}*US\nMS2*QSDU*{serial}*CN*{check}")
    };
    let lines = [
        way("D1", "09", "FRESNO*CA", "200013", "2"),
        way("I1", "10", OAKLAND, "200011", "1"),
    ];
    let file = x12_file(
        "214",
        &format!(
            "B10*PRO77*SHIP7*QSET\nLX*1\n{}\nL11*QSEK300*BN",
            lines.join("\n")
        ),
    );
    assert_eq!(events(&state(&[file])), ["full_in USOAK"]);
    let lines = [
        way("AF", "09", "FRESNO*CA", "200013", "2"),
        way("D1", "10", OAKLAND, "200011", "1"),
    ];
    let file = x12_file(
        "214",
        &format!(
            "B10*PRO77*SHIP7*QSET\nLX*1\n{}\nL11*QSEK300*BN",
            lines.join("\n")
        ),
    );
    assert_eq!(events(&state(&[file])), Vec::<String>::new());
}

/// Found by a reviewer: a town of British Columbia was looked for in the United States.
#[test]
fn a_province_tells_the_country_where_none_is_told() {
    let at = |town: &str| {
        let statuses = format!("AT7*AF*NS***20260309*1015*LT\nMS1*{town}");
        let file = format!("B10*PRO77*SHIP7*QSET\nL11*QSDU2000111*EQ\nLX*1\n{statuses}");
        let report = reports(&x12_file("214", &file)).pop().unwrap();
        report.place.locode.map(|place| place.to_string())
    };
    assert_eq!(at("VANCOUVER*BC").as_deref(), Some("CAVAN"));
    assert_eq!(at("MONTREAL*PQ").as_deref(), Some("CAMTR"));
    assert_eq!(at("OAKLAND*CA").as_deref(), Some("USOAK"));
    assert_eq!(at("SAN JUAN*PR").as_deref(), Some("PRSJU"));
}
