//! Reading a request body strictly.
//!
//! Two kinds of fault are kept apart. What is not JSON:API at all (no JSON, a name twice, nested too deeply, no
//! `data` object) is refused whole with 400, because nothing in it can be trusted. Everything else is read to
//! the end, and every member that does not fit becomes one 422 item with a pointer to it: whoever sends a
//! form with five mistakes learns of five, not of one at a time. There is an end to it: an answer names so many faults, and a
//! name of the client's own is shown by its beginning, or a small body would make a large answer.
//!
//! Members nobody asks for are ignored; server-owned ones (id, status, times) are therefore never bound.

mod digits;
mod form;
mod json;
mod kind;
mod words;

pub use digits::digits;
pub use form::{Form, Text};
pub use json::Node;
pub use kind::plural;
pub use words::is_blank;

use crate::error::ErrorItem;

/// Nesting of a body at most.
pub const DEPTH_MAX: usize = 32;

/// Reads one JSON object whole, as strictly as a body.
pub fn object(bytes: &[u8]) -> Result<Node, Vec<ErrorItem>> {
    let node = json::parse(bytes).map_err(|why| vec![why])?;
    let faults = json::nul_faults(&node);
    match node {
        Node::Object(_) if faults.is_empty() => Ok(node),
        Node::Object(_) => Err(faults),
        _ => Err(vec![ErrorItem::new(400, "the body is not a JSON object")]),
    }
}

/// Reads the envelope of a resource of this type: `{"data":{"type":…,"attributes":{…}}}`. The type may be left out or stand
/// in the plural; one that is sent must fit.
pub fn resource(bytes: &[u8], kind: &'static str) -> Result<Form, Vec<ErrorItem>> {
    let bad = |detail: &str| vec![ErrorItem::new(400, detail)];
    let body = json::parse(bytes).map_err(|why| vec![why])?;
    let mut faults = json::nul_faults(&body);
    let Node::Object(body) = body else {
        return Err(bad("the body is not a JSON object"));
    };
    let Some(Node::Object(mut data)) = json::take(body, "data") else {
        return Err(bad("the body has no data object"));
    };
    let mut member = |name: &str| json::remove(&mut data, name);
    match member("type") {
        None => {}
        Some(Node::Text(given)) if kind::is(&given, kind) => {}
        Some(Node::Text(_)) => {
            faults.push(ErrorItem::pointer(
                "/data/type",
                format!("Type must be {kind}"),
            ));
        }
        Some(_) => return Err(bad("data.type is not a string")),
    }
    let id = match member("id") {
        None | Some(Node::Null) => None,
        Some(Node::Text(id)) => Some(id),
        Some(_) => return Err(bad("data.id is not a string")),
    };
    let attributes = match member("attributes") {
        None => Vec::new(),
        Some(Node::Object(attributes)) => attributes,
        Some(_) => return Err(bad("data.attributes is not an object")),
    };
    let relationships = match member("relationships") {
        None => Vec::new(),
        Some(Node::Object(relationships)) => relationships,
        Some(_) => return Err(bad("data.relationships is not an object")),
    };
    Ok(Form::new("/data/attributes", attributes, faults)
        .of(id)
        .with_relationships(relationships))
}

/// Judges what is sent where nothing is wanted: no body, or one that says no more than what the call is about,
/// `{"data":{"type":…,"id":…}}`, with the empty members that serialisers write beside it. Whoever says more expects something
/// of it that does not happen.
pub fn nothing(bytes: &[u8]) -> Result<(), Vec<ErrorItem>> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut form = plain(bytes)?;
    let bad = |detail: &str| vec![ErrorItem::new(400, detail)];
    let data = form.value("data");
    form.nothing_else();
    let data = match data {
        None => return form.finish(),
        Some(Node::Object(members)) => members,
        Some(_) => return Err(bad("data is not an object")),
    };
    let mut data = form.within("/data", data);
    if !matches!(data.value("type"), None | Some(Node::Text(_))) {
        return Err(bad("data.type is not a string"));
    }
    if !matches!(data.value("id"), None | Some(Node::Text(_))) {
        return Err(bad("data.id is not a string"));
    }
    for member in ["attributes", "relationships"] {
        let says_nothing = |value: &Node| match value {
            Node::Null => true,
            Node::Object(members) => members.is_empty(),
            _ => false,
        };
        if !data.value(member).is_none_or(|value| says_nothing(&value)) {
            data.fault(member, "is not wanted here");
        }
    }
    data.nothing_else();
    data.finish()
}

/// Reads a bare object, for the operations that take no resource: `{"number":…}`.
pub fn plain(bytes: &[u8]) -> Result<Form, Vec<ErrorItem>> {
    let body = json::parse(bytes).map_err(|why| vec![why])?;
    let faults = json::nul_faults(&body);
    let Node::Object(members) = body else {
        return Err(vec![ErrorItem::new(400, "the body is not a JSON object")]);
    };
    Ok(Form::new("", members, faults))
}

#[cfg(test)]
mod tests;
