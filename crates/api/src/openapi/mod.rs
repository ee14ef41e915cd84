//! The description of the API, generated from what the routes and resource types declare. Nothing in it is
//! written by hand, so it cannot say anything else than what is checked.

mod examples;
mod news;
mod operations;
mod parameters;
mod responses;
mod schemas;
mod tags;

use std::sync::LazyLock;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use jsonapi::resource::TYPES;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{
    Components, ComponentsBuilder, Info, InfoBuilder, License, OpenApiBuilder, PathsBuilder,
    ServerBuilder,
};

use crate::answer::{Answer, Media};
use crate::app::App;
use crate::router::{ROUTES, Route};

/// Name of the key's scheme in the description.
const SCHEME: &str = "token";

const ABOUT: &str = "Container tracking over JSON:API, served from your own machine.\n\n\
    Register a bill of lading, a booking or a container number, read what is known about every box on it, and \
    be told of every change by webhook.\n\n\
    Calls carry `Authorization: Token <key>`. Bodies are `application/json` or `application/vnd.api+json`; \
    answers are the latter. An attribute that is not known is `null`; one is missing only when `fields[...]` \
    left it out. Times are UTC, ISO 8601, and the zone of the place stands beside them.";

static TEXT: LazyLock<String> = LazyLock::new(|| text(ROUTES));

/// `GET /openapi.json`
pub(crate) async fn serve(State(app): State<App>) -> Response {
    let answer = Answer::new(StatusCode::OK, Media::Json, TEXT.as_str());
    answer.respond(&app.request_id(), None)
}

/// The description of these routes, OpenAPI 3.1, as JSON text.
pub(crate) fn text(routes: &[Route]) -> String {
    let mut paths = PathsBuilder::new();
    let mut described: Vec<&str> = Vec::new();
    for route in routes {
        let below = operations::below_version(route.path);
        if !described.contains(&below) {
            described.push(below);
            paths = paths.path(below, operations::item(routes, route.path));
        }
    }
    let api = OpenApiBuilder::new()
        .info(info())
        .servers(Some([ServerBuilder::new().url("/v2").build()]))
        .tags(Some(tags::all()))
        .paths(paths.build())
        .webhooks(Some(news::all()))
        .components(Some(components(routes)))
        .build();
    serde_json::to_string_pretty(&api).unwrap_or_default()
}

fn info() -> Info {
    let mut license = License::new("Apache-2.0");
    license.identifier = Some("Apache-2.0".into());
    InfoBuilder::new()
        .title("Quayside")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .license(Some(license))
        .build()
}

fn components(routes: &[Route]) -> Components {
    let mut components = ComponentsBuilder::new()
        .schema("errors", schemas::errors())
        .schema("delivery", schemas::delivery())
        .schema("resource", schemas::any_resource())
        .schema(
            schemas::PROVENANCE,
            schemas::plain(jsonapi::provenance::MEMBERS),
        )
        .security_scheme(SCHEME, token_scheme());
    for kind in TYPES {
        components = components.schema(kind.name, schemas::resource(kind));
    }
    for (name, example) in examples::all(routes).into_iter().chain(news::samples()) {
        let example = ExampleBuilder::new().value(Some(example)).build();
        components = components.example(name, example);
    }
    for (name, response) in responses::refusals() {
        components = components.response(name, response);
    }
    for (name, header) in responses::headers() {
        components = components.header(name, header);
    }
    components.build()
}

fn token_scheme() -> SecurityScheme {
    SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(
        "Authorization",
        "The word Token, a space, and the key, which may stand behind `token=` in quotation marks.",
    )))
}
