//! Which box a segment is about, where a message speaks of several things.

use domain::codes::ContainerNumber;
use domain::report::{Doubt, Report, Value, Verb};
use rust_decimal::Decimal;

use super::{edifact_file, read, x12_file};
use crate::told::gazetteer;

pub(super) fn told(code: &str, segments: &str) -> (Vec<Report>, usize) {
    let parsed = read(&x12_file(code, segments), &gazetteer());
    let reports = parsed.reports.into_iter().map(|l| l.report);
    (reports.collect(), parsed.defects.len())
}

pub(super) fn number(report: &Report) -> String {
    let gear = report.equipment.as_ref();
    gear.map_or_else(String::new, |gear| gear.number.to_string())
}

/// As it is written.
pub(super) fn written(text: &str) -> String {
    ContainerNumber::from_feed(text).unwrap().0.to_string()
}

#[test]
fn a_shipment_of_a_214_that_names_no_box_is_given_none() {
    let (reports, defects) = told(
        "214",
        "B10*PRO77*SHIP7*QSET
         LX*1
         AT7*AF*NS***20260312*1015*LT
         MS1*LOS ANGELES*CA*US
         MS2*QSDU*200011*CN*1
         LX*2
         AT7*D1*NS***20260312*1315*LT
         MS1*LOS ANGELES*CA*US
         L11*PALLETS*CR",
    );
    assert_eq!(defects, 1);
    let boxes: Vec<_> = reports.iter().map(number).collect();
    assert_eq!(boxes, [written("QSDU2000111")]);
}

/// A trucker names the town of the terminal.
#[test]
fn a_box_that_leaves_from_a_town_of_the_harbour_leaves_the_port() {
    let from = |town: &str| {
        let (reports, _) = told(
            "214",
            &format!(
                "B10*PRO77*SHIP7*QSET
                 LX*1
                 AT7*AF*NS***20260312*1015*LT
                 MS1*{town}*US
                 MS2*QSDU*200011*CN*1"
            ),
        );
        let place = reports[0].place.locode.map(|code| code.to_string());
        (place, reports[0].equipment.as_ref().and_then(|e| e.laden))
    };
    for (town, port) in [
        ("SAN PEDRO*CA", "USLAX"),
        ("ELIZABETH*NJ", "USNYC"),
        ("STATEN ISLAND*NY", "USNYC"),
        ("GARDEN CITY*GA", "USSAV"),
    ] {
        assert_eq!(from(town), (Some(port.to_owned()), Some(true)), "{town}");
    }
    assert_eq!(from("GARDEN CITY*KS"), (None, None));
    assert_eq!(from("GARDEN CITY*"), (None, None), "there are several");
    assert_eq!(from("SAN PEDRO*NJ"), (None, None));
}

/// A digit may be lost in a gap. What is said of such a box is said of no other one.
#[test]
fn what_is_said_of_a_box_that_cannot_be_read_is_said_of_no_other() {
    let (owner, serial) = ("QSDU", "200 12");
    let of_214 = format!(
        "B10*PRO77*SHIP7*QSET
         LX*1
         MS2*QSDU*200011*CN*1
         AT7*AF*NS***20260312*1015*LT
         MS1*LOS ANGELES*CA*US
         AT7*D1*NS***20260312*1315*LT
         MS1*LOS ANGELES*CA*US
         MS2*{owner}*{serial}*CN"
    );
    let of_322 = format!(
        "Q5*OA*20260312*1015*LT**OAKLAND*CA*US
         N7*QSDU*2000111*43459*G*******CN
         W2*QSDU*2000111**CN*L
         N9*BM*QSEB201
         N7*{owner}*{serial}*43459*G*******CN
         W2*{owner}*{serial}**CN*L
         N9*BM*QSEB202
         R4*5*UN*USOAK"
    );
    let of_417 = format!(
        "BX*04*R*QSEB201
         N7*QSDU*2000111*43459*G*******CN
         N7*{owner}*{serial}*43459*G*******CN
         F9*1*OAKLAND*CA
         D9*1*CHICAGO*IL"
    );
    for (code, set) in [("214", of_214), ("322", of_322), ("417", of_417)] {
        let (reports, defects) = told(code, &set);
        assert!(defects > 0, "{code} says what cannot be read");
        assert!(!reports.is_empty(), "{code}");
        for report in &reports {
            assert_eq!(number(report), written("QSDU2000111"), "{code}");
            assert_ne!(report.original, "214/D1");
            assert!(!report.references.bills.contains(&"QSEB202".to_owned()));
        }
    }
}

