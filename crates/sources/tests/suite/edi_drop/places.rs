//! Where a thing happened, when a message names other places beside it, or one that no table has.

use domain::report::{Doubt, Report, Value, Verb};
use sources::edi_drop::parse;

use super::ways::{events, state};
use super::{edifact_file, profile, read, received_at, x12_file};
use crate::told::gazetteer;

/// The claims of a file with this word of the source.
fn said(file: &[u8], original: &str) -> Vec<Report> {
    let reports = read(file, &gazetteer()).reports.into_iter();
    reports
        .map(|located| located.report)
        .filter(|report| report.original == original)
        .collect()
}

/// Port, name, instant, and whether the place is in doubt.
fn place(report: &Report) -> (String, &str, String, bool) {
    let place = &report.place;
    (
        place
            .locode
            .map_or_else(String::new, |port| port.to_string()),
        place.name.as_deref().unwrap_or_default(),
        report.occurred.as_ref().unwrap().at.to_string(),
        report.doubts.contains(&Doubt::PlaceUnknown),
    )
}

/// A 315 whose B4 names the port of loading, as many do whatever happened.
pub(super) fn of_shanghai(code: &str, places: &str) -> Vec<u8> {
    x12_file(
        "315",
        &format!(
            "B4***{code}*20260306*0900**QSDU*200011*L*45G1*CNSHA*UN*1
             N9*BM*QSEB400
             R4*L*UN*CNSHA*SHANGHAI*CN
             {places}"
        ),
    )
}

/// Found by a reviewer: what happened in a town without a code was said of the port of loading.
#[test]
fn a_town_that_no_table_has_is_not_the_port_that_b4_names() {
    let at = |code: &str, places: &str| {
        let reports = said(&of_shanghai(code, places), &format!("315/{code}"));
        let (port, name, at, unknown) = place(&reports[0]);
        format!("{port} {name} {at} {unknown}")
    };
    assert_eq!(
        at("UV", "R4*5*D*5299*NOWHERE, FL*US***FL"),
        " NOWHERE, FL 2026-03-06T14:00:00Z true"
    );
    assert_eq!(
        at("OA", "R4*5*CI*WALTON*WALTON*US***KY"),
        " WALTON 2026-03-06T14:00:00Z true"
    );
    assert_eq!(
        at("OA", "R4*5***WALTON*US***KY"),
        " WALTON 2026-03-06T14:00:00Z true",
        "by its country"
    );
    // The same place elsewhere in the message, told better.
    let better = "R4*D*D*5299*MIAMI*US***FL\nR4*5*D*5299*MIAMI, FL";
    assert_eq!(
        at("UV", better),
        "USMIA MIAMI, FL 2026-03-06T14:00:00Z false"
    );
    // A reference that stands beside the code of the status is about no other place.
    let named = "N9*ZZ*UV*USMIA\nR4*5*D*5299*MIAMI, FL*US***FL";
    assert_eq!(
        at("UV", named),
        "USMIA MIAMI, FL 2026-03-06T14:00:00Z false"
    );
    // A code of the terminal's own says no town.
    assert_eq!(
        at("AE", "R4*5*ZZ*YSA4*YARD FOUR"),
        "CNSHA YARD FOUR 2026-03-06T01:00:00Z false"
    );
    // Nor is a port of loading another one than B4's for having a code that no table has.
    let loading = "R4*L*K*57999*NEW QUAY*CN\nR4*5*K*57999*NEW QUAY*CN";
    assert_eq!(
        at("AE", loading),
        "CNSHA NEW QUAY 2026-03-06T01:00:00Z false"
    );
    assert_eq!(
        at("AE", "R4*5*ZZ*YSA4*YARD FOUR*CN"),
        "CNSHA YARD FOUR 2026-03-06T01:00:00Z false"
    );
}

