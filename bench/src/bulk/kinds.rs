//! The files: one of each kind, as long as asked for, and two of which nothing can be used.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use anyhow::Result;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::dice::Dice;
use crate::parse::{edifact, json, x12};

/// One kind of file, and the profile that reads it.
pub struct Kind {
    pub name: &'static str,
    pub profile: &'static str,
    pub file: Vec<u8>,
}

const EDI: &str = "protocol = \"edi\"";
const DCSA: &str = "protocol = \"dcsa-2\"\nscac = \"BNCH\"\n[line]\nname = \"Bench Line\"\n[endpoint]\n\
    base = \"https://bench.invalid\"";
const TABLE: &str = "protocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n[columns]\ncontainer = \"Box\"\n\
    as_of = \"At\"\navailable = \"Free\"\nholds = \"Holds\"";
const RECORDS: &str = "protocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n[format]\nkind = \"json\"\n\
    records = \"boxes\"\n[columns]\ncontainer = \"Box\"\nas_of = \"At\"\navailable = \"Free\"\nholds = \"Holds\"\n[holds]\n\
    complete = true";

/// All of them, each of so many bytes.
pub fn kinds(bytes: usize) -> Result<Vec<Kind>> {
    let files = [
        ("DCSA", DCSA, json(bytes)?),
        ("X12", EDI, x12(bytes)),
        ("EDIFACT", EDI, edifact(bytes)),
        ("CSV", TABLE, csv(bytes)),
        ("CSV, narrow", TABLE, narrow(bytes)),
        ("XLSX", TABLE, xlsx(bytes)?),
        ("JSON", RECORDS, records(bytes)),
        ("CLM", "protocol = \"clm\"", clm(bytes)),
        ("AIS", "protocol = \"ais\"\nlive = true", ais(bytes)),
        (
            "bad DCSA",
            DCSA,
            [b"[{}".as_slice(), &b",{}".repeat(bytes / 3), b"]"].concat(),
        ),
        ("bad X12", EDI, bad_x12(bytes)),
    ];
    let kinds = files.map(|(name, profile, file)| Kind {
        name,
        profile,
        file,
    });
    Ok(kinds.into())
}

/// Lines until there are enough of them.
fn lines(head: &str, bytes: usize, line: impl Fn(&mut String, u32)) -> Vec<u8> {
    let mut file = String::from(head);
    for number in 0.. {
        if file.len() >= bytes {
            break;
        }
        line(&mut file, number);
    }
    file.into_bytes()
}

/// A page of a terminal, with the columns that it has beside those that count.
fn csv(bytes: usize) -> Vec<u8> {
    lines("Box,At,Free,Holds,Remark\n", bytes, |file, number| {
        let _ = writeln!(
            file,
            "BNCU{number:06},2026-03-14T08:00,N,CUSTOMS,\"{:0<360}\"",
            "as the gate has it"
        );
    })
}

/// The same without a remark: more rows than are read.
fn narrow(bytes: usize) -> Vec<u8> {
    lines("Box,At,Free,Holds\n", bytes, |file, number| {
        let _ = writeln!(file, "BNCU{number:06},2026-03-14T08:00,N,CUSTOMS");
    })
}

/// The same as records of an interface.
fn records(bytes: usize) -> Vec<u8> {
    let mut file = lines("{\"boxes\":[", bytes, |file, number| {
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(
            file,
            "{comma}{{\"Box\":\"BNCU{number:06}\",\"At\":\"2026-03-14T08:00\",\"Free\":\"N\",\"Holds\":\"CUSTOMS\",\
             \"remark\":\"{:0<300}\"}}",
            "as the gate has it"
        );
    });
    file.extend(b"]}");
    file
}

