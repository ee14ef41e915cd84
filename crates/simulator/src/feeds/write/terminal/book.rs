//! A workbook of one sheet, every cell a text. Its parts are stored and not packed, so nothing is needed to
//! write it but their sums.

use std::fmt::Write as _;

/// The workbook of these rows.
pub(super) fn of(rows: &[Vec<String>]) -> Vec<u8> {
    let mut sheet = format!("{XML}<worksheet xmlns=\"{MAIN}\"><sheetData>");
    for (index, cells) in rows.iter().enumerate() {
        let row = index + 1;
        let _ = write!(sheet, "<row r=\"{row}\">");
        for (column, text) in (b'A'..=b'Z').zip(cells) {
            let at = char::from(column);
            let cell = format!("<c r=\"{at}{row}\" t=\"inlineStr\"><is><t>{text}</t></is></c>");
            sheet.push_str(&cell);
        }
        sheet.push_str("</row>");
    }
    sheet.push_str("</sheetData></worksheet>");
    let kind = "application/vnd.openxmlformats-officedocument.spreadsheetml";
    let types = format!(
        "{XML}<Types xmlns=\"{OPEN}/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Override PartName=\"/xl/workbook.xml\" ContentType=\"{kind}.sheet.main+xml\"/>\
         <Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"{kind}.worksheet+xml\"/></Types>"
    );
    let workbook = format!(
        "{XML}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATED}\"><sheets>\
         <sheet name=\"Pier\" sheetId=\"1\" r:id=\"p1\"/></sheets></workbook>"
    );
    zip(&[
        ("[Content_Types].xml", types),
        ("_rels/.rels", related("officeDocument", "xl/workbook.xml")),
        ("xl/workbook.xml", workbook),
        (
            "xl/_rels/workbook.xml.rels",
            related("worksheet", "worksheets/sheet1.xml"),
        ),
        ("xl/worksheets/sheet1.xml", sheet),
    ])
}

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
const OPEN: &str = "http://schemas.openxmlformats.org";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATED: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn related(kind: &str, target: &str) -> String {
    format!(
        "{XML}<Relationships xmlns=\"{OPEN}/package/2006/relationships\">\
         <Relationship Id=\"p1\" Type=\"{RELATED}/{kind}\" Target=\"{target}\"/></Relationships>"
    )
}

/// An archive (APPNOTE 4.3): each part behind its header, then the directory, then where that is.
fn zip(parts: &[(&str, String)]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in parts {
        let begins = file.len();
        let mut entry = Vec::new();
        for word in [20, 0, 0, 0, 0x21] {
            put(&mut entry, word, 2);
        }
        put(&mut entry, sum(text.as_bytes()), 4);
        for word in [count(text.len()), count(text.len())] {
            put(&mut entry, word, 4);
        }
        put(&mut entry, count(name.len()), 2);
        put(&mut entry, 0, 2);
        file.extend(b"PK\x03\x04");
        file.extend(&entry);
        file.extend(name.as_bytes());
        file.extend(text.as_bytes());
        directory.extend(b"PK\x01\x02");
        put(&mut directory, 20, 2);
        directory.extend(&entry);
        // No comment, the first disk, no attributes.
        put(&mut directory, 0, 2);
        put(&mut directory, 0, 4);
        put(&mut directory, 0, 4);
        put(&mut directory, count(begins), 4);
        directory.extend(name.as_bytes());
    }
    let begins = file.len();
    file.extend(&directory);
    file.extend(b"PK\x05\x06");
    put(&mut file, 0, 4);
    put(&mut file, count(parts.len()), 2);
    put(&mut file, count(parts.len()), 2);
    put(&mut file, count(directory.len()), 4);
    put(&mut file, count(begins), 4);
    put(&mut file, 0, 2);
    file
}

/// The lowest bytes of a number, the lowest first.
fn put(bytes: &mut Vec<u8>, number: u32, width: usize) {
    bytes.extend(number.to_le_bytes().iter().take(width));
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// CRC-32 as archives have it.
fn sum(bytes: &[u8]) -> u32 {
    let rest = bytes.iter().fold(u32::MAX, |rest, byte| {
        (0..8).fold(rest ^ u32::from(*byte), |rest, _| {
            (rest >> 1) ^ if rest & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    });
    !rest
}