/// What a day is depends on where it is, and the moment of the same status has its clock by the state.
#[test]
fn a_last_free_day_in_a_town_that_no_table_has_is_one_of_its_state() {
    let day = |state: &str| {
        let body = format!(
            "B4***NF*20260331*0000**QSDU*200011*L*45G1*CNSHA*UN*1
             N9*BM*QSEB400
             R4*L*UN*CNSHA*SHANGHAI*CN
             R4*5*CI*WALTON*WALTON*US***{state}"
        );
        let reports = said(&x12_file("315", &body), "315/NF");
        match reports[0].value.clone() {
            Some(Value::LastFreeDay(_, day)) => (day.date.to_string(), day.zone),
            other => panic!("{other:?}"),
        }
    };
    let chicago = Some("America/Chicago".to_owned());
    assert_eq!(day("IL"), ("2026-03-31".to_owned(), chicago));
    assert_eq!(day("KY").1, None, "of two clocks");
}

#[test]
fn a_hub_that_no_table_has_is_not_the_end_of_the_way() {
    let file = |code: &str, end: &str| {
        let places = format!("R4*D*UN*{end}\nR4*5*K*99999*NOWHERE*PA");
        events(&state(&[of_shanghai(code, &places)]))
    };
    assert_eq!(file("UV", "USLAX"), ["transshipment_discharged "]);
    assert_eq!(file("UV", "PACTB"), ["vessel_discharged "]);
    // Two ports of one name are two.
    let places = "R4*D*UN*USPDX*PORTLAND*US\nR4*5*UN*USPWM*PORTLAND*US";
    let portland = events(&state(&[of_shanghai("UV", places)]));
    assert_eq!(portland, ["transshipment_discharged USPWM"]);
}

/// Found by a reviewer: a gate inland was told of the port of discharge.
#[test]
fn a_gate_is_at_the_port_of_discharge_only_if_its_terminal_is_there() {
    let gate = |terminal: &str, port: &str| {
        let gate = format!(
            "BGM+36+G600+9
             EQD+CN+QSDU2000111+45G1:102:5++3+5
             DTM+7:202603100930:203
             LOC+165+{terminal}:TER:ZZZ
             LOC+11+{port}:139:6"
        );
        let file = edifact_file("CODECO", &gate);
        let report = said(&file, "CODECO/36").remove(0);
        let unsure = report.doubts.contains(&Doubt::ZoneUnknown);
        let (port, _, at, unknown) = place(&report);
        (
            format!("{port} {at}"),
            unknown,
            unsure,
            events(&state(&[file])).join(""),
        )
    };
    let out = |told: &str, doubt, event: &str| (told.to_owned(), doubt, doubt, event.to_owned());
    assert_eq!(
        gate("TRAP", "USLAX"),
        out("USLAX 2026-03-10T16:30:00Z", false, "full_out USLAX")
    );
    // The clock of the port is nearer than none.
    assert_eq!(
        gate("DUSDIT", "NLRTM"),
        out(" 2026-03-10T08:30:00Z", true, "full_out ")
    );
}

fn arrived(at: &str, end: &str) -> Vec<u8> {
    let places = format!(
        "R4*D*UN*USLAX
         DTM*372*20260303*0800*LT
         R4*E*UN*{end}
         DTM*139*20260306*1200*LT
         R4*5*UN*{at}"
    );
    of_shanghai("A", &places)
}

/// Found by a reviewer: a box that reached a dry port was taken for delivered.
#[test]
fn a_box_that_arrives_where_it_goes_is_not_delivered_by_that() {
    let of = |end: &str| {
        let all = events(&state(&[arrived(end, end)]));
        all.into_iter()
            .filter(|event| event.ends_with(end))
            .collect::<Vec<_>>()
    };
    for end in ["SARUH", "DEDUI", "INTKD"] {
        let told = ["rail_arrived", "arrived_at_inland_destination"];
        assert_eq!(of(end), told.map(|event| format!("{event} {end}")));
    }
    // Of a place that is in no table nobody knows what comes there.
    for end in ["USGRR", "USNYC"] {
        assert_eq!(of(end), Vec::<String>::new(), "{end}");
        let claims = said(&arrived(end, end), "315/A");
        assert!(claims.iter().all(|claim| claim.verb == Verb::Document));
    }
}

