//! CSV, in the many forms that go by that name.
//!
//! The separator is told by the mapping or by the lines themselves. A quote that is opened and never closed
//! would swallow every row behind it; so before anything is read, a line that leaves one open is joined with what
//! follows only if that makes a row as wide as the others, and else put aside alone. So is a line of far too many cells.

use std::borrow::Cow;
use std::collections::BTreeMap;

use csv::{ByteRecord, ReaderBuilder};

use super::super::cell::Cell;
use super::super::mapping::Profile;
use super::super::row::Read;
use super::{COLUMNS_MAX, Fault, HEADER_ROWS_MAX, ROWS_MAX, Table, alike};

/// Cells of a line that are read at most. More of them are no table, and a line of millions would take many times its length.
const CELLS_MAX: usize = 10_000;
/// Lines of a file that are read at most, those of nothing included. A file of line ends alone would take many times its length.
const LINES_MAX: usize = 4 * ROWS_MAX;
/// A quoted text may go over this many lines.
const QUOTED_LINES_MAX: usize = 20;
/// Separators that are tried, the usual one first.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Lines that are looked at for the separator.
const LOOKED_AT_MAX: usize = 20;

/// Reads all rows.
pub(super) fn rows(
    profile: &Profile,
    bytes: &[u8],
    told: &mut dyn FnMut(Read),
) -> Result<(), Fault> {
    let text = decoded(bytes);
    if text.bytes().filter(|byte| *byte == b'\n').count() > LINES_MAX {
        return Err(Fault {
            place: format!("line {}", LINES_MAX + 1),
            reason: format!("more than {LINES_MAX} lines are not read, so split the file"),
        });
    }
    let told_separator = profile.form.separator;
    let separator = told_separator
        .or_else(|| separator_of_header(&text, profile))
        .unwrap_or_else(|| separator(&text));
    let text = whole_lines(&text, separator, told);
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(text.as_bytes());
    let mut table = Table::new(profile);
    let mut record = ByteRecord::new();
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return table.end(),
            Err(error) => {
                return Err(Fault {
                    place: format!("line {}", reader.position().line()),
                    reason: error.to_string(),
                });
            }
        }
        let line = record
            .position()
            .map_or(0, |position| line(&text, position));
        let cells = record.iter().take(COLUMNS_MAX);
        let cells = cells
            .map(|cell| Cell::of_text(&String::from_utf8_lossy(cell)))
            .collect();
        table.line(line, format!("line {line}"), cells, told)?;
    }
}

/// The line on which a record begins; its position is that of the blank lines before it.
fn line(text: &str, position: &csv::Position) -> u64 {
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    let lines = blank.filter(|byte| **byte == b'\n').count();
    position.line() + u64::try_from(lines).unwrap_or_default()
}

/// The text in whatever encoding spreadsheets write it.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let utf16 = |bytes: &[u8], of: fn([u8; 2]) -> u16| {
        let (pairs, _) = bytes.as_chunks::<2>();
        let units = pairs.iter().map(|pair| of(*pair));
        char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect::<String>()
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        _ => String::from_utf8_lossy(bytes),
    }
}

/// The text with every line that would swallow others taken out; each leaves an empty one.
fn whole_lines<'t>(text: &'t str, separator: u8, told: &mut dyn FnMut(Read)) -> Cow<'t, str> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_sound = |line: &&str| {
        let scanned = scan(line, separator);
        !scanned.open && scanned.fields <= CELLS_MAX
    };
    if lines.iter().all(is_sound) {
        return Cow::Borrowed(text);
    }
    let usual = usual_width(&lines, separator);
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let scanned = scan(line, separator);
        let (rows, reason) = match scanned {
            Scanned { fields, .. } if fields > CELLS_MAX => {
                (0, format!("{fields} cells, more than {CELLS_MAX}"))
            }
            Scanned { open: true, .. } => {
                let rows = joined(&lines, at, separator, usual);
                (rows, "a quote is opened and not closed".to_owned())
            }
            Scanned { .. } => (1, String::new()),
        };
        if rows == 0 {
            told(Read::Damage {
                place: format!("line {}", at + 1),
                reason,
            });
            kept.push('\n');
        }
        let taken = lines.iter().skip(at).take(rows);
        taken.for_each(|line| kept.push_str(line));
        at += rows.max(1);
    }
    Cow::Owned(kept)
}

/// How many lines from here on are one row; none when they are not.
fn joined(lines: &[&str], at: usize, separator: u8, usual: usize) -> usize {
    let mut row = String::new();
    for (count, line) in lines.iter().skip(at).take(QUOTED_LINES_MAX).enumerate() {
        row.push_str(line);
        let scanned = scan(&row, separator);
        if !scanned.open {
            return if scanned.fields == usual {
                count + 1
            } else {
                0
            };
        }
    }
    0
}

