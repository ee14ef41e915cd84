//! Both signatures of a delivery.
//!
//! One secret, two keys: the reference header is keyed with the bytes of the whole secret text, Standard
//! Webhooks with what the base64 after `whsec_` decodes to.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::ids::NotificationId;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use sha2::Sha256;

/// Header of the reference signature.
pub const REFERENCE_HEADER: &str = "x-t49-webhook-signature";
/// Header of the reference signatures of secrets that were rotated away and still count, newest first, with a
/// space between two.
pub const PREVIOUS_HEADER: &str = "x-t49-webhook-signature-previous";
/// Prefix of every secret.
pub const SECRET_PREFIX: &str = "whsec_";

/// A secret from 32 random bytes.
pub(crate) fn secret_text(random: &[u8; 32]) -> String {
    format!("{SECRET_PREFIX}{}", STANDARD.encode(random))
}

/// Lower-case hex HMAC-SHA256 of the exact body, keyed with the secret's text.
pub fn reference(secret: &str, body: &[u8]) -> String {
    let digest = mac(secret.as_bytes(), &[body]);
    digest
        .iter()
        .fold(String::with_capacity(64), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Whether a secret is one that Standard Webhooks can be keyed with. One of ours always is.
pub fn is_standard(secret: &str) -> bool {
    let encoded = secret.strip_prefix(SECRET_PREFIX);
    encoded.is_some_and(|encoded| STANDARD.decode(encoded).is_ok_and(|key| !key.is_empty()))
}

/// The value of `webhook-signature`: `v1,` and base64 of the HMAC-SHA256 over id, attempt time and body.
pub fn standard(secret: &str, id: NotificationId, attempted_at: Timestamp, body: &[u8]) -> String {
    let encoded = secret.strip_prefix(SECRET_PREFIX).unwrap_or(secret);
    let key = STANDARD
        .decode(encoded)
        .unwrap_or_else(|_| secret.as_bytes().to_vec());
    let head = format!("{id}.{}.", attempted_at.as_second());
    format!(
        "v1,{}",
        STANDARD.encode(mac(&key, &[head.as_bytes(), body]))
    )
}

fn mac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    // A key of any length fits an HMAC; the fallback is unreachable and would verify nothing.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return [0; 32];
    };
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    #[test]
    fn the_independent_library_accepts_our_standard_signature() {
        let webhook = standardwebhooks::Webhook::new(SECRET).unwrap();
        let at: Timestamp = "2026-05-06T07:08:09Z".parse().unwrap();
        let id = NotificationId("018f5c7e-3b1a-7c00-8000-000000000001".parse().unwrap());
        let body = br#"{"data":1}"#;
        let theirs = webhook.sign(&id.to_string(), at.as_second(), body).unwrap();
        assert_eq!(standard(SECRET, id, at, body), theirs);
        assert_ne!(standard(SECRET, id, at, b"{}"), theirs);
    }

    #[test]
    fn words_of_other_senders_key_one_signature_only() {
        assert!(is_standard(SECRET));
        for other in ["", "whsec_", "whsec_not base64", "a1b2c3d4e5", &SECRET[6..]] {
            assert!(!is_standard(other), "{other}");
        }
    }

    #[test]
    fn the_reference_signature_is_keyed_with_the_text() {
        // RFC 4231, test case 2.
        assert_eq!(
            reference("Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }
}
