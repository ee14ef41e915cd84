//! Where a message says that the box goes, and what follows for the ports on its way.

use domain::codes::ContainerNumber;
use domain::container::{ContainerState, CurrentStatus};
use domain::report::{Mode, MoveHint, Report, Verb};
use domain::timeline::container_state;
use domain::trust::Trust;
use sources::edi_drop::parse;

use super::{edifact_file, profile, read, received_at, x12_file};
use crate::told::gazetteer;

/// The state after these files.
pub(super) fn state(files: &[Vec<u8>]) -> ContainerState {
    let gazetteer = gazetteer();
    let reports: Vec<Report> = files
        .iter()
        .flat_map(|file| read(file, &gazetteer).reports)
        .map(|located| located.report)
        .collect();
    state_of(&reports)
}

pub(super) fn state_of(reports: &[Report]) -> ContainerState {
    let number = ContainerNumber::from_feed("QSDU2000111").unwrap().0;
    container_state(number, reports, &gazetteer(), Trust::USUAL, received_at())
}

pub(super) fn events(state: &ContainerState) -> Vec<String> {
    let told = state.milestones.iter().map(|milestone| {
        let event = milestone.slot.event.as_str();
        let place = milestone.slot.place.map(|place| place.to_string());
        format!(
            "{} {}",
            event.trim_start_matches("container.transport."),
            place.unwrap_or_default()
        )
    });
    told.collect()
}

/// Event, place, month and day.
pub(super) fn estimates(state: &ContainerState) -> Vec<String> {
    let told = state.estimates.iter().map(|estimate| {
        let event = estimate.event.as_str();
        let place = estimate.locode.map(|place| place.to_string());
        format!(
            "{} {} {}",
            event.trim_start_matches("container.transport.estimated."),
            place.unwrap_or_default(),
            &estimate.at.to_string()[5..10]
        )
    });
    told.collect()
}

fn status(code: &str, day: &str, here: &str, end: &str) -> Vec<u8> {
    x12_file(
        "315",
        &format!(
            "B4***{code}*{day}*0800**QSDU*200011*L*45G1*{here}*UN*1
             N9*BM*QSEB400
             R4*L*UN*CNSHA*SHANGHAI*CN
             R4*D*UN*{end}
             R4*5*UN*{here}"
        ),
    )
}

#[test]
fn a_port_before_the_one_that_a_315_names_as_the_end_is_no_arrival() {
    let mut files = vec![
        status("AE", "20260301", "CNSHA", "USLAX"),
        status("VD", "20260302", "CNSHA", "USLAX"),
        status("VA", "20260305", "KRPUS", "USLAX"),
        status("UV", "20260306", "KRPUS", "USLAX"),
    ];
    let at_the_hub = state(&files);
    let told = [
        "vessel_loaded CNSHA",
        "vessel_departed CNSHA",
        "transshipment_arrived KRPUS",
        "transshipment_discharged KRPUS",
    ];
    assert_eq!(events(&at_the_hub), told);
    assert_eq!(at_the_hub.status, CurrentStatus::OnShip);
    assert_eq!(at_the_hub.journey.port_of_discharge, None);
    files.extend([
        status("AE", "20260307", "KRPUS", "USLAX"),
        status("VA", "20260314", "USLAX", "USLAX"),
    ]);
    let landed = state(&files);
    let more = ["transshipment_loaded KRPUS", "vessel_arrived USLAX"];
    assert_eq!(events(&landed), [&told[..], &more].concat());
}

#[test]
fn a_neighbour_of_the_port_of_discharge_is_an_arrival() {
    let files = [
        status("VD", "20260302", "CNSHA", "USLAX"),
        status("UV", "20260314", "USLGB", "USLAX"),
    ];
    assert_eq!(
        events(&state(&files)),
        ["vessel_departed CNSHA", "vessel_discharged USLGB"]
    );
}

