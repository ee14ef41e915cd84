//! Which main key is a store's, and how it is changed.
//!
//! With another key a service would run, sign nothing, and use up the tries of every delivery that it claims. So the store
//! keeps a *check value* of its key, which is sealed like a secret and opens with the right key only. It is noted at the
//! first start on an empty store; of nodes that begin one with several keys at once, the first to note wins.
//!
//! **A change** goes through a time in which every node has both keys: one that seals, and one that only opens. A key that
//! the store does not know gets the next number at the start that brings it beside one that the store knows, and everything
//! begins with the number of the key that sealed it. Nodes say until when they seal with their key. When nobody seals with
//! the older one any more, what it sealed is [sealed anew](resealing), and that key is *given up*: its check value goes, so
//! that it opens the store no more, and a digest of it stays, so that it is not taken for a new key.
//!
//! Keys are noted and given up by one node after the other: each locks the check values and then reads them. Where there are
//! none to lock, the number itself is taken once.
//!
//! A store from before has no check value. What it holds sealed speaks for the key then; where nothing is sealed, nothing
//! can: API keys are digests, which no key opens. Such a store is adopted by the key that is there, and no new one is
//! made for it ([`may_be_made`]). Its API keys are digested with a key that was derived from its main key, and so that is
//! its server key; a store that is begun now gets a random one.

mod files;
mod key;
mod resealing;

use domain::ids::AccountId;
use jiff::{SignedDuration, Timestamp};
use store::main_key::{self, Known, Sealed};
use store::{Error, Key, Store, Tx};
use uuid::Uuid;

use crate::entropy::random_bytes;
use crate::vault::FIRST;
use crate::{Tracking, Vault, once, subscribing, webhooks};

pub use files::{FilesRefused, change as change_files};
pub use key::MainKey;
pub(crate) use resealing::reseal;
pub use resealing::{Round, advance};

const KIND: &str = "key check value";
const PLACE: &str = "installation";
const PLAIN: &[u8] = b"quayside";
const SERVER_KEY: &str = "server key";
/// Secrets of each kind that are tried at most.
const TRIED_MAX: u32 = 1_000;
/// Each round notes one thing: the first key, the server key, a further key. More rounds than these were lost to others.
const ROUNDS_MAX: usize = 16;

/// The keys that a node is given.
#[derive(Clone, Debug)]
pub struct Keys {
    /// Seals and opens.
    pub main: MainKey,
    /// Opens.
    pub also: Option<MainKey>,
}

/// Why a store is not opened with these keys.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Neither is the store's.
    #[error("not the main key of this store")]
    Foreign,
    /// The one that is to seal was given up.
    #[error("this main key was given up")]
    GivenUp,
    /// A key that is not given seals too, or has sealed what is still there.
    #[error("a further main key is in use")]
    Another,
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] Error),
}

/// How it stands with the keys that are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// There is one key.
    Alone,
    /// The other key is the next one, and no node has sealed with it yet.
    Prepared,
    /// So much is still sealed with the older of both keys.
    UnderWay(u64),
    /// The other key was given up: nothing is sealed with it any more.
    Over,
}

/// Whether a new main key may be made for this store: it was never begun.
pub async fn may_be_made(store: &Store) -> Result<bool, Error> {
    let looking = store.read(|tx| Ok(main_key::known(tx)?.is_empty() && !was_begun(tx)?));
    looking.await
}

/// Opens the vault of a store with these keys. One that was never begun is begun with the main one; one that the store does
/// not know yet is noted beside the one that it knows. While there are two the others know until `lease` has passed that this
/// node seals with its main key. Where there is nothing to note nothing is written: a start may come while nothing can be.
pub async fn open(
    store: &Store,
    keys: &Keys,
    now: Timestamp,
    lease: SignedDuration,
) -> Result<Vault, Refused> {
    let (keys, fresh, is_shared) = (keys.clone(), random_bytes(), store.is_shared());
    let key = Key::account(AccountId(Uuid::nil()));
    let opening = store.write(key, move |tx| {
        let mut is_locked = false;
        for _ in 0..ROUNDS_MAX {
            let known = main_key::known(tx)?;
            if known.is_empty() {
                begin(tx, &keys.main, fresh)?;
                continue;
            }
            let judged = judge(tx, &known, &keys)?;
            let new = judged.unknown(&keys);
            if !is_locked && (new.is_some() || judged.server_key.is_none()) {
                main_key::lock(tx)?;
                is_locked = true;
                continue;
            }
            let Some(server_key) = judged.server_key else {
                adopt_server_key(tx, &judged, &keys)?;
                continue;
            };
            if is_used_by_others(tx, &known, &judged, is_shared.then_some(now))? {
                return Err(Refused::Another);
            }
            if let Some(new) = new {
                note_new(tx, &known, &judged, new)?;
                continue;
            }
            let Some(own) = judged.main else {
                return Err(Refused::GivenUp);
            };
            if known.len() > 1 && !main_key::seals(tx, own, now + lease)? {
                continue;
            }
            if judged.is_also_given_up {
                tracing::warn!(
                    "the key in main_key_also was given up; should a node that stood still have sealed something with it since, \
                     that is sealed anew now: take it out of the settings, or the file main.key.also away, before the next start"
                );
            }
            let also = judged.also.zip(keys.also.as_ref());
            let vault = Vault::of((own, &keys.main), also, server_key);
            let given_up = keys.other().filter(|_| judged.is_also_given_up);
            return Ok(match given_up {
                Some(key) => vault.with_given_up(key),
                None => vault,
            });
        }
        Err(Refused::Foreign)
    });
    opening.await
}

