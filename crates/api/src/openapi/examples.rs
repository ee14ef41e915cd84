//! Examples, taken from the sample world that examples of deliveries show too.
//!
//! Documents stand once among the components: of one resource under the type's name, of a list with `_list` behind
//! it, of a list that never comes in pages with `_all`.

use std::collections::BTreeMap;

use jsonapi::document::{self, Address, Page};
use jsonapi::example;
use jsonapi::query::PAGE_SIZE_DEFAULT;
use jsonapi::schema::{Attribute, Shape, Type as Resource};
use serde_json::{Map, Value};

use crate::operation::{Answers, Body, Linked, Member};
use crate::router::Route;

/// Where the service of the examples lives.
pub(super) const BASE: &str = "https://quay.example/v2";

/// The name of the example that shows what a route answers.
pub(super) fn name(route: &Route) -> Option<String> {
    match route.operation.answers {
        Answers::One(kind) | Answers::Created(kind) | Answers::AcceptedOne(kind) => {
            Some(kind.name.to_owned())
        }
        Answers::WithTurn(kind) => Some(format!("{}_with_turn", kind.name)),
        Answers::Many(kind) if route.operation.query.paged => Some(format!("{}_list", kind.name)),
        Answers::Many(kind) => Some(format!("{}_all", kind.name)),
        Answers::Empty | Answers::NoContent | Answers::Plain(_) | Answers::Accepted(_) => None,
    }
}

/// Every document that a route points to, by name.
pub(super) fn all(routes: &[Route]) -> BTreeMap<String, Value> {
    let shown = routes.iter().filter_map(|route| {
        let document = match route.operation.answers {
            Answers::One(kind) | Answers::Created(kind) | Answers::AcceptedOne(kind) => one(kind),
            Answers::WithTurn(kind) => with_turn(kind),
            Answers::Many(kind) => many(kind, route.operation.query.paged),
            Answers::Empty | Answers::NoContent | Answers::Plain(_) | Answers::Accepted(_) => None,
        };
        Some((name(route)?, document?))
    });
    shown.collect()
}

/// The resource's own sample.
fn sample(kind: &str) -> Option<Value> {
    serde_json::from_str(&example::resource(kind)?).ok()
}

/// The same with a turn.
fn with_turn(kind: &Resource) -> Option<Value> {
    let text = document::with_turn(one(kind)?.to_string(), 1);
    serde_json::from_str(&text).ok()
}

/// A document of one resource of this type.
fn one(kind: &Resource) -> Option<Value> {
    let text = example::resource(kind.name)?;
    let address = address_of(kind, &text);
    serde_json::from_str(&document::single(&text, None, &address)).ok()
}

/// A document of a list with one row.
fn many(kind: &Resource, paged: bool) -> Option<Value> {
    let text = example::resource(kind.name)?;
    if !paged {
        return serde_json::from_str(&document::whole(&[text], None)).ok();
    }
    let path = format!("{BASE}/{}", collection(kind));
    let address = Address {
        path: &path,
        query: "",
        unnumbered: "",
    };
    let page = Page {
        number: 1,
        size: PAGE_SIZE_DEFAULT,
        total: 1,
    };
    serde_json::from_str(&document::list(&[text], None, address, page)).ok()
}

fn address_of(kind: &Resource, text: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
    format!("{BASE}/{}/{id}", collection(kind))
}

fn collection(kind: &Resource) -> String {
    kind.collection
        .map_or_else(|| format!("{}s", kind.name), str::to_owned)
}

/// An object that is no resource.
pub(super) fn plain(members: &[Attribute]) -> Value {
    let told = members
        .iter()
        .map(|member| (member.name.to_owned(), shown(member.name, member.shape)));
    Value::Object(told.collect())
}

/// What a caller could send.
pub(super) fn body(body: &Body) -> Value {
    match body {
        Body::Resource {
            kind,
            attributes,
            relationships,
        } => sent(kind, attributes, relationships),
        Body::Plain(members) => Value::Object(members_of(members, None)),
        Body::Message => Value::from("ISA*00*…~"),
        Body::Nothing => Value::Object(Map::new()),
    }
}

fn sent(kind: &str, attributes: &[Member], relationships: &[Linked]) -> Value {
    let sample = sample(kind);
    let mut data = Map::new();
    data.insert("type".into(), kind.into());
    let known = sample.as_ref().and_then(|sample| sample.get("attributes"));
    data.insert("attributes".into(), members_of(attributes, known).into());
    let linked = relationships.iter().filter_map(|linked| {
        let target = example::resource(linked.targets.first()?)?;
        let target: Value = serde_json::from_str(&target).ok()?;
        let link = serde_json::json!({"type": target.get("type")?, "id": target.get("id")?});
        Some((linked.name.to_owned(), serde_json::json!({"data": link})))
    });
    let linked: Map<String, Value> = linked.collect();
    if !linked.is_empty() {
        data.insert("relationships".into(), linked.into());
    }
    serde_json::json!({"data": data})
}

fn members_of(members: &[Member], known: Option<&Value>) -> Map<String, Value> {
    let told = members.iter().filter_map(|member| {
        let found = known.and_then(|known| known.get(member.name)).cloned();
        let value = match found {
            Some(Value::Null) if !member.required => return None,
            Some(Value::Null) | None => shown(member.name, member.shape),
            Some(value) => value,
        };
        Some((member.name.to_owned(), value))
    });
    told.collect()
}

/// What a member of this name could hold.
fn shown(name: &str, shape: Shape) -> Value {
    match shape {
        Shape::Text if name.contains("number") => "QUAY26030101".into(),
        Shape::Text if name == "scac" => "QUAY".into(),
        Shape::Text if name.contains("slug") => "purchase_order".into(),
        Shape::Text | Shape::Any => name.replace('_', " ").into(),
        Shape::Moment => example::MOMENT.to_string().into(),
        Shape::Date => "2026-03-03".into(),
        Shape::Zone => "America/Los_Angeles".into(),
        Shape::Id => "019c0000-0000-7000-8000-000000000002".into(),
        Shape::Url => "https://hooks.example.com/quayside".into(),
        Shape::Integer => 1.into(),
        Shape::Number => Value::from(1.5),
        Shape::Boolean => true.into(),
        Shape::OneOf(words) => words().first().map_or(Value::Null, |word| (*word).into()),
        Shape::Texts | Shape::TextsOrNulls => vec![Value::from(name.replace('_', " "))].into(),
        Shape::Words(words) => words()
            .first()
            .map_or(Value::Null, |word| vec![*word].into()),
        Shape::Object(members) => plain(members),
        Shape::Objects(members) => vec![plain(members)].into(),
        Shape::Keyed(members) => {
            let id = "019c0000-0000-7000-8000-000000000002";
            Value::Object(Map::from_iter([(id.to_owned(), plain(members))]))
        }
        Shape::Changeset => Value::Object(Map::new()),
    }
}
