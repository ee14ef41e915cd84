//! The main key: where it comes from, whether it is the store's, and which other one opens while it is changed.

use std::path::{Path, PathBuf};

use anyhow::Result;
use jiff::Timestamp;
use store::Store;
use tracking::clock::{Clock as _, SystemClock};
use tracking::main_key::{self, Refused, Stage};
use tracking::{Keys, MainKey, Vault, VaultError};

use crate::config::{Settings, SettingsInvalid};

/// File of the main key in the data directory.
const FILE: &str = "main.key";
/// File of the other key beside it.
const ALSO_FILE: &str = "main.key.also";
const MAIN: &str = "main_key";
const ALSO: &str = "main_key_also";
const GIVEN: &str =
    "the one given (QUAYSIDE_MAIN_KEY, QUAYSIDE_MAIN_KEY_FILE or the file of settings)";
const LOST_WITHOUT: &str = "without it no webhook can be signed and no API key is known";

/// The keys that are given, or lie in the data directory; `None` where there is no main key. None is made.
pub fn given(settings: &Settings) -> Result<Option<Keys>, SettingsInvalid> {
    let main = if settings.main_key.is_empty() {
        MainKey::open_file(&file(settings))
    } else {
        MainKey::from_text(&settings.main_key).map(Some)
    };
    let Some(main) = main.map_err(|error| unusable(MAIN, error))? else {
        return Ok(None);
    };
    let also = match also_file(settings) {
        Some(file) => MainKey::open_file(&file),
        None if settings.main_key_also.is_empty() => Ok(None),
        None => MainKey::from_text(&settings.main_key_also).map(Some),
    };
    let also = also.map_err(|error| unusable(ALSO, error))?;
    Ok(Some(Keys { main, also }))
}

/// Where the main key lies when no setting gives one.
pub fn file(settings: &Settings) -> PathBuf {
    settings.data_dir.join(FILE)
}

/// Where the other key may lie; `None` where it could only be a setting.
pub fn also_file(settings: &Settings) -> Option<PathBuf> {
    let in_files = settings.main_key.is_empty() && settings.main_key_also.is_empty();
    in_files.then(|| settings.data_dir.join(ALSO_FILE))
}

/// Where it lies, or is said.
pub fn place(settings: &Settings) -> String {
    if settings.main_key.is_empty() {
        return file(settings).display().to_string();
    }
    GIVEN.into()
}

/// The same of the other key.
pub fn also_place(settings: &Settings) -> String {
    let file = also_file(settings);
    file.map_or_else(|| ALSO.into(), |file| file.display().to_string())
}

/// How the store stands to the keys that are given, when one of them is its own; an error says what is wrong. Nothing is
/// made, and nothing noted.
pub async fn stage(settings: &Settings, store: &Store) -> Result<Stage> {
    let keys = given(settings)?.ok_or_else(|| missing_here(settings))?;
    let now = SystemClock.now();
    let stage = main_key::look(store, &keys, now).await;
    stage.map_err(|refusal| explained(settings, refusal))
}

/// Why nothing can be done without a key.
pub fn missing_here(settings: &Settings) -> SettingsInvalid {
    missing(&file(settings))
}

/// Refuses keys that are not those of the store that is there, before anything of it is changed. Nothing is made. Where this
/// cannot be told yet, be it that its schema is too old, nothing is refused and there is no stage: [`open`] looks again.
pub async fn foresee(settings: &Settings) -> Result<Option<Stage>> {
    let keys = given(settings)?;
    let store = match super::embedded(settings) {
        Some(file) if file.exists() => Store::beside(&file).ok(),
        Some(_) => None,
        None => Store::look_at(&settings.database).ok(),
    };
    let Some(store) = store else {
        return Ok(None);
    };
    let Some(keys) = keys else {
        let is_begun = matches!(main_key::may_be_made(&store).await, Ok(false));
        return if is_begun {
            Err(missing_here(settings).into())
        } else {
            Ok(None)
        };
    };
    match main_key::look(&store, &keys, SystemClock.now()).await {
        Ok(stage) => Ok(Some(stage)),
        Err(Refused::Store(_)) => Ok(None),
        Err(refusal) => Err(explained(settings, refusal)),
    }
}

/// Opens the vault of this store. Its key is made where a store is begun and none is given, and nowhere else.
pub async fn open(settings: &Settings, store: &Store, now: Timestamp) -> Result<Vault> {
    let keys = match given(settings)? {
        Some(keys) => keys,
        None => made(&file(settings), store).await?,
    };
    let opened = main_key::open(store, &keys, now, super::lease(settings)).await;
    opened.map_err(|refusal| explained(settings, refusal))
}

async fn made(file: &Path, store: &Store) -> Result<Keys> {
    if !main_key::may_be_made(store).await? {
        return Err(missing(file).into());
    }
    let main = MainKey::make_file(file).map_err(|error| unusable(MAIN, error))?;
    tracing::warn!(file = %file.display(), "a main key was made: back it up, apart from the data; {LOST_WITHOUT}");
    Ok(Keys { main, also: None })
}

/// What whoever gave the keys has to do.
fn explained(settings: &Settings, refusal: Refused) -> anyhow::Error {
    match refusal {
        Refused::Store(error) => error.into(),
        Refused::Foreign => foreign(settings).into(),
        Refused::GivenUp => refused(
            MAIN,
            format!(
                "{} was given up when the main key was changed: give the one that is in {} now, and no other",
                place(settings),
                also_place(settings)
            ),
        )
        .into(),
        Refused::Another => refused(
            ALSO,
            "the main key is being changed, and a further key has sealed what is in this store: give it here, until `quayside \
             rekey --status` says that it is no longer needed"
                .into(),
        )
        .into(),
    }
}

fn unusable(key: &'static str, error: VaultError) -> SettingsInvalid {
    let error = anyhow::Error::from(error);
    refused(key, format!("{error:#}"))
}

fn missing(file: &Path) -> SettingsInvalid {
    let file = file.display();
    let reason = format!(
        "there is none at {file}, QUAYSIDE_MAIN_KEY is not set, and this store was begun with one: \
         restore that one; {LOST_WITHOUT}"
    );
    refused(MAIN, reason)
}

fn foreign(settings: &Settings) -> SettingsInvalid {
    let place = if settings.main_key.is_empty() {
        format!("the one at {}", place(settings))
    } else {
        GIVEN.into()
    };
    let reason = format!("{place} is not the one of this store: restore that one; {LOST_WITHOUT}");
    refused(MAIN, reason)
}

fn refused(key: &'static str, reason: String) -> SettingsInvalid {
    SettingsInvalid::Value { key, reason }
}
