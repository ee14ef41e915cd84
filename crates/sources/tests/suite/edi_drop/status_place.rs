//! Where a 315 happened of which only B4 tells, and how B4 may tell it.

use domain::report::{Doubt, Report};

use super::ways::{events, state};
use super::{read, x12_file};
use crate::told::gazetteer;

fn file(code: &str, b4_06: &str, b4_11: &str, list: &str, places: &str) -> Vec<u8> {
    x12_file(
        "315",
        &format!(
            "B4***{code}*20260306*0900*{b4_06}*QSDU*200011*L*45G1*{b4_11}*{list}*1
             N9*BM*QSEB701
             {places}"
        ),
    )
}

/// Port, instant, and whether the place is in doubt.
fn place(file: &[u8]) -> String {
    let reports = read(file, &gazetteer()).reports.into_iter();
    let mut reports = reports.map(|located| located.report);
    let own = |report: &Report| !report.original.starts_with("R4");
    let report = reports.find(own).unwrap();
    let port = report.place.locode.map(|port| port.to_string());
    let unknown = report.doubts.contains(&Doubt::PlaceUnknown);
    format!(
        "{} {}{}",
        port.unwrap_or_default(),
        report.occurred.unwrap().at,
        if unknown { " ?" } else { "" }
    )
}

/// Found by a tester: what B4 names was looked for in the tables alone.
#[test]
fn a_place_that_another_r4_repeats_is_that_place() {
    let relay = "R4*T*UN*COCTG*CARTAGENA*CO\nR4*D*UN*USOAK*OAKLAND*US***CA";
    let relayed = file("UV", "", "CARTAGENA", "CI", relay);
    assert_eq!(place(&relayed), "COCTG 2026-03-06T14:00:00Z");
    let told = ["transshipment_discharged COCTG"];
    assert_eq!(events(&state(&[relayed])), told);
    for (town, port) in [
        ("JACKSONVILLE, FL, US", "UN*USJAX*JACKSONVILLE*US***FL"),
        ("JACKSONVILLE, FL", "UN*USJAX*JACKSONVILLE*US***FL"),
        ("JACKSONVILLE FL", "UN*USJAX*JACKSONVILLE*US***FL"),
        ("Jacksonville", "UN*USJAX*JACKSONVILLE, FL*US"),
        ("JACKSONVILLE", "CI*JACKSONVILLE*JACKSONVILLE*US***FL"),
    ] {
        for file in [
            file("VD", "", town, "CI", &format!("R4*L*{port}")),
            file("VD", town, "", "CI", &format!("R4*L*{port}")),
        ] {
            assert_eq!(place(&file), "USJAX 2026-03-06T14:00:00Z", "{town}");
            assert_eq!(events(&state(&[file])), ["vessel_departed USJAX"]);
        }
    }
    // By its code, be it in a list that nobody has.
    let coded = "R4*D*D*5299*MIAMI*US***FL";
    assert_eq!(
        place(&file("UV", "", "5299", "D", coded)),
        "USMIA 2026-03-06T14:00:00Z"
    );
    assert_eq!(
        place(&file("UV", "5299", "", "D", coded)),
        "USMIA 2026-03-06T14:00:00Z"
    );
    assert_eq!(
        place(&file("UV", "", "5299", "K", coded)),
        " 2026-03-06T09:00:00Z ?"
    );
}

#[test]
fn a_name_that_fits_two_places_names_neither() {
    let two = "R4*L*UN*USPDX*PORTLAND*US***OR\nR4*D*UN*USPWM*PORTLAND*US***ME";
    assert_eq!(
        place(&file("VD", "", "PORTLAND", "CI", two)),
        " 2026-03-06T09:00:00Z ?"
    );
    assert_eq!(
        place(&file("VD", "", "PORTLAND, OR", "CI", two)),
        "USPDX 2026-03-06T17:00:00Z"
    );
    // One place in two parts is one.
    let one = "R4*D*UN*USOAK*OAKLAND*US***CA\nR4*E*CI*OAKLAND*OAKLAND*US***CA";
    assert_eq!(
        place(&file("UV", "", "OAKLAND", "CI", one)),
        "USOAK 2026-03-06T17:00:00Z"
    );
    let elsewhere = "R4*D*UN*USOAK*OAKLAND*US***CA";
    assert_eq!(
        place(&file("UV", "", "OAKLAND, NJ", "CI", elsewhere)),
        " 2026-03-06T09:00:00Z ?"
    );
}

