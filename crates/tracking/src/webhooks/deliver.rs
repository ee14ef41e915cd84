//! Delivering: claim, send, record.
//!
//! The worker keeps at most [`IN_FLIGHT_MAX`] attempts under way. It claims what is due in one transaction
//! (which also renders and stores the bodies of first tries), lets the attempts run beside each other, and
//! writes their results in batches as they come in. Order is the store's business: a delivery is not claimable
//! while an earlier one of its endpoint and container is open.

use std::time::{Duration, Instant};

use bytes::Bytes;
use domain::webhook::{AttemptEnd, verdict};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use http_body_util::Full;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};
use sources::outbound::{Answer, Limits, OutboundError};
use store::Key;
use store::delivery::{Attempt, Claimed, Outcome};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{body, sign, subscription};
use crate::Tracking;

/// Attempts under way at once on one node.
pub(crate) const IN_FLIGHT_MAX: usize = 256;
/// Deliveries claimed, and results written, in one transaction.
const BATCH_MAX: usize = 128;
/// This many results at once are a sign of load.
const RESULTS_OF_LOAD: usize = 4;
/// How long results are gathered under load.
const RESULTS_WAIT: Duration = Duration::from_millis(2);
/// Bytes kept of an answer, for people to look at.
const ANSWER_BYTES_KEPT_MAX: usize = 2_048;
const SENDER: &str = concat!("Quayside/", env!("CARGO_PKG_VERSION"));

/// Delivers all that is due at this moment, and what becomes due by that, until nothing is. Returns how many
/// attempts were made.
pub(crate) async fn drain(tracking: &Tracking, owner: Uuid) -> Result<usize, store::Error> {
    let mut made = 0;
    loop {
        let claimed = claim(tracking, owner, BATCH_MAX).await?;
        if claimed.is_empty() {
            return Ok(made);
        }
        made += claimed.len();
        let mut attempts = JoinSet::new();
        for delivery in claimed {
            attempts.spawn(attempt(tracking.clone(), delivery));
        }
        record(tracking, attempts.join_all().await).await?;
    }
}

/// Delivers until told to stop; then finishes the attempts that have begun.
pub(crate) async fn run(tracking: Tracking, owner: Uuid, stop: CancellationToken) {
    let (done, results) = mpsc::channel(IN_FLIGHT_MAX);
    let recorder = tokio::spawn(record_all(tracking.clone(), results));
    let mut attempts = JoinSet::new();
    while !stop.is_cancelled() {
        while attempts.try_join_next().is_some() {}
        let free = IN_FLIGHT_MAX - attempts.len();
        let claimed = if free == 0 {
            Vec::new()
        } else {
            claim_or_wait(&tracking, owner, free.min(BATCH_MAX)).await
        };
        let idle = claimed.is_empty();
        for delivery in claimed {
            let (tracking, done) = (tracking.clone(), done.clone());
            attempts.spawn(async move {
                let outcome = attempt(tracking, delivery).await;
                // The recorder outlives every attempt; a closed channel means that it panicked, and then
                // the lease brings the delivery back.
                let _ = done.send(outcome).await;
            });
        }
        if free == 0 {
            attempts.join_next().await;
        } else if idle {
            wait(&tracking, &stop).await;
        }
    }
    attempts.join_all().await;
    drop(done);
    if recorder.await.is_err() {
        tracing::error!(
            "the recorder of deliveries ended early; their leases will bring them back"
        );
    }
}

async fn claim_or_wait(tracking: &Tracking, owner: Uuid, limit: usize) -> Vec<Claimed> {
    match claim(tracking, owner, limit).await {
        Ok(claimed) => claimed,
        Err(error) => {
            tracing::warn!(%error, "deliveries cannot be claimed");
            tokio::time::sleep(Duration::from_millis(200)).await;
            Vec::new()
        }
    }
}

/// Waits until something may be due: a nudge, the next due time, or a second.
async fn wait(tracking: &Tracking, stop: &CancellationToken) {
    let next = tracking
        .store()
        .read(store::delivery::next_due)
        .await
        .ok()
        .flatten();
    let longest = crate::clock::WAIT_MAX;
    let pause = next.map_or(longest, |at| tracking.clock().real_wait(at).min(longest));
    tokio::select! {
        () = tokio::time::sleep(pause.max(Duration::from_millis(1))) => {}
        () = tracking.nudges().deliver_nudged() => {}
        () = stop.cancelled() => {}
    }
}

