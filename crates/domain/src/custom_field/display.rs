//! What people see of a value.

use jiff::civil::{Date, DateTime, Time};

use super::DataType;
use super::definition::{Choice, Definition};
use super::value::Value;

impl Definition {
    /// The value in words: formatted, options by their labels of now. `None` where there is nothing to show.
    pub fn display(&self, value: &Value, choices: &[Choice]) -> Option<String> {
        match (self.data_type, value) {
            (DataType::Number, Value::Number(number)) => Some(
                self.number_format()
                    .map_or_else(|| number.normalize().to_string(), |f| f.show(*number)),
            ),
            (DataType::Date, Value::Text(day)) => {
                Some(self.day(day).unwrap_or_else(|| day.clone()))
            }
            (DataType::DateTime, Value::Text(at)) => {
                Some(self.instant(at).unwrap_or_else(|| at.clone()))
            }
            (_, Value::Boolean(yes)) => Some(if *yes { "Yes" } else { "No" }.to_owned()),
            (_, Value::List(options)) if !options.is_empty() => {
                let labels = options.iter().filter_map(Value::text);
                let labels: Vec<&str> = labels.map(|option| label(option, choices)).collect();
                Some(labels.join(", "))
            }
            (_, Value::Text(text)) => Some(label(text, choices).to_owned()),
            (_, Value::Number(number)) => Some(number.normalize().to_string()),
            (_, Value::Null | Value::List(_) | Value::Object(_)) => None,
        }
    }

    fn day(&self, day: &str) -> Option<String> {
        let day: Date = day.parse().ok()?;
        self.date_format()?.show(day.to_datetime(Time::midnight()))
    }

    fn instant(&self, at: &str) -> Option<String> {
        let at: DateTime = at.trim_end_matches('Z').parse().ok()?;
        let shown = self.date_format().and_then(|format| format.show(at));
        Some(shown.unwrap_or_else(|| at.to_string().replace('T', " ")))
    }
}

/// An option that is gone shows its stored string.
fn label<'a>(option: &'a str, choices: &'a [Choice]) -> &'a str {
    let found = choices.iter().find(|choice| choice.value == option);
    found.map_or(option, |choice| &choice.label)
}