/// Found by a reviewer: inland places outside North America counted as seaports.
#[test]
fn an_end_that_no_ship_reaches_makes_no_hub_of_the_port_before_it() {
    for (port, end) in [
        ("INNSA", "INTKD"),
        ("THLCH", "THLKR"),
        ("FRLEH", "FRPAR"),
        ("NLRTM", "DEDUI"),
        ("NLRTM", "CHBSL"),
    ] {
        let files = [
            status("VD", "20260302", "CNSHA", end),
            status("UV", "20260314", port, end),
        ];
        let told = [
            "vessel_departed CNSHA".to_owned(),
            format!("vessel_discharged {port}"),
        ];
        assert_eq!(events(&state(&files)), told);
    }
}

/// Found by a reviewer: each call of the ship was a transshipment.
#[test]
fn a_call_on_the_way_to_the_end_is_no_transshipment() {
    let files = [
        status("VD", "20260302", "CNSHA", "USLAX"),
        status("VA", "20260305", "KRPUS", "USLAX"),
    ];
    assert_eq!(events(&state(&files)), ["vessel_departed CNSHA"]);
    assert_eq!(state(&files).journey.port_of_discharge, None);
}

#[test]
fn a_port_before_the_one_that_an_iftsta_names_as_the_end_is_no_arrival() {
    let status = |code: &str, here: &str| {
        edifact_file(
            "IFTSTA",
            &format!(
                "BGM+23+Q1+9
                 DTM+137:202603060900:203
                 CNI+1+QSEB400
                 STS+1+{code}:8:6
                 RFF+BM:QSEB400
                 DTM+334:202603060800:203
                 LOC+175+{here}:139:6
                 LOC+9+CNSHA:139:6
                 LOC+11+USLAX:139:6
                 LOC+7+USCHI:139:6
                 TDT+20+012E+1++MSC:172:20+++9321483:146::MSC OSCAR
                 LOC+9+CNSHA:139:6
                 LOC+11+USLAX:139:6
                 EQD+CN+QSDU2000111+45G1:102:5+++5"
            ),
        )
    };
    assert_eq!(
        events(&state(&[status("1", "KRPUS"), status("29", "KRPUS")])),
        [
            "transshipment_arrived KRPUS",
            "transshipment_discharged KRPUS"
        ]
    );
    assert_eq!(
        events(&state(&[status("29", "USLAX")])),
        ["vessel_discharged USLAX"]
    );
}

#[test]
fn a_terminal_that_names_the_end_beside_its_own_port_discharges_in_transshipment() {
    let list = |here: &str| {
        let list = format!(
            "BGM+44+Q2+9
             TDT+20+012E+1++MSC:172:20+++9321483:146::MSC OSCAR
             {here}
             EQD+CN+QSDU2000111+45G1:102:5+++5
             DTM+203:202603060800:203
             LOC+11+USLAX:139:6"
        );
        events(&state(&[edifact_file("COARRI", &list)]))
    };
    assert_eq!(
        list("LOC+175+KRPUS:139:6"),
        ["transshipment_discharged KRPUS"]
    );
    assert_eq!(list("LOC+175+USLAX:139:6"), ["vessel_discharged USLAX"]);
    assert_eq!(list(""), ["vessel_discharged USLAX"]);
    // Found by a tester: the terminal that reports was not heard where the box names another port.
    assert_eq!(
        list("LOC+165+KRPUS:139:6+PNC"),
        ["transshipment_discharged KRPUS"]
    );
    assert_eq!(list("LOC+165+USLGB:139:6"), ["vessel_discharged USLAX"]);
    assert_eq!(list("LOC+165+PNC:TER:ZZZ"), ["vessel_discharged USLAX"]);
}

/// Found by a reviewer: a terminal that writes its port by a code of no table discharged in transshipment.
#[test]
fn a_code_of_no_table_in_the_country_of_the_end_is_the_end_by_another_name() {
    let list = |here: &str, status: &str, end: &str| {
        let list = format!(
            "BGM+44+Q2+9
             TDT+20+012E+1++MSC:172:20+++9321483:146::MSC OSCAR
             {here}
             EQD+CN+QSDU2000111+45G1:102:5++{status}+5
             DTM+203:202603060800:203
             LOC+11+{end}:139:6"
        );
        let file = edifact_file("COARRI", &list);
        let place = read(&file, &gazetteer()).reports[0].report.place.clone();
        let terminal = place.facility_code.unwrap_or_default();
        format!("{} {terminal}", events(&state(&[file])).join(", "))
    };
    for function in ["165", "175"] {
        for (here, end) in [("THLMC", "THLCH"), ("CNYSN", "CNSHA"), ("DEBRH", "DEBRV")] {
            let told = list(&format!("LOC+{function}+{here}:139:6+LCIT"), "3", end);
            assert_eq!(told, format!("vessel_discharged {end} LCIT"), "{function}");
        }
        let here = format!("LOC+{function}+THLMC:139:6");
        assert_eq!(list(&here, "6", "THLCH"), "transshipment_discharged THLMC ");
        // A country needs no table.
        let abroad = list(&here, "3", "USLAX");
        assert_eq!(abroad, "transshipment_discharged THLMC ");
    }
}

