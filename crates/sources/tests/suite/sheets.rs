//! Spreadsheets: what is read, and what is refused before it can do harm.

use std::io::{Cursor, Write};
use std::sync::LazyLock;

use domain::place::Gazetteer;
use domain::report::{Report, Value, Verb};
use sources::table::{Profile, parse};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::told::{gazetteer, lines, received_at};

const MAPPING: &str = r#"
id = "sheet"
protocol = "terminal-table"
terminal = "USOAK-Z985"
[columns]
container = "Box"
available = "Free"
last_free_day = "LFD"
appointment = "Slot"
"#;

/// A cell as it stands in the file.
pub enum In<'a> {
    Text(&'a str),
    Number(f64),
    /// A number that is shown as date and time.
    Date(f64),
    Flag(bool),
    Nothing,
}

/// A workbook of one sheet.
pub fn workbook(rows: &[Vec<In<'_>>]) -> Vec<u8> {
    let rows = rows.iter().enumerate().map(|(row, cells)| {
        let cells = cells.iter().enumerate();
        let cells: String = cells
            .map(|(column, cell)| written(row, column, cell))
            .collect();
        format!(r#"<row r="{}">{cells}</row>"#, row + 1)
    });
    let rows: String = rows.collect();
    let sheet = format!(
        r#"<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"#
    );
    packed(&[("xl/worksheets/sheet1.xml", sheet.as_bytes())])
}

fn written(row: usize, column: usize, cell: &In<'_>) -> String {
    let at = format!(
        "{}{}",
        char::from(b'A' + u8::try_from(column).unwrap()),
        row + 1
    );
    match cell {
        In::Text(text) => format!(r#"<c r="{at}" t="inlineStr"><is><t>{text}</t></is></c>"#),
        In::Number(number) => format!(r#"<c r="{at}"><v>{number}</v></c>"#),
        In::Date(number) => format!(r#"<c r="{at}" s="1"><v>{number}</v></c>"#),
        In::Flag(flag) => format!(r#"<c r="{at}" t="b"><v>{}</v></c>"#, u8::from(*flag)),
        In::Nothing => String::new(),
    }
}

/// The parts that every workbook has, and these.
fn packed(parts: &[(&str, &[u8])]) -> Vec<u8> {
    packed_by(CompressionMethod::Deflated, parts)
}

fn packed_by(method: CompressionMethod, parts: &[(&str, &[u8])]) -> Vec<u8> {
    const TYPES: &str = r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>"#;
    const RELATIONS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
    const BOOK: &str = r#"<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Yard" sheetId="1" r:id="r1"/></sheets></workbook>"#;
    const OF_BOOK: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
    const STYLES: &str = r#"<?xml version="1.0"?><styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="22" applyNumberFormat="1"/></cellXfs></styleSheet>"#;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let usual = [
        ("[Content_Types].xml", TYPES.as_bytes()),
        ("_rels/.rels", RELATIONS.as_bytes()),
        ("xl/workbook.xml", BOOK.as_bytes()),
        ("xl/_rels/workbook.xml.rels", OF_BOOK.as_bytes()),
        ("xl/styles.xml", STYLES.as_bytes()),
    ];
    let is_own = |name: &str| parts.iter().any(|(own, _)| *own == name);
    let usual = usual.iter().filter(|(name, _)| !is_own(name));
    for (name, bytes) in usual.chain(parts) {
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

static GAZETTEER: LazyLock<Gazetteer> = LazyLock::new(gazetteer);
static PROFILE: LazyLock<Profile> = LazyLock::new(|| Profile::parse(MAPPING).unwrap());

fn read(bytes: &[u8]) -> sources::Parsed {
    parse(&PROFILE, bytes, received_at(), &GAZETTEER)
}

/// A sheet of this crate's tests with a box in it.
pub fn sound() -> Vec<u8> {
    workbook(&[
        vec![In::Text("Yard list")],
        vec![
            In::Text("Box"),
            In::Text("Free"),
            In::Text("LFD"),
            In::Text("Slot"),
        ],
        // 46099 is 18 March 2026.
        vec![
            In::Text("QSDU1000014"),
            In::Flag(true),
            In::Date(46_099.0),
            In::Date(46_097.5),
        ],
        vec![In::Nothing, In::Nothing],
        vec![
            In::Text("QSDU1000020"),
            In::Number(0.0),
            In::Text("2026-03-19"),
            In::Nothing,
        ],
    ])
}

/// Whatever a cell of one row becomes, the other rows say what they said.
#[test]
fn a_damaged_row_changes_no_other() {
    const BOXES: [&str; 3] = ["QSDU1000014", "QSDU1000020", "QSDU1000035"];
    let rows = |sick: Option<(usize, usize)>, mut with: Option<In<'static>>| {
        let mut rows = vec![["Box", "Free", "LFD", "Slot"].map(In::Text).into()];
        for (row, number) in BOXES.into_iter().enumerate() {
            let mut cells = vec![
                In::Text(number),
                In::Flag(row == 1),
                In::Date(46_099.0),
                In::Date(46_097.5),
            ];
            if let Some((_, column)) = sick.filter(|(sick, _)| *sick == row) {
                cells[column] = with.take().unwrap();
            }
            rows.push(cells);
        }
        read(&workbook(&rows)).reports
    };
    let whole = rows(None, None);
    for sick in 0..BOXES.len() {
        let place = format!("Yard row {}", sick + 2);
        for column in 0..4 {
            for with in [
                In::Nothing,
                In::Text("#REF!"),
                In::Text("&amp;&lt;"),
                In::Number(-1e300),
                In::Date(9e9),
                In::Flag(true),
            ] {
                let damaged = rows(Some((sick, column)), Some(with));
                let others = |reports: &[sources::Located]| -> Vec<_> {
                    let kept = reports.iter().filter(|located| located.position != place);
                    kept.cloned().collect()
                };
                assert_eq!(others(&damaged), others(&whole), "{place} {column}");
                assert!(others(&whole).len() >= 6);
            }
        }
    }
}

/// A line of separators alone would take many times its length, and one of these may have twenty megabytes.
#[test]
fn a_line_of_far_too_many_cells_is_put_aside_alone() {
    let rows = [
        "Box,Free,LFD,Slot",
        "QSDU1000014,yes,,",
        "",
        "QSDU1000020,no,,",
    ];
    let sound = read(rows.join("\n").as_bytes());
    assert!(sound.reports.len() >= 2 && sound.defects.is_empty());
    let wide = ",".repeat(20_000);
    let rows = rows.map(|row| if row.is_empty() { wide.as_str() } else { row });
    let told = read(rows.join("\n").as_bytes());
    assert_eq!(told.reports, sound.reports);
    let defects = told.defects.iter();
    let defects: Vec<String> = defects
        .map(|d| format!("{}: {}", d.place, d.reason))
        .collect();
    assert_eq!(defects, ["line 3: 20001 cells, more than 10000"]);
}

/// One may have twenty megabytes, and each line would take many times its length.
#[test]
fn a_file_of_line_ends_is_put_aside_before_it_is_taken_apart() {
    let file = |lines| {
        format!(
            "Box,Free,LFD,Slot\nQSDU1000014,yes,,\n{}",
            "\n".repeat(lines)
        )
    };
    assert_eq!(read(file(900_000).as_bytes()).defects, []);
    let told = read(file(1_000_000).as_bytes());
    assert_eq!(told.reports, []);
    let defects = told.defects.iter();
    let defects: Vec<&str> = defects.map(|d| d.reason.as_str()).collect();
    let reason = "more than 1000000 lines are not read, so split the file";
    assert_eq!(defects, [reason]);
}

#[test]
fn cells_are_read_as_what_they_are() {
    let parsed = read(&sound());
    assert_eq!(parsed.defects, []);
    let told: Vec<(Verb, Option<Value>)> = parsed
        .reports
        .iter()
        .map(|located| (located.report.verb, located.report.value.clone()))
        .collect();
    let days: Vec<String> = told
        .iter()
        .filter_map(|(_, value)| match value {
            Some(Value::LastFreeDay(_, day)) => Some(day.date.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(days, ["2026-03-18", "2026-03-19"], "{:#?}", lines(&parsed));
    let slots: Vec<_> = told
        .iter()
        .filter_map(|(_, value)| match value {
            Some(Value::Appointment(at)) => Some(at.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(slots, ["2026-03-16T19:00:00Z"], "noon at the terminal");
    let free: Vec<Verb> = told.iter().map(|(verb, _)| *verb).collect();
    assert!(free.contains(&Verb::Available) && free.contains(&Verb::NotAvailable));
    assert_eq!(parsed.reports[0].position, "Yard row 3");
}

/// A workbook of several sheets: name, state, and the cells of its lines.
fn sheets(sheets: &[(&str, &str, &[&[&str]])]) -> Vec<u8> {
    let mut parts: Vec<(String, String)> = Vec::new();
    let (mut listed, mut related) = (Vec::new(), Vec::new());
    for (index, (name, state, lines)) in (1..).zip(sheets) {
        let rows = lines.iter().enumerate().map(|(row, cells)| {
            let cells = cells.iter().enumerate();
            let cells: String = cells
                .map(|(column, cell)| written(row, column, &In::Text(cell)))
                .collect();
            format!(r#"<row r="{}">{cells}</row>"#, row + 1)
        });
        let rows: String = rows.collect();
        let text = format!(
            r#"<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>"#
        );
        parts.push((format!("xl/worksheets/sheet{index}.xml"), text));
        listed.push(format!(
            r#"<sheet name="{name}" sheetId="{index}" state="{state}" r:id="s{index}"/>"#
        ));
        related.push(format!(
            r#"<Relationship Id="s{index}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet{index}.xml"/>"#
        ));
    }
    let (listed, related) = (listed.concat(), related.concat());
    parts.push((
        "xl/workbook.xml".into(),
        format!(
            r#"<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>{listed}</sheets></workbook>"#
        ),
    ));
    parts.push((
        "xl/_rels/workbook.xml.rels".into(),
        format!(
            r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{related}</Relationships>"#
        ),
    ));
    let parts: Vec<(&str, &[u8])> = parts
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_bytes()))
        .collect();
    packed(&parts)
}

#[test]
fn a_hidden_sheet_is_not_what_the_file_says_and_further_ones_are_told() {
    let heading = ["Box", "Free", "LFD", "Slot"];
    let yes: [&[&str]; 2] = [&heading, &["QSDU1000014", "Yes"]];
    let no: [&[&str]; 2] = [&heading, &["QSDU1000014", "No"]];
    let notes: [&[&str]; 1] = [&["Where", "to", "call"]];
    let titled: [&[&str]; 3] = [&["April"], &heading, &["QSDU1000014", "No"]];
    let file = sheets(&[
        ("Last week", "hidden", &yes),
        ("Never", "veryHidden", &yes),
        ("March", "visible", &no),
        ("Notes", "visible", &notes),
        ("April", "visible", &titled),
    ]);
    let parsed = read(&file);
    let told: Vec<(&str, Verb)> = parsed
        .reports
        .iter()
        .map(|located| (located.position.as_str(), located.report.verb))
        .collect();
    assert_eq!(told, [("March row 2", Verb::NotAvailable)]);
    let defects = parsed.defects.iter();
    let defects: Vec<&str> = defects.map(|defect| defect.place.as_str()).collect();
    assert_eq!(defects, ["April"], "{:?}", parsed.defects);
    assert!(!parsed.envelope_broken && parsed.decisive.is_none());
    // Who names one has chosen.
    let text = format!("{MAPPING}[format]\nsheet = \"last week\"\n");
    let profile = Profile::parse(&text).unwrap();
    let parsed = parse(&profile, &file, received_at(), &GAZETTEER);
    assert_eq!(parsed.reports[0].report.verb, Verb::Available);
    assert_eq!(parsed.defects, []);
    // Where the first that is shown has no headings, that there is another one is told beside it.
    let cover = sheets(&[("Cover", "visible", &notes), ("March", "visible", &no)]);
    let parsed = read(&cover);
    assert!(parsed.envelope_broken && parsed.reports.is_empty());
    assert_eq!(parsed.defects[0].place, "March");
}

fn refusal(bytes: &[u8]) -> String {
    let parsed = read(bytes);
    assert!(
        parsed.envelope_broken && parsed.reports.is_empty(),
        "{parsed:?}"
    );
    parsed.defects[0].reason.clone()
}

#[test]
fn a_small_file_that_becomes_a_large_one_is_refused_while_it_is_small() {
    let zeros = vec![b' '; 120 * 1024 * 1024];
    let bomb = packed(&[("xl/worksheets/sheet1.xml", &zeros)]);
    assert!(bomb.len() < 1024 * 1024, "{}", bomb.len());
    assert!(
        refusal(&bomb).contains("inflates to more than"),
        "{}",
        refusal(&bomb)
    );
    let shared = vec![b'a'; 20 * 1024 * 1024];
    let bomb = packed(&[("xl/sharedStrings.xml", &shared)]);
    assert!(
        refusal(&bomb).contains("sharedStrings"),
        "{}",
        refusal(&bomb)
    );
    let names: Vec<String> = (0..1_100).map(|n| format!("part{n}")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert!(refusal(&packed(&many)).contains("parts"));
}

#[test]
fn a_half_written_sheet_is_refused_and_says_so() {
    let whole = sound();
    for length in [4, 40, whole.len() / 2, whole.len() - 1] {
        let reason = refusal(&whole[..length]);
        assert!(reason.contains("spreadsheet"), "{length}: {reason}");
    }
    let no_sheet = packed(&[]);
    assert!(refusal(&no_sheet).contains("spreadsheet"));
    let text = format!("{MAPPING}[format]\nsheet = \"Gate\"\n");
    let profile = Profile::parse(&text).unwrap();
    let parsed = parse(&profile, &whole, received_at(), &gazetteer());
    assert_eq!(
        parsed.defects[0].reason,
        "there is no sheet Some(\"Gate\"), only: Yard"
    );
}

#[test]
fn many_rows_stay_within_the_bound_and_the_rest_is_told() {
    let mut text = String::from("Box,Free,LFD,Slot\n");
    for _ in 0..60_000 {
        text += "QSDU1000014,Y,,\n";
    }
    let parsed = read(text.as_bytes());
    assert_eq!(parsed.reports.len(), sources::table::CLAIMS_MAX);
    let last = parsed.defects.last().unwrap();
    assert!(
        last.reason.starts_with("20000 more rows are left out"),
        "{last:?}"
    );
    let size = size_of::<Report>();
    assert!(
        size * sources::table::CLAIMS_MAX < 48 * 1024 * 1024,
        "{size}"
    );
}

/// The reader makes room for as many texts as are promised, before it looks for them.
#[test]
fn a_sheet_that_promises_more_texts_than_it_has_bytes_is_refused() {
    let [sheet, shared] = parts();
    let shared = String::from_utf8_lossy(shared);
    for promise in [
        "uniqueCount=\"99999999999\"",
        "count=\"2\" uniqueCount\n= '0000000000000000000000099999999999'",
        "uniqueCount uniqueCount=\"18446744073709551616\"",
    ] {
        let promised = shared.replace("uniqueCount=\"2\"", promise);
        let wide: Vec<u8> = promised.bytes().flat_map(|byte| [byte, 0]).collect();
        for text in [promised.into_bytes(), wide] {
            for name in ["xl/sharedStrings.xml", "xl/SharedStrings.XML"] {
                let reason = refusal(&packed(&[
                    ("xl/worksheets/sheet1.xml", sheet),
                    (name, &text),
                ]));
                assert!(reason.contains("promises"), "{promise}: {reason}");
            }
        }
    }
}

/// The parts of a workbook that hold its cells, as they are before they are packed.
pub fn parts() -> [&'static [u8]; 2] {
    const SHEET: &str = r#"<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:D2"/><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Box</t></is></c><c r="B1" t="inlineStr"><is><t>Free</t></is></c><c r="C1" t="s"><v>0</v></c><c r="D1" t="s"><v>1</v></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>QSDU1000014</t></is></c><c r="B2" t="b"><v>1</v></c><c r="C2" s="1"><v>46099</v></c><c r="D2" s="1"><v>46097.5</v></c></row></sheetData></worksheet>"#;
    const SHARED: &str = r#"<?xml version="1.0"?><sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="2" uniqueCount="2"><si><t>LFD</t></si><si><t>Slot</t></si></sst>"#;
    [SHEET.as_bytes(), SHARED.as_bytes()]
}

/// Reads a workbook with these in place of [`parts`], packed without being made smaller.
pub fn read_parts(parts: &[Vec<u8>; 2]) -> sources::Parsed {
    let [sheet, shared] = parts;
    let bytes = packed_by(
        CompressionMethod::Stored,
        &[
            ("xl/worksheets/sheet1.xml", sheet),
            ("xl/sharedStrings.xml", shared),
        ],
    );
    read(&bytes)
}

/// Found by a reviewer: a column that was missing stood as the reason for a file whose rows name no box.
#[test]
fn a_column_that_is_missing_is_not_why_a_file_is_put_aside() {
    let profile = Profile::parse(MAPPING).unwrap();
    let why = |text: &str| {
        let parsed = parse(&profile, text.as_bytes(), received_at(), &gazetteer());
        let defect = &parsed.defects[parsed.decisive.unwrap_or(0)];
        format!("{}: {}", defect.place, defect.reason)
    };
    let missing = why("Box,Free,LFD\nQSDU2000111,yes,\n");
    assert!(missing.contains("\"Slot\""), "{missing}");
    let row = why("Box,Free\n,yes\nQSDU2000111,yes\n");
    assert_eq!(row, "line 2.Box: a row names its box");
}
