//! One table of a TOML file, read key by key so that every complaint names its key.

use std::ops::RangeInclusive;

use toml::{Table, Value};
use url::Url;

use super::profile::ProfileError;

/// A table of which the keys already read are gone; what is left at the end is unknown.
pub(super) struct Section {
    path: String,
    keys: Table,
}

impl Section {
    /// The whole file.
    pub(super) fn of_document(text: &str) -> Result<Self, ProfileError> {
        let keys = text.parse::<Table>().map_err(|e| {
            let before = e
                .span()
                .and_then(|span| text.get(..span.start))
                .unwrap_or_default();
            ProfileError {
                key: format!("line {}", before.matches('\n').count() + 1),
                reason: e.message().to_owned(),
            }
        })?;
        Ok(Self {
            path: String::new(),
            keys,
        })
    }

    /// A complaint about a key of this table.
    pub(super) fn bad(&self, key: &str, reason: &str) -> ProfileError {
        ProfileError {
            key: format!("{}{key}", self.path),
            reason: reason.to_owned(),
        }
    }

    /// Says that nothing unknown is left.
    pub(super) fn finish(self) -> Result<(), ProfileError> {
        match self.keys.keys().next() {
            Some(key) => Err(self.bad(key, "is not a key of a profile")),
            None => Ok(()),
        }
    }

    pub(super) fn table(&mut self, key: &str) -> Result<Option<Self>, ProfileError> {
        match self.keys.remove(key) {
            None => Ok(None),
            Some(Value::Table(keys)) => Ok(Some(Self {
                path: format!("{}{key}.", self.path),
                keys,
            })),
            Some(_) => Err(self.bad(key, "is a table")),
        }
    }

    pub(super) fn required_table(&mut self, key: &str) -> Result<Self, ProfileError> {
        self.table(key)?.ok_or_else(|| self.bad(key, "is missing"))
    }

    pub(super) fn table_or_empty(&mut self, key: &str) -> Result<Self, ProfileError> {
        let empty = Self {
            path: format!("{}{key}.", self.path),
            keys: Table::new(),
        };
        Ok(self.table(key)?.unwrap_or(empty))
    }

    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, ProfileError> {
        match self.keys.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text)),
            Some(_) => Err(self.bad(key, "is a text that is not empty")),
        }
    }

    pub(super) fn required_text(&mut self, key: &str) -> Result<String, ProfileError> {
        self.text(key)?.ok_or_else(|| self.bad(key, "is missing"))
    }

    /// A text or a list of texts.
    pub(super) fn texts(&mut self, key: &str) -> Result<Vec<String>, ProfileError> {
        let wrong = self.bad(key, "is a text or a list of texts");
        match self.keys.remove(key) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(Value::Array(values)) => values
                .into_iter()
                .map(|value| match value {
                    Value::String(text) => Ok(text),
                    _ => Err(wrong.clone()),
                })
                .collect(),
            Some(_) => Err(wrong),
        }
    }

    /// A table of texts.
    pub(super) fn pairs(&mut self, key: &str) -> Result<Vec<(String, String)>, ProfileError> {
        let Some(table) = self.table(key)? else {
            return Ok(Vec::new());
        };
        let Self { path, keys } = table;
        keys.into_iter()
            .map(|(name, value)| match value {
                Value::String(text) => Ok((name, text)),
                _ => Err(ProfileError {
                    key: format!("{path}{name}"),
                    reason: "is a text".into(),
                }),
            })
            .collect()
    }

    pub(super) fn flag(&mut self, key: &str) -> Result<bool, ProfileError> {
        match self.keys.remove(key) {
            None => Ok(false),
            Some(Value::Boolean(flag)) => Ok(flag),
            Some(_) => Err(self.bad(key, "is true or false")),
        }
    }

    pub(super) fn number(
        &mut self,
        key: &str,
        usual: u32,
        range: RangeInclusive<u32>,
    ) -> Result<u32, ProfileError> {
        let number = match self.keys.remove(key) {
            None => Some(usual),
            Some(Value::Integer(number)) => u32::try_from(number).ok(),
            Some(_) => None,
        };
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (least, most) = (range.start(), range.end());
                self.bad(key, &format!("is a whole number from {least} to {most}"))
            })
    }

    pub(super) fn url(&mut self, key: &str) -> Result<Option<Url>, ProfileError> {
        let Some(text) = self.text(key)? else {
            return Ok(None);
        };
        let url = Url::parse(&text).map_err(|e| self.bad(key, &e.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(self.bad(key, "is an http or https URL"));
        }
        Ok(Some(url))
    }
}