/// Found by a reviewer: a landing was told of the town inland that the list names as the port of discharge.
#[test]
fn no_ship_lands_at_a_place_inland_where_the_list_names_a_seaport() {
    let list = |bgm: &str, mode: &str, here: &str, end: &str| {
        let list = format!(
            "BGM+{bgm}+Q2+9
             TDT+20+012E+{mode}++MSC:172:20+++9321483:146::MSC OSCAR
             {here}:139:6
             EQD+CN+QSDU2000111+45G1:102:5++3+5
             DTM+203:202603060800:203
             {end}:139:6"
        );
        let file = edifact_file("COARRI", &list);
        let report = read(&file, &gazetteer()).reports.remove(0).report;
        let at = report.occurred.unwrap().at;
        format!("{} {at}", events(&state(&[file])).join(", "))
    };
    for function in ["165", "175"] {
        let here = format!("LOC+{function}+USLAX");
        assert_eq!(
            list("44", "1", &here, "LOC+11+USCHI"),
            "vessel_discharged USLAX 2026-03-06T16:00:00Z"
        );
        assert_eq!(
            list("46", "1", &here, "LOC+9+USCHI"),
            "vessel_loaded USLAX 2026-03-06T16:00:00Z"
        );
    }
    // A barge comes to the place inland, and who reports it may sit in the port.
    let barge = list("44", "8", "LOC+165+NLRTM", "LOC+11+DEDUI");
    assert!(barge.contains("DEDUI"), "{barge}");
    // Two ports of one coast: a landing at the wrong one is the worse fault.
    let coast = list("44", "1", "LOC+165+USOAK", "LOC+11+USLAX");
    assert!(
        coast.starts_with("transshipment_discharged USOAK"),
        "{coast}"
    );
}

#[test]
fn a_lift_is_where_the_terminal_of_the_list_stands_and_that_of_the_box_before_it() {
    let lift = |code: &str, status: &str, heading: &str, of_box: &str| {
        let list = format!(
            "BGM+{code}+Q2+9
             TDT+20+012E+1++MSC:172:20+++9321483:146::MSC OSCAR
             {heading}
             EQD+CN+QSDU2000111+45G1:102:5++{status}+5
             DTM+203:202603060800:203
             LOC+9+CNSHA:139:6
             LOC+11+USLAX:139:6
             {of_box}"
        );
        let parsed = read(&edifact_file("COARRI", &list), &gazetteer());
        let place = &parsed.reports[0].report.place;
        let terminal = place.facility_code.clone().unwrap_or_default();
        format!("{} {terminal}", place.locode.unwrap())
    };
    let (busan, tokyo) = ("LOC+165+KRPUS:139:6+PNC:TER:ZZZ", "LOC+165+JPTYO:139:6");
    for (code, status) in [("44", "6"), ("44", "3"), ("46", "6")] {
        assert_eq!(lift(code, status, busan, ""), "KRPUS PNC");
        assert_eq!(lift(code, status, "", busan), "KRPUS PNC");
        assert_eq!(lift(code, status, tokyo, busan), "KRPUS PNC");
        let other = "LOC+175+JPTYO:139:6";
        assert_eq!(lift(code, status, other, busan), "KRPUS PNC");
        assert_eq!(lift(code, status, busan, other), "JPTYO ");
        assert_eq!(
            lift(code, status, &format!("{busan}\n{other}"), ""),
            "JPTYO "
        );
    }
    // A load that is none in transshipment is at the port of loading.
    assert_eq!(lift("46", "2", busan, ""), "CNSHA ");
}

