//! What comes back from an operation: every status that can really occur, with its headers and an example.
//!
//! Refusals look the same wherever they come from, so each stands once among the components and the operations
//! point to it. Their examples are written by [`Failure`] itself.

use http::StatusCode;
use jsonapi::error::ErrorItem;
use jsonapi::schema::Shape;
use serde_json::Value;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{Content, ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

use super::{examples, schemas};
use crate::answer::Media;
use crate::containers::provenance;
use crate::failure::Failure;
use crate::listeners::TURN;
use crate::operation::{Answers, Body, Gate, Method};
use crate::router::Route;

/// The id that examples of refusals carry.
const REQUEST_ID: &str = "019c0000-0000-7000-8000-000000000001";

/// Headers that any answer can have.
const COMMON: &[&str] = &["X-Request-Id", "RateLimit-Policy", "RateLimit"];

/// Every header of answers: name, what it holds, what it means, an example.
const HEADERS: &[(&str, Type, &str, &str)] = &[
    (
        "X-Request-Id",
        Type::String,
        "Names this request in the operator's log.",
        REQUEST_ID,
    ),
    (
        "RateLimit-Policy",
        Type::String,
        "The limit that this call counted for; missing where there is none.",
        "\"default\";q=100;w=60",
    ),
    (
        "RateLimit",
        Type::String,
        "Calls left of it, and the seconds until the oldest counted one counts no more.",
        "\"default\";r=99;t=60",
    ),
    (
        "ETag",
        Type::String,
        "Tag of this version of the answer, for If-None-Match.",
        "\"a1f-5bd1e995a1c0ffee\"",
    ),
    (
        "Location",
        Type::String,
        "Address of the new record.",
        "https://quay.example/v2/shipments/019c0000-0000-7000-8000-000000000002",
    ),
    (
        "Retry-After",
        Type::Integer,
        "Whole seconds to wait before the next try.",
        "30",
    ),
    (
        "Idempotency-Replayed",
        Type::String,
        "`true`: the answer of an earlier request with this key.",
        "true",
    ),
    (
        "WWW-Authenticate",
        Type::String,
        "How a key is sent.",
        "Token",
    ),
];

/// Those of them that are there whenever an answer names them. (A replayed answer has no `Location`.)
const ALWAYS: &[&str] = &["X-Request-Id", "Retry-After", "WWW-Authenticate"];

/// The headers, to be pointed to.
pub(super) fn headers() -> impl Iterator<Item = (&'static str, Header)> {
    HEADERS.iter().map(|(name, kind, about, example)| {
        let schema = ObjectBuilder::new().schema_type(kind.clone()).build();
        let header = HeaderBuilder::new()
            .schema(Some(Schema::from(schema)))
            .description(Some(*about))
            .extensions(
                ALWAYS
                    .contains(name)
                    .then(|| Extensions::from_iter([("required", true)])),
            )
            .example(Some(match kind {
                Type::Integer => example.parse::<u64>().map_or(Value::Null, Value::from),
                _ => Value::from(*example),
            }));
        (*name, header.build())
    })
}

fn with_headers(response: ResponseBuilder, own: &[&str]) -> Response {
    let mut response = response.build();
    for name in COMMON.iter().chain(own) {
        let place = format!("#/components/headers/{name}");
        let header = RefOr::Ref(Ref::new(place));
        response.headers.insert((*name).to_owned(), header);
    }
    response
}

/// All answers of a route.
pub(super) fn of(route: &Route) -> Vec<(String, RefOr<Response>)> {
    let (status, answer) = success(route);
    let mut all = vec![(status.as_str().to_owned(), RefOr::T(answer))];
    if answers_unchanged(route) {
        let unchanged =
            ResponseBuilder::new().description("Nothing changed since the tag was given.");
        let unchanged = with_headers(unchanged, &["ETag"]);
        all.push((
            StatusCode::NOT_MODIFIED.as_str().to_owned(),
            RefOr::T(unchanged),
        ));
    }
    all.extend(failures(route).into_iter().map(|status| {
        let place = format!("#/components/responses/{}", name(status));
        (status.as_str().to_owned(), RefOr::Ref(Ref::new(place)))
    }));
    all
}

/// Whether the route honours `If-None-Match`.
pub(super) fn answers_unchanged(route: &Route) -> bool {
    route.method == Method::Get && matches!(route.operation.answers, Answers::One(_))
}

/// Whether the route honours `Idempotency-Key`.
pub(super) fn is_repeatable(route: &Route) -> bool {
    matches!(route.method, Method::Post | Method::Patch)
}

/// Whether the route can say who said what.
fn explains(route: &Route) -> bool {
    let mut known = route.operation.query.parameters.iter();
    known.any(|parameter| parameter.name == provenance::PARAMETER.name)
}

fn success(route: &Route) -> (StatusCode, Response) {
    let mut own = Vec::new();
    if matches!(
        route.operation.answers,
        Answers::One(_) | Answers::Created(_)
    ) {
        own.push("ETag");
    }
    if matches!(route.operation.answers, Answers::Created(_)) {
        own.push("Location");
    }
    if is_repeatable(route) {
        own.push("Idempotency-Replayed");
    }
    let with = |about: &str, schema: Schema| {
        let shown = examples::name(route);
        let shown = shown.map(|name| RefOr::Ref(Ref::new(format!("#/components/examples/{name}"))));
        let content = ContentBuilder::new()
            .schema(Some(schema))
            .examples_from_iter(shown.map(|shown| ("sample", shown)));
        ResponseBuilder::new()
            .description(about)
            .content(Media::JsonApi.as_str(), content.build())
    };
    let empty = || ResponseBuilder::new().description("Done.");
    let (status, response) = match route.operation.answers {
        Answers::One(kind) if explains(route) => {
            let schema = schemas::one_explained(kind);
            (StatusCode::OK, with("The resource.", schema))
        }
        Answers::Many(kind) if explains(route) => {
            let schema = schemas::many_explained(kind);
            (StatusCode::OK, with("The list.", schema))
        }
        Answers::One(kind) => (StatusCode::OK, with("The resource.", schemas::one(kind))),
        Answers::WithTurn(kind) => (
            StatusCode::OK,
            with("The resource.", schemas::one_with_turn(kind)),
        ),
        Answers::Created(kind) => (
            StatusCode::CREATED,
            with("The new resource.", schemas::one(kind)),
        ),
        Answers::Many(kind) => (StatusCode::OK, with("The list.", schemas::many(kind))),
        Answers::Empty => (StatusCode::OK, empty()),
        Answers::NoContent => (StatusCode::NO_CONTENT, empty()),
        Answers::AcceptedOne(kind) => (
            StatusCode::ACCEPTED,
            with("The resource, as it stands now.", schemas::one(kind)),
        ),
        Answers::Plain(members) | Answers::Accepted(members) => {
            let content = ContentBuilder::new()
                .schema(Some(schemas::plain(members)))
                .example(Some(examples::plain(members)));
            let mut response = ResponseBuilder::new()
                .description("The answer.")
                .content(Media::Json.as_str(), content.build());
            if matches!(route.operation.body, Some(Body::Message)) {
                response = acknowledged(response);
            }
            let status = match route.operation.answers {
                Answers::Accepted(_) => StatusCode::ACCEPTED,
                _ => StatusCode::OK,
            };
            (status, response)
        }
    };
    (status, with_headers(response, &own))
}

/// A message of these is answered in its own language, where its sender accepts that and one is due.
fn acknowledged(response: ResponseBuilder) -> ResponseBuilder {
    let samples = [
        (Media::X12, "ISA*00*…~ST*997*0001~…"),
        (Media::Edifact, "UNB+UNOA:4+…'UNH+1+CONTRL:4:1:UN'…"),
    ];
    samples
        .into_iter()
        .fold(response, |response, (media, sample)| {
            let content = ContentBuilder::new()
                .schema(Some(schemas::shaped(Shape::Text, false)))
                .example(Some(sample.into()));
            response.content(media.as_str(), content.build())
        })
}

/// What can go wrong with any call of this route.
fn failures(route: &Route) -> Vec<StatusCode> {
    use StatusCode as S;
    let mut failures = vec![
        S::BAD_REQUEST,
        S::UNAUTHORIZED,
        S::FORBIDDEN,
        S::PAYLOAD_TOO_LARGE,
        S::URI_TOO_LONG,
        S::TOO_MANY_REQUESTS,
        S::REQUEST_HEADER_FIELDS_TOO_LARGE,
        S::INTERNAL_SERVER_ERROR,
        S::SERVICE_UNAVAILABLE,
    ];
    if route.path.contains('{') || route.operation.gate != Gate::Open || changes(route) {
        failures.push(S::NOT_FOUND);
    }
    if changes(route) {
        failures.push(S::UNPROCESSABLE_ENTITY);
    }
    if is_repeatable(route) {
        failures.push(S::CONFLICT);
    }
    if takes_turns(route) {
        failures.push(S::GONE);
    }
    match route.operation.body {
        Some(Body::Resource { .. } | Body::Plain(_)) => {
            failures.extend([S::REQUEST_TIMEOUT, S::UNSUPPORTED_MEDIA_TYPE]);
        }
        Some(Body::Nothing | Body::Message) => failures.push(S::REQUEST_TIMEOUT),
        None => {}
    }
    failures
}

/// Whether a turn is shown that may be over.
fn takes_turns(route: &Route) -> bool {
    let Some(Body::Plain(members)) = &route.operation.body else {
        return false;
    };
    members.iter().any(|member| member.name == TURN.name)
}

fn changes(route: &Route) -> bool {
    route.method != Method::Get
}

/// Every refusal, to be pointed to.
pub(super) fn refusals() -> impl Iterator<Item = (String, Response)> {
    REFUSALS.iter().map(|(status, about, own)| {
        let document = sample(*status).shown(REQUEST_ID).body;
        let content = ContentBuilder::new()
            .schema(Some(RefOr::Ref(Ref::from_schema_name("errors"))))
            .example(serde_json::from_slice(&document).ok());
        let content: Content = content.build();
        let response = ResponseBuilder::new()
            .description(*about)
            .content(Media::JsonApi.as_str(), content);
        (name(*status), with_headers(response, own))
    })
}

/// `not_found`
fn name(status: StatusCode) -> String {
    let reason = status.canonical_reason().unwrap_or("fault");
    reason.to_lowercase().replace([' ', '-'], "_")
}

const REFUSALS: &[(StatusCode, &str, &[&str])] = &[
    (
        StatusCode::BAD_REQUEST,
        "The query, the head or the envelope of the body cannot be understood.",
        &[],
    ),
    (
        StatusCode::UNAUTHORIZED,
        "There is no key, or one that opens nothing.",
        &["WWW-Authenticate"],
    ),
    (
        StatusCode::FORBIDDEN,
        "The key, the plan or a feature does not allow it.",
        &[],
    ),
    (
        StatusCode::NOT_FOUND,
        "This account has no such record.",
        &[],
    ),
    (
        StatusCode::REQUEST_TIMEOUT,
        "The body came too slowly.",
        &[],
    ),
    (
        StatusCode::CONFLICT,
        "An earlier request with this Idempotency-Key is still at work.",
        &["Retry-After"],
    ),
    (
        StatusCode::GONE,
        "The turn is over: another program has opened this listener since.",
        &[],
    ),
    (StatusCode::PAYLOAD_TOO_LARGE, "The body is too long.", &[]),
    (
        StatusCode::URI_TOO_LONG,
        "The request target is too long.",
        &[],
    ),
    (
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        "The body is of another media type.",
        &[],
    ),
    (
        StatusCode::UNPROCESSABLE_ENTITY,
        "The content is refused: one item for each fault, with a pointer.",
        &[],
    ),
    (
        StatusCode::TOO_MANY_REQUESTS,
        "The account called too often.",
        &["Retry-After"],
    ),
    (
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        "The head is too large.",
        &[],
    ),
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        "The service failed; the request id leads the operator to the reason.",
        &[],
    ),
    (
        StatusCode::SERVICE_UNAVAILABLE,
        "Too much is waiting, or the store is away.",
        &["Retry-After"],
    ),
];