/// A town that no table has keeps its clock and its part.
#[test]
fn a_town_without_a_code_has_the_clock_and_the_part_of_the_r4_that_repeats_it() {
    let places = "R4*D*UN*USLAX*LOS ANGELES*US***CA\nR4*T*CI*NOWHERE*NOWHERE*US***FL";
    let file = file("UV", "", "NOWHERE", "CI", places);
    assert_eq!(place(&file), " 2026-03-06T14:00:00Z ?");
    assert_eq!(events(&state(&[file])), ["transshipment_discharged "]);
}

/// Found by a tester: a code in the first of B4's two elements for a place was not looked up.
#[test]
fn a_code_in_the_first_element_of_b4_is_looked_up() {
    let oakland = "USOAK 2026-03-06T17:00:00Z";
    for (code, name, list, at) in [
        ("USOAK", "", "", oakland),
        ("USOAK", "", "UN", oakland),
        ("USOAK", "OAKLAND", "UN", oakland),
        ("USOAK", "OAKLAND", "CI", oakland),
        ("2811", "OAKLAND", "D", oakland),
        ("2811", "", "D", oakland),
        ("58023", "BUSAN", "K", "KRPUS 2026-03-06T00:00:00Z"),
        ("USMIA", "MIAMI", "UN", "USMIA 2026-03-06T14:00:00Z"),
        // In no list that is named.
        ("2811", "", "", " 2026-03-06T09:00:00Z ?"),
    ] {
        let file = file("UV", code, name, list, "");
        assert_eq!(place(&file), at, "{code} {name} {list}");
    }
    // The second, which is the one for the list, counts first.
    assert_eq!(place(&file("UV", "USMIA", "USOAK", "UN", "")), oakland);
}

/// Found by a reviewer: the place that B4 repeats told the part and the clock of the one that a reference names.
#[test]
fn part_and_clock_are_those_of_the_place_that_was_chosen() {
    let loading = "N9*ZZ*{}*USLAX
                   R4*L*K*57999*NEW QUAY*CN
                   R4*D*UN*USLAX
                   DTM*372*20260303*0800*LT";
    let told = |code: &str| {
        let file = file(code, "", "57999", "K", &loading.replace("{}", code));
        events(&state(&[file])).join(", ")
    };
    assert_eq!(told("OA"), "full_out USLAX");
    assert_eq!(told("AV"), "available USLAX");
    let named = "N9*ZZ*OA*USGRR\nR4*D*UN*USLAX*LOS ANGELES*US***CA";
    assert_eq!(
        place(&file("OA", "", "USLAX", "UN", named)),
        "USGRR 2026-03-06T09:00:00Z ?"
    );
}

/// Of B4's two elements the code is the place, be the name another's.
#[test]
fn a_name_beside_a_code_that_is_known_tells_no_part() {
    let places = "R4*L*K*57999*NEW QUAY*CN\nR4*D*UN*USLAX\nDTM*372*20260303*0800*LT";
    let file = file("OA", "NEW QUAY", "USLAX", "UN", places);
    assert_eq!(events(&state(&[file])), ["full_out USLAX"]);
}

/// Found by a reviewer: goods that had been landed were said to be ready at their port of loading, and that was not told at all.
#[test]
fn what_b4_calls_ready_at_the_port_of_loading_is_ready_where_it_lies() {
    let told = |code: &str, landed: &str, activity: &str| {
        let places = format!("R4*L*UN*CNSHA\nR4*D*UN*USLAX\n{landed}\n{activity}");
        state(&[file(code, "", "CNSHA", "UN", &places)])
    };
    let landed = "DTM*372*20260303*0800*LT";
    for code in ["AV", "AU"] {
        let ready = told(code, landed, "");
        assert_eq!(ready.pickup.available, Some(true), "{code}");
        assert_eq!(events(&ready), ["available "]);
        // Goods are collected at their shipper's, too.
        assert_eq!(told(code, "", "").pickup.available, None, "{code}");
        let there = told(code, landed, "R4*5*UN*CNSHA");
        assert_eq!(there.pickup.available, None, "{code}");
    }
}
