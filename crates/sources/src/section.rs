//! One table of a settings file (TOML), read key by key so that every complaint names its key and its place.
//!
//! A profile is checked in full before anything is read with it: a key that means nothing is an error, since a
//! misspelt one would be as good as a missing one, silently.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use url::Url;

/// Why a profile is not usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}{}: {reason}", Shown(*.place))]
pub struct ProfileError {
    /// The key, with its table (`auth.token_url`), or the line when the file is no TOML.
    pub key: String,
    /// What is wrong with it.
    pub reason: String,
    /// Line and column of the key, both from 1; of its table when the key is missing, and none where that has
    /// no line of its own.
    pub place: Option<(usize, usize)>,
}

struct Shown(Option<(usize, usize)>);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((line, column)) => write!(f, " (line {line}, column {column})"),
            None => Ok(()),
        }
    }
}

/// How the templates mark what only the source itself can tell.
const TO_BE_FILLED_IN: &str = "YOUR-";

/// Tables of a profile that mean the same for every protocol, and are read elsewhere.
const OF_EVERY_SOURCE: [&str; 2] = ["drop", "inbound"];

/// A table of which the keys already read are gone; what is left at the end is unknown.
pub(crate) struct Section {
    path: String,
    place: Option<(usize, usize)>,
    keys: BTreeMap<String, Entry>,
    /// Where the keys stand, those already read included.
    places: BTreeMap<String, (usize, usize)>,
}

struct Entry {
    value: Value,
    place: (usize, usize),
}

enum Value {
    Text(String),
    Whole(i64),
    Real(f64),
    Flag(bool),
    List(Vec<Entry>),
    Table(BTreeMap<String, Entry>),
    Other,
}

impl Entry {
    fn left_open(&self, key: &str) -> Option<ProfileError> {
        match &self.value {
            Value::Text(text) if text.contains(TO_BE_FILLED_IN) => Some(ProfileError {
                key: key.to_owned(),
                reason: format!(
                    "still says {text:?}: write there what the source gave you ({TO_BE_FILLED_IN}… stands for it)"
                ),
                place: Some(self.place),
            }),
            Value::List(entries) => entries.iter().find_map(|entry| entry.left_open(key)),
            Value::Table(entries) => {
                let open = entries.iter();
                let open =
                    open.filter_map(|(name, entry)| entry.left_open(&format!("{key}.{name}")));
                open.min_by_key(|open| open.place)
            }
            Value::Text(_) | Value::Whole(_) | Value::Real(_) | Value::Flag(_) | Value::Other => {
                None
            }
        }
    }
}

impl Section {
    /// The whole file.
    pub(crate) fn of_document(text: &str) -> Result<Self, ProfileError> {
        let lines = Lines::of(text);
        let document = DeTable::parse(text).map_err(|error| {
            let place = lines.place(error.span().map_or(0, |span| span.start));
            ProfileError {
                key: format!("line {}", place.0),
                reason: error.message().to_owned(),
                place: Some(place),
            }
        })?;
        Ok(Self::new(
            String::new(),
            None,
            lines.table(document.into_inner()),
        ))
    }

    fn new(path: String, place: Option<(usize, usize)>, keys: BTreeMap<String, Entry>) -> Self {
        let places = keys
            .iter()
            .map(|(key, entry)| (key.clone(), entry.place))
            .collect();
        Self {
            path,
            place,
            keys,
            places,
        }
    }

    /// A complaint about the first value that nobody has filled in: the templates mark those with `YOUR-`.
    pub(crate) fn left_open(&self) -> Option<ProfileError> {
        let entries = self.keys.iter();
        let open =
            entries.filter_map(|(key, entry)| entry.left_open(&format!("{}{key}", self.path)));
        open.min_by_key(|open| open.place)
    }

    /// A complaint about a key of this table.
    pub(crate) fn bad(&self, key: &str, reason: &str) -> ProfileError {
        ProfileError {
            key: format!("{}{key}", self.path),
            reason: reason.to_owned(),
            place: self.places.get(key).copied().or(self.place),
        }
    }

    /// Says that nothing unknown is left.
    pub(crate) fn finish(self) -> Result<(), ProfileError> {
        let is_root = self.path.is_empty();
        let own = |key: &&String| !(is_root && OF_EVERY_SOURCE.contains(&key.as_str()));
        match self.keys.keys().find(own) {
            Some(key) => Err(self.bad(key, "is not a key of a profile")),
            None => Ok(()),
        }
    }

    /// The keys that are not read yet, by name.
    pub(crate) fn names(&self) -> Vec<String> {
        self.keys.keys().cloned().collect()
    }

    pub(crate) fn table(&mut self, key: &str) -> Result<Option<Self>, ProfileError> {
        match self.take(key) {
            None => Ok(None),
            Some(Entry {
                value: Value::Table(keys),
                place,
            }) => Ok(Some(Self::new(
                format!("{}{key}.", self.path),
                Some(place),
                keys,
            ))),
            Some(_) => Err(self.bad(key, "is a table")),
        }
    }

