//! What comes out of a statement: columns by name, the same types from both engines.

use std::cell::Cell;

use jiff::Timestamp;
use postgres::types::Type;
use rusqlite::types::ValueRef;
use uuid::Uuid;

use crate::Error;
use crate::mirror::{self, Mirror};
use crate::packed;

/// A row of either engine. It lives only while its statement stands on it: nothing is copied but what is read.
pub(crate) enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>, &'r Columns<'r>),
    Postgres(&'r postgres::Row, &'r Cell<usize>),
}

/// The names of a statement's columns. Columns are nearly always read in the order in which they stand, so that a name
/// is looked for where the last one was found.
pub(crate) struct Columns<'r> {
    pub(super) names: &'r [Box<str>],
    /// Behind the column that was read last.
    pub(super) next: Cell<usize>,
}

impl Columns<'_> {
    fn place(&self, name: &str) -> Option<usize> {
        place(self.names.len(), &self.next, |at| {
            self.names.get(at).is_some_and(|one| **one == *name)
        })
    }
}

/// The first place from `next` on, and then from the beginning, that `is_it`.
fn place(count: usize, next: &Cell<usize>, is_it: impl Fn(usize) -> bool) -> Option<usize> {
    let begin = next.get().min(count);
    let found = (begin..count).chain(0..begin).find(|at| is_it(*at))?;
    next.set(found + 1);
    Some(found)
}

/// A type that a column can be read as.
pub(crate) trait Column: Sized {
    fn from_sqlite(value: ValueRef<'_>) -> Option<Self>;
    fn from_postgres(row: &postgres::Row, index: usize) -> Result<Self, postgres::Error>;
}

impl Row<'_> {
    /// The column `name`.
    pub(crate) fn get<T: Column>(&self, name: &str) -> Result<T, Error> {
        match self {
            Self::Sqlite(row, columns) => {
                let value = sqlite_value(row, columns, name)?;
                T::from_sqlite(value).ok_or_else(|| unreadable(name, &shown(value)))
            }
            Self::Postgres(row, next) => {
                let index = postgres_place(row, next, name)?;
                T::from_postgres(row, index).map_err(|error| unreadable(name, &error))
            }
        }
    }

    /// What `read` makes of the text in the column `name`, which is not copied for it.
    fn text<T>(&self, name: &str, read: impl FnOnce(&str) -> Result<T, Error>) -> Result<T, Error> {
        match self {
            Self::Sqlite(row, columns) => {
                let value = sqlite_value(row, columns, name)?;
                let text = value.as_str();
                read(text.map_err(|_| unreadable(name, &shown(value)))?)
            }
            Self::Postgres(row, next) => {
                let text = row.try_get(postgres_place(row, next, name)?);
                read(text.map_err(|error| unreadable(name, &error))?)
            }
        }
    }

    /// The text in the column `name`, which may be [packed](crate::packed).
    pub(crate) fn unpacked(&self, name: &str) -> Result<String, Error> {
        let text = self.optional_unpacked(name)?;
        text.ok_or_else(|| unreadable(name, &"null"))
    }

    /// The text in the column `name`, which may be [packed](crate::packed), or none.
    pub(crate) fn optional_unpacked(&self, name: &str) -> Result<Option<String>, Error> {
        let unpack = |bytes: Option<&[u8]>| {
            let text = bytes.map(packed::unpacked).transpose();
            text.map_err(|found| unreadable(name, &found))
        };
        match self {
            Self::Sqlite(row, columns) => match sqlite_value(row, columns, name)? {
                ValueRef::Null => Ok(None),
                ValueRef::Blob(bytes) => unpack(Some(bytes)),
                other => String::from_sqlite(other)
                    .map(Some)
                    .ok_or_else(|| unreadable(name, &shown(other))),
            },
            Self::Postgres(row, next) => {
                let index = postgres_place(row, next, name)?;
                let kind = row.columns().get(index).map(postgres::Column::type_);
                if kind != Some(&Type::BYTEA) {
                    let text = row.try_get(index);
                    return text.map_err(|error| unreadable(name, &error));
                }
                unpack(
                    row.try_get(index)
                        .map_err(|error| unreadable(name, &error))?,
                )
            }
        }
    }

    /// The column `name`, packed JSON text of a domain value.
    pub(crate) fn unpacked_mirrored<T: Mirror>(&self, name: &str) -> Result<T, Error> {
        mirror::value(name, &self.unpacked(name)?)
    }

    /// The column `name` as an id.
    pub(crate) fn id<I: From<Uuid>>(&self, name: &str) -> Result<I, Error> {
        self.get::<Uuid>(name).map(I::from)
    }

