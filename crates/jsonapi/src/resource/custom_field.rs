//! One value of a custom field on one record.

use domain::custom_field::{EntityKind, Value};
use domain::ids::{CustomFieldDefinitionId, CustomFieldId};
use jiff::Timestamp;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use uuid::Uuid;

use super::custom_field_definition;
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Exact, Moment, Resource, ToOne};

/// What a custom field consists of.
pub const TYPE: Type = Type {
    name: "custom_field",
    about: "One value that an account keeps on one of its records.",
    attributes: &[
        Attribute::new("api_slug", Shape::Text).about("Of its definition."),
        Attribute::or_null("value", Shape::Any)
            .about("What the definition holds: text, a number, true or false, a list of options, a reference."),
        Attribute::or_null("display_value", Shape::Text)
            .about("The value in words: formatted, options by their labels."),
        Attribute::new("created_at", Shape::Moment),
        Attribute::new("updated_at", Shape::Moment),
    ],
    relationships: &[
        Relationship::one("entity", &["shipment", "container", "tracking_request"]),
        Relationship::one("definition", &["custom_field_definition"]),
    ],
    collection: Some("custom_fields"),
    versioned: false,
};

/// What a custom field is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: CustomFieldId,
    /// The name of its definition.
    pub api_slug: &'a str,
    /// The value.
    pub value: &'a Value,
    /// The value in words.
    pub display_value: Option<&'a str>,
    /// The kind of record that has it.
    pub entity: EntityKind,
    /// The record that has it.
    pub entity_id: Uuid,
    /// Its definition.
    pub definition: CustomFieldDefinitionId,
    /// When it was first set.
    pub created_at: Timestamp,
    /// When it was last set.
    pub updated_at: Timestamp,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let attributes = Attributes {
        api_slug: view.api_slug,
        value: Kept(view.value),
        display_value: view.display_value,
        created_at: Moment(view.created_at),
        updated_at: Moment(view.updated_at),
    };
    let relationships = Relationships {
        entity: ToOne::to(view.entity.resource(), view.entity_id),
        definition: ToOne::to(custom_field_definition::TYPE.name, view.definition),
    };
    Resource::new(TYPE.name, view.id, attributes, relationships)
        .linked("custom_fields")
        .text()
}

#[derive(Serialize)]
struct Relationships {
    entity: ToOne,
    definition: ToOne,
}

#[derive(Serialize)]
struct Attributes<'a> {
    api_slug: &'a str,
    value: Kept<'a>,
    display_value: Option<&'a str>,
    created_at: Moment,
    updated_at: Moment,
}

/// A value as JSON; numbers digit for digit.
pub(super) struct Kept<'a>(pub(super) &'a Value);

impl Serialize for Kept<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Boolean(yes) => serializer.serialize_bool(*yes),
            Value::Number(number) => Exact(*number).serialize(serializer),
            Value::Text(text) => serializer.serialize_str(text),
            Value::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&Kept(item))?;
                }
                list.end()
            }
            Value::Object(members) => {
                let mut object = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    object.serialize_entry(name, &Kept(value))?;
                }
                object.end()
            }
        }
    }
}
