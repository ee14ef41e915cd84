//! Whether a main key is the one that a store was begun with.
//!
//! With another key a service would run, know no API key, sign nothing, and use up the tries of every delivery that it
//! claims. So the store keeps a *check value*, which is sealed like a secret and opens with the right key only. It is noted
//! at the first start on an empty store; of nodes that begin one with several keys at once, the first to note wins.
//!
//! A store from before has no check value. What it holds sealed speaks for the key then; where nothing is sealed, nothing
//! can: API keys are digests, which no key opens. Such a store is adopted by the key that is there, and no new one is
//! made for it ([`may_be_made`]).

use domain::ids::AccountId;
use store::main_key::{self, Sealed};
use store::{Error, Key, Store, Tx};
use uuid::Uuid;

use crate::vault::KEY_ID;
use crate::{Vault, once, subscribing, webhooks};

const KIND: &str = "key check value";
const PLACE: &str = "installation";
const PLAIN: &[u8] = b"quayside";
/// Secrets of each kind that are tried at most.
const TRIED_MAX: u32 = 1_000;

/// Whether a new main key may be made for this store: it was never begun.
pub async fn may_be_made(store: &Store) -> Result<bool, Error> {
    let looking = store.read(|tx| {
        let begun = main_key::check_value(tx, KEY_ID)?.is_some()
            || main_key::has_accounts(tx)?
            || !main_key::sealed(tx, 1)?.is_empty();
        Ok(!begun)
    });
    looking.await
}

/// Whether this is the main key of the store; one that was never begun is begun with it.
pub async fn belongs(store: &Store, vault: &Vault) -> Result<bool, Error> {
    let (vault, value) = (vault.clone(), vault.seal(KIND, PLACE, PLAIN));
    let key = Key::account(AccountId(Uuid::nil()));
    let judging = store.write(key, move |tx| {
        if let Some(noted) = main_key::check_value(tx, KEY_ID)? {
            return Ok(opens(&vault, &noted));
        }
        if !opens_what_is_sealed(&vault, tx)? {
            return Ok(false);
        }
        if main_key::note_check_value(tx, KEY_ID, &value)? {
            return Ok(true);
        }
        // Another node was faster.
        let noted = main_key::check_value(tx, KEY_ID)?;
        Ok(noted.is_some_and(|noted| opens(&vault, &noted)))
    });
    judging.await
}

/// Whether this can be the main key of the store. Nothing is noted.
pub async fn fits(store: &Store, vault: &Vault) -> Result<bool, Error> {
    let vault = vault.clone();
    let looking = store.read(move |tx| match main_key::check_value(tx, KEY_ID)? {
        Some(noted) => Ok(opens(&vault, &noted)),
        None => opens_what_is_sealed(&vault, tx),
    });
    looking.await
}

/// Whether the store still has the main key that it had at the start: a database may be put back from another one.
pub(crate) fn still_belongs(vault: &Vault, tx: &mut Tx) -> Result<bool, Error> {
    let noted = main_key::check_value(tx, KEY_ID)?;
    Ok(noted.is_none_or(|noted| opens(vault, &noted)))
}

fn opens(vault: &Vault, noted: &[u8]) -> bool {
    vault.open(KIND, PLACE, noted).is_ok()
}

/// Some may be damaged, or from a node that ran with another key once: what most of them say counts.
fn opens_what_is_sealed(vault: &Vault, tx: &mut Tx) -> Result<bool, Error> {
    let sealed = main_key::sealed(tx, TRIED_MAX)?;
    let opened = sealed.iter().filter(|one| opens_one(vault, one)).count();
    Ok(opened * 2 >= sealed.len())
}

