//! Both signatures, computed by others' code: ring for the one, the Standard Webhooks crate for the other.

use axum::http::HeaderMap;
use jiff::{SignedDuration, Timestamp};
use ring::hmac;
use standardwebhooks::Webhook;

/// What is wrong with an arrival.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A header field is missing.
    #[error("no header field {0}")]
    Missing(&'static str),
    /// Neither `X-T49-Webhook-Signature` nor the one of a rotated secret beside it fits secret and body.
    #[error("X-T49-Webhook-Signature does not fit")]
    BodySignature,
    /// `webhook-signature` does not fit secret, id, time and body.
    #[error("webhook-signature does not fit")]
    StandardSignature,
    /// `webhook-timestamp` is no number of seconds.
    #[error("webhook-timestamp is {0:?}")]
    NoTime(String),
    /// `webhook-timestamp` is too far from the clock.
    #[error("webhook-timestamp is {0} s from the clock")]
    TimeApart(i64),
    /// `webhook-id` is not the id of the notification.
    #[error("webhook-id is {0:?}, the notification's id is {1:?}")]
    OtherId(String, String),
    /// A repeat with other bytes than the first.
    #[error("a repeat differs from the first")]
    NotIdentical,
}

const BODY_SIGNATURE: &str = "x-t49-webhook-signature";
/// While a rotation is young: the digests of the secrets before, a space between two.
const BODY_SIGNATURE_PREVIOUS: &str = "x-t49-webhook-signature-previous";
const ID: &str = "webhook-id";
const TIMESTAMP: &str = "webhook-timestamp";
const SIGNATURE: &str = "webhook-signature";

/// Everything wrong with the signatures.
pub(super) fn faults(
    secrets: &[String],
    tolerance: SignedDuration,
    headers: &HeaderMap,
    body: &[u8],
    now: Timestamp,
) -> Vec<Fault> {
    let checks = [
        body_signature(secrets, headers, body),
        standard_signature(secrets, headers, body),
        time(tolerance, headers, now),
    ];
    checks.into_iter().filter_map(Result::err).collect()
}

/// The id in the header must be the one in the document.
pub(super) fn id_fault(headers: &HeaderMap, notification_id: &str) -> Option<Fault> {
    match field(headers, ID) {
        Err(fault) => Some(fault),
        Ok(id) if id == notification_id => None,
        Ok(id) => Some(Fault::OtherId(id.to_owned(), notification_id.to_owned())),
    }
}

fn body_signature(secrets: &[String], headers: &HeaderMap, body: &[u8]) -> Result<(), Fault> {
    let present = field(headers, BODY_SIGNATURE)?;
    let previous = field(headers, BODY_SIGNATURE_PREVIOUS).unwrap_or_default();
    let given = std::iter::once(present).chain(previous.split_whitespace());
    let given: Option<Vec<Vec<u8>>> = given.map(digest_bytes).collect();
    let given = given.ok_or(Fault::BodySignature)?;
    let fits = |secret: &String| {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        given
            .iter()
            .any(|given| hmac::verify(&key, body, given).is_ok())
    };
    secrets
        .iter()
        .any(fits)
        .then_some(())
        .ok_or(Fault::BodySignature)
}

/// The crate's own `verify` reads the wall clock, which a run with a virtual clock is far away from. So the
/// crate signs, and we compare; the time is checked apart.
fn standard_signature(secrets: &[String], headers: &HeaderMap, body: &[u8]) -> Result<(), Fault> {
    let (id, given) = (field(headers, ID)?, field(headers, SIGNATURE)?);
    let seconds = seconds(headers)?;
    let fits = |secret: &String| {
        let signed = Webhook::new(secret).and_then(|webhook| webhook.sign(id, seconds, body));
        signed.is_ok_and(|signed| given.split(' ').any(|one| one == signed))
    };
    secrets
        .iter()
        .any(fits)
        .then_some(())
        .ok_or(Fault::StandardSignature)
}

fn time(tolerance: SignedDuration, headers: &HeaderMap, now: Timestamp) -> Result<(), Fault> {
    let apart = now.as_second() - seconds(headers)?;
    if apart.abs() > tolerance.as_secs() {
        return Err(Fault::TimeApart(apart));
    }
    Ok(())
}

fn seconds(headers: &HeaderMap) -> Result<i64, Fault> {
    let text = field(headers, TIMESTAMP)?;
    text.parse().map_err(|_| Fault::NoTime(text.to_owned()))
}

fn field<'h>(headers: &'h HeaderMap, name: &'static str) -> Result<&'h str, Fault> {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .ok_or(Fault::Missing(name))
}

/// Exactly 64 lower-case hexadecimal digits.
fn digest_bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |c: char| c.to_digit(16).filter(|_| !c.is_ascii_uppercase());
    let digits: Vec<u32> = text.chars().map(digit).collect::<Option<_>>()?;
    let bytes = digits.chunks_exact(2).map(|pair| match pair {
        [high, low] => u8::try_from(high * 16 + low).ok(),
        _ => None,
    });
    (digits.len() == 64).then(|| bytes.collect()).flatten()
}
