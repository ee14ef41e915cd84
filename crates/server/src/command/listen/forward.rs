//! The program beside us: one POST with the headers and bytes of a real delivery.

use anyhow::Result;
use bytes::Bytes;
use domain::webhook::is_success;
use http::header::RETRY_AFTER;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};
use http_body_util::Full;
use serde_json::{Value, json};
use sources::outbound::{Answer, Limits, Outbound, OutboundError, Stage, Unfinished};

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

/// An address of HTTP. The error says what is wrong with it.
pub fn target(url: &str) -> Result<Uri, String> {
    let parsed = url.parse::<Uri>().ok();
    let of_http = parsed.filter(|target| {
        matches!(target.scheme_str(), Some("http" | "https")) && target.host().is_some()
    });
    let target =
        of_http.ok_or_else(|| "it is no address such as http://localhost:3000/hook".to_owned())?;
    let place = target.authority().map_or("", Authority::as_str);
    if place.contains('@') {
        return Err("an address here has no user name or password".to_owned());
    }
    // The library takes any digits there, and what is no port for none.
    let behind_host = place.strip_prefix(target.host().unwrap_or_default());
    let port = behind_host.and_then(|rest| rest.strip_prefix(':'));
    if port.is_some_and(|port| !matches!(port.parse::<u16>(), Ok(1..))) {
        return Err("ports are 1 to 65535".to_owned());
    }
    Ok(target)
}

/// What came of an answer.
#[derive(Clone, Debug)]
pub struct Came {
    pub status: u16,
    headers: String,
    body: String,
}

#[cfg(test)]
impl Came {
    pub fn of_status(status: u16) -> Self {
        Self {
            status,
            headers: String::new(),
            body: String::new(),
        }
    }
}

/// How it went.
#[derive(Clone, Debug)]
pub enum Handed {
    /// An answer.
    Answered(Came),
    /// An answer that would have been a success, of more than is read.
    TooLong(Came),
    /// There is nobody to hand it to; it is shown.
    Shown,
    /// No whole answer in time.
    TimedOut(Option<Came>),
    /// The connection broke before the end of an answer.
    Broken(Option<Came>),
    /// Nobody took the connection: nothing was tried.
    Away(OutboundError),
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
        let Unfinished { error, begun } =
            match self.outbound.attempt(request, Limits::DELIVERY).await {
                Ok(answer) if answer.truncated && is_success(answer.status.as_u16()) => {
                    return Handed::TooLong(came(&answer));
                }
                Ok(answer) => return Handed::Answered(came(&answer)),
                Err(unfinished) => unfinished,
            };
        let begun = begun.as_deref().map(came);
        match error {
            OutboundError::Timeout(Stage::Head | Stage::Whole) => Handed::TimedOut(begun),
            OutboundError::Protocol(_) => Handed::Broken(begun),
            other => Handed::Away(other),
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

fn came(answer: &Answer) -> Came {
    // What is too long is cut, and the service acts on this one.
    let (first, rest): (Vec<_>, Vec<_>) = answer
        .headers
        .iter()
        .partition(|(name, _)| *name == RETRY_AFTER);
    let lines = first.into_iter().chain(rest).map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        format!("{name}: {value}\n")
    });
    Came {
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
        let ending = match self {
            Self::Answered(_) => "answered",
            Self::TooLong(_) => "too_long",
            Self::Shown => "shown",
            Self::TimedOut(_) => "timed_out",
            Self::Broken(_) => "broken",
            Self::Away(_) => "given_back",
        };
        match self.came() {
            Some(came) => json!({"ending": ending, "status": came.status,
                "response_headers": came.headers, "response_body": came.body}),
            None => json!({"ending": ending}),
        }
    }

    /// Whether the program has taken it, or somebody has seen it.
    pub fn is_accepted(&self) -> bool {
        match self {
            Self::Answered(came) => is_success(came.status),
            Self::Shown => true,
            Self::TooLong(_) | Self::TimedOut(_) | Self::Broken(_) | Self::Away(_) => false,
        }
    }

    /// What came of an answer, to its end or not.
    pub fn came(&self) -> Option<&Came> {
        match self {
            Self::Answered(came) | Self::TooLong(came) => Some(came),
            Self::TimedOut(begun) | Self::Broken(begun) => begun.as_ref(),
            Self::Shown | Self::Away(_) => None,
        }
    }

    /// Why there is no answer of use, in the word that the record of the attempt has for it.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Answered(_) => None,
            Self::TooLong(_) => Some("answer_too_long"),
            Self::Shown => Some("shown"),
            Self::TimedOut(_) => Some("timeout"),
            Self::Broken(_) => Some("protocol"),
            Self::Away(error) => Some(error.code()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::time::Duration;

    use super::*;

    /// A machine that sleeps, or a firewall that drops: what waits for it must not be used up. No time passes but the timers'.
    #[tokio::test(start_paused = true)]
    async fn where_nobody_takes_the_connection_in_time_nothing_was_tried() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}/hook", silent.local_addr().unwrap());
        let delivery = Taken {
            id: "1".into(),
            claim: 1,
            attempt: 1,
            headers: Vec::new(),
            body: "{}".into(),
            lease: Duration::from_secs(30),
        };
        let handed = Forward::to(&url).unwrap().send(&delivery).await;
        assert!(matches!(handed, Handed::Away(_)), "{handed:?}");
    }
}
