//! Asking a carrier.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::tracking_request::NumberKind;
use jiff::Timestamp;
use secrecy::SecretString;

use super::profile::Profile;
use crate::outbound::Outbound;

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
}

/// What a carrier is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// What kind of number.
    pub kind: NumberKind,
    /// The number.
    pub number: String,
}

/// One page of the answer, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// What was asked, page included: two answers with the same text here answer the same question.
    pub question: String,
    /// `Content-Type` as sent.
    pub content_type: String,
    /// The body.
    pub bytes: Vec<u8>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PullFailure {
    /// The carrier does not know the number.
    #[error("the carrier does not know the number")]
    NotFound,
    /// The carrier rejects the number's form.
    #[error("the carrier rejects the form of the number")]
    InvalidNumber,
    /// The carrier withholds the data.
    #[error("the carrier withholds the data")]
    DataUnavailable,
    /// Our credentials are not accepted.
    #[error("the carrier does not accept our credentials")]
    Unauthorized,
    /// Too many questions.
    #[error("the carrier asks us to wait")]
    Throttled {
        /// For how long, when it says so.
        retry_after: Option<Duration>,
    },
    /// No answer, or one that says that the carrier is out of order.
    #[error("the carrier could not be reached: {0}")]
    Unreachable(String),
    /// An answer that is not what was asked for.
    #[error("the carrier's answer cannot be read: {0}")]
    Unreadable(String),
}

/// Asks one carrier.
#[derive(Clone, Debug)]
pub struct Puller {
    outbound: Outbound,
    profile: Profile,
    secrets: Secrets,
}

impl Puller {
    /// For one source.
    pub fn new(outbound: Outbound, profile: Profile, secrets: Secrets) -> Self {
        Self {
            outbound,
            profile,
            secrets,
        }
    }

    /// The profile it works by.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Asks for everything the carrier knows about a number.
    pub async fn pull(
        &self,
        question: &Question,
        now: Timestamp,
    ) -> Result<Vec<Payload>, PullFailure> {
        let _ = (question, now, &self.outbound, &self.secrets);
        Err(PullFailure::Unreachable("not written yet".into()))
    }
}
