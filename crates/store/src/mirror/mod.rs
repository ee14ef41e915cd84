//! Domain values as JSON text in a column.
//!
//! The domain is not serialisable, on purpose: how a value is stored must not follow from how it is thought.
//! Each stored type has a private row type here, converted both ways by hand. The macros below write the
//! conversions; they take every value apart by name, so a new field or variant of the domain does not compile
//! until it has a place here. Absent values and empty lists are left out: bytes written are the cost of intake.

mod custom_field;
mod report;
mod state;

use std::fmt::{self, Formatter};
use std::marker::PhantomData;

use domain::codes::{ContainerNumber, ImoNumber, Scac, UnLocode};
use domain::container::CurrentStatus;
use domain::event::EventName;
use domain::ids::CustomFieldId;
use domain::moment;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use rust_decimal::Decimal;
use serde::de::{DeserializeOwned, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Error;
use crate::db::unreadable;

/// A domain value with a row type of its own.
pub(crate) trait Mirror: Sized {
    /// What is written.
    type Row: Serialize + DeserializeOwned;
    fn to_row(&self) -> Self::Row;
    /// The error is the text that was not understood; of a value with a text of its own the parser of the row says it.
    fn from_row(row: Self::Row) -> Result<Self, String>;
}

/// The value as JSON text.
pub(crate) fn text<T: Mirror>(value: &T) -> Result<String, Error> {
    let text = serde_json::to_string(&value.to_row());
    text.map_err(|error| Error::Refused(format!("a value that cannot be written: {error}")))
}

/// The value that [`text`] wrote; `column` is for the error.
pub(crate) fn value<T: Mirror>(column: &str, text: &str) -> Result<T, Error> {
    let row = serde_json::from_str(text).map_err(|error| unreadable(column, &error))?;
    T::from_row(row).map_err(|found| unreadable(column, &found))
}

impl<T: Mirror> Mirror for Option<T> {
    type Row = Option<T::Row>;

    fn to_row(&self) -> Self::Row {
        self.as_ref().map(T::to_row)
    }

    fn from_row(row: Self::Row) -> Result<Self, String> {
        row.map(T::from_row).transpose()
    }
}

impl<T: Mirror> Mirror for Vec<T> {
    type Row = Vec<T::Row>;

    fn to_row(&self) -> Self::Row {
        self.iter().map(T::to_row).collect()
    }

    fn from_row(row: Self::Row) -> Result<Self, String> {
        row.into_iter().map(T::from_row).collect()
    }
}

/// Values that are their own rows.
macro_rules! plain {
    ($($type:ty),+) => {$(
        impl Mirror for $type {
            type Row = Self;

            fn to_row(&self) -> Self {
                self.clone()
            }

            fn from_row(row: Self) -> Result<Self, String> {
                Ok(row)
            }
        }
    )+};
}

plain!(String, bool, u8, u32);

/// A value as JSON text, written and read without a copy of the text.
pub(crate) struct Spelled<T>(T);

/// A value with a text of its own.
pub(crate) trait Spelling: Sized {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
    fn parse(text: &str) -> Option<Self>;
}

impl<T: Spelling> Serialize for Spelled<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

impl<'de, T: Spelling> Deserialize<'de> for Spelled<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text(PhantomData)).map(Self)
    }
}

/// Reads the text of a value.
struct Text<T>(PhantomData<T>);

impl<T: Spelling> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a text that stands for a value")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        T::parse(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// Values whose row is the value itself, which writes and reads its own text.
macro_rules! spelled {
    ($type:ty) => {
        impl Mirror for $type {
            type Row = Spelled<Self>;

            fn to_row(&self) -> Spelled<Self> {
                Spelled(self.clone())
            }

            fn from_row(row: Spelled<Self>) -> Result<Self, String> {
                Ok(row.0)
            }
        }
    };
}

/// Values written as text.
macro_rules! as_text {
    ($($type:ty, $parse:expr;)+) => {$(
        impl Spelling for $type {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }

            fn parse(text: &str) -> Option<Self> {
                $parse(text)
            }
        }

        spelled!($type);
    )+};
}

