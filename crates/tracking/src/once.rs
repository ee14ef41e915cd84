//! Requests that may be sent again and do what they do once.
//!
//! A caller who names a request (`Idempotency-Key`) may send it again when no answer came. The name is taken
//! in the transaction of what the request does, and the answer, made from what the use case returned, is written
//! there too: a crash leaves all of it or nothing, and the same request sent again gets the same answer. Where
//! there is nothing good to tell, the name is given back in that transaction. So no commit leaves a name without an
//! answer, and none is given back behind a commit. A use case knows nothing of this. It writes through the
//! [`Tracking`] that the request was given ([`Tracking::once`]), whose store puts a [`Sending`] around it.
//!
//! What writes nothing, or only what may be written again without harm ([`Tracking::unnamed`]), has its answer
//! kept afterwards by [`Sending::close`], in a transaction that holds nothing else.
//!
//! Bodies are sealed: the answer that creates a key or a webhook holds the secret.

use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use domain::ids::AccountId;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};
use store::kept_answer::{self, Answer, Asked, Reserved};
use store::{Around, Error, Key, Tx};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use crate::{Tracking, Vault, VaultError, id_source};

/// How long an answer is kept.
pub const KEPT_FOR: SignedDuration = SignedDuration::from_hours(72);
/// Old answers forgotten in one transaction.
const SWEPT_ROWS_MAX: u32 = 500;
const SEALED_KIND: &str = "kept answer";

/// An answer as it is kept and given again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Status.
    pub status: u16,
    /// Media type.
    pub media: String,
    /// Address of what was created.
    pub location: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

/// How a name stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nobody has taken it.
    Free,
    /// The same request has, and its answer is not known: what it did was done by a release that kept answers later.
    Running,
    /// Another request has.
    Other,
    /// The same request has, and this was the answer.
    Answered(Shown),
}

/// Makes the answer out of what a use case returned; `None` where there is no good one.
pub type Show = Box<dyn Fn(&dyn Any) -> Option<Shown> + Send + Sync>;

/// One sending of a named request.
pub struct Sending {
    tracking: Tracking,
    account: AccountId,
    asked: Asked,
    reserved: Reserved,
    show: OnceLock<Show>,
    heard: Mutex<Heard>,
}

/// What the transactions of this sending met.
#[derive(Clone, Copy, Default)]
struct Heard {
    /// Another sending has the name, or is about to.
    taken: bool,
    /// A use case ran, and settled in its own transaction what becomes of the name.
    ran: bool,
    /// The answer was kept by an earlier one: what comes now only follows from it.
    kept: bool,
}

impl std::fmt::Debug for Sending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sending")
            .field("asked", &self.asked)
            .finish_non_exhaustive()
    }
}

impl Sending {
    /// A sending that has written nothing yet.
    pub fn new(tracking: &Tracking, account: AccountId, asked: Asked, body: &[u8]) -> Arc<Self> {
        let now = tracking.now();
        Arc::new(Self {
            tracking: tracking.clone(),
            account,
            asked,
            reserved: Reserved {
                fingerprint: Sha256::digest(body).into(),
                sending: id_source(now).draw(),
                created_at: now,
                answer: None,
            },
            show: OnceLock::new(),
            heard: Mutex::default(),
        })
    }

    /// How the answer is made out of what the use case returns. It is said before that runs, and once.
    pub fn tell(&self, show: Show) {
        let is_first = self.show.set(show).is_ok();
        debug_assert!(is_first, "a request does one thing");
    }

    /// How the name stands in the store.
    pub async fn look(&self) -> Result<Standing, LookFailed> {
        let (account, asked, since) = (self.account, self.asked.clone(), self.kept_since());
        let found = self
            .tracking
            .store()
            .read(move |tx| kept_answer::find(&mut tx.account(account), &asked, since))
            .await?;
        found.map_or(Ok(Standing::Free), |row| self.judge(row))
    }

    /// Whether it could not do its work because another sending has the name: look again.
    pub fn is_overtaken(&self) -> bool {
        self.heard().taken
    }

    /// Keeps a good answer of what ran in no transaction of this name; `false` when another sending's stands.
    pub async fn close(&self, answered: &Shown) -> Result<bool, Error> {
        if self.heard().ran {
            return Ok(true);
        }
        let (account, asked, row) = (self.account, self.asked.clone(), self.reserved.clone());
        let (since, answer) = (self.kept_since(), self.sealed(answered));
        self.tracking
            .store()
            .write(Key::account(account), move |tx| {
                let mut a = tx.account(account);
                kept_answer::reserve(&mut a, &asked, &row, since)?;
                kept_answer::finish(&mut a, &asked, row.sending, &answer)
            })
            .await
    }

