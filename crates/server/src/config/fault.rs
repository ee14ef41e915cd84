//! What is wrong with a setting, in one line. It goes to logs, so it repeats no secret: neither the value of one, nor a line of
//! the file in which one may stand.

use config::ConfigError;

use super::SettingsInvalid;

/// Settings whose values are never repeated, and all below them.
const SECRET: &[&str] = &["main_key", "database", "egress.proxy", "sources.secrets"];

/// The fault, with its place.
pub(super) fn named(error: &ConfigError) -> SettingsInvalid {
    SettingsInvalid::Key(line(error).replace('\n', " "))
}

fn line(error: &ConfigError) -> String {
    match error {
        ConfigError::FileParse { uri, cause } => {
            let cause = match cause.downcast_ref::<toml::de::Error>() {
                Some(error) => without_excerpt(error),
                None => "cannot be read".into(),
            };
            match uri {
                Some(uri) => format!("{cause} in {uri}"),
                None => cause,
            }
        }
        _ if key(error).is_some_and(is_secret) => {
            let key = key(error).unwrap_or_default();
            format!("the value for key `{key}` is of another kind than is expected")
        }
        other => other.to_string(),
    }
}

fn key(error: &ConfigError) -> Option<&str> {
    match error {
        ConfigError::Type { key, .. } | ConfigError::At { key, .. } => key.as_deref(),
        _ => None,
    }
}

/// The first line tells the place, those behind it show what stands there.
fn without_excerpt(error: &toml::de::Error) -> String {
    let text = error.to_string();
    let place = text.lines().next().unwrap_or_default();
    format!("{place}: {}", error.message())
}

fn is_secret(key: &str) -> bool {
    SECRET.iter().any(|secret| {
        let below = key.strip_prefix(secret);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}