    pub(crate) fn required_table(&mut self, key: &str) -> Result<Self, ProfileError> {
        self.table(key)?.ok_or_else(|| self.bad(key, "is missing"))
    }

    pub(crate) fn table_or_empty(&mut self, key: &str) -> Result<Self, ProfileError> {
        let empty = Self::new(format!("{}{key}.", self.path), None, BTreeMap::new());
        Ok(self.table(key)?.unwrap_or(empty))
    }

    /// A list of tables.
    pub(crate) fn tables(&mut self, key: &str) -> Result<Vec<Self>, ProfileError> {
        let wrong = self.bad(key, "is a list of tables");
        let entries = match self.take(key).map(|entry| entry.value) {
            None => return Ok(Vec::new()),
            Some(Value::List(entries)) => entries,
            Some(_) => return Err(wrong),
        };
        let tables = entries.into_iter().enumerate();
        tables
            .map(|(index, entry)| match entry.value {
                Value::Table(keys) => Ok(Self::new(
                    format!("{}{key}[{index}].", self.path),
                    Some(entry.place),
                    keys,
                )),
                _ => Err(wrong.clone()),
            })
            .collect()
    }

    pub(crate) fn text(&mut self, key: &str) -> Result<Option<String>, ProfileError> {
        match self.take(key).map(|entry| entry.value) {
            None => Ok(None),
            Some(Value::Text(text)) if !text.trim().is_empty() => Ok(Some(text)),
            Some(_) => Err(self.bad(key, "is a text that is not empty")),
        }
    }

    pub(crate) fn required_text(&mut self, key: &str) -> Result<String, ProfileError> {
        self.text(key)?.ok_or_else(|| self.bad(key, "is missing"))
    }

    /// A text or a list of texts.
    pub(crate) fn texts(&mut self, key: &str) -> Result<Vec<String>, ProfileError> {
        let wrong = self.bad(key, "is a text or a list of texts");
        match self.take(key).map(|entry| entry.value) {
            None => Ok(Vec::new()),
            Some(Value::Text(text)) => Ok(vec![text]),
            Some(Value::List(entries)) => entries
                .into_iter()
                .map(|entry| match entry.value {
                    Value::Text(text) => Ok(text),
                    _ => Err(wrong.clone()),
                })
                .collect(),
            Some(_) => Err(wrong),
        }
    }

    /// A table of texts.
    pub(crate) fn pairs(&mut self, key: &str) -> Result<Vec<(String, String)>, ProfileError> {
        let Some(table) = self.table(key)? else {
            return Ok(Vec::new());
        };
        let Self { path, keys, .. } = table;
        keys.into_iter()
            .map(|(name, entry)| match entry.value {
                Value::Text(text) => Ok((name, text)),
                _ => Err(ProfileError {
                    key: format!("{path}{name}"),
                    reason: "is a text".into(),
                    place: Some(entry.place),
                }),
            })
            .collect()
    }

    pub(crate) fn flag(&mut self, key: &str) -> Result<bool, ProfileError> {
        match self.take(key).map(|entry| entry.value) {
            None => Ok(false),
            Some(Value::Flag(flag)) => Ok(flag),
            Some(_) => Err(self.bad(key, "is true or false")),
        }
    }

    pub(crate) fn number(
        &mut self,
        key: &str,
        usual: u32,
        range: RangeInclusive<u32>,
    ) -> Result<u32, ProfileError> {
        let number = match self.take(key).map(|entry| entry.value) {
            None => Some(usual),
            Some(Value::Whole(number)) => u32::try_from(number).ok(),
            Some(_) => None,
        };
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (least, most) = (range.start(), range.end());
                self.bad(key, &format!("is a whole number from {least} to {most}"))
            })
    }

    /// A number, whole or not.
    pub(crate) fn required_real(
        &mut self,
        key: &str,
        range: RangeInclusive<f64>,
    ) -> Result<f64, ProfileError> {
        let number = match self.take(key).map(|entry| entry.value) {
            None => return Err(self.bad(key, "is missing")),
            Some(Value::Real(number)) => Some(number),
            Some(Value::Whole(number)) => i32::try_from(number).ok().map(f64::from),
            Some(_) => None,
        };
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (least, most) = (range.start(), range.end());
                self.bad(key, &format!("is a number from {least} to {most}"))
            })
    }

    pub(crate) fn url(&mut self, key: &str) -> Result<Option<Url>, ProfileError> {
        let Some(text) = self.text(key)? else {
            return Ok(None);
        };
        let url = Url::parse(&text).map_err(|e| self.bad(key, &e.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(self.bad(key, "is an http or https URL"));
        }
        Ok(Some(url))
    }

    /// An address that paths are joined to: nothing stands behind its own.
    pub(crate) fn base(&mut self, key: &str) -> Result<Option<Url>, ProfileError> {
        let url = self.url(key)?;
        let is_bare = |url: &Url| {
            url.query().is_none()
                && url.fragment().is_none()
                && url.username().is_empty()
                && url.password().is_none()
        };
        if url.as_ref().is_some_and(|url| !is_bare(url)) {
            let reason = "is an address alone: no user, nothing behind ? or #; [auth] has headers and parameters";
            return Err(self.bad(key, reason));
        }
        Ok(url)
    }

    fn take(&mut self, key: &str) -> Option<Entry> {
        self.keys.remove(key)
    }
}

