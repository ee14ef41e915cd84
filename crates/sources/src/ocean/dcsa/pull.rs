//! Asking a carrier: one question, all pages of the answer, as they came.
//!
//! Nothing is read here that the questions themselves do not need. The bytes are stored first and parsed
//! afterwards, so a page is given back as it is, once it is sure that it is an answer: the right status,
//! JSON by its own word and by its first letter, and whole. A page that says less than it should (an error
//! page, a page cut short, a page in HTML) fails the whole question: taken for an answer, it would look as
//! if the carrier had withdrawn what it said before.
//!
//! The way to the next page is an address that the carrier sends. It is followed only on the configured
//! host, as it is asked with our credentials.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use domain::tracking_request::NumberKind;
use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use http_body_util::Full;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::answer::{Payload, PullFailure, check_status, payload, unreachable};
use super::profile::Profile;
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

/// What a carrier is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// What kind of number.
    pub kind: NumberKind,
    /// The number.
    pub number: String,
}

/// Asks one carrier. Clones share the token.
#[derive(Clone, Debug)]
pub struct Puller {
    outbound: Outbound,
    profile: Arc<Profile>,
    secrets: Secrets,
    tokens: Arc<TokenCache>,
}

impl Puller {
    /// For one source.
    pub fn new(outbound: Outbound, profile: Profile, secrets: Secrets) -> Self {
        Self {
            outbound,
            profile: Arc::new(profile),
            secrets,
            tokens: Arc::default(),
        }
    }

    /// The profile it works by.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Asks for everything the carrier knows about a number. An empty list is an answer.
    pub async fn pull(
        &self,
        question: &Question,
        now: Timestamp,
    ) -> Result<Vec<Payload>, PullFailure> {
        let mut pages = Vec::new();
        let mut next = Some(self.first_page(question)?);
        while let Some(url) = next.take() {
            let answer = self.page(&url, now).await?;
            if answer.status == StatusCode::NOT_FOUND && !pages.is_empty() {
                break; // the list ended with the page before
            }
            check_status(&answer, now)?;
            next = self.next_page(&url, &answer.headers)?;
            pages.push(payload(question, pages.len() + 1, &answer)?);
            if pages.len() >= self.profile.endpoint.pages_max as usize && next.is_some() {
                let reason = format!("it has more than {} pages", pages.len());
                return Err(PullFailure::Unreadable(reason));
            }
        }
        Ok(pages)
    }

    /// One page; a refused token is replaced once.
    async fn page(&self, url: &Url, now: Timestamp) -> Result<Answer, PullFailure> {
        let token = self.token(None, now).await?;
        let answer = self.send(url, token.as_ref()).await?;
        if answer.status != StatusCode::UNAUTHORIZED || token.is_none() {
            return Ok(answer);
        }
        let fresh = self.token(token.as_ref(), now).await?;
        self.send(url, fresh.as_ref()).await
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

    async fn send(&self, url: &Url, token: Option<&Token>) -> Result<Answer, PullFailure> {
        let request = self.request(url, token)?;
        self.outbound
            .send(request, Limits::FEED)
            .await
            .map_err(|e| unreachable(&e))
    }

    fn request(
        &self,
        url: &Url,
        token: Option<&Token>,
    ) -> Result<Request<Full<Bytes>>, PullFailure> {
        let mut request = Request::get(url.as_str())
            .body(Full::default())
            .map_err(|e| PullFailure::Unreadable(format!("the request cannot be built: {e}")))?;
        let headers = request.headers_mut();
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
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
        Ok(request)
    }

    fn first_page(&self, question: &Question) -> Result<Url, PullFailure> {
        let profile = &*self.profile;
        let parameter = profile
            .numbers
            .parameter(question.kind)
            .ok_or(PullFailure::InvalidNumber)?;
        let number = profile.number_as_asked(question);
        let in_path = profile.endpoint.path.contains("{number}");
        let encoded: String = url::form_urlencoded::byte_serialize(number.as_bytes()).collect();
        let path = profile
            .endpoint
            .path
            .replace("{number}", &encoded.replace('+', "%20"));
        let base = profile.endpoint.base.as_str().trim_end_matches('/');
        let mut url = Url::parse(&format!("{base}{path}"))
            .map_err(|e| PullFailure::Unreadable(format!("the source's address is wrong: {e}")))?;
        {
            let mut query = url.query_pairs_mut();
            if !in_path {
                query.append_pair(parameter, &number);
            }
            for (name, value) in &profile.endpoint.query {
                query.append_pair(name, value);
            }
            if let Some(size) = profile.endpoint.page_size {
                query.append_pair("limit", &size.to_string());
            }
        }
        if url.query() == Some("") {
            url.set_query(None);
        }
        Ok(url)
    }

    /// The next page by the header that names it. A full link must lead to the configured host.
    fn next_page(&self, here: &Url, headers: &HeaderMap) -> Result<Option<Url>, PullFailure> {
        let Some(link) = headers.get("next-page") else {
            return Ok(None);
        };
        let link = link
            .to_str()
            .unwrap_or_default()
            .trim()
            .trim_matches(['<', '>']);
        if link.is_empty() {
            return Ok(None);
        }
        let wrong = |why: &str| PullFailure::Unreadable(format!("its next page {why}"));
        let next = here
            .join(link)
            .map_err(|_| wrong("has no readable address"))?;
        let host = |url: &Url| {
            (
                url.scheme().to_owned(),
                url.host_str().map(str::to_owned),
                url.port_or_known_default(),
            )
        };
        if host(&next) != host(&self.profile.endpoint.base) {
            return Err(wrong("is on another host"));
        }
        if next == *here {
            return Err(wrong("is the same page"));
        }
        Ok(Some(next))
    }
}

impl Profile {
    /// The number as this carrier wants to see it.
    fn number_as_asked(&self, question: &Question) -> String {
        let number = question.number.trim();
        if question.kind != NumberKind::BillOfLading {
            return number.to_owned();
        }
        let mut cut = self.numbers.bill_prefixes_cut.iter();
        let bare = cut.find_map(|prefix| number.strip_prefix(prefix.as_str()));
        bare.filter(|bare| !bare.is_empty())
            .unwrap_or(number)
            .to_owned()
    }
}

fn plain(text: &str) -> Result<HeaderValue, PullFailure> {
    HeaderValue::try_from(text).map_err(|e| PullFailure::Unreadable(e.to_string()))
}

fn hidden(text: &str) -> Result<HeaderValue, PullFailure> {
    let mut value = plain(text)?;
    value.set_sensitive(true);
    Ok(value)
}
