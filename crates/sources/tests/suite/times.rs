//! What stands in a column of times: dates without a year, cells that name no date, instants that programs count, and objects.

use domain::report::{Report, Value, Verb};
use jiff::Timestamp;
use rust_decimal::Decimal;
use sources::Parsed;
use sources::table::{Profile, parse};

use crate::told::gazetteer;

const MAPPING: &str = r#"
id = "pier"
protocol = "terminal-table"
terminal = "USSAV-L737"
[columns]
container = "box"
last_free_day = "free"
appointment = "slot"
[moves]
full_out = "out"
"#;

const MONTH_FIRST: &str = "[times]\ndates = \"month-first\"\n";
const DAY_FIRST: &str = "[times]\ndates = \"day-first\"\n";

fn received_at() -> Timestamp {
    "2026-11-28T12:00:00Z".parse().unwrap()
}

fn read(mapping: &str, file: &str) -> Parsed {
    let profile = Profile::parse(mapping).unwrap();
    parse(&profile, file.as_bytes(), received_at(), &gazetteer())
}

/// What is read where this text stands in each of the columns of times.
fn text(more: &str, text: &str) -> Parsed {
    let file = format!("box|free|slot|out\nQSDU1000014|{text}|{text}|{text}\n");
    read(&format!("{MAPPING}{more}"), &file)
}

