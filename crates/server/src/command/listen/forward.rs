//! The program beside us: one POST with the headers and bytes of a real delivery.

use anyhow::Result;
use bytes::Bytes;
use domain::webhook::is_success;
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};
use http_body_util::Full;
use serde_json::{Value, json};
use sources::outbound::{Answer, Limits, Outbound, OutboundError};

use super::desk::Taken;
use crate::command::client::anywhere;

/// Bytes of an answer that are told to the service.
const TOLD_BYTES_MAX: usize = 2_048;

/// Where deliveries go.
#[derive(Clone)]
pub struct Forward {
    outbound: Outbound,
    target: Uri,
}

/// An address of HTTP. The error says what one looks like.
pub fn target(url: &str) -> Result<Uri, String> {
    let parsed = url.parse::<Uri>().ok();
    let of_http = parsed.filter(|target| {
        matches!(target.scheme_str(), Some("http" | "https")) && target.host().is_some()
    });
    of_http.ok_or_else(|| "it is no address such as http://localhost:3000/hook".to_owned())
}

/// How it went.
#[derive(Debug)]
pub enum Handed {
    /// An answer.
    Answered {
        status: u16,
        headers: String,
        body: String,
    },
    /// There is nobody to hand it to; it is shown.
    Shown,
    /// No answer in time.
    TimedOut,
    /// The connection broke before there was an answer.
    Broken(String),
    /// Nobody took the connection: nothing was tried.
    Away(String),
}

impl Forward {
    /// Forwards to this address, wherever its user says it is.
    pub fn to(url: &str) -> Result<Self> {
        let target = target(url).map_err(anyhow::Error::msg)?;
        let outbound = Outbound::new(anywhere()?)?;
        Ok(Self { outbound, target })
    }

    /// Hands one over.
    pub async fn send(&self, delivery: &Taken) -> Handed {
        let mut request = Request::new(Full::new(Bytes::from(delivery.body.clone())));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.target.clone();
        *request.headers_mut() = headers(delivery);
        match self.outbound.send(request, Limits::DELIVERY).await {
            Ok(answer) if answer.truncated && is_success(answer.status.as_u16()) => {
                Handed::Broken("it answered more than is read".into())
            }
            Ok(answer) => answered(&answer),
            Err(OutboundError::Timeout(_)) => Handed::TimedOut,
            Err(OutboundError::Protocol(why)) => Handed::Broken(why),
            Err(OutboundError::Connect(why)) => Handed::Away(why),
            Err(other) => Handed::Away(other.to_string()),
        }
    }
}

fn headers(delivery: &Taken) -> HeaderMap {
    let named = delivery.headers.iter().filter_map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_str(value).ok()?))
    });
    named.collect()
}

fn answered(answer: &Answer) -> Handed {
    // What is too long is cut, and the service acts on this one.
    let (first, rest): (Vec<_>, Vec<_>) = answer
        .headers
        .iter()
        .partition(|(name, _)| *name == RETRY_AFTER);
    let lines = first.into_iter().chain(rest).map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        format!("{name}: {value}\n")
    });
    Handed::Answered {
        status: answer.status.as_u16(),
        headers: told(lines.collect::<String>().as_bytes()),
        body: told(&answer.body),
    }
}

/// The first of it, as text that a document can hold.
fn told(bytes: &[u8]) -> String {
    let kept = bytes.get(..TOLD_BYTES_MAX).unwrap_or(bytes);
    String::from_utf8_lossy(kept).replace('\0', "\\u{0}")
}

impl Handed {
    /// As the service wants to hear it.
    pub fn told(&self) -> Value {
        match self {
            Self::Answered {
                status,
                headers,
                body,
            } => json!({"ending": "answered", "status": status,
                "response_headers": headers, "response_body": body}),
            Self::Shown => json!({"ending": "shown"}),
            Self::TimedOut => json!({"ending": "timed_out"}),
            Self::Broken(_) => json!({"ending": "broken"}),
            Self::Away(_) => json!({"ending": "given_back"}),
        }
    }
}
