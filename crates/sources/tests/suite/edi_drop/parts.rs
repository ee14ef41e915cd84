//! Which part a place plays in the way (element 115), where lines write one part in several letters.

use domain::report::{Mode, MoveHint, Report, Verb};

use super::ways::{events, state};
use super::{read, x12_file};
use crate::told::gazetteer;

fn reports(file: &[u8]) -> Vec<Report> {
    let reports = read(file, &gazetteer()).reports.into_iter();
    reports.map(|located| located.report).collect()
}

/// A status of a box that was loaded in Laem Chabang, with these places behind.
fn told(code: &str, here: &str, places: &str) -> Vec<u8> {
    x12_file(
        "315",
        &format!(
            "B4***{code}*20260306*0900*{here}*QSDU*200011*L*45G1*{here}*UN*1
             N9*BM*QSEB700
             Q2*9321483********217E***L*MSC OSCAR
             R4*L*UN*THLCH*LAEM CHABANG*TH
             {places}"
        ),
    )
}

const LOS_ANGELES: &str = "UN*USLAX*LOS ANGELES*US***CA";
const SINGAPORE: &str = "UN*SGSIN*SINGAPORE*SG";

/// Found by a tester: what was put ashore at a relay port had ended its voyage.
#[test]
fn a_relay_is_no_end_whichever_letter_names_the_port_of_discharge() {
    let relayed = [
        "transshipment_arrived SGSIN",
        "transshipment_discharged SGSIN",
    ];
    for places in [
        format!("R4*Y*{SINGAPORE}\nR4*1*{LOS_ANGELES}"),
        format!("R4*Y*{SINGAPORE}\nR4*D*{LOS_ANGELES}"),
        format!("R4*Y*{SINGAPORE}\nR4*K*{LOS_ANGELES}"),
        format!("R4*Y*{SINGAPORE}"),
        // The ship of this leg goes no further than D.
        format!("R4*D*{SINGAPORE}\nR4*1*{LOS_ANGELES}"),
        format!("R4*1*{LOS_ANGELES}\nR4*D*{SINGAPORE}"),
        format!("R4*D*{SINGAPORE}\nR4*1*UN*USXXL*SOMEWHERE*US"),
    ] {
        let files = ["VA", "UV"].map(|code| told(code, "SGSIN", &places));
        assert_eq!(events(&state(&files)), relayed, "{places}");
    }
    for letter in ["1", "K"] {
        let places = format!("R4*{letter}*{LOS_ANGELES}");
        let at = |here: &str| events(&state(&[told("UV", here, &places)]));
        assert_eq!(at("SGSIN"), ["transshipment_discharged SGSIN"], "{letter}");
        assert_eq!(at("USLAX"), ["vessel_discharged USLAX"], "{letter}");
    }
}

#[test]
fn the_end_of_the_sea_is_one_port_however_often_it_is_named() {
    // The port of discharge of the bill yields to either.
    for letter in ["1", "D"] {
        let places = format!("R4*K*{SINGAPORE}\nR4*{letter}*{LOS_ANGELES}");
        let told = events(&state(&[told("UV", "SGSIN", &places)]));
        assert_eq!(told, ["transshipment_discharged SGSIN"], "{letter}");
    }
    // A neighbour is no relay, and neither is a ramp behind the port.
    for other in ["UN*USLGB*LONG BEACH*US***CA", LOS_ANGELES] {
        let places = format!("R4*D*{other}\nR4*1*{LOS_ANGELES}");
        let port = &other[3..8];
        let told = events(&state(&[told("UV", port, &places)]));
        assert_eq!(told, [format!("vessel_discharged {port}")]);
    }
    let inland = format!("R4*D*UN*USCHI*CHICAGO*US***IL\nR4*1*{LOS_ANGELES}");
    let told = events(&state(&[told("UV", "USLAX", &inland)]));
    assert_eq!(told, ["vessel_discharged USLAX"]);
}

/// The estimates of a file with their modes and days.
fn expected(file: &[u8]) -> Vec<String> {
    let state = state(&[file.to_vec()]);
    let all = state.estimates.iter().map(|estimate| {
        let event = estimate.event.as_str();
        let place = estimate.locode.map(|place| place.to_string());
        format!(
            "{} {} {}",
            event.trim_start_matches("container.transport."),
            place.unwrap_or_default(),
            estimate.at
        )
    });
    all.collect()
}

#[test]
fn a_ship_is_expected_at_the_port_of_discharge_in_whatever_letter() {
    for letter in ["1", "K", "D"] {
        let places = format!("R4*{letter}*{LOS_ANGELES}\nDTM*139*20260325*1200*LT");
        let file = told("VD", "THLCH", &places);
        assert_eq!(
            expected(&file),
            ["estimated.vessel_arrived USLAX 2026-03-25T19:00:00Z"],
            "{letter}"
        );
        let eta = reports(&file).into_iter().find(|r| r.verb == Verb::Arrive);
        assert_eq!(eta.unwrap().move_hint, Some(MoveHint::Import));
    }
}

/// Found by a tester: a port that is also the place of delivery was foretold as an inland destination.
#[test]
fn a_place_of_delivery_at_the_port_of_discharge_is_no_inland_destination() {
    let at_sea = "estimated.vessel_arrived USLAX 2026-03-25T19:00:00Z";
    for (port, delivery, told_of) in [
        ("", "DTM*139*20260325*1200*LT", vec![at_sea]),
        ("", "DTM*371*20260325*1200*LT", vec![at_sea]),
        ("", "DTM*017*20260325*1200*LT", vec![]),
        (
            "DTM*139*20260325*1200*LT",
            "DTM*139*20260327*1200*LT",
            vec![at_sea],
        ),
    ] {
        for end in [LOS_ANGELES, "CI*LOS ANGELES*LOS ANGELES*US***CA"] {
            let places = format!("R4*D*{LOS_ANGELES}\n{port}\nR4*E*{end}\n{delivery}");
            let file = told("VD", "THLCH", &places);
            assert_eq!(expected(&file), told_of, "{places}");
            let trucks = reports(&file).into_iter();
            let by_truck = trucks.filter(|r| r.leg.mode == Some(Mode::Truck)).count();
            assert_eq!(by_truck, 0, "{places}");
        }
    }
    // Behind the port it stays one.
    let inland =
        format!("R4*D*{LOS_ANGELES}\nR4*E*UN*USCHI*CHICAGO*US***IL\nDTM*139*20260330*1200*LT");
    assert_eq!(
        expected(&told("VD", "THLCH", &inland)),
        ["estimated.arrived_at_inland_destination USCHI 2026-03-30T17:00:00Z"]
    );
}
