//! The vault: secrets that must be read back are sealed, keys that need not are digested.
//!
//! Secrets are sealed with a key that is derived from the main key (XChaCha20-Poly1305), bound to the place they are stored
//! in, so that a sealed value moved to another row or account does not open. It begins with the number of its main key.
//! While the main key is changed there are two: one seals, and both open.
//!
//! API keys are digested (HMAC-SHA-256: a key has 178 bits of its own, a slow hash would add nothing) with the *server key*,
//! which lies in the store, sealed. So another main key voids none of them.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use secrecy::zeroize::Zeroize as _;
use sha2::Sha256;

use crate::entropy::random_bytes;
use crate::main_key::MainKey;

/// The number of the main key that a store was begun with.
pub(crate) const FIRST: u8 = 1;
const NONCE_BYTES: usize = 24;

/// Seals and digests. Shows nothing of itself, and leaves nothing in memory.
#[derive(Clone)]
pub struct Vault {
    own: Seal,
    also: Option<Seal>,
    /// A key that was given up. A node that stood still may have sealed with it since.
    given_up: Option<Seal>,
    digesting: [u8; 32],
}

/// What one main key seals with.
#[derive(Clone)]
struct Seal {
    number: u8,
    key: [u8; 32],
    /// What the main key is known by when it is given up.
    digest: [u8; 32],
}

impl Drop for Seal {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

impl Drop for Vault {
    fn drop(&mut self) {
        self.digesting.zeroize();
    }
}

/// Why a vault or a sealed value does not open.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// The key file cannot be read or written.
    #[error("the main key at {path} cannot be used")]
    KeyFile {
        /// Where it is.
        path: String,
        /// What went wrong.
        #[source]
        source: std::io::Error,
    },
    /// The key is not 32 bytes of base64.
    #[error("the main key {0} is not 32 bytes in base64")]
    KeyShape(String),
    /// A sealed value was made with another key, for another place, or is damaged.
    #[error("a sealed {0} does not open with this main key")]
    Sealed(&'static str),
}

impl Vault {
    /// A vault of this main key alone, as long as it is the first and was never changed.
    pub fn new(main_key: &[u8; 32]) -> Self {
        let main = MainKey::new(*main_key);
        Self::of((FIRST, &main), None, main.first_server_key())
    }

    /// Seals with the first of these keys and opens what either sealed; API keys are digested with the server key.
    pub(crate) fn of(
        own: (u8, &MainKey),
        also: Option<(u8, &MainKey)>,
        server_key: [u8; 32],
    ) -> Self {
        let seal = |(number, main): (u8, &MainKey)| Seal {
            number,
            key: main.sealing(),
            digest: main.given_up_digest(&server_key),
        };
        Self {
            own: seal(own),
            also: also.map(seal),
            given_up: None,
            digesting: server_key,
        }
    }

    /// Opens what this key sealed too, which was given up and has no number any more.
    pub(crate) fn with_given_up(mut self, key: &MainKey) -> Self {
        self.given_up = Some(Seal {
            number: self.own.number,
            key: key.sealing(),
            digest: key.given_up_digest(&self.digesting),
        });
        self
    }

    /// Whether it opens what a key sealed that was given up.
    pub(crate) fn has_given_up(&self) -> bool {
        self.given_up.is_some()
    }

    /// The number of the key that seals.
    pub(crate) fn number(&self) -> u8 {
        self.own.number
    }

    /// The number of the key that only opens, and what it is known by when it is given up.
    pub(crate) fn other(&self) -> Option<(u8, [u8; 32])> {
        let seal = self.also.as_ref()?;
        Some((seal.number, seal.digest))
    }

    /// Seals `plain` for one place (`what` names the kind, `place` the row and account).
    pub(crate) fn seal(&self, what: &'static str, place: &str, plain: &[u8]) -> Vec<u8> {
        let nonce: [u8; NONCE_BYTES] = random_bytes();
        let aad = format!("{what}/{place}");
        let payload = Payload {
            msg: plain,
            aad: aad.as_bytes(),
        };
        let Seal { number, key, .. } = &self.own;
        let sealed = cipher(key)
            .encrypt(&XNonce::from(nonce), payload)
            .unwrap_or_default();
        [&[*number], nonce.as_slice(), &sealed].concat()
    }

