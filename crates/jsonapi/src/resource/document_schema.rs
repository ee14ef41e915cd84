//! What documents of a type hold, in one version.

use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::{Moment, Resource, Shown, moment};

/// The one format schemas are written in.
const JSON_SCHEMA: &str = "json_schema";

/// What a document schema consists of.
pub const TYPE: Type = Type {
    name: "document_schema",
    about: "What is read from documents of a type, in one version.",
    attributes: &[
        Attribute::new("document_type", Shape::Text),
        Attribute::new("label", Shape::Text).about("What people call the type."),
        Attribute::new("schema_version", Shape::Date),
        Attribute::new("full_version", Shape::Text).about("Type and version; also the id."),
        Attribute::new("current", Shape::Boolean).about("Whether it is the one in force."),
        Attribute::new("draft", Shape::Boolean).about("Whether it is still being worked on."),
        Attribute::or_null("active_at", Shape::Moment).about("When it came into force."),
        Attribute::new("schema_format", Shape::OneOf(|| vec![JSON_SCHEMA])),
        Attribute::or_null("description", Shape::Text),
        Attribute::new("schema_payload", Shape::Object(&[])).about("The JSON Schema."),
        Attribute::new("created_at", Shape::Moment),
        Attribute::new("updated_at", Shape::Moment),
    ],
    relationships: &[],
    collection: Some("document_schemas"),
    versioned: false,
};

/// What a document schema is rendered from.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Which documents: `bill_of_lading`.
    pub document_type: &'a str,
    /// Names the version.
    pub version: Date,
    /// What people call the type.
    pub label: &'a str,
    /// What it is for.
    pub description: Option<&'a str>,
    /// The JSON Schema, as JSON text.
    pub payload: &'a str,
    /// Whether it is the one in force.
    pub current: bool,
    /// Whether it is still being worked on.
    pub draft: bool,
    /// When it came into force.
    pub active_at: Option<Timestamp>,
    /// When it was loaded.
    pub created_at: Timestamp,
    /// When it last changed its standing.
    pub updated_at: Timestamp,
}

/// The id of a version: `bill_of_lading@2026-01-05`.
pub fn id(document_type: &str, version: Date) -> String {
    format!("{document_type}@{version}")
}

/// Type and version out of an id; `None` for a text that is none.
pub fn parse_id(id: &str) -> Option<(&str, Date)> {
    let (document_type, text) = id.rsplit_once('@')?;
    let version: Date = text.parse().ok()?;
    // Other spellings of the same day are other texts, and name nothing.
    (version.to_string() == text && !document_type.is_empty()).then_some((document_type, version))
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let id = id(view.document_type, view.version);
    let attributes = Attributes {
        document_type: view.document_type,
        label: view.label,
        schema_version: Shown(view.version),
        full_version: &id,
        current: view.current,
        draft: view.draft,
        active_at: moment(view.active_at),
        schema_format: JSON_SCHEMA,
        description: view.description,
        schema_payload: serde_json::from_str(view.payload).unwrap_or(RawValue::NULL),
        created_at: Moment(view.created_at),
        updated_at: Moment(view.updated_at),
    };
    Resource::worded(TYPE.name, id.as_str(), attributes, Relationships {})
        .linked("document_schemas")
        .text()
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    document_type: &'a str,
    label: &'a str,
    schema_version: Shown<Date>,
    full_version: &'a str,
    current: bool,
    draft: bool,
    active_at: Option<Moment>,
    schema_format: &'static str,
    description: Option<&'a str>,
    schema_payload: &'a RawValue,
    created_at: Moment,
    updated_at: Moment,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_version_is_an_id() {
        let id = parse_id("bill_of_lading@2026-01-05").unwrap();
        assert_eq!(
            (id.0, id.1.to_string().as_str()),
            ("bill_of_lading", "2026-01-05")
        );
        for other in [
            "",
            "@",
            "bill_of_lading",
            "bill_of_lading@current",
            "@2026-01-05",
            "a@20260105",
            "a@2026-13-05",
        ] {
            assert_eq!(parse_id(other), None, "{other}");
        }
    }
}