/// Where the lines of a text begin.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(after).collect(),
        }
    }

    /// Line and column of a byte, both from 1.
    fn place(&self, at: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= at);
        let start = self.starts.get(line.saturating_sub(1)).copied();
        let before = self.text.get(start.unwrap_or_default()..at);
        (line, before.map_or(1, |text| text.chars().count() + 1))
    }

    fn table(&self, table: DeTable<'_>) -> BTreeMap<String, Entry> {
        table
            .into_iter()
            .map(|(key, value)| {
                let at = key.span().start;
                let entry = self.entry(at, value.into_inner());
                (key.into_inner().into_owned(), entry)
            })
            .collect()
    }

    fn entry(&self, at: usize, value: DeValue<'_>) -> Entry {
        let value = match value {
            DeValue::String(text) => Value::Text(text.into_owned()),
            DeValue::Integer(number) => {
                let whole = i64::from_str_radix(number.as_str(), number.radix());
                whole.map_or(Value::Other, Value::Whole)
            }
            DeValue::Float(number) => number.as_str().parse().map_or(Value::Other, Value::Real),
            DeValue::Boolean(flag) => Value::Flag(flag),
            DeValue::Array(entries) => Value::List(
                entries
                    .into_iter()
                    .map(|entry: Spanned<DeValue<'_>>| {
                        let at = entry.span().start;
                        self.entry(at, entry.into_inner())
                    })
                    .collect(),
            ),
            DeValue::Table(table) => Value::Table(self.table(table)),
            DeValue::Datetime(_) => Value::Other,
        };
        Entry {
            value,
            place: self.place(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_still_says_what_the_template_said_is_named() {
        let open = |text: &str| Section::of_document(text).unwrap().left_open();
        assert_eq!(open("id = 'a' # YOUR-LINE\n[auth]\nkind = 'none'\n"), None);
        for (text, key, place) in [
            (
                "id = 'a'\n[endpoint]\nbase = 'https://YOUR-ADDRESS.example'\n",
                "endpoint.base",
                (3, 1),
            ),
            (
                "[auth]\nheaders = { 'X-Key' = 'YOUR-KEY' }\n",
                "auth.headers.X-Key",
                (2, 13),
            ),
            ("scac = ['MSCU', 'YOUR-SCAC']\n", "scac", (1, 17)),
        ] {
            let found = open(text).unwrap();
            assert_eq!(
                (found.key.as_str(), found.place),
                (key, Some(place)),
                "{text}"
            );
            assert!(found.reason.contains("YOUR-"), "{}", found.reason);
        }
    }

    #[test]
    fn every_complaint_has_a_place() {
        let text = "id = \"a\"\n\n[auth]\n  kind = 7\n[[quays]]\nlat = 1\n[[quays]]\nlat = \"x\"\n";
        let mut top = Section::of_document(text).unwrap();
        let missing = top.required_text("protocol").unwrap_err();
        assert_eq!((missing.key.as_str(), missing.place), ("protocol", None));
        let mut auth = top.table("auth").unwrap().unwrap();
        let wrong = auth.text("kind").unwrap_err();
        assert_eq!(
            (wrong.key.as_str(), wrong.place),
            ("auth.kind", Some((4, 3)))
        );
        assert_eq!(
            wrong.to_string(),
            "auth.kind (line 4, column 3): is a text that is not empty"
        );
        let absent = auth.required_text("token_url").unwrap_err();
        assert_eq!(absent.place, Some((3, 2)));
        let mut quays = top.tables("quays").unwrap();
        let second = quays.pop().unwrap();
        let mut second = second;
        let wrong = second.required_real("lat", -90.0..=90.0).unwrap_err();
        assert_eq!(
            (wrong.key.as_str(), wrong.place),
            ("quays[1].lat", Some((8, 1)))
        );
        let unknown = top.finish().unwrap_err();
        assert_eq!((unknown.key.as_str(), unknown.place), ("id", Some((1, 1))));
    }

    #[test]
    fn a_file_that_is_no_toml_is_told_its_line_and_column() {
        let error = Section::of_document("id = \"a\"\nkey = = 2\n")
            .err()
            .unwrap();
        assert_eq!((error.key.as_str(), error.place), ("line 2", Some((2, 7))));
    }
}
