//! Every route on one screen. A new one needs a line here and its file; what it lacks in tests and
//! documentation, the tests say.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, any, get};
use http::header;
use tracking::Tracking;

use crate::app::App;
use crate::custom_fields::of_record;
use crate::failure::Failure;
use crate::operation::{Method, Operation};
use crate::settings::Settings;
use crate::{
    api_keys, call, containers, custom_field_definitions, custom_field_options, custom_fields,
    docs, document_schemas, health, home, inbound, listeners, me, metro_areas, openapi as document,
    parties, ports, search, shipments, shipping_lines, sources, terminals, tracking_requests,
    vessels, webhook_notifications, webhooks,
};

/// A method of a path, and what it does.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path; `{id}` stands for one segment.
    pub path: &'static str,
    /// What it does.
    pub operation: &'static Operation,
}

use Method::{Delete, Get, Patch, Post};

/// Everything that needs a key.
#[rustfmt::skip]
pub const ROUTES: &[Route] = &[
    on(Post,   "/v2/tracking_requests",               &tracking_requests::create::OPERATION),
    on(Get,    "/v2/tracking_requests",               &tracking_requests::list::OPERATION),
    on(Post,   "/v2/tracking_requests/infer_number",  &tracking_requests::infer_number::OPERATION),
    on(Get,    "/v2/tracking_requests/{id}",          &tracking_requests::get::OPERATION),
    on(Patch,  "/v2/tracking_requests/{id}",          &tracking_requests::update::OPERATION),

    on(Get,    "/v2/shipments",                       &shipments::list::OPERATION),
    on(Get,    "/v2/shipments/{id}",                  &shipments::get::OPERATION),
    on(Patch,  "/v2/shipments/{id}",                  &shipments::update::OPERATION),
    on(Patch,  "/v2/shipments/{id}/stop_tracking",    &shipments::stop_tracking::OPERATION),
    on(Patch,  "/v2/shipments/{id}/resume_tracking",  &shipments::resume_tracking::OPERATION),

    on(Get,    "/v2/containers",                      &containers::list::OPERATION),
    on(Patch,  "/v2/containers",                      &containers::update::NAMED_IN_BODY),
    on(Get,    "/v2/containers/{id}",                 &containers::get::OPERATION),
    on(Patch,  "/v2/containers/{id}",                 &containers::update::OPERATION),
    on(Get,    "/v2/containers/{id}/transport_events", &containers::transport_events::OPERATION),
    on(Patch,  "/v2/containers/{id}/refresh",         &containers::refresh::OPERATION),
    on(Get,    "/v2/containers/{id}/raw_events",      &containers::raw_events::OPERATION),
    on(Get,    "/v2/containers/{id}/map_geojson",     &containers::map_geojson::OPERATION),
    on(Get,    "/v2/containers/{id}/route",           &containers::route::OPERATION),

    on(Get,    "/v2/ports/{id}",                      &ports::get::OPERATION),
    on(Get,    "/v2/metro_areas/{id}",                &metro_areas::get::OPERATION),
    on(Get,    "/v2/terminals/{id}",                  &terminals::get::OPERATION),

    on(Get,    "/v2/vessels/{id}",                    &vessels::get::OPERATION),
    on(Get,    "/v2/vessels/{id}/future_positions",   &vessels::future_positions::OPERATION),
    on(Get,    "/v2/vessels/{id}/future_positions_with_coordinates", &vessels::future_positions_with_coordinates::OPERATION),

    on(Post,   "/v2/parties",                         &parties::create::OPERATION),
    on(Get,    "/v2/parties",                         &parties::list::OPERATION),
    on(Get,    "/v2/parties/{id}",                    &parties::get::OPERATION),
    on(Patch,  "/v2/parties/{id}",                    &parties::update::OPERATION),

    on(Get,    "/v2/tracking_requests/{id}/custom_fields",            &of_record::list::TRACKING_REQUEST),
    on(Post,   "/v2/tracking_requests/{id}/custom_fields",            &of_record::set::TRACKING_REQUEST),
    on(Patch,  "/v2/tracking_requests/{id}/custom_fields/{api_slug}", &of_record::update::TRACKING_REQUEST),
    on(Delete, "/v2/tracking_requests/{id}/custom_fields/{api_slug}", &of_record::delete::TRACKING_REQUEST),
    on(Get,    "/v2/shipments/{id}/custom_fields",                    &of_record::list::SHIPMENT),
    on(Post,   "/v2/shipments/{id}/custom_fields",                    &of_record::set::SHIPMENT),
    on(Patch,  "/v2/shipments/{id}/custom_fields/{api_slug}",         &of_record::update::SHIPMENT),
    on(Delete, "/v2/shipments/{id}/custom_fields/{api_slug}",         &of_record::delete::SHIPMENT),
    on(Get,    "/v2/containers/{id}/custom_fields",                   &of_record::list::CONTAINER),
    on(Post,   "/v2/containers/{id}/custom_fields",                   &of_record::set::CONTAINER),
    on(Patch,  "/v2/containers/{id}/custom_fields/{api_slug}",        &of_record::update::CONTAINER),
    on(Delete, "/v2/containers/{id}/custom_fields/{api_slug}",        &of_record::delete::CONTAINER),

    on(Post,   "/v2/custom_fields",                   &custom_fields::create::OPERATION),
    on(Get,    "/v2/custom_fields",                   &custom_fields::list::OPERATION),
    on(Get,    "/v2/custom_fields/{id}",              &custom_fields::get::OPERATION),
    on(Patch,  "/v2/custom_fields/{id}",              &custom_fields::update::OPERATION),
    on(Delete, "/v2/custom_fields/{id}",              &custom_fields::delete::OPERATION),

    on(Post,   "/v2/custom_field_definitions",        &custom_field_definitions::create::OPERATION),
    on(Get,    "/v2/custom_field_definitions",        &custom_field_definitions::list::OPERATION),
    on(Get,    "/v2/custom_field_definitions/{id}",   &custom_field_definitions::get::OPERATION),
    on(Patch,  "/v2/custom_field_definitions/{id}",   &custom_field_definitions::update::OPERATION),
    on(Delete, "/v2/custom_field_definitions/{id}",   &custom_field_definitions::delete::OPERATION),
    on(Post,   "/v2/custom_field_definitions/{id}/options",             &custom_field_options::create::OPERATION),
    on(Get,    "/v2/custom_field_definitions/{id}/options",             &custom_field_options::list::OPERATION),
    on(Get,    "/v2/custom_field_definitions/{id}/options/{option_id}", &custom_field_options::get::OPERATION),
    on(Patch,  "/v2/custom_field_definitions/{id}/options/{option_id}", &custom_field_options::update::OPERATION),
    on(Delete, "/v2/custom_field_definitions/{id}/options/{option_id}", &custom_field_options::delete::OPERATION),

    on(Get,    "/v2/shipping_lines",                  &shipping_lines::list::OPERATION),
    on(Get,    "/v2/shipping_lines/{id}",             &shipping_lines::get::OPERATION),

    on(Get,    "/v2/search",                          &search::OPERATION),

    on(Post,   "/v2/webhooks",                        &webhooks::create::OPERATION),
    on(Get,    "/v2/webhooks",                        &webhooks::list::OPERATION),
    on(Get,    "/v2/webhooks/ips",                    &webhooks::ips::OPERATION),
    on(Get,    "/v2/webhooks/events",                 &webhooks::events::OPERATION),
    on(Post,   "/v2/webhooks/trigger",                &webhooks::trigger::OPERATION),
    on(Get,    "/v2/webhooks/{id}",                   &webhooks::get::OPERATION),
    on(Patch,  "/v2/webhooks/{id}",                   &webhooks::update::OPERATION),
    on(Delete, "/v2/webhooks/{id}",                   &webhooks::delete::OPERATION),
    on(Post,   "/v2/webhooks/{id}/rotate_secret",     &webhooks::rotate_secret::OPERATION),
    on(Post,   "/v2/webhooks/{id}/redeliver",         &webhooks::redeliver::OPERATION),
    on(Get,    "/v2/webhooks/{id}/redeliveries",      &webhooks::redeliveries::OPERATION),

    on(Post,   "/v2/listeners",                       &listeners::open::OPERATION),
    on(Post,   "/v2/listeners/{id}/take",             &listeners::take::OPERATION),
    on(Post,   "/v2/listeners/{id}/settle",           &listeners::settle::OPERATION),

    on(Get,    "/v2/webhook_notifications",           &webhook_notifications::list::OPERATION),
    on(Get,    "/v2/webhook_notifications/examples",  &webhook_notifications::examples::OPERATION),
    on(Get,    "/v2/webhook_notifications/{id}",      &webhook_notifications::get::OPERATION),
    on(Get,    "/v2/webhook_notifications/{id}/body", &webhook_notifications::body::OPERATION),
    on(Get,    "/v2/webhook_notifications/{id}/webhook_notification_logs", &webhook_notifications::logs::OPERATION),
    on(Post,   "/v2/webhook_notifications/{id}/redeliver", &webhook_notifications::redeliver::OPERATION),

    on(Get,    "/v2/me",                              &me::OPERATION),
    on(Get,    "/v2/api_keys",                        &api_keys::list::OPERATION),
    on(Post,   "/v2/api_keys",                        &api_keys::create::OPERATION),
    on(Delete, "/v2/api_keys/{id}",                   &api_keys::delete::OPERATION),
    on(Get,    "/v2/document_schemas/{id}",           &document_schemas::get::OPERATION),

    on(Get,    "/v2/sources",                         &sources::list::OPERATION),
    on(Get,    "/v2/sources/{id}",                    &sources::get::OPERATION),
    on(Post,   "/v2/sources/{id}/messages",           &sources::messages::OPERATION),
    on(Patch,  "/v2/sources/{id}/pause",              &sources::pause::OPERATION),
    on(Patch,  "/v2/sources/{id}/resume",             &sources::resume::OPERATION),
];

