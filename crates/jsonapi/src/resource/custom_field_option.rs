//! One choice of a definition.

use domain::ids::CustomFieldOptionId;
use jiff::Timestamp;
use serde::Serialize;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::{Moment, Resource};

/// What an option consists of.
pub const TYPE: Type = Type {
    name: "custom_field_option",
    about: "One choice of an enum or enum_multi definition.",
    attributes: &[
        Attribute::new("label", Shape::Text).about("What people see; can change."),
        Attribute::new("value", Shape::Text).about("What fields hold; cannot change."),
        Attribute::or_null("position", Shape::Integer).about("Where it stands among the others."),
        Attribute::new("created_at", Shape::Moment),
        Attribute::new("updated_at", Shape::Moment),
    ],
    relationships: &[],
    collection: None,
    versioned: false,
};

/// What an option is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: CustomFieldOptionId,
    /// What people see.
    pub label: &'a str,
    /// What fields hold.
    pub value: &'a str,
    /// Where it stands among the others.
    pub position: Option<i64>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let attributes = Attributes {
        label: view.label,
        value: view.value,
        position: view.position,
        created_at: Moment(view.created_at),
        updated_at: Moment(view.updated_at),
    };
    Resource::new(TYPE.name, view.id, attributes, Relationships {}).text()
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    label: &'a str,
    value: &'a str,
    position: Option<i64>,
    created_at: Moment,
    updated_at: Moment,
}
