//! What a resource type consists of, declared once.
//!
//! The query reader checks `include`, `fields` and `sort` against it, the OpenAPI document is generated from
//! it, and a test compares it with what the renderers really write. So a new attribute is added in one file.

/// A resource type.
#[derive(Debug)]
pub struct Type {
    /// `type` on the wire.
    pub name: &'static str,
    /// One sentence for the reference.
    pub about: &'static str,
    /// In the order in which they are written.
    pub attributes: &'static [Attribute],
    /// In the order in which they are written.
    pub relationships: &'static [Relationship],
    /// The collection in `links.self` (`shipments`), when the resource carries that link.
    pub collection: Option<&'static str>,
    /// Whether the resource carries `meta.version`.
    pub versioned: bool,
}

/// An attribute.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// What it holds when it is not null.
    pub shape: Shape,
    /// Whether it can be null.
    pub nullable: bool,
    /// Whether it can be missing: only as a member of an object.
    pub optional: bool,
    /// What it means, for the reference; may be empty where the name says it all.
    pub about: &'static str,
}

/// What an attribute holds.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Text.
    Text,
    /// An instant, ISO 8601 in UTC.
    Moment,
    /// A date without time.
    Date,
    /// IANA zone name.
    Zone,
    /// An identifier.
    Id,
    /// An absolute URL.
    Url,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// One of these words.
    OneOf(fn() -> Vec<&'static str>),
    /// A list of texts.
    Texts,
    /// A list of texts, in a body: nulls among them are left out.
    TextsOrNulls,
    /// A list of these words.
    Words(fn() -> Vec<&'static str>),
    /// An object with these members.
    Object(&'static [Attribute]),
    /// A list of such objects.
    Objects(&'static [Attribute]),
    /// An object of such objects, each named by data: an id, a name.
    Keyed(&'static [Attribute]),
    /// An object of `[old, new]` pairs keyed by attribute.
    Changeset,
    /// Any JSON value.
    Any,
}

impl Attribute {
    /// An attribute that is never null.
    pub const fn new(name: &'static str, shape: Shape) -> Self {
        Self {
            name,
            shape,
            nullable: false,
            optional: false,
            about: "",
        }
    }

    /// An attribute that can be null.
    pub const fn or_null(name: &'static str, shape: Shape) -> Self {
        Self {
            nullable: true,
            ..Self::new(name, shape)
        }
    }

    /// The same, as a member that can be missing.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// With its meaning.
    #[must_use]
    pub const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }
}

/// A relationship.
#[derive(Clone, Copy, Debug)]
pub struct Relationship {
    /// Its name.
    pub name: &'static str,
    /// Types it can point to.
    pub targets: &'static [&'static str],
    /// Whether it is a list.
    pub many: bool,
}

impl Relationship {
    /// To at most one.
    pub const fn one(name: &'static str, targets: &'static [&'static str]) -> Self {
        Self {
            name,
            targets,
            many: false,
        }
    }

    /// To many.
    pub const fn many(name: &'static str, targets: &'static [&'static str]) -> Self {
        Self {
            name,
            targets,
            many: true,
        }
    }
}

/// Types whose ids are words; those of all others are UUIDs.
const WORDED: &[&str] = &[
    "infer_number_results",
    "webhook_event_category",
    "document_schema",
    "source",
];

impl Type {
    /// Whether its ids are words (`tracking-request-events`), not UUIDs.
    pub fn has_worded_id(&self) -> bool {
        WORDED.contains(&self.name)
    }

    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    /// The relationship of this name.
    pub fn relationship(&self, name: &str) -> Option<&Relationship> {
        self.relationships.iter().find(|r| r.name == name)
    }
}