struct Scanned {
    fields: usize,
    /// A quote is open at the end.
    open: bool,
}

fn scan(text: &str, separator: u8) -> Scanned {
    let (mut fields, mut open, mut start) = (1, false, true);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' if open && bytes.peek() == Some(&b'"') => _ = bytes.next(),
            b'"' if open => open = false,
            b'"' if start => open = true,
            _ if open => {}
            _ if byte == separator => fields += 1,
            _ => {}
        }
        start = byte == separator && !open;
    }
    Scanned { fields, open }
}

/// The width that most whole lines have.
fn usual_width(lines: &[&str], separator: u8) -> usize {
    let mut widths: BTreeMap<usize, usize> = BTreeMap::new();
    for scanned in lines
        .iter()
        .map(|line| scan(line, separator))
        .filter(|scanned| !scanned.open)
    {
        *widths.entry(scanned.fields).or_default() += 1;
    }
    let most = widths
        .into_iter()
        .max_by_key(|(fields, count)| (*count, *fields));
    most.map_or(1, |(fields, _)| fields)
}

/// The separator between the headings that the mapping names, where at least two of them stand in one line. Lists in the rows below
/// may have more of another one.
fn separator_of_header(text: &str, profile: &Profile) -> Option<u8> {
    let lines = || text.split_inclusive('\n').take(HEADER_ROWS_MAX);
    let most = SEPARATORS.map(|separator| {
        let found = lines().map(|line| headings(line, separator, profile));
        (found.max().unwrap_or(0), separator)
    });
    let (most_found, separator) = most.into_iter().rev().max_by_key(|(found, _)| *found)?;
    (most_found > 1).then_some(separator)
}

/// How many of the mapping's headings stand in a line.
fn headings(line: &str, separator: u8, profile: &Profile) -> usize {
    if scan(line, separator).fields > COLUMNS_MAX {
        return 0;
    }
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .delimiter(separator)
        .from_reader(line.as_bytes());
    let Some(Ok(cells)) = reader.byte_records().next() else {
        return 0;
    };
    let cells: Vec<Cow<'_, str>> = cells.iter().map(String::from_utf8_lossy).collect();
    let addresses = profile.addresses.iter();
    addresses
        .filter(|address| cells.iter().any(|cell| alike(cell, address)))
        .count()
}

/// The separator that the first rows have most of, outside of quotes: a quoted list has separators of its own.
fn separator(text: &str) -> u8 {
    let mut bytes = outside_quotes(text).peekable();
    let mut most = SEPARATORS.map(|separator| (separator, 0));
    let mut left = LOOKED_AT_MAX;
    while left > 0 && bytes.peek().is_some() {
        let (mut counts, mut is_blank) = ([0; SEPARATORS.len()], true);
        for byte in bytes.by_ref().take_while(|byte| *byte != b'\n') {
            is_blank &= byte.is_ascii_whitespace();
            for (count, separator) in counts.iter_mut().zip(SEPARATORS) {
                *count += usize::from(byte == separator);
            }
        }
        for ((_, most), count) in most.iter_mut().zip(counts) {
            *most = count.max(*most);
        }
        left -= usize::from(!is_blank);
    }
    let mut best = (b',', 0);
    for (separator, count) in most {
        if count > best.1 {
            best = (separator, count);
        }
    }
    best.0
}

/// The bytes of a text of which nobody knows the separator yet; of what is quoted, only the last quote.
fn outside_quotes(text: &str) -> impl Iterator<Item = u8> {
    let bytes = text.as_bytes();
    let (mut at, mut start) = (0, true);
    std::iter::from_fn(move || {
        if start {
            at += quoted(bytes.get(at..)?).unwrap_or_default();
        }
        let byte = *bytes.get(at)?;
        at += 1;
        start = byte == b'\n' || SEPARATORS.contains(&byte) || (start && byte == b' ');
        Some(byte)
    })
}

/// Where the quoted text ends that begins here; `None` where none does. A quote that is closed in the middle of a cell, or
/// not closed at all, is a mark such as that of inches, and what stands behind it is not quoted.
fn quoted(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"\"")?;
    let (mut at, mut lines) = (0, 1);
    while lines <= QUOTED_LINES_MAX {
        match (rest.get(at)?, rest.get(at + 1)) {
            (b'"', Some(b'"')) => at += 1,
            (b'"', _) => {
                let mut behind = rest.iter().skip(at + 1).skip_while(|byte| **byte == b' ');
                let ends = |byte: &u8| matches!(byte, b'\r' | b'\n') || SEPARATORS.contains(byte);
                return behind.next().is_none_or(ends).then_some(at + 1);
            }
            (b'\n', _) => lines += 1,
            _ => {}
        }
        at += 1;
    }
    None
}
