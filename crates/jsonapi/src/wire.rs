//! The pieces every resource text is made of. Members come out in the order in which they are declared.

use domain::moment;
use jiff::Timestamp;
use rust_decimal::Decimal;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use uuid::Uuid;

/// Anything that prints, as a JSON string.
#[derive(Clone, Copy)]
pub(crate) struct Shown<T>(pub T);

impl<T: std::fmt::Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// An instant in UTC to the second: `2026-02-26T05:00:00Z`.
#[derive(Clone, Copy)]
pub(crate) struct Moment(pub Timestamp);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 < moment::FIRST {
            return serializer.collect_str(&format_args!("{:.0}", self.0));
        }
        serializer.serialize_str(moment::Spelled::to_seconds(self.0).as_str())
    }
}

/// An instant that may be missing.
pub(crate) fn moment(at: Option<Timestamp>) -> Option<Moment> {
    at.map(Moment)
}

/// A decimal as a JSON number, digit for digit: a binary fraction would make 0.1 something else.
pub(crate) struct Exact(pub Decimal);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.normalize().to_string())
            .map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}

/// Names one resource: `{"type":"port","id":"…"}`.
#[derive(Serialize)]
pub(crate) struct Link {
    #[serde(rename = "type")]
    kind: &'static str,
    id: Spelt,
}

/// An id, of which a document holds dozens.
struct Spelt(Uuid);

impl Serialize for Spelt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut letters = Uuid::encode_buffer();
        serializer.serialize_str(self.0.hyphenated().encode_lower(&mut letters))
    }
}

/// A relationship to at most one resource; none is `{"data":null}`.
#[derive(Serialize)]
pub(crate) struct ToOne {
    data: Option<Link>,
}

impl ToOne {
    pub(crate) const NONE: Self = Self { data: None };

    pub(crate) fn to(kind: &'static str, id: impl Into<Uuid>) -> Self {
        Self::maybe(Some((kind, id)))
    }

    pub(crate) fn maybe(target: Option<(&'static str, impl Into<Uuid>)>) -> Self {
        Self {
            data: target.map(|(kind, id)| Link {
                kind,
                id: Spelt(id.into()),
            }),
        }
    }
}

/// A relationship to many; none is `{"data":[]}`.
#[derive(Serialize)]
pub(crate) struct ToMany {
    data: Vec<Link>,
}

impl ToMany {
    pub(crate) fn to<I: Into<Uuid> + Copy>(kind: &'static str, ids: &[I]) -> Self {
        let link = |id: &I| Link {
            kind,
            id: Spelt((*id).into()),
        };
        Self {
            data: ids.iter().map(link).collect(),
        }
    }
}

#[derive(Serialize)]
struct SelfLink {
    #[serde(rename = "self")]
    own: String,
}

#[derive(Serialize)]
struct Meta {
    version: i64,
}

/// The id of a resource: one of ours, or a word.
#[derive(Serialize)]
#[serde(untagged)]
enum Id {
    Made(Spelt),
    Worded(String),
}

/// A resource object.
#[derive(Serialize)]
pub(crate) struct Resource<A, R> {
    id: Id,
    #[serde(rename = "type")]
    kind: &'static str,
    attributes: A,
    relationships: R,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<SelfLink>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<Meta>,
}

impl<A: Serialize, R: Serialize> Resource<A, R> {
    pub(crate) fn new(
        kind: &'static str,
        id: impl Into<Uuid>,
        attributes: A,
        relationships: R,
    ) -> Self {
        Self::with(kind, Id::Made(Spelt(id.into())), attributes, relationships)
    }

    /// One whose id is a word (see [`Type::has_worded_id`](crate::schema::Type::has_worded_id)).
    pub(crate) fn worded(
        kind: &'static str,
        id: impl Into<String>,
        attributes: A,
        relationships: R,
    ) -> Self {
        Self::with(kind, Id::Worded(id.into()), attributes, relationships)
    }

    fn with(kind: &'static str, id: Id, attributes: A, relationships: R) -> Self {
        Self {
            id,
            kind,
            attributes,
            relationships,
            links: None,
            meta: None,
        }
    }

    /// With `links.self`, path only and with the version segment: `/v2/shipments/<id>`.
    pub(crate) fn linked(mut self, collection: &str) -> Self {
        let id = match &self.id {
            Id::Made(id) => id.0.to_string(),
            Id::Worded(id) => id.clone(),
        };
        self.links = Some(SelfLink {
            own: format!("/v2/{collection}/{id}"),
        });
        self
    }

    /// With `meta.version`, which rises by one for each change.
    pub(crate) fn versioned(mut self, version: i64) -> Self {
        self.meta = Some(Meta { version });
        self
    }

    pub(crate) fn text(&self) -> String {
        text(self)
    }
}

/// JSON text of values that cannot fail to be JSON: no maps with odd keys, no non-finite numbers.
pub(crate) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