fn opens_one(vault: &Vault, sealed: &Sealed) -> bool {
    match sealed {
        Sealed::Webhook(account, id, secret) => {
            webhooks::open_secret(vault, *account, *id, secret).is_ok()
        }
        Sealed::Subscription(source, secret) => {
            subscribing::open_secret(vault, source, secret).is_ok()
        }
        Sealed::Answer(account, asked, body) => once::open(vault, *account, asked, body).is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use domain::account::Plan;
    use domain::ids::WebhookId;
    use domain::source::Subscribed;
    use jiff::Timestamp;
    use store::account::Account;
    use store::kept_answer::{self, Answer, Asked, Reserved};
    use store::push_subscription::{self, PushSubscription};
    use store::webhook::Webhook;
    use store::{Database, Settings};
    use tempfile::TempDir;

    use super::*;

    const ACCOUNT: AccountId = AccountId(Uuid::from_u128(1));
    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    fn vault(byte: u8) -> Vault {
        Vault::new(&[byte; 32])
    }

    /// Runs this on a store from before check values.
    async fn store(mut write: impl FnMut(&mut Tx) + Send + 'static) -> (Store, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let store = Store::open(&Settings::new(Database::Sqlite { path })).unwrap();
        let writing = store.write(Key::account(ACCOUNT), move |tx| {
            write(tx);
            Ok::<_, Error>(())
        });
        writing.await.unwrap();
        (store, folder)
    }

    fn write_account(tx: &mut Tx) {
        let account = Account {
            id: ACCOUNT,
            name: "A".into(),
            plan: Plan::SelfHosted,
            plan_since: AT,
            features: Vec::new(),
            created_at: AT,
        };
        store::account::insert(tx, &account).unwrap();
    }

    fn write_webhook(tx: &mut Tx, number: u128, vault: &Vault) {
        let id = WebhookId(Uuid::from_u128(number));
        let webhook = Webhook {
            id,
            url: String::new(),
            active: true,
            events: Vec::new(),
            secret: webhooks::seal_secret(vault, ACCOUNT, id, "first"),
            retired: None,
            headers: Vec::new(),
            disabled_reason: None,
            created_at: AT,
            updated_at: AT,
        };
        store::webhook::insert(&mut tx.account(ACCOUNT), &webhook).unwrap();
    }

    fn write_subscription(tx: &mut Tx, vault: &Vault) {
        let row = PushSubscription {
            source: "line".into(),
            standing: Subscribed {
                id: None,
                callback: String::new(),
                told: false,
                secret_at: AT,
                renewed_at: None,
                failures: 0,
            },
            secret: subscribing::seal_secret(vault, "line", "secret"),
            secret_before: None,
            trouble: None,
            due_at: AT,
        };
        push_subscription::begin(tx, &row).unwrap();
    }

    fn write_answer(tx: &mut Tx, vault: &Vault) {
        let asked = Asked {
            method: "POST".into(),
            path: "/v2/things".into(),
            key: "k".into(),
        };
        let answer = Answer {
            status: 201,
            media: String::new(),
            location: None,
            body: once::seal(vault, ACCOUNT, &asked, b"{}"),
        };
        let reserved = Reserved {
            fingerprint: [3; 32],
            sending: Uuid::from_u128(1),
            created_at: AT,
            answer: None,
        };
        let mut a = tx.account(ACCOUNT);
        kept_answer::reserve(&mut a, &asked, &reserved, AT).unwrap();
        kept_answer::finish(&mut a, &asked, reserved.sending, &answer).unwrap();
    }

    #[tokio::test]
    async fn an_empty_store_is_begun_with_one_key_and_keeps_it() {
        let (store, _folder) = store(|_| ()).await;
        assert!(may_be_made(&store).await.unwrap());
        assert!(belongs(&store, &vault(1)).await.unwrap());
        assert!(!may_be_made(&store).await.unwrap());
        for (byte, is_its_own) in [(2, false), (1, true), (2, false)] {
            assert_eq!(belongs(&store, &vault(byte)).await.unwrap(), is_its_own);
            let looking = store.read(move |tx| still_belongs(&vault(byte), tx));
            assert_eq!(looking.await.unwrap(), is_its_own);
        }
    }

    #[tokio::test]
    async fn what_lies_sealed_in_a_store_from_before_tells_its_key() {
        let writes: [fn(&mut Tx); 3] = [
            |tx| {
                write_webhook(tx, 1, &vault(1));
                write_webhook(tx, 2, &vault(1));
                // Of a node that ran with another key once.
                write_webhook(tx, 3, &vault(2));
            },
            |tx| {
                write_subscription(tx, &vault(1));
                // Answers count where there is no secret only.
                write_answer(tx, &vault(2));
            },
            |tx| write_answer(tx, &vault(1)),
        ];
        for (number, write) in writes.into_iter().enumerate() {
            let (store, _folder) = store(move |tx| {
                write_account(tx);
                write(tx);
            })
            .await;
            assert!(!may_be_made(&store).await.unwrap(), "{number}");
            for (byte, is_its_own) in [(2, false), (1, true), (2, false)] {
                let judged = belongs(&store, &vault(byte)).await.unwrap();
                assert_eq!(judged, is_its_own, "{number} {byte}");
            }
        }
    }

    #[tokio::test]
    async fn a_store_with_accounts_and_nothing_sealed_takes_the_key_that_is_there() {
        let (store, _folder) = store(write_account).await;
        assert!(
            !may_be_made(&store).await.unwrap(),
            "its keys are known by one"
        );
        assert!(belongs(&store, &vault(1)).await.unwrap());
        assert!(!belongs(&store, &vault(2)).await.unwrap());
    }
}
