//! A person of an account. Only named by links: keys belong to accounts, so nothing is known of persons yet.

use domain::ids::UserId;
use serde::Serialize;

use crate::schema::Type;
use crate::wire::Resource;

/// What a user consists of.
pub const TYPE: Type = Type {
    name: "user",
    about: "A person of an account. Nothing is told of persons but that there was one.",
    attributes: &[],
    relationships: &[],
    collection: None,
    versioned: false,
};

/// The resource object as JSON text.
pub fn render(id: UserId) -> String {
    Resource::new(TYPE.name, id, Nothing {}, Nothing {}).text()
}

#[derive(Serialize)]
struct Nothing {}
