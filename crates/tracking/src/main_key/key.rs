//! One main key: 32 bytes, as text or in a file.

use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::zeroize::Zeroize as _;
use subtle::ConstantTimeEq as _;

use crate::VaultError;
use crate::entropy::random_bytes;
use crate::vault::mac;

/// 32 bytes outside the store. Shows nothing of itself, and leaves nothing in memory.
#[derive(Clone)]
pub struct MainKey([u8; 32]);

impl Drop for MainKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl PartialEq for MainKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for MainKey {}

impl std::fmt::Debug for MainKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MainKey(…)")
    }
}

impl MainKey {
    pub(crate) fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A new one, as text.
    pub fn draw() -> String {
        STANDARD.encode(random_bytes::<32>())
    }

    /// Reads it from text: 32 bytes in base64.
    pub fn from_text(text: &str) -> Result<Self, VaultError> {
        let bytes = STANDARD.decode(text.trim()).ok();
        let key = bytes.and_then(|bytes| bytes.try_into().ok());
        key.map(Self)
            .ok_or_else(|| VaultError::KeyShape("given".into()))
    }

    /// Reads the key file; `None` where there is none.
    pub fn open_file(path: &Path) -> Result<Option<Self>, VaultError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::from_text(&text)
                .map(Some)
                .map_err(|_| VaultError::KeyShape(path.display().to_string())),
            Err(missing) if missing.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(failed(path, source)),
        }
    }

    /// Makes a key file, readable by its owner only, and reads it. One that somebody else has made meanwhile stays.
    pub fn make_file(path: &Path) -> Result<Self, VaultError> {
        create(path).map_err(|source| failed(path, source))?;
        Self::open_file(path)?.ok_or_else(|| failed(path, ErrorKind::NotFound.into()))
    }

    /// What secrets are sealed with.
    pub(crate) fn sealing(&self) -> [u8; 32] {
        mac(&self.0, b"seal 1")
    }

    /// The server key of a store that was begun before server keys: it digested API keys with this.
    pub(crate) fn first_server_key(&self) -> [u8; 32] {
        mac(&self.0, b"api key 1")
    }

    /// What it is known by when it was given up. Nobody without the server key can try keys against it.
    pub(crate) fn given_up_digest(&self, server_key: &[u8; 32]) -> [u8; 32] {
        mac(server_key, &mac(&self.0, b"given up 1"))
    }
}

/// What went wrong with a key file.
pub(super) fn failed(path: &Path, source: std::io::Error) -> VaultError {
    VaultError::KeyFile {
        path: path.display().to_string(),
        source,
    }
}

/// Under its name the file is whole from the first moment on: another process may be looking for it. It is on disk before
/// anything is sealed with it.
fn create(path: &Path) -> std::io::Result<()> {
    let folder = folder_of(path);
    store::make_folder(folder)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{:032x}", u128::from_ne_bytes(random_bytes())));
    let beside = PathBuf::from(beside);
    let written = write_new(&beside);
    // A link, not a new name: that would take the place of what somebody else has made.
    let linked = written.and_then(|()| std::fs::hard_link(&beside, path));
    std::fs::remove_file(&beside)?;
    match linked {
        Err(other) if other.kind() == ErrorKind::AlreadyExists => Ok(()),
        linked => linked.and_then(|()| sync_folder(path)),
    }
}

/// Writes a new key into a file that must not be there yet.
pub(super) fn write_new(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    writeln!(file, "{}", MainKey::draw())?;
    file.sync_all()
}

/// What was linked or renamed beside this file stays so, whatever happens to the power.
pub(super) fn sync_folder(path: &Path) -> std::io::Result<()> {
    std::fs::File::open(folder_of(path))?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_file_is_made_once_and_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/main.key");
        assert!(MainKey::open_file(&path).unwrap().is_none());
        let first = MainKey::make_file(&path).unwrap();
        let second = MainKey::make_file(&path).unwrap();
        let third = MainKey::open_file(&path).unwrap().unwrap();
        assert!(first == second && first == third);
        assert_eq!(format!("{first:?}"), "MainKey(…)");
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
            MainKey::open_file(&path),
            Err(VaultError::KeyShape(_))
        ));
    }
}
