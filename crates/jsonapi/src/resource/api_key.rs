//! A key that opens an account.

use domain::account::Permissions;
use domain::ids::ApiKeyId;
use jiff::Timestamp;
use serde::Serialize;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::{Moment, Resource};

/// What a key consists of.
pub const TYPE: Type = Type {
    name: "api_key",
    about: "A key that opens the account.",
    attributes: &[
        Attribute::new("name", Shape::Text),
        Attribute::new("permissions", Shape::Words(permissions))
            .about("`show` reads, `update` changes and manages keys."),
        Attribute::new("key", Shape::Text)
            .about("In full in the answer that creates it and never again; masked after."),
        Attribute::or_null("last_used_at", Shape::Moment).about("To the minute."),
        Attribute::new("created_at", Shape::Moment),
    ],
    relationships: &[],
    collection: None,
    versioned: false,
};

/// Every permission.
pub fn permissions() -> Vec<&'static str> {
    words(Permissions::ALL)
}

fn words(granted: Permissions) -> Vec<&'static str> {
    let all = [("show", granted.show), ("update", granted.update)];
    all.into_iter()
        .filter(|(_, granted)| *granted)
        .map(|(word, _)| word)
        .collect()
}

/// What a key is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: ApiKeyId,
    /// What people call it.
    pub name: &'a str,
    /// What it may do.
    pub permissions: Permissions,
    /// Already masked, or in full where the moment allows it.
    pub key: &'a str,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let attributes = Attributes {
        name: view.name,
        permissions: words(view.permissions),
        key: view.key,
        last_used_at: view.last_used_at.map(Moment),
        created_at: Moment(view.created_at),
    };
    Resource::new(TYPE.name, view.id, attributes, Relationships {}).text()
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    name: &'a str,
    permissions: Vec<&'static str>,
    key: &'a str,
    last_used_at: Option<Moment>,
    created_at: Moment,
}
