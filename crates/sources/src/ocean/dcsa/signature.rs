//! A signature over each request, for carriers that want one in place of a token.
//!
//! The text that is signed: date, digest of the body and a number used once, each as `Name: value` on a line,
//! then the request line. The key signs it with HMAC-SHA1; the header fields carry the same three values, so
//! that the carrier can make the text again. The date must be within two minutes of the carrier's clock.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimePrinter;
use ring::{digest, hmac};
use secrecy::ExposeSecret;

use super::answer::PullFailure;
use super::caller::{Call, Secrets, hidden, plain};
use super::profile::RequestSignature;

/// Signs the requests of one source. It counts them, so that no two carry the same number.
#[derive(Debug, Default)]
pub(super) struct Signer(AtomicU64);

impl Signer {
    /// The header fields that sign a request.
    pub(super) fn sign(
        &self,
        rule: &RequestSignature,
        secrets: &Secrets,
        call: &Call<'_>,
        now: Timestamp,
    ) -> Result<HeaderMap, PullFailure> {
        let key = secrets.get(&rule.key)?.expose_secret();
        let secret = secrets.get(&rule.secret)?.expose_secret();
        let serial = self.0.fetch_add(1, Ordering::Relaxed);
        let once = number_used_once(key, now, serial);
        let date = DateTimePrinter::new()
            .timestamp_to_rfc9110_string(&now)
            .map_err(|e| PullFailure::Unreadable(e.to_string()))?;
        let body = call.body.as_deref().unwrap_or_default();
        let body = digest::digest(&digest::SHA256, body);
        let body = format!("SHA-256={}", STANDARD.encode(body));
        let named = |name: &str| format!("{}{name}", rule.prefix);
        let signed = [
            (named("Date"), &date),
            (named("Digest"), &body),
            (named("Content-Md5"), &once),
        ];
        let signature = signature(secret, &text(&signed, call));
        let names = signed.each_ref().map(|(name, _)| name.as_str()).join(" ");
        let authorization = format!(
            "hmac username=\"{key}\", algorithm=\"hmac-sha1\", headers=\"{names} request-line\", \
             signature=\"{signature}\""
        );
        let mut headers = HeaderMap::new();
        for (name, value) in signed {
            headers.insert(header(&name)?, plain(value)?);
        }
        headers.insert(header(&named("Hmac"))?, plain(&once)?);
        headers.insert(header(&named("Authorization"))?, hidden(&authorization)?);
        Ok(headers)
    }
}

/// The text that is signed.
fn text(signed: &[(String, &String)], call: &Call<'_>) -> String {
    let mut text = String::new();
    for (name, value) in signed {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}: {value}");
    }
    let url = call.url;
    let query = url
        .query()
        .map_or(String::new(), |query| format!("?{query}"));
    let _ = write!(text, "{} {}{query} HTTP/1.1", call.method, url.path());
    text
}

fn signature(secret: &str, text: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret.as_bytes());
    STANDARD.encode(hmac::sign(&key, text.as_bytes()))
}

/// 32 hexadecimal digits that no other request of ours has.
fn number_used_once(key: &str, now: Timestamp, serial: u64) -> String {
    let said = format!("{key}/{}/{serial}", now.as_nanosecond());
    let digest = digest::digest(&digest::SHA256, said.as_bytes());
    digest
        .as_ref()
        .iter()
        .take(16)
        .fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

fn header(name: &str) -> Result<HeaderName, PullFailure> {
    HeaderName::try_from(name).map_err(|e| PullFailure::Unreadable(e.to_string()))
}

#[cfg(test)]
mod tests {
    use http::Method;
    use url::Url;

    use super::*;

    /// The expected signature was computed with openssl.
    #[test]
    fn the_signature_is_the_one_another_implementation_makes() {
        let url = Url::parse("https://api.example/service/info/tracking/6300000017?numberType=bl");
        let call = Call {
            method: Method::GET,
            url: &url.unwrap(),
            body: None,
            headers: &[],
        };
        let secrets = Secrets::new([
            ("api_key".to_owned(), "quay".to_owned()),
            ("secret_key".to_owned(), "harbour-secret".to_owned()),
        ]);
        let rule = RequestSignature {
            prefix: "X-Coscon-".into(),
            key: "api_key".into(),
            secret: "secret_key".into(),
        };
        let signer = Signer::default();
        let now = "2026-03-15T12:00:00Z".parse().unwrap();
        let headers = signer.sign(&rule, &secrets, &call, now).unwrap();
        let field = |name: &str| headers.get(name).unwrap().to_str().unwrap().to_owned();
        assert_eq!(field("x-coscon-date"), "Sun, 15 Mar 2026 12:00:00 GMT");
        assert_eq!(
            field("x-coscon-digest"),
            "SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        );
        assert_eq!(field("x-coscon-content-md5"), field("x-coscon-hmac"));
        let again = signer.sign(&rule, &secrets, &call, now).unwrap();
        assert_ne!(again.get("x-coscon-hmac"), headers.get("x-coscon-hmac"));
        let text = text(
            &[
                ("X-Coscon-Date".into(), &field("x-coscon-date")),
                ("X-Coscon-Digest".into(), &field("x-coscon-digest")),
                ("X-Coscon-Content-Md5".into(), &"0".repeat(32)),
            ],
            &call,
        );
        assert_eq!(
            signature("harbour-secret", &text),
            "XVQEP1dGb1HZbuXE107VbD1RGm8="
        );
        let authorization = field("x-coscon-authorization");
        assert!(
            authorization.starts_with("hmac username=\"quay\", algorithm=\"hmac-sha1\", headers=\"X-Coscon-Date X-Coscon-Digest X-Coscon-Content-Md5 request-line\", signature=\""),
            "{authorization}"
        );
    }
}
