//! What the clocks of a state say, beside a town that is in no table or behind its name.

use domain::report::{Doubt, Report};

use super::{edifact_file, read, x12_file};
use crate::told::gazetteer;

/// The claim with this word of the source.
fn claim(file: &[u8], original: &str) -> Report {
    let parsed = read(file, &gazetteer());
    let reports = parsed.reports.into_iter().map(|located| located.report);
    let mut meant = reports.filter(|report| report.original == original);
    meant.next().unwrap()
}

/// When it was, and whether that is in doubt.
fn at(report: &Report) -> String {
    let doubt = report.doubts.contains(&Doubt::ZoneUnknown);
    let at = report.occurred.as_ref().unwrap().at;
    format!("{at}{}", if doubt { "?" } else { "" })
}

fn of_315(place: &str) -> String {
    let file = x12_file(
        "315",
        &format!(
            "B4***D*20260310*2230**QSDU*200011*L*45G1***1
             N9*BM*QSEB400
             R4*L*UN*CNSHA*SHANGHAI*CN
             R4*D*UN*USNYC*NEW YORK*US***NY
             {place}"
        ),
    );
    at(&claim(&file, "315/D"))
}

/// Found by a tester: a state behind the name of a town told no clock, where one beside it did.
#[test]
fn a_state_behind_the_name_of_a_town_tells_the_clock_of_an_r4() {
    for place in [
        "R4*5*CI**HAZLETON*US***PA",
        "R4*5*CI**HAZLETON, PA*US",
        "R4*5*CI**HAZLETON, PA, US",
        "R4*5*CI*HAZLETON, PA*HAZLETON*US",
        "R4*5*UN*USHZL*HAZLETON****PA",
    ] {
        assert_eq!(of_315(place), "2026-03-11T02:30:00Z", "{place}");
    }
    // Nobody says where Pennsylvania is, which country's IL, and whose company.
    for place in [
        "R4*5*CI**HAZLETON, PA",
        "R4*5*CI**NOWHERE, IL",
        "R4*5*CI**SMITH TRUCKING CO*US",
        "R4*5*CI**NOWHERE, PA*US***ZZ",
    ] {
        assert_eq!(of_315(place), "2026-03-10T22:30:00Z?", "{place}");
    }
    // A part of the state keeps another time.
    assert_eq!(of_315("R4*5*CI**NOWHERE, TN*US"), "2026-03-11T03:30:00Z?");
}

#[test]
fn the_state_behind_a_town_tells_the_clock_of_an_expected_arrival() {
    let x12 = |place: &str| {
        let file = x12_file(
            "315",
            &format!(
                "B4***AL*20260310*0710**QSDU*200011*L*45G1*USCHI*UN*1
                 N9*BM*QSEB400
                 R4*D*UN*USNYC*NEW YORK*US***NY
                 {place}
                 DTM*139*20260312*0700"
            ),
        );
        at(&claim(&file, "R4*E/139"))
    };
    let edifact = |place: &str| {
        let file = edifact_file(
            "IFTSTA",
            &format!(
                "BGM+23+Q1+9
                 CNI+1+QSEB400
                 STS+1+31:8:6
                 DTM+334:202603100710:203
                 TDT+30++2
                 {place}
                 DTM+132:202603120700:203
                 EQD+CN+QSDU2000111+45G1:102:5+++5"
            ),
        );
        at(&claim(&file, "LOC+7/132"))
    };
    for place in ["NOWHERE, IL, US", "NOWHERE, IL"] {
        // The code is in no table, and has its country.
        let told = x12(&format!("R4*E*UN*USQQQ*{place}"));
        assert_eq!(told, "2026-03-12T12:00:00Z", "{place}");
        let told = edifact(&format!("LOC+7+USQQQ:139::{place}"));
        assert_eq!(told, "2026-03-12T12:00:00Z", "{place}");
    }
    for place in [
        "LOC+7+:139::NOWHERE, IL, US",
        "LOC+7+:::NOWHERE+IL:163+US:162",
        "LOC+7+:::NOWHERE+US:162+IL:163",
        "LOC+7+USQQQ:139::NOWHERE+US-IL:163",
    ] {
        assert_eq!(edifact(place), "2026-03-12T12:00:00Z", "{place}");
    }
    // The tables know this place better than the sender.
    assert_eq!(
        edifact("LOC+7+USCHI:139::CHICAGO, CA, US"),
        "2026-03-12T12:00:00Z"
    );
}

