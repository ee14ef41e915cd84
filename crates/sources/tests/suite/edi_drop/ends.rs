//! Which of the ports that a 315 names is the one where the sea ends.

use super::places::of_shanghai;
use super::ways::{events, state};

fn told(code: &str, places: &str) -> String {
    events(&state(&[of_shanghai(code, places)])).join(", ")
}

/// Found by a reviewer: a word behind the name of a town made two places of one.
#[test]
fn a_country_of_three_letters_and_a_state_abroad_make_no_other_place() {
    let at = |port: &str, town: &str, country: &str| {
        told(
            "UV",
            &format!("R4*D*UN*{port}*{town}*{country}\nR4*5*ZZ*BCT*{town}*{country}"),
        )
    };
    for (port, town, country) in [
        ("USHOU", "HOUSTON, TX", "USA"),
        ("INMAA", "CHENNAI, TN", "IN"),
        ("INMAA", "CHENNAI, TN", "IND"),
        ("MXVER", "VERACRUZ, VE", "MX"),
        ("AUSYD", "SYDNEY, NSW", "AU"),
        ("USHOU", "HOUSTON, XX", "US"),
    ] {
        assert_eq!(at(port, town, country), format!("vessel_discharged {port}"));
    }
}

/// Found by a reviewer: half of the port of New York lies in New Jersey, and that spoke against it.
#[test]
fn a_port_in_two_states_is_one() {
    let final_port = "R4*D*UN*USNYC*NEW YORK*US***NY
                      R4*1*ZZ*PNCT*PNCT TERMINAL*US***NJ
                      R4*5*UN*USNYC";
    assert_eq!(told("UV", final_port), "vessel_discharged USNYC");
    let by_b4 = |list: &str, code: &str| {
        let file = String::from_utf8(of_shanghai(
            "UV",
            "R4*D*D*4601*NEWARK*US***NJ\nR4*5*ZZ*MAHER*MAHER TERMINAL*US***NJ",
        ));
        let file = file
            .unwrap()
            .replace("*CNSHA*UN*1~", &format!("*{code}*{list}*1~"));
        events(&state(&[file.into_bytes()])).join(", ")
    };
    assert_eq!(by_b4("D", "4601"), "vessel_discharged USNYC");
    assert_eq!(by_b4("UN", "USNYC"), "vessel_discharged USNYC");
    // Pennsylvania is neither.
    let elsewhere = "R4*D*UN*USNYC\nR4*5*ZZ*YSA4*YARD FOUR*US***PA";
    assert_eq!(told("UV", elsewhere), "transshipment_discharged ");
}

/// Found by a reviewer: an inland town that one line calls the final port made a relay of the port of discharge.
#[test]
fn a_port_is_a_relay_only_to_a_seaport_or_to_another_country() {
    let to = |end: &str| {
        told(
            "UV",
            &format!("R4*D*UN*USHOU*HOUSTON*US***TX\nR4*1*{end}\nR4*5*UN*USHOU"),
        )
    };
    assert_eq!(to("CI*EL RENO*EL RENO*US***OK"), "vessel_discharged USHOU");
    assert_eq!(to("UN*USLAX"), "transshipment_discharged USHOU");
    for abroad in ["K*99999*NOWHERE*PA", "K*99999*NOWHERE*PAN"] {
        assert_eq!(to(abroad), "transshipment_discharged USHOU", "{abroad}");
    }
}

/// The bill ends over the sea, and the ship of this leg before it.
#[test]
fn a_port_of_the_bill_overseas_makes_a_relay_of_the_port_of_discharge() {
    let at = |here: &str, places: &str| told("UV", &format!("{places}\nR4*5*UN*{here}"));
    let overseas = "R4*D*UN*KRPUS\nR4*K*UN*USLAX";
    assert_eq!(at("KRPUS", overseas), "transshipment_discharged KRPUS");
    assert_eq!(at("USLAX", overseas), "vessel_discharged USLAX");
    // Whether D lies before K is not known without a port of loading, nor where K is the nearer one.
    let reverse = "R4*D*UN*USLAX\nR4*K*UN*KRPUS";
    assert_eq!(at("USLAX", reverse), "vessel_discharged USLAX");
    // Of neighbours, and of two ports of one country, the bill is the older word.
    for (here, of_bill) in [("BEANR", "NLRTM"), ("USOAK", "USLAX")] {
        let places = format!("R4*D*UN*{here}\nR4*K*UN*{of_bill}");
        assert_eq!(at(here, &places), format!("vessel_discharged {here}"));
    }
}
