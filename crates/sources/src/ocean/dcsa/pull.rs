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

use std::sync::Arc;

use domain::tracking_request::NumberKind;
use http::{HeaderMap, Method, StatusCode};
use jiff::{SignedDuration, Timestamp};
use url::Url;

use super::answer::{Payload, PullFailure, check_status, page};
use super::caller::{Call, Caller, Manner, Secrets};
use super::profile::Profile;
use crate::outbound::Outbound;

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
    caller: Caller,
    profile: Arc<Profile>,
}

impl Puller {
    /// For one source.
    pub fn new(outbound: Outbound, profile: Profile, secrets: Secrets) -> Self {
        Self {
            caller: Caller::new(outbound, Manner::of(&profile), secrets),
            profile: Arc::new(profile),
        }
    }

    /// The profile it works by.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// What a carrier sends by itself is subscribed to with the same credentials.
    pub(super) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// An address below the base; `path` begins with a slash.
    pub(super) fn address(&self, path: &str) -> Result<Url, PullFailure> {
        let base = self.profile.endpoint.base.as_str().trim_end_matches('/');
        Url::parse(&format!("{base}{path}"))
            .map_err(|e| PullFailure::Unreadable(format!("the source's address is wrong: {e}")))
    }

    /// Asks for everything the carrier knows about a number. An empty list is an answer.
    pub async fn pull(
        &self,
        question: &Question,
        now: Timestamp,
    ) -> Result<Vec<Payload>, PullFailure> {
        self.pull_since(question, None, now).await
    }

    /// Asks for what the carrier wrote since `newest`, up to which everything about this number is known, less the
    /// profile's overlap. Where the profile does not ask this way, or nothing is known yet, everything is
    /// asked for.
    pub async fn pull_since(
        &self,
        question: &Question,
        newest: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Vec<Payload>, PullFailure> {
        let mut pages = Vec::new();
        let mut next = Some(self.first_page(question, newest)?);
        while let Some(url) = next.take() {
            let call = Call {
                method: Method::GET,
                url: &url,
                body: None,
                headers: &[],
            };
            let answer = self.caller.call(&call, now).await?;
            let nothing = matches!(
                answer.status,
                StatusCode::NOT_FOUND | StatusCode::NO_CONTENT
            );
            if nothing && !pages.is_empty() {
                break; // the list ended with the page before
            }
            check_status(&answer, now).map_err(|failure| of_later_page(failure, pages.len()))?;
            next = self.next_page(&url, &answer.headers)?;
            pages.push(page(question, pages.len() + 1, &answer)?);
            if pages.len() >= self.profile().endpoint.pages_max as usize && next.is_some() {
                let reason = format!("it has more than {} pages", pages.len());
                return Err(PullFailure::Unreadable(reason));
            }
        }
        Ok(pages)
    }

    fn first_page(
        &self,
        question: &Question,
        newest: Option<Timestamp>,
    ) -> Result<Url, PullFailure> {
        let profile = self.profile();
        let parameter = profile
            .numbers
            .parameter(question.kind)
            .ok_or(PullFailure::NotAsked)?;
        let number = profile.number_as_asked(question);
        let in_path = profile.endpoint.path.contains("{number}");
        let encoded: String = url::form_urlencoded::byte_serialize(number.as_bytes()).collect();
        let path = profile
            .endpoint
            .path
            .replace("{number}", &encoded.replace('+', "%20"));
        let mut url = self.address(&path)?;
        {
            let mut query = url.query_pairs_mut();
            if !in_path {
                query.append_pair(parameter, &number);
            }
            let beside = profile.numbers.beside(question.kind);
            query.extend_pairs(beside.iter().chain(&profile.endpoint.query));
            if let Some(size) = profile.endpoint.page_size {
                query.append_pair("limit", &size.to_string());
            }
            if let (Some(since), Some(newest)) = (&profile.endpoint.incremental, newest) {
                let overlap = SignedDuration::try_from(since.overlap).unwrap_or_default();
                let least = newest.saturating_sub(overlap).unwrap_or(newest);
                query.append_pair(&since.parameter, &format!("{least:.0}"));
            }
        }
        if url.query() == Some("") {
            url.set_query(None);
        }
        Ok(url)
    }

    /// The next page by the header that names it: a link (version 2 and the beta of 3), or a cursor that goes
    /// with the question as it was. A full link must lead to the configured host.
    pub(super) fn next_page(
        &self,
        here: &Url,
        headers: &HeaderMap,
    ) -> Result<Option<Url>, PullFailure> {
        let named = |name: &str| {
            let text = headers.get(name)?.to_str().unwrap_or_default().trim();
            (!text.is_empty()).then_some(text)
        };
        let wrong = |why: &str| PullFailure::Unreadable(format!("its next page {why}"));
        let next = if let Some(cursor) = named("next-page-cursor") {
            with_cursor(here, cursor)
        } else if let Some(link) = named("next-page") {
            here.join(link.trim_matches(['<', '>']))
                .map_err(|_| wrong("has no readable address"))?
        } else {
            return Ok(None);
        };
        let host = |url: &Url| {
            (
                url.scheme().to_owned(),
                url.host_str().map(str::to_owned),
                url.port_or_known_default(),
            )
        };
        if host(&next) != host(&self.profile().endpoint.base) {
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
    pub(super) fn number_as_asked(&self, question: &Question) -> String {
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

/// A number of which one page came is not called invalid by the next: its cursor is.
fn of_later_page(failure: PullFailure, pages: usize) -> PullFailure {
    match failure {
        PullFailure::InvalidNumber(_) if pages > 0 => {
            PullFailure::Unreadable(format!("it refuses its own page {}", pages + 1))
        }
        failure => failure,
    }
}

/// The same question from the cursor on.
fn with_cursor(here: &Url, cursor: &str) -> Url {
    const PARAMETER: &str = "cursor";
    let mut next = here.clone();
    let others: Vec<(String, String)> = here
        .query_pairs()
        .filter(|(name, _)| name != PARAMETER)
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    next.query_pairs_mut()
        .clear()
        .extend_pairs(others)
        .append_pair(PARAMETER, cursor);
    next
}
