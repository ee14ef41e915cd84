//! Calling one source: credentials, the request, and a refused token replaced once. What is asked and what an
//! answer means is the business of the callers ([`pull`](super::pull), [`push`](super::push), and the asker of
//! terminals and railroads).

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, header};
use http_body_util::Full;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::answer::{PullFailure, unreachable};
use super::profile::{Auth, Profile};
use super::signature::Signer;
use super::token::{Token, TokenCache};
use crate::outbound::{Answer, Limits, Outbound};

/// The secrets of one source, by name.
#[derive(Clone, Debug, Default)]
pub struct Secrets(BTreeMap<String, SecretString>);

impl Secrets {
    /// Collects them.
    pub fn new(named: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(
            named
                .into_iter()
                .map(|(name, value)| (name, value.into()))
                .collect(),
        )
    }

    /// One that a profile names. A missing one means that nobody has set the source up.
    pub(super) fn get(&self, name: &str) -> Result<&SecretString, PullFailure> {
        let found = self.0.get(name);
        found.ok_or_else(|| PullFailure::SecretMissing(name.to_owned()))
    }
}

/// Calls one source. Clones share the token.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    outbound: Outbound,
    manner: Arc<Manner>,
    secrets: Secrets,
    tokens: Arc<TokenCache>,
    signer: Arc<Signer>,
}

/// What goes with every request to one source.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    /// How we prove who we are.
    pub(crate) auth: Auth,
    /// Header fields.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
}

impl Manner {
    /// Of an ocean carrier.
    pub(super) fn of(profile: &Profile) -> Self {
        let endpoint = &profile.endpoint;
        let version = endpoint.api_version.as_ref();
        let version = version.and_then(|version| HeaderValue::try_from(version).ok());
        let version = version.map(|version| (HeaderName::from_static("api-version"), version));
        let headers = version.into_iter().chain(endpoint.headers.iter().cloned());
        Self {
            auth: profile.auth.clone(),
            headers: headers.collect(),
        }
    }
}

/// One request before credentials.
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    pub(crate) url: &'a Url,
    /// JSON, when there is a body.
    pub(crate) body: Option<Bytes>,
    /// Header fields of this request alone.
    pub(crate) headers: &'a [(HeaderName, HeaderValue)],
}

impl Caller {
    pub(crate) fn new(outbound: Outbound, manner: Manner, secrets: Secrets) -> Self {
        Self {
            outbound,
            manner: Arc::new(manner),
            secrets,
            tokens: Arc::default(),
            signer: Arc::default(),
        }
    }

    /// Sends it; a refused token is replaced once.
    pub(crate) async fn call(
        &self,
        call: &Call<'_>,
        now: Timestamp,
    ) -> Result<Answer, PullFailure> {
        let token = self.token(None, now).await?;
        let answer = self.send(call, token.as_ref(), now).await?;
        if answer.status != StatusCode::UNAUTHORIZED || token.is_none() {
            return Ok(answer);
        }
        let fresh = self.token(token.as_ref(), now).await?;
        self.send(call, fresh.as_ref(), now).await
    }

    async fn token(
        &self,
        refused: Option<&Token>,
        now: Timestamp,
    ) -> Result<Option<Token>, PullFailure> {
        let Some(grant) = &self.manner.auth.token else {
            return Ok(None);
        };
        let token = self
            .tokens
            .token(&self.outbound, grant, &self.secrets, refused, now);
        token.await.map(Some)
    }

    async fn send(
        &self,
        call: &Call<'_>,
        token: Option<&Token>,
        now: Timestamp,
    ) -> Result<Answer, PullFailure> {
        let request = self.request(call, token, now)?;
        self.outbound
            .send(request, Limits::FEED)
            .await
            .map_err(|e| unreachable(&e))
    }

    fn request(
        &self,
        call: &Call<'_>,
        token: Option<&Token>,
        now: Timestamp,
    ) -> Result<Request<Full<Bytes>>, PullFailure> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(call.url.as_str())
            .body(Full::new(call.body.clone().unwrap_or_default()))
            .map_err(|e| PullFailure::Unreadable(format!("the request cannot be built: {e}")))?;
        let headers = request.headers_mut();
        let json = HeaderValue::from_static("application/json");
        headers.insert(header::ACCEPT, json.clone());
        if call.body.is_some() {
            headers.insert(header::CONTENT_TYPE, json);
        }
        for (name, value) in self.manner.headers.iter().chain(call.headers) {
            headers.insert(name, value.clone());
        }
        for (name, secret) in &self.manner.auth.headers {
            headers.insert(name, hidden(self.secrets.get(secret)?.expose_secret())?);
        }
        if let Some(token) = token {
            let bearer = format!("Bearer {}", token.text.expose_secret());
            headers.insert(header::AUTHORIZATION, hidden(&bearer)?);
        }
        if let Some(rule) = &self.manner.auth.signature {
            let signed = self.signer.sign(rule, &self.secrets, call, now)?;
            headers.extend(signed);
        }
        Ok(request)
    }
}

pub(super) fn plain(text: &str) -> Result<HeaderValue, PullFailure> {
    HeaderValue::try_from(text).map_err(|e| PullFailure::Unreadable(e.to_string()))
}

pub(super) fn hidden(text: &str) -> Result<HeaderValue, PullFailure> {
    let mut value = plain(text)?;
    value.set_sensitive(true);
    Ok(value)
}
