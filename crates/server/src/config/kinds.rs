//! Numbers and yes or no in the file, each where its setting is one.
//!
//! What reads the settings makes a number of whatever can be one: 0.4 would be 0, which is no limit, and 2 would be yes. A text
//! is left alone, the environment has nothing else.

use std::path::Path;

use toml::Value;

use super::fault::wanted;
use super::{Settings, SettingsInvalid};

/// The first value of the file that is of another kind than its setting. A file that is no TOML is told by who reads it.
pub(super) fn check(text: &str, path: &Path) -> Result<(), SettingsInvalid> {
    let (Ok(given), Ok(usual)) = (text.parse(), toml::Table::try_from(Settings::default())) else {
        return Ok(());
    };
    let Some((key, value)) = unlike("", &given, &usual) else {
        return Ok(());
    };
    let wanted = wanted(&key).unwrap_or_else(|| "of another kind".into());
    let file = path.display();
    Err(SettingsInvalid::Key(format!(
        "{key}: is {value}; it must be {wanted} (in {file})"
    )))
}

fn unlike(above: &str, given: &toml::Table, usual: &toml::Table) -> Option<(String, Value)> {
    given.iter().find_map(|(name, value)| {
        let key = format!("{above}{name}");
        match (value, usual.get(name)?) {
            (Value::Table(given), Value::Table(usual)) => unlike(&format!("{key}."), given, usual),
            (Value::Float(_) | Value::Boolean(_), Value::Integer(_))
            | (Value::Float(_) | Value::Integer(_), Value::Boolean(_)) => {
                Some((key, value.clone()))
            }
            _ => None,
        }
    })
}
