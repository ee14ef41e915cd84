//! What goes out: one webhook of OpenAPI for each event.
//!
//! Deliveries that tell of the same kind of thing look alike, so each kind has one example;
//! `GET /webhook_notifications/examples` shows every event.

use std::collections::BTreeMap;

use domain::event::EventName;
use jsonapi::example;
use serde_json::Value;
use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem, Paths,
};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, PathsBuilder, Ref, RefOr, Required, ResponseBuilder};

use super::{examples, schemas, tags};
use jsonapi::schema::Shape;

/// Headers of a delivery and what they mean.
const HEADERS: &[(&str, &str)] = &[
    (
        "X-T49-Webhook-Signature",
        "Lower-case hexadecimal HMAC-SHA256 of the body under the webhook's secret.",
    ),
    (
        PREVIOUS,
        "For a day after a rotation: the same under the secrets before, with a space between where there are two.",
    ),
    (
        "webhook-id",
        "The notification's id, the same on every try.",
    ),
    (
        "webhook-timestamp",
        "When this try was made, in seconds since 1970.",
    ),
    (
        "webhook-signature",
        "Signature by the rules of Standard Webhooks.",
    ),
];

/// The one header that is not always there.
const PREVIOUS: &str = "X-T49-Webhook-Signature-Previous";

/// Every event.
pub(super) fn all() -> Paths {
    let events = EventName::ALL.into_iter();
    events
        .fold(PathsBuilder::new(), |paths, event| {
            paths.path(event.as_str(), item(event))
        })
        .build()
}

fn item(event: EventName) -> PathItem {
    let name = event.as_str();
    let mut told = OperationBuilder::new()
        .operation_id(Some(format!("told_{}", name.replace('.', "_"))))
        .summary(Some(event.about()))
        .tag(tags::DELIVERIES)
        .security(SecurityRequirement::default())
        .request_body(Some(body(event)));
    for (name, about) in HEADERS {
        told = told.parameter(header(name, about));
    }
    let taken = "Received. 201, 202 and 204 count too. 410 switches the webhook off; anything else is tried again, up to \
        twelve times, after eight refusals (4xx) no more.";
    let told = told.response("200", ResponseBuilder::new().description(taken));
    PathItem::new(HttpMethod::Post, told)
}

fn header(name: &str, about: &str) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(if name == PREVIOUS {
            Required::False
        } else {
            Required::True
        })
        .description(Some(about))
        .schema(Some(schemas::shaped(Shape::Text, false)))
        .build()
}

fn body(event: EventName) -> RequestBody {
    let shown = RefOr::Ref(Ref::new(format!("#/components/examples/{}", name(event))));
    let content = ContentBuilder::new()
        .schema(Some(schemas::named("delivery")))
        .examples_from_iter([("sample", shown)]);
    RequestBodyBuilder::new()
        .required(Some(Required::True))
        .content("application/json", content.build())
        .build()
}

/// The name of the example that looks like a delivery of this event.
fn name(event: EventName) -> String {
    let sample = sample(event);
    let kind = sample.pointer("/data/relationships/reference_object/data/type");
    let kind = kind.and_then(Value::as_str).unwrap_or_default();
    format!("delivery_of_{kind}")
}

fn sample(event: EventName) -> Value {
    let text = example::delivery(event, examples::BASE, example::MOMENT);
    serde_json::from_str(&text).unwrap_or_default()
}

/// One delivery for each kind of thing that is told of.
pub(super) fn samples() -> BTreeMap<String, Value> {
    let events = EventName::ALL.into_iter();
    events.map(|event| (name(event), sample(event))).collect()
}
