//! JSON without its loopholes.
//!
//! The parser underneath lets a name appear twice (the last one wins), turns integers past 64 bits into
//! fractions and passes U+0000, which PostgreSQL cannot store. Each of these is refused here, before anything
//! further down has to think about it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

use super::DEPTH_MAX;
use super::words::{beginning, step};
use crate::error::ErrorItem;

/// Texts with U+0000 that are named at most.
pub(super) const NUL_FAULTS_MAX: usize = 20;

/// A JSON value whose objects keep their order and hold each name once.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// A number that fits 64 bits or a finite fraction.
    Number(serde_json::Number),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// An object.
    Object(Vec<(String, Node)>),
}

impl Node {
    /// The value as JSON text, members in their order.
    pub fn to_json_text(&self) -> String {
        crate::wire::text(self)
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Boolean(yes) => serializer.serialize_bool(*yes),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<Node, ErrorItem> {
    let bad = |why: String| ErrorItem::new(400, format!("the body is not valid JSON: {why}"));
    let text = std::str::from_utf8(bytes).map_err(|_| bad("it is not UTF-8".into()))?;
    if text.trim().is_empty() {
        return Err(bad("it is empty".into()));
    }
    if let Some(number) = long_integer(text) {
        return Err(bad(format!("the integer {number} does not fit 64 bits")));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let node = Depth(1)
        .deserialize(&mut reader)
        .map_err(|why| bad(why.to_string()))?;
    reader.end().map_err(|why| bad(why.to_string()))?;
    Ok(node)
}

/// The member of this name, with the rest dropped.
pub(super) fn take(mut members: Vec<(String, Node)>, name: &str) -> Option<Node> {
    remove(&mut members, name)
}

/// The member of this name, taken out.
pub(super) fn remove(members: &mut Vec<(String, Node)>, name: &str) -> Option<Node> {
    let place = members.iter().position(|(member, _)| member == name)?;
    Some(members.swap_remove(place).1)
}

/// One fault for each text that holds U+0000, so far as there is room: each has the whole way to it, and a body may be
/// nothing but such texts.
pub(super) fn nul_faults(node: &Node) -> Vec<ErrorItem> {
    let mut faults = Vec::new();
    search_nul(node, &mut String::new(), &mut faults);
    faults
}

fn search_nul(node: &Node, pointer: &mut String, faults: &mut Vec<ErrorItem>) {
    let mut inside = |name: &str, child: &Node| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&step(name));
        if name.contains('\0') {
            note(pointer, faults);
        }
        search_nul(child, pointer, faults);
        pointer.truncate(length);
    };
    match node {
        Node::Text(text) if text.contains('\0') => note(pointer, faults),
        Node::Null | Node::Boolean(_) | Node::Number(_) | Node::Text(_) => {}
        Node::List(items) => {
            for (place, item) in items.iter().enumerate() {
                inside(&place.to_string(), item);
            }
        }
        Node::Object(members) => members.iter().for_each(|(name, item)| inside(name, item)),
    }
}

fn note(pointer: &str, faults: &mut Vec<ErrorItem>) {
    if faults.len() < NUL_FAULTS_MAX {
        faults.push(nul(pointer));
    }
}

fn nul(pointer: &str) -> ErrorItem {
    ErrorItem::pointer(pointer, "text holds the character U+0000")
}

/// The first integer (outside strings) that fits neither `i64` nor `u64`, cut to a readable length.
fn long_integer(text: &str) -> Option<String> {
    let mut in_string = false;
    let mut escaped = false;
    let mut number = String::new();
    for c in text.chars().chain([' ']) {
        if in_string {
            (in_string, escaped) = (escaped || c != '"', !escaped && c == '\\');
        } else if c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.') {
            number.push(c);
        } else {
            let whole = number.bytes().all(|b| b.is_ascii_digit() || b == b'-');
            let fits = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
            if whole && !fits && number.len() > 18 {
                number.truncate(24);
                return Some(number);
            }
            number.clear();
            in_string = c == '"';
        }
    }
    None
}

/// Reads a value that stands at this depth.
struct Depth(usize);

impl<'de> DeserializeSeed<'de> for Depth {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Depth {
    fn deeper<E: serde::de::Error>(&self) -> Result<usize, E> {
        if self.0 > DEPTH_MAX {
            return Err(E::custom(format!("nested deeper than {DEPTH_MAX}")));
        }
        Ok(self.0 + 1)
    }
}

impl<'de> Visitor<'de> for Depth {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Node, E> {
        Ok(Node::Boolean(yes))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Node, E> {
        serde_json::Number::from_f64(number)
            .map(Node::Number)
            .ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(Node::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let depth = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(Depth(depth))? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let depth = self.deeper()?;
        let mut members: Vec<(String, Node)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if !seen.insert(name.clone()) {
                let shown = beginning(&name);
                return Err(A::Error::custom(format!(
                    "the name {shown:?} appears twice"
                )));
            }
            let value = map.next_value_seed(Depth(depth))?;
            members.push((name, value));
        }
        Ok(Node::Object(members))
    }
}
