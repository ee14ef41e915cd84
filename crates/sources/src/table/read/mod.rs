//! Files to rows.

mod csv;
pub(super) mod json;
mod sheet;

use super::cell::Cell;
use super::mapping::{FormKind, Profile};
use super::row::{Read, Row};

/// Why a file cannot be read, and where.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) place: String,
    pub(super) reason: String,
}

/// How many lines are searched for the header.
const HEADER_ROWS_MAX: usize = 50;
/// How many columns a table may have.
const COLUMNS_MAX: usize = 1_000;
/// How many rows a file may have.
const ROWS_MAX: usize = 250_000;

/// Reads all rows in the order of the file.
pub(super) fn rows(
    profile: &Profile,
    bytes: &[u8],
    told: &mut dyn FnMut(Read),
) -> Result<(), Fault> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let first = text.trim_ascii_start().first().copied();
    if first == Some(b'<') {
        return Err(Fault {
            place: "line 1 column 1".into(),
            reason: "this is a web page or XML, not a table; the address may be wrong, or a login ran out".into(),
        });
    }
    let looks = match first {
        _ if bytes.starts_with(b"PK\x03\x04") => FormKind::Xlsx,
        Some(b'[' | b'{') => FormKind::Json,
        _ => FormKind::Csv,
    };
    match profile.form.kind.unwrap_or(looks) {
        FormKind::Csv => csv::rows(profile, bytes, told),
        FormKind::Xlsx => sheet::rows(profile, bytes, told),
        FormKind::Json => json::rows(profile, text, told),
    }
}

/// The columns of a table, once its header is found.
struct Table<'p> {
    profile: &'p Profile,
    /// Column of each address.
    columns: Option<Vec<Option<usize>>>,
    seen: usize,
    rows: usize,
    first: Vec<String>,
}

impl<'p> Table<'p> {
    fn new(profile: &'p Profile) -> Self {
        Self {
            profile,
            columns: None,
            seen: 0,
            rows: 0,
            first: Vec::new(),
        }
    }

    /// Takes a line of the file, `number` from 1.
    fn line(
        &mut self,
        number: u64,
        place: String,
        cells: Vec<Cell>,
        told: &mut dyn FnMut(Read),
    ) -> Result<(), Fault> {
        if let Some(columns) = &self.columns {
            self.rows += 1;
            if self.rows > ROWS_MAX {
                return Err(Fault {
                    place,
                    reason: format!("more than {ROWS_MAX} rows are not read, so split the file"),
                });
            }
            let mut cells: Vec<Cell> = cells;
            let picked = columns.iter().map(|column| {
                let cell = column.and_then(|column| cells.get_mut(column));
                cell.map(|cell| cell.clone()).unwrap_or_default()
            });
            let cells = picked.collect();
            told(Read::Row(Row { place, cells }));
            return Ok(());
        }
        self.seen += 1;
        self.header(number, &place, cells, told)
    }

    fn header(
        &mut self,
        number: u64,
        place: &str,
        cells: Vec<Cell>,
        told: &mut dyn FnMut(Read),
    ) -> Result<(), Fault> {
        let addresses = &self.profile.addresses;
        let first_address = self
            .profile
            .container
            .first()
            .and_then(|slot| addresses.get(slot.0));
        let by_number = first_address.is_some_and(|address| address.starts_with('#'));
        let names: Vec<String> = cells
            .iter()
            .map(|cell| cell.text().unwrap_or_default())
            .collect();
        let found: Vec<Option<usize>> = addresses
            .iter()
            .map(|address| match address.strip_prefix('#') {
                Some(column) => column.parse().ok().and_then(|n: usize| n.checked_sub(1)),
                None => names.iter().position(|name| alike(name, address)),
            })
            .collect();
        let complete = self
            .profile
            .container
            .iter()
            .all(|slot| found.get(slot.0).copied().flatten().is_some());
        let wanted = self.profile.form.header.map(u64::from);
        if by_number {
            self.columns = Some(found);
            let is_header = wanted.is_some_and(|header| number <= header);
            return if is_header {
                Ok(())
            } else {
                self.line(number, place.to_owned(), cells, told)
            };
        }
        if wanted.is_some_and(|header| number < header) {
            return Ok(());
        }
        if complete {
            for (address, _) in addresses
                .iter()
                .zip(&found)
                .filter(|(_, column)| column.is_none())
            {
                told(Read::Remark {
                    place: place.to_owned(),
                    reason: format!("the mapping names the column {address:?}, which is not there"),
                });
            }
            self.columns = Some(found);
            return Ok(());
        }
        if self.first.is_empty() {
            self.first = names.into_iter().filter(|name| !name.is_empty()).collect();
        }
        if wanted.is_some() || self.seen >= HEADER_ROWS_MAX {
            return Err(self.without_header(place));
        }
        Ok(())
    }

    /// The end of the file.
    fn end(&self) -> Result<(), Fault> {
        match self.columns {
            Some(_) => Ok(()),
            None if self.seen == 0 => Err(Fault {
                place: "line 1".into(),
                reason: "the file is empty; what was known stays as it was".into(),
            }),
            None => Err(self.without_header("line 1")),
        }
    }

    fn without_header(&self, place: &str) -> Fault {
        let addresses = &self.profile.addresses;
        let wanted: Vec<&str> = self
            .profile
            .container
            .iter()
            .filter_map(|slot| addresses.get(slot.0))
            .map(String::as_str)
            .collect();
        let mut there = self.first.join(", ");
        there.truncate(
            there
                .char_indices()
                .nth(300)
                .map_or(there.len(), |(at, _)| at),
        );
        Fault {
            place: place.to_owned(),
            reason: format!(
                "no line has the column {}; the first line has: {there}",
                wanted.join(" and ")
            ),
        }
    }
}

/// Whether two headings are one: spaces, case and dots do not count.
fn alike(a: &str, b: &str) -> bool {
    let letters = |text: &str| -> String {
        let kept = text
            .chars()
            .filter(|c| c.is_alphanumeric() || *c == '#' || *c == '%');
        kept.flat_map(char::to_lowercase).collect()
    };
    letters(a) == letters(b) && !a.trim().is_empty()
}
