//! Accounts and the keys that open them.
//!
//! A key is `ct_live_`, 30 random characters and 6 that check the rest, so that a mistyped key is refused
//! without a look at the store. It is shown once; only its digest under the vault's key is kept.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use domain::account::{Permissions, Plan};
use domain::audit::Action;
use domain::ids::{AccountId, ApiKeyId};
use jiff::{SignedDuration, Timestamp};
use store::account::Account;
use store::api_key::ApiKey;
use store::{AccountTx, Key, account, api_key};

use crate::Tracking;
use crate::audit::{self, By, Detail};
use crate::base62::{number_text, random_text};
use crate::entropy::{id_source, random_bytes};

const KEY_PREFIX: &str = "ct_live_";
const KEY_RANDOM_CHARACTERS: usize = 30;
const KEY_CHECK_CHARACTERS: usize = 6;
/// Keys of one account at most, as far as the account makes them itself.
pub const KEYS_MAX: usize = 100;
/// A key's last use is written at most this often.
const LAST_USE_EVERY: SignedDuration = SignedDuration::from_mins(1);
/// Keys whose last use is remembered between writes; more are not remembered.
const KEY_USES_MAX: usize = 10_000;
/// A key that was found is not looked up again for this long: a deleted one is refused within it, everywhere.
const KNOWN_FOR: Duration = Duration::from_millis(900);
/// Keys known at once; when there are more, all are looked up again.
const KNOWN_MAX: usize = 10_000;

/// Who calls.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The account the key belongs to.
    pub account: AccountId,
    /// The key's public id.
    pub key: ApiKeyId,
    /// What the key may do.
    pub permissions: Permissions,
    /// The account's plan.
    pub plan: Plan,
    /// Since when the account has this plan.
    pub plan_since: Timestamp,
    /// Features set for the account by name.
    pub features: Vec<(String, bool)>,
}

/// Why a caller is not let in.
#[derive(Debug, thiserror::Error)]
pub enum AccessRefused {
    /// No such key, or not a key at all.
    #[error("the API key is unknown or not well formed")]
    UnknownKey,
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Why a key is not created.
#[derive(Debug, thiserror::Error)]
pub enum KeyRefused {
    /// The account has as many as it may have.
    #[error("the account has {KEYS_MAX} keys already")]
    TooMany,
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// When keys were last used, between two writes of it.
#[derive(Default)]
pub(crate) struct KeyUses {
    seen: Mutex<HashMap<ApiKeyId, Use>>,
}

struct Use {
    at: Timestamp,
    written: bool,
}

/// Keys that were found a moment ago, by digest. Every request carries its key; looking it up each time costs
/// more than the page that is asked for.
#[derive(Default)]
pub(crate) struct KnownKeys {
    found: Mutex<HashMap<[u8; 32], (Instant, ApiKey, Account)>>,
}

impl KnownKeys {
    fn get(&self, digest: &[u8; 32]) -> Option<(ApiKey, Account)> {
        let found = self.found.lock().ok()?;
        let (at, key, account) = found.get(digest)?;
        (at.elapsed() < KNOWN_FOR).then(|| (key.clone(), account.clone()))
    }

    fn keep(&self, digest: [u8; 32], key: &ApiKey, account: &Account) {
        let Ok(mut found) = self.found.lock() else {
            return;
        };
        if found.len() >= KNOWN_MAX {
            found.clear();
        }
        found.insert(digest, (Instant::now(), key.clone(), account.clone()));
    }

