//! What a custom field may be set on, and what it holds.

use domain::custom_field::{DataType, Definition, EntityKind, Rules};
use domain::ids::{AccountId, CustomFieldDefinitionId, CustomFieldId, CustomFieldOptionId};
use jiff::Timestamp;
use serde::Serialize;

use super::custom_field::{self, Kept};
use super::custom_field_option;
use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Exact, Moment, Resource, ToMany, ToOne};

/// Values that a definition links to at most, the latest first: there can be a hundred thousand.
pub const FIELDS_LINKED_MAX: u32 = 100;

/// What can be demanded of values.
pub const VALIDATION: &[Attribute] = &[
    Attribute::new("required", Shape::Boolean)
        .optional()
        .about("Whether the field cannot be cleared."),
    Attribute::new("pattern", Shape::Text)
        .optional()
        .about("A regular expression without look-around; must match somewhere in a text."),
    Attribute::new("min", Shape::Number).optional(),
    Attribute::new("max", Shape::Number).optional(),
    Attribute::new("min_length", Shape::Integer)
        .optional()
        .about("Of texts, in characters."),
    Attribute::new("max_length", Shape::Integer)
        .optional()
        .about("Of texts, in characters."),
];

/// What a definition consists of.
pub const TYPE: Type = Type {
    name: "custom_field_definition",
    about: "On which records a custom field can be set, and what it holds. It links to its 100 latest fields; \
        `GET /custom_fields?filter[definition_id]=…` lists all of them.",
    attributes: &[
        Attribute::new("entity_type", Shape::OneOf(entity_types)),
        Attribute::new("api_slug", Shape::Text).about("Its name for programs, unique."),
        Attribute::new("display_name", Shape::Text),
        Attribute::or_null("description", Shape::Text),
        Attribute::new("data_type", Shape::OneOf(data_types)),
        Attribute::or_null("reference_type", Shape::Text)
            .about("The type of the records that a reference refers to."),
        Attribute::or_null("validation", Shape::Object(VALIDATION)),
        Attribute::or_null("default_format", Shape::Text).about(
            "How numbers (#,##0.00 or %.2f), dates and times (DD/MM/YYYY or %d/%m/%Y) are shown.",
        ),
        Attribute::or_null("default_value", Shape::Any).about("What a form offers at first."),
        Attribute::or_null("template_id", Shape::Id).about("Always null: there are no templates."),
        Attribute::new("created_at", Shape::Moment),
        Attribute::new("updated_at", Shape::Moment),
    ],
    relationships: &[
        Relationship::one("account", &["account"]),
        Relationship::many("fields", &["custom_field"]),
        Relationship::many("options", &["custom_field_option"]),
    ],
    collection: Some("custom_field_definitions"),
    versioned: false,
};

/// Every `entity_type`.
pub fn entity_types() -> Vec<&'static str> {
    EntityKind::ALL.map(EntityKind::as_str).to_vec()
}

/// Every `data_type`.
pub fn data_types() -> Vec<&'static str> {
    DataType::ALL.map(DataType::as_str).to_vec()
}

/// What a definition is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: CustomFieldDefinitionId,
    /// Whose it is.
    pub account: AccountId,
    /// What it says.
    pub definition: &'a Definition,
    /// Its latest values, at most [`FIELDS_LINKED_MAX`].
    pub fields: &'a [CustomFieldId],
    /// Its options, in their order.
    pub options: &'a [CustomFieldOptionId],
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let definition = view.definition;
    let attributes = Attributes {
        entity_type: definition.entity.as_str(),
        api_slug: &definition.api_slug,
        display_name: &definition.display_name,
        description: definition.description.as_deref(),
        data_type: definition.data_type.as_str(),
        reference_type: definition.reference_type.as_deref(),
        validation: Validation::of(&definition.rules),
        default_format: definition.default_format.as_deref(),
        default_value: Kept(&definition.default_value),
        template_id: None,
        created_at: Moment(view.created_at),
        updated_at: Moment(view.updated_at),
    };
    let relationships = Relationships {
        account: ToOne::to("account", view.account),
        fields: ToMany::to(custom_field::TYPE.name, view.fields),
        options: ToMany::to(custom_field_option::TYPE.name, view.options),
    };
    Resource::new(TYPE.name, view.id, attributes, relationships)
        .linked("custom_field_definitions")
        .text()
}

#[derive(Serialize)]
struct Relationships {
    account: ToOne,
    fields: ToMany,
    options: ToMany,
}

#[derive(Serialize)]
struct Attributes<'a> {
    entity_type: &'static str,
    api_slug: &'a str,
    display_name: &'a str,
    description: Option<&'a str>,
    data_type: &'static str,
    reference_type: Option<&'a str>,
    validation: Option<Validation<'a>>,
    default_format: Option<&'a str>,
    default_value: Kept<'a>,
    template_id: Option<()>,
    created_at: Moment,
    updated_at: Moment,
}

/// The demands that were made, and no others.
#[derive(Serialize)]
struct Validation<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    required: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<Exact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<Exact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_length: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<u32>,
}

impl<'a> Validation<'a> {
    fn of(rules: &'a Rules) -> Option<Self> {
        (*rules != Rules::default()).then(|| Self {
            required: rules.required,
            pattern: rules.pattern.as_deref(),
            min: rules.min.map(Exact),
            max: rules.max.map(Exact),
            min_length: rules.min_length,
            max_length: rules.max_length,
        })
    }
}
