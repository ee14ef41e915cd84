//! A client of the API: the demo, `track` and `listen` call over HTTP, as anybody would.
//!
//! An account's minute may be used up, by this command or by another with a key of the same account. The service then
//! says when to come again, and such a call did nothing: so it is waited for and made again.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Error, Result, anyhow, bail};
use domain::tracking_request::NumberKind;
use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::Full;
use serde_json::{Value, json};
use simulator::Bill;
use sources::outbound::{Answer, EgressSettings, Limits, Network, Outbound};
use tokio::time::Instant;

use super::document::{list, text};
use super::pipe;

/// The longest answer: deliveries for a listener, with what they include.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How often one call is made again because the service asks to wait, and how long each time at most.
const WAITS_MAX: u32 = 10;
const WAIT_MAX: Duration = Duration::from_mins(2);
/// The wait where the service does not say how long.
const WAIT_UNTOLD: Duration = Duration::from_secs(10);

/// Calls one API with one key.
#[derive(Clone)]
pub struct Client {
    outbound: Outbound,
    base: String,
    key: String,
    /// Until when its user knows that calls wait: many calls that wait together are told of once.
    told_until: Arc<Mutex<Option<Instant>>>,
}

impl Client {
    /// A client of the API at `address`.
    pub fn new(address: SocketAddr, key: String) -> Result<Self> {
        let loopback = vec!["127.0.0.0/8".parse()?, "::1/128".parse()?];
        Self::within(format!("http://{address}/v2"), key, reaching(loopback))
    }

    /// A client of the API at `base`, wherever its user says it is.
    pub fn anywhere(base: String, key: String) -> Result<Self> {
        Self::within(base, key, anywhere()?)
    }

    fn within(base: String, key: String, egress: EgressSettings) -> Result<Self> {
        Ok(Self {
            outbound: Outbound::new(egress)?,
            base,
            key,
            told_until: Arc::default(),
        })
    }

    /// Where it calls, with `/v2`.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Its key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Asks for a number to be tracked.
    pub async fn track(&self, bill: &Bill, scac: &str) -> Result<()> {
        let kind = match bill.kind {
            NumberKind::BillOfLading => "bill_of_lading",
            NumberKind::Booking => "booking_number",
            NumberKind::Container => "container",
        };
        let body = json!({ "data": { "type": "tracking_request", "attributes": {
            "request_type": kind, "request_number": bill.number, "scac": scac } } });
        self.post("/tracking_requests", &body).await.map(|_| ())
    }

    /// POSTs a document; anything but 201 is an error.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.call(Method::POST, path, body.to_string(), 201).await
    }

    /// GETs a document; anything but 200 is an error.
    pub async fn get(&self, path: &str) -> Result<Value> {
        self.call(Method::GET, path, String::new(), 200).await
    }

    async fn call(&self, method: Method, path: &str, body: String, wanted: u16) -> Result<Value> {
        let (status, document) = self.send(method, path, body).await?;
        if status != wanted {
            return Err(unexpected(path, status, &document));
        }
        Ok(document)
    }

    /// Sends a document, whatever the answer is; when the answer is to wait, it is sent again.
    pub async fn send(&self, method: Method, path: &str, body: String) -> Result<(u16, Value)> {
        let mut waits = 0;
        let answer = loop {
            let answer = self.send_once(&method, path, body.clone()).await?;
            if answer.status != StatusCode::TOO_MANY_REQUESTS || waits == WAITS_MAX {
                break answer;
            }
            waits += 1;
            let wait = asked_to_wait(&answer.headers);
            self.tell_of(wait);
            tokio::time::sleep(wait).await;
        };
        let document: Value = serde_json::from_slice(&answer.body)
            .with_context(|| format!("{path} answered {} and no JSON", answer.status))?;
        Ok((answer.status.as_u16(), document))
    }

    async fn send_once(&self, method: &Method, path: &str, body: String) -> Result<Answer> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header(header::AUTHORIZATION, format!("Token {}", self.key))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(body.into()))?;
        let limits = Limits {
            body_bytes_max: ANSWER_BYTES_MAX,
            ..Limits::FEED
        };
        let answer = self.outbound.send(request, limits).await?;
        if answer.truncated {
            bail!("{path} answered more than {ANSWER_BYTES_MAX} bytes, or broke off");
        }
        Ok(answer)
    }

    /// Says that calls wait, unless that is known already.
    fn tell_of(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut told = self
            .told_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if told.is_some_and(|told| Instant::now() < told) {
            return;
        }
        *told = Some(until);
        drop(told);
        let seconds = wait.as_secs();
        pipe::note(format_args!(
            "quayside: the calls of this minute are used up; going on in {seconds} s"
        ));
    }
}

/// What to say of an answer that is none of those hoped for.
pub fn unexpected(path: &str, status: u16, document: &Value) -> Error {
    let said = said(document).unwrap_or_else(|| document.to_string());
    anyhow!("{path} answered {status}: {said}")
}

/// What a document says is wrong, if it does.
pub fn said(document: &Value) -> Option<String> {
    let faults = list(document, "/errors").iter();
    let said: Vec<String> = faults.filter_map(|fault| text(fault, "/detail")).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// How long the service asks to wait, within our bounds.
fn asked_to_wait(headers: &HeaderMap) -> Duration {
    let told = headers.get(header::RETRY_AFTER);
    let seconds = told.and_then(|told| told.to_str().ok()?.trim().parse().ok());
    let wait = seconds.map_or(WAIT_UNTOLD, Duration::from_secs);
    wait.clamp(Duration::from_secs(1), WAIT_MAX)
}

/// What somebody who types a command may reach: every network, over http too. It is their machine.
pub fn anywhere() -> Result<EgressSettings> {
    Ok(reaching(vec!["0.0.0.0/0".parse()?, "::/0".parse()?]))
}

fn reaching(allow_networks: Vec<Network>) -> EgressSettings {
    EgressSettings {
        allow_http: true,
        allow_networks,
        ..EgressSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_as_long_as_the_service_asks_and_bounded() {
        let asked = |told: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RETRY_AFTER, told.parse().unwrap());
            asked_to_wait(&headers).as_secs()
        };
        let cases = [("12", 12), ("0", 1), ("86400", 120), ("Mon, 23 Nov", 10)];
        for (told, seconds) in cases {
            assert_eq!(asked(told), seconds, "{told}");
        }
        assert_eq!(asked_to_wait(&HeaderMap::new()), WAIT_UNTOLD);
    }
}