/// The same as a spreadsheet: `bytes` of it packed. Remarks that are all different are what such a file is long by.
fn xlsx(bytes: usize) -> Result<Vec<u8>> {
    let mut dice = Dice(1);
    let (mut texts, mut rows, mut count) = (String::new(), String::new(), 0_u32);
    // Five bits of eight are news; 16 MiB of shared texts are the most that is read.
    while texts.len() < bytes / 8 * 13 {
        let remark: String = (0..360)
            .filter_map(|_| char::from_u32(u32::from(b'a') + dice.below(26)))
            .collect();
        let (row, first) = (count + 2, 5 + count * 2);
        let _ = write!(
            texts,
            "<si><t>BNCU{count:06}</t></si><si><t>{remark}</t></si>"
        );
        let _ = write!(
            rows,
            "<row r=\"{row}\"><c r=\"A{row}\" t=\"s\"><v>{first}</v></c><c r=\"B{row}\" t=\"str\"><v>2026-03-14T08:00</v></c>\
             <c r=\"C{row}\" t=\"b\"><v>0</v></c><c r=\"D{row}\" t=\"str\"><v>CUSTOMS</v></c>\
             <c r=\"E{row}\" t=\"s\"><v>{}</v></c></row>",
            first + 1
        );
        count += 1;
    }
    let names = ["Box", "At", "Free", "Holds", "Remark"];
    let heads: String = names.map(|name| format!("<si><t>{name}</t></si>")).concat();
    let mut head = String::new();
    for (place, column) in ["A", "B", "C", "D", "E"].iter().enumerate() {
        let _ = write!(head, "<c r=\"{column}1\" t=\"s\"><v>{place}</v></c>");
    }
    let main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    let package = "xmlns=\"http://schemas.openxmlformats.org/package/2006";
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let relation = |id: u8, kind: &str, target: &str| {
        format!("<Relationship Id=\"r{id}\" Type=\"{office}/{kind}\" Target=\"{target}\"/>")
    };
    let parts = [
        (
            "[Content_Types].xml",
            format!(
                "<Types {package}/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>"
            ),
        ),
        (
            "_rels/.rels",
            format!(
                "<Relationships {package}/relationships\">{}</Relationships>",
                relation(1, "officeDocument", "xl/workbook.xml")
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                "<workbook {main} xmlns:r=\"{office}\"><sheets><sheet name=\"Yard\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships {package}/relationships\">{}{}</Relationships>",
                relation(1, "worksheet", "worksheets/sheet1.xml"),
                relation(2, "sharedStrings", "sharedStrings.xml")
            ),
        ),
        (
            "xl/sharedStrings.xml",
            format!("<sst {main}>{heads}{texts}</sst>"),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!(
                "<worksheet {main}><sheetData><row r=\"1\">{head}</row>{rows}</sheetData></worksheet>"
            ),
        ),
    ];
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(name, SimpleFileOptions::default())?;
        zip.write_all(text.as_bytes())?;
    }
    Ok(zip.finish()?.into_inner())
}

/// Sightings of boxes on cars.
fn clm(bytes: usize) -> Vec<u8> {
    lines("", bytes, |file, number| {
        let _ = writeln!(
            file,
            "1BNCU{:06}202603140800A  CHICAGO  IL{:<200}",
            number % 1_000_000,
            ""
        );
    })
}

/// Positions of vessels, line after line.
fn ais(bytes: usize) -> Vec<u8> {
    lines("", bytes, |file, number| {
        // What came in a second of its own is a sighting of its own.
        let tag = format!("c:{}", 1_773_000_000 + number / 40);
        let sentence = format!("AIVDM,1,1,,A,{},0", position(200_000_000 + number % 40));
        let sum = |text: &str| text.bytes().fold(0, |sum, byte| sum ^ byte);
        let _ = writeln!(
            file,
            "\\{tag}*{:02X}\\!{sentence}*{:02X}",
            sum(&tag),
            sum(&sentence)
        );
    })
}

/// A position report of class A, armoured: six bits in each character.
fn position(mmsi: u32) -> String {
    let fields: [(u32, u32); 16] = [
        (1, 6),
        (0, 2),
        (mmsi, 30),
        (0, 4),
        (0, 8),
        (120, 10),
        (0, 1),
        (6_000_000, 28),
        (24_000_000, 27),
        (900, 12),
        (90, 9),
        (10, 6),
        (0, 2),
        (0, 3),
        (0, 1),
        (0, 19),
    ];
    let bits = fields
        .iter()
        .flat_map(|(value, width)| (0..*width).rev().map(move |bit| value >> bit & 1));
    let bits: Vec<u32> = bits.collect();
    let six = bits
        .chunks(6)
        .map(|six| six.iter().fold(0, |sum, bit| sum * 2 + bit));
    six.filter_map(|value| char::from_u32(if value < 40 { value + 48 } else { value + 56 }))
        .collect()
}

/// Sets of which each says that nothing happened.
fn bad_x12(bytes: usize) -> Vec<u8> {
    let head = "ISA*00*          *00*          *ZZ*BENCHLINE      *ZZ*BENCHUSER      *260314*0600*U*00401*000000041*0*P*>~\
        GS*QO*BENCHLINE*BENCHUSER*20260314*0600*41*X*004010~";
    lines(head, bytes, |file, number| {
        let _ = write!(
            file,
            "ST*315*{number:07}~B4***VD**BNCU*200000*L~SE*3*{number:07}~"
        );
    })
}
