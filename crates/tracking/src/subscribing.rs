//! Subscriptions at carriers that send by themselves: made when something of the carrier is wanted, renewed every day,
//! their secret changed every month.
//!
//! Whoever takes one up stores what it is about to do before it tells the carrier: a secret counts from the moment it
//! is stored, and the one before it counts beside it. So nothing that the carrier sends meanwhile is refused, and
//! after a crash the next node tells the carrier again. An answer that was lost leaves a subscription that we do not
//! know of: before one is made the carrier is asked for those that lead here, and one that does is taken over.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::audit::Action;
use domain::source::{Step, Subscribed};
use http::HeaderMap;
use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;
use sources::ocean::dcsa::Push;
use sources::ocean::dcsa::push::{
    Receiver, SecretUnusable, SigningKeys, Subscription, SubscriptionFailure, SubscriptionWish,
    Subscriptions,
};
use store::push_subscription::{self, PushSubscription};
use store::{Key, Tx};

use crate::audit::{self, By, Detail};
use crate::entropy::random_bytes;
use crate::{Source, Tracking, Vault, VaultError};

/// For this long a subscription is in one worker's hands.
const LEASE: SignedDuration = SignedDuration::from_mins(5);
/// Kind of the sealed secrets.
const SECRET: &str = "push secret";
/// Longest word of a trouble that is kept, in characters.
const TROUBLE_CHARS_MAX: usize = 300;

/// Does what the subscriptions need that are due. Returns how many were taken up.
pub(crate) async fn advance(tracking: &Tracking) -> Result<usize, store::Error> {
    let mut taken = 0;
    for source in tracking.sources() {
        let Some(carrier) = source.subscriptions() else {
            continue;
        };
        let Some(callback) = callback(tracking, source) else {
            continue;
        };
        begin(tracking, source, &callback).await?;
        if let Some(mut row) = claim(tracking, source).await? {
            taken += 1;
            seal_anew(tracking.vault(), &mut row);
            keep(tracking, source, &carrier, &callback, row).await?;
        }
    }
    Ok(taken)
}