#[test]
fn a_shipment_of_a_214_is_named_behind_its_statuses() {
    let (reports, defects) = told(
        "214",
        "B10*PRO77*SHIP7*QSET
         LX*1
         AT7*X1*NS***20260312*1015*LT
         MS1*ONTARIO*CA*US
         AT7*D1*NS***20260312*1115*LT
         MS1*ONTARIO*CA*US
         L11*QSDU2000111*EQ
         L11*QSEB200*BM
         LX*2
         AT7*D1*NS***20260312*1215*LT
         L11*QSDU2000127*EQ",
    );
    assert_eq!(defects, 0);
    let (first, second) = (written("QSDU2000111"), written("QSDU2000127"));
    let boxes: Vec<_> = reports.iter().map(number).collect();
    assert_eq!(boxes, [first.clone(), first, second]);
    assert_eq!(reports[0].references.bills, ["QSEB200"]);
    assert!(reports[2].references.bills.is_empty());
}

#[test]
fn the_clock_of_a_town_that_is_in_no_table_is_that_of_its_state() {
    let (reports, defects) = told(
        "214",
        "B10*PRO77*SHIP7*QSET
         LX*1
         AT7*D1*NS***20260712*1015*LT
         MS1*TRACY*CA*US
         AT7*D1*NS***20260713*1015*LT
         MS1*NOWHERE*TX*US
         AT7*D1*NS***20260714*1015*LT
         MS1*NOWHERE*ZZ*US
         L11*QSDU2000111*EQ",
    );
    assert_eq!(defects, 0);
    let times: Vec<_> = reports
        .iter()
        .map(|report| {
            let unsure = report.doubts.contains(&Doubt::ZoneUnknown);
            (report.occurred.as_ref().unwrap().at.to_string(), unsure)
        })
        .collect();
    let expected = [
        ("2026-07-12T17:15:00Z", false),
        // El Paso is an hour behind Dallas.
        ("2026-07-13T15:15:00Z", true),
        ("2026-07-14T10:15:00Z", true),
    ];
    assert_eq!(times, expected.map(|(at, unsure)| (at.to_owned(), unsure)));
}

#[test]
fn each_box_of_a_322_has_its_own_references() {
    let q5 = "Q5*OA*20260312*1015*LT**OAKLAND*CA*US";
    let of = |serial: &str, bill: &str| {
        format!(
            "N7*QSDU*{serial}*43459*G*******CN\nW2*QSDU*{serial}**CN*L\nR4*5*UN*USOAK\nN9*BM*{bill}"
        )
    };
    let several = [
        q5.to_owned(),
        of("2000111", "QSEB201"),
        of("2000127", "QSEB202"),
    ];
    let (reports, defects) = told("322", &several.join("\n"));
    assert_eq!(defects, 0);
    let said: Vec<_> = reports
        .iter()
        .map(|report| (number(report), report.references.bills.clone()))
        .collect();
    let expected = [("QSDU2000111", "QSEB201"), ("QSDU2000127", "QSEB202")];
    let expected = expected.map(|(number, bill)| (written(number), vec![bill.to_owned()]));
    assert_eq!(said, expected);
    // Named together, what follows is said of all.
    let together = format!(
        "{q5}\nN7*QSDU*2000111*43459*G*******CN\nN7*QSDU*2000127*43459*G*******CN\nR4*5*UN*USOAK\nN9*BM*QSEB203"
    );
    let (reports, _) = told("322", &together);
    let bills: Vec<_> = reports.iter().map(|r| r.references.bills.len()).collect();
    assert_eq!(bills, [1, 1]);
    assert!(reports.iter().all(|report| report.verb == Verb::GateOut));
}

