//! The standard's error object.

use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde_json::json;

/// Why a question gets no events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) reason: String,
    /// Seconds of `Retry-After`.
    pub(super) wait: Option<i64>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, reason: impl Into<String>) -> Self {
        Self {
            status,
            reason: reason.into(),
            wait: None,
        }
    }

    pub(super) fn into_response(self, asked: &str, now: Timestamp) -> Response {
        let words = self.status.canonical_reason().unwrap_or("Error");
        let body = json!({
            "httpMethod": "GET",
            "requestUri": asked,
            "statusCode": self.status.as_u16(),
            "statusCodeText": words,
            "errorDateTime": now.to_string(),
            "errors": [{ "reason": words, "message": self.reason }],
        });
        let mut response = (self.status, axum::Json(body)).into_response();
        let fields = response.headers_mut();
        fields.insert("API-Version", HeaderValue::from_static(super::API_VERSION));
        if let Some(seconds) = self.wait {
            fields.insert("Retry-After", HeaderValue::from(seconds));
        }
        response
    }
}
