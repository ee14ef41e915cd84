//! Routes as operations of OpenAPI.

use http::StatusCode;
use jsonapi::query::{Holds, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, Parameter as Known, Rules};
use jsonapi::schema::{Relationship, Shape, Type as Resource};
use utoipa::openapi::path::{
    HttpMethod, Operation as Described, OperationBuilder, Parameter, ParameterBuilder, ParameterIn,
    PathItem,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{Content, RefOr, Required, ResponseBuilder};

use super::{SCHEME, schemas};
use crate::answer::Media;
use crate::operation::{Answers, Body, Method, Operation};
use crate::router::Route;

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
    let below = below_version(route.path).trim_start_matches('/');
    let tag = below.split('/').next().unwrap_or_default();
    let mut described = OperationBuilder::new()
        .operation_id(Some(operation.name))
        .summary(Some(operation.summary))
        .tag(tag)
        .security(SecurityRequirement::new::<_, [&str; 0], &str>(SCHEME, []));
    for parameter in parameters(route) {
        described = described.parameter(parameter);
    }
    if let Some(body) = &operation.body {
        let schema = schemas::body(body);
        let content = || Content::new(Some(schema.clone()));
        let required = match body {
            Body::Ignored => Required::False,
            Body::Resource { .. } | Body::Plain(_) => Required::True,
        };
        let request = RequestBodyBuilder::new()
            .required(Some(required))
            .content(Media::Json.as_str(), content())
            .content(Media::JsonApi.as_str(), content());
        described = described.request_body(Some(request.build()));
    }
    let (status, answer) = success(operation);
    described = described.response(status.as_str(), answer);
    for status in failures(route) {
        described = described.response(status.as_str(), failed(status));
    }
    described.build()
}

fn success(operation: &Operation) -> (StatusCode, ResponseBuilder) {
    let with = |about: &str, schema: Schema| {
        let content = Content::new(Some(schema));
        ResponseBuilder::new()
            .description(about)
            .content(Media::JsonApi.as_str(), content)
    };
    match operation.answers {
        Answers::One(kind) => (StatusCode::OK, with("The resource.", schemas::one(kind))),
        Answers::Created(kind) => (
            StatusCode::CREATED,
            with("The new resource.", schemas::one(kind)),
        ),
        Answers::Many(kind) => (StatusCode::OK, with("The list.", schemas::many(kind))),
        Answers::Empty => (StatusCode::OK, ResponseBuilder::new().description("Done.")),
        Answers::NoContent => (
            StatusCode::NO_CONTENT,
            ResponseBuilder::new().description("Done."),
        ),
        Answers::Plain(members) => {
            let content = Content::new(Some(schemas::plain(members)));
            let answer = ResponseBuilder::new()
                .description("The answer.")
                .content(Media::Json.as_str(), content);
            (StatusCode::OK, answer)
        }
    }
}

/// What can go wrong with any call of this route.
fn failures(route: &Route) -> Vec<StatusCode> {
    use StatusCode as S;
    let mut failures = vec![
        S::BAD_REQUEST,
        S::UNAUTHORIZED,
        S::FORBIDDEN,
        S::PAYLOAD_TOO_LARGE,
        S::TOO_MANY_REQUESTS,
        S::INTERNAL_SERVER_ERROR,
        S::SERVICE_UNAVAILABLE,
    ];
    if route.path.contains('{') {
        failures.push(S::NOT_FOUND);
    }
    if route.operation.body.is_some() {
        failures.extend([
            S::REQUEST_TIMEOUT,
            S::UNSUPPORTED_MEDIA_TYPE,
            S::UNPROCESSABLE_ENTITY,
        ]);
    }
    failures
}

fn failed(status: StatusCode) -> ResponseBuilder {
    let content = Content::new(Some(schemas::named("errors")));
    ResponseBuilder::new()
        .description(status.canonical_reason().unwrap_or("A fault."))
        .content(Media::JsonApi.as_str(), content)
}