/// Found by a reviewer: the trade status of the box hid that it was lifted at another port.
#[test]
fn what_a_list_says_of_the_trade_moves_no_lift_to_another_port() {
    let list = |code: &str, status: &str, activity: &str| {
        let list = format!(
            "BGM+{code}+Q2+9
             TDT+20+012E+1++MSC:172:20+++9321483:146::MSC OSCAR
             LOC+175+{activity}:139:6
             EQD+CN+QSDU2000111+45G1:102:5++{status}+5
             LOC+9+CNSHA:139:6
             LOC+11+USLAX:139:6
             DTM+203:202603060800:203"
        );
        let plan = planned(
            "20260301",
            "",
            ("VD", "20260301", "CNSHA"),
            ("USLAX", "20260313"),
        );
        let all = events(&state(&[plan, edifact_file("COARRI", &list)]));
        assert_eq!(all[0], "vessel_departed CNSHA");
        all[1..].join(", ")
    };
    for status in ["", "2", "3", "6"] {
        let at_the_hub = list("98", status, "SGSIN");
        assert_eq!(at_the_hub, "transshipment_discharged SGSIN", "{status:?}");
    }
    assert_eq!(list("98", "5", "SGSIN"), "");
    assert_eq!(list("98", "3", "USLAX"), "vessel_discharged USLAX");
    assert_eq!(list("98", "3", "USLGB"), "vessel_discharged USLAX");
    assert_eq!(list("270", "6", "SGSIN"), "transshipment_loaded SGSIN");
}

/// A plan with its dates; `vessel` is a Q2, or nothing.
fn planned(stamp: &str, vessel: &str, status: (&str, &str, &str), end: (&str, &str)) -> Vec<u8> {
    let ((code, day, here), (port, eta)) = (status, end);
    let set = x12_file(
        "315",
        &format!(
            "B4***{code}*{day}*0800**QSDU*200011*L*45G1*{here}*UN*1
             N9*BM*QSEB401
             {vessel}
             R4*L*UN*CNSHA*SHANGHAI*CN
             DTM*139*20260301*0800*LT
             R4*D*UN*{port}
             DTM*139*{eta}*0800*LT
             R4*5*UN*{here}"
        ),
    );
    let text = String::from_utf8(set).unwrap();
    let text = text.replace("*260314*0600*", &format!("*{}*0600*", &stamp[2..]));
    text.replace("*20260314*0600*41", &format!("*{stamp}*0600*41"))
        .into_bytes()
}

#[test]
fn a_newer_315_that_names_another_port_of_discharge_takes_the_old_one_back() {
    for vessel in ["Q2*9321483*PA*****10000*L*012E***L*MSC OSCAR", ""] {
        let mut files = vec![
            planned(
                "20260301",
                vessel,
                ("VD", "20260301", "CNSHA"),
                ("USOAK", "20260315"),
            ),
            planned(
                "20260306",
                vessel,
                ("E", "20260313", "USLAX"),
                ("USLAX", "20260313"),
            ),
        ];
        let changed = state(&files);
        let port = |state: &ContainerState| state.journey.port_of_discharge.unwrap().to_string();
        assert_eq!(port(&changed), "USLAX", "{vessel:?}");
        files.push(planned(
            "20260313",
            vessel,
            ("VA", "20260313", "USLAX"),
            ("USLAX", "20260313"),
        ));
        let arrived = state(&files);
        assert_eq!(port(&arrived), "USLAX", "{vessel:?}");
        assert_eq!(
            events(&arrived),
            ["vessel_departed CNSHA", "vessel_arrived USLAX"]
        );
        files.push(planned(
            "20260314",
            vessel,
            ("UV", "20260314", "USLAX"),
            ("USLAX", "20260313"),
        ));
        assert_eq!(
            events(&state(&files)).last().unwrap(),
            "vessel_discharged USLAX"
        );
    }
}