/// How the store stands to these keys. Nothing is noted.
pub async fn look(store: &Store, keys: &Keys, now: Timestamp) -> Result<Stage, Refused> {
    let (keys, is_shared) = (keys.clone(), store.is_shared());
    let looking = store.read(move |tx| {
        let known = main_key::known(tx)?;
        if known.is_empty() {
            let opens = opens_what_is_sealed(&alone(&keys.main), tx)?;
            return if opens {
                Ok(Stage::Alone)
            } else {
                Err(Refused::Foreign)
            };
        }
        let judged = judge(tx, &known, &keys)?;
        if is_used_by_others(tx, &known, &judged, is_shared.then_some(now))? {
            return Err(Refused::Another);
        }
        if judged.is_main_given_up {
            return Err(Refused::GivenUp);
        }
        stage(tx, &known, &judged, &keys)
    });
    looking.await
}

fn stage(tx: &mut Tx, known: &[Known], judged: &Judged, keys: &Keys) -> Result<Stage, Refused> {
    if judged.is_also_given_up {
        return Ok(Stage::Over);
    }
    let (Some(main), Some(also)) = (judged.main, judged.also) else {
        let is_first_seen = keys.other().is_some();
        return match (judged.main, judged.also) {
            (None, Some(also)) => Ok(Stage::UnderWay(main_key::count_sealed_with(tx, also)?)),
            _ if is_first_seen => Ok(Stage::Prepared),
            _ => Ok(Stage::Alone),
        };
    };
    let has_sealed = |key: &Known| key.number == also && key.seals_until.is_some();
    let (older, is_next) = if is_newer(main, also) {
        (also, false)
    } else {
        (main, !known.iter().any(has_sealed))
    };
    if is_next {
        return Ok(Stage::Prepared);
    }
    Ok(Stage::UnderWay(main_key::count_sealed_with(tx, older)?))
}

/// Of two numbers that are in use at once.
fn is_newer(number: u8, than: u8) -> bool {
    number.wrapping_sub(than) < 128
}

impl Keys {
    /// The other key, when it is another one.
    fn other(&self) -> Option<&MainKey> {
        self.also.as_ref().filter(|also| **also != self.main)
    }
}

/// What the store says to the keys that are given.
struct Judged {
    main: Option<u8>,
    also: Option<u8>,
    is_main_given_up: bool,
    is_also_given_up: bool,
    /// `None` in a store from before server keys.
    server_key: Option<[u8; 32]>,
}

impl Judged {
    /// A key that the store does not know yet.
    fn unknown<'k>(&self, keys: &'k Keys) -> Option<&'k MainKey> {
        if self.main.is_none() {
            return Some(&keys.main).filter(|_| !self.is_main_given_up);
        }
        let is_known = self.also.is_some() || self.is_also_given_up;
        keys.other().filter(|_| !is_known)
    }
}