impl Spelling for Timestamp {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_plain = self.subsec_nanosecond() == 0 && *self >= moment::FIRST;
        if is_plain {
            serializer.serialize_str(moment::Spelled::to_seconds(*self).as_str())
        } else {
            serializer.collect_str(self)
        }
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

spelled!(Timestamp);

as_text! {
    DateTime, |text: &str| text.parse().ok();
    Date, |text: &str| text.parse().ok();
    Decimal, |text: &str| text.parse().ok();
    Scac, |text: &str| Scac::parse(text).ok();
    UnLocode, |text: &str| UnLocode::from_store(text).ok();
    ImoNumber, ImoNumber::parse;
    ContainerNumber, |text: &str| ContainerNumber::from_feed(text).ok().map(|(number, _)| number);
    CustomFieldId, |text: &str| text.parse().ok().map(CustomFieldId);
}

/// Values with names of their own.
macro_rules! as_name {
    ($($type:ty, $parse:expr;)+) => {$(
        impl Spelling for $type {
            fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }

            fn parse(text: &str) -> Option<Self> {
                $parse(text)
            }
        }

        spelled!($type);
    )+};
}

as_name! {
    EventName, EventName::parse;
    CurrentStatus, |text: &str| CurrentStatus::ALL.into_iter().find(|s| s.as_str() == text);
}

/// A row type for an enum without values: its variants in snake case.
macro_rules! names {
    ($type:ident, $row:ident { $($variant:ident),+ $(,)? }) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub(crate) enum $row { $($variant),+ }

        impl crate::mirror::Mirror for $type {
            type Row = $row;

            fn to_row(&self) -> $row {
                match self { $(Self::$variant => $row::$variant),+ }
            }

            fn from_row(row: $row) -> Result<Self, String> {
                Ok(match row { $($row::$variant => Self::$variant),+ })
            }
        }
    };
}
use names;

/// A row type for a struct: fields that are always there, those that may be absent, lists, and records that are
/// left out while nothing in them is set.
macro_rules! record {
    ($type:ident, $row:ident
        { $($field:ident: $kind:ty),* $(,)? }
        optional { $($absent:ident: $absent_kind:ty),* $(,)? }
        lists { $($list:ident: $list_kind:ty),* $(,)? }
        $(unset { $($unset:ident: $unset_kind:ty),* $(,)? })?
    ) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $row {
            $($field: <$kind as crate::mirror::Mirror>::Row,)*
            $(#[serde(default, skip_serializing_if = "Option::is_none")]
            $absent: Option<<$absent_kind as crate::mirror::Mirror>::Row>,)*
            $(#[serde(default, skip_serializing_if = "Vec::is_empty")]
            $list: Vec<<$list_kind as crate::mirror::Mirror>::Row>,)*
            $($(#[serde(default, skip_serializing_if = "Option::is_none")]
            $unset: Option<<$unset_kind as crate::mirror::Mirror>::Row>,)*)?
        }

        impl crate::mirror::Mirror for $type {
            type Row = $row;

            fn to_row(&self) -> $row {
                let Self { $($field,)* $($absent,)* $($list,)* $($($unset,)*)? } = self;
                $row {
                    $($field: <$kind as crate::mirror::Mirror>::to_row($field),)*
                    $($absent: <Option<$absent_kind> as crate::mirror::Mirror>::to_row($absent),)*
                    $($list: <Vec<$list_kind> as crate::mirror::Mirror>::to_row($list),)*
                    $($($unset: (*$unset != <$unset_kind>::default())
                        .then(|| <$unset_kind as crate::mirror::Mirror>::to_row($unset)),)*)?
                }
            }

            fn from_row(row: $row) -> Result<Self, String> {
                Ok(Self {
                    $($field: <$kind as crate::mirror::Mirror>::from_row(row.$field)?,)*
                    $($absent: <Option<$absent_kind> as crate::mirror::Mirror>::from_row(row.$absent)?,)*
                    $($list: <Vec<$list_kind> as crate::mirror::Mirror>::from_row(row.$list)?,)*
                    $($($unset: <Option<$unset_kind> as crate::mirror::Mirror>::from_row(row.$unset)?
                        .unwrap_or_default(),)*)?
                })
            }
        }
    };
}
use record;
