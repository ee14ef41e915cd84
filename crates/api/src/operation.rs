//! What an operation declares about itself.

use std::future::Future;
use std::pin::Pin;

use domain::account::Feature;
use jsonapi::query::Rules;
use jsonapi::schema::{Attribute, Shape, Type};

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;

/// One thing a caller can ask for.
#[derive(Debug)]
pub struct Operation {
    /// Unique name: `list_shipments`.
    pub name: &'static str,
    /// A line for the reference.
    pub summary: &'static str,
    /// Which permission of the key it needs.
    pub needs: Needs,
    /// What the account must have for it.
    pub gate: Gate,
    /// Which rate limit it counts for.
    pub bucket: Bucket,
    /// What the query may say.
    pub query: Rules,
    /// What the body holds; `None` takes no body.
    pub body: Option<Body>,
    /// What comes back.
    pub answers: Answers,
    /// What a path with an unknown id lacks: `shipment`.
    pub subject: &'static str,
    pub(crate) handle: fn(Call) -> Handling,
}

/// A handler at work.
pub(crate) type Handling = Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send>>;

/// HTTP methods of routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "they are the methods of HTTP")]
pub enum Method {
    Get,
    Post,
    Patch,
    Delete,
}

impl Method {
    /// As on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// Permissions of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Reading.
    Show,
    /// Writing.
    Update,
}

/// Which rate limit a call counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bucket {
    /// All that have none of their own.
    Default,
    /// Creating tracking requests.
    Create,
    /// Inferring lines from numbers.
    Infer,
    /// Refreshing containers.
    Refresh,
    /// Test sends.
    Trigger,
    /// Fetching deliveries, and telling how they went.
    Listen,
    /// Bringing messages of sources: nothing is counted.
    Messages,
}

impl Bucket {
    /// As limits name it to callers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Create => "create",
            Self::Infer => "infer",
            Self::Refresh => "refresh",
            Self::Trigger => "trigger",
            Self::Listen => "listen",
            Self::Messages => "messages",
        }
    }
}

/// What an account must have, beside a key with the permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Nothing.
    Open,
    /// A plan that reads tracking data.
    TrackingData,
    /// A plan that reads tracking data, and this feature.
    Feature(Feature),
}

/// What comes back when all is well.
#[derive(Clone, Copy, Debug)]
pub enum Answers {
    /// 200 and one resource.
    One(&'static Type),
    /// 200 and one resource, with a number in `meta.turn` that later calls show.
    WithTurn(&'static Type),
    /// 201 and the new resource.
    Created(&'static Type),
    /// 200 and a list.
    Many(&'static Type),
    /// 202 and the resource, which work in the background will change.
    AcceptedOne(&'static Type),
    /// 202 and an object that is no resource: how far work in the background has come.
    Accepted(&'static [Attribute]),
    /// 200 and nothing.
    Empty,
    /// 204 and nothing.
    NoContent,
    /// 200 and an object that is no resource, as plain JSON.
    Plain(&'static [Attribute]),
}

/// What a body holds.
#[derive(Debug)]
pub enum Body {
    /// A resource.
    Resource {
        /// `data.type`, which may be left out, or stand in the plural.
        kind: &'static str,
        /// `data.attributes`.
        attributes: &'static [Member],
        /// `data.relationships`.
        relationships: &'static [Linked],
    },
    /// An object that is no resource.
    Plain(&'static [Member]),
    /// A message in the language of its source: bytes of any media type, packed or not.
    Message,
    /// None is needed. Clients send one out of habit, which says no more than what the call is about.
    Nothing,
}

/// A relationship in a body, to at most one resource.
#[derive(Clone, Copy, Debug)]
pub struct Linked {
    /// Its name.
    pub name: &'static str,
    /// Types it can point to.
    pub targets: &'static [&'static str],
    /// Whether it must be there.
    pub required: bool,
    /// For the reference.
    pub about: &'static str,
}

impl Linked {
    /// A relationship that may be missing.
    pub const fn optional(
        name: &'static str,
        targets: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Self {
            name,
            targets,
            required: false,
            about,
        }
    }

    /// A relationship that must be there.
    pub const fn required(
        name: &'static str,
        targets: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Self {
            name,
            targets,
            required: true,
            about,
        }
    }
}

/// An attribute in a body.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// For the reference.
    pub about: &'static str,
}

impl Member {
    /// An attribute that must be there.
    pub const fn required(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self {
            name,
            shape,
            required: true,
            about,
        }
    }

    /// An attribute that may be missing.
    pub const fn optional(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self {
            name,
            shape,
            required: false,
            about,
        }
    }
}