/// Found by a reviewer: Los Angeles was Louisiana, and an empty one Montana, and sure.
#[test]
fn a_word_behind_a_blank_is_surely_a_state_only_behind_a_town_that_is_known_there() {
    for place in [
        "R4*5*ZZ*W185*TRAPAC LA*US",
        "R4*5*ZZ*W185*TRAPAC LA, US*US",
        "R4*5*ZZ*W185*PORT OF LA*US",
        "R4*5*ZZ*YSA4*CONTAINER DEPOT MT*US",
        "R4*5*ZZ*YSA4*SEAGIRT CT*US",
        "R4*5*UN*USQQQ*RAMP IN*US",
        "R4*5*UN*USQQQ*JOLIET RAMP IL*US",
    ] {
        assert_eq!(of_315(place), "2026-03-10T22:30:00Z?", "{place}");
    }
    // Nearer than the clock of nowhere.
    for place in [
        "R4*5*ZZ*HAZLETON PA*HAZLETON PA*USA",
        "R4*5*ZZ*YSA4*HAZLETON PA*US",
    ] {
        assert_eq!(of_315(place), "2026-03-11T02:30:00Z?", "{place}");
    }
    // A town of the harbour, and one with a comma beside one without.
    for place in [
        "R4*5*UN*USQQQ*ELIZABETH NJ*US",
        "R4*5*CI*HAZLETON, PA*HAZLETON PA*US",
        "R4*5*UN*USQQQ*NEW YORK NY",
    ] {
        assert_eq!(of_315(place), "2026-03-11T02:30:00Z", "{place}");
    }
    let lift = |place: &str| {
        let file = edifact_file(
            "COARRI",
            &format!(
                "BGM+44+Q2+9
                 EQD+CN+QSDU2000111+45G1:102:5++3+5
                 DTM+203:202603101200:203
                 {place}"
            ),
        );
        at(&claim(&file, "COARRI/44"))
    };
    for place in [
        "LOC+175+W185:TER:ZZZ:BNSF ICTF LA+US:162",
        "LOC+175+USZZZ:139:6:RAMP LA",
        "LOC+175+YSA4:TER:ZZZ:CONTAINER DEPOT MT+US:162",
    ] {
        assert_eq!(lift(place), "2026-03-10T12:00:00Z?", "{place}");
    }
}

/// Found by a reviewer: a word behind the name of a yard told the clock of a gate, where the port of the goods was nearer.
#[test]
fn the_port_of_the_goods_tells_the_clock_of_a_gate_before_a_word_behind_a_blank() {
    let gate = |place: &str| {
        let file = edifact_file(
            "CODECO",
            &format!(
                "BGM+36+Q2+9
                 EQD+CN+QSDU2000111+45G1:102:5++3+5
                 DTM+7:202603100900:203
                 LOC+165+{place}
                 LOC+11+USLAX:139:6"
            ),
        );
        at(&claim(&file, "CODECO/36"))
    };
    let of_port = "2026-03-10T16:00:00Z?";
    assert_eq!(gate("YTI1:TER:ZZZ:YARD LA+US:162"), of_port);
    assert_eq!(gate("YTI1:TER:ZZZ:NOWHERE IL+US:162"), of_port);
    let of_state = "2026-03-10T14:00:00Z";
    assert_eq!(gate("YTI1:TER:ZZZ:NOWHERE, IL+US:162"), of_state);
    // Told, though a part of the state keeps another time.
    let most = "2026-03-10T14:00:00Z?";
    assert_eq!(gate("YTI1:TER:ZZZ:NOWHERE, TN+US:162"), most);
}