fn parameters(route: &Route) -> Vec<Parameter> {
    let rules = &route.operation.query;
    let mut parameters = Vec::new();
    for name in segments(route.path) {
        let (shape, about) = match name {
            "id" => (Shape::Id, "The record's id."),
            name if name.ends_with("_id") => (Shape::Id, "An id."),
            _ => (Shape::Text, "A name."),
        };
        let schema = schemas::shaped(shape, false);
        parameters.push(parameter(name, ParameterIn::Path, about, schema));
    }
    let query = |name: &str, about: &str, schema: Schema| {
        parameter(name, ParameterIn::Query, about, schema)
    };
    parameters.extend(rules.parameters.iter().map(|known| {
        let described = query(known.name, known.about, holds(known));
        unexploded(described)
    }));
    parameters.extend(rules.resource.map(|kind| include(kind, rules)));
    parameters.extend(rules.resource.map(fields));
    if !rules.sorts.is_empty() {
        let sorts = schemas::shaped_words(rules.sorts);
        parameters.push(query("sort", "The order.", sorts));
    }
    if rules.paged {
        let whole = |about: &str, maximum: Option<u64>| {
            let number = ObjectBuilder::new().schema_type(Type::Integer);
            let number = number.minimum(Some(1)).description(Some(about));
            Schema::from(match maximum {
                Some(most) => number.maximum(Some(most)).build(),
                None => number.build(),
            })
        };
        let size = format!(
            "Rows on a page; {PAGE_SIZE_DEFAULT} when not given. More than {PAGE_SIZE_MAX} is read as {PAGE_SIZE_MAX}."
        );
        parameters.push(query(
            "page[number]",
            "From 1.",
            whole("From 1.", Some(u64::from(u32::MAX))),
        ));
        parameters.push(query("page[size]", &size, whole(&size, None)));
    }
    parameters
}

/// The names in a path.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

fn parameter(name: &str, place: ParameterIn, about: &str, schema: Schema) -> Parameter {
    let required = match place {
        ParameterIn::Path => Required::True,
        _ => Required::False,
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(required)
        .description(Some(about))
        .schema(Some(schema))
        .build()
}

/// Lists are written with commas.
fn unexploded(mut parameter: Parameter) -> Parameter {
    if matches!(&parameter.schema, Some(RefOr::T(Schema::Array(_)))) {
        parameter.explode = Some(false);
    }
    parameter
}

fn holds(known: &Known) -> Schema {
    match known.holds {
        Holds::Text => {
            let text = ObjectBuilder::new().schema_type(Type::String);
            let max = jsonapi::query::TEXT_CHARS_MAX;
            text.min_length(Some(1))
                .max_length(Some(max))
                .build()
                .into()
        }
        Holds::Moment => schemas::shaped(Shape::Moment, false),
        Holds::Boolean => schemas::shaped(Shape::Boolean, false),
        Holds::Id => schemas::shaped(Shape::Id, false),
        Holds::Number => schemas::shaped(Shape::Number, false),
        Holds::Date => schemas::shaped(Shape::Date, false),
        Holds::Words(words) => {
            let word = RefOr::T(schemas::shaped(Shape::OneOf(words), false));
            let list = ArrayBuilder::new().items(word);
            list.min_items(Some(1)).build().into()
        }
    }
}

fn include(kind: &Resource, rules: &Rules) -> Parameter {
    let names = kind.relationships.iter().map(|r: &Relationship| r.name);
    let names: Vec<&str> = names.collect();
    let names = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    let default = match rules.include_by_default {
        [] => String::new(),
        given => format!(" When not given: {}.", given.join(", ")),
    };
    let about = format!(
        "Related resources to send along, with commas; dots lead further. From here: \
         {names}.{default}"
    );
    let text = schemas::shaped(Shape::Text, false);
    parameter("include", ParameterIn::Query, &about, text)
}

fn fields(kind: &Resource) -> Parameter {
    let name = format!("fields[{}]", kind.name);
    let about =
        "Attributes and relationships to keep, with commas. Any other type can be named too.";
    parameter(
        &name,
        ParameterIn::Query,
        about,
        schemas::shaped(Shape::Text, false),
    )
}
