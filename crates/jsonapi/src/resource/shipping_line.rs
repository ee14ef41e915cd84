//! An ocean carrier.

use domain::codes::Scac;
use domain::ids::ReferenceId;
use domain::shipping_line::ShippingLine;
use serde::ser::{Serialize, SerializeMap, Serializer};

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
        Attribute::new("provided_data", Shape::Object(PROVIDED)).about(
            "What the line is known to report: nothing, where nothing is known of its habits.",
        ),
    ],
    relationships: &[],
    collection: Some("shipping_lines"),
    versioned: false,
};

const PROVIDED: &[Attribute] = &[
    Attribute::new("ssl_lfd", Shape::Boolean),
    Attribute::new("ssl_lfd_notes", Shape::Text),
    Attribute::new("seal_number", Shape::Boolean),
    Attribute::new("seal_number_notes", Shape::Text),
    Attribute::new("weight_in_lbs", Shape::Boolean),
    Attribute::new("weight_in_lbs_notes", Shape::Text),
    Attribute::new("equipment_type", Shape::Boolean),
    Attribute::new("equipment_type_notes", Shape::Text),
    Attribute::new("equipment_length", Shape::Boolean),
    Attribute::new("equipment_length_notes", Shape::Text),
    Attribute::new("equipment_height", Shape::Boolean),
    Attribute::new("equipment_height_notes", Shape::Text),
    Attribute::new("pod_arrived_at", Shape::Boolean),
    Attribute::new("pod_arrived_at_notes", Shape::Text),
    Attribute::new("pod_discharged_at", Shape::Boolean),
    Attribute::new("pod_discharged_at_notes", Shape::Text),
    Attribute::new("pod_full_out_at", Shape::Boolean),
    Attribute::new("pod_full_out_at_notes", Shape::Text),
    Attribute::new("final_destination_full_out_at", Shape::Boolean),
    Attribute::new("final_destination_full_out_at_notes", Shape::Text),
    Attribute::new("empty_terminated_at", Shape::Boolean),
    Attribute::new("empty_terminated_at_notes", Shape::Text),
];

/// Always left out: ocean carriers' tracking interfaces tell no last free day.
const NEVER_PROVIDED: &str = "ssl_lfd";

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
        provided_data: Provided(line.not_provided.as_deref()),
    };
    Resource::new(TYPE.name, id(line.scac), attributes, Relationships {})
        .linked("shipping_lines")
        .text()
}

#[derive(serde::Serialize)]
struct Relationships {}

#[derive(serde::Serialize)]
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
    provided_data: Provided<'a>,
}

/// True for everything but what the line is known to leave out; `None` where nobody knows what that is.
struct Provided<'a>(Option<&'a [String]>);

impl Serialize for Provided<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(PROVIDED.len()))?;
        for member in PROVIDED {
            if matches!(member.shape, Shape::Boolean) {
                let told = member.name != NEVER_PROVIDED
                    && self
                        .0
                        .is_some_and(|left_out| !left_out.iter().any(|name| name == member.name));
                map.serialize_entry(member.name, &told)?;
            } else {
                map.serialize_entry(member.name, "")?;
            }
        }
        map.end()
    }
}
