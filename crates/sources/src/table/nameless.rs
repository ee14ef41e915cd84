//! Entries of a JSON list of holds or fees in which nothing stands where the mapping looks for the name.
//!
//! Mostly it looks at the wrong member, or the path leads to an object of flags. Told as one hold that nobody named, such a list
//! hid how many there are, and took away what stood there before. So an entry that says nothing where the mapping looks is none;
//! one of which something is known is one without a name; and either way the list is not understood whole, and clears nothing.

use serde_json::Value;

use super::claims::first_path;
use super::words;

/// What its entries are, for a complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Holds,
    Fees,
}

/// How an entry without a name is told.
pub(super) const UNNAMED: &str = "unnamed";
/// So many members of an entry are named in a complaint.
const MEMBERS_MAX: usize = 6;

/// Why an entry is told without its name, or not at all.
pub(super) fn reason(of: Of, name: &str, entry: &Value, is_told: bool) -> String {
    let (one, section, columns) = match of {
        Of::Holds => ("hold", "holds", "[holds.flags]"),
        Of::Fees => ("fee", "fees", "[fees.amounts]"),
    };
    let name = first_path(name);
    let missing = format!("nothing stands in {name:?}, which names the {one} ([{section}] name)");
    if is_told {
        return format!("{missing}: it is told as {UNNAMED:?}, and the list clears none");
    }
    let members = members(entry);
    let none = format!("no {one} is told of it, and the list clears none");
    match entry {
        Value::Object(told) if told.values().any(|value| is_answer(of, value)) => format!(
            "no list of {section}, but members that each tell of one ({members}): map them in {columns}; {none}"
        ),
        Value::Object(told) if !told.is_empty() => format!("{missing}, but in {members}: {none}"),
        _ => format!("{missing}: {none}"),
    }
}

/// Whether a member says of itself what its column would: a yes or no of a hold, an amount of a fee.
fn is_answer(of: Of, value: &Value) -> bool {
    match (of, value) {
        (Of::Holds, Value::Bool(_)) | (Of::Fees, Value::Number(_)) => true,
        (Of::Holds, Value::String(text)) => words::yes_no(text).is_some(),
        (Of::Fees, Value::String(text)) => words::is_money(text),
        _ => false,
    }
}

fn members(entry: &Value) -> String {
    let told = entry.as_object();
    let names = told.into_iter().flat_map(serde_json::Map::keys);
    let names = names.take(MEMBERS_MAX).map(|name| shortened(name));
    names.collect::<Vec<String>>().join(", ")
}

fn shortened(name: &str) -> String {
    name.chars().take(60).collect()
}
