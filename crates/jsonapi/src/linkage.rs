//! Reads from a stored resource text who it is and to whom it links, and cuts it to fewer fields.
//!
//! A stored text is served as it is wherever possible. Only `include` and sparse fieldsets look inside, and
//! even they copy what they keep byte for byte.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::wire::text;

/// Names one resource.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// `type`.
    pub kind: String,
    /// `id`.
    pub id: Uuid,
}

/// Who a resource text is.
pub fn identity(resource: &str) -> Option<Identity> {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(rename = "type", borrow)]
        kind: Cow<'a, str>,
        #[serde(borrow)]
        id: Cow<'a, str>,
    }
    let named: Named<'_> = serde_json::from_str(resource).ok()?;
    Some(Identity {
        kind: named.kind.into_owned(),
        id: named.id.parse().ok()?,
    })
}

/// The type of a resource text, whatever its id is.
pub fn kind(resource: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(rename = "type")]
        kind: String,
    }
    let typed: Typed = serde_json::from_str(resource).ok()?;
    Some(typed.kind)
}

/// To whom a resource text links under this relationship, in order.
pub fn targets(resource: &str, relationship: &str) -> Vec<Identity> {
    #[derive(Deserialize)]
    struct Linked<'a> {
        #[serde(borrow, default)]
        relationships: Option<Members<'a>>,
    }
    #[derive(Deserialize)]
    struct Relation<'a> {
        #[serde(borrow)]
        data: &'a RawValue,
    }
    let Ok(Linked {
        relationships: Some(members),
    }) = serde_json::from_str::<Linked<'_>>(resource)
    else {
        return Vec::new();
    };
    let data = members
        .get(relationship)
        .and_then(|raw| serde_json::from_str::<Relation<'_>>(raw.get()).ok())
        .map_or("null", |relation| relation.data.get());
    match serde_json::from_str::<Vec<&RawValue>>(data) {
        Ok(links) => links
            .iter()
            .filter_map(|link| identity(link.get()))
            .collect(),
        Err(_) => identity(data).into_iter().collect(),
    }
}

/// The value of one attribute, as JSON text.
pub fn attribute(resource: &str, name: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Told<'a> {
        #[serde(borrow)]
        attributes: Members<'a>,
    }
    let told: Told<'_> = serde_json::from_str(resource).ok()?;
    told.attributes.get(name).map(|raw| raw.get().to_owned())
}

/// The resource text with only these attributes and relationships (`fields[type]`).
pub fn sparse(resource: &str, fields: &[String]) -> String {
    let Ok(members) = serde_json::from_str::<Members<'_>>(resource) else {
        return resource.to_owned();
    };
    let cut = |name: &str, raw: &RawValue| match name {
        "attributes" | "relationships" => serde_json::from_str::<Members<'_>>(raw.get())
            .map_or_else(|_| raw.get().to_owned(), |inner| inner.only(fields).print()),
        _ => raw.get().to_owned(),
    };
    let parts: Vec<String> = members
        .0
        .iter()
        .map(|(name, raw)| format!("{}:{}", text(name), cut(name, raw)))
        .collect();
    format!("{{{}}}", parts.join(","))
}

/// An object whose members keep their order and their bytes.
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0
            .iter()
            .find(|(member, _)| member == name)
            .map(|(_, raw)| *raw)
    }

    fn only(mut self, fields: &[String]) -> Self {
        self.0
            .retain(|(name, _)| fields.iter().any(|field| field == name));
        self
    }

    fn print(&self) -> String {
        let parts: Vec<String> = self
            .0
            .iter()
            .map(|(name, raw)| format!("{}:{}", text(name), raw.get()))
            .collect();
        format!("{{{}}}", parts.join(","))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    members.push((name, map.next_value()?));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// A name borrowed from the text when it holds no escapes.
#[derive(Deserialize, Serialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: &str = r#"{"id":"018f0000-0000-7000-8000-000000000001","type":"container","attributes":{"zeta":1,"alpha":[1, 2]},"relationships":{"shipment":{"data":{"type":"shipment","id":"018f0000-0000-7000-8000-000000000002"}},"none":{"data":null},"many":{"data":[{"type":"port","id":"018f0000-0000-7000-8000-000000000003"}]}},"links":{"self":"/v2/containers/x"}}"#;

    #[test]
    fn who_and_to_whom() {
        assert_eq!(identity(BOX).unwrap().kind, "container");
        assert_eq!(targets(BOX, "shipment")[0].kind, "shipment");
        assert_eq!(targets(BOX, "many").len(), 1);
        assert!(targets(BOX, "none").is_empty());
        assert!(targets(BOX, "absent").is_empty());
        assert_eq!(attribute(BOX, "alpha").as_deref(), Some("[1, 2]"));
    }

    #[test]
    fn fewer_fields_in_the_same_order_and_bytes() {
        let cut = sparse(BOX, &["alpha".into(), "zeta".into(), "none".into()]);
        assert!(
            cut.contains(r#""attributes":{"zeta":1,"alpha":[1, 2]}"#),
            "{cut}"
        );
        assert!(
            cut.contains(r#""relationships":{"none":{"data":null}}"#),
            "{cut}"
        );
        assert!(
            cut.ends_with(r#""links":{"self":"/v2/containers/x"}}"#),
            "{cut}"
        );
        assert!(sparse(BOX, &[]).contains(r#""attributes":{},"relationships":{}"#));
    }
}
