//! What goes back: status, media type, text.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};

/// An answer before it is HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) media: Media,
    pub(crate) body: Bytes,
    pub(crate) headers: HeaderMap,
    /// Whether it carries an `ETag`, and turns into 304 for a caller who has it.
    pub(crate) tagged: bool,
}

/// Media types of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    JsonApi,
    Json,
    Html,
    Css,
    Script,
    X12,
    Edifact,
}

impl Media {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::JsonApi => "application/vnd.api+json",
            Self::Json => "application/json",
            Self::Html => "text/html; charset=utf-8",
            Self::Css => "text/css; charset=utf-8",
            Self::Script => "text/javascript; charset=utf-8",
            Self::X12 => "application/edi-x12",
            Self::Edifact => "application/edifact",
        }
    }

    /// The one of this name.
    pub(crate) fn named(name: &str) -> Self {
        let mut all = [Self::Json, Self::Html, Self::X12, Self::Edifact].into_iter();
        all.find(|media| media.as_str() == name)
            .unwrap_or(Self::JsonApi)
    }
}

impl Answer {
    /// 200 with a document.
    pub(crate) fn document(text: String) -> Self {
        Self::new(StatusCode::OK, Media::JsonApi, text)
    }

    pub(crate) fn new(status: StatusCode, media: Media, text: impl Into<Bytes>) -> Self {
        Self {
            status,
            media,
            body: text.into(),
            headers: HeaderMap::new(),
            tagged: false,
        }
    }

    /// 200 with plain JSON.
    pub(crate) fn plain(text: String) -> Self {
        Self::new(StatusCode::OK, Media::Json, text)
    }

    /// 204.
    pub(crate) fn no_content() -> Self {
        Self::new(StatusCode::NO_CONTENT, Media::JsonApi, Bytes::new())
    }

    /// 201 instead, with the new record's address.
    pub(crate) fn created(mut self, address: &str) -> Self {
        self.status = StatusCode::CREATED;
        if let Ok(address) = HeaderValue::from_str(address) {
            self.headers.insert(header::LOCATION, address);
        }
        self
    }

    /// 202 instead: the work goes on after the answer.
    pub(crate) fn accepted(self) -> Self {
        Self {
            status: StatusCode::ACCEPTED,
            tagged: false,
            ..self
        }
    }

    /// With an `ETag`.
    pub(crate) fn tagged(mut self) -> Self {
        self.tagged = true;
        self
    }

    /// As HTTP; `known` is what the caller says it already has (`If-None-Match`).
    pub(crate) fn respond(self, request_id: &str, known: Option<&HeaderValue>) -> Response {
        let tag = self.tagged.then(|| tag_of(&self.body));
        let unchanged = tag.as_deref().is_some_and(|tag| holds(known, tag));
        let body = if unchanged { Bytes::new() } else { self.body };
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = if unchanged {
            StatusCode::NOT_MODIFIED
        } else {
            self.status
        };
        let headers = response.headers_mut();
        headers.extend(self.headers);
        if !unchanged && self.status != StatusCode::NO_CONTENT {
            let media = HeaderValue::from_static(self.media.as_str());
            headers.insert(header::CONTENT_TYPE, media);
        }
        let mut set = |name: &'static str, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        set("x-request-id", request_id);
        set("x-content-type-options", "nosniff");
        set("cache-control", "private, no-cache");
        if let Some(tag) = tag {
            set("etag", &tag);
        }
        response
    }
}

/// A tag of the bytes: equal bytes, equal tag, on every node of one release.
fn tag_of(body: &Bytes) -> String {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    format!("\"{:x}-{:016x}\"", body.len(), hasher.finish())
}

fn holds(known: Option<&HeaderValue>, tag: &str) -> bool {
    let known = known.and_then(|value| value.to_str().ok()).unwrap_or("");
    known
        .split(',')
        .map(|one| one.trim().trim_start_matches("W/"))
        .any(|one| one == "*" || one == tag)
}