    /// The column `name` as an id, or none.
    pub(crate) fn optional_id<I: From<Uuid>>(&self, name: &str) -> Result<Option<I>, Error> {
        Ok(self.get::<Option<Uuid>>(name)?.map(I::from))
    }

    /// The column `name`, a text that `parse` understands.
    pub(crate) fn parsed<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Error> {
        self.text(name, |text| {
            parse(text).ok_or_else(|| unreadable(name, &text))
        })
    }

    /// The column `name`, a text that `parse` understands, or none.
    pub(crate) fn optional_parsed<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let text: Option<String> = self.get(name)?;
        text.map(|text| parse(&text).ok_or_else(|| unreadable(name, &text)))
            .transpose()
    }

    /// The column `name` as a 32-byte digest.
    pub(crate) fn digest(&self, name: &str) -> Result<[u8; 32], Error> {
        let bytes: Vec<u8> = self.get(name)?;
        let length = bytes.len();
        bytes
            .try_into()
            .map_err(|_| unreadable(name, &format!("{length} bytes")))
    }

    /// The column `name`, JSON text of a domain value.
    pub(crate) fn mirrored<T: Mirror>(&self, name: &str) -> Result<T, Error> {
        self.text(name, |text| mirror::value(name, text))
    }

    /// The column `name` as a count.
    pub(crate) fn count(&self, name: &str) -> Result<u32, Error> {
        let count: i64 = self.get(name)?;
        u32::try_from(count).map_err(|_| unreadable(name, &count))
    }

    /// The column `name` as a count that grows for as long as there is a store.
    pub(crate) fn total(&self, name: &str) -> Result<u64, Error> {
        let count: i64 = self.get(name)?;
        u64::try_from(count).map_err(|_| unreadable(name, &count))
    }
}

fn sqlite_value<'r>(
    row: &'r rusqlite::Row<'_>,
    columns: &Columns<'_>,
    name: &str,
) -> Result<ValueRef<'r>, Error> {
    let place = columns.place(name);
    let place = place.ok_or_else(|| unreadable(name, &"no such column"))?;
    row.get_ref(place).map_err(|error| unreadable(name, &error))
}

fn postgres_place(row: &postgres::Row, next: &Cell<usize>, name: &str) -> Result<usize, Error> {
    let columns = row.columns();
    let found = place(columns.len(), next, |at| {
        columns.get(at).is_some_and(|column| column.name() == name)
    });
    found.ok_or_else(|| unreadable(name, &"no such column"))
}

/// A column that holds what it must not.
pub(crate) fn unreadable(column: &str, found: &dyn std::fmt::Display) -> Error {
    Error::Unreadable {
        column: column.into(),
        found: found.to_string().chars().take(200).collect(),
    }
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        other => format!("{:?}", other.data_type()),
    }
}

macro_rules! columns {
    ($($type:ty, $pattern:pat => $read:expr;)+) => {$(
        impl Column for $type {
            fn from_sqlite(value: ValueRef<'_>) -> Option<Self> {
                match value {
                    $pattern => $read,
                    _ => None,
                }
            }

            fn from_postgres(row: &postgres::Row, index: usize) -> Result<Self, postgres::Error> {
                row.try_get(index)
            }
        }
    )+};
}

columns! {
    i64, ValueRef::Integer(value) => Some(value);
    bool, ValueRef::Integer(value) => Some(value != 0);
    String, ValueRef::Text(text) => std::str::from_utf8(text).ok().map(Into::into);
    Vec<u8>, ValueRef::Blob(bytes) => Some(bytes.into());
    Uuid, ValueRef::Blob(bytes) => Uuid::from_slice(bytes).ok();
    Timestamp, ValueRef::Text(text) => std::str::from_utf8(text).ok()?.parse().ok();
}

impl<T: Column + for<'a> postgres::types::FromSql<'a>> Column for Option<T> {
    fn from_sqlite(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Null => Some(None),
            other => T::from_sqlite(other).map(Some),
        }
    }

    fn from_postgres(row: &postgres::Row, index: usize) -> Result<Self, postgres::Error> {
        row.try_get(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_in_any_order() {
        let names = ["id", "status", "body"].map(Into::into);
        let columns = Columns {
            names: &names,
            next: Cell::new(0),
        };
        for (name, expected) in [
            ("id", Some(0)),
            ("status", Some(1)),
            ("body", Some(2)),
            ("id", Some(0)),
            ("body", Some(2)),
            ("status", Some(1)),
            ("status", Some(1)),
            ("number", None),
            ("body", Some(2)),
        ] {
            assert_eq!(columns.place(name), expected, "{name}");
        }
    }
}
