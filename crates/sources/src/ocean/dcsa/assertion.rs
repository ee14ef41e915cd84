//! A client's proof by certificate: a token signed with its private key (RFC 7523) in place of a secret.
//!
//! Some lines give no client secret. They register a certificate, and every request for an access token carries
//! a short-lived token of our own making, signed with the key that belongs to it (RS256). Its head names the
//! certificate by both digests that directories look for. A proof is used once, so each has an id of its own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use ring::digest;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use secrecy::ExposeSecret;
use serde_json::json;

use super::answer::PullFailure;
use super::caller::Secrets;
use super::profile::Assertion;

/// What the form says the proof is.
pub(super) const KIND: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// How long a proof is good; directories refuse long ones.
const LIFE: SignedDuration = SignedDuration::from_mins(5);

/// A proof that we are `client_id`, made `now`. `serial` tells proofs of one instant apart.
pub(super) fn proof(
    rule: &Assertion,
    client_id: &str,
    secrets: &Secrets,
    serial: u64,
    now: Timestamp,
) -> Result<String, PullFailure> {
    let key = private_key(secrets.get(&rule.private_key)?.expose_secret());
    let certificate = certificate(secrets.get(&rule.certificate)?.expose_secret());
    let (Some(key), Some(certificate)) = (key, certificate) else {
        tracing::warn!(
            private_key = rule.private_key,
            certificate = rule.certificate,
            "the private key must be RSA of at least 2048 bits, and both must be PEM"
        );
        return Err(PullFailure::Unauthorized);
    };
    let text = unsigned(rule, client_id, &certificate, serial, now);
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(
        &RSA_PKCS1_SHA256,
        &SystemRandom::new(),
        text.as_bytes(),
        &mut signature,
    )
    .map_err(|_| PullFailure::Unauthorized)?;
    Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

/// Head and claims, as they are signed.
fn unsigned(
    rule: &Assertion,
    client_id: &str,
    certificate: &CertificateDer<'_>,
    serial: u64,
    now: Timestamp,
) -> String {
    let sha1 = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, certificate);
    let sha256 = digest::digest(&digest::SHA256, certificate);
    let head = json!({
        "alg": "RS256",
        "typ": "JWT",
        "x5t": URL_SAFE_NO_PAD.encode(sha1),
        "x5t#S256": URL_SAFE_NO_PAD.encode(sha256),
    });
    let once = format!("{client_id}/{}/{serial}", now.as_nanosecond());
    let once = digest::digest(&digest::SHA256, once.as_bytes());
    let until = now.saturating_add(LIFE).unwrap_or(now);
    let claims = json!({
        "iss": client_id,
        "sub": client_id,
        "aud": rule.audience,
        "jti": URL_SAFE_NO_PAD.encode(once),
        "iat": now.as_second(),
        "nbf": now.as_second(),
        "exp": until.as_second(),
    });
    let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", part(head), part(claims))
}

fn private_key(pem: &str) -> Option<RsaKeyPair> {
    match PrivateKeyDer::from_pem_slice(pem.as_bytes()).ok()? {
        PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).ok(),
        PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()).ok(),
        _ => None,
    }
}

fn certificate(pem: &str) -> Option<CertificateDer<'static>> {
    CertificateDer::from_pem_slice(pem.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> Assertion {
        Assertion {
            private_key: "private_key".into(),
            certificate: "certificate".into(),
            audience: "https://login.line.example/token".into(),
        }
    }

    fn secrets(private_key: &str) -> Secrets {
        let certificate = include_str!("../../../tests/fixtures/keys/client.cert.pem");
        Secrets::new([
            ("private_key".to_owned(), private_key.to_owned()),
            ("certificate".to_owned(), certificate.to_owned()),
        ])
    }

    fn made(serial: u64) -> String {
        let key = include_str!("../../../tests/fixtures/keys/client.key.pem");
        let now = "2026-03-15T12:00:00Z".parse().unwrap();
        proof(&rule(), "the-id", &secrets(key), serial, now).unwrap()
    }

    /// The digest of the signature was computed with openssl, which signed the same text with the same key.
    #[test]
    fn the_proof_is_the_one_another_implementation_makes() {
        let proof = made(0);
        let mut parts = proof
            .split('.')
            .map(|part| URL_SAFE_NO_PAD.decode(part).unwrap());
        let mut json =
            || -> serde_json::Value { serde_json::from_slice(&parts.next().unwrap()).unwrap() };
        let (head, claims) = (json(), json());
        assert_eq!(head["alg"], "RS256");
        assert_eq!(head["x5t"], "13a9pd9uGzwY18QeUC4NWaC0gpw");
        assert_eq!(
            head["x5t#S256"],
            "PIX9yrFbeLBe8x1x_W1ajcnpPJ7ixxd0PYpiCX39tTY"
        );
        assert_eq!(claims["iss"], "the-id");
        assert_eq!(claims["aud"], "https://login.line.example/token");
        assert_eq!(
            claims["exp"].as_i64().unwrap() - claims["nbf"].as_i64().unwrap(),
            300
        );
        let signature = parts.next().unwrap();
        let digest = digest::digest(&digest::SHA256, &signature);
        assert_eq!(
            URL_SAFE_NO_PAD.encode(digest),
            "izpaRJljJQ9HF1Y79hyJpCUSCkSfDQnVQUsCpwfzx5k",
            "{proof}"
        );
    }

    #[test]
    fn no_two_proofs_are_one() {
        assert_ne!(made(0), made(1));
        assert_eq!(made(7), made(7));
    }

    #[test]
    fn a_key_that_is_none_is_wrong_credentials() {
        let now = Timestamp::UNIX_EPOCH;
        for key in [
            "",
            "secret",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
        ] {
            let refused = proof(&rule(), "the-id", &secrets(key), 0, now);
            assert_eq!(refused, Err(PullFailure::Unauthorized), "{key}");
        }
    }
}
