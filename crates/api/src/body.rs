//! Taking in a body: what it claims to be is judged before a byte of it is read, and it is read against a
//! length, a deadline and a slowest pace.

use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use http_body_util::BodyExt;
use jsonapi::read;
use tokio::time::{Instant, timeout_at};

use crate::failure::Failure;
use crate::settings::Settings;
use crate::upload_room::Place;

/// The whole body of an operation that takes one.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Body,
    settings: &Settings,
) -> Result<Bytes, Failure> {
    let bytes_max = settings.body_bytes_max;
    if declared(headers).is_some_and(|length| length > bytes_max as u64) {
        return Err(Failure::BodyTooLong { bytes_max });
    }
    judge_coding(headers)?;
    judge_media(headers)?;
    collect(body, settings, Bounds::of(settings), None).await
}

/// The whole body of a message that is read elsewhere: of any media type, packed or not, and longer than those
/// of operations. Its place is to be kept until the message is.
pub(crate) async fn read_long(
    headers: &HeaderMap,
    body: Body,
    settings: &Settings,
    bytes_max: usize,
    place: &mut Place,
) -> Result<Bytes, Failure> {
    let declared = declared(headers).unwrap_or_default();
    if declared > bytes_max as u64 {
        return Err(Failure::BodyTooLong { bytes_max });
    }
    let bounds = Bounds {
        bytes_expected: usize::try_from(declared).unwrap_or_default(),
        bytes_max,
        timeout: settings.upload_timeout,
    };
    collect(body, settings, bounds, Some(place)).await
}

/// A body that clients send out of habit, of any media type: taken in within the bounds, judged and dropped.
pub(crate) async fn nothing(
    headers: &HeaderMap,
    body: Body,
    settings: &Settings,
) -> Result<Bytes, Failure> {
    let bytes_max = settings.body_bytes_max;
    if declared(headers).is_some_and(|length| length > bytes_max as u64) {
        return Err(Failure::BodyTooLong { bytes_max });
    }
    let sent = collect(body, settings, Bounds::of(settings), None).await?;
    read::nothing(&sent)?;
    Ok(Bytes::new())
}

/// An operation that takes no body gets none.
pub(crate) fn refuse(headers: &HeaderMap) -> Result<(), Failure> {
    let some = declared(headers).is_some_and(|length| length > 0)
        || headers.contains_key(header::TRANSFER_ENCODING);
    if some {
        return Err(Failure::BodyTooLong { bytes_max: 0 });
    }
    Ok(())
}

fn declared(headers: &HeaderMap) -> Option<u64> {
    let length = headers.get(header::CONTENT_LENGTH)?;
    length.to_str().ok()?.parse().ok()
}

fn judge_coding(headers: &HeaderMap) -> Result<(), Failure> {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    if codings.all(|coding| coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Ok(());
    }
    Err(Failure::MediaType(
        "a body is sent without content coding".into(),
    ))
}

/// `application/json` or `application/vnd.api+json`; of parameters only `charset=utf-8`.
fn judge_media(headers: &HeaderMap) -> Result<(), Failure> {
    let given = headers
        .get(header::CONTENT_TYPE)
        .map(|value| value.to_str().unwrap_or_default().to_ascii_lowercase());
    let fits = given.as_deref().is_some_and(|given| {
        let mut parts = given.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        matches!(media, "application/json" | "application/vnd.api+json")
            && parts.all(|part| matches!(part, "charset=utf-8" | "charset=\"utf-8\""))
    });
    if fits {
        return Ok(());
    }
    Err(Failure::MediaType(
        "a body is application/json or application/vnd.api+json, without parameters other than \
         charset=utf-8"
            .into(),
    ))
}

/// How long a body may be, and take.
struct Bounds {
    /// Room is made for so many at once: what grows step by step is held twice at each. What of it does not come is never
    /// touched, and so is no memory.
    bytes_expected: usize,
    bytes_max: usize,
    timeout: Duration,
}

impl Bounds {
    fn of(settings: &Settings) -> Self {
        Self {
            bytes_expected: 0,
            bytes_max: settings.body_bytes_max,
            timeout: settings.body_timeout,
        }
    }
}

async fn collect(
    mut body: Body,
    settings: &Settings,
    bounds: Bounds,
    mut place: Option<&mut Place>,
) -> Result<Bytes, Failure> {
    let Bounds {
        bytes_expected,
        bytes_max,
        timeout,
    } = bounds;
    let started = Instant::now();
    let end = started + timeout;
    let mut collected = BytesMut::with_capacity(bytes_expected);
    loop {
        let pace = slowest(collected.len(), settings);
        let deadline = end.min(started + settings.body_grace + pace);
        let frame = timeout_at(deadline, body.frame())
            .await
            .map_err(|_| Failure::BodyTooSlow)?;
        let Some(frame) = frame else {
            return Ok(collected.freeze());
        };
        let Ok(data) = frame.map_err(|_| Failure::BodyBroken)?.into_data() else {
            continue;
        };
        if collected.len() + data.len() > bytes_max {
            return Err(Failure::BodyTooLong { bytes_max });
        }
        if let Some(place) = &mut place {
            place.grow(collected.len() + data.len())?;
        }
        collected.extend_from_slice(&data);
    }
}

/// How long what has come may have taken beyond the grace, and one more step of it.
fn slowest(bytes: usize, settings: &Settings) -> Duration {
    let seconds = bytes as u64 / settings.body_bytes_per_second_min.max(1) + 1;
    Duration::from_secs(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types() {
        let fits = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, value.parse().unwrap());
            judge_media(&headers).is_ok()
        };
        for good in [
            "application/json",
            "Application/JSON",
            "application/vnd.api+json",
            "application/json; charset=utf-8",
            "application/json;charset=UTF-8",
        ] {
            assert!(fits(good), "{good}");
        }
        for bad in [
            "text/plain",
            "application/xml",
            "application/json; charset=latin1",
            "application/vnd.api+json; ext=\"x\"",
            "application/x-www-form-urlencoded",
            "",
        ] {
            assert!(!fits(bad), "{bad}");
        }
        assert!(judge_media(&HeaderMap::new()).is_err());
    }
}
