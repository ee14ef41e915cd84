//! A client of the API: the demo, `track` and `listen` call over HTTP, as anybody would.

use std::net::SocketAddr;

use anyhow::{Context as _, Result, bail};
use domain::tracking_request::NumberKind;
use http::{Method, Request, header};
use http_body_util::Full;
use serde_json::{Value, json};
use simulator::Bill;
use sources::outbound::{EgressSettings, Limits, Network, Outbound};

/// Calls one API with one key.
#[derive(Clone)]
pub struct Client {
    outbound: Outbound,
    base: String,
    key: String,
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
            bail!("{path} answered {status}: {document}");
        }
        Ok(document)
    }

    /// Sends a document, whatever the answer is.
    pub async fn send(&self, method: Method, path: &str, body: String) -> Result<(u16, Value)> {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header(header::AUTHORIZATION, format!("Token {}", self.key))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(body.into()))?;
        let limits = Limits {
            body_bytes_max: 16 * 1024 * 1024,
            ..Limits::FEED
        };
        let answer = self.outbound.send(request, limits).await?;
        let document: Value = serde_json::from_slice(&answer.body)
            .with_context(|| format!("{path} answered {} and no JSON", answer.status))?;
        Ok((answer.status.as_u16(), document))
    }
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