async fn claim(
    tracking: &Tracking,
    owner: Uuid,
    limit: usize,
) -> Result<Vec<Claimed>, store::Error> {
    let now = tracking.now();
    let shared = tracking.clone();
    let limit = u32::try_from(limit).unwrap_or(1);
    let lease = tracking.delivery_lease();
    tracking
        .store()
        .write(Key::webhook(domain::ids::WebhookId(owner)), move |tx| {
            let mut claimed = store::delivery::claim_due(tx, now, now + lease, owner, limit)?;
            body::complete(tx, &shared, &mut claimed)?;
            Ok(claimed)
        })
        .await
}

async fn record_all(tracking: Tracking, mut results: mpsc::Receiver<Outcome>) {
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while results.recv_many(&mut batch, BATCH_MAX).await > 0 {
        gather_results(&mut results, &mut batch).await;
        let outcomes = std::mem::take(&mut batch);
        if let Err(error) = record(&tracking, outcomes).await {
            // Nothing is lost: the leases run out and the same bytes are sent again.
            tracing::warn!(%error, "results of deliveries could not be written");
        }
        tracking.nudges().deliver();
    }
}

/// Under load the next results are a moment away, and a transaction of many costs little more than one of a
/// few. A lone result is written at once.
async fn gather_results(results: &mut mpsc::Receiver<Outcome>, batch: &mut Vec<Outcome>) {
    if (RESULTS_OF_LOAD..BATCH_MAX).contains(&batch.len()) {
        tokio::time::sleep(RESULTS_WAIT).await;
        while batch.len() < BATCH_MAX {
            let Ok(outcome) = results.try_recv() else {
                break;
            };
            batch.push(outcome);
        }
    }
}

async fn record(tracking: &Tracking, mut outcomes: Vec<Outcome>) -> Result<(), store::Error> {
    outcomes.sort_by_key(|outcome| outcome.notification);
    let Some(first) = outcomes.first() else {
        return Ok(());
    };
    let key = Key::webhook(domain::ids::WebhookId(first.notification.0));
    let written = tracking
        .store()
        .write(key, move |tx| store::delivery::settle(tx, &outcomes))
        .await?;
    tracing::debug!(written, "results of deliveries written");
    Ok(())
}

/// One attempt. Never fails: whatever happens is its outcome.
async fn attempt(tracking: Tracking, delivery: Claimed) -> Outcome {
    let started_at = tracking.now();
    let began = Instant::now();
    let sent = match request(&tracking, &delivery, started_at) {
        Ok(request) => tracking
            .outbound()
            .send(request, Limits::DELIVERY)
            .await
            .map_err(Unsent::Network),
        Err(reason) => Err(reason),
    };
    let end = end_of(&sent, tracking.now());
    let refusals = refusals_in_a_row(delivery.refusals_in_a_row, &end);
    let jitter = jitter(&delivery);
    Outcome {
        notification: delivery.notification.id,
        claim_token: delivery.claim_token,
        verdict: verdict(delivery.attempt, refusals, &end, jitter, tracking.now()),
        refusals_in_a_row: refusals,
        attempt: seen(&sent, delivery.attempt, started_at, began.elapsed()),
    }
}

/// Why nothing came back.
enum Unsent {
    /// The secret or a header does not open; an operator has to look.
    Unsigned(String),
    Network(OutboundError),
}

