//! A definition judges values.

use super::date::{self, DateFormat, FORMAT_CHARS_MAX, FormatRefused};
use super::number::{self, NumberFormat};
use super::rules::Rules;
use super::value::{Refused, Value};
use super::{CHOSEN_MAX, DataType, EntityKind, NAME_CHARS_MAX, TEXT_CHARS_MAX};

/// What a custom field may be set on, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// On which kind of record.
    pub entity: EntityKind,
    /// Its name for programs; unique in the account.
    pub api_slug: String,
    /// Its name for people.
    pub display_name: String,
    /// What it is for.
    pub description: Option<String>,
    /// What it holds.
    pub data_type: DataType,
    /// To what a reference refers: a resource type.
    pub reference_type: Option<String>,
    /// What is demanded of values.
    pub rules: Rules,
    /// How numbers, days and instants are shown, and days and instants first tried to be read.
    pub default_format: Option<String>,
    /// What a form offers at first; judged as a value is.
    pub default_value: Value,
}

/// An option of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What is stored.
    pub value: String,
    /// What people see.
    pub label: String,
}

impl Definition {
    /// The value as it is kept. `choices` are the definition's options.
    pub fn accept(&self, sent: Value, choices: &[Choice]) -> Result<Value, Refused> {
        let known = |option: &str| choices.iter().any(|choice| choice.value == option);
        self.judge(sent, &known)
    }

    /// The default as it is kept; its options may be made later.
    pub fn accept_default(&self, sent: Value) -> Result<Value, Refused> {
        match sent {
            Value::Null => Ok(Value::Null),
            sent => self.judge(sent, &|_| true),
        }
    }

    /// Whether its values can be shown by this format.
    pub fn check_format(&self, format: &str) -> Result<(), FormatRefused> {
        if format.chars().count() > FORMAT_CHARS_MAX {
            return Err(FormatRefused::TooLong);
        }
        match self.data_type {
            DataType::Number => NumberFormat::parse(format).map(|_| ()),
            DataType::Date | DataType::DateTime => DateFormat::parse(format).map(|_| ()),
            _ => Ok(()),
        }
    }

    fn judge(&self, sent: Value, known: &dyn Fn(&str) -> bool) -> Result<Value, Refused> {
        let cleared = match &sent {
            Value::Null => true,
            Value::Text(text) => text.trim().is_empty(),
            Value::List(items) => items.is_empty(),
            _ => false,
        };
        if cleared {
            return self.judge_nothing(sent);
        }
        match (self.data_type, sent) {
            (DataType::ShortText, Value::Text(text)) => self.text(&text),
            (DataType::ShortText, _) => Err(Refused::Kind("a string")),
            (DataType::Number, Value::Number(number)) => {
                let number = number::fitting(number)?;
                self.rules.judge_number(number)?;
                Ok(Value::Number(number))
            }
            (DataType::Number, _) => Err(Refused::Kind("a number")),
            (DataType::Date, Value::Text(text)) => date::day(&text, self.date_format().as_ref())
                .map(|day| Value::Text(day.to_string()))
                .ok_or(Refused::Kind("a date, like 2026-02-26")),
            (DataType::Date, _) => Err(Refused::Kind("a date, like 2026-02-26")),
            (DataType::DateTime, Value::Text(text)) => {
                date::instant(&text, self.date_format().as_ref())
                    .map(|at| Value::Text(format!("{at}Z")))
                    .ok_or(Refused::Kind("a time, like 2026-02-26T05:00:00Z"))
            }
            (DataType::DateTime, _) => Err(Refused::Kind("a time, like 2026-02-26T05:00:00Z")),
            (DataType::Boolean, Value::Boolean(yes)) => Ok(Value::Boolean(yes)),
            (DataType::Boolean, _) => Err(Refused::Kind("true or false")),
            (DataType::Enum, Value::Text(option)) => one_of(&option, known).map(Value::Text),
            (DataType::Enum, _) => Err(Refused::Kind("the value of an option")),
            (DataType::EnumMulti, Value::List(items)) => some_of(items, known),
            (DataType::EnumMulti, _) => Err(Refused::Kind("a list of values of options")),
            (DataType::Reference, Value::Object(members)) => self.reference(&members),
            (DataType::Reference, _) => Err(Refused::Kind("an object with type and id")),
        }
    }

