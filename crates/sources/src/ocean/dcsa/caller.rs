//! Calling one carrier: credentials, the request, and a refused token replaced once. What is asked and what an
//! answer means is the business of the callers ([`pull`](super::pull), [`push`](super::push)).

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, StatusCode, header};
use http_body_util::Full;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::answer::{PullFailure, unreachable};
use super::profile::Profile;
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
        self.0.get(name).ok_or_else(|| {
            tracing::warn!(secret = name, "a source has no such secret");
            PullFailure::Unauthorized
        })
    }
}

/// Calls one carrier. Clones share the token.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    outbound: Outbound,
    pub(super) profile: Arc<Profile>,
    secrets: Secrets,
    tokens: Arc<TokenCache>,
    signer: Arc<Signer>,
}

/// One request before credentials.
pub(super) struct Call<'a> {
    pub(super) method: Method,
    pub(super) url: &'a Url,
    /// JSON, when there is a body.
    pub(super) body: Option<Bytes>,
}

impl Caller {
    pub(super) fn new(outbound: Outbound, profile: Profile, secrets: Secrets) -> Self {
        Self {
            outbound,
            profile: Arc::new(profile),
            secrets,
            tokens: Arc::default(),
            signer: Arc::default(),
        }
    }

    /// Sends it; a refused token is replaced once.
    pub(super) async fn call(
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

    /// An address below the base; `path` begins with a slash.
    pub(super) fn address(&self, path: &str) -> Result<Url, PullFailure> {
        let base = self.profile.endpoint.base.as_str().trim_end_matches('/');
        Url::parse(&format!("{base}{path}"))
            .map_err(|e| PullFailure::Unreadable(format!("the source's address is wrong: {e}")))
    }

    async fn token(
        &self,
        refused: Option<&Token>,
        now: Timestamp,
    ) -> Result<Option<Token>, PullFailure> {
        let Some(grant) = &self.profile.auth.token else {
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
        let endpoint = &self.profile.endpoint;
        if let Some(version) = &endpoint.api_version {
            headers.insert("api-version", plain(version)?);
        }
        for (name, value) in &endpoint.headers {
            headers.insert(name, value.clone());
        }
        for (name, secret) in &self.profile.auth.headers {
            headers.insert(name, hidden(self.secrets.get(secret)?.expose_secret())?);
        }
        if let Some(token) = token {
            let bearer = format!("Bearer {}", token.text.expose_secret());
            headers.insert(header::AUTHORIZATION, hidden(&bearer)?);
        }
        if let Some(rule) = &self.profile.auth.signature {
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