    /// What was changed here counts here at once.
    pub(crate) fn forget(&self) {
        if let Ok(mut found) = self.found.lock() {
            found.clear();
        }
    }
}

/// Creates an account.
pub async fn create_account(
    tracking: &Tracking,
    name: &str,
    plan: Plan,
) -> Result<Account, store::Error> {
    let now = tracking.now();
    let account = Account {
        id: id_source(now).draw(),
        name: name.to_owned(),
        plan,
        plan_since: now,
        features: Vec::new(),
        created_at: now,
    };
    let (row, by) = (account.clone(), tracking.whoever(now));
    tracking
        .store()
        .write(Key::account(row.id), move |tx| {
            account::insert(tx, &row)?;
            let detail = Detail::default()
                .with("name", row.name.as_str())
                .with("plan", row.plan.as_str());
            let a = &mut tx.account(row.id);
            audit::note(a, by, Action::AccountCreated, row.id, detail);
            Ok::<_, store::Error>(())
        })
        .await?;
    Ok(account)
}

/// Creates a key for whoever holds the account. The second value is the key itself, shown this once.
pub async fn add_key(
    tracking: &Tracking,
    account: AccountId,
    name: &str,
    permissions: Permissions,
) -> Result<(ApiKey, String), KeyRefused> {
    let made = make_key(tracking, account, name, permissions);
    let by = tracking.whoever(made.0.created_at);
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            let mut a = tx.account(account);
            if api_key::list(&mut a)?.len() >= KEYS_MAX {
                return Err(KeyRefused::TooMany);
            }
            insert_key(&mut a, by, &made.0)?;
            Ok(made.clone())
        })
        .await
}

/// Creates a key for the operator. The second value is the key itself, shown this once.
pub async fn create_key(
    tracking: &Tracking,
    account: AccountId,
    name: &str,
    permissions: Permissions,
) -> Result<(ApiKey, String), store::Error> {
    let (row, key) = make_key(tracking, account, name, permissions);
    let (inserted, by) = (row.clone(), tracking.whoever(row.created_at));
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            insert_key(&mut tx.account(account), by, &inserted)
        })
        .await?;
    Ok((row, key))
}

fn insert_key(a: &mut AccountTx<'_>, by: By, row: &ApiKey) -> Result<(), store::Error> {
    api_key::insert(a, row)?;
    audit::note(a, by, Action::ApiKeyCreated, row.id, detail(row));
    Ok(())
}

/// What is noted of a key: what people call it and what it may do, and no part of the key.
fn detail(row: &ApiKey) -> Detail {
    Detail::default()
        .with("name", row.name.as_str())
        .with("show", row.permissions.show)
        .with("update", row.permissions.update)
}

/// What is shown of a key after its first showing: where it begins and its last four characters.
pub fn mask(key: &ApiKey) -> String {
    format!("{KEY_PREFIX}…{}", key.last_four)
}

fn make_key(
    tracking: &Tracking,
    account: AccountId,
    name: &str,
    permissions: Permissions,
) -> (ApiKey, String) {
    let now = tracking.now();
    let key = new_key();
    let row = ApiKey {
        id: id_source(now).draw(),
        account,
        name: name.to_owned(),
        digest: tracking.vault().key_digest(&key),
        last_four: key
            .get(key.len().saturating_sub(4)..)
            .unwrap_or_default()
            .to_owned(),
        permissions,
        created_at: now,
        last_used_at: None,
    };
    (row, key)
}

/// Deletes a key; it opens nothing from then on. False: this account has no such key.
pub async fn delete_key(
    tracking: &Tracking,
    account: AccountId,
    id: ApiKeyId,
) -> Result<bool, store::Error> {
    let by = tracking.whoever(tracking.now());
    let gone = tracking
        .store()
        .write(Key::account(account), move |tx| {
            let found = api_key::find(tx, id)?;
            let mut a = tx.account(account);
            let gone = api_key::delete(&mut a, id)?;
            if let Some(row) = found.filter(|_| gone) {
                audit::note(&mut a, by, Action::ApiKeyDeleted, id, detail(&row));
            }
            Ok::<_, store::Error>(gone)
        })
        .await?;
    tracking.known_keys().forget();
    Ok(gone)
}

/// Finds out who presents this key.
pub async fn authenticate(tracking: &Tracking, presented: &str) -> Result<Caller, AccessRefused> {
    if !well_formed(presented) {
        return Err(AccessRefused::UnknownKey);
    }
    let digest = tracking.vault().key_digest(presented);
    let (key, account) = match tracking.known_keys().get(&digest) {
        Some(known) => known,
        None => look_up(tracking, digest).await?,
    };
    tracking.key_uses().remember(&key, tracking.now());
    Ok(Caller {
        account: account.id,
        key: key.id,
        permissions: key.permissions,
        plan: account.plan,
        plan_since: account.plan_since,
        features: account.features,
    })
}