/// An IFTSTA or a 315 of a later hour than all others, about a train at an inland place.
fn unloaded(here: &str, ends: &[&str]) -> [Vec<u8>; 2] {
    let lines = |each: &dyn Fn(&str) -> String| {
        let lines: Vec<String> = ends.iter().map(|end| each(end)).collect();
        lines.join("\n")
    };
    let x12 = x12_file(
        "315",
        &format!(
            "B4***UR*20260313*0800**QSDU*200011*L*45G1*{here}*UN*1
             N9*BM*QSEB400
             R4*L*UN*CNSHA*SHANGHAI*CN
             R4*D*UN*USLAX
             {}
             R4*5*UN*{here}",
            lines(&|end| format!("R4*E*UN*{end}"))
        ),
    );
    let edifact = edifact_file(
        "IFTSTA",
        &format!(
            "BGM+23+Q1+9
             CNI+1+QSEB400
             STS+1+UR
             DTM+334:202603130800:203
             LOC+175+{here}:139:6
             {}
             EQD+CN+QSDU2000111+45G1:102:5+++5",
            lines(&|end| format!("LOC+{end}:139:6"))
        ),
    );
    [x12, edifact].map(|file| {
        let text = String::from_utf8(file).unwrap();
        let text = text.replace("20260314*0600", "20260314*1800");
        text.replace("260314:0600", "260314:1800").into_bytes()
    })
}

/// The line's own place of delivery tells a ramp to which the box was sent from one where railroads hand it on.
#[test]
fn a_box_ends_its_way_where_the_message_of_its_unloading_has_the_place_of_delivery() {
    let planned = x12_file(
        "315",
        "B4***UV*20260309*0800**QSDU*200011*L*45G1*USLAX*UN*1
         N9*BM*QSEB400
         R4*L*UN*CNSHA*SHANGHAI*CN
         R4*D*UN*USLAX
         R4*E*UN*USCHI
         DTM*139*20260314*1200*LT
         R4*5*UN*USLAX",
    );
    let before = [
        status("VD", "20260302", "CNSHA", "USLAX"),
        status("RL", "20260310", "USLAX", "USLAX"),
        planned,
    ];
    let end = |file: &[u8]| {
        let files = [&before[..], &[file.to_vec()]].concat();
        state(&files)
            .journey
            .destination
            .map(|place| place.to_string())
    };
    let [x12, _] = unloaded("USMEM", &["USMEM"]);
    assert_eq!(end(&x12).as_deref(), Some("USMEM"));
    let [_, edifact] = unloaded("USMEM", &["7+USMEM"]);
    assert_eq!(end(&edifact).as_deref(), Some("USMEM"));
    for ends in [&["USCHI"][..], &[], &["USMEM", "USCHI"]] {
        let [x12, _] = unloaded("USMEM", ends);
        assert_eq!(end(&x12).as_deref(), Some("USCHI"), "{ends:?}");
    }
    for ends in [&["7+USCHI"][..], &["8+USMEM"], &["7+USMEM", "7+USCHI"]] {
        let [_, edifact] = unloaded("USMEM", ends);
        assert_eq!(end(&edifact).as_deref(), Some("USCHI"), "{ends:?}");
    }
}