/// Whether a push is signed with a secret that we gave the carrier ourselves.
pub async fn admits(
    tracking: &Tracking,
    source: &Source,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<bool, store::Error> {
    let Some(rules) = source.push_rules() else {
        return Ok(false);
    };
    let id = source.id().to_owned();
    let found = tracking
        .store()
        .read(move |tx| push_subscription::find(tx, &id));
    let Some(row) = found.await? else {
        return Ok(false);
    };
    let named = headers
        .get(&rules.subscription_header)
        .and_then(|id| id.to_str().ok());
    // A carrier may send before we have read the id it gave.
    let id = row.standing.id.clone();
    let id = id
        .or_else(|| named.map(str::to_owned))
        .unwrap_or_else(|| row.source.clone());
    let keys = match keys(tracking, rules, &row) {
        Ok(keys) => keys,
        Err(error) => {
            tracing::error!(source = row.source, %error, "the secret of a subscription cannot be used");
            return Ok(false);
        }
    };
    let receiver = Receiver::new(rules.clone(), [(id, keys)]);
    Ok(receiver.verify(headers, body).is_ok())
}

/// Where the carrier is to send to: the address of the service without `/v2`.
fn callback(tracking: &Tracking, source: &Source) -> Option<String> {
    let base = tracking.base_url().trim_end_matches('/');
    let base = base.strip_suffix("/v2")?;
    Some(format!("{base}/inbound/{}", source.id()))
}

/// A row for a carrier of which something is wanted.
async fn begin(tracking: &Tracking, source: &Source, callback: &str) -> Result<(), store::Error> {
    let (id, callback, now) = (source.id().to_owned(), callback.to_owned(), tracking.now());
    let known = {
        let id = id.clone();
        let reading = tracking.store().read(move |tx| {
            let known = push_subscription::find(tx, &id)?.is_some();
            Ok::<_, store::Error>(known || !push_subscription::is_wanted(tx, &id)?)
        });
        reading.await?
    };
    if known {
        return Ok(());
    }
    let row = PushSubscription {
        secret: new_secret(tracking, &id),
        source: id,
        standing: Subscribed {
            id: None,
            callback,
            told: false,
            secret_at: now,
            renewed_at: None,
            failures: 0,
        },
        secret_before: None,
        trouble: None,
        due_at: now,
    };
    let by = tracking.whoever(now);
    let beginning = tracking.store().write(Key::sightings(), move |tx| {
        if push_subscription::begin(tx, &row)? {
            note_secret(tx, by, &row);
        }
        Ok::<_, store::Error>(())
    });
    beginning.await
}

/// What is written back when the carrier has answered must be sealed as it would be sealed then: meanwhile the older main key
/// may be given up. What does not open stays as it is.
fn seal_anew(vault: &Vault, row: &mut PushSubscription) {
    let secrets = [Some(&mut row.secret), row.secret_before.as_mut()];
    for sealed in secrets.into_iter().flatten() {
        if let Ok(fresh) = anew(vault, &row.source, sealed) {
            *sealed = fresh;
        }
    }
}

async fn claim(
    tracking: &Tracking,
    source: &Source,
) -> Result<Option<PushSubscription>, store::Error> {
    let (id, now) = (source.id().to_owned(), tracking.now());
    let due = {
        let id = id.clone();
        let reading = tracking
            .store()
            .read(move |tx| push_subscription::find(tx, &id));
        reading.await?.is_some_and(|row| row.due_at <= now)
    };
    if !due {
        return Ok(None);
    }
    let claiming = tracking.store().write(Key::sightings(), move |tx| {
        push_subscription::claim(tx, &id, now, now + LEASE)
    });
    claiming.await
}

/// Takes its steps, one after the other, and writes after each how it stands.
async fn keep(
    tracking: &Tracking,
    source: &Source,
    carrier: &Subscriptions,
    callback: &str,
    mut row: PushSubscription,
) -> Result<(), store::Error> {
    let now = tracking.now();
    if row.standing.needs(callback, now) == Step::ChangeSecret {
        let fresh = new_secret(tracking, source.id());
        row.secret_before = Some(std::mem::replace(&mut row.secret, fresh));
        (row.standing.told, row.standing.secret_at) = (false, now);
        // Stored before it is told.
        change_secret(tracking, &row).await?;
    }
    let secret = match open(tracking, &row.source, &row.secret) {
        Ok(secret) => secret,
        Err(error) => return failed(tracking, row, &error.to_string(), now).await,
    };
    let done = step(carrier, callback, &secret, &mut row.standing, now).await;
    match done {
        Ok(()) => {
            (row.standing.failures, row.trouble) = (0, None);
            let more = row.standing.needs(callback, now) != Step::Rest;
            row.due_at = if more { now } else { row.standing.due_at(now) };
            update(tracking, &row).await
        }
        Err(SubscriptionFailure::Gone) => {
            row.standing.id = None;
            failed(tracking, row, &SubscriptionFailure::Gone.to_string(), now).await
        }
        Err(failure) => failed(tracking, row, &failure.to_string(), now).await,
    }
}

/// The one step that it needs now.
async fn step(
    carrier: &Subscriptions,
    callback: &str,
    secret: &SecretString,
    standing: &mut Subscribed,
    now: Timestamp,
) -> Result<(), SubscriptionFailure> {
    let Ok(address) = callback.parse() else {
        let wrong = format!("{callback:?} is no address: look at base_url");
        return Err(SubscriptionFailure::Refused(wrong));
    };
    let wish = SubscriptionWish {
        callback: address,
        about: None,
    };
    match (standing.needs(callback, now), standing.id.clone()) {
        (Step::Rest, _) => return Ok(()),
        (Step::TellSecret | Step::ChangeSecret, Some(id)) => {
            carrier.replace_secret(&id, secret, now).await?;
            standing.told = true;
            return Ok(());
        }
        (Step::Renew, Some(id)) => carrier.renew(&id, &wish, now).await?,
        (_, None) | (Step::Make, _) => {
            standing.id = Some(make(carrier, &wish, callback, secret, now).await?);
        }
    }
    standing.told = true;
    callback.clone_into(&mut standing.callback);
    standing.renewed_at = Some(now);
    Ok(())
}

/// Takes over the one that leads here, or makes it.
async fn make(
    carrier: &Subscriptions,
    wish: &SubscriptionWish,
    callback: &str,
    secret: &SecretString,
    now: Timestamp,
) -> Result<String, SubscriptionFailure> {
    // What cannot be listed now may be there: it would be made a second time, and whose messages come is not known.
    let listed = match carrier.list(now).await {
        Err(SubscriptionFailure::NotOffered | SubscriptionFailure::Gone) => Vec::new(),
        listed => listed?,
    };
    let leads_here = |known: &&Subscription| known.callback.as_deref() == Some(callback);
    if let Some(known) = listed.iter().find(leads_here) {
        carrier.replace_secret(&known.id, secret, now).await?;
        return Ok(known.id.clone());
    }
    carrier.create(wish, secret, now).await.map(|made| made.id)
}

async fn failed(
    tracking: &Tracking,
    mut row: PushSubscription,
    why: &str,
    now: Timestamp,
) -> Result<(), store::Error> {
    tracing::warn!(
        source = row.source,
        why,
        "a subscription at a carrier could not be kept"
    );
    row.standing.failures = row.standing.failures.saturating_add(1);
    row.trouble = Some(why.chars().take(TROUBLE_CHARS_MAX).collect());
    row.due_at = row.standing.due_at(now);
    update(tracking, &row).await
}

async fn update(tracking: &Tracking, row: &PushSubscription) -> Result<(), store::Error> {
    let row = row.clone();
    let updating = tracking.store().write(Key::sightings(), move |tx| {
        push_subscription::update(tx, &row)
    });
    updating.await
}

/// Stores a new secret, and notes that there is one.
async fn change_secret(tracking: &Tracking, row: &PushSubscription) -> Result<(), store::Error> {
    let (row, by) = (row.clone(), tracking.whoever(tracking.now()));
    let updating = tracking.store().write(Key::sightings(), move |tx| {
        push_subscription::update(tx, &row)?;
        note_secret(tx, by, &row);
        Ok::<_, store::Error>(())
    });
    updating.await
}

fn note_secret(tx: &mut Tx, by: By, row: &PushSubscription) {
    let action = Action::SourceSecretChanged;
    audit::note_for_all(tx, by, action, &row.source, Detail::default());
}

/// A secret as the standard wants it, base64 of 32 bytes; sealed.
fn new_secret(tracking: &Tracking, source: &str) -> Vec<u8> {
    let secret = STANDARD.encode(random_bytes::<32>());
    seal_secret(tracking.vault(), source, &secret)
}

/// What is stored of a secret.
pub(crate) fn seal_secret(vault: &Vault, source: &str, secret: &str) -> Vec<u8> {
    vault.seal(SECRET, source, secret.as_bytes())
}

fn open(tracking: &Tracking, source: &str, sealed: &[u8]) -> Result<SecretString, VaultError> {
    open_secret(tracking.vault(), source, sealed)
}

/// What is stored of a secret, sealed with the key that seals now.
pub(crate) fn anew(vault: &Vault, source: &str, sealed: &[u8]) -> Result<Vec<u8>, VaultError> {
    vault.anew(SECRET, source, sealed)
}

/// The secret of a subscription at this source.
pub(crate) fn open_secret(
    vault: &Vault,
    source: &str,
    sealed: &[u8],
) -> Result<SecretString, VaultError> {
    let plain = vault.open(SECRET, source, sealed)?;
    Ok(String::from_utf8_lossy(&plain).into_owned().into())
}

/// Why a stored secret cannot be used.
#[derive(Debug, thiserror::Error)]
enum SecretLost {
    #[error(transparent)]
    Sealed(#[from] VaultError),
    #[error(transparent)]
    Unusable(#[from] SecretUnusable),
}

fn keys(
    tracking: &Tracking,
    rules: &Push,
    row: &PushSubscription,
) -> Result<SigningKeys, SecretLost> {
    let current = open(tracking, &row.source, &row.secret)?;
    let before = row.secret_before.as_ref();
    let before = before
        .map(|sealed| open(tracking, &row.source, sealed))
        .transpose()?;
    Ok(SigningKeys::new(rules.secret, &current, before.as_ref())?)
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;
    use crate::MainKey;

    #[test]
    fn what_is_written_back_is_sealed_with_the_key_that_seals_now() {
        let [old, new, lost] = [1, 2, 3].map(|byte| MainKey::new([byte; 32]));
        let sealed = |key, secret| seal_secret(&Vault::of((1, key), None, [0; 32]), "LINE", secret);
        let mut row = PushSubscription {
            source: "LINE".into(),
            standing: Subscribed {
                id: None,
                callback: String::new(),
                told: true,
                secret_at: Timestamp::UNIX_EPOCH,
                renewed_at: None,
                failures: 0,
            },
            secret: sealed(&old, "present"),
            secret_before: Some(sealed(&lost, "before")),
            trouble: None,
            due_at: Timestamp::UNIX_EPOCH,
        };
        let before = row.secret_before.clone();
        seal_anew(&Vault::of((2, &new), Some((1, &old)), [0; 32]), &mut row);
        let alone = Vault::of((2, &new), None, [0; 32]);
        let secret = open_secret(&alone, "LINE", &row.secret).unwrap();
        assert_eq!(secret.expose_secret(), "present");
        assert_eq!(row.secret_before, before, "what does not open stays");
    }
}
