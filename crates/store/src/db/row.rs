//! What comes out of a statement: columns by name, the same types from both engines.

use jiff::Timestamp;
use rusqlite::types::ValueRef;
use uuid::Uuid;

use crate::Error;
use crate::mirror::{self, Mirror};

/// A row of either engine. It lives only while its statement stands on it: nothing is copied but what is read.
pub(crate) enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r postgres::Row),
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
            Self::Sqlite(row) => {
                let value = row
                    .get_ref(name)
                    .map_err(|error| unreadable(name, &error))?;
                T::from_sqlite(value).ok_or_else(|| unreadable(name, &shown(value)))
            }
            Self::Postgres(row) => {
                let index = row
                    .columns()
                    .iter()
                    .position(|column| column.name() == name);
                let index = index.ok_or_else(|| unreadable(name, &"no such column"))?;
                T::from_postgres(row, index).map_err(|error| unreadable(name, &error))
            }
        }
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
        let text: String = self.get(name)?;
        parse(&text).ok_or_else(|| unreadable(name, &text))
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
        let text: String = self.get(name)?;
        mirror::value(name, &text)
    }

    /// The column `name` as a count.
    pub(crate) fn count(&self, name: &str) -> Result<u32, Error> {
        let count: i64 = self.get(name)?;
        u32::try_from(count).map_err(|_| unreadable(name, &count))
    }
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
