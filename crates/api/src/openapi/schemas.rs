//! Shapes as JSON Schema.

use jsonapi::read::plural;
use jsonapi::resource::TYPES;
use jsonapi::schema::{Attribute, Relationship, Shape, Type as Resource};
use serde_json::Value;
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, Discriminator, KnownFormat, ObjectBuilder, OneOfBuilder,
    Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr};

use crate::operation::{Body, Linked, Member};

/// A resource object. No attribute is required: `fields[...]` can leave out any of them.
pub(super) fn resource(kind: &Resource) -> Schema {
    let mut attributes = ObjectBuilder::new();
    for attribute in kind.attributes {
        attributes = attributes.property(attribute.name, described(attribute));
    }
    let mut relationships = ObjectBuilder::new();
    for relationship in kind.relationships {
        relationships = relationships.property(relationship.name, related(relationship));
    }
    let mut resource = ObjectBuilder::new()
        .description(Some(kind.about))
        .property("id", text((!kind.has_worded_id()).then_some("uuid")))
        .required("id")
        .property("type", one_of(&[kind.name], false))
        .required("type")
        .property("attributes", attributes)
        .property("relationships", relationships);
    if kind.collection.is_some() {
        let links = ObjectBuilder::new()
            .property("self", text(None))
            .required("self");
        resource = resource.property("links", links);
    }
    if kind.versioned {
        let meta = ObjectBuilder::new()
            .property("version", ObjectBuilder::new().schema_type(Type::Integer))
            .required("version");
        resource = resource.property("meta", meta);
    }
    resource.build().into()
}

/// What a body holds.
pub(super) fn body(body: &Body) -> Schema {
    match body {
        Body::Resource {
            kind,
            attributes,
            relationships,
        } => sent(kind, attributes, relationships),
        Body::Plain(members) => members_of(members).build().into(),
        Body::Message => bytes(),
        Body::Nothing => nothing(),
    }
}

/// Anything.
fn bytes() -> Schema {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
        .build()
        .into()
}

/// What may be sent where nothing is wanted.
fn nothing() -> Schema {
    let closed = || Some(AdditionalProperties::FreeForm(false));
    let data = ObjectBuilder::new()
        .property("type", text(None))
        .property("id", text(None))
        .additional_properties(closed());
    ObjectBuilder::new()
        .property("data", data)
        .additional_properties(closed())
        .description(Some(
            "None is needed; one that is sent says no more than this.",
        ))
        .build()
        .into()
}

/// An object that is no resource.
pub(super) fn plain(members: &[Attribute]) -> Schema {
    object_of(members, false)
}

/// `{"data":{"type":…,"attributes":{…},"relationships":{…}}}`
fn sent(kind: &str, attributes: &[Member], relationships: &[Linked]) -> Schema {
    let mut data = ObjectBuilder::new()
        .property("type", one_of(&[kind, &plural(kind)], false))
        .property("id", any())
        .property("attributes", members_of(attributes));
    if attributes.iter().any(|member| member.required) {
        data = data.required("attributes");
    }
    if !relationships.is_empty() {
        let mut links = ObjectBuilder::new();
        for linked in relationships {
            let one = Relationship::one(linked.name, linked.targets);
            links = links.property(linked.name, with_description(related(&one), linked.about));
            if linked.required {
                links = links.required(linked.name);
            }
        }
        data = data.property("relationships", links);
        if relationships.iter().any(|linked| linked.required) {
            data = data.required("relationships");
        }
    }
    object("data", data)
}

fn members_of(members: &[Member]) -> ObjectBuilder {
    members.iter().fold(ObjectBuilder::new(), |object, member| {
        let object = object.property(member.name, wanted(member));
        if member.required {
            object.required(member.name)
        } else {
            object
        }
    })
}

/// `{"data":{…},"included":[…],"links":{…}}`
pub(super) fn one(kind: &Resource) -> Schema {
    single(named(kind.name)).build().into()
}

/// The same with who said what, when that is asked for.
pub(super) fn one_explained(kind: &Resource) -> Schema {
    let meta = ObjectBuilder::new().property("provenance", named(PROVENANCE));
    single(named(kind.name))
        .property("meta", meta)
        .build()
        .into()
}

