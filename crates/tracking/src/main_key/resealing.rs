//! Sealing anew what another main key sealed, piece by piece, and giving that key up when nothing is left.
//!
//! A piece is read, sealed anew outside any transaction, and written where it is still what was read; so it may be killed
//! anywhere, and nodes may work at it together. Only who seals with the newer of two keys does it: nodes that are still to be
//! started with that one would undo it. And it begins when no node seals with the older one any more: from then on what is
//! left only becomes less, and a walk that finds nothing has seen everything.
//!
//! What opens with neither key is left as it is: it was lost before, and no key is kept for its sake.

use domain::audit::Action;
use domain::ids::AccountId;
use jiff::Timestamp;
use store::main_key::{self, Cursor, Known, Piece, Place};
use store::{Error, Key, Store};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{PLACE, SERVER_KEY, is_newer};
use crate::audit::{self, By, Detail};
use crate::{Vault, VaultError, once, subscribing, webhooks};

/// Rows looked at in one step.
const ROWS_AT_ONCE: u32 = 64;
const SUBJECT: &str = "installation";

/// How far a round got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// There is no other key, or it was given up already.
    Alone,
    /// The other key is the newer one: nodes are to be started that seal with it.
    Older,
    /// Nodes seal with the other key until this moment, unless they say so again.
    Held(Timestamp),
    /// So many values were sealed anew before the end was called.
    Stopped(u64),
    /// So many values were sealed anew, and the other key is given up; so many opened with neither key.
    Over(u64, u64),
}

/// Seals anew what is sealed with the older key, and gives it up, for whoever gave the command; `told` hears how many values
/// are done.
pub async fn advance(
    store: &Store,
    vault: &Vault,
    now: Timestamp,
    stop: &CancellationToken,
    told: impl FnMut(u64) + Send,
) -> Result<Round, Error> {
    reseal(store, vault, By::operator(now), stop, told).await
}

/// The same for anybody.
pub(crate) async fn reseal(
    store: &Store,
    vault: &Vault,
    by: By,
    stop: &CancellationToken,
    mut told: impl FnMut(u64) + Send,
) -> Result<Round, Error> {
    let Some((other, _)) = vault.other() else {
        if vault.has_given_up() {
            // What a node sealed with it that stood still while it was given up.
            walk(store, vault, stop, &mut told).await?;
        }
        return Ok(Round::Alone);
    };
    let since = store.is_shared().then_some(by.at());
    let mut done = 0;
    loop {
        let known = store.read(main_key::known).await?;
        if let Some(hindrance) = hindrance(&known, vault.number(), other, since) {
            return Ok(hindrance);
        }
        let so_far = done;
        let walked = walk(store, vault, stop, |anew| told(so_far + anew)).await?;
        done += walked.anew;
        if !walked.is_through {
            return Ok(Round::Stopped(done));
        }
        if walked.anew == 0 {
            let is_given_up = give_up(store, vault, by, since).await?;
            let over = Round::Over(done, walked.lost);
            return Ok(if is_given_up { over } else { Round::Alone });
        }
    }
}

/// What one look at everything sealed has found.
#[derive(Default)]
struct Walked {
    anew: u64,
    lost: u64,
    /// Whether it came to its end.
    is_through: bool,
}

/// Seals anew what is sealed otherwise than this node seals; `told` hears how many values of this walk are done.
async fn walk(
    store: &Store,
    vault: &Vault,
    stop: &CancellationToken,
    mut told: impl FnMut(u64) + Send,
) -> Result<Walked, Error> {
    let mut walked = Walked::default();
    let mut after = Some(Cursor::default());
    while let Some(from) = after {
        if stop.is_cancelled() {
            return Ok(walked);
        }
        let piece = step(store, vault, from).await?;
        walked.anew += piece.anew;
        walked.lost += piece.lost;
        told(walked.anew);
        after = piece.next;
    }
    walked.is_through = true;
    Ok(walked)
}

/// Why the other key cannot be left yet, or not at all.
fn hindrance(known: &[Known], own: u8, other: u8, since: Option<Timestamp>) -> Option<Round> {
    let Some(key) = known.iter().find(|key| key.number == other) else {
        return Some(Round::Alone);
    };
    if !is_newer(own, other) {
        return Some(Round::Older);
    }
    let until = key.seals_until?;
    since.filter(|now| until > *now).map(|_| Round::Held(until))
}

/// Gives the other key up, unless somebody has begun to seal with it again; `false`: somebody did, or has given it up.
async fn give_up(
    store: &Store,
    vault: &Vault,
    by: By,
    since: Option<Timestamp>,
) -> Result<bool, Error> {
    let (own, other) = (vault.number(), vault.other());
    let key = Key::account(AccountId(Uuid::nil()));
    let giving = store.write(key, move |tx| {
        let Some((other, digest)) = other else {
            return Ok(false);
        };
        main_key::lock(tx)?;
        let known = main_key::known(tx)?;
        if hindrance(&known, own, other, since).is_some() {
            return Ok(false);
        }
        main_key::forget(tx, other)?;
        main_key::give_up(tx, &digest)?;
        let detail = Detail::default().with("number", own).with("before", other);
        audit::note_for_all(tx, by, Action::MainKeyChanged, SUBJECT, detail);
        Ok::<_, Error>(true)
    });
    giving.await
}

struct Step {
    anew: u64,
    lost: u64,
    next: Option<Cursor>,
}

async fn step(store: &Store, vault: &Vault, from: Cursor) -> Result<Step, Error> {
    let number = vault.number();
    let looking = store.read(move |tx| main_key::sealed_otherwise(tx, number, &from, ROWS_AT_ONCE));
    let Piece { found, next } = looking.await?;
    let all = found.len();
    let anew: Vec<(Place, Vec<u8>, Vec<u8>)> = found
        .into_iter()
        .filter_map(|(place, sealed)| {
            let anew = anew(vault, &place, &sealed).ok()?;
            Some((place, sealed, anew))
        })
        .collect();
    let (lost, opened) = (all - anew.len(), anew.len());
    if !anew.is_empty() {
        let key = Key::account(AccountId(Uuid::nil()));
        let writing = store.write(key, move |tx| {
            for (place, found, sealed) in &anew {
                main_key::replace(tx, place, found, sealed)?;
            }
            Ok::<_, Error>(())
        });
        writing.await?;
    }
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    Ok(Step {
        anew: count(opened),
        lost: count(lost),
        next,
    })
}

fn anew(vault: &Vault, place: &Place, sealed: &[u8]) -> Result<Vec<u8>, VaultError> {
    match place {
        Place::ServerKey => vault.anew(SERVER_KEY, PLACE, sealed),
        Place::WebhookSecret(account, id) => webhooks::secret_anew(vault, *account, *id, sealed),
        Place::RetiredSecrets(account, id) => webhooks::retired_anew(vault, *account, *id, sealed),
        Place::WebhookHeaders(account, id) => webhooks::headers_anew(vault, *account, *id, sealed),
        Place::PushSecret(source) | Place::PushSecretBefore(source) => {
            subscribing::anew(vault, source, sealed)
        }
        Place::Answer(account, asked) => once::anew(vault, *account, asked, sealed),
    }
}