/// One of the keys has to be known.
fn judge(tx: &mut Tx, known: &[Known], keys: &Keys) -> Result<Judged, Refused> {
    let main = number_of(known, &keys.main);
    let also = keys.other().and_then(|also| number_of(known, also));
    let mut judged = Judged {
        main,
        also,
        is_main_given_up: false,
        is_also_given_up: false,
        server_key: None,
    };
    if main.is_none() && also.is_none() {
        return Err(Refused::Foreign);
    }
    let Some(sealed) = main_key::server_key(tx)? else {
        return Ok(judged);
    };
    // Whatever a key's number is, it opens what it sealed.
    let either = Vault::of(
        (main.unwrap_or(FIRST), &keys.main),
        keys.other().map(|key| (also.unwrap_or(FIRST), key)),
        [0; 32],
    );
    let opened = either.open(SERVER_KEY, PLACE, &sealed).ok();
    let server_key = opened.and_then(|opened| <[u8; 32]>::try_from(opened).ok());
    let server_key = server_key.ok_or(Refused::Another)?;
    let mut is_given_up = |key: &MainKey| {
        let digest = key.given_up_digest(&server_key);
        main_key::is_given_up(tx, &digest)
    };
    judged.is_main_given_up = main.is_none() && is_given_up(&keys.main)?;
    if let Some(key) = keys.other().filter(|_| also.is_none()) {
        judged.is_also_given_up = is_given_up(key)?;
    }
    judged.server_key = Some(server_key);
    Ok(judged)
}

fn number_of(known: &[Known], key: &MainKey) -> Option<u8> {
    let opens = |one: &&Known| {
        let vault = Vault::of((one.number, key), None, [0; 32]);
        vault.open(KIND, PLACE, &one.check_value).is_ok()
    };
    known.iter().find(opens).map(|one| one.number)
}