/// The same with the number of a turn.
pub(super) fn one_with_turn(kind: &Resource) -> Schema {
    let turn = ObjectBuilder::new().schema_type(Type::Integer);
    let meta = ObjectBuilder::new().property("turn", turn).required("turn");
    let document = single(named(kind.name)).property("meta", meta);
    document.required("meta").build().into()
}

/// Name of what stands in `meta.provenance`.
pub(super) const PROVENANCE: &str = "provenance";

fn single(data: RefOr<Schema>) -> ObjectBuilder {
    ObjectBuilder::new()
        .property("data", data)
        .required("data")
        .property("included", included())
        .property("links", links(&["self"]))
}

/// `{"data":[…],"included":[…],"links":{…},"meta":{…}}`
pub(super) fn many(kind: &Resource) -> Schema {
    list_of(kind, list_meta())
}

/// The same with who said what, when that is asked for.
pub(super) fn many_explained(kind: &Resource) -> Schema {
    list_of(kind, list_meta().property("provenance", named(PROVENANCE)))
}

fn list_meta() -> ObjectBuilder {
    let count = || ObjectBuilder::new().schema_type(Type::Integer);
    let pagination = ["current", "prev", "next", "last", "records"]
        .into_iter()
        .fold(ObjectBuilder::new(), |object, name| {
            object.property(name, count())
        });
    ObjectBuilder::new()
        .property("size", count())
        .property("total", count())
        .property("pagination", pagination)
}

fn list_of(kind: &Resource, meta: ObjectBuilder) -> Schema {
    let answer = ObjectBuilder::new()
        .property("data", ArrayBuilder::new().items(named(kind.name)))
        .required("data")
        .property("included", included())
        .property(
            "links",
            links(&["self", "current", "first", "prev", "next", "last"]),
        )
        .property("meta", meta);
    answer.build().into()
}

/// `{"errors":[…]}`
pub(super) fn errors() -> Schema {
    let source = ["pointer", "parameter", "header"]
        .into_iter()
        .fold(ObjectBuilder::new(), |object, name| {
            object.property(name, text(None))
        });
    let item = ObjectBuilder::new()
        .property("status", text(None))
        .required("status")
        .property("title", text(None))
        .required("title")
        .property("detail", text(None))
        .required("detail")
        .property("source", source)
        .property("code", text(None))
        .property("meta", ObjectBuilder::new());
    object("errors", ArrayBuilder::new().items(item).min_items(Some(1)))
}

/// What a shape holds.
pub(super) fn shaped(shape: Shape, nullable: bool) -> Schema {
    let plain = |kind, format: Option<&str>| {
        let format = format.map(|format| SchemaFormat::Custom(format.into()));
        ObjectBuilder::new()
            .schema_type(typed(kind, nullable))
            .format(format)
            .build()
            .into()
    };
    match shape {
        Shape::Text | Shape::Zone => plain(Type::String, None),
        Shape::Moment => plain(Type::String, Some("date-time")),
        Shape::Date => plain(Type::String, Some("date")),
        Shape::Id => plain(Type::String, Some("uuid")),
        Shape::Url => plain(Type::String, Some("uri")),
        Shape::Integer => plain(Type::Integer, None),
        Shape::Number => plain(Type::Number, None),
        Shape::Boolean => plain(Type::Boolean, None),
        Shape::OneOf(words) => one_of(&words(), nullable),
        Shape::Texts => list(text(None), nullable),
        Shape::TextsOrNulls => list(shaped(Shape::Text, true), nullable),
        Shape::Words(words) => list(one_of(&words(), false), nullable),
        Shape::Object(members) => object_of(members, nullable),
        Shape::Objects(members) => list(object_of(members, false), nullable),
        Shape::Keyed(members) => keyed(object_of(members, false)),
        Shape::Any => any().build().into(),
        Shape::Changeset => keyed(pair()),
    }
}

/// An object whose members are named by data.
fn keyed(member: Schema) -> Schema {
    ObjectBuilder::new()
        .additional_properties(Some(AdditionalProperties::RefOr(member.into())))
        .build()
        .into()
}

