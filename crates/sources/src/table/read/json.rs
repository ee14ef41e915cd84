//! JSON: the list of records is found by its path, and each record is read alone.
//!
//! The document is checked once and then only pointed into, so a file of many records is never in memory as a
//! tree; a record that is too deep or too odd is damaged alone.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::super::cell::Cell;
use super::super::mapping::{Profile, Slot};
use super::super::row::{Read, Row};
use super::{Fault, ROWS_MAX};
use crate::ocean::dcsa::recovery::reason_of;

/// A path that begins with this is one of the whole document.
const ROOT: &str = "$.";

/// Reads all records.
pub(in crate::table) fn rows(
    profile: &Profile,
    bytes: &[u8],
    told: &mut dyn FnMut(Read),
) -> Result<(), Fault> {
    let text = String::from_utf8_lossy(bytes);
    let root: &RawValue = serde_json::from_str(&text).map_err(|error| Fault {
        place: format!("line {} column {}", error.line(), error.column()),
        reason: reason_of(&error),
    })?;
    let above: Vec<Cell> = profile
        .addresses
        .iter()
        .map(|address| {
            let mut found = paths(address)
                .filter_map(|path| path.strip_prefix(ROOT))
                .filter_map(|path| descend(root, path)?.first().map(|(_, raw)| cell(raw)));
            found
                .find(|cell| *cell != Cell::Unknown)
                .unwrap_or(Cell::Unknown)
        })
        .collect();
    let lists = descend(root, &profile.form.records).ok_or_else(|| Fault {
        place: profile.form.records.clone(),
        reason: "there is no list of records at this path (format.records)".into(),
    })?;
    let mut seen = 0;
    for (path, raw) in lists {
        for (place, record) in elements(&path, raw) {
            seen += 1;
            if seen > ROWS_MAX {
                return Err(Fault {
                    place,
                    reason: format!("more than {ROWS_MAX} records are not read"),
                });
            }
            told(read(profile, place, record, &above));
        }
    }
    Ok(())
}

fn read(profile: &Profile, place: String, record: &RawValue, above: &[Cell]) -> Read {
    let record: Value = match serde_json::from_str(record.get()) {
        Ok(record @ Value::Object(_)) => record,
        Ok(_) => {
            let reason = "a record is an object".into();
            return Read::Damage { place, reason };
        }
        Err(error) => {
            let reason = reason_of(&error);
            return Read::Damage { place, reason };
        }
    };
    let cells = profile.addresses.iter().zip(above).map(|(address, above)| {
        let found = first_within(&record, address);
        let own = found.map_or(Cell::Unknown, |value| Cell::of_json(value.clone()));
        if own == Cell::Unknown {
            above.clone()
        } else {
            own
        }
    });
    let cells: Vec<Cell> = cells.collect();
    if cells.iter().all(|cell| *cell == Cell::Unknown) {
        let reason = "it has none of the members that the mapping names; is it an error?".into();
        return Read::Damage { place, reason };
    }
    if is_its_number_alone(profile, &record, above) {
        let reason = "it has the box's number and none of the other members that the mapping names: are they called otherwise?";
        return Read::Damage {
            place,
            reason: reason.into(),
        };
    }
    Read::Row(Row { place, cells })
}

/// How much a record says that is not understood at all. Of a box that is unknown there a sender says little more than that.
const STRANGE_MEMBERS_MIN: usize = 3;

/// Whether a record says something and nothing of what is mapped beside the number, be it as `null`.
fn is_its_number_alone(profile: &Profile, record: &Value, above: &[Cell]) -> bool {
    let is_number = |slot: usize| profile.container.iter().any(|Slot(own)| *own == slot);
    let addresses = profile.addresses.iter().zip(above).enumerate();
    let (number, others): (Vec<_>, Vec<_>) = addresses.partition(|(slot, _)| is_number(*slot));
    let is_nowhere = |address: &str| paths(address).all(|path| within(record, path).is_none());
    let said = record.as_object().into_iter().flatten();
    let said = said.filter(|(_, value)| !is_blank(value)).count();
    said >= number.len() + STRANGE_MEMBERS_MIN
        && !others.is_empty()
        && others
            .iter()
            .all(|(_, (address, above))| **above == Cell::Unknown && is_nowhere(address))
}

/// What stands at the first of several paths (`a.b | c`) at which something is said.
pub(in crate::table) fn first_within<'v>(value: &'v Value, address: &str) -> Option<&'v Value> {
    let own = paths(address).filter(|path| !path.starts_with(ROOT));
    let mut blank: Option<&Value> = None;
    for found in own.filter_map(|path| within(value, path)) {
        if !is_blank(found) {
            return Some(found);
        }
        // An empty list says something where nothing else does: `null` and an empty text say nothing.
        let says_more = |blank: &Value| is_bare(blank) && !is_bare(found);
        blank = blank.filter(|blank| !says_more(blank)).or(Some(found));
    }
    blank
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn is_bare(value: &Value) -> bool {
    matches!(value, Value::Null | Value::String(_))
}

/// A sender renames its members, or has them otherwise at the next place: the first that says something counts.
fn paths(address: &str) -> impl Iterator<Item = &str> {
    address.split(" | ").map(str::trim)
}