#[test]
fn a_chassis_says_nothing_of_the_box_that_it_carries() {
    let (reports, defects) = told(
        "322",
        "Q5*OA*20260312*1015*LT**OAKLAND*CA*US
         N7*QSEZ*410001*6800*G*******CZ
         W2*QSEZ*410001**CZ*E
         N7*QSDU*2000111*43459*G*******CN
         W2*QSDU*2000111**CN*L
         R4*5*UN*USOAK",
    );
    assert_eq!(defects, 0);
    let gear = reports[0].equipment.as_ref().unwrap();
    assert_eq!(gear.laden, Some(true));
    assert_eq!(gear.gross_kg, Some(Decimal::new(1_971_267, 2)));
}

#[test]
fn a_release_names_its_hold_and_a_forwarder_names_none() {
    use domain::container::HoldName;
    let released = |code, text: &str| {
        let (reports, _) = told(code, text);
        let cleared = reports.iter().filter(|r| r.verb == Verb::HoldClear);
        let names = cleared.map(|report| match &report.value {
            Some(Value::Hold(hold)) => (Some(hold.name), None),
            Some(Value::Release(name, text)) => (*name, Some(text.clone())),
            _ => (None, None),
        });
        names.collect::<Vec<_>>()
    };
    let ramp = "Q5*HR*20260312*0900*LT**OAKLAND*CA*US
         N7*QSDU*2000111*43459*G*******CN
         R4*5*UN*USOAK
         N9*ZZ*HR*USDA HOLD RELEASED";
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        released("322", ramp),
        [(Some(HoldName::Usda), text("USDA HOLD RELEASED"))]
    );
    let line = "B4***HR*20260312*0900**QSDU*200011*L*45G1*USOAK*UN*1
         N9*4F*77*QSE FREIGHT FORWARDERS
         N9*SCA*QSEL*QSE LINE
         R4*D*UN*USOAK";
    assert_eq!(released("315", line), [(None, None)]);
    // A text that names no kind is kept, and a railroad's mark or a number is none.
    let more = "N9*RR*BNSF*BNSF RAILWAY
         N9*ZZ*FDA
         K1*INTENSIVE*RELEASED";
    let line = format!("{line}\n{more}");
    assert_eq!(released("315", &line), [(None, text("INTENSIVE RELEASED"))]);
}

#[test]
fn a_terminal_by_its_own_code_stands_in_the_port_that_the_status_names() {
    let (reports, _) = told(
        "315",
        "B4***UV*20260312*0700**QSDU*200011*L*45G1*USLGB*UN*1
         N9*BM*QSEB204
         R4*D*UN*USLGB
         R4*5*ZZ*LGB-Q1*QUAYSIDE TERMINALS*US",
    );
    let place = &reports[0].place;
    assert_eq!(
        place.locode.map(|l| l.to_string()).as_deref(),
        Some("USLGB")
    );
    let at = reports[0].occurred.as_ref().unwrap().at.to_string();
    assert_eq!(at, "2026-03-12T14:00:00Z");
}

#[test]
fn a_number_filled_with_zeros_is_the_number() {
    for serial in ["0002000111", "000200011*43459*G*******CN*******1"] {
        let set = format!("Q5*OA*20260312*1015*LT**OAKLAND*CA*US\nN7*QSDU*{serial}\nR4*5*UN*USOAK");
        let (reports, defects) = told("322", &set);
        assert_eq!(defects, 0, "{serial}");
        assert_eq!(number(&reports[0]), written("QSDU2000111"), "{serial}");
    }
}

/// X12 says `NONU` where nobody knows the owner of a container.
#[test]
fn no_message_tells_of_a_box_that_nobody_knows() {
    for (initial, serial) in [("NONU", "000000"), ("NONU", "123456"), ("QSDU", "000000")] {
        let of_315 = format!("B4***UV*20260312*0700**{initial}*{serial}*L*45G1*USOAK*UN*1");
        let of_214 = format!(
            "B10*PRO77*SHIP7*QSET
             LX*1
             AT7*AF*NS***20260312*1015*LT
             MS1*LOS ANGELES*CA*US
             MS2*{initial}*{serial}*CN"
        );
        let of_418 = format!("BAX*380000*T*139*20260316*0930*ZLACH1\nW2*{initial}*{serial}**CC*L");
        for (code, set) in [("315", of_315), ("214", of_214), ("418", of_418)] {
            let (reports, defects) = told(code, &set);
            assert_eq!(
                (reports.len(), defects),
                (0, 1),
                "{code} {initial} {serial}"
            );
        }
    }
}

