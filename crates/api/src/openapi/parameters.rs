//! What a call may say besides its body: path, query and headers.

use jsonapi::query::{Holds, PAGE_SIZE_MAX, Parameter as Known, Rules, aliases};
use jsonapi::schema::{Relationship, Shape, Type as Resource};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn, ParameterStyle};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{RefOr, Required};

use super::{responses, schemas};
use crate::router::Route;

/// Longest `Idempotency-Key`.
const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;

/// One of the dates of a filter: with a sign before it, of today, or whether there is one.
const DATE: &str =
    r"^(@exists|@not_exists|=?([<>]=?)? *(today|[0-9]+\.days\.(ago|from_now)|[0-9]{4}.+))$";

/// Holds an object: one member for each custom field.
const CUSTOM_FIELDS: &str = "filter[custom_field]";

/// All parameters of a route.
pub(super) fn of(route: &Route) -> Vec<Parameter> {
    let rules = &route.operation.query;
    let mut parameters = Vec::new();
    for name in segments(route.path) {
        let (shape, about) = match name {
            "id" if has_words_for_ids(route.path) => (Shape::Text, "The record's id, a word."),
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
    for known in rules.parameters {
        parameters.push(unexploded(query(known.name, known.about, holds(known))));
        let same = format!("The same as {}.", known.name);
        let others = known.also.iter();
        parameters.extend(others.map(|name| unexploded(query(name, &same, holds(known)))));
    }
    // Some operations have an `include` of their own.
    if !rules.parameters.iter().any(|known| known.name == "include") {
        parameters.extend(rules.resource.map(|kind| include(kind, rules)));
    }
    parameters.extend(rules.resource.map(fields));
    if !rules.sorts.is_empty() {
        let sorts = schemas::shaped_words(rules.sorts);
        parameters.push(query("sort", rules.sort_about, sorts));
    }
    if rules.paged || rules.whole {
        let count = |about: &str, maximum: Option<u64>| {
            let number = ObjectBuilder::new().schema_type(Type::Integer);
            let number = number.minimum(Some(1)).description(Some(about));
            Schema::from(match maximum {
                Some(most) => number.maximum(Some(most)).build(),
                None => number.build(),
            })
        };
        let number = if rules.whole {
            "From 1, which is all of it: what comes behind is empty."
        } else {
            "From 1."
        };
        let size = if rules.whole {
            "Means nothing: the list comes whole.".to_owned()
        } else {
            format!(
                "Rows on a page; {} when not given. More than {PAGE_SIZE_MAX} is read as {PAGE_SIZE_MAX}.",
                rules.page_size
            )
        };
        parameters.push(query(
            "page[number]",
            number,
            count(number, Some(u64::from(u32::MAX))),
        ));
        parameters.push(query("page[size]", &size, count(&size, None)));
    }
    parameters.extend(headers(route));
    parameters
}

/// Whether the ids of this collection are given by people: the names of profiles, a type and a date.
fn has_words_for_ids(path: &str) -> bool {
    ["/v2/sources/", "/v2/document_schemas/"]
        .iter()
        .any(|collection| path.starts_with(collection))
}

fn headers(route: &Route) -> Vec<Parameter> {
    let text = |characters_max: Option<usize>| {
        let text = ObjectBuilder::new().schema_type(Type::String);
        Schema::from(match characters_max {
            Some(most) => text
                .min_length(Some(1))
                .max_length(Some(most))
                .pattern(Some("^[!-~]+$"))
                .build(),
            None => text.build(),
        })
    };
    let mut headers = Vec::new();
    if responses::answers_unchanged(route) {
        let about = "The ETag of an answer that is already there: 304 when nothing changed since.";
        let known = parameter("If-None-Match", ParameterIn::Header, about, text(None));
        headers.push(known);
    }
    if responses::is_repeatable(route) {
        let about = "A word of your own for this request. Sent again with the same word and body, it takes effect once.";
        let schema = text(Some(IDEMPOTENCY_KEY_CHARS_MAX));
        headers.push(parameter(
            "Idempotency-Key",
            ParameterIn::Header,
            about,
            schema,
        ));
    }
    headers
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
    match &parameter.schema {
        Some(RefOr::T(Schema::Array(_))) => parameter.explode = Some(false),
        Some(RefOr::T(Schema::Object(_))) if parameter.name == CUSTOM_FIELDS => {
            parameter.style = Some(ParameterStyle::DeepObject);
            parameter.explode = Some(true);
        }
        _ => {}
    }
    parameter
}

fn holds(known: &Known) -> Schema {
    match known.holds {
        Holds::Named => ObjectBuilder::new()
            .additional_properties(Some(schemas::shaped(Shape::Text, false)))
            .build()
            .into(),
        Holds::Text | Holds::TextOrBlank => {
            let text = ObjectBuilder::new().schema_type(Type::String);
            let max = jsonapi::query::TEXT_CHARS_MAX;
            let must = matches!(known.holds, Holds::Text) && !known.is_filter();
            let least = must.then_some(1);
            text.min_length(least).max_length(Some(max)).build().into()
        }
        Holds::Moment | Holds::Until => schemas::shaped(Shape::Moment, false),
        Holds::Texts => {
            let text = ObjectBuilder::new()
                .schema_type(Type::String)
                .min_length(Some(1));
            let list = ArrayBuilder::new().items(RefOr::T(text.build().into()));
            let max = jsonapi::query::TEXTS_MAX;
            list.min_items(least(known))
                .max_items(Some(max))
                .build()
                .into()
        }
        Holds::Dates => {
            let date = ObjectBuilder::new()
                .schema_type(Type::String)
                .pattern(Some(DATE));
            let list = ArrayBuilder::new().items(RefOr::T(date.build().into()));
            let max = jsonapi::query::TEXTS_MAX;
            list.min_items(least(known))
                .max_items(Some(max))
                .build()
                .into()
        }
        Holds::Boolean => schemas::shaped(Shape::Boolean, false),
        Holds::Id => schemas::shaped(Shape::Id, false),
        Holds::Number => schemas::shaped(Shape::Number, false),
        Holds::Date => schemas::shaped(Shape::Date, false),
        Holds::Word(words) => schemas::shaped(Shape::OneOf(words), false),
        Holds::Words(words) => list_of(words).min_items(least(known)).build().into(),
        Holds::WordsOrNone(words) => list_of(words).build().into(),
    }
}

/// Values at least: a filter that nobody filled in asks nothing.
fn least(known: &Known) -> Option<usize> {
    (!known.is_filter()).then_some(1)
}

fn list_of(words: fn() -> Vec<&'static str>) -> ArrayBuilder {
    let word = RefOr::T(schemas::shaped(Shape::OneOf(words), false));
    ArrayBuilder::new().items(word)
}

fn include(kind: &Resource, rules: &Rules) -> Parameter {
    let names = kind.relationships.iter().map(|r: &Relationship| r.name);
    let names: Vec<&str> = names.collect();
    let names = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    let others = aliases(kind).map(|(name, path)| format!(" `{name}` stands for {path}."));
    let others: String = others.collect();
    let default = match rules.include_by_default {
        [] => String::new(),
        given => format!(" When not given: {}.", given.join(", ")),
    };
    let about = format!(
        "Related resources to send along, with commas; dots lead further. From here: \
         {names}.{others}{default}"
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