/// The service as a router. Timers and head limits are not in it: they belong to [`serve`](crate::serve).
pub fn router(tracking: Tracking, settings: Settings) -> Router {
    routes(App::new(tracking, settings))
}

/// The description of all routes, OpenAPI 3.1, as JSON text.
pub fn openapi() -> String {
    document::text(ROUTES)
}

pub(crate) fn routes(app: App) -> Router {
    let mut router = Router::new()
        .route("/", get(home::page))
        .route("/openapi.json", get(document::serve))
        .route("/docs", get(docs::page))
        .route("/docs/page.css", get(docs::style))
        .route("/docs/page.js", get(docs::script))
        .route("/health/live", get(health::live))
        .route("/health/ready", get(health::ready))
        .route("/inbound/{source}", any(inbound::answer))
        .fallback(unknown_route);
    for (place, route) in ROUTES.iter().enumerate() {
        let earlier = ROUTES.iter().take(place);
        if !earlier.clone().any(|other| other.path == route.path) {
            router = router.route(route.path, methods(route.path));
        }
    }
    router
        .method_not_allowed_fallback(unknown_method)
        .with_state(app)
}

/// One page of text at this path, and nothing else.
pub(crate) fn page(
    app: App,
    path: &'static str,
    text: Arc<dyn Fn() -> String + Send + Sync>,
) -> Router {
    let told = move || async move { ([(header::CONTENT_TYPE, "text/plain")], text()) };
    Router::new()
        .route(path, get(told))
        .fallback(unknown_route)
        .with_state(app)
}

