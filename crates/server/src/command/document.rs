//! Looking into documents that came over HTTP: what is not there is null.

use serde_json::Value;

/// What stands at a JSON pointer.
pub fn at<'d>(document: &'d Value, pointer: &str) -> &'d Value {
    document.pointer(pointer).unwrap_or(&Value::Null)
}

/// The text at a JSON pointer.
pub fn text(document: &Value, pointer: &str) -> Option<String> {
    at(document, pointer).as_str().map(ToOwned::to_owned)
}

/// The list at a JSON pointer; empty when there is none.
pub fn list<'d>(document: &'d Value, pointer: &str) -> &'d [Value] {
    at(document, pointer).as_array().map_or(&[], Vec::as_slice)
}
