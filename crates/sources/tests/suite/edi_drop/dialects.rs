//! EDIFACT as terminals and lines write it, beside what the guides show.

use domain::report::{Mode, MoveHint, Report, Verb};

use super::ways::{events, state_of};
use super::{edifact_file, read};
use crate::told::gazetteer;

fn told(kind: &str, segments: &str) -> Vec<Report> {
    let parsed = read(&edifact_file(kind, segments), &gazetteer());
    assert!(parsed.defects.is_empty(), "{:#?}", parsed.defects);
    let reports = parsed.reports.into_iter().map(|located| located.report);
    reports.collect()
}

/// Verb, place, terminal and instant.
fn line(report: &Report) -> String {
    let place = &report.place;
    let locode = place.locode.map(|code| code.to_string());
    let at = report.occurred.as_ref().map(|o| o.at.to_string());
    format!(
        "{:?} {} {} {}",
        report.verb,
        locode.unwrap_or_default(),
        place.facility_code.as_deref().unwrap_or_default(),
        at.unwrap_or_default()
    )
}

fn only(kind: &str, segments: &str) -> String {
    let reports = told(kind, segments);
    assert_eq!(reports.len(), 1, "{reports:#?}");
    line(&reports[0])
}

fn gate(bgm: &str, time: &str, places: &str) -> String {
    only(
        "CODECO",
        &format!(
            "BGM+{bgm}+G600+9
             EQD+CN+QSDU2000111+45G1:102:5++3+5
             {time}
             {places}"
        ),
    )
}

#[test]
fn a_gate_list_has_numbers_of_two_releases_and_either_qualifier_of_its_time() {
    let (time, place) = ("DTM+7:202603101200:203", "LOC+165+NLRTM:139:6");
    let at = "NLRTM  2026-03-10T11:00:00Z";
    for (bgm, verb) in [
        ("34", "GateIn"),
        ("109", "GateIn"),
        ("36", "GateOut"),
        ("111", "GateOut"),
    ] {
        assert_eq!(gate(bgm, time, place), format!("{verb} {at}"));
    }
    let executed = gate("36", "DTM+203:202603101200:203", place);
    assert_eq!(executed, format!("GateOut {at}"));
    // A date and the time of its day apart.
    let apart = gate("36", "DTM+7:20260310:102\nDTM+7:120030:402", place);
    assert_eq!(apart, "GateOut NLRTM  2026-03-10T11:00:30Z");
}

#[test]
fn a_place_is_its_port_whatever_stands_behind_the_code() {
    let time = "DTM+7:202603101200:203";
    let out = |places: &str| gate("36", time, places);
    // Seven letters that begin with a port; a country beside it; a long code of its terminal.
    assert_eq!(
        out("LOC+165+IDJKT45:139:6"),
        "GateOut IDJKT  2026-03-10T05:00:00Z"
    );
    assert_eq!(
        out("LOC+165+NLRTM:139:6+NL:162:5"),
        "GateOut NLRTM  2026-03-10T11:00:00Z"
    );
    assert_eq!(
        out("LOC+165+THLCH:139:6+CONCHUV:TER:ZZZ"),
        "GateOut THLCH CONCHUV 2026-03-10T05:00:00Z"
    );
    // The port that the message names with the terminal.
    assert_eq!(
        out("LOC+165+:139:6+LCIT:TER:ZZZ\nLOC+11+THLCH:139:6+LCIT:BER:ZZZ"),
        "GateOut THLCH LCIT 2026-03-10T05:00:00Z"
    );
    // One code of terminals in two ports: then the goods tell.
    let two = "LOC+165+:139:6+APMT:TER:ZZZ\nLOC+9+USNYC:139:6+APMT:TER:ZZZ\nLOC+11+USLAX:139:6+APMT:TER:ZZZ";
    assert_eq!(out(two), "GateOut USLAX APMT 2026-03-10T19:00:00Z");
    // The same code at the other end of the way is another terminal.
    let far = "LOC+165+:139:6+APMT:TER:ZZZ\nLOC+9+NLRTM:139:6+APMT:TER:ZZZ\nLOC+11+USLAX:139:6";
    assert_eq!(out(far), "GateOut USLAX APMT 2026-03-10T19:00:00Z");
    let far = "LOC+165+:139:6+LCIT:TER:ZZZ\nLOC+9+THLCH:139:6+LCIT:TER:ZZZ\nLOC+11+USLAX:139:6";
    assert!(!out(far).contains("THLCH"), "{}", out(far));
    // A name is no code.
    assert_eq!(
        out("LOC+165+NLRTM:139:6+ROTTERDAM"),
        "GateOut NLRTM  2026-03-10T11:00:00Z"
    );
}

