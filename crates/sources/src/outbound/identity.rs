//! Who we are in TLS: a certificate of our own, for those who let nobody else in (mutual TLS).

use std::sync::Arc;

use rustls::client::ResolvesClientCert;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};

/// A certificate with the key that belongs to it.
#[derive(Clone)]
pub struct Identity(Arc<SingleCertAndKey>);

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Identity")
    }
}

/// Why a certificate cannot be shown. None of the messages holds any of the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdentityUnusable {
    /// There is no certificate, or one of the chain is damaged.
    #[error(
        "there is no certificate in PEM in it (-----BEGIN CERTIFICATE-----); put the client's certificate first and \
         those that vouch for it behind it"
    )]
    Certificate,
    /// There is no key that can be read.
    #[error(
        "there is no private key in PEM in it (-----BEGIN PRIVATE KEY-----); a key with a pass phrase must be written \
         without it first"
    )]
    Key,
    /// The key is of a kind that is not spoken.
    #[error(
        "the private key cannot be used ({0}); RSA of at least 2048 bits, ECDSA P-256 or P-384, or Ed25519 can"
    )]
    KeyKind(String),
    /// They are not of one pair.
    #[error(
        "the private key does not belong to the certificate; give the key that the certificate was requested with"
    )]
    Mismatch,
}

impl Identity {
    /// Reads both. `certificate` may hold a chain, the client's own first.
    pub fn from_pem(certificate: &str, key: &str) -> Result<Self, IdentityUnusable> {
        let chain = CertificateDer::pem_slice_iter(certificate.as_bytes());
        let chain: Vec<_> = chain
            .collect::<Result<_, _>>()
            .map_err(|_| IdentityUnusable::Certificate)?;
        if chain.is_empty() {
            return Err(IdentityUnusable::Certificate);
        }
        let key =
            PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|_| IdentityUnusable::Key)?;
        let provider = rustls::crypto::ring::default_provider();
        let pair = CertifiedKey::from_der(chain, key, &provider).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => IdentityUnusable::Mismatch,
            rustls::Error::InvalidCertificate(_) => IdentityUnusable::Certificate,
            other => IdentityUnusable::KeyKind(other.to_string()),
        })?;
        Ok(Self(Arc::new(SingleCertAndKey::from(pair))))
    }

    pub(super) fn resolver(&self) -> Arc<dyn ResolvesClientCert> {
        Arc::<SingleCertAndKey>::clone(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERTIFICATE: &str = include_str!("../../tests/fixtures/keys/client.cert.pem");
    const KEY: &str = include_str!("../../tests/fixtures/keys/client.key.pem");

    #[test]
    fn what_is_no_pair_is_named() {
        Identity::from_pem(CERTIFICATE, KEY).unwrap();
        let chain = format!("{CERTIFICATE}{CERTIFICATE}");
        Identity::from_pem(&chain, KEY).unwrap();
        let damaged = CERTIFICATE.replace("-----END", "----END");
        for (certificate, key, expected) in [
            ("", KEY, IdentityUnusable::Certificate),
            (KEY, KEY, IdentityUnusable::Certificate),
            (damaged.as_str(), KEY, IdentityUnusable::Certificate),
            (CERTIFICATE, "", IdentityUnusable::Key),
            (CERTIFICATE, CERTIFICATE, IdentityUnusable::Key),
        ] {
            let refused = Identity::from_pem(certificate, key).unwrap_err();
            assert_eq!(refused, expected);
        }
    }
}
