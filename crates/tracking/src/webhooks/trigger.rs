//! A test send: a sample of an event to an address that may not be subscribed, and what came of it.
//!
//! It goes out through the same client as deliveries, with the same limits and behind the same guard, and it
//! tells as little of the answer as may be told: the status and a bounded piece. Nothing is stored.

use domain::event::EventName;
use domain::webhook::is_success;
use http::HeaderMap;
use sources::outbound::{Answer, OutboundError, Unfinished, UrlRefused, check_url};

use super::deliver::{TOO_LONG, is_too_long};
use super::send::{SENDER, post, put, readable};
use super::sign;
use crate::Tracking;

/// Of an answer's head and body together no more than 2 KB are told.
const HEADERS_TOLD_BYTES_MAX: usize = 512;
const BODY_TOLD_BYTES_MAX: usize = 1_536;
/// What is said of an address that the guard does not let pass.
const BLOCKED: &str = "blocked_address";

/// What came of a test send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Whether a delivery would have counted as made.
    pub succeeded: bool,
    /// Why there was no answer, or none of use: one word. One that did not end is none of use, and is told below.
    pub error: Option<&'static str>,
    /// HTTP status of the answer.
    pub status: Option<u16>,
    /// The headers that were sent.
    pub request_headers: Vec<(String, String)>,
    /// The text that was sent.
    pub request_body: String,
    /// The first of the headers that came back.
    pub response_headers: Option<Vec<(String, String)>>,
    /// The first part of what came back.
    pub response_body: Option<String>,
}

/// Sends a sample of `event` to `url`, signed when there is a `secret`.
pub async fn trigger(
    tracking: &Tracking,
    url: &str,
    event: EventName,
    secret: Option<&str>,
) -> Result<Tried, UrlRefused> {
    let blocked = match check_url(url, tracking.egress()) {
        Ok(_) => false,
        Err(
            UrlRefused::BlockedAddress
            | UrlRefused::Own
            | UrlRefused::Port(_)
            | UrlRefused::PortClosed(_),
        ) => true,
        Err(refused) => return Err(refused),
    };
    let (sent, text) = sample(tracking, event, secret);
    let mut headers = HeaderMap::new();
    for (name, value) in &sent {
        put(&mut headers, name, value);
    }
    let request = post(url, headers, text.clone())?;
    let answer = if blocked {
        Err(OutboundError::BlockedAddress.into())
    } else {
        let limits = tracking.attempt_limits();
        tracking.outbound().attempt(request, limits).await
    };
    Ok(told(&answer, sent, text))
}

/// The headers and the text of a sample.
fn sample(
    tracking: &Tracking,
    event: EventName,
    secret: Option<&str>,
) -> (Vec<(String, String)>, String) {
    let now = tracking.now();
    let id = jsonapi::example::notification_id(event, now);
    let text = jsonapi::example::delivery(event, tracking.base_url(), now);
    let mut headers = vec![
        ("Content-Type", "application/json".to_owned()),
        ("User-Agent", SENDER.to_owned()),
        ("Webhook-Id", id.to_string()),
        ("Webhook-Timestamp", now.as_second().to_string()),
    ];
    if let Some(secret) = secret {
        let reference = sign::reference(secret, text.as_bytes());
        headers.push(("X-T49-Webhook-Signature", reference));
        if sign::is_standard(secret) {
            let standard = sign::standard(secret, id, now, text.as_bytes());
            headers.push(("Webhook-Signature", standard));
        }
    }
    let headers = headers.into_iter();
    let named = headers.map(|(name, value)| (name.to_owned(), value));
    (named.collect(), text)
}

/// What had come of an answer that did not end is told beside its failure.
fn told(
    sent: &Result<Answer, Unfinished>,
    request_headers: Vec<(String, String)>,
    request_body: String,
) -> Tried {
    let (answer, error) = match sent {
        Ok(answer) => (Some(answer), is_too_long(answer).then_some(TOO_LONG)),
        Err(unfinished) => (unfinished.begun.as_deref(), Some(word(&unfinished.error))),
    };
    let status = answer.map(|answer| answer.status.as_u16());
    Tried {
        succeeded: error.is_none() && status.is_some_and(is_success),
        error,
        status,
        request_headers,
        request_body,
        response_headers: answer.map(|answer| first_headers(&answer.headers)),
        response_body: answer.map(|answer| readable(&answer.body, BODY_TOLD_BYTES_MAX)),
    }
}

fn word(error: &OutboundError) -> &'static str {
    match error {
        OutboundError::BlockedAddress | OutboundError::BlockedPort(_) => BLOCKED,
        other => other.code(),
    }
}

fn first_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let mut left = HEADERS_TOLD_BYTES_MAX;
    let mut first = Vec::new();
    for (name, value) in headers {
        // As it is told: a byte that is no text takes three.
        let value = readable(value.as_bytes(), HEADERS_TOLD_BYTES_MAX);
        let size = name.as_str().len() + value.len();
        let Some(rest) = left.checked_sub(size) else {
            break;
        };
        left = rest;
        first.push((name.to_string(), value));
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_answer_two_kilobytes_are_told_at_most() {
        let mut headers = HeaderMap::new();
        for number in 0..100 {
            let name = format!("x-{number}").parse::<http::HeaderName>();
            let no_text = http::HeaderValue::from_bytes(&[0xff; 60]);
            headers.insert(name.unwrap(), no_text.unwrap());
        }
        let answer = Answer {
            status: http::StatusCode::IM_A_TEAPOT,
            headers,
            body: vec![b'x'; 16_000].into(),
            truncated: true,
        };
        let tried = told(&Ok(answer), Vec::new(), String::new());
        let headers = tried.response_headers.unwrap();
        let size: usize = headers.iter().map(|(n, v)| n.len() + v.len()).sum();
        assert!(!headers.is_empty());
        assert!(size + tried.response_body.unwrap().len() <= 2_048);
        assert_eq!((tried.succeeded, tried.status), (false, Some(418)));
    }

    #[test]
    fn no_word_shows_an_address() {
        for (error, expected) in [
            (OutboundError::BlockedAddress, "blocked_address"),
            (OutboundError::BlockedPort(22), "blocked_address"),
            (OutboundError::Connect("10.0.0.1 refused".into()), "connect"),
        ] {
            let tried = told(&Err(error.into()), Vec::new(), String::new());
            assert_eq!(tried.error, Some(expected));
            assert_eq!((tried.succeeded, tried.status), (false, None));
        }
    }
}
