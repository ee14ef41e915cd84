//! What a caller shows: the key, as it may be told to whoever holds it.

use domain::ids::{AccountId, ApiKeyId};
use jiff::Timestamp;
use serde::Serialize;

use crate::schema::{Attribute, Relationship, Shape, Type};
use crate::wire::{Moment, Resource, ToOne};

/// What a credential consists of.
pub const TYPE: Type = Type {
    name: "credential",
    about: "What a call was made with, and whose it is.",
    attributes: &[
        Attribute::new("kind", Shape::OneOf(kinds)),
        Attribute::new("name", Shape::Text).about("What people call the key."),
        Attribute::new("channel", Shape::OneOf(channels)).about("By which way the call came."),
        Attribute::new("features", Shape::Keyed(FEATURE))
            .about("Switches of the reference interface, by their names: none of them is here."),
        Attribute::new("created_at", Shape::Moment),
    ],
    relationships: &[
        Relationship::one("account", &["account"]),
        Relationship::one("user", &["user"]),
    ],
    collection: None,
    versioned: false,
};

const FEATURE: &[Attribute] = &[Attribute::new("status", Shape::OneOf(standings))];

fn standings() -> Vec<&'static str> {
    vec!["enabled", "disabled"]
}

fn channels() -> Vec<&'static str> {
    vec![API]
}

/// Every kind there is.
fn kinds() -> Vec<&'static str> {
    vec![API_KEY]
}

const API_KEY: &str = "api_key";
const API: &str = "api";

/// What a credential is rendered from.
pub struct View<'a> {
    /// The key's id.
    pub key: ApiKeyId,
    /// What people call the key.
    pub name: &'a str,
    /// Whose it is.
    pub account: AccountId,
    /// When it was made.
    pub created_at: Timestamp,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let attributes = Attributes {
        kind: API_KEY,
        name: view.name,
        channel: API,
        features: Features {},
        created_at: Moment(view.created_at),
    };
    let relationships = Relationships {
        account: ToOne::to("account", view.account),
        // A key is nobody's own: it belongs to the account.
        user: ToOne::NONE,
    };
    Resource::new(TYPE.name, view.key, attributes, relationships).text()
}

#[derive(Serialize)]
struct Attributes<'a> {
    kind: &'static str,
    name: &'a str,
    channel: &'static str,
    features: Features,
    created_at: Moment,
}

#[derive(Serialize)]
struct Features {}

#[derive(Serialize)]
struct Relationships {
    account: ToOne,
    user: ToOne,
}