fn lift(bgm: &str, heading: &str, of_box: &str) -> Vec<Report> {
    told(
        "COARRI",
        &format!(
            "BGM+{bgm}+L1+9
             DTM+137:202603121600:203
             TDT+20+045W+1++QSEL:172+++9222270:146::QSE ONE
             {heading}
             EQD+CN+QSDU2000111+45G1:102:5++3+5
             {of_box}"
        ),
    )
}

#[test]
fn a_lift_is_of_the_time_of_its_box_and_of_the_quay_that_is_named() {
    let time = "DTM+7:202603111412:203";
    let dated = lift("98", "DTM+178:202603100600:203\nLOC+11+THLCH:139:6", time);
    assert_eq!(line(&dated[0]), "Discharge THLCH  2026-03-11T07:12:00Z");
    let of_all = "DTM+203:202603110100:203\nLOC+11+THLCH:139:6";
    let own = lift("98", of_all, time);
    assert_eq!(line(&own[0]), "Discharge THLCH  2026-03-11T07:12:00Z");
    let quay = lift(
        "98",
        "",
        "DTM+203:202603111412:203\nLOC+165+AUSYD:139:6+ASLPB",
    );
    assert_eq!(line(&quay[0]), "Discharge AUSYD ASLPB 2026-03-11T03:12:00Z");
    // The box repeats the port of the heading without its terminal.
    let heading = "LOC+11+IDJKT:139:6+JICT:TER:ZZZ";
    let repeated = lift("98", heading, &format!("{time}\nLOC+11+IDJKT:139:6"));
    assert_eq!(
        line(&repeated[0]),
        "Discharge IDJKT JICT 2026-03-11T07:12:00Z"
    );
    let another = lift("98", heading, &format!("{time}\nLOC+11+SGSIN:139:6"));
    assert_eq!(line(&another[0]), "Discharge SGSIN  2026-03-11T06:12:00Z");
}

#[test]
fn a_restow_is_neither_a_load_nor_a_discharge() {
    let restowed = lift("24", "LOC+11+NLRTM:139:6", "DTM+203:202603111412:203");
    assert_eq!(restowed[0].verb, Verb::Document);
    assert!(events(&state_of(&restowed)).is_empty());
}

fn status(code: &str, laden: &str, more: &str) -> Vec<Report> {
    told(
        "IFTSTA",
        &format!(
            "BGM+23+Q1+9
             CNI+1+QSEB400
             STS+1+{code}:8:6
             RFF+BM:QSEB400
             DTM+334:202603101200:203
             {more}
             EQD+CN+QSDU2000111+45G1:102:5+++{laden}"
        ),
    )
}

/// The ship of the voyage is named with every status, and no ship goes through a gate.
#[test]
fn a_gate_beside_which_the_ship_is_named_is_a_gate() {
    let ship = "TDT+20+123+1++QSEL:172+++9222270:146:11:QSE ONE";
    let way = "LOC+9+CNSHA:139:6\nLOC+11+USNYC:139:6";
    for (code, port, event) in [
        ("OA", "USNYC", "full_out USNYC"),
        ("I", "CNSHA", "full_in CNSHA"),
        ("74", "CNSHA", "full_in CNSHA"),
    ] {
        let told = status(code, "5", &format!("LOC+175+{port}:139:6\n{ship}\n{way}"));
        assert_eq!(events(&state_of(&told)), [event]);
    }
}

