//! The access token of one source: asked for when needed, kept while good, replaced before it ends.
//!
//! A token is dropped a while before its end, because it must still be good when the carrier looks at it,
//! and its clock is not ours. One task asks at a time; the others wait for its answer and use it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderValue, Method, Request, StatusCode, header};
use http_body_util::Full;
use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use tokio::sync::Mutex;

use super::answer::{PullFailure, retry_after, unreachable};
use super::assertion;
use super::caller::{Secrets, hidden};
use super::profile::TokenGrant;
use crate::outbound::{Limits, Outbound};

/// Life of a token whose answer names none.
const LIFE_DEFAULT_SECONDS: i64 = 300;
/// A token is replaced this long before its end, or at four fifths of a short life.
const EARLY_SECONDS_MAX: i64 = 60;

/// Keeps the token of one source.
#[derive(Debug, Default)]
pub(super) struct TokenCache(Mutex<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    token: SecretString,
    good_until: Timestamp,
    serial: u64,
}

/// A token and which one it is, so that only the refused one is thrown away.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) text: SecretString,
    serial: u64,
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    #[serde(default)]
    expires_in: Option<serde_json::Value>,
}

impl TokenCache {
    /// A token that is good now. `refused` is one that the carrier would not take: it is not given again.
    pub(super) async fn token(
        &self,
        outbound: &Outbound,
        grant: &TokenGrant,
        secrets: &Secrets,
        refused: Option<&Token>,
        now: Timestamp,
    ) -> Result<Token, PullFailure> {
        let mut kept = self.0.lock().await;
        if let Some(known) = kept.as_ref() {
            let was_refused = refused.is_some_and(|token| token.serial == known.serial);
            if now < known.good_until && !was_refused {
                return Ok(known.give());
            }
        }
        let serial = kept.as_ref().map_or(0, |known| known.serial + 1);
        let asked = token_request(grant, secrets, serial, now)?;
        let granted = ask(outbound, asked, now).await?;
        let fresh = Kept {
            good_until: now.saturating_add(good_for(&granted)).unwrap_or(now),
            token: granted.access_token.into(),
            serial,
        };
        let given = fresh.give();
        *kept = Some(fresh);
        Ok(given)
    }
}

impl Kept {
    fn give(&self) -> Token {
        Token {
            text: self.token.clone(),
            serial: self.serial,
        }
    }
}

/// How long a token is used; some carriers send the seconds as a text.
fn good_for(granted: &Granted) -> SignedDuration {
    let told = granted.expires_in.as_ref().and_then(|life| match life {
        serde_json::Value::String(text) => text.trim().parse().ok(),
        number => number.as_i64(),
    });
    let life = told.unwrap_or(LIFE_DEFAULT_SECONDS).clamp(0, 86_400);
    SignedDuration::from_secs(life - EARLY_SECONDS_MAX.min(life / 5))
}

async fn ask(
    outbound: &Outbound,
    request: Request<Full<Bytes>>,
    now: Timestamp,
) -> Result<Granted, PullFailure> {
    let answer = outbound
        .send(request, Limits::FEED)
        .await
        .map_err(|e| unreachable(&e))?;
    let retry_after = retry_after(&answer.headers, now);
    match answer.status {
        StatusCode::OK | StatusCode::CREATED => serde_json::from_slice(&answer.body)
            .map_err(|_| PullFailure::Unreadable("the token answer holds no token".into())),
        StatusCode::TOO_MANY_REQUESTS => Err(PullFailure::Throttled { retry_after }),
        StatusCode::FORBIDDEN | StatusCode::SERVICE_UNAVAILABLE if retry_after.is_some() => {
            Err(PullFailure::Throttled { retry_after })
        }
        // Too slow or too early is no word on our credentials.
        status
            if status.is_server_error()
                || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY) =>
        {
            Err(PullFailure::Unreachable(format!(
                "the token endpoint answers {}",
                status.as_u16()
            )))
        }
        status if status.is_client_error() => Err(PullFailure::Unauthorized),
        status => Err(PullFailure::Unreadable(format!(
            "the token endpoint answers {}",
            status.as_u16()
        ))),
    }
}

/// Built apart from the sending: a form under construction cannot cross an await.
fn token_request(
    grant: &TokenGrant,
    secrets: &Secrets,
    serial: u64,
    now: Timestamp,
) -> Result<Request<Full<Bytes>>, PullFailure> {
    let id = secrets.get(&grant.client_id)?.expose_secret();
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("grant_type", "client_credentials");
    if let Some(scope) = &grant.scope {
        form.append_pair("scope", scope);
    }
    let mut authorization = None;
    if let Some(rule) = &grant.assertion {
        let proof = assertion::proof(rule, id, secrets, serial, now)?;
        form.append_pair("client_id", id);
        form.append_pair("client_assertion_type", assertion::KIND);
        form.append_pair("client_assertion", &proof);
    } else {
        let secret = secrets.get(&grant.client_secret)?.expose_secret();
        if grant.in_header {
            authorization = Some(basic(id, secret)?);
        } else {
            form.append_pair("client_id", id);
            form.append_pair("client_secret", secret);
        }
    }
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(grant.url.as_str())
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::ACCEPT, "application/json");
    if let Some(authorization) = authorization {
        request = request.header(header::AUTHORIZATION, authorization);
    }
    request
        .body(Full::new(Bytes::from(form.finish())))
        .map_err(|e| PullFailure::Unreadable(format!("the token request cannot be built: {e}")))
}

fn basic(id: &str, secret: &str) -> Result<HeaderValue, PullFailure> {
    hidden(&format!(
        "Basic {}",
        STANDARD.encode(format!("{id}:{secret}"))
    ))
}