/// A refusal of this status, as it really looks.
fn sample(status: StatusCode) -> Failure {
    let fault = |detail: &str| Failure::from(ErrorItem::new(status.as_u16(), detail));
    match status {
        StatusCode::BAD_REQUEST => {
            ErrorItem::parameter("page[size]", "page[size]: must be a whole number from 1").into()
        }
        StatusCode::UNAUTHORIZED => Failure::KeyRefused,
        StatusCode::FORBIDDEN => Failure::NotPermitted(crate::operation::Needs::Update),
        StatusCode::NOT_FOUND => Failure::NotFound {
            what: "shipment",
            id: REQUEST_ID.into(),
        },
        StatusCode::REQUEST_TIMEOUT => Failure::BodyTooSlow,
        StatusCode::CONFLICT => fault("a request with this key is still at work"),
        StatusCode::GONE => Failure::TakenOver,
        StatusCode::PAYLOAD_TOO_LARGE => Failure::BodyTooLong {
            bytes_max: 256 * 1024,
        },
        StatusCode::UNPROCESSABLE_ENTITY => {
            ErrorItem::pointer("/data/attributes/request_number", "can't be blank").into()
        }
        StatusCode::TOO_MANY_REQUESTS => Failure::Throttled {
            bucket: Some(crate::operation::Bucket::Default),
            retry_after: std::time::Duration::from_secs(30),
        },
        StatusCode::SERVICE_UNAVAILABLE => fault("too much work is waiting; try again"),
        StatusCode::INTERNAL_SERVER_ERROR => fault("the service failed to answer this request"),
        StatusCode::URI_TOO_LONG => fault("the request target is too long"),
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => fault("a header is too long"),
        _ => Failure::MediaType("a body is application/json or application/vnd.api+json".into()),
    }
}
