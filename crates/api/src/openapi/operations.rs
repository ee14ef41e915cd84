//! Routes as operations of OpenAPI.

use utoipa::openapi::path::{HttpMethod, Operation as Described, OperationBuilder, PathItem};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, Required};

use super::{SCHEME, examples, parameters, responses, schemas, tags};
use crate::answer::Media;
use crate::operation::{Body, Method};
use crate::router::Route;

/// What stands for whatever the source sends: none is refused.
const ANY_BYTES: &str = "application/octet-stream";

/// The path as it stands behind the server's address.
pub(super) fn below_version(path: &str) -> &str {
    path.strip_prefix("/v2").unwrap_or(path)
}

/// All methods of one path.
pub(super) fn item(routes: &[Route], path: &str) -> PathItem {
    let here = routes.iter().filter(|route| route.path == path);
    here.fold(PathItem::default(), |mut item, route| {
        item.merge_operations(PathItem::new(method(route.method), describe(route)));
        item
    })
}

fn method(method: Method) -> HttpMethod {
    match method {
        Method::Get => HttpMethod::Get,
        Method::Post => HttpMethod::Post,
        Method::Patch => HttpMethod::Patch,
        Method::Delete => HttpMethod::Delete,
    }
}

fn describe(route: &Route) -> Described {
    let operation = route.operation;
    let mut described = OperationBuilder::new()
        .operation_id(Some(operation.name))
        .summary(Some(operation.summary))
        .tag(tags::of(route))
        .security(SecurityRequirement::new::<_, [&str; 0], &str>(SCHEME, []))
        .request_body(operation.body.as_ref().map(body));
    for parameter in parameters::of(route) {
        described = described.parameter(parameter);
    }
    for (status, response) in responses::of(route) {
        described = described.response(status, response);
    }
    described.build()
}

fn body(body: &Body) -> RequestBody {
    let content = || {
        ContentBuilder::new()
            .schema(Some(schemas::body(body)))
            .example(Some(examples::body(body)))
            .build()
    };
    let required = match body {
        Body::Nothing => Required::False,
        Body::Resource { .. } | Body::Plain(_) | Body::Message => Required::True,
    };
    let described = RequestBodyBuilder::new().required(Some(required));
    if matches!(body, Body::Message) {
        return described.content(ANY_BYTES, content()).build();
    }
    described
        .content(Media::Json.as_str(), content())
        .content(Media::JsonApi.as_str(), content())
        .build()
}
