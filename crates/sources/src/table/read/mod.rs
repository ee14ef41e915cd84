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

    /// Looks for the headings in a line before the first row.
    fn header(
        &mut self,
        number: u64,
        place: &str,
        cells: Vec<Cell>,
        told: &mut dyn FnMut(Read),
    ) -> Result<(), Fault> {
        let wanted = self.profile.form.header.map(u64::from);
        if wanted.is_some_and(|header| number < header) {
            return Ok(());
        }
        let names: Vec<String> = cells
            .iter()
            .map(|cell| cell.text().unwrap_or_default())
            .collect();
        let found = self.found_in(&names);
        let by_number = self.box_by_number();
        let is_header = if by_number {
            // Where nobody says which line it is, the first, if that has any of the headings.
            wanted.map_or(self.has_any(&found), |header| number == header)
        } else {
            self.names_the_box(&found)
        };
        if is_header || by_number {
            self.unambiguous(place, &names)?;
            self.tell_missing(place, &found, told);
            self.columns = Some(found);
            if is_header {
                return Ok(());
            }
            return self.line(number, place.to_owned(), cells, told);
        }
        if self.first.is_empty() {
            self.first = names.into_iter().filter(|name| !name.is_empty()).collect();
        }
        if wanted.is_some() || self.seen >= HEADER_ROWS_MAX {
            return Err(self.without_header(place));
        }
        Ok(())
    }

    /// Whether these cells are headings of such a table; of one without any nobody can tell.
    fn is_heading(&self, cells: &[Cell]) -> bool {
        let names: Vec<String> = cells.iter().filter_map(Cell::text).collect();
        let found = self.found_in(&names);
        if self.box_by_number() {
            self.has_any(&found)
        } else {
            self.names_the_box(&found)
        }
    }

    /// Whether the box's column is told by its number, so that a row is one without any heading.
    fn box_by_number(&self) -> bool {
        let first = self.profile.container.first();
        let address = first.and_then(|slot| self.profile.addresses.get(slot.0));
        address.is_some_and(|address| number_of(address).is_some())
    }

    /// The column of each address, as far as these are the headings.
    fn found_in(&self, names: &[String]) -> Vec<Option<usize>> {
        let addresses = self.profile.addresses.iter();
        let found = addresses.map(|address| match number_of(address) {
            Some(column) => column,
            None => columns_of(address, names).next(),
        });
        found.collect()
    }

    fn names_the_box(&self, found: &[Option<usize>]) -> bool {
        let mut parts = self.profile.container.iter();
        parts.all(|slot| found.get(slot.0).copied().flatten().is_some())
    }

    /// Whether any column was found by its heading.
    fn has_any(&self, found: &[Option<usize>]) -> bool {
        let mut each = self.profile.addresses.iter().zip(found);
        each.any(|(address, column)| number_of(address).is_none() && column.is_some())
    }

    fn tell_missing(&self, place: &str, found: &[Option<usize>], told: &mut dyn FnMut(Read)) {
        let each = self.profile.addresses.iter().zip(found);
        for (address, _) in each.filter(|(_, column)| column.is_none()) {
            told(Read::Remark {
                place: format!("{place}.{address}"),
                reason: format!("the mapping names the column {address:?}, which is not there"),
            });
        }
    }

    /// Two columns of one heading are two, and nobody says which of them is meant: the wrong one is a yes that is none.
    fn unambiguous(&self, place: &str, names: &[String]) -> Result<(), Fault> {
        for address in &self.profile.addresses {
            if number_of(address).is_some() {
                continue;
            }
            let mut columns = columns_of(address, names);
            if let (Some(first), Some(second)) = (columns.next(), columns.next()) {
                return Err(Fault {
                    place: place.to_owned(),
                    reason: format!(
                        "two columns are called {address:?}: name the one that is meant by its number, \"#{}\" or \"#{}\"",
                        first + 1,
                        second + 1
                    ),
                });
            }
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

/// The column that an address such as `#3` tells by its number; `#0` is none.
#[expect(
    clippy::option_option,
    reason = "a number that is no column differs from a heading"
)]
fn number_of(address: &str) -> Option<Option<usize>> {
    let column = address.strip_prefix('#')?;
    Some(column.parse().ok().and_then(|n: usize| n.checked_sub(1)))
}

/// The columns that an address names: those that are called so to the letter, else those that are called alike. `LFD` is one column
/// beside `L.F.D.`.
fn columns_of<'n>(address: &'n str, names: &'n [String]) -> impl Iterator<Item = usize> + 'n {
    let is_it = |name: &str| name.trim().eq_ignore_ascii_case(address.trim());
    let to_the_letter = names.iter().any(|name| is_it(name));
    let columns = names.iter().enumerate();
    let named =
        columns.filter(move |(_, name)| is_it(name) || (!to_the_letter && alike(name, address)));
    named.map(|(column, _)| column)
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