/// Found by the simulator, whose first box has that number.
#[test]
fn a_serial_of_zeros_with_its_check_digit_is_a_box() {
    for (check, expected) in [("4", (1, 0)), ("5", (0, 1))] {
        let set = format!("B4***UV*20260312*0700**QSDU*000000*L*45G1*USOAK*UN*{check}");
        let (reports, defects) = told("315", &set);
        assert_eq!((reports.len(), defects), expected, "{check}");
    }
}

#[test]
fn the_railroad_of_a_322_is_the_one_that_its_set_names() {
    let named = |parties: &str| {
        let (reports, defects) = told(
            "322",
            &format!(
                "Q5*RL*20260310*073000*LT
                 N7*QSDU*200011*43459*G*******CN*QSEU*****L*1
                 W2*QSDU*200011**CC*L
                 R4*5*UN*USLAX
                 R4*6*UN*USLAX
                 R4*7*UN*USCHI*CHICAGO
                 {parties}
                 N9*BM*QSEB200
                 N9*SCA*QSEU"
            ),
        );
        assert_eq!(defects, 0);
        let scac = reports[0].references.scac;
        scac.map_or_else(String::new, |scac| scac.to_string())
    };
    assert_eq!(named("N1*RR*RAILROAD*ZZ*BNSF"), "BNSF");
    assert_eq!(named("N1*RR*RAILROAD*2*UP"), "UPRR");
    assert_eq!(named("N1*RR*RAILROAD*2*QSRR"), "QSRR", "a code in no table");
    assert_eq!(named("N1*RR*UNION PACIFIC"), "UPRR");
    assert_eq!(named("N1*SH*UNION PACIFIC"), "QSEU", "a shipper");
    assert_eq!(named("N1*RR*SOME ROAD*92*0000012"), "QSEU", "no word");
    let two = "N1*RR*RAILROAD*2*UP
        N1*RR*RAILROAD*2*BNSF";
    assert_eq!(named(two), "QSEU", "which of them is it?");
}

/// Found by a reviewer: each box of a status had the seals of all and the mass of the first.
#[test]
fn mass_and_seals_of_an_iftsta_are_those_of_the_box_before_them() {
    let status = |boxes: &str| {
        let status = format!(
            "BGM+23+Q1+9
             CNI+1+QSEB400
             STS+1+29:8:6
             DTM+334:202603060800:203
             LOC+175+USLAX:139:6
             {boxes}"
        );
        let parsed = read(&edifact_file("IFTSTA", &status), &gazetteer());
        assert!(parsed.defects.is_empty());
        let gear = parsed.reports.into_iter().map(|located| {
            let gear = located.report.equipment.unwrap();
            (gear.number.to_string(), gear.gross_kg, gear.seals)
        });
        gear.collect::<Vec<_>>()
    };
    let of = |number: &str, kg: Option<u32>, seals: &[&str]| {
        let seals = seals.iter().map(|seal| (*seal).to_owned()).collect();
        (written(number), kg.map(Decimal::from), seals)
    };
    let two = status(
        "EQD+CN+QSDU2000111+45G1:102:5+++5
         MEA+AAE+G+KGM:21500
         SEL+S1+CA
         EQD+CN+QSDU2000127+22G1:102:5+++5
         SEL+S2+SH
         SEL+S3+CA
         EQD+CN+QSDU2000132+22G1:102:5+++5
         MEA+AAE+VGM+KGM:9000",
    );
    let expected = [
        of("QSDU2000111", Some(21500), &["S1"]),
        of("QSDU2000127", None, &["S3", "S2"]),
        of("QSDU2000132", Some(9000), &[]),
    ];
    assert_eq!(two, expected);
    let one = status(
        "MEA+AAE+G+KGM:21500
         EQD+CN+QSDU2000111+45G1:102:5+++5
         SEL+S1+CA",
    );
    assert_eq!(one, [of("QSDU2000111", Some(21500), &["S1"])]);
    // Words that there is a seal, or none, are no numbers of one.
    let words = status(
        "EQD+CN+QSDU2000111+45G1:102:5+++5
         SEL+Y+CA
         SEL+NONE
         SEL+n/a
         SEL+0
         SEL+Y7+SH",
    );
    assert_eq!(words, [of("QSDU2000111", None, &["Y7"])]);
}
