//! Zones that stand beside a time by their name.

use domain::report::Doubt;

use super::{edifact_file, read, x12_file};
use crate::told::gazetteer;

fn at(file: &[u8]) -> String {
    let parsed = read(file, &gazetteer());
    let report = &parsed.reports[0].report;
    let doubt = report.doubts.contains(&Doubt::ZoneUnknown);
    let at = report.occurred.as_ref().unwrap().at;
    format!("{at}{}", if doubt { "?" } else { "" })
}

fn codeco(port: &str, time: &str) -> String {
    at(&edifact_file(
        "CODECO",
        &format!(
            "BGM+36+G1+9
             EQD+CN+QSDU2000111+45G1:102:5++3+5
             DTM+7:{time}
             LOC+165+{port}:139:6"
        ),
    ))
}

/// Found by a tester: the name of a zone was dropped, and the hour told as that of the place.
#[test]
fn a_zone_is_read_by_its_name_or_doubted() {
    for (port, zone, expected) in [
        ("USLAX", "EST", "2026-02-18T15:30:00Z"),
        ("USLAX", "PST", "2026-02-18T18:30:00Z"),
        ("USLAX", "CST", "2026-02-18T16:30:00Z"),
        ("USLAX", "JST", "2026-02-18T01:30:00Z"),
        ("USLAX", "UTC+1", "2026-02-18T09:30:00Z"),
        ("CNSHA", "CST", "2026-02-18T02:30:00Z"),
        ("NLRTM", "CET", "2026-02-18T09:30:00Z"),
        ("USLAX", "LT", "2026-02-18T18:30:00Z"),
        // Of China or of Chicago, of nowhere, and a summer's that is over.
        ("NLRTM", "CST", "2026-02-18T09:30:00Z?"),
        ("NLRTM", "EST", "2026-02-18T09:30:00Z?"),
        ("USLAX", "XYZ", "2026-02-18T18:30:00Z?"),
        ("USLAX", "PDT", "2026-02-18T18:30:00Z?"),
    ] {
        let told = codeco(port, &format!("202602181030{zone}:303").replace('+', "?+"));
        assert_eq!(told, expected, "{port} {zone}");
    }
    assert_eq!(
        codeco("USLAX", "20260218103000EST:304"),
        "2026-02-18T15:30:00Z"
    );
    assert_eq!(codeco("USLAX", "202602181030:203"), "2026-02-18T18:30:00Z");
}

#[test]
fn a_zone_beside_a_time_of_x12_is_read_or_doubted() {
    for (zone, expected) in [
        ("NT", "2026-02-18T14:00:00Z"),
        ("NS", "2026-02-18T14:00:00Z"),
        ("ND", "2026-02-18T13:00:00Z"),
        ("EST", "2026-02-18T15:30:00Z"),
        ("-0500", "2026-02-18T15:30:00Z"),
        ("ES", "2026-02-18T15:30:00Z"),
        ("LT", "2026-02-18T18:30:00Z"),
        ("", "2026-02-18T18:30:00Z"),
        ("QQ", "2026-02-18T18:30:00Z?"),
    ] {
        let file = x12_file(
            "322",
            &format!(
                "Q5*I*20260218*1030*{zone}**OAKLAND*CA*US
                 N7*QSDU*200011*43459*G*******CN
                 R4*5*UN*USOAK"
            ),
        );
        assert_eq!(at(&file), expected, "{zone}");
    }
}
