//! What went wrong, as the `errors` array of JSON:API: one item for each fault.

use serde::{Serialize, Serializer};

use crate::wire::text;

/// Faults that one answer names at most. Who made so many has a fault of its own to mend first.
pub const ERRORS_MAX: usize = 100;

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorItem {
    /// HTTP status; written as a string.
    pub status: u16,
    /// The kind of fault, the same for all of its kind.
    pub title: &'static str,
    /// This fault, in a sentence.
    pub detail: String,
    /// Which member of the body or which parameter of the query is at fault.
    pub source: Option<Source>,
    /// A word for programs.
    pub code: Option<&'static str>,
    /// More, by name.
    pub meta: Vec<(&'static str, String)>,
}

/// What is at fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// JSON pointer into the body: `/data/attributes/scac`.
    Pointer(String),
    /// Name of the query parameter: `page[size]`.
    Parameter(String),
    /// Name of the request header.
    Header(String),
}

impl ErrorItem {
    /// With another title than the usual one of its status.
    #[must_use]
    pub fn titled(mut self, title: &'static str) -> Self {
        self.title = title;
        self
    }

    /// A fault with the usual title of its status.
    pub fn new(status: u16, detail: impl Into<String>) -> Self {
        Self {
            status,
            title: title(status),
            detail: detail.into(),
            source: None,
            code: None,
            meta: Vec::new(),
        }
    }

    /// A fault of the query string: 400.
    pub fn parameter(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            source: Some(Source::Parameter(name.into())),
            ..Self::new(400, detail)
        }
    }

    /// A refused member of the body: 422.
    pub fn pointer(pointer: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            source: Some(Source::Pointer(pointer.into())),
            ..Self::new(422, detail)
        }
    }

    /// With a word for programs.
    #[must_use]
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// With one more member of `meta`.
    #[must_use]
    pub fn meta(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.meta.push((name, value.into()));
        self
    }
}

/// The answer that carries these faults, as many as one may.
pub fn document(items: &[ErrorItem]) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        errors: Vec<Item<'a>>,
    }
    text(&Document {
        errors: items.iter().take(ERRORS_MAX).map(Item).collect(),
    })
}

struct Item<'a>(&'a ErrorItem);

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let item = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("status", &item.status.to_string())?;
        map.serialize_entry("title", item.title)?;
        map.serialize_entry("detail", &item.detail)?;
        if let Some(source) = &item.source {
            map.serialize_entry("source", source)?;
        }
        if let Some(code) = item.code {
            map.serialize_entry("code", code)?;
        }
        if !item.meta.is_empty() {
            let meta: serde_json::Map<String, serde_json::Value> = item
                .meta
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.as_str().into()))
                .collect();
            map.serialize_entry("meta", &meta)?;
        }
        map.end()
    }
}

fn title(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_item_for_each_fault() {
        let items = [
            ErrorItem::pointer("/data/attributes/scac", "Scac can't be blank").code("blank"),
            ErrorItem::parameter("page[size]", "page[size] is at least 1").meta("request_id", "r1"),
            ErrorItem::new(404, "no such shipment"),
        ];
        insta::assert_snapshot!(document(&items), @r#"{"errors":[{"status":"422","title":"Unprocessable Entity","detail":"Scac can't be blank","source":{"pointer":"/data/attributes/scac"},"code":"blank"},{"status":"400","title":"Bad Request","detail":"page[size] is at least 1","source":{"parameter":"page[size]"},"meta":{"request_id":"r1"}},{"status":"404","title":"Not Found","detail":"no such shipment"}]}"#);
    }
}