/// Found by a reviewer: the country before the code of a state was not read.
#[test]
fn the_country_may_stand_before_the_state_in_one_code() {
    let told = |place: &str| {
        let file = edifact_file(
            "IFTSTA",
            &format!(
                "BGM+23+Q1+9
                 CNI+1+QSEB400
                 STS+1+AV:8:6
                 DTM+334:202603100430:203
                 {place}
                 EQD+CN+QSDU2000111+45G1:102:5+++5"
            ),
        );
        let report = claim(&file, "IFTSTA/AV");
        let locode = report.place.locode.map(|port| port.to_string());
        format!("{} {}", locode.unwrap_or_default(), at(&report))
    };
    for place in [
        "LOC+175+:::WOODRIDGE+US-IL:163",
        "LOC+175+:::WOODRIDGE+USA-IL:163",
        "LOC+175+:::WOODRIDGE+US-IL:163+USA:162",
    ] {
        assert_eq!(told(place), " 2026-03-10T09:30:00Z", "{place}");
    }
    let port = "USLGB 2026-03-10T11:30:00Z";
    assert_eq!(told("LOC+175+:::LONG BEACH+US-CA:163"), port);
    assert_eq!(told("LOC+175+USLGB:139::LONG BEACH+US-CA:163"), port);
    let island = "PRQQQ 2026-03-10T08:30:00Z";
    assert_eq!(told("LOC+175+PRQQQ:139::NOWHERE+US-PR:163"), island);
    // One says another country than the other: nobody knows which is right.
    let nowhere = " 2026-03-10T04:30:00Z?";
    assert_eq!(told("LOC+175+:::WOODRIDGE+US-IL:163+CA:162"), nowhere);
    let coded = "DEQQQ 2026-03-10T04:30:00Z?";
    assert_eq!(told("LOC+175+DEQQQ:139::WOODRIDGE+US-IL:163"), coded);
    // The tables know this place better than the sender.
    assert_eq!(told("LOC+175+USLGB:139::LONG BEACH+CA-ON:163"), port);
    // What counts as a region of a country and has a code of its own is one country by either.
    let hong_kong = "HKQQQ 2026-03-09T20:30:00Z";
    assert_eq!(told("LOC+175+HKQQQ:139::NOWHERE+CN-HK:163"), hong_kong);
    let reunion = "REQQQ 2026-03-10T00:30:00Z";
    assert_eq!(told("LOC+175+REQQQ:139::NOWHERE+FR-RE:163"), reunion);
    // A code with digits may be a terminal's own: the clocks of its country are nearer than none, and not sure.
    let near = "DE2QQ 2026-03-10T03:30:00Z?";
    assert_eq!(told("LOC+175+DE2QQ:139:6"), near);
}

/// Found by a tester: the code of a state was taken for that of a terminal.
#[test]
fn a_state_beside_a_place_is_no_terminal() {
    let place = |place: &str| {
        let file = edifact_file(
            "IFTSTA",
            &format!(
                "BGM+23+Q1+9
                 CNI+1+QSEB400
                 STS+1+AV:8:6
                 DTM+334:202603100430:203
                 {place}
                 LOC+9+CNSHA:139:6
                 LOC+11+USLGB:139:6
                 EQD+CN+QSDU2000111+45G1:102:5+++5"
            ),
        );
        let report = claim(&file, "IFTSTA/AV");
        let locode = report.place.locode.map(|port| port.to_string());
        let terminal = report.place.facility_code.clone().unwrap_or_default();
        format!("{} {terminal} {}", locode.unwrap_or_default(), at(&report))
    };
    let nowhere = "  2026-03-10T09:30:00Z";
    assert_eq!(place("LOC+175+:::NOWHERE+IL:163+US:162"), nowhere);
    assert_eq!(place("LOC+175+:::NOWHERE+US:162+IL:163"), nowhere);
    let port = "USLGB  2026-03-10T11:30:00Z";
    assert_eq!(place("LOC+175+USLGB:139::LONG BEACH+CA:163+US:162"), port);
    assert_eq!(place("LOC+175+:::LONG BEACH+CA:163+US:162"), port);
    assert_eq!(
        place("LOC+175+USLGB:139:6+PCT:TER:ZZZ"),
        "USLGB PCT 2026-03-10T11:30:00Z"
    );
}

#[test]
fn a_gate_or_a_lift_in_a_town_of_no_table_is_by_the_clock_of_its_state() {
    let gate = edifact_file(
        "CODECO",
        "BGM+36+Q2+9
         EQD+CN+QSDU2000111+45G1:102:5++3+5
         DTM+7:202603101200:203
         LOC+165+:::NOWHERE, IL, US
         LOC+11+USLAX:139:6",
    );
    assert_eq!(at(&claim(&gate, "CODECO/36")), "2026-03-10T17:00:00Z");
    let lift = edifact_file(
        "COARRI",
        "BGM+44+Q2+9
         EQD+CN+QSDU2000111+45G1:102:5++3+5
         DTM+203:202603101200:203
         LOC+11+USQQQ:139:6:NOWHERE, WA",
    );
    assert_eq!(at(&claim(&lift, "COARRI/44")), "2026-03-10T19:00:00Z");
}
