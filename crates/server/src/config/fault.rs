//! What is wrong with a setting, in one line. It goes to logs, so it repeats no secret: neither the value of one, nor a line of
//! the file in which one may stand.

use config::{Config, ConfigError};

use super::{
    ATTEMPT_SECONDS_MAX, CONNECTIONS_MAX, KEEP_DAYS_MAX, LEASE_SECONDS_MAX, SettingsInvalid,
    UPLOAD_SECONDS,
};

/// Settings whose values are never repeated, and all below them.
const SECRET: &[&str] = &["main_key", "database", "egress.proxy", "sources.secrets"];

/// The fault, with its place.
pub(super) fn named(error: &ConfigError) -> SettingsInvalid {
    SettingsInvalid::Key(line(error).replace('\n', " "))
}

/// The same where a value is of another kind than its setting: what was given, and what is allowed.
pub(super) fn unlike(error: &ConfigError, given: &Config) -> SettingsInvalid {
    let told = key(error)
        .filter(|key| !is_secret(key))
        .and_then(|key| Some((key, wanted(key)?)));
    let Some((key, wanted)) = told else {
        return named(error);
    };
    let given = given.get_string(key).ok();
    let given = given.map_or_else(String::new, |given| format!("is {given:?}; it "));
    let place = origin(error).map_or_else(String::new, |place| format!(" (in {place})"));
    SettingsInvalid::Key(format!("{key}: {given}must be {wanted}{place}"))
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

/// What a setting must be that is no free text, in the words of whoever sets it.
pub(super) fn wanted(key: &str) -> Option<String> {
    let number = |least: u32, most: u32| format!("a whole number from {least} to {most}");
    Some(match key {
        "listen" => "an address and a port, such as 127.0.0.1:8049".into(),
        "role" => "all, api or worker".into(),
        "egress.allow_http" | "egress.proxy_resolves" => "true or false".into(),
        "http.connections_max" | "http.connections_per_address_max" => number(1, CONNECTIONS_MAX),
        "http.upload_seconds" => number(*UPLOAD_SECONDS.start(), *UPLOAD_SECONDS.end()),
        "health.disk_free_percent" => number(0, 99),
        "webhooks.attempt_seconds" => number(1, ATTEMPT_SECONDS_MAX),
        "webhooks.keep_days" => number(1, KEEP_DAYS_MAX),
        "work.lease_seconds" => number(1, LEASE_SECONDS_MAX),
        _ if key.starts_with("rate_limits.") => "a whole number, 0 for no limit".into(),
        _ => return None,
    })
}

/// The file, or the environment, that says so.
fn origin(error: &ConfigError) -> Option<&str> {
    match error {
        ConfigError::Type { origin, .. } | ConfigError::At { origin, .. } => origin.as_deref(),
        _ => None,
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
