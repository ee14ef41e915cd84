//! The main key: where it comes from, and whether it is the store's.

use std::path::Path;

use anyhow::Result;
use store::Store;
use tracking::{Vault, VaultError, main_key};

use crate::config::{Settings, SettingsInvalid};

/// File of the main key in the data directory.
const FILE: &str = "main.key";
const GIVEN: &str =
    "the one given (QUAYSIDE_MAIN_KEY, QUAYSIDE_MAIN_KEY_FILE or the file of settings)";
const LOST_WITHOUT: &str = "without it no webhook can be signed and no API key is known";

/// The key that is given, or lies in the data directory; `None` where there is none. None is made.
pub fn given(settings: &Settings) -> Result<Option<Vault>, SettingsInvalid> {
    if settings.main_key.is_empty() {
        return Vault::open_file(&settings.data_dir.join(FILE)).map_err(unusable);
    }
    let given = Vault::from_text(&settings.main_key);
    given.map(Some).map_err(unusable)
}

/// Where it lies, or is said.
pub fn place(settings: &Settings) -> String {
    if settings.main_key.is_empty() {
        return settings.data_dir.join(FILE).display().to_string();
    }
    GIVEN.into()
}

/// The key that is given, when it is this store's; an error says what is wrong. Nothing is made, and nothing noted.
pub async fn fitting(settings: &Settings, store: &Store) -> Result<Vault> {
    let file = settings.data_dir.join(FILE);
    let vault = given(settings)?.ok_or_else(|| missing(&file))?;
    if !main_key::fits(store, &vault).await? {
        return Err(foreign(settings, &file).into());
    }
    Ok(vault)
}

/// Why there can be no restore without a key.
pub fn missing_here(settings: &Settings) -> SettingsInvalid {
    missing(&settings.data_dir.join(FILE))
}

/// Opens the vault of this store. Its key is made where a store is begun and none is given, and nowhere else.
pub async fn open(settings: &Settings, store: &Store) -> Result<Vault> {
    let file = settings.data_dir.join(FILE);
    let vault = match given(settings)? {
        Some(vault) => vault,
        None => made(&file, store).await?,
    };
    if !main_key::belongs(store, &vault).await? {
        return Err(foreign(settings, &file).into());
    }
    Ok(vault)
}

async fn made(file: &Path, store: &Store) -> Result<Vault> {
    if !main_key::may_be_made(store).await? {
        return Err(missing(file).into());
    }
    let vault = Vault::make_file(file).map_err(unusable)?;
    tracing::warn!(file = %file.display(), "a main key was made: back it up, apart from the data; {LOST_WITHOUT}");
    Ok(vault)
}

fn unusable(error: VaultError) -> SettingsInvalid {
    let error = anyhow::Error::from(error);
    refused(format!("{error:#}"))
}

fn missing(file: &Path) -> SettingsInvalid {
    let file = file.display();
    refused(format!(
        "there is none at {file}, QUAYSIDE_MAIN_KEY is not set, and this store was begun with one: \
         restore that one; {LOST_WITHOUT}"
    ))
}

fn foreign(settings: &Settings, file: &Path) -> SettingsInvalid {
    let place = if settings.main_key.is_empty() {
        format!("the one at {}", file.display())
    } else {
        GIVEN.into()
    };
    refused(format!(
        "{place} is not the one this store was begun with: restore that one; {LOST_WITHOUT}"
    ))
}

fn refused(reason: String) -> SettingsInvalid {
    SettingsInvalid::Value {
        key: "main_key",
        reason,
    }
}