fn described(attribute: &Attribute) -> Schema {
    with_description(shaped(attribute.shape, attribute.nullable), attribute.about)
}

/// What may be missing may be null too.
fn wanted(member: &Member) -> Schema {
    with_description(shaped(member.shape, !member.required), member.about)
}

fn with_description(schema: Schema, about: &str) -> Schema {
    let about = (!about.is_empty()).then(|| about.to_owned());
    match schema {
        Schema::Object(mut object) => {
            object.description = about;
            Schema::Object(object)
        }
        Schema::Array(mut array) => {
            array.description = about;
            Schema::Array(array)
        }
        other => other,
    }
}

fn object_of(members: &[Attribute], nullable: bool) -> Schema {
    let mut object = ObjectBuilder::new().schema_type(typed(Type::Object, nullable));
    for member in members {
        object = object.property(member.name, described(member));
        if !member.optional {
            object = object.required(member.name);
        }
    }
    object.build().into()
}

fn related(relationship: &Relationship) -> Schema {
    let link = ObjectBuilder::new()
        .property("type", one_of(relationship.targets, false))
        .required("type")
        .property("id", text(Some("uuid")))
        .required("id");
    if relationship.many {
        return object("data", ArrayBuilder::new().items(link));
    }
    let none = ObjectBuilder::new().schema_type(Type::Null);
    object("data", OneOfBuilder::new().item(link).item(none))
}

fn object(name: &str, member: impl Into<RefOr<Schema>>) -> Schema {
    let object = ObjectBuilder::new().property(name, member).required(name);
    object.build().into()
}

/// A resource of any type.
pub(super) fn any_resource() -> Schema {
    let kinds = TYPES.iter();
    kinds
        .fold(OneOfBuilder::new(), |any, kind| any.item(named(kind.name)))
        .description(Some("A resource; its type says which."))
        .discriminator(Some(Discriminator::new("type")))
        .build()
        .into()
}

/// A delivery: one notification and all it tells about.
pub(super) fn delivery() -> Schema {
    let delivery = ObjectBuilder::new()
        .property("data", named("webhook_notification"))
        .required("data")
        .property("included", included())
        .required("included")
        .property("links", links(&["self"]))
        .required("links");
    delivery.build().into()
}

fn included() -> ArrayBuilder {
    ArrayBuilder::new()
        .items(named("resource"))
        .description(Some("Related resources, each once."))
}

/// Links that do not apply are missing. Their brackets stand as such, so they are no URIs by the letter.
fn links(names: &[&str]) -> ObjectBuilder {
    let links = ObjectBuilder::new();
    names
        .iter()
        .fold(links, |links, name| links.property(*name, text(None)))
}

fn any() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::AnyValue)
}

fn pair() -> Schema {
    let pair = ArrayBuilder::new().items(any());
    pair.min_items(Some(2)).max_items(Some(2)).build().into()
}

fn list(item: Schema, nullable: bool) -> Schema {
    let list = ArrayBuilder::new().items(RefOr::T(item));
    list.schema_type(typed(Type::Array, nullable))
        .build()
        .into()
}

fn text(format: Option<&str>) -> Schema {
    let format = format.map(|format| match format {
        "date" => SchemaFormat::KnownFormat(KnownFormat::Date),
        other => SchemaFormat::Custom(other.to_owned()),
    });
    let text = ObjectBuilder::new().schema_type(Type::String);
    text.format(format).build().into()
}

fn one_of(words: &[&str], nullable: bool) -> Schema {
    let words = words.iter().map(|word| Value::from(*word));
    let null = nullable.then_some(Value::Null);
    ObjectBuilder::new()
        .schema_type(typed(Type::String, nullable))
        .enum_values(Some(words.chain(null).collect::<Vec<_>>()))
        .build()
        .into()
}

fn typed(kind: Type, nullable: bool) -> SchemaType {
    if nullable {
        SchemaType::from_iter([kind, Type::Null])
    } else {
        SchemaType::Type(kind)
    }
}

pub(super) fn named(name: &str) -> RefOr<Schema> {
    RefOr::Ref(Ref::from_schema_name(name))
}

pub(super) fn shaped_words(words: &[&str]) -> Schema {
    one_of(words, false)
}
