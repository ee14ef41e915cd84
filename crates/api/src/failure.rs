//! The only map from what went wrong to a status.
//!
//! A caller learns what it did wrong and nothing about our insides; the operator's log gets the rest, once,
//! here. Every item carries the request id, so that the two can be brought together.

use std::time::Duration;

use domain::account::Feature;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use jsonapi::error::{ErrorItem, document};

use tracking::once::LookFailed;
use tracking::webhooks::FetchRefused;

use crate::answer::{Answer, Media};
use crate::operation::{Bucket, Needs};

/// Why a request is not answered as it hoped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("nothing is served at {0}")]
    UnknownRoute(String),
    #[error("{method} is not served at this path")]
    MethodUnknown { method: String, allow: String },
    #[error("{why}")]
    Head { status: u16, why: &'static str },
    #[error("no key, or one that opens nothing")]
    KeyRefused,
    #[error("the key lacks a permission")]
    NotPermitted(Needs),
    #[error("the plan does not read tracking data")]
    PlanDoesNotRead,
    #[error("all {places} places of the plan are taken")]
    PlanFull { places: u32 },
    #[error("a feature is off")]
    FeatureOff(Feature),
    #[error("too many calls")]
    Throttled {
        bucket: Option<Bucket>,
        retry_after: Duration,
    },
    #[error("the body is longer than {bytes_max} bytes")]
    BodyTooLong { bytes_max: usize },
    #[error("the body came too slowly")]
    BodyTooSlow,
    #[error("the body did not arrive whole")]
    BodyBroken,
    #[error("too many messages are coming in at once; send it again")]
    UploadsFull,
    #[error(
        "too much is read at once, by this account or by all; try again, or ask for less: fewer rows, less to include"
    )]
    ReadsFull,
    #[error("the body is empty")]
    BodyEmpty,
    #[error("the body cannot be unpacked: {0}")]
    BodyPacked(String),
    #[error("the sender is not proved to be this source")]
    ProofRefused,
    #[error("{0}")]
    MediaType(String),
    #[error("no {what} {id}")]
    NotFound { what: &'static str, id: String },
    #[error("another program listens by this name now, and has what was in hand here")]
    TakenOver,
    #[error("{} faults", .0.len())]
    Refused(Vec<ErrorItem>),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Sealed(#[from] tracking::VaultError),
    #[error("Idempotency-Key is not 1 to 255 visible ASCII characters")]
    NameMalformed,
    #[error("this Idempotency-Key was used with another body")]
    NameTaken,
    #[error("a request with this Idempotency-Key is being answered; try again")]
    StillAnswering,
    #[error("the handler took too long")]
    TooSlow,
    #[error("too many connections are open")]
    Crowded,
    #[error("the sources of this container gave no answer lately and are left alone for a while")]
    SourcesPaused { retry_after: Duration },
    #[error("not ready")]
    NotReady,
    #[error("the handler panicked")]
    Panicked,
}

impl From<Vec<ErrorItem>> for Failure {
    fn from(items: Vec<ErrorItem>) -> Self {
        Self::Refused(items)
    }
}

impl From<ErrorItem> for Failure {
    fn from(item: ErrorItem) -> Self {
        Self::Refused(vec![item])
    }
}

impl From<LookFailed> for Failure {
    fn from(why: LookFailed) -> Self {
        match why {
            LookFailed::Store(error) => Self::Store(error),
            LookFailed::Vault(error) => Self::Sealed(error),
        }
    }
}

impl From<FetchRefused> for Failure {
    fn from(why: FetchRefused) -> Self {
        match why {
            FetchRefused::TakenOver => Self::TakenOver,
            FetchRefused::KeyDeleted => Self::KeyRefused,
            FetchRefused::Vault(error) => Self::Sealed(error),
            FetchRefused::Store(error) => Self::Store(error),
        }
    }
}

impl Failure {
    /// There is no such thing of this name.
    pub(crate) fn not_found(what: &'static str, id: &str) -> Self {
        let id = id.chars().filter(|c| !c.is_control()).take(64).collect();
        Self::NotFound { what, id }
    }

    /// The answer, and a line for the operator when the fault is ours.
    pub(crate) fn answer(self, request_id: &str) -> Answer {
        match &self {
            // In the store's words: the log bounds what is said while it is away.
            Self::Store(error) => tracing::error!(request_id, %error, "a request failed"),
            _ if self.is_ours() => {
                tracing::error!(request_id, error = ?self, "a request failed");
            }
            _ => {}
        }
        self.shown(request_id)
    }

    /// The answer alone: what examples are made of.
    pub(crate) fn shown(self, request_id: &str) -> Answer {
        let headers = self.headers();
        let items: Vec<ErrorItem> = self
            .items()
            .into_iter()
            .map(|item| item.meta("request_id", request_id))
            .collect();
        let status = items.first().map_or(500, |item| item.status);
        Answer {
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            media: Media::JsonApi,
            body: document(&items).into(),
            headers,
            tagged: false,
        }
    }

    fn items(self) -> Vec<ErrorItem> {
        let detail = self.to_string();
        match self {
            Self::Refused(items) => items,
            Self::UnknownRoute(_) => vec![ErrorItem::new(404, detail)],
            Self::MethodUnknown { .. } => vec![ErrorItem::new(405, detail)],
            Self::Head { status, .. } => vec![ErrorItem::new(status, detail)],
            Self::KeyRefused => vec![ErrorItem::new(401, "Invalid or missing API token.")],
            Self::NotPermitted(needs) => vec![not_permitted(needs)],
            Self::PlanDoesNotRead => vec![ErrorItem::new(403, READING_OFF)],
            Self::PlanFull { places } => vec![plan_full(places)],
            Self::FeatureOff(feature) => vec![feature_off(feature)],
            Self::Throttled { bucket, .. } => vec![ErrorItem::new(429, throttled(bucket))],
            Self::BodyTooLong { .. } => vec![ErrorItem::new(413, detail)],
            Self::BodyTooSlow => vec![ErrorItem::new(408, detail)],
            Self::MediaType(_) => vec![ErrorItem::new(415, detail)],
            Self::NotFound { what, id } => {
                vec![ErrorItem::new(404, format!("there is no {what} '{id}'"))]
            }
            Self::Store(error) => vec![stored(&error)],
            Self::BodyBroken | Self::BodyEmpty | Self::BodyPacked(_) | Self::NameMalformed => {
                vec![ErrorItem::new(400, detail)]
            }
            Self::ProofRefused => vec![ErrorItem::new(401, detail)],
            Self::NameTaken => vec![ErrorItem::new(422, detail)],
            Self::StillAnswering => vec![ErrorItem::new(409, detail)],
            Self::TakenOver => vec![ErrorItem::new(410, detail)],
            Self::TooSlow
            | Self::Crowded
            | Self::NotReady
            | Self::UploadsFull
            | Self::ReadsFull
            | Self::SourcesPaused { .. } => {
                vec![ErrorItem::new(503, detail)]
            }
            Self::Sealed(_) | Self::Panicked => {
                vec![ErrorItem::new(
                    500,
                    "the service failed to answer this request",
                )]
            }
        }
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut set = |name: HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        match self {
            Self::KeyRefused => set(header::WWW_AUTHENTICATE, "Token"),
            Self::MethodUnknown { allow, .. } => set(header::ALLOW, allow),
            Self::Throttled { retry_after, .. } | Self::SourcesPaused { retry_after } => {
                set(
                    header::RETRY_AFTER,
                    &whole_seconds(*retry_after).to_string(),
                );
            }
            Self::Head { .. } | Self::BodyTooSlow | Self::BodyTooLong { .. } => {
                set(header::CONNECTION, "close");
            }
            Self::UploadsFull => {
                set(header::RETRY_AFTER, "5");
                set(header::CONNECTION, "close");
            }
            Self::ReadsFull => set(header::RETRY_AFTER, "5"),
            Self::TooSlow | Self::Crowded | Self::NotReady | Self::StillAnswering => {
                set(header::RETRY_AFTER, "1");
            }
            Self::Store(error) if stored(error).status == 503 => set(header::RETRY_AFTER, "1"),
            _ => {}
        }
        headers
    }

    fn is_ours(&self) -> bool {
        match self {
            Self::Store(_) | Self::Sealed(_) | Self::TooSlow | Self::Panicked => true,
            Self::Refused(items) => items.iter().any(|item| item.status >= 500),
            _ => false,
        }
    }
}

/// Clients tell a missing permission from a feature that is off by these words, so the words of the latter
/// must not appear here.
fn not_permitted(needs: Needs) -> ErrorItem {
    let lacking = match needs {
        Needs::Show => "show",
        Needs::Update => "update",
    };
    let detail = format!("This API key lacks the permission '{lacking}', which this call needs.");
    ErrorItem::new(403, detail)
}

const SOURCES_OFF: &str = "Sources are shared by all accounts; changing them is not enabled for this account. Its \
     operator switches it on: quayside account set NAME --feature sources=on";

const READING_OFF: &str = "Reading tracking data is not enabled for this account's plan.";

/// Neither a missing permission nor a feature: clients go by the code.
fn plan_full(places: u32) -> ErrorItem {
    let detail = format!(
        "This account's plan tracks {places} active containers at once, and all are taken. A container \
         that was picked up makes room."
    );
    ErrorItem::new(403, detail).code("plan_limit")
}

fn feature_off(feature: Feature) -> ErrorItem {
    match feature {
        Feature::Routing => {
            ErrorItem::new(403, "Routing data feature is not enabled for this account")
        }
        Feature::Refresh => {
            ErrorItem::new(403, "This API endpoint is not enabled for your account.")
                .titled("API access not enabled")
        }
        Feature::Rail => ErrorItem::new(403, "Rail data feature is not enabled for this account"),
        Feature::Sources => ErrorItem::new(403, SOURCES_OFF),
    }
}

fn throttled(bucket: Option<Bucket>) -> String {
    match bucket {
        Some(Bucket::Create) => {
            "You've hit the create tracking requests limit. Please try again in a minute.".into()
        }
        Some(Bucket::Infer) => "Rate limit exceeded".into(),
        Some(Bucket::Refresh) => {
            "You've hit the refresh limit. Please try again in a minute.".into()
        }
        Some(Bucket::Trigger) => {
            "You've hit the test send limit. Please try again in a minute.".into()
        }
        Some(Bucket::Listen) => "Deliveries are fetched faster than this account may.".into(),
        Some(Bucket::Default | Bucket::Messages) => {
            "This account has made too many API calls in a minute.".into()
        }
        None => "Too many refused keys came from this address.".into(),
    }
}

fn stored(error: &store::Error) -> ErrorItem {
    use store::Error as E;
    match error {
        E::Unavailable(_) => ErrorItem::new(503, "the database is not available; try again"),
        E::Busy { .. } => ErrorItem::new(503, "too much work is waiting; try again"),
        E::TimedOut | E::Contended { .. } => {
            ErrorItem::new(503, "the database took too long; try again")
        }
        E::Repeated => ErrorItem::new(409, "the same request is being answered; try again"),
        E::UnknownOutcome => ErrorItem::new(
            503,
            "the outcome of this request is unknown; read before you repeat it",
        ),
        E::Conflict { .. }
        | E::Refused(_)
        | E::Poisoned
        | E::ReadOnly
        | E::Unreadable { .. }
        | E::Panicked(_) => ErrorItem::new(500, "the service failed to answer this request"),
    }
}

fn whole_seconds(duration: Duration) -> u64 {
    let started = u64::from(duration.subsec_nanos() > 0);
    (duration.as_secs() + started).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_permission_does_not_read_like_a_feature_that_is_off() {
        for needs in [Needs::Show, Needs::Update] {
            let words = not_permitted(needs).detail.to_lowercase();
            assert!(
                !words.contains("not enabled") && !words.contains("feature"),
                "{words}"
            );
        }
    }

    #[test]
    fn seconds_are_whole_and_at_least_one() {
        for (millis, seconds) in [(0, 1), (1, 1), (1_000, 1), (1_001, 2), (59_999, 60)] {
            assert_eq!(whole_seconds(Duration::from_millis(millis)), seconds);
        }
    }

    #[test]
    fn nothing_of_the_inside_reaches_a_caller() {
        let inside = "SELECT secret FROM /var/lib";
        for error in [
            store::Error::Unavailable(inside.into()),
            store::Error::Refused(inside.into()),
            store::Error::Panicked(inside.into()),
            store::Error::Conflict {
                constraint: inside.into(),
            },
            store::Error::Unreadable {
                column: inside.into(),
                found: inside.into(),
            },
        ] {
            let answer = Failure::Store(error).answer("r-1");
            let text = String::from_utf8(answer.body.to_vec()).unwrap();
            assert!(
                answer.status.is_server_error() && !text.contains("SELECT"),
                "{text}"
            );
            assert!(text.contains(r#""meta":{"request_id":"r-1"}"#), "{text}");
        }
    }
}
