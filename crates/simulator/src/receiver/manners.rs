//! How the receiver answers: politely, or as badly as real ones do.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

/// A way of answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Manners {
    /// 200.
    Polite,
    /// This status so many times, then politely.
    Fail {
        /// How often.
        times: u32,
        /// With which status.
        status: u16,
        /// Seconds of `Retry-After`.
        retry_after: Option<u32>,
    },
    /// So many requests wait this long for their answer, then politely.
    Hang {
        /// How many.
        times: u32,
        /// How long.
        pause: Duration,
    },
    /// 410, for ever.
    Gone,
    /// 307 to this address, for ever.
    Redirect(String),
}

/// The answer to one arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Now(u16, Option<(header::HeaderName, String)>),
    After(Duration),
}

impl Manners {
    /// The next answer; what is limited is used up.
    pub(super) fn answer(&mut self) -> Answer {
        match self {
            Self::Fail {
                times,
                status,
                retry_after,
            } if *times > 0 => {
                *times -= 1;
                let wait = retry_after.map(|seconds| (header::RETRY_AFTER, seconds.to_string()));
                Answer::Now(*status, wait)
            }
            Self::Hang { times, pause } if *times > 0 => {
                *times -= 1;
                Answer::After(*pause)
            }
            Self::Gone => Answer::Now(410, None),
            Self::Redirect(to) => Answer::Now(307, Some((header::LOCATION, to.clone()))),
            Self::Polite | Self::Fail { .. } | Self::Hang { .. } => Answer::Now(200, None),
        }
    }
}

impl Answer {
    pub(super) fn status(&self) -> u16 {
        match self {
            Self::Now(status, _) => *status,
            Self::After(_) => 0,
        }
    }

    pub(super) async fn give(self) -> Response {
        match self {
            Self::After(pause) => {
                tokio::time::sleep(pause).await;
                status_only(StatusCode::OK)
            }
            Self::Now(status, field) => {
                let status =
                    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                let mut response = status_only(status);
                if let Some((name, value)) = field
                    && let Ok(value) = HeaderValue::try_from(value)
                {
                    response.headers_mut().insert(name, value);
                }
                response
            }
        }
    }
}

/// An answer without a body.
pub(super) fn status_only(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