fn request(
    tracking: &Tracking,
    delivery: &Claimed,
    at: Timestamp,
) -> Result<Request<Full<Bytes>>, Unsent> {
    let sealed = |error: crate::VaultError| Unsent::Unsigned(error.to_string());
    let about = &delivery.notification;
    let vault = tracking.vault();
    let secret =
        subscription::open_secret(vault, delivery.account, about.webhook, &delivery.secret)
            .map_err(sealed)?;
    let extra =
        subscription::open_headers(vault, delivery.account, about.webhook, &delivery.headers)
            .map_err(sealed)?;
    let text = delivery.body.clone().unwrap_or_default();
    let mut request = Request::new(Full::new(Bytes::new()));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = delivery
        .url
        .parse()
        .map_err(|_| Unsent::Unsigned("the url cannot be read".to_owned()))?;
    let headers = request.headers_mut();
    for (name, value) in &extra {
        put(headers, name, value);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(USER_AGENT, HeaderValue::from_static(SENDER));
    put(
        headers,
        sign::REFERENCE_HEADER,
        &sign::reference(&secret, text.as_bytes()),
    );
    put(headers, "webhook-id", &body::id_text(about.id));
    put(headers, "webhook-timestamp", &at.as_second().to_string());
    put(
        headers,
        "webhook-signature",
        &sign::standard(&secret, about.id, at, text.as_bytes()),
    );
    *request.body_mut() = Full::new(Bytes::from(text));
    Ok(request)
}

fn put(headers: &mut HeaderMap, name: &str, value: &str) {
    let parsed = (
        HeaderName::from_bytes(name.as_bytes()),
        HeaderValue::from_str(value),
    );
    if let (Ok(name), Ok(value)) = parsed {
        headers.insert(name, value);
    }
}

fn end_of(sent: &Result<Answer, Unsent>, now: Timestamp) -> AttemptEnd {
    match sent {
        Ok(answer) => AttemptEnd::Answered {
            status: answer.status.as_u16(),
            retry_after: retry_after(&answer.headers, now),
        },
        Err(Unsent::Network(OutboundError::Timeout(_))) => AttemptEnd::TimedOut,
        Err(Unsent::Network(OutboundError::BlockedAddress | OutboundError::BlockedPort(_))) => {
            AttemptEnd::Blocked
        }
        Err(_) => AttemptEnd::Unreachable,
    }
}

/// `Retry-After` in seconds or as an HTTP date.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<SignedDuration> {
    let text = headers
        .get(http::header::RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim();
    if let Ok(seconds) = text.parse::<u32>() {
        return Some(SignedDuration::from_secs(i64::from(seconds)));
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(at.duration_since(now).max(SignedDuration::ZERO))
}

fn refusals_in_a_row(before: u32, end: &AttemptEnd) -> u32 {
    match end {
        AttemptEnd::Answered {
            status: 408 | 409 | 425 | 429,
            ..
        } => 0,
        AttemptEnd::Answered {
            status: 400..=499, ..
        } => before + 1,
        _ => 0,
    }
}

/// 0.8 to 1.2, from the delivery and the attempt: spread over receivers, repeatable in a simulation.
fn jitter(delivery: &Claimed) -> f64 {
    let digest = Sha256::new()
        .chain_update(delivery.notification.id.0.as_bytes())
        .chain_update(delivery.attempt.to_be_bytes())
        .finalize();
    0.8 + f64::from(digest.first().copied().unwrap_or_default()) / 255.0 * 0.4
}

fn seen(
    sent: &Result<Answer, Unsent>,
    number: u32,
    started_at: Timestamp,
    took: Duration,
) -> Attempt {
    let (status, reason, headers, body) = match sent {
        Ok(answer) => (
            Some(answer.status.as_u16()),
            None,
            header_text(&answer.headers),
            readable(&answer.body),
        ),
        Err(Unsent::Unsigned(reason)) => (None, Some(reason.clone()), String::new(), String::new()),
        Err(Unsent::Network(error)) => (
            None,
            Some(error.code().to_owned()),
            String::new(),
            String::new(),
        ),
    };
    Attempt {
        number,
        started_at,
        duration_ms: u32::try_from(took.as_millis()).unwrap_or(u32::MAX),
        status,
        reason,
        response_headers: headers,
        response_body: body,
    }
}

fn header_text(headers: &HeaderMap) -> String {
    let lines = headers
        .iter()
        .map(|(name, value)| format!("{name}: {}\n", readable(value.as_bytes())));
    lines
        .collect::<String>()
        .chars()
        .take(ANSWER_BYTES_KEPT_MAX)
        .collect()
}

/// What is kept of an answer: text, control characters escaped, bounded.
fn readable(bytes: &[u8]) -> String {
    let kept = bytes.get(..ANSWER_BYTES_KEPT_MAX).unwrap_or(bytes);
    let mut text = String::with_capacity(kept.len());
    for letter in String::from_utf8_lossy(kept).chars() {
        if letter.is_control() && letter != '\n' {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_count_in_a_row() {
        let answered = |status| AttemptEnd::Answered {
            status,
            retry_after: None,
        };
        assert_eq!(refusals_in_a_row(3, &answered(404)), 4);
        assert_eq!(refusals_in_a_row(3, &answered(429)), 0);
        assert_eq!(refusals_in_a_row(3, &answered(500)), 0);
        assert_eq!(refusals_in_a_row(3, &AttemptEnd::TimedOut), 0);
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let now: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(retry_after(&headers, now), None);
        put(&mut headers, "retry-after", "120");
        assert_eq!(
            retry_after(&headers, now),
            Some(SignedDuration::from_secs(120))
        );
        put(&mut headers, "retry-after", "Sat, 21 Nov 2026 10:05:00 GMT");
        assert_eq!(
            retry_after(&headers, now),
            Some(SignedDuration::from_mins(5))
        );
        put(&mut headers, "retry-after", "soon");
        assert_eq!(retry_after(&headers, now), None);
    }

    #[test]
    fn an_answer_is_kept_readable() {
        assert_eq!(readable(b"ok\x00\x1b[2J"), "ok\\u{0}\\u{1b}[2J");
        assert_eq!(readable(&[b'x'; 5_000]).len(), ANSWER_BYTES_KEPT_MAX);
    }
}
