//! Of which box and of which terminal the row of a sheet is.

use sources::table::{Profile, parse};

use crate::told::{gazetteer, received_at};

/// The facility of a row in a sheet of Los Angeles, and the defects.
fn of(facility: &str) -> (Option<String>, Vec<(String, String)>) {
    let mapping = r#"
id = "list"
protocol = "terminal-table"
port = "USLAX"
[columns]
container = "Box"
facility = "Terminal"
available = "Free"
"#;
    let profile = Profile::parse(mapping).unwrap();
    let file = format!("Box|Terminal|Free\nQSDU1000014|{facility}|No\nQSDU1000014|{facility}|No\n");
    let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
    let defects = parsed.defects.into_iter().map(|d| (d.place, d.reason));
    let place = parsed.reports[0].report.place.clone();
    let known = gazetteer();
    let terminal = place
        .locode
        .zip(place.facility_code)
        .and_then(|(port, code)| {
            let terminal = known.terminal_at(port, &code)?;
            Some(terminal.code.clone())
        });
    (terminal, defects.collect())
}

#[test]
fn a_terminal_is_found_by_its_codes_its_name_and_what_people_call_it() {
    for facility in [
        "Y258",
        "TRAP",
        "TraPac Los Angeles",
        "trapac la",
        "USLAX-Y258",
    ] {
        let found = Some("USLAX-Y258".to_owned());
        assert_eq!(of(facility), (found, vec![]), "{facility}");
    }
    // Nothing is guessed from a part of a name.
    for facility in ["TraPac", "Terminal 5", "Los Angeles"] {
        assert_eq!(of(facility), (None, vec![]), "{facility}");
    }
}

#[test]
fn a_terminal_of_another_port_is_told_once() {
    for code in ["Z952", "TTI"] {
        let (terminal, defects) = of(code);
        assert_eq!(terminal, None);
        let reason = format!("\"{code}\" is a terminal of USLGB, and none of USLAX");
        assert_eq!(defects, [("line 2.Terminal".to_owned(), reason)]);
    }
}

#[test]
fn a_number_that_was_cut_is_no_other_box() {
    let read = |columns: &str, row: &str| {
        let mapping = format!(
            "id = \"pier\"\nprotocol = \"terminal-table\"\nterminal = \"USLAX-Y258\"\n[columns]\ncontainer = {columns}\navailable = \"Free\"\n"
        );
        let profile = Profile::parse(&mapping).unwrap();
        let file = format!("Owner|Box|Free\n{row}|Yes\n");
        let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
        (parsed.reports.len(), parsed.defects.len())
    };
    assert_eq!(read("\"Box\"", "|QSDU10000"), (0, 1));
    assert_eq!(read("\"Box\"", "|QSDU100001"), (1, 0));
    // A serial of its own lost its zeros to a spreadsheet.
    assert_eq!(read("[\"Owner\", \"Box\"]", "QSDU|10000"), (1, 0));
}