#[test]
fn what_is_returned_is_empty_only_where_nobody_says_otherwise() {
    let laden = |code: &str, laden: &str| {
        let told = status(code, laden, "LOC+175+USNYC:139:6\nLOC+11+USNYC:139:6");
        told[0].equipment.as_ref().unwrap().laden
    };
    for code in ["80", "82"] {
        assert_eq!(laden(code, "5"), Some(true));
        assert_eq!(laden(code, "4"), Some(false));
        assert_eq!(laden(code, ""), Some(false));
    }
}

/// Goods that wait to be fetched from a shipper are not ready for the consignee.
#[test]
fn what_awaits_collection_where_the_way_begins_is_not_available() {
    let verb = |code: &str, port: &str| {
        let way = format!("LOC+175+{port}:139:6\nLOC+9+COCTG:139:6\nLOC+11+USNYC:139:6");
        status(code, "5", &way)[0].verb
    };
    assert_eq!(verb("64", "COCTG"), Verb::Document);
    assert_eq!(verb("64", "USNYC"), Verb::Available);
    assert_eq!(verb("63", "USNYC"), Verb::NotAvailable);
}

#[test]
fn numbers_that_say_the_same_as_others_are_read_as_these() {
    let verb = |code: &str| status(code, "5", "LOC+175+USNYC:139:6\nLOC+11+USNYC:139:6")[0].verb;
    assert_eq!(verb("40"), Verb::Document, "at the port, since whenever");
    assert_eq!(verb("127"), Verb::Depart);
    assert_eq!(verb("22"), Verb::Dropoff);
}

#[test]
fn the_port_of_discharge_has_two_functions() {
    let ship = "TDT+20+123+1++QSEL:172+++9222270:146:11:QSE ONE\nLOC+9+BEANR:139:6";
    let told = status(
        "UV",
        "5",
        &format!("{ship}\nLOC+12+BRSSZ:139:6\nDTM+132:202603080900:203"),
    );
    let lines: Vec<String> = told.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "Discharge BRSSZ  2026-03-10T15:00:00Z",
            "Arrive BRSSZ  2026-03-08T12:00:00Z"
        ]
    );
    assert_ne!(told[0].move_hint, Some(MoveHint::Onward));
    let arrived = status("VA", "5", "TDT+20+123+1\nLOC+60+USNYC:139:6");
    assert_eq!(line(&arrived[0]), "Arrive USNYC  2026-03-10T16:00:00Z");
}

/// The ports of the sea stand under the truck that brought the box, where the message names no ship.
#[test]
fn ports_of_two_countries_under_a_truck_are_those_of_the_sea() {
    let way = "LOC+175+COCTG:139:6\nTDT+1++3\nLOC+9+COCTG:139:6\nLOC+11+USNYC:139:6\nDTM+132:202604170505:203";
    let told = status("I", "5", way);
    let foretold = state_of(&told);
    let named: Vec<&str> = foretold
        .estimates
        .iter()
        .map(|e| e.event.as_str())
        .collect();
    assert_eq!(named, ["container.transport.estimated.vessel_arrived"]);
    // A train between two ports of one country is one, and so is a truck to the port next door; to an island goes neither.
    for (tdt, from, to, mode) in [
        ("TDT+1++2", "KRPUS", "JPTYO", Mode::Vessel),
        ("TDT+1++3", "HKHKG", "TWKHH", Mode::Vessel),
        ("TDT+1++2", "USLAX", "USNYC", Mode::Rail),
        ("TDT+1++3", "CNYTN", "HKHKG", Mode::Truck),
    ] {
        let by_land = format!(
            "LOC+175+{from}:139:6\n{tdt}\nLOC+9+{from}:139:6\nLOC+11+{to}:139:6\nDTM+132:202604170505:203"
        );
        let told = status("I", "5", &by_land);
        let arrival = told
            .iter()
            .find(|report| report.verb == Verb::Arrive)
            .unwrap();
        assert_eq!(arrival.leg.mode, Some(mode), "{from}");
    }
}