#[test]
fn what_a_vessel_is_said_to_do_inland_a_train_did() {
    let file = of_shanghai("UV", "R4*D*UN*NLRTM\nR4*E*UN*DEDUI\nR4*5*UN*DEDUI");
    assert_eq!(events(&state(&[file])), ["rail_unloaded DEDUI"]);
}

/// Found by a reviewer: the place of departure was taken for that of the arrival.
#[test]
fn what_arrives_did_not_do_so_at_the_place_of_departure() {
    let status = |code: &str, places: &[&str]| {
        let places = places.join(":139:6\n");
        let status = format!(
            "BGM+23+Q1+9
             CNI+1+QSEB400
             STS+1+{code}:8:6
             DTM+334:202603060800:203
             {places}:139:6
             TDT+20+012E+1++MSC:172:20+++9321483:146::MSC OSCAR
             EQD+CN+QSDU2000111+45G1:102:5+++5"
        );
        events(&state(&[edifact_file("IFTSTA", &status)])).join(", ")
    };
    let both = ["LOC+5+CNSHA", "LOC+11+USLAX"];
    assert_eq!(status("1", &both), "vessel_arrived USLAX");
    assert_eq!(status("29", &both), "vessel_discharged USLAX");
    assert_eq!(
        status("1", &["LOC+5+CNSHA", "LOC+8+USLAX"]),
        "vessel_arrived "
    );
    assert_eq!(status("48", &["LOC+5+CNSHA"]), "vessel_loaded CNSHA");
    assert_eq!(status("24", &["LOC+5+CNSHA"]), "vessel_departed CNSHA");
    let loaded = ["LOC+5+CNNGB", "LOC+9+CNSHA"];
    assert_eq!(status("24", &loaded), "vessel_departed CNSHA");
}

/// Ramps bear the names of their towns, and a town's name was taken for its ramp.
#[test]
fn the_name_of_a_town_names_no_terminal() {
    let file = |port: &str, name: &str| {
        let places = format!("R4*D*UN*{port}\nR4*5*UN*{port}*{name}");
        of_shanghai("UV", &places)
    };
    let terminal = |port: &str, name: &str| {
        let report = said(&file(port, name), "315/UV").remove(0);
        report.place.facility_code
    };
    for (port, name) in [
        ("USSAV", "SAVANNAH"),
        ("USSAV", "SAVANNAH, GA"),
        ("USOAK", "OAKLAND"),
        ("USBAL", "PORT OF BALTIMORE"),
        ("USMEM", "MEMPHIS"),
    ] {
        assert_eq!(terminal(port, name), None, "{port} {name}");
    }
    let told = state(&[file("USSAV", "SAVANNAH")]);
    assert_eq!(events(&told), ["vessel_discharged USSAV"]);
    assert!(told.milestones.iter().all(|told| told.terminal.is_none()));
    let by_name = terminal("USSAV", "GARDEN CITY TERMINAL");
    assert_eq!(by_name.as_deref(), Some("GCMT"));
}

/// A terminal may be called like the town in which it stands.
#[test]
fn a_terminal_in_a_town_of_the_harbour_is_found_by_its_name() {
    let told = said(
        &of_shanghai("UV", "R4*5*UN*USHOU*HOUSTON*US*BARBOURS CUT**TX"),
        "315/UV",
    );
    assert_eq!(told[0].place.facility_code.as_deref(), Some("BCMT"));
}

/// Found by a tester: a depot of Mexico was told to lie in Venezuela, with the clock of Caracas, and no doubt.
#[test]
fn a_code_of_a_depot_is_no_place_of_another_country() {
    let gate = |code: &str| {
        let file = edifact_file(
            "CODECO",
            &format!(
                "BGM+34+1+9
                 LOC+165+{code}:139:6+QSD YARD:TER:ZZZ
                 EQD+CN+QSDU2000111+45G1:102:5++3+4
                 DTM+7:202603100710:203
                 TDT+1++3"
            ),
        );
        let reports = read(&file, &gazetteer()).reports;
        let report = &reports[0].report;
        let occurred = report.occurred.as_ref().unwrap();
        let doubted = report.doubts.contains(&Doubt::ZoneUnknown);
        (place(report).0, occurred.at.to_string(), doubted)
    };
    let told = |port: &str, at: &str, doubted| (port.to_owned(), at.to_owned(), doubted);
    // No UN/LOCODE has these digits.
    assert_eq!(gate("VEQ07"), told("", "2026-03-10T07:10:00Z", true));
    assert_eq!(gate("VEQ10"), told("", "2026-03-10T07:10:00Z", true));
    // One may have these, and more codes of depots do: the hours of its country are nearer than none, and not sure.
    assert_eq!(gate("VEQ27"), told("VEQ27", "2026-03-10T11:10:00Z", true));
    assert_eq!(gate("VEQQQ"), told("VEQQQ", "2026-03-10T11:10:00Z", false));
}