    /// Nothing: kept as null, but an empty list stays one.
    fn judge_nothing(&self, sent: Value) -> Result<Value, Refused> {
        if self.rules.is_required() {
            return Err(Refused::Blank);
        }
        match (self.data_type, sent) {
            (DataType::EnumMulti, Value::List(_)) => Ok(Value::List(Vec::new())),
            (_, Value::List(_)) => Err(Refused::Kind("a single value")),
            _ => Ok(Value::Null),
        }
    }

    fn text(&self, text: &str) -> Result<Value, Refused> {
        let text = text.trim();
        if text.chars().any(char::is_control) {
            return Err(Refused::ControlCharacters);
        }
        if text.chars().count() > TEXT_CHARS_MAX {
            return Err(Refused::TooLong(TEXT_CHARS_MAX));
        }
        self.rules.judge_text(text)?;
        Ok(Value::Text(text.to_owned()))
    }

    fn reference(&self, members: &[(String, Value)]) -> Result<Value, Refused> {
        let part = |name: &str| {
            let found = members.iter().find(|(known, _)| known == name);
            let text = found.and_then(|(_, value)| value.text()).map(str::trim);
            text.filter(|text| !text.is_empty())
                .map(ToOwned::to_owned)
                .ok_or(Refused::Kind("an object with type and id"))
        };
        let (kind, id) = (part("type")?, part("id")?);
        if let Some(wanted) = self
            .reference_type
            .as_ref()
            .filter(|wanted| **wanted != kind)
        {
            return Err(Refused::ReferenceType(wanted.clone()));
        }
        if !super::REFERENCE_TYPES.contains(&kind.as_str()) {
            return Err(Refused::NoSuchType);
        }
        if id.chars().any(char::is_control) {
            return Err(Refused::ControlCharacters);
        }
        if id.chars().count() > NAME_CHARS_MAX {
            return Err(Refused::TooLong(NAME_CHARS_MAX));
        }
        Ok(Value::Object(vec![
            ("type".to_owned(), Value::Text(kind)),
            ("id".to_owned(), Value::Text(id)),
        ]))
    }

    pub(super) fn date_format(&self) -> Option<DateFormat> {
        let format = self.default_format.as_deref()?;
        DateFormat::parse(format).ok()
    }

    pub(super) fn number_format(&self) -> Option<NumberFormat> {
        let format = self.default_format.as_deref()?;
        NumberFormat::parse(format).ok()
    }
}

fn one_of(option: &str, known: &dyn Fn(&str) -> bool) -> Result<String, Refused> {
    let option = option.trim();
    if option.chars().count() > NAME_CHARS_MAX {
        return Err(Refused::TooLong(NAME_CHARS_MAX));
    }
    if known(option) {
        Ok(option.to_owned())
    } else {
        Err(Refused::NoOption(option.to_owned()))
    }
}

fn some_of(items: Vec<Value>, known: &dyn Fn(&str) -> bool) -> Result<Value, Refused> {
    if items.len() > CHOSEN_MAX {
        return Err(Refused::TooMany(CHOSEN_MAX));
    }
    let mut chosen: Vec<Value> = Vec::with_capacity(items.len());
    for item in items {
        let Value::Text(option) = item else {
            return Err(Refused::Kind("a list of values of options"));
        };
        let option = Value::Text(one_of(&option, known)?);
        if chosen.contains(&option) {
            let twice = option.text().unwrap_or_default().to_owned();
            return Err(Refused::Twice(twice));
        }
        chosen.push(option);
    }
    Ok(Value::List(chosen))
}