async fn look_up(
    tracking: &Tracking,
    digest: [u8; 32],
) -> Result<(ApiKey, Account), AccessRefused> {
    let found = tracking
        .store()
        .read(move |tx| {
            let Some(key) = api_key::find_by_digest(tx, &digest)? else {
                return Ok(None);
            };
            Ok::<_, store::Error>(account::find(tx, key.account)?.map(|account| (key, account)))
        })
        .await?;
    let (key, account) = found.ok_or(AccessRefused::UnknownKey)?;
    if !bool::from(subtle::ConstantTimeEq::ct_eq(&key.digest[..], &digest[..])) {
        return Err(AccessRefused::UnknownKey);
    }
    tracking.known_keys().keep(digest, &key, &account);
    Ok((key, account))
}

/// Writes down when keys were last used. Run now and then by the work loop.
pub(crate) async fn write_key_uses(tracking: &Tracking) -> Result<(), store::Error> {
    let uses = tracking.key_uses().take_unwritten();
    let Some((first, _)) = uses.first().copied() else {
        return Ok(());
    };
    let key = Key::account(AccountId(first.0));
    tracking
        .store()
        .write(key, move |tx| api_key::touch(tx, &uses))
        .await
}

impl KeyUses {
    fn remember(&self, key: &ApiKey, now: Timestamp) {
        let Ok(mut seen) = self.seen.lock() else {
            return;
        };
        let last = seen.get(&key.id).map(|last| last.at).or(key.last_used_at);
        let fresh = last.is_none_or(|last| now.duration_since(last) >= LAST_USE_EVERY);
        if fresh && (seen.len() < KEY_USES_MAX || seen.contains_key(&key.id)) {
            seen.insert(
                key.id,
                Use {
                    at: now,
                    written: false,
                },
            );
        }
    }

    fn take_unwritten(&self) -> Vec<(ApiKeyId, Timestamp)> {
        let Ok(mut seen) = self.seen.lock() else {
            return Vec::new();
        };
        let unwritten = seen.iter().filter(|(_, last)| !last.written);
        let unwritten: Vec<_> = unwritten.map(|(key, last)| (*key, last.at)).collect();
        seen.values_mut().for_each(|last| last.written = true);
        if seen.len() >= KEY_USES_MAX {
            seen.clear();
        }
        unwritten
    }
}

fn new_key() -> String {
    let random: [u8; 64] = random_bytes();
    let body = format!(
        "{KEY_PREFIX}{}",
        random_text(&random, KEY_RANDOM_CHARACTERS)
    );
    let check = check_text(&body);
    format!("{body}{check}")
}

fn well_formed(key: &str) -> bool {
    let prefixed = key.starts_with(KEY_PREFIX) || key.starts_with("ct_test_");
    let length = KEY_PREFIX.len() + KEY_RANDOM_CHARACTERS + KEY_CHECK_CHARACTERS;
    if !prefixed || key.len() != length || !key.is_ascii() {
        return false;
    }
    let (body, check) = key.split_at(length - KEY_CHECK_CHARACTERS);
    check == check_text(body)
}

fn check_text(body: &str) -> String {
    number_text(crc32fast::hash(body.as_bytes()), KEY_CHECK_CHARACTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_checks_itself() {
        let key = new_key();
        assert!(well_formed(&key), "{key}");
        assert_eq!(key.len(), 44);
        assert_ne!(key, new_key());
        let mut typo = key.clone().into_bytes();
        typo[12] = if typo[12] == b'a' { b'b' } else { b'a' };
        assert!(!well_formed(std::str::from_utf8(&typo).unwrap()));
        for bad in ["", "ct_live_", "Token", &key[1..], &format!("{key}0")] {
            assert!(!well_formed(bad), "{bad}");
        }
    }
}