/// Of a place in no table its sender's clock goes before that of its country.
#[test]
fn a_zone_of_the_profile_goes_before_that_of_the_country() {
    let file = of_shanghai("UV", "R4*5*UN*TRQQQ*NOWHERE*TR");
    let at = |quirks: &str| {
        let parsed = parse(&profile(quirks), &file, received_at(), &gazetteer());
        let report = parsed.reports.into_iter().map(|located| located.report);
        let mut report = report.filter(|report| report.original == "315/UV");
        report.next().unwrap().occurred.unwrap().at.to_string()
    };
    assert_eq!(at(""), "2026-03-06T06:00:00Z");
    assert_eq!(
        at("[quirks]\nzone = \"Asia/Seoul\""),
        "2026-03-06T00:00:00Z"
    );
}

/// Found by a reviewer: the day was one of the sender's clock, and bore the name of the country's.
#[test]
fn a_last_free_day_and_its_zone_are_of_one_clock() {
    let file = of_shanghai("NF", "R4*5*UN*TRQQQ*NOWHERE*TR");
    let zone = |quirks: &str| {
        let parsed = parse(&profile(quirks), &file, received_at(), &gazetteer());
        let mut values = parsed.reports.into_iter().map(|l| l.report.value);
        match values.find_map(|value| value).unwrap() {
            Value::LastFreeDay(_, day) => day.zone.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(zone(""), "Europe/Istanbul");
    assert_eq!(zone("[quirks]\nzone = \"Asia/Seoul\""), "Asia/Seoul");
}

/// A port of the tables has its own clock, whatever the sender's; so has one in a country of many.
#[test]
fn a_feeder_port_has_the_clock_of_its_zone() {
    let at = |stop: &str| {
        let file = of_shanghai("UV", &format!("R4*5*UN*{stop}"));
        let seoul = profile("[quirks]\nzone = \"Asia/Seoul\"");
        let parsed = parse(&seoul, &file, received_at(), &gazetteer());
        let mut reports = parsed.reports.into_iter().map(|located| located.report);
        let report = reports.find(|report| report.original == "315/UV").unwrap();
        let (_, _, at, is_doubted) = place(&report);
        assert!(!is_doubted, "{stop}");
        at
    };
    for (stop, instant) in [
        ("ITTAR*TARANTO*IT", "2026-03-06T08:00:00Z"),
        ("PTPDL*PONTA DELGADA*PT", "2026-03-06T10:00:00Z"),
        ("IDBPN*BALIKPAPAN*ID", "2026-03-06T01:00:00Z"),
        ("AUNTL*NEWCASTLE*AU", "2026-03-05T22:00:00Z"),
    ] {
        assert_eq!(at(stop), instant, "{stop}");
    }
}

/// That the tables have one port of a name makes it no port of another country, nor the only town of the name in its own.
#[test]
fn a_name_that_many_towns_bear_is_believed_with_its_country_only() {
    let port = |town: &str| {
        let (name, country) = town.split_once(", ").unwrap_or((town, ""));
        let (country, state) = country.split_once('-').unwrap_or((country, ""));
        let file = of_shanghai("UV", &format!("R4*5*CI*{name}*{name}*{country}***{state}"));
        place(&said(&file, "315/UV")[0]).0
    };
    for (town, code) in [
        ("NEWCASTLE, AU", "AUNTL"),
        ("NEWCASTLE, GB", ""),
        ("NEWCASTLE", ""),
        ("CARTAGENA, ES", "ESCAR"),
        ("CARTAGENA, CO", "COCTG"),
        ("CARTAGENA", ""),
        ("TRIPOLI, LB", "LBKYE"),
        ("TRIPOLI, LY", "LYTIP"),
        ("HAMILTON, BM", "BMBDA"),
        ("HAMILTON, NZ", "NZHLZ"),
        ("HAMILTON, CA-ON", "CAHAM"),
        ("HAMILTON, CA", ""),
        ("HAMILTON", ""),
        ("MANZANILLO, DO", "DOMAN"),
        ("MANZANILLO, MX", "MXZLO"),
        ("PORTLAND, US-ME", "USPWM"),
        ("PORTLAND, US", ""),
        ("SAN FERNANDO, PH", ""),
        // Two of each are ports: the tables call them by their provinces, too.
        ("JIANGYIN, CN", ""),
        ("TAIZHOU, CN", ""),
        ("SENDAI, JP", "JPSDJ"),
    ] {
        assert_eq!(port(town), code, "{town}");
    }
}

/// A short segment asks for a claim of its own each time.
#[test]
fn a_315_makes_no_more_claims_than_any_message() {
    let statuses = "SG*AV*BM*UN*20260306*0900\n".repeat(60_000);
    // Found by a reviewer: the dates of a place were not counted.
    let dates = format!(
        "R4*D*UN*USLAX\n{}",
        "DTM*139*20260320*0900\n".repeat(60_000)
    );
    for many in [statuses, dates] {
        let parsed = read(&of_shanghai("UV", &many), &gazetteer());
        assert!(parsed.reports.len() <= 50_000, "{}", parsed.reports.len());
        assert_eq!(parsed.defects.len(), 1);
    }
    let train = format!(
        "Q5*RL*20260310*1104*LT**SAINT PAUL*MN*US
         N7*QSDU*2000111*43459*G*******CN
         {}
         R4*7*UN*USCHI",
        "DTM*371*20260320*0900\n".repeat(60_000)
    );
    let parsed = read(&x12_file("322", &train), &gazetteer());
    assert!(parsed.reports.len() <= 50_000, "{}", parsed.reports.len());
    assert_eq!(parsed.defects.len(), 1);
}

/// Found by a reviewer: a name was the one town of it that the tables have.
#[test]
fn a_town_of_north_america_without_its_state_is_none_unless_everybody_knows_it() {
    let port = |places: &str| {
        let report = said(&of_shanghai("UV", places), "315/UV").remove(0);
        place(&report).0
    };
    let town = |name: &str, rest: &str| port(&format!("R4*5*CI*{name}*{name}*{rest}"));
    for name in ["PORTLAND", "NEWARK", "WILMINGTON", "GAINESVILLE", "VENICE"] {
        assert_eq!(town(name, "US"), "", "{name}");
    }
    for (name, rest, found) in [
        ("PORTLAND", "US***OR", "USPDX"),
        ("NEWARK", "US***NJ", "USNYC"),
        ("LOS ANGELES", "US", "USLAX"),
        ("NEW YORK", "USA", "USNYC"),
        ("CHICAGO", "US", "USCHI"),
        ("VANCOUVER", "CA", "CAVAN"),
        ("SANTOS", "BR", "BRSSZ"),
    ] {
        assert_eq!(town(name, rest), found, "{name}");
    }
}

/// Puerto Rico is a state to some, and a country of its own in codes.
#[test]
fn a_territory_is_a_state_or_a_country() {
    let port = |places: &str| {
        let report = said(&of_shanghai("UV", places), "315/UV").remove(0);
        place(&report).0
    };
    for told in ["US***PR", "USA***PR", "PR", "PRI"] {
        assert_eq!(port(&format!("R4*5*CI*SAN JUAN*SAN JUAN*{told}")), "PRSJU");
    }
    let twin = "R4*D*UN*PRSJU*SAN JUAN*US\nR4*5*ZZ*YSA4*SAN JUAN*US***PR";
    assert_eq!(port(twin), "PRSJU");
}
