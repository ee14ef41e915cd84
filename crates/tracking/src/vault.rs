//! The vault: secrets that must be read back are sealed, keys that need not are digested.
//!
//! One main key, 32 bytes, belongs to an installation. Two keys are derived from it, so that neither use can
//! be turned against the other: one seals webhook secrets and headers (XChaCha20-Poly1305, bound to the
//! place they are stored in, so that a sealed value moved to another row or account does not open), the
//! other digests API keys (HMAC-SHA-256: a key has 178 bits of its own, a slow hash would add nothing).

use std::io::ErrorKind;
use std::path::Path;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::entropy::random_bytes;

/// First byte of every sealed value: which main key sealed it. There is one so far.
pub(crate) const KEY_ID: u8 = 1;
const NONCE_BYTES: usize = 24;

/// Seals and digests. Shows nothing of itself.
#[derive(Clone)]
pub struct Vault {
    sealing: [u8; 32],
    digesting: [u8; 32],
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
    /// A vault of this main key.
    pub fn new(main_key: &[u8; 32]) -> Self {
        Self {
            sealing: derive(main_key, b"seal 1"),
            digesting: derive(main_key, b"api key 1"),
        }
    }

    /// Reads the main key from text: 32 bytes in base64.
    pub fn from_text(text: &str) -> Result<Self, VaultError> {
        use base64::Engine as _;
        let bytes = base64::engine::general_purpose::STANDARD.decode(text.trim());
        let key = bytes
            .ok()
            .and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        key.map(|key| Self::new(&key))
            .ok_or_else(|| VaultError::KeyShape("given".into()))
    }

    /// Opens the key file; `None` where there is none.
    pub fn open_file(path: &Path) -> Result<Option<Self>, VaultError> {
        let shown = || path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Self::from_text(&text)
                .map(Some)
                .map_err(|_| VaultError::KeyShape(shown())),
            Err(missing) if missing.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(VaultError::KeyFile {
                path: shown(),
                source,
            }),
        }
    }

    /// Makes a key file, readable by its owner only, and opens it. One that somebody else has made meanwhile stays.
    pub fn make_file(path: &Path) -> Result<Self, VaultError> {
        let failed = |source| VaultError::KeyFile {
            path: path.display().to_string(),
            source,
        };
        create_key_file(path).map_err(failed)?;
        Self::open_file(path)?.ok_or_else(|| failed(ErrorKind::NotFound.into()))
    }

    /// Seals `plain` for one place (`what` names the kind, `place` the row and account).
    pub(crate) fn seal(&self, what: &'static str, place: &str, plain: &[u8]) -> Vec<u8> {
        let nonce: [u8; NONCE_BYTES] = random_bytes();
        let aad = format!("{what}/{place}");
        let payload = Payload {
            msg: plain,
            aad: aad.as_bytes(),
        };
        let sealed = self
            .cipher()
            .encrypt(&XNonce::from(nonce), payload)
            .unwrap_or_default();
        [&[KEY_ID], nonce.as_slice(), &sealed].concat()
    }

    /// Opens what [`seal`](Self::seal) sealed for the same place.
    pub(crate) fn open(
        &self,
        what: &'static str,
        place: &str,
        sealed: &[u8],
    ) -> Result<Vec<u8>, VaultError> {
        let parts = sealed
            .split_first()
            .and_then(|(id, rest)| Some((id, rest.split_at_checked(NONCE_BYTES)?)));
        let Some((&KEY_ID, (nonce, text))) = parts else {
            return Err(VaultError::Sealed(what));
        };
        let nonce = <[u8; NONCE_BYTES]>::try_from(nonce).map_err(|_| VaultError::Sealed(what))?;
        let aad = format!("{what}/{place}");
        let payload = Payload {
            msg: text,
            aad: aad.as_bytes(),
        };
        self.cipher()
            .decrypt(&XNonce::from(nonce), payload)
            .map_err(|_| VaultError::Sealed(what))
    }

    /// The digest under which an API key is stored and found.
    pub(crate) fn key_digest(&self, key: &str) -> [u8; 32] {
        mac(&self.digesting, key.as_bytes())
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&Key::from(self.sealing))
    }
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault(…)")
    }
}

fn derive(main_key: &[u8; 32], purpose: &[u8]) -> [u8; 32] {
    mac(main_key, purpose)
}

fn mac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    // A key of any length fits an HMAC; the fallback is unreachable and would verify nothing.
    let Ok(mut mac) = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key) else {
        return [0; 32];
    };
    mac.update(message);
    mac.finalize().into_bytes().into()
}

/// Under its name the file is whole from the first moment on: another process may be looking for it. It is on disk before
/// anything is sealed with it.
fn create_key_file(path: &Path) -> std::io::Result<()> {
    use base64::Engine as _;
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    store::make_folder(folder)?;
    let key = base64::engine::general_purpose::STANDARD.encode(random_bytes::<32>());
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{:032x}", u128::from_ne_bytes(random_bytes())));
    let mut options = std::fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&beside)?;
    let written = writeln!(file, "{key}").and_then(|()| file.sync_all());
    // A link, not a new name: that would take the place of what somebody else has made.
    let linked = written.and_then(|()| std::fs::hard_link(&beside, path));
    std::fs::remove_file(&beside)?;
    match linked {
        Err(other) if other.kind() == ErrorKind::AlreadyExists => Ok(()),
        linked => linked.and_then(|()| std::fs::File::open(folder)?.sync_all()),
    }
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
    fn the_key_file_is_made_once_and_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/main.key");
        assert!(Vault::open_file(&path).unwrap().is_none());
        let first = Vault::make_file(&path).unwrap();
        let second = Vault::make_file(&path).unwrap();
        let third = Vault::open_file(&path).unwrap().unwrap();
        for other in [second, third] {
            assert_eq!(first.key_digest("a"), other.key_digest("a"));
        }
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1
        );
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        std::fs::write(&path, "not a key").unwrap();
        assert!(matches!(
            Vault::open_file(&path),
            Err(VaultError::KeyShape(_))
        ));
    }
}
