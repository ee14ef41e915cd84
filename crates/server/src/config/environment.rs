//! Settings from the environment.
//!
//! Values stay text until the setting they are for asks for something else: a client id of `007` or a secret of
//! `1e5` is not a number, and read as one it would not come back as it was.

use std::collections::BTreeMap;
use std::ffi::OsString;

use config::{Environment, Map};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use super::SettingsInvalid;

const PREFIX: &str = "QUAYSIDE_";
const SECRETS_PREFIX: &str = "QUAYSIDE_SOURCES__SECRETS__";
const NAMES_A_FILE: &str = "_FILE";

/// The variables of this process. What is not ours need not be text.
pub fn of_process() -> Result<Vec<(String, String)>, SettingsInvalid> {
    let text = |(name, value): (OsString, OsString)| match (name.into_string(), value.into_string())
    {
        (Ok(name), Ok(value)) => Some(Ok((name, value))),
        (Ok(name), Err(_)) if name.starts_with(PREFIX) => Some(Err(SettingsInvalid::Key(format!(
            "the value of {name} is no UTF-8"
        )))),
        _ => None,
    };
    std::env::vars_os().filter_map(text).collect()
}

/// Our variables, as a layer of settings.
pub fn layer(
    environment: impl Iterator<Item = (String, String)>,
) -> Result<Environment, SettingsInvalid> {
    let layer = Environment::with_prefix("QUAYSIDE")
        .prefix_separator("_")
        .separator("__");
    Ok(layer.source(Some(variables(environment)?)))
}

/// The files that secrets of sources come from: by profile id, then by name.
pub fn secret_files(
    environment: &[(String, String)],
) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut files = BTreeMap::<String, BTreeMap<String, String>>::new();
    for (variable, path) in environment {
        let named = variable
            .strip_prefix(SECRETS_PREFIX)
            .and_then(|rest| rest.strip_suffix(NAMES_A_FILE));
        if let Some((id, name)) = named.and_then(|named| named.split_once("__")) {
            let of_source = files.entry(id.to_ascii_lowercase()).or_default();
            of_source.insert(name.to_ascii_lowercase(), path.clone());
        }
    }
    files
}

/// Those that name a file are replaced by what the file holds.
fn variables(
    environment: impl Iterator<Item = (String, String)>,
) -> Result<Map<String, String>, SettingsInvalid> {
    let ours = environment.filter(|(name, _)| name.starts_with(PREFIX));
    ours.map(|(name, value)| match name.strip_suffix(NAMES_A_FILE) {
        Some(plain) => Ok((plain.to_owned(), held(&name, value)?)),
        None => Ok((name, value)),
    })
    .collect()
}

fn held(variable: &str, path: String) -> Result<String, SettingsInvalid> {
    match std::fs::read_to_string(&path) {
        // Nothing would count as not set: a node whose database's address did not arrive would begin a store of its own. What a
        // source lacks is told of that source.
        Ok(text) if text.trim().is_empty() && !variable.starts_with(SECRETS_PREFIX) => {
            Err(SettingsInvalid::SecretFileEmpty {
                variable: variable.to_owned(),
                path,
            })
        }
        Ok(text) => Ok(text.trim_end().to_owned()),
        Err(source) => Err(SettingsInvalid::SecretFile {
            variable: variable.to_owned(),
            path,
            source,
        }),
    }
}

/// A list as the file gives it, or as the environment does: separated by commas.
pub fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    deserializer.deserialize_any(ListOrText)
}

struct ListOrText;

impl<'de> Visitor<'de> for ListOrText {
    type Value = Vec<String>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a list of texts, or one text separated by commas")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        let parts = text.split(',').map(str::trim);
        Ok(parts
            .filter(|part| !part.is_empty())
            .map(ToOwned::to_owned)
            .collect())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(serde::de::value::SeqAccessDeserializer::new(list))
    }
}
