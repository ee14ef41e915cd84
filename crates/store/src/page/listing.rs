//! One list, and how its pages are read.
//!
//! Three things make a long list dear: counting it, walking to a page far from its beginning, and looking into
//! rows that are not shown.
//!
//! - The length of an unfiltered list is [kept](crate::tally). A filtered one is counted, by the filter's index
//!   alone, unless its first page already holds all of it.
//! - A page is walked to from whichever end is nearer, so that the last one costs what the first one does. What is
//!   skipped is skipped in the index.
//! - A filter is answered from an index that holds every column it may name (`…_by_facets`). The engines would
//!   rather take a shorter index for one of several conditions and look the rest up in the rows, which hold the
//!   documents: a hundred times the bytes. So columns stand in such conditions in a form that only the index of
//!   facets serves (`status || ''`).
//!
//! The number of rows stands in the text of a statement, not among its parameters: PostgreSQL makes a plan that it
//! keeps only when it knows how few they are.

use super::{Clauses, Listed, Order, Page, Slice, Window, changed_at, read_listed};
use crate::db::Row;
use crate::tally::{self, List};
use crate::{AccountTx, Error};

/// A list of one account.
pub(crate) struct Listing<'q, 'v> {
    table: &'static str,
    clauses: &'q Clauses<'v>,
    order: Order,
    /// Whether the order has an index of its own that the filter does not need to look beyond.
    walked: bool,
    kept: Option<List>,
    length: Option<i64>,
}

impl<'q, 'v> Listing<'q, 'v> {
    /// These rows of `table`, from the newest.
    pub(crate) fn of(table: &'static str, clauses: &'q Clauses<'v>) -> Self {
        Self {
            table,
            clauses,
            order: Order::default(),
            walked: true,
            kept: None,
            length: None,
        }
    }

    /// In this order. `walked`: along an index of the order, rather than sorted out of the filter's.
    pub(crate) fn ordered(self, order: Order, walked: bool) -> Self {
        Self {
            order,
            walked,
            ..self
        }
    }

    /// The length of the whole is kept.
    pub(crate) fn kept(self, list: List) -> Self {
        let kept = Some(list).filter(|_| self.clauses.is_empty());
        Self { kept, ..self }
    }

    /// Of this length, where somebody knows it.
    pub(crate) fn of_length(self, length: Option<i64>) -> Self {
        Self { length, ..self }
    }

    /// A page of rendered documents.
    pub(crate) fn documents(&self, a: &mut AccountTx, slice: Slice) -> Result<Page<Listed>, Error> {
        let columns = format!("id, document, {} as updated_at", changed_at(self.table));
        self.page(a, &columns, slice, read_listed)
    }

    /// A page of rows.
    pub(crate) fn page<T>(
        &self,
        a: &mut AccountTx,
        columns: &str,
        slice: Slice,
        mut read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Page<T>, Error> {
        if let Some(total) = self.length {
            return self.within(a, columns, slice, total, &mut read);
        }
        match self.kept {
            Some(list) if slice.offset == 0 => self.first(a, list, columns, slice, read),
            None if slice.offset == 0 => self.first_filtered(a, columns, slice, &mut read),
            kept => {
                let total = match kept {
                    Some(list) => tally::length(a, list)?,
                    None => self.counted(a)?,
                };
                self.within(a, columns, slice, total, &mut read)
            }
        }
    }

    /// The first page of everything: one statement, the length with it.
    fn first<T>(
        &self,
        a: &mut AccountTx,
        list: List,
        columns: &str,
        slice: Slice,
        mut read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Page<T>, Error> {
        let (table, total, limit) = (self.table, tally::total_of(list), slice.limit);
        let order = self.order.terms(false);
        let mut length = 0;
        let rows = a.query(
            &format!(
                "select {columns}, {total} from {table} where account_id = $1
                 order by {order} limit {limit}"
            ),
            &[],
            |row| {
                length = row.get("total")?;
                read(row)
            },
        )?;
        Ok(Page::new(rows, Some(length + a.uncounted(list))))
    }

    /// One row more than is shown is asked for: without it, the page is the whole list.
    fn first_filtered<T>(
        &self,
        a: &mut AccountTx,
        columns: &str,
        slice: Slice,
        read: &mut impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Page<T>, Error> {
        let shown = u64::from(slice.limit);
        let window = Window {
            skipped: 0,
            rows: shown + 1,
            backwards: false,
        };
        let mut rows = self.rows(a, columns, window, read)?;
        let total = if rows.len() as u64 > shown {
            rows.pop();
            self.counted(a)?
        } else {
            i64::try_from(rows.len()).unwrap_or(i64::MAX)
        };
        Ok(Page::new(rows, Some(total)))
    }

    fn within<T>(
        &self,
        a: &mut AccountTx,
        columns: &str,
        slice: Slice,
        total: i64,
        read: &mut impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Page<T>, Error> {
        let window = Window::of(slice, u64::try_from(total).unwrap_or(0));
        let mut rows = match window {
            Some(window) => self.rows(a, columns, window, read)?,
            None => Vec::new(),
        };
        if window.is_some_and(|window| window.backwards) {
            rows.reverse();
        }
        Ok(Page::new(rows, Some(total)))
    }

    /// The ids come from an index; only what is shown is looked up. A cross join is taken in the order in which it is
    /// written: SQLite would rather walk all rows in the order of the answer and look each up among the ids.
    fn rows<T>(
        &self,
        a: &mut AccountTx,
        columns: &str,
        window: Window,
        read: &mut impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let (table, filter) = (self.table, &self.clauses.text);
        let plain = self.order.terms(window.backwards);
        let order = if self.walked {
            plain.clone()
        } else {
            self.order.sorted(window.backwards)
        };
        let mut values = self.clauses.values.clone();
        values.push(crate::db::Value::Int(
            i64::try_from(window.skipped).unwrap_or(i64::MAX),
        ));
        let (rows, offset) = (window.rows, values.len() + 1);
        a.query(
            &format!(
                "select {columns} from (
                     select id as shown_id from {table} where {filter}
                     order by {order} limit {rows} offset ${offset}
                 ) as shown
                 cross join {table} where account_id = $1 and id = shown_id order by {plain}"
            ),
            &values,
            read,
        )
    }

    fn counted(&self, a: &mut AccountTx) -> Result<i64, Error> {
        let (table, filter) = (self.table, &self.clauses.text);
        let total = a.query_one(
            &format!("select count(*) as total from {table} where {filter}"),
            &self.clauses.values,
            |row| row.get::<i64>("total"),
        )?;
        Ok(total.unwrap_or(0))
    }
}