    fn judge(&self, row: Reserved) -> Result<Standing, LookFailed> {
        let same = row.fingerprint.ct_eq(&self.reserved.fingerprint);
        if !bool::from(same) {
            return Ok(Standing::Other);
        }
        let Some(answer) = row.answer else {
            return Ok(Standing::Running);
        };
        let vault = self.tracking.vault();
        let body = open(vault, self.account, &self.asked, &answer.body)?;
        Ok(Standing::Answered(Shown {
            status: answer.status,
            media: answer.media,
            location: answer.location,
            body,
        }))
    }

    fn sealed(&self, shown: &Shown) -> Answer {
        let vault = self.tracking.vault();
        Answer {
            status: shown.status,
            media: shown.media.clone(),
            location: shown.location.clone(),
            body: seal(vault, self.account, &self.asked, &shown.body),
        }
    }

    fn kept_since(&self) -> Timestamp {
        self.reserved.created_at - KEPT_FOR
    }

    fn heard(&self) -> Heard {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, heard: Heard) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = heard;
    }

    fn hear_taken(&self) {
        let heard = self.heard();
        self.hear(Heard {
            taken: true,
            ..heard
        });
    }
}

/// The body of an answer as it is kept for this request.
pub(crate) fn seal(vault: &Vault, account: AccountId, asked: &Asked, body: &[u8]) -> Vec<u8> {
    vault.seal(SEALED_KIND, &place(account, asked), body)
}

/// What is kept, sealed with the key that seals now.
pub(crate) fn anew(
    vault: &Vault,
    account: AccountId,
    asked: &Asked,
    sealed: &[u8],
) -> Result<Vec<u8>, VaultError> {
    vault.anew(SEALED_KIND, &place(account, asked), sealed)
}

/// The body of an answer that was kept for this request.
pub(crate) fn open(
    vault: &Vault,
    account: AccountId,
    asked: &Asked,
    sealed: &[u8],
) -> Result<Vec<u8>, VaultError> {
    vault.open(SEALED_KIND, &place(account, asked), sealed)
}

fn place(account: AccountId, asked: &Asked) -> String {
    let Asked { method, path, key } = asked;
    format!("{account}/{method} {path} {key}")
}

/// Why it is not known how a name stands.
#[derive(Debug, thiserror::Error)]
pub enum LookFailed {
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] Error),
    /// A kept answer does not open.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

impl Around for Sending {
    fn before(&self, tx: &mut Tx) -> Result<(), Error> {
        let mut a = tx.account(self.account);
        // A look first: a failed insert would cost others of the group a second run.
        let mut found = kept_answer::find(&mut a, &self.asked, self.kept_since())?;
        if found.is_none() {
            let taken =
                kept_answer::reserve(&mut a, &self.asked, &self.reserved, self.kept_since());
            if matches!(taken, Err(Error::TimedOut)) {
                self.hear_taken();
            }
            if !taken? {
                found = kept_answer::find(&mut a, &self.asked, self.kept_since())?;
            }
        }
        match found {
            Some(row) if row.sending != self.reserved.sending => {
                self.hear_taken();
                Err(Error::Repeated)
            }
            found => {
                self.hear(Heard {
                    taken: false,
                    ran: true,
                    kept: found.is_some(),
                });
                Ok(())
            }
        }
    }

    fn after(&self, tx: &mut Tx, answered: &dyn Any) -> Result<(), Error> {
        if self.heard().kept {
            return Ok(());
        }
        let mut a = tx.account(self.account);
        match self.show.get().and_then(|show| show(answered)) {
            Some(shown) => {
                let answer = self.sealed(&shown);
                kept_answer::finish(&mut a, &self.asked, self.reserved.sending, &answer).map(|_| ())
            }
            None => kept_answer::release(&mut a, &self.asked, self.reserved.sending),
        }
    }
}

/// Forgets what was kept long enough. Run now and then by the work loop.
pub(crate) async fn sweep(tracking: &Tracking) -> Result<(), Error> {
    let before = tracking.now() - KEPT_FOR;
    let key = Key::account(AccountId(Uuid::nil()));
    tracking
        .store()
        .write(key, move |tx| {
            kept_answer::sweep(tx, before, SWEPT_ROWS_MAX).map(|_| ())
        })
        .await
}