/// A line begins to tell of a box, or somebody to hear it, when it is at a hub already.
#[test]
fn what_is_loaded_behind_the_port_of_loading_is_loaded_at_a_hub() {
    let x12 = |status: &str, here: &str, laden: &str, on: &str| {
        x12_file(
            "315",
            &format!(
                "B4***{status}*20260312*0900**QSDU*200011*L*45G1*{here}*UN*1
                 N9*BM*QSEB400
                 R4*5*UN*{here}
                 R4*L*UN*{laden}{on}
                 R4*D*UN*USLAX"
            ),
        )
    };
    let told = |file: &[u8], here: &str| {
        let mut told = read(file, &gazetteer()).reports.into_iter();
        let is_told = |claim: &Report| {
            matches!(claim.verb, Verb::Load | Verb::Depart)
                && claim
                    .place
                    .locode
                    .is_some_and(|place| place.to_string() == here)
        };
        let told = told.find(|located| is_told(&located.report));
        told.unwrap().report.move_hint
    };
    let hub = Some(MoveHint::Transshipment);
    for (here, laden, on, hint) in [
        ("HKHKG", "THLCH", "", hub),
        ("HKHKG", "THLCH", "\nDTM*140*20260301*1200*LT", hub),
        // Carried to its port of loading, or perhaps so.
        ("VNHPH", "HKHKG", "", None),
        ("KRPUS", "JPTYO", "\nDTM*139*20260320*1200*LT", None),
        ("CNSHA", "CNYTN", "", None),
        ("CNSHA", "CNYTN", "\nDTM*140*20260301*1200*LT", hub),
        // That the ship had come there is no word that they left.
        ("CNSHA", "CNYTN", "\nDTM*372*20260301*1200*LT", None),
        ("CNSHA", "CNSHA", "", None),
    ] {
        for status in ["AE", "VD"] {
            let file = x12(status, here, laden, on);
            assert_eq!(told(&file, here), hint, "{status} {here} {laden} {on}");
        }
    }
    let edifact = |here: &str, laden: &str, on: &str| {
        edifact_file(
            "IFTSTA",
            &format!(
                "BGM+23+Q1+9
                 CNI+1+QSEB400
                 STS+1+VD
                 DTM+334:202603120900:203
                 LOC+175+{here}:139:6
                 LOC+9+{laden}:139:6{on}
                 LOC+11+USLAX:139:6
                 EQD+CN+QSDU2000111+45G1:102:5+++5"
            ),
        )
    };
    for (here, laden, on, hint) in [
        ("HKHKG", "THLCH", "", hub),
        ("HKHKG", "HKHKG", "", None),
        ("CNSHA", "CNYTN", "", None),
        ("CNSHA", "CNYTN", "\nDTM+186:202603010900:203", hub),
        ("CNSHA", "CNYTN", "\nDTM+186:202603200900:203", None),
        ("CNSHA", "CNYTN", "\nDTM+133:202603010900:203", None),
    ] {
        let file = edifact(here, laden, on);
        assert_eq!(told(&file, here), hint, "{here} {laden} {on}");
    }
}

/// Found by a tester: a box that a truck took out of the ramp was told as departed by rail.
#[test]
fn what_passes_the_gate_of_a_ramp_is_no_train() {
    let told = |word: &str| {
        let file = format!(
            "B4***AV*20260312*0900**QSDU*200011*L*45G1*USCHI*UN*1
             N9*BM*QSEB400
             R4*D*UN*USLAX
             R4*E*UN*USCHI
             V9*{word}**20260312*1000"
        );
        let mut told = read(&x12_file("315", &file), &gazetteer())
            .reports
            .into_iter();
        let original = format!("315/V9/{word}");
        let told = told.find(|located| located.report.original == original);
        let report = told.unwrap().report;
        (report.verb, report.leg.mode)
    };
    for (word, verb) in [("OGT", Verb::GateOut), ("IGT", Verb::GateIn)] {
        let (found, mode) = told(word);
        assert_eq!(found, verb, "{word}");
        assert_ne!(mode, Some(Mode::Rail), "{word}");
    }
    assert_eq!(told("DRM"), (Verb::Discharge, Some(Mode::Rail)));
}

/// Of a railroad it is the end of its own way.
#[test]
fn a_place_of_delivery_in_a_railroads_message_is_not_the_lines() {
    let [x12, _] = unloaded("USMEM", &["USMEM"]);
    let hint = |more: &str| {
        let parsed = parse(&profile(more), &x12, received_at(), &gazetteer());
        let mut reports = parsed.reports.into_iter().map(|located| located.report);
        let told = reports.find(|report| report.original == "315/UR").unwrap();
        told.move_hint
    };
    assert_eq!(hint(""), Some(MoveHint::Delivery));
    assert_eq!(hint("sender = \"line\""), Some(MoveHint::Delivery));
    assert_eq!(hint("sender = \"railroad\""), None);
    assert_eq!(hint("sender = \"terminal\""), None);
}

/// Of a box that is received in Haiphong, is to be loaded in Hong Kong and to be discharged in Los Angeles.
fn by_feeder(code: &str, day: &str, here: &str, ship: &str) -> Vec<u8> {
    x12_file(
        "315",
        &format!(
            "B4***{code}*{day}*0800**QSDU*200011*L*45G1*{here}*UN*1
             N9*BM*QSEB400
             Q2*{ship}***L
             R4*R*UN*VNHPH*HAIPHONG*VN
             R4*L*UN*HKHKG*HONG KONG*HK
             R4*D*UN*USLAX*LOS ANGELES*US
             DTM*139*20260330*1200*LT"
        ),
    )
}