/// What stands at a path (`a.b[0].c`, `a.b[d].c`) in a value. Member names are compared without case.
fn within<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let mut at = value;
    for step in steps(path) {
        at = match step {
            Step::Member(name) => {
                let members = at.as_object()?;
                let alike = || {
                    members
                        .iter()
                        .find(|(key, _)| key.eq_ignore_ascii_case(name))
                };
                members
                    .get(name)
                    .or_else(|| alike().map(|(_, value)| value))?
            }
            Step::Element(index) => at.as_array()?.get(index)?,
            Step::Saying(name) => {
                let mut all = at.as_array()?.iter();
                all.find(|element| within(element, name).is_some_and(|said| !is_blank(said)))?
            }
            Step::Each => at.as_array()?.first()?,
        };
    }
    Some(at)
}

enum Step<'p> {
    Member(&'p str),
    Element(usize),
    /// The first element of a list that says something in this member.
    Saying(&'p str),
    /// Every element of a list.
    Each,
}

fn steps(path: &str) -> impl Iterator<Item = Step<'_>> {
    path.split('.')
        .filter(|part| !part.is_empty())
        .flat_map(|part| {
            let (name, rest) = part.split_at(part.find('[').unwrap_or(part.len()));
            let member = (!name.is_empty()).then_some(Step::Member(name));
            let elements = rest.split('[').skip(1).map(|index| {
                let index = index.trim_end_matches(']');
                match index.parse() {
                    Ok(index) => Step::Element(index),
                    Err(_) if matches!(index.trim(), "" | "*") => Step::Each,
                    Err(_) => Step::Saying(index.trim()),
                }
            });
            member.into_iter().chain(elements)
        })
}

/// What stands at a path of the document; several things behind an `[]`, perhaps none. `None` when the path
/// leads nowhere.
fn descend<'t>(root: &'t RawValue, path: &str) -> Option<Vec<(String, &'t RawValue)>> {
    let mut at = vec![(String::new(), root)];
    for step in steps(path) {
        let before = at.len();
        at = at
            .into_iter()
            .flat_map(|(place, raw)| match step {
                Step::Member(name) => {
                    let dot = if place.is_empty() { "" } else { "." };
                    let found = member(raw, name);
                    found
                        .map(|raw| (format!("{place}{dot}{name}"), raw))
                        .into_iter()
                        .collect()
                }
                Step::Element(index) => {
                    let elements = elements(&place, raw);
                    elements.into_iter().skip(index).take(1).collect()
                }
                Step::Saying(name) => {
                    let says = |raw: &RawValue| {
                        member(raw, name).is_some_and(|raw| cell(raw) != Cell::Unknown)
                    };
                    let elements = elements(&place, raw).into_iter();
                    elements.filter(|(_, raw)| says(raw)).take(1).collect()
                }
                Step::Each => elements(&place, raw),
            })
            .collect();
        let may_be_empty = matches!(step, Step::Each | Step::Saying(_));
        let leads_nowhere = at.is_empty() && before > 0 && !may_be_empty;
        if leads_nowhere {
            return None;
        }
    }
    Some(at)
}

fn member<'t>(raw: &'t RawValue, name: &str) -> Option<&'t RawValue> {
    let mut members: BTreeMap<String, &RawValue> = serde_json::from_str(raw.get()).ok()?;
    let exact = members.remove(name);
    exact.or_else(|| {
        let mut alike = members
            .into_iter()
            .filter(|(key, _)| key.eq_ignore_ascii_case(name));
        alike.next().map(|(_, raw)| raw)
    })
}

/// The elements of a list; anything else counts as a list of one, `null` as none.
fn elements<'t>(place: &str, raw: &'t RawValue) -> Vec<(String, &'t RawValue)> {
    match serde_json::from_str::<Vec<&RawValue>>(raw.get()) {
        Ok(list) => {
            let list = list.into_iter().enumerate();
            list.map(|(index, raw)| (format!("{place}[{index}]"), raw))
                .collect()
        }
        Err(_) if raw.get() == "null" => Vec::new(),
        Err(_) => vec![(place.to_owned(), raw)],
    }
}

fn cell(raw: &RawValue) -> Cell {
    serde_json::from_str(raw.get()).map_or(Cell::Unknown, Cell::of_json)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_several_paths_the_first_that_says_something_counts_and_an_empty_list_says_more_than_nothing()
     {
        for (value, found) in [
            (json!({"a": "x", "b": "y"}), json!("x")),
            (json!({"a": null, "b": "y"}), json!("y")),
            (json!({"a": [], "b": "y"}), json!("y")),
            (json!({"a": null, "b": []}), json!([])),
            (json!({"a": " ", "b": {}}), json!({})),
            (json!({"a": [], "b": null}), json!([])),
            (json!({"a": null}), json!(null)),
        ] {
            assert_eq!(first_within(&value, "a | b"), Some(&found), "{value}");
        }
        assert_eq!(first_within(&json!({}), "a | b"), None);
    }

    #[test]
    fn of_a_list_the_first_element_counts_that_says_something_in_a_member() {
        let list = json!({"a": [{"at": null, "b": 1}, {"AT": " ", "b": 2}, {"At": "x", "b": 3}]});
        assert_eq!(first_within(&list, "a[at].b"), Some(&json!(3)));
        assert_eq!(first_within(&list, "a[c].b"), None);
        assert_eq!(first_within(&list, "a[].b"), Some(&json!(1)));
        let text = list.to_string();
        let root: &RawValue = serde_json::from_str(&text).unwrap();
        let places = |path: &str| {
            let found = descend(root, path).unwrap();
            let places = found.into_iter().map(|(place, _)| place);
            places.collect::<Vec<String>>()
        };
        assert_eq!(places("a[at]"), ["a[2]"]);
        assert!(places("a[c]").is_empty());
    }
}
