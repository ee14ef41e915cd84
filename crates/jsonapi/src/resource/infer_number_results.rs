//! What a number tells about its line. Nothing is stored of it; the id names the answer.

use domain::infer::{Candidate, Decision, Inference};
use domain::tracking_request::NumberKind;
use serde::Serialize;
use uuid::Uuid;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::Resource;

const LINE: &[Attribute] = &[
    Attribute::new("scac", Shape::Text),
    Attribute::new("name", Shape::Text),
    Attribute::new("confidence", Shape::Number).about("Between 0 and 1."),
];

/// What the answer consists of.
pub const TYPE: Type = Type {
    name: "infer_number_results",
    about: "What a number tells about its kind and its shipping line.",
    attributes: &[
        Attribute::new("number_type", Shape::OneOf(number_types))
            .about("A booking is tracked with request_type booking_number."),
        Attribute::new(
            "validation",
            Shape::Object(&[
                Attribute::or_null("is_valid", Shape::Boolean)
                    .about("Null: the form of the number says nothing."),
                Attribute::new("type", Shape::OneOf(|| vec!["container", "shipment"])),
                Attribute::or_null("check_digit_passed", Shape::Boolean)
                    .about("Of a container number that has one."),
                Attribute::or_null("parsed_number", Shape::Text).about(
                    "In capitals, without spaces and marks; a missing check digit is added.",
                ),
                Attribute::or_null("reason", Shape::Text).about("What is odd about the number."),
            ]),
        ),
        Attribute::new(
            "shipping_line",
            Shape::Object(&[
                Attribute::new("decision", Shape::OneOf(decisions)).about(
                    "auto_select: selected can be taken (confidence 0.95 and above). \
                     needs_confirmation: the first candidate is worth a look (0.70 and above).",
                ),
                Attribute::or_null("selected", Shape::Object(LINE)),
                Attribute::new("candidates", Shape::Objects(LINE)).about("Best first."),
            ]),
        ),
    ],
    relationships: &[],
    collection: None,
    versioned: false,
};

fn decisions() -> Vec<&'static str> {
    Decision::ALL.map(Decision::as_str).to_vec()
}

fn number_types() -> Vec<&'static str> {
    vec!["container", "bill_of_lading", "booking"]
}

/// The answer as JSON text. `name` tells the name of a line.
pub fn render(id: Uuid, told: &Inference, name: impl Fn(&Candidate) -> String) -> String {
    let line = |candidate: &Candidate| Line {
        scac: candidate.scac.to_string(),
        name: name(candidate),
        confidence: f64::from(candidate.percent) / 100.0,
    };
    let (number_type, kind) = match told.kind {
        NumberKind::Container => ("container", "container"),
        NumberKind::BillOfLading => ("bill_of_lading", "shipment"),
        NumberKind::Booking => ("booking", "shipment"),
    };
    let attributes = Attributes {
        number_type,
        validation: Validation {
            is_valid: told.is_valid,
            kind,
            check_digit_passed: told.check_digit_fits,
            parsed_number: &told.number,
            reason: told.reason.as_deref(),
        },
        shipping_line: ShippingLine {
            decision: told.decision.as_str(),
            selected: told.selected().as_ref().map(&line),
            candidates: told.candidates.iter().map(&line).collect(),
        },
    };
    Resource::worded(TYPE.name, format!("req_{id}"), attributes, Relationships {}).text()
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Attributes<'a> {
    number_type: &'static str,
    validation: Validation<'a>,
    shipping_line: ShippingLine,
}

#[derive(Serialize)]
struct Validation<'a> {
    is_valid: Option<bool>,
    #[serde(rename = "type")]
    kind: &'static str,
    check_digit_passed: Option<bool>,
    parsed_number: &'a str,
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct ShippingLine {
    decision: &'static str,
    selected: Option<Line>,
    candidates: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    scac: String,
    name: String,
    confidence: f64,
}
