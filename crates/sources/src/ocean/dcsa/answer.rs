//! What counts as an answer, and what the other answers mean.

use std::time::Duration;

use http::{HeaderMap, header};
use jiff::Timestamp;

use super::pull::Question;
use crate::outbound::{self, Answer, OutboundError};

/// One page of the answer, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// What was asked, page included: two answers with the same text here answer the same question.
    pub question: String,
    /// `Content-Type` as sent.
    pub content_type: String,
    /// How long the carrier says that asking again gives the same; at most [`RETRY_AFTER_MAX`].
    pub fresh_for: Option<Duration>,
    /// The body.
    pub bytes: Vec<u8>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PullFailure {
    /// The carrier does not know the number.
    #[error("the carrier does not know the number")]
    NotFound,
    /// Its profile asks about no numbers of this kind: nothing was sent.
    #[error("its profile asks about no numbers of this kind")]
    NotAsked,
    /// The carrier rejects the question: as a rule the number's form. With this status; its words may name what somebody else
    /// asked for.
    #[error("the carrier rejects the number, or the question: it answers {0}")]
    InvalidNumber(u16),
    /// The carrier withholds the data.
    #[error("the carrier withholds the data")]
    DataUnavailable,
    /// Our credentials are not accepted.
    #[error("the carrier does not accept our credentials")]
    Unauthorized,
    /// A secret that the profile names was never set.
    #[error("there is no secret {0:?} for this source; it is set under sources.secrets")]
    SecretMissing(String),
    /// Too many questions.
    #[error("the carrier asks us to wait")]
    Throttled {
        /// For how long, when it says so; at most [`RETRY_AFTER_MAX`].
        retry_after: Option<Duration>,
    },
    /// No answer, or one that says that the carrier is out of order.
    #[error("the carrier could not be reached: {0}")]
    Unreachable(String),
    /// An answer that is not what was asked for.
    #[error("the carrier's answer cannot be read: {0}")]
    Unreadable(String),
}

/// However long a carrier asks us to wait, we ask again after this.
pub const RETRY_AFTER_MAX: Duration = Duration::from_hours(1);

pub(super) fn page(
    question: &Question,
    page: usize,
    answer: &Answer,
) -> Result<Payload, PullFailure> {
    let question = format!("{}:{}#{page}", question.kind.as_str(), question.number);
    payload(question, answer)
}

/// An answer in JSON, whole, to this question.
pub(crate) fn payload(question: String, answer: &Answer) -> Result<Payload, PullFailure> {
    let wrong = |why: &str| Err(PullFailure::Unreadable(why.to_owned()));
    if answer.truncated {
        return wrong("it is longer than the limit");
    }
    let content_type = answer.headers.get(header::CONTENT_TYPE);
    let content_type = content_type
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let media_type = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    // Some gateways forget the type, or call JSON text; none of them means a page of HTML by it.
    let may_be_json = matches!(
        media_type.as_str(),
        "" | "text/plain" | "application/octet-stream"
    ) || media_type.ends_with("json");
    if !may_be_json {
        let shown: String = media_type.chars().take(60).collect();
        return wrong(&format!("it is {shown:?}"));
    }
    let body = answer
        .body
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(&answer.body);
    if !matches!(body.trim_ascii_start().first(), Some(b'[' | b'{')) {
        return wrong("it is no JSON");
    }
    Ok(Payload {
        question,
        content_type: content_type.to_owned(),
        fresh_for: fresh_for(&answer.headers),
        bytes: answer.body.to_vec(),
    })
}

/// What the status means. Of a number only the carrier itself can say something: a gateway in front of it answers with
/// the same statuses when a path is wrong, a certificate has expired or a quota is used up. It does so in a page of
/// HTML, or says when to come again.
pub(crate) fn check_status(answer: &Answer, now: Timestamp) -> Result<(), PullFailure> {
    let status = answer.status.as_u16();
    let retry_after = retry_after(&answer.headers, now);
    Err(match status {
        200 | 206 => return Ok(()),
        429 => PullFailure::Throttled { retry_after },
        403 | 503 if retry_after.is_some() => PullFailure::Throttled { retry_after },
        400 | 403 | 404 | 410 | 422 | 451 if is_page(&answer.body) => {
            PullFailure::Unreadable(format!("it answers {status} with a page of HTML"))
        }
        204 | 404 | 410 => PullFailure::NotFound,
        400 | 422 => PullFailure::InvalidNumber(status),
        401 => PullFailure::Unauthorized,
        403 | 451 => PullFailure::DataUnavailable,
        408 | 425 | 500..=599 => PullFailure::Unreachable(format!("it answers {status}")),
        _ => PullFailure::Unreadable(format!("it answers {status}")),
    })
}

/// Whether a body is for people to look at.
fn is_page(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    body.trim_ascii_start().first() == Some(&b'<')
}

/// What `Retry-After` says, never more than an hour.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?;
    let wait = outbound::retry_after(text, now)?;
    Some(wait.unsigned_abs().min(RETRY_AFTER_MAX))
}

/// `max-age` of `Cache-Control`, never more than an hour. Absent where the carrier says not to keep answers.
fn fresh_for(headers: &HeaderMap) -> Option<Duration> {
    let said = headers.get(header::CACHE_CONTROL)?.to_str().ok()?;
    let said = said.to_ascii_lowercase();
    let mut rules = said.split(',').map(str::trim);
    if rules
        .clone()
        .any(|rule| matches!(rule, "no-store" | "no-cache"))
    {
        return None;
    }
    let seconds = rules.find_map(|rule| rule.strip_prefix("max-age=")?.trim().parse().ok())?;
    Some(Duration::from_secs(seconds).min(RETRY_AFTER_MAX)).filter(|fresh| !fresh.is_zero())
}

/// A fault of the network, or of the answer.
pub(super) fn unreachable(error: &OutboundError) -> PullFailure {
    match error {
        OutboundError::Decode(_) => PullFailure::Unreadable(error.to_string()),
        _ => PullFailure::Unreachable(error.to_string()),
    }
}
