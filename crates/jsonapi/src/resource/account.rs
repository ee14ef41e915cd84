//! A tenant, as its own records link to it.

use domain::ids::AccountId;
use serde::Serialize;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::Resource;

/// What an account consists of.
pub const TYPE: Type = Type {
    name: "account",
    about: "Whose records these are. Reached by include only.",
    attributes: &[Attribute::new("company_name", Shape::Text)],
    relationships: &[],
    collection: None,
    versioned: false,
};

/// The resource object as JSON text.
pub fn render(id: AccountId, company_name: &str) -> String {
    let attributes = Attributes { company_name };
    Resource::new(TYPE.name, id, attributes, Relationships {}).text()
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    company_name: &'a str,
}
