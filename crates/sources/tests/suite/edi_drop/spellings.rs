//! Towns of North America, as truckers, lines and railroads spell them.

use domain::report::Report;

use super::{read, x12_file};
use crate::told::gazetteer;

fn place(file: &[u8]) -> Option<String> {
    let reports = read(file, &gazetteer()).reports.into_iter();
    let report: Report = reports.map(|located| located.report).next().unwrap();
    report.place.locode.map(|place| place.to_string())
}

fn of_322(town: &str, state: &str) -> Vec<u8> {
    x12_file(
        "322",
        &format!("Q5*AR*20260310*1104*LT**{town}*{state}\nN7*QSDU*2000111*43459*G*******CN"),
    )
}

/// Found by a tester: a saint, a fort or a state behind the town made a place unknown.
#[test]
fn a_town_is_known_however_it_is_spelled() {
    for (town, state, code) in [
        ("ST PAUL", "MN*US", "USSTP"),
        ("ST. LOUIS", "MO*US", "USSTL"),
        ("SAINT LOUIS", "MO*US", "USSTL"),
        ("STLOUIS", "MO*US", "USSTL"),
        ("EAST ST LOUIS", "IL*US", "USESL"),
        ("FT WORTH", "TX*US", "USFWT"),
        ("FT. LAUDERDALE", "FL*US", "USFLL"),
        ("HOUSTON, TX", "TX*US", "USHOU"),
        ("HOUSTON TX", "TX*US", "USHOU"),
        ("HOUSTON, TX", "*US", "USHOU"),
        ("HOUSTON, TX, US", "*US", "USHOU"),
        ("MONTREAL", "PQ*CA", "CAMTR"),
        ("MONTREAL, PQ", "*CA", "CAMTR"),
        ("ST JOHN", "NB*CA", "CASJB"),
        ("ST. JOHN'S", "NL*CA", "CASJF"),
        ("VANCOUVER, CA", "*CA", "CAVAN"),
        ("PORTLAND", "ME*US", "USPWM"),
        ("PORTLAND", "OR*US", "USPDX"),
    ] {
        let found = place(&of_322(town, state));
        assert_eq!(found.as_deref(), Some(code), "{town} {state}");
    }
    // A state behind the town counts like one beside it.
    for (town, state) in [
        ("OAKLAND, NJ", "*US"),
        ("HOUSTON, TX", "MN*US"),
        ("PORTLAND", "CT*US"),
    ] {
        assert_eq!(place(&of_322(town, state)), None, "{town} {state}");
    }
}

#[test]
fn an_r4_tells_a_town_with_its_state_behind_it() {
    let file = x12_file(
        "315",
        "B4***UV*20260310*0900**QSDU*200011*L*45G1*HOUSTON*CI*1
         N9*BM*QSEB703
         R4*5*CI*HOUSTON, TX**US***TX",
    );
    assert_eq!(place(&file).as_deref(), Some("USHOU"));
}

#[test]
fn a_town_that_only_its_province_tells_has_its_clock() {
    let file = of_322("NOWHERE", "PQ*CA");
    let reports = read(&file, &gazetteer()).reports;
    let told = reports[0].report.occurred.as_ref().unwrap();
    assert_eq!(told.at.to_string(), "2026-03-10T15:04:00Z");
}
