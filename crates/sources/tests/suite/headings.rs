//! The line of the headings, and which column each of them is.

use domain::report::Value;
use sources::Parsed;
use sources::table::{Profile, parse};

use crate::told::{gazetteer, received_at};

fn read(format: &str, columns: &str, file: &str) -> Parsed {
    let mapping = format!(
        r#"
id = "pier"
protocol = "terminal-table"
terminal = "USOAK-Z985"
[format]
{format}
[columns]
{columns}
"#
    );
    let profile = Profile::parse(&mapping).unwrap();
    parse(&profile, file.as_bytes(), received_at(), &gazetteer())
}

/// The place in the yard that each row tells.
fn yards(parsed: &Parsed) -> Vec<String> {
    let reports = parsed.reports.iter();
    let yards = reports.filter_map(|located| match &located.report.value {
        Some(Value::YardLocation(text)) => Some(text.clone()),
        _ => None,
    });
    yards.collect()
}

/// Terminals write groups of columns over the headings, and leave the box's own heading to the first line.
const TWO_LINES: &str = "\
Number|Where|Holds|
||Customs|Spot
QSDU1000014|Yard|Hold|A12
";

#[test]
fn beside_a_numbered_column_the_headings_stand_in_their_line() {
    let columns = "container = \"#1\"\nyard_location = \"Spot\"";
    let parsed = read("header_row = 2", columns, TWO_LINES);
    assert_eq!(yards(&parsed), ["A12"]);
    assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
}

#[test]
fn a_heading_that_is_not_there_is_told_beside_a_numbered_column_too() {
    let columns = "container = \"#1\"\nyard_location = \"Spot\"\nbooking = \"Booking\"";
    for format in ["header_row = 2", "header_row = 1", ""] {
        let parsed = read(format, columns, TWO_LINES);
        let told = parsed
            .defects
            .iter()
            .filter(|d| d.reason == "the mapping names the column \"Booking\", which is not there");
        assert_eq!(told.count(), 1, "{format}: {:?}", parsed.defects);
    }
}

#[test]
fn a_table_without_headings_is_read_from_its_first_line() {
    let columns = "container = \"#1\"\nyard_location = \"#4\"";
    let parsed = read("", columns, "QSDU1000014|Yard|Hold|A12\n");
    assert_eq!(yards(&parsed), ["A12"]);
    // One that has them all the same is not read as a box.
    let columns = "container = \"#1\"\nyard_location = \"Spot\"";
    let parsed = read("", columns, "Number|Spot\nQSDU1000014|A12\n");
    assert_eq!(yards(&parsed), ["A12"]);
    assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
}

#[test]
fn two_columns_of_one_heading_are_no_column() {
    let file = "Box|Spot|Free|spot\nQSDU1000014|A12|Yes|B7\n";
    let parsed = read("", "container = \"Box\"\nyard_location = \"Spot\"", file);
    assert!(parsed.reports.is_empty() && parsed.envelope_broken);
    let [defect] = parsed.defects.as_slice() else {
        panic!("{:?}", parsed.defects)
    };
    assert_eq!(
        defect.reason,
        "two columns are called \"Spot\": name the one that is meant by its number, \"#2\" or \"#4\""
    );
    // One that is called so to the letter is meant, beside one that is called alike.
    let alike = "Box|S.p.o.t.|Free|Spot\nQSDU1000014|A12|Yes|B7\n";
    assert_eq!(
        yards(&read(
            "",
            "container = \"Box\"\nyard_location = \"Spot\"",
            alike
        )),
        ["B7"]
    );
    // Where it is not read, or is told by its number, there may be as many as they like.
    let free = "container = \"Box\"\navailable = \"Free\"";
    assert!(!read("", free, file).envelope_broken);
    let numbered = "container = \"Box\"\nyard_location = \"#4\"";
    assert_eq!(yards(&read("", numbered, file)), ["B7"]);
}