const fn on(method: Method, path: &'static str, operation: &'static Operation) -> Route {
    Route {
        method,
        path,
        operation,
    }
}

fn methods(path: &'static str) -> MethodRouter<App> {
    let served = ROUTES.iter().filter(|route| route.path == path);
    served
        .fold(MethodRouter::new(), |methods, route| {
            let operation = route.operation;
            let handler = move |State(app): State<App>, request: Request| {
                call::answer(app, operation, request)
            };
            methods.on(filter(route.method), handler)
        })
        .fallback(unknown_method)
}

fn filter(method: Method) -> MethodFilter {
    match method {
        Get => MethodFilter::GET,
        Post => MethodFilter::POST,
        Patch => MethodFilter::PATCH,
        Delete => MethodFilter::DELETE,
    }
}

async fn unknown_route(State(app): State<App>, request: Request) -> Response {
    let path: String = request.uri().path().chars().take(255).collect();
    refuse(&app, Failure::UnknownRoute(path))
}

/// 405 names the methods that the path has.
async fn unknown_method(State(app): State<App>, request: Request) -> Response {
    let matched = request.extensions().get::<axum::extract::MatchedPath>();
    let path = matched.map_or("", |matched| matched.as_str());
    let mut allowed: Vec<&str> = ROUTES
        .iter()
        .filter(|route| route.path == path)
        .map(|route| route.method.as_str())
        .collect();
    if allowed.is_empty() {
        allowed.push("GET");
    }
    if allowed.contains(&"GET") {
        allowed.push("HEAD");
    }
    let failure = Failure::MethodUnknown {
        method: request.method().as_str().chars().take(32).collect(),
        allow: allowed.join(", "),
    };
    refuse(&app, failure)
}

fn refuse(app: &App, failure: Failure) -> Response {
    let request_id = app.request_id();
    failure.answer(&request_id).respond(&request_id, None)
}