    /// Opens what [`seal`](Self::seal) sealed for the same place. The number says which key is tried first; another node may
    /// have given the other one a number since this one started.
    pub(crate) fn open(
        &self,
        what: &'static str,
        place: &str,
        sealed: &[u8],
    ) -> Result<Vec<u8>, VaultError> {
        let parts = sealed
            .split_first()
            .and_then(|(number, rest)| Some((*number, rest.split_at_checked(NONCE_BYTES)?)));
        let (number, (nonce, text)) = parts.ok_or(VaultError::Sealed(what))?;
        let nonce = <[u8; NONCE_BYTES]>::try_from(nonce).map_err(|_| VaultError::Sealed(what))?;
        let aad = format!("{what}/{place}");
        let opened = |seal: &Seal| {
            let payload = Payload {
                msg: text,
                aad: aad.as_bytes(),
            };
            let plain = cipher(&seal.key).decrypt(&XNonce::from(nonce), payload);
            plain.ok()
        };
        let seals = || {
            let both = std::iter::once(&self.own).chain(&self.also);
            both.chain(&self.given_up)
        };
        let named = seals().filter(|seal| seal.number == number);
        let others = seals().filter(|seal| seal.number != number);
        let mut opened = named.chain(others).filter_map(opened);
        opened.next().ok_or(VaultError::Sealed(what))
    }

    /// What is sealed, sealed with the key that seals now.
    pub(crate) fn anew(
        &self,
        what: &'static str,
        place: &str,
        sealed: &[u8],
    ) -> Result<Vec<u8>, VaultError> {
        let plain = self.open(what, place, sealed)?;
        Ok(self.seal(what, place, &plain))
    }

    /// The digest under which an API key is stored and found.
    pub(crate) fn key_digest(&self, key: &str) -> [u8; 32] {
        mac(&self.digesting, key.as_bytes())
    }
}

fn cipher(key: &[u8; 32]) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&Key::from(*key))
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault(…)")
    }
}

pub(crate) fn mac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    // A key of any length fits an HMAC; the fallback is unreachable and would verify nothing.
    let Ok(mut mac) = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key) else {
        return [0; 32];
    };
    mac.update(message);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_value_opens_only_in_its_place() {
        let vault = Vault::new(&[3; 32]);
        let sealed = vault.seal("webhook secret", "row 1", b"whsec_abc");
        assert_eq!(
            vault.open("webhook secret", "row 1", &sealed).unwrap(),
            b"whsec_abc"
        );
        assert!(vault.open("webhook secret", "row 2", &sealed).is_err());
        assert!(
            Vault::new(&[4; 32])
                .open("webhook secret", "row 1", &sealed)
                .is_err()
        );
        assert!(
            vault
                .open("webhook secret", "row 1", &sealed[..10])
                .is_err()
        );
        assert!(vault.open("webhook secret", "row 1", b"").is_err());
    }

    #[test]
    fn a_value_of_either_key_opens_and_the_first_one_seals() {
        let [old, new, third] = [3, 4, 5].map(|byte| MainKey::new([byte; 32]));
        let before = Vault::of((1, &old), Some((2, &new)), [9; 32]);
        let after = Vault::of((2, &new), Some((1, &old)), [9; 32]);
        let seal = |vault: &Vault| vault.seal("webhook secret", "row 1", b"whsec_abc");
        let opens = |vault: &Vault, sealed: &[u8]| {
            let plain = vault.open("webhook secret", "row 1", sealed);
            plain.is_ok_and(|plain| plain == b"whsec_abc")
        };
        for (sealed, number) in [(seal(&before), 1), (seal(&after), 2)] {
            assert_eq!(sealed.first(), Some(&number));
            assert!(opens(&before, &sealed) && opens(&after, &sealed));
            let anew = after.anew("webhook secret", "row 1", &sealed).unwrap();
            assert_eq!(anew.first(), Some(&2));
            assert!(opens(&Vault::of((2, &new), None, [9; 32]), &anew));
            assert!(!opens(&Vault::of((number, &third), None, [9; 32]), &sealed));
        }
        let renumbered = Vault::of((7, &old), None, [9; 32]);
        assert!(opens(&renumbered, &seal(&before)), "a number is a hint");
        assert_eq!(before.key_digest("a"), after.key_digest("a"));
        assert_eq!(format!("{before:?}"), "Vault(…)");
    }
}
