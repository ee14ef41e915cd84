//! XLSX: a packed folder of XML, read cell by cell.
//!
//! Before it is opened it is measured: every part is inflated once into nothing and counted, so a small file
//! that would become a large one is refused while it is still small. What its directory says of its sizes is
//! not believed, nor how many shared texts are promised: the reader makes room for them before it looks.

use std::io::{Cursor, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::{DataRef, ExcelDateTime, Reader as _, SheetVisible, Xlsx};
use jiff::civil::{Date, DateTime, Time};
use zip::ZipArchive;

use super::super::cell::Cell;
use super::super::mapping::Profile;
use super::super::row::Read;
use super::{COLUMNS_MAX, Fault, HEADER_ROWS_MAX, Table};

/// All parts together may become this large.
const INFLATED_BYTES_MAX: u64 = 96 * 1024 * 1024;
/// The texts that cells share are all held at once.
const SHARED_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// No shared text takes less: `<si/>`.
const TEXT_BYTES_MIN: u64 = 5;
/// A part may grow by this much; honest sheets grow by ten to thirty.
const GROWTH_MAX: u64 = 100;
/// Parts below this size may grow by more.
const SMALL_PART_BYTES: u64 = 1024 * 1024;
/// How many parts a file may have.
const PARTS_MAX: usize = 1_000;

/// Reads all rows of one sheet.
pub(super) fn rows(
    profile: &Profile,
    bytes: &[u8],
    told: &mut dyn FnMut(Read),
) -> Result<(), Fault> {
    measure(bytes).map_err(whole)?;
    let mut table = Table::new(profile);
    // The reader of spreadsheets is not ours. Where it falls over something, that file is refused.
    let read = catch_unwind(AssertUnwindSafe(|| sheet(profile, bytes, &mut table, told)));
    read.unwrap_or_else(|_| Err(whole("the spreadsheet is damaged".into())))
}

fn whole(reason: String) -> Fault {
    Fault {
        place: "the file".into(),
        reason,
    }
}

fn measure(bytes: &[u8]) -> Result<(), String> {
    let damaged = |error: zip::result::ZipError| format!("this is no whole spreadsheet: {error}");
    let mut parts = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    if parts.len() > PARTS_MAX {
        return Err(format!("the spreadsheet has more than {PARTS_MAX} parts"));
    }
    let mut all = 0;
    for index in 0..parts.len() {
        let part = parts.by_index(index).map_err(damaged)?;
        let name = part.name().map_err(damaged)?.into_owned();
        let packed = part.compressed_size();
        let shared = name.to_ascii_lowercase().ends_with("sharedstrings.xml");
        let most = if shared {
            SHARED_BYTES_MAX
        } else {
            INFLATED_BYTES_MAX
        };
        let most = most.min(packed.saturating_mul(GROWTH_MAX).max(SMALL_PART_BYTES));
        let mut bounded = part.take(most + 1);
        let mut promise = Promise::default();
        let inflated = if shared {
            std::io::copy(&mut bounded, &mut promise)
        } else {
            std::io::copy(&mut bounded, &mut std::io::sink())
        };
        let size =
            inflated.map_err(|error| format!("the spreadsheet is damaged in {name}: {error}"))?;
        all += size;
        if size > most || all > INFLATED_BYTES_MAX {
            return Err(format!(
                "{name} inflates to more than {} bytes",
                most.min(INFLATED_BYTES_MAX)
            ));
        }
        if promise.texts.saturating_mul(TEXT_BYTES_MIN) > size {
            return Err(format!(
                "{name} promises {} texts in {size} bytes; save the spreadsheet anew",
                promise.texts
            ));
        }
    }
    Ok(())
}

/// How many shared texts a part promises, found while it passes by.
///
/// Every `uniqueCount` counts, wherever it stands: one that stands in a text, with a number greater than the part could
/// hold texts, has not been met, and costs its file a refusal. Zero bytes are passed over, and so the sixteen bits of some encodings.
#[derive(Default)]
struct Promise {
    texts: u64,
    place: Place,
}

/// What of `uniqueCount = "123` has been seen.
#[derive(Clone, Copy)]
enum Place {
    /// So many letters of the name.
    Name(usize),
    BeforeEquals,
    BeforeQuote,
    Number(u64),
}

impl Default for Place {
    fn default() -> Self {
        Self::Name(0)
    }
}

impl Promise {
    const NAME: &[u8] = b"uniqueCount";

    fn take(&mut self, byte: u8) {
        self.place = match (self.place, byte) {
            (place, 0) => place,
            (Place::BeforeEquals, b'=') => Place::BeforeQuote,
            (Place::BeforeQuote, b'"' | b'\'') => Place::Number(0),
            (place @ (Place::BeforeEquals | Place::BeforeQuote), byte)
                if byte.is_ascii_whitespace() =>
            {
                place
            }
            (Place::Number(so_far), b'0'..=b'9') => {
                let number = so_far
                    .saturating_mul(10)
                    .saturating_add(u64::from(byte - b'0'));
                self.texts = self.texts.max(number);
                Place::Number(number)
            }
            (Place::Name(seen), byte) if Self::NAME.get(seen) == Some(&byte) => {
                if seen + 1 == Self::NAME.len() {
                    Place::BeforeEquals
                } else {
                    Place::Name(seen + 1)
                }
            }
            (_, byte) => Place::Name(usize::from(Self::NAME.first() == Some(&byte))),
        };
    }
}

impl std::io::Write for Promise {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        for byte in bytes {
            self.take(*byte);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn sheet(
    profile: &Profile,
    bytes: &[u8],
    table: &mut Table<'_>,
    told: &mut dyn FnMut(Read),
) -> Result<(), Fault> {
    let damaged =
        |error: calamine::XlsxError| whole(format!("the spreadsheet is damaged: {error}"));
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(damaged)?;
    let names = book.sheet_names();
    let mut shown = shown(&book).into_iter();
    let name = match &profile.form.sheet {
        Some(wanted) => {
            shown = Vec::new().into_iter();
            let mut all = names.iter();
            all.find(|name| name.eq_ignore_ascii_case(wanted)).cloned()
        }
        None => shown.next(),
    };
    let Some(name) = name else {
        let there = names.join(", ");
        return Err(whole(format!(
            "there is no sheet {:?}, only: {there}",
            profile.form.sheet
        )));
    };
    let mut cells = book.worksheet_cells_reader(&name).map_err(damaged)?;
    let mut line: (u32, Vec<Cell>) = (0, Vec::new());
    while let Some(cell) = cells.next_cell().map_err(damaged)? {
        let (row, column) = cell.get_position();
        if row != line.0 {
            let done = std::mem::replace(&mut line, (row, Vec::new()));
            hand_over(&name, done, table, told)?;
        }
        let Ok(column) = usize::try_from(column) else {
            continue;
        };
        if column >= COLUMNS_MAX {
            continue;
        }
        if line.1.len() <= column {
            line.1.resize(column + 1, Cell::Unknown);
        }
        if let Some(slot) = line.1.get_mut(column) {
            *slot = read(cell.get_value());
        }
    }
    hand_over(&name, line, table, told)?;
    drop(cells);
    for further in shown
        .take(FURTHER_SHEETS_MAX)
        .filter(|sheet| has_headings(&mut book, sheet, table))
    {
        told(Read::Remark {
            place: further.clone(),
            reason: format!(
                "the sheet has these headings, too, and is not read: one sheet of a file is, {name:?} here (format.sheet names another)"
            ),
        });
    }
    table.end()
}

/// The sheets that a person sees who opens the file. What is hidden is a copy of last week, or what others are computed from.
fn shown(book: &Xlsx<Cursor<&[u8]>>) -> Vec<String> {
    let sheets = book.sheets_metadata().iter();
    let shown = sheets.filter(|sheet| sheet.visible == SheetVisible::Visible);
    let shown: Vec<String> = shown.map(|sheet| sheet.name.clone()).collect();
    if shown.is_empty() {
        return book.sheet_names();
    }
    shown
}

/// How many further sheets are looked at, and how many cells of each.
const FURTHER_SHEETS_MAX: usize = 20;
const FURTHER_CELLS_MAX: usize = 5_000;

/// Whether one of the first lines of another sheet has the headings of the box.
fn has_headings(book: &mut Xlsx<Cursor<&[u8]>>, sheet: &str, table: &Table<'_>) -> bool {
    let Ok(mut cells) = book.worksheet_cells_reader(sheet) else {
        return false;
    };
    let (mut lines, mut last, mut line) = (0, None, Vec::new());
    for _ in 0..FURTHER_CELLS_MAX {
        let Ok(Some(cell)) = cells.next_cell() else {
            break;
        };
        let (row, _) = cell.get_position();
        if last != Some(row) {
            if table.is_heading(&line) {
                return true;
            }
            lines += 1;
            if lines > HEADER_ROWS_MAX {
                return false;
            }
            last = Some(row);
            line = Vec::new();
        }
        if line.len() < COLUMNS_MAX {
            line.push(read(cell.get_value()));
        }
    }
    table.is_heading(&line)
}

fn hand_over(
    sheet: &str,
    (row, cells): (u32, Vec<Cell>),
    table: &mut Table<'_>,
    told: &mut dyn FnMut(Read),
) -> Result<(), Fault> {
    if cells.is_empty() {
        return Ok(());
    }
    let number = u64::from(row) + 1;
    table.line(number, format!("{sheet} row {number}"), cells, told)
}

fn read(value: &DataRef<'_>) -> Cell {
    match value {
        DataRef::Int(number) => Cell::Number(number.to_string()),
        DataRef::Float(number) => Cell::Number(number.to_string()),
        DataRef::String(text) | DataRef::DateTimeIso(text) => Cell::of_text(text),
        DataRef::SharedString(text) => Cell::of_text(text),
        DataRef::Bool(flag) => Cell::Flag(*flag),
        DataRef::DateTime(moment) => clock(*moment).unwrap_or_default(),
        DataRef::DurationIso(_) | DataRef::Error(_) | DataRef::Empty => Cell::Unknown,
    }
}

/// A date of a spreadsheet; one without a part of a day is a date.
fn clock(moment: ExcelDateTime) -> Option<Cell> {
    if !moment.is_datetime() {
        return None;
    }
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    let narrow = |part: u8| i8::try_from(part).ok();
    let date = Date::new(i16::try_from(year).ok()?, narrow(month)?, narrow(day)?).ok()?;
    let time = Time::new(narrow(hour)?, narrow(minute)?, narrow(second)?, 0).ok()?;
    let timed = moment.as_f64().fract() != 0.0;
    Some(Cell::Clock(DateTime::from_parts(date, time), timed))
}
