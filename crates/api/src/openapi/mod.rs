//! The description of the API, generated from what the routes and resource types declare. Nothing in it is
//! written by hand, so it cannot say anything else than what is checked.

mod operations;
mod schemas;

use std::sync::LazyLock;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use jsonapi::resource::TYPES;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, License, OpenApiBuilder, PathsBuilder, ServerBuilder,
};

use crate::answer::{Answer, Media};
use crate::app::App;
use crate::router::{ROUTES, Route};

/// Name of the key's scheme in the description.
const SCHEME: &str = "token";

static TEXT: LazyLock<String> = LazyLock::new(|| text(ROUTES));

/// `GET /openapi.json`
pub(crate) async fn serve(State(app): State<App>) -> Response {
    let answer = Answer::new(StatusCode::OK, Media::Json, TEXT.as_str());
    answer.respond(&app.request_id(), None)
}

/// The description of these routes, OpenAPI 3.1, as JSON text.
pub(crate) fn text(routes: &[Route]) -> String {
    let mut license = License::new("Apache-2.0");
    license.identifier = Some("Apache-2.0".into());
    let info = InfoBuilder::new()
        .title("Quayside")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Container tracking over JSON:API, served from your own machine.",
        ))
        .license(Some(license))
        .build();
    let mut paths = PathsBuilder::new();
    let mut described: Vec<&str> = Vec::new();
    for route in routes {
        let below = operations::below_version(route.path);
        if !described.contains(&below) {
            described.push(below);
            paths = paths.path(below, operations::item(routes, route.path));
        }
    }
    let mut components = ComponentsBuilder::new()
        .schema("errors", schemas::errors())
        .security_scheme(SCHEME, token_scheme());
    for kind in TYPES {
        components = components.schema(kind.name, schemas::resource(kind));
    }
    let api = OpenApiBuilder::new()
        .info(info)
        .servers(Some([ServerBuilder::new().url("/v2").build()]))
        .paths(paths.build())
        .components(Some(components.build()))
        .build();
    serde_json::to_string_pretty(&api).unwrap_or_default()
}

fn token_scheme() -> SecurityScheme {
    SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(
        "Authorization",
        "The word Token, a space, and the key.",
    )))
}
