//! Values of custom fields and what is demanded of them, as stored. A number keeps its digits.

use domain::custom_field::{Rules, Value};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::{Mirror, record};

record!(Rules, RulesRow {} optional {
    required: bool,
    pattern: String,
    min: Decimal,
    max: Decimal,
    min_length: u32,
    max_length: u32,
} lists {});

/// A value, each with its kind.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ValueRow {
    Null,
    Boolean(bool),
    Number(String),
    Text(String),
    List(Vec<ValueRow>),
    Object(Vec<(String, ValueRow)>),
}

impl Mirror for Value {
    type Row = ValueRow;

    fn to_row(&self) -> ValueRow {
        match self {
            Self::Null => ValueRow::Null,
            Self::Boolean(yes) => ValueRow::Boolean(*yes),
            Self::Number(number) => ValueRow::Number(number.to_string()),
            Self::Text(text) => ValueRow::Text(text.clone()),
            Self::List(items) => ValueRow::List(items.iter().map(Self::to_row).collect()),
            Self::Object(members) => {
                let member = |(name, value): &(String, Self)| (name.clone(), value.to_row());
                ValueRow::Object(members.iter().map(member).collect())
            }
        }
    }

    fn from_row(row: ValueRow) -> Result<Self, String> {
        Ok(match row {
            ValueRow::Null => Self::Null,
            ValueRow::Boolean(yes) => Self::Boolean(yes),
            ValueRow::Number(number) => Self::Number(number.parse().map_err(|_| number)?),
            ValueRow::Text(text) => Self::Text(text),
            ValueRow::List(items) => {
                let items = items.into_iter().map(Self::from_row);
                Self::List(items.collect::<Result<_, _>>()?)
            }
            ValueRow::Object(members) => {
                let member = |(name, value)| Ok::<_, String>((name, Self::from_row(value)?));
                Self::Object(members.into_iter().map(member).collect::<Result<_, _>>()?)
            }
        })
    }
}
