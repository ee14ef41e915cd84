//! An ocean carrier.

use domain::codes::Scac;
use domain::ids::ReferenceId;
use domain::shipping_line::ShippingLine;
use serde::Serialize;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::{Resource, Shown};

/// What a shipping line consists of.
pub const TYPE: Type = Type {
    name: "shipping_line",
    about: "An ocean carrier, and which kinds of number it answers to.",
    attributes: &[
        Attribute::new("scac", Shape::Text),
        Attribute::new("name", Shape::Text),
        Attribute::new("short_name", Shape::Text),
        Attribute::new("alternative_scacs", Shape::Texts).about("Accepted in place of scac."),
        Attribute::new("bill_of_lading_tracking_support", Shape::Boolean),
        Attribute::new("booking_number_tracking_support", Shape::Boolean),
        Attribute::new("container_number_tracking_support", Shape::Boolean),
        Attribute::or_null("tracking_url", Shape::Text),
        Attribute::or_null("contact_url", Shape::Text),
        Attribute::or_null("provided_data", Shape::Object(&[]))
            .about("What the line is known to report; null while nothing is known."),
    ],
    relationships: &[],
    collection: Some("shipping_lines"),
    versioned: false,
};

/// The id of the line with this main code.
pub fn id(scac: Scac) -> ReferenceId {
    ReferenceId::named("shipping_line", scac.as_str())
}

/// The resource object as JSON text.
pub fn render(line: &ShippingLine) -> String {
    let attributes = Attributes {
        scac: Shown(line.scac),
        name: &line.name,
        short_name: &line.short_name,
        alternative_scacs: line.alternative_scacs.iter().copied().map(Shown).collect(),
        bill_of_lading_tracking_support: line.bill_of_lading_support,
        booking_number_tracking_support: line.booking_support,
        container_number_tracking_support: line.container_support,
        tracking_url: None,
        contact_url: None,
        provided_data: None,
    };
    Resource::new(TYPE.name, id(line.scac), attributes, Relationships {})
        .linked("shipping_lines")
        .text()
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    scac: Shown<Scac>,
    name: &'a str,
    short_name: &'a str,
    alternative_scacs: Vec<Shown<Scac>>,
    bill_of_lading_tracking_support: bool,
    booking_number_tracking_support: bool,
    container_number_tracking_support: bool,
    tracking_url: Option<&'a str>,
    contact_url: Option<&'a str>,
    provided_data: Option<()>,
}
