//! Pages of lists: their rows, and how long the whole is.
//!
//! A page must cost the same whatever the account's size and wherever it stands; [`listing`] says how.

mod clauses;
mod listing;
mod order;

pub(crate) use clauses::Clauses;
pub(crate) use listing::Listing;
pub use order::{By, Order};

use jiff::Timestamp;
use uuid::Uuid;

use crate::db::{Row, Value, pieces, placeholders};
use crate::{AccountTx, Error};

/// Which part of a list: rows before it and rows in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Rows to leave out.
    pub offset: u64,
    /// Rows at most.
    pub limit: u32,
}

impl Slice {
    pub(crate) fn skipped(self) -> Value<'static> {
        Value::Int(i64::try_from(self.offset).unwrap_or(i64::MAX))
    }
}

/// At or after the first, at or before the second.
pub type Range = (Option<Timestamp>, Option<Timestamp>);

/// Within any of these, which are in order and do not touch each other; `None`: whenever, `Some` of none: never.
pub type Spans = Option<Vec<Range>>;

/// Rows of a list of their own, walked from whichever end is nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    skipped: u64,
    rows: u64,
    backwards: bool,
}

impl Window {
    /// `None` when the slice lies beyond the end.
    fn of(slice: Slice, total: u64) -> Option<Self> {
        let behind = total.checked_sub(slice.offset).filter(|rows| *rows > 0)?;
        let rows = behind.min(u64::from(slice.limit));
        let from_end = behind - rows;
        let backwards = from_end < slice.offset;
        let skipped = if backwards { from_end } else { slice.offset };
        Some(Self {
            skipped,
            rows,
            backwards,
        })
    }
}

/// Part of a list, and how long the whole is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows of the slice.
    pub rows: Vec<T>,
    /// Rows of the whole list.
    pub total: u64,
}

impl<T> Page<T> {
    pub(crate) fn new(rows: Vec<T>, total: Option<i64>) -> Self {
        let total = total
            .and_then(|total| u64::try_from(total).ok())
            .unwrap_or(0);
        Self { rows, total }
    }
}

/// A resource as the API serves it: rendered when it changed, copied when it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: Uuid,
    /// The resource object as JSON text.
    pub document: String,
    /// When it last changed.
    pub updated_at: Timestamp,
}

fn read_listed(row: &Row<'_>) -> Result<Listed, Error> {
    Ok(Listed {
        id: row.get("id")?,
        document: row.unpacked("document")?,
        updated_at: row.get("updated_at")?,
    })
}

/// A page of documents of `table` by time of creation, newest first.
pub(crate) fn listed(
    a: &mut AccountTx,
    table: &'static str,
    clauses: &Clauses<'_>,
    slice: Slice,
) -> Result<Page<Listed>, Error> {
    Listing::of(table, clauses).documents(a, slice)
}

/// The documents of these rows of `table`, in the order of the ids.
pub(crate) fn documents(
    a: &mut AccountTx,
    table: &'static str,
    ids: impl Iterator<Item = Uuid>,
) -> Result<Vec<Listed>, Error> {
    let ids: Vec<Uuid> = ids.collect();
    let mut found = std::collections::HashMap::with_capacity(ids.len());
    let changed_at = changed_at(table);
    for piece in pieces(&ids) {
        let values: Vec<Value<'_>> = piece.iter().map(|id| Value::Id(*id)).collect();
        let places = placeholders(2, values.len());
        let rows = a.query(
            &format!(
                "select id, document, {changed_at} as updated_at from {table}
                 where account_id = $1 and id in ({places})"
            ),
            &values,
            read_listed,
        )?;
        found.extend(rows.into_iter().map(|row| (row.id, row)));
    }
    Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
}

/// Events change once at most: when they cease to stand.
fn changed_at(table: &str) -> &'static str {
    match table {
        "events" => "coalesce(invalidated_at, created_at)",
        _ => "updated_at",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_hold_the_rows_of_their_slice_from_the_nearer_end() {
        for total in 0..40u64 {
            for offset in 0..45 {
                for limit in 1..12 {
                    let list: Vec<u64> = (0..total).collect();
                    let expected: Vec<u64> = list
                        .iter()
                        .copied()
                        .skip(usize::try_from(offset).unwrap())
                        .take(limit as usize)
                        .collect();
                    let window = Window::of(Slice { offset, limit }, total);
                    assert_eq!(window.is_none(), expected.is_empty());
                    let Some(window) = window else { continue };
                    assert!(window.skipped <= total / 2 + 1);
                    let mut walked = list;
                    if window.backwards {
                        walked.reverse();
                    }
                    let mut found: Vec<u64> = walked
                        .into_iter()
                        .skip(usize::try_from(window.skipped).unwrap())
                        .take(usize::try_from(window.rows).unwrap())
                        .collect();
                    if window.backwards {
                        found.reverse();
                    }
                    assert_eq!(found, expected, "{total} {offset} {limit}");
                }
            }
        }
    }
}