const FEEDER: &str = "9344564********N123";
const MOTHER: &str = "9776171********048E";

/// Found by a tester: the feeder's discharge at the port of loading was told as the arrival at the port of discharge.
#[test]
fn a_feeder_that_lands_at_the_port_of_loading_of_a_315_is_no_arrival() {
    for loaded in ["AP", "AE"] {
        let mut files = vec![
            by_feeder(loaded, "20260301", "VNHPH", FEEDER),
            by_feeder("VD", "20260302", "VNHPH", FEEDER),
            by_feeder("VA", "20260304", "HKHKG", FEEDER),
            by_feeder("UV", "20260305", "HKHKG", FEEDER),
        ];
        let told = [
            "feeder_loaded VNHPH",
            "feeder_departed VNHPH",
            "feeder_arrived HKHKG",
            "feeder_discharged HKHKG",
        ];
        let fed = state(&files);
        assert_eq!(events(&fed), told, "{loaded}");
        assert_eq!(fed.journey.port_of_discharge.unwrap().as_str(), "USLAX");
        assert_eq!(fed.journey.pod_vessel, None, "that is not its ship");
        assert_eq!(fed.estimates.len(), 1);
        files.extend([
            by_feeder("AE", "20260307", "HKHKG", MOTHER),
            by_feeder("VD", "20260308", "HKHKG", MOTHER),
        ]);
        let at_sea = state(&files);
        let taken_on = ["transshipment_loaded HKHKG", "transshipment_departed HKHKG"];
        assert_eq!(events(&at_sea)[4..], taken_on);
        let journey = &at_sea.journey;
        assert_eq!(journey.port_of_lading.unwrap().as_str(), "HKHKG");
        assert_eq!(journey.port_of_discharge.unwrap().as_str(), "USLAX");
        let ship = journey.pod_vessel.as_ref().and_then(|ship| ship.imo);
        assert_eq!(ship.unwrap().to_string(), "9776171");
        files.push(by_feeder("VA", "20260314", "USLAX", MOTHER));
        assert_eq!(events(&state(&files))[6..], ["vessel_arrived USLAX"]);
    }
}

#[test]
fn whatever_comes_to_the_port_of_loading_alone_is_no_arrival() {
    let alone = state(&[by_feeder("UV", "20260305", "HKHKG", FEEDER)]);
    assert_eq!(events(&alone), ["feeder_discharged HKHKG"]);
    assert_eq!(alone.journey.port_of_discharge.unwrap().as_str(), "USLAX");
    let called = state(&[by_feeder("VA", "20260305", "HKHKG", MOTHER)]);
    assert_eq!(events(&called), Vec::<String>::new());
    let loaded = state(&[
        by_feeder("VA", "20260305", "HKHKG", MOTHER),
        by_feeder("AE", "20260306", "HKHKG", MOTHER),
    ]);
    assert_eq!(events(&loaded), ["vessel_loaded HKHKG"]);
}

#[test]
fn a_feeder_that_lands_at_the_port_of_loading_of_an_iftsta_is_no_arrival() {
    let status = |code: &str, day: &str, here: &str| {
        edifact_file(
            "IFTSTA",
            &format!(
                "BGM+23+Q1+9
                 DTM+137:202603060900:203
                 CNI+1+QSEB400
                 STS+1+{code}:8:6
                 RFF+BM:QSEB400
                 DTM+334:202603{day}0800:203
                 LOC+175+{here}:139:6
                 LOC+88+VNHPH:139:6
                 LOC+9+HKHKG:139:6
                 LOC+11+USLAX:139:6
                 TDT+20+N123+1++MSC:172:20+++9344564:146::WAN HAI 103
                 EQD+CN+QSDU2000111+45G1:102:5+++5"
            ),
        )
    };
    let files = [
        status("48", "01", "VNHPH"),
        status("24", "02", "VNHPH"),
        status("1", "04", "HKHKG"),
        status("29", "05", "HKHKG"),
    ];
    let told = [
        "feeder_loaded VNHPH",
        "feeder_departed VNHPH",
        "feeder_arrived HKHKG",
        "feeder_discharged HKHKG",
    ];
    assert_eq!(events(&state(&files)), told);
}
