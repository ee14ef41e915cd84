//! Towns in which the terminals of a port stand, and in which consignees have their doors.

use super::places::of_shanghai;
use super::ways::{estimates, events, state};
use super::{read, x12_file};
use crate::told::gazetteer;

const ELIZABETH: &str = "CI*ELIZABETH*ELIZABETH*US***NJ";

fn told(code: &str, places: &str) -> Vec<String> {
    events(&state(&[of_shanghai(code, places)]))
}

/// Found by a reviewer: goods that came to their door in Elizabeth were told as the ship's arrival in New York.
#[test]
fn what_comes_to_a_place_of_delivery_comes_to_no_port() {
    let at_the_door = format!("R4*D*UN*USNYC\nR4*E*{ELIZABETH}\nR4*5*{ELIZABETH}");
    assert_eq!(told("A", &at_the_door), Vec::<String>::new());
    // So it is where the message has no place of delivery.
    let unsaid = format!("R4*D*UN*USNYC\nR4*5*{ELIZABETH}");
    assert_eq!(told("A", &unsaid), Vec::<String>::new());
    // What a ship does is done in the port.
    for places in [&at_the_door, &unsaid] {
        assert_eq!(told("UV", places), ["vessel_discharged USNYC"]);
        assert_eq!(told("VA", places), ["vessel_arrived USNYC"]);
    }
    // A gate in the town is one of the terminals, unless the goods go to that town.
    assert_eq!(told("OA", &unsaid), ["full_out USNYC"]);
    assert_eq!(told("OA", &at_the_door), ["full_out "]);
    let delivered = told("D", &unsaid);
    assert_eq!(delivered, ["delivered "]);
}

/// Found by a reviewer: the date of the door was told as the ship's ETA.
#[test]
fn the_date_of_a_door_is_no_date_of_the_ship() {
    let of = |code: &str, places: &str| estimates(&state(&[of_shanghai(code, places)]));
    let door = format!("R4*D*UN*USNYC\nR4*E*{ELIZABETH}\nDTM*139*20260320*1200*LT");
    let none = Vec::<String>::new();
    assert_eq!(of("VD", &door), none);
    let newark = "R4*D*UN*USNYC\nR4*E*CI*NEWARK*NEWARK*US***NJ\nDTM*139*20260320*1200*LT";
    assert_eq!(of("VD", newark), none);
    let expected = "R4*D*UN*USSAV\nR4*5*CI*GARDEN CITY*GARDEN CITY*US***GA";
    assert_eq!(of("AG", expected), none);
    // A ship leaves from the port.
    let leaves = format!("R4*5*{ELIZABETH}");
    assert_eq!(of("C", &leaves), ["vessel_departed USNYC 03-06"]);
    // Where the port is called so, it is that port.
    let port = format!("R4*D*{ELIZABETH}\nDTM*139*20260318*1200*LT");
    assert_eq!(of("VD", &port), ["vessel_arrived USNYC 03-18"]);
}

#[test]
fn a_terminal_may_name_its_town() {
    let gate = x12_file(
        "322",
        "Q5*OA*20260306*0900*LT**ELIZABETH*NJ*US
         N7*QSDU*2000111*43459*G*******CN
         W2*QSDU*200011**CN*L",
    );
    let read = read(&gate, &gazetteer()).reports;
    let port = read[0].report.place.locode.map(|port| port.to_string());
    assert_eq!(port.as_deref(), Some("USNYC"));
}
