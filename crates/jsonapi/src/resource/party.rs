//! A company that an account deals with.

use domain::ids::PartyId;
use jiff::Timestamp;
use serde::Serialize;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::{Moment, Resource};

/// What a party consists of.
pub const TYPE: Type = Type {
    name: "party",
    about: "A company that the account deals with: the customer of its shipments.",
    attributes: &[
        Attribute::new("company_name", Shape::Text),
        Attribute::or_null("customer", Shape::Text)
            .about("What the account calls this customer; no two parties of an account share it."),
        Attribute::new("created_at", Shape::Moment),
        Attribute::new("updated_at", Shape::Moment),
    ],
    relationships: &[],
    collection: Some("parties"),
    versioned: false,
};

/// What a party is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: PartyId,
    /// Its name.
    pub company_name: &'a str,
    /// What the account calls it as its customer.
    pub customer: Option<&'a str>,
    /// When it became known.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let attributes = Attributes {
        company_name: view.company_name,
        customer: view.customer,
        created_at: Moment(view.created_at),
        updated_at: Moment(view.updated_at),
    };
    Resource::new(TYPE.name, view.id, attributes, Relationships {})
        .linked("parties")
        .text()
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    company_name: &'a str,
    customer: Option<&'a str>,
    created_at: Moment,
    updated_at: Moment,
}