/// Whether a key that is not given is needed: nodes seal with it (`now`: of a store that others may have open), or what it
/// sealed is still there.
fn is_used_by_others(
    tx: &mut Tx,
    known: &[Known],
    judged: &Judged,
    now: Option<Timestamp>,
) -> Result<bool, Error> {
    for other in known {
        if [judged.main, judged.also].contains(&Some(other.number)) {
            continue;
        }
        let seals = now.is_some_and(|now| other.seals_until.is_some_and(|until| until > now));
        if seals || main_key::count_sealed_with(tx, other.number)? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Begins a store with this key, unless another node is faster.
fn begin(tx: &mut Tx, main: &MainKey, fresh: [u8; 32]) -> Result<(), Refused> {
    let vault = alone(main);
    if !opens_what_is_sealed(&vault, tx)? {
        return Err(Refused::Foreign);
    }
    let server_key = if was_begun(tx)? {
        main.first_server_key()
    } else {
        fresh
    };
    if main_key::note_check_value(tx, FIRST, &vault.seal(KIND, PLACE, PLAIN))? {
        main_key::note_server_key(tx, &vault.seal(SERVER_KEY, PLACE, &server_key))?;
    }
    Ok(())
}

/// A store from before server keys digests with what it always did.
fn adopt_server_key(tx: &mut Tx, judged: &Judged, keys: &Keys) -> Result<(), Error> {
    let known = match (judged.main, judged.also, keys.other()) {
        (Some(number), _, _) => (number, &keys.main),
        (None, Some(number), Some(also)) => (number, also),
        _ => return Ok(()),
    };
    let server_key = known.1.first_server_key();
    let sealed = Vault::of(known, None, server_key).seal(SERVER_KEY, PLACE, &server_key);
    main_key::note_server_key(tx, &sealed)
}

/// Notes a key under the next number. What was prepared before and never used makes room.
fn note_new(tx: &mut Tx, known: &[Known], judged: &Judged, new: &MainKey) -> Result<(), Error> {
    for other in known {
        if ![judged.main, judged.also].contains(&Some(other.number)) {
            main_key::forget(tx, other.number)?;
        }
    }
    let number = next_number(known);
    let value = Vault::of((number, new), None, [0; 32]).seal(KIND, PLACE, PLAIN);
    if main_key::note_check_value(tx, number, &value)? {
        tracing::info!(number, "a further main key is noted");
    }
    Ok(())
}

/// One above the highest, so that a number comes back as late as can be; behind the last the lowest that is free.
fn next_number(known: &[Known]) -> u8 {
    let highest = known.iter().map(|key| key.number).max().unwrap_or(0);
    let is_free = |number: &u8| known.iter().all(|key| key.number != *number);
    let above = highest.checked_add(1);
    above
        .or_else(|| (FIRST..=u8::MAX).find(is_free))
        .unwrap_or(FIRST)
}

/// Whether the store still has the main key that it had at the start: a database may be put back from another one, and the
/// other nodes may have given the key up.
pub(crate) fn still_belongs(vault: &Vault, tx: &mut Tx) -> Result<bool, Error> {
    let known = main_key::known(tx)?;
    let own = known.iter().find(|key| key.number == vault.number());
    Ok(match own {
        Some(own) => vault.open(KIND, PLACE, &own.check_value).is_ok(),
        None => known.is_empty(),
    })
}

/// Says that this node still seals with its main key, while there is another one.
pub(crate) async fn say_it_seals(tracking: &Tracking) -> Result<(), Error> {
    let number = tracking.vault().number();
    let known = tracking.store().read(main_key::known).await?;
    if known.iter().all(|key| key.number == number) {
        return Ok(());
    }
    let until = tracking.now() + tracking.delivery_lease();
    let key = Key::account(AccountId(Uuid::nil()));
    let saying = tracking
        .store()
        .write(key, move |tx| main_key::seals(tx, number, until));
    if !saying.await? {
        tracing::error!(
            "the main key of this node was given up by the others: start it again with the present one"
        );
    }
    Ok(())
}

/// A vault of the key that a store is begun with.
fn alone(main: &MainKey) -> Vault {
    Vault::of((FIRST, main), None, main.first_server_key())
}

/// Whether somebody has worked with the store.
fn was_begun(tx: &mut Tx) -> Result<bool, Error> {
    Ok(main_key::has_accounts(tx)? || !main_key::sealed(tx, 1)?.is_empty())
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
    use store::testing::PgServer;
    use store::webhook::Webhook;
    use store::{Database, Settings};
    use tempfile::TempDir;
    use tokio_util::sync::CancellationToken;

    use super::*;

    const ACCOUNT: AccountId = AccountId(Uuid::from_u128(1));
    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    fn vault(byte: u8) -> Vault {
        Vault::new(&[byte; 32])
    }

    fn keys(main: u8, also: Option<u8>) -> Keys {
        let key = |byte| MainKey::new([byte; 32]);
        Keys {
            main: key(main),
            also: also.map(key),
        }
    }

    async fn opened(store: &Store, main: u8, also: Option<u8>) -> Result<Vault, Refused> {
        open(store, &keys(main, also), AT, SignedDuration::from_secs(30)).await
    }

    async fn belongs(store: &Store, main: u8) -> bool {
        opened(store, main, None).await.is_ok()
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
        assert!(belongs(&store, 1).await);
        assert!(!may_be_made(&store).await.unwrap());
        for (byte, is_its_own) in [(2, false), (1, true), (2, false)] {
            assert_eq!(belongs(&store, byte).await, is_its_own);
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
                let judged = belongs(&store, byte).await;
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
        assert!(belongs(&store, 1).await);
        assert!(!belongs(&store, 2).await);
    }

    async fn resealed(store: &Store, vault: &Vault) -> Round {
        let stop = CancellationToken::new();
        advance(store, vault, AT, &stop, |_| ()).await.unwrap()
    }

    async fn stage_of(store: &Store, main: u8, also: Option<u8>) -> Result<Stage, Refused> {
        look(store, &keys(main, also), AT).await
    }

    async fn sealed_with(store: &Store, number: u8) -> u64 {
        let counting = store.read(move |tx| main_key::count_sealed_with(tx, number));
        counting.await.unwrap()
    }

    #[tokio::test]
    async fn a_main_key_is_changed_in_steps_of_which_each_opens_everything() {
        let (store, _folder) = store(write_account).await;
        let first = opened(&store, 1, None).await.unwrap();
        let digest = first.key_digest("a key");
        assert_eq!(stage_of(&store, 1, None).await.unwrap(), Stage::Alone);
        let prepared = opened(&store, 1, Some(2)).await.unwrap();
        let stage = stage_of(&store, 1, Some(2)).await.unwrap();
        assert_eq!((prepared.number(), stage), (1, Stage::Prepared));
        assert_eq!(resealed(&store, &prepared).await, Round::Older);
        let writing = store.write(Key::account(ACCOUNT), move |tx| {
            write_webhook(tx, 1, &prepared);
            write_subscription(tx, &prepared);
            write_answer(tx, &prepared);
            // Of a key that nobody has.
            write_webhook(tx, 2, &vault(9));
            Ok::<_, Error>(())
        });
        writing.await.unwrap();
        let changed = opened(&store, 2, Some(1)).await.unwrap();
        assert_eq!(changed.number(), 2);
        let stage = stage_of(&store, 2, Some(1)).await.unwrap();
        assert_eq!(stage, Stage::UnderWay(5), "the server key among them");
        assert_eq!(stage_of(&store, 1, Some(2)).await.unwrap(), stage);
        let late = opened(&store, 1, Some(2)).await;
        assert!(late.is_ok(), "a node that is started before its turn");
        for alone in [2, 3] {
            let refused = opened(&store, alone, None).await;
            assert!(refused.is_err(), "{alone} is not enough");
        }
        assert_eq!(resealed(&store, &changed).await, Round::Over(4, 1));
        assert_eq!(sealed_with(&store, 1).await, 1, "what no key opens stays");
        assert_eq!(resealed(&store, &changed).await, Round::Alone);
        for (main, also, opens) in [
            (1, None, false),
            (1, Some(2), false),
            (2, Some(1), true),
            (2, None, true),
        ] {
            let vault = opened(&store, main, also).await;
            assert_eq!(vault.is_ok(), opens, "{main} {also:?}");
            assert!(vault.is_err() || vault.unwrap().key_digest("a key") == digest);
        }
        let given_up = opened(&store, 1, Some(2)).await;
        assert!(matches!(given_up, Err(Refused::GivenUp)));
        assert_eq!(stage_of(&store, 2, Some(1)).await.unwrap(), Stage::Over);
        assert_eq!(opened(&store, 3, Some(2)).await.unwrap().number(), 3);
    }

    #[tokio::test]
    async fn a_key_that_was_prepared_makes_room_and_one_that_sealed_does_not() {
        let (store, _folder) = store(write_account).await;
        opened(&store, 1, None).await.unwrap();
        opened(&store, 1, Some(2)).await.unwrap();
        assert!(belongs(&store, 1).await, "a node that has its turn later");
        let other = opened(&store, 1, Some(3)).await.unwrap();
        assert_eq!(other.other().unwrap().0, 3, "not again the number of 2");
        let sealing = opened(&store, 3, Some(1)).await.unwrap();
        let writing = store.write(Key::account(ACCOUNT), move |tx| {
            write_webhook(tx, 1, &sealing);
            Ok::<_, Error>(())
        });
        writing.await.unwrap();
        for also in [None, Some(2), Some(4)] {
            let refused = opened(&store, 1, also).await;
            assert!(matches!(refused, Err(Refused::Another)), "{also:?}");
            let seen = stage_of(&store, 1, also).await;
            assert!(matches!(seen, Err(Refused::Another)), "{also:?}");
        }
        let foreign = opened(&store, 4, Some(5)).await;
        assert!(matches!(foreign, Err(Refused::Foreign)));
    }

    #[tokio::test]
    async fn a_store_from_before_server_keys_digests_as_it_did_and_a_new_one_by_chance() {
        let digest = |vault: &Vault| vault.key_digest("a key");
        let (begun, folder) = store(|_| ()).await;
        let random = digest(&opened(&begun, 1, None).await.unwrap());
        assert_ne!(random, digest(&vault(1)));
        assert_eq!(random, digest(&opened(&begun, 1, None).await.unwrap()));
        let file = folder.path().join("store.db");
        store::testing::tamper(&file, "delete from server_keys").unwrap();
        // Also when the first start of this version brings another main key.
        let before = opened(&begun, 2, Some(1)).await.unwrap();
        assert_eq!(digest(&before), digest(&vault(1)));
        let (adopted, _folder) = store(write_account).await;
        let before = opened(&adopted, 1, None).await.unwrap();
        assert_eq!(digest(&before), digest(&vault(1)));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn nodes_that_begin_at_once_agree_on_keys_and_their_numbers() {
        let server = PgServer::start().unwrap();
        let url = server.url();
        let nodes: Vec<Store> = (0..6)
            .map(|_| Settings::new(Database::Postgres { url: url.clone() }))
            .map(|settings| Store::open(&settings).unwrap())
            .collect();
        let at_once = nodes.iter().map(|node| {
            let node = node.clone();
            tokio::spawn(async move { opened(&node, 1, Some(2)).await })
        });
        let at_once: Vec<_> = at_once.collect();
        let mut begun = Vec::new();
        for one in at_once {
            begun.push(one.await.unwrap().unwrap());
        }
        for vault in &begun {
            assert_eq!((vault.number(), vault.other().unwrap().0), (1, 2));
            assert_eq!(vault.key_digest("a key"), begun[0].key_digest("a key"));
        }
        let known = nodes[0].read(main_key::known).await.unwrap();
        assert_eq!(known.len(), 2);
    }

    #[test]
    fn numbers_go_up_and_begin_again() {
        let known = |numbers: &[u8]| -> Vec<Known> {
            let known = numbers.iter().map(|number| Known {
                number: *number,
                check_value: Vec::new(),
                seals_until: None,
            });
            known.collect()
        };
        for (numbers, last, next) in [
            (&[1][..], 1, 2),
            (&[254], 254, 255),
            (&[255], 255, 1),
            (&[1, 255], 255, 2),
        ] {
            assert_eq!(next_number(&known(numbers)), next, "{numbers:?}");
            assert!(is_newer(next, last) && !is_newer(last, next));
        }
    }
}
