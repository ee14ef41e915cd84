//! Reading one table: every complaint names the file and the line.

use std::collections::HashMap;

/// A row that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file} line {line}: {reason}")]
pub struct RegistryError {
    /// The table.
    pub file: String,
    /// The line in it, from 1; the header is line 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// Name and columns of a table. A missing column is found at the header, not at the first row.
pub(super) struct Shape {
    file: &'static str,
    columns: &'static [&'static str],
}

pub(super) const CARRIERS: Shape = Shape {
    file: "carriers.csv",
    columns: &[
        "scac",
        "name",
        "short_name",
        "alternative_scacs",
        "bill_of_lading_prefixes",
        "bl_support",
        "booking_support",
        "container_support",
        "container_owner_prefixes",
        "not_provided",
    ],
};
pub(super) const PORTS: Shape = Shape {
    file: "ports.csv",
    columns: &[
        "unlocode",
        "name",
        "country",
        "state",
        "lat",
        "lon",
        "iana_timezone",
        "same_port_as",
        "inland",
    ],
};
pub(super) const HARBOUR_TOWNS: Shape = Shape {
    file: "harbour_towns.csv",
    columns: &["unlocode", "town"],
};
pub(super) const TERMINALS: Shape = Shape {
    file: "terminals.csv",
    columns: &[
        "name",
        "unlocode",
        "firms_code",
        "smdg_code",
        "bic_facility_code",
        "iana_timezone",
        "nickname",
    ],
};
pub(super) const RAIL: Shape = Shape {
    file: "rail.csv",
    columns: &[
        "kind",
        "scac",
        "name",
        "city",
        "state",
        "unlocode",
        "iana_timezone",
        "firms_code",
        "splc",
    ],
};

pub(super) const METRO: Shape = Shape {
    file: "metro.csv",
    columns: &["unlocode", "metro_area"],
};
pub(super) const COUNTRIES: Shape = Shape {
    file: "countries.csv",
    columns: &["code", "name", "iana_timezone"],
};
pub(super) const STATES: Shape = Shape {
    file: "states.csv",
    columns: &["country", "state", "iana_timezone", "split"],
};
pub(super) const NUMBER_FORMS: Shape = Shape {
    file: "number_forms.csv",
    columns: &["scac", "kind", "prefix", "rest", "percent"],
};
pub(super) const LESSORS: Shape = Shape {
    file: "lessors.csv",
    columns: &["owner_code"],
};

impl Shape {
    /// This table with its text.
    pub(super) fn with<'a>(&'static self, text: &'a str) -> Table<'a> {
        Table { shape: self, text }
    }
}

/// A table to be read.
pub(super) struct Table<'a> {
    shape: &'static Shape,
    text: &'a str,
}

impl Table<'_> {
    /// Every row, turned into a value by `row`.
    pub(super) fn rows<T>(
        &self,
        row: impl Fn(&Row<'_>) -> Result<T, String>,
    ) -> Result<Vec<T>, RegistryError> {
        let mut reader = csv::Reader::from_reader(self.text.as_bytes());
        let header = reader.headers().map_err(|e| self.bad(1, e.to_string()))?;
        let places: HashMap<String, usize> = header
            .iter()
            .enumerate()
            .map(|(place, name)| (name.to_owned(), place))
            .collect();
        for column in self.shape.columns {
            if !places.contains_key(*column) {
                return Err(self.bad(1, format!("there is no column {column}")));
            }
        }
        let mut values = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|e| self.bad(line_of(e.position()), e.to_string()))?;
            let line = line_of(record.position());
            let row_read = Row {
                places: &places,
                record: &record,
            };
            values.push(row(&row_read).map_err(|reason| self.bad(line, reason))?);
        }
        Ok(values)
    }

    /// A complaint about a line of this table.
    pub(super) fn bad(&self, line: u64, reason: String) -> RegistryError {
        RegistryError {
            file: self.shape.file.to_owned(),
            line,
            reason,
        }
    }
}

fn line_of(position: Option<&csv::Position>) -> u64 {
    position.map_or(0, csv::Position::line)
}

/// One row.
pub(super) struct Row<'a> {
    places: &'a HashMap<String, usize>,
    record: &'a csv::StringRecord,
}

impl Row<'_> {
    /// The trimmed text of a column; empty when the cell is.
    pub(super) fn text(&self, column: &str) -> &str {
        self.places
            .get(column)
            .and_then(|&place| self.record.get(place))
            .unwrap_or_default()
            .trim()
    }

    /// A cell that must not be empty.
    pub(super) fn required(&self, column: &str) -> Result<String, String> {
        match self.text(column) {
            "" => Err(format!("{column} is empty")),
            text => Ok(text.to_owned()),
        }
    }

    /// A cell that may be empty.
    pub(super) fn optional(&self, column: &str) -> Option<String> {
        Some(self.text(column))
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    }

    /// A cell of values with semicolons between them.
    pub(super) fn list(&self, column: &str) -> impl Iterator<Item = &str> {
        self.text(column)
            .split(';')
            .map(str::trim)
            .filter(|text| !text.is_empty())
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, column: &str) -> Result<bool, String> {
        match self.text(column) {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(format!("{column} is true or false, not {other:?}")),
        }
    }

    /// The line in the file.
    pub(super) fn line(&self) -> u64 {
        line_of(self.record.position())
    }
}