/// The same of a value of JSON.
fn value(more: &str, value: &str) -> Parsed {
    let file =
        format!(r#"[{{"box":"QSDU1000014","free":{value},"slot":{value},"out":{value},"x":"y"}}]"#);
    read(&format!("{MAPPING}{more}"), &file)
}

fn reports(parsed: &Parsed) -> impl Iterator<Item = &Report> {
    parsed.reports.iter().map(|located| &located.report)
}

/// The last free day, the appointment and the moment of the gate-out.
fn told(parsed: &Parsed) -> (Option<String>, Option<String>, Option<String>) {
    let (mut free, mut slot, mut out) = (None, None, None);
    for report in reports(parsed) {
        match &report.value {
            Some(Value::LastFreeDay(_, day)) => free = Some(day.date.to_string()),
            Some(Value::Appointment(at)) => slot = Some(at.to_string()),
            _ if report.verb == Verb::GateOut => {
                out = report.occurred.as_ref().map(|told| told.at.to_string());
            }
            _ => {}
        }
    }
    (free, slot, out)
}

fn reasons(parsed: &Parsed) -> Vec<&str> {
    let defects = parsed.defects.iter();
    defects.map(|defect| defect.reason.as_str()).collect()
}

#[test]
fn the_hour_behind_a_date_is_never_its_year() {
    for (order, cells) in [
        (
            MONTH_FIRST,
            &[
                "11/25",
                "11/22 10:00",
                "11/22 09:19",
                "11/22 0919",
                "11/22 1000",
                "11/22 2026",
                "11/22 26:10",
                "11/22 10:00:00",
                "11-22 10:00",
                "11.22 10:00",
                "1/5 10:00",
                "12/01 00:00",
                "12/01 07:00-08:00",
                "12/01 26:00",
                "11/26 10:00 AM",
                "11/26 10 AM",
                "11/26 10:15 PM",
                "11/26 @ 14:00",
                "11/26@14",
                "11/26T10:00",
                "11/26 10:00 EST",
                "11/26 (10:15)",
                "11/26-14:00",
                "11/26-1400",
                "11/30 - 10:00",
                "11/30 10:00-11:00",
                "11/26 10h15",
                "1122 0919",
                "2015 11/26",
                "10:15 11/26",
            ][..],
        ),
        (
            DAY_FIRST,
            &[
                "25/11",
                "25/11 23:59",
                "22/11 09:19",
                "22.11. 10:00",
                "26.11 20:00",
                "26.11. 2015",
                "2011 1015",
            ],
        ),
        (
            "",
            &[
                "26-Nov",
                "Nov 26",
                "26-Nov 10:15",
                "26-Dec 20:00",
                "26-Nov 2015",
                "26 NOV 2300",
                "26 NOV 1015",
                "26 NOV 2015",
                "26 NOV 10 15",
                "27 NOV 0900",
                "24NOV 2315",
                "24NOV 2026",
                "22-Nov 10:15",
                "26NOV10:15",
                "26NOV10:15:00",
                "26-Nov-10:15",
                "26/NOV 10:15",
                "26 Nov 14:00",
                "Nov 22 10:00",
                "Nov 26 00:00",
                "Nov 30, 10:00",
                "Nov-30 26:30",
                "27 Dec 14:00",
                "27 Dec 14:00-15:00",
                "10:15 26-Nov",
                "2026-Nov 10:15",
            ],
        ),
    ] {
        for cell in cells {
            let parsed = text(order, cell);
            assert_eq!(told(&parsed), (None, None, None), "{cell}");
            for reason in reasons(&parsed) {
                // What has its hour in front is only no time.
                let says = reason == format!("{cell:?} has no year");
                let is_odd = cell.starts_with("10:15") || cell.starts_with("2026-Nov");
                assert!(says || is_odd, "{cell}: {reason}");
            }
            assert_eq!(parsed.defects.len(), 3, "{cell}");
        }
    }
    // `10:15:26` is no 15th of October.
    assert_eq!(told(&text(MONTH_FIRST, "10:15:26")), (None, None, None));
}

#[test]
fn a_year_is_read_wherever_it_stands() {
    let at = |parsed: &Parsed| told(parsed).2;
    let (day, minute) = ("2026-11-22T05:00:00Z", "2026-11-22T15:00:00Z");
    for (text_of, out) in [
        ("22-Nov-26", day),
        ("22NOV26", day),
        ("22 Nov 26", day),
        ("22 NOV 2026", day),
        ("Nov 22 2026", day),
        ("Nov 22, 2026", day),
        ("Nov 22,2026", day),
        ("Nov22, 2026", day),
        ("22. Nov. 2026", day),
        ("22/11/26", day),
        ("2026 Nov 22", day),
        ("2026 11 22", day),
        ("22NOV26 1000", minute),
        ("22 NOV 26 1000", minute),
        ("22 NOV 2026 1000", minute),
        ("22-Nov 2026 10:00", minute),
        ("11/22 2026 10:00", minute),
        ("22NOV2026:10:00:00", minute),
        ("22NOV26:10:00:00", minute),
        ("Nov 22, 2026, 10:00 AM", minute),
        ("11/22/2026 10:00", minute),
        ("22-Nov-2026 10:00", minute),
        ("2026-Nov-22 10:00", minute),
        ("2026-11-22:10:00", minute),
        ("2026:11:22 10:00:00", minute),
    ] {
        let parsed = text("", text_of);
        assert_eq!(at(&parsed).as_deref(), Some(out), "{text_of}");
        assert_eq!(parsed.defects, [], "{text_of}");
    }
}

/// Neither as the time of a whole list nor behind a status.
#[test]
fn an_hour_is_no_year_in_the_other_columns_of_times() {
    let list = r#"
id = "pier"
protocol = "terminal-table"
terminal = "USSAV-L737"
[columns]
container = "box"
as_of = "seen"
status = "word"
[words.status]
"Out-Gated" = "full_out"
"#;
    let parsed = read(
        &format!("{list}{MONTH_FIRST}"),
        "box|seen|word\nQSDU1000014|11/28 14:00|\n",
    );
    assert_eq!(parsed.reports, []);
    assert_eq!(reasons(&parsed), ["\"11/28 14:00\" has no year"]);
    for status in [
        "Out-Gated 11/22 10:15",
        "Out-Gated (11/22 10:15)",
        "Out-Gated 26-Nov 10:15",
    ] {
        let file = format!("box|seen|word\nQSDU1000014||{status}\n");
        let parsed = read(&format!("{list}{MONTH_FIRST}"), &file);
        assert!(
            reports(&parsed).all(|report| report.verb == Verb::Document),
            "{status}"
        );
    }
}

#[test]
fn what_a_database_writes_for_no_date_is_an_empty_cell() {
    for cell in [
        "0001-01-01T00:00:00",
        "0001-01-01T00:00:00Z",
        "0001-01-01 00:00:00.0000000",
        "1/1/0001 12:00:00 AM",
        "01/01/0001 00:00:00",
        "1900-01-01T00:00:00",
        "1900-01-01",
        "01/01/1900",
        "1/0/1900",
        "01-Jan-1900",
        "19000101",
        "12/30/1899",
        "30.12.1899 00:00",
        "1753-01-01",
        "1970-01-01T00:00:00Z",
        "0000-00-00",
        "0000-00-00 00:00:00",
        "00/00/0000",
        "00000000",
        "9999-12-31T23:59:59",
        "12/31/9999",
        "/Date(-62135596800000)/",
        "/Date(-62135578800000-0500)/",
    ] {
        for more in ["", MONTH_FIRST] {
            let parsed = text(more, cell);
            assert_eq!(parsed.defects, [], "{cell}");
            assert_eq!(parsed.reports, [], "{cell}");
        }
    }
    // An hour of such a day, and other days, are mistakes.
    for cell in ["1900-01-01 10:15", "01/02/1900", "1905-03-04"] {
        assert_eq!(text(MONTH_FIRST, cell).defects.len(), 3, "{cell}");
    }
    for empty in ["0", "{}", "[]", "[null]"] {
        let parsed = value("", empty);
        assert_eq!(parsed.defects, [], "{empty}");
        assert_eq!(told(&parsed), (None, None, None), "{empty}");
    }
}

#[test]
fn a_word_that_names_no_date_yet_is_an_empty_cell() {
    for cell in [
        "TBD",
        "tba",
        "Pending",
        "To be determined",
        "T.B.D.",
        "Not Available",
        "NOT YET",
        "n/a",
        "-",
    ] {
        let parsed = text("", cell);
        assert_eq!(parsed.defects, [], "{cell}");
        assert_eq!(parsed.reports, [], "{cell}");
    }
    // Whoever says that there is none takes the appointment back, and nothing else.
    let own = "[words]\nnone = [\"no free time\", \"Unlimited\"]\n";
    for (more, cell) in [("", "None"), ("", "NIL"), (own, "No Free Time")] {
        let parsed = text(more, cell);
        assert_eq!(parsed.defects, [], "{cell}");
        let values: Vec<_> = reports(&parsed).map(|report| &report.value).collect();
        assert_eq!(values, [&Some(Value::NoAppointment)], "{cell}");
    }
    for cell in ["Hold", "see clerk", "2026-11-28 (Expired)"] {
        assert_eq!(text("", cell).defects.len(), 3, "{cell}");
    }
}

/// What a status waits for counts from its row, as where the cell is blank.
#[test]
fn a_status_without_a_date_yet_is_as_of_its_row() {
    let mapping = r#"
id = "pier"
protocol = "terminal-table"
terminal = "USSAV-L737"
[columns]
container = "box"
as_of = "seen"
status = "word"
status_at = "since"
[words.status]
"Out" = "full_out"
"#;
    let out = |since: &str| {
        let file = format!("box|seen|word|since\nQSDU1000014|2026-11-27T10:00:00Z|Out|{since}\n");
        let parsed = read(mapping, &file);
        assert_eq!(parsed.defects, [], "{since}");
        told(&parsed).2
    };
    for since in ["", "TBD", "0001-01-01T00:00:00"] {
        assert_eq!(
            out(since).as_deref(),
            Some("2026-11-27T10:00:00Z"),
            "{since}"
        );
    }
    assert_eq!(
        out("2026-11-26T10:00:00Z").as_deref(),
        Some("2026-11-26T10:00:00Z")
    );
}

#[test]
fn a_count_of_seconds_or_milliseconds_is_an_instant() {
    let instant = Some("2026-11-26T05:30:00Z".to_owned());
    let expected = (Some("2026-11-26".to_owned()), instant.clone(), instant);
    for count in [
        "1795671000000",
        "\"1795671000000\"",
        "1795671000",
        "\"/Date(1795671000000)/\"",
        "\"\\/Date(1795671000000-0600)\\/\"",
        "\"/Date(1795671000000+1300)/\"",
    ] {
        for more in ["", MONTH_FIRST, "[times]\nz_is_local = true\n"] {
            let parsed = value(more, count);
            assert_eq!(told(&parsed), expected, "{count}");
            assert_eq!(parsed.defects, [], "{count}");
        }
    }
    for text_of in ["1795671000000", "/Date(1795671000000)/"] {
        assert_eq!(told(&text("", text_of)), expected, "{text_of}");
    }
    // A date without signs between its parts is one, as before.
    let parsed = value("", "202611261030");
    assert_eq!(told(&parsed).2.as_deref(), Some("2026-11-26T15:30:00Z"));
    // Ten digits of a text may be a date, and what would be decades away is no instant.
    for other in [
        "\"1795671000\"",
        "2611251400",
        "2026112514",
        "\"2026112515301\"",
        "17956710000",
        "179567100000",
        "-1795671000",
        "1795671000.5",
        "95671000000000000000",
        "\"/Date(soon)/\"",
        "\"/Date(1795671000000-06)/\"",
        "\"/Date(99999999999999999999)/\"",
        "\"/Date(1795671000000-9900)/\"",
    ] {
        let parsed = value("", other);
        assert_eq!(told(&parsed), (None, None, None), "{other}");
        assert_eq!(parsed.defects.len(), 3, "{other}");
    }
    let seconds = "[times]\nformats = [\"%s\"]\n";
    assert_eq!(told(&text(seconds, "1795671000")), expected);
}

#[test]
fn an_object_in_place_of_a_time_is_called_one() {
    for (nested, is) in [
        (r#"{"date":"2026-11-30"}"#, "an object"),
        (r#"["2026-11-30"]"#, "a list"),
        (r#"[{"date":"2026-11-30"}]"#, "a list"),
    ] {
        let parsed = value("", nested);
        let (time, date) = (format!("{is} is no time"), format!("{is} is no date"));
        assert_eq!(
            reasons(&parsed),
            [date.as_str(), time.as_str(), time.as_str()]
        );
    }
}

#[test]
fn a_mass_is_in_the_unit_of_its_column() {
    let mapping = |more: &str| {
        format!(
            "id = \"pier\"\nprotocol = \"terminal-table\"\nterminal = \"USSAV-L737\"\n{more}\n[columns]\n\
             container = \"box\"\ngross_mass = \"weight\"\nmass_unit = \"unit\"\n"
        )
    };
    let mass = |more: &str, weight: &str, unit: &str| {
        let file = format!(r#"[{{"box":"QSDU1000014","weight":{weight},"unit":{unit},"x":"y"}}]"#);
        let parsed = read(&mapping(more), &file);
        let gear = reports(&parsed).find_map(|report| report.equipment.clone());
        let kg = gear.and_then(|gear| gear.gross_kg);
        let reasons: Vec<String> = reasons(&parsed).into_iter().map(str::to_owned).collect();
        (kg.map(|kg: Decimal| kg.to_string()), reasons)
    };
    let none = Vec::<String>::new;
    let kg = |kg: &str| (Some(kg.to_owned()), none());
    for unit in ["L", "lb", "LBS", "LBR", "P", "Pounds"] {
        assert_eq!(
            mass("", "\"44000\"", &format!("\"{unit}\"")),
            kg("19958.064"),
            "{unit}"
        );
    }
    for unit in ["K", "kg", "KGS", "KGM"] {
        assert_eq!(
            mass("mass = \"lb\"", "44000", &format!("\"{unit}\"")),
            kg("44000"),
            "{unit}"
        );
    }
    assert_eq!(mass("", "18.75", "\"MT\""), kg("18750"));
    // Where no unit stands it is that of the mapping, and one beside the number counts first.
    assert_eq!(mass("mass = \"lb\"", "1000", "null"), kg("453.592"));
    assert_eq!(mass("", "\"22020 KG\"", "\"L\""), kg("22020"));
    assert_eq!(mass("", "\"1,000 lbs\"", "\"K\""), kg("453.592"));
    let odd = "\"stone\" is no unit of a mass".to_owned();
    assert_eq!(mass("", "44000", "\"stone\""), (None, vec![odd]));
    let odd = "an object is no mass".to_owned();
    assert_eq!(
        mass("", r#"{"value":8200,"unit":"KGM"}"#, "null"),
        (None, vec![odd])
    );
    for weight in ["24 tons", "VGM", "22020 kg / 48500 lb", "220,200 kg"] {
        let odd = format!("\"{weight}\" is no mass of a box that can be read");
        let weight = format!("\"{weight}\"");
        assert_eq!(mass("", &weight, "null"), (None, vec![odd]));
    }
    // A unit without its mass says nothing, nor does a box that was not weighed.
    assert_eq!(mass("", "null", "\"stone\""), (None, none()));
    for weight in ["0", "\"0.00 KG\"", "\"N/A\""] {
        assert_eq!(mass("", weight, "null"), (None, none()), "{weight}");
    }
}
