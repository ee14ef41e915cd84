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
    let Some((key, value, kind)) = unlike("", &given, &usual) else {
        return Ok(());
    };
    let wanted = wanted(&key).unwrap_or_else(|| kind.into());
    let file = path.display();
    Err(SettingsInvalid::Key(format!(
        "{key}: is {value}; it must be {wanted} (in {file})"
    )))
}

/// The key, what was given, and what its setting is.
fn unlike(
    above: &str,
    given: &toml::Table,
    usual: &toml::Table,
) -> Option<(String, Value, &'static str)> {
    given.iter().find_map(|(name, value)| {
        let key = format!("{above}{name}");
        let kind = match (value, usual.get(name)?) {
            (Value::Table(given), Value::Table(usual)) => {
                return unlike(&format!("{key}."), given, usual);
            }
            (Value::Float(_) | Value::Boolean(_), Value::Integer(_)) => "a whole number",
            (Value::Float(_) | Value::Integer(_), Value::Boolean(_)) => "true or false",
            _ => return None,
        };
        Some((key, value.clone(), kind))
    })
}
